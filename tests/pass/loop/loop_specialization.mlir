// RUN: noria opt --scf-for-loop-specialization %s | FileCheck %s
// RUN: noria opt --scf-for-loop-specialization --syntax=mlir %s | mlir-opt
// RUN: noria opt --scf-for-loop-specialization %s | noria run - --entry=blocks 21 --check-stages | FileCheck %s --check-prefix=SUM
// RUN: noria run %s --entry=blocks 21 | FileCheck %s --check-prefix=SUM
// SUM: 2870 : index

// Blocks of 8; the last one is shorter.
// CHECK-LABEL: func.func @blocks
// CHECK: %[[SIZE:.*]] = arith.minsi %{{.*}}, %[[C8:.*]] : index
// CHECK: %[[FULL:.*]] = arith.cmpi eq, %[[SIZE]], %[[K:.*]] : index
// CHECK: %[[R:.*]] = scf.if %[[FULL]] -> (index) {
// CHECK-NEXT: %[[X:.*]] = scf.for %{{.*}} = %{{.*}} to %[[K]] step
// CHECK: scf.yield %[[X]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[Y:.*]] = scf.for %{{.*}} = %{{.*}} to %[[SIZE]] step
// CHECK: scf.yield %[[Y]]
func.func @blocks(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %n step %c8 iter_args(%a = %c0) -> (index) {
    %left = arith.subi %n, %i : index
    %size = arith.minsi %left, %c8 : index
    %s = scf.for %j = %c0 to %size step %c1 iter_args(%b = %a) -> (index) {
      %k = arith.addi %i, %j : index
      %q = arith.muli %k, %k : index
      %u = arith.addi %b, %q : index
      scf.yield %u : index
    }
    scf.yield %s : index
  }
  return %r : index
}

// The least constant of an affine.min. A bound that is no minimum stays.
// CHECK-LABEL: func.func @affine
// CHECK: scf.if
// CHECK-NEXT: scf.for %{{.*}} to %c32
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: return
func.func private @use(index)
func.func @affine(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = affine.min affine_map<(d0) -> (64, d0, 32)>(%n)
  scf.for %j = %c0 to %size step %c1 {
    func.call @use(%j) : (index) -> ()
  }
  scf.for %j = %c0 to %n step %c1 {
    func.call @use(%j) : (index) -> ()
  }
  return
}
