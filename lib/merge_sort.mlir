// merge_sort.mlir - sorts unsigned integers: a list on one thread, and a long list on all threads by parts and merges.
//
// On one thread, a list is sorted by partitions where that pays (sort_quick.mlir), else by a radix sort from the least
// significant digit on. Digits are of differences from the least element, so that there are no more of them than the
// elements need; one that all elements share is left out. Where keys are wide, only so many of their high bits are
// sorted by as few of them share, and insertion puts those in order.
//
// On all threads, parts of a list that fit in a core's cache are each sorted like that. Then runs are merged in pairs,
// from one list into another and back, until there is one run. Each merge is cut by merge path (merge_path.mlir), so
// that threads have equal work also in the last one. Costs n log n.
//
// A radix sort needs not look at the bits below %low where they ascend before the sort, as the places in a row do.
//
// The prelude defines !S, an integer type, and what merge_path.mlir takes.

func.func private @digit(%key: !S, %least: !S, %shift: !S, %mask: !S) -> index {
  %ahead = arith.subi %key, %least : !S
  %moved = arith.shrui %ahead, %shift : !S
  %digit = arith.andi %moved, %mask : !S
  %number = arith.index_castui %digit : !S to index
  return %number : index
}

// How many bits a number has, from its highest one on.
func.func private @bit_length(%number: index) -> index {
  %c64 = arith.constant 64 : index
  %bits = arith.index_cast %number : index to i64
  %zeros = math.ctlz %bits : i64
  %num_zeros = arith.index_cast %zeros : i64 to index
  %length = arith.subi %c64, %num_zeros : index
  return %length : index
}

// The least and the greatest of %n elements, at least one, from list[%begin] on.
func.func private @range_of(%list: memref<?x!S>, %begin: index, %n: index) -> (!S, !S) {
  %c1 = arith.constant 1 : index
  %end = arith.addi %begin, %n : index
  %first = memref.load %list[%begin] : memref<?x!S>
  %range:2 = scf.for %i = %begin to %end step %c1 iter_args(%min = %first, %max = %first) -> (!S, !S) {
    %key = memref.load %list[%i] : memref<?x!S>
    %less = arith.minui %min, %key : !S
    %greater = arith.maxui %max, %key : !S
    scf.yield %less, %greater : !S, !S
  }
  return %range#0, %range#1 : !S, !S
}

// Sorts n elements from a[a_begin] on by a digit, stably, to b[b_begin] on; or leaves them where all digits are equal.
// Whether it moved them.
func.func private @radix_pass(%a: memref<?x!S>, %a_begin: index, %b: memref<?x!S>, %b_begin: index, %n: index,
    %least: !S, %shift: !S, %mask: !S, %counts: memref<4096xi32>) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %mask_index = arith.index_castui %mask : !S to index
  %num_digits = arith.addi %mask_index, %c1 : index
  %end = arith.addi %a_begin, %n : index
  scf.for %i = %c0 to %num_digits step %c1 {
    memref.store %zero, %counts[%i] : memref<4096xi32>
  }
  scf.for %i = %a_begin to %end step %c1 {
    %key = memref.load %a[%i] : memref<?x!S>
    %digit = func.call @digit(%key, %least, %shift, %mask) : (!S, !S, !S, !S) -> index
    %count = memref.load %counts[%digit] : memref<4096xi32>
    %more = arith.addi %count, %one : i32
    memref.store %more, %counts[%digit] : memref<4096xi32>
  }
  %first = memref.load %a[%a_begin] : memref<?x!S>
  %first_digit = func.call @digit(%first, %least, %shift, %mask) : (!S, !S, !S, !S) -> index
  %same = memref.load %counts[%first_digit] : memref<4096xi32>
  %same_index = arith.index_castui %same : i32 to index
  %moves = arith.cmpi ne, %same_index, %n : index
  scf.if %moves {
    %all = scf.for %i = %c0 to %num_digits step %c1 iter_args(%sum = %zero) -> (i32) {
      %count = memref.load %counts[%i] : memref<4096xi32>
      memref.store %sum, %counts[%i] : memref<4096xi32>
      %next = arith.addi %sum, %count : i32
      scf.yield %next : i32
    }
    scf.for %i = %a_begin to %end step %c1 {
      %key = memref.load %a[%i] : memref<?x!S>
      %digit = func.call @digit(%key, %least, %shift, %mask) : (!S, !S, !S, !S) -> index
      %place = memref.load %counts[%digit] : memref<4096xi32>
      %ahead = arith.index_castui %place : i32 to index
      %at = arith.addi %b_begin, %ahead : index
      memref.store %key, %b[%at] : memref<?x!S>
      %after = arith.addi %place, %one : i32
      memref.store %after, %counts[%digit] : memref<4096xi32>
    }
  }
  return %moves : i1
}

