// What the condition hands on comes in another order than the results of the loop, and the carried values change
// places: none may be taken for another.
func.func @main(%a: i64, %b: i64, %n: index) -> (i64, i64, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %top = arith.remui %n, %c5 : index
  %r:3 = scf.while (%x = %a, %y = %b, %i = %c0) : (i64, i64, index) -> (i64, index, i64) {
    %more = arith.cmpi ult, %i, %top : index
    scf.condition(%more) %y, %i, %x : i64, index, i64
  } do {
  ^bb0(%p: i64, %j: index, %q: i64):
    %next = arith.addi %j, %c1 : index
    scf.yield %p, %q, %next : i64, i64, index
  }
  return %r#0, %r#2, %r#1 : i64, i64, index
}
