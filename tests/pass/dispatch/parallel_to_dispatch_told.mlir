// RUN: noria opt --pass-pipeline=parallel-to-dispatch,canonicalize,cse %s | FileCheck %s

// How long a point takes is what the attribute says, not the estimate: each is a workgroup of its own.
// CHECK-LABEL: func.func @told(
// CHECK: %[[POINTS:.*]] = arith.constant 64 : index
// CHECK: rt.dispatch @{{.*}}[%[[POINTS]]]
func.func @told(%m: memref<64xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i32
  scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
    memref.store %one, %m[%i] : memref<64xi32>
    scf.reduce
  } {noria.point_ns = 40000}
  return
}

// Without it, so few stores are no dispatch.
// CHECK-LABEL: func.func @estimated(
// CHECK-NOT: rt.dispatch
// CHECK: return
func.func @estimated(%m: memref<64xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i32
  scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
    memref.store %one, %m[%i] : memref<64xi32>
    scf.reduce
  }
  return
}
