// RUN: noria opt --pass-pipeline=inline,symbol-dce %s | FileCheck %s
// RUN: noria opt --pass-pipeline=inline,symbol-dce --syntax=mlir %s | mlir-opt
// RUN: noria opt --pass-pipeline=inline{max-ops=1} %s | FileCheck %s --check-prefix=SMALL

// CHECK-NOT: @twice
func.func private @twice(%x: f32) -> f32 {
  %0 = arith.addf %x, %x : f32
  return %0 : f32
}
// CHECK-NOT: @four_times
func.func private @four_times(%x: f32) -> f32 {
  %0 = call @twice(%x) : (f32) -> f32
  %1 = call @twice(%0) : (f32) -> f32
  return %1 : f32
}

// CHECK-LABEL: func.func @calls
// CHECK-SAME: %[[X:.*]]: f32)
// CHECK-NEXT: %[[A:.*]] = arith.addf %[[X]], %[[X]] : f32
// CHECK-NEXT: %[[B:.*]] = arith.addf %[[A]], %[[A]] : f32
// CHECK-NEXT: return %[[B]] : f32
// SMALL-LABEL: func.func @calls
// SMALL: call @four_times
func.func @calls(%x: f32) -> f32 {
  %0 = call @four_times(%x) : (f32) -> f32
  return %0 : f32
}

func.func private @pick(%c: i1, %x: f32, %y: f32) -> f32 {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  return %x : f32
^bb2:
  return %y : f32
}

// CHECK-LABEL: func.func @blocks
// CHECK-NEXT: cf.br ^bb1
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: cf.cond_br %{{.*}}, ^bb2, ^bb3
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: cf.br ^bb4(%{{.*}} : f32)
// CHECK-NEXT: ^bb3:
// CHECK-NEXT: cf.br ^bb4(%{{.*}} : f32)
// CHECK-NEXT: ^bb4(%[[R:.*]]: f32):
// CHECK-NEXT: return %[[R]] : f32
func.func @blocks(%c: i1, %x: f32, %y: f32) -> f32 {
  %0 = call @pick(%c, %x, %y) : (i1, f32, f32) -> f32
  return %0 : f32
}

// CHECK-LABEL: func.func @blocks_in_a_loop
// CHECK: scf.for
// CHECK-NEXT: scf.execute_region -> f32 {
// CHECK-NEXT: cf.cond_br
// CHECK: scf.yield %{{.*}} : f32
// CHECK: scf.yield %{{.*}} : f32
func.func @blocks_in_a_loop(%n: index, %c: i1, %x: f32, %y: f32) -> f32 {
  %r = scf.for %i = %n to %n step %n iter_args(%a = %x) -> (f32) {
    %0 = func.call @pick(%c, %a, %y) : (i1, f32, f32) -> f32
    scf.yield %0 : f32
  }
  return %r : f32
}

// CHECK-LABEL: func.func @recursive
// CHECK: {{(func.)?}}call @recursive
func.func @recursive(%x: f32) -> f32 {
  %0 = call @recursive(%x) : (f32) -> f32
  return %0 : f32
}
// CHECK-LABEL: func.func @calls_recursive
// CHECK: {{(func.)?}}call @recursive
func.func @calls_recursive(%x: f32) -> f32 {
  %0 = call @recursive(%x) : (f32) -> f32
  return %0 : f32
}
// CHECK: func.func private @outside
func.func private @outside()
// CHECK-LABEL: func.func private @kept
func.func private @kept() attributes {no_inline} {
  return
}
// CHECK-LABEL: func.func @stay
// CHECK: {{(func.)?}}call @outside
// CHECK: {{(func.)?}}call @kept
func.func @stay() {
  call @outside() : () -> ()
  call @kept() : () -> ()
  return
}

// In a loop the callee's argument would be no symbol any more.
// CHECK-LABEL: func.func @affine_callee
func.func @affine_callee(%n: index, %m: memref<?xf32>, %x: f32) {
  affine.for %i = 0 to %n {
    affine.store %x, %m[%i] : memref<?xf32>
  }
  return
}
// CHECK-LABEL: func.func @calls_affine
func.func @calls_affine(%n: index, %m: memref<?xf32>, %x: f32) {
  // CHECK: affine.for
  func.call @affine_callee(%n, %m, %x) : (index, memref<?xf32>, f32) -> ()
  %c1 = arith.constant 1 : index
  scf.for %k = %c1 to %n step %c1 {
    // CHECK: call @affine_callee
    func.call @affine_callee(%k, %m, %x) : (index, memref<?xf32>, f32) -> ()
  }
  return
}
