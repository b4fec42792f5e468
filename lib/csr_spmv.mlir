// csr_spmv.mlir - a sparse matrix in CSR times a vector. Uses lib/csr.mlir.
//
// The products of a row are added in the order of its elements, so that the sum is SciPy's to the last bit. An addition
// waits for the one before it; so four rows are summed at a time, for as long as each has elements left, and then each
// to its end. The columns of four rows are checked just before that, so that
// memory brings later ones while these are summed. Threads share blocks of rows.
//
// The prelude defines !T, the elements, !I, the indices, and arithmetic on !T.

// %acc and the product of element %p and of the element of x in its column.
func.func private @add_product(%indices: memref<?x!I>, %data: memref<?x!T>, %x: memref<?x!T>, %p: index, %acc: !T)
    -> !T {
  %column = func.call @pointer(%indices, %p) : (memref<?x!I>, index) -> index
  %a = memref.load %data[%p] : memref<?x!T>
  %b = memref.load %x[%column] : memref<?x!T>
  %product = func.call @times(%a, %b) : (!T, !T) -> !T
  %sum = func.call @plus(%acc, %product) : (!T, !T) -> !T
  return %sum : !T
}

// %acc and the products of elements %begin to %end - 1.
func.func private @row_sum(%indices: memref<?x!I>, %data: memref<?x!T>, %x: memref<?x!T>, %begin: index, %end: index,
    %acc: !T) -> !T {
  %c1 = arith.constant 1 : index
  %sum = scf.for %p = %begin to %end step %c1 iter_args(%s = %acc) -> (!T) {
    %next = func.call @add_product(%indices, %data, %x, %p, %s)
        : (memref<?x!I>, memref<?x!T>, memref<?x!T>, index, !T) -> !T
    scf.yield %next : !T
  }
  return %sum : !T
}

