// RUN: noria opt --pass-pipeline=pad-by-planes,canonicalize %s | FileCheck %s

// CHECK-LABEL: func.func @image
// CHECK: %[[B:.*]] = memref.alloc() : memref<8x96x58x58xf32>
// CHECK-NOT: linalg.fill
// CHECK: scf.parallel (%[[I:.*]], %[[J:.*]]) = (%c0, %c0) to (%c8, %c96) step (%c1, %c1) {
// CHECK: %[[PLANE:.*]] = memref.subview %[[B]][%[[I]], %[[J]], 0, 0] [1, 1, 58, 58]
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[PLANE]]
// CHECK: %[[FROM:.*]] = memref.subview %arg0[%[[I]], %[[J]], 0, 0] [1, 1, 56, 56]
// CHECK: %[[TO:.*]] = memref.subview %[[PLANE]][0, 0, 1, 1] [1, 1, 56, 56]
// CHECK: memref.copy %[[FROM]], %[[TO]]
// CHECK: } {noria.point_ns = {{[0-9]+}} : i64}
// CHECK-NOT: memref.copy
func.func @image(%x: memref<8x96x56x56xf32>) -> memref<8x96x58x58xf32> {
  %z = arith.constant 0.0 : f32
  %b = memref.alloc() : memref<8x96x58x58xf32>
  linalg.fill ins(%z : f32) outs(%b : memref<8x96x58x58xf32>)
  %s = memref.subview %b[0, 0, 1, 1] [8, 96, 56, 56] [1, 1, 1, 1] : memref<8x96x58x58xf32> to memref<8x96x56x56xf32, strided<[322944, 3364, 58, 1], offset: 59>>
  memref.copy %x, %s : memref<8x96x56x56xf32> to memref<8x96x56x56xf32, strided<[322944, 3364, 58, 1], offset: 59>>
  return %b : memref<8x96x58x58xf32>
}

// Sizes that the run knows: that of the batch is the same in the buffer and in the copy.
// CHECK-LABEL: func.func @dynamic
// CHECK: scf.parallel (%{{.*}}, %{{.*}}) = (%c0, %c0) to (%arg1, %c3) step (%c1, %c1)
// CHECK: linalg.fill
// CHECK: memref.copy
// CHECK-NOT: noria.point_ns
func.func @dynamic(%x: memref<?x3x?xf32>, %n: index, %w: index, %more: index) -> memref<?x3x?xf32> {
  %z = arith.constant 0.0 : f32
  %b = memref.alloc(%n, %more) : memref<?x3x?xf32>
  linalg.fill ins(%z : f32) outs(%b : memref<?x3x?xf32>)
  %s = memref.subview %b[0, 0, 2] [%n, 3, %w] [1, 1, 1] : memref<?x3x?xf32> to memref<?x3x?xf32, strided<[?, ?, 1], offset: 2>>
  memref.copy %x, %s : memref<?x3x?xf32> to memref<?x3x?xf32, strided<[?, ?, 1], offset: 2>>
  return %b : memref<?x3x?xf32>
}

// Small planes, a first dim that is padded, steps, and a source that is the buffer itself stay as they are.
// CHECK-LABEL: func.func @others
// CHECK-NOT: scf.parallel
func.func @others(%x: memref<4x7x7xf32>, %y: memref<100x300xf32>, %w: memref<50x300xf32>) -> (memref<4x9x9xf32>, memref<102x300xf32>, memref<100x600xf32>, memref<4x300xf32>) {
  %z = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<4x9x9xf32>
  linalg.fill ins(%z : f32) outs(%a : memref<4x9x9xf32>)
  %as = memref.subview %a[0, 1, 1] [4, 7, 7] [1, 1, 1] : memref<4x9x9xf32> to memref<4x7x7xf32, strided<[81, 9, 1], offset: 10>>
  memref.copy %x, %as : memref<4x7x7xf32> to memref<4x7x7xf32, strided<[81, 9, 1], offset: 10>>
  %b = memref.alloc() : memref<102x300xf32>
  linalg.fill ins(%z : f32) outs(%b : memref<102x300xf32>)
  %bs = memref.subview %b[1, 0] [100, 300] [1, 1] : memref<102x300xf32> to memref<100x300xf32, strided<[300, 1], offset: 300>>
  memref.copy %y, %bs : memref<100x300xf32> to memref<100x300xf32, strided<[300, 1], offset: 300>>
  %c = memref.alloc() : memref<100x600xf32>
  linalg.fill ins(%z : f32) outs(%c : memref<100x600xf32>)
  %cs = memref.subview %c[0, 0] [100, 300] [1, 2] : memref<100x600xf32> to memref<100x300xf32, strided<[600, 2]>>
  memref.copy %y, %cs : memref<100x300xf32> to memref<100x300xf32, strided<[600, 2]>>
  %d = memref.alloc() : memref<4x300xf32>
  linalg.fill ins(%z : f32) outs(%d : memref<4x300xf32>)
  %from = memref.subview %d[0, 0] [4, 200] [1, 1] : memref<4x300xf32> to memref<4x200xf32, strided<[300, 1]>>
  %to = memref.subview %d[0, 100] [4, 200] [1, 1] : memref<4x300xf32> to memref<4x200xf32, strided<[300, 1], offset: 100>>
  memref.copy %from, %to : memref<4x200xf32, strided<[300, 1]>> to memref<4x200xf32, strided<[300, 1], offset: 100>>
  return %a, %b, %c, %d : memref<4x9x9xf32>, memref<102x300xf32>, memref<100x600xf32>, memref<4x300xf32>
}
