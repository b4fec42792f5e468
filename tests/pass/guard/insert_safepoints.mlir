// The work between two safepoints is bounded. Loops with little work get no safepoint.
// RUN: noria opt --insert-safepoints --canonicalize %s | FileCheck %s
// The message of a time limit names the line of the op that took the time: a loop, a structured op, a copy.
// RUN: not noria run %s --entry=light 1000000000 --time-limit=0.05 2>&1 | FileCheck %s --check-prefix=LIGHT
// RUN: not noria run %s --entry=rows 100000 --time-limit=0.05 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not noria run %s --entry=structured zeros:3000x3000xf64 --threads=1 --time-limit=0.3 2>&1 | FileCheck %s --check-prefix=NAMED
// RUN: not noria run %s --entry=structured zeros:3000x3000xf64 --threads=1 --time-limit=0.3 --interpret 2>&1 | FileCheck %s --check-prefix=NAMED
// RUN: not noria run %s --entry=copied 300000000 1000 --time-limit=0.1 2>&1 | FileCheck %s --check-prefix=COPIED
// RUN: not noria run %s --entry=blocks 1 --time-limit=0.05 2>&1 | FileCheck %s --check-prefix=BLOCKS

// A light loop of unknown length goes in strips: the one inside can be vectorised as before.
// CHECK-LABEL: func.func @light
// CHECK: scf.for %[[S:.*]] = %c0 to %[[N:.*]] step %[[STRIP:c[0-9]+]] {
// CHECK: %[[LEFT:.*]] = arith.subi %[[N]], %[[S]]
// CHECK: %[[SIZE:.*]] = arith.minui %[[LEFT]], %[[STRIP]]
// CHECK: %[[END:.*]] = arith.addi %[[S]], %[[SIZE]]
// CHECK: scf.for %{{.*}} = %[[S]] to %[[END]] step %c1 {
// CHECK-NOT: rt.safepoint
// CHECK: }
// CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[SIZE]], %[[STRIP]]
// CHECK: scf.if %[[WHOLE]] {
// CHECK-NEXT: rt.safepoint
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @light(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i8
  %m = memref.alloc(%n) : memref<?xi8>
  // LIGHT: insert_safepoints.mlir:[[@LINE+1]]:3: the time limit of 0.05 s is reached
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %m[%i] : memref<?xi8>
    %y = arith.addi %x, %one : i8
    memref.store %y, %m[%i] : memref<?xi8>
  }
  memref.dealloc %m : memref<?xi8>
  return
}

// Rows of a known length that is much work: at the end of each.
// CHECK-LABEL: func.func @rows
// CHECK: scf.for
// CHECK: scf.for {{.*}} step %c1 iter_args
// CHECK-NOT: rt.safepoint
// CHECK: memref.store
// CHECK-NEXT: rt.safepoint
// CHECK-NEXT: }
func.func @rows(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.alloc(%n) : memref<?x1000xf32>
  // ROWS: insert_safepoints.mlir:[[@LINE+1]]:3: the time limit of 0.05 s is reached
  scf.for %i = %c0 to %n step %c1 {
    %s = scf.for %j = %c0 to %c1000 step %c1 iter_args(%a = %zero) -> (f32) {
      %x = memref.load %m[%i, %j] : memref<?x1000xf32>
      %e = math.exp %x : f32
      %t = math.sin %e : f32
      %b = arith.addf %a, %t : f32
      scf.yield %b : f32
    }
    memref.store %s, %m[%i, %c0] : memref<?x1000xf32>
  }
  memref.dealloc %m : memref<?x1000xf32>
  return
}

// CHECK-LABEL: func.func @short
// CHECK-NOT: rt.safepoint
// CHECK: return
func.func @short(%m: memref<100x1000xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %c1000 = arith.constant 1000 : index
  scf.for %i = %c0 to %c100 step %c1 {
    scf.for %j = %c0 to %c1000 step %c1 {
      memref.store %x, %m[%i, %j] : memref<100x1000xf32>
    }
  }
  return
}

// A bound that a minimum gives is known; so is one that a loop around it counts with.
// CHECK-LABEL: func.func @tiled
// CHECK: scf.for {{.*}} step %c524288 {
// CHECK: scf.for {{.*}} step %c64 {
// CHECK-NEXT: %{{.*}} = arith.addi
// CHECK-NEXT: %{{.*}} = arith.minsi
// CHECK-NEXT: scf.for {{.*}} step %c1 {
// CHECK-NEXT: memref.store
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: %{{.*}} = arith.cmpi
// CHECK-NEXT: scf.if
// CHECK-NEXT: rt.safepoint
func.func @tiled(%m: memref<?xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %n step %c64 {
    %e = arith.addi %i, %c64 : index
    %end = arith.minsi %e, %n : index
    scf.for %j = %i to %end step %c1 {
      memref.store %x, %m[%j] : memref<?xf32>
    }
  }
  return
}

