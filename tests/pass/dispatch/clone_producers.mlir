// RUN: noria opt --pass-pipeline=clone-producers-into-dispatch-regions %s | FileCheck %s
// RUN: noria run --check-stages %s random 1

#id = affine_map<(d0, d1) -> (d0, d1)>

// Rows of a constant are cut in the region, which gets the whole constant: passed by themselves, they would be a copy.
// Rows of an argument are passed as they are.
// CHECK-LABEL: func.func @main
// CHECK: %[[W:.*]] = arith.constant dense<{{.*}}> : tensor<4x2xf32>
// CHECK: %[[OTHER:.*]] = tensor.extract_slice %arg0
// CHECK: flow.dispatch.region
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[W]][%arg1, 0] [2, 2] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[PART]], %[[OTHER]] :
func.func @main(%x: tensor<4x2xf32>, %at: index) -> tensor<2x2xf32> {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %part = tensor.extract_slice %w[%at, 0] [2, 2] [1, 1] : tensor<4x2xf32> to tensor<2x2xf32>
  %other = tensor.extract_slice %x[%at, 0] [2, 2] [1, 1] : tensor<4x2xf32> to tensor<2x2xf32>
  %r = flow.dispatch.region -> (tensor<2x2xf32>) {
    %e = tensor.empty() : tensor<2x2xf32>
    %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%part, %other : tensor<2x2xf32>, tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %y = arith.addf %a, %b : f32
      linalg.yield %y : f32
    } -> tensor<2x2xf32>
    flow.return %s : tensor<2x2xf32>
  }
  return %r : tensor<2x2xf32>
}
