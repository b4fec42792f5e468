// Vectors in memory: compiled code gives the interpreter's messages. An access past the end of a row is out of bounds.
// RUN: noria opt --check-bounds %s | FileCheck %s

// CHECK-LABEL: func.func @load(
// CHECK: rt.check %{{.*}}, "'vector.load' op index %0 of dim 0 is out of bounds: the dim is %1"
// CHECK: rt.check %{{.*}}, "'vector.load' op index %0 of dim 1 is out of bounds: the dim is %1"
func.func @load(%m: memref<?x4xf32>, %i: index, %j: index) -> vector<2x2xf32> {
  %v = vector.load %m[%i, %j] : memref<?x4xf32>, vector<2x2xf32>
  return %v : vector<2x2xf32>
}
// RUN: noria run %s --entry=load --check-bounds ones:3x4 1 2 | FileCheck %s --check-prefix=ONES
// RUN: noria run %s --entry=load --interpret ones:3x4 1 2 | FileCheck %s --check-prefix=ONES
// ONES: dense<1.000000e+00> : vector<2x2xf32>
// RUN: not noria run %s --entry=load --check-bounds ones:3x4 0 3 2>&1 | FileCheck %s --check-prefix=ROW
// RUN: not noria run %s --entry=load --interpret ones:3x4 0 3 2>&1 | FileCheck %s --check-prefix=ROW
// ROW: 'vector.load' op index 4 of dim 1 is out of bounds: the dim is 4
// RUN: not noria run %s --entry=load --check-bounds ones:3x4 2 -1 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: not noria run %s --entry=load --interpret ones:3x4 2 -1 2>&1 | FileCheck %s --check-prefix=FIRST
// FIRST: 'vector.load' op index 3 of dim 0 is out of bounds: the dim is 3

func.func @masked(%m: memref<?x4xf32>, %i: index, %j: index, %mask: vector<2x2xi1>) -> vector<2x2xf32> {
  %p = arith.constant dense<7.0> : vector<2x2xf32>
  %v = vector.maskedload %m[%i, %j], %mask, %p : memref<?x4xf32>, vector<2x2xi1>, vector<2x2xf32> into vector<2x2xf32>
  return %v : vector<2x2xf32>
}
// RUN: noria run %s --entry=masked --check-bounds ones:3x4 2 3 '[[1,0],[0,0]]' | FileCheck %s --check-prefix=MASKED
// RUN: noria run %s --entry=masked --interpret ones:3x4 2 3 '[[1,0],[0,0]]' | FileCheck %s --check-prefix=MASKED
// MASKED: {{\[\[}}1.000000e+00, 7.000000e+00], [7.000000e+00, 7.000000e+00]]
// RUN: not noria run %s --entry=masked --check-bounds ones:3x4 1 3 '[[1,0],[0,1]]' 2>&1 | FileCheck %s --check-prefix=LANE
// RUN: not noria run %s --entry=masked --interpret ones:3x4 1 3 '[[1,0],[0,1]]' 2>&1 | FileCheck %s --check-prefix=LANE
// LANE: 'vector.maskedload' op index 4 of dim 1 is out of bounds: the dim is 4

func.func @store_masked(%m: memref<3x4xf32>, %i: index, %mask: vector<2x2xi1>, %v: vector<2x2xf32>) {
  vector.maskedstore %m[%i, %i], %mask, %v : memref<3x4xf32>, vector<2x2xi1>, vector<2x2xf32>
  return
}
// RUN: not noria run %s --entry=store_masked --check-bounds zeros 2 '[[1,1],[1,0]]' ones 2>&1 | FileCheck %s --check-prefix=STORED
// RUN: not noria run %s --entry=store_masked --interpret zeros 2 '[[1,1],[1,0]]' ones 2>&1 | FileCheck %s --check-prefix=STORED
// STORED: 'vector.maskedstore' op index 3 of dim 0 is out of bounds: the dim is 3

func.func @gather(%m: memref<?x4xf32>, %i: index, %at: vector<2x2xi32>, %mask: vector<2x2xi1>) -> vector<2x2xf32> {
  %c0 = arith.constant 0 : index
  %p = arith.constant dense<7.0> : vector<2x2xf32>
  %v = vector.gather %m[%i, %c0][%at], %mask, %p : memref<?x4xf32>, vector<2x2xi32>, vector<2x2xi1>, vector<2x2xf32> into vector<2x2xf32>
  return %v : vector<2x2xf32>
}
// RUN: noria run %s --entry=gather --check-bounds '[[1,2,3,4],[5,6,7,8]]' 1 '[[3,0],[9,1]]' '[[1,1],[0,1]]' | FileCheck %s --check-prefix=GATHERED
// RUN: noria run %s --entry=gather '[[1,2,3,4],[5,6,7,8]]' 1 '[[3,0],[9,1]]' '[[1,1],[0,1]]' | FileCheck %s --check-prefix=GATHERED
// RUN: noria run %s --entry=gather --interpret '[[1,2,3,4],[5,6,7,8]]' 1 '[[3,0],[9,1]]' '[[1,1],[0,1]]' | FileCheck %s --check-prefix=GATHERED
// GATHERED: {{\[\[}}8.000000e+00, 5.000000e+00], [7.000000e+00, 6.000000e+00]]
// RUN: not noria run %s --entry=gather --check-bounds zeros:2x4 1 '[[3,6],[5,-1]]' '[[1,1],[1,0]]' 2>&1 | FileCheck %s --check-prefix=GATHER
// RUN: not noria run %s --entry=gather --interpret zeros:2x4 1 '[[3,6],[5,-1]]' '[[1,1],[1,0]]' 2>&1 | FileCheck %s --check-prefix=GATHER
// GATHER: 'vector.gather' op index 5 of dim 1 is out of bounds: the dim is 4

