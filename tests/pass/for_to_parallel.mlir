// RUN: noria opt --pass-pipeline=scf-for-to-parallel %s | FileCheck %s
// RUN: noria opt --pass-pipeline=scf-for-to-parallel --syntax=mlir %s | mlir-opt
// RUN: noria run --interpret --entry=sums %s zeros:9xi32 | FileCheck %s --check-prefix=OUT
// RUN: noria opt --pass-pipeline=scf-for-to-parallel %s | noria run - --interpret --entry=sums zeros:9xi32 | FileCheck %s --check-prefix=OUT
// RUN: noria opt --pass-pipeline=scf-for-to-parallel %s | noria run - --entry=sums zeros:9xi32 | FileCheck %s --check-prefix=OUT

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

// The running value is used twice; subtracted from; the order of overflow matters; it counts in i32; it calls; it may
// write where it reads.
// CHECK-LABEL: func.func @stay
// CHECK-NOT: scf.parallel
// CHECK: return
func.func private @effect()
func.func @stay(%n: index, %k: i32, %m: memref<?xi32>, %o: memref<?xi32>) -> (i32, i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %k, %b = %k, %c = %k) -> (i32, i32, i32) {
    %x = memref.load %m[%i] : memref<?xi32>
    %a1 = arith.addi %a, %a : i32
    %b1 = arith.subi %b, %x : i32
    %c2 = arith.addi %c, %x overflow<nsw> : i32
    scf.yield %a1, %b1, %c2 : i32, i32, i32
  }
  scf.for %i = %one to %k step %one : i32 {
    %j = arith.index_cast %i : i32 to index
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
