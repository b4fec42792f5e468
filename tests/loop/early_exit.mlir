// Loops that are left from inside: scf.loop with scf.break and scf.continue.
// RUN: noria opt %s -o %t.once && FileCheck %s --input-file=%t.once
// RUN: noria opt %t.once | diff - %t.once
// RUN: noria opt --generic %s | noria opt - | diff - %t.once
// RUN: noria opt --convert-scf-to-cf %s -o %t.cf && FileCheck %s --input-file=%t.cf --check-prefix=CF
// RUN: mlir-opt %t.cf -o %t.oracle
// RUN: noria opt --canonicalize --cse --licm --dce %s -o %t.same

// The smallest divisor above 1; of 91 it is 7, of 97 it is 97.
// RUN: noria run %s --entry=divisor 91 --check-stages | FileCheck %s --check-prefix=SEVEN
// RUN: noria run %t.same --entry=divisor 91 --interpret | FileCheck %s --check-prefix=SEVEN
// RUN: noria run %t.cf --entry=divisor 91 --check-stages | FileCheck %s --check-prefix=SEVEN
// SEVEN: {{^}}7 : i64{{$}}
// RUN: noria run %s --entry=divisor 97 --check-stages | FileCheck %s --check-prefix=PRIME
// PRIME: {{^}}97 : i64{{$}}
// CHECK-LABEL: func.func @divisor
// CHECK: %[[R:.*]] = scf.loop token(%[[L:.*]]) iter_args(%[[I:.*]] = %{{.*}}) : i64 -> i64 {
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: scf.break [%[[L]]] %[[I]] : i64
// CHECK-NEXT: }
// CHECK: scf.continue [%[[L]]] %{{.*}} : i64
// CHECK-NEXT: } {tag}
// CF-LABEL: func.func @divisor
// CF: cf.br ^[[HEAD:.*]](%{{.*}} : i64)
// CF: ^[[HEAD]](%[[I:.*]]: i64):
// CF-NEXT: arith.remsi %arg0, %[[I]] : i64
// CF-NEXT: arith.cmpi eq
// CF-NEXT: cf.cond_br %{{.*}}, ^[[LEAVE:bb[0-9]+]], ^[[ON:bb[0-9]+]]
// CF: ^[[LEAVE]]:
// CF-NEXT: cf.br ^[[END:bb[0-9]+]](%[[I]] : i64)
// CF: ^[[ON]]:
// CF-NEXT: %[[N:.*]] = arith.addi %[[I]], %{{.*}} : i64
// CF-NEXT: cf.br ^[[HEAD]](%[[N]] : i64)
// CF: ^[[END]](%[[R:.*]]: i64):
// CF-NEXT: return %[[R]] : i64
func.func @divisor(%n: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %r = scf.loop token(%l) iter_args(%i = %two) : i64 -> i64 {
    %m = arith.remsi %n, %i : i64
    %c = arith.cmpi eq, %m, %zero : i64
    scf.if %c {
      scf.break [%l] %i : i64
    }
    %next = arith.addi %i, %one : i64
    scf.continue [%l] %next : i64
  } {tag}
  return %r : i64
}

