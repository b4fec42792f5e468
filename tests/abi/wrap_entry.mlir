// The pass wrap-entry makes the entry that a program has outside: tensors for scalars, a copy of each memref.
// RUN: noria opt --wrap-entry %s | FileCheck %s
// RUN: noria opt --wrap-entry --wrap-entry %s | FileCheck %s

// CHECK-LABEL: func.func private @main(
// CHECK-LABEL: func.func @entry(%{{.*}}: tensor<i64>, %{{.*}}: memref<4xf32>) -> (tensor<f32>, memref<4xf32>)
// CHECK-SAME:    noria.entry
// CHECK:         %{{.*}} = call @main(%{{.*}}, %{{.*}}) : (i64, memref<4xf32>) -> f32
// CHECK:         return %{{.*}}, %{{.*}} : tensor<f32>, memref<4xf32>
func.func @main(%n: i64, %m: memref<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %x = memref.load %m[%c0] : memref<4xf32>
  return %x : f32
}
func.func @unused() { return }
// CHECK-NOT: @unused
