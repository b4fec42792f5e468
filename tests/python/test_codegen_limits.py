"""What is too large for LLVM is refused before it sees it, at its place: vectors, arguments and results of functions."""
import pytest


def function(num_args, num_results):
    args = ", ".join(f"%a{i}: i32" for i in range(num_args))
    results, types = ", ".join(["%a0"] * num_results), ", ".join(["i32"] * num_results)
    return f"func.func private @f({args}) -> ({types}) attributes {{no_inline}} {{\n  return {results} : {types}\n}}\n"


def program(num_args, num_results):
    args, types = ", ".join(["%x"] * num_args), ", ".join(["i32"] * num_args)
    results = ", ".join(["i32"] * num_results)
    return (function(num_args, num_results) + "func.func @main(%x: i32) -> i32 {\n"
            f"  %r:{num_results} = call @f({args}) : ({types}) -> ({results})\n  return %r#0 : i32\n}}\n")


def compile_text(noria_tool, tmp_path, text):
    return noria_tool("compile", "--format=mlir", "-", "-o", tmp_path / "out.so", stdin=text)


@pytest.mark.parametrize("args, results, what", [(4097, 1, "4097 arguments"), (1, 4097, "4097 results"),
                                                 (100000, 1, "100000 arguments")])
def test_too_many(noria_tool, tmp_path, args, results, what):
    ran = compile_text(noria_tool, tmp_path, program(args, results))
    assert ran.returncode == 1
    assert f"-:1:1: error: 'func.func' op has {what}: functions of more than 4096 are not compiled" in ran.stderr


def test_as_many_as_there_may_be(noria_tool):
    ran = noria_tool("run", "-", "7", stdin=program(4096, 16))
    assert (ran.returncode, ran.stdout) == (0, "7 : i32\n"), ran.stderr


@pytest.mark.parametrize("vector", ["vector<100000000xf32>", "vector<4097xf32>", "vector<100x50xf32>"])
def test_vectors(noria_tool, tmp_path, vector):
    text = f"func.func @main(%x: f32) -> f32 {{\n  %v = vector.broadcast %x : f32 to {vector}\n" \
           f"  %s = arith.addf %v, %v : {vector}\n  %z = vector.shape_cast %s : {vector} to {vector}\n" \
           "  return %x : f32\n}\n"
    used = text.replace("  return", f"  call @sink(%z) : ({vector}) -> ()\n  return") + \
        f"func.func private @sink(%v: {vector}) attributes {{no_inline}} {{ return }}\n"
    ran = compile_text(noria_tool, tmp_path, used)
    assert ran.returncode == 1
    assert f"has a value of type '{vector}': vectors of more than 4096 elements are not compiled" in ran.stderr
    assert ran.stderr.startswith("-:"), ran.stderr


def test_the_largest_vector(noria_tool):
    text = ("func.func @main(%x: f32) -> f32 {\n  %v = vector.broadcast %x : f32 to vector<64x64xf32>\n"
            "  %s = arith.addf %v, %v : vector<64x64xf32>\n"
            "  %c = vector.extract %s[63, 63] : f32 from vector<64x64xf32>\n  return %c : f32\n}\n")
    ran = noria_tool("run", "-", "1.5", stdin=text)
    assert (ran.returncode, ran.stdout) == (0, "3.000000e+00 : f32\n"), ran.stderr
