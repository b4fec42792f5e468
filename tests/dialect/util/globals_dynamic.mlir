// Globals whose sizes a run chooses, and pointers that a run chooses.
// RUN: noria run %s --entry=grow 3 --check-stages | FileCheck %s --check-prefix=GROW
// RUN: noria run --interpret %s --entry=grow 3 | FileCheck %s --check-prefix=GROW
// RUN: noria run %s --entry=begins --check-stages | FileCheck %s --check-prefix=BEGINS
// RUN: noria run %s --entry=chosen true 1 --check-stages | FileCheck %s --check-prefix=TRUE
// RUN: noria run %s --entry=chosen false 2 --check-stages | FileCheck %s --check-prefix=FALSE
// RUN: noria run --interpret %s --entry=chosen false 2 | FileCheck %s --check-prefix=FALSE
// RUN: not noria run %s --entry=empty 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not noria run --interpret %s --entry=empty 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: noria opt --lower-util --symbol-dce %s | FileCheck %s --check-prefix=LOWER
// LOWER-NOT: util.

util.global private mutable @rows : tensor<?x2xi32>
util.global private mutable @init : tensor<?xf32> = dense<[1.5, 2.5]> : tensor<2xf32>
util.global private mutable @set_by : tensor<?xi32>
util.global private @never : tensor<?xi32> = dense<[8, 9]> : tensor<2xi32>
util.global private mutable @none : tensor<?xi32>
util.global private mutable @a = 84 : i64
util.global private mutable @b = 10 : i64
util.global private mutable @c : tensor<?xi64>
util.global private mutable @d = dense<[5, 6]> : tensor<2xi64>

util.initializer {
  %two = arith.constant 2 : index
  %v = arith.constant 7 : i32
  %t = tensor.splat %v[%two] : tensor<?xi32>
  util.global.store %t, @set_by : tensor<?xi32>
  util.return
}

// Each trip stores one row more than there was.
// LOWER-LABEL: func.func public @grow
// LOWER: rt.call "global_store"(%{{.*}}, %{{.*}}) : (i64, tensor<?x2xi32>) -> ()
// LOWER: rt.call "global_load"(%{{.*}}, %{{.*}}) {text = "rows"} : (i32, i64) -> tensor<?x2xi32>
// GROW: dense<{{\[\[}}0, 0], [1, 1], [2, 2]]> : tensor<3x2xi32>
util.func public @grow(%n: index) -> tensor<?x2xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = tensor.empty(%c0) : tensor<?x2xi32>
  util.global.store %none, @rows : tensor<?x2xi32>
  scf.for %i = %c0 to %n step %c1 {
    %old = util.global.load @rows : tensor<?x2xi32>
    %value = arith.index_cast %i : index to i32
    %row = tensor.splat %value : tensor<1x2xi32>
    %dynamic = tensor.cast %row : tensor<1x2xi32> to tensor<?x2xi32>
    %new = tensor.concat dim(0) %old, %dynamic : (tensor<?x2xi32>, tensor<?x2xi32>) -> tensor<?x2xi32>
    util.global.store %new, @rows : tensor<?x2xi32>
  }
  %all = util.global.load @rows : tensor<?x2xi32>
  util.return %all : tensor<?x2xi32>
}

// BEGINS: dense<[1.500000e+00, 2.500000e+00]> : tensor<2xf32>
// BEGINS: dense<7> : tensor<2xi32>
// BEGINS: dense<[8, 9]> : tensor<2xi32>
// BEGINS: dense<[1.500000e+00, 2.500000e+00]> : tensor<2xf32>
util.func public @begins() -> (tensor<?xf32>, tensor<?xi32>, tensor<?xi32>, tensor<2xf32>) {
  %x = util.global.load @init : tensor<?xf32>
  %y = util.global.load @set_by : tensor<?xi32>
  %z = util.global.load @never : tensor<?xi32>
  %w = util.global.load @init : tensor<2xf32>
  util.return %x, %y, %z, %w : tensor<?xf32>, tensor<?xi32>, tensor<?xi32>, tensor<2xf32>
}

// EMPTY: the sizes of @none are not known before it is stored to
util.func public @empty() -> tensor<?xi32> {
  %x = util.global.load @none : tensor<?xi32>
  util.return %x : tensor<?xi32>
}

// LOWER-LABEL: func.func private @through(
// LOWER-SAME: index) -> i64
util.func private @through(%p: !util.ptr<i64>) -> i64 attributes {inlining_policy = #util.inline.never} {
  %v = util.global.load.indirect %p : !util.ptr<i64> -> i64
  %one = arith.constant 1 : i64
  %w = arith.addi %v, %one : i64
  util.global.store.indirect %w, %p : i64 -> !util.ptr<i64>
  util.return %v : i64
}

// TRUE: 84 : i64
// TRUE: dense<5> : tensor<1xi64>
// TRUE: 85 : i64
// TRUE: 10 : i64
// TRUE: true
// FALSE: 10 : i64
// FALSE: dense<[5, 6]> : tensor<2xi64>
// FALSE: 84 : i64
// FALSE: 11 : i64
// FALSE: false
util.func public @chosen(%first: i1, %n: index) -> (i64, tensor<?xi64>, i64, i64, i1) {
  %p = util.global.address @a : !util.ptr<i64>
  %q = util.global.address @b : !util.ptr<i64>
  %r = scf.if %first -> !util.ptr<i64> {
    scf.yield %p : !util.ptr<i64>
  } else {
    scf.yield %q : !util.ptr<i64>
  }
  %v = util.call @through(%r) : (!util.ptr<i64>) -> i64
  %object = util.cast %r : !util.ptr<i64> to !util.object
  %again = util.cast %object : !util.object to !util.ptr<i64>
  %same = util.cmp.eq %again, %p : !util.ptr<i64>
  // One of a global of any size and one of two elements, in which the first %n elements of the second are stored.
  %pc = util.global.address @c : !util.ptr<tensor<?xi64>>
  %pd = util.global.address @d : !util.ptr<tensor<?xi64>>
  %whole = util.global.load @d : tensor<2xi64>
  %part = tensor.extract_slice %whole[0] [%n] [1] : tensor<2xi64> to tensor<?xi64>
  %to = arith.select %first, %pc, %pd : !util.ptr<tensor<?xi64>>
  util.global.store.indirect %part, %to : tensor<?xi64> -> !util.ptr<tensor<?xi64>>
  %t = util.global.load.indirect %to : !util.ptr<tensor<?xi64>> -> tensor<?xi64>
  %a = util.global.load @a : i64
  %b = util.global.load @b : i64
  util.return %v, %t, %a, %b, %same : i64, tensor<?xi64>, i64, i64, i1
}
