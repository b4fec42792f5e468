// RUN: noria opt --cpu=x86-64-v3 --pass-pipeline='vectorize-parallel-loops,canonicalize,cse' %s | FileCheck %s
// RUN: noria opt --cpu=x86-64-v3 --pass-pipeline='vectorize-parallel-loops{lanes=4},canonicalize,cse' %s | FileCheck %s --check-prefix=FOUR
// RUN: noria opt --cpu=x86-64-v4 --pass-pipeline='vectorize-parallel-loops,canonicalize,cse' %s | FileCheck %s --check-prefix=V4
// RUN: noria opt --cpu=nehalem --pass-pipeline='vectorize-parallel-loops,canonicalize,cse' %s | FileCheck %s --check-prefix=SSE
// RUN: noria opt --cpu=x86-64-v3 --pass-pipeline='vectorize-parallel-loops{lanes=8},canonicalize,cse' --syntax=mlir %s | mlir-opt
// RUN: noria opt --cpu=x86-64-v3 --pass-pipeline=vectorize-parallel-loops --explain-vectorize %s 2>&1 >%t | FileCheck %s --check-prefix=WHY

// Four machine vectors of eight lanes, as what the loop carries leaves registers for; lanes that are through keep their values; the rest under a mask.
// CHECK-LABEL: func.func @halve
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c32
// CHECK: vector.load %{{.*}} : memref<?xf32>, vector<8xf32>
// CHECK: scf.while
// CHECK: scf.while (%[[Y:[^ ]*]] = {{.*}} : (vector<4x8xf32>, index) -> (vector<4x8xf32>
// CHECK: %[[GO:.*]] = arith.cmpf ogt, %[[Y]], %{{.*}} : vector<4x8xf32>
// CHECK: %[[M:.*]] = arith.mulf %[[Y]], %{{.*}} : vector<4x8xf32>
// CHECK: arith.select %[[GO]], %[[M]], %[[Y]] : vector<4x8xi1>, vector<4x8xf32>
// CHECK: %[[LOW:.*]] = vector.extract %[[GO]][0]
// CHECK: %[[HIGH:.*]] = vector.extract %[[GO]][1]
// CHECK: %[[BOTH:.*]] = arith.ori %[[LOW]], %[[HIGH]] : vector<8xi1>
// CHECK: %[[THIRD:.*]] = vector.extract %[[GO]][2]
// CHECK: %[[THREE:.*]] = arith.ori %[[BOTH]], %[[THIRD]] : vector<8xi1>
// CHECK: %[[LAST:.*]] = vector.extract %[[GO]][3]
// CHECK: %[[ALL:.*]] = arith.ori %[[THREE]], %[[LAST]] : vector<8xi1>
// CHECK: vector.reduction <or>, %[[ALL]] : vector<8xi1> into i1
// CHECK: {noria.most_trips = 1024 : i64}
// CHECK: vector.store
// CHECK: vector.create_mask %{{.*}} : vector<32xi1>
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
// V4-LABEL: func.func @halve
// V4: vector<4x16xf32>
// SSE-LABEL: func.func @halve
// SSE: vector<4x4xf32>
// WHY: :[[@LINE+7]]:3: remark: vectorized: 32 iterations take {{[0-9]+}} cycles one by one, {{[0-9]+}} in 32 lanes
func.func @halve(%a: memref<?xf32>, %o: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %n = memref.dim %a, %c0 : memref<?xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %x = memref.load %a[%i] : memref<?xf32>
    %r = scf.while (%y = %x) : (f32) -> f32 {
      %c = arith.cmpf ogt, %y, %one : f32
      scf.condition(%c) %y : f32
    } do {
    ^bb0(%y: f32):
      %m = arith.mulf %y, %half : f32
      scf.yield %m : f32
    }
    memref.store %r, %o[%i] : memref<?xf32>
    scf.reduce
  }
  return
}

