// RUN: noria opt --shard-tensor=min-weight-bytes=64 %s -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: noria run --entry=pair %s '[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]' | sed 's/^/[0] /' > %t.expected
// RUN: noria run --ranks=3 --check-collectives --entry=pair %t.mlir '[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]' \
// RUN:   | grep '^.0' | diff - %t.expected

#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>
#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>

// The columns of the first weight, the element-wise op and the rows of the second one are cut; the sum is reduced.
// CHECK-LABEL: func.func @pair
// CHECK-DAG: %[[CHANNEL:.*]] = flow.channel.default
// CHECK-DAG: %[[W1:.*]] = arith.constant dense<{{.*}}> : tensor<4x8xi64>
// CHECK: %[[P1:.*]] = tensor.extract_slice %[[W1]][0, %[[AT:.*]]] [4, %[[SIZE:.*]]] [1, 1]
// CHECK: %[[H:.*]] = linalg.generic {{.*}} ins(%arg0, %[[P1]]
// CHECK: %[[BIAS:.*]] = tensor.extract_slice %{{.*}}[%[[AT]]] [%[[SIZE]]] [1]
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[H]], %[[BIAS]]
// CHECK: %[[P2:.*]] = tensor.extract_slice %{{.*}}[%[[AT]], 0] [%[[SIZE]], 4] [1, 1]
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%[[R]], %[[P2]]
// CHECK: flow.collective.all_reduce sum, si64, %[[Y]], %[[Y]], %[[CHANNEL]]
func.func @pair(%x: tensor<3x4xi64>) -> tensor<3x4xi64> {
  %w1 = arith.constant dense<[[1, 2, 3, 4, 5, 6, 7, 8], [8, 7, 6, 5, 4, 3, 2, 1], [1, 0, 1, 0, 1, 0, 1, 0],
                              [2, 2, 2, 2, 3, 3, 3, 3]]> : tensor<4x8xi64>
  %bias = arith.constant dense<[-60, -50, -40, -30, -20, -10, 0, 10]> : tensor<8xi64>
  %w2 = arith.constant dense<[[1, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6], [4, 5, 6, 7], [5, 6, 7, 8], [6, 7, 8, 9],
                              [7, 8, 9, 1], [8, 9, 1, 2]]> : tensor<8x4xi64>
  %zero = arith.constant 0 : i64
  %e1 = tensor.empty() : tensor<3x8xi64>
  %f1 = linalg.fill ins(%zero : i64) outs(%e1 : tensor<3x8xi64>) -> tensor<3x8xi64>
  %h = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w1 : tensor<3x4xi64>, tensor<4x8xi64>) outs(%f1 : tensor<3x8xi64>) {
  ^bb0(%p: i64, %q: i64, %s: i64):
    %0 = arith.muli %p, %q : i64
    %1 = arith.addi %s, %0 : i64
    linalg.yield %1 : i64
  } -> tensor<3x8xi64>
  %r = linalg.generic {indexing_maps = [#ij, #j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%h, %bias : tensor<3x8xi64>, tensor<8xi64>) outs(%e1 : tensor<3x8xi64>) {
  ^bb0(%p: i64, %q: i64, %s: i64):
    %0 = arith.addi %p, %q : i64
    %1 = arith.maxsi %0, %zero : i64
    linalg.yield %1 : i64
  } -> tensor<3x8xi64>
  %e2 = tensor.empty() : tensor<3x4xi64>
  %f2 = linalg.fill ins(%zero : i64) outs(%e2 : tensor<3x4xi64>) -> tensor<3x4xi64>
  %y = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%r, %w2 : tensor<3x8xi64>, tensor<8x4xi64>) outs(%f2 : tensor<3x4xi64>) {
  ^bb0(%p: i64, %q: i64, %s: i64):
    %0 = arith.muli %p, %q : i64
    %1 = arith.addi %s, %0 : i64
    linalg.yield %1 : i64
  } -> tensor<3x4xi64>
  return %y : tensor<3x4xi64>
}

// What is between the weights is a result too: each rank needs all of it.
// CHECK-LABEL: func.func @used_elsewhere
// CHECK-NOT: flow.collective
// CHECK: return
func.func @used_elsewhere(%x: tensor<3x4xi64>, %f1: tensor<3x8xi64>) -> (tensor<3x4xi64>, tensor<3x8xi64>) {
  %w1 = arith.constant dense<1> : tensor<4x8xi64>
  %w2 = arith.constant dense<2> : tensor<8x4xi64>
  %zero = arith.constant 0 : i64
  %h = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w1 : tensor<3x4xi64>, tensor<4x8xi64>) outs(%f1 : tensor<3x8xi64>) {
  ^bb0(%p: i64, %q: i64, %s: i64):
    %0 = arith.muli %p, %q : i64
    %1 = arith.addi %s, %0 : i64
    linalg.yield %1 : i64
  } -> tensor<3x8xi64>
  %e2 = tensor.empty() : tensor<3x4xi64>
  %f2 = linalg.fill ins(%zero : i64) outs(%e2 : tensor<3x4xi64>) -> tensor<3x4xi64>
  %y = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%h, %w2 : tensor<3x8xi64>, tensor<8x4xi64>) outs(%f2 : tensor<3x4xi64>) {
  ^bb0(%p: i64, %q: i64, %s: i64):
    %0 = arith.muli %p, %q : i64
    %1 = arith.addi %s, %0 : i64
    linalg.yield %1 : i64
  } -> tensor<3x4xi64>
  return %y, %h : tensor<3x4xi64>, tensor<3x8xi64>
}

// The sum starts from a value that would be added on each rank.
// CHECK-LABEL: func.func @starts_elsewhere
// CHECK-NOT: flow.collective
// CHECK: return
func.func @starts_elsewhere(%x: tensor<3x4xi64>, %f1: tensor<3x8xi64>, %f2: tensor<3x4xi64>) -> tensor<3x4xi64> {
  %w1 = arith.constant dense<1> : tensor<4x8xi64>
  %w2 = arith.constant dense<2> : tensor<8x4xi64>
  %h = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w1 : tensor<3x4xi64>, tensor<4x8xi64>) outs(%f1 : tensor<3x8xi64>) {
  ^bb0(%p: i64, %q: i64, %s: i64):
    %0 = arith.muli %p, %q : i64
    %1 = arith.addi %s, %0 : i64
    linalg.yield %1 : i64
  } -> tensor<3x8xi64>
  %y = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%h, %w2 : tensor<3x8xi64>, tensor<8x4xi64>) outs(%f2 : tensor<3x4xi64>) {
  ^bb0(%p: i64, %q: i64, %s: i64):
    %0 = arith.muli %p, %q : i64
    %1 = arith.addi %s, %0 : i64
    linalg.yield %1 : i64
  } -> tensor<3x4xi64>
  return %y : tensor<3x4xi64>
}
