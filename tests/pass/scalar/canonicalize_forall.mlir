// RUN: noria opt --canonicalize %s | FileCheck %s
// RUN: noria opt --canonicalize --syntax=mlir %s | mlir-opt
// RUN: noria opt --canonicalize %s -o %t.mlir

// Bounds become constants; one point is its parts, inserted; no points leave the output.
// CHECK-LABEL: func.func @points
// CHECK-SAME: %[[T:.*]]: tensor<4xf32>, %[[X:.*]]: f32, %[[N:.*]]: index)
// CHECK-NEXT: %[[PART:.*]] = tensor.from_elements %[[X]] : tensor<1xf32>
// CHECK-NEXT: %[[ONE:.*]] = tensor.insert_slice %[[PART]] into %[[T]][2] [1] [1]
// CHECK-NEXT: %[[SOME:.*]] = scf.forall (%{{.*}}) in (3) shared_outs
// CHECK: return %[[ONE]], %[[T]], %[[SOME]]
// RUN: noria run %s --interpret --entry=points '[1.0, 2.0, 3.0, 4.0]' 9.0 5 | FileCheck %s --check-prefix=POINTS
// RUN: noria run %t.mlir --check-stages --entry=points '[1.0, 2.0, 3.0, 4.0]' 9.0 5 | FileCheck %s --check-prefix=POINTS
// POINTS: {{^}}dense<[1.000000e+00, 2.000000e+00, 9.000000e+00, 4.000000e+00]>
// POINTS-NEXT: dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]>
// POINTS-NEXT: dense<[9.000000e+00, 9.000000e+00, 9.000000e+00, 4.000000e+00]>
func.func @points(%t: tensor<4xf32>, %x: f32, %n: index) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %0 = scf.forall (%i) = (%c2) to (%c3) step (1) shared_outs(%o = %t) -> (tensor<4xf32>) {
    %p = tensor.from_elements %x : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  %1 = scf.forall (%i) = (%n) to (%n) step (1) shared_outs(%o = %t) -> (tensor<4xf32>) {
    %p = tensor.from_elements %x : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  %2 = scf.forall (%i) in (%c3) shared_outs(%o = %t) -> (tensor<4xf32>) {
    %p = tensor.from_elements %x : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Of two results the one that nobody uses goes, when the body does not read it. Sizes are those of the outputs.
// CHECK-LABEL: func.func @unused
// CHECK-SAME: %[[N:.*]]: index, %[[T:.*]]: tensor<?xf32>, %[[U:.*]]: tensor<4xf32>)
// CHECK: %[[R:.*]] = scf.forall (%{{.*}}) in (%[[N]]) shared_outs(%{{.*}} = %[[T]]) -> (tensor<?xf32>) {
// CHECK-COUNT-1: parallel_insert_slice
// CHECK-NOT: parallel_insert_slice
// CHECK: tensor.dim %[[T]],
// CHECK: return %[[R]]
func.func @unused(%n: index, %t: tensor<?xf32>, %u: tensor<4xf32>) -> (tensor<?xf32>, index) {
  %c0 = arith.constant 0 : index
  %r:2 = scf.forall (%i) in (%n) shared_outs(%o = %t, %p = %u) -> (tensor<?xf32>, tensor<4xf32>) {
    %e = tensor.extract_slice %o[%i] [1] [1] : tensor<?xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e into %o[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
      tensor.parallel_insert_slice %e into %p[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  %size = tensor.dim %r#0, %c0 : tensor<?xf32>
  return %r#0, %size : tensor<?xf32>, index
}

// A loop that is all that is in another one.
// CHECK-LABEL: func.func @nested
// CHECK: scf.parallel (%[[I:.*]], %[[J:.*]]) = (%{{.*}}, %{{.*}}) to (%arg0, %arg0) step
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
// CHECK-NEXT: scf.reduce
// CHECK: scf.parallel (%[[K:.*]]) =
// CHECK-NEXT: scf.parallel (%{{.*}}) = (%[[K]])
func.func @nested(%n: index, %m: memref<?x?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.parallel (%j) = (%c1) to (%n) step (%c1) {
      memref.store %x, %m[%i, %j] : memref<?x?xf32>
    }
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.parallel (%j) = (%i) to (%n) step (%c1) {
      memref.store %x, %m[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// If and if not; a switch whose results are known.
// CHECK-LABEL: func.func @choices
// CHECK: scf.if %arg0 {
// CHECK-NEXT: memref.store %arg2
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.store %arg3
// CHECK-NEXT: }
// CHECK: %[[R:.*]] = scf.index_switch %arg4 -> f32
// CHECK: return %arg2, %[[R]]
func.func @choices(%c: i1, %m: memref<f32>, %x: f32, %y: f32, %n: index) -> (f32, f32) {
  %true = arith.constant true
  %not = arith.xori %c, %true : i1
  scf.if %c {
    memref.store %x, %m[] : memref<f32>
  }
  scf.if %not {
    memref.store %y, %m[] : memref<f32>
  }
  %r:3 = scf.index_switch %n -> f32, f32, f32
  case 1 {
    memref.store %y, %m[] : memref<f32>
    scf.yield %x, %y, %x : f32, f32, f32
  }
  default {
    %s = arith.addf %x, %y : f32
    scf.yield %x, %s, %s : f32, f32, f32
  }
  return %r#0, %r#1 : f32, f32
}
