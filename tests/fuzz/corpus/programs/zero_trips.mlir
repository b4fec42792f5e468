// Loops that do not run: their results are what went in, what is invariant in them must not run either (a division by
// zero), and reductions over nothing are their initial values.
func.func @main(%n: index, %x: i32, %z: i32) -> (i32, i32, i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %nothing = arith.muli %n, %c0 : index
  %is_zero = arith.cmpi eq, %z, %zero : i32
  %some = arith.select %is_zero, %c0, %c3 : index
  %a:2 = scf.for %i = %c3 to %c3 step %c1 iter_args(%p = %x, %q = %z) -> (i32, i32) {
    scf.yield %q, %one : i32, i32
  }
  %b = scf.for %i = %c0 to %some step %c1 iter_args(%p = %x) -> (i32) {
    %quotient = arith.divui %x, %z : i32
    %sum = arith.addi %p, %quotient : i32
    scf.yield %sum : i32
  }
  %c = scf.parallel (%i, %j) = (%c0, %c0) to (%c3, %nothing) step (%c1, %c1) init (%x) -> i32 {
    scf.reduce(%one : i32) {
    ^bb0(%l: i32, %r: i32):
      %sum = arith.addi %l, %r : i32
      scf.reduce.return %sum : i32
    }
  }
  return %a#0, %a#1, %b, %c : i32, i32, i32, i32
}
