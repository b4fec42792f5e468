// RUN: noria opt --pass-pipeline=lower-vectors %s | FileCheck %s
// RUN: noria opt --pass-pipeline=lower-vectors %s | noria opt - -o /dev/null
// The interpreter on what the pass has made, and machine code, give what the interpreter gives before it.
// RUN: noria run --check-stages --entry=all %s 1 2>&1 | FileCheck %s --check-prefix=STAGES
// STAGES: outcomes are that of 'import'

// Where there are masks, the ops on one row come before those on the next.
// CHECK-LABEL: func.func private @masked(
// CHECK-SAME: %[[A:.*]]: vector<4xf32>, %[[B:.*]]: vector<4xf32>, %[[Z:.*]]: vector<4xf32>)
// CHECK-NEXT: %[[M0:.*]] = arith.cmpf ogt, %[[A]], %[[Z]]
// CHECK-NEXT: %[[S0:.*]] = arith.addf %[[A]], %[[Z]]
// CHECK-NEXT: %[[R0:.*]] = arith.select %[[M0]], %[[S0]], %[[A]]
// CHECK-NEXT: %[[M1:.*]] = arith.cmpf ogt, %[[B]], %[[Z]]
// CHECK-NEXT: %[[S1:.*]] = arith.addf %[[B]], %[[Z]]
// CHECK-NEXT: %[[R1:.*]] = arith.select %[[M1]], %[[S1]], %[[B]]
// CHECK-NEXT: %[[ANY:.*]] = arith.ori %[[M0]], %[[M1]]
// CHECK-NEXT: return %[[R0]], %[[R1]], %[[ANY]]
func.func private @masked(%a: vector<2x4xf32>, %z: vector<4xf32>) -> (vector<2x4xf32>, vector<4xi1>) {
  %both = vector.broadcast %z : vector<4xf32> to vector<2x4xf32>
  %m = arith.cmpf ogt, %a, %both : vector<2x4xf32>
  %s = arith.addf %a, %both : vector<2x4xf32>
  %r = arith.select %m, %s, %a : vector<2x4xi1>, vector<2x4xf32>
  %m0 = vector.extract %m[0] : vector<4xi1> from vector<2x4xi1>
  %m1 = vector.extract %m[1] : vector<4xi1> from vector<2x4xi1>
  %any = arith.ori %m0, %m1 : vector<4xi1>
  return %r, %any : vector<2x4xf32>, vector<4xi1>
}

// Element-wise ops, constants and the arguments and results of functions: row by row.
// CHECK-LABEL: func.func private @rows(
// CHECK-SAME: %[[A:.*]]: vector<4xf32>, %[[B:.*]]: vector<4xf32>, %{{.*}}: i1) -> (vector<4xf32>, vector<4xf32>, i1)
// CHECK: %[[K0:.*]] = arith.constant dense<[1.0{{.*}}, 2.0{{.*}}, 3.0{{.*}}, 4.0{{.*}}]> : vector<4xf32>
// CHECK: %[[K1:.*]] = arith.constant dense<5.0{{.*}}> : vector<4xf32>
// CHECK: %[[S0:.*]] = arith.addf %[[A]], %[[K0]] fastmath<nnan> : vector<4xf32>
// CHECK: %[[S1:.*]] = arith.addf %[[B]], %[[K1]] fastmath<nnan> : vector<4xf32>
// CHECK: math.fma %[[S0]], %[[S0]], %[[A]] : vector<4xf32>
// CHECK: math.fma %[[S1]], %[[S1]], %[[B]] : vector<4xf32>
func.func private @rows(%a: vector<2x4xf32>, %c: i1) -> (vector<2x4xf32>, i1) {
  %k = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 5.0, 5.0, 5.0]]> : vector<2x4xf32>
  %s = arith.addf %a, %k fastmath<nnan> : vector<2x4xf32>
  %f = vector.fma %s, %s, %a : vector<2x4xf32>
  %g = arith.select %c, %f, %s : vector<2x4xf32>
  return %g, %c : vector<2x4xf32>, i1
}

