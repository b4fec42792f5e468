// Unranked tensors become dense unranked memrefs, which bufferization.clone copies.
// RUN: noria opt --pass-pipeline=bufferize %s | FileCheck %s

// The slice has strides, which the type would not tell: it is copied before its rank is forgotten.
// CHECK-LABEL: func.func @slice(%arg0: memref<4x4xf32>) -> memref<*xf32>
// CHECK: %[[PART:.*]] = memref.subview
// CHECK: %[[DENSE:.*]] = memref.alloc() : memref<2x2xf32>
// CHECK: memref.copy %[[PART]], %[[DENSE]]
// CHECK: %[[CAST:.*]] = memref.cast %[[DENSE]] : memref<2x2xf32> to memref<*xf32>
// CHECK-NOT: bufferization.clone
// CHECK: return %[[CAST]]
func.func @slice(%x: tensor<4x4xf32>) -> tensor<*xf32> {
  %s = tensor.extract_slice %x[1, 1] [2, 2] [1, 1] : tensor<4x4xf32> to tensor<2x2xf32>
  %u = tensor.cast %s : tensor<2x2xf32> to tensor<*xf32>
  return %u : tensor<*xf32>
}

// Both branches give a buffer away; the arguments belong to the caller.
// CHECK-LABEL: func.func @branches
// CHECK: scf.if
// CHECK: %[[A:.*]] = bufferization.clone %arg0 : memref<*xf32> to memref<*xf32>
// CHECK: scf.yield %[[A]]
// CHECK: %[[B:.*]] = bufferization.clone %arg1 : memref<*xf32> to memref<*xf32>
// CHECK: scf.yield %[[B]]
// CHECK: %[[RANK:.*]] = memref.rank
// CHECK: memref.dealloc %{{.*}} : memref<*xf32>
// CHECK: return %[[RANK]]
func.func @branches(%x: tensor<*xf32>, %y: tensor<*xf32>, %c: i1) -> index {
  %r = scf.if %c -> tensor<*xf32> { scf.yield %x : tensor<*xf32> } else { scf.yield %y : tensor<*xf32> }
  %rank = tensor.rank %r : tensor<*xf32>
  return %rank : index
}
