// What came after 2020 has no text of 2020: asked for that, `noria opt` says so, for each op, and writes today's among the
// older text, which it reads. In a file that is not asked for it says nothing.
// RUN: noria opt --syntax=2020 --split-input-file --verify-diagnostics %s -o %t.old
// RUN: FileCheck %s --input-file=%t.old --check-prefix=MIXED
// RUN: noria opt --split-input-file --syntax=mlir %s -o %t.new && FileCheck %s --input-file=%t.new
// RUN: noria opt --split-input-file --syntax=mlir %t.old 2>&1 | diff - %t.new
// RUN: noria opt --split-input-file %t.old 2>&1 | FileCheck %s --check-prefix=QUIET
// RUN: noria opt --split-input-file --syntax=2020 --generic %s | noria opt --split-input-file --syntax=mlir - | diff - %t.new
// QUIET-NOT: cannot be expressed

// CHECK: scf.for unsigned
func @unsigned(%n: index) {
  // expected-warning@+1 {{cannot be expressed in the 2020 syntax: bounds were signed}}
  scf.for unsigned %i = %n to %n step %n {
  }
  return
}

// -----

// CHECK: scf.for {{.*}} : i32 {
func @typed(%n: i32) {
  // expected-warning@+1 {{cannot be expressed in the 2020 syntax: bounds were of type index}}
  scf.for %i = %n to %n step %n : i32 {
  }
  return
}

// -----

// CHECK: scf.while
// CHECK: scf.execute_region
// CHECK: scf.index_switch
// CHECK: scf.forall
// CHECK: scf.loop
func @later(%c: i1, %n: index) {
  // expected-warning@+1 {{'scf.while' op cannot be expressed in the 2020 syntax: dialect loop had no such op}}
  scf.while : () -> () {
    scf.condition(%c)
  } do {
    scf.yield
  }
  // expected-warning@+1 {{'scf.execute_region' op cannot be expressed in the 2020 syntax: dialect loop had no such op}}
  scf.execute_region {
    scf.yield
  }
  // expected-warning@+1 {{'scf.index_switch' op cannot be expressed in the 2020 syntax: dialect loop had no such op}}
  scf.index_switch %n
  default {
  }
  // expected-warning@+1 {{'scf.forall' op cannot be expressed in the 2020 syntax: dialect loop had no such op}}
  scf.forall (%i) in (%n) {
  }
  // expected-warning@+1 {{'scf.loop' op cannot be expressed in the 2020 syntax: dialect loop had no such op}}
  scf.loop token(%l) {
    // expected-warning@+1 {{'scf.break' op cannot be expressed in the 2020 syntax: dialect loop had no such op}}
    scf.break [%l]
  }
  return
}

// -----

// Ops that the dialects made of std have got since, and that dialects of 2020 have got.
// CHECK: arith.minsi
// MIXED: %{{.*}} = addi %{{.*}}, %{{.*}} : index
// MIXED: arith.minsi
// MIXED: memref.copy
// MIXED: vector.load
// MIXED: cf.switch
func @later_std(%a: memref<4xf32>, %b: memref<4xf32>, %i: index, %f: i32, %f2: f32) -> index {
  %0 = addi %i, %i : index
  // expected-warning@+1 {{'arith.minsi' op cannot be expressed in the 2020 syntax: dialect std had no such op}}
  %1 = arith.minsi %0, %i : index
  // expected-warning@+1 {{'math.erf' op cannot be expressed in the 2020 syntax: dialect std had no such op}}
  %2 = math.erf %f2 : f32
  // expected-warning@+1 {{'memref.copy' op cannot be expressed in the 2020 syntax: dialect std had no such op}}
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  // expected-warning@+1 {{'vector.load' op cannot be expressed in the 2020 syntax: dialect vector had no such op}}
  %3 = vector.load %a[%i] : memref<4xf32>, vector<2xf32>
  affine.for %j = 0 to 4 {
    %4 = affine.load %a[%j] : memref<4xf32>
  }
  // expected-warning@+1 {{'affine.linearize_index' op cannot be expressed in the 2020 syntax: dialect affine had no such op}}
  %5 = affine.linearize_index [%i, %i] by (2, 2) : index
  // expected-warning@+1 {{'cf.switch' op cannot be expressed in the 2020 syntax: dialect std had no such op}}
  cf.switch %f : i32, [default: ^bb1]
^bb1:
  return %1 : index
}
