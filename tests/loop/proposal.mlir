// The examples of the first proposal of values for `if`, as written: types as function types behind the ops, those of
// the `if` behind its regions, functions that do not name their results; and the blocks that the proposal shows for
// Example 1, which have hardly any types. No MLIR ever read this text. Each form gets a warning with the accepted one.
// RUN: noria opt %s -o %t.old 2>%t.warnings
// RUN: FileCheck %s --input-file=%t.warnings --check-prefix=WARN
// RUN: FileCheck %s --input-file=%t.old --check-prefix=OLD
// RUN: noria opt --syntax=mlir %s -o %t.new 2>%t.again && FileCheck %s --input-file=%t.new
// RUN: mlir-opt %t.new -o %t.oracle
// What is printed is accepted without a warning.
// RUN: noria opt --syntax=2020 %t.new 2>&1 | diff - %t.old
// RUN: noria opt --syntax=mlir %t.old 2>&1 | diff - %t.new

// 2.5 + 4 and 2.5 - 4.
// RUN: noria run %s --entry=test true 2.5 4 --check-stages 2>&1 | FileCheck %s --check-prefix=SUM
// RUN: noria run %s --entry=test false 2.5 4 --check-stages 2>&1 | FileCheck %s --check-prefix=DIFFERENCE
// RUN: noria run %s --entry=test2 1 2.5 4 --check-stages 2>&1 | FileCheck %s --check-prefix=SUM
// RUN: noria run %s --entry=test2 0 2.5 4 --check-stages 2>&1 | FileCheck %s --check-prefix=DIFFERENCE
// RUN: noria run %s --entry=lowered true 2.5 4 --check-stages 2>&1 | FileCheck %s --check-prefix=SUM
// RUN: noria run %s --entry=lowered false 2.5 4 --check-stages 2>&1 | FileCheck %s --check-prefix=DIFFERENCE
// What is run is warned of too, once, and not among the results.
// RUN: noria run %s --entry=test true 2.5 4 2>%t.run | FileCheck %s --check-prefix=SUM
// RUN: diff %t.run %t.warnings
// SUM: {{^}}6.500000e+00 : f32{{$}}
// DIFFERENCE: {{^}}-1.500000e+00 : f32{{$}}

// Example 1 lowers to exactly the blocks that the proposal shows: the third function, but for names.
// RUN: noria opt --convert-scf-to-cf %s 2>%t.again | FileCheck %s --check-prefix=BLOCKS

// WARN-NOT: warning
// WARN: :[[@LINE+9]]:7: warning: only the first proposal had this form; the accepted one is 'addf %arg1, %arg2 : f32'
// WARN: :[[@LINE+11]]:7: warning: only the first proposal had this form; the accepted one is 'subf %arg1, %arg2 : f32'
// WARN: :[[@LINE+6]]:6: warning: {{.*}} the accepted one is 'loop.if %arg0 -> (f32) {'
// WARN: :[[@LINE+12]]:1: warning: {{.*}} the accepted one is 'return %x : f32'
// WARN: :[[@LINE+3]]:1: warning: {{.*}} the accepted one is 'func @test(%arg0: i1, %arg1: f32, %arg2: f32) -> f32'
// OLD-LABEL: func @test(%arg0: i1, %arg1: f32, %arg2: f32) -> f32 {
// CHECK-LABEL: func.func @test(%arg0: i1, %arg1: f32, %arg2: f32) -> f32 {
func @test(%arg0: i1, %arg1: f32, %arg2: f32) {
%x = loop.if %arg0 {
%x1 = addf %arg1, %arg2 : (f32, f32) -> f32
loop.yield %x1 : f32
} else {
%x2 = subf %arg1, %arg2 : (f32, f32) -> f32
loop.yield %x2 : f32
} : (i1) -> f32
return %x : () -> f32
}
// CHECK-NEXT: %[[X:.*]] = scf.if %arg0 -> (f32) {
// CHECK-NEXT: %[[A:.*]] = arith.addf %arg1, %arg2 : f32
// CHECK-NEXT: scf.yield %[[A]] : f32
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[B:.*]] = arith.subf %arg1, %arg2 : f32
// CHECK-NEXT: scf.yield %[[B]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: return %[[X]] : f32
// OLD-NEXT: %[[X:.*]] = loop.if %arg0 -> (f32) {
// OLD-NEXT: %[[A:.*]] = addf %arg1, %arg2 : f32
// OLD-NEXT: loop.yield %[[A]] : f32
// OLD: return %[[X]] : f32

// BLOCKS-LABEL: func @test
// BLOCKS-NEXT: cond_br %arg0, ^bb1, ^bb2
// BLOCKS-NEXT: ^bb1: // pred: ^bb0
// BLOCKS-NEXT: %[[X1:.*]] = addf %arg1, %arg2 : f32
// BLOCKS-NEXT: br ^bb3(%[[X1]] : f32)
// BLOCKS-NEXT: ^bb2: // pred: ^bb0
// BLOCKS-NEXT: %[[X2:.*]] = subf %arg1, %arg2 : f32
// BLOCKS-NEXT: br ^bb3(%[[X2]] : f32)
// BLOCKS-NEXT: ^bb3(%[[X:.*]]: f32): // 2 preds: ^bb1, ^bb2
// BLOCKS-NEXT: return %[[X]] : f32
// BLOCKS-NEXT: }

