// RUN: noria opt --pass-pipeline=fuse-maps %s | FileCheck %s
// RUN: noria opt --cpu=nehalem --pass-pipeline=fuse-maps --explain-fusion %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

// An elementwise op is fused into its only user.
// WHY: fuse_maps.mlir:[[#@LINE+10]]:8: remark: fusion: element-wise op of ? is fused into the element-wise op of ? that uses it: its result is not stored
// CHECK-LABEL: func.func @exp_neg
// CHECK-COUNT-1: linalg.generic
// CHECK: math.exp
// CHECK-NEXT: arith.negf
// CHECK-NOT: linalg.generic
// CHECK: return
#id = affine_map<(d0) -> (d0)>
func.func @exp_neg(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%0 : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = arith.negf %a : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// A producer with two users is computed once.
// WHY: fuse_maps.mlir:[[#@LINE+5]]:8: remark: fusion: element-wise op of 4 is not fused into the element-wise op of 4 that uses it: another op needs all of it
// CHECK-LABEL: func.func @two_users
// CHECK-COUNT-2: linalg.generic
func.func @two_users(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = arith.negf %a : f32
    linalg.yield %y : f32
  } -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Two users that could take it: what is cheap next to its reads is computed in each of them, what is not is stored. For
// the second, vectors of 64 bytes are wide enough that memory bounds it, those of 16 are not. The sum of an op with
// itself is one user.
// RUN: noria opt --cpu=skylake-avx512 --pass-pipeline=fuse-maps %s | FileCheck %s --check-prefix=WIDE
// RUN: noria opt --cpu=nehalem --pass-pipeline=fuse-maps %s | FileCheck %s --check-prefix=NARROW
// WHY: remark: fusion: element-wise op of 4096x4096 is fused into the element-wise op of 4096x4096 that uses it: this is faster than storing it
// WHY: remark: fusion: element-wise op of 4096x4096 is not fused into the element-wise op of 4096x4096 that uses it: its users take {{.*}} us when they compute it, and {{.*}} us when it is stored
// WIDE-LABEL: func.func @relu_in_two
// WIDE-COUNT-2: linalg.generic
// WIDE-NOT: linalg.generic
// WIDE: return
// NARROW-LABEL: func.func @relu_in_two
// NARROW-COUNT-2: linalg.generic
// NARROW-NOT: linalg.generic
// NARROW: return
#square = affine_map<(d0, d1) -> (d0, d1)>
!large = tensor<4096x4096xf32>
func.func @relu_in_two(%x: !large) -> (!large, !large) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : !large
  %0 = linalg.generic {indexing_maps = [#square, #square], iterator_types = ["parallel", "parallel"]} ins(%x : !large) outs(%e : !large) {
  ^bb0(%a: f32, %b: f32):
    %y = arith.maximumf %a, %zero : f32
    linalg.yield %y : f32
  } -> !large
  %1 = linalg.generic {indexing_maps = [#square, #square], iterator_types = ["parallel", "parallel"]} ins(%0 : !large) outs(%e : !large) {
  ^bb0(%a: f32, %b: f32):
    %y = arith.negf %a : f32
    linalg.yield %y : f32
  } -> !large
  %2 = linalg.generic {indexing_maps = [#square, #square, #square], iterator_types = ["parallel", "parallel"]} ins(%0, %0 : !large, !large) outs(%e : !large) {
  ^bb0(%a: f32, %c: f32, %b: f32):
    %y = arith.addf %a, %c : f32
    linalg.yield %y : f32
  } -> !large
  return %1, %2 : !large, !large
}

// WIDE-LABEL: func.func @exp_in_two
// WIDE-COUNT-2: linalg.generic
// WIDE-NOT: linalg.generic
// WIDE: return
// NARROW-LABEL: func.func @exp_in_two
// NARROW-COUNT-3: linalg.generic
func.func @exp_in_two(%x: !large) -> (!large, !large) {
  %e = tensor.empty() : !large
  %0 = linalg.generic {indexing_maps = [#square, #square], iterator_types = ["parallel", "parallel"]} ins(%x : !large) outs(%e : !large) {
  ^bb0(%a: f32, %b: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> !large
  %1 = linalg.generic {indexing_maps = [#square, #square], iterator_types = ["parallel", "parallel"]} ins(%0 : !large) outs(%e : !large) {
  ^bb0(%a: f32, %b: f32):
    %y = arith.negf %a : f32
    linalg.yield %y : f32
  } -> !large
  %2 = linalg.generic {indexing_maps = [#square, #square], iterator_types = ["parallel", "parallel"]} ins(%0 : !large) outs(%e : !large) {
  ^bb0(%a: f32, %b: f32):
    %y = arith.mulf %a, %a : f32
    linalg.yield %y : f32
  } -> !large
  return %1, %2 : !large, !large
}

// A generator without inputs gives no range: it may not go into the only op that has its range from it.
// CHECK-LABEL: func.func @sum_of_generated
// CHECK-COUNT-2: linalg.generic
func.func @sum_of_generated(%n: index) -> tensor<f32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %w = arith.index_cast %i : index to i32
    %f = arith.sitofp %w : i32 to f32
    linalg.yield %f : f32
  } -> tensor<?xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%g : tensor<?xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f32, %acc: f32):
    %s = arith.addf %acc, %x : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// Named ops fuse by their maps and bodies as linalg.generic does.
// CHECK-LABEL: func.func @named
// CHECK-NOT: linalg.transpose
// CHECK-NOT: linalg.map
// CHECK-COUNT-1: linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<8x16xf32>) outs(%arg2 : tensor<16x8xf32>)
// CHECK: arith.negf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @named(%x: tensor<8x16xf32>, %a: tensor<16x8xf32>, %b: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %t = linalg.transpose ins(%x : tensor<8x16xf32>) outs(%a : tensor<16x8xf32>) permutation = [1, 0]
  %r = linalg.map { arith.negf } ins(%t : tensor<16x8xf32>) outs(%b : tensor<16x8xf32>)
  return %r : tensor<16x8xf32>
}
