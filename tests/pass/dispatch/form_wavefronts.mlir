// Loops that follow each other become stages of one dispatch where iteration t of a later one needs iterations up to t
// of earlier ones only.
// RUN: noria opt --form-wavefronts=min-iteration-ns=0 %s -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: noria run --interpret --entry=stack %s 37 > %t.expected
// RUN: noria run --interpret --entry=stack %t.mlir 37 | diff - %t.expected
// RUN: noria run --entry=stack %t.mlir 37 --threads=1 | diff - %t.expected
// RUN: noria run --entry=stack %t.mlir 37 --threads=2 | diff - %t.expected
// RUN: noria run --entry=stack %t.mlir 37 --threads=4 | diff - %t.expected
// RUN: noria run --interpret --entry=stack %s 38 > %t.even
// RUN: noria run --entry=stack %t.mlir 38 --threads=3 | diff - %t.even
// RUN: noria run --interpret --entry=stack %s 0 > %t.none
// RUN: noria run --entry=stack %t.mlir 0 --threads=3 | diff - %t.none
// RUN: not noria run --entry=fails %t.mlir 1000 --threads=3 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: not noria run --entry=forever %t.mlir --time-limit=0.2 2>&1 | FileCheck %s --check-prefix=LIMIT

// FAILS: iteration 500 of the second loop
// FAILS-NOT: error
// LIMIT: time limit

// CHECK-LABEL: flow.executable private @stack_wavefront_0
// CHECK: func.func @stack_wavefront_0
// CHECK: scf.index_switch
// CHECK-NEXT: case 0 {
// CHECK-NOT: stage_wait
// CHECK: rt.call "stage_post"
// CHECK: case 1 {
// CHECK: rt.call "stage_wait"(%{{.*}}, %c0_i64
// CHECK: rt.call "stage_post"
// CHECK: default {
// The third loop reads what the first and the second one write.
// CHECK: rt.call "stage_wait"(%{{.*}}, %c0_i64
// CHECK: rt.call "stage_wait"(%{{.*}}, %c1_i64
// CHECK-LABEL: func.func @stack(
// CHECK-NOT: scf.for
// CHECK: rt.dispatch @stack_wavefront_0::@stack_wavefront_0[%c1{{.*}}, %c1{{.*}}, %c3{{.*}}]
// CHECK-NOT: scf.for
// CHECK: scf.for
// CHECK: return
func.func @stack(%n: index) -> (i64, i64, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %k = arith.constant 3 : i64
  %a = memref.alloc(%n) : memref<?x2xi64>
  %x = memref.alloc() : memref<1xi64>
  %y = memref.alloc() : memref<1xi64>
  memref.store %k, %x[%c0] : memref<1xi64>
  memref.store %zero, %y[%c0] : memref<1xi64>
  // Swaps two buffers; which of them the results are depends on the number of iterations.
  %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%old = %x, %new = %y) -> (memref<1xi64>, memref<1xi64>) {
    %0 = memref.load %old[%c0] : memref<1xi64>
    %1 = arith.addi %0, %k : i64
    memref.store %1, %new[%c0] : memref<1xi64>
    memref.store %1, %a[%t, %c0] : memref<?x2xi64>
    memref.store %0, %a[%t, %c1] : memref<?x2xi64>
    scf.yield %new, %old : memref<1xi64>, memref<1xi64>
  }
  %last = memref.load %r#0[%c0] : memref<1xi64>
  memref.dealloc %r#0 : memref<1xi64>
  memref.dealloc %r#1 : memref<1xi64>
  %b = memref.alloc(%n) : memref<?xi64>
  %sum = scf.for %t = %c0 to %n step %c1 iter_args(%s = %zero) -> (i64) {
    %row = memref.subview %a[%t, 0] [1, 2] [1, 1] : memref<?x2xi64> to memref<2xi64, strided<[1], offset: ?>>
    %0 = memref.load %row[%c0] : memref<2xi64, strided<[1], offset: ?>>
    %1 = memref.load %row[%c1] : memref<2xi64, strided<[1], offset: ?>>
    %2 = arith.muli %0, %1 : i64
    memref.store %2, %b[%t] : memref<?xi64>
    %3 = arith.addi %s, %2 : i64
    scf.yield %3 : i64
  }
  %both = scf.for %t = %c0 to %n step %c1 iter_args(%s = %zero) -> (i64) {
    %0 = memref.load %a[%t, %c0] : memref<?x2xi64>
    %1 = memref.load %b[%t] : memref<?xi64>
    %2 = arith.xori %0, %1 : i64
    %3 = arith.addi %s, %2 : i64
    scf.yield %3 : i64
  }
  // Starts with a result of the loops before, so it is not one of them.
  %end = scf.for %t = %c0 to %n step %c1 iter_args(%s = %both) -> (i64) {
    %0 = memref.load %b[%t] : memref<?xi64>
    %1 = arith.addi %s, %0 : i64
    scf.yield %1 : i64
  }
  memref.dealloc %a : memref<?x2xi64>
  memref.dealloc %b : memref<?xi64>
  %all = arith.addi %last, %sum : i64
  return %all, %both, %end : i64, i64, i64
}

