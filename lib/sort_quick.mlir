// sort_quick.mlir - sorts a list of unsigned integers by quicksort, for machines that compress vectors (@expands).
//
// Elements are partitioned in place by a pivot, 16 at a time, without branches: those that are less are compressed to
// the begin of the list, the others to its end. The pivot is the median of 16 elements. A part of at most 256 elements
// is sorted by a network (sort_block.mlir). Of two parts, the larger one waits on a stack.
//
// Where no element is less than the pivot, those equal to it are taken out, so that many equal elements cost no more.
// Once all partitions have looked at 2 n log2(n) elements, a pivot is the mean of the least and the greatest element;
// from then on, no element is partitioned more often than it has bits.
//
// The method is that of M. Blacher et al., Vectorized and performance-portable quicksort, 2022, and B. Bramas, A novel
// hybrid quicksort algorithm vectorized using AVX-512, 2017.
//
// The prelude defines !S, an integer type, and @expands.

// How many lanes are set.
func.func private @number_set(%lanes: vector<16xi1>) -> index {
  %one = vector.bitcast %lanes : vector<16xi1> to vector<1xi16>
  %bits = vector.extract %one[0] : i16 from vector<1xi16>
  %count = math.ctpop %bits : i16
  %number = arith.index_castui %count : i16 to index
  return %number : index
}

// Writes those of %n elements, at most 16, that are less than the pivot, or with %or_equal not greater, to list[%low]
// on, and the others to the places ahead of list[%high]. Gives where the places between both begin and end then.
func.func private @partition_step(%list: memref<?x!S>, %low: index, %high: index, %keys: vector<16x!S>, %n: index,
    %pivots: vector<16x!S>, %or_equal: vector<16xi1>) -> (index, index) {
  %yes = arith.constant dense<true> : vector<16xi1>
  %here = vector.create_mask %n : vector<16xi1>
  %less = arith.cmpi ult, %keys, %pivots : vector<16x!S>
  %equal = arith.cmpi eq, %keys, %pivots : vector<16x!S>
  %taken = arith.andi %equal, %or_equal : vector<16xi1>
  %first = arith.ori %less, %taken : vector<16xi1>
  %first_here = arith.andi %first, %here : vector<16xi1>
  %not_first = arith.xori %first, %yes : vector<16xi1>
  %second_here = arith.andi %not_first, %here : vector<16xi1>
  %count = func.call @number_set(%first_here) : (vector<16xi1>) -> index
  %rest = arith.subi %n, %count : index
  %next_low = arith.addi %low, %count : index
  %next_high = arith.subi %high, %rest : index
  vector.compressstore %list[%low], %first_here, %keys : memref<?x!S>, vector<16xi1>, vector<16x!S>
  vector.compressstore %list[%next_high], %second_here, %keys : memref<?x!S>, vector<16xi1>, vector<16x!S>
  return %next_low, %next_high : index, index
}

// Asks for the 128 elements from list[%at] on, or for others where these are outside of the list.
func.func private @prefetch_block(%list: memref<?x!S>, %at: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %size = memref.dim %list, %c0 : memref<?x!S>
  %last = arith.subi %size, %c128 : index
  %first = arith.minui %at, %last : index
  %key_bits = func.call @key_bits() : () -> index
  %is_wide = arith.cmpi ugt, %key_bits, %c32 : index
  %line = arith.select %is_wide, %c8, %c16 : index // elements of a cache line
  scf.for %i = %c0 to %c128 step %line {
    %there = arith.addi %first, %i : index
    memref.prefetch %list[%there], read, locality<3>, data : memref<?x!S>
  }
  return
}

