// csr_zeros.mlir - CSR matrices without the elements that are zero. Not a kernel. Uses lib/csr.mlir.

// Whether one of elements %begin to %end - 1 is zero.
func.func private @has_zero(%data: memref<?x!T>, %begin: index, %end: index) -> i1 {
  %c1 = arith.constant 1 : index
  %no = arith.constant false
  %yes = arith.constant true
  %any = scf.for %p = %begin to %end step %c1 iter_args(%found = %no) -> (i1) {
    %v = memref.load %data[%p] : memref<?x!T>
    %filled = func.call @not_zero(%v) : (!T) -> i1
    %empty = arith.xori %filled, %yes : i1
    %next = arith.ori %found, %empty : i1
    scf.yield %next : i1
  }
  return %any : i1
}

// How many of elements %begin to %end - 1 are not zero.
func.func private @count_filled(%data: memref<?x!T>, %begin: index, %end: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = scf.for %p = %begin to %end step %c1 iter_args(%n = %c0) -> (index) {
    %v = memref.load %data[%p] : memref<?x!T>
    %kept = func.call @not_zero(%v) : (!T) -> i1
    %one = arith.extui %kept : i1 to i64
    %more = arith.index_cast %one : i64 to index
    %next = arith.addi %n, %more : index
    scf.yield %next : index
  }
  return %count : index
}

// Elements %begin to %end - 1 that are not zero go to place %to and those behind it.
func.func private @copy_filled(%ci: memref<?x!I>, %cd: memref<?x!T>, %begin: index, %end: index, %di: memref<?x!I>,
    %dd: memref<?x!T>, %to: index) {
  %c1 = arith.constant 1 : index
  %behind = scf.for %p = %begin to %end step %c1 iter_args(%at = %to) -> (index) {
    %v = memref.load %cd[%p] : memref<?x!T>
    %kept = func.call @not_zero(%v) : (!T) -> i1
    %next = scf.if %kept -> (index) {
      %j = memref.load %ci[%p] : memref<?x!I>
      memref.store %j, %di[%at] : memref<?x!I>
      memref.store %v, %dd[%at] : memref<?x!T>
      %at1 = arith.addi %at, %c1 : index
      scf.yield %at1 : index
    } else {
      scf.yield %at : index
    }
    scf.yield %next : index
  }
  return
}

// The matrix of %m rows without its elements that are zero. Threads share blocks of %step rows.
func.func private @without_zeros(%cp_: tensor<?x!I>, %ci_: tensor<?x!I>, %cd_: tensor<?x!T>, %m: index, %step: index)
    -> (tensor<?x!I>, tensor<?x!I>, tensor<?x!T>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cp = bufferization.to_buffer %cp_ read_only : tensor<?x!I> to memref<?x!I>
  %ci = bufferization.to_buffer %ci_ read_only : tensor<?x!I> to memref<?x!I>
  %cd = bufferization.to_buffer %cd_ read_only : tensor<?x!T> to memref<?x!T>
  %blocks = arith.ceildivui %m, %step : index
  %counts = memref.alloc(%m) : memref<?xindex>
  scf.parallel (%block) = (%c0) to (%blocks) step (%c1) {
    %r0 = arith.muli %block, %step : index
    %or_more = arith.addi %r0, %step : index
    %r1 = arith.minui %or_more, %m : index
    scf.for %r = %r0 to %r1 step %c1 {
      %next = arith.addi %r, %c1 : index
      %begin = func.call @pointer(%cp, %r) : (memref<?x!I>, index) -> index
      %end = func.call @pointer(%cp, %next) : (memref<?x!I>, index) -> index
      %count = func.call @count_filled(%cd, %begin, %end) : (memref<?x!T>, index, index) -> index
      memref.store %count, %counts[%r] : memref<?xindex>
    }
  }
  %m1 = arith.addi %m, %c1 : index
  %dp = memref.alloc(%m1) : memref<?x!I>
  %nnz = func.call @sum_counts(%counts, %dp, %m) : (memref<?xindex>, memref<?x!I>, index) -> index
  %di = memref.alloc(%nnz) : memref<?x!I>
  %dd = memref.alloc(%nnz) : memref<?x!T>
  scf.parallel (%block) = (%c0) to (%blocks) step (%c1) {
    %r0 = arith.muli %block, %step : index
    %or_more = arith.addi %r0, %step : index
    %r1 = arith.minui %or_more, %m : index
    %begin = func.call @pointer(%cp, %r0) : (memref<?x!I>, index) -> index
    %end = func.call @pointer(%cp, %r1) : (memref<?x!I>, index) -> index
    %to = func.call @pointer(%dp, %r0) : (memref<?x!I>, index) -> index
    func.call @copy_filled(%ci, %cd, %begin, %end, %di, %dd, %to)
        : (memref<?x!I>, memref<?x!T>, index, index, memref<?x!I>, memref<?x!T>, index) -> ()
  }
  %rows = bufferization.to_tensor %dp : memref<?x!I> to tensor<?x!I>
  %columns = bufferization.to_tensor %di : memref<?x!I> to tensor<?x!I>
  %values = bufferization.to_tensor %dd : memref<?x!T> to tensor<?x!T>
  return %rows, %columns, %values : tensor<?x!I>, tensor<?x!I>, tensor<?x!T>
}

// The matrix of %m rows, without its elements that are zero where %zeros says that there are some: for each block of
// %step rows.
func.func private @drop_zeros(%cp: memref<?x!I>, %ci: memref<?x!I>, %cd: memref<?x!T>, %m: index, %step: index,
    %zeros: memref<?xi1>) -> (tensor<?x!I>, tensor<?x!I>, tensor<?x!T>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %no = arith.constant false
  %blocks = memref.dim %zeros, %c0 : memref<?xi1>
  %drops = scf.for %block = %c0 to %blocks step %c1 iter_args(%found = %no) -> (i1) {
    %zero = memref.load %zeros[%block] : memref<?xi1>
    %next = arith.ori %found, %zero : i1
    scf.yield %next : i1
  }
  %rows_c = bufferization.to_tensor %cp : memref<?x!I> to tensor<?x!I>
  %columns_c = bufferization.to_tensor %ci : memref<?x!I> to tensor<?x!I>
  %values_c = bufferization.to_tensor %cd : memref<?x!T> to tensor<?x!T>
  %c:3 = scf.if %drops -> (tensor<?x!I>, tensor<?x!I>, tensor<?x!T>) {
    %kept:3 = func.call @without_zeros(%rows_c, %columns_c, %values_c, %m, %step)
        : (tensor<?x!I>, tensor<?x!I>, tensor<?x!T>, index, index) -> (tensor<?x!I>, tensor<?x!I>, tensor<?x!T>)
    scf.yield %kept#0, %kept#1, %kept#2 : tensor<?x!I>, tensor<?x!I>, tensor<?x!T>
  } else {
    scf.yield %rows_c, %columns_c, %values_c : tensor<?x!I>, tensor<?x!I>, tensor<?x!T>
  }
  return %c#0, %c#1, %c#2 : tensor<?x!I>, tensor<?x!I>, tensor<?x!T>
}
