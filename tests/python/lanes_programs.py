"""Programs whose parallel loops have loops inside that run a different number of times in each iteration, and what
NumPy makes inputs of them from. bench/lanes.py times some of them."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

ONE_DIM = """
func.func @main({params}) -> tensor<?x{out}> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
{constants}
{memrefs}
  %n = memref.dim %a, %c0 : memref<?x{first}>
  %o = memref.alloc(%n) : memref<?x{out}>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {{
{body}
    memref.store %r, %o[%i] : memref<?x{out}>
    scf.reduce
  }}
  %t = bufferization.to_tensor %o restrict : memref<?x{out}> to tensor<?x{out}>
  return %t : tensor<?x{out}>
}}
"""
NAMES = "abcd"


def one_dim(ins, out, body, constants=""):
    """An element of `out` for each of those of the first input: `body` computes %r for %i of the memrefs %a, %b, .."""
    params = ", ".join(f"%t{n}: tensor<?x{t}>" for n, t in zip(NAMES, ins))
    memrefs = "\n".join(f"  %{n} = bufferization.to_buffer %t{n} read_only : tensor<?x{t}> to memref<?x{t}>"
                        for n, t in zip(NAMES, ins))
    constants = "\n".join("  %" + c.strip() for c in constants.split(";") if c.strip())
    return ONE_DIM.format(params=params, first=ins[0], out=out, body=body, constants=constants, memrefs=memrefs)


COLLATZ = one_dim(["i64"], "i64", """
    %x = memref.load %a[%i] : memref<?xi64>
    %w:2 = scf.while (%k = %z, %y = %x) : (i64, i64) -> (i64, i64) {
      %c = arith.cmpi sgt, %y, %one : i64
      scf.condition(%c) %k, %y : i64, i64
    } do {
    ^bb0(%k: i64, %y: i64):
      %low = arith.andi %y, %one : i64
      %odd = arith.cmpi ne, %low, %z : i64
      %next = scf.if %odd -> (i64) {
        %m = arith.muli %y, %three : i64
        %p = arith.addi %m, %one : i64
        scf.yield %p : i64
      } else {
        %h = arith.shrui %y, %one : i64
        scf.yield %h : i64
      }
      %k1 = arith.addi %k, %one : i64
      scf.yield %k1, %next : i64, i64
    }
    %r = arith.addi %w#0, %z : i64""", "z = arith.constant 0 : i64; one = arith.constant 1 : i64; "
                  "three = arith.constant 3 : i64")

GCD = one_dim(["i32", "i32"], "i32", """
    %x = memref.load %a[%i] : memref<?xi32>
    %y = memref.load %b[%i] : memref<?xi32>
    %w:2 = scf.while (%p = %x, %q = %y) : (i32, i32) -> (i32, i32) {
      %c = arith.cmpi ne, %q, %z : i32
      scf.condition(%c) %p, %q : i32, i32
    } do {
    ^bb0(%p: i32, %q: i32):
      %m = arith.remsi %p, %q : i32
      scf.yield %q, %m : i32, i32
    }
    %r = arith.addi %w#0, %z : i32""", "z = arith.constant 0 : i32")

SEARCH = one_dim(["f32", "f32"], "index", """
    %x = memref.load %a[%i] : memref<?xf32>
    %w:2 = scf.while (%lo = %c0, %hi = %len) : (index, index) -> (index, index) {
      %c = arith.cmpi slt, %lo, %hi : index
      scf.condition(%c) %lo, %hi : index, index
    } do {
    ^bb0(%lo: index, %hi: index):
      %d = arith.subi %hi, %lo : index
      %h = arith.shrui %d, %c1 : index
      %mid = arith.addi %lo, %h : index
      %v = memref.load %b[%mid] : memref<?xf32>
      %less = arith.cmpf olt, %v, %x : f32
      %m1 = arith.addi %mid, %c1 : index
      %lo1 = arith.select %less, %m1, %lo : index
      %hi1 = arith.select %less, %hi, %mid : index
      scf.yield %lo1, %hi1 : index, index
    }
    %r = arith.addi %w#0, %c0 : index""").replace("  %n = memref.dim %a", "  %len = memref.dim %b, %c0 : memref<?xf32>"
                                                  "\n  %n = memref.dim %a")

