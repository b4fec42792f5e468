// RUN: noria opt --while-to-for %s | FileCheck %s
// RUN: noria opt --scf-uplift-while-to-for --syntax=mlir %s | mlir-opt
// RUN: noria opt --while-to-for %s -o %t.mlir

// CHECK-LABEL: func.func @sum
// CHECK-SAME: %[[LB:.*]]: index, %[[UB:.*]]: index, %[[X:.*]]: i64) -> i64
// CHECK: %[[R:.*]] = scf.for %[[I:.*]] = %[[LB]] to %[[UB]] step %{{.*}} iter_args(%[[A:.*]] = %[[X]]) -> (i64) {
// CHECK-NEXT: %[[V:.*]] = arith.index_cast %[[I]]
// CHECK-NEXT: %[[S:.*]] = arith.addi %[[A]], %[[V]] : i64
// CHECK-NEXT: scf.yield %[[S]] : i64
// CHECK: return %[[R]] : i64
// RUN: noria run %s --interpret --entry=sum 3 10 5 | FileCheck %s --check-prefix=SUM
// RUN: noria run %t.mlir --check-stages --entry=sum 3 10 5 | FileCheck %s --check-prefix=SUM
// SUM: {{^}}47 : i64
func.func @sum(%lb: index, %ub: index, %x: i64) -> i64 {
  %c1 = arith.constant 1 : index
  %r:2 = scf.while (%i = %lb, %a = %x) : (index, i64) -> (index, i64) {
    %c = arith.cmpi sgt, %ub, %i : index
    scf.condition(%c) %i, %a : index, i64
  } do {
  ^bb0(%i: index, %a: i64):
    %v = arith.index_cast %i : index to i64
    %s = arith.addi %a, %v : i64
    %n = arith.addi %c1, %i : index
    scf.yield %n, %s : index, i64
  }
  return %r#1 : i64
}

// The counter's last value, results in another order, and what is handed on from before the condition.
// CHECK-LABEL: func.func @results
// CHECK: %[[R:.*]]:2 = scf.for unsigned
// CHECK: %[[SQUARE:.*]] = arith.muli %[[R]]#1, %[[R]]#1
// CHECK: return %[[SQUARE]], %[[R]]#0
// RUN: noria run %s --interpret --entry=results 1 | FileCheck %s --check-prefix=RESULTS
// RUN: noria run %t.mlir --check-stages --entry=results 1 | FileCheck %s --check-prefix=RESULTS
// RESULTS: {{^}}14288400 : i64
// RESULTS: {{^}}101 : i8
// RUN: noria run %s --interpret --entry=results 200 | FileCheck %s --check-prefix=NONE
// RUN: noria run %t.mlir --check-stages --entry=results 200 | FileCheck %s --check-prefix=NONE
// NONE: {{^}}4 : i64
// NONE: {{^}}-56 : i8
func.func @results(%lb: i8) -> (i64, i8) {
  %c50 = arith.constant 50 : i8
  %c99 = arith.constant 99 : i8
  %two = arith.constant 2 : i64
  %r:2 = scf.while (%i = %lb, %a = %two) : (i8, i64) -> (i64, i8) {
    %square = arith.muli %a, %a : i64
    %c = arith.cmpi ule, %i, %c99 : i8
    scf.condition(%c) %square, %i : i64, i8
  } do {
  ^bb0(%square: i64, %i: i8):
    %next = arith.addi %i, %c50 : i8
    %more = arith.addi %square, %two : i64
    %seven = arith.constant 7 : i64
    %odd = arith.addi %more, %seven : i64
    %half = arith.shrsi %odd, %two : i64
    %eleven = arith.constant 118 : i64
    %m = arith.addi %half, %eleven : i64
    scf.yield %next, %m : i8, i64
  }
  return %r#0, %r#1 : i64, i8
}

