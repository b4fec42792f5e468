// Checks of --check-bounds other than indices: compiled code gives the interpreter's messages.

func.func @cast(%m: memref<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %s = memref.cast %m : memref<?xf32> to memref<4xf32>
  %c = memref.cast %s : memref<4xf32> to memref<?xf32>
  %n = memref.dim %c, %c0 : memref<?xf32>
  return %n : index
}
// RUN: noria run %s --entry=cast --check-bounds zeros:4 | FileCheck %s --check-prefix=CAST
// CAST: 4 : index
// RUN: not noria run %s --entry=cast --check-bounds zeros:3 2>&1 | FileCheck %s --check-prefix=CAST3
// RUN: not noria run %s --entry=cast --interpret zeros:3 2>&1 | FileCheck %s --check-prefix=CAST3
// CAST3: check_shapes.mlir:[[#@LINE-9]]:8: 'memref.cast' op dim 0 is 3, where 4 is expected

func.func @cast_ranked(%m: memref<?x?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %u = memref.cast %m : memref<?x?xf32> to memref<*xf32>
  %v = memref.cast %u : memref<*xf32> to memref<?xf32>
  %n = memref.dim %v, %c0 : memref<?xf32>
  return %n : index
}
// RUN: not noria run %s --entry=cast_ranked --check-bounds zeros:3x2 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not noria run %s --entry=cast_ranked --interpret zeros:3x2 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: check_shapes.mlir:[[#@LINE-6]]:8: 'memref.cast' op the value has rank 2, where 1 is expected

func.func @cast_tensor(%t: tensor<?x2xf32>) -> tensor<4x2xf32> {
  %s = tensor.cast %t : tensor<?x2xf32> to tensor<4x2xf32>
  return %s : tensor<4x2xf32>
}
// RUN: not noria run %s --entry=cast_tensor --check-bounds zeros:3x2 2>&1 | FileCheck %s --check-prefix=TENSOR
// RUN: not noria run %s --entry=cast_tensor --interpret zeros:3x2 2>&1 | FileCheck %s --check-prefix=TENSOR
// TENSOR: check_shapes.mlir:[[#@LINE-5]]:8: 'tensor.cast' op dim 0 is 3, where 4 is expected

func.func @copy(%a: memref<?x4xf32>, %b: memref<?x4xf32>) {
  memref.copy %a, %b : memref<?x4xf32> to memref<?x4xf32>
  return
}
// RUN: noria run %s --entry=copy --check-bounds ones:2x4 zeros:2x4 | FileCheck %s --check-prefix=COPY
// COPY: dense<1.000000e+00> : tensor<2x4xf32>
// RUN: not noria run %s --entry=copy --check-bounds ones:3x4 zeros:2x4 2>&1 | FileCheck %s --check-prefix=COPIES
// RUN: not noria run %s --entry=copy --interpret ones:3x4 zeros:2x4 2>&1 | FileCheck %s --check-prefix=COPIES
// COPIES: check_shapes.mlir:[[#@LINE-7]]:3: 'memref.copy' op copies between different shapes

func.func @sum(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %s = arith.addf %a, %b : tensor<?xf32>
  return %s : tensor<?xf32>
}
// RUN: not noria run %s --entry=sum --check-bounds ones:3 zeros:2 2>&1 | FileCheck %s --check-prefix=SUM
// RUN: not noria run %s --entry=sum --interpret ones:3 zeros:2 2>&1 | FileCheck %s --check-prefix=SUM
// SUM: check_shapes.mlir:[[#@LINE-5]]:8: 'arith.addf' op its operands have different shapes