// An inner loop ends the outer one, or starts its next round: the first i, j with i * j = n and i > j, by rows.
// RUN: noria run %s --entry=factors 12 --check-stages | FileCheck %s --check-prefix=FACTORS
// RUN: noria run %t.same --entry=factors 12 --interpret | FileCheck %s --check-prefix=FACTORS
// RUN: noria run %t.cf --entry=factors 12 --check-stages | FileCheck %s --check-prefix=FACTORS
// FACTORS: {{^}}4 : i64{{$}}
// FACTORS-NEXT: {{^}}3 : i64{{$}}
// CHECK-LABEL: func.func @factors
// CHECK: %{{.*}}:2 = scf.loop token(%[[O:.*]]) iter_args(%{{.*}} = %{{.*}}) : i64 -> (i64, i64) {
// CHECK: scf.loop token(%{{.*}}) iter_args(%{{.*}} = %{{.*}}) : i64 {
// CHECK: scf.continue [%[[O]]] %{{.*}} : i64
// CHECK: scf.break [%[[O]]] %{{.*}}, %{{.*}} : i64, i64
func.func @factors(%n: i64) -> (i64, i64) {
  %one = arith.constant 1 : i64
  %r:2 = scf.loop token(%outer) iter_args(%i = %one) : i64 -> (i64, i64) {
    %i1 = arith.addi %i, %one : i64
    scf.loop token(%inner) iter_args(%j = %one) : i64 {
      %done = arith.cmpi sge, %j, %i : i64
      scf.if %done {
        scf.continue [%outer] %i1 : i64
      }
      %p = arith.muli %i, %j : i64
      %found = arith.cmpi eq, %p, %n : i64
      scf.if %found {
        scf.break [%outer] %i, %j : i64, i64
      } else {
        %j1 = arith.addi %j, %one : i64
        scf.continue [%inner] %j1 : i64
      }
      scf.break [%inner]
    }
    scf.continue [%outer] %i : i64
  }
  return %r#0, %r#1 : i64, i64
}

// Out of a for, a while, a switch, an if with values. Where the value is found, else -1; -2 after a zero.
// RUN: noria run %s --entry=find '[[3, 4, 5], [6, 7, 8]]' 7 --check-stages | FileCheck %s --check-prefix=FOUND
// RUN: noria run %t.same --entry=find '[[3, 4, 5], [6, 7, 8]]' 7 --interpret | FileCheck %s --check-prefix=FOUND
// FOUND: {{^}}4 : index{{$}}
// RUN: noria run %s --entry=find '[[3, 4, 5], [6, 7, 8]]' 9 --check-stages | FileCheck %s --check-prefix=MISSED
// MISSED: {{^}}-1 : index{{$}}
// RUN: noria run %s --entry=find '[[3, 4, 0], [6, 7, 8]]' 7 --check-stages | FileCheck %s --check-prefix=ZERO
// ZERO: {{^}}-2 : index{{$}}
func.func @find(%m: memref<2x3xi32>, %x: i32) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %none = arith.constant -1 : index
  %stop = arith.constant -2 : index
  %zero = arith.constant 0 : i32
  %r = scf.loop token(%l) : () -> index {
    scf.for %i = %c0 to %c2 step %c1 {
      %w = scf.while (%j = %c0) : (index) -> index {
        %less = arith.cmpi slt, %j, %c3 : index
        scf.condition(%less) %j : index
      } do {
      ^bb0(%j: index):
        %v = memref.load %m[%i, %j] : memref<2x3xi32>
        %is_zero = arith.cmpi eq, %v, %zero : i32
        %y = scf.if %is_zero -> (i32) {
          scf.break [%l] %stop : index
        } else {
          scf.yield %v : i32
        }
        %same = arith.cmpi eq, %x, %y : i32
        %k = arith.index_castui %same : i1 to index
        scf.index_switch %k
        case 1 {
          %row = arith.muli %i, %c3 : index
          %at = arith.addi %row, %j : index
          scf.break [%l] %at : index
        }
        default {
        }
        %j1 = arith.addi %j, %c1 : index
        scf.yield %j1 : index
      }
    }
    scf.break [%l] %none : index
  }
  return %r : index
}

// Nothing carried, no result; limits end it.
// RUN: not noria run %s --entry=endless --iteration-limit=5000 2>&1 | FileCheck %s --check-prefix=LIMIT
// LIMIT: limit
// CHECK-LABEL: func.func @endless
// CHECK: scf.loop token(%[[L:.*]]) {
// CHECK-NEXT: scf.continue [%[[L]]]
// CHECK-NEXT: }
func.func @endless() {
  scf.loop token(%l) {
    scf.continue [%l]
  }
  return
}
