// Of operands that an op fails for nothing moves in front of a loop that may never run: with 0 trips all of these end.
// RUN: noria opt --licm %s -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: noria run --interpret %t.mlir --entry=slice '[1, 2, 3]' 9 0 | FileCheck %s --check-prefix=END
// RUN: noria run --interpret %t.mlir --entry=no_size -1 0 | FileCheck %s --check-prefix=END
// RUN: noria run --interpret %t.mlir --entry=no_splat -1 0 | FileCheck %s --check-prefix=END
// RUN: noria run --interpret %t.mlir --entry=other_shape '[1, 2, 3]' 0 | FileCheck %s --check-prefix=END
// RUN: noria run --interpret %t.mlir --entry=view 3 9 0 | FileCheck %s --check-prefix=END
// RUN: noria run --interpret %t.mlir --entry=other_buffer 3 0 | FileCheck %s --check-prefix=END
// RUN: noria run --interpret %t.mlir --entry=position 'dense<1.0> : vector<4xf32>' 9 0 | FileCheck %s --check-prefix=END
// RUN: noria run --interpret %t.mlir --entry=power 0 -1 0 | FileCheck %s --check-prefix=END
// RUN: noria run --interpret %t.mlir --entry=shift 1 40 0 | FileCheck %s --check-prefix=END
// RUN: noria run --interpret %t.mlir --entry=number 1e30 0 | FileCheck %s --check-prefix=END
// RUN: noria run --interpret %t.mlir --entry=no_dim '[1, 2]' 5 0 | FileCheck %s --check-prefix=END
// RUN: noria run --interpret %t.mlir --entry=group '[1, 2, 3]' 5 0 | FileCheck %s --check-prefix=END
// RUN: noria run --interpret %t.mlir --entry=safe '[1, 2, 3]' 0 5 | FileCheck %s --check-prefix=SAFE
// RUN: noria run %s --entry=safe '[1, 2, 3]' 0 5 --check-stages | FileCheck %s --check-prefix=SAFE
// END: {{^(0|0.000000e\+00) : (f32|i32|index)$}}

// CHECK-LABEL: func.func @slice(
// CHECK: scf.for
// CHECK-NEXT: tensor.extract_slice
func.func @slice(%t: tensor<?xf32>, %o: index, %k: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%a = %z) -> f32 {
    %s = tensor.extract_slice %t[%o] [2] [1] : tensor<?xf32> to tensor<2xf32>
    %v = tensor.extract %s[%c0] : tensor<2xf32>
    %b = arith.addf %a, %v : f32
    scf.yield %b : f32
  }
  return %r : f32
}

// CHECK-LABEL: func.func @no_size(
// CHECK: scf.for
// CHECK-NEXT: tensor.empty
func.func @no_size(%n: index, %k: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%a = %c0) -> index {
    %s = tensor.empty(%n) : tensor<?xf32>
    %d = tensor.dim %s, %c0 : tensor<?xf32>
    %b = arith.addi %a, %d : index
    scf.yield %b : index
  }
  return %r : index
}

// CHECK-LABEL: func.func @no_splat(
// CHECK: scf.for
// CHECK-NEXT: tensor.splat
func.func @no_splat(%n: index, %k: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%a = %z) -> f32 {
    %s = tensor.splat %z[%n] : tensor<?xf32>
    %v = tensor.extract %s[%i] : tensor<?xf32>
    %b = arith.addf %a, %v : f32
    scf.yield %b : f32
  }
  return %r : f32
}

// CHECK-LABEL: func.func @other_shape(
// CHECK: scf.for
// CHECK-NEXT: tensor.cast
func.func @other_shape(%t: tensor<?xf32>, %k: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%a = %z) -> f32 {
    %s = tensor.cast %t : tensor<?xf32> to tensor<7xf32>
    %v = tensor.extract %s[%i] : tensor<7xf32>
    %b = arith.addf %a, %v : f32
    scf.yield %b : f32
  }
  return %r : f32
}

// CHECK-LABEL: func.func @view(
// CHECK: scf.for
// CHECK-NEXT: memref.subview
func.func @view(%n: index, %o: index, %k: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %t = memref.alloc(%n) : memref<?xf32>
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%a = %z) -> f32 {
    %s = memref.subview %t[%o] [2] [1] : memref<?xf32> to memref<2xf32, strided<[1], offset: ?>>
    memref.store %z, %s[%c0] : memref<2xf32, strided<[1], offset: ?>>
    %b = arith.addf %a, %z : f32
    scf.yield %b : f32
  }
  memref.dealloc %t : memref<?xf32>
  return %r : f32
}

