// RUN: noria opt --weight-nodes %s | FileCheck %s

// Without a sign, a weight is stored as itself + 8; the middle is the default zero point. The blocks that the weights have stay.
// CHECK-LABEL: func.func @blocks
// CHECK: %[[Q:.*]] = "onnx.Constant"() {value = dense<153> : tensor<2x2x8xui8>}
// CHECK: %[[S:.*]] = "onnx.Constant"() {value = dense<{{\[\[}}1.000000e+00, 3.000000e+00], [2.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>}
// CHECK: "onnx.com.microsoft.MatMulNBits"(%arg0, %[[Q]], %[[S]], %{{.*}}) {K = 32 : i64, N = 2 : i64, bits = 4 : i64, block_size = 16 : i64, noria.opset = 1 : i64}
// CHECK-NOT: "onnx.DequantizeLinear"
// CHECK: "onnx.Yield"
func.func @blocks(%x: tensor<3x32xf32>) -> none {
  %q = "onnx.Constant"() {value = dense<1> : tensor<32x2xi4>} : () -> tensor<32x2xi4>
  %s = "onnx.Constant"() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
  %w = "onnx.DequantizeLinear"(%q, %s) {axis = 0 : i64, block_size = 16 : i64, noria.opset = 21 : i64} : (tensor<32x2xi4>, tensor<2x2xf32>) -> none
  %y = "onnx.MatMul"(%x, %w) {noria.opset = 13 : i64} : (tensor<3x32xf32>, none) -> none
  "onnx.Yield"(%y) : (none) -> ()
}

// A Transpose of the weights and transB swap what is read. A scale for each column is repeated for each block; without a sign the
// default zero point, 0, is written out.
// CHECK-LABEL: func.func @columns
// CHECK: %[[Q:.*]] = "onnx.Constant"() {value = dense<{{\[\[}}{{\[}}1, 1, 1, 1
// CHECK-SAME: 2, 2, 2]]]> : tensor<2x1x32xui8>}
// CHECK: dense<{{\[\[}}5.000000e-01], [2.500000e-01]]> : tensor<2x1xf32>
// CHECK: dense<0> : tensor<2x1xui8>
// CHECK: "onnx.com.microsoft.MatMulNBits"(%arg0, %[[Q]], %{{.*}}, %{{.*}}, %{{.*}}, %arg1) {K = 32 : i64, N = 2 : i64, bits = 8 : i64, block_size = 32 : i64
func.func @columns(%x: tensor<3x32xf32>, %bias: tensor<2xf32>) -> none {
  %a = "onnx.Constant"() {value = dense<1> : tensor<1x32xui8>} : () -> tensor<1x32xui8>
  %q = "onnx.Constant"() {value = dense<[[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
                                         [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]]> : tensor<2x32xui8>} : () -> tensor<2x32xui8>
  %s = "onnx.Constant"() {value = dense<[0.5, 0.25]> : tensor<2xf32>} : () -> tensor<2xf32>
  %t = "onnx.Transpose"(%q) {perm = array<i64: 1, 0>, noria.opset = 13 : i64} : (tensor<2x32xui8>) -> none
  %w = "onnx.DequantizeLinear"(%t, %s) {noria.opset = 13 : i64} : (none, tensor<2xf32>) -> none
  %u = "onnx.Transpose"(%w) {noria.opset = 13 : i64} : (none) -> none
  %y = "onnx.Gemm"(%x, %u, %bias) {transB = 1 : i64, noria.opset = 13 : i64} : (tensor<3x32xf32>, none, tensor<2xf32>) -> none
  "onnx.Yield"(%y) : (none) -> ()
}

// These stay: a scale for each row, blocks that are too small, weights that are no constant.
// CHECK-LABEL: func.func @others
// CHECK-NOT: MatMulNBits
// CHECK: "onnx.Yield"
func.func @others(%x: tensor<3x2xf32>, %v: tensor<2x2xi8>) -> (none, none, none) {
  %q = "onnx.Constant"() {value = dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>} : () -> tensor<2x2xi8>
  %s = "onnx.Constant"() {value = dense<[0.5, 0.25]> : tensor<2xf32>} : () -> tensor<2xf32>
  %t = "onnx.Constant"() {value = dense<0.5> : tensor<1x2xf32>} : () -> tensor<1x2xf32>
  %a = "onnx.DequantizeLinear"(%q, %s) {axis = 0 : i64, noria.opset = 13 : i64} : (tensor<2x2xi8>, tensor<2xf32>) -> none
  %b = "onnx.DequantizeLinear"(%q, %t) {axis = 0 : i64, block_size = 2 : i64, noria.opset = 21 : i64} : (tensor<2x2xi8>, tensor<1x2xf32>) -> none
  %c = "onnx.DequantizeLinear"(%v, %s) {noria.opset = 13 : i64} : (tensor<2x2xi8>, tensor<2xf32>) -> none
  %d = "onnx.MatMul"(%x, %a) {noria.opset = 13 : i64} : (tensor<3x2xf32>, none) -> none
  %e = "onnx.MatMul"(%x, %b) {noria.opset = 13 : i64} : (tensor<3x2xf32>, none) -> none
  %f = "onnx.MatMul"(%x, %c) {noria.opset = 13 : i64} : (tensor<3x2xf32>, none) -> none
  "onnx.Yield"(%d, %e, %f) : (none, none, none) -> ()
}
