// RUN: noria opt --pass-pipeline=canonicalize %s | FileCheck %s
// RUN: noria opt --pass-pipeline=canonicalize --syntax=mlir %s | mlir-opt

func.func private @use(memref<?xf32>)

// CHECK-LABEL: func.func @alloc
// CHECK: %[[A:.*]] = memref.alloc() : memref<4xf32>
// CHECK: %[[B:.*]] = memref.cast %[[A]] : memref<4xf32> to memref<?xf32>
// CHECK: call @use(%[[B]])
// CHECK: memref.dealloc %[[A]] : memref<4xf32>
// CHECK: return %{{.*}} : index
func.func @alloc() -> index {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %0 = memref.alloc(%c4) : memref<?xf32>
  call @use(%0) : (memref<?xf32>) -> ()
  %1 = memref.dim %0, %c0 : memref<?xf32>
  memref.dealloc %0 : memref<?xf32>
  return %1 : index
}

// What is only written is never missed.
// CHECK-LABEL: func.func @only_written
// CHECK-NEXT: return
func.func @only_written(%i: index, %v: f32, %m: memref<8xf32>) {
  %0 = memref.alloc() : memref<8xf32>
  memref.store %v, %0[%i] : memref<8xf32>
  memref.copy %m, %0 : memref<8xf32> to memref<8xf32>
  memref.copy %m, %m : memref<8xf32> to memref<8xf32>
  memref.dealloc %0 : memref<8xf32>
  return
}

// CHECK-LABEL: func.func @casts
// CHECK-SAME: (%[[M:.*]]: memref<4x8xf32>, %[[I:.*]]: index, %[[V:.*]]: f32)
// CHECK: memref.load %[[M]][%[[I]], %[[I]]] : memref<4x8xf32>
// CHECK: memref.store %[[V]], %[[M]][%[[I]], %[[I]]] : memref<4x8xf32>
// CHECK: return %{{.*}}, %[[M]], %{{.*}}
func.func @casts(%m: memref<4x8xf32>, %i: index, %v: f32) -> (f32, memref<4x8xf32>, index) {
  %c1 = arith.constant 1 : index
  %0 = memref.cast %m : memref<4x8xf32> to memref<?x?xf32>
  %1 = memref.load %0[%i, %i] : memref<?x?xf32>
  memref.store %v, %0[%i, %i] : memref<?x?xf32>
  %2 = memref.cast %0 : memref<?x?xf32> to memref<4x8xf32>
  %3 = memref.dim %0, %c1 : memref<?x?xf32>
  return %1, %2, %3 : f32, memref<4x8xf32>, index
}

// CHECK-LABEL: func.func @subviews
// CHECK-SAME: (%[[M:.*]]: memref<8x?xf32>, %[[S:.*]]: memref<8x8xf32>, %[[I:.*]]: index)
// CHECK: %[[A:.*]] = memref.subview %[[M]][1, 0] [1, 4] [1, 1] : memref<8x?xf32> to memref<4xf32, strided<[1], offset: ?>>
// CHECK: memref.cast %[[A]] : memref<4xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
// CHECK: return %{{.*}}, %{{.*}}, %[[I]]
func.func @subviews(%m: memref<8x?xf32>, %s: memref<8x8xf32>, %i: index) -> (memref<?xf32, strided<[1], offset: ?>>, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = memref.subview %m[%c1, 0] [1, %c4] [1, 1] : memref<8x?xf32> to memref<?xf32, strided<[1], offset: ?>>
  %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %s : memref<8x8xf32> -> memref<f32>, index, index, index, index, index
  %1 = memref.subview %s[0, 0] [%i, 8] [1, 1] : memref<8x8xf32> to memref<?x8xf32, strided<[8, 1]>>
  %2 = memref.dim %1, %c0 : memref<?x8xf32, strided<[8, 1]>>
  return %0, %strides#0, %2 : memref<?xf32, strided<[1], offset: ?>>, index, index
}

memref.global "private" constant @g : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>

// CHECK-LABEL: func.func @global
// CHECK-NEXT: %[[C:.*]] = arith.constant 3.000000e+00 : f32
// CHECK-NEXT: return %[[C]]
func.func @global() -> f32 {
  %c2 = arith.constant 2 : index
  %0 = memref.get_global @g : memref<4xf32>
  %1 = memref.load %0[%c2] : memref<4xf32>
  return %1 : f32
}

// CHECK-LABEL: func.func @views
// CHECK-SAME: (%[[B:.*]]: memref<1024xi8>, %[[I:.*]]: index, %[[M:.*]]: memref<4x8xf32>)
// CHECK: %[[V:.*]] = memref.view %[[B]][%[[I]]][] : memref<1024xi8> to memref<16xf32>
// CHECK: memref.cast %[[V]] : memref<16xf32> to memref<?xf32>
// CHECK: return %{{.*}}, %[[M]]
func.func @views(%b: memref<1024xi8>, %i: index, %m: memref<4x8xf32>) -> (memref<?xf32>, memref<4x8xf32>) {
  %c16 = arith.constant 16 : index
  %0 = memref.view %b[%i][%c16] : memref<1024xi8> to memref<?xf32>
  %1 = memref.collapse_shape %m [[0, 1]] : memref<4x8xf32> into memref<32xf32>
  %2 = memref.expand_shape %1 [[0, 1]] output_shape [4, 8] : memref<32xf32> into memref<4x8xf32>
  return %0, %2 : memref<?xf32>, memref<4x8xf32>
}
