// csr_add.mlir - the sum of two sparse matrices in CSR. Uses lib/csr.mlir and lib/csr_merge.mlir.
//
// The prelude defines !T, the elements, !I, the indices, and arithmetic on !T.

func.func private @combine(%a: !T, %b: !T) -> !T {
  %sum = func.call @plus(%a, %b) : (!T, !T) -> !T
  return %sum : !T
}

// Unless it is special, an element without one in the other matrix is an element of the sum.
func.func private @keeps_alone() -> i1 {
  %keeps = arith.constant true
  return %keeps : i1
}

// Whether a row with the element cannot be counted by its columns: a zero has no sum with nothing.
func.func private @special(%v: !T) -> i1 {
  %yes = arith.constant true
  %filled = func.call @not_zero(%v) : (!T) -> i1
  %zero = arith.xori %filled, %yes : i1
  return %zero : i1
}

// How many sums two rows have; -1 where two elements may cancel out.
func.func private @simple_count(%a: memref<?x!I>, %b: memref<?x!I>, %pa: index, %ea: index, %pb: index, %eb: index)
    -> index {
  %c0 = arith.constant 0 : index
  %minus = arith.constant -1 : index
  %common = func.call @count_common(%a, %b, %pa, %ea, %pb, %eb)
      : (memref<?x!I>, memref<?x!I>, index, index, index, index) -> index
  %none = arith.cmpi eq, %common, %c0 : index
  %na = arith.subi %ea, %pa : index
  %nb = arith.subi %eb, %pb : index
  %all = arith.addi %na, %nb : index
  %count = arith.select %none, %all, %minus : index
  return %count : index
}

// C = A + B. %n: how many columns they have. The columns of their rows ascend, and those of C.
func.func @csr_add(%ap_: tensor<?x!I>, %ai_: tensor<?x!I>, %ad_: tensor<?x!T>, %bp_: tensor<?x!I>,
    %bi_: tensor<?x!I>, %bd_: tensor<?x!T>, %n: index) -> (tensor<?x!I>, tensor<?x!I>, tensor<?x!T>) {
  %ap = bufferization.to_buffer %ap_ read_only : tensor<?x!I> to memref<?x!I>
  %ai = bufferization.to_buffer %ai_ read_only : tensor<?x!I> to memref<?x!I>
  %ad = bufferization.to_buffer %ad_ read_only : tensor<?x!T> to memref<?x!T>
  %bp = bufferization.to_buffer %bp_ read_only : tensor<?x!I> to memref<?x!I>
  %bi = bufferization.to_buffer %bi_ read_only : tensor<?x!I> to memref<?x!I>
  %bd = bufferization.to_buffer %bd_ read_only : tensor<?x!T> to memref<?x!T>
  %c:3 = func.call @merge(%ap, %ai, %ad, %bp, %bi, %bd, %n)
      : (memref<?x!I>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!I>, memref<?x!T>, index)
      -> (tensor<?x!I>, tensor<?x!I>, tensor<?x!T>)
  return %c#0, %c#1, %c#2 : tensor<?x!I>, tensor<?x!I>, tensor<?x!T>
}
