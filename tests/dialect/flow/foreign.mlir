// Ops of IREE's other dialects that stand around flow: read, verified and printed; barriers are run too.
// RUN: noria opt %s -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: noria opt %t.once | diff - %t.once
// RUN: noria opt --canonicalize %s | FileCheck %s --check-prefix=FOLD
// RUN: noria run %s --entry=run "dense<[1.0, 2.0]> : tensor<2xf32>" | FileCheck %s --check-prefix=VALUES
// RUN: noria run --interpret %s --entry=run "dense<[1.0, 2.0]> : tensor<2xf32>" | FileCheck %s --check-prefix=VALUES

// CHECK-LABEL: util.func public @barriers
// FOLD-LABEL: util.func public @barriers
// FOLD-COUNT-1: compute_barrier.start
// FOLD-COUNT-1: compute_barrier.end
// FOLD-NEXT: util.return
util.func @barriers(%a: tensor<?x?xf32>, %d0: index, %d1: index) -> tensor<?x?xf32> {
  // CHECK: iree_tensor_ext.compute_barrier.start %arg0 : tensor<?x?xf32>{%arg1, %arg2} -> tensor<?x?xf32>
  %s = iree_tensor_ext.compute_barrier.start %a : tensor<?x?xf32>{%d0, %d1} -> tensor<?x?xf32>
  %t = iree_tensor_ext.compute_barrier.start %s : tensor<?x?xf32>{%d0, %d1} -> tensor<?x?xf32>
  // CHECK: iree_tensor_ext.compute_barrier.end %{{.*}} : tensor<?x?xf32>{%arg1, %arg2} -> tensor<?x?xf32>
  %e = iree_tensor_ext.compute_barrier.end %t : tensor<?x?xf32>{%d0, %d1} -> tensor<?x?xf32>
  %f = iree_tensor_ext.compute_barrier.end %e : tensor<?x?xf32>{%d0, %d1} -> tensor<?x?xf32>
  util.return %f : tensor<?x?xf32>
}

// The bytes of 1.0 and 2.0 as integers.
util.func @run(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<1x2xi32>) {
  %s = iree_tensor_ext.compute_barrier.start %a : tensor<2xf32> -> tensor<2xf32>
  %r = arith.addf %s, %s : tensor<2xf32>
  %e = iree_tensor_ext.compute_barrier.end %r : tensor<2xf32> -> tensor<2xf32>
  // CHECK: flow.tensor.bitcast %arg0 : tensor<2xf32> -> tensor<1x2xi32>
  %b = iree_tensor_ext.bitcast %a : tensor<2xf32> -> tensor<1x2xi32>
  util.return %e, %b : tensor<2xf32>, tensor<1x2xi32>
}
// VALUES: dense<[2.000000e+00, 4.000000e+00]> : tensor<2xf32>
// VALUES-NEXT: dense<{{\[}}[1065353216, 1073741824]]> : tensor<1x2xi32>

#encoding = #iree_encoding.testing<>
// CHECK-LABEL: util.func public @hal
util.func @hal(%v: !hal.buffer_view) -> !hal.buffer_view {
  // CHECK: hal.buffer_view.dim<%arg0 : !hal.buffer_view>[0] : index
  %d = hal.buffer_view.dim<%v : !hal.buffer_view>[0] : index
  // CHECK: hal.tensor.import %arg0 "input0" : !hal.buffer_view -> tensor<?xi64>{%{{.*}}}
  %t = hal.tensor.import %v "input0" : !hal.buffer_view -> tensor<?xi64>{%d}
  // CHECK: hal.tensor.import %arg0 : !hal.buffer_view -> tensor<4xi64>{{$}}
  %u = hal.tensor.import %v : !hal.buffer_view -> tensor<4xi64>
  // CHECK: iree_encoding.set_encoding %{{.*}} : tensor<4xi64> -> tensor<4xi64, #iree_encoding.testing<>>
  %s = iree_encoding.set_encoding %u : tensor<4xi64> -> tensor<4xi64, #encoding>
  // CHECK: iree_encoding.unset_encoding %{{.*}} : tensor<4xi64, #iree_encoding.testing<>> -> tensor<4xi64>
  %x = iree_encoding.unset_encoding %s : tensor<4xi64, #encoding> -> tensor<4xi64>
  // CHECK: hal.tensor.export %{{.*}} "output0" : tensor<?xi64>{%{{.*}}} -> !hal.buffer_view
  %r = hal.tensor.export %t "output0" : tensor<?xi64>{%d} -> !hal.buffer_view
  util.return %r : !hal.buffer_view
}
