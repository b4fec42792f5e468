// RUN: noria opt --scf-for-loop-peeling %s | FileCheck %s
// RUN: noria opt --pass-pipeline='scf-for-loop-peeling{peel-front},canonicalize' %s | FileCheck %s --check-prefix=FRONT
// RUN: noria opt --pass-pipeline='scf-for-loop-peeling{skip-partial=false}' %s | FileCheck %s --check-prefix=ALL
// RUN: noria opt --scf-for-loop-peeling --syntax=mlir %s | mlir-opt
// RUN: noria run %s --entry=tiles 17 4 | FileCheck %s --check-prefix=SIZES
// RUN: noria opt --scf-for-loop-peeling %s | noria run - --entry=tiles 17 4 | FileCheck %s --check-prefix=SIZES
// RUN: noria opt --pass-pipeline='scf-for-loop-peeling{peel-front}' %s | noria run - --entry=tiles 17 4 | FileCheck %s --check-prefix=SIZES
// The sizes of the tiles of 17, a digit each.
// SIZES: 44441 : index

// CHECK-DAG: #[[MAP_16:.*]] = affine_map<(d0)[s0] -> (16)>
// CHECK-DAG: #[[MAP_REST:.*]] = affine_map<(d0)[s0] -> (-d0 + s0)>
// CHECK-DAG: #[[MAP_REST_3:.*]] = affine_map<(d0)[s0] -> (-d0 + s0, 3)>
// CHECK-DAG: #[[MAP_16_3:.*]] = affine_map<(d0)[s0] -> (16, 3)>

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
// CHECK: %[[LEFT:.*]] = arith.subi %[[N]], %{{.*}} : index
// CHECK-NOT: arith.minsi
// CHECK: arith.addi %{{.*}}, %[[LEFT]] : index
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

// Minima and maxima of what is left and the step, as affine ops: in the main loop a whole step is left, in the other
// one less.
// CHECK-LABEL: func.func @affine_bounds
// CHECK-SAME: (%[[N:.*]]: index)
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[SPLIT:.*]] step
// CHECK-NEXT: %[[SIZE:.*]] = affine.apply #[[MAP_16]](
// CHECK-NEXT: %[[FAR:.*]] = affine.max #[[MAP_REST_3]](
// CHECK-NEXT: call @use(%[[SIZE]])
// CHECK-NEXT: call @use(%[[FAR]])
// CHECK: scf.for %[[I:.*]] = %[[SPLIT]] to %[[N]]
// CHECK-NEXT: %[[LEFT:.*]] = affine.apply #[[MAP_REST]](%[[I]])[%[[N]]]
// CHECK-NEXT: %[[LEAST:.*]] = affine.max #[[MAP_16_3]](
// CHECK-NEXT: call @use(%[[LEFT]])
// CHECK-NEXT: call @use(%[[LEAST]])
func.func @affine_bounds(%n: index) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %n step %c16 {
    %size = affine.min affine_map<(d0)[s0] -> (s0 - d0, 16)>(%i)[%n]
    %far = affine.max affine_map<(d0)[s0] -> (s0 - d0, 16, 3)>(%i)[%n]
    func.call @use(%size) : (index) -> ()
    func.call @use(%far) : (index) -> ()
  }
  return
}

// What is left may be more than a signed number holds: here the minimum stays.
// CHECK-LABEL: func.func @far_apart
// CHECK-COUNT-2: arith.minsi
// CHECK: scf.for unsigned
// CHECK-NOT: arith.minui
// CHECK: scf.for unsigned
// CHECK-NEXT: %[[LEFT:.*]] = arith.subi
// CHECK-NEXT: call @use(%[[LEFT]])
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
