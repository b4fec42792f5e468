"""Pooling and its inverse against what they say: windows looked at one by one."""
import itertools

import numpy as np
import pytest
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
