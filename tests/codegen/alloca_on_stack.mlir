// Small buffers of known size, also empty ones, are on the stack: the runtime is asked for the result only.
// RUN: noria compile %s -o %t.ll && FileCheck %s --input-file=%t.ll
// CHECK-LABEL: define {{.*}}@noria.{{.*}}entry
// CHECK: alloca [64 x float], align 64
// CHECK-COUNT-1: call noalias align 64 ptr {{.*}}, i64 4)
// CHECK-NOT: call noalias align 64 ptr
func.func @main(%i: index, %j: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %m = memref.alloca() : memref<8x8xf32>
  %none = memref.alloca() : memref<0x8xf32>
  %n = memref.dim %none, %c0 : memref<0x8xf32>
  memref.store %x, %m[%i, %n] : memref<8x8xf32>
  memref.store %x, %m[%n, %i] : memref<8x8xf32>
  %y = memref.load %m[%j, %i] : memref<8x8xf32>
  return %y : f32
}