# A while in a while: each lane runs a different number of rounds, each of a different number of steps.
NESTED = one_dim(["i32"], "i32", """
    %x = memref.load %a[%i] : memref<?xi32>
    %w:2 = scf.while (%n0 = %x, %s = %z) : (i32, i32) -> (i32, i32) {
      %c = arith.cmpi sgt, %n0, %z : i32
      scf.condition(%c) %n0, %s : i32, i32
    } do {
    ^bb0(%n0: i32, %s: i32):
      %v:2 = scf.while (%m = %n0, %t = %s) : (i32, i32) -> (i32, i32) {
        %sum = arith.addi %t, %m : i32
        %half = arith.shrsi %m, %one : i32
        %c = arith.cmpi sgt, %half, %one : i32
        scf.condition(%c) %half, %sum : i32, i32
      } do {
      ^bb0(%m: i32, %t: i32):
        %m1 = arith.subi %m, %one : i32
        scf.yield %m1, %t : i32, i32
      }
      %less = arith.subi %n0, %three : i32
      scf.yield %less, %v#1 : i32, i32
    }
    %r = arith.xori %w#0, %w#1 : i32""", "z = arith.constant 0 : i32; one = arith.constant 1 : i32; "
                 "three = arith.constant 3 : i32")

# Loops of varying bounds: rows of a sparse matrix, begin and end read from memory.
ROWS = one_dim(["i32", "i32", "f64"], "f64", """
    %from0 = memref.load %a[%i] : memref<?xi32>
    %to0 = memref.load %b[%i] : memref<?xi32>
    %from = arith.index_cast %from0 : i32 to index
    %to = arith.index_cast %to0 : i32 to index
    %r = scf.for %p = %from to %to step %c1 iter_args(%s = %z) -> (f64) {
      %v = memref.load %c[%p] : memref<?xf64>
      %s1 = arith.addf %s, %v : f64
      scf.yield %s1 : f64
    }""", "z = arith.constant 0.0 : f64")

# The end varies only, so the induction variable is uniform; a while inside; steps; a result that is uniform in lanes.
TRIANGLE = one_dim(["i32"], "i32", """
    %x = memref.load %a[%i] : memref<?xi32>
    %w:2 = scf.for %p = %z to %x step %three iter_args(%s = %z, %k = %one) -> (i32, i32)  : i32 {
      %v:2 = scf.while (%m = %p, %t = %s) : (i32, i32) -> (i32, i32) {
        %c = arith.cmpi sgt, %m, %one : i32
        scf.condition(%c) %m, %t : i32, i32
      } do {
      ^bb0(%m: i32, %t: i32):
        %m1 = arith.shrsi %m, %one : i32
        %t1 = arith.addi %t, %x : i32
        scf.yield %m1, %t1 : i32, i32
      }
      %k1 = arith.muli %k, %three : i32
      scf.yield %v#1, %k1 : i32, i32
    }
    %r = arith.xori %w#0, %w#1 : i32""", "z = arith.constant 0 : i32; one = arith.constant 1 : i32; "
                   "three = arith.constant 3 : i32")

