// RUN: noria opt %s | FileCheck %s
// RUN: noria opt %s | mlir-opt | noria opt - | FileCheck %s
// RUN: noria opt --generic %s | mlir-opt | noria opt - | FileCheck %s

#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 64 }>
#CSC = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed) }>
#COO = #sparse_tensor.encoding<{ crdWidth = 32, map = (d0, d1, d2) ->
                                 (d2 : compressed(nonunique), d0 : singleton(soa, nonunique), d1 : singleton(soa)) }>

// CHECK-LABEL: func.func @parts
func.func @parts(%p: tensor<4xi32>, %c: tensor<?xi64>, %v: tensor<?xf64>) -> tensor<3x4xf64, #CSR> {
  // CHECK: %[[A:.*]] = sparse_tensor.assemble(%{{.*}}, %{{.*}}), %{{.*}} : (tensor<4xi32>, tensor<?xi64>), tensor<?xf64> to tensor<3x4xf64, #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 64 }>>
  %a = sparse_tensor.assemble (%p, %c), %v : (tensor<4xi32>, tensor<?xi64>), tensor<?xf64> to tensor<3x4xf64, #CSR>
  // CHECK: sparse_tensor.positions %[[A]] {level = 1 : index} : {{.*}} to memref<?xi32>
  %pos = sparse_tensor.positions %a {level = 1 : index} : tensor<3x4xf64, #CSR> to memref<?xi32>
  // CHECK: sparse_tensor.coordinates %[[A]] {level = 1 : index} : {{.*}} to memref<?xi64>
  %crd = sparse_tensor.coordinates %a {level = 1 : index} : tensor<3x4xf64, #CSR> to memref<?xi64>
  // CHECK: sparse_tensor.values %[[A]] : {{.*}} to memref<?xf64>
  %vals = sparse_tensor.values %a : tensor<3x4xf64, #CSR> to memref<?xf64>
  // CHECK: sparse_tensor.number_of_entries %[[A]] : tensor<3x4xf64, #sparse_tensor
  %n = sparse_tensor.number_of_entries %a : tensor<3x4xf64, #CSR>
  // CHECK: :6 = sparse_tensor.disassemble %[[A]] : {{.*}} out_lvls(%{{.*}}, %{{.*}} : tensor<4xi32>, tensor<?xi64>) out_vals(%{{.*}} : tensor<?xf64>) -> (tensor<4xi32>, tensor<?xi64>), tensor<?xf64>, (index, i32), index
  %0:6 = sparse_tensor.disassemble %a : tensor<3x4xf64, #CSR> out_lvls(%p, %c : tensor<4xi32>, tensor<?xi64>)
      out_vals(%v : tensor<?xf64>) -> (tensor<4xi32>, tensor<?xi64>), tensor<?xf64>, (index, i32), index
  // CHECK: sparse_tensor.convert %[[A]] : {{.*}} to tensor<3x4xf64>
  %dense = sparse_tensor.convert %a : tensor<3x4xf64, #CSR> to tensor<3x4xf64>
  return %a : tensor<3x4xf64, #CSR>
}
// CHECK: func.func private @csc(tensor<?x?xf32, #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed) }>>)
func.func private @csc(tensor<?x?xf32, #CSC>)
// CHECK: func.func private @coo(tensor<2x?x4xi32, #sparse_tensor.encoding<{ map = (d0, d1, d2) -> (d2 : compressed(nonunique), d0 : singleton(nonunique, soa), d1 : singleton(soa)), crdWidth = 32 }>>)
func.func private @coo(tensor<2x?x4xi32, #COO>)