// CHECK-LABEL: func.func @down
// CHECK-SAME: %[[FROM:.*]]: i32, %[[TO:.*]]: i32)
// CHECK: %[[D:.*]] = arith.subi %[[FROM]], %[[TO]] : i32
// CHECK: %[[ANY:.*]] = arith.cmpi sgt, %[[FROM]], %[[TO]] : i32
// CHECK: %[[N:.*]] = arith.select %[[ANY]], %[[D]], %[[ZERO:.*]] : i32
// CHECK: scf.for unsigned %[[J:.*]] = %[[ZERO]] to %[[N]] step %{{.*}} iter_args
// CHECK: %[[I:.*]] = arith.subi %[[FROM]], %[[J]] : i32
// RUN: noria run %s --interpret --entry=down 5 -3 | FileCheck %s --check-prefix=DOWN
// RUN: noria run %t.mlir --check-stages --entry=down 5 -3 | FileCheck %s --check-prefix=DOWN
// DOWN: {{^}}54321098 : i64
// RUN: noria run %s --interpret --entry=down -3 5 | FileCheck %s --check-prefix=EMPTY
// RUN: noria run %t.mlir --check-stages --entry=down -3 5 | FileCheck %s --check-prefix=EMPTY
// EMPTY: {{^}}0 : i64
func.func @down(%from: i32, %to: i32) -> i64 {
  %m1 = arith.constant -1 : i32
  %zero = arith.constant 0 : i64
  %ten = arith.constant 10 : i64
  %r:2 = scf.while (%i = %from, %a = %zero) : (i32, i64) -> (i32, i64) {
    %c = arith.cmpi sgt, %i, %to : i32
    scf.condition(%c) %i, %a : i32, i64
  } do {
  ^bb0(%i: i32, %a: i64):
    %v = arith.extsi %i : i32 to i64
    %d = arith.addi %v, %ten : i64
    %digit = arith.remsi %d, %ten : i64
    %b = arith.muli %a, %ten : i64
    %s = arith.addi %b, %digit : i64
    %n = arith.addi %i, %m1 : i32
    scf.yield %n, %s : i32, i64
  }
  return %r#1 : i64
}

// A sum in steps of 2 may go around and start again below the bound: 127 is never reached by even numbers.
// CHECK-LABEL: func.func @goes_around
// CHECK: scf.while
// CHECK-LABEL: func.func @has_room
// CHECK: scf.for
// CHECK-LABEL: func.func @of_a_dim
// CHECK: scf.for
// CHECK-LABEL: func.func @marked
// CHECK: scf.for
func.func @goes_around(%n: i8) {
  %c2 = arith.constant 2 : i8
  %r = scf.while (%i = %n) : (i8) -> (i8) {
    %c = arith.cmpi slt, %i, %n : i8
    scf.condition(%c) %i : i8
  } do {
  ^bb0(%i: i8):
    %k = arith.addi %i, %c2 : i8
    scf.yield %k : i8
  }
  return
}
func.func @has_room(%n: i8) {
  %c2 = arith.constant 2 : i8
  %c126 = arith.constant 126 : i8
  %r = scf.while (%i = %n) : (i8) -> (i8) {
    %c = arith.cmpi slt, %i, %c126 : i8
    scf.condition(%c) %i : i8
  } do {
  ^bb0(%i: i8):
    %k = arith.addi %i, %c2 : i8
    scf.yield %k : i8
  }
  return
}
func.func @of_a_dim(%m: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = memref.dim %m, %c0 : memref<?xf32>
  %r = scf.while (%i = %c0) : (index) -> (index) {
    %c = arith.cmpi slt, %i, %n : index
    scf.condition(%c) %i : index
  } do {
  ^bb0(%i: index):
    %k = arith.addi %i, %c4 : index
    scf.yield %k : index
  }
  return
}
func.func @marked(%n: i8) {
  %c2 = arith.constant 2 : i8
  %r = scf.while (%i = %n) : (i8) -> (i8) {
    %c = arith.cmpi slt, %i, %n : i8
    scf.condition(%c) %i : i8
  } do {
  ^bb0(%i: i8):
    %k = arith.addi %i, %c2 overflow<nsw> : i8
    scf.yield %k : i8
  }
  return
}

// Not a counter: the step is not known to be positive, the bound changes, the next value is not the counter's.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: scf.while
// CHECK-NOT: scf.for
func.func @others(%n: index, %step: index) {
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %0 = scf.while (%i = %n) : (index) -> (index) {
    %c = arith.cmpi slt, %i, %c9 : index
    scf.condition(%c) %i : index
  } do {
  ^bb0(%i: index):
    %k = arith.addi %i, %step : index
    scf.yield %k : index
  }
  %1:2 = scf.while (%i = %n, %b = %c9) : (index, index) -> (index, index) {
    %c = arith.cmpi slt, %i, %b : index
    scf.condition(%c) %i, %b : index, index
  } do {
  ^bb0(%i: index, %b: index):
    %k = arith.addi %i, %c1 : index
    scf.yield %k, %k : index, index
  }
  %2:2 = scf.while (%i = %n, %j = %n) : (index, index) -> (index, index) {
    %c = arith.cmpi slt, %i, %c9 : index
    scf.condition(%c) %i, %j : index, index
  } do {
  ^bb0(%i: index, %j: index):
    %k = arith.addi %j, %c1 : index
    scf.yield %k, %i : index, index
  }
  return
}
