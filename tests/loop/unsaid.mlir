// What came after 2020 has no text of 2020: asked for that, `noria opt` says so, for each op, and changes nothing. In a
// file that is not asked for it stays as it is among the older text, as in the generic form.
// RUN: noria opt --syntax=2020 --split-input-file --verify-diagnostics %s
// RUN: noria opt --split-input-file --syntax=mlir %s -o %t.new && FileCheck %s --input-file=%t.new
// RUN: noria opt --split-input-file --syntax=2020 --generic %s | noria opt --split-input-file --syntax=mlir - | diff - %t.new

// CHECK: scf.for unsigned
func @unsigned(%n: index) {
  // expected-error@+1 {{cannot be said in the text of 2020: bounds were signed}}
  scf.for unsigned %i = %n to %n step %n {
  }
  return
}

// -----

// CHECK: scf.for {{.*}} : i32 {
func @typed(%n: i32) {
  // expected-error@+1 {{cannot be said in the text of 2020: bounds were of type index}}
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
  // expected-error@+1 {{'scf.while' op cannot be said in the text of 2020: dialect loop had no such op}}
  scf.while : () -> () {
    scf.condition(%c)
  } do {
    scf.yield
  }
  // expected-error@+1 {{'scf.execute_region' op cannot be said in the text of 2020: dialect loop had no such op}}
  scf.execute_region {
    scf.yield
  }
  // expected-error@+1 {{'scf.index_switch' op cannot be said in the text of 2020: dialect loop had no such op}}
  scf.index_switch %n
  default {
  }
  // expected-error@+1 {{'scf.forall' op cannot be said in the text of 2020: dialect loop had no such op}}
  scf.forall (%i) in (%n) {
  }
  // expected-error@+1 {{'scf.loop' op cannot be said in the text of 2020: dialect loop had no such op}}
  scf.loop token(%l) {
    scf.break [%l]
  }
  return
}
