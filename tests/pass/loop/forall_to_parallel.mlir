// RUN: noria opt --pass-pipeline=scf-forall-to-parallel %s | FileCheck %s
// RUN: noria opt --pass-pipeline=scf-forall-to-parallel --syntax=mlir %s | mlir-opt

// CHECK-LABEL: func.func @mixed
// CHECK-SAME: %[[N:.*]]: index, %[[M:.*]]: memref<?x?xf32>, %[[X:.*]]: f32
// CHECK: scf.parallel (%[[I:.*]], %[[J:.*]]) = (%[[N]], %{{.*}}) to (%{{.*}}, %[[N]]) step (%{{.*}}, %{{.*}}) {
// CHECK-NEXT: memref.store %[[X]], %[[M]][%[[I]], %[[J]]]
// CHECK-NEXT: scf.reduce
// CHECK-NEXT: } {mapping = [#gpu.block<x>, #gpu.block<y>]}
func.func @mixed(%n: index, %m: memref<?x?xf32>, %x: f32) {
  scf.forall (%i, %j) = (%n, 0) to (64, %n) step (2, 3) {
    memref.store %x, %m[%i, %j] : memref<?x?xf32>
  } {mapping = [#gpu.block<x>, #gpu.block<y>]}
  return
}

// Tensors that points share have no place in scf.parallel.
// CHECK-LABEL: func.func @tensors
// CHECK: scf.forall
func.func @tensors(%n: index, %t: tensor<6xi32>, %p: tensor<1xi32>) -> tensor<6xi32> {
  %r = scf.forall (%i) in (%n) shared_outs(%o = %t) -> (tensor<6xi32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%i] [1] [1] : tensor<1xi32> into tensor<6xi32>
    }
  }
  return %r : tensor<6xi32>
}
