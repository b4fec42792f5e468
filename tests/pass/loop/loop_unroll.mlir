// RUN: noria opt --pass-pipeline='loop-unroll{unroll-factor=2},canonicalize' %s | FileCheck %s
// RUN: noria opt --pass-pipeline='loop-unroll{unroll-factor=2}' --syntax=mlir %s | mlir-opt
// RUN: noria opt --pass-pipeline='loop-unroll{unroll-full},canonicalize' %s | FileCheck %s --check-prefix=FULL
// RUN: noria opt --pass-pipeline='loop-unroll{unroll-factor=8 unroll-up-to-factor}' %s | FileCheck %s --check-prefix=UPTO
// RUN: noria opt --pass-pipeline='loop-unroll{loop-depth=0}' %s | FileCheck %s --check-prefix=OUTER
// RUN: not noria opt --pass-pipeline='loop-unroll{unroll-factor=-2}' %s 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: option 'unroll-factor' of pass 'loop-unroll' must be an integer from -1 to 4096, not '-2'
// RUN: not noria opt --pass-pipeline='loop-unroll{unroll-factor=0}' %s 2>&1 | FileCheck %s --check-prefix=NEVER
// NEVER: error: loop-unroll: unroll-factor is 1 or more, or -1 for all
// RUN: noria opt --pass-pipeline='loop-unroll{unroll-factor=4 cleanup-unroll},canonicalize' %s | FileCheck %s --check-prefix=CLEANUP
// RUN: noria opt --pass-pipeline='loop-unroll{unroll-factor=2 unroll-num-reps=2},canonicalize' %s | FileCheck %s --check-prefix=TWICE
// RUN: noria run %s --entry=fibonacci 30 | FileCheck %s --check-prefix=RUN30
// RUN: noria opt --loop-unroll %s | noria run - --entry=fibonacci 30 --check-stages | FileCheck %s --check-prefix=RUN30
// RUN30: 832040 : i64
// RUN: noria opt --loop-unroll %s | noria run - --entry=huge 4611686018427387904 --interpret | FileCheck %s --check-prefix=HUGE
// HUGE: 2 : index

func.func private @use(index)

// Two values are handed from copy to copy; one iteration may be left.
// CHECK-LABEL: func.func @fibonacci
// CHECK: %[[TRIPS:.*]] = arith.select
// CHECK: %[[REST:.*]] = arith.remui %[[TRIPS]]
// CHECK: %[[M:.*]]:2 = scf.for %[[I:.*]] = %[[C0:.*]] to %[[SPLIT:.*]] step %[[C2:.*]] iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK-NEXT: %[[S1:.*]] = arith.addi %[[A]], %[[B]] : i64
// CHECK-NEXT: %[[S2:.*]] = arith.addi %[[B]], %[[S1]] : i64
// CHECK-NEXT: scf.yield %[[S1]], %[[S2]]
// CHECK: scf.for %{{.*}} = %[[SPLIT]] to %{{.*}} iter_args(%{{.*}} = %[[M]]#0, %{{.*}} = %[[M]]#1)
func.func @fibonacci(%n: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 0 : i64
  %y = arith.constant 1 : i64
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (i64, i64) {
    %s = arith.addi %a, %b : i64
    scf.yield %b, %s : i64, i64
  }
  return %r#0 : i64
}

// Nothing is left of six iterations, and the variable counts in steps of the old step.
// CHECK-LABEL: func.func @even
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %[[C6:.*]] {
// CHECK: call @use(%[[I]])
// CHECK: %[[J:.*]] = arith.addi %[[I]], %c3 : index
// CHECK: call @use(%[[J]])
// CHECK-NOT: scf.for
// CHECK: return
// FULL-LABEL: func.func @even
// FULL-NOT: scf.for
// FULL: call @use(%c0)
// FULL: call @use(%c3)
// FULL: call @use(%c6)
// FULL: call @use(%c9)
// FULL: call @use(%c12)
// FULL: call @use(%c15)
// FULL-NOT: call
// FULL: return
// UPTO-LABEL: func.func @even
// UPTO: scf.for
// UPTO-COUNT-6: call @use
// UPTO-NOT: call @use
// UPTO: return
func.func @even() {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c3 {
    func.call @use(%i) : (index) -> ()
  }
  return
}

// The innermost loops are unrolled, or those at a depth.
// CHECK-LABEL: func.func @nest
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-2: call @use
// OUTER-LABEL: func.func @nest
// OUTER: scf.for
// OUTER-COUNT-4: scf.for
// OUTER: scf.for
// OUTER: scf.for
// OUTER-NOT: scf.for
// OUTER: return
func.func @nest(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      func.call @use(%j) : (index) -> ()
    }
  }
  return
}

// Twice the step does not fit 64 bits.
// CHECK-LABEL: func.func @huge_step
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @huge_step(%n: index) {
  %c0 = arith.constant 0 : index
  %s = arith.constant 4611686018427387904 : index
  scf.for %i = %c0 to %n step %s {
    func.call @use(%i) : (index) -> ()
  }
  return
}

// The same, seen in the run only.
func.func @huge(%s: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 9223372036854775807 : index
  %r = scf.for %i = %c0 to %n step %s iter_args(%a = %c0) -> (index) {
    %b = arith.addi %a, %c1 : index
    scf.yield %b : index
  }
  return %r : index
}

// Iterations 0 to 3 and 4 to 7 at once, then 8 and 9: in a loop, or not in a loop with cleanup-unroll. Twice by two is
// by four, with what is left of the second time and of the first.
// CLEANUP-LABEL: func.func @ten
// CLEANUP: scf.for %{{.*}} = %c0 to %c8 step %c4
// CLEANUP-COUNT-4: memref.store
// CLEANUP: }
// CLEANUP-NOT: scf.for
// CLEANUP-COUNT-2: memref.store
// CLEANUP-NEXT: return
// TWICE-LABEL: func.func @ten
// TWICE: scf.for %{{.*}} = %c0 to %c8 step %c4
// TWICE-COUNT-4: memref.store
// TWICE: }
// TWICE-COUNT-2: memref.store
// TWICE-NEXT: return
func.func @ten(%m: memref<10xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  scf.for %i = %c0 to %c10 step %c1 {
    memref.store %i, %m[%i] : memref<10xindex>
  }
  return
}
