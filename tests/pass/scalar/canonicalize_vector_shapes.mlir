// RUN: noria opt --canonicalize --cse %s | FileCheck %s
// RUN: noria opt --canonicalize --syntax=mlir %s | mlir-opt
// RUN: noria opt --canonicalize %s -o %t.mlir

// What is repeated stays so in another shape or order.
// CHECK-LABEL: func.func @repeated
// CHECK-SAME: (%[[V:.*]]: vector<3xi32>, %[[W:.*]]: vector<1x3xi32>)
// CHECK-DAG: %[[A:.*]] = vector.broadcast %[[V]] : vector<3xi32> to vector<2x3xi32>
// CHECK-DAG: %[[B:.*]] = vector.broadcast %[[W]] : vector<1x3xi32> to vector<4x2x3xi32>
// CHECK: return %[[A]], %[[V]], %[[B]], %[[A]], %[[A]]
// RUN: noria run %s --interpret --entry=repeated '[1,2,3]' '[[4,5,6]]' > %t.before
// RUN: noria run %t.mlir --check-stages --entry=repeated '[1,2,3]' '[[4,5,6]]' > %t.after
// RUN: diff %t.before %t.after
func.func @repeated(%v: vector<3xi32>, %w: vector<1x3xi32>)
    -> (vector<2x3xi32>, vector<3xi32>, vector<4x2x3xi32>, vector<2x3xi32>, vector<2x3xi32>) {
  %0 = vector.broadcast %v : vector<3xi32> to vector<1x2x3xi32>
  %1 = vector.shape_cast %0 : vector<1x2x3xi32> to vector<2x3xi32>
  %2 = vector.broadcast %v : vector<3xi32> to vector<1x1x3xi32>
  %3 = vector.shape_cast %2 : vector<1x1x3xi32> to vector<3xi32>
  %4 = vector.broadcast %w : vector<1x3xi32> to vector<2x4x3xi32>
  %5 = vector.transpose %4, [1, 0, 2] : vector<2x4x3xi32> to vector<4x2x3xi32>
  %6 = vector.shape_cast %v : vector<3xi32> to vector<1x3xi32>
  %7 = vector.broadcast %6 : vector<1x3xi32> to vector<2x3xi32>
  %8 = vector.broadcast %v : vector<3xi32> to vector<5x3xi32>
  %9 = vector.extract_strided_slice %8 {offsets = [2], sizes = [2], strides = [1]} : vector<5x3xi32> to vector<2x3xi32>
  return %1, %3, %5, %7, %9 : vector<2x3xi32>, vector<3xi32>, vector<4x2x3xi32>, vector<2x3xi32>, vector<2x3xi32>
}

// CHECK-LABEL: func.func @moved
// CHECK-NOT: transpose
// CHECK: vector.shape_cast %{{.*}} : vector<3xi32> to vector<3x1xi32>
// CHECK: vector.shape_cast %{{.*}} : vector<2x1x3xi32> to vector<6xi32>
// CHECK: vector.transpose
// RUN: noria run %s --interpret --entry=moved '[1,2,3]' '[[[1,2,3]],[[4,5,6]]]' > %t.before
// RUN: noria run %t.mlir --check-stages --entry=moved '[1,2,3]' '[[[1,2,3]],[[4,5,6]]]' > %t.after
// RUN: diff %t.before %t.after
func.func @moved(%v: vector<3xi32>, %w: vector<2x1x3xi32>) -> (vector<3x1xi32>, vector<6xi32>, vector<6xi32>) {
  %0 = vector.shape_cast %v : vector<3xi32> to vector<1x3xi32>
  %1 = vector.transpose %0, [1, 0] : vector<1x3xi32> to vector<3x1xi32>
  %2 = vector.transpose %w, [1, 0, 2] : vector<2x1x3xi32> to vector<1x2x3xi32>
  %3 = vector.shape_cast %2 : vector<1x2x3xi32> to vector<6xi32>
  %rows = vector.shape_cast %w : vector<2x1x3xi32> to vector<2x3xi32>
  %4 = vector.transpose %rows, [1, 0] : vector<2x3xi32> to vector<3x2xi32>
  %5 = vector.shape_cast %4 : vector<3x2xi32> to vector<6xi32>
  return %1, %3, %5 : vector<3x1xi32>, vector<6xi32>, vector<6xi32>
}

