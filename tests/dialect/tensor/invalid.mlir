// What the verifier says of wrong tensor ops.
// RUN: noria opt --split-input-file --verify-diagnostics %s

func.func @making(%n: index, %v: f32, %d: f64) {
  // expected-error@+1 {{'tensor.empty' op (C1) incorrect number of dynamic sizes, has 1, expected 2}}
  %0 = tensor.empty(%n) : tensor<?x?xf32>
  // expected-error@+1 {{'tensor.splat' op (C1) incorrect number of dynamic sizes, has 0, expected 1}}
  %1 = tensor.splat %v : tensor<?xf32>
  // expected-error@+1 {{'tensor.splat' op (C2) expected the element type f32, got f64}}
  %2 = "tensor.splat"(%d) : (f64) -> tensor<2xf32>
  // expected-error@+1 {{'tensor.from_elements' op (C1) expected 3 elements, got 2}}
  %3 = tensor.from_elements %v, %v : tensor<3xf32>
  // expected-error@+1 {{'tensor.from_elements' op (C2) expected the element type f32, got f64}}
  %4 = "tensor.from_elements"(%d) : (f64) -> tensor<1xf32>
  return
}

// -----

func.func @generate(%n: index, %v: f32) {
  // expected-error@+1 {{'tensor.generate' op (C1) incorrect number of dynamic sizes, has 0, expected 1}}
  %0 = tensor.generate {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<?xf32>
  // expected-error@+1 {{'tensor.generate' op (C2) expected the body to yield i32}}
  %1 = tensor.generate %n {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<?xi32>
  // expected-error@+1 {{'tensor.generate' op (C2) expected the body to have 2 arguments}}
  %2 = tensor.generate %n {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<?x4xf32>
  return
}

// -----

func.func @elements(%t: tensor<4x4xf32>, %i: index, %d: f64) {
  // expected-error@+1 {{'tensor.extract' op (C1) incorrect number of indices, expected 2 but got 1}}
  %0 = tensor.extract %t[%i] : tensor<4x4xf32>
  // expected-error@+1 {{'tensor.extract' op (C2) expected the element type f32, got f64}}
  %1 = "tensor.extract"(%t, %i, %i) : (tensor<4x4xf32>, index, index) -> f64
  // expected-error@+1 {{'tensor.insert' op (C1) incorrect number of indices, expected 2 but got 0}}
  %2 = "tensor.insert"(%d, %t) : (f64, tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-error@+1 {{'tensor.insert' op (C2) expected the element type f32, got f64}}
  %3 = "tensor.insert"(%d, %t, %i, %i) : (f64, tensor<4x4xf32>, index, index) -> tensor<4x4xf32>
  return
}

// -----

func.func @types(%t: tensor<4xf32>, %u: tensor<4x4xf32>) {
  %c2 = arith.constant 2 : index
  // expected-error@+1 {{'tensor.dim' op (C1) index 2 is out of range for a tensor of rank 1}}
  %0 = tensor.dim %t, %c2 : tensor<4xf32>
  // expected-error@+1 {{'tensor.cast' op (C1) operand type tensor<4xf32> and result type tensor<5xf32> are cast incompatible}}
  %1 = tensor.cast %t : tensor<4xf32> to tensor<5xf32>
  // expected-error@+1 {{'tensor.bitcast' op (C1) cannot bitcast tensor<4xf32> to tensor<4xi16>}}
  %2 = tensor.bitcast %t : tensor<4xf32> to tensor<4xi16>
  // expected-error@+1 {{'tensor.bitcast' op (C2) shapes of tensor<4xf32> and tensor<5xi32> differ}}
  %3 = tensor.bitcast %t : tensor<4xf32> to tensor<5xi32>
  return
}

// -----

func.func @slices(%t: tensor<8x8xf32>, %u: tensor<2x2xf32>, %i: index) {
  // expected-error@+1 {{'tensor.extract_slice' op expected 2 stride values, got 1}}
  %0 = tensor.extract_slice %t[0, 0][2, 2][1] : tensor<8x8xf32> to tensor<2x2xf32>
  // expected-error@+1 {{'tensor.extract_slice' op (C2) expected result type to be tensor<2x2xf32> or a rank-reduced version of it, got tensor<2x3xf32>}}
  %1 = tensor.extract_slice %t[0, 0][2, 2][1, 1] : tensor<8x8xf32> to tensor<2x3xf32>
  // expected-error@+1 {{'tensor.extract_slice' op (C3) slice along dimension 1 runs out-of-bounds: 9 >= 8}}
  %2 = tensor.extract_slice %t[0, 5][2, 3][1, 2] : tensor<8x8xf32> to tensor<2x3xf32>
  // expected-error@+1 {{'tensor.insert_slice' op (C2) expected source type to be tensor<2x3xf32> or a rank-reduced version of it, got tensor<2x2xf32>}}
  %3 = tensor.insert_slice %u into %t[0, 0][2, 3][1, 1] : tensor<2x2xf32> into tensor<8x8xf32>
  // expected-error@+1 {{'tensor.insert_slice' op (C3) expected offsets to be non-negative, but got -1}}
  %4 = tensor.insert_slice %u into %t[-1, 0][2, 2][1, 1] : tensor<2x2xf32> into tensor<8x8xf32>
  // expected-error@+1 {{'tensor.insert_slice' op (C3) offset 0 is out-of-bounds: 8 >= 8}}
  %5 = tensor.insert_slice %u into %t[8, 0][2, 2][1, 1] : tensor<2x2xf32> into tensor<8x8xf32>
  // expected-error@+1 {{'tensor.extract_slice' op (C3) expected sizes to be non-negative, but got -2}}
  %6 = tensor.extract_slice %t[0, 0][-2, 2][1, 1] : tensor<8x8xf32> to tensor<?x2xf32>
  return
}

// -----

func.func @pad(%t: tensor<2x2xf32>, %v: f32, %n: i32) {
  // expected-error@+1 {{'tensor.pad' op (C2) dim 0 of the result is 4 but source and padding give 5}}
  %0 = tensor.pad %t low[1, 0] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : f32
  } : tensor<2x2xf32> to tensor<4x2xf32>
  // expected-error@+1 {{'tensor.pad' op expected 2 low values, got 1}}
  %1 = tensor.pad %t low[1] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : f32
  } : tensor<2x2xf32> to tensor<5x2xf32>
  // expected-error@+1 {{'tensor.pad' op (C3) expected the body to yield f32}}
  %2 = tensor.pad %t low[1, 0] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %n : i32
  } : tensor<2x2xf32> to tensor<5x2xf32>
  return
}

// -----

func.func @concat(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>, %c: tensor<2xf32>) {
  // expected-error@+1 {{'tensor.concat' op (C1) requires at least one input}}
  %0 = "tensor.concat"() {dim = 0 : i64} : () -> tensor<2x3xf32>
  // expected-error@+1 {{'tensor.concat' op (C1) rank and element type of input #1 differ from the result's}}
  %1 = tensor.concat dim(0) %a, %c : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<4x3xf32>
  // expected-error@+1 {{'tensor.concat' op (C2) dim 1 of input #1 is 4 but the result's is 3}}
  %2 = tensor.concat dim(0) %a, %b : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  // expected-error@+1 {{'tensor.concat' op (C3) dim 1 of the result is 8 but the inputs' sum is 7}}
  %3 = tensor.concat dim(1) %a, %b : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @reshapes(%t: tensor<2x3xf32>, %s: tensor<2xindex>) {
  // expected-error@+1 {{'tensor.expand_shape' op expected dim 1 of the collapsed type to be 4, the product of its group, got 3}}
  %0 = tensor.expand_shape %t [[0], [1, 2]] output_shape [2, 2, 2] : tensor<2x3xf32> into tensor<2x2x2xf32>
  // expected-error@+1 {{'tensor.expand_shape' op (C3) output_shape differs from the result's dim 2}}
  %1 = tensor.expand_shape %t [[0], [1, 2]] output_shape [2, 1, 4] : tensor<2x3xf32> into tensor<2x1x3xf32>
  // expected-error@+1 {{'tensor.collapse_shape' op expected rank of the collapsed type (1) to be the number of reassociation groups (2)}}
  %2 = tensor.collapse_shape %t [[0], [1]] : tensor<2x3xf32> into tensor<6xf32>
  // expected-error@+1 {{'tensor.reshape' op (C2) length of shape operand differs from the result's tensor rank}}
  %3 = tensor.reshape %t(%s) : (tensor<2x3xf32>, tensor<2xindex>) -> tensor<6xf32>
  // expected-error@+1 {{'tensor.reshape' op (C3) source and destination tensor should have the same number of elements}}
  %4 = tensor.reshape %t(%s) : (tensor<2x3xf32>, tensor<2xindex>) -> tensor<4x2xf32>
  return
}

// -----

func.func @gather(%t: tensor<4x5xf32>, %i: tensor<3x1xindex>, %g: tensor<3x1x5xf32>) {
  // expected-error@+1 {{'tensor.gather' op (C1) gather_dims values must ascend and be less than the rank}}
  %0 = tensor.gather %t[%i] gather_dims([2]) : (tensor<4x5xf32>, tensor<3x1xindex>) -> tensor<3x5xf32>
  // expected-error@+1 {{'tensor.gather' op (C2) shape of the slices does not follow from the tensor and the indices}}
  %1 = tensor.gather %t[%i] gather_dims([0]) : (tensor<4x5xf32>, tensor<3x1xindex>) -> tensor<3x4xf32>
  // expected-error@+1 {{'tensor.scatter' op (C1) requires 'unique' attribute to be set}}
  %2 = tensor.scatter %g into %t[%i] scatter_dims([0]) : (tensor<3x1x5xf32>, tensor<4x5xf32>, tensor<3x1xindex>) -> tensor<4x5xf32>
  return
}
