// What passes that handle whiles do with them, where their own tests have none. docs/while.md has the table of all.

// Checks are in the loop, in front of what they check: what does not run is not checked.
// RUN: noria opt --insert-ub-checks %s | FileCheck %s --check-prefix=UB
// UB-LABEL: func.func @gcd
// UB: scf.while
// UB: scf.condition
// UB: ^bb0
// UB: rt.check %{{.*}}, "{{.*}}division by zero"
// UB-NEXT: arith.remui
func.func @gcd(%n: i64, %m: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %r:2 = scf.while (%a = %n, %b = %m) : (i64, i64) -> (i64, i64) {
    %left = arith.cmpi ne, %b, %zero : i64
    scf.condition(%left) %a, %b : i64, i64
  } do {
  ^bb0(%a: i64, %b: i64):
    %rest = arith.remui %a, %b : i64
    scf.yield %b, %rest : i64, i64
  }
  return %r#0 : i64
}

// Each access is checked in the trip that makes it.
// RUN: noria opt --check-bounds %s | FileCheck %s --check-prefix=BOUNDS
// BOUNDS-LABEL: func.func @pairs
// BOUNDS: scf.while
// BOUNDS: scf.condition
// BOUNDS: ^bb0(%[[I:.*]]: index, %
// BOUNDS: rt.check %{{.*}}, "'memref.load' {{.*}}"(%[[I]],
// BOUNDS-NEXT: memref.load %{{.*}}[%[[I]]]
// BOUNDS: %[[J:.*]] = arith.addi %[[I]]
// BOUNDS: rt.check %{{.*}}, "'memref.load' {{.*}}"(%[[J]],
// BOUNDS-NEXT: memref.load %{{.*}}[%[[J]]]
func.func @pairs(%list: memref<?xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %n = memref.dim %list, %c0 : memref<?xi64>
  %r:2 = scf.while (%i = %c0, %sum = %zero) : (index, i64) -> (index, i64) {
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i, %sum : index, i64
  } do {
  ^bb0(%i: index, %sum: i64):
    %a = memref.load %list[%i] : memref<?xi64>
    %j = arith.addi %i, %c1 : index
    %b = memref.load %list[%j] : memref<?xi64>
    %d = arith.subi %b, %a : i64
    %sum1 = arith.addi %sum, %d : i64
    scf.yield %j, %sum1 : index, i64
  }
  return %r#1 : i64
}

// Claims of tensor ops need no check where the condition of the loop proves them.
// RUN: noria opt --check-claims --verify-claims --canonicalize %s | FileCheck %s --check-prefix=CLAIMS
// CLAIMS-LABEL: func.func @first_zero
// CLAIMS: scf.while
// CLAIMS-NOT: rt.check
// CLAIMS: tensor.extract
// CLAIMS: scf.condition
// CLAIMS-LABEL: func.func @calls
func.func @first_zero(%t: tensor<?xi64>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %false = arith.constant false
  %n = tensor.dim %t, %c0 : tensor<?xi64>
  %r = scf.while (%i = %c0) : (index) -> index {
    %inside = arith.cmpi ult, %i, %n : index
    %more = scf.if %inside -> (i1) {
      %e = tensor.extract %t[%i] : tensor<?xi64>
      %other = arith.cmpi ne, %e, %zero : i64
      scf.yield %other : i1
    } else {
      scf.yield %false : i1
    }
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  return %r : index
}

// Calls in a loop, and calls of functions with loops, become the loops themselves.
// RUN: noria opt --inline %s | FileCheck %s --check-prefix=INLINE
// INLINE-LABEL: func.func @calls
// INLINE: scf.while
// INLINE: } do {
// INLINE: scf.while
// INLINE: arith.remui
// INLINE-NOT: call @gcd
func.func @calls(%n: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %six = arith.constant 6 : i64
  %r:2 = scf.while (%i = %zero, %sum = %zero) : (i64, i64) -> (i64, i64) {
    %more = arith.cmpi ult, %i, %n : i64
    scf.condition(%more) %i, %sum : i64, i64
  } do {
  ^bb0(%i: i64, %sum: i64):
    %g = func.call @gcd(%i, %six) : (i64, i64) -> i64
    %sum1 = arith.addi %sum, %g : i64
    %i1 = arith.addi %i, %one : i64
    scf.yield %i1, %sum1 : i64, i64
  }
  return %r#1 : i64
}
// RUN: noria run %s --entry=calls --check-stages 7 | FileCheck %s --check-prefix=SUM
// SUM: 21 : i64
// RUN: not noria run %s --entry=pairs --interpret '[1, 2]' 2>&1 | FileCheck %s --check-prefix=BEHIND
// RUN: not noria run %s --entry=pairs --check-bounds '[1, 2]' 2>&1 | FileCheck %s --check-prefix=BEHIND
// BEHIND: passes.mlir:{{[0-9]+}}:10: {{.*}}index

// A model's loop whose condition is computed in it becomes a while.
// RUN: noria opt --lower-onnx %s | FileCheck %s --check-prefix=ONNX
// ONNX-LABEL: func.func @steps
// ONNX: scf.while
// ONNX: scf.condition
// ONNX-NOT: onnx.
func.func @steps(%most: tensor<i64>, %x: tensor<f32>, %limit: tensor<f32>) -> none {
  %0 = "onnx.Constant"() {noria.opset = 13, value = dense<true> : tensor<i1>} : () -> none
  %1 = "onnx.Loop"(%most, %0, %x) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %v: tensor<f32>):
    %2 = "onnx.Add"(%v, %v) {noria.opset = 14} : (tensor<f32>, tensor<f32>) -> none
    %3 = "onnx.Less"(%2, %limit) {noria.opset = 13} : (none, tensor<f32>) -> none
    "onnx.Yield"(%3, %2) : (none, none) -> ()
  }) {noria.opset = 16} : (tensor<i64>, none, tensor<f32>) -> none
  "onnx.Yield"(%1) : (none) -> ()
}
