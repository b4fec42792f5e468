// RUN: noria opt --cpu=x86-64-v3 --vectorize-parallel-loops --explain-vectorize %s 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=WHY < %t

// A loop may say that it stays scalar. Loops around it stay so too.

// CHECK-LABEL: func.func @halves
// CHECK-NOT: vector<
// WHY: [[#@LINE+6]]:3: remark: not vectorized: 'scf.parallel' op at [[#@LINE+6]]:3 has noria.loop = {vectorize = false}
func.func @halves(%a: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %n = memref.dim %a, %c0 : memref<?xi32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %x = memref.load %a[%i] : memref<?xi32>
    %r = scf.while (%y = %x) : (i32) -> i32 {
      %c = arith.cmpi sgt, %y, %one : i32
      scf.condition(%c) %y : i32
    } do {
    ^bb0(%y: i32):
      %m = arith.shrsi %y, %one : i32
      scf.yield %m : i32
    }
    memref.store %r, %a[%i] : memref<?xi32>
    scf.reduce
  } {noria.loop = {vectorize = false}}
  return
}

// CHECK-LABEL: func.func @around
// CHECK-NOT: vector<
// WHY: [[#@LINE+6]]:3: remark: not vectorized: 'scf.for' op at [[#@LINE+9]]:10 has noria.loop = {vectorize = false}
func.func @around(%a: memref<?xi32>, %b: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %n = memref.dim %a, %c0 : memref<?xi32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %x = memref.load %a[%i] : memref<?xi32>
    %trips = arith.index_cast %x : i32 to index
    %s = scf.for %k = %c0 to %trips step %c1 iter_args(%y = %z) -> (i32) {
      %m = arith.addi %y, %x : i32
      %m2 = arith.muli %m, %m : i32
      scf.yield %m2 : i32
    } {noria.loop = {vectorize = false}}
    memref.store %s, %b[%i] : memref<?xi32>
    scf.reduce
  }
  return
}

// A loop inside that does not diverge has no say.
// CHECK-LABEL: func.func @inside
// CHECK: vector<
func.func @inside(%a: memref<?xi32>, %b: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i32
  %n = memref.dim %a, %c0 : memref<?xi32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %x = memref.load %a[%i] : memref<?xi32>
    %s = scf.for %k = %c0 to %c4 step %c1 iter_args(%y = %x) -> (i32) {
      %m = arith.muli %y, %y : i32
      scf.yield %m : i32
    } {noria.loop = {vectorize = false}}
    %r = scf.while (%y = %s) : (i32) -> i32 {
      %c = arith.cmpi sgt, %y, %one : i32
      scf.condition(%c) %y : i32
    } do {
    ^bb0(%y: i32):
      %m = arith.shrsi %y, %one : i32
      scf.yield %m : i32
    }
    memref.store %r, %b[%i] : memref<?xi32>
    scf.reduce
  }
  return
}

// A loop that runs for some lanes only does.
// CHECK-LABEL: func.func @branch
// CHECK-NOT: vector<
// CHECK: return
func.func @branch(%a: memref<?xi32>, %b: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  %one = arith.constant 1 : i32
  %n = memref.dim %a, %c0 : memref<?xi32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %x = memref.load %a[%i] : memref<?xi32>
    %some = arith.cmpi sgt, %x, %one : i32
    %r = scf.if %some -> (i32) {
      %s = scf.for %k = %c0 to %c40 step %c1 iter_args(%y = %x) -> (i32) {
        %m = arith.muli %y, %y : i32
        %m1 = arith.addi %m, %one : i32
        scf.yield %m1 : i32
      } {noria.loop = {vectorize = false}}
      scf.yield %s : i32
    } else {
      scf.yield %x : i32
    }
    memref.store %r, %b[%i] : memref<?xi32>
    scf.reduce
  }
  return
}

// The attribute says nothing of an op that is no loop.
// CHECK-LABEL: func.func @no_loop
// CHECK: vector<
func.func @no_loop(%a: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant {noria.loop = {vectorize = false}} 1 : i32
  %n = memref.dim %a, %c0 : memref<?xi32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %three = arith.constant {noria.loop = {vectorize = false}} 3 : i32
    %x = memref.load %a[%i] : memref<?xi32>
    %r = scf.while (%y = %x) : (i32) -> i32 {
      %c = arith.cmpi sgt, %y, %three : i32
      scf.condition(%c) %y : i32
    } do {
    ^bb0(%y: i32):
      %m = arith.shrsi %y, %one : i32
      scf.yield %m : i32
    }
    memref.store %r, %a[%i] : memref<?xi32>
    scf.reduce
  }
  return
}
