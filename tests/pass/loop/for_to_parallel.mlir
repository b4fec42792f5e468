// RUN: noria opt --pass-pipeline=scf-for-to-parallel %s | FileCheck %s
// RUN: noria opt --pass-pipeline=scf-for-to-parallel --syntax=mlir %s | mlir-opt
// RUN: noria run --interpret --entry=sums %s zeros:9xi32 | FileCheck %s --check-prefix=OUT
// RUN: noria opt --pass-pipeline=scf-for-to-parallel %s | noria run - --interpret --entry=sums zeros:9xi32 | FileCheck %s --check-prefix=OUT
// RUN: noria opt --pass-pipeline=scf-for-to-parallel %s | noria run - --entry=sums zeros:9xi32 | FileCheck %s --check-prefix=OUT
// RUN: noria run --interpret --entry=all %s 5 | FileCheck %s --check-prefix=ALL
// RUN: noria opt --pass-pipeline=scf-for-to-parallel %s | noria run - --interpret --entry=all 5 | FileCheck %s --check-prefix=ALL
// RUN: noria opt --pass-pipeline=scf-for-to-parallel %s | noria run - --entry=all 5 | FileCheck %s --check-prefix=ALL
// RUN: noria run --interpret --entry=all %s 0 | FileCheck %s --check-prefix=NONE
// RUN: noria opt --pass-pipeline=scf-for-to-parallel %s | noria run - --interpret --entry=all 0 | FileCheck %s --check-prefix=NONE
// RUN: noria opt --pass-pipeline=scf-for-to-parallel %s | noria run - --entry=inner_step 0 0 | FileCheck %s --check-prefix=NEVER

// Both loops of a nest, which become one.
// CHECK-LABEL: func.func @transpose
// CHECK-SAME: %[[N:.*]]: index, %[[M:.*]]: index
// CHECK: scf.parallel (%[[I:.*]], %[[J:.*]]) = (%{{.*}}, %{{.*}}) to (%[[N]], %[[M]]) step
// CHECK-NEXT: memref.load %{{.*}}[%[[I]], %[[J]]]
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[J]], %[[I]]]
// CHECK-NEXT: scf.reduce
func.func @transpose(%n: index, %m: index, %a: memref<?x?xf32>, %b: memref<?x?xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %m step %c1 {
      %v = memref.load %a[%i, %j] : memref<?x?xf32>
      memref.store %v, %b[%j, %i] : memref<?x?xf32>
    }
  }
  return
}

// Rows are independent, the places in a row are not; a sum of floats may not change its order.
// CHECK-LABEL: func.func @rows
// CHECK: scf.parallel (%[[I:.*]]) =
// CHECK: scf.for {{.*}} iter_args
// CHECK: scf.for
// CHECK: memref.store
// CHECK-NOT: scf.parallel
// CHECK: return
func.func @rows(%n: index, %m: index, %a: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    %s = scf.for %j = %c0 to %m step %c1 iter_args(%t = %zero) -> (f32) {
      %v = memref.load %a[%i, %j] : memref<?x?xf32>
      %u = arith.addf %t, %v : f32
      scf.yield %u : f32
    }
    scf.for %j = %c1 to %m step %c1 {
      %k = arith.subi %j, %c1 : index
      %v = memref.load %a[%i, %k] : memref<?x?xf32>
      %w = arith.addf %v, %s : f32
      memref.store %w, %a[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// Two terms for each iteration; minimum; floats that may be reassociated.
// CHECK-LABEL: func.func @sums
// CHECK: scf.parallel (%[[K:.*]]) =
// CHECK: %[[R:.*]]:3 = scf.parallel
// CHECK: %[[T:.*]] = arith.addi %[[X:.*]], %[[Y:.*]] : i32
// CHECK: scf.reduce(%[[T]], %{{.*}}, %{{.*}} : i32, i32, f32) {
// CHECK: arith.addi
// CHECK: }, {
// CHECK: arith.minsi
// CHECK: }, {
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<reassoc> : f32
// OUT: 622 : i32
// OUT-NEXT: -14 : i32
// OUT-NEXT: -2.900000e+01 : f32
func.func @sums(%m: memref<9xi32>) -> (i32, i32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %ten = arith.constant 10 : i32
  %three = arith.constant 3 : i32
  %f = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c9 step %c1 {
    %v = arith.index_cast %i : index to i32
    %a = arith.muli %v, %three : i32
    %b = arith.subi %ten, %a : i32
    memref.store %b, %m[%i] : memref<9xi32>
  }
  %r:3 = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %ten, %l = %ten, %g = %f) -> (i32, i32, f32) {
    %x = memref.load %m[%i] : memref<9xi32>
    %y = arith.index_cast %i : index to i32
    %xx = arith.muli %x, %x : i32
    %n = arith.subi %y, %ten : i32
    %q = arith.minsi %x, %n : i32
    %p = arith.muli %q, %y : i32
    %h = arith.divsi %p, %ten : i32
    %s1 = arith.addi %s, %y : i32
    %s2 = arith.addi %xx, %s1 : i32
    %l1 = arith.minsi %x, %l : i32
    %w = arith.sitofp %h : i32 to f32
    %g1 = arith.addf %g, %w fastmath<reassoc> : f32
    scf.yield %s2, %l1, %g1 : i32, i32, f32
  }
  return %r#0, %r#1, %r#2 : i32, i32, f32
}

// The running value is used twice; subtracted; the order of overflow matters; it counts beyond all indices; it calls;
// it may write where it reads.
// CHECK-LABEL: func.func @stay
// CHECK-NOT: scf.parallel
// CHECK: return
func.func private @effect()
func.func @stay(%n: index, %k: i32, %far: i64, %m: memref<?xi32>, %o: memref<?xi32>) -> (i32, i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %k, %b = %k, %c = %k) -> (i32, i32, i32) {
    %x = memref.load %m[%i] : memref<?xi32>
    %a1 = arith.addi %a, %a : i32
    %b1 = arith.subi %x, %b : i32
    %c2 = arith.addi %c, %x overflow<nsw> : i32
    scf.yield %a1, %b1, %c2 : i32, i32, i32
  }
  scf.for unsigned %i = %one to %far step %one : i64 {
    %j = arith.index_cast %i : i64 to index
    memref.store %k, %m[%j] : memref<?xi32>
  }
  scf.for %i = %c0 to %n step %c1 {
    func.call @effect() : () -> ()
  }
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %m[%i] : memref<?xi32>
    memref.store %x, %o[%i] : memref<?xi32>
  }
  return %r#0, %r#1, %r#2 : i32, i32, i32
}

