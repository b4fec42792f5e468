// A reduction whose body does not look at the old element leaves it where the loop has no trips: bufferize took the
// output to be written everywhere.
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d1, d2)>
func.func @main(%x: index, %t: tensor<?x1x1xindex>) -> tensor<1x1xindex> {
  %init = arith.constant dense<7> : tensor<1x1xindex>
  %0 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction", "parallel", "parallel"]} ins(%t : tensor<?x1x1xindex>) outs(%init : tensor<1x1xindex>) {
  ^bb0(%a: index, %b: index):
    linalg.yield %x : index
  } -> tensor<1x1xindex>
  return %0 : tensor<1x1xindex>
}
