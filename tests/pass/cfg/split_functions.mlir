// RUN: noria opt --pass-pipeline='split-functions{max-loops=2}' %s | FileCheck %s
// RUN: noria opt --pass-pipeline='split-functions{max-loops=64}' %s | FileCheck %s --check-prefix=SMALL
// RUN: noria opt --pass-pipeline='split-functions{max-loops=2}' %s > %t.mlir
// RUN: noria run --interpret --entry=row %s 5 > %t.row
// RUN: noria run --interpret --entry=row %t.mlir 5 | diff - %t.row
// RUN: noria run --entry=row %t.mlir 5 | diff - %t.row
// RUN: noria run --interpret --entry=nested %s 4 3 > %t.nested
// RUN: noria run --interpret --entry=nested %t.mlir 4 3 | diff - %t.nested
// RUN: noria run --entry=nested %t.mlir 4 3 | diff - %t.nested
// RUN: noria run --interpret --entry=cases %s 2 > %t.cases
// RUN: noria run --interpret --entry=cases %t.mlir 2 | diff - %t.cases
// RUN: noria run --entry=cases %t.mlir 2 | diff - %t.cases
// RUN: noria run --interpret --entry=blocks %s 3 > %t.blocks
// RUN: noria run --interpret --entry=blocks %t.mlir 3 | diff - %t.blocks
// RUN: noria run --entry=blocks %t.mlir 3 | diff - %t.blocks
// RUN: noria run --interpret --entry=frame %s > %t.frame
// RUN: noria run --interpret --entry=frame %t.mlir | diff - %t.frame
// RUN: noria run --entry=frame %t.mlir | diff - %t.frame
// RUN: not noria run --interpret --entry=fails %t.mlir 0 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: not noria run --entry=fails %t.mlir 0 2>&1 | FileCheck %s --check-prefix=FAILS

// SMALL-NOT: _part_

// What a part uses are its arguments, what is used behind it are its results. Constants are made again, and what only
// prepares the next part stays where it is.
// CHECK-LABEL: func.func @row(
// CHECK: %[[M:.*]] = memref.alloc() : memref<8xi64>
// CHECK-NOT: scf.for
// CHECK: %[[R:.*]]:2 = call @row_part_0(%[[N:.*]], %[[M]]) : (index, memref<8xi64>) -> (i64, i64)
// CHECK: %[[T:.*]] = arith.addi %[[R]]#0, %[[R]]#1 : i64
// CHECK: %[[S:.*]] = call @row_part_1(%[[N]], %[[T]], %[[M]]) : (index, i64, memref<8xi64>) -> i64
// CHECK: memref.dealloc %[[M]]
// CHECK: return %[[S]] : i64
// CHECK: func.func private @row_part_0(%{{.*}}: index, %[[A:.*]]: memref<8xi64> {noria.noalias}) -> (i64, i64) attributes {no_inline} {
// CHECK-DAG: arith.constant 0 : index
// CHECK-DAG: arith.constant 1 : index
// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %[[A]]
// CHECK: scf.for
// CHECK: return %{{.*}}, %{{.*}} : i64, i64
// CHECK: func.func private @row_part_1
func.func @row(%count: i64) -> i64 {
  %n = arith.index_cast %count : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i64
  %m = memref.alloc() : memref<8xi64>
  %a = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> i64 {
    %v = arith.index_cast %i : index to i64
    memref.store %v, %m[%i] : memref<8xi64>
    %y = arith.addi %x, %v : i64
    scf.yield %y : i64
  }
  %b = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> i64 {
    %v = memref.load %m[%i] : memref<8xi64>
    %y = arith.addi %x, %v : i64
    scf.yield %y : i64
  }
  %t = arith.addi %a, %b : i64
  %c = scf.for %i = %c0 to %n step %c1 iter_args(%x = %t) -> i64 {
    %v = memref.load %m[%i] : memref<8xi64>
    %y = arith.muli %x, %v : i64
    %w = arith.addi %y, %t : i64
    scf.yield %w : i64
  }
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c) -> i64 {
    %y = arith.xori %x, %t : i64
    scf.yield %y : i64
  }
  memref.dealloc %m : memref<8xi64>
  return %d : i64
}

