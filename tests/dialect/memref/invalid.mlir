// What the verifier says of wrong memref ops.
// RUN: noria opt --split-input-file --verify-diagnostics %s

func.func @alloc(%n: index) {
  // expected-error@+1 {{'memref.alloc' op (C1) dimension operand count (1) does not equal the memref's dynamic dimension count (2)}}
  %0 = memref.alloc(%n) : memref<?x?xf32>
  // expected-error@+1 {{'memref.alloca' op (C2) symbol operand count (0) does not equal the memref's symbol count (1)}}
  %1 = memref.alloca() : memref<4xf32, affine_map<(d0)[s0] -> (d0 + s0)>>
  // expected-error@+1 {{'memref.alloc' op attribute 'alignment' failed to satisfy constraint}}
  %2 = memref.alloc() {alignment = 3 : i64} : memref<4xf32>
  return
}

// -----

func.func @realloc(%a: memref<4xf32>, %b: memref<4x4xf32>, %n: index) {
  // expected-error@+1 {{'memref.realloc' op (C1) works on memrefs of rank 1 only}}
  %0 = memref.realloc %b : memref<4x4xf32> to memref<4xf32>
  // expected-error@+1 {{'memref.realloc' op (C1) source and result have different element types}}
  %1 = memref.realloc %a : memref<4xf32> to memref<4xi32>
  // expected-error@+1 {{'memref.realloc' op (C2) the result is dynamic but no size is given}}
  %2 = memref.realloc %a : memref<4xf32> to memref<?xf32>
  return
}

// -----

func.func @access(%m: memref<4x4xf32>, %i: index, %v: f32, %d: f64) {
  // expected-error@+1 {{'memref.load' op (C1) incorrect number of indices for load, expected 2 but got 1}}
  %0 = memref.load %m[%i] : memref<4x4xf32>
  // expected-error@+1 {{'memref.load' op (C2) expected the element type f32, got f64}}
  %1 = "memref.load"(%m, %i, %i) : (memref<4x4xf32>, index, index) -> f64
  // expected-error@+1 {{'memref.store' op (C1) incorrect number of indices for store, expected 2 but got 3}}
  memref.store %v, %m[%i, %i, %i] : memref<4x4xf32>
  // expected-error@+1 {{'memref.store' op (C2) expected the element type f32, got f64}}
  "memref.store"(%d, %m, %i, %i) : (f64, memref<4x4xf32>, index, index) -> ()
  // expected-error@+1 {{'memref.prefetch' op (C2) locality must be 0 to 3}}
  memref.prefetch %m[%i, %i], read, locality<4>, data : memref<4x4xf32>
  return
}

// -----

func.func @atomic(%m: memref<4xf32>, %i: index, %v: f32) {
  // expected-error@+1 {{'memref.atomic_rmw' op (C1) incorrect number of indices for atomic_rmw, expected 1 but got 0}}
  %0 = memref.atomic_rmw addf %v, %m[] : (f32, memref<4xf32>) -> f32
  // expected-error@+1 {{'memref.atomic_rmw' op (C3) kind 'addi' expects an integer type, got f32}}
  %1 = memref.atomic_rmw addi %v, %m[%i] : (f32, memref<4xf32>) -> f32
  return
}

// -----

func.func @atomic_kind(%m: memref<4xf32>, %i: index, %v: f32) {
  // expected-error@+1 {{unknown kind of atomic_rmw 'frob'}}
  %0 = memref.atomic_rmw frob %v, %m[%i] : (f32, memref<4xf32>) -> f32
  return
}

// -----

func.func @generic_atomic(%m: memref<4xf32>, %i: index) {
  // expected-error@+1 {{'memref.generic_atomic_rmw' op (C2) expected a body with one argument of type f32}}
  %0 = memref.generic_atomic_rmw %m[%i] : memref<4xf32> {
  ^bb0(%c: f64):
    // expected-error@+1 {{'memref.atomic_yield' op (C1) types mismatch between yield op: f64 and its parent: f32}}
    memref.atomic_yield %c : f64
  }
  return
}

// -----

func.func @copy_and_dma(%a: memref<4xf32>, %b: memref<5xf32>, %c: memref<4xi32>, %i: index) {
  // expected-error@+1 {{'memref.copy' op (C1) requires the same shape for source and target}}
  memref.copy %a, %b : memref<4xf32> to memref<5xf32>
  // expected-error@+1 {{'memref.copy' op (C1) requires the same element type for source and target}}
  memref.copy %a, %c : memref<4xf32> to memref<4xi32>
  // expected-error@+1 {{'memref.dma_start' op (C1) expected source, target, number of elements, tag and indices of each}}
  "memref.dma_start"(%a, %i, %b) : (memref<4xf32>, index, memref<5xf32>) -> ()
  // expected-error@+1 {{'memref.dma_start' op (C2) source and target have different element types}}
  memref.dma_start %a[%i], %c[%i], %i, %c[%i] : memref<4xf32>, memref<4xi32>, memref<4xi32>
  // expected-error@+1 {{'memref.dma_wait' op (C1) incorrect number of indices for dma_wait, expected 1 but got 0}}
  memref.dma_wait %c[], %i : memref<4xi32>
  return
}

