// RUN: noria opt --cpu=x86-64-v3 --pipeline --stop-after=kernel %s | FileCheck %s

// Passes that make another loop of one that says that it stays scalar keep what it says.
// CHECK-NOT: vector<
func.func @halves(%a: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %n = memref.dim %a, %c0 : memref<?xi32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %x = memref.load %a[%i] : memref<?xi32>
    %r = scf.while (%y = %x) : (i32) -> i32 {
      %c = arith.cmpi sgt, %y, %one : i32
      scf.condition(%c) %y : i32
    } do {
    ^bb0(%y: i32):
      %m = arith.shrsi %y, %one : i32
      scf.yield %m : i32
    }
    memref.store %r, %a[%i] : memref<?xi32>
    scf.reduce
  } {noria.loop = {vectorize = false}}
  return
}

func.func @forall(%a: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %n = memref.dim %a, %c0 : memref<?xi32>
  scf.forall (%i) in (%n) {
    %x = memref.load %a[%i] : memref<?xi32>
    %r = scf.while (%y = %x) : (i32) -> i32 {
      %c = arith.cmpi sgt, %y, %one : i32
      scf.condition(%c) %y : i32
    } do {
    ^bb0(%y: i32):
      %m = arith.shrsi %y, %one : i32
      scf.yield %m : i32
    }
    memref.store %r, %a[%i] : memref<?xi32>
  } {noria.loop = {vectorize = false}}
  return
}


func.func @nest(%a: memref<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %m = memref.dim %a, %c0 : memref<?x?xi32>
  %n = memref.dim %a, %c1 : memref<?x?xi32>
  scf.parallel (%i) = (%c0) to (%m) step (%c1) {
    scf.parallel (%j) = (%c0) to (%n) step (%c1) {
      %x = memref.load %a[%i, %j] : memref<?x?xi32>
      %r = scf.while (%y = %x) : (i32) -> i32 {
        %c = arith.cmpi sgt, %y, %one : i32
        scf.condition(%c) %y : i32
      } do {
      ^bb0(%y: i32):
        %h = arith.shrsi %y, %one : i32
        scf.yield %h : i32
      }
      memref.store %r, %a[%i, %j] : memref<?x?xi32>
      scf.reduce
    } {noria.loop = {vectorize = false}}
    scf.reduce
  } {noria.loop = {vectorize = false}}
  return
}
