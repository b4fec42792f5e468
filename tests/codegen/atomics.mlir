// Atomic ops are one instruction, or a loop around compare-and-exchange where the CPU has none.
// RUN: noria compile %s --emit=ll -O=1 -o %t.ll && cat %t.ll | FileCheck %s
// CHECK-DAG: atomicrmw add {{.*}} acq_rel
// CHECK-DAG: atomicrmw fadd {{.*}} acq_rel
// CHECK-DAG: cmpxchg {{.*}}i32 {{.*}} acq_rel monotonic
// CHECK-DAG: cmpxchg {{.*}}i16 {{.*}} acq_rel monotonic
// CHECK-DAG: cmpxchg {{.*}}i64 {{.*}} acq_rel monotonic
func.func @f(%a: memref<4xi32>, %b: memref<4xf32>, %c: memref<4xbf16>, %d: memref<4xf64>, %i: index, %x: i32, %y: f32,
             %z: bf16) {
  %0 = memref.atomic_rmw addi %x, %a[%i] : (i32, memref<4xi32>) -> i32
  %1 = memref.atomic_rmw addf %y, %b[%i] : (f32, memref<4xf32>) -> f32
  %2 = memref.atomic_rmw muli %x, %a[%i] : (i32, memref<4xi32>) -> i32
  %3 = memref.atomic_rmw addf %z, %c[%i] : (bf16, memref<4xbf16>) -> bf16
  %4 = memref.generic_atomic_rmw %d[%i] : memref<4xf64> {
  ^bb0(%old: f64):
    %root = math.sqrt %old : f64
    memref.atomic_yield %root : f64
  }
  return
}
