// Ops of vectors: the interpreter's results are the ones that stand here, and machine code agrees with it.

// RUN: noria run %s --entry=shapes '[1, 2, 3, 4]' --check-stages | FileCheck %s --check-prefix=SHAPES
// SHAPES: dense<{{\[}}[1, 2, 3, 4], [1, 2, 3, 4]]> : vector<2x4xi32>
// SHAPES-NEXT: dense<{{\[}}[1, 1], [2, 2], [3, 3], [4, 4]]> : vector<4x2xi32>
// SHAPES-NEXT: dense<[3, 4]> : vector<2xi32>
// SHAPES-NEXT: dense<[1, 3, 4, 4]> : vector<4xi32>
// SHAPES-NEXT: dense<{{\[}}[1, 2], [3, 4]]> : vector<2x2xi32>
// SHAPES-NEXT: dense<[1, 0, 2, 0, 3, 0, 4, 0]> : vector<8xi16>
// SHAPES-NEXT: dense<[4, 1, 4, 3]> : vector<4xi32>
// SHAPES-NEXT: dense<[1, 1, 2, 2, 3, 3, 4, 4]> : vector<8xi32>
// SHAPES-NEXT: dense<[2, 4]> : vector<2xi32>
// SHAPES-NEXT: 10 : i32
func.func @shapes(%v: vector<4xi32>) -> (vector<2x4xi32>, vector<4x2xi32>, vector<2xi32>, vector<4xi32>, vector<2x2xi32>,
                                         vector<8xi16>, vector<4xi32>, vector<8xi32>, vector<2xi32>, i32) {
  %rows = vector.broadcast %v : vector<4xi32> to vector<2x4xi32>
  %columns = vector.transpose %rows, [1, 0] : vector<2x4xi32> to vector<4x2xi32>
  %tail = vector.extract_strided_slice %v {offsets = [2], sizes = [2], strides = [1]} : vector<4xi32> to vector<2xi32>
  %put = vector.insert_strided_slice %tail, %v {offsets = [1], strides = [1]} : vector<2xi32> into vector<4xi32>
  %square = vector.shape_cast %v : vector<4xi32> to vector<2x2xi32>
  %bits = vector.bitcast %v : vector<4xi32> to vector<8xi16>
  %picked = vector.shuffle %v, %v [3, 4, 7, 2] : vector<4xi32>, vector<4xi32>
  %mixed = vector.interleave %v, %v : vector<4xi32> -> vector<8xi32>
  %even, %odd = vector.deinterleave %v : vector<4xi32> -> vector<2xi32>
  %sum = vector.reduction <add>, %v : vector<4xi32> into i32
  return %rows, %columns, %tail, %put, %square, %bits, %picked, %mixed, %odd, %sum
    : vector<2x4xi32>, vector<4x2xi32>, vector<2xi32>, vector<4xi32>, vector<2x2xi32>, vector<8xi16>, vector<4xi32>,
      vector<8xi32>, vector<2xi32>, i32
}

// RUN: noria run %s --entry=elements '[[1, 2], [3, 4]]' 1 --check-stages | FileCheck %s --check-prefix=ELEMENTS
// ELEMENTS: 4.000000e+00 : f32
// ELEMENTS-NEXT: dense<[3.000000e+00, 4.000000e+00]> : vector<2xf32>
// ELEMENTS-NEXT: dense<{{\[}}[1.000000e+00, 2.000000e+00], [9.000000e+00, 4.000000e+00]]> : vector<2x2xf32>
// ELEMENTS-NEXT: dense<[4.000000e+00, 1.000000e+00]> : vector<2xf32>
// ELEMENTS-NEXT: dense<[7.000000e+00, 1.000000e+01]> : vector<2xf32>
// ELEMENTS-NEXT: 3.000000e+00 : f32
// ELEMENTS-NEXT: 2.000000e+00 : f32
func.func @elements(%v: vector<2x2xf32>, %i: index)
    -> (f32, vector<2xf32>, vector<2x2xf32>, vector<2xf32>, vector<2xf32>, f32, f32) {
  %nine = arith.constant 9.0 : f32
  %two = arith.constant dense<2.0> : vector<2xf32>
  %last = vector.extract %v[%i, 1] : f32 from vector<2x2xf32>
  %row = vector.extract %v[1] : vector<2xf32> from vector<2x2xf32>
  %put = vector.insert %nine, %v[%i, 0] : f32 into vector<2x2xf32>
  %first = vector.extract %v[0, 0] : f32 from vector<2x2xf32>
  %pair = vector.from_elements %last, %first : vector<2xf32>
  %top = vector.extract %v[0] : vector<2xf32> from vector<2x2xf32>
  %fma = vector.fma %row, %two, %top : vector<2xf32>
  %least = vector.reduction <minimumf>, %row : vector<2xf32> into f32
  %a, %b = vector.to_elements %top : vector<2xf32>
  return %last, %row, %put, %pair, %fma, %least, %b
    : f32, vector<2xf32>, vector<2x2xf32>, vector<2xf32>, vector<2xf32>, f32, f32
}

// RUN: noria run %s --entry=reductions '[[1, 2], [3, 4]]' --interpret | FileCheck %s --check-prefix=REDUCTIONS
// REDUCTIONS: dense<[1.400000e+01, 1.600000e+01]> : vector<2xf32>
// REDUCTIONS-NEXT: dense<[2.000000e+01, 1.200000e+02]> : vector<2xf32>
// REDUCTIONS-NEXT: 1.400000e+01 : f32
func.func @reductions(%v: vector<2x2xf32>) -> (vector<2xf32>, vector<2xf32>, f32) {
  %ten = arith.constant dense<10.0> : vector<2xf32>
  %four = arith.constant 4.0 : f32
  %columns = vector.multi_reduction <add>, %v, %ten [0] : vector<2x2xf32> to vector<2xf32>
  %rows = vector.multi_reduction <mul>, %v, %ten [1] : vector<2x2xf32> to vector<2xf32>
  %all = vector.multi_reduction <add>, %v, %four [0, 1] : vector<2x2xf32> to f32
  return %columns, %rows, %all : vector<2xf32>, vector<2xf32>, f32
}

