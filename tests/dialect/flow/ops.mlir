// Every op of flow, in its own syntax.
// RUN: noria opt %s | FileCheck %s
// RUN: noria opt %s | noria opt - -o %t.again
// RUN: noria opt %s -o %t.once
// RUN: diff %t.once %t.again
// RUN: noria opt --generic %s | noria opt --syntax=mlir - | diff - %t.once

// CHECK-LABEL: func.func @region
func.func @region(%arg0: tensor<?x?xf32>, %w: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %arg0, %c0 : tensor<?x?xf32>
  // CHECK: flow.dispatch.region[%arg1] -> (tensor<?x?xf32>{%[[D:[0-9]+]], %[[D]]}, tensor<4xf32>) {
  %r:2 = flow.dispatch.region[%w] -> (tensor<?x?xf32>{%d0, %d0}, tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    // CHECK: flow.return %arg0, %{{.*}} : tensor<?x?xf32>, tensor<4xf32>
    flow.return %arg0, %e : tensor<?x?xf32>, tensor<4xf32>
  // CHECK: } count(%[[W:.*]]: index) -> (index, index, index) {
  } count(%x: index) -> (index, index, index) {
    %c1 = arith.constant 1 : index
    // CHECK: flow.return %[[W]], %{{.*}}, %{{.*}} : index, index, index
    flow.return %x, %c1, %c1 : index, index, index
  }
  return %r#0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @workgroups
func.func @workgroups(%arg0: tensor<?x4xf32>, %arg1: tensor<4xf32>, %d: index, %s: i32) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<4xi32>) {
  // CHECK: flow.dispatch.workgroups[%arg2, %arg2](%arg0, %arg1, %arg3) : (tensor<?x4xf32>{%arg2}, tensor<4xf32>, i32) -> (tensor<?x4xf32>{%arg2}, %arg0{%arg2}, %arg1 as tensor<4xi32>)
  // CHECK-SAME: attributes {tag = 1 : i64} =
  // CHECK-NEXT: (%[[A:.*]]: !flow.dispatch.tensor<readwrite:tensor<?x4xf32>>, %[[B:.*]]: !flow.dispatch.tensor<readwrite:tensor<4xf32>>, %{{.*}}: i32, %[[C:.*]]: !flow.dispatch.tensor<writeonly:tensor<?x4xf32>>) {
  %r:3 = flow.dispatch.workgroups[%d, %d](%arg0, %arg1, %s) : (tensor<?x4xf32>{%d}, tensor<4xf32>, i32) -> (tensor<?x4xf32>{%d}, %arg0{%d}, %arg1 as tensor<4xi32>) attributes {tag = 1} =
      (%a: !flow.dispatch.tensor<readwrite:tensor<?x4xf32>>, %b: !flow.dispatch.tensor<readwrite:tensor<4xf32>>, %i: i32, %o: !flow.dispatch.tensor<writeonly:tensor<?x4xf32>>) {
    // CHECK: %[[X:.*]] = flow.dispatch.workgroup.id[0] : index
    %x = flow.dispatch.workgroup.id[0] : index
    // CHECK: flow.dispatch.workgroup.count[1] : index
    %y = flow.dispatch.workgroup.count[1] : index
    // CHECK: flow.dispatch.workgroup.size[2] : index
    %z = flow.dispatch.workgroup.size[2] : index
    // CHECK: %[[O:.*]] = flow.dispatch.workload.ordinal %{{.*}}, 1 : index
    %n = flow.dispatch.workload.ordinal %x, 1 : index
    // CHECK: flow.dispatch.tie_shape %[[A]] : !flow.dispatch.tensor<readwrite:tensor<?x4xf32>>{%[[O]]}
    %t = flow.dispatch.tie_shape %a : !flow.dispatch.tensor<readwrite:tensor<?x4xf32>>{%n}
    // CHECK: %[[V:.*]] = flow.dispatch.tensor.load %{{.*}}, offsets = [%[[X]], 0], sizes = [1, 4], strides = [1, 1] : !flow.dispatch.tensor<readwrite:tensor<?x4xf32>>{%[[O]]} -> tensor<4xf32>
    %v = flow.dispatch.tensor.load %t, offsets = [%x, 0], sizes = [1, 4], strides = [1, 1] : !flow.dispatch.tensor<readwrite:tensor<?x4xf32>>{%n} -> tensor<4xf32>
    // CHECK: flow.dispatch.tensor.store %[[V]], %[[C]], offsets = [%[[X]], 0], sizes = [1, 4], strides = [1, 1] : tensor<4xf32> -> !flow.dispatch.tensor<writeonly:tensor<?x4xf32>>{%[[O]]}
    flow.dispatch.tensor.store %v, %o, offsets = [%x, 0], sizes = [1, 4], strides = [1, 1] : tensor<4xf32> -> !flow.dispatch.tensor<writeonly:tensor<?x4xf32>>{%n}
    // CHECK: flow.return{{$}}
    flow.return
  // CHECK: } count(
  } count(%p: index, %q: index) -> (index, index, index) {
    // CHECK: flow.dispatch.workgroup_count_from_slice %
    %x, %y, %z = flow.dispatch.workgroup_count_from_slice %p, %q
    flow.return %x, %y, %z : index, index, index
  }
  return %r#0, %r#1, %r#2 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<4xi32>
}

