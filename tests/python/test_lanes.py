"""Parallel loops with loops inside that run a different number of times: vectors with masks give, bit for bit, what the
interpreter gives for the program as it is written; for each kind of CPU that this machine can run."""
import re

import numpy as np
import onnx
import onnxruntime
import pytest

import noria
from lanes_programs import CHECKS, NEVER, PROGRAMS, TENSORS, rows_model

CPUS = ["native", "x86-64-v4", "x86-64-v3", "x86-64-v2"]
SIZES = [0, 1, 3, 4, 5, 8, 15, 16, 17, 31, 33, 64, 65, 150]

PREPARE = "lower-early-exit,lift-cf-to-scf,canonicalize"


def interpreted(path):
    options = noria.SessionOptions()
    options.interpret_after = "import"
    options.intra_op_num_threads = 1
    return noria.InferenceSession(path, options)


def same(want, got):
    """The same bits, but that any NaN is as good as another."""
    want, got = np.asarray(want), np.asarray(got)
    if want.dtype != got.dtype or want.shape != got.shape:
        return False
    either = np.isnan(want) & np.isnan(got) if want.dtype.kind == "f" else np.zeros(want.shape, bool)
    return bool(np.all(either | (want == got) & (np.signbit(want) == np.signbit(got))))


def run(session, inputs):
    return session.run(None, dict(zip([i.name for i in session.get_inputs()], inputs)))


def check_all(name, noria_tool, path, cpus, wants, inputs):
    """Runs the program at `path`, compiled for each CPU; returns for how many this machine could."""
    ran = 0
    for cpu in cpus:
        library = path.with_suffix(f".{cpu}.so")
        made = noria_tool("compile", f"--cpu={cpu}", path, "-o", library)
        assert made.returncode == 0, made.stderr
        try:
            compiled = noria.InferenceSession(str(library))
        except noria.Error as error:
            assert "CPU" in str(error) or "needs" in str(error), error
            continue
        ran += 1
        for x, want in zip(inputs, wants):
            got = run(compiled, x)
            assert all(same(w, g) for w, g in zip(want, got)), f"{name} with {len(x[0])} on {cpu}: {want} {got}"
    return ran


@pytest.mark.parametrize("name", PROGRAMS)
def test_lanes(name, noria_tool, tmp_path):
    """As the pipeline compiles it, and with vectors of several lengths where the cost model would not have them; these
    are also interpreted."""
    text, make = PROGRAMS[name]
    path = tmp_path / f"{name}.mlir"
    path.write_text(text)
    rng = np.random.default_rng(7)
    inputs = [make(rng, n) for n in SIZES]
    session = interpreted(str(path))
    wants = [run(session, x) for x in inputs]
    assert check_all(name, noria_tool, path, CPUS, wants, inputs)
    for lanes, cpu in ((4, "x86-64-v2"), (16, "x86-64-v3"), (20, "x86-64-v4")):
        forced = tmp_path / f"{name}_{lanes}_{cpu}.mlir"
        made = noria_tool("opt", f"--cpu={cpu}", "--explain-vectorize", path, "-o", forced,
                          f"--pass-pipeline={PREPARE},vectorize-parallel-loops{{lanes={lanes}}},canonicalize")
        assert made.returncode == 0 and "remark: vectorized" in made.stderr, made.stderr
        assert "xi1>" in forced.read_text()
        check_all(name, noria_tool, forced, [cpu], wants, inputs)
        session = interpreted(str(forced))
        for x, want in zip(inputs[::3], wants[::3]):
            assert all(same(w, g) for w, g in zip(want, run(session, x)))


# name: (program, bytes of an element as it is computed with, packed arithmetic in it)
TYPES = {"f32": (PROGRAMS["half"][0].replace("f16", "f32"), 4, "mulps"), "f64": (PROGRAMS["newton"][0], 8, "divpd"),
         "i32": (PROGRAMS["nested"][0], 4, "p(?:add|sub)d"), "i64": (PROGRAMS["collatz"][0], 8, "p(?:add|sub)q"),
         "f16": (PROGRAMS["half"][0], 4, "mulps")}


