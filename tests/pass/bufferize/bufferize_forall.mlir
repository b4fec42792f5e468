// RUN: noria opt --pass-pipeline=bufferize %s | FileCheck %s

// CHECK-LABEL: func.func @rows(
// CHECK: %[[OUT:.*]] = memref.alloc() : memref<3x4xf32>
// CHECK: scf.parallel (%[[I:.*]]) = (%{{.*}}) to (%{{.*}}) step (%{{.*}}) {
// CHECK: %[[ROW:.*]] = memref.alloc() : memref<4xf32>
// CHECK: linalg.fill {{.*}} outs(%[[ROW]]
// CHECK: %[[PART:.*]] = memref.subview %[[OUT]][%[[I]], 0] [1, 4] [1, 1]
// CHECK-NEXT: memref.copy %[[ROW]], %[[PART]]
// CHECK-NEXT: memref.dealloc %[[ROW]]
// CHECK-NEXT: scf.reduce
// CHECK: return %[[OUT]]
func.func @rows(%x: f32) -> tensor<3x4xf32> {
  %e = tensor.empty() : tensor<3x4xf32>
  %r = scf.forall (%i) in (3) shared_outs(%o = %e) -> (tensor<3x4xf32>) {
    %f = tensor.empty() : tensor<4xf32>
    %row = linalg.fill ins(%x : f32) outs(%f : tensor<4xf32>) -> tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %row into %o[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<3x4xf32>
    }
  }
  return %r : tensor<3x4xf32>
}

// A point reads the part of another: as it was before the loop, from a copy.
// CHECK-LABEL: func.func @reads_neighbour(
// CHECK: %[[OUT:.*]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.copy %arg0, %[[OUT]]
// CHECK: %[[OLD:.*]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.copy %[[OUT]], %[[OLD]]
// CHECK: scf.parallel (%[[I:.*]]) =
// CHECK: memref.subview %[[OLD]][%{{.*}}]
// CHECK: %[[TO:.*]] = memref.subview %[[OUT]][%[[I]]] [1] [1]
// CHECK: memref.dealloc %[[OLD]]
// CHECK: return %[[OUT]]
func.func @reads_neighbour(%t: tensor<4xf32>) -> tensor<4xf32> {
  %c3 = arith.constant 3 : index
  %r = scf.forall (%i) in (4) shared_outs(%o = %t) -> (tensor<4xf32>) {
    %k = arith.subi %c3, %i : index
    %v = tensor.extract_slice %o[%k] [1] [1] : tensor<4xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  return %r : tensor<4xf32>
}

// Without dims the body runs once.
// CHECK-LABEL: func.func @once(
// CHECK: %[[OUT:.*]] = memref.alloc() : memref<4xf32>
// CHECK: scf.parallel (%{{.*}}) = (%c0) to (%c1) step (%c1{{.*}}) {
// CHECK: memref.subview %[[OUT]][2] [1] [1]
// RUN: noria run %s --entry=once '[1.0, 2.0, 3.0, 4.0]' 7 --check-stages | FileCheck %s --check-prefix=ONCE
// ONCE: dense<[1.000000e+00, 2.000000e+00, 7.000000e+00, 4.000000e+00]> : tensor<4xf32>
func.func @once(%t: tensor<4xf32>, %x: f32) -> tensor<4xf32> {
  %r = scf.forall () in () shared_outs(%o = %t) -> (tensor<4xf32>) {
    %part = tensor.from_elements %x : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %part into %o[2] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  return %r : tensor<4xf32>
}
