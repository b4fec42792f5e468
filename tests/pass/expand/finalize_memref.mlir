// RUN: noria opt --pass-pipeline=convert-scf-to-cf,finalize-memref,verify-emittable %s | FileCheck %s
// RUN: noria run --check-stages --entry=main %s 2>&1 | FileCheck %s --check-prefix=STAGES
// STAGES: all 9 outcomes are that of 'import'
// STAGES: 1.600000e+01 : f32

// An element of a view is an element of what the view is of.
// CHECK-LABEL: func.func private @subview_0
// CHECK-SAME: (%[[P:.*]]: memref<?xf32>, %arg1: index, %arg2: index)
// CHECK-DAG: %[[AT:.*]] = arith.muli %arg1, %{{.*}} overflow<nsw> : index
// CHECK: %[[SUM:.*]] = arith.addi %[[AT]], %arg2 overflow<nsw> : index
// CHECK-NEXT: memref.load %[[P]][%[[SUM]]] : memref<?xf32>
// CHECK-NEXT: return
func.func @subview(%m: memref<4x8xf32>, %i: index, %j: index) -> f32 {
  %v = memref.subview %m[%i, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<8xf32, strided<[1], offset: ?>>
  %x = memref.load %v[%j] : memref<8xf32, strided<[1], offset: ?>>
  return %x : f32
}

// Sizes and strides are those of the source; constants fold.
// CHECK-LABEL: func.func private @reshapes_0
// CHECK-SAME: (%arg0: memref<?xi8>, %[[N:.*]]: index, %{{.*}}: index)
// CHECK-NOT: memref.dim
// CHECK-NOT: memref.{{collapse|expand|transpose}}
// CHECK: return %{{.*}}, %[[N]], %{{.*}}
func.func @reshapes(%m: memref<?x6xi8>, %i: index) -> (i8, index, index) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %t = memref.transpose %m (a, b) -> (b, a) : memref<?x6xi8> to memref<6x?xi8, strided<[1, 6]>>
  %n = memref.dim %t, %c1 : memref<6x?xi8, strided<[1, 6]>>
  %e = memref.expand_shape %m [[0], [1, 2]] output_shape [%n, 2, 3] : memref<?x6xi8> into memref<?x2x3xi8>
  %k = memref.collapse_shape %e [[0, 1], [2]] : memref<?x2x3xi8> into memref<?x3xi8>
  %x = memref.load %k[%i, %c1] : memref<?x3xi8>
  %r = memref.rank %k : memref<?x3xi8>
  return %x, %n, %r : i8, index, index
}

// Bytes seen as other elements.
// CHECK-LABEL: func.func @view(
// CHECK: %[[F:.*]] = rt.pointer %arg0[%arg1] : memref<?xi8> -> memref<?xf32>
// CHECK: vector.store %{{.*}}, %[[F]][%{{.*}}] : memref<?xf32>, vector<4xf32>
func.func @view(%m: memref<64xi8>, %shift: index, %v: vector<4xf32>) {
  %c1 = arith.constant 1 : index
  %f = memref.view %m[%shift][] : memref<64xi8> to memref<2x4xf32>
  vector.store %v, %f[%c1, %c1] : memref<2x4xf32>, vector<4xf32>
  return
}

