// RUN: noria opt --pass-pipeline=bufferize %s | FileCheck %s
// RUN: noria run --check-stages %s '[1.5, 2.0]' | FileCheck %s --check-prefix=OUT
// RUN: noria run %s '[1.5, 2.0]' | FileCheck %s --check-prefix=OUT
// OUT-COUNT-2: dense<[3.000000e+00, 4.000000e+00]> : tensor<2xf64>

// An argument is not written: what only reads it needs no copy. A buffer that ends becomes the tensor.
// CHECK-LABEL: func.func private @twice(%arg0: memref<?xf64>) -> memref<?xf64> {
// CHECK-NOT: memref.copy
// CHECK: %[[A:.*]] = memref.alloc(
// CHECK-NEXT: scf.for
// CHECK: memref.load %arg0[
// CHECK-NOT: memref.copy
// CHECK: return %[[A]] : memref<?xf64>
func.func private @twice(%t: tensor<?xf64>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %from = bufferization.to_buffer %t read_only : tensor<?xf64> to memref<?xf64>
  %n = memref.dim %from, %c0 : memref<?xf64>
  %to = memref.alloc(%n) : memref<?xf64>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %from[%i] : memref<?xf64>
    %w = arith.addf %v, %v : f64
    memref.store %w, %to[%i] : memref<?xf64>
  }
  %r = bufferization.to_tensor %to restrict : memref<?xf64> to tensor<?xf64>
  return %r : tensor<?xf64>
}

// Written later, itself or through a view: copies.
// CHECK-LABEL: func.func private @thrice(
// CHECK: memref.copy %arg0
// CHECK: %[[B:.*]] = memref.alloc() : memref<2xf64>
// CHECK: memref.copy %[[B]],
// CHECK: memref.store %{{.*}}, %[[B]][
// CHECK: memref.subview
// CHECK: memref.copy
func.func private @thrice(%t: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
  %c0 = arith.constant 0 : index
  %x = arith.constant 5.0 : f64
  %from = bufferization.to_buffer %t : tensor<2xf64> to memref<2xf64>
  memref.store %x, %from[%c0] : memref<2xf64>
  %b = memref.alloc() : memref<2xf64>
  memref.store %x, %b[%c0] : memref<2xf64>
  %r = bufferization.to_tensor %b restrict : memref<2xf64> to tensor<2xf64>
  memref.store %x, %b[%c0] : memref<2xf64>
  memref.dealloc %b : memref<2xf64>
  %c = memref.alloc() : memref<2xf64>
  %view = memref.subview %c[0] [1] [1] : memref<2xf64> to memref<1xf64, strided<[1]>>
  memref.store %x, %view[%c0] : memref<1xf64, strided<[1]>>
  %s = bufferization.to_tensor %c restrict : memref<2xf64> to tensor<2xf64>
  memref.store %x, %view[%c0] : memref<1xf64, strided<[1]>>
  return %r, %s : tensor<2xf64>, tensor<2xf64>
}

// A function that returns no memory, and a loop whose results end too, have no name for the buffer later.
// CHECK-LABEL: func.func private @lent(
// CHECK-NOT: memref.copy
// CHECK: return
func.func private @fill(%m: memref<?xf64>, %x: f64) -> index
func.func private @lent(%n: index, %x: f64) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.alloc(%n) : memref<?xf64>
  %other = memref.alloc(%n) : memref<?xf64>
  %filled = func.call @fill(%m, %x) : (memref<?xf64>, f64) -> index
  %pair:2 = scf.for %i = %c0 to %filled step %c1 iter_args(%a = %m, %b = %other) -> (memref<?xf64>, memref<?xf64>) {
    memref.store %x, %a[%i] : memref<?xf64>
    scf.yield %b, %a : memref<?xf64>, memref<?xf64>
  }
  memref.store %x, %pair#0[%c0] : memref<?xf64>
  %r = bufferization.to_tensor %m restrict : memref<?xf64> to tensor<?xf64>
  memref.dealloc %other : memref<?xf64>
  return %r : tensor<?xf64>
}

// So does one whose elements were written as those of another type.
// CHECK-LABEL: func.func private @as_bits(
// CHECK-NOT: memref.copy
// CHECK: return
func.func private @as_bits(%n: index, %x: i64) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %m = memref.alloc(%n) : memref<?xf64>
  %bits = rt.pointer %m : memref<?xf64> -> memref<?xi64>
  memref.store %x, %bits[%c0] : memref<?xi64>
  %r = bufferization.to_tensor %m restrict : memref<?xf64> to tensor<?xf64>
  return %r : tensor<?xf64>
}

