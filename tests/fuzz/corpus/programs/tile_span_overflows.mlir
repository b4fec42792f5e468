// A tile of two steps is wider than any number of the type: tiles are of one point then.
// passes: scf-for-to-parallel,scf-parallel-loop-tiling{parallel-loop-tile-sizes=2,1}
func.func @main(%m: memref<2xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 9223372036854775807 : index
  scf.for %n = %c0 to %c1 step %c1 {
    %step = arith.subi %end, %n : index
    scf.for %i = %c1 to %end step %step {
      memref.store %x, %m[%i] : memref<2xf32>
    }
  }
  return
}
