// RUN: noria opt --pass-pipeline=canonicalize %s | FileCheck %s
// RUN: noria opt --pass-pipeline=canonicalize --syntax=mlir %s | mlir-opt

// CHECK-LABEL: func.func @extract_of_made
// CHECK-SAME: (%[[X:.*]]: f32, %[[I:.*]]: index, %[[T:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: return %[[X]], %[[X]], %[[C1]], %[[X]] : f32, f32, f32, f32
func.func @extract_of_made(%x: f32, %i: index, %t: tensor<4xf32>) -> (f32, f32, f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %0 = tensor.splat %x : tensor<8xf32>
  %1 = tensor.extract %0[%i] : tensor<8xf32>
  %2 = tensor.from_elements %one, %x : tensor<2xf32>
  %3 = tensor.extract %2[%c1] : tensor<2xf32>
  %4 = arith.constant dense<[[3.0, 2.0], [0.0, 1.0]]> : tensor<2x2xf32>
  %5 = tensor.extract %4[%c1, %c1] : tensor<2x2xf32>
  %6 = tensor.insert %x into %t[%i] : tensor<4xf32>
  %7 = tensor.extract %6[%i] : tensor<4xf32>
  return %1, %3, %5, %7 : f32, f32, f32, f32
}

// Reads go through what only changes the shape, to the place in the source.
// CHECK-LABEL: func.func @extract_through
// CHECK-SAME: (%[[T:.*]]: tensor<4x6xf32>, %[[I:.*]]: index, %[[J:.*]]: index)
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[S:.*]] = arith.muli %[[J]], %[[C2]] : index
// CHECK: %[[P:.*]] = arith.addi %[[S]], %[[C3]] : index
// CHECK: tensor.extract %[[T]][%[[I]], %[[P]]]
// CHECK: %[[R:.*]] = arith.muli %[[I]], %[[C3]] : index
// CHECK: %[[Q:.*]] = arith.addi %[[R]], %[[J]] : index
// CHECK: tensor.extract %[[T]][%[[J]], %[[Q]]]
// CHECK: tensor.extract %[[T]][%[[C0]], %[[I]]]
func.func @extract_through(%t: tensor<4x6xf32>, %i: index, %j: index) -> (f32, f32, f32) {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract_slice %t[0, 3] [4, 2] [1, 2] : tensor<4x6xf32> to tensor<4x2xf32>
  %1 = tensor.extract %0[%i, %j] : tensor<4x2xf32>
  %2 = tensor.expand_shape %t [[0], [1, 2]] output_shape [4, 2, 3] : tensor<4x6xf32> into tensor<4x2x3xf32>
  %3 = tensor.extract %2[%j, %i, %j] : tensor<4x2x3xf32>
  %4 = tensor.extract_slice %t[0, 0] [1, 6] [1, 1] : tensor<4x6xf32> to tensor<1x6xf32>
  %5 = tensor.collapse_shape %4 [[0, 1]] : tensor<1x6xf32> into tensor<6xf32>
  %6 = tensor.cast %5 : tensor<6xf32> to tensor<?xf32>
  %7 = tensor.extract %6[%i] : tensor<?xf32>
  return %1, %3, %7 : f32, f32, f32
}

// CHECK-LABEL: func.func @extract_of_generate
// CHECK-SAME: (%{{.*}}: index, %[[I:.*]]: index)
// CHECK-NEXT: %[[R:.*]] = arith.muli %[[I]], %[[I]] : index
// CHECK-NEXT: return %[[R]]
func.func @extract_of_generate(%n: index, %i: index) -> index {
  %0 = tensor.generate %n {
  ^bb0(%j: index):
    %1 = arith.muli %j, %j : index
    tensor.yield %1 : index
  } : tensor<?xindex>
  %2 = tensor.extract %0[%i] : tensor<?xindex>
  return %2 : index
}

