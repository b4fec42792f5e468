// The loop dialect as it was written in 2020, of several months, read and brought to today's.
// RUN: noria opt %s | FileCheck %s --check-prefix=OLD
// RUN: noria opt --syntax=mlir %s | FileCheck %s
// RUN: noria opt --syntax=mlir %s | mlir-opt

// OLD-LABEL: func @reduce(
// OLD: %[[Z:.*]] = constant 0.000000e+00 : f32
// OLD: %[[S:.*]] = loop.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[A:.*]] = %[[Z]]) -> (f32) {
// OLD: load %{{.*}}[%[[I]]] : memref<1024xf32>
// OLD: cmpf "ugt", %{{.*}}, %{{.*}} : f32
// OLD: loop.if %{{.*}} -> (f32) {
// OLD: addf %[[A]], %{{.*}} : f32
// OLD: loop.yield %{{.*}} : f32
// CHECK-LABEL: func.func @reduce(
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[A:.*]] = %{{.*}}) -> (f32) {
// CHECK: memref.load
// CHECK: arith.cmpf ugt
// CHECK: scf.if %{{.*}} -> (f32) {
// CHECK: arith.addf %[[A]], %{{.*}} : f32
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

// The first proposal gave types behind the regions and let functions leave theirs away.
// CHECK-LABEL: func.func @proposal(
// CHECK-SAME: %[[C:.*]]: i1, %[[X:.*]]: f32, %[[Y:.*]]: f32) -> f32 {
// CHECK: %[[R:.*]] = scf.if %[[C]] -> (f32) {
// CHECK-NEXT: arith.addf %[[X]], %[[Y]] : f32
// CHECK: return %[[R]] : f32
func @proposal(%arg0: i1, %arg1: f32, %arg2: f32) {
  %x = loop.if %arg0 {
    %x1 = addf %arg1, %arg2 : (f32, f32) -> f32
    loop.yield %x1 : f32
  } else {
    %x2 = subf %arg1, %arg2 : (f32, f32) -> f32
    loop.yield %x2 : f32
  } : (i1) -> f32
  return %x : () -> f32
}

// Reductions were ops of the body, ended by a yield. Without init the neutral element starts them.
// OLD-LABEL: func @reductions(
// OLD: %[[ZERO:.*]] = constant -0.000000e+00 : f32
// OLD: %{{.*}}:2 = loop.parallel (%{{.*}}) = (%{{.*}}) to (%{{.*}}) step (%{{.*}}) init (%[[ZERO]], %{{.*}}) {
// OLD: loop.reduce(%{{.*}}) {
// OLD-NEXT: ^bb0(%[[L:.*]]: f32, %[[R:.*]]: f32):
// OLD-NEXT: %[[S:.*]] = addf %[[L]], %[[R]] : f32
// OLD-NEXT: loop.reduce.return %[[S]] : f32
// OLD-NEXT: } : f32
// OLD-NEXT: loop.reduce(%{{.*}}) {
// OLD: } : i64
// OLD-NEXT: loop.yield
// OLD-NEXT: } : f32, i64
// CHECK-LABEL: func.func @reductions(
// CHECK: scf.parallel (%{{.*}}) = (%{{.*}}) to (%{{.*}}) step (%{{.*}}) init (%{{.*}}, %{{.*}}) -> (f32, i64) {
// CHECK: scf.reduce(%{{.*}}, %{{.*}} : f32, i64) {
func @reductions(%n: index, %x: f32, %k: i64) -> (f32, i64) {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %r:2 = loop.parallel (%i) = (%c0) to (%n) step (%c1) {
    loop.reduce(%x) {
      ^bb0(%lhs : f32, %rhs: f32):
        %res = addf %lhs, %rhs : f32
        loop.reduce.return %res : f32
    } : f32
    %kk = addi %k, %k : i64
    loop.reduce(%kk) {
      ^bb0(%lhs : i64, %rhs: i64):
        %res = muli %lhs, %rhs : i64
        loop.reduce.return %res : i64
    } : i64
    loop.yield
  } : f32, i64
  return %r#0, %r#1 : f32, i64
}

// With init, types in front of the bodies.
// CHECK-LABEL: func.func @later(
// CHECK: scf.parallel (%{{.*}}, %{{.*}}) = {{.*}} init (%{{.*}}) -> f32 {
// CHECK: scf.reduce(%{{.*}} : f32) {
func @later(%n: index, %x: f32) -> f32 {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %r = loop.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) init(%x) -> f32 {
    loop.reduce(%x) : f32 {
      ^bb0(%lhs : f32, %rhs: f32):
        loop.reduce.return %lhs : f32
    }
  }
  // CHECK: scf.parallel
  // CHECK-NEXT: scf.reduce
  loop.parallel (%i) = (%c0) to (%n) step (%c1) {
    "loop.terminator"() : () -> ()
  } {tag}
  return %r : f32
}

// OLD: func @declared(i32) -> i64
// CHECK: func.func private @declared(i32) -> i64
func @declared(i32) -> i64

// OLD-LABEL: func @standard_ops(
// CHECK-LABEL: func.func @standard_ops(
func @standard_ops(%a: i32, %b: f32, %c: i1, %i: index) -> i64 {
  // OLD: divi_signed
  // CHECK: arith.divsi
  %0 = divi_signed %a, %a : i32
  // OLD: remi_unsigned
  // CHECK: arith.remui
  %1 = remiu %a, %a : i32
  // OLD: and %
  // CHECK: arith.andi
  %2 = and %a, %a : i32
  // OLD: shift_right_signed
  // CHECK: arith.shrsi
  %3 = shift_right_signed %a, %a : i32
  // OLD: cmpi "slt", %{{.*}}, %{{.*}} : i32
  // CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} : i32
  %4 = cmpi "slt", %a, %a : i32
  // OLD: select %{{.*}}, %{{.*}}, %{{.*}} : f32
  // CHECK: arith.select
  %5 = select %4, %b, %b : f32
  // OLD: index_cast %{{.*}} : index to i64
  // CHECK: arith.index_cast
  %6 = index_cast %i : index to i64
  // OLD: zexti %{{.*}} : i32 to i64
  // CHECK: arith.extui
  %7 = zexti %a : i32 to i64
  // OLD: fpext %{{.*}} : f32 to f64
  // CHECK: arith.extf
  %8 = fpext %b : f32 to f64
  // OLD: exp %{{.*}} : f32
  // CHECK: math.exp
  %9 = exp %b : f32
  // OLD: ceilf
  // CHECK: math.ceil
  %10 = std.ceilf %b : f32
  // OLD: %[[F:.*]] = constant @declared : (i32) -> i64
  // CHECK: {{(func\.)?}}constant @declared : (i32) -> i64
  %f = constant @declared : (i32) -> i64
  // OLD: call @declared(%{{.*}}) : (i32) -> i64
  %11 = call @declared(%a) : (i32) -> i64
  // OLD: call_indirect %[[F]](%{{.*}}) : (i32) -> i64
  %12 = call_indirect %f(%a) : (i32) -> i64
  // OLD: assert %{{.*}}, "positive"
  // CHECK: cf.assert
  assert %c, "positive"
  // OLD: cond_br %{{.*}}, ^bb1(%{{.*}} : i64), ^bb2
  // CHECK: cf.cond_br
  cond_br %c, ^bb1(%11 : i64), ^bb2
^bb1(%x: i64):
  return %x : i64
^bb2:
  // OLD: br ^bb1(%{{.*}} : i64)
  // CHECK: cf.br
  br ^bb1(%12 : i64)
}
