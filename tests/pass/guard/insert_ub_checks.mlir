// Ops that mean nothing for some operands ask first. RUN lines: the code, and that compiled code says what the
// interpreter says, with the place.
// RUN: noria opt --check-operands %s | FileCheck %s

// ---- division ----

// CHECK-LABEL: func.func @divide
func.func @divide(%a: i32, %b: i32) -> i32 {
  // CHECK: %[[SOME:.*]] = arith.cmpi ne, %arg1, %{{.*}} : i32
  // CHECK: rt.check %[[SOME]], "'arith.divsi' op division by zero"
  // CHECK: %[[OR:.*]] = arith.ori
  // CHECK: rt.check %[[OR]], "'arith.divsi' op the quotient overflows"
  // CHECK: arith.divsi
  %q = arith.divsi %a, %b : i32
  return %q : i32
}
// RUN: noria run %s --entry=divide -7 2 | FileCheck %s --check-prefix=QUOTIENT
// QUOTIENT: -3 : i32
// RUN: not noria run %s --entry=divide 1 0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not noria run %s --entry=divide 1 0 --interpret 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: insert_ub_checks.mlir:[[#@LINE-7]]:8: 'arith.divsi' op division by zero
// RUN: not noria run %s --entry=divide -2147483648 -1 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: not noria run %s --entry=divide --interpret -2147483648 -1 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// OVERFLOW: insert_ub_checks.mlir:[[#@LINE-10]]:8: 'arith.divsi' op the quotient overflows

// The remainder by -1 is 0, also of the least number, of which machines have no quotient.
// CHECK-LABEL: func.func @rest
// CHECK-COUNT-1: rt.check
// CHECK-NOT: rt.check
// CHECK: return
func.func @rest(%a: i64, %b: i64) -> i64 {
  %r = arith.remsi %a, %b : i64
  return %r : i64
}
// RUN: noria run %s --entry=rest -9223372036854775808 -1 | FileCheck %s --check-prefix=REST
// RUN: noria run %s --entry=rest --interpret -9223372036854775808 -1 | FileCheck %s --check-prefix=REST
// REST: 0 : i64
// RUN: not noria run %s --entry=rest 5 0 2>&1 | FileCheck %s --check-prefix=REST0
// RUN: not noria run %s --entry=rest 5 0 --interpret 2>&1 | FileCheck %s --check-prefix=REST0
// REST0: insert_ub_checks.mlir:[[#@LINE-8]]:8: 'arith.remsi' op division by zero

// Nothing is asked of what constants, ranges and sizes show.
// CHECK-LABEL: func.func @safe
// CHECK-NOT: rt.check
// CHECK: return
func.func @safe(%a: i64, %v: vector<4xi32>, %n: index, %m: memref<?xi64>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %three = arith.constant 3 : i64
  %threes = arith.constant dense<[3, 1, -2, 5]> : vector<4xi32>
  %q = arith.divsi %a, %three : i64
  %w = arith.divui %v, %threes : vector<4xi32>
  %size = memref.dim %m, %c0 : memref<?xi64>
  %buffer = memref.alloc(%size) : memref<?xi64>
  memref.dealloc %buffer : memref<?xi64>
  %sum = scf.for %i = %c1 to %n step %c1 iter_args(%s = %c0) -> (index) {
    %x = arith.ceildivui %c7, %i : index
    %y = arith.addi %s, %x : index
    scf.yield %y : index
  }
  return %sum : index
}

// It is asked where the program divides, and only when it does.
func.func @guarded(%a: i64, %b: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %some = arith.cmpi ne, %b, %zero : i64
  %r = scf.if %some -> (i64) {
    %q = arith.floordivsi %a, %b : i64
    scf.yield %q : i64
  } else {
    scf.yield %a : i64
  }
  return %r : i64
}
// RUN: noria run %s --entry=guarded 7 0 | FileCheck %s --check-prefix=GUARDED
// GUARDED: 7 : i64
// RUN: noria run %s --entry=guarded --check-stages -7 2 | FileCheck %s --check-prefix=FLOOR
// FLOOR: -4 : i64