// A result of the loop is used behind: it may be the buffer.
// CHECK-LABEL: func.func private @renamed(
// CHECK: memref.copy
func.func private @renamed(%n: index, %x: f64) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.alloc(%n) : memref<?xf64>
  %other = memref.alloc(%n) : memref<?xf64>
  %pair:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %m, %b = %other) -> (memref<?xf64>, memref<?xf64>) {
    memref.store %x, %a[%i] : memref<?xf64>
    scf.yield %b, %a : memref<?xf64>, memref<?xf64>
  }
  %r = bufferization.to_tensor %m restrict : memref<?xf64> to tensor<?xf64>
  memref.store %x, %pair#0[%c0] : memref<?xf64>
  return %r : tensor<?xf64>
}

// A buffer that its block owns is read until its end; what wants to write it later takes another.
// CHECK-LABEL: func.func private @read_while_written(
// CHECK: %[[T:.*]] = memref.alloc(
// CHECK: %[[W:.*]] = memref.alloc(
// CHECK: memref.copy %[[T]], %[[W]]
// CHECK: memref.store %{{.*}}, %[[W]][
// CHECK: memref.load %[[T]][
// CHECK-NOT: memref.copy
// CHECK: return
func.func private @read_while_written(%n: index, %x: f64) -> (f64, tensor<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f64
  %t = tensor.generate %n {
  ^bb0(%i: index):
    tensor.yield %x : f64
  } : tensor<?xf64>
  %m = bufferization.to_buffer %t read_only : tensor<?xf64> to memref<?xf64>
  %w = tensor.insert %z into %t[%c0] : tensor<?xf64>
  %v = memref.load %m[%c0] : memref<?xf64>
  return %v, %w : f64, tensor<?xf64>
}

// The same in the body of a loop that carries the tensor.
// CHECK-LABEL: func.func private @read_in_loop(
// CHECK: memref.copy
// CHECK: scf.for
// CHECK: memref.load
func.func private @read_in_loop(%n: index, %x: f64) -> (f64, tensor<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f64
  %t = tensor.generate %n {
  ^bb0(%i: index):
    tensor.yield %x : f64
  } : tensor<?xf64>
  %m = bufferization.to_buffer %t read_only : tensor<?xf64> to memref<?xf64>
  %sum, %w = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %u = %t) -> (f64, tensor<?xf64>) {
    %v = memref.load %m[%i] : memref<?xf64>
    %p = arith.addf %s, %v : f64
    %q = tensor.insert %z into %u[%i] : tensor<?xf64>
    scf.yield %p, %q : f64, tensor<?xf64>
  }
  return %sum, %w : f64, tensor<?xf64>
}

// That the buffer is only read is not believed.
// CHECK-LABEL: func.func private @promised(
// CHECK: memref.copy %arg0
func.func private @promised(%t: tensor<2xf64>) {
  %c0 = arith.constant 0 : index
  %x = arith.constant 5.0 : f64
  %from = bufferization.to_buffer %t read_only : tensor<2xf64> to memref<2xf64>
  memref.store %x, %from[%c0] : memref<2xf64>
  return
}

func.func @main(%t: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %a = func.call @twice(%t) : (tensor<?xf64>) -> tensor<?xf64>
  %b = func.call @twice(%t) : (tensor<?xf64>) -> tensor<?xf64>
  return %a, %b : tensor<?xf64>, tensor<?xf64>
}

// Gathers and scatters make no other name of the memory.
// CHECK-LABEL: func.func @gathered
// CHECK-NOT: memref.copy
// CHECK: return
func.func @gathered(%at: vector<4xindex>, %n: index) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %all = arith.constant dense<true> : vector<4xi1>
  %zeros = arith.constant dense<0.0> : vector<4xf64>
  %m = memref.alloc(%n) : memref<?xf64>
  vector.scatter %m[%c0] [%at], %all, %zeros : memref<?xf64>, vector<4xindex>, vector<4xi1>, vector<4xf64>
  %v = vector.gather %m[%c0] [%at], %all, %zeros
      : memref<?xf64>, vector<4xindex>, vector<4xi1>, vector<4xf64> into vector<4xf64>
  vector.store %v, %m[%c0] : memref<?xf64>, vector<4xf64>
  %r = bufferization.to_tensor %m restrict : memref<?xf64> to tensor<?xf64>
  return %r : tensor<?xf64>
}
