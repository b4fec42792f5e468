// Empty-tensor elimination does not move a write in front of the check that the slice is in bounds.
// RUN: not noria run %s --entry=slice --check-bounds zeros 100000000000 3 2>&1 | FileCheck %s --check-prefix=SLICE
// RUN: not noria run %s --entry=division zeros 100000000000 3 1 0 2>&1 | FileCheck %s --check-prefix=DIVISION
// RUN: noria run %s --entry=slice --check-bounds zeros 1 3 --check-stages | FileCheck %s --check-prefix=ROW
// RUN: noria opt --pass-pipeline=bufferize %s | FileCheck %s
// SLICE: 'tensor.insert_slice' op the slice [100000000000, +1, step 1] leaves dim 0 of 4
// DIVISION: 'arith.divsi' op division by zero
// ROW: {{1.000000e\+00}}], [{{3.000000e\+00}}

// Nothing in between.
// CHECK-LABEL: func.func @slice
// CHECK: %[[PART:.*]] = memref.subview
// CHECK-NEXT: linalg.fill ins(%{{.*}} : f32) outs(%[[PART]]
func.func @slice(%t: tensor<4x8xf32>, %o: index, %x: f32) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<1x8xf32>
  %c = arith.constant dense<1.0> : tensor<4x8xf32>
  %d = arith.addf %t, %c : tensor<4x8xf32>
  %row = linalg.fill ins(%x : f32) outs(%e : tensor<1x8xf32>) -> tensor<1x8xf32>
  %r = tensor.insert_slice %row into %d[%o, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

func.func @division(%t: tensor<4x8xf32>, %o: index, %x: f32, %q: i32, %w: i32) -> (tensor<4x8xf32>, i32) {
  %e = tensor.empty() : tensor<1x8xf32>
  %c = arith.constant dense<1.0> : tensor<4x8xf32>
  %d = arith.addf %t, %c : tensor<4x8xf32>
  %row = linalg.fill ins(%x : f32) outs(%e : tensor<1x8xf32>) -> tensor<1x8xf32>
  %z = arith.divsi %q, %w : i32
  %r = tensor.insert_slice %row into %d[%o, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
  return %r, %z : tensor<4x8xf32>, i32
}

// CHECK-LABEL: func.func @behind_check
// CHECK: memref.alloc() : memref<1x8xf32>
// CHECK: cf.assert
// CHECK: memref.subview
// CHECK: memref.copy
func.func @behind_check(%t: tensor<4x8xf32>, %o: index, %x: f32, %c: i1) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<1x8xf32>
  %d = arith.addf %t, %t : tensor<4x8xf32>
  %row = linalg.fill ins(%x : f32) outs(%e : tensor<1x8xf32>) -> tensor<1x8xf32>
  cf.assert %c, "no such row"
  %r = tensor.insert_slice %row into %d[%o, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
