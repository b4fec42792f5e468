// The last step passes the end of the type: the loop ends nevertheless.
func.func @main(%x: i32) -> (i32, index) {
  %lb = arith.constant 9223372036854775803 : index
  %ub = arith.constant 9223372036854775807 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.for %i = %lb to %ub step %c3 iter_args(%s = %x, %last = %lb) -> (i32, index) {
    %low = arith.index_cast %i : index to i32
    %t = arith.addi %s, %low : i32
    scf.yield %t, %i : i32, index
  }
  return %r#0, %r#1 : i32, index
}
