// Sizes that are not valid in a type stay operands, because code that never runs may have them.
// RUN: noria opt %s --split-input-file --canonicalize --cse --canonicalize | FileCheck %s
// RUN: noria opt %s --split-input-file --check-bounds --canonicalize -o %t
// RUN: noria opt %s --split-input-file --pipeline -o %t

// CHECK: tensor.empty(%c4611686018427387904, %c4611686018427387904) : tensor<?x?xf32>
func.func @main() -> tensor<?x?xf32> {
  %c = arith.constant 4611686018427387904 : index
  %e = tensor.empty(%c, %c) : tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// -----

func.func @main() -> memref<?x?xf32> {
  %c = arith.constant 4611686018427387904 : index
  %e = memref.alloc(%c, %c) : memref<?x?xf32>
  return %e : memref<?x?xf32>
}

// -----

func.func @main(%v: f32) -> tensor<?x?xf32> {
  %c = arith.constant 4611686018427387904 : index
  %e = tensor.splat %v[%c, %c] : tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// -----

func.func @main() -> tensor<?xindex> {
  %c = arith.constant 4611686018427387904 : index
  %b = tensor.generate %c {
  ^bb0(%i: index):
    tensor.yield %i : index
  } : tensor<?xindex>
  return %b : tensor<?xindex>
}

// -----

func.func @main(%t: tensor<?xf32>) -> tensor<?xf32> {
  %c = arith.constant 4611686018427387904 : index
  %e = tensor.extract_slice %t[0] [%c] [1] : tensor<?xf32> to tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

func.func @main(%t: memref<?xf32>) -> memref<?xf32> {
  %c = arith.constant 4611686018427387904 : index
  %e = memref.subview %t[0] [%c] [1] : memref<?xf32> to memref<?xf32>
  return %e : memref<?xf32>
}

// -----

func.func @main(%t: memref<?xf32>) -> memref<?xf32> {
  %c = arith.constant 4611686018427387904 : index
  %e = memref.reinterpret_cast %t to offset: [0], sizes: [%c], strides: [1] : memref<?xf32> to memref<?xf32>
  return %e : memref<?xf32>
}

// -----

func.func @main(%t: tensor<?xf32>) -> tensor<?x?xf32> {
  %c = arith.constant 4611686018427387904 : index
  %e = tensor.expand_shape %t [[0, 1]] output_shape [%c, %c] : tensor<?xf32> into tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// -----

func.func @main(%t: memref<?xf32>) -> memref<?x?xf32> {
  %c = arith.constant 4611686018427387904 : index
  %e = memref.expand_shape %t [[0, 1]] output_shape [%c, %c] : memref<?xf32> into memref<?x?xf32>
  return %e : memref<?x?xf32>
}

// -----

func.func @main(%t: tensor<?xf32>) -> tensor<?x?xf32> {
  %s = arith.constant dense<4611686018427387904> : tensor<2xindex>
  %e = tensor.reshape %t(%s) : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// -----

func.func @main(%t: tensor<8xf32>, %v: f32) -> tensor<?xf32> {
  %c = arith.constant 4611686018427387904 : index
  %e = tensor.pad %t low[%c] high[0] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<8xf32> to tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

func.func @main(%t: tensor<4611686018427387904x1xi8>, %u: tensor<4611686018427387904x1xi8>) -> tensor<?x?xi8> {
  %e = tensor.concat dim(1) %t, %u : (tensor<4611686018427387904x1xi8>, tensor<4611686018427387904x1xi8>) -> tensor<?x?xi8>
  return %e : tensor<?x?xi8>
}

// -----

func.func @main(%t: memref<?xi8>) -> memref<?xf32> {
  %c = arith.constant 4611686018427387904 : index
  %z = arith.constant 0 : index
  %e = memref.view %t[%z][%c] : memref<?xi8> to memref<?xf32>
  return %e : memref<?xf32>
}

// -----

func.func @main(%t: memref<?xf32>) -> memref<?xf32> {
  %c = arith.constant 4611686018427387904 : index
  %e = memref.realloc %t(%c) : memref<?xf32> to memref<?xf32>
  return %e : memref<?xf32>
}

// -----

func.func @main(%t: memref<?xi8>) -> tensor<?x?xf32> {
  %c = arith.constant 4611686018427387904 : index
  %e = bufferization.alloc_tensor(%c, %c) : tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// -----

func.func @main(%t: tensor<?xf32>) -> tensor<?x?xf32> {
  %c = arith.constant 4611686018427387904 : index
  %e = flow.tensor.reshape %t : tensor<?xf32>{%c} -> tensor<?x?xf32>{%c, %c}
  return %e : tensor<?x?xf32>
}

// -----

func.func @main(%v: f32) -> tensor<?x?xf32> {
  %c = arith.constant 4611686018427387904 : index
  %e = flow.tensor.splat %v : tensor<?x?xf32>{%c, %c}
  return %e : tensor<?x?xf32>
}

// -----

func.func @main(%t: tensor<*xf32>) -> tensor<?xf32> {
  %c = arith.constant 4611686018427387904 : index
  %s = tensor.from_elements %c, %c : tensor<2xindex>
  %e = tensor.reshape %t(%s) : (tensor<*xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  %r = tensor.collapse_shape %e [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @main(%t: tensor<1073741824x1073741824xi8>) -> tensor<?x?x?xf32> {
  %c = arith.constant 1073741824 : index
  %e = tensor.empty(%c) : tensor<?x1073741824xi8>
  %x = scf.for %i = %c to %c step %c iter_args(%q = %e) -> tensor<?x1073741824xi8> { scf.yield %q : tensor<?x1073741824xi8> }
  %f = tensor.empty(%c, %c, %c) : tensor<?x?x?xf32>
  return %f : tensor<?x?x?xf32>
}
