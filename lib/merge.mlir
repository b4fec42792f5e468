// merge.mlir - two sorted lists as one; of equal elements, those of the first come first.
//
// Parts of the result are merged on all threads (merge_path.mlir), or, where one list has many times as many elements
// there as the other, by searches of the few among the many. Lists that are not sorted give some of their elements, or
// with @checked an error.
//
// The prelude defines !T and @before(!T, !T) -> i1: whether the first operand comes before the second; a strict weak
// order; and @checked() -> i1.

!S = !T

func.func private @less(%a: !S, %b: !S) -> i1 {
  %before = func.call @before(%a, %b) : (!T, !T) -> i1
  return %before : i1
}

// Merges few[f, f_end) and many[l, l_end) to out from %at on. few_first: the few are the left run, whose elements come
// first of equal ones. All indices are inside whatever the runs hold: each search is in what is left of the many.
func.func private @merge_by_searches(%few: memref<?x!S>, %f: index, %f_end: index, %many: memref<?x!S>, %l: index,
    %l_end: index, %few_first: i1, %out: memref<?x!S>, %at: index) {
  %c1 = arith.constant 1 : index
  %yes = arith.constant true
  %rest:2 = scf.for %i = %f to %f_end step %c1 iter_args(%from = %l, %to = %at) -> (index, index) {
    %x = memref.load %few[%i] : memref<?x!S>
    %found:2 = scf.while (%lo = %from, %hi = %l_end) : (index, index) -> (index, index) {
      %more = arith.cmpi ult, %lo, %hi : index
      scf.condition(%more) %lo, %hi : index, index
    } do {
    ^bb0(%lo: index, %hi: index):
      %sum = arith.addi %lo, %hi : index
      %mid = arith.shrui %sum, %c1 : index
      %y = memref.load %many[%mid] : memref<?x!S>
      %less = func.call @less(%y, %x) : (!S, !S) -> i1
      %greater = func.call @less(%x, %y) : (!S, !S) -> i1
      %not_greater = arith.xori %greater, %yes : i1
      %is_ahead = arith.select %few_first, %less, %not_greater : i1
      %after = arith.addi %mid, %c1 : index
      %lo1 = arith.select %is_ahead, %after, %lo : index
      %hi1 = arith.select %is_ahead, %hi, %mid : index
      scf.yield %lo1, %hi1 : index, index
    }
    %next = func.call @copy_run(%many, %from, %found#0, %out, %to)
        : (memref<?x!S>, index, index, memref<?x!S>, index) -> index
    memref.store %x, %out[%next] : memref<?x!S>
    %behind = arith.addi %next, %c1 : index
    scf.yield %found#0, %behind : index, index
  }
  %end = func.call @copy_run(%many, %rest#0, %l_end, %out, %rest#1)
      : (memref<?x!S>, index, index, memref<?x!S>, index) -> index
  return
}

// The elements %begin to %end of the merge of a[left, left + m) and b[right, right + n), to out from %at on: by
// searches where one of them has at least 8 times as many elements there as the other.
func.func private @merge_or_search(%a: memref<?x!S>, %left: index, %m: index, %b: memref<?x!S>, %right: index,
    %n: index, %begin: index, %end: index, %out: memref<?x!S>, %at: index) {
  %c3 = arith.constant 3 : index
  %yes = arith.constant true
  %no = arith.constant false
  %size = arith.subi %end, %begin : index
  %first = func.call @merge_path(%a, %left, %m, %b, %right, %n, %begin)
      : (memref<?x!S>, index, index, memref<?x!S>, index, index, index) -> index
  %cut = func.call @merge_path(%a, %left, %m, %b, %right, %n, %end)
      : (memref<?x!S>, index, index, memref<?x!S>, index, index, index) -> index
  // in runs that are not sorted, the cuts may not be in order
  %most = arith.addi %first, %size : index
  %at_least = arith.maxui %cut, %first : index
  %last = arith.minui %at_least, %most : index
  %num_left = arith.subi %last, %first : index
  %num_right = arith.subi %size, %num_left : index
  %few = arith.minui %num_left, %num_right : index
  %many = arith.maxui %num_left, %num_right : index
  %eighth = arith.shrui %many, %c3 : index
  %is_lopsided = arith.cmpi ule, %few, %eighth : index
  scf.if %is_lopsided {
    %right_first = arith.subi %begin, %first : index
    %l = arith.addi %left, %first : index
    %l_end = arith.addi %l, %num_left : index
    %r = arith.addi %right, %right_first : index
    %r_end = arith.addi %r, %num_right : index
    %left_is_few = arith.cmpi ult, %num_left, %num_right : index
    scf.if %left_is_few {
      func.call @merge_by_searches(%a, %l, %l_end, %b, %r, %r_end, %yes, %out, %at)
          : (memref<?x!S>, index, index, memref<?x!S>, index, index, i1, memref<?x!S>, index) -> ()
    } else {
      func.call @merge_by_searches(%b, %r, %r_end, %a, %l, %l_end, %no, %out, %at)
          : (memref<?x!S>, index, index, memref<?x!S>, index, index, i1, memref<?x!S>, index) -> ()
    }
  } else {
    func.call @merge_part(%a, %left, %m, %b, %right, %n, %begin, %end, %out, %at)
        : (memref<?x!S>, index, index, memref<?x!S>, index, index, index, index, memref<?x!S>, index) -> ()
  }
  return
}

func.func @merge(%a: tensor<?x!T>, %b: tensor<?x!T>) -> tensor<?x!T> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %part = arith.constant 32768 : index
  %m = tensor.dim %a, %c0 : tensor<?x!T>
  %n = tensor.dim %b, %c0 : tensor<?x!T>
  %total = arith.addi %m, %n : index
  %checked = func.call @checked() : () -> i1
  scf.if %checked {
    %place_a = func.call @first_unsorted(%a) : (tensor<?x!T>) -> index
    %a_sorted = arith.cmpi eq, %place_a, %m : index
    rt.check %a_sorted, "merge: a is not sorted: element %0 is before the one ahead of it"(%place_a : index)
    %place_b = func.call @first_unsorted(%b) : (tensor<?x!T>) -> index
    %b_sorted = arith.cmpi eq, %place_b, %n : index
    rt.check %b_sorted, "merge: b is not sorted: element %0 is before the one ahead of it"(%place_b : index)
  }
  %left = bufferization.to_buffer %a read_only : tensor<?x!T> to memref<?x!T>
  %right = bufferization.to_buffer %b read_only : tensor<?x!T> to memref<?x!T>
  %out = memref.alloc(%total) : memref<?x!T>
  %num_parts = arith.ceildivui %total, %part : index
  scf.parallel (%p) = (%c0) to (%num_parts) step (%c1) {
    %begin = arith.muli %p, %part : index
    %behind = arith.addi %begin, %part : index
    %end = arith.minui %behind, %total : index
    func.call @merge_or_search(%left, %c0, %m, %right, %c0, %n, %begin, %end, %out, %begin)
        : (memref<?x!S>, index, index, memref<?x!S>, index, index, index, index, memref<?x!S>, index) -> ()
    scf.reduce
  } {noria.point_ns = 60000}
  %merged = bufferization.to_tensor %out restrict : memref<?x!T> to tensor<?x!T>
  return %merged : tensor<?x!T>
}
