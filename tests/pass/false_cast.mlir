// A cast that is false in every run, behind one that hides the dims: the pipeline leaves a check, and machine code and the
// interpreter say the same.
// RUN: noria opt --pipeline %s | FileCheck %s --check-prefix=PIPELINE
// RUN: not noria run %s zeros 2>&1 | FileCheck %s
// RUN: not noria run %s zeros --interpret 2>&1 | FileCheck %s
// RUN: not noria run %s zeros --check-bounds 2>&1 | FileCheck %s

// PIPELINE: rt.check {{.*}}"'tensor.cast' op dim 0 is %0, where 8 is expected"
// CHECK: false_cast.mlir:[[#@LINE+3]]:8: 'tensor.cast' op dim 0 is 4, where 8 is expected
func.func @main(%a: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %b = tensor.cast %a : tensor<4x8xf32> to tensor<?x?xf32>
  %c = tensor.cast %b : tensor<?x?xf32> to tensor<8x4xf32>
  return %c : tensor<8x4xf32>
}
