// Loops that are left from inside and carry tensors: they become scf.while with flags, since what becomes memory must
// stand in regions of one block.
// RUN: noria opt --lower-early-exit %s | FileCheck %s

// Doubled until an element reaches the limit; the one found and how often.
// RUN: noria run %s --entry=double '[1, 3]' 40 --check-stages | FileCheck %s --check-prefix=DOUBLE
// DOUBLE: {{^}}dense<[16, 48]> : tensor<2xi32>{{$}}
// DOUBLE-NEXT: {{^}}4 : i32{{$}}
// CHECK-LABEL: func.func @double
// CHECK: %[[W:.*]]:4 = scf.while (%[[A:.*]] = %arg0, %[[N:.*]] = %{{.*}}) : (tensor<2xi32>, i32) -> (tensor<2xi32>, i32, tensor<2xi32>, i32) {
// CHECK: %[[S:.*]]:5 = scf.if %{{.*}} -> (i1, tensor<2xi32>, i32, tensor<2xi32>, i32) {
// CHECK: scf.yield %false{{.*}}, %[[A]], %[[N]], %[[A]], %[[N]] : i1, tensor<2xi32>, i32, tensor<2xi32>, i32
// CHECK: scf.condition(%[[S]]#0) %[[S]]#1, %[[S]]#2, %[[S]]#3, %[[S]]#4 :
func.func @double(%t: tensor<2xi32>, %limit: i32) -> (tensor<2xi32>, i32) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:2 = scf.loop token(%l) iter_args(%a = %t, %n = %zero) : (tensor<2xi32>, i32) -> (tensor<2xi32>, i32) {
    %x = tensor.extract %a[%c1] : tensor<2xi32>
    %done = arith.cmpi sge, %x, %limit : i32
    scf.if %done {
      scf.break [%l] %a, %n : tensor<2xi32>, i32
    }
    %b = arith.addi %a, %a : tensor<2xi32>
    %m = arith.addi %n, %one : i32
    scf.continue [%l] %b, %m : tensor<2xi32>, i32
  }
  return %r#0, %r#1 : tensor<2xi32>, i32
}

// Every way out: in both branches, behind a branch with values, from a switch, with several ways on; an inner loop of
// its own; a result of another shape. Counts i up to n; 7 leaves with the sum so far, 100 at once.
// RUN: noria run %s --entry=ways '[1, 2, 3]' 5 --check-stages | FileCheck %s --check-prefix=FIVE
// RUN: noria run %s --entry=ways '[1, 2, 3]' 5 --interpret | FileCheck %s --check-prefix=FIVE
// FIVE: {{^}}dense<[12, 24, 36]> : tensor<3xi64>{{$}}
// RUN: noria run %s --entry=ways '[1, 2, 3]' 9 --check-stages | FileCheck %s --check-prefix=NINE
// NINE: {{^}}dense<[-18, -36, -54]> : tensor<3xi64>{{$}}
// RUN: noria run %s --entry=ways '[1, 2, 3]' 0 --check-stages | FileCheck %s --check-prefix=ZERO
// ZERO: {{^}}dense<0> : tensor<3xi64>{{$}}
// RUN: noria run %s --entry=ways '[1, 2, 100]' 3 --check-stages | FileCheck %s --check-prefix=AT_ONCE
// AT_ONCE: {{^}}dense<[1, 2, 100]> : tensor<3xi64>{{$}}
// CHECK-LABEL: func.func @ways
// CHECK-NOT: scf.loop
// CHECK-NOT: cf.br
func.func @ways(%t: tensor<?xi64>, %n: index) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0 : i64
  %hundred = arith.constant 100 : i64
  %size = tensor.dim %t, %c0 : tensor<?xi64>
  %start = tensor.splat %zero[%size] : tensor<?xi64>
  %r = scf.loop token(%l) iter_args(%a = %start, %i = %c0) : (tensor<?xi64>, index) -> tensor<?xi64> {
    %end = arith.cmpi sge, %i, %n : index
    %last = tensor.extract %t[%c2] : tensor<?xi64>
    %big = arith.cmpi eq, %last, %hundred : i64
    %i1 = arith.addi %i, %c1 : index
    %is7 = arith.cmpi eq, %i, %c7 : index
    %kind = arith.remui %i, %c2 : index
    %u = scf.if %end -> (tensor<?xi64>) {
      scf.if %big {
        scf.break [%l] %t : tensor<?xi64>
      } else {
        scf.break [%l] %a : tensor<?xi64>
      }
      scf.yield %t : tensor<?xi64>
    } else {
      %v = arith.addi %a, %t : tensor<?xi64>
      scf.if %is7 {
        %z = tensor.splat %zero[%size] : tensor<?xi64>
        %m = arith.subi %z, %v : tensor<?xi64>
        scf.break [%l] %m : tensor<?xi64>
      }
      scf.yield %v : tensor<?xi64>
    }
    %w = scf.index_switch %kind -> tensor<?xi64>
    case 1 {
      %x = scf.loop token(%k) iter_args(%y = %u, %j = %c0) : (tensor<?xi64>, index) -> tensor<?xi64> {
        %full = arith.cmpi sge, %j, %c2 : index
        scf.if %full {
          scf.break [%k] %y : tensor<?xi64>
        }
        %y1 = arith.addi %y, %t : tensor<?xi64>
        %j1 = arith.addi %j, %c1 : index
        scf.continue [%k] %y1, %j1 : tensor<?xi64>, index
      }
      %back = arith.subi %x, %t : tensor<?xi64>
      scf.yield %back : tensor<?xi64>
    }
    case 0 {
      scf.if %big {
        scf.break [%l] %t : tensor<?xi64>
      }
      scf.yield %u : tensor<?xi64>
    }
    default {
      scf.continue [%l] %t, %i1 : tensor<?xi64>, index
    }
    %same = arith.cmpi eq, %i, %c2 : index
    scf.if %same {
      %more = arith.addi %w, %t : tensor<?xi64>
      scf.continue [%l] %more, %i1 : tensor<?xi64>, index
    }
    %more = arith.addi %w, %t : tensor<?xi64>
    scf.continue [%l] %more, %i1 : tensor<?xi64>, index
  }
  return %r : tensor<?xi64>
}
