// csr_count.mlir - compares of the columns of two rows of CSR matrices, 16 at a time. Not a kernel.
//
// The columns of a row of a are taken in blocks of 16. The columns of b up to the last one of a block are compared with
// all of the block at once, so that no branch depends on how the columns of the two rows follow each other.

// The last column of the block of 16 that begins with element %p, of a row that ends before %ea; of the last block the
// greatest column that may be.
func.func private @last_of_block(%a: memref<?x!I>, %p: index, %ea: index) -> !I {
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %ones = arith.constant -1 : !I
  %one = arith.constant 1 : !I
  %most = arith.shrui %ones, %one : !I
  %rest = arith.subi %ea, %p : index
  %more = arith.cmpi ugt, %rest, %c16 : index
  %last = scf.if %more -> (!I) {
    %at = arith.addi %p, %c15 : index
    %column = memref.load %a[%at] : memref<?x!I>
    scf.yield %column : !I
  } else {
    scf.yield %most : !I
  }
  return %last : !I
}

// Whether element %q of b is one of its row, which ends before %eb, with a column up to %last.
func.func private @is_up_to(%b: memref<?x!I>, %q: index, %eb: index, %last: !I) -> i1 {
  %no = arith.constant false
  %left = arith.cmpi ult, %q, %eb : index
  %yes = scf.if %left -> (i1) {
    %column = memref.load %b[%q] : memref<?x!I>
    %within = arith.cmpi sle, %column, %last : !I
    scf.yield %within : i1
  } else {
    scf.yield %no : i1
  }
  return %yes : i1
}

// How many columns elements %pa to %ea - 1 of a and %pb to %eb - 1 of b have in common.
func.func private @count_common(%a: memref<?x!I>, %b: memref<?x!I>, %pa: index, %ea: index, %pb: index, %eb: index)
    -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<-1> : vector<16x!I>
  %zeros = arith.constant dense<0> : vector<16x!I>
  %counted:2 = scf.for %p = %pa to %ea step %c16 iter_args(%q0 = %pb, %acc0 = %zeros) -> (index, vector<16x!I>) {
    %rest = arith.subi %ea, %p : index
    %n = arith.minui %rest, %c16 : index
    %mask = vector.create_mask %n : vector<16xi1>
    %columns = vector.maskedload %a[%p], %mask, %none : memref<?x!I>, vector<16xi1>, vector<16x!I> into vector<16x!I>
    %last = func.call @last_of_block(%a, %p, %ea) : (memref<?x!I>, index, index) -> !I
    %block:2 = scf.while (%q = %q0, %acc = %acc0) : (index, vector<16x!I>) -> (index, vector<16x!I>) {
      %more = func.call @is_up_to(%b, %q, %eb, %last) : (memref<?x!I>, index, index, !I) -> i1
      scf.condition(%more) %q, %acc : index, vector<16x!I>
    } do {
    ^bb0(%q: index, %acc: vector<16x!I>):
      %column = memref.load %b[%q] : memref<?x!I>
      %each = vector.broadcast %column : !I to vector<16x!I>
      %same = arith.cmpi eq, %columns, %each : vector<16x!I>
      %ones = arith.extsi %same : vector<16xi1> to vector<16x!I>
      %next = arith.subi %acc, %ones : vector<16x!I>
      %next_q = arith.addi %q, %c1 : index
      scf.yield %next_q, %next : index, vector<16x!I>
    }
    scf.yield %block#0, %block#1 : index, vector<16x!I>
  }
  %sum = vector.reduction <add>, %counted#1 : vector<16x!I> into !I
  %count = arith.index_castui %sum : !I to index
  return %count : index
}
