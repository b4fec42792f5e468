// Hints and scalars: text, folds, and values in the interpreter and as machine code.
// RUN: noria opt %s -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: noria opt %t.once | diff - %t.once
// RUN: noria opt --generic %s | noria opt --syntax=mlir - | diff - %t.once
// RUN: noria opt --canonicalize %s | FileCheck %s --check-prefix=FOLD
// RUN: noria run %s --entry=numbers 13 8 100 | FileCheck %s --check-prefix=NUMBERS
// RUN: noria run --interpret %s --entry=numbers 13 8 100 | FileCheck %s --check-prefix=NUMBERS
// RUN: noria run --check-stages %s --entry=numbers 13 8 100 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: noria run %s --entry=choose 1 | FileCheck %s --check-prefix=ONE
// RUN: noria run --interpret %s --entry=choose 1 | FileCheck %s --check-prefix=ONE
// RUN: noria run %s --entry=choose 3 | FileCheck %s --check-prefix=OTHER
// RUN: noria run --interpret %s --entry=choose 3 | FileCheck %s --check-prefix=OTHER
// RUN: noria run %s --entry=never false | FileCheck %s --check-prefix=LIVES
// RUN: not noria run %s --entry=never true 2>&1 | FileCheck %s --check-prefix=DIES
// RUN: noria run --interpret %s --entry=never false | FileCheck %s --check-prefix=LIVES
// RUN: not noria run --interpret %s --entry=never true 2>&1 | FileCheck %s --check-prefix=DIES

// CHECK-LABEL: util.func public @barriers
util.func @barriers(%a: tensor<i32>, %c: tensor<f32>) -> (tensor<i32>, tensor<f32>) {
  // CHECK: %0:2 = util.optimization_barrier %arg0, %arg1 : tensor<i32>, tensor<f32>
  %b:2 = util.optimization_barrier %a, %c : tensor<i32>, tensor<f32>
  // CHECK: util.optimization_barrier {some_unit} %0#0 : tensor<i32>
  %d = util.optimization_barrier {some_unit} %b#0 : tensor<i32>
  // CHECK: util.optimization_barrier {x} %{{.*}} : tensor<i32>
  %e = util.do_not_optimize(%d) {x} : tensor<i32>
  // CHECK: util.optimization_barrier(){{$}}
  iree.do_not_optimize()
  // CHECK: util.numeric.optional_narrow %{{.*}} : tensor<i32> as si8 {max_value = 3 : i8, min_value = 1 : i8}
  %n = util.numeric.optional_narrow %e : tensor<i32> as si8 {max_value = 3 : i8, min_value = 1 : i8}
  // CHECK: util.numeric.optional_narrow %{{.*}} : tensor<i32> as ui0{{$}}
  %o = util.numeric.optional_narrow %n : tensor<i32> as ui0
  util.return %o, %b#1 : tensor<i32>, tensor<f32>
}

// FOLD-LABEL: util.func public @unfoldable
// FOLD-NEXT: %[[C:.*]] = arith.constant 42 : i32
// FOLD: %[[B:.*]] = util.optimization_barrier %[[C]] : i32
// FOLD: %[[S:.*]] = arith.addi %[[B]], %[[B]] : i32
util.func @unfoldable() -> i32 {
  // CHECK: util.unfoldable_constant {tag} 42 : i32
  %c = util.unfoldable_constant {tag} 42 : i32
  // CHECK: util.unfoldable_constant @callee : (f32) -> (){{$}}
  %f = util.unfoldable_constant @callee : (f32) -> ()
  %s = arith.addi %c, %c : i32
  util.return %s : i32
}
func.func @callee(%a: f32) {
  return
}

