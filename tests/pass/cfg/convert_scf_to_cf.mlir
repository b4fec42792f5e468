// RUN: noria opt --pass-pipeline=convert-scf-to-cf %s | FileCheck %s
// RUN: noria opt --pass-pipeline=convert-scf-to-cf --syntax=mlir %s | mlir-opt

func.func private @use(index)
func.func private @use2(index, index)

// CHECK-LABEL: func.func @simple_for
// CHECK-SAME: %[[LB:.*]]: index, %[[UB:.*]]: index) {
// CHECK-NEXT:   %[[ST:.*]] = arith.constant 1 : index
// CHECK-NEXT:   cf.br ^[[COND:.*]](%[[LB]] : index)
// CHECK-NEXT: ^[[COND]](%[[I:.*]]: index):
// CHECK-NEXT:   %[[C:.*]] = arith.cmpi slt, %[[I]], %[[UB]] : index
// CHECK-NEXT:   cf.cond_br %[[C]], ^[[BODY:.*]], ^[[END:.*]]{{$}}
// CHECK-NEXT: ^[[BODY]]:
// CHECK-NEXT:   {{(func.)?}}call @use(%[[I]]) : (index) -> ()
// CHECK-NEXT:   %[[N:.*]] = arith.addi %[[I]], %[[ST]] : index
// CHECK-NEXT:   cf.br ^[[COND]](%[[N]] : index)
// CHECK-NEXT: ^[[END]]:
// CHECK-NEXT:   return
func.func @simple_for(%lb: index, %ub: index) {
  %st = arith.constant 1 : index
  scf.for %i = %lb to %ub step %st {
    func.call @use(%i) : (index) -> ()
  }
  return
}

// What is said of a loop goes to the branch back.
// CHECK-LABEL: func.func @properties
// CHECK: cf.cond_br %{{.*}}, ^{{.*}}, ^{{.*$}}
// CHECK: cf.br ^{{.*}}(%{{.*}} : index) {noria.loop = {vectorize = false}}
func.func @properties(%lb: index, %ub: index) {
  %st = arith.constant 1 : index
  scf.for %i = %lb to %ub step %st {
    func.call @use(%i) : (index) -> ()
  } {noria.loop = {vectorize = false}}
  return
}

// The next value may not be there: then the loop ends. With the option there are only sizes.
// RUN: noria opt --pass-pipeline='convert-scf-to-cf{assume-sizes}' %s | FileCheck %s --check-prefix=SIZES
// CHECK-LABEL: func.func @any_step
// CHECK: ^[[COND:.*]](%[[I:.*]]: index):
// CHECK: {{(func.)?}}call @use(%[[I]])
// CHECK-NEXT: %[[N:.*]] = arith.addi %[[I]], %[[ST:.*]] : index
// CHECK-NEXT: %[[WRAPS:.*]] = arith.cmpi slt, %[[N]], %[[I]] : index
// CHECK-NEXT: %[[NEXT:.*]] = arith.select %[[WRAPS]], %[[UB:.*]], %[[N]] : index
// CHECK-NEXT: cf.br ^[[COND]](%[[NEXT]] : index)
// SIZES-LABEL: func.func @any_step
// SIZES: %[[N:.*]] = arith.addi
// SIZES-NEXT: cf.br ^{{.*}}(%[[N]] : index)
func.func @any_step(%lb: index, %ub: index, %st: index) {
  scf.for %i = %lb to %ub step %st {
    func.call @use(%i) : (index) -> ()
  }
  return
}

// CHECK-LABEL: func.func @carried_values
// CHECK: cf.br ^[[COND:.*]](%{{.*}}, %{{.*}}, %{{.*}} : index, f32, f32)
// CHECK-NEXT: ^[[COND]](%[[I:.*]]: index, %[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK: cf.cond_br %{{.*}}, ^[[BODY:.*]], ^[[END:.*]]{{$}}
// CHECK-NEXT: ^[[BODY]]:
// CHECK: %[[N:.*]] = arith.addi %[[I]], %{{.*}} : index
// CHECK-NEXT: cf.br ^[[COND]](%[[N]], %[[B]], %[[A]] : index, f32, f32)
// CHECK-NEXT: ^[[END]]:
// CHECK-NEXT: return %[[A]], %[[B]] : f32, f32
func.func @carried_values(%n: index, %x: f32, %y: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (f32, f32) {
    scf.yield %b, %a : f32, f32
  }
  return %r#0, %r#1 : f32, f32
}

// CHECK-LABEL: func.func @unsigned_bounds
// CHECK: arith.cmpi ult, %{{.*}}, %{{.*}} : i32
func.func @unsigned_bounds(%lb: i32, %ub: i32, %st: i32) {
  scf.for unsigned %i = %lb to %ub step %st : i32 {
  }
  return
}

