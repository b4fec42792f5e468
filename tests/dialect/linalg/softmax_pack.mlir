// linalg.softmax, pack and unpack: MLIR reads what is printed as the same program.
// RUN: noria opt --syntax=mlir %s | mlir-opt -o %t.ours
// RUN: mlir-opt %s -o %t.theirs
// RUN: diff %t.ours %t.theirs
// RUN: noria opt --syntax=mlir --mlir-print-op-generic %s | mlir-opt -o %t.generic
// RUN: diff %t.generic %t.theirs
// RUN: mlir-opt --mlir-print-op-generic %s | noria opt --syntax=mlir | mlir-opt -o %t.back
// RUN: diff %t.back %t.theirs

func.func @softmax(%a: tensor<4x?xf32>, %o: tensor<4x?xf32>, %m: memref<4x8xf16>) -> tensor<4x?xf32> {
  %0 = linalg.softmax {note} dimension(1) ins(%a : tensor<4x?xf32>) outs(%o : tensor<4x?xf32>) -> tensor<4x?xf32>
  linalg.softmax dimension(0) ins(%m : memref<4x8xf16>) outs(%m : memref<4x8xf16>)
  return %0 : tensor<4x?xf32>
}
func.func @pack(%a: tensor<127x256xf32>, %o: tensor<8x16x8x32xf32>, %t: index, %d: tensor<?x?xf32>, %e: tensor<?x?x?x32xf32>, %p: f32) -> (tensor<127x256xf32>, tensor<?x?xf32>) {
  %0 = linalg.pack %a padding_value(%p : f32) outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [8, 32] into %o {note} : tensor<127x256xf32> -> tensor<8x16x8x32xf32>
  %1 = linalg.unpack %0 outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [8, 32] into %a {note} : tensor<8x16x8x32xf32> -> tensor<127x256xf32>
  %2 = linalg.pack %d padding_value(%p : f32) inner_dims_pos = [0, 1] inner_tiles = [%t, 32] into %e : tensor<?x?xf32> -> tensor<?x?x?x32xf32>
  %3 = linalg.unpack %2 inner_dims_pos = [0, 1] inner_tiles = [%t, 32] into %d : tensor<?x?x?x32xf32> -> tensor<?x?xf32>
  return %1, %3 : tensor<127x256xf32>, tensor<?x?xf32>
}
