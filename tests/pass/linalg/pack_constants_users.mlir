// RUN: noria opt --pack-constants %s | FileCheck %s

// What uses a tensor of blocks along its first dim takes the blocks, and a view of the other operand in blocks.
// CHECK-LABEL: func.func @users
// CHECK: %[[Y:.*]] = tensor.expand_shape %arg1 {{\[}}[0, 1], [2]] output_shape [2, 8, 5]
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[Y]] : tensor<2x8x5xf32>, tensor<2x8x5xf32>)
// CHECK: tensor.collapse_shape %{{.*}} {{\[}}[0, 1], [2]] : tensor<2x8x5xf32> into tensor<16x5xf32>
func.func @users(%x: tensor<2x8x5xf32>, %y: tensor<16x5xf32>) -> tensor<16x5xf32> {
  %e = tensor.empty() : tensor<2x8x5xf32>
  %f = tensor.empty() : tensor<16x5xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(j, i, n) -> (j, i, n)>, affine_map<(j, i, n) -> (j, i, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<2x8x5xf32>) outs(%e : tensor<2x8x5xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.negf %a : f32
    linalg.yield %p : f32
  } -> tensor<2x8x5xf32>
  %c = tensor.collapse_shape %s [[0, 1], [2]] : tensor<2x8x5xf32> into tensor<16x5xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%c, %y : tensor<16x5xf32>, tensor<16x5xf32>) outs(%f : tensor<16x5xf32>) {
  ^bb0(%a: f32, %d: f32, %b: f32):
    %p = arith.addf %a, %d : f32
    linalg.yield %p : f32
  } -> tensor<16x5xf32>
  return %t : tensor<16x5xf32>
}
