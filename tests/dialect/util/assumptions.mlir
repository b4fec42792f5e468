// What is known of numbers: how facts merge, what follows from them, and runs in which they do not hold.
// RUN: noria opt --canonicalize %s | FileCheck %s
// RUN: noria opt --int-range-optimizations --canonicalize %s | FileCheck %s --check-prefix=RANGES
// RUN: noria opt --pipeline --stop-after=import %s | FileCheck %s --check-prefix=IMPORT
// RUN: noria run %s --entry=holds 32 --check-stages | FileCheck %s --check-prefix=HOLDS
// RUN: not noria run %s --entry=holds 33 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: not noria run --interpret %s --entry=holds 33 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: noria run %s --entry=sites 7 --check-stages | FileCheck %s --check-prefix=SEVEN
// RUN: noria run %s --entry=sites 20 --check-stages | FileCheck %s --check-prefix=TWENTY
// RUN: not noria run %s --entry=sites 21 2>&1 | FileCheck %s --check-prefix=NOSITE
// RUN: noria run %s --entry=multiples 13 8 --check-stages | FileCheck %s --check-prefix=MULTIPLES
// RUN: noria opt --canonicalize %s | noria run - --entry=multiples 13 8 | FileCheck %s --check-prefix=MULTIPLES

// Equal rows are one. Those of one operand hold together: the greater umin, the less umax, the common multiple.
// CHECK-LABEL: util.func public @merges
// CHECK: %[[R:.*]]:2 = util.assume.int
// CHECK-NEXT: %arg0<umin = 3, umax = 9, udiv = 12>,
// CHECK-NEXT: %arg1[<umin = 1, udiv = 2>, <umin = 2>]
// CHECK-NEXT: : index, i64
// CHECK: util.return %[[R]]#0, %[[R]]#0, %[[R]]#1, %c7, %[[R]]#1, %arg2
util.func @merges(%a: index, %b: i64, %c: i64) -> (index, index, i64, index, i64, i64) {
  %c7 = arith.constant 7 : index
  %r:6 = util.assume.int %a[<umin = 3, udiv = 4>, <umin = 3, udiv = 4>], %a<umin = 1, umax = 9, udiv = 6>,
    %b[<udiv = 2>, <umin = 2>], %c7<umin = 1>, %b<umin = 1>, %c<umin = 0> : index, index, i64, index, i64, i64
  util.return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5 : index, index, i64, index, i64, i64
}

// What the facts decide. 40 is a possible value of the third.
// RANGES-LABEL: util.func public @decides
// RANGES: %[[C:.*]] = arith.cmpi ult
// RANGES: util.return %false, %true, %[[C]], %{{.*}}, %c0
util.func @decides(%x: index) -> (i1, i1, i1, index, index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c40 = arith.constant 40 : index
  %c41 = arith.constant 41 : index
  %a = util.assume.int %x<umin = 8, umax = 40, udiv = 8> : index
  %p = arith.cmpi slt, %a, %c8 : index
  %q = arith.cmpi ult, %a, %c41 : index
  %r = arith.cmpi ult, %a, %c40 : index
  // RANGES-NOT: arith.divui
  %d = arith.divui %a, %c4 : index
  %m = arith.muli %d, %c4 : index
  %z = arith.remui %a, %c8 : index
  util.return %p, %q, %r, %m, %z : i1, i1, i1, index, index
}
// A multiple of 8 need not be one of 16, and a number without a greatest one may be negative as a signed number.
// RANGES-LABEL: util.func public @undecided
// RANGES: arith.cmpi sge
// RANGES: arith.divui
// RANGES: arith.muli
util.func @undecided(%x: index) -> (i1, index) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %a = util.assume.int %x<umin = 8, udiv = 8> : index
  %p = arith.cmpi sge, %a, %c0 : index
  %d = arith.divui %a, %c16 : index
  %m = arith.muli %d, %c16 : index
  util.return %p, %m : i1, index
}

