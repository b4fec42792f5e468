// RUN: noria opt --pass-pipeline=symbol-dce %s | FileCheck %s
// RUN: noria opt --pass-pipeline=symbol-dce --syntax=mlir %s | mlir-opt

// CHECK-NOT: @unused
func.func private @unused() {
  call @used_by_unused() : () -> ()
  return
}
// CHECK-NOT: @used_by_unused
func.func private @used_by_unused()
// CHECK: func.func private @used
func.func private @used()
// CHECK: func.func private @used_in_attribute
func.func private @used_in_attribute()
// CHECK: func.func @public
func.func @public() attributes {note = [@used_in_attribute]} {
  call @used() : () -> ()
  return
}
