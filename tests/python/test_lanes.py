"""Parallel loops with loops inside that run a different number of times: vectors with masks give, bit for bit, what the
interpreter gives for the program as it is written; for each kind of CPU that this machine can run."""
import numpy as np
import pytest

import noria
from lanes_programs import PROGRAMS

CPUS = ["native", "x86-64-v4", "x86-64-v3", "x86-64-v2"]
SIZES = [0, 1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 63, 64, 65, 150]


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


@pytest.mark.parametrize("name", PROGRAMS)
def test_lanes(name, noria_tool, tmp_path):
    text, make = PROGRAMS[name]
    path = tmp_path / f"{name}.mlir"
    path.write_text(text)
    rng = np.random.default_rng(7)
    inputs = [make(rng, n) for n in SIZES]
    session = interpreted(str(path))
    names = [i.name for i in session.get_inputs()]
    wants = [session.run(None, dict(zip(names, x))) for x in inputs]
    ran = 0
    for cpu in CPUS:
        library = tmp_path / f"{name}_{cpu}.so"
        made = noria_tool("compile", f"--cpu={cpu}", path, "-o", library)
        assert made.returncode == 0, made.stderr
        try:
            compiled = noria.InferenceSession(str(library))
        except noria.Error as error:
            assert "CPU" in str(error) or "needs" in str(error), error
            continue
        ran += 1
        for n, x, want in zip(SIZES, inputs, wants):
            got = compiled.run(None, dict(zip(names, x)))
            assert all(same(w, g) for w, g in zip(want, got)), f"{name} with {n} on {cpu}: {want} {got}"
    assert ran


@pytest.mark.parametrize("name", PROGRAMS)
def test_is_vectorized(name, noria_tool, tmp_path):
    """The pass takes each of them when it is asked to, and its text means the same."""
    path = tmp_path / f"{name}.mlir"
    path.write_text(PROGRAMS[name][0])
    made = noria_tool("opt", "--pass-pipeline=vectorize-parallel-loops{lanes=4}", "--explain-vectorize", path)
    assert made.returncode == 0 and "remark: vectorized" in made.stderr and "vector<4xi1>" in made.stdout, made.stderr
