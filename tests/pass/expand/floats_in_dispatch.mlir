// The body and the grid of a dispatch are regions of their own: each has its constants.
// RUN: noria opt --expand-floats %s | FileCheck %s
// RUN: noria opt --expand-floats %s | noria run - 2 | FileCheck %s --check-prefix=VALUE

// VALUE: dense<3.000000e+00> : tensor<1xf32>

// CHECK-LABEL: func.func @main
// CHECK-NOT: arith.constant dense
// CHECK: flow.dispatch.workgroups
// CHECK-NOT: math.fma {{.*}} : f8E4M3FN
// CHECK: count
func.func @main(%n: index) -> tensor<1xf32> {
  %0 = flow.dispatch.workgroups[%n](%n) : (index) -> tensor<1xf32> =
      (%i: index, %out: !flow.dispatch.tensor<writeonly:tensor<1xf32>>) {
    %c = arith.constant 1.0 : f8E4M3FN
    %d = arith.constant 2.0 : f8E4M3FN
    %1 = math.fma %c, %d, %c : f8E4M3FN
    %2 = arith.extf %1 : f8E4M3FN to f32
    %t = tensor.from_elements %2 : tensor<1xf32>
    flow.dispatch.tensor.store %t, %out, offsets = [0], sizes = [1], strides = [1]
        : tensor<1xf32> -> !flow.dispatch.tensor<writeonly:tensor<1xf32>>
    flow.return
  } count(%x: index) -> (index, index, index) {
    %one = arith.constant 1 : index
    flow.return %one, %one, %one : index, index, index
  }
  return %0 : tensor<1xf32>
}
