// sort_counts.mlir - sorts a row whose keys are close to each other by counting each of them; see sort_rows.mlir, which
// has what the prelude and the functions here take.

// The least and the greatest key of a row of at least one element.
func.func private @key_range(%x: memref<?x!T>, %keys: memref<?x!S>, %row: index, %n: index) -> (!S, !S) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %part = arith.constant 65536 : index
  %num_parts = arith.ceildivui %n, %part : index
  %mins = memref.alloc(%num_parts) : memref<?x!S>
  %maxs = memref.alloc(%num_parts) : memref<?x!S>
  scf.parallel (%p) = (%c0) to (%num_parts) step (%c1) {
    %begin = arith.muli %p, %part : index
    %behind = arith.addi %begin, %part : index
    %end = arith.minui %behind, %n : index
    %first = func.call @read(%x, %keys, %row, %begin) : (memref<?x!T>, memref<?x!S>, index, index) -> !S
    %range:2 = scf.for %i = %begin to %end step %c1 iter_args(%min = %first, %max = %first) -> (!S, !S) {
      %key = func.call @read(%x, %keys, %row, %i) : (memref<?x!T>, memref<?x!S>, index, index) -> !S
      %less = arith.minui %min, %key : !S
      %greater = arith.maxui %max, %key : !S
      scf.yield %less, %greater : !S, !S
    }
    memref.store %range#0, %mins[%p] : memref<?x!S>
    memref.store %range#1, %maxs[%p] : memref<?x!S>
    scf.reduce
  } {noria.point_ns = 8000}
  %first_min = memref.load %mins[%c0] : memref<?x!S>
  %first_max = memref.load %maxs[%c0] : memref<?x!S>
  %all:2 = scf.for %p = %c1 to %num_parts step %c1 iter_args(%min = %first_min, %max = %first_max) -> (!S, !S) {
    %part_min = memref.load %mins[%p] : memref<?x!S>
    %part_max = memref.load %maxs[%p] : memref<?x!S>
    %less = arith.minui %min, %part_min : !S
    %greater = arith.maxui %max, %part_max : !S
    scf.yield %less, %greater : !S, !S
  }
  memref.dealloc %mins : memref<?x!S>
  memref.dealloc %maxs : memref<?x!S>
  return %all#0, %all#1 : !S, !S
}

// Counts how often each key from %least to %greatest is among the elements from %begin to %end, on counts[c] on.
// Whether all of the elements' keys are among those.
func.func private @count_keys(%x: memref<?x!T>, %keys: memref<?x!S>, %row: index, %begin: index, %end: index,
    %least: !S, %greatest: !S, %num_keys: index, %counts: memref<?xindex>, %c: index) -> i1 {
  %yes = arith.constant true
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %none = arith.constant 0 : !S
  scf.for %k = %c0 to %num_keys step %c1 {
    %at = arith.addi %c, %k : index
    memref.store %c0, %counts[%at] : memref<?xindex>
  }
  %one_key = arith.cmpi eq, %num_keys, %c1 : index
  %tile = memref.alloc() : memref<1024x!S>
  %all_inside = scf.for %first = %begin to %end step %c1024 iter_args(%inside = %yes) -> (i1) {
    %left = arith.subi %end, %first : index
    %size = arith.minui %left, %c1024 : index
    %differences = scf.for %j = %c0 to %size step %c1 iter_args(%acc = %none) -> (!S) {
      %i = arith.addi %first, %j : index
      %key = func.call @read(%x, %keys, %row, %i) : (memref<?x!T>, memref<?x!S>, index, index) -> !S
      %part = func.call @part_of(%key, %least, %greatest, %none) : (!S, !S, !S, !S) -> !S
      memref.store %part, %tile[%j] : memref<1024x!S>
      %moved = arith.addi %part, %least : !S
      %difference = arith.xori %moved, %key : !S
      %next = arith.ori %acc, %difference : !S
      scf.yield %next : !S
    }
    scf.if %one_key {
      %count = memref.load %counts[%c] : memref<?xindex>
      %more = arith.addi %count, %size : index
      memref.store %more, %counts[%c] : memref<?xindex>
    } else {
      scf.for %j = %c0 to %size step %c1 {
        %part_key = memref.load %tile[%j] : memref<1024x!S>
        %part = arith.index_castui %part_key : !S to index
        %at = arith.addi %c, %part : index
        %count = memref.load %counts[%at] : memref<?xindex>
        %more = arith.addi %count, %c1 : index
        memref.store %more, %counts[%at] : memref<?xindex>
      }
    }
    %same = arith.cmpi eq, %differences, %none : !S
    %next = arith.andi %inside, %same : i1
    scf.yield %next : i1
  }
  memref.dealloc %tile : memref<1024x!S>
  return %all_inside : i1
}

