// The offset of a reinterpret_cast counts from where its buffer begins, also behind a subview and a collapse_shape.
// RUN: noria run %s --entry=inside --check-bounds | FileCheck %s
// RUN: noria run %s --entry=inside --interpret | FileCheck %s
// RUN: not noria run %s --entry=outside --check-bounds 2>&1 | FileCheck %s --check-prefix=OUTSIDE

// CHECK: {{^}}7.000000e+00 : f32
func.func @inside() -> f32 {
  %c7 = arith.constant 7 : index
  %seven = arith.constant 7.0 : f32
  %m = memref.alloc() : memref<4x4xf32>
  %rows = memref.subview %m[2, 0] [2, 4] [1, 1] : memref<4x4xf32> to memref<2x4xf32, strided<[4, 1], offset: 8>>
  %flat = memref.collapse_shape %rows [[0, 1]] : memref<2x4xf32, strided<[4, 1], offset: 8>> into memref<8xf32, strided<[1], offset: 8>>
  %same = memref.reinterpret_cast %flat to offset: [8], sizes: [8], strides: [1] : memref<8xf32, strided<[1], offset: 8>> to memref<8xf32, strided<[1], offset: 8>>
  memref.store %seven, %same[%c7] : memref<8xf32, strided<[1], offset: 8>>
  %x = memref.load %flat[%c7] : memref<8xf32, strided<[1], offset: 8>>
  memref.dealloc %m : memref<4x4xf32>
  return %x : f32
}

// OUTSIDE: check_bounds_views.mlir:[[#@LINE+6]]:{{[0-9]+}}: 'memref.reinterpret_cast' op has elements outside of the buffer
func.func @outside() -> f32 {
  %c0 = arith.constant 0 : index
  %m = memref.alloc() : memref<4x4xf32>
  %rows = memref.subview %m[2, 0] [2, 4] [1, 1] : memref<4x4xf32> to memref<2x4xf32, strided<[4, 1], offset: 8>>
  %flat = memref.collapse_shape %rows [[0, 1]] : memref<2x4xf32, strided<[4, 1], offset: 8>> into memref<8xf32, strided<[1], offset: 8>>
  %more = memref.reinterpret_cast %flat to offset: [8], sizes: [9], strides: [1] : memref<8xf32, strided<[1], offset: 8>> to memref<9xf32, strided<[1], offset: 8>>
  %x = memref.load %more[%c0] : memref<9xf32, strided<[1], offset: 8>>
  memref.dealloc %m : memref<4x4xf32>
  return %x : f32
}
