// RUN: noria opt --pass-pipeline=fold-globals,symbol-dce %s | FileCheck %s
// RUN: noria run %s --entry=main 3 --check-stages | FileCheck %s --check-prefix=VALUES
// RUN: noria opt --pass-pipeline=fold-globals,symbol-dce %s | noria run - --entry=main 3 | FileCheck %s --check-prefix=VALUES

// Never stored to, or only the value that it has.
// CHECK-NOT: @constant
util.global private @constant = 1 : i32
// CHECK-NOT: @unchanged
util.global private mutable @unchanged = 2 : i32
// CHECK-NOT: @uniform
util.global private mutable @uniform = 3 : i32
// An initializer begins with a constant.
// CHECK-NOT: @begins
util.global private mutable @begins : tensor<2xi32>
// A copy of a copy of what does not change.
// CHECK-NOT: @copy
util.global private @copy : i32
util.global private @copy_of_copy : i32
// Never read.
// CHECK-NOT: @written
util.global private mutable @written : i32
// Changed by initializers alone.
// CHECK: util.global private @settled : i32
util.global private mutable @settled : i32
// These stay: changed by the program, with an address, seen from outside, of another type than what is loaded.
// CHECK: util.global private mutable @changed = 7 : i32
util.global private mutable @changed = 7 : i32
// CHECK: util.global private mutable @pointed = 8 : i32
util.global private mutable @pointed = 8 : i32
// CHECK: util.global public mutable @outside = 9 : i32
util.global public mutable @outside = 9 : i32
// CHECK: util.global private @any : tensor<?xi32> = dense<10> : tensor<2xi32>
util.global private @any : tensor<?xi32> = dense<10> : tensor<2xi32>

util.initializer {
  %v = arith.constant dense<[4, 5]> : tensor<2xi32>
  // CHECK-NOT: util.global.store {{.*}}, @begins
  util.global.store %v, @begins : tensor<2xi32>
  util.return
}
util.initializer {
  %c = util.global.load @constant : i32
  // CHECK-NOT: util.global.store {{.*}}, @copy
  util.global.store %c, @copy : i32
  util.return
}
util.initializer {
  %c = util.global.load @copy : i32
  util.global.store %c, @copy_of_copy : i32
  // CHECK: util.global.store %{{.*}}, @settled
  %d = util.optimization_barrier %c : i32
  util.global.store %d, @settled : i32
  util.return
}

// VALUES: 1 : i32
// VALUES: 2 : i32
// VALUES: 3 : i32
// VALUES: dense<[4, 5]> : tensor<2xi32>
// VALUES: 1 : i32
// VALUES: 1 : i32
// VALUES: 3 : i32
// VALUES: 3 : i32
// VALUES: 9 : i32
// VALUES: dense<10> : tensor<2xi32>
// CHECK-LABEL: util.func public @main
util.func public @main(%x: i32) -> (i32, i32, i32, tensor<2xi32>, i32, i32, i32, i32, i32, tensor<?xi32>) {
  %three = arith.constant 3 : i32
  util.global.store %three, @uniform : i32
  util.global.store %x, @written : i32
  util.global.store %x, @changed : i32
  %p = util.global.address @pointed : !util.ptr<i32>
  util.global.store.indirect %x, %p : i32 -> !util.ptr<i32>
  %0 = util.global.load @constant : i32
  %1 = util.global.load @unchanged : i32
  %2 = util.global.load @uniform : i32
  %3 = util.global.load @begins : tensor<2xi32>
  %4 = util.global.load @copy_of_copy : i32
  // CHECK: util.global.load @settled
  %5 = util.global.load @settled : i32
  // CHECK: util.global.load @changed
  %6 = util.global.load @changed : i32
  // CHECK: util.global.load @pointed
  %7 = util.global.load @pointed : i32
  // CHECK: util.global.load @outside
  %8 = util.global.load @outside : i32
  // CHECK: util.global.load @any
  %9 = util.global.load @any : tensor<?xi32>
  util.return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : i32, i32, i32, tensor<2xi32>, i32, i32, i32, i32, i32, tensor<?xi32>
}
