// csr_merge.mlir - what the element-wise kernels on two CSR matrices share. Not a kernel.
//
// Row by row, the sorted columns of both matrices are merged. Of each column that one of them has, @combine of the two
// elements is an element of the result, unless it is zero; a missing element counts as zero. (SciPy, csr_binop_csr.)
// The elements are counted first, so that the result has its size before it is written: both over blocks of rows, which
// threads share. Where the result of a row follows from the number of columns that both have, these are counted by
// comparing 16 columns of the one with each column of the other that may be among them.

// Checks that the columns of each of rows %r0 to %r1 - 1 ascend.
func.func private @check_ascending(%indptr: memref<?x!I>, %indices: memref<?x!I>, %r0: index, %r1: index,
    %which: index) {
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : !I
  %begin = func.call @pointer(%indptr, %r0) : (memref<?x!I>, index) -> index
  %end = func.call @pointer(%indptr, %r1) : (memref<?x!I>, index) -> index
  %second = arith.addi %begin, %c1 : index
  %all = scf.for %p = %second to %end step %c1 iter_args(%n = %none) -> (!I) {
    %before = arith.subi %p, %c1 overflow<nsw, nuw> : index
    %i = memref.load %indices[%before] : memref<?x!I>
    %j = memref.load %indices[%p] : memref<?x!I>
    %falls = arith.cmpi sge, %i, %j : !I
    %more = arith.extui %falls : i1 to !I
    %next = arith.addi %n, %more : !I
    scf.yield %next : !I
  }
  // from the last column of a row to the first of the next one they may fall
  %between = scf.for %r = %r0 to %r1 step %c1 iter_args(%n = %none) -> (!I) {
    %after = arith.addi %r, %c1 : index
    %p = func.call @pointer(%indptr, %r) : (memref<?x!I>, index) -> index
    %q = func.call @pointer(%indptr, %after) : (memref<?x!I>, index) -> index
    %filled = arith.cmpi ult, %p, %q : index
    %not_first = arith.cmpi ugt, %p, %begin : index
    %inner = arith.andi %filled, %not_first : i1
    %count = scf.if %inner -> (!I) {
      %before = arith.subi %p, %c1 : index
      %i = memref.load %indices[%before] : memref<?x!I>
      %j = memref.load %indices[%p] : memref<?x!I>
      %falls = arith.cmpi sge, %i, %j : !I
      %more = arith.extui %falls : i1 to !I
      scf.yield %more : !I
    } else {
      scf.yield %none : !I
    }
    %next = arith.addi %n, %count : !I
    scf.yield %next : !I
  }
  %differ = arith.cmpi ne, %all, %between : !I
  scf.if %differ {
    scf.for %r = %r0 to %r1 step %c1 {
      %after = arith.addi %r, %c1 : index
      %p = func.call @pointer(%indptr, %r) : (memref<?x!I>, index) -> index
      %q = func.call @pointer(%indptr, %after) : (memref<?x!I>, index) -> index
      %next = arith.addi %p, %c1 : index
      scf.for %k = %next to %q step %c1 {
        %before = arith.subi %k, %c1 : index
        %i = memref.load %indices[%before] : memref<?x!I>
        %j = memref.load %indices[%k] : memref<?x!I>
        %rises = arith.cmpi slt, %i, %j : !I
        rt.check %rises, "CSR matrix %0: indices[%1] is %2, not greater than the column before it in row %3"
            (%which, %k, %j, %r : index, index, !I, index)
      }
    }
  }
  return
}

// Whether one of elements %begin to %end - 1 has no result of its own: @combine with zero is not the element itself for
// %own, or is not zero where there is no %own.
func.func private @has_special(%data: memref<?x!T>, %begin: index, %end: index) -> i1 {
  %c1 = arith.constant 1 : index
  %no = arith.constant false
  %any = scf.for %p = %begin to %end step %c1 iter_args(%acc = %no) -> (i1) {
    %v = memref.load %data[%p] : memref<?x!T>
    %special = func.call @special(%v) : (!T) -> i1
    %next = arith.ori %acc, %special : i1
    scf.yield %next : i1
  }
  return %any : i1
}

