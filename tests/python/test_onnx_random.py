"""Random numbers: those of NumPy's generator with a seed, of the right distribution without one; and optimisers."""
import numpy as np
import pytest
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator
from ops import Batch, fails, make_model, make_node, value_info

import noria

FLOATS = [np.float16, np.float32, np.float64]


def run(op, inputs, outputs=1, opset=22, **attrs):
    inputs = [np.asarray(x) for x in inputs]
    names = [f"x{i}" for i in range(len(inputs))]
    node = make_node(op, names, [f"y{i}" for i in range(outputs)], **attrs)
    infos = [value_info(n, x, True) for n, x in zip(names, inputs)]
    model = make_model([node], infos, [helper.make_empty_tensor_value_info(n) for n in node.output], [], opset)
    session = noria.InferenceSession(model.SerializeToString())
    return model, session, dict(zip(names, inputs))


def both(*args, **attrs):
    model, session, feeds = run(*args, **attrs)
    return session.run(None, feeds), ReferenceEvaluator(model).run(None, feeds)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", ["RandomUniform", "RandomNormal"])
def test_with_seed(op, dtype):
    more = {"low": -2., "high": 5.} if op == "RandomUniform" else {"mean": 3., "scale": .5}
    number, tolerance = int(helper.np_dtype_to_tensor_dtype(np.dtype(dtype))), 4e-3 if dtype == np.float16 else 2e-6
    for shape, seed in [([7, 5], 1.0), ([313], 0.0), ([1], 12345.0), ([0, 3], 1.0), ([2000], 4e9)]:
        got, want = both(op, [], dtype=number, shape=shape, seed=seed, **more)
        assert got[0].dtype == want[0].dtype and got[0].shape == want[0].shape
        np.testing.assert_allclose(got[0].astype(float), want[0].astype(float), tolerance, 5 * tolerance)
        got, want = both(op + "Like", [np.zeros(shape, dtype)], seed=seed, **more)
        assert got[0].dtype == dtype
        np.testing.assert_allclose(got[0].astype(float), want[0].astype(float), tolerance, 5 * tolerance)


def test_like_other_types():
    for x in np.zeros((2, 3), np.int8), np.full((2, 3), "a", object), np.zeros((2, 3), bool):
        _, session, feeds = run("RandomUniformLike", [x], dtype=TensorProto.DOUBLE, seed=2.0)
        np.testing.assert_array_equal(session.run(None, feeds)[0], np.random.RandomState(2).random_sample((2, 3)))
        assert "the type of the output is" in fails("RandomNormalLike", [x], 22)


def kolmogorov_smirnov(sample, distribution):
    """The greatest distance of the two distribution functions, times the root of the sample's size."""
    sample = np.sort(sample)
    n, at = len(sample), distribution(np.sort(sample))
    steps = np.arange(n + 1) / n
    return max(np.abs(at - steps[1:]).max(), np.abs(at - steps[:-1]).max()) * n ** .5


def test_distributions():
    """2.2 is exceeded by one right sample in 8000; with these seeds it never is."""
    from math import erf
    normal = np.vectorize(lambda x: .5 * (1 + erf(x / 2 ** .5)))
    for seed in 1.0, 2.0:
        _, session, feeds = run("RandomUniform", [], shape=[20000], seed=seed, high=4.)
        assert kolmogorov_smirnov(session.run(None, feeds)[0], lambda x: x / 4) < 2.2
        _, session, feeds = run("RandomNormal", [], shape=[20000], seed=seed)
        assert kolmogorov_smirnov(session.run(None, feeds)[0], normal) < 2.2


def test_seeds():
    """A seed gives the same numbers in each run; without one they differ, also from node to node."""
    _, session, feeds = run("RandomUniform", [], shape=[50], seed=1.0)
    np.testing.assert_array_equal(session.run(None, feeds)[0], session.run(None, feeds)[0])
    nodes = [make_node(op, [], [f"y{i}"], shape=[50]) for i, op in enumerate(["RandomNormal"] * 2 + ["RandomUniform"] * 2)]
    outputs = [helper.make_empty_tensor_value_info(f"y{i}") for i in range(4)]
    session = noria.InferenceSession(make_model(nodes, [], outputs, [], 22).SerializeToString())
    rows = {row.tobytes() for row in session.run(None, {}) + session.run(None, {})}
    assert len(rows) == 8


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.uint8, bool])
def test_bernoulli(dtype):
    p = np.linspace(0, 1, 600, dtype=np.float32).reshape(20, 30)
    number = int(helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))
    _, session, feeds = run("Bernoulli", [p], seed=3.0, dtype=number)
    got, = session.run(None, feeds)
    assert got.dtype == dtype
    np.testing.assert_array_equal(got.astype(bool), np.random.RandomState(3).random_sample(p.shape) < p)
    p = np.full(40000, .3)
    _, session, feeds = run("Bernoulli", [p])
    assert abs(session.run(None, feeds)[0].mean() - .3) < .02  # nine standard deviations


