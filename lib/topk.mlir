// topk.mlir - the first k elements of each row in a given order; equal elements keep the order of their indices.
//
// For k up to 256, a sorted list of the best elements so far and their indices is kept. Most elements are not better
// than the last of them: blocks of 16 are compared with it at once, and left out if all are behind it. One that is
// better is inserted by insertion sort. For few k, a first pass finds a bound that about as many elements reach, so
// that few are inserted: 64 lanes keep the best of each 64th element, and at least k elements are not behind the k-th
// best of these.
//
// For larger k, the first 2 k elements and their indices are sorted, and the first k of them kept. Elements that are
// before the last of these are put behind them; when there is no room for 16 more, they are sorted again. The sort is a
// bottom-up merge sort: runs of 1, 2, 4, .. elements are merged in pairs from one list into another, then the lists are
// exchanged. The right run's element is taken only where it is strictly before the left one's, so that the sort is
// stable. Of elements in random order few are put: k log(n / k). At most n / k sorts are of 2 k elements, so that the
// costs are n log k comparisons.
//
// Threads share rows; of long ones, parts, and the first k of the row are taken from those of its parts.
//
// The prelude defines !T and @before(!T, !T) -> i1: whether the first operand comes before the second; a strict weak
// order.

// Sorts the first n of the values, and their places with them. The spare lists are as long.
func.func private @sort(%values: memref<?x!T>, %places: memref<?xindex>, %spare_values: memref<?x!T>,
    %spare_places: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %last = arith.subi %n, %c1 : index
  %sorted:5 = scf.while (%width = %c1, %v0 = %values, %p0 = %places, %v1 = %spare_values, %p1 = %spare_places)
      : (index, memref<?x!T>, memref<?xindex>, memref<?x!T>, memref<?xindex>)
      -> (index, memref<?x!T>, memref<?xindex>, memref<?x!T>, memref<?xindex>) {
    %more = arith.cmpi ult, %width, %n : index
    scf.condition(%more) %width, %v0, %p0, %v1, %p1
        : index, memref<?x!T>, memref<?xindex>, memref<?x!T>, memref<?xindex>
  } do {
  ^bb0(%width: index, %v0: memref<?x!T>, %p0: memref<?xindex>, %v1: memref<?x!T>, %p1: memref<?xindex>):
    %twice = arith.muli %width, %c2 : index
    scf.for %begin = %c0 to %n step %twice {
      %mid_or_more = arith.addi %begin, %width : index
      %end_or_more = arith.addi %begin, %twice : index
      %mid = arith.minui %mid_or_more, %n : index
      %end = arith.minui %end_or_more, %n : index
      %merged:2 = scf.for %i = %begin to %end step %c1 iter_args(%l = %begin, %r = %mid) -> (index, index) {
        %l_there = arith.minui %l, %last : index
        %r_there = arith.minui %r, %last : index
        %l_value = memref.load %v0[%l_there] : memref<?x!T>
        %r_value = memref.load %v0[%r_there] : memref<?x!T>
        %r_before = func.call @before(%r_value, %l_value) : (!T, !T) -> i1
        %l_used_up = arith.cmpi uge, %l, %mid : index
        %r_left_over = arith.cmpi ult, %r, %end : index
        %r_wanted = arith.ori %r_before, %l_used_up : i1
        %take_r = arith.andi %r_wanted, %r_left_over : i1
        %from = arith.select %take_r, %r_there, %l_there : index
        %value = arith.select %take_r, %r_value, %l_value : !T
        %place = memref.load %p0[%from] : memref<?xindex>
        memref.store %value, %v1[%i] : memref<?x!T>
        memref.store %place, %p1[%i] : memref<?xindex>
        %l_next = arith.addi %l, %c1 : index
        %r_next = arith.addi %r, %c1 : index
        %l_after = arith.select %take_r, %l, %l_next : index
        %r_after = arith.select %take_r, %r_next, %r : index
        scf.yield %l_after, %r_after : index, index
      }
    }
    scf.yield %twice, %v1, %p1, %v0, %p0 : index, memref<?x!T>, memref<?xindex>, memref<?x!T>, memref<?xindex>
  }
  scf.for %i = %c0 to %n step %c1 {
    %value = memref.load %sorted#1[%i] : memref<?x!T>
    %place = memref.load %sorted#2[%i] : memref<?xindex>
    memref.store %value, %values[%i] : memref<?x!T>
    memref.store %place, %places[%i] : memref<?xindex>
  }
  return
}

