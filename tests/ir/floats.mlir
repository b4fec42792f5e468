// Floats have as many digits as it takes to read the same bits back.
// RUN: noria opt --allow-unregistered-dialect %s | FileCheck %s

// CHECK: a = 1.23456792E+8 : f32
"t.floats"() {a = 123456789.0 : f32} : () -> ()
// CHECK: b = 16777216.0 : f32
"t.floats"() {b = 16777216.0 : f32} : () -> ()
// CHECK: c = 1.000000e-01 : f64
"t.floats"() {c = 0.1 : f64} : () -> ()
// CHECK: d = 0.33333333333333331 : f64
"t.floats"() {d = 0.33333333333333331 : f64} : () -> ()
// CHECK: e = 0x7FC00000 : f32
"t.floats"() {e = 0x7FC00000 : f32} : () -> ()
// CHECK: f = -0.000000e+00 : f32
"t.floats"() {f = -0.0 : f32} : () -> ()
// CHECK: g = 4.480000e+02 : f8E4M3FN
"t.floats"() {g = 448.0 : f8E4M3FN} : () -> ()
// CHECK: h = 1.000000e-07 : f64
"t.floats"() {h = 1.0e-7 : f64} : () -> ()
// What is written as its bits needs its type, also where the type is the usual one.
// RUN: noria opt --allow-unregistered-dialect %s | noria opt --allow-unregistered-dialect | FileCheck %s
// CHECK: i = [0x7FF0000000000000 : f64, 1.500000e+00, 0x7F800000 : f32]
"t.floats"() {i = [0x7FF0000000000000 : f64, 1.5, 0x7F800000 : f32]} : () -> ()
// CHECK: complex.constant [0x7FF0000000000000 : f64, 1.000000e+00] : complex<f64>
%c = complex.constant [0x7FF0000000000000 : f64, 1.0] : complex<f64>
