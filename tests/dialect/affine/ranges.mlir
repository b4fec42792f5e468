// What the bounds of loops say of subscripts, minima and conditions.
// RUN: noria opt --canonicalize --syntax=mlir %s | FileCheck %s
// RUN: noria opt --canonicalize --syntax=mlir %s | mlir-opt
// RUN: noria run %s --entry=sums 5 > %t.1
// RUN: noria opt --canonicalize %s | noria run - --entry=sums 5 > %t.2
// RUN: diff %t.1 %t.2
// RUN: noria opt --canonicalize %s | noria run - --entry=sums 5 --interpret > %t.3
// RUN: diff %t.1 %t.3

func.func private @use(index)

// CHECK-LABEL: func.func @ivs
func.func @ivs(%m: memref<64xf32>, %n: index, %x: f32) {
  // CHECK: affine.for %[[I:.*]] = 0 to 8 {
  affine.for %i = 0 to 8 {
    // CHECK-NEXT: affine.for %[[J:.*]] = 2 to 10 step 2 {
    affine.for %j = 2 to 10 step 2 {
      // CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[I]]] :
      affine.store %x, %m[%i mod 8] : memref<64xf32>
      // CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[0] :
      affine.store %x, %m[%i floordiv 8] : memref<64xf32>
      // CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[1] :
      affine.store %x, %m[(%i + 8) floordiv 8] : memref<64xf32>
      // CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[I]]] :
      affine.store %x, %m[(%i + 16) mod 8] : memref<64xf32>
      // CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[I]] + %[[J]]] :
      affine.store %x, %m[(%i + %j) mod 32] : memref<64xf32>
      // CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[I]] + %[[J]] floordiv 8] :
      affine.store %x, %m[(%i * 8 + %j) floordiv 8] : memref<64xf32>
      // CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[1] :
      affine.store %x, %m[(%i + 1) ceildiv 8] : memref<64xf32>
      // CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[0] :
      affine.store %x, %m[%j mod 2] : memref<64xf32>
      // CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[J]]] :
      affine.store %x, %m[(%i * 16 + %j) mod 16] : memref<64xf32>
      // CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[I]]] :
      affine.store %x, %m[(%i * 16 + %j) floordiv 16] : memref<64xf32>
    }
  }
  return
}
// A tile is whole where the last one is; of two that differ by a constant one always counts; an upper bound is above
// the variable.
// CHECK-LABEL: func.func @minmax
// CHECK-SAME: (%[[N:.*]]: index)
// CHECK: %[[C16:.*]] = arith.constant 16
// CHECK: affine.for %[[I:.*]] = 0 to 64 step 16
// CHECK-NEXT: call @use(%[[C16]])
// CHECK-NEXT: affine.min #{{.*}}(%[[I]])
// CHECK-NEXT: call @use
// CHECK-NEXT: affine.max #{{.*}}(%[[I]])[%[[N]]]
// CHECK-NEXT: call @use
// CHECK-NEXT: affine.apply #{{.*}}(%[[I]])
// CHECK-NEXT: call @use
// CHECK: affine.for %[[I:.*]] = 0 to %[[N]] step 16
// CHECK-NEXT: affine.min #{{.*}}(%[[I]])[%[[N]]]
// CHECK-NEXT: call @use
// CHECK-NEXT: affine.apply #{{.*}}(%[[I]])[%[[N]]]
// CHECK-NEXT: call @use
// CHECK-NEXT: call @use(%[[I]])
func.func @minmax(%n: index) {
  affine.for %i = 0 to 64 step 16 {
    %0 = affine.min affine_map<(d0) -> (-d0 + 64, 16)>(%i)
    func.call @use(%0) : (index) -> ()
    %1 = affine.min affine_map<(d0) -> (-d0 + 60, 16)>(%i)
    func.call @use(%1) : (index) -> ()
    %2 = affine.max affine_map<(d0)[s0] -> (d0, -1, s0)>(%i)[%n]
    func.call @use(%2) : (index) -> ()
    %3 = affine.min affine_map<(d0) -> (d0 + 100, 16 + d0)>(%i)
    func.call @use(%3) : (index) -> ()
  }
  affine.for %i = 0 to %n step 16 {
    %0 = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 16)>(%i)[%n]
    func.call @use(%0) : (index) -> ()
    %1 = affine.max affine_map<(d0)[s0] -> (-d0 + s0, 0)>(%i)[%n]
    func.call @use(%1) : (index) -> ()
    %2 = affine.max affine_map<(d0)[s0] -> (d0, 0)>(%i)[%n]
    func.call @use(%2) : (index) -> ()
  }
  return
}
// CHECK-LABEL: func.func @ifs
// CHECK: affine.for
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[0]
// CHECK-NEXT: affine.if #{{.*}}(%{{.*}})[%{{.*}}] {
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[2]
// CHECK-NEXT: }
// CHECK-NEXT: affine.if
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[3]
// CHECK-NEXT: }
// CHECK-NEXT: affine.if
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[6]
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: affine.for
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[7]
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[8]
// CHECK-NEXT: }
func.func @ifs(%m: memref<64xf32>, %n: index, %x: f32) {
  affine.for %i = 0 to 8 {
    affine.if affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>(%i) {
      affine.store %x, %m[0] : memref<64xf32>
    }
    affine.if affine_set<(d0) : (d0 - 8 >= 0)>(%i) {
      affine.store %x, %m[1] : memref<64xf32>
    }
    affine.if affine_set<(d0)[s0] : (d0 >= 0, d0 - s0 >= 0)>(%i)[%n] {
      affine.store %x, %m[2] : memref<64xf32>
    }
    affine.if affine_set<(d0) : (d0 - 4 == 0)>(%i) {
      affine.store %x, %m[3] : memref<64xf32>
    }
    affine.if affine_set<(d0) : (d0 - 9 == 0)>(%i) {
      affine.store %x, %m[4] : memref<64xf32>
    }
    affine.if affine_set<(d0) : (d0 * 2 - 5 == 0)>(%i) {
      affine.store %x, %m[5] : memref<64xf32>
    }
    affine.if affine_set<(d0) : (d0 * 2 - 5 >= 0)>(%i) {
      affine.store %x, %m[6] : memref<64xf32>
    }
  }
  affine.for %i = 0 to %n {
    affine.if affine_set<(d0)[s0] : (d0 >= 0, s0 - d0 - 1 >= 0)>(%i)[%n] {
      affine.store %x, %m[7] : memref<64xf32>
    }
    affine.if affine_set<(d0) : (d0 >= 0)>(%i) {
      affine.store %x, %m[8] : memref<64xf32>
    }
  }
  return
}
// CHECK-LABEL: func.func @bounds
// CHECK: affine.for %[[I:.*]] = 0 to 8
// CHECK-NEXT: affine.for %{{.*}} = #{{.*}}(%[[I]]) to #{{.*}}(%[[I]]) {
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[0]
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @bounds(%m: memref<64xf32>, %x: f32) {
  affine.for %i = 0 to 8 {
    affine.for %j = max affine_map<(d0) -> (d0, -5)>(%i) to min affine_map<(d0) -> (d0 + 4, 100)>(%i) {
      affine.store %x, %m[0] : memref<64xf32>
    }
    affine.for %j = affine_map<(d0) -> (d0 + 9)>(%i) to affine_map<(d0) -> (-d0 + 9)>(%i) {
      affine.store %x, %m[1] : memref<64xf32>
    }
    affine.for %j = affine_map<(d0) -> (d0 + 9)>(%i) to 9 {
      affine.store %x, %m[2] : memref<64xf32>
    }
  }
  return
}

