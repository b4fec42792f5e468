// RUN: noria opt --pass-pipeline=lower-onnx %s | FileCheck %s

// The result of the function has the type that came out of the lowering; what the types leave open is checked.
// CHECK-LABEL: func.func @product(
// CHECK-SAME: %[[X:.*]]: tensor<2x?xf32>, %[[W:.*]]: tensor<4x3xf32>) -> tensor<2x3xf32>
// CHECK: %[[K:.*]] = tensor.dim %[[X]]
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[K]], %c4
// CHECK: rt.check %[[SAME]], "inner dims of the matrices
// CHECK: %[[P:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[X]], %[[W]] :
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[P]] :
// CHECK: arith.maximumf
// CHECK: return %[[R]] : tensor<2x3xf32>
// CHECK-NOT: onnx.
func.func @product(%x: tensor<2x?xf32>, %w: tensor<4x3xf32>) -> none {
  %0 = "onnx.MatMul"(%x, %w) {noria.opset = 13} : (tensor<2x?xf32>, tensor<4x3xf32>) -> none
  %1 = "onnx.Relu"(%0) {noria.opset = 14} : (none) -> none
  "onnx.Yield"(%1) : (none) -> ()
}

// An absent attribute is the default of the node's operator set: 1.6732 before 6, and more digits since.
// CHECK-LABEL: func.func @selu(
// CHECK: linalg.generic
// CHECK-DAG: arith.constant 1.673200e+00 : f32
// CHECK-DAG: arith.constant 1.050700e+00 : f32
// CHECK: linalg.yield
// CHECK: linalg.generic
// CHECK-DAG: arith.constant 1.67326319 : f32
// CHECK-DAG: arith.constant 1.05070102 : f32
// CHECK: linalg.yield
func.func @selu(%x: tensor<4xf32>) -> (none, none) {
  %0 = "onnx.Selu"(%x) {noria.opset = 1} : (tensor<4xf32>) -> none
  %1 = "onnx.Selu"(%x) {noria.opset = 6} : (tensor<4xf32>) -> none
  "onnx.Yield"(%0, %1) : (none, none) -> ()
}

// Functions without nodes stay as they are.
// CHECK-LABEL: func.func @other(
// CHECK-NEXT: return
func.func @other() {
  return
}