// Example 2: the value from outside goes to the block behind the `if` as it is.
// BLOCKS-LABEL: func @test2
// BLOCKS-NEXT: %[[D:.*]] = subf %arg1, %arg2 : f32
// BLOCKS-NEXT: cond_br %arg0, ^bb1, ^bb2
// BLOCKS-NEXT: ^bb1: // pred: ^bb0
// BLOCKS-NEXT: %[[X1:.*]] = addf %arg1, %arg2 : f32
// BLOCKS-NEXT: br ^bb3(%[[X1]] : f32)
// BLOCKS-NEXT: ^bb2: // pred: ^bb0
// BLOCKS-NEXT: br ^bb3(%[[D]] : f32)
// BLOCKS-NEXT: ^bb3(%[[X:.*]]: f32): // 2 preds: ^bb1, ^bb2
// BLOCKS-NEXT: return %[[X]] : f32
// BLOCKS-NEXT: }
// WARN-COUNT-5: warning: only the first proposal had this form
func @test2(%arg0: i1, %arg1: f32, %arg2: f32) {
%x_default = subf %arg1, %arg2 : (f32, f32) -> f32
%x = loop.if %arg0 {
%x1 = addf %arg1, %arg2 : (f32, f32) -> f32
loop.yield %x1 : f32
} else {
// yield default value
loop.yield %x_default : f32
} : (i1) -> f32
return %x : () -> f32
}

// WARN: :7: warning: {{.*}} the accepted one is 'addf %arg1, %arg2 : f32'
// WARN: :1: warning: {{.*}} the accepted one is 'br ^continueBlock(%x1 : f32)'
// WARN: :7: warning: {{.*}} the accepted one is 'subf %arg1, %arg2 : f32'
// WARN: :1: warning: {{.*}} the accepted one is 'br ^continueBlock(%x2 : f32)'
// WARN: :16: warning: {{.*}} the accepted one is '%x: f32'
// WARN: :1: warning: {{.*}} the accepted one is 'return %x : f32'
// WARN: :1: warning: {{.*}} the accepted one is 'func @lowered(%arg0: i1, %arg1: f32, %arg2: f32) -> f32'
// WARN-NOT: warning
// CHECK-LABEL: func.func @lowered(%arg0: i1, %arg1: f32, %arg2: f32) -> f32
// CHECK: cf.br ^bb3(%{{.*}} : f32)
// CHECK: ^bb3(%[[X:.*]]: f32):
// CHECK-NEXT: return %[[X]] : f32
// BLOCKS-LABEL: func @lowered
// BLOCKS-NEXT: cond_br %arg0, ^bb1, ^bb2
// BLOCKS-NEXT: ^bb1: // pred: ^bb0
// BLOCKS-NEXT: %[[X1:.*]] = addf %arg1, %arg2 : f32
// BLOCKS-NEXT: br ^bb3(%[[X1]] : f32)
// BLOCKS-NEXT: ^bb2: // pred: ^bb0
// BLOCKS-NEXT: %[[X2:.*]] = subf %arg1, %arg2 : f32
// BLOCKS-NEXT: br ^bb3(%[[X2]] : f32)
// BLOCKS-NEXT: ^bb3(%[[X:.*]]: f32): // 2 preds: ^bb1, ^bb2
// BLOCKS-NEXT: return %[[X]] : f32
func @lowered(%arg0: i1, %arg1: f32, %arg2: f32) {
cond_br %arg0, ^thenBlock, ^elseBlock
^thenBlock:
%x1 = addf %arg1, %arg2
br ^continueBlock(%x1)
^elseBlock:
%x2 = subf %arg1, %arg2
br ^continueBlock(%x2)
^continueBlock(%x):
return %x
}

// Forms that the proposal would have had for other ops.
// WARN: warning: {{.*}} 'cmpf "olt", %x, %y : f32'
// WARN: warning: {{.*}} 'select %c, %x, %y : f32'
// WARN: warning: {{.*}} 'fpext %s : f32 to f64'
// WARN: warning: {{.*}} 'exp %w : f64'
// WARN: warning: {{.*}} 'return %e, %c : f64, i1'
// WARN: warning: {{.*}} 'func @others(%x: f32, %y: f32) -> (f64, i1)'
// CHECK-LABEL: func.func @others(%arg0: f32, %arg1: f32) -> (f64, i1)
func @others(%x: f32, %y: f32) {
  %c = cmpf "olt", %x, %y : (f32, f32) -> i1
  %s = select %c, %x, %y : (i1, f32, f32) -> f32
  %w = fpext %s : (f32) -> f64
  %e = exp %w : (f64) -> f64
  return %e, %c : () -> (f64, i1)
}
