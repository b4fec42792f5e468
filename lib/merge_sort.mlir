// merge_sort.mlir - sorts rows of unsigned integers, on all threads.
//
// A row is cut into parts that fit in a core's cache. Each is sorted by itself: a long one by a radix sort from the least
// significant digit on, which leaves out digits that all elements share; a short one by insertion sort of blocks and merges of
// pairs of blocks. Then runs are merged in pairs, from one list into another and back, until there is one run. Each merge is
// cut by merge path (merge_path.mlir), so that threads have equal work also in the last one. Costs n log n.
//
// A radix sort needs not look at the bits below %low where they ascend before the sort, as the places in a row do.
//
// The prelude defines !S, an integer type, and what merge_path.mlir takes.

func.func private @digit(%key: !S, %shift: !S, %mask: !S) -> index {
  %moved = arith.shrui %key, %shift : !S
  %digit = arith.andi %moved, %mask : !S
  %number = arith.index_castui %digit : !S to index
  return %number : index
}

// Counts the digits of the elements at three shifts.
func.func private @count_digits(%from: memref<?x!S>, %begin: index, %end: index, %shifts: memref<3x!S>,
    %masks: memref<3x!S>, %counts: memref<3x2048xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c2048 = arith.constant 2048 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %c0 to %c3 step %c1 {
    scf.for %j = %c0 to %c2048 step %c1 {
      memref.store %zero, %counts[%i, %j] : memref<3x2048xi32>
    }
  }
  %shift0 = memref.load %shifts[%c0] : memref<3x!S>
  %shift1 = memref.load %shifts[%c1] : memref<3x!S>
  %shift2 = memref.load %shifts[%c2] : memref<3x!S>
  %mask0 = memref.load %masks[%c0] : memref<3x!S>
  %mask1 = memref.load %masks[%c1] : memref<3x!S>
  %mask2 = memref.load %masks[%c2] : memref<3x!S>
  scf.for %i = %begin to %end step %c1 {
    %key = memref.load %from[%i] : memref<?x!S>
    %digit0 = func.call @digit(%key, %shift0, %mask0) : (!S, !S, !S) -> index
    %digit1 = func.call @digit(%key, %shift1, %mask1) : (!S, !S, !S) -> index
    %digit2 = func.call @digit(%key, %shift2, %mask2) : (!S, !S, !S) -> index
    %count0 = memref.load %counts[%c0, %digit0] : memref<3x2048xi32>
    %count1 = memref.load %counts[%c1, %digit1] : memref<3x2048xi32>
    %count2 = memref.load %counts[%c2, %digit2] : memref<3x2048xi32>
    %more0 = arith.addi %count0, %one : i32
    %more1 = arith.addi %count1, %one : i32
    %more2 = arith.addi %count2, %one : i32
    memref.store %more0, %counts[%c0, %digit0] : memref<3x2048xi32>
    memref.store %more1, %counts[%c1, %digit1] : memref<3x2048xi32>
    memref.store %more2, %counts[%c2, %digit2] : memref<3x2048xi32>
  }
  return
}

// Sorts from[begin, end) by a digit, stably, to the same part of %to; or leaves it where all digits are equal. Whether it
// moved them. counts[d] are the numbers of the digits, which are overwritten.
func.func private @radix_pass(%from: memref<?x!S>, %to: memref<?x!S>, %begin: index, %end: index, %d: index, %shift: !S,
    %mask: !S, %counts: memref<3x2048xi32>) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %first = memref.load %from[%begin] : memref<?x!S>
  %first_digit = func.call @digit(%first, %shift, %mask) : (!S, !S, !S) -> index
  %same = memref.load %counts[%d, %first_digit] : memref<3x2048xi32>
  %same_index = arith.index_castui %same : i32 to index
  %n = arith.subi %end, %begin : index
  %moves = arith.cmpi ne, %same_index, %n : index
  scf.if %moves {
    %mask_index = arith.index_castui %mask : !S to index
    %num_digits = arith.addi %mask_index, %c1 : index
    %all = scf.for %i = %c0 to %num_digits step %c1 iter_args(%sum = %zero) -> (i32) {
      %count = memref.load %counts[%d, %i] : memref<3x2048xi32>
      memref.store %sum, %counts[%d, %i] : memref<3x2048xi32>
      %next = arith.addi %sum, %count : i32
      scf.yield %next : i32
    }
    scf.for %i = %begin to %end step %c1 {
      %key = memref.load %from[%i] : memref<?x!S>
      %digit = func.call @digit(%key, %shift, %mask) : (!S, !S, !S) -> index
      %place = memref.load %counts[%d, %digit] : memref<3x2048xi32>
      %ahead = arith.index_castui %place : i32 to index
      %at = arith.addi %begin, %ahead : index
      memref.store %key, %to[%at] : memref<?x!S>
      %after = arith.addi %place, %one : i32
      memref.store %after, %counts[%d, %digit] : memref<3x2048xi32>
    }
  }
  return %moves : i1
}

