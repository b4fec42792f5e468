// csr_add.mlir - the sum of two sparse matrices in CSR. Uses lib/csr.mlir, lib/csr_merge.mlir and lib/csr_zeros.mlir.
//
// Columns that both matrices have are counted first, so that the result has its size before it is written. Rows are
// written as if no sum were zero; where some are, they are removed at the end.
//
// Rows are merged in steps of at most 16 elements of each. A step compares its columns of one matrix with those of the
// other, all with all: where an element goes is its place among its own and the number of those of the other that are
// less. So no branch depends on how the columns of the two rows follow each other.
//
// The prelude defines !T, the elements, !I, the indices, and arithmetic on !T.

// Writes elements %p to %p + %n - 1 of one matrix, at most 16, to their places behind %at. %others: the columns of the
// other matrix that have places of their own.
func.func private @write_step(%indices: memref<?x!I>, %data: memref<?x!T>, %p: index, %n: index,
    %others: vector<16x!I>, %ci: memref<?x!I>, %cd: memref<?x!T>, %at: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %from = arith.addi %p, %i overflow<nsw, nuw> : index
    %column = memref.load %indices[%from] : memref<?x!I>
    %value = memref.load %data[%from] : memref<?x!T>
    %less = func.call @count_less(%others, %column) : (vector<16x!I>, !I) -> index
    %own = arith.addi %at, %i : index
    %o = arith.addi %own, %less : index
    memref.store %column, %ci[%o] : memref<?x!I>
    memref.store %value, %cd[%o] : memref<?x!T>
  } {noria.loop = {vectorize = false}} // scattered stores of lanes are slower
  return
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

// Merges elements %p to %p + %n - 1 of a and %q to %q + %k - 1 of b, at most 16 of each, which have no column in common,
// from place %at on. The place behind the last.
func.func private @merge_different(%ai: memref<?x!I>, %ad: memref<?x!T>, %bi: memref<?x!I>, %bd: memref<?x!T>,
    %ci: memref<?x!I>, %cd: memref<?x!T>, %p: index, %n: index, %q: index, %k: index, %at: index) -> index {
  %a = func.call @block(%ai, %p, %n) : (memref<?x!I>, index, index) -> vector<16x!I>
  %b = func.call @block(%bi, %q, %k) : (memref<?x!I>, index, index) -> vector<16x!I>
  func.call @write_step(%ai, %ad, %p, %n, %b, %ci, %cd, %at)
      : (memref<?x!I>, memref<?x!T>, index, index, vector<16x!I>, memref<?x!I>, memref<?x!T>, index) -> ()
  func.call @write_step(%bi, %bd, %q, %k, %a, %ci, %cd, %at)
      : (memref<?x!I>, memref<?x!T>, index, index, vector<16x!I>, memref<?x!I>, memref<?x!T>, index) -> ()
  %both = arith.addi %n, %k : index
  %behind = arith.addi %at, %both : index
  return %behind : index
}