// CHECK-LABEL: flow.executable private @ex attributes {sealed} {
flow.executable private @ex attributes {sealed} {
  // CHECK-NEXT: flow.executable.export public @dispatch workgroups(%{{.*}}: index) -> (index, index, index) {
  flow.executable.export public @dispatch workgroups(%w: index) -> (index, index, index) {
    // CHECK: flow.dispatch.workgroup_count_from_dag_root %
    %x, %y, %z = flow.dispatch.workgroup_count_from_dag_root %w
    flow.return %x, %y, %z : index, index, index
  // CHECK: } attributes {sched = 2 : i64}
  } attributes {sched = 2}
  // CHECK: flow.executable.export private @dispatch as("other"){{$}}
  flow.executable.export private @dispatch as("other")
  // CHECK: builtin.module {
  builtin.module {
    func.func @dispatch(%a: !flow.dispatch.tensor<readonly:tensor<?xf32>>, %n: index, %b: !flow.dispatch.tensor<writeonly:tensor<?xf32>>) {
      return
    }
  }
}

// CHECK-LABEL: func.func @dispatch_and_call
func.func @dispatch_and_call(%a: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  // CHECK: flow.dispatch @ex::@dispatch[%arg1](%arg0, %arg1) {x = 1 : i64} : (tensor<?xf32>{%arg1}, index) -> tensor<?xf32>{%arg1}
  %0 = flow.dispatch @ex::@dispatch[%n](%a, %n) {x = 1} : (tensor<?xf32>{%n}, index) -> tensor<?xf32>{%n}
  // CHECK: flow.dispatch {@ex::@dispatch, @ex::@other}[%arg1](%{{.*}}, %arg1) : (tensor<?xf32>{%arg1}, index) -> tensor<?xf32>{%arg1}
  %1 = flow.dispatch {@ex::@dispatch, @ex::@other}[%n](%0, %n) : (tensor<?xf32>{%n}, index) -> tensor<?xf32>{%n}
  // CHECK: %{{.*}}:2 = flow.call @host(%[[X:.*]], %arg1) : (tensor<?xf32>{%arg1}, index) -> (%[[X]]{%arg1}, i32)
  %2:2 = flow.call @host(%1, %n) : (tensor<?xf32>{%n}, index) -> (%1{%n}, i32)
  // CHECK: flow.call @nothing() : () -> ()
  flow.call @nothing() : () -> ()
  return %2#0 : tensor<?xf32>
}
// CHECK: flow.func private @host(%arg0: tensor<?xf32> {a.x}, %arg1: index) -> (%arg0, i32 {a.y = 1 : i64})
flow.func private @host(%arg0: tensor<?xf32> {a.x}, %arg1: index) -> (%arg0, i32 {a.y = 1})
// CHECK: flow.func public @nothing(){{$}}
flow.func public @nothing()
// CHECK: flow.func public @tied(%arg0: tensor<4xf32>) -> %arg0 as tensor<4xi32> attributes {m}
flow.func @tied(%x: tensor<4xf32>) -> %x as tensor<4xi32> attributes {m}

