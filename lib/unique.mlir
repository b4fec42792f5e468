// unique.mlir - the different elements of a list in ascending order, and how often each comes.
//
// The list is sorted (sort.mlir). Elements that differ from the one ahead of them are counted by parts, so that each
// part knows where its own go.
//
// The prelude defines what sort.mlir takes, and @is_nan(!T) -> i1.

func.func @unique(%x: tensor<?x!T>, %equal_nan: i1) -> (tensor<?x!T>, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x!T>
  %row = tensor.expand_shape %x [[0, 1]] output_shape [1, %n] : tensor<?x!T> into tensor<1x?x!T>
  %rows = tensor.cast %row : tensor<1x?x!T> to tensor<?x?x!T>
  %sorted_rows = func.call @sort(%rows) : (tensor<?x?x!T>) -> tensor<?x?x!T>
  %list = tensor.collapse_shape %sorted_rows [[0, 1]] : tensor<?x?x!T> into tensor<?x!T>
  %sorted = bufferization.to_buffer %list read_only : tensor<?x!T> to memref<?x!T>
  %begins = memref.alloc(%n) : memref<?xi64>
  %m = func.call @find_runs(%sorted, %n, %equal_nan, %begins) : (memref<?x!T>, index, i1, memref<?xi64>) -> index
  %values = memref.alloc(%m) : memref<?x!T>
  %counts = memref.alloc(%m) : memref<?xi64>
  scf.for %r = %c0 to %m step %c1 {
    %begin64 = memref.load %begins[%r] : memref<?xi64>
    %begin = arith.index_cast %begin64 : i64 to index
    %value = memref.load %sorted[%begin] : memref<?x!T>
    memref.store %value, %values[%r] : memref<?x!T>
    %count = func.call @run_length(%begins, %m, %n, %r) : (memref<?xi64>, index, index, index) -> i64
    memref.store %count, %counts[%r] : memref<?xi64>
  }
  memref.dealloc %begins : memref<?xi64>
  %all_values = bufferization.to_tensor %values restrict : memref<?x!T> to tensor<?x!T>
  %all_counts = bufferization.to_tensor %counts restrict : memref<?xi64> to tensor<?xi64>
  return %all_values, %all_counts : tensor<?x!T>, tensor<?xi64>
}
