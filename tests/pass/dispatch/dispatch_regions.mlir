// RUN: noria opt --cpu=skylake-avx512 --pass-pipeline=form-dispatch-regions,clone-producers-into-dispatch-regions %s | FileCheck %s
// RUN: noria opt --cpu=skylake-avx512 --pass-pipeline=form-dispatch-regions --explain-fusion %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>

// A softmax is one region: both reductions and both element-wise ops share the rows.
// CHECK-LABEL: func.func @softmax
// CHECK: %[[R:.*]] = flow.dispatch.region -> (tensor<512x256xf32>) {
// CHECK: linalg.fill
// CHECK: %[[M:.*]] = linalg.generic
// CHECK: arith.maximumf
// CHECK: linalg.generic {{.*}} ins(%arg0, %[[M]]
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: arith.divf
// CHECK: flow.return %{{.*}} : tensor<512x256xf32>
// CHECK: return %[[R]]
// WHY-DAG: remark: fusion: element-wise op of 512x256, {{.*}} us, joins the reduction of 512x256: 512 parts
// WHY-DAG: remark: fusion: reduction of 512x256, {{.*}} us, joins the reduction of 512x256: 512 parts
// WHY-DAG: remark: fusion: element-wise op of 512x256, {{.*}} us, joins the reduction of 512x256: 512 parts
// WHY-DAG: remark: fusion: reduction of 512x256 is the root of a dispatch of 4 ops: {{.*}} us of work is more than 20.0 us
func.func @softmax(%x: tensor<512x256xf32>) -> tensor<512x256xf32> {
  %low = arith.constant dense<0xFF800000> : tensor<512xf32>
  %zero = arith.constant dense<0.0> : tensor<512xf32>
  %e = tensor.empty() : tensor<512x256xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<512x256xf32>) outs(%low : tensor<512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = arith.maximumf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<512xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<512x256xf32>, tensor<512xf32>) outs(%e : tensor<512x256xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.subf %a, %b : f32
    %y = math.exp %d : f32
    linalg.yield %y : f32
  } -> tensor<512x256xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<512x256xf32>) outs(%zero : tensor<512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = arith.addf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<512xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %s : tensor<512x256xf32>, tensor<512xf32>) outs(%e : tensor<512x256xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %y = arith.divf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<512x256xf32>
  return %r : tensor<512x256xf32>
}

// Four rows are too few for the reduction and what uses it to be one region: the element-wise op would run on four
// workers at most.
// CHECK-LABEL: func.func @few_rows
// CHECK-COUNT-2: flow.dispatch.region
// WHY-DAG: remark: fusion: element-wise op of 4x100000, {{.*}} us, does not join the reduction of 4x100000: too few workgroups would be left
func.func @few_rows(%x: tensor<4x100000xf32>, %low: tensor<4xf32>) -> tensor<4x100000xf32> {
  %e = tensor.empty() : tensor<4x100000xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x100000xf32>) outs(%low : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = arith.maximumf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<4xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<4x100000xf32>, tensor<4xf32>) outs(%e : tensor<4x100000xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.subf %a, %b : f32
    %y = math.exp %d : f32
    linalg.yield %y : f32
  } -> tensor<4x100000xf32>
  return %p : tensor<4x100000xf32>
}

#mk = affine_map<(d0, d1, d2) -> (d0, d2)>
#kn = affine_map<(d0, d1, d2) -> (d2, d1)>
#mn = affine_map<(d0, d1, d2) -> (d0, d1)>

// A product takes the bias and the activation with it. The product has another user, in front of the element-wise op
// that joins: that user moves behind the region.
// CHECK-LABEL: func.func @epilogue
// CHECK: %[[D:.*]]:2 = flow.dispatch.region -> (tensor<256x512xf32>, tensor<256x512xf32>) {
// CHECK: %[[P:.*]] = linalg.generic
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} ins(%[[P]], %arg2
// CHECK: flow.return %[[P]], %[[Q]]
// CHECK: tensor.extract_slice %[[D]]#0
// WHY-DAG: remark: fusion: element-wise op of 256x512, {{.*}} us, joins the contraction of 256x512x512
func.func @epilogue(%a: tensor<256x512xf32>, %b: tensor<512x512xf32>, %bias: tensor<512xf32>) -> (tensor<1x512xf32>, tensor<256x512xf32>) {
  %zero = arith.constant dense<0.0> : tensor<256x512xf32>
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x512xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<256x512xf32>, tensor<512x512xf32>) outs(%zero : tensor<256x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y fastmath<reassoc,contract> : f32
    %s = arith.addf %z, %m fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<256x512xf32>
  %first = tensor.extract_slice %p[0, 0] [1, 512] [1, 1] : tensor<256x512xf32> to tensor<1x512xf32>
  %q = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %bias : tensor<256x512xf32>, tensor<512xf32>) outs(%e : tensor<256x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %s = arith.addf %x, %y : f32
    %m = arith.maximumf %s, %c0 : f32
    linalg.yield %m : f32
  } -> tensor<256x512xf32>
  return %first, %q : tensor<1x512xf32>, tensor<256x512xf32>
}

