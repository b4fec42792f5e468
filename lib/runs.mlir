// runs.mlir - where runs of equal elements begin in a sorted list, and what follows from that. Not a kernel.
//
// Which elements begin a run is written first, for a list here, for rows in unique_row_places.mlir. Parts of the list
// are counted, so that each knows where its own runs go, and then written. All of it is done on all threads.
//
// The prelude defines !T, @before(!T, !T) -> i1 and @is_nan(!T) -> i1.

// How many elements of %n a thread takes at a time, in @part_end the place behind those from %begin on.
func.func private @part_of_runs() -> index {
  %part = arith.constant 65536 : index
  return %part : index
}
func.func private @part_end(%begin: index, %n: index) -> index {
  %part = func.call @part_of_runs() : () -> index
  %behind = arith.addi %begin, %part : index
  %end = arith.minui %behind, %n : index
  return %end : index
}

// Writes whether each element of a sorted list differs from the one ahead of it: the first one does. NaN differ from
// each other unless %equal_nan.
func.func private @mark_runs(%sorted: memref<?x!T>, %n: index, %equal_nan: i1, %starts: memref<?xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %yes = arith.constant true
  %part = func.call @part_of_runs() : () -> index
  %all_differ = arith.xori %equal_nan, %yes : i1
  scf.parallel (%begin) = (%c0) to (%n) step (%part) {
    %end = func.call @part_end(%begin, %n) : (index, index) -> index
    %first = arith.maxui %begin, %c1 : index
    memref.store %yes, %starts[%begin] : memref<?xi1>
    scf.for %i = %first to %end step %c1 {
      %ahead = arith.subi %i, %c1 : index
      %left = memref.load %sorted[%ahead] : memref<?x!T>
      %right = memref.load %sorted[%i] : memref<?x!T>
      %before = func.call @before(%left, %right) : (!T, !T) -> i1
      %is_nan = func.call @is_nan(%right) : (!T) -> i1
      %differs = arith.andi %is_nan, %all_differ : i1
      %either = arith.ori %before, %differs : i1
      memref.store %either, %starts[%i] : memref<?xi1>
    }
    scf.reduce
  } {noria.point_ns = 30000}
  return
}

// Writes the places where runs begin, and behind the last of them %n. Gives their number. There is room for %n + 1.
func.func private @find_runs(%starts: memref<?xi1>, %n: index, %begins: memref<?xi64>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %part = func.call @part_of_runs() : () -> index
  %num_parts = arith.ceildivui %n, %part : index
  %counts = memref.alloc(%num_parts) : memref<?xindex>
  scf.parallel (%p) = (%c0) to (%num_parts) step (%c1) {
    %begin = arith.muli %p, %part : index
    %end = func.call @part_end(%begin, %n) : (index, index) -> index
    %count = scf.for %i = %begin to %end step %c1 iter_args(%sum = %none) -> (i32) {
      %start = memref.load %starts[%i] : memref<?xi1>
      %one = arith.extui %start : i1 to i32
      %next = arith.addi %sum, %one : i32
      scf.yield %next : i32
    }
    %size = arith.index_castui %count : i32 to index
    memref.store %size, %counts[%p] : memref<?xindex>
    scf.reduce
  } {noria.point_ns = 5000}
  %total = scf.for %p = %c0 to %num_parts step %c1 iter_args(%sum = %c0) -> (index) {
    %count = memref.load %counts[%p] : memref<?xindex>
    memref.store %sum, %counts[%p] : memref<?xindex>
    %next = arith.addi %sum, %count : index
    scf.yield %next : index
  }
  scf.parallel (%p) = (%c0) to (%num_parts) step (%c1) {
    %begin = arith.muli %p, %part : index
    %end = func.call @part_end(%begin, %n) : (index, index) -> index
    %first = memref.load %counts[%p] : memref<?xindex>
    %last = scf.for %i = %begin to %end step %c1 iter_args(%at = %first) -> (index) {
      %start = memref.load %starts[%i] : memref<?xi1>
      scf.if %start {
        %place = arith.index_cast %i : index to i64
        memref.store %place, %begins[%at] : memref<?xi64>
      }
      %one = arith.extui %start : i1 to i64
      %step = arith.index_cast %one : i64 to index
      %next = arith.addi %at, %step : index
      scf.yield %next : index
    }
    scf.reduce
  } {noria.point_ns = 60000}
  memref.dealloc %counts : memref<?xindex>
  %end = arith.index_cast %n : index to i64
  memref.store %end, %begins[%total] : memref<?xi64>
  return %total : index
}

// How many elements each of %m runs has.
func.func private @count_runs(%begins: memref<?xi64>, %m: index) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %part = func.call @part_of_runs() : () -> index
  %counts = memref.alloc(%m) : memref<?xi64>
  scf.parallel (%first) = (%c0) to (%m) step (%part) {
    %last = func.call @part_end(%first, %m) : (index, index) -> index
    scf.for %r = %first to %last step %c1 {
      %next = arith.addi %r, %c1 : index
      %begin = memref.load %begins[%r] : memref<?xi64>
      %end = memref.load %begins[%next] : memref<?xi64>
      %count = arith.subi %end, %begin : i64
      memref.store %count, %counts[%r] : memref<?xi64>
    }
    scf.reduce
  } {noria.point_ns = 20000}
  %all = bufferization.to_tensor %counts restrict : memref<?xi64> to tensor<?xi64>
  return %all : tensor<?xi64>
}

