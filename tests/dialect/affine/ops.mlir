// RUN: noria opt %s | FileCheck %s
// RUN: noria opt %s --generic | noria opt - --syntax=mlir | FileCheck %s
// RUN: noria opt %s --syntax=mlir | mlir-opt | FileCheck %s

// CHECK-DAG: #[[$ID:.*]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[$SUM:.*]] = affine_map<(d0)[s0] -> (d0 + s0)>
// CHECK-DAG: #[[$TWO:.*]] = affine_map<(d0)[s0] -> (d0 + s0, d0 * 2)>
// CHECK-DAG: #[[$SET:.*]] = affine_set<(d0)[s0] : (d0 - 1 == 0, s0 >= 0)>
#two = affine_map<(d0)[s0] -> (d0 + s0, d0 * 2)>
#set = affine_set<(i)[N] : (i - 1 == 0, N >= 0)>

// CHECK-LABEL: func.func @for
// CHECK-SAME: (%[[N:.*]]: index, %[[M:.*]]: index, %[[X:.*]]: f32)
func.func @for(%n: index, %m: index, %x: f32) -> f32 {
  // CHECK: affine.for %{{.*}} = 0 to 10 {
  affine.for %i = 0 to 10 {
  }
  // CHECK: affine.for %{{.*}} = -3 to 10 step 2 {
  // CHECK-NEXT: } {foo}
  affine.for %i = -3 to 10 step 2 {
    affine.yield
  } {foo}
  // CHECK: affine.for %[[I:.*]] = %[[M]] to %[[N]] {
  affine.for %i = %m to affine_map<()[s0] -> (s0)>()[%n] {
    // CHECK: affine.for %{{.*}} = #[[$ID]](%[[I]]) to #[[$SUM]](%[[I]])[%[[N]]] step 4 {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to affine_map<(d0)[s0] -> (d0 + s0)>(%i)[%n] step 4 {
    }
  }
  // CHECK: affine.for %{{.*}} = max #[[$TWO]](%[[M]])[%[[N]]] to min #[[$TWO]](%[[N]])[%[[M]]] {
  affine.for %i = max #two(%m)[%n] to min #two(%n)[%m] {
  }
  // CHECK: affine.for %{{.*}} = 0 to 5 {
  affine.for %i = max affine_map<() -> (0)>() to min affine_map<() -> (5)>() {
  }
  // CHECK: %[[R:.*]] = affine.for %{{.*}} = 0 to 10 iter_args(%[[ACC:.*]] = %[[X]]) -> (f32) {
  // CHECK-NEXT: %[[S:.*]] = arith.addf %[[ACC]], %[[X]] : f32
  // CHECK-NEXT: affine.yield %[[S]] : f32
  %r = affine.for %i = 0 to 10 iter_args(%acc = %x) -> f32 {
    %s = arith.addf %acc, %x : f32
    affine.yield %s : f32
  }
  return %r : f32
}

func.func private @use(index)

// CHECK-LABEL: func.func @if
func.func @if(%n: index, %m: index, %x: f32) -> f32 {
  // CHECK: affine.if #[[$SET]](%{{.*}})[%{{.*}}] {
  affine.if #set(%n)[%m] {
  }
  // CHECK: affine.if #{{.*}}(%{{.*}}) {
  // CHECK-NEXT: } else {
  // CHECK: } {foo}
  affine.if affine_set<(d0) : (d0 >= 0)>(%n) {
  } else {
    func.call @use(%n) : (index) -> ()
  } {foo}
  // CHECK: affine.if #{{.*}}()[%{{.*}}] -> f32 {
  %r = affine.if affine_set<()[s0] : (s0 >= 0)>()[%n] -> f32 {
    affine.yield %x : f32
  } else {
    affine.yield %x : f32
  }
  // CHECK: affine.if #{{.*}}() -> (f32, index) {
  %q:2 = affine.if affine_set<() : ()>() -> (f32, index) {
    affine.yield %x, %n : f32, index
  } else {
    affine.yield %r, %m : f32, index
  }
  return %q#0 : f32
}

// CHECK-LABEL: func.func @values
func.func @values(%n: index, %m: index) {
  // CHECK: affine.apply #[[$SUM]](%{{.*}})[%{{.*}}]
  %a = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%n)[%m]
  // CHECK: affine.min #{{.*}}(%{{.*}})[%{{.*}}]
  %b = affine.min affine_map<(d0)[s0] -> (d0, 10, s0)>(%n)[%m]
  // CHECK: affine.max #{{.*}}()[%{{.*}}] {foo}
  %c = affine.max affine_map<()[s0] -> (s0, 10)>()[%m] {foo}
  // CHECK: affine.linearize_index [%{{.*}}, %{{.*}}] by (3, 5) : index
  %d = affine.linearize_index [%n, %m] by (3, 5) : index
  // CHECK: affine.linearize_index disjoint [%{{.*}}, %{{.*}}] by (%{{.*}}, 5) : index
  %e = affine.linearize_index disjoint [%n, %m] by (%m, 5) : index
  // CHECK: %{{.*}}:2 = affine.delinearize_index %{{.*}} into (%{{.*}}, 5) : index, index
  %f:2 = affine.delinearize_index %n into (%m, 5) : index, index
  // CHECK: %{{.*}}:2 = affine.delinearize_index %{{.*}} into (5) : index, index
  %g:2 = affine.delinearize_index %n into (5) : index, index
  return
}

