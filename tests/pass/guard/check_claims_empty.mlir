// An empty tensor may have any dim beside one of 0: nothing says that the product of the others fits.
// RUN: not noria run %s --entry=main zeros:0 70368744177664 2>&1 | FileCheck %s
// CHECK: 'tensor.extract' op index 200000 of dim 0 is out of bounds: the dim is 0

func.func private @far(%e: tensor<?x0x16384xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %e, %c0 : tensor<?x0x16384xf32>
  %k = arith.constant 262144 : index
  %n = arith.muli %d, %k : index
  %some = arith.cmpi ult, %c0, %d : index
  %r = scf.if %some -> (f32) {
    %b = tensor.empty(%n) : tensor<?xf32>
    %at = arith.constant 200000 : index
    %v = tensor.extract %b[%at] : tensor<?xf32>
    scf.yield %v : f32
  } else {
    %z = arith.constant 0.0 : f32
    scf.yield %z : f32
  }
  return %r : f32
}
func.func @main(%s: tensor<0xf32>, %x: index) -> f32 {
  %c0 = arith.constant 0 : index
  %em = tensor.empty(%c0) : tensor<?xf32>
  %e = tensor.expand_shape %em [[0, 1, 2]] output_shape [%x, 0, 16384] : tensor<?xf32> into tensor<?x0x16384xf32>
  %r = func.call @far(%e) : (tensor<?x0x16384xf32>) -> f32
  return %r : f32
}
