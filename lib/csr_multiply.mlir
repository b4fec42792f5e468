// csr_multiply.mlir - the element-wise product of two sparse matrices in CSR. Uses lib/csr.mlir, lib/csr_merge.mlir and
// lib/csr_rows.mlir.
//
// Products are of the columns that both matrices have: they are written behind each other for each block of rows, and
// moved to their places once it is known how many there are.
//
// As in SciPy, an element without one in the other matrix is multiplied by zero: infinities and NaN then give NaN. A
// block of rows that has one of them is merged by @merge_row.
//
// The prelude defines !T, the elements, !I, the indices, and arithmetic on !T.

func.func private @combine(%a: !T, %b: !T) -> !T {
  %product = func.call @times(%a, %b) : (!T, !T) -> !T
  return %product : !T
}

// Whether the products of elements with zero are not zero.
func.func private @special(%v: vector<16x!T>) -> vector<16xi1> {
  %zero = func.call @zero() : () -> !T
  %zeros = vector.broadcast %zero : !T to vector<16x!T>
  %product = func.call @times_16(%v, %zeros) : (vector<16x!T>, vector<16x!T>) -> vector<16x!T>
  %special = func.call @not_zero_16(%product) : (vector<16x!T>) -> vector<16xi1>
  return %special : vector<16xi1>
}

// Whether one of elements %begin to %end - 1 has a product with zero that is not zero.
func.func private @has_special(%data: memref<?x!T>, %begin: index, %end: index) -> i1 {
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<false> : vector<16xi1>
  %zero = func.call @zero() : () -> !T
  %zeros = vector.broadcast %zero : !T to vector<16x!T>
  %found = scf.for %p = %begin to %end step %c16 iter_args(%acc = %none) -> (vector<16xi1>) {
    %rest = arith.subi %end, %p : index
    %mask = vector.create_mask %rest : vector<16xi1>
    %v = vector.maskedload %data[%p], %mask, %zeros : memref<?x!T>, vector<16xi1>, vector<16x!T> into vector<16x!T>
    %special = func.call @special(%v) : (vector<16x!T>) -> vector<16xi1>
    %here = arith.andi %special, %mask : vector<16xi1>
    %next = arith.ori %acc, %here : vector<16xi1>
    scf.yield %next : vector<16xi1>
  }
  %any = vector.reduction <or>, %found : vector<16xi1> into i1
  return %any : i1
}

// The products of the columns that two blocks of 16 have in common go to place %at and behind it, but for those that
// are zero. The place behind the last. More than %p - %at places may be written.
func.func private @multiply_blocks(%ai: memref<?x!I>, %ad: memref<?x!T>, %bi: memref<?x!I>, %bd: memref<?x!T>,
    %ci: memref<?x!I>, %cd: memref<?x!T>, %p: index, %na: index, %q: index, %nb: index, %at: index) -> index {
  %c1 = arith.constant 1 : index
  %last = arith.subi %nb, %c1 : index
  %end = arith.addi %p, %na : index
  %b = func.call @block(%bi, %q, %nb) : (memref<?x!I>, index, index) -> vector<16x!I>
  %behind = scf.for %k = %p to %end step %c1 iter_args(%o = %at) -> (index) {
    %column = memref.load %ai[%k] : memref<?x!I>
    %equal = func.call @is_equal(%b, %column) : (vector<16x!I>, !I) -> vector<16xi1>
    %shared = vector.reduction <or>, %equal : vector<16xi1> into i1
    %less = func.call @count_less(%b, %column) : (vector<16x!I>, !I) -> index
    %lane = arith.minui %less, %last : index
    %other = arith.addi %q, %lane : index
    %va = memref.load %ad[%k] : memref<?x!T>
    %vb = memref.load %bd[%other] : memref<?x!T>
    %v = func.call @times(%va, %vb) : (!T, !T) -> !T
    memref.store %column, %ci[%o] : memref<?x!I>
    memref.store %v, %cd[%o] : memref<?x!T>
    %filled = func.call @not_zero(%v) : (!T) -> i1
    %kept = arith.andi %shared, %filled : i1
    %one = arith.extui %kept : i1 to i64
    %step = arith.index_cast %one : i64 to index
    %next = arith.addi %o, %step : index
    scf.yield %next : index
  } {noria.loop = {vectorize = false}}
  return %behind : index
}

