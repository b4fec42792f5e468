"""Reductions, ArgMax/ArgMin, Softmax, CumSum, TopK and normalisations against NumPy: axes as attributes and as data,
every version's rules, empty sets, NaN."""
import math

import ml_dtypes
import numpy as np
import onnx
import pytest
from ops import Batch, Const, fails

F32 = np.float32
BF16 = ml_dtypes.bfloat16


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


@pytest.fixture
def random():
    return np.random.default_rng(11)


def log_sum_exp(x, axis, keepdims):
    top = np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)
    result = np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)) + top
    return result if keepdims else np.squeeze(result, tuple(range(x.ndim)) if axis is None else axis)


REDUCE = {
    "ReduceSum": np.sum, "ReduceMean": np.mean, "ReduceProd": np.prod, "ReduceMax": np.max, "ReduceMin": np.min,
    "ReduceL1": lambda x, axis, keepdims: np.sum(np.abs(x), axis=axis, keepdims=keepdims),
    "ReduceL2": lambda x, axis, keepdims: np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims)),
    "ReduceSumSquare": lambda x, axis, keepdims: np.sum(x * x, axis=axis, keepdims=keepdims),
    "ReduceLogSum": lambda x, axis, keepdims: np.log(np.sum(x, axis=axis, keepdims=keepdims)),
    "ReduceLogSumExp": log_sum_exp,
}
AXES = [None, [0], [-1], [0, 2], [0, 1, 2], [1, -1]]
FLOATS = [(F32, 1e-5), (np.float64, 1e-9), (np.float16, 2e-3), (BF16, 1.6e-2)]


def operand(random, op, dtype, shape=(3, 4, 5)):
    if np.dtype(dtype).kind in "iu":
        low = 1 if op == "ReduceLogSum" else 0 if np.iinfo(dtype).min == 0 else -3
        return random.integers(low, 4, shape).astype(dtype)
    x = random.standard_normal(shape)
    return (np.abs(x) + .5 if op == "ReduceLogSum" else x).astype(dtype)


def reduced(op, x, axes, keepdims):
    axis = None if axes is None else tuple(axes)
    if x.dtype.kind in "iu" and op == "ReduceProd":
        return np.asarray(np.prod(x, axis=axis, keepdims=bool(keepdims), dtype=x.dtype))
    return np.asarray(REDUCE[op](x.astype(np.float64), axis=axis, keepdims=bool(keepdims))).astype(x.dtype)


@pytest.mark.parametrize("op", REDUCE)
def test_axes_as_attribute_and_as_input(random, op):
    old, new = Batch(11, 1e-5, 1e-5), Batch(18, 1e-5, 1e-5)
    known = Batch(18, 1e-5, 1e-5)
    for axes in AXES:
        for keepdims in 0, 1:
            x = operand(random, op, F32)
            want = reduced(op, x, axes, keepdims)
            given = [] if axes is None else [np.array(axes)]
            old.add(op, [x], want, keepdims=keepdims, **({} if axes is None else {"axes": axes}))
            new.add(op, [x] + given, want, keepdims=keepdims)
            known.add(op, [x] + [Const(g) for g in given], want, keepdims=keepdims)
    old.check()
    new.check(symbolic=[False])  # lists of unknown length: test_ranks.py; so many in one model make too many versions
    known.check()


@pytest.mark.parametrize("dtype, rtol", FLOATS + [(t, 0) for t in (np.int32, np.int64, np.uint32)])
def test_reductions_of_every_type(random, dtype, rtol):
    batch = Batch(18, rtol, 1e-2 if rtol > 1e-4 else 1e-5)
    for op in REDUCE:
        x = operand(random, op, dtype)
        batch.add(op, [x, Const(np.array([1]))], reduced(op, x, [1], 1))
        batch.add(op, [x], reduced(op, x, None, 0), keepdims=0)
    batch.check(symbolic=[False])


def test_no_axes(random):
    batch = Batch(18)
    for op in REDUCE:
        x = operand(random, op, F32, (3, 4))
        alone = reduced(op, x[None], [0], 0)  # each element by itself
        batch.add(op, [x, np.array([], np.int64)], alone, noop_with_empty_axes=1)
        batch.add(op, [x], alone, noop_with_empty_axes=1)
        batch.add(op, [x, np.array([], np.int64)], reduced(op, x, None, 1))
        batch.add(op, [x[0, 0]], reduced(op, x[0, 0][None], [0], 0))
    batch.check()