// Writes the elements from %begin to %end of a sorted row in which key %least + k is from begins[k] to begins[k + 1].
func.func private @write_runs(%begins: memref<?xindex>, %num_keys: index, %begin: index, %end: index, %least: !S,
    %order: memref<?xi32>, %row: index, %out: memref<?x!S>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // the first key whose run ends behind %begin
  %first:2 = scf.while (%lo = %c0, %hi = %num_keys) : (index, index) -> (index, index) {
    %more = arith.cmpi ult, %lo, %hi : index
    scf.condition(%more) %lo, %hi : index, index
  } do {
  ^bb0(%lo: index, %hi: index):
    %sum = arith.addi %lo, %hi : index
    %mid = arith.shrui %sum, %c1 : index
    %after = arith.addi %mid, %c1 : index
    %run_end = memref.load %begins[%after] : memref<?xindex>
    %ahead = arith.cmpi ule, %run_end, %begin : index
    %lo1 = arith.select %ahead, %after, %lo : index
    %hi1 = arith.select %ahead, %hi, %mid : index
    scf.yield %lo1, %hi1 : index, index
  }
  %written = scf.for %k = %first#0 to %num_keys step %c1 iter_args(%from = %begin) -> (index) {
    %after = arith.addi %k, %c1 : index
    %run_end = memref.load %begins[%after] : memref<?xindex>
    %to = arith.minui %run_end, %end : index
    %number = arith.index_castui %k : index to !S
    %key = arith.addi %least, %number : !S
    %is_some = arith.cmpi ult, %from, %to : index
    scf.if %is_some {
      %value = func.call @result(%key, %order, %row) : (!S, memref<?xi32>, index) -> !S
      scf.for %i = %from to %to step %c1 {
        %at = arith.addi %row, %i : index
        memref.store %value, %out[%at] : memref<?x!S>
      }
    }
    scf.yield %to : index
  }
  return
}

// Sorts a row, if all its keys are from %least to %greatest, by counting each of these. Whether it did.
func.func private @sort_by_counts(%x: memref<?x!T>, %keys: memref<?x!S>, %order: memref<?xi32>, %row: index, %n: index,
    %least: !S, %greatest: !S, %out: memref<?x!S>) -> i1 {
  %yes = arith.constant true
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %least_part = arith.constant 65536 : index
  %difference = arith.subi %greatest, %least : !S
  %last_key = arith.index_castui %difference : !S to index
  %num_keys = arith.addi %last_key, %c1 : index
  %share = arith.ceildivui %n, %c64 : index
  %part = arith.maxui %share, %least_part : index
  %num_parts = arith.ceildivui %n, %part : index
  %num_counts = arith.muli %num_parts, %num_keys : index
  %counts = memref.alloc(%num_counts) : memref<?xindex>
  %insides = memref.alloc(%num_parts) : memref<?xi1>
  scf.parallel (%p) = (%c0) to (%num_parts) step (%c1) {
    %begin = arith.muli %p, %part : index
    %behind = arith.addi %begin, %part : index
    %end = arith.minui %behind, %n : index
    %c = arith.muli %p, %num_keys : index
    %inside = func.call @count_keys(%x, %keys, %row, %begin, %end, %least, %greatest, %num_keys, %counts, %c)
        : (memref<?x!T>, memref<?x!S>, index, index, index, !S, !S, index, memref<?xindex>, index) -> i1
    memref.store %inside, %insides[%p] : memref<?xi1>
    scf.reduce
  } {noria.point_ns = 80000}
  %all_inside = scf.for %p = %c0 to %num_parts step %c1 iter_args(%acc = %yes) -> (i1) {
    %inside = memref.load %insides[%p] : memref<?xi1>
    %next = arith.andi %acc, %inside : i1
    scf.yield %next : i1
  }
  scf.if %all_inside {
    %num_begins = arith.addi %num_keys, %c1 : index
    %begins = memref.alloc(%num_begins) : memref<?xindex>
    %all = scf.for %k = %c0 to %num_keys step %c1 iter_args(%sum = %c0) -> (index) {
      memref.store %sum, %begins[%k] : memref<?xindex>
      %end = scf.for %p = %c0 to %num_parts step %c1 iter_args(%before = %sum) -> (index) {
        %c = arith.muli %p, %num_keys : index
        %at = arith.addi %c, %k : index
        %count = memref.load %counts[%at] : memref<?xindex>
        %after = arith.addi %before, %count : index
        scf.yield %after : index
      }
      scf.yield %end : index
    }
    memref.store %all, %begins[%num_keys] : memref<?xindex>
    scf.parallel (%p) = (%c0) to (%num_parts) step (%c1) {
      %begin = arith.muli %p, %part : index
      %behind = arith.addi %begin, %part : index
      %end = arith.minui %behind, %n : index
      func.call @write_runs(%begins, %num_keys, %begin, %end, %least, %order, %row, %out)
          : (memref<?xindex>, index, index, index, !S, memref<?xi32>, index, memref<?x!S>) -> ()
      scf.reduce
    } {noria.point_ns = 30000}
    memref.dealloc %begins : memref<?xindex>
  }
  memref.dealloc %counts : memref<?xindex>
  memref.dealloc %insides : memref<?xi1>
  return %all_inside : i1
}

