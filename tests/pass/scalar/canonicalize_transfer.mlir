// RUN: noria opt --canonicalize %s | FileCheck %s
// RUN: noria opt --canonicalize --syntax=mlir %s | mlir-opt
// RUN: noria opt --canonicalize %s -o %t.mlir

// What was written is read, also behind writes to other places.
// CHECK-LABEL: func.func @read_of_write
// CHECK-SAME: (%{{.*}}: tensor<8xi32>, %[[V:.*]]: vector<2xi32>, %{{.*}}: index)
// CHECK-NEXT: return %[[V]], %[[V]]
// RUN: noria run %s --interpret --entry=read_of_write '[1,2,3,4,5,6,7,8]' '[10,11]' 3 | FileCheck %s --check-prefix=READ
// RUN: noria run %t.mlir --check-stages --entry=read_of_write '[1,2,3,4,5,6,7,8]' '[10,11]' 3 | FileCheck %s --check-prefix=READ
// READ-COUNT-2: [10, 11]
func.func @read_of_write(%t: tensor<8xi32>, %v: vector<2xi32>, %i: index) -> (vector<2xi32>, vector<2xi32>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %p = arith.constant 0 : i32
  %w = arith.constant dense<5> : vector<4xi32>
  %0 = vector.transfer_write %v, %t[%i] {in_bounds = [true]} : vector<2xi32>, tensor<8xi32>
  %1 = vector.transfer_read %0[%i], %p {in_bounds = [true]} : tensor<8xi32>, vector<2xi32>
  %2 = vector.transfer_write %v, %t[%c1] {in_bounds = [true]} : vector<2xi32>, tensor<8xi32>
  %3 = vector.transfer_write %w, %2[%c3] {in_bounds = [true]} : vector<4xi32>, tensor<8xi32>
  %4 = vector.transfer_read %3[%c1], %p {in_bounds = [true]} : tensor<8xi32>, vector<2xi32>
  return %1, %4 : vector<2xi32>, vector<2xi32>
}

// What may lie outside is padding, not what was written; an overlap, another order and a mask keep the write.
// CHECK-LABEL: func.func @read_stays
// CHECK-COUNT-4: vector.transfer_read
// RUN: noria run %s --interpret --entry=read_stays '[[1,2],[3,4]]' '[7,8]' 1 '[1,0]' | FileCheck %s --check-prefix=STAYS
// RUN: noria run %t.mlir --interpret --entry=read_stays '[[1,2],[3,4]]' '[7,8]' 1 '[1,0]' | FileCheck %s --check-prefix=STAYS
// STAYS: [7, 0]
// STAYS-NEXT: [8, 4]
// STAYS-NEXT: [7, 3]
// STAYS-NEXT: [7, 2]
func.func @read_stays(%t: tensor<2x2xi32>, %v: vector<2xi32>, %i: index, %m: vector<2xi1>)
    -> (vector<2xi32>, vector<2xi32>, vector<2xi32>, vector<2xi32>) {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i32
  %0 = vector.transfer_write %v, %t[%c0, %i] : vector<2xi32>, tensor<2x2xi32>
  %1 = vector.transfer_read %0[%c0, %i], %p : tensor<2x2xi32>, vector<2xi32>
  %2 = vector.transfer_write %v, %t[%c0, %c0] {in_bounds = [true]} : vector<2xi32>, tensor<2x2xi32>
  %3 = vector.transfer_read %2[%c0, %i], %p {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d0)>} : tensor<2x2xi32>, vector<2xi32>
  %4 = vector.transfer_read %2[%c0, %c0], %p {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d0)>} : tensor<2x2xi32>, vector<2xi32>
  %5 = vector.transfer_write %v, %t[%c0, %c0], %m {in_bounds = [true]} : vector<2xi32>, tensor<2x2xi32>
  %6 = vector.transfer_read %5[%c0, %c0], %p {in_bounds = [true]} : tensor<2x2xi32>, vector<2xi32>
  return %1, %3, %4, %6 : vector<2xi32>, vector<2xi32>, vector<2xi32>, vector<2xi32>
}

// What is written over was not written, and what was read there need not be written.
// CHECK-LABEL: func.func @writes
// CHECK-SAME: (%[[T:.*]]: tensor<8xi32>, %[[V:.*]]: vector<2xi32>, %[[U:.*]]: vector<2xi32>, %[[I:.*]]: index)
// CHECK: %[[A:.*]] = vector.transfer_write %[[V]], %[[T]][%{{.*}}]
// CHECK: %[[B:.*]] = vector.transfer_write %[[U]], %[[A]][%{{.*}}]
// CHECK-NEXT: return %[[B]], %[[T]]
// RUN: noria run %s --interpret --entry=writes '[1,2,3,4,5,6,7,8]' '[10,11]' '[20,21]' 7 | FileCheck %s --check-prefix=WRITES
// RUN: noria run %t.mlir --interpret --entry=writes '[1,2,3,4,5,6,7,8]' '[10,11]' '[20,21]' 7 | FileCheck %s --check-prefix=WRITES
// WRITES: [20, 21, 3, 4, 10, 11, 7, 8]
// WRITES-NEXT: [1, 2, 3, 4, 5, 6, 7, 8]
func.func @writes(%t: tensor<8xi32>, %v: vector<2xi32>, %u: vector<2xi32>, %i: index) -> (tensor<8xi32>, tensor<8xi32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %p = arith.constant 0 : i32
  %0 = vector.transfer_write %v, %t[%c0] {in_bounds = [true]} : vector<2xi32>, tensor<8xi32>
  %1 = vector.transfer_write %v, %0[%c4] {in_bounds = [true]} : vector<2xi32>, tensor<8xi32>
  %2 = vector.transfer_write %u, %1[%c0] {in_bounds = [true]} : vector<2xi32>, tensor<8xi32>
  %3 = vector.transfer_read %t[%i], %p : tensor<8xi32>, vector<2xi32>
  %4 = vector.transfer_write %3, %t[%i] : vector<2xi32>, tensor<8xi32>
  return %2, %4 : tensor<8xi32>, tensor<8xi32>
}

// A mask that lets everything through is none; places behind each other are a row.
// CHECK-LABEL: func.func @masks
// CHECK-NOT: vector.constant_mask
// CHECK: vector.transfer_read %{{.*}}[%{{.*}}], %{{[^,]*}} : tensor<8xi32>, vector<4xi32>
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
func.func @masks(%t: tensor<8xi32>, %i: index, %m: memref<?xi32>, %k: vector<4xi1>, %v: vector<4xi32>)
    -> (vector<4xi32>, vector<4xi32>) {
  %p = arith.constant 0 : i32
  %all = vector.constant_mask [4] : vector<4xi1>
  %0 = vector.transfer_read %t[%i], %p, %all : tensor<8xi32>, vector<4xi32>
  %x = arith.constant dense<[0, 1, 2, 3]> : vector<4xi32>
  %1 = vector.gather %m[%i][%x], %k, %v : memref<?xi32>, vector<4xi32>, vector<4xi1>, vector<4xi32> into vector<4xi32>
  vector.scatter %m[%i][%x], %k, %v : memref<?xi32>, vector<4xi32>, vector<4xi1>, vector<4xi32>
  return %0, %1 : vector<4xi32>, vector<4xi32>
}
