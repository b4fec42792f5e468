// RUN: noria opt %s --split-input-file --verify-diagnostics

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
func.func @assemble(%p: tensor<?xi32>, %c: tensor<?xi32>, %l: tensor<?xi64>, %v: tensor<?xf64>) {
  // expected-error@+1 {{(C1) expected a tensor with a #sparse_tensor.encoding, not tensor<3x4xf64>}}
  %0 = sparse_tensor.assemble (%p, %c), %v : (tensor<?xi32>, tensor<?xi32>), tensor<?xf64> to tensor<3x4xf64>
  // expected-error@+1 {{(C1) the sizes of the result must be known}}
  %1 = sparse_tensor.assemble (%p, %c), %v : (tensor<?xi32>, tensor<?xi32>), tensor<?xf64> to tensor<?x4xf64, #CSR>
  // expected-error@+1 {{has 3 arrays, not 2}}
  %2 = sparse_tensor.assemble (%p), %v : (tensor<?xi32>), tensor<?xf64> to tensor<3x4xf64, #CSR>
  // expected-error@+1 {{(C2) crd1 must be a tensor of rank 1 with elements of i32, not tensor<?xi64>}}
  %3 = sparse_tensor.assemble (%p, %l), %v : (tensor<?xi32>, tensor<?xi64>), tensor<?xf64> to tensor<3x4xf64, #CSR>
  // expected-error@+1 {{(C2) vals must be a tensor of rank 1 with elements of f32, not tensor<?xf64>}}
  %4 = sparse_tensor.assemble (%p, %c), %v : (tensor<?xi32>, tensor<?xi32>), tensor<?xf64> to tensor<3x4xf32, #CSR>
  return
}
func.func @parts(%a: tensor<3x4xf64, #CSR>, %d: tensor<3x4xf64>, %p: tensor<?xi32>, %v: tensor<?xf64>) {
  // expected-error@+1 {{(C2) level 0 has no positions}}
  %0 = sparse_tensor.positions %a {level = 0 : index} : tensor<3x4xf64, #CSR> to memref<?xi32>
  // expected-error@+1 {{(C2) the tensor has levels 0 to 1, not 2}}
  %1 = sparse_tensor.coordinates %a {level = 2 : index} : tensor<3x4xf64, #CSR> to memref<?xi32>
  // expected-error@+1 {{(C3) expected the result to be memref<?xi32>, not memref<?xi64>}}
  %2 = sparse_tensor.coordinates %a {level = 1 : index} : tensor<3x4xf64, #CSR> to memref<?xi64>
  // expected-error@+1 {{(C2) expected the result to be memref<?xf64>, not memref<?xf32>}}
  %3 = sparse_tensor.values %a : tensor<3x4xf64, #CSR> to memref<?xf32>
  // expected-error@+1 {{(C1) expected a tensor with a #sparse_tensor.encoding, not tensor<3x4xf64>}}
  %4 = sparse_tensor.number_of_entries %d : tensor<3x4xf64>
  // expected-error@+1 {{(C1) expected tensor<3x4xf64, #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>> and tensor<4x3xf64> to have one shape and element type}}
  %5 = sparse_tensor.convert %a : tensor<3x4xf64, #CSR> to tensor<4x3xf64>
  // expected-error@+1 {{(C2) result #2 must have the type of its array, tensor<?xf64>}}
  %6:6 = sparse_tensor.disassemble %a : tensor<3x4xf64, #CSR> out_lvls(%p, %p : tensor<?xi32>, tensor<?xi32>) out_vals(%v : tensor<?xf64>) -> (tensor<?xi32>, tensor<?xi32>), tensor<3xf64>, (index, index), index
  return
}

// -----
// expected-error@+1 {{its encoding is of another number of dims}}
func.func private @f(tensor<3xf64, #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>>)
// -----
// expected-error@+1 {{'k' is no dim of the map}}
func.func private @f(tensor<3x4xf64, #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, k : compressed) }>>)
// -----
// expected-error@+1 {{dim 'i' has two levels}}
func.func private @f(tensor<3x4xf64, #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, i : compressed) }>>)
// -----
// expected-error@+1 {{an encoding has one level for each dim}}
func.func private @f(tensor<3x4xf64, #sparse_tensor.encoding<{ map = (i, j) -> (i : dense) }>>)
// -----
// expected-error@+1 {{a level cannot be 'loose_compressed'; expected dense, compressed or singleton}}
func.func private @f(tensor<3xf64, #sparse_tensor.encoding<{ map = (i) -> (i : loose_compressed) }>>)
// -----
// expected-error@+1 {{level 0 must be nonunique: a singleton is below it}}
func.func private @f(tensor<3x4xf64, #sparse_tensor.encoding<{ map = (i, j) -> (i : compressed, j : singleton(soa)) }>>)
// -----
// expected-error@+1 {{level 1 cannot be nonunique: no singleton is below it}}
func.func private @f(tensor<3x4xf64, #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed(nonunique)) }>>)
// -----
// expected-error@+1 {{expected singleton(soa): each level has an array of coordinates}}
func.func private @f(tensor<3x4xf64, #sparse_tensor.encoding<{ map = (i, j) -> (i : compressed(nonunique), j : singleton) }>>)
// -----
// expected-error@+1 {{level 1 is a singleton, but not below a compressed level}}
func.func private @f(tensor<3x4xf64, #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : singleton(soa)) }>>)
// -----
// expected-error@+1 {{the width must be 32, 64 or 0, which is index}}
func.func private @f(tensor<3xf64, #sparse_tensor.encoding<{ map = (i) -> (i : compressed), posWidth = 16 }>>)
// -----
// expected-error@+1 {{'explicitVal' is not supported; expected map, posWidth or crdWidth}}
func.func private @f(tensor<3xf64, #sparse_tensor.encoding<{ map = (i) -> (i : compressed), explicitVal = 1 }>>)
