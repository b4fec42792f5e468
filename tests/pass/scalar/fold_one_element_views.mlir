// RUN: noria opt --pass-pipeline=fold-one-element-views %s | FileCheck %s
// RUN: noria opt --pass-pipeline=fold-one-element-views --syntax=mlir %s | mlir-opt
// RUN: noria run %s --entry=put '[1.0, 2.0, 3.0]' 1 --check-stages | FileCheck %s --check-prefix=PUT
// RUN: noria opt --pass-pipeline=fold-one-element-views,mem2reg %s | FileCheck %s --check-prefix=VALUE

// PUT: {{^}}4.000000e+00 : f32
// CHECK-LABEL: func.func @put
// CHECK-SAME: %[[M:.*]]: memref<?xf32>, %[[I:.*]]: index
// CHECK-NOT: memref.subview
// CHECK-NOT: memref.copy
// CHECK: memref.load %[[M]][%[[I]]]
// CHECK: memref.store %{{.*}}, %[[M]][%[[I]]]
// CHECK: %[[R:.*]] = memref.load %[[M]][%[[I]]]
// CHECK: return %[[R]]
// VALUE-LABEL: func.func @put
// VALUE-NOT: memref.alloca
// VALUE: return
func.func @put(%m: memref<?xf32>, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %s = memref.alloca() : memref<1xf32>
  %v = memref.subview %m[%i] [1] [1] : memref<?xf32> to memref<1xf32, strided<[1], offset: ?>>
  %x = memref.load %v[%c0] : memref<1xf32, strided<[1], offset: ?>>
  %y = arith.addf %x, %x : f32
  memref.store %y, %s[%c0] : memref<1xf32>
  memref.copy %s, %v : memref<1xf32> to memref<1xf32, strided<[1], offset: ?>>
  %z = memref.load %v[%c0] : memref<1xf32, strided<[1], offset: ?>>
  return %z : f32
}

// Views of more elements stay, and of an unknown number.
// CHECK-LABEL: func.func @two
// CHECK: memref.subview
// CHECK: memref.copy
func.func @two(%m: memref<8xf32>, %i: index, %s: memref<2xf32>) {
  %v = memref.subview %m[%i] [2] [1] : memref<8xf32> to memref<2xf32, strided<[1], offset: ?>>
  memref.copy %s, %v : memref<2xf32> to memref<2xf32, strided<[1], offset: ?>>
  return
}