func.func @window(%x: tensor<?xf32>, %w: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 * 2 + d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
// RUN: noria run %s --entry=window --check-bounds '[1, 2, 3, 4, 5]' '[1, 1, 1]' '[0, 0]' | FileCheck %s --check-prefix=WINDOW
// WINDOW: dense<[6.000000e+00, 1.200000e+01]>
// RUN: not noria run %s --entry=window --check-bounds '[1, 2, 3, 4]' '[1, 1, 1]' '[0, 0]' 2>&1 | FileCheck %s --check-prefix=LEAVES
// RUN: not noria run %s --entry=window --interpret '[1, 2, 3, 4]' '[1, 1, 1]' '[0, 0]' 2>&1 | FileCheck %s --check-prefix=LEAVES
// LEAVES: check_shapes.mlir:[[#@LINE-14]]:8: 'linalg.generic' op an indexing map leaves an operand's bounds

func.func @expand(%m: memref<?xf32>, %n: index) -> f32 {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %e = memref.expand_shape %m [[0, 1]] output_shape [%n, 3] : memref<?xf32> into memref<?x3xf32>
  %x = memref.load %e[%c1, %c2] : memref<?x3xf32>
  return %x : f32
}
// RUN: noria run %s --entry=expand --check-bounds '[1, 2, 3, 4, 5, 6]' 2 | FileCheck %s --check-prefix=EXPAND
// EXPAND: 6.000000e+00 : f32
// RUN: not noria run %s --entry=expand --check-bounds '[1, 2, 3, 4, 5, 6]' 3 2>&1 | FileCheck %s --check-prefix=EXPANDS
// RUN: not noria run %s --entry=expand --interpret '[1, 2, 3, 4, 5, 6]' 3 2>&1 | FileCheck %s --check-prefix=EXPANDS
// EXPANDS: check_shapes.mlir:[[#@LINE-8]]:8: 'memref.expand_shape' op the shapes have 6 and 9 elements

func.func @reshape(%m: memref<?xf32>, %shape: memref<2xi32>) -> f32 {
  %c1 = arith.constant 1 : index
  %r = memref.reshape %m(%shape) : (memref<?xf32>, memref<2xi32>) -> memref<?x?xf32>
  %x = memref.load %r[%c1, %c1] : memref<?x?xf32>
  return %x : f32
}
// RUN: noria run %s --entry=reshape --check-bounds '[1, 2, 3, 4, 5, 6]' '[3, 2]' | FileCheck %s --check-prefix=RESHAPE
// RESHAPE: 4.000000e+00 : f32
// RUN: not noria run %s --entry=reshape --check-bounds '[1, 2, 3, 4, 5, 6]' '[4, 2]' 2>&1 | FileCheck %s --check-prefix=EIGHT
// RUN: not noria run %s --entry=reshape --interpret '[1, 2, 3, 4, 5, 6]' '[4, 2]' 2>&1 | FileCheck %s --check-prefix=EIGHT
// EIGHT: check_shapes.mlir:[[#@LINE-8]]:8: 'memref.reshape' op the shapes have 6 and 8 elements
// RUN: not noria run %s --entry=reshape --check-bounds '[1, 2, 3, 4, 5, 6]' '[-3, -2]' 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: not noria run %s --entry=reshape --interpret '[1, 2, 3, 4, 5, 6]' '[-3, -2]' 2>&1 | FileCheck %s --check-prefix=BELOW
// BELOW: check_shapes.mlir:[[#@LINE-11]]:8: 'memref.reshape' op dim 0 of the shape is -3

func.func @view(%b: memref<16xi8>, %shift: index, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %v = memref.view %b[%shift][%n] : memref<16xi8> to memref<?xi32>
  %d = memref.dim %v, %c0 : memref<?xi32>
  return %d : index
}
// RUN: noria run %s --entry=view --check-bounds zeros 4 3 | FileCheck %s --check-prefix=VIEW
// VIEW: 3 : index
// RUN: not noria run %s --entry=view --check-bounds zeros 4 4 2>&1 | FileCheck %s --check-prefix=VIEW4
// RUN: not noria run %s --entry=view --check-bounds zeros 3 2 2>&1 | FileCheck %s --check-prefix=VIEW4
// RUN: not noria run %s --entry=view --check-bounds zeros 4 4611686018427387905 2>&1 | FileCheck %s --check-prefix=VIEW4
// RUN: not noria run %s --entry=view --interpret zeros 4 4 2>&1 | FileCheck %s --check-prefix=VIEW4
// VIEW4: check_shapes.mlir:[[#@LINE-10]]:8: 'memref.view' op does not lie in its source, or not on a multiple of its elements' size

func.func @reinterpret(%m: memref<?xf32>, %offset: index, %n: index, %stride: index) -> index {
  %c0 = arith.constant 0 : index
  %r = memref.reinterpret_cast %m to offset: [%offset], sizes: [%n], strides: [%stride] : memref<?xf32> to memref<?xf32, strided<[?], offset: ?>>
  %d = memref.dim %r, %c0 : memref<?xf32, strided<[?], offset: ?>>
  return %d : index
}
// RUN: noria run %s --entry=reinterpret --check-bounds zeros:8 1 4 2 | FileCheck %s --check-prefix=REINTERPRET
// REINTERPRET: 4 : index
// RUN: not noria run %s --entry=reinterpret --check-bounds zeros:8 2 4 2 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not noria run %s --entry=reinterpret --check-bounds zeros:8 0 4294967297 4294967296 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not noria run %s --entry=reinterpret --interpret zeros:8 2 4 2 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not noria run %s --entry=reinterpret --check-bounds zeros:8 6 8 -1 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not noria run %s --entry=reinterpret --check-bounds zeros:8 7 2 -9223372036854775808 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not noria run %s --entry=reinterpret --interpret zeros:8 6 8 -1 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: noria run %s --entry=reinterpret --check-bounds zeros:8 7 8 -1 | FileCheck %s --check-prefix=BACKWARDS
// RUN: noria run %s --entry=reinterpret --interpret zeros:8 7 8 -1 | FileCheck %s --check-prefix=BACKWARDS
// BACKWARDS: 8 : index
// OUTSIDE: check_shapes.mlir:[[#@LINE-15]]:8: 'memref.reinterpret_cast' op has elements outside of the buffer

// A slice whose last element is computed past the end of the index type.
func.func @slice(%m: memref<?xf32>, %n: index, %step: index) -> index {
  %c0 = arith.constant 0 : index
  %v = memref.subview %m[0] [%n] [%step] : memref<?xf32> to memref<?xf32, strided<[?]>>
  %d = memref.dim %v, %c0 : memref<?xf32, strided<[?]>>
  return %d : index
}
// RUN: not noria run %s --entry=slice --check-bounds zeros:8 4294967297 4294967296 2>&1 | FileCheck %s --check-prefix=SLICE
// RUN: not noria run %s --entry=slice --interpret zeros:8 4294967297 4294967296 2>&1 | FileCheck %s --check-prefix=SLICE
// SLICE: check_shapes.mlir:[[#@LINE-6]]:8: 'memref.subview' op the slice [0, +4294967297, step 4294967296] leaves dim 0 of 8

func.func @dim(%m: memref<?x2xf32>, %i: index) -> index {
  %d = memref.dim %m, %i : memref<?x2xf32>
  return %d : index
}
// RUN: not noria run %s --entry=dim --check-bounds zeros:3x2 2 2>&1 | FileCheck %s --check-prefix=DIM
// RUN: not noria run %s --entry=dim --interpret zeros:3x2 2 2>&1 | FileCheck %s --check-prefix=DIM
// DIM: check_shapes.mlir:[[#@LINE-5]]:8: 'memref.dim' op dim 2 of a value of rank 2

func.func @transfer(%a: memref<8xf32>, %b: memref<4x4xf32, 1>, %tag: memref<1xi32>, %n: index, %at: index) {
  %c0 = arith.constant 0 : index
  memref.dma_start %a[%c0], %b[%at, %c0], %n, %tag[%c0] : memref<8xf32>, memref<4x4xf32, 1>, memref<1xi32>
  memref.dma_wait %tag[%c0], %n : memref<1xi32>
  return
}
// RUN: noria run %s --entry=transfer --check-bounds ones:8 zeros zeros 8 2 | FileCheck %s --check-prefix=TRANSFER
// TRANSFER: dense<1.000000e+00> : tensor<8xf32>
// RUN: not noria run %s --entry=transfer --check-bounds ones:8 zeros zeros 8 3 2>&1 | FileCheck %s --check-prefix=TRANSFERS
// RUN: not noria run %s --entry=transfer --interpret ones:8 zeros zeros 8 3 2>&1 | FileCheck %s --check-prefix=TRANSFERS
// TRANSFERS: check_shapes.mlir:[[#@LINE-8]]:3: 'memref.dma_start' op the transfer leaves a buffer of 16 elements

func.func @shift(%a: i32, %n: i32) -> i32 {
  %r = arith.shrui %a, %n : i32
  return %r : i32
}
// RUN: noria run %s --entry=shift --check-bounds 256 31 | FileCheck %s --check-prefix=SHIFT
// SHIFT: 0 : i32
// RUN: not noria run %s --entry=shift --check-bounds 256 32 2>&1 | FileCheck %s --check-prefix=SHIFT32
// RUN: not noria run %s --entry=shift --interpret 256 32 2>&1 | FileCheck %s --check-prefix=SHIFT32
// SHIFT32: check_shapes.mlir:[[#@LINE-7]]:8: 'arith.shrui' op shift by the width or more

func.func @number(%x: f32) -> i32 {
  %r = arith.fptosi %x : f32 to i32
  return %r : i32
}
// RUN: noria run %s --entry=number --check-bounds -2147483648.0 | FileCheck %s --check-prefix=NUMBER
// NUMBER: -2147483648 : i32
// RUN: not noria run %s --entry=number --check-bounds 2147483648.0 2>&1 | FileCheck %s --check-prefix=NUMBERS
// RUN: not noria run %s --entry=number --check-bounds 0x7FC00000 2>&1 | FileCheck %s --check-prefix=NUMBERS
// RUN: not noria run %s --entry=number --interpret 2147483648.0 2>&1 | FileCheck %s --check-prefix=NUMBERS
// NUMBERS: check_shapes.mlir:[[#@LINE-8]]:8: 'arith.fptosi' op the number does not fit the integer

// ---- vectors ----

func.func @masked(%m: memref<?xf32>, %i: index, %n: index) -> f32 {
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %mask = vector.create_mask %n : vector<4xi1>
  %v = vector.maskedload %m[%i], %mask, %zero : memref<?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %w = vector.expandload %m[%i], %mask, %zero : memref<?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %u = arith.addf %v, %w : vector<4xf32>
  %s = vector.reduction <add>, %u : vector<4xf32> into f32
  return %s : f32
}
// RUN: noria run %s --entry=masked --check-bounds '[1, 2, 3, 4, 5]' 3 2 | FileCheck %s --check-prefix=MASKED
// MASKED: 1.800000e+01 : f32
// RUN: noria run %s --entry=masked --check-bounds '[1, 2, 3, 4, 5]' 9 0 | FileCheck %s --check-prefix=NONE
// NONE: 0.000000e+00 : f32
// RUN: not noria run %s --entry=masked --check-bounds '[1, 2, 3, 4, 5]' 3 3 2>&1 | FileCheck %s --check-prefix=LANE
// LANE: check_shapes.mlir:[[#@LINE-11]]:8: 'vector.maskedload' op index 5 of dim 0 is out of bounds: the dim is 5

func.func @gather(%m: memref<?xf32>, %at: memref<4xi32>) -> f32 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %all = arith.constant dense<true> : vector<4xi1>
  %i = vector.load %at[%c0] : memref<4xi32>, vector<4xi32>
  %v = vector.gather %m[%c0] [%i], %all, %zero : memref<?xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %s = vector.reduction <add>, %v : vector<4xf32> into f32
  return %s : f32
}
// RUN: noria run %s --entry=gather --check-bounds '[1, 2, 3]' '[0, 2, 2, 1]' | FileCheck %s --check-prefix=GATHER
// GATHER: 9.000000e+00 : f32
// RUN: not noria run %s --entry=gather --check-bounds '[1, 2, 3]' '[0, 2, 3, 1]' 2>&1 | FileCheck %s --check-prefix=GATHERED
// GATHERED: check_shapes.mlir:[[#@LINE-7]]:8: 'vector.gather' op index 3 of dim 0 is out of bounds: the dim is 3
// RUN: not noria run %s --entry=gather --check-bounds '[1, 2, 3]' '[0, -1, 2, 1]' 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: not noria run %s --entry=gather --interpret '[1, 2, 3]' '[0, -1, 2, 1]' 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE: check_shapes.mlir:[[#@LINE-10]]:8: 'vector.gather' op index -1 of dim 0 is out of bounds: the dim is 3