// Loops that do not depend on each other run side by side too.
// CHECK-LABEL: flow.executable private @apart_wavefront_0
// CHECK-NOT: stage_wait
// CHECK-LABEL: func.func @apart(
// CHECK: rt.dispatch
func.func @apart(%m: memref<?xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc(%n) : memref<?xi64>
  %b = memref.alloc(%n) : memref<?xi64>
  scf.for %t = %c0 to %n step %c1 {
    %0 = memref.load %m[%t] : memref<?xi64>
    memref.store %0, %a[%t] : memref<?xi64>
  }
  scf.for %t = %c0 to %n step %c1 {
    %0 = memref.load %m[%t] : memref<?xi64>
    memref.store %0, %b[%t] : memref<?xi64>
  }
  memref.dealloc %a : memref<?xi64>
  memref.dealloc %b : memref<?xi64>
  return
}

// Reads a row that the first loop writes later.
// CHECK-LABEL: func.func @ahead(
// CHECK-NOT: rt.dispatch
// CHECK: return
func.func @ahead(%n: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %m = arith.addi %n, %c1 : index
  %a = memref.alloc(%m) : memref<?xi64>
  scf.for %t = %c0 to %n step %c1 {
    %0 = arith.index_cast %t : index to i64
    memref.store %0, %a[%t] : memref<?xi64>
  }
  memref.store %zero, %a[%n] : memref<?xi64>
  %s = scf.for %t = %c0 to %n step %c1 iter_args(%s = %zero) -> (i64) {
    %next = arith.addi %t, %c1 : index
    %0 = memref.load %a[%next] : memref<?xi64>
    %1 = arith.addi %s, %0 : i64
    scf.yield %1 : i64
  }
  memref.dealloc %a : memref<?xi64>
  return %s : i64
}

// Writes a row that the first loop still has to read.
// CHECK-LABEL: func.func @overwrites(
// CHECK-NOT: rt.dispatch
// CHECK: return
func.func @overwrites(%a: memref<?xi64>, %b: memref<?xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  scf.for %t = %c0 to %n step %c1 {
    %next = arith.addi %t, %c1 : index
    %0 = memref.load %a[%next] : memref<?xi64>
    memref.store %0, %b[%t] : memref<?xi64>
  }
  scf.for %t = %c0 to %n step %c1 {
    %next = arith.addi %t, %c1 : index
    %after = arith.addi %next, %c1 : index
    memref.store %zero, %a[%after] : memref<?xi64>
  }
  return
}

// Other bounds.
// CHECK-LABEL: func.func @bounds(
// CHECK-NOT: rt.dispatch
// CHECK: return
func.func @bounds(%n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %a = memref.alloc(%n) : memref<?xi64>
  scf.for %t = %c0 to %n step %c1 {
    memref.store %zero, %a[%t] : memref<?xi64>
  }
  scf.for %t = %c0 to %m step %c1 {
    memref.store %zero, %a[%t] : memref<?xi64>
  }
  memref.dealloc %a : memref<?xi64>
  return
}

// The op between the loops reads what the first one writes and gives the second one a value.
// CHECK-LABEL: func.func @between(
// CHECK-NOT: rt.dispatch
// CHECK: return
func.func @between(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %a = memref.alloc(%n) : memref<?xi64>
  scf.for %t = %c0 to %n step %c1 {
    memref.store %zero, %a[%t] : memref<?xi64>
  }
  %first = memref.load %a[%c0] : memref<?xi64>
  scf.for %t = %c0 to %n step %c1 {
    memref.store %first, %a[%t] : memref<?xi64>
  }
  memref.dealloc %a : memref<?xi64>
  return
}

// CHECK-LABEL: func.func @fails(
// CHECK: rt.dispatch
func.func @fails(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c500 = arith.constant 500 : index
  %zero = arith.constant 0 : i64
  %a = memref.alloc(%n) : memref<?xi64>
  %b = memref.alloc(%n) : memref<?xi64>
  scf.for %t = %c0 to %n step %c1 {
    memref.store %zero, %a[%t] : memref<?xi64>
  }
  scf.for %t = %c0 to %n step %c1 {
    %fine = arith.cmpi ne, %t, %c500 : index
    rt.check %fine, "iteration %0 of the second loop"(%t : index)
    %0 = memref.load %a[%t] : memref<?xi64>
    memref.store %0, %b[%t] : memref<?xi64>
  }
  // Waits for iterations that never come.
  scf.for %t = %c0 to %n step %c1 {
    %0 = memref.load %b[%t] : memref<?xi64>
    memref.store %0, %b[%t] : memref<?xi64>
  }
  memref.dealloc %a : memref<?xi64>
  memref.dealloc %b : memref<?xi64>
  return
}

// A stage that nobody posts for: the time limit ends the wait.
func.func @forever() {
  %counters = memref.alloc() : memref<8xi64>
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  memref.store %zero, %counters[%c0] : memref<8xi64>
  rt.call "stage_wait"(%counters, %zero, %one) : (memref<8xi64>, i64, i64) -> ()
  memref.dealloc %counters : memref<8xi64>
  return
}
