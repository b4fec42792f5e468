// RUN: noria run %s --entry=modes 0.1 | FileCheck %s --check-prefix=UP
// RUN: noria run %s --entry=modes 0.1 --interpret | FileCheck %s --check-prefix=UP
// RUN: noria run %s --entry=modes -0.1 | FileCheck %s --check-prefix=DOWN
// RUN: noria run %s --entry=modes --interpret -0.1 | FileCheck %s --check-prefix=DOWN
// RUN: noria run %s --entry=ties 2049.0 | FileCheck %s --check-prefix=TIES
// RUN: noria run %s --entry=ties 2049.0 --interpret | FileCheck %s --check-prefix=TIES
// RUN: noria run %s --entry=beyond 1.0e300 | FileCheck %s --check-prefix=BEYOND
// RUN: noria run %s --entry=beyond 1.0e300 --interpret | FileCheck %s --check-prefix=BEYOND
// RUN: noria run %s --entry=scaled 1.5 4.0 | FileCheck %s --check-prefix=SCALED
// RUN: noria run %s --entry=scaled 1.5 4.0 --interpret | FileCheck %s --check-prefix=SCALED
// RUN: noria run %s --entry=powers -1.0 16777217 | FileCheck %s --check-prefix=POWERS
// RUN: noria run %s --entry=powers --interpret -1.0 16777217 | FileCheck %s --check-prefix=POWERS
// RUN: noria run %s --entry=angles 0.5 | FileCheck %s --check-prefix=ANGLES
// RUN: noria run %s --entry=angles 0.5 --interpret | FileCheck %s --check-prefix=ANGLES

// Rounding modes of arith.truncf. The f32 nearest to 0.1 lies above it.
// UP:      1.000000e-01 : f32
// UP-NEXT: 0.099999994 : f32
// UP-NEXT: 1.000000e-01 : f32
// UP-NEXT: 0.099999994 : f32
// UP-NEXT: 1.000000e-01 : f32
// DOWN:      -1.000000e-01 : f32
// DOWN-NEXT: -1.000000e-01 : f32
// DOWN-NEXT: -0.099999994 : f32
// DOWN-NEXT: -0.099999994 : f32
// DOWN-NEXT: -1.000000e-01 : f32
func.func @modes(%x: f64) -> (f32, f32, f32, f32, f32) {
  %0 = arith.truncf %x to_nearest_even : f64 to f32
  %1 = arith.truncf %x downward : f64 to f32
  %2 = arith.truncf %x upward : f64 to f32
  %3 = arith.truncf %x toward_zero : f64 to f32
  %4 = arith.truncf %x to_nearest_away : f64 to f32
  return %0, %1, %2, %3, %4 : f32, f32, f32, f32, f32
}

// TIES:      2.048000e+03 : f16
// TIES-NEXT: 2.050000e+03 : f16
// TIES-NEXT: dense<2.050000e+03> : vector<2x2xf16>
func.func @ties(%x: f32) -> (f16, f16, vector<2x2xf16>) {
  %0 = arith.truncf %x : f32 to f16
  %1 = arith.truncf %x to_nearest_away : f32 to f16
  %v = vector.broadcast %x : f32 to vector<2x2xf32>
  %2 = arith.truncf %v upward : vector<2x2xf32> to vector<2x2xf16>
  return %0, %1, %2 : f16, f16, vector<2x2xf16>
}

// BEYOND:      0x7F800000 : f32
// BEYOND-NEXT: 3.40282347E+38 : f32
func.func @beyond(%x: f64) -> (f32, f32) {
  %0 = arith.truncf %x upward : f64 to f32
  %1 = arith.truncf %x downward : f64 to f32
  return %0, %1 : f32, f32
}

// SCALED:      6.000000e+00 : f32
// SCALED-NEXT: 3.750000e-01 : f8E5M2
func.func @scaled(%x: f16, %power: f32) -> (f32, f8E5M2) {
  %scale = arith.truncf %power : f32 to f8E8M0FNU
  %0 = arith.scaling_extf %x, %scale : f16, f8E8M0FNU to f32
  %1 = arith.scaling_truncf %x, %scale : f16, f8E8M0FNU to f8E5M2
  return %0, %1 : f32, f8E5M2
}

// f32 holds no odd number above 2^24.
// POWERS:      -1.000000e+00 : f32
// POWERS-NEXT: 1.000000e+00 : f32
func.func @powers(%x: f32, %n: i32) -> (f32, f32) {
  %one = arith.constant 1 : i32
  %even = arith.addi %n, %one : i32
  %0 = math.fpowi %x, %n : f32, i32
  %1 = math.fpowi %x, %even : f32, i32
  return %0, %1 : f32, f32
}

// ANGLES:      4.785160e-01 : bf16
// ANGLES-NEXT: dense<8.789060e-01> : vector<2x2xbf16>
// ANGLES-NEXT: 2.500000e-01 : bf16
func.func @angles(%x: bf16) -> (bf16, vector<2x2xbf16>, bf16) {
  %low = arith.constant -1.0 : bf16
  %high = arith.constant 0.25 : bf16
  %v = vector.broadcast %x : bf16 to vector<2x2xbf16>
  %sin, %cos = math.sincos %x : bf16
  %sins, %coss = math.sincos %v : vector<2x2xbf16>
  %limited = math.clampf %x to [%low, %high] : bf16
  return %sin, %coss, %limited : bf16, vector<2x2xbf16>, bf16
}
