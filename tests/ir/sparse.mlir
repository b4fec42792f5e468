// Indices and values print so that they read back: equal ones are one only where that is what was written, for one value
// at an index is not two at the same.
// RUN: noria opt %s > %t.once.mlir
// RUN: FileCheck %s --input-file=%t.once.mlir
// RUN: noria opt %t.once.mlir | diff - %t.once.mlir
// RUN: mlir-opt %t.once.mlir -o /dev/null
// RUN: noria run %s | FileCheck %s --check-prefix=VALUES

// CHECK-LABEL: func.func @main
func.func @main() -> (tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x3xi32>, tensor<2x3xi32>) {
  // CHECK: sparse<1, -2.000000e+00> : tensor<2x2x2xf32>
  %one = arith.constant sparse<[[1, 1, 1]], [-2.0]> : tensor<2x2x2xf32>
  // CHECK: sparse<{{\[\[}}1, 1, 1], [1, 1, 1]], -2.000000e+00> : tensor<2x2x2xf32>
  %twice = arith.constant sparse<[[1, 1, 1], [1, 1, 1]], [-2.0, -2.0]> : tensor<2x2x2xf32>
  // CHECK: sparse<{{\[\[}}1, 1], [1, 1]], [4, 5]> : tensor<2x3xi32>
  %both = arith.constant sparse<[[1, 1], [1, 1]], [4, 5]> : tensor<2x3xi32>
  // CHECK: sparse<{{\[\[}}0, 0], [1, 2]], [1, 5]> : tensor<2x3xi32>
  %other = arith.constant sparse<[[0, 0], [1, 2]], [1, 5]> : tensor<2x3xi32>
  return %one, %twice, %both, %other : tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x3xi32>, tensor<2x3xi32>
}
// VALUES-COUNT-2: {{\[\[\[0.0*e.00, 0.0*e.00\], \[0.0*e.00, 0.0*e.00\]\], \[\[0.0*e.00, 0.0*e.00\], \[0.0*e.00, -2.0*e.00\]\]\]}}
// VALUES: {{\[\[0, 0, 0\], \[0, 5, 0\]\]}}
// VALUES: {{\[\[1, 0, 0\], \[0, 0, 5\]\]}}
