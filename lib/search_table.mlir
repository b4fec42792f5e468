// search_table.mlir - a table of a sorted list, by which values are searched in few of its elements.
//
// The table says where the elements begin whose keys share their high bits, counted from the least key on. So a value
// is searched among as many elements as the fullest entry of the table has, not among all (search.mlir). Where there
// are few values, the table has few entries.
//
// The prelude defines !T, !K and @key(!T) -> !K.

// The entry of the table that a key falls in: keys below the least are as that, those above the greatest as that one.
func.func private @entry(%key: !K, %least: !K, %greatest: !K, %shift: !K) -> !K {
  %low = arith.maxui %key, %least : !K
  %high = arith.minui %low, %greatest : !K
  %ahead = arith.subi %high, %least : !K
  %entry = arith.shrui %ahead, %shift : !K
  return %entry : !K
}

// How many bits of a difference of keys are shifted out, so that entries are less than 2^bits.
func.func private @shift_for(%range: !K, %bits: index) -> !K {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : !K
  %none = arith.constant 0 : !K
  %size = arith.shli %c1, %bits : index
  %shift:2 = scf.while (%left = %range, %s = %none) : (!K, !K) -> (!K, !K) {
    %entry = arith.index_castui %left : !K to index
    %too_many = arith.cmpi uge, %entry, %size : index
    scf.condition(%too_many) %left, %s : !K, !K
  } do {
  ^bb0(%left: !K, %s: !K):
    %half = arith.shrui %left, %one : !K
    %more = arith.addi %s, %one : !K
    scf.yield %half, %more : !K, !K
  }
  return %shift#1 : !K
}

