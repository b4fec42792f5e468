// RUN: noria opt --affine-loop-coalescing --canonicalize %s | FileCheck %s
// RUN: noria opt --affine-loop-coalescing --syntax=mlir %s | mlir-opt
// RUN: noria opt --affine-loop-coalescing %s -o %t.mlir

// CHECK-LABEL: func.func @known
// CHECK: affine.for %[[K:.*]] = 0 to 12 {
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[K]] floordiv 3, %[[K]] * 2 - (%[[K]] floordiv 3) * 6 + 1]
// RUN: noria run %s --interpret --entry=known > %t.before
// RUN: noria run %t.mlir --check-stages --entry=known > %t.after
// RUN: diff %t.before %t.after
func.func @known() -> i32 {
  %m = memref.alloca() : memref<4x7xi32>
  %c7 = arith.constant 7 : i32
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 7 {
      affine.store %zero, %m[%i, %j] : memref<4x7xi32>
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 1 to 6 step 2 {
      affine.store %c7, %m[%i, %j] : memref<4x7xi32>
    }
  }
  %s = affine.for %i = 0 to 4 iter_args(%a = %zero) -> i32 {
    %t = affine.for %j = 0 to 7 iter_args(%b = %a) -> i32 {
      %v = affine.load %m[%i, %j] : memref<4x7xi32>
      %d = arith.addi %b, %b : i32
      %e = arith.addi %d, %v : i32
      affine.yield %e : i32
    }
    affine.yield %t : i32
  }
  return %s : i32
}

// Up to what only the run knows: the number of points is a symbol, and none where one loop has none.
// CHECK-LABEL: func.func @symbols
// CHECK-COUNT-2: arith.mului_extended
// CHECK: affine.for %{{.*}} = 0 to %{{[^ ]*}} iter_args
// CHECK-NOT: affine.for
// CHECK-LABEL: func.func @stays
// RUN: noria run %s --interpret --entry=symbols 4 9 > %t.before
// RUN: noria run %t.mlir --check-stages --entry=symbols 4 9 > %t.after
// RUN: diff %t.before %t.after
// RUN: noria run %t.mlir --check-stages --entry=symbols 4 -9223372036854775808 | FileCheck %s --check-prefix=NONE
// RUN: noria run %t.mlir --check-stages --entry=symbols 9223372036854775807 5 | FileCheck %s --check-prefix=NONE
// NONE: {{^}}0 : index
func.func @symbols(%l: index, %n: index) -> index {
  %z = arith.constant 0 : index
  %s = affine.for %i = %l to %n iter_args(%a = %z) -> index {
    %t = affine.for %j = 2 to %n step 3 iter_args(%b = %a) -> index {
      %u = affine.for %k = %l to 7 iter_args(%c = %b) -> index {
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

// Bounds of the outer variable.
// CHECK: affine.for
// CHECK-NEXT: affine.for
func.func @stays(%m: memref<8x8xi32>, %x: i32) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      affine.store %x, %m[%i, %j] : memref<8x8xi32>
    }
  }
  return
}
