// RUN: noria opt --pass-pipeline=scf-parallel-loop-fusion %s | FileCheck %s
// RUN: noria opt --pass-pipeline='scf-parallel-loop-fusion{no-overlap-tests}' %s | FileCheck %s --check-prefix=NOTEST
// RUN: noria opt --pass-pipeline=scf-parallel-loop-fusion --syntax=mlir %s | mlir-opt
// RUN: noria run --interpret --entry=main %s | FileCheck %s --check-prefix=OUT
// RUN: noria opt --pass-pipeline=scf-parallel-loop-fusion %s | noria run - --interpret --entry=main | FileCheck %s --check-prefix=OUT
// RUN: noria opt --pass-pipeline=scf-parallel-loop-fusion %s | noria run - --entry=main | FileCheck %s --check-prefix=OUT
// RUN: noria run --interpret --entry=ordered %s > %t.ordered
// RUN: noria opt --pass-pipeline=scf-parallel-loop-fusion %s | noria run - --interpret --entry=ordered | diff - %t.ordered
// RUN: noria opt --pass-pipeline=scf-parallel-loop-fusion %s | noria run - --entry=ordered | diff - %t.ordered

// The second loop reads and writes where the first one did, at the same point. %result may overlap %B and %C: it is
// found out. One buffer does no harm.
// CHECK-LABEL: func.func @fuse_two
// CHECK-SAME: %[[A:.*]]: memref<2x2xf32>, %[[B:.*]]: memref<2x2xf32>, %[[C:.*]]: memref<2x2xf32>, %[[R:.*]]: memref<2x2xf32>
// CHECK: %[[SUM:.*]] = memref.alloc
// CHECK: %[[BP:.*]] = memref.extract_aligned_pointer_as_index %[[B]]
// CHECK: %[[BE:.*]] = arith.addi %[[BP]], %c16{{.*}} : index
// CHECK: %[[RP:.*]] = memref.extract_aligned_pointer_as_index %[[R]]
// CHECK: %[[RE:.*]] = arith.addi %[[RP]], %c16{{.*}} : index
// CHECK: %[[BEFORE:.*]] = arith.cmpi ule, %[[BE]], %[[RP]] : index
// CHECK: %[[BEHIND:.*]] = arith.cmpi ule, %[[RE]], %[[BP]] : index
// CHECK: arith.cmpi eq, %[[BP]], %[[RP]] : index
// CHECK: scf.if
// CHECK-NEXT: scf.parallel (%[[I:.*]], %[[J:.*]]) =
// CHECK: memref.store %{{.*}}, %[[SUM]][%[[I]], %[[J]]]
// CHECK: memref.load %[[SUM]][%[[I]], %[[J]]]
// CHECK: memref.store %{{.*}}, %[[R]][%[[I]], %[[J]]]
// CHECK: } else {
// CHECK-COUNT-2: scf.parallel
// CHECK-NOT: scf.parallel
// CHECK: memref.dealloc
// NOTEST-LABEL: func.func @fuse_two
// NOTEST-NOT: scf.if
// NOTEST-COUNT-2: scf.parallel
func.func @fuse_two(%A: memref<2x2xf32>, %B: memref<2x2xf32>, %C: memref<2x2xf32>, %result: memref<2x2xf32>) {
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = memref.alloc() : memref<2x2xf32>
  scf.parallel (%i, %j) = (%c0, %c0) to (%c2, %c2) step (%c1, %c1) {
    %b = memref.load %B[%i, %j] : memref<2x2xf32>
    %c = memref.load %C[%i, %j] : memref<2x2xf32>
    %s = arith.addf %b, %c : f32
    memref.store %s, %sum[%i, %j] : memref<2x2xf32>
  }
  scf.parallel (%i, %j) = (%c0, %c0) to (%c2, %c2) step (%c1, %c1) {
    %s = memref.load %sum[%i, %j] : memref<2x2xf32>
    %a = memref.load %A[%i, %j] : memref<2x2xf32>
    %p = arith.mulf %s, %a : f32
    memref.store %p, %result[%i, %j] : memref<2x2xf32>
  }
  memref.dealloc %sum : memref<2x2xf32>
  return
}

