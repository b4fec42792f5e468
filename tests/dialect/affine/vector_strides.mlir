// vector.load wants the elements of a vector side by side in rows; affine.vector_load takes them along the dims wherever
// these lie: it becomes an access under a mask that lets all through. Interpreter and machine code agree at every stage.
// RUN: noria opt --lower-affine %s | FileCheck %s
// RUN: noria opt --lower-affine %s | mlir-opt -o /dev/null
// RUN: noria run --check-stages %s 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: noria run %s | FileCheck %s --check-prefix=VALUES
// RUN: noria run --interpret %s | FileCheck %s --check-prefix=VALUES

// CHECK-LABEL: func.func @main
// CHECK: %[[LOADED:.*]] = vector.maskedload
// CHECK-SAME: memref<4xf32, strided<[3], offset: 1>>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK: vector.maskedstore
// CHECK-SAME: %[[LOADED]] : memref<4xf32, strided<[2]>>, vector<4xi1>, vector<4xf32>
// CHECK: vector.store {{.*}} : memref<16xf32>, vector<2xf32>
// SAME: all 9 outcomes are that of 'import'
// Every third element from the second on goes to every second place; what lies between stays.
// VALUES: dense<[1.000000e+00, 1.000000e+00, 4.000000e+00, 3.000000e+00, 7.000000e+00, 5.000000e+00,
// VALUES-SAME: 1.000000e+01, 7.000000e+00, 8.000000e+00, 9.000000e+00, 1.000000e+01, 1.100000e+01,
// VALUES-SAME: 1.200000e+01, 1.300000e+01, 0.000000e+00, 1.000000e+00]> : tensor<16xf32>
func.func @main() -> memref<16xf32> {
  %m = memref.alloc() : memref<16xf32>
  affine.for %i = 0 to 16 {
    %k = arith.index_cast %i : index to i32
    %x = arith.sitofp %k : i32 to f32
    affine.store %x, %m[%i] : memref<16xf32>
  }
  %thirds = memref.subview %m[1] [4] [3] : memref<16xf32> to memref<4xf32, strided<[3], offset: 1>>
  %halves = memref.subview %m[0] [4] [2] : memref<16xf32> to memref<4xf32, strided<[2]>>
  %head = affine.vector_load %m[0] : memref<16xf32>, vector<2xf32>
  %v = affine.vector_load %thirds[0] : memref<4xf32, strided<[3], offset: 1>>, vector<4xf32>
  affine.vector_store %v, %halves[0] : memref<4xf32, strided<[2]>>, vector<4xf32>
  affine.vector_store %head, %m[14] : memref<16xf32>, vector<2xf32>
  return %m : memref<16xf32>
}
