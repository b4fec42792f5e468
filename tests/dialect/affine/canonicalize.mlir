// RUN: noria opt --canonicalize --syntax=mlir %s | FileCheck %s
// RUN: noria opt --canonicalize --syntax=mlir %s | mlir-opt

func.func private @use(index)

// CHECK-DAG: #[[$LEAST:.*]] = affine_map<(d0)[s0] -> (d0 + 5, s0)>
// CHECK-DAG: #[[$BOUND:.*]] = affine_map<()[s0] -> (s0, 8)>
// CHECK-DAG: #[[$SUM:.*]] = affine_map<(d0)[s0] -> (d0 * 2 + s0 + 1)>
// CHECK-DAG: #[[$MIN1:.*]] = affine_map<(d0) -> (d0 + 5)>
// CHECK-DAG: #[[$MAX2:.*]] = affine_map<(d0) -> (d0 + 5, 8)>
// CHECK-DAG: #[[$KSET:.*]] = affine_set<(d0) : (d0 - 8 >= 0)>
// CHECK-DAG: #[[$NESTED:.*]] = affine_map<(d0)[s0] -> (s0 * 2, d0 + 3, s0)>
// CHECK-DAG: #[[$YSET:.*]] = affine_set<(d0)[s0] : (d0 * 2 - s0 >= 0, s0 == 0)>

// Subscripts take in what affine.apply computes, constants and equal operands.
// CHECK-LABEL: func.func @subscripts
// CHECK-SAME: (%[[M:.*]]: memref<100xf32>, %[[N:.*]]: index, %[[X:.*]]: f32)
func.func @subscripts(%m: memref<100xf32>, %n: index, %x: f32) {
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  // CHECK: affine.for %[[I:.*]] = 0 to 8 {
  affine.for %i = 0 to %c8 {
    // CHECK-NEXT: affine.for %[[J:.*]] = 3 to min #[[$BOUND]]()[%[[N]]] {
    affine.for %j = %c3 to min affine_map<(d0)[s0] -> (d0, s0, 20, 10, d0)>(%n)[%c8] {
      %0 = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
      %1 = affine.apply affine_map<(d0, d1)[s0] -> (d0 + d1 * s0)>(%0, %j)[%c3]
      // CHECK-NEXT: affine.store %[[X]], %[[M]][%[[J]] * 6 + %[[I]] * 2 + 5]
      affine.store %x, %m[%1 * 2 + %c3] : memref<100xf32>
      // CHECK-NEXT: affine.store %[[X]], %[[M]][%[[J]] * 3 + symbol(%[[N]]) + 1]
      affine.store %x, %m[%1 - %i + symbol(%n)] : memref<100xf32>
      // CHECK-NEXT: affine.store %[[X]], %[[M]][%[[I]] + %[[J]] * 2 + 1]
      affine.store %x, %m[(%i * 4 + %j * 8 + 5) floordiv 4] : memref<100xf32>
      // CHECK-NEXT: affine.store %[[X]], %[[M]][%[[I]] mod 5]
      affine.store %x, %m[%i - (%i floordiv 5) * 5] : memref<100xf32>
      // CHECK-NEXT: affine.store %[[X]], %[[M]][(%[[J]] ceildiv 4) * 4]
      affine.store %x, %m[(%i * 6 + 3) mod 3 + (%j ceildiv 4) * 4] : memref<100xf32>
      // CHECK-NEXT: affine.store %[[X]], %[[M]][(%[[I]] + symbol(%[[N]])) mod 7]
      affine.store %x, %m[(%i + %n) mod 7] : memref<100xf32>
      // CHECK-NEXT: affine.store %[[X]], %[[M]][%[[I]] * 2]
      affine.store %x, %m[%0 + %i - 1] : memref<100xf32>
    }
  }
  return
}