// A quotient that nobody uses is asked about too.
func.func @unused(%a: i64, %b: i64) -> i64 {
  %q = arith.ceildivsi %a, %b : i64
  return %a : i64
}
// RUN: not noria run %s --entry=unused 7 0 2>&1 | FileCheck %s --check-prefix=UNUSED
// RUN: not noria run %s --entry=unused 7 0 --interpret 2>&1 | FileCheck %s --check-prefix=UNUSED
// UNUSED: insert_ub_checks.mlir:[[#@LINE-5]]:8: 'arith.ceildivsi' op division by zero

// CHECK-LABEL: func.func @vectors
func.func @vectors(%a: memref<2x4xi16>, %b: memref<2x4xi16>) -> i16 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i16
  %x = vector.transfer_read %a[%c0, %c0], %zero {in_bounds = [true, true]} : memref<2x4xi16>, vector<2x4xi16>
  %y = vector.transfer_read %b[%c0, %c0], %zero {in_bounds = [true, true]} : memref<2x4xi16>, vector<2x4xi16>
  // CHECK: %[[FLAT:.*]] = vector.shape_cast %{{.*}} : vector<2x4xi1> to vector<8xi1>
  // CHECK: %[[ALL:.*]] = vector.reduction <and>, %[[FLAT]]
  // CHECK: rt.check %[[ALL]], "'arith.divsi' op division by zero"
  %q = arith.divsi %x, %y : vector<2x4xi16>
  %flat = vector.shape_cast %q : vector<2x4xi16> to vector<8xi16>
  %s = vector.reduction <add>, %flat : vector<8xi16> into i16
  return %s : i16
}
// RUN: noria run %s --entry=vectors '[[9, 8, 7, 6], [5, 4, 3, 2]]' '[[1, 2, 3, 4], [1, 2, 3, 4]]' | FileCheck %s --check-prefix=LANES
// LANES: 24 : i16
// RUN: not noria run %s --entry=vectors '[[9, 8, 7, 6], [5, 4, 3, 2]]' '[[1, 2, 3, 4], [1, 2, 0, 4]]' 2>&1 | FileCheck %s --check-prefix=LANE
// RUN: not noria run %s --entry=vectors '[[9, 8, 7, 6], [5, 4, 3, 2]]' '[[1, 2, 3, 4], [1, 2, 0, 4]]' --interpret 2>&1 | FileCheck %s --check-prefix=LANE
// LANE: insert_ub_checks.mlir:[[#@LINE-9]]:8: 'arith.divsi' op division by zero
// RUN: not noria run %s --entry=vectors '[[9, 8, 7, 6], [5, 4, -32768, 2]]' '[[1, 2, 3, 4], [1, 2, -1, 4]]' 2>&1 | FileCheck %s --check-prefix=LEAST
// RUN: not noria run %s --entry=vectors '[[9, 8, 7, 6], [5, 4, -32768, 2]]' '[[1, 2, 3, 4], [1, 2, -1, 4]]' --interpret 2>&1 | FileCheck %s --check-prefix=LEAST
// LEAST: insert_ub_checks.mlir:[[#@LINE-12]]:8: 'arith.divsi' op the quotient overflows

// CHECK-LABEL: func.func @tensors
func.func @tensors(%a: tensor<?xi32>, %b: tensor<?xi32>) -> tensor<?xi32> {
  // CHECK: linalg.generic
  // CHECK: rt.check %{{.*}}, "'arith.remui' op division by zero"
  // CHECK-NEXT: arith.remui %{{.*}} : i32
  %r = arith.remui %a, %b : tensor<?xi32>
  return %r : tensor<?xi32>
}
// RUN: noria run %s --entry=tensors '[9, 8, 7]' '[5, 4, 2]' | FileCheck %s --check-prefix=RESTS
// RESTS: dense<[4, 0, 1]> : tensor<3xi32>
// RUN: not noria run %s --entry=tensors '[9, 8, 7]' '[5, 0, 2]' 2>&1 | FileCheck %s --check-prefix=TENSORS
// RUN: not noria run %s --entry=tensors '[9, 8, 7]' '[5, 0, 2]' --interpret 2>&1 | FileCheck %s --check-prefix=TENSORS
// TENSORS: insert_ub_checks.mlir:[[#@LINE-7]]:8: 'arith.remui' op division by zero

