// RUN: noria opt --cpu=x86-64-v3 --pass-pipeline='vectorize-parallel-loops{lanes=8},canonicalize,cse' %s | FileCheck %s
// RUN: noria opt --cpu=x86-64-v3 --pass-pipeline='vectorize-parallel-loops{lanes=8},canonicalize,cse' --syntax=mlir %s | mlir-opt
// RUN: noria opt --cpu=x86-64-v3 --vectorize-parallel-loops --explain-vectorize %s 2>&1 >%t | FileCheck %s --check-prefix=WHY --implicit-check-not=remark

// A choice among several regions is one scf.if in another; the integers before the cast to index are compared.
// CHECK-LABEL: func.func @cases
// CHECK-NOT: scf.index_switch
// CHECK: scf.while
// CHECK: %[[A:.*]] = arith.cmpi eq, %[[X:.*]], %{{.*}} : vector<8xi32>
// CHECK: %[[ANY:.*]] = vector.reduction <or>, %[[A]] : vector<8xi1> into i1
// CHECK: scf.if %[[ANY]] -> (vector<8xi32>) {
// CHECK: vector.gather
// CHECK: %[[B:.*]] = arith.cmpi eq, %[[X]], %{{.*}} : vector<8xi32>
// CHECK: vector.scatter
// WHY: :[[#@LINE+7]]:3: remark: vectorized: 32 iterations take {{.*}} in 32 lanes
func.func @cases(%a: memref<?xi32>, %b: memref<?xi32>, %o: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = memref.dim %a, %c0 : memref<?xi32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %x = memref.load %a[%i] : memref<?xi32>
    %w = scf.while (%y = %x) : (i32) -> i32 {
      %c = arith.cmpi sgt, %y, %z : i32
      scf.condition(%c) %y : i32
    } do {
    ^bb0(%y: i32):
      %m = arith.subi %y, %one : i32
      scf.yield %m : i32
    }
    %at = arith.index_cast %w : i32 to index
    %r = scf.index_switch %at -> i32
    case 3 {
      %e = memref.load %b[%at] : memref<?xi32>
      scf.yield %e : i32
    }
    case -1 {
      memref.store %x, %b[%at] : memref<?xi32>
      scf.yield %one : i32
    }
    default {
      scf.yield %z : i32
    }
    memref.store %r, %o[%i] : memref<?xi32>
    scf.reduce
  }
  return
}

// A maximum may be taken in any order.
// CHECK-LABEL: func.func @greatest
// CHECK: arith.maximumf %{{.*}} : vector<8xf32>
// CHECK: vector.reduction <maximumf>, %{{.*}} : vector<8xf32> into f32
// WHY: :[[#@LINE+7]]:8: remark: vectorized: 32 iterations take {{.*}} in 32 lanes
func.func @greatest(%a: memref<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %less = arith.constant 0.75 : f32
  %n = memref.dim %a, %c0 : memref<?xf32>
  %s = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%one) -> f32 {
    %x = memref.load %a[%i] : memref<?xf32>
    %w = scf.while (%y = %x) : (f32) -> f32 {
      %c = arith.cmpf ogt, %y, %one : f32
      scf.condition(%c) %y : f32
    } do {
    ^bb0(%y: f32):
      %m = arith.mulf %y, %less : f32
      scf.yield %m : f32
    }
    scf.reduce(%w : f32) {
    ^bb0(%p: f32, %q: f32):
      %t = arith.maximumf %p, %q : f32
      scf.reduce.return %t : f32
    }
  }
  return %s : f32
}

// A sum may not.
// WHY: :[[#@LINE+7]]:8: remark: not vectorized: the order of its reduction would change the result
func.func @total(%a: memref<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %less = arith.constant 0.75 : f32
  %n = memref.dim %a, %c0 : memref<?xf32>
  %s = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%one) -> f32 {
    %x = memref.load %a[%i] : memref<?xf32>
    %w = scf.while (%y = %x) : (f32) -> f32 {
      %c = arith.cmpf ogt, %y, %one : f32
      scf.condition(%c) %y : f32
    } do {
    ^bb0(%y: f32):
      %m = arith.mulf %y, %less : f32
      scf.yield %m : f32
    }
    scf.reduce(%w : f32) {
    ^bb0(%p: f32, %q: f32):
      %t = arith.addf %p, %q : f32
      scf.reduce.return %t : f32
    }
  }
  return %s : f32
}

// WHY: :[[#@LINE+6]]:3: remark: not vectorized: its inner loops run equally often in each iteration
func.func @uniform(%a: memref<?xf32>, %k: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %n = memref.dim %a, %c0 : memref<?xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %x = memref.load %a[%i] : memref<?xf32>
    %r:2 = scf.while (%y = %x, %q = %one) : (f32, i32) -> (f32, i32) {
      %c = arith.cmpi slt, %q, %k : i32
      scf.condition(%c) %y, %q : f32, i32
    } do {
    ^bb0(%y: f32, %q: i32):
      %m = arith.mulf %y, %y : f32
      %q1 = arith.addi %q, %one : i32
      scf.yield %m, %q1 : f32, i32
    }
    memref.store %r#0, %a[%i] : memref<?xf32>
    scf.reduce
  }
  return
}
