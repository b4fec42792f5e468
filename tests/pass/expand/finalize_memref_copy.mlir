// Copies of memrefs become loops over elements, or copies of what lies side by side.
// RUN: noria opt --pass-pipeline=convert-scf-to-cf,finalize-memref,verify-emittable %s | FileCheck %s
// RUN: noria run --check-stages --entry=main %s 2>&1 | FileCheck %s --check-prefix=STAGES
// STAGES: all 9 outcomes are that of 'import'
// STAGES: 210 : i64

// Small ones are loops over elements.
// CHECK-LABEL: func.func private @small_0
// CHECK: ^bb{{.*}}(%[[I:.*]]: index):
// CHECK: cmpi slt, %[[I]]
// CHECK: memref.load
// CHECK: memref.store
// CHECK-NOT: rt.copy
// CHECK-NOT: rt.safepoint
// CHECK: return
func.func @small(%a: memref<4x8xf32>, %b: memref<4x8xf32>) {
  memref.copy %a, %b : memref<4x8xf32> to memref<4x8xf32>
  return
}

// What is not too large and lies side by side is one block.
// CHECK-LABEL: func.func private @block_0
// CHECK: rt.copy %{{.*}}[%c0], %{{.*}}[%c0{{.*}}], %c4096 : memref<?xf32>, memref<?xf32>
// CHECK-NEXT: return
func.func @block(%a: memref<64x64xf32>, %b: memref<64x64xf32>) {
  memref.copy %a, %b : memref<64x64xf32> to memref<64x64xf32>
  return
}

// Of unknown size it goes in pieces of 32 MB, with safepoints between.
// CHECK-LABEL: func.func private @pieces_0
// CHECK: %[[N:.*]] = arith.muli
// CHECK: ^bb[[HEAD:[0-9]+]](%[[AT:.*]]: index):
// CHECK: %[[LEFT:.*]] = arith.subi %[[N]], %[[AT]]
// CHECK: %[[SIZE:.*]] = arith.minui %[[LEFT]], %{{.*}}
// CHECK: rt.copy %{{.*}}[%[[AT]]], %{{.*}}[%[[AT]]], %[[SIZE]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[AT]], %[[SIZE]]
// CHECK: arith.cmpi uge, %[[NEXT]], %[[N]]
// CHECK: rt.safepoint
// CHECK-NEXT: cf.br ^bb[[HEAD]](%[[NEXT]] : index)
func.func @pieces(%a: memref<?x4xf32>, %b: memref<?x4xf32>) {
  memref.copy %a, %b : memref<?x4xf32> to memref<?x4xf32>
  return
}

// Rows without gaps are copied in a loop over the rows.
// CHECK-LABEL: func.func @rows(
// CHECK: arith.muli %[[I:.*]], %c1000{{.*}} overflow<nsw>
// CHECK: rt.copy %{{.*}}, %c300
// CHECK: rt.safepoint
func.func @rows(%a: memref<?x300xf32, strided<[1000, 1]>>, %b: memref<?x300xf32>) {
  memref.copy %a, %b : memref<?x300xf32, strided<[1000, 1]>> to memref<?x300xf32>
  return
}

// A transfer is done when it begins.
// CHECK-LABEL: func.func private @transfer_0
// CHECK: arith.divui
// CHECK: memref.load
// CHECK: memref.store
// CHECK-NOT: dma
func.func @transfer(%a: memref<40xf32>, %b: memref<3x40xf32, 1>, %tag: memref<1xi32>, %n: index, %s: index, %k: index) {
  %c0 = arith.constant 0 : index
  memref.dma_start %a[%c0], %b[%c0, %c0], %n, %tag[%c0], %s, %k
      : memref<40xf32>, memref<3x40xf32, 1>, memref<1xi32>
  memref.dma_wait %tag[%c0], %n : memref<1xi32>
  return
}

// The runtime takes what lies without gaps; it gets a copy of the rest.
// CHECK-LABEL: func.func @argument(
// CHECK: %[[A:.*]] = memref.alloc(%arg2) : memref<?xf32>
// CHECK: %[[W:.*]] = memref.reinterpret_cast %[[A]] to offset: [0], sizes: [%arg2], strides: [1]
// CHECK: rt.call "f"(%[[W]])
// CHECK-NEXT: memref.dealloc %[[A]]
func.func @argument(%a: memref<?xf32, strided<[2]>>, %n: index) {
  %v = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [2]
      : memref<?xf32, strided<[2]>> to memref<?xf32, strided<[2]>>
  rt.call "f"(%v) : (memref<?xf32, strided<[2]>>) -> ()
  return
}

