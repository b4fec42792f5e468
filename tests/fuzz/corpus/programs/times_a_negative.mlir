// An induction variable times a negative number counts down, which no range of a loop does; times 0 it stands still.
// passes: scf-for-loop-range-folding
// passes: scf-for-loop-range-folding,canonicalize,loop-unroll{unroll-factor=2}
func.func @main(%n: i32) -> (i32, i32, i32) {
  %cm3 = arith.constant -3 : index
  %cm2 = arith.constant -2 : index
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c10 = arith.constant 10 : index
  %down = scf.for %i = %cm3 to %c10 step %c4 iter_args(%a = %n) -> (i32) {
    %k = arith.muli %i, %cm2 : index
    %x = arith.index_cast %k : index to i32
    %y = arith.muli %a, %n : i32
    %s = arith.addi %x, %y : i32
    scf.yield %s : i32
  }
  %up = scf.for %i = %cm3 to %c10 step %c4 iter_args(%a = %n) -> (i32) {
    %k = arith.muli %i, %c4 : index
    %l = arith.addi %k, %cm3 : index
    %x = arith.index_cast %l : index to i32
    %y = arith.muli %a, %n : i32
    %s = arith.addi %x, %y : i32
    scf.yield %s : i32
  }
  %still = scf.for %i = %cm3 to %c10 step %c4 iter_args(%a = %n) -> (i32) {
    %k = arith.muli %i, %c0 : index
    %l = arith.subi %k, %cm2 : index
    %x = arith.index_cast %l : index to i32
    %s = arith.addi %x, %a : i32
    scf.yield %s : i32
  }
  return %down, %up, %still : i32, i32, i32
}
