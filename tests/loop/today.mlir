// Structured control flow that came after 2020, run: as read, after every stage, as machine code.
// RUN: noria opt %s | FileCheck %s
// RUN: noria opt %s | mlir-opt -o %t.oracle
// RUN: noria opt --generic %s | noria opt - -o %t.generic
// RUN: noria opt %s | diff - %t.generic

// ---- bounds of other types, compared as they say ----

// From -3 up to 2: five trips, signed; none when -3 is 253.
// RUN: noria run %s --entry=signed -3 2 1 --check-stages | FileCheck %s --check-prefix=SIGNED
// SIGNED: {{^}}5 : i32{{$}}
// SIGNED-NEXT: {{^}}-5 : i32{{$}}
// CHECK-LABEL: func.func @signed
// CHECK: scf.for %{{.*}} = %arg0 to %arg1 step %arg2 iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (i32, i32) : i8 {
func.func @signed(%lb: i8, %ub: i8, %st: i8) -> (i32, i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:2 = scf.for %i = %lb to %ub step %st iter_args(%n = %zero, %s = %zero) -> (i32, i32) : i8 {
    %x = arith.extsi %i : i8 to i32
    %n1 = arith.addi %n, %one : i32
    %s1 = arith.addi %s, %x : i32
    scf.yield %n1, %s1 : i32, i32
  }
  return %r#0, %r#1 : i32, i32
}
// RUN: noria run %s --entry=unsigned -3 2 1 --check-stages | FileCheck %s --check-prefix=NEVER
// NEVER: {{^}}0 : i32{{$}}
// RUN: noria run %s --entry=unsigned 2 -3 100 --check-stages | FileCheck %s --check-prefix=THREE
// THREE: {{^}}3 : i32{{$}}
// CHECK-LABEL: func.func @unsigned
// CHECK: scf.for unsigned %{{.*}} = %arg0 to %arg1 step %arg2 iter_args(%{{.*}} = %{{.*}}) -> (i32) : i8 {
func.func @unsigned(%lb: i8, %ub: i8, %st: i8) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for unsigned %i = %lb to %ub step %st iter_args(%n = %zero) -> (i32) : i8 {
    %n1 = arith.addi %n, %one : i32
    scf.yield %n1 : i32
  }
  return %r : i32
}
// 3, 53, 103: the next one is no i8 any more, and ends the loop.
// RUN: noria run %s --entry=signed 3 127 50 --check-stages | FileCheck %s --check-prefix=EDGE
// EDGE: {{^}}3 : i32{{$}}
// EDGE-NEXT: {{^}}159 : i32{{$}}
// RUN: noria run %s --entry=index_unsigned 1 4 --check-stages | FileCheck %s --check-prefix=THREE
func.func @index_unsigned(%lb: index, %ub: index) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c1 = arith.constant 1 : index
  %r = scf.for unsigned %i = %lb to %ub step %c1 iter_args(%n = %zero) -> (i32) {
    %n1 = arith.addi %n, %one : i32
    scf.yield %n1 : i32
  }
  return %r : i32
}

// ---- while: the two regions carry different types ----

// 27 -> .. -> 1 takes 111 steps.
// RUN: noria run %s --entry=collatz 27 --check-stages | FileCheck %s --check-prefix=COLLATZ
// COLLATZ: {{^}}111 : i32{{$}}
// CHECK-LABEL: func.func @collatz
// CHECK: scf.while (%{{.*}} = %arg0, %{{.*}} = %{{.*}}) : (i64, i32) -> (i32, i1, i64) {
// CHECK: scf.condition(%{{.*}}) %{{.*}}, %{{.*}}, %{{.*}} : i32, i1, i64
// CHECK: } do {
// CHECK-NEXT: ^bb0(%{{.*}}: i32, %{{.*}}: i1, %{{.*}}: i64):
// CHECK: } attributes {tag}
func.func @collatz(%n: i64) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %r:3 = scf.while (%x = %n, %k = %zero) : (i64, i32) -> (i32, i1, i64) {
    %odd = arith.trunci %x : i64 to i1
    %more = arith.cmpi ne, %x, %c1 : i64
    scf.condition(%more) %k, %odd, %x : i32, i1, i64
  } do {
  ^bb0(%k: i32, %odd: i1, %x: i64):
    %next = scf.if %odd -> (i64) {
      %t = arith.muli %x, %c3 : i64
      %u = arith.addi %t, %c1 : i64
      scf.yield %u : i64
    } else {
      %h = arith.shrui %x, %c1 : i64
      scf.yield %h : i64
    }
    %k1 = arith.addi %k, %one : i32
    scf.yield %next, %k1 : i64, i32
  } attributes {tag}
  return %r#0 : i32
}

