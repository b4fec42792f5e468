// A view whose strides go back from its offset.
// passes: check-bounds
func.func @main(%m: memref<8xi32>, %i: index) -> i32 {
  %c3 = arith.constant 3 : index
  %c2 = arith.constant 2 : index
  %at = arith.remui %i, %c3 : index
  %col = arith.remui %i, %c2 : index
  %v = memref.reinterpret_cast %m to offset: [5], sizes: [2, 3], strides: [2, -2] : memref<8xi32> to memref<2x3xi32, strided<[2, -2], offset: 5>>
  %x = memref.load %v[%col, %at] : memref<2x3xi32, strided<[2, -2], offset: 5>>
  return %x : i32
}