// The sums of rows %r to %r + 3 go to y.
func.func private @four_rows(%indptr: memref<?x!I>, %indices: memref<?x!I>, %data: memref<?x!T>, %x: memref<?x!T>,
    %y: memref<?x!T>, %r: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %zero = func.call @zero() : () -> !T
  %r1 = arith.addi %r, %c1 : index
  %r2 = arith.addi %r, %c2 : index
  %r3 = arith.addi %r, %c3 : index
  %r4 = arith.addi %r, %c4 : index
  %p0 = func.call @pointer(%indptr, %r) : (memref<?x!I>, index) -> index
  %p1 = func.call @pointer(%indptr, %r1) : (memref<?x!I>, index) -> index
  %p2 = func.call @pointer(%indptr, %r2) : (memref<?x!I>, index) -> index
  %p3 = func.call @pointer(%indptr, %r3) : (memref<?x!I>, index) -> index
  %p4 = func.call @pointer(%indptr, %r4) : (memref<?x!I>, index) -> index
  %n0 = arith.subi %p1, %p0 : index
  %n1 = arith.subi %p2, %p1 : index
  %n2 = arith.subi %p3, %p2 : index
  %n3 = arith.subi %p4, %p3 : index
  %n01 = arith.minui %n0, %n1 : index
  %n23 = arith.minui %n2, %n3 : index
  %n = arith.minui %n01, %n23 : index
  %sums:4 = scf.for %i = %c0 to %n step %c1 iter_args(%s0 = %zero, %s1 = %zero, %s2 = %zero, %s3 = %zero)
      -> (!T, !T, !T, !T) {
    %at0 = arith.addi %p0, %i overflow<nsw, nuw> : index
    %at1 = arith.addi %p1, %i overflow<nsw, nuw> : index
    %at2 = arith.addi %p2, %i overflow<nsw, nuw> : index
    %at3 = arith.addi %p3, %i overflow<nsw, nuw> : index
    %t0 = func.call @add_product(%indices, %data, %x, %at0, %s0)
        : (memref<?x!I>, memref<?x!T>, memref<?x!T>, index, !T) -> !T
    %t1 = func.call @add_product(%indices, %data, %x, %at1, %s1)
        : (memref<?x!I>, memref<?x!T>, memref<?x!T>, index, !T) -> !T
    %t2 = func.call @add_product(%indices, %data, %x, %at2, %s2)
        : (memref<?x!I>, memref<?x!T>, memref<?x!T>, index, !T) -> !T
    %t3 = func.call @add_product(%indices, %data, %x, %at3, %s3)
        : (memref<?x!I>, memref<?x!T>, memref<?x!T>, index, !T) -> !T
    scf.yield %t0, %t1, %t2, %t3 : !T, !T, !T, !T
  }
  %rest0 = arith.addi %p0, %n : index
  %rest1 = arith.addi %p1, %n : index
  %rest2 = arith.addi %p2, %n : index
  %rest3 = arith.addi %p3, %n : index
  %sum0 = func.call @row_sum(%indices, %data, %x, %rest0, %p1, %sums#0)
      : (memref<?x!I>, memref<?x!T>, memref<?x!T>, index, index, !T) -> !T
  %sum1 = func.call @row_sum(%indices, %data, %x, %rest1, %p2, %sums#1)
      : (memref<?x!I>, memref<?x!T>, memref<?x!T>, index, index, !T) -> !T
  %sum2 = func.call @row_sum(%indices, %data, %x, %rest2, %p3, %sums#2)
      : (memref<?x!I>, memref<?x!T>, memref<?x!T>, index, index, !T) -> !T
  %sum3 = func.call @row_sum(%indices, %data, %x, %rest3, %p4, %sums#3)
      : (memref<?x!I>, memref<?x!T>, memref<?x!T>, index, index, !T) -> !T
  memref.store %sum0, %y[%r] : memref<?x!T>
  memref.store %sum1, %y[%r1] : memref<?x!T>
  memref.store %sum2, %y[%r2] : memref<?x!T>
  memref.store %sum3, %y[%r3] : memref<?x!T>
  return
}

// Whether the columns of elements %begin to %end - 1 are less than %limit.
func.func private @are_inside(%indices: memref<?x!I>, %begin: index, %end: index, %limit: !I) -> i1 {
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<false> : vector<16xi1>
  %zeros = arith.constant dense<0> : vector<16x!I>
  %limits = vector.broadcast %limit : !I to vector<16x!I>
  %yes = arith.constant true
  %found = scf.for %p = %begin to %end step %c16 iter_args(%acc = %none) -> (vector<16xi1>) {
    %rest = arith.subi %end, %p : index
    %mask = vector.create_mask %rest : vector<16xi1>
    %columns = vector.maskedload %indices[%p], %mask, %zeros
        : memref<?x!I>, vector<16xi1>, vector<16x!I> into vector<16x!I>
    %over = arith.cmpi uge, %columns, %limits : vector<16x!I>
    %here = arith.andi %over, %mask : vector<16xi1>
    %next = arith.ori %acc, %here : vector<16xi1>
    scf.yield %next : vector<16xi1>
  }
  %out = vector.reduction <or>, %found : vector<16xi1> into i1
  %inside = arith.xori %out, %yes : i1
  return %inside : i1
}

// Checks the columns of rows %r0 to %r1 - 1.
func.func private @check_some(%indptr: memref<?x!I>, %indices: memref<?x!I>, %r0: index, %r1: index, %n: index,
    %limit: !I) {
  %c0 = arith.constant 0 : index
  %yes = arith.constant true
  %begin = func.call @pointer(%indptr, %r0) : (memref<?x!I>, index) -> index
  %end = func.call @pointer(%indptr, %r1) : (memref<?x!I>, index) -> index
  %inside = func.call @are_inside(%indices, %begin, %end, %limit) : (memref<?x!I>, index, index, !I) -> i1
  %out = arith.xori %inside, %yes : i1
  scf.if %out {
    func.call @report_columns(%indices, %begin, %end, %n, %c0) : (memref<?x!I>, index, index, index, index) -> ()
  }
  return
}

// The sums of rows %r0 to %r1 - 1 go to y.
func.func private @sum_rows(%indptr: memref<?x!I>, %indices: memref<?x!I>, %data: memref<?x!T>, %x: memref<?x!T>,
    %y: memref<?x!T>, %r0: index, %r1: index, %n: index) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = func.call @zero() : () -> !T
  %limit = func.call @column_limit(%n) : (index) -> !I
  %count = arith.subi %r1, %r0 : index
  %fours = arith.divui %count, %c4 : index
  %in_fours = arith.muli %fours, %c4 : index
  %single = arith.addi %r0, %in_fours : index
  scf.for %r = %r0 to %single step %c4 {
    %next = arith.addi %r, %c4 : index
    func.call @check_some(%indptr, %indices, %r, %next, %n, %limit)
        : (memref<?x!I>, memref<?x!I>, index, index, index, !I) -> ()
    func.call @four_rows(%indptr, %indices, %data, %x, %y, %r)
        : (memref<?x!I>, memref<?x!I>, memref<?x!T>, memref<?x!T>, memref<?x!T>, index) -> ()
  }
  func.call @check_some(%indptr, %indices, %single, %r1, %n, %limit)
      : (memref<?x!I>, memref<?x!I>, index, index, index, !I) -> ()
  scf.for %r = %single to %r1 step %c1 {
    %next = arith.addi %r, %c1 : index
    %begin = func.call @pointer(%indptr, %r) : (memref<?x!I>, index) -> index
    %end = func.call @pointer(%indptr, %next) : (memref<?x!I>, index) -> index
    %sum = func.call @row_sum(%indices, %data, %x, %begin, %end, %zero)
        : (memref<?x!I>, memref<?x!T>, memref<?x!T>, index, index, !T) -> !T
    memref.store %sum, %y[%r] : memref<?x!T>
  }
  return
}

// y = A x, where A has a column for each element of x.
func.func @csr_spmv(%indptr_: tensor<?x!I>, %indices_: tensor<?x!I>, %data_: tensor<?x!T>, %x_: tensor<?x!T>)
    -> tensor<?x!T> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %indptr = bufferization.to_buffer %indptr_ read_only : tensor<?x!I> to memref<?x!I>
  %indices = bufferization.to_buffer %indices_ read_only : tensor<?x!I> to memref<?x!I>
  %data = bufferization.to_buffer %data_ read_only : tensor<?x!T> to memref<?x!T>
  %x = bufferization.to_buffer %x_ read_only : tensor<?x!T> to memref<?x!T>
  %m = func.call @check_rows(%indptr, %indices, %data, %c0) : (memref<?x!I>, memref<?x!I>, memref<?x!T>, index) -> index
  %n = memref.dim %x, %c0 : memref<?x!T>
  %y = memref.alloc(%m) : memref<?x!T>
  %rows = func.call @rows_of_block(%indptr, %m) : (memref<?x!I>, index) -> index
  %blocks = arith.ceildivui %m, %rows : index
  scf.parallel (%block) = (%c0) to (%blocks) step (%c1) {
    %r0 = arith.muli %block, %rows : index
    %or_more = arith.addi %r0, %rows : index
    %r1 = arith.minui %or_more, %m : index
    func.call @sum_rows(%indptr, %indices, %data, %x, %y, %r0, %r1, %n)
        : (memref<?x!I>, memref<?x!I>, memref<?x!T>, memref<?x!T>, memref<?x!T>, index, index, index) -> ()
  }
  %result = bufferization.to_tensor %y : memref<?x!T> to tensor<?x!T>
  return %result : tensor<?x!T>
}