// Partitions %n elements from list[%begin] on in place: those less than the pivot first, or with %or_equal those not
// greater. How many they are. %buffer: room for 384 elements.
//
// Elements are read in blocks of 128 from both ends, and written to both ends. So that there are places to write to,
// a block of each end is in the buffer, and with it what is more than whole blocks. The next block is read from the end
// with fewer free places: the other one has 128 of them at least.
func.func private @partition(%list: memref<?x!S>, %begin: index, %buffer: memref<384x!S>, %n: index, %pivot: !S,
    %or_equal: i1) -> index {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c48 = arith.constant 48 : index
  %c64 = arith.constant 64 : index
  %c80 = arith.constant 80 : index
  %c96 = arith.constant 96 : index
  %c112 = arith.constant 112 : index
  %ahead = arith.constant 512 : index
  %c127 = arith.constant 127 : index
  %c128 = arith.constant 128 : index
  %zeros = arith.constant dense<0> : vector<16x!S>
  %pivots = vector.broadcast %pivot : !S to vector<16x!S>
  %equal = vector.broadcast %or_equal : i1 to vector<16xi1>
  %end = arith.addi %begin, %n : index
  %least_far = arith.constant 32768 : index
  %is_far = arith.cmpi uge, %n, %least_far : index
  // how many elements of each end are in the buffer
  %tail = arith.andi %n, %c127 : index
  %with_block = arith.addi %tail, %c128 : index
  %head = arith.minui %with_block, %n : index
  %rest = arith.subi %n, %head : index
  %foot = arith.minui %rest, %c128 : index
  %left = arith.addi %begin, %head : index
  %right = arith.subi %end, %foot : index
  scf.for %i = %c0 to %head step %c1 {
    %at = arith.addi %begin, %i : index
    %key = memref.load %list[%at] : memref<?x!S>
    memref.store %key, %buffer[%i] : memref<384x!S>
  }
  scf.for %i = %c0 to %foot step %c1 {
    %at = arith.addi %right, %i : index
    %to = arith.addi %head, %i : index
    %key = memref.load %list[%at] : memref<?x!S>
    memref.store %key, %buffer[%to] : memref<384x!S>
  }
  %blocks:4 = scf.while (%l = %left, %r = %right, %low = %begin, %high = %end)
      : (index, index, index, index) -> (index, index, index, index) {
    %more = arith.cmpi ult, %l, %r : index
    scf.condition(%more) %l, %r, %low, %high : index, index, index, index
  } do {
  ^bb0(%l: index, %r: index, %low: index, %high: index):
    %free_left = arith.subi %l, %low : index
    %free_right = arith.subi %high, %r : index
    %from_right = arith.cmpi ult, %free_right, %free_left : index
    %last = arith.subi %r, %c128 : index
    %behind = arith.addi %l, %c128 : index
    %from = arith.select %from_right, %last, %l : index
    %next_l = arith.select %from_right, %l, %behind : index
    %next_r = arith.select %from_right, %last, %r : index
    // which end is next is not known early enough to load from there ahead
    %left_ahead = arith.addi %l, %ahead : index
    %right_ahead = arith.subi %last, %ahead : index
    %soon = arith.select %from_right, %right_ahead, %left_ahead : index
    scf.if %is_far {
      func.call @prefetch_block(%list, %soon) : (memref<?x!S>, index) -> ()
    }
    %at0 = arith.addi %from, %c0 : index
    %v0 = vector.load %list[%at0] : memref<?x!S>, vector<16x!S>
    %at1 = arith.addi %from, %c16 : index
    %v1 = vector.load %list[%at1] : memref<?x!S>, vector<16x!S>
    %at2 = arith.addi %from, %c32 : index
    %v2 = vector.load %list[%at2] : memref<?x!S>, vector<16x!S>
    %at3 = arith.addi %from, %c48 : index
    %v3 = vector.load %list[%at3] : memref<?x!S>, vector<16x!S>
    %at4 = arith.addi %from, %c64 : index
    %v4 = vector.load %list[%at4] : memref<?x!S>, vector<16x!S>
    %at5 = arith.addi %from, %c80 : index
    %v5 = vector.load %list[%at5] : memref<?x!S>, vector<16x!S>
    %at6 = arith.addi %from, %c96 : index
    %v6 = vector.load %list[%at6] : memref<?x!S>, vector<16x!S>
    %at7 = arith.addi %from, %c112 : index
    %v7 = vector.load %list[%at7] : memref<?x!S>, vector<16x!S>
    %l0, %h0 = func.call @partition_step(%list, %low, %high, %v0, %c16, %pivots, %equal)
        : (memref<?x!S>, index, index, vector<16x!S>, index, vector<16x!S>, vector<16xi1>) -> (index, index)
    %l1, %h1 = func.call @partition_step(%list, %l0, %h0, %v1, %c16, %pivots, %equal)
        : (memref<?x!S>, index, index, vector<16x!S>, index, vector<16x!S>, vector<16xi1>) -> (index, index)
    %l2, %h2 = func.call @partition_step(%list, %l1, %h1, %v2, %c16, %pivots, %equal)
        : (memref<?x!S>, index, index, vector<16x!S>, index, vector<16x!S>, vector<16xi1>) -> (index, index)
    %l3, %h3 = func.call @partition_step(%list, %l2, %h2, %v3, %c16, %pivots, %equal)
        : (memref<?x!S>, index, index, vector<16x!S>, index, vector<16x!S>, vector<16xi1>) -> (index, index)
    %l4, %h4 = func.call @partition_step(%list, %l3, %h3, %v4, %c16, %pivots, %equal)
        : (memref<?x!S>, index, index, vector<16x!S>, index, vector<16x!S>, vector<16xi1>) -> (index, index)
    %l5, %h5 = func.call @partition_step(%list, %l4, %h4, %v5, %c16, %pivots, %equal)
        : (memref<?x!S>, index, index, vector<16x!S>, index, vector<16x!S>, vector<16xi1>) -> (index, index)
    %l6, %h6 = func.call @partition_step(%list, %l5, %h5, %v6, %c16, %pivots, %equal)
        : (memref<?x!S>, index, index, vector<16x!S>, index, vector<16x!S>, vector<16xi1>) -> (index, index)
    %l7, %h7 = func.call @partition_step(%list, %l6, %h6, %v7, %c16, %pivots, %equal)
        : (memref<?x!S>, index, index, vector<16x!S>, index, vector<16x!S>, vector<16xi1>) -> (index, index)
    scf.yield %next_l, %next_r, %l7, %h7 : index, index, index, index
  }
  %size = arith.addi %head, %foot : index
  %list_of_buffer = memref.cast %buffer : memref<384x!S> to memref<?x!S>
  %all:2 = scf.for %i = %c0 to %size step %c16 iter_args(%low = %blocks#2, %high = %blocks#3) -> (index, index) {
    %some = arith.subi %size, %i : index
    %few = arith.minui %some, %c16 : index
    %mask = vector.create_mask %few : vector<16xi1>
    %keys = vector.maskedload %list_of_buffer[%i], %mask, %zeros
        : memref<?x!S>, vector<16xi1>, vector<16x!S> into vector<16x!S>
    %l, %h = func.call @partition_step(%list, %low, %high, %keys, %few, %pivots, %equal)
        : (memref<?x!S>, index, index, vector<16x!S>, index, vector<16x!S>, vector<16xi1>) -> (index, index)
    scf.yield %l, %h : index, index
  }
  %count = arith.subi %all#0, %begin : index
  return %count : index
}

