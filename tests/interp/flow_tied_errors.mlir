// Results that are tied to an argument of another type: what cannot be.

// RUN: not noria run %s --entry=size '[1.0, 2.0, 3.0]' 2 --interpret 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not noria run %s --entry=size '[1.0, 2.0, 3.0]' 2 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not noria run %s --entry=size '[1.0, 2.0, 3.0]' 4 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: noria run %s --entry=size '[1.0, 2.0, 3.0]' 3 --check-stages | FileCheck %s --check-prefix=THREE
// THREE: dense<[1065353216, 1073741824, 1077936128]> : tensor<3xi32>

// SIZE: flow_tied_errors.mlir:[[@LINE+2]]:8: {{'flow.dispatch(.workgroups)?'}} op result #0 does not have the size of the argument that it is tied to
func.func @size(%x: tensor<3xf32>, %n: index) -> tensor<?xi32> {
  %r = flow.dispatch.workgroups(%x) : (tensor<3xf32>) -> %x as tensor<?xi32>{%n} =
  (%io: !flow.dispatch.tensor<readwrite:tensor<3xf32>>) {
    flow.return
  }
  return %r : tensor<?xi32>
}