// Tensors too: doubled until the first element passes the limit.
// RUN: noria run %s --entry=grow '[1, 5]' 40 --check-stages | FileCheck %s --check-prefix=GROW
// GROW: {{^}}dense<[64, 320]> : tensor<2xi32>{{$}}
func.func @grow(%t: tensor<2xi32>, %limit: i32) -> tensor<2xi32> {
  %c0 = arith.constant 0 : index
  %r = scf.while (%a = %t) : (tensor<2xi32>) -> tensor<2xi32> {
    %x = tensor.extract %a[%c0] : tensor<2xi32>
    %less = arith.cmpi sle, %x, %limit : i32
    scf.condition(%less) %a : tensor<2xi32>
  } do {
  ^bb0(%a: tensor<2xi32>):
    %b = arith.addi %a, %a : tensor<2xi32>
    scf.yield %b : tensor<2xi32>
  }
  return %r : tensor<2xi32>
}

// ---- execute_region: blocks where one block may stand ----

// The first i with i * i >= n, plus 100 times the number of even trips.
// RUN: noria run %s --entry=blocks 30 --check-stages | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: {{^}}6 : i64{{$}}
// BLOCKS-NEXT: {{^}}30 : i64{{$}}
// CHECK-LABEL: func.func @blocks
// CHECK: scf.execute_region -> i64 {
// CHECK: scf.execute_region no_inline {
func.func @blocks(%n: i64) -> (i64, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = memref.alloc() : memref<1xi64>
  memref.store %zero, %m[%c0] : memref<1xi64>
  %r = scf.for %k = %c0 to %c5 step %c1 iter_args(%last = %zero) -> (i64) {
    %0 = scf.execute_region -> i64 {
      cf.br ^head(%zero : i64)
    ^head(%i: i64):
      %sq = arith.muli %i, %i : i64
      %done = arith.cmpi sge, %sq, %n : i64
      cf.cond_br %done, ^exit, ^next
    ^next:
      %i1 = arith.addi %i, %one : i64
      cf.br ^head(%i1 : i64)
    ^exit:
      scf.yield %i : i64
    }
    scf.execute_region no_inline {
      %s = memref.load %m[%c0] : memref<1xi64>
      %s1 = arith.addi %s, %0 : i64
      memref.store %s1, %m[%c0] : memref<1xi64>
      scf.yield
    }
    scf.yield %0 : i64
  }
  %sum = memref.load %m[%c0] : memref<1xi64>
  memref.dealloc %m : memref<1xi64>
  return %r, %sum : i64, i64
}

// ---- index_switch ----

// RUN: noria run %s --entry=switch 2 7 --check-stages | FileCheck %s --check-prefix=TWO
// TWO: {{^}}14 : i64{{$}}
// RUN: noria run %s --entry=switch -5 7 --check-stages | FileCheck %s --check-prefix=MINUS
// MINUS: {{^}}-7 : i64{{$}}
// RUN: noria run %s --entry=switch 3 7 --check-stages | FileCheck %s --check-prefix=OTHER
// OTHER: {{^}}0 : i64{{$}}
// CHECK-LABEL: func.func @switch
// CHECK: scf.index_switch %arg0 -> i64
// CHECK-NEXT: case 2 {
// CHECK: case -5 {
// CHECK: default {
func.func @switch(%i: index, %x: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %0 = scf.index_switch %i -> i64
  case 2 {
    %a = arith.addi %x, %x : i64
    scf.yield %a : i64
  }
  case -5 {
    %a = arith.subi %zero, %x : i64
    scf.yield %a : i64
  }
  default {
    scf.yield %zero : i64
  }
  return %0 : i64
}

