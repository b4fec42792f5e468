// RUN: noria opt --pass-pipeline='scf-parallel-loop-tiling{parallel-loop-tile-sizes=1,4}' %s | FileCheck %s
// RUN: noria opt --pass-pipeline='scf-parallel-loop-tiling{parallel-loop-tile-sizes=1,4 no-min-max-bounds}' %s | FileCheck %s --check-prefix=WHOLE
// RUN: noria opt --pass-pipeline='scf-parallel-loop-tiling{parallel-loop-tile-sizes=1,4}' --syntax=mlir %s | mlir-opt
// RUN: noria run --interpret --entry=sum %s 5 11 3 | FileCheck %s --check-prefix=OUT
// RUN: noria opt --pass-pipeline='scf-parallel-loop-tiling{parallel-loop-tile-sizes=3,2}' %s | noria run - --interpret --entry=sum 5 11 3 | FileCheck %s --check-prefix=OUT
// RUN: noria opt --pass-pipeline='scf-parallel-loop-tiling{parallel-loop-tile-sizes=3,2}' %s | noria run - --entry=sum 5 11 3 | FileCheck %s --check-prefix=OUT
// RUN: noria opt --pass-pipeline='scf-parallel-loop-tiling{parallel-loop-tile-sizes=3,2 no-min-max-bounds}' %s | noria run - --entry=sum 5 11 3 | FileCheck %s --check-prefix=OUT
// RUN: not noria opt --pass-pipeline='scf-parallel-loop-tiling{parallel-loop-tile-sizes=0}' %s 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: error: option 'parallel-loop-tile-sizes' of pass 'scf-parallel-loop-tiling' must be at most 16 integers with commas between, each of at least 1, not '0'

// CHECK-LABEL: func.func @two_dims
// CHECK-SAME: %[[LB0:.*]]: index, %[[LB1:.*]]: index, %[[UB0:.*]]: index, %[[UB1:.*]]: index, %[[S0:.*]]: index, %[[S1:.*]]: index
// CHECK: %[[C4:.*]] = arith.constant 4 : index
// CHECK: %[[FITS:.*]] = arith.cmpi sle, %[[S1]], %c2305843009213693951 : index
// CHECK: %[[POINTS:.*]] = arith.select %[[FITS]], %[[C4]], %c1{{.*}} : index
// CHECK-NEXT: %[[SPAN:.*]] = arith.muli %[[S1]], %[[POINTS]] : index
// CHECK: scf.parallel (%[[T0:.*]], %[[T1:.*]]) = (%[[LB0]], %[[LB1]]) to (%[[UB0]], %[[UB1]]) step (%[[S0]], %[[SPAN]]) {
// CHECK-NEXT: %[[LEFT:.*]] = arith.subi %[[UB1]], %[[T1]] : index
// CHECK-NEXT: %[[SIZE:.*]] = arith.minui %[[LEFT]], %[[SPAN]] : index
// CHECK-NEXT: scf.parallel (%[[K0:.*]], %[[K1:.*]]) = (%{{.*}}, %{{.*}}) to (%[[S0]], %[[SIZE]]) step (%[[S0]], %[[S1]]) {
// CHECK-NEXT: %[[I:.*]] = arith.addi %[[K0]], %[[T0]] : index
// CHECK-NEXT: %[[J:.*]] = arith.addi %[[K1]], %[[T1]] : index
// CHECK-NEXT: memref.load %{{.*}}[%[[I]], %[[J]]]
// CHECK: } {mapped}
// WHOLE-LABEL: func.func @two_dims
// WHOLE: scf.parallel (%{{.*}}, %[[T1:.*]]) =
// WHOLE-NEXT: scf.parallel (%{{.*}}, %[[K1:.*]]) = (%{{.*}}, %{{.*}}) to (%arg4, %[[SPAN:.*]]) step
// WHOLE: %[[LEFT:.*]] = arith.subi %arg3, %[[T1]] : index
// WHOLE-NEXT: %[[IN:.*]] = arith.cmpi ult, %[[K1]], %[[LEFT]] : index
// WHOLE-NEXT: scf.if %[[IN]] {
// WHOLE-NEXT: memref.load
func.func @two_dims(%lb0: index, %lb1: index, %ub0: index, %ub1: index, %s0: index, %s1: index,
                    %a: memref<?x?xf32>, %b: memref<?x?xf32>) {
  scf.parallel (%i, %j) = (%lb0, %lb1) to (%ub0, %ub1) step (%s0, %s1) {
    %v = memref.load %a[%i, %j] : memref<?x?xf32>
    memref.store %v, %b[%i, %j] : memref<?x?xf32>
  } {mapped}
  return
}

