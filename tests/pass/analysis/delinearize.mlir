// Rows of a length that is known in the run only: i * m + j is another element for each i and j where 0 <= j < m.
// RUN: noria opt --scf-for-to-parallel %s | FileCheck %s
// RUN: noria opt --affine-parallelize %s | FileCheck %s --check-prefix=AFFINE
// RUN: noria opt --scf-for-to-parallel %s -o %t.mlir

// CHECK-LABEL: func.func @rows(
// CHECK: scf.parallel (%{{.*}}, %{{.*}}) =
func.func @rows(%a: memref<?xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 1.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %m step %c1 {
      %p = arith.muli %i, %m : index
      %k = arith.addi %p, %j : index
      %v = memref.load %a[%k] : memref<?xf32>
      %w = arith.addf %v, %x : f32
      memref.store %w, %a[%k] : memref<?xf32>
    }
  }
  return
}
// RUN: noria run %t.mlir --entry=rows --check-stages '[1, 2, 3, 4, 5, 6, 7]' 2 3 | FileCheck %s --check-prefix=ROWS
// RUN: noria run %s --entry=rows --interpret '[1, 2, 3, 4, 5, 6, 7]' 2 3 | FileCheck %s --check-prefix=ROWS
// ROWS: dense<[2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 6.000000e+00, 7.000000e+00, 7.000000e+00]>

// The number of a row may be made of parts itself.
// CHECK-LABEL: func.func @rows3(
// CHECK: scf.parallel (%{{.*}}, %{{.*}}, %{{.*}}) =
func.func @rows3(%a: memref<?xf32>, %n: index, %m: index, %l: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 1.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %m step %c1 {
     scf.for %h = %c0 to %l step %c1 {
      %p = arith.muli %i, %m : index
      %k = arith.addi %p, %j : index
      %q = arith.muli %k, %l : index
      %r = arith.addi %q, %h : index
      %v = memref.load %a[%r] : memref<?xf32>
      %w = arith.addf %v, %x : f32
      memref.store %w, %a[%r] : memref<?xf32>
     }
    }
  }
  return
}

// AFFINE-LABEL: func.func @affine_rows(
// AFFINE: affine.parallel
// AFFINE: affine.parallel
func.func @affine_rows(%a: memref<?xf32>, %n: index, %m: index) {
  %x = arith.constant 1.0 : f32
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %p = arith.muli %i, %m : index
      %k = arith.addi %p, %j : index
      memref.store %x, %a[%k] : memref<?xf32>
    }
  }
  return
}

// The next row is read.
// CHECK-LABEL: func.func @next(
// CHECK: scf.for
// CHECK: scf.parallel (%{{.*}}) =
func.func @next(%a: memref<?xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %m step %c1 {
      %p = arith.muli %i, %m : index
      %k = arith.addi %p, %j : index
      %i1 = arith.addi %i, %c1 : index
      %p1 = arith.muli %i1, %m : index
      %k1 = arith.addi %p1, %j : index
      %v = memref.load %a[%k1] : memref<?xf32>
      memref.store %v, %a[%k] : memref<?xf32>
    }
  }
  return
}

// j runs further than a row.
// CHECK-LABEL: func.func @over(
// CHECK: scf.for
// CHECK: scf.parallel (%{{.*}}) =
func.func @over(%a: memref<?xf32>, %n: index, %m: index, %l: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 1.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %l step %c1 {
      %p = arith.muli %i, %m : index
      %k = arith.addi %p, %j : index
      %v = memref.load %a[%k] : memref<?xf32>
      %w = arith.addf %v, %x : f32
      memref.store %w, %a[%k] : memref<?xf32>
    }
  }
  return
}

// Where the loop over i is inside, few iterations may go far: i * m could come around.
// CHECK-LABEL: func.func @turned(
// CHECK-NOT: scf.parallel (%{{.*}}, %{{.*}})
// CHECK: return
func.func @turned(%a: memref<?xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 1.0 : f32
  scf.for %j = %c0 to %m step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      %p = arith.muli %i, %m : index
      %k = arith.addi %p, %j : index
      memref.store %x, %a[%k] : memref<?xf32>
    }
  }
  return
}

// Large steps come around in few iterations.
// CHECK-LABEL: func.func @steps(
// CHECK: scf.for
// CHECK: scf.parallel (%{{.*}}) =
func.func @steps(%a: memref<?xf32>, %n: index, %m: index, %s: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 1.0 : f32
  scf.for %i = %c0 to %n step %s {
    scf.for %j = %c0 to %m step %c1 {
      %p = arith.muli %i, %m : index
      %k = arith.addi %p, %j : index
      %v = memref.load %a[%k] : memref<?xf32>
      %w = arith.addf %v, %x : f32
      memref.store %w, %a[%k] : memref<?xf32>
    }
  }
  return
}

// Two loops over the same rows are one.
// RUN: noria opt --scf-parallel-loop-fusion %s | FileCheck %s --check-prefix=FUSED
// FUSED-LABEL: func.func @fused(
// FUSED-COUNT-1: scf.parallel
// FUSED-NOT: scf.parallel
// FUSED: return
func.func @fused(%a: memref<?xf32>, %b: memref<?xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 1.0 : f32
  %t = memref.alloc(%n) : memref<?xf32>
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) {
    %p = arith.muli %i, %m : index
    %k = arith.addi %p, %j : index
    memref.store %x, %t[%k] : memref<?xf32>
  }
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) {
    %p = arith.muli %i, %m : index
    %k = arith.addi %p, %j : index
    %v = memref.load %t[%k] : memref<?xf32>
    memref.store %v, %b[%k] : memref<?xf32>
  }
  memref.dealloc %t : memref<?xf32>
  return
}
