// A loop that is never reached may have any step, 0 too: nothing may look at it before it is known that it runs.
// passes: loop-coalescing
// passes: loop-interchange{permutation-map=1,0}
// passes: licm,canonicalize
func.func @main(%n: index, %x: i32) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %runs = arith.cmpi sgt, %x, %zero : i32
  %times = arith.select %runs, %c8, %c0 : index
  %step = arith.select %runs, %c1, %c0 : index
  %r = scf.for %i = %c0 to %times step %c1 iter_args(%a = %n) -> (index) {
    %q = scf.for %j = %c0 to %c8 step %step iter_args(%b = %a) -> (index) {
      %s = arith.addi %b, %j : index
      scf.yield %s : index
    }
    scf.yield %q : index
  }
  %t = scf.for %i = %c0 to %times step %c1 iter_args(%a = %n) -> (index) {
    %q = scf.for %j = %c0 to %c8 step %step iter_args(%b = %c0) -> (index) {
      %s = arith.addi %b, %j : index
      scf.yield %s : index
    }
    %u = arith.addi %q, %a : index
    scf.yield %u : index
  }
  return %r, %t : index, index
}