// FOLD-LABEL: util.func public @aligned
// FOLD: %[[A:.*]] = util.align %arg0, %arg1 : index
// FOLD-NEXT: %[[D:.*]] = util.align %arg0, %c16 : index
// FOLD-NEXT: util.return %[[A]], %[[D]], %c8_i64 : index, index, i64
util.func @aligned(%v: index, %k: index) -> (index, index, i64) {
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %seven = arith.constant 7 : i64
  %eight = arith.constant 8 : i64
  // CHECK: util.align %arg0, %arg1 : index
  %a = util.align %v, %k : index
  %b = util.align %a, %k : index
  %d = util.align %v, %c16 : index
  %e = util.align %d, %c8 : index
  %f = util.align %seven, %eight : i64
  util.return %b, %e, %f : index, index, i64
}
// An alignment to less than the outer one is not enough.
// FOLD-LABEL: util.func public @realigned
// FOLD: util.align
// FOLD: util.align
util.func @realigned(%v: index) -> index {
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %d = util.align %v, %c8 : index
  %e = util.align %d, %c16 : index
  util.return %e : index
}

// FOLD-LABEL: util.func public @sizes
// FOLD: %[[I:.*]] = util.sizeof index
// FOLD-NEXT: util.return %c2, %c4, %[[I]] : index, index, index
util.func @sizes() -> (index, index, index) {
  // CHECK: util.sizeof i12
  %a = util.sizeof i12
  %b = util.sizeof f32
  %c = util.sizeof index
  util.return %a, %b, %c : index, index, index
}

// FOLD-LABEL: util.func public @switches
// FOLD-NEXT: util.return %arg1, %arg2, %arg2, %arg2 : i32, i32, i32, i32
util.func @switches(%a: i32, %b: i32, %d: i32, %i: index) -> (i32, i32, i32, i32) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // CHECK: util.switch i32 from [%arg0, %arg1] at %c1 else %arg2 : i32
  %r = util.switch i32 from [%a, %b] at %c1 else %d : i32
  %s = util.switch i32 from [%a, %b] at %c2 else %d : i32
  // CHECK: util.switch i32 from [] at %arg3 else %arg2 : i32
  %t = util.switch i32 from [] at %i else %d : i32
  %u = util.switch i32 from [%d, %d] at %i else %d : i32
  util.return %r, %s, %t, %u : i32, i32, i32, i32
}

// FOLD-LABEL: util.func public @references
// FOLD: util.return %true, %true, %false, %arg0 : i1, i1, i1, !util.buffer
util.func @references(%a: !util.buffer) -> (i1, i1, i1, !util.buffer) {
  // CHECK: util.null : !util.buffer
  %n = util.null : !util.buffer
  // CHECK: util.cast %arg0 : !util.buffer to !util.object
  %o = util.cast %a : !util.buffer to !util.object
  %b = util.cast %o : !util.object to !util.buffer
  %no = util.cast %n : !util.buffer to !util.object
  %n2 = util.null : !util.object
  // CHECK: util.cmp.eq %arg0, %{{.*}} : !util.buffer
  %e = util.cmp.eq %a, %b : !util.buffer
  %f = util.cmp.eq %no, %n2 : !util.object
  // CHECK: util.cmp.ne %arg0, %arg0 : !util.buffer
  %g = util.cmp.ne %a, %a : !util.buffer
  util.return %e, %f, %g, %b : i1, i1, i1, !util.buffer
}

// FOLD-LABEL: util.func public @ranges
// FOLD: %[[MIN:.*]] = arith.minui %arg0, %arg1 : index
// FOLD: %[[MAX:.*]] = util.range.max %arg0, %arg1, %arg2 : index
// FOLD: util.return %[[MIN]], %[[MAX]], %c2, %arg0
util.func @ranges(%a: index, %b: index, %c: index) -> (index, index, index, index) {
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  %cm = arith.constant -1 : index
  %p = util.range.min %a, %b, %a : index
  // CHECK: util.range.max %arg0, %arg1, %arg2 : index
  %q = util.range.max %a, %b, %c : index
  // -1 is the greatest unsigned number.
  %r = util.range.min %c9, %c2, %cm : index
  %s = util.range.min %a : index
  util.return %p, %q, %r, %s : index, index, index, index
}

