// Globals: their text, their rewrites, and their values, which outlive a run.
// RUN: noria opt %s -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: noria opt %t.once | diff - %t.once
// RUN: noria opt --generic %s | noria opt --syntax=mlir - | diff - %t.once
// RUN: noria opt --canonicalize %s | FileCheck %s --check-prefix=FOLD
// RUN: noria opt --lower-util --symbol-dce %s | FileCheck %s --check-prefix=LOWER
// RUN: noria run %s --entry=order 5 | FileCheck %s --check-prefix=ORDER
// RUN: noria run --interpret %s --entry=order 5 | FileCheck %s --check-prefix=ORDER
// RUN: noria run --check-stages %s --entry=order 5 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: noria run %s --entry=scalars | FileCheck %s --check-prefix=SCALARS
// RUN: noria run --interpret %s --entry=scalars | FileCheck %s --check-prefix=SCALARS
// RUN: noria run %s --entry=pointers | FileCheck %s --check-prefix=POINTERS
// RUN: noria run --interpret %s --entry=pointers | FileCheck %s --check-prefix=POINTERS

// CHECK: util.global public @plain : tensor<i32>{{$}}
util.global @plain : tensor<i32>
// CHECK-NEXT: util.global private mutable @t = dense<[1, 2, 3, 4]> : tensor<4xi64>{{$}}
// LOWER: memref.global "private" @t : memref<4xi64> = dense<[1, 2, 3, 4]>
util.global private mutable @t : tensor<4xi64> = dense<[1, 2, 3, 4]> : tensor<4xi64>
// CHECK-NEXT: util.global private @four = 4 : i32{{$}}
util.global private @four = 4 : i32
// CHECK-NEXT: util.global private @shape : tensor<4xf32> = dense<4> : tensor<4xi32>{{$}}
util.global private @shape : tensor<4xf32> = dense<4> : tensor<4xi32>
// CHECK-NEXT: util.global private @keep {inlining_policy = #util.inline.never} = dense<1.000000e+00> : tensor<8xf32>{{$}}
util.global private @keep {inlining_policy = #util.inline.never} = dense<1.0> : tensor<8xf32>
// CHECK-NEXT: util.global private @place {stream.affinity = #hal.device.affinity<@dev>} : tensor<f32>{{$}}
util.global private @place {stream.affinity = #hal.device.affinity<@dev>} : tensor<f32>
// CHECK-NEXT: util.global private @dev : !hal.device{{$}}
util.global private @dev : !hal.device
util.global private mutable @count = 40 : i64
util.global private mutable @ratio : f32
util.global private mutable @size : index

// FOLD-NOT: util.initializer attributes
// CHECK: util.initializer attributes {foo} {
util.initializer attributes {foo} {
  util.return
}
// The second sees what the first has stored: 40 + 2, then twice that. Calls are private functions.
// LOWER: func.func private @initializer_1() {
util.initializer {
  %c = util.global.load @count : i64
  %two = arith.constant 2 : i64
  %r = arith.addi %c, %two : i64
  util.global.store %r, @count : i64
  util.return
}
util.func private @double(%x: i64) -> i64 {
  %r = arith.addi %x, %x : i64
  util.return %r : i64
}
// LOWER: func.func private @initializer_2() {
util.initializer {
  %c = util.global.load @count : i64
  %zero = arith.constant 0 : i64
  %some = arith.cmpi ne, %c, %zero : i64
  cf.cond_br %some, ^twice, ^end
^twice:
  %r = util.call @double(%c) : (i64) -> i64
  util.global.store %r, @count : i64
  cf.br ^end
^end:
  util.return
}

// A load has the value from before a later store; @t is [1, 5, 3, 4] then, and was [1, 2, 3, 4].
// LOWER: func.func public @order
// LOWER: %[[FIRST:.*]] = rt.call "initialize_begin"() : () -> i1
// LOWER: scf.if %[[FIRST]] {
// LOWER-NEXT: call @initializer_0() : () -> ()
// LOWER-NEXT: call @initializer_1() : () -> ()
// LOWER-NEXT: call @initializer_2() : () -> ()
// LOWER-NEXT: rt.call "initialize_end"() : () -> ()
// LOWER: %[[M:.*]] = memref.get_global @t : memref<4xi64>
// LOWER: bufferization.to_tensor %[[M]]
// LOWER: bufferization.materialize_in_destination %{{.*}} in writable %
util.func public @order(%x: i64) -> (tensor<4xi64>, tensor<4xi64>, i64) {
  %i = arith.constant 1 : index
  // CHECK: %[[OLD:.*]] = util.global.load @t : tensor<4xi64>
  %old = util.global.load @t : tensor<4xi64>
  %new = tensor.insert %x into %old[%i] : tensor<4xi64>
  // CHECK: util.global.store %{{.*}}, @t : tensor<4xi64>
  util.global.store %new, @t : tensor<4xi64>
  %again = util.global.load @t : tensor<4xi64>
  %c = util.global.load @count : i64
  util.return %old, %again, %c : tensor<4xi64>, tensor<4xi64>, i64
}
// ORDER: dense<[1, 2, 3, 4]> : tensor<4xi64>
// ORDER-NEXT: dense<[1, 5, 3, 4]> : tensor<4xi64>
// ORDER-NEXT: 84 : i64
// SAME: all 9 outcomes are that of 'import'

// What nothing initializes begins as zero. A load of a constant may have a less static type.
util.func public @scalars() -> (i32, f32, index, tensor<8xf32>, tensor<?xf32>) {
  // CHECK: util.global.load immutable @four {tag} : i32
  %f = util.global.load immutable @four {tag} : i32
  %r = util.global.load @ratio : f32
  %s = util.global.load @size : index
  %k = util.global.load @keep : tensor<8xf32>
  %d = util.global.load @keep : tensor<?xf32>
  util.return %f, %r, %s, %k, %d : i32, f32, index, tensor<8xf32>, tensor<?xf32>
}
// SCALARS: 4 : i32
// SCALARS-NEXT: 0.000000e+00 : f32
// SCALARS-NEXT: 0 : index
// SCALARS-NEXT: dense<1.000000e+00> : tensor<8xf32>
// SCALARS-NEXT: dense<1.000000e+00> : tensor<8xf32>

// FOLD-LABEL: util.func public @pointers
// FOLD: util.global.load @size : index
// FOLD-NOT: indirect
// FOLD: util.global.store %{{.*}}, @size : index
util.func public @pointers() -> index {
  // CHECK: %[[P:.*]] = util.global.address @size : !util.ptr<index>
  %p = util.global.address @size : !util.ptr<index>
  // CHECK: util.global.load.indirect %[[P]] : !util.ptr<index> -> index
  %a = util.global.load.indirect %p : !util.ptr<index> -> index
  %c7 = arith.constant 7 : index
  %b = arith.addi %a, %c7 : index
  // CHECK: util.global.store.indirect %{{.*}}, %[[P]] : index -> !util.ptr<index>
  util.global.store.indirect %b, %p : index -> !util.ptr<index>
  // CHECK: util.global.load.indirect immutable
  %q = util.global.address immutable @four : !util.ptr<i32>
  %u = util.global.load.indirect immutable %q : !util.ptr<i32> -> i32
  %r = util.global.load @size : index
  util.return %r : index
}
// POINTERS: 7 : index

// FOLD-LABEL: util.func public @folds
// FOLD-NEXT: util.return
util.func public @folds() {
  %unused = util.global.load @t : tensor<4xi64>
  %same = util.global.load @count : i64
  util.global.store %same, @count : i64
  util.return
}
// Another store is in between: it stays.
// FOLD-LABEL: util.func public @stays
// FOLD: util.global.store
// FOLD: util.global.store
util.func public @stays(%x: i64) {
  %same = util.global.load @count : i64
  util.global.store %x, @count : i64
  util.global.store %same, @count : i64
  util.return
}