// CHECK-LABEL: func.func @if_without_else
// CHECK-NEXT: cf.cond_br %{{.*}}, ^[[THEN:.*]], ^[[END:.*]]{{$}}
// CHECK-NEXT: ^[[THEN]]:
// CHECK-NEXT: {{(func.)?}}call @use
// CHECK-NEXT: cf.br ^[[END]]
// CHECK-NEXT: ^[[END]]:
// CHECK-NEXT: return
func.func @if_without_else(%c: i1, %x: index) {
  scf.if %c {
    func.call @use(%x) : (index) -> ()
  }
  return
}

// How often each region runs stays known; an attribute of that name with something else is left out.
// CHECK-LABEL: func.func @if_with_odds
// CHECK: cf.cond_br %{{.*}} weights([256, 1]), ^{{.*}}, ^
// CHECK: cf.cond_br %{{[a-z0-9]+}}, ^
// CHECK: cf.cond_br %{{[a-z0-9]+}}, ^
// CHECK: cf.cond_br %{{[a-z0-9]+}}, ^
func.func @if_with_odds(%c: i1, %x: index) {
  scf.if %c {
    func.call @use(%x) : (index) -> ()
  } {branch_weights = array<i32: 256, 1>}
  scf.if %c {
    func.call @use(%x) : (index) -> ()
  } {branch_weights = array<i32: 0, 0>}
  scf.if %c {
    func.call @use(%x) : (index) -> ()
  } {branch_weights = array<i32: 1, 2, 3>}
  scf.if %c {
    func.call @use(%x) : (index) -> ()
  } {branch_weights = "often"}
  return
}

// The blocks of the proposal that gave values to loop.if.
// CHECK-LABEL: func.func @if_with_values
// CHECK-NEXT: cf.cond_br %{{.*}}, ^[[THEN:.*]], ^[[ELSE:.*]]{{$}}
// CHECK-NEXT: ^[[THEN]]:
// CHECK-NEXT: %[[X1:.*]] = arith.addf
// CHECK-NEXT: cf.br ^[[END:.*]](%[[X1]] : f32)
// CHECK-NEXT: ^[[ELSE]]:
// CHECK-NEXT: %[[X2:.*]] = arith.subf
// CHECK-NEXT: cf.br ^[[END]](%[[X2]] : f32)
// CHECK-NEXT: ^[[END]](%[[X:.*]]: f32):
// CHECK-NEXT: return %[[X]] : f32
func.func @if_with_values(%c: i1, %a: f32, %b: f32) -> f32 {
  %x = scf.if %c -> (f32) {
    %x1 = arith.addf %a, %b : f32
    scf.yield %x1 : f32
  } else {
    %x2 = arith.subf %a, %b : f32
    scf.yield %x2 : f32
  }
  return %x : f32
}

// CHECK-LABEL: func.func @nested
// CHECK-NEXT: cf.br ^[[OUTER:.*]](
// CHECK-NEXT: ^[[OUTER]](
// CHECK: cf.cond_br %{{.*}}, ^[[OUTER_BODY:.*]], ^[[OUTER_END:.*]]{{$}}
// CHECK-NEXT: ^[[OUTER_BODY]]:
// CHECK-NEXT: {{(func.)?}}call @use
// CHECK-NEXT: cf.br ^[[INNER:.*]](
// CHECK-NEXT: ^[[INNER]](
// CHECK: cf.cond_br %{{.*}}, ^[[INNER_BODY:.*]], ^[[INNER_END:.*]]{{$}}
// CHECK-NEXT: ^[[INNER_BODY]]:
// CHECK-NEXT: cf.cond_br %{{.*}}, ^[[THEN:.*]], ^[[IF_END:.*]]{{$}}
// CHECK-NEXT: ^[[THEN]]:
// CHECK-NEXT: {{(func.)?}}call @use2
// CHECK-NEXT: cf.br ^[[IF_END]]
// CHECK-NEXT: ^[[IF_END]]:
// CHECK: cf.br ^[[INNER]](
// CHECK-NEXT: ^[[INNER_END]]:
// CHECK: cf.br ^[[OUTER]](
// CHECK-NEXT: ^[[OUTER_END]]:
// CHECK-NEXT: return
func.func @nested(%n: index, %s: index, %c: i1) {
  scf.for %i = %s to %n step %s {
    func.call @use(%i) : (index) -> ()
    scf.for %j = %s to %i step %s {
      scf.if %c {
        func.call @use2(%i, %j) : (index, index) -> ()
      }
    }
  }
  return
}

