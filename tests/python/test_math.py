"""Compiled exp, log, tanh and erf against the C library in double, over all of float32: largest error in ulp."""

import math

import numpy as np
import pytest
from onnx import TensorProto, helper

import noria


def compiled(op):
    info = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["N"]) for n in ("x", "y")]
    graph = helper.make_graph([helper.make_node(op, ["x"], ["y"])], op, info[:1], info[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    return noria.InferenceSession(model.SerializeToString())


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
    y = compiled(op).run(None, {"x": x})[0]
    assert np.array_equal(np.isnan(rounded), np.isnan(y))
    infinite = np.isinf(rounded)
    assert np.array_equal(rounded[infinite], y[infinite])
    zero = rounded == 0
    assert np.array_equal(np.signbit(rounded[zero & (y == 0)]), np.signbit(y[zero & (y == 0)]))
    finite = np.isfinite(rounded)
    ulp = np.abs(y[finite].astype(np.float64) - exact[finite]) / np.spacing(np.abs(rounded[finite]))
    assert ulp.max() <= limit, (op, x[finite][ulp.argmax()], ulp.max())