// Inner blocks first: the loop around is small then.
// CHECK-LABEL: func.func @nested(
// CHECK: scf.for
// CHECK: scf.if
// CHECK: func.call @nested_part_0
// CHECK: func.call @nested_part_1
// CHECK: return
// CHECK: func.func private @nested_part_0
// CHECK-COUNT-2: scf.for
// CHECK: func.func private @nested_part_1
// CHECK-COUNT-2: scf.for
func.func @nested(%count: i64, %k: i64) -> i64 {
  %n = arith.index_cast %count : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %k) -> i64 {
    %odd = arith.trunci %x : i64 to i1
    %s = scf.if %odd -> i64 {
      %a = scf.for %j = %c0 to %i step %c1 iter_args(%y = %x) -> i64 {
        %z = arith.addi %y, %k : i64
        scf.yield %z : i64
      }
      %b = scf.for %j = %c0 to %n step %c1 iter_args(%y = %a) -> i64 {
        %z = arith.muli %y, %k : i64
        scf.yield %z : i64
      }
      %c = scf.for %j = %c0 to %i step %c1 iter_args(%y = %b) -> i64 {
        %z = arith.subi %y, %x : i64
        scf.yield %z : i64
      }
      %d = scf.for %j = %c0 to %n step %c1 iter_args(%y = %c) -> i64 {
        %z = arith.addi %y, %a : i64
        scf.yield %z : i64
      }
      scf.yield %d : i64
    } else {
      %a = arith.addi %x, %k : i64
      scf.yield %a : i64
    }
    scf.yield %s : i64
  }
  return %r : i64
}

// Each case is small enough, but not all of them together.
// CHECK-LABEL: func.func @cases(
// CHECK: case 0 {
// CHECK-NEXT: func.call @cases_part_
// CHECK: case 1 {
// CHECK-NEXT: func.call @cases_part_
// CHECK: default {
// CHECK-NEXT: func.call @cases_part_
// CHECK: return
func.func @cases(%count: i64) -> i64 {
  %n = arith.index_cast %count : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.index_switch %n -> i64
  case 0 {
    %a = scf.for %j = %c0 to %n step %c1 iter_args(%y = %count) -> i64 {
      %z = arith.addi %y, %y : i64
      scf.yield %z : i64
    }
    scf.yield %a : i64
  }
  case 1 {
    %a = scf.for %j = %c0 to %n step %c1 iter_args(%y = %count) -> i64 {
      %z = arith.muli %y, %y : i64
      scf.yield %z : i64
    }
    scf.yield %a : i64
  }
  default {
    %a = scf.for %j = %c0 to %n step %c1 iter_args(%y = %count) -> i64 {
      %z = arith.xori %y, %count : i64
      scf.yield %z : i64
    }
    scf.yield %a : i64
  }
  return %r : i64
}

// Blocks that branch stay in the function, each with its calls.
// CHECK-LABEL: func.func @blocks(
// CHECK: ^[[HEAD:.*]](%[[X:.*]]: i64, %[[I:.*]]: index):
// CHECK-NEXT: %[[A:.*]] = call @blocks_part_0(
// CHECK-NEXT: %[[B:.*]] = call @blocks_part_1(
// CHECK: cf.cond_br %{{.*}}, ^[[HEAD]](%[[B]], %{{.*}} : i64, index)
func.func @blocks(%count: i64) -> i64 {
  %n = arith.index_cast %count : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^head(%count, %c0 : i64, index)
^head(%x: i64, %i: index):
  %a = scf.for %j = %c0 to %n step %c1 iter_args(%y = %x) -> i64 {
    %z = arith.addi %y, %y : i64
    scf.yield %z : i64
  }
  %b = scf.for %j = %i to %n step %c1 iter_args(%y = %a) -> i64 {
    %z = arith.addi %y, %count : i64
    scf.yield %z : i64
  }
  %c = scf.for %j = %c0 to %n step %c1 iter_args(%y = %b) -> i64 {
    %z = arith.xori %y, %a : i64
    scf.yield %z : i64
  }
  %k = arith.addi %i, %c1 : index
  %more = arith.cmpi slt, %k, %n : index
  cf.cond_br %more, ^head(%c, %k : i64, index), ^end
^end:
  return %c : i64
}

