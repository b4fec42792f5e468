// RUN: noria opt --shard-batch %s -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: noria run --ranks=3 --check-collectives %t.mlir '[[1, 2], [3, 4], [5, 6], [7, 8]]' '[10, 20]' | FileCheck %s --check-prefix=RUNS

// The other input is the same on all ranks.
// RUNS: [0] dense<{{\[\[}}11, 22], [13, 24], [15, 26], [17, 28]]> : tensor<4x2xi64>
// RUNS: [1] dense<{{\[\[}}11, 22], [13, 24], [15, 26], [17, 28]]> : tensor<4x2xi64>
// RUNS: [2] dense<{{\[\[}}11, 22], [13, 24], [15, 26], [17, 28]]> : tensor<4x2xi64>

// CHECK-LABEL: func.func private @main_shard(%arg0: tensor<?x2xi64>, %arg1: tensor<2xi64>)
// CHECK: linalg.generic
// CHECK-LABEL: func.func @main(
// CHECK: %[[CHANNEL:.*]] = flow.channel.default
// CHECK: %[[PART:.*]] = tensor.extract_slice %arg0[%{{.*}}, 0] [%{{.*}}, 2] [1, 1]
// CHECK: %[[OWN:.*]] = call @main_shard(%[[PART]], %arg1)
// CHECK: flow.collective.all_reduce sum, si64
// CHECK: %[[ALL:.*]] = flow.collective.all_gather si64, %{{.*}}, %[[OWN]], %[[CHANNEL]]
// CHECK: return %[[ALL]]
func.func @main(%x: tensor<?x2xi64>, %y: tensor<2xi64>) -> tensor<?x2xi64> attributes {noria.entry, noria.inputs = [
    {dim_names = ["N", ""], dims = array<i64: -1, 2>, dtype = 7 : i64, kind = 0 : i64, name = "x"},
    {dim_names = [""], dims = array<i64: 2>, dtype = 7 : i64, kind = 0 : i64, name = "y"}], noria.outputs = [
    {dim_names = ["N", ""], dims = array<i64: -1, 2>, dtype = 7 : i64, kind = 0 : i64, name = "z"}]} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x2xi64>
  %e = tensor.empty(%n) : tensor<?x2xi64>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<?x2xi64>, tensor<2xi64>) outs(%e : tensor<?x2xi64>) {
  ^bb0(%a: i64, %b: i64, %c: i64):
    %s = arith.addi %a, %b : i64
    linalg.yield %s : i64
  } -> tensor<?x2xi64>
  return %r : tensor<?x2xi64>
}
