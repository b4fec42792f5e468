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
  %sorted = func.call @elements_at(%elements, %order, %n) : (memref<?x!T>, memref<?xi64>, index) -> memref<?x!T>
  %starts = memref.alloc(%n) : memref<?xi1>
  func.call @mark_runs(%sorted, %n, %equal_nan, %starts) : (memref<?x!T>, index, i1, memref<?xi1>) -> ()
  memref.dealloc %sorted : memref<?x!T>
  %n1 = arith.addi %n, %c1 : index
  %begins = memref.alloc(%n1) : memref<?xi64>
  %m = func.call @find_runs(%starts, %n, %begins) : (memref<?xi1>, index, memref<?xi64>) -> index
  %firsts = func.call @first_places(%order, %begins, %m) : (memref<?xi64>, memref<?xi64>, index) -> tensor<?xi64>
  %numbers = func.call @number_places(%starts, %order, %n, %begins, %m)
      : (memref<?xi1>, memref<?xi64>, index, memref<?xi64>, index) -> tensor<?xi64>
  %counts = func.call @count_runs(%begins, %m) : (memref<?xi64>, index) -> tensor<?xi64>
  memref.dealloc %starts : memref<?xi1>
  memref.dealloc %begins : memref<?xi64>
  %first_list = bufferization.to_buffer %firsts read_only : tensor<?xi64> to memref<?xi64>
  %values = func.call @elements_at(%elements, %first_list, %m) : (memref<?x!T>, memref<?xi64>, index) -> memref<?x!T>
  %all_values = bufferization.to_tensor %values restrict : memref<?x!T> to tensor<?x!T>
  return %all_values, %firsts, %numbers, %counts : tensor<?x!T>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
}
