// unique_row_places.mlir - the places of the first ones of the different rows of a matrix, in ascending order of the
// rows, the number of each row among them, and how often each comes.
//
// Rows are in the order of their first elements that differ. So they are sorted stably (argsort.mlir) by each of the
// first columns, the last one of these first. Where that leaves rows in another order than their further columns, twice
// as many columns follow, so that columns that decide nothing cost little. Equal rows are then adjacent (runs.mlir).
//
// The prelude defines what argsort.mlir takes, and what runs.mlir does.

// Elements of column %c, of the rows in an order.
func.func private @column(%x: memref<?x?x!T>, %order: memref<?xi64>, %n: index, %c: index) -> tensor<?x?x!T> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %part = func.call @part_of_runs() : () -> index
  %column = memref.alloc(%n) : memref<?x!T>
  scf.parallel (%begin) = (%c0) to (%n) step (%part) {
    %end = func.call @part_end(%begin, %n) : (index, index) -> index
    scf.for %i = %begin to %end step %c1 {
      %place64 = memref.load %order[%i] : memref<?xi64>
      %place = arith.index_cast %place64 : i64 to index
      %value = memref.load %x[%place, %c] : memref<?x?x!T>
      memref.store %value, %column[%i] : memref<?x!T>
    }
    scf.reduce
  } {noria.point_ns = 150000}
  %list = bufferization.to_tensor %column restrict : memref<?x!T> to tensor<?x!T>
  %row = tensor.expand_shape %list [[0, 1]] output_shape [1, %n] : tensor<?x!T> into tensor<1x?x!T>
  %rows = tensor.cast %row : tensor<1x?x!T> to tensor<?x?x!T>
  return %rows : tensor<?x?x!T>
}

// Sorts the rows that %order names by their first %p columns. Gives the list that has the result, and the other one.
func.func private @sort_by_columns(%x: memref<?x?x!T>, %order: memref<?xi64>, %spare: memref<?xi64>, %n: index,
    %p: index) -> (memref<?xi64>, memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.subi %p, %c1 : index
  %sorted:2 = scf.for %k = %c0 to %p step %c1 iter_args(%a = %order, %b = %spare) -> (memref<?xi64>, memref<?xi64>) {
    %c = arith.subi %last, %k : index
    %column = func.call @column(%x, %a, %n, %c) : (memref<?x?x!T>, memref<?xi64>, index, index) -> tensor<?x?x!T>
    %place_rows = func.call @argsort(%column) : (tensor<?x?x!T>) -> tensor<?x?xi64>
    %place_list = tensor.collapse_shape %place_rows [[0, 1]] : tensor<?x?xi64> into tensor<?xi64>
    %places = bufferization.to_buffer %place_list read_only : tensor<?xi64> to memref<?xi64>
    func.call @numbers_at(%a, %places, %n, %b) : (memref<?xi64>, memref<?xi64>, index, memref<?xi64>) -> ()
    scf.yield %b, %a : memref<?xi64>, memref<?xi64>
  }
  return %sorted#0, %sorted#1 : memref<?xi64>, memref<?xi64>
}

// Whether row %j, of %m elements, is before row %i, and whether it is behind it; neither where both are equal.
func.func private @order_of_pair(%x: memref<?x?x!T>, %i: index, %j: index, %m: index) -> (i1, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %no = arith.constant false
  %found:3 = scf.while (%c = %c0, %is_before = %no, %is_behind = %no) : (index, i1, i1) -> (index, i1, i1) {
    %decided = arith.ori %is_before, %is_behind : i1
    %undecided = arith.cmpi eq, %decided, %no : i1
    %more = arith.cmpi ult, %c, %m : index
    %go_on = arith.andi %more, %undecided : i1
    scf.condition(%go_on) %c, %is_before, %is_behind : index, i1, i1
  } do {
  ^bb0(%c: index, %is_before: i1, %is_behind: i1):
    %left = memref.load %x[%i, %c] : memref<?x?x!T>
    %right = memref.load %x[%j, %c] : memref<?x?x!T>
    %before = func.call @before(%right, %left) : (!T, !T) -> i1
    %behind = func.call @before(%left, %right) : (!T, !T) -> i1
    %next = arith.addi %c, %c1 : index
    scf.yield %next, %before, %behind : index, i1, i1
  }
  return %found#1, %found#2 : i1, i1
}

// Whether one of the %m elements of row %i is NaN.
func.func private @has_nan(%x: memref<?x?x!T>, %i: index, %m: index) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %no = arith.constant false
  %any = scf.for %c = %c0 to %m step %c1 iter_args(%found = %no) -> (i1) {
    %value = memref.load %x[%i, %c] : memref<?x?x!T>
    %is_nan = func.call @is_nan(%value) : (!T) -> i1
    %next = arith.ori %found, %is_nan : i1
    scf.yield %next : i1
  }
  return %any : i1
}

