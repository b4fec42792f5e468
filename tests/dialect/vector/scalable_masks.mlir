// Masks of transfers of scalable vectors are scalable in the dims that the vector is, in the memory's order of dims.
// RUN: noria opt %s | FileCheck %s
// RUN: mlir-opt %s | FileCheck %s
// RUN: sed 's/vector<4x\[8\]xi1>/vector<4x8xi1>/' %s > %t.bad.mlir
// RUN: not noria opt %t.bad.mlir
// RUN: not mlir-opt %t.bad.mlir

// CHECK-LABEL: func.func @read
// CHECK: vector.transfer_read %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}, %[[K:.*]] : memref<?x?xf32>, vector<4x[8]xf32>
// CHECK: vector.transfer_read %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}, %[[K]] {permutation_map = #{{.*}}} : memref<?x?xf32>, vector<[8]x4xf32>
func.func @read(%m: memref<?x?xf32>, %i: index, %k: vector<4x[8]xi1>, %p: f32) -> (vector<4x[8]xf32>, vector<[8]x4xf32>) {
  %0 = vector.transfer_read %m[%i, %i], %p, %k : memref<?x?xf32>, vector<4x[8]xf32>
  %1 = vector.transfer_read %m[%i, %i], %p, %k {permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<?x?xf32>, vector<[8]x4xf32>
  return %0, %1 : vector<4x[8]xf32>, vector<[8]x4xf32>
}

// CHECK-LABEL: func.func @write
// CHECK: vector.transfer_write %{{.*}}, %{{.*}}[%{{.*}}], %{{.*}} : vector<[4]xf32>, memref<?xf32>
func.func @write(%m: memref<?xf32>, %i: index, %k: vector<[4]xi1>, %v: vector<[4]xf32>) {
  vector.transfer_write %v, %m[%i], %k : vector<[4]xf32>, memref<?xf32>
  return
}
