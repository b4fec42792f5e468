// RUN: noria opt --pack-constants=min-bytes=256 %s -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: noria opt --pack-constants %s | FileCheck %s --check-prefix=SMALL
// RUN: noria run --entry=columns_last %s '[[1, 2], [3, 4], [5, 6]]' > %t.expected
// RUN: noria run --entry=columns_last %t.mlir '[[1, 2], [3, 4], [5, 6]]' | diff - %t.expected
// RUN: noria run --entry=columns_first %s '[[1, 2], [3, 4], [5, 6]]' > %t.expected
// RUN: noria run --entry=columns_first %t.mlir '[[1, 2], [3, 4], [5, 6]]' | diff - %t.expected

// A small constant whose columns are its rows is turned.
// RUN: noria opt --pack-constants %s -o %t.small.mlir
// RUN: noria run --entry=columns_first %t.small.mlir '[[1, 2], [3, 4], [5, 6]]' | diff - %t.expected
// SMALL-LABEL: func.func @columns_last
// SMALL-NOT: tensor.expand_shape
// SMALL: linalg.generic {{.*}} ins(%arg0, %{{.*}} : tensor<?x2xf64>, tensor<2x32xf64>)
// SMALL-LABEL: func.func @columns_first
// SMALL-NOT: tensor.expand_shape
// SMALL: linalg.generic {{.*}} ins(%arg0, %{{.*}} : tensor<3x2xf64>, tensor<2x32xf64>)

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#n = affine_map<(m, n) -> (n)>

// The bias that the sum starts from and the op that uses the sum are in blocks too.
// CHECK-DAG: #[[FROM:.*]] = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
// CHECK-DAG: #[[A:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3)>
// CHECK-DAG: #[[P:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3, d2)>
// CHECK-DAG: #[[C:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-DAG: #[[TURNED:.*]] = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
// CHECK-LABEL: func.func @columns_last
// CHECK: %[[INIT:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<?x2x16xf64>)
// CHECK: %[[W:.*]] = tensor.expand_shape %{{.*}} {{\[}}[0], [1, 2]] output_shape [2, 2, 16] : tensor<2x32xf64> into tensor<2x2x16xf64>
// CHECK: %[[PACKED:.*]] = linalg.generic {indexing_maps = [#[[FROM]], {{.*}}} ins(%[[W]] : tensor<2x2x16xf64>)
// CHECK: %[[SUM:.*]] = linalg.generic {indexing_maps = [#[[A]], #[[P]], #[[C]]]{{.*}} ins(%arg0, %[[PACKED]] {{.*}} outs(%[[INIT]]
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%[[SUM]] :
// CHECK: tensor.collapse_shape %[[Y]] {{\[}}[0], [1, 2]] : tensor<?x2x16xf64> into tensor<?x32xf64>
func.func @columns_last(%x: tensor<?x2xf64>) -> tensor<?x32xf64> {
  %w = arith.constant dense<[[-3., -2., -1., 0., 1., 2., 3., -3., -2., -1., 0., 1., 2., 3., -3., -2., -1., 0., 1., 2., 3., -3., -2., -1., 0., 1., 2., 3., -3., -2., -1., 0.],
                             [1., 2., 3., -3., -2., -1., 0., 1., 2., 3., -3., -2., -1., 0., 1., 2., 3., -3., -2., -1., 0., 1., 2., 3., -3., -2., -1., 0., 1., 2., 3., -3.]]> : tensor<2x32xf64>
  %bias = arith.constant dense<[-2., -1., 0., 1., 2., -2., -1., 0., 1., 2., -2., -1., 0., 1., 2., -2., -1., 0., 1., 2., -2., -1., 0., 1., 2., -2., -1., 0., 1., 2., -2., -1.]> : tensor<32xf64>
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x2xf64>
  %e = tensor.empty(%d) : tensor<?x32xf64>
  %init = linalg.generic {indexing_maps = [#n, #id], iterator_types = ["parallel", "parallel"]} ins(%bias : tensor<32xf64>) outs(%e : tensor<?x32xf64>) {
  ^bb0(%a: f64, %b: f64):
    linalg.yield %a : f64
  } -> tensor<?x32xf64>
  %s = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x2xf64>, tensor<2x32xf64>) outs(%init : tensor<?x32xf64>) {
  ^bb0(%a: f64, %b: f64, %c: f64):
    %p = arith.mulf %a, %b : f64
    %q = arith.addf %c, %p : f64
    linalg.yield %q : f64
  } -> tensor<?x32xf64>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<?x32xf64>) outs(%e : tensor<?x32xf64>) {
  ^bb0(%a: f64, %b: f64):
    %zero = arith.constant 0. : f64
    %r = arith.maximumf %a, %zero : f64
    linalg.yield %r : f64
  } -> tensor<?x32xf64>
  return %y : tensor<?x32xf64>
}