// FOLD-LABEL: util.func public @assumptions
// FOLD: util.return %arg0, %c5_i64, %c7 : index, i64, index
util.func @assumptions(%a: index, %b: i64) -> (index, i64, index) {
  %c7 = arith.constant 7 : index
  // CHECK: util.assume.int %arg0<umin = 0> : index
  %x = util.assume.int %a<umin=0> : index
  // CHECK: util.assume.int %arg1<umin = 5, umax = 5> : i64
  %y = util.assume.int %b<umin=5, umax=5> : i64
  %z = util.assume.int %c7<udiv=7> : index
  // CHECK: %{{.*}}:2 = util.assume.int
  // CHECK-NEXT: %arg0[<umin = 0>, <udiv = 5>],
  // CHECK-NEXT: %arg1[<umax = 10>, <udiv = 6>]
  // CHECK-NEXT: : index, i64
  %u:2 = util.assume.int %a[#util.int.assumption<umin = 0>, <udiv=5>], %b[<umax=10>, <udiv=6>] : index, i64
  util.return %x, %y, %z : index, i64, index
}

// numbers(13, 8, 100): 13 to 16; least and greatest of 13, 8 and 100; [13, +8) and [100, +13) begin at 13 and end with
// 112; 13 is not 8; the size of i12.
util.func @numbers(%a: i64, %b: i64, %c: i64) -> (i64, i64, i64, i64, i64, i1, i1, index) {
  %t = util.assume.int %a<umin = 1, udiv = 13> : i64
  %d = util.align %t, %b : i64
  %e = util.range.min %a, %b, %c : i64
  %f = util.range.max %a, %b, %c : i64
  // CHECK: util.range.extents [%arg0 for %arg1], [%arg2 for %arg0] : i64
  %g:2 = util.range.extents [%a for %b], [%c for %a] : i64
  %h = util.cmp.eq %a, %b : i64
  %i = util.cmp.ne %a, %b : i64
  %s = util.sizeof i12
  %o = util.optimization_barrier %d : i64
  %n = util.numeric.optional_narrow %o : i64 as si8
  util.return %n, %e, %f, %g#0, %g#1, %h, %i, %s : i64, i64, i64, i64, i64, i1, i1, index
}
// NUMBERS: 16 : i64
// NUMBERS-NEXT: 8 : i64
// NUMBERS-NEXT: 100 : i64
// NUMBERS-NEXT: 13 : i64
// NUMBERS-NEXT: 112 : i64
// NUMBERS-NEXT: false
// NUMBERS-NEXT: true
// NUMBERS-NEXT: 2 : index
// SAME: all 9 outcomes are that of 'import'

util.func @choose(%i: index) -> (i32, tensor<2xi32>) {
  %a = util.unfoldable_constant 10 : i32
  %b = util.unfoldable_constant 20 : i32
  %d = util.unfoldable_constant -1 : i32
  %t = util.unfoldable_constant dense<[1, 2]> : tensor<2xi32>
  %u = util.unfoldable_constant dense<[3, 4]> : tensor<2xi32>
  %r = util.switch i32 from [%a, %b] at %i else %d : i32
  %s = util.switch tensor<2xi32> from [%t, %u] at %i else %t : tensor<2xi32>
  util.return %r, %s : i32, tensor<2xi32>
}
// ONE: 20 : i32
// ONE-NEXT: dense<[3, 4]> : tensor<2xi32>
// OTHER: -1 : i32
// OTHER-NEXT: dense<[1, 2]> : tensor<2xi32>

util.func @never(%c: i1) -> i32 {
  cf.cond_br %c, ^bad, ^good
^bad:
  // CHECK: util.unreachable "no run is here"
  // DIES: hints.mlir:[[#@LINE+1]]:3: {{.*}}no run is here
  util.unreachable "no run is here"
^good:
  scf.if %c {
    // CHECK: util.scf.unreachable "nor here"
    util.scf.unreachable "nor here"
  }
  %r = arith.constant 3 : i32
  util.return %r : i32
}
// LIVES: 3 : i32
