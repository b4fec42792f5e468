// A buffer of buffers is an error at its place, interpreted and compiled.
// RUN: not noria run --interpret %s 1 2>&1 | FileCheck %s
// RUN: not noria run %s 1 2>&1 | FileCheck %s

// CHECK: buffer_of_buffers.mlir:[[#@LINE+3]]:{{[0-9]+}}: {{.*}}'memref.alloca' op
func.func @main(%n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %b = memref.alloca() : memref<1xmemref<1x4xf32>>
  %a = memref.alloc() : memref<1x4xf32>
  memref.store %a, %b[%c0] : memref<1xmemref<1x4xf32>>
  %r = memref.load %b[%c0] : memref<1xmemref<1x4xf32>>
  %v = memref.load %r[%c0, %c0] : memref<1x4xf32>
  return %v : f32
}
