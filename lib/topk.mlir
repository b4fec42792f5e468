// topk.mlir - the first k elements of each row in a given order; equal elements keep the order of their indices.
//
// For k up to 256, a sorted list of the indices of the best elements so far is kept. Most elements are not better than
// the last of them, which costs one comparison; a better one is inserted by insertion sort.
//
// For larger k, a list of the row's indices is sorted by a bottom-up merge sort: runs of 1, 2, 4, .. indices are merged
// in pairs from one list into another, then the lists are exchanged. The right run's index is taken only where its
// element is strictly before the left one's, so that the sort is stable. Costs n log n comparisons a row.
//
// The prelude defines !T and @before(!T, !T) -> i1: whether the first operand comes before the second; a strict weak order.

// The indices 0 .. n-1 of the row x[outer, :, inner], sorted.
func.func private @sort(%x: tensor<?x?x?x!T>, %outer: index, %inner: index, %n: index) -> tensor<?xindex> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %last = arith.subi %n, %c1 : index
  %list = tensor.empty(%n) : tensor<?xindex>
  %unsorted = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %list) -> (tensor<?xindex>) {
    %next = tensor.insert %i into %acc[%i] : tensor<?xindex>
    scf.yield %next : tensor<?xindex>
  }
  %spare = tensor.empty(%n) : tensor<?xindex>
  %sorted:3 = scf.while (%width = %c1, %from = %unsorted, %to = %spare)
      : (index, tensor<?xindex>, tensor<?xindex>) -> (index, tensor<?xindex>, tensor<?xindex>) {
    %more = arith.cmpi ult, %width, %n : index
    scf.condition(%more) %width, %from, %to : index, tensor<?xindex>, tensor<?xindex>
  } do {
  ^bb0(%width: index, %from: tensor<?xindex>, %to: tensor<?xindex>):
    %twice = arith.muli %width, %c2 : index
    // left and right: the next index in each run of the current pair
    %merged:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %to, %left = %c0, %right = %c0)
        -> (tensor<?xindex>, index, index) {
      %in_pair = arith.remui %i, %twice : index
      %begin = arith.subi %i, %in_pair : index
      %mid_or_more = arith.addi %begin, %width : index
      %end_or_more = arith.addi %begin, %twice : index
      %mid = arith.minui %mid_or_more, %n : index
      %end = arith.minui %end_or_more, %n : index
      %starts = arith.cmpi eq, %in_pair, %c0 : index
      %l = arith.select %starts, %begin, %left : index
      %r = arith.select %starts, %mid, %right : index
      %l_there = arith.minui %l, %last : index
      %r_there = arith.minui %r, %last : index
      %l_place = tensor.extract %from[%l_there] : tensor<?xindex>
      %r_place = tensor.extract %from[%r_there] : tensor<?xindex>
      %l_value = tensor.extract %x[%outer, %l_place, %inner] : tensor<?x?x?x!T>
      %r_value = tensor.extract %x[%outer, %r_place, %inner] : tensor<?x?x?x!T>
      %r_before = func.call @before(%r_value, %l_value) : (!T, !T) -> i1
      %l_used_up = arith.cmpi uge, %l, %mid : index
      %r_left_over = arith.cmpi ult, %r, %end : index
      %r_wanted = arith.ori %r_before, %l_used_up : i1
      %take_r = arith.andi %r_wanted, %r_left_over : i1
      %place = arith.select %take_r, %r_place, %l_place : index
      %next = tensor.insert %place into %acc[%i] : tensor<?xindex>
      %l_next = arith.addi %l, %c1 : index
      %r_next = arith.addi %r, %c1 : index
      %l_after = arith.select %take_r, %l, %l_next : index
      %r_after = arith.select %take_r, %r_next, %r : index
      scf.yield %next, %l_after, %r_after : tensor<?xindex>, index, index
    }
    scf.yield %twice, %merged#0, %from : index, tensor<?xindex>, tensor<?xindex>
  }
  return %sorted#1 : tensor<?xindex>
}

