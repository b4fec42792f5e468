// RUN: noria opt %s --split-input-file --verify-diagnostics

func.func @constant() {
  // expected-error@+1 {{'complex.constant' op (C1) expected two attributes of type f32}}
  %0 = complex.constant [1.0, 2.0] : complex<f32>
  return
}

// -----

func.func @integers(%a: complex<i32>) {
  // expected-error@+1 {{'complex.add' op (C1) expected parts of float type, got complex<i32>}}
  %0 = complex.add %a, %a : complex<i32>
  return
}

// -----

func.func @part_of_integers(%a: complex<i32>) {
  // expected-error@+1 {{expected a complex type of float parts}}
  %1 = complex.re %a : complex<i32>
  return
}

// -----

func.func @parts(%a: f32, %z: complex<f64>) {
  // expected-error@+1 {{'complex.create' op (C1) expected parts of type f64, got f32}}
  %0 = "complex.create"(%a, %a) : (f32, f32) -> complex<f64>
  // expected-error@+1 {{'complex.im' op (C1) expected a result of type f64, got f32}}
  %1 = "complex.im"(%z) : (complex<f64>) -> f32
  return
}
