// Claims of ops about shapes of tensors are proven, or checked in front of the op.
// RUN: noria opt --check-claims --verify-claims --canonicalize --cse %s | FileCheck %s
// RUN: not noria opt --verify-claims %s 2>&1 | FileCheck %s --check-prefix=VERIFY
// VERIFY: error: 'tensor.cast' op claims a shape or an index that is neither proven nor checked

// CHECK-LABEL: func.func @cast
// CHECK: rt.check %{{.*}}, "'tensor.cast' op dim 0 is %0, where 4 is expected"
// CHECK-NOT: rt.check
// CHECK: return
func.func @cast(%t: tensor<?xf32>) -> tensor<4xf32> {
  %a = tensor.cast %t : tensor<?xf32> to tensor<4xf32>
  %b = tensor.cast %t : tensor<?xf32> to tensor<4xf32>
  %s = arith.addf %a, %b : tensor<4xf32>
  return %s : tensor<4xf32>
}
// RUN: noria run %s --entry=cast '[1, 2, 3, 4]' --check-stages | FileCheck %s --check-prefix=CAST
// CAST: [2.000000e+00, 4.000000e+00, 6.000000e+00, 8.000000e+00]
// RUN: not noria run %s --entry=cast '[1, 2, 3]' 2>&1 | FileCheck %s --check-prefix=CAST3
// CAST3: check_claims.mlir:[[#@LINE-8]]:8: 'tensor.cast' op dim 0 is 3, where 4 is expected

// Both halves of a tensor: the sizes follow from the arithmetic.
// CHECK-LABEL: func.func @halves
// CHECK-NOT: rt.check
// CHECK: return
func.func @halves(%t: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %half = arith.divui %n, %c2 : index
  %rest = arith.subi %n, %half : index
  %a = tensor.extract_slice %t[0] [%half] [1] : tensor<?xf32> to tensor<?xf32>
  %b = tensor.extract_slice %t[%half] [%rest] [1] : tensor<?xf32> to tensor<?xf32>
  return %a, %b : tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @part
// CHECK: rt.check %{{.*}}, "'tensor.extract_slice' op the slice [%0, +%1, step %2] leaves dim 0 of %3"
func.func @part(%t: tensor<?xf32>, %at: index, %size: index) -> tensor<?xf32> {
  %s = tensor.extract_slice %t[%at] [%size] [1] : tensor<?xf32> to tensor<?xf32>
  return %s : tensor<?xf32>
}
// RUN: noria run %s --entry=part '[1, 2, 3, 4]' 3 1 | FileCheck %s --check-prefix=PART
// PART: dense<4.000000e+00> : tensor<1xf32>
// RUN: not noria run %s --entry=part '[1, 2, 3, 4]' 3 2 2>&1 | FileCheck %s --check-prefix=LEAVES
// RUN: not noria run %s --entry=part '[1, 2, 3, 4]' 4611686018427387904 4611686018427387904 2>&1 | FileCheck %s --check-prefix=LEAVES
// RUN: not noria run %s --entry=part '[1, 2, 3, 4]' -1 2 2>&1 | FileCheck %s --check-prefix=LEAVES
// LEAVES: check_claims.mlir:[[#@LINE-8]]:8: 'tensor.extract_slice' op the slice {{.*}} leaves dim 0 of 4

// A place below a bound that an earlier check, a loop or a minimum shows.
// CHECK-LABEL: func.func @places
// CHECK: rt.check
// CHECK-NOT: rt.check
// CHECK: return
func.func @places(%t: tensor<?xf32>, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %in = arith.cmpi ult, %i, %n : index
  rt.check %in, "no such place"
  %x = tensor.extract %t[%i] : tensor<?xf32>
  %last = arith.subi %n, %c1 : index
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %x) -> (f32) {
    %back = arith.subi %last, %k : index
    %y = tensor.extract %t[%back] : tensor<?xf32>
    %k1 = arith.addi %k, %c1 : index
    %m = arith.minsi %k1, %last : index
    %z = tensor.extract %t[%m] : tensor<?xf32>
    %s = arith.addf %sum, %y : f32
    %u = arith.addf %s, %z : f32
    scf.yield %u : f32
  }
  return %r : f32
}

// CHECK-LABEL: func.func @reshape
// CHECK: rt.check %{{.*}}, "'tensor.expand_shape' op the shapes have %0 and %1 elements"
// CHECK: return
func.func @reshape(%t: tensor<?xf32>, %a: index, %b: index) -> tensor<?x?xf32> {
  %s = tensor.expand_shape %t [[0, 1]] output_shape [%a, %b] : tensor<?xf32> into tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}