// Indices of a number that was made of them, a number of its indices; a first index that is always 0.
// CHECK-LABEL: func.func @basis
// CHECK-SAME: (%[[N:.*]]: index
// CHECK: %[[C0:.*]] = arith.constant 0
// CHECK: affine.for %[[I:.*]] = 0 to 12
// CHECK: affine.delinearize_index %[[I]] into (3, 4)
// CHECK-NEXT: call @use(%[[I]])
// CHECK-NEXT: affine.store
// CHECK-NEXT: call @use(%[[C0]])
// CHECK-NEXT: call @use(%[[I]])
// CHECK-NEXT: call @use(%[[I]])
// CHECK-NEXT: call @use(%[[N]])
func.func @basis(%n: index, %x: f32, %m: memref<64xf32>) {
  affine.for %i = 0 to 12 {
    %r:2 = affine.delinearize_index %i into (3, 4) : index, index
    %l = affine.linearize_index disjoint [%r#0, %r#1] by (3, 4) : index
    func.call @use(%l) : (index) -> ()
    affine.store %x, %m[%r#0] : memref<64xf32>
    %s:2 = affine.delinearize_index %i into (1, 12) : index, index
    func.call @use(%s#0) : (index) -> ()
    func.call @use(%s#1) : (index) -> ()
    %q = affine.linearize_index disjoint [%i, %n] by (12, 5) : index
    %t:2 = affine.delinearize_index %q into (12, 5) : index, index
    func.call @use(%t#0) : (index) -> ()
    func.call @use(%t#1) : (index) -> ()
  }
  return
}

// The sum of what places and minima are, some of which the bounds decide.
func.func @sums(%n: index) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %r:3 = affine.for %i = -3 to 9 step 2 iter_args(%a = %c0, %b = %c0, %c = %c0) -> (index, index, index) {
    %s:3 = affine.for %j = max affine_map<(d0) -> (d0, 1)>(%i) to min affine_map<(d0)[s0] -> (d0 + 9, s0 + 4)>(%i)[%n] step 3 iter_args(%d = %a, %e = %b, %f = %c) -> (index, index, index) {
      %0 = affine.apply affine_map<(d0, d1)[s0] -> (d0 mod 2 + (d0 * 6 + d1) mod 3 + (d1 + 2) ceildiv 16 + (d0 + 3) mod 16 + s0 mod 4)>(%i, %j)[%n]
      %1 = affine.min affine_map<(d0, d1)[s0] -> (d1, d0 + 7, s0 + 3, 40)>(%i, %j)[%n]
      %2 = affine.max affine_map<(d0, d1)[s0] -> (s0 + 4 - d1, d0 - d1, 0)>(%i, %j)[%n]
      %3 = affine.if affine_set<(d0, d1)[s0] : (d1 - d0 >= 0, s0 - d1 + 3 >= 0, d0 + 1 == 0)>(%i, %j)[%n] -> index {
        affine.yield %1 : index
      } else {
        affine.yield %2 : index
      }
      %x = arith.addi %d, %0 : index
      %y = arith.addi %e, %1 : index
      %z = arith.addi %f, %3 : index
      affine.yield %x, %y, %z : index, index, index
    }
    affine.yield %s#0, %s#1, %s#2 : index, index, index
  }
  return %r#0, %r#1, %r#2 : index, index, index
}