# Newton's square root: NaN leaves at once, a negative number never converges and meets the limit.
NEWTON = one_dim(["f64"], "f64", """
    %x = memref.load %a[%i] : memref<?xf64>
    %w:2 = scf.while (%y = %x, %k = %zero) : (f64, i32) -> (f64, i32) {
      %yy = arith.mulf %y, %y : f64
      %d = arith.subf %yy, %x : f64
      %e = math.absf %d : f64
      %far = arith.cmpf ogt, %e, %tiny : f64
      %few = arith.cmpi slt, %k, %most : i32
      %c = arith.andi %far, %few : i1
      scf.condition(%c) %y, %k : f64, i32
    } do {
    ^bb0(%y: f64, %k: i32):
      %q = arith.divf %x, %y : f64
      %s = arith.addf %q, %y : f64
      %h = arith.mulf %s, %half : f64
      %k1 = arith.addi %k, %oneI : i32
      scf.yield %h, %k1 : f64, i32
    }
    %kf = arith.sitofp %w#1 : i32 to f64
    %r = arith.addf %w#0, %kf : f64""", "zero = arith.constant 0 : i32; oneI = arith.constant 1 : i32; "
                 "most = arith.constant 40 : i32; tiny = arith.constant 1.0e-9 : f64; half = arith.constant 0.5 : f64")

# break, continue, and a break under a condition that varies: by lower-early-exit flags that the loop carries.
EXITS = one_dim(["i32"], "i32", """
    %x = memref.load %a[%i] : memref<?xi32>
    %r = scf.loop token(%l) iter_args(%k = %two, %s = %z) : i32, i32 -> i32 {
      %far = arith.cmpi sgt, %k, %most : i32
      scf.if %far {
        scf.break [%l] %s : i32
      }
      %k1 = arith.addi %k, %one : i32
      %m = arith.remsi %x, %k : i32
      %div = arith.cmpi eq, %m, %z : i32
      scf.if %div {
        scf.continue [%l] %k1, %s : i32, i32
      }
      %s1 = arith.addi %s, %m : i32
      %big = arith.cmpi sgt, %s1, %x : i32
      scf.if %big {
        scf.break [%l] %k : i32
      }
      scf.continue [%l] %k1, %s1 : i32, i32
    }""", "z = arith.constant 0 : i32; one = arith.constant 1 : i32; two = arith.constant 2 : i32; "
                "most = arith.constant 50 : i32")

# Three ways out, each with a store of its own: the code behind the loop is an scf.index_switch.
EXITS_STORE = one_dim(["i32"], "i32", """
    %x = memref.load %a[%i] : memref<?xi32>
    memref.store %x, %o[%i] : memref<?xi32>
    %v = scf.loop token(%l) iter_args(%k = %z) : i32 -> i32 {
      %k1 = arith.addi %k, %one : i32
      %p = arith.muli %k, %k : i32
      %past = arith.cmpi sgt, %p, %x : i32
      scf.if %past {
        scf.break [%l] %k : i32
      }
      %equal = arith.cmpi eq, %p, %x : i32
      scf.if %equal {
        memref.store %k, %o[%i] : memref<?xi32>
        scf.break [%l] %p : i32
      }
      %far = arith.cmpi sgt, %k, %most : i32
      scf.if %far {
        memref.store %z, %o[%i] : memref<?xi32>
        scf.break [%l] %one : i32
      }
      scf.continue [%l] %k1 : i32
    }
    %w = memref.load %o[%i] : memref<?xi32>
    %r = arith.addi %v, %w : i32""", "z = arith.constant 0 : i32; one = arith.constant 1 : i32; "
                      "most = arith.constant 9 : i32")

