// Every block of a region is bufferized; a tensor from outside is read in place.
// RUN: noria opt --bufferize %s | FileCheck %s
// RUN: noria run --check-stages %s true 2 2>&1 | FileCheck %s --check-prefix=SAME

// SAME: outcomes are that of 'import'

// CHECK-LABEL: func.func @main
// CHECK: %[[M:.*]] = memref.alloc() : memref<4xf32>
// CHECK: scf.execute_region
// CHECK: ^bb1:
// CHECK-NEXT: memref.load %[[M]][
// CHECK: ^bb2:
// CHECK: scf.parallel
// CHECK-NEXT: scf.reduce
// CHECK: memref.dealloc %[[M]]
func.func @main(%c: i1, %i: index) -> f32 {
  %x = arith.constant 2.5 : f32
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %t = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = scf.execute_region -> f32 {
    cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    %v = tensor.extract %t[%i] : tensor<4xf32>
    scf.yield %v : f32
  ^bb2:
    scf.forall (%k) in (4) {
    }
    scf.yield %z : f32
  }
  return %r : f32
}
