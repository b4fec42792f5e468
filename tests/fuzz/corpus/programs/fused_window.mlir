// A window at d0 * 2 + d1 became a bare d0 when fuse-maps put its user's places there: the loop then went over all of the
// operand.
#map = affine_map<(d0, d1) -> (d0 * 2 + d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (0, d0)>
module {
  func.func @main(%arg0: tensor<3xf32>) -> tensor<2x1xf32> {
    %cst = arith.constant dense<1.000000e+00> : tensor<1x2xf32>
    %cst_0 = arith.constant dense<1.000000e+00> : tensor<2x1xf32>
    %0 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<3xf32>) outs(%cst : tensor<1x2xf32>) {
    ^bb0(%arg1: f32, %arg2: f32):
      linalg.yield %arg1 : f32
    } -> tensor<1x2xf32>
    %1 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<1x2xf32>) outs(%cst_0 : tensor<2x1xf32>) {
    ^bb0(%arg1: f32, %arg2: f32):
      linalg.yield %arg1 : f32
    } -> tensor<2x1xf32>
    return %1 : tensor<2x1xf32>
  }
}