// Sorts n elements by digits from bit %bit of their differences from %least on. They are from a[a_begin] on or, with
// %in_b, from b[b_begin] on; whether they are there after it.
func.func private @radix_passes(%a: memref<?x!S>, %a_begin: index, %b: memref<?x!S>, %b_begin: index, %in_b: i1,
    %n: index, %least: !S, %bit: index, %width: index, %passes: index, %counts: memref<4096xi32>) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = arith.shli %c1, %width : index
  %most = arith.subi %size, %c1 : index
  %mask = arith.index_castui %most : index to !S
  %now_in_b = scf.for %d = %c0 to %passes step %c1 iter_args(%from_b = %in_b) -> (i1) {
    %before = arith.muli %d, %width : index
    %digit_bit = arith.addi %bit, %before : index
    %shift = arith.index_castui %digit_bit : index to !S
    %ends:4 = scf.if %from_b -> (memref<?x!S>, index, memref<?x!S>, index) {
      scf.yield %b, %b_begin, %a, %a_begin : memref<?x!S>, index, memref<?x!S>, index
    } else {
      scf.yield %a, %a_begin, %b, %b_begin : memref<?x!S>, index, memref<?x!S>, index
    }
    %moved = func.call @radix_pass(%ends#0, %ends#1, %ends#2, %ends#3, %n, %least, %shift, %mask, %counts)
        : (memref<?x!S>, index, memref<?x!S>, index, index, !S, !S, !S, memref<4096xi32>) -> i1
    %next = arith.xori %from_b, %moved : i1
    scf.yield %next : i1
  }
  return %now_in_b : i1
}

// 1 where an element is less than the one ahead of it, else 0.
func.func private @descends(%keys: memref<?x!S>, %i: index) -> index {
  %c1 = arith.constant 1 : index
  %before = arith.subi %i, %c1 : index
  %left = memref.load %keys[%before] : memref<?x!S>
  %key = memref.load %keys[%i] : memref<?x!S>
  %less = func.call @less(%key, %left) : (!S, !S) -> i1
  %wide = arith.extui %less : i1 to i64
  %number = arith.index_cast %wide : i64 to index
  return %number : index
}

// Inserts the elements from %first to %end among those ahead of them, from %begin on, which are sorted. Gives how many
// of %moves are left; without any, elements stay where they are.
func.func private @insert_from(%keys: memref<?x!S>, %begin: index, %first: index, %end: index, %moves: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %left = scf.for %i = %first to %end step %c1 iter_args(%budget = %moves) -> (index) {
    %key = memref.load %keys[%i] : memref<?x!S>
    %hole:2 = scf.while (%at = %i, %rest = %budget) : (index, index) -> (index, index) {
      %not_first = arith.cmpi ugt, %at, %begin : index
      %may = arith.cmpi ugt, %rest, %c0 : index
      %may_move = arith.andi %not_first, %may : i1
      %moves_now = scf.if %may_move -> (i1) {
        %before = arith.subi %at, %c1 : index
        %other = memref.load %keys[%before] : memref<?x!S>
        %less = func.call @less(%key, %other) : (!S, !S) -> i1
        scf.if %less {
          memref.store %other, %keys[%at] : memref<?x!S>
        }
        scf.yield %less : i1
      } else {
        scf.yield %may_move : i1
      }
      scf.condition(%moves_now) %at, %rest : index, index
    } do {
    ^bb0(%at: index, %rest: index):
      %before = arith.subi %at, %c1 : index
      %less_rest = arith.subi %rest, %c1 : index
      scf.yield %before, %less_rest : index, index
    }
    memref.store %key, %keys[%hole#0] : memref<?x!S>
    scf.yield %hole#1 : index
  }
  return %left : index
}

// Puts elements in order that are almost: by insertion, with at most 2 n moves. Whether that was enough; else they are
// in another order than before, in which equal ones keep theirs.
func.func private @finish_order(%keys: memref<?x!S>, %begin: index, %n: index) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c256 = arith.constant 256 : index
  %end = arith.addi %begin, %n : index
  %second = arith.addi %begin, %c1 : index
  %num_down = scf.for %i = %second to %end step %c1 iter_args(%sum = %c0) -> (index) {
    %down = func.call @descends(%keys, %i) : (memref<?x!S>, index) -> index
    %next = arith.addi %sum, %down : index
    scf.yield %next : index
  }
  // elements in random order descend at half of the places
  %few = arith.shrui %n, %c3 : index
  %is_close = arith.cmpi ule, %num_down, %few : index
  %is_sorted = scf.if %is_close -> (i1) {
    %budget = arith.addi %n, %n : index
    %left = scf.for %first = %second to %end step %c256 iter_args(%moves = %budget) -> (index) {
      %behind = arith.addi %first, %c256 : index
      %block_end = arith.minui %behind, %end : index
      %block_down = scf.for %i = %first to %block_end step %c1 iter_args(%sum = %c0) -> (index) {
        %down = func.call @descends(%keys, %i) : (memref<?x!S>, index) -> index
        %next = arith.addi %sum, %down : index
        scf.yield %next : index
      }
      %some = arith.cmpi ugt, %block_down, %c0 : index
      %after = scf.if %some -> (index) {
        %rest = func.call @insert_from(%keys, %begin, %first, %block_end, %moves)
            : (memref<?x!S>, index, index, index, index) -> index
        scf.yield %rest : index
      } else {
        scf.yield %moves : index
      }
      scf.yield %after : index
    }
    %enough = arith.cmpi ugt, %left, %c0 : index
    scf.yield %enough : i1
  } else {
    scf.yield %is_close : i1
  }
  return %is_sorted : i1
}

