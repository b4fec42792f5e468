// Transfers between places that maps give, in the text of 2019.
// RUN: noria opt %s --syntax=mlir | FileCheck %s
// RUN: noria opt %s --syntax=mlir | mlir-opt | noria opt - --syntax=mlir | mlir-opt
// RUN: noria opt %s --syntax=mlir --generic | noria opt - --syntax=mlir | FileCheck %s
// RUN: noria opt %s --syntax=mlir --canonicalize | FileCheck %s --check-prefix=SIMPLE
// RUN: noria opt %s --syntax=mlir --lower-affine | FileCheck %s --check-prefix=LOWER
// RUN: noria run %s --entry=f 3 | FileCheck %s --check-prefix=OUT
// RUN: noria run %s --entry=f 3 --interpret | FileCheck %s --check-prefix=OUT
// RUN: noria run %s --entry=f 3 --check-passes
// RUN: not noria run %s --entry=f 20 --interpret 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: op the transfer leaves a buffer of 32 elements

// Runs of two elements with none in between: what has a gap behind each is the memory of the smaller space.
// OUT: dense<{{\[}}[1.100000e+01, 1.200000e+01, 1.300000e+01, 1.400000e+01, 4.000000e+00, 5.000000e+00, 6.000000e+00, 7.000000e+00], [8.000000e+00,
// OUT-SAME: [1.900000e+01, 2.000000e+01, 2.100000e+01, 2.200000e+01, 2.800000e+01, 2.900000e+01, 3.000000e+01, 3.100000e+01]]>
// OUT-NEXT: dense<[1.100000e+01, 1.200000e+01, 1.300000e+01, 1.400000e+01, 1.500000e+01, 1.600000e+01, 1.700000e+01, 1.800000e+01, 1.900000e+01, 2.000000e+01, 2.100000e+01, 2.200000e+01, 2.300000e+01, 2.400000e+01, 2.500000e+01, 2.600000e+01]>
// CHECK-LABEL: func.func @f
// CHECK-SAME: (%[[N:.*]]: index)
func @f(%n: index) -> (memref<4x8xf32>, memref<16xf32>) {
  %a = alloc() : memref<4x8xf32>
  %b = alloc() : memref<16xf32, 1>
  %o = alloc() : memref<16xf32>
  %z = constant 0.0 : f32
  %t = alloc() : memref<1xi32>
  %c8 = constant 8 : index
  %c4 = constant 4 : index
  %c2 = constant 2 : index
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8 {
      %x = affine.apply (d0, d1) -> (d0 * 8 + d1) (%i, %j)
      %y = index_cast %x : index to i32
      %w = sitofp %y : i32 to f32
      affine.store %w, %a[%i, %j] : memref<4x8xf32>
    }
  }
  affine.for %i = 0 to 16 {
    affine.store %z, %b[%i] : memref<16xf32, 1>
  }
  // CHECK: affine.for %[[I:.*]] = 0 to 2 {
  affine.for %i = 0 to 2 {
    // CHECK: affine.dma_start %{{.*}}[%[[I]] + 1, symbol(%[[N]])], %{{.*}}[%{{[^ ]*}}], %{{.*}}[0], %{{.*}} : memref<4x8xf32>, memref<16xf32, 1>, memref<1xi32>
    // CHECK-NEXT: affine.dma_wait %{{.*}}[0], %{{.*}} : memref<1xi32>
    // SIMPLE: affine.dma_start %{{.*}}[%{{.*}} + 1, symbol(%{{.*}})], %{{.*}}[%{{.*}} * 8], %{{.*}}[0], %{{.*}} : memref<4x8xf32>, memref<16xf32, 1>, memref<1xi32>
    // LOWER: %[[SUM:.*]] = arith.addi %[[I:.*]], %{{.*}} : index
    // LOWER: memref.dma_start %{{.*}}[%[[SUM]], %{{.*}}], %{{.*}}[%{{.*}}], %{{.*}}, %{{.*}}[%{{.*}}] : memref<4x8xf32>, memref<16xf32, 1>, memref<1xi32>
    // LOWER: memref.dma_wait %{{.*}}[%{{.*}}], %{{.*}} : memref<1xi32>
    %k = affine.apply (d0) -> (d0 * 8) (%i)
    affine.dma_start %a[%i + 1, symbol(%n)], %b[%k], %t[0], %c8 : memref<4x8xf32>, memref<16xf32, 1>, memref<1xi32>
    affine.dma_wait %t[0], %c8 : memref<1xi32>
  }
  affine.for %i = 0 to 2 {
    // CHECK: affine.dma_start %{{.*}}[%[[I:.*]] * 8], %{{.*}}[%[[I]] * 3, 0], %{{.*}}[0], %{{.*}}, %{{.*}}, %{{.*}} : memref<16xf32, 1>, memref<4x8xf32>, memref<1xi32>
    // LOWER: memref.dma_start %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}, %{{.*}}[%{{.*}}], %{{.*}}, %{{.*}} : memref<16xf32, 1>, memref<4x8xf32>, memref<1xi32>
    affine.dma_start %b[%i * 8], %a[3 * %i, 0], %t[0], %c4, %c2, %c2 : memref<16xf32, 1>, memref<4x8xf32>, memref<1xi32>
    affine.dma_wait %t[0], %c4 : memref<1xi32>
  }
  affine.for %i = 0 to 16 {
    %v = affine.load %b[%i] : memref<16xf32, 1>
    affine.store %v, %o[%i] : memref<16xf32>
  }
  return %a, %o : memref<4x8xf32>, memref<16xf32>
}