@pytest.mark.filterwarnings("ignore:Mean of empty slice")
def test_empty_sets():
    batch = Batch(18)
    for op in REDUCE:
        if op not in ("ReduceMax", "ReduceMin"):
            x = np.zeros((2, 0, 4), F32)
            batch.add(op, [x, np.array([1])], reduced(op, x, [1], 1))
    for op, limit in ("ReduceMax", "min"), ("ReduceMin", "max"):
        for dtype in np.int8, np.int32, np.uint8, np.int64:
            want = np.full((2, 1), getattr(np.iinfo(dtype), limit), dtype)
            batch.add(op, [np.zeros((2, 0), dtype), np.array([1])], want)
        want = np.full((2, 1), -np.inf if limit == "min" else np.inf, F32)
        batch.add(op, [np.zeros((2, 0), F32), np.array([1])], want)
    batch.check(symbolic=[False])


def test_nan_infinity_and_booleans(random):
    batch, axes = Batch(20), Const(np.array([1]))
    x = np.array([[1, np.nan, 2], [np.inf, -np.inf, 0], [-0., 0., -0.]], F32)
    batch.add("ReduceMax", [x, axes], np.max(x, 1, keepdims=True))
    batch.add("ReduceMin", [x, axes], np.min(x, 1, keepdims=True))
    big = np.array([[1000, 1000.], [-np.inf, -np.inf], [np.inf, 1], [-1000, -1001]], F32)
    batch.add("ReduceLogSumExp", [big, axes], np.array([[1000.6931], [-np.inf], [np.inf], [-999.6867]], F32))
    flags = random.random((3, 4)) < .5
    batch.add("ReduceMax", [flags, axes], flags.any(1, keepdims=True))
    batch.add("ReduceMin", [flags, axes], flags.all(1, keepdims=True))
    batch.check()


def log_of_exact_sum(x):
    """Of each row, rounded to 0."""
    return np.array([[int(math.log(sum(map(int, row))))] for row in x], x.dtype)


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint64, np.uint32, np.int8, np.uint8])
def test_logarithms_of_sums_of_integers_are_exact(random, dtype):
    """Small addends next to the largest and the smallest of the type, in any order and in rows of any length."""
    limits = np.iinfo(dtype)
    for n in 3, 9, 40, 126:
        x = random.integers(1, 7, (8, n)).astype(dtype)
        if limits.min < 0:
            x[:4, 0], x[:4, 1] = limits.max, -limits.max
        else:
            x[:4, 0] = limits.max - 7 * n if limits.bits == 64 else limits.max
        x = random.permuted(x, axis=1)
        batch, want = Batch(13), log_of_exact_sum(x)
        batch.add("ReduceLogSum", [x], want, axes=[1])
        batch.add("ReduceLogSum", [x.T], want.T, axes=[0])
        batch.add("ReduceLogSum", [x[:1]], want[0, 0], keepdims=0)
        batch.check()


def test_long_sums(random):
    batch = Batch(11, 1e-5)
    x = random.random(1000000).astype(F32)
    batch.add("ReduceSum", [x], x.astype(np.float64).sum(keepdims=True).astype(F32), rtol=1e-4)
    grid = x.reshape(1000, 1000)
    batch.add("ReduceMean", [grid], grid.astype(np.float64).mean(0, keepdims=True).astype(F32), axes=[0])
    batch.check()


def test_wrong_axes():
    x = np.zeros((3, 4), F32)
    for wrong in np.array([5]), Const(np.array([5])):
        message = fails("ReduceSum", [x, wrong], 18)
        assert "the_node" in message and "axis 5 is out of range for rank 2" in message
    assert "named twice" in fails("ReduceSum", [x, np.array([1, 1])], 18, keepdims=0)


