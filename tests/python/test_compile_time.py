"""Large functions: the time that their machine code takes is linear in their size, and it is right.

Each program is compiled and run in two sizes. Four times the size may take eight times the processor time: what is
quadratic takes sixteen times as long. What the small one takes is measured twice, for the machine may be busy.
"""
import resource

import pytest


def loops_as_blocks(n):
    """Loops in a row, written as blocks."""
    yield "func.func @main(%n: index, %x: i64) -> i64 {"
    yield "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  cf.br ^b0(%x : i64)"
    for i in range(n):
        yield f"""^b{i}(%x{i}: i64):
  cf.br ^h{i}(%c0, %x{i} : index, i64)
^h{i}(%i{i}: index, %y{i}: i64):
  %t{i} = arith.cmpi slt, %i{i}, %n : index
  cf.cond_br %t{i}, ^l{i}, ^b{i + 1}(%y{i} : i64)
^l{i}:
  %v{i} = arith.index_cast %i{i} : index to i64
  %m{i} = arith.muli %v{i}, %y{i} : i64
  %s{i} = arith.addi %y{i}, %m{i} : i64
  %j{i} = arith.addi %i{i}, %c1 : index
  cf.br ^h{i}(%j{i}, %s{i} : index, i64)"""
    yield f"^b{n}(%r: i64):\n  return %r : i64\n}}"


LOOP = """func.func private @{name}(%n: index, %x: i64) -> i64 {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant {k} : i64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> i64 {{
    %v = arith.index_cast %i : index to i64
    %m = arith.muli %v, %a : i64
    %s = arith.addi %m, %k : i64
    scf.yield %s : i64
  }}
  return %r : i64
}}"""


def calls(n, callee):
    yield "func.func @main(%n: index, %x0: i64) -> i64 {"
    for i in range(n):
        yield f"  %x{i + 1} = call @{callee(i)}(%n, %x{i}) : (index, i64) -> i64"
    yield f"  return %x{n} : i64\n}}"


def calls_of_one(n):
    """Calls of one small function."""
    yield from calls(n, lambda i: "loop")
    yield LOOP.format(name="loop", k=7)


def calls_of_many(n):
    """Functions that are called once."""
    yield from calls(n, lambda i: f"loop{i}")
    for i in range(n):
        yield LOOP.format(name=f"loop{i}", k=i)


def large_body(n):
    """One loop, as it is when it was unrolled."""
    yield f"""func.func @main(%n: index, %x: i64) -> i64 {{
  %c0 = arith.constant 0 : index
  %c{n} = arith.constant {n} : index
  %m = memref.alloc() : memref<{4 * n}xi64>
  linalg.fill ins(%x : i64) outs(%m : memref<{4 * n}xi64>)
  %end = arith.muli %n, %c{n} : index
  %r = scf.for %i = %c0 to %end step %c{n} iter_args(%s0 = %x) -> i64 {{"""
    for i in range(n):
        yield f"""    %k{i} = arith.constant {i} : index
    %i{i} = arith.addi %i, %k{i} : index
    %v{i} = memref.load %m[%i{i}] : memref<{4 * n}xi64>
    %s{i + 1} = arith.addi %s{i}, %v{i} : i64"""
    yield f"    scf.yield %s{n} : i64\n  }}\n  memref.dealloc %m : memref<{4 * n}xi64>\n  return %r : i64\n}}"


def layers(n):
    """Products, each with an element-wise op, a reduction of rows and an op that uses both."""
    yield """#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
func.func @main(%x0: tensor<2048x64xf32>, %w: tensor<64x64xf32>) -> tensor<2048x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<2048x64xf32>
  %none = arith.constant dense<0.0> : tensor<2048xf32>
  %e = tensor.empty() : tensor<2048x64xf32>"""
    for i in range(n):
        yield f"""  %p{i} = linalg.generic {{indexing_maps = [#mk, #kn, #mn],
                          iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%x{i}, %w : tensor<2048x64xf32>, tensor<64x64xf32>) outs(%zero : tensor<2048x64xf32>) {{
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b fastmath<reassoc,contract> : f32
    %s = arith.addf %c, %m fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  }} -> tensor<2048x64xf32>
  %s{i} = linalg.generic {{indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}}
      ins(%p{i} : tensor<2048x64xf32>) outs(%none : tensor<2048xf32>) {{
  ^bb0(%a: f32, %c: f32):
    %s = arith.addf %c, %a fastmath<reassoc> : f32
    linalg.yield %s : f32
  }} -> tensor<2048xf32>
  %x{i + 1} = linalg.generic {{indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}}
      ins(%p{i}, %s{i} : tensor<2048x64xf32>, tensor<2048xf32>) outs(%e : tensor<2048x64xf32>) {{
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.divf %a, %b : f32
    linalg.yield %s : f32
  }} -> tensor<2048x64xf32>"""
    yield f"  return %x{n} : tensor<2048x64xf32>\n}}"


def test_partition_is_linear(noria_tool, tmp_path):
    """From ops to dispatches: one dispatch for a few ops, and one executable for equal ones."""
    passes = ["--form-dispatch-regions", "--clone-producers-into-dispatch-regions",
              "--convert-dispatch-region-to-workgroups", "--lift-dispatch-constants", "--tile-dispatches",
              "--outline-dispatches"]
    small, large = tmp_path / "small.mlir", tmp_path / "large.mlir"
    small.write_text("\n".join(layers(250)) + "\n")
    large.write_text("\n".join(layers(1000)) + "\n")
    least = min(seconds(noria_tool, "opt", *passes, small)[0] for _ in range(2))
    most, printed = seconds(noria_tool, "opt", *passes, large)
    assert most < 8 * least, (least, most)
    assert "linalg.generic" not in printed[printed.index("func.func @main("):]
    assert printed.count("flow.executable private") < 10


def seconds(run, *args):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = run(*args, timeout=300)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stderr[:2000]
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


@pytest.mark.parametrize("program, size", [(loops_as_blocks, 400), (calls_of_one, 500), (calls_of_many, 300),
                                           (large_body, 500)],
                         ids=lambda p: getattr(p, "__name__", str(p)))
def test_linear(program, size, noria_tool, tmp_path):
    small, large = tmp_path / "small.mlir", tmp_path / "large.mlir"
    small.write_text("\n".join(program(size)) + "\n")
    large.write_text("\n".join(program(4 * size)) + "\n")
    least = min(seconds(noria_tool, "run", small, "3", "5")[0] for _ in range(2))
    most, printed = seconds(noria_tool, "run", large, "3", "5")
    assert most < 8 * least, (least, most)
    assert printed == noria_tool("run", "--interpret", large, "3", "5").stdout
