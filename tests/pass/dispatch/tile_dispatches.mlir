// RUN: noria opt --cpu=skylake-avx512 --pass-pipeline=form-dispatch-regions,clone-producers-into-dispatch-regions,convert-dispatch-region-to-workgroups,tile-dispatches %s | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: noria opt --cpu=nehalem --pass-pipeline=form-dispatch-regions,clone-producers-into-dispatch-regions,convert-dispatch-region-to-workgroups,tile-dispatches %s | FileCheck %s --check-prefixes=CHECK,SSE

// Rows and columns of a product are cut, into parts of known size. How many, the CPU's vectors and registers tell. Row
// tiles that follow each other share columns of the right-hand side, so they are the grid's first dim.
// CHECK-LABEL: func.func @product
// CHECK: %[[X:.*]] = flow.dispatch.workgroup.id[0]
// AVX512: %[[ROW:.*]] = arith.muli %[[X]], %c16
// SSE: %[[ROW:.*]] = arith.muli %[[X]], %c8
// CHECK: %[[Y:.*]] = flow.dispatch.workgroup.id[1]
// AVX512: %[[COLUMN:.*]] = arith.muli %[[Y]], %c128
// SSE: %[[COLUMN:.*]] = arith.muli %[[Y]], %c32
// AVX512: tensor.load {{.*}} offsets = [%[[ROW]], 0], sizes = [16, 512]
// AVX512: tensor.load {{.*}} offsets = [0, %[[COLUMN]]], sizes = [512, 128]
// AVX512: tensor.load {{.*}} offsets = [%[[ROW]], %[[COLUMN]]], sizes = [16, 128]
// AVX512: tensor.store {{.*}} offsets = [%[[ROW]], %[[COLUMN]]], sizes = [16, 128]
// SSE: tensor.store {{.*}} offsets = [%[[ROW]], %[[COLUMN]]], sizes = [8, 32]
// CHECK: count(%[[M:.*]]: index, %[[N:.*]]: index)
// CHECK: %[[GX:.*]] = arith.ceildivui %[[M]]
// CHECK: %[[GY:.*]] = arith.ceildivui %[[N]]
// CHECK: flow.return %[[GX]], %[[GY]], %c1
#mk = affine_map<(d0, d1, d2) -> (d0, d2)>
#kn = affine_map<(d0, d1, d2) -> (d2, d1)>
#mn = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @product(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>, %c: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<512x512xf32>, tensor<512x512xf32>) outs(%c : tensor<512x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y fastmath<reassoc,contract> : f32
    %s = arith.addf %z, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// Three dims: matrices of a batch share nothing, so they are the last dim of the grid. 100 rows are not a multiple of the
