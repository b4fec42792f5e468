// A dispatch names the sizes of its arguments and results: a false one ends the run, and is not believed.

// RUN: noria run %s '[1, 2]' 2 2 --check-stages | FileCheck %s
// CHECK: dense<[2.000000e+00, 4.000000e+00]> : tensor<2xf32>
// RUN: not noria run %s '[1, 2]' 3 2 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not noria run %s '[1, 2]' 3 2 --check-stages 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: 'flow.dispatch.workgroups' op dim 0 of operand #0 is 2, not 3 as the op says
// RUN: not noria run %s '[1, 2]' 2 -1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not noria run %s '[1, 2]' 2 -1 --check-stages 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: 'flow.dispatch.workgroups' op the size of dim 0 is -1; it must not be negative
func.func @twice(%x: tensor<?xf32>, %n: index, %m: index) -> tensor<?xf32> {
  %r = flow.dispatch.workgroups(%x, %n) : (tensor<?xf32>{%n}, index) -> tensor<?xf32>{%m} =
  (%in: !flow.dispatch.tensor<readonly:tensor<?xf32>>, %size: index, %out: !flow.dispatch.tensor<writeonly:tensor<?xf32>>) {
    %t = flow.dispatch.tensor.load %in, offsets = [0], sizes = [%size], strides = [1] : !flow.dispatch.tensor<readonly:tensor<?xf32>>{%size} -> tensor<?xf32>
    %s = arith.addf %t, %t : tensor<?xf32>
    flow.dispatch.tensor.store %s, %out, offsets = [0], sizes = [%size], strides = [1] : tensor<?xf32> -> !flow.dispatch.tensor<writeonly:tensor<?xf32>>{%size}
    flow.return
  }
  return %r : tensor<?xf32>
}
