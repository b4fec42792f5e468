// RUN: noria opt --canonicalize --cse %s | FileCheck %s
// RUN: noria opt --canonicalize --syntax=mlir %s | mlir-opt
// RUN: noria opt --canonicalize %s -o %t.mlir

// An element is found where it came from.
// CHECK-LABEL: func.func @extract
// CHECK-SAME: %[[V:.*]]: vector<4xi32>, %[[M:.*]]: vector<2x4xi32>, %[[X:.*]]: i32)
// CHECK-DAG: %[[V1:.*]] = vector.extract %[[V]][1]
// CHECK-DAG: %[[V2:.*]] = vector.extract %[[V]][2]
// CHECK-DAG: %[[M13:.*]] = vector.extract %[[M]][1, 3]
// CHECK: return %[[X]], %[[V1]], %[[V2]], %[[M13]], %[[V2]], %[[V1]], %[[X]], %[[V1]]
// RUN: noria run %s --interpret --entry=extract '[5, 6, 7, 8]' '[[1, 2, 3, 4], [11, 12, 13, 14]]' 9 | FileCheck %s --check-prefix=EXTRACT
// RUN: noria run %t.mlir --check-stages --entry=extract '[5, 6, 7, 8]' '[[1, 2, 3, 4], [11, 12, 13, 14]]' 9 | FileCheck %s --check-prefix=EXTRACT
// EXTRACT: {{^}}9 : i32
// EXTRACT-NEXT: 6 : i32
// EXTRACT-NEXT: 7 : i32
// EXTRACT-NEXT: 14 : i32
// EXTRACT-NEXT: 7 : i32
// EXTRACT-NEXT: 6 : i32
// EXTRACT-NEXT: 9 : i32
// EXTRACT-NEXT: 6 : i32
func.func @extract(%v: vector<4xi32>, %m: vector<2x4xi32>, %x: i32) -> (i32, i32, i32, i32, i32, i32, i32, i32) {
  %c1 = arith.constant 1 : index
  %i = vector.insert %x, %v[2] : i32 into vector<4xi32>
  %0 = vector.extract %i[2] : i32 from vector<4xi32>
  %1 = vector.extract %i[%c1] : i32 from vector<4xi32>
  %cast = vector.shape_cast %v : vector<4xi32> to vector<2x2xi32>
  %2 = vector.extract %cast[1, 0] : i32 from vector<2x2xi32>
  %turned = vector.transpose %m, [1, 0] : vector<2x4xi32> to vector<4x2xi32>
  %row = vector.extract %turned[3] : vector<2xi32> from vector<4x2xi32>
  %3 = vector.extract %row[1] : i32 from vector<2xi32>
  %part = vector.extract_strided_slice %v {offsets = [1], sizes = [2], strides = [1]} : vector<4xi32> to vector<2xi32>
  %4 = vector.extract %part[1] : i32 from vector<2xi32>
  %mixed = vector.shuffle %i, %v [3, 5] : vector<4xi32>, vector<4xi32>
  %5 = vector.extract %mixed[1] : i32 from vector<2xi32>
  %6 = vector.extract %i[2] : i32 from vector<4xi32>
  %wide = vector.broadcast %v : vector<4xi32> to vector<3x4xi32>
  %7 = vector.extract %wide[2, 1] : i32 from vector<3x4xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : i32, i32, i32, i32, i32, i32, i32, i32
}