// The first k elements of the row and their indices, in lists of most elements, which are 2 k or n.
func.func private @select_many(%row: memref<?x!T>, %n: index, %k: index, %most: index, %best: memref<?x!T>,
    %places: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %yes = arith.constant true
  %last = arith.subi %k, %c1 : index
  %spare = memref.alloc(%most) : memref<?x!T>
  %spare_places = memref.alloc(%most) : memref<?xindex>
  scf.for %i = %c0 to %most step %c1 {
    %value = memref.load %row[%i] : memref<?x!T>
    memref.store %value, %best[%i] : memref<?x!T>
    memref.store %i, %places[%i] : memref<?xindex>
  }
  // where 16 elements have no room, and behind the last ones, the lists are sorted
  %stop = arith.addi %n, %c16 : index
  %all = scf.for %begin = %most to %stop step %c16 iter_args(%count = %most) -> (index) {
    %next = arith.addi %count, %c16 : index
    %is_full = arith.cmpi ugt, %next, %most : index
    %is_end = arith.cmpi uge, %begin, %n : index
    %sorts = arith.ori %is_full, %is_end : i1
    %count0 = scf.if %sorts -> (index) {
      func.call @sort(%best, %places, %spare, %spare_places, %count)
          : (memref<?x!T>, memref<?xindex>, memref<?x!T>, memref<?xindex>, index) -> ()
      scf.yield %k : index
    } else {
      scf.yield %count : index
    }
    %end_or_more = arith.addi %begin, %c16 : index
    %end = arith.minui %end_or_more, %n : index
    %bound = memref.load %best[%last] : memref<?x!T>
    %none_before = scf.for %i = %begin to %end step %c1 iter_args(%acc = %yes) -> (i1) {
      %value = memref.load %row[%i] : memref<?x!T>
      %before = func.call @before(%value, %bound) : (!T, !T) -> i1
      %behind = arith.xori %before, %yes : i1
      %both = arith.andi %acc, %behind : i1
      scf.yield %both : i1
    }
    %after = scf.if %none_before -> (index) {
      scf.yield %count0 : index
    } else {
      %put = scf.for %i = %begin to %end step %c1 iter_args(%count1 = %count0) -> (index) {
        %value = memref.load %row[%i] : memref<?x!T>
        %before = func.call @before(%value, %bound) : (!T, !T) -> i1
        %count2 = scf.if %before -> (index) {
          memref.store %value, %best[%count1] : memref<?x!T>
          memref.store %i, %places[%count1] : memref<?xindex>
          %more = arith.addi %count1, %c1 : index
          scf.yield %more : index
        } else {
          scf.yield %count1 : index
        }
        scf.yield %count2 : index
      }
      scf.yield %put : index
    }
    scf.yield %after : index
  }
  memref.dealloc %spare : memref<?x!T>
  memref.dealloc %spare_places : memref<?xindex>
  return
}

// The n elements from x[outer, begin, inner] on, side by side.
func.func private @row(%x: tensor<?x?x?x!T>, %outer: index, %inner: index, %begin: index, %n: index,
    %row: memref<?x!T>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %size = tensor.dim %x, %c1 : tensor<?x?x?x!T>
  %num_inner = tensor.dim %x, %c2 : tensor<?x?x?x!T>
  %is_contiguous = arith.cmpi eq, %num_inner, %c1 : index
  scf.if %is_contiguous {
    %list = tensor.collapse_shape %x [[0, 1, 2]] : tensor<?x?x?x!T> into tensor<?x!T>
    %ahead = arith.muli %outer, %size : index
    %first = arith.addi %ahead, %begin : index
    %slice = tensor.extract_slice %list[%first] [%n] [1] : tensor<?x!T> to tensor<?x!T>
    scf.for %i = %c0 to %n step %c1 {
      %value = tensor.extract %slice[%i] : tensor<?x!T>
      memref.store %value, %row[%i] : memref<?x!T>
    }
  } else {
    scf.for %i = %c0 to %n step %c1 {
      %at = arith.addi %begin, %i : index
      %value = tensor.extract %x[%outer, %at, %inner] : tensor<?x?x?x!T>
      memref.store %value, %row[%i] : memref<?x!T>
    }
  }
  return
}

