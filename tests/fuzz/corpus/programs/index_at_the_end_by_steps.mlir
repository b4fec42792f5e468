// As index_at_the_end, by a step that is not known while the loop becomes another one.
// passes: insert-loop-polls,for-to-while,sccp
// passes: convert-scf-to-cf,canonicalize
func.func @main(%x: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %step = arith.addi %c0, %c1 : index
  %lb = arith.constant 9223372036854775803 : index
  %ub = arith.constant 9223372036854775807 : index
  %r = scf.for %i = %lb to %ub step %step iter_args(%s = %x) -> (index) {
    %t = arith.addi %s, %i : index
    scf.yield %t : index
  }
  return %r : index
}
