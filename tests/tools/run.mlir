// `noria run` of text IR: entries, values in and out; machine code and the interpreter agree.

// RUN: noria run %s --entry=gcd 48 180 | FileCheck %s --check-prefix=GCD
// RUN: noria run %s --entry=gcd 48 180 --interpret | FileCheck %s --check-prefix=GCD
// RUN: noria run %s --entry=gcd --input b=180 --input=a=-48 | FileCheck %s --check-prefix=GCD
// GCD: {{^}}12 : i64{{$}}
func.func @gcd(%a: i64, %b: i64) -> i64 {
  %c0 = arith.constant 0 : i64
  %r:2 = scf.while (%x = %a, %y = %b) : (i64, i64) -> (i64, i64) {
    %more = arith.cmpi ne, %y, %c0 : i64
    scf.condition(%more) %x, %y : i64, i64
  } do {
  ^bb0(%x: i64, %y: i64):
    %m = arith.remsi %x, %y : i64
    scf.yield %y, %m : i64, i64
  }
  %negative = arith.cmpi slt, %r#0, %c0 : i64
  %minus = arith.subi %c0, %r#0 : i64
  %gcd = arith.select %negative, %minus, %r#0 : i64
  return %gcd : i64
}

// RUN: noria run %s --entry=kinds true 1.5 -3 0x10 'dense<[1, 2]> : tensor<2xi8>' '[[1.0, 2e1], [3, -.5]]' \
// RUN:   | FileCheck %s --check-prefix=KINDS
// RUN: noria run %s --entry=kinds true 1.5 -3 0x10 '[1, 2]' '[[1.0, 20], [3, -0.5]]' --check-stages 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=STAGES,KINDS
// STAGES: import {{.*}} the reference
// STAGES-NEXT: shape {{.*}} same
// STAGES-NEXT: tensor {{.*}} same
// STAGES: compiled {{.*}} same
// STAGES: all 9 outcomes are that of 'import'
// KINDS: {{^}}true{{$}}
// KINDS-NEXT: {{^}}1.500000e+00 : f16{{$}}
// KINDS-NEXT: {{^}}-3 : index{{$}}
// KINDS-NEXT: {{^}}16 : i8{{$}}
// KINDS-NEXT: {{^}}dense<[1, 2]> : tensor<2xi8>{{$}}
// KINDS-NEXT: {{^}}dense<{{\[}}[2.000000e+00, 4.000000e+01], [6.000000e+00, -1.000000e+00]]> : tensor<2x2xf32>{{$}}
func.func @kinds(%a: i1, %b: f16, %c: index, %d: i8, %e: tensor<2xi8>, %f: tensor<?x2xf32>)
    -> (i1, f16, index, i8, tensor<2xi8>, tensor<?x2xf32>) {
  %g = arith.addf %f, %f : tensor<?x2xf32>
  return %a, %b, %c, %d, %e, %g : i1, f16, index, i8, tensor<2xi8>, tensor<?x2xf32>
}

// The example of the loop dialect, in the spelling of 2020.
// RUN: noria run %s --entry=reduce random 0 1024 1 --seed=3 --check-stages | FileCheck %s --check-prefix=REDUCE
// RUN: noria run %s --entry=reduce ones 0 10 2 | FileCheck %s --check-prefix=FIVE
// REDUCE: {{^.*}} : f32{{$}}
// FIVE: {{^}}5.000000e+00 : f32{{$}}
func @reduce(%buffer: memref<1024xf32>, %lb: index, %ub: index, %step: index) -> (f32) {
  %sum_0 = constant 0.0 : f32
  %c0 = constant 0.0 : f32
  %sum = loop.for %iv = %lb to %ub step %step iter_args(%sum_iter = %sum_0) -> (f32) {
    %t = load %buffer[%iv] : memref<1024xf32>
    %cond = cmpf "ugt", %t, %c0 : f32
    %sum_next = loop.if %cond -> (f32) {
      %new_sum = addf %sum_iter, %t : f32
      loop.yield %new_sum : f32
    } else {
      loop.yield %sum_iter : f32
    }
    loop.yield %sum_next : f32
  }
  return %sum : f32
}

// The example of the proposal that gave ifs values, structured and as blocks.
// RUN: noria run %s --entry=if_value true 1.5 2 | FileCheck %s --check-prefix=SUM
// RUN: noria run %s --entry=if_blocks true 1.5 2 --check-stages | FileCheck %s --check-prefix=SUM
// RUN: noria run %s --entry=if_value false 1.5 2 --interpret | FileCheck %s --check-prefix=DIFFERENCE
// RUN: noria run %s --entry=if_blocks 0 1.5 2 | FileCheck %s --check-prefix=DIFFERENCE
// SUM: {{^}}3.500000e+00 : f32{{$}}
// DIFFERENCE: {{^}}-5.000000e-01 : f32{{$}}
func @if_value(%arg0: i1, %arg1: f32, %arg2: f32) -> f32 {
  %x = loop.if %arg0 -> (f32) {
    %x1 = addf %arg1, %arg2 : f32
    loop.yield %x1 : f32
  } else {
    %x2 = subf %arg1, %arg2 : f32
    loop.yield %x2 : f32
  }
  return %x : f32
}
func @if_blocks(%arg0: i1, %arg1: f32, %arg2: f32) -> f32 {
  cond_br %arg0, ^then, ^else
^then:
  %x1 = addf %arg1, %arg2 : f32
  br ^continue(%x1 : f32)
^else:
  %x2 = subf %arg1, %arg2 : f32
  br ^continue(%x2 : f32)
^continue(%x: f32):
  return %x : f32
}

