"""Ops that the grid cuts along up to three dims, in tiles that divide the ranges and in such that do not, against NumPy."""
import numpy as np
import pytest
from onnx import helper

import noria
from ops import Batch, make_model, value_info

RNG = np.random.default_rng(5)


def floats(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("left, right", [((512, 256), (256, 512)), ((100, 300), (300, 770)), ((33, 512), (512, 640)),
                                         ((1, 784), (784, 1024)), ((5, 64, 96), (5, 96, 256)),
                                         ((3, 65, 200), (3, 200, 390)), ((2, 4, 64, 128), (2, 4, 128, 256))])
def test_products(left, right):
    a, b = floats(*left), floats(*right)
    batch = Batch(opset=17)
    batch.add("MatMul", [a, b], np.matmul(a.astype(np.float64), b).astype(np.float32), rtol=1e-4, atol=1e-3)
    batch.check()


@pytest.mark.parametrize("shape", [(512, 768), (100, 1000), (1, 100003), (700, 3, 129), (7, 65, 500)])
def test_element_wise(shape):
    x = floats(*shape)
    batch = Batch(opset=17)
    batch.add("Tanh", [x], np.tanh(x))
    batch.add("Transpose", [x], x.transpose())
    batch.add("ReduceMax", [x], x.max(axis=-1, keepdims=True), axes=[-1])
    batch.check()


@pytest.mark.parametrize("shape", [(1, 1), (3, 70001), (70001, 3), (513, 769), (0, 5), (5, 0)])
@pytest.mark.parametrize("threads", [1, 2])
def test_open_ranges(shape, threads):
    """Tiles that the run chooses, because several ranges are open."""
    x = floats(*shape)
    tensor = helper.make_tensor_value_info
    nodes = [helper.make_node("Exp", ["x"], ["y"]), helper.make_node("Transpose", ["x"], ["t"]),
             helper.make_node("ReduceSum", ["x", "axes"], ["s"], keepdims=0)]
    axes = helper.make_tensor("axes", 7, [1], [1])
    model = make_model(nodes, [tensor("x", 1, ["m", "n"])], [tensor("y", 1, ["m", "n"]), tensor("t", 1, ["n", "m"]),
                                                            tensor("s", 1, ["m"])], [axes], 17)
    options = noria.SessionOptions()
    options.intra_op_num_threads = threads
    got = noria.InferenceSession(model.SerializeToString(), options).run(None, {"x": x})
    for value, want in zip(got, (np.exp(x), x.transpose(), x.sum(axis=1))):
        np.testing.assert_allclose(value, want, rtol=1e-5, atol=1e-3)


def test_index_of_a_point():
    """Which point it is, in a tile of the second dim of the grid too."""
    x = floats(600, 700)
    batch = Batch(opset=17)
    for k in (-100, 0, 37):
        batch.add("Trilu", [x, np.array(k)], np.triu(x, k))
    batch.check()


def test_producers_that_each_user_computes():
    """Cheap next to its reads, so that the cost model stores nothing in between."""
    x, y = floats(700, 513), floats(513)
    nodes = [helper.make_node("Add", ["x", "y"], ["s"]), helper.make_node("Relu", ["s"], ["r"]),
             helper.make_node("Neg", ["r"], ["a"]), helper.make_node("Mul", ["r", "r"], ["b"]),
             helper.make_node("Sub", ["r", "x"], ["c"])]
    model = make_model(nodes, [value_info("x", x, False), value_info("y", y, False)],
                       [helper.make_tensor_value_info(n, 1, None) for n in "abc"], [], 17)
    got = noria.InferenceSession(model.SerializeToString()).run(None, {"x": x, "y": y})
    r = np.maximum(x + y, 0)
    for value, want in zip(got, (-r, r * r, r - x)):
        np.testing.assert_array_equal(value, want)