// CHECK-LABEL: func.func @tensors
func.func @tensors(%t: tensor<?x4xf32>, %s: tensor<4x4xf32>, %z: tensor<f32>, %d: index, %v: f32) {
  // CHECK: flow.tensor.alloca : tensor<?xf32>{%arg3}
  %0 = flow.tensor.alloca : tensor<?xf32>{%d}
  // CHECK: flow.tensor.bitcast %arg0 : tensor<?x4xf32>{%arg3} -> tensor<?x4xi32>{%arg3}
  %1 = flow.tensor.bitcast %t : tensor<?x4xf32>{%d} -> tensor<?x4xi32>{%d}
  // CHECK: flow.tensor.bitcast %arg1 : tensor<4x4xf32> -> tensor<4x8xf16> attributes {a}
  %2 = flow.tensor.bitcast %s : tensor<4x4xf32> -> tensor<4x8xf16> attributes {a}
  // CHECK: flow.tensor.clone %arg0 : tensor<?x4xf32>{%arg3}
  %3 = flow.tensor.clone %t : tensor<?x4xf32>{%d}
  // CHECK: flow.tensor.constant dense<4.000000e+00> : tensor<2x2xf32>
  %4 = flow.tensor.constant dense<4.0> : tensor<2x2xf32>
  // CHECK: flow.tensor.constant #flow.parameter.named<"scope"::"key"> : tensor<2x2xf32>
  %5 = flow.tensor.constant #flow.parameter.named<"scope"::"key"> : tensor<2x2xf32>
  // CHECK: flow.tensor.constant #flow.parameter.named<"key", {length = 16 : i64}> : tensor<2x2xf32>
  %6 = flow.tensor.constant #flow.parameter.named<"key", {length = 16 : i64}> : tensor<2x2xf32>
  // CHECK: flow.tensor.dynamic_constant dense<4.000000e+00> : tensor<2x2xf32> -> tensor<?x2xf32>
  %7 = flow.tensor.dynamic_constant dense<4.0> : tensor<2x2xf32> -> tensor<?x2xf32>
  // CHECK: flow.tensor.empty : tensor<?x?xf32>{%arg3, %arg3}
  %8 = flow.tensor.empty : tensor<?x?xf32>{%d, %d}
  // CHECK: flow.tensor.load %arg0[%arg3, %arg3] : tensor<?x4xf32>{%arg3}
  %9 = flow.tensor.load %t[%d, %d] : tensor<?x4xf32>{%d}
  // CHECK: flow.tensor.load %arg2 : tensor<f32>
  %10 = flow.tensor.load %z : tensor<f32>
  // CHECK: flow.tensor.reshape %arg0 : tensor<?x4xf32>{%arg3} -> tensor<4x?xf32>{%arg3}
  %11 = flow.tensor.reshape %t : tensor<?x4xf32>{%d} -> tensor<4x?xf32>{%d}
  // CHECK: flow.tensor.slice %arg0[%arg3, %arg3 for %arg3, %arg3] : tensor<?x4xf32>{%arg3} -> tensor<?x2xf32>{%arg3}
  %12 = flow.tensor.slice %t[%d, %d for %d, %d] : tensor<?x4xf32>{%d} -> tensor<?x2xf32>{%d}
  // CHECK: flow.tensor.splat %arg4 : tensor<?x4xf32>{%arg3}
  %13 = flow.tensor.splat %v : tensor<?x4xf32>{%d}
  // CHECK: flow.tensor.store %arg4, %arg0[%arg3, %arg3] : tensor<?x4xf32>{%arg3}
  %14 = flow.tensor.store %v, %t[%d, %d] : tensor<?x4xf32>{%d}
  // CHECK: flow.tensor.store %arg4, %arg2 : tensor<f32>
  %15 = flow.tensor.store %v, %z : tensor<f32>
  // CHECK: flow.tensor.tie_shape %arg0 : tensor<?x4xf32>{%arg3}
  %16 = flow.tensor.tie_shape %t : tensor<?x4xf32>{%d}
  // CHECK: flow.tensor.trace "key" = [%arg0 : tensor<?x4xf32>{%arg3}, %arg1 : tensor<4x4xf32>]
  flow.tensor.trace "key" = [%t : tensor<?x4xf32>{%d}, %s : tensor<4x4xf32>]
  // CHECK: flow.tensor.transfer %arg0 : tensor<?x4xf32>{%arg3} to "device"
  %17 = flow.tensor.transfer %t : tensor<?x4xf32>{%d} to "device"
  // CHECK: flow.tensor.update %arg1, %arg0[%arg3, %arg3] : tensor<4x4xf32> -> %arg0 as tensor<?x4xf32>{%arg3}
  %18 = flow.tensor.update %s, %t[%d, %d] : tensor<4x4xf32> -> %t as tensor<?x4xf32>{%d}
  return
}

