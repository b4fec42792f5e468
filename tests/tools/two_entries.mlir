// Of functions that are marked as entries, the one that is asked for by name is the entry.
// RUN: noria run %s --entry=second | FileCheck %s --check-prefix=SECOND
// RUN: noria run %s --entry=second --interpret | FileCheck %s --check-prefix=SECOND
// RUN: noria run %s --entry=first | FileCheck %s --check-prefix=FIRST
// RUN: not noria run %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not noria run %s --interpret 2>&1 | FileCheck %s --check-prefix=ERROR

func.func private @first() -> tensor<i64>
    attributes {noria.entry, noria.inputs = [], noria.outputs = [{name = "y", dtype = 7 : i64, dims = array<i64>}]} {
  %c = arith.constant dense<1> : tensor<i64> // FIRST: dense<1> : tensor<i64>
  return %c : tensor<i64>
}

// SECOND: dense<2> : tensor<i64>
// ERROR: two_entries.mlir:[[#@LINE+1]]:1: error: 'func.func' op has 'noria.entry', as 'first' has: a program has one entry
func.func @second() -> tensor<i64>
    attributes {noria.entry, noria.inputs = [], noria.outputs = [{name = "y", dtype = 7 : i64, dims = array<i64>}]} {
  %one = func.call @first() : () -> tensor<i64>
  %two = arith.addi %one, %one : tensor<i64>
  return %two : tensor<i64>
}