// Puts a value that is before the last of the best, or the first at a free place %end, among them; what is behind it
// moves.
func.func private @put(%value: !T, %i: index, %end: index, %best: memref<?x!T>, %places: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %hole = scf.while (%at = %end) : (index) -> (index) {
    %not_first = arith.cmpi ugt, %at, %c0 : index
    %moves = scf.if %not_first -> (i1) {
      %left = arith.subi %at, %c1 : index
      %other = memref.load %best[%left] : memref<?x!T>
      %before = func.call @before(%value, %other) : (!T, !T) -> i1
      scf.if %before {
        %place = memref.load %places[%left] : memref<?xindex>
        memref.store %other, %best[%at] : memref<?x!T>
        memref.store %place, %places[%at] : memref<?xindex>
      }
      scf.yield %before : i1
    } else {
      scf.yield %not_first : i1
    }
    scf.condition(%moves) %at : index
  } do {
  ^bb0(%at: index):
    %left = arith.subi %at, %c1 : index
    scf.yield %left : index
  }
  memref.store %value, %best[%hole] : memref<?x!T>
  memref.store %i, %places[%hole] : memref<?xindex>
  return
}

// An element of the row which at most the elements behind the first k are after: the last of the first k, or, for few
// k, the k-th best of the best of each 64th.
func.func private @bound(%row: memref<?x!T>, %n: index, %k: index, %best: memref<?x!T>, %places: memref<?xindex>)
    -> !T {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %last = arith.subi %k, %c1 : index
  %is_few = arith.cmpi ule, %k, %c16 : index
  %is_long = arith.cmpi uge, %n, %c256 : index
  %by_lanes = arith.andi %is_few, %is_long : i1
  %lanes = memref.alloc() : memref<64x!T>
  scf.if %by_lanes {
    scf.for %lane = %c0 to %c64 step %c1 {
      %value = memref.load %row[%lane] : memref<?x!T>
      memref.store %value, %lanes[%lane] : memref<64x!T>
    }
    %num_blocks = arith.divui %n, %c64 : index
    scf.for %block = %c1 to %num_blocks step %c1 {
      %begin = arith.muli %block, %c64 : index
      scf.for %lane = %c0 to %c64 step %c1 {
        %i = arith.addi %begin, %lane : index
        %value = memref.load %row[%i] : memref<?x!T>
        %so_far = memref.load %lanes[%lane] : memref<64x!T>
        %better = func.call @before(%value, %so_far) : (!T, !T) -> i1
        %next = arith.select %better, %value, %so_far : !T
        memref.store %next, %lanes[%lane] : memref<64x!T>
      }
    }
    %count = scf.for %lane = %c0 to %c64 step %c1 iter_args(%count = %c0) -> (index) {
      %value = memref.load %lanes[%lane] : memref<64x!T>
      %next = func.call @put_if_better(%value, %lane, %count, %k, %best, %places)
          : (!T, index, index, index, memref<?x!T>, memref<?xindex>) -> index
      scf.yield %next : index
    }
  } else {
    %first = memref.load %row[%c0] : memref<?x!T>
    %worst = scf.for %i = %c1 to %k step %c1 iter_args(%so_far = %first) -> (!T) {
      %value = memref.load %row[%i] : memref<?x!T>
      %worse = func.call @before(%so_far, %value) : (!T, !T) -> i1
      %next = arith.select %worse, %value, %so_far : !T
      scf.yield %next : !T
    }
    memref.store %worst, %best[%last] : memref<?x!T>
  }
  %found = memref.load %best[%last] : memref<?x!T>
  memref.dealloc %lanes : memref<64x!T>
  return %found : !T
}