// The pipeline uses the facts, then checks them.
// IMPORT-LABEL: func.func @holds
// IMPORT-NOT: arith.cmpi slt
// IMPORT: 'util.assume.int' op operand #0 is not as it assumes
// HOLDS: false
// HOLDS: 32 : index
// FAILS: assumptions.mlir:[[#@LINE+3]]:8: {{.*}}'util.assume.int' op operand #0 is not as it assumes
util.func @holds(%x: index) -> (i1, index) {
  %c8 = arith.constant 8 : index
  %a = util.assume.int %x<umin = 8, udiv = 8> : index
  %b = util.assume.int %a<umax = 1000> : index
  %p = arith.cmpi slt, %b, %c8 : index
  %d = arith.divui %a, %c8 : index
  %m = arith.muli %d, %c8 : index
  util.return %p, %m : i1, index
}

// One call site is enough.
// SEVEN: 7 : i8
// TWENTY: 20 : i8
// NOSITE: op operand #0 is not as it assumes
util.func @sites(%x: i8) -> i8 {
  %a = util.assume.int %x[<umax = 7>, <umin = 20, udiv = 10>, <umin = 300>] : i8
  util.return %a : i8
}

// Sums, products and choices of multiples are multiples, by constants or by one value.
// CHECK-LABEL: util.func public @multiples
// CHECK-NOT: util.align %{{.*}}, %c4
// CHECK: util.return
// MULTIPLES: 16 : index
// MULTIPLES: 48 : index
// MULTIPLES: 169 : index
// MULTIPLES: 16 : index
// MULTIPLES: 24 : index
// MULTIPLES: 16 : index
util.func @multiples(%x: index, %k: index) -> (index, index, index, index, index, index) {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %a = util.align %x, %c8 : index
  %r0 = util.align %a, %c4 : index
  %sum = arith.addi %a, %a : index
  %more = affine.apply affine_map<(d0)[s0] -> (d0 + s0 * 16)>(%sum)[%c8]
  %t = arith.minui %more, %sum : index
  %u = arith.addi %t, %sum : index
  %mid = arith.subi %u, %a : index
  %r1 = util.align %mid, %c4 : index
  // Not of 3 times x.
  %p = arith.muli %x, %x : index
  %q = util.align %x, %k : index
  %s = arith.muli %q, %c3 : index
  %v = arith.subi %s, %q : index
  %w = util.align %v, %k : index
  %r3 = arith.minui %w, %a : index
  %y = arith.addi %q, %k : index
  %r4 = util.align %y, %k : index
  %z = util.range.max %a, %c4, %c3, %c8 : index
  util.return %r0, %r1, %p, %r3, %r4, %z : index, index, index, index, index, index
}
// CHECK-LABEL: util.func public @no_multiples
// CHECK-COUNT-3: util.align
util.func @no_multiples(%x: index, %k: index, %l: index) -> (index, index, index) {
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %a = util.align %x, %k : index
  %b = util.align %a, %l : index
  %s = arith.addi %c4, %b : index
  %r = util.align %s, %c8 : index
  util.return %a, %b, %r : index, index, index
}

// CHECK-LABEL: util.func public @extents
// CHECK-DAG: %[[MIN:.*]] = arith.minui %arg0, %arg2
// CHECK-DAG: %[[MAX:.*]] = arith.maxui
// CHECK-DAG: %[[R:.*]]:2 = util.range.extents [%arg0 for %arg1], [%arg2 for %arg1], [%arg0 for %arg2] : index
// CHECK-DAG: %[[M:.*]] = util.range.min %c5, %arg0, %arg1
// CHECK: util.return %[[MIN]], %[[MAX]], %c2, %c12, %[[R]]#0, %[[R]]#1, %[[M]]
util.func @extents(%a: index, %b: index, %c: index) -> (index, index, index, index, index, index, index) {
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  %c10 = arith.constant 10 : index
  %r:2 = util.range.extents [%a for %b], [%c for %b] : index
  %s:2 = util.range.extents [%c2 for %c5], [%c8 for %c5], [%c10 for %c2] : index
  %t:2 = util.range.extents [%a for %b], [%c for %b], [%a for %b], [%a for %c] : index
  %u = util.range.min %c8, %a, %c5, %b : index
  util.return %r#0, %r#1, %s#0, %s#1, %t#0, %t#1, %u : index, index, index, index, index, index, index
}
