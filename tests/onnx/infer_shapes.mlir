// RUN: noria opt --pass-pipeline=infer-shapes %s | FileCheck %s

// Every value gets the type that the lowering gives it; the nodes stay.
// CHECK-LABEL: func.func @product(
// CHECK-SAME: -> (tensor<2x3xf32>, tensor<6xf32>)
// CHECK: "onnx.MatMul"{{.*}} -> tensor<2x3xf32>
// CHECK: "onnx.Reshape"{{.*}} -> tensor<6xf32>
func.func @product(%x: tensor<2x?xf32>, %w: tensor<4x3xf32>) -> (none, none) {
  %0 = "onnx.MatMul"(%x, %w) {noria.opset = 13} : (tensor<2x?xf32>, tensor<4x3xf32>) -> none
  %shape = "onnx.Constant"() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  %1 = "onnx.Reshape"(%0, %shape) {noria.opset = 13} : (none, tensor<1xi64>) -> none
  "onnx.Yield"(%0, %1) : (none, none) -> ()
}

// A branch that is decided before the run takes the place of its If.
// CHECK-LABEL: func.func @decided(
// CHECK-NOT: onnx.If
// CHECK: "onnx.Neg"
// CHECK-NOT: onnx.Abs
// CHECK: onnx.Yield
func.func @decided(%x: tensor<4xf32>) -> none {
  %c = "onnx.Constant"() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
  %0 = "onnx.If"(%c) ({
    %1 = "onnx.Neg"(%x) {noria.opset = 13} : (tensor<4xf32>) -> none
    "onnx.Yield"(%1) : (none) -> ()
  }, {
    %1 = "onnx.Abs"(%x) {noria.opset = 13} : (tensor<4xf32>) -> none
    "onnx.Yield"(%1) : (none) -> ()
  }) {noria.opset = 13} : (tensor<i1>) -> none
  "onnx.Yield"(%0) : (none) -> ()
}
