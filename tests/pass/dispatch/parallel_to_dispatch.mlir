// RUN: noria opt --cpu=sapphirerapids --pass-pipeline=parallel-to-dispatch,canonicalize,cse %s | FileCheck %s
// RUN: noria opt --pass-pipeline="parallel-to-dispatch{min-dispatch-ns=2000 min-workgroup-ns=500}" %s > %t.mlir
// RUN: noria run --interpret --entry=sums %s 70 11 > %t.few
// RUN: noria run --entry=sums %t.mlir 70 11 | diff - %t.few
// RUN: noria run --interpret --entry=sums %s 7001 11 > %t.many
// RUN: noria run --entry=sums %s 7001 11 | diff - %t.many
// RUN: noria run --entry=sums %t.mlir 7001 11 | diff - %t.many
// RUN: noria run --entry=sums %t.mlir 7001 11 --threads=4 | diff - %t.many
// RUN: noria run --entry=sums %t.mlir 9 9001 --threads=4 > %t.wide
// RUN: noria run --interpret --entry=sums %t.mlir 9 9001 | diff - %t.wide
// RUN: noria run --interpret --entry=sums %s 9 9001 | diff - %t.wide
// RUN: noria run --entry=sums %s 0 9001 | FileCheck %s --check-prefix=NONE
// RUN: noria run --interpret --entry=shared %t.mlir 5000 > %t.shared
// RUN: noria run --entry=shared %t.mlir 5000 --threads=4 | diff - %t.shared
// RUN: noria run --interpret --entry=shared %s 5000 | diff - %t.shared
// RUN: noria run --check-stages --entry=shared %t.mlir 5000 | diff - %t.shared
// RUN: not noria run --entry=stops %s 99999 2>&1 | FileCheck %s --check-prefix=STOPS

// The number of points is known: no test. 1000 points of some 100 ops are expected to take more than 20 us and are
// dispatched, 100 points of one are not. A tile that divides their number makes all workgroups equal.
// CHECK-LABEL: flow.executable private @known_parallel_0 {
// CHECK-NEXT: flow.executable.export public @known_parallel_0
// CHECK-NEXT: builtin.module {
// CHECK-NEXT: func.func @known_parallel_0(
// CHECK-SAME: %[[M:.*]]: memref<1000xi32> {noria.noalias}, %[[X:.*]]: index, %{{.*}}: index, %{{.*}}: index) attributes {noria.dispatch}
// CHECK: %[[TILE:.*]] = arith.constant 50 : index
// CHECK: %[[FIRST:.*]] = arith.muli %[[X]], %[[TILE]] : index
// CHECK: scf.parallel (%[[K:.*]]) = (%{{.*}}) to (%[[TILE]]) step
// CHECK: %[[I:.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK: memref.store %{{.*}}, %[[M]][%[[I]]]
// CHECK-LABEL: func.func @known(
// CHECK-NOT: scf.if
// CHECK: rt.dispatch @known_parallel_0::@known_parallel_0[%c20] (%arg0) : memref<1000xi32>
// CHECK: scf.parallel
// CHECK-NOT: rt.dispatch
// CHECK: return
func.func @known(%m: memref<1000xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %c1000 = arith.constant 1000 : index
  %k = arith.constant 13 : i32
  scf.parallel (%i) = (%c0) to (%c1000) step (%c1) {
    %v = arith.index_cast %i : index to i32
    %r = scf.for %j = %c0 to %c100 step %c1 iter_args(%a = %v) -> i32 {
      %b = arith.muli %a, %k : i32
      scf.yield %b : i32
    }
    memref.store %r, %m[%i] : memref<1000xi32>
  }
  scf.parallel (%i) = (%c0) to (%c100) step (%c1) {
    memref.store %k, %m[%i] : memref<1000xi32>
  }
  return
}

// Each workgroup leaves what it reduced to; the host reduces that, from the initial values on.
// CHECK-LABEL: flow.executable private @sums_parallel_1 {
// CHECK: %[[R:.*]]:2 = scf.parallel
// CHECK: scf.reduce
// CHECK: %[[GY:.*]] = arith.muli %[[Y:.*]], %[[GX:.*]] : index
// CHECK: %[[ID:.*]] = arith.addi %[[X:.*]], %[[GY]] : index
// CHECK: memref.store %[[R]]#0, %{{.*}}[%[[ID]]] : memref<?xi64>
// CHECK: memref.store %[[R]]#1, %{{.*}}[%[[ID]]] : memref<?xi32>
// CHECK-LABEL: func.func @sums(
// CHECK: rt.dispatch @sums_parallel_0::@sums_parallel_0[
// CHECK: %[[WORTH:.*]] = arith.cmpi uge, %{{.*}}, %{{.*}} : index
// CHECK: scf.if %[[WORTH]] -> (i64, i32) {
// CHECK: %[[N:.*]] = arith.muli %[[G0:.*]], %[[G1:.*]] : index
// CHECK: %[[P:.*]] = memref.alloc(%[[N]]) : memref<?xi64>
// CHECK: rt.dispatch @sums_parallel_1::@sums_parallel_1[%[[G0]], %[[G1]]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[N]] step %{{.*}} iter_args
// CHECK: memref.dealloc %[[P]]
// CHECK: } else {
// CHECK: scf.parallel
// NONE: 40 : i64
// NONE-NEXT: 100 : i32
func.func @sums(%n: index, %m: index) -> (i64, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 40 : i64
  %h = arith.constant 100 : i32
  %buf = memref.alloc(%n, %m) : memref<?x?xi32>
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) {
    %a = arith.muli %i, %m : index
    %b = arith.addi %a, %j : index
    %v = arith.index_cast %b : index to i32
    %w = arith.muli %v, %v : i32
    memref.store %w, %buf[%i, %j] : memref<?x?xi32>
  }
  %r:2 = scf.parallel (%i, %j) = (%c0, %c1) to (%n, %m) step (%c1, %c3) init (%z, %h) -> (i64, i32) {
    %x = memref.load %buf[%i, %j] : memref<?x?xi32>
    %y = arith.extsi %x : i32 to i64
    scf.reduce(%y, %x : i64, i32) {
    ^bb0(%p: i64, %q: i64):
      %s = arith.addi %p, %q : i64
      scf.reduce.return %s : i64
    }, {
    ^bb0(%p: i32, %q: i32):
      %s = arith.minsi %p, %q : i32
      scf.reduce.return %s : i32
    }
  }
  memref.dealloc %buf : memref<?x?xi32>
  return %r#0, %r#1 : i64, i32
}

