// All loops over 4 bits, signed and not: every lower and upper bound and every step, so that ranges are empty, steps are
// longer than the range, and the end of the type is near. The functions return a sum in which each variable's value
// counts in its place. Bounds are arguments of @signed and the others, so that passes meet them unknown.
// RUN: noria run %s --check-stages | FileCheck %s
// RUN: noria opt --scf-for-loop-peeling %s | noria run - | FileCheck %s
// RUN: noria opt --pass-pipeline='scf-for-loop-peeling{peel-front}' %s | noria run - | FileCheck %s
// RUN: noria opt --pass-pipeline='scf-for-loop-peeling{skip-partial=false}' %s | noria run - | FileCheck %s
// RUN: noria opt --pass-pipeline='loop-unroll{unroll-factor=3}' %s | noria run - --check-stages | FileCheck %s
// RUN: noria opt --pass-pipeline='loop-unroll{unroll-factor=5}' %s | noria run - | FileCheck %s
// RUN: noria opt --pass-pipeline='loop-unroll{unroll-factor=2 loop-depth=0}' %s | noria run - | FileCheck %s
// RUN: noria opt --pass-pipeline='loop-unroll{unroll-full-threshold=16}' %s | noria run - | FileCheck %s
// RUN: noria opt --loop-coalescing %s | noria run - | FileCheck %s
// RUN: noria opt --pass-pipeline='loop-unroll-and-jam{unroll-jam-factor=3}' %s | noria run - --check-stages | FileCheck %s
// RUN: noria opt --pass-pipeline='loop-interchange{permutation-map=1,0}' %s | noria run - | FileCheck %s
// RUN: noria opt --loop-pipelining --scf-for-loop-specialization %s | noria run - | FileCheck %s
// RUN: noria opt --scf-for-loop-range-folding --scf-for-loop-canonicalization %s | noria run - | FileCheck %s
// CHECK: 6453700545823116436 : i64

func.func private @signed(%lb: i4, %ub: i4, %s: i4) -> i64 {
  %c0 = arith.constant 0 : i64
  %c31 = arith.constant 31 : i64
  %r = scf.for %i = %lb to %ub step %s iter_args(%a = %c0) -> (i64) : i4 {
    %x = arith.extsi %i : i4 to i64
    %m = arith.muli %a, %c31 : i64
    %n = arith.addi %m, %x : i64
    scf.yield %n : i64
  }
  return %r : i64
}

func.func private @unsigned(%lb: i4, %ub: i4, %s: i4) -> i64 {
  %c0 = arith.constant 0 : i64
  %c31 = arith.constant 31 : i64
  %r = scf.for unsigned %i = %lb to %ub step %s iter_args(%a = %c0) -> (i64) : i4 {
    %x = arith.extui %i : i4 to i64
    %m = arith.muli %a, %c31 : i64
    %n = arith.addi %m, %x : i64
    scf.yield %n : i64
  }
  return %r : i64
}

func.func private @nest(%lb: i4, %ub: i4, %s: i4) -> i64 {
  %c0 = arith.constant 0 : i64
  %c31 = arith.constant 31 : i64
  %c3 = arith.constant 3 : i4
  %cm7 = arith.constant -7 : i4
  %r = scf.for unsigned %i = %lb to %ub step %s iter_args(%a = %c0) -> (i64) : i4 {
    %q = scf.for %j = %cm7 to %lb step %c3 iter_args(%b = %a) -> (i64) : i4 {
      %x = arith.extui %i : i4 to i64
      %y = arith.extsi %j : i4 to i64
      %m = arith.muli %b, %c31 : i64
      %n = arith.muli %x, %y : i64
      %o = arith.addi %m, %n : i64
      scf.yield %o : i64
    }
    scf.yield %q : i64
  }
  return %r : i64
}

func.func private @table(%lb: i4, %ub: i4, %s: i4) -> i64 {
  %c0 = arith.constant 0 : i64
  %c31 = arith.constant 31 : i64
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %i16 = arith.constant 16 : index
  %c7 = arith.constant 7 : i4
  %c5 = arith.constant 5 : i4
  %m = memref.alloca() : memref<16x16xi64>
  scf.for %i = %i0 to %i16 step %i1 {
    scf.for %j = %i0 to %i16 step %i1 {
      memref.store %c0, %m[%i, %j] : memref<16x16xi64>
    }
  }
  scf.for unsigned %i = %lb to %ub step %s : i4 {
    scf.for unsigned %j = %s to %c7 step %c5 : i4 {
      %x = arith.index_castui %i : i4 to index
      %y = arith.index_castui %j : i4 to index
      %k = arith.extui %i : i4 to i64
      %old = memref.load %m[%x, %y] : memref<16x16xi64>
      %sum = arith.addi %old, %k : i64
      memref.store %sum, %m[%x, %y] : memref<16x16xi64>
    }
  }
  %r = scf.for %i = %i0 to %i16 step %i1 iter_args(%a = %c0) -> (i64) {
    %q = scf.for %j = %i0 to %i16 step %i1 iter_args(%b = %a) -> (i64) {
      %v = memref.load %m[%i, %j] : memref<16x16xi64>
      %n = arith.muli %b, %c31 : i64
      %o = arith.addi %v, %n : i64
      scf.yield %o : i64
    }
    scf.yield %q : i64
  }
  return %r : i64
}

func.func @main() -> i64 {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %i8 = arith.constant 8 : index
  %i16 = arith.constant 16 : index
  %c0 = arith.constant 0 : i64
  %c131 = arith.constant 131 : i64
  %r = scf.for %i = %i0 to %i16 step %i1 iter_args(%a = %c0) -> (i64) {
    %q = scf.for %j = %i0 to %i16 step %i1 iter_args(%b = %a) -> (i64) {
      %p = scf.for %k = %i1 to %i8 step %i1 iter_args(%c = %b) -> (i64) {
        %lb = arith.index_cast %i : index to i4
        %ub = arith.index_cast %j : index to i4
        %s = arith.index_cast %k : index to i4
        %x0 = func.call @signed(%lb, %ub, %s) : (i4, i4, i4) -> i64
        %x1 = func.call @unsigned(%lb, %ub, %s) : (i4, i4, i4) -> i64
        %x2 = func.call @nest(%lb, %ub, %s) : (i4, i4, i4) -> i64
        %x3 = func.call @table(%lb, %ub, %s) : (i4, i4, i4) -> i64
        %m0 = arith.muli %c, %c131 : i64
        %m1 = arith.addi %m0, %x0 : i64
        %m2 = arith.muli %m1, %c131 : i64
        %m3 = arith.addi %m2, %x1 : i64
        %m4 = arith.muli %m3, %c131 : i64
        %m5 = arith.addi %m4, %x2 : i64
        %m6 = arith.muli %m5, %c131 : i64
        %m7 = arith.addi %m6, %x3 : i64
        scf.yield %m7 : i64
      }
      scf.yield %p : i64
    }
    scf.yield %q : i64
  }
  return %r : i64
}
