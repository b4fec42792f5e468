// Ops of std that came late in 2020, or went to other dialects soon after: read under their modern meaning, and run.
// RUN: noria opt --syntax=mlir %s | mlir-opt
// RUN: noria opt --syntax=mlir %s | FileCheck %s
// RUN: noria opt %s > %t.mlir
// RUN: noria opt %t.mlir | diff - %t.mlir

// CHECK: memref.global "private" constant @k
// CHECK: math.atan
// CHECK: math.atan2
// CHECK: math.powf
// CHECK: math.log1p
// CHECK: math.fma
// CHECK: arith.floordivsi
// CHECK: arith.ceildivsi
// CHECK: tensor.extract_slice
// CHECK: tensor.insert_slice
// CHECK: memref.transpose
// CHECK: memref.reinterpret_cast
// CHECK: memref.get_global @k
// CHECK: memref.reshape

// RUN: noria run %s --entry=f 0.5 2.0 --check-stages | FileCheck %s --check-prefix=F
// F: 0.463647{{.*}} : f32
// F: 0.244978{{.*}} : f32
// F: 2.500000e-01 : f32
// F: 0.405465{{.*}} : f32
// F: 1.500000e+00 : f32
// RUN: noria run %s --entry=g -7 2 --check-stages | FileCheck %s --check-prefix=G
// G: -4 : i32
// G: -3 : i32
// RUN: noria run %s --entry=t '[[1,2,3,4],[5,6,7,8],[9,10,11,12],[13,14,15,16]]' 1 --check-stages | FileCheck %s --check-prefix=T
// T: dense<{{\[\[}}6.000000e+00, 7.000000e+00, 3.000000e+00, 4.000000e+00], [1.000000e+01, 1.100000e+01, 7.000000e+00, 8.000000e+00],
// RUN: noria run %s --entry=m '[[1,2,3],[4,5,6]]' 2 --check-stages | FileCheck %s --check-prefix=M
// M: 6.000000e+00 : f32
// M: 4.000000e+00 : f32
// M: 2.000000e+00 : f32
// RUN: noria run %s --entry=r '[[1,2,3],[4,5,6]]' '[3, 2]' --check-stages | FileCheck %s --check-prefix=R
// R: 4.000000e+00 : f32
global_memref "private" constant @k : memref<2xf32> = dense<[1.0, 2.0]>
func @f(%x: f32, %y: f32) -> (f32, f32, f32, f32, f32) {
  %a = atan %x : f32
  %b = atan2 %x, %y : f32
  %c = powf %x, %y : f32
  %d = log1p %x : f32
  %e = fmaf %x, %y, %x : f32
  return %a, %b, %c, %d, %e : f32, f32, f32, f32, f32
}
func @g(%x: i32, %y: i32) -> (i32, i32) {
  %a = floordivi_signed %x, %y : i32
  %b = ceildivi_signed %x, %y : i32
  return %a, %b : i32, i32
}
func @t(%t: tensor<4x4xf32>, %o: index) -> tensor<4x4xf32> {
  %a = subtensor %t[%o, 1][2, 2][1, 1] : tensor<4x4xf32> to tensor<2x2xf32>
  %b = subtensor_insert %a into %t[0, 0][2, 2][1, 1] : tensor<2x2xf32> into tensor<4x4xf32>
  return %b : tensor<4x4xf32>
}
func @m(%m: memref<2x3xf32>, %i: index) -> (f32, f32, f32) {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %t = transpose %m (i, j) -> (j, i) : memref<2x3xf32> to memref<3x2xf32, affine_map<(d0, d1) -> (d1 * 3 + d0)>>
  %x = load %t[%i, %c1] : memref<3x2xf32, affine_map<(d0, d1) -> (d1 * 3 + d0)>>
  %r = memref_reinterpret_cast %m to offset: [1], sizes: [2], strides: [2] : memref<2x3xf32> to memref<2xf32, offset: 1, strides: [2]>
  %y = load %r[%c1] : memref<2xf32, offset: 1, strides: [2]>
  %g = get_global_memref @k : memref<2xf32>
  %z = load %g[%c1] : memref<2xf32>
  return %x, %y, %z : f32, f32, f32
}
func @r(%m: memref<2x3xf32>, %shape: memref<2xindex>) -> f32 {
  %c1 = constant 1 : index
  %r = memref_reshape %m(%shape) : (memref<2x3xf32>, memref<2xindex>) -> memref<?x?xf32>
  %x = load %r[%c1, %c1] : memref<?x?xf32>
  return %x : f32
}
