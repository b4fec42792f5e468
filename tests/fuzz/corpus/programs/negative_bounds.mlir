// Bounds below zero, a range that goes down by arithmetic, steps that do not divide the range, a step from the run.
func.func @main(%n: index, %log: memref<16xi64>) -> (i64, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c15 = arith.constant 15 : index
  %lb = arith.constant -7 : index
  %zero = arith.constant 0 : i64
  %k = arith.remui %n, %c3 : index
  %step = arith.addi %k, %c1 : index
  %a = scf.for %i = %lb to %c2 step %step iter_args(%s = %zero) -> (i64) {
    %x = arith.index_cast %i : index to i64
    %twice = arith.addi %s, %s : i64
    %sum = arith.subi %twice, %x : i64
    scf.yield %sum : i64
  }
  %b = scf.for %i = %c0 to %c15 step %c2 iter_args(%s = %a) -> (i64) {
    %down = arith.subi %c15, %i : index
    %old = memref.load %log[%down] : memref<16xi64>
    %new = arith.xori %old, %s : i64
    memref.store %new, %log[%down] : memref<16xi64>
    scf.yield %new : i64
  }
  return %a, %b : i64, i64
}
