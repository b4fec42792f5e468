// A memref of a tensor is a copy, which may be written. Where it is only read and nobody frees the tensor's memory, it
// is that memory.
// RUN: noria opt --bufferize %s | FileCheck %s

// CHECK-LABEL: func.func @read
// CHECK-SAME: (%[[T:.*]]: memref<?xf32>, %[[I:.*]]: index)
// CHECK-NOT: alloc
// CHECK-NOT: copy
// CHECK: memref.load %[[T]][%[[I]]]
func.func @read(%t: tensor<?xf32>, %i: index) -> f32 {
  %m = bufferization.to_buffer %t read_only : tensor<?xf32> to memref<?xf32>
  %x = memref.load %m[%i] : memref<?xf32>
  return %x : f32
}

// A prefetch is no use that may write.
// CHECK-LABEL: func.func @prefetched
// CHECK-SAME: (%[[T:.*]]: memref<?xf32>, %[[I:.*]]: index)
// CHECK-NOT: alloc
// CHECK-NOT: copy
// CHECK: memref.prefetch %[[T]][%[[I]]]
// CHECK: memref.load %[[T]][%[[I]]]
func.func @prefetched(%t: tensor<?xf32>, %i: index) -> f32 {
  %m = bufferization.to_buffer %t read_only : tensor<?xf32> to memref<?xf32>
  memref.prefetch %m[%i], read, locality<3>, data : memref<?xf32>
  %x = memref.load %m[%i] : memref<?xf32>
  return %x : f32
}

// CHECK-LABEL: func.func @written
// CHECK: memref.alloc
// CHECK: memref.copy
// CHECK: memref.store
func.func @written(%t: tensor<?xf32>, %i: index, %v: f32) -> f32 {
  %m = bufferization.to_buffer %t : tensor<?xf32> to memref<?xf32>
  memref.store %v, %m[%i] : memref<?xf32>
  %x = memref.load %m[%i] : memref<?xf32>
  return %x : f32
}

// The tensor of the block ends before the memref does.
// CHECK-LABEL: func.func @owned
// CHECK: memref.copy
// CHECK: return
func.func @owned(%n: index, %i: index, %v: f32) -> f32 {
  %e = tensor.empty(%n) : tensor<?xf32>
  %t = linalg.fill ins(%v : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %m = bufferization.to_buffer %t : tensor<?xf32> to memref<?xf32>
  %u = tensor.insert %v into %t[%i] : tensor<?xf32>
  %y = tensor.extract %u[%i] : tensor<?xf32>
  %x = memref.load %m[%i] : memref<?xf32>
  %z = arith.addf %x, %y : f32
  return %z : f32
}
