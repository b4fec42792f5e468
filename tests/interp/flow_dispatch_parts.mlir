// What the body of a dispatch reads and writes lies in what is bound, whose sizes it names truly: else the run ends.

// RUN: noria run %s --entry=part '[1, 2, 3, 4]' 4 1 2 1 --check-stages | FileCheck %s --check-prefix=PART
// PART: dense<[2.000000e+00, 3.000000e+00]> : tensor<2xf32>
// RUN: noria run %s --entry=part '[1, 2, 3, 4]' 4 1 2 2 --check-stages | FileCheck %s --check-prefix=STEPS
// STEPS: dense<[2.000000e+00, 4.000000e+00]> : tensor<2xf32>
// RUN: noria run %s --entry=part '[1, 2, 3, 4]' 4 4 0 1 --check-stages | FileCheck %s --check-prefix=NONE
// NONE: : tensor<0xf32>
// RUN: not noria run %s --entry=part '[1, 2, 3, 4]' 4 0 9 1 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: not noria run %s --entry=part '[1, 2, 3, 4]' 4 0 9 1 --interpret 2>&1 | FileCheck %s --check-prefix=LONG
// LONG: 'flow.dispatch.tensor.load' op the slice [0, +9, step 1] leaves dim 0 of 4
// RUN: not noria run %s --entry=part '[1, 2, 3, 4]' 4 -1 2 1 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: not noria run %s --entry=part '[1, 2, 3, 4]' 4 -1 2 1 --interpret 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE: 'flow.dispatch.tensor.load' op the slice [-1, +2, step 1] leaves dim 0 of 4
// RUN: not noria run %s --entry=part '[1, 2, 3, 4]' 4 0 3 2 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: not noria run %s --entry=part '[1, 2, 3, 4]' 4 0 3 2 --interpret 2>&1 | FileCheck %s --check-prefix=STEP
// STEP: 'flow.dispatch.tensor.load' op the slice [0, +3, step 2] leaves dim 0 of 4
// RUN: not noria run %s --entry=part '[1, 2, 3, 4]' 4 2 2 9223372036854775807 2>&1 | FileCheck %s --check-prefix=WRAP
// RUN: not noria run %s --entry=part '[1, 2, 3, 4]' 4 2 2 9223372036854775807 --interpret 2>&1 | FileCheck %s --check-prefix=WRAP
// WRAP: 'flow.dispatch.tensor.load' op the slice [2, +2, step 9223372036854775807] leaves dim 0 of 4
// RUN: not noria run %s --entry=part '[1, 2, 3, 4]' 9 0 2 1 2>&1 | FileCheck %s --check-prefix=CLAIM
// RUN: not noria run %s --entry=part '[1, 2, 3, 4]' 9 0 2 1 --interpret 2>&1 | FileCheck %s --check-prefix=CLAIM
// CLAIM: 'flow.dispatch.tensor.load' op dim 0 of operand #0 is 4, not 9 as the op says
func.func @part(%x: tensor<4xf32>, %claim: index, %at: index, %n: index, %step: index) -> tensor<?xf32> {
  %d = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  %c4 = arith.constant 4 : index
  %r = flow.dispatch.workgroups(%d, %claim, %at, %n, %step) : (tensor<?xf32>{%c4}, index, index, index, index) -> tensor<?xf32>{%n} =
  (%in: !flow.dispatch.tensor<readonly:tensor<?xf32>>, %c: index, %a: index, %s: index, %st: index, %out: !flow.dispatch.tensor<writeonly:tensor<?xf32>>) {
    %t = flow.dispatch.tensor.load %in, offsets = [%a], sizes = [%s], strides = [%st] : !flow.dispatch.tensor<readonly:tensor<?xf32>>{%c} -> tensor<?xf32>
    flow.dispatch.tensor.store %t, %out, offsets = [0], sizes = [%s], strides = [1] : tensor<?xf32> -> !flow.dispatch.tensor<writeonly:tensor<?xf32>>{%s}
    flow.return
  }
  return %r : tensor<?xf32>
}

