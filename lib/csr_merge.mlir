// csr_merge.mlir - what the element-wise kernels on two CSR matrices share. Not a kernel. Uses lib/csr.mlir.
//
// Row by row, the sorted columns of both matrices are merged, in steps of at most 16 elements of each; the columns of a
// step are compared all with all, by vectors. Where there are fewer than 16, -1 stands for the others: as an unsigned
// number it is behind all columns.

// The number of lanes that are true.
func.func private @count_lanes(%lanes: vector<16xi1>) -> index {
  %each = arith.extui %lanes : vector<16xi1> to vector<16xi32>
  %sum = vector.reduction <add>, %each : vector<16xi32> into i32
  %count = arith.index_castui %sum : i32 to index
  return %count : index
}

// The columns of elements %p to %p + %n - 1, at most 16.
func.func private @block(%indices: memref<?x!I>, %p: index, %n: index) -> vector<16x!I> {
  %none = arith.constant dense<-1> : vector<16x!I>
  %mask = vector.create_mask %n : vector<16xi1>
  %columns = vector.maskedload %indices[%p], %mask, %none
      : memref<?x!I>, vector<16xi1>, vector<16x!I> into vector<16x!I>
  return %columns : vector<16x!I>
}

// The last column of the step of a row at %p: no column that may stand behind it in the other row is less. -1 where the
// row, which ends before %e, ends with the step.
func.func private @last_of_step(%indices: memref<?x!I>, %p: index, %e: index) -> !I {
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant -1 : !I
  %rest = arith.subi %e, %p : index
  %more = arith.cmpi ugt, %rest, %c16 : index
  %last = scf.if %more -> (!I) {
    %at = arith.addi %p, %c15 : index
    %column = memref.load %indices[%at] : memref<?x!I>
    scf.yield %column : !I
  } else {
    scf.yield %none : !I
  }
  return %last : !I
}

// How many of elements %p to %e - 1, a row or its rest, are in a step that ends with column %last: at most 16.
func.func private @length_of_step(%indices: memref<?x!I>, %p: index, %e: index, %last: !I) -> index {
  %c16 = arith.constant 16 : index
  %rest = arith.subi %e, %p : index
  %n = arith.minui %rest, %c16 : index
  %mask = vector.create_mask %n : vector<16xi1>
  %columns = func.call @block(%indices, %p, %n) : (memref<?x!I>, index, index) -> vector<16x!I>
  %limit = vector.broadcast %last : !I to vector<16x!I>
  %within = arith.cmpi ule, %columns, %limit : vector<16x!I>
  %here = arith.andi %within, %mask : vector<16xi1>
  %count = func.call @count_lanes(%here) : (vector<16xi1>) -> index
  return %count : index
}

// How many elements of two rows, from %p and %q on, come next: at most 16 of each, and all up to the last column of the
// shorter step, which is the third result; -1 where that is the last step of both. At least one, where one is left.
func.func private @step_of_rows(%ai: memref<?x!I>, %p: index, %ea: index, %bi: memref<?x!I>, %q: index, %eb: index)
    -> (index, index, !I) {
  %none = arith.constant -1 : !I
  %c16 = arith.constant 16 : index
  %rest_a = arith.subi %ea, %p : index
  %rest_b = arith.subi %eb, %q : index
  %longer = arith.maxui %rest_a, %rest_b : index
  %more = arith.cmpi ugt, %longer, %c16 : index
  %n:3 = scf.if %more -> (index, index, !I) {
    %last_a = func.call @last_of_step(%ai, %p, %ea) : (memref<?x!I>, index, index) -> !I
    %last_b = func.call @last_of_step(%bi, %q, %eb) : (memref<?x!I>, index, index) -> !I
    %last = arith.minui %last_a, %last_b : !I
    %k = func.call @length_of_step(%ai, %p, %ea, %last) : (memref<?x!I>, index, index, !I) -> index
    %l = func.call @length_of_step(%bi, %q, %eb, %last) : (memref<?x!I>, index, index, !I) -> index
    scf.yield %k, %l, %last : index, index, !I
  } else {
    scf.yield %rest_a, %rest_b, %none : index, index, !I
  }
  %few_a = arith.minui %n#0, %c16 : index
  %few_b = arith.minui %n#1, %c16 : index
  return %few_a, %few_b, %n#2 : index, index, !I
}

// Asks for the columns of a later block of rows that are as far behind its begin as element %p is behind that of this
// one: memory brings them while columns are compared.
func.func private @prefetch_columns(%indices: memref<?x!I>, %p: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %block = arith.constant 4096 : index
  %size = memref.dim %indices, %c0 : memref<?x!I>
  %last = arith.subi %size, %c1 : index
  %later = arith.addi %p, %block : index
  %there = arith.minui %later, %last : index
  memref.prefetch %indices[%there], read, locality<3>, data : memref<?x!I>
  return
}