# scf.index_switch in a loop: cases that vary, of a byte and so with a case that no byte is, with a loop, a load and a
# division inside, and one in another; a switch that is the same in all lanes; one without results.
SWITCH = one_dim(["i8", "f64"], "f64", """
    %x = memref.load %a[%i] : memref<?xi8>
    %y = memref.load %b[%i] : memref<?xf64>
    %from = arith.index_castui %x : i8 to index
    %low = arith.andi %from, %c7 : index
    %w:3 = scf.while (%k = %x, %s = %y, %n1 = %c0) : (i8, f64, index) -> (i8, f64, index) {
      %c = arith.cmpi sgt, %k, %z : i8
      scf.condition(%c) %k, %s, %n1 : i8, f64, index
    } do {
    ^bb0(%k: i8, %s: f64, %trip: index):
      %rest = arith.subi %k, %three : i8
      %at = arith.index_cast %rest : i8 to index
      %next = scf.index_switch %at -> f64
      case 5 {
        %e = memref.load %b[%c0] : memref<?xf64>
        %t = arith.addf %s, %e : f64
        scf.yield %t : f64
      }
      case -2 {
        %t = arith.divf %s, %half : f64
        scf.yield %t : f64
      }
      case 300 {
        scf.yield %half : f64
      }
      case 8 {
        %t = scf.for %j = %c0 to %low step %c1 iter_args(%u = %s) -> (f64) {
          %u1 = arith.addf %u, %half : f64
          scf.yield %u1 : f64
        }
        scf.yield %t : f64
      }
      default {
        %t = scf.index_switch %low -> f64
        case 1 {
          %k2 = arith.extsi %k : i8 to i32
          %q = arith.divsi %nine, %k2 : i32
          %f = arith.sitofp %q : i32 to f64
          scf.yield %f : f64
        }
        default {
          %m = arith.mulf %s, %half : f64
          scf.yield %m : f64
        }
        scf.yield %t : f64
      }
      %turn = arith.andi %trip, %c3 : index
      %uniform = scf.index_switch %turn -> f64
      case 1 {
        scf.yield %half : f64
      }
      case 2 {
        scf.yield %y : f64
      }
      default {
        scf.yield %next : f64
      }
      scf.index_switch %low
      case 2 {
        memref.store %uniform, %o[%i] : memref<?xf64>
        scf.yield
      }
      case 3 {
        memref.store %next, %o[%i] : memref<?xf64>
        scf.yield
      }
      default {
      }
      %sum = arith.addf %next, %uniform : f64
      %trip1 = arith.addi %trip, %c1 : index
      scf.yield %rest, %sum, %trip1 : i8, f64, index
    }
    %stored = arith.cmpi ugt, %w#2, %c0 : index
    %two = arith.cmpi eq, %low, %c2 : index
    %has = arith.andi %stored, %two : i1
    %r = scf.if %has -> (f64) {
      %v = memref.load %o[%i] : memref<?xf64>
      %t = arith.addf %v, %w#1 : f64
      scf.yield %t : f64
    } else {
      scf.yield %w#1 : f64
    }""", "z = arith.constant 0 : i8; three = arith.constant 3 : i8; half = arith.constant 0.5 : f64; "
                 "nine = arith.constant 9 : i32; c2 = arith.constant 2 : index; c3 = arith.constant 3 : index; "
                 "c7 = arith.constant 7 : index")

# Branches that vary, in a loop: one side loads and divides, the other stores.
BRANCHES = one_dim(["i32", "i32"], "i32", """
    %x = memref.load %a[%i] : memref<?xi32>
    %w:2 = scf.while (%k = %x, %s = %z) : (i32, i32) -> (i32, i32) {
      %c = arith.cmpi sgt, %k, %z : i32
      scf.condition(%c) %k, %s : i32, i32
    } do {
    ^bb0(%k: i32, %s: i32):
      %low = arith.andi %k, %three : i32
      %is = arith.cmpi eq, %low, %one : i32
      %s1 = scf.if %is -> (i32) {
        %y = memref.load %b[%i] : memref<?xi32>
        %big = arith.cmpi sgt, %y, %z : i32
        %q = scf.if %big -> (i32) {
          %q0 = arith.divsi %k, %y : i32
          scf.yield %q0 : i32
        } else {
          memref.store %k, %o[%i] : memref<?xi32>
          %q1 = arith.subi %s, %k : i32
          scf.yield %q1 : i32
        }
        scf.yield %q : i32
      } else {
        %s2 = arith.addi %s, %low : i32
        scf.yield %s2 : i32
      }
      %k1 = arith.subi %k, %one : i32
      scf.yield %k1, %s1 : i32, i32
    }
    %r = arith.addi %w#0, %w#1 : i32""", "z = arith.constant 0 : i32; one = arith.constant 1 : i32; "
                   "three = arith.constant 3 : i32")

