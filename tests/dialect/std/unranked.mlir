// Buffers of unknown rank: passed to functions, carried around loops, chosen, reshaped.

// RUN: noria run %s --entry=rank_unranked '[[1,2,3],[4,5,6]]' 3 --check-stages \
// RUN:   | FileCheck %s --check-prefix=RANK-UNRANKED
// RANK-UNRANKED: {{^}}2 : index{{$}}
// RANK-UNRANKED-NEXT: {{^}}3 : index{{$}}
// RANK-UNRANKED-NEXT: {{^}}3 : index{{$}}
// RANK-UNRANKED-NEXT: {{^}}5.000000e+00 : f32{{$}}
// RANK-UNRANKED-NEXT: {{^}}5.000000e+00 : f32{{$}}
// RANK-UNRANKED-NEXT: {{^}}3 : index{{$}}
// RANK-UNRANKED-NEXT: {{^}}4.000000e+00 : f32{{$}}
// RANK-UNRANKED-NEXT: {{^}}3 : index{{$}}
func @rank_unranked(%m: memref<2x3xf32>, %n: index) -> (index, index, index, f32, f32, index, f32, index) {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %c2 = constant 2 : index
  %u = memref_cast %m : memref<2x3xf32> to memref<*xf32>
  %0:2 = call @rank_unranked_rank_of(%u, %c1) : (memref<*xf32>, index) -> (index, index)
  %1 = rank %m : memref<2x3xf32>
  %2 = dim %u, %c1 : memref<*xf32>
  %b = memref_cast %u : memref<*xf32> to memref<?x3xf32>
  %3 = load %b[%c1, %c1] : memref<?x3xf32>
  %s = subview %m[1, 0][1, 3][1, 1] : memref<2x3xf32> to memref<3xf32, offset: 3, strides: [1]>
  %su = memref_cast %s : memref<3xf32, offset: 3, strides: [1]> to memref<*xf32>
  %4 = call @rank_unranked_second(%su) : (memref<*xf32>) -> f32
  %shape = alloc(%n) : memref<?xindex>
  store %c1, %shape[%c0] : memref<?xindex>
  store %c2, %shape[%c1] : memref<?xindex>
  store %n, %shape[%c2] : memref<?xindex>
  %r = memref.reshape %u(%shape) : (memref<*xf32>, memref<?xindex>) -> memref<*xf32>
  %5:2 = call @rank_unranked_rank_of(%r, %c2) : (memref<*xf32>, index) -> (index, index)
  %t = memref_cast %r : memref<*xf32> to memref<?x?x?xf32>
  %6 = load %t[%c0, %c1, %c0] : memref<?x?x?xf32>
  dealloc %shape : memref<?xindex>
  return %0#0, %0#1, %2, %3, %4, %5#0, %6, %5#1 : index, index, index, f32, f32, index, f32, index
}
func @rank_unranked_rank_of(%u: memref<*xf32>, %d: index) -> (index, index) {
  %0 = rank %u : memref<*xf32>
  %1 = dim %u, %d : memref<*xf32>
  return %0, %1 : index, index
}
func @rank_unranked_second(%u: memref<*xf32>) -> f32 {
  %c1 = constant 1 : index
  %v = memref_cast %u : memref<*xf32> to memref<?xf32, offset: ?, strides: [?]>
  %0 = load %v[%c1] : memref<?xf32, offset: ?, strides: [?]>
  return %0 : f32
}

// RUN: noria run %s --entry=unranked_loop '[1,2]' '[[3]]' 3 --check-stages | FileCheck %s --check-prefix=UNRANKED-LOOP
// UNRANKED-LOOP: {{^}}2 : index{{$}}
// UNRANKED-LOOP-NEXT: {{^}}1 : index{{$}}
func @unranked_loop(%a: memref<2xf32>, %b: memref<1x1xf32>, %n: index) -> (index, index) {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %u = memref_cast %a : memref<2xf32> to memref<*xf32>
  %v = memref_cast %b : memref<1x1xf32> to memref<*xf32>
  %r:2 = loop.for %i = %c0 to %n step %c1 iter_args(%x = %u, %y = %v) -> (memref<*xf32>, memref<*xf32>) {
    loop.yield %y, %x : memref<*xf32>, memref<*xf32>
  }
  %0 = rank %r#0 : memref<*xf32>
  %k = cmpi "eq", %n, %c1 : index
  %s = select %k, %r#0, %r#1 : memref<*xf32>
  %1 = rank %s : memref<*xf32>
  return %0, %1 : index, index
}
