// Functions of dialect util: printed as they are read, run as entry functions.
// RUN: noria opt %s -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: noria opt %t.once | diff - %t.once
// RUN: noria opt --generic %s | noria opt --syntax=mlir - | diff - %t.once
// RUN: noria run %s --entry=entry 5 7 | FileCheck %s --check-prefix=VALUES
// RUN: noria run --interpret %s --entry=entry 5 7 | FileCheck %s --check-prefix=VALUES
// RUN: noria run --check-stages %s --entry=entry 5 7 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: noria opt --inline --symbol-dce %s | FileCheck %s --check-prefix=INLINE
// RUN: noria opt --lower-util %s | FileCheck %s --check-prefix=LOWER
// RUN: noria opt --pass-pipeline="builtin.module(util.func(canonicalize,cse))" %s | FileCheck %s --check-prefix=NESTED

// CHECK: util.func private @ties(%arg0: i32, %arg1: tensor<4x?xi32>, %arg2: tensor<4x?xi32>) -> (%arg1, %arg2 as tensor<?x4xf32>){{$}}
util.func private @ties(%a: i32, %b: tensor<4x?xi32>, %c: tensor<4x?xi32>) -> (%b, %c as tensor<?x4xf32>)
// CHECK: util.func private @bare(%arg0: i32, %arg1: index {my.attr = 1 : i32}) -> (index, i32){{$}}
util.func private @bare(i32, index {my.attr = 1 : i32}) -> index, i32
// CHECK: util.func private @one(%arg0: tensor<?x4xf32>) -> %arg0 as tensor<4x?xi32>{{$}}
util.func private @one(%a: tensor<?x4xf32>) -> %a as tensor<4x?xi32>
// CHECK: util.func private @attrs(%arg0: tensor<4x?xi32> {arg.attr}) -> (tensor<4x?xi32> {ret.attr}) attributes {some.attr = 123 : index}{{$}}
util.func private @attrs(%a: tensor<4x?xi32> {arg.attr}) -> (tensor<4x?xi32> {ret.attr}) attributes {some.attr = 123 : index}
// CHECK: util.func private @tied_attrs(%arg0: i32, %arg1: i64) -> (%arg1 {a.b}, %arg0 as f32 {c.d}){{$}}
util.func private @tied_attrs(%a: i32, %b: i64) -> (%b {a.b}, %a as f32 {c.d})
// CHECK: util.func private @nothing(){{$}}
util.func private @nothing() -> ()

// CHECK: util.func private @sums(%arg0: tensor<4xi64>, %arg1: i64) -> (%arg0, i64) {
// INLINE-NOT: @sums
// LOWER: func.func private @sums(%arg0: tensor<4xi64>, %arg1: i64) -> (tensor<4xi64>, i64) attributes {tied_operands = [0 : index, -1 : index]} {
util.func private @sums(%t: tensor<4xi64>, %x: i64) -> (%t, i64) {
  %i = arith.constant 2 : index
  %r = tensor.insert %x into %t[%i] : tensor<4xi64>
  %y = arith.addi %x, %x : i64
  // CHECK: util.return %{{.*}}, %{{.*}} : tensor<4xi64>, i64
  util.return %r, %y : tensor<4xi64>, i64
}

// CHECK: util.func private @never(%arg0: i64) -> i64 attributes {inlining_policy = #util.inline.never} {
// LOWER: func.func private @never(%arg0: i64) -> i64 attributes {no_inline} {
util.func private @never(%x: i64) -> i64 attributes {inlining_policy = #util.inline.never} {
  // LOWER: return
  util.return %x : i64
}

// A function of blocks; the visibility that is not written is public.
// CHECK: util.func public @pick(%arg0: i64, %arg1: i64) -> i64 {
util.func @pick(%a: i64, %b: i64) -> i64 {
  %c = arith.cmpi slt, %a, %b : i64
  cf.cond_br %c, ^first, ^second
^first:
  util.return %a : i64
^second:
  util.return %b : i64
}

// entry(5, 7): the tensor [1, 2, 12, 4] and 24; the lesser of both, 5.
// CHECK: util.func public @entry(%arg0: i64, %arg1: i64) -> (tensor<4xi64>, i64, i64) {
// NESTED-LABEL: util.func public @entry
// NESTED: arith.addi
// NESTED-NOT: arith.addi
util.func public @entry(%a: i64, %b: i64) -> tensor<4xi64>, i64, i64 {
  %t = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
  %s = arith.addi %a, %b : i64
  %again = arith.addi %a, %b : i64
  // CHECK: util.call @sums(%cst, %0) {tag = 1 : i32} : (tensor<4xi64>, i64) -> (%cst, i64)
  // INLINE-NOT: util.call @sums
  // LOWER: call @sums(%cst, %0) {tag = 1 : i32, tied_operands = [0 : index, -1 : index]} : (tensor<4xi64>, i64) -> (tensor<4xi64>, i64)
  %r:2 = util.call @sums(%t, %s) {tag = 1 : i32} : (tensor<4xi64>, i64) -> (%t, i64)
  // INLINE: util.call @never
  %n = util.call @never(%a) : (i64) -> i64
  %p = util.call @pick(%n, %b) : (i64, i64) -> i64
  util.return %r#0, %r#1, %p : tensor<4xi64>, i64, i64
}
// VALUES: dense<[1, 2, 12, 4]> : tensor<4xi64>
// VALUES-NEXT: 24 : i64
// VALUES-NEXT: 5 : i64
// SAME: all 9 outcomes are that of 'import'