func.func private @rotate_by_4(%v: vector<16x!S>) -> vector<16x!S> {
  %rotated = vector.shuffle %v, %v [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3] : vector<16x!S>, vector<16x!S>
  return %rotated : vector<16x!S>
}

func.func private @add_less(%counts: vector<16xi32>, %others: vector<16x!S>, %keys: vector<16x!S>) -> vector<16xi32> {
  %one = arith.constant dense<1> : vector<16xi32>
  %less = arith.cmpi ult, %others, %keys : vector<16x!S>
  %more = arith.addi %counts, %one : vector<16xi32>
  %sum = arith.select %less, %more, %counts : vector<16xi1>, vector<16xi32>
  return %sum : vector<16xi32>
}

// The median of 16 of %n elements, at equal distances: the greatest one that has no more than 8 less than itself.
func.func private @median_of_sample(%list: memref<?x!S>, %begin: index, %n: index) -> !S {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %least = arith.constant dense<0> : vector<16x!S>
  %lanes = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xindex>
  %all = arith.constant dense<true> : vector<16xi1>
  %none = arith.constant dense<0> : vector<16xi32>
  %eight = arith.constant dense<8> : vector<16xi32>
  %stride = arith.divui %n, %c16 : index
  %offset = arith.divui %stride, %c16 : index
  %first = arith.addi %begin, %offset : index
  %strides = vector.broadcast %stride : index to vector<16xindex>
  %places = arith.muli %lanes, %strides : vector<16xindex>
  %keys = vector.gather %list[%first] [%places], %all, %least
      : memref<?x!S>, vector<16xindex>, vector<16xi1>, vector<16x!S> into vector<16x!S>
  %by_1 = vector.shuffle %keys, %keys [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0]
      : vector<16x!S>, vector<16x!S>
  %by_2 = vector.shuffle %keys, %keys [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1]
      : vector<16x!S>, vector<16x!S>
  %by_3 = vector.shuffle %keys, %keys [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2]
      : vector<16x!S>, vector<16x!S>
  %turned:5 = scf.for %i = %c0 to %c4 step %c1 iter_args(%v0 = %keys, %v1 = %by_1, %v2 = %by_2, %v3 = %by_3,
      %sum = %none)
      -> (vector<16x!S>, vector<16x!S>, vector<16x!S>, vector<16x!S>, vector<16xi32>) {
    %sum0 = func.call @add_less(%sum, %v0, %keys) : (vector<16xi32>, vector<16x!S>, vector<16x!S>) -> vector<16xi32>
    %sum1 = func.call @add_less(%sum0, %v1, %keys) : (vector<16xi32>, vector<16x!S>, vector<16x!S>) -> vector<16xi32>
    %sum2 = func.call @add_less(%sum1, %v2, %keys) : (vector<16xi32>, vector<16x!S>, vector<16x!S>) -> vector<16xi32>
    %sum3 = func.call @add_less(%sum2, %v3, %keys) : (vector<16xi32>, vector<16x!S>, vector<16x!S>) -> vector<16xi32>
    %next0 = func.call @rotate_by_4(%v0) : (vector<16x!S>) -> vector<16x!S>
    %next1 = func.call @rotate_by_4(%v1) : (vector<16x!S>) -> vector<16x!S>
    %next2 = func.call @rotate_by_4(%v2) : (vector<16x!S>) -> vector<16x!S>
    %next3 = func.call @rotate_by_4(%v3) : (vector<16x!S>) -> vector<16x!S>
    scf.yield %next0, %next1, %next2, %next3, %sum3
        : vector<16x!S>, vector<16x!S>, vector<16x!S>, vector<16x!S>, vector<16xi32>
  }
  %few = arith.cmpi ule, %turned#4, %eight : vector<16xi32>
  %candidates = arith.select %few, %keys, %least : vector<16xi1>, vector<16x!S>
  %median = vector.reduction <maxui>, %candidates : vector<16x!S> into !S
  return %median : !S
}

