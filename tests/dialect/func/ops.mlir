// RUN: noria opt %s | FileCheck %s
// RUN: noria opt --syntax=mlir %s | mlir-opt

// CHECK: func.func private @declared(i32, f32 {a.note = "x"}) -> (i32, f32 {a.unit})
func.func private @declared(i32, f32 {a.note = "x"}) -> (i32, f32 {a.unit})
// CHECK: func.func private @nothing()
func.func private @nothing()
// CHECK: func.func nested @seen_by_parent()
func.func nested @seen_by_parent() { return }
// CHECK: func.func @returns_a_function() -> (() -> i32)
func.func @returns_a_function() -> (() -> i32) {
  // CHECK: %[[F:.*]] = {{(func\.)?}}constant @answer : () -> i32
  %f = func.constant @answer : () -> i32
  // CHECK: call_indirect %[[F]]() : () -> i32
  %0 = func.call_indirect %f() : () -> i32
  return %f : () -> i32
}
// CHECK: func.func @answer() -> i32 attributes {no_inline, note = 1 : i64}
func.func @answer() -> i32 attributes {no_inline, note = 1 : i64} {
  %0 = arith.constant 42 : i32
  return %0 : i32
}
// CHECK: func.func @"name with blanks"(%{{.*}}: i32 {a.note = "x"}, %{{.*}}: f32) -> (i32 {a.unit}, f32)
func.func @"name with blanks"(%a: i32 {a.note = "x"}, %b: f32) -> (i32 {a.unit}, f32) {
  // CHECK: %[[R:.*]]:2 = call @declared(%{{.*}}, %{{.*}}) : (i32, f32) -> (i32, f32)
  %r:2 = call @declared(%a, %b) : (i32, f32) -> (i32, f32)
  // CHECK: call @nothing() {tag} : () -> ()
  call @nothing() {tag} : () -> ()
  // CHECK: return %[[R]]#0, %[[R]]#1 : i32, f32
  return %r#0, %r#1 : i32, f32
}
