// RUN: noria opt --pass-pipeline=canonicalize %s | FileCheck %s
// RUN: noria opt --pass-pipeline=canonicalize --syntax=mlir %s | mlir-opt

func.func private @use(index)

// Constants stand once, at the entry, and on the right.
// CHECK-LABEL: func.func @constants
// CHECK-SAME: %[[N:.*]]: index, %[[X:.*]]: i32)
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[C5:.*]] = arith.constant 5 : i32
// CHECK-NEXT: scf.for %{{.*}} = %[[C0]] to %[[N]] step %[[N]] iter_args(%[[A:.*]] = %[[X]])
// CHECK-NEXT: arith.muli %[[A]], %[[C5]] : i32
func.func @constants(%n: index, %x: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %r = scf.for %i = %c0 to %n step %n iter_args(%a = %x) -> (i32) {
    %c5 = arith.constant 5 : i32
    %again = arith.constant 5 : i32
    %0 = arith.muli %again, %a : i32
    scf.yield %0 : i32
  }
  return %r : i32
}

// CHECK-LABEL: func.func @chain
// CHECK-NEXT: %[[C:.*]] = arith.constant 14 : index
// CHECK-NEXT: return %[[C]] : index
func.func @chain() -> index {
  %0 = arith.constant 2 : index
  %1 = arith.constant 3 : index
  %2 = arith.muli %0, %1 : index
  %3 = arith.addi %2, %2 : index
  %4 = arith.addi %0, %3 : index
  return %4 : index
}

// CHECK-LABEL: func.func @merged_constants
// CHECK-SAME: %[[X:.*]]: i8)
// CHECK-DAG: %[[A:.*]] = arith.constant -2 : i8
// CHECK-DAG: %[[B:.*]] = arith.constant 97 : i8
// CHECK: %[[S:.*]] = arith.addi %[[X]], %[[A]] : i8
// CHECK: %[[D:.*]] = arith.subi %[[B]], %[[X]] : i8
// CHECK: return %[[S]], %[[D]]
func.func @merged_constants(%x: i8) -> (i8, i8) {
  %c127 = arith.constant 127 : i8
  %c100 = arith.constant 100 : i8
  %c3 = arith.constant 3 : i8
  %0 = arith.addi %c127, %x : i8
  %1 = arith.addi %0, %c127 : i8
  %2 = arith.subi %c100, %x : i8
  %3 = arith.subi %2, %c3 : i8
  return %1, %3 : i8, i8
}

// CHECK-LABEL: func.func @not_folded
// CHECK: arith.divsi
// CHECK: arith.addf
// CHECK: arith.mulf
func.func @not_folded(%x: f32) -> (i32, f32, f32) {
  %c0 = arith.constant 0 : i32
  %f0 = arith.constant 0.0 : f32
  %0 = arith.divsi %c0, %c0 : i32
  %1 = arith.addf %x, %f0 : f32
  %2 = arith.mulf %x, %f0 : f32
  return %0, %1, %2 : i32, f32, f32
}

// CHECK-LABEL: func.func @identities
// CHECK-SAME: %[[X:.*]]: i32, %[[F:.*]]: f32, %[[C:.*]]: i1)
// CHECK-NEXT: return %[[X]], %[[X]], %[[F]], %[[F]], %[[C]], %[[F]]
func.func @identities(%x: i32, %f: f32, %c: i1) -> (i32, i32, f32, f32, i1, f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %m0 = arith.constant -0.0 : f32
  %f1 = arith.constant 1.0 : f32
  %true = arith.constant true
  %false = arith.constant false
  %0 = arith.addi %x, %c0 : i32
  %1 = arith.muli %c1, %0 : i32
  %2 = arith.divsi %1, %c1 : i32
  %3 = arith.ori %2, %2 : i32
  %4 = arith.addf %f, %m0 : f32
  %5 = arith.divf %4, %f1 : f32
  %6 = arith.negf %5 : f32
  %7 = arith.negf %6 : f32
  %8 = arith.select %c, %true, %false : i1
  %9 = arith.select %true, %7, %f1 : f32
  return %3, %2, %5, %7, %8, %9 : i32, i32, f32, f32, i1, f32
}

