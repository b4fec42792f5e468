// RUN: noria opt --canonicalize %s | FileCheck %s
// RUN: noria opt --canonicalize --syntax=mlir %s | mlir-opt

// CHECK-LABEL: func.func @there_and_back
// CHECK-SAME: (%[[T:.*]]: tensor<8xf32>)
// CHECK-NEXT: return %[[T]]
func.func @there_and_back(%t: tensor<8xf32>) -> tensor<8xf32> {
  %m = bufferization.to_buffer %t : tensor<8xf32> to memref<8xf32>
  %r = bufferization.to_tensor %m restrict : memref<8xf32> to tensor<8xf32>
  return %r : tensor<8xf32>
}

// What is written in between counts.
// CHECK-LABEL: func.func @written
// CHECK: memref.store
// CHECK: %[[R:.*]] = bufferization.to_tensor
// CHECK: return %[[R]]
func.func @written(%t: tensor<8xf32>, %x: f32, %i: index) -> tensor<8xf32> {
  %m = bufferization.to_buffer %t : tensor<8xf32> to memref<8xf32>
  memref.store %x, %m[%i] : memref<8xf32>
  %r = bufferization.to_tensor %m restrict : memref<8xf32> to tensor<8xf32>
  return %r : tensor<8xf32>
}
