// A view with a negative stride: its last element is the first in memory.
// RUN: noria run %s --check-bounds --entry=inside 7 | FileCheck %s --check-prefix=INSIDE
// RUN: not noria run %s --check-bounds --entry=outside 7 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// INSIDE: {{^}}7 : i32
// OUTSIDE: has elements outside of the buffer
func.func @inside(%x: i32) -> i32 {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %m = memref.alloca() : memref<26xi32>
  memref.store %x, %m[%c3] : memref<26xi32>
  %v = memref.reinterpret_cast %m to offset: [11], sizes: [5], strides: [-2] : memref<26xi32> to memref<5xi32, strided<[-2], offset: 11>>
  %r = memref.load %v[%c4] : memref<5xi32, strided<[-2], offset: 11>>
  return %r : i32
}
func.func @outside(%x: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %m = memref.alloca() : memref<26xi32>
  %v = memref.reinterpret_cast %m to offset: [7], sizes: [5], strides: [-2] : memref<26xi32> to memref<5xi32, strided<[-2], offset: 7>>
  memref.store %x, %v[%c0] : memref<5xi32, strided<[-2], offset: 7>>
  %r = memref.load %v[%c0] : memref<5xi32, strided<[-2], offset: 7>>
  return %r : i32
}
