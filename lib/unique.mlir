// unique.mlir - the different elements of a list in ascending order, and how often each comes.
//
// The list is sorted (sort.mlir); equal elements are then adjacent (runs.mlir).
//
// The prelude defines what sort.mlir takes, and what runs.mlir does.

func.func @unique(%x: tensor<?x!T>, %equal_nan: i1) -> (tensor<?x!T>, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x!T>
  %row = tensor.expand_shape %x [[0, 1]] output_shape [1, %n] : tensor<?x!T> into tensor<1x?x!T>
  %rows = tensor.cast %row : tensor<1x?x!T> to tensor<?x?x!T>
  %sorted_rows = func.call @sort(%rows) : (tensor<?x?x!T>) -> tensor<?x?x!T>
  %list = tensor.collapse_shape %sorted_rows [[0, 1]] : tensor<?x?x!T> into tensor<?x!T>
  %sorted = bufferization.to_buffer %list read_only : tensor<?x!T> to memref<?x!T>
  %starts = memref.alloc(%n) : memref<?xi1>
  func.call @mark_runs(%sorted, %n, %equal_nan, %starts) : (memref<?x!T>, index, i1, memref<?xi1>) -> ()
  %n1 = arith.addi %n, %c1 : index
  %begins = memref.alloc(%n1) : memref<?xi64>
  %m = func.call @find_runs(%starts, %n, %begins) : (memref<?xi1>, index, memref<?xi64>) -> index
  memref.dealloc %starts : memref<?xi1>
  %values = func.call @elements_at(%sorted, %begins, %m) : (memref<?x!T>, memref<?xi64>, index) -> memref<?x!T>
  %counts = func.call @count_runs(%begins, %m) : (memref<?xi64>, index) -> tensor<?xi64>
  memref.dealloc %begins : memref<?xi64>
  %all_values = bufferization.to_tensor %values restrict : memref<?x!T> to tensor<?x!T>
  return %all_values, %counts : tensor<?x!T>, tensor<?xi64>
}
