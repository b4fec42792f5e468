// A run that fails says where in the text; machine code and the interpreter say the same.

// RUN: not noria run %s --entry=index 7 --interpret 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not noria run %s --entry=index 7 --check-bounds 2>&1 | FileCheck %s --check-prefix=INDEX
// INDEX: noria run: {{.*}}run_places.mlir:[[#@LINE+3]]:8: 'memref.load' op index 7 of dim 0 is out of bounds: the dim is 4{{$}}
func.func @index(%i: index) -> f32 {
  %m = memref.alloc() : memref<4xf32>
  %v = memref.load %m[%i] : memref<4xf32>
  memref.dealloc %m : memref<4xf32>
  return %v : f32
}

// RUN: not noria run %s --entry=says 0 --interpret 2>&1 | FileCheck %s --check-prefix=SAYS
// RUN: not noria run %s --entry=says 0 2>&1 | FileCheck %s --check-prefix=SAYS
// SAYS: noria run: {{.*}}run_places.mlir:[[#@LINE+2]]:3: 'cf.assert' op at least 50%0{{$}}
func.func @says(%ok: i1) {
  cf.assert %ok, "at least 50%0"
  return
}

// RUN: not noria run %s --entry=outside 0 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not noria run %s --entry=outside 0 --interpret 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: error: 'func.func' op has no body, so it cannot be the entry
func.func private @outside(i1)

// Memrefs are called as their arguments, so results are not.
// RUN: noria run %s --entry=names '[1, 2]' --output result0_=@%t.0.npy --output result0=@%t.1.npy
// RUN: noria run %s --entry=index --input 2 | FileCheck %s --check-prefix=ONLY
// ONLY: : f32
// RUN: noria run %s --entry=one @%t.0.npy | FileCheck %s --check-prefix=RESULT
// RESULT: {{^}}1.000000e+00 : f32
// RUN: noria run %s --entry=two @%t.1.npy | FileCheck %s --check-prefix=LEFT
// LEFT: dense<[9.000000e+00, 2.000000e+00]> : tensor<2xf32>
func.func @names(%result0: memref<2xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %nine = arith.constant 9.0 : f32
  %old = memref.load %result0[%c0] : memref<2xf32>
  memref.store %nine, %result0[%c0] : memref<2xf32>
  return %old : f32
}
func.func @one(%x: f32) -> f32 { return %x : f32 }
func.func @two(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }

// Floats without digits are printed as their bits, and read back.
// RUN: noria run %s --entry=one 0x7F800000 | FileCheck %s --check-prefix=BITS
// RUN: noria run %s --entry=one '0x7F800000 : f32' | FileCheck %s --check-prefix=BITS
// BITS: {{^}}0x7F800000 : f32

// What a lowered op is reported as is what was written.
// RUN: not noria run %s --entry=mapped 7 --interpret 2>&1 | FileCheck %s --check-prefix=MAPPED
// RUN: not noria run %s --entry=mapped 7 --check-bounds 2>&1 | FileCheck %s --check-prefix=MAPPED
// RUN: not noria run %s --entry=mapped 3 --check-bounds 2>&1 | FileCheck %s --check-prefix=STORED
// RUN: noria run %s --entry=mapped 2 --check-bounds --check-stages
// MAPPED: noria run: {{.*}}run_places.mlir:[[#@LINE+5]]:8: 'affine.load' op index 8 of dim 0 is out of bounds: the dim is 8{{$}}
// STORED: noria run: {{.*}}run_places.mlir:[[#@LINE+5]]:3: 'affine.store' op index 4 of dim 0 is out of bounds: the dim is 4{{$}}
func.func @mapped(%i: index) {
  %m = memref.alloc() : memref<8xf32>
  %s = memref.subview %m[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  %v = affine.load %m[symbol(%i) + 1] : memref<8xf32>
  affine.store %v, %s[symbol(%i) + 1] : memref<4xf32, strided<[1]>>
  memref.dealloc %m : memref<8xf32>
  return
}
