// RUN: noria opt --affine-loop-unroll --canonicalize %s | FileCheck %s
// RUN: noria opt --affine-loop-unroll --canonicalize --syntax=mlir %s | mlir-opt
// RUN: noria opt --pass-pipeline='affine-loop-unroll{unroll-full}' --canonicalize %s | FileCheck %s --check-prefix=FULL
// RUN: noria opt --pass-pipeline='affine-loop-unroll{unroll-factor=-1 unroll-full-threshold=4}' %s | FileCheck %s --check-prefix=SHORT
// RUN: noria opt --affine-loop-unroll --canonicalize %s -o %t.mlir
// RUN: noria opt --pass-pipeline='affine-loop-unroll{unroll-factor=3 unroll-num-reps=2}' %s -o %t3.mlir

// Of all, those of 4 iterations at most.
// CHECK-LABEL: func.func @short
// SHORT-LABEL: func.func @short
// FULL-LABEL: func.func @short
// SHORT-NOT: affine.for
// SHORT-COUNT-3: affine.store
// SHORT: affine.for %{{.*}} = 0 to 9
// SHORT-NEXT: affine.store
// SHORT-NOT: affine.store
// SHORT: return
func.func @short(%m: memref<?xf32>, %x: f32) {
  affine.for %i = 0 to 3 {
    affine.store %x, %m[%i] : memref<?xf32>
  }
  affine.for %i = 0 to 9 {
    affine.store %x, %m[%i] : memref<?xf32>
  }
  return
}

// CHECK-LABEL: func.func @known
// CHECK: affine.for %[[I:.*]] = 0 to 8 step 4 {
// CHECK: affine.load %{{.*}}[%[[I]] * 3 + 4]
// CHECK: affine.for %{{.*}} = 8 to 10 {
// CHECK-NOT: scf.for
// FULL-LABEL: func.func @known
// FULL-NOT: affine.for
// FULL: affine.store %{{.*}}, %{{.*}}[9]
// RUN: noria run %s --interpret --entry=known '[0,7,14,21,28,4,11,18,25,1,8,15,22,29,5,12,19,26,2,9,16,23,30,6,13,20,27,3,10,17,24,0,7,14,21,28,4,11,18,25]' > %t.before
// RUN: noria run %t.mlir --check-stages --entry=known '[0,7,14,21,28,4,11,18,25,1,8,15,22,29,5,12,19,26,2,9,16,23,30,6,13,20,27,3,10,17,24,0,7,14,21,28,4,11,18,25]' > %t.after
// RUN: noria run %t3.mlir --check-stages --entry=known '[0,7,14,21,28,4,11,18,25,1,8,15,22,29,5,12,19,26,2,9,16,23,30,6,13,20,27,3,10,17,24,0,7,14,21,28,4,11,18,25]' > %t.after3
// RUN: diff %t.before %t.after && diff %t.before %t.after3
func.func @known(%m: memref<40xi32>) {
  affine.for %i = 0 to 10 {
    %v = affine.load %m[%i * 3 + 1] : memref<40xi32>
    affine.store %v, %m[%i] : memref<40xi32>
  }
  return
}

// Where the loop is cut is computed in front; it is right at every end of the type, also where the loop does not run.
// CHECK-LABEL: func.func @sum
// CHECK-SAME: (%[[L:.*]]: index, %[[U:.*]]: index)
// CHECK: %[[M:.*]] = affine.for %{{.*}} = %[[L]] to %[[SPLIT:.*]] step 8 iter_args
// CHECK: affine.for %{{.*}} = %[[SPLIT]] to %[[U]] step 2 iter_args(%{{.*}} = %[[M]])
// RUN: noria run %t.mlir --check-stages --entry=sum 3 40 | FileCheck %s --check-prefix=SUM
// RUN: noria run %t3.mlir --check-stages --entry=sum 3 40 | FileCheck %s --check-prefix=SUM
// SUM: 399 : index
// RUN: noria run %t.mlir --check-stages --entry=sum 5 -9223372036854775808 | FileCheck %s --check-prefix=NONE
// RUN: noria run %t3.mlir --check-stages --entry=sum 9223372036854775807 -9223372036854775808 | FileCheck %s --check-prefix=NONE
// NONE: {{^}}0 : index
// RUN: noria run %t.mlir --check-stages --entry=sum 9223372036854775790 9223372036854775807 | FileCheck %s --check-prefix=END
// RUN: noria run %s --interpret --entry=sum 9223372036854775790 9223372036854775807 | FileCheck %s --check-prefix=END
// END: {{^}}9223372036854775718 : index
func.func @sum(%l: index, %u: index) -> index {
  %z = arith.constant 0 : index
  %s = affine.for %i = %l to %u step 2 iter_args(%a = %z) -> index {
    %b = arith.addi %a, %i : index
    affine.yield %b : index
  }
  return %s : index
}