// CHECK-LABEL: func.func @taken
// CHECK-SAME: (%[[V:.*]]: vector<2x3xi32>, %[[X:.*]]: i32, %[[Y:.*]]: i32, %[[P:.*]]: vector<2xi32>, %[[D:.*]]: vector<8xi32>)
// CHECK-DAG: %[[R:.*]] = vector.extract %[[V]][1] : vector<3xi32>
// CHECK-DAG: %[[E:.*]] = vector.from_elements %[[Y]], %[[X]] : vector<2xi32>
// CHECK-DAG: %[[F:.*]] = vector.from_elements %[[X]], %[[Y]] : vector<2xi32>
// CHECK-DAG: %[[I:.*]] = vector.extract %[[P]][1]
// CHECK-DAG: %[[O:.*]] = vector.extract %[[D]][7]
// CHECK: return %[[R]], %[[E]], %[[F]], %[[I]], %[[O]], %[[P]]
// RUN: noria run %s --interpret --entry=taken '[[1,2,3],[4,5,6]]' 7 8 '[9,10]' '[0,1,2,3,4,5,6,7]' > %t.before
// RUN: noria run %t.mlir --check-stages --entry=taken '[[1,2,3],[4,5,6]]' 7 8 '[9,10]' '[0,1,2,3,4,5,6,7]' > %t.after
// RUN: diff %t.before %t.after
func.func @taken(%v: vector<2x3xi32>, %x: i32, %y: i32, %p: vector<2xi32>, %d: vector<8xi32>)
    -> (vector<3xi32>, vector<2xi32>, vector<2xi32>, i32, i32, vector<2xi32>) {
  %0 = vector.shape_cast %v : vector<2x3xi32> to vector<1x2x3xi32>
  %1 = vector.transpose %0, [1, 0, 2] : vector<1x2x3xi32> to vector<2x1x3xi32>
  %2 = vector.extract %1[1, 0] : vector<3xi32> from vector<2x1x3xi32>
  %3 = vector.from_elements %x, %y, %y, %x : vector<2x2xi32>
  %4 = vector.extract %3[1] : vector<2xi32> from vector<2x2xi32>
  %5 = vector.insert %x, %p[1] : i32 into vector<2xi32>
  %6 = vector.insert %x, %5[0] : i32 into vector<2xi32>
  %7 = vector.insert %y, %6[1] : i32 into vector<2xi32>
  %8 = vector.insert_strided_slice %p, %d {offsets = [3], strides = [1]} : vector<2xi32> into vector<8xi32>
  %9 = vector.extract %8[4] : i32 from vector<8xi32>
  %10 = vector.extract %8[7] : i32 from vector<8xi32>
  %11 = vector.extract_strided_slice %8 {offsets = [3], sizes = [2], strides = [1]} : vector<8xi32> to vector<2xi32>
  return %2, %4, %7, %9, %10, %11 : vector<3xi32>, vector<2xi32>, vector<2xi32>, i32, i32, vector<2xi32>
}

// CHECK-LABEL: func.func @made
// CHECK-SAME: (%[[V:.*]]: vector<2xi32>, %[[X:.*]]: i32)
// CHECK: %[[B:.*]] = vector.broadcast %[[X]] : i32 to vector<8xi32>
// CHECK: %[[E:.*]]:2 = vector.to_elements %[[V]]
// CHECK: return %[[V]], %[[B]], %[[E]]#1
func.func @made(%v: vector<2xi32>, %x: i32) -> (vector<2xi32>, vector<8xi32>, i32) {
  %0 = vector.extract %v[0] : i32 from vector<2xi32>
  %1 = vector.extract %v[1] : i32 from vector<2xi32>
  %2 = vector.from_elements %0, %1 : vector<2xi32>
  %3 = vector.broadcast %x : i32 to vector<8xi32>
  %4 = vector.broadcast %x : i32 to vector<2xi32>
  %5 = vector.insert_strided_slice %4, %3 {offsets = [3], strides = [1]} : vector<2xi32> into vector<8xi32>
  %6 = vector.broadcast %v : vector<2xi32> to vector<3x2xi32>
  %7:6 = vector.to_elements %6 : vector<3x2xi32>
  return %2, %5, %7#3 : vector<2xi32>, vector<8xi32>, i32
}

// CHECK-LABEL: func.func @masks
// CHECK-SAME: (%[[N:.*]]: index, %[[M:.*]]: index)
// CHECK-DAG: %[[ALL:.*]] = arith.constant dense<true> : vector<2x2xi1>
// CHECK-DAG: %[[NONE:.*]] = arith.constant dense<false> : vector<3xi1>
// CHECK-DAG: %[[ROW:.*]] = vector.create_mask %[[N]] : vector<3xi1>
// CHECK-DAG: %[[PART:.*]] = vector.constant_mask [2, 1] : vector<2x2xi1>
// CHECK-DAG: %[[TURNED:.*]] = vector.create_mask %[[M]], %[[N]] : vector<3x2xi1>
// CHECK: return %[[ALL]], %[[ROW]], %[[NONE]], %[[PART]], %[[TURNED]]
// RUN: noria run %s --interpret --entry=masks 2 1 > %t.before
// RUN: noria run %t.mlir --check-stages --entry=masks 2 1 > %t.after
// RUN: diff %t.before %t.after
func.func @masks(%n: index, %m: index) -> (vector<2x2xi1>, vector<3xi1>, vector<3xi1>, vector<2x2xi1>, vector<3x2xi1>) {
  %c1 = arith.constant 1 : index
  %0 = vector.constant_mask [2, 2] : vector<2x2xi1>
  %1 = vector.create_mask %c1, %n : vector<2x3xi1>
  %2 = vector.extract %1[0] : vector<3xi1> from vector<2x3xi1>
  %3 = vector.extract %1[1] : vector<3xi1> from vector<2x3xi1>
  %4 = vector.constant_mask [4, 2] : vector<4x3xi1>
  %5 = vector.extract_strided_slice %4 {offsets = [1, 1], sizes = [2, 2], strides = [1, 1]} : vector<4x3xi1> to vector<2x2xi1>
  %6 = vector.create_mask %n, %m : vector<2x3xi1>
  %7 = vector.transpose %6, [1, 0] : vector<2x3xi1> to vector<3x2xi1>
  return %0, %2, %3, %5, %7 : vector<2x2xi1>, vector<3xi1>, vector<3xi1>, vector<2x2xi1>, vector<3x2xi1>
}

// CHECK-LABEL: func.func @poison
// CHECK-NOT: vector
// CHECK: ub.poison : f32
// CHECK: return
func.func @poison() -> f32 {
  %p = ub.poison : f32
  %0 = vector.broadcast %p : f32 to vector<4xf32>
  %1 = vector.extract %0[1] : f32 from vector<4xf32>
  %2 = ub.poison : vector<4xf32>
  %3 = vector.extract %2[1] : f32 from vector<4xf32>
  %4 = arith.addf %1, %3 : f32
  return %4 : f32
}