// The indices of the first k elements of the row, for k of at least 1.
func.func private @select(%x: tensor<?x?x?x!T>, %outer: index, %inner: index, %n: index, %k: index) -> tensor<?xindex> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.subi %k, %c1 : index
  %none = tensor.empty(%k) : tensor<?xindex>
  %best = scf.for %i = %c0 to %n step %c1 iter_args(%list = %none) -> (tensor<?xindex>) {
    %value = tensor.extract %x[%outer, %i, %inner] : tensor<?x?x?x!T>
    %filling = arith.cmpi ult, %i, %k : index
    %last_place = tensor.extract %list[%last] : tensor<?xindex>
    %known_place = arith.select %filling, %i, %last_place : index
    %last_value = tensor.extract %x[%outer, %known_place, %inner] : tensor<?x?x?x!T>
    %better = func.call @before(%value, %last_value) : (!T, !T) -> i1
    %goes_in = arith.ori %filling, %better : i1
    %next = scf.if %goes_in -> (tensor<?xindex>) {
      // from the end of the list, whose element is dropped, towards the front
      %end = arith.minui %i, %last : index
      %hole:2 = scf.while (%at = %end, %l = %list) : (index, tensor<?xindex>) -> (index, tensor<?xindex>) {
        %not_first = arith.cmpi ugt, %at, %c0 : index
        %moves = scf.if %not_first -> (i1) {
          %left = arith.subi %at, %c1 : index
          %place = tensor.extract %l[%left] : tensor<?xindex>
          %other = tensor.extract %x[%outer, %place, %inner] : tensor<?x?x?x!T>
          %before = func.call @before(%value, %other) : (!T, !T) -> i1
          scf.yield %before : i1
        } else {
          scf.yield %not_first : i1
        }
        scf.condition(%moves) %at, %l : index, tensor<?xindex>
      } do {
      ^bb0(%at: index, %l: tensor<?xindex>):
        %left = arith.subi %at, %c1 : index
        %place = tensor.extract %l[%left] : tensor<?xindex>
        %moved = tensor.insert %place into %l[%at] : tensor<?xindex>
        scf.yield %left, %moved : index, tensor<?xindex>
      }
      %filled = tensor.insert %i into %hole#1[%hole#0] : tensor<?xindex>
      scf.yield %filled : tensor<?xindex>
    } else {
      scf.yield %list : tensor<?xindex>
    }
    scf.yield %next : tensor<?xindex>
  }
  return %best : tensor<?xindex>
}

// Rows are along the second dim; k is at most its size.
func.func @topk(%x: tensor<?x?x?x!T>, %k: index) -> (tensor<?x?x?x!T>, tensor<?x?x?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %most_selected = arith.constant 256 : index
  %less = arith.subi %k, %c1 : index
  %few = arith.cmpi ult, %less, %most_selected : index
  %num_outer = tensor.dim %x, %c0 : tensor<?x?x?x!T>
  %n = tensor.dim %x, %c1 : tensor<?x?x?x!T>
  %num_inner = tensor.dim %x, %c2 : tensor<?x?x?x!T>
  %no_values = tensor.empty(%num_outer, %k, %num_inner) : tensor<?x?x?x!T>
  %no_places = tensor.empty(%num_outer, %k, %num_inner) : tensor<?x?x?xi64>
  %all:2 = scf.for %outer = %c0 to %num_outer step %c1 iter_args(%v0 = %no_values, %p0 = %no_places)
      -> (tensor<?x?x?x!T>, tensor<?x?x?xi64>) {
    %rows:2 = scf.for %inner = %c0 to %num_inner step %c1 iter_args(%v1 = %v0, %p1 = %p0)
        -> (tensor<?x?x?x!T>, tensor<?x?x?xi64>) {
      %list = scf.if %few -> (tensor<?xindex>) {
        %selected = func.call @select(%x, %outer, %inner, %n, %k)
            : (tensor<?x?x?x!T>, index, index, index, index) -> tensor<?xindex>
        scf.yield %selected : tensor<?xindex>
      } else {
        %sorted = func.call @sort(%x, %outer, %inner, %n) : (tensor<?x?x?x!T>, index, index, index) -> tensor<?xindex>
        scf.yield %sorted : tensor<?xindex>
      }
      %row:2 = scf.for %i = %c0 to %k step %c1 iter_args(%v2 = %v1, %p2 = %p1) -> (tensor<?x?x?x!T>, tensor<?x?x?xi64>) {
        %place = tensor.extract %list[%i] : tensor<?xindex>
        %value = tensor.extract %x[%outer, %place, %inner] : tensor<?x?x?x!T>
        %number = arith.index_cast %place : index to i64
        %v3 = tensor.insert %value into %v2[%outer, %i, %inner] : tensor<?x?x?x!T>
        %p3 = tensor.insert %number into %p2[%outer, %i, %inner] : tensor<?x?x?xi64>
        scf.yield %v3, %p3 : tensor<?x?x?x!T>, tensor<?x?x?xi64>
      }
      scf.yield %row#0, %row#1 : tensor<?x?x?x!T>, tensor<?x?x?xi64>
    }
    scf.yield %rows#0, %rows#1 : tensor<?x?x?x!T>, tensor<?x?x?xi64>
  }
  return %all#0, %all#1 : tensor<?x?x?x!T>, tensor<?x?x?xi64>
}