HALF = one_dim(["f16"], "f16", """
    %x = memref.load %a[%i] : memref<?xf16>
    %r = scf.while (%y = %x) : (f16) -> f16 {
      %c = arith.cmpf ogt, %y, %one : f16
      scf.condition(%c) %y : f16
    } do {
    ^bb0(%y: f16):
      %m = arith.mulf %y, %less : f16
      scf.yield %m : f16
    }""", "one = arith.constant 1.0 : f16; less = arith.constant 0.8125 : f16")

BYTES = one_dim(["i8", "i16"], "i8", """
    %x = memref.load %a[%i] : memref<?xi8>
    %y = memref.load %b[%i] : memref<?xi16>
    %w:2 = scf.while (%p = %x, %q = %y) : (i8, i16) -> (i8, i16) {
      %c = arith.cmpi ugt, %q, %few : i16
      scf.condition(%c) %p, %q : i8, i16
    } do {
    ^bb0(%p: i8, %q: i16):
      %low = arith.trunci %q : i16 to i8
      %m = arith.muli %p, %three : i8
      %s = arith.addi %m, %low : i8
      %h = arith.shrui %q, %one : i16
      scf.yield %s, %h : i8, i16
    }
    %r = arith.addi %w#0, %three : i8""", "few = arith.constant 5 : i16; one = arith.constant 1 : i16; "
                "three = arith.constant 3 : i8")

# Two dims, a step other than 1, rows that scatter and gather: o[%i, p[%j]].
SCATTER = """
func.func @main(%ta: tensor<?xi64>, %tb: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %less = arith.constant 0.75 : f32
  %a = bufferization.to_buffer %ta read_only : tensor<?xi64> to memref<?xi64>
  %b = bufferization.to_buffer %tb read_only : tensor<?x?xf32> to memref<?x?xf32>
  %n = memref.dim %b, %c0 : memref<?x?xf32>
  %m = memref.dim %b, %c1 : memref<?x?xf32>
  %o = memref.alloc(%n, %m) : memref<?x?xf32>
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) {
    memref.store %z, %o[%i, %j] : memref<?x?xf32>
    scf.reduce
  }
  scf.parallel (%j, %i) = (%c0, %c0) to (%m, %n) step (%STEP, %STEP) {
    %p = memref.load %a[%j] : memref<?xi64>
    %q = arith.index_cast %p : i64 to index
    %x = memref.load %b[%i, %q] : memref<?x?xf32>
    %r = scf.while (%y = %x) : (f32) -> f32 {
      %c = arith.cmpf ogt, %y, %z : f32
      scf.condition(%c) %y : f32
    } do {
    ^bb0(%y: f32):
      %s = arith.subf %y, %less : f32
      scf.yield %s : f32
    }
    memref.store %r, %o[%i, %q] : memref<?x?xf32>
    scf.reduce
  }
  %t = bufferization.to_tensor %o restrict : memref<?x?xf32> to tensor<?x?xf32>
  return %t : tensor<?x?xf32>
}
"""

SUM = """
func.func @main(%ta: tensor<?xi64>) -> (i64, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %low = arith.constant -9223372036854775808 : i64
  %a = bufferization.to_buffer %ta read_only : tensor<?xi64> to memref<?xi64>
  %n = memref.dim %a, %c0 : memref<?xi64>
  %s:2 = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%one, %low) -> (i64, i64) {
    %x = memref.load %a[%i] : memref<?xi64>
    %w:2 = scf.while (%k = %z, %y = %x) : (i64, i64) -> (i64, i64) {
      %c = arith.cmpi sgt, %y, %one : i64
      scf.condition(%c) %k, %y : i64, i64
    } do {
    ^bb0(%k: i64, %y: i64):
      %h = arith.shrsi %y, %one : i64
      %k1 = arith.addi %k, %one : i64
      scf.yield %k1, %h : i64, i64
    }
    scf.reduce(%w#0, %w#1 : i64, i64) {
    ^bb0(%p: i64, %q: i64):
      %t = arith.addi %p, %q : i64
      scf.reduce.return %t : i64
    }, {
    ^bb0(%p: i64, %q: i64):
      %t = arith.maxsi %p, %q : i64
      scf.reduce.return %t : i64
    }
  }
  return %s#0, %s#1 : i64, i64
}
"""