func.func @wide(%a: i64, %b: i64) -> i64 {
  %x = arith.extsi %a : i64 to i128
  %y = arith.extsi %b : i64 to i128
  %c64 = arith.constant 64 : i128
  %z = arith.shli %x, %c64 : i128
  %q = arith.divsi %z, %y : i128
  %r = arith.shrsi %q, %c64 : i128
  %t = arith.trunci %r : i128 to i64
  return %t : i64
}
// RUN: noria run %s --entry=wide 12 4 | FileCheck %s --check-prefix=WIDE
// WIDE: 3 : i64
// RUN: not noria run %s --entry=wide 12 0 2>&1 | FileCheck %s --check-prefix=WIDE0
// RUN: not noria run %s --entry=wide 12 0 --interpret 2>&1 | FileCheck %s --check-prefix=WIDE0
// WIDE0: insert_ub_checks.mlir:[[#@LINE-9]]:8: 'arith.divsi' op division by zero
// RUN: not noria run %s --entry=wide -9223372036854775808 -1 2>&1 | FileCheck %s --check-prefix=WIDEST
// RUN: not noria run %s --entry=wide --interpret -9223372036854775808 -1 2>&1 | FileCheck %s --check-prefix=WIDEST
// WIDEST: insert_ub_checks.mlir:[[#@LINE-12]]:8: 'arith.divsi' op the quotient overflows

// In the body of an atomic step.
func.func @atomic(%m: memref<2xi32>, %d: i32) {
  %c1 = arith.constant 1 : index
  %old = memref.generic_atomic_rmw %m[%c1] : memref<2xi32> {
  ^bb0(%x: i32):
    %q = arith.divui %x, %d : i32
    memref.atomic_yield %q : i32
  }
  return
}
// RUN: noria run %s --entry=atomic '[7, 8]' 2 | FileCheck %s --check-prefix=ATOMIC
// ATOMIC: dense<[7, 4]>
// RUN: not noria run %s --entry=atomic '[7, 8]' 0 2>&1 | FileCheck %s --check-prefix=ATOMIC0
// RUN: not noria run %s --entry=atomic '[7, 8]' 0 --interpret 2>&1 | FileCheck %s --check-prefix=ATOMIC0
// ATOMIC0: insert_ub_checks.mlir:[[#@LINE-9]]:10: 'arith.divui' op division by zero

// ---- affine ----

// CHECK-LABEL: func.func @affine
func.func @affine(%i: index, %n: index) -> index {
  // CHECK: %[[POSITIVE:.*]] = arith.cmpi sgt, %arg1, %{{.*}} : index
  // CHECK: rt.check %[[POSITIVE]], "'affine.apply' op the divisor is %0; it must be positive"(%arg1 : index)
  // CHECK: affine.apply
  %r = affine.apply affine_map<(d0)[s0] -> (d0 mod s0)> (%i)[%n]
  return %r : index
}
// RUN: noria run %s --entry=affine -7 4 | FileCheck %s --check-prefix=AFFINE
// AFFINE: 1 : index
// RUN: not noria run %s --entry=affine 7 0 2>&1 | FileCheck %s --check-prefix=AFFINE0
// RUN: not noria run %s --entry=affine 7 0 --interpret 2>&1 | FileCheck %s --check-prefix=AFFINE0
// AFFINE0: insert_ub_checks.mlir:[[#@LINE-7]]:8: 'affine.apply' op the divisor is 0; it must be positive

