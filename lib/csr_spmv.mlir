// csr_spmv.mlir - a sparse matrix in CSR times a vector. Uses lib/csr.mlir and lib/row_sums.mlir.
//
// The products of a row are added in the order of its elements, so that the sum is SciPy's to the last bit. A column is
// checked just before x is read there: a branch that is never taken costs less than a second pass over the columns.
//
// Where short rows have different lengths, a loop over the elements of each mispredicts its end, and that takes longer
// than the sums. So the products of some rows go to a buffer, in one loop that knows no rows, and from there into the
// sums of eight rows at a time. Threads share blocks of rows.
//
// The prelude defines !T, the elements, !I, the indices, and arithmetic on !T.

// The product of element %p and of the element of x in its column, which is checked.
func.func private @product(%indices: memref<?x!I>, %data: memref<?x!T>, %x: memref<?x!T>, %n: index, %p: index) -> !T {
  %c0 = arith.constant 0 : index
  %j = memref.load %indices[%p] : memref<?x!I>
  %column = arith.index_cast %j : !I to index
  %inside = arith.cmpi ult, %column, %n : index
  rt.check %inside, "CSR matrix %0: indices[%1] is %2, but the matrix has %3 columns"
      (%c0, %p, %j, %n : index, index, !I, index)
  %a = memref.load %data[%p] : memref<?x!T>
  %b = memref.load %x[%column] : memref<?x!T>
  %product = func.call @times(%a, %b) : (!T, !T) -> !T
  return %product : !T
}

// The sum of the products of elements %begin to %end - 1.
func.func private @row_sum(%indices: memref<?x!I>, %data: memref<?x!T>, %x: memref<?x!T>, %n: index, %begin: index,
    %end: index) -> !T {
  %c1 = arith.constant 1 : index
  %zero = func.call @zero() : () -> !T
  %sum = scf.for %p = %begin to %end step %c1 iter_args(%acc = %zero) -> (!T) {
    %v = func.call @product(%indices, %data, %x, %n, %p)
        : (memref<?x!I>, memref<?x!T>, memref<?x!T>, index, index) -> !T
    %next = func.call @plus(%acc, %v) : (!T, !T) -> !T
    scf.yield %next : !T
  }
  return %sum : !T
}

// The products of elements %begin to %end - 1 go to the buffer, from its first place on: eight in a step, then the
// rest.
func.func private @write_products(%indices: memref<?x!I>, %data: memref<?x!T>, %x: memref<?x!T>, %n: index,
    %begin: index, %end: index, %products: memref<2056x!T>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %all = arith.constant dense<true> : vector<8xi1>
  %zero = func.call @zero() : () -> !T
  %zeros = vector.broadcast %zero : !T to vector<8x!T>
  %limit = func.call @column_limit(%n) : (index) -> !I
  %limits = vector.broadcast %limit : !I to vector<8x!I>
  %count = arith.subi %end, %begin : index
  %rest = arith.remui %count, %c8 : index
  %last = arith.subi %end, %rest : index
  scf.for %p = %begin to %last step %c8 {
    %columns = vector.load %indices[%p] : memref<?x!I>, vector<8x!I>
    %over = arith.cmpi uge, %columns, %limits : vector<8x!I>
    %out = vector.reduction <or>, %over : vector<8xi1> into i1
    scf.if %out {
      %next = arith.addi %p, %c8 : index
      func.call @report_columns(%indices, %p, %next, %n, %c0) : (memref<?x!I>, index, index, index, index) -> ()
    }
    %a = vector.load %data[%p] : memref<?x!T>, vector<8x!T>
    %b = vector.gather %x[%c0] [%columns], %all, %zeros
        : memref<?x!T>, vector<8x!I>, vector<8xi1>, vector<8x!T> into vector<8x!T>
    %v = func.call @times_8(%a, %b) : (vector<8x!T>, vector<8x!T>) -> vector<8x!T>
    %to = arith.subi %p, %begin : index
    vector.store %v, %products[%to] : memref<2056x!T>, vector<8x!T>
  }
  scf.for %p = %last to %end step %c1 {
    %v = func.call @product(%indices, %data, %x, %n, %p)
        : (memref<?x!I>, memref<?x!T>, memref<?x!T>, index, index) -> !T
    %to = arith.subi %p, %begin : index
    memref.store %v, %products[%to] : memref<2056x!T>
  }
  return
}

// The sums of rows %r0 to %r1 - 1 go to y, a row at a time.
func.func private @sum_each(%indptr: memref<?x!I>, %indices: memref<?x!I>, %data: memref<?x!T>, %x: memref<?x!T>,
    %y: memref<?x!T>, %r0: index, %r1: index, %n: index) {
  %c1 = arith.constant 1 : index
  %first = func.call @pointer(%indptr, %r0) : (memref<?x!I>, index) -> index
  scf.for %r = %r0 to %r1 step %c1 iter_args(%begin = %first) -> (index) {
    %next = arith.addi %r, %c1 : index
    %end = func.call @pointer(%indptr, %next) : (memref<?x!I>, index) -> index
    %sum = func.call @row_sum(%indices, %data, %x, %n, %begin, %end)
        : (memref<?x!I>, memref<?x!T>, memref<?x!T>, index, index, index) -> !T
    memref.store %sum, %y[%r] : memref<?x!T>
    scf.yield %end : index
  }
  return
}

