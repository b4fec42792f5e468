// csr_rows.mlir - merges of two rows of CSR matrices, by their sorted columns. Not a kernel.
//
// @combine of the two elements of a column is an element of the result, unless it is zero; a missing element counts as
// zero. @merge_row does just that. @merge_plain is for rows in which @keeps_alone says what becomes of an element that
// is alone in its column, and @merge_disjoint for rows in which all elements are alone and stay.

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

// Merges two rows into the result from place %at on, where %write says so. The place behind the last element. While
// both rows have elements, which of them comes next decides no branch: it cannot be foreseen.
func.func private @merge_row(%ai: memref<?x!I>, %ad: memref<?x!T>, %bi: memref<?x!I>, %bd: memref<?x!T>,
    %ci: memref<?x!I>, %cd: memref<?x!T>, %pa: index, %ea: index, %pb: index, %eb: index, %at: index, %write: i1)
    -> index {
  %c1 = arith.constant 1 : index
  %zero = func.call @zero() : () -> !T
  %merged:3 = scf.while (%p = %pa, %q = %pb, %o = %at) : (index, index, index) -> (index, index, index) {
    %a_left = arith.cmpi ult, %p, %ea : index
    %b_left = arith.cmpi ult, %q, %eb : index
    %left = arith.andi %a_left, %b_left : i1
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

// An element that the other row does not have: is written where %write says so, if such are elements of the result.
func.func private @write_alone(%j: !I, %v: !T, %ci: memref<?x!I>, %cd: memref<?x!T>, %o: index, %write: i1) -> index {
  %c1 = arith.constant 1 : index
  %kept = func.call @keeps_alone() : () -> i1
  %next = scf.if %kept -> (index) {
    scf.if %write {
      memref.store %j, %ci[%o] : memref<?x!I>
      memref.store %v, %cd[%o] : memref<?x!T>
    }
    %o1 = arith.addi %o, %c1 : index
    scf.yield %o1 : index
  } else {
    scf.yield %o : index
  }
  return %next : index
}

// merge_row for rows without special elements: those that are alone need no @combine.
func.func private @merge_plain(%ai: memref<?x!I>, %ad: memref<?x!T>, %bi: memref<?x!I>, %bd: memref<?x!T>,
    %ci: memref<?x!I>, %cd: memref<?x!T>, %pa: index, %ea: index, %pb: index, %eb: index, %at: index, %write: i1)
    -> index {
  %c1 = arith.constant 1 : index
  %merged:3 = scf.while (%p = %pa, %q = %pb, %o = %at) : (index, index, index) -> (index, index, index) {
    %a_left = arith.cmpi ult, %p, %ea : index
    %b_left = arith.cmpi ult, %q, %eb : index
    %left = arith.andi %a_left, %b_left : i1
    scf.condition(%left) %p, %q, %o : index, index, index
  } do {
  ^bb0(%p: index, %q: index, %o: index):
    %ja = memref.load %ai[%p] : memref<?x!I>
    %jb = memref.load %bi[%q] : memref<?x!I>
    %same = arith.cmpi eq, %ja, %jb : !I
    %next_o = scf.if %same -> (index) {
      %a = memref.load %ad[%p] : memref<?x!T>
      %b = memref.load %bd[%q] : memref<?x!T>
      %v = func.call @combine(%a, %b) : (!T, !T) -> !T
      %next = func.call @write_if(%ja, %v, %ci, %cd, %o, %write)
          : (!I, !T, memref<?x!I>, memref<?x!T>, index, i1) -> index
      scf.yield %next : index
    } else {
      %less = arith.cmpi slt, %ja, %jb : !I
      %j = arith.minsi %ja, %jb : !I
      %a = memref.load %ad[%p] : memref<?x!T>
      %b = memref.load %bd[%q] : memref<?x!T>
      %v = func.call @choose(%less, %a, %b) : (i1, !T, !T) -> !T
      %next = func.call @write_alone(%j, %v, %ci, %cd, %o, %write)
          : (!I, !T, memref<?x!I>, memref<?x!T>, index, i1) -> index
      scf.yield %next : index
    }
    %of_a = arith.cmpi sle, %ja, %jb : !I
    %of_b = arith.cmpi sle, %jb, %ja : !I
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
    %v = memref.load %ad[%p] : memref<?x!T>
    %next = func.call @write_alone(%j, %v, %ci, %cd, %o, %write)
        : (!I, !T, memref<?x!I>, memref<?x!T>, index, i1) -> index
    scf.yield %next : index
  }
  %with_b = scf.for %q = %merged#1 to %eb step %c1 iter_args(%o = %with_a) -> (index) {
    %j = memref.load %bi[%q] : memref<?x!I>
    %v = memref.load %bd[%q] : memref<?x!T>
    %next = func.call @write_alone(%j, %v, %ci, %cd, %o, %write)
        : (!I, !T, memref<?x!I>, memref<?x!T>, index, i1) -> index
    scf.yield %next : index
  }
  return %with_b : index
}

// merge_row or, where that suffices, merge_plain.
func.func private @merge_either(%ai: memref<?x!I>, %ad: memref<?x!T>, %bi: memref<?x!I>, %bd: memref<?x!T>,
    %ci: memref<?x!I>, %cd: memref<?x!T>, %pa: index, %ea: index, %pb: index, %eb: index, %at: index, %write: i1,
    %special: i1)
    -> index {
  %behind = scf.if %special -> (index) {
    %n = func.call @merge_row(%ai, %ad, %bi, %bd, %ci, %cd, %pa, %ea, %pb, %eb, %at, %write)
        : (memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, index, index, index,
           index, index, i1) -> index
    scf.yield %n : index
  } else {
    %n = func.call @merge_plain(%ai, %ad, %bi, %bd, %ci, %cd, %pa, %ea, %pb, %eb, %at, %write)
        : (memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, index, index, index,
           index, index, i1) -> index
    scf.yield %n : index
  }
  return %behind : index
}

// Writes the lesser column of two places, and its value, to place %o. Whether it was of a. Nothing depends on a branch:
// the order of the columns cannot be foreseen.
func.func private @write_one(%ai: memref<?x!I>, %ad: memref<?x!T>, %bi: memref<?x!I>, %bd: memref<?x!T>,
    %ci: memref<?x!I>, %cd: memref<?x!T>, %p: index, %q: index, %o: index, %greater: i1) -> index {
  %ja = memref.load %ai[%p] : memref<?x!I>
  %jb = memref.load %bi[%q] : memref<?x!I>
  %less = arith.cmpi slt, %ja, %jb : !I
  %of_a = arith.xori %less, %greater : i1
  %low = arith.minsi %ja, %jb : !I
  %high = arith.maxsi %ja, %jb : !I
  %column = arith.select %greater, %high, %low : !I
  %va = memref.load %ad[%p] : memref<?x!T>
  %vb = memref.load %bd[%q] : memref<?x!T>
  %value = func.call @choose(%of_a, %va, %vb) : (i1, !T, !T) -> !T
  memref.store %column, %ci[%o] : memref<?x!I>
  memref.store %value, %cd[%o] : memref<?x!T>
  %one = arith.extui %of_a : i1 to i64
  %step = arith.index_cast %one : i64 to index
  return %step : index
}

// Merges two rows without a common column, whose elements all have a result, from place %at on. As many elements as the
// shorter row has are taken from the front of both, and as many from the back, in turns, so that neither has to wait
// for the other; what is left is in the middle.
func.func private @merge_disjoint(%ai: memref<?x!I>, %ad: memref<?x!T>, %bi: memref<?x!I>, %bd: memref<?x!T>,
    %ci: memref<?x!I>, %cd: memref<?x!T>, %pa: index, %ea: index, %pb: index, %eb: index, %at: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %no = arith.constant false
  %yes = arith.constant true
  %na = arith.subi %ea, %pa : index
  %nb = arith.subi %eb, %pb : index
  %n = arith.minui %na, %nb : index
  %all = arith.addi %na, %nb : index
  %end = arith.addi %at, %all : index
  %last = arith.subi %end, %c1 : index
  %last_a = arith.subi %ea, %c1 : index
  %last_b = arith.subi %eb, %c1 : index
  // taken: how many of a were taken from the front, and from the back
  %taken:2 = scf.for %i = %c0 to %n step %c1 iter_args(%f = %c0, %g = %c0) -> (index, index) {
    %p = arith.addi %pa, %f : index
    %others = arith.subi %i, %f : index
    %q = arith.addi %pb, %others : index
    %o = arith.addi %at, %i : index
    %front = func.call @write_one(%ai, %ad, %bi, %bd, %ci, %cd, %p, %q, %o, %no)
        : (memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, index, index, index, i1)
        -> index
    %p1 = arith.subi %last_a, %g : index
    %others1 = arith.subi %i, %g : index
    %q1 = arith.subi %last_b, %others1 : index
    %o1 = arith.subi %last, %i : index
    %back = func.call @write_one(%ai, %ad, %bi, %bd, %ci, %cd, %p1, %q1, %o1, %yes)
        : (memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, index, index, index, i1)
        -> index
    %f1 = arith.addi %f, %front : index
    %g1 = arith.addi %g, %back : index
    scf.yield %f1, %g1 : index, index
  }
  %a0 = arith.addi %pa, %taken#0 : index
  %a1 = arith.subi %ea, %taken#1 : index
  %front_b = arith.subi %n, %taken#0 : index
  %back_b = arith.subi %n, %taken#1 : index
  %b0 = arith.addi %pb, %front_b : index
  %b1 = arith.subi %eb, %back_b : index
  %o0 = arith.addi %at, %n : index
  %behind = func.call @merge_row(%ai, %ad, %bi, %bd, %ci, %cd, %a0, %a1, %b0, %b1, %o0, %yes)
      : (memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, index, index,
         index, index, index, i1) -> index
  return
}
