// A pointer reaches to the end of the allocation that it points into, and no access leaves that.
// RUN: noria run %s --entry=last --interpret 11 | FileCheck %s --check-prefix=LAST
// RUN: not noria run %s --entry=last --interpret 12 2>&1 | FileCheck %s --check-prefix=BEHIND
// RUN: not noria run %s --entry=shift --interpret 17 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not noria run %s --entry=shift --interpret -1 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not noria run %s --entry=shift --interpret 3 2>&1 | FileCheck %s --check-prefix=BETWEEN
// RUN: noria run %s --entry=shift --interpret 8 | FileCheck %s --check-prefix=SHIFTED
// LAST: 7 : i8
// BEHIND: 'memref.load' op index 12 of dim 0 is out of bounds: the dim is 12
// OUTSIDE: 'rt.pointer' op points outside of the buffer
// BETWEEN: 'rt.pointer' op does not point to a multiple of its elements' size
// SHIFTED: 9 : i32
// RUN: noria run %s --entry=copy --interpret 12 | FileCheck %s --check-prefix=LAST
// RUN: not noria run %s --entry=copy --interpret 13 2>&1 | FileCheck %s --check-prefix=COPY
// COPY: 'rt.copy' op copies elements outside of the buffer

func.func @last(%i: index) -> i8 {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %x = arith.constant 7 : i8
  %m = memref.alloc() : memref<3x4xi8>
  memref.store %x, %m[%c2, %c3] : memref<3x4xi8>
  %row = memref.subview %m[1, 0] [1, 4] [1, 1] : memref<3x4xi8> to memref<4xi8, strided<[1], offset: 4>>
  %p = rt.pointer %row : memref<4xi8, strided<[1], offset: 4>> -> memref<?xi8>
  %y = memref.load %p[%i] : memref<?xi8>
  memref.dealloc %m : memref<3x4xi8>
  return %y : i8
}

func.func @shift(%i: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %x = arith.constant 9 : i32
  %m = memref.alloc() : memref<16xi8>
  %all = rt.pointer %m : memref<16xi8> -> memref<?xi32>
  memref.store %x, %all[%c2] : memref<?xi32>
  %p = rt.pointer %m[%i] : memref<16xi8> -> memref<?xi32>
  %y = memref.load %p[%c0] : memref<?xi32>
  memref.dealloc %m : memref<16xi8>
  return %y : i32
}

func.func @copy(%n: index) -> i8 {
  %c0 = arith.constant 0 : index
  %c11 = arith.constant 11 : index
  %x = arith.constant 7 : i8
  %m = memref.alloc() : memref<12xi8>
  %t = memref.alloc() : memref<16xi8>
  memref.store %x, %m[%c11] : memref<12xi8>
  %p = rt.pointer %m : memref<12xi8> -> memref<?xi8>
  %q = rt.pointer %t : memref<16xi8> -> memref<?xi8>
  rt.copy %p[%c0], %q[%c0], %n : memref<?xi8>, memref<?xi8>
  %y = memref.load %q[%c11] : memref<?xi8>
  memref.dealloc %m : memref<12xi8>
  memref.dealloc %t : memref<16xi8>
  return %y : i8
}
