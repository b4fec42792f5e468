// A gather of one lane counts its index in strides, as one of more lanes does.
// RUN: noria run --check-stages %s 3 2>&1 | FileCheck %s
// CHECK: all {{.*}} outcomes are that of 'import'
// CHECK-NEXT: 6.000000e+00 : f32
func.func @main(%i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %m = memref.alloca() : memref<8xf32>
  %k = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : vector<8xf32>
  vector.store %k, %m[%c0] : memref<8xf32>, vector<8xf32>
  %s = memref.subview %m[0] [4] [2] : memref<8xf32> to memref<4xf32, strided<[2]>>
  %n = vector.broadcast %i : index to vector<1xindex>
  %t = arith.constant dense<true> : vector<1xi1>
  %p = arith.constant dense<0.0> : vector<1xf32>
  %v = vector.gather %s[%c0] [%n], %t, %p : memref<4xf32, strided<[2]>>, vector<1xindex>, vector<1xi1>, vector<1xf32> into vector<1xf32>
  %x = vector.extract %v[0] : f32 from vector<1xf32>
  return %x : f32
}