// CHECK-LABEL: func.func @while
// CHECK-NEXT: cf.br ^[[BEFORE:.*]](%{{.*}} : i32)
// CHECK-NEXT: ^[[BEFORE]](%[[A:.*]]: i32):
// CHECK-NEXT: %[[C:.*]] = arith.cmpi slt, %[[A]], %{{.*}} : i32
// CHECK-NEXT: %[[E:.*]] = arith.extsi %[[A]] : i32 to i64
// CHECK-NEXT: cf.cond_br %[[C]], ^[[AFTER:.*]](%[[E]] : i64), ^[[END:.*]]{{$}}
// CHECK-NEXT: ^[[AFTER]](%[[B:.*]]: i64):
// CHECK-NEXT: %[[T:.*]] = arith.trunci %[[B]] : i64 to i32
// CHECK-NEXT: cf.br ^[[BEFORE]](%[[T]] : i32)
// CHECK-NEXT: ^[[END]]:
// CHECK-NEXT: return %[[E]] : i64
func.func @while(%x: i32, %limit: i32) -> i64 {
  %r = scf.while (%a = %x) : (i32) -> i64 {
    %c = arith.cmpi slt, %a, %limit : i32
    %e = arith.extsi %a : i32 to i64
    scf.condition(%c) %e : i64
  } do {
  ^bb0(%b: i64):
    %t = arith.trunci %b : i64 to i32
    scf.yield %t : i32
  }
  return %r : i64
}

// A nest of loops that carries the running values; the reductions stand in the innermost.
// CHECK-LABEL: func.func @parallel
// CHECK-SAME: %[[N:.*]]: index, %[[X:.*]]: f32, %[[Y:.*]]: f32) -> (f32, f32) {
// CHECK: cf.br ^[[OUTER:.*]](%{{.*}}, %[[X]], %[[Y]] : index, f32, f32)
// CHECK-NEXT: ^[[OUTER]](%[[I:.*]]: index, %[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK: cf.cond_br
// CHECK: cf.br ^[[INNER:.*]](%{{.*}}, %[[A]], %[[B]] : index, f32, f32)
// CHECK-NEXT: ^[[INNER]](%[[J:.*]]: index, %[[P:.*]]: f32, %[[Q:.*]]: f32):
// CHECK: cf.cond_br
// CHECK: %[[V:.*]] = arith.mulf %[[X]], %[[Y]] : f32
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[P]], %[[V]] : f32
// CHECK-NEXT: %[[M:.*]] = arith.maximumf %[[Q]], %[[V]] : f32
// CHECK-NEXT: %[[JN:.*]] = arith.addi %[[J]], %{{.*}} : index
// CHECK-NEXT: cf.br ^[[INNER]](%[[JN]], %[[S]], %[[M]] : index, f32, f32)
// CHECK: %[[IN:.*]] = arith.addi %[[I]], %{{.*}} : index
// CHECK-NEXT: cf.br ^[[OUTER]](%[[IN]], %[[P]], %[[Q]] : index, f32, f32)
// CHECK: return %[[A]], %[[B]] : f32, f32
func.func @parallel(%n: index, %x: f32, %y: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) init (%x, %y) -> (f32, f32) {
    %v = arith.mulf %x, %y : f32
    scf.reduce(%v, %v : f32, f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }, {
    ^bb0(%a: f32, %b: f32):
      %m = arith.maximumf %a, %b : f32
      scf.reduce.return %m : f32
    }
  }
  return %r#0, %r#1 : f32, f32
}

// CHECK-LABEL: func.func @parallel_with_if
// CHECK-NOT: scf.
// CHECK: return
func.func @parallel_with_if(%n: index, %c: i1) {
  scf.parallel (%i) = (%n) to (%n) step (%n) {
    scf.if %c {
      func.call @use(%i) : (index) -> ()
    }
  }
  return
}

// CHECK-LABEL: func.func @switch
// CHECK: %[[F:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK-NEXT: cf.switch %[[F]] : i64, [
// CHECK: default: ^[[D:bb[0-9]+]]
// CHECK: 2: ^[[TWO:bb[0-9]+]]
// CHECK: ^[[D]]:
// CHECK-NEXT: cf.br ^[[END:.*]](%{{.*}} : i32)
// CHECK: ^[[TWO]]:
// CHECK-NEXT: cf.br ^[[END]](%{{.*}} : i32)
// CHECK: ^[[END]](%[[R:.*]]: i32):
// CHECK-NEXT: return %[[R]] : i32
func.func @switch(%i: index, %a: i32, %b: i32) -> i32 {
  %r = scf.index_switch %i -> i32
  case 2 {
    scf.yield %a : i32
  }
  default {
    scf.yield %b : i32
  }
  return %r : i32
}

