// Buffers of memref.alloca: large ones and those of sizes that are not known are not on the stack, and end with their
// function.

func.func @large(%i: index) -> i64 {
  %m = memref.alloca() : memref<100000000xi64>
  %x = arith.constant 7 : i64
  memref.store %x, %m[%i] : memref<100000000xi64>
  %y = memref.load %m[%i] : memref<100000000xi64>
  return %y : i64
}
// RUN: noria run %s --entry=large 99999999 | FileCheck %s --check-prefix=LARGE
// LARGE: 7 : i64

// Each call gives its buffers back: together they would be 40 GB.
func.func @use(%n: index, %a: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %s = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %a) -> (index) {
    %m = memref.alloca(%n) {alignment = 256} : memref<?xindex>
    %last = arith.subi %n, %c1 : index
    memref.store %acc, %m[%last] : memref<?xindex>
    %x = memref.load %m[%last] : memref<?xindex>
    %y = arith.addi %x, %c1 : index
    scf.yield %y : index
  }
  return %s : index
}
func.func @calls(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %times = arith.constant 2500 : index
  %s = scf.for %i = %c0 to %times step %c1 iter_args(%a = %c0) -> (index) {
    %b = func.call @use(%n, %a) : (index, index) -> index
    scf.yield %b : index
  }
  return %s : index
}
// RUN: noria run %s --entry=calls 1000000 --memory-limit=100000000 | FileCheck %s --check-prefix=CALLS
// RUN: noria run %s --entry=calls 10 --check-stages | FileCheck %s --check-prefix=CALLS
// CALLS: 5000 : index
// RUN: not noria run %s --entry=calls 4611686018427387904 2>&1 | FileCheck %s --check-prefix=HUGE
// RUN: not noria run %s --entry=calls 4611686018427387904 --interpret 2>&1 | FileCheck %s --check-prefix=HUGE
// HUGE: alloca.mlir:[[#@LINE-24]]:10: the system has no memory for 9223372036854775807 bytes
// RUN: not noria run %s --entry=calls -1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not noria run %s --entry=calls -1 --interpret 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: alloca.mlir:[[#@LINE-27]]:10: 'memref.alloca' op the size of dim 0 is -1; it must not be negative

// Small buffers of known size are on the stack, of any shape: none of 128 bytes and a header is allocated.
func.func @small(%i: index, %x: f32) -> f32 {
  %m = memref.alloca() : memref<4x8xf32>
  memref.store %x, %m[%i, %i] : memref<4x8xf32>
  %y = memref.load %m[%i, %i] : memref<4x8xf32>
  return %y : f32
}
// RUN: noria compile %s --entry=small -O=1 --emit=ll -o %t.ll
// RUN: FileCheck %s --check-prefix=STACK < %t.ll
// STACK-NOT: i64 192)
// RUN: noria run %s --entry=small 3 2.5 | FileCheck %s --check-prefix=SMALL
// SMALL: 2.500000e+00 : f32
