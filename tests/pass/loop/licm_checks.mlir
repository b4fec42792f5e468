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

// An op whose shapes only a check makes agree does not pass it. Where the loop may have no iterations, the check in
// front of it passes with any shapes.
// CHECK-LABEL: func.func @shapes
// CHECK: linalg.generic
// CHECK: rt.check {{.*}}, "always"
// CHECK: linalg.generic
// CHECK: scf.for
// CHECK-NOT: linalg.generic
// CHECK: return
#id = affine_map<(d0) -> (d0)>
func.func @shapes(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.dim %y, %c0 : tensor<?xf32>
  %same = arith.cmpi eq, %d, %e : index
  %out = tensor.empty(%d) : tensor<?xf32>
  %r:2 = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %x, %b = %x) -> (tensor<?xf32>, tensor<?xf32>) {
    %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%out : tensor<?xf32>) {
    ^bb0(%p: f32, %q: f32):
      %m = math.exp %p : f32
      linalg.yield %m : f32
    } -> tensor<?xf32>
    rt.check %same, "always"
    %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%y : tensor<?xf32>) outs(%out : tensor<?xf32>) {
    ^bb0(%p: f32, %q: f32):
      %m = math.exp %p : f32
      linalg.yield %m : f32
    } -> tensor<?xf32>
    scf.yield %1, %2 : tensor<?xf32>, tensor<?xf32>
  }
  return %r#0, %r#1, %x : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @no_trips
// CHECK: rt.check {{.*}}, "some trips"
// CHECK-NEXT: scf.for
// CHECK-NEXT: linalg.generic
// CHECK: return
func.func @no_trips(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.dim %y, %c0 : tensor<?xf32>
  %same = arith.cmpi eq, %d, %e : index
  %out = tensor.empty(%d) : tensor<?xf32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    rt.check %same, "some trips"
    %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%y : tensor<?xf32>) outs(%out : tensor<?xf32>) {
    ^bb0(%p: f32, %q: f32):
      %m = math.exp %p : f32
      linalg.yield %m : f32
    } -> tensor<?xf32>
    scf.yield %2 : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
// RUN: noria run %s --entry=no_trips '[1, 2, 3]' '[1, 2]' 0 --check-stages | FileCheck %s --check-prefix=NONE
// NONE: dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>
