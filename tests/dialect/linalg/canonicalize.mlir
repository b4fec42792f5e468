// RUN: noria opt --pass-pipeline=canonicalize %s | FileCheck %s
// RUN: noria opt --pass-pipeline=canonicalize --syntax=mlir %s | mlir-opt

#id = affine_map<(d0) -> (d0)>
#scalar = affine_map<(d0) -> ()>

// Inputs that are unused, that come twice, or that hold one scalar everywhere.
// CHECK-LABEL: func.func @inputs
// CHECK-SAME: (%[[A:.*]]: tensor<8xf32>, %[[X:.*]]: f32, %[[O:.*]]: tensor<8xf32>)
// CHECK-NEXT: %[[C:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: linalg.generic
// CHECK-SAME: ins(%[[A]] : tensor<8xf32>) outs(%[[O]] : tensor<8xf32>)
// CHECK-NEXT: ^bb0(%[[P:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[P]], %[[P]] : f32
// CHECK-NEXT: %[[T:.*]] = arith.mulf %[[S]], %[[C]] : f32
// CHECK-NEXT: %[[U:.*]] = arith.mulf %[[T]], %[[X]] : f32
// CHECK-NEXT: linalg.yield %[[U]] : f32
func.func @inputs(%a: tensor<8xf32>, %x: f32, %o: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant dense<2.0> : tensor<8xf32>
  %s = tensor.from_elements %x : tensor<f32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id, #scalar, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %a, %c, %s, %o : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<8xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%p: f32, %q: f32, %two: f32, %y: f32, %unused: f32, %out: f32):
    %1 = arith.addf %p, %q : f32
    %2 = arith.mulf %1, %two : f32
    %3 = arith.mulf %2, %y : f32
    linalg.yield %3 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @results
// CHECK: %[[R:.*]] = linalg.generic
// CHECK-SAME: ins(%{{.*}} : tensor<8xf32>) outs(%{{.*}} : tensor<8xf32>)
// CHECK: linalg.yield %{{[a-z0-9]+}} : f32
// CHECK: return %[[R]]
func.func @results(%a: tensor<8xf32>, %o: tensor<8xf32>, %q: tensor<8xi32>) -> tensor<8xf32> {
  %c = arith.constant 1 : i32
  %0:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%a : tensor<8xf32>) outs(%q, %o : tensor<8xi32>, tensor<8xf32>) {
  ^bb0(%x: f32, %i: i32, %y: f32):
    %1 = arith.negf %x : f32
    linalg.yield %c, %1 : i32, f32
  } -> (tensor<8xi32>, tensor<8xf32>)
  return %0#1 : tensor<8xf32>
}

// A range that only the operand gives keeps it.
// CHECK-LABEL: func.func @range
// CHECK: ins(%{{.*}} : tensor<?xf32>) outs(%{{.*}} : tensor<f32>)
func.func @range(%a: tensor<?xf32>, %o: tensor<f32>) -> tensor<f32> {
  %c = arith.constant 1.0 : f32
  %0 = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction"]} ins(%a : tensor<?xf32>) outs(%o : tensor<f32>) {
  ^bb0(%x: f32, %y: f32):
    %1 = arith.addf %y, %c : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @identity
// CHECK-SAME: (%[[A:.*]]: tensor<8xf32>, %{{.*}}: tensor<8xf32>)
// CHECK-NEXT: return %[[A]]
func.func @identity(%a: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<8xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A diagonal is not the whole.
// CHECK-LABEL: func.func @diagonal
// CHECK: linalg.generic
func.func @diagonal(%a: tensor<8x8xf32>, %o: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0, d0)>, affine_map<(d0) -> (d0, d0)>], iterator_types = ["parallel"]} ins(%a : tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @casts
// CHECK-SAME: (%[[A:.*]]: tensor<8xf32>, %[[O:.*]]: tensor<8xf32>)
// CHECK: %[[R:.*]] = linalg.generic
// CHECK-SAME: ins(%[[A]] : tensor<8xf32>) outs(%[[O]] : tensor<8xf32>)
// CHECK: } -> tensor<8xf32>
// CHECK: return %[[R]]
func.func @casts(%a: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tensor.cast %a : tensor<8xf32> to tensor<?xf32>
  %1 = tensor.cast %o : tensor<8xf32> to tensor<?xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%0 : tensor<?xf32>) outs(%1 : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %3 = arith.negf %x : f32
    linalg.yield %3 : f32
  } -> tensor<?xf32>
  %4 = tensor.cast %2 : tensor<?xf32> to tensor<8xf32>
  return %4 : tensor<8xf32>
}

