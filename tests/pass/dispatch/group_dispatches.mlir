// Dispatches that do not depend on each other become parts of one.
// RUN: noria opt --pass-pipeline="group-dispatches{min-work-ns=0},canonicalize,cse" %s -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: noria run --interpret --entry=branches %t.mlir | FileCheck %s --check-prefix=BRANCHES
// RUN: noria run --entry=branches %t.mlir --threads=1 | FileCheck %s --check-prefix=BRANCHES
// RUN: noria run --entry=branches %t.mlir --threads=2 | FileCheck %s --check-prefix=BRANCHES
// RUN: noria run --entry=branches %t.mlir --threads=4 | FileCheck %s --check-prefix=BRANCHES
// RUN: noria run --entry=grids %t.mlir 3 2 --threads=2 | FileCheck %s --check-prefix=GRIDS
// RUN: noria run --interpret --entry=grids %t.mlir 3 2 | FileCheck %s --check-prefix=GRIDS
// RUN: noria run --entry=grids %t.mlir 0 2 --threads=2 | FileCheck %s --check-prefix=EMPTY
// RUN: noria run --entry=grids %t.mlir -5 2 | FileCheck %s --check-prefix=EMPTY
// RUN: noria run --entry=names %t.mlir --threads=2 | FileCheck %s --check-prefix=NAMES
// RUN: noria run --entry=again %t.mlir --threads=2 | FileCheck %s --check-prefix=AGAIN
// RUN: noria run --entry=carried %t.mlir --threads=2 | FileCheck %s --check-prefix=CARRIED
// RUN: not noria run --entry=checked %t.mlir 7 2>&1 | FileCheck %s --check-prefix=CHECKED
// RUN: noria run --check-stages --entry=branches %s | FileCheck %s --check-prefix=BRANCHES

// out[x] = a[x] + x
flow.executable private @add {
  flow.executable.export public @add
  builtin.module {
    func.func @add(%a: memref<4xi64>, %out: memref<4xi64>, %x: index, %y: index, %z: index) attributes {noria.dispatch} {
      %0 = memref.load %a[%x] : memref<4xi64>
      %1 = arith.index_cast %x : index to i64
      %2 = arith.addi %0, %1 : i64
      memref.store %2, %out[%x] : memref<4xi64>
      return
    }
  }
}
// out[x] = a[x] * 10, also named add
flow.executable private @scale {
  flow.executable.export public @add
  builtin.module {
    memref.global "private" constant @ten : memref<1xi64> = dense<10>
    func.func @add(%a: memref<4xi64>, %out: memref<4xi64>, %x: index, %y: index, %z: index) attributes {noria.dispatch} {
      %c0 = arith.constant 0 : index
      %ten = memref.get_global @ten : memref<1xi64>
      %0 = memref.load %a[%x] : memref<4xi64>
      %1 = memref.load %ten[%c0] : memref<1xi64>
      %2 = arith.muli %0, %1 : i64
      memref.store %2, %out[%x] : memref<4xi64>
      return
    }
  }
}
// out[x][y][z] = its place in a grid
flow.executable private @place {
  flow.executable.export public @place
  builtin.module {
    func.func @place(%out: memref<3x2x2xi64>, %x: index, %y: index, %z: index) attributes {noria.dispatch} {
      %c10 = arith.constant 10 : index
      %0 = arith.muli %x, %c10 : index
      %1 = arith.addi %0, %y : index
      %2 = arith.muli %1, %c10 : index
      %3 = arith.addi %2, %z : index
      %4 = arith.index_cast %3 : index to i64
      memref.store %4, %out[%x, %y, %z] : memref<3x2x2xi64>
      return
    }
  }
}
// A constant of the same name as one of @scale, with another value.
flow.executable private @other {
  flow.executable.export public @other
  builtin.module {
    memref.global "private" constant @ten : memref<1xi64> = dense<100>
    func.func @other(%out: memref<4xi64>, %x: index, %y: index, %z: index) attributes {noria.dispatch} {
      %c0 = arith.constant 0 : index
      %ten = memref.get_global @ten : memref<1xi64>
      %0 = memref.load %ten[%c0] : memref<1xi64>
      memref.store %0, %out[%x] : memref<4xi64>
      return
    }
  }
}
// Fails for workgroups from 2 on.
flow.executable private @fails {
  flow.executable.export public @fails
  builtin.module {
    func.func @fails(%out: memref<4xi64>, %x: index, %y: index, %z: index) attributes {noria.dispatch} {
      %c2 = arith.constant 2 : index
      %ok = arith.cmpi ult, %x, %c2 : index
      rt.check %ok, "a workgroup fails"
      return
    }
  }
}

