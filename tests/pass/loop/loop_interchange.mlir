// RUN: noria opt --loop-interchange %s | FileCheck %s
// RUN: noria opt --pass-pipeline='loop-interchange{permutation-map=1,0}' %s | FileCheck %s --check-prefix=SWAP
// RUN: noria opt --pass-pipeline='loop-interchange{permutation-map=1,2,0}' %s | FileCheck %s --check-prefix=TURN
// RUN: noria opt --loop-interchange --syntax=mlir %s | mlir-opt
// RUN: not noria opt --pass-pipeline='loop-interchange{permutation-map=0,2}' %s 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: loop-interchange: permutation-map is no permutation
// RUN: noria run %s --entry=matmul '[[1.0, 2.0], [3.0, 4.0]]' '[[5.0, 6.0], [7.0, 8.0]]' zeros:2x2xf32 > %t.before
// RUN: noria opt --loop-interchange %s | noria run - --entry=matmul '[[1.0, 2.0], [3.0, 4.0]]' '[[5.0, 6.0], [7.0, 8.0]]' zeros:2x2xf32 > %t.after
// RUN: diff %t.before %t.after

// The elements of a row lie together: the loop over columns goes inside.
// CHECK-LABEL: func.func @columns_first
// CHECK-SAME: , %[[N:[^:]*]]: index, %[[M:[^:]*]]: index
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[N]]
// CHECK-NEXT: scf.for %[[J:.*]] = %{{.*}} to %[[M]]
// CHECK-NEXT: memref.load %{{.*}}[%[[I]], %[[J]]]
func.func @columns_first(%a: memref<?x?xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %m step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      %x = memref.load %a[%i, %j] : memref<?x?xf32>
      %y = arith.negf %x : f32
      memref.store %y, %a[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// a[i - 1, j + 1] is written an iteration of i earlier and one of j later: the loops must not change places.
// CHECK-LABEL: func.func @skewed
// CHECK: scf.for %{{.*}} = %{{.*}} to %c63
// CHECK-NEXT: scf.for %{{.*}} = %{{.*}} to %c31
// SWAP-LABEL: func.func @skewed
// SWAP: scf.for %{{.*}} = %{{.*}} to %c63
// SWAP-NEXT: scf.for %{{.*}} = %{{.*}} to %c31
func.func @skewed(%a: memref<64x32xf32>) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c31 = arith.constant 31 : index
  %c63 = arith.constant 63 : index
  scf.for %i = %c1 to %c63 step %c1 {
    scf.for %j = %c0 to %c31 step %c1 {
      %up = arith.subi %i, %c1 : index
      %right = arith.addi %j, %c1 : index
      %x = memref.load %a[%up, %right] : memref<64x32xf32>
      memref.store %x, %a[%i, %j] : memref<64x32xf32>
    }
  }
  return
}

// a[i - 1, j - 1] is earlier in both: they may.
// SWAP-LABEL: func.func @diagonal
// SWAP: scf.for %{{.*}} = %{{.*}} to %c31
// SWAP-NEXT: scf.for %{{.*}} = %{{.*}} to %c63
func.func @diagonal(%a: memref<64x32xf32>) {
  %c1 = arith.constant 1 : index
  %c31 = arith.constant 31 : index
  %c63 = arith.constant 63 : index
  scf.for %i = %c1 to %c63 step %c1 {
    scf.for %j = %c1 to %c31 step %c1 {
      %up = arith.subi %i, %c1 : index
      %left = arith.subi %j, %c1 : index
      %x = memref.load %a[%up, %left] : memref<64x32xf32>
      memref.store %x, %a[%i, %j] : memref<64x32xf32>
    }
  }
  return
}

// Sums of integers may be made in any order, sums of floats and everything else that is carried may not.
// SWAP-LABEL: func.func @sums
// SWAP-SAME: , %[[N:[^:]*]]: index, %[[M:[^:]*]]: index
// SWAP: scf.for %{{.*}} to %[[M]]
// SWAP-NEXT: scf.for %{{.*}} to %[[N]]
// SWAP: scf.for %{{.*}} to %[[N]]
// SWAP-NEXT: scf.for %{{.*}} to %[[M]]
// SWAP: scf.for %{{.*}} to %[[N]]
// SWAP-NEXT: scf.for %{{.*}} to %[[M]]
func.func @sums(%a: memref<?x?xi32>, %b: memref<?x?xf32>, %n: index, %m: index) -> (i32, f32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> (i32) {
    %q = scf.for %j = %c0 to %m step %c1 iter_args(%t = %s) -> (i32) {
      %x = memref.load %a[%i, %j] : memref<?x?xi32>
      %u = arith.addi %t, %x : i32
      scf.yield %u : i32
    }
    scf.yield %q : i32
  }
  %r1 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %f) -> (f32) {
    %q = scf.for %j = %c0 to %m step %c1 iter_args(%t = %s) -> (f32) {
      %x = memref.load %b[%i, %j] : memref<?x?xf32>
      %u = arith.addf %t, %x : f32
      scf.yield %u : f32
    }
    scf.yield %q : f32
  }
  %r2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> (i32) {
    %q = scf.for %j = %c0 to %m step %c1 iter_args(%t = %s) -> (i32) {
      %x = memref.load %a[%i, %j] : memref<?x?xi32>
      %u = arith.subi %x, %t : i32
      scf.yield %u : i32
    }
    scf.yield %q : i32
  }
  return %r, %r1, %r2 : i32, f32, i32
}

