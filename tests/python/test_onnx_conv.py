"""Conv over signals whose length only the run knows, short ones too: onnx's reference evaluator is the judge."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import noria

# group, channels in, out, size of the kernel, stride
SHAPES = [(1, 100, 37, 3, 1), (2, 8, 6, 5, 2), (1, 1, 3, 4, 1), (1, 600, 5, 1, 1), (3, 300, 9, 2, 3)]


def conv(elem, group, channels, out, size, stride):
    rng = np.random.default_rng(0)
    dtype = helper.tensor_dtype_to_np_dtype(elem)
    weights = [rng.normal(size=(out, channels // group, size)).astype(dtype), rng.normal(size=out).astype(dtype)]
    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["c"], group=group, strides=[stride], pads=[1, 1]),
             helper.make_node("Relu", ["c"], ["y"])]
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", elem, ["n", channels, "t"])],
        [helper.make_tensor_value_info("y", elem, None)],
        [numpy_helper.from_array(w, name) for w, name in zip(weights, "wb")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


@pytest.mark.parametrize("elem", [TensorProto.FLOAT, TensorProto.DOUBLE])
@pytest.mark.parametrize("shape", SHAPES)
def test_lengths(elem, shape):
    model = conv(elem, *shape)
    session, judge = noria.InferenceSession(model.SerializeToString()), ReferenceEvaluator(model)
    dtype = helper.tensor_dtype_to_np_dtype(elem)
    for batch in (1, 3):
        for length in (5, 6, 7, 8, 9, 10, 17, 25, 60):
            x = np.random.default_rng(length).normal(size=(batch, shape[1], length)).astype(dtype)
            got, want = session.run(None, {"x": x})[0], judge.run(None, {"x": x})[0]
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4, err_msg=f"{batch} of {length}")
