// RUN: noria opt --pass-pipeline=finalize-memref,verify-emittable %s | FileCheck %s

// What is called from outside is a wrapper; calls in the program go to the function with the body.
// CHECK-LABEL: func.func @sum(%arg0: memref<4xf32>) -> f32 attributes {noria.c_wrapper, noria.entry}
// CHECK-NEXT: %[[P:.*]] = rt.pointer %arg0 : memref<4xf32> -> memref<?xf32>
// CHECK-NEXT: %[[X:.*]] = call @sum_0(%[[P]]) : (memref<?xf32>) -> f32
// CHECK-NEXT: return %[[X]] : f32
// CHECK: func.func private @sum_0(%{{.*}}: memref<?xf32> {noria.noalias}) -> f32
// CHECK: call @add_0(
// CHECK: return {noria.leaves_place}
func.func @sum(%m: memref<4xf32>) -> f32 attributes {noria.entry} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %x = memref.load %m[%c0] : memref<4xf32>
  %y = memref.load %m[%c3] : memref<4xf32>
  %z = call @add(%x, %y) : (f32, f32) -> f32
  return %z : f32
}

// CHECK-LABEL: func.func @add(
// CHECK: func.func private @add_0(
func.func @add(%x: f32, %y: f32) -> f32 {
  %z = arith.addf %x, %y : f32
  return %z : f32
}

// Sizes that the type leaves open come from the caller, and go to it with the result.
// CHECK-LABEL: func.func @sized(%arg0: memref<?x4xf32>) -> memref<?x4xf32>
// CHECK: %[[N:.*]] = memref.dim %arg0, %{{.*}} : memref<?x4xf32>
// CHECK: %[[P:.*]] = rt.pointer %arg0
// CHECK: %[[R:.*]]:2 = call @sized_0(%[[P]], %[[N]])
// CHECK: %[[W:.*]] = memref.reinterpret_cast %[[R]]#0 to offset: [0], sizes: [%[[R]]#1, 4], strides: [4, 1]
// CHECK: return %[[W]]
func.func @sized(%m: memref<?x4xf32>) -> memref<?x4xf32> {
  return %m : memref<?x4xf32>
}

// What does not pass between programs and the runtime has no wrapper.
// CHECK-LABEL: func.func @strided(
// CHECK-NOT: noria.c_wrapper
// CHECK: func.func private @inside(
// CHECK-NOT: @inside_0
func.func @strided(%m: memref<4xf32, strided<[2]>>) {
  return
}
func.func private @inside() {
  return
}
