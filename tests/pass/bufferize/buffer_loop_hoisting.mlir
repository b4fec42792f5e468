// RUN: noria opt --pass-pipeline=buffer-loop-hoisting %s | FileCheck %s
// RUN: noria run %s --entry=any_size -1 0 | FileCheck %s --check-prefix=NEVER
// RUN: noria run %s --entry=any_size 100000000000000 0 | FileCheck %s --check-prefix=NEVER
// RUN: noria run %s --entry=any_size 5 3 --check-stages | FileCheck %s --check-prefix=RUNS

// Out of both loops; the size of the second is known before the loops.
// CHECK-LABEL: func.func @nested(
// CHECK: %[[A:.*]] = memref.alloc() : memref<8xf32>
// CHECK: %[[B:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK-NEXT: scf.for
// CHECK-NEXT: scf.for
// CHECK-NEXT: memref.copy %[[A]]
// CHECK-NEXT: memref.store {{.*}} %[[B]]
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-DAG: memref.dealloc %[[A]]
// CHECK-DAG: memref.dealloc %[[B]]
func.func @nested(%n: index, %x: f32, %t: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %a = memref.alloc() : memref<8xf32>
      memref.copy %a, %t : memref<8xf32> to memref<8xf32>
      memref.dealloc %a : memref<8xf32>
      %b = memref.alloc(%n) : memref<?xf32>
      memref.store %x, %b[%c0] : memref<?xf32>
      memref.dealloc %b : memref<?xf32>
    }
  }
  return
}

// The size changes, or the buffer leaves the iteration, or iterations run at once.
// CHECK-LABEL: func.func @stays(
// CHECK-NOT: memref.alloc
// CHECK: scf.for
// CHECK: memref.alloc(
// CHECK: memref.alloc()
// CHECK: scf.parallel
// CHECK: memref.alloc()
func.func @stays(%c: i1, %n: index, %x: f32, %t: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %b = memref.alloc(%i) : memref<?xf32>
    memref.store %x, %b[%c0] : memref<?xf32>
    memref.dealloc %b : memref<?xf32>
    %r = memref.alloc() : memref<8xf32>
    %s = scf.if %c -> (memref<8xf32>) {
      scf.yield %r : memref<8xf32>
    } else {
      scf.yield %r : memref<8xf32>
    }
    memref.dealloc %s : memref<8xf32>
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = memref.alloc() : memref<8xf32>
    memref.copy %a, %t : memref<8xf32> to memref<8xf32>
    memref.dealloc %a : memref<8xf32>
  }
  return
}

// What may be no size, or more than there is room for, is asked for only where the loop runs.
// CHECK-LABEL: func.func @any_size(
// CHECK-SAME: %[[N:.*]]: index, %[[T:.*]]: index)
// CHECK: %[[SOME:.*]] = arith.cmpi slt, %{{.*}}, %[[T]] : index
// CHECK: %[[SIZE:.*]] = arith.select %[[SOME]], %[[N]], %[[NONE:.*]] : index
// CHECK: %[[ROOM:.*]] = arith.maxsi %[[SIZE]], %[[NONE]] : index
// CHECK: memref.alloc(%[[ROOM]])
// CHECK: scf.for
// NEVER: 0 : index
// RUNS: 3 : index
func.func @any_size(%n: index, %trips: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%a = %c0) -> index {
    %m = memref.alloc(%n) : memref<?xindex>
    memref.store %i, %m[%c0] : memref<?xindex>
    %v = memref.load %m[%c0] : memref<?xindex>
    memref.dealloc %m : memref<?xindex>
    %b = arith.addi %a, %v : index
    scf.yield %b : index
  }
  return %r : index
}

// An scf.while may end before it gets behind its condition: only the size of something that is there leaves it.
// CHECK-LABEL: func.func @behind_condition(
// CHECK: memref.dim
// CHECK: memref.alloc(
// CHECK: scf.while
// CHECK: do
// CHECK: memref.alloc(
func.func @behind_condition(%n: index, %x: f32, %t: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %d = memref.dim %t, %c0 : memref<?xf32>
  scf.while (%i = %n) : (index) -> index {
    %c = arith.cmpi sgt, %i, %c0 : index
    scf.condition(%c) %i : index
  } do {
  ^bb0(%i: index):
    %a = memref.alloc(%d) : memref<?xf32>
    memref.copy %t, %a : memref<?xf32> to memref<?xf32>
    memref.dealloc %a : memref<?xf32>
    %b = memref.alloc(%n) : memref<?xf32>
    memref.store %x, %b[%c0] : memref<?xf32>
    memref.dealloc %b : memref<?xf32>
    scf.yield %c0 : index
  }
  return
}