// The same where they may have columns in common. A place counts only those of the others that stand alone.
func.func private @merge_shared(%ai: memref<?x!I>, %ad: memref<?x!T>, %bi: memref<?x!I>, %bd: memref<?x!T>,
    %ci: memref<?x!I>, %cd: memref<?x!T>, %p: index, %n: index, %q: index, %k: index, %at: index) -> index {
  %none = arith.constant dense<-1> : vector<16x!I>
  %a = func.call @block(%ai, %p, %n) : (memref<?x!I>, index, index) -> vector<16x!I>
  %b = func.call @block(%bi, %q, %k) : (memref<?x!I>, index, index) -> vector<16x!I>
  %shared_a = func.call @is_among(%a, %n, %bi, %q, %k)
      : (vector<16x!I>, index, memref<?x!I>, index, index) -> vector<16xi1>
  %shared_b = func.call @is_among(%b, %k, %ai, %p, %n)
      : (vector<16x!I>, index, memref<?x!I>, index, index) -> vector<16xi1>
  %alone_a = arith.select %shared_a, %none, %a : vector<16xi1>, vector<16x!I>
  %alone_b = arith.select %shared_b, %none, %b : vector<16xi1>, vector<16x!I>
  func.call @write_step(%ai, %ad, %p, %n, %alone_b, %ci, %cd, %at)
      : (memref<?x!I>, memref<?x!T>, index, index, vector<16x!I>, memref<?x!I>, memref<?x!T>, index) -> ()
  func.call @add_step(%bi, %bd, %q, %k, %alone_a, %a, %ci, %cd, %at)
      : (memref<?x!I>, memref<?x!T>, index, index, vector<16x!I>, vector<16x!I>, memref<?x!I>, memref<?x!T>, index)
      -> ()
  %twice = func.call @count_lanes(%shared_b) : (vector<16xi1>) -> index
  %both = arith.addi %n, %k : index
  %count = arith.subi %both, %twice : index
  %behind = arith.addi %at, %count : index
  return %behind : index
}

