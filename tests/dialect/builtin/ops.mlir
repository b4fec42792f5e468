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

// Bits keep their place when a sign is put on them.
// RUN: noria run %s --entry=signs -1 '[1, 255]' --check-passes | FileCheck %s --check-prefix=SIGNS
// SIGNS: {{^}}255 : ui8{{$}}
// SIGNS-NEXT: dense<[1, -1]> : tensor<2xsi8>
func.func @signs(%a: i8, %b: memref<2xui8>) -> (ui8, memref<2xsi8>) {
  %0 = builtin.unrealized_conversion_cast %a : i8 to ui8
  %1 = builtin.unrealized_conversion_cast %b : memref<2xui8> to memref<2xsi8>
  return %0, %1 : ui8, memref<2xsi8>
}
