// RUN: noria opt --sccp --canonicalize %s | FileCheck %s
// RUN: noria opt --sccp --syntax=mlir %s | mlir-opt
// RUN: noria opt --sccp %s -o %t.mlir

func.func private @use(i32)

// A carried value that only changes where it would be something else: canonicalize alone cannot know.
// CHECK-LABEL: func.func @carried
// CHECK: %[[C1:.*]] = arith.constant 1 : i32
// CHECK-NOT: arith.muli
// CHECK: return %[[C1]] : i32
// RUN: noria run %s --interpret --entry=carried 5 | FileCheck %s --check-prefix=CARRIED
// RUN: noria run %t.mlir --check-stages --entry=carried 5 | FileCheck %s --check-prefix=CARRIED
// CARRIED: {{^}}1 : i32
func.func @carried(%n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %one) -> (i32) {
    %is = arith.cmpi eq, %a, %one : i32
    %v = scf.if %is -> (i32) {
      %b = arith.addi %a, %one : i32
      %c = arith.subi %b, %one : i32
      scf.yield %c : i32
    } else {
      %b = arith.muli %a, %a : i32
      %two = arith.addi %b, %b : i32
      scf.yield %two : i32
    }
    scf.yield %v : i32
  }
  return %r : i32
}

// The same with blocks.
// CHECK-LABEL: func.func @blocks
// CHECK: %[[C1:.*]] = arith.constant 1 : i32
// CHECK-NOT: arith.constant 7
// CHECK: return %[[C1]] : i32
// RUN: noria run %s --interpret --entry=blocks 3 | FileCheck %s --check-prefix=CARRIED
// RUN: noria run %t.mlir --check-stages --entry=blocks 3 | FileCheck %s --check-prefix=CARRIED
func.func @blocks(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^head(%zero, %one : i32, i32)
^head(%i: i32, %a: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^end(%a : i32)
^body:
  %next = arith.addi %i, %one : i32
  %is = arith.cmpi eq, %a, %one : i32
  cf.cond_br %is, ^head(%next, %a : i32, i32), ^other
^other:
  %seven = arith.constant 7 : i32
  cf.br ^head(%next, %seven : i32, i32)
^end(%r: i32):
  return %r : i32
}

// Both calls give 3, and the function knows it; only one argument differs.
// CHECK-LABEL: func.func private @callee
// CHECK: %[[C6:.*]] = arith.constant 6 : i32
// CHECK: return %[[C6]]
func.func private @callee(%a: i32, %b: i32) -> i32 {
  func.call @use(%b) : (i32) -> ()
  %r = arith.addi %a, %a : i32
  return %r : i32
}
// CHECK-LABEL: func.func @calls
// CHECK-DAG: %[[C12:.*]] = arith.constant 12 : i32
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i32
// CHECK: call @callee(%[[C3]]
// CHECK: call @callee(%[[C3]]
// CHECK: return %[[C12]]
func.func @calls(%x: i32) -> i32 {
  %c3 = arith.constant 3 : i32
  %0 = func.call @callee(%c3, %x) : (i32, i32) -> i32
  %1 = func.call @callee(%c3, %c3) : (i32, i32) -> i32
  %2 = arith.addi %0, %1 : i32
  return %2 : i32
}

// A function that calls itself, with the same number all the time.
// CHECK-LABEL: func.func private @recursive
// CHECK: arith.constant 5 : i32
// CHECK-NOT: arith.addi
// CHECK: return
// RUN: noria run %s --interpret --entry=start_recursion 4 | FileCheck %s --check-prefix=RECURSION
// RUN: noria run %t.mlir --check-stages --entry=start_recursion 4 | FileCheck %s --check-prefix=RECURSION
// RECURSION: {{^}}10 : i32
func.func private @recursive(%n: i32, %a: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %more = arith.cmpi sgt, %n, %zero : i32
  %r = scf.if %more -> (i32) {
    %less = arith.subi %n, %one : i32
    %q = func.call @recursive(%less, %a) : (i32, i32) -> i32
    scf.yield %q : i32
  } else {
    %s = arith.addi %a, %a : i32
    scf.yield %s : i32
  }
  return %r : i32
}
func.func @start_recursion(%n: i32) -> i32 {
  %five = arith.constant 5 : i32
  %r = func.call @recursive(%n, %five) : (i32, i32) -> i32
  return %r : i32
}

// Its name is used as a value, so other arguments may come.
// CHECK-LABEL: func.func private @escapes
// CHECK: arith.addi
func.func private @escapes(%a: i32) -> i32 {
  %r = arith.addi %a, %a : i32
  return %r : i32
}
// CHECK-LABEL: func.func @takes_name
func.func @takes_name(%x: i32) -> (i32, i32) {
  %f = func.constant @escapes : (i32) -> i32
  %c3 = arith.constant 3 : i32
  %0 = func.call @escapes(%c3) : (i32) -> i32
  %1 = func.call_indirect %f(%x) : (i32) -> i32
  return %0, %1 : i32, i32
}

// CHECK-LABEL: func.func @whiles
// CHECK: %[[C4:.*]] = arith.constant 4 : index
// CHECK: return %[[C4]], %{{.*}} : index, index
// RUN: noria run %s --interpret --entry=whiles 3 | FileCheck %s --check-prefix=WHILES
// RUN: noria run %t.mlir --check-stages --entry=whiles 3 | FileCheck %s --check-prefix=WHILES
// WHILES: {{^}}4 : index
// WHILES: {{^}}3 : index
func.func @whiles(%n: index) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r:2 = scf.while (%i = %c0, %k = %c4) : (index, index) -> (index, index) {
    %c = arith.cmpi slt, %i, %n : index
    scf.condition(%c) %k, %i : index, index
  } do {
  ^bb0(%k: index, %i: index):
    %next = arith.addi %i, %c1 : index
    %same = scf.index_switch %k -> index
    case 4 {
      scf.yield %k : index
    }
    default {
      scf.yield %next : index
    }
    scf.yield %next, %same : index, index
  }
  return %r#0, %r#1 : index, index
}

