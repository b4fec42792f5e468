// RUN: noria opt --pass-pipeline=scf-forall-to-for %s | FileCheck %s
// RUN: noria opt --pass-pipeline=scf-forall-to-for --syntax=mlir %s | mlir-opt
// RUN: noria run --entry=shifted %s 4 zeros:6xi32 | FileCheck %s --check-prefix=OUT
// RUN: noria opt --pass-pipeline=scf-forall-to-for %s | noria run - --interpret --entry=shifted 4 zeros:6xi32 | FileCheck %s --check-prefix=OUT
// RUN: noria opt --pass-pipeline=scf-forall-to-for %s | noria run - --entry=shifted 4 zeros:6xi32 | FileCheck %s --check-prefix=OUT

// CHECK-LABEL: func.func @buffers
// CHECK-SAME: %[[N:.*]]: index, %[[M:.*]]: memref<?x8xf32>, %[[X:.*]]: f32
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[N]] step
// CHECK-NEXT: scf.for %[[J:.*]] = %{{.*}} to %[[C8]] step
// CHECK-NEXT: memref.store %[[X]], %[[M]][%[[I]], %[[J]]]
func.func @buffers(%n: index, %m: memref<?x8xf32>, %x: f32) {
  scf.forall (%i, %j) in (%n, 8) {
    memref.store %x, %m[%i, %j] : memref<?x8xf32>
  }
  return
}

// CHECK-LABEL: func.func @steps
// CHECK: scf.for %{{.*}} = %[[A:.*]] to %[[B:.*]] step %[[C:.*]] {
// CHECK: scf.for
func.func @steps(%a: index, %b: index, %c: index, %m: memref<?x?xf32>, %x: f32) {
  scf.forall (%i, %j) = (%a, 2) to (%b, 64) step (%c, 4) {
    memref.store %x, %m[%i, %j] : memref<?x?xf32>
  }
  return
}

// Points read what the output was before the loop, also what another point has written.
// CHECK-LABEL: func.func @shifted
// CHECK-SAME: %[[N:.*]]: index, %[[T:.*]]: tensor<6xi32>
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[N]] step %{{.*}} iter_args(%[[O:.*]] = %[[T]]) -> (tensor<6xi32>)
// CHECK: tensor.extract %[[T]][%[[I]]]
// CHECK: %[[S:.*]] = tensor.insert_slice %{{.*}} into %[[O]][%{{.*}}] [1] [1] : tensor<1xi32> into tensor<6xi32>
// CHECK-NEXT: scf.yield %[[S]]
// OUT: dense<[0, 1, 1, 1, 1, 0]> : tensor<6xi32>
func.func @shifted(%n: index, %t: tensor<6xi32>) -> tensor<6xi32> {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %r = scf.forall (%i) in (%n) shared_outs(%o = %t) -> (tensor<6xi32>) {
    %old = tensor.extract %o[%i] : tensor<6xi32>
    %new = arith.addi %old, %one : i32
    %next = arith.addi %i, %c1 : index
    %part = tensor.from_elements %new : tensor<1xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %part into %o[%next] [1] [1] : tensor<1xi32> into tensor<6xi32>
    }
  }
  return %r : tensor<6xi32>
}