// What is added is the induction variable itself.
// CHECK-LABEL: func.func @count
// CHECK: scf.parallel (%[[I:.*]]) =
// CHECK-NEXT: scf.reduce(%[[I]] : index)
func.func @count(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> (index) {
    %t = arith.addi %i, %s : index
    scf.yield %t : index
  }
  return %r : index
}

// What is selected by a comparison is a maximum; what is subtracted is added with the other sign.
// CHECK-LABEL: func.func @selected
// CHECK: scf.parallel
// CHECK: %[[X:.*]] = memref.load
// CHECK: %[[MINUS:.*]] = arith.subi %{{.*}}, %[[X]] : i32
// CHECK: scf.reduce(%[[X]], %[[MINUS]], %[[X]] : i32, i32, i32) {
// CHECK: arith.maxsi
// CHECK: arith.addi
// CHECK: arith.minui
func.func @selected(%m: memref<?xi32>, %n: index, %z: i32) -> (i32, i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%g = %z, %d = %z, %l = %z) -> (i32, i32, i32) {
    %x = memref.load %m[%i] : memref<?xi32>
    %is = arith.cmpi sgt, %x, %g : i32
    %g1 = arith.select %is, %x, %g : i32
    %d1 = arith.subi %d, %x : i32
    %less = arith.cmpi ule, %l, %x : i32
    %l1 = arith.select %less, %l, %x : i32
    scf.yield %g1, %d1, %l1 : i32, i32, i32
  }
  return %r#0, %r#1, %r#2 : i32, i32, i32
}

// An element of memory is carried where the loop runs. Not when something else may meet it.
// CHECK-LABEL: func.func @cell
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %{{.*}}, %[[N:.*]] : index
// CHECK: scf.if %[[RUNS]] {
// CHECK-NEXT: %[[S:.*]] = memref.load %[[M:.*]][%[[K:.*]]] : memref<?xi32>
// CHECK-NEXT: %[[R:.*]] = scf.parallel (%[[I:.*]]) = (%{{.*}}) to (%[[N]]) step (%{{.*}}) init (%[[S]]) -> i32 {
// CHECK-NEXT: %[[X:.*]] = memref.load %{{.*}}[%[[I]]]
// CHECK-NEXT: memref.store
// CHECK-NEXT: scf.reduce(%[[X]] : i32)
// CHECK: memref.store %[[R]], %[[M]][%[[K]]] : memref<?xi32>
// CHECK: scf.for
// CHECK: scf.for
func.func @cell(%m: memref<?xi32> {llvm.noalias}, %a: memref<?xi32>, %b: memref<?xi32>, %n: index, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %a[%i] : memref<?xi32>
    %s = memref.load %m[%k] : memref<?xi32>
    memref.store %x, %a[%i] : memref<?xi32>
    %t = arith.addi %s, %x : i32
    memref.store %t, %m[%k] : memref<?xi32>
  }
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %m[%i] : memref<?xi32>
    %s = memref.load %m[%k] : memref<?xi32>
    %t = arith.addi %s, %x : i32
    memref.store %t, %m[%k] : memref<?xi32>
  }
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %b[%i] : memref<?xi32>
    %s = memref.load %a[%k] : memref<?xi32>
    %t = arith.addi %s, %x : i32
    memref.store %t, %a[%k] : memref<?xi32>
  }
  return
}

