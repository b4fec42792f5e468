// RUN: noria opt %s --poll-loops | FileCheck %s
// 40000 iterations are more than two polls' worth, in every form of loop; 99 calls run the heavy one past several.
// RUN: noria run %s --entry=cut 40000 --check-stages | FileCheck %s --check-prefix=SUM
// RUN: noria run %s --entry=typed 40000 --check-stages | FileCheck %s --check-prefix=SUM
// RUN: noria run %s --entry=carried 40000 --check-stages | FileCheck %s --check-prefix=SUM
// RUN: noria run %s --entry=blocks 40000 --check-stages | FileCheck %s --check-prefix=SUM
// RUN: noria run %s --entry=cut 0 --check-stages | FileCheck %s --check-prefix=ZERO
// RUN: noria run %s --entry=blocks 0 --check-stages | FileCheck %s --check-prefix=ZERO
// SUM: {{^}}799980000 : i64{{$}}
// ZERO: {{^}}0 : i64{{$}}
// RUN: noria run %s --entry=heavy 99 --check-stages | FileCheck %s --check-prefix=HEAVY
// HEAVY: {{^}}99 : i64{{$}}
// A loop in a loop gives the same where it is short (3, 16384) and where it is cut (16385, 40000).
// RUN: noria run %s --entry=nested 3 --check-stages | FileCheck %s --check-prefix=ROWS3
// RUN: noria run %s --entry=nested 16384 --check-stages | FileCheck %s --check-prefix=ROWS14
// RUN: noria run %s --entry=nested 16385 --check-stages | FileCheck %s --check-prefix=ROWS15
// RUN: noria run %s --entry=nested 40000 --check-stages | FileCheck %s --check-prefix=ROWS
// ROWS3: {{^}}6 : i64{{$}}
// ROWS14: {{^}}268419072 : i64{{$}}
// ROWS15: {{^}}268451840 : i64{{$}}
// ROWS: {{^}}1599960000 : i64{{$}}
// A loop without end ends when the time is up, in each form.
// RUN: not noria run %s --entry=endless 1 --time-limit=0.2 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: not noria run %s --entry=endless_blocks 1 --time-limit=0.2 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: not noria run %s --entry=liar 1 --time-limit=0.2 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: not noria run %s --entry=endless 1 --time-limit=0.2 --interpret 2>&1 | FileCheck %s --check-prefix=LIMIT
// LIMIT: time limit

// Spans of the loop, and a poll behind each whole one: the loop inside stays as it was.
// CHECK-LABEL: func.func @cut
// CHECK: %[[TRIPS:.*]] = arith.ceildivui %{{.*}}, %c16384 : index
// CHECK: scf.for %[[N:.*]] = %{{.*}} to %[[TRIPS]] step %{{.*}} iter_args(%[[A:.*]] = %{{.*}}) -> (i64) {
// CHECK: %[[END:.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK: %[[R:.*]] = scf.for %{{.*}} = %{{.*}} to %[[END]] step %{{.*}} iter_args(%{{.*}} = %[[A]]) -> (i64) {
// CHECK-NOT: rt.poll
// CHECK: scf.yield
// CHECK: scf.if
// CHECK: rt.poll
// CHECK: scf.yield %[[R]] : i64
func.func @cut(%n: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (i64) {
    %x = arith.index_cast %i : index to i64
    %s = arith.addi %a, %x : i64
    scf.yield %s : i64
  }
  return %r : i64
}

// Bounds of another type: the loop carries a count, and polls when it is a multiple.
// CHECK-LABEL: func.func @typed
// CHECK: scf.for {{.*}} iter_args({{.*}}, %[[COUNT:.*]] = %{{.*}}) -> (i64, index) : i32 {
// CHECK: %[[NEXT:.*]] = arith.addi %[[COUNT]], %c1
// CHECK: %[[REST:.*]] = arith.andi %[[NEXT]], %c1023
// CHECK: %[[DUE:.*]] = arith.cmpi eq, %[[REST]], %c0
// CHECK: scf.if %[[DUE]] {
// CHECK: rt.poll
// CHECK: scf.yield %{{.*}}, %[[NEXT]] : i64, index
func.func @typed(%n: i32) -> i64 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0 : i64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (i64) : i32 {
    %x = arith.extsi %i : i32 to i64
    %s = arith.addi %a, %x : i64
    scf.yield %s : i64
  }
  return %r : i64
}

