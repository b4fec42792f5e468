// RUN: noria opt --pass-pipeline=dce %s | FileCheck %s
// RUN: noria opt --pass-pipeline=dce --syntax=mlir %s | mlir-opt

func.func private @unknown() -> i32

// CHECK-LABEL: func.func @chain
// CHECK-NEXT: return
func.func @chain(%a: i32, %b: i32) {
  %0 = arith.addi %a, %b : i32
  %1 = arith.muli %0, %0 : i32
  %2 = arith.divsi %1, %b : i32
  return
}

// CHECK-LABEL: func.func @effects
// CHECK-NEXT: {{(func.)?}}call @unknown
// CHECK-NEXT: memref.store
// CHECK-NEXT: return
func.func @effects(%m: memref<4xi32>, %i: index, %x: i32) {
  %0 = call @unknown() : () -> i32
  memref.store %x, %m[%i] : memref<4xi32>
  %1 = memref.load %m[%i] : memref<4xi32>
  return
}

// CHECK-LABEL: func.func @regions
// CHECK-NEXT: return
func.func @regions(%n: index, %x: f32) {
  %r = scf.for %i = %n to %n step %n iter_args(%a = %x) -> (f32) {
    %0 = arith.addf %a, %x : f32
    scf.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func.func @blocks
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @blocks() {
  return
^bb1(%x: i32):
  %0 = arith.addi %x, %x : i32
  cf.br ^bb2
^bb2:
  cf.br ^bb1(%0 : i32)
}