// In a loop over 0, 1, 2, 3, with tensors: t, t + t, t * t, t -> the sum of all.
// RUN: noria run %s --entry=switch_tensors '[3, 4]' 4 --check-stages | FileCheck %s --check-prefix=SUM
// SUM: {{^}}dense<[21, 32]> : tensor<2xi64>{{$}}
func.func @switch_tensors(%t: tensor<2xi64>, %n: index) -> tensor<2xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0> : tensor<2xi64>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (tensor<2xi64>) {
    %0 = scf.index_switch %i -> tensor<2xi64>
    case 1 {
      %u = arith.addi %t, %t : tensor<2xi64>
      scf.yield %u : tensor<2xi64>
    }
    case 2 {
      %u = arith.muli %t, %t : tensor<2xi64>
      scf.yield %u : tensor<2xi64>
    }
    default {
      scf.yield %t : tensor<2xi64>
    }
    %b = arith.addi %a, %0 : tensor<2xi64>
    scf.yield %b : tensor<2xi64>
  }
  return %r : tensor<2xi64>
}

// ---- forall: over tensors and over buffers ----

// RUN: noria run %s --entry=forall_rows '[[1, 2], [3, 4], [5, 6]]' 3 --check-stages | FileCheck %s --check-prefix=ROWS
// ROWS: {{^}}dense<{{\[}}[2, 4], [3, 4], [10, 12]]> : tensor<3x2xi64>{{$}}
// CHECK-LABEL: func.func @forall_rows
// CHECK: scf.forall (%{{.*}}) = (0) to (%arg1) step (2) shared_outs(%{{.*}} = %arg0) -> (tensor<?x2xi64>) {
// CHECK: scf.forall.in_parallel {
// CHECK-NEXT: tensor.parallel_insert_slice
func.func @forall_rows(%t: tensor<?x2xi64>, %n: index) -> tensor<?x2xi64> {
  %r = scf.forall (%i) = (0) to (%n) step (2) shared_outs(%o = %t) -> (tensor<?x2xi64>) {
    %s = tensor.extract_slice %o[%i, 0] [1, 2] [1, 1] : tensor<?x2xi64> to tensor<2xi64>
    %d = arith.addi %s, %s : tensor<2xi64>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%i, 0] [1, 2] [1, 1] : tensor<2xi64> into tensor<?x2xi64>
    }
  }
  return %r : tensor<?x2xi64>
}

// Each point reads its neighbour as it was: the row is turned by one.
// RUN: noria run %s --entry=forall_turn '[1, 2, 3, 4]' --check-stages | FileCheck %s --check-prefix=TURN
// TURN: {{^}}dense<[2, 3, 4, 1]> : tensor<4xi64>{{$}}
func.func @forall_turn(%t: tensor<4xi64>) -> tensor<4xi64> {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.forall (%i) in (4) shared_outs(%o = %t) -> (tensor<4xi64>) {
    %i1 = arith.addi %i, %c1 : index
    %j = arith.remui %i1, %c4 : index
    %s = tensor.extract_slice %o[%j] [1] [1] : tensor<4xi64> to tensor<1xi64>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xi64> into tensor<4xi64>
    }
  }
  return %r : tensor<4xi64>
}

// RUN: noria run %s --entry=forall_buffer zeros 3 2 --check-stages | FileCheck %s --check-prefix=BUFFER
// BUFFER: {{^}}dense<{{\[}}[0, 1, 0], [10, 11, 0], [20, 21, 0]]> : tensor<3x3xindex>{{$}}
func.func @forall_buffer(%m: memref<3x3xindex>, %h: index, %w: index) {
  %ten = arith.constant 10 : index
  scf.forall (%i, %j) in (%h, %w) {
    %a = arith.muli %i, %ten : index
    %b = arith.addi %a, %j : index
    memref.store %b, %m[%i, %j] : memref<3x3xindex>
  }
  return
}
