// csr_add.mlir - the sum of two sparse matrices in CSR. Uses lib/csr.mlir, lib/csr_merge.mlir and lib/csr_zeros.mlir.
//
// The result gets room for the elements of both matrices, and is cut to those that it has. Where rows are written by
// one thread, one after the other, each begins where the one before it ends. Threads need to know where their rows
// begin: so columns that both matrices have are counted first, in all rows but the last ones, which are one thread's
// share. They are counted in all rows where there seem to be many of them.
// Rows are written as if no sum were zero; where some are, they are removed at the end.
//
// Rows are merged in steps of at most 16 elements of each. A step compares its columns of one matrix with those of the
// other, all with all: where an element goes is its place among its own and the number of those of the other that are
// less. So no branch depends on how the columns of the two rows follow each other.
//
// The prelude defines !T, the elements, !I, the indices, and arithmetic on !T.

// Writes elements %p to %p + %n - 1 of one matrix, at most 16, to their places behind %at. %others: the columns of the
// other matrix that have places of their own. Which of these are columns of the elements too.
func.func private @write_step(%indices: memref<?x!I>, %data: memref<?x!T>, %p: index, %n: index,
    %others: vector<16x!I>, %ci: memref<?x!I>, %cd: memref<?x!T>, %at: index) -> vector<16xi1> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant dense<false> : vector<16xi1>
  %shared = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %none) -> (vector<16xi1>) {
    %from = arith.addi %p, %i overflow<nsw, nuw> : index
    %column = memref.load %indices[%from] : memref<?x!I>
    %value = memref.load %data[%from] : memref<?x!T>
    %less = func.call @count_less(%others, %column) : (vector<16x!I>, !I) -> index
    %equal = func.call @is_equal(%others, %column) : (vector<16x!I>, !I) -> vector<16xi1>
    %own = arith.addi %at, %i : index
    %o = arith.addi %own, %less : index
    memref.store %column, %ci[%o] : memref<?x!I>
    memref.store %value, %cd[%o] : memref<?x!T>
    %next = arith.ori %acc, %equal : vector<16xi1>
    scf.yield %next : vector<16xi1>
  } {noria.loop = {vectorize = false}} // scattered stores of lanes are slower
  return %shared : vector<16xi1>
}

// The same, where a column of %written has its element in the result already, to which the other is added.
func.func private @add_step(%indices: memref<?x!I>, %data: memref<?x!T>, %p: index, %n: index, %others: vector<16x!I>,
    %written: vector<16x!I>, %ci: memref<?x!I>, %cd: memref<?x!T>, %at: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = func.call @zero() : () -> !T
  scf.for %i = %c0 to %n step %c1 {
    %from = arith.addi %p, %i overflow<nsw, nuw> : index
    %column = memref.load %indices[%from] : memref<?x!I>
    %value = memref.load %data[%from] : memref<?x!T>
    %less = func.call @count_less(%others, %column) : (vector<16x!I>, !I) -> index
    %own = arith.addi %at, %i : index
    %o = arith.addi %own, %less : index
    %equal = func.call @is_equal(%written, %column) : (vector<16x!I>, !I) -> vector<16xi1>
    %both = vector.reduction <or>, %equal : vector<16xi1> into i1
    %there = memref.load %cd[%o] : memref<?x!T>
    %other = func.call @choose(%both, %there, %zero) : (i1, !T, !T) -> !T
    %sum = func.call @plus(%other, %value) : (!T, !T) -> !T
    memref.store %column, %ci[%o] : memref<?x!I>
    memref.store %sum, %cd[%o] : memref<?x!T>
  } {noria.loop = {vectorize = false}}
  return
}

// Merges elements %p to %p + %n - 1 of a and %q to %q + %k - 1 of b, at most 16 of each, from place %at on: some
// columns are in both, of b those of %equal_b. A place counts only those of the others that stand alone. The place
// behind the last.
func.func private @merge_shared(%ai: memref<?x!I>, %ad: memref<?x!T>, %bi: memref<?x!I>, %bd: memref<?x!T>,
    %ci: memref<?x!I>, %cd: memref<?x!T>, %p: index, %n: index, %q: index, %k: index, %at: index,
    %a: vector<16x!I>, %b: vector<16x!I>, %equal_b: vector<16xi1>) -> index {
  %none = arith.constant dense<-1> : vector<16x!I>
  %mask = vector.create_mask %k : vector<16xi1>
  %shared_b = arith.andi %equal_b, %mask : vector<16xi1> // a column of a that is -1, which is wrong, equals the others
  %shared_a = func.call @is_among(%a, %n, %bi, %q, %k)
      : (vector<16x!I>, index, memref<?x!I>, index, index) -> vector<16xi1>
  %alone_a = arith.select %shared_a, %none, %a : vector<16xi1>, vector<16x!I>
  %alone_b = arith.select %shared_b, %none, %b : vector<16xi1>, vector<16x!I>
  %unused = func.call @write_step(%ai, %ad, %p, %n, %alone_b, %ci, %cd, %at)
      : (memref<?x!I>, memref<?x!T>, index, index, vector<16x!I>, memref<?x!I>, memref<?x!T>, index) -> vector<16xi1>
  func.call @add_step(%bi, %bd, %q, %k, %alone_a, %a, %ci, %cd, %at)
      : (memref<?x!I>, memref<?x!T>, index, index, vector<16x!I>, vector<16x!I>, memref<?x!I>, memref<?x!T>, index)
      -> ()
  %twice = func.call @count_lanes(%shared_b) : (vector<16xi1>) -> index
  %both = arith.addi %n, %k : index
  %count = arith.subi %both, %twice : index
  %behind = arith.addi %at, %count : index
  return %behind : index
}