// Of an inner loop that runs up to the outer index it is an expression, where that is known not to overflow.
// CHECK-LABEL: func.func @triangle
// CHECK: affine.for %[[I:[^ ]*]] = 0 to 11 iter_args
// CHECK: affine.for %{{.*}} = 0 to #[[$MAP:.*]](%[[I]]) step 4 iter_args
// CHECK: affine.for %{{.*}} = #[[$MAP]](%[[I]]) to #{{.*}}(%[[I]]) iter_args
// RUN: noria run %s --interpret --entry=triangle > %t.before
// RUN: noria run %t.mlir --check-stages --entry=triangle > %t.after
// RUN: noria run %t3.mlir --check-stages --entry=triangle > %t.after3
// RUN: diff %t.before %t.after && diff %t.before %t.after3
func.func @triangle() -> index {
  %z = arith.constant 0 : index
  %s = affine.for %i = 0 to 11 iter_args(%a = %z) -> index {
    %t = affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) iter_args(%b = %a) -> index {
      %c = affine.apply affine_map<(d0, d1) -> (d0 * 7 + d1)>(%i, %j)
      %d = arith.addi %b, %c : index
      affine.yield %d : index
    }
    affine.yield %t : index
  }
  return %s : index
}

// One that may end before it begins goes on from where it began.
// RUN: noria run %s --interpret --entry=backwards > %t.before
// RUN: noria run %t.mlir --check-stages --entry=backwards > %t.after
// RUN: noria run %t3.mlir --check-stages --entry=backwards > %t.after3
// RUN: diff %t.before %t.after && diff %t.before %t.after3
func.func @backwards() -> index {
  %z = arith.constant 0 : index
  %s = affine.for %i = 0 to 30 iter_args(%a = %z) -> index {
    %t = affine.for %j = 12 to affine_map<(d0) -> (d0)>(%i) step 3 iter_args(%b = %a) -> index {
      %d = arith.addi %b, %j : index
      affine.yield %d : index
    }
    affine.yield %t : index
  }
  return %s : index
}

// Bounds of several maps, and a nest up to an argument: computed before all of it.
// CHECK-LABEL: func.func @nest
// CHECK: arith.remui
// CHECK: %[[CUT:.*]] = arith.select
// CHECK: affine.for %{{.*}} = 0 to 5 iter_args
// CHECK: affine.for %{{.*}} = max #{{.*}}()[%{{.*}}] to %[[CUT]] step 4
// RUN: noria run %s --interpret --entry=nest 23 3 > %t.before
// RUN: noria run %t.mlir --check-stages --entry=nest 23 3 > %t.after
// RUN: noria run %t3.mlir --check-stages --entry=nest 23 3 > %t.after3
// RUN: diff %t.before %t.after && diff %t.before %t.after3
func.func @nest(%n: index, %k: index) -> index {
  %z = arith.constant 0 : index
  %s = affine.for %i = 0 to 5 iter_args(%a = %z) -> index {
    %t = affine.for %j = max affine_map<()[s0] -> (2, s0)>()[%k] to min affine_map<()[s0] -> (s0, 100)>()[%n]
        iter_args(%b = %a) -> index {
      %d = arith.addi %b, %j : index
      affine.yield %d : index
    }
    affine.yield %t : index
  }
  return %s : index
}

// What may overflow is left alone: here it is not known that %i + %n does not, unless the loop runs.
// CHECK-LABEL: func.func @stays
// CHECK: affine.for %[[I:.*]] = 0 to
// CHECK-NEXT: affine.for %{{.*}} = #{{.*}}(%[[I]]) to #{{.*}}(%[[I]])[%{{.*}}] step 3 {
// CHECK-NOT: affine.for
func.func @stays(%m: memref<?xi32>, %n: index, %x: i32) {
  affine.for %i = 0 to %n {
    affine.for %j = affine_map<(d0) -> (-d0)>(%i) to affine_map<(d0)[s0] -> (d0 + s0)>(%i)[%n] step 3 {
      affine.store %x, %m[%j + %i] : memref<?xi32>
    }
  }
  return
}
