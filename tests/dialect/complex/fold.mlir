// RUN: noria opt --canonicalize %s | FileCheck %s

// CHECK-LABEL: func.func @parts_of_parts
// CHECK-NEXT: return %{{.*}}, %{{.*}}, %{{.*}} : f32, f32, complex<f32>
func.func @parts_of_parts(%a: f32, %b: f32, %z: complex<f32>) -> (f32, f32, complex<f32>) {
  %x = complex.create %a, %b : complex<f32>
  %0 = complex.re %x : complex<f32>
  %1 = complex.im %x : complex<f32>
  %2 = complex.re %z : complex<f32>
  %3 = complex.im %z : complex<f32>
  %4 = complex.create %2, %3 : complex<f32>
  return %0, %1, %4 : f32, f32, complex<f32>
}

// By NumPy: (3+4j)*(1-2j) = 11-2j, (3+4j)/(1-2j) = -1+2j, |3+4j| = 5.
// CHECK-LABEL: func.func @constants
// CHECK-DAG: %[[MUL:.*]] = complex.constant [1.100000e+01 : f32, -2.000000e+00 : f32] : complex<f32>
// CHECK-DAG: %[[DIV:.*]] = complex.constant [-1.000000e+00 : f32, 2.000000e+00 : f32] : complex<f32>
// CHECK-DAG: %[[ABS:.*]] = arith.constant 5.000000e+00 : f32
// CHECK-DAG: %[[NO:.*]] = arith.constant false
// CHECK-DAG: %[[YES:.*]] = arith.constant true
// CHECK: return %[[MUL]], %[[DIV]], %[[ABS]], %[[NO]], %[[YES]]
func.func @constants() -> (complex<f32>, complex<f32>, f32, i1, i1) {
  %a = complex.constant [3.0 : f32, 4.0 : f32] : complex<f32>
  %b = complex.constant [1.0 : f32, -2.0 : f32] : complex<f32>
  %0 = complex.mul %a, %b : complex<f32>
  %1 = complex.div %a, %b : complex<f32>
  %2 = complex.abs %a : complex<f32>
  %3 = complex.eq %a, %b : complex<f32>
  %4 = complex.neq %a, %b : complex<f32>
  return %0, %1, %2, %3, %4 : complex<f32>, complex<f32>, f32, i1, i1
}

// CHECK-LABEL: func.func @more
// CHECK-DAG: complex.constant [4.000000e+00 : f32, 2.000000e+00 : f32] : complex<f32>
// CHECK-DAG: complex.constant [2.000000e+00 : f32, 6.000000e+00 : f32] : complex<f32>
// CHECK-DAG: complex.constant [-3.000000e+00 : f32, -4.000000e+00 : f32] : complex<f32>
// CHECK-DAG: complex.constant [3.000000e+00 : f32, -4.000000e+00 : f32] : complex<f32>
// CHECK: return
func.func @more() -> (complex<f32>, complex<f32>, complex<f32>, complex<f32>) {
  %a = complex.constant [3.0 : f32, 4.0 : f32] : complex<f32>
  %b = complex.constant [1.0 : f32, -2.0 : f32] : complex<f32>
  %0 = complex.add %a, %b : complex<f32>
  %1 = complex.sub %a, %b : complex<f32>
  %2 = complex.neg %a : complex<f32>
  %3 = complex.conj %a : complex<f32>
  return %0, %1, %2, %3 : complex<f32>, complex<f32>, complex<f32>, complex<f32>
}
