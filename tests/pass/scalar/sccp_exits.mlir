// RUN: noria opt --sccp --canonicalize %s | FileCheck %s
// RUN: noria opt --sccp %s -o %t.mlir

// Loops that are left from inside: what every way back and every way out gives.
// CHECK-LABEL: func.func @leaves
// CHECK: %[[FOUR:.*]] = arith.constant 4 : i32
// CHECK: scf.loop
// CHECK-NOT: arith.muli
// CHECK: scf.break
// CHECK-NOT: scf.break
// CHECK: return %{{.*}}, %[[FOUR]] : i32, i32
// RUN: noria run %s --interpret --entry=leaves 5 | FileCheck %s --check-prefix=LEAVES
// RUN: noria run %t.mlir --check-stages --entry=leaves 5 | FileCheck %s --check-prefix=LEAVES
// LEAVES: {{^}}5 : i32
// LEAVES: {{^}}4 : i32
func.func @leaves(%n: i32) -> (i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %r:2 = scf.loop token(%l) iter_args(%i = %c0, %k = %c2) : (i32, i32) -> (i32, i32) {
    %square = arith.muli %k, %k : i32
    %never = arith.cmpi eq, %k, %c1 : i32
    %end = arith.cmpi sge, %i, %n : i32
    scf.if %end {
      scf.break [%l] %i, %square : i32, i32
    }
    scf.if %never {
      scf.break [%l] %i, %i : i32, i32
    }
    %next = arith.addi %i, %c1 : i32
    scf.continue [%l] %next, %k : i32, i32
  }
  return %r#0, %r#1 : i32, i32
}