// Sorts n elements, at least one and less than 2^32, from a[a_begin] on by the bits from %low on; %min and %max are the
// least and the greatest of them. The same number from b[b_begin] on is overwritten. Gives the list that has the
// result, where it begins there, and whether that is %b.
func.func private @radix_sort(%a: memref<?x!S>, %a_begin: index, %b: memref<?x!S>, %b_begin: index, %n: index,
    %low: index, %min: !S, %max: !S) -> (memref<?x!S>, index, i1) {
  %no = arith.constant false
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %c4096 = arith.constant 4096 : index
  %low_bits = arith.index_castui %low : index to !S
  %min_digits = arith.shrui %min, %low_bits : !S
  %max_digits = arith.shrui %max, %low_bits : !S
  %least = arith.shli %min_digits, %low_bits : !S
  %difference = arith.subi %max_digits, %min_digits : !S
  %difference_index = arith.index_castui %difference : !S to index
  %bits = func.call @bit_length(%difference_index) : (index) -> index
  // digits of 12 bits take 16 KiB of counts, which are many for few elements
  %is_long = arith.cmpi uge, %n, %c4096 : index
  %widest = arith.select %is_long, %c12, %c8 : index
  %all_passes = arith.ceildivui %bits, %widest : index
  // so many of the high bits that few elements share them if they are spread over the range evenly
  %last = arith.subi %n, %c1 : index
  %places_bits = func.call @bit_length(%last) : (index) -> index
  %more_bits = arith.select %is_long, %c7, %c8 : index
  %wanted_bits = arith.addi %places_bits, %more_bits : index
  %wanted_passes = arith.ceildivui %wanted_bits, %widest : index
  %is_wide = arith.cmpi ult, %wanted_passes, %all_passes : index
  %counts = memref.alloc() : memref<4096xi32>
  %yes = arith.constant true
  %some = arith.maxui %all_passes, %c1 : index
  %width = arith.ceildivui %bits, %some : index
  %high_bits = arith.muli %wanted_passes, %widest : index
  %other_bits = arith.subi %bits, %high_bits : index
  %high_bit = arith.addi %low, %other_bits : index
  // by the high bits first, if there are others, then by all bits, if that was not enough
  %in_b = scf.while (%by_high_bits = %is_wide, %from_b = %no) : (i1, i1) -> (i1) {
    %bit = arith.select %by_high_bits, %high_bit, %low : index
    %digit_width = arith.select %by_high_bits, %widest, %width : index
    %passes = arith.select %by_high_bits, %wanted_passes, %all_passes : index
    %moved = func.call @radix_passes(%a, %a_begin, %b, %b_begin, %from_b, %n, %least, %bit, %digit_width, %passes,
        %counts)
        : (memref<?x!S>, index, memref<?x!S>, index, i1, index, !S, index, index, index, memref<4096xi32>) -> i1
    %done = scf.if %by_high_bits -> (i1) {
      %list:2 = scf.if %moved -> (memref<?x!S>, index) {
        scf.yield %b, %b_begin : memref<?x!S>, index
      } else {
        scf.yield %a, %a_begin : memref<?x!S>, index
      }
      %is_sorted = func.call @finish_order(%list#0, %list#1, %n) : (memref<?x!S>, index, index) -> i1
      scf.yield %is_sorted : i1
    } else {
      scf.yield %yes : i1
    }
    %again = arith.xori %done, %yes : i1
    scf.condition(%again) %moved : i1
  } do {
  ^bb0(%moved: i1):
    scf.yield %no, %moved : i1, i1
  }
  memref.dealloc %counts : memref<4096xi32>
  %sorted:2 = scf.if %in_b -> (memref<?x!S>, index) {
    scf.yield %b, %b_begin : memref<?x!S>, index
  } else {
    scf.yield %a, %a_begin : memref<?x!S>, index
  }
  return %sorted#0, %sorted#1, %in_b : memref<?x!S>, index, i1
}

// Sorts the n elements from keys[first] on, on all threads. The result is one of the lists %left_list and %right_list.
func.func private @merge_sort(%keys: memref<?x!S>, %first: index, %n: index, %low: index, %left_list: memref<?x!S>,
    %right_list: memref<?x!S>) -> memref<?x!S> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %uneven = arith.constant false
  %part = arith.constant 32768 : index
  %parts = arith.ceildivui %n, %part : index
  scf.parallel (%p) = (%c0) to (%parts) step (%c1) {
    %i = arith.muli %p, %part : index
    %left = arith.subi %n, %i : index
    %size = arith.minui %left, %part : index
    %begin = arith.addi %first, %i : index
    %tmp = memref.alloc(%size) : memref<?x!S>
    %sorted:3 = func.call @sort_list(%keys, %begin, %tmp, %size, %low, %uneven)
        : (memref<?x!S>, index, memref<?x!S>, index, index, i1) -> (memref<?x!S>, index, i1)
    scf.for %j = %c0 to %size step %c1 {
      %from = arith.addi %sorted#1, %j : index
      %to = arith.addi %i, %j : index
      %key = memref.load %sorted#0[%from] : memref<?x!S>
      memref.store %key, %left_list[%to] : memref<?x!S>
    }
    memref.dealloc %tmp : memref<?x!S>
    scf.reduce
  } {noria.point_ns = 150000}
  // no merges where no part begins with less than the one ahead ends with, as where all are equal
  %yes = arith.constant true
  %in_order = scf.for %p = %c1 to %parts step %c1 iter_args(%acc = %yes) -> (i1) {
    %i = arith.muli %p, %part : index
    %before = arith.subi %i, %c1 : index
    %last = memref.load %left_list[%before] : memref<?x!S>
    %next = memref.load %left_list[%i] : memref<?x!S>
    %less = func.call @less(%next, %last) : (!S, !S) -> i1
    %not_less = arith.xori %less, %yes : i1
    %both = arith.andi %acc, %not_less : i1
    scf.yield %both : i1
  }
  %run = arith.select %in_order, %n, %part : index
  %sorted:3 = scf.while (%width = %run, %a = %left_list, %b = %right_list)
      : (index, memref<?x!S>, memref<?x!S>) -> (index, memref<?x!S>, memref<?x!S>) {
    %more = arith.cmpi ult, %width, %n : index
    scf.condition(%more) %width, %a, %b : index, memref<?x!S>, memref<?x!S>
  } do {
  ^bb0(%width: index, %a: memref<?x!S>, %b: memref<?x!S>):
    %twice = arith.addi %width, %width : index
    scf.parallel (%p) = (%c0) to (%parts) step (%c1) {
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
      func.call @merge_part(%a, %pair, %num_left, %a, %mid, %num_right, %in_pair, %d_end, %b, %i)
          : (memref<?x!S>, index, index, memref<?x!S>, index, index, index, index, memref<?x!S>, index) -> ()
      scf.reduce
    } {noria.point_ns = 40000}
    scf.yield %twice, %b, %a : index, memref<?x!S>, memref<?x!S>
  }
  return %sorted#1 : memref<?x!S>
}
