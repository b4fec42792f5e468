// Named ops with lists of dims, and those that compute what an op in braces or a region says.
// RUN: noria opt --syntax=mlir %s | mlir-opt -o %t.ours
// RUN: mlir-opt %s -o %t.theirs
// RUN: diff %t.ours %t.theirs
// RUN: noria opt --syntax=mlir --mlir-print-op-generic %s | mlir-opt -o %t.generic
// RUN: diff %t.generic %t.theirs
// RUN: mlir-opt --mlir-print-op-generic %s | noria opt --syntax=mlir | mlir-opt -o %t.back
// RUN: diff %t.back %t.theirs
// RUN: noria opt --syntax=mlir --linalg-generalize-named-ops %s | mlir-opt --linalg-generalize-named-ops -o %t.ours
// RUN: mlir-opt --linalg-generalize-named-ops %s -o %t.theirs
// RUN: diff %t.ours %t.theirs

func.func @transpose(%a: tensor<2x4x8xf32>, %o: tensor<8x2x4xf32>, %m: memref<4x8xf32>, %n: memref<8x4xf32>) -> tensor<8x2x4xf32> {
  %0 = linalg.transpose ins(%a : tensor<2x4x8xf32>) outs(%o : tensor<8x2x4xf32>) permutation = [2, 0, 1] {note}
  linalg.transpose ins(%m : memref<4x8xf32>) outs(%n : memref<8x4xf32>) permutation = [1, 0]
  return %0 : tensor<8x2x4xf32>
}
func.func @broadcast(%a: tensor<4x8xf32>, %o: tensor<4x2x8x3xf32>, %m: memref<f32>, %n: memref<4xf32>) -> tensor<4x2x8x3xf32> {
  %0 = linalg.broadcast ins(%a : tensor<4x8xf32>) outs(%o : tensor<4x2x8x3xf32>) dimensions = [1, 3]
  linalg.broadcast ins(%m : memref<f32>) outs(%n : memref<4xf32>) dimensions = [0]
  return %0 : tensor<4x2x8x3xf32>
}
func.func @reduce(%a: tensor<4x8x3xf32>, %i: tensor<4x8xi32>, %o: tensor<8xf32>, %p: tensor<4xi32>, %m: memref<4xf32>, %n: memref<f32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4xi32>, tensor<4xi32>) {
  %0 = linalg.reduce { arith.addf } ins(%a : tensor<4x8x3xf32>) outs(%o : tensor<8xf32>) dimensions = [0, 2]
  %1 = linalg.reduce { arith.maximumf {fastmath = #arith.fastmath<fast>} } ins(%a : tensor<4x8x3xf32>) outs(%o : tensor<8xf32>) dimensions = [0, 2] {note}
  %2:2 = linalg.reduce ins(%i, %i : tensor<4x8xi32>, tensor<4x8xi32>) outs(%p, %p : tensor<4xi32>, tensor<4xi32>) dimensions = [1]
    (%in: i32, %in2: i32, %sum: i32, %product: i32) {
      %s = arith.addi %sum, %in : i32
      %q = arith.muli %product, %in2 : i32
      linalg.yield %s, %q : i32, i32
    }
  linalg.reduce { arith.mulf } ins(%m : memref<4xf32>) outs(%n : memref<f32>) dimensions = [0]
  %3 = linalg.reduce { arith.addi } ins(%i : tensor<4x8xi32>) outs(%p : tensor<4xi32>) dimensions = [1]
  %4 = linalg.reduce ins(%a : tensor<4x8x3xf32>) outs(%o : tensor<8xf32>) dimensions = [0, 2] {note}
    (%in: f32, %init: f32) {
      %s = arith.addf %in, %init : f32
      linalg.yield %s : f32
    }
  return %0, %1, %4, %2#0, %3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4xi32>, tensor<4xi32>
}
func.func @map(%a: tensor<4x8xf32>, %i: tensor<4xi32>, %o: tensor<4x8xf32>, %m: memref<4xf32>) -> (tensor<4x8xf32>, tensor<4xi32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = linalg.map { arith.addf } ins(%a, %a : tensor<4x8xf32>, tensor<4x8xf32>) outs(%o : tensor<4x8xf32>)
  %1 = linalg.map { arith.muli } ins(%i, %i : tensor<4xi32>, tensor<4xi32>) outs(%i : tensor<4xi32>)
  linalg.map { math.exp } ins(%m : memref<4xf32>) outs(%m : memref<4xf32>) {note}
  %2 = linalg.map ins(%a : tensor<4x8xf32>) outs(%o : tensor<4x8xf32>)
    (%x: f32, %init: f32) {
      %n = arith.negf %x : f32
      %s = arith.addf %n, %x : f32
      linalg.yield %s : f32
    }
  %3 = linalg.map outs(%o : tensor<4x8xf32>)
    (%init: f32) {
      %c = arith.constant 1.000000e+00 : f32
      linalg.yield %c : f32
    }
  return %0, %1, %2, %3 : tensor<4x8xf32>, tensor<4xi32>, tensor<4x8xf32>, tensor<4x8xf32>
}