// The table for searching %m values in a list: the elements' keys, how many elements are ahead of each entry, the least
// and the greatest key, by how many bits the difference from the least is shifted to the entry, and how many elements
// the fullest entry has.
func.func private @search_table(%list: tensor<?x!T>, %m: index, %least_entries: index)
    -> (memref<?x!K>, memref<?xi32>, !K, !K, !K, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %most_bits = arith.constant 20 : index
  %n = tensor.dim %list, %c0 : tensor<?x!T>
  %most = arith.constant 4294967295 : index
  %fits = arith.cmpi ule, %n, %most : index
  rt.check %fits, "a list to search has at most 4294967295 elements, not %0"(%n : index)
  %keys = memref.alloc(%n) : memref<?x!K>
  scf.for %i = %c0 to %n step %c1 {
    %value = tensor.extract %list[%i] : tensor<?x!T>
    %key = func.call @key(%value) : (!T) -> !K
    memref.store %key, %keys[%i] : memref<?x!K>
  }
  // entries: a power of 2 of at least 4 times the elements, and %least_entries, as few elements may be close to each
  // other; or half of the values if that is less; but 2, so that no shift is by all bits
  %four_times = arith.muli %n, %c4 : index
  %multiple = arith.maxui %four_times, %least_entries : index
  %half_values = arith.divui %m, %c2 : index
  %wanted = arith.minui %multiple, %half_values : index
  %bits = scf.while (%b = %c1) : (index) -> (index) {
    %size = arith.shli %c1, %b : index
    %less = arith.cmpi ult, %size, %wanted : index
    %allowed = arith.cmpi ult, %b, %most_bits : index
    %more = arith.andi %less, %allowed : i1
    scf.condition(%more) %b : index
  } do {
  ^bb0(%b: index):
    %next = arith.addi %b, %c1 : index
    scf.yield %next : index
  }
  %num_entries = arith.shli %c1, %bits : index
  %num_begins = arith.addi %num_entries, %c1 : index
  %begins = memref.alloc(%num_begins) : memref<?xi32>
  %is_empty = arith.cmpi eq, %n, %c0 : index
  %no_key = arith.constant 0 : !K
  %zero32 = arith.constant 0 : i32
  %one32 = arith.constant 1 : i32
  scf.for %i = %c0 to %num_begins step %c1 {
    memref.store %zero32, %begins[%i] : memref<?xi32>
  }
  %range:2 = scf.if %is_empty -> (!K, !K) {
    scf.yield %no_key, %no_key : !K, !K
  } else {
    %last = arith.subi %n, %c1 : index
    %first_key = memref.load %keys[%c0] : memref<?x!K>
    %last_key = memref.load %keys[%last] : memref<?x!K>
    %greater = arith.maxui %first_key, %last_key : !K
    scf.yield %first_key, %greater : !K, !K
  }
  %difference = arith.subi %range#1, %range#0 : !K
  %shift = func.call @shift_for(%difference, %bits) : (!K, index) -> !K
  // how many elements each entry has, then where each begins
  scf.for %i = %c0 to %n step %c1 {
    %key = memref.load %keys[%i] : memref<?x!K>
    %entry_key = func.call @entry(%key, %range#0, %range#1, %shift) : (!K, !K, !K, !K) -> !K
    %entry = arith.index_castui %entry_key : !K to index
    %count = memref.load %begins[%entry] : memref<?xi32>
    %more = arith.addi %count, %one32 : i32
    memref.store %more, %begins[%entry] : memref<?xi32>
  }
  %all:2 = scf.for %i = %c0 to %num_begins step %c1 iter_args(%sum = %zero32, %fullest = %zero32) -> (i32, i32) {
    %count = memref.load %begins[%i] : memref<?xi32>
    memref.store %sum, %begins[%i] : memref<?xi32>
    %next = arith.addi %sum, %count : i32
    %fuller = arith.maxui %fullest, %count : i32
    scf.yield %next, %fuller : i32, i32
  }
  %size = arith.index_castui %all#1 : i32 to index
  return %keys, %begins, %range#0, %range#1, %shift, %size : memref<?x!K>, memref<?xi32>, !K, !K, !K, index
}

// Writes the places of the 16 values of a slice from %first on; behind the last of its %count values, that is searched
// again. %block_values become the values' keys, and %entries are overwritten.
func.func private @search_values(%slice: tensor<?x!T>, %first: index, %count: index, %n: index, %keys: memref<?x!K>,
    %begins: memref<?xi32>, %least: !K, %greatest: !K, %shift: !K, %size: index, %right: i1,
        %block_values: memref<16x!K>,
    %entries: memref<16x!K>, %places: memref<16xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %last = arith.subi %count, %c1 : index
  %last_begin = arith.subi %n, %size : index
  %block_end = arith.addi %first, %c16 : index
  %is_full = arith.cmpi ule, %block_end, %count : index
  scf.if %is_full {
    scf.for %i = %c0 to %c16 step %c1 {
      %at = arith.addi %first, %i : index
      %value = tensor.extract %slice[%at] : tensor<?x!T>
      %key = func.call @key(%value) : (!T) -> !K
      memref.store %key, %block_values[%i] : memref<16x!K>
    }
  } else {
    scf.for %i = %c0 to %c16 step %c1 {
      %at_or_more = arith.addi %first, %i : index
      %at = arith.minui %at_or_more, %last : index
      %value = tensor.extract %slice[%at] : tensor<?x!T>
      %key = func.call @key(%value) : (!T) -> !K
      memref.store %key, %block_values[%i] : memref<16x!K>
    }
  }
  scf.for %i = %c0 to %c16 step %c1 {
    %key = memref.load %block_values[%i] : memref<16x!K>
    %entry = func.call @entry(%key, %least, %greatest, %shift) : (!K, !K, !K, !K) -> !K
    memref.store %entry, %entries[%i] : memref<16x!K>
  }
  scf.for %i = %c0 to %c16 step %c1 {
    %entry_key = memref.load %entries[%i] : memref<16x!K>
    %entry = arith.index_castui %entry_key : !K to index
    %start = memref.load %begins[%entry] : memref<?xi32>
    %start_or_more = arith.index_castui %start : i32 to index
    %place = arith.minui %start_or_more, %last_begin : index
    memref.store %place, %places[%i] : memref<16xindex>
  }
  func.call @search_block(%keys, %block_values, %places, %size, %right)
      : (memref<?x!K>, memref<16x!K>, memref<16xindex>, index, i1) -> ()
  return
}
