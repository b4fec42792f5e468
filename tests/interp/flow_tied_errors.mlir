// Results that are tied to an argument of another type: what cannot be.

// RUN: noria run %s --entry=words '[1.0, 2.0]' --interpret | FileCheck %s --check-prefix=WORDS
// RUN: not noria run %s --entry=size '[1.0, 2.0, 3.0]' 2 --interpret 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not noria opt --outline-dispatches --bufferize %s 2>&1 | FileCheck %s --check-prefix=WIDTH

// Elements of another width have no buffers to be compiled to.
// WORDS: dense<4611686019492741120> : tensor<1xi64>
// WIDTH: flow_tied_errors.mlir:[[@LINE+2]]:8: error: 'flow.dispatch' op result #0 changes the width of its argument's elements, which cannot be bufferized
func.func @words(%x: tensor<2xf32>) -> tensor<1xi64> {
  %r = flow.dispatch.workgroups(%x) : (tensor<2xf32>) -> %x as tensor<1xi64> =
  (%io: !flow.dispatch.tensor<readwrite:tensor<2xf32>>) {
    flow.return
  }
  return %r : tensor<1xi64>
}

// SIZE: flow_tied_errors.mlir:[[@LINE+2]]:8: 'flow.dispatch.workgroups' op result #0 does not have the size of the argument that it is tied to
func.func @size(%x: tensor<3xf32>, %n: index) -> tensor<?xi32> {
  %r = flow.dispatch.workgroups(%x) : (tensor<3xf32>) -> %x as tensor<?xi32>{%n} =
  (%io: !flow.dispatch.tensor<readwrite:tensor<3xf32>>) {
    flow.return
  }
  return %r : tensor<?xi32>
}
