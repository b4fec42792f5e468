// RUN: noria opt --allow-unregistered-dialect --int-range-optimizations %s | FileCheck %s

// CHECK-LABEL: func.func @induction
// CHECK: scf.for %[[I:.*]] = %{{.*}} to
// CHECK: %[[NEVER:.*]] = arith.constant false
// CHECK: arith.select %[[NEVER]]
// CHECK: %[[ALWAYS:.*]] = arith.constant true
// CHECK: "test.use"(%[[ALWAYS]])
// CHECK: %[[OPEN:.*]] = arith.cmpi ult, %[[I]], %arg0
// CHECK: "test.use"(%[[OPEN]])
func.func @induction(%n: index, %m: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %negative = arith.cmpi slt, %i, %c0 : index
    %from_end = arith.addi %i, %n : index
    %index = arith.select %negative, %from_end, %i : index
    "test.use"(%index) : (index) -> ()
    %size = memref.dim %m, %c0 : memref<?xf32>
    %minus = arith.constant -1 : index
    %above = arith.cmpi sgt, %size, %minus : index
    "test.use"(%above) : (i1) -> ()
    %inside = arith.cmpi ult, %i, %n : index
    "test.use"(%inside) : (i1) -> ()
  }
  return
}

// Unsigned comparisons are left where a number may be negative.
// CHECK-LABEL: func.func @small
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK-DAG: %[[FALSE:.*]] = arith.constant false
// CHECK: %[[LEFT:.*]] = arith.cmpi ult
// CHECK: return %{{true.*}}, %{{false.*}}, %{{true.*}}, %[[LEFT]]
func.func @small(%x: i8, %y: i32) -> (i1, i1, i1, i1) {
  %wide = arith.extui %x : i8 to i32
  %limit = arith.constant 256 : i32
  %0 = arith.cmpi slt, %wide, %limit : i32
  %1 = arith.cmpi eq, %wide, %limit : i32
  %2 = arith.cmpi ult, %wide, %limit : i32
  %signed = arith.extsi %x : i8 to i32
  %3 = arith.cmpi ult, %signed, %limit : i32
  return %0, %1, %2, %3 : i1, i1, i1, i1
}
