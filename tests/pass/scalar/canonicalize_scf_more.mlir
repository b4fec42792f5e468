// RUN: noria opt --canonicalize %s | FileCheck %s
// RUN: noria opt --canonicalize --syntax=mlir %s | mlir-opt
// RUN: noria opt --canonicalize %s -o %t.mlir

func.func private @use(index)
func.func private @usef(f32)

// CHECK-LABEL: func.func @for_outside
// CHECK-SAME: %[[X:.*]]: f32, %[[Y:.*]]: f32)
// CHECK-NEXT: return %[[Y]]
func.func @for_outside(%x: f32, %y: f32) -> f32 {
  %c4 = arith.constant 4 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> f32 { scf.yield %y : f32 }
  return %r : f32
}

// CHECK-LABEL: func.func @if_combine
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: call @use(%c0)
// CHECK-NEXT: call @use(%c1)
// CHECK-NEXT: } else {
// CHECK-NEXT: call @use(%c0)
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @if_combine(%c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.if %c { func.call @use(%c0) : (index) -> () }
  scf.if %c { func.call @use(%c1) : (index) -> () } else { func.call @use(%c0) : (index) -> () }
  return
}

// What the first gives is used in the second.
// CHECK-LABEL: func.func @if_combine_results
// CHECK: %[[R:.*]]:2 = scf.if
// CHECK: %[[Q:.*]] = arith.addf
// CHECK-NEXT: call @usef(%[[Q]])
// CHECK-NEXT: scf.yield %[[Q]], %[[Q]]
// CHECK-NOT: scf.if
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @if_combine_results(%c: i1, %x: f32, %y: f32) -> (f32, f32) {
  %a = scf.if %c -> f32 { func.call @usef(%x) : (f32) -> ()
   %q = arith.addf %x, %y : f32
  scf.yield %q : f32 } else { %q = arith.mulf %x, %y : f32
    func.call @usef(%x) : (f32) -> ()
   scf.yield %q : f32 }
  %b = scf.if %c -> f32 { func.call @usef(%a) : (f32) -> ()
  scf.yield %a : f32 } else { func.call @usef(%a) : (f32) -> ()
   scf.yield %y : f32 }
  return %a, %b : f32, f32
}

// CHECK-LABEL: func.func @if_nested
// CHECK-SAME: %[[A:.*]]: i1, %[[B:.*]]: i1)
// CHECK: %[[C:.*]] = arith.andi %[[A]], %[[B]] : i1
// CHECK-NEXT: scf.if %[[C]] {
// CHECK-NEXT: call @use
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @if_nested(%a: i1, %b: i1) {
  %c0 = arith.constant 0 : index
  scf.if %a { scf.if %b { func.call @use(%c0) : (index) -> () } }
  return
}

// CHECK-LABEL: func.func @if_nested_else
// CHECK: %[[C:.*]] = arith.andi
// CHECK-NEXT: %[[R:.*]] = arith.select %[[C]]
// CHECK-NEXT: scf.if %[[C]] {
// CHECK-NOT: scf.if
// CHECK: return %[[R]]
func.func @if_nested_else(%a: i1, %b: i1, %x: f32, %y: f32) -> f32 {
  %r = scf.if %a -> f32 { %q = scf.if %b -> f32 { func.call @usef(%x) : (f32) -> ()
  scf.yield %x : f32} else { scf.yield %y : f32 }
  scf.yield %q : f32 } else { scf.yield %y : f32 }
  return %r : f32
}

// CHECK-LABEL: func.func @if_eq
// CHECK-SAME: %[[A:.*]]: i32, %[[B:.*]]: i32)
// CHECK-NEXT: return %[[B]]
func.func @if_eq(%a: i32, %b: i32) -> i32 {
  %c = arith.cmpi eq, %a, %b : i32
  %r = scf.if %c -> i32 { scf.yield %a : i32 } else { scf.yield %b : i32 }
  return %r : i32
}

// CHECK-LABEL: func.func @if_neg_cond
// CHECK-SAME: %[[C:.*]]: i1)
// CHECK-NOT: arith.xori
// CHECK: scf.if %[[C]] {
// CHECK-NEXT: call @use(%c1)
// CHECK-NEXT: } else {
// CHECK-NEXT: call @use(%c0)
func.func @if_neg_cond(%c: i1) {
  %t = arith.constant true
  %n = arith.xori %c, %t : i1
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.if %n { func.call @use(%c0) : (index) -> () } else { func.call @use(%c1) : (index) -> () }
  return
}

// CHECK-LABEL: func.func @parallel_single
// CHECK: scf.parallel (%[[J:.*]]) = (%c0) to (%{{.*}}) step (%c1) {
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%c0, %[[J]]]
// CHECK-NOT: scf.parallel
// CHECK: memref.store %{{.*}}, %{{.*}}[%c0, %c0]
func.func @parallel_single(%n: index, %m: memref<?x?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%c1, %n) step (%c1, %c1) {
    memref.store %x, %m[%i, %j] : memref<?x?xf32>
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    memref.store %x, %m[%i, %c0] : memref<?x?xf32>
    scf.reduce
  }
  return
}

// RUN: noria run %s --interpret --entry=parallel_point 5 | FileCheck %s --check-prefix=POINT
// RUN: noria run %t.mlir --check-stages --entry=parallel_point 5 | FileCheck %s --check-prefix=POINT
// POINT: {{^}}12 : index
// CHECK-LABEL: func.func @parallel_point
// CHECK-NOT: scf.parallel
// CHECK: return
func.func @parallel_point(%x: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c9 = arith.constant 9 : index
  %r = scf.parallel (%i, %j) = (%c7, %c0) to (%c9, %c1) step (%c9, %c1) init (%x) -> index {
    %s = arith.addi %i, %j : index
    scf.reduce(%s : index) {
    ^bb0(%a: index, %b: index):
      %t = arith.addi %a, %b : index
      scf.reduce.return %t : index
    }
  }
  return %r : index
}

// CHECK-LABEL: func.func @parallel_dead_result
// CHECK: %[[R:.*]] = scf.parallel (%{{.*}}) = (%c0) to (%{{.*}}) step (%c1) init (%{{.*}}) -> f32 {
// CHECK: arith.addf
// CHECK-NOT: arith.mulf
// CHECK: return %[[R]]
func.func private @getf() -> f32
func.func @parallel_dead_result(%n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %r:2 = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%z, %z) -> (f32, f32) {
    %a = func.call @getf() : () -> f32
    scf.reduce(%a, %a : f32, f32) {
     ^bb0(%p: f32, %q: f32): %s = arith.addf %p, %q : f32
     scf.reduce.return %s : f32
    }, {
     ^bb0(%p: f32, %q: f32): %s = arith.mulf %p, %q : f32
     scf.reduce.return %s : f32
    }
  }
  return %r#0 : f32
}
