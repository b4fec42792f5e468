// RUN: noria opt --sccp --canonicalize %s | FileCheck %s --check-prefix=SCCP
// RUN: noria opt --scalarize %s | FileCheck %s --check-prefix=SCALAR
// RUN: sed '/^func.func @outlined/,$d' %s > %t.mlir
// RUN: mlir-opt --sccp --canonicalize %t.mlir | FileCheck %s --check-prefix=SCCP

// Passes that follow values through regions know all ops whose definitions say how control goes, of any dialect.

// SCCP-LABEL: @affine_if(
// SCCP: %[[C:.*]] = arith.constant 3 : index
// SCCP-NEXT: return %[[C]]
func.func @affine_if(%n: index) -> index {
  %c3 = arith.constant 3 : index
  %0 = affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%n) -> index {
    affine.yield %c3 : index
  } else {
    %c4 = arith.constant 4 : index
    %c1 = arith.constant 1 : index
    %d = arith.subi %c4, %c1 : index
    affine.yield %d : index
  }
  return %0 : index
}

// SCCP-LABEL: @affine_for(
// SCCP: %[[C:.*]] = arith.constant 1 : i32
// SCCP-NEXT: return %[[C]]
func.func @affine_for(%n: index) -> i32 {
  %c1 = arith.constant 1 : i32
  %0 = affine.for %i = 0 to %n iter_args(%a = %c1) -> (i32) {
    %b = arith.muli %a, %a : i32
    affine.yield %b : i32
  }
  return %0 : i32
}

// The induction variable is no carried value.
// SCCP-LABEL: @affine_iv(
// SCCP: affine.for %[[I:.*]] = 0
// SCCP: arith.addi %{{.*}}, %[[I]]
func.func @affine_iv(%n: index) -> index {
  %c1 = arith.constant 1 : index
  %0 = affine.for %i = 0 to %n iter_args(%a = %c1) -> (index) {
    %b = arith.addi %a, %i : index
    affine.yield %b : index
  }
  return %0 : index
}

// SCCP-LABEL: @chosen_case(
// SCCP: %[[C:.*]] = arith.constant 2 : i32
// SCCP-NEXT: return %[[C]]
func.func @chosen_case() -> i32 {
  %i = arith.constant 7 : index
  %x = arith.constant 1 : i32
  %y = arith.constant 2 : i32
  %z = arith.constant 3 : i32
  %0 = scf.index_switch %i -> i32
  case 1 { scf.yield %x : i32 }
  case 7 { scf.yield %y : i32 }
  default { scf.yield %z : i32 }
  return %0 : i32
}

// A small tensor that a switch or a region of several blocks gives is a scalar, as one of scf.if is.
// SCALAR-LABEL: @switch(
// SCALAR: %[[R:.*]] = scf.index_switch %{{.*}} -> f32
// SCALAR: %[[E:.*]] = scf.execute_region -> f32
// SCALAR: scf.yield %[[R]] : f32
// SCALAR: tensor.from_elements %[[E]]
func.func @switch(%i: index, %k: i1) -> tensor<f32> {
  %c = arith.constant dense<1.0> : tensor<f32>
  %0 = scf.index_switch %i -> tensor<f32>
  case 1 {
    %d = arith.addf %c, %c : tensor<f32>
    scf.yield %d : tensor<f32>
  }
  default {
    scf.yield %c : tensor<f32>
  }
  %1 = scf.execute_region -> tensor<f32> {
    cf.cond_br %k, ^a, ^b
  ^a:
    scf.yield %0 : tensor<f32>
  ^b:
    scf.yield %c : tensor<f32>
  }
  return %1 : tensor<f32>
}

// A dispatch gives tensors with their dims beside them: it stays as it is.
// SCALAR-LABEL: @outlined(
// SCALAR: flow.dispatch.region -> (tensor<f32>)
func.func @outlined(%t: tensor<f32>) -> tensor<f32> {
  %r = flow.dispatch.region -> (tensor<f32>) {
    flow.return %t : tensor<f32>
  }
  return %r : tensor<f32>
}
