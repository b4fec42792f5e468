// Every op here reads, prints and reads back in both spellings, and MLIR reads what we print as the same program.
// RUN: noria opt --syntax=mlir %s -o %t.ours
// RUN: mlir-opt %t.ours -o %t.back
// RUN: mlir-opt %s -o %t.theirs
// RUN: diff %t.back %t.theirs
// RUN: noria opt --syntax=2020 %s -o %t.old
// RUN: noria opt --syntax=mlir %t.old -o %t.new
// RUN: diff %t.new %t.ours
// RUN: noria opt --syntax=2020 --generic %s -o %t.old
// RUN: noria opt --syntax=mlir %t.old -o %t.new
// RUN: diff %t.new %t.ours

memref.global "private" constant @g : memref<2xf32> = dense<[1.0, 2.0]> {alignment = 16 : i64}
memref.global @u : memref<4xi32> = uninitialized
memref.global "private" @e : memref<4xi32>
func.func @memrefs(%n: index, %m: memref<?x4xf32>, %f: f32, %x: memref<2048xi8>, %u: memref<*xf32>) {
  %c0 = arith.constant 0 : index
  %0 = memref.alloc() : memref<4xf32>
  %1 = memref.alloc(%n) {alignment = 64 : i64} : memref<?x4xf32>
  %2 = memref.alloca(%n)[%n] : memref<?xf32, affine_map<(d0)[s0] -> (d0 + s0)>>
  memref.dealloc %0 : memref<4xf32>
  %3 = memref.load %m[%c0, %n] : memref<?x4xf32>
  memref.store %3, %m[%n, %c0] : memref<?x4xf32>
  %4 = memref.load %m[%c0, %n] {nontemporal = true} : memref<?x4xf32>
  %5 = memref.dim %m, %c0 : memref<?x4xf32>
  %6 = memref.rank %m : memref<?x4xf32>
  %7 = memref.cast %m : memref<?x4xf32> to memref<*xf32>
  %8 = memref.get_global @g : memref<2xf32>
  %9 = memref.subview %m[%n, 0] [2, %n] [1, 2] : memref<?x4xf32> to memref<2x?xf32, strided<[4, 2], offset: ?>>
  %10 = memref.view %x[%c0][%n] : memref<2048xi8> to memref<?x4xf32>
  %11 = memref.reinterpret_cast %m to offset: [%n], sizes: [2, %n], strides: [%n, 1] : memref<?x4xf32> to memref<2x?xf32, strided<[?, 1], offset: ?>>
  %12 = memref.expand_shape %m [[0, 1], [2, 3]] output_shape [%n, 2, 2, 2] : memref<?x4xf32> into memref<?x2x2x2xf32>
  %13 = memref.collapse_shape %m [[0, 1]] : memref<?x4xf32> into memref<?xf32>
  memref.copy %1, %m : memref<?x4xf32> to memref<?x4xf32>
  %14 = memref.transpose %m (i, j) -> (j, i) : memref<?x4xf32> to memref<4x?xf32, strided<[1, 4]>>
  %15 = memref.atomic_rmw addf %f, %m[%c0, %c0] : (f32, memref<?x4xf32>) -> f32
  %16 = memref.assume_alignment %m, 16 : memref<?x4xf32>
  memref.prefetch %m[%c0, %n], read, locality<3>, data : memref<?x4xf32>
  %17 = memref.generic_atomic_rmw %m[%c0, %c0] : memref<?x4xf32> {
  ^bb0(%cur: f32):
    memref.atomic_yield %cur : f32
  }
  %18 = memref.memory_space_cast %m : memref<?x4xf32> to memref<?x4xf32, 1>
  %base, %off, %sz:2, %str:2 = memref.extract_strided_metadata %m : memref<?x4xf32> -> memref<f32>, index, index, index, index, index
  %19 = memref.extract_aligned_pointer_as_index %m : memref<?x4xf32> -> index
  %sh = memref.alloc() : memref<2xindex>
  %20 = memref.reshape %u(%sh) : (memref<*xf32>, memref<2xindex>) -> memref<?x?xf32>
  %21 = memref.realloc %0(%n) : memref<4xf32> to memref<?xf32>
  return
}
func.func @tensors(%n: index, %t: tensor<?x4xf32>, %f: f32, %s: tensor<2xindex>) {
  %c0 = arith.constant 0 : index
  %0 = tensor.empty() : tensor<4xf32>
  %1 = tensor.empty(%n) : tensor<?x4xf32>
  %2 = tensor.extract %t[%c0, %n] : tensor<?x4xf32>
  %3 = tensor.insert %f into %t[%c0, %n] : tensor<?x4xf32>
  %4 = tensor.dim %t, %c0 : tensor<?x4xf32>
  %5 = tensor.rank %t : tensor<?x4xf32>
  %6 = tensor.cast %t : tensor<?x4xf32> to tensor<*xf32>
  %7 = tensor.extract_slice %t[%n, 0] [2, %n] [1, 1] : tensor<?x4xf32> to tensor<2x?xf32>
  %8 = tensor.insert_slice %7 into %t[%n, 0] [2, %n] [1, 1] : tensor<2x?xf32> into tensor<?x4xf32>
  %9 = tensor.from_elements %f, %f : tensor<2xf32>
  %10 = tensor.splat %f : tensor<4xf32>
  %11 = tensor.splat %f[%n] : tensor<?xf32>
  %12 = tensor.generate %n {
  ^bb0(%i: index, %j: index):
    tensor.yield %f : f32
  } : tensor<?x4xf32>
  %13 = tensor.pad %t low[1, %n] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %f : f32
  } : tensor<?x4xf32> to tensor<?x?xf32>
  %14 = tensor.expand_shape %t [[0, 1], [2]] output_shape [%n, 2, 4] : tensor<?x4xf32> into tensor<?x2x4xf32>
  %15 = tensor.collapse_shape %t [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %16 = tensor.reshape %t(%s) : (tensor<?x4xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  %17 = tensor.concat dim(0) %t, %t : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %18 = tensor.bitcast %t : tensor<?x4xf32> to tensor<?x4xi32>
  return
}
