// histogram.mlir - how many values are in each of the bins between sorted edges; a bin is without its right edge, but
// for the last.
//
// Values are searched by a table of the edges (search_table.mlir), and counted by parts on all threads. Where no entry
// of the table has more than 1 or 4 edges, as where edges are about evenly spaced, each value takes as many
// comparisons.
//
// The prelude defines what search_table.mlir takes, @before(!T, !T) -> i1, and @checked() -> i1, whether it is an error
// where the edges are not sorted.

func.func private @count_place(%counts: memref<?xi64>, %at: index) {
  %one = arith.constant 1 : i64
  %count = memref.load %counts[%at] : memref<?xi64>
  %more = arith.addi %count, %one : i64
  memref.store %more, %counts[%at] : memref<?xi64>
  return
}

// How many of 4 edges, or of one, are not behind a value.
func.func private @number_passed(%keys: memref<?x!K>, %begin: index, %key: !K, %four: i1) -> index {
  %edge = memref.load %keys[%begin] : memref<?x!K>
  %is_left = arith.cmpi ule, %edge, %key : !K
  %one = arith.index_castui %is_left : i1 to index
  %passed = scf.if %four -> (index) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %i1 = arith.addi %begin, %c1 : index
    %i2 = arith.addi %begin, %c2 : index
    %i3 = arith.addi %begin, %c3 : index
    %edge1 = memref.load %keys[%i1] : memref<?x!K>
    %edge2 = memref.load %keys[%i2] : memref<?x!K>
    %edge3 = memref.load %keys[%i3] : memref<?x!K>
    %is_left1 = arith.cmpi ule, %edge1, %key : !K
    %is_left2 = arith.cmpi ule, %edge2, %key : !K
    %is_left3 = arith.cmpi ule, %edge3, %key : !K
    %number1 = arith.index_castui %is_left1 : i1 to index
    %number2 = arith.index_castui %is_left2 : i1 to index
    %number3 = arith.index_castui %is_left3 : i1 to index
    %two = arith.addi %one, %number1 : index
    %last_two = arith.addi %number2, %number3 : index
    %all = arith.addi %two, %last_two : index
    scf.yield %all : index
  } else {
    scf.yield %one : index
  }
  return %passed : index
}

// Counts the places of the values of a slice, from counts[c] on, where no entry of the table has more than 4 edges, or
// 1; there are as many.
func.func private @count_by_entries(%slice: tensor<?x!T>, %count: index, %n: index, %four: i1, %keys: memref<?x!K>,
    %begins: memref<?xi32>, %least: !K, %greatest: !K, %shift: !K, %counts: memref<?xi64>, %c: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %c4 = arith.constant 4 : index
  %most = arith.select %four, %c4, %c1 : index
  %last = arith.subi %n, %most : index
  // entries first, for 1,024 values as vectors
  %tile_keys = memref.alloc() : memref<1024x!K>
  %tile_entries = memref.alloc() : memref<1024x!K>
  scf.for %first = %c0 to %count step %c1024 {
    %left = arith.subi %count, %first : index
    %size = arith.minui %left, %c1024 : index
    scf.for %j = %c0 to %size step %c1 {
      %i = arith.addi %first, %j : index
      %value = tensor.extract %slice[%i] : tensor<?x!T>
      %key = func.call @key(%value) : (!T) -> !K
      %entry = func.call @entry(%key, %least, %greatest, %shift) : (!K, !K, !K, !K) -> !K
      memref.store %key, %tile_keys[%j] : memref<1024x!K>
      memref.store %entry, %tile_entries[%j] : memref<1024x!K>
    }
    scf.for %j = %c0 to %size step %c1 {
      %key = memref.load %tile_keys[%j] : memref<1024x!K>
      %entry_key = memref.load %tile_entries[%j] : memref<1024x!K>
      %entry = arith.index_castui %entry_key : !K to index
      %begin32 = memref.load %begins[%entry] : memref<?xi32>
      %begin_or_end = arith.index_castui %begin32 : i32 to index
      %begin = arith.minui %begin_or_end, %last : index
      %ahead = func.call @number_passed(%keys, %begin, %key, %four) : (memref<?x!K>, index, !K, i1) -> index
      %place = arith.addi %begin, %ahead : index
      %at = arith.addi %c, %place : index
      func.call @count_place(%counts, %at) : (memref<?xi64>, index) -> ()
    }
  }
  memref.dealloc %tile_keys : memref<1024x!K>
  memref.dealloc %tile_entries : memref<1024x!K>
  return
}

