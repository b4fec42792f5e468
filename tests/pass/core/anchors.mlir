// Nested passes run on the ops that the pipeline names, as in mlir-opt.
// RUN: noria opt %s --pass-pipeline='builtin.module(builtin.module(canonicalize))' | FileCheck %s --check-prefix=INNER
// RUN: noria opt %s --pass-pipeline='builtin.module(func.func(canonicalize))' | FileCheck %s --check-prefix=OUTER
// RUN: noria opt %s --pass-pipeline='builtin.module(func.func(sccp))' | FileCheck %s --check-prefix=ALONE
// RUN: noria opt %s --pass-pipeline='builtin.module(sccp)' | FileCheck %s --check-prefix=WHOLE
// RUN: noria opt %s --inline=default-pipeline= | FileCheck %s --check-prefix=INLINE
// RUN: noria opt %s --pass-pipeline='builtin.module(inline{default-pipeline=canonicalize{top-down=true},cse max-ops=9})' | FileCheck %s --check-prefix=FOLDED
// RUN: not noria opt %s --pass-pipeline='builtin.module(func.func(inline))' 2>&1 | FileCheck %s --check-prefix=TABLE
// RUN: not noria opt %s --inline=default-pipeline=cses 2>&1 | FileCheck %s --check-prefix=TYPO

// TABLE: error: pass 'inline' runs on modules, not on 'func.func'
// TYPO: error: unknown pass 'cses'; did you mean 'cse'?

// INNER-LABEL: func.func private @twice
// OUTER-LABEL: func.func private @twice
// ALONE-LABEL: func.func private @twice
// ALONE: %0 = arith.addi %arg0, %arg0
// WHOLE-LABEL: func.func private @twice
// WHOLE: return %c8
func.func private @twice(%a: i32) -> i32 {
  %b = arith.addi %a, %a : i32
  return %b : i32
}

// INNER-LABEL: func.func @outer
// INNER: call @twice
// INNER: arith.addi
// OUTER-LABEL: func.func @outer
// OUTER: %c8_i32 = arith.constant 8
// ALONE-LABEL: func.func @outer
// ALONE: %[[TWICE:.*]] = call @twice
// ALONE: return %[[TWICE]], %c8
// WHOLE-LABEL: func.func @outer
// WHOLE: return %c8{{.*}}, %c8
// INLINE-LABEL: func.func @outer
// INLINE-COUNT-2: arith.addi
// FOLDED-LABEL: func.func @outer
// FOLDED-NEXT: %c8_i32 = arith.constant 8
// FOLDED-NEXT: return %c8_i32, %c8_i32
func.func @outer() -> (i32, i32) {
  %a = arith.constant 4 : i32
  %b = call @twice(%a) : (i32) -> i32
  %c = arith.addi %a, %a : i32
  return %b, %c : i32, i32
}

// INNER-LABEL: module
// INNER: %c2_i32 = arith.constant 2
// OUTER-LABEL: module
// OUTER: arith.addi
// ALONE-LABEL: module
// ALONE: return %0
module {
  func.func @inner() -> i32 {
    %a = arith.constant 1 : i32
    %b = arith.addi %a, %a : i32
    return %b : i32
  }
}
