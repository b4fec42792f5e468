// Bounds and steps without a sign, past the middle of a narrow type.
// RUN: noria run %s --interpret --entry=wide_steps | FileCheck %s --check-prefix=STEPS
// RUN: noria run %s --entry=wide_steps | FileCheck %s --check-prefix=STEPS
// RUN: noria run %s --interpret --entry=past_middle | FileCheck %s --check-prefix=MIDDLE
// RUN: noria run %s --entry=past_middle | FileCheck %s --check-prefix=MIDDLE

// 10 and 210: a step of 200.
// STEPS: 220 : i32
func.func @wide_steps() -> i32 {
  %lb = arith.constant 10 : i8
  %ub = arith.constant -1 : i8
  %step = arith.constant -56 : i8
  %zero = arith.constant 0 : i32
  %sum = scf.for unsigned %i = %lb to %ub step %step iter_args(%s = %zero) -> (i32) : i8 {
    %wide = arith.extui %i : i8 to i32
    %next = arith.addi %s, %wide : i32
    scf.yield %next : i32
  }
  return %sum : i32
}

// 100, 160 and 220; 280 is past the end.
// MIDDLE: 480 : i32
func.func @past_middle() -> i32 {
  %lb = arith.constant 100 : i8
  %ub = arith.constant -16 : i8
  %step = arith.constant 60 : i8
  %zero = arith.constant 0 : i32
  %sum = scf.for unsigned %i = %lb to %ub step %step iter_args(%s = %zero) -> (i32) : i8 {
    %wide = arith.extui %i : i8 to i32
    %next = arith.addi %s, %wide : i32
    scf.yield %next : i32
  }
  return %sum : i32
}
