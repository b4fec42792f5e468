// Loops that check and poll become parallel too; with `heavy` only those of which an iteration takes some microseconds.
// RUN: noria opt --scf-for-to-parallel %s | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: noria opt --scf-for-to-parallel=heavy %s | FileCheck %s --check-prefixes=CHECK,HEAVY

// CHECK-LABEL: func.func @heavy
// CHECK: scf.parallel (%[[I:.*]]) =
// CHECK: rt.check
// CHECK: memref.alloc
// CHECK: linalg.matmul
// CHECK: rt.poll
func.func @heavy(%x: memref<?x64x64xf32>, %w: memref<64x64xf32>, %y: memref<?x64x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %out = memref.alloc(%n) : memref<?x64x64xf32>
  scf.for %i = %c0 to %n step %c1 {
    %size = memref.dim %x, %c0 : memref<?x64x64xf32>
    %inside = arith.cmpi ult, %i, %size : index
    rt.check %inside, "index %0 is out of range"(%i : index)
    %part = memref.subview %x[%i, 0, 0] [1, 64, 64] [1, 1, 1]
        : memref<?x64x64xf32> to memref<64x64xf32, strided<[64, 1], offset: ?>>
    %own = memref.alloc() : memref<64x64xf32>
    linalg.fill ins(%zero : f32) outs(%own : memref<64x64xf32>)
    linalg.matmul ins(%part, %w : memref<64x64xf32, strided<[64, 1], offset: ?>>, memref<64x64xf32>)
        outs(%own : memref<64x64xf32>)
    %to = memref.subview %out[%i, 0, 0] [1, 64, 64] [1, 1, 1]
        : memref<?x64x64xf32> to memref<64x64xf32, strided<[64, 1], offset: ?>>
    memref.copy %own, %to : memref<64x64xf32> to memref<64x64xf32, strided<[64, 1], offset: ?>>
    memref.dealloc %own : memref<64x64xf32>
    rt.poll %c1
  }
  memref.copy %out, %y : memref<?x64x64xf32> to memref<?x64x64xf32>
  memref.dealloc %out : memref<?x64x64xf32>
  return
}

// Carries a product from one iteration to the next in a buffer.
// CHECK-LABEL: func.func @carries
// CHECK: scf.for
// CHECK-NOT: scf.parallel
// CHECK: return
func.func @carries(%w: memref<64x64xf32>, %h: memref<64x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    linalg.matmul ins(%w, %w : memref<64x64xf32>, memref<64x64xf32>) outs(%h : memref<64x64xf32>)
  }
  return
}

// CHECK-LABEL: func.func @light
// ALL: scf.parallel
// HEAVY: scf.for
func.func @light(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %out = memref.alloc(%n) : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %out[%i] : memref<?xf32>
  }
  memref.copy %out, %y : memref<?xf32> to memref<?xf32>
  memref.dealloc %out : memref<?xf32>
  return
}
