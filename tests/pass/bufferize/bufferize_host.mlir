// RUN: noria opt --pass-pipeline=bufferize,canonicalize %s | FileCheck %s

// CHECK-LABEL: func.func @parts(
// CHECK: %[[S:.*]] = memref.subview %arg0[%arg1, 0] [2, 4] [1, 1]
// CHECK: %[[R:.*]] = memref.alloc() : memref<4x4xf32>
// CHECK-NEXT: linalg.fill ins(%{{.*}} : f32) outs(%[[R]]
// CHECK-NEXT: %[[P:.*]] = memref.subview %[[R]][1, 0] [2, 4] [1, 1]
// CHECK-NEXT: memref.copy %[[S]], %[[P]]
// CHECK: memref.store %{{.*}}, %[[R]][
// CHECK: %[[X:.*]] = memref.load %[[R]][
// CHECK: %[[F:.*]] = memref.collapse_shape %[[R]] {{.*}} into memref<16xf32>
// CHECK: return %[[F]], %[[X]]
func.func @parts(%t: tensor<?x4xf32>, %i: index, %n: index, %x: f32) -> (tensor<16xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %u = flow.tensor.tie_shape %t : tensor<?x4xf32>{%n}
  %s = flow.tensor.slice %u[%i, %c0 for %c2, %c4] : tensor<?x4xf32>{%n} -> tensor<2x4xf32>
  %f = flow.tensor.splat %x : tensor<4x4xf32>
  %r = flow.tensor.update %s, %f[%c1, %c0] : tensor<2x4xf32> -> %f as tensor<4x4xf32>
  %w = flow.tensor.store %x, %r[%c1, %c2] : tensor<4x4xf32>
  %y = flow.tensor.load %w[%c2, %c2] : tensor<4x4xf32>
  %z = flow.tensor.reshape %w : tensor<4x4xf32> -> tensor<16xf32>
  return %z, %y : tensor<16xf32>, f32
}
