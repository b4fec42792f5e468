// Minima and maxima of the step and what is left of the range, in loops over 4 bits: every lower and upper bound and
// every step. The functions return sums in which each iteration counts in its place.
// RUN: noria run %s --interpret | FileCheck %s
// RUN: noria run %s | FileCheck %s
// RUN: noria opt --scf-for-loop-peeling %s | noria run - --interpret | FileCheck %s
// RUN: noria opt --scf-for-loop-peeling %s | noria run - | FileCheck %s
// RUN: noria opt --pass-pipeline='scf-for-loop-peeling{peel-front},canonicalize' %s | noria run - | FileCheck %s
// RUN: noria opt --pass-pipeline='scf-for-loop-peeling{skip-partial=false},canonicalize' %s | noria run - | FileCheck %s
// CHECK: 6494333229088438819 : i64

func.func private @signed(%lb: i4, %ub: i4, %s: i4) -> i64 {
  %c0 = arith.constant 0 : i64
  %c31 = arith.constant 31 : i64
  %r = scf.for %i = %lb to %ub step %s iter_args(%a = %c0) -> (i64) : i4 {
    %left = arith.subi %ub, %i : i4
    %l = arith.minui %left, %s : i4
    %g = arith.maxui %s, %left : i4
    %x = arith.extui %l : i4 to i64
    %y = arith.extui %g : i4 to i64
    %m = arith.muli %a, %c31 : i64
    %m2 = arith.muli %x, %y : i64
    %n = arith.addi %m, %m2 : i64
    scf.yield %n : i64
  }
  return %r : i64
}
func.func private @unsigned(%lb: i4, %ub: i4, %s: i4) -> i64 {
  %c0 = arith.constant 0 : i64
  %c31 = arith.constant 31 : i64
  %r = scf.for unsigned %i = %lb to %ub step %s iter_args(%a = %c0) -> (i64) : i4 {
    %left = arith.subi %ub, %i : i4
    %l = arith.minui %left, %s : i4
    %g = arith.maxui %s, %left : i4
    %l2 = arith.minsi %left, %s : i4
    %x = arith.extui %l : i4 to i64
    %y = arith.extui %g : i4 to i64
    %z = arith.extui %l2 : i4 to i64
    %m = arith.muli %a, %c31 : i64
    %m2 = arith.muli %x, %y : i64
    %n = arith.addi %m, %m2 : i64
    %n2 = arith.addi %n, %z : i64
    scf.yield %n2 : i64
  }
  return %r : i64
}
func.func private @zero(%ub: i4, %s: i4) -> i64 {
  %c0 = arith.constant 0 : i64
  %lb = arith.constant 0 : i4
  %c31 = arith.constant 31 : i64
  %r = scf.for %i = %lb to %ub step %s iter_args(%a = %c0) -> (i64) : i4 {
    %left = arith.subi %ub, %i : i4
    %l = arith.minsi %left, %s : i4
    %g = arith.maxsi %s, %left : i4
    %x = arith.extsi %l : i4 to i64
    %y = arith.extsi %g : i4 to i64
    %m = arith.muli %a, %c31 : i64
    %m2 = arith.muli %x, %y : i64
    %n = arith.addi %m, %m2 : i64
    scf.yield %n : i64
  }
  return %r : i64
}
func.func @main() -> i64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c7 = arith.constant 7 : i64
  %c8 = arith.constant 8 : i64
  %c16 = arith.constant 16 : i64
  %k = arith.constant 1000003 : i64
  %r = scf.for %l = %c0 to %c16 step %c1 iter_args(%a = %c0) -> (i64) : i64 {
    %b = scf.for %u = %c0 to %c16 step %c1 iter_args(%b = %a) -> (i64) : i64 {
      %c = scf.for %s = %c1 to %c8 step %c1 iter_args(%c = %b) -> (i64) : i64 {
        %x = arith.trunci %l : i64 to i4
        %y = arith.trunci %u : i64 to i4
        %z = arith.trunci %s : i64 to i4
        %p = func.call @signed(%x, %y, %z) : (i4, i4, i4) -> i64
        %q = func.call @unsigned(%x, %y, %z) : (i4, i4, i4) -> i64
        %o = func.call @zero(%y, %z) : (i4, i4) -> i64
        %d = arith.muli %c, %k : i64
        %e = arith.addi %d, %p : i64
        %e1 = arith.muli %e, %k : i64
        %f = arith.addi %e1, %q : i64
        %f1 = arith.muli %f, %k : i64
        %g = arith.addi %f1, %o : i64
        scf.yield %g : i64
      }
      scf.yield %c : i64
    }
    scf.yield %b : i64
  }
  return %r : i64
}