// The elements at %n places.
func.func private @elements_at(%elements: memref<?x!T>, %places: memref<?xi64>, %n: index) -> memref<?x!T> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %part = func.call @part_of_runs() : () -> index
  %there = memref.alloc(%n) : memref<?x!T>
  scf.parallel (%begin) = (%c0) to (%n) step (%part) {
    %end = func.call @part_end(%begin, %n) : (index, index) -> index
    scf.for %i = %begin to %end step %c1 {
      %place64 = memref.load %places[%i] : memref<?xi64>
      %place = arith.index_cast %place64 : i64 to index
      %value = memref.load %elements[%place] : memref<?x!T>
      memref.store %value, %there[%i] : memref<?x!T>
    }
    scf.reduce
  } {noria.point_ns = 100000}
  return %there : memref<?x!T>
}

// The same of a list of numbers; they go to %to.
func.func private @numbers_at(%numbers: memref<?xi64>, %places: memref<?xi64>, %n: index, %to: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %part = func.call @part_of_runs() : () -> index
  scf.parallel (%begin) = (%c0) to (%n) step (%part) {
    %end = func.call @part_end(%begin, %n) : (index, index) -> index
    scf.for %i = %begin to %end step %c1 {
      %place64 = memref.load %places[%i] : memref<?xi64>
      %place = arith.index_cast %place64 : i64 to index
      %number = memref.load %numbers[%place] : memref<?xi64>
      memref.store %number, %to[%i] : memref<?xi64>
    }
    scf.reduce
  } {noria.point_ns = 100000}
  return
}

// The elements of a list of places with which runs begin: the first of each run, as equal ones are in order.
func.func private @first_places(%order: memref<?xi64>, %begins: memref<?xi64>, %m: index) -> tensor<?xi64> {
  %firsts = memref.alloc(%m) : memref<?xi64>
  func.call @numbers_at(%order, %begins, %m, %firsts) : (memref<?xi64>, memref<?xi64>, index, memref<?xi64>) -> ()
  %all = bufferization.to_tensor %firsts restrict : memref<?xi64> to tensor<?xi64>
  return %all : tensor<?xi64>
}

// The run of %m that element %i of the sorted list is in.
func.func private @run_of(%begins: memref<?xi64>, %m: index, %i: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %place = arith.index_cast %i : index to i64
  %found:2 = scf.while (%low = %c0, %high = %m) : (index, index) -> (index, index) {
    %size = arith.subi %high, %low : index
    %more = arith.cmpi ugt, %size, %c1 : index
    scf.condition(%more) %low, %high : index, index
  } do {
  ^bb0(%low: index, %high: index):
    %sum = arith.addi %low, %high : index
    %middle = arith.shrui %sum, %c1 : index
    %begin = memref.load %begins[%middle] : memref<?xi64>
    %behind = arith.cmpi sgt, %begin, %place : i64
    %next_low = arith.select %behind, %low, %middle : index
    %next_high = arith.select %behind, %middle, %high : index
    scf.yield %next_low, %next_high : index, index
  }
  return %found#0 : index
}

// The number of the run of each of %n elements, in the order that they had before they were sorted: %order has their
// places there.
func.func private @number_places(%starts: memref<?xi1>, %order: memref<?xi64>, %n: index, %begins: memref<?xi64>,
    %m: index) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %part = func.call @part_of_runs() : () -> index
  %numbers = memref.alloc(%n) : memref<?xi64>
  scf.parallel (%begin) = (%c0) to (%n) step (%part) {
    %end = func.call @part_end(%begin, %n) : (index, index) -> index
    %first = func.call @run_of(%begins, %m, %begin) : (memref<?xi64>, index, index) -> index
    %first64 = arith.index_cast %first : index to i64
    %starts_there = memref.load %starts[%begin] : memref<?xi1>
    %one_there = arith.extui %starts_there : i1 to i64
    %before = arith.subi %first64, %one_there : i64
    %last = scf.for %i = %begin to %end step %c1 iter_args(%number = %before) -> (i64) {
      %start = memref.load %starts[%i] : memref<?xi1>
      %one = arith.extui %start : i1 to i64
      %next = arith.addi %number, %one : i64
      %place64 = memref.load %order[%i] : memref<?xi64>
      %place = arith.index_cast %place64 : i64 to index
      memref.store %next, %numbers[%place] : memref<?xi64>
      scf.yield %next : i64
    }
    scf.reduce
  } {noria.point_ns = 100000}
  %all = bufferization.to_tensor %numbers restrict : memref<?xi64> to tensor<?xi64>
  return %all : tensor<?xi64>
}
