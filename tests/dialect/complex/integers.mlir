// Complex numbers of integers: each part is an attribute of its own type. mlir-opt prints the same.
// RUN: noria opt %s | FileCheck %s
// RUN: mlir-opt %s | FileCheck %s

// CHECK-LABEL: func.func @constants
func.func @constants() -> (complex<i32>, complex<i64>, complex<i1>, complex<f32>) {
  // CHECK: complex.constant [3 : i32, -4 : i32] : complex<i32>
  %0 = complex.constant [3 : i32, -4 : i32] : complex<i32>
  // CHECK: complex.constant [3, -4] : complex<i64>
  %1 = complex.constant [3, -4] : complex<i64>
  // CHECK: complex.constant [true, false] : complex<i1>
  %2 = complex.constant [true, false] : complex<i1>
  // CHECK: complex.constant [1.000000e-01 : f32, -1.000000e+00 : f32] : complex<f32>
  %3 = complex.constant [0.1 : f32, -1.0 : f32] : complex<f32>
  return %0, %1, %2, %3 : complex<i32>, complex<i64>, complex<i1>, complex<f32>
}
