// RUN: noria opt --scf-for-loop-peeling %s | FileCheck %s
// RUN: noria opt --pass-pipeline='scf-for-loop-peeling{peel-front},canonicalize' %s | FileCheck %s --check-prefix=FRONT
// RUN: noria opt --pass-pipeline='scf-for-loop-peeling{skip-partial=false}' %s | FileCheck %s --check-prefix=ALL
// RUN: noria opt --scf-for-loop-peeling --syntax=mlir %s | mlir-opt
// RUN: noria run %s --entry=tiles 17 4 | FileCheck %s --check-prefix=SIZES
// RUN: noria opt --scf-for-loop-peeling %s | noria run - --entry=tiles 17 4 | FileCheck %s --check-prefix=SIZES
// RUN: noria opt --pass-pipeline='scf-for-loop-peeling{peel-front}' %s | noria run - --entry=tiles 17 4 | FileCheck %s --check-prefix=SIZES
// The sizes of the tiles of 17, a digit each.
// SIZES: 44441 : index

func.func private @use(index)

// The minimum is known in the main loop, not in the rest.
// CHECK-LABEL: func.func @tiles
// CHECK-SAME: (%[[N:.*]]: index, %[[S:.*]]: index)
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %[[ZERO:.*]], %[[N]] : index
// CHECK: %[[D:.*]] = arith.select %[[RUNS]]
// CHECK: %[[REST:.*]] = arith.remui %[[D]], %[[S]] : index
// CHECK: %[[SPLIT:.*]] = arith.subi %[[N]], %[[REST]] : index
// CHECK: %[[R:.*]] = scf.for %{{.*}} = %[[ZERO]] to %[[SPLIT]] step %[[S]] iter_args(%[[A:.*]] = %[[ZERO]])
// CHECK-NOT: arith.minsi
// CHECK: arith.muli %[[A]]
// CHECK-NEXT: arith.addi %{{.*}}, %[[S]] : index
// CHECK: scf.for %{{.*}} = %[[SPLIT]] to %[[N]] step %[[S]] iter_args(%{{.*}} = %[[R]])
// CHECK: %[[MIN:.*]] = arith.minsi
// CHECK: arith.addi %{{.*}}, %[[MIN]] : index
func.func @tiles(%n: index, %s: index) -> index {
  %c0 = arith.constant 0 : index
  %c10 = arith.constant 10 : index
  %r = scf.for %i = %c0 to %n step %s iter_args(%a = %c0) -> (index) {
    %left = arith.subi %n, %i : index
    %size = arith.minsi %s, %left : index
    %m = arith.muli %a, %c10 : index
    %b = arith.addi %m, %size : index
    scf.yield %b : index
  }
  return %r : index
}

// Bounds that are constants are cut at a constant; a range that is a multiple of the step is not cut.
// CHECK-LABEL: func.func @constants
// CHECK: %[[C16:.*]] = arith.constant 16 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[C16]] step
// CHECK: scf.for %{{.*}} = %[[C16]] to %{{.*}} step
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: return
// FRONT-LABEL: func.func @constants
// FRONT: call @use(%c0)
// FRONT: scf.for %{{.*}} = %c4 to %c17 step
// FRONT: call @use(%c0)
// FRONT: scf.for %{{.*}} = %c4 to %c20 step
func.func @constants() {
  %c0 = arith.constant 0 : index
  %c17 = arith.constant 17 : index
  %c20 = arith.constant 20 : index
  %step = arith.constant 4 : index
  scf.for %i = %c0 to %c17 step %step {
    func.call @use(%i) : (index) -> ()
  }
  scf.for %i = %c0 to %c20 step %step {
    func.call @use(%i) : (index) -> ()
  }
  return
}

// A loop inside of a rest is left alone, unless all are wanted.
// CHECK-LABEL: func.func @nested
// CHECK-COUNT-5: scf.for
// CHECK-NOT: scf.for
// CHECK: return
// ALL-LABEL: func.func @nested
// ALL-COUNT-6: scf.for
// ALL-NOT: scf.for
// ALL: return
func.func @nested(%n: index, %s: index) {
  %c0 = arith.constant 0 : index
  scf.for %i = %c0 to %n step %s {
    scf.for %j = %c0 to %n step %s {
      func.call @use(%j) : (index) -> ()
    }
  }
  return
}

// What is left may be more than a signed number holds: here the minimum stays.
// CHECK-LABEL: func.func @far_apart
// CHECK-COUNT-2: arith.minsi
// CHECK: scf.for unsigned
// CHECK-NOT: arith.minui
// CHECK: scf.for unsigned
// CHECK-NEXT: arith.subi
// CHECK-NEXT: arith.minui
func.func @far_apart(%lb: index, %n: index, %s: index) {
  scf.for %i = %lb to %n step %s {
    %left = arith.subi %n, %i : index
    %size = arith.minsi %s, %left : index
    func.call @use(%size) : (index) -> ()
  }
  scf.for unsigned %i = %lb to %n step %s : index {
    %left = arith.subi %n, %i : index
    %size = arith.minui %s, %left : index
    func.call @use(%size) : (index) -> ()
  }
  return
}