# The least and the greatest: the order of combining does not matter, with NaN and zeros of both signs neither.
EXTREMES = """
func.func @main(%ta: tensor<?xf32>) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %zero = arith.constant -0.0 : f32
  %less = arith.constant 0.75 : f32
  %a = bufferization.to_buffer %ta read_only : tensor<?xf32> to memref<?xf32>
  %n = memref.dim %a, %c0 : memref<?xf32>
  %s:2 = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero, %one) -> (f32, f32) {
    %x = memref.load %a[%i] : memref<?xf32>
    %w = scf.while (%y = %x) : (f32) -> f32 {
      %c = arith.cmpf ogt, %y, %one : f32
      scf.condition(%c) %y : f32
    } do {
    ^bb0(%y: f32):
      %m = arith.mulf %y, %less : f32
      scf.yield %m : f32
    }
    scf.reduce(%w, %w : f32, f32) {
    ^bb0(%p: f32, %q: f32):
      %t = arith.maximumf %p, %q : f32
      scf.reduce.return %t : f32
    }, {
    ^bb0(%p: f32, %q: f32):
      %t = arith.minimumf %p, %q : f32
      scf.reduce.return %t : f32
    }
  }
  return %s#0, %s#1 : f32, f32
}
"""


NEVER = one_dim(["i32"], "i32", """
    %x = memref.load %a[%i] : memref<?xi32>
    %w = scf.while (%y = %x) : (i32) -> i32 {
      %c = arith.cmpi ne, %y, %z : i32
      scf.condition(%c) %y : i32
    } do {
    ^bb0(%y: i32):
      %l = arith.addi %y, %one : i32
      %odd = arith.ori %l, %one : i32
      scf.yield %odd : i32
    }
    %r = arith.addi %w, %z : i32""", "z = arith.constant 0 : i32; one = arith.constant 1 : i32")

# Lanes with a positive number count down to 0 in halves; 40 comes by 17, which is refused, -2 does not enter.
CHECKS = one_dim(["i32"], "i32", """
    %x = memref.load %a[%i] : memref<?xi32>
    %r = scf.while (%y = %x) : (i32) -> i32 {
      %c = arith.cmpi sgt, %y, %z : i32
      scf.condition(%c) %y : i32
    } do {
    ^bb0(%y: i32):
      %ok = arith.cmpi ult, %y, %most : i32
      %m = arith.subi %y, %three : i32
      %low = arith.minsi %m, %most : i32
      rt.check %ok, "lane has %0"(%low : i32)
      scf.yield %m : i32
    }""", "z = arith.constant 0 : i32; three = arith.constant 3 : i32; most = arith.constant 17 : i32")


# The bodies of an scf.forall and of a linalg.generic on tensors.
TENSORS = """
#map = affine_map<(d0) -> (d0)>
func.func @main(%t: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %less = arith.constant 0.9 : f32
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = scf.forall (%i) in (%n) shared_outs(%o = %e) -> (tensor<?xf32>) {
    %x = tensor.extract %t[%i] : tensor<?xf32>
    %w = scf.while (%y = %x) : (f32) -> f32 {
      %c = arith.cmpf ogt, %y, %one : f32
      scf.condition(%c) %y : f32
    } do {
    ^bb0(%y: f32):
      %m = arith.mulf %y, %less : f32
      scf.yield %m : f32
    }
    %s = tensor.from_elements %w : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
    }
  }
  %g = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%t : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %w = scf.while (%y = %x) : (f32) -> f32 {
      %c = arith.cmpf olt, %y, %one : f32
      scf.condition(%c) %y : f32
    } do {
    ^bb0(%y: f32):
      %m = arith.addf %y, %less : f32
      scf.yield %m : f32
    }
    linalg.yield %w : f32
  } -> tensor<?xf32>
  return %r, %g : tensor<?xf32>, tensor<?xf32>
}
"""


