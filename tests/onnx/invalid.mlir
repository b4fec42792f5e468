// RUN: noria opt --verify-diagnostics --split-input-file %s

func.func @unknown(%x: tensor<4xf32>) -> none {
  // expected-error@+1 {{there is no attribute 'alhpa' in operator set 6; did you mean 'alpha'?}}
  %0 = "onnx.Elu"(%x) {noria.opset = 6, alhpa = 2.0 : f32} : (tensor<4xf32>) -> none
  "onnx.Yield"(%0) : (none) -> ()
}

// -----

func.func @of_another_version(%x: tensor<4xf32>) -> none {
  // expected-error@+1 {{there is no attribute 'axes' in operator set 18, only before 18}}
  %0 = "onnx.ReduceMean"(%x) {noria.opset = 18, axes = array<i64: 0>} : (tensor<4xf32>) -> none
  "onnx.Yield"(%0) : (none) -> ()
}

// -----

func.func @of_another_type(%x: tensor<4xf32>) -> none {
  // expected-error@+1 {{attribute 'axis' must be an integer, not a float}}
  %0 = "onnx.Softmax"(%x) {noria.opset = 13, axis = 1.0 : f32} : (tensor<4xf32>) -> none
  "onnx.Yield"(%0) : (none) -> ()
}

// -----

func.func @missing(%x: tensor<4xf32>) -> none {
  // expected-error@+1 {{attribute 'to' is missing; it must be an integer}}
  %0 = "onnx.Cast"(%x) {noria.opset = 13} : (tensor<4xf32>) -> none
  "onnx.Yield"(%0) : (none) -> ()
}
