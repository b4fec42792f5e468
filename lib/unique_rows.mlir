// unique_rows.mlir - the different rows of a matrix in ascending order, the place of the first of each, the number of
// each row among them, and how often each comes; see unique_row_places.mlir.

// The rows at the places of a list.
func.func private @rows_at(%x: memref<?x?x!T>, %places: memref<?xi64>, %n: index, %m: index) -> tensor<?x?x!T> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %part = arith.constant 1024 : index
  %there = memref.alloc(%n, %m) : memref<?x?x!T>
  scf.parallel (%begin) = (%c0) to (%n) step (%part) {
    %behind = arith.addi %begin, %part : index
    %end = arith.minui %behind, %n : index
    scf.for %i = %begin to %end step %c1 {
      %place64 = memref.load %places[%i] : memref<?xi64>
      %place = arith.index_cast %place64 : i64 to index
      scf.for %c = %c0 to %m step %c1 {
        %value = memref.load %x[%place, %c] : memref<?x?x!T>
        memref.store %value, %there[%i, %c] : memref<?x?x!T>
      }
    }
    scf.reduce
  } {noria.point_ns = 10000}
  %all = bufferization.to_tensor %there restrict : memref<?x?x!T> to tensor<?x?x!T>
  return %all : tensor<?x?x!T>
}

func.func @unique_rows(%x: tensor<?x?x!T>, %equal_nan: i1)
    -> (tensor<?x?x!T>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c1 : tensor<?x?x!T>
  %firsts, %numbers, %counts = func.call @unique_row_places(%x, %equal_nan)
      : (tensor<?x?x!T>, i1) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)
  %num = tensor.dim %firsts, %c0 : tensor<?xi64>
  %rows = bufferization.to_buffer %x read_only : tensor<?x?x!T> to memref<?x?x!T>
  %places = bufferization.to_buffer %firsts read_only : tensor<?xi64> to memref<?xi64>
  %values = func.call @rows_at(%rows, %places, %num, %m)
      : (memref<?x?x!T>, memref<?xi64>, index, index) -> tensor<?x?x!T>
  return %values, %firsts, %numbers, %counts : tensor<?x?x!T>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
}