// Sorts from[begin, begin + n) by the bits %low to %high, three digits after each counting. The result is in the same part
// of one of the lists, which is returned.
func.func private @radix_sort(%from: memref<?x!S>, %to: memref<?x!S>, %begin: index, %n: index, %low: index,
    %high: index) -> memref<?x!S> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c11 = arith.constant 11 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant 0 : !S
  // digits of 11 bits make 3 passes of 32 bits; 8 and 16 bits are 1 and 2 of 8
  %bits = arith.subi %high, %low : index
  %is_narrow = arith.cmpi ule, %bits, %c16 : index
  %width = arith.select %is_narrow, %c8, %c11 : index
  %size = arith.shli %c1, %width : index
  %most = arith.subi %size, %c1 : index
  %full = arith.index_castui %most : index to !S
  %thrice = arith.muli %width, %c3 : index
  %end = arith.addi %begin, %n : index
  %counts = memref.alloc() : memref<3x2048xi32>
  %shifts = memref.alloc() : memref<3x!S>
  %masks = memref.alloc() : memref<3x!S>
  %sorted:2 = scf.for %group = %low to %high step %thrice iter_args(%a0 = %from, %b0 = %to)
      -> (memref<?x!S>, memref<?x!S>) {
    scf.for %d = %c0 to %c3 step %c1 {
      %ahead = arith.muli %d, %width : index
      %bit = arith.addi %group, %ahead : index
      %there = arith.cmpi ult, %bit, %high : index
      %known_bit = arith.select %there, %bit, %low : index
      %shift = arith.index_castui %known_bit : index to !S
      %mask = arith.select %there, %full, %none : !S
      memref.store %shift, %shifts[%d] : memref<3x!S>
      memref.store %mask, %masks[%d] : memref<3x!S>
    }
    func.call @count_digits(%a0, %begin, %end, %shifts, %masks, %counts)
        : (memref<?x!S>, index, index, memref<3x!S>, memref<3x!S>, memref<3x2048xi32>) -> ()
    %after:2 = scf.for %d = %c0 to %c3 step %c1 iter_args(%a = %a0, %b = %b0) -> (memref<?x!S>, memref<?x!S>) {
      %shift = memref.load %shifts[%d] : memref<3x!S>
      %mask = memref.load %masks[%d] : memref<3x!S>
      %moved = func.call @radix_pass(%a, %b, %begin, %end, %d, %shift, %mask, %counts)
          : (memref<?x!S>, memref<?x!S>, index, index, index, !S, !S, memref<3x2048xi32>) -> i1
      %next:2 = scf.if %moved -> (memref<?x!S>, memref<?x!S>) {
        scf.yield %b, %a : memref<?x!S>, memref<?x!S>
      } else {
        scf.yield %a, %b : memref<?x!S>, memref<?x!S>
      }
      scf.yield %next#0, %next#1 : memref<?x!S>, memref<?x!S>
    }
    scf.yield %after#0, %after#1 : memref<?x!S>, memref<?x!S>
  }
  memref.dealloc %counts : memref<3x2048xi32>
  memref.dealloc %shifts : memref<3x!S>
  memref.dealloc %masks : memref<3x!S>
  return %sorted#0 : memref<?x!S>
}

