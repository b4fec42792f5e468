func.func @f(%c: i1, %n: index, %x: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (i32) {
    %s = scf.if %c -> (i32) {
      %t = arith.addi %a, %zero : i32
      scf.yield %t : i32
    } else {
      %t = arith.muli %a, %zero : i32
      scf.yield %t : i32
    }
    scf.yield %s : i32
  }
  cf.cond_br %c, ^bb1(%r : i32), ^bb1(%x : i32)
^bb1(%v: i32):
  return %v : i32
}