// Zero iterations give the initial value, a division by zero no constant.
// CHECK-LABEL: func.func @careful
// CHECK: scf.for
// CHECK: arith.divsi
func.func @careful(%n: index, %x: i32) -> (i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %one) -> (i32) {
    scf.yield %zero : i32
  }
  %d = arith.divsi %x, %zero : i32
  return %r, %d : i32, i32
}

// Reductions: of constants that stay as they are, and of ones that do not.
// CHECK-LABEL: func.func @reductions
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: scf.parallel
// CHECK: return %[[ONE]], %{{.*}}#0, %{{.*}}#1, %[[ONE]] : i32, i32, i32, i32
// RUN: noria run %s --interpret --entry=reductions 3 | FileCheck %s --check-prefix=REDUCTIONS
// RUN: noria run %t.mlir --check-stages --entry=reductions 3 | FileCheck %s --check-prefix=REDUCTIONS
// REDUCTIONS: {{^}}1 : i32
// REDUCTIONS: {{^}}4 : i32
// REDUCTIONS: {{^}}3 : i32
// REDUCTIONS: {{^}}1 : i32
func.func @reductions(%n: index) -> (i32, i32, i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:3 = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%one, %one, %zero) -> (i32, i32, i32) {
    %same = arith.muli %one, %one : i32
    scf.reduce(%same, %same, %one : i32, i32, i32) {
    ^bb0(%a: i32, %b: i32):
      %p = arith.muli %a, %b : i32
      scf.reduce.return %p : i32
    }, {
    ^bb0(%a: i32, %b: i32):
      %s = arith.addi %a, %b : i32
      scf.reduce.return %s : i32
    }, {
    ^bb0(%a: i32, %b: i32):
      %s = arith.addi %a, %b : i32
      scf.reduce.return %s : i32
    }
  }
  %never = arith.cmpi ne, %r#0, %one : i32
  %kept = scf.if %never -> i32 {
    scf.yield %r#1 : i32
  } else {
    scf.yield %r#0 : i32
  }
  return %r#0, %r#1, %r#2, %kept : i32, i32, i32, i32
}