// CHECK-LABEL: func.func @affine_cell
// CHECK: scf.if
// CHECK-NEXT: %[[S:.*]] = affine.load %[[M:.*]][symbol(%[[N:.*]]) + 1]
// CHECK-NEXT: scf.parallel {{.*}} init (%[[S]])
// CHECK: affine.store %{{.*}}, %[[M]][symbol(%[[N]]) + 1]
// CHECK: scf.for
// CHECK: affine.store %{{.*}}, %[[M]][symbol(%[[N]]) + 2]
func.func @affine_cell(%m: memref<?xi32>, %n: index, %x: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %s = affine.load %m[symbol(%n) + 1] : memref<?xi32>
    %t = arith.addi %s, %x : i32
    affine.store %t, %m[symbol(%n) + 1] : memref<?xi32>
  }
  scf.for %i = %c0 to %n step %c1 {
    %s = affine.load %m[symbol(%n) + 1] : memref<?xi32>
    %t = arith.addi %s, %x : i32
    affine.store %t, %m[symbol(%n) + 2] : memref<?xi32>
  }
  return
}

// Places that are told apart by more than one sum: the halves of what is twice as long; tiles; rows by their number
// divided; a row as a view; vectors.
// CHECK-LABEL: func.func @places
// CHECK: scf.parallel
// CHECK-NOT: scf.for
// CHECK: scf.parallel
// CHECK-NOT: scf.for
// CHECK: scf.parallel
// CHECK-NOT: scf.for
// CHECK: scf.parallel
// CHECK-NOT: scf.for
// CHECK: scf.parallel
// CHECK-NEXT: memref.subview
// CHECK-NEXT: scf.for
// CHECK-NOT: scf.for
// CHECK: scf.parallel
// CHECK-NOT: scf.for
// CHECK: return
func.func @places(%n: index, %m: memref<?xi32>, %w: memref<?x8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c1 {
    %h = arith.addi %i, %n : index
    %x = memref.load %m[%h] : memref<?xi32>
    memref.store %x, %m[%i] : memref<?xi32>
  }
  scf.for %ii = %c0 to %n step %c3 {
    %e = arith.addi %ii, %c3 : index
    %u = arith.minsi %e, %n : index
    scf.for %i = %ii to %u step %c1 {
      %x = memref.load %m[%i] : memref<?xi32>
      %y = arith.muli %x, %x : i32
      memref.store %y, %m[%i] : memref<?xi32>
    }
  }
  scf.for %i = %c0 to %n step %c1 {
    %r = arith.divui %i, %c8 : index
    %c = arith.remui %i, %c8 : index
    %x = arith.index_cast %i : index to i32
    memref.store %x, %w[%r, %c] : memref<?x8xi32>
  }
  scf.for %i = %c1 to %c3 step %c1 {
    %row = memref.subview %w[%i, 0] [1, 8] [1, 1] : memref<?x8xi32> to memref<8xi32, strided<[1], offset: ?>>
    scf.for %j = %c1 to %c8 step %c1 {
      %k = arith.subi %j, %c1 : index
      %x = memref.load %row[%k] : memref<8xi32, strided<[1], offset: ?>>
      %y = arith.addi %x, %x : i32
      memref.store %y, %row[%j] : memref<8xi32, strided<[1], offset: ?>>
    }
  }
  scf.for %i = %c0 to %c8 step %c4 {
    %v = vector.load %w[%c0, %i] : memref<?x8xi32>, vector<4xi32>
    %x = arith.addi %v, %v : vector<4xi32>
    vector.store %x, %w[%c0, %i] : memref<?x8xi32>, vector<4xi32>
  }
  return
}

// A vector that is longer than the step; tiles that overlap by one.
// CHECK-LABEL: func.func @overlapping
// CHECK-NOT: scf.parallel
// CHECK: return
func.func @overlapping(%n: index, %m: memref<?xi32>, %x: i32, %w: memref<?x8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c3 {
    %v = vector.load %w[%c0, %i] : memref<?x8xi32>, vector<4xi32>
    vector.store %v, %w[%c1, %i] : memref<?x8xi32>, vector<4xi32>
  }
  scf.for %ii = %c0 to %n step %c3 {
    %e = arith.addi %ii, %c4 : index
    scf.for %i = %ii to %e step %c1 {
      %y = memref.load %m[%i] : memref<?xi32>
      %z = arith.muli %y, %y : i32
      memref.store %z, %m[%ii] : memref<?xi32>
    }
  }
  return
}