// CHECK-LABEL: func.func @carried
// CHECK: scf.while ({{.*}}, %[[COUNT:.*]] = %{{.*}}) : (i64, i64, index) -> (i64, i64, index) {
// CHECK: } do {
// CHECK-NEXT: ^bb0
// CHECK: %[[NEXT:.*]] = arith.addi %{{.*}}, %c1{{.*}} : index
// CHECK: rt.poll
// CHECK: arith.addi %{{.*}}, %{{.*}} : i64
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[NEXT]] : i64, i64, index
func.func @carried(%n: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r:2 = scf.while (%i = %zero, %a = %zero) : (i64, i64) -> (i64, i64) {
    %c = arith.cmpi slt, %i, %n : i64
    scf.condition(%c) %i, %a : i64, i64
  } do {
  ^bb0(%i: i64, %a: i64):
    %s = arith.addi %a, %i : i64
    %j = arith.addi %i, %one : i64
    scf.yield %j, %s : i64, i64
  }
  return %r#1 : i64
}

// CHECK-LABEL: func.func @blocks
// CHECK: cf.br ^bb1(%{{.*}}, %{{.*}}, %{{.*}} : i64, i64, index)
// CHECK: ^bb1(%{{.*}}: i64, %{{.*}}: i64, %[[COUNT:.*]]: index):
// CHECK: rt.poll
func.func @blocks(%n: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  cf.br ^head(%zero, %zero : i64, i64)
^head(%i: i64, %a: i64):
  %c = arith.cmpi slt, %i, %n : i64
  cf.cond_br %c, ^body, ^done
^body:
  %s = arith.addi %a, %i : i64
  %j = arith.addi %i, %one : i64
  cf.br ^head(%j, %s : i64, i64)
^done:
  return %a : i64
}

// Each iteration may take long: polled after 16.
// CHECK-LABEL: func.func @heavy
// CHECK: %c16
// CHECK: rt.poll
func.func @heavy(%n: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (i64) {
    %s = func.call @next(%a) : (i64) -> i64
    scf.yield %s : i64
  }
  return %r : i64
}
func.func private @next(%a: i64) -> i64 {
  %one = arith.constant 1 : i64
  %s = arith.addi %a, %one : i64
  return %s : i64
}

// Short and of a known number of iterations, or polling already: as they were.
// CHECK-LABEL: func.func @short
// CHECK-NOT: rt.poll
// CHECK-LABEL: func.func @polls
// CHECK-COUNT-1: rt.poll
// CHECK-NOT: rt.poll
// CHECK-LABEL: func.func @endless(
func.func @short(%m: memref<100xi64>, %x: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  scf.for %i = %c0 to %c100 step %c1 {
    memref.store %x, %m[%i] : memref<100xi64>
  }
  return
}
func.func @polls(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    "rt.poll"(%c1) : (index) -> ()
  }
  return
}

func.func @endless(%x: i64) -> i64 {
  %r = scf.while (%i = %x) : (i64) -> i64 {
    %true = arith.constant true
    scf.condition(%true) %i : i64
  } do {
  ^bb0(%i: i64):
    %j = arith.addi %i, %x : i64
    scf.yield %j : i64
  }
  return %r : i64
}
func.func @endless_blocks(%x: i64) -> i64 {
  cf.br ^head(%x : i64)
^head(%i: i64):
  %j = arith.addi %i, %x : i64
  cf.br ^head(%j : i64)
}

// Entered often: as it was where it has few iterations, cut elsewhere.
// CHECK-LABEL: func.func @nested
// CHECK: scf.for
// CHECK: %[[FEW:.*]] = arith.cmpi ule, %{{.*}}, %c16384
// CHECK: %[[R:.*]] = scf.if %[[FEW]] -> (i64) {
// CHECK-NOT: rt.poll
// CHECK: scf.for %{{.*}} = %c0 to %arg0 step %c1
// CHECK: } {noria.most_trips = 16384 : i64}
// CHECK: } else {
// CHECK: scf.for
// CHECK: scf.for
// CHECK: rt.poll
// CHECK: } {branch_weights = array<i32: 256, 1>}
// CHECK: scf.yield %[[R]] : i64
func.func @nested(%n: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i64
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %zero) -> (i64) {
    %row = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> (i64) {
      %x = arith.index_cast %j : index to i64
      %s = arith.addi %b, %x : i64
      scf.yield %s : i64
    }
    scf.yield %row : i64
  }
  return %r : i64
}

// What a text says of its loops' iterations is not believed.
// CHECK-LABEL: func.func @liar
// CHECK: rt.poll
// CHECK-NOT: noria.most_trips
func.func @liar(%x: i64) -> i64 {
  %r = scf.while (%i = %x) : (i64) -> i64 {
    %true = arith.constant true
    scf.condition(%true) %i : i64
  } do {
  ^bb0(%i: i64):
    %j = arith.addi %i, %x : i64
    scf.yield %j : i64
  } attributes {noria.most_trips = 1 : i64}
  return %r : i64
}
