// RUN: noria opt --pass-pipeline=bufferize %s | FileCheck %s
// RUN: noria run --check-stages %s '[1.5, 2.0]' | FileCheck %s --check-prefix=OUT
// RUN: noria run %s '[1.5, 2.0]' | FileCheck %s --check-prefix=OUT
// OUT-COUNT-2: dense<[3.000000e+00, 4.000000e+00]> : tensor<2xf64>

// An argument is not written: what only reads it needs no copy. A buffer that ends becomes the tensor.
// CHECK-LABEL: func.func private @twice(%arg0: memref<?xf64>) -> memref<?xf64> {
// CHECK-NOT: memref.copy
// CHECK: %[[A:.*]] = memref.alloc(
// CHECK-NEXT: scf.for
// CHECK: memref.load %arg0[
// CHECK-NOT: memref.copy
// CHECK: return %[[A]] : memref<?xf64>
func.func private @twice(%t: tensor<?xf64>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %from = bufferization.to_buffer %t read_only : tensor<?xf64> to memref<?xf64>
  %n = memref.dim %from, %c0 : memref<?xf64>
  %to = memref.alloc(%n) : memref<?xf64>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %from[%i] : memref<?xf64>
    %w = arith.addf %v, %v : f64
    memref.store %w, %to[%i] : memref<?xf64>
  }
  %r = bufferization.to_tensor %to restrict : memref<?xf64> to tensor<?xf64>
  return %r : tensor<?xf64>
}

// Written later, or reached by another name: copies.
// CHECK-LABEL: func.func private @thrice(
// CHECK: memref.copy %arg0
// CHECK: %[[B:.*]] = memref.alloc() : memref<2xf64>
// CHECK: memref.copy %[[B]],
// CHECK: memref.store %{{.*}}, %[[B]][
// CHECK: memref.subview
// CHECK: memref.copy
func.func private @thrice(%t: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
  %c0 = arith.constant 0 : index
  %x = arith.constant 5.0 : f64
  %from = bufferization.to_buffer %t : tensor<2xf64> to memref<2xf64>
  memref.store %x, %from[%c0] : memref<2xf64>
  %b = memref.alloc() : memref<2xf64>
  memref.store %x, %b[%c0] : memref<2xf64>
  %r = bufferization.to_tensor %b restrict : memref<2xf64> to tensor<2xf64>
  memref.store %x, %b[%c0] : memref<2xf64>
  memref.dealloc %b : memref<2xf64>
  %c = memref.alloc() : memref<2xf64>
  %view = memref.subview %c[0] [1] [1] : memref<2xf64> to memref<1xf64, strided<[1]>>
  memref.store %x, %view[%c0] : memref<1xf64, strided<[1]>>
  %s = bufferization.to_tensor %c restrict : memref<2xf64> to tensor<2xf64>
  return %r, %s : tensor<2xf64>, tensor<2xf64>
}

// That the buffer is only read is not believed.
// CHECK-LABEL: func.func private @promised(
// CHECK: memref.copy %arg0
func.func private @promised(%t: tensor<2xf64>) {
  %c0 = arith.constant 0 : index
  %x = arith.constant 5.0 : f64
  %from = bufferization.to_buffer %t read_only : tensor<2xf64> to memref<2xf64>
  memref.store %x, %from[%c0] : memref<2xf64>
  return
}

func.func @main(%t: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %a = func.call @twice(%t) : (tensor<?xf64>) -> tensor<?xf64>
  %b = func.call @twice(%t) : (tensor<?xf64>) -> tensor<?xf64>
  return %a, %b : tensor<?xf64>, tensor<?xf64>
}
