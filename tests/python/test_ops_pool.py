"""Pooling and its inverse against what they say: windows looked at one by one."""
import itertools

import numpy as np
import pytest
from onnx import helper

import noria
from ops import Batch, Const, fails

F32 = np.float32


def pooled(x, kernel, strides):
    """MaxPool without pads: the largest elements, and where they are in the flattened input."""
    places = np.arange(x.size).reshape(x.shape)
    counts = [(n - k) // s + 1 for n, k, s in zip(x.shape[2:], kernel, strides)]
    y, at = (np.zeros(x.shape[:2] + tuple(counts), t) for t in (x.dtype, np.int64))
    for p in itertools.product(*map(range, counts)):
        window = (slice(None), slice(None)) + tuple(slice(i * s, i * s + k) for i, s, k in zip(p, strides, kernel))
        flat = x[window].reshape(x.shape[:2] + (-1,))
        best = flat.argmax(-1)[..., None]
        y[(..., *p)] = np.take_along_axis(flat, best, -1)[..., 0]
        at[(..., *p)] = np.take_along_axis(places[window].reshape(flat.shape), best, -1)[..., 0]
    return y, at


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("shape, kernel, strides, pads", [((2, 3, 17, 40), (3, 3), (2, 2), (1, 1, 1, 1)),
                                                          ((1, 2, 7, 8), (3, 2), (2, 3), (2, 0, 1, 1)),
                                                          ((1, 2, 5, 6, 7), (2, 3, 2), (1, 1, 1), (0, 1, 0, 1, 0, 1)),
                                                          ((1, 2, 6, 5), (1, 3), (1, 2), (0, 1, 0, 0)),
                                                          ((2, 2, 3, 9), (4, 2), (1, 1), (0, 0, 0, 0))])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8])
def test_largest_under_windows(shape, kernel, strides, pads, dtype, is_open):
    """With an infinite element too, and, where the kernel is larger than the input, without a result."""
    x = np.random.default_rng(7).integers(0, 200, shape).astype(dtype)
    if dtype != np.uint8 and x.size:
        x.flat[3::11] = -np.inf
    n = len(kernel)
    lowest = 0 if dtype == np.uint8 else -np.inf
    padded = np.pad(x, [(0, 0), (0, 0)] + list(zip(pads[:n], pads[n:])), constant_values=lowest)
    want = pooled(padded, kernel, strides)[0]
    elem = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    graph = helper.make_graph(
        [helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=kernel, strides=strides, pads=pads)], "g",
        [helper.make_tensor_value_info("x", elem, [None] * len(shape) if is_open else shape)],
        [helper.make_tensor_value_info("y", elem, None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    got = noria.InferenceSession(model.SerializeToString()).run(None, {"x": x})[0]
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("shape, kernel, strides", [((2, 3, 8), (2,), (2,)), ((1, 2, 6, 9), (2, 3), (2, 3)),
                                                    ((2, 1, 5, 5), (3, 3), (2, 2)),
                                                    ((1, 2, 4, 4, 6), (2, 2, 2), (2, 2, 2))])
def test_unpooling_undoes_pooling(shape, kernel, strides):
    x = np.random.default_rng(7).permutation(int(np.prod(shape))).reshape(shape) + 1
    attrs = {"kernel_shape": kernel, "strides": strides}
    batch = Batch(22, 0, 0)
    for dtype in F32, np.float64, np.float16:
        y, at = pooled(x.astype(dtype), kernel, strides)
        batch.add("MaxPool", [x.astype(dtype)], [y, at], **attrs)
        back = np.where(np.isin(np.arange(x.size), at).reshape(shape), x, 0).astype(dtype)
        batch.add("MaxUnpool", [y, at], back, **attrs)
        larger = np.pad(back, [(0, 0), (0, 0)] + [(0, 2)] * len(kernel))
        batch.add("MaxUnpool", [y, at, Const(np.array(larger.shape))], larger, **attrs)
        batch.add("MaxUnpool", [y, at, Const(np.array(shape))], back, **attrs)
    batch.check()


def test_unpooling_with_pads_and_unit_strides():
    y, at = np.array([[[5, 7, 9]]], F32), np.array([[[0, 2, 3]]])
    batch = Batch(11)
    batch.add("MaxUnpool", [y, at], np.array([[[5, 0, 7, 9]]], F32), kernel_shape=[2])
    batch.add("MaxUnpool", [y, at], np.array([[[5, 0, 7, 9]]], F32), kernel_shape=[2], strides=[2], pads=[1, 1])
    batch.check()


def test_what_cannot_be_unpooled_is_refused():
    y, at = np.ones((1, 1, 2), F32), np.array([[[0, 3]]])
    assert "index 4 is out of range for 4 elements" in fails("MaxUnpool", [y, at + 1], 11, kernel_shape=[2], strides=[2])
    size = Const(np.array([1, 1, 3]))
    assert "the pooled dim of 4 does not fit an output of 3" in fails("MaxUnpool", [y, at, size], 11, kernel_shape=[2],
                                                                     strides=[2])
    assert "differ" in fails("MaxUnpool", [y, at[..., :1]], 11, kernel_shape=[2])
    assert "kernel_shape" in fails("MaxUnpool", [y, at], 11)
    assert "strides" in fails("MaxUnpool", [y, at], 11, kernel_shape=[2], strides=[0])
