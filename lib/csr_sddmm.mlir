// csr_sddmm.mlir - a dense product where a sparse matrix in CSR has elements, times these. Uses lib/csr.mlir.
//
// Each element is multiplied by the product of a row of C and a column of D. D is given transposed, so that both are
// rows in memory. Their products are added in four sums, which do not wait for each other. Blocks of rows are shared
// among threads.
//
// The prelude defines !T, the elements, !I, the indices, and arithmetic on !T.

// The sum of the products of row %i of c and row %j of d, of %k elements.
func.func private @dot(%c: memref<?x?x!T>, %d: memref<?x?x!T>, %i: index, %j: index, %k: index) -> !T {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %zero = func.call @zero() : () -> !T
  %fours = arith.divui %k, %c4 : index
  %in_fours = arith.muli %fours, %c4 : index
  %sums:4 = scf.for %l = %c0 to %in_fours step %c4 iter_args(%s0 = %zero, %s1 = %zero, %s2 = %zero, %s3 = %zero)
      -> (!T, !T, !T, !T) {
    %at0 = arith.addi %l, %c0 : index
    %x0 = memref.load %c[%i, %at0] : memref<?x?x!T>
    %y0 = memref.load %d[%j, %at0] : memref<?x?x!T>
    %p0 = func.call @times(%x0, %y0) : (!T, !T) -> !T
    %t0 = func.call @plus(%s0, %p0) : (!T, !T) -> !T
    %at1 = arith.addi %l, %c1 : index
    %x1 = memref.load %c[%i, %at1] : memref<?x?x!T>
    %y1 = memref.load %d[%j, %at1] : memref<?x?x!T>
    %p1 = func.call @times(%x1, %y1) : (!T, !T) -> !T
    %t1 = func.call @plus(%s1, %p1) : (!T, !T) -> !T
    %at2 = arith.addi %l, %c2 : index
    %x2 = memref.load %c[%i, %at2] : memref<?x?x!T>
    %y2 = memref.load %d[%j, %at2] : memref<?x?x!T>
    %p2 = func.call @times(%x2, %y2) : (!T, !T) -> !T
    %t2 = func.call @plus(%s2, %p2) : (!T, !T) -> !T
    %at3 = arith.addi %l, %c3 : index
    %x3 = memref.load %c[%i, %at3] : memref<?x?x!T>
    %y3 = memref.load %d[%j, %at3] : memref<?x?x!T>
    %p3 = func.call @times(%x3, %y3) : (!T, !T) -> !T
    %t3 = func.call @plus(%s3, %p3) : (!T, !T) -> !T
    scf.yield %t0, %t1, %t2, %t3 : !T, !T, !T, !T
  }
  %s01 = func.call @plus(%sums#0, %sums#1) : (!T, !T) -> !T
  %s23 = func.call @plus(%sums#2, %sums#3) : (!T, !T) -> !T
  %most = func.call @plus(%s01, %s23) : (!T, !T) -> !T
  %sum = scf.for %l = %in_fours to %k step %c1 iter_args(%s = %most) -> (!T) {
    %x = memref.load %c[%i, %l] : memref<?x?x!T>
    %y = memref.load %d[%j, %l] : memref<?x?x!T>
    %p = func.call @times(%x, %y) : (!T, !T) -> !T
    %t = func.call @plus(%s, %p) : (!T, !T) -> !T
    scf.yield %t : !T
  }
  return %sum : !T
}

// The values of S * (C D), at the places of S. C has a row for each row of S, and %d_, which is D transposed, one for
// each column.
func.func @csr_sddmm(%indptr_: tensor<?x!I>, %indices_: tensor<?x!I>, %data_: tensor<?x!T>, %c_: tensor<?x?x!T>,
    %d_: tensor<?x?x!T>) -> tensor<?x!T> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %indptr = bufferization.to_buffer %indptr_ read_only : tensor<?x!I> to memref<?x!I>
  %indices = bufferization.to_buffer %indices_ read_only : tensor<?x!I> to memref<?x!I>
  %data = bufferization.to_buffer %data_ read_only : tensor<?x!T> to memref<?x!T>
  %c = bufferization.to_buffer %c_ read_only : tensor<?x?x!T> to memref<?x?x!T>
  %d = bufferization.to_buffer %d_ read_only : tensor<?x?x!T> to memref<?x?x!T>
  %m = func.call @check_rows(%indptr, %indices, %data, %c0) : (memref<?x!I>, memref<?x!I>, memref<?x!T>, index) -> index
  %rows_c = memref.dim %c, %c0 : memref<?x?x!T>
  %same_rows = arith.cmpi eq, %m, %rows_c : index
  rt.check %same_rows, "CSR matrix 0 has %0 rows, but C has %1"(%m, %rows_c : index, index)
  %n = memref.dim %d, %c0 : memref<?x?x!T>
  %k = memref.dim %c, %c1 : memref<?x?x!T>
  %k_d = memref.dim %d, %c1 : memref<?x?x!T>
  %same_k = arith.cmpi eq, %k, %k_d : index
  rt.check %same_k, "C has %0 columns, but D has %1 rows"(%k, %k_d : index, index)
  %nnz = func.call @pointer(%indptr, %m) : (memref<?x!I>, index) -> index
  %y = memref.alloc(%nnz) : memref<?x!T>
  %rows = func.call @rows_of_block(%indptr, %m) : (memref<?x!I>, index) -> index
  %blocks = arith.ceildivui %m, %rows : index
  scf.parallel (%block) = (%c0) to (%blocks) step (%c1) {
    %r0 = arith.muli %block, %rows : index
    %or_more = arith.addi %r0, %rows : index
    %r1 = arith.minui %or_more, %m : index
    func.call @check_columns(%indptr, %indices, %r0, %r1, %n, %c0)
        : (memref<?x!I>, memref<?x!I>, index, index, index, index) -> ()
    scf.for %r = %r0 to %r1 step %c1 {
      %next = arith.addi %r, %c1 : index
      %begin = func.call @pointer(%indptr, %r) : (memref<?x!I>, index) -> index
      %end = func.call @pointer(%indptr, %next) : (memref<?x!I>, index) -> index
      scf.for %p = %begin to %end step %c1 {
        %j = func.call @pointer(%indices, %p) : (memref<?x!I>, index) -> index
        %s = memref.load %data[%p] : memref<?x!T>
        %sum = func.call @dot(%c, %d, %r, %j, %k) : (memref<?x?x!T>, memref<?x?x!T>, index, index, index) -> !T
        %v = func.call @times(%s, %sum) : (!T, !T) -> !T
        memref.store %v, %y[%p] : memref<?x!T>
      }
    }
  }
  %result = bufferization.to_tensor %y : memref<?x!T> to tensor<?x!T>
  return %result : tensor<?x!T>
}
