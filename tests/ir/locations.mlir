// Locations are printed when asked for, and read back as they were.
// RUN: noria opt --mlir-print-debuginfo %s | FileCheck %s
// RUN: noria opt --mlir-print-debuginfo %s | noria opt --mlir-print-debuginfo - | FileCheck %s
// RUN: noria opt %s | FileCheck %s --check-prefix=WITHOUT

// CHECK-LABEL: func.func @f
// WITHOUT-NOT: loc(
func.func @f(%x: i32) -> i32 {
  // CHECK: arith.addi %arg0, %arg0 : i32 loc("a.py":3:4)
  %0 = arith.addi %x, %x : i32 loc("a.py":3:4)
  // CHECK: loc("name"("a.py":5:6))
  %1 = arith.addi %0, %x : i32 loc("name"("a.py":5:6))
  // CHECK: loc(callsite("inner" at "b.py":7:8))
  %2 = arith.addi %1, %x : i32 loc(callsite("inner" at "b.py":7:8))
  // CHECK: loc(fused<"meta">["x", "c.py":9:10])
  %3 = arith.addi %2, %x : i32 loc(fused<"meta">["x", "c.py":9:10])
  // CHECK: loc("d.py":11:0)
  %4 = arith.addi %3, %x : i32 loc("d.py":11)
  // CHECK: return %3 : i32 loc(unknown)
  return %3 : i32 loc(unknown)
}

// Those of arguments too, as mlir-opt has them; a module that the text does not name begins nowhere.
// RUN: noria opt --mlir-print-debuginfo %s | mlir-opt --mlir-print-debuginfo - -o %t.ours
// RUN: mlir-opt --mlir-print-debuginfo %s | mlir-opt --mlir-print-debuginfo - -o %t.theirs
// RUN: diff %t.ours %t.theirs

// CHECK-LABEL: func.func @args(%arg0: i32 loc("x"), %arg1: index {t.a} loc("{{.*}}locations.mlir":
func.func @args(%x: i32 loc("x"), %n: index {t.a}) {
  // CHECK: affine.for %arg2 loc("i") = 0 to 4 {
  affine.for %i loc("i") = 0 to 4 {
  }
  cf.br ^bb1(%x : i32)
// CHECK: ^bb1(%0: i32 loc("y")):
^bb1(%y: i32 loc("y")):
  return
}
// CHECK: } loc("{{.*}}locations.mlir":0:0)
