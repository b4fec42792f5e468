// sort_rows.mlir - sorts the rows of a matrix, on all threads, by integers that are made of the elements.
//
// A long row is sorted by one thread where each thread has such a row and partitions are possible (sort_quick.mlir).
// Others are first distributed to buckets whose elements fit in a core's cache: a sample of the row says which of
// 16,384 equal parts of its range go to which bucket, so that all get about as many. Each bucket is then sorted by
// itself (sort_quick.mlir, merge_sort.mlir). A bucket with many times its share, as where many elements share their
// high bits, is sorted by parts and merges on all threads. Many shorter rows are shared among the threads; those of at
// most 1,024 elements are sorted by a network (sort_network.mlir). On machines that expand and compress vectors
// (@expands), rows of 65 to 256 elements are sorted in registers (sort_block.mlir), and those of up to 1,024 by the
// network only where bits below %low need no look. A row with at most 16,384 keys from the least to the greatest one is
// sorted by counting each of these (sort_counts.mlir).
//
// Buckets and rows are stable for keys whose order is that of the elements' places where they are equal.
//
// The prelude defines the types !T of elements and !S of keys and of results, and
//   @read(%x: memref<?x!T>, %keys: memref<?x!S>, %row: index, %i: index) -> !S
//     the key of the i-th element of the row that begins at %row
//   @result(%key: !S, %order: memref<?xi32>, %row: index) -> !S
//     what is written for a key
// and what merge_sort.mlir takes.

// Which of 16,384 parts of the range from %least to %greatest a key is in. Keys below and above are in the first and
// the last one.
func.func private @part_of(%key: !S, %least: !S, %greatest: !S, %shift: !S) -> !S {
  %low = arith.maxui %key, %least : !S
  %inside = arith.minui %low, %greatest : !S
  %ahead = arith.subi %inside, %least : !S
  %part = arith.shrui %ahead, %shift : !S
  return %part : !S
}

// Writes the bucket of each part of the range that a sample of the row has, so that about as many elements are in each.
// Gives the least and the greatest key of the sample, and by how many bits a key is shifted to its part.
func.func private @choose_buckets(%x: memref<?x!T>, %keys: memref<?x!S>, %row: index, %n: index, %num_buckets: index,
    %buckets: memref<16384xi16>) -> (!S, !S, !S) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c14 = arith.constant 14 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %num_parts = arith.constant 16384 : index
  %num_samples = arith.muli %num_buckets, %c64 : index
  %stride = arith.divui %n, %num_samples : index
  %first = func.call @read(%x, %keys, %row, %c0) : (memref<?x!T>, memref<?x!S>, index, index) -> !S
  %range:2 = scf.for %s = %c0 to %num_samples step %c1 iter_args(%min = %first, %max = %first) -> (!S, !S) {
    %i = arith.muli %s, %stride : index
    %key = func.call @read(%x, %keys, %row, %i) : (memref<?x!T>, memref<?x!S>, index, index) -> !S
    %less = arith.minui %min, %key : !S
    %greater = arith.maxui %max, %key : !S
    scf.yield %less, %greater : !S, !S
  }
  %difference = arith.subi %range#1, %range#0 : !S
  %difference_index = arith.index_castui %difference : !S to index
  %bits = func.call @bit_length(%difference_index) : (index) -> index
  %at_least = arith.maxui %bits, %c14 : index
  %shift_index = arith.subi %at_least, %c14 : index
  %shift = arith.index_castui %shift_index : index to !S
  %counts = memref.alloc() : memref<16384xindex>
  scf.for %i = %c0 to %num_parts step %c1 {
    memref.store %c0, %counts[%i] : memref<16384xindex>
  }
  scf.for %s = %c0 to %num_samples step %c1 {
    %i = arith.muli %s, %stride : index
    %key = func.call @read(%x, %keys, %row, %i) : (memref<?x!T>, memref<?x!S>, index, index) -> !S
    %part_key = func.call @part_of(%key, %range#0, %range#1, %shift) : (!S, !S, !S, !S) -> !S
    %part = arith.index_castui %part_key : !S to index
    %count = memref.load %counts[%part] : memref<16384xindex>
    %more = arith.addi %count, %c1 : index
    memref.store %more, %counts[%part] : memref<16384xindex>
  }
  // The number of samples ahead of a part is less than that of all or, behind the last one, equal to it: 64 make a
  // bucket. A part with more than two buckets' share, as of one key that many elements have, begins a bucket of its
  // own.
  %most = arith.subi %num_samples, %c1 : index
  %all = scf.for %i = %c0 to %num_parts step %c1 iter_args(%sum = %c0) -> (index) {
    %ahead = arith.minui %sum, %most : index
    %count = memref.load %counts[%i] : memref<16384xindex>
    %is_heavy = arith.cmpi uge, %count, %c128 : index
    %rounding = arith.select %is_heavy, %c63, %c0 : index
    %rounded = arith.addi %ahead, %rounding : index
    %bucket = arith.divui %rounded, %c64 : index
    %small = arith.index_castui %bucket : index to i16
    memref.store %small, %buckets[%i] : memref<16384xi16>
    %next = arith.addi %sum, %count : index
    scf.yield %next : index
  }
  memref.dealloc %counts : memref<16384xindex>
  return %range#0, %range#1, %shift : !S, !S, !S
}

