// RUN: noria opt --canonicalize %s | FileCheck %s
// RUN: noria opt --canonicalize --syntax=mlir %s | mlir-opt
// RUN: noria opt --canonicalize %s -o %t.mlir

func.func private @use(index)
func.func private @usef(f32)
func.func private @usei(i1)
func.func private @get() -> i32

// CHECK-LABEL: func.func @br_thread_args
// CHECK-SAME: %{{.*}}: i1, %[[X:.*]]: i32, %[[Y:.*]]: i32)
// CHECK-NEXT: cf.cond_br %{{.*}}, ^[[E:.*]](%[[X]], %[[Y]] : i32, i32), ^[[B:.*]]
// CHECK-NEXT: ^[[B]]:
// CHECK-NEXT: %[[Q:.*]] = call @get()
// CHECK-NEXT: cf.br ^[[E]](%[[Q]], %[[Q]] : i32, i32)
func.func @br_thread_args(%c: i1, %x: i32, %y: i32) -> i32 {
  cf.cond_br %c, ^a(%x : i32), ^b
^a(%p: i32):
  cf.br ^e(%p, %y : i32, i32)
^b:
  %q = func.call @get() : () -> i32
  cf.br ^e(%q, %q : i32, i32)
^e(%u: i32, %v: i32):
  %s = arith.addi %u, %v : i32
  return %s : i32
}

// CHECK-LABEL: func.func @cond_same_dest
// CHECK-NEXT: %[[S:.*]] = arith.select
// CHECK-NEXT: return %[[S]]
// RUN: noria run %s --interpret --entry=cond_same_dest 0 3 4 | FileCheck %s --check-prefix=FOUR
// RUN: noria run %t.mlir --check-stages --entry=cond_same_dest 0 3 4 | FileCheck %s --check-prefix=FOUR
// FOUR: {{^}}4 : i32
func.func @cond_same_dest(%c: i1, %x: i32, %y: i32) -> i32 {
  cf.cond_br %c, ^a(%x : i32), ^a(%y : i32)
^a(%p: i32):
  return %p : i32
}

// CHECK-LABEL: func.func @cond_truth
// CHECK: call @usei(%true)
func.func @cond_truth(%c: i1) -> i1 {
  cf.cond_br %c, ^a, ^b
^a:
  func.call @usei(%c) : (i1) -> ()
  cf.br ^e(%c : i1)
^b:
  cf.br ^e(%c : i1)
^e(%r: i1):
  return %r : i1
}

// CHECK-LABEL: func.func @cond_from_cond
// CHECK: cf.cond_br
// CHECK-NOT: cf.cond_br
// CHECK: return
func.func @cond_from_cond(%c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.cond_br %c, ^a, ^b
^a:
  func.call @use(%c0) : (index) -> ()
  cf.cond_br %c, ^d, ^b
^b:
  func.call @use(%c1) : (index) -> ()
  return
^d:
  return
}

// CHECK-LABEL: func.func @switch_default_same
// CHECK: cf.switch
// CHECK-NEXT: default: ^{{.*}},
// CHECK-NEXT: 2: ^
// CHECK-NEXT: ]
func.func @switch_default_same(%f: i32, %x: f32) -> f32 {
  cf.switch %f : i32, [ default: ^a(%x : f32), 1: ^a(%x : f32), 2: ^b ]
^a(%p: f32):
  return %p : f32
^b:
  func.call @usef(%x) : (f32) -> ()
  return %x : f32
}

// CHECK-LABEL: func.func @switch_thread
// CHECK-SAME: %{{.*}}: i32, %[[X:.*]]: f32, %[[Y:.*]]: f32)
// CHECK: default: ^[[A:.*]](%[[X]] : f32),
// CHECK-NEXT: 1: ^[[A]](%[[Y]] : f32),
func.func @switch_thread(%f: i32, %x: f32, %y: f32) -> f32 {
  cf.switch %f : i32, [ default: ^a(%x : f32), 1: ^b(%y : f32), 2: ^c ]
^a(%p: f32):
  return %p : f32
^b(%q: f32):
  cf.br ^a(%q : f32)
^c:
  func.call @usef(%x) : (f32) -> ()
  return %x : f32
}

// In the block of a case its number is known.
// CHECK-LABEL: func.func @switch_value
// CHECK: %[[C9:.*]] = arith.constant 9 : i32
// CHECK: return %[[C9]]
// RUN: noria run %s --interpret --entry=switch_value 8 | FileCheck %s --check-prefix=NINE
// RUN: noria run %t.mlir --check-stages --entry=switch_value 8 | FileCheck %s --check-prefix=NINE
// NINE: {{^}}9 : i32
func.func @switch_value(%f: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  cf.switch %f : i32, [ default: ^a, 8: ^b ]
^a:
  return %f : i32
^b:
  %n = arith.addi %f, %c1 : i32
  return %n : i32
}

// Blocks that go round for ever stay.
// CHECK-LABEL: func.func @round
// CHECK: cf.cond_br
// CHECK: cf.br
func.func @round(%c: i1) {
  cf.cond_br %c, ^a, ^e
^a:
  cf.br ^b
^b:
  cf.br ^a
^e:
  return
}