@pytest.mark.parametrize("op, function", [("ArgMax", np.argmax), ("ArgMin", np.argmin)])
def test_arg_extremes(random, op, function):
    batch = Batch(13)
    for dtype in F32, np.float16, np.float64, np.int8, np.int32, np.uint8, np.int64:
        x = random.integers(0, 5, (4, 5, 6)).astype(dtype)
        for axis in 0, 1, -1:
            first = function(x, axis=axis)
            last = x.shape[axis] - 1 - function(np.flip(x, axis), axis=axis)
            batch.add(op, [x], np.expand_dims(first, axis), axis=axis)
            batch.add(op, [x], last, axis=axis, keepdims=0, select_last_index=1)
    x = np.array([[1, np.nan, 2, np.nan], [np.inf, -np.inf, 0, 1], [-0., 0., -0., 0]], F32)
    batch.add(op, [x], function(x, axis=1), axis=1, keepdims=0)
    worst = np.full((2, 3), -np.inf if op == "ArgMax" else np.inf, F32)
    batch.add(op, [worst], np.zeros((2, 1), np.int64), axis=1)
    batch.check()


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def hardmax(x, axis):
    return (np.expand_dims(np.argmax(x, axis), axis) == np.indices(x.shape)[axis]).astype(x.dtype)


SOFTMAX = {"Softmax": softmax, "LogSoftmax": lambda x, axis: np.log(softmax(x, axis)), "Hardmax": hardmax}


@pytest.mark.parametrize("op", SOFTMAX)
def test_softmax(random, op):
    function, x = SOFTMAX[op], random.standard_normal((3, 4, 5)).astype(F32)
    batch = Batch(13)
    for axis in 0, 1, 2, -1:
        batch.add(op, [x], function(x, axis), axis=axis)
    batch.add(op, [x], function(x, 2))
    large = np.array([[1000, 1001, 0], [-1000, 0, 1]], F32)
    want = function(large.astype(np.float64), 1).astype(F32)
    batch.add(op, [large], np.maximum(want, [[-1e9, -1e9, -1001.3133], [-1001.3133, -1e9, -1e9]]).astype(F32))
    half = x.astype(np.float16)
    batch.add(op, [half], function(half.astype(np.float64), 2).astype(np.float16), rtol=2e-3)
    batch.check()
    batch = Batch(11)
    for axis in 0, 1, 2, -1, None:  # all dims from the axis on are one
        at = 1 if axis is None else axis % 3
        flat = x.reshape(int(np.prod(x.shape[:at])), -1)
        batch.add(op, [x], function(flat, 1).reshape(x.shape), **({} if axis is None else {"axis": axis}))
    batch.check()


@pytest.mark.parametrize("dtype, digits", [(np.float16, 11), (ml_dtypes.bfloat16, 8)], ids=["f16", "bf16"])
def test_softmax_of_many_small_floats(random, dtype, digits):
    """The sum of the exponentials, here about 90,000, is no f16, and bf16 counts to 256: only the results are rounded."""
    batch = Batch(13, 0, 0)
    x = random.uniform(-.1, .1, (2, 100000)).astype(dtype)
    for op in "Softmax", "LogSoftmax":
        want = SOFTMAX[op](x.astype(np.float64), 1)
        step = np.maximum(np.abs(want).max() * 2. ** (1 - digits), 2. ** -24)  # where f16 is subnormal, its step is fixed
        batch.add(op, [x], want.astype(dtype), axis=1, atol=step)
    batch.check()


def test_normalizations(random):
    batch = Batch(22, 1e-4, 1e-5)
    x = random.standard_normal((3, 4)).astype(F32)
    batch.add("LpNormalization", [x], x / np.abs(x).sum(1, keepdims=True), p=1)
    batch.add("LpNormalization", [x], x / np.sqrt((x * x).sum(0, keepdims=True)), axis=0)
    batch.add("LpNormalization", [x * 0], x * 0)
    x = random.standard_normal((2, 3, 4, 5)).astype(F32)
    for axes in (0, 2, 3), (1, 2):
        d = x - x.mean(axes, keepdims=True)
        want = d / np.sqrt((d * d).mean(axes, keepdims=True))
        batch.add("MeanVarianceNormalization", [x], want, **({} if len(axes) == 3 else {"axes": axes}))
    batch.check()


@pytest.mark.parametrize("dtype", [F32, np.float64, np.int32, np.int64, np.float16, np.uint32])
def test_running_sums(random, dtype):
    batch = Batch(14)
    x = random.integers(0, 5, (3, 4, 5)).astype(dtype)
    for axis in 0, 1, 2, -1:
        for exclusive in 0, 1:
            for reverse in 0, 1:
                y = np.flip(x, axis) if reverse else x
                want = np.cumsum(y, axis, dtype)
                want = want - y if exclusive else want
                want = np.flip(want, axis) if reverse else want
                given = np.int32(axis)
                batch.add("CumSum", [x, Const(given) if axis else given], want, exclusive=exclusive, reverse=reverse)
    batch.check(symbolic=[False, True] if dtype == F32 else [False])


