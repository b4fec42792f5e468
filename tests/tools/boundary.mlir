// Values of every type pass in and out of a program: those that NumPy has no type for in one that holds them. Machine
// code, the interpreter and every pass between agree.

// RUN: noria run %s --entry=ints 63 -5 12345678901234567890 '200 : ui24' --check-passes | FileCheck %s --check-prefix=INTS
// RUN: not noria run %s --entry=ints -65 -5 12345678901234567890 0xc8 2>&1 | FileCheck %s --check-prefix=NARROW
// INTS: {{^}}-2 : i7{{$}}
// INTS-NEXT: {{^}}-10 : i65{{$}}
// INTS-NEXT: {{^}}152415787532388367501905199875019052100 : i128{{$}}
// INTS-NEXT: {{^}}400 : ui24{{$}}
// NARROW: noria run: input 'a': '-65' is not a value of type i7
func.func @ints(%a: i7, %b: i65, %c: i128, %d: ui24) -> (i7, i65, i128, ui24) {
  %0 = arith.addi %a, %a : i7
  %1 = arith.addi %b, %b : i65
  %2 = arith.muli %c, %c : i128
  %d0 = builtin.unrealized_conversion_cast %d : ui24 to i24
  %d1 = arith.addi %d0, %d0 : i24
  %3 = builtin.unrealized_conversion_cast %d1 : i24 to ui24
  return %0, %1, %2, %3 : i7, i65, i128, ui24
}

// Signs above the width, and the words of wide integers with a sign and without.
// RUN: noria run %s --entry=extremes '[-64, 63, 127]' '[-1, 18446744073709551616, 36893488147419103231]' \
// RUN:   '[18446744073709551616, 36893488147419103231]' --check-passes | FileCheck %s --check-prefix=EXTREMES
// EXTREMES: dense<[-64, 63, -1]> : tensor<3xi7>
// EXTREMES-NEXT: dense<[-1, -18446744073709551616, -1]> : tensor<3xi65>
// EXTREMES-NEXT: dense<[18446744073709551616, 36893488147419103231]> : tensor<2xui65>
func.func @extremes(%a: tensor<?xi7>, %b: tensor<?xi65>, %c: tensor<2xui65>)
    -> (tensor<?xi7>, tensor<?xi65>, tensor<2xui65>) {
  return %a, %b, %c : tensor<?xi7>, tensor<?xi65>, tensor<2xui65>
}

// RUN: noria run %s --entry=floats 1.1 2.5 '(1, 2)' '[1.5, -3]' --check-passes | FileCheck %s --check-prefix=FLOATS
// FLOATS: {{^}}2.250000e+00 : f8E4M3{{$}}
// FLOATS-NEXT: {{^}}5.000000e+00 : tf32{{$}}
// FLOATS-NEXT: {{^}}(-3.000000e+00,4.000000e+00) : complex<f16>{{$}}
// FLOATS-NEXT: dense<[3.000000e+00, -6.000000e+00]> : vector<2xf6E2M3FN>
func.func @floats(%a: f8E4M3, %b: tf32, %c: complex<f16>, %d: vector<2xf6E2M3FN>)
    -> (f8E4M3, tf32, complex<f16>, vector<2xf6E2M3FN>) {
  %0 = arith.addf %a, %a : f8E4M3
  %1 = arith.addf %b, %b : tf32
  %2 = complex.mul %c, %c : complex<f16>
  %3 = arith.addf %d, %d : vector<2xf6E2M3FN>
  return %0, %1, %2, %3 : f8E4M3, tf32, complex<f16>, vector<2xf6E2M3FN>
}

// Vectors of rank 0 and of narrow and wide integers, complex numbers alone.
// RUN: noria run %s --entry=vectors 3 '[1, -2]' '[[-5, 7]]' '(1.5,-2)' --check-passes | FileCheck %s --check-prefix=VECTORS
// VECTORS: dense<3.000000e+00> : vector<f32>
// VECTORS-NEXT: dense<[2, -4]> : vector<2xi7>
// VECTORS-NEXT: dense<{{\[}}[-5, 7]]> : vector<1x2xi100>
// VECTORS-NEXT: {{^}}(1.500000e+00,-2.000000e+00) : complex<f32>{{$}}
func.func @vectors(%a: vector<f32>, %b: vector<2xi7>, %c: vector<1x2xi100>, %d: complex<f32>)
    -> (vector<f32>, vector<2xi7>, vector<1x2xi100>, complex<f32>) {
  %0 = arith.addi %b, %b : vector<2xi7>
  return %a, %0, %c, %d : vector<f32>, vector<2xi7>, vector<1x2xi100>, complex<f32>
}

