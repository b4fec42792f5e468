// csr.mlir - what the kernels on CSR matrices share: checks of their arrays, which come from outside. Not a kernel.
//
// A CSR matrix is three lists: row i has the elements indptr[i] to indptr[i + 1] - 1 of the lists of columns (indices)
// and of values (data). The kernels read memory without a check for each access, so each calls @check_rows first, and
// @check_columns for the elements of some rows before it reads by their columns: while they are in the nearest cache,
// in a loop over vectors. %which is the place of the matrix among a kernel's matrices, for messages.

// Checks that the rows are in order and inside of the lists, and that there are as many columns as values. Their
// number.
func.func private @check_rows(%indptr: memref<?x!I>, %indices: memref<?x!I>, %data: memref<?x!T>, %which: index)
    -> index {
  %c0 = arith.constant 0 : index
  %room = memref.dim %indices, %c0 : memref<?x!I>
  %num_values = memref.dim %data, %c0 : memref<?x!T>
  %equal = arith.cmpi eq, %room, %num_values : index
  rt.check %equal, "CSR matrix %0: indices has %1 elements, but data has %2"
      (%which, %room, %num_values : index, index, index)
  %m = func.call @check_pointers(%indptr, %room, %which) : (memref<?x!I>, index, index) -> index
  return %m : index
}

// Checks the number of columns that a caller gives.
func.func private @check_width(%n: index) {
  %c0 = arith.constant 0 : index
  %is_size = arith.cmpi sge, %n, %c0 : index
  rt.check %is_size, "the number of columns is %0, less than zero"(%n : index)
  return
}

// Checks that the rows are in order and end in a list of %room elements. Their number.
func.func private @check_pointers(%indptr: memref<?x!I>, %room: index, %which: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %no = arith.constant false
  %zero = arith.constant 0 : !I
  %size = memref.dim %indptr, %c0 : memref<?x!I>
  %some = arith.cmpi ugt, %size, %c0 : index
  rt.check %some, "CSR matrix %0: indptr has no elements"(%which : index)
  %first = memref.load %indptr[%c0] : memref<?x!I>
  %from_zero = arith.cmpi eq, %first, %zero : !I
  rt.check %from_zero, "CSR matrix %0: indptr[0] is %1, not 0"(%which, %first : index, !I)
  %m = arith.subi %size, %c1 : index
  %falls = scf.for %i = %c0 to %m step %c1 iter_args(%acc = %no) -> (i1) {
    %next = arith.addi %i, %c1 overflow<nsw, nuw> : index
    %begin = memref.load %indptr[%i] : memref<?x!I>
    %end = memref.load %indptr[%next] : memref<?x!I>
    %down = arith.cmpi sgt, %begin, %end : !I
    %any = arith.ori %acc, %down : i1
    scf.yield %any : i1
  }
  scf.if %falls {
    scf.for %i = %c0 to %m step %c1 {
      %next = arith.addi %i, %c1 : index
      %begin = memref.load %indptr[%i] : memref<?x!I>
      %end = memref.load %indptr[%next] : memref<?x!I>
      %up = arith.cmpi sle, %begin, %end : !I
      rt.check %up, "CSR matrix %0: indptr[%1] is %2, less than the element before it"
          (%which, %next, %end : index, index, !I)
    }
  }
  %last = memref.load %indptr[%m] : memref<?x!I>
  %nnz = arith.index_cast %last : !I to index
  %inside = arith.cmpi ule, %nnz, %room : index
  rt.check %inside, "CSR matrix %0: indptr ends with %1, but indices has %2 elements"
      (%which, %nnz, %room : index, index, index)
  return %m : index
}

// The least column, as an unsigned number, that a matrix of %n columns does not have, or that is less than zero.
func.func private @column_limit(%n: index) -> !I {
  %ones = arith.constant -1 : !I
  %one = arith.constant 1 : !I
  %most = arith.shrui %ones, %one : !I
  %least_negative = arith.addi %most, %one : !I
  %negative = arith.index_castui %least_negative : !I to index
  %limit_index = arith.minui %n, %negative : index
  %limit = arith.index_cast %limit_index : index to !I
  return %limit : !I
}

