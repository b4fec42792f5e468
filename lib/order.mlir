// order.mlir - whether lists are sorted.
//
// The prelude defines !T and @before(!T, !T) -> i1.

// The index of the first element that is before the one ahead of it, or the number of elements: the list is sorted
// then.
func.func private @first_unsorted(%list: tensor<?x!T>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %list, %c0 : tensor<?x!T>
  %place = scf.while (%i = %c1) : (index) -> (index) {
    %inside = arith.cmpi ult, %i, %n : index
    %sorted = scf.if %inside -> (i1) {
      %ahead = arith.subi %i, %c1 : index
      %left = tensor.extract %list[%ahead] : tensor<?x!T>
      %right = tensor.extract %list[%i] : tensor<?x!T>
      %before = func.call @before(%right, %left) : (!T, !T) -> i1
      %yes = arith.constant true
      %in_order = arith.xori %before, %yes : i1
      scf.yield %in_order : i1
    } else {
      scf.yield %inside : i1
    }
    scf.condition(%sorted) %i : index
  } do {
  ^bb0(%i: index):
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  %found = arith.minui %place, %n : index
  return %found : index
}