// Writes for each row that %order names whether it differs from the one ahead: the first one does. Rows with NaN differ
// from all unless %equal_nan. Gives whether all rows are in order.
func.func private @mark_rows(%x: memref<?x?x!T>, %order: memref<?xi64>, %n: index, %m: index, %equal_nan: i1,
    %starts: memref<?xi1>) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %no = arith.constant false
  %yes = arith.constant true
  %part = func.call @part_of_runs() : () -> index
  %num_parts = arith.ceildivui %n, %part : index
  %falls = memref.alloc(%num_parts) : memref<?xi1>
  scf.parallel (%p) = (%c0) to (%num_parts) step (%c1) {
    %begin = arith.muli %p, %part : index
    %end = func.call @part_end(%begin, %n) : (index, index) -> index
    %any = scf.for %i = %begin to %end step %c1 iter_args(%found = %no) -> (i1) {
      %is_first = arith.cmpi eq, %i, %c0 : index
      %before_i = arith.subi %i, %c1 : index
      %ahead = arith.select %is_first, %i, %before_i : index
      %left64 = memref.load %order[%ahead] : memref<?xi64>
      %right64 = memref.load %order[%i] : memref<?xi64>
      %left = arith.index_cast %left64 : i64 to index
      %right = arith.index_cast %right64 : i64 to index
      %is_before, %is_behind = func.call @order_of_pair(%x, %left, %right, %m)
          : (memref<?x?x!T>, index, index, index) -> (i1, i1)
      %differs = arith.ori %is_before, %is_behind : i1
      %starts_run = arith.ori %differs, %is_first : i1
      %known = arith.ori %starts_run, %equal_nan : i1
      %start = scf.if %known -> (i1) {
        scf.yield %starts_run : i1
      } else {
        %has_nan = func.call @has_nan(%x, %right, %m) : (memref<?x?x!T>, index, index) -> i1
        scf.yield %has_nan : i1
      }
      memref.store %start, %starts[%i] : memref<?xi1>
      %next = arith.ori %found, %is_before : i1
      scf.yield %next : i1
    } {noria.loop = {vectorize = false}} // most pairs differ in their first columns, and lanes would gather these
    memref.store %any, %falls[%p] : memref<?xi1>
    scf.reduce
  } {noria.point_ns = 300000}
  %falls_somewhere = scf.for %p = %c0 to %num_parts step %c1 iter_args(%found = %no) -> (i1) {
    %any = memref.load %falls[%p] : memref<?xi1>
    %next = arith.ori %found, %any : i1
    scf.yield %next : i1
  }
  memref.dealloc %falls : memref<?xi1>
  %in_order = arith.xori %falls_somewhere, %yes : i1
  return %in_order : i1
}

func.func @unique_row_places(%x: tensor<?x?x!T>, %equal_nan: i1) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %yes = arith.constant true
  %n = tensor.dim %x, %c0 : tensor<?x?x!T>
  %m = tensor.dim %x, %c1 : tensor<?x?x!T>
  %rows = bufferization.to_buffer %x read_only : tensor<?x?x!T> to memref<?x?x!T>
  %starts = memref.alloc(%n) : memref<?xi1>
  %places = memref.alloc(%n) : memref<?xi64>
  %others = memref.alloc(%n) : memref<?xi64>
  scf.for %i = %c0 to %n step %c1 {
    %place = arith.index_cast %i : index to i64
    memref.store %place, %places[%i] : memref<?xi64>
  }
  %one = arith.minui %m, %c1 : index
  %sorted:3 = scf.while (%p = %one, %a = %places, %b = %others)
      : (index, memref<?xi64>, memref<?xi64>) -> (index, memref<?xi64>, memref<?xi64>) {
    %list:2 = func.call @sort_by_columns(%rows, %a, %b, %n, %p)
        : (memref<?x?x!T>, memref<?xi64>, memref<?xi64>, index, index) -> (memref<?xi64>, memref<?xi64>)
    %in_order = func.call @mark_rows(%rows, %list#0, %n, %m, %equal_nan, %starts)
        : (memref<?x?x!T>, memref<?xi64>, index, index, i1, memref<?xi1>) -> i1
    %falls = arith.xori %in_order, %yes : i1
    %has_more = arith.cmpi ult, %p, %m : index
    %again = arith.andi %falls, %has_more : i1
    scf.condition(%again) %p, %list#0, %list#1 : index, memref<?xi64>, memref<?xi64>
  } do {
  ^bb0(%p: index, %a: memref<?xi64>, %b: memref<?xi64>):
    %twice = arith.addi %p, %p : index
    %next = arith.minui %twice, %m : index
    scf.yield %next, %a, %b : index, memref<?xi64>, memref<?xi64>
  }
  %n1 = arith.addi %n, %c1 : index
  %begins = memref.alloc(%n1) : memref<?xi64>
  %num = func.call @find_runs(%starts, %n, %begins) : (memref<?xi1>, index, memref<?xi64>) -> index
  %firsts = func.call @first_places(%sorted#1, %begins, %num) : (memref<?xi64>, memref<?xi64>, index) -> tensor<?xi64>
  %numbers = func.call @number_places(%starts, %sorted#1, %n, %begins, %num)
      : (memref<?xi1>, memref<?xi64>, index, memref<?xi64>, index) -> tensor<?xi64>
  %counts = func.call @count_runs(%begins, %num) : (memref<?xi64>, index) -> tensor<?xi64>
  memref.dealloc %starts : memref<?xi1>
  memref.dealloc %begins : memref<?xi64>
  memref.dealloc %places : memref<?xi64>
  memref.dealloc %others : memref<?xi64>
  return %firsts, %numbers, %counts : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
}