// A clone is a new buffer, of one dim as all are.
// CHECK-LABEL: func.func @clone(
// CHECK: %[[M:.*]] = memref.alloc() : memref<24xi64>
// CHECK-NOT: memref.alloc
// CHECK: %[[P:.*]] = rt.pointer %[[M]]
// CHECK: return %[[P]] : memref<?xi64>
func.func @clone(%m: memref<6x4xi64, strided<[1, 6]>>) -> memref<6x4xi64> {
  %r = bufferization.clone %m : memref<6x4xi64, strided<[1, 6]>> to memref<6x4xi64>
  return %r : memref<6x4xi64>
}

// All of them between the interpreter and machine code: the sum of what was copied.
func.func @main() -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c20 = arith.constant 20 : index
  %c600 = arith.constant 600 : index
  %zero = arith.constant 0 : i64
  %a = memref.alloc(%c600) : memref<?xi64>
  %b = memref.alloc(%c20) : memref<?xi64>
  scf.for %i = %c0 to %c600 step %c1 {
    %x = arith.index_cast %i : index to i64
    memref.store %x, %a[%i] : memref<?xi64>
  }
  // 0, 2, .. 38 in elements, then back to front in pieces
  %even = memref.subview %a[0] [20] [2] : memref<?xi64> to memref<20xi64, strided<[2]>>
  %twenty = memref.cast %b : memref<?xi64> to memref<20xi64>
  memref.copy %even, %twenty : memref<20xi64, strided<[2]>> to memref<20xi64>
  %large = memref.alloc() : memref<600xi64>
  memref.copy %a, %large : memref<?xi64> to memref<600xi64>
  %cut = memref.subview %large[0] [%c20] [1] : memref<600xi64> to memref<?xi64, strided<[1]>>
  %both = bufferization.clone %cut : memref<?xi64, strided<[1]>> to memref<?xi64>
  // 3 elements of each 5 from 100 on, to the begin of both: 100 101 102 105 106 107
  %tag = memref.alloc() : memref<1xi32>
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c100 = arith.constant 100 : index
  %slow = memref.memory_space_cast %large : memref<600xi64> to memref<600xi64>
  memref.dma_start %slow[%c100], %both[%c0], %c6, %tag[%c0], %c5, %c3
      : memref<600xi64>, memref<?xi64>, memref<1xi32>
  memref.dma_wait %tag[%c0], %c6 : memref<1xi32>
  %x = memref.load %both[%c3] : memref<?xi64>
  %sum = scf.for %i = %c0 to %c20 step %c1 iter_args(%s = %zero) -> (i64) {
    %p = memref.load %b[%i] : memref<?xi64>
    %q = memref.load %both[%i] : memref<?xi64>
    %t = arith.addi %s, %p : i64
    scf.yield %t : i64
  }
  %low = arith.constant 275 : i64
  %u = arith.subi %x, %low : i64
  %out = arith.addi %sum, %u : i64
  memref.dealloc %a : memref<?xi64>
  memref.dealloc %b : memref<?xi64>
  memref.dealloc %large : memref<600xi64>
  memref.dealloc %both : memref<?xi64>
  memref.dealloc %tag : memref<1xi32>
  return %out : i64
}

// In a region that has one block, the loop stands in a region of its own.
// RUN: noria opt --finalize-memref %s | FileCheck %s --check-prefix=LOOP
// RUN: noria opt --finalize-memref %s | noria run --interpret --entry=in_a_loop - 5 | FileCheck %s --check-prefix=VALUE
// VALUE: 2.500000e+00 : f32
// LOOP-LABEL: func.func @in_a_loop(
// LOOP: scf.for
// LOOP: scf.execute_region
// LOOP: cf.cond_br
// LOOP: scf.yield
func.func @in_a_loop(%n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 2.5 : f32
  %a = memref.alloc(%n) : memref<?x4xf32>
  %b = memref.alloc(%n) : memref<?x4xf32>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %a[%i, %c1] : memref<?x4xf32>
    memref.copy %a, %b : memref<?x4xf32> to memref<?x4xf32>
  }
  %k = arith.subi %n, %c1 : index
  %v = memref.load %b[%k, %c1] : memref<?x4xf32>
  memref.dealloc %a : memref<?x4xf32>
  memref.dealloc %b : memref<?x4xf32>
  return %v : f32
}