// ALL: 2062 : i32
// ALL-NEXT: 1024 : i32
// ALL-NEXT: -1024 : i32
// ALL-NEXT: 0 : i32
// ALL-NEXT: dense<[2, 4, 8, 16, 32, 64, 128, 256]>
// NONE: 7 : i32
// NONE-NEXT: 1024 : i32
// NONE-NEXT: -1024 : i32
// NONE-NEXT: 0 : i32
// NONE-NEXT: dense<[2, 0, 0, 0, 0, 0, 0, 0]>
func.func @all(%n: index) -> (i32, i32, i32, i32, memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c10 = arith.constant 10 : index
  %z = arith.constant 0 : i32
  %seven = arith.constant 7 : i32
  %a = memref.alloc() : memref<16xi32>
  %m = memref.alloc() : memref<1xi32>
  %w = memref.alloc() : memref<4x8xi32>
  %o = memref.alloc() : memref<8xi32>
  memref.store %seven, %m[%c0] : memref<1xi32>
  scf.for %i = %c0 to %c10 step %c1 {
    %v = arith.index_cast %i : index to i32
    %x = arith.muli %v, %v : i32
    memref.store %x, %a[%i] : memref<16xi32>
  }
  %t = arith.constant 1024 : i32
  memref.store %t, %a[%c0] : memref<16xi32>
  scf.for %i = %c0 to %c2 step %c1 {
    %r = memref.subview %w[%i, 0] [1, 8] [1, 1] : memref<4x8xi32> to memref<8xi32, strided<[1], offset: ?>>
    %c8 = arith.constant 8 : index
    scf.for %j = %c0 to %c8 step %c1 {
      memref.store %z, %r[%j] : memref<8xi32, strided<[1], offset: ?>>
    }
  }
  %wd = memref.cast %w : memref<4x8xi32> to memref<?x8xi32>
  %ad = memref.cast %a : memref<16xi32> to memref<?xi32>
  %md = memref.cast %m : memref<1xi32> to memref<?xi32>
  %two = arith.constant 2 : i32
  memref.store %two, %w[%c1, %c0] : memref<4x8xi32>
  %some = arith.cmpi sgt, %n, %c0 : index
  scf.if %some {
    func.call @places(%c0, %ad, %wd) : (index, memref<?xi32>, memref<?x8xi32>) -> ()
  }
  %s:3 = func.call @selected(%ad, %c1, %z) : (memref<?xi32>, index, i32) -> (i32, i32, i32)
  %none = arith.constant 0 : index
  %far = arith.constant 99 : index
  scf.if %some {
    func.call @cell(%md, %ad, %ad, %c1, %c0) : (memref<?xi32>, memref<?xi32>, memref<?xi32>, index, index) -> ()
  } else {
    func.call @cell(%md, %ad, %ad, %none, %far) : (memref<?xi32>, memref<?xi32>, memref<?xi32>, index, index) -> ()
  }
  %sum = memref.load %m[%c0] : memref<1xi32>
  scf.for %j = %c0 to %c1 step %c1 {
    %r = memref.subview %w[1, 0] [1, 8] [1, 1] : memref<4x8xi32> to memref<8xi32, strided<[1], offset: 8>>
    %q = memref.subview %o[0] [8] [1] : memref<8xi32> to memref<8xi32, strided<[1]>>
    memref.copy %r, %q : memref<8xi32, strided<[1], offset: 8>> to memref<8xi32, strided<[1]>>
  }
  return %sum, %s#0, %s#1, %s#2, %o : i32, i32, i32, i32, memref<8xi32>
}

// The inner step is looked at only where the outer loop runs: it stays a loop of its own.
// CHECK-LABEL: func.func @inner_step
// CHECK: scf.parallel (%{{.*}}) =
// CHECK-NEXT: scf.parallel (%{{.*}}) =
// CHECK: return
// NEVER: 0 : i32
func.func @inner_step(%n: index, %s: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %m = memref.alloc() : memref<4x4xi32>
  memref.store %zero, %m[%c0, %c0] : memref<4x4xi32>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c4 step %s {
      memref.store %one, %m[%i, %j] : memref<4x4xi32>
    }
  }
  %v = memref.load %m[%c0, %c0] : memref<4x4xi32>
  memref.dealloc %m : memref<4x4xi32>
  return %v : i32
}
