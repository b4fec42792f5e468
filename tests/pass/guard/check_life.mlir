// Uses of freed memory fail, and elements that were never written are 0: compiled code agrees with the interpreter.
// RUN: noria opt --check-bounds %s | FileCheck %s

// CHECK-LABEL: func.func @freed_in_a_branch(
// CHECK:         %[[ALIVE:.*]] = memref.alloca() : memref<i1>
// CHECK:         memref.store %true, %[[ALIVE]][]
// CHECK:         memref.store %{{.*}}, %{{.*}}[%c1] : memref<4xf32>
// CHECK:         scf.if
// CHECK:           memref.store %false, %[[ALIVE]][]
// CHECK-NEXT:      memref.dealloc
// CHECK:         rt.check %{{.*}}, "'memref.load' op uses memory that was freed"
func.func @freed_in_a_branch(%c: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 3.0 : f32
  %m = memref.alloc() : memref<4xf32>
  memref.store %x, %m[%c1] : memref<4xf32>
  %v = memref.subview %m[1] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 1>>
  scf.if %c {
    memref.dealloc %m : memref<4xf32>
  }
  %y = memref.load %v[%c0] : memref<2xf32, strided<[1], offset: 1>>
  return %y : f32
}
// RUN: noria run %s --entry=freed_in_a_branch --check-bounds 0 | FileCheck %s --check-prefix=BRANCH
// BRANCH: 3.000000e+00 : f32
// RUN: not noria run %s --entry=freed_in_a_branch --check-bounds 1 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: not noria run %s --entry=freed_in_a_branch --interpret 1 2>&1 | FileCheck %s --check-prefix=FREED
// FREED: check_life.mlir:[[#@LINE-7]]:8: 'memref.load' op uses memory that was freed

// Nothing is asked where the use stands before what frees.
// CHECK-LABEL: func.func @in_order(
// CHECK-NOT:     memref<i1>
// CHECK:         return
func.func @in_order(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 3.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    %m = memref.alloc() : memref<4xf32>
    scf.for %j = %c0 to %n step %c1 {
      memref.store %x, %m[%j] : memref<4xf32>
    }
    memref.dealloc %m : memref<4xf32>
  }
  return
}

func.func @freed_in_a_loop(%n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.alloc() : memref<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> f32 {
    %x = memref.load %m[%i] : memref<4xf32>
    %next = arith.addf %sum, %x : f32
    memref.dealloc %m : memref<4xf32>
    scf.yield %next : f32
  }
  return %r : f32
}
// RUN: noria run %s --entry=freed_in_a_loop --check-bounds 1 | FileCheck %s --check-prefix=LOOP
// LOOP: 0.000000e+00 : f32
// RUN: not noria run %s --entry=freed_in_a_loop --check-bounds 2 2>&1 | FileCheck %s --check-prefix=LOOP2
// RUN: not noria run %s --entry=freed_in_a_loop --interpret 2 2>&1 | FileCheck %s --check-prefix=LOOP2
// LOOP2: check_life.mlir:[[#@LINE-11]]:10: 'memref.load' op uses memory that was freed

func.func @twice(%c: i1) {
  %m = memref.alloc() : memref<4xf32>
  scf.if %c {
    memref.dealloc %m : memref<4xf32>
  }
  memref.dealloc %m : memref<4xf32>
  return
}
// RUN: noria run %s --entry=twice --check-bounds 0
// RUN: not noria run %s --entry=twice --check-bounds 1 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not noria run %s --entry=twice --interpret 1 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: check_life.mlir:[[#@LINE-6]]:3: 'memref.dealloc' op uses memory that was freed

func.func @realloc(%n: index, %use_old: i1) -> i32 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %seven = arith.constant 7 : i32
  %m = memref.alloc(%c2) : memref<?xi32>
  memref.store %seven, %m[%c0] : memref<?xi32>
  %r = memref.realloc %m(%n) : memref<?xi32> to memref<?xi32>
  %s = scf.if %use_old -> i32 {
    %x = memref.load %m[%c0] : memref<?xi32>
    scf.yield %x : i32
  } else {
    %x = memref.load %r[%c2] : memref<?xi32>
    scf.yield %x : i32
  }
  return %s : i32
}
// RUN: noria run %s --entry=realloc --check-bounds 64 0 | FileCheck %s --check-prefix=GROWN
// RUN: noria run %s --entry=realloc --interpret 64 0 | FileCheck %s --check-prefix=GROWN
// GROWN: 0 : i32
// RUN: not noria run %s --entry=realloc --check-bounds 64 1 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not noria run %s --entry=realloc --interpret 64 1 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: check_life.mlir:[[#@LINE-13]]:10: 'memref.load' op uses memory that was freed

// The runtime gives the second buffer the memory of the first.
func.func @never_written(%n: index) -> (tensor<?xcomplex<f32>>, memref<?xi7>, i32) {
  %c0 = arith.constant 0 : index
  %five = arith.constant 5 : i32
  %a = memref.alloc(%n) : memref<?xi32>
  linalg.fill ins(%five : i32) outs(%a : memref<?xi32>)
  memref.dealloc %a : memref<?xi32>
  %b = memref.alloc(%n) : memref<?xi32>
  %x = memref.load %b[%c0] : memref<?xi32>
  memref.dealloc %b : memref<?xi32>
  %t = tensor.empty(%n) : tensor<?xcomplex<f32>>
  %m = memref.alloc(%n) : memref<?xi7>
  return %t, %m, %x : tensor<?xcomplex<f32>>, memref<?xi7>, i32
}
// RUN: noria run %s --entry=never_written --check-bounds 3 | FileCheck %s --check-prefix=NEVER
// RUN: noria run %s --entry=never_written --interpret 3 | FileCheck %s --check-prefix=NEVER
// NEVER: dense<(0.000000e+00,0.000000e+00)> : tensor<3xcomplex<f32>>
// NEVER: dense<0> : tensor<3xi7>
// NEVER: 0 : i32
