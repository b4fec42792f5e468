// Passes keep collectives: none is merged with an equal one, moved out of a loop, dropped for an unused result, or made
// parallel. A channel that is asked for twice is one; an unused channel is dropped.
// RUN: noria opt --canonicalize --cse --licm --dce %s | FileCheck %s
// RUN: noria opt --pass-pipeline='builtin.module(func.func(for-to-parallel),inline,canonicalize,cse)' %s | FileCheck %s --check-prefix=LOOP

// CHECK-LABEL: func.func @equal(
// CHECK: flow.channel.default
// CHECK-NOT: flow.channel.default
// CHECK: flow.collective.all_reduce
// CHECK: flow.collective.all_reduce
// CHECK: flow.channel.split
// CHECK: flow.channel.split
// CHECK: flow.collective.all_gather
// CHECK: return
func.func @equal(%t: tensor<4xf32>, %i: index) -> (tensor<4xf32>, tensor<4xf32>, index) {
  %c = flow.channel.default : !flow.channel
  %d = flow.channel.default : !flow.channel
  %a = flow.collective.all_reduce sum, f32, %t, %t, %c : (tensor<4xf32>, tensor<4xf32>, !flow.channel) -> %t as tensor<4xf32>
  %b = flow.collective.all_reduce sum, f32, %t, %t, %d : (tensor<4xf32>, tensor<4xf32>, !flow.channel) -> %t as tensor<4xf32>
  %p = flow.channel.split %c, %i, %i : !flow.channel -> !flow.channel
  %q = flow.channel.split %c, %i, %i : !flow.channel -> !flow.channel
  %g = flow.collective.all_gather f32, %t, %t, %p : (tensor<4xf32>, tensor<4xf32>, !flow.channel) -> %t as tensor<4xf32>
  %r = flow.channel.rank %q : index
  return %a, %b, %r : tensor<4xf32>, tensor<4xf32>, index
}

// Groups of other names are other channels; an unused split goes.
// CHECK-LABEL: func.func @groups(
// CHECK-DAG: flow.channel.default "a"
// CHECK-DAG: flow.channel.default "b"
// CHECK-NOT: flow.channel.split
// CHECK: return
func.func @groups(%i: index) -> (!flow.channel, !flow.channel) {
  %a = flow.channel.default "a" : !flow.channel
  %b = flow.channel.default "b" : !flow.channel
  %s = flow.channel.split %a, %i, %i : !flow.channel -> !flow.channel
  return %a, %b : !flow.channel, !flow.channel
}

// CHECK-LABEL: func.func @in_loop(
// CHECK: flow.channel.default
// CHECK-NEXT: scf.for
// CHECK-NEXT: flow.collective.all_reduce
// CHECK-NEXT: flow.channel.split
// CHECK-NEXT: flow.collective.all_gather
// LOOP-LABEL: func.func @in_loop(
// LOOP-NOT: scf.parallel
// LOOP: scf.for
// LOOP: flow.collective.all_reduce
func.func @in_loop(%t: tensor<4xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %c = flow.channel.default : !flow.channel
    %a = flow.collective.all_reduce sum, f32, %t, %t, %c : (tensor<4xf32>, tensor<4xf32>, !flow.channel) -> %t as tensor<4xf32>
    %s = flow.channel.split %c, %zero, %zero : !flow.channel -> !flow.channel
    %b = flow.collective.all_gather f32, %t, %t, %s : (tensor<4xf32>, tensor<4xf32>, !flow.channel) -> %t as tensor<4xf32>
  }
  return
}

// Branches with a collective each stay branches.
// CHECK-LABEL: func.func @in_branch(
// CHECK: scf.if
// CHECK: flow.collective.all_reduce sum
// CHECK: else
// CHECK: flow.collective.all_reduce sum
func.func @in_branch(%t: tensor<4xf32>, %b: i1) -> tensor<4xf32> {
  %c = flow.channel.default : !flow.channel
  %r = scf.if %b -> (tensor<4xf32>) {
    %x = flow.collective.all_reduce sum, f32, %t, %t, %c : (tensor<4xf32>, tensor<4xf32>, !flow.channel) -> %t as tensor<4xf32>
    scf.yield %x : tensor<4xf32>
  } else {
    %x = flow.collective.all_reduce sum, f32, %t, %t, %c : (tensor<4xf32>, tensor<4xf32>, !flow.channel) -> %t as tensor<4xf32>
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