// A product whose right-hand side is small is cut along its rows alone, so that what reduces a row joins it.
// CHECK-LABEL: func.func @product_of_rows
// CHECK: flow.dispatch.region -> (tensor<2048xf32>) {
// CHECK-NOT: flow.dispatch.region
// WHY-DAG: remark: fusion: reduction of 2048x128, {{.*}} us, joins the contraction of 2048x128x64: 2048 parts
func.func @product_of_rows(%a: tensor<2048x64xf32>, %b: tensor<64x128xf32>) -> tensor<2048xf32> {
  %zero = arith.constant dense<0.0> : tensor<2048x128xf32>
  %none = arith.constant dense<0.0> : tensor<2048xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<2048x64xf32>, tensor<64x128xf32>) outs(%zero : tensor<2048x128xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y fastmath<reassoc,contract> : f32
    %s = arith.addf %z, %m fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<2048x128xf32>
  %q = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<2048x128xf32>) outs(%none : tensor<2048xf32>) {
  ^bb0(%x: f32, %z: f32):
    %s = arith.addf %z, %x fastmath<reassoc> : f32
    linalg.yield %s : f32
  } -> tensor<2048xf32>
  return %q : tensor<2048xf32>
}

// One whose right-hand side does not fit in a core's caches is not.
// CHECK-LABEL: func.func @large_product
// CHECK-COUNT-2: flow.dispatch.region
// WHY-DAG: remark: fusion: reduction of 2048x1024, {{.*}} us, does not join the contraction of 2048x1024x1024: each workgroup would read whole inputs of a contraction: {{.*}} us in place of
func.func @large_product(%a: tensor<2048x1024xf32>, %b: tensor<1024x1024xf32>) -> tensor<2048xf32> {
  %zero = arith.constant dense<0.0> : tensor<2048x1024xf32>
  %none = arith.constant dense<0.0> : tensor<2048xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<2048x1024xf32>, tensor<1024x1024xf32>) outs(%zero : tensor<2048x1024xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y fastmath<reassoc,contract> : f32
    %s = arith.addf %z, %m fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<2048x1024xf32>
  %q = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<2048x1024xf32>) outs(%none : tensor<2048xf32>) {
  ^bb0(%x: f32, %z: f32):
    %s = arith.addf %z, %x fastmath<reassoc> : f32
    linalg.yield %s : f32
  } -> tensor<2048xf32>
  return %q : tensor<2048xf32>
}

// The element-wise op needs the product twice, once through an op that cannot be in the region: it stays outside.
// CHECK-LABEL: func.func @between
// CHECK: flow.dispatch.region
// CHECK: tensor.concat
// CHECK: flow.dispatch.region
// WHY-DAG: remark: fusion: element-wise op of 256x512, {{.*}} us, does not join the contraction of 256x512x512: an op between them depends on one and is needed by the other
func.func @between(%a: tensor<256x512xf32>, %b: tensor<512x512xf32>, %h: tensor<128x512xf32>) -> tensor<256x512xf32> {
  %zero = arith.constant dense<0.0> : tensor<256x512xf32>
  %e = tensor.empty() : tensor<256x512xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<256x512xf32>, tensor<512x512xf32>) outs(%zero : tensor<256x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y fastmath<reassoc,contract> : f32
    %s = arith.addf %z, %m fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<256x512xf32>
  %half = tensor.extract_slice %p[0, 0] [128, 512] [1, 1] : tensor<256x512xf32> to tensor<128x512xf32>
  %other = tensor.concat dim(0) %half, %h : (tensor<128x512xf32>, tensor<128x512xf32>) -> tensor<256x512xf32>
  %q = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %other : tensor<256x512xf32>, tensor<256x512xf32>) outs(%e : tensor<256x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %s = math.exp %x : f32
    %m = arith.maximumf %s, %y : f32
    linalg.yield %m : f32
  } -> tensor<256x512xf32>
  return %q : tensor<256x512xf32>
}

// What a body reads at any index is not computed in tiles.
// CHECK-LABEL: func.func @reads_whole
// CHECK-COUNT-2: flow.dispatch.region
// WHY-DAG: does not join the element-wise op of 65536: it reads the whole of what a workgroup computes a tile of
func.func @reads_whole(%x: tensor<65536xf32>) -> tensor<65536xf32> {
  %e = tensor.empty() : tensor<65536xf32>
  %c1 = arith.constant 1 : index
  %c65535 = arith.constant 65535 : index
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<65536xf32>) outs(%e : tensor<65536xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> tensor<65536xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%0 : tensor<65536xf32>) outs(%e : tensor<65536xf32>) {
  ^bb0(%a: f32, %b: f32):
    %i = linalg.index 0 : index
    %j = arith.subi %c65535, %i : index
    %v = tensor.extract %0[%j] : tensor<65536xf32>
    %w = math.exp %v : f32
    %y = arith.addf %a, %w : f32
    linalg.yield %y : f32
  } -> tensor<65536xf32>
  return %1 : tensor<65536xf32>
}

// Sizes that the run gives: the dims of the result are taken from what it starts as.
// CHECK-LABEL: func.func @dynamic
// CHECK: flow.dispatch.region -> (tensor<?x512xf32>{%{{.*}}}) {
func.func @dynamic(%a: tensor<?x256xf32>, %b: tensor<256x512xf32>) -> tensor<?x512xf32> {
  %c0 = arith.constant 0 : index
  %k = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?x256xf32>
  %e = tensor.empty(%n) : tensor<?x512xf32>
  %z = linalg.fill ins(%k : f32) outs(%e : tensor<?x512xf32>) -> tensor<?x512xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<?x256xf32>, tensor<256x512xf32>) outs(%z : tensor<?x512xf32>) {
  ^bb0(%x: f32, %y: f32, %w: f32):
    %m = arith.mulf %x, %y fastmath<reassoc,contract> : f32
    %s = arith.addf %w, %m fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<?x512xf32>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<?x512xf32>) outs(%e : tensor<?x512xf32>) {
  ^bb0(%x: f32, %w: f32):
    %s = math.exp %x : f32
    linalg.yield %s : f32
  } -> tensor<?x512xf32>
  return %q : tensor<?x512xf32>
}