// CHECK-LABEL: func.func @comparisons
// CHECK-SAME: %[[X:.*]]: i32, %[[Y:.*]]: i32)
// CHECK-DAG: %[[C7:.*]] = arith.constant 7 : i32
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK: %[[A:.*]] = arith.cmpi sgt, %[[X]], %[[C7]] : i32
// CHECK: %[[B:.*]] = arith.cmpi uge, %[[X]], %[[Y]] : i32
// CHECK: return %[[A]], %[[B]], %[[TRUE]]
func.func @comparisons(%x: i32, %y: i32) -> (i1, i1, i1) {
  %c7 = arith.constant 7 : i32
  %true = arith.constant true
  %0 = arith.cmpi slt, %c7, %x : i32
  %1 = arith.cmpi ult, %x, %y : i32
  %2 = arith.xori %1, %true : i1
  %3 = arith.cmpi sle, %x, %x : i32
  return %0, %2, %3 : i1, i1, i1
}

// CHECK-LABEL: func.func @casts
// CHECK-SAME: %[[X:.*]]: i32, %[[I:.*]]: index)
// CHECK-NEXT: %[[N:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK-NEXT: %[[W:.*]] = arith.index_cast %[[N]] : i32 to index
// CHECK-NEXT: return %[[X]], %[[X]], %[[W]]
func.func @casts(%x: i32, %i: index) -> (i32, i32, index) {
  %0 = arith.extsi %x : i32 to i64
  %1 = arith.trunci %0 : i64 to i32
  %2 = arith.index_cast %x : i32 to index
  %3 = arith.index_cast %2 : index to i32
  %4 = arith.index_cast %i : index to i32
  %5 = arith.index_cast %4 : i32 to index
  return %1, %3, %5 : i32, i32, index
}

// CHECK-LABEL: func.func @blocks
// CHECK-SAME: %[[C:.*]]: i1, %[[X:.*]]: i32)
// CHECK-NEXT: return %[[X]] : i32
func.func @blocks(%c: i1, %x: i32) -> i32 {
  %true = arith.constant true
  cf.cond_br %true, ^bb1(%x : i32), ^bb2
^bb1(%a: i32):
  cf.br ^bb3(%a : i32)
^bb2:
  cf.br ^bb3(%x : i32)
^bb3(%b: i32):
  return %b : i32
}

// CHECK-LABEL: func.func @empty_blocks
// CHECK: cf.cond_br %{{.*}}, ^bb1, ^bb2
// CHECK: ^bb1:
// CHECK-NEXT: return
// CHECK: ^bb2:
// CHECK: cf.br ^bb2
func.func @empty_blocks(%c: i1) {
  cf.cond_br %c, ^bb1, ^bb3
^bb1:
  cf.br ^bb2
^bb2:
  return
^bb3:
  cf.br ^bb4
^bb4:
  cf.br ^bb3
}

// CHECK-LABEL: func.func @loop_arguments
// CHECK: cf.br ^bb1(%{{.*}} : i32)
// CHECK-NEXT: ^bb1(%[[I:.*]]: i32):
// CHECK: arith.addi %[[I]], %[[STEP:arg[0-9]+]]
func.func @loop_arguments(%n: i32, %s: i32) -> i32 {
  cf.br ^bb1(%n, %s, %s : i32, i32, i32)
^bb1(%i: i32, %step: i32, %unused: i32):
  %c = arith.cmpi slt, %i, %n : i32
  %next = arith.addi %i, %step : i32
  cf.cond_br %c, ^bb1(%next, %step, %next : i32, i32, i32), ^bb2
^bb2:
  return %next : i32
}

// CHECK-LABEL: func.func @calls
// CHECK-NEXT: call @use(%{{.*}}) : (index) -> ()
func.func @calls(%i: index) {
  %f = func.constant @use : (index) -> ()
  func.call_indirect %f(%i) : (index) -> ()
  return
}