def rows_model(kind):
    """Y[i] = X[i] times 0.9 until it is at most 1; the rows are those of a Loop or of a Scan."""
    def info(name, of, shape):
        return helper.make_tensor_value_info(name, of, shape)

    of_float, of_bool, of_int = TensorProto.FLOAT, TensorProto.BOOL, TensorProto.INT64
    inner = helper.make_graph([helper.make_node("Mul", ["y_in", "k"], ["y_out"]),
                               helper.make_node("Greater", ["y_out", "one"], ["c_out"])], "inner",
                              [info("it", of_int, []), info("c_in", of_bool, []), info("y_in", of_float, [])],
                              [info("c_out", of_bool, []), info("y_out", of_float, [])])
    nodes = [helper.make_node("Greater", ["x", "one"], ["c0"]),
             helper.make_node("Loop", ["", "c0", "x"], ["y"], body=inner)]
    if kind == "Scan":
        body = helper.make_graph(nodes, "body", [info("x", of_float, [])], [info("y", of_float, [])])
        outer = [helper.make_node("Scan", ["X"], ["Y"], body=body, num_scan_inputs=1)]
    else:
        nodes = [helper.make_node("Gather", ["X", "i"], ["x"], axis=0), *nodes,
                 helper.make_node("Identity", ["on"], ["on_out"])]
        body = helper.make_graph(nodes, "body", [info("i", of_int, []), info("on", of_bool, [])],
                                 [info("on_out", of_bool, []), info("y", of_float, [])])
        outer = [helper.make_node("Shape", ["X"], ["s"]), helper.make_node("Squeeze", ["s"], ["n"]),
                 helper.make_node("Loop", ["n", ""], ["Y"], body=body)]
    graph = helper.make_graph(outer, "rows", [info("X", of_float, ["N"])], [info("Y", of_float, ["N"])],
                              [numpy_helper.from_array(np.float32(0.9), "k"),
                               numpy_helper.from_array(np.float32(1), "one")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def ints(rng, n, low, high, dtype):
    return rng.integers(low, high, n).astype(dtype)


def floats(rng, n, dtype):
    values = rng.standard_normal(n) * 10
    specials = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-30])
    return np.where(rng.random(n) < 0.2, rng.choice(specials, n), values).astype(dtype)


def sparse(rng, n):
    begin = ints(rng, n, 0, 50, np.int32)
    return [begin, (begin + ints(rng, n, -3, 14, np.int32)).astype(np.int32), rng.standard_normal(64)]


def scatter(rng, n):
    return [rng.permutation(n).astype(np.int64), (rng.standard_normal((7, n)) * 5).astype(np.float32)]


def divisions(kind, sign):
    """Quotients and remainders of each lane's numbers, as often as one of them says."""
    return one_dim([kind, kind], kind, f"""
    %x = memref.load %a[%i] : memref<?x{kind}>
    %y = memref.load %b[%i] : memref<?x{kind}>
    %w:3 = scf.while (%p = %x, %q = %y, %s = %z) : ({kind}, {kind}, {kind}) -> ({kind}, {kind}, {kind}) {{
      %c = arith.cmpi ne, %q, %z : {kind}
      scf.condition(%c) %p, %q, %s : {kind}, {kind}, {kind}
    }} do {{
    ^bb0(%p: {kind}, %q: {kind}, %s: {kind}):
      %d = arith.div{sign}i %p, %q : {kind}
      %m = arith.rem{sign}i %p, %q : {kind}
      %k = arith.div{sign}i %d, %seven : {kind}
      %l = arith.rem{sign}i %d, %eight : {kind}
      %s0 = arith.xori %s, %d : {kind}
      %s1 = arith.muli %s0, %seven : {kind}
      %s2 = arith.addi %s1, %k : {kind}
      %s3 = arith.subi %s2, %l : {kind}
      scf.yield %q, %m, %s3 : {kind}, {kind}, {kind}
    }}
    %r = arith.addi %w#0, %w#2 : {kind}""", f"z = arith.constant 0 : {kind}; seven = arith.constant 7 : {kind}; "
                   f"eight = arith.constant 8 : {kind}")