func.func @read(%m: memref<?x4xf32>, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %v = vector.transfer_read %m[%i, %c0], %zero {in_bounds = [true, true]} : memref<?x4xf32>, vector<2x4xf32>
  %f = vector.shape_cast %v : vector<2x4xf32> to vector<8xf32>
  %s = vector.reduction <add>, %f : vector<8xf32> into f32
  return %s : f32
}
// RUN: noria run %s --entry=read --check-bounds ones:3x4 1 | FileCheck %s --check-prefix=READ
// READ: 8.000000e+00 : f32
// RUN: not noria run %s --entry=read --check-bounds ones:3x4 2 2>&1 | FileCheck %s --check-prefix=READ2
// RUN: not noria run %s --entry=read --interpret ones:3x4 2 2>&1 | FileCheck %s --check-prefix=READ2
// READ2: check_shapes.mlir:[[#@LINE-9]]:8: 'vector.transfer_read' op index 3 of dim 0 is out of bounds: the dim is 3

func.func @lane(%m: memref<4xf32>, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %v = vector.load %m[%c0] : memref<4xf32>, vector<4xf32>
  %x = vector.extract %v[%i] : f32 from vector<4xf32>
  return %x : f32
}
// RUN: not noria run %s --entry=lane --check-bounds ones:4 4 2>&1 | FileCheck %s --check-prefix=POSITION
// RUN: not noria run %s --entry=lane --interpret ones:4 4 2>&1 | FileCheck %s --check-prefix=POSITION
// POSITION: check_shapes.mlir:[[#@LINE-5]]:8: 'vector.extract' op position 4 of dim 0 is out of bounds: the dim is 4