// -----

func.func @shape(%a: memref<4xf32>, %m: memref<4x?xf32>) {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'memref.dim' op (C1) index 1 is out of range for a memref of rank 1}}
  %0 = memref.dim %a, %c1 : memref<4xf32>
  // expected-error@+1 {{'memref.extract_strided_metadata' op (C1) expected 4 sizes and strides, got 1 results}}
  %1:3 = memref.extract_strided_metadata %m : memref<4x?xf32> -> memref<f32>, index, index
  // expected-error@+1 {{'memref.assume_alignment' op attribute 'alignment' failed to satisfy constraint}}
  %2 = memref.assume_alignment %a, 0 : memref<4xf32>
  return
}

// -----

// expected-error@+1 {{type should be static shaped memref, but got memref<?xf32>}}
memref.global @g : memref<?xf32>

// -----

// expected-error@+1 {{'memref.global' op (C1) type should be static shaped memref, but got i32}}
"memref.global"() {sym_name = "g", type = i32} : () -> ()
// expected-error@+1 {{'memref.global' op (C2) initial value expected to be of type tensor<2xf32>, but was of type tensor<3xf32>}}
"memref.global"() {sym_name = "h", type = memref<2xf32>, initial_value = dense<1.0> : tensor<3xf32>} : () -> ()
memref.global @ok : memref<2xf32>
func.func @f() {
  // expected-error@+1 {{'memref.get_global' op 'none' does not reference a valid symbol}}
  %0 = memref.get_global @none : memref<2xf32>
  // expected-error@+1 {{'memref.get_global' op (C1) 'f' does not reference a valid global memref}}
  %1 = memref.get_global @f : memref<2xf32>
  // expected-error@+1 {{'memref.get_global' op (C2) result type memref<3xf32> does not match type memref<2xf32> of the global memref @ok}}
  %2 = memref.get_global @ok : memref<3xf32>
  return
}

// -----

func.func @casts(%a: memref<4xf32>, %b: memref<16xi8>, %s: memref<4xf32, 1>, %i: index) {
  // expected-error@+1 {{'memref.cast' op (C1) operand type memref<4xf32> and result type memref<5xf32> are cast incompatible}}
  %0 = memref.cast %a : memref<4xf32> to memref<5xf32>
  // expected-error@+1 {{'memref.cast' op (C1) operand type memref<4xf32> and result type memref<4xf32, strided<[2]>> are cast incompatible}}
  %1 = memref.cast %a : memref<4xf32> to memref<4xf32, strided<[2]>>
  // expected-error@+1 {{'memref.memory_space_cast' op (C1) operand type}}
  %2 = memref.memory_space_cast %s : memref<4xf32, 1> to memref<5xf32>
  // expected-error@+1 {{'memref.view' op (C1) source must be a 1-D memref of i8 without layout, got memref<4xf32>}}
  %3 = memref.view %a[%i][] : memref<4xf32> to memref<4xi8>
  // expected-error@+1 {{'memref.view' op (C2) different memory spaces specified for source and result}}
  %4 = memref.view %b[%i][] : memref<16xi8> to memref<4xf32, 1>
  // expected-error@+1 {{'memref.view' op (C3) incorrect number of size operands for type memref<?xf32>}}
  %5 = memref.view %b[%i][] : memref<16xi8> to memref<?xf32>
  return
}

// -----

