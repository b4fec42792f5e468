// Constants fold to what mlir-opt folds them to.
// RUN: noria opt --pass-pipeline=canonicalize %s | FileCheck %s
// RUN: mlir-opt --canonicalize %s | FileCheck %s

// CHECK-LABEL: func.func @addi_wraps(
// CHECK-NEXT: %[[R:.*]] = arith.constant -128 : i8
// CHECK-NEXT: return %[[R]]
func.func @addi_wraps() -> i8 {
  %a = arith.constant 127 : i8
  %b = arith.constant 1 : i8
  %r = arith.addi %a, %b : i8
  return %r : i8
}

// CHECK-LABEL: func.func @subi_wraps(
// CHECK-NEXT: %[[R:.*]] = arith.constant 127 : i8
// CHECK-NEXT: return %[[R]]
func.func @subi_wraps() -> i8 {
  %a = arith.constant -128 : i8
  %b = arith.constant 1 : i8
  %r = arith.subi %a, %b : i8
  return %r : i8
}

// CHECK-LABEL: func.func @muli_wraps(
// CHECK-NEXT: %[[R:.*]] = arith.constant 16 : i8
// CHECK-NEXT: return %[[R]]
func.func @muli_wraps() -> i8 {
  %a = arith.constant 100 : i8
  %b = arith.constant 100 : i8
  %r = arith.muli %a, %b : i8
  return %r : i8
}

// CHECK-LABEL: func.func @muli_wide(
// CHECK-NEXT: %[[R:.*]] = arith.constant 340282366920938463463374607431768211455 : i129
// CHECK-NEXT: return %[[R]]
func.func @muli_wide() -> i129 {
  %a = arith.constant 18446744073709551615 : i129
  %b = arith.constant 18446744073709551617 : i129
  %r = arith.muli %a, %b : i129
  return %r : i129
}

// CHECK-LABEL: func.func @divsi(
// CHECK-NEXT: %[[R:.*]] = arith.constant -3 : i8
// CHECK-NEXT: return %[[R]]
func.func @divsi() -> i8 {
  %a = arith.constant -7 : i8
  %b = arith.constant 2 : i8
  %r = arith.divsi %a, %b : i8
  return %r : i8
}

// CHECK-LABEL: func.func @floordivsi(
// CHECK-NEXT: %[[R:.*]] = arith.constant -4 : i8
// CHECK-NEXT: return %[[R]]
func.func @floordivsi() -> i8 {
  %a = arith.constant -7 : i8
  %b = arith.constant 2 : i8
  %r = arith.floordivsi %a, %b : i8
  return %r : i8
}

// CHECK-LABEL: func.func @ceildivsi(
// CHECK-NEXT: %[[R:.*]] = arith.constant 4 : i8
// CHECK-NEXT: return %[[R]]
func.func @ceildivsi() -> i8 {
  %a = arith.constant 7 : i8
  %b = arith.constant 2 : i8
  %r = arith.ceildivsi %a, %b : i8
  return %r : i8
}

// CHECK-LABEL: func.func @ceildivsi_negative(
// CHECK-NEXT: %[[R:.*]] = arith.constant -3 : i8
// CHECK-NEXT: return %[[R]]
func.func @ceildivsi_negative() -> i8 {
  %a = arith.constant -7 : i8
  %b = arith.constant 2 : i8
  %r = arith.ceildivsi %a, %b : i8
  return %r : i8
}

// CHECK-LABEL: func.func @divui(
// CHECK-NEXT: %[[R:.*]] = arith.constant 127 : i8
// CHECK-NEXT: return %[[R]]
func.func @divui() -> i8 {
  %a = arith.constant -1 : i8
  %b = arith.constant 2 : i8
  %r = arith.divui %a, %b : i8
  return %r : i8
}

// CHECK-LABEL: func.func @ceildivui(
// CHECK-NEXT: %[[R:.*]] = arith.constant -128 : i8
// CHECK-NEXT: return %[[R]]
func.func @ceildivui() -> i8 {
  %a = arith.constant -1 : i8
  %b = arith.constant 2 : i8
  %r = arith.ceildivui %a, %b : i8
  return %r : i8
}

// CHECK-LABEL: func.func @remsi(
// CHECK-NEXT: %[[R:.*]] = arith.constant -1 : i8
// CHECK-NEXT: return %[[R]]
func.func @remsi() -> i8 {
  %a = arith.constant -7 : i8
  %b = arith.constant 3 : i8
  %r = arith.remsi %a, %b : i8
  return %r : i8
}