// tile: only that size is dynamic.
// CHECK-LABEL: func.func @batch
// CHECK: flow.dispatch.workgroup.id[0]
// CHECK: flow.dispatch.workgroup.id[1]
// CHECK: %[[Z:.*]] = flow.dispatch.workgroup.id[2]
// CHECK: %[[MATRIX:.*]] = arith.muli %[[Z]], %c1
// AVX512: tensor.store {{.*}} offsets = [%[[MATRIX]], %{{.*}}, %{{.*}}], sizes = [1, %{{.*}}, 128]
#bmk = affine_map<(b, d0, d1, d2) -> (b, d0, d2)>
#bkn = affine_map<(b, d0, d1, d2) -> (b, d2, d1)>
#bmn = affine_map<(b, d0, d1, d2) -> (b, d0, d1)>
func.func @batch(%a: tensor<4x100x512xf32>, %b: tensor<4x512x512xf32>, %c: tensor<4x100x512xf32>) -> tensor<4x100x512xf32> {
  %0 = linalg.generic {indexing_maps = [#bmk, #bkn, #bmn], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%a, %b : tensor<4x100x512xf32>, tensor<4x512x512xf32>) outs(%c : tensor<4x100x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y fastmath<reassoc,contract> : f32
    %s = arith.addf %z, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<4x100x512xf32>
  return %0 : tensor<4x100x512xf32>
}

// Element-wise ops are cut along the outermost dim alone, when that gives enough parts; a row is not divided.
// CHECK-LABEL: func.func @rows
// CHECK: flow.dispatch.workgroup.id[0]
// CHECK-NOT: flow.dispatch.workgroup.id[1]
// AVX512: tensor.store {{.*}} sizes = [32, 512]
// SSE: tensor.store {{.*}} sizes = [8, 512]
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @rows(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %e = tensor.empty() : tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<512x512xf32>) outs(%e : tensor<512x512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// A transpose reads lines of 16 columns: its tiles are no shorter in either dim.
// CHECK-LABEL: func.func @transpose
// AVX512: tensor.load {{.*}} sizes = [2048, 16]
// AVX512: tensor.store {{.*}} sizes = [16, 2048]
// SSE: tensor.load {{.*}} sizes = [512, 16]
// SSE: tensor.store {{.*}} sizes = [16, 512]
#swap = affine_map<(d0, d1) -> (d1, d0)>
func.func @transpose(%x: tensor<2048x1024xf32>) -> tensor<1024x2048xf32> {
  %e = tensor.empty() : tensor<1024x2048xf32>
  %0 = linalg.generic {indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<2048x1024xf32>) outs(%e : tensor<1024x2048xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<1024x2048xf32>
  return %0 : tensor<1024x2048xf32>
}

// The number of rows is not known, and may be one: it is cut as one, and so are the columns.
// CHECK-LABEL: func.func @any_rows
// CHECK: flow.dispatch.workgroup.id[0]
// CHECK: arith.minsi
// CHECK: flow.dispatch.workgroup.id[1]
// AVX512: tensor.store {{.*}} sizes = [%{{.*}}, 128]
// SSE: tensor.store {{.*}} sizes = [%{{.*}}, 64]
func.func @any_rows(%n: index, %a: tensor<?x1024xf32>, %b: tensor<1024x1024xf32>, %c: tensor<?x1024xf32>) -> tensor<?x1024xf32> {
  %0 = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<?x1024xf32>, tensor<1024x1024xf32>) outs(%c : tensor<?x1024xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y fastmath<reassoc,contract> : f32
    %s = arith.addf %z, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<?x1024xf32>
  return %0 : tensor<?x1024xf32>
}

// Two ranges are not known: the host program chooses tiles by both, and passes them.
// CHECK-LABEL: func.func @any_size
// CHECK: arith.divui
// CHECK: arith.ceildivui
// CHECK: %[[R:.*]] = arith.ceildivui
// CHECK-NEXT: %[[ROWS:.*]] = arith.muli %[[R]]
// CHECK: %[[C:.*]] = arith.ceildivui %{{.*}}, %c16
// CHECK-NEXT: %[[COLUMNS:.*]] = arith.muli %[[C]], %c16
// CHECK: flow.dispatch.workgroups[%{{.*}}, %[[COLUMNS]], %{{.*}}, %[[ROWS]]](
// CHECK: %[[ID:.*]] = flow.dispatch.workgroup.id[0]
// CHECK: arith.muli %[[ID]], %[[TILE:.*]] : index
// CHECK: arith.minsi %{{.*}}, %[[TILE]]
// CHECK: flow.dispatch.workgroup.id[1]
// CHECK: tensor.store {{.*}} sizes = [%{{.*}}, %{{.*}}]
func.func @any_size(%x: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// A contraction of which a workgroup could have one row, of unknown length: it has rows for eight vectors at least.
// CHECK-LABEL: func.func @short_rows
// AVX512: %[[ROWS:.*]] = arith.divui %c128
// SSE: %[[ROWS:.*]] = arith.divui %c32
#oq = affine_map<(o, y, x, q) -> (o, q)>
#qyx = affine_map<(o, y, x, q) -> (q, y, x)>
#oyx = affine_map<(o, y, x, q) -> (o, y, x)>
func.func @short_rows(%k: tensor<256x4096xf32>, %x: tensor<8x?x?xf32>, %e: tensor<4096x?x?xf32>, %c: tensor<256x?x?xf32>) -> tensor<256x?x?xf32> {
  %w = linalg.generic {indexing_maps = [affine_map<(q, y, x) -> (q, y, x)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%e : tensor<4096x?x?xf32>) {
  ^bb0(%old: f32):
    %q = linalg.index 0 : index
    %y = linalg.index 1 : index
    %z = linalg.index 2 : index
    %eight = arith.constant 8 : index
    %channel = arith.remui %q, %eight : index
    %v = tensor.extract %x[%channel, %y, %z] : tensor<8x?x?xf32>
    linalg.yield %v : f32
  } -> tensor<4096x?x?xf32>
  %0 = linalg.generic {indexing_maps = [#oq, #qyx, #oyx], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%k, %w : tensor<256x4096xf32>, tensor<4096x?x?xf32>) outs(%c : tensor<256x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %z: f32):
    %p = arith.mulf %a, %b fastmath<reassoc,contract> : f32
    %s = arith.addf %z, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<256x?x?xf32>
  return %0 : tensor<256x?x?xf32>
}

// Windows of a kernel of three rows and columns, two apart: a workgroup with some of the positions reads what is under
// all of them. Its neighbours read some of that too.
// CHECK-LABEL: func.func @windows
// AVX512: %[[X:.*]] = arith.muli %{{.*}}, %c16
// AVX512: %[[Y:.*]] = arith.muli %{{.*}}, %c1
// AVX512: %[[TOP:.*]] = arith.muli %[[Y]], %c2
// AVX512: %[[LEFT:.*]] = arith.muli %[[X]], %c2
// AVX512: tensor.load {{.*}} offsets = [0, %[[TOP]], %[[LEFT]]], sizes = [64, 3, 33]
// AVX512: tensor.load {{.*}} offsets = [%[[Y]], %[[X]], 0], sizes = [1, 16, 32]
#x = affine_map<(y, x, o, c, a, b) -> (c, y * 2 + a, x * 2 + b)>
#k = affine_map<(y, x, o, c, a, b) -> (c, a, b, o)>
#o = affine_map<(y, x, o, c, a, b) -> (y, x, o)>
func.func @windows(%x: tensor<64x129x129xf32>, %k: tensor<64x3x3x32xf32>, %i: tensor<64x64x32xf32>) -> tensor<64x64x32xf32> {
  %0 = linalg.generic {indexing_maps = [#x, #k, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %k : tensor<64x129x129xf32>, tensor<64x3x3x32xf32>) outs(%i : tensor<64x64x32xf32>) {
  ^bb0(%p: f32, %q: f32, %z: f32):
    %m = arith.mulf %p, %q fastmath<reassoc,contract> : f32
    %s = arith.addf %z, %m fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<64x64x32xf32>
  return %0 : tensor<64x64x32xf32>
}