// CHECK-LABEL: func.func @dims
// CHECK-SAME: (%[[T:.*]]: tensor<?x4xf32>, %[[N:.*]]: index, %[[M:.*]]: index)
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK: %[[D:.*]] = tensor.dim %[[T]], %[[C0]]
// CHECK: %[[D4:.*]] = arith.muli %{{.*}}, %[[C4]] : index
// CHECK: %[[DN:.*]] = arith.addi %{{.*}}, %[[N]] : index
// CHECK: return %[[C4]], %[[N]], %[[N]], %[[D]], %[[D4]], %[[DN]], %[[M]]
func.func @dims(%t: tensor<?x4xf32>, %n: index, %m: index) -> (index, index, index, index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tensor.dim %t, %c1 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %1 = tensor.dim %e, %c0 : tensor<?x4xf32>
  %s = tensor.extract_slice %t[0, 0] [%n, 1] [1, 1] : tensor<?x4xf32> to tensor<?xf32>
  %2 = tensor.dim %s, %c0 : tensor<?xf32>
  %x = tensor.extract %t[%c0, %c0] : tensor<?x4xf32>
  %i = tensor.insert %x into %t[%n, %m] : tensor<?x4xf32>
  %3 = tensor.dim %i, %c0 : tensor<?x4xf32>
  %f = tensor.collapse_shape %t [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %4 = tensor.dim %f, %c0 : tensor<?xf32>
  %c = tensor.concat dim(0) %t, %e : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %5 = tensor.dim %c, %c0 : tensor<?x4xf32>
  %shape = tensor.from_elements %m : tensor<1xindex>
  %r = tensor.reshape %t(%shape) : (tensor<?x4xf32>, tensor<1xindex>) -> tensor<?xf32>
  %6 = tensor.dim %r, %c0 : tensor<?xf32>
  return %0, %1, %2, %3, %4, %5, %6 : index, index, index, index, index, index, index
}

// CHECK-LABEL: func.func @casts
// CHECK-SAME: (%[[T:.*]]: tensor<4xf32>, %[[U:.*]]: tensor<?xf32>)
// CHECK: %[[A:.*]] = tensor.cast %[[T]] : tensor<4xf32> to tensor<*xf32>
// CHECK: return %[[T]], %[[A]], %[[U]]
func.func @casts(%t: tensor<4xf32>, %u: tensor<?xf32>) -> (tensor<4xf32>, tensor<*xf32>, tensor<?xf32>) {
  %0 = tensor.cast %t : tensor<4xf32> to tensor<?xf32>
  %1 = tensor.cast %0 : tensor<?xf32> to tensor<4xf32>
  %2 = tensor.cast %0 : tensor<?xf32> to tensor<*xf32>
  %3 = tensor.cast %u : tensor<?xf32> to tensor<4xf32>
  %4 = tensor.cast %3 : tensor<4xf32> to tensor<?xf32>
  return %1, %2, %4 : tensor<4xf32>, tensor<*xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @sizes
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4x8xf32>
// CHECK: return %[[E]]
func.func @sizes() -> tensor<4x8xf32> {
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %0 = tensor.empty(%c4, %c8) : tensor<?x?xf32>
  %1 = tensor.cast %0 : tensor<?x?xf32> to tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @slices
// CHECK-SAME: (%[[T:.*]]: tensor<8x8xf32>, %[[U:.*]]: tensor<?x8xf32>, %[[S:.*]]: tensor<2x8xf32>, %[[I:.*]]: index)
// CHECK: %[[A:.*]] = arith.addi %[[I]], %{{.*}} : index
// CHECK: %[[M:.*]] = tensor.extract_slice %[[T]][%[[A]], 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
// CHECK: return %[[T]], %[[S]], %[[M]], %[[T]]
func.func @slices(%t: tensor<8x8xf32>, %u: tensor<?x8xf32>, %s: tensor<2x8xf32>, %i: index) -> (tensor<8x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<8x8xf32>) {
  %0 = tensor.extract_slice %t[0, 0] [8, 8] [1, 1] : tensor<8x8xf32> to tensor<8x8xf32>
  %1 = tensor.insert_slice %s into %u[%i, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<?x8xf32>
  %2 = tensor.extract_slice %1[%i, 0] [2, 8] [1, 1] : tensor<?x8xf32> to tensor<2x8xf32>
  %3 = tensor.extract_slice %t[%i, 0] [4, 8] [1, 1] : tensor<8x8xf32> to tensor<4x8xf32>
  %4 = tensor.extract_slice %3[1, 0] [2, 8] [1, 1] : tensor<4x8xf32> to tensor<2x8xf32>
  %5 = tensor.extract_slice %t[%i, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
  %6 = tensor.insert_slice %5 into %t[%i, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
  return %0, %2, %4, %6 : tensor<8x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<8x8xf32>
}

// A constant size becomes the slice's; dims that are left out stay left out.
// CHECK-LABEL: func.func @slice_constants
// CHECK-SAME: (%[[T:.*]]: tensor<8x?xf32>
// CHECK: %[[A:.*]] = tensor.extract_slice %[[T]][1, 0] [1, 4] [1, 1] : tensor<8x?xf32> to tensor<4xf32>
// CHECK: tensor.cast %[[A]] : tensor<4xf32> to tensor<?xf32>
func.func @slice_constants(%t: tensor<8x?xf32>) -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = tensor.extract_slice %t[%c1, 0] [1, %c4] [1, 1] : tensor<8x?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @constants
// CHECK-DAG: arith.constant dense<[2, 4]> : tensor<2xi64>
// CHECK-DAG: arith.constant dense<[1, 2, 3, 4, 9]> : tensor<5xi64>
// CHECK-DAG: arith.constant dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi64>
// CHECK-DAG: arith.constant dense<7> : tensor<3xi64>
// CHECK-DAG: arith.constant dense<[7, 9]> : tensor<2xi64>
// CHECK-NOT: tensor.
func.func @constants() -> (tensor<2xi64>, tensor<5xi64>, tensor<2x2xi64>, tensor<3xi64>, tensor<2xi64>) {
  %c7 = arith.constant 7 : i64
  %c9 = arith.constant 9 : i64
  %0 = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
  %1 = tensor.extract_slice %0[1] [2] [2] : tensor<4xi64> to tensor<2xi64>
  %2 = arith.constant dense<9> : tensor<1xi64>
  %3 = tensor.concat dim(0) %0, %2 : (tensor<4xi64>, tensor<1xi64>) -> tensor<5xi64>
  %4 = tensor.expand_shape %0 [[0, 1]] output_shape [2, 2] : tensor<4xi64> into tensor<2x2xi64>
  %5 = tensor.splat %c7 : tensor<3xi64>
  %6 = tensor.from_elements %c7, %c9 : tensor<2xi64>
  return %1, %3, %4, %5, %6 : tensor<2xi64>, tensor<5xi64>, tensor<2x2xi64>, tensor<3xi64>, tensor<2xi64>
}

// CHECK-LABEL: func.func @reshapes
// CHECK-SAME: (%[[T:.*]]: tensor<2x3x4xf32>, %[[U:.*]]: tensor<?x4xf32>, %[[X:.*]]: f32)
// CHECK: %[[A:.*]] = tensor.collapse_shape %[[T]] {{\[\[}}0, 1, 2]] : tensor<2x3x4xf32> into tensor<24xf32>
// CHECK: %[[B:.*]] = tensor.from_elements %[[X]] : tensor<1x1xf32>
// CHECK: %[[C:.*]] = tensor.reshape %[[T]]
// CHECK-SAME: -> tensor<4x6xf32>
// CHECK: return %[[A]], %[[U]], %[[B]], %[[C]]
func.func @reshapes(%t: tensor<2x3x4xf32>, %u: tensor<?x4xf32>, %x: f32) -> (tensor<24xf32>, tensor<?x4xf32>, tensor<1x1xf32>, tensor<4x6xf32>) {
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %c0 = arith.constant 0 : index
  %0 = tensor.collapse_shape %t [[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<6x4xf32> into tensor<24xf32>
  %2 = tensor.collapse_shape %u [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %n = tensor.dim %u, %c0 : tensor<?x4xf32>
  %3 = tensor.expand_shape %2 [[0, 1]] output_shape [%n, 4] : tensor<?xf32> into tensor<?x4xf32>
  %4 = tensor.from_elements %x : tensor<f32>
  %5 = tensor.expand_shape %4 [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  %6 = tensor.from_elements %c4, %c6 : tensor<2xindex>
  %7 = tensor.reshape %t(%6) : (tensor<2x3x4xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  %8 = tensor.cast %7 : tensor<?x?xf32> to tensor<4x6xf32>
  return %1, %3, %5, %8 : tensor<24xf32>, tensor<?x4xf32>, tensor<1x1xf32>, tensor<4x6xf32>
}

// Rows in and out: dims of size 1 are left out by the slices themselves.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: (%[[T:.*]]: tensor<?x8xf32>, %[[I:.*]]: index)
// CHECK-NEXT: %[[R:.*]] = tensor.extract_slice %[[T]][%[[I]], 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<8xf32>
// CHECK-NEXT: %[[N:.*]] = arith.negf %[[R]] : tensor<8xf32>
// CHECK-NEXT: tensor.insert_slice %[[N]] into %[[T]][%[[I]], 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<?x8xf32>
func.func @rows(%t: tensor<?x8xf32>, %i: index) -> tensor<?x8xf32> {
  %0 = tensor.extract_slice %t[%i, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<1x8xf32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<1x8xf32> into tensor<8xf32>
  %2 = arith.negf %1 : tensor<8xf32>
  %3 = tensor.expand_shape %2 [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
  %4 = tensor.insert_slice %3 into %t[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<?x8xf32>
  return %4 : tensor<?x8xf32>
}