// Merges elements %pa to %ea - 1 of a and %pb to %eb - 1 of b, two rows that have no column in common, from place %at on.
func.func private @write_different(%ai: memref<?x!I>, %ad: memref<?x!T>, %bi: memref<?x!I>, %bd: memref<?x!T>,
    %ci: memref<?x!I>, %cd: memref<?x!T>, %pa: index, %ea: index, %pb: index, %eb: index, %at: index) {
  %merged:3 = scf.while (%p = %pa, %q = %pb, %o = %at) : (index, index, index) -> (index, index, index) {
    %a_left = arith.cmpi ult, %p, %ea : index
    %b_left = arith.cmpi ult, %q, %eb : index
    %left = arith.ori %a_left, %b_left : i1
    scf.condition(%left) %p, %q, %o : index, index, index
  } do {
  ^bb0(%p: index, %q: index, %o: index):
    %n:2 = func.call @step_of_rows(%ai, %p, %ea, %bi, %q, %eb)
        : (memref<?x!I>, index, index, memref<?x!I>, index, index) -> (index, index)
    %behind = func.call @merge_different(%ai, %ad, %bi, %bd, %ci, %cd, %p, %n#0, %q, %n#1, %o)
        : (memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, index, index, index,
           index, index) -> index
    %next_p = arith.addi %p, %n#0 : index
    %next_q = arith.addi %q, %n#1 : index
    scf.yield %next_p, %next_q, %behind : index, index, index
  }
  return
}

// The same where they have some.
func.func private @write_shared(%ai: memref<?x!I>, %ad: memref<?x!T>, %bi: memref<?x!I>, %bd: memref<?x!T>,
    %ci: memref<?x!I>, %cd: memref<?x!T>, %pa: index, %ea: index, %pb: index, %eb: index, %at: index) {
  %merged:3 = scf.while (%p = %pa, %q = %pb, %o = %at) : (index, index, index) -> (index, index, index) {
    %a_left = arith.cmpi ult, %p, %ea : index
    %b_left = arith.cmpi ult, %q, %eb : index
    %left = arith.ori %a_left, %b_left : i1
    scf.condition(%left) %p, %q, %o : index, index, index
  } do {
  ^bb0(%p: index, %q: index, %o: index):
    %n:2 = func.call @step_of_rows(%ai, %p, %ea, %bi, %q, %eb)
        : (memref<?x!I>, index, index, memref<?x!I>, index, index) -> (index, index)
    %behind = func.call @merge_shared(%ai, %ad, %bi, %bd, %ci, %cd, %p, %n#0, %q, %n#1, %o)
        : (memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, index, index, index,
           index, index) -> index
    %next_p = arith.addi %p, %n#0 : index
    %next_q = arith.addi %q, %n#1 : index
    scf.yield %next_p, %next_q, %behind : index, index, index
  }
  return
}

// How many columns two rows have in common.
func.func private @count_common(%ai: memref<?x!I>, %pa: index, %ea: index, %bi: memref<?x!I>, %pb: index, %eb: index)
    -> index {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %all:3 = scf.while (%p = %pa, %q = %pb, %sum = %c0) : (index, index, index) -> (index, index, index) {
    %a_left = arith.cmpi ult, %p, %ea : index
    %b_left = arith.cmpi ult, %q, %eb : index
    %left = arith.andi %a_left, %b_left : i1
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

// Checks rows %r0 to %r1 - 1 of both matrices, and counts the elements that their sums have, zeros too.
func.func private @count_rows(%ap: memref<?x!I>, %ai: memref<?x!I>, %bp: memref<?x!I>, %bi: memref<?x!I>, %r0: index,
    %r1: index, %n: index, %counts: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  func.call @check_order(%ap, %ai, %r0, %r1, %n, %c0)
      : (memref<?x!I>, memref<?x!I>, index, index, index, index) -> ()
  func.call @check_order(%bp, %bi, %r0, %r1, %n, %c1)
      : (memref<?x!I>, memref<?x!I>, index, index, index, index) -> ()
  scf.for %r = %r0 to %r1 step %c1 {
    %next = arith.addi %r, %c1 : index
    %pa = func.call @pointer(%ap, %r) : (memref<?x!I>, index) -> index
    %ea = func.call @pointer(%ap, %next) : (memref<?x!I>, index) -> index
    %pb = func.call @pointer(%bp, %r) : (memref<?x!I>, index) -> index
    %eb = func.call @pointer(%bp, %next) : (memref<?x!I>, index) -> index
    %twice = func.call @count_common(%ai, %pa, %ea, %bi, %pb, %eb)
        : (memref<?x!I>, index, index, memref<?x!I>, index, index) -> index
    %na = arith.subi %ea, %pa : index
    %nb = arith.subi %eb, %pb : index
    %all = arith.addi %na, %nb : index
    %count = arith.subi %all, %twice : index
    memref.store %count, %counts[%r] : memref<?xindex>
  }
  return
}

// Writes rows %r0 to %r1 - 1 of the result. Whether one of its elements is zero.
func.func private @write_rows(%ap: memref<?x!I>, %ai: memref<?x!I>, %ad: memref<?x!T>, %bp: memref<?x!I>,
    %bi: memref<?x!I>, %bd: memref<?x!T>, %cp: memref<?x!I>, %ci: memref<?x!I>, %cd: memref<?x!T>, %r0: index,
    %r1: index) -> i1 {
  %c1 = arith.constant 1 : index
  scf.for %r = %r0 to %r1 step %c1 {
    %next = arith.addi %r, %c1 : index
    %pa = func.call @pointer(%ap, %r) : (memref<?x!I>, index) -> index
    %ea = func.call @pointer(%ap, %next) : (memref<?x!I>, index) -> index
    %pb = func.call @pointer(%bp, %r) : (memref<?x!I>, index) -> index
    %eb = func.call @pointer(%bp, %next) : (memref<?x!I>, index) -> index
    %at = func.call @pointer(%cp, %r) : (memref<?x!I>, index) -> index
    %end = func.call @pointer(%cp, %next) : (memref<?x!I>, index) -> index
    %na = arith.subi %ea, %pa : index
    %nb = arith.subi %eb, %pb : index
    %all = arith.addi %na, %nb : index
    %count = arith.subi %end, %at : index
    %some = arith.cmpi ne, %count, %all : index
    scf.if %some {
      func.call @write_shared(%ai, %ad, %bi, %bd, %ci, %cd, %pa, %ea, %pb, %eb, %at)
          : (memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, index, index, index,
             index, index) -> ()
    } else {
      func.call @write_different(%ai, %ad, %bi, %bd, %ci, %cd, %pa, %ea, %pb, %eb, %at)
          : (memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, index, index, index,
             index, index) -> ()
    }
  }
  %begin = func.call @pointer(%cp, %r0) : (memref<?x!I>, index) -> index
  %behind = func.call @pointer(%cp, %r1) : (memref<?x!I>, index) -> index
  %zero = func.call @has_zero(%cd, %begin, %behind) : (memref<?x!T>, index, index) -> i1
  return %zero : i1
}

// C = A + B. %n: how many columns they have. The columns of their rows ascend, and those of C.
func.func @csr_add(%ap_: tensor<?x!I>, %ai_: tensor<?x!I>, %ad_: tensor<?x!T>, %bp_: tensor<?x!I>,
    %bi_: tensor<?x!I>, %bd_: tensor<?x!T>, %n: index) -> (tensor<?x!I>, tensor<?x!I>, tensor<?x!T>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ap = bufferization.to_buffer %ap_ read_only : tensor<?x!I> to memref<?x!I>
  %ai = bufferization.to_buffer %ai_ read_only : tensor<?x!I> to memref<?x!I>
  %ad = bufferization.to_buffer %ad_ read_only : tensor<?x!T> to memref<?x!T>
  %bp = bufferization.to_buffer %bp_ read_only : tensor<?x!I> to memref<?x!I>
  %bi = bufferization.to_buffer %bi_ read_only : tensor<?x!I> to memref<?x!I>
  %bd = bufferization.to_buffer %bd_ read_only : tensor<?x!T> to memref<?x!T>
  %m = func.call @check_pair(%ap, %ai, %ad, %bp, %bi, %bd)
      : (memref<?x!I>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!I>, memref<?x!T>) -> index
  %step = func.call @rows_of_pair(%ap, %bp, %m) : (memref<?x!I>, memref<?x!I>, index) -> index
  %blocks = arith.ceildivui %m, %step : index
  %counts = memref.alloc(%m) : memref<?xindex>
  scf.parallel (%block) = (%c0) to (%blocks) step (%c1) {
    %r0 = arith.muli %block, %step : index
    %or_more = arith.addi %r0, %step : index
    %r1 = arith.minui %or_more, %m : index
    func.call @count_rows(%ap, %ai, %bp, %bi, %r0, %r1, %n, %counts)
        : (memref<?x!I>, memref<?x!I>, memref<?x!I>, memref<?x!I>, index, index, index, memref<?xindex>) -> ()
  }
  %m1 = arith.addi %m, %c1 : index
  %cp = memref.alloc(%m1) : memref<?x!I>
  %nnz = func.call @sum_counts(%counts, %cp, %m) : (memref<?xindex>, memref<?x!I>, index) -> index
  %ci = memref.alloc(%nnz) : memref<?x!I>
  %cd = memref.alloc(%nnz) : memref<?x!T>
  %zeros = memref.alloc(%blocks) : memref<?xi1>
  scf.parallel (%block) = (%c0) to (%blocks) step (%c1) {
    %r0 = arith.muli %block, %step : index
    %or_more = arith.addi %r0, %step : index
    %r1 = arith.minui %or_more, %m : index
    %zero = func.call @write_rows(%ap, %ai, %ad, %bp, %bi, %bd, %cp, %ci, %cd, %r0, %r1)
        : (memref<?x!I>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!I>, memref<?x!T>, memref<?x!I>,
           memref<?x!I>, memref<?x!T>, index, index) -> i1
    memref.store %zero, %zeros[%block] : memref<?xi1>
  }
  %c:3 = func.call @drop_zeros(%cp, %ci, %cd, %m, %step, %zeros)
      : (memref<?x!I>, memref<?x!I>, memref<?x!T>, index, index, memref<?xi1>)
      -> (tensor<?x!I>, tensor<?x!I>, tensor<?x!T>)
  return %c#0, %c#1, %c#2 : tensor<?x!I>, tensor<?x!I>, tensor<?x!T>
}