@pytest.mark.parametrize("cpu, register, size", [("x86-64-v4", "zmm", 64), ("x86-64-v3", "ymm", 32), ("x86-64-v2", "xmm", 16)])
@pytest.mark.parametrize("kind", TYPES)
def test_registers(kind, cpu, register, size, noria_tool, tmp_path):
    """Lanes of each type fill the vector registers of AVX-512, AVX2 and SSE4.2, as the machine code shows."""
    text, width, instruction = TYPES[kind]
    path, forced, code = tmp_path / f"{kind}.mlir", tmp_path / "forced.mlir", tmp_path / "code.s"
    path.write_text(text)
    lanes = f"vectorize-parallel-loops{{lanes={size // width}}}"
    made = noria_tool("opt", f"--cpu={cpu}", path, "-o", forced, f"--pass-pipeline={PREPARE},{lanes},canonicalize")
    assert made.returncode == 0, made.stderr
    made = noria_tool("compile", f"--cpu={cpu}", forced, "-o", code)
    assert made.returncode == 0, made.stderr
    assert re.search(rf"\sv?{instruction}\s.*%{register}\d", code.read_text())


def test_limits(noria_tool, tmp_path):
    """A while that never ends in one lane is stopped in vector code: by its time, and by the number of iterations."""
    path = tmp_path / "never.mlir"
    path.write_text(NEVER)
    numbers = "[" + ", ".join("1" if i == 11 else "0" for i in range(40)) + "]"
    for limit in ("--time-limit=0.3", "--iteration-limit=100000"):
        for ops in ("--explain-vectorize", "--threads=1"):
            stopped = noria_tool("run", ops, limit, path, numbers, timeout=60)
            assert stopped.returncode != 0 and "limit of" in stopped.stderr, stopped.stderr
            assert "never.mlir:" in stopped.stderr
    assert "remark: vectorized" in noria_tool("run", "--explain-vectorize", path, "[0, 0]").stderr


def test_checks(noria_tool, tmp_path):
    """A check that fails in an active lane ends the run, with this lane's values; one of an inactive lane does not."""
    path = tmp_path / "checks.mlir"
    path.write_text(CHECKS)
    forced = tmp_path / "forced.mlir"
    made = noria_tool("opt", "--pass-pipeline=vectorize-parallel-loops{lanes=8}", path, "-o", forced)
    assert made.returncode == 0 and "vector.reduction <minui>" in forced.read_text(), made.stderr
    for numbers, ok in (("[3, 1, 2, 5, 0, 7, 8, 4, 11]", True), ("[3, 1, 2, 5, 0, 7, 8, 4, -2]", True),
                        ("[3, 1, 2, 5, 0, 7, 40, 4, 11]", False), ("[3, 1, 2, 5, 0, 7, 4, 4, 40]", False)):
        runs = [noria_tool("run", *how, numbers) for how in ((path, "--interpret"), (path,), (forced, "--interpret"),
                                                            (forced,))]
        for one in runs:
            assert (one.returncode == 0) == ok and one.stdout == runs[0].stdout, one.stderr
            assert ok or "lane has 17" in one.stderr, one.stderr


def test_tensors(noria_tool, tmp_path):
    """scf.forall and linalg.generic on tensors get lanes in the pipeline."""
    path = tmp_path / "tensors.mlir"
    path.write_text(TENSORS)
    for cpu in ("x86-64-v2", "x86-64-v3"):
        explained = noria_tool("opt", f"--cpu={cpu}", "--pipeline", "--stop-after=kernel", "--explain-vectorize", path)
        places = {line.split(": ")[0] for line in explained.stderr.splitlines() if "remark: vectorized" in line}
        assert len(places) == 2, explained.stderr
    rng = np.random.default_rng(5)
    inputs = [[(rng.random(n) * 30 - 10).astype(np.float32)] for n in (0, 1, 7, 16, 40, 100)]
    session = interpreted(str(path))
    assert check_all("tensors", noria_tool, path, CPUS, [run(session, x) for x in inputs], inputs)


@pytest.mark.parametrize("kind", ["Loop", "Scan"])
def test_models(kind, noria_tool, tmp_path):
    """A Loop with a condition over independent rows of a Loop or Scan has lanes, without the model saying so."""
    path = tmp_path / f"{kind}.onnx"
    onnx.save(rows_model(kind), path)
    explained = noria_tool("run", "--explain-vectorize", path, "--input", "X=[1.0, 7.0]")
    assert "remark: vectorized" in explained.stderr, explained.stderr
    session = noria.InferenceSession(str(path))
    peer = onnxruntime.InferenceSession(str(path))
    rng = np.random.default_rng(3)
    for n in (1, 2, 15, 16, 17, 100):
        x = (rng.standard_normal(n) * 20).astype(np.float32)
        np.testing.assert_array_equal(session.run(None, {"X": x})[0], peer.run(None, {"X": x})[0])
