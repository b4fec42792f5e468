// Views of 2020: every form of view and subview, dim, rank, casts, alignment; interpreted after each stage and compiled.

// RUN: noria run %s --entry=view 2 --check-stages | FileCheck %s --check-prefix=VIEW
// VIEW: {{^}}2.500000e+00 : f32{{$}}
// VIEW-NEXT: {{^}}3.500000e+00 : f32{{$}}
// VIEW-NEXT: {{^}}2 : index{{$}}
func @view(%n: index) -> (f32, f32, index) {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %c16 = constant 16 : index
  %f = constant 2.5 : f32
  %g = constant 3.5 : f32
  %m = alloc() : memref<2048xi8>
  %v = view %m[][] : memref<2048xi8> to memref<64x4xf32>
  %w = view %m[%c16][%n] : memref<2048xi8> to memref<?x4xf32>
  %x = view %m[][%n] : memref<2048xi8> to memref<?x4xf32>
  store %f, %v[%c1, %c0] : memref<64x4xf32>
  %0 = load %w[%c0, %c0] : memref<?x4xf32>
  store %g, %w[%c0, %c1] : memref<?x4xf32>
  %1 = load %x[%c1, %c1] : memref<?x4xf32>
  %2 = dim %w, 0 : memref<?x4xf32>
  dealloc %m : memref<2048xi8>
  return %0, %1, %2 : f32, f32, index
}

// Strides and offset known in the run only, in both forms of the type; negative ones count backwards.
// RUN: noria run %s --entry=subview '[[1,2,3,4],[5,6,7,8],[9,10,11,12]]' 1 2 -1 3 --check-stages \
// RUN:   | FileCheck %s --check-prefix=SUBVIEW
// SUBVIEW: {{^}}1.200000e+01 : f32{{$}}
// SUBVIEW-NEXT: {{^}}7.000000e+00 : f32{{$}}
// SUBVIEW-NEXT: {{^}}2 : index{{$}}
// SUBVIEW-NEXT: {{^}}1.000000e+01 : f32{{$}}
func @subview(%m: memref<3x4xf32>, %o: index, %s: index, %neg: index, %three: index) -> (f32, f32, index, f32) {
  %c1 = constant 1 : index
  %v = subview %m[%o, %o][%s, %s][%c1, %s]
      : memref<3x4xf32> to memref<?x?xf32, affine_map<(d0, d1)[s0, s1, s2] -> (d0 * s1 + s0 + d1 * s2)>>
  %0 = load %v[%c1, %c1] : memref<?x?xf32, affine_map<(d0, d1)[s0, s1, s2] -> (d0 * s1 + s0 + d1 * s2)>>
  %w = subview %m[%s, %three][%s, %s][%neg, %neg] : memref<3x4xf32> to memref<?x?xf32, offset: ?, strides: [?, ?]>
  %1 = load %w[%c1, %c1] : memref<?x?xf32, offset: ?, strides: [?, ?]>
  %2 = dim %v, 1 : memref<?x?xf32, affine_map<(d0, d1)[s0, s1, s2] -> (d0 * s1 + s0 + d1 * s2)>>
  %x = subview %m[1, 1][2, 2][1, 2] : memref<3x4xf32> to memref<2x2xf32, affine_map<(d0, d1) -> (d0 * 4 + d1 * 2 + 5)>>
  %y = subview %x[1, 0][1, 1][1, 1] : memref<2x2xf32, affine_map<(d0, d1) -> (d0 * 4 + d1 * 2 + 5)>>
      to memref<1x1xf32, offset: 9, strides: [4, 2]>
  %c0 = constant 0 : index
  %3 = load %y[%c0, %c0] : memref<1x1xf32, offset: 9, strides: [4, 2]>
  return %0, %1, %2, %3 : f32, f32, index, f32
}

// What a descriptor holds, and views made of that: behind a view the offset counts from the view's own begin.
// RUN: noria run %s --entry=descriptor --check-stages | FileCheck %s --check-prefix=DESCRIPTOR
// DESCRIPTOR: {{^}}6 : index{{$}}
// DESCRIPTOR-NEXT: {{^}}8 : index{{$}}
// DESCRIPTOR-NEXT: {{^}}7 : i32{{$}}
// DESCRIPTOR-NEXT: {{^}}9 : i32{{$}}
// DESCRIPTOR-NEXT: {{^}}16 : index{{$}}
func.func @descriptor() -> (index, index, i32, i32, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %seven = arith.constant 7 : i32
  %nine = arith.constant 9 : i32
  %m = memref.alloc() : memref<256xi8>
  %v = memref.view %m[%c16][] : memref<256xi8> to memref<4x4xi32>
  %s = memref.subview %v[1, 2] [2, 1] [2, 1] : memref<4x4xi32> to memref<2x1xi32, strided<[8, 1], offset: 6>>
  %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %s
      : memref<2x1xi32, strided<[8, 1], offset: 6>> -> memref<i32>, index, index, index, index, index
  memref.store %seven, %v[%c1, %c0] : memref<4x4xi32>
  memref.store %nine, %v[%c0, %c1] : memref<4x4xi32>
  %r = memref.reinterpret_cast %v to offset: [4], sizes: [2], strides: [1]
      : memref<4x4xi32> to memref<2xi32, strided<[1], offset: 4>>
  %0 = memref.load %r[%c0] : memref<2xi32, strided<[1], offset: 4>>
  %t = memref.transpose %v (i, j) -> (j, i) : memref<4x4xi32> to memref<4x4xi32, strided<[1, 4]>>
  %1 = memref.load %t[%c1, %c0] : memref<4x4xi32, strided<[1, 4]>>
  %p = memref.extract_aligned_pointer_as_index %v : memref<4x4xi32> -> index
  %q = memref.extract_aligned_pointer_as_index %m : memref<256xi8> -> index
  %distance = arith.subi %p, %q : index
  memref.dealloc %m : memref<256xi8>
  return %offset, %strides#0, %0, %1, %distance : index, index, i32, i32, index
}

// RUN: noria run %s --entry=hints '[1,2,3,4]' --check-stages | FileCheck %s --check-prefix=HINTS
// HINTS: {{^}}2.000000e+00 : f32{{$}}
// HINTS-NEXT: {{^}}1 : index{{$}}
func @hints(%m: memref<4xf32>) -> (f32, index) {
  %c1 = constant 1 : index
  prefetch %m[%c1], read, locality<3>, data : memref<4xf32>
  prefetch %m[%c1], write, locality<0>, instr : memref<4xf32>
  assume_alignment %m, 16 : memref<4xf32>
  %r = memref.assume_alignment %m, 4 : memref<4xf32>
  %0 = load %r[%c1] : memref<4xf32>
  %1 = rank %m : memref<4xf32>
  return %0, %1 : f32, index
}
