// Of two dims of one element, which one a subview leaves out does not matter, nor does the stride of the other.
// RUN: noria opt --canonicalize %s | noria run - --interpret 5 | FileCheck %s
// RUN: noria run %s --check-stages --check-bounds 5 | FileCheck %s
// CHECK: 5 : i32
func.func @main(%value: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.alloc(%c1) : memref<?x3xi32>
  memref.store %value, %m[%c0, %c0] : memref<?x3xi32>
  %v = memref.subview %m[%c0, 0] [1, 1] [1, 1] : memref<?x3xi32> to memref<1xi32, strided<[1], offset: ?>>
  %old = memref.atomic_rmw maxs %value, %v[%c0] : (i32, memref<1xi32, strided<[1], offset: ?>>) -> i32
  memref.dealloc %m : memref<?x3xi32>
  return %old : i32
}
