// RUN: noria opt --pass-pipeline='affine-loop-unroll-jam{unroll-jam-factor=2}' --canonicalize %s | FileCheck %s
// RUN: noria opt --affine-loop-unroll-jam --syntax=mlir %s | mlir-opt
// RUN: noria run %s --interpret --entry=product 3 '[[1,2,3],[4,5,6],[7,8,9]]' '[10, 100, 1000]' '[0, 0, 0]' > %t.before
// RUN: noria opt --pass-pipeline='affine-loop-unroll-jam{unroll-jam-factor=2}' %s -o %t.mlir
// RUN: noria run %t.mlir --check-stages --entry=product 3 '[[1,2,3],[4,5,6],[7,8,9]]' '[10, 100, 1000]' '[0, 0, 0]' > %t.after
// RUN: diff %t.before %t.after
// RUN: FileCheck %s --check-prefix=VALUES < %t.after
// VALUES: dense<[3210, 6540, 9870]>

// CHECK-LABEL: func.func @product
// CHECK: affine.for %[[I:.*]] = 0 to %[[SPLIT:.*]] step 2 {
// CHECK-NEXT: %[[S:.*]]:2 = affine.for %[[J:.*]] = 0 to 3 iter_args
// CHECK-NEXT: affine.load %{{.*}}[%[[I]], %[[J]]]
// CHECK: affine.load %{{.*}}[%[[I]] + 1, %[[J]]]
// CHECK: affine.store %[[S]]#0, %[[OUT:.*]][%[[I]]]
// CHECK: affine.store %[[S]]#1, %[[OUT]][%[[I]] + 1]
// CHECK: affine.for %{{.*}} = %[[SPLIT]] to %{{.*}} {
// CHECK-NOT: scf.for
func.func @product(%n: index, %m: memref<?x3xi64>, %v: memref<3xi64>, %out: memref<?xi64> {llvm.noalias}) {
  %zero = arith.constant 0 : i64
  affine.for %i = 0 to %n {
    %sum = affine.for %j = 0 to 3 iter_args(%a = %zero) -> i64 {
      %x = affine.load %m[%i, %j] : memref<?x3xi64>
      %y = affine.load %v[%j] : memref<3xi64>
      %p = arith.muli %x, %y : i64
      %b = arith.addi %a, %p : i64
      affine.yield %b : i64
    }
    affine.store %sum, %out[%i] : memref<?xi64>
  }
  return
}

// What one iteration writes and the next reads.
// CHECK-LABEL: func.func @carried
// CHECK: affine.for %{{.*}} = 1 to 8 {
// CHECK-NEXT: affine.for %{{.*}} = 0 to 7 {
func.func @carried(%m: memref<8x8xi64>) {
  affine.for %i = 1 to 8 {
    affine.for %j = 0 to 7 {
      %x = affine.load %m[%i - 1, %j + 1] : memref<8x8xi64>
      affine.store %x, %m[%i, %j] : memref<8x8xi64>
    }
  }
  return
}
