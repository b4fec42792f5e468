// Runs that fail, in the interpreter and where it says so in compiled code.

// RUN: not noria run %s --entry=outside --interpret 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: 'memref.reinterpret_cast' op has elements outside of the buffer
func.func @outside() -> i32 {
  %c0 = arith.constant 0 : index
  %m = memref.alloc() : memref<4xi32>
  %r = memref.reinterpret_cast %m to offset: [3], sizes: [2], strides: [1]
      : memref<4xi32> to memref<2xi32, strided<[1], offset: 3>>
  %0 = memref.load %r[%c0] : memref<2xi32, strided<[1], offset: 3>>
  return %0 : i32
}

// RUN: not noria run %s --entry=too_long '[1,2,3]' --interpret 2>&1 | FileCheck %s --check-prefix=TOO-LONG
// TOO-LONG: 'memref.dma_start' op the transfer leaves a buffer of 3 elements
func @too_long(%m: memref<3xf32>) -> memref<4xf32> {
  %c0 = constant 0 : index
  %c4 = constant 4 : index
  %d = alloc() : memref<4xf32>
  %tag = alloc() : memref<1xi32>
  dma_start %m[%c0], %d[%c0], %c4, %tag[%c0] : memref<3xf32>, memref<4xf32>, memref<1xi32>
  return %d : memref<4xf32>
}

// The element of the tag is there, though nothing is written to it.
// RUN: not noria run %s --entry=tag 2 0 --interpret 2>&1 | FileCheck %s --check-prefix=TAG
// RUN: not noria run %s --entry=tag 2 0 --check-bounds 2>&1 | FileCheck %s --check-prefix=TAG
// TAG: 'memref.dma_start' op index 2 of dim 0 is out of bounds: the dim is 2
// RUN: not noria run %s --entry=tag 1 -1 --interpret 2>&1 | FileCheck %s --check-prefix=WAIT
// RUN: not noria run %s --entry=tag 1 -1 --check-bounds 2>&1 | FileCheck %s --check-prefix=WAIT
// WAIT: 'memref.dma_wait' op index -1 of dim 0 is out of bounds: the dim is 2
// RUN: noria run %s --entry=tag 1 0 --check-bounds --check-stages | FileCheck %s --check-prefix=DONE
// DONE: 0 : index
func @tag(%i: index, %j: index) -> index {
  %c0 = constant 0 : index
  %c2 = constant 2 : index
  %m = alloc() : memref<2xf32>
  %d = alloc() : memref<2xf32>
  %x = constant 1.0 : f32
  store %x, %m[%c0] : memref<2xf32>
  %tag = alloc() : memref<2xi32>
  dma_start %m[%c0], %d[%c0], %c2, %tag[%i] : memref<2xf32>, memref<2xf32>, memref<2xi32>
  dma_wait %tag[%j], %c2 : memref<2xi32>
  dealloc %tag : memref<2xi32>
  dealloc %d : memref<2xf32>
  dealloc %m : memref<2xf32>
  return %j : index
}

// A buffer that is only freed goes, but not when that is once too often.
// RUN: not noria run %s --entry=twice 3 --interpret 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not noria run %s --entry=twice 3 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: 'memref.dealloc' op uses memory that was freed
func @twice(%n: index) {
  %m = alloc(%n) : memref<?xf32>
  dealloc %m : memref<?xf32>
  dealloc %m : memref<?xf32>
  return
}
