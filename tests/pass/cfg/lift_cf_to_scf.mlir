// RUN: noria opt --lift-cf-to-scf %s | FileCheck %s --implicit-check-not='{{^ *cf[.]}}'
// RUN: noria opt --lift-cf-to-scf --syntax=mlir %s | mlir-opt
// RUN: noria opt --lift-cf-to-scf %s -o %t.mlir
// Back again, and back once more: the same as the first time.
// RUN: noria opt --lift-cf-to-scf --canonicalize --convert-scf-to-cf --lift-cf-to-scf --convert-scf-to-cf %s -o %t.cf.mlir
// RUN: noria run %t.cf.mlir --check-stages --entry=exits 9 5 | FileCheck %s --check-prefix=FOUND

// CHECK-LABEL: func.func @loop
// CHECK-SAME: %[[X:.*]]: i32, %[[N:.*]]: i32)
// CHECK: %[[R:.*]] = scf.while (%[[A:.*]] = %[[X]]) : (i32) -> i32 {
// CHECK-NEXT: %[[C:.*]] = arith.cmpi slt, %[[A]], %[[N]] : i32
// CHECK-NEXT: scf.condition(%[[C]]) %[[A]] : i32
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%[[B:.*]]: i32):
// CHECK-NEXT: %[[S:.*]] = arith.addi %[[B]], %{{.*}} : i32
// CHECK-NEXT: scf.yield %[[S]] : i32
// CHECK-NEXT: }
// CHECK-NEXT: return %[[R]]
// A counted loop becomes scf.for again.
// RUN: noria opt --lift-cf-to-scf --while-to-for --canonicalize %s | FileCheck %s --check-prefix=FOR
// FOR-LABEL: func.func @loop
// FOR: scf.for
// RUN: noria run %s --interpret --entry=loop 3 8 | FileCheck %s --check-prefix=LOOP
// RUN: noria run %t.mlir --check-stages --entry=loop 3 8 | FileCheck %s --check-prefix=LOOP
// LOOP: {{^}}8 : i32
func.func @loop(%x: i32, %n: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  cf.br ^head(%x : i32)
^head(%a: i32):
  %c = arith.cmpi slt, %a, %n : i32
  cf.cond_br %c, ^body, ^end
^body:
  %s = arith.addi %a, %c1 : i32
  cf.br ^head(%s : i32)
^end:
  return %a : i32
}

// The condition at the end, and true when the loop is over.
// CHECK-LABEL: func.func @repeat
// CHECK: %[[R:.*]] = scf.while (%[[A:.*]] = %{{.*}}) : (i32) -> i32 {
// CHECK-NEXT: %[[S:.*]] = arith.addi
// CHECK-NEXT: %[[C:.*]] = arith.cmpi sge, %[[S]]
// CHECK: %[[NOT:.*]] = arith.xori %[[C]]
// CHECK-NEXT: scf.condition(%[[NOT]]) %[[S]] : i32
// CHECK: return %[[R]]
// RUN: noria run %s --interpret --entry=repeat 9 8 | FileCheck %s --check-prefix=REPEAT
// RUN: noria run %t.mlir --check-stages --entry=repeat 9 8 | FileCheck %s --check-prefix=REPEAT
// REPEAT: {{^}}10 : i32
func.func @repeat(%x: i32, %n: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  cf.br ^head(%x : i32)
^head(%a: i32):
  %s = arith.addi %a, %c1 : i32
  %c = arith.cmpi sge, %s, %n : i32
  cf.cond_br %c, ^end, ^head(%s : i32)
^end:
  return %s : i32
}

// CHECK-LABEL: func.func @diamond
// CHECK: %[[R:.*]] = scf.if %{{.*}} -> (i32) {
// CHECK-NEXT: %[[A:.*]] = arith.addi
// CHECK-NEXT: scf.yield %[[A]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[B:.*]] = arith.muli
// CHECK-NEXT: scf.yield %[[B]]
// CHECK-NEXT: }
// CHECK-NEXT: return %[[R]]
func.func @diamond(%c: i1, %x: i32) -> i32 {
  cf.cond_br %c, ^a, ^b
^a:
  %1 = arith.addi %x, %x : i32
  cf.br ^e(%1: i32)
^b:
  %2 = arith.muli %x, %x : i32
  cf.br ^e(%2: i32)
^e(%r : i32):
  return %r : i32
}

// Two ways to one block: a flag says whether to go there.
// CHECK-LABEL: func.func @either
// CHECK: %[[R:.*]]:2 = scf.if %{{.*}} -> (i32, i1) {
// CHECK-NEXT: %{{.*}}:2 = scf.if
// CHECK: scf.if %[[R]]#1 -> (i32)
// RUN: noria run %t.mlir --check-stages --entry=either 1 1 5 | FileCheck %s --check-prefix=SUM
// RUN: noria run %t.mlir --check-stages --entry=either 1 0 5 | FileCheck %s --check-prefix=PRODUCT
// RUN: noria run %t.mlir --check-stages --entry=either 0 1 5 | FileCheck %s --check-prefix=PRODUCT
// SUM: {{^}}10 : i32
// PRODUCT: {{^}}25 : i32
func.func @either(%a: i1, %b: i1, %x: i32) -> i32 {
  cf.cond_br %a, ^b, ^y
^b:
  cf.cond_br %b, ^x, ^y
^x:
  %1 = arith.addi %x, %x : i32
  cf.br ^j(%1 : i32)
^y:
  %2 = arith.muli %x, %x : i32
  cf.br ^j(%2 : i32)
^j(%r: i32):
  return %r : i32
}

