// Ops of 2020 on values: selects of every form, constants of every kind, vectors and tensors made and taken apart.

// One condition for all, or one for each element, with its type written or not.
// RUN: noria run %s --entry=select true 1.5 2.5 '[1,2]' '[3,4]' '[true,false]' '[5,6]' '[7,8]' '[true,false]' --check-stages \
// RUN:   | FileCheck %s --check-prefix=SELECT
// SELECT: {{^}}1.500000e+00 : f32{{$}}
// SELECT-NEXT: {{^}}dense<[1.000000e+00, 2.000000e+00]> : vector<2xf32>{{$}}
// SELECT-NEXT: {{^}}dense<[1.000000e+00, 4.000000e+00]> : vector<2xf32>{{$}}
// SELECT-NEXT: {{^}}dense<[1.000000e+00, 4.000000e+00]> : vector<2xf32>{{$}}
// SELECT-NEXT: {{^}}dense<[5, 6]> : tensor<2xi32>{{$}}
// SELECT-NEXT: {{^}}dense<[5, 8]> : tensor<2xi32>{{$}}
func @select(%c: i1, %a: f32, %b: f32, %v: vector<2xf32>, %w: vector<2xf32>, %d: vector<2xi1>, %t: tensor<?xi32>, %u: tensor<?xi32>, %e: tensor<?xi1>) -> (f32, vector<2xf32>, vector<2xf32>, vector<2xf32>, tensor<?xi32>, tensor<?xi32>) {
  %0 = select %c, %a, %b : f32
  %1 = select %c, %v, %w : vector<2xf32>
  %2 = select %d, %v, %w : vector<2xi1>, vector<2xf32>
  %3 = select %d, %v, %w : vector<2xf32>
  %4 = select %c, %t, %u : tensor<?xi32>
  %5 = select %e, %t, %u : tensor<?xi1>, tensor<?xi32>
  return %0, %1, %2, %3, %4, %5 : f32, vector<2xf32>, vector<2xf32>, vector<2xf32>, tensor<?xi32>, tensor<?xi32>
}

// RUN: noria run %s --entry=constants --check-stages | FileCheck %s --check-prefix=CONSTANTS
// CONSTANTS: {{^}}-7 : i32{{$}}
// CONSTANTS-NEXT: {{^}}true{{$}}
// CONSTANTS-NEXT: {{^}}1.500000e+00 : f32{{$}}
// CONSTANTS-NEXT: {{^}}0x7F800000 : f32{{$}}
// CONSTANTS-NEXT: {{^}}42 : index{{$}}
// CONSTANTS-NEXT: {{^}}dense<{{\[\[}}1, 2], [3, 4]]> : vector<2x2xi8>{{$}}
// CONSTANTS-NEXT: {{^}}dense<5.000000e-01> : tensor<2x2xf32>{{$}}
// CONSTANTS-NEXT: {{^}}dense<[1, 2, 3]> : tensor<3xi64>{{$}}
// CONSTANTS-NEXT: {{^}}2.500000e+00 : bf16{{$}}
// CONSTANTS-NEXT: {{^}}1.500000e+00 : f8E4M3FN{{$}}
// CONSTANTS-NEXT: {{^}}dense<{{\[\[}}1.000000e+00, 0.000000e+00, 0.000000e+00], [0.000000e+00, 0.000000e+00, 5.000000e+00], [0.000000e+00, 0.000000e+00, 0.000000e+00]]> : tensor<3x3xf32>{{$}}
// CONSTANTS-NEXT: {{^}}dense<[(1.000000e+00,2.000000e+00), (3.000000e+00,4.000000e+00)]> : tensor<2xcomplex<f32>>{{$}}
func @constants() -> (i32, i1, f32, f32, index, vector<2x2xi8>, tensor<2x2xf32>, tensor<3xi64>, bf16, f8E4M3FN, tensor<3x3xf32>, tensor<2xcomplex<f32>>) {
  %0 = constant -7 : i32
  %1 = constant true
  %2 = constant 1.5 : f32
  %3 = constant 0x7F800000 : f32
  %4 = constant 42 : index
  %5 = constant dense<[[1, 2], [3, 4]]> : vector<2x2xi8>
  %6 = constant dense<0.5> : tensor<2x2xf32>
  %7 = constant dense<[1, 2, 3]> : tensor<3xi64>
  %8 = constant 2.5 : bf16
  %9 = constant 1.5 : f8E4M3FN
  %10 = constant sparse<[[0, 0], [1, 2]], [1.0, 5.0]> : tensor<3x3xf32>
  %11 = constant dense<[(1.0, 2.0), (3.0, 4.0)]> : tensor<2xcomplex<f32>>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11 : i32, i1, f32, f32, index, vector<2x2xi8>, tensor<2x2xf32>, tensor<3xi64>, bf16, f8E4M3FN, tensor<3x3xf32>, tensor<2xcomplex<f32>>
}

