// csr_spgemm.mlir - the product of two sparse matrices in CSR. Uses lib/csr.mlir and lib/csr_zeros.mlir.
//
// Gustavson's algorithm: row i of C is the sum of the rows of B that row i of A names, each times an element of A. A
// list with a place for each column says where in C the column's element is, if the row has one yet: places before the
// row's first are those of earlier rows, so the list is never cleared. The elements are counted first, by the same list
// of the rows that had a column last. The columns of a row of C stand in the order in which they were met first. Which
// rows of B come next is known from A, so they are prefetched: mostly they are in no near cache.
//
// Blocks of rows, each with a list of its own, are shared among threads. The prelude defines !T, the elements, !I, the
// indices, and arithmetic on !T.

// A list of -1 for each of n columns.
func.func private @no_places(%n: index) -> memref<?x!I> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant -1 : !I
  %places = memref.alloc(%n) : memref<?x!I>
  scf.for %j = %c0 to %n step %c1 {
    memref.store %none, %places[%j] : memref<?x!I>
  }
  return %places : memref<?x!I>
}

// How many columns rows %p to %e - 1 of B have in all, where row %p is that of element %p of A: at least those of C.
func.func private @count_products(%ai: memref<?x!I>, %bp: memref<?x!I>, %p: index, %e: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %k = %p to %e step %c1 iter_args(%s = %c0) -> (index) {
    %row = func.call @pointer(%ai, %k) : (memref<?x!I>, index) -> index
    %row1 = arith.addi %row, %c1 : index
    %begin = func.call @pointer(%bp, %row) : (memref<?x!I>, index) -> index
    %end = func.call @pointer(%bp, %row1) : (memref<?x!I>, index) -> index
    %n = arith.subi %end, %begin : index
    %next = arith.addi %s, %n : index
    scf.yield %next : index
  }
  return %sum : index
}

// The row of B that an element of A some places behind %k names: where its first elements, at most 128, begin, and a
// place in the next line behind them. These are prefetched. %last_a: the last element of A, whose column has been
// checked.
func.func private @row_ahead(%ai: memref<?x!I>, %bp: memref<?x!I>, %k: index, %last_a: index) -> (index, index) {
  %c1 = arith.constant 1 : index
  %ahead = arith.constant 8 : index
  %far = arith.constant 24 : index
  %k2 = arith.addi %k, %far : index
  %later = arith.minui %k2, %last_a : index
  %row_later = func.call @pointer(%ai, %later) : (memref<?x!I>, index) -> index
  memref.prefetch %bp[%row_later], read, locality<3>, data : memref<?x!I> // for a later call
  %c15 = arith.constant 15 : index
  %most = arith.constant 128 : index
  %k1 = arith.addi %k, %ahead : index
  %soon = arith.minui %k1, %last_a : index
  %row = func.call @pointer(%ai, %soon) : (memref<?x!I>, index) -> index
  %row1 = arith.addi %row, %c1 : index
  %begin = func.call @pointer(%bp, %row) : (memref<?x!I>, index) -> index
  %end = func.call @pointer(%bp, %row1) : (memref<?x!I>, index) -> index
  %limit = arith.addi %begin, %most : index
  %near = arith.minui %end, %limit : index
  %behind = arith.addi %near, %c15 : index // the last line too
  return %begin, %behind : index, index
}

// How many elements row %r of C has. %last_a: the last element of A.
func.func private @count_row(%ap: memref<?x!I>, %ai: memref<?x!I>, %bp: memref<?x!I>, %bi: memref<?x!I>,
    %rows: memref<?x!I>, %r: index, %last_a: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %here = arith.index_cast %r : index to !I
  %r1 = arith.addi %r, %c1 : index
  %p = func.call @pointer(%ap, %r) : (memref<?x!I>, index) -> index
  %e = func.call @pointer(%ap, %r1) : (memref<?x!I>, index) -> index
  %size = memref.dim %bi, %c0 : memref<?x!I>
  %last_b = arith.subi %size, %c1 : index
  %count = scf.for %k = %p to %e step %c1 iter_args(%n = %c0) -> (index) {
    %soon:2 = func.call @row_ahead(%ai, %bp, %k, %last_a) : (memref<?x!I>, memref<?x!I>, index, index) -> (index, index)
    scf.for %line = %soon#0 to %soon#1 step %c16 {
      %q = arith.minui %line, %last_b : index
      memref.prefetch %bi[%q], read, locality<3>, data : memref<?x!I>
    }
    %row = func.call @pointer(%ai, %k) : (memref<?x!I>, index) -> index
    %row1 = arith.addi %row, %c1 : index
    %begin = func.call @pointer(%bp, %row) : (memref<?x!I>, index) -> index
    %end = func.call @pointer(%bp, %row1) : (memref<?x!I>, index) -> index
    %more = scf.for %q = %begin to %end step %c1 iter_args(%c = %n) -> (index) {
      %j = func.call @pointer(%bi, %q) : (memref<?x!I>, index) -> index
      %last = memref.load %rows[%j] : memref<?x!I>
      memref.store %here, %rows[%j] : memref<?x!I>
      %new = arith.cmpi ne, %last, %here : !I
      %one = arith.extui %new : i1 to i64
      %step = arith.index_cast %one : i64 to index
      %next = arith.addi %c, %step : index
      scf.yield %next : index
    }
    scf.yield %more : index
  }
  return %count : index
}

