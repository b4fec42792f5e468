// A dispatch means the same with its body in it as when that is outlined.

// RUN: noria run %s '[1, 2, 3, 4, 5]' --interpret | FileCheck %s
// RUN: noria run %s '[1, 2, 3, 4, 5]' --check-passes | FileCheck %s
// CHECK: dense<[1.000000e+00, 2.000000e+00, 4.000000e+00, 5.000000e+00, 7.000000e+00]> : tensor<5xf32>
// CHECK-NEXT: dense<[2.000000e+00, 4.000000e+00, 6.000000e+00, 8.000000e+00, 1.000000e+01]> : tensor<5xf32>
func.func @steps(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %doubled = flow.dispatch.workgroups[%n](%x, %n) : (tensor<?xf32>{%n}, index) -> tensor<?xf32>{%n} =
  (%in: !flow.dispatch.tensor<readonly:tensor<?xf32>>, %size: index, %out: !flow.dispatch.tensor<writeonly:tensor<?xf32>>) {
    %i = flow.dispatch.workgroup.id[0] : index
    %two = arith.constant 2 : index
    %at = arith.muli %i, %two : index
    %left = arith.subi %size, %at : index
    %count = arith.minsi %left, %two : index
    %part = flow.dispatch.tensor.load %in, offsets = [%at], sizes = [%count], strides = [1] : !flow.dispatch.tensor<readonly:tensor<?xf32>>{%size} -> tensor<?xf32>
    %empty = tensor.empty(%count) : tensor<?xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%part : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<?xf32>
    flow.dispatch.tensor.store %sum, %out, offsets = [%at], sizes = [%count], strides = [1] : tensor<?xf32> -> !flow.dispatch.tensor<writeonly:tensor<?xf32>>{%size}
    flow.return
  } count(%m: index) -> (index, index, index) {
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %groups = arith.ceildivui %m, %two : index
    flow.return %groups, %one, %one : index, index, index
  }
  // Adds to each part of x how many workgroups came before, in place.
  %stepped = flow.dispatch.workgroups[%n](%x, %n) : (tensor<?xf32>{%n}, index) -> %x{%n} =
  (%io: !flow.dispatch.tensor<readwrite:tensor<?xf32>>, %size: index) {
    %i = flow.dispatch.workgroup.id[0] : index
    %two = arith.constant 2 : index
    %at = arith.muli %i, %two : index
    %left = arith.subi %size, %at : index
    %count = arith.minsi %left, %two : index
    %part = flow.dispatch.tensor.load %io, offsets = [%at], sizes = [%count], strides = [1] : !flow.dispatch.tensor<readwrite:tensor<?xf32>>{%size} -> tensor<?xf32>
    %integer = arith.index_cast %i : index to i32
    %step = arith.sitofp %integer : i32 to f32
    %sum = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%part : tensor<?xf32>) {
    ^bb0(%a: f32):
      %s = arith.addf %a, %step : f32
      linalg.yield %s : f32
    } -> tensor<?xf32>
    flow.dispatch.tensor.store %sum, %io, offsets = [%at], sizes = [%count], strides = [1] : tensor<?xf32> -> !flow.dispatch.tensor<readwrite:tensor<?xf32>>{%size}
    flow.return
  } count(%m: index) -> (index, index, index) {
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %groups = arith.ceildivui %m, %two : index
    flow.return %groups, %one, %one : index, index, index
  }
  return %stepped, %doubled : tensor<?xf32>, tensor<?xf32>
}
