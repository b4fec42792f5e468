// unique_places.mlir - the different elements of a list in ascending order, the place of the first of each, the number
// of each element among them, and how often each comes.
//
// The places of the list are sorted (argsort.mlir), stably, so that the first place of a run of equal elements is that
// of the first of them.
//
// The prelude defines what argsort.mlir takes, and what runs.mlir does.

func.func @unique_places(%x: tensor<?x!T>, %equal_nan: i1)
    -> (tensor<?x!T>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x!T>
  %row = tensor.expand_shape %x [[0, 1]] output_shape [1, %n] : tensor<?x!T> into tensor<1x?x!T>
  %rows = tensor.cast %row : tensor<1x?x!T> to tensor<?x?x!T>
  %order_rows = func.call @argsort(%rows) : (tensor<?x?x!T>) -> tensor<?x?xi64>
  %order_list = tensor.collapse_shape %order_rows [[0, 1]] : tensor<?x?xi64> into tensor<?xi64>
  %order = bufferization.to_buffer %order_list read_only : tensor<?xi64> to memref<?xi64>
  %elements = bufferization.to_buffer %x read_only : tensor<?x!T> to memref<?x!T>
  %sorted = memref.alloc(%n) : memref<?x!T>
  scf.for %i = %c0 to %n step %c1 {
    %place64 = memref.load %order[%i] : memref<?xi64>
    %place = arith.index_cast %place64 : i64 to index
    %value = memref.load %elements[%place] : memref<?x!T>
    memref.store %value, %sorted[%i] : memref<?x!T>
  }
  %begins = memref.alloc(%n) : memref<?xi64>
  %m = func.call @find_runs(%sorted, %n, %equal_nan, %begins) : (memref<?x!T>, index, i1, memref<?xi64>) -> index
  %values = memref.alloc(%m) : memref<?x!T>
  %firsts = memref.alloc(%m) : memref<?xi64>
  %counts = memref.alloc(%m) : memref<?xi64>
  %numbers = memref.alloc(%n) : memref<?xi64>
  scf.for %r = %c0 to %m step %c1 {
    %begin64 = memref.load %begins[%r] : memref<?xi64>
    %begin = arith.index_cast %begin64 : i64 to index
    %value = memref.load %sorted[%begin] : memref<?x!T>
    %first = memref.load %order[%begin] : memref<?xi64>
    memref.store %value, %values[%r] : memref<?x!T>
    memref.store %first, %firsts[%r] : memref<?xi64>
    %count = func.call @run_length(%begins, %m, %n, %r) : (memref<?xi64>, index, index, index) -> i64
    memref.store %count, %counts[%r] : memref<?xi64>
    %count_index = arith.index_cast %count : i64 to index
    %end = arith.addi %begin, %count_index : index
    %number = arith.index_cast %r : index to i64
    scf.for %i = %begin to %end step %c1 {
      %place64 = memref.load %order[%i] : memref<?xi64>
      %place = arith.index_cast %place64 : i64 to index
      memref.store %number, %numbers[%place] : memref<?xi64>
    }
  }
  memref.dealloc %begins : memref<?xi64>
  memref.dealloc %sorted : memref<?x!T>
  %all_values = bufferization.to_tensor %values restrict : memref<?x!T> to tensor<?x!T>
  %all_firsts = bufferization.to_tensor %firsts restrict : memref<?xi64> to tensor<?xi64>
  %all_numbers = bufferization.to_tensor %numbers restrict : memref<?xi64> to tensor<?xi64>
  %all_counts = bufferization.to_tensor %counts restrict : memref<?xi64> to tensor<?xi64>
  return %all_values, %all_firsts, %all_numbers, %all_counts : tensor<?x!T>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
}