// CHECK-LABEL: func.func @columns_first
// CHECK: %[[W:.*]] = tensor.expand_shape %{{.*}} {{\[}}[0, 1], [2]] output_shape [2, 16, 2] : tensor<32x2xf64> into tensor<2x16x2xf64>
// CHECK: linalg.generic {indexing_maps = [#[[TURNED]], {{.*}}} ins(%[[W]] : tensor<2x16x2xf64>)
// CHECK: linalg.generic {indexing_maps = [#[[A]], #[[P]], #[[C]]]
func.func @columns_first(%x: tensor<3x2xf64>) -> tensor<3x32xf64> {
  %w = arith.constant dense<[[-3., -2.],
                             [-1., 0.],
                             [1., 2.],
                             [3., -3.],
                             [-2., -1.],
                             [0., 1.],
                             [2., 3.],
                             [-3., -2.],
                             [-1., 0.],
                             [1., 2.],
                             [3., -3.],
                             [-2., -1.],
                             [0., 1.],
                             [2., 3.],
                             [-3., -2.],
                             [-1., 0.],
                             [1., 2.],
                             [3., -3.],
                             [-2., -1.],
                             [0., 1.],
                             [2., 3.],
                             [-3., -2.],
                             [-1., 0.],
                             [1., 2.],
                             [3., -3.],
                             [-2., -1.],
                             [0., 1.],
                             [2., 3.],
                             [-3., -2.],
                             [-1., 0.],
                             [1., 2.],
                             [3., -3.]]> : tensor<32x2xf64>
  %zero = arith.constant 0. : f64
  %e = tensor.empty() : tensor<3x32xf64>
  %init = linalg.fill ins(%zero : f64) outs(%e : tensor<3x32xf64>) -> tensor<3x32xf64>
  %s = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<3x2xf64>, tensor<32x2xf64>) outs(%init : tensor<3x32xf64>) {
  ^bb0(%a: f64, %b: f64, %c: f64):
    %p = arith.mulf %a, %b : f64
    %q = arith.addf %c, %p : f64
    linalg.yield %q : f64
  } -> tensor<3x32xf64>
  return %s : tensor<3x32xf64>
}

// Two products read the constant; 24 columns are no blocks.
// CHECK-LABEL: func.func @stays
// CHECK-NOT: tensor.expand_shape
func.func @stays(%x: tensor<3x2xf64>, %i: tensor<3x32xf64>, %j: tensor<3x24xf64>) -> (tensor<3x32xf64>, tensor<3x32xf64>, tensor<3x24xf64>) {
  %w = arith.constant dense<[[-3., -2., -1., 0., 1., 2., 3., -3., -2., -1., 0., 1., 2., 3., -3., -2., -1., 0., 1., 2., 3., -3., -2., -1., 0., 1., 2., 3., -3., -2., -1., 0.],
                             [1., 2., 3., -3., -2., -1., 0., 1., 2., 3., -3., -2., -1., 0., 1., 2., 3., -3., -2., -1., 0., 1., 2., 3., -3., -2., -1., 0., 1., 2., 3., -3.]]> : tensor<2x32xf64>
  %v = arith.constant dense<[[-3., -2., -1., 0., 1., 2., 3., -3., -2., -1., 0., 1., 2., 3., -3., -2., -1., 0., 1., 2., 3., -3., -2., -1.],
                             [0., 1., 2., 3., -3., -2., -1., 0., 1., 2., 3., -3., -2., -1., 0., 1., 2., 3., -3., -2., -1., 0., 1., 2.]]> : tensor<2x24xf64>
  %s = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<3x2xf64>, tensor<2x32xf64>) outs(%i : tensor<3x32xf64>) {
  ^bb0(%a: f64, %b: f64, %c: f64):
    %p = arith.mulf %a, %b : f64
    %q = arith.addf %c, %p : f64
    linalg.yield %q : f64
  } -> tensor<3x32xf64>
  %t = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<3x2xf64>, tensor<2x32xf64>) outs(%i : tensor<3x32xf64>) {
  ^bb0(%a: f64, %b: f64, %c: f64):
    %p = arith.mulf %a, %b : f64
    %q = arith.addf %c, %p : f64
    linalg.yield %q : f64
  } -> tensor<3x32xf64>
  %u = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %v : tensor<3x2xf64>, tensor<2x24xf64>) outs(%j : tensor<3x24xf64>) {
  ^bb0(%a: f64, %b: f64, %c: f64):
    %p = arith.mulf %a, %b : f64
    %q = arith.addf %c, %p : f64
    linalg.yield %q : f64
  } -> tensor<3x24xf64>
  return %s, %t, %u : tensor<3x32xf64>, tensor<3x32xf64>, tensor<3x24xf64>
}