// A loop with two ways out that return different things.
// CHECK-LABEL: func.func @exits
// CHECK: scf.while
// CHECK: scf.if
// CHECK: return
// RUN: noria run %s --interpret --entry=exits 9 5 | FileCheck %s --check-prefix=FOUND
// RUN: noria run %t.mlir --check-stages --entry=exits 9 5 | FileCheck %s --check-prefix=FOUND
// RUN: noria run %t.mlir --check-stages --entry=exits 9 50 | FileCheck %s --check-prefix=MISSED
// FOUND: {{^}}12 : i32
// MISSED: {{^}}9 : i32
func.func @exits(%n: i32, %m: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cf.br ^h(%c0 : i32)
^h(%i : i32):
  %c = arith.cmpi slt, %i, %n : i32
  cf.cond_br %c, ^b, ^e1
^b:
  %d = arith.cmpi eq, %i, %m : i32
  %k = arith.addi %i, %c1 : i32
  cf.cond_br %d, ^e2, ^h(%k : i32)
^e1:
  return %i : i32
^e2:
  %q = arith.addi %k, %k : i32
  return %q : i32
}

// A cycle with two entries.
// CHECK-LABEL: func.func @irreducible
// CHECK: scf.while
// CHECK: scf.if
// RUN: noria run %s --interpret --entry=irreducible 1 4 | FileCheck %s --check-prefix=FOUR
// RUN: noria run %t.mlir --check-stages --entry=irreducible 1 4 | FileCheck %s --check-prefix=FOUR
// RUN: noria run %t.mlir --check-stages --entry=irreducible 0 6 | FileCheck %s --check-prefix=SIX
// FOUR: {{^}}4 : i32
// SIX: {{^}}6 : i32
func.func @irreducible(%a: i1, %n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cf.cond_br %a, ^x(%c0 : i32), ^y(%n : i32)
^x(%i : i32):
  %1 = arith.addi %i, %c1 : i32
  cf.br ^y(%1 : i32)
^y(%j : i32):
  %c = arith.cmpi slt, %j, %n : i32
  cf.cond_br %c, ^x(%j : i32), ^e
^e:
  return %j : i32
}

// CHECK-LABEL: func.func @switch
// CHECK: scf.index_switch
// CHECK: case 5 {
// CHECK: case -1 {
// CHECK: default {
// RUN: noria run %t.mlir --check-stages --entry=switch -1 7 | FileCheck %s --check-prefix=MINUS
// RUN: noria run %t.mlir --check-stages --entry=switch 5 7 | FileCheck %s --check-prefix=FIVE
// RUN: noria run %t.mlir --check-stages --entry=switch 4 7 | FileCheck %s --check-prefix=DEFAULT
// MINUS: {{^}}-1 : i8
// FIVE: {{^}}49 : i8
// DEFAULT: {{^}}14 : i8
func.func @switch(%flag: i8, %x: i8) -> i8 {
  cf.switch %flag : i8, [
    default: ^a,
    5: ^b,
    -1: ^c(%flag : i8)
  ]
^a:
  %1 = arith.addi %x, %x : i8
  cf.br ^c(%1 : i8)
^b:
  %2 = arith.muli %x, %x : i8
  cf.br ^c(%2 : i8)
^c(%r: i8):
  return %r : i8
}

// It never returns, and is still a program.
// CHECK-LABEL: func.func @endless
// CHECK: scf.while
// CHECK: scf.condition(%true)
func.func @endless(%c: i1) -> i32 {
  cf.cond_br %c, ^h, ^g
^g:
  %r = arith.constant 1 : i32
  return %r : i32
^h:
  cf.br ^h
}

