// RUN: noria opt --cpu=skylake-avx512 --pass-pipeline=form-dispatch-regions,clone-producers-into-dispatch-regions,convert-dispatch-region-to-workgroups,tile-dispatches %s | FileCheck %s
// RUN: noria opt --cpu=skylake-avx512 --pass-pipeline=form-dispatch-regions --explain-fusion %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

#flat = affine_map<(d0, d1) -> (d0, d1)>
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#head = affine_map<(d0, d1, d2) -> (d0, d1)>

// A reshape between two ops that share the rows is a view in the workgroup.
// CHECK-LABEL: func.func @heads
// CHECK: flow.dispatch.workgroups
// CHECK: math.exp
// CHECK: tensor.expand_shape {{.*}} into tensor<[[ROWS:[0-9]+]]x12x64xf32>
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<[[ROWS]]x12xf32>)
// CHECK-NOT: flow.dispatch.workgroups
// CHECK-LABEL: func.func @two_users
// WHY-DAG: remark: fusion: reshape of 512x12x64, 0.0 us, joins the reduction of 512x12x64
// WHY-DAG: remark: fusion: element-wise op of 512x768, {{.*}} us, joins the reduction of 512x12x64
func.func @heads(%x: tensor<512x768xf32>) -> tensor<512x12xf32> {
  %none = arith.constant dense<0.0> : tensor<512x12xf32>
  %e = tensor.empty() : tensor<512x768xf32>
  %p = linalg.generic {indexing_maps = [#flat, #flat], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<512x768xf32>) outs(%e : tensor<512x768xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> tensor<512x768xf32>
  %h = tensor.expand_shape %p [[0], [1, 2]] output_shape [512, 12, 64] : tensor<512x768xf32> into tensor<512x12x64xf32>
  %s = linalg.generic {indexing_maps = [#id, #head], iterator_types = ["parallel", "parallel", "reduction"]} ins(%h : tensor<512x12x64xf32>) outs(%none : tensor<512x12xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = arith.addf %a, %b fastmath<reassoc> : f32
    linalg.yield %y : f32
  } -> tensor<512x12xf32>
  return %s : tensor<512x12xf32>
}

// Each user of a reshape has one of its own: what is returned is reshaped in the host program.
// CHECK: %[[D:.*]]:2 = flow.dispatch.workgroups
// CHECK: arith.mulf
// CHECK: tensor.expand_shape
// CHECK: arith.maximumf
// CHECK: flow.return
// CHECK: %[[P:.*]] = tensor.expand_shape %[[D]]#0
// CHECK: return %[[D]]#1, %[[P]]
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @two_users(%a: tensor<512x64xf32>, %b: tensor<64x768xf32>) -> (tensor<512x12x64xf32>, tensor<512x12x64xf32>) {
  %zero = arith.constant dense<0.0> : tensor<512x768xf32>
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x12x64xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<512x64xf32>, tensor<64x768xf32>) outs(%zero : tensor<512x768xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y fastmath<reassoc,contract> : f32
    %s = arith.addf %z, %m fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<512x768xf32>
  %h = tensor.expand_shape %p [[0], [1, 2]] output_shape [512, 12, 64] : tensor<512x768xf32> into tensor<512x12x64xf32>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%h : tensor<512x12x64xf32>) outs(%e : tensor<512x12x64xf32>) {
  ^bb0(%x: f32, %z: f32):
    %m = arith.maximumf %x, %c0 : f32
    linalg.yield %m : f32
  } -> tensor<512x12x64xf32>
  return %q, %h : tensor<512x12x64xf32>, tensor<512x12x64xf32>
}

// No loop is a loop on both sides: the reshape stays between two regions.
// CHECK-LABEL: func.func @folded
// CHECK: flow.dispatch.workgroups
// CHECK: tensor.collapse_shape
// CHECK: flow.dispatch.workgroups
// WHY-DAG: remark: fusion: reshape of 393216, 0.0 us, does not join the element-wise op of 512x768: no loop can be cut along which they share tiles
func.func @folded(%x: tensor<512x768xf32>, %z: tensor<393216xf32>) -> tensor<393216xf32> {
  %e = tensor.empty() : tensor<512x768xf32>
  %f = tensor.empty() : tensor<393216xf32>
  %p = linalg.generic {indexing_maps = [#flat, #flat], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<512x768xf32>) outs(%e : tensor<512x768xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> tensor<512x768xf32>
  %h = tensor.collapse_shape %p [[0, 1]] : tensor<512x768xf32> into tensor<393216xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%h, %z : tensor<393216xf32>, tensor<393216xf32>) outs(%f : tensor<393216xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %t = math.exp %b : f32
    %y = arith.addf %a, %t : f32
    linalg.yield %y : f32
  } -> tensor<393216xf32>
  return %s : tensor<393216xf32>
}
