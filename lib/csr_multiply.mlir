// csr_multiply.mlir - the element-wise product of two sparse matrices in CSR. Uses lib/csr.mlir and lib/csr_merge.mlir.
//
// As in SciPy, an element without one in the other matrix is multiplied by zero: infinities and NaN then give NaN.
//
// The prelude defines !T, the elements, !I, the indices, and arithmetic on !T.

func.func private @combine(%a: !T, %b: !T) -> !T {
  %product = func.call @times(%a, %b) : (!T, !T) -> !T
  return %product : !T
}

// Whether the products of elements with zero are not zero.
func.func private @special(%v: vector<16x!T>) -> vector<16xi1> {
  %zero = func.call @zero() : () -> !T
  %zeros = vector.broadcast %zero : !T to vector<16x!T>
  %product = func.call @times_16(%v, %zeros) : (vector<16x!T>, vector<16x!T>) -> vector<16x!T>
  %special = func.call @not_zero_16(%product) : (vector<16x!T>) -> vector<16xi1>
  return %special : vector<16xi1>
}

// How many products two rows have: only those of columns that both have. They are written by @write_plain.
func.func private @count_plain(%ai: memref<?x!I>, %ad: memref<?x!T>, %bi: memref<?x!I>, %bd: memref<?x!T>,
    %pa: index, %ea: index, %pb: index, %eb: index) -> (index, i1) {
  %c0 = arith.constant 0 : index
  %no = arith.constant false
  %found:2 = func.call @common(%ai, %ad, %bi, %bd, %ai, %ad, %pa, %ea, %pb, %eb, %c0, %no)
      : (memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, index, index, index,
         index, index, i1) -> (index, index)
  return %found#1, %no : index, i1
}

func.func private @write_plain(%ai: memref<?x!I>, %ad: memref<?x!T>, %bi: memref<?x!I>, %bd: memref<?x!T>,
    %ci: memref<?x!I>, %cd: memref<?x!T>, %pa: index, %ea: index, %pb: index, %eb: index, %at: index) {
  %yes = arith.constant true
  %found:2 = func.call @common(%ai, %ad, %bi, %bd, %ci, %cd, %pa, %ea, %pb, %eb, %at, %yes)
      : (memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, index, index, index,
         index, index, i1) -> (index, index)
  return
}

// C = A * B, element by element. %n: how many columns they have. The columns of their rows ascend, and those of C.
func.func @csr_multiply(%ap_: tensor<?x!I>, %ai_: tensor<?x!I>, %ad_: tensor<?x!T>, %bp_: tensor<?x!I>,
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