// The parts call copies of both functions; what each is given is passed once.
// CHECK-LABEL: flow.executable private @branches_group_0 {
// CHECK: func.func @branches_group_0(%[[A:.*]]: memref<4xi64>, %[[P:.*]]: memref<4xi64>, %[[Q:.*]]: memref<4xi64>, %[[X:.*]]: index, %{{.*}}: index, %{{.*}}: index) attributes {noria.dispatch}
// CHECK: %[[FOUR:.*]] = arith.constant 4 : index
// CHECK: %[[FIRST:.*]] = arith.cmpi ult, %[[X]], %[[FOUR]] : index
// CHECK: scf.if %[[FIRST]] {
// CHECK: func.call @add(%[[A]], %[[P]], %[[X]], %{{.*}}, %{{.*}})
// CHECK: } else {
// CHECK: %[[REST:.*]] = arith.subi %[[X]], %[[FOUR]] : index
// CHECK: func.call @[[SCALE:.*]](%[[A]], %[[Q]], %[[REST]], %{{.*}}, %{{.*}})
// CHECK: func.func private @add(
// CHECK: memref.global "private" constant @ten
// CHECK: func.func private @[[SCALE]](
// Two branches of two dispatches each: the first ones and the second ones are independent of each other.
// CHECK-LABEL: func.func @branches(
// CHECK-COUNT-4: memref.alloc()
// CHECK: rt.dispatch @branches_group_0::@branches_group_0[%c8]
// CHECK: rt.dispatch @branches_group_1::@branches_group_1[%c8]
// CHECK-NOT: rt.dispatch
// CHECK: memref.dealloc
// BRANCHES: dense<[10, 12, 14, 16]> : tensor<4xi64>
// BRANCHES-NEXT: dense<[100, 101, 102, 103]> : tensor<4xi64>
func.func @branches() -> (memref<4xi64>, memref<4xi64>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = memref.alloc() : memref<4xi64>
  %ten = arith.constant 10 : i64
  linalg.fill ins(%ten : i64) outs(%a : memref<4xi64>)
  %p = memref.alloc() : memref<4xi64>
  rt.dispatch @add::@add[%c4, %c1, %c1](%a, %p) : memref<4xi64>, memref<4xi64>
  %p2 = memref.alloc() : memref<4xi64>
  rt.dispatch @add::@add[%c4](%p, %p2) : memref<4xi64>, memref<4xi64>
  memref.dealloc %p : memref<4xi64>
  %q = memref.alloc() : memref<4xi64>
  rt.dispatch @scale::@add[%c4](%a, %q) : memref<4xi64>, memref<4xi64>
  %q2 = memref.alloc() : memref<4xi64>
  rt.dispatch @add::@add[%c4](%q, %q2) : memref<4xi64>, memref<4xi64>
  memref.dealloc %q : memref<4xi64>
  memref.dealloc %a : memref<4xi64>
  return %p2, %q2 : memref<4xi64>, memref<4xi64>
}

// The second one reads what the first one writes, and the third one writes over what the first one reads.
// CHECK-LABEL: func.func @depends(
// CHECK-COUNT-3: rt.dispatch @{{add|scale}}
func.func @depends(%a: memref<4xi64>, %b: memref<4xi64>) {
  %c4 = arith.constant 4 : index
  %p = memref.alloc() : memref<4xi64>
  rt.dispatch @add::@add[%c4](%a, %p) : memref<4xi64>, memref<4xi64>
  rt.dispatch @scale::@add[%c4](%p, %b) : memref<4xi64>, memref<4xi64>
  rt.dispatch @scale::@add[%c4](%b, %a) : memref<4xi64>, memref<4xi64>
  memref.dealloc %p : memref<4xi64>
  return
}

