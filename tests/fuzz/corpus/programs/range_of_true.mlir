// The i1 true is -1 as a signed number: canonicalization by ranges took it for 1.
func.func @main(%w: i32) -> (i1, i1, i32) {
  %x = arith.trunci %w : i32 to i13
  %true = arith.constant true
  %false = arith.constant false
  %less = arith.cmpi sgt, %true, %false : i1
  %min = arith.minsi %true, %false : i1
  %all = arith.extsi %true : i1 to i13
  %c6 = arith.constant 6 : i13
  %rest = arith.remui %all, %c6 : i13
  %shifted = arith.shrsi %x, %rest : i13
  %wide = arith.extsi %shifted : i13 to i32
  return %less, %min, %wide : i1, i1, i32
}
