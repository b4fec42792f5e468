// RUN: noria run %s --entry=of_bool true | FileCheck %s --check-prefix=TWO
// RUN: noria run %s --entry=of_bool true --interpret | FileCheck %s --check-prefix=TWO
// RUN: noria run %s --entry=of_bool false --interpret | FileCheck %s --check-prefix=ONE
// RUN: noria run %s --entry=of_byte 200 | FileCheck %s --check-prefix=TWO
// RUN: noria run %s --entry=of_byte 200 --interpret | FileCheck %s --check-prefix=TWO
// RUN: noria run %s --entry=wide 3 | FileCheck %s --check-prefix=SUM
// RUN: noria run %s --entry=wide 3 --interpret | FileCheck %s --check-prefix=SUM
// RUN: noria run %s --entry=last_of_all | FileCheck %s --check-prefix=TWO
// RUN: noria run %s --entry=last_of_all --interpret | FileCheck %s --check-prefix=TWO
// RUN: noria opt --syntax=mlir %s | mlir-opt | FileCheck %s --check-prefix=TEXT

// ONE: 1 : i64
// TWO: 2 : i64

// A case of a bool is a number, as a case of any integer.
// TEXT-LABEL: @of_bool
// TEXT: 1: ^bb1
func.func @of_bool(%c: i1) -> i64 {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  cf.switch %c : i1, [ default: ^bb1(%one : i64), 1: ^bb1(%two : i64) ]
^bb1(%x: i64):
  return %x : i64
}

func.func @of_byte(%c: i8) -> i64 {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  cf.switch %c : i8, [ default: ^bb1(%one : i64), 200: ^bb1(%two : i64) ]
^bb1(%x: i64):
  return %x : i64
}

// 0 + 1 + 2, from 2^65 on.
// SUM: 3 : i64
func.func @wide(%n: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i128
  %lb = arith.constant 36893488147419103232 : i128
  %more = arith.extsi %n : i64 to i128
  %ub = arith.addi %lb, %more : i128
  %r = scf.for %i = %lb to %ub step %one iter_args(%sum = %zero) -> (i64) : i128 {
    %low = arith.trunci %i : i128 to i64
    %next = arith.addi %sum, %low : i64
    scf.yield %next : i64
  }
  return %r : i64
}

// The number behind the last one does not fit: 2^128 - 3 and 2^128 - 2 are all there are.
func.func @last_of_all() -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %step = arith.constant 1 : i128
  %lb = arith.constant -3 : i128
  %ub = arith.constant -1 : i128
  %r = scf.for unsigned %i = %lb to %ub step %step iter_args(%count = %zero) -> (i64) : i128 {
    %next = arith.addi %count, %one : i64
    scf.yield %next : i64
  }
  return %r : i64
}
