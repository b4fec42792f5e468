// RUN: noria opt --loop-coalescing --canonicalize %s | FileCheck %s
// RUN: noria opt --loop-coalescing --syntax=mlir %s | mlir-opt
// RUN: noria opt --loop-coalescing %s | noria run - --entry=strided 3 11 2 --check-stages | FileCheck %s --check-prefix=POINTS
// RUN: noria run %s --entry=strided 3 11 2 | FileCheck %s --check-prefix=POINTS
// 3 5 7 9 by -1 4, each 10 * i + j, digits in base 101
// POINTS: 3145804892271692 : i64
// RUN: noria opt --loop-coalescing %s | noria run - --entry=any_step 0 0 --check-stages | FileCheck %s --check-prefix=NEVER
// NEVER: 0 : index
// RUN: noria opt --loop-coalescing %s | noria run - --entry=any_step 3 5 --check-stages | FileCheck %s --check-prefix=STEPS
// STEPS: 15 : index

func.func private @use(index, index)

// CHECK-LABEL: func.func @two
// CHECK-SAME: (%[[N:.*]]: index, %[[M:.*]]: index)
// CHECK: %[[T:.*]]:2 = arith.mului_extended
// CHECK: %[[TOTAL:.*]] = arith.minui
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %[[TOTAL]] step
// CHECK: %[[J:.*]] = arith.remui %[[K]], %[[TM:.*]] : index
// CHECK: %[[I:.*]] = arith.divui %[[K]], %[[TM]] : index
// CHECK: call @use(%{{.*}}, %{{.*}})
// CHECK-NOT: scf.for
func.func @two(%n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %m step %c1 {
      func.call @use(%i, %j) : (index, index) -> ()
    }
  }
  return
}

// Three at once, with constants in between; 2 * 3 * 4 points.
// CHECK-LABEL: func.func @three
// CHECK: %[[C24:.*]] = arith.constant 24 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[C24]] step
// CHECK-NOT: scf.for
// CHECK: return
func.func @three() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %c2 step %c1 {
    %c3 = arith.constant 3 : index
    scf.for %j = %c0 to %c3 step %c1 {
      %c4 = arith.constant 4 : index
      scf.for %k = %c0 to %c4 step %c1 {
        func.call @use(%i, %k) : (index, index) -> ()
      }
    }
  }
  return
}

// The inner bound is the outer variable: not a box. An op beside the inner loop: not a perfect nest. A carried value
// that changes on the way.
// CHECK-LABEL: func.func @not_boxes
// CHECK-COUNT-6: scf.for
func.func @not_boxes(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %i step %c1 {
      func.call @use(%i, %j) : (index, index) -> ()
    }
  }
  scf.for %i = %c0 to %n step %c1 {
    func.call @use(%i, %i) : (index, index) -> ()
    scf.for %j = %c0 to %n step %c1 {
      func.call @use(%i, %j) : (index, index) -> ()
    }
  }
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0) -> (index) {
    %q = scf.for %j = %c0 to %n step %c1 iter_args(%b = %c1) -> (index) {
      %s = arith.addi %b, %j : index
      scf.yield %s : index
    }
    scf.yield %q : index
  }
  return %r : index
}

// Other types and signs; what is carried goes through.
// CHECK-LABEL: func.func @strided
// CHECK: scf.for %{{.*}} iter_args
// CHECK-NOT: scf.for
// CHECK: return
func.func @strided(%lb: i8, %ub: i8, %s: i8) -> i64 {
  %cm1 = arith.constant -1 : i32
  %c5 = arith.constant 5 : i32
  %c7 = arith.constant 7 : i32
  %zero = arith.constant 0 : i64
  %thousand = arith.constant 101 : i64
  %ten = arith.constant 10 : i64
  %r = scf.for unsigned %i = %lb to %ub step %s iter_args(%a = %zero) -> (i64) : i8 {
    %q = scf.for %j = %cm1 to %c7 step %c5 iter_args(%b = %a) -> (i64) : i32 {
      %x = arith.extui %i : i8 to i64
      %y = arith.extsi %j : i32 to i64
      %p = arith.muli %x, %ten : i64
      %t = arith.addi %p, %y : i64
      %m = arith.muli %b, %thousand : i64
      %n = arith.addi %m, %t : i64
      scf.yield %n : i64
    }
    scf.yield %q : i64
  }
  return %r : i64
}

// The inner loop's step may be 0 when the outer loop never runs: it is looked at only where that runs.
// CHECK-LABEL: func.func @any_step
// CHECK-SAME: (%[[N:.*]]: index, %[[S:.*]]: index)
// CHECK: %[[RUNS:.*]] = arith.cmpi ne
// CHECK: %[[STEP:.*]] = arith.select %[[RUNS]], %[[S]], %c1 : index
// CHECK: arith.ceildivui %c8, %[[STEP]]
func.func @any_step(%n: index, %s: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0) -> (index) {
    %q = scf.for %j = %c0 to %c8 step %s iter_args(%b = %a) -> (index) {
      %x = arith.addi %b, %j : index
      scf.yield %x : index
    }
    scf.yield %q : index
  }
  return %r : index
}