func.func private @insertion_sort(%keys: memref<?x!S>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  %second = arith.addi %begin, %c1 : index
  scf.for %i = %second to %end step %c1 {
    %key = memref.load %keys[%i] : memref<?x!S>
    %hole = scf.while (%at = %i) : (index) -> (index) {
      %not_first = arith.cmpi ugt, %at, %begin : index
      %moves = scf.if %not_first -> (i1) {
        %left = arith.subi %at, %c1 : index
        %other = memref.load %keys[%left] : memref<?x!S>
        %less = func.call @less(%key, %other) : (!S, !S) -> i1
        scf.if %less {
          memref.store %other, %keys[%at] : memref<?x!S>
        }
        scf.yield %less : i1
      } else {
        scf.yield %not_first : i1
      }
      scf.condition(%moves) %at : index
    } do {
    ^bb0(%at: index):
      %left = arith.subi %at, %c1 : index
      scf.yield %left : index
    }
    memref.store %key, %keys[%hole] : memref<?x!S>
  }
  return
}

// Blocks of 16 by insertion, then runs of 16, 32, .. are merged. The result is in one of the lists, which is returned.
func.func private @short_sort(%from: memref<?x!S>, %to: memref<?x!S>, %begin: index, %n: index)
    -> memref<?x!S> {
  %c16 = arith.constant 16 : index
  %end = arith.addi %begin, %n : index
  scf.for %i = %begin to %end step %c16 {
    %behind = arith.addi %i, %c16 : index
    %block_end = arith.minui %behind, %end : index
    func.call @insertion_sort(%from, %i, %block_end) : (memref<?x!S>, index, index) -> ()
  }
  %sorted:3 = scf.while (%width = %c16, %a = %from, %b = %to)
      : (index, memref<?x!S>, memref<?x!S>) -> (index, memref<?x!S>, memref<?x!S>) {
    %more = arith.cmpi ult, %width, %n : index
    scf.condition(%more) %width, %a, %b : index, memref<?x!S>, memref<?x!S>
  } do {
  ^bb0(%width: index, %a: memref<?x!S>, %b: memref<?x!S>):
    %twice = arith.addi %width, %width : index
    scf.for %i = %begin to %end step %twice {
      %mid_or_more = arith.addi %i, %width : index
      %end_or_more = arith.addi %i, %twice : index
      %mid = arith.minui %mid_or_more, %end : index
      %pair_end = arith.minui %end_or_more, %end : index
      func.call @merge_serially(%a, %i, %mid, %a, %mid, %pair_end, %b, %i)
          : (memref<?x!S>, index, index, memref<?x!S>, index, index, memref<?x!S>, index) -> ()
    }
    scf.yield %twice, %b, %a : index, memref<?x!S>, memref<?x!S>
  }
  return %sorted#1 : memref<?x!S>
}

// Sorts keys[begin, begin + n) by the bits from %low to %high; the same part of %spare is written too.
func.func private @sort_part(%keys: memref<?x!S>, %spare: memref<?x!S>, %begin: index, %n: index, %low: index,
    %high: index) {
  %c1 = arith.constant 1 : index
  %shortest = arith.constant 256 : index
  %is_short = arith.cmpi ult, %n, %shortest : index
  %sorted = scf.if %is_short -> (memref<?x!S>) {
    %by_merges = func.call @short_sort(%keys, %spare, %begin, %n)
        : (memref<?x!S>, memref<?x!S>, index, index) -> memref<?x!S>
    scf.yield %by_merges : memref<?x!S>
  } else {
    %by_digits = func.call @radix_sort(%keys, %spare, %begin, %n, %low, %high)
        : (memref<?x!S>, memref<?x!S>, index, index, index, index) -> memref<?x!S>
    scf.yield %by_digits : memref<?x!S>
  }
  // copied by their addresses: which list it is, only the run knows
  %from = memref.extract_aligned_pointer_as_index %sorted : memref<?x!S> -> index
  %wanted = memref.extract_aligned_pointer_as_index %keys : memref<?x!S> -> index
  %elsewhere = arith.cmpi ne, %from, %wanted : index
  scf.if %elsewhere {
    %end = arith.addi %begin, %n : index
    scf.for %i = %begin to %end step %c1 {
      %key = memref.load %sorted[%i] : memref<?x!S>
      memref.store %key, %keys[%i] : memref<?x!S>
    }
  }
  return
}

