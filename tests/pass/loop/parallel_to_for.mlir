// RUN: noria opt --pass-pipeline=scf-parallel-for-to-nested-fors %s | FileCheck %s
// RUN: noria opt --pass-pipeline=scf-parallel-for-to-nested-fors --syntax=mlir %s | mlir-opt
// RUN: noria run --interpret --entry=order %s 3 2 | FileCheck %s --check-prefix=OUT
// RUN: noria opt --pass-pipeline=scf-parallel-for-to-nested-fors %s | noria run - --interpret --entry=order 3 2 | FileCheck %s --check-prefix=OUT
// RUN: noria opt --pass-pipeline=scf-parallel-for-to-nested-fors %s | noria run - --entry=order 3 2 | FileCheck %s --check-prefix=OUT

// The reductions stand at the end in order, the running value on the left.
// CHECK-LABEL: func.func @order
// CHECK: %[[O:.*]]:2 = scf.for %[[I:.*]] = %c0 to %arg0 step %c1 iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (i32, i32)
// CHECK-NEXT: %[[N:.*]]:2 = scf.for %[[J:.*]] = %c0 to %arg1 step %c1 iter_args(%[[C:.*]] = %[[A]], %[[D:.*]] = %[[B]]) -> (i32, i32)
// CHECK: %[[V:.*]] = arith.index_cast
// CHECK-NEXT: %[[S:.*]] = arith.subi %[[V]], %[[C]] : i32
// CHECK-NEXT: %[[M:.*]] = arith.muli %[[D]], %{{.*}} : i32
// CHECK-NEXT: %[[T:.*]] = arith.addi %[[M]], %[[V]] : i32
// CHECK-NEXT: scf.yield %[[S]], %[[T]] : i32, i32
// CHECK: scf.yield %[[N]]#0, %[[N]]#1 : i32, i32
// CHECK: return %[[O]]#0, %[[O]]#1
// Points 0, 1, 10, 11, 20, 21: differences, and digits of base 3 over 7.
// OUT: 8 : i32
// OUT-NEXT: 5634 : i32
func.func @order(%n: index, %m: index) -> (i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %zero = arith.constant 5 : i32
  %seven = arith.constant 7 : i32
  %three = arith.constant 3 : i32
  %r:2 = scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) init (%zero, %seven) -> (i32, i32) {
    %t = arith.muli %i, %c10 : index
    %k = arith.addi %t, %j : index
    %v = arith.index_cast %k : index to i32
    scf.reduce(%v, %v : i32, i32) {
    ^bb0(%a: i32, %b: i32):
      %s = arith.subi %b, %a : i32
      scf.reduce.return %s : i32
    }, {
    ^bb0(%a: i32, %b: i32):
      %s = arith.muli %a, %three : i32
      %u = arith.addi %s, %b : i32
      scf.reduce.return %u : i32
    }
  }
  return %r#0, %r#1 : i32, i32
}

// CHECK-LABEL: func.func @nested
// CHECK-NOT: scf.parallel
// CHECK-COUNT-3: scf.for
// CHECK-NOT: scf.for
func.func @nested(%n: index, %m: memref<?x?x?xf32>, %x: f32) {
  scf.parallel (%i, %j) = (%n, %n) to (%n, %n) step (%n, %n) {
    scf.parallel (%k) = (%i) to (%j) step (%n) {
      memref.store %x, %m[%i, %j, %k] : memref<?x?x?xf32>
    }
  }
  return
}
