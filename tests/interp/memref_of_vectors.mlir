// Buffers whose elements are vectors: in memory, through calls, loops and structured ops, and as arguments and results,
// where they pass as buffers of the vectors' elements.

// RUN: noria run %s --entry=memory 1 --interpret | FileCheck %s --check-prefix=MEMORY
// RUN: noria run %s --entry=memory 1 --check-stages | FileCheck %s --check-prefix=MEMORY
// RUN: not noria run %s --entry=memory 2 --interpret 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not noria run %s --entry=memory 2 --check-bounds 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: noria run %s --entry=rows '[[1, 2, 3], [4, 5, 6]]' --interpret | FileCheck %s --check-prefix=ROWS
// RUN: noria run %s --entry=rows '[[1, 2, 3], [4, 5, 6]]' --check-stages | FileCheck %s --check-prefix=ROWS
// RUN: noria run %s --entry=narrow '[[[1, -64], [63, 5]]]' --interpret | FileCheck %s --check-prefix=NARROW
// RUN: noria run %s --entry=narrow '[[[1, -64], [63, 5]]]' --check-stages | FileCheck %s --check-prefix=NARROW
// RUN: noria run %s --entry=single '[1.5, 2.5]' --check-stages | FileCheck %s --check-prefix=SINGLE
// RUN: noria run %s --entry=view --interpret | FileCheck %s --check-prefix=VIEW
// RUN: noria run %s --entry=view --check-stages | FileCheck %s --check-prefix=VIEW

// MEMORY: {{^}}dense<[1.500000e+00, 2.500000e+00]> : vector<2xf32>
// OUTSIDE: 'memref.store' op index 2 of dim 0 is out of bounds: the dim is 2
func.func @memory(%i: index) -> vector<2xf32> {
  %m = memref.alloc() : memref<2xvector<2xf32>>
  %k = arith.constant dense<[1.5, 2.5]> : vector<2xf32>
  memref.store %k, %m[%i] : memref<2xvector<2xf32>>
  %v = memref.load %m[%i] : memref<2xvector<2xf32>>
  memref.dealloc %m : memref<2xvector<2xf32>>
  return %v : vector<2xf32>
}

// Each row is doubled in place; the results are buffers too: what the last one was, and the rows.
// ROWS: {{^}}dense<{{\[\[}}4.000000e+00, 5.000000e+00, 6.000000e+00]]> : tensor<1x3xf32>
// ROWS-NEXT: {{^}}dense<{{\[\[}}2.000000e+00, 4.000000e+00, 6.000000e+00], [8.000000e+00, 1.000000e+01, 1.200000e+01]]> : tensor<2x3xf32>
func.func @rows(%m: memref<?xvector<3xf32>>) -> (memref<1xvector<3xf32>>, memref<?xvector<3xf32>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<?xvector<3xf32>>
  %last = memref.alloc() : memref<1xvector<3xf32>>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %m[%i] : memref<?xvector<3xf32>>
    memref.store %v, %last[%c0] : memref<1xvector<3xf32>>
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%m : memref<?xvector<3xf32>>) {
  ^bb0(%v: vector<3xf32>):
    %s = arith.addf %v, %v : vector<3xf32>
    linalg.yield %s : vector<3xf32>
  }
  return %last, %m : memref<1xvector<3xf32>>, memref<?xvector<3xf32>>
}

// NARROW: {{^}}dense<{{\[\[\[}}2, 0], [-2, 10]]]> : tensor<1x2x2xi7>
func.func @narrow(%m: memref<1xvector<2x2xi7>>) -> memref<1xvector<2x2xi7>> {
  %c0 = arith.constant 0 : index
  %v = memref.load %m[%c0] : memref<1xvector<2x2xi7>>
  %s = arith.addi %v, %v : vector<2x2xi7>
  memref.store %s, %m[%c0] : memref<1xvector<2x2xi7>>
  return %m : memref<1xvector<2x2xi7>>
}

// SINGLE: {{^}}2.500000e+00 : f32
func.func @single(%m: memref<vector<2xf32>>) -> f32 {
  %v = memref.load %m[] : memref<vector<2xf32>>
  %x = vector.extract %v[1] : f32 from vector<2xf32>
  return %x : f32
}

// VIEW: {{^}}dense<[0, 16711935]> : vector<2xi32>
func.func @view() -> vector<2xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bytes = memref.alloc() : memref<16xi8>
  %m = memref.view %bytes[%c0][] : memref<16xi8> to memref<2xvector<2xi32>>
  %k = arith.constant dense<[0, 16711935]> : vector<2xi32>
  memref.store %k, %m[%c1] : memref<2xvector<2xi32>>
  %v = memref.load %m[%c1] : memref<2xvector<2xi32>>
  memref.dealloc %bytes : memref<16xi8>
  return %v : vector<2xi32>
}

// In layouts of their own, of any space.
// RUN: noria run %s --entry=strided '[[1, 2], [5, 6]]' --check-passes | FileCheck %s --check-prefix=STRIDED
// STRIDED: dense<{{\[}}[5.000000e+00, 6.000000e+00], [5.000000e+00, 6.000000e+00]]> : tensor<2x2xf32>
func.func @strided(%m: memref<2xvector<2xf32>, strided<[3], offset: 1>>) -> memref<2xvector<2xf32>, strided<[3], offset: 1>> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = memref.load %m[%c1] : memref<2xvector<2xf32>, strided<[3], offset: 1>>
  memref.store %v, %m[%c0] : memref<2xvector<2xf32>, strided<[3], offset: 1>>
  return %m : memref<2xvector<2xf32>, strided<[3], offset: 1>>
}
// RUN: noria run %s --entry=turned '[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]' --check-passes | FileCheck %s --check-prefix=TURNED
// TURNED: dense<{{\[\[}}[1, 2], [3, 4]], {{\[}}[3, 4], [7, 8]]]> : tensor<2x2x2xi7>
#turned = affine_map<(d0, d1) -> (d1, d0)>
func.func @turned(%m: memref<?x2xvector<2xi7>, #turned, 1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = memref.load %m[%c0, %c1] : memref<?x2xvector<2xi7>, #turned, 1>
  memref.store %v, %m[%c1, %c0] : memref<?x2xvector<2xi7>, #turned, 1>
  return
}
