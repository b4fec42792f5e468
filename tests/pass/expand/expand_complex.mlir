// RUN: noria opt --pass-pipeline=expand-complex %s | FileCheck %s
// RUN: noria run --check-stages --entry=main %s 2>&1 | FileCheck %s --check-prefix=STAGES
// STAGES: all 9 outcomes are that of 'import'
// STAGES: (-1.000000e+00,5.000000e-01)
// STAGES: 5.000000e+00 : f32

// CHECK-LABEL: func.func @product
// CHECK-DAG: %[[AR:.*]] = complex.re %arg0
// CHECK-DAG: %[[AI:.*]] = complex.im %arg0
// CHECK-DAG: %[[BR:.*]] = complex.re %arg1
// CHECK-DAG: %[[BI:.*]] = complex.im %arg1
// CHECK-DAG: %[[RR:.*]] = arith.mulf %[[AR]], %[[BR]] fastmath<nnan> : f32
// CHECK-DAG: %[[II:.*]] = arith.mulf %[[AI]], %[[BI]] fastmath<nnan> : f32
// CHECK-DAG: %[[RE:.*]] = arith.subf %[[RR]], %[[II]] fastmath<nnan> : f32
// CHECK: complex.create %[[RE]], %{{.*}} : complex<f32>
// CHECK-NOT: complex.mul
func.func @product(%a: complex<f32>, %b: complex<f32>) -> complex<f32> {
  %0 = complex.mul %a, %b fastmath<nnan> : complex<f32>
  return %0 : complex<f32>
}

// Pairs that are made here are not taken apart again.
// CHECK-LABEL: func.func @chain
// CHECK-NOT: complex.re
// CHECK: arith.addf %arg0, %arg1 : f64
// CHECK: arith.cmpf oeq
// CHECK: rt.libm "hypot"
func.func @chain(%x: f64, %y: f64) -> (i1, f64) {
  %a = complex.create %x, %y : complex<f64>
  %b = complex.create %y, %x : complex<f64>
  %c = complex.add %a, %b : complex<f64>
  %e = complex.neq %c, %a : complex<f64>
  %s = complex.abs %c : complex<f64>
  return %e, %s : i1, f64
}

func.func @main() -> (complex<f32>, f32) {
  %a = complex.constant [1.0 : f32, 2.0 : f32] : complex<f32>
  %b = complex.constant [0.0 : f32, -2.0 : f32] : complex<f32>
  %c = complex.constant [3.0 : f32, -4.0 : f32] : complex<f32>
  %q = complex.div %a, %b : complex<f32>
  %s = complex.abs %c : complex<f32>
  return %q, %s : complex<f32>, f32
}
