// Runs that the interpreter refuses.

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
