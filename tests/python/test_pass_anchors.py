"""Passes in `func.func(..)` and in nested `builtin.module(..)` change what they are in, and look at nothing else."""
import re

import pytest

# Loops, buffers, tensors and calls; every function has something for most passes to do.
BODIES = """
  func.func @loops(%n: index, %m: memref<8x8xf32>) -> i32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %one = arith.constant 1 : i32
    %two = func.call @private(%one) : (i32) -> i32
    %dead = arith.addi %one, %one : i32
    %same = arith.addi %one, %one : i32
    %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %two) -> (i32) {
      %b = arith.muli %same, %same : i32
      %c = arith.addi %a, %b : i32
      scf.for %j = %c0 to %n step %c1 {
        %x = memref.load %m[%i, %j] : memref<8x8xf32>
        %y = arith.addf %x, %x : f32
        memref.store %y, %m[%i, %j] : memref<8x8xf32>
      }
      scf.yield %c : i32
    }
    affine.for %i = 0 to 8 {
      %x = affine.load %m[%i, 0] : memref<8x8xf32>
      affine.store %x, %m[%i, 1] : memref<8x8xf32>
    }
    scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
      %x = memref.load %m[%i, %c1] : memref<8x8xf32>
      memref.store %x, %m[%i, %c0] : memref<8x8xf32>
    }
    %z = arith.cmpi eq, %sum, %one : i32
    %r = scf.if %z -> (i32) {
      scf.yield %sum : i32
    } else {
      scf.yield %two : i32
    }
    return %r : i32
  }
  func.func private @private(%x: i32) -> i32 {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.cmpi eq, %x, %c1 : i32
    cf.cond_br %z, ^a, ^b
  ^a:
    return %c1 : i32
  ^b:
    %y = arith.addi %x, %c0 : i32
    return %y : i32
  }
  func.func @tensors(%t: tensor<8xf32>, %u: memref<8xf32>) -> tensor<8xf32> {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %p = func.call @private(%one) : (i32) -> i32
    %f = arith.sitofp %p : i32 to f32
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%u : memref<8xf32>) {
    ^bb0(%y: f32):
      %s = arith.addf %y, %f : f32
      linalg.yield %s : f32
    }
    %r = tensor.insert %f into %t[%c0] : tensor<8xf32>
    return %r : tensor<8xf32>
  }
"""
DECLARED = BODIES.replace(BODIES[BODIES.index("  func.func private"):BODIES.index("  func.func @tensors")],
                          "  func.func private @private(i32) -> i32\n")
NESTED = f"module {{\n{BODIES}\n  module @inner {{\n{BODIES}\n  }}\n}}\n"




@pytest.fixture(scope="module")
def listed(noria_tool):
    """All passes, and what is printed of the programs after them."""
    names = re.findall(r"^([a-z0-9-]+)", noria_tool("opt", "--list-passes").stdout, re.M)
    assert "canonicalize" in names and "sccp" in names and len(names) > 40
    names.remove("verify-emittable")  # refuses structured ops, which these programs have: the test below
    return names


def run(noria_tool, pipeline, text):
    return noria_tool("opt", "--mlir-print-local-scope", f"--pass-pipeline={pipeline}", "-", stdin=text)


def split(printed):
    """The outer module's own functions, and the nested module."""
    at = printed.index("  module @inner")
    return printed[:at], printed[at:printed.rindex("}")]


def functions(printed):
    return {re.search(r"@\w+", text)[0]: text for text in re.split(r"^  (?=func\.func)", printed, flags=re.M)[1:]}


def test_passes_stay_in_the_module(noria_tool, listed):
    outer, inner = split(run(noria_tool, "builtin.module()", NESTED).stdout)
    changed = []
    for name in listed:
        ran = run(noria_tool, f"builtin.module(builtin.module({name}))", NESTED)
        assert ran.returncode == 0, f"{name}: {ran.stderr}"
        assert split(ran.stdout)[0] == outer, name
        changed += [name] if split(ran.stdout)[1] != inner else []
    assert len(changed) > 15 and "inline" in changed, changed


def test_a_verifier_stays_in_the_module(noria_tool):
    """Ops that no backend knows are refused in the nested module only, and in the outer one only where that is meant."""
    structured = "func.func @f(%n: index) { scf.for %i = %n to %n step %n { } return }"
    nested, outer = (f"module {{ {a} module {{ {b} }} }}" for a, b in ((" ", structured), (structured, " ")))
    inside = "builtin.module(builtin.module(verify-emittable))"
    refused = run(noria_tool, inside, nested)
    assert refused.returncode == 1 and "'scf.for' op" in refused.stderr
    assert run(noria_tool, inside, outer).returncode == 0
    assert run(noria_tool, "builtin.module(verify-emittable)", outer).returncode == 1


def test_passes_stay_in_the_function(noria_tool, listed):
    """What other functions are makes no difference, and modules are not functions."""
    inner = split(run(noria_tool, "builtin.module()", NESTED).stdout)[1]
    changed = []
    before = functions(run(noria_tool, "builtin.module()", f"module {{\n{BODIES}\n}}\n").stdout)
    for name in listed:
        ran = run(noria_tool, f"builtin.module(func.func({name}))", NESTED)
        if "runs on modules, not on 'func.func'" in ran.stderr:
            continue
        assert ran.returncode == 0, f"{name}: {ran.stderr}"
        assert split(ran.stdout)[1] == inner, name
        whole = functions(run(noria_tool, f"builtin.module(func.func({name}))", f"module {{\n{BODIES}\n}}\n").stdout)
        alone = functions(run(noria_tool, f"builtin.module(func.func({name}))", f"module {{\n{DECLARED}\n}}\n").stdout)
        for function in "@loops", "@tensors":
            assert whole[function].rstrip("}\n ") == alone[function].rstrip("}\n "), f"{name}, {function}"
        changed += [name] if whole != before else []
    assert len(changed) > 15 and "sccp" in changed, changed