// Buffers of the frame stay in it. One that stays in a loop goes with it. Views are made again; a program's buffers
// that overlap are not said to be apart.
// CHECK-LABEL: func.func @frame(
// CHECK: memref.alloca() : memref<4xi64>
// CHECK: %[[T:.*]] = memref.alloca() : memref<4xi64>
// CHECK: call @frame_part_0(
// CHECK: call @frame_part_1(
// CHECK: func.func private @frame_part_0(%[[A:[^:]*]]: memref<4xi64> {noria.noalias}, %[[B:[^:]*]]: memref<4xi64> {noria.noalias})
// CHECK: memref.subview %[[A]][1] [2] [1]
// CHECK: func.func private @frame_part_1
// CHECK: memref.alloca() : memref<2xi64>
memref.global "private" constant @table : memref<4xi64> = dense<[3, 1, 4, 1]>
func.func @frame() -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0 : i64
  %s = memref.alloca() : memref<4xi64>
  %w = memref.subview %s[1] [2] [1] : memref<4xi64> to memref<2xi64, strided<[1], offset: 1>>
  %g = memref.get_global @table : memref<4xi64>
  scf.for %i = %c0 to %c4 step %c1 {
    %v = memref.load %g[%i] : memref<4xi64>
    memref.store %v, %s[%i] : memref<4xi64>
  }
  %t = memref.alloca() : memref<4xi64>
  scf.for %i = %c0 to %c2 step %c1 {
    %v = memref.load %w[%i] : memref<2xi64, strided<[1], offset: 1>>
    memref.store %v, %t[%i] : memref<4xi64>
  }
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %z) -> i64 {
    %u = memref.alloca() : memref<2xi64>
    %v = memref.load %t[%i] : memref<4xi64>
    memref.store %v, %u[%c1] : memref<2xi64>
    %y = memref.load %u[%c1] : memref<2xi64>
    %a = arith.addi %x, %y : i64
    scf.yield %a : i64
  }
  return %r : i64
}

// An alloca whose size is not known does not move, and a buffer of the frame does not leave it through a part.
// CHECK-LABEL: func.func @stays(
// CHECK: call @stays_part_0
// CHECK: memref.alloca(%{{.*}})
// CHECK: call @stays_part_1
// CHECK: %[[L:.*]] = scf.for
// CHECK: memref.alloca() : memref<2xi64>
// CHECK: memref.load %[[L]]
func.func @stays(%n: index, %m: memref<2xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    rt.poll %i
  }
  %d = memref.alloca(%n) : memref<?xi64>
  scf.for %i = %c0 to %n step %c1 {
    %v = arith.index_cast %i : index to i64
    memref.store %v, %d[%i] : memref<?xi64>
  }
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%b = %m) -> memref<2xi64> {
    %a = memref.alloca() : memref<2xi64>
    scf.yield %a : memref<2xi64>
  }
  %v = memref.load %l[%c0] : memref<2xi64>
  return %v : i64
}

// A failure in a part ends the run, with the place and words of the op.
// CHECK-LABEL: func.func @fails(
// CHECK: call @fails_part_0
// CHECK: func.func private @fails_part_0
// CHECK: rt.check %{{.*}}, "there is nothing"
// FAILS: there is nothing
func.func @fails(%count: i64) {
  %n = arith.index_cast %count : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
    %some = arith.cmpi sgt, %n, %i : index
    rt.check %some, "there is nothing"
  }
  scf.for %i = %c0 to %n step %c1 {
    rt.poll %i
  }
  scf.for %i = %c0 to %n step %c1 {
    rt.poll %i
  }
  return
}
