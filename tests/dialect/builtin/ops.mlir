// RUN: noria opt %s | FileCheck %s
// RUN: noria opt --syntax=mlir %s | mlir-opt

// CHECK: module @outer attributes {a.note = "x"} {
module @outer attributes {a.note = "x"} {
  // CHECK: module @inner {
  module @inner {
  }
  // CHECK: module {
  module {
    func.func @casts(%a: i32, %b: f32) {
      // CHECK: %[[C:.*]] = builtin.unrealized_conversion_cast %{{.*}} : i32 to index
      %0 = builtin.unrealized_conversion_cast %a : i32 to index
      // CHECK: builtin.unrealized_conversion_cast %{{.*}}, %{{.*}} : i32, f32 to tuple<i32, f32>
      %1 = builtin.unrealized_conversion_cast %a, %b : i32, f32 to tuple<i32, f32>
      // CHECK: builtin.unrealized_conversion_cast to i64, i64
      %2:2 = builtin.unrealized_conversion_cast to i64, i64
      return
    }
  }
}
