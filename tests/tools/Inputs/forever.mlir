func.func @forever() -> i64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %true = arith.constant true
  %r = scf.while (%i = %c0) : (i64) -> i64 {
    scf.condition(%true) %i : i64
  } do {
  ^bb0(%i: i64):
    %next = arith.addi %i, %c1 : i64
    scf.yield %next : i64
  }
  return %r : i64
}
