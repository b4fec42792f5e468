// RUN: noria opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect
// Dims of what has none.

func.func @f(%t: tensor<f32>) -> index {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{'tensor.dim' op operand #0 must be non-0-ranked or unranked tensor, but got 'tensor<f32>'}}
  %d = tensor.dim %t, %c0 : tensor<f32>
  return %d : index
}

// -----

func.func @f(%t: tensor<f32>, %i: index) -> index {
  // expected-error@+1 {{'tensor.dim' op operand #0 must be non-0-ranked or unranked tensor, but got 'tensor<f32>'}}
  %d = tensor.dim %t, %i : tensor<f32>
  return %d : index
}

// -----

func.func @f(%t: memref<f32>, %i: index) -> index {
  // expected-error@+1 {{'memref.dim' op operand #0 must be non-0-ranked or unranked memref, but got 'memref<f32>'}}
  %d = memref.dim %t, %i : memref<f32>
  return %d : index
}

// -----

func.func @f(%t: memref<*xf32>) -> index {
  %i = arith.constant -1 : index
  %d = memref.dim %t, %i : memref<*xf32>
  return %d : index
}

// -----

func.func @f(%t: tensor<f32>) -> index {
  %u = tensor.cast %t : tensor<f32> to tensor<*xf32>
  %i = arith.constant 0 : index
  %d = tensor.dim %u, %i : tensor<*xf32>
  return %d : index
}

// -----

func.func @f(%t: memref<f32>) -> index {
  %u = memref.cast %t : memref<f32> to memref<*xf32>
  %i = arith.constant 0 : index
  %d = memref.dim %u, %i : memref<*xf32>
  return %d : index
}
