// RUN: noria opt --pass-pipeline=scf-parallel-loop-collapsing %s | FileCheck %s
// RUN: noria opt --pass-pipeline='scf-parallel-loop-collapsing{collapsed-indices-0=2,0 collapsed-indices-1=1}' %s | FileCheck %s --check-prefix=TWO
// RUN: noria opt --pass-pipeline=scf-parallel-loop-collapsing --syntax=mlir %s | mlir-opt
// RUN: noria run --interpret --entry=points %s 2 9 5 | FileCheck %s --check-prefix=OUT
// RUN: noria opt --pass-pipeline=scf-parallel-loop-collapsing %s | noria run - --interpret --entry=points 2 9 5 | FileCheck %s --check-prefix=OUT
// RUN: noria opt --pass-pipeline=scf-parallel-loop-collapsing %s | noria run - --entry=points 2 9 5 | FileCheck %s --check-prefix=OUT
// RUN: noria opt --pass-pipeline='scf-parallel-loop-collapsing{collapsed-indices-0=2,0 collapsed-indices-1=1}' %s | noria run - --entry=points 2 9 5 | FileCheck %s --check-prefix=OUT
// RUN: noria run --interpret --entry=points %s 9 2 1 | FileCheck %s --check-prefix=NONE
// RUN: noria opt --pass-pipeline=scf-parallel-loop-collapsing %s | noria run - --entry=points 9 2 1 | FileCheck %s --check-prefix=NONE

// Known numbers of points are multiplied: 2 * 4 * 3.
// CHECK-LABEL: func.func @known
// CHECK: %[[N:.*]] = arith.constant 24 : index
// CHECK: scf.parallel (%[[K:.*]]) = (%{{.*}}) to (%[[N]]) step (%{{.*}}) {
// CHECK-NEXT: %[[R:.*]] = arith.remui %[[K]], %{{.*}} : index
// CHECK-NEXT: %[[Q:.*]] = arith.divui %[[K]], %{{.*}} : index
// CHECK-NEXT: %[[L0:.*]] = arith.muli %[[R]], %{{.*}} : index
// CHECK-NEXT: %[[L:.*]] = arith.addi %[[L0]], %{{.*}} : index
// CHECK-NEXT: %[[J:.*]] = arith.remui %[[Q]], %{{.*}} : index
// CHECK-NEXT: %[[I:.*]] = arith.divui %[[Q]], %{{.*}} : index
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]], %[[L]]]
// TWO-LABEL: func.func @known
// TWO: scf.parallel (%[[A:.*]], %[[B:.*]]) = (%{{.*}}, %{{.*}}) to (%c6, %c4{{.*}}) step
// TWO: memref.store %{{.*}}, %{{.*}}[%{{.*}}, %[[B]], %{{.*}}]
func.func @known(%m: memref<2x4x16xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  scf.parallel (%i, %j, %k) = (%c0, %c0, %c3) to (%c2, %c4, %c12) step (%c1, %c1, %c3) {
    memref.store %x, %m[%i, %j, %k] : memref<2x4x16xf32>
  }
  return
}

// The first reduction takes the points in order, which the second pipeline changes: the loop stays there. In this order
// the results are the same: 2 < 9 in steps of 5 are 2 points, dims 0 and 2 have 3 each. No points without a bound above.
// CHECK-LABEL: func.func @points
// CHECK: scf.parallel (%{{[a-z0-9]*}}) =
// TWO-LABEL: func.func @points
// TWO: scf.parallel (%{{.*}}, %{{.*}}, %{{.*}}) =
// TWO: scf.parallel (%{{[a-z0-9]*}}, %{{[a-z0-9]*}}) =
// OUT: 150 : i64
// OUT-NEXT: 2629 : i64
// NONE: 0 : i64
// NONE-NEXT: 1 : i64
func.func @points(%a: index, %b: index, %s: index) -> (i64, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c10 = arith.constant 10 : index
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r = scf.parallel (%i, %j, %k) = (%c0, %a, %c0) to (%c3, %b, %c3) step (%c1, %s, %c1) init (%z) -> i64 {
    %t = arith.muli %i, %c10 : index
    %u = arith.addi %t, %j : index
    %v = arith.muli %u, %c10 : index
    %w = arith.addi %v, %k : index
    %x = arith.index_cast %w : index to i64
    scf.reduce(%x : i64) {
    ^bb0(%l: i64, %q: i64):
      %d = arith.muli %l, %one : i64
      %y = arith.subi %q, %d : i64
      scf.reduce.return %y : i64
    }
  }
  %e = scf.parallel (%i, %j, %k) = (%c0, %a, %c0) to (%c3, %b, %c3) step (%c1, %s, %c1) init (%one) -> i64 {
    %t = arith.muli %i, %c10 : index
    %u = arith.addi %t, %j : index
    %v = arith.muli %u, %c10 : index
    %w = arith.addi %v, %k : index
    %x = arith.index_cast %w : index to i64
    scf.reduce(%x : i64) {
    ^bb0(%l: i64, %q: i64):
      %y = arith.addi %l, %q : i64
      scf.reduce.return %y : i64
    }
  }
  return %r, %e : i64, i64
}
