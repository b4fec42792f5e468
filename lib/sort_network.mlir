// sort_network.mlir - sorts up to 1,024 unsigned integers by a network of comparisons in vectors, without branches.
//
// The elements are a matrix of 16 columns, padded by the greatest integers; how many rows it has is a power of 2. A row
// is a vector. First each column is sorted, by bitonic merges of 2, 4, .. elements. Then pairs of sorted columns are
// merged, then pairs of pairs, and so on: the list that is one column behind the other is sorted. A bitonic merge of
// two sorted lists compares each element of one with that at the mirrored place of the other, so that all of one half
// are less than those of the other; then elements at half the distance, and so on (K. E. Batcher, Sorting networks and
// their applications, 1968). At last the matrix is transposed.
//
// Places are those of elements in a list with room for two such matrices, so a row is 16 further than the one ahead of
// it.
//
// The prelude defines !S, an integer type.

// The lesser elements of two rows, and the greater ones.
func.func private @compare_rows(%a: vector<16x!S>, %b: vector<16x!S>) -> (vector<16x!S>, vector<16x!S>) {
  %min = arith.minui %a, %b : vector<16x!S>
  %max = arith.maxui %a, %b : vector<16x!S>
  return %min, %max : vector<16x!S>, vector<16x!S>
}

// Where the i-th of all rows of a half, a power of 2, is whose other half is behind it.
func.func private @place_in_halves(%i: index, %half: index) -> index {
  %c1 = arith.constant 1 : index
  %mask = arith.subi %half, %c1 : index
  %low = arith.andi %i, %mask : index
  %ahead = arith.subi %i, %low : index
  %place = arith.addi %i, %ahead : index
  return %place : index
}