// CHECK-LABEL: func.func @execute_region
// CHECK-NEXT: cf.br ^[[IN:.*]]{{$}}
// CHECK-NEXT: ^[[IN]]:
// CHECK-NEXT: cf.cond_br %{{.*}}, ^[[A:.*]], ^[[B:.*]]{{$}}
// CHECK-NEXT: ^[[A]]:
// CHECK-NEXT: cf.br ^[[END:.*]](%{{.*}} : f32)
// CHECK-NEXT: ^[[B]]:
// CHECK-NEXT: cf.br ^[[END]](%{{.*}} : f32)
// CHECK-NEXT: ^[[END]](%[[R:.*]]: f32):
// CHECK-NEXT: return %[[R]] : f32
func.func @execute_region(%c: i1, %x: f32, %y: f32) -> f32 {
  %r = scf.execute_region -> f32 {
    cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    scf.yield %x : f32
  ^bb2:
    scf.yield %y : f32
  }
  return %r : f32
}

// The sum may pass the end of i8: then the loop is over.
// CHECK-LABEL: func.func @narrow_bounds
// CHECK: ^bb2:
// CHECK-NEXT: %[[SUM:.*]] = arith.addi %[[I:.*]], %[[ST:.*]] : i8
// CHECK-NEXT: %[[WRAPS:.*]] = arith.cmpi slt, %[[SUM]], %[[I]] : i8
// CHECK-NEXT: %[[N:.*]] = arith.select %[[WRAPS]], %[[UB:.*]], %[[SUM]] : i8
// CHECK-NEXT: cf.br ^bb1(%[[N]] : i8)
func.func @narrow_bounds(%lb: i8, %ub: i8, %st: i8) {
  scf.for %i = %lb to %ub step %st : i8 {
  }
  return
}

// CHECK-LABEL: func.func @forall
// CHECK-SAME: %[[N:.*]]: index, %[[M:.*]]: memref<?x8xf32>, %[[X:.*]]: f32)
// CHECK: cf.br ^[[OUTER:.*]](%{{.*}} : index)
// CHECK: ^[[OUTER]](%[[I:.*]]: index):
// CHECK-NEXT: arith.cmpi slt, %[[I]], %[[N]] : index
// CHECK: ^{{.*}}(%[[J:.*]]: index):
// CHECK: memref.store %[[X]], %[[M]][%[[I]], %[[J]]] : memref<?x8xf32>
// CHECK-NOT: scf
// CHECK: return
func.func @forall(%n: index, %m: memref<?x8xf32>, %x: f32) {
  scf.forall (%i, %j) = (0, 0) to (%n, 8) step (1, 2) {
    memref.store %x, %m[%i, %j] : memref<?x8xf32>
  }
  return
}

// With results, in the order of the points; without dims the body runs once.
// CHECK-LABEL: func.func @forall_results
// CHECK-NOT: scf.
// CHECK: cf.cond_br
// CHECK: tensor.insert_slice
// CHECK-NOT: scf.
// RUN: noria opt --convert-scf-to-cf %s | noria run - --interpret --entry=forall_results 3 '[5, 6, 7, 8]' | FileCheck %s --check-prefix=FORALL
// RUN: noria run %s --interpret --entry=forall_results 3 '[5, 6, 7, 8]' | FileCheck %s --check-prefix=FORALL
// FORALL: {{^}}dense<[10, 14, 0, 8]> : tensor<4xi32>
func.func @forall_results(%n: index, %t: tensor<4xi32>) -> tensor<4xi32> {
  %c2 = arith.constant 2 : index
  %r = scf.forall (%i) = (0) to (%n) step (2) shared_outs(%o = %t) -> (tensor<4xi32>) {
    %old = tensor.extract %o[%i] : tensor<4xi32>
    %twice = arith.addi %old, %old : i32
    %half = arith.divui %i, %c2 : index
    %part = tensor.from_elements %twice : tensor<1xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %part into %o[%half] [1] [1] : tensor<1xi32> into tensor<4xi32>
    }
  }
  %s = scf.forall () in () shared_outs(%o = %r) -> (tensor<4xi32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %less = arith.cmpi slt, %c0, %c1 : i32
    %zero = scf.if %less -> i32 {
      scf.yield %c0 : i32
    } else {
      scf.yield %c1 : i32
    }
    %part = tensor.from_elements %zero : tensor<1xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %part into %o[2] [1] [1] : tensor<1xi32> into tensor<4xi32>
    }
  }
  return %s : tensor<4xi32>
}
