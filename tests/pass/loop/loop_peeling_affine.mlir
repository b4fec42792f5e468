// Affine loops are peeled and stay affine.
// RUN: noria opt --scf-for-loop-peeling --canonicalize %s | FileCheck %s
// RUN: noria opt --scf-for-loop-peeling --canonicalize --syntax=mlir %s | mlir-opt
// RUN: noria opt --pass-pipeline='scf-for-loop-peeling{peel-front}' --canonicalize %s | FileCheck %s --check-prefix=FRONT
// RUN: noria opt --pass-pipeline='scf-for-loop-peeling{peel-front}' --syntax=mlir %s | mlir-opt
// RUN: noria opt --scf-for-loop-peeling %s -o %t.mlir
// RUN: noria opt --pass-pipeline='scf-for-loop-peeling{peel-front}' %s -o %t.front.mlir
// RUN: noria opt --pass-pipeline='scf-for-loop-peeling{skip-partial=false}' %s -o %t.all.mlir

// CHECK-LABEL: func.func @known
// CHECK: affine.for %{{.*}} = 0 to 8 step 4 {
// CHECK: affine.for %{{.*}} = 8 to 10 step 4 {
// FRONT-LABEL: func.func @known
// FRONT: affine.for %{{.*}} = 0 to 4 step 4 {
// FRONT: affine.for %{{.*}} = 4 to 10 step 4 {
func.func @known(%m: memref<10xi32>) {
  %k = arith.constant 3 : i32
  affine.for %i = 0 to 10 step 4 {
    affine.store %k, %m[%i] : memref<10xi32>
  }
  return
}
// RUN: noria run %t.mlir --check-stages --entry=known zeros | FileCheck %s --check-prefix=KNOWN
// RUN: noria run %t.front.mlir --check-stages --entry=known zeros | FileCheck %s --check-prefix=KNOWN
// KNOWN: dense<[3, 0, 0, 0, 3, 0, 0, 0, 3, 0]>

// What is left is the step in the first loop, and less in the second.
// CHECK-LABEL: func.func @tiles
// CHECK-SAME: (%{{.*}}: memref<?xi32>, %[[N:.*]]: index)
// CHECK: affine.for %[[I:.*]] = 0 to %[[SPLIT:.*]] step 4 {
// CHECK-NOT: affine.min
// CHECK: affine.for %[[J:.*]] = %[[SPLIT]] to %[[N]] step 4 {
// CHECK-NOT: affine.min
// CHECK: return
func.func @tiles(%m: memref<?xi32>, %n: index) {
  affine.for %i = 0 to %n step 4 {
    %left = affine.min affine_map<(d0)[s0] -> (4, s0 - d0)>(%i)[%n]
    %k = arith.index_cast %left : index to i32
    affine.for %j = 0 to min affine_map<(d0)[s0] -> (4, s0 - d0)>(%i)[%n] {
      affine.store %k, %m[%i + %j] : memref<?xi32>
    }
  }
  return
}
// RUN: noria run %t.mlir --check-stages --entry=tiles zeros:10 10 | FileCheck %s --check-prefix=TILES
// RUN: noria run %t.front.mlir --check-stages --entry=tiles zeros:10 10 | FileCheck %s --check-prefix=TILES
// RUN: noria run %t.all.mlir --check-stages --entry=tiles zeros:10 10 | FileCheck %s --check-prefix=TILES
// RUN: noria run %s --interpret --entry=tiles zeros:10 10 | FileCheck %s --check-prefix=TILES
// TILES: dense<[4, 4, 4, 4, 4, 4, 4, 4, 2, 2]>
// RUN: noria run %t.mlir --check-stages --entry=tiles zeros:2 1 | FileCheck %s --check-prefix=ONE
// RUN: noria run %t.front.mlir --check-stages --entry=tiles zeros:2 1 | FileCheck %s --check-prefix=ONE
// ONE: dense<[1, 0]>
// RUN: noria run %t.mlir --check-stages --entry=tiles zeros:1 -3 | FileCheck %s --check-prefix=NONE
// RUN: noria run %t.front.mlir --check-stages --entry=tiles zeros:1 -3 | FileCheck %s --check-prefix=NONE
// NONE: dense<0>

// Bounds that change with the loop around: the cut is an expression.
// CHECK-LABEL: func.func @triangle
// CHECK: affine.for %[[I:.*]] = 0 to 9 {
// CHECK: %[[M:.*]] = affine.for %{{.*}} = 2 to #{{.*}}(%[[I]]) step 3 iter_args
// CHECK: affine.for %{{.*}} = max #{{.*}}(%[[I]]) to #{{.*}}(%[[I]]) step 3 iter_args(%{{.*}} = %[[M]])
// FRONT-LABEL: func.func @triangle
// FRONT: affine.for %{{.*}} = 2 to min #{{.*}}(%{{.*}}) step 3 iter_args
// FRONT: affine.for %{{.*}} = 5 to #{{.*}}(%{{.*}}) step 3 iter_args
func.func @triangle(%m: memref<9xindex>) {
  %c0 = arith.constant 0 : index
  affine.for %i = 0 to 9 {
    %s = affine.for %j = 2 to affine_map<(d0) -> (d0 * 2 - 3)>(%i) step 3 iter_args(%a = %c0) -> index {
      %x = arith.addi %a, %j : index
      affine.yield %x : index
    }
    affine.store %s, %m[%i] : memref<9xindex>
  }
  return
}
// RUN: noria run %s --interpret --entry=triangle zeros > %t.before
// RUN: noria run %t.mlir --check-stages --entry=triangle zeros > %t.after
// RUN: noria run %t.front.mlir --check-stages --entry=triangle zeros > %t.after_front
// RUN: diff %t.before %t.after && diff %t.before %t.after_front

// At the ends of the type nothing overflows.
func.func @ends(%l: index, %u: index) -> index {
  %c0 = arith.constant 0 : index
  %s = affine.for %i = %l to %u step 5 iter_args(%a = %c0) -> index {
    %x = arith.addi %a, %i : index
    affine.yield %x : index
  }
  return %s : index
}
// RUN: noria run %t.mlir --check-stages --entry=ends 9223372036854775793 9223372036854775807 | FileCheck %s --check-prefix=ENDS
// RUN: noria run %t.front.mlir --check-stages --entry=ends 9223372036854775793 9223372036854775807 | FileCheck %s --check-prefix=ENDS
// RUN: noria run %s --interpret --entry=ends 9223372036854775793 9223372036854775807 | FileCheck %s --check-prefix=ENDS
// ENDS: {{^}}9223372036854775778 : index
// RUN: noria run %t.mlir --check-stages --entry=ends 3 -9223372036854775808 | FileCheck %s --check-prefix=ZERO
// RUN: noria run %t.front.mlir --check-stages --entry=ends 9223372036854775807 -9223372036854775808 | FileCheck %s --check-prefix=ZERO
// ZERO: {{^}}0 : index
