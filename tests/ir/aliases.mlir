// Affine maps get aliases in the order in which the text uses them; each is defined once.
// RUN: noria opt --syntax=mlir %s | FileCheck %s
// RUN: noria opt --syntax=2020 %s | FileCheck %s --check-prefix=OLD
// RUN: noria opt --syntax=mlir %s -o %t.ours
// RUN: mlir-opt %s -o %t.theirs
// RUN: echo >> %t.ours
// RUN: diff %t.ours %t.theirs

// CHECK: #map = affine_map<(d0, d1) -> (d1, d0)>
// CHECK: #map3 = affine_map<(d0, d1)[s0] -> (d0 * 4 - d1, (d0 + d1) floordiv 2, d0 mod 3 + s0, -d0, d0 * -2 + 5)>
// CHECK-NOT: #map5
// CHECK: #set = affine_set<(d0)[s0] : (d0 - 1 >= 0, -d0 + s0 == 0)>
// CHECK: memref<4x4xf32, #map>) attributes {m2 = #map1, maps = [#map2, #map3], more = #map4, set = #set}
// OLD: #map0 = affine_map<(d0, d1) -> (d1, d0)>
// OLD: memref<4x4xf32, #map0>

#a = affine_map<(i, j)[N] -> (i * 4 - j, (i + j) floordiv 2, i mod 3 + N, -i, i * -2 + 5)>
#b = affine_map<(d0) -> (d0)>
#s = affine_set<(d0)[s0] : (d0 - 1 >= 0, -d0 + s0 == 0)>
func.func private @f(memref<4x4xf32, affine_map<(d0, d1) -> (d1, d0)>>) attributes {maps = [#b, #a], set = #s, more = affine_map<() -> ()>, m2 = affine_map<(d0, d1) -> (d0 ceildiv 4 + d1 * 8)>}
