// RUN: noria opt --count-trips %s | FileCheck %s
// RUN: noria opt --count-trips --syntax=mlir %s | mlir-opt
// RUN: noria opt --count-trips %s -o %t.mlir

func.func private @use(index)

// CHECK-LABEL: func.func @unknown
// CHECK-SAME: %[[LB:.*]]: index, %[[UB:.*]]: index, %[[ST:.*]]: index, %[[X:.*]]: i64) -> i64
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %[[LB]], %[[UB]] : index
// CHECK: %[[FAR:.*]] = arith.subi %[[UB]], %[[LB]] : index
// CHECK: %[[D:.*]] = arith.select %[[RUNS]], %[[FAR]], %{{.*}} : index
// CHECK: %[[Q:.*]] = arith.ceildivui %[[D]], %[[ST]] : index
// CHECK: %[[TRIPS:.*]] = arith.minui %[[Q]], %{{.*}} : index
// CHECK: %[[R:.*]] = scf.for %[[T:.*]] = %{{.*}} to %[[TRIPS]] step %{{.*}} iter_args(%[[A:.*]] = %[[X]]) -> (i64) {
// CHECK-NEXT: %[[O:.*]] = arith.muli %[[T]], %[[ST]] : index
// CHECK-NEXT: %[[I:.*]] = arith.addi %[[LB]], %[[O]] : index
// CHECK-NEXT: arith.index_cast %[[I]] : index to i64
// CHECK: return %[[R]]
// RUN: noria run %s --interpret --entry=unknown 9223372036854775803 9223372036854775807 1 0 | FileCheck %s --check-prefix=BY1
// RUN: noria run %s --entry=unknown 9223372036854775803 9223372036854775807 1 0 | FileCheck %s --check-prefix=BY1
// RUN: noria run %t.mlir --check-stages --entry=unknown 9223372036854775803 9223372036854775807 1 0 | FileCheck %s --check-prefix=BY1
// BY1: {{^}}-152894 : i64
// RUN: noria run %s --interpret --entry=unknown 5 9223372036854775807 4611686018427387904 0 | FileCheck %s --check-prefix=BIG
// RUN: noria run %s --entry=unknown 5 9223372036854775807 4611686018427387904 0 | FileCheck %s --check-prefix=BIG
// BIG: {{^}}4611686018427388064 : i64
// RUN: noria run %s --entry=unknown 7 3 2 11 | FileCheck %s --check-prefix=NONE
// NONE: {{^}}11 : i64
func.func @unknown(%lb: index, %ub: index, %st: index, %x: i64) -> i64 {
  %c31 = arith.constant 31 : i64
  %r = scf.for %i = %lb to %ub step %st iter_args(%a = %x) -> (i64) {
    %v = arith.index_cast %i : index to i64
    %m = arith.muli %a, %c31 : i64
    %s = arith.addi %m, %v : i64
    scf.yield %s : i64
  }
  return %r : i64
}

// The bound is known in the run only, and polls are asked for each 16384 iterations: that many from the last one on are
// past the end of the type.
// RUN: noria run %s --interpret --entry=by_one 9223372036854755803 9223372036854775807 | FileCheck %s --check-prefix=ONE
// RUN: noria run %s --entry=by_one 9223372036854755803 9223372036854775807 | FileCheck %s --check-prefix=ONE
// ONE: {{^}}20004 : i64
// CHECK-LABEL: func.func @by_one
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK-NEXT: arith.addi
func.func @by_one(%lb: index, %ub: index) -> i64 {
  %c0 = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %lb to %ub step %c1 iter_args(%a = %c0) -> (i64) {
    %s = arith.addi %a, %one : i64
    scf.yield %s : i64
  }
  return %r : i64
}

// CHECK-LABEL: func.func @unsigned
// CHECK: arith.ceildivui %{{.*}}, %{{.*}} : i64
// CHECK: scf.for %{{[a-z0-9_]*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}}) -> (i64) {
// RUN: noria run %s --interpret --entry=unsigned -7 -1 4 | FileCheck %s --check-prefix=UNSIGNED
// RUN: noria run %s --entry=unsigned -7 -1 4 | FileCheck %s --check-prefix=UNSIGNED
// UNSIGNED: {{^}}-220 : i64
func.func @unsigned(%lb: i64, %ub: i64, %st: i64) -> i64 {
  %c0 = arith.constant 0 : i64
  %c31 = arith.constant 31 : i64
  %r = scf.for unsigned %i = %lb to %ub step %st iter_args(%a = %c0) -> (i64) : i64 {
    %m = arith.muli %a, %c31 : i64
    %s = arith.addi %m, %i : i64
    scf.yield %s : i64
  }
  return %r : i64
}