// ---- inserts ----

func.func @insert(%s: tensor<?xf32>, %d: tensor<8xf32>, %at: index, %n: index) -> tensor<8xf32> {
  %r = tensor.insert_slice %s into %d[%at] [%n] [1] : tensor<?xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}
// RUN: not noria run %s --entry=insert --check-bounds ones:3 zeros 2 4 2>&1 | FileCheck %s --check-prefix=INSERT
// RUN: not noria run %s --entry=insert --interpret ones:3 zeros 2 4 2>&1 | FileCheck %s --check-prefix=INSERT
// INSERT: check_shapes.mlir:[[#@LINE-5]]:8: 'tensor.insert_slice' op the source does not have the shape of the slice

func.func @parts(%t: tensor<4xi32>, %n: index) -> tensor<4xi32> {
  %one = arith.constant dense<1> : tensor<2xi32>
  %r = scf.forall (%i) in (%n) shared_outs(%o = %t) -> (tensor<4xi32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %one into %o[%i] [2] [1] : tensor<2xi32> into tensor<4xi32>
    }
  }
  return %r : tensor<4xi32>
}
// RUN: noria run %s --entry=parts --check-bounds '[0, 0, 0, 0]' 3 | FileCheck %s --check-prefix=PARTS
// PARTS: dense<1> : tensor<4xi32>
// RUN: not noria run %s --entry=parts --check-bounds '[0, 0, 0, 0]' 4 2>&1 | FileCheck %s --check-prefix=PART
// RUN: not noria run %s --entry=parts --interpret '[0, 0, 0, 0]' 4 2>&1 | FileCheck %s --check-prefix=PART
// PART: check_shapes.mlir:[[#@LINE-9]]:7: 'tensor.parallel_insert_slice' op the slice [3, +2, step 1] leaves dim 0 of 4

