// Every named op whose text is like that of linalg.generic: MLIR reads what is printed as the same program, and the
// generic form too.
// RUN: noria opt --syntax=mlir %s | mlir-opt -o %t.ours
// RUN: mlir-opt %s -o %t.theirs
// RUN: diff %t.ours %t.theirs
// RUN: noria opt --syntax=mlir --mlir-print-op-generic %s | mlir-opt -o %t.generic
// RUN: diff %t.generic %t.theirs
// RUN: mlir-opt --mlir-print-op-generic %s | noria opt --syntax=mlir | mlir-opt -o %t.back
// RUN: diff %t.back %t.theirs
// As linalg.generic they say the same as MLIR's, whose pass also moves constants out.
// RUN: noria opt --syntax=mlir --linalg-generalize-named-ops %s | mlir-opt --linalg-generalize-named-ops -o %t.ours
// RUN: mlir-opt --linalg-generalize-named-ops %s -o %t.theirs
// RUN: diff %t.ours %t.theirs

func.func @matmul(%a0: tensor<4x8xf32>, %a1: tensor<8x6xf32>, %a2: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = linalg.matmul ins(%a0, %a1 : tensor<4x8xf32>, tensor<8x6xf32>) outs(%a2 : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
func.func @matmul_ints(%a0: tensor<4x8xi8>, %a1: tensor<8x6xi8>, %a2: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %0 = linalg.matmul ins(%a0, %a1 : tensor<4x8xi8>, tensor<8x6xi8>) outs(%a2 : tensor<4x6xi32>) -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}
func.func @matmul_memref(%a0: memref<4x8xf32>, %a1: memref<8x6xf32>, %a2: memref<4x6xf32>) {
  linalg.matmul ins(%a0, %a1 : memref<4x8xf32>, memref<8x6xf32>) outs(%a2 : memref<4x6xf32>)
  return
}
func.func @batch_matmul(%a0: tensor<2x4x8xf32>, %a1: tensor<2x8x6xf32>, %a2: tensor<2x4x6xf32>) -> tensor<2x4x6xf32> {
  %0 = linalg.batch_matmul ins(%a0, %a1 : tensor<2x4x8xf32>, tensor<2x8x6xf32>) outs(%a2 : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  return %0 : tensor<2x4x6xf32>
}
func.func @batch_matmul_ints(%a0: tensor<2x4x8xi8>, %a1: tensor<2x8x6xi8>, %a2: tensor<2x4x6xi32>) -> tensor<2x4x6xi32> {
  %0 = linalg.batch_matmul ins(%a0, %a1 : tensor<2x4x8xi8>, tensor<2x8x6xi8>) outs(%a2 : tensor<2x4x6xi32>) -> tensor<2x4x6xi32>
  return %0 : tensor<2x4x6xi32>
}
func.func @batch_matmul_memref(%a0: memref<2x4x8xf32>, %a1: memref<2x8x6xf32>, %a2: memref<2x4x6xf32>) {
  linalg.batch_matmul ins(%a0, %a1 : memref<2x4x8xf32>, memref<2x8x6xf32>) outs(%a2 : memref<2x4x6xf32>)
  return
}
func.func @batch_reduce_matmul(%a0: tensor<2x4x8xf32>, %a1: tensor<2x8x6xf32>, %a2: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = linalg.batch_reduce_matmul ins(%a0, %a1 : tensor<2x4x8xf32>, tensor<2x8x6xf32>) outs(%a2 : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
func.func @batch_reduce_matmul_ints(%a0: tensor<2x4x8xi8>, %a1: tensor<2x8x6xi8>, %a2: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %0 = linalg.batch_reduce_matmul ins(%a0, %a1 : tensor<2x4x8xi8>, tensor<2x8x6xi8>) outs(%a2 : tensor<4x6xi32>) -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}
func.func @batch_reduce_matmul_memref(%a0: memref<2x4x8xf32>, %a1: memref<2x8x6xf32>, %a2: memref<4x6xf32>) {
  linalg.batch_reduce_matmul ins(%a0, %a1 : memref<2x4x8xf32>, memref<2x8x6xf32>) outs(%a2 : memref<4x6xf32>)
  return
}
func.func @mmt4d(%a0: tensor<4x8x2x5xf32>, %a1: tensor<6x8x3x5xf32>, %a2: tensor<4x6x2x3xf32>) -> tensor<4x6x2x3xf32> {
  %0 = linalg.mmt4d ins(%a0, %a1 : tensor<4x8x2x5xf32>, tensor<6x8x3x5xf32>) outs(%a2 : tensor<4x6x2x3xf32>) -> tensor<4x6x2x3xf32>
  return %0 : tensor<4x6x2x3xf32>
}
func.func @mmt4d_ints(%a0: tensor<4x8x2x5xi8>, %a1: tensor<6x8x3x5xi8>, %a2: tensor<4x6x2x3xi32>) -> tensor<4x6x2x3xi32> {
  %0 = linalg.mmt4d ins(%a0, %a1 : tensor<4x8x2x5xi8>, tensor<6x8x3x5xi8>) outs(%a2 : tensor<4x6x2x3xi32>) -> tensor<4x6x2x3xi32>
  return %0 : tensor<4x6x2x3xi32>
}
func.func @mmt4d_memref(%a0: memref<4x8x2x5xf32>, %a1: memref<6x8x3x5xf32>, %a2: memref<4x6x2x3xf32>) {
  linalg.mmt4d ins(%a0, %a1 : memref<4x8x2x5xf32>, memref<6x8x3x5xf32>) outs(%a2 : memref<4x6x2x3xf32>)
  return
}
func.func @batch_mmt4d(%a0: tensor<2x4x8x2x5xf32>, %a1: tensor<2x6x8x3x5xf32>, %a2: tensor<2x4x6x2x3xf32>) -> tensor<2x4x6x2x3xf32> {
  %0 = linalg.batch_mmt4d ins(%a0, %a1 : tensor<2x4x8x2x5xf32>, tensor<2x6x8x3x5xf32>) outs(%a2 : tensor<2x4x6x2x3xf32>) -> tensor<2x4x6x2x3xf32>
  return %0 : tensor<2x4x6x2x3xf32>
}
func.func @batch_mmt4d_ints(%a0: tensor<2x4x8x2x5xi8>, %a1: tensor<2x6x8x3x5xi8>, %a2: tensor<2x4x6x2x3xi32>) -> tensor<2x4x6x2x3xi32> {
  %0 = linalg.batch_mmt4d ins(%a0, %a1 : tensor<2x4x8x2x5xi8>, tensor<2x6x8x3x5xi8>) outs(%a2 : tensor<2x4x6x2x3xi32>) -> tensor<2x4x6x2x3xi32>
  return %0 : tensor<2x4x6x2x3xi32>
}
func.func @batch_mmt4d_memref(%a0: memref<2x4x8x2x5xf32>, %a1: memref<2x6x8x3x5xf32>, %a2: memref<2x4x6x2x3xf32>) {
  linalg.batch_mmt4d ins(%a0, %a1 : memref<2x4x8x2x5xf32>, memref<2x6x8x3x5xf32>) outs(%a2 : memref<2x4x6x2x3xf32>)
  return
}
func.func @matvec(%a0: tensor<4x6xf32>, %a1: tensor<6xf32>, %a2: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.matvec ins(%a0, %a1 : tensor<4x6xf32>, tensor<6xf32>) outs(%a2 : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @matvec_ints(%a0: tensor<4x6xi8>, %a1: tensor<6xi8>, %a2: tensor<4xi32>) -> tensor<4xi32> {
  %0 = linalg.matvec ins(%a0, %a1 : tensor<4x6xi8>, tensor<6xi8>) outs(%a2 : tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
func.func @matvec_memref(%a0: memref<4x6xf32>, %a1: memref<6xf32>, %a2: memref<4xf32>) {
  linalg.matvec ins(%a0, %a1 : memref<4x6xf32>, memref<6xf32>) outs(%a2 : memref<4xf32>)
  return
}
func.func @vecmat(%a0: tensor<4xf32>, %a1: tensor<4x6xf32>, %a2: tensor<6xf32>) -> tensor<6xf32> {
  %0 = linalg.vecmat ins(%a0, %a1 : tensor<4xf32>, tensor<4x6xf32>) outs(%a2 : tensor<6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
func.func @vecmat_ints(%a0: tensor<4xi8>, %a1: tensor<4x6xi8>, %a2: tensor<6xi32>) -> tensor<6xi32> {
  %0 = linalg.vecmat ins(%a0, %a1 : tensor<4xi8>, tensor<4x6xi8>) outs(%a2 : tensor<6xi32>) -> tensor<6xi32>
  return %0 : tensor<6xi32>
}
func.func @vecmat_memref(%a0: memref<4xf32>, %a1: memref<4x6xf32>, %a2: memref<6xf32>) {
  linalg.vecmat ins(%a0, %a1 : memref<4xf32>, memref<4x6xf32>) outs(%a2 : memref<6xf32>)
  return
}
func.func @batch_matvec(%a0: tensor<2x4x8xf32>, %a1: tensor<2x8xf32>, %a2: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = linalg.batch_matvec ins(%a0, %a1 : tensor<2x4x8xf32>, tensor<2x8xf32>) outs(%a2 : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
func.func @batch_matvec_ints(%a0: tensor<2x4x8xi8>, %a1: tensor<2x8xi8>, %a2: tensor<2x4xi32>) -> tensor<2x4xi32> {
  %0 = linalg.batch_matvec ins(%a0, %a1 : tensor<2x4x8xi8>, tensor<2x8xi8>) outs(%a2 : tensor<2x4xi32>) -> tensor<2x4xi32>
  return %0 : tensor<2x4xi32>
}
func.func @batch_matvec_memref(%a0: memref<2x4x8xf32>, %a1: memref<2x8xf32>, %a2: memref<2x4xf32>) {
  linalg.batch_matvec ins(%a0, %a1 : memref<2x4x8xf32>, memref<2x8xf32>) outs(%a2 : memref<2x4xf32>)
  return
}
func.func @batch_vecmat(%a0: tensor<2x8xf32>, %a1: tensor<2x8x6xf32>, %a2: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %0 = linalg.batch_vecmat ins(%a0, %a1 : tensor<2x8xf32>, tensor<2x8x6xf32>) outs(%a2 : tensor<2x6xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}
func.func @batch_vecmat_ints(%a0: tensor<2x8xi8>, %a1: tensor<2x8x6xi8>, %a2: tensor<2x6xi32>) -> tensor<2x6xi32> {
  %0 = linalg.batch_vecmat ins(%a0, %a1 : tensor<2x8xi8>, tensor<2x8x6xi8>) outs(%a2 : tensor<2x6xi32>) -> tensor<2x6xi32>
  return %0 : tensor<2x6xi32>
}
func.func @batch_vecmat_memref(%a0: memref<2x8xf32>, %a1: memref<2x8x6xf32>, %a2: memref<2x6xf32>) {
  linalg.batch_vecmat ins(%a0, %a1 : memref<2x8xf32>, memref<2x8x6xf32>) outs(%a2 : memref<2x6xf32>)
  return
}
func.func @dot(%a0: tensor<4xf32>, %a1: tensor<4xf32>, %a2: tensor<f32>) -> tensor<f32> {
  %0 = linalg.dot ins(%a0, %a1 : tensor<4xf32>, tensor<4xf32>) outs(%a2 : tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @dot_ints(%a0: tensor<4xi8>, %a1: tensor<4xi8>, %a2: tensor<i32>) -> tensor<i32> {
  %0 = linalg.dot ins(%a0, %a1 : tensor<4xi8>, tensor<4xi8>) outs(%a2 : tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
func.func @dot_memref(%a0: memref<4xf32>, %a1: memref<4xf32>, %a2: memref<f32>) {
  linalg.dot ins(%a0, %a1 : memref<4xf32>, memref<4xf32>) outs(%a2 : memref<f32>)
  return
}
func.func @conv_1d(%a0: tensor<6xf32>, %a1: tensor<2xf32>, %a2: tensor<5xf32>) -> tensor<5xf32> {
  %0 = linalg.conv_1d ins(%a0, %a1 : tensor<6xf32>, tensor<2xf32>) outs(%a2 : tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
func.func @conv_1d_ints(%a0: tensor<6xi8>, %a1: tensor<2xi8>, %a2: tensor<5xi32>) -> tensor<5xi32> {
  %0 = linalg.conv_1d ins(%a0, %a1 : tensor<6xi8>, tensor<2xi8>) outs(%a2 : tensor<5xi32>) -> tensor<5xi32>
  return %0 : tensor<5xi32>
}
func.func @conv_1d_memref(%a0: memref<6xf32>, %a1: memref<2xf32>, %a2: memref<5xf32>) {
  linalg.conv_1d ins(%a0, %a1 : memref<6xf32>, memref<2xf32>) outs(%a2 : memref<5xf32>)
  return
}
func.func @conv_2d(%a0: tensor<8x6xf32>, %a1: tensor<3x2xf32>, %a2: tensor<6x5xf32>) -> tensor<6x5xf32> {
  %0 = linalg.conv_2d ins(%a0, %a1 : tensor<8x6xf32>, tensor<3x2xf32>) outs(%a2 : tensor<6x5xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @conv_2d_ints(%a0: tensor<8x6xi8>, %a1: tensor<3x2xi8>, %a2: tensor<6x5xi32>) -> tensor<6x5xi32> {
  %0 = linalg.conv_2d ins(%a0, %a1 : tensor<8x6xi8>, tensor<3x2xi8>) outs(%a2 : tensor<6x5xi32>) -> tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}
func.func @conv_2d_memref(%a0: memref<8x6xf32>, %a1: memref<3x2xf32>, %a2: memref<6x5xf32>) {
  linalg.conv_2d ins(%a0, %a1 : memref<8x6xf32>, memref<3x2xf32>) outs(%a2 : memref<6x5xf32>)
  return
}
func.func @conv_3d(%a0: tensor<4x8x6xf32>, %a1: tensor<2x3x2xf32>, %a2: tensor<3x6x5xf32>) -> tensor<3x6x5xf32> {
  %0 = linalg.conv_3d ins(%a0, %a1 : tensor<4x8x6xf32>, tensor<2x3x2xf32>) outs(%a2 : tensor<3x6x5xf32>) -> tensor<3x6x5xf32>
  return %0 : tensor<3x6x5xf32>
}
func.func @conv_3d_ints(%a0: tensor<4x8x6xi8>, %a1: tensor<2x3x2xi8>, %a2: tensor<3x6x5xi32>) -> tensor<3x6x5xi32> {
  %0 = linalg.conv_3d ins(%a0, %a1 : tensor<4x8x6xi8>, tensor<2x3x2xi8>) outs(%a2 : tensor<3x6x5xi32>) -> tensor<3x6x5xi32>
  return %0 : tensor<3x6x5xi32>
}
func.func @conv_3d_memref(%a0: memref<4x8x6xf32>, %a1: memref<2x3x2xf32>, %a2: memref<3x6x5xf32>) {
  linalg.conv_3d ins(%a0, %a1 : memref<4x8x6xf32>, memref<2x3x2xf32>) outs(%a2 : memref<3x6x5xf32>)
  return
}
func.func @conv_1d_nwc_wcf(%a0: tensor<6x6x3xf32>, %a1: tensor<2x3x4xf32>, %a2: tensor<6x5x4xf32>) -> tensor<6x5x4xf32> {
  %0 = linalg.conv_1d_nwc_wcf ins(%a0, %a1 : tensor<6x6x3xf32>, tensor<2x3x4xf32>) outs(%a2 : tensor<6x5x4xf32>) -> tensor<6x5x4xf32>
  return %0 : tensor<6x5x4xf32>
}
func.func @conv_1d_nwc_wcf_strided(%a0: tensor<6x12x3xf32>, %a1: tensor<2x3x4xf32>, %a2: tensor<6x5x4xf32>) -> tensor<6x5x4xf32> {
  %0 = linalg.conv_1d_nwc_wcf {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a0, %a1 : tensor<6x12x3xf32>, tensor<2x3x4xf32>) outs(%a2 : tensor<6x5x4xf32>) -> tensor<6x5x4xf32>
  return %0 : tensor<6x5x4xf32>
}
func.func @conv_1d_nwc_wcf_memref(%a0: memref<6x12x3xf32>, %a1: memref<2x3x4xf32>, %a2: memref<6x5x4xf32>) {
  linalg.conv_1d_nwc_wcf {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a0, %a1 : memref<6x12x3xf32>, memref<2x3x4xf32>) outs(%a2 : memref<6x5x4xf32>)
  return
}
func.func @conv_1d_ncw_fcw(%a0: tensor<6x3x6xf32>, %a1: tensor<4x3x2xf32>, %a2: tensor<6x4x5xf32>) -> tensor<6x4x5xf32> {
  %0 = linalg.conv_1d_ncw_fcw ins(%a0, %a1 : tensor<6x3x6xf32>, tensor<4x3x2xf32>) outs(%a2 : tensor<6x4x5xf32>) -> tensor<6x4x5xf32>
  return %0 : tensor<6x4x5xf32>
}
func.func @conv_1d_ncw_fcw_strided(%a0: tensor<6x3x12xf32>, %a1: tensor<4x3x2xf32>, %a2: tensor<6x4x5xf32>) -> tensor<6x4x5xf32> {
  %0 = linalg.conv_1d_ncw_fcw {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a0, %a1 : tensor<6x3x12xf32>, tensor<4x3x2xf32>) outs(%a2 : tensor<6x4x5xf32>) -> tensor<6x4x5xf32>
  return %0 : tensor<6x4x5xf32>
}
func.func @conv_1d_ncw_fcw_memref(%a0: memref<6x3x12xf32>, %a1: memref<4x3x2xf32>, %a2: memref<6x4x5xf32>) {
  linalg.conv_1d_ncw_fcw {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a0, %a1 : memref<6x3x12xf32>, memref<4x3x2xf32>) outs(%a2 : memref<6x4x5xf32>)
  return
}
func.func @conv_2d_nhwc_hwcf(%a0: tensor<6x8x6x3xf32>, %a1: tensor<3x2x3x4xf32>, %a2: tensor<6x6x5x4xf32>) -> tensor<6x6x5x4xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf ins(%a0, %a1 : tensor<6x8x6x3xf32>, tensor<3x2x3x4xf32>) outs(%a2 : tensor<6x6x5x4xf32>) -> tensor<6x6x5x4xf32>
  return %0 : tensor<6x6x5x4xf32>
}
func.func @conv_2d_nhwc_hwcf_strided(%a0: tensor<6x17x12x3xf32>, %a1: tensor<3x2x3x4xf32>, %a2: tensor<6x6x5x4xf32>) -> tensor<6x6x5x4xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : tensor<6x17x12x3xf32>, tensor<3x2x3x4xf32>) outs(%a2 : tensor<6x6x5x4xf32>) -> tensor<6x6x5x4xf32>
  return %0 : tensor<6x6x5x4xf32>
}
func.func @conv_2d_nhwc_hwcf_memref(%a0: memref<6x17x12x3xf32>, %a1: memref<3x2x3x4xf32>, %a2: memref<6x6x5x4xf32>) {
  linalg.conv_2d_nhwc_hwcf {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : memref<6x17x12x3xf32>, memref<3x2x3x4xf32>) outs(%a2 : memref<6x6x5x4xf32>)
  return
}
func.func @conv_2d_nhwc_fhwc(%a0: tensor<6x8x6x3xf32>, %a1: tensor<4x3x2x3xf32>, %a2: tensor<6x6x5x4xf32>) -> tensor<6x6x5x4xf32> {
  %0 = linalg.conv_2d_nhwc_fhwc ins(%a0, %a1 : tensor<6x8x6x3xf32>, tensor<4x3x2x3xf32>) outs(%a2 : tensor<6x6x5x4xf32>) -> tensor<6x6x5x4xf32>
  return %0 : tensor<6x6x5x4xf32>
}
func.func @conv_2d_nhwc_fhwc_strided(%a0: tensor<6x17x12x3xf32>, %a1: tensor<4x3x2x3xf32>, %a2: tensor<6x6x5x4xf32>) -> tensor<6x6x5x4xf32> {
  %0 = linalg.conv_2d_nhwc_fhwc {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : tensor<6x17x12x3xf32>, tensor<4x3x2x3xf32>) outs(%a2 : tensor<6x6x5x4xf32>) -> tensor<6x6x5x4xf32>
  return %0 : tensor<6x6x5x4xf32>
}
func.func @conv_2d_nhwc_fhwc_memref(%a0: memref<6x17x12x3xf32>, %a1: memref<4x3x2x3xf32>, %a2: memref<6x6x5x4xf32>) {
  linalg.conv_2d_nhwc_fhwc {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : memref<6x17x12x3xf32>, memref<4x3x2x3xf32>) outs(%a2 : memref<6x6x5x4xf32>)
  return
}
func.func @conv_2d_nchw_fchw(%a0: tensor<6x3x8x6xf32>, %a1: tensor<4x3x3x2xf32>, %a2: tensor<6x4x6x5xf32>) -> tensor<6x4x6x5xf32> {
  %0 = linalg.conv_2d_nchw_fchw ins(%a0, %a1 : tensor<6x3x8x6xf32>, tensor<4x3x3x2xf32>) outs(%a2 : tensor<6x4x6x5xf32>) -> tensor<6x4x6x5xf32>
  return %0 : tensor<6x4x6x5xf32>
}
func.func @conv_2d_nchw_fchw_strided(%a0: tensor<6x3x17x12xf32>, %a1: tensor<4x3x3x2xf32>, %a2: tensor<6x4x6x5xf32>) -> tensor<6x4x6x5xf32> {
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : tensor<6x3x17x12xf32>, tensor<4x3x3x2xf32>) outs(%a2 : tensor<6x4x6x5xf32>) -> tensor<6x4x6x5xf32>
  return %0 : tensor<6x4x6x5xf32>
}
func.func @conv_2d_nchw_fchw_memref(%a0: memref<6x3x17x12xf32>, %a1: memref<4x3x3x2xf32>, %a2: memref<6x4x6x5xf32>) {
  linalg.conv_2d_nchw_fchw {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : memref<6x3x17x12xf32>, memref<4x3x3x2xf32>) outs(%a2 : memref<6x4x6x5xf32>)
  return
}
func.func @conv_2d_ngchw_fgchw(%a0: tensor<6x2x3x8x6xf32>, %a1: tensor<4x2x3x3x2xf32>, %a2: tensor<6x2x4x6x5xf32>) -> tensor<6x2x4x6x5xf32> {
  %0 = linalg.conv_2d_ngchw_fgchw ins(%a0, %a1 : tensor<6x2x3x8x6xf32>, tensor<4x2x3x3x2xf32>) outs(%a2 : tensor<6x2x4x6x5xf32>) -> tensor<6x2x4x6x5xf32>
  return %0 : tensor<6x2x4x6x5xf32>
}
func.func @conv_2d_ngchw_fgchw_strided(%a0: tensor<6x2x3x17x12xf32>, %a1: tensor<4x2x3x3x2xf32>, %a2: tensor<6x2x4x6x5xf32>) -> tensor<6x2x4x6x5xf32> {
  %0 = linalg.conv_2d_ngchw_fgchw {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : tensor<6x2x3x17x12xf32>, tensor<4x2x3x3x2xf32>) outs(%a2 : tensor<6x2x4x6x5xf32>) -> tensor<6x2x4x6x5xf32>
  return %0 : tensor<6x2x4x6x5xf32>
}
func.func @conv_2d_ngchw_fgchw_memref(%a0: memref<6x2x3x17x12xf32>, %a1: memref<4x2x3x3x2xf32>, %a2: memref<6x2x4x6x5xf32>) {
  linalg.conv_2d_ngchw_fgchw {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : memref<6x2x3x17x12xf32>, memref<4x2x3x3x2xf32>) outs(%a2 : memref<6x2x4x6x5xf32>)
  return
}
func.func @conv_2d_ngchw_gfchw(%a0: tensor<6x2x3x8x6xf32>, %a1: tensor<2x4x3x3x2xf32>, %a2: tensor<6x2x4x6x5xf32>) -> tensor<6x2x4x6x5xf32> {
  %0 = linalg.conv_2d_ngchw_gfchw ins(%a0, %a1 : tensor<6x2x3x8x6xf32>, tensor<2x4x3x3x2xf32>) outs(%a2 : tensor<6x2x4x6x5xf32>) -> tensor<6x2x4x6x5xf32>
  return %0 : tensor<6x2x4x6x5xf32>
}
func.func @conv_2d_ngchw_gfchw_strided(%a0: tensor<6x2x3x17x12xf32>, %a1: tensor<2x4x3x3x2xf32>, %a2: tensor<6x2x4x6x5xf32>) -> tensor<6x2x4x6x5xf32> {
  %0 = linalg.conv_2d_ngchw_gfchw {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : tensor<6x2x3x17x12xf32>, tensor<2x4x3x3x2xf32>) outs(%a2 : tensor<6x2x4x6x5xf32>) -> tensor<6x2x4x6x5xf32>
  return %0 : tensor<6x2x4x6x5xf32>
}
func.func @conv_2d_ngchw_gfchw_memref(%a0: memref<6x2x3x17x12xf32>, %a1: memref<2x4x3x3x2xf32>, %a2: memref<6x2x4x6x5xf32>) {
  linalg.conv_2d_ngchw_gfchw {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : memref<6x2x3x17x12xf32>, memref<2x4x3x3x2xf32>) outs(%a2 : memref<6x2x4x6x5xf32>)
  return
}
func.func @conv_3d_ndhwc_dhwcf(%a0: tensor<6x4x8x6x3xf32>, %a1: tensor<2x3x2x3x4xf32>, %a2: tensor<6x3x6x5x4xf32>) -> tensor<6x3x6x5x4xf32> {
  %0 = linalg.conv_3d_ndhwc_dhwcf ins(%a0, %a1 : tensor<6x4x8x6x3xf32>, tensor<2x3x2x3x4xf32>) outs(%a2 : tensor<6x3x6x5x4xf32>) -> tensor<6x3x6x5x4xf32>
  return %0 : tensor<6x3x6x5x4xf32>
}
func.func @conv_3d_ndhwc_dhwcf_strided(%a0: tensor<6x8x17x12x3xf32>, %a1: tensor<2x3x2x3x4xf32>, %a2: tensor<6x3x6x5x4xf32>) -> tensor<6x3x6x5x4xf32> {
  %0 = linalg.conv_3d_ndhwc_dhwcf {dilations = dense<3> : tensor<3xi64>, strides = dense<2> : tensor<3xi64>} ins(%a0, %a1 : tensor<6x8x17x12x3xf32>, tensor<2x3x2x3x4xf32>) outs(%a2 : tensor<6x3x6x5x4xf32>) -> tensor<6x3x6x5x4xf32>
  return %0 : tensor<6x3x6x5x4xf32>
}
func.func @conv_3d_ndhwc_dhwcf_memref(%a0: memref<6x8x17x12x3xf32>, %a1: memref<2x3x2x3x4xf32>, %a2: memref<6x3x6x5x4xf32>) {
  linalg.conv_3d_ndhwc_dhwcf {dilations = dense<3> : tensor<3xi64>, strides = dense<2> : tensor<3xi64>} ins(%a0, %a1 : memref<6x8x17x12x3xf32>, memref<2x3x2x3x4xf32>) outs(%a2 : memref<6x3x6x5x4xf32>)
  return
}
func.func @conv_3d_ncdhw_fcdhw(%a0: tensor<6x3x4x8x6xf32>, %a1: tensor<4x3x2x3x2xf32>, %a2: tensor<6x4x3x6x5xf32>) -> tensor<6x4x3x6x5xf32> {
  %0 = linalg.conv_3d_ncdhw_fcdhw ins(%a0, %a1 : tensor<6x3x4x8x6xf32>, tensor<4x3x2x3x2xf32>) outs(%a2 : tensor<6x4x3x6x5xf32>) -> tensor<6x4x3x6x5xf32>
  return %0 : tensor<6x4x3x6x5xf32>
}
func.func @conv_3d_ncdhw_fcdhw_strided(%a0: tensor<6x3x8x17x12xf32>, %a1: tensor<4x3x2x3x2xf32>, %a2: tensor<6x4x3x6x5xf32>) -> tensor<6x4x3x6x5xf32> {
  %0 = linalg.conv_3d_ncdhw_fcdhw {dilations = dense<3> : tensor<3xi64>, strides = dense<2> : tensor<3xi64>} ins(%a0, %a1 : tensor<6x3x8x17x12xf32>, tensor<4x3x2x3x2xf32>) outs(%a2 : tensor<6x4x3x6x5xf32>) -> tensor<6x4x3x6x5xf32>
  return %0 : tensor<6x4x3x6x5xf32>
}
func.func @conv_3d_ncdhw_fcdhw_memref(%a0: memref<6x3x8x17x12xf32>, %a1: memref<4x3x2x3x2xf32>, %a2: memref<6x4x3x6x5xf32>) {
  linalg.conv_3d_ncdhw_fcdhw {dilations = dense<3> : tensor<3xi64>, strides = dense<2> : tensor<3xi64>} ins(%a0, %a1 : memref<6x3x8x17x12xf32>, memref<4x3x2x3x2xf32>) outs(%a2 : memref<6x4x3x6x5xf32>)
  return
}
func.func @depthwise_conv_1d_ncw_cw(%a0: tensor<6x3x6xf32>, %a1: tensor<3x2xf32>, %a2: tensor<6x3x5xf32>) -> tensor<6x3x5xf32> {
  %0 = linalg.depthwise_conv_1d_ncw_cw ins(%a0, %a1 : tensor<6x3x6xf32>, tensor<3x2xf32>) outs(%a2 : tensor<6x3x5xf32>) -> tensor<6x3x5xf32>
  return %0 : tensor<6x3x5xf32>
}
func.func @depthwise_conv_1d_ncw_cw_strided(%a0: tensor<6x3x12xf32>, %a1: tensor<3x2xf32>, %a2: tensor<6x3x5xf32>) -> tensor<6x3x5xf32> {
  %0 = linalg.depthwise_conv_1d_ncw_cw {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a0, %a1 : tensor<6x3x12xf32>, tensor<3x2xf32>) outs(%a2 : tensor<6x3x5xf32>) -> tensor<6x3x5xf32>
  return %0 : tensor<6x3x5xf32>
}
func.func @depthwise_conv_1d_ncw_cw_memref(%a0: memref<6x3x12xf32>, %a1: memref<3x2xf32>, %a2: memref<6x3x5xf32>) {
  linalg.depthwise_conv_1d_ncw_cw {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a0, %a1 : memref<6x3x12xf32>, memref<3x2xf32>) outs(%a2 : memref<6x3x5xf32>)
  return
}
func.func @depthwise_conv_1d_nwc_wc(%a0: tensor<6x6x3xf32>, %a1: tensor<2x3xf32>, %a2: tensor<6x5x3xf32>) -> tensor<6x5x3xf32> {
  %0 = linalg.depthwise_conv_1d_nwc_wc ins(%a0, %a1 : tensor<6x6x3xf32>, tensor<2x3xf32>) outs(%a2 : tensor<6x5x3xf32>) -> tensor<6x5x3xf32>
  return %0 : tensor<6x5x3xf32>
}
func.func @depthwise_conv_1d_nwc_wc_strided(%a0: tensor<6x12x3xf32>, %a1: tensor<2x3xf32>, %a2: tensor<6x5x3xf32>) -> tensor<6x5x3xf32> {
  %0 = linalg.depthwise_conv_1d_nwc_wc {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a0, %a1 : tensor<6x12x3xf32>, tensor<2x3xf32>) outs(%a2 : tensor<6x5x3xf32>) -> tensor<6x5x3xf32>
  return %0 : tensor<6x5x3xf32>
}
func.func @depthwise_conv_1d_nwc_wc_memref(%a0: memref<6x12x3xf32>, %a1: memref<2x3xf32>, %a2: memref<6x5x3xf32>) {
  linalg.depthwise_conv_1d_nwc_wc {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a0, %a1 : memref<6x12x3xf32>, memref<2x3xf32>) outs(%a2 : memref<6x5x3xf32>)
  return
}
func.func @depthwise_conv_1d_nwc_wcm(%a0: tensor<6x6x3xf32>, %a1: tensor<2x3x4xf32>, %a2: tensor<6x5x3x4xf32>) -> tensor<6x5x3x4xf32> {
  %0 = linalg.depthwise_conv_1d_nwc_wcm ins(%a0, %a1 : tensor<6x6x3xf32>, tensor<2x3x4xf32>) outs(%a2 : tensor<6x5x3x4xf32>) -> tensor<6x5x3x4xf32>
  return %0 : tensor<6x5x3x4xf32>
}
func.func @depthwise_conv_1d_nwc_wcm_strided(%a0: tensor<6x12x3xf32>, %a1: tensor<2x3x4xf32>, %a2: tensor<6x5x3x4xf32>) -> tensor<6x5x3x4xf32> {
  %0 = linalg.depthwise_conv_1d_nwc_wcm {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a0, %a1 : tensor<6x12x3xf32>, tensor<2x3x4xf32>) outs(%a2 : tensor<6x5x3x4xf32>) -> tensor<6x5x3x4xf32>
  return %0 : tensor<6x5x3x4xf32>
}
func.func @depthwise_conv_1d_nwc_wcm_memref(%a0: memref<6x12x3xf32>, %a1: memref<2x3x4xf32>, %a2: memref<6x5x3x4xf32>) {
  linalg.depthwise_conv_1d_nwc_wcm {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a0, %a1 : memref<6x12x3xf32>, memref<2x3x4xf32>) outs(%a2 : memref<6x5x3x4xf32>)
  return
}
func.func @depthwise_conv_2d_nchw_chw(%a0: tensor<6x3x8x6xf32>, %a1: tensor<3x3x2xf32>, %a2: tensor<6x3x6x5xf32>) -> tensor<6x3x6x5xf32> {
  %0 = linalg.depthwise_conv_2d_nchw_chw ins(%a0, %a1 : tensor<6x3x8x6xf32>, tensor<3x3x2xf32>) outs(%a2 : tensor<6x3x6x5xf32>) -> tensor<6x3x6x5xf32>
  return %0 : tensor<6x3x6x5xf32>
}
func.func @depthwise_conv_2d_nchw_chw_strided(%a0: tensor<6x3x17x12xf32>, %a1: tensor<3x3x2xf32>, %a2: tensor<6x3x6x5xf32>) -> tensor<6x3x6x5xf32> {
  %0 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : tensor<6x3x17x12xf32>, tensor<3x3x2xf32>) outs(%a2 : tensor<6x3x6x5xf32>) -> tensor<6x3x6x5xf32>
  return %0 : tensor<6x3x6x5xf32>
}
func.func @depthwise_conv_2d_nchw_chw_memref(%a0: memref<6x3x17x12xf32>, %a1: memref<3x3x2xf32>, %a2: memref<6x3x6x5xf32>) {
  linalg.depthwise_conv_2d_nchw_chw {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : memref<6x3x17x12xf32>, memref<3x3x2xf32>) outs(%a2 : memref<6x3x6x5xf32>)
  return
}
func.func @depthwise_conv_2d_nhwc_hwc(%a0: tensor<6x8x6x3xf32>, %a1: tensor<3x2x3xf32>, %a2: tensor<6x6x5x3xf32>) -> tensor<6x6x5x3xf32> {
  %0 = linalg.depthwise_conv_2d_nhwc_hwc ins(%a0, %a1 : tensor<6x8x6x3xf32>, tensor<3x2x3xf32>) outs(%a2 : tensor<6x6x5x3xf32>) -> tensor<6x6x5x3xf32>
  return %0 : tensor<6x6x5x3xf32>
}
func.func @depthwise_conv_2d_nhwc_hwc_strided(%a0: tensor<6x17x12x3xf32>, %a1: tensor<3x2x3xf32>, %a2: tensor<6x6x5x3xf32>) -> tensor<6x6x5x3xf32> {
  %0 = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : tensor<6x17x12x3xf32>, tensor<3x2x3xf32>) outs(%a2 : tensor<6x6x5x3xf32>) -> tensor<6x6x5x3xf32>
  return %0 : tensor<6x6x5x3xf32>
}
func.func @depthwise_conv_2d_nhwc_hwc_memref(%a0: memref<6x17x12x3xf32>, %a1: memref<3x2x3xf32>, %a2: memref<6x6x5x3xf32>) {
  linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : memref<6x17x12x3xf32>, memref<3x2x3xf32>) outs(%a2 : memref<6x6x5x3xf32>)
  return
}
func.func @depthwise_conv_2d_nhwc_hwcm(%a0: tensor<6x8x6x3xf32>, %a1: tensor<3x2x3x4xf32>, %a2: tensor<6x6x5x3x4xf32>) -> tensor<6x6x5x3x4xf32> {
  %0 = linalg.depthwise_conv_2d_nhwc_hwcm ins(%a0, %a1 : tensor<6x8x6x3xf32>, tensor<3x2x3x4xf32>) outs(%a2 : tensor<6x6x5x3x4xf32>) -> tensor<6x6x5x3x4xf32>
  return %0 : tensor<6x6x5x3x4xf32>
}
func.func @depthwise_conv_2d_nhwc_hwcm_strided(%a0: tensor<6x17x12x3xf32>, %a1: tensor<3x2x3x4xf32>, %a2: tensor<6x6x5x3x4xf32>) -> tensor<6x6x5x3x4xf32> {
  %0 = linalg.depthwise_conv_2d_nhwc_hwcm {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : tensor<6x17x12x3xf32>, tensor<3x2x3x4xf32>) outs(%a2 : tensor<6x6x5x3x4xf32>) -> tensor<6x6x5x3x4xf32>
  return %0 : tensor<6x6x5x3x4xf32>
}
func.func @depthwise_conv_2d_nhwc_hwcm_memref(%a0: memref<6x17x12x3xf32>, %a1: memref<3x2x3x4xf32>, %a2: memref<6x6x5x3x4xf32>) {
  linalg.depthwise_conv_2d_nhwc_hwcm {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : memref<6x17x12x3xf32>, memref<3x2x3x4xf32>) outs(%a2 : memref<6x6x5x3x4xf32>)
  return
}
func.func @depthwise_conv_3d_ndhwc_dhwc(%a0: tensor<6x4x8x6x3xf32>, %a1: tensor<2x3x2x3xf32>, %a2: tensor<6x3x6x5x3xf32>) -> tensor<6x3x6x5x3xf32> {
  %0 = linalg.depthwise_conv_3d_ndhwc_dhwc ins(%a0, %a1 : tensor<6x4x8x6x3xf32>, tensor<2x3x2x3xf32>) outs(%a2 : tensor<6x3x6x5x3xf32>) -> tensor<6x3x6x5x3xf32>
  return %0 : tensor<6x3x6x5x3xf32>
}
func.func @depthwise_conv_3d_ndhwc_dhwc_strided(%a0: tensor<6x8x17x12x3xf32>, %a1: tensor<2x3x2x3xf32>, %a2: tensor<6x3x6x5x3xf32>) -> tensor<6x3x6x5x3xf32> {
  %0 = linalg.depthwise_conv_3d_ndhwc_dhwc {dilations = dense<3> : tensor<3xi64>, strides = dense<2> : tensor<3xi64>} ins(%a0, %a1 : tensor<6x8x17x12x3xf32>, tensor<2x3x2x3xf32>) outs(%a2 : tensor<6x3x6x5x3xf32>) -> tensor<6x3x6x5x3xf32>
  return %0 : tensor<6x3x6x5x3xf32>
}
func.func @depthwise_conv_3d_ndhwc_dhwc_memref(%a0: memref<6x8x17x12x3xf32>, %a1: memref<2x3x2x3xf32>, %a2: memref<6x3x6x5x3xf32>) {
  linalg.depthwise_conv_3d_ndhwc_dhwc {dilations = dense<3> : tensor<3xi64>, strides = dense<2> : tensor<3xi64>} ins(%a0, %a1 : memref<6x8x17x12x3xf32>, memref<2x3x2x3xf32>) outs(%a2 : memref<6x3x6x5x3xf32>)
  return
}
func.func @pooling_nhwc_sum(%a0: tensor<6x8x6x3xf32>, %a1: tensor<3x2xf32>, %a2: tensor<6x6x5x3xf32>) -> tensor<6x6x5x3xf32> {
  %0 = linalg.pooling_nhwc_sum ins(%a0, %a1 : tensor<6x8x6x3xf32>, tensor<3x2xf32>) outs(%a2 : tensor<6x6x5x3xf32>) -> tensor<6x6x5x3xf32>
  return %0 : tensor<6x6x5x3xf32>
}
func.func @pooling_nhwc_sum_strided(%a0: tensor<6x17x12x3xf32>, %a1: tensor<3x2xf32>, %a2: tensor<6x6x5x3xf32>) -> tensor<6x6x5x3xf32> {
  %0 = linalg.pooling_nhwc_sum {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : tensor<6x17x12x3xf32>, tensor<3x2xf32>) outs(%a2 : tensor<6x6x5x3xf32>) -> tensor<6x6x5x3xf32>
  return %0 : tensor<6x6x5x3xf32>
}
func.func @pooling_nhwc_sum_memref(%a0: memref<6x17x12x3xf32>, %a1: memref<3x2xf32>, %a2: memref<6x6x5x3xf32>) {
  linalg.pooling_nhwc_sum {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : memref<6x17x12x3xf32>, memref<3x2xf32>) outs(%a2 : memref<6x6x5x3xf32>)
  return
}
func.func @pooling_nhwc_max(%a0: tensor<6x8x6x3xf32>, %a1: tensor<3x2xf32>, %a2: tensor<6x6x5x3xf32>) -> tensor<6x6x5x3xf32> {
  %0 = linalg.pooling_nhwc_max ins(%a0, %a1 : tensor<6x8x6x3xf32>, tensor<3x2xf32>) outs(%a2 : tensor<6x6x5x3xf32>) -> tensor<6x6x5x3xf32>
  return %0 : tensor<6x6x5x3xf32>
}
func.func @pooling_nhwc_max_strided(%a0: tensor<6x17x12x3xf32>, %a1: tensor<3x2xf32>, %a2: tensor<6x6x5x3xf32>) -> tensor<6x6x5x3xf32> {
  %0 = linalg.pooling_nhwc_max {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : tensor<6x17x12x3xf32>, tensor<3x2xf32>) outs(%a2 : tensor<6x6x5x3xf32>) -> tensor<6x6x5x3xf32>
  return %0 : tensor<6x6x5x3xf32>
}
func.func @pooling_nhwc_max_memref(%a0: memref<6x17x12x3xf32>, %a1: memref<3x2xf32>, %a2: memref<6x6x5x3xf32>) {
  linalg.pooling_nhwc_max {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : memref<6x17x12x3xf32>, memref<3x2xf32>) outs(%a2 : memref<6x6x5x3xf32>)
  return
}
func.func @pooling_nhwc_max_unsigned(%a0: tensor<6x8x6x3xi32>, %a1: tensor<3x2xi32>, %a2: tensor<6x6x5x3xi32>) -> tensor<6x6x5x3xi32> {
  %0 = linalg.pooling_nhwc_max_unsigned ins(%a0, %a1 : tensor<6x8x6x3xi32>, tensor<3x2xi32>) outs(%a2 : tensor<6x6x5x3xi32>) -> tensor<6x6x5x3xi32>
  return %0 : tensor<6x6x5x3xi32>
}
func.func @pooling_nhwc_max_unsigned_strided(%a0: tensor<6x17x12x3xi32>, %a1: tensor<3x2xi32>, %a2: tensor<6x6x5x3xi32>) -> tensor<6x6x5x3xi32> {
  %0 = linalg.pooling_nhwc_max_unsigned {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : tensor<6x17x12x3xi32>, tensor<3x2xi32>) outs(%a2 : tensor<6x6x5x3xi32>) -> tensor<6x6x5x3xi32>
  return %0 : tensor<6x6x5x3xi32>
}
func.func @pooling_nhwc_max_unsigned_memref(%a0: memref<6x17x12x3xi32>, %a1: memref<3x2xi32>, %a2: memref<6x6x5x3xi32>) {
  linalg.pooling_nhwc_max_unsigned {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : memref<6x17x12x3xi32>, memref<3x2xi32>) outs(%a2 : memref<6x6x5x3xi32>)
  return
}
func.func @pooling_nhwc_min(%a0: tensor<6x8x6x3xf32>, %a1: tensor<3x2xf32>, %a2: tensor<6x6x5x3xf32>) -> tensor<6x6x5x3xf32> {
  %0 = linalg.pooling_nhwc_min ins(%a0, %a1 : tensor<6x8x6x3xf32>, tensor<3x2xf32>) outs(%a2 : tensor<6x6x5x3xf32>) -> tensor<6x6x5x3xf32>
  return %0 : tensor<6x6x5x3xf32>
}
func.func @pooling_nhwc_min_strided(%a0: tensor<6x17x12x3xf32>, %a1: tensor<3x2xf32>, %a2: tensor<6x6x5x3xf32>) -> tensor<6x6x5x3xf32> {
  %0 = linalg.pooling_nhwc_min {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : tensor<6x17x12x3xf32>, tensor<3x2xf32>) outs(%a2 : tensor<6x6x5x3xf32>) -> tensor<6x6x5x3xf32>
  return %0 : tensor<6x6x5x3xf32>
}
func.func @pooling_nhwc_min_memref(%a0: memref<6x17x12x3xf32>, %a1: memref<3x2xf32>, %a2: memref<6x6x5x3xf32>) {
  linalg.pooling_nhwc_min {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : memref<6x17x12x3xf32>, memref<3x2xf32>) outs(%a2 : memref<6x6x5x3xf32>)
  return
}
func.func @pooling_nhwc_min_unsigned(%a0: tensor<6x8x6x3xi32>, %a1: tensor<3x2xi32>, %a2: tensor<6x6x5x3xi32>) -> tensor<6x6x5x3xi32> {
  %0 = linalg.pooling_nhwc_min_unsigned ins(%a0, %a1 : tensor<6x8x6x3xi32>, tensor<3x2xi32>) outs(%a2 : tensor<6x6x5x3xi32>) -> tensor<6x6x5x3xi32>
  return %0 : tensor<6x6x5x3xi32>
}
func.func @pooling_nhwc_min_unsigned_strided(%a0: tensor<6x17x12x3xi32>, %a1: tensor<3x2xi32>, %a2: tensor<6x6x5x3xi32>) -> tensor<6x6x5x3xi32> {
  %0 = linalg.pooling_nhwc_min_unsigned {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : tensor<6x17x12x3xi32>, tensor<3x2xi32>) outs(%a2 : tensor<6x6x5x3xi32>) -> tensor<6x6x5x3xi32>
  return %0 : tensor<6x6x5x3xi32>
}
func.func @pooling_nhwc_min_unsigned_memref(%a0: memref<6x17x12x3xi32>, %a1: memref<3x2xi32>, %a2: memref<6x6x5x3xi32>) {
  linalg.pooling_nhwc_min_unsigned {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : memref<6x17x12x3xi32>, memref<3x2xi32>) outs(%a2 : memref<6x6x5x3xi32>)
  return
}
func.func @pooling_nchw_sum(%a0: tensor<6x3x8x6xf32>, %a1: tensor<3x2xf32>, %a2: tensor<6x3x6x5xf32>) -> tensor<6x3x6x5xf32> {
  %0 = linalg.pooling_nchw_sum ins(%a0, %a1 : tensor<6x3x8x6xf32>, tensor<3x2xf32>) outs(%a2 : tensor<6x3x6x5xf32>) -> tensor<6x3x6x5xf32>
  return %0 : tensor<6x3x6x5xf32>
}
func.func @pooling_nchw_sum_strided(%a0: tensor<6x3x17x12xf32>, %a1: tensor<3x2xf32>, %a2: tensor<6x3x6x5xf32>) -> tensor<6x3x6x5xf32> {
  %0 = linalg.pooling_nchw_sum {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : tensor<6x3x17x12xf32>, tensor<3x2xf32>) outs(%a2 : tensor<6x3x6x5xf32>) -> tensor<6x3x6x5xf32>
  return %0 : tensor<6x3x6x5xf32>
}
func.func @pooling_nchw_sum_memref(%a0: memref<6x3x17x12xf32>, %a1: memref<3x2xf32>, %a2: memref<6x3x6x5xf32>) {
  linalg.pooling_nchw_sum {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : memref<6x3x17x12xf32>, memref<3x2xf32>) outs(%a2 : memref<6x3x6x5xf32>)
  return
}
func.func @pooling_nchw_max(%a0: tensor<6x3x8x6xf32>, %a1: tensor<3x2xf32>, %a2: tensor<6x3x6x5xf32>) -> tensor<6x3x6x5xf32> {
  %0 = linalg.pooling_nchw_max ins(%a0, %a1 : tensor<6x3x8x6xf32>, tensor<3x2xf32>) outs(%a2 : tensor<6x3x6x5xf32>) -> tensor<6x3x6x5xf32>
  return %0 : tensor<6x3x6x5xf32>
}
func.func @pooling_nchw_max_strided(%a0: tensor<6x3x17x12xf32>, %a1: tensor<3x2xf32>, %a2: tensor<6x3x6x5xf32>) -> tensor<6x3x6x5xf32> {
  %0 = linalg.pooling_nchw_max {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : tensor<6x3x17x12xf32>, tensor<3x2xf32>) outs(%a2 : tensor<6x3x6x5xf32>) -> tensor<6x3x6x5xf32>
  return %0 : tensor<6x3x6x5xf32>
}
func.func @pooling_nchw_max_memref(%a0: memref<6x3x17x12xf32>, %a1: memref<3x2xf32>, %a2: memref<6x3x6x5xf32>) {
  linalg.pooling_nchw_max {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : memref<6x3x17x12xf32>, memref<3x2xf32>) outs(%a2 : memref<6x3x6x5xf32>)
  return
}
func.func @pooling_nwc_sum(%a0: tensor<6x6x3xf32>, %a1: tensor<2xf32>, %a2: tensor<6x5x3xf32>) -> tensor<6x5x3xf32> {
  %0 = linalg.pooling_nwc_sum ins(%a0, %a1 : tensor<6x6x3xf32>, tensor<2xf32>) outs(%a2 : tensor<6x5x3xf32>) -> tensor<6x5x3xf32>
  return %0 : tensor<6x5x3xf32>
}
func.func @pooling_nwc_sum_strided(%a0: tensor<6x12x3xf32>, %a1: tensor<2xf32>, %a2: tensor<6x5x3xf32>) -> tensor<6x5x3xf32> {
  %0 = linalg.pooling_nwc_sum {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a0, %a1 : tensor<6x12x3xf32>, tensor<2xf32>) outs(%a2 : tensor<6x5x3xf32>) -> tensor<6x5x3xf32>
  return %0 : tensor<6x5x3xf32>
}
func.func @pooling_nwc_sum_memref(%a0: memref<6x12x3xf32>, %a1: memref<2xf32>, %a2: memref<6x5x3xf32>) {
  linalg.pooling_nwc_sum {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a0, %a1 : memref<6x12x3xf32>, memref<2xf32>) outs(%a2 : memref<6x5x3xf32>)
  return
}
func.func @pooling_nwc_max(%a0: tensor<6x6x3xf32>, %a1: tensor<2xf32>, %a2: tensor<6x5x3xf32>) -> tensor<6x5x3xf32> {
  %0 = linalg.pooling_nwc_max ins(%a0, %a1 : tensor<6x6x3xf32>, tensor<2xf32>) outs(%a2 : tensor<6x5x3xf32>) -> tensor<6x5x3xf32>
  return %0 : tensor<6x5x3xf32>
}
func.func @pooling_nwc_max_strided(%a0: tensor<6x12x3xf32>, %a1: tensor<2xf32>, %a2: tensor<6x5x3xf32>) -> tensor<6x5x3xf32> {
  %0 = linalg.pooling_nwc_max {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a0, %a1 : tensor<6x12x3xf32>, tensor<2xf32>) outs(%a2 : tensor<6x5x3xf32>) -> tensor<6x5x3xf32>
  return %0 : tensor<6x5x3xf32>
}
func.func @pooling_nwc_max_memref(%a0: memref<6x12x3xf32>, %a1: memref<2xf32>, %a2: memref<6x5x3xf32>) {
  linalg.pooling_nwc_max {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a0, %a1 : memref<6x12x3xf32>, memref<2xf32>) outs(%a2 : memref<6x5x3xf32>)
  return
}
func.func @pooling_nwc_max_unsigned(%a0: tensor<6x6x3xi32>, %a1: tensor<2xi32>, %a2: tensor<6x5x3xi32>) -> tensor<6x5x3xi32> {
  %0 = linalg.pooling_nwc_max_unsigned ins(%a0, %a1 : tensor<6x6x3xi32>, tensor<2xi32>) outs(%a2 : tensor<6x5x3xi32>) -> tensor<6x5x3xi32>
  return %0 : tensor<6x5x3xi32>
}
func.func @pooling_nwc_max_unsigned_strided(%a0: tensor<6x12x3xi32>, %a1: tensor<2xi32>, %a2: tensor<6x5x3xi32>) -> tensor<6x5x3xi32> {
  %0 = linalg.pooling_nwc_max_unsigned {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a0, %a1 : tensor<6x12x3xi32>, tensor<2xi32>) outs(%a2 : tensor<6x5x3xi32>) -> tensor<6x5x3xi32>
  return %0 : tensor<6x5x3xi32>
}
func.func @pooling_nwc_max_unsigned_memref(%a0: memref<6x12x3xi32>, %a1: memref<2xi32>, %a2: memref<6x5x3xi32>) {
  linalg.pooling_nwc_max_unsigned {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a0, %a1 : memref<6x12x3xi32>, memref<2xi32>) outs(%a2 : memref<6x5x3xi32>)
  return
}
func.func @pooling_nwc_min(%a0: tensor<6x6x3xf32>, %a1: tensor<2xf32>, %a2: tensor<6x5x3xf32>) -> tensor<6x5x3xf32> {
  %0 = linalg.pooling_nwc_min ins(%a0, %a1 : tensor<6x6x3xf32>, tensor<2xf32>) outs(%a2 : tensor<6x5x3xf32>) -> tensor<6x5x3xf32>
  return %0 : tensor<6x5x3xf32>
}
func.func @pooling_nwc_min_strided(%a0: tensor<6x12x3xf32>, %a1: tensor<2xf32>, %a2: tensor<6x5x3xf32>) -> tensor<6x5x3xf32> {
  %0 = linalg.pooling_nwc_min {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a0, %a1 : tensor<6x12x3xf32>, tensor<2xf32>) outs(%a2 : tensor<6x5x3xf32>) -> tensor<6x5x3xf32>
  return %0 : tensor<6x5x3xf32>
}
func.func @pooling_nwc_min_memref(%a0: memref<6x12x3xf32>, %a1: memref<2xf32>, %a2: memref<6x5x3xf32>) {
  linalg.pooling_nwc_min {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a0, %a1 : memref<6x12x3xf32>, memref<2xf32>) outs(%a2 : memref<6x5x3xf32>)
  return
}
func.func @pooling_nwc_min_unsigned(%a0: tensor<6x6x3xi32>, %a1: tensor<2xi32>, %a2: tensor<6x5x3xi32>) -> tensor<6x5x3xi32> {
  %0 = linalg.pooling_nwc_min_unsigned ins(%a0, %a1 : tensor<6x6x3xi32>, tensor<2xi32>) outs(%a2 : tensor<6x5x3xi32>) -> tensor<6x5x3xi32>
  return %0 : tensor<6x5x3xi32>
}
func.func @pooling_nwc_min_unsigned_strided(%a0: tensor<6x12x3xi32>, %a1: tensor<2xi32>, %a2: tensor<6x5x3xi32>) -> tensor<6x5x3xi32> {
  %0 = linalg.pooling_nwc_min_unsigned {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a0, %a1 : tensor<6x12x3xi32>, tensor<2xi32>) outs(%a2 : tensor<6x5x3xi32>) -> tensor<6x5x3xi32>
  return %0 : tensor<6x5x3xi32>
}
func.func @pooling_nwc_min_unsigned_memref(%a0: memref<6x12x3xi32>, %a1: memref<2xi32>, %a2: memref<6x5x3xi32>) {
  linalg.pooling_nwc_min_unsigned {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a0, %a1 : memref<6x12x3xi32>, memref<2xi32>) outs(%a2 : memref<6x5x3xi32>)
  return
}
func.func @pooling_ncw_sum(%a0: tensor<6x3x6xf32>, %a1: tensor<2xf32>, %a2: tensor<6x3x5xf32>) -> tensor<6x3x5xf32> {
  %0 = linalg.pooling_ncw_sum ins(%a0, %a1 : tensor<6x3x6xf32>, tensor<2xf32>) outs(%a2 : tensor<6x3x5xf32>) -> tensor<6x3x5xf32>
  return %0 : tensor<6x3x5xf32>
}
func.func @pooling_ncw_sum_strided(%a0: tensor<6x3x12xf32>, %a1: tensor<2xf32>, %a2: tensor<6x3x5xf32>) -> tensor<6x3x5xf32> {
  %0 = linalg.pooling_ncw_sum {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a0, %a1 : tensor<6x3x12xf32>, tensor<2xf32>) outs(%a2 : tensor<6x3x5xf32>) -> tensor<6x3x5xf32>
  return %0 : tensor<6x3x5xf32>
}
func.func @pooling_ncw_sum_memref(%a0: memref<6x3x12xf32>, %a1: memref<2xf32>, %a2: memref<6x3x5xf32>) {
  linalg.pooling_ncw_sum {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a0, %a1 : memref<6x3x12xf32>, memref<2xf32>) outs(%a2 : memref<6x3x5xf32>)
  return
}
func.func @pooling_ncw_max(%a0: tensor<6x3x6xf32>, %a1: tensor<2xf32>, %a2: tensor<6x3x5xf32>) -> tensor<6x3x5xf32> {
  %0 = linalg.pooling_ncw_max ins(%a0, %a1 : tensor<6x3x6xf32>, tensor<2xf32>) outs(%a2 : tensor<6x3x5xf32>) -> tensor<6x3x5xf32>
  return %0 : tensor<6x3x5xf32>
}
func.func @pooling_ncw_max_strided(%a0: tensor<6x3x12xf32>, %a1: tensor<2xf32>, %a2: tensor<6x3x5xf32>) -> tensor<6x3x5xf32> {
  %0 = linalg.pooling_ncw_max {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a0, %a1 : tensor<6x3x12xf32>, tensor<2xf32>) outs(%a2 : tensor<6x3x5xf32>) -> tensor<6x3x5xf32>
  return %0 : tensor<6x3x5xf32>
}
func.func @pooling_ncw_max_memref(%a0: memref<6x3x12xf32>, %a1: memref<2xf32>, %a2: memref<6x3x5xf32>) {
  linalg.pooling_ncw_max {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%a0, %a1 : memref<6x3x12xf32>, memref<2xf32>) outs(%a2 : memref<6x3x5xf32>)
  return
}
func.func @pooling_ndhwc_sum(%a0: tensor<6x4x8x6x3xf32>, %a1: tensor<2x3x2xf32>, %a2: tensor<6x3x6x5x3xf32>) -> tensor<6x3x6x5x3xf32> {
  %0 = linalg.pooling_ndhwc_sum ins(%a0, %a1 : tensor<6x4x8x6x3xf32>, tensor<2x3x2xf32>) outs(%a2 : tensor<6x3x6x5x3xf32>) -> tensor<6x3x6x5x3xf32>
  return %0 : tensor<6x3x6x5x3xf32>
}
func.func @pooling_ndhwc_sum_strided(%a0: tensor<6x8x17x12x3xf32>, %a1: tensor<2x3x2xf32>, %a2: tensor<6x3x6x5x3xf32>) -> tensor<6x3x6x5x3xf32> {
  %0 = linalg.pooling_ndhwc_sum {dilations = dense<3> : tensor<3xi64>, strides = dense<2> : tensor<3xi64>} ins(%a0, %a1 : tensor<6x8x17x12x3xf32>, tensor<2x3x2xf32>) outs(%a2 : tensor<6x3x6x5x3xf32>) -> tensor<6x3x6x5x3xf32>
  return %0 : tensor<6x3x6x5x3xf32>
}
func.func @pooling_ndhwc_sum_memref(%a0: memref<6x8x17x12x3xf32>, %a1: memref<2x3x2xf32>, %a2: memref<6x3x6x5x3xf32>) {
  linalg.pooling_ndhwc_sum {dilations = dense<3> : tensor<3xi64>, strides = dense<2> : tensor<3xi64>} ins(%a0, %a1 : memref<6x8x17x12x3xf32>, memref<2x3x2xf32>) outs(%a2 : memref<6x3x6x5x3xf32>)
  return
}
func.func @pooling_ndhwc_max(%a0: tensor<6x4x8x6x3xf32>, %a1: tensor<2x3x2xf32>, %a2: tensor<6x3x6x5x3xf32>) -> tensor<6x3x6x5x3xf32> {
  %0 = linalg.pooling_ndhwc_max ins(%a0, %a1 : tensor<6x4x8x6x3xf32>, tensor<2x3x2xf32>) outs(%a2 : tensor<6x3x6x5x3xf32>) -> tensor<6x3x6x5x3xf32>
  return %0 : tensor<6x3x6x5x3xf32>
}
func.func @pooling_ndhwc_max_strided(%a0: tensor<6x8x17x12x3xf32>, %a1: tensor<2x3x2xf32>, %a2: tensor<6x3x6x5x3xf32>) -> tensor<6x3x6x5x3xf32> {
  %0 = linalg.pooling_ndhwc_max {dilations = dense<3> : tensor<3xi64>, strides = dense<2> : tensor<3xi64>} ins(%a0, %a1 : tensor<6x8x17x12x3xf32>, tensor<2x3x2xf32>) outs(%a2 : tensor<6x3x6x5x3xf32>) -> tensor<6x3x6x5x3xf32>
  return %0 : tensor<6x3x6x5x3xf32>
}
func.func @pooling_ndhwc_max_memref(%a0: memref<6x8x17x12x3xf32>, %a1: memref<2x3x2xf32>, %a2: memref<6x3x6x5x3xf32>) {
  linalg.pooling_ndhwc_max {dilations = dense<3> : tensor<3xi64>, strides = dense<2> : tensor<3xi64>} ins(%a0, %a1 : memref<6x8x17x12x3xf32>, memref<2x3x2xf32>) outs(%a2 : memref<6x3x6x5x3xf32>)
  return
}
func.func @pooling_ndhwc_min(%a0: tensor<6x4x8x6x3xf32>, %a1: tensor<2x3x2xf32>, %a2: tensor<6x3x6x5x3xf32>) -> tensor<6x3x6x5x3xf32> {
  %0 = linalg.pooling_ndhwc_min ins(%a0, %a1 : tensor<6x4x8x6x3xf32>, tensor<2x3x2xf32>) outs(%a2 : tensor<6x3x6x5x3xf32>) -> tensor<6x3x6x5x3xf32>
  return %0 : tensor<6x3x6x5x3xf32>
}
func.func @pooling_ndhwc_min_strided(%a0: tensor<6x8x17x12x3xf32>, %a1: tensor<2x3x2xf32>, %a2: tensor<6x3x6x5x3xf32>) -> tensor<6x3x6x5x3xf32> {
  %0 = linalg.pooling_ndhwc_min {dilations = dense<3> : tensor<3xi64>, strides = dense<2> : tensor<3xi64>} ins(%a0, %a1 : tensor<6x8x17x12x3xf32>, tensor<2x3x2xf32>) outs(%a2 : tensor<6x3x6x5x3xf32>) -> tensor<6x3x6x5x3xf32>
  return %0 : tensor<6x3x6x5x3xf32>
}
func.func @pooling_ndhwc_min_memref(%a0: memref<6x8x17x12x3xf32>, %a1: memref<2x3x2xf32>, %a2: memref<6x3x6x5x3xf32>) {
  linalg.pooling_ndhwc_min {dilations = dense<3> : tensor<3xi64>, strides = dense<2> : tensor<3xi64>} ins(%a0, %a1 : memref<6x8x17x12x3xf32>, memref<2x3x2xf32>) outs(%a2 : memref<6x3x6x5x3xf32>)
  return
}
func.func @add(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>, %a2: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.add ins(%a0, %a1 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%a2 : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @add_memref(%a0: memref<4x8xf32>, %a1: memref<4x8xf32>, %a2: memref<4x8xf32>) {
  linalg.add ins(%a0, %a1 : memref<4x8xf32>, memref<4x8xf32>) outs(%a2 : memref<4x8xf32>)
  return
}
func.func @add_ints(%a0: tensor<4xi16>, %a1: tensor<4xi16>, %a2: tensor<4xi16>) -> tensor<4xi16> {
  %0 = linalg.add ins(%a0, %a1 : tensor<4xi16>, tensor<4xi16>) outs(%a2 : tensor<4xi16>) -> tensor<4xi16>
  return %0 : tensor<4xi16>
}
func.func @add_bools(%a0: tensor<4xi1>, %a1: tensor<4xi1>, %a2: tensor<4xi1>) -> tensor<4xi1> {
  %0 = linalg.add ins(%a0, %a1 : tensor<4xi1>, tensor<4xi1>) outs(%a2 : tensor<4xi1>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}
func.func @add_complex(%a0: tensor<4xcomplex<f32>>, %a1: tensor<4xcomplex<f32>>, %a2: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = linalg.add ins(%a0, %a1 : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) outs(%a2 : tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
func.func @sub(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>, %a2: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.sub ins(%a0, %a1 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%a2 : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @sub_memref(%a0: memref<4x8xf32>, %a1: memref<4x8xf32>, %a2: memref<4x8xf32>) {
  linalg.sub ins(%a0, %a1 : memref<4x8xf32>, memref<4x8xf32>) outs(%a2 : memref<4x8xf32>)
  return
}
func.func @sub_ints(%a0: tensor<4xi16>, %a1: tensor<4xi16>, %a2: tensor<4xi16>) -> tensor<4xi16> {
  %0 = linalg.sub ins(%a0, %a1 : tensor<4xi16>, tensor<4xi16>) outs(%a2 : tensor<4xi16>) -> tensor<4xi16>
  return %0 : tensor<4xi16>
}
func.func @mul(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>, %a2: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.mul ins(%a0, %a1 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%a2 : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @mul_memref(%a0: memref<4x8xf32>, %a1: memref<4x8xf32>, %a2: memref<4x8xf32>) {
  linalg.mul ins(%a0, %a1 : memref<4x8xf32>, memref<4x8xf32>) outs(%a2 : memref<4x8xf32>)
  return
}
func.func @mul_ints(%a0: tensor<4xi16>, %a1: tensor<4xi16>, %a2: tensor<4xi16>) -> tensor<4xi16> {
  %0 = linalg.mul ins(%a0, %a1 : tensor<4xi16>, tensor<4xi16>) outs(%a2 : tensor<4xi16>) -> tensor<4xi16>
  return %0 : tensor<4xi16>
}
func.func @mul_bools(%a0: tensor<4xi1>, %a1: tensor<4xi1>, %a2: tensor<4xi1>) -> tensor<4xi1> {
  %0 = linalg.mul ins(%a0, %a1 : tensor<4xi1>, tensor<4xi1>) outs(%a2 : tensor<4xi1>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}
func.func @mul_complex(%a0: tensor<4xcomplex<f32>>, %a1: tensor<4xcomplex<f32>>, %a2: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = linalg.mul ins(%a0, %a1 : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) outs(%a2 : tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
func.func @div(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>, %a2: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.div ins(%a0, %a1 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%a2 : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @div_memref(%a0: memref<4x8xf32>, %a1: memref<4x8xf32>, %a2: memref<4x8xf32>) {
  linalg.div ins(%a0, %a1 : memref<4x8xf32>, memref<4x8xf32>) outs(%a2 : memref<4x8xf32>)
  return
}
func.func @div_ints(%a0: tensor<4xi16>, %a1: tensor<4xi16>, %a2: tensor<4xi16>) -> tensor<4xi16> {
  %0 = linalg.div ins(%a0, %a1 : tensor<4xi16>, tensor<4xi16>) outs(%a2 : tensor<4xi16>) -> tensor<4xi16>
  return %0 : tensor<4xi16>
}
func.func @div_unsigned(%a0: tensor<4x8xi32>, %a1: tensor<4x8xi32>, %a2: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %0 = linalg.div_unsigned ins(%a0, %a1 : tensor<4x8xi32>, tensor<4x8xi32>) outs(%a2 : tensor<4x8xi32>) -> tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}
func.func @div_unsigned_memref(%a0: memref<4x8xi32>, %a1: memref<4x8xi32>, %a2: memref<4x8xi32>) {
  linalg.div_unsigned ins(%a0, %a1 : memref<4x8xi32>, memref<4x8xi32>) outs(%a2 : memref<4x8xi32>)
  return
}
func.func @max(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>, %a2: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.max ins(%a0, %a1 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%a2 : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @max_memref(%a0: memref<4x8xf32>, %a1: memref<4x8xf32>, %a2: memref<4x8xf32>) {
  linalg.max ins(%a0, %a1 : memref<4x8xf32>, memref<4x8xf32>) outs(%a2 : memref<4x8xf32>)
  return
}
func.func @max_ints(%a0: tensor<4xi16>, %a1: tensor<4xi16>, %a2: tensor<4xi16>) -> tensor<4xi16> {
  %0 = linalg.max ins(%a0, %a1 : tensor<4xi16>, tensor<4xi16>) outs(%a2 : tensor<4xi16>) -> tensor<4xi16>
  return %0 : tensor<4xi16>
}
func.func @min(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>, %a2: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.min ins(%a0, %a1 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%a2 : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @min_memref(%a0: memref<4x8xf32>, %a1: memref<4x8xf32>, %a2: memref<4x8xf32>) {
  linalg.min ins(%a0, %a1 : memref<4x8xf32>, memref<4x8xf32>) outs(%a2 : memref<4x8xf32>)
  return
}
func.func @min_ints(%a0: tensor<4xi16>, %a1: tensor<4xi16>, %a2: tensor<4xi16>) -> tensor<4xi16> {
  %0 = linalg.min ins(%a0, %a1 : tensor<4xi16>, tensor<4xi16>) outs(%a2 : tensor<4xi16>) -> tensor<4xi16>
  return %0 : tensor<4xi16>
}
func.func @powf(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>, %a2: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.powf ins(%a0, %a1 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%a2 : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @powf_memref(%a0: memref<4x8xf32>, %a1: memref<4x8xf32>, %a2: memref<4x8xf32>) {
  linalg.powf ins(%a0, %a1 : memref<4x8xf32>, memref<4x8xf32>) outs(%a2 : memref<4x8xf32>)
  return
}
func.func @exp(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.exp ins(%a0 : tensor<4x8xf32>) outs(%a1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @exp_memref(%a0: memref<4x8xf32>, %a1: memref<4x8xf32>) {
  linalg.exp ins(%a0 : memref<4x8xf32>) outs(%a1 : memref<4x8xf32>)
  return
}
func.func @log(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.log ins(%a0 : tensor<4x8xf32>) outs(%a1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @log_memref(%a0: memref<4x8xf32>, %a1: memref<4x8xf32>) {
  linalg.log ins(%a0 : memref<4x8xf32>) outs(%a1 : memref<4x8xf32>)
  return
}
func.func @abs(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.abs ins(%a0 : tensor<4x8xf32>) outs(%a1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @abs_memref(%a0: memref<4x8xf32>, %a1: memref<4x8xf32>) {
  linalg.abs ins(%a0 : memref<4x8xf32>) outs(%a1 : memref<4x8xf32>)
  return
}
func.func @ceil(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.ceil ins(%a0 : tensor<4x8xf32>) outs(%a1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @ceil_memref(%a0: memref<4x8xf32>, %a1: memref<4x8xf32>) {
  linalg.ceil ins(%a0 : memref<4x8xf32>) outs(%a1 : memref<4x8xf32>)
  return
}
func.func @floor(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.floor ins(%a0 : tensor<4x8xf32>) outs(%a1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @floor_memref(%a0: memref<4x8xf32>, %a1: memref<4x8xf32>) {
  linalg.floor ins(%a0 : memref<4x8xf32>) outs(%a1 : memref<4x8xf32>)
  return
}
func.func @negf(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.negf ins(%a0 : tensor<4x8xf32>) outs(%a1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @negf_memref(%a0: memref<4x8xf32>, %a1: memref<4x8xf32>) {
  linalg.negf ins(%a0 : memref<4x8xf32>) outs(%a1 : memref<4x8xf32>)
  return
}
func.func @reciprocal(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.reciprocal ins(%a0 : tensor<4x8xf32>) outs(%a1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @reciprocal_memref(%a0: memref<4x8xf32>, %a1: memref<4x8xf32>) {
  linalg.reciprocal ins(%a0 : memref<4x8xf32>) outs(%a1 : memref<4x8xf32>)
  return
}
func.func @round(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.round ins(%a0 : tensor<4x8xf32>) outs(%a1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @round_memref(%a0: memref<4x8xf32>, %a1: memref<4x8xf32>) {
  linalg.round ins(%a0 : memref<4x8xf32>) outs(%a1 : memref<4x8xf32>)
  return
}
func.func @sqrt(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.sqrt ins(%a0 : tensor<4x8xf32>) outs(%a1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @sqrt_memref(%a0: memref<4x8xf32>, %a1: memref<4x8xf32>) {
  linalg.sqrt ins(%a0 : memref<4x8xf32>) outs(%a1 : memref<4x8xf32>)
  return
}
func.func @rsqrt(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.rsqrt ins(%a0 : tensor<4x8xf32>) outs(%a1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @rsqrt_memref(%a0: memref<4x8xf32>, %a1: memref<4x8xf32>) {
  linalg.rsqrt ins(%a0 : memref<4x8xf32>) outs(%a1 : memref<4x8xf32>)
  return
}
func.func @square(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.square ins(%a0 : tensor<4x8xf32>) outs(%a1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @square_memref(%a0: memref<4x8xf32>, %a1: memref<4x8xf32>) {
  linalg.square ins(%a0 : memref<4x8xf32>) outs(%a1 : memref<4x8xf32>)
  return
}
func.func @tanh(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.tanh ins(%a0 : tensor<4x8xf32>) outs(%a1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @tanh_memref(%a0: memref<4x8xf32>, %a1: memref<4x8xf32>) {
  linalg.tanh ins(%a0 : memref<4x8xf32>) outs(%a1 : memref<4x8xf32>)
  return
}
func.func @erf(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.erf ins(%a0 : tensor<4x8xf32>) outs(%a1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @erf_memref(%a0: memref<4x8xf32>, %a1: memref<4x8xf32>) {
  linalg.erf ins(%a0 : memref<4x8xf32>) outs(%a1 : memref<4x8xf32>)
  return
}
func.func @select(%a0: tensor<4x8xi1>, %a1: tensor<4x8xf32>, %a2: tensor<4x8xf32>, %a3: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.select ins(%a0, %a1, %a2 : tensor<4x8xi1>, tensor<4x8xf32>, tensor<4x8xf32>) outs(%a3 : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @select_memref(%a0: memref<4x8xi1>, %a1: memref<4x8xf32>, %a2: memref<4x8xf32>, %a3: memref<4x8xf32>) {
  linalg.select ins(%a0, %a1, %a2 : memref<4x8xi1>, memref<4x8xf32>, memref<4x8xf32>) outs(%a3 : memref<4x8xf32>)
  return
}
func.func @copy_f32_f32(%a0: tensor<4xf32>, %a1: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.copy ins(%a0 : tensor<4xf32>) outs(%a1 : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @copy_i8_i32(%a0: tensor<4xi8>, %a1: tensor<4xi32>) -> tensor<4xi32> {
  %0 = linalg.copy ins(%a0 : tensor<4xi8>) outs(%a1 : tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
func.func @copy_i8_i32_u(%a0: tensor<4xi8>, %a1: tensor<4xi32>) -> tensor<4xi32> {
  %0 = linalg.copy {cast = #linalg.type_fn<cast_unsigned>} ins(%a0 : tensor<4xi8>) outs(%a1 : tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
func.func @copy_f32_f64(%a0: tensor<4xf32>, %a1: tensor<4xf64>) -> tensor<4xf64> {
  %0 = linalg.copy ins(%a0 : tensor<4xf32>) outs(%a1 : tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
func.func @copy_f64_f16(%a0: tensor<4xf64>, %a1: tensor<4xf16>) -> tensor<4xf16> {
  %0 = linalg.copy ins(%a0 : tensor<4xf64>) outs(%a1 : tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}
func.func @copy_i32_f32(%a0: tensor<4xi32>, %a1: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.copy ins(%a0 : tensor<4xi32>) outs(%a1 : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @copy_f32_i8_u(%a0: tensor<4xf32>, %a1: tensor<4xi8>) -> tensor<4xi8> {
  %0 = linalg.copy {cast = #linalg.type_fn<cast_unsigned>} ins(%a0 : tensor<4xf32>) outs(%a1 : tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}
func.func @copy_i64_i8(%a0: tensor<4xi64>, %a1: tensor<4xi8>) -> tensor<4xi8> {
  %0 = linalg.copy ins(%a0 : tensor<4xi64>) outs(%a1 : tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}
func.func @matmul_transposed(%a: tensor<8x4xf32>, %b: tensor<6x8xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>] {note = 1 : i32} ins(%a, %b : tensor<8x4xf32>, tensor<6x8xf32>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
func.func @matmul_unsigned(%a: tensor<4x8xi8>, %b: tensor<8x6xi8>, %c: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %0 = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : tensor<4x8xi8>, tensor<8x6xi8>) outs(%c : tensor<4x6xi32>) -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}
func.func @batch_matmul_transposed(%a: tensor<2x4x8xf32>, %b: tensor<2x6x8xf32>, %c: tensor<2x4x6xf32>) -> tensor<2x4x6xf32> {
  %0 = linalg.batch_matmul indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>] ins(%a, %b : tensor<2x4x8xf32>, tensor<2x6x8xf32>) outs(%c : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  return %0 : tensor<2x4x6xf32>
}
func.func @contract(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %0 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d1, d0)>] ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%c : tensor<6x4xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}
func.func @dynamic(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
func.func @elementwise(%a: tensor<4x8xf32>, %v: tensor<8xf32>, %o: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = linalg.elementwise kind=#linalg.elementwise_kind<add> indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>] {note} ins(%a, %v : tensor<4x8xf32>, tensor<8xf32>) outs(%o : tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = linalg.elementwise kind=#linalg.elementwise_kind<exp> ins(%0 : tensor<4x8xf32>) outs(%o : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}
func.func @conv_2d_nhwgc_gfhwc(%a0: tensor<6x8x6x2x3xf32>, %a1: tensor<2x4x3x2x3xf32>, %a2: tensor<6x6x5x2x4xf32>) -> tensor<6x6x5x2x4xf32> {
  %0 = linalg.conv_2d_nhwgc_gfhwc ins(%a0, %a1 : tensor<6x8x6x2x3xf32>, tensor<2x4x3x2x3xf32>) outs(%a2 : tensor<6x6x5x2x4xf32>) -> tensor<6x6x5x2x4xf32>
  return %0 : tensor<6x6x5x2x4xf32>
}
func.func @conv_2d_nhwgc_gfhwc_strided(%a0: tensor<6x17x12x2x3xf32>, %a1: tensor<2x4x3x2x3xf32>, %a2: tensor<6x6x5x2x4xf32>) -> tensor<6x6x5x2x4xf32> {
  %0 = linalg.conv_2d_nhwgc_gfhwc {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : tensor<6x17x12x2x3xf32>, tensor<2x4x3x2x3xf32>) outs(%a2 : tensor<6x6x5x2x4xf32>) -> tensor<6x6x5x2x4xf32>
  return %0 : tensor<6x6x5x2x4xf32>
}
func.func @conv_2d_nhwgc_gfhwc_memref(%a0: memref<6x17x12x2x3xf32>, %a1: memref<2x4x3x2x3xf32>, %a2: memref<6x6x5x2x4xf32>) {
  linalg.conv_2d_nhwgc_gfhwc {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a0, %a1 : memref<6x17x12x2x3xf32>, memref<2x4x3x2x3xf32>) outs(%a2 : memref<6x6x5x2x4xf32>)
  return
}
func.func @depthwise_conv_3d_ncdhw_cdhw(%a0: tensor<2x3x5x8x6xf32>, %a1: tensor<3x2x3x2xf32>, %a2: tensor<2x3x4x6x5xf32>) -> tensor<2x3x4x6x5xf32> {
  %0 = linalg.depthwise_conv_3d_ncdhw_cdhw ins(%a0, %a1 : tensor<2x3x5x8x6xf32>, tensor<3x2x3x2xf32>) outs(%a2 : tensor<2x3x4x6x5xf32>) -> tensor<2x3x4x6x5xf32>
  return %0 : tensor<2x3x4x6x5xf32>
}
func.func @depthwise_conv_3d_ncdhw_cdhw_strided(%a0: tensor<2x3x10x17x12xf32>, %a1: tensor<3x2x3x2xf32>, %a2: tensor<2x3x4x6x5xf32>) -> tensor<2x3x4x6x5xf32> {
  %0 = linalg.depthwise_conv_3d_ncdhw_cdhw {dilations = dense<3> : tensor<3xi64>, strides = dense<2> : tensor<3xi64>} ins(%a0, %a1 : tensor<2x3x10x17x12xf32>, tensor<3x2x3x2xf32>) outs(%a2 : tensor<2x3x4x6x5xf32>) -> tensor<2x3x4x6x5xf32>
  return %0 : tensor<2x3x4x6x5xf32>
}
func.func @depthwise_conv_3d_ncdhw_cdhw_memref(%a0: memref<2x3x10x17x12xf32>, %a1: memref<3x2x3x2xf32>, %a2: memref<2x3x4x6x5xf32>) {
  linalg.depthwise_conv_3d_ncdhw_cdhw {dilations = dense<3> : tensor<3xi64>, strides = dense<2> : tensor<3xi64>} ins(%a0, %a1 : memref<2x3x10x17x12xf32>, memref<3x2x3x2xf32>) outs(%a2 : memref<2x3x4x6x5xf32>)
  return
}
func.func @depthwise_conv_3d_ndhwc_dhwcm(%a0: tensor<2x5x8x6x3xf32>, %a1: tensor<2x3x2x3x4xf32>, %a2: tensor<2x4x6x5x3x4xf32>) -> tensor<2x4x6x5x3x4xf32> {
  %0 = linalg.depthwise_conv_3d_ndhwc_dhwcm ins(%a0, %a1 : tensor<2x5x8x6x3xf32>, tensor<2x3x2x3x4xf32>) outs(%a2 : tensor<2x4x6x5x3x4xf32>) -> tensor<2x4x6x5x3x4xf32>
  return %0 : tensor<2x4x6x5x3x4xf32>
}
func.func @depthwise_conv_3d_ndhwc_dhwcm_strided(%a0: tensor<2x10x17x12x3xf32>, %a1: tensor<2x3x2x3x4xf32>, %a2: tensor<2x4x6x5x3x4xf32>) -> tensor<2x4x6x5x3x4xf32> {
  %0 = linalg.depthwise_conv_3d_ndhwc_dhwcm {dilations = dense<3> : tensor<3xi64>, strides = dense<2> : tensor<3xi64>} ins(%a0, %a1 : tensor<2x10x17x12x3xf32>, tensor<2x3x2x3x4xf32>) outs(%a2 : tensor<2x4x6x5x3x4xf32>) -> tensor<2x4x6x5x3x4xf32>
  return %0 : tensor<2x4x6x5x3x4xf32>
}
func.func @depthwise_conv_3d_ndhwc_dhwcm_memref(%a0: memref<2x10x17x12x3xf32>, %a1: memref<2x3x2x3x4xf32>, %a2: memref<2x4x6x5x3x4xf32>) {
  linalg.depthwise_conv_3d_ndhwc_dhwcm {dilations = dense<3> : tensor<3xi64>, strides = dense<2> : tensor<3xi64>} ins(%a0, %a1 : memref<2x10x17x12x3xf32>, memref<2x3x2x3x4xf32>) outs(%a2 : memref<2x4x6x5x3x4xf32>)
  return
}