// Compares rows at a distance in each column, then at half of it, and so on: the end of a merge. Two distances in each
// pass.
func.func private @merge_rows(%t: memref<2048x!S>, %size: index, %distance: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %half = arith.shrui %size, %c1 : index
  %quarter = arith.shrui %size, %c2 : index
  %left = scf.while (%d = %distance) : (index) -> (index) {
    %two = arith.cmpi uge, %d, %c32 : index
    scf.condition(%two) %d : index
  } do {
  ^bb0(%d: index):
    %near = arith.shrui %d, %c1 : index
    scf.for %r = %c0 to %quarter step %c16 {
      %in_half = func.call @place_in_halves(%r, %near) : (index, index) -> index
      %i = func.call @place_in_halves(%in_half, %d) : (index, index) -> index
      %j = arith.addi %i, %near : index
      %k = arith.addi %i, %d : index
      %l = arith.addi %j, %d : index
      %a = vector.load %t[%i] : memref<2048x!S>, vector<16x!S>
      %b = vector.load %t[%j] : memref<2048x!S>, vector<16x!S>
      %c = vector.load %t[%k] : memref<2048x!S>, vector<16x!S>
      %e = vector.load %t[%l] : memref<2048x!S>, vector<16x!S>
      %far0:2 = func.call @compare_rows(%a, %c) : (vector<16x!S>, vector<16x!S>) -> (vector<16x!S>, vector<16x!S>)
      %far1:2 = func.call @compare_rows(%b, %e) : (vector<16x!S>, vector<16x!S>) -> (vector<16x!S>, vector<16x!S>)
      %near0:2 = func.call @compare_rows(%far0#0, %far1#0)
          : (vector<16x!S>, vector<16x!S>) -> (vector<16x!S>, vector<16x!S>)
      %near1:2 = func.call @compare_rows(%far0#1, %far1#1)
          : (vector<16x!S>, vector<16x!S>) -> (vector<16x!S>, vector<16x!S>)
      vector.store %near0#0, %t[%i] : memref<2048x!S>, vector<16x!S>
      vector.store %near0#1, %t[%j] : memref<2048x!S>, vector<16x!S>
      vector.store %near1#0, %t[%k] : memref<2048x!S>, vector<16x!S>
      vector.store %near1#1, %t[%l] : memref<2048x!S>, vector<16x!S>
    }
    %next = arith.shrui %d, %c2 : index
    scf.yield %next : index
  }
  %one = arith.cmpi eq, %left, %c16 : index
  scf.if %one {
    scf.for %i = %c0 to %size step %c32 {
      %j = arith.addi %i, %c16 : index
      %a = vector.load %t[%i] : memref<2048x!S>, vector<16x!S>
      %b = vector.load %t[%j] : memref<2048x!S>, vector<16x!S>
      %ab:2 = func.call @compare_rows(%a, %b) : (vector<16x!S>, vector<16x!S>) -> (vector<16x!S>, vector<16x!S>)
      vector.store %ab#0, %t[%i] : memref<2048x!S>, vector<16x!S>
      vector.store %ab#1, %t[%j] : memref<2048x!S>, vector<16x!S>
    }
  }
  return
}

func.func private @sort_columns(%t: memref<2048x!S>, %size: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %all_pairs = arith.shrui %size, %c1 : index
  %end = scf.while (%k = %c32) : (index) -> (index) {
    %more = arith.cmpi ule, %k, %size : index
    scf.condition(%more) %k : index
  } do {
  ^bb0(%k: index):
    %half = arith.shrui %k, %c1 : index
    %last = arith.subi %k, %c16 : index
    scf.for %r = %c0 to %all_pairs step %c16 {
      %i = func.call @place_in_halves(%r, %half) : (index, index) -> index
      %ahead = arith.subi %i, %r : index
      %low = arith.subi %r, %ahead : index
      %base = arith.subi %i, %low : index
      %end_of_pairs = arith.addi %base, %last : index
      %j = arith.subi %end_of_pairs, %low : index
      %a = vector.load %t[%i] : memref<2048x!S>, vector<16x!S>
      %b = vector.load %t[%j] : memref<2048x!S>, vector<16x!S>
      %ab:2 = func.call @compare_rows(%a, %b) : (vector<16x!S>, vector<16x!S>) -> (vector<16x!S>, vector<16x!S>)
      vector.store %ab#0, %t[%i] : memref<2048x!S>, vector<16x!S>
      vector.store %ab#1, %t[%j] : memref<2048x!S>, vector<16x!S>
    }
    %quarter = arith.shrui %k, %c2 : index
    func.call @merge_rows(%t, %size, %quarter) : (memref<2048x!S>, index, index) -> ()
    %twice = arith.addi %k, %k : index
    scf.yield %twice : index
  }
  return
}

// The lesser of a row's and another's elements, where bit 0 of the column is 0, else the greater.
func.func private @choose_1(%a: vector<16x!S>, %b: vector<16x!S>) -> vector<16x!S> {
  %low = arith.constant dense<[true, false, true, false, true, false, true, false, true, false, true, false, true,
      false, true, false]> : vector<16xi1>
  %min = arith.minui %a, %b : vector<16x!S>
  %max = arith.maxui %a, %b : vector<16x!S>
  %chosen = arith.select %low, %min, %max : vector<16xi1>, vector<16x!S>
  return %chosen : vector<16x!S>
}

// The lesser of a row's and another's elements, where bit 1 of the column is 0, else the greater.
func.func private @choose_2(%a: vector<16x!S>, %b: vector<16x!S>) -> vector<16x!S> {
  %low = arith.constant dense<[true, true, false, false, true, true, false, false, true, true, false, false, true,
      true, false, false]> : vector<16xi1>
  %min = arith.minui %a, %b : vector<16x!S>
  %max = arith.maxui %a, %b : vector<16x!S>
  %chosen = arith.select %low, %min, %max : vector<16xi1>, vector<16x!S>
  return %chosen : vector<16x!S>
}

// The lesser of a row's and another's elements, where bit 2 of the column is 0, else the greater.
func.func private @choose_4(%a: vector<16x!S>, %b: vector<16x!S>) -> vector<16x!S> {
  %low = arith.constant dense<[true, true, true, true, false, false, false, false, true, true, true, true, false,
      false, false, false]> : vector<16xi1>
  %min = arith.minui %a, %b : vector<16x!S>
  %max = arith.maxui %a, %b : vector<16x!S>
  %chosen = arith.select %low, %min, %max : vector<16xi1>, vector<16x!S>
  return %chosen : vector<16x!S>
}

// The lesser of a row's and another's elements, where bit 3 of the column is 0, else the greater.
func.func private @choose_8(%a: vector<16x!S>, %b: vector<16x!S>) -> vector<16x!S> {
  %low = arith.constant dense<[true, true, true, true, true, true, true, true, false, false, false, false, false,
      false, false, false]> : vector<16xi1>
  %min = arith.minui %a, %b : vector<16x!S>
  %max = arith.maxui %a, %b : vector<16x!S>
  %chosen = arith.select %low, %min, %max : vector<16xi1>, vector<16x!S>
  return %chosen : vector<16x!S>
}

func.func private @compare_columns_1(%a: vector<16x!S>) -> vector<16x!S> {
  %b = vector.shuffle %a, %a [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14] : vector<16x!S>, vector<16x!S>
  %c = func.call @choose_1(%a, %b) : (vector<16x!S>, vector<16x!S>) -> vector<16x!S>
  return %c : vector<16x!S>
}

func.func private @compare_columns_2(%a: vector<16x!S>) -> vector<16x!S> {
  %b = vector.shuffle %a, %a [2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13] : vector<16x!S>, vector<16x!S>
  %c = func.call @choose_2(%a, %b) : (vector<16x!S>, vector<16x!S>) -> vector<16x!S>
  return %c : vector<16x!S>
}

func.func private @compare_columns_4(%a: vector<16x!S>) -> vector<16x!S> {
  %b = vector.shuffle %a, %a [4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11] : vector<16x!S>, vector<16x!S>
  %c = func.call @choose_4(%a, %b) : (vector<16x!S>, vector<16x!S>) -> vector<16x!S>
  return %c : vector<16x!S>
}

// The first step of a merge of lists of 1, 2, 4 or 8 columns, of a row and the one at the mirrored place.
func.func private @merge_mirrored_1(%a: vector<16x!S>, %b: vector<16x!S>) -> (vector<16x!S>, vector<16x!S>) {
  %mirrored_a = vector.shuffle %a, %a [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14]
      : vector<16x!S>, vector<16x!S>
  %mirrored_b = vector.shuffle %b, %b [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14]
      : vector<16x!S>, vector<16x!S>
  %a1 = func.call @choose_1(%a, %mirrored_b) : (vector<16x!S>, vector<16x!S>) -> vector<16x!S>
  %b1 = func.call @choose_1(%b, %mirrored_a) : (vector<16x!S>, vector<16x!S>) -> vector<16x!S>
  return %a1, %b1 : vector<16x!S>, vector<16x!S>
}
func.func private @merge_mirrored_2(%a: vector<16x!S>, %b: vector<16x!S>) -> (vector<16x!S>, vector<16x!S>) {
  %mirrored_a = vector.shuffle %a, %a [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12]
      : vector<16x!S>, vector<16x!S>
  %mirrored_b = vector.shuffle %b, %b [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12]
      : vector<16x!S>, vector<16x!S>
  %a1 = func.call @choose_2(%a, %mirrored_b) : (vector<16x!S>, vector<16x!S>) -> vector<16x!S>
  %b1 = func.call @choose_2(%b, %mirrored_a) : (vector<16x!S>, vector<16x!S>) -> vector<16x!S>
  return %a1, %b1 : vector<16x!S>, vector<16x!S>
}
func.func private @merge_mirrored_4(%a: vector<16x!S>, %b: vector<16x!S>) -> (vector<16x!S>, vector<16x!S>) {
  %mirrored_a = vector.shuffle %a, %a [7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8]
      : vector<16x!S>, vector<16x!S>
  %mirrored_b = vector.shuffle %b, %b [7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8]
      : vector<16x!S>, vector<16x!S>
  %a1 = func.call @choose_4(%a, %mirrored_b) : (vector<16x!S>, vector<16x!S>) -> vector<16x!S>
  %b1 = func.call @choose_4(%b, %mirrored_a) : (vector<16x!S>, vector<16x!S>) -> vector<16x!S>
  return %a1, %b1 : vector<16x!S>, vector<16x!S>
}
func.func private @merge_mirrored_8(%a: vector<16x!S>, %b: vector<16x!S>) -> (vector<16x!S>, vector<16x!S>) {
  %mirrored_a = vector.shuffle %a, %a [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
      : vector<16x!S>, vector<16x!S>
  %mirrored_b = vector.shuffle %b, %b [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
      : vector<16x!S>, vector<16x!S>
  %a1 = func.call @choose_8(%a, %mirrored_b) : (vector<16x!S>, vector<16x!S>) -> vector<16x!S>
  %b1 = func.call @choose_8(%b, %mirrored_a) : (vector<16x!S>, vector<16x!S>) -> vector<16x!S>
  return %a1, %b1 : vector<16x!S>, vector<16x!S>
}

// The halves of two rows, interleaved.
func.func private @interleave(%a: vector<16x!S>, %b: vector<16x!S>) -> (vector<16x!S>, vector<16x!S>) {
  %low = vector.shuffle %a, %b [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23] : vector<16x!S>, vector<16x!S>
  %high = vector.shuffle %a, %b [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31]
      : vector<16x!S>, vector<16x!S>
  return %low, %high : vector<16x!S>, vector<16x!S>
}

// Merges pairs of columns.
func.func private @merge_columns_1(%t: memref<2048x!S>, %size: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %half = arith.shrui %size, %c1 : index
  %last = arith.subi %size, %c16 : index
  %end = arith.maxui %half, %c16 : index
  scf.for %i = %c0 to %end step %c16 {
    %j = arith.subi %last, %i : index
    %a = vector.load %t[%i] : memref<2048x!S>, vector<16x!S>
    %b = vector.load %t[%j] : memref<2048x!S>, vector<16x!S>
    %a1, %b1 = func.call @merge_mirrored_1(%a, %b) : (vector<16x!S>, vector<16x!S>) -> (vector<16x!S>, vector<16x!S>)
    vector.store %a1, %t[%i] : memref<2048x!S>, vector<16x!S>
    vector.store %b1, %t[%j] : memref<2048x!S>, vector<16x!S>
  }
  func.call @merge_rows(%t, %size, %half) : (memref<2048x!S>, index, index) -> ()
  return
}

// Merges pairs of lists of 2 columns.
func.func private @merge_columns_2(%t: memref<2048x!S>, %size: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %half = arith.shrui %size, %c1 : index
  %last = arith.subi %size, %c16 : index
  %end = arith.maxui %half, %c16 : index
  scf.for %i = %c0 to %end step %c16 {
    %j = arith.subi %last, %i : index
    %a = vector.load %t[%i] : memref<2048x!S>, vector<16x!S>
    %b = vector.load %t[%j] : memref<2048x!S>, vector<16x!S>
    %a1, %b1 = func.call @merge_mirrored_2(%a, %b) : (vector<16x!S>, vector<16x!S>) -> (vector<16x!S>, vector<16x!S>)
    %a2 = func.call @compare_columns_1(%a1) : (vector<16x!S>) -> vector<16x!S>
    %b2 = func.call @compare_columns_1(%b1) : (vector<16x!S>) -> vector<16x!S>
    vector.store %a2, %t[%i] : memref<2048x!S>, vector<16x!S>
    vector.store %b2, %t[%j] : memref<2048x!S>, vector<16x!S>
  }
  func.call @merge_rows(%t, %size, %half) : (memref<2048x!S>, index, index) -> ()
  return
}

// Merges pairs of lists of 4 columns.
func.func private @merge_columns_4(%t: memref<2048x!S>, %size: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %half = arith.shrui %size, %c1 : index
  %last = arith.subi %size, %c16 : index
  %end = arith.maxui %half, %c16 : index
  scf.for %i = %c0 to %end step %c16 {
    %j = arith.subi %last, %i : index
    %a = vector.load %t[%i] : memref<2048x!S>, vector<16x!S>
    %b = vector.load %t[%j] : memref<2048x!S>, vector<16x!S>
    %a1, %b1 = func.call @merge_mirrored_4(%a, %b) : (vector<16x!S>, vector<16x!S>) -> (vector<16x!S>, vector<16x!S>)
    %a2 = func.call @compare_columns_2(%a1) : (vector<16x!S>) -> vector<16x!S>
    %b2 = func.call @compare_columns_2(%b1) : (vector<16x!S>) -> vector<16x!S>
    %a3 = func.call @compare_columns_1(%a2) : (vector<16x!S>) -> vector<16x!S>
    %b3 = func.call @compare_columns_1(%b2) : (vector<16x!S>) -> vector<16x!S>
    vector.store %a3, %t[%i] : memref<2048x!S>, vector<16x!S>
    vector.store %b3, %t[%j] : memref<2048x!S>, vector<16x!S>
  }
  func.call @merge_rows(%t, %size, %half) : (memref<2048x!S>, index, index) -> ()
  return
}

// Merges pairs of lists of 8 columns.
func.func private @merge_columns_8(%t: memref<2048x!S>, %size: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %half = arith.shrui %size, %c1 : index
  %last = arith.subi %size, %c16 : index
  %end = arith.maxui %half, %c16 : index
  scf.for %i = %c0 to %end step %c16 {
    %j = arith.subi %last, %i : index
    %a = vector.load %t[%i] : memref<2048x!S>, vector<16x!S>
    %b = vector.load %t[%j] : memref<2048x!S>, vector<16x!S>
    %a1, %b1 = func.call @merge_mirrored_8(%a, %b) : (vector<16x!S>, vector<16x!S>) -> (vector<16x!S>, vector<16x!S>)
    %a2 = func.call @compare_columns_4(%a1) : (vector<16x!S>) -> vector<16x!S>
    %b2 = func.call @compare_columns_4(%b1) : (vector<16x!S>) -> vector<16x!S>
    %a3 = func.call @compare_columns_2(%a2) : (vector<16x!S>) -> vector<16x!S>
    %b3 = func.call @compare_columns_2(%b2) : (vector<16x!S>) -> vector<16x!S>
    %a4 = func.call @compare_columns_1(%a3) : (vector<16x!S>) -> vector<16x!S>
    %b4 = func.call @compare_columns_1(%b3) : (vector<16x!S>) -> vector<16x!S>
    vector.store %a4, %t[%i] : memref<2048x!S>, vector<16x!S>
    vector.store %b4, %t[%j] : memref<2048x!S>, vector<16x!S>
  }
  func.call @merge_rows(%t, %size, %half) : (memref<2048x!S>, index, index) -> ()
  return
}

// Transposes the matrix, by interleaving its halves as often as the number of rows is a multiple of 2: each time, the
// bits of the number of a place turn left by one. Gives where the result begins.
func.func private @transpose_rows(%t: memref<2048x!S>, %size: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %other = arith.constant 1024 : index
  %half = arith.shrui %size, %c1 : index
  %turned:2 = scf.while (%done = %c16, %from = %c0) : (index, index) -> (index, index) {
    %more = arith.cmpi ult, %done, %size : index
    scf.condition(%more) %done, %from : index, index
  } do {
  ^bb0(%done: index, %from: index):
    %to = arith.subi %other, %from : index
    scf.for %i = %c0 to %half step %c16 {
      %at_a = arith.addi %from, %i : index
      %at_b = arith.addi %at_a, %half : index
      %a = vector.load %t[%at_a] : memref<2048x!S>, vector<16x!S>
      %b = vector.load %t[%at_b] : memref<2048x!S>, vector<16x!S>
      %low, %high = func.call @interleave(%a, %b) : (vector<16x!S>, vector<16x!S>) -> (vector<16x!S>, vector<16x!S>)
      %twice = arith.addi %i, %i : index
      %at_low = arith.addi %to, %twice : index
      %at_high = arith.addi %at_low, %c16 : index
      vector.store %low, %t[%at_low] : memref<2048x!S>, vector<16x!S>
      vector.store %high, %t[%at_high] : memref<2048x!S>, vector<16x!S>
    }
    %next = arith.addi %done, %done : index
    scf.yield %next, %to : index, index
  }
  return %turned#1 : index
}

// Sorts the n elements at the begin of the list, at least one and at most 1,024. Gives where the result begins.
func.func private @network_sort(%t: memref<2048x!S>, %n: index) -> index {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %greatest = arith.constant -1 : !S
  %more = arith.addi %n, %c15 : index
  %wanted_rows = arith.shrui %more, %c4 : index
  %last_row = arith.subi %wanted_rows, %c1 : index
  %bits = func.call @bit_length(%last_row) : (index) -> index
  %size = arith.shli %c16, %bits : index
  scf.for %i = %n to %size step %c1 {
    memref.store %greatest, %t[%i] : memref<2048x!S>
  }
  func.call @sort_columns(%t, %size) : (memref<2048x!S>, index) -> ()
  func.call @merge_columns_1(%t, %size) : (memref<2048x!S>, index) -> ()
  func.call @merge_columns_2(%t, %size) : (memref<2048x!S>, index) -> ()
  func.call @merge_columns_4(%t, %size) : (memref<2048x!S>, index) -> ()
  func.call @merge_columns_8(%t, %size) : (memref<2048x!S>, index) -> ()
  %begin = func.call @transpose_rows(%t, %size) : (memref<2048x!S>, index) -> index
  return %begin : index
}