// Sorts each of the rows of n elements, of which parts of %part elements are sorted. %keys and %spare are overwritten; the
// result is one of them.
func.func private @merge_sorted(%keys: memref<?x!S>, %spare: memref<?x!S>, %rows: index, %n: index, %part: index)
    -> memref<?x!S> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %parts = arith.ceildivui %n, %part : index
  %sorted:3 = scf.while (%width = %part, %a = %keys, %b = %spare)
      : (index, memref<?x!S>, memref<?x!S>) -> (index, memref<?x!S>, memref<?x!S>) {
    %more = arith.cmpi ult, %width, %n : index
    scf.condition(%more) %width, %a, %b : index, memref<?x!S>, memref<?x!S>
  } do {
  ^bb0(%width: index, %a: memref<?x!S>, %b: memref<?x!S>):
    %twice = arith.addi %width, %width : index
    scf.parallel (%row, %p) = (%c0, %c0) to (%rows, %parts) step (%c1, %c1) {
      %first = arith.muli %row, %n : index
      %i = arith.muli %p, %part : index
      %i_end_or_more = arith.addi %i, %part : index
      %i_end = arith.minui %i_end_or_more, %n : index
      %in_pair = arith.remui %i, %twice : index
      %pair = arith.subi %i, %in_pair : index
      %mid_or_more = arith.addi %pair, %width : index
      %end_or_more = arith.addi %pair, %twice : index
      %mid = arith.minui %mid_or_more, %n : index
      %end = arith.minui %end_or_more, %n : index
      %num_left = arith.subi %mid, %pair : index
      %num_right = arith.subi %end, %mid : index
      %d_end = arith.subi %i_end, %pair : index
      %left = arith.addi %first, %pair : index
      %right = arith.addi %first, %mid : index
      %at = arith.addi %first, %i : index
      func.call @merge_part(%a, %left, %num_left, %a, %right, %num_right, %in_pair, %d_end, %b, %at)
          : (memref<?x!S>, index, index, memref<?x!S>, index, index, index, index, memref<?x!S>, index) -> ()
      scf.reduce
    } {noria.point_ns = 60000}
    scf.yield %twice, %b, %a : index, memref<?x!S>, memref<?x!S>
  }
  return %sorted#1 : memref<?x!S>
}

// Sorts each of the rows of n elements. %keys and %spare are overwritten; the result is one of them. Work is shared in units of
// %part elements: a part of a row, or as many rows.
func.func private @sort_rows(%keys: memref<?x!S>, %spare: memref<?x!S>, %rows: index, %n: index, %part: index, %low: index,
    %high: index) -> memref<?x!S> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %some = arith.maxui %n, %c1 : index
  %fit = arith.divui %part, %some : index
  %group = arith.maxui %fit, %c1 : index
  %num_groups = arith.ceildivui %rows, %group : index
  %num_parts = arith.ceildivui %n, %part : index
  scf.parallel (%g, %p) = (%c0, %c0) to (%num_groups, %num_parts) step (%c1, %c1) {
    %row_begin = arith.muli %g, %group : index
    %behind = arith.addi %row_begin, %group : index
    %row_end = arith.minui %behind, %rows : index
    %i = arith.muli %p, %part : index
    %left = arith.subi %n, %i : index
    %size = arith.minui %left, %part : index
    scf.for %row = %row_begin to %row_end step %c1 {
      %first = arith.muli %row, %n : index
      %begin = arith.addi %first, %i : index
      func.call @sort_part(%keys, %spare, %begin, %size, %low, %high)
          : (memref<?x!S>, memref<?x!S>, index, index, index, index) -> ()
    }
    scf.reduce
  } {noria.point_ns = 200000}
  %sorted = func.call @merge_sorted(%keys, %spare, %rows, %n, %part)
      : (memref<?x!S>, memref<?x!S>, index, index, index) -> memref<?x!S>
  return %sorted : memref<?x!S>
}
