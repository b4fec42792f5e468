// Buffers with more alignment than 64 bytes are passed on, grown, freed and given to the caller as others are.
// RUN: noria run %s --entry=main | FileCheck %s
// RUN: noria run %s --entry=main --sanitize=address | FileCheck %s
// RUN: noria run %s --entry=main --check-stages | FileCheck %s
// RUN: noria run %s --entry=give 3 | FileCheck %s --check-prefix=GIVEN
// RUN: noria run %s --entry=address | FileCheck %s --check-prefix=ADDRESS
// CHECK: 21 : i64
// ADDRESS: 0 : index
// GIVEN: dense<7> : tensor<3xi64>

func.func private @make(%n: index, %x: i64) -> memref<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.alloc(%n) {alignment = 4096 : i64} : memref<?xi64>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %m[%i] : memref<?xi64>
  }
  return %m : memref<?xi64>
}

func.func @main() -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant 0 : i64
  %x = arith.constant 7 : i64
  %sums = scf.for %i = %c0 to %c3 step %c1 iter_args(%sum = %zero) -> (i64) {
    %m = func.call @make(%c3, %x) : (index, i64) -> memref<?xi64>
    %large = memref.realloc %m(%c100) : memref<?xi64> to memref<?xi64>
    %y = memref.load %large[%i] : memref<?xi64>
    memref.dealloc %large : memref<?xi64>
    %k = func.call @make(%c100, %x) : (index, i64) -> memref<?xi64>
    memref.dealloc %k : memref<?xi64>
    %next = arith.addi %sum, %y : i64
    scf.yield %next : i64
  }
  return %sums : i64
}

func.func @give(%n: index) -> memref<?xi64> {
  %x = arith.constant 7 : i64
  %m = func.call @make(%n, %x) : (index, i64) -> memref<?xi64>
  return %m : memref<?xi64>
}

func.func @address() -> index {
  %c3 = arith.constant 3 : index
  %c4096 = arith.constant 4096 : index
  %x = arith.constant 7 : i64
  %m = func.call @make(%c3, %x) : (index, i64) -> memref<?xi64>
  %k = func.call @make(%c3, %x) : (index, i64) -> memref<?xi64>
  %p = memref.extract_aligned_pointer_as_index %m : memref<?xi64> -> index
  %q = memref.extract_aligned_pointer_as_index %k : memref<?xi64> -> index
  %both = arith.ori %p, %q : index
  %rest = arith.remui %both, %c4096 : index
  memref.dealloc %m : memref<?xi64>
  memref.dealloc %k : memref<?xi64>
  return %rest : index
}