func.func @packed(%m: memref<4xf32>, %i: index, %mask: vector<2x3xi1>, %v: vector<2x3xf32>) -> vector<2x3xf32> {
  vector.compressstore %m[%i], %mask, %v : memref<4xf32>, vector<2x3xi1>, vector<2x3xf32>
  %p = arith.constant dense<7.0> : vector<2x3xf32>
  %r = vector.expandload %m[%i], %mask, %p : memref<4xf32>, vector<2x3xi1>, vector<2x3xf32> into vector<2x3xf32>
  return %r : vector<2x3xf32>
}
// RUN: noria run %s --entry=packed --check-bounds zeros 1 '[[1,0,1],[0,1,0]]' '[[1,2,3],[4,5,6]]' | FileCheck %s --check-prefix=PACKED
// RUN: noria run %s --entry=packed --interpret zeros 1 '[[1,0,1],[0,1,0]]' '[[1,2,3],[4,5,6]]' | FileCheck %s --check-prefix=PACKED
// PACKED: {{\[\[}}1.000000e+00, 7.000000e+00, 3.000000e+00], [7.000000e+00, 5.000000e+00, 7.000000e+00]]
// RUN: not noria run %s --entry=packed --check-bounds zeros 2 '[[1,0,1],[0,1,0]]' ones 2>&1 | FileCheck %s --check-prefix=PACK
// RUN: not noria run %s --entry=packed --interpret zeros 2 '[[1,0,1],[0,1,0]]' ones 2>&1 | FileCheck %s --check-prefix=PACK
// PACK: 'vector.compressstore' op index 4 of dim 0 is out of bounds: the dim is 4

// With noria.readable an element for each lane has to be there.
func.func @readable(%m: memref<?xf32>, %i: index, %mask: vector<4xi1>, %p: vector<4xf32>) -> vector<4xf32> {
  %r = vector.expandload %m[%i], %mask, %p {noria.readable} : memref<?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  return %r : vector<4xf32>
}
// RUN: noria run %s --entry=readable --check-bounds '[1,2,3,4,5]' 1 '[0,1,0,1]' '[6,7,8,9]' | FileCheck %s --check-prefix=READABLE
// READABLE: [6.000000e+00, 2.000000e+00, 8.000000e+00, 3.000000e+00]
// RUN: not noria run %s --entry=readable --check-bounds '[1,2,3,4,5]' 2 '[0,1,0,1]' '[6,7,8,9]' 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: 'vector.expandload' op index 5 of dim 0 is out of bounds: the dim is 5

// That all is in bounds is said of the lanes that the mask sets.
func.func @transfer(%m: memref<?x4xf32>, %i: index, %j: index, %mask: vector<2x2xi1>) -> vector<2x2xf32> {
  %p = arith.constant 7.0 : f32
  %v = vector.transfer_read %m[%i, %j], %p, %mask {in_bounds = [true, true]} : memref<?x4xf32>, vector<2x2xf32>
  return %v : vector<2x2xf32>
}
// RUN: noria run %s --entry=transfer --check-bounds ones:3x4 2 3 '[[1,0],[0,0]]' | FileCheck %s --check-prefix=MASKED
// RUN: noria run %s --entry=transfer --interpret ones:3x4 2 3 '[[1,0],[0,0]]' | FileCheck %s --check-prefix=MASKED
// RUN: not noria run %s --entry=transfer --check-bounds ones:3x4 2 3 '[[1,1],[0,0]]' 2>&1 | FileCheck %s --check-prefix=SET
// RUN: not noria run %s --entry=transfer --interpret ones:3x4 2 3 '[[1,1],[0,0]]' 2>&1 | FileCheck %s --check-prefix=SET
// SET: 'vector.transfer_read' op index 4 of dim 1 is out of bounds: the dim is 4

// Elements that are vectors.
func.func @element(%m: memref<?xvector<4xf32>>, %i: index) -> vector<4xf32> {
  %v = vector.load %m[%i] : memref<?xvector<4xf32>>, vector<4xf32>
  return %v : vector<4xf32>
}
// RUN: noria run %s --entry=element --check-bounds ones:2x4 1 | FileCheck %s --check-prefix=ELEMENT
// RUN: noria run %s --entry=element --interpret ones:2x4 1 | FileCheck %s --check-prefix=ELEMENT
// ELEMENT: dense<1.000000e+00> : vector<4xf32>
