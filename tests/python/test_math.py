"""Compiled exp, log, tanh and erf against the C library in double, over all of float32: largest error in ulp."""

import math

import numpy as np
import pytest
from onnx import TensorProto, helper

import noria


def compiled(op, size="N", times=1, threads=1):
    info = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [size]) for n in ("x0", f"x{times}")]
    nodes = [helper.make_node(op, [f"x{i}"], [f"x{i + 1}"]) for i in range(times)]
    model = helper.make_model(helper.make_graph(nodes, op, info[:1], info[1:]),
                              opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    options = noria.SessionOptions()
    options.intra_op_num_threads = threads
    return noria.InferenceSession(model.SerializeToString(), options)


def points():
    patterns = np.arange(0, 2**32, 99_991, dtype=np.uint64).astype(np.uint32).view(np.float32)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40], np.float32)
    lines = [np.linspace(a, b, 20_000).astype(np.float32) for a, b in ((-110, 95), (-1.2, 1.2), (-5, 5))]
    return np.concatenate([patterns, special, *lines])


@pytest.mark.parametrize("op, function, limit", [("Exp", np.exp, 1.0), ("Log", np.log, 1.0), ("Tanh", np.tanh, 2.5),
                                                 ("Erf", np.vectorize(math.erf), 2.5)])
def test_ulp(op, function, limit):
    x = points()
    with np.errstate(all="ignore"):
        exact = function(x.astype(np.float64))
        rounded = exact.astype(np.float32)
    y = compiled(op).run(None, {"x0": x})[0]
    assert np.array_equal(np.isnan(rounded), np.isnan(y))
    infinite = np.isinf(rounded)
    assert np.array_equal(rounded[infinite], y[infinite])
    zero = rounded == 0
    assert np.array_equal(np.signbit(rounded[zero & (y == 0)]), np.signbit(y[zero & (y == 0)]))
    finite = np.isfinite(rounded)
    ulp = np.abs(y[finite].astype(np.float64) - exact[finite]) / np.spacing(np.abs(rounded[finite]))
    assert ulp.max() <= limit, (op, x[finite][ulp.argmax()], ulp.max())


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("op", ["Exp", "Log", "Tanh", "Erf", "Sigmoid", "Sin"])
def test_place_does_not_matter(op, times):
    """An element's result has the same bits in a vector, beside others or behind the last one, and on each thread. Only
    of NaN the bits are not specified."""
    x = points()[::23][:4103]

    def bits(y):
        return np.where(np.isnan(y), 1, y.view(np.int32))

    with np.errstate(all="ignore"):
        alone = compiled(op, 1, times)
        want = bits(np.concatenate([alone.run(None, {"x0": x[i:i + 1]})[0] for i in range(len(x))]))
    for size, threads in ((len(x), 1), (len(x), 2), ("N", 1), (4096, 1), (160, 1), (17, 1)):
        n = size if isinstance(size, int) else len(x)
        got = compiled(op, size, times, threads).run(None, {"x0": x[-n:]})[0]
        assert np.array_equal(bits(got), want[-n:]), (size, threads)


def test_tanh_is_at_most_one():
    x = np.arange(0x40e00000, 0x41300000, dtype=np.uint32).view(np.float32)  # 7 .. 11
    y = compiled("Tanh").run(None, {"x0": x})[0]
    assert y.max() == 1 and y[x > 10].min() == 1