// CHECK-LABEL: func.func @memory
// CHECK-SAME: (%[[A:.*]]: memref<100x100xf32>, %[[Z:.*]]: memref<f32>, %[[N:.*]]: index)
func.func @memory(%a: memref<100x100xf32>, %z: memref<f32>, %n: index) {
  // CHECK: affine.for %[[I:.*]] = 0 to 10
  affine.for %i = 0 to 10 {
    // CHECK-NEXT: affine.load %[[A]][%[[I]] + 3, %[[I]] + symbol(%[[N]])] : memref<100x100xf32>
    %v = affine.load %a[%i + 3, %i + symbol(%n)] : memref<100x100xf32>
    // CHECK-NEXT: affine.load %[[A]][%[[I]] * 2 - 3, symbol(%[[N]])] : memref<100x100xf32>
    %w = affine.load %a[2 * %i - 3, symbol(%n)] : memref<100x100xf32>
    // CHECK-NEXT: affine.store %{{.*}}, %[[A]][%[[I]] floordiv 2, %[[I]] mod 3 + 4] {foo} : memref<100x100xf32>
    affine.store %v, %a[%i floordiv 2, %i mod 3 + 4] {foo} : memref<100x100xf32>
    // CHECK-NEXT: affine.store %{{.*}}, %[[A]][0, -(%[[I]] ceildiv symbol(%[[N]]))] : memref<100x100xf32>
    affine.store %w, %a[0, -(%i ceildiv symbol(%n))] : memref<100x100xf32>
    // CHECK-NEXT: affine.prefetch %[[A]][%[[I]], %[[I]] + 5], read, locality<3>, data : memref<100x100xf32>
    affine.prefetch %a[%i, %i + 5], read, locality<3>, data : memref<100x100xf32>
    // CHECK-NEXT: affine.vector_load %[[A]][%[[N]], %[[I]]] : memref<100x100xf32>, vector<8xf32>
    %x = affine.vector_load %a[%n, %i] : memref<100x100xf32>, vector<8xf32>
    // CHECK-NEXT: affine.vector_store %{{.*}}, %[[A]][%[[N]], %[[N]] + 1] : memref<100x100xf32>, vector<8xf32>
    affine.vector_store %x, %a[%n, %n + 1] : memref<100x100xf32>, vector<8xf32>
    // CHECK-NEXT: affine.load %[[Z]][] : memref<f32>
    %y = affine.load %z[] : memref<f32>
  }
  return
}

// CHECK-LABEL: func.func @parallel
func.func @parallel(%a: memref<100x100xf32>, %n: index, %m: index, %x: f32) {
  // CHECK: affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to (10, 10) {
  affine.parallel (%i, %j) = (0, 0) to (10, 10) {
  }
  // CHECK: affine.parallel (%[[I:.*]], %[[J:.*]]) = (0, %{{.*}}) to (%{{.*}}, 10) step (2, 5) {
  // CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
  // CHECK-NEXT: } {foo}
  affine.parallel (%i, %j) = (0, %n) to (%n, 10) step (2, 5) {
    affine.store %x, %a[%i, %j] : memref<100x100xf32>
  } {foo}
  // CHECK: = (max(%{{.*}}, %{{.*}}), 0) to (min(10, %{{.*}} + 3), symbol(%{{.*}}) - 1) {
  affine.parallel (%i, %j) = (max(%n, %m), 0) to (min(10, %m + 3), symbol(%n) - 1) {
  }
  // CHECK: %{{.*}}:2 = affine.parallel (%{{.*}}) = (0) to (10) reduce ("addf", "maximumf") -> (f32, f32) {
  // CHECK-NEXT: affine.yield %{{.*}}, %{{.*}} : f32, f32
  %r:2 = affine.parallel (%i) = (0) to (10) reduce ("addf", "maximumf") -> (f32, f32) {
    affine.yield %x, %x : f32, f32
  }
  // CHECK: affine.parallel () = () to () {
  affine.parallel () = () to () {
  }
  return
}

// What pure ops make of symbols is a symbol, and so is the size of a buffer.
// CHECK-LABEL: func.func @symbols
func.func @symbols(%n: index, %a: memref<?x10xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    %twice = arith.addi %n, %n : index
    %rows = memref.dim %a, %c0 : memref<?x10xf32>
    %new = memref.alloc(%twice) : memref<?x4xf32>
    %size = memref.dim %new, %c0 : memref<?x4xf32>
    %part = memref.subview %a[%k, 0] [%n, 2] [1, 1] : memref<?x10xf32> to memref<?x2xf32, strided<[10, 1], offset: ?>>
    %part_rows = memref.dim %part, %c0 : memref<?x2xf32, strided<[10, 1], offset: ?>>
    // CHECK: affine.for
    affine.for %i = %twice to min affine_map<()[s0, s1, s2] -> (s0, s1, s2)>()[%rows, %size, %part_rows] {
    }
  }
  return
}