// CHECK-LABEL: func.func @other_buffer(
// CHECK: scf.for
// CHECK-NEXT: memref.cast
func.func @other_buffer(%n: index, %k: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %t = memref.alloc(%n) : memref<?xf32>
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%a = %z) -> f32 {
    %s = memref.cast %t : memref<?xf32> to memref<7xf32>
    memref.store %z, %s[%c0] : memref<7xf32>
    %b = arith.addf %a, %z : f32
    scf.yield %b : f32
  }
  memref.dealloc %t : memref<?xf32>
  return %r : f32
}

// CHECK-LABEL: func.func @position(
// CHECK: scf.for
// CHECK-NEXT: vector.extract
func.func @position(%v: vector<4xf32>, %p: index, %k: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%a = %z) -> f32 {
    %s = vector.extract %v[%p] : f32 from vector<4xf32>
    %b = arith.addf %a, %s : f32
    scf.yield %b : f32
  }
  return %r : f32
}

// CHECK-LABEL: func.func @power(
// CHECK: scf.for
// CHECK-NEXT: math.ipowi
func.func @power(%x: i32, %p: i32, %k: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%a = %z) -> i32 {
    %s = math.ipowi %x, %p : i32
    %b = arith.addi %a, %s : i32
    scf.yield %b : i32
  }
  return %r : i32
}

// CHECK-LABEL: func.func @shift(
// CHECK: scf.for
// CHECK-NEXT: arith.shli
func.func @shift(%x: i32, %p: i32, %k: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%a = %z) -> i32 {
    %s = arith.shli %x, %p : i32
    %b = arith.addi %a, %s : i32
    scf.yield %b : i32
  }
  return %r : i32
}

// CHECK-LABEL: func.func @number(
// CHECK: scf.for
// CHECK-NEXT: arith.fptosi
func.func @number(%x: f32, %k: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%a = %z) -> i32 {
    %s = arith.fptosi %x : f32 to i32
    %b = arith.addi %a, %s : i32
    scf.yield %b : i32
  }
  return %r : i32
}

// CHECK-LABEL: func.func @no_dim(
// CHECK: scf.for
// CHECK-NEXT: tensor.dim
func.func @no_dim(%t: tensor<?xf32>, %o: index, %k: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%a = %c0) -> index {
    %s = tensor.dim %t, %o : tensor<?xf32>
    %b = arith.addi %a, %s : index
    scf.yield %b : index
  }
  return %r : index
}

// CHECK-LABEL: func.func @group(
// CHECK: scf.for
// CHECK-NEXT: tensor.expand_shape
func.func @group(%t: tensor<?xf32>, %o: index, %k: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%a = %z) -> f32 {
    %s = tensor.expand_shape %t [[0, 1]] output_shape [%o, 4] : tensor<?xf32> into tensor<?x4xf32>
    %v = tensor.extract %s[%c0, %c0] : tensor<?x4xf32>
    %b = arith.addf %a, %v : f32
    scf.yield %b : f32
  }
  return %r : f32
}

// What cannot fail moves: shifts by what is less than the width, the size of a dim, slices of all of a dim or by
// constants inside of a static one, casts that claim nothing, dims that are 1 more.
// CHECK-LABEL: func.func @safe(
// CHECK: tensor.dim
// CHECK: arith.shli
// CHECK: tensor.empty
// CHECK: tensor.extract_slice
// CHECK: tensor.expand_shape
// CHECK: tensor.cast
// CHECK: tensor.extract_slice
// CHECK: scf.for
// CHECK-NOT: tensor.{{empty|dim|cast|expand_shape|extract_slice}}
// SAFE: 2.000000e+01 : f32
func.func @safe(%t: tensor<?xf32>, %x: i32, %trips: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : i32
  %z = arith.constant 0.0 : f32
  %k = arith.constant dense<[4.0, 5.0, 6.0]> : tensor<3xf32>
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%a = %z) -> f32 {
    %n = tensor.dim %t, %c0 : tensor<?xf32>
    %s = arith.shli %x, %c3 : i32
    %e = tensor.empty(%n) : tensor<?xf32>
    %all = tensor.extract_slice %t[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
    %wide = tensor.expand_shape %all [[0, 1]] output_shape [1, %n] : tensor<?xf32> into tensor<1x?xf32>
    %open = tensor.cast %wide : tensor<1x?xf32> to tensor<?x?xf32>
    %two = tensor.extract_slice %k[0] [2] [1] : tensor<3xf32> to tensor<2xf32>
    %v = tensor.extract %two[%c0] : tensor<2xf32>
    %m = tensor.dim %e, %c0 : tensor<?xf32>
    %w = tensor.extract %open[%c0, %c0] : tensor<?x?xf32>
    %f = arith.sitofp %s : i32 to f32
    %p = arith.mulf %w, %f : f32
    %q = arith.addf %v, %p : f32
    %b = arith.addf %a, %q : f32
    scf.yield %b : f32
  }
  return %r : f32
}
