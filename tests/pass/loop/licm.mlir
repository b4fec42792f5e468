// RUN: noria opt --pass-pipeline=licm %s | FileCheck %s
// RUN: noria opt --pass-pipeline=licm --syntax=mlir %s | mlir-opt

func.func private @use(f32)
func.func private @use_int(i32)

// CHECK-LABEL: func.func @out_of_both_loops
// CHECK: %[[P:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK-NEXT: scf.for
// CHECK-NEXT: %[[F:.*]] = arith.index_cast
// CHECK-NEXT: arith.sitofp
// CHECK-NEXT: %[[S:.*]] = arith.addf
// CHECK-NEXT: scf.for
// CHECK-NEXT: {{(func.)?}}call @use(%[[P]])
// CHECK-NEXT: {{(func.)?}}call @use(%[[S]])
func.func @out_of_both_loops(%n: index, %a: f32, %b: f32) {
  scf.for %i = %n to %n step %n {
    scf.for %j = %n to %n step %n {
      %0 = arith.mulf %a, %b : f32
      func.call @use(%0) : (f32) -> ()
      %k = arith.index_cast %i : index to i64
      %f = arith.sitofp %k : i64 to f32
      %1 = arith.addf %f, %0 : f32
      func.call @use(%1) : (f32) -> ()
    }
  }
  return
}

// A division may be by zero, and the loop may not run at all.
// CHECK-LABEL: func.func @division
// CHECK: %[[C:.*]] = arith.constant 3 : i32
// CHECK-NEXT: %[[Q:.*]] = arith.divsi %{{.*}}, %[[C]] : i32
// CHECK-NEXT: scf.for
// CHECK-NEXT: arith.divsi
func.func @division(%n: index, %a: i32, %b: i32) {
  scf.for %i = %n to %n step %n {
    %0 = arith.divsi %a, %b : i32
    %c3 = arith.constant 3 : i32
    %1 = arith.divsi %a, %c3 : i32
    func.call @use_int(%0) : (i32) -> ()
    func.call @use_int(%1) : (i32) -> ()
  }
  return
}

// What reads memory stays, and so does what depends on a carried value.
// CHECK-LABEL: func.func @stays
// CHECK: scf.for
// CHECK-NEXT: memref.load
// CHECK-NEXT: arith.addf
func.func @stays(%n: index, %m: memref<4xf32>, %x: f32) -> f32 {
  %r = scf.for %i = %n to %n step %n iter_args(%a = %x) -> (f32) {
    %0 = memref.load %m[%n] : memref<4xf32>
    %1 = arith.addf %a, %0 : f32
    scf.yield %1 : f32
  }
  return %r : f32
}

// An op with a region moves as a whole.
// CHECK-LABEL: func.func @whole_regions
// CHECK: %[[R:.*]] = scf.if
// CHECK: scf.while
// CHECK: } do {
// CHECK: {{(func.)?}}call @use(%[[R]])
func.func @whole_regions(%c: i1, %x: f32) {
  scf.while : () -> () {
    scf.condition(%c)
  } do {
    %r = scf.if %c -> (f32) {
      %0 = arith.addf %x, %x : f32
      scf.yield %0 : f32
    } else {
      scf.yield %x : f32
    }
    func.call @use(%r) : (f32) -> ()
    scf.yield
  }
  return
}

// The one element of a 0-d tensor is always there; an element at an index that is not known may not be.
// CHECK-LABEL: func.func @elements
// CHECK: tensor.extract %{{.*}}[] : tensor<f32>
// CHECK-NEXT: %[[C9:.*]] = arith.constant 9 : index
// CHECK-NEXT: scf.for
// CHECK-NEXT: tensor.extract %{{.*}}[%{{.*}}] : tensor<4xf32>
// CHECK: tensor.extract %{{.*}}[%[[C9]]] : tensor<?xf32>
func.func @elements(%n: index, %s: tensor<f32>, %t: tensor<4xf32>, %u: tensor<?xf32>, %i: index) {
  scf.for %k = %n to %n step %n {
    %0 = tensor.extract %s[] : tensor<f32>
    %1 = tensor.extract %t[%i] : tensor<4xf32>
    %2 = arith.addf %0, %1 : f32
    %c9 = arith.constant 9 : index
    %3 = tensor.extract %u[%c9] : tensor<?xf32>
    func.call @use(%2) : (f32) -> ()
    func.call @use(%3) : (f32) -> ()
  }
  return
}

// A loop whose step may be 0 fails as it begins: it stays where it may never run. Steps that are known are no danger.
// CHECK-LABEL: func.func @loops_that_may_fail
// CHECK-SAME: (%[[N:.*]]: index, %[[S:.*]]: index
// CHECK: scf.for %{{.*}} = %c0 to %c8 step %c2
// CHECK: scf.for %{{.*}} = %c0 to %[[N]] step %c1
// CHECK: scf.for %{{.*}} = %c0 to %c8 step %[[S]]
func.func @loops_that_may_fail(%n: index, %s: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = scf.for %j = %c0 to %c8 step %s iter_args(%b = %c0) -> (index) {
      %x = arith.addi %b, %j : index
      scf.yield %x : index
    }
    %c = scf.for %j = %c0 to %c8 step %c2 iter_args(%b = %c0) -> (index) {
      %x = arith.addi %b, %j : index
      scf.yield %x : index
    }
    func.call @use_index(%a, %c) : (index, index) -> ()
  }
  return
}
func.func private @use_index(index, index)