// The product of matrices: i, j, k becomes i, k, j. The map 1, 2, 0 makes it k, i, j. %c must be a buffer of its own.
// CHECK-LABEL: func.func @matmul
// CHECK: memref.dim %{{.*}}, %{{.*}}
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[N:.*]] step
// CHECK-NEXT: scf.for %[[K:.*]] = %{{.*}} to %[[L:.*]] step
// CHECK-NEXT: scf.for %[[J:.*]] = %{{.*}} to %[[M:.*]] step
// CHECK-NEXT: memref.load %{{.*}}[%[[I]], %[[K]]]
// CHECK-NEXT: memref.load %{{.*}}[%[[K]], %[[J]]]
// TURN-LABEL: func.func @matmul
// TURN: scf.for %[[K:.*]] = %{{.*}} to %[[L:.*]] step
// TURN-NEXT: scf.for %[[I:.*]] = %{{.*}} to %[[N:.*]] step
// TURN-NEXT: scf.for %[[J:.*]] = %{{.*}} to %[[M:.*]] step
// TURN-NEXT: memref.load %{{.*}}[%[[I]], %[[K]]]
func.func @matmul(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?x?xf32>
  %l = memref.dim %a, %c1 : memref<?x?xf32>
  %m = memref.dim %b, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %m step %c1 {
      scf.for %k = %c0 to %l step %c1 {
        %x = memref.load %a[%i, %k] : memref<?x?xf32>
        %y = memref.load %b[%k, %j] : memref<?x?xf32>
        %z = memref.load %c[%i, %j] : memref<?x?xf32>
        %p = arith.mulf %x, %y : f32
        %s = arith.addf %z, %p : f32
        memref.store %s, %c[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

// What is printed comes in the order of the program.
// SWAP-LABEL: func.func @calls
// SWAP: scf.for %{{.*}} to %c3
// SWAP-NEXT: scf.for %{{.*}} to %c4
func.func private @print(index)
func.func @calls() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c3 step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      func.call @print(%j) : (index) -> ()
    }
  }
  return
}

// A step that may be 0, of a loop that then never begins: outside it would. The outer loop's step may go inside.
// SWAP-LABEL: func.func @any_step
// SWAP-SAME: (%[[N:.*]]: index, %[[S:.*]]: index)
// SWAP: scf.for %{{.*}} = %c0 to %[[N]] step %c1
// SWAP: scf.for %{{.*}} = %c0 to %c8 step %[[S]]
// SWAP: scf.for %{{.*}} = %c0 to %c8 step %c1
// SWAP: scf.for %{{.*}} = %c0 to %[[N]] step %[[S]]
func.func @any_step(%n: index, %s: index) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0) -> (index) {
    %q = scf.for %j = %c0 to %c8 step %s iter_args(%b = %a) -> (index) {
      %x = arith.addi %b, %j : index
      scf.yield %x : index
    }
    scf.yield %q : index
  }
  %t = scf.for %i = %c0 to %n step %s iter_args(%a = %c0) -> (index) {
    %q = scf.for %j = %c0 to %c8 step %c1 iter_args(%b = %a) -> (index) {
      %x = arith.addi %b, %j : index
      scf.yield %x : index
    }
    scf.yield %q : index
  }
  return %r, %t : index, index
}