// RUN: noria run %s --entry=constant_attr_types --check-stages | FileCheck %s --check-prefix=CONSTANT-ATTR-TYPES
// CONSTANT-ATTR-TYPES: {{^}}true{{$}}
// CONSTANT-ATTR-TYPES-NEXT: {{^}}-1 : i8{{$}}
// CONSTANT-ATTR-TYPES-NEXT: {{^}}255 : i64{{$}}
func @constant_attr_types() -> (i1, i8, i64) {
  %0 = constant 1 : i1
  %1 = constant -1 : i8
  %2 = constant 0xff : i64
  return %0, %1, %2 : i1, i8, i64
}

// RUN: noria run %s --entry=extract_element '[[1,2],[3,4]]' '[5,6,7]' '[[1,2],[3,4]]' --check-stages \
// RUN:   | FileCheck %s --check-prefix=EXTRACT-ELEMENT
// EXTRACT-ELEMENT: {{^}}3.000000e+00 : f32{{$}}
// EXTRACT-ELEMENT-NEXT: {{^}}6.000000e+00 : f32{{$}}
// EXTRACT-ELEMENT-NEXT: {{^}}3.000000e+00 : f32{{$}}
func @extract_element(%t: tensor<2x2xf32>, %v: vector<3xf32>, %w: vector<2x2xf32>) -> (f32, f32, f32) {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %0 = extract_element %t[%c1, %c0] : tensor<2x2xf32>
  %1 = extract_element %v[%c1] : vector<3xf32>
  %2 = extract_element %w[%c1, %c0] : vector<2x2xf32>
  return %0, %1, %2 : f32, f32, f32
}

// RUN: noria run %s --entry=splat 1.5 --check-stages | FileCheck %s --check-prefix=SPLAT
// SPLAT: {{^}}dense<1.500000e+00> : vector<3xf32>{{$}}
// SPLAT-NEXT: {{^}}dense<1.500000e+00> : tensor<2x2xf32>{{$}}
// SPLAT-NEXT: {{^}}dense<1.500000e+00> : vector<2x2xf32>{{$}}
func @splat(%x: f32) -> (vector<3xf32>, tensor<2x2xf32>, vector<2x2xf32>) {
  %0 = splat %x : vector<3xf32>
  %1 = splat %x : tensor<2x2xf32>
  %2 = splat %x : vector<2x2xf32>
  return %0, %1, %2 : vector<3xf32>, tensor<2x2xf32>, vector<2x2xf32>
}

// RUN: noria run %s --entry=from_elements 1.5 2.5 4 --check-stages | FileCheck %s --check-prefix=FROM-ELEMENTS
// FROM-ELEMENTS: {{^}}dense<[1.500000e+00, 2.500000e+00]> : tensor<2xf32>{{$}}
// FROM-ELEMENTS-NEXT: {{^}}dense<{{\[\[}}0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5]]> : tensor<4x3xindex>{{$}}
func @from_elements(%a: f32, %b: f32, %n: index) -> (tensor<2xf32>, tensor<?x3xindex>) {
  %0 = tensor_from_elements %a, %b : tensor<2xf32>
  %1 = dynamic_tensor_from_elements %n {
  ^bb0(%i: index, %j: index):
    %x = addi %i, %j : index
    yield %x : index
  } : tensor<?x3xindex>
  return %0, %1 : tensor<2xf32>, tensor<?x3xindex>
}

// Between a cast to an unknown rank and one back, ops are compiled for the rank that is known.
// RUN: noria run %s --entry=rank_tensor_unranked '[[1,2,3],[4,5,6]]' --check-stages \
// RUN:   | FileCheck %s --check-prefix=RANK-TENSOR-UNRANKED
// RANK-TENSOR-UNRANKED: {{^}}2 : index{{$}}
// RANK-TENSOR-UNRANKED-NEXT: {{^}}2 : index{{$}}
// RANK-TENSOR-UNRANKED-NEXT: {{^}}3 : index{{$}}
// RANK-TENSOR-UNRANKED-NEXT: {{^}}1.000000e+01 : f32{{$}}
// RANK-TENSOR-UNRANKED-NEXT: {{^}}dense<{{\[\[}}2.000000e+00, 4.000000e+00, 6.000000e+00], [8.000000e+00, 1.000000e+01, 1.200000e+01]]> : tensor<2x3xf32>{{$}}
func @rank_tensor_unranked(%m: tensor<2x3xf32>) -> (index, index, index, f32, tensor<2x3xf32>) {
  %c1 = constant 1 : index
  %u = tensor_cast %m : tensor<2x3xf32> to tensor<*xf32>
  %0 = rank %u : tensor<*xf32>
  %1 = rank %m : tensor<2x3xf32>
  %2 = dim %u, %c1 : tensor<*xf32>
  %n = addf %u, %u : tensor<*xf32>
  %b = tensor_cast %n : tensor<*xf32> to tensor<?x3xf32>
  %3 = extract_element %b[%c1, %c1] : tensor<?x3xf32>
  %c = tensor_cast %b : tensor<?x3xf32> to tensor<2x3xf32>
  return %0, %1, %2, %3, %c : index, index, index, f32, tensor<2x3xf32>
}

