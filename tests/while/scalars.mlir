// While loops on scalars and buffers. test_while.py runs them, and every pass on them.
// RUN: noria run %s --check-stages '[1, 2, 4, 8]' 4 0 27 | FileCheck %s
// CHECK: 2 : index
// CHECK-NEXT: 1 : i32
// CHECK-NEXT: 111 : i32
// CHECK-NEXT: 81 : i64
// CHECK-NEXT: 34 : i32
// CHECK-NEXT: 2 : index
// CHECK-NEXT: dense<[1.000000e+00, 3.000000e+00, 7.000000e+00, 1.500000e+01]> : tensor<4xf32>

// The number of elements of the sorted %list that are less than %x.
func.func @binary_search(%list: memref<?xf32>, %x: f32) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %list, %c0 : memref<?xf32>
  %r:2 = scf.while (%lo = %c0, %hi = %n) : (index, index) -> (index, index) {
    %more = arith.cmpi ult, %lo, %hi : index
    scf.condition(%more) %lo, %hi : index, index
  } do {
  ^bb0(%lo: index, %hi: index):
    %d = arith.subi %hi, %lo : index
    %half = arith.shrui %d, %c1 : index
    %mid = arith.addi %lo, %half : index
    %e = memref.load %list[%mid] : memref<?xf32>
    %less = arith.cmpf olt, %e, %x : f32
    %behind = arith.addi %mid, %c1 : index
    %lo1 = arith.select %less, %behind, %lo : index
    %hi1 = arith.select %less, %hi, %mid : index
    scf.yield %lo1, %hi1 : index, index
  }
  return %r#0 : index
}

// Steps of z -> z * z + c, at most %max, until |z| > 2.
func.func @mandelbrot(%cx: f32, %cy: f32, %max: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %f0 = arith.constant 0.0 : f32
  %f4 = arith.constant 4.0 : f32
  %r:3 = scf.while (%k = %zero, %x = %f0, %y = %f0) : (i32, f32, f32) -> (i32, f32, f32) {
    %xx = arith.mulf %x, %x : f32
    %yy = arith.mulf %y, %y : f32
    %norm = arith.addf %xx, %yy : f32
    %in = arith.cmpf ole, %norm, %f4 : f32
    %left = arith.cmpi slt, %k, %max : i32
    %more = arith.andi %in, %left : i1
    scf.condition(%more) %k, %x, %y : i32, f32, f32
  } do {
  ^bb0(%k: i32, %x: f32, %y: f32):
    %xx = arith.mulf %x, %x : f32
    %yy = arith.mulf %y, %y : f32
    %xy = arith.mulf %x, %y : f32
    %re = arith.subf %xx, %yy : f32
    %im = arith.addf %xy, %xy : f32
    %x1 = arith.addf %re, %cx : f32
    %y1 = arith.addf %im, %cy : f32
    %k1 = arith.addi %k, %one : i32
    scf.yield %k1, %x1, %y1 : i32, f32, f32
  }
  return %r#0 : i32
}

// Steps of n -> n / 2 or 3 n + 1 until 1.
func.func @collatz(%n: i64) -> i32 {
  %zero = arith.constant 0 : i32
  %up = arith.constant 1 : i32
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %r:2 = scf.while (%x = %n, %k = %zero) : (i64, i32) -> (i64, i32) {
    %more = arith.cmpi sgt, %x, %c1 : i64
    scf.condition(%more) %x, %k : i64, i32
  } do {
  ^bb0(%x: i64, %k: i32):
    %bit = arith.andi %x, %c1 : i64
    %odd = arith.cmpi eq, %bit, %c1 : i64
    %x1 = scf.if %odd -> (i64) {
      %t = arith.muli %x, %c3 : i64
      %u = arith.addi %t, %c1 : i64
      scf.yield %u : i64
    } else {
      %h = arith.shrui %x, %c1 : i64
      scf.yield %h : i64
    }
    %k1 = arith.addi %k, %up : i32
    scf.yield %x1, %k1 : i64, i32
  }
  return %r#1 : i32
}

