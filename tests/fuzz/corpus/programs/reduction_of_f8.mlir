// f8E4M3FN has no infinity: what changes no minimum is its largest number, not a NaN.
// passes: parallel-to-dispatch{min-dispatch-ns=0 min-workgroup-ns=0}
func.func @main(%n: index) -> (f64, f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %top = arith.remui %n, %c5 : index
  %x = arith.constant -7.0 : f8E4M3FN
  %r:2 = scf.parallel (%i) = (%c0) to (%top) step (%c1) init (%x, %x) -> (f8E4M3FN, f8E4M3FN) {
    scf.reduce(%x, %x : f8E4M3FN, f8E4M3FN) {
    ^bb0(%a: f8E4M3FN, %b: f8E4M3FN):
      %m = arith.minimumf %a, %b : f8E4M3FN
      scf.reduce.return %m : f8E4M3FN
    }, {
    ^bb0(%a: f8E4M3FN, %b: f8E4M3FN):
      %m = arith.maximumf %a, %b : f8E4M3FN
      scf.reduce.return %m : f8E4M3FN
    }
  }
  %p = arith.extf %r#0 : f8E4M3FN to f64
  %q = arith.extf %r#1 : f8E4M3FN to f64
  return %p, %q : f64, f64
}
