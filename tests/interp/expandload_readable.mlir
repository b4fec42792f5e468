// noria.readable: machine code may read as many elements as there are lanes, so all of them must be there.
// RUN: not noria run --interpret %s 2>&1 | FileCheck %s
// RUN: not noria run --check-bounds %s 2>&1 | FileCheck %s

// CHECK: 'vector.expandload' op index 3 of dim 0 is out of bounds: the dim is 3
func.func @main() -> vector<4xi32> {
  %c2 = arith.constant 2 : index
  %five = arith.constant 5 : i32
  %others = arith.constant dense<9> : vector<4xi32>
  %one = arith.constant dense<[true, false, false, false]> : vector<4xi1>
  %m = memref.alloc() : memref<3xi32>
  memref.store %five, %m[%c2] : memref<3xi32>
  %r = vector.expandload %m[%c2], %one, %others {noria.readable}
      : memref<3xi32>, vector<4xi1>, vector<4xi32> into vector<4xi32>
  return %r : vector<4xi32>
}