// CHECK-LABEL: func.func @remui(
// CHECK-NEXT: %[[R:.*]] = arith.constant 0 : i8
// CHECK-NEXT: return %[[R]]
func.func @remui() -> i8 {
  %a = arith.constant -7 : i8
  %b = arith.constant 3 : i8
  %r = arith.remui %a, %b : i8
  return %r : i8
}

// CHECK-LABEL: func.func @shli(
// CHECK-NEXT: %[[R:.*]] = arith.constant 2 : i8
// CHECK-NEXT: return %[[R]]
func.func @shli() -> i8 {
  %a = arith.constant -127 : i8
  %b = arith.constant 1 : i8
  %r = arith.shli %a, %b : i8
  return %r : i8
}

// CHECK-LABEL: func.func @shrui(
// CHECK-NEXT: %[[R:.*]] = arith.constant 127 : i8
// CHECK-NEXT: return %[[R]]
func.func @shrui() -> i8 {
  %a = arith.constant -2 : i8
  %b = arith.constant 1 : i8
  %r = arith.shrui %a, %b : i8
  return %r : i8
}

// CHECK-LABEL: func.func @shrsi(
// CHECK-NEXT: %[[R:.*]] = arith.constant -1 : i8
// CHECK-NEXT: return %[[R]]
func.func @shrsi() -> i8 {
  %a = arith.constant -2 : i8
  %b = arith.constant 1 : i8
  %r = arith.shrsi %a, %b : i8
  return %r : i8
}

// CHECK-LABEL: func.func @andi(
// CHECK-NEXT: %[[R:.*]] = arith.constant 8 : i8
// CHECK-NEXT: return %[[R]]
func.func @andi() -> i8 {
  %a = arith.constant 12 : i8
  %b = arith.constant 10 : i8
  %r = arith.andi %a, %b : i8
  return %r : i8
}

// CHECK-LABEL: func.func @ori(
// CHECK-NEXT: %[[R:.*]] = arith.constant 14 : i8
// CHECK-NEXT: return %[[R]]
func.func @ori() -> i8 {
  %a = arith.constant 12 : i8
  %b = arith.constant 10 : i8
  %r = arith.ori %a, %b : i8
  return %r : i8
}

// CHECK-LABEL: func.func @xori(
// CHECK-NEXT: %[[R:.*]] = arith.constant 6 : i8
// CHECK-NEXT: return %[[R]]
func.func @xori() -> i8 {
  %a = arith.constant 12 : i8
  %b = arith.constant 10 : i8
  %r = arith.xori %a, %b : i8
  return %r : i8
}

// CHECK-LABEL: func.func @maxui(
// CHECK-NEXT: %[[R:.*]] = arith.constant -1 : i8
// CHECK-NEXT: return %[[R]]
func.func @maxui() -> i8 {
  %a = arith.constant -1 : i8
  %b = arith.constant 1 : i8
  %r = arith.maxui %a, %b : i8
  return %r : i8
}

// CHECK-LABEL: func.func @minsi(
// CHECK-NEXT: %[[R:.*]] = arith.constant -1 : i8
// CHECK-NEXT: return %[[R]]
func.func @minsi() -> i8 {
  %a = arith.constant -1 : i8
  %b = arith.constant 1 : i8
  %r = arith.minsi %a, %b : i8
  return %r : i8
}

// CHECK-LABEL: func.func @addf_f16(
// CHECK-NEXT: %[[R:.*]] = arith.constant 2.048000e+03 : f16
// CHECK-NEXT: return %[[R]]
func.func @addf_f16() -> f16 {
  %a = arith.constant 2048.0 : f16
  %b = arith.constant 1.0 : f16
  %r = arith.addf %a, %b : f16
  return %r : f16
}

// CHECK-LABEL: func.func @divf(
// CHECK-NEXT: %[[R:.*]] = arith.constant 0.333333343 : f32
// CHECK-NEXT: return %[[R]]
func.func @divf() -> f32 {
  %a = arith.constant 1.0 : f32
  %b = arith.constant 3.0 : f32
  %r = arith.divf %a, %b : f32
  return %r : f32
}

// CHECK-LABEL: func.func @divf_zero(
// CHECK-NEXT: %[[R:.*]] = arith.constant 0xFF800000 : f32
// CHECK-NEXT: return %[[R]]
func.func @divf_zero() -> f32 {
  %a = arith.constant 1.0 : f32
  %b = arith.constant -0.0 : f32
  %r = arith.divf %a, %b : f32
  return %r : f32
}

