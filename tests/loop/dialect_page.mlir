// Every example of the loop dialect's page of 2020, as written there; what the page leaves open with dots is filled in.
// Read, verified, printed in both spellings and again, run by the interpreter and as machine code.
// RUN: noria opt %s -o %t.old 2>%t.warnings
// RUN: FileCheck %s --input-file=%t.old --check-prefix=OLD
// RUN: FileCheck %s --input-file=%t.warnings --check-prefix=WARN
// RUN: noria opt --syntax=mlir %s -o %t.new && FileCheck %s --input-file=%t.new
// RUN: mlir-opt %t.new -o %t.oracle
// RUN: noria opt --syntax=2020 %t.new | diff - %t.old
// RUN: noria opt --syntax=mlir %t.old | diff - %t.new

// ---- loop.for ----

// RUN: noria run %s --entry=fill 1 9 3 --check-stages | FileCheck %s --check-prefix=FILL
// FILL: {{^}}dense<[0, 1, 0, 0, 1, 0, 0, 1, 0, 0]> : tensor<10xi32>{{$}}
// RUN: noria run %s --entry=fill 9 1 3 --check-stages | FileCheck %s --check-prefix=NONE
// NONE: {{^}}dense<0> : tensor<10xi32>{{$}}
// OLD-LABEL: func @fill
// OLD: loop.for %{{.*}} = %arg0 to %arg1 step %arg2 {
// OLD-NEXT: store
// OLD-NEXT: }
// CHECK-LABEL: func.func @fill
// CHECK: scf.for %{{.*}} = %arg0 to %arg1 step %arg2 {
func @fill(%lb: index, %ub: index, %step: index) -> memref<10xi32> {
  %zero = constant 0 : i32
  %one = constant 1 : i32
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %c10 = constant 10 : index
  %m = alloc() : memref<10xi32>
  loop.for %i = %c0 to %c10 step %c1 {
    store %zero, %m[%i] : memref<10xi32>
  }
   loop.for %iv = %lb to %ub step %step {
     store %one, %m[%iv] : memref<10xi32>
   }
  return %m : memref<10xi32>
}

// CHECK-LABEL: func.func @reduce
// CHECK: %[[SUM:.*]] = scf.for %[[IV:.*]] = %arg1 to %arg2 step %arg3 iter_args(%[[A:.*]] = %{{.*}}) -> (f32) {
// CHECK-NEXT: %[[T:.*]] = memref.load %arg0[%[[IV]]] : memref<1024xf32>
// CHECK-NEXT: %[[N:.*]] = arith.addf %[[A]], %[[T]] : f32
// CHECK-NEXT: scf.yield %[[N]] : f32
// CHECK: return %[[SUM]] : f32
// OLD-LABEL: func @reduce
// OLD: %{{.*}} = loop.for %{{.*}} = %arg1 to %arg2 step %arg3 iter_args(%{{.*}} = %{{.*}}) -> (f32) {
func @reduce(%buffer: memref<1024xf32>, %lb: index, %ub: index, %step: index) -> (f32) {
  // Initial sum set to 0.
  %sum_0 = constant 0.0 : f32
  // iter_args binds initial values to the loop's region arguments.
  %sum = loop.for %iv = %lb to %ub step %step iter_args(%sum_iter = %sum_0) -> (f32) {
   %t = load %buffer[%iv] : memref<1024xf32>
    %sum_next = addf %sum_iter, %t : f32
    // Yield current iteration sum to next iteration %sum_iter or to %sum if final iteration.
    loop.yield %sum_next : f32
  }
  return %sum : f32
}

