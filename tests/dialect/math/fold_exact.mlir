// Folds that mlir-opt leaves out, or prints in another way.
// RUN: noria opt --pass-pipeline=canonicalize %s | FileCheck %s

// The sum of 2^24 and 1 has no f32: the even neighbour is 2^24.
// CHECK-LABEL: func.func @rounds
// CHECK: %[[R:.*]] = arith.constant 16777216.0 : f32
// CHECK-NEXT: return %[[R]], %[[R]]
func.func @rounds() -> (f32, f32) {
  %a = arith.constant 16777216.0 : f32
  %b = arith.constant 1.0 : f32
  %c = arith.constant 16777217 : i32
  %0 = arith.addf %a, %b : f32
  %1 = arith.sitofp %c : i32 to f32
  return %0, %1 : f32, f32
}

// CHECK-LABEL: func.func @narrowed
// CHECK: arith.constant 1.000000e-01 : f32
func.func @narrowed() -> f32 {
  %a = arith.constant 0.1 : f64
  %0 = arith.truncf %a : f64 to f32
  return %0 : f32
}

// CHECK-LABEL: func.func @fused
// CHECK: arith.constant 4.500000e+00 : f32
func.func @fused() -> f32 {
  %a = arith.constant 1.5 : f32
  %b = arith.constant 2.0 : f32
  %0 = math.fma %a, %b, %a : f32
  return %0 : f32
}

// What has no one right answer is left to run time.
// CHECK-LABEL: func.func @not_exact
// CHECK: math.exp
func.func @not_exact() -> f32 {
  %a = arith.constant 1.5 : f32
  %0 = math.exp %a : f32
  return %0 : f32
}

// Rounding in another direction is not folded, nor is what does not fit.
// CHECK-LABEL: func.func @not_folded
// CHECK: arith.truncf %{{.*}} upward
// CHECK: arith.fptosi
// CHECK: arith.shli
func.func @not_folded() -> (f32, i8, i8) {
  %a = arith.constant 0.1 : f64
  %b = arith.constant 1000.0 : f32
  %c = arith.constant 8 : i8
  %0 = arith.truncf %a upward : f64 to f32
  %1 = arith.fptosi %b : f32 to i8
  %2 = arith.shli %c, %c : i8
  return %0, %1, %2 : f32, i8, i8
}