func.func @affine_bound(%n: index, %d: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = affine.for %i = 0 to affine_map<()[s0, s1] -> (s0 floordiv (s1 - 1))>()[%n, %d] iter_args(%s = %c0) -> (index) {
    %t = arith.addi %s, %c1 : index
    affine.yield %t : index
  }
  return %r : index
}
// RUN: noria run %s --entry=affine_bound 12 5 | FileCheck %s --check-prefix=TRIPS
// TRIPS: 3 : index
// RUN: not noria run %s --entry=affine_bound 12 -4 2>&1 | FileCheck %s --check-prefix=BOUND
// RUN: not noria run %s --entry=affine_bound --interpret 12 -4 2>&1 | FileCheck %s --check-prefix=BOUND
// BOUND: insert_ub_checks.mlir:[[#@LINE-10]]:8: 'affine.for' op the divisor is -5; it must be positive

// ---- steps ----

// CHECK-LABEL: func.func @count
func.func @count(%n: index, %step: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: rt.check %{{.*}}, "'scf.for' op the step is %0; it must be positive"(%arg1 : index)
  // CHECK: scf.for
  %r = scf.for %i = %c0 to %n step %step iter_args(%s = %c0) -> (index) {
    %t = arith.addi %s, %c1 : index
    scf.yield %t : index
  }
  return %r : index
}
// RUN: noria run %s --entry=count 10 3 | FileCheck %s --check-prefix=COUNT
// COUNT: 4 : index
// RUN: not noria run %s --entry=count 10 0 2>&1 | FileCheck %s --check-prefix=STEP0
// RUN: not noria run %s --entry=count 10 0 --interpret 2>&1 | FileCheck %s --check-prefix=STEP0
// STEP0: insert_ub_checks.mlir:[[#@LINE-10]]:8: 'scf.for' op the step is 0; it must be positive
// RUN: not noria run %s --entry=count 0 -2 2>&1 | FileCheck %s --check-prefix=STEP2
// RUN: not noria run %s --entry=count --interpret 0 -2 2>&1 | FileCheck %s --check-prefix=STEP2
// STEP2: insert_ub_checks.mlir:[[#@LINE-13]]:8: 'scf.for' op the step is -2; it must be positive

func.func @count_unsigned(%n: i8, %step: i8) -> i8 {
  %c0 = arith.constant 0 : i8
  %c1 = arith.constant 1 : i8
  %r = scf.for unsigned %i = %c0 to %n step %step iter_args(%s = %c0) -> (i8) : i8 {
    %t = arith.addi %s, %c1 : i8
    scf.yield %t : i8
  }
  return %r : i8
}
// RUN: noria run %s --entry=count_unsigned -1 -56 | FileCheck %s --check-prefix=UNSIGNED
// UNSIGNED: 2 : i8
// RUN: not noria run %s --entry=count_unsigned 7 0 2>&1 | FileCheck %s --check-prefix=UNSIGNED0
// RUN: not noria run %s --entry=count_unsigned 7 0 --interpret 2>&1 | FileCheck %s --check-prefix=UNSIGNED0
// UNSIGNED0: insert_ub_checks.mlir:[[#@LINE-10]]:8: 'scf.for' op the step is 0; it must be positive

func.func @points(%n: index, %step: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %step) init (%c0) -> index {
    scf.reduce(%c1 : index) {
    ^bb0(%x: index, %y: index):
      %s = arith.addi %x, %y : index
      scf.reduce.return %s : index
    }
  }
  return %r : index
}
// RUN: noria run %s --entry=points 4 2 | FileCheck %s --check-prefix=POINTS
// POINTS: 8 : index
// RUN: not noria run %s --entry=points 4 0 2>&1 | FileCheck %s --check-prefix=POINTS0
// RUN: not noria run %s --entry=points 4 0 --interpret 2>&1 | FileCheck %s --check-prefix=POINTS0
// POINTS0: insert_ub_checks.mlir:[[#@LINE-13]]:8: 'scf.parallel' op the step is 0; it must be positive

