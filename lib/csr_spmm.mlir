// csr_spmm.mlir - a sparse matrix in CSR times a dense matrix. Uses lib/csr.mlir.
//
// A row of the result is the sum of rows of the dense matrix, each times an element of the sparse one, added in the
// order of these elements: 16 columns at a time in a vector, then the columns that are left one at a time. Blocks of
// rows are shared among threads. Where the dense matrix is larger than a core's caches (%far), the row for an element
// is prefetched some elements ahead.
//
// The prelude defines !T, the elements, !I, the indices, and arithmetic on !T.

// Columns %j to %j + 15 of row %r of the result, from elements %begin to %end - 1. The columns of elements before %stop
// have been checked.
func.func private @sum_16(%indices: memref<?x!I>, %data: memref<?x!T>, %x: memref<?x?x!T>, %y: memref<?x?x!T>,
    %r: index, %begin: index, %end: index, %j: index, %stop: index, %far: i1) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %distance = arith.constant 16 : index
  %zero = func.call @zero() : () -> !T
  %zeros = vector.broadcast %zero : !T to vector<16x!T>
  %last = arith.subi %stop, %c1 : index
  %j8 = arith.addi %j, %c8 : index
  %sums = scf.for %p = %begin to %end step %c1 iter_args(%s = %zeros) -> (vector<16x!T>) {
    scf.if %far {
      %later = arith.addi %p, %distance overflow<nsw, nuw> : index
      %there = arith.minui %later, %last : index
      %later_column = func.call @pointer(%indices, %there) : (memref<?x!I>, index) -> index
      memref.prefetch %x[%later_column, %j], read, locality<3>, data : memref<?x?x!T>
      memref.prefetch %x[%later_column, %j8], read, locality<3>, data : memref<?x?x!T>
    }
    %column = func.call @pointer(%indices, %p) : (memref<?x!I>, index) -> index
    %a = memref.load %data[%p] : memref<?x!T>
    %all = vector.broadcast %a : !T to vector<16x!T>
    %b = vector.load %x[%column, %j] : memref<?x?x!T>, vector<16x!T>
    %product = func.call @times_16(%all, %b) : (vector<16x!T>, vector<16x!T>) -> vector<16x!T>
    %sum = func.call @plus_16(%s, %product) : (vector<16x!T>, vector<16x!T>) -> vector<16x!T>
    scf.yield %sum : vector<16x!T>
  }
  vector.store %sums, %y[%r, %j] : memref<?x?x!T>, vector<16x!T>
  return
}

// The same for one column.
func.func private @sum_1(%indices: memref<?x!I>, %data: memref<?x!T>, %x: memref<?x?x!T>, %y: memref<?x?x!T>,
    %r: index, %begin: index, %end: index, %j: index) {
  %c1 = arith.constant 1 : index
  %zero = func.call @zero() : () -> !T
  %sum = scf.for %p = %begin to %end step %c1 iter_args(%s = %zero) -> (!T) {
    %column = func.call @pointer(%indices, %p) : (memref<?x!I>, index) -> index
    %a = memref.load %data[%p] : memref<?x!T>
    %b = memref.load %x[%column, %j] : memref<?x?x!T>
    %product = func.call @times(%a, %b) : (!T, !T) -> !T
    %next = func.call @plus(%s, %product) : (!T, !T) -> !T
    scf.yield %next : !T
  }
  memref.store %sum, %y[%r, %j] : memref<?x?x!T>
  return
}

// Y = A X, where A has a column for each row of X.
func.func @csr_spmm(%indptr_: tensor<?x!I>, %indices_: tensor<?x!I>, %data_: tensor<?x!T>, %x_: tensor<?x?x!T>)
    -> tensor<?x?x!T> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %indptr = bufferization.to_buffer %indptr_ read_only : tensor<?x!I> to memref<?x!I>
  %indices = bufferization.to_buffer %indices_ read_only : tensor<?x!I> to memref<?x!I>
  %data = bufferization.to_buffer %data_ read_only : tensor<?x!T> to memref<?x!T>
  %x = bufferization.to_buffer %x_ read_only : tensor<?x?x!T> to memref<?x?x!T>
  %m = func.call @check_rows(%indptr, %indices, %data, %c0) : (memref<?x!I>, memref<?x!I>, memref<?x!T>, index) -> index
  %n = memref.dim %x, %c0 : memref<?x?x!T>
  %width = memref.dim %x, %c1 : memref<?x?x!T>
  %vectors = arith.divui %width, %c16 : index
  %in_vectors = arith.muli %vectors, %c16 : index
  %y = memref.alloc(%m, %width) : memref<?x?x!T>
  %rows = func.call @rows_of_block(%indptr, %m) : (memref<?x!I>, index) -> index
  %blocks = arith.ceildivui %m, %rows : index
  %elements = arith.muli %n, %width : index
  %near = arith.constant 131072 : index
  %far = arith.cmpi ugt, %elements, %near : index
  scf.parallel (%block) = (%c0) to (%blocks) step (%c1) {
    %r0 = arith.muli %block, %rows : index
    %or_more = arith.addi %r0, %rows : index
    %r1 = arith.minui %or_more, %m : index
    func.call @check_columns(%indptr, %indices, %r0, %r1, %n, %c0)
        : (memref<?x!I>, memref<?x!I>, index, index, index, index) -> ()
    %stop = func.call @pointer(%indptr, %r1) : (memref<?x!I>, index) -> index
    scf.for %r = %r0 to %r1 step %c1 {
      %next = arith.addi %r, %c1 : index
      %begin = func.call @pointer(%indptr, %r) : (memref<?x!I>, index) -> index
      %end = func.call @pointer(%indptr, %next) : (memref<?x!I>, index) -> index
      scf.for %j = %c0 to %in_vectors step %c16 {
        func.call @sum_16(%indices, %data, %x, %y, %r, %begin, %end, %j, %stop, %far)
            : (memref<?x!I>, memref<?x!T>, memref<?x?x!T>, memref<?x?x!T>, index, index, index, index, index, i1) -> ()
      }
      scf.for %j = %in_vectors to %width step %c1 {
        func.call @sum_1(%indices, %data, %x, %y, %r, %begin, %end, %j)
            : (memref<?x!I>, memref<?x!T>, memref<?x?x!T>, memref<?x?x!T>, index, index, index, index) -> ()
      }
    }
  }
  %result = bufferization.to_tensor %y : memref<?x?x!T> to tensor<?x?x!T>
  return %result : tensor<?x?x!T>
}