// 22 columns in steps of 2 are 11 points: tiles of 4 are not whole. 24 columns are.
// CHECK-LABEL: func.func @known
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK: arith.minui
// CHECK: scf.parallel
// CHECK: scf.parallel (%{{.*}}, %{{.*}}) =
// CHECK-NEXT: scf.parallel (%{{.*}}, %{{.*}}) = (%{{.*}}, %{{.*}}) to (%{{.*}}, %c8{{.*}}) step
// WHOLE-LABEL: func.func @known
// WHOLE: scf.if
// WHOLE-NOT: scf.if
// WHOLE: return
func.func @known(%m: memref<4x24xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c22 = arith.constant 22 : index
  %c24 = arith.constant 24 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%c4, %c22) step (%c1, %c2) {
    memref.store %x, %m[%i, %j] : memref<4x24xf32>
  }
  scf.parallel (%i, %j) = (%c0, %c0) to (%c4, %c24) step (%c1, %c2) {
    memref.store %x, %m[%i, %j] : memref<4x24xf32>
  }
  return
}

// Only the innermost loop; inside of an scf.for too.
// CHECK-LABEL: func.func @nested
// CHECK: scf.parallel (%{{.*}}) = (%{{.*}}) to (%{{.*}}) step (%arg0) {
// CHECK-NEXT: scf.for
// CHECK-COUNT-2: scf.parallel
// CHECK-NOT: scf.parallel
// CHECK: return
func.func @nested(%n: index, %m: memref<?x?xf32>, %x: f32) {
  scf.parallel (%i) = (%n) to (%n) step (%n) {
    scf.for %k = %n to %n step %n {
      scf.parallel (%j, %l) = (%n, %n) to (%n, %k) step (%n, %n) {
        memref.store %x, %m[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

// Each tile sums from 0, the whole from 100. A sum of floats would round otherwise: it stays.
// CHECK-LABEL: func.func @sum
// CHECK: %[[R:.*]] = scf.parallel ({{.*}}) init (%{{.*}}) -> i32 {
// CHECK: %[[ZERO:.*]] = scf.parallel
// CHECK: scf.reduce(%{{.*}} : i32)
// CHECK: scf.reduce(%[[ZERO]] : i32)
// CHECK: %{{.*}} = scf.parallel
// CHECK-NOT: scf.parallel
// CHECK: return
// OUT: 810 : i32
// OUT-NEXT: 7.100000e+02 : f32
func.func @sum(%n: index, %m: index, %s: index) -> (i32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %z = arith.constant 100 : i32
  %f = arith.constant 0.0 : f32
  %r = scf.parallel (%i, %j) = (%c0, %c1) to (%n, %m) step (%c1, %s) init (%z) -> i32 {
    %t = arith.muli %i, %c10 : index
    %k = arith.addi %t, %j : index
    %h = arith.addi %k, %c10 : index
    %v = arith.index_cast %h : index to i32
    scf.reduce(%v : i32) {
    ^bb0(%a: i32, %b: i32):
      %q = arith.addi %a, %b : i32
      scf.reduce.return %q : i32
    }
  }
  %e = scf.parallel (%i, %j) = (%c0, %c1) to (%n, %m) step (%c1, %s) init (%f) -> f32 {
    %t = arith.muli %i, %c10 : index
    %k = arith.addi %t, %j : index
    %h = arith.addi %k, %c10 : index
    %v = arith.index_cast %h : index to i32
    %w = arith.sitofp %v : i32 to f32
    scf.reduce(%w : f32) {
    ^bb0(%a: f32, %b: f32):
      %q = arith.addf %a, %b : f32
      scf.reduce.return %q : f32
    }
  }
  return %r, %e : i32, f32
}