// An argument that nothing else overlaps needs no test; nor do constants that are equal, but not one op.
// CHECK-LABEL: func.func @noalias
// CHECK-NOT: scf.if
// CHECK: scf.parallel
// CHECK-NOT: scf.parallel
// CHECK: return
func.func @noalias(%B: memref<2x2xf32>, %result: memref<2x2xf32> {llvm.noalias}) {
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = memref.alloc() : memref<2x2xf32>
  scf.parallel (%i, %j) = (%c0, %c0) to (%c2, %c2) step (%c1, %c1) {
    %b = memref.load %B[%i, %j] : memref<2x2xf32>
    memref.store %b, %sum[%i, %j] : memref<2x2xf32>
  }
  %d2 = arith.constant 2 : index
  %tmp = memref.alloc() : memref<2x2xf32>
  scf.parallel (%i, %j) = (%c0, %c0) to (%d2, %c2) step (%c1, %c1) {
    %s = memref.load %sum[%i, %j] : memref<2x2xf32>
    memref.store %s, %tmp[%i, %j] : memref<2x2xf32>
    memref.store %s, %result[%i, %j] : memref<2x2xf32>
  }
  memref.dealloc %sum : memref<2x2xf32>
  memref.dealloc %tmp : memref<2x2xf32>
  return
}

// Bounds that equal ops make of equal values.
// CHECK-LABEL: func.func @sizes
// CHECK-COUNT-1: scf.parallel
// CHECK-NOT: scf.parallel
// CHECK: return
func.func @sizes(%a: memref<?xf32>, %b: memref<?xf32> {llvm.noalias}, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  %n2 = arith.subi %n, %k : index
  scf.parallel (%i) = (%c0) to (%n2) step (%c1) {
    %x = memref.load %a[%i] : memref<?xf32>
    memref.store %x, %b[%i] : memref<?xf32>
    scf.reduce
  }
  %m = memref.dim %a, %c0 : memref<?xf32>
  %m2 = arith.subi %m, %k : index
  scf.parallel (%i) = (%c0) to (%m2) step (%c1) {
    %x = memref.load %b[%i] : memref<?xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %b[%i] : memref<?xf32>
    scf.reduce
  }
  return
}

// Dims in another order: by their bounds, or by what they are the indices of. Those of the last loop have no order in
// which no point meets another one.
// CHECK-LABEL: func.func @orders
// CHECK: scf.parallel (%[[I:.*]], %[[J:.*]]) = (%{{.*}}, %{{.*}}) to (%c8, %c16)
// CHECK: memref.store %{{.*}}, %[[B:.*]][%[[I]], %[[J]]]
// CHECK: memref.load %[[B]][%[[I]], %[[J]]]
// CHECK: scf.reduce
// CHECK: scf.parallel (%[[I:.*]], %[[J:.*]]) = (%{{.*}}, %{{.*}}) to (%c8, %c8)
// CHECK: memref.store %{{.*}}, %[[C:.*]][%[[I]], %[[J]]]
// CHECK: memref.load %[[C]][%[[I]], %[[J]]]
// CHECK: scf.reduce
// CHECK: scf.parallel
// CHECK: return
func.func @orders(%b: memref<8x16xi32>, %c: memref<8x8xi32> {llvm.noalias}, %x: i32) -> (i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %z = arith.constant 0 : i32
  scf.parallel (%i, %j) = (%c0, %c0) to (%c8, %c16) step (%c1, %c1) {
    %u = arith.index_cast %j : index to i32
    memref.store %u, %b[%i, %j] : memref<8x16xi32>
    scf.reduce
  }
  %s = scf.parallel (%j, %i) = (%c0, %c0) to (%c16, %c8) step (%c1, %c1) init (%z) -> i32 {
    %y = memref.load %b[%i, %j] : memref<8x16xi32>
    %u = arith.index_cast %i : index to i32
    %v = arith.muli %y, %u : i32
    scf.reduce(%v : i32) {
    ^bb0(%l: i32, %r: i32):
      %t = arith.addi %l, %r : i32
      scf.reduce.return %t : i32
    }
  }
  scf.parallel (%i, %j) = (%c0, %c0) to (%c8, %c8) step (%c1, %c1) {
    %u = arith.index_cast %j : index to i32
    memref.store %u, %c[%i, %j] : memref<8x8xi32>
    scf.reduce
  }
  scf.parallel (%i, %j) = (%c0, %c0) to (%c8, %c8) step (%c1, %c1) {
    %y = memref.load %c[%j, %i] : memref<8x8xi32>
    %u = arith.index_cast %i : index to i32
    %v = arith.muli %y, %u : i32
    memref.store %v, %c[%j, %i] : memref<8x8xi32>
    scf.reduce
  }
  %q = scf.parallel (%i, %j) = (%c0, %c0) to (%c8, %c8) step (%c1, %c1) init (%z) -> i32 {
    %y = memref.load %c[%i, %j] : memref<8x8xi32>
    %w = memref.load %c[%j, %i] : memref<8x8xi32>
    %u = arith.index_cast %j : index to i32
    %v = arith.muli %y, %u : i32
    %o = arith.subi %v, %w : i32
    scf.reduce(%o : i32) {
    ^bb0(%l: i32, %r: i32):
      %t = arith.addi %l, %r : i32
      scf.reduce.return %t : i32
    }
  }
  return %s, %q : i32, i32
}

