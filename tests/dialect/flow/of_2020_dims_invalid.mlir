// RUN: noria opt --split-input-file --verify-diagnostics %s

// Nothing says how large the result is.
func @splat(%v: f32) -> tensor<?xf32> {
  // expected-error@+1 {{'flow.tensor.splat' op (C1) value set has 1 dynamic dimensions but only 0 dimension values are attached}}
  %r = flow.tensor.splat %v : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func @load(%a: !flow.dispatch.output<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'flow.dispatch.input.load' op (C1) expected a readable dispatch tensor}}
  %r = flow.dispatch.input.load %a : !flow.dispatch.output<4xf32> -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func @store(%v: tensor<3xf32>, %a: !flow.dispatch.output<4xf32>) {
  // expected-error@+1 {{'flow.dispatch.output.store' op (C2) the dispatch tensor is of tensor<4xf32>, not of tensor<3xf32>}}
  flow.dispatch.output.store %v, %a : tensor<3xf32> -> !flow.dispatch.output<4xf32>
  return
}

// -----

#a = #iree_encoding.testing<>
util.func @encode(%a: tensor<2x2xf32>) {
  // expected-error@+1 {{'flow.tensor.encode' op (C2) operand and result must be of equal rank and element type}}
  %e = flow.tensor.encode %a : tensor<2x2xf32> -> tensor<4xf32, #a>
  util.return
}

// -----

util.func @encode_dims(%a: tensor<?xf32>) {
  // expected-error@+1 {{'flow.tensor.encode' op (C1) value set has 1 dynamic dimensions but only 0 dimension values are attached}}
  %e = flow.tensor.encode %a : tensor<?xf32> -> tensor<?xf32>
  util.return
}
