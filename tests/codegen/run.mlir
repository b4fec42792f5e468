// RUN: noria run %s --entry=gcd 48 180 | FileCheck %s --check-prefix=GCD
// RUN: noria run %s --entry=gcd 48 180 --interpret | FileCheck %s --check-prefix=GCD
// RUN: noria run %s --entry=collatz 837799 | FileCheck %s --check-prefix=COLLATZ
// RUN: noria run %s --entry=softmax '[1.0, 2.0, 3.0, 4.0]' | FileCheck %s --check-prefix=SOFTMAX
// RUN: noria run %s --entry=softmax '[1.0, 2.0, 3.0, 4.0]' -O=1 | FileCheck %s --check-prefix=SOFTMAX
// RUN: noria run %s --entry=softmax '[1.0, 2.0, 3.0, 4.0]' -O=3 | FileCheck %s --check-prefix=SOFTMAX
// RUN: noria run %s --entry=transposed '[[1, 2, 3], [4, 5, 6]]' -O=1 | FileCheck %s --check-prefix=TRANSPOSED
// RUN: noria run %s --entry=transposed '[[1, 2, 3], [4, 5, 6]]' | FileCheck %s --check-prefix=TRANSPOSED
// RUN: noria run %s --entry=dot | FileCheck %s --check-prefix=DOT

// GCD: 12 : i64
func.func @gcd(%a: i64, %b: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %r:2 = scf.while (%x = %a, %y = %b) : (i64, i64) -> (i64, i64) {
    %more = arith.cmpi ne, %y, %zero : i64
    scf.condition(%more) %x, %y : i64, i64
  } do {
  ^bb0(%x: i64, %y: i64):
    %m = arith.remsi %x, %y : i64
    scf.yield %y, %m : i64, i64
  }
  return %r#0 : i64
}

// COLLATZ: 524 : index
func.func @collatz(%start: i64) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %r:2 = scf.while (%x = %start, %n = %c0) : (i64, index) -> (i64, index) {
    %more = arith.cmpi ne, %x, %one : i64
    scf.condition(%more) %x, %n : i64, index
  } do {
  ^bb0(%x: i64, %n: index):
    %odd = arith.trunci %x : i64 to i1
    %y = scf.if %odd -> (i64) {
      %t = arith.muli %x, %three : i64
      %u = arith.addi %t, %one : i64
      scf.yield %u : i64
    } else {
      %h = arith.shrsi %x, %one : i64
      scf.yield %h : i64
    }
    %m = arith.addi %n, %c1 : index
    scf.yield %y, %m : i64, index
  }
  return %r#1 : index
}

// SOFTMAX: dense<[0.03205{{[0-9]*}}, 0.0871{{[0-9]*}}, 0.2368{{[0-9]*}}, 0.6439{{[0-9]*}}]> : tensor<4xf32>
func.func @softmax(%x: memref<4xf32>) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %y = memref.alloc() : memref<4xf32>
  %max = scf.for %i = %c0 to %c4 step %c1 iter_args(%m = %low) -> (f32) {
    %v = memref.load %x[%i] : memref<4xf32>
    %n = arith.maximumf %m, %v : f32
    scf.yield %n : f32
  }
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero) -> (f32) {
    %v = memref.load %x[%i] : memref<4xf32>
    %d = arith.subf %v, %max : f32
    %e = math.exp %d : f32
    memref.store %e, %y[%i] : memref<4xf32>
    %t = arith.addf %s, %e : f32
    scf.yield %t : f32
  }
  scf.for %i = %c0 to %c4 step %c1 {
    %v = memref.load %y[%i] : memref<4xf32>
    %q = arith.divf %v, %sum : f32
    memref.store %q, %y[%i] : memref<4xf32>
  }
  return %y : memref<4xf32>
}

// TRANSPOSED{LITERAL}: dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi64>
func.func @transposed(%x: memref<2x3xi64>) -> memref<3x2xi64> {
  %t = memref.transpose %x (i, j) -> (j, i) : memref<2x3xi64> to memref<3x2xi64, strided<[1, 3]>>
  %y = memref.alloc() : memref<3x2xi64>
  memref.copy %t, %y : memref<3x2xi64, strided<[1, 3]>> to memref<3x2xi64>
  return %y : memref<3x2xi64>
}

memref.global "private" constant @a : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
// DOT: 3.000000e+01 : f32
func.func @dot() -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.get_global @a : memref<4xf32>
  %v = vector.load %a[%c0] : memref<4xf32>, vector<4xf32>
  %p = arith.mulf %v, %v : vector<4xf32>
  %s = vector.reduction <add>, %p : vector<4xf32> into f32
  return %s : f32
}