// Asks for the values of a later block of rows that are as far behind its begin as element %p is behind that of this
// one.
func.func private @prefetch_values(%data: memref<?x!T>, %p: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %line = arith.constant 8 : index
  %block = arith.constant 4096 : index
  %size = memref.dim %data, %c0 : memref<?x!T>
  %last = arith.subi %size, %c1 : index
  %later = arith.addi %p, %block : index
  %later1 = arith.addi %later, %line : index
  %there = arith.minui %later, %last : index
  %there1 = arith.minui %later1, %last : index
  memref.prefetch %data[%there], read, locality<2>, data : memref<?x!T>
  memref.prefetch %data[%there1], read, locality<2>, data : memref<?x!T>
  return
}

func.func private @is_equal(%columns: vector<16x!I>, %column: !I) -> vector<16xi1> {
  %each = vector.broadcast %column : !I to vector<16x!I>
  %equal = arith.cmpi eq, %columns, %each : vector<16x!I>
  return %equal : vector<16xi1>
}

// How many columns are less than one.
func.func private @count_less(%columns: vector<16x!I>, %column: !I) -> index {
  %each = vector.broadcast %column : !I to vector<16x!I>
  %less = arith.cmpi ult, %columns, %each : vector<16x!I>
  %count = func.call @count_lanes(%less) : (vector<16xi1>) -> index
  return %count : index
}

// Which of the first %n columns are among those of elements %q to %q + %k - 1. They are read one by one: what vectors
// store cannot be read by parts before it has left the core.
func.func private @is_among(%columns: vector<16x!I>, %n: index, %indices: memref<?x!I>, %q: index, %k: index)
    -> vector<16xi1> {
  %c1 = arith.constant 1 : index
  %none = arith.constant dense<false> : vector<16xi1>
  %end = arith.addi %q, %k : index
  %found = scf.for %j = %q to %end step %c1 iter_args(%acc = %none) -> (vector<16xi1>) {
    %column = memref.load %indices[%j] : memref<?x!I>
    %equal = func.call @is_equal(%columns, %column) : (vector<16x!I>, !I) -> vector<16xi1>
    %next = arith.ori %acc, %equal : vector<16xi1>
    scf.yield %next : vector<16xi1>
  }
  %mask = vector.create_mask %n : vector<16xi1>
  %among = arith.andi %found, %mask : vector<16xi1>
  return %among : vector<16xi1>
}

// Whether %p is less than %ea, and %q than %eb; none is greater. Which of the rows ends first cannot be foreseen: so
// one branch depends on both, by the sign of the differences.
func.func private @both_left(%p: index, %ea: index, %q: index, %eb: index) -> i1 {
  %c0 = arith.constant 0 : index
  %left_a = arith.subi %p, %ea : index
  %left_b = arith.subi %q, %eb : index
  %both = arith.andi %left_a, %left_b : index
  %left = arith.cmpi slt, %both, %c0 : index
  return %left : i1
}

// Where the next blocks of two rows are, from which columns that both have are sought next: behind the block of 16, or
// the rest of the row, that ends with the lesser column, or behind both where they end with the same one. So each block
// of a is compared with all blocks of b that may have one of its columns.
func.func private @next_blocks(%ai: memref<?x!I>, %p: index, %na: index, %bi: memref<?x!I>, %q: index, %nb: index)
    -> (index, index) {
  %c1 = arith.constant 1 : index
  %behind_a = arith.addi %p, %na : index
  %behind_b = arith.addi %q, %nb : index
  %end_a = arith.subi %behind_a, %c1 : index
  %end_b = arith.subi %behind_b, %c1 : index
  %last_a = memref.load %ai[%end_a] : memref<?x!I>
  %last_b = memref.load %bi[%end_b] : memref<?x!I>
  %done_a = arith.cmpi sle, %last_a, %last_b : !I
  %done_b = arith.cmpi sle, %last_b, %last_a : !I
  %next_p = arith.select %done_a, %behind_a, %p : index
  %next_q = arith.select %done_b, %behind_b, %q : index
  return %next_p, %next_q : index, index
}

// Ends with an error if a row of %r0 to %r1 - 1 is wrong: says which column is.
func.func private @report_order(%indptr: memref<?x!I>, %indices: memref<?x!I>, %r0: index, %r1: index, %n: index,
    %which: index) {
  %c1 = arith.constant 1 : index
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
  return
}

