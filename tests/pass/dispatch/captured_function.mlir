// RUN: noria opt --parallel-to-dispatch=min-dispatch-ns=0 %s | FileCheck %s

// A function that the loop's body refers to through a constant outside of the loop goes with it.

func.func private @twice(%x: f16) -> f16 {
  %0 = arith.addf %x, %x : f16
  return %0 : f16
}

// CHECK-LABEL: flow.executable private @call_indirect_parallel_0
// CHECK: constant @twice
// CHECK: call_indirect
// CHECK: func.func private @twice
// CHECK-LABEL: func.func @call_indirect(
func.func @call_indirect(%m: memref<?xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = func.constant @twice : (f16) -> f16
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %x = memref.load %m[%i] : memref<?xf16>
    %y = func.call_indirect %f(%x) : (f16) -> f16
    memref.store %y, %m[%i] : memref<?xf16>
    scf.reduce
  }
  return
}
