"""Activations of recurrent nets are those of the ops of the same name."""
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import noria

X = np.array([-90, -4, -1e-6, -0.0, 0, 1e-6, 0.75, 20.5, 31, 90, np.nan], np.float32)
ACTIVATIONS = {
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "Tanh": np.tanh,
    "Relu": lambda x: np.where(np.isnan(x), x, np.maximum(x, 0)),
    "LeakyRelu": lambda x: np.where(x < 0, 0.01 * x, x),
    "HardSigmoid": lambda x: np.clip(0.2 * x + 0.5, 0, 1),
    "Elu": lambda x: np.where(x < 0, np.expm1(x), x),
    "Softsign": lambda x: x / (1 + np.abs(x)),
    "Softplus": lambda x: np.logaddexp(0, x),
}


def cell(name):
    """An RNN of one unit whose state does not come back, so that its outputs are f(x); a step for each x."""
    node = helper.make_node("RNN", ["x", "w", "r"], ["y"], hidden_size=1, activations=[name])
    one, zero = (onnx.numpy_helper.from_array(np.full((1, 1, 1), v, np.float32), n) for v, n in ((1, "w"), (0, "r")))
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [len(X), 1, 1])
    return node, x, [one, zero]


def run(node, x, initializers):
    graph = helper.make_graph([node], "g", [x], [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                              initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
    shape = [d.dim_value for d in x.type.tensor_type.shape.dim]
    return noria.InferenceSession(model.SerializeToString()).run(None, {"x": X[:np.prod(shape)].reshape(shape)})[0]


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activation(name):
    node, x, initializers = cell(name)
    count = len(X) - 1  # NaN would come back as 0 * NaN
    x.type.tensor_type.shape.dim[0].dim_value = count
    with np.errstate(all="ignore"):
        want = ACTIVATIONS[name](X[:count].astype(np.float64))
    np.testing.assert_allclose(run(node, x, initializers).ravel(), want, rtol=3e-6, atol=1e-38)
    op = helper.make_node(name, ["x"], ["y"])
    np.testing.assert_allclose(run(op, x, []).ravel(), want, rtol=3e-6, atol=1e-38)


def test_nan_stays():
    for name in ACTIVATIONS:
        node, x, initializers = cell(name)
        x.type.tensor_type.shape.dim[0].dim_value = len(X)
        assert np.isnan(run(node, x, initializers).ravel()[-1]), name
