// A loop that does not run has no first iteration to cut off, and none that must run. Peeled, unrolled or pipelined it
// stores nothing and carries nothing on.
// passes: scf-for-loop-peeling{peel-front}
// passes: scf-for-loop-peeling{peel-front},canonicalize,cse
// passes: loop-pipelining,loop-unroll{unroll-factor=3}
func.func @main(%n: index, %x: i32, %z: i32) -> (i32, i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0 : i32
  %m = memref.alloc() : memref<16xi32>
  scf.for %i = %c0 to %c5 step %c1 {
    memref.store %x, %m[%i] : memref<16xi32>
  }
  %is_zero = arith.cmpi ne, %z, %zero : i32
  %to = arith.select %is_zero, %c2, %c5 : index
  %r:2 = scf.for %i = %c2 to %to step %c2 iter_args(%a = %x, %b = %z) -> (i32, i32) {
    %v = memref.load %m[%i] : memref<16xi32>
    %w = arith.addi %v, %a : i32
    memref.store %w, %m[%c0] : memref<16xi32>
    scf.yield %b, %w : i32, i32
  }
  %s = memref.load %m[%c0] : memref<16xi32>
  memref.dealloc %m : memref<16xi32>
  return %r#0, %r#1, %s : i32, i32, i32
}
