// row_sums.mlir - the sums of eight rows of a buffer, one in each lane of vectors. Not a kernel.
//
// Eight rows of eight elements are loaded, turned in registers, and added, so that a lane adds the elements of its row
// in their order. Elements behind the end of a row are zeros.
//
// The buffer is for at most 1,024 elements. Of a row that begins at the end of them, as many places are loaded as the
// longest of the eight rows has elements, and seven more: 2,056 are enough.

// Two lines of a square, of which the blocks of 1 element off the diagonal are swapped.
func.func private @swap_1(%a: vector<8x!T>, %b: vector<8x!T>) -> (vector<8x!T>, vector<8x!T>) {
  %low = vector.shuffle %a, %b [0, 8, 2, 10, 4, 12, 6, 14] : vector<8x!T>, vector<8x!T>
  %high = vector.shuffle %a, %b [1, 9, 3, 11, 5, 13, 7, 15] : vector<8x!T>, vector<8x!T>
  return %low, %high : vector<8x!T>, vector<8x!T>
}

// The same for blocks of 2.
func.func private @swap_2(%a: vector<8x!T>, %b: vector<8x!T>) -> (vector<8x!T>, vector<8x!T>) {
  %low = vector.shuffle %a, %b [0, 1, 8, 9, 4, 5, 12, 13] : vector<8x!T>, vector<8x!T>
  %high = vector.shuffle %a, %b [2, 3, 10, 11, 6, 7, 14, 15] : vector<8x!T>, vector<8x!T>
  return %low, %high : vector<8x!T>, vector<8x!T>
}

// The same for blocks of 4.
func.func private @swap_4(%a: vector<8x!T>, %b: vector<8x!T>) -> (vector<8x!T>, vector<8x!T>) {
  %low = vector.shuffle %a, %b [0, 1, 2, 3, 8, 9, 10, 11] : vector<8x!T>, vector<8x!T>
  %high = vector.shuffle %a, %b [4, 5, 6, 7, 12, 13, 14, 15] : vector<8x!T>, vector<8x!T>
  return %low, %high : vector<8x!T>, vector<8x!T>
}

// Elements %t to %t + 7 of row %r, which begins at place indptr[%r] - %first of the buffer.
func.func private @elements(%indptr: memref<?x!I>, %products: memref<2056x!T>, %r: index, %first: index, %t: index)
    -> vector<8x!T> {
  %c1 = arith.constant 1 : index
  %zero = func.call @zero() : () -> !T
  %zeros = vector.broadcast %zero : !T to vector<8x!T>
  %next = arith.addi %r, %c1 : index
  %p = func.call @pointer(%indptr, %r) : (memref<?x!I>, index) -> index
  %q = func.call @pointer(%indptr, %next) : (memref<?x!I>, index) -> index
  %from = arith.addi %p, %t : index
  %rest = arith.subi %q, %from : index
  %lanes = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xindex>
  %rests = vector.broadcast %rest : index to vector<8xindex>
  %mask = arith.cmpi slt, %lanes, %rests : vector<8xindex>
  %at = arith.subi %from, %first : index
  %all = vector.load %products[%at] : memref<2056x!T>, vector<8x!T>
  %row = arith.select %mask, %all, %zeros : vector<8xi1>, vector<8x!T>
  return %row : vector<8x!T>
}

