// What the verifier says of wrong linalg ops.
// RUN: noria opt --split-input-file --verify-diagnostics %s

func.func @maps(%t: tensor<4xf32>) {
  // expected-error@+1 {{'linalg.generic' op (C1) expected the number of indexing_map (1) to be equal to the number of operands (2)}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%t : tensor<4xf32>) outs(%t : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  // expected-error@+1 {{'linalg.generic' op (C1) expected indexing_map #0 to have 1 dim(s) to match the number of loops}}
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel"]} outs(%t : tensor<4xf32>) {
  ^bb0(%b: f32):
    linalg.yield %b : f32
  } -> tensor<4xf32>
  // expected-error@+1 {{'linalg.generic' op (C1) expected operand rank (1) to match the result rank of indexing_map #0 (2)}}
  %2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0, d0)>], iterator_types = ["parallel"]} outs(%t : tensor<4xf32>) {
  ^bb0(%b: f32):
    linalg.yield %b : f32
  } -> tensor<4xf32>
  // expected-error@+1 {{'linalg.generic' op unexpected iterator_type (sideways)}}
  %3 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["sideways"]} outs(%t : tensor<4xf32>) {
  ^bb0(%b: f32):
    linalg.yield %b : f32
  } -> tensor<4xf32>
  return
}

// -----

func.func @body(%t: tensor<4xf32>, %i: i32) {
  // expected-error@+1 {{'linalg.generic' op (C2) expected type of bb argument #0 (i32) to match element or self type of the corresponding operand (f32)}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%t : tensor<4xf32>) {
  ^bb0(%b: i32):
    linalg.yield %b : i32
  } -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%t : tensor<4xf32>) {
  ^bb0(%b: f32):
    // expected-error@+1 {{'linalg.yield' op (C3) type of yield operand 1 (i32) doesn't match the element type of the output (f32)}}
    linalg.yield %i : i32
  } -> tensor<4xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%t : tensor<4xf32>) {
  ^bb0(%b: f32):
    // expected-error@+1 {{'linalg.yield' op (C3) expected number of yield values (2) to match the number of outputs (1)}}
    linalg.yield %b, %b : f32, f32
  } -> tensor<4xf32>
  return
}

// -----

func.func @results(%t: tensor<4xf32>, %m: memref<4xf32>) {
  // expected-error@+1 {{'linalg.generic' op (C4) expected result #0 to be of output type tensor<4xf32>}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%t : tensor<4xf32>) {
  ^bb0(%b: f32):
    linalg.yield %b : f32
  }
  // expected-error@+1 {{'linalg.generic' op (C4) expected the number of tensor results (1) to be equal to the number of output tensors (0)}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%m : memref<4xf32>) {
  ^bb0(%b: f32):
    linalg.yield %b : f32
  } -> tensor<4xf32>
  return
}

// -----

func.func @ranges(%t: tensor<4xf32>, %u: tensor<5xf32>) {
  // expected-error@+1 {{'linalg.generic' op (C5) no dim of an operand gives the range of loop d1}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} outs(%t : tensor<4xf32>) {
  ^bb0(%b: f32):
    linalg.yield %b : f32
  } -> tensor<4xf32>
  // expected-error@+1 {{'linalg.generic' op (C6) inferred input/output operand #1 has shape's dimension #0 to be 5, but found 4}}
  %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%u : tensor<5xf32>) outs(%t : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  // expected-error@+1 {{'linalg.generic' op (C6) operand #0 is read at 6 along dimension #0, outside of its size 5}}
  %2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (2 * d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%u : tensor<5xf32>) outs(%t : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return
}

// -----

func.func @small(%t: tensor<4xf32>, %v: i32, %f: f32) {
  // expected-error@+1 {{'linalg.fill' op (C1) expected a scalar of the output's element type f32, got i32}}
  %0 = linalg.fill ins(%v : i32) outs(%t : tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{'linalg.fill' op (C1) expected one input and one output}}
  %1 = linalg.fill ins(%f, %f : f32, f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{'linalg.fill' op (C2) expected result #0 to be of output type tensor<4xf32>}}
  linalg.fill ins(%f : f32) outs(%t : tensor<4xf32>)
  // expected-error@+1 {{'linalg.index' op (C1) expected parent op with LinalgOp interface}}
  %2 = linalg.index 0 : index
  %3 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%t : tensor<4xf32>) {
  ^bb0(%b: f32):
    // expected-error@+1 {{'linalg.index' op (C2) expected dim (1) to be lower than the number of loops (1) of the enclosing LinalgOp}}
    %4 = linalg.index 1 : index
    linalg.yield %b : f32
  } -> tensor<4xf32>
  return
}