// Writes the bucket of each of the elements from %begin to %end, and counts[c] on how many each bucket has.
func.func private @count_part(%x: memref<?x!T>, %keys: memref<?x!S>, %row: index, %begin: index, %end: index,
    %least: !S, %greatest: !S, %shift: !S, %buckets: memref<16384xi16>, %num_buckets: index, %ids: memref<?xi16>,
    %counts: memref<?xindex>, %c: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  scf.for %b = %c0 to %num_buckets step %c1 {
    %at = arith.addi %c, %b : index
    memref.store %c0, %counts[%at] : memref<?xindex>
  }
  // parts of the range first, for 1,024 elements as vectors
  %parts = memref.alloc() : memref<1024x!S>
  scf.for %first = %begin to %end step %c1024 {
    %left = arith.subi %end, %first : index
    %size = arith.minui %left, %c1024 : index
    scf.for %j = %c0 to %size step %c1 {
      %i = arith.addi %first, %j : index
      %key = func.call @read(%x, %keys, %row, %i) : (memref<?x!T>, memref<?x!S>, index, index) -> !S
      %part = func.call @part_of(%key, %least, %greatest, %shift) : (!S, !S, !S, !S) -> !S
      memref.store %part, %parts[%j] : memref<1024x!S>
    }
    scf.for %j = %c0 to %size step %c1 {
      %i = arith.addi %first, %j : index
      %part_key = memref.load %parts[%j] : memref<1024x!S>
      %part = arith.index_castui %part_key : !S to index
      %bucket = memref.load %buckets[%part] : memref<16384xi16>
      memref.store %bucket, %ids[%i] : memref<?xi16>
      %b = arith.index_castui %bucket : i16 to index
      %at = arith.addi %c, %b : index
      %count = memref.load %counts[%at] : memref<?xindex>
      %more = arith.addi %count, %c1 : index
      memref.store %more, %counts[%at] : memref<?xindex>
    }
  }
  memref.dealloc %parts : memref<1024x!S>
  return
}

// Writes the keys of the elements from %begin to %end to their buckets; counts[c] on are the places of the next ones.
func.func private @distribute_part(%x: memref<?x!T>, %keys: memref<?x!S>, %row: index, %begin: index, %end: index,
    %ids: memref<?xi16>, %counts: memref<?xindex>, %c: index, %out: memref<?x!S>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c1024 = arith.constant 1024 : index
  %total = memref.dim %out, %c0 : memref<?x!S>
  %last = arith.subi %total, %c1 : index
  %tile = memref.alloc() : memref<1024x!S>
  scf.for %first = %begin to %end step %c1024 {
    %left = arith.subi %end, %first : index
    %size = arith.minui %left, %c1024 : index
    scf.for %j = %c0 to %size step %c1 {
      %i = arith.addi %first, %j : index
      %key = func.call @read(%x, %keys, %row, %i) : (memref<?x!T>, memref<?x!S>, index, index) -> !S
      memref.store %key, %tile[%j] : memref<1024x!S>
    }
    scf.for %j = %c0 to %size step %c1 {
      %i = arith.addi %first, %j : index
      %key = memref.load %tile[%j] : memref<1024x!S>
      %bucket = memref.load %ids[%i] : memref<?xi16>
      %b = arith.index_castui %bucket : i16 to index
      %at = arith.addi %c, %b : index
      %place = memref.load %counts[%at] : memref<?xindex>
      // about where the bucket is written when its next cache line begins
      %soon_or_more = arith.addi %place, %c16 : index
      %soon = arith.minui %soon_or_more, %last : index
      memref.prefetch %out[%soon], write, locality<3>, data : memref<?x!S>
      memref.store %key, %out[%place] : memref<?x!S>
      %after = arith.addi %place, %c1 : index
      memref.store %after, %counts[%at] : memref<?xindex>
    }
  }
  memref.dealloc %tile : memref<1024x!S>
  return
}

