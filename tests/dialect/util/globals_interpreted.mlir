// What only the interpreter runs: pointers that a run chooses, and globals whose sizes it changes.
// RUN: not noria run %s --entry=chosen true 2>&1 | FileCheck %s --check-prefix=CHOSEN
// RUN: noria run --interpret %s --entry=chosen true | FileCheck %s --check-prefix=CHOICE
// RUN: not noria run %s --entry=dynamic 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// RUN: noria run --interpret %s --entry=dynamic | FileCheck %s --check-prefix=SIZES
util.global private mutable @count = 84 : i64
util.global private mutable @any : tensor<?xi32>

util.func public @chosen(%c: i1) -> i64 {
  %p = util.global.address @count : !util.ptr<i64>
  %q = util.global.address @count : !util.ptr<i64>
  %r = scf.if %c -> !util.ptr<i64> {
    scf.yield %p : !util.ptr<i64>
  } else {
    scf.yield %q : !util.ptr<i64>
  }
  // CHOSEN: globals_interpreted.mlir:[[#@LINE+1]]:8: {{.*}}cannot be compiled: which global the pointer refers to is only known in a run
  %v = util.global.load.indirect %r : !util.ptr<i64> -> i64
  util.return %v : i64
}
// CHOICE: 84 : i64

util.func public @dynamic() -> tensor<?xi32> {
  %v = arith.constant dense<[6, 7]> : tensor<2xi32>
  %w = tensor.cast %v : tensor<2xi32> to tensor<?xi32>
  util.global.store %w, @any : tensor<?xi32>
  // DYNAMIC: cannot be compiled: a global of type tensor<?xi32> has no storage of a fixed size
  %r = util.global.load @any : tensor<?xi32>
  util.return %r : tensor<?xi32>
}
// SIZES: dense<[6, 7]> : tensor<2xi32>