// Arguments may be the same buffer.
// CHECK-LABEL: func.func @overlaps(
// CHECK-COUNT-2: rt.dispatch @{{add|scale}}
func.func @overlaps(%a: memref<4xi64>, %b: memref<4xi64>, %c: memref<4xi64>) {
  %c4 = arith.constant 4 : index
  rt.dispatch @add::@add[%c4](%a, %b) : memref<4xi64>, memref<4xi64>
  rt.dispatch @scale::@add[%c4](%a, %c) : memref<4xi64>, memref<4xi64>
  return
}

// Grids of three dims that are known in the run only; without workgroups where a dim is not positive.
// CHECK-LABEL: func.func @grids(
// CHECK: rt.dispatch @grids_group_0::@grids_group_0[%
// CHECK-NOT: rt.dispatch
// GRIDS: dense<{{\[\[}}[0, 1], [10, 11]], {{\[}}[100, 101], [110, 111]], {{\[}}[200, 201], [210, 211]]]> : tensor<3x2x2xi64>
// GRIDS-NEXT: dense<{{\[\[}}[0, 1], [10, 11]], {{\[}}[100, 101], [110, 111]], {{\[}}[-1, -1], [-1, -1]]]> : tensor<3x2x2xi64>
// GRIDS-NEXT: dense<[-1, 0, 1, 2]> : tensor<4xi64>
// EMPTY: dense<-1> : tensor<3x2x2xi64>
// EMPTY-NEXT: dense<{{\[\[}}[0, 1], [10, 11]], {{\[}}[100, 101], [110, 111]], {{\[}}[-1, -1], [-1, -1]]]> : tensor<3x2x2xi64>
// EMPTY-NEXT: dense<[-1, 0, 1, 2]> : tensor<4xi64>
func.func @grids(%n: index, %m: index) -> (memref<3x2x2xi64>, memref<3x2x2xi64>, memref<4xi64>) {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %minus = arith.constant -1 : i64
  %p = memref.alloc() : memref<3x2x2xi64>
  %q = memref.alloc() : memref<3x2x2xi64>
  %r = memref.alloc() : memref<4xi64>
  linalg.fill ins(%minus : i64) outs(%p : memref<3x2x2xi64>)
  linalg.fill ins(%minus : i64) outs(%q : memref<3x2x2xi64>)
  linalg.fill ins(%minus : i64) outs(%r : memref<4xi64>)
  rt.dispatch @place::@place[%n, %m, %c2](%p) : memref<3x2x2xi64>
  rt.dispatch @place::@place[%c2, %c2, %m](%q) : memref<3x2x2xi64>
  rt.dispatch @add::@add[%c4](%r, %r) : memref<4xi64>, memref<4xi64>
  return %p, %q, %r : memref<3x2x2xi64>, memref<3x2x2xi64>, memref<4xi64>
}

// Both have a constant @ten, of different values: they cannot be in one executable.
// CHECK-LABEL: func.func @names(
// CHECK: rt.dispatch @names_group_0::@names_group_0[%c12]
// CHECK: rt.dispatch @other::@other[%c4]
// NAMES: dense<10> : tensor<4xi64>
// NAMES-NEXT: dense<100> : tensor<4xi64>
// NAMES-NEXT: dense<[1, 2, 3, 4]> : tensor<4xi64>
// NAMES-NEXT: dense<10> : tensor<4xi64>
func.func @names() -> (memref<4xi64>, memref<4xi64>, memref<4xi64>, memref<4xi64>) {
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i64
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%one : i64) outs(%a : memref<4xi64>)
  %p = memref.alloc() : memref<4xi64>
  %q = memref.alloc() : memref<4xi64>
  %r = memref.alloc() : memref<4xi64>
  %s = memref.alloc() : memref<4xi64>
  rt.dispatch @scale::@add[%c4](%a, %p) : memref<4xi64>, memref<4xi64>
  rt.dispatch @other::@other[%c4](%q) : memref<4xi64>
  rt.dispatch @add::@add[%c4](%a, %r) : memref<4xi64>, memref<4xi64>
  rt.dispatch @scale::@add[%c4](%a, %s) : memref<4xi64>, memref<4xi64>
  memref.dealloc %a : memref<4xi64>
  return %p, %q, %r, %s : memref<4xi64>, memref<4xi64>, memref<4xi64>, memref<4xi64>
}

