// RUN: noria opt --pass-pipeline='loop-unroll-and-jam{unroll-jam-factor=2}' %s | FileCheck %s
// RUN: noria opt --loop-unroll-and-jam --syntax=mlir %s | mlir-opt
// RUN: noria run %s --entry=product '[[1, 2, 3], [4, 5, 6], [7, 8, 9]]' '[10, 100, 1000]' '[0, 0, 0]' > %t.before
// RUN: noria opt --pass-pipeline='loop-unroll-and-jam{unroll-jam-factor=2}' %s > %t.mlir
// RUN: noria run %t.mlir --entry=product '[[1, 2, 3], [4, 5, 6], [7, 8, 9]]' '[10, 100, 1000]' '[0, 0, 0]' > %t.after
// RUN: diff %t.before %t.after
// RUN: FileCheck %s --check-prefix=VALUES < %t.after
// VALUES: dense<[3210, 6540, 9870]>

// Rows of a matrix by a vector, two rows at a time; the sums are carried side by side.
// CHECK-LABEL: func.func @product
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[SPLIT:.*]] step %{{.*}} {
// CHECK: %[[I1:.*]] = arith.addi %[[I]],
// CHECK-NEXT: %[[S:.*]]:2 = scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK-NEXT: memref.load %{{.*}}[%[[I]], %[[J]]]
// CHECK: memref.load %{{.*}}[%[[I1]], %[[J]]]
// CHECK: memref.store %[[S]]#0, %[[OUT:.*]][%[[I]]]
// CHECK: memref.store %[[S]]#1, %[[OUT]][%[[I1]]]
// CHECK: scf.for %{{.*}} = %[[SPLIT]] to
func.func @product(%m: memref<?x?xi64>, %v: memref<?xi64>, %out: memref<?xi64> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %rows = memref.dim %m, %c0 : memref<?x?xi64>
  %columns = memref.dim %m, %c1 : memref<?x?xi64>
  scf.for %i = %c0 to %rows step %c1 {
    %sum = scf.for %j = %c0 to %columns step %c1 iter_args(%a = %zero) -> (i64) {
      %x = memref.load %m[%i, %j] : memref<?x?xi64>
      %y = memref.load %v[%j] : memref<?xi64>
      %p = arith.muli %x, %y : i64
      %s = arith.addi %a, %p : i64
      scf.yield %s : i64
    }
    memref.store %sum, %out[%i] : memref<?xi64>
  }
  return
}

// The same when the result may be the vector: the second row must see what the first one wrote.
// CHECK-LABEL: func.func @may_be_one
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @may_be_one(%m: memref<?x?xi64>, %v: memref<?xi64>, %out: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %rows = memref.dim %m, %c0 : memref<?x?xi64>
  scf.for %i = %c0 to %rows step %c1 {
    %sum = scf.for %j = %c0 to %rows step %c1 iter_args(%a = %zero) -> (i64) {
      %y = memref.load %v[%j] : memref<?xi64>
      %s = arith.addi %a, %y : i64
      scf.yield %s : i64
    }
    memref.store %sum, %out[%i] : memref<?xi64>
  }
  return
}

// a[i, j] takes from a[i - 1, j + 1]: jammed, it would be read before it is written.
// CHECK-LABEL: func.func @skewed
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: return
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

// From a[i - 1, j - 1] it may, and 62 iterations leave nothing over.
// CHECK-LABEL: func.func @straight
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-2: memref.store
// CHECK-NOT: scf.for
// CHECK: return
func.func @straight(%a: memref<64x32xf32>) {
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
