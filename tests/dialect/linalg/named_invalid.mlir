// What the verifier says of wrong named ops.
// RUN: noria opt --split-input-file --verify-diagnostics %s

func.func @wrong(%i: tensor<4x8xf32>, %o: tensor<8x4xf32>) {
  // expected-error@+1 {{'linalg.transpose' op (C1) permutation is not valid}}
  %0 = linalg.transpose ins(%i : tensor<4x8xf32>) outs(%o : tensor<8x4xf32>) permutation = [0, 0]
  return
}

// -----

func.func @wrong(%i: tensor<4x8xf32>, %o: tensor<8x4xf32>) {
  // expected-error@+1 {{'linalg.transpose' op (C6) inferred input/output operand #1 has shape's dimension #0 to be 4, but found 8}}
  %0 = linalg.transpose ins(%i : tensor<4x8xf32>) outs(%o : tensor<8x4xf32>) permutation = [0, 1]
  return
}

// -----

func.func @wrong(%i: tensor<4x8xf32>, %o: tensor<8x4xf32>) {
  // expected-error@+1 {{'linalg.transpose' op (C1) size of permutation 1 does not match the argument rank 2}}
  %0 = linalg.transpose ins(%i : tensor<4x8xf32>) outs(%o : tensor<8x4xf32>) permutation = [0]
  return
}

// -----

func.func @wrong(%i: tensor<4x8xf32>, %o: tensor<8xf32>) {
  // expected-error@+1 {{'linalg.transpose' op (C1) input rank 2 does not match init rank 1}}
  %0 = linalg.transpose ins(%i : tensor<4x8xf32>) outs(%o : tensor<8xf32>) permutation = [1, 0]
  return
}

// -----

func.func @wrong(%i: tensor<4x8xf32>, %o: tensor<2x4x8xf32>) {
  // expected-error@+1 {{'linalg.broadcast' op (C1) input rank plus added dimensions does not match init rank. input rank: 2, dimensions size: 2, init rank: 3}}
  %0 = linalg.broadcast ins(%i : tensor<4x8xf32>) outs(%o : tensor<2x4x8xf32>) dimensions = [0, 1]
  return
}

// -----

func.func @wrong(%i: tensor<4x8xf32>, %o: tensor<2x4x8xf32>) {
  // expected-error@+1 {{'linalg.broadcast' op (C1) dimension 0 is out of range or stands twice. expected range: [0, 2], got: 5}}
  %0 = linalg.broadcast ins(%i : tensor<4x8xf32>) outs(%o : tensor<2x4x8xf32>) dimensions = [5]
  return
}

// -----

func.func @wrong(%i: tensor<4x8xf32>, %o: tensor<2x4x8xf32>) {
  // expected-error@+1 {{'linalg.broadcast' op (C6) inferred input/output operand #1 has shape's dimension #0 to be 4, but found 2}}
  %0 = linalg.broadcast ins(%i : tensor<4x8xf32>) outs(%o : tensor<2x4x8xf32>) dimensions = [2]
  return
}

// -----

func.func @wrong(%i: tensor<4x8xf32>, %o: tensor<4xf32>) {
  // expected-error@+1 {{'linalg.reduce' op (C6) inferred input/output operand #1 has shape's dimension #0 to be 8, but found 4}}
  %0 = linalg.reduce { arith.addf } ins(%i : tensor<4x8xf32>) outs(%o : tensor<4xf32>) dimensions = [0]
  return
}

// -----

func.func @wrong(%i: tensor<4x8xf32>, %o: tensor<4xf32>) {
  // expected-error@+1 {{'linalg.reduce' op (C1) dimensions for reduction should be in the range [0, 1], each once.}}
  %0 = linalg.reduce { arith.addf } ins(%i : tensor<4x8xf32>) outs(%o : tensor<4xf32>) dimensions = [2]
  return
}

// -----

func.func @wrong(%i: tensor<4x8xf32>, %o: tensor<4x8xf32>) {
  // expected-error@+1 {{'linalg.reduce' op (C1) expected operand rank (2) to match the result rank of indexing_map #1 (1)}}
  %0 = linalg.reduce { arith.addf } ins(%i : tensor<4x8xf32>) outs(%o : tensor<4x8xf32>) dimensions = [1]
  return
}

// -----

func.func @wrong(%i: tensor<4x8xf32>, %o: tensor<4x9xf32>) {
  // expected-error@+1 {{'linalg.map' op (C6) inferred input/output operand #1 has shape's dimension #1 to be 8, but found 9}}
  %0 = linalg.map { math.exp } ins(%i : tensor<4x8xf32>) outs(%o : tensor<4x9xf32>)
  return
}

// -----

