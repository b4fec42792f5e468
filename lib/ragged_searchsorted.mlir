// ragged_searchsorted.mlir - values searched in sorted lists of their own, of any lengths, which stand one behind the
// other.
//
// List r has the elements from list_offsets[r] up to list_offsets[r + 1], and value_offsets says likewise which values
// are searched in it, 16 at a time: in lists of up to 64 elements by comparing each element with all 16, in longer ones
// by bisection (search.mlir). Groups of lists are searched on all threads.
//
// The prelude defines !T, !K, @key(!T) -> !K, @before(!T, !T) -> i1, and @checked() -> i1, whether it is an error where
// a list is not sorted.

// The r-th and the next offset; an error where they are not in order or not in a list of n.
func.func private @range_of(%offsets: tensor<?xi64>, %r: index, %n: index) -> (index, index) {
  %c1 = arith.constant 1 : index
  %next = arith.addi %r, %c1 : index
  %begin_number = tensor.extract %offsets[%r] : tensor<?xi64>
  %end_number = tensor.extract %offsets[%next] : tensor<?xi64>
  %begin = arith.index_cast %begin_number : i64 to index
  %end = arith.index_cast %end_number : i64 to index
  %in_order = arith.cmpi ule, %begin, %end : index
  %inside = arith.cmpi ule, %end, %n : index
  %good = arith.andi %in_order, %inside : i1
  rt.check %good, "ragged_searchsorted: offsets %0 and %1 of list %2 are not in order, or beyond the %3 elements"
      (%begin, %end, %r, %n : index, index, index, index)
  return %begin, %end : index, index
}

// How many of the %size keys from %begin on stand left of each of 16 values; at most 127 keys, so that the narrowest !K
// holds it.
func.func private @count_left(%keys: memref<?x!K>, %values: memref<16x!K>, %begin: index, %size: index, %right: i1)
    -> vector<16x!K> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant dense<0> : vector<16x!K>
  %one = arith.constant dense<1> : vector<16x!K>
  %value = vector.load %values[%c0] : memref<16x!K>, vector<16x!K>
  %end = arith.addi %begin, %size : index
  %counts = scf.for %i = %begin to %end step %c1 iter_args(%count = %none) -> (vector<16x!K>) {
    %key = memref.load %keys[%i] : memref<?x!K>
    %element = vector.broadcast %key : !K to vector<16x!K>
    %is_left = scf.if %right -> (vector<16xi1>) {
      %not_behind = arith.cmpi ule, %element, %value : vector<16x!K>
      scf.yield %not_behind : vector<16xi1>
    } else {
      %before = arith.cmpi ult, %element, %value : vector<16x!K>
      scf.yield %before : vector<16xi1>
    }
    %more = arith.addi %count, %one : vector<16x!K>
    %next = arith.select %is_left, %more, %count : vector<16xi1>, vector<16x!K>
    scf.yield %next : vector<16x!K>
  }
  return %counts : vector<16x!K>
}

