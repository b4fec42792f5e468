// Every op of tensor: MLIR reads what is printed as the same program.
// RUN: noria opt --syntax=mlir %s | mlir-opt -o %t.ours
// RUN: mlir-opt %s -o %t.theirs
// RUN: diff %t.ours %t.theirs

func.func @ops(%t: tensor<?x4xf32>, %i: index, %v: f32) {
  %te = tensor.empty(%i) : tensor<?x4xf32>
  %tx = tensor.extract %t[%i, %i] : tensor<?x4xf32>
  %ti = tensor.insert %tx into %t[%i, %i] : tensor<?x4xf32>
  %es = tensor.extract_slice %t[%i, 0] [1, 2] [1, 1] : tensor<?x4xf32> to tensor<2xf32>
  %is = tensor.insert_slice %es into %t[%i, 0] [1, 2] [1, 1] : tensor<2xf32> into tensor<?x4xf32>
  %fe = tensor.from_elements %v, %v : tensor<2xf32>
  %gn = tensor.generate %i {
   ^bb0(%q : index, %w : index):
     tensor.yield %v : f32
  } : tensor<?x3xf32>
  %pd = tensor.pad %t nofold low[0, %i] high[%i, 1] {
   ^bb0(%q : index, %w : index):
     tensor.yield %v : f32
  } : tensor<?x4xf32> to tensor<?x?xf32>
  %cc = tensor.concat dim(0) %t, %t : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %sp = tensor.splat %v : tensor<4xf32>
  %sp2 = tensor.splat %v[%i] : tensor<?x4xf32>
  %ex = tensor.expand_shape %t [[0], [1, 2]] output_shape [%i, 2, 2] : tensor<?x4xf32> into tensor<?x2x2xf32>
  %shp = tensor.from_elements %i : tensor<1xindex>
  %rsh = tensor.reshape %t(%shp) : (tensor<?x4xf32>, tensor<1xindex>) -> tensor<?xf32>
  %bc = tensor.bitcast %t : tensor<?x4xf32> to tensor<?x4xi32>
  %inds = tensor.empty() : tensor<1x2x1xindex>
  %ga = tensor.gather %t[%inds] gather_dims([0]) : (tensor<?x4xf32>, tensor<1x2x1xindex>) -> tensor<1x2x1x4xf32>
  %sc = tensor.scatter %ga into %t[%inds] scatter_dims([0]) unique : (tensor<1x2x1x4xf32>, tensor<?x4xf32>, tensor<1x2x1xindex>) -> tensor<?x4xf32>
  return
}
