// RUN: noria opt --pass-pipeline='promote-buffers-to-stack{limit=256}' %s | FileCheck %s

// CHECK-LABEL: func.func @to_the_entry(
// CHECK-NEXT: memref.alloca() : memref<64xf32>
// CHECK: memref.alloc() : memref<65xf32>
// CHECK-NOT: memref.alloc(
// CHECK: memref.dealloc %{{.*}} : memref<65xf32>
// CHECK-NOT: memref.dealloc
func.func @to_the_entry(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : memref<64xf32>
    memref.store %x, %a[%i] : memref<64xf32>
    memref.dealloc %a : memref<64xf32>
    %b = memref.alloc() : memref<65xf32>
    memref.store %x, %b[%i] : memref<65xf32>
    memref.dealloc %b : memref<65xf32>
  }
  return
}

// Iterations that may run at once do not share it; what leaves is not moved.
// CHECK-LABEL: func.func @in_parallel(
// CHECK: scf.parallel
// CHECK-NEXT: memref.alloca() : memref<4xf32>
// CHECK: memref.alloc() : memref<4xf32>
// CHECK-NEXT: return
func.func @in_parallel(%x: f32, %n: index) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = memref.alloc() : memref<4xf32>
    memref.store %x, %a[%c0] : memref<4xf32>
    memref.dealloc %a : memref<4xf32>
  }
  %r = memref.alloc() : memref<4xf32>
  return %r : memref<4xf32>
}
