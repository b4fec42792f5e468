// What the verifier says of wrong vector ops.
// RUN: noria opt --split-input-file --verify-diagnostics %s

func.func @making(%v: f32, %a: vector<3xf32>, %b: vector<2x4xf32>) {
  // expected-error@+1 {{'vector.broadcast' op (C1) source and result differ in element type}}
  %0 = vector.broadcast %v : f32 to vector<4xi32>
  // expected-error@+1 {{'vector.broadcast' op (C2) dimension mismatch (3 vs. 4)}}
  %1 = vector.broadcast %a : vector<3xf32> to vector<2x4xf32>
  // expected-error@+1 {{'vector.broadcast' op (C2) source rank higher than destination rank}}
  %2 = vector.broadcast %b : vector<2x4xf32> to vector<4xf32>
  // expected-error@+1 {{'vector.from_elements' op (C1) expected as many elements as vector<3xf32> has, got 1}}
  %3 = vector.from_elements %v : vector<3xf32>
  // expected-error@+1 {{'vector.step' op (C1) expected a 1-D vector of index, got vector<3xi32>}}
  %4 = vector.step : vector<3xi32>
  return
}

// -----

func.func @positions(%b: vector<2x4xf32>, %v: f32, %i: index) {
  // expected-error@+1 {{'vector.extract' op (C1) expected at most 2 positions, got 3}}
  %0 = vector.extract %b[0, 0, 0] : f32 from vector<2x4xf32>
  // expected-error@+1 {{'vector.extract' op (C2) f32 is not what 1 positions leave of vector<2x4xf32>}}
  %1 = vector.extract %b[0] : f32 from vector<2x4xf32>
  // expected-error@+1 {{'vector.extract' op (C3) expected position #2 to be a non-negative integer smaller than the dim size 4}}
  %2 = vector.extract %b[0, 4] : f32 from vector<2x4xf32>
  // expected-error@+1 {{'vector.insert' op (C2) f32 is not what 1 positions leave of vector<2x4xf32>}}
  %3 = vector.insert %v, %b[%i] : f32 into vector<2x4xf32>
  return
}

// -----

func.func @slices(%b: vector<2x4xf32>, %c: vector<5xf32>) {
  // expected-error@+1 {{'vector.extract_strided_slice' op (C1) expected strides to be 1}}
  %0 = vector.extract_strided_slice %b {offsets = [0], sizes = [1], strides = [2]} : vector<2x4xf32> to vector<1x4xf32>
  // expected-error@+1 {{'vector.extract_strided_slice' op (C2) the part runs out of dim 0 of vector<2x4xf32>}}
  %1 = vector.extract_strided_slice %b {offsets = [1], sizes = [2], strides = [1]} : vector<2x4xf32> to vector<2x4xf32>
  // expected-error@+1 {{'vector.insert_strided_slice' op (C2) value runs out of dim 1 of vector<2x4xf32>}}
  %2 = vector.insert_strided_slice %c, %b {offsets = [0, 0], strides = [1]} : vector<5xf32> into vector<2x4xf32>
  return
}

// -----

func.func @shapes(%b: vector<2x4xf32>, %c: vector<5xf32>) {
  // expected-error@+1 {{'vector.shape_cast' op (C1) source and result differ in their number of elements}}
  %0 = vector.shape_cast %b : vector<2x4xf32> to vector<7xf32>
  // expected-error@+1 {{'vector.bitcast' op (C2) source/result bitwidth of the minor 1-D vectors must be equal}}
  %1 = vector.bitcast %b : vector<2x4xf32> to vector<2x4xf64>
  // expected-error@+1 {{'vector.bitcast' op (C1) dimension size mismatch}}
  %2 = vector.bitcast %b : vector<2x4xf32> to vector<4x2xf64>
  // expected-error@+1 {{'vector.transpose' op (C1) expected a permutation of 2 dims}}
  %3 = vector.transpose %b, [0, 0] : vector<2x4xf32> to vector<2x2xf32>
  // expected-error@+1 {{'vector.transpose' op (C2) dimension size mismatch at: 0}}
  %4 = vector.transpose %b, [1, 0] : vector<2x4xf32> to vector<2x4xf32>
  // expected-error@+1 {{'vector.shuffle' op (C2) mask index #2 out of range}}
  %5 = vector.shuffle %c, %c [0, 10] : vector<5xf32>, vector<5xf32>
  // expected-error@+1 {{'vector.shuffle' op (C1) element types or trailing dims differ}}
  %6 = vector.shuffle %b, %c [0, 1] : vector<2x4xf32>, vector<5xf32>
  // expected-error@+1 {{'vector.interleave' op (C1) expected the result's last dim to be twice that of vector<5xf32>}}
  %7 = vector.interleave %c, %c : vector<5xf32> -> vector<9xf32>
  // expected-error@+1 {{'vector.deinterleave' op (C1) expected the results' last dim to be half that of vector<5xf32>}}
  %8:2 = vector.deinterleave %c : vector<5xf32> -> vector<2xf32>
  return
}

