// RUN: noria opt --pass-pipeline=hoist-allocs %s | FileCheck %s

// Out of both loops; the size of the second is known before the loops.
// CHECK-LABEL: func.func @nested(
// CHECK: %[[A:.*]] = memref.alloc() : memref<8xf32>
// CHECK-NEXT: %[[B:.*]] = memref.alloc(%arg0) : memref<?xf32>
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
