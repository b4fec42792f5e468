// RUN: noria opt --affine-parallelize=parallel-reductions --syntax=mlir %s | FileCheck %s
// RUN: noria opt --affine-parallelize=parallel-reductions --syntax=mlir %s | mlir-opt
// RUN: noria opt --pass-pipeline='affine-parallelize{max-nested=1}' %s | FileCheck %s --check-prefix=ONE
// RUN: noria run --entry=all %s 6 | FileCheck %s --check-prefix=OUT
// RUN: noria opt --affine-parallelize=parallel-reductions %s | noria run - --entry=all 6 | FileCheck %s --check-prefix=OUT
// RUN: noria opt --affine-parallelize=parallel-reductions %s | noria run - --interpret --entry=all 6 | FileCheck %s --check-prefix=OUT
// RUN: noria run --entry=all %s 0 | FileCheck %s --check-prefix=NONE
// RUN: noria opt --affine-parallelize=parallel-reductions %s | noria run - --entry=all 0 | FileCheck %s --check-prefix=NONE

// Odd places are read, even ones written.
// CHECK-LABEL: func.func @even
// CHECK: affine.parallel (%[[I:.*]]) = (0) to (symbol(%{{.*}})) {
// CHECK-NEXT: affine.load %{{.*}}[%[[I]] * 2 + 1]
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[I]] * 2]
func.func @even(%a: memref<?xi32>, %n: index) {
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i * 2 + 1] : memref<?xi32>
    affine.store %x, %a[%i * 2] : memref<?xi32>
  }
  return
}

// Sums begin with 0, and are added to what they began with behind the loop. The bounds keep their maps.
// CHECK-LABEL: func.func @sums
// CHECK-SAME: index, %[[Z:.*]]: i32
// CHECK: %[[R:.*]]:2 = affine.parallel (%[[I:.*]]) = (max(%{{.*}} - 4, 0)) to (min(%{{.*}} + 5, symbol(%{{.*}}))) step (2) reduce ("addi", "addi") -> (i32, i32) {
// CHECK: %[[X:.*]] = affine.load
// CHECK: %[[M:.*]] = arith.subi %{{.*}}, %{{.*}} : i32
// CHECK: affine.yield %[[X]], %[[M]] : i32, i32
// CHECK: arith.addi %[[Z]], %[[R]]#0 : i32
// CHECK: arith.addi %{{.*}}, %[[R]]#1 : i32
// ONE-LABEL: func.func @sums
// ONE-NOT: affine.parallel
// ONE: return
func.func @sums(%a: memref<?xi32>, %n: index, %z: i32) -> (i32, i32) {
  %c = arith.constant 3 : i32
  %r:2 = affine.for %i = max affine_map<(d0) -> (d0 - 4, 0)>(%n) to min affine_map<(d0)[s0] -> (d0 + 5, s0)>(%n)[%n] step 2 iter_args(%s = %z, %k = %c) -> (i32, i32) {
    %x = affine.load %a[%i] : memref<?xi32>
    %t = arith.addi %s, %x : i32
    %q = arith.index_cast %i : index to i32
    %l = arith.subi %k, %q : i32
    affine.yield %t, %l : i32, i32
  }
  return %r#0, %r#1 : i32, i32
}

// In a row each place hangs on the one before; in the second nest none does, nor where places are quotient and rest.
// CHECK-LABEL: func.func @nests
// CHECK: affine.parallel
// CHECK-NEXT: affine.for
// CHECK: affine.parallel
// CHECK-NEXT: affine.parallel
// CHECK: affine.parallel
// CHECK: affine.for
// CHECK: return
// ONE-LABEL: func.func @nests
// ONE: affine.parallel
// ONE-NEXT: affine.for
// ONE: affine.parallel
// ONE-NEXT: affine.for
func.func @nests(%a: memref<?x4xi32>, %n: index, %one: i32) {
  affine.for %i = 0 to %n {
    affine.for %j = 1 to 4 {
      %x = affine.load %a[%i, %j - 1] : memref<?x4xi32>
      affine.store %x, %a[%i, %j] : memref<?x4xi32>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 4 {
      %x = affine.load %a[%i, %j] : memref<?x4xi32>
      %y = arith.addi %x, %one : i32
      affine.store %y, %a[%i, %j] : memref<?x4xi32>
    }
  }
  affine.for %i = 0 to affine_map<()[s0] -> (s0 * 4)>()[%n] {
    affine.store %one, %a[%i floordiv 4, %i mod 4] : memref<?x4xi32>
  }
  affine.for %i = 0 to %n {
    affine.store %one, %a[%i floordiv 3, %i mod 4] : memref<?x4xi32>
  }
  return
}

// A sum of floats may not change its order, nor one of numbers that would overflow; an affine.parallel has no sums of
// indices.
// CHECK-LABEL: func.func @stay
// CHECK-NOT: affine.parallel
// CHECK: return
func.func @stay(%a: memref<?xf32>, %n: index, %z: f32, %k: i32) -> (f32, i32) {
  %r:2 = affine.for %i = 0 to %n iter_args(%s = %z, %j = %k) -> (f32, i32) {
    %x = affine.load %a[%i] : memref<?xf32>
    %t = arith.addf %s, %x : f32
    %l = arith.addi %j, %k overflow<nsw> : i32
    affine.yield %t, %l : f32, i32
  }
  %c0 = arith.constant 0 : index
  %q = affine.for %i = 0 to %n iter_args(%s = %c0) -> index {
    %t = arith.addi %s, %i : index
    affine.yield %t : index
  }
  return %r#0, %r#1 : f32, i32
}

// OUT: 108 : i32
// OUT-NEXT: -3 : i32
// OUT-NEXT: dense<[1, 1, 3, 3, 5, 5, 7, 7, 9, 9, 11, 11]>
// NONE: 100 : i32
// NONE-NEXT: 3 : i32
// NONE-NEXT: dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]>
func.func @all(%n: index) -> (i32, i32, memref<12xi32>) {
  %a = memref.alloc() : memref<12xi32>
  %z = arith.constant 100 : i32
  affine.for %i = 0 to 12 {
    %x = arith.index_cast %i : index to i32
    affine.store %x, %a[%i] : memref<12xi32>
  }
  %d = memref.cast %a : memref<12xi32> to memref<?xi32>
  func.call @even(%d, %n) : (memref<?xi32>, index) -> ()
  %r:2 = func.call @sums(%d, %n, %z) : (memref<?xi32>, index, i32) -> (i32, i32)
  return %r#0, %r#1, %a : i32, i32, memref<12xi32>
}