// Writes the results for n keys.
func.func private @write_results(%keys: memref<?x!S>, %begin: index, %n: index, %order: memref<?xi32>, %row: index,
    %out: memref<?x!S>, %at: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %from = arith.addi %begin, %i : index
    %to = arith.addi %at, %i : index
    %key = memref.load %keys[%from] : memref<?x!S>
    %value = func.call @result(%key, %order, %row) : (!S, memref<?xi32>, index) -> !S
    memref.store %value, %out[%to] : memref<?x!S>
  }
  return
}

// Sorts the buckets of a row, whose keys are in %out: bucket b is from begins[b] to begins[b + 1] of the row.
func.func private @sort_buckets(%begins: memref<?xindex>, %num_buckets: index, %n: index, %order: memref<?xi32>,
    %row: index, %low: index, %out: memref<?x!S>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %no = arith.constant false
  %yes = arith.constant true
  %most_or_less = arith.constant 262144 : index
  %share = arith.ceildivui %n, %num_buckets : index
  %shares = arith.muli %share, %c4 : index
  %most = arith.maxui %most_or_less, %shares : index
  scf.parallel (%b) = (%c0) to (%num_buckets) step (%c1) {
    %next = arith.addi %b, %c1 : index
    %begin = memref.load %begins[%b] : memref<?xindex>
    %end = memref.load %begins[%next] : memref<?xindex>
    %size = arith.subi %end, %begin : index
    %fits = arith.cmpi ule, %size, %most : index
    %some = arith.cmpi ugt, %size, %c0 : index
    %fits_some = arith.andi %fits, %some : i1
    scf.if %fits_some {
      %tmp = memref.alloc(%size) : memref<?x!S>
      %at = arith.addi %row, %begin : index
      %sorted:3 = func.call @sort_list(%out, %at, %tmp, %size, %low, %yes)
          : (memref<?x!S>, index, memref<?x!S>, index, index, i1) -> (memref<?x!S>, index, i1)
      // two loops, each of which vectors can do: one in place, and one between lists that do not overlap
      scf.if %sorted#2 {
        func.call @write_results(%tmp, %c0, %size, %order, %row, %out, %at)
            : (memref<?x!S>, index, index, memref<?xi32>, index, memref<?x!S>, index) -> ()
      } else {
        func.call @write_results(%out, %at, %size, %order, %row, %out, %at)
            : (memref<?x!S>, index, index, memref<?xi32>, index, memref<?x!S>, index) -> ()
      }
      memref.dealloc %tmp : memref<?x!S>
    }
    scf.reduce
  } {noria.point_ns = 60000}
  %any = scf.for %b = %c0 to %num_buckets step %c1 iter_args(%acc = %no) -> (i1) {
    %next = arith.addi %b, %c1 : index
    %begin = memref.load %begins[%b] : memref<?xindex>
    %end = memref.load %begins[%next] : memref<?xindex>
    %size = arith.subi %end, %begin : index
    %is_large = arith.cmpi ugt, %size, %most : index
    %either = arith.ori %acc, %is_large : i1
    scf.yield %either : i1
  }
  scf.if %any {
    %part = arith.constant 65536 : index
    scf.for %b = %c0 to %num_buckets step %c1 {
      %next = arith.addi %b, %c1 : index
      %begin = memref.load %begins[%b] : memref<?xindex>
      %end = memref.load %begins[%next] : memref<?xindex>
      %size = arith.subi %end, %begin : index
      %is_large = arith.cmpi ugt, %size, %most : index
      scf.if %is_large {
        %left_list = memref.alloc(%size) : memref<?x!S>
        %right_list = memref.alloc(%size) : memref<?x!S>
        %first = arith.addi %row, %begin : index
        %sorted = func.call @merge_sort(%out, %first, %size, %low, %left_list, %right_list)
            : (memref<?x!S>, index, index, index, memref<?x!S>, memref<?x!S>) -> memref<?x!S>
        %num_parts = arith.ceildivui %size, %part : index
        scf.parallel (%p) = (%c0) to (%num_parts) step (%c1) {
          %ahead = arith.muli %p, %part : index
          %left = arith.subi %size, %ahead : index
          %count = arith.minui %left, %part : index
          %at = arith.addi %first, %ahead : index
          func.call @write_results(%sorted, %ahead, %count, %order, %row, %out, %at)
              : (memref<?x!S>, index, index, memref<?xi32>, index, memref<?x!S>, index) -> ()
          scf.reduce
        } {noria.point_ns = 40000}
        memref.dealloc %left_list : memref<?x!S>
        memref.dealloc %right_list : memref<?x!S>
      }
    }
  }
  return
}

