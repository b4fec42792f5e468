// Every op of memref: MLIR reads what is printed as the same program.
// RUN: noria opt --syntax=mlir %s | mlir-opt -o %t.ours
// RUN: mlir-opt %s -o %t.theirs
// RUN: diff %t.ours %t.theirs

memref.global "private" constant @g : memref<2xf32> = dense<[1.0, 2.0]> {alignment = 64 : i64}
memref.global @h : memref<2xf32>
memref.global "private" @u : memref<2xf32> = uninitialized

func.func @ops(%m: memref<4x?xf32>, %i: index, %v: f32, %b: memref<2048xi8>) {
  %a = memref.alloc(%i)[%i] {alignment = 64} : memref<?x4xf32, affine_map<(d0,d1)[s0] -> (d0 + s0, d1)>>
  %a1 = memref.alloc() : memref<4xf32>
  %a2 = memref.alloca(%i) : memref<?xf32>
  %r = memref.realloc %a1(%i) : memref<4xf32> to memref<?xf32>
  %l = memref.load %m[%i, %i] {nontemporal = true} : memref<4x?xf32>
  memref.store %v, %m[%i, %i] : memref<4x?xf32>
  %c = memref.cast %m : memref<4x?xf32> to memref<?x?xf32>
  %vw = memref.view %b[%i][%i] : memref<2048xi8> to memref<?x4xf32>
  %s = memref.subview %m[%i, 0] [2, %i] [1, 1] : memref<4x?xf32> to memref<2x?xf32, strided<[?, 1], offset: ?>>
  %s1 = memref.subview %m[1, 0] [1, %i] [1, 1] : memref<4x?xf32> to memref<?xf32, strided<[1], offset: ?>>
  %rc = memref.reinterpret_cast %m to offset: [0], sizes: [%i, 2], strides: [2, 1] : memref<4x?xf32> to memref<?x2xf32, strided<[2, 1]>>
  %e = memref.expand_shape %m [[0], [1, 2]] output_shape [4, %i, 2] : memref<4x?xf32> into memref<4x?x2xf32>
  %cl = memref.collapse_shape %m [[0, 1]] : memref<4x?xf32> into memref<?xf32>
  memref.copy %m, %m : memref<4x?xf32> to memref<4x?xf32>
  %gg = memref.get_global @g : memref<2xf32>
  %base, %off, %sizes:2, %strides:2 = memref.extract_strided_metadata %m : memref<4x?xf32> -> memref<f32>, index, index, index, index, index
  %p = memref.extract_aligned_pointer_as_index %m : memref<4x?xf32> -> index
  memref.prefetch %m[%i, %i], read, locality<3>, data : memref<4x?xf32>
  %aa = memref.assume_alignment %m, 16 : memref<4x?xf32>
  %x = memref.atomic_rmw addf %v, %m[%i, %i] : (f32, memref<4x?xf32>) -> f32
  %y = memref.generic_atomic_rmw %m[%i, %i] : memref<4x?xf32> {
    ^bb0(%cur : f32):
      memref.atomic_yield %cur : f32
  }
  %tr = memref.transpose %m (i, j) -> (j, i) : memref<4x?xf32> to memref<?x4xf32, strided<[1, ?]>>
  %sh = memref.alloc() : memref<1xindex>
  %rs = memref.reshape %m(%sh) : (memref<4x?xf32>, memref<1xindex>) -> memref<?xf32>
  %dd = memref.dim %m, %i : memref<4x?xf32>
  %rk = memref.rank %m : memref<4x?xf32>
  %tag = memref.alloc() : memref<1xi32>
  memref.dma_start %m[%i, %i], %m[%i, %i], %i, %tag[%i] : memref<4x?xf32>, memref<4x?xf32>, memref<1xi32>
  memref.dma_start %m[%i, %i], %m[%i, %i], %i, %tag[%i], %i, %i : memref<4x?xf32>, memref<4x?xf32>, memref<1xi32>
  memref.dma_wait %tag[%i], %i : memref<1xi32>
  memref.dealloc %a1 : memref<4xf32>
  return
}