// The mean of the least and the greatest of %n elements, rounded up.
func.func private @middle_of_range(%list: memref<?x!S>, %begin: index, %n: index) -> !S {
  %one = arith.constant 1 : !S
  %range:2 = func.call @range_of(%list, %begin, %n) : (memref<?x!S>, index, index) -> (!S, !S)
  %difference = arith.subi %range#1, %range#0 : !S
  %half = arith.shrui %difference, %one : !S
  %odd = arith.andi %difference, %one : !S
  %ahead = arith.addi %half, %odd : !S
  %middle = arith.addi %range#0, %ahead : !S
  return %middle : !S
}

// The stack of parts that wait: where each begins, and how many elements it has.
func.func private @push_part(%begins: memref<64xindex>, %sizes: memref<64xindex>, %top: index, %begin: index,
    %size: index) -> index {
  %c1 = arith.constant 1 : index
  memref.store %begin, %begins[%top] : memref<64xindex>
  memref.store %size, %sizes[%top] : memref<64xindex>
  %above = arith.addi %top, %c1 : index
  return %above : index
}

func.func private @pop_part(%begins: memref<64xindex>, %sizes: memref<64xindex>, %top: index) -> (index, index, index) {
  %c1 = arith.constant 1 : index
  %below = arith.subi %top, %c1 : index
  %begin = memref.load %begins[%below] : memref<64xindex>
  %size = memref.load %sizes[%below] : memref<64xindex>
  return %begin, %size, %below : index, index, index
}

