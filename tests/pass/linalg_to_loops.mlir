// RUN: noria opt --pass-pipeline=convert-linalg-to-loops %s | FileCheck %s

// Parallel dims outside, the reduction inside with its sum in a register.
// CHECK-LABEL: func.func @row_sums
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[INIT:.*]] = memref.load %arg1[%[[I]]]
// CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = {{.*}} iter_args(%[[ACC:.*]] = %[[INIT]]) -> (f32)
// CHECK: %[[A:.*]] = memref.load %arg0[%[[I]], %[[K]]]
// CHECK: arith.addf %[[ACC]], %[[A]]
// CHECK: memref.store %[[SUM]], %arg1[%[[I]]]
func.func @row_sums(%a: memref<4x8xf32>, %o: memref<4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a : memref<4x8xf32>) outs(%o : memref<4xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %s = arith.addf %acc, %x : f32
    linalg.yield %s : f32
  }
  return
}
