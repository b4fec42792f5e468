// RUN: noria opt --loop-pipelining --canonicalize --cse %s 2>%t.warnings | FileCheck %s
// RUN: FileCheck %s --check-prefix=WARN --implicit-check-not=warning < %t.warnings
// RUN: noria opt --loop-pipelining --syntax=mlir %s 2>/dev/null | mlir-opt
// RUN: noria opt --pass-pipeline='loop-pipelining{loads-ahead=false}' %s 2>/dev/null | FileCheck %s --check-prefix=MARKED
// RUN: noria run %s --entry=stages '[3, 1, 4, 1, 5, 9, 2, 6]' > %t.before
// RUN: noria opt --loop-pipelining %s 2>/dev/null > %t.mlir
// RUN: noria run %t.mlir --entry=stages '[3, 1, 4, 1, 5, 9, 2, 6]' > %t.after
// RUN: diff %t.before %t.after
// RUN: noria run %s --entry=stages '[3, 1]' > %t.before
// RUN: noria run %t.mlir --entry=stages '[3, 1]' > %t.after
// RUN: diff %t.before %t.after
// RUN: noria run %s --entry=all_lengths > %t.before
// RUN: noria run %t.mlir --entry=all_lengths --check-stages > %t.after
// RUN: diff %t.before %t.after

// A load of the next iteration beside the sum of this one. Three iterations at least: two of them overlap.
// CHECK-LABEL: func.func @sum
// CHECK-SAME: %[[M:.*]]: memref<8xf32>
// CHECK: %[[FIRST:.*]] = memref.load %[[M]][%c0]
// CHECK: %[[K:.*]]:2 = scf.for %[[I:.*]] = %c0 to %c7 step %c1 iter_args(%[[A:.*]] = %{{.*}}, %[[X:.*]] = %{{.*}})
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %c1
// CHECK-NEXT: memref.load %[[M]][%[[NEXT]]]
// CHECK-NEXT: arith.addf
// CHECK-NEXT: scf.yield
// CHECK: %[[LAST:.*]] = arith.addf
// CHECK: return %[[LAST]]
// MARKED-LABEL: func.func @sum
// MARKED: scf.for
// MARKED-NEXT: memref.load
func.func @sum(%m: memref<8xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %z) -> (f32) {
    %x = memref.load %m[%i] : memref<8xf32>
    %b = arith.addf %a, %x : f32
    scf.yield %b : f32
  }
  return %r : f32
}

// m[i + 1] is written by iteration i and read by the next: the load cannot come early. Nor can one that stands behind a
// store that may be to the same place, nor one that depends on what is carried.
// CHECK-LABEL: func.func @stays
// CHECK: scf.for %[[I:.*]] =
// CHECK-NEXT: memref.load %{{.*}}[%[[I]]]
// CHECK: scf.for %[[I:.*]] =
// CHECK-NEXT: memref.store
// CHECK-NEXT: memref.load %{{.*}}[%[[I]]]
// CHECK: scf.for %{{.*}} iter_args(%[[A:.*]] =
// CHECK-NEXT: memref.load %{{.*}}[%[[A]]]
func.func @stays(%m: memref<?xindex>, %n: memref<?xindex>, %k: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %k step %c1 {
    %x = memref.load %m[%i] : memref<?xindex>
    %j = arith.addi %i, %c1 : index
    memref.store %x, %m[%j] : memref<?xindex>
  }
  scf.for %i = %c0 to %k step %c1 {
    memref.store %k, %n[%i] : memref<?xindex>
    %x = memref.load %m[%i] : memref<?xindex>
    memref.store %x, %n[%i] : memref<?xindex>
  }
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%a = %c0) -> (index) {
    %x = memref.load %m[%a] : memref<?xindex>
    scf.yield %x : index
  }
  return %r : index
}

