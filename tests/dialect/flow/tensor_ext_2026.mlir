// Ops of 2025 and 2026: encodings, and grids of dispatches whose reduction a backend may split.
// RUN: noria opt %s -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: noria opt %t.once | diff - %t.once
// RUN: noria run --interpret %s --entry=encodes '[[1.0, 2.0]]' 1 | FileCheck %s --check-prefix=ENCODES
// RUN: noria run %s --entry=splits '[1, 2, 3]' --check-stages | FileCheck %s --check-prefix=SPLITS
#a = #iree_encoding.testing<>
#b = #iree_encoding.identity

// CHECK-LABEL: util.func public @encodes
// ENCODES: dense<{{\[\[}}1.000000e+00, 2.000000e+00]]> : tensor<1x2xf32>
util.func public @encodes(%a: tensor<?x2xf32>, %d: index) -> tensor<1x2xf32> {
  // CHECK: flow.tensor.encode %arg0 : tensor<?x2xf32>{%arg1} -> tensor<?x2xf32, #iree_encoding.testing<>>{%arg1}
  %e = flow.tensor.encode %a : tensor<?x2xf32>{%d} -> tensor<?x2xf32, #a>{%d}
  // CHECK: flow.tensor.encode %{{.*}} : tensor<?x2xf32, #iree_encoding.testing<>>{%arg1} -> tensor<1x2xf32, #iree_encoding.identity>{{$}}
  %f = flow.tensor.encode %e : tensor<?x2xf32, #a>{%d} -> tensor<1x2xf32, #b>
  %g = flow.tensor.encode %f : tensor<1x2xf32, #b> -> tensor<1x2xf32>
  util.return %g : tensor<1x2xf32>
}

// SPLITS: dense<[0, 1, 2]> : tensor<3xi32>
util.func public @splits(%a: tensor<3xi32>) -> tensor<3xi32> {
  %c3 = arith.constant 3 : index
  %r = flow.dispatch.workgroups[%c3](%a) : (tensor<3xi32>) -> %a = (%o: !iree_tensor_ext.dispatch.tensor<readwrite:tensor<3xi32>>) {
    %i = flow.dispatch.workgroup.id[0] : index
    %v = arith.index_cast %i : index to i32
    %t = tensor.splat %v : tensor<1xi32>
    iree_tensor_ext.dispatch.tensor.store %t, %o, offsets = [%i], sizes = [1], strides = [1] : tensor<1xi32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<3xi32>>
    flow.return
  } count(%n: index) -> (index, index, index) {
    %c1 = arith.constant 1 : index
    // CHECK: %{{.*}}:3 = iree_tensor_ext.dispatch.workgroup_count_split_reduction_modifier workgroups(%{{.*}}, %{{.*}}, %{{.*}}) workload(%{{.*}})
    %u, %v, %w = iree_tensor_ext.dispatch.workgroup_count_split_reduction_modifier workgroups(%n, %c1, %c1) workload(%n)
    // CHECK: %{{.*}}:3 = iree_tensor_ext.dispatch.workgroup_count_split_reduction_modifier workgroups(%{{.*}}, %{{.*}}, %{{.*}}) workload()
    %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_split_reduction_modifier workgroups(%u, %v, %w) workload()
    flow.return %x, %y, %z : index, index, index
  }
  util.return %r : tensor<3xi32>
}
