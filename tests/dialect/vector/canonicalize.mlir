// RUN: noria opt --pass-pipeline=canonicalize %s | FileCheck %s
// RUN: noria opt --pass-pipeline=canonicalize --syntax=mlir %s | mlir-opt

// CHECK-LABEL: func.func @folds
// CHECK-SAME: (%[[X:.*]]: f32, %[[V:.*]]: vector<8xf32>)
// CHECK-DAG: %[[C:.*]] = arith.constant dense<2.000000e+00> : vector<8xf32>
// CHECK-DAG: %[[E:.*]] = arith.constant 3.000000e+00 : f32
// CHECK: %[[B:.*]] = vector.shape_cast %[[V]] : vector<8xf32> to vector<1x8xf32>
// CHECK: return %[[C]], %[[X]], %[[E]], %[[X]], %[[V]], %[[B]]
func.func @folds(%x: f32, %v: vector<8xf32>) -> (vector<8xf32>, f32, f32, f32, vector<8xf32>, vector<1x8xf32>) {
  %two = arith.constant 2.0 : f32
  %0 = vector.broadcast %two : f32 to vector<8xf32>
  %1 = vector.broadcast %x : f32 to vector<8xf32>
  %2 = vector.extract %1[3] : f32 from vector<8xf32>
  %3 = arith.constant dense<[1.0, 3.0]> : vector<2xf32>
  %4 = vector.extract %3[1] : f32 from vector<2xf32>
  %5 = vector.from_elements %two, %x : vector<2xf32>
  %6 = vector.extract %5[1] : f32 from vector<2xf32>
  %7 = vector.shape_cast %v : vector<8xf32> to vector<2x4xf32>
  %8 = vector.shape_cast %7 : vector<2x4xf32> to vector<8xf32>
  %9 = vector.shape_cast %7 : vector<2x4xf32> to vector<1x8xf32>
  return %0, %2, %4, %6, %8, %9 : vector<8xf32>, f32, f32, f32, vector<8xf32>, vector<1x8xf32>
}

// CHECK-LABEL: func.func @effects
// CHECK-NEXT: vector.store
// CHECK-NEXT: vector.transfer_write
// CHECK-NEXT: return
func.func @effects(%m: memref<8xf32>, %t: tensor<8xf32>, %i: index, %v: vector<4xf32>, %x: f32) {
  vector.store %v, %m[%i] : memref<8xf32>, vector<4xf32>
  %0 = vector.load %m[%i] : memref<8xf32>, vector<4xf32>
  %1 = vector.transfer_read %t[%i], %x : tensor<8xf32>, vector<4xf32>
  %2 = vector.transfer_write %v, %t[%i] : vector<4xf32>, tensor<8xf32>
  vector.transfer_write %v, %m[%i] : vector<4xf32>, memref<8xf32>
  return
}

// CHECK-LABEL: func.func @read_of_a_cast
// CHECK-SAME: (%[[T:.*]]: tensor<8xf32>,
// CHECK-NOT: tensor.cast
// CHECK: vector.transfer_read %[[T]]
func.func @read_of_a_cast(%t: tensor<8xf32>, %i: index, %p: f32) -> vector<4xf32> {
  %c = tensor.cast %t : tensor<8xf32> to tensor<?xf32>
  %v = vector.transfer_read %c[%i], %p : tensor<?xf32>, vector<4xf32>
  return %v : vector<4xf32>
}