// The same by a buffer, 32 rows at a time; those that it has no room for a row at a time.
func.func private @sum_buffered(%indptr: memref<?x!I>, %indices: memref<?x!I>, %data: memref<?x!T>, %x: memref<?x!T>,
    %y: memref<?x!T>, %r0: index, %r1: index, %n: index) {
  %c8 = arith.constant 8 : index
  %step = arith.constant 32 : index
  %most = arith.constant 1024 : index
  %products = memref.alloc() : memref<2056x!T>
  scf.for %r = %r0 to %r1 step %step {
    %or_more = arith.addi %r, %step : index
    %end = arith.minui %or_more, %r1 : index
    %p = func.call @pointer(%indptr, %r) : (memref<?x!I>, index) -> index
    %q = func.call @pointer(%indptr, %end) : (memref<?x!I>, index) -> index
    %count = arith.subi %q, %p : index
    %fits = arith.cmpi ule, %count, %most : index
    %whole = arith.cmpi ule, %or_more, %r1 : index
    %buffered = arith.andi %fits, %whole : i1
    scf.if %buffered {
      func.call @write_products(%indices, %data, %x, %n, %p, %q, %products)
          : (memref<?x!I>, memref<?x!T>, memref<?x!T>, index, index, index, memref<2056x!T>) -> ()
      scf.for %eight = %r to %end step %c8 {
        func.call @sum_eight(%indptr, %products, %y, %eight, %p)
            : (memref<?x!I>, memref<2056x!T>, memref<?x!T>, index, index) -> ()
      }
    } else {
      func.call @sum_each(%indptr, %indices, %data, %x, %y, %r, %end, %n)
          : (memref<?x!I>, memref<?x!I>, memref<?x!T>, memref<?x!T>, memref<?x!T>, index, index, index) -> ()
    }
  }
  return
}

// Whether an eighth of the rows or more do not have the length of the row before.
func.func private @are_ragged(%indptr: memref<?x!I>, %m: index) -> i1 {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : !I
  %changes = scf.for %r = %c1 to %m step %c1 iter_args(%acc = %zero) -> (!I) {
    %last = arith.subi %r, %c1 overflow<nsw, nuw> : index
    %next = arith.addi %r, %c1 overflow<nsw, nuw> : index
    %a = memref.load %indptr[%last] : memref<?x!I>
    %b = memref.load %indptr[%r] : memref<?x!I>
    %c = memref.load %indptr[%next] : memref<?x!I>
    %before = arith.subi %b, %a : !I
    %here = arith.subi %c, %b : !I
    %differs = arith.cmpi ne, %before, %here : !I
    %one = arith.extui %differs : i1 to !I
    %sum = arith.addi %acc, %one : !I
    scf.yield %sum : !I
  }
  %times = arith.index_cast %changes : !I to index
  %eighths = arith.muli %times, %c8 : index
  %many = arith.cmpi ugt, %eighths, %m : index
  return %many : i1
}

// Whether the buffer makes a matrix of %m rows and %n columns faster. Long rows mispredict less. Where x is larger than
// the caches near a core, eight loads at a time from it are faster for rows of equal lengths, too.
func.func private @needs_buffer(%indptr: memref<?x!I>, %m: index, %n: index) -> i1 {
  %yes = arith.constant true
  %no = arith.constant false
  %most = arith.constant 24 : index
  %near = arith.constant 131072 : index
  %count = func.call @pointer(%indptr, %m) : (memref<?x!I>, index) -> index
  %limit = arith.muli %m, %most : index
  %long = arith.cmpi ugt, %count, %limit : index
  %far = arith.cmpi ugt, %n, %near : index
  %needs = scf.if %long -> (i1) {
    scf.yield %no : i1
  } else {
    %ragged = scf.if %far -> (i1) {
      scf.yield %yes : i1
    } else {
      %differ = func.call @are_ragged(%indptr, %m) : (memref<?x!I>, index) -> i1
      scf.yield %differ : i1
    }
    scf.yield %ragged : i1
  }
  return %needs : i1
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
  %buffered = func.call @needs_buffer(%indptr, %m, %n) : (memref<?x!I>, index, index) -> i1
  scf.if %buffered {
    scf.parallel (%block) = (%c0) to (%blocks) step (%c1) {
      %r0 = arith.muli %block, %rows : index
      %or_more = arith.addi %r0, %rows : index
      %r1 = arith.minui %or_more, %m : index
      func.call @sum_buffered(%indptr, %indices, %data, %x, %y, %r0, %r1, %n)
          : (memref<?x!I>, memref<?x!I>, memref<?x!T>, memref<?x!T>, memref<?x!T>, index, index, index) -> ()
    }
  } else {
    scf.parallel (%block) = (%c0) to (%blocks) step (%c1) {
      %r0 = arith.muli %block, %rows : index
      %or_more = arith.addi %r0, %rows : index
      %r1 = arith.minui %or_more, %m : index
      func.call @sum_each(%indptr, %indices, %data, %x, %y, %r0, %r1, %n)
          : (memref<?x!I>, memref<?x!I>, memref<?x!T>, memref<?x!T>, memref<?x!T>, index, index, index) -> ()
    }
  }
  %result = bufferization.to_tensor %y : memref<?x!T> to tensor<?x!T>
  return %result : tensor<?x!T>
}
