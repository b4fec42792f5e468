// Each program in the interpreter, which reads the maps, and compiled, where they are arith.
// RUN: noria run %s --entry=rounding --check-passes
// RUN: noria run %s --entry=rounding | FileCheck %s --check-prefix=ROUNDING
// RUN: noria run %s --entry=rounding --interpret | FileCheck %s --check-prefix=ROUNDING
// RUN: noria run %s --entry=extremes 7 -2 | FileCheck %s --check-prefix=EXTREMES
// RUN: noria run %s --entry=extremes 7 -2 --interpret | FileCheck %s --check-prefix=EXTREMES
// RUN: noria run %s --entry=tiled 10 | FileCheck %s --check-prefix=TILED
// RUN: noria run %s --entry=tiled 10 --interpret | FileCheck %s --check-prefix=TILED
// RUN: noria run %s --entry=tiled 10 --check-passes
// RUN: noria run %s --entry=matmul '[[1.0, 2.0], [3.0, 4.0]]' '[[5.0, 6.0], [7.0, 8.0]]' | FileCheck %s --check-prefix=MATMUL
// RUN: noria run %s --entry=matmul '[[1.0, 2.0], [3.0, 4.0]]' '[[5.0, 6.0], [7.0, 8.0]]' --interpret | FileCheck %s --check-prefix=MATMUL
// RUN: noria run %s --entry=matmul '[[1.0, 2.0], [3.0, 4.0]]' '[[5.0, 6.0], [7.0, 8.0]]' --check-passes
// RUN: noria run %s --entry=indices 1234 | FileCheck %s --check-prefix=INDICES
// RUN: noria run %s --entry=indices 1234 --interpret | FileCheck %s --check-prefix=INDICES
// RUN: noria run %s --entry=indices -1 --interpret | FileCheck %s --check-prefix=BELOW
// RUN: noria run %s --entry=indices -1 | FileCheck %s --check-prefix=BELOW
// RUN: noria run %s --entry=vectors --check-passes
// RUN: noria run %s --entry=vectors | FileCheck %s --check-prefix=VECTORS

// The quotients of -7 .. 7 by 3, and the remainder.
// ROUNDING: dense<[-3, -2, -2, -2, -1, -1, -1, 0, 0, 0, 1, 1, 1, 2, 2]>
// ROUNDING: dense<[-2, -2, -1, -1, -1, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3]>
// ROUNDING: dense<[2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1]>
func.func @rounding() -> (memref<15xindex>, memref<15xindex>, memref<15xindex>) {
  %floor = memref.alloc() : memref<15xindex>
  %ceil = memref.alloc() : memref<15xindex>
  %mod = memref.alloc() : memref<15xindex>
  affine.for %i = -7 to 8 {
    %0 = affine.apply affine_map<(d0) -> (d0 floordiv 3)>(%i)
    %1 = affine.apply affine_map<(d0) -> (d0 ceildiv 3)>(%i)
    %2 = affine.apply affine_map<(d0) -> (d0 mod 3)>(%i)
    affine.store %0, %floor[%i + 7] : memref<15xindex>
    affine.store %1, %ceil[%i + 7] : memref<15xindex>
    affine.store %2, %mod[%i + 7] : memref<15xindex>
  }
  return %floor, %ceil, %mod : memref<15xindex>, memref<15xindex>, memref<15xindex>
}

// EXTREMES: -5 : index
// EXTREMES: 14 : index
func.func @extremes(%x: index, %y: index) -> (index, index) {
  %0 = affine.min affine_map<(d0)[s0] -> (d0, 3, s0 * 2 - 1)>(%x)[%y]
  %1 = affine.max affine_map<(d0)[s0] -> (d0 * 2, 3, s0)>(%x)[%y]
  return %0, %1 : index, index
}

// TILED: 45 : index
// TILED: 3 : index
func.func @tiled(%n: index) -> (index, index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r:2 = affine.for %i = 0 to %n step 4 iter_args(%sum = %zero, %tiles = %zero) -> (index, index) {
    %inner = affine.for %j = affine_map<(d0) -> (d0)>(%i) to min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%i)[%n]
        iter_args(%s = %sum) -> index {
      %t = arith.addi %s, %j : index
      affine.yield %t : index
    }
    %more = arith.addi %tiles, %one : index
    affine.yield %inner, %more : index, index
  }
  return %r#0, %r#1 : index, index
}

// MATMUL: dense<{{\[\[}}1.900000e+01, 2.200000e+01], [4.300000e+01, 5.000000e+01]]>
func.func @matmul(%a: memref<?x?xf32>, %b: memref<?x?xf32>) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : memref<?x?xf32>
  %k = memref.dim %a, %c1 : memref<?x?xf32>
  %n = memref.dim %b, %c1 : memref<?x?xf32>
  %c = memref.alloc(%m, %n) : memref<?x?xf32>
  affine.parallel (%i, %j) = (0, 0) to (%m, %n) {
    %sum = affine.for %l = 0 to %k iter_args(%acc = %zero) -> f32 {
      %x = affine.load %a[%i, %l] : memref<?x?xf32>
      %y = affine.load %b[%l, %j] : memref<?x?xf32>
      %p = arith.mulf %x, %y : f32
      %s = arith.addf %acc, %p : f32
      affine.yield %s : f32
    }
    affine.store %sum, %c[%i, %j] : memref<?x?xf32>
  }
  return %c : memref<?x?xf32>
}

// INDICES: 61 : index
// INDICES: 3 : index
// INDICES: 2 : index
// INDICES: 1234 : index
// BELOW: -1 : index
// BELOW: 4 : index
// BELOW: 3 : index
// BELOW: -1 : index
func.func @indices(%x: index) -> (index, index, index, index) {
  %n = arith.constant 5 : index
  %i:3 = affine.delinearize_index %x into (%n, 4) : index, index, index
  %y = affine.linearize_index [%i#0, %i#1, %i#2] by (7, %n, 4) : index
  return %i#0, %i#1, %i#2, %y : index, index, index, index
}

// VECTORS: dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00]>
func.func @vectors() -> memref<8xf32> {
  %m = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 4 {
    %k = arith.index_cast %i : index to i32
    %x = arith.sitofp %k : i32 to f32
    affine.store %x, %m[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 2 {
    %v = affine.vector_load %m[%i * 0] : memref<8xf32>, vector<4xf32>
    affine.prefetch %m[%i], write, locality<0>, data : memref<8xf32>
    affine.vector_store %v, %m[%i * 4] : memref<8xf32>, vector<4xf32>
  }
  return %m : memref<8xf32>
}
