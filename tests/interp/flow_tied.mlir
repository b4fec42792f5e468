// A result that is tied to an argument of another type is the bytes that the argument is left as.

// RUN: noria run %s --entry=bits '[1.0, -2.0, 0.0, 0.5]' --interpret | FileCheck %s --check-prefix=BITS
// RUN: noria run %s --entry=bits '[1.0, -2.0, 0.0, 0.5]' --check-stages | FileCheck %s --check-prefix=BITS
// RUN: noria run %s --entry=shape '[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]' --interpret | FileCheck %s --check-prefix=SHAPE
// RUN: noria run %s --entry=shape '[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]' --check-stages | FileCheck %s --check-prefix=SHAPE
// RUN: noria run %s --entry=two '[1.0, 2.0]' --interpret | FileCheck %s --check-prefix=TWO
// RUN: noria run %s --entry=two '[1.0, 2.0]' --check-stages | FileCheck %s --check-prefix=TWO

// Doubled, in place, and then taken as integers: 2.0, -4.0, 0.0, 1.0.
// BITS: dense<[1073741824, -1065353216, 0, 1065353216]> : tensor<4xi32>
func.func @bits(%x: tensor<4xf32>) -> tensor<4xi32> {
  %r = flow.dispatch.workgroups(%x) : (tensor<4xf32>) -> %x as tensor<4xi32> =
  (%io: !flow.dispatch.tensor<readwrite:tensor<4xf32>>) {
    %t = flow.dispatch.tensor.load %io, offsets = [0], sizes = [4], strides = [1] : !flow.dispatch.tensor<readwrite:tensor<4xf32>> -> tensor<4xf32>
    %s = arith.addf %t, %t : tensor<4xf32>
    flow.dispatch.tensor.store %s, %io, offsets = [0], sizes = [4], strides = [1] : tensor<4xf32> -> !flow.dispatch.tensor<readwrite:tensor<4xf32>>
    flow.return
  }
  return %r : tensor<4xi32>
}

// Another shape, known in the run only, and another element; the argument itself stays as it was.
// SHAPE: dense<{{\[\[}}1065353216, 1073741824, 1077936128], [1082130432, 1084227584, 1086324736]]> : tensor<2x3xi32>
// SHAPE-NEXT: dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00], [5.000000e+00, 6.000000e+00]]> : tensor<3x2xf32>
func.func @shape(%x: tensor<?x2xf32>) -> (tensor<2x?xi32>, tensor<?x2xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %r = flow.dispatch.workgroups(%x, %n) : (tensor<?x2xf32>{%n}, index) -> %x as tensor<2x?xi32>{%n} =
  (%io: !flow.dispatch.tensor<readwrite:tensor<?x2xf32>>, %size: index) {
    %t = flow.dispatch.tensor.load %io, offsets = [0, 0], sizes = [%size, 2], strides = [1, 1] : !flow.dispatch.tensor<readwrite:tensor<?x2xf32>>{%size} -> tensor<?x2xf32>
    flow.dispatch.tensor.store %t, %io, offsets = [0, 0], sizes = [%size, 2], strides = [1, 1] : tensor<?x2xf32> -> !flow.dispatch.tensor<readwrite:tensor<?x2xf32>>{%size}
    flow.return
  }
  return %r, %x : tensor<2x?xi32>, tensor<?x2xf32>
}

// The dims of a tied result do not shift those of the next one.
// TWO: dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// TWO-NEXT: dense<7.000000e+00> : tensor<3xf32>
func.func @two(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.addi %n, %c1 : index
  %r:2 = flow.dispatch.workgroups(%x, %m) : (tensor<?xf32>{%n}, index) -> (%x{%n}, tensor<?xf32>{%m}) =
  (%io: !flow.dispatch.tensor<readwrite:tensor<?xf32>>, %size: index, %out: !flow.dispatch.tensor<writeonly:tensor<?xf32>>) {
    %seven = arith.constant 7.0 : f32
    %t = tensor.splat %seven[%size] : tensor<?xf32>
    flow.dispatch.tensor.store %t, %out, offsets = [0], sizes = [%size], strides = [1] : tensor<?xf32> -> !flow.dispatch.tensor<writeonly:tensor<?xf32>>{%size}
    flow.return
  }
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}

// Elements of another width: the least significant byte first.
// RUN: noria run %s --entry=words '[1.0, 2.0]' --check-stages | FileCheck %s --check-prefix=WORDS
// WORDS: dense<4611686019492741120> : tensor<1xi64>
func.func @words(%x: tensor<2xf32>) -> tensor<1xi64> {
  %r = flow.dispatch.workgroups(%x) : (tensor<2xf32>) -> %x as tensor<1xi64> =
  (%io: !flow.dispatch.tensor<readwrite:tensor<2xf32>>) {
    flow.return
  }
  return %r : tensor<1xi64>
}

// RUN: noria run %s --entry=parts '[[1.0, 2.0], [-3.0, 0.1]]' 2 8 --check-stages | FileCheck %s --check-prefix=PARTS
// PARTS: dense<{{\[\[}}0, 0], [0, 16368], [0, 0], [0, 16384], [0, 0], [0, -16376], [-26214, -26215], [-26215, 16313]]> : tensor<8x2xi16>
func.func @parts(%x: tensor<?x2xf64>, %n: index, %m: index) -> tensor<?x2xi16> {
  %r = flow.dispatch.workgroups(%x) : (tensor<?x2xf64>{%n}) -> %x as tensor<?x2xi16>{%m} =
  (%io: !flow.dispatch.tensor<readwrite:tensor<?x2xf64>>) {
    flow.return
  }
  return %r : tensor<?x2xi16>
}

// RUN: noria run %s --entry=bytes '[0, 0, -128, 63]' --check-stages | FileCheck %s --check-prefix=BYTES
// BYTES: dense<1.000000e+00> : tensor<f32>
func.func @bytes(%x: tensor<4xi8>) -> tensor<f32> {
  %r = flow.dispatch.workgroups(%x) : (tensor<4xi8>) -> %x as tensor<f32> =
  (%io: !flow.dispatch.tensor<readwrite:tensor<4xi8>>) {
    flow.return
  }
  return %r : tensor<f32>
}
