// sort_quick.mlir - sorts a list of unsigned integers by quicksort, for machines that compress vectors (@expands).
//
// Elements are partitioned by a pivot, 16 at a time, without branches: those that are less are compressed to the front
// of the list, the others to another list, from which they are copied behind. The pivot is the median of 16 elements. A
// part of at most 256 elements is sorted by a network (sort_block.mlir). Of two parts, the larger one waits on a stack.
//
// Where no element is less than the pivot, those equal to it are taken out, so that many equal elements cost no more.
// Once all partitions have looked at 2 n log2(n) elements, a pivot is the mean of the least and the greatest element;
// from then on, no element is partitioned more often than it has bits.
//
// The method is that of M. Blacher et al., Vectorized and performance-portable quicksort, 2022, with a second list in
// place of a buffer.
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
// on, and the others to others[%high] on. Gives the places behind both.
func.func private @partition_step(%list: memref<?x!S>, %low: index, %others: memref<?x!S>, %high: index,
    %keys: vector<16x!S>, %n: index, %pivots: vector<16x!S>, %or_equal: vector<16xi1>) -> (index, index) {
  %yes = arith.constant dense<true> : vector<16xi1>
  %here = vector.create_mask %n : vector<16xi1>
  %less = arith.cmpi ult, %keys, %pivots : vector<16x!S>
  %equal = arith.cmpi eq, %keys, %pivots : vector<16x!S>
  %taken = arith.andi %equal, %or_equal : vector<16xi1>
  %first = arith.ori %less, %taken : vector<16xi1>
  %first_here = arith.andi %first, %here : vector<16xi1>
  %not_first = arith.xori %first, %yes : vector<16xi1>
  %second_here = arith.andi %not_first, %here : vector<16xi1>
  vector.compressstore %list[%low], %first_here, %keys : memref<?x!S>, vector<16xi1>, vector<16x!S>
  vector.compressstore %others[%high], %second_here, %keys : memref<?x!S>, vector<16xi1>, vector<16x!S>
  %count = func.call @number_set(%first_here) : (vector<16xi1>) -> index
  %rest = arith.subi %n, %count : index
  %next_low = arith.addi %low, %count : index
  %next_high = arith.addi %high, %rest : index
  return %next_low, %next_high : index, index
}

// Partitions %n elements from list[%begin] on: those less than the pivot first, or with %or_equal those not greater.
// How many they are.
func.func private @partition(%list: memref<?x!S>, %begin: index, %others: memref<?x!S>, %n: index, %pivot: !S,
    %or_equal: i1) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %zeros = arith.constant dense<0> : vector<16x!S>
  %pivots = vector.broadcast %pivot : !S to vector<16x!S>
  %equal = vector.broadcast %or_equal : i1 to vector<16xi1>
  %tail = arith.andi %n, %c15 : index
  %whole = arith.subi %n, %tail : index
  %ends:2 = scf.for %i = %c0 to %whole step %c16 iter_args(%low = %begin, %high = %c0) -> (index, index) {
    %at = arith.addi %begin, %i : index
    %keys = vector.load %list[%at] : memref<?x!S>, vector<16x!S>
    %next:2 = func.call @partition_step(%list, %low, %others, %high, %keys, %c16, %pivots, %equal)
        : (memref<?x!S>, index, memref<?x!S>, index, vector<16x!S>, index, vector<16x!S>, vector<16xi1>)
            -> (index, index)
    scf.yield %next#0, %next#1 : index, index
  }
  %mask = vector.create_mask %tail : vector<16xi1>
  %at_tail = arith.addi %begin, %whole : index
  %last = vector.maskedload %list[%at_tail], %mask, %zeros
      : memref<?x!S>, vector<16xi1>, vector<16x!S> into vector<16x!S>
  %all:2 = func.call @partition_step(%list, %ends#0, %others, %ends#1, %last, %tail, %pivots, %equal)
      : (memref<?x!S>, index, memref<?x!S>, index, vector<16x!S>, index, vector<16x!S>, vector<16xi1>) -> (index, index)
  scf.for %i = %c0 to %all#1 step %c1 {
    %at = arith.addi %all#0, %i : index
    %key = memref.load %others[%i] : memref<?x!S>
    memref.store %key, %list[%at] : memref<?x!S>
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

// Sorts %n elements, at least one, from list[%first] on. %n elements of %others are overwritten.
func.func private @quick_sort(%list: memref<?x!S>, %first: index, %others: memref<?x!S>, %n: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %no = arith.constant false
  %yes = arith.constant true
  %most = arith.constant 256 : index
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
      %less = func.call @partition(%list, %begin, %others, %size, %pivot, %no)
          : (memref<?x!S>, index, memref<?x!S>, index, !S, i1) -> index
      %none_less = arith.cmpi eq, %less, %c0 : index
      %part:3 = scf.if %none_less -> (index, index, index) {
        %equal = func.call @partition(%list, %begin, %others, %size, %pivot, %yes)
            : (memref<?x!S>, index, memref<?x!S>, index, !S, i1) -> index
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
    func.call @quick_sort(%a, %a_begin, %b, %n) : (memref<?x!S>, index, memref<?x!S>, index) -> ()
    scf.yield %a, %a_begin, %no : memref<?x!S>, index, i1
  } else {
    %list:3 = func.call @radix_sort(%a, %a_begin, %b, %c0, %n, %low, %min, %max)
        : (memref<?x!S>, index, memref<?x!S>, index, index, index, !S, !S) -> (memref<?x!S>, index, i1)
    scf.yield %list#0, %list#1, %list#2 : memref<?x!S>, index, i1
  }
  return %sorted#0, %sorted#1, %sorted#2 : memref<?x!S>, index, i1
}
