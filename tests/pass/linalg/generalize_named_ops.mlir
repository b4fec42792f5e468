// Named ops become linalg.generic, and softmax and pack what they are made of. That structured ops become what they become
// in MLIR is compared in tests/dialect/linalg/named.mlir and named_dims.mlir.
// RUN: noria opt --linalg-generalize-named-ops %s | FileCheck %s
// RUN: noria opt --bufferize %s | FileCheck %s --check-prefix=BUFFERS
// RUN: noria opt --canonicalize --cse %s | FileCheck %s --check-prefix=KEPT

// CHECK-DAG: [[A:#map[0-9]*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: [[B:#map[0-9]*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: [[C:#map[0-9]*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: [[PACKED:#map[0-9]*]] = affine_map<(d0, d1, d2) -> (d0 * 4 + d2, d1)>
// CHECK-DAG: [[UNPACKED:#map[0-9]*]] = affine_map<(d0, d1) -> (d0 floordiv 4, d1, d0 mod 4)>

// A named op keeps its name on buffers.
// CHECK-LABEL: func.func @matmul
// CHECK: linalg.generic {indexing_maps = {{\[}}[[A]], [[B]], [[C]]], iterator_types = ["parallel", "parallel", "reduction"]}
// BUFFERS-LABEL: func.func @matmul
// BUFFERS: linalg.matmul ins(%{{.*}}, %{{.*}} : memref<4x8xf32>, memref<8x6xf32>) outs(%{{.*}} : memref<4x6xf32>)
// KEPT-LABEL: func.func @matmul
// KEPT: linalg.matmul ins(
func.func @matmul(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Equal named ops are one, and those that nothing uses are gone.
// KEPT-LABEL: func.func @cse
// KEPT-COUNT-1: linalg.exp
// KEPT-NOT: linalg.exp
// KEPT-NOT: linalg.abs
// KEPT: linalg.add
func.func @cse(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  %2 = linalg.abs ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  %3 = linalg.add ins(%0, %1 : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// A result has the shape of its destination.
// KEPT-LABEL: func.func @dim
// KEPT: tensor.dim %arg0
func.func @dim(%a: tensor<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %0 = linalg.softmax dimension(0) ins(%a : tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
  %1 = tensor.dim %0, %c0 : tensor<?xf32>
  return %1 : index
}

// CHECK-LABEL: func.func @softmax
// CHECK: linalg.fill
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK: linalg.fill
// CHECK: arith.addf
// CHECK: arith.divf
func.func @softmax(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.softmax dimension(1) ins(%a : tensor<4x8xf32>) outs(%a : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// On buffers the numbers of rows have places of their own.
// CHECK-LABEL: func.func @softmax_of_a_buffer
// CHECK-COUNT-2: memref.alloc() : memref<4xf32>
// CHECK-COUNT-2: memref.dealloc
func.func @softmax_of_a_buffer(%a: memref<4x8xf32>) {
  linalg.softmax dimension(1) ins(%a : memref<4x8xf32>) outs(%a : memref<4x8xf32>)
  return
}

// CHECK-LABEL: func.func @pack
// CHECK: tensor.pad %arg0 low[0, 0] high[2, 0]
// CHECK: linalg.generic {indexing_maps = {{\[}}[[PACKED]],
// CHECK: linalg.generic {indexing_maps = {{\[}}[[UNPACKED]],
func.func @pack(%a: tensor<6x3xf32>, %p: tensor<2x3x4xf32>, %x: f32) -> tensor<6x3xf32> {
  %0 = linalg.pack %a padding_value(%x : f32) inner_dims_pos = [0] inner_tiles = [4] into %p : tensor<6x3xf32> -> tensor<2x3x4xf32>
  %1 = linalg.unpack %0 inner_dims_pos = [0] inner_tiles = [4] into %a : tensor<2x3x4xf32> -> tensor<6x3xf32>
  return %1 : tensor<6x3xf32>
}