// There and back; what moves elements that are all one scalar.
// CHECK-LABEL: func.func @moved
// CHECK-SAME: %[[V:.*]]: vector<4xf32>, %[[M:.*]]: vector<2x4xf32>, %[[X:.*]]: f32)
// CHECK-DAG: %[[A:.*]] = vector.broadcast %[[X]] : f32 to vector<4x2xf32>
// CHECK-DAG: %[[B:.*]] = vector.broadcast %[[X]] : f32 to vector<2xf32>
// CHECK: return %[[V]], %[[M]], %[[A]], %[[V]], %[[B]], %[[V]], %[[V]]
func.func @moved(%v: vector<4xf32>, %m: vector<2x4xf32>, %x: f32)
    -> (vector<4xf32>, vector<2x4xf32>, vector<4x2xf32>, vector<4xf32>, vector<2xf32>, vector<4xf32>, vector<4xf32>) {
  %e:4 = vector.to_elements %v : vector<4xf32>
  %0 = vector.from_elements %e#0, %e#1, %e#2, %e#3 : vector<4xf32>
  %t = vector.transpose %m, [1, 0] : vector<2x4xf32> to vector<4x2xf32>
  %1 = vector.transpose %t, [1, 0] : vector<4x2xf32> to vector<2x4xf32>
  %same = vector.from_elements %x, %x, %x, %x, %x, %x, %x, %x : vector<2x4xf32>
  %2 = vector.transpose %same, [1, 0] : vector<2x4xf32> to vector<4x2xf32>
  %3 = vector.shuffle %v, %v [4, 5, 6, 7] : vector<4xf32>, vector<4xf32>
  %all = vector.broadcast %x : f32 to vector<4xf32>
  %4 = vector.extract_strided_slice %all {offsets = [1], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
  %p = vector.extract_strided_slice %v {offsets = [1], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
  %5 = vector.insert_strided_slice %p, %v {offsets = [1], strides = [1]} : vector<2xf32> into vector<4xf32>
  %both = vector.interleave %v, %all : vector<4xf32> -> vector<8xf32>
  %6, %7 = vector.deinterleave %both : vector<8xf32> -> vector<4xf32>
  return %0, %1, %2, %3, %4, %5, %6 : vector<4xf32>, vector<2x4xf32>, vector<4x2xf32>, vector<4xf32>, vector<2xf32>, vector<4xf32>, vector<4xf32>
}

// Masks that let everything through, or nothing.
// CHECK-LABEL: func.func @masks
// CHECK-SAME: %[[M:.*]]: memref<4xf32>, %[[V:.*]]: vector<4xf32>, %[[I:.*]]: vector<4xi32>)
// CHECK: %[[L:.*]] = vector.load %[[M]][%{{.*}}] : memref<4xf32>, vector<4xf32>
// CHECK-NEXT: vector.store %[[V]], %[[M]]
// CHECK-NEXT: return %[[L]], %[[V]], %[[V]]
func.func @masks(%m: memref<4xf32>, %v: vector<4xf32>, %i: vector<4xi32>) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %open = memref.cast %m : memref<4xf32> to memref<?xf32>
  %all = vector.create_mask %c4 : vector<4xi1>
  %none = vector.constant_mask [0] : vector<4xi1>
  %0 = vector.maskedload %open[%c0], %all, %v : memref<?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %1 = vector.maskedload %open[%c0], %none, %v : memref<?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %2 = vector.gather %open[%c0][%i], %none, %v : memref<?xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.maskedstore %open[%c0], %none, %v : memref<?xf32>, vector<4xi1>, vector<4xf32>
  vector.scatter %open[%c0][%i], %none, %v : memref<?xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32>
  vector.compressstore %open[%c0], %all, %v : memref<?xf32>, vector<4xi1>, vector<4xf32>
  return %0, %1, %2 : vector<4xf32>, vector<4xf32>, vector<4xf32>
}

// Of constants there is nothing left to do.
// CHECK-LABEL: func.func @constants
// CHECK-DAG: %[[A:.*]] = arith.constant dense<[4, 1, 1]> : vector<3xi32>
// CHECK-DAG: %[[B:.*]] = arith.constant 24 : i32
// CHECK-DAG: %[[C:.*]] = arith.constant dense<{{\[}}[1, 3], [2, 4]]> : vector<2x2xi32>
// CHECK-DAG: %[[D:.*]] = arith.constant dense<[true, true, false, false]> : vector<4xi1>
// CHECK-DAG: %[[E:.*]] = arith.constant dense<[1, 9, 3, 4]> : vector<4xi32>
// CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]]
func.func @constants() -> (vector<3xi32>, i32, vector<2x2xi32>, vector<4xi1>, vector<4xi32>) {
  %c2 = arith.constant 2 : index
  %nine = arith.constant 9 : i32
  %v = arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>
  %0 = vector.shuffle %v, %v [3, 0, 4] : vector<4xi32>, vector<4xi32>
  %1 = vector.reduction <mul>, %v : vector<4xi32> into i32
  %m = vector.shape_cast %v : vector<4xi32> to vector<2x2xi32>
  %2 = vector.transpose %m, [1, 0] : vector<2x2xi32> to vector<2x2xi32>
  %3 = vector.create_mask %c2 : vector<4xi1>
  %4 = vector.insert %nine, %v[1] : i32 into vector<4xi32>
  return %0, %1, %2, %3, %4 : vector<3xi32>, i32, vector<2x2xi32>, vector<4xi1>, vector<4xi32>
}

// CHECK-LABEL: func.func @reductions
// CHECK-DAG: %[[E:.*]] = vector.extract %arg0[0]
// CHECK-DAG: %[[S:.*]] = arith.addf %arg2, %[[E]] : f32
// CHECK-DAG: %[[A:.*]] = arith.addf %arg1, %arg1 : vector<2xf32>
// CHECK: return %[[S]], %arg1, %[[A]]
func.func @reductions(%v: vector<1xf32>, %w: vector<2xf32>, %x: f32) -> (f32, vector<2xf32>, vector<2xf32>) {
  %0 = vector.reduction <add>, %v, %x : vector<1xf32> into f32
  %1 = vector.multi_reduction <maximumf>, %w, %w [] : vector<2xf32> to vector<2xf32>
  %2 = vector.multi_reduction <add>, %w, %w [] : vector<2xf32> to vector<2xf32>
  return %0, %1, %2 : f32, vector<2xf32>, vector<2xf32>
}

// Of a length that the machine decides: left alone.
// CHECK-LABEL: func.func @scalable
// CHECK: vector.extract %{{.*}}[%{{.*}}] : vector<[4]xf32> from vector<2x[4]xf32>
// CHECK-NOT: vector.extract
func.func @scalable(%v: vector<[4]xf32>) -> vector<[4]xf32> {
  %c1 = arith.constant 1 : index
  %two = vector.broadcast %v : vector<[4]xf32> to vector<2x[4]xf32>
  %i = vector.insert %v, %two[0] : vector<[4]xf32> into vector<2x[4]xf32>
  %r = vector.extract %i[%c1] : vector<[4]xf32> from vector<2x[4]xf32>
  return %r : vector<[4]xf32>
}