// The same where entries may have any number of edges.
func.func private @count_by_searches(%slice: tensor<?x!T>, %count: index, %n: index, %keys: memref<?x!K>,
    %begins: memref<?xi32>, %least: !K, %greatest: !K, %shift: !K, %size: index, %counts: memref<?xi64>, %c: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %right = arith.constant true
  %block_values = memref.alloc() : memref<16x!K>
  %entries = memref.alloc() : memref<16x!K>
  %places = memref.alloc() : memref<16xindex>
  scf.for %first = %c0 to %count step %c16 {
    func.call @search_values(%slice, %first, %count, %n, %keys, %begins, %least, %greatest, %shift, %size, %right,
        %block_values, %entries, %places)
        : (tensor<?x!T>, index, index, index, memref<?x!K>, memref<?xi32>, !K, !K, !K, index, i1, memref<16x!K>,
            memref<16x!K>, memref<16xindex>) -> ()
    %left = arith.subi %count, %first : index
    %block_size = arith.minui %left, %c16 : index
    scf.for %i = %c0 to %block_size step %c1 {
      %place = memref.load %places[%i] : memref<16xindex>
      %at = arith.addi %c, %place : index
      func.call @count_place(%counts, %at) : (memref<?xi64>, index) -> ()
    }
  }
  memref.dealloc %block_values : memref<16x!K>
  memref.dealloc %entries : memref<16x!K>
  memref.dealloc %places : memref<16xindex>
  return
}