// Memrefs in the layout that they ask for; what is left in them comes back in rows.
// RUN: noria run %s --entry=layouts '[1, 2]' '[[1, 2, 3], [4, 5, 6]]' '[[1, 2], [3, -4]]' '[[1, 2], [3, 4]]' \
// RUN:   --check-passes | FileCheck %s --check-prefix=LAYOUTS
// LAYOUTS: dense<[1.000000e+00, 9.000000e+00]> : tensor<2xf32>
// LAYOUTS-NEXT: dense<{{\[}}[1, 2, 3], [4, 9, 6]]> : tensor<2x3xi32>
// LAYOUTS-NEXT: dense<{{\[}}[1, 2], [3, 9]]> : tensor<2x2xi24>
// LAYOUTS-NEXT: dense<{{\[}}[1, 2], [3, 9]]> : tensor<2x2xi128>
func.func @layouts(%a: memref<2xf32, strided<[2], offset: 3>>, %b: memref<2x3xi32, strided<[1, 2]>>,
                   %c: memref<?x?xi24, strided<[?, 2], offset: ?>>, %d: memref<2x2xi128, affine_map<(i, j) -> (j, i)>>) {
  %c1 = arith.constant 1 : index
  %f = arith.constant 9.0 : f32
  %i = arith.constant 9 : i32
  %n = arith.constant 9 : i24
  %w = arith.constant 9 : i128
  memref.store %f, %a[%c1] : memref<2xf32, strided<[2], offset: 3>>
  memref.store %i, %b[%c1, %c1] : memref<2x3xi32, strided<[1, 2]>>
  memref.store %n, %c[%c1, %c1] : memref<?x?xi24, strided<[?, 2], offset: ?>>
  memref.store %w, %d[%c1, %c1] : memref<2x2xi128, affine_map<(i, j) -> (j, i)>>
  return
}

// A type behind a value is checked, and values can be made up.
// RUN: noria run %s --entry=vectors ones zeros:2xi7 ones 'dense<(1.0, 2.0)> : tensor<complex<f32>>' \
// RUN:   | FileCheck %s --check-prefix=MADE
// MADE: dense<1.000000e+00> : vector<f32>
// MADE-NEXT: dense<0> : vector<2xi7>
// MADE-NEXT: dense<1> : vector<1x2xi100>
// MADE-NEXT: (1.000000e+00,2.000000e+00) : complex<f32>
// RUN: not noria run %s --entry=ints '1 : i8' 1 1 1 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not noria run %s --entry=ints 'zeros:i8' 1 1 1 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: noria run: input 'a': it takes i7, not i8
// RUN: not noria run %s --entry=ints 1 1 340282366920938463463374607431768211456 1 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: noria run: input 'c': '340282366920938463463374607431768211456' is not a value of type i128

// What cannot pass, and why.
// RUN: not noria run %s --entry=tuple 1 2>&1 | FileCheck %s --check-prefix=TUPLE
// TUPLE: boundary.mlir:[[#@LINE+1]]:1: error: 'func.func' op cannot be a program: its argument 0 is of type tuple<i32>, which no op makes or takes apart
func.func @tuple(%a: tuple<i32>) { return }
// RUN: not noria run %s --entry=quad 1 2>&1 | FileCheck %s --check-prefix=QUAD
// QUAD: its argument 0 is of type f128, which is read and printed, but not computed with
func.func @quad(%a: f128) { return }
// RUN: noria run %s --entry=widest -5 --check-passes | FileCheck %s --check-prefix=WIDEST
// WIDEST: {{^}}-5 : i4096
func.func @widest(%a: i4096) -> i4096 { return %a : i4096 }
// RUN: not noria run %s --entry=wider 1 2>&1 | FileCheck %s --check-prefix=WIDER
// WIDER: its argument 0 is of type i4097, which is wider than the largest integer literal
func.func @wider(%a: i4097) { return }
// RUN: not noria run %s --entry=backwards 1 2>&1 | FileCheck %s --check-prefix=BACK
// BACK: its argument 0 is of type memref<4xf32, strided<[-1], offset: 3>>, which has elements where no memory can be given
func.func @backwards(%a: memref<4xf32, strided<[-1], offset: 3>>) { return }
