// csr_rows.mlir - the merge of two rows of CSR matrices, by their sorted columns, element by element. Not a kernel.

// Writes an element to place %o, if it is not zero and %write says so. The place behind it.
func.func private @write_if(%j: !I, %v: !T, %ci: memref<?x!I>, %cd: memref<?x!T>, %o: index, %write: i1) -> index {
  %kept = func.call @not_zero(%v) : (!T) -> i1
  %stored = arith.andi %kept, %write : i1
  scf.if %stored {
    memref.store %j, %ci[%o] : memref<?x!I>
    memref.store %v, %cd[%o] : memref<?x!T>
  }
  %one = arith.extui %kept : i1 to i64
  %step = arith.index_cast %one : i64 to index
  %next = arith.addi %o, %step : index
  return %next : index
}

// Merges two rows into the result from place %at on, where %write says so: @combine of the two elements of a column is
// an element of the result, unless it is zero; a missing element counts as zero. The place behind the last element.
// While both rows have elements, which of them comes next decides no branch: it cannot be foreseen.
func.func private @merge_row(%ai: memref<?x!I>, %ad: memref<?x!T>, %bi: memref<?x!I>, %bd: memref<?x!T>,
    %ci: memref<?x!I>, %cd: memref<?x!T>, %pa: index, %ea: index, %pb: index, %eb: index, %at: index, %write: i1)
    -> index {
  %c1 = arith.constant 1 : index
  %zero = func.call @zero() : () -> !T
  %merged:3 = scf.while (%p = %pa, %q = %pb, %o = %at) : (index, index, index) -> (index, index, index) {
    %left = func.call @both_left(%p, %ea, %q, %eb) : (index, index, index, index) -> i1
    scf.condition(%left) %p, %q, %o : index, index, index
  } do {
  ^bb0(%p: index, %q: index, %o: index):
    %ja = memref.load %ai[%p] : memref<?x!I>
    %jb = memref.load %bi[%q] : memref<?x!I>
    %of_a = arith.cmpi sle, %ja, %jb : !I
    %of_b = arith.cmpi sle, %jb, %ja : !I
    %j = arith.minsi %ja, %jb : !I
    %a = memref.load %ad[%p] : memref<?x!T>
    %b = memref.load %bd[%q] : memref<?x!T>
    %va = func.call @choose(%of_a, %a, %zero) : (i1, !T, !T) -> !T
    %vb = func.call @choose(%of_b, %b, %zero) : (i1, !T, !T) -> !T
    %v = func.call @combine(%va, %vb) : (!T, !T) -> !T
    %next_o = func.call @write_if(%j, %v, %ci, %cd, %o, %write)
        : (!I, !T, memref<?x!I>, memref<?x!T>, index, i1) -> index
    %one_a = arith.extui %of_a : i1 to i64
    %one_b = arith.extui %of_b : i1 to i64
    %step_a = arith.index_cast %one_a : i64 to index
    %step_b = arith.index_cast %one_b : i64 to index
    %next_p = arith.addi %p, %step_a : index
    %next_q = arith.addi %q, %step_b : index
    scf.yield %next_p, %next_q, %next_o : index, index, index
  }
  %with_a = scf.for %p = %merged#0 to %ea step %c1 iter_args(%o = %merged#2) -> (index) {
    %j = memref.load %ai[%p] : memref<?x!I>
    %a = memref.load %ad[%p] : memref<?x!T>
    %v = func.call @combine(%a, %zero) : (!T, !T) -> !T
    %next = func.call @write_if(%j, %v, %ci, %cd, %o, %write)
        : (!I, !T, memref<?x!I>, memref<?x!T>, index, i1) -> index
    scf.yield %next : index
  }
  %with_b = scf.for %q = %merged#1 to %eb step %c1 iter_args(%o = %with_a) -> (index) {
    %j = memref.load %bi[%q] : memref<?x!I>
    %b = memref.load %bd[%q] : memref<?x!T>
    %v = func.call @combine(%zero, %b) : (!T, !T) -> !T
    %next = func.call @write_if(%j, %v, %ci, %cd, %o, %write)
        : (!I, !T, memref<?x!I>, memref<?x!T>, index, i1) -> index
    scf.yield %next : index
  }
  return %with_b : index
}
