// csr_rows.mlir - merges of two rows of CSR matrices, by their sorted columns. Not a kernel. Uses
// lib/csr_count.mlir.
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

// Merges two rows without a common column, whose elements all have a result, from place %at on. The place of an element
// is its place in its own row and the number of elements before it in the other row: columns of b are compared with 16
// of a, which tells both.
func.func private @merge_disjoint(%ai: memref<?x!I>, %ad: memref<?x!T>, %bi: memref<?x!I>, %bd: memref<?x!T>,
    %ci: memref<?x!I>, %cd: memref<?x!T>, %pa: index, %ea: index, %pb: index, %eb: index, %at: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %ones = arith.constant -1 : !I
  %one = arith.constant 1 : !I
  %most = arith.shrui %ones, %one : !I
  %behind = vector.broadcast %most : !I to vector<16x!I>
  %zeros = arith.constant dense<0> : vector<16x!I>
  %ranks = memref.alloca() : memref<16x!I>
  %origin_a = arith.subi %at, %pa : index
  %origin = arith.subi %origin_a, %pb : index
  // a row without elements has one block too, for those of b
  %some = arith.addi %pa, %c1 : index
  %end = arith.maxui %ea, %some : index
  %merged = scf.for %p = %pa to %end step %c16 iter_args(%q0 = %pb) -> (index) {
    %rest = arith.subi %ea, %p : index
    %n = arith.minui %rest, %c16 : index
    %mask = vector.create_mask %n : vector<16xi1>
    %a = vector.maskedload %ai[%p], %mask, %behind : memref<?x!I>, vector<16xi1>, vector<16x!I> into vector<16x!I>
    %last = func.call @last_of_block(%ai, %p, %ea) : (memref<?x!I>, index, index) -> !I
    %base = arith.addi %origin, %p : index
    %block:2 = scf.while (%q = %q0, %rank = %zeros) : (index, vector<16x!I>) -> (index, vector<16x!I>) {
      %here = func.call @is_up_to(%bi, %q, %eb, %last) : (memref<?x!I>, index, index, !I) -> i1
      scf.condition(%here) %q, %rank : index, vector<16x!I>
    } do {
    ^bb0(%q: index, %rank: vector<16x!I>):
      %column = memref.load %bi[%q] : memref<?x!I>
      %value = memref.load %bd[%q] : memref<?x!T>
      %b = vector.broadcast %column : !I to vector<16x!I>
      %less = arith.cmpi slt, %a, %b : vector<16x!I>
      %greater = arith.cmpi sgt, %a, %b : vector<16x!I>
      %counted = arith.extsi %greater : vector<16xi1> to vector<16x!I>
      %next_rank = arith.subi %rank, %counted : vector<16x!I>
      %each = arith.extui %less : vector<16xi1> to vector<16xi32>
      %before = vector.reduction <add>, %each : vector<16xi32> into i32
      %before_b = arith.index_castui %before : i32 to index
      %place = arith.addi %base, %q : index
      %o = arith.addi %place, %before_b : index
      memref.store %column, %ci[%o] : memref<?x!I>
      memref.store %value, %cd[%o] : memref<?x!T>
      %next_q = arith.addi %q, %c1 : index
      scf.yield %next_q, %next_rank : index, vector<16x!I>
    }
    vector.store %block#1, %ranks[%c0] : memref<16x!I>, vector<16x!I>
    %base_a = arith.addi %base, %q0 : index
    scf.for %i = %c0 to %n step %c1 {
      %from = arith.addi %p, %i overflow<nsw, nuw> : index
      %column = memref.load %ai[%from] : memref<?x!I>
      %value = memref.load %ad[%from] : memref<?x!T>
      %before = memref.load %ranks[%i] : memref<16x!I>
      %before_a = arith.index_castui %before : !I to index
      %place = arith.addi %base_a, %i : index
      %o = arith.addi %place, %before_a : index
      memref.store %column, %ci[%o] : memref<?x!I>
      memref.store %value, %cd[%o] : memref<?x!T>
    }
    scf.yield %block#0 : index
  }
  return
}