// RUN: noria run %s --entry=reshape '[1, 2, 3, 4, 5, 6]' 2 3 | FileCheck %s --check-prefix=RESHAPE
// RESHAPE: tensor<2x3xf32>
// 2^63 + 1 times 6 is 6 in 64 bits.
// RUN: not noria run %s --entry=reshape '[1, 2, 3, 4, 5, 6]' -9223372036854775807 6 2>&1 | FileCheck %s --check-prefix=WRAPS
// WRAPS: check_claims.mlir:[[#@LINE-7]]:8: 'tensor.expand_shape' op

// Flattened and back: the product of the dims is the same.
// CHECK-LABEL: func.func @round_trip
// CHECK-NOT: rt.check
// CHECK: return
func.func @round_trip(%t: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %f = tensor.collapse_shape %t [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %s = tensor.expand_shape %f [[0, 1]] output_shape [%m, %n] : tensor<?xf32> into tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}

#id = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @generic
// CHECK: rt.check %{{.*}}, "'linalg.generic' op operands disagree on the range of loop 0: %0 and %1"
func.func @generic(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<?xf32>) outs(%b : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
// RUN: not noria run %s --entry=generic '[1, 2, 3]' '[1, 2]' 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: check_claims.mlir:[[#@LINE-9]]:8: 'linalg.generic' op operands disagree on the range of loop 0

// Positions that were checked where they were made are not checked where they are used.
// CHECK-LABEL: func.func @positions
// CHECK: rt.check %{{.*}}, "position"
// CHECK-NOT: rt.check
// CHECK: return
func.func @positions(%t: tensor<?xf32>, %p: tensor<8xi64>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %e = tensor.empty() : tensor<8xi64>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%p : tensor<8xi64>) outs(%e : tensor<8xi64>) {
  ^bb0(%x: i64, %y: i64):
    %i = arith.index_cast %x : i64 to index
    %in = arith.cmpi ult, %i, %n : index
    rt.check %in, "position"
    linalg.yield %x : i64
  } -> tensor<8xi64>
  %f = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%q : tensor<8xi64>) outs(%f : tensor<8xf32>) {
  ^bb0(%x: i64, %y: f32):
    %i = arith.index_cast %x : i64 to index
    %v = tensor.extract %t[%i] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// A tensor has at most 2^47 elements, so with 2^14 in each row it has at most 2^33 rows: the products do not wrap.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: rt.check
// CHECK: return
func.func @rows(%t: tensor<?x16384xf32>) -> tensor<?x8192xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %rows = tensor.dim %t, %c0 : tensor<?x16384xf32>
  %c = tensor.collapse_shape %t [[0, 1]] : tensor<?x16384xf32> into tensor<?xf32>
  %twice = arith.muli %rows, %c2 : index
  %s = tensor.expand_shape %c [[0, 1]] output_shape [%twice, 8192] : tensor<?xf32> into tensor<?x8192xf32>
  return %s : tensor<?x8192xf32>
}

// The variable of scf.forall is below its upper bound.
// CHECK-LABEL: func.func @points
// CHECK-NOT: rt.check
// CHECK: return
func.func @points(%t: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) in (8) shared_outs(%s = %o) -> (tensor<8xf32>) {
    %x = tensor.extract %t[%i] : tensor<8xf32>
    %y = tensor.from_elements %x : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %s[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// The checks of the slice bound %a, so that %a - 5 cannot wrap. A prover that meets %v behind them knows it by %a, not by
// %s, which was compared when %a could be any number: the claim of the extract needs a check of its own then.
// CHECK-LABEL: func.func @met_later
// CHECK: rt.check %{{.*}}, "too large"
// CHECK: rt.check %{{.*}}, "'tensor.extract_slice' op
// CHECK: rt.check %{{.*}}, "'tensor.extract' op
// CHECK: return
func.func @met_later(%t: tensor<?xf32>, %u: tensor<?xf32>, %a: index, %m: index) -> (tensor<?xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %n = tensor.dim %u, %c0 : tensor<?xf32>
  %s = arith.subi %a, %c5 : index
  %small = arith.cmpi slt, %s, %n : index
  rt.check %small, "too large"
  %v = arith.minsi %s, %m : index
  %part = tensor.extract_slice %t[%a] [%v] [1] : tensor<?xf32> to tensor<?xf32>
  %x = tensor.extract %u[%v] : tensor<?xf32>
  return %part, %x : tensor<?xf32>, f32
}
