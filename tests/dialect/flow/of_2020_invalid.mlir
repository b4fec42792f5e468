// RUN: noria opt --split-input-file --verify-diagnostics %s
func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{(C2) flow.return must return the types of the results}}
  %r = flow.ex.stream.fragment(%i = %a : tensor<4xf32>) -> tensor<5xf32> {
    flow.return %i : tensor<4xf32>
  }
  return
}
// -----
func @f(%a: tensor<4xf32>, %w: index) {
  // expected-error@+1 {{(C1) block arguments must be the captured values}}
  "flow.ex.stream.fragment"(%a) <{operandSegmentSizes = array<i32: 0, 1>}> ({
    flow.return
  }) : (tensor<4xf32>) -> ()
  return
}
// -----
func @f(%a: tensor<4xf32>, %w: index) {
  flow.dispatch.region[%w : index](%i = %a : tensor<4xf32>) {
    // expected-error@+1 {{use of undeclared SSA value name '%a'}}
    %s = addf %i, %a : tensor<4xf32>
    flow.return
  }
  return
}
