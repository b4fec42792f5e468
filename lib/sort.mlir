// sort.mlir - the rows of a matrix, sorted.
//
// Elements become integers in the same order, which are sorted as unsigned ones (sort_rows.mlir) and become elements
// again, as bits. -0 comes before 0 there; where a row has both, its zeros are written once more in the order that they
// have in the row. So equal elements keep their order, as far as one can tell them apart. All NaN become one NaN.
//
// The prelude defines the types !T and !K, @code(!T) -> !K, its reverse @element, @zero and @minus_zero (their codes).

!S = !K

func.func private @less(%a: !S, %b: !S) -> i1 {
  %less = arith.cmpi ult, %a, %b : !S
  return %less : i1
}

func.func private @read(%x: memref<?x!T>, %keys: memref<?x!S>, %row: index, %i: index) -> !S {
  %at = arith.addi %row, %i : index
  %value = memref.load %x[%at] : memref<?x!T>
  %key = func.call @code(%value) : (!T) -> !K
  return %key : !S
}

func.func private @result(%key: !S, %order: memref<?xi32>, %row: index) -> !S {
  %value = func.call @element(%key) : (!K) -> !T
  %bits = arith.bitcast %value : !T to !S
  return %bits : !S
}

// How many elements of the sorted row have a lesser code.
func.func private @number_below(%sorted: memref<?x!S>, %row: index, %n: index, %code: !K) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %found:2 = scf.while (%lo = %c0, %hi = %n) : (index, index) -> (index, index) {
    %more = arith.cmpi ult, %lo, %hi : index
    scf.condition(%more) %lo, %hi : index, index
  } do {
  ^bb0(%lo: index, %hi: index):
    %sum = arith.addi %lo, %hi : index
    %mid = arith.shrui %sum, %c1 : index
    %at = arith.addi %row, %mid : index
    %bits = memref.load %sorted[%at] : memref<?x!S>
    %value = arith.bitcast %bits : !S to !T
    %other = func.call @code(%value) : (!T) -> !K
    %less = arith.cmpi ult, %other, %code : !K
    %after = arith.addi %mid, %c1 : index
    %lo1 = arith.select %less, %after, %lo : index
    %hi1 = arith.select %less, %hi, %mid : index
    scf.yield %lo1, %hi1 : index, index
  }
  return %found#0 : index
}

// Whether a row of the sorted list, from %row to %end, has zeros of both signs.
func.func private @has_both_zeros(%sorted: memref<?x!S>, %row: index, %end: index, %zero: !K, %minus_zero: !K) -> i1 {
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : !K
  %found:2 = scf.for %i = %row to %end step %c1 iter_args(%plus = %none, %minus = %none) -> (!K, !K) {
    %bits = memref.load %sorted[%i] : memref<?x!S>
    %value = arith.bitcast %bits : !S to !T
    %code = func.call @code(%value) : (!T) -> !K
    %is_zero = arith.cmpi eq, %code, %zero : !K
    %is_minus_zero = arith.cmpi eq, %code, %minus_zero : !K
    %one = arith.select %is_zero, %code, %none : !K
    %other = arith.select %is_minus_zero, %code, %none : !K
    %next_plus = arith.ori %plus, %one : !K
    %next_minus = arith.ori %minus, %other : !K
    scf.yield %next_plus, %next_minus : !K, !K
  }
  %some = arith.cmpi ne, %found#0, %none : !K
  %others = arith.cmpi ne, %found#1, %none : !K
  %both = arith.andi %some, %others : i1
  return %both : i1
}

