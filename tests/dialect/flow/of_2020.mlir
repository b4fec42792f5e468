// Flow as it was in 2020: variables, closures with captures, entries, and calls without dims.
// RUN: noria opt --syntax=mlir %s -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: noria opt --syntax=mlir %t.once | diff - %t.once
// RUN: noria opt %s -o %t.old
// RUN: noria opt --syntax=mlir %t.old | diff - %t.once
// RUN: noria opt --canonicalize --syntax=mlir %s | FileCheck %s --check-prefix=FOLD
// RUN: noria run %s --entry=main "dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>" | FileCheck %s --check-prefix=VALUES
// RUN: noria run --interpret %s --entry=main "dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>" | FileCheck %s --check-prefix=VALUES
// RUN: noria run --check-stages %s --entry=main "dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>" 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: noria run %s --entry=dispatches "dense<[1.0, 2.0]> : tensor<2xf32>" | FileCheck %s --check-prefix=TWICE
// RUN: noria run --interpret %s --entry=dispatches "dense<[1.0, 2.0]> : tensor<2xf32>" | FileCheck %s --check-prefix=TWICE

// CHECK: util.global public mutable @v : tensor<i32>{{$}}
flow.variable @v mutable : tensor<i32>
// CHECK-NEXT: util.global public @w = dense<4> : tensor<4xi32>{{$}}
flow.variable @w dense<4> : tensor<4xi32>
// CHECK-NEXT: util.global public @x {initializer = @begin} : tensor<4xf32>{{$}}
flow.variable @x init(@begin) : tensor<4xf32>
// CHECK-NEXT: util.global public mutable @y {some.attr} : f32{{$}}
flow.variable @y mutable : f32 attributes {some.attr}
func @begin() -> tensor<4xf32> {
  %c = constant dense<[10.0, 20.0, 30.0, 40.0]> : tensor<4xf32>
  return %c : tensor<4xf32>
}

// CHECK-LABEL: func.func @main
// main([1, 2, 3, 4]): twice that; and the value of @x, [10, 20, 30, 40], plus it.
func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {iree.module.export} {
  %w = constant 4 : index
  // CHECK: %[[R:.*]] = flow.ex.dispatch.region[%{{.*}} : index](%[[I:[a-z0-9]*]] = %arg0 : tensor<4xf32>, %[[J:[a-z0-9]*]] = %arg0 : tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: arith.addf %[[I]], %[[J]] : tensor<4xf32>
  // FOLD: flow.ex.dispatch.region[%c4 : index](%{{.*}} = %arg0 : tensor<4xf32>) -> tensor<4xf32> {
  %r = flow.dispatch.region[%w : index](%i = %a : tensor<4xf32>, %j = %a : tensor<4xf32>) -> (tensor<4xf32>) {
    %s = addf %i, %j : tensor<4xf32>
    flow.return %s : tensor<4xf32>
  }
  // CHECK: util.global.load @x : tensor<4xf32>
  %x = flow.variable.load @x : tensor<4xf32>
  // CHECK: flow.ex.stream.fragment(%{{.*}} = %{{.*}} : index, %{{.*}} = %arg0 : tensor<4xf32>, %{{.*}} = %{{.*}} : tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // FOLD: flow.ex.stream.fragment(%{{.*}} = %arg0 : tensor<4xf32>, %{{.*}} = %{{.*}} : tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %t:2 = flow.ex.stream.fragment(%k = %w : index, %l = %a : tensor<4xf32>, %m = %x : tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %s = addf %l, %m : tensor<4xf32>
    flow.return %l, %s : tensor<4xf32>, tensor<4xf32>
  }
  return %r, %t#1 : tensor<4xf32>, tensor<4xf32>
}
// VALUES: dense<[2.000000e+00, 4.000000e+00, 6.000000e+00, 8.000000e+00]> : tensor<4xf32>
// VALUES-NEXT: dense<[1.100000e+01, 2.200000e+01, 3.300000e+01, 4.400000e+01]> : tensor<4xf32>
// SAME: all 9 outcomes are that of 'import'

// CHECK-LABEL: flow.executable public @ex {
flow.executable @ex {
  // CHECK-NEXT: flow.executable.export public @f as("alias"){{$}}
  flow.dispatch.entry @f as("alias")
  // CHECK-NEXT: flow.executable.export public @f attributes {workload = 4 : index}
  flow.dispatch.entry @f attributes {workload = 4 : index}
  module {
    // CHECK: func.func @f(%arg0: !flow.dispatch.tensor<readonly:tensor<2xf32>>, %arg1: !flow.dispatch.tensor<writeonly:tensor<2xf32>>)
    func @f(%a: !flow.dispatch.input<2xf32>, %b: !flow.dispatch.output<2xf32>) {
      %v = flow.dispatch.tensor.load %a, offsets = [0], sizes = [2], strides = [1] : !flow.dispatch.input<2xf32> -> tensor<2xf32>
      %r = addf %v, %v : tensor<2xf32>
      flow.dispatch.tensor.store %r, %b, offsets = [0], sizes = [2], strides = [1] : tensor<2xf32> -> !flow.dispatch.output<2xf32>
      return
    }
  }
}
func @dispatches(%a: tensor<2xf32>) -> tensor<2xf32> {
  %w = constant 2 : index
  // CHECK: flow.dispatch @ex::@f[%{{.*}}](%arg0) : (tensor<2xf32>) -> tensor<2xf32>
  %r = flow.dispatch @ex::@f[%w : index](%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
// TWICE: dense<[2.000000e+00, 4.000000e+00]> : tensor<2xf32>

// CHECK-LABEL: func.func @pointers
func @pointers(%p: !iree.ptr<tensor<4xf32>>) -> tensor<i32> {
  // CHECK: util.global.address @v : !util.ptr<tensor<i32>>
  %q = flow.variable.address @v : !iree.ptr<tensor<i32>>
  // CHECK: util.global.load.indirect %{{.*}} : !util.ptr<tensor<i32>> -> tensor<i32>
  %a = flow.variable.load.indirect %q : !iree.ptr<tensor<i32>> -> tensor<i32>
  // CHECK: util.global.store.indirect %{{.*}}, %{{.*}} : tensor<i32> -> !util.ptr<tensor<i32>>
  flow.variable.store.indirect %a, %q : tensor<i32> -> !iree.ptr<tensor<i32>>
  // CHECK: util.global.store %{{.*}}, @v : tensor<i32>
  flow.variable.store %a, @v : tensor<i32>
  // CHECK: util.optimization_barrier %{{.*}} : tensor<i32>
  %b = iree.do_not_optimize(%a) : tensor<i32>
  return %b : tensor<i32>
}