// What a function left in its memrefs is printed when it returns nothing, and can be saved in any case.
// RUN: noria run %s --entry=fill zeros | FileCheck %s --check-prefix=FILL
// RUN: noria run %s --entry=fill zeros --check-stages | FileCheck %s --check-prefix=FILL
// RUN: noria run %s --entry=fill zeros --output m=@%t.npy | count 0
// RUN: noria run %s --entry=sum @%t.npy | FileCheck %s --check-prefix=SAVED
// FILL: {{^}}dense<{{\[}}[0.000000e+00, 1.000000e+00], [1.000000e+01, 1.100000e+01]]> : tensor<2x2xf64>{{$}}
// SAVED: {{^}}2.200000e+01 : f64{{$}}
func.func @fill(%m: memref<2x2xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %ten = arith.constant 10 : index
  scf.for %i = %c0 to %c2 step %c1 {
    scf.for %j = %c0 to %c2 step %c1 {
      %row = arith.muli %i, %ten : index
      %at = arith.addi %row, %j : index
      %int = arith.index_cast %at : index to i64
      %x = arith.sitofp %int : i64 to f64
      memref.store %x, %m[%i, %j] : memref<2x2xf64>
    }
  }
  return
}
// Wherever the memref stands among the arguments, here behind a scalar and with another one.
// RUN: noria run %s --entry=put 5 zeros '[3]' | FileCheck %s --check-prefix=PUT
// RUN: noria run %s --entry=put 5 zeros '[3]' --interpret | FileCheck %s --check-prefix=PUT
// RUN: noria run %s --entry=put 5 zeros '[3]' --output m=@%t.npy | FileCheck %s --check-prefix=OTHER
// PUT: dense<[5, 0]> : tensor<2xi32>
// OTHER-NOT: tensor<2xi32>
// PUT-NEXT: dense<4> : tensor<1xindex>
// OTHER: dense<4> : tensor<1xindex>
func.func @put(%x: i32, %m: memref<2xi32>, %n: memref<1xindex>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  memref.store %x, %m[%c0] : memref<2xi32>
  memref.store %c4, %n[%c0] : memref<1xindex>
  return
}

func.func @sum(%m: memref<?x?xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %h = memref.dim %m, %c0 : memref<?x?xf64>
  %w = memref.dim %m, %c1 : memref<?x?xf64>
  %s = scf.parallel (%i, %j) = (%c0, %c0) to (%h, %w) step (%c1, %c1) init (%zero) -> f64 {
    %x = memref.load %m[%i, %j] : memref<?x?xf64>
    scf.reduce(%x : f64) {
    ^bb0(%a: f64, %b: f64):
      %r = arith.addf %a, %b : f64
      scf.reduce.return %r : f64
    }
  }
  return %s : f64
}

// A view with a layout of its own, a vector, a function that calls others and itself.
// RUN: noria run %s --entry=column '[[1, 2], [3, 4]]' 1 --check-stages | FileCheck %s --check-prefix=COLUMN
// COLUMN: {{^}}dense<[2, 4]> : tensor<2xi32>{{$}}
func.func @column(%m: memref<2x2xi32>, %j: index) -> memref<2xi32, strided<[2], offset: ?>> {
  %v = memref.subview %m[0, %j] [2, 1] [1, 1] : memref<2x2xi32> to memref<2xi32, strided<[2], offset: ?>>
  return %v : memref<2xi32, strided<[2], offset: ?>>
}
// RUN: noria run %s --entry=fib 20 --check-stages | FileCheck %s --check-prefix=FIB
// FIB: {{^}}6765 : i32{{$}}
func.func @fib(%n: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %small = arith.cmpi sle, %n, %c1 : i32
  %r = scf.if %small -> i32 {
    scf.yield %n : i32
  } else {
    %n1 = arith.subi %n, %c1 : i32
    %n2 = arith.subi %n, %c2 : i32
    %a = func.call @fib(%n1) : (i32) -> i32
    %b = func.call @fib(%n2) : (i32) -> i32
    %s = arith.addi %a, %b : i32
    scf.yield %s : i32
  }
  return %r : i32
}

// What the entry does not need may be anything.
func.func @no_program(%x: vector<[4]xf32>) -> vector<[4]xf32> {
  return %x : vector<[4]xf32>
}
