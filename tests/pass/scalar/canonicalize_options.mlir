// RUN: noria opt --pass-pipeline='canonicalize{region-simplify=disabled}' %s | FileCheck %s --check-prefixes=ALL,BLOCKS
// RUN: noria opt --pass-pipeline='canonicalize{region-simplify=normal}' %s | FileCheck %s --check-prefixes=ALL,NORMAL
// RUN: noria opt --pass-pipeline='canonicalize{region-simplify=aggressive}' %s | FileCheck %s --check-prefixes=ALL,MERGED
// RUN: noria opt --pass-pipeline='canonicalize{region-simplify=aggressive}' --syntax=mlir %s | mlir-opt
// RUN: noria opt --pass-pipeline='canonicalize{max-iterations=0}' %s | FileCheck %s --check-prefix=NOTHING
// RUN: noria opt --pass-pipeline='canonicalize{max-num-rewrites=1}' %s | FileCheck %s --check-prefix=ONE
// RUN: noria opt --pass-pipeline='canonicalize{top-down=false}' %s | FileCheck %s --check-prefixes=ALL,NORMAL
// RUN: noria opt --pass-pipeline='canonicalize{max-iterations=10 max-num-rewrites=-1 region-simplify=normal test-convergence=true top-down=true}' %s | FileCheck %s --check-prefixes=ALL,NORMAL
// RUN: not noria opt --pass-pipeline='canonicalize{max-num-rewrites=1 test-convergence}' %s 2>&1 | FileCheck %s --check-prefix=STOPPED
// RUN: not noria opt --pass-pipeline='canonicalize{region-simplify=much}' %s 2>&1 | FileCheck %s --check-prefix=WORD
// STOPPED: error: canonicalize: did not converge within the limit of sweeps or rewrites
// WORD: option 'region-simplify' of pass 'canonicalize' must be 'disabled', 'normal' or 'aggressive', not 'much'

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

// Blocks that do the same are one; what differs in a value, in an attribute or in where it goes stays apart.
// NORMAL-LABEL: func.func @equal
// NORMAL-COUNT-5: call @use
// MERGED-LABEL: func.func @equal
// MERGED: cf.switch
// MERGED-NEXT: default: ^[[A:bb[0-9]+]](%{{[^ ]*}} : i32),
// MERGED-NEXT: 1: ^[[A]](%{{[^ ]*}} : i32),
// MERGED-NEXT: 2: ^bb{{[0-9]+}},
// MERGED-NEXT: 3: ^bb{{[0-9]+}}
// MERGED-COUNT-3: call @use
// MERGED-NOT: call @use
func.func private @use(i32)
func.func @equal(%x: i32, %y: i32, %f: i32) {
  cf.switch %f : i32, [
    default: ^a(%x : i32),
    1: ^b(%y : i32),
    2: ^c(%y : i32),
    3: ^d(%y : i32),
    4: ^e(%x : i32)
  ]
^a(%a: i32):
  %0 = arith.addi %a, %x : i32
  call @use(%0) : (i32) -> ()
  return
^b(%b: i32):
  %1 = arith.addi %b, %x : i32
  call @use(%1) : (i32) -> ()
  return
^c(%c: i32):
  %2 = arith.addi %c, %y : i32
  call @use(%2) : (i32) -> ()
  return
^d(%d: i32):
  %3 = arith.addi %d, %x overflow<nsw> : i32
  call @use(%3) : (i32) -> ()
  return
^e(%e: i32):
  %4 = arith.addi %e, %x : i32
  call @use(%4) : (i32) -> ()
  return
}

// Blocks with ops that have regions, and operands that may change places.
// NORMAL-LABEL: func.func @regions
// NORMAL-COUNT-2: scf.if
// MERGED-LABEL: func.func @regions
// MERGED: scf.if
// MERGED-NOT: scf.if
func.func @regions(%x: i32, %y: i32, %c: i1, %d: i1) -> i32 {
  cf.cond_br %c, ^a, ^b
^a:
  %0 = scf.if %d -> i32 {
    %p = arith.addi %x, %y : i32
    func.call @use_one(%p) : (i32) -> ()
    scf.yield %p : i32
  } else {
    scf.yield %x : i32
  }
  return %0 : i32
^b:
  %1 = scf.if %d -> i32 {
    %p = arith.addi %y, %x : i32
    func.call @use_one(%p) : (i32) -> ()
    scf.yield %p : i32
  } else {
    scf.yield %x : i32
  }
  return %1 : i32
}

// Not where one of them differs.
// MERGED-LABEL: func.func @other_regions
// MERGED-COUNT-2: scf.if
func.func @other_regions(%x: i32, %y: i32, %c: i1, %d: i1) {
  cf.cond_br %c, ^a, ^b
^a:
  scf.if %d {
    func.call @use_one(%x) : (i32) -> ()
  }
  return
^b:
  scf.if %d {
    func.call @use_one(%y) : (i32) -> ()
  }
  return
}
func.func private @use_one(i32)