// Straight-line code gets one whenever enough has come together, and work that is done by what it calls counts.
// CHECK-LABEL: func.func @straight
// CHECK-COUNT-7: call @short
// CHECK-NEXT: rt.safepoint
// CHECK-COUNT-5: call @short
// CHECK-NOT: rt.safepoint
// CHECK: return
func.func @straight(%m: memref<100x1000xf32>, %x: f32) {
  call @short(%m, %x) : (memref<100x1000xf32>, f32) -> ()
  call @short(%m, %x) : (memref<100x1000xf32>, f32) -> ()
  call @short(%m, %x) : (memref<100x1000xf32>, f32) -> ()
  call @short(%m, %x) : (memref<100x1000xf32>, f32) -> ()
  call @short(%m, %x) : (memref<100x1000xf32>, f32) -> ()
  call @short(%m, %x) : (memref<100x1000xf32>, f32) -> ()
  call @short(%m, %x) : (memref<100x1000xf32>, f32) -> ()
  call @short(%m, %x) : (memref<100x1000xf32>, f32) -> ()
  call @short(%m, %x) : (memref<100x1000xf32>, f32) -> ()
  call @short(%m, %x) : (memref<100x1000xf32>, f32) -> ()
  call @short(%m, %x) : (memref<100x1000xf32>, f32) -> ()
  call @short(%m, %x) : (memref<100x1000xf32>, f32) -> ()
  return
}

// scf.while: in the part behind the condition. One that polls often enough gets none.
// CHECK-LABEL: func.func @whiles
// CHECK: scf.while
// CHECK: do
// CHECK: rt.safepoint
// CHECK-NEXT: scf.yield
// CHECK: scf.while
// CHECK: do
// CHECK: rt.poll
// CHECK-NOT: rt.safepoint
// CHECK: return
func.func @whiles(%n: index) -> index {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = scf.while (%i = %n) : (index) -> index {
    %more = arith.cmpi ugt, %i, %c1 : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %less = arith.subi %i, %c1 : index
    scf.yield %less : index
  }
  %b = scf.while (%i = %n) : (index) -> index {
    %more = arith.cmpi ugt, %i, %c1 : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %rest = arith.remui %i, %c64 : index
    %due = arith.cmpi eq, %rest, %c1 : index
    scf.if %due {
      rt.poll %c64
    }
    %less = arith.subi %i, %c1 : index
    scf.yield %less : index
  }
  %sum = arith.addi %a, %b : index
  return %sum : index
}

// A safepoint of what several dispatches share names no place: the dispatch does.
// CHECK-LABEL: func.func @structured
func.func @structured(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
  // NAMED: insert_safepoints.mlir:[[@LINE+1]]:8: the time limit of 0.3 s is reached
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
                                        affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %a : tensor<?x?xf64>, tensor<?x?xf64>) outs(%a : tensor<?x?xf64>) {
  ^bb0(%x: f64, %y: f64, %acc: f64):
    %p = arith.mulf %x, %y : f64
    %s = arith.addf %acc, %p : f64
    linalg.yield %s : f64
  } -> tensor<?x?xf64>
  return %r : tensor<?x?xf64>
}

// Copies are cut where code is made.
// CHECK-LABEL: func.func @copied
func.func @copied(%n: index, %times: index) -> memref<?xi8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.alloc(%n) : memref<?xi8>
  %to = memref.alloc(%n) : memref<?xi8>
  scf.for %i = %c0 to %times step %c1 {
    // COPIED: insert_safepoints.mlir:[[@LINE+1]]:5: the time limit of 0.1 s is reached
    memref.copy %m, %to : memref<?xi8> to memref<?xi8>
  }
  return %to : memref<?xi8>
}

// Blocks that branch back, also where no single block is what the others of the loop are entered through.
// CHECK-LABEL: func.func @blocks
// CHECK: {{^ *}}^bb1(
// CHECK-NEXT: rt.safepoint
// CHECK: cf.cond_br
func.func @blocks(%x: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %first = arith.cmpi eq, %x, %zero : i64
  cf.cond_br %first, ^a(%x : i64), ^b(%x : i64)
^a(%p: i64):
  // BLOCKS: insert_safepoints.mlir:[[@LINE+3]]:3: the time limit of 0.05 s is reached
  cf.cond_br %first, ^end(%p : i64), ^b(%p : i64)
^b(%q: i64):
  cf.cond_br %first, ^end(%q : i64), ^a(%q : i64)
^end(%r: i64):
  return %r : i64
}