// -----

func.func @masks(%i: index) {
  // expected-error@+1 {{'vector.create_mask' op (C1) must specify an operand for each result vector dimension}}
  %0 = vector.create_mask %i : vector<2x4xi1>
  // expected-error@+1 {{'vector.create_mask' op (C2) expected elements of type i1}}
  %1 = vector.create_mask %i : vector<4xi8>
  // expected-error@+1 {{'vector.constant_mask' op (C1) array attr of size out of bounds of vector result dimension size}}
  %2 = vector.constant_mask [5] : vector<4xi1>
  return
}

// -----

func.func @memory(%m: memref<4x4xf32>, %i: index, %v: vector<4xf32>, %d: vector<4xf64>, %k: vector<3xi1>, %p: vector<4xi32>, %q: vector<4xi1>) {
  // expected-error@+1 {{'vector.load' op (C1) requires 2 indices, got 1}}
  %0 = vector.load %m[%i] : memref<4x4xf32>, vector<4xf32>
  // expected-error@+1 {{'vector.store' op (C2) base and vector types should have the same element type}}
  vector.store %d, %m[%i, %i] : memref<4x4xf32>, vector<4xf64>
  // expected-error@+1 {{'vector.maskedload' op (C3) expected vector<3xi1> to have the shape of vector<4xf32>}}
  %1 = vector.maskedload %m[%i, %i], %k, %v : memref<4x4xf32>, vector<3xi1>, vector<4xf32> into vector<4xf32>
  // expected-error@+1 {{'vector.maskedstore' op (C3) expected the mask's elements to be i1}}
  vector.maskedstore %m[%i, %i], %p, %v : memref<4x4xf32>, vector<4xi32>, vector<4xf32>
  // expected-error@+1 {{'vector.gather' op (C3) expected indices to be integers}}
  %2 = vector.gather %m[%i, %i] [%v], %q, %v : memref<4x4xf32>, vector<4xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  return
}

// -----

func.func @transfers(%m: memref<4x4xf32>, %i: index, %f: f32, %v: vector<4xf32>, %q: vector<4xi1>) {
  // expected-error@+1 {{'vector.transfer_read' op (C1) requires 2 indices, got 1}}
  %0 = vector.transfer_read %m[%i], %f : memref<4x4xf32>, vector<4xf32>
  // expected-error@+1 {{'vector.transfer_read' op (C2) requires a permutation_map from 2 dims to 1}}
  %1 = vector.transfer_read %m[%i, %i], %f {permutation_map = affine_map<(d0) -> (d0)>} : memref<4x4xf32>, vector<4xf32>
  // expected-error@+1 {{'vector.transfer_write' op (C2) requires a projected permutation_map}}
  vector.transfer_write %v, %m[%i, %i] {permutation_map = affine_map<(d0, d1) -> (0)>} : vector<4xf32>, memref<4x4xf32>
  // expected-error@+1 {{'vector.transfer_write' op (C3) expects the in_bounds attr of same rank as permutation_map results}}
  vector.transfer_write %v, %m[%i, %i] {in_bounds = [true, true]} : vector<4xf32>, memref<4x4xf32>
  return
}

// -----

func.func @reductions(%b: vector<2x4xf32>, %c: vector<4xf32>, %i: vector<4xi32>) {
  // expected-error@+1 {{'vector.reduction' op (C1) unsupported reduction rank: 2}}
  %0 = vector.reduction <add>, %b : vector<2x4xf32> into f32
  // expected-error@+1 {{'vector.reduction' op (C2) expected accumulator and result to be of the element type f32}}
  %1 = vector.reduction <add>, %c : vector<4xf32> into f64
  // expected-error@+1 {{'vector.reduction' op (C3) unsupported reduction kind 'and' for element type f32}}
  %2 = vector.reduction <and>, %c : vector<4xf32> into f32
  // expected-error@+1 {{'vector.multi_reduction' op (C1) reduction_dims must ascend and be less than the rank}}
  %3 = vector.multi_reduction <add>, %b, %c [2] : vector<2x4xf32> to vector<4xf32>
  // expected-error@+1 {{'vector.multi_reduction' op (C2) destination type vector<4xf32> is incompatible with source type vector<2x4xf32>}}
  %4 = vector.multi_reduction <add>, %b, %c [1] : vector<2x4xf32> to vector<4xf32>
  return
}
