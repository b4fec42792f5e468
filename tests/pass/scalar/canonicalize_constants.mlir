// What is taken out of a constant is a constant of its own where there is an op for one of its type: complex.constant for
// complex numbers, none for integers with a sign. mlir-opt says the same.
// RUN: noria opt --canonicalize %s | FileCheck %s
// RUN: noria opt --canonicalize %s | mlir-opt -o /dev/null
// RUN: mlir-opt --canonicalize %s | FileCheck %s

// CHECK-LABEL: func.func @complex_integer
// CHECK-NEXT: %[[C:.*]] = complex.constant [3 : i32, -4 : i32] : complex<i32>
// CHECK-NEXT: return %[[C]]
func.func @complex_integer() -> complex<i32> {
  %c1 = arith.constant 1 : index
  %0 = arith.constant dense<[(1, 2), (3, -4)]> : tensor<2xcomplex<i32>>
  %1 = tensor.extract %0[%c1] : tensor<2xcomplex<i32>>
  return %1 : complex<i32>
}

// CHECK-LABEL: func.func @unsigned_in_tensor
// CHECK: %[[X:.*]] = tensor.extract %{{.*}} : tensor<2xui8>
// CHECK-NEXT: return %[[X]] : ui8
func.func @unsigned_in_tensor() -> ui8 {
  %c1 = arith.constant 1 : index
  %0 = arith.constant dense<[1, 200]> : tensor<2xui8>
  %1 = tensor.extract %0[%c1] : tensor<2xui8>
  return %1 : ui8
}

// CHECK-LABEL: func.func @unsigned_in_vector
// CHECK: %[[X:.*]] = vector.extract %{{.*}}[1] : ui8 from vector<2xui8>
// CHECK-NEXT: return %[[X]] : ui8
func.func @unsigned_in_vector() -> ui8 {
  %0 = arith.constant dense<[1, 200]> : vector<2xui8>
  %1 = vector.extract %0[1] : ui8 from vector<2xui8>
  return %1 : ui8
}