func.func @slices(%m: memref<8x8xf32>, %i: index) {
  // expected-error@+1 {{'memref.subview' op expected 2 offset values, got 1}}
  %0 = memref.subview %m[0][2, 2][1, 1] : memref<8x8xf32> to memref<2x2xf32>
  // expected-error@+1 {{'memref.subview' op (C2) expected result type to be memref<2x2xf32, strided<[8, 1]>> or a rank-reduced version of it, got memref<2x2xf32>}}
  %1 = memref.subview %m[0, 0][2, 2][1, 1] : memref<8x8xf32> to memref<2x2xf32>
  // expected-error@+1 {{'memref.subview' op (C3) slice along dimension 0 runs out-of-bounds: 8 >= 8}}
  %6 = memref.subview %m[4, 0][5, 8][1, 1] : memref<8x8xf32> to memref<5x8xf32, strided<[8, 1], offset: 32>>
  // expected-error@+1 {{'memref.subview' op (C3) slice along dimension 1 runs out-of-bounds: 9 >= 8}}
  %7 = memref.subview %m[%i, 0][1, 4][1, 3] : memref<8x8xf32> to memref<1x4xf32, strided<[8, 3], offset: ?>>
  // expected-error@+1 {{'memref.subview' op (C3) slice along dimension 0 runs out-of-bounds: -1 < 0}}
  %8 = memref.subview %m[2, 0][4, 8][-1, 1] : memref<8x8xf32> to memref<4x8xf32, strided<[-8, 1], offset: 16>>
  // expected-error@+1 {{'memref.subview' op (C3) offset 0 is out-of-bounds: 9 >= 8}}
  %9 = memref.subview %m[9, 0][1, 8][1, 1] : memref<8x8xf32> to memref<1x8xf32, strided<[8, 1], offset: 72>>
  // expected-error@+1 {{'memref.subview' op (C3) expected offsets to be non-negative, but got -1}}
  %10 = memref.subview %m[-1, 0][1, 8][1, 1] : memref<8x8xf32> to memref<1x8xf32, strided<[8, 1], offset: -8>>
  // expected-error@+1 {{'memref.subview' op (C3) expected sizes to be non-negative, but got -1}}
  %11 = memref.subview %m[0, 0][-1, 8][1, 1] : memref<8x8xf32> to memref<?x8xf32, strided<[8, 1]>>
  // expected-error@+1 {{'memref.reinterpret_cast' op (C2) expected dim 0 of the result to be the size given}}
  %2 = memref.reinterpret_cast %m to offset: [0], sizes: [4], strides: [1] : memref<8x8xf32> to memref<5xf32>
  // expected-error@+1 {{'memref.reinterpret_cast' op (C2) expected stride 0 of the result to be the one given}}
  %3 = memref.reinterpret_cast %m to offset: [0], sizes: [4], strides: [%i] : memref<8x8xf32> to memref<4xf32, strided<[1]>>
  // expected-error@+1 {{'memref.reinterpret_cast' op (C3) source memref<8x8xf32> and result memref<4xi32> differ in element type or memory space}}
  %4 = memref.reinterpret_cast %m to offset: [0], sizes: [4], strides: [1] : memref<8x8xf32> to memref<4xi32>
  return
}

// -----

func.func @reshapes(%m: memref<8x8xf32>, %s: memref<8x8xf32, strided<[16, 1]>>, %shape: memref<3xi32>) {
  // expected-error@+1 {{'memref.expand_shape' op expected dim 1 of the collapsed type to be 6, the product of its group, got 8}}
  %0 = memref.expand_shape %m [[0], [1, 2]] output_shape [8, 2, 3] : memref<8x8xf32> into memref<8x2x3xf32>
  // expected-error@+1 {{'memref.expand_shape' op (C3) output_shape differs from the result's dim 1}}
  %1 = memref.expand_shape %m [[0], [1, 2]] output_shape [8, 4, 2] : memref<8x8xf32> into memref<8x2x4xf32>
  // expected-error@+1 {{'memref.collapse_shape' op expected reassociation to be groups of consecutive dims, beginning at 0}}
  %2 = memref.collapse_shape %m [[1, 0]] : memref<8x8xf32> into memref<64xf32>
  // expected-error@+1 {{'memref.collapse_shape' op (C2) expected the result to be memref<64xf32>, got memref<64xf32, strided<[2]>>}}
  %3 = memref.collapse_shape %m [[0, 1]] : memref<8x8xf32> into memref<64xf32, strided<[2]>>
  // expected-error@+1 {{'memref.transpose' op (C1) expected a permutation of 2 dims}}
  %4 = memref.transpose %m (i, j) -> (i, i) : memref<8x8xf32> to memref<8x8xf32>
  // expected-error@+1 {{'memref.transpose' op (C2) result type memref<8x8xf32> is not equivalent to the canonical transposed type}}
  %5 = memref.transpose %m (i, j) -> (j, i) : memref<8x8xf32> to memref<8x8xf32>
  // expected-error@+1 {{'memref.reshape' op (C3) length of shape operand differs from the result's memref rank}}
  %6 = memref.reshape %m(%shape) : (memref<8x8xf32>, memref<3xi32>) -> memref<64xf32>
  // expected-error@+1 {{'memref.reshape' op (C2) source and result must have an identity layout}}
  %7 = memref.reshape %s(%shape) : (memref<8x8xf32, strided<[16, 1]>>, memref<3xi32>) -> memref<8x4x2xf32>
  return
}

// -----

func.func @atomic_body_effects(%m: memref<4xf32>, %i: index) {
  %0 = memref.generic_atomic_rmw %m[%i] : memref<4xf32> {
  ^bb0(%c: f32):
    // expected-error@+1 {{(C3) has effects: the body of generic_atomic_rmw may run more than once}}
    memref.store %c, %m[%i] : memref<4xf32>
    memref.atomic_yield %c : f32
  }
  return
}

// -----

func.func @atomic_vectors(%m: memref<4xvector<2xf32>>, %i: index) {
  // expected-error@+1 {{'memref.generic_atomic_rmw' op (C4) expected a memref of numbers, got memref<4xvector<2xf32>>}}
  %0 = memref.generic_atomic_rmw %m[%i] : memref<4xvector<2xf32>> {
  ^bb0(%x: vector<2xf32>):
    memref.atomic_yield %x : vector<2xf32>
  }
  return
}

// -----

// expected-error@+1 {{'memref.global' op (C2) initial value should be a unit or elements attribute}}
memref.global @written : memref<2xf32> = #flow.parameter.named<"key">
