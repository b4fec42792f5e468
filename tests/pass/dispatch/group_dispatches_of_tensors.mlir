// Products of one input, of any number of rows, are one dispatch; what uses one of them is not.
// RUN: noria opt --pipeline --stop-after=buffer --cpu=skylake-avx512 %s | FileCheck %s
// RUN: noria run %s random:5x8xf32 random:8x8xf32 random:8x8xf32 random:8x16xf32 --check-stages --threads=2

// CHECK-LABEL: func.func @main(
// CHECK: rt.dispatch @main_group_0::@main_group_0
// CHECK: rt.dispatch @main_dispatch_
// CHECK-NOT: rt.dispatch
// CHECK: return
func.func @main(%x: tensor<?x8xf32>, %q: tensor<8x8xf32>, %k: tensor<8x8xf32>, %v: tensor<8x16xf32>)
    -> (tensor<?x8xf32>, tensor<?x16xf32>, tensor<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e8 = tensor.empty(%n) : tensor<?x8xf32>
  %e16 = tensor.empty(%n) : tensor<?x16xf32>
  %z8 = linalg.fill ins(%zero : f32) outs(%e8 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %z16 = linalg.fill ins(%zero : f32) outs(%e16 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %xq = linalg.matmul ins(%x, %q : tensor<?x8xf32>, tensor<8x8xf32>) outs(%z8 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %xk = linalg.matmul ins(%x, %k : tensor<?x8xf32>, tensor<8x8xf32>) outs(%z8 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %xv = linalg.matmul ins(%x, %v : tensor<?x8xf32>, tensor<8x16xf32>) outs(%z16 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %y = linalg.matmul ins(%xq, %k : tensor<?x8xf32>, tensor<8x8xf32>) outs(%z8 : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %xk, %xv, %y : tensor<?x8xf32>, tensor<?x16xf32>, tensor<?x8xf32>
}
