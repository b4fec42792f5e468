// Buffers, tensors and vectors in the text of 2019 and 2020, where one op served more than one of them.
// RUN: noria opt --syntax=mlir %s | FileCheck %s
// RUN: noria opt --syntax=mlir %s | mlir-opt
// RUN: noria opt --syntax=2020 %s | noria opt --syntax=mlir - | FileCheck %s

func @f(%m: memref<4x?xf32>, %t: tensor<?x4xf32>, %i: index, %v: f32, %b: memref<2048xi8>, %vec: vector<8xf32>, %u: tensor<*xf32>) {
  // CHECK: memref.alloc(%arg2) : memref<?xf32>
  %0 = alloc(%i) : memref<?xf32>
  %1 = alloc() {alignment = 8} : memref<4xf32>
  // CHECK: memref.alloca() : memref<4xf32>
  %2 = alloca() : memref<4xf32>
  // CHECK: memref.load %arg0
  %3 = load %m[%i, %i] : memref<4x?xf32>
  // CHECK: memref.store
  store %3, %m[%i, %i] : memref<4x?xf32>
  // CHECK: memref.dim %arg0, %{{.*}} : memref<4x?xf32>
  %4 = dim %m, 1 : memref<4x?xf32>
  // CHECK: tensor.dim %arg1, %{{.*}} : tensor<?x4xf32>
  %5 = dim %t, 0 : tensor<?x4xf32>
  %6 = dim %t, %i : tensor<?x4xf32>
  // CHECK: tensor.rank %arg6
  %7 = rank %u : tensor<*xf32>
  // CHECK: memref.rank %arg0
  %8 = rank %m : memref<4x?xf32>
  // CHECK: memref.cast
  %9 = memref_cast %m : memref<4x?xf32> to memref<?x?xf32>
  // CHECK: memref.view %arg4[%arg2][%arg2]
  %10 = view %b[%i][%i] : memref<2048xi8> to memref<?x4xf32>
  // CHECK: memref.view %arg4[%{{.*}}][] : memref<2048xi8> to memref<4x4xf32>
  %11 = view %b[][] : memref<2048xi8> to memref<4x4xf32>
  // CHECK: memref.subview %arg0[%arg2, %arg2] [%arg2, %arg2] [%arg2, %arg2] : memref<4x?xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  %12 = subview %m[%i, %i][%i, %i][%i, %i] : memref<4x?xf32> to memref<?x?xf32, offset: ?, strides: [?, ?]>
  // CHECK: memref.prefetch
  prefetch %m[%i, %i], read, locality<3>, data : memref<4x?xf32>
  // CHECK: memref.assume_alignment %arg0, 16
  assume_alignment %m, 16 : memref<4x?xf32>
  // CHECK: memref.atomic_rmw addf %arg3, %arg0
  %13 = atomic_rmw "addf" %v, %m[%i, %i] : (f32, memref<4x?xf32>) -> f32
  // CHECK: memref.generic_atomic_rmw
  %14 = generic_atomic_rmw %m[%i, %i] : memref<4x?xf32> {
    ^bb0(%c: f32):
  // CHECK: memref.atomic_yield
      atomic_yield %c : f32
  }
  // CHECK: tensor.extract %arg1
  %15 = extract_element %t[%i, %i] : tensor<?x4xf32>
  // CHECK: vector.extract %arg5[%arg2] : f32 from vector<8xf32>
  %16 = extract_element %vec[%i] : vector<8xf32>
  // CHECK: tensor.splat %arg3 : tensor<4xf32>
  %17 = splat %v : tensor<4xf32>
  // CHECK: vector.broadcast %arg3 : f32 to vector<8xf32>
  %18 = splat %v : vector<8xf32>
  // CHECK: tensor.cast
  %19 = tensor_cast %t : tensor<?x4xf32> to tensor<?x?xf32>
  // CHECK: tensor.from_elements
  %20 = tensor_from_elements %v, %v : tensor<2xf32>
  // CHECK: tensor.generate %arg2
  %21 = dynamic_tensor_from_elements %i {
    ^bb0(%k: index):
  // CHECK: tensor.yield
      yield %v : f32
  } : tensor<?xf32>
  %big = alloc() : memref<16x8xf32>
  // CHECK: memref.subview %{{.*}}[2, 3] [4, 2] [1, 2] : memref<16x8xf32> to memref<4x2xf32, strided<[8, 2], offset: 19>>
  %part = subview %big[][][] : memref<16x8xf32> to memref<4x2xf32, offset: 19, strides: [8, 2]>
  %tag = alloc() : memref<1xi32>
  // CHECK: memref.dma_start
  dma_start %m[%i, %i], %m[%i, %i], %i, %tag[%i] : memref<4x?xf32>, memref<4x?xf32>, memref<1xi32>
  // CHECK: memref.dma_wait
  dma_wait %tag[%i], %i : memref<1xi32>
  // CHECK: memref.dealloc
  dealloc %1 : memref<4xf32>
  return
}
