// RUN: noria opt --canonicalize %s | FileCheck %s
// RUN: noria opt --canonicalize --syntax=mlir %s | mlir-opt
// RUN: noria opt --canonicalize %s -o %t.mlir

// Two reshapes in a row are one, or none.
// CHECK-LABEL: func.func @finer
// CHECK: %[[R:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
// CHECK-NEXT: return %[[R]]
// RUN: noria run %s --interpret --entry=finer '[1,2,3,4,5,6]' | FileCheck %s --check-prefix=FINER
// RUN: noria run %t.mlir --check-stages --entry=finer '[1,2,3,4,5,6]' | FileCheck %s --check-prefix=FINER
// FINER: 1.000000e+00, 2.000000e+00, 3.000000e+00
// FINER: 4.000000e+00, 5.000000e+00, 6.000000e+00
func.func @finer(%t: tensor<6xf32>) -> tensor<2x3xf32> {
  %0 = tensor.expand_shape %t [[0, 1, 2]] output_shape [2, 1, 3] : tensor<6xf32> into tensor<2x1x3xf32>
  %1 = tensor.collapse_shape %0 [[0, 1], [2]] : tensor<2x1x3xf32> into tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// The size of an open dim is that of its group.
// CHECK-LABEL: func.func @finer_open
// CHECK-SAME: (%{{.*}}: tensor<?xf32>, %[[N:.*]]: index, %[[M:.*]]: index)
// CHECK: %[[S:.*]] = arith.muli %[[N]], %[[M]]
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [%[[S]], 4] : tensor<?xf32> into tensor<?x4xf32>
// CHECK-NOT: collapse
// RUN: noria run %s --interpret --entry=finer_open '[1,2,3,4,5,6,7,8]' 1 2 | FileCheck %s --check-prefix=OPEN
// RUN: noria run %t.mlir --check-stages --entry=finer_open '[1,2,3,4,5,6,7,8]' 1 2 | FileCheck %s --check-prefix=OPEN
// OPEN: 1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00
// OPEN: 5.000000e+00, 6.000000e+00, 7.000000e+00, 8.000000e+00
func.func @finer_open(%t: tensor<?xf32>, %n: index, %m: index) -> tensor<?x4xf32> {
  %0 = tensor.expand_shape %t [[0, 1, 2]] output_shape [%n, %m, 4] : tensor<?xf32> into tensor<?x?x4xf32>
  %1 = tensor.collapse_shape %0 [[0, 1], [2]] : tensor<?x?x4xf32> into tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @coarser
// CHECK: %[[R:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<?x?xf32> into tensor<?xf32>
// CHECK-NEXT: return %[[R]]
func.func @coarser(%t: tensor<?x?xf32>, %n: index, %m: index) -> tensor<?xf32> {
  %0 = tensor.expand_shape %t [[0, 1], [2]] output_shape [%n, 3, %m] : tensor<?x?xf32> into tensor<?x3x?xf32>
  %1 = tensor.collapse_shape %0 [[0, 1, 2]] : tensor<?x3x?xf32> into tensor<?xf32>
  return %1 : tensor<?xf32>
}

// CHECK-LABEL: func.func @through_less
// CHECK-DAG: %[[A:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
// CHECK-DAG: %[[B:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [2, 3, 4]
// CHECK: return %[[A]], %[[B]]
func.func @through_less(%t: tensor<2x3x4xf32>, %u: tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<2x3x4xf32>) {
  %0 = tensor.collapse_shape %t [[0, 1, 2]] : tensor<2x3x4xf32> into tensor<24xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [6, 4] : tensor<24xf32> into tensor<6x4xf32>
  %2 = tensor.collapse_shape %u [[0, 1]] : tensor<6x4xf32> into tensor<24xf32>
  %3 = tensor.expand_shape %2 [[0, 1, 2]] output_shape [2, 3, 4] : tensor<24xf32> into tensor<2x3x4xf32>
  return %1, %3 : tensor<6x4xf32>, tensor<2x3x4xf32>
}

// Dims that do not divide each other, and two open dims of which only the product is known, stay two reshapes.
// CHECK-LABEL: func.func @stays
// CHECK-COUNT-2: tensor.collapse_shape
// CHECK: tensor.expand_shape
// CHECK: tensor.expand_shape
func.func @stays(%t: tensor<6x4xf32>, %u: tensor<?x?xf32>, %n: index, %m: index) -> (tensor<4x6xf32>, tensor<?x?xf32>) {
  %0 = tensor.collapse_shape %t [[0, 1]] : tensor<6x4xf32> into tensor<24xf32>
  %2 = tensor.collapse_shape %u [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [4, 6] : tensor<24xf32> into tensor<4x6xf32>
  %3 = tensor.expand_shape %2 [[0, 1]] output_shape [%n, %m] : tensor<?xf32> into tensor<?x?xf32>
  return %1, %3 : tensor<4x6xf32>, tensor<?x?xf32>
}

// CHECK-LABEL: func.func @buffers
// CHECK-SAME: (%[[M:.*]]: memref<24xf32>)
// CHECK-NEXT: %[[A:.*]] = memref.expand_shape %[[M]] {{\[\[}}0, 1]] output_shape [6, 4]
// CHECK-NEXT: %[[B:.*]] = memref.expand_shape %[[M]] {{\[\[}}0, 1, 2]] output_shape [2, 3, 4]
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @buffers(%m: memref<24xf32>) -> (memref<6x4xf32>, memref<2x3x4xf32>) {
  %0 = memref.expand_shape %m [[0, 1, 2]] output_shape [2, 3, 4] : memref<24xf32> into memref<2x3x4xf32>
  %1 = memref.collapse_shape %0 [[0, 1], [2]] : memref<2x3x4xf32> into memref<6x4xf32>
  %2 = memref.expand_shape %1 [[0, 1], [2]] output_shape [2, 3, 4] : memref<6x4xf32> into memref<2x3x4xf32>
  return %1, %2 : memref<6x4xf32>, memref<2x3x4xf32>
}

// CHECK-LABEL: func.func @views
// CHECK-SAME: (%[[M:.*]]: memref<2x3x4xf32>, %[[N:.*]]: memref<4xf32>)
// CHECK-NEXT: %[[T:.*]] = memref.transpose %[[M]] (d0, d1, d2) -> (d2, d0, d1)
// CHECK-NEXT: %[[A:.*]] = memref.assume_alignment %[[N]], 16
// CHECK-NEXT: return %[[T]], %[[A]]
func.func @views(%m: memref<2x3x4xf32>, %n: memref<4xf32>) -> (memref<4x2x3xf32, strided<[1, 12, 4]>>, memref<4xf32>) {
  %0 = memref.transpose %m (i, j, k) -> (k, j, i) : memref<2x3x4xf32> to memref<4x3x2xf32, strided<[1, 4, 12]>>
  %1 = memref.transpose %0 (i, j, k) -> (i, k, j) : memref<4x3x2xf32, strided<[1, 4, 12]>> to memref<4x2x3xf32, strided<[1, 12, 4]>>
  %2 = memref.assume_alignment %n, 16 : memref<4xf32>
  %3 = memref.assume_alignment %2, 8 : memref<4xf32>
  return %1, %3 : memref<4x2x3xf32, strided<[1, 12, 4]>>, memref<4xf32>
}

// A cast of a cast that says less goes from the root; two that contradict each other stay.
// CHECK-LABEL: func.func @casts
// CHECK: memref.cast %{{.*}} : memref<2x2xf32, strided<[16, 1], offset: 34>> to memref<2x2xf32, strided<[?, ?], offset: ?>>
// CHECK: memref.cast %{{.*}} : memref<8xf32> to memref<?xf32>
// CHECK: memref.cast %{{.*}} : memref<?xf32> to memref<4xf32>
func.func @casts(%m: memref<2x2xf32, strided<[16, 1], offset: 34>>, %n: memref<8xf32>)
    -> (memref<2x2xf32, strided<[?, ?], offset: ?>>, memref<4xf32>) {
  %0 = memref.cast %m : memref<2x2xf32, strided<[16, 1], offset: 34>> to memref<2x2xf32, strided<[?, 1], offset: ?>>
  %1 = memref.cast %0 : memref<2x2xf32, strided<[?, 1], offset: ?>> to memref<2x2xf32, strided<[?, ?], offset: ?>>
  %2 = memref.cast %n : memref<8xf32> to memref<?xf32>
  %3 = memref.cast %2 : memref<?xf32> to memref<4xf32>
  return %1, %3 : memref<2x2xf32, strided<[?, ?], offset: ?>>, memref<4xf32>
}