// The row of n elements, more than 65,536, that begins at %row, on all threads. Gives whether it is left for one
// thread: with %alone it may be, and is where partitions pay.
func.func private @sort_long_row(%x: memref<?x!T>, %keys: memref<?x!S>, %order: memref<?xi32>, %row: index, %n: index,
    %low: index, %alone: i1, %out: memref<?x!S>) -> i1 {
  %no = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %most_buckets = arith.constant 4096 : index
  // fewer elements in a bucket where threads would have few buckets otherwise
  %small_bucket = arith.constant 16384 : index
  %large_bucket = arith.constant 32768 : index
  %many = arith.constant 1048576 : index
  %is_huge = arith.cmpi uge, %n, %many : index
  %bucket_size = arith.select %is_huge, %large_bucket, %small_bucket : index
  %least_part = arith.constant 65536 : index
  %wanted = arith.ceildivui %n, %bucket_size : index
  %less = arith.subi %wanted, %c1 : index
  %bits = func.call @bit_length(%less) : (index) -> index
  %power = arith.shli %c1, %bits : index
  %num_buckets = arith.minui %power, %most_buckets : index
  %share = arith.ceildivui %n, %c256 : index
  %part = arith.maxui %share, %least_part : index
  %num_parts = arith.ceildivui %n, %part : index
  %buckets = memref.alloc() : memref<16384xi16>
  %range:3 = func.call @choose_buckets(%x, %keys, %row, %n, %num_buckets, %buckets)
      : (memref<?x!T>, memref<?x!S>, index, index, index, memref<16384xi16>) -> (!S, !S, !S)
  %done = func.call @sort_if_narrow(%x, %keys, %order, %row, %n, %range#0, %range#1, %range#2, %out)
      : (memref<?x!T>, memref<?x!S>, memref<?xi32>, index, index, !S, !S, !S, memref<?x!S>) -> i1
  // buckets of larger elements take less time again where there are many
  %c32 = arith.constant 32 : index
  %key_bits = func.call @key_bits() : () -> index
  %is_narrow = arith.cmpi ule, %key_bits, %c32 : index
  %are_few = arith.cmpi ule, %n, %many : index
  %pays = arith.ori %is_narrow, %are_few : i1
  %would = arith.andi %alone, %pays : i1
  %is_left = arith.select %done, %no, %would : i1
  %either = arith.ori %done, %is_left : i1
  scf.if %either {
  } else {
    %ids = memref.alloc(%n) : memref<?xi16>
    %num_counts = arith.muli %num_parts, %num_buckets : index
    %counts = memref.alloc(%num_counts) : memref<?xindex>
    scf.parallel (%p) = (%c0) to (%num_parts) step (%c1) {
      %begin = arith.muli %p, %part : index
      %behind = arith.addi %begin, %part : index
      %end = arith.minui %behind, %n : index
      %c = arith.muli %p, %num_buckets : index
      func.call @count_part(%x, %keys, %row, %begin, %end, %range#0, %range#1, %range#2, %buckets, %num_buckets, %ids,
          %counts, %c)
          : (memref<?x!T>, memref<?x!S>, index, index, index, !S, !S, !S, memref<16384xi16>, index, memref<?xi16>,
              memref<?xindex>, index) -> ()
      scf.reduce
    } {noria.point_ns = 80000}
    %num_begins = arith.addi %num_buckets, %c1 : index
    %begins = memref.alloc(%num_begins) : memref<?xindex>
    %all = scf.for %b = %c0 to %num_buckets step %c1 iter_args(%sum = %c0) -> (index) {
      memref.store %sum, %begins[%b] : memref<?xindex>
      %end = scf.for %p = %c0 to %num_parts step %c1 iter_args(%before = %sum) -> (index) {
        %c = arith.muli %p, %num_buckets : index
        %at = arith.addi %c, %b : index
        %count = memref.load %counts[%at] : memref<?xindex>
        %place = arith.addi %row, %before : index
        memref.store %place, %counts[%at] : memref<?xindex>
        %after = arith.addi %before, %count : index
        scf.yield %after : index
      }
      scf.yield %end : index
    }
    memref.store %all, %begins[%num_buckets] : memref<?xindex>
    scf.parallel (%p) = (%c0) to (%num_parts) step (%c1) {
      %begin = arith.muli %p, %part : index
      %behind = arith.addi %begin, %part : index
      %end = arith.minui %behind, %n : index
      %c = arith.muli %p, %num_buckets : index
      func.call @distribute_part(%x, %keys, %row, %begin, %end, %ids, %counts, %c, %out)
          : (memref<?x!T>, memref<?x!S>, index, index, index, memref<?xi16>, memref<?xindex>, index, memref<?x!S>) -> ()
      scf.reduce
    } {noria.point_ns = 120000}
    memref.dealloc %ids : memref<?xi16>
    func.call @sort_buckets(%begins, %num_buckets, %n, %order, %row, %low, %out)
        : (memref<?xindex>, index, index, memref<?xi32>, index, index, memref<?x!S>) -> ()
    memref.dealloc %begins : memref<?xindex>
    memref.dealloc %counts : memref<?xindex>
  }
  memref.dealloc %buckets : memref<16384xi16>
  return %is_left : i1
}

// Sorts the rows from %begin to %end, of n elements, at most 1,024.
func.func private @sort_short_rows(%x: memref<?x!T>, %keys: memref<?x!S>, %order: memref<?xi32>, %begin: index,
    %end: index, %n: index, %out: memref<?x!S>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %t = memref.alloc() : memref<2048x!S>
  %list = memref.cast %t : memref<2048x!S> to memref<?x!S>
  %by_blocks = func.call @expands() : () -> i1
  %is_wide = arith.cmpi ugt, %n, %c64 : index
  %fits = arith.cmpi ule, %n, %c256 : index
  %fits_wide = arith.andi %fits, %is_wide : i1
  %in_registers = arith.andi %by_blocks, %fits_wide : i1 // @sort_block takes 256 elements
  scf.for %r = %begin to %end step %c1 {
    %row = arith.muli %r, %n : index
    scf.for %i = %c0 to %n step %c1 {
      %key = func.call @read(%x, %keys, %row, %i) : (memref<?x!T>, memref<?x!S>, index, index) -> !S
      memref.store %key, %t[%i] : memref<2048x!S>
    }
    %at = scf.if %in_registers -> (index) {
      func.call @sort_block(%list, %c0, %n) : (memref<?x!S>, index, index) -> ()
      scf.yield %c0 : index
    } else {
      %begin_sorted = func.call @network_sort(%t, %n) : (memref<2048x!S>, index) -> index
      scf.yield %begin_sorted : index
    }
    scf.for %i = %c0 to %n step %c1 {
      %from = arith.addi %at, %i : index
      %to = arith.addi %row, %i : index
      %key = memref.load %t[%from] : memref<2048x!S>
      %value = func.call @result(%key, %order, %row) : (!S, memref<?xi32>, index) -> !S
      memref.store %value, %out[%to] : memref<?x!S>
    }
  }
  memref.dealloc %t : memref<2048x!S>
  return
}

// The same of longer ones, by the bits of their keys from %low on; with %are_long those that %left says. These are
// sorted in their places in %out, others in memory that each row has in turn.
func.func private @sort_middle_rows(%x: memref<?x!T>, %keys: memref<?x!S>, %order: memref<?xi32>, %begin: index,
    %end: index, %n: index, %low: index, %are_long: i1, %left: memref<?xi1>, %out: memref<?x!S>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %no = arith.constant false
  %yes = arith.constant true
  %num_keys = arith.select %are_long, %c0, %n : index
  %row_keys = memref.alloc(%num_keys) : memref<?x!S>
  %tmp = memref.alloc(%n) : memref<?x!S>
  scf.for %r = %begin to %end step %c1 {
    %now = scf.if %are_long -> (i1) {
      %is_left = memref.load %left[%r] : memref<?xi1>
      scf.yield %is_left : i1
    } else {
      scf.yield %yes : i1
    }
    scf.if %now {
      %row = arith.muli %r, %n : index
      %list:2 = scf.if %are_long -> (memref<?x!S>, index) {
        scf.yield %out, %row : memref<?x!S>, index
      } else {
        scf.yield %row_keys, %c0 : memref<?x!S>, index
      }
      scf.for %i = %c0 to %n step %c1 {
        %key = func.call @read(%x, %keys, %row, %i) : (memref<?x!T>, memref<?x!S>, index, index) -> !S
        %at = arith.addi %list#1, %i : index
        memref.store %key, %list#0[%at] : memref<?x!S>
      }
      %sorted:3 = func.call @sort_list(%list#0, %list#1, %tmp, %n, %low, %no)
          : (memref<?x!S>, index, memref<?x!S>, index, index, i1) -> (memref<?x!S>, index, i1)
      %stayed = arith.xori %sorted#2, %yes : i1
      %in_place = arith.andi %are_long, %stayed : i1
      scf.if %in_place {
        func.call @write_results(%out, %row, %n, %order, %row, %out, %row)
            : (memref<?x!S>, index, index, memref<?xi32>, index, memref<?x!S>, index) -> ()
      } else {
        func.call @write_results(%sorted#0, %sorted#1, %n, %order, %row, %out, %row)
            : (memref<?x!S>, index, index, memref<?xi32>, index, memref<?x!S>, index) -> ()
      }
    }
  }
  memref.dealloc %row_keys : memref<?x!S>
  memref.dealloc %tmp : memref<?x!S>
  return
}

// Sorts each of the rows of n elements by the bits of its keys from %low on.
func.func private @sort_rows(%x: memref<?x!T>, %keys: memref<?x!S>, %order: memref<?xi32>, %rows: index, %n: index,
    %low: index, %out: memref<?x!S>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %no = arith.constant false
  %yes = arith.constant true
  %most = arith.constant 65536 : index
  %c256 = arith.constant 256 : index
  %c1024 = arith.constant 1024 : index
  // longer ones by partitions, where these are possible and all bits count (@is_for_partitions)
  %expands = func.call @expands() : () -> i1
  %all_bits_count = arith.cmpi eq, %low, %c0 : index
  %by_partitions = arith.andi %expands, %all_bits_count : i1
  %most_short = arith.select %by_partitions, %c256, %c1024 : index
  %is_long = arith.cmpi ugt, %n, %most : index
  %is_short = arith.cmpi ule, %n, %most_short : index
  %num_long = arith.select %is_long, %rows, %c0 : index
  %left = memref.alloc(%num_long) : memref<?xi1>
  // partitions by one thread take less time than buckets, but each thread must have a row
  %threads = rt.threads
  %are_many = arith.cmpi uge, %rows, %threads : index
  %alone = arith.andi %by_partitions, %are_many : i1
  %any_left = scf.for %r = %c0 to %num_long step %c1 iter_args(%any = %no) -> (i1) {
    %row = arith.muli %r, %n : index
    %is_left = func.call @sort_long_row(%x, %keys, %order, %row, %n, %low, %alone, %out)
        : (memref<?x!T>, memref<?x!S>, memref<?xi32>, index, index, index, i1, memref<?x!S>) -> i1
    memref.store %is_left, %left[%r] : memref<?xi1>
    %next = arith.ori %any, %is_left : i1
    scf.yield %next : i1
  }
  %is_not_long = arith.xori %is_long, %yes : i1
  %more = arith.ori %is_not_long, %any_left : i1
  scf.if %more {
    // so many rows at a time that threads have work
    %some = arith.maxui %n, %c1 : index
    %fit = arith.divui %most, %some : index
    %group = arith.maxui %fit, %c1 : index
    %num_groups = arith.ceildivui %rows, %group : index
    scf.parallel (%g) = (%c0) to (%num_groups) step (%c1) {
      %r_begin = arith.muli %g, %group : index
      %behind = arith.addi %r_begin, %group : index
      %r_end = arith.minui %behind, %rows : index
      scf.if %is_short {
        func.call @sort_short_rows(%x, %keys, %order, %r_begin, %r_end, %n, %out)
            : (memref<?x!T>, memref<?x!S>, memref<?xi32>, index, index, index, memref<?x!S>) -> ()
      } else {
        func.call @sort_middle_rows(%x, %keys, %order, %r_begin, %r_end, %n, %low, %is_long, %left, %out)
            : (memref<?x!T>, memref<?x!S>, memref<?xi32>, index, index, index, index, i1, memref<?xi1>, memref<?x!S>)
            -> ()
      }
      scf.reduce
    } {noria.point_ns = 300000}
  }
  memref.dealloc %left : memref<?xi1>
  return
}
