// Sizes whose products no 64-bit number holds, and sizes below zero: no shape of a buffer that is smaller.

// RUN: not noria run %s --entry=reshape zeros:0 '[4294967296, 4294967296]' 100000 --interpret 2>&1 | FileCheck %s --check-prefix=RESHAPE
// RUN: not noria run %s --entry=reshape zeros:0 '[4294967296, 4294967296]' 100000 --check-bounds 2>&1 | FileCheck %s --check-prefix=RESHAPE
// RESHAPE: 'tensor.reshape' op the shapes have 0 and 9223372036854775807 elements
func.func @reshape(%x: tensor<?xf32>, %s: tensor<2xindex>, %i: index) -> f32 {
  %r = tensor.reshape %x(%s) : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  %e = tensor.extract %r[%i, %i] : tensor<?x?xf32>
  return %e : f32
}

// RUN: not noria run %s --entry=memory zeros:0 '[4294967296, 4294967296]' 100000 --interpret 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: not noria run %s --entry=memory zeros:0 '[4294967296, 4294967296]' 100000 --check-bounds 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: 'memref.reshape' op the shapes have 0 and 9223372036854775807 elements
func.func @memory(%x: memref<?xf32>, %s: memref<2xindex>, %i: index) -> f32 {
  %r = memref.reshape %x(%s) : (memref<?xf32>, memref<2xindex>) -> memref<?x?xf32>
  %e = memref.load %r[%i, %i] : memref<?x?xf32>
  return %e : f32
}

// RUN: not noria run %s --entry=expand zeros:0 4294967296 4294967296 7 --interpret 2>&1 | FileCheck %s --check-prefix=EXPAND
// RUN: not noria run %s --entry=expand zeros:0 4294967296 4294967296 7 --check-bounds 2>&1 | FileCheck %s --check-prefix=EXPAND
// EXPAND: 'memref.expand_shape' op the shapes have 0 and 9223372036854775807 elements
// RUN: not noria run %s --entry=expand zeros:6 -2 -3 0 --interpret 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: 'memref.expand_shape' op the size of dim 0 is -2; it must not be negative
func.func @expand(%x: memref<?xf32>, %a: index, %b: index, %i: index) -> f32 {
  %r = memref.expand_shape %x [[0, 1]] output_shape [%a, %b] : memref<?xf32> into memref<?x?xf32>
  %e = memref.load %r[%i, %i] : memref<?x?xf32>
  return %e : f32
}

// No tensor is as long as that, also without elements.
// RUN: not noria run %s --entry=long 9223372036854775807 --interpret 2>&1 | FileCheck %s --check-prefix=LONG
// LONG: sizes_that_wrap.mlir:[[#@LINE+4]]:8: the system has no memory
// RUN: not noria run %s --entry=long 9223372036854775807 2>&1 | FileCheck %s --check-prefix=COMPILED
// COMPILED: sizes_that_wrap.mlir:[[#@LINE+2]]:8: 'tensor.empty' op dim 0 of the result would be 9223372036854775807
func.func @long(%n: index) -> tensor<?x0xf32> {
  %a = tensor.empty(%n) : tensor<?x0xf32>
  return %a : tensor<?x0xf32>
}

// Memory lies as its type says: that is no false claim.
// RUN: noria run %s --entry=gaps 5 3 --check-stages | FileCheck %s --check-prefix=GAPS
// GAPS: 5.000000e+00 : f32
func.func @gaps(%x: f32, %i: index) -> f32 {
  %m = memref.alloc() : memref<4xf32, strided<[3], offset: 2>>
  memref.store %x, %m[%i] : memref<4xf32, strided<[3], offset: 2>>
  %d = memref.cast %m : memref<4xf32, strided<[3], offset: 2>> to memref<?xf32, strided<[?], offset: ?>>
  %s = memref.cast %d : memref<?xf32, strided<[?], offset: ?>> to memref<4xf32, strided<[3], offset: 2>>
  %e = memref.load %s[%i] : memref<4xf32, strided<[3], offset: 2>>
  return %e : f32
}
