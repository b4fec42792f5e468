// Checks of loop-invariant values are hoisted in front of the loop.
// RUN: noria opt --licm %s | FileCheck %s

// CHECK-LABEL: func.func @any_trips
// CHECK: %[[IN:.*]] = arith.cmpi ult
// CHECK: %[[ENDS:.*]] = arith.cmpi sge, %{{.*}}, %arg1 : index
// CHECK: %[[FINE:.*]] = arith.ori %[[ENDS]], %[[IN]] : i1
// CHECK: rt.check %[[FINE]], "place %0"
// CHECK: scf.for
// CHECK-NOT: rt.check
// CHECK: return
func.func @any_trips(%t: tensor<?xf32>, %n: index, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f32) {
    %d = tensor.dim %t, %c0 : tensor<?xf32>
    %in = arith.cmpi ult, %i, %d : index
    rt.check %in, "place %0"(%i : index)
    %x = tensor.extract %t[%i] : tensor<?xf32>
    %s = arith.addf %sum, %x : f32
    scf.yield %s : f32
  }
  return %r : f32
}
// RUN: noria run %s --entry=any_trips '[1, 2, 3]' 4 2 --check-stages | FileCheck %s --check-prefix=RUNS
// RUNS: 1.200000e+01 : f32
// A loop that never runs asks nothing.
// RUN: noria run %s --entry=any_trips '[1, 2, 3]' 0 7 --check-stages | FileCheck %s --check-prefix=NEVER
// NEVER: 0.000000e+00 : f32
// RUN: not noria run %s --entry=any_trips '[1, 2, 3]' 4 7 2>&1 | FileCheck %s --check-prefix=FAILS
// FAILS: place 7

// What the loop stores before it fails is stored.
// CHECK-LABEL: func.func @after_effects
// CHECK: scf.for
// CHECK: memref.store
// CHECK: rt.check
func.func @after_effects(%m: memref<4xf32>, %x: f32, %ok: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %k = %c0 to %c4 step %c1 {
    memref.store %x, %m[%k] : memref<4xf32>
    rt.check %ok, "not"
  }
  return
}

// CHECK-LABEL: func.func @first_region
// CHECK: rt.check %arg1, "not"
// CHECK-NEXT: scf.while
func.func @first_region(%n: i32, %ok: i1) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.while (%i = %c0) : (i32) -> i32 {
    rt.check %ok, "not"
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %i : i32
  } do {
  ^bb0(%i: i32):
    %next = arith.addi %i, %c1 : i32
    scf.yield %next : i32
  }
  return %r : i32
}
