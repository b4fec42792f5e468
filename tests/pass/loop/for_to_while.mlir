// RUN: noria opt --for-to-while %s | FileCheck %s
// RUN: noria opt --scf-for-to-while --syntax=mlir %s | mlir-opt
// RUN: noria opt --for-to-while %s -o %t.mlir

// CHECK-LABEL: func.func @sum
// CHECK-SAME: %[[LB:.*]]: index, %{{.*}}: index, %[[X:.*]]: i64) -> i64
// CHECK: %[[C2:.*]] = arith.constant 2 : index
// CHECK: %[[UB:.*]] = arith.minsi
// CHECK: %[[R:.*]]:2 = scf.while (%[[I:.*]] = %[[LB]], %[[A:.*]] = %[[X]]) : (index, i64) -> (index, i64) {
// CHECK-NEXT: %[[C:.*]] = arith.cmpi slt, %[[I]], %[[UB]] : index
// CHECK-NEXT: scf.condition(%[[C]]) %[[I]], %[[A]] : index, i64
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%[[J:.*]]: index, %[[B:.*]]: i64):
// CHECK-NEXT: %[[V:.*]] = arith.index_cast %[[J]]
// CHECK-NEXT: %[[S:.*]] = arith.addi %[[B]], %[[V]] : i64
// CHECK-NEXT: %[[N:.*]] = arith.addi %[[J]], %[[C2]] : index
// CHECK-NEXT: scf.yield %[[N]], %[[S]] : index, i64
// CHECK: return %[[R]]#1 : i64
// RUN: noria run %s --interpret --entry=sum 3 10 5 | FileCheck %s --check-prefix=SUM
// RUN: noria run %t.mlir --check-stages --entry=sum 3 10 5 | FileCheck %s --check-prefix=SUM
// SUM: {{^}}29 : i64
func.func @sum(%lb: index, %bound: index, %x: i64) -> i64 {
  %c2 = arith.constant 2 : index
  %most = arith.constant 1000 : index
  %ub = arith.minsi %bound, %most : index
  %r = scf.for %i = %lb to %ub step %c2 iter_args(%a = %x) -> (i64) {
    %v = arith.index_cast %i : index to i64
    %s = arith.addi %a, %v : i64
    scf.yield %s : i64
  }
  return %r : i64
}

// The last sum would be beyond the largest i8: 7 iterations from -128 in steps of 40.
// CHECK-LABEL: func.func @near_the_end
// CHECK: scf.while
// CHECK: arith.select
// RUN: noria run %s --interpret --entry=near_the_end -128 127 40 | FileCheck %s --check-prefix=END
// RUN: noria run %t.mlir --check-stages --entry=near_the_end -128 127 40 | FileCheck %s --check-prefix=END
// END: {{^}}7 : i32
func.func @near_the_end(%lb: i8, %ub: i8, %step: i8) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %lb to %ub step %step iter_args(%a = %zero) -> (i32) : i8 {
    %s = arith.addi %a, %one : i32
    scf.yield %s : i32
  }
  return %r : i32
}

// CHECK-LABEL: func.func @nested_unsigned
// CHECK: scf.while
// CHECK: arith.cmpi ult
// CHECK: scf.while
// CHECK: arith.cmpi slt
// CHECK-NOT: scf.for
// RUN: noria run %s --interpret --entry=nested_unsigned 250 3 | FileCheck %s --check-prefix=NEST
// RUN: noria run %t.mlir --check-stages --entry=nested_unsigned 250 3 | FileCheck %s --check-prefix=NEST
// NEST: {{^}}15 : index
func.func @nested_unsigned(%lb: i8, %n: index) -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %b1 = arith.constant 1 : i8
  %b255 = arith.constant 255 : i8
  %r = scf.for unsigned %i = %lb to %b255 step %b1 iter_args(%a = %zero) -> (index) : i8 {
    %q = scf.for %j = %zero to %n step %one iter_args(%b = %a) -> (index) {
      %s = arith.addi %b, %one : index
      scf.yield %s : index
    }
    scf.yield %q : index
  }
  return %r : index
}