// A group that does the same has the same executable.
// CHECK-LABEL: func.func @again(
// CHECK: rt.dispatch @branches_group_0::@branches_group_0[%c8]
// CHECK-NOT: rt.dispatch
// AGAIN: dense<[3, 4, 5, 6]> : tensor<4xi64>
// AGAIN-NEXT: dense<30> : tensor<4xi64>
func.func @again() -> (memref<4xi64>, memref<4xi64>) {
  %c4 = arith.constant 4 : index
  %three = arith.constant 3 : i64
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%three : i64) outs(%a : memref<4xi64>)
  %p = memref.alloc() : memref<4xi64>
  %q = memref.alloc() : memref<4xi64>
  rt.dispatch @add::@add[%c4](%a, %p) : memref<4xi64>, memref<4xi64>
  rt.dispatch @scale::@add[%c4](%a, %q) : memref<4xi64>, memref<4xi64>
  memref.dealloc %a : memref<4xi64>
  return %p, %q : memref<4xi64>, memref<4xi64>
}

// What an iteration allocates is not what it was given.
// CHECK-LABEL: func.func @carried(
// CHECK: scf.for
// CHECK: rt.dispatch @branches_group_0::@branches_group_0[%c8]
// CHECK-NOT: rt.dispatch
// CARRIED: dense<[0, 5, 10, 15]> : tensor<4xi64>
func.func @carried() -> memref<4xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0 : i64
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%zero : i64) outs(%a : memref<4xi64>)
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%h = %a) -> (memref<4xi64>) {
    %p = memref.alloc() : memref<4xi64>
    rt.dispatch @add::@add[%c4](%h, %p) : memref<4xi64>, memref<4xi64>
    %q = memref.alloc() : memref<4xi64>
    rt.dispatch @scale::@add[%c4](%h, %q) : memref<4xi64>, memref<4xi64>
    memref.dealloc %q : memref<4xi64>
    memref.dealloc %h : memref<4xi64>
    scf.yield %p : memref<4xi64>
  }
  return %r : memref<4xi64>
}

// A dispatch that can fail is not moved, and none is moved over a check that needs another one's result.
// CHECK-LABEL: func.func @checked(
// CHECK: rt.dispatch @add::@add
// CHECK: rt.check
// CHECK: rt.dispatch @scale::@add
// CHECK: rt.dispatch @fails::@fails
// CHECKED: a check of 7
func.func @checked(%n: i64) -> (memref<4xi64>, memref<4xi64>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%n : i64) outs(%a : memref<4xi64>)
  %p = memref.alloc() : memref<4xi64>
  rt.dispatch @add::@add[%c4](%a, %p) : memref<4xi64>, memref<4xi64>
  %0 = memref.load %p[%c0] : memref<4xi64>
  %zero = arith.constant 0 : i64
  %ok = arith.cmpi eq, %0, %zero : i64
  rt.check %ok, "a check of %0" (%0 : i64)
  %q = memref.alloc() : memref<4xi64>
  rt.dispatch @scale::@add[%c4](%a, %q) : memref<4xi64>, memref<4xi64>
  rt.dispatch @fails::@fails[%c4](%a) : memref<4xi64>
  memref.dealloc %a : memref<4xi64>
  return %p, %q : memref<4xi64>, memref<4xi64>
}

// A check that needs nothing of the parts is made before them.
// CHECK-LABEL: func.func @checks_before(
// CHECK: rt.check
// CHECK: rt.dispatch @branches_group_0::@branches_group_0[%c8]
// CHECK-NOT: rt.dispatch
func.func @checks_before(%a: memref<4xi64>, %n: i64) -> (memref<4xi64>, memref<4xi64>) {
  %c4 = arith.constant 4 : index
  %c4_i64 = arith.constant 4 : i64
  %p = memref.alloc() : memref<4xi64>
  rt.dispatch @add::@add[%c4](%a, %p) : memref<4xi64>, memref<4xi64>
  %ok = arith.cmpi eq, %n, %c4_i64 : i64
  rt.check %ok, "another size"
  %q = memref.alloc() : memref<4xi64>
  rt.dispatch @scale::@add[%c4](%a, %q) : memref<4xi64>, memref<4xi64>
  return %p, %q : memref<4xi64>, memref<4xi64>
}
