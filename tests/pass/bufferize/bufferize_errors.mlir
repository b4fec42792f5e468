// RUN: noria opt --pass-pipeline=bufferize --verify-diagnostics --split-input-file %s

func.func @unranked(%t: tensor<*xf32>) -> tensor<*xf32> {
  // expected-error@+1 {{'arith.negf' op can be bufferized for ranked tensors only; run flatten-unranked first}}
  %u = arith.negf %t : tensor<*xf32>
  return %u : tensor<*xf32>
}

// -----

func.func @gather(%t: tensor<4xf32>, %i: tensor<2x1xindex>) -> tensor<2x1xf32> {
  // expected-error@+1 {{'tensor.gather' op cannot be bufferized}}
  %g = tensor.gather %t[%i] gather_dims([0]) : (tensor<4xf32>, tensor<2x1xindex>) -> tensor<2x1xf32>
  return %g : tensor<2x1xf32>
}

// -----

func.func @branches(%c: i1, %t: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^bb1
^bb1:
  // expected-error@+1 {{'arith.addf' op computes a tensor in a function of several blocks}}
  %s = arith.addf %t, %t : tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----

func.func @chosen(%c: i1, %t: tensor<4xf32>, %u: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'scf.execute_region' op returns a tensor from a region of several blocks}}
  %r = scf.execute_region -> tensor<4xf32> {
    cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    scf.yield %t : tensor<4xf32>
  ^bb2:
    scf.yield %u : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @not_outlined(%t: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'flow.dispatch.region' op must be outlined to an executable}}
  %r = flow.dispatch.region -> (tensor<4xf32>) {
    flow.return %t : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
