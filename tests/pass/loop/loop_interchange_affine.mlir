// RUN: noria opt --loop-interchange --canonicalize %s | FileCheck %s
// RUN: noria opt --loop-interchange --syntax=mlir %s | mlir-opt
// RUN: noria opt --pass-pipeline='loop-interchange{permutation-map=1,2,0}' --canonicalize %s | FileCheck %s --check-prefix=TURNED
// RUN: noria opt --pass-pipeline='loop-interchange{permutation-map=1,0}' %s | noria run - --entry=divided 0 5 0 | FileCheck %s --check-prefix=NEVER
// RUN: noria opt --loop-interchange %s -o %t.mlir
// RUN: noria opt --pass-pipeline='loop-interchange{permutation-map=1,2,0}' %s -o %t3.mlir

// The loop along a row goes inside, with its bounds and its step.
// CHECK-LABEL: func.func @rows
// CHECK: affine.for %[[I:.*]] = 0 to 4 {
// CHECK-NEXT: affine.for %[[J:.*]] = 1 to min #{{.*}}()[%{{.*}}] step 2 {
// CHECK-NEXT: affine.load %{{.*}}[%[[I]], %[[J]]]
// RUN: noria run %s --interpret --entry=rows '[[1,2,3],[4,5,6],[7,8,9],[10,11,12]]' 3 > %t.before
// RUN: noria run %t.mlir --check-stages --entry=rows '[[1,2,3],[4,5,6],[7,8,9],[10,11,12]]' 3 > %t.after
// RUN: diff %t.before %t.after
func.func @rows(%m: memref<4x3xi32>, %n: index) {
  affine.for %j = 1 to min affine_map<()[s0] -> (s0, 3)>()[%n] step 2 {
    affine.for %i = 0 to 4 {
      %x = affine.load %m[%i, %j] : memref<4x3xi32>
      %y = arith.muli %x, %x : i32
      affine.store %y, %m[%i, %j] : memref<4x3xi32>
    }
  }
  return
}

// One iteration writes what a later one reads: they must not change places.
// CHECK-LABEL: func.func @stays
// CHECK: affine.for %{{.*}} = 1 to 4 {
// CHECK-NEXT: affine.for %{{.*}} = 0 to 3 {
func.func @stays(%m: memref<4x4xi32>) {
  affine.for %j = 1 to 4 {
    affine.for %i = 0 to 3 {
      %x = affine.load %m[%i + 1, %j - 1] : memref<4x4xi32>
      affine.store %x, %m[%i, %j] : memref<4x4xi32>
    }
  }
  return
}

// TURNED-LABEL: func.func @three
// TURNED: affine.for %{{.*}} = 0 to 5 iter_args
// TURNED-NEXT: affine.for %{{.*}} = 0 to 3 iter_args
// TURNED-NEXT: affine.for %{{.*}} = 0 to 4 step 2 iter_args
// RUN: noria run %s --interpret --entry=three > %t.before
// RUN: noria run %t3.mlir --check-stages --entry=three > %t.after
// RUN: diff %t.before %t.after
func.func @three() -> index {
  %z = arith.constant 0 : index
  %s = affine.for %i = 0 to 3 iter_args(%a = %z) -> index {
    %t = affine.for %j = 0 to 4 step 2 iter_args(%b = %a) -> index {
      %u = affine.for %k = 0 to 5 iter_args(%c = %b) -> index {
        %v = affine.apply affine_map<(d0, d1, d2) -> (d0 * 100 + d1 * 10 + d2)>(%i, %j, %k)
        %w = arith.addi %c, %v : index
        affine.yield %w : index
      }
      affine.yield %u : index
    }
    affine.yield %t : index
  }
  return %s : index
}

// Nobody divides by %s while the outer loop does not run.
// NEVER: 0 : index
func.func @divided(%s: index, %n: index, %k: index) -> index {
  %c0 = arith.constant 0 : index
  %r = affine.for %i = 0 to %k iter_args(%a = %c0) -> index {
    %q = affine.for %j = 0 to affine_map<()[s0, s1] -> (s1 floordiv s0)>()[%s, %n] iter_args(%t = %a) -> index {
      %b = arith.addi %t, %j : index
      affine.yield %b : index
    }
    affine.yield %q : index
  }
  return %r : index
}
