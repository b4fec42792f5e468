// RUN: noria opt --split-input-file --verify-diagnostics %s

// expected-error@+1 {{(C1) initial value type mismatch; global @g is tensor<4xf32> but initial value provided is tensor<5xf32>}}
util.global @g : tensor<4xf32> = dense<1.0> : tensor<5xf32>
// -----
// expected-error@+1 {{(C1) initial value type mismatch; global @g is i32 but initial value provided is i64}}
util.global @g : i32 = 4 : i64
// -----
// expected-error@+1 {{expected a type, or a value with a type}}
util.global @g = [1, 2]
// -----
// expected-error@+2 {{expected '='}}
util.global @g
// -----
util.func @f() {
  // expected-error@+1 {{'g' does not reference a valid symbol}}
  %v = util.global.load @g : i32
  util.return
}
// -----
util.func @f() {
  // expected-error@+1 {{(C1) undefined global: @f}}
  %v = util.global.load @f : i32
  util.return
}
// -----
util.global @g : tensor<4xi32>
util.func @f() {
  // expected-error@+1 {{(C1) global type mismatch; global g is tensor<4xi32> but load is tensor<5xi32>}}
  %v = util.global.load @g : tensor<5xi32>
  // expected-error@+1 {{(C1) global type mismatch; global g is tensor<4xi32> but load is i32}}
  %w = util.global.load @g : i32
  // expected-error@+1 {{(C1) global type mismatch; global g is tensor<4xi32> but pointer is tensor<4x1xi32>}}
  %p = util.global.address @g : !util.ptr<tensor<4x1xi32>>
  util.return
}
// -----
util.global mutable @g : i32
util.func @f() {
  // expected-error@+1 {{(C2) is marked as immutable but the global is mutable}}
  %v = util.global.load immutable @g : i32
  util.return
}
// -----
util.global mutable @g : tensor<?xi32>
util.func @f(%v: tensor<4xi32>) {
  // expected-error@+1 {{(C1) global type mismatch; global g is tensor<?xi32> but store is tensor<4xi32>}}
  util.global.store %v, @g : tensor<4xi32>
  util.return
}
// -----
util.func @f(%v: tensor<4xi32>, %p: !util.ptr<tensor<5xi32>>) {
  // expected-error@+1 {{(C1) global type mismatch; global pointer is to tensor<5xi32> but load is tensor<4xi32>}}
  %w = util.global.load.indirect %p : !util.ptr<tensor<5xi32>> -> tensor<4xi32>
  // expected-error@+1 {{(C1) global type mismatch; global pointer is to tensor<5xi32> but store is tensor<4xi32>}}
  util.global.store.indirect %v, %p : tensor<4xi32> -> !util.ptr<tensor<5xi32>>
  util.return
}
// -----
// expected-error@+1 {{(C1) initializer function @f not found}}
flow.variable @v init(@f) : i32
// -----
util.func private @f() -> i64
// expected-error@+1 {{(C1) initializer function @f is () -> i64, but must return i32}}
flow.variable @v init(@f) : i32