// A buffer that may overlap another one is not marked; one inside of the body is each point's own.
// CHECK-LABEL: flow.executable private @own_parallel_0 {
// CHECK: func.func @own_parallel_0(%{{.*}}: memref<?xf32>, %{{.*}}: memref<?xf32>,
// CHECK: scf.parallel
// CHECK: memref.alloc()
// CHECK-LABEL: func.func @own(
func.func @own(%n: index, %a: memref<?xf32>, %b: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %t = memref.alloc() : memref<4xf32>
    %v = memref.load %a[%i] : memref<?xf32>
    memref.store %v, %t[%c1] : memref<4xf32>
    %w = memref.load %t[%c1] : memref<4xf32>
    memref.store %w, %b[%i] : memref<?xf32>
    memref.dealloc %t : memref<4xf32>
  }
  return
}

// A reduction without a neutral element stays.
// CHECK-LABEL: func.func @last
// CHECK-NOT: rt.dispatch
// CHECK: return
func.func @last(%n: index, %z: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%z) -> index {
    scf.reduce(%i : index) {
    ^bb0(%p: index, %q: index):
      scf.reduce.return %q : index
    }
  }
  return %r : index
}

// What fails in a workgroup ends the run.
// STOPS: a point too far
func.func @stops(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.constant 77777 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %ok = arith.cmpi ne, %i, %last : index
    cf.assert %ok, "a point too far"
  }
  return
}

// An executable has all that it needs in its own module: copies of functions, and of the constants that they read. A
// buffer that is written is the host's, and is given to it. Equal loops share an executable.
// CHECK-LABEL: flow.executable private @shared_parallel_0 {
// CHECK: func.func @shared_parallel_0(%[[SUM:[^:]*]]: memref<4xi32>, %{{[^:]*}}: memref<?xi32>
// CHECK: %[[V:.*]] = func.call @look_up(
// CHECK: memref.load %[[SUM]][
// CHECK: func.func private @look_up(
// CHECK: memref.get_global @table
// CHECK: memref.global "private" constant @table
// CHECK-NOT: memref.global
// CHECK-NOT: flow.executable
// CHECK-LABEL: func.func @shared(
// CHECK: rt.dispatch @shared_parallel_0::@shared_parallel_0[
// CHECK: rt.dispatch @shared_parallel_0::@shared_parallel_0[
memref.global "private" constant @table : memref<4xi32> = dense<[3, 1, 4, 1]>
memref.global "private" @counts : memref<4xi32> = dense<[1, 2, 3, 4]>
func.func private @look_up(%i: index) -> i32 {
  %c4 = arith.constant 4 : index
  %t = memref.get_global @table : memref<4xi32>
  %k = arith.remui %i, %c4 : index
  %v = memref.load %t[%k] : memref<4xi32>
  return %v : i32
}
func.func @shared(%n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %m = memref.alloc(%n) : memref<?xi32>
  %w = memref.get_global @counts : memref<4xi32>
  memref.store %z, %w[%c0] : memref<4xi32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %g = memref.get_global @counts : memref<4xi32>
    %v = func.call @look_up(%i) : (index) -> i32
    %u = memref.load %g[%c1] : memref<4xi32>
    %s = arith.addi %v, %u : i32
    memref.store %s, %m[%i] : memref<?xi32>
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %g = memref.get_global @counts : memref<4xi32>
    %v = func.call @look_up(%i) : (index) -> i32
    %u = memref.load %g[%c1] : memref<4xi32>
    %s = arith.addi %u, %v : i32
    memref.store %s, %m[%i] : memref<?xi32>
  }
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z) -> i32 {
    %v = memref.load %m[%i] : memref<?xi32>
    %b = arith.addi %a, %v : i32
    scf.yield %b : i32
  }
  memref.dealloc %m : memref<?xi32>
  return %r : i32
}

// A loop that calls a function which writes to the host's buffer stays.
// CHECK-LABEL: func.func @of_host(
// CHECK-NOT: rt.dispatch
// CHECK: return
func.func private @count(%i: index) {
  %z = arith.constant 5 : i32
  %t = memref.get_global @counts : memref<4xi32>
  %v = memref.atomic_rmw addi %z, %t[%i] : (i32, memref<4xi32>) -> i32
  return
}
func.func @of_host(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    func.call @count(%c1) : (index) -> ()
  }
  return
}
