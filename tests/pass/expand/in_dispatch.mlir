// Constants that expanded ops need are built in the body of the dispatch, or in its count region.
// RUN: noria opt --pass-pipeline=expand-math %s | FileCheck %s

// CHECK-LABEL: func.func @exp
// CHECK: flow.dispatch.workgroups
// CHECK: arith.constant
// CHECK-NOT: math.exp
// CHECK: flow.return
// CHECK: count
// CHECK-NOT: math.log2
// CHECK: return
func.func @exp(%n: index) -> tensor<1xf32> {
  %0 = flow.dispatch.workgroups[%n]() : () -> tensor<1xf32> =
      (%o: !flow.dispatch.tensor<writeonly:tensor<1xf32>>) {
    %x = arith.constant 2.0 : f32
    %y = math.exp %x : f32
    %t = tensor.splat %y : tensor<1xf32>
    flow.dispatch.tensor.store %t, %o, offsets = [0], sizes = [1], strides = [1] : tensor<1xf32> -> !flow.dispatch.tensor<writeonly:tensor<1xf32>>
    flow.return
  } count(%w: index) -> (index, index, index) {
    %i = arith.index_cast %w : index to i32
    %f = arith.sitofp %i : i32 to f32
    %e = math.log2 %f : f32
    %s = arith.fptosi %e : f32 to i32
    %j = arith.index_cast %s : i32 to index
    flow.return %j, %j, %j : index, index, index
  }
  return %0 : tensor<1xf32>
}