def test_running_products_and_edges(random):
    x = random.standard_normal((3, 4)).astype(F32)
    batch = Batch(26)
    batch.add("CumProd", [x, np.array([1])], np.cumprod(x, 1))
    batch.add("CumSum", [np.zeros((3, 0, 2), F32), np.int64(1)], np.zeros((3, 0, 2), F32))
    batch.check()
    for wrong in np.int64(3), Const(np.int64(3)):
        assert "axis 3 is out of range" in fails("CumSum", [x, wrong], 14)


def top(x, k, axis, largest=True):
    keys = x.astype(np.float64)
    order = np.argsort(-keys if largest else keys, axis, kind="stable")
    order = np.take(order, range(k), axis)
    return [np.take_along_axis(x, order, axis), order]


@pytest.mark.parametrize("dtype", [F32, np.float64, np.int64, np.int32, np.float16, np.uint8])
def test_topk(random, dtype):
    batch = Batch(24)
    x = random.integers(0, 5, (3, 7, 4)).astype(dtype)  # many equal elements
    for axis in 0, 1, -1:
        for k in 0, 1, x.shape[axis]:
            for largest in 0, 1:
                given = np.array([k]) if axis else Const(np.array([k]))
                batch.add("TopK", [x, given], top(x, k, axis, largest), axis=axis, largest=largest)
    batch.check(symbolic=[False, True] if dtype == F32 else [False])


def test_topk_of_many_nodes(random, noria_tool, tmp_path):
    """A kernel of many nodes is one function, whatever their shapes are."""
    shapes = [((5, 40), 1, 3), ((7,), 0, 7), ((2, 3, 50), 2, 50), ((300,), 0, 280), ((2, 300, 2), 1, 270), ((4, 4), 0, 0)]
    batch = Batch(24)
    for shape, axis, k in shapes:
        x = random.standard_normal(shape).round(1).astype(F32)
        batch.add("TopK", [x, np.array([k])], top(x, k, axis), axis=axis)
    batch.check(symbolic=[False, True])
    nodes = [onnx.helper.make_node("TopK", ["x", "k"], [f"v{i}", f"p{i}"]) for i in range(8)]
    inputs = [onnx.helper.make_tensor_value_info("x", 1, ["n"]), onnx.helper.make_tensor_value_info("k", 7, [1])]
    outputs = [onnx.helper.make_tensor_value_info(f"v{i}", 1, None) for i in range(8)]
    model = onnx.helper.make_model(onnx.helper.make_graph(nodes, "many", inputs, outputs))
    onnx.save(model, tmp_path / "many.onnx")
    done = noria_tool("opt", "--pipeline", "--stop-after=tensor", tmp_path / "many.onnx")
    assert done.stdout.count("func.func private @topk_0(") == 1 and done.stdout.count("call @topk_0(") > 1


def test_topk_versions_and_nan(random):
    x = random.standard_normal((3, 700)).astype(F32)
    batch = Batch(1)
    batch.add("TopK", [x], top(x, 3, 1), k=3)
    batch.check()
    batch = Batch(11)
    for k in 50, 256, 257, 700:  # few are selected, many are sorted
        batch.add("TopK", [x, np.array([k])], top(x, k, 1))
        batch.add("TopK", [np.round(x), np.array([k])], top(np.round(x), k, 1, False), largest=0)
    batch.add("TopK", [np.sort(x), np.array([100])], top(np.sort(x), 100, 1))
    x = np.array([[1, np.nan, 3, np.inf, np.nan, -np.inf]], F32)
    batch.add("TopK", [x, np.array([4])], [np.array([[np.nan, np.nan, np.inf, 3]], F32), np.array([[1, 4, 3, 2]])])
    want = [np.array([[-np.inf, 1, 3, np.inf, np.nan]], F32), np.array([[5, 0, 2, 3, 1]])]
    batch.add("TopK", [x, np.array([5])], want, largest=0)
    batch.check()
