"""Loops whose iterations are independent run on all threads; results are NumPy's, and a failure is one error."""
import subprocess

import numpy as np
import pytest

import noria
from conftest import BUILD
from control_flow import model_of

MODEL = model_of(19, """g (float[N, 16, 128] x, int64[M] at, float[128, 128] w, int64 n) => (float[K, 16, 128] y) {
  y = Loop<body = b (int64 i, bool c) => (bool go, float[16, 128] row) {
    go = Identity(c)
    k = Gather(at, i)
    part = Gather<axis = 0>(x, k)
    a = MatMul(part, w)
    t = Tanh(a)
    row = MatMul(t, w)
  }>(n, "")
}""")


def session(threads):
    options = noria.SessionOptions()
    options.intra_op_num_threads = threads
    return noria.InferenceSession(MODEL.SerializeToString(), options)


def feeds(count):
    rng = np.random.default_rng(count)
    return {"x": rng.standard_normal((9, 16, 128)).astype(np.float32), "at": rng.integers(-9, 9, count),
            "w": rng.uniform(-0.2, 0.2, (128, 128)).astype(np.float32), "n": np.array(count)}


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_rows(threads):
    run = session(threads)
    for count in (0, 1, 2, 40):
        values = feeds(count)
        want = np.tanh(values["x"][values["at"]] @ values["w"]) @ values["w"]
        for _ in range(3):
            np.testing.assert_allclose(run.run(None, values)[0], want, 1e-4, 1e-4)


def test_a_failing_iteration():
    run = session(4)
    for _ in range(5):
        values = feeds(60)
        values["at"][31] = 9
        with pytest.raises(noria.Error, match="index 9 is out of range for 9 elements"):
            run.run(None, values)


def test_the_loop_is_a_dispatch(tmp_path):
    (tmp_path / "m.onnx").write_bytes(MODEL.SerializeToString())
    text = subprocess.run([BUILD / "noria", "opt", "--pipeline", "--stop-after=buffer", tmp_path / "m.onnx"],
                          check=True, capture_output=True, text=True, timeout=60).stdout
    assert text.count("rt.dispatch @main_parallel_0") == 1
