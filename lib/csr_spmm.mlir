// csr_spmm.mlir - a sparse matrix in CSR times a dense matrix. Uses lib/csr.mlir.
//
// A row of the result is the sum of rows of the dense matrix, each times an element of the sparse one, added in the
// order of these elements. Blocks of rows are shared among threads.
//
// The prelude defines !T, the elements, !I, the indices, and arithmetic on !T.

func.func private @add_row(%x: memref<?x?x!T>, %y: memref<?x?x!T>, %a: !T, %from: index, %to: index, %width: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %width step %c1 {
    %b = memref.load %x[%from, %j] : memref<?x?x!T>
    %s = memref.load %y[%to, %j] : memref<?x?x!T>
    %product = func.call @times(%a, %b) : (!T, !T) -> !T
    %sum = func.call @plus(%s, %product) : (!T, !T) -> !T
    memref.store %sum, %y[%to, %j] : memref<?x?x!T>
  }
  return
}

// Y = A X, where A has a column for each row of X.
func.func @csr_spmm(%indptr_: tensor<?x!I>, %indices_: tensor<?x!I>, %data_: tensor<?x!T>, %x_: tensor<?x?x!T>)
    -> tensor<?x?x!T> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = func.call @zero() : () -> !T
  %indptr = bufferization.to_buffer %indptr_ read_only : tensor<?x!I> to memref<?x!I>
  %indices = bufferization.to_buffer %indices_ read_only : tensor<?x!I> to memref<?x!I>
  %data = bufferization.to_buffer %data_ read_only : tensor<?x!T> to memref<?x!T>
  %x = bufferization.to_buffer %x_ read_only : tensor<?x?x!T> to memref<?x?x!T>
  %m = func.call @check_rows(%indptr, %indices, %data, %c0) : (memref<?x!I>, memref<?x!I>, memref<?x!T>, index) -> index
  %n = memref.dim %x, %c0 : memref<?x?x!T>
  %width = memref.dim %x, %c1 : memref<?x?x!T>
  %y = memref.alloc(%m, %width) : memref<?x?x!T>
  %rows = func.call @rows_of_block(%indptr, %m) : (memref<?x!I>, index) -> index
  %blocks = arith.ceildivui %m, %rows : index
  scf.parallel (%block) = (%c0) to (%blocks) step (%c1) {
    %r0 = arith.muli %block, %rows : index
    %or_more = arith.addi %r0, %rows : index
    %r1 = arith.minui %or_more, %m : index
    func.call @check_columns(%indptr, %indices, %r0, %r1, %n, %c0)
        : (memref<?x!I>, memref<?x!I>, index, index, index, index) -> ()
    scf.for %r = %r0 to %r1 step %c1 {
      scf.for %j = %c0 to %width step %c1 {
        memref.store %zero, %y[%r, %j] : memref<?x?x!T>
      }
      %next = arith.addi %r, %c1 : index
      %begin = func.call @pointer(%indptr, %r) : (memref<?x!I>, index) -> index
      %end = func.call @pointer(%indptr, %next) : (memref<?x!I>, index) -> index
      scf.for %p = %begin to %end step %c1 {
        %a = memref.load %data[%p] : memref<?x!T>
        %column = func.call @pointer(%indices, %p) : (memref<?x!I>, index) -> index
        func.call @add_row(%x, %y, %a, %column, %r, %width)
            : (memref<?x?x!T>, memref<?x?x!T>, !T, index, index, index) -> ()
      }
    }
  }
  %result = bufferization.to_tensor %y : memref<?x?x!T> to tensor<?x?x!T>
  return %result : tensor<?x?x!T>
}
