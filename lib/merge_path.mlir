// merge_path.mlir - parts of the merge of two sorted runs, by merge path (Green, Odeh, Birk, arXiv 1406.2628).
//
// The first d elements of a merge are some number of the left run's and the rest of the right run's: a binary search
// finds the number. So each part of the output is merged by itself, and parts of equal length are equal work, whatever
// the runs hold. An element of the right run comes first only where it is strictly less: the merge is stable.
//
// A part is cut into four again, which are merged side by side in one loop: an element of a merge waits for the one
// before it, and four of them fill that time. While no run of the four can end, no step asks whether one has ended.
//
// The prelude defines !S and @less(!S, !S) -> i1, a strict weak order.

// How many of the first %d elements of the merge of a[left, left + m) and b[right, right + n) are the left run's.
func.func private @merge_path(%a: memref<?x!S>, %left: index, %m: index, %b: memref<?x!S>, %right: index, %n: index,
    %d: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %over = arith.subi %d, %n : index
  %low = arith.maxsi %over, %c0 : index
  %high = arith.minui %d, %m : index
  %last = arith.subi %d, %c1 : index
  %found:2 = scf.while (%lo = %low, %hi = %high) : (index, index) -> (index, index) {
    %more = arith.cmpi ult, %lo, %hi : index
    scf.condition(%more) %lo, %hi : index, index
  } do {
  ^bb0(%lo: index, %hi: index):
    %sum = arith.addi %lo, %hi : index
    %mid = arith.shrui %sum, %c1 : index
    %i = arith.addi %left, %mid : index
    %back = arith.subi %last, %mid : index
    %j = arith.addi %right, %back : index
    %x = memref.load %a[%i] : memref<?x!S>
    %y = memref.load %b[%j] : memref<?x!S>
    %less = func.call @less(%y, %x) : (!S, !S) -> i1
    %after = arith.addi %mid, %c1 : index
    %lo1 = arith.select %less, %lo, %after : index
    %hi1 = arith.select %less, %mid, %hi : index
    scf.yield %lo1, %hi1 : index, index
  }
  return %found#0 : index
}

// One step of a merge: the lesser of a[l] and b[r] goes to out[at]. Gives the next l and r.
func.func private @merge_step(%a: memref<?x!S>, %l: index, %b: memref<?x!S>, %r: index, %out: memref<?x!S>, %at: index)
    -> (index, index) {
  %c1 = arith.constant 1 : index
  %x = memref.load %a[%l] : memref<?x!S>
  %y = memref.load %b[%r] : memref<?x!S>
  %less = func.call @less(%y, %x) : (!S, !S) -> i1
  %first = arith.select %less, %y, %x : !S
  memref.store %first, %out[%at] : memref<?x!S>
  %right = arith.extui %less : i1 to i64
  %taken = arith.index_castui %right : i64 to index
  %not_taken = arith.subi %c1, %taken : index
  %l1 = arith.addi %l, %not_taken : index
  %r1 = arith.addi %r, %taken : index
  return %l1, %r1 : index, index
}

// Copies a[begin, end) to out from %at on. Gives where they end there.
func.func private @copy_run(%a: memref<?x!S>, %begin: index, %end: index, %out: memref<?x!S>, %at: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = arith.subi %end, %begin : index
  scf.for %i = %c0 to %size step %c1 {
    %from = arith.addi %begin, %i : index
    %to = arith.addi %at, %i : index
    %x = memref.load %a[%from] : memref<?x!S>
    memref.store %x, %out[%to] : memref<?x!S>
  }
  %behind = arith.addi %at, %size : index
  return %behind : index
}

