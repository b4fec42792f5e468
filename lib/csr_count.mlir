// csr_count.mlir - how many columns two rows of CSR matrices have in common. Not a kernel.

// How many columns elements %pa to %ea - 1 of a and %pb to %eb - 1 of b have in common. 16 columns of a are compared
// with 8 of b; then the block that ends first is followed by the next one of its row.
func.func private @count_common(%a: memref<?x!I>, %b: memref<?x!I>, %pa: index, %ea: index, %pb: index, %eb: index)
    -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %no_a = arith.constant dense<-1> : vector<16x!I>
  %no_b = arith.constant dense<-2> : vector<8x!I>
  %zeros = arith.constant dense<0> : vector<16x!I>
  %counted:3 = scf.while (%p = %pa, %q = %pb, %acc = %zeros) : (index, index, vector<16x!I>)
      -> (index, index, vector<16x!I>) {
    %left_a = arith.cmpi ult, %p, %ea : index
    %left_b = arith.cmpi ult, %q, %eb : index
    %left = arith.andi %left_a, %left_b : i1
    scf.condition(%left) %p, %q, %acc : index, index, vector<16x!I>
  } do {
  ^bb0(%p: index, %q: index, %acc: vector<16x!I>):
    %rest_a = arith.subi %ea, %p : index
    %rest_b = arith.subi %eb, %q : index
    %na = arith.minui %rest_a, %c16 : index
    %nb = arith.minui %rest_b, %c8 : index
    %mask_a = vector.create_mask %na : vector<16xi1>
    %mask_b = vector.create_mask %nb : vector<8xi1>
    %sixteen = vector.maskedload %a[%p], %mask_a, %no_a : memref<?x!I>, vector<16xi1>, vector<16x!I> into vector<16x!I>
    %eight = vector.maskedload %b[%q], %mask_b, %no_b : memref<?x!I>, vector<8xi1>, vector<8x!I> into vector<8x!I>
    %b0 = vector.shuffle %eight, %eight [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] : vector<8x!I>, vector<8x!I>
    %same0 = arith.cmpi eq, %sixteen, %b0 : vector<16x!I>
    %ones0 = arith.extsi %same0 : vector<16xi1> to vector<16x!I>
    %acc0 = arith.subi %acc, %ones0 : vector<16x!I>
    %b1 = vector.shuffle %eight, %eight [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1] : vector<8x!I>, vector<8x!I>
    %same1 = arith.cmpi eq, %sixteen, %b1 : vector<16x!I>
    %ones1 = arith.extsi %same1 : vector<16xi1> to vector<16x!I>
    %acc1 = arith.subi %acc0, %ones1 : vector<16x!I>
    %b2 = vector.shuffle %eight, %eight [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2] : vector<8x!I>, vector<8x!I>
    %same2 = arith.cmpi eq, %sixteen, %b2 : vector<16x!I>
    %ones2 = arith.extsi %same2 : vector<16xi1> to vector<16x!I>
    %acc2 = arith.subi %acc1, %ones2 : vector<16x!I>
    %b3 = vector.shuffle %eight, %eight [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3] : vector<8x!I>, vector<8x!I>
    %same3 = arith.cmpi eq, %sixteen, %b3 : vector<16x!I>
    %ones3 = arith.extsi %same3 : vector<16xi1> to vector<16x!I>
    %acc3 = arith.subi %acc2, %ones3 : vector<16x!I>
    %b4 = vector.shuffle %eight, %eight [4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4] : vector<8x!I>, vector<8x!I>
    %same4 = arith.cmpi eq, %sixteen, %b4 : vector<16x!I>
    %ones4 = arith.extsi %same4 : vector<16xi1> to vector<16x!I>
    %acc4 = arith.subi %acc3, %ones4 : vector<16x!I>
    %b5 = vector.shuffle %eight, %eight [5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5] : vector<8x!I>, vector<8x!I>
    %same5 = arith.cmpi eq, %sixteen, %b5 : vector<16x!I>
    %ones5 = arith.extsi %same5 : vector<16xi1> to vector<16x!I>
    %acc5 = arith.subi %acc4, %ones5 : vector<16x!I>
    %b6 = vector.shuffle %eight, %eight [6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6] : vector<8x!I>, vector<8x!I>
    %same6 = arith.cmpi eq, %sixteen, %b6 : vector<16x!I>
    %ones6 = arith.extsi %same6 : vector<16xi1> to vector<16x!I>
    %acc6 = arith.subi %acc5, %ones6 : vector<16x!I>
    %b7 = vector.shuffle %eight, %eight [7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7] : vector<8x!I>, vector<8x!I>
    %same7 = arith.cmpi eq, %sixteen, %b7 : vector<16x!I>
    %ones7 = arith.extsi %same7 : vector<16xi1> to vector<16x!I>
    %acc7 = arith.subi %acc6, %ones7 : vector<16x!I>
    %next_p = arith.addi %p, %na : index
    %next_q = arith.addi %q, %nb : index
    %at_a = arith.subi %next_p, %c1 : index
    %at_b = arith.subi %next_q, %c1 : index
    %last_a = memref.load %a[%at_a] : memref<?x!I>
    %last_b = memref.load %b[%at_b] : memref<?x!I>
    %a_ends = arith.cmpi sle, %last_a, %last_b : !I
    %b_ends = arith.cmpi sge, %last_a, %last_b : !I
    %p1 = arith.select %a_ends, %next_p, %p : index
    %q1 = arith.select %b_ends, %next_q, %q : index
    scf.yield %p1, %q1, %acc7 : index, index, vector<16x!I>
  }
  %sum = vector.reduction <add>, %counted#2 : vector<16x!I> into !I
  %count = arith.index_castui %sum : !I to index
  return %count : index
}