// The same for two rows.
func.func private @multiply_row(%ai: memref<?x!I>, %ad: memref<?x!T>, %bi: memref<?x!I>, %bd: memref<?x!T>,
    %ci: memref<?x!I>, %cd: memref<?x!T>, %pa: index, %ea: index, %pb: index, %eb: index, %at: index) -> index {
  %c16 = arith.constant 16 : index
  %all:3 = scf.while (%p = %pa, %q = %pb, %o = %at) : (index, index, index) -> (index, index, index) {
    %left = func.call @both_left(%p, %ea, %q, %eb) : (index, index, index, index) -> i1
    scf.condition(%left) %p, %q, %o : index, index, index
  } do {
  ^bb0(%p: index, %q: index, %o: index):
    %rest_a = arith.subi %ea, %p : index
    %rest_b = arith.subi %eb, %q : index
    %na = arith.minui %rest_a, %c16 : index
    %nb = arith.minui %rest_b, %c16 : index
    func.call @prefetch_columns(%ai, %p) : (memref<?x!I>, index) -> ()
    func.call @prefetch_columns(%bi, %q) : (memref<?x!I>, index) -> ()
    func.call @prefetch_values(%ad, %p) : (memref<?x!T>, index) -> ()
    func.call @prefetch_values(%bd, %q) : (memref<?x!T>, index) -> ()
    %a = func.call @block(%ai, %p, %na) : (memref<?x!I>, index, index) -> vector<16x!I>
    %shared = func.call @is_among(%a, %na, %bi, %q, %nb)
        : (vector<16x!I>, index, memref<?x!I>, index, index) -> vector<16xi1>
    %some = vector.reduction <or>, %shared : vector<16xi1> into i1
    %behind = scf.if %some -> (index) {
      %to = func.call @multiply_blocks(%ai, %ad, %bi, %bd, %ci, %cd, %p, %na, %q, %nb, %o)
          : (memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, index, index, index,
             index, index) -> index
      scf.yield %to : index
    } else {
      scf.yield %o : index
    }
    %after:2 = func.call @next_blocks(%ai, %p, %na, %bi, %q, %nb)
        : (memref<?x!I>, index, index, memref<?x!I>, index, index) -> (index, index)
    scf.yield %after#0, %after#1, %behind : index, index, index
  }
  return %all#2 : index
}

// Checks rows %r0 to %r1 - 1 of both matrices, counts the elements of the result, and writes them from the place of row
// %r0 in a on, unless some may be of one matrix alone: whether that is so.
func.func private @multiply_rows(%ap: memref<?x!I>, %ai: memref<?x!I>, %ad: memref<?x!T>, %bp: memref<?x!I>,
    %bi: memref<?x!I>, %bd: memref<?x!T>, %ci: memref<?x!I>, %cd: memref<?x!T>, %r0: index, %r1: index, %n: index,
    %counts: memref<?xindex>) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %no = arith.constant false
  func.call @check_order(%ap, %ai, %r0, %r1, %n, %c0)
      : (memref<?x!I>, memref<?x!I>, index, index, index, index) -> ()
  func.call @check_order(%bp, %bi, %r0, %r1, %n, %c1)
      : (memref<?x!I>, memref<?x!I>, index, index, index, index) -> ()
  %a0 = func.call @pointer(%ap, %r0) : (memref<?x!I>, index) -> index
  %a1 = func.call @pointer(%ap, %r1) : (memref<?x!I>, index) -> index
  %b0 = func.call @pointer(%bp, %r0) : (memref<?x!I>, index) -> index
  %b1 = func.call @pointer(%bp, %r1) : (memref<?x!I>, index) -> index
  %special_a = func.call @has_special(%ad, %a0, %a1) : (memref<?x!T>, index, index) -> i1
  %special_b = func.call @has_special(%bd, %b0, %b1) : (memref<?x!T>, index, index) -> i1
  %special = arith.ori %special_a, %special_b : i1
  %all = scf.for %r = %r0 to %r1 step %c1 iter_args(%o = %a0) -> (index) {
    %next = arith.addi %r, %c1 : index
    %pa = func.call @pointer(%ap, %r) : (memref<?x!I>, index) -> index
    %ea = func.call @pointer(%ap, %next) : (memref<?x!I>, index) -> index
    %pb = func.call @pointer(%bp, %r) : (memref<?x!I>, index) -> index
    %eb = func.call @pointer(%bp, %next) : (memref<?x!I>, index) -> index
    %behind = scf.if %special -> (index) {
      %to = func.call @merge_row(%ai, %ad, %bi, %bd, %ci, %cd, %pa, %ea, %pb, %eb, %o, %no)
          : (memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, index, index, index,
             index, index, i1) -> index
      scf.yield %to : index
    } else {
      %to = func.call @multiply_row(%ai, %ad, %bi, %bd, %ci, %cd, %pa, %ea, %pb, %eb, %o)
          : (memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, index, index, index,
             index, index) -> index
      scf.yield %to : index
    }
    %count = arith.subi %behind, %o : index
    memref.store %count, %counts[%r] : memref<?xindex>
    scf.yield %behind : index
  }
  return %special : i1
}