func.func @histogram(%edges: tensor<?x!T>, %values: tensor<?x!T>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %least_entries = arith.constant 65536 : index
  %yes = arith.constant true
  %no = arith.constant false
  %least_part = arith.constant 16384 : index
  %n = tensor.dim %edges, %c0 : tensor<?x!T>
  %m = tensor.dim %values, %c0 : tensor<?x!T>
  %checked = func.call @checked() : () -> i1
  scf.if %checked {
    %unsorted = func.call @first_unsorted(%edges) : (tensor<?x!T>) -> index
    %is_sorted = arith.cmpi eq, %unsorted, %n : index
    rt.check %is_sorted, "histogram: edges is not sorted: element %0 is before the one ahead of it"(%unsorted : index)
  }
  %some = arith.maxui %n, %c1 : index
  %num_bins = arith.subi %some, %c1 : index
  %has_bins = arith.cmpi ne, %num_bins, %c0 : index
  %table:6 = func.call @search_table(%edges, %m, %least_entries)
      : (tensor<?x!T>, index, index) -> (memref<?x!K>, memref<?xi32>, !K, !K, !K, index)
  %one_each = arith.cmpi eq, %table#5, %c1 : index
  %few_each = arith.cmpi ule, %table#5, %c4 : index
  %has_four = arith.cmpi uge, %n, %c4 : index
  %four_each = arith.andi %few_each, %has_four : i1
  %last_edge = scf.if %has_bins -> (!K) {
    %edge = tensor.extract %edges[%num_bins] : tensor<?x!T>
    %key = func.call @key(%edge) : (!T) -> !K
    scf.yield %key : !K
  } else {
    %none = arith.constant 0 : !K
    scf.yield %none : !K
  }
  // parts are long beside the counts that each has: of all places from 0 to n
  %num_places = arith.addi %n, %c1 : index
  %share = arith.ceildivui %m, %c64 : index
  %longer = arith.maxui %share, %least_part : index
  %part = arith.maxui %longer, %num_places : index
  %num_parts = arith.ceildivui %m, %part : index
  %num_counts = arith.muli %num_parts, %num_places : index
  %counts = memref.alloc(%num_counts) : memref<?xi64>
  scf.parallel (%p) = (%c0) to (%num_parts) step (%c1) {
    %begin = arith.muli %p, %part : index
    %behind = arith.addi %begin, %part : index
    %end = arith.minui %behind, %m : index
    %c = arith.muli %p, %num_places : index
    scf.for %b = %c0 to %num_places step %c1 {
      %at = arith.addi %c, %b : index
      memref.store %zero, %counts[%at] : memref<?xi64>
    }
    %slice_size = arith.subi %end, %begin : index
    %slice = tensor.extract_slice %values[%begin] [%slice_size] [1] : tensor<?x!T> to tensor<?x!T>
    scf.if %one_each {
      func.call @count_by_entries(%slice, %slice_size, %n, %no, %table#0, %table#1, %table#2, %table#3, %table#4,
          %counts, %c)
          : (tensor<?x!T>, index, index, i1, memref<?x!K>, memref<?xi32>, !K, !K, !K, memref<?xi64>, index) -> ()
    } else {
      scf.if %four_each {
        func.call @count_by_entries(%slice, %slice_size, %n, %yes, %table#0, %table#1, %table#2, %table#3, %table#4,
            %counts, %c)
            : (tensor<?x!T>, index, index, i1, memref<?x!K>, memref<?xi32>, !K, !K, !K, memref<?xi64>, index) -> ()
      } else {
        func.call @count_by_searches(%slice, %slice_size, %n, %table#0, %table#1, %table#2, %table#3, %table#4,
            %table#5, %counts, %c)
            : (tensor<?x!T>, index, index, memref<?x!K>, memref<?xi32>, !K, !K, !K, index, memref<?xi64>, index) -> ()
      }
    }
    // those behind all edges that equal the last one are in the last bin
    %beyond = arith.addi %c, %n : index
    %any = memref.load %counts[%beyond] : memref<?xi64>
    %has_any = arith.cmpi ne, %any, %zero : i64
    %asked = arith.andi %has_any, %has_bins : i1
    scf.if %asked {
      %equal = scf.for %i = %c0 to %slice_size step %c1 iter_args(%sum = %zero) -> (i64) {
        %value = tensor.extract %slice[%i] : tensor<?x!T>
        %key = func.call @key(%value) : (!T) -> !K
        %is_last = arith.cmpi eq, %key, %last_edge : !K
        %more = arith.addi %sum, %one : i64
        %next = arith.select %is_last, %more, %sum : i64
        scf.yield %next : i64
      }
      %last_bin = arith.addi %c, %num_bins : index
      %count = memref.load %counts[%last_bin] : memref<?xi64>
      %all = arith.addi %count, %equal : i64
      memref.store %all, %counts[%last_bin] : memref<?xi64>
    }
    scf.reduce
  } {noria.point_ns = 30000}
  %bins = memref.alloc(%num_bins) : memref<?xi64>
  scf.for %b = %c0 to %num_bins step %c1 {
    %first = arith.addi %b, %c1 : index
    %total = scf.for %p = %c0 to %num_parts step %c1 iter_args(%sum = %zero) -> (i64) {
      %c = arith.muli %p, %num_places : index
      %at = arith.addi %c, %first : index
      %count = memref.load %counts[%at] : memref<?xi64>
      %next = arith.addi %sum, %count : i64
      scf.yield %next : i64
    }
    memref.store %total, %bins[%b] : memref<?xi64>
  }
  memref.dealloc %counts : memref<?xi64>
  memref.dealloc %table#0 : memref<?x!K>
  memref.dealloc %table#1 : memref<?xi32>
  %result = bufferization.to_tensor %bins restrict : memref<?xi64> to tensor<?xi64>
  return %result : tensor<?xi64>
}
