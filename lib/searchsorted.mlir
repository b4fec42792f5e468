// searchsorted.mlir - where each value would go in a sorted list: before the elements equal to it, or behind them.
//
// Values are searched by a table of the list (search_table.mlir), which is made at each call. Where there are far fewer
// values than elements, they are searched in the list itself, so that not all of it is read. Parts of the values are
// searched on all threads.
//
// The prelude defines !T, !K, @key(!T) -> !K, @key_bits, @before(!T, !T) -> i1, and @checked() -> i1, whether it is an
// error where the list is not sorted.

// Where a key goes in the list. Only its elements are read, also where it is not sorted: each middle is less than %hi,
// at most %n.
func.func private @search_list(%list: memref<?x!T>, %n: index, %key: !K, %right: i1) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %found:2 = scf.while (%lo = %c0, %hi = %n) : (index, index) -> (index, index) {
    %more = arith.cmpi ult, %lo, %hi : index
    scf.condition(%more) %lo, %hi : index, index
  } do {
  ^bb0(%lo: index, %hi: index):
    %sum = arith.addi %lo, %hi : index
    %mid = arith.shrui %sum, %c1 : index
    %element = memref.load %list[%mid] : memref<?x!T>
    %other = func.call @key(%element) : (!T) -> !K
    %is_left = func.call @left_of(%other, %key, %right) : (!K, !K, i1) -> i1
    %after = arith.addi %mid, %c1 : index
    %lo1 = arith.select %is_left, %after, %lo : index
    %hi1 = arith.select %is_left, %hi, %mid : index
    scf.yield %lo1, %hi1 : index, index
  }
  return %found#0 : index
}

// Searches the values in the list itself.
func.func private @search_few(%list: tensor<?x!T>, %values: tensor<?x!T>, %right: i1, %found: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %part = arith.constant 256 : index
  %n = tensor.dim %list, %c0 : tensor<?x!T>
  %m = tensor.dim %values, %c0 : tensor<?x!T>
  %elements = bufferization.to_buffer %list read_only : tensor<?x!T> to memref<?x!T>
  %sought = bufferization.to_buffer %values read_only : tensor<?x!T> to memref<?x!T>
  %num_parts = arith.ceildivui %m, %part : index
  scf.parallel (%p) = (%c0) to (%num_parts) step (%c1) {
    %begin = arith.muli %p, %part : index
    %behind = arith.addi %begin, %part : index
    %end = arith.minui %behind, %m : index
    scf.for %i = %begin to %end step %c1 {
      %value = memref.load %sought[%i] : memref<?x!T>
      %key = func.call @key(%value) : (!T) -> !K
      %place = func.call @search_list(%elements, %n, %key, %right) : (memref<?x!T>, index, !K, i1) -> index
      %number = arith.index_cast %place : index to i64
      memref.store %number, %found[%i] : memref<?xi64>
    }
    scf.reduce
  } {noria.point_ns = 30000}
  return
}

// Searches the values by a table of the list.
func.func private @search_many(%list: tensor<?x!T>, %values: tensor<?x!T>, %right: i1, %found: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %part = arith.constant 4096 : index
  %n = tensor.dim %list, %c0 : tensor<?x!T>
  %m = tensor.dim %values, %c0 : tensor<?x!T>
  %least_entries = arith.constant 16384 : index
  %table:6 = func.call @search_table(%list, %m, %least_entries)
      : (tensor<?x!T>, index, index) -> (memref<?x!K>, memref<?xi32>, !K, !K, !K, index)
  %num_parts = arith.ceildivui %m, %part : index
  scf.parallel (%p) = (%c0) to (%num_parts) step (%c1) {
    %begin = arith.muli %p, %part : index
    %left = arith.subi %m, %begin : index
    %count = arith.minui %left, %part : index
    %last = arith.subi %count, %c1 : index
    %slice = tensor.extract_slice %values[%begin] [%count] [1] : tensor<?x!T> to tensor<?x!T>
    %block_values = memref.alloc() : memref<16x!K>
    %entries = memref.alloc() : memref<16x!K>
    %places = memref.alloc() : memref<16xindex>
    scf.for %first = %c0 to %count step %c16 {
      func.call @search_values(%slice, %first, %count, %n, %table#0, %table#1, %table#2, %table#3, %table#4, %table#5,
          %right, %block_values, %entries, %places)
          : (tensor<?x!T>, index, index, index, memref<?x!K>, memref<?xi32>, !K, !K, !K, index, i1, memref<16x!K>,
              memref<16x!K>, memref<16xindex>) -> ()
      scf.for %i = %c0 to %c16 step %c1 {
        %at_or_more = arith.addi %first, %i : index
        %at = arith.minui %at_or_more, %last : index
        %place = memref.load %places[%i] : memref<16xindex>
        %number = arith.index_cast %place : index to i64
        %to = arith.addi %begin, %at : index
        memref.store %number, %found[%to] : memref<?xi64>
      }
    }
    memref.dealloc %block_values : memref<16x!K>
    memref.dealloc %entries : memref<16x!K>
    memref.dealloc %places : memref<16xindex>
    scf.reduce
  } {noria.point_ns = 30000}
  memref.dealloc %table#0 : memref<?x!K>
  memref.dealloc %table#1 : memref<?xi32>
  return
}

// The list is sorted. Each result is the number of elements before its value or, with %right, not behind it.
func.func @searchsorted(%list: tensor<?x!T>, %values: tensor<?x!T>, %right: i1) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = tensor.dim %list, %c0 : tensor<?x!T>
  %m = tensor.dim %values, %c0 : tensor<?x!T>
  %checked = func.call @checked() : () -> i1
  scf.if %checked {
    %place = func.call @first_unsorted(%list) : (tensor<?x!T>) -> index
    %is_sorted = arith.cmpi eq, %place, %n : index
    rt.check %is_sorted, "searchsorted: a is not sorted: element %0 is before the one ahead of it"(%place : index)
  }
  %found = memref.alloc(%m) : memref<?xi64>
  // a table of the list takes as much time as searching a value in it for each 16 elements or so
  %multiple = arith.muli %m, %c16 : index
  %are_few = arith.cmpi ule, %multiple, %n : index
  scf.if %are_few {
    func.call @search_few(%list, %values, %right, %found) : (tensor<?x!T>, tensor<?x!T>, i1, memref<?xi64>) -> ()
  } else {
    func.call @search_many(%list, %values, %right, %found) : (tensor<?x!T>, tensor<?x!T>, i1, memref<?xi64>) -> ()
  }
  %result = bufferization.to_tensor %found restrict : memref<?xi64> to tensor<?xi64>
  return %result : tensor<?xi64>
}
