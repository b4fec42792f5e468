// RUN: noria opt --pass-pipeline='limit-vectorization{max-ops=6}' %s | FileCheck %s
// RUN: noria opt --pass-pipeline='limit-vectorization' %s | FileCheck %s --check-prefix=DEFAULT
// RUN: noria opt --pass-pipeline='limit-vectorization{max-ops=6}' %s | noria compile --emit=ll - -o %t.ll
// RUN: FileCheck %s --check-prefix=LLVM --input-file=%t.ll

// DEFAULT-NOT: noria.loop = {vectorize = false}
// LLVM: !{!"llvm.loop.vectorize.enable", i1 false}

// Two blocks, of more than six ops.
// CHECK-LABEL: func.func @main
// CHECK: cf.cond_br %{{.*}}, ^bb1(%{{.*}} : i64), ^bb3 {noria.loop = {vectorize = false}}
func.func @main(%n: i64, %m: memref<64xi64>, %i: index) -> i64 {
  %c1 = arith.constant 1 : i64
  cf.br ^head(%c1 : i64)
^head(%k: i64):
  memref.store %k, %m[%i] : memref<64xi64>
  %a = arith.muli %k, %k : i64
  %b = arith.xori %a, %k : i64
  cf.br ^latch
^latch:
  memref.store %b, %m[%i] : memref<64xi64>
  %next = arith.addi %k, %c1 : i64
  %more = arith.cmpi slt, %next, %n : i64
  cf.cond_br %more, ^head(%next : i64), ^exit
^exit:
  return %k : i64
}

// What is said of a loop stays, and small ones and branches ahead get nothing.
// CHECK-LABEL: func.func @others
// CHECK: cf.br ^bb{{[0-9]+}}(%{{.*}}){{$}}
// CHECK: cf.cond_br %{{.*}}, ^bb{{[0-9]+}}(%{{.*}} : i64), ^bb{{[0-9]+}}(%{{.*}} : i64){{$}}
// CHECK: {noria.loop = {unroll = 4 : i64}}
func.func @others(%n: i64, %m: memref<64xi64>, %i: index) -> i64 {
  %c1 = arith.constant 1 : i64
  cf.br ^small(%c1 : i64)
^small(%j: i64):
  %up = arith.addi %j, %c1 : i64
  %go = arith.cmpi slt, %up, %n : i64
  cf.cond_br %go, ^small(%up : i64), ^large(%c1 : i64)
^large(%k: i64):
  %a = arith.muli %k, %k : i64
  %b = arith.xori %a, %k : i64
  %c = arith.addi %a, %b : i64
  memref.store %c, %m[%i] : memref<64xi64>
  %next = arith.addi %k, %c1 : i64
  %more = arith.cmpi slt, %next, %n : i64
  cf.cond_br %more, ^large(%next : i64), ^exit {noria.loop = {unroll = 4 : i64}}
^exit:
  return %k : i64
}

// What follows a loop is none of its body, wherever its blocks are.
// CHECK-LABEL: func.func @behind
// CHECK-NOT: noria.loop
func.func @behind(%n: i64, %m: memref<64xi64>, %i: index) -> i64 {
  %c1 = arith.constant 1 : i64
  cf.br ^head(%c1 : i64)
^head(%k: i64):
  %more = arith.cmpi slt, %k, %n : i64
  cf.cond_br %more, ^body, ^exit
^exit:
  memref.store %k, %m[%i] : memref<64xi64>
  %a = arith.muli %k, %k : i64
  %b = arith.xori %a, %k : i64
  %c = arith.addi %a, %b : i64
  %d = arith.muli %b, %c : i64
  memref.store %d, %m[%i] : memref<64xi64>
  return %d : i64
^body:
  %next = arith.addi %k, %c1 : i64
  cf.br ^head(%next : i64)
}

// Two branches go back: both halves are the body, and both are marked.
// CHECK-LABEL: func.func @two_ends
// CHECK: cf.br ^bb1(%{{.*}}) {noria.loop = {vectorize = false}}
// CHECK: cf.br ^bb1(%{{.*}}) {noria.loop = {vectorize = false}}
func.func @two_ends(%n: i64, %m: memref<64xi64>, %i: index) -> i64 {
  %c1 = arith.constant 1 : i64
  cf.br ^head(%c1 : i64)
^head(%k: i64):
  %more = arith.cmpi slt, %k, %n : i64
  %odd = arith.trunci %k : i64 to i1
  cf.cond_br %more, ^body, ^exit
^body:
  cf.cond_br %odd, ^left, ^right
^left:
  %a = arith.addi %k, %c1 : i64
  cf.br ^head(%a : i64)
^right:
  %b = arith.muli %k, %k : i64
  cf.br ^head(%b : i64)
^exit:
  return %k : i64
}