// RUN: noria run %s --entry=branches 10 --check-stages | FileCheck %s --check-prefix=BRANCHES
// BRANCHES: {{^}}55 : i64{{$}}
func @branches(%n: i64) -> i64 {
  %c0 = constant 0 : i64
  %c1 = constant 1 : i64
  br ^head(%n, %c0 : i64, i64)
^head(%i: i64, %s: i64):
  %z = cmpi "eq", %i, %c0 : i64
  cond_br %z, ^done(%s : i64), ^body
^body:
  %s2 = addi %s, %i : i64
  %i2 = subi %i, %c1 : i64
  %g = cmpi "sgt", %i, %c0 : i64
  assert %g, "never"
  br ^head(%i2, %s2 : i64, i64)
^done(%r: i64):
  return %r : i64
}

// Integers wider than the CPU's: (5 * (2^64 + 1)) by parts, divided back.
// RUN: noria run %s --entry=wide 5 --check-stages | FileCheck %s --check-prefix=WIDE
// RUN: noria run %s --entry=wide -7 --check-stages | FileCheck %s --check-prefix=WIDE-MINUS
// WIDE: {{^}}5 : i64{{$}}
// WIDE-NEXT: {{^}}5 : i64{{$}}
// WIDE-NEXT: {{^}}5 : i64{{$}}
// WIDE-NEXT: {{^}}5 : i64{{$}}
// WIDE-NEXT: {{^}}5.000000e+00 : f64{{$}}
// WIDE-MINUS: {{^}}-8 : i64{{$}}
// WIDE-MINUS-NEXT: {{^}}-7 : i64{{$}}
// WIDE-MINUS-NEXT: {{^}}-7 : i64{{$}}
// WIDE-MINUS-NEXT: {{^}}-7 : i64{{$}}
// WIDE-MINUS-NEXT: {{^}}-7.000000e+00 : f64{{$}}
func @wide(%a: i64) -> (i64, i64, i64, i64, f64) {
  %w = sexti %a : i64 to i128
  %k = constant 18446744073709551617 : i128
  %p = muli %w, %k : i128
  %c64 = constant 64 : i128
  %h = shift_right_signed %p, %c64 : i128
  %0 = trunci %h : i128 to i64
  %1 = trunci %p : i128 to i64
  %m = alloc() : memref<2xi128>
  %c0 = constant 0 : index
  store %p, %m[%c0] : memref<2xi128>
  %q = load %m[%c0] : memref<2xi128>
  %r = divi_signed %q, %k : i128
  %2 = trunci %r : i128 to i64
  %nine = constant 9 : i128
  %t = remi_signed %w, %nine : i128
  %3 = trunci %t : i128 to i64
  %f = sitofp %w : i128 to f64
  return %0, %1, %2, %3, %f : i64, i64, i64, i64, f64
}

// RUN: noria run %s --entry=select_rows '[[1,2],[3,4]]' '[[5,6],[7,8]]' '[[true,false],[false,true]]' true --check-stages \
// RUN:   | FileCheck %s --check-prefix=ROWS
// ROWS: {{^}}dense<{{\[\[}}1.000000e+00, 6.000000e+00], [7.000000e+00, 4.000000e+00]]> : vector<2x2xf32>{{$}}
// ROWS-NEXT: {{^}}dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : vector<2x2xf32>{{$}}
func @select_rows(%a: vector<2x2xf32>, %b: vector<2x2xf32>, %c: vector<2x2xi1>, %d: i1)
    -> (vector<2x2xf32>, vector<2x2xf32>) {
  %0 = select %c, %a, %b : vector<2x2xi1>, vector<2x2xf32>
  %1 = select %d, %a, %b : vector<2x2xf32>
  return %0, %1 : vector<2x2xf32>, vector<2x2xf32>
}
