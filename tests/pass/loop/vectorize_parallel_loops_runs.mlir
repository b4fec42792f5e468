// RUN: noria opt --cpu=x86-64-v4 --vectorize-parallel-loops %s | FileCheck %s

// An inner loop that goes along a row, and carries nothing, has vectors of its own iterations: lanes would scatter what it writes.
// CHECK-LABEL: func.func @runs
// CHECK-NOT: vector.
// CHECK: return
func.func @runs(%begins: memref<?xi32>, %n: index, %x: memref<?xi32>, %out: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%r) = (%c0) to (%n) step (%c1) {
    %next = arith.addi %r, %c1 : index
    %begin32 = memref.load %begins[%r] : memref<?xi32>
    %end32 = memref.load %begins[%next] : memref<?xi32>
    %begin = arith.index_cast %begin32 : i32 to index
    %end = arith.index_cast %end32 : i32 to index
    scf.for %i = %begin to %end step %c1 {
      %a = memref.load %x[%i] : memref<?xi32>
      %b = arith.muli %a, %a : i32
      %c = arith.addi %b, %begin32 : i32
      %d = arith.xori %c, %end32 : i32
      %e = arith.minui %d, %a : i32
      %f = arith.maxsi %e, %begin32 : i32
      %g = arith.muli %f, %a : i32
      %h = arith.addi %g, %b : i32
      %at = arith.addi %i, %c1 : index
      memref.store %h, %out[%at] : memref<?xi32>
    }
    scf.reduce
  }
  return
}

// What such a loop carries, each iteration waits for.
// CHECK-LABEL: func.func @products
// CHECK: vector.gather
func.func @products(%begins: memref<?xi32>, %n: index, %x: memref<?xi32>, %out: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  scf.parallel (%r) = (%c0) to (%n) step (%c1) {
    %next = arith.addi %r, %c1 : index
    %begin32 = memref.load %begins[%r] : memref<?xi32>
    %end32 = memref.load %begins[%next] : memref<?xi32>
    %begin = arith.index_cast %begin32 : i32 to index
    %end = arith.index_cast %end32 : i32 to index
    %product = scf.for %i = %begin to %end step %c1 iter_args(%acc = %one) -> (i32) {
      %y = memref.load %x[%i] : memref<?xi32>
      %more = arith.muli %acc, %y : i32
      scf.yield %more : i32
    }
    memref.store %product, %out[%r] : memref<?xi32>
    scf.reduce
  }
  return
}
