// RUN: noria opt --link-kernels --canonicalize %s | FileCheck %s
// RUN: noria run %s '[0, 2, 2, 3]' '[0, 2, 1]' '[1.0, 2.0, 3.0]' '[10.0, 100.0, 1000.0]' | FileCheck %s --check-prefix=OUT
// RUN: noria run --check-stages %s '[0, 2, 2, 3]' '[0, 2, 1]' '[1.0, 2.0, 3.0]' '[10.0, 100.0, 1000.0]' | FileCheck %s --check-prefix=OUT
// RUN: not noria run %s '[0, 2, 2, 3]' '[0, 3, 1]' '[1.0, 2.0, 3.0]' '[10.0, 100.0, 1000.0]' 2>&1 | FileCheck %s --check-prefix=COLUMN
// RUN: not noria run %s '[0, 2, 1, 3]' '[0, 2, 1]' '[1.0, 2.0, 3.0]' '[10.0, 100.0, 1000.0]' 2>&1 | FileCheck %s --check-prefix=ROWS

// (1 0 2; 0 0 0; 0 3 0) times (10, 100, 1000), and that matrix plus itself.
// OUT: dense<[2.010000e+03, 0.000000e+00, 3.000000e+02]> : tensor<3xf64>
// OUT: dense<[0, 2, 2, 3]> : tensor<4xi32>
// OUT: dense<[0, 2, 1]> : tensor<3xi32>
// OUT: dense<[2.000000e+00, 4.000000e+00, 6.000000e+00]> : tensor<3xf64>
// COLUMN: CSR matrix 0: indices[1] is 3, but the matrix has 3 columns
// ROWS: CSR matrix 0: indptr[2] is 1, less than the element before it

// CHECK-LABEL: func.func private @noria.csr_spmv.f64.i32(
// CHECK-NOT: func.call
// CHECK: arith.mulf
// CHECK: memref.load %{{.*}} : memref<?xi32>
func.func private @noria.csr_spmv.f64.i32(tensor<?xi32>, tensor<?xi32>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-LABEL: func.func private @noria.csr_add.f64.i32(
func.func private @noria.csr_add.f64.i32(tensor<?xi32>, tensor<?xi32>, tensor<?xf64>, tensor<?xi32>, tensor<?xi32>, tensor<?xf64>, index) -> (tensor<?xi32>, tensor<?xi32>, tensor<?xf64>)
// CHECK-LABEL: func.func private @noria.csr_spmv.ui8.i64(
// CHECK: arith.muli %{{.*}} : i8
func.func private @noria.csr_spmv.ui8.i64(tensor<?xi64>, tensor<?xi64>, tensor<?xi8>, tensor<?xi8>) -> tensor<?xi8>

func.func @main(%indptr: tensor<?xi32>, %indices: tensor<?xi32>, %data: tensor<?xf64>, %x: tensor<?xf64>)
    -> (tensor<?xf64>, tensor<?xi32>, tensor<?xi32>, tensor<?xf64>) {
  %n = arith.constant 3 : index
  %y = func.call @noria.csr_spmv.f64.i32(%indptr, %indices, %data, %x)
      : (tensor<?xi32>, tensor<?xi32>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %c:3 = func.call @noria.csr_add.f64.i32(%indptr, %indices, %data, %indptr, %indices, %data, %n)
      : (tensor<?xi32>, tensor<?xi32>, tensor<?xf64>, tensor<?xi32>, tensor<?xi32>, tensor<?xf64>, index)
      -> (tensor<?xi32>, tensor<?xi32>, tensor<?xf64>)
  return %y, %c#0, %c#1, %c#2 : tensor<?xf64>, tensor<?xi32>, tensor<?xi32>, tensor<?xf64>
}
