// RUN: noria opt --cpu=skylake-avx512 --pass-pipeline=form-dispatch-regions,clone-producers-into-dispatch-regions,convert-dispatch-region-to-workgroups,tile-dispatches %s | FileCheck %s
// RUN: noria opt --cpu=haswell --pass-pipeline=form-dispatch-regions --explain-fusion %s 2>&1 | FileCheck %s --check-prefix=SMALL

#qk = affine_map<(h, m, n, k) -> (h, m, k)>
#kk = affine_map<(h, m, n, k) -> (h, n, k)>
#out = affine_map<(h, m, n, k) -> (h, m, n)>
#vk = affine_map<(h, m, n, k) -> (h, k, n)>
#id = affine_map<(h, m, n) -> (h, m, n)>
#row = affine_map<(h, m, n) -> (h, m)>

// A workgroup computes 16 rows of the scores of a head with all keys, their softmax, and its product with all values.
// CHECK-LABEL: func.func @attention
// CHECK: flow.dispatch.workgroups
// CHECK-DAG: flow.dispatch.tensor.load %{{.*}} sizes = [1, 16, 64]
// CHECK-DAG: flow.dispatch.tensor.load %{{.*}} sizes = [1, 512, 64]
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x16x512xf32>)
// CHECK: arith.mulf
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK: arith.divf
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<1x16x512xf32>, tensor<1x512x64xf32>) outs(%{{.*}} : tensor<1x16x64xf32>)
// CHECK: flow.dispatch.tensor.store %{{.*}} sizes = [1, 16, 64]
// CHECK-NOT: flow.dispatch.workgroups
// CHECK-LABEL: func.func @memory_bound

// A core's own cache of 256 KiB does not hold the keys and the values: the product with the values stays apart.
// SMALL: remark: fusion: contraction of 8x512x64x512, {{.*}} us, does not join the contraction of 8x512x512x64: each workgroup would read whole inputs of a contraction: {{.*}} us in place of
func.func @attention(%q: tensor<8x512x64xf32>, %k: tensor<8x512x64xf32>, %v: tensor<8x512x64xf32>) -> tensor<8x512x64xf32> {
  %low = arith.constant dense<0xFF800000> : tensor<8x512xf32>
  %none = arith.constant dense<0.0> : tensor<8x512xf32>
  %zero = arith.constant dense<0.0> : tensor<8x512x512xf32>
  %start = arith.constant dense<0.0> : tensor<8x512x64xf32>
  %e = tensor.empty() : tensor<8x512x512xf32>
  %s = linalg.generic {indexing_maps = [#qk, #kk, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<8x512x64xf32>, tensor<8x512x64xf32>) outs(%zero : tensor<8x512x512xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b fastmath<reassoc,contract> : f32
    %n = arith.addf %c, %m fastmath<reassoc,contract> : f32
    linalg.yield %n : f32
  } -> tensor<8x512x512xf32>
  %t = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<8x512x512xf32>) outs(%low : tensor<8x512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = arith.maximumf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<8x512xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %t : tensor<8x512x512xf32>, tensor<8x512xf32>) outs(%e : tensor<8x512x512xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.subf %a, %b : f32
    %y = math.exp %d : f32
    linalg.yield %y : f32
  } -> tensor<8x512x512xf32>
  %u = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<8x512x512xf32>) outs(%none : tensor<8x512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = arith.addf %a, %b fastmath<reassoc> : f32
    linalg.yield %y : f32
  } -> tensor<8x512xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %u : tensor<8x512x512xf32>, tensor<8x512xf32>) outs(%e : tensor<8x512x512xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %y = arith.divf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<8x512x512xf32>
  %o = linalg.generic {indexing_maps = [#qk, #vk, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%r, %v : tensor<8x512x512xf32>, tensor<8x512x64xf32>) outs(%start : tensor<8x512x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b fastmath<reassoc,contract> : f32
    %n = arith.addf %c, %m fastmath<reassoc,contract> : f32
    linalg.yield %n : f32
  } -> tensor<8x512x64xf32>
  return %o : tensor<8x512x64xf32>
}

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// Two products of which both right-hand sides would come from memory again for every 16 rows stay two dispatches.
// CHECK-COUNT-2: flow.dispatch.workgroups
func.func @memory_bound(%x: tensor<1024x1024xf32>, %a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %zero = arith.constant dense<0.0> : tensor<1024x1024xf32>
  %y = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %a : tensor<1024x1024xf32>, tensor<1024x1024xf32>) outs(%zero : tensor<1024x1024xf32>) {
  ^bb0(%p: f32, %q: f32, %c: f32):
    %m = arith.mulf %p, %q fastmath<reassoc,contract> : f32
    %n = arith.addf %c, %m fastmath<reassoc,contract> : f32
    linalg.yield %n : f32
  } -> tensor<1024x1024xf32>
  %z = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%y, %b : tensor<1024x1024xf32>, tensor<1024x1024xf32>) outs(%zero : tensor<1024x1024xf32>) {
  ^bb0(%p: f32, %q: f32, %c: f32):
    %m = arith.mulf %p, %q fastmath<reassoc,contract> : f32
    %n = arith.addf %c, %m fastmath<reassoc,contract> : f32
    linalg.yield %n : f32
  } -> tensor<1024x1024xf32>
  return %z : tensor<1024x1024xf32>
}
