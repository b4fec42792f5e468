// What compiled code asks of the runtime.
// RUN: noria opt %s | FileCheck %s

// CHECK-LABEL: func.func @ops
// CHECK-SAME: (%[[C:.*]]: i1, %[[I:.*]]: index, %[[M:.*]]: memref<?xf32>)
func.func @ops(%c: i1, %i: index, %m: memref<?xf32>) {
  // CHECK-NEXT: rt.check %[[C]], "it holds"{{$}}
  rt.check %c, "it holds"
  // CHECK-NEXT: rt.check %[[C]], "%0 is less than %1"(%[[I]], %[[I]] : index, index) {node = "gather"}
  rt.check %c, "%0 is less than %1"(%i, %i : index, index) {node = "gather"}
  // CHECK-NEXT: rt.poll %[[I]]
  rt.poll %i
  // CHECK-NEXT: rt.threads
  %t = rt.threads
  // CHECK: rt.libm "hypot"(%[[D:.*]], %[[D]]) : f64
  %d = arith.constant 3.0 : f64
  %h = rt.libm "hypot"(%d, %d) : f64
  // CHECK: rt.dot %{{.*}}, %[[B:.*]], %[[B]] : vector<4xi32>, vector<16xi8>
  %acc = arith.constant dense<0> : vector<4xi32>
  %bytes = arith.constant dense<1> : vector<16xi8>
  %dot = rt.dot %acc, %bytes, %bytes : vector<4xi32>, vector<16xi8>
  // CHECK: %[[P:.*]] = rt.pointer %[[M]][%[[I]]] : memref<?xf32> -> memref<?xi8>
  %p = rt.pointer %m[%i] : memref<?xf32> -> memref<?xi8>
  // CHECK-NEXT: rt.pointer %[[P]] : memref<?xi8> -> memref<?xi64, 3>
  %q = rt.pointer %p : memref<?xi8> -> memref<?xi64, 3>
  // CHECK-NEXT: rt.copy %[[M]][%[[I]]], %[[M]][%[[I]]], %[[I]] : memref<?xf32>, memref<?xf32>
  rt.copy %m[%i], %m[%i], %i : memref<?xf32>, memref<?xf32>
  // CHECK-NEXT: rt.enter "no stack is left"{{$}}
  rt.enter "no stack is left"
  // CHECK-NEXT: %{{.*}}:2 = rt.call "name"(%[[M]], %[[I]]) : (memref<?xf32>, index) -> (memref<?xi64>, i1)
  %0:2 = rt.call "name"(%m, %i) : (memref<?xf32>, index) -> (memref<?xi64>, i1)
  // CHECK-NEXT: rt.dispatch @kernel[%[[I]], %[[I]]] (%[[M]]) : memref<?xf32>
  rt.dispatch @kernel[%i, %i](%m) : memref<?xf32>
  return
}
func.func private @kernel(memref<?xf32>, index, index, index)
