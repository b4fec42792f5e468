// Four hundred loops in a row, as unrolling makes them, and their polls around them: where machine code is made, no
// function has many.
// RUN: noria opt --loop-unroll='unroll-full loop-depth=0' %s > %t.mlir
// RUN: grep -c "scf.for" %t.mlir | FileCheck %s --check-prefix=LOOPS
// RUN: noria opt --pipeline --stop-after=kernel %t.mlir > %t.kernel.mlir
// RUN: FileCheck %s --input-file=%t.kernel.mlir
// RUN: noria run --interpret %s 3 > %t.expected
// RUN: noria run --interpret %t.kernel.mlir 3 | diff - %t.expected
// RUN: noria run %t.mlir 3 | diff - %t.expected

// LOOPS: {{^}}400
// CHECK-LABEL: func.func @main(
// CHECK-NOT: scf.
// CHECK-COUNT-12: call @main_part_
// CHECK: return
// CHECK-COUNT-64: scf.for
// CHECK-LABEL: func.func private @main_part_1(
// CHECK: func.func private @main_part_12(
// CHECK-NOT: func.func
func.func @main(%count: i64) -> i64 {
  %n = arith.index_cast %count : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c400 = arith.constant 400 : index
  %m = memref.alloc() : memref<4xi64>
  scf.for %i = %c0 to %c4 step %c1 {
    memref.store %count, %m[%i] : memref<4xi64>
  }
  %r = scf.for %i = %c0 to %c400 step %c1 iter_args(%x = %count) -> i64 {
    %k = arith.index_cast %i : index to i64
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%y = %x) -> i64 {
      %v = memref.load %m[%j] : memref<4xi64>
      %w = arith.xori %v, %k : i64
      memref.store %w, %m[%j] : memref<4xi64>
      %z = arith.addi %y, %w : i64
      scf.yield %z : i64
    }
    scf.yield %s : i64
  }
  memref.dealloc %m : memref<4xi64>
  return %r : i64
}