// Merges a[l, l_end) and b[r, r_end) to out from %at on, one element after the other.
func.func private @merge_serially(%a: memref<?x!S>, %l: index, %l_end: index, %b: memref<?x!S>, %r: index,
    %r_end: index, %out: memref<?x!S>, %at: index) {
  %c1 = arith.constant 1 : index
  %rest:3 = scf.while (%i = %l, %j = %r, %k = %at) : (index, index, index) -> (index, index, index) {
    %left = arith.cmpi ult, %i, %l_end : index
    %right = arith.cmpi ult, %j, %r_end : index
    %both = arith.andi %left, %right : i1
    scf.condition(%both) %i, %j, %k : index, index, index
  } do {
  ^bb0(%i: index, %j: index, %k: index):
    %next:2 = func.call @merge_step(%a, %i, %b, %j, %out, %k)
        : (memref<?x!S>, index, memref<?x!S>, index, memref<?x!S>, index) -> (index, index)
    %k1 = arith.addi %k, %c1 : index
    scf.yield %next#0, %next#1, %k1 : index, index, index
  }
  %behind = func.call @copy_run(%a, %rest#0, %l_end, %out, %rest#2)
      : (memref<?x!S>, index, index, memref<?x!S>, index) -> index
  %end = func.call @copy_run(%b, %rest#1, %r_end, %out, %behind)
      : (memref<?x!S>, index, index, memref<?x!S>, index) -> index
  return
}

// The elements %begin to %end of the merge of a[left, left + m) and b[right, right + n), to out from %at on.
func.func private @merge_part(%a: memref<?x!S>, %left: index, %m: index, %b: memref<?x!S>, %right: index, %n: index,
    %begin: index, %end: index, %out: memref<?x!S>, %at: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c16 = arith.constant 16 : index
  %size = arith.subi %end, %begin : index
  %quarter = arith.shrui %size, %c2 : index
  // where each of the four begins in the runs, and the last one's ends
  %lefts = memref.alloc() : memref<5xindex>
  %rights = memref.alloc() : memref<5xindex>
  %nexts = memref.alloc() : memref<4x2xindex>
  %cuts:2 = scf.for %q = %c0 to %c5 step %c1 iter_args(%before = %c0, %d_before = %begin) -> (index, index) {
    %is_last = arith.cmpi eq, %q, %c4 : index
    %ahead = arith.muli %q, %quarter : index
    %d_or_less = arith.addi %begin, %ahead : index
    %d = arith.select %is_last, %end, %d_or_less : index
    %cut = func.call @merge_path(%a, %left, %m, %b, %right, %n, %d)
        : (memref<?x!S>, index, index, memref<?x!S>, index, index, index) -> index
    // in runs that are not sorted, cuts may not be in order: they are moved, so that each of the four has its length
    %is_first = arith.cmpi eq, %q, %c0 : index
    %step = arith.subi %d, %d_before : index
    %most = arith.addi %before, %step : index
    %at_least = arith.maxui %cut, %before : index
    %in_order = arith.minui %at_least, %most : index
    %i = arith.select %is_first, %cut, %in_order : index
    %j = arith.subi %d, %i : index
    %l = arith.addi %left, %i : index
    %r = arith.addi %right, %j : index
    memref.store %l, %lefts[%q] : memref<5xindex>
    memref.store %r, %rights[%q] : memref<5xindex>
    scf.yield %i, %d : index, index
  }
  %l0 = memref.load %lefts[%c0] : memref<5xindex>
  %r0 = memref.load %rights[%c0] : memref<5xindex>
  %l1 = memref.load %lefts[%c1] : memref<5xindex>
  %r1 = memref.load %rights[%c1] : memref<5xindex>
  %l2 = memref.load %lefts[%c2] : memref<5xindex>
  %r2 = memref.load %rights[%c2] : memref<5xindex>
  %l3 = memref.load %lefts[%c3] : memref<5xindex>
  %r3 = memref.load %rights[%c3] : memref<5xindex>
  %l4 = memref.load %lefts[%c4] : memref<5xindex>
  %r4 = memref.load %rights[%c4] : memref<5xindex>
  %at1 = arith.addi %at, %quarter : index
  %at2 = arith.addi %at1, %quarter : index
  %at3 = arith.addi %at2, %quarter : index
  %all:10 = scf.while (%k = %c0, %la = %l0, %ra = %r0, %lb = %l1, %rb = %r1, %lc = %l2, %rc = %r2, %ld = %l3, %rd = %r3)
      : (index, index, index, index, index, index, index, index, index)
      -> (index, index, index, index, index, index, index, index, index, index) {
    // the steps that none of the runs can end in
    %a_left = arith.subi %l1, %la : index
    %a_right = arith.subi %r1, %ra : index
    %b_left = arith.subi %l2, %lb : index
    %b_right = arith.subi %r2, %rb : index
    %c_left = arith.subi %l3, %lc : index
    %c_right = arith.subi %r3, %rc : index
    %d_left = arith.subi %l4, %ld : index
    %d_right = arith.subi %r4, %rd : index
    %a_least = arith.minui %a_left, %a_right : index
    %b_least = arith.minui %b_left, %b_right : index
    %c_least = arith.minui %c_left, %c_right : index
    %d_least = arith.minui %d_left, %d_right : index
    %ab_least = arith.minui %a_least, %b_least : index
    %cd_least = arith.minui %c_least, %d_least : index
    %least = arith.minui %ab_least, %cd_least : index
    %more = arith.cmpi uge, %least, %c16 : index
    scf.condition(%more) %k, %la, %ra, %lb, %rb, %lc, %rc, %ld, %rd, %least
        : index, index, index, index, index, index, index, index, index, index
  } do {
  ^bb0(%k: index, %la: index, %ra: index, %lb: index, %rb: index, %lc: index, %rc: index, %ld: index, %rd: index,
       %steps: index):
    %k_end = arith.addi %k, %steps : index
    %next:8 = scf.for %i = %k to %k_end step %c1
        iter_args(%la0 = %la, %ra0 = %ra, %lb0 = %lb, %rb0 = %rb, %lc0 = %lc, %rc0 = %rc, %ld0 = %ld, %rd0 = %rd)
        -> (index, index, index, index, index, index, index, index) {
      %to0 = arith.addi %at, %i : index
      %to1 = arith.addi %at1, %i : index
      %to2 = arith.addi %at2, %i : index
      %to3 = arith.addi %at3, %i : index
      %a1:2 = func.call @merge_step(%a, %la0, %b, %ra0, %out, %to0)
          : (memref<?x!S>, index, memref<?x!S>, index, memref<?x!S>, index) -> (index, index)
      %b1:2 = func.call @merge_step(%a, %lb0, %b, %rb0, %out, %to1)
          : (memref<?x!S>, index, memref<?x!S>, index, memref<?x!S>, index) -> (index, index)
      %c1_:2 = func.call @merge_step(%a, %lc0, %b, %rc0, %out, %to2)
          : (memref<?x!S>, index, memref<?x!S>, index, memref<?x!S>, index) -> (index, index)
      %d1_:2 = func.call @merge_step(%a, %ld0, %b, %rd0, %out, %to3)
          : (memref<?x!S>, index, memref<?x!S>, index, memref<?x!S>, index) -> (index, index)
      scf.yield %a1#0, %a1#1, %b1#0, %b1#1, %c1_#0, %c1_#1, %d1_#0, %d1_#1
          : index, index, index, index, index, index, index, index
    }
    scf.yield %k_end, %next#0, %next#1, %next#2, %next#3, %next#4, %next#5, %next#6, %next#7
        : index, index, index, index, index, index, index, index, index
  }
  memref.store %all#1, %nexts[%c0, %c0] : memref<4x2xindex>
  memref.store %all#2, %nexts[%c0, %c1] : memref<4x2xindex>
  memref.store %all#3, %nexts[%c1, %c0] : memref<4x2xindex>
  memref.store %all#4, %nexts[%c1, %c1] : memref<4x2xindex>
  memref.store %all#5, %nexts[%c2, %c0] : memref<4x2xindex>
  memref.store %all#6, %nexts[%c2, %c1] : memref<4x2xindex>
  memref.store %all#7, %nexts[%c3, %c0] : memref<4x2xindex>
  memref.store %all#8, %nexts[%c3, %c1] : memref<4x2xindex>
  scf.for %q = %c0 to %c4 step %c1 {
    %after = arith.addi %q, %c1 : index
    %l = memref.load %nexts[%q, %c0] : memref<4x2xindex>
    %r = memref.load %nexts[%q, %c1] : memref<4x2xindex>
    %l_end = memref.load %lefts[%after] : memref<5xindex>
    %r_end = memref.load %rights[%after] : memref<5xindex>
    %ahead = arith.muli %q, %quarter : index
    %done = arith.addi %ahead, %all#0 : index
    %to = arith.addi %at, %done : index
    func.call @merge_serially(%a, %l, %l_end, %b, %r, %r_end, %out, %to)
        : (memref<?x!S>, index, index, memref<?x!S>, index, index, memref<?x!S>, index) -> ()
  }
  memref.dealloc %nexts : memref<4x2xindex>
  memref.dealloc %lefts : memref<5xindex>
  memref.dealloc %rights : memref<5xindex>
  return
}