// CHECK-LABEL: func.func @conditional_reduce
// CHECK: scf.if %{{.*}} -> (f32) {
// OLD-LABEL: func @conditional_reduce
// OLD: loop.if %{{.*}} -> (f32) {
func @conditional_reduce(%buffer: memref<1024xf32>, %lb: index, %ub: index, %step: index) -> (f32) {
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

// Both on -512, -511, .., 511. All of them sum up to -512, those above zero to 511 * 512 / 2. From 3 in steps of 7 there
// are 146, that sum up to 146 * 3 + 7 * 145 * 146 / 2 - 512 * 146 = -219; the 73 above zero to 18542.
// RUN: noria run %s --entry=reductions 0 1024 1 --check-stages | FileCheck %s --check-prefix=ALL
// ALL: {{^}}-5.120000e+02 : f32{{$}}
// ALL-NEXT: {{^}}1.308160e+05 : f32{{$}}
// RUN: noria run %s --entry=reductions 3 1024 7 --check-stages | FileCheck %s --check-prefix=SOME
// SOME: {{^}}-2.190000e+02 : f32{{$}}
// SOME-NEXT: {{^}}1.854200e+04 : f32{{$}}
// RUN: noria run %s --entry=reductions 5 5 1 --check-stages | FileCheck %s --check-prefix=EMPTY
// EMPTY: {{^}}0.000000e+00 : f32{{$}}
// EMPTY-NEXT: {{^}}0.000000e+00 : f32{{$}}
func @reductions(%lb: index, %ub: index, %step: index) -> (f32, f32) {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %c1024 = constant 1024 : index
  %half = constant 512 : index
  %m = alloc() : memref<1024xf32>
  loop.for %i = %c0 to %c1024 step %c1 {
    %k = subi %i, %half : index
    %int = index_cast %k : index to i32
    %x = sitofp %int : i32 to f32
    store %x, %m[%i] : memref<1024xf32>
  }
  %a = call @reduce(%m, %lb, %ub, %step) : (memref<1024xf32>, index, index, index) -> f32
  %b = call @conditional_reduce(%m, %lb, %ub, %step) : (memref<1024xf32>, index, index, index) -> f32
  dealloc %m : memref<1024xf32>
  return %a, %b : f32, f32
}

// ---- loop.if ----

// RUN: noria run %s --entry=branches true 0 --check-stages | FileCheck %s --check-prefix=THEN
// THEN: {{^}}dense<[3, 4]> : tensor<2xi32>{{$}}
// RUN: noria run %s --entry=branches false 0 --check-stages | FileCheck %s --check-prefix=ELSE
// ELSE: {{^}}dense<[0, 2]> : tensor<2xi32>{{$}}
// CHECK-LABEL: func.func @branches
// CHECK: scf.if %arg0 {
// CHECK: } else {
// CHECK: scf.if %arg0 {
// CHECK-NEXT: memref.store
// CHECK-NEXT: }
// CHECK-NEXT: return
func @branches(%b: i1, %x: i32) -> memref<2xi32> {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %two = constant 2 : i32
  %three = constant 3 : i32
  %four = constant 4 : i32
  %m = alloc() : memref<2xi32>
  store %x, %m[%c0] : memref<2xi32>
   loop.if %b  {
     store %four, %m[%c1] : memref<2xi32>
   } else {
     store %two, %m[%c1] : memref<2xi32>
   }
   loop.if %b  {
     store %three, %m[%c0] : memref<2xi32>
   }
  return %m : memref<2xi32>
}

// RUN: noria run %s --entry=if_values true 1.5 4.0 --check-stages | FileCheck %s --check-prefix=TRUE
// TRUE: {{^}}5.500000e+00 : f32{{$}}
// TRUE-NEXT: {{^}}6.000000e+00 : f32{{$}}
// RUN: noria run %s --entry=if_values false 1.5 4.0 --check-stages | FileCheck %s --check-prefix=FALSE
// FALSE: {{^}}-2.500000e+00 : f32{{$}}
// FALSE-NEXT: {{^}}3.750000e-01 : f32{{$}}
// CHECK-LABEL: func.func @if_values
// CHECK: %[[R:.*]]:2 = scf.if %arg0 -> (f32, f32) {
// CHECK: return %[[R]]#0, %[[R]]#1 : f32, f32
func @if_values(%b: i1, %p: f32, %q: f32) -> (f32, f32) {
   %x, %y = loop.if %b -> (f32, f32) {
     %x_true = addf %p, %q : f32
     %y_true = mulf %p, %q : f32
     loop.yield %x_true, %y_true : f32, f32
   } else {
     %x_false = subf %p, %q : f32
     %y_false = divf %p, %q : f32
     loop.yield %x_false, %y_false : f32, f32
   }
  return %x, %y : f32, f32
}

// ---- loop.parallel, loop.reduce, loop.reduce.return ----

// The page's example reduces and names no result, though the page asks for one.
// WARN: :[[@LINE+18]]:4: warning: 'loop.parallel' expects number of results: 0 to be the same as number of reductions: 1; the accepted form is '%r = loop.parallel .. { .. } : f32'
// RUN: noria run %s --entry=sum_of_zeros 0 10 3 --check-stages | FileCheck %s --check-prefix=SEVEN
// SEVEN: {{^}}7 : i32{{$}}
// CHECK-LABEL: func.func @sum_of_zeros
// CHECK: %{{.*}} = scf.parallel (%{{.*}}) = (%arg0) to (%arg1) step (%arg2) init (%{{.*}}) -> f32 {
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: scf.reduce(%[[ZERO]] : f32) {
// CHECK-NEXT: ^bb0(%[[L:.*]]: f32, %[[R:.*]]: f32):
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[L]], %[[R]] : f32
// CHECK-NEXT: scf.reduce.return %[[S]] : f32
// OLD-LABEL: func @sum_of_zeros
// OLD: loop.parallel (%{{.*}}) = (%arg0) to (%arg1) step (%arg2) init (%{{.*}}) {
// OLD: loop.reduce(%{{.*}}) {
// OLD: loop.reduce.return %{{.*}} : f32
// OLD-NEXT: } : f32
// OLD-NEXT: loop.yield
// OLD-NEXT: } : f32
func @sum_of_zeros(%lb: index, %ub: index, %step: index) -> i32 {
   loop.parallel (%iv) = (%lb) to (%ub) step (%step) {
     %zero = constant 0.0 : f32
     loop.reduce(%zero) {
       ^bb0(%lhs : f32, %rhs: f32):
         %res = addf %lhs, %rhs : f32
         loop.reduce.return %res : f32
     } : f32
   }
  %seven = constant 7 : i32
  return %seven : i32
}

// RUN: noria run %s --entry=count 2 10 3 --check-stages | FileCheck %s --check-prefix=COUNT
// COUNT: {{^}}3.000000e+00 : f32{{$}}
// RUN: noria run %s --entry=count 10 2 3 --check-stages | FileCheck %s --check-prefix=COUNT0
// COUNT0: {{^}}-0.000000e+00 : f32{{$}}
// CHECK-LABEL: func.func @count
// CHECK: scf.reduce(%{{.*}} : f32) {
func @count(%lb: index, %ub: index, %step: index) -> f32 {
 %n = loop.parallel (%iv) = (%lb) to (%ub) step (%step) {
  %operand = constant 1.0 : f32
  loop.reduce(%operand) {
    ^bb0(%lhs : f32, %rhs: f32):
      %res = addf %lhs, %rhs : f32
      loop.reduce.return %res : f32
  } : f32
 } : f32
  return %n : f32
}