// The sums of rows %r to %r + 7 go to y.
func.func private @sum_eight(%indptr: memref<?x!I>, %products: memref<2056x!T>, %y: memref<?x!T>, %r: index,
    %first: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %zero = func.call @zero() : () -> !T
  %zeros = vector.broadcast %zero : !T to vector<8x!T>
  %r1 = arith.addi %r, %c1 : index
  %r2 = arith.addi %r, %c2 : index
  %r3 = arith.addi %r, %c3 : index
  %r4 = arith.addi %r, %c4 : index
  %r5 = arith.addi %r, %c5 : index
  %r6 = arith.addi %r, %c6 : index
  %r7 = arith.addi %r, %c7 : index
  %begins = vector.load %indptr[%r] : memref<?x!I>, vector<8x!I>
  %ends = vector.load %indptr[%r1] : memref<?x!I>, vector<8x!I>
  %lengths = arith.subi %ends, %begins : vector<8x!I>
  %longest = vector.reduction <maxsi>, %lengths : vector<8x!I> into !I
  %most = arith.index_cast %longest : !I to index
  %sums = scf.for %t = %c0 to %most step %c8 iter_args(%acc = %zeros) -> (vector<8x!T>) {
    %a0 = func.call @elements(%indptr, %products, %r, %first, %t)
        : (memref<?x!I>, memref<2056x!T>, index, index, index) -> vector<8x!T>
    %a1 = func.call @elements(%indptr, %products, %r1, %first, %t)
        : (memref<?x!I>, memref<2056x!T>, index, index, index) -> vector<8x!T>
    %a2 = func.call @elements(%indptr, %products, %r2, %first, %t)
        : (memref<?x!I>, memref<2056x!T>, index, index, index) -> vector<8x!T>
    %a3 = func.call @elements(%indptr, %products, %r3, %first, %t)
        : (memref<?x!I>, memref<2056x!T>, index, index, index) -> vector<8x!T>
    %a4 = func.call @elements(%indptr, %products, %r4, %first, %t)
        : (memref<?x!I>, memref<2056x!T>, index, index, index) -> vector<8x!T>
    %a5 = func.call @elements(%indptr, %products, %r5, %first, %t)
        : (memref<?x!I>, memref<2056x!T>, index, index, index) -> vector<8x!T>
    %a6 = func.call @elements(%indptr, %products, %r6, %first, %t)
        : (memref<?x!I>, memref<2056x!T>, index, index, index) -> vector<8x!T>
    %a7 = func.call @elements(%indptr, %products, %r7, %first, %t)
        : (memref<?x!I>, memref<2056x!T>, index, index, index) -> vector<8x!T>
    %u0, %u1 = func.call @swap_1(%a0, %a1) : (vector<8x!T>, vector<8x!T>) -> (vector<8x!T>, vector<8x!T>)
    %u2, %u3 = func.call @swap_1(%a2, %a3) : (vector<8x!T>, vector<8x!T>) -> (vector<8x!T>, vector<8x!T>)
    %u4, %u5 = func.call @swap_1(%a4, %a5) : (vector<8x!T>, vector<8x!T>) -> (vector<8x!T>, vector<8x!T>)
    %u6, %u7 = func.call @swap_1(%a6, %a7) : (vector<8x!T>, vector<8x!T>) -> (vector<8x!T>, vector<8x!T>)
    %v0, %v2 = func.call @swap_2(%u0, %u2) : (vector<8x!T>, vector<8x!T>) -> (vector<8x!T>, vector<8x!T>)
    %v1, %v3 = func.call @swap_2(%u1, %u3) : (vector<8x!T>, vector<8x!T>) -> (vector<8x!T>, vector<8x!T>)
    %v4, %v6 = func.call @swap_2(%u4, %u6) : (vector<8x!T>, vector<8x!T>) -> (vector<8x!T>, vector<8x!T>)
    %v5, %v7 = func.call @swap_2(%u5, %u7) : (vector<8x!T>, vector<8x!T>) -> (vector<8x!T>, vector<8x!T>)
    %w0, %w4 = func.call @swap_4(%v0, %v4) : (vector<8x!T>, vector<8x!T>) -> (vector<8x!T>, vector<8x!T>)
    %w1, %w5 = func.call @swap_4(%v1, %v5) : (vector<8x!T>, vector<8x!T>) -> (vector<8x!T>, vector<8x!T>)
    %w2, %w6 = func.call @swap_4(%v2, %v6) : (vector<8x!T>, vector<8x!T>) -> (vector<8x!T>, vector<8x!T>)
    %w3, %w7 = func.call @swap_4(%v3, %v7) : (vector<8x!T>, vector<8x!T>) -> (vector<8x!T>, vector<8x!T>)
    %s0 = func.call @plus_8(%acc, %w0) : (vector<8x!T>, vector<8x!T>) -> vector<8x!T>
    %s1 = func.call @plus_8(%s0, %w1) : (vector<8x!T>, vector<8x!T>) -> vector<8x!T>
    %s2 = func.call @plus_8(%s1, %w2) : (vector<8x!T>, vector<8x!T>) -> vector<8x!T>
    %s3 = func.call @plus_8(%s2, %w3) : (vector<8x!T>, vector<8x!T>) -> vector<8x!T>
    %s4 = func.call @plus_8(%s3, %w4) : (vector<8x!T>, vector<8x!T>) -> vector<8x!T>
    %s5 = func.call @plus_8(%s4, %w5) : (vector<8x!T>, vector<8x!T>) -> vector<8x!T>
    %s6 = func.call @plus_8(%s5, %w6) : (vector<8x!T>, vector<8x!T>) -> vector<8x!T>
    %s7 = func.call @plus_8(%s6, %w7) : (vector<8x!T>, vector<8x!T>) -> vector<8x!T>
    scf.yield %s7 : vector<8x!T>
  }
  vector.store %sums, %y[%r] : memref<?x!T>, vector<8x!T>
  return
}
