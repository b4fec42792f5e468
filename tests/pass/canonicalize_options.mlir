// RUN: noria opt --pass-pipeline='canonicalize{region-simplify=disabled}' %s | FileCheck %s --check-prefixes=ALL,BLOCKS
// RUN: noria opt --pass-pipeline='canonicalize{region-simplify=normal}' %s | FileCheck %s --check-prefixes=ALL,NORMAL
// RUN: noria opt --pass-pipeline='canonicalize{max-iterations=0}' %s | FileCheck %s --check-prefix=NOTHING
// RUN: noria opt --pass-pipeline='canonicalize{max-num-rewrites=1}' %s | FileCheck %s --check-prefix=ONE
// RUN: noria opt --pass-pipeline='canonicalize{top-down=false}' %s | FileCheck %s --check-prefixes=ALL,NORMAL
// RUN: noria opt --pass-pipeline='canonicalize{max-iterations=10 max-num-rewrites=-1 region-simplify=normal test-convergence=true top-down=true}' %s | FileCheck %s --check-prefixes=ALL,NORMAL
// RUN: not noria opt --pass-pipeline='canonicalize{max-num-rewrites=1 test-convergence}' %s 2>&1 | FileCheck %s --check-prefix=STOPPED
// RUN: not noria opt --pass-pipeline='canonicalize{region-simplify=much}' %s 2>&1 | FileCheck %s --check-prefix=WORD
// STOPPED: error: canonicalize: not at its end after so many sweeps or rewrites
// WORD: option 'region-simplify' of pass 'canonicalize' must be 'disabled' or 'normal', not 'much'

// ALL-LABEL: func.func @ops
// ALL-SAME: (%[[X:.*]]: i32)
// ALL-NEXT: return %[[X]]
// NOTHING-LABEL: func.func @ops
// NOTHING: arith.addi
// NOTHING-NEXT: arith.muli
// ONE-LABEL: func.func @ops
// ONE-NOT: arith.addi
// ONE: arith.muli
func.func @ops(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = arith.addi %x, %c0 : i32
  %1 = arith.muli %0, %c1 : i32
  return %1 : i32
}

// BLOCKS-LABEL: func.func @blocks
// BLOCKS: ^bb1(%{{.*}}: i32):
// NORMAL-LABEL: func.func @blocks
// NORMAL: ^bb1:
func.func @blocks(%x: i32, %c: i1) -> i32 {
  cf.cond_br %c, ^a(%x : i32), ^b
^a(%y: i32):
  %0 = arith.addi %y, %y : i32
  return %0 : i32
^b:
  return %x : i32
}
