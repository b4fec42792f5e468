// RUN: noria opt --pass-pipeline=scf-parallel-loop-specialization %s | FileCheck %s
// RUN: noria opt --pass-pipeline=scf-parallel-loop-specialization --syntax=mlir %s | mlir-opt
// RUN: noria opt --pass-pipeline=scf-parallel-loop-specialization %s | noria run - --interpret --entry=edge 3 7 | FileCheck %s --check-prefix=SMALL
// RUN: noria opt --pass-pipeline=scf-parallel-loop-specialization %s | noria run - --entry=edge 3 7 | FileCheck %s --check-prefix=SMALL
// RUN: noria opt --pass-pipeline=scf-parallel-loop-specialization %s | noria run - --entry=edge 9 80 | FileCheck %s --check-prefix=BIG

// CHECK-LABEL: func.func @edge
// CHECK: %[[A:.*]] = arith.minsi %{{.*}}, %{{.*}} : index
// CHECK: %[[B:.*]] = arith.minui %{{.*}}, %{{.*}} : index
// CHECK: %[[A4:.*]] = arith.constant 4 : index
// CHECK-NEXT: %[[EA:.*]] = arith.cmpi eq, %[[A]], %[[A4]] : index
// CHECK-NEXT: %[[B64:.*]] = arith.constant 64 : index
// CHECK-NEXT: %[[EB:.*]] = arith.cmpi eq, %[[B]], %[[B64]] : index
// CHECK-NEXT: %[[FULL:.*]] = arith.andi %[[EA]], %[[EB]] : i1
// CHECK-NEXT: %[[R:.*]] = scf.if %[[FULL]] -> (i64) {
// CHECK-NEXT: %[[Y:.*]] = scf.parallel ({{.*}}) = ({{.*}}) to (%[[A4]], %[[B64]])
// CHECK: scf.yield %[[Y]] : i64
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.parallel ({{.*}}) = ({{.*}}) to (%[[A]], %[[B]])
// CHECK: return %[[R]]
// SMALL: 63 : i64
// BIG: 8064 : i64
func.func @edge(%n: index, %m: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0 : i64
  %a = arith.minsi %n, %c4 : index
  %b = arith.minui %c64, %m : index
  %r = scf.parallel (%i, %j) = (%c0, %c0) to (%a, %b) step (%c1, %c1) init (%z) -> i64 {
    %u = arith.index_cast %j : index to i64
    scf.reduce(%u : i64) {
    ^bb0(%l: i64, %q: i64):
      %y = arith.addi %l, %q : i64
      scf.reduce.return %y : i64
    }
  }
  return %r : i64
}

// CHECK-LABEL: func.func @not_a_minimum
// CHECK-NOT: scf.if
func.func @not_a_minimum(%n: index, %m: memref<?xf32>, %x: f32) {
  %c4 = arith.constant 4 : index
  %b = arith.maxsi %n, %c4 : index
  scf.parallel (%i) = (%n) to (%b) step (%n) {
    memref.store %x, %m[%i] : memref<?xf32>
  }
  return
}

// The bound of a tile as tiling writes it: the least of several, of which one is constant.
// CHECK-LABEL: func.func @affine_minimum
// CHECK: %[[SIZE:.*]] = affine.min
// CHECK: %[[C4:.*]] = arith.constant 4 : index
// CHECK-NEXT: %[[FULL:.*]] = arith.cmpi eq, %[[SIZE]], %[[C4]] : index
// CHECK-NEXT: scf.if %[[FULL]] {
// CHECK-NEXT: scf.parallel ({{.*}}) = ({{.*}}) to (%[[C4]])
// CHECK: scf.parallel ({{.*}}) = ({{.*}}) to (%[[SIZE]])
func.func @affine_minimum(%m: memref<?xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c4) {
    %size = affine.min affine_map<(d0)[s0] -> (4, s0 - d0)>(%i)[%n]
    scf.parallel (%j) = (%c0) to (%size) step (%c1) {
      %at = arith.addi %i, %j : index
      memref.store %x, %m[%at] : memref<?xf32>
      scf.reduce
    }
    scf.reduce
  }
  return
}

// CHECK-LABEL: func.func @affine
// CHECK: %[[A:.*]] = affine.min
// CHECK: %[[C4:.*]] = arith.constant 4 : index
// CHECK-NEXT: %[[FULL:.*]] = arith.cmpi eq, %[[A]], %[[C4]] : index
// CHECK-NEXT: scf.if %[[FULL]] {
// CHECK-NEXT: scf.parallel ({{.*}}) = ({{.*}}) to (%[[C4]])
// CHECK: scf.parallel ({{.*}}) = ({{.*}}) to (%[[A]])
func.func @affine(%n: index, %i: index, %m: memref<?xf32>, %x: f32) {
  %b = affine.min affine_map<(d0)[s0] -> (s0 - d0, 6, 4)>(%i)[%n]
  scf.parallel (%k) = (%n) to (%b) step (%n) {
    memref.store %x, %m[%k] : memref<?xf32>
  }
  return
}
