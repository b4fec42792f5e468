// RUN: noria opt --pass-pipeline=form-dispatches,outline-dispatches,canonicalize %s | FileCheck %s

// Equal dispatches share one executable; a workgroup computes a slab of rows.
// CHECK: flow.executable private @twice_dispatch_0 {
// CHECK: flow.executable.export public @twice_dispatch_0 workgroups(%{{.*}}: index) -> (index, index, index)
// CHECK: arith.ceildivui
// CHECK: flow.dispatch.workgroup.id[0]
// CHECK: flow.dispatch.tensor.load {{.*}} sizes = [%{{.*}}, 512]
// CHECK: linalg.generic
// CHECK: flow.dispatch.tensor.store
// CHECK-NOT: flow.executable private
// CHECK-LABEL: func.func @twice(
// CHECK-COUNT-2: flow.dispatch @twice_dispatch_0::@twice_dispatch_0
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @twice(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %e = tensor.empty() : tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<512x512xf32>) outs(%e : tensor<512x512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> tensor<512x512xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<512x512xf32>) outs(%e : tensor<512x512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> tensor<512x512xf32>
  return %1 : tensor<512x512xf32>
}

// What is small stays in the host program.
// CHECK-LABEL: func.func @small
// CHECK-NOT: flow.dispatch
// CHECK: linalg.generic
func.func @small(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