// How many columns elements %pa to %ea - 1 of a and %pb to %eb - 1 of b have in common. 16 columns of a are compared
// with 8 of b; then the block that ends first is followed by the next one of its row.
func.func private @count_common(%a: memref<?x!I>, %b: memref<?x!I>, %pa: index, %ea: index, %pb: index, %eb: index)
    -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %no_a = arith.constant dense<-1> : vector<16x!I>
  %no_b = arith.constant dense<-2> : vector<8x!I>
  %zeros = arith.constant dense<0> : vector<16x!I>
  %counted:3 = scf.while (%p = %pa, %q = %pb, %acc = %zeros) : (index, index, vector<16x!I>)
      -> (index, index, vector<16x!I>) {
    %left_a = arith.cmpi ult, %p, %ea : index
    %left_b = arith.cmpi ult, %q, %eb : index
    %left = arith.andi %left_a, %left_b : i1
    scf.condition(%left) %p, %q, %acc : index, index, vector<16x!I>
  } do {
  ^bb0(%p: index, %q: index, %acc: vector<16x!I>):
    %rest_a = arith.subi %ea, %p : index
    %rest_b = arith.subi %eb, %q : index
    %na = arith.minui %rest_a, %c16 : index
    %nb = arith.minui %rest_b, %c8 : index
    %mask_a = vector.create_mask %na : vector<16xi1>
    %mask_b = vector.create_mask %nb : vector<8xi1>
    %sixteen = vector.maskedload %a[%p], %mask_a, %no_a : memref<?x!I>, vector<16xi1>, vector<16x!I> into vector<16x!I>
    %eight = vector.maskedload %b[%q], %mask_b, %no_b : memref<?x!I>, vector<8xi1>, vector<8x!I> into vector<8x!I>
    %b0 = vector.shuffle %eight, %eight [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] : vector<8x!I>, vector<8x!I>
    %same0 = arith.cmpi eq, %sixteen, %b0 : vector<16x!I>
    %ones0 = arith.extsi %same0 : vector<16xi1> to vector<16x!I>
    %acc0 = arith.subi %acc, %ones0 : vector<16x!I>
    %b1 = vector.shuffle %eight, %eight [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1] : vector<8x!I>, vector<8x!I>
    %same1 = arith.cmpi eq, %sixteen, %b1 : vector<16x!I>
    %ones1 = arith.extsi %same1 : vector<16xi1> to vector<16x!I>
    %acc1 = arith.subi %acc0, %ones1 : vector<16x!I>
    %b2 = vector.shuffle %eight, %eight [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2] : vector<8x!I>, vector<8x!I>
    %same2 = arith.cmpi eq, %sixteen, %b2 : vector<16x!I>
    %ones2 = arith.extsi %same2 : vector<16xi1> to vector<16x!I>
    %acc2 = arith.subi %acc1, %ones2 : vector<16x!I>
    %b3 = vector.shuffle %eight, %eight [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3] : vector<8x!I>, vector<8x!I>
    %same3 = arith.cmpi eq, %sixteen, %b3 : vector<16x!I>
    %ones3 = arith.extsi %same3 : vector<16xi1> to vector<16x!I>
    %acc3 = arith.subi %acc2, %ones3 : vector<16x!I>
    %b4 = vector.shuffle %eight, %eight [4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4] : vector<8x!I>, vector<8x!I>
    %same4 = arith.cmpi eq, %sixteen, %b4 : vector<16x!I>
    %ones4 = arith.extsi %same4 : vector<16xi1> to vector<16x!I>
    %acc4 = arith.subi %acc3, %ones4 : vector<16x!I>
    %b5 = vector.shuffle %eight, %eight [5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5] : vector<8x!I>, vector<8x!I>
    %same5 = arith.cmpi eq, %sixteen, %b5 : vector<16x!I>
    %ones5 = arith.extsi %same5 : vector<16xi1> to vector<16x!I>
    %acc5 = arith.subi %acc4, %ones5 : vector<16x!I>
    %b6 = vector.shuffle %eight, %eight [6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6] : vector<8x!I>, vector<8x!I>
    %same6 = arith.cmpi eq, %sixteen, %b6 : vector<16x!I>
    %ones6 = arith.extsi %same6 : vector<16xi1> to vector<16x!I>
    %acc6 = arith.subi %acc5, %ones6 : vector<16x!I>
    %b7 = vector.shuffle %eight, %eight [7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7] : vector<8x!I>, vector<8x!I>
    %same7 = arith.cmpi eq, %sixteen, %b7 : vector<16x!I>
    %ones7 = arith.extsi %same7 : vector<16xi1> to vector<16x!I>
    %acc7 = arith.subi %acc6, %ones7 : vector<16x!I>
    %next_p = arith.addi %p, %na : index
    %next_q = arith.addi %q, %nb : index
    %at_a = arith.subi %next_p, %c1 : index
    %at_b = arith.subi %next_q, %c1 : index
    %last_a = memref.load %a[%at_a] : memref<?x!I>
    %last_b = memref.load %b[%at_b] : memref<?x!I>
    %a_ends = arith.cmpi sle, %last_a, %last_b : !I
    %b_ends = arith.cmpi sge, %last_a, %last_b : !I
    %p1 = arith.select %a_ends, %next_p, %p : index
    %q1 = arith.select %b_ends, %next_q, %q : index
    scf.yield %p1, %q1, %acc7 : index, index, vector<16x!I>
  }
  %sum = vector.reduction <add>, %counted#2 : vector<16x!I> into !I
  %count = arith.index_castui %sum : !I to index
  return %count : index
}

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

