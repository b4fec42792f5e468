// Generic forms of 2019 and 2020: terminators that are gone, attributes that have other names.
// RUN: noria opt --syntax=mlir %s | FileCheck %s
// RUN: noria opt --syntax=mlir %s | mlir-opt

// CHECK: module {
"module"() ({
  // CHECK-NEXT: func.func @generic(%[[N:.*]]: index, %[[X:.*]]: f32, %[[B:.*]]: i1) -> f32 {
  "func"() ({
  ^bb0(%n: index, %x: f32, %b: i1):
    // CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
    %c1 = "std.constant"() {value = 1 : index} : () -> index
    // CHECK-NEXT: %{{.*}} = constant @generic : (index, f32, i1) -> f32
    %f = "std.constant"() {value = @generic} : () -> ((index, f32, i1) -> f32)
    // CHECK-NEXT: scf.for %{{.*}} = %[[C1]] to %[[N]] step %[[C1]] {
    // CHECK-NEXT: scf.if %[[B]] {
    // CHECK-NEXT: }
    // CHECK-NEXT: }
    "loop.for"(%c1, %n, %c1) ({
    ^bb0(%i: index):
      "loop.if"(%b) ({
        "loop.terminator"() : () -> ()
      }, {}) : (i1) -> ()
      "loop.terminator"() : () -> ()
    }) : (index, index, index) -> ()
    // CHECK-NEXT: return %[[X]] : f32
    "std.return"(%x) : (f32) -> ()
  }) {sym_name = "generic", type = (index, f32, i1) -> f32} : () -> ()
  "module_terminator"() : () -> ()
}) : () -> ()
