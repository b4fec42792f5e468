// --check: kernels that a program calls by name check that what should be sorted is, as those with .checked in their names.

// RUN: noria run %s --check '[1, 2, 4]' '[3, 0, 9]' | FileCheck %s
// RUN: noria run %s --check --interpret '[1, 2, 4]' '[3, 0, 9]' | FileCheck %s
// RUN: noria bench %s --check --seconds=0.01 '[1, 2, 4]' '[3, 0, 9]'
// CHECK: dense<[2, 0, 3]> : tensor<3xi64>

// RUN: not noria run %s --check '[1, 2, 4, 3]' '[3, 0]' 2>&1 | FileCheck %s --check-prefix=SEARCH
// RUN: not noria run %s --check --interpret '[1, 2, 4, 3]' '[3, 0]' 2>&1 | FileCheck %s --check-prefix=SEARCH
// SEARCH: run_check.mlir:{{.*}} searchsorted: a is not sorted: element 3 is before the one ahead of it
// RUN: not noria run %s --check --entry=down '[1, 2]' '[3]' 2>&1 | FileCheck %s --check-prefix=DOWN
// DOWN: merge: a is not sorted: element 1 is before the one ahead of it
// RUN: not noria run %s --check --entry=counts '[1, 0]' '[3]' 2>&1 | FileCheck %s --check-prefix=EDGES
// EDGES: histogram: edges is not sorted: element 1 is before the one ahead of it

// Without it, only a .checked kernel looks; the others have some places in the list as their results.
// RUN: noria run %s '[1, 2, 4, 3]' '[3, 0]'
// RUN: not noria run %s --entry=asked '[1, 2, 4, 3]' '[3, 0]' 2>&1 | FileCheck %s --check-prefix=SEARCH
func.func private @noria.searchsorted.i32(tensor<?xi32>, tensor<?xi32>, i1) -> tensor<?xi64>
func.func private @noria.searchsorted.i32.checked(tensor<?xi32>, tensor<?xi32>, i1) -> tensor<?xi64>
func.func private @noria.merge.i32.descending(tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
func.func private @noria.histogram.i32(tensor<?xi32>, tensor<?xi32>) -> tensor<?xi64>

func.func @main(%list: tensor<?xi32>, %values: tensor<?xi32>) -> tensor<?xi64> {
  %right = arith.constant false
  %places = func.call @noria.searchsorted.i32(%list, %values, %right) : (tensor<?xi32>, tensor<?xi32>, i1) -> tensor<?xi64>
  return %places : tensor<?xi64>
}

func.func @asked(%list: tensor<?xi32>, %values: tensor<?xi32>) -> tensor<?xi64> {
  %right = arith.constant false
  %places = func.call @noria.searchsorted.i32.checked(%list, %values, %right) : (tensor<?xi32>, tensor<?xi32>, i1) -> tensor<?xi64>
  return %places : tensor<?xi64>
}

func.func @down(%a: tensor<?xi32>, %b: tensor<?xi32>) -> tensor<?xi32> {
  %merged = func.call @noria.merge.i32.descending(%a, %b) : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  return %merged : tensor<?xi32>
}

func.func @counts(%edges: tensor<?xi32>, %values: tensor<?xi32>) -> tensor<?xi64> {
  %counts = func.call @noria.histogram.i32(%edges, %values) : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi64>
  return %counts : tensor<?xi64>
}