// Of a static size; the store stands elsewhere than the load.
// RUN: noria run %s --entry=put '[1, 2]' 2 2 --check-stages | FileCheck %s --check-prefix=PUT
// PUT: dense<[{{.*}}, 1.000000e+00, 2.000000e+00]> : tensor<4xf32>
// RUN: not noria run %s --entry=put '[1, 2]' 3 2 2>&1 | FileCheck %s --check-prefix=OUT
// RUN: not noria run %s --entry=put '[1, 2]' 3 2 --interpret 2>&1 | FileCheck %s --check-prefix=OUT
// OUT: 'flow.dispatch.tensor.store' op the slice [3, +2, step 1] leaves dim 0 of 4
// RUN: not noria run %s --entry=put '[1, 2]' 0 3 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not noria run %s --entry=put '[1, 2]' 0 3 --interpret 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: 'flow.dispatch.tensor.store' op the source does not have the shape of the slice
func.func @put(%x: tensor<2xf32>, %at: index, %n: index) -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %r = flow.dispatch.workgroups(%x, %zero, %at, %n) : (tensor<2xf32>, tensor<4xf32>, index, index) -> %zero =
  (%in: !flow.dispatch.tensor<readonly:tensor<2xf32>>, %out: !flow.dispatch.tensor<readwrite:tensor<4xf32>>, %a: index, %s: index) {
    %t = flow.dispatch.tensor.load %in, offsets = [0], sizes = [2], strides = [1] : !flow.dispatch.tensor<readonly:tensor<2xf32>> -> tensor<2xf32>
    %d = tensor.cast %t : tensor<2xf32> to tensor<?xf32>
    flow.dispatch.tensor.store %d, %out, offsets = [%a], sizes = [%s], strides = [1] : tensor<?xf32> -> !flow.dispatch.tensor<readwrite:tensor<4xf32>>
    flow.return
  }
  return %r : tensor<4xf32>
}

// tie_shape names sizes too, here in an executable.
// RUN: noria run %s --entry=tied '[1, 2, 3, 4]' 4 --check-stages | FileCheck %s --check-prefix=TIED
// TIED: dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>
// RUN: not noria run %s --entry=tied '[1, 2, 3, 4]' 1000 2>&1 | FileCheck %s --check-prefix=FALSE
// RUN: not noria run %s --entry=tied '[1, 2, 3, 4]' 1000 --interpret 2>&1 | FileCheck %s --check-prefix=FALSE
// FALSE: 'flow.dispatch.tie_shape' op dim 0 of operand #0 is 4, not 1000 as the op says
flow.executable private @copy {
  flow.executable.export @copy
  builtin.module {
    func.func @copy(%in: !flow.dispatch.tensor<readonly:tensor<?xf32>>, %n: index, %out: !flow.dispatch.tensor<writeonly:tensor<?xf32>>) {
      %i = flow.dispatch.tie_shape %in : !flow.dispatch.tensor<readonly:tensor<?xf32>>{%n}
      %t = flow.dispatch.tensor.load %i, offsets = [0], sizes = [%n], strides = [1] : !flow.dispatch.tensor<readonly:tensor<?xf32>>{%n} -> tensor<?xf32>
      flow.dispatch.tensor.store %t, %out, offsets = [0], sizes = [%n], strides = [1] : tensor<?xf32> -> !flow.dispatch.tensor<writeonly:tensor<?xf32>>{%n}
      return
    }
  }
}
func.func @tied(%x: tensor<4xf32>, %n: index) -> tensor<?xf32> {
  %d = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  %c4 = arith.constant 4 : index
  %r = flow.dispatch @copy::@copy(%d, %n) : (tensor<?xf32>{%c4}, index) -> tensor<?xf32>{%n}
  return %r : tensor<?xf32>
}
