// RUN: noria opt --scf-for-loop-range-folding --canonicalize %s | FileCheck %s
// RUN: noria opt --scf-for-loop-range-folding --syntax=mlir %s | mlir-opt
// RUN: noria opt --scf-for-loop-range-folding %s | noria run - --entry=negative_factor 7 --check-stages | FileCheck %s --check-prefix=VALUE
// VALUE: -63 : index
// RUN: noria opt --scf-for-loop-range-folding %s | noria run - --entry=sizes '[5, 6, 7]' --check-stages | FileCheck %s --check-prefix=SIZES
// SIZES: 21 : index

func.func private @use(index)

// CHECK-LABEL: func.func @both
// CHECK: scf.for %[[I:.*]] = %c5 to %c68 step %c3
// CHECK-NEXT: call @use(%[[I]])
func.func @both() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c21 = arith.constant 21 : index
  scf.for %i = %c0 to %c21 step %c1 {
    %0 = arith.muli %i, %c3 : index
    %1 = arith.addi %c5, %0 : index
    func.call @use(%1) : (index) -> ()
  }
  return
}

// Nothing is known of %n and %k: their sum may wrap, and the folded loop would not run.
// CHECK-LABEL: func.func @unknown
// CHECK: scf.for
// CHECK-NEXT: arith.addi
// CHECK: scf.for
// CHECK-NEXT: arith.muli
func.func @unknown(%n: index, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %n step %c1 {
    %0 = arith.addi %i, %k : index
    func.call @use(%0) : (index) -> ()
  }
  scf.for %i = %c0 to %n step %c1 {
    %0 = arith.muli %i, %c2 : index
    func.call @use(%0) : (index) -> ()
  }
  return
}

// A negative factor would turn the range around; a factor of 0 would make the step 0.
// CHECK-LABEL: func.func @negative_factor
// CHECK: scf.for
// CHECK: arith.muli
func.func @negative_factor(%x: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cm3 = arith.constant -3 : index
  %c7 = arith.constant 7 : index
  %r = scf.for %i = %c0 to %c7 step %c1 iter_args(%a = %c0) -> (index) {
    %0 = arith.muli %i, %cm3 : index
    %1 = arith.addi %a, %0 : index
    scf.yield %1 : index
  }
  %q = scf.for %i = %c0 to %x step %c1 iter_args(%a = %r) -> (index) {
    %0 = arith.muli %i, %c0 : index
    %1 = arith.addi %a, %0 : index
    scf.yield %1 : index
  }
  return %q : index
}

// A size of a buffer is not so large that 8 more or -1 would wrap; 4 bits are too few for 6 + 3.
// CHECK-LABEL: func.func @sizes
// CHECK: %[[N:.*]] = memref.dim
// CHECK: %[[END:.*]] = arith.addi %[[N]], %c-1 : index
// CHECK: scf.for %[[I:.*]] = %c-1 to %[[END]]
// CHECK-NEXT: arith.addi %{{.*}}, %[[I]]
// CHECK: scf.for %{{.*}} : i4 {
// CHECK-NEXT: arith.addi
func.func private @use4(i4)
func.func @sizes(%m: memref<?xindex>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  %n = memref.dim %m, %c0 : memref<?xindex>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0) -> (index) {
    %0 = arith.addi %i, %cm1 : index
    %1 = arith.addi %a, %0 : index
    scf.yield %1 : index
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0) -> (index) {
    %v = memref.load %m[%i] : memref<?xindex>
    %w = arith.addi %a, %v : index
    scf.yield %w : index
  }
  %c2 = arith.constant 3 : index
  %t = arith.addi %r, %s : index
  %u = arith.addi %t, %c2 : index
  return %u : index
}
func.func @narrow() {
  %a = arith.constant 0 : i4
  %b = arith.constant 6 : i4
  %c = arith.constant 1 : i4
  %d = arith.constant 3 : i4
  scf.for %i = %a to %b step %c : i4 {
    %0 = arith.addi %i, %d : i4
    func.call @use4(%0) : (i4) -> ()
  }
  return
}
