// Parallel reductions without an initial value, as early 2020 wrote them. When the reduction is one op whose identity
// element is known, a loop without points gives that. Otherwise the points' values are reduced with each other, and a
// loop without points is an error of the run.
// RUN: noria opt %s | FileCheck %s
// RUN: noria opt %s | noria opt - | FileCheck %s
// RUN: noria opt --generic %s | noria opt --syntax=2020 - | FileCheck %s
// RUN: not noria opt --syntax=mlir %s 2>&1 | FileCheck %s --check-prefix=TODAY
// TODAY: error: 'loop.parallel' op cannot be expressed in MLIR's current syntax: the reduction has no initial value; give the loop one with init(..)
// RUN: noria opt --convert-scf-to-cf --canonicalize --cse --syntax=mlir %s | mlir-opt -o %t.oracle

// RUN: noria run %s --entry=identities 2 --check-stages | FileCheck %s --check-prefix=TWO
// TWO: {{^}}14 : i32{{$}}
// TWO-NEXT: {{^}}49 : i32{{$}}
// TWO-NEXT: {{^}}7.000000e+00 : f32{{$}}
// TWO-NEXT: {{^}}7 : i32{{$}}
// RUN: noria run %s --entry=identities 0 --check-stages | FileCheck %s --check-prefix=NONE
// NONE: {{^}}0 : i32{{$}}
// NONE-NEXT: {{^}}1 : i32{{$}}
// NONE-NEXT: {{^}}0xFF800000 : f32{{$}}
// NONE-NEXT: {{^}}-1 : i32{{$}}
// CHECK-LABEL: func @identities
// CHECK: loop.parallel {{.*}} init (%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {
func @identities(%n: index) -> (i32, i32, f32, i32) {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %x = constant 7 : i32
  %f = constant 7.0 : f32
  %r:4 = loop.parallel (%i) = (%c0) to (%n) step (%c1) {
    loop.reduce(%x) {
    ^bb0(%a: i32, %b: i32):
      %s = addi %a, %b : i32
      loop.reduce.return %s : i32
    } : i32
    loop.reduce(%x) {
    ^bb0(%a: i32, %b: i32):
      %s = muli %a, %b : i32
      loop.reduce.return %s : i32
    } : i32
    loop.reduce(%f) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.maximumf %a, %b : f32
      loop.reduce.return %s : f32
    } : f32
    loop.reduce(%x) {
    ^bb0(%a: i32, %b: i32):
      %s = and %a, %b : i32
      loop.reduce.return %s : i32
    } : i32
  } : i32, i32, f32, i32
  return %r#0, %r#1, %r#2, %r#3 : i32, i32, f32, i32
}

// The smallest by absolute value, and the last that is not zero: 4 - n .. 3.
// RUN: noria run %s --entry=chosen 7 --check-stages | FileCheck %s --check-prefix=SEVEN
// SEVEN: {{^}}0 : i64{{$}}
// SEVEN-NEXT: {{^}}3 : i64{{$}}
// RUN: noria run %s --entry=chosen 2 --check-stages | FileCheck %s --check-prefix=CHOSEN
// CHOSEN: {{^}}2 : i64{{$}}
// CHOSEN-NEXT: {{^}}3 : i64{{$}}
// RUN: not noria run %s --entry=chosen 0 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not noria run %s --entry=chosen 0 --interpret 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: the parallel loop reduces no values, and has no initial value
// CHECK-LABEL: func @chosen
// CHECK: %{{.*}}:2 = loop.parallel (%{{.*}}) = (%{{.*}}) to (%{{.*}}) step (%{{.*}}) {
// CHECK: } {tag} : i64, i64
func @chosen(%n: index) -> (i64, i64) {
  %c1 = constant 1 : index
  %c4 = constant 4 : index
  %zero = constant 0 : i64
  %from = subi %c4, %n : index
  %r:2 = loop.parallel (%i) = (%from) to (%c4) step (%c1) {
    %x = index_cast %i : index to i64
    loop.reduce(%x) {
    ^bb0(%a: i64, %b: i64):
      %a2 = muli %a, %a : i64
      %b2 = muli %b, %b : i64
      %less = cmpi "slt", %b2, %a2 : i64
      %s = select %less, %b, %a : i64
      loop.reduce.return %s : i64
    } : i64
    loop.reduce(%x) {
    ^bb0(%a: i64, %b: i64):
      %is_zero = cmpi "eq", %b, %zero : i64
      %s = select %is_zero, %a, %b : i64
      loop.reduce.return %s : i64
    } : i64
  } {tag} : i64, i64
  return %r#0, %r#1 : i64, i64
}

// In two dims, with a region that gives an argument back; 12 is the last of the rows 0, 1, 2, 10, 11, 12.
// RUN: noria run %s --entry=last 2 3 --check-stages | FileCheck %s --check-prefix=LAST
// LAST: {{^}}12 : index{{$}}
// RUN: not noria run %s --entry=last 2 0 2>&1 | FileCheck %s --check-prefix=EMPTY
func @last(%n: index, %m: index) -> index {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %c10 = constant 10 : index
  %r = loop.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) {
    %row = muli %i, %c10 : index
    %x = addi %row, %j : index
    loop.reduce(%x) {
    ^bb0(%a: index, %b: index):
      loop.reduce.return %b : index
    } : index
  } : index
  return %r : index
}
