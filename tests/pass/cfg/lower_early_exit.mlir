// RUN: noria opt --pass-pipeline=lower-early-exit %s | FileCheck %s

// What is left by a break becomes blocks inside of one region; all around stays structured.
// CHECK-LABEL: func.func @divisor(
// CHECK-SAME: %[[N:.*]]: i64, %[[TWICE:.*]]: i1) -> i64
// CHECK: scf.if %[[TWICE]]
// CHECK: %[[R:.*]] = scf.execute_region -> i64 {
// CHECK: cf.br ^[[HEAD:bb[0-9]+]](%{{.*}} : i64)
// CHECK: ^[[HEAD]](%[[I:.*]]: i64):
// CHECK: %[[DONE:.*]] = arith.cmpi eq
// CHECK: cf.cond_br %[[DONE]], ^[[LEAVE:bb[0-9]+]], ^[[ON:bb[0-9]+]]
// CHECK: ^[[LEAVE]]:
// CHECK-NEXT: cf.br ^[[END:bb[0-9]+]](%[[I]] : i64)
// CHECK: ^[[ON]]:
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[I]]
// CHECK-NEXT: cf.br ^[[HEAD]](%[[NEXT]] : i64)
// CHECK: ^[[END]](%[[FOUND:.*]]: i64):
// CHECK-NEXT: scf.yield %[[FOUND]] : i64
// CHECK: scf.yield %[[R]] : i64
// CHECK-NOT: scf.loop
func.func @divisor(%n: i64, %search: i1) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %r = scf.if %search -> i64 {
    %found = scf.loop token(%l) iter_args(%i = %two) : i64 -> i64 {
      %rest = arith.remsi %n, %i : i64
      %divides = arith.cmpi eq, %rest, %zero : i64
      scf.if %divides {
        scf.break [%l] %i : i64
      }
      %next = arith.addi %i, %one : i64
      scf.continue [%l] %next : i64
    }
    scf.yield %found : i64
  } else {
    scf.yield %n : i64
  }
  return %r : i64
}

// A loop with tensors, whose regions must stay of one block, becomes an scf.while.
// CHECK-LABEL: func.func @halved(
// CHECK-NOT: scf.loop
// CHECK: scf.while
// CHECK-NOT: cf.br
func.func @halved(%t: tensor<f32>, %limit: f32) -> tensor<f32> {
  %half = arith.constant 0.5 : f32
  %r = scf.loop token(%l) iter_args(%a = %t) : tensor<f32> -> tensor<f32> {
    %v = tensor.extract %a[] : tensor<f32>
    %small = arith.cmpf olt, %v, %limit : f32
    scf.if %small {
      scf.break [%l] %a : tensor<f32>
    }
    %w = arith.mulf %v, %half : f32
    %b = tensor.from_elements %w : tensor<f32>
    scf.continue [%l] %b : tensor<f32>
  }
  return %r : tensor<f32>
}
