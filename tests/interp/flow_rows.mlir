// A part that leaves out a dim of size 1 has one index less, in a dispatch as elsewhere.

// RUN: noria run %s '[[1, 2, 3], [4, 5, 6]]' --interpret | FileCheck %s
// RUN: noria run %s '[[1, 2, 3], [4, 5, 6]]' | FileCheck %s
// CHECK: dense<{{\[\[}}3, 4, 5], [9, 10, 11]]> : tensor<2x3xi32>
func.func @rows(%x: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %c2 = arith.constant 2 : index
  %0 = flow.dispatch.workgroups[%c2](%x) : (tensor<2x3xi32>) -> tensor<2x3xi32> =
  (%in: !flow.dispatch.tensor<readonly:tensor<2x3xi32>>, %out: !flow.dispatch.tensor<writeonly:tensor<2x3xi32>>) {
    %i = flow.dispatch.workgroup.id[0] : index
    %c1 = arith.constant 1 : index
    %row = flow.dispatch.tensor.load %in, offsets = [%i, 0], sizes = [1, 3], strides = [1, 1] : !flow.dispatch.tensor<readonly:tensor<2x3xi32>> -> tensor<3xi32>
    %middle = tensor.extract %row[%c1] : tensor<3xi32>
    %all = tensor.splat %middle : tensor<3xi32>
    %sum = arith.addi %row, %all : tensor<3xi32>
    flow.dispatch.tensor.store %sum, %out, offsets = [%i, 0], sizes = [1, 3], strides = [1, 1] : tensor<3xi32> -> !flow.dispatch.tensor<writeonly:tensor<2x3xi32>>
    flow.return
  } count(%n: index) -> (index, index, index) {
    %c1 = arith.constant 1 : index
    flow.return %n, %c1, %c1 : index, index, index
  }
  return %0 : tensor<2x3xi32>
}
