// The text of 2020 is read, printed as it was written, and printed as today's.
// RUN: noria opt %s | FileCheck %s
// RUN: noria opt --syntax=mlir %s | FileCheck %s --check-prefix=NEW
// RUN: noria opt --syntax=mlir %s | mlir-opt -o %t
// RUN: noria opt --syntax=mlir %s | noria opt --syntax=2020 - -o %t.again
// RUN: noria opt %s -o %t.once
// RUN: diff %t.once %t.again

// CHECK-LABEL: func @conditional_reduce(%arg0: memref<1024xf32>, %arg1: index, %arg2: index, %arg3: index) -> f32 {
// CHECK: %0 = loop.for %arg4 = %arg1 to %arg2 step %arg3 iter_args(%arg5 = %cst) -> (f32) {
// CHECK-NEXT: %1 = load %arg0[%arg4] : memref<1024xf32>
// CHECK-NEXT: %2 = cmpf "ugt", %1, %cst_0 : f32
// CHECK-NEXT: %3 = loop.if %2 -> (f32) {
// CHECK-NEXT: %4 = addf %arg5, %1 : f32
// CHECK-NEXT: loop.yield %4 : f32
// CHECK: return %0 : f32
// NEW-LABEL: func.func @conditional_reduce
// NEW: scf.for %arg4 = %arg1 to %arg2 step %arg3 iter_args(%arg5 = %cst) -> (f32) {
// NEW: arith.cmpf ugt, %1, %cst_0 : f32
func @conditional_reduce(%buffer: memref<1024xf32>, %lb: index, %ub: index, %step: index) -> (f32) {
  %sum_0 = constant 0.0 : f32
  %c0 = constant 0.0 : f32
  %sum = loop.for %iv = %lb to %ub step %step iter_args(%sum_iter = %sum_0) -> (f32) {
    %t = load %buffer[%iv] : memref<1024xf32>
    %cond = cmpf "ugt", %t, %c0 : f32
    %sum_next = loop.if %cond -> (f32) {
      %new_sum = addf %sum_iter, %t : f32
      loop.yield %new_sum : f32
    } else {
      loop.yield %sum_iter : f32
    }
    loop.yield %sum_next : f32
  }
  return %sum : f32
}

// CHECK-LABEL: func @two_values
// CHECK: %0:2 = loop.if %arg0 -> (f32, f32) {
func @two_values(%b: i1, %x: f32) -> (f32, f32) {
  %0, %1 = loop.if %b -> (f32, f32) {
    loop.yield %x, %x : f32, f32
  } else {
    %y = mulf %x, %x : f32
    loop.yield %y, %x : f32, f32
  }
  return %0, %1 : f32, f32
}

// CHECK-LABEL: func @views
// CHECK-SAME: memref<?x?xf32, offset: ?, strides: [?, 1]>
// NEW-LABEL: func.func @views
// NEW-SAME: memref<?x?xf32, strided<[?, 1], offset: ?>>
func @views(%m: memref<?x?xf32, offset: ?, strides: [?, 1]>, %i: index) {
  // CHECK: %0 = dim %arg0, %arg1
  %0 = dim %m, %i : memref<?x?xf32, offset: ?, strides: [?, 1]>
  // NEW: memref.cast
  // CHECK: memref_cast
  %1 = memref_cast %m : memref<?x?xf32, offset: ?, strides: [?, 1]> to memref<*xf32>
  return
}

// CHECK-LABEL: func @parallel
// CHECK: loop.parallel (%arg3) = (%arg0) to (%arg1) step (%arg2) {
// NEW: scf.parallel (%arg3) = (%arg0) to (%arg1) step (%arg2) {
func @parallel(%lb: index, %ub: index, %step: index) {
  loop.parallel (%iv) = (%lb) to (%ub) step (%step) {
    %zero = constant 0.0 : f32
  }
  return
}