// CHECK-LABEL: func.func @mulf_bf16(
// CHECK-NEXT: %[[R:.*]] = arith.constant 9.875000e+00 : bf16
// CHECK-NEXT: return %[[R]]
func.func @mulf_bf16() -> bf16 {
  %a = arith.constant 3.140625 : bf16
  %b = arith.constant 3.140625 : bf16
  %r = arith.mulf %a, %b : bf16
  return %r : bf16
}

// CHECK-LABEL: func.func @maximumf(
// CHECK-NEXT: %[[R:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: return %[[R]]
func.func @maximumf() -> f32 {
  %a = arith.constant -0.0 : f32
  %b = arith.constant 0.0 : f32
  %r = arith.maximumf %a, %b : f32
  return %r : f32
}

// CHECK-LABEL: func.func @minimumf(
// CHECK-NEXT: %[[R:.*]] = arith.constant 0x7FC00000 : f32
// CHECK-NEXT: return %[[R]]
func.func @minimumf() -> f32 {
  %a = arith.constant 0x7FC00000 : f32
  %b = arith.constant 1.0 : f32
  %r = arith.minimumf %a, %b : f32
  return %r : f32
}

// CHECK-LABEL: func.func @maxnumf(
// CHECK-NEXT: %[[R:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: return %[[R]]
func.func @maxnumf() -> f32 {
  %a = arith.constant 0x7FC00000 : f32
  %b = arith.constant 1.0 : f32
  %r = arith.maxnumf %a, %b : f32
  return %r : f32
}

// CHECK-LABEL: func.func @remf(
// CHECK-NEXT: %[[R:.*]] = arith.constant -1.500000e+00 : f32
// CHECK-NEXT: return %[[R]]
func.func @remf() -> f32 {
  %a = arith.constant -7.5 : f32
  %b = arith.constant 2.0 : f32
  %r = arith.remf %a, %b : f32
  return %r : f32
}

// CHECK-LABEL: func.func @extui(
// CHECK-NEXT: %[[R:.*]] = arith.constant 255 : i16
// CHECK-NEXT: return %[[R]]
func.func @extui() -> i16 {
  %a = arith.constant -1 : i8
  %r = arith.extui %a : i8 to i16
  return %r : i16
}

// CHECK-LABEL: func.func @extsi(
// CHECK-NEXT: %[[R:.*]] = arith.constant -1 : i16
// CHECK-NEXT: return %[[R]]
func.func @extsi() -> i16 {
  %a = arith.constant -1 : i8
  %r = arith.extsi %a : i8 to i16
  return %r : i16
}

// CHECK-LABEL: func.func @trunci(
// CHECK-NEXT: %[[R:.*]] = arith.constant 44 : i8
// CHECK-NEXT: return %[[R]]
func.func @trunci() -> i8 {
  %a = arith.constant 300 : i32
  %r = arith.trunci %a : i32 to i8
  return %r : i8
}

// CHECK-LABEL: func.func @sitofp(
// CHECK-NEXT: %[[R:.*]] = arith.constant -3.000000e+00 : f32
// CHECK-NEXT: return %[[R]]
func.func @sitofp() -> f32 {
  %a = arith.constant -3 : i8
  %r = arith.sitofp %a : i8 to f32
  return %r : f32
}

// CHECK-LABEL: func.func @uitofp(
// CHECK-NEXT: %[[R:.*]] = arith.constant 2.530000e+02 : f32
// CHECK-NEXT: return %[[R]]
func.func @uitofp() -> f32 {
  %a = arith.constant -3 : i8
  %r = arith.uitofp %a : i8 to f32
  return %r : f32
}

// CHECK-LABEL: func.func @fptosi(
// CHECK-NEXT: %[[R:.*]] = arith.constant -3 : i8
// CHECK-NEXT: return %[[R]]
func.func @fptosi() -> i8 {
  %a = arith.constant -3.9 : f32
  %r = arith.fptosi %a : f32 to i8
  return %r : i8
}

// CHECK-LABEL: func.func @fptoui(
// CHECK-NEXT: %[[R:.*]] = arith.constant -56 : i8
// CHECK-NEXT: return %[[R]]
func.func @fptoui() -> i8 {
  %a = arith.constant 200.9 : f32
  %r = arith.fptoui %a : f32 to i8
  return %r : i8
}

// CHECK-LABEL: func.func @extf(
// CHECK-NEXT: %[[R:.*]] = arith.constant 1.500000e+00 : f64
// CHECK-NEXT: return %[[R]]
func.func @extf() -> f64 {
  %a = arith.constant 1.5 : bf16
  %r = arith.extf %a : bf16 to f64
  return %r : f64
}

