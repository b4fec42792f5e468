// RUN: noria opt --pass-pipeline='limit-inlining{max-ops=60}' %s | FileCheck %s
// RUN: noria opt --pass-pipeline='limit-inlining' %s | FileCheck %s --check-prefix=SMALL
// RUN: noria opt --pass-pipeline='limit-inlining{max-ops=60}' %s > %t.mlir
// RUN: noria run --interpret --entry=many %s 3 > %t.expected
// RUN: noria run --entry=many %t.mlir 3 | diff - %t.expected
// RUN: noria compile --emit=ll --entry=many %t.mlir -o %t.ll
// RUN: FileCheck %s --check-prefix=LLVM --input-file=%t.ll

// SMALL-NOT: no_inline
// LLVM: define {{.*}}@noria.looped

// Of what is called, that which adds the least with all of its calls is inlined first, and what is smaller than a call
// always.
// CHECK-LABEL: func.func @many
// CHECK: call @looped(%{{.*}}) {no_inline}
// CHECK: call @looped(%{{.*}}) {no_inline}
// CHECK: call @looped(%{{.*}}) {no_inline}
// CHECK: call @looped(%{{.*}}) {no_inline}
// CHECK: call @once(%{{[0-9a-z]*}}) :
// CHECK: call @tiny(%{{[0-9a-z]*}}) :
// CHECK: call @tiny(%{{[0-9a-z]*}}) :
func.func @many(%x: i64) -> i64 {
  %0 = call @looped(%x) : (i64) -> i64
  %1 = call @looped(%0) : (i64) -> i64
  %2 = call @looped(%1) : (i64) -> i64
  %3 = call @looped(%2) : (i64) -> i64
  %4 = call @once(%3) : (i64) -> i64
  %5 = call @tiny(%4) : (i64) -> i64
  %6 = call @tiny(%5) : (i64) -> i64
  return %6 : i64
}

func.func private @looped(%x: i64) -> i64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c9 = arith.constant 9 : i64
  cf.br ^head(%c0, %x : i64, i64)
^head(%i: i64, %y: i64):
  %c = arith.cmpi slt, %i, %c9 : i64
  cf.cond_br %c, ^body, ^end
^body:
  %a = arith.muli %y, %y : i64
  %b = arith.addi %a, %i : i64
  %d = arith.xori %b, %y : i64
  %e = arith.subi %d, %c9 : i64
  %f = arith.ori %e, %c1 : i64
  %n = arith.addi %i, %c1 : i64
  cf.br ^head(%n, %f : i64, i64)
^end:
  return %y : i64
}

func.func private @once(%x: i64) -> i64 {
  %a = arith.muli %x, %x : i64
  %b = arith.addi %a, %x : i64
  %c = arith.xori %b, %a : i64
  %d = arith.subi %c, %x : i64
  %e = arith.muli %d, %c : i64
  %f = arith.addi %e, %b : i64
  %g = arith.xori %f, %a : i64
  %h = arith.subi %g, %e : i64
  return %h : i64
}

func.func private @tiny(%x: i64) -> i64 {
  %a = arith.muli %x, %x : i64
  return %a : i64
}

// What is inlined into a callee counts, and a function that calls itself is called.
// CHECK-LABEL: func.func @through
// CHECK: call @two(%{{.*}}) {no_inline}
// CHECK: call @two(%{{.*}}) {no_inline}
// CHECK: call @deep(%{{[0-9a-z]*}}) :
func.func @through(%x: i64) -> i64 {
  %0 = call @two(%x) : (i64) -> i64
  %1 = call @two(%0) : (i64) -> i64
  %2 = call @deep(%1) : (i64) -> i64
  return %2 : i64
}

// CHECK-LABEL: func.func private @two
// CHECK-NOT: no_inline
// CHECK: return
func.func private @two(%x: i64) -> i64 {
  %0 = call @looped(%x) : (i64) -> i64
  %1 = call @looped(%0) : (i64) -> i64
  return %1 : i64
}

// CHECK-LABEL: func.func private @deep
// CHECK: call @deep(%{{[0-9a-z]*}}) :
func.func private @deep(%x: i64) -> i64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c = arith.cmpi sgt, %x, %c0 : i64
  cf.cond_br %c, ^more, ^end(%x : i64)
^more:
  %y = arith.subi %x, %c1 : i64
  %z = call @deep(%y) : (i64) -> i64
  cf.br ^end(%z : i64)
^end(%r: i64):
  return %r : i64
}
