// RUN: noria opt --pass-pipeline=lift-dispatch-constants %s | FileCheck %s
// RUN: noria opt --pass-pipeline=lift-dispatch-constants,outline-dispatches %s | FileCheck %s --check-prefix=SHARED
// RUN: noria run %s --entry=columns '[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]' --check-stages | FileCheck %s --check-prefix=COLUMNS
// RUN: noria run %s --entry=columns '[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]' --interpret | FileCheck %s --check-prefix=COLUMNS
// RUN: noria run %s --entry=divided '[10.0, 20.0]' --check-stages | FileCheck %s --check-prefix=DIVIDED

// A list and a scalar that differ become arguments, of the dispatches that are equal otherwise. What all of them have
// in common stays, as does what another dispatch has.
// CHECK-LABEL: func.func @columns(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>
// CHECK-DAG: %[[A:.*]] = arith.constant dense<[0, 2]> : tensor<2xi64>
// CHECK-DAG: %[[F:.*]] = arith.constant 1.000000e+01 : f32
// CHECK: %[[R:.*]] = flow.dispatch.workgroups(%[[X]], %[[A]], %[[F]]) : (tensor<2x3xf32>, tensor<2xi64>, f32) -> tensor<2x2xf32> =
// CHECK-NEXT: (%[[IN:[^:]*]]: !flow.dispatch.tensor<readonly:tensor<2x3xf32>>, %[[LIST:[^:]*]]: !flow.dispatch.tensor<readonly:tensor<2xi64>>, %[[FACTOR:[^:]*]]: f32, %{{.*}}: !flow.dispatch.tensor<writeonly:tensor<2x2xf32>>)
// CHECK-NOT: dense
// CHECK: arith.constant dense<[1.000000e+00, -1.000000e+00]> : tensor<2xf32>
// CHECK: %[[L:.*]] = flow.dispatch.tensor.load %[[LIST]],
// CHECK: tensor.extract %[[L]]
// CHECK: arith.mulf %{{.*}}, %[[FACTOR]] : f32
// CHECK-DAG: %[[B:.*]] = arith.constant dense<[1, 0]> : tensor<2xi64>
// CHECK-DAG: %[[G:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: flow.dispatch.workgroups(%[[X]], %[[B]], %[[G]]) :
// CHECK: flow.dispatch.workgroups(%[[X]]) :
// CHECK: arith.constant dense<[2, 1]> : tensor<2xi64>
// CHECK: arith.addf
// SHARED-COUNT-2: flow.executable private @columns_dispatch_
// SHARED-NOT: flow.executable private @columns_dispatch_
// SHARED-LABEL: func.func @columns(
// SHARED: flow.dispatch @[[ONE:columns_dispatch_0.*]]::@[[ONE]](
// SHARED: flow.dispatch @[[ONE]]::@[[ONE]](
// SHARED: flow.dispatch @[[TWO:columns_dispatch_1.*]]::@[[TWO]](
// COLUMNS: dense<{{\[}}[1.000000e+01, -3.000000e+01], [4.000000e+01, -6.000000e+01]]> : tensor<2x2xf32>
// COLUMNS-NEXT: dense<{{\[}}[1.000000e+00, -5.000000e-01], [2.500000e+00, -2.000000e+00]]> : tensor<2x2xf32>
// COLUMNS-NEXT: dense<{{\[}}[5.000000e+00, 4.000000e+00], [8.000000e+00, 7.000000e+00]]> : tensor<2x2xf32>
#two = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
!in = !flow.dispatch.tensor<readonly:tensor<2x3xf32>>
!out = !flow.dispatch.tensor<writeonly:tensor<2x2xf32>>
func.func @columns(%x: tensor<2x3xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %r = flow.dispatch.workgroups(%x) : (tensor<2x3xf32>) -> tensor<2x2xf32> =
  (%from: !in, %to: !out) {
    %signs = arith.constant dense<[1.0, -1.0]> : tensor<2xf32>
    %list = arith.constant dense<[0, 2]> : tensor<2xi64>
    %factor = arith.constant 10.0 : f32
    %t = flow.dispatch.tensor.load %from, offsets = [0, 0], sizes = [2, 3], strides = [1, 1] : !in -> tensor<2x3xf32>
    %e = tensor.empty() : tensor<2x2xf32>
    %y = linalg.generic {indexing_maps = [#column, #two], iterator_types = ["parallel", "parallel"]} ins(%signs : tensor<2xf32>) outs(%e : tensor<2x2xf32>) {
    ^bb0(%sign: f32, %old: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %c = tensor.extract %list[%j] : tensor<2xi64>
      %k = arith.index_cast %c : i64 to index
      %v = tensor.extract %t[%i, %k] : tensor<2x3xf32>
      %s = arith.mulf %v, %sign : f32
      %f = arith.mulf %s, %factor : f32
      linalg.yield %f : f32
    } -> tensor<2x2xf32>
    flow.dispatch.tensor.store %y, %to, offsets = [0, 0], sizes = [2, 2], strides = [1, 1] : tensor<2x2xf32> -> !out
    flow.return
  }
  %s = flow.dispatch.workgroups(%x) : (tensor<2x3xf32>) -> tensor<2x2xf32> =
  (%from: !in, %to: !out) {
    %signs = arith.constant dense<[1.0, -1.0]> : tensor<2xf32>
    %list = arith.constant dense<[1, 0]> : tensor<2xi64>
    %factor = arith.constant 0.5 : f32
    %t = flow.dispatch.tensor.load %from, offsets = [0, 0], sizes = [2, 3], strides = [1, 1] : !in -> tensor<2x3xf32>
    %e = tensor.empty() : tensor<2x2xf32>
    %y = linalg.generic {indexing_maps = [#column, #two], iterator_types = ["parallel", "parallel"]} ins(%signs : tensor<2xf32>) outs(%e : tensor<2x2xf32>) {
    ^bb0(%sign: f32, %old: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %c = tensor.extract %list[%j] : tensor<2xi64>
      %k = arith.index_cast %c : i64 to index
      %v = tensor.extract %t[%i, %k] : tensor<2x3xf32>
      %s = arith.mulf %v, %sign : f32
      %f = arith.mulf %s, %factor : f32
      linalg.yield %f : f32
    } -> tensor<2x2xf32>
    flow.dispatch.tensor.store %y, %to, offsets = [0, 0], sizes = [2, 2], strides = [1, 1] : tensor<2x2xf32> -> !out
    flow.return
  }
  %u = flow.dispatch.workgroups(%x) : (tensor<2x3xf32>) -> tensor<2x2xf32> =
  (%from: !in, %to: !out) {
    %list = arith.constant dense<[2, 1]> : tensor<2xi64>
    %factor = arith.constant 2.0 : f32
    %t = flow.dispatch.tensor.load %from, offsets = [0, 0], sizes = [2, 3], strides = [1, 1] : !in -> tensor<2x3xf32>
    %e = tensor.empty() : tensor<2x2xf32>
    %y = linalg.generic {indexing_maps = [#two], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<2x2xf32>) {
    ^bb0(%old: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %c = tensor.extract %list[%j] : tensor<2xi64>
      %k = arith.index_cast %c : i64 to index
      %v = tensor.extract %t[%i, %k] : tensor<2x3xf32>
      %f = arith.addf %v, %factor : f32
      linalg.yield %f : f32
    } -> tensor<2x2xf32>
    flow.dispatch.tensor.store %y, %to, offsets = [0, 0], sizes = [2, 2], strides = [1, 1] : tensor<2x2xf32> -> !out
    flow.return
  }
  return %r, %s, %u : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}

// A divisor stays a constant, as does a scalar that an op outside of structured ops uses: here the value that a
// reduction starts from.
// CHECK-LABEL: func.func @divided(
// CHECK-NEXT: %{{.*}} = flow.dispatch.workgroups(%{{[^,]*}}) :
// CHECK: arith.constant 3 : i64
// CHECK: arith.constant 1.000000e+00 : f32
// CHECK: flow.dispatch.workgroups(%{{[^,]*}}) :
// CHECK: arith.constant 4 : i64
// CHECK: arith.constant 2.000000e+00 : f32
// DIVIDED: dense<1.000000e+00> : tensor<2xf32>
// DIVIDED-NEXT: dense<2.000000e+00> : tensor<2xf32>
#id = affine_map<(i) -> (i)>
!vin = !flow.dispatch.tensor<readonly:tensor<2xf32>>
!vout = !flow.dispatch.tensor<writeonly:tensor<2xf32>>
func.func @divided(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %r = flow.dispatch.workgroups(%x) : (tensor<2xf32>) -> tensor<2xf32> =
  (%from: !vin, %to: !vout) {
    %three = arith.constant 3 : i64
    %start = arith.constant 1.0 : f32
    %e = tensor.empty() : tensor<2xf32>
    %f = linalg.fill ins(%start : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
    %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%f : tensor<2xf32>) {
    ^bb0(%old: f32):
      %i = linalg.index 0 : index
      %j = arith.index_cast %i : index to i64
      %q = arith.divsi %j, %three : i64
      %p = arith.sitofp %q : i64 to f32
      %s = arith.addf %old, %p : f32
      linalg.yield %s : f32
    } -> tensor<2xf32>
    flow.dispatch.tensor.store %y, %to, offsets = [0], sizes = [2], strides = [1] : tensor<2xf32> -> !vout
    flow.return
  }
  %s = flow.dispatch.workgroups(%x) : (tensor<2xf32>) -> tensor<2xf32> =
  (%from: !vin, %to: !vout) {
    %four = arith.constant 4 : i64
    %start = arith.constant 2.0 : f32
    %e = tensor.empty() : tensor<2xf32>
    %f = linalg.fill ins(%start : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
    %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%f : tensor<2xf32>) {
    ^bb0(%old: f32):
      %i = linalg.index 0 : index
      %j = arith.index_cast %i : index to i64
      %q = arith.divsi %j, %four : i64
      %p = arith.sitofp %q : i64 to f32
      %s = arith.addf %old, %p : f32
      linalg.yield %s : f32
    } -> tensor<2xf32>
    flow.dispatch.tensor.store %y, %to, offsets = [0], sizes = [2], strides = [1] : tensor<2xf32> -> !vout
    flow.return
  }
  return %r, %s : tensor<2xf32>, tensor<2xf32>
}