def dividends(kind):
    """Numbers of all sizes of an integer type, both ends of it too, but for -1, by which one end cannot be divided."""
    dtype = np.dtype(kind.replace("i", "int"))
    bits = 8 * dtype.itemsize

    def make(rng, n):
        lists = []
        for _ in range(2):
            x = rng.integers(-2**(bits - 1), 2**(bits - 1), n, dtype=np.int64) >> rng.integers(0, bits, n)
            ends = rng.choice(np.array([-2**(bits - 1), 2**(bits - 1) - 1, 1, 2, -2, 3]), n)
            lists.append(np.where(rng.random(n) < 0.3, ends, x).astype(dtype))
        return [np.where(x == -1, 1, x).astype(dtype) for x in lists]
    return make


# name: (text, inputs of n elements)
PROGRAMS = {
    **{f"div{sign}_{kind}": (divisions(kind, sign), dividends(kind))
       for kind, sign in (("i8", "s"), ("i16", "u"), ("i32", "s"), ("i32", "u"), ("i64", "s"))},
    "collatz": (COLLATZ, lambda rng, n: [ints(rng, n, -3, 5000, np.int64)]),
    "gcd": (GCD, lambda rng, n: [ints(rng, n, 0, 1 << 30, np.int32), ints(rng, n, 0, 1 << 20, np.int32)
                                 * (rng.random(n) < 0.8).astype(np.int32)]),
    "search": (SEARCH, lambda rng, n: [floats(rng, n, np.float32), np.sort(rng.standard_normal(37)).astype(np.float32)
                                       * 10]),
    "search_empty": (SEARCH, lambda rng, n: [floats(rng, n, np.float32), np.zeros(0, np.float32)]),
    "nested": (NESTED, lambda rng, n: [ints(rng, n, -5, 60, np.int32)]),
    "rows": (ROWS, sparse),
    "triangle": (TRIANGLE, lambda rng, n: [ints(rng, n, -9, 40, np.int32)]),
    "newton": (NEWTON, lambda rng, n: [floats(rng, n, np.float64)]),
    "exits": (EXITS, lambda rng, n: [ints(rng, n, -100, 100_000, np.int32)]),
    "exits_store": (EXITS_STORE, lambda rng, n: [ints(rng, n, -5, 120, np.int32)]),
    "switch": (SWITCH, lambda rng, n: [ints(rng, n, -128, 127, np.int8), floats(rng, n, np.float64)]),
    "branches": (BRANCHES, lambda rng, n: [ints(rng, n, -3, 30, np.int32), ints(rng, n, -4, 5, np.int32)]),
    "half": (HALF, lambda rng, n: [np.nan_to_num(floats(rng, n, np.float16), posinf=99.0)]),
    "bytes": (BYTES, lambda rng, n: [ints(rng, n, -128, 127, np.int8), ints(rng, n, -2**15, 2**15, np.int16)]),
    "scatter": (SCATTER.replace("%STEP", "%c1"), scatter),
    "sum": (SUM, lambda rng, n: [ints(rng, n, 0, 1 << 40, np.int64)]),
    "extremes": (EXTREMES, lambda rng, n: [np.nan_to_num(floats(rng, n, np.float32), nan=-0.0, posinf=99.0)]),
    "extremes_nan": (EXTREMES, lambda rng, n: [np.where(rng.random(n) < 0.02, np.nan, rng.standard_normal(n) * 10)
                                               .astype(np.float32)]),
    "extremes_zeros": (EXTREMES, lambda rng, n: [rng.choice(np.array([0.0, -0.0], np.float32), n)]),
    "never_enters": (GCD, lambda rng, n: [ints(rng, n, 0, 99, np.int32), np.zeros(n, np.int32)]),
}