func.func @tiles(%t: tensor<4xi32>, %step: index) -> tensor<4xi32> {
  %r = scf.forall (%i) = (0) to (4) step (%step) shared_outs(%o = %t) -> (tensor<4xi32>) {
    %s = tensor.extract_slice %t[%i] [1] [1] : tensor<4xi32> to tensor<1xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xi32> into tensor<4xi32>
    }
  }
  return %r : tensor<4xi32>
}
// RUN: noria run %s --entry=tiles '[1, 2, 3, 4]' 2 | FileCheck %s --check-prefix=TILES
// TILES: dense<[1, 2, 3, 4]>
// RUN: not noria run %s --entry=tiles '[1, 2, 3, 4]' 0 2>&1 | FileCheck %s --check-prefix=TILES0
// RUN: not noria run %s --entry=tiles '[1, 2, 3, 4]' 0 --interpret 2>&1 | FileCheck %s --check-prefix=TILES0
// TILES0: insert_ub_checks.mlir:[[#@LINE-12]]:8: 'scf.forall' op the step is 0; it must be positive

// ---- sizes ----

// CHECK-LABEL: func.func @buffer
func.func @buffer(%n: index, %k: index) -> f64 {
  %c0 = arith.constant 0 : index
  %x = arith.constant 4.0 : f64
  // CHECK: rt.check %{{.*}}, "'memref.alloc' op the size of dim 0 is %0; it must not be negative"(%arg0 : index)
  // CHECK: rt.check %{{.*}}, "'memref.alloc' op the size of dim 2 is %0; it must not be negative"(%arg1 : index)
  %m = memref.alloc(%n, %k) : memref<?x4x?xf64>
  memref.store %x, %m[%c0, %c0, %c0] : memref<?x4x?xf64>
  %y = memref.load %m[%c0, %c0, %c0] : memref<?x4x?xf64>
  memref.dealloc %m : memref<?x4x?xf64>
  return %y : f64
}
// RUN: noria run %s --entry=buffer 3 2 | FileCheck %s --check-prefix=BUFFER
// BUFFER: 4.000000e+00 : f64
// RUN: not noria run %s --entry=buffer 3 -2 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not noria run %s --entry=buffer --interpret 3 -2 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: insert_ub_checks.mlir:[[#@LINE-10]]:8: 'memref.alloc' op the size of dim 2 is -2; it must not be negative
// RUN: not noria run %s --entry=buffer 9223372036854775807 4 2>&1 | FileCheck %s --check-prefix=HUGE
// RUN: not noria run %s --entry=buffer --interpret 9223372036854775807 4 2>&1 | FileCheck %s --check-prefix=HUGE
// HUGE: insert_ub_checks.mlir:[[#@LINE-13]]:8: the system has no memory for 9223372036854775807 bytes

func.func @tensor(%n: index) -> tensor<?xi8> {
  %one = arith.constant 1 : i8
  %t = tensor.splat %one[%n] : tensor<?xi8>
  return %t : tensor<?xi8>
}
// RUN: not noria run %s --entry=tensor -5 2>&1 | FileCheck %s --check-prefix=SPLAT
// RUN: not noria run %s --entry=tensor --interpret -5 2>&1 | FileCheck %s --check-prefix=SPLAT
// SPLAT: insert_ub_checks.mlir:[[#@LINE-5]]:8: 'tensor.splat' op the size of dim 0 is -5; it must not be negative

func.func @pad(%t: tensor<4xf32>, %low: index, %high: index) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %t low[%low] high[%high] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<?xf32>
  return %p : tensor<?xf32>
}
// RUN: noria run %s --entry=pad ones 1 0 | FileCheck %s --check-prefix=PAD
// PAD: dense<[0.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00]>
// RUN: not noria run %s --entry=pad ones 1 -2 2>&1 | FileCheck %s --check-prefix=PADS
// RUN: not noria run %s --entry=pad --interpret ones 1 -2 2>&1 | FileCheck %s --check-prefix=PADS
// PADS: insert_ub_checks.mlir:[[#@LINE-10]]:8: 'tensor.pad' op the padding of dim 0 is -2; it must not be negative