func.func @wrong(%i: tensor<4x8xf32>, %o: tensor<4x9xf32>) {
  // expected-error@+1 {{'linalg.softmax' op (C1) incompatible output shape}}
  %0 = linalg.softmax dimension(1) ins(%i : tensor<4x8xf32>) outs(%o : tensor<4x9xf32>) -> tensor<4x9xf32>
  return
}

// -----

func.func @wrong(%i: tensor<4x8xf32>, %o: tensor<4x8xf32>) {
  // expected-error@+1 {{'linalg.softmax' op (C2) incorrect dimension specified}}
  %0 = linalg.softmax dimension(2) ins(%i : tensor<4x8xf32>) outs(%o : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @wrong(%i: tensor<1x8x8x3xf32>, %f: tensor<3x3x3x4xf32>, %o: tensor<1x7x6x4xf32>) {
  // expected-error@+1 {{'linalg.conv_2d_nhwc_hwcf' op (C6) operand #0 is read at 8 along dimension #1, outside of its size 8}}
  %0 = linalg.conv_2d_nhwc_hwcf ins(%i, %f : tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) outs(%o : tensor<1x7x6x4xf32>) -> tensor<1x7x6x4xf32>
  return
}

// -----

func.func @wrong(%i: tensor<1x8x8x3xf32>, %f: tensor<3x3x3x4xf32>, %o: tensor<1x6x6x4xf32>) {
  // expected-error@+1 {{'linalg.conv_2d_nhwc_hwcf' op (C7) attribute 'strides' must be 64-bit signless int elements attribute of shape [2]}}
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<3xi64>} ins(%i, %f : tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) outs(%o : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @wrong(%i: tensor<1x8x8x3xf32>, %f: tensor<3x3x3x4xf32>, %o: tensor<1x6x6x4xf32>) {
  // expected-error@+1 {{'linalg.conv_2d_nhwc_hwcf' op (C7) attribute 'strides' must be positive, got 0}}
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<0> : tensor<2xi64>} ins(%i, %f : tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) outs(%o : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @wrong(%i: tensor<4x8xf32>, %o: tensor<8x4xf32>) {
  // expected-error@+1 {{'linalg.matmul' op expected 2 inputs and one output, but found 1 and 1}}
  %0 = linalg.matmul ins(%i : tensor<4x8xf32>) outs(%o : tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @wrong(%i: tensor<4x8xi32>, %o: tensor<4x8xi32>) {
  // expected-error@+1 {{'linalg.exp' op has no meaning for elements of type i32 and results of type i32}}
  %0 = linalg.exp ins(%i : tensor<4x8xi32>) outs(%o : tensor<4x8xi32>) -> tensor<4x8xi32>
  return
}

// -----

func.func @wrong(%i: tensor<128x256xf32>, %d: tensor<16x9x8x32xf32>) {
  // expected-error@+1 {{'linalg.pack' op (C3) expected dim 1 of the packed type to be 8, as dim 1 is 256 in tiles of 32, got 9}}
  %0 = linalg.pack %i inner_dims_pos = [0, 1] inner_tiles = [8, 32] into %d : tensor<128x256xf32> -> tensor<16x9x8x32xf32>
  return
}

// -----

func.func @wrong(%i: tensor<127x256xf32>, %d: tensor<16x8x8x32xf32>) {
  // expected-error@+1 {{'linalg.pack' op (C4) invalid tile factor or output size provided. Only full tiles are supported when padding_value is not set}}
  %0 = linalg.pack %i inner_dims_pos = [0, 1] inner_tiles = [8, 32] into %d : tensor<127x256xf32> -> tensor<16x8x8x32xf32>
  return
}

// -----

func.func @wrong(%i: tensor<127x256xf32>, %d: tensor<16x8x8x32xf32>) {
  // expected-error@+1 {{'linalg.pack' op (C1) invalid inner_dims_pos vector}}
  %0 = linalg.pack %i inner_dims_pos = [0, 0] inner_tiles = [8, 32] into %d : tensor<127x256xf32> -> tensor<16x8x8x32xf32>
  return
}

// -----

func.func @wrong(%i: tensor<4x8xf32>, %o: tensor<8xf32>) {
  // expected-error@+1 {{'linalg.matmul' op (C6) inferred input/output operand #1 has shape's dimension #0 to be 8, but found 4}}
  %0 = linalg.matmul ins(%i, %i : tensor<4x8xf32>, tensor<4x8xf32>) outs(%i : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @wrong(%i: tensor<4x8xf32>, %o: tensor<8xf32>) {
  // expected-error@+1 {{'linalg.matvec' op (C1) expected operand rank (2) to match the result rank of indexing_map #1 (1)}}
  %0 = linalg.matvec ins(%i, %i : tensor<4x8xf32>, tensor<4x8xf32>) outs(%o : tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @wrong(%i: tensor<4x8xf32>, %o: tensor<8xf32>) {
  // expected-error@+1 {{'linalg.elementwise' op has no function of elements named 'nothing'}}
  %0 = linalg.elementwise kind=#linalg.elementwise_kind<nothing> ins(%i : tensor<4x8xf32>) outs(%i : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @wrong(%i: tensor<4x8xf32>, %o: tensor<8xf32>) {
  // expected-error@+1 {{there is no op 'arith.nothing'}}
  %0 = linalg.reduce { arith.nothing } ins(%i : tensor<4x8xf32>) outs(%o : tensor<8xf32>) dimensions = [0]
  return
}

// -----

func.func @wrong(%i: tensor<4x8xf32>, %o: tensor<8xf32>) {
  // expected-error@+1 {{'arith.addi' op operand #0 must be signless-integer-like, but got 'f32'}}
  %0 = linalg.reduce { arith.addi } ins(%i : tensor<4x8xf32>) outs(%o : tensor<8xf32>) dimensions = [0]
  return
}

// -----

func.func @wrong(%i: tensor<4x8xf32>, %o: tensor<8xf32>) {
  // expected-error@+1 {{'linalg.reduce' op (C1) expected as many inits as inputs, and one at least}}
  %0 = "linalg.reduce"(%i, %i, %o) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: f32, %b: f32, %c: f32):
    linalg.yield %c : f32
  }) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @wrong(%i: tensor<4x8xf32>, %o: tensor<8x4xf32>) {
  // expected-error@+1 {{'linalg.softmax' op (C1) incompatible output shape}}
  %0 = linalg.softmax dimension(1) ins(%i : tensor<4x8xf32>) outs(%o : tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @wrong(%i: tensor<4x8xi32>) {
  // expected-error@+1 {{'linalg.softmax' op (C1) expected input and output of one floating-point type, got tensor<4x8xi32> and tensor<4x8xi32>}}
  %0 = linalg.softmax dimension(1) ins(%i : tensor<4x8xi32>) outs(%i : tensor<4x8xi32>) -> tensor<4x8xi32>
  return
}

// -----

func.func @wrong(%i: tensor<8x8xf32>, %d: tensor<1x1x8x8xf32>) {
  // expected-error@+1 {{'linalg.pack' op (C1) invalid outer_dims_perm vector}}
  %0 = linalg.pack %i outer_dims_perm = [0, 0] inner_dims_pos = [0, 1] inner_tiles = [8, 8] into %d : tensor<8x8xf32> -> tensor<1x1x8x8xf32>
  return
}

// -----

func.func @wrong(%i: tensor<8x8xf32>, %d: tensor<1x8x8xf32>) {
  // expected-error@+1 {{'linalg.pack' op (C2) expected the packed rank 3 to be the unpacked rank 2 plus 2 inner tiles}}
  %0 = linalg.pack %i inner_dims_pos = [0, 1] inner_tiles = [8, 8] into %d : tensor<8x8xf32> -> tensor<1x8x8xf32>
  return
}

// -----

func.func @wrong(%i: tensor<8x8xf32>, %d: tensor<1x1x8x8xf32>) {
  // expected-error@+1 {{'linalg.pack' op (C2) invalid zero or negative tile factor}}
  %0 = linalg.pack %i inner_dims_pos = [0, 1] inner_tiles = [8, 0] into %d : tensor<8x8xf32> -> tensor<1x1x8x8xf32>
  return
}

// -----

func.func @wrong(%i: tensor<8x8xf32>, %d: tensor<1x1x8x8xf32>) {
  // expected-error@+1 {{'linalg.pack' op (C2) mismatch in inner tile sizes specified and shaped of tiled dimension in the packed type}}
  %0 = linalg.pack %i inner_dims_pos = [0, 1] inner_tiles = [8, 4] into %d : tensor<8x8xf32> -> tensor<1x1x8x8xf32>
  return
}

// -----

func.func @wrong(%i: tensor<8x8xf32>, %d: tensor<1x1x8x8xf64>) {
  // expected-error@+1 {{'linalg.pack' op (C4) expected source, dest and padding_value to have one element type}}
  %0 = linalg.pack %i inner_dims_pos = [0, 1] inner_tiles = [8, 8] into %d : tensor<8x8xf32> -> tensor<1x1x8x8xf64>
  return
}

// -----

func.func @two_regions(%a: memref<8xf32>, %b: memref<8xf32>) {
  // expected-error@+2 {{has incorrect number of regions: expected 1 but found 2}}
  // expected-error@+1 {{region #0 ('body') must have a block}}
  "linalg.copy"(%a, %b) <{operandSegmentSizes = array<i32: 1, 1>}> ({}, {}) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
