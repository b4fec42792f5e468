// RUN: noria opt %s | FileCheck %s
// RUN: noria opt --syntax=mlir %s | mlir-opt

// CHECK-LABEL: func.func @for
func.func @for(%lb: index, %ub: index, %st: index, %x: f32, %n: i32) {
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
  // CHECK-NEXT: }
  scf.for %i = %lb to %ub step %st {
  }
  // CHECK: %[[R:.*]]:2 = scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (f32, index) {
  // CHECK-NEXT: scf.yield %[[A]], %[[I]] : f32, index
  // CHECK-NEXT: } {tag}
  %r:2 = scf.for %i = %lb to %ub step %st iter_args(%a = %x, %b = %lb) -> (f32, index) {
    scf.yield %a, %i : f32, index
  } {tag}
  // CHECK: scf.for unsigned %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} : i32 {
  scf.for unsigned %i = %n to %n step %n : i32 {
  }
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (f32) : i32 {
  %s = scf.for %i = %n to %n step %n iter_args(%a = %x) -> (f32) : i32 {
    scf.yield %a : f32
  }
  return
}

// CHECK-LABEL: func.func @if
func.func @if(%c: i1, %x: f32) -> f32 {
  // CHECK: scf.if %{{.*}} {
  // CHECK-NEXT: }
  scf.if %c {
  }
  // CHECK: scf.if %{{.*}} {
  // CHECK-NEXT: } else {
  // CHECK-NEXT: } {tag}
  scf.if %c {
  } else {
  } {tag}
  // CHECK: scf.if %{{.*}} -> (f32, i1) {
  // CHECK: scf.yield %{{.*}}, %{{.*}} : f32, i1
  // CHECK: } else {
  %r:2 = scf.if %c -> (f32, i1) {
    scf.yield %x, %c : f32, i1
  } else {
    scf.yield %x, %c : f32, i1
  }
  return %r#0 : f32
}

// CHECK-LABEL: func.func @while
func.func @while(%x: f32, %c: i1) -> i32 {
  // CHECK: scf.while (%[[A:.*]] = %{{.*}}) : (f32) -> i32 {
  %r = scf.while (%a = %x) : (f32) -> i32 {
    %k = arith.fptosi %a : f32 to i32
    // CHECK: scf.condition(%{{.*}}) %{{.*}} : i32
    scf.condition(%c) %k : i32
  // CHECK: } do {
  // CHECK-NEXT: ^bb0(%{{.*}}: i32):
  } do {
  ^bb0(%b: i32):
    %f = arith.sitofp %b : i32 to f32
    scf.yield %f : f32
  // CHECK: } attributes {tag}
  } attributes {tag}
  // CHECK: scf.while : () -> () {
  scf.while : () -> () {
    // CHECK-NEXT: scf.condition(%{{.*}})
    scf.condition(%c)
  } do {
    // CHECK: scf.yield
    scf.yield
  }
  return %r : i32
}

// CHECK-LABEL: func.func @parallel
func.func @parallel(%n: index, %x: f32, %m: memref<?x?xf32>) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.parallel (%{{.*}}, %{{.*}}) = (%{{.*}}, %{{.*}}) to (%{{.*}}, %{{.*}}) step (%{{.*}}, %{{.*}}) {
  // CHECK-NEXT: scf.reduce
  // CHECK-NEXT: }
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
  }
  // CHECK: scf.parallel (%{{.*}}) = (%{{.*}}) to (%{{.*}}) step (%{{.*}}) init (%{{.*}}, %{{.*}}) -> (f32, f32) {
  %r:2 = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%x, %x) -> (f32, f32) {
    // CHECK: scf.reduce(%{{.*}}, %{{.*}} : f32, f32) {
    // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
    // CHECK: scf.reduce.return %{{.*}} : f32
    // CHECK: }, {
    scf.reduce(%x, %x : f32, f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }, {
    ^bb0(%a: f32, %b: f32):
      %s = arith.mulf %a, %b : f32
      scf.reduce.return %s : f32
    }
  // CHECK: } {tag}
  } {tag}
  return %r#0, %r#1 : f32, f32
}

// CHECK-LABEL: func.func @regions
func.func @regions(%c: i1, %x: index) -> (i64, i32) {
  // CHECK: scf.execute_region -> i64 {
  %0 = scf.execute_region -> i64 {
    cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    %a = arith.constant 1 : i64
    cf.br ^bb3(%a : i64)
  ^bb2:
    %b = arith.constant 2 : i64
    cf.br ^bb3(%b : i64)
  ^bb3(%r: i64):
    scf.yield %r : i64
  }
  // CHECK: scf.execute_region no_inline {
  scf.execute_region no_inline {
    scf.yield
  }
  // CHECK: scf.index_switch %{{.*}} -> i64, index{{$}}
  %pair:2 = scf.index_switch %x -> i64, index
  default {
    %one = arith.constant 1 : i64
    scf.yield %one, %x : i64, index
  }
  // CHECK: scf.index_switch %{{.*}} -> i32
  // CHECK-NEXT: case 2 {
  // CHECK: case -5 {
  // CHECK: default {
  %1 = scf.index_switch %x -> i32
  case 2 {
    %a = arith.constant 10 : i32
    scf.yield %a : i32
  }
  case -5 {
    %a = arith.constant 20 : i32
    scf.yield %a : i32
  }
  default {
    %a = arith.constant 30 : i32
    scf.yield %a : i32
  }
  // CHECK: scf.index_switch %{{.*}} {tag}
  // CHECK-NEXT: default {
  scf.index_switch %x {tag}
  default {
  }
  return %0, %1 : i64, i32
}

// CHECK-LABEL: func.func @forall
func.func @forall(%n: index, %m: memref<?xf32>, %x: f32) {
  // CHECK: scf.forall (%{{.*}}, %{{.*}}) in (%{{.*}}, 4) {
  scf.forall (%i, %j) in (%n, 4) {
    memref.store %x, %m[%i] : memref<?xf32>
  }
  // CHECK: scf.forall (%{{.*}}) = (1) to (%{{.*}}) step (2) {
  scf.forall (%i) = (1) to (%n) step (2) {
    memref.store %x, %m[%i] : memref<?xf32>
  } {tag}
  return
}
