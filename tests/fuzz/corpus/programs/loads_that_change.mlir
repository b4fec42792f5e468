// Loads that are the same each time as far as their operands say, but not what they read: another name of the buffer is
// written, the buffers a loop carries change places, a store stands in a branch or in the other region of a while.
// passes: licm
// passes: licm,cse,canonicalize
// passes: loop-pipelining,licm
func.func @main(%k: i32) -> (i32, i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %m = memref.alloc() : memref<9xi32>
  %v = memref.subview %m[3] [3] [1] : memref<9xi32> to memref<3xi32, strided<[1], offset: 3>>
  scf.for %i = %c0 to %c9 step %c1 { %x = arith.index_cast %i : index to i32  memref.store %x, %m[%i] : memref<9xi32> }
  // load through a view, store through the base
  %a = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %z) -> (i32) {
    %x = memref.load %v[%c1] : memref<3xi32, strided<[1], offset: 3>>
    %t = arith.addi %s, %x : i32
    memref.store %t, %m[%i] : memref<9xi32>
    scf.yield %t : i32
  }
  // a buffer carried by the loop: comes back under another name
  %p = memref.alloc() : memref<9xi32>
  scf.for %i = %c0 to %c9 step %c1 { memref.store %k, %p[%i] : memref<9xi32> }
  %b:3 = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %z, %q = %m, %r = %p) -> (i32, memref<9xi32>, memref<9xi32>) {
    %x = memref.load %m[%c3] : memref<9xi32>
    %y = arith.addi %s, %x : i32
    memref.store %y, %q[%c3] : memref<9xi32>
    scf.yield %y, %r, %q : i32, memref<9xi32>, memref<9xi32>
  }
  // store inside a nested if, call-free; load before it
  %c = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %z) -> (i32) {
    %x = memref.load %m[%c0] : memref<9xi32>
    %odd = arith.trunci %s : i32 to i1
    scf.if %odd {
      %w = arith.addi %x, %one : i32
      memref.store %w, %m[%c0] : memref<9xi32>
    }
    %y = arith.addi %s, %x : i32
    scf.yield %y : i32
  }
  // the end of the loop is what its other region stores
  %d = scf.while (%i = %z) : (i32) -> i32 {
    %end = memref.load %m[%c0] : memref<9xi32>
    %e = arith.remui %end, %c7 : i32
    %go = arith.cmpi slt, %i, %e : i32
    scf.condition(%go) %i : i32
  } do {
  ^bb0(%i: i32):
    %j = arith.addi %i, %one : i32
    memref.store %j, %m[%c0] : memref<9xi32>
    scf.yield %j : i32
  }
  memref.dealloc %p : memref<9xi32>
  memref.dealloc %m : memref<9xi32>
  %cd = arith.addi %c, %d : i32
  return %a, %b#0, %cd : i32, i32, i32
}