// Loops with loops in them, and then the ones in them.
// CHECK-LABEL: func.func @in_loops
// CHECK: scf.parallel (%[[I:.*]]) =
// CHECK-NEXT: scf.parallel (%[[J:.*]]) =
// CHECK: memref.store %{{.*}}, %[[B:.*]][%[[I]], %[[J]]]
// CHECK-NEXT: memref.load %[[B]][%[[I]], %[[J]]]
// CHECK-NOT: scf.parallel
// CHECK: return
func.func @in_loops(%n: index, %m: index, %b: memref<?x?xi32>, %x: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.parallel (%j) = (%c0) to (%m) step (%c1) {
      memref.store %x, %b[%i, %j] : memref<?x?xi32>
      scf.reduce
    }
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.parallel (%j) = (%c0) to (%m) step (%c1) {
      %y = memref.load %b[%i, %j] : memref<?x?xi32>
      %z = arith.addi %y, %y : i32
      memref.store %z, %b[%i, %j] : memref<?x?xi32>
      scf.reduce
    }
    scf.reduce
  }
  return
}

// Three in a row become one, with all results.
// CHECK-LABEL: func.func @chain
// CHECK: %[[R:.*]]:2 = scf.parallel (%[[I:.*]]) = {{.*}} init (%{{.*}}, %{{.*}}) -> (i32, i32)
// CHECK: scf.reduce(%{{.*}}, %{{.*}} : i32, i32) {
// CHECK: arith.addi
// CHECK: }, {
// CHECK: arith.muli
// CHECK-NOT: scf.parallel
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @chain(%n: index, %m: memref<?xi32>) -> (i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero) -> i32 {
    %v = memref.load %m[%i] : memref<?xi32>
    scf.reduce(%v : i32) {
    ^bb0(%l: i32, %r: i32):
      %s = arith.addi %l, %r : i32
      scf.reduce.return %s : i32
    }
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %m[%i] : memref<?xi32>
    %s = arith.addi %v, %v : i32
    memref.store %s, %m[%i] : memref<?xi32>
  }
  %b = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%one) -> i32 {
    %v = memref.load %m[%i] : memref<?xi32>
    scf.reduce(%v : i32) {
    ^bb0(%l: i32, %r: i32):
      %s = arith.muli %l, %r : i32
      scf.reduce.return %s : i32
    }
  }
  return %a, %b : i32, i32
}