// A loop in a loop, and a value of the inner one used behind both.
// CHECK-LABEL: func.func @nested
// CHECK: scf.while
// CHECK: scf.while
// RUN: noria run %s --interpret --entry=nested 3 4 | FileCheck %s --check-prefix=NESTED
// RUN: noria run %t.mlir --check-stages --entry=nested 3 4 | FileCheck %s --check-prefix=NESTED
// NESTED: {{^}}12 : i32
func.func @nested(%n: i32, %m: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cf.br ^outer(%c0, %c0 : i32, i32)
^outer(%i: i32, %sum: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^inner(%c0, %sum : i32, i32), ^end
^inner(%j: i32, %s: i32):
  %t = arith.addi %s, %c1 : i32
  %k = arith.addi %j, %c1 : i32
  %again = arith.cmpi slt, %k, %m : i32
  cf.cond_br %again, ^inner(%k, %t : i32, i32), ^next
^next:
  %l = arith.addi %i, %c1 : i32
  cf.br ^outer(%l, %t : i32, i32)
^end:
  return %sum : i32
}

// A buffer that only some of the ways have: what stands for it on the others is not looked at.
// CHECK-LABEL: func.func @buffer
// CHECK: ub.poison : memref<?xf32>
// RUN: noria run %s --interpret --entry=buffer 1 1 3 | FileCheck %s --check-prefix=TWO
// RUN: noria run %t.mlir --check-stages --entry=buffer 1 1 3 | FileCheck %s --check-prefix=TWO
// RUN: noria run %t.mlir --check-stages --entry=buffer 0 1 3 | FileCheck %s --check-prefix=ONE
// RUN: noria run %t.mlir --check-stages --entry=buffer 1 0 3 | FileCheck %s --check-prefix=THREE
// TWO: {{^}}2.000000e+00 : f32
// ONE: {{^}}1.000000e+00 : f32
// THREE: {{^}}3.000000e+00 : f32
func.func @buffer(%a: i1, %b: i1, %n: index) -> f32 {
  %m = memref.alloc(%n) : memref<?xf32>
  %c0 = arith.constant 0 : index
  %f1 = arith.constant 1.0 : f32
  %f2 = arith.constant 2.0 : f32
  %f3 = arith.constant 3.0 : f32
  memref.store %f1, %m[%c0] : memref<?xf32>
  cf.cond_br %a, ^b, ^y
^b:
  cf.cond_br %b, ^x(%m : memref<?xf32>), ^y
^x(%x: memref<?xf32>):
  memref.store %f2, %x[%c0] : memref<?xf32>
  cf.br ^z(%x : memref<?xf32>)
^y:
  cf.cond_br %b, ^z(%m : memref<?xf32>), ^e(%f3: f32)
^z(%o: memref<?xf32>):
  %r = memref.load %o[%c0] : memref<?xf32>
  memref.dealloc %o : memref<?xf32>
  cf.br ^e(%r: f32)
^e(%q: f32):
  return %q: f32
}

// The same with tensors of open size. What is compiled must have them in regions of one block.
// CHECK-LABEL: func.func @tensor
// CHECK: ub.poison : tensor<?xf32>
// RUN: noria run %s --interpret --entry=tensor 1 1 3 | FileCheck %s --check-prefix=FOURS
// RUN: noria run %s --check-stages --entry=tensor 1 1 3 | FileCheck %s --check-prefix=FOURS
// RUN: noria run %t.mlir --check-stages --entry=tensor 1 1 3 | FileCheck %s --check-prefix=FOURS
// RUN: noria run %s --check-stages --entry=tensor 0 0 3 | FileCheck %s --check-prefix=TWOS
// RUN: noria opt --lift-cf-to-scf=on-tensors=true %s | FileCheck %s --check-prefix=TENSORS
// TENSORS-LABEL: func.func @loop
// TENSORS: cf.cond_br
// TENSORS-LABEL: func.func @tensor
// TENSORS-NOT: cf.cond_br
// FOURS: {{^}}dense<4.000000e+00> : tensor<3xf32>
// TWOS: {{^}}dense<2.000000e+00> : tensor<3xf32>
func.func @tensor(%a: i1, %b: i1, %n: index) -> tensor<?xf32> {
  %f1 = arith.constant 1.0 : f32
  %f2 = arith.constant 2.0 : f32
  %m = tensor.splat %f1[%n] : tensor<?xf32>
  %k = tensor.splat %f2[%n] : tensor<?xf32>
  cf.cond_br %a, ^b, ^y
^b:
  cf.cond_br %b, ^x(%m : tensor<?xf32>), ^y
^x(%x: tensor<?xf32>):
  %w = arith.addf %x, %x : tensor<?xf32>
  cf.br ^z(%w : tensor<?xf32>)
^y:
  cf.cond_br %b, ^z(%m : tensor<?xf32>), ^e(%k: tensor<?xf32>)
^z(%o: tensor<?xf32>):
  %v = arith.mulf %o, %k : tensor<?xf32>
  cf.br ^e(%v: tensor<?xf32>)
^e(%q: tensor<?xf32>):
  return %q: tensor<?xf32>
}

// Of two cases with one value the first counts.
// CHECK-LABEL: func.func @repeated
// CHECK: scf.index_switch
// CHECK-NEXT: case 7 {
// CHECK-NEXT: scf.yield %c2
// CHECK-NOT: case
// RUN: noria run %s --check-stages --entry=repeated 7 | FileCheck %s --check-prefix=SEVEN
// RUN: noria run %t.mlir --check-stages --entry=repeated 7 | FileCheck %s --check-prefix=SEVEN
// SEVEN: {{^}}2 : i32
func.func @repeated(%flag: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  cf.switch %flag : i32, [default: ^a(%c1 : i32), 7: ^a(%c2 : i32), 9: ^a(%c1 : i32), 7: ^a(%c3 : i32), 9: ^a(%c3 : i32)]
^a(%r: i32):
  return %r : i32
}