// Whether a column in one of rows %r0 to %r1 - 1 is not greater than the one before it, or not in a matrix of %n
// columns. Columns fall where rows begin too: they must fall as often as from the end of a row to the next.
func.func private @is_wrong_order(%indptr: memref<?x!I>, %indices: memref<?x!I>, %r0: index, %r1: index, %n: index)
    -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %no = arith.constant false
  %zeros = arith.constant dense<0> : vector<16x!I>
  %begin = func.call @pointer(%indptr, %r0) : (memref<?x!I>, index) -> index
  %end = func.call @pointer(%indptr, %r1) : (memref<?x!I>, index) -> index
  %some = arith.cmpi ult, %begin, %end : index
  %wrong = scf.if %some -> (i1) {
    %last = arith.subi %end, %c1 : index
    %falls:2 = scf.for %p = %begin to %last step %c16 iter_args(%sum = %c0, %most = %zeros) -> (index, vector<16x!I>) {
      %rest = arith.subi %last, %p : index
      %mask = vector.create_mask %rest : vector<16xi1>
      %after = arith.addi %p, %c1 : index
      %left = vector.maskedload %indices[%p], %mask, %zeros
          : memref<?x!I>, vector<16xi1>, vector<16x!I> into vector<16x!I>
      %right = vector.maskedload %indices[%after], %mask, %zeros
          : memref<?x!I>, vector<16xi1>, vector<16x!I> into vector<16x!I>
      %down = arith.cmpi sge, %left, %right : vector<16x!I>
      %here = arith.andi %down, %mask : vector<16xi1>
      %count = func.call @count_lanes(%here) : (vector<16xi1>) -> index
      %next = arith.addi %sum, %count : index
      %more = arith.maxui %most, %left : vector<16x!I>
      scf.yield %next, %more : index, vector<16x!I>
    }
    %between = scf.for %r = %r0 to %r1 step %c1 iter_args(%sum = %c0) -> (index) {
      %after = arith.addi %r, %c1 : index
      %p = func.call @pointer(%indptr, %r) : (memref<?x!I>, index) -> index
      %e = func.call @pointer(%indptr, %after) : (memref<?x!I>, index) -> index
      // the first element has none before it, and a row at the end may have none
      %here = arith.minui %p, %last : index
      %later = arith.cmpi ugt, %here, %begin : index
      %filled = arith.cmpi ult, %p, %e : index
      %two = arith.andi %later, %filled : i1
      %one_later = arith.extui %later : i1 to i64
      %back = arith.index_cast %one_later : i64 to index
      %before = arith.subi %here, %back : index
      %i = memref.load %indices[%before] : memref<?x!I>
      %j = memref.load %indices[%here] : memref<?x!I>
      %down = arith.cmpi sge, %i, %j : !I
      %falls_here = arith.andi %two, %down : i1
      %one = arith.extui %falls_here : i1 to i64
      %step = arith.index_cast %one : i64 to index
      %next = arith.addi %sum, %step : index
      scf.yield %next : index
    }
    %differ = arith.cmpi ne, %falls#0, %between : index
    %greatest = vector.reduction <maxui>, %falls#1 : vector<16x!I> into !I
    %final = memref.load %indices[%last] : memref<?x!I>
    %either_column = arith.maxui %greatest, %final : !I
    %column = arith.index_cast %either_column : !I to index
    %over = arith.cmpi uge, %column, %n : index
    %either = arith.ori %differ, %over : i1
    scf.yield %either : i1
  } else {
    scf.yield %no : i1
  }
  return %wrong : i1
}

// Checks that the columns of rows %r0 to %r1 - 1 ascend and are less than %n.
func.func private @check_order(%indptr: memref<?x!I>, %indices: memref<?x!I>, %r0: index, %r1: index, %n: index,
    %which: index) {
  %wrong = func.call @is_wrong_order(%indptr, %indices, %r0, %r1, %n)
      : (memref<?x!I>, memref<?x!I>, index, index, index) -> i1
  scf.if %wrong {
    func.call @report_order(%indptr, %indices, %r0, %r1, %n, %which)
        : (memref<?x!I>, memref<?x!I>, index, index, index, index) -> ()
  }
  return
}

// Checks that the rows of two matrices are in order and equally many. Their number.
func.func private @check_pair(%ap: memref<?x!I>, %ai: memref<?x!I>, %ad: memref<?x!T>, %bp: memref<?x!I>,
    %bi: memref<?x!I>, %bd: memref<?x!T>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = func.call @check_rows(%ap, %ai, %ad, %c0) : (memref<?x!I>, memref<?x!I>, memref<?x!T>, index) -> index
  %rows_b = func.call @check_rows(%bp, %bi, %bd, %c1) : (memref<?x!I>, memref<?x!I>, memref<?x!T>, index) -> index
  %same = arith.cmpi eq, %m, %rows_b : index
  rt.check %same, "CSR matrix 0 has %0 rows, but matrix 1 has %1"(%m, %rows_b : index, index)
  return %m : index
}

// How many rows make a block of about 4096 elements of one of two matrices.
func.func private @rows_of_pair(%ap: memref<?x!I>, %bp: memref<?x!I>, %m: index) -> index {
  %rows = func.call @rows_of_block(%ap, %m) : (memref<?x!I>, index) -> index
  %rows_by_b = func.call @rows_of_block(%bp, %m) : (memref<?x!I>, index) -> index
  %step = arith.minui %rows, %rows_by_b : index
  return %step : index
}