// Writes row %r of C from place %first on. %last_a: the last element of A.
func.func private @fill_row(%ap: memref<?x!I>, %ai: memref<?x!I>, %ad: memref<?x!T>, %bp: memref<?x!I>,
    %bi: memref<?x!I>, %bd: memref<?x!T>, %ci: memref<?x!I>, %cd: memref<?x!T>, %places: memref<?x!I>, %r: index,
    %first: !I, %last_a: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %one = arith.constant 1 : !I
  %r1 = arith.addi %r, %c1 : index
  %p = func.call @pointer(%ap, %r) : (memref<?x!I>, index) -> index
  %e = func.call @pointer(%ap, %r1) : (memref<?x!I>, index) -> index
  %size = memref.dim %bi, %c0 : memref<?x!I>
  %last_b = arith.subi %size, %c1 : index
  %behind = scf.for %k = %p to %e step %c1 iter_args(%o = %first) -> (!I) {
    %soon:2 = func.call @row_ahead(%ai, %bp, %k, %last_a) : (memref<?x!I>, memref<?x!I>, index, index) -> (index, index)
    scf.for %line = %soon#0 to %soon#1 step %c16 {
      %half = arith.addi %line, %c8 : index
      %q = arith.minui %line, %last_b : index
      %q1 = arith.minui %half, %last_b : index
      memref.prefetch %bi[%q], read, locality<3>, data : memref<?x!I>
      memref.prefetch %bd[%q], read, locality<3>, data : memref<?x!T>
      memref.prefetch %bd[%q1], read, locality<3>, data : memref<?x!T>
    }
    %row = func.call @pointer(%ai, %k) : (memref<?x!I>, index) -> index
    %a = memref.load %ad[%k] : memref<?x!T>
    %row1 = arith.addi %row, %c1 : index
    %begin = func.call @pointer(%bp, %row) : (memref<?x!I>, index) -> index
    %end = func.call @pointer(%bp, %row1) : (memref<?x!I>, index) -> index
    %more = scf.for %q = %begin to %end step %c1 iter_args(%at = %o) -> (!I) {
      %column = memref.load %bi[%q] : memref<?x!I>
      %j = arith.index_castui %column : !I to index
      %b = memref.load %bd[%q] : memref<?x!T>
      %product = func.call @times(%a, %b) : (!T, !T) -> !T
      %place = memref.load %places[%j] : memref<?x!I>
      %new = arith.cmpi slt, %place, %first : !I
      %next = scf.if %new -> (!I) {
        %to = arith.index_castui %at : !I to index
        memref.store %at, %places[%j] : memref<?x!I>
        memref.store %column, %ci[%to] : memref<?x!I>
        memref.store %product, %cd[%to] : memref<?x!T>
        %at1 = arith.addi %at, %one : !I
        scf.yield %at1 : !I
      } else {
        %to = arith.index_castui %place : !I to index
        %sum = memref.load %cd[%to] : memref<?x!T>
        %with = func.call @plus(%sum, %product) : (!T, !T) -> !T
        memref.store %with, %cd[%to] : memref<?x!T>
        scf.yield %at : !I
      }
      scf.yield %next : !I
    }
    scf.yield %more : !I
  }
  return
}