// Calls pass a pointer and what the type of the argument leaves open.
// CHECK-LABEL: func.func private @views_0
// CHECK: %[[AT:.*]] = arith.muli %arg1, %{{.*}}
// CHECK: call @take(%arg0, %[[AT]]) : (memref<?xf32>, index) -> ()
// CHECK: call @take(%arg0, %[[AT]])
func.func @views(%m: memref<4x8xf32>, %i: index) {
  %v = memref.subview %m[%i, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<8xf32, strided<[1], offset: ?>>
  call @take(%v) : (memref<8xf32, strided<[1], offset: ?>>) -> ()
  call @take(%v) : (memref<8xf32, strided<[1], offset: ?>>) -> ()
  return
}
// CHECK: func.func private @take(%{{.*}}: memref<?xf32> {noria.noalias}, %{{.*}}: index)
func.func private @take(%m: memref<8xf32, strided<[1], offset: ?>> {noria.noalias}) {
  return
}

// So do results, and functions that are values.
// CHECK-LABEL: func.func @results(
// CHECK-SAME: -> (memref<?xf32>, index, index, index)
// CHECK: %[[F:.*]] = constant @make : (index) -> (memref<?xf32>, index)
// CHECK: %[[R:.*]]:2 = call_indirect %[[F]](%arg0) : (index) -> (memref<?xf32>, index)
// CHECK: return %[[R]]#0, %{{.*}}, %{{.*}}, %{{.*}} : memref<?xf32>, index, index, index
func.func @results(%n: index) -> memref<?xf32, strided<[?], offset: ?>> {
  %f = func.constant @make : (index) -> memref<?xf32>
  %m = func.call_indirect %f(%n) : (index) -> memref<?xf32>
  %v = memref.cast %m : memref<?xf32> to memref<?xf32, strided<[?], offset: ?>>
  return %v : memref<?xf32, strided<[?], offset: ?>>
}
func.func private @make(%n: index) -> memref<?xf32> {
  %m = memref.alloc(%n) : memref<?xf32>
  return %m : memref<?xf32>
}

// One of two memrefs.
// CHECK-LABEL: func.func private @select_0
// CHECK: arith.select %arg0, %arg1, %arg3 : memref<?xf32>
// CHECK: arith.select %arg0, %arg2, %arg4 : index
func.func @select(%c: i1, %a: memref<?xf32>, %b: memref<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %m = arith.select %c, %a, %b : memref<?xf32>
  %n = memref.dim %m, %c0 : memref<?xf32>
  %x = memref.load %m[%c0] : memref<?xf32>
  return %n : index
}

// That memory is aligned is said of the pointer that is used.
// CHECK-LABEL: func.func private @aligned_0
// CHECK: %[[A:.*]] = memref.assume_alignment %arg0, 64 : memref<?xf32>
// CHECK: memref.load %[[A]][
func.func @aligned(%m: memref<4x8xf32>, %i: index) -> f32 {
  %a = memref.assume_alignment %m, 64 : memref<4x8xf32>
  %x = memref.load %a[%i, %i] : memref<4x8xf32>
  return %x : f32
}

// Lanes that lie apart are gathered by the numbers of their elements.
// CHECK-LABEL: func.func @apart(
// CHECK: %[[STRIDE:.*]] = vector.broadcast %{{.*}} : index to vector<4xindex>
// CHECK: %[[AT:.*]] = arith.muli %{{.*}}, %[[STRIDE]] overflow<nsw> : vector<4xindex>
// CHECK: vector.gather %arg0[%{{.*}}] [%[[AT]]]
func.func @apart(%m: memref<16xf32>, %i: index, %at: vector<4xi32>, %mask: vector<4xi1>, %p: vector<4xf32>) -> vector<4xf32> {
  %v = memref.subview %m[0] [4] [4] : memref<16xf32> to memref<4xf32, strided<[4]>>
  %x = vector.gather %v[%i] [%at], %mask, %p
      : memref<4xf32, strided<[4]>>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  return %x : vector<4xf32>
}

// Blocks take memrefs as they do values; the body of an atomic op is a region of its own.
// CHECK-LABEL: func.func private @blocks_0
// CHECK: cf.br ^bb1(%arg0, %{{.*}}, %arg2 : memref<?xi32>, index, index)
// CHECK: ^bb{{.*}}(%[[P:.*]]: memref<?xi32>, %{{.*}}: index, %{{.*}}: index):
// CHECK: memref.generic_atomic_rmw %[[P]][%{{.*}}] : memref<?xi32>
func.func @blocks(%m: memref<?xi32>, %n: index, %i: index) -> i32 {
  %v = memref.subview %m[%i] [%n] [2] : memref<?xi32> to memref<?xi32, strided<[2], offset: ?>>
  cf.br ^next(%v : memref<?xi32, strided<[2], offset: ?>>)
^next(%w: memref<?xi32, strided<[2], offset: ?>>):
  %old = memref.generic_atomic_rmw %w[%i] : memref<?xi32, strided<[2], offset: ?>> {
  ^bb0(%x: i32):
    %c1 = arith.constant 1 : i32
    %y = arith.addi %x, %c1 : i32
    memref.atomic_yield %y : i32
  }
  return %old : i32
}

// All of them in one program, compared by the interpreter before and after, and by machine code.
func.func @main() -> (f32, i8, index, index, i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %c32 = arith.constant 32 : index
  %bytes = memref.alloc() : memref<64xi8>
  %m = memref.alloc() : memref<4x8xf32>
  %n = memref.alloc(%c2) : memref<?x6xi8>
  %k = memref.alloc(%c8) : memref<?xi32>
  scf.for %i = %c0 to %c12 step %c1 {
    %b = arith.index_cast %i : index to i8
    %flat = memref.reinterpret_cast %n to offset: [0], sizes: [12], strides: [1] : memref<?x6xi8> to memref<12xi8>
    memref.store %b, %flat[%i] : memref<12xi8>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %b = arith.index_cast %i : index to i32
    memref.store %b, %k[%i] : memref<?xi32>
  }
  scf.for %i = %c0 to %c32 step %c1 {
    %flat = memref.collapse_shape %m [[0, 1]] : memref<4x8xf32> into memref<32xf32>
    %a = arith.index_cast %i : index to i32
    %f = arith.sitofp %a : i32 to f32
    memref.store %f, %flat[%i] : memref<32xf32>
  }
  %x = func.call @subview(%m, %c2, %c0) : (memref<4x8xf32>, index, index) -> f32
  %y:3 = func.call @reshapes(%n, %c2) : (memref<?x6xi8>, index) -> (i8, index, index)
  %z = func.call @blocks(%k, %c2, %c1) : (memref<?xi32>, index, index) -> i32
  %z3 = memref.load %k[%c2] : memref<?xi32>
  memref.dealloc %bytes : memref<64xi8>
  memref.dealloc %m : memref<4x8xf32>
  memref.dealloc %n : memref<?x6xi8>
  memref.dealloc %k : memref<?xi32>
  return %x, %y#0, %y#1, %y#2, %z, %z3 : f32, i8, index, index, i32, i32
}
