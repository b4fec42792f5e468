// RUN: noria opt --pass-pipeline=plan-memory %s | FileCheck %s

// The second buffer reuses the range of the first, the third follows it: 256 and 64 bytes.
// CHECK-LABEL: func.func @two_places(
// CHECK: %[[ARENA:.*]] = memref.alloc() : memref<320xi8>
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[A:.*]] = memref.view %[[ARENA]][%[[C0]]][] : memref<320xi8> to memref<64xf32>
// CHECK: linalg.fill {{.*}} outs(%[[A]]
// CHECK: %[[C:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[B:.*]] = memref.view %[[ARENA]][%[[C]]][] : memref<320xi8> to memref<60xf32>
// CHECK: linalg.fill {{.*}} outs(%[[B]]
// CHECK: %[[D:.*]] = arith.constant 256 : index
// CHECK-NEXT: memref.view %[[ARENA]][%[[D]]][] : memref<320xi8> to memref<3xf32>
// CHECK: memref.dealloc %[[ARENA]]
// CHECK-NOT: memref.dealloc
func.func @two_places(%x: f32) {
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  memref.dealloc %a : memref<64xf32>
  %b = memref.alloc() : memref<60xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<60xf32>)
  %c = memref.alloc() : memref<3xf32>
  linalg.fill ins(%x : f32) outs(%c : memref<3xf32>)
  memref.dealloc %b : memref<60xf32>
  memref.dealloc %c : memref<3xf32>
  return
}

// What leaves the block or has a size that is not known has an allocation of its own.
// CHECK-LABEL: func.func @alone(
// CHECK-NOT: memref.view
func.func @alone(%x: f32, %n: index) -> memref<8xf32> {
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  %c = memref.alloc() : memref<8xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<8xf32>)
  linalg.fill ins(%x : f32) outs(%b : memref<?xf32>)
  linalg.fill ins(%x : f32) outs(%c : memref<8xf32>)
  memref.dealloc %b : memref<?xf32>
  memref.dealloc %c : memref<8xf32>
  return %a : memref<8xf32>
}