// CHECK-LABEL: func.func @index_cast(
// CHECK-NEXT: %[[R:.*]] = arith.constant -3 : index
// CHECK-NEXT: return %[[R]]
func.func @index_cast() -> index {
  %a = arith.constant -3 : i8
  %r = arith.index_cast %a : i8 to index
  return %r : index
}

// CHECK-LABEL: func.func @index_castui(
// CHECK-NEXT: %[[R:.*]] = arith.constant 253 : index
// CHECK-NEXT: return %[[R]]
func.func @index_castui() -> index {
  %a = arith.constant -3 : i8
  %r = arith.index_castui %a : i8 to index
  return %r : index
}

// CHECK-LABEL: func.func @bitcast(
// CHECK-NEXT: %[[R:.*]] = arith.constant 1065353216 : i32
// CHECK-NEXT: return %[[R]]
func.func @bitcast() -> i32 {
  %a = arith.constant 1.0 : f32
  %r = arith.bitcast %a : f32 to i32
  return %r : i32
}

// CHECK-LABEL: func.func @cmpi(
// CHECK-NEXT: %[[R:.*]] = arith.constant true
// CHECK-NEXT: return %[[R]]
func.func @cmpi() -> i1 {
  %a = arith.constant -1 : i8
  %b = arith.constant 1 : i8
  %r = arith.cmpi ugt, %a, %b : i8
  return %r : i1
}

// CHECK-LABEL: func.func @cmpf(
// CHECK-NEXT: %[[R:.*]] = arith.constant true
// CHECK-NEXT: return %[[R]]
func.func @cmpf() -> i1 {
  %a = arith.constant 0x7FC00000 : f32
  %b = arith.constant 1.0 : f32
  %r = arith.cmpf ult, %a, %b : f32
  return %r : i1
}

// CHECK-LABEL: func.func @select(
// CHECK-NEXT: %[[R:.*]] = arith.constant 2 : i8
// CHECK-NEXT: return %[[R]]
func.func @select() -> i8 {
  %a = arith.constant false
  %b = arith.constant 1 : i8
  %c = arith.constant 2 : i8
  %r = arith.select %a, %b, %c : i8
  return %r : i8
}

// CHECK-LABEL: func.func @negf(
// CHECK-NEXT: %[[R:.*]] = arith.constant -0.000000e+00 : f32
// CHECK-NEXT: return %[[R]]
func.func @negf() -> f32 {
  %a = arith.constant 0.0 : f32
  %r = arith.negf %a : f32
  return %r : f32
}

// CHECK-LABEL: func.func @extended(
// CHECK-NEXT: %[[R:.*]] = arith.constant -2 : i8
// CHECK-NEXT: return %[[R]]
func.func @extended() -> i8 {
  %a = arith.constant -1 : i8
  %b = arith.constant -1 : i8
  %l, %r = arith.mului_extended %a, %b : i8
  return %r : i8
}

// CHECK-LABEL: func.func @extended_signed(
// CHECK-NEXT: %[[R:.*]] = arith.constant -1 : i8
// CHECK-NEXT: return %[[R]]
func.func @extended_signed() -> i8 {
  %a = arith.constant -128 : i8
  %b = arith.constant 2 : i8
  %l, %r = arith.mulsi_extended %a, %b : i8
  return %r : i8
}

// CHECK-LABEL: func.func @carry(
// CHECK-NEXT: %[[R:.*]] = arith.constant true
// CHECK-NEXT: return %[[R]]
func.func @carry() -> i1 {
  %a = arith.constant -1 : i8
  %b = arith.constant 1 : i8
  %l, %r = arith.addui_extended %a, %b : i8, i1
  return %r : i1
}

// CHECK-LABEL: func.func @elements(
// CHECK-NEXT: %[[R:.*]] = arith.constant dense<[10, 20, 30]> : tensor<3xi32>
// CHECK-NEXT: return %[[R]]
func.func @elements() -> tensor<3xi32> {
  %a = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
  %b = arith.constant dense<10> : tensor<3xi32>
  %r = arith.muli %a, %b : tensor<3xi32>
  return %r : tensor<3xi32>
}

// CHECK-LABEL: func.func @splat(
// CHECK-NEXT: %[[R:.*]] = arith.constant dense<3.000000e+00> : vector<4xf32>
// CHECK-NEXT: return %[[R]]
func.func @splat() -> vector<4xf32> {
  %a = arith.constant dense<1.5> : vector<4xf32>
  %r = arith.addf %a, %a : vector<4xf32>
  return %r : vector<4xf32>
}