// The condition loads, so the mask is carried, as numbers that AVX2 blends by; a branch that varies skips what no lane
// takes, and divides floats, by 1 in lanes that are off; the counter stays a scalar; an index that varies is a gather.
// FOUR-LABEL: func.func @find
// FOUR: scf.while (%[[K:[^ ]*]] = %c0, %[[S:[^ ]*]] = %{{[^,]*}}, %[[ON:[^ ]*]] = {{.*}} : (index, vector<4xi32>, vector<4xi64>
// FOUR: %[[ACTIVE:.*]] = arith.cmpi slt, %[[ON]], %{{.*}} : vector<4xi64>
// FOUR: vector.gather %{{.*}}[%c0] [%{{.*}}], %[[ACTIVE]], %{{.*}} : memref<?xi32>, vector<4xindex>, vector<4xi1>, vector<4xi32>
// FOUR: %[[GO:.*]] = arith.select %[[ACTIVE]], %{{.*}}, %{{.*}} : vector<4xi1>, vector<4xi1>
// FOUR: %[[ANY:.*]] = vector.reduction <or>, %[[GO]] : vector<4xi1> into i1
// FOUR: scf.condition(%[[ANY]])
// FOUR: ^bb0(%{{.*}}: index, %{{.*}}: vector<4xi32>, %[[MASK:.*]]: vector<4xi1>
// FOUR: %[[THEN:.*]] = arith.select %[[MASK]], %{{.*}}, %{{.*}} : vector<4xi1>, vector<4xi1>
// FOUR: %[[SOME:.*]] = vector.reduction <or>, %[[THEN]]
// FOUR: scf.if %[[SOME]] -> (vector<4xi32>) {
// FOUR: %[[BY:.*]] = arith.select %[[THEN]], %{{.*}}, %{{.*}} : vector<4xi1>, vector<4xi32>
// FOUR: %[[FLOAT:.*]] = arith.sitofp %[[BY]] : vector<4xi32> to vector<4xf64>
// FOUR: %[[QUOTIENT:.*]] = arith.divf %{{.*}}, %[[FLOAT]] : vector<4xf64>
// FOUR: arith.fptosi %[[QUOTIENT]] : vector<4xf64> to vector<4xi32>
// FOUR: arith.extsi %[[MASK]] : vector<4xi1> to vector<4xi64>
// FOUR: vector.scatter
func.func @find(%a: memref<?xi32>, %p: memref<?xi32>, %o: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %five = arith.constant 5 : i32
  %n = memref.dim %p, %c0 : memref<?xi32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %x = memref.load %p[%i] : memref<?xi32>
    %from = arith.index_cast %x : i32 to index
    %r:2 = scf.while (%k = %c0, %s = %z) : (index, i32) -> (index, i32) {
      %at = arith.addi %from, %k : index
      %v = memref.load %a[%at] : memref<?xi32>
      %c = arith.cmpi ne, %v, %z : i32
      scf.condition(%c) %k, %s : index, i32
    } do {
    ^bb0(%k: index, %s: i32):
      %c = arith.cmpi sgt, %s, %five : i32
      %s1 = scf.if %c -> (i32) {
        %q = arith.divsi %five, %s : i32
        scf.yield %q : i32
      } else {
        %q = arith.addi %s, %x : i32
        scf.yield %q : i32
      }
      %k1 = arith.addi %k, %c1 : index
      scf.yield %k1, %s1 : index, i32
    }
    memref.store %r#1, %o[%from] : memref<?xi32>
    scf.reduce
  }
  return
}

// The loop runs as often as the lane with the most iterations; partial sums in lanes.
// FOUR-LABEL: func.func @sum
// FOUR: scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (vector<4xi64>) {
// FOUR: %[[MOST:.*]] = vector.reduction <maxui>, %[[TRIPS:.*]] : vector<4xi64> into i64
// FOUR: scf.for %[[N:.*]] = %c0_i64 to %{{.*}} step %c1_i64
// FOUR: %[[ALL:.*]] = vector.broadcast %[[N]] : i64 to vector<4xi64>
// FOUR: %[[ON:.*]] = arith.cmpi ugt, %[[TRIPS]], %[[ALL]] : vector<4xi64>
// FOUR: arith.select %[[ON]]
// FOUR: arith.addi %[[SUM]], %{{.*}} : vector<4xi64>
// FOUR: vector.reduction <add>, %{{.*}} : vector<4xi64> into i64
func.func @sum(%a: memref<?xi64>, %init: i64) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = memref.dim %a, %c0 : memref<?xi64>
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%init) -> i64 {
    %x = memref.load %a[%i] : memref<?xi64>
    %s = scf.for %k = %z to %x step %one iter_args(%t = %x) -> (i64) : i64 {
      %t1 = arith.xori %t, %k : i64
      scf.yield %t1 : i64
    }
    scf.reduce(%s : i64) {
    ^bb0(%p: i64, %q: i64):
      %u = arith.addi %p, %q : i64
      scf.reduce.return %u : i64
    }
  }
  return %r : i64
}

func.func private @f(i32) -> i1

// WHY: :[[#@LINE+6]]:3: remark: not vectorized: 'func.call' op at [[@LINE+9]]:12 calls a function
// WHY: note: 'func.call' op is here
func.func @calls(%a: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xi32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %x = memref.load %a[%i] : memref<?xi32>
    scf.while (%y = %x) : (i32) -> i32 {
      %c = func.call @f(%y) : (i32) -> i1
      scf.condition(%c) %y : i32
    } do {
    ^bb0(%y: i32):
      scf.yield %y : i32
    }
    scf.reduce
  }
  return
}

// WHY: :[[@LINE+6]]:3: remark: not vectorized: it has too few iterations
func.func @few(%a: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %n = arith.constant 3 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %x = memref.load %a[%i] : memref<?xi32>
    %r = scf.while (%y = %x) : (i32) -> i32 {
      %c = arith.cmpi sgt, %y, %z : i32
      scf.condition(%c) %y : i32
    } do {
    ^bb0(%y: i32):
      %m = arith.subi %y, %x : i32
      scf.yield %m : i32
    }
    memref.store %r, %a[%i] : memref<?xi32>
    scf.reduce
  }
  return
}

// An scf.for is taken if its iterations are independent.
// CHECK-LABEL: func.func @rows
// CHECK: scf.for
// CHECK-NOT: vector<
// WHY: :[[@LINE+6]]:3: remark: not vectorized: its iterations may depend on each other
func.func @rows(%a: memref<?xi32>, %b: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %n = memref.dim %a, %c0 : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %a[%i] : memref<?xi32>
    %r = scf.while (%y = %x) : (i32) -> i32 {
      %c = arith.cmpi sgt, %y, %z : i32
      scf.condition(%c) %y : i32
    } do {
    ^bb0(%y: i32):
      %m = arith.subi %y, %x : i32
      scf.yield %m : i32
    }
    memref.store %r, %b[%i] : memref<?xi32>
  }
  return
}
