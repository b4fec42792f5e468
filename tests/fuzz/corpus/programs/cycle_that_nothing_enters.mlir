// The only branch to a block may come from a cycle that nothing enters, with the block's own arguments in another order:
// the block is not joined to what branches to it.
func.func @main(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %r = call @blocks(%x, %c0) : (i32, i32) -> i32
  return %r : i32
}
func.func private @blocks(%x: i32, %y: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  cf.switch %c0 : i32, [
    default: ^bb2(%x, %c0 : i32, i32),
    1: ^bb1(%c0, %x : i32, i32),
    2: ^bb1(%x, %y : i32, i32)
  ]
^bb1(%1: i32, %2: i32):
  %false = arith.constant false
  cf.cond_br %false, ^bb1(%2, %1 : i32, i32), ^bb2(%2, %c0 : i32, i32)
^bb2(%3: i32, %4: i32):
  return %3 : i32
}