// A while in a while: the sum of the greatest common divisors of %n and 1 to %n.
func.func @nested(%n: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r:2 = scf.while (%i = %one, %sum = %zero) : (i64, i64) -> (i64, i64) {
    %more = arith.cmpi sle, %i, %n : i64
    scf.condition(%more) %i, %sum : i64, i64
  } do {
  ^bb0(%i: i64, %sum: i64):
    %g:2 = scf.while (%a = %n, %b = %i) : (i64, i64) -> (i64, i64) {
      %left = arith.cmpi ne, %b, %zero : i64
      scf.condition(%left) %a, %b : i64, i64
    } do {
    ^bb0(%a: i64, %b: i64):
      %rest = arith.remsi %a, %b : i64
      scf.yield %b, %rest : i64, i64
    }
    %sum1 = arith.addi %sum, %g#0 : i64
    %i1 = arith.addi %i, %one : i64
    scf.yield %i1, %sum1 : i64, i64
  }
  return %r#1 : i64
}

// No trip: the body, which would divide by zero, does not run; the part before the condition runs once.
func.func @zero_trip(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %seven = arith.constant 7 : i32
  %false = arith.constant false
  %r = scf.while (%x = %n) : (i32) -> i32 {
    %y = arith.addi %x, %seven : i32
    scf.condition(%false) %y : i32
  } do {
  ^bb0(%y: i32):
    %bad = arith.divsi %y, %zero : i32
    scf.yield %bad : i32
  }
  return %r : i32
}

// "%i < size && list[%i] != %x": behind the last element, the second part is not evaluated.
func.func @short_circuit(%list: memref<?xf32>, %x: f32) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %false = arith.constant false
  %n = memref.dim %list, %c0 : memref<?xf32>
  %r = scf.while (%i = %c0) : (index) -> index {
    %inside = arith.cmpi ult, %i, %n : index
    %more = scf.if %inside -> (i1) {
      %e = memref.load %list[%i] : memref<?xf32>
      %other = arith.cmpf une, %e, %x : f32
      scf.yield %other : i1
    } else {
      scf.yield %false : i1
    }
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  return %r : index
}

// A loop that stores: the partial sums of %list up to the first that is more than %limit; the rest is 0.
func.func @prefix_sums(%list: memref<?xf32>, %sums: memref<?xf32>, %limit: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f0 = arith.constant 0.0 : f32
  %n = memref.dim %list, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %f0, %sums[%i] : memref<?xf32>
  }
  scf.while (%i = %c0, %sum = %f0) : (index, f32) -> (index, f32) {
    %inside = arith.cmpi ult, %i, %n : index
    %low = arith.cmpf ole, %sum, %limit : f32
    %more = arith.andi %inside, %low : i1
    scf.condition(%more) %i, %sum : index, f32
  } do {
  ^bb0(%i: index, %sum: f32):
    %e = memref.load %list[%i] : memref<?xf32>
    %next = arith.addf %sum, %e : f32
    memref.store %next, %sums[%i] : memref<?xf32>
    %i1 = arith.addi %i, %c1 : index
    scf.yield %i1, %next : index, f32
  }
  return
}

func.func @main(%values: tensor<?xf32>, %x: f32, %cy: f32, %n: i64)
    -> (index, i32, i32, i64, i32, index, tensor<?xf32>) {
  %max = arith.constant 100 : i32
  %limit = arith.constant 10.0 : f32
  %c0 = arith.constant 0 : index
  %list = bufferization.to_buffer %values read_only : tensor<?xf32> to memref<?xf32>
  %place = func.call @binary_search(%list, %x) : (memref<?xf32>, f32) -> index
  %steps = func.call @mandelbrot(%x, %cy, %max) : (f32, f32, i32) -> i32
  %length = func.call @collatz(%n) : (i64) -> i32
  %sum = func.call @nested(%n) : (i64) -> i64
  %small = arith.trunci %n : i64 to i32
  %none = func.call @zero_trip(%small) : (i32) -> i32
  %found = func.call @short_circuit(%list, %x) : (memref<?xf32>, f32) -> index
  %size = memref.dim %list, %c0 : memref<?xf32>
  %sums = memref.alloc(%size) : memref<?xf32>
  func.call @prefix_sums(%list, %sums, %limit) : (memref<?xf32>, memref<?xf32>, f32) -> ()
  %t = bufferization.to_tensor %sums restrict : memref<?xf32> to tensor<?xf32>
  return %place, %steps, %length, %sum, %none, %found, %t : index, i32, i32, i64, i32, index, tensor<?xf32>
}
