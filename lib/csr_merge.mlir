// csr_merge.mlir - what the element-wise kernels on two CSR matrices share. Not a kernel. Uses lib/csr.mlir,
// lib/csr_count.mlir and lib/csr_rows.mlir.
//
// Row by row, the sorted columns of both matrices are merged. Of each column that one of them has, @combine of the two
// elements is an element of the result, unless it is zero; a missing element counts as zero. (SciPy, csr_binop_csr.)
// The elements are counted first, so that the result has its size before it is written: both over blocks of rows, which
// threads share. Where the result of a row follows from the number of columns that both have, these are counted by
// comparing 16 columns of the one with each column of the other that may be among them.

// Checks that the columns of each of rows %r0 to %r1 - 1 ascend and are less than %n.
func.func private @check_sorted(%indptr: memref<?x!I>, %indices: memref<?x!I>, %r0: index, %r1: index, %n: index,
    %which: index) {
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : !I
  %no = arith.constant false
  %begin = func.call @pointer(%indptr, %r0) : (memref<?x!I>, index) -> index
  %end = func.call @pointer(%indptr, %r1) : (memref<?x!I>, index) -> index
  %second = arith.addi %begin, %c1 : index
  %all = scf.for %p = %second to %end step %c1 iter_args(%count = %none) -> (!I) {
    %before = arith.subi %p, %c1 overflow<nsw, nuw> : index
    %i = memref.load %indices[%before] : memref<?x!I>
    %j = memref.load %indices[%p] : memref<?x!I>
    %falls = arith.cmpi sge, %i, %j : !I
    %more = arith.extui %falls : i1 to !I
    %next = arith.addi %count, %more : !I
    scf.yield %next : !I
  }
  // from the last column of a row to the first of the next one they may fall; of columns that ascend, the first and
  // the last one tell whether all are in the matrix
  %between:2 = scf.for %r = %r0 to %r1 step %c1 iter_args(%count = %none, %outside = %no) -> (!I, i1) {
    %after = arith.addi %r, %c1 : index
    %p = func.call @pointer(%indptr, %r) : (memref<?x!I>, index) -> index
    %q = func.call @pointer(%indptr, %after) : (memref<?x!I>, index) -> index
    %filled = arith.cmpi ult, %p, %q : index
    %found:2 = scf.if %filled -> (!I, i1) {
      %last = arith.subi %q, %c1 : index
      %first_column = memref.load %indices[%p] : memref<?x!I>
      %last_column = memref.load %indices[%last] : memref<?x!I>
      %wide = arith.index_cast %last_column : !I to index
      %over = arith.cmpi uge, %wide, %n : index
      %under = arith.cmpi slt, %first_column, %none : !I
      %out = arith.ori %over, %under : i1
      %not_first = arith.cmpi ugt, %p, %begin : index
      %falls = scf.if %not_first -> (i1) {
        %before = arith.subi %p, %c1 : index
        %i = memref.load %indices[%before] : memref<?x!I>
        %less = arith.cmpi sge, %i, %first_column : !I
        scf.yield %less : i1
      } else {
        scf.yield %no : i1
      }
      %more = arith.extui %falls : i1 to !I
      scf.yield %more, %out : !I, i1
    } else {
      scf.yield %none, %no : !I, i1
    }
    %next = arith.addi %count, %found#0 : !I
    %any = arith.ori %outside, %found#1 : i1
    scf.yield %next, %any : !I, i1
  }
  %differ = arith.cmpi ne, %all, %between#0 : !I
  %wrong = arith.ori %differ, %between#1 : i1
  scf.if %wrong {
    func.call @check_columns(%indptr, %indices, %r0, %r1, %n, %which)
        : (memref<?x!I>, memref<?x!I>, index, index, index, index) -> ()
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
    func.call @check_sorted(%ap, %ai, %r0, %r1, %n, %c0)
        : (memref<?x!I>, memref<?x!I>, index, index, index, index) -> ()
    func.call @check_sorted(%bp, %bi, %r0, %r1, %n, %c1)
        : (memref<?x!I>, memref<?x!I>, index, index, index, index) -> ()
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
        %all = arith.cmpi eq, %count, %both : index
        %keeps = func.call @keeps_alone() : () -> i1
        %disjoint = arith.andi %all, %keeps : i1
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