// One test for three loops; without it the first two still become one.
// CHECK-LABEL: func.func @three
// CHECK: scf.if
// CHECK-NEXT: scf.parallel
// CHECK-COUNT-3: memref.store
// CHECK: } else {
// CHECK-NEXT: scf.parallel
// CHECK-COUNT-2: memref.store
// CHECK: scf.parallel
// CHECK-NEXT: memref.load
// CHECK-NEXT: memref.store
// CHECK-NOT: scf.parallel
// CHECK: return
func.func @three(%n: index, %a: memref<?xi32>, %b: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = memref.alloc(%n) : memref<?xi32>
  %u = memref.alloc(%n) : memref<?xi32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %a[%i] : memref<?xi32>
    memref.store %v, %t[%i] : memref<?xi32>
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %t[%i] : memref<?xi32>
    memref.store %v, %u[%i] : memref<?xi32>
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %u[%i] : memref<?xi32>
    memref.store %v, %b[%i] : memref<?xi32>
  }
  memref.dealloc %t : memref<?xi32>
  memref.dealloc %u : memref<?xi32>
  return
}

// What another point wrote, other points, a value from the first loop, an op between that reads what the first loop
// writes, and a call: two loops each.
// CHECK-LABEL: func.func @neighbour
// CHECK-COUNT-2: scf.parallel
// CHECK-LABEL: func.func @one_element
// CHECK-COUNT-2: scf.parallel
// CHECK-LABEL: func.func @other_points
// CHECK-COUNT-2: scf.parallel
// CHECK-LABEL: func.func @result_used
// CHECK-COUNT-2: scf.parallel
// CHECK-LABEL: func.func @between
// CHECK-COUNT-2: scf.parallel
// CHECK-LABEL: func.func @calls
// CHECK-COUNT-2: scf.parallel
func.func @neighbour(%n: index, %m: memref<?xf32>, %x: f32) -> f32 {
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c1) to (%n) step (%c1) {
    memref.store %x, %m[%i] : memref<?xf32>
  }
  %r = scf.parallel (%i) = (%c1) to (%n) step (%c1) init (%x) -> f32 {
    %k = arith.addi %i, %c1 : index
    %v = memref.load %m[%k] : memref<?xf32>
    scf.reduce(%v : f32) {
    ^bb0(%l: f32, %s: f32):
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}

// Both touch %m[%i] at %i, but all of the %j share it.
func.func @one_element(%n: index, %m: memref<?xindex>, %o: memref<?x?xindex> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    %is = arith.cmpi eq, %i, %j : index
    scf.if %is {
      memref.store %j, %m[%i] : memref<?xindex>
    }
  }
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    %v = memref.load %m[%i] : memref<?xindex>
    memref.store %v, %o[%i, %j] : memref<?x?xindex>
  }
  return
}

func.func @other_points(%n: index, %k: index, %m: memref<?xf32>, %o: memref<?xf32> {llvm.noalias}, %x: f32) {
  scf.parallel (%i) = (%n) to (%k) step (%n) {
    memref.store %x, %m[%i] : memref<?xf32>
  }
  scf.parallel (%i) = (%n) to (%k) step (%k) {
    memref.store %x, %o[%i] : memref<?xf32>
  }
  return
}

func.func @result_used(%n: index, %m: memref<?xi32>, %z: i32) -> i32 {
  %a = scf.parallel (%i) = (%n) to (%n) step (%n) init (%z) -> i32 {
    %v = memref.load %m[%i] : memref<?xi32>
    scf.reduce(%v : i32) {
    ^bb0(%l: i32, %r: i32):
      %s = arith.addi %l, %r : i32
      scf.reduce.return %s : i32
    }
  }
  %b = scf.parallel (%i) = (%n) to (%n) step (%n) init (%z) -> i32 {
    %v = memref.load %m[%i] : memref<?xi32>
    %t = arith.muli %v, %a : i32
    scf.reduce(%t : i32) {
    ^bb0(%l: i32, %r: i32):
      %s = arith.addi %l, %r : i32
      scf.reduce.return %s : i32
    }
  }
  return %b : i32
}

func.func @between(%n: index, %m: memref<?xf32>, %o: memref<?xf32> {llvm.noalias}, %x: f32) -> f32 {
  scf.parallel (%i) = (%n) to (%n) step (%n) {
    memref.store %x, %m[%i] : memref<?xf32>
  }
  %v = memref.load %m[%n] : memref<?xf32>
  scf.parallel (%i) = (%n) to (%n) step (%n) {
    memref.store %x, %o[%i] : memref<?xf32>
  }
  return %v : f32
}

