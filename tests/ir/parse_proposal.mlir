// The text of the first proposal of values for `if`, which MLIR itself never read: function types behind ops, types of the
// `if` behind its regions, functions that do not name their results, branches without types.
// RUN: noria opt --syntax=mlir %s 2>&1 | FileCheck %s

// CHECK: warning: the function does not name its result types
// CHECK: func.func @test(%arg0: i1, %arg1: f32, %arg2: f32) -> f32
func @test(%arg0: i1, %arg1: f32, %arg2: f32) {
  // CHECK: %[[X:.*]] = scf.if %arg0 -> (f32) {
  %x = loop.if %arg0 {
    // CHECK: arith.addf %arg1, %arg2 : f32
    %x1 = addf %arg1, %arg2 : (f32, f32) -> f32
    loop.yield %x1 : f32
  } else {
    %x2 = subf %arg1, %arg2 : (f32, f32) -> f32
    loop.yield %x2 : f32
  } : (i1) -> f32
  // CHECK: return %[[X]] : f32
  return %x : () -> f32
}

// CHECK: func.func @lowered
func @lowered(%arg0: i1, %arg1: f32, %arg2: f32) -> f32 {
  cond_br %arg0, ^thenBlock, ^elseBlock
^thenBlock:
  %x1 = addf %arg1, %arg2 : f32
  // CHECK: cf.br ^bb3(%{{.*}} : f32)
  br ^continueBlock(%x1)
^elseBlock:
  %x2 = subf %arg1, %arg2 : f32
  br ^continueBlock(%x2 : f32)
^continueBlock(%x : f32):
  return %x : f32
}
