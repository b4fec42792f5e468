"""Stacked recurrent Loops run as stages of one dispatch; results are NumPy's, at any number of threads."""
import subprocess

import numpy as np
import pytest

import noria
from conftest import BUILD
from control_flow import model_of

WIDTH, LAYERS = 96, 3


def layer(i, rows):
    return f"""last{i}, rows{i} = Loop<body = b{i} (int64 t, bool c, float[1, {WIDTH}] h)
      => (bool go, float[1, {WIDTH}] next, float[{WIDTH}] row) {{
        go = Identity(c)
        at = Unsqueeze(t, zero)
        line = Gather<axis = 0>({rows}, at)
        a = MatMul(line, W{i})
        b = MatMul(h, U{i})
        s = Add(a, b)
        next = Tanh(s)
        row = Squeeze(next, zero)
      }}>(n, "", h0)"""


def model(layers=None):
    weights = ", ".join(f"float[{WIDTH}, {WIDTH}] {k}{i}" for i in range(LAYERS) for k in "WU")
    loops = "\n".join(layers or [layer(i, "x" if i == 0 else f"rows{i - 1}") for i in range(LAYERS)])
    return model_of(21, f"""g (float[N, {WIDTH}] x, float[1, {WIDTH}] h0, {weights})
        => (float[M, {WIDTH}] rows{LAYERS - 1}, float[1, {WIDTH}] last{LAYERS - 1}, float[1, {WIDTH}] last0) {{
      zero = Constant<value = int64[1] {{0}}>()
      shape = Shape<start = 0, end = 1>(x)
      n = Squeeze(shape, zero)
      {loops}
    }}""").SerializeToString()


def feeds(steps):
    rng = np.random.default_rng(steps)
    out = {"x": rng.standard_normal((steps, WIDTH)), "h0": rng.standard_normal((1, WIDTH))}
    for i in range(LAYERS):
        for k in "WU":
            out[f"{k}{i}"] = rng.uniform(-0.15, 0.15, (WIDTH, WIDTH))
    return {k: v.astype(np.float32) for k, v in out.items()}


def expected(values):
    rows, lasts = values["x"].astype(np.float64), []
    for i in range(LAYERS):
        h, out = values["h0"].astype(np.float64), []
        for row in rows:
            h = np.tanh(row[None] @ values[f"W{i}"] + h @ values[f"U{i}"])
            out.append(h[0])
        rows = np.array(out).reshape(len(rows), WIDTH)
        lasts.append(h)
    return rows, lasts[-1], lasts[0]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_stack(threads):
    options = noria.SessionOptions()
    options.intra_op_num_threads = threads
    session = noria.InferenceSession(model(), options)
    for steps in (0, 1, 2, 7, 200):
        values = feeds(steps)
        for _ in range(3):
            for got, want in zip(session.run(None, values), expected(values), strict=True):
                np.testing.assert_allclose(got, want, 1e-4, 1e-5)


def test_the_loops_become_one_dispatch(tmp_path):
    (tmp_path / "m.onnx").write_bytes(model())
    text = subprocess.run([BUILD / "noria", "opt", "--pipeline", "--stop-after=buffer", tmp_path / "m.onnx"],
                          check=True, capture_output=True, text=True, timeout=60).stdout
    assert text.count("rt.dispatch @main_wavefront_0") == 1
    assert text.count('rt.call "stage_wait"') == LAYERS - 1


def test_a_failure_in_one_stage_ends_the_others():
    """The second layer reads a row that is not there; the third one waits for it."""
    bad = layer(1, "rows0").replace("Gather<axis = 0>(rows0, at)", "Gather<axis = 0>(rows0, far)").replace(
        "line = ", "late = Constant<value = int64 {150}>()\n is_late = Greater(t, late)\n"
        "off = Cast<to = 7>(is_late)\n off1 = Mul(off, n)\n far = Add(at, off1)\n line = ", 1)
    options = noria.SessionOptions()
    options.intra_op_num_threads = 3
    session = noria.InferenceSession(model([layer(0, "x"), bad, layer(2, "rows1")]), options)
    values = feeds(200)
    for _ in range(5):
        with pytest.raises(noria.Error, match="out of range for 200 elements"):
            session.run(None, values)