func.func private @effect()
func.func @calls(%n: index, %o: memref<?xf32>, %x: f32) {
  scf.parallel (%i) = (%n) to (%n) step (%n) {
    func.call @effect() : () -> ()
  }
  scf.parallel (%i) = (%n) to (%n) step (%n) {
    memref.store %x, %o[%i] : memref<?xf32>
  }
  return
}

// From element to element: %to[i] = %tmp[i] = 2 * %from[i], where %to may lie anywhere in %from.
// CHECK-LABEL: func.func @double
// CHECK: memref.extract_strided_metadata
// CHECK: scf.if
func.func @double(%n: index, %from: memref<?xi32, strided<[?], offset: ?>>, %to: memref<?xi32, strided<[?], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tmp = memref.alloc(%n) : memref<?xi32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %from[%i] : memref<?xi32, strided<[?], offset: ?>>
    %d = arith.addi %v, %v : i32
    memref.store %d, %tmp[%i] : memref<?xi32>
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %tmp[%i] : memref<?xi32>
    memref.store %v, %to[%i] : memref<?xi32, strided<[?], offset: ?>>
  }
  memref.dealloc %tmp : memref<?xi32>
  return
}

// OUT: dense<[0, 1, 0, 2, 4, 6, 6, 7]> : tensor<8xi32>
// OUT: dense<[0, 1, 2, 3, 0, 2, 4, 6]> : tensor<8xi32>
func.func @main() -> (memref<8xi32>, memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<8xi32>
  %b = memref.alloc() : memref<8xi32>
  scf.for %i = %c0 to %c8 step %c1 {
    %v = arith.index_cast %i : index to i32
    memref.store %v, %a[%i] : memref<8xi32>
    memref.store %v, %b[%i] : memref<8xi32>
  }
  %from = memref.subview %a[%c0] [%c4] [%c1] : memref<8xi32> to memref<?xi32, strided<[?], offset: ?>>
  %near = memref.subview %a[%c2] [%c4] [%c1] : memref<8xi32> to memref<?xi32, strided<[?], offset: ?>>
  func.call @double(%c4, %from, %near) : (index, memref<?xi32, strided<[?], offset: ?>>, memref<?xi32, strided<[?], offset: ?>>) -> ()
  %low = memref.subview %b[%c0] [%c4] [%c1] : memref<8xi32> to memref<?xi32, strided<[?], offset: ?>>
  %far = memref.subview %b[%c4] [%c4] [%c1] : memref<8xi32> to memref<?xi32, strided<[?], offset: ?>>
  func.call @double(%c4, %low, %far) : (index, memref<?xi32, strided<[?], offset: ?>>, memref<?xi32, strided<[?], offset: ?>>) -> ()
  return %a, %b : memref<8xi32>, memref<8xi32>
}

func.func @ordered() -> (i32, i32) {
  %b = memref.alloc() : memref<8x16xi32>
  %c = memref.alloc() : memref<8x8xi32>
  %one = arith.constant 1 : i32
  %r:2 = func.call @orders(%b, %c, %one) : (memref<8x16xi32>, memref<8x8xi32>, i32) -> (i32, i32)
  return %r#0, %r#1 : i32, i32
}

// Other dims first would sum the floats up in another order.
// CHECK-LABEL: func.func @order_of_sums
// CHECK-COUNT-2: scf.parallel
// CHECK: return
func.func @order_of_sums(%m: memref<3x3xf32>, %o: memref<3x3xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0.0 : f32
  scf.parallel (%i, %j) = (%c0, %c0) to (%c3, %c2) step (%c1, %c1) {
    memref.store %z, %o[%i, %j] : memref<3x3xf32>
  }
  %r = scf.parallel (%i, %j) = (%c0, %c0) to (%c2, %c3) step (%c1, %c1) init (%z) -> f32 {
    %v = memref.load %m[%i, %j] : memref<3x3xf32>
    scf.reduce(%v : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}
