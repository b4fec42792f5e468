// RUN: noria opt --mem2reg %s | FileCheck %s
// RUN: noria opt --mem2reg --syntax=mlir %s | mlir-opt
// RUN: noria opt --mem2reg %s -o %t.mlir

// CHECK-LABEL: func.func @loop
// CHECK-NOT: memref
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}) -> (i64) {
// CHECK-NEXT: %[[V:.*]] = arith.index_cast
// CHECK-NEXT: %[[N:.*]] = arith.addi %[[A]], %[[V]]
// CHECK-NEXT: scf.yield %[[N]]
// CHECK: return %[[R]]
// RUN: noria run %s --interpret --entry=loop 5 | FileCheck %s --check-prefix=LOOP
// RUN: noria run %t.mlir --check-stages --entry=loop 5 | FileCheck %s --check-prefix=LOOP
// LOOP: {{^}}10 : i64
func.func @loop(%n: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %m = memref.alloca() : memref<i64>
  memref.store %zero, %m[] : memref<i64>
  scf.for %i = %c0 to %n step %c1 {
    %v = arith.index_cast %i : index to i64
    %a = memref.load %m[] : memref<i64>
    %s = arith.addi %a, %v : i64
    memref.store %s, %m[] : memref<i64>
  }
  %r = memref.load %m[] : memref<i64>
  return %r : i64
}

// Collatz: a while, an if with one side, a switch, all over the same two elements.
// CHECK-LABEL: func.func @collatz
// CHECK-NOT: memref
// CHECK: return
// RUN: noria run %s --interpret --entry=collatz 27 | FileCheck %s --check-prefix=COLLATZ
// RUN: noria run %t.mlir --check-stages --entry=collatz 27 | FileCheck %s --check-prefix=COLLATZ
// COLLATZ: {{^}}111 : index
// COLLATZ: {{^}}1 : index
func.func @collatz(%x: index) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %m = memref.alloca() : memref<2xindex>
  memref.store %x, %m[%c0] : memref<2xindex>
  memref.store %c0, %m[%c1] : memref<2xindex>
  scf.while : () -> () {
    %v = memref.load %m[%c0] : memref<2xindex>
    %more = arith.cmpi ne, %v, %c1 : index
    scf.condition(%more)
  } do {
    %v = memref.load %m[%c0] : memref<2xindex>
    %odd = arith.remui %v, %c2 : index
    scf.index_switch %odd
    case 0 {
      %h = arith.divui %v, %c2 : index
      memref.store %h, %m[%c0] : memref<2xindex>
      scf.yield
    }
    default {
      %t = arith.muli %v, %c3 : index
      %p = arith.addi %t, %c1 : index
      memref.store %p, %m[%c0] : memref<2xindex>
      scf.yield
    }
    %true = arith.constant true
    scf.if %true {
      %steps = memref.load %m[%c1] : memref<2xindex>
      %s = arith.addi %steps, %c1 : index
      memref.store %s, %m[%c1] : memref<2xindex>
    }
    scf.yield
  }
  %steps = memref.load %m[%c1] : memref<2xindex>
  %last = memref.load %m[%c0] : memref<2xindex>
  return %steps, %last : index, index
}

// CHECK-LABEL: func.func @blocks
// CHECK-SAME: %[[N:.*]]: i32, %[[X:.*]]: i32)
// CHECK-NOT: memref
// CHECK: cf.br ^[[HEAD:.*]](%{{.*}} : i32)
// CHECK: ^[[HEAD]](%[[I:.*]]: i32):
// CHECK: arith.addi %[[I]], %[[X]]
// CHECK: return %[[I]]
// RUN: noria run %s --interpret --entry=blocks 7 3 | FileCheck %s --check-prefix=BLOCKS
// RUN: noria run %t.mlir --check-stages --entry=blocks 7 3 | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: {{^}}9 : i32
func.func @blocks(%n: i32, %x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %i = memref.alloca() : memref<i32>
  %step = memref.alloca() : memref<i32>
  memref.store %zero, %i[] : memref<i32>
  memref.store %x, %step[] : memref<i32>
  cf.br ^head
^head:
  %a = memref.load %i[] : memref<i32>
  %more = arith.cmpi slt, %a, %n : i32
  cf.cond_br %more, ^body, ^end
^body:
  %b = memref.load %i[] : memref<i32>
  %s = memref.load %step[] : memref<i32>
  %c = arith.addi %b, %s : i32
  memref.store %c, %i[] : memref<i32>
  cf.br ^head
^end:
  %r = memref.load %i[] : memref<i32>
  return %r : i32
}

// Two elements that change places in each iteration.
// CHECK-LABEL: func.func @swap
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (f32, f32) {
// CHECK-NEXT: scf.yield %[[B]], %[[A]]
// RUN: noria run %s --interpret --entry=swap 3 1.5 2.5 | FileCheck %s --check-prefix=SWAP
// RUN: noria run %t.mlir --check-stages --entry=swap 3 1.5 2.5 | FileCheck %s --check-prefix=SWAP
// SWAP: {{^}}2.5{{.*}} : f32
func.func @swap(%n: index, %x: f32, %y: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloca() : memref<f32>
  %b = memref.alloca() : memref<f32>
  memref.store %x, %a[] : memref<f32>
  memref.store %y, %b[] : memref<f32>
  scf.for %i = %c0 to %n step %c1 {
    %u = memref.load %a[] : memref<f32>
    %v = memref.load %b[] : memref<f32>
    memref.store %v, %a[] : memref<f32>
    memref.store %u, %b[] : memref<f32>
  }
  %r = memref.load %a[] : memref<f32>
  return %r : f32
}

// Read in a parallel loop, and written only before it.
// CHECK-LABEL: func.func @read_in_parallel
// CHECK-NOT: memref.alloca
// CHECK: scf.parallel
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%{{.*}}] : memref<4xf32>
func.func @read_in_parallel(%x: f32, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = memref.alloca() : memref<f32>
  memref.store %x, %a[] : memref<f32>
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    %v = memref.load %a[] : memref<f32>
    memref.store %v, %out[%i] : memref<4xf32>
  }
  return
}

// Not promoted: written in parallel, given away, an index that is not known, one that is outside, too many elements.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-5: memref.alloca
func.func private @take(memref<f32>)
func.func @others(%x: f32, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = memref.alloca() : memref<f32>
  scf.parallel (%j) = (%c0) to (%c4) step (%c1) {
    memref.store %x, %a[] : memref<f32>
  }
  %b = memref.alloca() : memref<f32>
  func.call @take(%b) : (memref<f32>) -> ()
  %c = memref.alloca() : memref<4xf32>
  memref.store %x, %c[%i] : memref<4xf32>
  %d = memref.alloca() : memref<4xf32>
  memref.store %x, %d[%c4] : memref<4xf32>
  %e = memref.alloca() : memref<400xf32>
  memref.store %x, %e[%c4] : memref<400xf32>
  return
}
