// Loads are hoisted out of loops that are known to run and do not write the element.
// RUN: noria opt --licm %s | FileCheck %s
// RUN: noria opt --licm --syntax=mlir %s | mlir-opt
// RUN: noria run %s --entry=row_times_scalar zeros:4xf32 ones:4xf32 | FileCheck %s --check-prefix=ROW
// RUN: noria opt --licm %s | noria run - --entry=row_times_scalar zeros:4xf32 ones:4xf32 --check-stages | FileCheck %s --check-prefix=ROW
// ROW: 1.6{{0*}}e+01 : f32

// CHECK-LABEL: func.func @row_times_scalar
// CHECK-SAME: (%[[OUT:.*]]: memref<4xf32> {{.*}}, %[[IN:.*]]: memref<4xf32>)
// CHECK: %[[FIRST:.*]] = memref.load %[[IN]][%c0]
// CHECK-NEXT: scf.for %[[I:.*]] =
// CHECK-NEXT: %[[X:.*]] = memref.load %[[IN]][%[[I]]]
// CHECK-NEXT: arith.mulf %[[X]], %[[FIRST]]
// CHECK-NEXT: scf.for
// CHECK-NEXT: memref.load %[[OUT]]
func.func @row_times_scalar(%out: memref<4xf32> {llvm.noalias}, %in: memref<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %x = memref.load %in[%i] : memref<4xf32>
      %first = memref.load %in[%c0] : memref<4xf32>
      %old = memref.load %out[%j] : memref<4xf32>
      %product = arith.mulf %x, %first : f32
      %new = arith.addf %old, %product : f32
      memref.store %new, %out[%j] : memref<4xf32>
    }
  }
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %zero) -> (f32) {
    %x = memref.load %out[%i] : memref<4xf32>
    %b = arith.addf %a, %x : f32
    scf.yield %b : f32
  }
  return %sum : f32
}

// A store that may go there, an element beyond the end in a loop that may not run, one that is freed, and a call.
// CHECK-LABEL: func.func @stay
// CHECK-NOT: memref.load
// CHECK: scf.for
// CHECK: memref.load
// CHECK: scf.for
// CHECK: memref.load
// CHECK: scf.for
// CHECK: memref.load
// CHECK: scf.for
// CHECK: memref.load
// CHECK: return
func.func private @touch(memref<?xf32>)
func.func @stay(%m: memref<?xf32>, %o: memref<?xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = memref.alloca() : memref<f32>
  scf.for %i = %c0 to %c4 step %c1 {
    %v = memref.load %m[%c0] : memref<?xf32>
    memref.store %v, %o[%i] : memref<?xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %m[%n] : memref<?xf32>
    %w = arith.addf %v, %x : f32
    memref.store %w, %a[] : memref<f32>
  }
  scf.for %i = %c0 to %c1 step %c1 {
    %v = memref.load %m[%c0] : memref<?xf32>
    %s = arith.addf %v, %x : f32
    memref.dealloc %m : memref<?xf32>
  }
  scf.for %i = %c0 to %c4 step %c1 {
    func.call @touch(%o) : (memref<?xf32>) -> ()
    %v = memref.load %o[%c0] : memref<?xf32>
  }
  return
}

// The first region of a while runs once at least, the second may not.
// CHECK-LABEL: func.func @while_condition
// CHECK: %[[END:.*]] = memref.load %{{.*}}[%c0]
// CHECK: scf.while
// CHECK-NEXT: arith.cmpi slt, %{{.*}}, %[[END]]
// CHECK: do
// CHECK: memref.load
func.func @while_condition(%m: memref<?xi32>, %n: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.while (%i = %n) : (i32) -> i32 {
    %end = memref.load %m[%c0] : memref<?xi32>
    %c = arith.cmpi slt, %i, %end : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %step = memref.load %m[%c1] : memref<?xi32>
    %j = arith.addi %i, %step : i32
    scf.yield %j : i32
  }
  return %r : i32
}
