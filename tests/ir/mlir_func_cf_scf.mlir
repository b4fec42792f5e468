// Every op here reads, prints and reads back in both spellings, and MLIR reads what we print as the same program.
// RUN: noria opt --syntax=mlir %s -o %t.ours
// RUN: mlir-opt %t.ours -o %t.back
// RUN: mlir-opt %s -o %t.theirs
// RUN: diff %t.back %t.theirs
// RUN: noria opt --syntax=2020 --generic %s -o %t.old
// RUN: noria opt --syntax=mlir %t.old -o %t.new
// RUN: diff %t.new %t.ours

module @named attributes {t.a = 1 : i32} {
  func.func private @decl(i32, f32) -> (i32, f32)
  func.func private @decl_attrs(i32 {x.y}) -> (i32 {x.z = 1 : i32}) attributes {z}
  func.func public @pub(%arg0: i32 {x.y}) -> i32 attributes {q = 1 : i64} {
    return %arg0 : i32
  }
  func.func @callf(%arg0: i32, %arg1: f32) -> i32 {
    %f = func.constant @decl : (i32, f32) -> (i32, f32)
    %0:2 = func.call @decl(%arg0, %arg1) : (i32, f32) -> (i32, f32)
    %1:2 = call_indirect %f(%0#0, %0#1) : (i32, f32) -> (i32, f32)
    call @nothing() {a} : () -> ()
    return %1#0 : i32
  }
  func.func @nothing() {
    return
  }
  func.func @cfs(%c: i1, %i: i32) -> i32 {
    cf.assert %c, "must hold"
    cf.switch %i : i32, [
      default: ^bb1(%i : i32),
      42: ^bb2,
      -7: ^bb1(%i : i32)
    ]
  ^bb1(%0: i32):
    cf.br ^bb3 {a = 1 : i32}
  ^bb2:
    cf.cond_br %c, ^bb3, ^bb1(%i : i32)
  ^bb3:
    return %i : i32
  }
  func.func @loops(%lb: index, %ub: index, %st: index, %a: f32, %c: i1, %i32: i32) -> f32 {
    scf.for %i = %lb to %ub step %st {
      scf.for %j = %i to %ub step %st {
      } {tag = "inner"}
    }
    scf.for unsigned %i = %i32 to %i32 step %i32 : i32 {
    }
    %0:2 = scf.for %i = %lb to %ub step %st iter_args(%x = %a, %y = %lb) -> (f32, index) {
      scf.yield %x, %i : f32, index
    }
    scf.if %c {
      func.call @nothing() : () -> ()
    }
    scf.if %c {
    } else {
      func.call @nothing() : () -> ()
    }
    %1 = scf.if %c -> (f32) {
      scf.yield %a : f32
    } else {
      scf.yield %0#0 : f32
    } {attr}
    %2:2 = scf.while (%x = %a, %y = %lb) : (f32, index) -> (f32, index) {
      scf.condition(%c) %x, %y : f32, index
    } do {
    ^bb0(%x: f32, %y: index):
      scf.yield %x, %y : f32, index
    }
    scf.while : () -> () {
      scf.condition(%c)
    } do {
      scf.yield
    }
    %w = scf.while (%x = %a) : (f32) -> f32 {
      scf.condition(%c) %x : f32
    } do {
    ^bb0(%x: f32):
      scf.yield %x : f32
    } attributes {hint}
    scf.parallel (%i, %j) = (%lb, %lb) to (%ub, %ub) step (%st, %st) {
      scf.reduce
    }
    %3:2 = scf.parallel (%i) = (%lb) to (%ub) step (%st) init (%a, %lb) -> (f32, index) {
      scf.reduce(%a, %i : f32, index) {
      ^bb0(%l: f32, %r: f32):
        %s = arith.addf %l, %r : f32
        scf.reduce.return %s : f32
      }, {
      ^bb0(%l: index, %r: index):
        %s = arith.addi %l, %r : index
        scf.reduce.return %s : index
      }
    }
    %4 = scf.execute_region -> f32 {
      cf.cond_br %c, ^bb1, ^bb2
    ^bb1:
      scf.yield %a : f32
    ^bb2:
      scf.yield %1 : f32
    }
    scf.execute_region {
      scf.yield
    }
    %5 = scf.index_switch %lb {x} -> f32
    case 2 {
      scf.yield %a : f32
    }
    case 5 {
      scf.yield %4 : f32
    }
    default {
      scf.yield %1 : f32
    }
    scf.index_switch %lb
    default {
    }
    return %5 : f32
  }
  func.func @foralls(%n: index, %t: tensor<?xf32>) -> tensor<?xf32> {
    scf.forall (%i, %j) in (%n, 4) {
    }
    %c1 = arith.constant 1 : index
    %0 = scf.forall (%i) = (0) to (%n) step (2) shared_outs(%o = %t) -> (tensor<?xf32>) {
      %e = tensor.extract_slice %o[%i] [1] [1] : tensor<?xf32> to tensor<1xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %e into %o[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
      }
    }
    return %0 : tensor<?xf32>
  }
  module {
  }
}
