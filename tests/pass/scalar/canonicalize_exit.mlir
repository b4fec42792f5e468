// Loops with break and continue.
// RUN: noria opt --canonicalize %s | FileCheck %s
// RUN: noria opt --canonicalize %s -o %t.mlir

func.func private @use(i32)

// The body ends in the only way out: it runs once.
// CHECK-LABEL: func.func @once
// CHECK-NEXT: %[[S:.*]] = arith.addi %arg0, %arg0 : i32
// CHECK-NEXT: call @use(%[[S]])
// CHECK-NEXT: return %[[S]] : i32
func.func @once(%x: i32) -> i32 {
  %r = scf.loop token(%l) iter_args(%a = %x) : i32 -> i32 {
    %s = arith.addi %a, %x : i32
    func.call @use(%s) : (i32) -> ()
    scf.break [%l] %s : i32
  }
  return %r : i32
}

// %a never changes, %c is only carried; result 1 is always %x, result 2 has no use.
// CHECK-LABEL: func.func @fewer
// CHECK: %[[R:.*]] = scf.loop token(%[[L:.*]]) iter_args(%[[B:.*]] = %arg1) : i32 -> i32 {
// CHECK-NEXT: %[[S:.*]] = arith.muli %[[B]], %arg0 : i32
// CHECK: scf.break [%[[L]]] %[[S]] : i32
// CHECK: scf.continue [%[[L]]] %[[S]] : i32
// CHECK: scf.continue [%[[L]]] %{{.*}} : i32
// CHECK: return %[[R]], %arg0 : i32, i32
// RUN: noria run %s --interpret --entry=fewer 3 2 | FileCheck %s --check-prefix=FEWER
// RUN: noria run %t.mlir --check-stages --entry=fewer 3 2 | FileCheck %s --check-prefix=FEWER
// FEWER: {{^}}162 : i32
// FEWER: {{^}}3 : i32
func.func @fewer(%x: i32, %y: i32) -> (i32, i32) {
  %one = arith.constant 1 : i32
  %limit = arith.constant 100 : i32
  %r:3 = scf.loop token(%l) iter_args(%a = %x, %b = %y, %c = %y) : (i32, i32, i32) -> (i32, i32, i32) {
    %s = arith.muli %b, %a : i32
    %big = arith.cmpi sgt, %s, %limit : i32
    scf.if %big {
      scf.break [%l] %s, %x, %s : i32, i32, i32
    }
    %odd = arith.trunci %s : i32 to i1
    scf.if %odd {
      scf.continue [%l] %a, %s, %c : i32, i32, i32
    }
    %even = arith.addi %s, %one : i32
    %t = arith.subi %even, %one : i32
    scf.continue [%l] %x, %t, %c : i32, i32, i32
  }
  return %r#0, %r#1 : i32, i32
}

// A choice that is known ends the block; not in the body of a for, which no break may end.
// CHECK-LABEL: func.func @known
// CHECK-NOT: scf.if
// CHECK: scf.loop token(%[[L:.*]]) {
// CHECK-NEXT: func.call @use(%arg0)
// CHECK-NEXT: scf.continue [%[[L]]]
// CHECK-NEXT: }
// CHECK: scf.loop
// CHECK-NEXT: scf.for
// CHECK-NEXT: scf.if %true
// CHECK: return
func.func @known(%x: i32, %n: index) {
  %true = arith.constant true
  %false = arith.constant false
  %c1 = arith.constant 1 : index
  scf.loop token(%l) {
    scf.if %false {
      scf.break [%l]
    }
    func.call @use(%x) : (i32) -> ()
    scf.index_switch %c1
    case 1 {
      scf.continue [%l]
    }
    default {
      scf.yield
    }
    func.call @use(%x) : (i32) -> ()
    scf.break [%l]
  }
  scf.loop token(%l) {
    scf.for %i = %c1 to %n step %c1 {
      scf.if %true {
        scf.break [%l]
      }
      func.call @use(%x) : (i32) -> ()
    }
    scf.continue [%l]
  }
  return
}

// An inner loop that runs once leaves the outer one.
// CHECK-LABEL: func.func @inner
// CHECK: %[[R:.*]] = scf.loop token(%[[L:.*]]) iter_args(%[[A:.*]] = %arg0)
// CHECK-NOT: scf.loop
// CHECK: scf.break [%[[L]]]
// CHECK: scf.continue [%[[L]]]
// RUN: noria run %s --interpret --entry=inner 1 | FileCheck %s --check-prefix=INNER
// RUN: noria run %t.mlir --check-stages --entry=inner 1 | FileCheck %s --check-prefix=INNER
// INNER: {{^}}16 : i32
func.func @inner(%x: i32) -> i32 {
  %limit = arith.constant 10 : i32
  %r = scf.loop token(%l) iter_args(%a = %x) : i32 -> i32 {
    %s = scf.loop token(%k) iter_args(%b = %a) : i32 -> i32 {
      %big = arith.cmpi sgt, %b, %limit : i32
      scf.if %big {
        scf.break [%l] %b : i32
      }
      %c = arith.addi %b, %a : i32
      scf.break [%k] %c : i32
    }
    scf.continue [%l] %s : i32
  }
  return %r : i32
}
