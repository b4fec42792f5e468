// Constants fold to what mlir-opt folds them to.
// RUN: noria opt --pass-pipeline=canonicalize %s | FileCheck %s
// RUN: mlir-opt --canonicalize %s | FileCheck %s

// CHECK-LABEL: func.func @math_absf(
// CHECK-NEXT: %[[R:.*]] = arith.constant 1.500000e+00 : f32
// CHECK-NEXT: return %[[R]]
func.func @math_absf() -> f32 {
  %a = arith.constant -1.5 : f32
  %r = math.absf %a : f32
  return %r : f32
}

// CHECK-LABEL: func.func @math_ceil(
// CHECK-NEXT: %[[R:.*]] = arith.constant -1.000000e+00 : f32
// CHECK-NEXT: return %[[R]]
func.func @math_ceil() -> f32 {
  %a = arith.constant -1.5 : f32
  %r = math.ceil %a : f32
  return %r : f32
}

// CHECK-LABEL: func.func @math_floor(
// CHECK-NEXT: %[[R:.*]] = arith.constant -2.000000e+00 : f32
// CHECK-NEXT: return %[[R]]
func.func @math_floor() -> f32 {
  %a = arith.constant -1.5 : f32
  %r = math.floor %a : f32
  return %r : f32
}

// CHECK-LABEL: func.func @math_round(
// CHECK-NEXT: %[[R:.*]] = arith.constant -3.000000e+00 : f32
// CHECK-NEXT: return %[[R]]
func.func @math_round() -> f32 {
  %a = arith.constant -2.5 : f32
  %r = math.round %a : f32
  return %r : f32
}

// CHECK-LABEL: func.func @math_roundeven(
// CHECK-NEXT: %[[R:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: return %[[R]]
func.func @math_roundeven() -> f32 {
  %a = arith.constant 2.5 : f32
  %r = math.roundeven %a : f32
  return %r : f32
}

// CHECK-LABEL: func.func @math_trunc(
// CHECK-NEXT: %[[R:.*]] = arith.constant -1.000000e+00 : f32
// CHECK-NEXT: return %[[R]]
func.func @math_trunc() -> f32 {
  %a = arith.constant -1.5 : f32
  %r = math.trunc %a : f32
  return %r : f32
}

// CHECK-LABEL: func.func @math_sqrt(
// CHECK-NEXT: %[[R:.*]] = arith.constant 1.41421354 : f32
// CHECK-NEXT: return %[[R]]
func.func @math_sqrt() -> f32 {
  %a = arith.constant 2.0 : f32
  %r = math.sqrt %a : f32
  return %r : f32
}

// CHECK-LABEL: func.func @math_absi(
// CHECK-NEXT: %[[R:.*]] = arith.constant 5 : i8
// CHECK-NEXT: return %[[R]]
func.func @math_absi() -> i8 {
  %a = arith.constant -5 : i8
  %r = math.absi %a : i8
  return %r : i8
}

// CHECK-LABEL: func.func @math_ctlz(
// CHECK-NEXT: %[[R:.*]] = arith.constant 5 : i8
// CHECK-NEXT: return %[[R]]
func.func @math_ctlz() -> i8 {
  %a = arith.constant 5 : i8
  %r = math.ctlz %a : i8
  return %r : i8
}

// CHECK-LABEL: func.func @math_cttz(
// CHECK-NEXT: %[[R:.*]] = arith.constant 2 : i8
// CHECK-NEXT: return %[[R]]
func.func @math_cttz() -> i8 {
  %a = arith.constant 12 : i8
  %r = math.cttz %a : i8
  return %r : i8
}

// CHECK-LABEL: func.func @math_ctpop(
// CHECK-NEXT: %[[R:.*]] = arith.constant 8 : i8
// CHECK-NEXT: return %[[R]]
func.func @math_ctpop() -> i8 {
  %a = arith.constant -1 : i8
  %r = math.ctpop %a : i8
  return %r : i8
}

// CHECK-LABEL: func.func @math_copysign(
// CHECK-NEXT: %[[R:.*]] = arith.constant -1.500000e+00 : f32
// CHECK-NEXT: return %[[R]]
func.func @math_copysign() -> f32 {
  %a = arith.constant 1.5 : f32
  %b = arith.constant -0.0 : f32
  %r = math.copysign %a, %b : f32
  return %r : f32
}

// CHECK-LABEL: func.func @math_isnan(
// CHECK-NEXT: %[[R:.*]] = arith.constant true
// CHECK-NEXT: return %[[R]]
func.func @math_isnan() -> i1 {
  %a = arith.constant 0x7FC00000 : f32
  %r = math.isnan %a : f32
  return %r : i1
}
