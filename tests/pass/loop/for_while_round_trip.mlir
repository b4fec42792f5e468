// for-to-while and back gives the same loop, also where its induction variable may overflow.
// RUN: noria opt --for-to-while --while-to-for --canonicalize %s | FileCheck %s
// RUN: noria opt --for-to-while --canonicalize --while-to-for --canonicalize %s | FileCheck %s

// CHECK-LABEL: func.func @by_one
// CHECK: %[[R:.*]] = scf.for %[[I:.*]] = %{{.*}} to %arg0 step %c1 iter_args(%[[A:.*]] = %arg1) -> (i32) {
// CHECK-NEXT: %[[B:.*]] = arith.addi %[[A]], %[[A]] : i32
// CHECK-NEXT: scf.yield %[[B]] : i32
// CHECK-NEXT: }
// CHECK-NEXT: return %[[R]] : i32
func.func @by_one(%n: index, %x: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (i32) {
    %b = arith.addi %a, %a : i32
    scf.yield %b : i32
  }
  return %r : i32
}

// CHECK-LABEL: func.func @by_three
// CHECK: scf.for unsigned %[[I:.*]] = %arg0 to %arg1 step %c3
// CHECK-NEXT: func.call @use(%[[I]])
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func private @use(i8)
func.func @by_three(%m: i8, %n: i8) {
  %c3 = arith.constant 3 : i8
  scf.for unsigned %i = %m to %n step %c3 : i8 {
    func.call @use(%i) : (i8) -> ()
  }
  return
}

// CHECK-LABEL: func.func @by_size
// CHECK: %[[S:.*]] = arith.maxsi
// CHECK: scf.for %{{.*}} = %arg0 to %arg1 step %[[S]]
// CHECK-NOT: select
func.func @by_size(%m: index, %n: index, %size: index) {
  %c1 = arith.constant 1 : index
  %step = arith.maxsi %size, %c1 : index
  scf.for %i = %m to %n step %step {
    %k = arith.index_cast %i : index to i8
    func.call @use(%k) : (i8) -> ()
  }
  return
}
