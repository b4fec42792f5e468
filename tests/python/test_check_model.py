"""`noria check`: whether a model runs, what is in it and where its time goes."""

import re

import numpy as np
import pytest
from onnx import save
from onnx.parser import parse_model

# The size of p depends on data; the products have known sizes once N is fixed.
MODEL = """check (float[N, 64] x) => (float[N, 64] y, int64[2, M] p) <float[64, 64] w> {
  a = MatMul(x, w)  y = Relu(a)  p = NonZero(x) }"""
WEIGHT = "<float[64, 64] w = {" + "1, " * (64 * 64 - 1) + "1}>"


@pytest.fixture
def check(noria_tool, tmp_path):
    """Runs `noria check` on a model in ONNX's text form: the exit status, the lines of the report, and the error."""

    def run(text, *options, opset=21):
        path = tmp_path / "m.onnx"
        save(parse_model(f'<ir_version: 10, opset_import: ["": {opset}]>\n{text}'), str(path))
        done = noria_tool("check", path, *options)
        return done.returncode, [" ".join(line.split()) for line in done.stdout.splitlines()], done.stderr

    return run


def section(lines, heading, after):
    """The lines between two headings, which begin so."""
    starts = [i for i, line in enumerate(lines) if line.startswith(heading)]
    assert len(starts) == 1, (heading, lines)
    end = next(i for i in range(starts[0] + 1, len(lines) + 1) if i == len(lines) or lines[i].startswith(after))
    return lines[starts[0] + 1:end]


def test_a_model_that_runs(check):
    status, lines, error = check(MODEL.replace("<float[64, 64] w>", WEIGHT))
    assert (status, error, lines[-1]) == (0, "", "it runs")
    assert section(lines, "operators", "weights") == ["1 MatMul (opset 21)", "1 NonZero (opset 21)", "1 Relu (opset 21)"]
    assert section(lines, "weights", "unusual") == ["1 tensors, 16.4 kB; the largest has 16.4 kB"]
    unusual = section(lines, "unusual", "time")
    assert unusual == ["input 'x' has open dims: N", "node 'p' (NonZero): the size of its result depends on data"]


def test_fixed_sizes_give_estimates(check):
    text = MODEL.replace("<float[64, 64] w>", WEIGHT)
    shares = {}
    for n in 64, 512:
        status, lines, _ = check(text, "--shape", f"N={n}")
        total = float(re.search(r": ([\d.e+-]+) ms$", next(line for line in lines if line.startswith("time")))[1])
        shares[n] = total, dict(line.split("% ") for line in section(lines, "nodes that take", "it runs"))
        assert status == 0
    assert 4 < shares[512][0] / shares[64][0] < 12, shares
    percent = {name: float(share) for share, name in shares[512][1].items()}
    assert percent["'a' (MatMul)"] > percent["'y' (Relu)"], shares


def test_what_is_usual_is_not_listed(check):
    status, lines, _ = check("plain (float[4] x) => (float[4] y) { y = Relu(x) }")
    assert status == 0 and section(lines, "unusual", "time") == ["nothing"]


@pytest.mark.parametrize("size", ["Shape(x)", "Add(n, n)"])
def test_sizes_that_follow_from_shapes_are_no_data(check, size):
    status, lines, _ = check(f"sized (float[N] x, int64[1] n) => (float[M] y) {{ s = {size}  y = ConstantOfShape(s) }}")
    found = [line for line in section(lines, "unusual", "time") if line.startswith("node")]
    assert status == 0 and found == ([] if "Shape" in size else ["node 'y' (ConstantOfShape): the size of its result "
                                                                  "depends on data"])


def test_loops_count_as_often_as_they_run(check):
    """The estimate of a loop is that of its body, once for each trip."""
    totals = []
    for trips in 10, 1000:
        text = f"""loop (float[1000] x) => (float[1000] y) <int64 n = {{{trips}}}> {{
          y = Loop <body = b (int64 i, bool c, float[1000] a) => (bool d, float[1000] e)
            {{ d = Identity(c)  e = Exp(a) }}> (n, "", x) }}"""
        status, lines, _ = check(text)
        line = next(line for line in lines if line.startswith("time"))
        totals.append(float(re.search(r"([\d.e+-]+) ms$", line)[1]))
        assert status == 0 and "subgraphs are nested 1 deep" in lines
    assert 80 < totals[1] / totals[0] < 120, totals


def test_unknown_ops_are_named(check):
    status, lines, error = check("bad (float[4] x) => (float[4] y) { a = Fuse(x)  y = Relu(a) }")
    assert status == 1 and lines[-1] == "it does not run"
    assert "1 Fuse (opset 21) (not known)" in lines and "1 nodes have ops that are not known" in lines
    assert error.startswith("noria check: ") and "Fuse (opset 21, node 'a')" in error


def test_a_model_that_cannot_be_compiled(check):
    status, lines, error = check("bad (float[4] x, float[3] y) => (float[4] z) { z = Add(x, y) }")
    assert status == 1 and lines[-1] == "it does not run" and not [line for line in lines if line.startswith("time")]
    assert "node 'z' (Add)" in error


@pytest.mark.parametrize("data", [b"", b"\x08", b"no model at all", bytes(100)])
def test_what_is_no_model(noria_tool, tmp_path, data):
    (tmp_path / "bad.onnx").write_bytes(data)
    done = noria_tool("check", tmp_path / "bad.onnx")
    assert done.returncode == 1 and done.stderr.startswith("noria check: ") and not done.stdout


def test_the_command_line(noria_tool):
    assert noria_tool("check", "--help").stdout.startswith("usage: noria check")
    for arguments in [], ["a.onnx", "b.onnx"], ["--no-such-option", "a.onnx"]:
        done = noria_tool("check", *arguments)
        assert done.returncode == 2 and done.stderr.startswith("noria check: "), arguments


def test_the_verdict_is_that_of_a_run(check, noria_tool, tmp_path):
    """A model that is said to run does, with the sizes that were checked."""
    status, _, _ = check(MODEL.replace("<float[64, 64] w>", WEIGHT), "--shape", "N=3")
    np.save(tmp_path / "x.npy", np.ones((3, 64), np.float32))
    done = noria_tool("run", tmp_path / "m.onnx", "--input", f"x=@{tmp_path}/x.npy")
    assert status == 0 and done.returncode == 0, done.stderr