// Elements %from and those behind it go to places %to to %end - 1.
func.func private @move(%si: memref<?x!I>, %sd: memref<?x!T>, %from: index, %ci: memref<?x!I>, %cd: memref<?x!T>,
    %to: index, %end: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.subi %end, %to : index
  scf.for %i = %c0 to %n step %c1 {
    %p = arith.addi %from, %i overflow<nsw, nuw> : index
    %o = arith.addi %to, %i overflow<nsw, nuw> : index
    %j = memref.load %si[%p] : memref<?x!I>
    %v = memref.load %sd[%p] : memref<?x!T>
    memref.store %j, %ci[%o] : memref<?x!I>
    memref.store %v, %cd[%o] : memref<?x!T>
  }
  return
}

// Writes rows %r0 to %r1 - 1 of the result.
func.func private @merge_rows(%ap: memref<?x!I>, %ai: memref<?x!I>, %ad: memref<?x!T>, %bp: memref<?x!I>,
    %bi: memref<?x!I>, %bd: memref<?x!T>, %cp: memref<?x!I>, %ci: memref<?x!I>, %cd: memref<?x!T>, %r0: index,
    %r1: index) {
  %c1 = arith.constant 1 : index
  %yes = arith.constant true
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
      %behind = func.call @merge_row(%ai, %ad, %bi, %bd, %ci, %cd, %pa, %ea, %pb, %eb, %at, %yes)
          : (memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, index, index, index,
             index, index, i1) -> index
    }
  }
  return
}

// C = A * B, element by element. %n: how many columns they have. The columns of their rows ascend, and those of C.
func.func @csr_multiply(%ap_: tensor<?x!I>, %ai_: tensor<?x!I>, %ad_: tensor<?x!T>, %bp_: tensor<?x!I>,
    %bi_: tensor<?x!I>, %bd_: tensor<?x!T>, %n: index) -> (tensor<?x!I>, tensor<?x!I>, tensor<?x!T>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
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
  %nnz_a = func.call @pointer(%ap, %m) : (memref<?x!I>, index) -> index
  %counts = memref.alloc(%m) : memref<?xindex>
  %specials = memref.alloc(%blocks) : memref<?xi1>
  %si = memref.alloc(%nnz_a) : memref<?x!I>
  %sd = memref.alloc(%nnz_a) : memref<?x!T>
  scf.parallel (%block) = (%c0) to (%blocks) step (%c1) {
    %r0 = arith.muli %block, %step : index
    %or_more = arith.addi %r0, %step : index
    %r1 = arith.minui %or_more, %m : index
    %special = func.call @multiply_rows(%ap, %ai, %ad, %bp, %bi, %bd, %si, %sd, %r0, %r1, %n, %counts)
        : (memref<?x!I>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!I>, memref<?x!T>, memref<?x!I>,
           memref<?x!T>, index, index, index, memref<?xindex>) -> i1
    memref.store %special, %specials[%block] : memref<?xi1>
  }
  %m1 = arith.addi %m, %c1 : index
  %cp = memref.alloc(%m1) : memref<?x!I>
  %nnz = func.call @sum_counts(%counts, %cp, %m) : (memref<?xindex>, memref<?x!I>, index) -> index
  %ci = memref.alloc(%nnz) : memref<?x!I>
  %cd = memref.alloc(%nnz) : memref<?x!T>
  scf.parallel (%block) = (%c0) to (%blocks) step (%c1) {
    %r0 = arith.muli %block, %step : index
    %or_more = arith.addi %r0, %step : index
    %r1 = arith.minui %or_more, %m : index
    %special = memref.load %specials[%block] : memref<?xi1>
    scf.if %special {
      func.call @merge_rows(%ap, %ai, %ad, %bp, %bi, %bd, %cp, %ci, %cd, %r0, %r1)
          : (memref<?x!I>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!I>, memref<?x!T>, memref<?x!I>,
             memref<?x!I>, memref<?x!T>, index, index) -> ()
    } else {
      %from = func.call @pointer(%ap, %r0) : (memref<?x!I>, index) -> index
      %to = func.call @pointer(%cp, %r0) : (memref<?x!I>, index) -> index
      %end = func.call @pointer(%cp, %r1) : (memref<?x!I>, index) -> index
      func.call @move(%si, %sd, %from, %ci, %cd, %to, %end)
          : (memref<?x!I>, memref<?x!T>, index, memref<?x!I>, memref<?x!T>, index, index) -> ()
    }
  }
  %rows_c = bufferization.to_tensor %cp : memref<?x!I> to tensor<?x!I>
  %columns_c = bufferization.to_tensor %ci : memref<?x!I> to tensor<?x!I>
  %values_c = bufferization.to_tensor %cd : memref<?x!T> to tensor<?x!T>
  return %rows_c, %columns_c, %values_c : tensor<?x!I>, tensor<?x!I>, tensor<?x!T>
}
