// RUN: noria opt %s --split-input-file --verify-diagnostics

func.func @shapes(%m: memref<4xf32>, %t: tensor<5xf32>) {
  // expected-error@+1 {{'bufferization.to_tensor' op (C1) expected memref<4xf32> and tensor<5xf32> to have one shape and element type}}
  %0 = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<5xf32>
  // expected-error@+1 {{'bufferization.to_buffer' op (C1) expected tensor<5xf32> and memref<4xf32> to have one shape and element type}}
  %1 = bufferization.to_buffer %t : tensor<5xf32> to memref<4xf32>
  // expected-error@+1 {{'bufferization.clone' op (C2) expected a result without layout}}
  %2 = bufferization.clone %m : memref<4xf32> to memref<4xf32, strided<[2]>>
  return
}

// -----

func.func @destination(%m: memref<4xf32>, %t: tensor<4xf32>) {
  // expected-error@+1 {{'bufferization.materialize_in_destination' op (C2) must be 'writable' to write to a buffer}}
  bufferization.materialize_in_destination %t in %m : (tensor<4xf32>, memref<4xf32>) -> ()
  // expected-error@+1 {{'bufferization.materialize_in_destination' op (C2) has one result when the destination is a tensor}}
  bufferization.materialize_in_destination %t in %t : (tensor<4xf32>, tensor<4xf32>) -> ()
  return
}

// -----

func.func @sizes(%n: index, %t: tensor<?xf32>) {
  // expected-error@+1 {{'bufferization.alloc_tensor' op (C1) expected 1 sizes, one for each dim that is not known, got 0}}
  %0 = bufferization.alloc_tensor() : tensor<?xf32>
  // expected-error@+1 {{'bufferization.alloc_tensor' op (C1) sizes are not needed when copying a tensor}}
  %1 = bufferization.alloc_tensor(%n) copy(%t) : tensor<?xf32>
  return
}