// ---- what is freed, in machine code without being asked ----

func.func @twice(%n: index) -> f32 {
  %m = memref.alloc(%n) : memref<?xf32>
  %x = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  memref.store %x, %m[%c0] : memref<?xf32>
  %y = memref.load %m[%c0] : memref<?xf32>
  memref.dealloc %m : memref<?xf32>
  %c = memref.cast %m : memref<?xf32> to memref<*xf32>
  memref.dealloc %c : memref<*xf32>
  return %y : f32
}
// RUN: not noria run %s --entry=twice 3 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not noria run %s --entry=twice 3 --interpret 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: check_shapes.mlir:[[#@LINE-5]]:3: 'memref.dealloc' op uses memory that was freed

func.func @resized(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %m = memref.alloc(%n) : memref<?xindex>
  memref.store %n, %m[%c0] : memref<?xindex>
  memref.dealloc %m : memref<?xindex>
  %r = memref.realloc %m(%n) : memref<?xindex> to memref<?xindex>
  %x = memref.load %r[%c0] : memref<?xindex>
  return %x : index
}
// RUN: not noria run %s --entry=resized 3 2>&1 | FileCheck %s --check-prefix=RESIZED
// RUN: not noria run %s --entry=resized 3 --interpret 2>&1 | FileCheck %s --check-prefix=RESIZED
// RESIZED: check_shapes.mlir:[[#@LINE-6]]:8: 'memref.realloc' op uses memory that was freed

// What no alloc gave.
memref.global @g : memref<4xf32> = dense<1.0>
func.func @global() {
  %m = memref.get_global @g : memref<4xf32>
  memref.dealloc %m : memref<4xf32>
  return
}
// RUN: not noria run %s --entry=global 2>&1 | FileCheck %s --check-prefix=GLOBAL
// GLOBAL: check_shapes.mlir:[[#@LINE-4]]:3: 'memref.dealloc' op uses memory that was freed