// Sorts %n elements, at least one, from list[%first] on.
func.func private @quick_sort(%list: memref<?x!S>, %first: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %no = arith.constant false
  %yes = arith.constant true
  %most = arith.constant 256 : index
  %buffer = memref.alloc() : memref<384x!S>
  %begins = memref.alloc() : memref<64xindex>
  %sizes = memref.alloc() : memref<64xindex>
  %depth = func.call @bit_length(%n) : (index) -> index
  %twice_depth = arith.muli %depth, %c2 : index
  %all_work = arith.muli %n, %twice_depth : index
  // a part without elements is below the others
  %bottom = func.call @push_part(%begins, %sizes, %c0, %c0, %c0)
      : (memref<64xindex>, memref<64xindex>, index, index, index) -> index
  %end:4 = scf.while (%begin = %first, %size = %n, %top = %bottom, %work = %all_work)
      : (index, index, index, index) -> (index, index, index, index) {
    %some = arith.cmpi ugt, %size, %c0 : index
    scf.condition(%some) %begin, %size, %top, %work : index, index, index, index
  } do {
  ^bb0(%begin: index, %size: index, %top: index, %work: index):
    %is_small = arith.cmpi ule, %size, %most : index
    %next:4 = scf.if %is_small -> (index, index, index, index) {
      func.call @sort_block(%list, %begin, %size) : (memref<?x!S>, index, index) -> ()
      %popped:3 = func.call @pop_part(%begins, %sizes, %top)
          : (memref<64xindex>, memref<64xindex>, index) -> (index, index, index)
      scf.yield %popped#0, %popped#1, %popped#2, %work : index, index, index, index
    } else {
      %by_sample = arith.cmpi ugt, %work, %size : index
      %left_work = arith.subi %work, %size : index
      %pivot, %rest = scf.if %by_sample -> (!S, index) {
        %median = func.call @median_of_sample(%list, %begin, %size) : (memref<?x!S>, index, index) -> !S
        scf.yield %median, %left_work : !S, index
      } else {
        %middle = func.call @middle_of_range(%list, %begin, %size) : (memref<?x!S>, index, index) -> !S
        scf.yield %middle, %c0 : !S, index
      }
      %less = func.call @partition(%list, %begin, %buffer, %size, %pivot, %no)
          : (memref<?x!S>, index, memref<384x!S>, index, !S, i1) -> index
      %none_less = arith.cmpi eq, %less, %c0 : index
      %part:3 = scf.if %none_less -> (index, index, index) {
        %equal = func.call @partition(%list, %begin, %buffer, %size, %pivot, %yes)
            : (memref<?x!S>, index, memref<384x!S>, index, !S, i1) -> index
        %behind = arith.addi %begin, %equal : index
        %greater = arith.subi %size, %equal : index
        %above = func.call @push_part(%begins, %sizes, %top, %behind, %greater)
            : (memref<64xindex>, memref<64xindex>, index, index, index) -> index
        %any = arith.cmpi ugt, %greater, %c0 : index
        %new_top = arith.select %any, %above, %top : index
        %popped:3 = func.call @pop_part(%begins, %sizes, %new_top)
            : (memref<64xindex>, memref<64xindex>, index) -> (index, index, index)
        scf.yield %popped#0, %popped#1, %popped#2 : index, index, index
      } else {
        %behind = arith.addi %begin, %less : index
        %not_less = arith.subi %size, %less : index
        %is_first_larger = arith.cmpi ugt, %less, %not_less : index
        %large_begin = arith.select %is_first_larger, %begin, %behind : index
        %large_size = arith.select %is_first_larger, %less, %not_less : index
        %small_begin = arith.select %is_first_larger, %behind, %begin : index
        %small_size = arith.select %is_first_larger, %not_less, %less : index
        %above = func.call @push_part(%begins, %sizes, %top, %large_begin, %large_size)
            : (memref<64xindex>, memref<64xindex>, index, index, index) -> index
        scf.yield %small_begin, %small_size, %above : index, index, index
      }
      scf.yield %part#0, %part#1, %part#2, %rest : index, index, index, index
    }
    scf.yield %next#0, %next#1, %next#2, %next#3 : index, index, index, index
  }
  memref.dealloc %begins : memref<64xindex>
  memref.dealloc %sizes : memref<64xindex>
  memref.dealloc %buffer : memref<384x!S>
  return
}

