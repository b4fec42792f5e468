// Bounds at the end of the type and a step, which the run knows only: of a loop of each kind.
// passes: convert-scf-to-cf
// passes: for-to-while
// passes: loop-unroll,convert-scf-to-cf
func.func private @clip(%x: index) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c2 = arith.constant 2 : index
  %near = arith.constant 9223372036854775800 : index
  %0 = arith.remui %x, %c2 : index
  %lb = arith.addi %near, %0 : index
  %rest = arith.addi %c3, %0 : index
  %ub = arith.addi %lb, %rest : index
  %more = arith.addi %ub, %c2 : index
  %wide = arith.muli %0, %c3 : index
  %st = arith.addi %c1, %wide : index
  return %lb, %more, %st : index, index, index
}
func.func @main(%x: index) -> (i64, i64, i64, i64) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i64
  %c31 = arith.constant 31 : i64
  %one = arith.constant 1 : i64
  %lb, %ub, %st = call @clip(%x) : (index) -> (index, index, index)
  %a = scf.for %i = %lb to %ub step %st iter_args(%s = %z) -> (i64) {
    %v = arith.index_cast %i : index to i64
    %p = arith.muli %s, %c31 : i64
    %n = arith.addi %p, %v : i64
    scf.yield %n : i64
  }
  %l64 = arith.index_cast %lb : index to i64
  %u64 = arith.index_cast %ub : index to i64
  %s64 = arith.index_cast %st : index to i64
  %lu = arith.addi %l64, %l64 : i64
  %uu = arith.addi %u64, %u64 : i64
  %b = scf.for unsigned %i = %lu to %uu step %s64 iter_args(%s = %z) -> (i64) : i64 {
    %p = arith.muli %s, %c31 : i64
    %n = arith.addi %p, %i : i64
    scf.yield %n : i64
  }
  %c = scf.parallel (%i) = (%lb) to (%ub) step (%st) init (%z) -> i64 {
    %v = arith.index_cast %i : index to i64
    scf.reduce(%v : i64) {
    ^bb0(%l: i64, %r: i64):
      %s = arith.addi %l, %r : i64
      scf.reduce.return %s : i64
    }
  }
  %cell = memref.alloca() : memref<i64>
  memref.store %z, %cell[] : memref<i64>
  scf.forall (%i) = (%lb) to (%ub) step (%st) {
    %old = memref.atomic_rmw addi %one, %cell[] : (i64, memref<i64>) -> i64
  }
  %d = memref.load %cell[] : memref<i64>
  return %a, %b, %c, %d : i64, i64, i64, i64
}
