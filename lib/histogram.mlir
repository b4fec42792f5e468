// histogram.mlir - how many values are in each of the bins between sorted edges; a bin is without its right edge, but for the last.
//
// Values are searched in the edges (searchsorted.mlir), and counted by parts on all threads.
//
// The prelude defines what searchsorted.mlir takes.

func.func @histogram(%edges: tensor<?x!T>, %values: tensor<?x!T>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %yes = arith.constant true
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
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
  %places_list = func.call @searchsorted(%edges, %values, %yes) : (tensor<?x!T>, tensor<?x!T>, i1) -> tensor<?xi64>
  %places = bufferization.to_buffer %places_list read_only : tensor<?xi64> to memref<?xi64>
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
    scf.for %i = %begin to %end step %c1 {
      %place64 = memref.load %places[%i] : memref<?xi64>
      %place = arith.index_cast %place64 : i64 to index
      %at = arith.addi %c, %place : index
      %count = memref.load %counts[%at] : memref<?xi64>
      %more = arith.addi %count, %one : i64
      memref.store %more, %counts[%at] : memref<?xi64>
    }
    // those behind all edges that equal the last one are in the last bin
    %beyond = arith.addi %c, %n : index
    %any = memref.load %counts[%beyond] : memref<?xi64>
    %has_any = arith.cmpi ne, %any, %zero : i64
    %asked = arith.andi %has_any, %has_bins : i1
    scf.if %asked {
      %slice_size = arith.subi %end, %begin : index
      %slice = tensor.extract_slice %values[%begin] [%slice_size] [1] : tensor<?x!T> to tensor<?x!T>
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
  %result = bufferization.to_tensor %bins restrict : memref<?xi64> to tensor<?xi64>
  return %result : tensor<?xi64>
}