// Puts a value among the %count best, of which there are at most k, if one is missing or worse. Gives how many there
// are then.
func.func private @put_if_better(%value: !T, %i: index, %count: index, %k: index, %best: memref<?x!T>,
    %places: memref<?xindex>) -> index {
  %c1 = arith.constant 1 : index
  %last = arith.subi %k, %c1 : index
  %end = arith.minui %count, %last : index
  %is_missing = arith.cmpi ult, %count, %k : index
  %better = scf.if %is_missing -> (i1) {
    scf.yield %is_missing : i1
  } else {
    %worst = memref.load %best[%last] : memref<?x!T>
    %before = func.call @before(%value, %worst) : (!T, !T) -> i1
    scf.yield %before : i1
  }
  scf.if %better {
    func.call @put(%value, %i, %end, %best, %places) : (!T, index, index, memref<?x!T>, memref<?xindex>) -> ()
  }
  %more = arith.addi %end, %c1 : index
  return %more : index
}

// The first k elements of the row and their indices, for k from 1 to n.
func.func private @select(%row: memref<?x!T>, %n: index, %k: index, %best: memref<?x!T>, %places: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %yes = arith.constant true
  %last = arith.subi %k, %c1 : index
  %bound = func.call @bound(%row, %n, %k, %best, %places)
      : (memref<?x!T>, index, index, memref<?x!T>, memref<?xindex>) -> !T
  %num_blocks = arith.divui %n, %c16 : index
  %found:2 = scf.for %block = %c0 to %num_blocks step %c1 iter_args(%count0 = %c0, %bound0 = %bound) -> (index, !T) {
    %begin = arith.muli %block, %c16 : index
    %all_behind = scf.for %lane = %c0 to %c16 step %c1 iter_args(%acc = %yes) -> (i1) {
      %i = arith.addi %begin, %lane : index
      %value = memref.load %row[%i] : memref<?x!T>
      %behind = func.call @before(%bound0, %value) : (!T, !T) -> i1
      %next = arith.andi %acc, %behind : i1
      scf.yield %next : i1
    }
    %next:2 = scf.if %all_behind -> (index, !T) {
      scf.yield %count0, %bound0 : index, !T
    } else {
      %end = arith.addi %begin, %c16 : index
      %after = func.call @put_better(%row, %begin, %end, %bound0, %count0, %k, %best, %places)
          : (memref<?x!T>, index, index, !T, index, index, memref<?x!T>, memref<?xindex>) -> index
      // once there are k, their last is the bound
      %is_missing = arith.cmpi ult, %after, %k : index
      %worst = memref.load %best[%last] : memref<?x!T>
      %bound1 = arith.select %is_missing, %bound0, %worst : !T
      scf.yield %after, %bound1 : index, !T
    }
    scf.yield %next#0, %next#1 : index, !T
  }
  %left = arith.muli %num_blocks, %c16 : index
  %all = func.call @put_better(%row, %left, %n, %found#1, %found#0, %k, %best, %places)
      : (memref<?x!T>, index, index, !T, index, index, memref<?x!T>, memref<?xindex>) -> index
  return
}

// The elements of row[begin, end) that are not behind the bound go among the best. Gives how many there are then.
func.func private @put_better(%row: memref<?x!T>, %begin: index, %end: index, %bound: !T, %count: index, %k: index,
    %best: memref<?x!T>, %places: memref<?xindex>) -> index {
  %c1 = arith.constant 1 : index
  %all = scf.for %i = %begin to %end step %c1 iter_args(%count0 = %count) -> (index) {
    %value = memref.load %row[%i] : memref<?x!T>
    %behind = func.call @before(%bound, %value) : (!T, !T) -> i1
    %next = scf.if %behind -> (index) {
      scf.yield %count0 : index
    } else {
      %put = func.call @put_if_better(%value, %i, %count0, %k, %best, %places)
          : (!T, index, index, index, memref<?x!T>, memref<?xindex>) -> index
      scf.yield %put : index
    }
    scf.yield %next : index
  }
  return %all : index
}

// Threads share the rows.
func.func private @select_rows(%x: tensor<?x?x?x!T>, %num_outer: index, %k: index, %few: i1, %values: memref<?x?x?x!T>,
    %places: memref<?x?x?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c1 : tensor<?x?x?x!T>
  %num_inner = tensor.dim %x, %c2 : tensor<?x?x?x!T>
  // of the best elements, others may be behind
  %twice = arith.addi %k, %k : index
  %many = arith.minui %twice, %n : index
  %most = arith.select %few, %k, %many : index
  scf.parallel (%outer, %inner) = (%c0, %c0) to (%num_outer, %num_inner) step (%c1, %c1) {
    %best = memref.alloc(%most) : memref<?x!T>
    %best_places = memref.alloc(%most) : memref<?xindex>
    %row = memref.alloc(%n) : memref<?x!T>
    func.call @row(%x, %outer, %inner, %c0, %n, %row)
        : (tensor<?x?x?x!T>, index, index, index, index, memref<?x!T>) -> ()
    scf.if %few {
      func.call @select(%row, %n, %k, %best, %best_places)
          : (memref<?x!T>, index, index, memref<?x!T>, memref<?xindex>) -> ()
    } else {
      func.call @select_many(%row, %n, %k, %most, %best, %best_places)
          : (memref<?x!T>, index, index, index, memref<?x!T>, memref<?xindex>) -> ()
    }
    scf.for %i = %c0 to %k step %c1 {
      %value = memref.load %best[%i] : memref<?x!T>
      %place = memref.load %best_places[%i] : memref<?xindex>
      %number = arith.index_cast %place : index to i64
      memref.store %value, %values[%outer, %i, %inner] : memref<?x?x?x!T>
      memref.store %number, %places[%outer, %i, %inner] : memref<?x?x?xi64>
    }
    memref.dealloc %best : memref<?x!T>
    memref.dealloc %best_places : memref<?xindex>
    memref.dealloc %row : memref<?x!T>
    scf.reduce
  } {noria.point_ns = 2500}
  return
}

// Threads share the parts of each row, which have %part elements: the first k of the row are among the first k of each
// part. For few k.
func.func private @select_parts(%x: tensor<?x?x?x!T>, %num_outer: index, %k: index, %part: index,
    %values: memref<?x?x?x!T>, %places: memref<?x?x?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c1 : tensor<?x?x?x!T>
  %num_inner = tensor.dim %x, %c2 : tensor<?x?x?x!T>
  %num_parts = arith.ceildivui %n, %part : index
  %before_last = arith.subi %num_parts, %c1 : index
  %last_begin = arith.muli %before_last, %part : index
  %last_size = arith.subi %n, %last_begin : index
  %last_k = arith.minui %k, %last_size : index
  %of_others = arith.muli %before_last, %k : index
  %num_found = arith.addi %of_others, %last_k : index
  scf.for %outer = %c0 to %num_outer step %c1 {
    scf.for %inner = %c0 to %num_inner step %c1 {
      %found = memref.alloc(%num_found) : memref<?x!T>
      %found_places = memref.alloc(%num_found) : memref<?xindex>
      scf.parallel (%p) = (%c0) to (%num_parts) step (%c1) {
        %begin = arith.muli %p, %part : index
        %left = arith.subi %n, %begin : index
        %size = arith.minui %left, %part : index
        %part_k = arith.minui %k, %size : index
        %best = memref.alloc(%k) : memref<?x!T>
        %best_places = memref.alloc(%k) : memref<?xindex>
        %row = memref.alloc(%size) : memref<?x!T>
        func.call @row(%x, %outer, %inner, %begin, %size, %row)
            : (tensor<?x?x?x!T>, index, index, index, index, memref<?x!T>) -> ()
        func.call @select(%row, %size, %part_k, %best, %best_places)
            : (memref<?x!T>, index, index, memref<?x!T>, memref<?xindex>) -> ()
        %to = arith.muli %p, %k : index
        scf.for %i = %c0 to %part_k step %c1 {
          %at = arith.addi %to, %i : index
          %value = memref.load %best[%i] : memref<?x!T>
          %place = memref.load %best_places[%i] : memref<?xindex>
          %place_in_row = arith.addi %begin, %place : index
          memref.store %value, %found[%at] : memref<?x!T>
          memref.store %place_in_row, %found_places[%at] : memref<?xindex>
        }
        memref.dealloc %best : memref<?x!T>
        memref.dealloc %best_places : memref<?xindex>
        memref.dealloc %row : memref<?x!T>
        scf.reduce
      } {noria.point_ns = 15000}
      %best = memref.alloc(%k) : memref<?x!T>
      %best_places = memref.alloc(%k) : memref<?xindex>
      func.call @select(%found, %num_found, %k, %best, %best_places)
          : (memref<?x!T>, index, index, memref<?x!T>, memref<?xindex>) -> ()
      scf.for %i = %c0 to %k step %c1 {
        %value = memref.load %best[%i] : memref<?x!T>
        %place_found = memref.load %best_places[%i] : memref<?xindex>
        %place = memref.load %found_places[%place_found] : memref<?xindex>
        %number = arith.index_cast %place : index to i64
        memref.store %value, %values[%outer, %i, %inner] : memref<?x?x?x!T>
        memref.store %number, %places[%outer, %i, %inner] : memref<?x?x?xi64>
      }
      memref.dealloc %found : memref<?x!T>
      memref.dealloc %found_places : memref<?xindex>
      memref.dealloc %best : memref<?x!T>
      memref.dealloc %best_places : memref<?xindex>
    }
  }
  return
}

// Rows are along the second dim; k is at most its size.
func.func @topk(%x: tensor<?x?x?x!T>, %k: index) -> (tensor<?x?x?x!T>, tensor<?x?x?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %in_cache = arith.constant 65536 : index
  %most_selected = arith.constant 256 : index
  %less = arith.subi %k, %c1 : index
  %few = arith.cmpi ult, %less, %most_selected : index
  %num_outer = tensor.dim %x, %c0 : tensor<?x?x?x!T>
  %n = tensor.dim %x, %c1 : tensor<?x?x?x!T>
  %num_inner = tensor.dim %x, %c2 : tensor<?x?x?x!T>
  %fits = arith.cmpi ule, %k, %n : index
  cf.assert %fits, "topk: k is not from 0 to the number of elements in a row"
  // rows of which nothing is taken may be more than can be visited
  %takes_none = arith.cmpi eq, %k, %c0 : index
  %some_outer = arith.select %takes_none, %c0, %num_outer : index
  %values = memref.alloc(%num_outer, %k, %num_inner) : memref<?x?x?x!T>
  %places = memref.alloc(%num_outer, %k, %num_inner) : memref<?x?x?xi64>
  // a part fits in a core's cache; where more are selected, of which more are put than are left, there are few parts
  %few_parts = arith.divui %n, %c16 : index
  %or_cached = arith.maxui %few_parts, %in_cache : index
  %very_few = arith.cmpi ule, %k, %c16 : index
  %part = arith.select %very_few, %in_cache, %or_cached : index
  %parts = arith.divui %n, %part : index
  %least_parts = arith.select %very_few, %c2, %c16 : index
  %is_long = arith.cmpi uge, %parts, %least_parts : index
  %by_parts = arith.andi %is_long, %few : i1
  scf.if %by_parts {
    func.call @select_parts(%x, %some_outer, %k, %part, %values, %places)
        : (tensor<?x?x?x!T>, index, index, index, memref<?x?x?x!T>, memref<?x?x?xi64>) -> ()
  } else {
    func.call @select_rows(%x, %some_outer, %k, %few, %values, %places)
        : (tensor<?x?x?x!T>, index, index, i1, memref<?x?x?x!T>, memref<?x?x?xi64>) -> ()
  }
  %all_values = bufferization.to_tensor %values restrict : memref<?x?x?x!T> to tensor<?x?x?x!T>
  %all_places = bufferization.to_tensor %places restrict : memref<?x?x?xi64> to tensor<?x?x?xi64>
  return %all_values, %all_places : tensor<?x?x?x!T>, tensor<?x?x?xi64>
}
