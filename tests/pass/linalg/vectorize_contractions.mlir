// RUN: noria opt --pass-pipeline=vectorize-contractions %s | FileCheck %s

// Lanes over the columns: whole vectors of the output stay in registers over the reduction.
// CHECK-LABEL: func.func @matmul
// CHECK-NOT: linalg.generic
// CHECK: vector.load
// CHECK: scf.for {{.*}} iter_args
// CHECK: vector.broadcast
// CHECK: arith.mulf {{.*}} : vector<
// CHECK: vector.store
func.func @matmul(%a: memref<8x32xf32>, %b: memref<32x64xf32>, %c: memref<8x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<8x32xf32>, memref<32x64xf32>) outs(%c : memref<8x64xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  return
}

// Lanes over the sum, which must be allowed to change its order.
// CHECK-LABEL: func.func @dot
// CHECK: vector.extract_strided_slice
// CHECK-LABEL: func.func @exact_dot
// CHECK: linalg.generic
func.func @dot(%a: memref<64xf32>, %b: memref<64xf32>, %c: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} ins(%a, %b : memref<64xf32>, memref<64xf32>) outs(%c : memref<f32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y fastmath<contract> : f32
    %s = arith.addf %acc, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  }
  return
}
func.func @exact_dot(%a: memref<64xf32>, %b: memref<64xf32>, %c: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} ins(%a, %b : memref<64xf32>, memref<64xf32>) outs(%c : memref<f32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  return
}

// A named op is taken by its maps and body as linalg.generic is.
// CHECK-LABEL: func.func @named
// CHECK-NOT: linalg.matmul
// CHECK: vector.load
// CHECK: arith.mulf {{.*}} : vector<
// CHECK: vector.store
func.func @named(%a: memref<8x32xf32>, %b: memref<32x64xf32>, %c: memref<8x64xf32>) {
  linalg.matmul ins(%a, %b : memref<8x32xf32>, memref<32x64xf32>) outs(%c : memref<8x64xf32>)
  return
}
