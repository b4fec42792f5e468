// One function for each canonicalization of flow ops, with its number and subject. tests/python/test_flow_folds.py runs
// each before and after, on what INPUTS says; INPUTS AFTER: only after, because before it needs other ranks.
// RUN: noria opt --pass-pipeline=canonicalize %s | FileCheck %s

!in4 = !flow.dispatch.tensor<readonly:tensor<4xf32>>
!out4 = !flow.dispatch.tensor<writeonly:tensor<4xf32>>
!io4 = !flow.dispatch.tensor<readwrite:tensor<4xf32>>

// INPUTS: '[1.0, 2.0, 3.0, 4.0]' '[5.0, 6.0, 7.0, 8.0]'
// CHECK-LABEL: func.func @fold_01_unused_operands
// CHECK-SAME: (%[[A:[^:]*]]: tensor<4xf32>, %{{.*}}: tensor<4xf32>)
// CHECK: flow.dispatch.workgroups(%[[A]]) : (tensor<4xf32>) -> tensor<4xf32> =
// CHECK-NEXT: (%{{[^:]*}}: !flow.dispatch.tensor<readonly:tensor<4xf32>>, %{{[^:]*}}: !flow.dispatch.tensor<writeonly:tensor<4xf32>>) {
func.func @fold_01_unused_operands(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = flow.dispatch.workgroups(%b, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> =
      (%u: !in4, %x: !in4, %o: !out4) {
    %v = flow.dispatch.tensor.load %x, offsets = [0], sizes = [4], strides = [1] : !in4 -> tensor<4xf32>
    flow.dispatch.tensor.store %v, %o, offsets = [0], sizes = [4], strides = [1] : tensor<4xf32> -> !out4
    flow.return
  }
  return %0 : tensor<4xf32>
}

// INPUTS: '[1.0, 2.0, 3.0, 4.0]'
// CHECK-LABEL: func.func @fold_02_equal_operands
// CHECK: flow.dispatch.workgroups(%[[A:.*]]) : (tensor<4xf32>) -> tensor<4xf32> =
// CHECK-NEXT: (%[[X:[^:]*]]: !flow.dispatch.tensor<readonly:tensor<4xf32>>, %{{[^:]*}}: !flow.dispatch.tensor<writeonly:tensor<4xf32>>) {
// CHECK-COUNT-2: flow.dispatch.tensor.load %[[X]],
func.func @fold_02_equal_operands(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = flow.dispatch.workgroups(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> =
      (%x: !in4, %y: !in4, %o: !out4) {
    %v = flow.dispatch.tensor.load %x, offsets = [0], sizes = [4], strides = [1] : !in4 -> tensor<4xf32>
    %w = flow.dispatch.tensor.load %y, offsets = [0], sizes = [4], strides = [1] : !in4 -> tensor<4xf32>
    %s = arith.addf %v, %w : tensor<4xf32>
    flow.dispatch.tensor.store %s, %o, offsets = [0], sizes = [4], strides = [1] : tensor<4xf32> -> !out4
    flow.return
  }
  return %0 : tensor<4xf32>
}

// An output that nothing uses goes with its tie_shape and store, and so does a tied one that is not read.
// INPUTS: '[1.0, 2.0, 3.0, 4.0]' 4
// CHECK-LABEL: func.func @fold_03_unused_results
// CHECK-SAME: (%[[A:[^:]*]]: tensor<4xf32>, %{{.*}}: index)
// CHECK: flow.dispatch.workgroups() : () -> tensor<4xf32> =
// CHECK-NEXT: (%[[O:[^:]*]]: !flow.dispatch.tensor<writeonly:tensor<4xf32>>) {
// CHECK-NOT: tie_shape
// CHECK-COUNT-1: flow.dispatch.tensor.store
// CHECK-NOT: flow.dispatch.tensor.store
// CHECK: return
func.func @fold_03_unused_results(%a: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c = arith.constant dense<2.0> : tensor<4xf32>
  %0:3 = flow.dispatch.workgroups(%a, %n) : (tensor<4xf32>, index) -> (tensor<?xf32>{%n}, tensor<4xf32>, %a) =
      (%t: !io4, %m: index, %u: !flow.dispatch.tensor<writeonly:tensor<?xf32>>, %o: !out4) {
    %v = arith.constant dense<2.0> : tensor<4xf32>
    %w = tensor.cast %v : tensor<4xf32> to tensor<?xf32>
    %tied = flow.dispatch.tie_shape %u : !flow.dispatch.tensor<writeonly:tensor<?xf32>>{%m}
    flow.dispatch.tensor.store %w, %tied, offsets = [0], sizes = [%m], strides = [1] : tensor<?xf32> -> !flow.dispatch.tensor<writeonly:tensor<?xf32>>{%m}
    flow.dispatch.tensor.store %v, %o, offsets = [0], sizes = [4], strides = [1] : tensor<4xf32> -> !out4
    flow.dispatch.tensor.store %v, %t, offsets = [0], sizes = [4], strides = [1] : tensor<4xf32> -> !io4
    flow.return
  }
  return %0#1 : tensor<4xf32>
}

// What the body reads of its output stays, though nothing outside uses it. A constant that is written stays an operand.
// INPUTS: '[1.0, 2.0, 3.0, 4.0]'
// CHECK-LABEL: func.func @fold_04_loaded_readwrite
// CHECK: %[[C:.*]] = arith.constant dense<5.000000e+00> : tensor<4xf32>
// CHECK: flow.dispatch.workgroups(%{{.*}}, %[[C]]) : (tensor<4xf32>, tensor<4xf32>) -> (%{{.*}}, %[[C]], tensor<4xf32>) =
// CHECK-NEXT: (%[[T:[^:]*]]: !flow.dispatch.tensor<readwrite:tensor<4xf32>>, %[[K:[^:]*]]: !flow.dispatch.tensor<readwrite:tensor<4xf32>>,
func.func @fold_04_loaded_readwrite(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c = arith.constant dense<5.0> : tensor<4xf32>
  %0:3 = flow.dispatch.workgroups(%a, %c) : (tensor<4xf32>, tensor<4xf32>) -> (%a, %c, tensor<4xf32>) =
      (%t: !io4, %k: !io4, %o: !out4) {
    %v = flow.dispatch.tensor.load %t, offsets = [0], sizes = [4], strides = [1] : !io4 -> tensor<4xf32>
    %w = flow.dispatch.tensor.load %k, offsets = [0], sizes = [4], strides = [1] : !io4 -> tensor<4xf32>
    %s = arith.addf %v, %w : tensor<4xf32>
    flow.dispatch.tensor.store %s, %t, offsets = [0], sizes = [4], strides = [1] : tensor<4xf32> -> !io4
    flow.dispatch.tensor.store %s, %k, offsets = [0], sizes = [4], strides = [1] : tensor<4xf32> -> !io4
    %x = flow.dispatch.tensor.load %t, offsets = [0], sizes = [4], strides = [1] : !io4 -> tensor<4xf32>
    %d = arith.addf %x, %v : tensor<4xf32>
    flow.dispatch.tensor.store %d, %o, offsets = [0], sizes = [4], strides = [1] : tensor<4xf32> -> !out4
    flow.return
  }
  return %0#2, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// INPUTS: 2 3
// CHECK-LABEL: func.func @fold_05_equal_workload
// CHECK-SAME: (%[[M:[^:]*]]: index, %[[N:[^:]*]]: index)
// CHECK: flow.dispatch.workgroups[%[[M]], %[[N]]]() : () -> tensor<4xi64> =
// CHECK: } count(%[[X:[^:]*]]: index, %[[Y:[^:]*]]: index) -> (index, index, index) {
// CHECK-NEXT: flow.return %[[X]], %[[X]], %[[Y]] : index, index, index
func.func @fold_05_equal_workload(%m: index, %n: index) -> tensor<4xi64> {
  %0 = flow.dispatch.workgroups[%m, %m, %n]() : () -> tensor<4xi64> =
      (%o: !flow.dispatch.tensor<writeonly:tensor<4xi64>>) {
    %i = flow.dispatch.workgroup.count[0] : index
    %j = flow.dispatch.workgroup.count[1] : index
    %k = flow.dispatch.workgroup.count[2] : index
    %s = arith.muli %i, %j : index
    %t = arith.muli %s, %k : index
    %u = arith.index_cast %t : index to i64
    %v = tensor.splat %u : tensor<4xi64>
    flow.dispatch.tensor.store %v, %o, offsets = [0], sizes = [4], strides = [1] : tensor<4xi64> -> !flow.dispatch.tensor<writeonly:tensor<4xi64>>
    flow.return
  } count(%x: index, %y: index, %z: index) -> (index, index, index) {
    flow.return %x, %y, %z : index, index, index
  }
  return %0 : tensor<4xi64>
}

// INPUTS: 2 3
// CHECK-LABEL: func.func @fold_06_count_from_slice
// CHECK-SAME: (%[[M:[^:]*]]: index, %[[N:[^:]*]]: index)
// CHECK: flow.dispatch.workgroups[%[[M]], %[[N]]](%[[M]], %[[N]])
// CHECK-NEXT: (%[[X:[^:]*]]: index, %[[Y:[^:]*]]: index,
// CHECK: %[[P:.*]] = flow.dispatch.workload.ordinal %[[X]], 0 : index
// CHECK: %[[Q:.*]] = flow.dispatch.workload.ordinal %[[Y]], 1 : index
// CHECK-NOT: ordinal
// CHECK: } count(%[[U:[^:]*]]: index, %[[V:[^:]*]]: index) -> (index, index, index) {
// CHECK-NEXT: flow.dispatch.workgroup_count_from_slice %[[U]], %[[V]]
func.func @fold_06_count_from_slice(%m: index, %n: index) -> tensor<4xi64> {
  %0 = flow.dispatch.workgroups[%m, %m, %n](%m, %m, %n) : (index, index, index) -> tensor<4xi64> =
      (%a: index, %b: index, %c: index, %o: !flow.dispatch.tensor<writeonly:tensor<4xi64>>) {
    %i = flow.dispatch.workload.ordinal %a, 0 : index
    %j = flow.dispatch.workload.ordinal %b, 1 : index
    %k = flow.dispatch.workload.ordinal %c, 2 : index
    %s = arith.muli %i, %j : index
    %t = arith.muli %s, %k : index
    %u = arith.index_cast %t : index to i64
    %v = tensor.splat %u : tensor<4xi64>
    flow.dispatch.tensor.store %v, %o, offsets = [0], sizes = [4], strides = [1] : tensor<4xi64> -> !flow.dispatch.tensor<writeonly:tensor<4xi64>>
    flow.return
  } count(%p: index, %q: index, %r: index) -> (index, index, index) {
    %x, %y, %z = flow.dispatch.workgroup_count_from_slice %p, %q, %r
    flow.return %x, %y, %z : index, index, index
  }
  return %0 : tensor<4xi64>
}

// INPUTS: 2
// CHECK-LABEL: func.func @fold_07_results_without_elements
// CHECK-SAME: (%[[N:[^:]*]]: index)
// CHECK-NOT: flow.dispatch
// CHECK: %[[A:.*]] = tensor.empty() : tensor<0xf32>
// CHECK: %[[B:.*]] = tensor.empty(%[[N]]) : tensor<?x0xf32>
// CHECK: return %[[A]], %[[B]]
func.func @fold_07_results_without_elements(%n: index) -> (tensor<0xf32>, tensor<?x0xf32>) {
  %0:2 = flow.dispatch.workgroups() : () -> (tensor<0xf32>, tensor<?x0xf32>{%n}) =
      (%o: !flow.dispatch.tensor<writeonly:tensor<0xf32>>, %p: !flow.dispatch.tensor<writeonly:tensor<?x0xf32>>) {
    flow.return
  }
  return %0#0, %0#1 : tensor<0xf32>, tensor<?x0xf32>
}

// Through tie_shape too.
// INPUTS: '[1.0, 2.0, 3.0, 4.0]' '[5.0, 6.0, 7.0]' 3
// CHECK-LABEL: func.func @fold_08_access
// CHECK: (%[[R:[^:]*]]: !flow.dispatch.tensor<readonly:tensor<4xf32>>, %[[W:[^:]*]]: !flow.dispatch.tensor<writeonly:tensor<?xf32>>,
// CHECK: flow.dispatch.tie_shape %[[W]] : !flow.dispatch.tensor<writeonly:tensor<?xf32>>
func.func @fold_08_access(%a: tensor<4xf32>, %b: tensor<?xf32>, %n: index) -> (tensor<4xf32>, tensor<?xf32>) {
  %0:2 = flow.dispatch.workgroups(%a, %b, %n) : (tensor<4xf32>, tensor<?xf32>{%n}, index) -> (%a, %b{%n}) =
      (%r: !io4, %w: !flow.dispatch.tensor<readwrite:tensor<?xf32>>, %m: index) {
    %tied = flow.dispatch.tie_shape %w : !flow.dispatch.tensor<readwrite:tensor<?xf32>>{%m}
    %v = flow.dispatch.tensor.load %r, offsets = [0], sizes = [%m], strides = [1] : !io4 -> tensor<?xf32>
    flow.dispatch.tensor.store %v, %tied, offsets = [0], sizes = [%m], strides = [1] : tensor<?xf32> -> !flow.dispatch.tensor<readwrite:tensor<?xf32>>{%m}
    flow.return
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<?xf32>
}

// Merged results keep their own values: the second is not the first.
// INPUTS: '[1.0, 2.0, 3.0, 4.0]'
// CHECK-LABEL: func.func @fold_09_region_results
// CHECK: %[[R:.*]]:2 = flow.dispatch.region -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK: %[[S:.*]] = arith.addf
// CHECK: %[[P:.*]] = arith.mulf
// CHECK: flow.return %[[S]], %[[P]] : tensor<4xf32>, tensor<4xf32>
// CHECK: return %[[R]]#0, %[[R]]#1, %[[R]]#1, %[[R]]#0
func.func @fold_09_region_results(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0:5 = flow.dispatch.region -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %s = arith.addf %a, %a : tensor<4xf32>
    %p = arith.mulf %a, %a : tensor<4xf32>
    %u = arith.subf %a, %s : tensor<4xf32>
    flow.return %s, %p, %u, %p, %s : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1, %0#3, %0#4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

flow.executable private @ex {
  flow.executable.export public @copy
  flow.executable.export public @copy as("also")
  builtin.module {
    func.func @copy(%x: !in4, %o: !out4) {
      %v = flow.dispatch.tensor.load %x, offsets = [0], sizes = [4], strides = [1] : !in4 -> tensor<4xf32>
      flow.dispatch.tensor.store %v, %o, offsets = [0], sizes = [4], strides = [1] : tensor<4xf32> -> !out4
      return
    }
  }
}
// INPUTS: '[1.0, 2.0, 3.0, 4.0]'
// CHECK-LABEL: func.func @fold_10_entry_points
// CHECK: flow.dispatch {@ex::@copy, @ex::@also}(
func.func @fold_10_entry_points(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = flow.dispatch {@ex::@copy, @ex::@also, @ex::@copy}(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// INPUTS: '[1.0, 2.0, 3.0, 4.0]'
// CHECK-LABEL: func.func @fold_11_tie_shape_without_dims
// CHECK-NOT: tie_shape
// CHECK: flow.dispatch.tensor.load %{{.*}}, offsets
// CHECK-NOT: tie_shape
// CHECK: return
func.func @fold_11_tie_shape_without_dims(%a: tensor<4xf32>) -> tensor<4xf32> {
  %t = flow.tensor.tie_shape %a : tensor<4xf32>
  %0 = flow.dispatch.workgroups(%t) : (tensor<4xf32>) -> tensor<4xf32> =
      (%x: !in4, %o: !out4) {
    %y = flow.dispatch.tie_shape %x : !in4
    %v = flow.dispatch.tensor.load %y, offsets = [0], sizes = [4], strides = [1] : !in4 -> tensor<4xf32>
    flow.dispatch.tensor.store %v, %o, offsets = [0], sizes = [4], strides = [1] : tensor<4xf32> -> !out4
    flow.return
  }
  return %0 : tensor<4xf32>
}

// INPUTS: '[1.0, 2.0, 3.0, 4.0]'
// CHECK-LABEL: func.func @fold_12_constant_slices
// CHECK: %[[V:.*]] = flow.dispatch.tensor.load %{{.*}}, offsets = [1], sizes = [2], strides = [1] : !flow.dispatch.tensor<readonly:tensor<4xf32>> -> tensor<2xf32>
// CHECK: flow.dispatch.tensor.store %[[V]], %{{.*}}, offsets = [0], sizes = [2], strides = [1] : tensor<2xf32> -> !flow.dispatch.tensor<writeonly:tensor<2xf32>>
func.func @fold_12_constant_slices(%a: tensor<4xf32>) -> tensor<2xf32> {
  %0 = flow.dispatch.workgroups(%a) : (tensor<4xf32>) -> tensor<2xf32> =
      (%x: !in4, %o: !flow.dispatch.tensor<writeonly:tensor<2xf32>>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %v = flow.dispatch.tensor.load %x, offsets = [%c1], sizes = [%c2], strides = [%c1] : !in4 -> tensor<?xf32>
    flow.dispatch.tensor.store %v, %o, offsets = [%c0], sizes = [%c2], strides = [%c1] : tensor<?xf32> -> !flow.dispatch.tensor<writeonly:tensor<2xf32>>
    flow.return
  }
  return %0 : tensor<2xf32>
}

// INPUTS: '[1.0, 2.0, 3.0, 4.0]' 4
// CHECK-LABEL: func.func @fold_13_tied_dims
// CHECK: %[[S:.*]] = flow.dispatch.tie_shape %{{.*}}{%[[M:[^}]*]]}
// CHECK: %[[T:.*]] = flow.dispatch.tie_shape %{{.*}}{%[[M]]}
// CHECK: flow.dispatch.tensor.load %[[S]], {{.*}} : !flow.dispatch.tensor<readonly:tensor<?xf32>>{%[[M]]}
// CHECK: flow.dispatch.tensor.store %{{.*}}, %[[T]], {{.*}}{%[[M]]}
func.func @fold_13_tied_dims(%a: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %z = arith.addi %n, %n : index
  %h = arith.subi %z, %n : index
  %0 = flow.dispatch.workgroups(%a, %n, %h) : (tensor<?xf32>{%n}, index, index) -> tensor<?xf32>{%n} =
      (%x: !flow.dispatch.tensor<readonly:tensor<?xf32>>, %m: index, %l: index, %o: !flow.dispatch.tensor<writeonly:tensor<?xf32>>) {
    %s = flow.dispatch.tie_shape %x : !flow.dispatch.tensor<readonly:tensor<?xf32>>{%m}
    %t = flow.dispatch.tie_shape %o : !flow.dispatch.tensor<writeonly:tensor<?xf32>>{%m}
    %v = flow.dispatch.tensor.load %s, offsets = [0], sizes = [%l], strides = [1] : !flow.dispatch.tensor<readonly:tensor<?xf32>>{%l} -> tensor<?xf32>
    flow.dispatch.tensor.store %v, %t, offsets = [0], sizes = [%l], strides = [1] : tensor<?xf32> -> !flow.dispatch.tensor<writeonly:tensor<?xf32>>{%l}
    flow.return
  }
  return %0 : tensor<?xf32>
}

// INPUTS: '[1.0, 2.0, 3.0, 4.0]' 4
// CHECK-LABEL: func.func @fold_14_store_of_cast
// CHECK: %[[V:.*]] = flow.dispatch.tensor.load {{.*}} -> tensor<4xf32>
// CHECK-NOT: tensor.cast
// CHECK: flow.dispatch.tensor.store %[[V]], %{{.*}}, offsets = [0], sizes = [4], strides = [1] : tensor<4xf32> -> !flow.dispatch.tensor<writeonly:tensor<?xf32>>
func.func @fold_14_store_of_cast(%a: tensor<4xf32>, %n: index) -> tensor<?xf32> {
  %0 = flow.dispatch.workgroups(%a, %n) : (tensor<4xf32>, index) -> tensor<?xf32>{%n} =
      (%x: !in4, %m: index, %o: !flow.dispatch.tensor<writeonly:tensor<?xf32>>) {
    %v = flow.dispatch.tensor.load %x, offsets = [0], sizes = [4], strides = [1] : !in4 -> tensor<4xf32>
    %w = tensor.cast %v : tensor<4xf32> to tensor<?xf32>
    flow.dispatch.tensor.store %w, %o, offsets = [0], sizes = [%m], strides = [1] : tensor<?xf32> -> !flow.dispatch.tensor<writeonly:tensor<?xf32>>{%m}
    flow.return
  }
  return %0 : tensor<?xf32>
}

// INPUTS: '[1.0, 2.0, 3.0, 4.0]' 3
// CHECK-LABEL: func.func @fold_15_dim_of_load
// CHECK: (%{{[^:]*}}: !flow.dispatch.tensor<readonly:tensor<4xf32>>, %[[M:[^:]*]]: index,
// CHECK-NOT: tensor.dim
// CHECK: arith.index_cast %[[M]] : index to i64
func.func @fold_15_dim_of_load(%a: tensor<4xf32>, %n: index) -> tensor<1xi64> {
  %0 = flow.dispatch.workgroups(%a, %n) : (tensor<4xf32>, index) -> tensor<1xi64> =
      (%x: !in4, %m: index, %o: !flow.dispatch.tensor<writeonly:tensor<1xi64>>) {
    %c0 = arith.constant 0 : index
    %v = flow.dispatch.tensor.load %x, offsets = [0], sizes = [%m], strides = [1] : !in4 -> tensor<?xf32>
    %d = tensor.dim %v, %c0 : tensor<?xf32>
    %i = arith.index_cast %d : index to i64
    %s = tensor.splat %i : tensor<1xi64>
    flow.dispatch.tensor.store %s, %o, offsets = [0], sizes = [1], strides = [1] : tensor<1xi64> -> !flow.dispatch.tensor<writeonly:tensor<1xi64>>
    flow.return
  }
  return %0 : tensor<1xi64>
}

// INPUTS: 2 3
// CHECK-LABEL: func.func @fold_16_ordinals
// CHECK: (%[[A:[^:]*]]: index, %[[B:[^:]*]]: index,
// CHECK: %[[I:.*]] = flow.dispatch.workload.ordinal %[[A]], 0 : index
// CHECK-NEXT: %[[J:.*]] = flow.dispatch.workload.ordinal %[[B]], 1 : index
// CHECK-NOT: ordinal
// CHECK: %[[S:.*]] = arith.muli %[[I]], %[[I]] : index
// CHECK: arith.addi %[[S]], %[[J]] : index
func.func @fold_16_ordinals(%m: index, %n: index) -> tensor<1xi64> {
  %four = arith.constant 4 : index
  %0 = flow.dispatch.workgroups[%m, %n, %four](%m, %n) : (index, index) -> tensor<1xi64> =
      (%a: index, %b: index, %o: !flow.dispatch.tensor<writeonly:tensor<1xi64>>) {
    %c4 = arith.constant 4 : index
    %i = flow.dispatch.workload.ordinal %a, 0 : index
    %again = flow.dispatch.workload.ordinal %i, 0 : index
    %s = arith.muli %a, %again : index
    %j = flow.dispatch.workload.ordinal %b, 1 : index
    %twice = flow.dispatch.workload.ordinal %b, 1 : index
    %t = arith.addi %s, %twice : index
    %k = flow.dispatch.workload.ordinal %c4, 2 : index
    %u = arith.addi %t, %k : index
    %v = arith.index_cast %u : index to i64
    %w = tensor.splat %v : tensor<1xi64>
    flow.dispatch.tensor.store %w, %o, offsets = [0], sizes = [1], strides = [1] : tensor<1xi64> -> !flow.dispatch.tensor<writeonly:tensor<1xi64>>
    flow.return
  } count(%x: index, %y: index, %z: index) -> (index, index, index) {
    %p, %q, %r = flow.dispatch.workgroup_count_from_slice %x, %y, %z
    flow.return %p, %q, %r : index, index, index
  }
  return %0 : tensor<1xi64>
}

// INPUTS:
// CHECK-LABEL: func.func @fold_17_constants
// CHECK: flow.tensor.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK: arith.constant dense<[3.000000e+00, 4.000000e+00]> : tensor<2xf32>
// CHECK: return
func.func @fold_17_constants() -> (tensor<2xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %0 = flow.tensor.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = flow.tensor.slice %0[%c0 for %c2] : tensor<2xf32> -> tensor<2xf32>
  %2 = flow.tensor.dynamic_constant dense<[3.0, 4.0]> : tensor<2xf32> -> tensor<2xf32>
  %3 = flow.tensor.clone %2 : tensor<2xf32>
  %4 = flow.tensor.clone %1 : tensor<2xf32>
  return %4, %3 : tensor<2xf32>, tensor<2xf32>
}

// The dims that the type hides stay hidden.
// INPUTS:
// CHECK-LABEL: func.func @fold_17_dynamic_constant
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[V:.*]] = flow.tensor.constant dense<7> : tensor<2x3x4xi32>
// CHECK: %[[A:.*]] = util.optimization_barrier %[[C2]] : index
// CHECK: %[[B:.*]] = util.optimization_barrier %[[C4]] : index
// CHECK: %[[R:.*]] = flow.tensor.reshape %[[V]] : tensor<2x3x4xi32> -> tensor<?x3x?xi32>{%[[A]], %[[B]]}
// CHECK: return %[[R]]
func.func @fold_17_dynamic_constant() -> tensor<?x3x?xi32> {
  %0 = flow.tensor.dynamic_constant dense<7> : tensor<2x3x4xi32> -> tensor<?x3x?xi32>
  return %0 : tensor<?x3x?xi32>
}

// INPUTS: '[1.0, 2.0, 3.0, 4.0]' 2.0 3
// CHECK-LABEL: func.func @fold_18_without_elements
// CHECK-SAME: (%[[T:[^:]*]]: tensor<4xf32>, %{{.*}}: f32, %[[N:[^:]*]]: index)
// CHECK-NOT: flow.tensor.{{[^e]}}
// CHECK-DAG: %[[A:.*]] = flow.tensor.empty : tensor<0x?xf32>{%[[N]]}
// CHECK-DAG: %[[B:.*]] = flow.tensor.empty : tensor<0xf32>
// CHECK-NOT: flow.tensor.{{[^e]}}
// CHECK: return %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[T]]
func.func @fold_18_without_elements(%t: tensor<4xf32>, %v: f32, %n: index) -> (tensor<0x?xf32>, tensor<0x?xf32>, tensor<?x0xf32>, tensor<?x0xi32>, tensor<0x?xf32>, tensor<0xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = flow.tensor.splat %v : tensor<0x?xf32>{%n}
  %1 = flow.tensor.tie_shape %0 : tensor<0x?xf32>{%n}
  %2 = flow.tensor.reshape %1 : tensor<0x?xf32>{%n} -> tensor<?x0xf32>{%n}
  %3 = flow.tensor.bitcast %1 : tensor<0x?xf32>{%n} -> tensor<?x0xi32>{%n}
  %4 = flow.tensor.clone %1 : tensor<0x?xf32>{%n}
  %5 = flow.tensor.slice %t[%c1 for %c0] : tensor<4xf32> -> tensor<0xf32>
  %6 = flow.tensor.update %5, %t[%c1] : tensor<0xf32> -> %t as tensor<4xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<0x?xf32>, tensor<0x?xf32>, tensor<?x0xf32>, tensor<?x0xi32>, tensor<0x?xf32>, tensor<0xf32>, tensor<4xf32>
}

// Contents are not defined, so the test looks at sizes.
// INPUTS: 4
// CHECK-LABEL: func.func @fold_19_of_empty
// CHECK-SAME: (%[[N:[^:]*]]: index)
// CHECK-NOT: flow.tensor
// CHECK: return %[[N]], %[[N]], %[[N]], %[[N]]
func.func @fold_19_of_empty(%n: index) -> (index, index, index, index) {
  %c0 = arith.constant 0 : index
  %0 = flow.tensor.empty : tensor<?xf32>{%n}
  %1 = flow.tensor.reshape %0 : tensor<?xf32>{%n} -> tensor<?x1xf32>{%n}
  %2 = flow.tensor.bitcast %0 : tensor<?xf32>{%n} -> tensor<?xi32>{%n}
  %3 = flow.tensor.clone %1 : tensor<?x1xf32>{%n}
  %4 = flow.tensor.slice %2[%c0 for %n] : tensor<?xi32>{%n} -> tensor<?xi32>{%n}
  %5 = tensor.dim %1, %c0 : tensor<?x1xf32>
  %6 = tensor.dim %2, %c0 : tensor<?xi32>
  %7 = tensor.dim %3, %c0 : tensor<?x1xf32>
  %8 = tensor.dim %4, %c0 : tensor<?xi32>
  return %5, %6, %7, %8 : index, index, index, index
}

// With one dynamic dim, the number of elements says what it is.
// INPUTS: '[1.0, 2.0, 3.0, 4.0]' '[[1.0, 2.0], [3.0, 4.0]]' 2 2
// CHECK-LABEL: func.func @fold_20_to_equal_shape
// CHECK-SAME: (%[[T:[^:]*]]: tensor<4xf32>, %[[U:[^:]*]]: tensor<?x2xf32>,
// CHECK: return %[[T]], %[[U]], %[[T]]
func.func @fold_20_to_equal_shape(%t: tensor<4xf32>, %u: tensor<?x2xf32>, %m: index, %n: index) -> (tensor<4xf32>, tensor<?x2xf32>, tensor<4xf32>) {
  %0 = flow.tensor.reshape %t : tensor<4xf32> -> tensor<4xf32>
  %1 = flow.tensor.reshape %u : tensor<?x2xf32>{%m} -> tensor<?x2xf32>{%n}
  %2 = flow.tensor.bitcast %t : tensor<4xf32> -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<?x2xf32>, tensor<4xf32>
}

// INPUTS: '[1.0, 2.0, 3.0, 4.0]' 2
// CHECK-LABEL: func.func @fold_21_chains
// CHECK-SAME: (%[[T:[^:]*]]: tensor<?xf32>, %[[N:[^:]*]]: index)
// CHECK: %[[D:.*]] = arith.muli
// CHECK: %[[A:.*]] = flow.tensor.reshape %[[T]] : tensor<?xf32>{%[[D]]} -> tensor<1x?x2xf32>{%[[N]]}
// CHECK: %[[B:.*]] = flow.tensor.bitcast %[[T]] : tensor<?xf32>{%[[D]]} -> tensor<?xi64>{%[[N]]}
// CHECK: return %[[A]], %[[B]]
func.func @fold_21_chains(%t: tensor<?xf32>, %n: index) -> (tensor<1x?x2xf32>, tensor<?xi64>) {
  %c2 = arith.constant 2 : index
  %d = arith.muli %n, %c2 : index
  %0 = flow.tensor.reshape %t : tensor<?xf32>{%d} -> tensor<?x2xf32>{%n}
  %1 = flow.tensor.bitcast %0 : tensor<?x2xf32>{%n} -> tensor<?x2xi32>{%n}
  %2 = flow.tensor.bitcast %1 : tensor<?x2xi32>{%n} -> tensor<?x2xf32>{%n}
  %3 = flow.tensor.reshape %2 : tensor<?x2xf32>{%n} -> tensor<1x?x2xf32>{%n}
  %4 = flow.tensor.bitcast %1 : tensor<?x2xi32>{%n} -> tensor<?xi64>{%n}
  return %3, %4 : tensor<1x?x2xf32>, tensor<?xi64>
}

// INPUTS: 2.5 2
// CHECK-LABEL: func.func @fold_22_of_splat
// CHECK-SAME: (%[[V:[^:]*]]: f32, %[[N:[^:]*]]: index)
// CHECK: %[[S:.*]] = flow.tensor.splat %[[V]] : tensor<2x?xf32>{%[[N]]}
// CHECK: return %[[S]], %[[V]]
func.func @fold_22_of_splat(%v: f32, %n: index) -> (tensor<2x?xf32>, f32) {
  %c1 = arith.constant 1 : index
  %0 = flow.tensor.splat %v : tensor<?x2xf32>{%n}
  %1 = flow.tensor.reshape %0 : tensor<?x2xf32>{%n} -> tensor<2x?xf32>{%n}
  %2 = flow.tensor.load %0[%c1, %c1] : tensor<?x2xf32>{%n}
  return %1, %2 : tensor<2x?xf32>, f32
}

// INPUTS:
// CHECK-LABEL: func.func @fold_23_load_of_constant
// CHECK-DAG: %[[A:.*]] = arith.constant 6 : i32
// CHECK-DAG: %[[B:.*]] = arith.constant 7.000000e+00 : f16
// CHECK: return %[[A]], %[[B]]
func.func @fold_23_load_of_constant() -> (i32, f16) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = flow.tensor.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %1 = flow.tensor.constant dense<7.0> : tensor<f16>
  %2 = flow.tensor.load %0[%c1, %c2] : tensor<2x3xi32>
  %3 = flow.tensor.load %1 : tensor<f16>
  return %2, %3 : i32, f16
}

// One element at any rank.
// INPUTS:
// CHECK-LABEL: func.func @fold_24_store_in_constant
// CHECK-DAG: %[[A:.*]] = arith.constant dense<{{\[\[}}1, 2, 3], [4, 9, 6]]> : tensor<2x3xi32>
// CHECK-DAG: %[[B:.*]] = arith.constant dense<9> : tensor<i32>
// CHECK: return %[[A]], %[[B]]
func.func @fold_24_store_in_constant() -> (tensor<2x3xi32>, tensor<i32>) {
  %c1 = arith.constant 1 : index
  %nine = arith.constant 9 : i32
  %0 = flow.tensor.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %1 = flow.tensor.constant dense<7> : tensor<i32>
  %2 = flow.tensor.store %nine, %0[%c1, %c1] : tensor<2x3xi32>
  %3 = flow.tensor.store %nine, %1 : tensor<i32>
  return %2, %3 : tensor<2x3xi32>, tensor<i32>
}

// A column, a box of three dims, nothing, and one element of rank 0.
// INPUTS:
// CHECK-LABEL: func.func @fold_25_slice_of_constant
// CHECK-DAG: arith.constant dense<{{\[\[}}2], [5]]> : tensor<2x1xi32>
// CHECK-DAG: arith.constant dense<{{\[\[\[}}3, 4]], {{\[\[}}7, 8]]]> : tensor<2x1x2xi32>
// CHECK-DAG: tensor<0x3xi32>
// CHECK-DAG: constant dense<7> : tensor<i32>
// CHECK-NOT: flow.tensor.slice
// CHECK: return
func.func @fold_25_slice_of_constant() -> (tensor<2x1xi32>, tensor<2x1x2xi32>, tensor<0x3xi32>, tensor<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %0 = flow.tensor.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %1 = flow.tensor.constant dense<[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]> : tensor<2x2x2xi32>
  %2 = flow.tensor.constant dense<7> : tensor<i32>
  %3 = flow.tensor.slice %0[%c0, %c1 for %c2, %c1] : tensor<2x3xi32> -> tensor<2x1xi32>
  %4 = flow.tensor.slice %1[%c0, %c1, %c0 for %c2, %c1, %c2] : tensor<2x2x2xi32> -> tensor<2x1x2xi32>
  %5 = flow.tensor.slice %0[%c1, %c0 for %c0, %c3] : tensor<2x3xi32> -> tensor<0x3xi32>
  %6 = flow.tensor.slice %2[ for ] : tensor<i32> -> tensor<i32>
  return %3, %4, %5, %6 : tensor<2x1xi32>, tensor<2x1x2xi32>, tensor<0x3xi32>, tensor<i32>
}

// Three in a row become one; a slice with another user stays.
// INPUTS: '[[1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0]]' 1 2
// CHECK-LABEL: func.func @fold_26_slices_in_a_row
// CHECK-SAME: (%[[T:[^:]*]]: tensor<2x5xf32>,
// CHECK: %[[A:.*]] = flow.tensor.slice %[[T]][{{.*}}] : tensor<2x5xf32> -> tensor<1x?xf32>
// CHECK: %[[U:.*]] = flow.tensor.slice %[[T]]
// CHECK: %[[V:.*]] = flow.tensor.slice %[[U]]
// CHECK: return %[[A]], %[[U]], %[[V]]
func.func @fold_26_slices_in_a_row(%t: tensor<2x5xf32>, %i: index, %n: index) -> (tensor<1x?xf32>, tensor<1x4xf32>, tensor<1x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %0 = flow.tensor.slice %t[%i, %c1 for %c1, %c4] : tensor<2x5xf32> -> tensor<1x4xf32>
  %1 = flow.tensor.slice %0[%c0, %c1 for %c1, %c3] : tensor<1x4xf32> -> tensor<1x3xf32>
  %2 = flow.tensor.slice %1[%c0, %i for %c1, %n] : tensor<1x3xf32> -> tensor<1x?xf32>{%n}
  %3 = flow.tensor.slice %t[%i, %c1 for %c1, %c4] : tensor<2x5xf32> -> tensor<1x4xf32>
  %4 = flow.tensor.slice %3[%c0, %i for %c1, %n] : tensor<1x4xf32> -> tensor<1x?xf32>{%n}
  return %2, %3, %4 : tensor<1x?xf32>, tensor<1x4xf32>, tensor<1x?xf32>
}

// INPUTS: '[1.0, 2.0, 3.0, 4.0]' '[7.0, 8.0]' '[5.0, 6.0, 7.0, 8.0]' 1
// CHECK-LABEL: func.func @fold_27_updates
// CHECK-SAME: (%[[T:[^:]*]]: tensor<4xf32>, %[[U:[^:]*]]: tensor<2xf32>, %[[F:[^:]*]]: tensor<4xf32>, %[[I:[^:]*]]: index)
// CHECK-DAG: %[[C:.*]] = arith.constant dense<[1, 8, 8, 4]> : tensor<4xi32>
// CHECK: %[[P:.*]] = flow.tensor.update %[[U]], %[[T]][%[[I]]] : tensor<2xf32> -> %[[T]] as tensor<4xf32>
// CHECK: %[[Q:.*]] = tensor.cast %[[P]] : tensor<4xf32> to tensor<?xf32>
// CHECK: return %[[C]], %[[T]], %[[F]], %[[Q]]
func.func @fold_27_updates(%t: tensor<4xf32>, %u: tensor<2xf32>, %f: tensor<4xf32>, %i: index) -> (tensor<4xi32>, tensor<4xf32>, tensor<4xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %0 = flow.tensor.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %1 = flow.tensor.constant dense<8> : tensor<2xi32>
  %2 = flow.tensor.update %1, %0[%c1] : tensor<2xi32> -> %0 as tensor<4xi32>
  %3 = flow.tensor.slice %t[%c1 for %c0] : tensor<4xf32> -> tensor<0xf32>
  %4 = flow.tensor.update %3, %t[%c1] : tensor<0xf32> -> %t as tensor<4xf32>
  %5 = flow.tensor.update %f, %t[%c0] : tensor<4xf32> -> %t as tensor<4xf32>
  %6 = tensor.cast %u : tensor<2xf32> to tensor<?xf32>
  %7 = tensor.cast %t : tensor<4xf32> to tensor<?xf32>
  %8 = flow.tensor.update %6, %7[%i] : tensor<?xf32>{%c2} -> %7 as tensor<?xf32>{%c4}
  return %2, %4, %5, %8 : tensor<4xi32>, tensor<4xf32>, tensor<4xf32>, tensor<?xf32>
}

// INPUTS: '[1.0, 2.0]'
// CHECK-LABEL: func.func @fold_28_clones
// CHECK-SAME: (%[[T:[^:]*]]: tensor<2xf32>)
// CHECK: %[[A:.*]] = flow.tensor.constant dense<[1, 2]> : tensor<2xi32>
// CHECK: %[[B:.*]] = flow.tensor.clone %[[T]]
// CHECK: return %[[A]], %[[B]]
func.func @fold_28_clones(%t: tensor<2xf32>) -> (tensor<2xi32>, tensor<2xf32>) {
  %0 = flow.tensor.constant dense<[1, 2]> : tensor<2xi32>
  %1 = flow.tensor.clone %0 : tensor<2xi32>
  %2 = flow.tensor.clone %t : tensor<2xf32>
  return %1, %2 : tensor<2xi32>, tensor<2xf32>
}

// INPUTS: 3 1.5
// CHECK-LABEL: func.func @fold_29_empty_of_constant_dims
// CHECK-SAME: (%[[N:[^:]*]]: index,
// CHECK: flow.tensor.empty : tensor<?x2xf32>{%[[N]]}
func.func @fold_29_empty_of_constant_dims(%n: index, %v: f32) -> tensor<?x?xf32> {
  %c2 = arith.constant 2 : index
  %0 = flow.tensor.empty : tensor<?x?xf32>{%n, %c2}
  %1 = linalg.fill ins(%v : f32) outs(%0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// INPUTS: 3
// CHECK-LABEL: func.func @fold_30_allocas
// CHECK-SAME: (%[[N:[^:]*]]: index)
// CHECK-NEXT: return %[[N]], %[[N]]
func.func @fold_30_allocas(%n: index) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = flow.tensor.alloca : tensor<?xf32>{%n}
  %1 = flow.tensor.alloca : tensor<?x?xf32>{%n, %n}
  %2 = flow.tensor.empty : tensor<?x?xf32>{%n, %n}
  %3 = tensor.dim %1, %c1 : tensor<?x?xf32>
  %4 = tensor.dim %2, %c0 : tensor<?x?xf32>
  return %3, %4 : index, index
}

// INPUTS: '[1.0, 2.0, 3.0, 4.0]'
// CHECK-LABEL: func.func @fold_31_transfers
// CHECK-SAME: (%[[T:[^:]*]]: tensor<4xf32>)
// CHECK: %[[A:.*]] = flow.tensor.transfer %[[T]] : tensor<4xf32> to "a"
// CHECK: %[[R:.*]] = flow.tensor.reshape %[[A]]
// CHECK: %[[C:.*]] = flow.tensor.transfer %[[T]] : tensor<4xf32> to "c"
// CHECK-NOT: transfer
// CHECK: return %[[A]], %[[R]], %[[C]]
func.func @fold_31_transfers(%t: tensor<4xf32>) -> (tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>) {
  %0 = flow.tensor.transfer %t : tensor<4xf32> to "a"
  %1 = flow.tensor.transfer %0 : tensor<4xf32> to "a"
  %2 = flow.tensor.reshape %1 : tensor<4xf32> -> tensor<2x2xf32>
  %3 = flow.tensor.transfer %2 : tensor<2x2xf32> to "a"
  %4 = flow.tensor.transfer %t : tensor<4xf32> to "b"
  %5 = flow.tensor.transfer %4 : tensor<4xf32> to "c"
  return %1, %3, %5 : tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>
}

// Not across a barrier.
// INPUTS: '[1.0, 2.0, 3.0, 4.0]'
// CHECK-LABEL: func.func @fold_31_barrier
// CHECK-SAME: (%[[T:[^:]*]]: tensor<4xf32>)
// CHECK: %[[A:.*]] = flow.tensor.transfer %[[T]] : tensor<4xf32> to "a"
// CHECK: %[[B:.*]] = flow.tensor.barrier %[[A]] : tensor<4xf32> on "a"
// CHECK: %[[C:.*]] = flow.tensor.transfer %[[B]] : tensor<4xf32> to "a"
// CHECK: return %[[C]]
func.func @fold_31_barrier(%t: tensor<4xf32>) -> tensor<4xf32> {
  %0 = flow.tensor.transfer %t : tensor<4xf32> to "a"
  %1 = flow.tensor.barrier %0 : tensor<4xf32> on "a"
  %2 = flow.tensor.transfer %1 : tensor<4xf32> to "a"
  return %2 : tensor<4xf32>
}

// INPUTS: '[1.0, 2.0, 3.0, 4.0]' 4 2
// CHECK-LABEL: func.func @fold_32_reshape_before_barrier
// CHECK-SAME: (%[[T:[^:]*]]: tensor<?xf32>, %[[D:[^:]*]]: index, %{{.*}}: index)
// CHECK: %[[A:.*]] = flow.tensor.barrier %[[T]] : tensor<?xf32>{%[[D]]} on "a"
// CHECK-NOT: reshape
// CHECK: return %[[A]]
func.func @fold_32_reshape_before_barrier(%t: tensor<?xf32>, %d: index, %n: index) -> tensor<?xf32> {
  %0 = flow.tensor.reshape %t : tensor<?xf32>{%d} -> tensor<?x2xf32>{%n}
  %1 = flow.tensor.barrier %0 : tensor<?x2xf32>{%n} on "a"
  %2 = flow.tensor.reshape %1 : tensor<?x2xf32>{%n} -> tensor<?xf32>{%d}
  return %2 : tensor<?xf32>
}

// INPUTS: '[1.0, 2.0, 3.0, 4.0]' 4 2
// CHECK-LABEL: func.func @fold_32_reshape_before_transfer
// CHECK-SAME: (%[[T:[^:]*]]: tensor<?xf32>, %[[D:[^:]*]]: index, %{{.*}}: index)
// CHECK: %[[A:.*]] = flow.tensor.transfer %[[T]] : tensor<?xf32>{%[[D]]} to "a"
// CHECK-NOT: reshape
// CHECK: return %[[A]]
func.func @fold_32_reshape_before_transfer(%t: tensor<?xf32>, %d: index, %n: index) -> tensor<?xf32> {
  %0 = flow.tensor.reshape %t : tensor<?xf32>{%d} -> tensor<?x2xf32>{%n}
  %1 = flow.tensor.transfer %0 : tensor<?x2xf32>{%n} to "a"
  %2 = flow.tensor.reshape %1 : tensor<?x2xf32>{%n} -> tensor<?xf32>{%d}
  return %2 : tensor<?xf32>
}

// INPUTS: '[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]' 2 1 2
// CHECK-LABEL: func.func @fold_33_ranks_and_dims
// CHECK-SAME: (%{{.*}}: tensor<?x3xf32>, %[[D:[^:]*]]: index, %{{.*}}: index, %[[N:[^:]*]]: index)
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-NOT: tensor.dim
// CHECK: return %[[C2]], %[[C3]], %[[D]], %[[N]], %[[D]], %[[D]]
func.func @fold_33_ranks_and_dims(%t: tensor<?x3xf32>, %d: index, %i: index, %n: index) -> (index, index, index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = flow.tensor.tie_shape %t : tensor<?x3xf32>{%d}
  %1 = flow.tensor.slice %0[%c0, %i for %d, %n] : tensor<?x3xf32>{%d} -> tensor<?x?xf32>{%d, %n}
  %2 = flow.tensor.clone %t : tensor<?x3xf32>{%d}
  %3 = tensor.rank %0 : tensor<?x3xf32>
  %4 = tensor.dim %0, %c1 : tensor<?x3xf32>
  %5 = tensor.dim %0, %c0 : tensor<?x3xf32>
  %6 = tensor.dim %1, %c1 : tensor<?x?xf32>
  %7 = tensor.dim %2, %c0 : tensor<?x3xf32>
  %8 = flow.dispatch.region -> (tensor<?xf32>{%d}) {
    %9 = flow.tensor.empty : tensor<?xf32>{%d}
    flow.return %9 : tensor<?xf32>
  }
  %10 = tensor.dim %8, %c0 : tensor<?xf32>
  return %3, %4, %5, %6, %7, %10 : index, index, index, index, index, index
}

// INPUTS AFTER: 1
// CHECK-LABEL: func.func @fold_34_unused_split
// CHECK-NOT: flow.channel.split
// CHECK: return
func.func @fold_34_unused_split(%i: index) -> index {
  %0 = flow.channel.default : !flow.channel
  %1 = flow.channel.split %0, %i, %i : !flow.channel -> !flow.channel
  return %i : index
}