// The same where it is not known yet whether columns are in both. The elements of a are written as if none were: so
// there must be a place for each element of both.
func.func private @merge_step(%ai: memref<?x!I>, %ad: memref<?x!T>, %bi: memref<?x!I>, %bd: memref<?x!T>,
    %ci: memref<?x!I>, %cd: memref<?x!T>, %p: index, %n: index, %q: index, %k: index, %at: index,
    %a: vector<16x!I>, %b: vector<16x!I>) -> index {
  %shared_b = func.call @write_step(%ai, %ad, %p, %n, %b, %ci, %cd, %at)
      : (memref<?x!I>, memref<?x!T>, index, index, vector<16x!I>, memref<?x!I>, memref<?x!T>, index) -> vector<16xi1>
  %some = vector.reduction <or>, %shared_b : vector<16xi1> into i1
  %behind = scf.if %some -> (index) {
    %to = func.call @merge_shared(%ai, %ad, %bi, %bd, %ci, %cd, %p, %n, %q, %k, %at, %a, %b, %shared_b)
        : (memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, index, index, index,
           index, index, vector<16x!I>, vector<16x!I>, vector<16xi1>) -> index
    scf.yield %to : index
  } else {
    %unused = func.call @write_step(%bi, %bd, %q, %k, %a, %ci, %cd, %at)
        : (memref<?x!I>, memref<?x!T>, index, index, vector<16x!I>, memref<?x!I>, memref<?x!T>, index)
        -> vector<16xi1>
    %both = arith.addi %n, %k : index
    %to = arith.addi %at, %both : index
    scf.yield %to : index
  }
  return %behind : index
}

// Which of the columns of a step, elements %p to %p + %n - 1 of a row that ends before %e, are not less than the one
// behind them, or than %limit.
func.func private @is_wrong(%columns: vector<16x!I>, %indices: memref<?x!I>, %p: index, %n: index, %e: index,
    %limit: vector<16x!I>) -> vector<16xi1> {
  %c1 = arith.constant 1 : index
  %zeros = arith.constant dense<0> : vector<16x!I>
  %after = arith.addi %p, %c1 : index
  %left = arith.subi %e, %p : index
  %some = arith.maxui %left, %c1 : index
  %rest = arith.subi %some, %c1 : index
  %pairs = arith.minui %n, %rest : index
  %mask = vector.create_mask %n : vector<16xi1>
  %mask_pairs = vector.create_mask %pairs : vector<16xi1>
  %next = vector.maskedload %indices[%after], %mask_pairs, %zeros
      : memref<?x!I>, vector<16xi1>, vector<16x!I> into vector<16x!I>
  %down = arith.cmpi sge, %columns, %next : vector<16x!I>
  %down_here = arith.andi %down, %mask_pairs : vector<16xi1>
  %over = arith.cmpi uge, %columns, %limit : vector<16x!I>
  %over_here = arith.andi %over, %mask : vector<16xi1>
  %wrong = arith.ori %down_here, %over_here : vector<16xi1>
  return %wrong : vector<16xi1>
}