// RUN: noria run %s --entry=memory '[[1, 2, 3, 4], [5, 6, 7, 8]]' 1 3 --check-stages | FileCheck %s --check-prefix=MEMORY
// MEMORY: dense<[6, 7]> : vector<2xi64>
// MEMORY-NEXT: dense<[5, 6, 7, -1]> : vector<4xi64>
// MEMORY-NEXT: dense<[1, -1, 2, -1]> : vector<4xi64>
// MEMORY-NEXT: dense<[4, 1, -1, 3]> : vector<4xi64>
// MEMORY-NEXT: dense<{{\[}}[1, 2], [5, 6]]> : vector<2x2xi64>
// MEMORY-NEXT: dense<[6, 7, 8, 0]> : vector<4xi64>
func.func @memory(%m: memref<2x4xi64>, %i: index, %n: index)
    -> (vector<2xi64>, vector<4xi64>, vector<4xi64>, vector<4xi64>, vector<2x2xi64>, vector<4xi64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %none = arith.constant dense<-1> : vector<4xi64>
  %mask = vector.create_mask %n : vector<4xi1>
  %some = arith.constant dense<[true, false, true, false]> : vector<4xi1>
  %picks = arith.constant dense<[3, 0, 9, 2]> : vector<4xi32>
  %not_third = arith.constant dense<[true, true, false, true]> : vector<4xi1>
  %a = vector.load %m[%i, %i] : memref<2x4xi64>, vector<2xi64>
  %b = vector.maskedload %m[%i, %c0], %mask, %none : memref<2x4xi64>, vector<4xi1>, vector<4xi64> into vector<4xi64>
  %c = vector.expandload %m[%c0, %c0], %some, %none : memref<2x4xi64>, vector<4xi1>, vector<4xi64> into vector<4xi64>
  %d = vector.gather %m[%c0, %c0] [%picks], %not_third, %none
    : memref<2x4xi64>, vector<4xi32>, vector<4xi1>, vector<4xi64> into vector<4xi64>
  %e = vector.load %m[%c0, %c0] : memref<2x4xi64>, vector<2x2xi64>
  %f = vector.transfer_read %m[%i, %i], %zero : memref<2x4xi64>, vector<4xi64>
  return %a, %b, %c, %d, %e, %f
    : vector<2xi64>, vector<4xi64>, vector<4xi64>, vector<4xi64>, vector<2x2xi64>, vector<4xi64>
}

// RUN: noria run %s --entry=columns '[[1, 2, 3, 4], [5, 6, 7, 8]]' --interpret | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: dense<[2, 6, 0]> : vector<3xi64>
// COLUMNS-NEXT: dense<{{\[}}[1, 9, 3, 4], [5, 9, 7, 8]]> : tensor<2x4xi64>
func.func @columns(%t: tensor<2x4xi64>) -> (vector<3xi64>, tensor<2x4xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %nines = arith.constant dense<9> : vector<3xi64>
  %a = vector.transfer_read %t[%c0, %c1], %zero {permutation_map = affine_map<(d0, d1) -> (d0)>}
    : tensor<2x4xi64>, vector<3xi64>
  %b = vector.transfer_write %nines, %t[%c0, %c1] {permutation_map = affine_map<(d0, d1) -> (d0)>}
    : vector<3xi64>, tensor<2x4xi64>
  return %a, %b : vector<3xi64>, tensor<2x4xi64>
}

// RUN: noria run %s --entry=stores zeros '[1, 2, 3, 4]' 3 --check-stages | FileCheck %s --check-prefix=STORES
// STORES: dense<{{\[}}[1, 2, 3, 4], [1, 2, 3, 0], [1, 3, 0, 0], [2, 4, 0, 3], [0, 0, 1, 2]]> : tensor<5x4xi16>
func.func @stores(%m: memref<5x4xi16>, %v: vector<4xi16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %mask = vector.create_mask %n : vector<4xi1>
  %some = arith.constant dense<[true, false, true, false]> : vector<4xi1>
  %not_first = vector.constant_mask [4] : vector<4xi1>
  %places = arith.constant dense<[1, 0, 3, 1]> : vector<4xindex>
  vector.store %v, %m[%c0, %c0] : memref<5x4xi16>, vector<4xi16>
  vector.maskedstore %m[%c1, %c0], %mask, %v : memref<5x4xi16>, vector<4xi1>, vector<4xi16>
  vector.compressstore %m[%c2, %c0], %some, %v : memref<5x4xi16>, vector<4xi1>, vector<4xi16>
  vector.scatter %m[%c3, %c0] [%places], %not_first, %v : memref<5x4xi16>, vector<4xindex>, vector<4xi1>, vector<4xi16>
  vector.transfer_write %v, %m[%c4, %c2] : vector<4xi16>, memref<5x4xi16>
  return
}

// What lies outside of memory is an error.
// RUN: not noria run %s --entry=outside zeros 3 --interpret 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: noria run: {{.*}}vector.mlir:[[#@LINE+2]]:8: 'vector.load' op index 4 of dim 0 is out of bounds: the dim is 4
func.func @outside(%m: memref<4xf32>, %i: index) -> vector<2xf32> {
  %v = vector.load %m[%i] : memref<4xf32>, vector<2xf32>
  return %v : vector<2xf32>
}
