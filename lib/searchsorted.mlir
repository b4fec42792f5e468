// searchsorted.mlir - where each value would go in a sorted list: before the elements equal to it, or behind them.
//
// A binary search whose steps depend on the length of the list only (NumPy's, npysort/binsearch.cpp): each halves what is
// left of the list, and a comparison selects the half. So 16 values are searched at a time, step by step: what they
// read does not depend on each other, and their cache misses overlap. Costs log2(n) + 1 comparisons a value.
//
// The prelude defines !T and @before(!T, !T) -> i1: whether the first operand comes before the second; a strict weak order.

// Whether an element stands left of where the value goes: elements equal to it do where it goes to the right of them.
func.func private @left_of(%element: !T, %value: !T, %right: i1) -> i1 {
  %yes = arith.constant true
  %left = scf.if %right -> (i1) {
    %before = func.call @before(%value, %element) : (!T, !T) -> i1
    %not_before = arith.xori %before, %yes : i1
    scf.yield %not_before : i1
  } else {
    %before = func.call @before(%element, %value) : (!T, !T) -> i1
    scf.yield %before : i1
  }
  return %left : i1
}

// The places of the 16 values from %first on; behind the last value, it is searched again. The list is not empty.
func.func private @search(%list: tensor<?x!T>, %values: tensor<?x!T>, %first: index, %right: i1) -> tensor<16xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n = tensor.dim %list, %c0 : tensor<?x!T>
  %m = tensor.dim %values, %c0 : tensor<?x!T>
  %last = arith.subi %m, %c1 : index
  %no_keys = tensor.empty() : tensor<16x!T>
  %no_places = tensor.empty() : tensor<16xindex>
  %start:2 = scf.for %i = %c0 to %c16 step %c1 iter_args(%keys = %no_keys, %places = %no_places)
      -> (tensor<16x!T>, tensor<16xindex>) {
    %at_or_more = arith.addi %first, %i : index
    %at = arith.minui %at_or_more, %last : index
    %key = tensor.extract %values[%at] : tensor<?x!T>
    %keys1 = tensor.insert %key into %keys[%i] : tensor<16x!T>
    %places1 = tensor.insert %c0 into %places[%i] : tensor<16xindex>
    scf.yield %keys1, %places1 : tensor<16x!T>, tensor<16xindex>
  }
  %found:2 = scf.while (%size = %n, %places = %start#1) : (index, tensor<16xindex>) -> (index, tensor<16xindex>) {
    %more = arith.cmpi ugt, %size, %c1 : index
    scf.condition(%more) %size, %places : index, tensor<16xindex>
  } do {
  ^bb0(%size: index, %places: tensor<16xindex>):
    %half = arith.shrui %size, %c1 : index
    %next = scf.for %i = %c0 to %c16 step %c1 iter_args(%acc = %places) -> (tensor<16xindex>) {
      %place = tensor.extract %acc[%i] : tensor<16xindex>
      %key = tensor.extract %start#0[%i] : tensor<16x!T>
      %middle = arith.addi %place, %half : index
      %element = tensor.extract %list[%middle] : tensor<?x!T>
      %left = func.call @left_of(%element, %key, %right) : (!T, !T, i1) -> i1
      %moved = arith.select %left, %middle, %place : index
      %acc1 = tensor.insert %moved into %acc[%i] : tensor<16xindex>
      scf.yield %acc1 : tensor<16xindex>
    }
    %rest = arith.subi %size, %half : index
    scf.yield %rest, %next : index, tensor<16xindex>
  }
  %no_ends = tensor.empty() : tensor<16xi64>
  %ends = scf.for %i = %c0 to %c16 step %c1 iter_args(%acc = %no_ends) -> (tensor<16xi64>) {
    %place = tensor.extract %found#1[%i] : tensor<16xindex>
    %key = tensor.extract %start#0[%i] : tensor<16x!T>
    %element = tensor.extract %list[%place] : tensor<?x!T>
    %left = func.call @left_of(%element, %key, %right) : (!T, !T, i1) -> i1
    %behind = arith.addi %place, %c1 : index
    %end = arith.select %left, %behind, %place : index
    %number = arith.index_cast %end : index to i64
    %acc1 = tensor.insert %number into %acc[%i] : tensor<16xi64>
    scf.yield %acc1 : tensor<16xi64>
  }
  return %ends : tensor<16xi64>
}

// The list is sorted. Each result is the number of elements before its value or, with %right, not behind it.
func.func @searchsorted(%list: tensor<?x!T>, %values: tensor<?x!T>, %right: i1) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i64
  %n = tensor.dim %list, %c0 : tensor<?x!T>
  %m = tensor.dim %values, %c0 : tensor<?x!T>
  %none = tensor.empty(%m) : tensor<?xi64>
  %is_empty = arith.cmpi eq, %n, %c0 : index
  %all = scf.if %is_empty -> (tensor<?xi64>) {
    %zeros = linalg.fill ins(%zero : i64) outs(%none : tensor<?xi64>) -> tensor<?xi64>
    scf.yield %zeros : tensor<?xi64>
  } else {
    %up = arith.addi %m, %c15 : index
    %num_blocks = arith.divui %up, %c16 : index
    %found = scf.forall (%block) in (%num_blocks) shared_outs(%acc = %none) -> (tensor<?xi64>) {
      %first = arith.muli %block, %c16 : index
      %left_over = arith.subi %m, %first : index
      %count = arith.minui %left_over, %c16 : index
      %places = func.call @search(%list, %values, %first, %right)
          : (tensor<?x!T>, tensor<?x!T>, index, i1) -> tensor<16xi64>
      %there = tensor.extract_slice %places[0] [%count] [1] : tensor<16xi64> to tensor<?xi64>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %there into %acc[%first] [%count] [1] : tensor<?xi64> into tensor<?xi64>
      }
    }
    scf.yield %found : tensor<?xi64>
  }
  return %all : tensor<?xi64>
}