// Stages as marked: 0 loads, 1 multiplies, 3 adds; what the multiplication makes waits for two steps. A loop of fewer
// than four iterations runs as it was.
// CHECK-LABEL: func.func @stages
// CHECK: %[[ENOUGH:.*]] = arith.cmpi uge, %{{.*}}, %c4 : index
// CHECK: scf.if %[[ENOUGH]]
// CHECK-COUNT-3: memref.load
// CHECK: scf.for
// CHECK-NOT: __test
// CHECK: } else {
// CHECK: scf.for
func.func @stages(%m: memref<?xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<?xi64>
  %z = arith.constant 0 : i64
  %c7 = arith.constant 7 : i64
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z, %old = %c7) -> (i64, i64) {
    %x = memref.load %m[%i] {__test_pipelining_stage__ = 0, __test_pipelining_op_order__ = 3} : memref<?xi64>
    %y = arith.muli %x, %c7 {__test_pipelining_stage__ = 1, __test_pipelining_op_order__ = 2} : i64
    %w = arith.addi %y, %old {__test_pipelining_stage__ = 3, __test_pipelining_op_order__ = 0} : i64
    %b = arith.xori %a, %w {__test_pipelining_stage__ = 3, __test_pipelining_op_order__ = 1} : i64
    scf.yield %b, %y : i64, i64
  } {__test_pipelining_loop__}
  %s = arith.muli %r#0, %c7 : i64
  %t = arith.addi %s, %r#1 : i64
  return %t : i64
}

// WARN: warning: this loop is not pipelined: its schedule would change its result
// CHECK-LABEL: func.func @wrong
// CHECK: scf.for %[[I:.*]] =
// CHECK-NEXT: memref.load %{{.*}}[%[[I]]]
func.func @wrong(%m: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<?xi64>
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %m[%i] {__test_pipelining_stage__ = 0} : memref<?xi64>
    %j = arith.addi %i, %c1 {__test_pipelining_stage__ = 1} : index
    memref.store %x, %m[%j] {__test_pipelining_stage__ = 1} : memref<?xi64>
  } {__test_pipelining_loop__}
  return
}

// Loops of 0 to 7 iterations with a step of 3, at the end of 8 bits.
func.func @all_lengths() -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c3 = arith.constant 3 : index
  %s = arith.constant 3 : i8
  %lb = arith.constant 106 : i8
  %z = arith.constant 0 : i64
  %c31 = arith.constant 31 : i64
  %m = memref.alloca() : memref<128xi64>
  %c128 = arith.constant 128 : index
  scf.for %i = %c0 to %c128 step %c1 {
    %v = arith.muli %i, %i : index
    %w = arith.index_cast %v : index to i64
    memref.store %w, %m[%i] : memref<128xi64>
  }
  %r = scf.for %k = %c0 to %c8 step %c1 iter_args(%total = %z) -> (i64) {
    %d = arith.muli %k, %c3 : index
    %d8 = arith.index_cast %d : index to i8
    %ub = arith.addi %lb, %d8 : i8
    %q:3 = scf.for %i = %lb to %ub step %s iter_args(%a = %total, %p = %z, %o = %c31) -> (i64, i64, i64) : i8 {
      %j = arith.index_cast %i {__test_pipelining_stage__ = 0} : i8 to index
      %x = memref.load %m[%j] {__test_pipelining_stage__ = 1} : memref<128xi64>
      %u = arith.addi %o, %x {__test_pipelining_stage__ = 1} : i64
      %y = arith.muli %a, %c31 {__test_pipelining_stage__ = 2} : i64
      %b = arith.addi %y, %p {__test_pipelining_stage__ = 2} : i64
      %e = arith.addi %x, %u {__test_pipelining_stage__ = 2} : i64
      %f = arith.xori %b, %e {__test_pipelining_stage__ = 2} : i64
      scf.yield %f, %x, %u : i64, i64, i64
    } {__test_pipelining_loop__}
    %t0 = arith.muli %q#0, %c31 : i64
    %t1 = arith.addi %t0, %q#1 : i64
    %t2 = arith.muli %t1, %c31 : i64
    %t3 = arith.addi %t2, %q#2 : i64
    scf.yield %t3 : i64
  }
  return %r : i64
}
