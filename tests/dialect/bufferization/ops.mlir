// RUN: noria opt %s | FileCheck %s
// RUN: noria opt %s --syntax=2020 | FileCheck %s --check-prefix=OLD
// RUN: noria run %s --entry=border '[1,2,3,4]' '[5,6,7,8]' 4 --check-stages | FileCheck %s --check-prefix=BORDER
// RUN: noria run %s --entry=old '[1,2,3,4]' '[5,6,7,8]' --check-stages | FileCheck %s --check-prefix=VALUES

// Values are snapshots: what is written to memory later does not change them.
// BORDER: {{^}}9.000000e+00 : f32{{$}}
// BORDER-NEXT: {{^}}dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>{{$}}
// BORDER-NEXT: {{^}}dense<[5.000000e+00, 6.000000e+00, 7.000000e+00, 8.000000e+00]> : tensor<4xf32>{{$}}
// BORDER-NEXT: {{^}}dense<[5.000000e+00, 9.000000e+00, 7.000000e+00, 8.000000e+00]> : tensor<4xf32>{{$}}
// BORDER-NEXT: {{^}}6.000000e+00 : f32{{$}}
// BORDER-NEXT: {{^}}1.000000e+00 : f32{{$}}
// CHECK-LABEL: func.func @border
func.func @border(%t: tensor<4xf32>, %m: memref<?xf32, strided<[1]>>, %n: index)
    -> (f32, tensor<4xf32>, tensor<?xf32>, tensor<?xf32>, f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 9.0 : f32
  // CHECK: bufferization.to_buffer %{{.*}} : tensor<4xf32> to memref<4xf32>
  %b = bufferization.to_buffer %t : tensor<4xf32> to memref<4xf32>
  memref.store %x, %b[%c1] : memref<4xf32>
  %0 = memref.load %b[%c1] : memref<4xf32>
  // CHECK: bufferization.to_buffer %{{.*}} read_only : tensor<4xf32> to memref<4xf32>
  %r = bufferization.to_buffer %t read_only : tensor<4xf32> to memref<4xf32>
  %2 = memref.load %r[%c0] : memref<4xf32>
  // CHECK: bufferization.to_tensor %{{.*}} restrict writable : memref<?xf32, strided<[1]>> to tensor<?xf32>
  // OLD: tensor_load %{{.*}} {writable} : memref<?xf32, offset: 0, strides: [1]>
  %d = bufferization.to_tensor %m restrict writable : memref<?xf32, strided<[1]>> to tensor<?xf32>
  // CHECK: bufferization.alloc_tensor(%{{.*}}) size_hint=%{{.*}} : tensor<?xf32>
  %e = bufferization.alloc_tensor(%n) size_hint=%n : tensor<?xf32>
  // CHECK: bufferization.materialize_in_destination %{{.*}} in %{{.*}} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  // OLD: tensor_store %{{.*}}, %{{.*}} : tensor<?xf32>
  %f = bufferization.materialize_in_destination %d in %e : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  // CHECK: bufferization.alloc_tensor() copy(%{{.*}}) : tensor<?xf32>
  %g = bufferization.alloc_tensor() copy(%f) : tensor<?xf32>
  %h = tensor.insert %x into %g[%c1] : tensor<?xf32>
  // CHECK: bufferization.clone %{{.*}} : memref<?xf32, strided<[1]>> to memref<?xf32>
  %k = bufferization.clone %m : memref<?xf32, strided<[1]>> to memref<?xf32>
  memref.store %x, %m[%c1] : memref<?xf32, strided<[1]>>
  %1 = memref.load %k[%c1] : memref<?xf32>
  memref.dealloc %k : memref<?xf32>
  // CHECK: bufferization.dealloc_tensor %{{.*}} : tensor<?xf32>
  bufferization.dealloc_tensor %e : tensor<?xf32>
  return %0, %t, %f, %h, %1, %2 : f32, tensor<4xf32>, tensor<?xf32>, tensor<?xf32>, f32, f32
}

// VALUES: {{^}}dense<[2.000000e+00, 4.000000e+00, 6.000000e+00, 8.000000e+00]> : tensor<4xf32>{{$}}
// VALUES-NEXT: {{^}}4.000000e+00 : f32{{$}}
// VALUES-NEXT: {{^}}dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>{{$}}
// CHECK-LABEL: func.func @old
// OLD-LABEL: func @old
func @old(%m: memref<4xf32>, %o: memref<4xf32>) -> (tensor<4xf32>, f32, tensor<4xf32>) {
  %c1 = constant 1 : index
  // CHECK: bufferization.to_tensor %{{.*}} restrict : memref<4xf32> to tensor<4xf32>
  // OLD: tensor_load %{{.*}} : memref<4xf32>
  %t = tensor_load %m : memref<4xf32>
  %u = addf %t, %t : tensor<4xf32>
  %f = constant 9.0 : f32
  store %f, %m[%c1] : memref<4xf32>
  // CHECK: bufferization.materialize_in_destination %{{.*}} in writable %{{.*}} : (tensor<4xf32>, memref<4xf32>) -> ()
  // OLD: tensor_store %{{.*}}, %{{.*}} : memref<4xf32>
  tensor_store %u, %o : memref<4xf32>
  %0 = load %o[%c1] : memref<4xf32>
  return %u, %0, %t : tensor<4xf32>, f32, tensor<4xf32>
}
