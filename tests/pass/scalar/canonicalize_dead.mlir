// What never runs may make no sense once its constants are known: no pass fails on it. Where text may not say it, the
// op is marked as one that fails the run, and so it is read again.
// RUN: noria opt --canonicalize %s | FileCheck %s
// RUN: noria opt --canonicalize %s | noria opt | FileCheck %s
// RUN: noria opt --canonicalize --syntax=2020 %s | noria opt --syntax=mlir | FileCheck %s
// RUN: noria opt --sccp %s | noria opt | FileCheck %s --check-prefix=SCCP
// RUN: noria opt --inline --sccp %s | noria opt | FileCheck %s --check-prefix=INLINE
// RUN: noria run %s --entry=never '[1.0, 2.0]' '[1.0, 2.0, 3.0, 4.0]' 5 0 --check-stages | FileCheck %s --check-prefix=FIVE
// RUN: noria run %s --entry=guarded 0 --check-stages | FileCheck %s --check-prefix=GUARDED
// RUN: not noria run %s --entry=marked 2>&1 | FileCheck %s --check-prefix=MARKED
// RUN: not noria run %s --entry=marked --interpret 2>&1 | FileCheck %s --check-prefix=MARKED
// FIVE: {{^}}5.000000e+00 : f32
// GUARDED: {{^}}0 : index

// CHECK-LABEL: func.func @never
// CHECK: tensor.extract_slice %arg1[%c8] [%c7] [1] : tensor<4xf32> to tensor<?xf32>
// CHECK: memref.subview %arg0[%c-6] [%c-6] [%c-6]
// CHECK: tensor.insert_slice
// CHECK: memref.dim {noria.fails} %arg0, %c8
// CHECK: tensor.dim {noria.fails} %{{.*}}, %c8
// CHECK: scf.for {{.*}} step %c-6
// CHECK: } {noria.fails}
// CHECK: scf.parallel {{.*}} step (%c-6)
// CHECK: } {noria.fails}
// SCCP: scf.parallel {{.*}} step (%c-6)
// SCCP: } {noria.fails}
func.func @never(%m: memref<?xf32>, %t: tensor<4xf32>, %x: f32, %c: i1) -> f32 {
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %k = arith.addi %c1, %c7 : index
  %z = arith.subi %c1, %c7 : index
  %r = scf.if %c -> (f32) {
    %0 = tensor.extract_slice %t[%k] [%c7] [1] : tensor<4xf32> to tensor<?xf32>
    %1 = tensor.extract %0[%c1] : tensor<?xf32>
    %2 = memref.subview %m[%z] [%z] [%z] : memref<?xf32> to memref<?xf32, strided<[?], offset: ?>>
    %3 = memref.load %2[%z] : memref<?xf32, strided<[?], offset: ?>>
    %4 = tensor.insert_slice %0 into %t[%k] [%c7] [%z] : tensor<?xf32> into tensor<4xf32>
    %5 = tensor.extract %4[%k] : tensor<4xf32>
    %6 = memref.dim %m, %k : memref<?xf32>
    %7 = tensor.dim %0, %k : tensor<?xf32>
    %8 = arith.addf %1, %3 : f32
    %9 = arith.addf %8, %5 : f32
    scf.for %i = %6 to %7 step %z {
      memref.store %9, %m[%i] : memref<?xf32>
    }
    scf.parallel (%i) = (%6) to (%7) step (%z) {
      memref.store %9, %m[%i] : memref<?xf32>
    }
    scf.yield %9 : f32
  } else {
    scf.yield %x : f32
  }
  return %r : f32
}

func.func private @count(%n: index, %step: index) -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ok = arith.cmpi sgt, %step, %zero : index
  %r = scf.if %ok -> (index) {
    %trips = scf.for %i = %zero to %n step %step iter_args(%k = %zero) -> (index) {
      %next = arith.addi %k, %one : index
      scf.yield %next : index
    }
    scf.yield %trips : index
  } else {
    scf.yield %zero : index
  }
  return %r : index
}

func.func @guarded(%n: index) -> index {
  %zero = arith.constant 0 : index
  %r = call @count(%n, %zero) : (index, index) -> index
  return %r : index
}

// INLINE-LABEL: func.func @guarded
// INLINE: scf.for {{.*}} step %c0
// INLINE: } {noria.fails}

// MARKED: canonicalize_dead.mlir:[[@LINE+3]]:3: 'scf.for' op the step is 0; it must be positive
func.func @marked() {
  %zero = arith.constant 0 : index
  scf.for %i = %zero to %zero step %zero {
  } {noria.fails}
  return
}
