// dft_length.mlir - the length of the transforms that lib/dft.mlir computes one of n elements with: n where its prime
// factors are at most 31, else the least power of two of at least 2 n - 1, for Bluestein's algorithm.
//
// n is below 2^60.

func.func @dft_length(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %least = arith.maxui %n, %c1 : index
  // what is left of n without the factors from 2 to 31
  %rest = scf.for %factor = %c2 to %c32 step %c1 iter_args(%left = %least) -> (index) {
    %quotient = scf.while (%m = %left) : (index) -> (index) {
      %rem = arith.remui %m, %factor : index
      %divides = arith.cmpi eq, %rem, %c0 : index
      scf.condition(%divides) %m : index
    } do {
    ^bb0(%m: index):
      %next = arith.divui %m, %factor : index
      scf.yield %next : index
    }
    scf.yield %quotient : index
  }
  %direct = arith.cmpi eq, %rest, %c1 : index
  %length = scf.if %direct -> (index) {
    scf.yield %n : index
  } else {
    %twice = arith.muli %n, %c2 : index
    %wanted = arith.subi %twice, %c1 : index
    %power = scf.while (%p = %c1) : (index) -> (index) {
      %more = arith.cmpi ult, %p, %wanted : index
      scf.condition(%more) %p : index
    } do {
    ^bb0(%p: index):
      %next = arith.muli %p, %c2 : index
      scf.yield %next : index
    }
    scf.yield %power : index
  }
  return %length : index
}