// 13 bits: 4000, 4095 in steps of 40 is 4000, 4040, 4080.
// CHECK-LABEL: func.func @narrow
// CHECK: arith.ceildivui %{{.*}}, %{{.*}} : i13
// CHECK: scf.for %[[T:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}}) -> (i13) {
// CHECK-NEXT: arith.index_castui %[[T]] : index to i13
// RUN: noria run %s --interpret --entry=narrow 4000 4095 40 | FileCheck %s --check-prefix=NARROW
// RUN: noria run %s --entry=narrow 4000 4095 40 | FileCheck %s --check-prefix=NARROW
// NARROW: {{^}}3928 : i32
func.func @narrow(%l: i32, %u: i32, %s: i32) -> i32 {
  %c0 = arith.constant 0 : i13
  %lb = arith.trunci %l : i32 to i13
  %ub = arith.trunci %u : i32 to i13
  %st = arith.trunci %s : i32 to i13
  %r = scf.for %i = %lb to %ub step %st iter_args(%a = %c0) -> (i13) : i13 {
    %n = arith.addi %a, %i : i13
    scf.yield %n : i13
  }
  %x = arith.extsi %r : i13 to i32
  return %x : i32
}

// Only the second dim.
// CHECK-LABEL: func.func @parallel
// CHECK: scf.parallel (%[[I:.*]], %[[J:.*]]) = (%{{.*}}, %{{.*}}) to (%{{.*}}, %{{.*}}) step (%{{.*}}, %{{.*}}) init
// CHECK: %[[O:.*]] = arith.muli %[[J]], %{{.*}} : index
// CHECK-NEXT: %[[AT:.*]] = arith.addi %{{.*}}, %[[O]] : index
// CHECK-NEXT: arith.addi %[[I]], %[[AT]]
// RUN: noria run %s --interpret --entry=parallel 0 2 9223372036854775801 9223372036854775807 4 | FileCheck %s --check-prefix=PARALLEL
// RUN: noria run %s --entry=parallel 0 2 9223372036854775801 9223372036854775807 4 | FileCheck %s --check-prefix=PARALLEL
// PARALLEL: {{^}}-18 : index
func.func @parallel(%l: index, %u: index, %lb: index, %ub: index, %st: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.parallel (%i, %j) = (%l, %lb) to (%u, %ub) step (%c1, %st) init (%c0) -> index {
    %x = arith.addi %i, %j : index
    scf.reduce(%x : index) {
    ^bb0(%a: index, %b: index):
      %s = arith.addi %a, %b : index
      scf.reduce.return %s : index
    }
  }
  return %r : index
}

// A dim of scf.forall too.
// RUN: noria run %s --interpret --entry=forall 9223372036854775801 9223372036854775807 4 | FileCheck %s --check-prefix=FORALL
// RUN: noria run %s --entry=forall 9223372036854775801 9223372036854775807 4 | FileCheck %s --check-prefix=FORALL
// FORALL: {{^}}2 : i64
func.func @forall(%lb: index, %ub: index, %st: index) -> i64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %m = memref.alloca() : memref<i64>
  memref.store %c0, %m[] : memref<i64>
  scf.forall (%i) = (%lb) to (%ub) step (%st) {
    %n = memref.atomic_rmw addi %c1, %m[] : (i64, memref<i64>) -> i64
  }
  %r = memref.load %m[] : memref<i64>
  return %r : i64
}

// Bounds and steps that stay within the type.
// CHECK-LABEL: func.func @known
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[MOST:.*]] step %[[C3:.*]] {
// CHECK-NEXT: @use
func.func @known(%lb: index, %n: index) {
  %c3 = arith.constant 3 : index
  %c100 = arith.constant 100 : index
  %most = arith.minsi %n, %c100 : index
  scf.for %i = %lb to %most step %c3 {
    func.call @use(%i) : (index) -> ()
  }
  return
}
