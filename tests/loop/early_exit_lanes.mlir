// A loop that is left from inside, in a parallel loop of a program on memrefs, becomes vectors; so does one in an scf.for
// whose iterations are independent. Where they are not, it stays blocks, which are better code. There is one remark
// about each loop.
// RUN: noria opt --cpu=x86-64-v3 --pipeline --stop-after=kernel --explain-vectorize %s -o %t 2>&1 | FileCheck %s --check-prefix=WHY --implicit-check-not=remark
// RUN: FileCheck %s --input-file=%t
// RUN: noria run %s 20 --interpret | FileCheck %s --check-prefix=SUM
// RUN: noria run %s 20 --check-stages | FileCheck %s --check-prefix=SUM
// RUN: noria run %s 20 | FileCheck %s --check-prefix=SUM

// WHY: :[[#@LINE+20]]:3: remark: vectorized: {{[0-9]+}} iterations
// WHY: :[[#@LINE+33]]:3: remark: vectorized: {{[0-9]+}} iterations
// WHY: :[[#@LINE+44]]:3: remark: not vectorized: its iterations may depend on each other
// CHECK: vector<{{.*}}xi64>
// CHECK-COUNT-1: scf.execute_region
// CHECK-NOT: scf.execute_region
// SUM: {{^}}101 : i64
func.func @main(%n: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %many = arith.constant 7 : i64
  %a = memref.alloc(%n) : memref<?xi64>
  %o = memref.alloc(%n) : memref<?xi64>
  scf.for %i = %c0 to %n step %c1 {
    %v = arith.index_cast %i : index to i64
    memref.store %v, %a[%i] : memref<?xi64>
  }
  // The square root of each, rounded down.
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %x = memref.load %a[%i] : memref<?xi64>
    %r = scf.loop token(%l) iter_args(%k = %z) : i64 -> i64 {
      %k1 = arith.addi %k, %one : i64
      %p = arith.muli %k1, %k1 : i64
      %c = arith.cmpi sgt, %p, %x : i64
      scf.if %c {
        scf.break [%l] %k : i64
      }
      scf.continue [%l] %k1 : i64
    }
    memref.store %r, %o[%i] : memref<?xi64>
    scf.reduce
  }
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %o[%i] : memref<?xi64>
    %r = scf.loop token(%l) iter_args(%k = %z) : i64 -> i64 {
      %k1 = arith.addi %k, %one : i64
      %c = arith.cmpi sge, %k1, %x : i64
      scf.if %c {
        scf.break [%l] %k1 : i64
      }
      scf.continue [%l] %k1 : i64
    }
    memref.store %r, %a[%i] : memref<?xi64>
  }
  scf.for %i = %c1 to %n step %c1 {
    %before = arith.subi %i, %c1 : index
    %x = memref.load %a[%before] : memref<?xi64>
    %y = memref.load %a[%i] : memref<?xi64>
    %r = scf.loop token(%l) iter_args(%k = %x) : i64 -> i64 {
      %k1 = arith.subi %k, %one : i64
      %c = arith.cmpi slt, %k, %y : i64
      scf.if %c {
        scf.break [%l] %y : i64
      }
      scf.continue [%l] %k1 : i64
    }
    memref.store %r, %a[%i] : memref<?xi64>
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %z) -> (i64) {
    %x = memref.load %a[%i] : memref<?xi64>
    %y = memref.load %o[%i] : memref<?xi64>
    %u = arith.addi %t, %x : i64
    %w = arith.addi %u, %y : i64
    scf.yield %w : i64
  }
  memref.dealloc %a : memref<?xi64>
  memref.dealloc %o : memref<?xi64>
  return %s : i64
}
