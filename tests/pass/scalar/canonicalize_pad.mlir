// RUN: noria opt --canonicalize %s | FileCheck %s
// RUN: noria opt --canonicalize --syntax=mlir %s | mlir-opt
// RUN: noria opt --canonicalize %s -o %t.mlir

// What is around adds up, when it is one value.
// CHECK-LABEL: func.func @twice
// CHECK-SAME: (%[[T:.*]]: tensor<?xf32>, %[[V:.*]]: f32, %[[N:.*]]: index)
// CHECK: %[[L:.*]] = arith.addi %[[N]], %{{.*}} : index
// CHECK: %[[P:.*]] = tensor.pad %[[T]] low[%[[L]]] high[3]
// CHECK: return %[[P]]
// RUN: noria run %s --interpret --entry=twice '[1, 2]' 9 0 | FileCheck %s --check-prefix=TWICE
// RUN: noria run %t.mlir --check-stages --entry=twice '[1, 2]' 9 0 | FileCheck %s --check-prefix=TWICE
// TWICE: [9.000000e+00, 1.000000e+00, 2.000000e+00, 9.000000e+00, 9.000000e+00, 9.000000e+00]
func.func @twice(%t: tensor<?xf32>, %v: f32, %n: index) -> tensor<?xf32> {
  %0 = tensor.pad %t low[%n] high[1] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<?xf32> to tensor<?xf32>
  %1 = tensor.pad %0 low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %1 : tensor<?xf32>
}

// Other values, of which one may be -0, and padding that must stay, stay two.
// CHECK-LABEL: func.func @stays
// CHECK-COUNT-4: tensor.pad
func.func @stays(%t: tensor<2xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %zero = arith.constant 0.0 : f32
  %minus = arith.constant -0.0 : f32
  %0 = tensor.pad %t low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<2xf32> to tensor<3xf32>
  %1 = tensor.pad %0 low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %minus : f32
  } : tensor<3xf32> to tensor<5xf32>
  %2 = tensor.pad %t nofold low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<2xf32> to tensor<3xf32>
  %3 = tensor.pad %2 low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<3xf32> to tensor<5xf32>
  return %1, %3 : tensor<5xf32>, tensor<5xf32>
}

// CHECK-LABEL: func.func @of_one_value
// CHECK-SAME: (%[[V:.*]]: f32)
// CHECK: %[[E:.*]] = tensor.empty() : tensor<6xf32>
// CHECK: %[[F:.*]] = linalg.fill ins(%[[V]] : f32) outs(%[[E]] : tensor<6xf32>)
// CHECK: %[[S:.*]] = tensor.splat %[[V]] : tensor<6xf32>
// CHECK: return %[[F]], %[[S]]
func.func @of_one_value(%v: f32) -> (tensor<6xf32>, tensor<6xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.fill ins(%v : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = tensor.pad %0 low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<4xf32> to tensor<6xf32>
  %2 = tensor.splat %v : tensor<4xf32>
  %3 = tensor.pad %2 low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<4xf32> to tensor<6xf32>
  return %1, %3 : tensor<6xf32>, tensor<6xf32>
}

// CHECK-LABEL: func.func @constants
// CHECK: tensor.pad %{{.*}} low[1] high[2] {
// CHECK: } : tensor<4xf32> to tensor<7xf32>
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[1] [2] [1] : tensor<2xf32> into tensor<10xf32>
func.func @constants(%t: tensor<4xf32>, %v: f32, %a: tensor<2xf32>, %d: tensor<10xf32>, %n: index)
     -> (tensor<?xf32>, tensor<10xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = tensor.pad %t low[%c1] high[%c2] {
  ^bb0(%k: index):
    tensor.yield %v : f32
  } : tensor<4xf32> to tensor<?xf32>
  %c = tensor.cast %a : tensor<2xf32> to tensor<?xf32>
  %1 = tensor.insert_slice %c into %d[1] [%n] [1] : tensor<?xf32> into tensor<10xf32>
  return %0, %1 : tensor<?xf32>, tensor<10xf32>
}

// CHECK-LABEL: func.func @gather
// CHECK: %[[C:.*]] = arith.constant dense<1.000000e+00> : tensor<2x1xf32>
// CHECK-NEXT: return %[[C]]
func.func @gather(%i: tensor<2x1xindex>) -> tensor<2x1xf32> {
  %c = arith.constant dense<1.0> : tensor<4xf32>
  %0 = tensor.gather %c[%i] gather_dims([0]) : (tensor<4xf32>, tensor<2x1xindex>) -> tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}
