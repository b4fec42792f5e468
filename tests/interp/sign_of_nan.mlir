// The sign bit alone changes: a signaling NaN stays one. Folding, interpreting and machine code agree on all bits.
// RUN: noria run %s --entry=signs 2139095041 | FileCheck %s
// RUN: noria run %s --entry=signs 2139095041 --interpret | FileCheck %s
// RUN: noria opt --canonicalize %s | FileCheck %s --check-prefix=FOLD

// CHECK: {{^}}-8388607 : i32
// CHECK-NEXT: {{^}}2139095041 : i32
// CHECK-NEXT: {{^}}-8388607 : i32
func.func @signs(%bits: i32) -> (i32, i32, i32) {
  %x = arith.bitcast %bits : i32 to f32
  %minus = arith.constant -1.0 : f32
  %negated = arith.negf %x : f32
  %positive = math.absf %negated : f32
  %copied = math.copysign %x, %minus : f32
  %a = arith.bitcast %negated : f32 to i32
  %b = arith.bitcast %positive : f32 to i32
  %c = arith.bitcast %copied : f32 to i32
  return %a, %b, %c : i32, i32, i32
}

// FOLD-LABEL: func.func @folded
// FOLD-DAG: arith.constant -8388607 : i32
// FOLD-DAG: arith.constant 2139095041 : i32
// FOLD: return
func.func @folded() -> (i32, i32, i32) {
  %x = arith.constant 0x7F800001 : f32
  %minus = arith.constant -1.0 : f32
  %negated = arith.negf %x : f32
  %positive = math.absf %negated : f32
  %copied = math.copysign %x, %minus : f32
  %a = arith.bitcast %negated : f32 to i32
  %b = arith.bitcast %positive : f32 to i32
  %c = arith.bitcast %copied : f32 to i32
  return %a, %b, %c : i32, i32, i32
}
