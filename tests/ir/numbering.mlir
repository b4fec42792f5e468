// Numbers of values and blocks, names of constants, comments on predecessors: all as MLIR's printer has them.
// RUN: noria opt --syntax=mlir %s | FileCheck %s
// RUN: noria opt --syntax=mlir %s -o %t.ours
// RUN: mlir-opt %s -o %t.theirs
// RUN: echo >> %t.ours
// RUN: diff %t.ours %t.theirs

// CHECK-LABEL: func.func @loops(%arg0: index, %arg1: memref<?xf32>) -> f32
// CHECK: %cst_0 = arith.constant 1.000000e+00 : f32
// CHECK: %c1_2 = arith.constant 1 : index
// CHECK-NEXT: %4 = arith.addf %1, %arg3 : f32
// CHECK: } else {
// CHECK-NEXT: %c1_2 = arith.constant 1 : index
// CHECK-LABEL: func.func @cfg
// CHECK: ^bb1:  // pred: ^bb0
// CHECK: ^bb2(%2: i32):  // 2 preds: ^bb0, ^bb1
// CHECK: ^bb3:  // no predecessors
// CHECK: ^bb4(%4: i32):  // 3 preds: ^bb2, ^bb2, ^bb3

func.func @loops(%n: index, %m: memref<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %also = arith.constant 1.0 : f32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (f32) {
    %c0_2 = arith.constant 0 : index
    %t = memref.load %m[%i] : memref<?xf32>
    %p = arith.cmpf ugt, %t, %acc : f32
    %r = scf.if %p -> (f32) {
      %c1_x = arith.constant 1 : index
      %u = arith.addf %t, %acc : f32
      scf.yield %u : f32
    } else {
      %c1_x = arith.constant 1 : index
      %u = arith.mulf %t, %acc : f32
      %v = arith.mulf %u, %acc : f32
      scf.yield %v : f32
    }
    scf.yield %r : f32
  }
  return %s : f32
}
func.func @cfg(%a: i1, %b: i32) -> i32 {
  %0 = arith.addi %b, %b : i32
  cf.cond_br %a, ^one(%b : i32), ^two
^two:
  %1 = arith.addi %0, %b : i32
  cf.br ^one(%1 : i32)
^one(%x: i32):
  %t = arith.constant true
  %c = arith.constant -7 : i8
  %2:2 = call @two(%x) : (i32) -> (i32, i32)
  cf.cond_br %a, ^four(%2#1 : i32), ^four(%2#0 : i32)
^dead:
  cf.br ^four(%0 : i32)
^four(%y: i32):
  return %y : i32
}
func.func private @two(i32) -> (i32, i32)

// Names are not given again in a function, though it does not see the module's values.
// CHECK: module @values {
// CHECK-NEXT: %c1_i32 = arith.constant 1 : i32
// CHECK-NEXT: func.func @inside
// CHECK-NEXT: %c1_i32_0 = arith.constant 1 : i32
module @values {
  %a = arith.constant 1 : i32
  func.func @inside() -> i32 {
    %b = arith.constant 1 : i32
    return %b : i32
  }
}
