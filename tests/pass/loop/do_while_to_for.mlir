// RUN: noria opt --while-to-for %s | FileCheck %s
// RUN: noria opt --while-to-for --syntax=mlir %s | mlir-opt
// RUN: noria opt --while-to-for %s -o %t.mlir

// Works before it compares: at least once. The result that is not carried is from now on.
// CHECK-LABEL: func.func @least_once
// CHECK-SAME: %[[N:.*]]: index, %[[X:.*]]: i32)
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %[[C0:.*]], %[[N]]
// CHECK: %[[END:.*]] = arith.select %[[ANY]], %[[N]],
// CHECK: %[[R:.*]]:3 = scf.for %[[I:.*]] = %[[C0]] to %[[END]] step %{{.*}} iter_args(%[[J:.*]] = %[[C0]], %[[A:.*]] = %[[X]], %{{.*}} = %{{.*}}) -> (index, i32, i32) {
// CHECK: %[[V:.*]] = arith.addi %[[A]],
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]],
// CHECK: scf.yield %[[NEXT]], %[[V]], %[[A]]
// CHECK: return %[[R]]#2, %[[R]]#0, %[[R]]#1
// RUN: noria run %s --interpret --entry=least_once 5 1 | FileCheck %s --check-prefix=FIVE
// RUN: noria run %t.mlir --check-stages --entry=least_once 5 1 | FileCheck %s --check-prefix=FIVE
// FIVE: {{^}}7 : i32
// FIVE: {{^}}5 : index
// FIVE: {{^}}11 : i32
// RUN: noria run %s --interpret --entry=least_once -5 1 | FileCheck %s --check-prefix=ONCE
// RUN: noria run %t.mlir --check-stages --entry=least_once -5 1 | FileCheck %s --check-prefix=ONCE
// ONCE: {{^}}1 : i32
// ONCE: {{^}}1 : index
// ONCE: {{^}}1 : i32
func.func @least_once(%n: index, %x: i32) -> (i32, index, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = scf.while (%i = %c0, %a = %x) : (index, i32) -> (i32, index, i32) {
    %k = arith.index_cast %i : index to i32
    %v = arith.addi %a, %k : i32
    %next = arith.addi %i, %c1 : index
    %c = arith.cmpi slt, %next, %n : index
    scf.condition(%c) %a, %next, %v : i32, index, i32
  } do {
  ^bb0(%b: i32, %j: index, %w: i32):
    scf.yield %j, %w : index, i32
  }
  return %r#0, %r#1, %r#2 : i32, index, i32
}

// Down, with a bound that counts; what the second region works is done once more, which nobody sees.
// CHECK-LABEL: func.func @down
// CHECK: scf.for unsigned
// CHECK-NOT: scf.while
// RUN: noria run %s --interpret --entry=down 9 2 | FileCheck %s --check-prefix=DOWN
// RUN: noria run %t.mlir --check-stages --entry=down 9 2 | FileCheck %s --check-prefix=DOWN
// DOWN: {{^}}192 : i64
// DOWN: {{^}}1 : i64
// RUN: noria run %s --interpret --entry=down 1 2 | FileCheck %s --check-prefix=SHORT
// RUN: noria run %t.mlir --check-stages --entry=down 1 2 | FileCheck %s --check-prefix=SHORT
// SHORT: {{^}}3 : i64
// SHORT: {{^}}-1 : i64
func.func @down(%from: i64, %last: i64) -> (i64, i64) {
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c3 = arith.constant 3 : i64
  %r:2 = scf.while (%i = %from, %a = %c3) : (i64, i64) -> (i64, i64) {
    %next = arith.subi %i, %c2 overflow<nsw> : i64
    %c = arith.cmpi sgt, %next, %last : i64
    scf.condition(%c) %a, %next : i64, i64
  } do {
  ^bb0(%b: i64, %j: i64):
    %twice = arith.addi %b, %b : i64
    %fourfold = arith.addi %twice, %twice : i64
    scf.yield %j, %fourfold : i64, i64
  }
  return %r#0, %r#1 : i64, i64
}

// The first sum may pass the end of the type; the second region does what may not be done once more; the next counter is
// another one.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: scf.while
func.func @others(%n: i8, %m: memref<i8>) {
  %c0 = arith.constant 0 : i8
  %c1 = arith.constant 1 : i8
  %0 = scf.while (%i = %n) : (i8) -> (i8) {
    %next = arith.addi %i, %c1 : i8
    %c = arith.cmpi slt, %next, %n : i8
    scf.condition(%c) %next : i8
  } do {
  ^bb0(%j: i8):
    scf.yield %j : i8
  }
  %1 = scf.while (%i = %c0) : (i8) -> (i8) {
    %next = arith.addi %i, %c1 : i8
    %c = arith.cmpi slt, %next, %n : i8
    scf.condition(%c) %next : i8
  } do {
  ^bb0(%j: i8):
    memref.store %j, %m[] : memref<i8>
    scf.yield %j : i8
  }
  %2:2 = scf.while (%i = %c0) : (i8) -> (i8, i8) {
    %next = arith.addi %i, %c1 : i8
    %c = arith.cmpi slt, %next, %n : i8
    scf.condition(%c) %next, %i : i8, i8
  } do {
  ^bb0(%j: i8, %k: i8):
    scf.yield %k : i8
  }
  return
}