// Sorts a row with at most 16,384 keys from the least to the greatest one, by counting these. Whether it is such a row.
// A sample without bits below a part has a part of the range: first, a wider one is tried, which most likely has all
// keys, then that of all.
func.func private @sort_if_narrow(%x: memref<?x!T>, %keys: memref<?x!S>, %order: memref<?xi32>, %row: index, %n: index,
    %least: !S, %greatest: !S, %shift: !S, %out: memref<?x!S>) -> i1 {
  %no = arith.constant false
  %yes = arith.constant true
  %c1 = arith.constant 1 : index
  %most_more = arith.constant 512 : index
  %last_of_most = arith.constant 16383 : index
  %none = arith.constant 0 : !S
  %all_bits = arith.constant -1 : !S
  %may_be = arith.cmpi eq, %shift, %none : !S
  %difference = arith.subi %greatest, %least : !S
  %last_key = arith.index_castui %difference : !S to index
  %some_last = arith.minui %last_key, %last_of_most : index
  %room = arith.subi %last_of_most, %some_last : index
  %half_room = arith.shrui %room, %c1 : index
  %half_range = arith.shrui %some_last, %c1 : index
  %less = arith.minui %half_room, %half_range : index
  %more = arith.minui %less, %most_more : index
  %wanted = arith.index_castui %more : index to !S
  %room_above = arith.subi %all_bits, %greatest : !S
  %below = arith.minui %wanted, %least : !S
  %above = arith.minui %wanted, %room_above : !S
  %from = arith.subi %least, %below : !S
  %to = arith.addi %greatest, %above : !S
  %sorted = scf.while (%is_narrow = %may_be, %first = %from, %last = %to, %is_second = %no) : (i1, !S, !S, i1) -> (i1) {
    %done = scf.if %is_narrow -> (i1) {
      %by_counts = func.call @sort_by_counts(%x, %keys, %order, %row, %n, %first, %last, %out)
          : (memref<?x!T>, memref<?x!S>, memref<?xi32>, index, index, !S, !S, memref<?x!S>) -> i1
      scf.yield %by_counts : i1
    } else {
      scf.yield %no : i1
    }
    %was_first = arith.xori %is_second, %yes : i1
    %not_done = arith.xori %done, %yes : i1
    %failed = arith.andi %is_narrow, %not_done : i1
    %again = arith.andi %failed, %was_first : i1
    scf.condition(%again) %done : i1
  } do {
  ^bb0(%done: i1):
    %range:2 = func.call @key_range(%x, %keys, %row, %n) : (memref<?x!T>, memref<?x!S>, index, index) -> (!S, !S)
    %all_difference = arith.subi %range#1, %range#0 : !S
    %all_last_key = arith.index_castui %all_difference : !S to index
    %fits = arith.cmpi ule, %all_last_key, %last_of_most : index
    scf.yield %fits, %range#0, %range#1, %yes : i1, !S, !S, i1
  }
  return %sorted : i1
}