// Results count from the begin of the value's list: the number of elements before it or, with %right, not behind it.
func.func @ragged_searchsorted(%list: tensor<?x!T>, %list_offsets: tensor<?xi64>, %values: tensor<?x!T>,
    %value_offsets: tensor<?xi64>, %right: i1) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i64
  %part = arith.constant 64 : index
  %most_compared = arith.constant 64 : index
  %n = tensor.dim %list, %c0 : tensor<?x!T>
  %m = tensor.dim %values, %c0 : tensor<?x!T>
  %num_offsets = tensor.dim %list_offsets, %c0 : tensor<?xi64>
  %num_value_offsets = tensor.dim %value_offsets, %c0 : tensor<?xi64>
  %as_many = arith.cmpi eq, %num_offsets, %num_value_offsets : index
  rt.check %as_many, "ragged_searchsorted: %0 offsets of lists, but %1 of values"(%num_offsets,
      %num_value_offsets : index, index)
  %has_one = arith.cmpi ugt, %num_offsets, %c0 : index
  rt.check %has_one, "ragged_searchsorted: there must be at least one offset"
  %rows = arith.subi %num_offsets, %c1 : index
  %checked = func.call @checked() : () -> i1
  scf.if %checked {
    scf.for %r = %c0 to %rows step %c1 {
      %range:2 = func.call @range_of(%list_offsets, %r, %n) : (tensor<?xi64>, index, index) -> (index, index)
      %size = arith.subi %range#1, %range#0 : index
      %row = tensor.extract_slice %list[%range#0] [%size] [1] : tensor<?x!T> to tensor<?x!T>
      %place = func.call @first_unsorted(%row) : (tensor<?x!T>) -> index
      %is_sorted = arith.cmpi eq, %place, %size : index
      rt.check %is_sorted, "searchsorted: a is not sorted: element %0 of list %1 is before the one ahead of it"(%place,
          %r : index, index)
    }
  }
  %keys = memref.alloc(%n) : memref<?x!K>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %value = tensor.extract %list[%i] : tensor<?x!T>
    %key = func.call @key(%value) : (!T) -> !K
    memref.store %key, %keys[%i] : memref<?x!K>
    scf.reduce
  }
  // values ahead of the first list's and behind the last one's have no list
  %found = memref.alloc(%m) : memref<?xi64>
  %first_number = tensor.extract %value_offsets[%c0] : tensor<?xi64>
  %first_offset = arith.index_cast %first_number : i64 to index
  %first_begin = arith.minui %first_offset, %m : index
  scf.for %i = %c0 to %first_begin step %c1 {
    memref.store %zero, %found[%i] : memref<?xi64>
  }
  %last_number = tensor.extract %value_offsets[%rows] : tensor<?xi64>
  %last_offset = arith.index_cast %last_number : i64 to index
  %last_end = arith.minui %last_offset, %m : index
  scf.for %i = %last_end to %m step %c1 {
    memref.store %zero, %found[%i] : memref<?xi64>
  }
  %num_parts = arith.ceildivui %rows, %part : index
  scf.parallel (%p) = (%c0) to (%num_parts) step (%c1) {
    %row_begin = arith.muli %p, %part : index
    %behind = arith.addi %row_begin, %part : index
    %row_end = arith.minui %behind, %rows : index
    %block_values = memref.alloc() : memref<16x!K>
    %places = memref.alloc() : memref<16xindex>
    scf.for %r = %row_begin to %row_end step %c1 {
      %range:2 = func.call @range_of(%list_offsets, %r, %n) : (tensor<?xi64>, index, index) -> (index, index)
      %queries:2 = func.call @range_of(%value_offsets, %r, %m) : (tensor<?xi64>, index, index) -> (index, index)
      %size = arith.subi %range#1, %range#0 : index
      %count = arith.subi %queries#1, %queries#0 : index
      %last = arith.subi %count, %c1 : index
      %is_short = arith.cmpi ule, %size, %most_compared : index
      %slice = tensor.extract_slice %values[%queries#0] [%count] [1] : tensor<?x!T> to tensor<?x!T>
      scf.for %first = %c0 to %count step %c16 {
        // behind the last value, it is searched again
        scf.for %i = %c0 to %c16 step %c1 {
          %at_or_more = arith.addi %first, %i : index
          %at = arith.minui %at_or_more, %last : index
          %value = tensor.extract %slice[%at] : tensor<?x!T>
          %key = func.call @key(%value) : (!T) -> !K
          memref.store %key, %block_values[%i] : memref<16x!K>
          memref.store %range#0, %places[%i] : memref<16xindex>
        }
        scf.if %is_short {
          %counts = func.call @count_left(%keys, %block_values, %range#0, %size, %right)
              : (memref<?x!K>, memref<16x!K>, index, index, i1) -> vector<16x!K>
          %ahead = arith.index_castui %counts : vector<16x!K> to vector<16xindex>
          %list_begin = vector.broadcast %range#0 : index to vector<16xindex>
          %behind_begin = arith.addi %ahead, %list_begin : vector<16xindex>
          vector.store %behind_begin, %places[%c0] : memref<16xindex>, vector<16xindex>
        } else {
          func.call @search_block(%keys, %block_values, %places, %size, %right)
              : (memref<?x!K>, memref<16x!K>, memref<16xindex>, index, i1) -> ()
        }
        scf.for %i = %c0 to %c16 step %c1 {
          %at_or_more = arith.addi %first, %i : index
          %at = arith.minui %at_or_more, %last : index
          %place = memref.load %places[%i] : memref<16xindex>
          %ahead = arith.subi %place, %range#0 : index
          %number = arith.index_cast %ahead : index to i64
          %to = arith.addi %queries#0, %at : index
          memref.store %number, %found[%to] : memref<?xi64>
        }
      }
    }
    memref.dealloc %block_values : memref<16x!K>
    memref.dealloc %places : memref<16xindex>
    scf.reduce
  } {noria.point_ns = 20000}
  memref.dealloc %keys : memref<?x!K>
  %result = bufferization.to_tensor %found restrict : memref<?xi64> to tensor<?xi64>
  return %result : tensor<?xi64>
}
