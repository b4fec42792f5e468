// runs.mlir - where runs of equal elements begin in a sorted list.
//
// Parts of the list are counted, and then written, on all threads.
//
// The prelude defines !T, @before(!T, !T) -> i1 and @is_nan(!T) -> i1.

// Whether the i-th element differs from the one ahead of it. NaN differ from each other unless %equal_nan.
func.func private @begins_run(%sorted: memref<?x!T>, %i: index, %equal_nan: i1) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %yes = arith.constant true
  %is_first = arith.cmpi eq, %i, %c0 : index
  %last = arith.subi %i, %c1 : index
  %ahead = arith.select %is_first, %i, %last : index
  %left = memref.load %sorted[%ahead] : memref<?x!T>
  %right = memref.load %sorted[%i] : memref<?x!T>
  %before = func.call @before(%left, %right) : (!T, !T) -> i1
  %is_nan = func.call @is_nan(%right) : (!T) -> i1
  %all_differ = arith.xori %equal_nan, %yes : i1
  %differs = arith.andi %is_nan, %all_differ : i1
  %either = arith.ori %before, %differs : i1
  %begins = arith.ori %either, %is_first : i1
  return %begins : i1
}

// Writes the places where runs begin, and gives their number. There is room for %n.
func.func private @find_runs(%sorted: memref<?x!T>, %n: index, %equal_nan: i1, %begins: memref<?xi64>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %part = arith.constant 65536 : index
  %num_parts = arith.ceildivui %n, %part : index
  %counts = memref.alloc(%num_parts) : memref<?xindex>
  scf.parallel (%p) = (%c0) to (%num_parts) step (%c1) {
    %begin = arith.muli %p, %part : index
    %behind = arith.addi %begin, %part : index
    %end = arith.minui %behind, %n : index
    %count = scf.for %i = %begin to %end step %c1 iter_args(%sum = %c0) -> (index) {
      %is_begin = func.call @begins_run(%sorted, %i, %equal_nan) : (memref<?x!T>, index, i1) -> i1
      %more = arith.addi %sum, %c1 : index
      %next = arith.select %is_begin, %more, %sum : index
      scf.yield %next : index
    }
    memref.store %count, %counts[%p] : memref<?xindex>
    scf.reduce
  } {noria.point_ns = 30000}
  %total = scf.for %p = %c0 to %num_parts step %c1 iter_args(%sum = %c0) -> (index) {
    %count = memref.load %counts[%p] : memref<?xindex>
    memref.store %sum, %counts[%p] : memref<?xindex>
    %next = arith.addi %sum, %count : index
    scf.yield %next : index
  }
  scf.parallel (%p) = (%c0) to (%num_parts) step (%c1) {
    %begin = arith.muli %p, %part : index
    %behind = arith.addi %begin, %part : index
    %end = arith.minui %behind, %n : index
    %first = memref.load %counts[%p] : memref<?xindex>
    %last = scf.for %i = %begin to %end step %c1 iter_args(%at = %first) -> (index) {
      %is_begin = func.call @begins_run(%sorted, %i, %equal_nan) : (memref<?x!T>, index, i1) -> i1
      %next = scf.if %is_begin -> (index) {
        %place = arith.index_cast %i : index to i64
        memref.store %place, %begins[%at] : memref<?xi64>
        %after = arith.addi %at, %c1 : index
        scf.yield %after : index
      } else {
        scf.yield %at : index
      }
      scf.yield %next : index
    }
    scf.reduce
  } {noria.point_ns = 60000}
  memref.dealloc %counts : memref<?xindex>
  return %total : index
}

// The number of elements of the r-th of m runs of n elements.
func.func private @run_length(%begins: memref<?xi64>, %m: index, %n: index, %r: index) -> i64 {
  %c1 = arith.constant 1 : index
  %begin = memref.load %begins[%r] : memref<?xi64>
  %next = arith.addi %r, %c1 : index
  %is_last = arith.cmpi eq, %next, %m : index
  %known = arith.select %is_last, %r, %next : index
  %next_begin = memref.load %begins[%known] : memref<?xi64>
  %all = arith.index_cast %n : index to i64
  %end = arith.select %is_last, %all, %next_begin : i64
  %length = arith.subi %end, %begin : i64
  return %length : i64
}
