// The spellings of 2025: what moved from flow to iree_tensor_ext is the same op and type. A file that has them is
// printed with them.
// RUN: noria opt %s -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: noria opt %t.once | diff - %t.once
// RUN: noria opt --generic %s | noria opt --syntax=mlir - | diff - %t.once
// RUN: noria opt --generic %s | FileCheck %s --check-prefix=GENERIC
// RUN: noria run %s --entry=main "dense<[1.0, 2.0, 3.0]> : tensor<3xf32>" | FileCheck %s --check-prefix=VALUES
// RUN: noria run --interpret %s --entry=main "dense<[1.0, 2.0, 3.0]> : tensor<3xf32>" | FileCheck %s --check-prefix=VALUES
// RUN: sed 's/iree_tensor_ext.dispatch/flow.dispatch/g' %s | noria opt - | FileCheck %s --check-prefix=OLD
// OLD-NOT: iree_tensor_ext

// CHECK-LABEL: flow.executable private @twice
flow.executable private @twice {
  flow.executable.export public @twice workgroups(%n: index) -> (index, index, index) {
    %c1 = arith.constant 1 : index
    flow.return %c1, %c1, %c1 : index, index, index
  }
  builtin.module {
    // CHECK: util.func public @twice(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<?xf32>>, %arg1: index, %arg2: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<?xf32>>) {
    // OLD: !flow.dispatch.tensor<readonly:tensor<?xf32>>
    util.func public @twice(%a: !iree_tensor_ext.dispatch.tensor<readonly:tensor<?xf32>>, %n: index, %b: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<?xf32>>) {
      // CHECK: iree_tensor_ext.dispatch.workload.ordinal %arg1, 0 : index
      %w = iree_tensor_ext.dispatch.workload.ordinal %n, 0 : index
      // CHECK: flow.dispatch.tie_shape %arg0 : !iree_tensor_ext.dispatch.tensor<readonly:tensor<?xf32>>{
      %t = flow.dispatch.tie_shape %a : !iree_tensor_ext.dispatch.tensor<readonly:tensor<?xf32>>{%w}
      // CHECK: iree_tensor_ext.dispatch.tensor.load %{{.*}}, offsets = [0], sizes = [%{{.*}}], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<?xf32>>{%{{.*}}} -> tensor<?xf32>
      // OLD: flow.dispatch.tensor.load
      %v = iree_tensor_ext.dispatch.tensor.load %t, offsets=[0], sizes=[%w], strides=[1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<?xf32>>{%w} -> tensor<?xf32>
      %r = arith.addf %v, %v : tensor<?xf32>
      // CHECK: iree_tensor_ext.dispatch.tensor.store %{{.*}}, %arg2, offsets = [0], sizes = [%{{.*}}], strides = [1] : tensor<?xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<?xf32>>{%{{.*}}}
      iree_tensor_ext.dispatch.tensor.store %r, %b, offsets=[0], sizes=[%w], strides=[1] : tensor<?xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<?xf32>>{%w}
      // CHECK: util.return
      util.return
    }
  }
}
// CHECK-LABEL: util.func public @main
util.func public @main(%a: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %r = flow.dispatch @twice::@twice[%n](%a, %n) : (tensor<?xf32>{%n}, index) -> tensor<?xf32>{%n}
  util.return %r : tensor<?xf32>
}
// VALUES: dense<[2.000000e+00, 4.000000e+00, 6.000000e+00]> : tensor<3xf32>

// CHECK-LABEL: util.func public @workgroups
util.func public @workgroups(%a: tensor<4xi32>, %x: index, %y: index) -> tensor<4xi32> {
  %r = flow.dispatch.workgroups[%x, %y](%a) : (tensor<4xi32>) -> %a = (%c: !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4xi32>>) {
    flow.return
  } count(%p: index, %q: index) -> (index, index, index) {
    // CHECK: iree_tensor_ext.dispatch.workgroup_count_from_slice(%{{.*}}, %{{.*}}){{$}}
    // OLD: flow.dispatch.workgroup_count_from_slice %
    // GENERIC: "iree_tensor_ext.dispatch.workgroup_count_from_slice"
    %i, %j, %k = iree_tensor_ext.dispatch.workgroup_count_from_slice(%p, %q)
    // CHECK: iree_tensor_ext.dispatch.workgroup_count_from_slice(){{$}}
    %l, %m, %n = iree_tensor_ext.dispatch.workgroup_count_from_slice()
    flow.return %i, %j, %n : index, index, index
  }
  util.return %r : tensor<4xi32>
}