// C = A B. %n: how many columns B has. Elements of C that are zero are left out.
func.func @csr_spgemm(%ap_: tensor<?x!I>, %ai_: tensor<?x!I>, %ad_: tensor<?x!T>, %bp_: tensor<?x!I>,
    %bi_: tensor<?x!I>, %bd_: tensor<?x!T>, %n: index) -> (tensor<?x!I>, tensor<?x!I>, tensor<?x!T>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %most_blocks = arith.constant 64 : index
  %no = arith.constant false
  %ap = bufferization.to_buffer %ap_ read_only : tensor<?x!I> to memref<?x!I>
  %ai = bufferization.to_buffer %ai_ read_only : tensor<?x!I> to memref<?x!I>
  %ad = bufferization.to_buffer %ad_ read_only : tensor<?x!T> to memref<?x!T>
  %bp = bufferization.to_buffer %bp_ read_only : tensor<?x!I> to memref<?x!I>
  %bi = bufferization.to_buffer %bi_ read_only : tensor<?x!I> to memref<?x!I>
  %bd = bufferization.to_buffer %bd_ read_only : tensor<?x!T> to memref<?x!T>
  func.call @check_width(%n) : (index) -> ()
  %m = func.call @check_rows(%ap, %ai, %ad, %c0) : (memref<?x!I>, memref<?x!I>, memref<?x!T>, index) -> index
  %inner = func.call @check_rows(%bp, %bi, %bd, %c1) : (memref<?x!I>, memref<?x!I>, memref<?x!T>, index) -> index
  func.call @check_columns(%ap, %ai, %c0, %m, %inner, %c0)
      : (memref<?x!I>, memref<?x!I>, index, index, index, index) -> ()
  func.call @check_columns(%bp, %bi, %c0, %inner, %n, %c1)
      : (memref<?x!I>, memref<?x!I>, index, index, index, index) -> ()
  %nnz_a = func.call @pointer(%ap, %m) : (memref<?x!I>, index) -> index
  %last_a = arith.subi %nnz_a, %c1 : index
  %products = func.call @count_products(%ai, %bp, %c0, %nnz_a) : (memref<?x!I>, memref<?x!I>, index, index) -> index
  // a list takes less time to make than the products of its block
  %some = arith.maxui %n, %c1 : index
  %worth = arith.divui %products, %some : index
  %few = arith.minui %worth, %most_blocks : index
  %wanted = arith.maxui %few, %c1 : index
  %step_or_none = arith.ceildivui %m, %wanted : index
  %step = arith.maxui %step_or_none, %c1 : index
  %blocks = arith.ceildivui %m, %step : index
  %counts = memref.alloc(%m) : memref<?xindex>
  scf.parallel (%block) = (%c0) to (%blocks) step (%c1) {
    %r0 = arith.muli %block, %step : index
    %or_more = arith.addi %r0, %step : index
    %r1 = arith.minui %or_more, %m : index
    %rows = func.call @no_places(%n) : (index) -> memref<?x!I>
    scf.for %r = %r0 to %r1 step %c1 {
      %count = func.call @count_row(%ap, %ai, %bp, %bi, %rows, %r, %last_a)
          : (memref<?x!I>, memref<?x!I>, memref<?x!I>, memref<?x!I>, memref<?x!I>, index, index) -> index
      memref.store %count, %counts[%r] : memref<?xindex>
    }
    memref.dealloc %rows : memref<?x!I>
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
    %places = func.call @no_places(%n) : (index) -> memref<?x!I>
    %some_zero = scf.for %r = %r0 to %r1 step %c1 iter_args(%found = %no) -> (i1) {
      %first = memref.load %cp[%r] : memref<?x!I>
      func.call @fill_row(%ap, %ai, %ad, %bp, %bi, %bd, %ci, %cd, %places, %r, %first, %last_a)
          : (memref<?x!I>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!I>, memref<?x!T>, memref<?x!I>,
             memref<?x!T>, memref<?x!I>, index, !I, index) -> ()
      %next = arith.addi %r, %c1 : index
      %begin = func.call @pointer(%cp, %r) : (memref<?x!I>, index) -> index
      %end = func.call @pointer(%cp, %next) : (memref<?x!I>, index) -> index
      %empty = func.call @has_zero(%cd, %begin, %end) : (memref<?x!T>, index, index) -> i1
      %any = arith.ori %found, %empty : i1
      scf.yield %any : i1
    }
    memref.store %some_zero, %zeros[%block] : memref<?xi1>
    memref.dealloc %places : memref<?x!I>
  }
  %c:3 = func.call @drop_zeros(%cp, %ci, %cd, %m, %step, %zeros)
      : (memref<?x!I>, memref<?x!I>, memref<?x!T>, index, index, memref<?xi1>)
      -> (tensor<?x!I>, tensor<?x!I>, tensor<?x!T>)
  return %c#0, %c#1, %c#2 : tensor<?x!I>, tensor<?x!I>, tensor<?x!T>
}
