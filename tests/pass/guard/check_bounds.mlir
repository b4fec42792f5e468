// Each access asks first. RUN lines: the code, and that compiled code says what the interpreter says.
// RUN: noria opt --check-bounds %s | FileCheck %s

// CHECK-LABEL: func.func @load
func.func @load(%m: memref<?x4xf32>, %i: index) -> f32 {
  // CHECK: %[[SIZE:.*]] = memref.dim %arg0
  // CHECK: %[[IN:.*]] = arith.cmpi ult, %arg1, %[[SIZE]] : index
  // CHECK: rt.check %[[IN]], "'memref.load' op index %0 of dim 0 is out of bounds: the dim is %1"(%arg1, %[[SIZE]] : index, index)
  // CHECK: rt.check %{{.*}}, "'memref.load' op index %0 of dim 1
  // CHECK: memref.load
  %c1 = arith.constant 1 : index
  %x = memref.load %m[%i, %c1] : memref<?x4xf32>
  return %x : f32
}
// RUN: noria run %s --entry=load --check-bounds zeros:3x4 2 | FileCheck %s --check-prefix=ZERO
// ZERO: 0.000000e+00 : f32
// RUN: not noria run %s --entry=load --check-bounds zeros:3x4 3 2>&1 | FileCheck %s --check-prefix=LOAD
// RUN: not noria run %s --entry=load --interpret zeros:3x4 3 2>&1 | FileCheck %s --check-prefix=LOAD
// LOAD: 'memref.load' op index 3 of dim 0 is out of bounds: the dim is 3
// RUN: not noria run %s --entry=load --check-bounds zeros:3x4 -1 2>&1 | FileCheck %s --check-prefix=BELOW
// BELOW: 'memref.load' op index -1 of dim 0

func.func @store_in_a_loop(%m: memref<8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 5 : i32
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %m[%i] : memref<8xi32>
  }
  return
}
// RUN: noria run %s --entry=store_in_a_loop --check-bounds zeros 8 | FileCheck %s --check-prefix=FIVES
// FIVES: dense<5> : tensor<8xi32>
// RUN: not noria run %s --entry=store_in_a_loop --check-bounds zeros 9 2>&1 | FileCheck %s --check-prefix=STORE
// RUN: not noria run %s --entry=store_in_a_loop --interpret zeros 9 2>&1 | FileCheck %s --check-prefix=STORE
// STORE: 'memref.store' op index 8 of dim 0 is out of bounds: the dim is 8

func.func @extract(%t: tensor<?xf32>, %i: index) -> f32 {
  %x = tensor.extract %t[%i] : tensor<?xf32>
  return %x : f32
}
// RUN: not noria run %s --entry=extract --check-bounds zeros:3 7 2>&1 | FileCheck %s --check-prefix=EXTRACT
// EXTRACT: 'tensor.extract' op index 7 of dim 0 is out of bounds: the dim is 3

func.func @view(%m: memref<?xf32>, %offset: index, %size: index, %step: index) -> index {
  %c0 = arith.constant 0 : index
  %v = memref.subview %m[%offset] [%size] [%step] : memref<?xf32> to memref<?xf32, strided<[?], offset: ?>>
  %n = memref.dim %v, %c0 : memref<?xf32, strided<[?], offset: ?>>
  return %n : index
}
// RUN: noria run %s --entry=view --check-bounds zeros:10 1 5 2 | FileCheck %s --check-prefix=VIEW
// VIEW: 5 : index
// RUN: noria run %s --entry=view --check-bounds zeros:10 10 0 1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: 0 : index
// RUN: noria run %s --entry=view --check-bounds zeros:10 9 5 -2 | FileCheck %s --check-prefix=VIEW
// RUN: not noria run %s --entry=view --check-bounds zeros:10 1 6 2 2>&1 | FileCheck %s --check-prefix=LEAVES
// RUN: not noria run %s --entry=view --interpret zeros:10 1 6 2 2>&1 | FileCheck %s --check-prefix=LEAVES
// LEAVES: 'memref.subview' op the slice [1, +6, step 2] leaves dim 0 of 10

func.func @vector(%m: memref<?xf32>, %i: index) -> f32 {
  %c0 = arith.constant 0.0 : f32
  %v = vector.load %m[%i] : memref<?xf32>, vector<4xf32>
  %s = vector.reduction <add>, %v : vector<4xf32> into f32
  return %s : f32
}
// RUN: noria run %s --entry=vector --check-bounds zeros:9 5 | FileCheck %s --check-prefix=ZERO
// RUN: not noria run %s --entry=vector --check-bounds zeros:9 6 2>&1 | FileCheck %s --check-prefix=LANES
// RUN: not noria run %s --entry=vector --check-bounds zeros:2 0 2>&1 | FileCheck %s --check-prefix=SHORT
// LANES: 'vector.load' op index 9 of dim 0 is out of bounds: the dim is 9
// SHORT: 'vector.load' op index 2 of dim 0 is out of bounds: the dim is 2

// An access in the body of a structured op.
func.func @gather(%t: tensor<?xf32>, %at: tensor<4xindex>) -> tensor<4xf32> {
  %empty = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%at : tensor<4xindex>) outs(%empty : tensor<4xf32>) {
  ^bb0(%i: index, %o: f32):
    %x = tensor.extract %t[%i] : tensor<?xf32>
    linalg.yield %x : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
// RUN: noria run %s --entry=gather --check-bounds '[1, 2, 3]' '[2, 0, 1, 2]' | FileCheck %s --check-prefix=GATHER
// GATHER: dense<[3.{{0+}}e+00, 1.{{0+}}e+00, 2.{{0+}}e+00, 3.{{0+}}e+00]>
// RUN: not noria run %s --entry=gather --check-bounds '[1, 2, 3]' '[2, 0, 3, 2]' 2>&1 | FileCheck %s --check-prefix=GATHERED
// GATHERED: 'tensor.extract' op index 3 of dim 0 is out of bounds: the dim is 3
