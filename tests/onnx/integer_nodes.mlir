// RUN: noria opt --integer-nodes %s | FileCheck %s

// The product takes the QuantizeLinear behind it; Relu limits the integers to the zero point from below.
// CHECK-LABEL: func.func @conv
// CHECK: %[[S:.*]] = "onnx.Constant"() {value = dense<5.000000e-01> : tensor<f32>}
// CHECK: %[[Y:.*]] = "onnx.QLinearConv"(%arg0, %[[S]], %{{.*}}, %arg1, %{{.*}}) {noria.opset = 17 : i64, pads = array<i64: 1, 1, 1, 1>}
// CHECK: %[[LOW:.*]] = "onnx.Constant"() {value = dense<7> : tensor<ui8>}
// CHECK: "onnx.Clip"(%[[Y]], %[[LOW]])
// CHECK-NOT: "onnx.Conv"
// CHECK: "onnx.Yield"
func.func @conv(%x: tensor<1x2x4x4xui8>, %w: tensor<3x2x3x3xi8>) -> none {
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = "onnx.Constant"() {value = dense<7> : tensor<ui8>} : () -> tensor<ui8>
  %ws = "onnx.Constant"() {value = dense<[0.5, 0.25, 1.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %wz = "onnx.Constant"() {value = dense<0> : tensor<3xi8>} : () -> tensor<3xi8>
  %xf = "onnx.DequantizeLinear"(%x, %s, %z) {noria.opset = 17 : i64} : (tensor<1x2x4x4xui8>, tensor<f32>, tensor<ui8>) -> none
  %wf = "onnx.DequantizeLinear"(%w, %ws, %wz) {axis = 0 : i64, noria.opset = 17 : i64} : (tensor<3x2x3x3xi8>, tensor<3xf32>, tensor<3xi8>) -> none
  %c = "onnx.Conv"(%xf, %wf) {noria.opset = 17 : i64, pads = array<i64: 1, 1, 1, 1>} : (none, none) -> none
  %r = "onnx.Relu"(%c) {noria.opset = 17 : i64} : (none) -> none
  %q = "onnx.QuantizeLinear"(%r, %s, %z) {noria.opset = 17 : i64} : (none, tensor<f32>, tensor<ui8>) -> none
  "onnx.Yield"(%q) : (none) -> ()
}

// A scale for each column of the left factor is no scale of a QLinearMatMul.
// CHECK-LABEL: func.func @other_axis
// CHECK: "onnx.MatMul"
func.func @other_axis(%x: tensor<4x3xui8>, %w: tensor<3x2xi8>) -> none {
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = "onnx.Constant"() {value = dense<7> : tensor<ui8>} : () -> tensor<ui8>
  %ws = "onnx.Constant"() {value = dense<[0.5, 0.25, 1.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %xf = "onnx.DequantizeLinear"(%x, %s, %z) {noria.opset = 17 : i64} : (tensor<4x3xui8>, tensor<f32>, tensor<ui8>) -> none
  %wf = "onnx.DequantizeLinear"(%w, %ws) {axis = 0 : i64, noria.opset = 17 : i64} : (tensor<3x2xi8>, tensor<3xf32>) -> none
  %c = "onnx.MatMul"(%xf, %wf) {noria.opset = 17 : i64} : (none, none) -> none
  %q = "onnx.QuantizeLinear"(%c, %s, %z) {noria.opset = 17 : i64} : (none, tensor<f32>, tensor<ui8>) -> none
  "onnx.Yield"(%q) : (none) -> ()
}

// Without a QuantizeLinear the sum becomes a float.
// CHECK-LABEL: func.func @matmul
// CHECK-NOT: "onnx.DequantizeLinear"
// CHECK: "onnx.com.microsoft.MatMulIntegerToFloat"
func.func @matmul(%x: tensor<4x3xui8>, %w: tensor<3x2xi8>) -> none {
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = "onnx.Constant"() {value = dense<7> : tensor<ui8>} : () -> tensor<ui8>
  %xf = "onnx.DequantizeLinear"(%x, %s, %z) {noria.opset = 17 : i64} : (tensor<4x3xui8>, tensor<f32>, tensor<ui8>) -> none
  %wf = "onnx.DequantizeLinear"(%w, %s) {noria.opset = 17 : i64} : (tensor<3x2xi8>, tensor<f32>) -> none
  %c = "onnx.MatMul"(%xf, %wf) {noria.opset = 17 : i64} : (none, none) -> none
  "onnx.Yield"(%c) : (none) -> ()
}

// What only moves data moves bytes, and needs no QuantizeLinear with the same scale. Of another scale it stays.
// CHECK-LABEL: func.func @moves
// CHECK-NOT: "onnx.DequantizeLinear"
// CHECK: %[[T:.*]] = "onnx.Transpose"(%arg0)
// CHECK: %[[C:.*]] = "onnx.Concat"(%[[T]], %[[T]])
// CHECK: %[[F:.*]] = "onnx.DequantizeLinear"(%[[C]],
// CHECK: "onnx.QuantizeLinear"(%[[F]],
// CHECK: "onnx.Yield"(%[[C]],
func.func @moves(%x: tensor<4x3xui8>) -> (none, none) {
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %o = "onnx.Constant"() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = "onnx.Constant"() {value = dense<7> : tensor<ui8>} : () -> tensor<ui8>
  %f = "onnx.DequantizeLinear"(%x, %s, %z) {noria.opset = 17 : i64} : (tensor<4x3xui8>, tensor<f32>, tensor<ui8>) -> none
  %t = "onnx.Transpose"(%f) {noria.opset = 17 : i64} : (none) -> none
  %c = "onnx.Concat"(%t, %t) {axis = 0 : i64, noria.opset = 17 : i64} : (none, none) -> none
  %q = "onnx.QuantizeLinear"(%c, %s, %z) {noria.opset = 17 : i64} : (none, tensor<f32>, tensor<ui8>) -> none
  %p = "onnx.QuantizeLinear"(%c, %o, %z) {noria.opset = 17 : i64} : (none, tensor<f32>, tensor<ui8>) -> none
  "onnx.Yield"(%q, %p) : (none, none) -> ()
}
