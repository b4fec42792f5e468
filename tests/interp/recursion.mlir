// Functions that call themselves: deep ones run, and one without end is an error.
// RUN: noria run %s --entry=sum 2000 | FileCheck %s --check-prefix=SUM
// RUN: noria run %s --entry=sum 2000 --interpret | FileCheck %s --check-prefix=SUM
// RUN: not noria run %s --entry=endless 1 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: not noria run %s --entry=endless 1 --interpret 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: not noria run %s --entry=slow 90 --time-limit=0.2 2>&1 | FileCheck %s --check-prefix=TIME
// RUN: not noria run %s --entry=slow 90 --time-limit=0.2 --interpret 2>&1 | FileCheck %s --check-prefix=TIME
// SUM: 2001000 : i64
// FULL: recursion.mlir:{{27|32}}:1: 'func.func' op @{{endless|around}} calls itself too deep: the stack is full
// TIME: recursion.mlir:{{[0-9:]+}}: the time limit of 0.2 s is reached

func.func @sum(%n: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %more = arith.cmpi sgt, %n, %zero : i64
  %r = scf.if %more -> (i64) {
    %m = arith.subi %n, %one : i64
    %s = func.call @sum(%m) : (i64) -> i64
    %t = arith.addi %s, %n : i64
    scf.yield %t : i64
  } else {
    scf.yield %zero : i64
  }
  return %r : i64
}

func.func @endless(%n: i64) -> i64 {
  %0 = call @around(%n) : (i64) -> i64
  %1 = arith.addi %0, %n : i64
  return %1 : i64
}
func.func @around(%n: i64) -> i64 {
  %0 = call @endless(%n) : (i64) -> i64
  %1 = arith.muli %0, %n : i64
  return %1 : i64
}

// Not deep, but it would take years.
func.func @slow(%n: i64) -> i64 {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %more = arith.cmpi sgt, %n, %one : i64
  %r = scf.if %more -> (i64) {
    %a = arith.subi %n, %one : i64
    %b = arith.subi %n, %two : i64
    %x = func.call @slow(%a) : (i64) -> i64
    %y = func.call @slow(%b) : (i64) -> i64
    %s = arith.addi %x, %y : i64
    scf.yield %s : i64
  } else {
    scf.yield %n : i64
  }
  return %r : i64
}
