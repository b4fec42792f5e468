// Reductions of no points give the identity element.
// RUN: noria run %s --entry=reductions 5 | FileCheck %s --check-prefix=REDUCE
// RUN: noria run %s --entry=reductions 5 --interpret | FileCheck %s --check-prefix=REDUCE
// RUN: noria run %s --entry=reductions 5 --check-passes
// RUN: noria run %s --entry=reductions 0 | FileCheck %s --check-prefix=NOTHING
// RUN: noria run %s --entry=reductions 0 --interpret | FileCheck %s --check-prefix=NOTHING
// RUN: noria run %s --entry=sum_of_negative_zeros 5 | FileCheck %s --check-prefix=ZERO
// RUN: noria run %s --entry=sum_of_negative_zeros 5 --interpret | FileCheck %s --check-prefix=ZERO

// REDUCE: 55 : i64
// REDUCE: 3628800 : i64
// REDUCE: 10 : i64
// REDUCE: 1 : i64
// REDUCE: 1.000000e+00 : f64
// REDUCE: 11 : i64
// NOTHING: {{^}}0 : i64
// NOTHING: {{^}}1 : i64
// NOTHING: -9223372036854775808 : i64
// NOTHING: -1 : i64
// NOTHING: 0x7FF0000000000000 : f64
// NOTHING: 0 : i64
func.func @reductions(%n: index) -> (i64, i64, i64, i64, f64, i64) {
  %r:6 = affine.parallel (%i, %j) = (0, 1) to (%n, 3) reduce ("addi", "muli", "maxs", "minu", "minimumf", "xori")
      -> (i64, i64, i64, i64, f64, i64) {
    %k = affine.apply affine_map<(d0, d1) -> (d0 * 2 + d1)>(%i, %j)
    %x = arith.index_cast %k : index to i64
    %f = arith.sitofp %x : i64 to f64
    affine.yield %x, %x, %x, %x, %f, %x : i64, i64, i64, i64, f64, i64
  }
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5 : i64, i64, i64, i64, f64, i64
}

// IEEE 754: -0.0 + -0.0 is -0.0, so the sum must not start from 0.0.
// ZERO: {{^}}-0.000000e+00 : f32
func.func @sum_of_negative_zeros(%n: index) -> f32 {
  %zero = arith.constant -0.0 : f32
  %r = affine.parallel (%i) = (0) to (%n) reduce ("addf") -> (f32) {
    affine.yield %zero : f32
  }
  return %r : f32
}