// Checks that the columns of rows %r0 to %r1 - 1 are less than %n.
func.func private @check_columns(%indptr: memref<?x!I>, %indices: memref<?x!I>, %r0: index, %r1: index, %n: index,
    %which: index) {
  %c1 = arith.constant 1 : index
  %no = arith.constant false
  %limit = func.call @column_limit(%n) : (index) -> !I
  %begin = func.call @pointer(%indptr, %r0) : (memref<?x!I>, index) -> index
  %end = func.call @pointer(%indptr, %r1) : (memref<?x!I>, index) -> index
  %out = scf.for %p = %begin to %end step %c1 iter_args(%acc = %no) -> (i1) {
    %j = memref.load %indices[%p] : memref<?x!I>
    %over = arith.cmpi uge, %j, %limit : !I
    %any = arith.ori %acc, %over : i1
    scf.yield %any : i1
  }
  scf.if %out {
    func.call @report_columns(%indices, %begin, %end, %n, %which) : (memref<?x!I>, index, index, index, index) -> ()
  }
  return
}

// Ends with an error if the column of one of elements %begin to %end - 1 is not less than %n: says which.
func.func private @report_columns(%indices: memref<?x!I>, %begin: index, %end: index, %n: index, %which: index) {
  %c1 = arith.constant 1 : index
  scf.for %p = %begin to %end step %c1 {
    %j = memref.load %indices[%p] : memref<?x!I>
    %column = arith.index_cast %j : !I to index
    %there = arith.cmpi ult, %column, %n : index
    rt.check %there, "CSR matrix %0: indices[%1] is %2, but the matrix has %3 columns"
        (%which, %p, %j, %n : index, index, !I, index)
  }
  return
}

func.func private @pointer(%indptr: memref<?x!I>, %i: index) -> index {
  %p = memref.load %indptr[%i] : memref<?x!I>
  %at = arith.index_castui %p : !I to index
  return %at : index
}

// How many rows make a block of about 4096 elements: at least one.
func.func private @rows_of_block(%indptr: memref<?x!I>, %m: index) -> index {
  %c1 = arith.constant 1 : index
  %elements = arith.constant 4096 : index
  %nnz = func.call @pointer(%indptr, %m) : (memref<?x!I>, index) -> index
  %blocks = arith.ceildivui %nnz, %elements : index
  %some_blocks = arith.maxui %blocks, %c1 : index
  %rows = arith.ceildivui %m, %some_blocks : index
  %some_rows = arith.maxui %rows, %c1 : index
  %few_rows = arith.minui %some_rows, %elements : index
  return %few_rows : index
}

// The rows of a result, of which row i has %counts[i] elements: row i begins at %indptr[i]. The number of elements.
func.func private @sum_counts(%counts: memref<?xindex>, %indptr: memref<?x!I>, %m: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %total = scf.for %r = %c0 to %m step %c1 iter_args(%sum = %c0) -> (index) {
    %begin = arith.index_cast %sum : index to !I
    memref.store %begin, %indptr[%r] : memref<?x!I>
    %count = memref.load %counts[%r] : memref<?xindex>
    %next = arith.addi %sum, %count : index
    scf.yield %next : index
  }
  func.call @check_size(%total) : (index) -> ()
  %end = arith.index_cast %total : index to !I
  memref.store %end, %indptr[%m] : memref<?x!I>
  return %total : index
}

// Checks that a result may have %total elements.
func.func private @check_size(%total: index) {
  %one = arith.constant 1 : !I
  %ones = arith.constant -1 : !I
  %most = arith.shrui %ones, %one : !I
  %limit = arith.index_cast %most : !I to index
  %fits = arith.cmpi ule, %total, %limit : index
  rt.check %fits, "the result has %0 elements, more than its type of indices counts"(%total : index)
  return
}