// Merges elements %pa to %ea - 1 of a and %pb to %eb - 1 of b, two rows that have been checked, from place %at on, and
// writes no place behind the last one. That place.
func.func private @write_row_within(%ai: memref<?x!I>, %ad: memref<?x!T>, %bi: memref<?x!I>, %bd: memref<?x!T>,
    %ci: memref<?x!I>, %cd: memref<?x!T>, %pa: index, %ea: index, %pb: index, %eb: index, %at: index) -> index {
  %merged:3 = scf.while (%p = %pa, %q = %pb, %o = %at) : (index, index, index) -> (index, index, index) {
    %a_left = arith.cmpi ult, %p, %ea : index
    %b_left = arith.cmpi ult, %q, %eb : index
    %left = arith.ori %a_left, %b_left : i1
    scf.condition(%left) %p, %q, %o : index, index, index
  } do {
  ^bb0(%p: index, %q: index, %o: index):
    %n:3 = func.call @step_of_rows(%ai, %p, %ea, %bi, %q, %eb)
        : (memref<?x!I>, index, index, memref<?x!I>, index, index) -> (index, index, !I)
    %a = func.call @block(%ai, %p, %n#0) : (memref<?x!I>, index, index) -> vector<16x!I>
    %b = func.call @block(%bi, %q, %n#1) : (memref<?x!I>, index, index) -> vector<16x!I>
    %shared_b = func.call @is_among(%b, %n#1, %ai, %p, %n#0)
        : (vector<16x!I>, index, memref<?x!I>, index, index) -> vector<16xi1>
    %behind = func.call @merge_shared(%ai, %ad, %bi, %bd, %ci, %cd, %p, %n#0, %q, %n#1, %o, %a, %b, %shared_b)
        : (memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, index, index, index,
           index, index, vector<16x!I>, vector<16x!I>, vector<16xi1>) -> index
    %next_p = arith.addi %p, %n#0 : index
    %next_q = arith.addi %q, %n#1 : index
    scf.yield %next_p, %next_q, %behind : index, index, index
  }
  return %merged#2 : index
}

// The same for rows that have not been checked: the place, and which lanes had a column that is wrong. Whatever the
// columns are, the row takes no more places than both have elements; it may write as many.
func.func private @write_row(%ai: memref<?x!I>, %ad: memref<?x!T>, %bi: memref<?x!I>, %bd: memref<?x!T>,
    %ci: memref<?x!I>, %cd: memref<?x!T>, %pa: index, %ea: index, %pb: index, %eb: index, %at: index,
    %limit: vector<16x!I>, %wrong_before: vector<16xi1>) -> (index, vector<16xi1>) {
  %merged:4 = scf.while (%p = %pa, %q = %pb, %o = %at, %w = %wrong_before) : (index, index, index, vector<16xi1>)
      -> (index, index, index, vector<16xi1>) {
    %a_left = arith.cmpi ult, %p, %ea : index
    %b_left = arith.cmpi ult, %q, %eb : index
    %left = arith.ori %a_left, %b_left : i1
    scf.condition(%left) %p, %q, %o, %w : index, index, index, vector<16xi1>
  } do {
  ^bb0(%p: index, %q: index, %o: index, %w: vector<16xi1>):
    %n:3 = func.call @step_of_rows(%ai, %p, %ea, %bi, %q, %eb)
        : (memref<?x!I>, index, index, memref<?x!I>, index, index) -> (index, index, !I)
    %a = func.call @block(%ai, %p, %n#0) : (memref<?x!I>, index, index) -> vector<16x!I>
    %b = func.call @block(%bi, %q, %n#1) : (memref<?x!I>, index, index) -> vector<16x!I>
    %wrong_a = func.call @is_wrong(%a, %ai, %p, %n#0, %ea, %limit)
        : (vector<16x!I>, memref<?x!I>, index, index, index, vector<16x!I>) -> vector<16xi1>
    %wrong_b = func.call @is_wrong(%b, %bi, %q, %n#1, %eb, %limit)
        : (vector<16x!I>, memref<?x!I>, index, index, index, vector<16x!I>) -> vector<16xi1>
    %behind = func.call @merge_step(%ai, %ad, %bi, %bd, %ci, %cd, %p, %n#0, %q, %n#1, %o, %a, %b)
        : (memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, index, index, index,
           index, index, vector<16x!I>, vector<16x!I>) -> index
    %next_p = arith.addi %p, %n#0 : index
    %next_q = arith.addi %q, %n#1 : index
    %either = arith.ori %wrong_a, %wrong_b : vector<16xi1>
    %next_w = arith.ori %w, %either : vector<16xi1>
    scf.yield %next_p, %next_q, %behind, %next_w : index, index, index, vector<16xi1>
  }
  return %merged#2, %merged#3 : index, vector<16xi1>
}

// The same where the machine expands vectors. 32 elements may be read behind each row, and written behind the result.
func.func private @write_row_expanded(%ai: memref<?x!I>, %ad: memref<?x!T>, %bi: memref<?x!I>, %bd: memref<?x!T>,
    %ci: memref<?x!I>, %cd: memref<?x!T>, %pa: index, %ea: index, %pb: index, %eb: index, %at: index,
    %limit: vector<16x!I>, %wrong_before: vector<16xi1>) -> (index, vector<16xi1>) {
  %one = arith.constant 1 : !I
  %below = arith.constant -1 : !I
  %least_over = vector.extract %limit[0] : !I from vector<16x!I>
  %greatest = arith.subi %least_over, %one : !I
  %merged:5 = scf.while (%p = %pa, %q = %pb, %o = %at, %before = %below, %w = %wrong_before)
      : (index, index, index, !I, vector<16xi1>) -> (index, index, index, !I, vector<16xi1>) {
    %a_left = arith.cmpi ult, %p, %ea : index
    %b_left = arith.cmpi ult, %q, %eb : index
    %left = arith.ori %a_left, %b_left : i1
    scf.condition(%left) %p, %q, %o, %before, %w : index, index, index, !I, vector<16xi1>
  } do {
  ^bb0(%p: index, %q: index, %o: index, %before: !I, %w: vector<16xi1>):
    %n:3 = func.call @step_of_rows(%ai, %p, %ea, %bi, %q, %eb)
        : (memref<?x!I>, index, index, memref<?x!I>, index, index) -> (index, index, !I)
    // all columns of the step are at most this one, and greater than %before
    %last = arith.minui %n#2, %greatest : !I
    %fill = arith.addi %last, %one : !I
    %first, %differs = func.call @merge_expanded(%ai, %ad, %bi, %bd, %ci, %cd, %p, %n#0, %q, %n#1, %o, %fill)
        : (memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, index, index, index,
           index, index, !I) -> (!I, i1)
    %falls = arith.cmpi sle, %first, %before : !I
    %again = arith.ori %differs, %falls : i1
    %step:2 = scf.if %again -> (index, vector<16xi1>) {
      %a = func.call @block(%ai, %p, %n#0) : (memref<?x!I>, index, index) -> vector<16x!I>
      %b = func.call @block(%bi, %q, %n#1) : (memref<?x!I>, index, index) -> vector<16x!I>
      %wrong_a = func.call @is_wrong(%a, %ai, %p, %n#0, %ea, %limit)
          : (vector<16x!I>, memref<?x!I>, index, index, index, vector<16x!I>) -> vector<16xi1>
      %wrong_b = func.call @is_wrong(%b, %bi, %q, %n#1, %eb, %limit)
          : (vector<16x!I>, memref<?x!I>, index, index, index, vector<16x!I>) -> vector<16xi1>
      %wrong_first = vector.broadcast %falls : i1 to vector<16xi1>
      %shared_b = func.call @is_among(%b, %n#1, %ai, %p, %n#0)
          : (vector<16x!I>, index, memref<?x!I>, index, index) -> vector<16xi1>
      %behind = func.call @merge_shared(%ai, %ad, %bi, %bd, %ci, %cd, %p, %n#0, %q, %n#1, %o, %a, %b, %shared_b)
          : (memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, index, index, index,
             index, index, vector<16x!I>, vector<16x!I>, vector<16xi1>) -> index
      %either = arith.ori %wrong_a, %wrong_b : vector<16xi1>
      %here = arith.ori %either, %wrong_first : vector<16xi1>
      %next_w = arith.ori %w, %here : vector<16xi1>
      scf.yield %behind, %next_w : index, vector<16xi1>
    } else {
      %both = arith.addi %n#0, %n#1 : index
      %behind = arith.addi %o, %both : index
      scf.yield %behind, %w : index, vector<16xi1>
    }
    %next_p = arith.addi %p, %n#0 : index
    %next_q = arith.addi %q, %n#1 : index
    scf.yield %next_p, %next_q, %step#0, %n#2, %step#1 : index, index, index, !I, vector<16xi1>
  }
  return %merged#2, %merged#4 : index, vector<16xi1>
}

// How many columns two rows have in common.
func.func private @count_common(%ai: memref<?x!I>, %pa: index, %ea: index, %bi: memref<?x!I>, %pb: index, %eb: index)
    -> index {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %all:3 = scf.while (%p = %pa, %q = %pb, %sum = %c0) : (index, index, index) -> (index, index, index) {
    %left = func.call @both_left(%p, %ea, %q, %eb) : (index, index, index, index) -> i1
    scf.condition(%left) %p, %q, %sum : index, index, index
  } do {
  ^bb0(%p: index, %q: index, %sum: index):
    %rest_a = arith.subi %ea, %p : index
    %rest_b = arith.subi %eb, %q : index
    %na = arith.minui %rest_a, %c16 : index
    %nb = arith.minui %rest_b, %c16 : index
    func.call @prefetch_columns(%ai, %p) : (memref<?x!I>, index) -> ()
    func.call @prefetch_columns(%bi, %q) : (memref<?x!I>, index) -> ()
    %a = func.call @block(%ai, %p, %na) : (memref<?x!I>, index, index) -> vector<16x!I>
    %shared = func.call @is_among(%a, %na, %bi, %q, %nb)
        : (vector<16x!I>, index, memref<?x!I>, index, index) -> vector<16xi1>
    %here = func.call @count_lanes(%shared) : (vector<16xi1>) -> index
    %next = arith.addi %sum, %here : index
    %after:2 = func.call @next_blocks(%ai, %p, %na, %bi, %q, %nb)
        : (memref<?x!I>, index, index, memref<?x!I>, index, index) -> (index, index)
    scf.yield %after#0, %after#1, %next : index, index, index
  }
  return %all#2 : index
}

// Checks rows %r0 to %r1 - 1 of both matrices.
func.func private @check_both(%ap: memref<?x!I>, %ai: memref<?x!I>, %bp: memref<?x!I>, %bi: memref<?x!I>, %r0: index,
    %r1: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  func.call @check_order(%ap, %ai, %r0, %r1, %n, %c0)
      : (memref<?x!I>, memref<?x!I>, index, index, index, index) -> ()
  func.call @check_order(%bp, %bi, %r0, %r1, %n, %c1)
      : (memref<?x!I>, memref<?x!I>, index, index, index, index) -> ()
  return
}

// How many elements the sums of rows %r0 to %r1 - 1 have, zeros too.
func.func private @count_rows(%ap: memref<?x!I>, %ai: memref<?x!I>, %bp: memref<?x!I>, %bi: memref<?x!I>, %r0: index,
    %r1: index) -> index {
  %c1 = arith.constant 1 : index
  %most = func.call @room_of_rows(%ap, %bp, %r0, %r1) : (memref<?x!I>, memref<?x!I>, index, index) -> index
  %count = scf.for %r = %r0 to %r1 step %c1 iter_args(%sum = %most) -> (index) {
    %next = arith.addi %r, %c1 : index
    %pa = func.call @pointer(%ap, %r) : (memref<?x!I>, index) -> index
    %ea = func.call @pointer(%ap, %next) : (memref<?x!I>, index) -> index
    %pb = func.call @pointer(%bp, %r) : (memref<?x!I>, index) -> index
    %eb = func.call @pointer(%bp, %next) : (memref<?x!I>, index) -> index
    %twice = func.call @count_common(%ai, %pa, %ea, %bi, %pb, %eb)
        : (memref<?x!I>, index, index, memref<?x!I>, index, index) -> index
    %na = arith.subi %ea, %pa : index
    %most_twice = arith.minui %twice, %na : index
    %left = arith.subi %sum, %most_twice : index
    scf.yield %left : index
  }
  return %count : index
}

// How many elements rows %r0 to %r1 - 1 of both matrices have.
func.func private @room_of_rows(%ap: memref<?x!I>, %bp: memref<?x!I>, %r0: index, %r1: index) -> index {
  %a0 = func.call @pointer(%ap, %r0) : (memref<?x!I>, index) -> index
  %a1 = func.call @pointer(%ap, %r1) : (memref<?x!I>, index) -> index
  %b0 = func.call @pointer(%bp, %r0) : (memref<?x!I>, index) -> index
  %b1 = func.call @pointer(%bp, %r1) : (memref<?x!I>, index) -> index
  %na = arith.subi %a1, %a0 : index
  %nb = arith.subi %b1, %b0 : index
  %room = arith.addi %na, %nb : index
  return %room : index
}

// Writes rows %r0 to %r1 - 1 of the result from place %at on, and where they end. %room: the place behind those that
// may be written. %expands: whether the steps of rows expand vectors, as far as that may read and write behind them.
// The place behind the last element, and which lanes had a column that is wrong.
func.func private @write_each_row(%ap: memref<?x!I>, %ai: memref<?x!I>, %ad: memref<?x!T>, %bp: memref<?x!I>,
    %bi: memref<?x!I>, %bd: memref<?x!T>, %cp: memref<?x!I>, %ci: memref<?x!I>, %cd: memref<?x!T>, %r0: index,
    %r1: index, %n: index, %at: index, %room: index, %expands: i1) -> (index, vector<16xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %no = arith.constant false
  %none = arith.constant dense<false> : vector<16xi1>
  %least_over = func.call @column_limit(%n) : (index) -> !I
  %limit = vector.broadcast %least_over : !I to vector<16x!I>
  %size_a = memref.dim %ai, %c0 : memref<?x!I>
  %size_b = memref.dim %bi, %c0 : memref<?x!I>
  %all:2 = scf.for %r = %r0 to %r1 step %c1 iter_args(%o = %at, %w = %none) -> (index, vector<16xi1>) {
    %next = arith.addi %r, %c1 : index
    %pa = func.call @pointer(%ap, %r) : (memref<?x!I>, index) -> index
    %ea = func.call @pointer(%ap, %next) : (memref<?x!I>, index) -> index
    %pb = func.call @pointer(%bp, %r) : (memref<?x!I>, index) -> index
    %eb = func.call @pointer(%bp, %next) : (memref<?x!I>, index) -> index
    %na = arith.subi %ea, %pa : index
    %nb = arith.subi %eb, %pb : index
    %both = arith.addi %na, %nb : index
    %behind = arith.addi %o, %both : index
    %fits = arith.cmpi ule, %behind, %room : index
    %whole = scf.if %expands -> (i1) {
      %step_a = arith.addi %ea, %c32 : index
      %step_b = arith.addi %eb, %c32 : index
      %step_c = arith.addi %behind, %c32 : index
      %fits_a = arith.cmpi ule, %step_a, %size_a : index
      %fits_b = arith.cmpi ule, %step_b, %size_b : index
      %fits_c = arith.cmpi ule, %step_c, %room : index
      %fits_ab = arith.andi %fits_a, %fits_b : i1
      %fits_abc = arith.andi %fits_ab, %fits_c : i1
      scf.yield %fits_abc : i1
    } else {
      scf.yield %no : i1
    }
    %to:2 = scf.if %whole -> (index, vector<16xi1>) {
      %row:2 = func.call @write_row_expanded(%ai, %ad, %bi, %bd, %ci, %cd, %pa, %ea, %pb, %eb, %o, %limit, %w)
          : (memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, index, index, index,
             index, index, vector<16x!I>, vector<16xi1>) -> (index, vector<16xi1>)
      scf.yield %row#0, %row#1 : index, vector<16xi1>
    } else {
      %tight:2 = scf.if %fits -> (index, vector<16xi1>) {
        %row:2 = func.call @write_row(%ai, %ad, %bi, %bd, %ci, %cd, %pa, %ea, %pb, %eb, %o, %limit, %w)
            : (memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, index, index, index,
               index, index, vector<16x!I>, vector<16xi1>) -> (index, vector<16xi1>)
        scf.yield %row#0, %row#1 : index, vector<16xi1>
      } else {
        %some_wrong = vector.reduction <or>, %w : vector<16xi1> into i1
        %from = arith.select %some_wrong, %r0, %r : index
        func.call @check_both(%ap, %ai, %bp, %bi, %from, %next, %n)
            : (memref<?x!I>, memref<?x!I>, memref<?x!I>, memref<?x!I>, index, index, index) -> ()
        %row = func.call @write_row_within(%ai, %ad, %bi, %bd, %ci, %cd, %pa, %ea, %pb, %eb, %o)
            : (memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, index, index, index,
               index, index) -> index
        scf.yield %row, %w : index, vector<16xi1>
      }
      scf.yield %tight#0, %tight#1 : index, vector<16xi1>
    }
    %end = arith.index_cast %to#0 : index to !I
    memref.store %end, %cp[%next] : memref<?x!I>
    scf.yield %to#0, %to#1 : index, vector<16xi1>
  }
  return %all#0, %all#1 : index, vector<16xi1>
}

// Checks rows %r0 to %r1 - 1 of both matrices, and writes those of the result from place %at on, and where they end.
// %room: the place behind those that may be written; %many: as @shares_many. The place behind the last element, and
// whether one of them is zero. Steps of few elements, and those with columns in common, which are merged again, take
// longer where vectors expand.
func.func private @write_rows(%ap: memref<?x!I>, %ai: memref<?x!I>, %ad: memref<?x!T>, %bp: memref<?x!I>,
    %bi: memref<?x!I>, %bd: memref<?x!T>, %cp: memref<?x!I>, %ci: memref<?x!I>, %cd: memref<?x!T>, %r0: index,
    %r1: index, %n: index, %at: index, %room: index, %many: i1) -> (index, i1) {
  %c8 = arith.constant 8 : index
  %yes = arith.constant true
  %no = arith.constant false
  %elements = func.call @room_of_rows(%ap, %bp, %r0, %r1) : (memref<?x!I>, memref<?x!I>, index, index) -> index
  %rows = arith.subi %r1, %r0 : index
  %least = arith.muli %rows, %c8 : index
  %are_long = arith.cmpi uge, %elements, %least : index
  %few = arith.xori %many, %yes : i1
  %pays = arith.andi %are_long, %few : i1
  %can = func.call @expands() : () -> i1
  %expands = arith.andi %can, %pays : i1
  %all:2 = scf.if %expands -> (index, vector<16xi1>) {
    %to:2 = func.call @write_each_row(%ap, %ai, %ad, %bp, %bi, %bd, %cp, %ci, %cd, %r0, %r1, %n, %at, %room, %yes)
        : (memref<?x!I>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!I>, memref<?x!T>, memref<?x!I>,
           memref<?x!I>, memref<?x!T>, index, index, index, index, index, i1) -> (index, vector<16xi1>)
    scf.yield %to#0, %to#1 : index, vector<16xi1>
  } else {
    %to:2 = func.call @write_each_row(%ap, %ai, %ad, %bp, %bi, %bd, %cp, %ci, %cd, %r0, %r1, %n, %at, %room, %no)
        : (memref<?x!I>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!I>, memref<?x!T>, memref<?x!I>,
           memref<?x!I>, memref<?x!T>, index, index, index, index, index, i1) -> (index, vector<16xi1>)
    scf.yield %to#0, %to#1 : index, vector<16xi1>
  }
  %wrong = vector.reduction <or>, %all#1 : vector<16xi1> into i1
  scf.if %wrong {
    func.call @check_both(%ap, %ai, %bp, %bi, %r0, %r1, %n)
        : (memref<?x!I>, memref<?x!I>, memref<?x!I>, memref<?x!I>, index, index, index) -> ()
  }
  %zero = func.call @has_zero(%cd, %at, %all#0) : (memref<?x!T>, index, index) -> i1
  return %all#0, %zero : index, i1
}

// Whether the rows in the middle have so many columns in common that a result with room for all elements would lose
// much of it when it is cut, and with it pages that the next result would have to get again. Rows with so many elements
// that looking at them would take long count as rows that have few.
func.func private @shares_many(%ap: memref<?x!I>, %ai: memref<?x!I>, %bp: memref<?x!I>, %bi: memref<?x!I>, %m: index,
    %step: index, %n: index) -> i1 {
  %c1 = arith.constant 1 : index
  %r0 = arith.shrui %m, %c1 : index
  %or_more = arith.addi %r0, %step : index
  %r1 = arith.minui %or_more, %m : index
  %elements = func.call @room_of_rows(%ap, %bp, %r0, %r1) : (memref<?x!I>, memref<?x!I>, index, index) -> index
  %most = arith.constant 65536 : index
  %is_short = arith.cmpi ule, %elements, %most : index
  %many = scf.if %is_short -> (i1) {
    %in_sample = func.call @sample_shares_many(%ap, %ai, %bp, %bi, %r0, %r1, %n)
        : (memref<?x!I>, memref<?x!I>, memref<?x!I>, memref<?x!I>, index, index, index) -> i1
    scf.yield %in_sample : i1
  } else {
    %false = arith.constant false
    scf.yield %false : i1
  }
  return %many : i1
}

// The same of rows %r0 to %r1 - 1.
func.func private @sample_shares_many(%ap: memref<?x!I>, %ai: memref<?x!I>, %bp: memref<?x!I>, %bi: memref<?x!I>,
    %r0: index, %r1: index, %n: index) -> i1 {
  %c16 = arith.constant 16 : index
  func.call @check_both(%ap, %ai, %bp, %bi, %r0, %r1, %n)
      : (memref<?x!I>, memref<?x!I>, memref<?x!I>, memref<?x!I>, index, index, index) -> ()
  %count = func.call @count_rows(%ap, %ai, %bp, %bi, %r0, %r1)
      : (memref<?x!I>, memref<?x!I>, memref<?x!I>, memref<?x!I>, index, index) -> index
  %room = func.call @room_of_rows(%ap, %bp, %r0, %r1) : (memref<?x!I>, memref<?x!I>, index, index) -> index
  %twice = arith.subi %room, %count : index
  %times = arith.muli %twice, %c16 : index
  %many = arith.cmpi ugt, %times, %room : index
  return %many : i1
}

// C = A + B. %n: how many columns they have. The columns of their rows ascend, and those of C.
func.func @csr_add(%ap_: tensor<?x!I>, %ai_: tensor<?x!I>, %ad_: tensor<?x!T>, %bp_: tensor<?x!I>,
    %bi_: tensor<?x!I>, %bd_: tensor<?x!T>, %n: index) -> (tensor<?x!I>, tensor<?x!I>, tensor<?x!T>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : !I
  %ap = bufferization.to_buffer %ap_ read_only : tensor<?x!I> to memref<?x!I>
  %ai = bufferization.to_buffer %ai_ read_only : tensor<?x!I> to memref<?x!I>
  %ad = bufferization.to_buffer %ad_ read_only : tensor<?x!T> to memref<?x!T>
  %bp = bufferization.to_buffer %bp_ read_only : tensor<?x!I> to memref<?x!I>
  %bi = bufferization.to_buffer %bi_ read_only : tensor<?x!I> to memref<?x!I>
  %bd = bufferization.to_buffer %bd_ read_only : tensor<?x!T> to memref<?x!T>
  func.call @check_width(%n) : (index) -> ()
  %m = func.call @check_pair(%ap, %ai, %ad, %bp, %bi, %bd)
      : (memref<?x!I>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!I>, memref<?x!T>) -> index
  %step = func.call @rows_of_pair(%ap, %bp, %m) : (memref<?x!I>, memref<?x!I>, index) -> index
  %blocks = arith.ceildivui %m, %step : index
  // the blocks before the last ones are counted; all where the matrices have many columns in common
  %threads = rt.threads
  %most_share = arith.ceildivui %blocks, %threads : index
  %many = func.call @shares_many(%ap, %ai, %bp, %bi, %m, %step, %n)
      : (memref<?x!I>, memref<?x!I>, memref<?x!I>, memref<?x!I>, index, index, index) -> i1
  %share = arith.select %many, %c0, %most_share : index
  %counted = arith.subi %blocks, %share : index
  %points = arith.addi %counted, %c1 : index
  %begins_size = arith.addi %points, %c1 : index
  %begins = memref.alloc(%begins_size) : memref<?xindex>
  scf.parallel (%block) = (%c0) to (%counted) step (%c1) {
    %r0 = arith.muli %block, %step : index
    %or_more = arith.addi %r0, %step : index
    %r1 = arith.minui %or_more, %m : index
    %count = func.call @count_rows(%ap, %ai, %bp, %bi, %r0, %r1)
        : (memref<?x!I>, memref<?x!I>, memref<?x!I>, memref<?x!I>, index, index) -> index
    memref.store %count, %begins[%block] : memref<?xindex>
  }
  %begin_last = scf.for %block = %c0 to %counted step %c1 iter_args(%sum = %c0) -> (index) {
    %count = memref.load %begins[%block] : memref<?xindex>
    memref.store %sum, %begins[%block] : memref<?xindex>
    %next = arith.addi %sum, %count : index
    scf.yield %next : index
  }
  memref.store %begin_last, %begins[%counted] : memref<?xindex>
  %m1 = arith.addi %m, %c1 : index
  %cp = memref.alloc(%m1) : memref<?x!I>
  memref.store %none, %cp[%c0] : memref<?x!I>
  %first_or_more = arith.muli %counted, %step : index
  %first_last = arith.minui %first_or_more, %m : index
  %room_last = func.call @room_of_rows(%ap, %bp, %first_last, %m)
      : (memref<?x!I>, memref<?x!I>, index, index) -> index
  %room = arith.addi %begin_last, %room_last : index
  memref.store %room, %begins[%points] : memref<?xindex>
  %ci = memref.alloc(%room) : memref<?x!I>
  %cd = memref.alloc(%room) : memref<?x!T>
  %zeros = memref.alloc(%blocks) : memref<?xi1>
  %ends = memref.alloc(%points) : memref<?xindex>
  // the last blocks are one point, which takes as long as all others of a thread: it comes first
  scf.parallel (%point) = (%c0) to (%points) step (%c1) {
    %is_last = arith.cmpi eq, %point, %c0 : index
    %before = arith.subi %point, %c1 : index
    %first = arith.select %is_last, %counted, %before : index
    %behind_last = arith.select %is_last, %blocks, %point : index
    %begin = memref.load %begins[%first] : memref<?xindex>
    %after = arith.addi %first, %c1 : index
    %end = memref.load %begins[%after] : memref<?xindex>
    %behind = scf.for %block = %first to %behind_last step %c1 iter_args(%at = %begin) -> (index) {
      %r0 = arith.muli %block, %step : index
      %or_more = arith.addi %r0, %step : index
      %r1 = arith.minui %or_more, %m : index
      %next, %zero = func.call @write_rows(%ap, %ai, %ad, %bp, %bi, %bd, %cp, %ci, %cd, %r0, %r1, %n, %at, %end,
            %many) : (memref<?x!I>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!I>, memref<?x!T>, memref<?x!I>,
                      memref<?x!I>, memref<?x!T>, index, index, index, index, index, i1) -> (index, i1)
      memref.store %zero, %zeros[%block] : memref<?xi1>
      scf.yield %next : index
    }
    memref.store %behind, %ends[%point] : memref<?xindex>
  }
  %nnz = memref.load %ends[%c0] : memref<?xindex>
  func.call @check_size(%nnz) : (index) -> ()
  %c:3 = func.call @drop_zeros(%cp, %ci, %cd, %m, %step, %zeros)
      : (memref<?x!I>, memref<?x!I>, memref<?x!T>, index, index, memref<?xi1>)
      -> (tensor<?x!I>, tensor<?x!I>, tensor<?x!T>)
  %size_or_none = tensor.extract %c#0[%m] : tensor<?x!I>
  %size = arith.index_castui %size_or_none : !I to index
  %columns = tensor.extract_slice %c#1[0] [%size] [1] : tensor<?x!I> to tensor<?x!I>
  %values = tensor.extract_slice %c#2[0] [%size] [1] : tensor<?x!T> to tensor<?x!T>
  return %c#0, %columns, %values : tensor<?x!I>, tensor<?x!I>, tensor<?x!T>
}