// Calls, and blocks: what comes around a loop.
// CHECK-LABEL: func.func @loop
// CHECK: cf.br ^[[HEAD:.*]](%{{.*}}, %{{.*}}, %{{.*}} : index, vector<4xf32>, vector<4xf32>)
// CHECK: ^[[HEAD]](%{{.*}}: index, %[[X:.*]]: vector<4xf32>, %[[Y:.*]]: vector<4xf32>):
// CHECK: %[[R:.*]]:3 = {{(func.)?}}call @rows(%[[X]], %[[Y]], %{{.*}}) : (vector<4xf32>, vector<4xf32>, i1) -> (vector<4xf32>, vector<4xf32>, i1)
// CHECK: cf.cond_br %{{.*}}, ^[[HEAD]](%{{.*}}, %[[R]]#0, %[[R]]#1 : index, vector<4xf32>, vector<4xf32>)
func.func @loop(%n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %z = arith.constant dense<0.0> : vector<2x4xf32>
  cf.br ^head(%c0, %z : index, vector<2x4xf32>)
^head(%i: index, %v: vector<2x4xf32>):
  %w:2 = func.call @rows(%v, %true) : (vector<2x4xf32>, i1) -> (vector<2x4xf32>, i1)
  %next = arith.addi %i, %c1 : index
  %more = arith.cmpi slt, %next, %n : index
  cf.cond_br %more, ^head(%next, %w#0 : index, vector<2x4xf32>), ^end
^end:
  %x = vector.extract %w#0[1, 2] : f32 from vector<2x4xf32>
  return %x : f32
}

// A function as a value: its type changes too.
// CHECK-LABEL: func.func @indirect
// CHECK: constant @rows : (vector<4xf32>, vector<4xf32>, i1) -> (vector<4xf32>, vector<4xf32>, i1)
// CHECK: call_indirect %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}) : (vector<4xf32>, vector<4xf32>, i1) -> (vector<4xf32>, vector<4xf32>, i1)
func.func @indirect(%c: i1) -> f32 {
  %f = func.constant @rows : (vector<2x4xf32>, i1) -> (vector<2x4xf32>, i1)
  %z = arith.constant dense<0.5> : vector<2x4xf32>
  %w:2 = func.call_indirect %f(%z, %c) : (vector<2x4xf32>, i1) -> (vector<2x4xf32>, i1)
  %x = vector.extract %w#0[0, 3] : f32 from vector<2x4xf32>
  return %x : f32
}

// Rows of a position that is known are the values themselves; else they are read from memory.
// CHECK-LABEL: func.func private @positions
// CHECK: %[[SLOT:.*]] = memref.alloca() {alignment = 64 : i64} : memref<3x2xf32>
// CHECK: vector.store %arg0, %[[SLOT]][%{{.*}}, %{{.*}}]
// CHECK: vector.store %arg1, %[[SLOT]]
// CHECK: vector.store %arg2, %[[SLOT]]
// CHECK: %[[ROW:.*]] = vector.load %[[SLOT]][%arg3, %{{.*}}] : memref<3x2xf32>, vector<2xf32>
// CHECK: return %arg1, %[[ROW]]
func.func private @positions(%v: vector<3x2xf32>, %i: index) -> (vector<2xf32>, vector<2xf32>) {
  %a = vector.extract %v[1] : vector<2xf32> from vector<3x2xf32>
  %b = vector.extract %v[%i] : vector<2xf32> from vector<3x2xf32>
  return %a, %b : vector<2xf32>, vector<2xf32>
}

// Slices, shape casts, interleaving and transposing are shuffles.
// CHECK-LABEL: func.func private @moves
// CHECK: vector.shuffle %arg0, %arg0 [1, 2] : vector<4xf32>, vector<4xf32>
// CHECK: vector.shuffle %arg0, %arg1 [0, 1, 2, 3, 4, 5, 6, 7]
// CHECK: vector.shuffle %arg0, %arg1 [0, 4, 1, 5, 2, 6, 3, 7]
// CHECK: vector.extract %arg0[0]
// CHECK: vector.extract %arg1[0]
// CHECK-NOT: vector.{{(extract_strided_slice|shape_cast|interleave|transpose)}}
// CHECK: return
func.func private @moves(%v: vector<2x4xf32>) -> (vector<1x2xf32>, vector<8xf32>, vector<8xf32>, vector<4x2xf32>) {
  %slice = vector.extract_strided_slice %v {offsets = [0, 1], sizes = [1, 2], strides = [1, 1]} : vector<2x4xf32> to vector<1x2xf32>
  %flat = vector.shape_cast %v : vector<2x4xf32> to vector<8xf32>
  %a = vector.extract %v[0] : vector<4xf32> from vector<2x4xf32>
  %b = vector.extract %v[1] : vector<4xf32> from vector<2x4xf32>
  %both = vector.interleave %a, %b : vector<4xf32> -> vector<8xf32>
  %t = vector.transpose %v, [1, 0] : vector<2x4xf32> to vector<4x2xf32>
  return %slice, %flat, %both, %t : vector<1x2xf32>, vector<8xf32>, vector<8xf32>, vector<4x2xf32>
}

// Any order of any number of dims; the last one in its place moves whole rows.
// CHECK-LABEL: func.func private @turned
// CHECK-NEXT: return %arg0, %arg2, %arg4, %arg1, %arg3, %arg5
func.func private @turned(%v: vector<3x2x4xf32>) -> vector<2x3x4xf32> {
  %t = vector.transpose %v, [1, 0, 2] : vector<3x2x4xf32> to vector<2x3x4xf32>
  return %t : vector<2x3x4xf32>
}

// A transfer reads rows under masks; lanes that lie apart are gathered.
// CHECK-LABEL: func.func private @transfers
// CHECK: %[[N:.*]] = memref.dim %arg0
// CHECK: %[[LEFT:.*]] = arith.subi %[[N]], %arg3
// CHECK: %[[MASK:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : vector<4xi32>
// CHECK: vector.maskedload %arg0[%arg2, %arg3], %[[MASK]]
// CHECK: %[[NEXT:.*]] = arith.addi %arg2, %{{.*}} overflow<nsw> : index
// CHECK: vector.maskedload %arg0[%[[NEXT]], %arg3], %[[MASK]]
// CHECK: %[[STEP:.*]] = vector.step : vector<4xindex>
// CHECK: vector.scatter %arg1[%arg2, %arg3] [%[[STEP]]]
func.func private @transfers(%m: memref<8x?xf32>, %t: memref<8x?xf32, strided<[?, 2]>>, %i: index, %j: index) {
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %m[%i, %j], %p {in_bounds = [true, false]} : memref<8x?xf32>, vector<2x4xf32>
  vector.transfer_write %v, %t[%i, %j] {in_bounds = [true, true]} : vector<2x4xf32>, memref<8x?xf32, strided<[?, 2]>>
  return
}

// An element of a buffer that is a vector of rows is loaded and stored whole.
// CHECK-LABEL: func.func private @elements
// CHECK: %[[V:.*]] = memref.load %arg0[%arg1] : memref<2xvector<2x4xf32>>
// CHECK-DAG: %[[R0:.*]] = vector.extract %[[V]][0] : vector<4xf32> from vector<2x4xf32>
// CHECK-DAG: %[[R1:.*]] = vector.extract %[[V]][1]
// CHECK: %[[S0:.*]] = arith.addf %[[R0]], %[[R0]] : vector<4xf32>
// CHECK: %[[S1:.*]] = arith.addf %[[R1]], %[[R1]] : vector<4xf32>
// CHECK: %[[W0:.*]] = vector.insert %[[S0]], %{{.*}} [0]
// CHECK: %[[W1:.*]] = vector.insert %[[S1]], %[[W0]] [1]
// CHECK: memref.store %[[W1]], %arg0[%arg1]
func.func private @elements(%m: memref<2xvector<2x4xf32>>, %i: index) {
  %v = memref.load %m[%i] : memref<2xvector<2x4xf32>>
  %s = arith.addf %v, %v : vector<2x4xf32>
  memref.store %s, %m[%i] : memref<2xvector<2x4xf32>>
  return
}

// Reductions: rows by an op of arith, lanes by vector.reduction.
// CHECK-LABEL: func.func private @reduced
// CHECK: arith.maxsi %arg2, %arg0 : vector<3xi32>
// CHECK: arith.maxsi %{{.*}}, %arg1 : vector<3xi32>
// CHECK: vector.reduction <add>, %arg0, %arg3 : vector<3xi32> into i32
// CHECK: vector.reduction <add>, %arg1, %{{.*}} : vector<3xi32> into i32
func.func private @reduced(%v: vector<2x3xi32>, %acc: vector<3xi32>, %x: i32) -> (vector<3xi32>, i32) {
  %a = vector.multi_reduction <maxsi>, %v, %acc [0] : vector<2x3xi32> to vector<3xi32>
  %b = vector.multi_reduction <add>, %v, %x [0, 1] : vector<2x3xi32> to i32
  return %a, %b : vector<3xi32>, i32
}

// CHECK-LABEL: func.func private @no_dims(
// CHECK-SAME: %[[V:.*]]: vector<1xf32>) -> f32
// CHECK: vector.reduction <add>, %[[V]] : vector<1xf32> into f32
func.func private @no_dims(%v: vector<f32>) -> f32 {
  %x = vector.reduction <add>, %v : vector<f32> into f32
  return %x : f32
}

func.func @all(%i: index) -> (f32, f32, f32, f32, i32, f32, f32) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %true = arith.constant true
  %p = arith.constant -1.0 : f32
  %a = func.call @loop(%c3) : (index) -> f32
  %b = func.call @indirect(%true) : (i1) -> f32
  %v = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : vector<3x2xf32>
  %r:2 = func.call @positions(%v, %i) : (vector<3x2xf32>, index) -> (vector<2xf32>, vector<2xf32>)
  %sum = arith.addf %r#0, %r#1 : vector<2xf32>
  %c = vector.reduction <add>, %sum : vector<2xf32> into f32
  %k = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : vector<2x4xf32>
  %m:4 = func.call @moves(%k) : (vector<2x4xf32>) -> (vector<1x2xf32>, vector<8xf32>, vector<8xf32>, vector<4x2xf32>)
  %both = vector.fma %m#1, %m#2, %m#2 : vector<8xf32>
  %t = vector.shape_cast %m#3 : vector<4x2xf32> to vector<8xf32>
  %turned = arith.mulf %both, %t : vector<8xf32>
  %d = vector.reduction <add>, %turned : vector<8xf32> into f32
  %ints = arith.constant dense<[[1, 2, 3], [4, 5, -6]]> : vector<2x3xi32>
  %acc = arith.constant dense<2> : vector<3xi32>
  %x = arith.constant 7 : i32
  %s:2 = func.call @reduced(%ints, %acc, %x) : (vector<2x3xi32>, vector<3xi32>, i32) -> (vector<3xi32>, i32)
  %e0 = vector.reduction <mul>, %s#0 : vector<3xi32> into i32
  %e = arith.addi %e0, %s#1 : i32
  %buffer = memref.alloca() : memref<8x3xf32>
  %apart = memref.alloca() : memref<8x16xf32>
  %columns = memref.subview %apart[0, 0] [8, 8] [1, 2] : memref<8x16xf32> to memref<8x8xf32, strided<[16, 2]>>
  %full = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : vector<2x3xf32>
  %c1 = arith.constant 1 : index
  vector.store %full, %buffer[%i, %c0] : memref<8x3xf32>, vector<2x3xf32>
  %lent = memref.cast %buffer : memref<8x3xf32> to memref<8x?xf32>
  %spread = memref.cast %columns : memref<8x8xf32, strided<[16, 2]>> to memref<8x?xf32, strided<[?, 2]>>
  func.call @transfers(%lent, %spread, %i, %c1) : (memref<8x?xf32>, memref<8x?xf32, strided<[?, 2]>>, index, index) -> ()
  %back = vector.transfer_read %columns[%i, %c1], %p {in_bounds = [true, true]} : memref<8x8xf32, strided<[16, 2]>>, vector<2x4xf32>
  %zero = arith.constant 0.0 : f32
  %f = vector.multi_reduction <add>, %back, %zero [0, 1] : vector<2x4xf32> to f32
  %cells = memref.alloca() : memref<2xvector<2x4xf32>>
  memref.store %back, %cells[%i] : memref<2xvector<2x4xf32>>
  func.call @elements(%cells, %i) : (memref<2xvector<2x4xf32>>, index) -> ()
  %cell = memref.load %cells[%i] : memref<2xvector<2x4xf32>>
  %g = vector.extract %cell[%i, %c2] : f32 from vector<2x4xf32>
  %single = vector.broadcast %g : f32 to vector<f32>
  %h = func.call @no_dims(%single) : (vector<f32>) -> f32
  return %a, %b, %c, %d, %e, %f, %h : f32, f32, f32, f32, i32, f32, f32
}