// CHECK-LABEL: func.func @collectives
func.func @collectives(%t: tensor<8xf32>, %s: tensor<4xf32>, %u: tensor<?xui8>, %d: index) {
  // CHECK: %[[C:.*]] = flow.channel.default : !flow.channel
  %c = flow.channel.default : !flow.channel
  // CHECK: flow.channel.default "group" : !flow.channel
  %g = flow.channel.default "group" : !flow.channel
  // CHECK: flow.channel.split %[[C]], %arg3, %arg3 : !flow.channel -> !flow.channel
  %p = flow.channel.split %c, %d, %d : !flow.channel -> !flow.channel
  // CHECK: flow.channel.rank %[[C]] : index
  %r = flow.channel.rank %c : index
  // CHECK: flow.channel.count %[[C]] : index
  %n = flow.channel.count %c : index
  // CHECK: flow.collective.all_gather f32, %arg0, %arg1, %[[C]] : (tensor<8xf32>, tensor<4xf32>, !flow.channel) -> %arg0 as tensor<8xf32>
  %0 = flow.collective.all_gather f32, %t, %s, %c : (tensor<8xf32>, tensor<4xf32>, !flow.channel) -> %t as tensor<8xf32>
  // CHECK: flow.collective.all_reduce maximum, ui8, %arg2, %arg2, %[[C]] : (tensor<?xui8>, tensor<?xui8>, !flow.channel) -> %arg2 as tensor<?xui8>{%arg3}
  %1 = flow.collective.all_reduce maximum, ui8, %u, %u, %c : (tensor<?xui8>, tensor<?xui8>, !flow.channel) -> %u as tensor<?xui8>{%d}
  // CHECK: flow.collective.all_to_all f32, %arg0, %arg0, %[[C]] : (tensor<8xf32>, tensor<8xf32>, !flow.channel) -> %arg0 as tensor<8xf32>
  %2 = flow.collective.all_to_all f32, %t, %t, %c : (tensor<8xf32>, tensor<8xf32>, !flow.channel) -> tensor<8xf32>
  // CHECK: flow.collective.reduce_scatter sum, f32, %arg1, %arg0, %[[C]] : (tensor<4xf32>, tensor<8xf32>, !flow.channel) -> %arg1 as tensor<4xf32>
  %3 = flow.collective.reduce_scatter sum, f32, %s, %t, %c : (tensor<4xf32>, tensor<8xf32>, !flow.channel) -> %s as tensor<4xf32>
  // CHECK: flow.collective.send_recv f32, %arg0, %arg0, %[[C]], %arg3, %arg3 : (tensor<8xf32>, tensor<8xf32>, !flow.channel, index, index) -> %arg0 as tensor<8xf32>
  %4 = flow.collective.send_recv f32, %t, %t, %c, %d, %d : (tensor<8xf32>, tensor<8xf32>, !flow.channel, index, index) -> %t as tensor<8xf32>
  return
}

// Of equal arguments a name says the first one: that a result is tied to another one is in the attributes.
flow.func private @callee(%a: tensor<4xf32>, %b: tensor<4xf32>) -> %b
// CHECK-LABEL: func.func @equal_arguments
func.func @equal_arguments(%t: tensor<4xf32>, %d: index) {
  // CHECK: flow.call @callee(%arg0, %arg0) {tied_operands = [1 : index]} : (tensor<4xf32>, tensor<4xf32>) -> %arg0
  %0 = flow.call @callee(%t, %t) {tied_operands = [1 : index]} : (tensor<4xf32>, tensor<4xf32>) -> %t
  // CHECK: flow.call @callee(%arg0, %arg0) : (tensor<4xf32>, tensor<4xf32>) -> %arg0
  %1 = flow.call @callee(%t, %t) : (tensor<4xf32>, tensor<4xf32>) -> %t
  // CHECK: flow.dispatch.workgroups[%arg1](%arg0, %arg0) : (tensor<4xf32>, tensor<4xf32>) -> %arg0 attributes {tied_operands = [1 : index]} =
  // CHECK-NEXT: (%{{.*}}: !flow.dispatch.tensor<readonly:tensor<4xf32>>, %{{.*}}: !flow.dispatch.tensor<readwrite:tensor<4xf32>>)
  %2 = flow.dispatch.workgroups[%d](%t, %t) : (tensor<4xf32>, tensor<4xf32>) -> %t attributes {tied_operands = [1 : index]} =
      (%a: !flow.dispatch.tensor<readonly:tensor<4xf32>>, %b: !flow.dispatch.tensor<readwrite:tensor<4xf32>>) {
    flow.return
  }
  return
}

// CHECK-LABEL: func.func @bound_dim
func.func @bound_dim(%t: !flow.dispatch.tensor<readonly:tensor<2x?xf32>>) -> index {
  // CHECK: flow.dispatch.tensor.dim %{{.*}}[1] : !flow.dispatch.tensor<readonly:tensor<2x?xf32>>
  %0 = flow.dispatch.tensor.dim %t[1] : !flow.dispatch.tensor<readonly:tensor<2x?xf32>>
  return %0 : index
}

// CHECK-LABEL: func.func private @placeholders(!flow.dummy) attributes {of = #flow.dummy}
func.func private @placeholders(!flow.dummy) attributes {of = #flow.dummy}