// Whether partitions of a list from %min to %max take less time than a radix sort: where that takes more than one pass
// over elements of at most 32 bits, or four over larger ones that may not be evenly spread. Short lists always do.
func.func private @is_for_partitions(%min: !S, %max: !S, %is_even: i1) -> i1 {
  %c12 = arith.constant 12 : index
  %c32 = arith.constant 32 : index
  %c36 = arith.constant 36 : index
  %yes = arith.constant true
  %difference = arith.subi %max, %min : !S
  %difference_index = arith.index_castui %difference : !S to index
  %bits = func.call @bit_length(%difference_index) : (index) -> index
  %key_bits = func.call @key_bits() : () -> index
  %is_narrow = arith.cmpi ule, %key_bits, %c32 : index
  %is_uneven = arith.xori %is_even, %yes : i1
  %fits = arith.ori %is_narrow, %is_uneven : i1
  %most = arith.select %is_narrow, %c12, %c36 : index
  %is_wide = arith.cmpi ugt, %bits, %most : index
  %both = arith.andi %fits, %is_wide : i1
  return %both : i1
}

// Sorts %n elements, at least one and less than 2^32, from a[%a_begin] on. Where two are equal from bit %low on, the
// first of them is not greater in the bits below, so that these may be left out: a radix sort does. The same number
// from the begin of %b on is overwritten. Gives the list that has the result, where it begins, and whether that is %b.
// %is_even: whether the elements are most likely spread over their range about evenly.
func.func private @sort_list(%a: memref<?x!S>, %a_begin: index, %b: memref<?x!S>, %n: index, %low: index, %is_even: i1)
    -> (memref<?x!S>, index, i1) {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  %no = arith.constant false
  %expands = func.call @expands() : () -> i1
  %by_all_bits = arith.cmpi eq, %low, %c0 : index
  %may = arith.andi %expands, %by_all_bits : i1
  %is_short = arith.cmpi ule, %n, %c1024 : index
  %at_once = arith.andi %may, %is_short : i1
  %by_partitions, %min, %max = scf.if %at_once -> (i1, !S, !S) {
    %unused = arith.constant 0 : !S
    scf.yield %at_once, %unused, %unused : i1, !S, !S
  } else {
    %range:2 = func.call @range_of(%a, %a_begin, %n) : (memref<?x!S>, index, index) -> (!S, !S)
    %pays = func.call @is_for_partitions(%range#0, %range#1, %is_even) : (!S, !S, i1) -> i1
    %both = arith.andi %may, %pays : i1
    scf.yield %both, %range#0, %range#1 : i1, !S, !S
  }
  %sorted:3 = scf.if %by_partitions -> (memref<?x!S>, index, i1) {
    func.call @quick_sort(%a, %a_begin, %n) : (memref<?x!S>, index, index) -> ()
    scf.yield %a, %a_begin, %no : memref<?x!S>, index, i1
  } else {
    %list:3 = func.call @radix_sort(%a, %a_begin, %b, %c0, %n, %low, %min, %max)
        : (memref<?x!S>, index, memref<?x!S>, index, index, index, !S, !S) -> (memref<?x!S>, index, i1)
    scf.yield %list#0, %list#1, %list#2 : memref<?x!S>, index, i1
  }
  return %sorted#0, %sorted#1, %sorted#2 : memref<?x!S>, index, i1
}