def test_multinomial():
    likelihoods = np.array([[1, 2, 3, 4], [0, 1, 0, 1], [5, 0, 0, 0]], np.float32)
    with np.errstate(divide="ignore"):
        x = np.log(likelihoods) + np.array([[5], [-80], [0]], np.float32)
    for dtype in np.int32, np.int64:
        number = int(helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))
        _, session, feeds = run("Multinomial", [x], sample_size=20000, seed=1.0, dtype=number)
        got, = session.run(None, feeds)
        assert got.dtype == dtype and got.shape == (3, 20000)
        for row, want in zip(got, likelihoods / likelihoods.sum(1, keepdims=True)):
            counts = np.bincount(row, minlength=4) / 20000
            assert np.all(counts[want == 0] == 0) and np.abs(counts - want).max() < .02
    assert "there are no classes to draw from" in fails("Multinomial", [np.zeros((2, 0), np.float32)], 22)
    assert "row 0 has no likelihoods" in fails("Multinomial", [np.full((1, 2), np.nan, np.float32)], 22)
    assert "it must be int32 or int64" in fails("Multinomial", [x], 22, dtype=1)
    assert "input" in fails("Multinomial", [x[0]], 22)


@pytest.mark.parametrize("dtype", FLOATS)
def test_dropout(dtype):
    x = np.random.default_rng(0).standard_normal((23, 17)).astype(dtype)
    for training, ratio in [(True, .3), (False, .3), (True, 0.), (True, .9)]:
        got, want = both("Dropout", [x, np.array(ratio, np.float32), np.array(training)], 2, seed=4)
        np.testing.assert_array_equal(got[1], want[1])
        np.testing.assert_allclose(got[0].astype(float), want[0].astype(float), 4e-3 if dtype == np.float16 else 1e-6)
        assert got[0].dtype == dtype
    _, session, feeds = run("Dropout", [x, np.array(.5, np.float32), np.array(True)], 2)
    first, second = session.run(None, feeds), session.run(None, feeds)
    assert not np.array_equal(first[1], second[1]) and .3 < first[1].mean() < .7
    assert "the ratio is not from 0 to 1" in fails("Dropout", [x, np.float32(1.5), np.array(True)], 22)


def test_old_dropout():
    """Version 6 drops unless is_test; its mask has the input's type."""
    x = np.ones((40, 50), np.float32)
    _, session, feeds = run("Dropout", [x], 2, opset=6, ratio=.25)
    y, mask = session.run(None, feeds)
    assert mask.dtype == np.float32 and .6 < mask.mean() < .9
    np.testing.assert_allclose(y, mask / .75)
    _, session, feeds = run("Dropout", [x], 2, opset=6, is_test=1)
    y, mask = session.run(None, feeds)
    np.testing.assert_array_equal(y, x)
    np.testing.assert_array_equal(mask, x)


def test_wrong_shapes():
    assert "dim 1 of attribute shape is -2" in fails("RandomUniform", [], 22, shape=[1, -2])
    assert "attribute shape has 17 dims; 16 is the limit" in fails("RandomNormal", [], 22, shape=[1] * 17)


# ---- optimisers ------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("op", ["Adagrad", "Adam", "Momentum"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_steps(op, dtype):
    """Two tensors at once, as the documents' pseudo code computes them."""
    d, r, norm, post = np.random.default_rng(1), .1, .01, .02
    shapes = [(3, 2), (4,)]
    for t in 0, 3:
        x, g, v, h = ([np.abs(d.standard_normal(s)).astype(dtype) for s in shapes] for _ in range(4))
        reg = [norm * a + b for a, b in zip(x, g)]
        if op == "Adagrad":
            new_h = [b + a * a for a, b in zip(reg, h)]
            rate = r / (1 + t * .5)
            new_x = [a - rate * b / (np.sqrt(c) + 1e-5) for a, b, c in zip(x, reg, new_h)]
            inputs, want = x + g + h, new_x + new_h
            attrs = {"decay_factor": .5, "epsilon": 1e-5, "norm_coefficient": norm}
        elif op == "Adam":
            new_v = [.8 * b + .2 * a for a, b in zip(reg, v)]
            new_h = [.95 * b + .05 * a * a for a, b in zip(reg, h)]
            rate = r * np.sqrt(1 - .95 ** t) / (1 - .8 ** t) if t else r
            new_x = [(1 - post) * (a - rate * b / (np.sqrt(c) + 1e-5)) for a, b, c in zip(x, new_v, new_h)]
            inputs, want = x + g + v + h, new_x + new_v + new_h
            attrs = {"alpha": .8, "beta": .95, "epsilon": 1e-5, "norm_coefficient": norm, "norm_coefficient_post": post}
        else:
            new_v = [.8 * b + (.95 if t else 1) * a for a, b in zip(reg, v)]
            new_x = [a - r * (b + .8 * c) for a, b, c in zip(x, reg, new_v)]
            inputs, want = x + g + v, new_x + new_v
            attrs = {"alpha": .8, "beta": .95, "norm_coefficient": norm, "mode": "nesterov"}
        batch = Batch(22, rtol=2e-5)
        batch.add("ai.onnx.preview.training." + op, [np.array(r, dtype), np.array(t), *inputs],
                  [w.astype(dtype) for w in want], **attrs)
        batch.check()


def test_wrong_steps():
    one, attrs = np.ones(2, np.float32), {"alpha": .8, "beta": .9, "norm_coefficient": 0.}
    head = [np.float32(.1), np.array(1)]
    op = "ai.onnx.preview.training.Momentum"
    assert "expected a multiple of 3" in fails(op, [*head, one, one], 22, mode="standard", **attrs)
    assert "mode is 'other'; it must be standard or nesterov" in fails(op, [*head, one, one, one], 22, mode="other", **attrs)
    for symbolic in False, True:
        message = fails(op, [*head, one, np.ones(3, np.float32), one], 22, symbolic, mode="standard", **attrs)
        assert "the_node" in message and "gradient" in message and "2" in message and "3" in message
