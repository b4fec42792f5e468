// Values that loops must carry.
// RUN: noria opt --canonicalize %s | FileCheck %s
// RUN: noria opt --canonicalize --syntax=mlir %s | mlir-opt
// RUN: noria run %s --entry=while_unneeded 3 9 5 | FileCheck %s --check-prefix=ENDS
// RUN: noria opt --canonicalize %s | noria run - --entry=while_unneeded 3 9 5 --check-stages | FileCheck %s --check-prefix=ENDS
// ENDS: 9 : i32
// ENDS: 31 : i32

// Equal ones that change places stay what they are; of others it depends on the number of iterations.
// CHECK-LABEL: func.func @for_swap
// CHECK-SAME: (%[[N:.*]]: index, %[[X:.*]]: f32, %[[Y:.*]]: f32)
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[A:.*]] = %[[X]], %[[B:.*]] = %[[Y]])
// CHECK-NEXT: scf.yield %[[B]], %[[A]]
// CHECK: return %[[X]], %[[X]], %[[R]]#0, %[[R]]#1
func.func @for_swap(%n: index, %x: f32, %y: f32) -> (f32, f32, f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x, %c = %x, %d = %y) -> (f32, f32, f32, f32) {
    scf.yield %b, %a, %d, %c : f32, f32, f32, f32
  }
  return %r#0, %r#1, %r#2, %r#3 : f32, f32, f32, f32
}

// One that is replaced by something else now and then draws the others along.
// CHECK-LABEL: func.func @for_turn
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[C:.*]] = %{{.*}})
// CHECK: scf.yield %[[B]], %[[C]], %{{.*}}
func.func @for_turn(%n: index, %x: f32) -> (f32, f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x, %c = %x) -> (f32, f32, f32) {
    %s = arith.addf %a, %c : f32
    scf.yield %b, %c, %s : f32, f32, f32
  }
  return %r#0, %r#1, %r#2 : f32, f32, f32
}

// Through the condition of a while too, and what it hands on to nobody.
// CHECK-LABEL: func.func @while_swap
// CHECK-SAME: (%[[N:.*]]: i32, %[[K:.*]]: i32, %[[X:.*]]: i32)
// CHECK: %[[R:.*]] = scf.while (%[[I:.*]] = %[[N]]) : (i32) -> i32 {
// CHECK-NEXT: %[[C:.*]] = arith.cmpi slt, %[[I]], %[[K]]
// CHECK-NEXT: scf.condition(%[[C]]) %[[I]]
// CHECK: return %[[R]], %[[X]]
func.func @while_swap(%n: i32, %k: i32, %x: i32) -> (i32, i32) {
  %c1 = arith.constant 1 : i32
  %r:3 = scf.while (%i = %n, %a = %x, %b = %x) : (i32, i32, i32) -> (i32, i32, i32) {
    %c = arith.cmpi slt, %i, %k : i32
    scf.condition(%c) %b, %i, %a : i32, i32, i32
  } do {
  ^bb0(%b: i32, %i: i32, %a: i32):
    %j = arith.addi %i, %c1 : i32
    scf.yield %j, %b, %a : i32, i32, i32
  }
  return %r#1, %r#2 : i32, i32
}

// A sum that only goes into itself, through both regions and out of a branch that does something else as well; the
// value that is stored is needed.
// CHECK-LABEL: func.func @while_unneeded
// CHECK: scf.while (%[[I:.*]] = %{{.*}}, %[[D:.*]] = %c1_i32) : (i32, i32) -> (i32, i32) {
// CHECK-NEXT: arith.cmpi
// CHECK-NEXT: arith.addi %[[D]]
// CHECK-NEXT: scf.condition
// CHECK: ^bb0(%{{.*}}: i32, %[[E:.*]]: i32):
// CHECK-NEXT: arith.addi
// CHECK-NEXT: scf.if
// CHECK-NEXT: memref.store %[[E]]
func.func @while_unneeded(%n: i32, %k: i32, %z: i32) -> (i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %odd = arith.trunci %n : i32 to i1
  %m = memref.alloca() : memref<i32>
  memref.store %z, %m[] : memref<i32>
  %r:4 = scf.while (%i = %n, %u = %c0, %d = %c1) : (i32, i32, i32) -> (i32, i32, i32, i32) {
    %c = arith.cmpi slt, %i, %k : i32
    %square = arith.muli %u, %u : i32
    %e = arith.addi %d, %z : i32
    scf.condition(%c) %k, %i, %square, %e : i32, i32, i32, i32
  } do {
  ^bb0(%b: i32, %i: i32, %u: i32, %d: i32):
    %j = arith.addi %i, %c1 : i32
    %y = arith.addi %u, %b : i32
    %w = scf.if %odd -> i32 {
      memref.store %d, %m[] : memref<i32>
      scf.yield %y : i32
    } else {
      scf.yield %u : i32
    }
    scf.yield %j, %w, %d : i32, i32, i32
  }
  %last = memref.load %m[] : memref<i32>
  return %r#0, %last : i32, i32
}