// Writes the zeros of a row of x to the places of the zeros in the same row of the sorted list, where they are of both
// signs.
func.func private @order_zeros(%x: memref<?x!T>, %row: index, %n: index, %sorted: memref<?x!S>, %zero: !K,
    %minus_zero: !K) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : !K
  %first = arith.minui %zero, %minus_zero : !K
  %second = arith.maxui %zero, %minus_zero : !K
  %behind = arith.addi %second, %one : !K
  %begin = func.call @number_below(%sorted, %row, %n, %first) : (memref<?x!S>, index, index, !K) -> index
  %middle = func.call @number_below(%sorted, %row, %n, %second) : (memref<?x!S>, index, index, !K) -> index
  %end = func.call @number_below(%sorted, %row, %n, %behind) : (memref<?x!S>, index, index, !K) -> index
  %has_first = arith.cmpi ult, %begin, %middle : index
  %has_second = arith.cmpi ult, %middle, %end : index
  %has_both = arith.andi %has_first, %has_second : i1
  scf.if %has_both {
    // the zeros of 1,024 elements at a time are put together without branches
    %c1024 = arith.constant 1024 : index
    %tile = memref.alloc() : memref<1025x!S>
    %all = scf.for %i = %c0 to %n step %c1024 iter_args(%to = %begin) -> (index) {
      %left = arith.subi %n, %i : index
      %size = arith.minui %left, %c1024 : index
      %num_zeros = scf.for %j = %c0 to %size step %c1 iter_args(%count = %c0) -> (index) {
        %column = arith.addi %i, %j : index
        %from = arith.addi %row, %column : index
        %value = memref.load %x[%from] : memref<?x!T>
        %bits = arith.bitcast %value : !T to !S
        memref.store %bits, %tile[%count] : memref<1025x!S>
        %code = func.call @code(%value) : (!T) -> !K
        %is_zero = arith.cmpi eq, %code, %zero : !K
        %is_minus_zero = arith.cmpi eq, %code, %minus_zero : !K
        %either = arith.ori %is_zero, %is_minus_zero : i1
        %more = arith.extui %either : i1 to i64
        %more_index = arith.index_cast %more : i64 to index
        %next = arith.addi %count, %more_index : index
        scf.yield %next : index
      }
      // no more than there are, whatever is in x by now
      %room = arith.subi %end, %to : index
      %written = arith.minui %num_zeros, %room : index
      scf.for %j = %c0 to %written step %c1 {
        %bits = memref.load %tile[%j] : memref<1025x!S>
        %column = arith.addi %to, %j : index
        %at = arith.addi %row, %column : index
        memref.store %bits, %sorted[%at] : memref<?x!S>
      }
      %next = arith.addi %to, %written : index
      scf.yield %next : index
    }
    memref.dealloc %tile : memref<1025x!S>
  }
  return
}

func.func @sort(%x: tensor<?x?x!T>) -> tensor<?x?x!T> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?x!T>
  %n = tensor.dim %x, %c1 : tensor<?x?x!T>
  // rows without elements may be more than can be visited
  %is_empty = arith.cmpi eq, %n, %c0 : index
  %some_rows = arith.select %is_empty, %c0, %rows : index
  %total = arith.muli %some_rows, %n : index
  %list = tensor.collapse_shape %x [[0, 1]] : tensor<?x?x!T> into tensor<?x!T>
  %elements = bufferization.to_buffer %list read_only : tensor<?x!T> to memref<?x!T>
  %results = memref.alloc(%total) : memref<?x!T>
  %sorted = rt.pointer %results : memref<?x!T> -> memref<?x!S>
  %no_keys = memref.alloc(%c0) : memref<?x!S>
  %no_order = memref.alloc(%c0) : memref<?xi32>
  func.call @sort_rows(%elements, %no_keys, %no_order, %some_rows, %n, %c0, %sorted)
      : (memref<?x!T>, memref<?x!S>, memref<?xi32>, index, index, index, memref<?x!S>) -> ()
  %zero = func.call @zero() : () -> !K
  %minus_zero = func.call @minus_zero() : () -> !K
  %two_zeros = arith.cmpi ne, %zero, %minus_zero : !K
  scf.if %two_zeros {
    // a short row is looked through in less time than its zeros are searched for
    %most_short = arith.constant 1024 : index
    %is_short = arith.cmpi ule, %n, %most_short : index
    scf.parallel (%r) = (%c0) to (%some_rows) step (%c1) {
      %row = arith.muli %r, %n : index
      %end = arith.addi %row, %n : index
      %may = scf.if %is_short -> (i1) {
        %both = func.call @has_both_zeros(%sorted, %row, %end, %zero, %minus_zero)
            : (memref<?x!S>, index, index, !K, !K) -> i1
        scf.yield %both : i1
      } else {
        %yes = arith.constant true
        scf.yield %yes : i1
      }
      scf.if %may {
        func.call @order_zeros(%elements, %row, %n, %sorted, %zero, %minus_zero)
            : (memref<?x!T>, index, index, memref<?x!S>, !K, !K) -> ()
      }
      scf.reduce
    } {noria.point_ns = 200}
  }
  memref.dealloc %no_keys : memref<?x!S>
  memref.dealloc %no_order : memref<?xi32>
  %values = bufferization.to_tensor %results restrict : memref<?x!T> to tensor<?x!T>
  %result = tensor.expand_shape %values [[0, 1]] output_shape [%rows, %n] : tensor<?x!T> into tensor<?x?x!T>
  return %result : tensor<?x?x!T>
}