// CHECK-LABEL: func.func @values
// CHECK-SAME: (%[[M:.*]]: memref<100xf32>, %[[N:.*]]: index)
func.func @values(%m: memref<100xf32>, %n: index) -> (index, index, index, index) {
  %c5 = arith.constant 5 : index
  // CHECK-DAG: %[[C:.*]] = arith.constant 12 : index
  // CHECK-DAG: %[[MOD:.*]] = arith.constant 3 : index
  %minus = arith.constant -5 : index
  %a = affine.apply affine_map<(d0)[s0] -> (d0 * 2 + s0 - 3)>(%c5)[%c5]
  %b = affine.apply affine_map<(d0) -> (d0 mod 4)>(%minus)
  %c = affine.min affine_map<(d0)[s0] -> (d0, s0 * 10)>(%c5)[%minus]
  %i:2 = affine.delinearize_index %c5 into (2, 3) : index, index
  %same = affine.apply affine_map<(d0) -> (d0)>(%n)
  %d = affine.linearize_index [%i#0, %i#1] by (2, 3) : index
  // CHECK: affine.for %[[I:.*]] = 0 to 10 {
  affine.for %i1 = 0 to 10 {
    %0 = affine.apply affine_map<(d0) -> (d0 + 1)>(%i1)
    // CHECK-NEXT: affine.min #[[$LEAST]](%[[I]])[%[[N]]]
    %t = affine.min affine_map<(d0, d1) -> (d0 + 4, d0 + 4, d1)>(%0, %n)
    // CHECK: affine.apply #[[$MIN1]](%[[I]])
    %u = affine.min affine_map<(d0) -> (d0 + 4, d0 + 4)>(%0)
    // CHECK: affine.max #[[$MAX2]](%[[I]])
    %v = affine.max affine_map<(d0) -> (d0 + 4, 3, 8)>(%0)
    // CHECK: affine.apply #[[$SUM]](%[[I]])[%[[N]]]
    %w = affine.apply affine_map<(d0, d1, d2) -> (d0 + d1 + d2)>(%0, %n, %i1)
    func.call @use(%t) : (index) -> ()
    func.call @use(%u) : (index) -> ()
    func.call @use(%v) : (index) -> ()
    func.call @use(%w) : (index) -> ()
  }
  // CHECK: return %[[C]], %[[MOD]], %{{.*}}, %[[N]]
  %e = arith.addi %c, %d : index
  return %a, %b, %e, %same : index, index, index, index
}

// CHECK-LABEL: func.func @control
// CHECK-SAME: (%[[N:.*]]: index, %[[X:.*]]: f32, %[[M:.*]]: memref<100xf32>)
func.func @control(%n: index, %x: f32, %m: memref<100xf32>) -> f32 {
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  // CHECK-NOT: iter_args
  %r = affine.for %i = 5 to 3 iter_args(%a = %x) -> f32 {
    %s = arith.addf %a, %a : f32
    affine.yield %s : f32
  }
  // CHECK: affine.for %[[K:.*]] = 0 to 10 {
  affine.for %k = 0 to 10 {
    // CHECK-NEXT: affine.store %[[X]], %[[M]][0]
    affine.if affine_set<(d0)[s0] : (d0 - s0 + 5 >= 0)>(%c3)[%c8] {
      affine.store %r, %m[0] : memref<100xf32>
    } else {
      affine.store %r, %m[1] : memref<100xf32>
    }
    // CHECK-NEXT: affine.store %[[X]], %[[M]][3]
    affine.if affine_set<(d0)[s0] : (d0 - s0 >= 0)>(%c3)[%c8] {
      affine.store %r, %m[2] : memref<100xf32>
    } else {
      affine.store %r, %m[3] : memref<100xf32>
    }
    // CHECK-NEXT: affine.if #[[$KSET]](%[[K]]) {
    // CHECK-NEXT: affine.store %[[X]], %[[M]][4]
    // CHECK-NEXT: }
    // CHECK-NOT: else
    affine.if affine_set<(d0)[s0] : (d0 - s0 >= 0)>(%k)[%c8] {
      affine.store %r, %m[4] : memref<100xf32>
    } else {
    }
    // CHECK: affine.if #[[$YSET]](%[[K]])[%[[N]]] {
    %y = affine.apply affine_map<(d0) -> (d0 * 2)>(%k)
    affine.if affine_set<(d0)[s0] : (d0 - s0 >= 0, s0 == 0)>(%y)[%n] {
      affine.store %r, %m[5] : memref<100xf32>
    }
    // CHECK: affine.parallel (%{{.*}}) = (max(symbol(%[[N]]), 3)) to (symbol(%[[N]]) + 8) {
    affine.parallel (%i) = (max(%n, %c3)) to (%c8 + symbol(%n)) {
      affine.store %r, %m[%i] : memref<100xf32>
    }
  }
  // CHECK: return %[[X]]
  return %r : f32
}

// A set without constraints that could fail.
// CHECK-LABEL: func.func @always
func.func @always(%x: index, %y: index) -> index {
  // CHECK-NEXT: return %arg0 : index
  %r = affine.if affine_set<(d0) : (d0 - d0 == 0)>(%x) -> index {
    affine.yield %x : index
  } else {
    affine.yield %y : index
  }
  return %r : index
}

// What is no symbol for affine.apply stays with affine.min.
// CHECK-LABEL: func.func @free
func.func @free(%n: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %c1 to %n step %c1 {
    // CHECK: affine.min #{{.*}}()[%{{.*}}]
    %0 = affine.min affine_map<()[s0] -> (s0 + 1)>()[%i]
    func.call @use(%0) : (index) -> ()
  }
  return
}

// A minimum of a minimum; casts that say less; no multiple of 4 is 6.
// CHECK-LABEL: func.func @nested
// CHECK-SAME: (%[[N:.*]]: index, %[[M:.*]]: memref<64xf32>)
func.func @nested(%n: index, %m: memref<64xf32>) {
  %c = memref.cast %m : memref<64xf32> to memref<?xf32>
  affine.for %i = 0 to 10 {
    %0 = affine.min affine_map<(d0)[s0] -> (d0 + 3, s0)>(%i)[%n]
    // CHECK: %[[LEAST:.*]] = affine.min #[[$NESTED]](%{{.*}})[%[[N]]]
    // CHECK-NEXT: call @use(%[[LEAST]])
    %1 = affine.min affine_map<(d0)[s0] -> (d0, s0 * 2, s0 + 7)>(%0)[%n]
    func.call @use(%1) : (index) -> ()
    // CHECK: %[[V:.*]] = affine.load %[[M]][%{{.*}}] : memref<64xf32>
    // CHECK-NEXT: affine.store %[[V]], %[[M]][%{{.*}}] : memref<64xf32>
    %v = affine.load %c[%i] : memref<?xf32>
    affine.store %v, %c[%i + 1] : memref<?xf32>
    // CHECK-NOT: affine.if
    affine.if affine_set<(d0)[s0] : (d0 * 4 + s0 * 8 - 6 == 0)>(%i)[%n] {
      func.call @use(%i) : (index) -> ()
    }
  }
  return
}

// A basis of constants, and a first index of 0.
// CHECK-LABEL: func.func @basis
// CHECK-SAME: (%[[I:.*]]: index, %[[J:.*]]: index, %[[K:.*]]: index)
// CHECK-NOT: arith.constant
// CHECK: affine.delinearize_index %[[I]] into (5, 7)
// CHECK: affine.linearize_index [%[[I]], %[[K]]] by (5, 7)
// CHECK: return %{{.*}}, %{{.*}}, %[[J]]
func.func @basis(%i: index, %j: index, %k: index) -> (index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %0:2 = affine.delinearize_index %i into (%c5, 7) : index, index
  %1 = affine.linearize_index [%c0, %j] by (5, 7) : index
  %2 = affine.linearize_index [%c0, %i, %k] by (%c5, 7) : index
  return %0#0, %0#1, %1, %2 : index, index, index, index
}