// On buffers nothing is dead, and the writes stay.
// CHECK-LABEL: func.func @buffers
// CHECK: linalg.fill
// CHECK: linalg.generic
func.func @buffers(%m: memref<8xf32>, %x: f32) {
  linalg.fill ins(%x : f32) outs(%m : memref<8xf32>)
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%m : memref<8xf32>) {
  ^bb0(%y: f32):
    %0 = arith.negf %y : f32
    linalg.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func.func @dead
// CHECK-NEXT: return
func.func @dead(%a: tensor<8xf32>, %x: f32) {
  %0 = linalg.fill ins(%x : f32) outs(%a : tensor<8xf32>) -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%0 : tensor<8xf32>) {
  ^bb0(%y: f32):
    linalg.yield %y : f32
  } -> tensor<8xf32>
  return
}

// CHECK-LABEL: func.func @fill_of_fill
// CHECK-SAME: (%[[A:.*]]: tensor<8xf32>, %[[X:.*]]: f32, %[[Y:.*]]: f32)
// CHECK-NEXT: linalg.fill ins(%[[Y]] : f32) outs(%[[A]] : tensor<8xf32>)
func.func @fill_of_fill(%a: tensor<8xf32>, %x: f32, %y: f32) -> tensor<8xf32> {
  %0 = linalg.fill ins(%x : f32) outs(%a : tensor<8xf32>) -> tensor<8xf32>
  %1 = linalg.fill ins(%y : f32) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// What gives its output the elements that it has; sizes of what is made, copied and read from a buffer.
// CHECK-LABEL: func.func @unchanged
// CHECK-SAME: %[[T:.*]]: tensor<?xf32>, %[[M:.*]]: memref<?xf32>, %[[N:.*]]: index)
// CHECK: %[[S:.*]] = memref.dim %[[M]],
// CHECK: return %[[T]], %[[N]], %[[S]]
func.func @unchanged(%t: tensor<?xf32>, %m: memref<?xf32>, %n: index) -> (tensor<?xf32>, index, index) {
  %c0 = arith.constant 0 : index
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%t : tensor<?xf32>) {
  ^bb0(%out: f32):
    linalg.yield %out : f32
  } -> tensor<?xf32>
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%m : memref<?xf32>) {
  ^bb0(%out: f32):
    linalg.yield %out : f32
  }
  %1 = bufferization.alloc_tensor(%n) : tensor<?xf32>
  %2 = bufferization.alloc_tensor() copy(%1) : tensor<?xf32>
  %3 = tensor.dim %2, %c0 : tensor<?xf32>
  %4 = bufferization.to_tensor %m restrict : memref<?xf32> to tensor<?xf32>
  %5 = tensor.dim %4, %c0 : tensor<?xf32>
  return %0, %3, %5 : tensor<?xf32>, index, index
}

// A loop without iterations, and one that gives a buffer the elements that it has.
// CHECK-LABEL: func.func @nothing
// CHECK-SAME: %[[T:[^ ]*]]: tensor<4xf32>)
// CHECK-NEXT: return %[[T]]
func.func @nothing(%a: memref<0xf32>, %b: memref<8xf32>, %c: tensor<4x0xf32>, %t: tensor<4xf32>) -> tensor<4xf32> {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%a : memref<0xf32>) {
  ^bb0(%z: f32):
    %0 = arith.addf %z, %z : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%b : memref<8xf32>) outs(%b : memref<8xf32>) {
  ^bb0(%x: f32, %z: f32):
    linalg.yield %x : f32
  }
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%c : tensor<4x0xf32>) outs(%t : tensor<4xf32>) {
  ^bb0(%x: f32, %z: f32):
    %0 = arith.addf %x, %z : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
// CHECK-LABEL: func.func @another_buffer
// CHECK: linalg.generic
func.func @another_buffer(%a: memref<8xf32>, %b: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%b : memref<8xf32>) outs(%a : memref<8xf32>) {
  ^bb0(%x: f32, %z: f32):
    linalg.yield %x : f32
  }
  return
}
