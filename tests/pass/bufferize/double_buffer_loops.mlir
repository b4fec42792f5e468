// RUN: noria opt --pass-pipeline=double-buffer-loops %s | FileCheck %s

// A loop alternates between two buffers.
// CHECK-LABEL: func.func @double_buffer(
// CHECK: %[[B:.*]] = memref.alloc() : memref<8xf32>
// CHECK-NEXT: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[OLD:.*]] = %arg1, %[[NEW:.*]] = %[[B]])
// CHECK-NEXT: memref.copy %[[OLD]], %[[NEW]]
// CHECK-NEXT: scf.yield %[[NEW]], %[[OLD]]
// CHECK-NEXT: }
// CHECK-NEXT: memref.dealloc %[[R]]#1
// CHECK-NEXT: return %[[R]]#0
func.func @double_buffer(%n: index, %a: memref<8xf32>) -> memref<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %a) -> (memref<8xf32>) {
    %new = memref.alloc() : memref<8xf32>
    memref.copy %old, %new : memref<8xf32> to memref<8xf32>
    memref.dealloc %old : memref<8xf32>
    scf.yield %new : memref<8xf32>
  }
  return %r : memref<8xf32>
}

// The old one is free in time: one buffer.
// CHECK-LABEL: func.func @free_first(
// CHECK-NOT: memref.alloc
// CHECK: scf.for {{.*}} iter_args(%[[OLD:.*]] = %arg1)
// CHECK-NEXT: %[[X:.*]] = memref.load %[[OLD]]
// CHECK-NEXT: memref.store %[[X]], %[[OLD]]
// CHECK-NEXT: scf.yield %[[OLD]]
// CHECK-NOT: memref.dealloc
func.func @free_first(%n: index, %a: memref<8xf32>) -> memref<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %a) -> (memref<8xf32>) {
    %x = memref.load %old[%c0] : memref<8xf32>
    memref.dealloc %old : memref<8xf32>
    %new = memref.alloc() : memref<8xf32>
    memref.store %x, %new[%c1] : memref<8xf32>
    scf.yield %new : memref<8xf32>
  }
  return %r : memref<8xf32>
}

// Sizes that may change: the spare buffer is used if it fits.
// CHECK-LABEL: func.func @dynamic(
// CHECK: %[[B:.*]] = memref.alloc(%{{.*}}) {noria.any_size} : memref<?xf32>
// CHECK: scf.for {{.*}} iter_args(%[[OLD:.*]] = %arg1, %[[SPARE:.*]] = %[[B]])
// CHECK: %[[HAS:.*]] = memref.dim %[[SPARE]]
// CHECK: %[[FITS:.*]] = arith.cmpi eq, %[[HAS]], %{{.*}} : index
// CHECK-NEXT: %[[NEW:.*]] = scf.if %[[FITS]] -> (memref<?xf32>) {
// CHECK-NEXT: scf.yield %[[SPARE]]
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.dealloc %[[SPARE]]
// CHECK-NEXT: %[[OTHER:.*]] = memref.alloc(
// CHECK-NEXT: scf.yield %[[OTHER]]
// CHECK: scf.yield %[[NEW]], %[[OLD]]
func.func @dynamic(%n: index, %a: memref<?xf32>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %a) -> (memref<?xf32>) {
    %size = arith.divui %i, %n : index
    %new = memref.alloc(%size) : memref<?xf32>
    %x = memref.load %old[%c0] : memref<?xf32>
    memref.store %x, %new[%c0] : memref<?xf32>
    memref.dealloc %old : memref<?xf32>
    scf.yield %new : memref<?xf32>
  }
  return %r : memref<?xf32>
}

// In either region of a while.
// CHECK-LABEL: func.func @while(
// CHECK: %[[B:.*]] = memref.alloc() : memref<8xf32>
// CHECK-NEXT: %[[R:.*]]:2 = scf.while (%[[T:.*]] = %arg0, %[[S:.*]] = %[[B]])
// CHECK: scf.condition(%{{.*}}) %[[T]], %[[S]]
// CHECK: ^bb0(%[[OLD:.*]]: memref<8xf32>, %[[NEW:.*]]: memref<8xf32>):
// CHECK-NEXT: memref.copy %[[OLD]], %[[NEW]]
// CHECK-NEXT: scf.yield %[[NEW]], %[[OLD]]
// CHECK: memref.dealloc %[[R]]#1
func.func @while(%a: memref<8xf32>, %limit: f32) -> memref<8xf32> {
  %c0 = arith.constant 0 : index
  %r = scf.while (%t = %a) : (memref<8xf32>) -> memref<8xf32> {
    %v = memref.load %t[%c0] : memref<8xf32>
    %go = arith.cmpf olt, %v, %limit : f32
    scf.condition(%go) %t : memref<8xf32>
  } do {
  ^bb0(%old: memref<8xf32>):
    %new = memref.alloc() : memref<8xf32>
    memref.copy %old, %new : memref<8xf32> to memref<8xf32>
    memref.dealloc %old : memref<8xf32>
    scf.yield %new : memref<8xf32>
  }
  return %r : memref<8xf32>
}
