// Buffers of 2020: sizes, layouts, alignment; dims by number and by operand.

// RUN: noria run %s --entry=alloc 3 --check-stages | FileCheck %s --check-prefix=ALLOC
// ALLOC: {{^}}2.500000e+00 : f32{{$}}
// ALLOC-NEXT: {{^}}3 : index{{$}}
// ALLOC-NEXT: {{^}}4 : index{{$}}
// ALLOC-NEXT: {{^}}2.500000e+00 : f32{{$}}
func @alloc(%n: index) -> (f32, index, index, f32) {
  %c1 = constant 1 : index
  %c2 = constant 2 : index
  %f = constant 2.5 : f32
  %m = alloc(%n) {alignment = 128} : memref<?x4xf32>
  %a = alloca() : memref<3xf32>
  store %f, %m[%c1, %c2] : memref<?x4xf32>
  store %f, %a[%c2] : memref<3xf32>
  %0 = load %m[%c1, %c2] : memref<?x4xf32>
  %1 = dim %m, 0 : memref<?x4xf32>
  %2 = dim %m, %c1 : memref<?x4xf32>
  %3 = load %a[%c2] : memref<3xf32>
  dealloc %m : memref<?x4xf32>
  return %0, %1, %2, %3 : f32, index, index, f32
}

// Strides and offset come from the symbol.
// RUN: noria run %s --entry=alloc_layout 3 --check-stages | FileCheck %s --check-prefix=ALLOC-LAYOUT
// ALLOC-LAYOUT: {{^}}6.000000e+00 : f32{{$}}
// ALLOC-LAYOUT-NEXT: {{^}}dense<{{\[\[}}0.000000e+00, 1.000000e+00, 2.000000e+00], [4.000000e+00, 5.000000e+00, 6.000000e+00], [8.000000e+00, 9.000000e+00, 1.000000e+01], [1.200000e+01, 1.300000e+01, 1.400000e+01]]> : tensor<4x3xf32>{{$}}
func @alloc_layout(%n: index) -> (f32, memref<4x?xf32>) {
  %c1 = constant 1 : index
  %c2 = constant 2 : index
  %f = constant 2.5 : f32
  %z = constant 0.5 : f32
  %c0 = constant 0 : index
  %c4 = constant 4 : index
  %m = alloc(%n)[%n] : memref<4x?xf32, affine_map<(d0, d1)[s0] -> (d0 + d1 * 4 + s0)>>
  loop.for %i = %c0 to %c4 step %c1 {
    loop.for %j = %c0 to %n step %c1 {
      %k = muli %i, %c4 : index
      %l = addi %k, %j : index
      %l2 = index_cast %l : index to i32
      %x = sitofp %l2 : i32 to f32
      store %x, %m[%i, %j] : memref<4x?xf32, affine_map<(d0, d1)[s0] -> (d0 + d1 * 4 + s0)>>
    }
  }
  %0 = load %m[%c1, %c2] : memref<4x?xf32, affine_map<(d0, d1)[s0] -> (d0 + d1 * 4 + s0)>>
  %o = alloc(%n) : memref<4x?xf32>
  memref.copy %m, %o : memref<4x?xf32, affine_map<(d0, d1)[s0] -> (d0 + d1 * 4 + s0)>> to memref<4x?xf32>
  dealloc %m : memref<4x?xf32, affine_map<(d0, d1)[s0] -> (d0 + d1 * 4 + s0)>>
  return %0, %o : f32, memref<4x?xf32>
}

// A layout that is no strides, and one with gaps.
// RUN: noria run %s --entry=alloc_transposed --check-stages | FileCheck %s --check-prefix=ALLOC-TRANSPOSED
// ALLOC-TRANSPOSED: {{^}}2.500000e+00 : f32{{$}}
// ALLOC-TRANSPOSED-NEXT: {{^}}2.500000e+00 : f32{{$}}
func @alloc_transposed() -> (f32, f32) {
  %c1 = constant 1 : index
  %c2 = constant 2 : index
  %f = constant 2.5 : f32
  %m = alloc() : memref<4x5xf32, affine_map<(d0, d1) -> (d1, d0)>>
  store %f, %m[%c1, %c2] : memref<4x5xf32, affine_map<(d0, d1) -> (d1, d0)>>
  %0 = load %m[%c1, %c2] : memref<4x5xf32, affine_map<(d0, d1) -> (d1, d0)>>
  %a = alloca() : memref<4x5xf32, affine_map<(d0, d1) -> (d1 * 8 + d0 * 2 + 3)>>
  store %f, %a[%c1, %c2] : memref<4x5xf32, affine_map<(d0, d1) -> (d1 * 8 + d0 * 2 + 3)>>
  %1 = call @alloc_transposed_get(%a) : (memref<4x5xf32, affine_map<(d0, d1) -> (d1 * 8 + d0 * 2 + 3)>>) -> f32
  dealloc %m : memref<4x5xf32, affine_map<(d0, d1) -> (d1, d0)>>
  return %0, %1 : f32, f32
}
func @alloc_transposed_get(%a: memref<4x5xf32, affine_map<(d0, d1) -> (d1 * 8 + d0 * 2 + 3)>>) -> f32 {
  %c1 = constant 1 : index
  %c2 = constant 2 : index
  %1 = load %a[%c1, %c2] : memref<4x5xf32, affine_map<(d0, d1) -> (d1 * 8 + d0 * 2 + 3)>>
  return %1 : f32
}
