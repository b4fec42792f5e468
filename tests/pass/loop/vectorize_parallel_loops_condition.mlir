// RUN: noria opt --vectorize-parallel-loops=lanes=4 %s | FileCheck %s

// A branch that is empty is done with the polls, behind the loop over lanes. Its condition is a value of that loop then, but
// behind the loop it is the one from before.

// CHECK-LABEL: func.func @behind
// CHECK: %[[C:.+]] = memref.load %arg1[%c0]
// CHECK: scf.while
// CHECK: vector.broadcast %[[C]] : i1 to vector<4xi1>
func.func @behind(%m: memref<36xf32>, %flags: memref<1xi1>, %o: memref<36xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 36 : index
  %x = arith.constant -7.0 : f32
  %flag = memref.load %flags[%c0] : memref<1xi1>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %y = memref.load %m[%i] : memref<36xf32>
    scf.while : () -> () {
      %go = arith.cmpf oeq, %x, %y : f32
      scf.condition(%go)
    } do {
      scf.if %flag {
      }
      scf.yield
    }
    memref.store %flag, %o[%i] : memref<36xi1>
    scf.reduce
  }
  return
}
