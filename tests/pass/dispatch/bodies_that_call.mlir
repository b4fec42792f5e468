// Bodies of dispatches call functions: those of scalars are copied to the executable; a region that calls one of tensors,
// which may dispatch itself, is part of the host program.
// RUN: noria opt --pass-pipeline=convert-dispatch-region-to-workgroups,outline-dispatches %s | FileCheck %s
// RUN: noria run %s --entry=scalars '[1.0, 2.0]' --check-stages | FileCheck %s --check-prefix=SCALARS
// RUN: noria run %s --entry=tensors '[1.0, 2.0]' --check-stages | FileCheck %s --check-prefix=TENSORS

// CHECK: flow.executable private @[[EX:scalars_[^ ]*]] {
// CHECK: call @twice
// CHECK: func.func private @twice
// CHECK: func.func private @next
// CHECK: func.func @scalars(
// CHECK: flow.dispatch @[[EX]]
// CHECK: func.func @tensors(
// CHECK-NOT: flow.dispatch
// CHECK: call @sum
func.func private @next(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %y = arith.addf %x, %one : f32
  return %y : f32
}
func.func private @twice(%x: f32) -> f32 {
  %y = arith.addf %x, %x : f32
  %z = func.call @next(%y) : (f32) -> f32
  return %z : f32
}
func.func private @sum(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = flow.dispatch.region -> (tensor<2xf32>) {
    %z = arith.addf %x, %x : tensor<2xf32>
    flow.return %z : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}
// SCALARS: dense<[3.000000e+00, 2.000000e+00]> : tensor<2xf32>
func.func @scalars(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %r = flow.dispatch.region -> (tensor<2xf32>) {
    %e = tensor.extract %x[%c0] : tensor<2xf32>
    %f = func.call @twice(%e) : (f32) -> f32
    %t = tensor.insert %f into %x[%c0] : tensor<2xf32>
    flow.return %t : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}
// TENSORS: dense<[4.000000e+00, 8.000000e+00]> : tensor<2xf32>
func.func @tensors(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = flow.dispatch.region -> (tensor<2xf32>) {
    %y = func.call @sum(%x) : (tensor<2xf32>) -> tensor<2xf32>
    %z = arith.addf %y, %y : tensor<2xf32>
    flow.return %z : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}
