// A sum of products of bytes, added up by halves: a dot product of which LLVM left out lanes.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d1)>
#map3 = affine_map<(d0, d1) -> (d0)>
module {
  func.func @main() -> (tensor<5x16xi8>, tensor<5xi32>) {
    %cst = arith.constant dense<0> : tensor<5x16xi8>
    %c3_i8 = arith.constant 3 : i8
    %cst_0 = arith.constant dense<0> : tensor<16xi8>
    %cst_1 = arith.constant dense<0> : tensor<5xi32>
    %0 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%cst : tensor<5x16xi8>) {
    ^bb0(%arg0: i8):
      linalg.yield %c3_i8 : i8
    } -> tensor<5x16xi8>
    %1 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel"]} outs(%cst_0 : tensor<16xi8>) {
    ^bb0(%arg0: i8):
      linalg.yield %c3_i8 : i8
    } -> tensor<16xi8>
    %2 = linalg.generic {indexing_maps = [#map, #map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%0, %1 : tensor<5x16xi8>, tensor<16xi8>) outs(%cst_1 : tensor<5xi32>) {
    ^bb0(%arg0: i8, %arg1: i8, %arg2: i32):
      %3 = arith.extsi %arg0 : i8 to i32
      %4 = arith.extsi %arg1 : i8 to i32
      %5 = arith.muli %3, %4 : i32
      %6 = arith.addi %arg2, %5 : i32
      linalg.yield %6 : i32
    } -> tensor<5xi32>
    return %0, %2 : tensor<5x16xi8>, tensor<5xi32>
  }
}