// How many elements the result has in a row; special: whether an element of the rows may be.
func.func private @count_row(%ai: memref<?x!I>, %ad: memref<?x!T>, %bi: memref<?x!I>, %bd: memref<?x!T>,
    %pa: index, %ea: index, %pb: index, %eb: index, %special: i1) -> index {
  %c0 = arith.constant 0 : index
  %no = arith.constant false
  %yes = arith.constant true
  %few = func.call @simple_count(%ai, %bi, %pa, %ea, %pb, %eb)
      : (memref<?x!I>, memref<?x!I>, index, index, index, index) -> index
  %unknown = arith.cmpi slt, %few, %c0 : index
  %merges = arith.ori %unknown, %special : i1
  %count = scf.if %merges -> (index) {
    %n = func.call @merge_either(%ai, %ad, %bi, %bd, %ai, %ad, %pa, %ea, %pb, %eb, %c0, %no, %special)
        : (memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, index, index, index,
           index, index, i1, i1) -> index
    scf.yield %n : index
  } else {
    scf.yield %few : index
  }
  return %count : index
}

// C, element by element @combine of A and B: its rows, columns and values. %n: how many columns A and B have.
func.func private @merge(%ap: memref<?x!I>, %ai: memref<?x!I>, %ad: memref<?x!T>, %bp: memref<?x!I>, %bi: memref<?x!I>,
    %bd: memref<?x!T>, %n: index) -> (tensor<?x!I>, tensor<?x!I>, tensor<?x!T>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %yes = arith.constant true
  %m = func.call @check_rows(%ap, %ai, %ad, %c0) : (memref<?x!I>, memref<?x!I>, memref<?x!T>, index) -> index
  %rows_b = func.call @check_rows(%bp, %bi, %bd, %c1) : (memref<?x!I>, memref<?x!I>, memref<?x!T>, index) -> index
  %same = arith.cmpi eq, %m, %rows_b : index
  rt.check %same, "CSR matrix 0 has %0 rows, but matrix 1 has %1"(%m, %rows_b : index, index)
  %m1 = arith.addi %m, %c1 : index
  %counts = memref.alloc(%m) : memref<?xindex>
  %rows = func.call @rows_of_block(%ap, %m) : (memref<?x!I>, index) -> index
  %rows_by_b = func.call @rows_of_block(%bp, %m) : (memref<?x!I>, index) -> index
  %step = arith.minui %rows, %rows_by_b : index
  %blocks = arith.ceildivui %m, %step : index
  %specials = memref.alloc(%blocks) : memref<?xi1>
  scf.parallel (%block) = (%c0) to (%blocks) step (%c1) {
    %r0 = arith.muli %block, %step : index
    %or_more = arith.addi %r0, %step : index
    %r1 = arith.minui %or_more, %m : index
    func.call @check_columns(%ap, %ai, %r0, %r1, %n, %c0)
        : (memref<?x!I>, memref<?x!I>, index, index, index, index) -> ()
    func.call @check_columns(%bp, %bi, %r0, %r1, %n, %c1)
        : (memref<?x!I>, memref<?x!I>, index, index, index, index) -> ()
    func.call @check_ascending(%ap, %ai, %r0, %r1, %c0) : (memref<?x!I>, memref<?x!I>, index, index, index) -> ()
    func.call @check_ascending(%bp, %bi, %r0, %r1, %c1) : (memref<?x!I>, memref<?x!I>, index, index, index) -> ()
    %a0 = func.call @pointer(%ap, %r0) : (memref<?x!I>, index) -> index
    %a1 = func.call @pointer(%ap, %r1) : (memref<?x!I>, index) -> index
    %b0 = func.call @pointer(%bp, %r0) : (memref<?x!I>, index) -> index
    %b1 = func.call @pointer(%bp, %r1) : (memref<?x!I>, index) -> index
    %special_a = func.call @has_special(%ad, %a0, %a1) : (memref<?x!T>, index, index) -> i1
    %special_b = func.call @has_special(%bd, %b0, %b1) : (memref<?x!T>, index, index) -> i1
    %special = arith.ori %special_a, %special_b : i1
    memref.store %special, %specials[%block] : memref<?xi1>
    scf.for %r = %r0 to %r1 step %c1 {
      %next = arith.addi %r, %c1 : index
      %pa = func.call @pointer(%ap, %r) : (memref<?x!I>, index) -> index
      %ea = func.call @pointer(%ap, %next) : (memref<?x!I>, index) -> index
      %pb = func.call @pointer(%bp, %r) : (memref<?x!I>, index) -> index
      %eb = func.call @pointer(%bp, %next) : (memref<?x!I>, index) -> index
      %count = func.call @count_row(%ai, %ad, %bi, %bd, %pa, %ea, %pb, %eb, %special)
          : (memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, index, index, index, index, i1) -> index
      memref.store %count, %counts[%r] : memref<?xindex>
    }
  }
  %cp = memref.alloc(%m1) : memref<?x!I>
  %nnz = func.call @sum_counts(%counts, %cp, %m) : (memref<?xindex>, memref<?x!I>, index) -> index
  %ci = memref.alloc(%nnz) : memref<?x!I>
  %cd = memref.alloc(%nnz) : memref<?x!T>
  scf.parallel (%block) = (%c0) to (%blocks) step (%c1) {
    %r0 = arith.muli %block, %step : index
    %or_more = arith.addi %r0, %step : index
    %r1 = arith.minui %or_more, %m : index
    %special = memref.load %specials[%block] : memref<?xi1>
    scf.for %r = %r0 to %r1 step %c1 {
      %next = arith.addi %r, %c1 : index
      %at = func.call @pointer(%cp, %r) : (memref<?x!I>, index) -> index
      %end = func.call @pointer(%cp, %next) : (memref<?x!I>, index) -> index
      %filled = arith.cmpi ult, %at, %end : index
      scf.if %filled {
        %pa = func.call @pointer(%ap, %r) : (memref<?x!I>, index) -> index
        %ea = func.call @pointer(%ap, %next) : (memref<?x!I>, index) -> index
        %pb = func.call @pointer(%bp, %r) : (memref<?x!I>, index) -> index
        %eb = func.call @pointer(%bp, %next) : (memref<?x!I>, index) -> index
        %count = arith.subi %end, %at : index
        %na = arith.subi %ea, %pa : index
        %nb = arith.subi %eb, %pb : index
        %both = arith.addi %na, %nb : index
        %disjoint = arith.cmpi eq, %count, %both : index
        scf.if %disjoint {
          func.call @merge_disjoint(%ai, %ad, %bi, %bd, %ci, %cd, %pa, %ea, %pb, %eb, %at)
              : (memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, index, index,
                 index, index, index) -> ()
        } else {
          %behind = func.call @merge_either(%ai, %ad, %bi, %bd, %ci, %cd, %pa, %ea, %pb, %eb, %at, %yes, %special)
              : (memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, index, index,
                 index, index, index, i1, i1) -> index
        }
      }
    }
  }
  %rows_c = bufferization.to_tensor %cp : memref<?x!I> to tensor<?x!I>
  %columns_c = bufferization.to_tensor %ci : memref<?x!I> to tensor<?x!I>
  %values_c = bufferization.to_tensor %cd : memref<?x!T> to tensor<?x!T>
  return %rows_c, %columns_c, %values_c : tensor<?x!I>, tensor<?x!I>, tensor<?x!T>
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
