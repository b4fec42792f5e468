// One carried value is handed on twice, another not at all: a loop that counts is no scf.for over the wrong one.
func.func @main(%a: i32, %n: index) -> (i32, i32, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %top = arith.remui %n, %c7 : index
  %r:4 = scf.while (%i = %c0, %x = %a, %unused = %a) : (index, i32, i32) -> (i32, index, i32, index) {
    %more = arith.cmpi slt, %i, %top : index
    %old = arith.addi %i, %c1 : index
    scf.condition(%more) %x, %i, %x, %old : i32, index, i32, index
  } do {
  ^bb0(%x: i32, %i: index, %same: i32, %past: index):
    %sum = arith.addi %x, %same : i32
    %next = arith.addi %past, %c1 : index
    scf.yield %next, %sum, %x : index, i32, i32
  }
  %s:2 = scf.for %i = %c0 to %c7 step %c2 iter_args(%p = %r#0, %q = %a) -> (i32, i32) {
    scf.yield %q, %q : i32, i32
  }
  return %s#0, %s#1, %r#1, %r#3 : i32, i32, index, index
}