// The strides and the offset that a cast fixes are claims too, whether the rank was known before or not.
func.func @cast_strides(%m: memref<4xf32>, %stride: index) -> f32 {
  %c1 = arith.constant 1 : index
  %v = memref.reinterpret_cast %m to offset: [0], sizes: [2], strides: [%stride] : memref<4xf32> to memref<2xf32, strided<[?]>>
  %e = memref.cast %v : memref<2xf32, strided<[?]>> to memref<2xf32, strided<[3]>>
  %x = memref.load %e[%c1] : memref<2xf32, strided<[3]>>
  return %x : f32
}
// RUN: noria run %s --entry=cast_strides --check-stages --check-bounds '[1, 2, 3, 4]' 3 | FileCheck %s --check-prefix=STRIDES
// STRIDES: 4.000000e+00 : f32
// RUN: not noria run %s --entry=cast_strides --check-bounds '[1, 2, 3, 4]' 2 2>&1 | FileCheck %s --check-prefix=STRIDES2
// RUN: not noria run %s --entry=cast_strides --interpret '[1, 2, 3, 4]' 2 2>&1 | FileCheck %s --check-prefix=STRIDES2
// STRIDES2: check_shapes.mlir:[[#@LINE-8]]:8: 'memref.cast' op the value does not have the strides and offset that are expected

// The stride of a dim of one element has no effect.
func.func @cast_unit_strides(%m: memref<4x3xf32>, %stride: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %one = arith.subi %stride, %c2 : index
  %v = memref.reinterpret_cast %m to offset: [0], sizes: [%one, 1], strides: [%stride, %stride] : memref<4x3xf32> to memref<?x1xf32, strided<[?, ?]>>
  %e = memref.cast %v : memref<?x1xf32, strided<[?, ?]>> to memref<?x1xf32, strided<[1, 1]>>
  %x = memref.load %e[%c0, %c0] : memref<?x1xf32, strided<[1, 1]>>
  return %x : f32
}
// RUN: noria run %s --entry=cast_unit_strides --check-stages --check-bounds ones:4x3xf32 3 | FileCheck %s --check-prefix=UNIT
// UNIT: 1.000000e+00 : f32

func.func @cast_unranked_strides(%m: memref<4xf32>, %stride: index) -> f32 {
  %c1 = arith.constant 1 : index
  %v = memref.reinterpret_cast %m to offset: [0], sizes: [2], strides: [%stride] : memref<4xf32> to memref<2xf32, strided<[?]>>
  %u = memref.cast %v : memref<2xf32, strided<[?]>> to memref<*xf32>
  %e = memref.cast %u : memref<*xf32> to memref<2xf32, strided<[3]>>
  %x = memref.load %e[%c1] : memref<2xf32, strided<[3]>>
  return %x : f32
}
// RUN: noria run %s --entry=cast_unranked_strides --check-stages --check-bounds '[1, 2, 3, 4]' 3 | FileCheck %s --check-prefix=STRIDES
// RUN: not noria run %s --entry=cast_unranked_strides --check-bounds '[1, 2, 3, 4]' 2 2>&1 | FileCheck %s --check-prefix=UNRANKED2
// RUN: not noria run %s --entry=cast_unranked_strides --interpret '[1, 2, 3, 4]' 2 2>&1 | FileCheck %s --check-prefix=UNRANKED2
// UNRANKED2: check_shapes.mlir:[[#@LINE-7]]:8: 'memref.cast' op the value does not have the strides and offset that are expected

func.func @cast_offset(%m: memref<4xf32>, %from: index) -> f32 {
  %c1 = arith.constant 1 : index
  %v = memref.subview %m[%from] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: ?>>
  %e = memref.cast %v : memref<2xf32, strided<[1], offset: ?>> to memref<2xf32, strided<[1], offset: 2>>
  %x = memref.load %e[%c1] : memref<2xf32, strided<[1], offset: 2>>
  return %x : f32
}
// RUN: noria run %s --entry=cast_offset --check-stages --check-bounds '[1, 2, 3, 4]' 2 | FileCheck %s --check-prefix=STRIDES
// RUN: not noria run %s --entry=cast_offset --check-bounds '[1, 2, 3, 4]' 1 2>&1 | FileCheck %s --check-prefix=OFFSET1
// RUN: not noria run %s --entry=cast_offset --interpret '[1, 2, 3, 4]' 1 2>&1 | FileCheck %s --check-prefix=OFFSET1
// OFFSET1: check_shapes.mlir:[[#@LINE-7]]:8: 'memref.cast' op the value does not have the strides and offset that are expected
