"""Edges of ops' inputs: what the schemas say of them, by NumPy, and errors for what cannot be; compiled and interpreted."""
import itertools

import ml_dtypes
import numpy as np
import pytest

from ops import Batch, Const, Sized, fails, interpreted

F = np.float32
LEAST, MOST = -(2**63), 2**63 - 1
WAYS = {"compiled": lambda: None, "interpreted": interpreted}


@pytest.fixture(params=WAYS)
def options(request):
    return WAYS[request.param]()


def ints(*values):
    return Sized(np.array(values, np.int64))


# ---- Pad: pads below zero take elements away, and the others repeat what stays ---------------------------------------


def pad(x, low, high, mode):
    """None where no such tensor can be."""
    if any(max(-a, 0) + max(-b, 0) > d for a, b, d in zip(low, high, x.shape)):
        return None
    kept = x[tuple(slice(max(-a, 0), d - max(-b, 0)) for a, b, d in zip(low, high, x.shape))]
    added = [(max(a, 0), max(b, 0)) for a, b in zip(low, high)]
    if mode != "constant" and any(d == 0 and sum(n) for d, n in zip(kept.shape, added)):
        return None
    return np.pad(kept, added, mode)


PADS = [(d, a, b) for d in (0, 3) for a, b in itertools.product((-3, -1, 0, 1, 5), repeat=2)]


def wrong_pads(low, high, d):
    gone = max(-low, 0) + max(-high, 0) > d
    return f"pads of {low} and {high} take away more than the {d} elements" if gone else "an empty dim has no elements"


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "wrap"])
def test_pad(options, mode):
    batch, wrong = Batch(opset=19), []
    for d, low, high in PADS:
        x = np.arange(1, d + 1, dtype=F)
        want = pad(x, [low], [high], mode)
        if want is None:
            wrong.append((x, low, high, d))
            continue
        pads = ints(low, high)
        batch.add("Pad", [x, pads if (low + high) % 3 else Const(pads)], want, mode=mode)
    batch.check(options=options)
    assert len(batch.cases) > 15 and len(wrong) > 15
    for n, (x, low, high, d) in enumerate(wrong[::5]):
        for pads, symbolic in ((ints(low, high), n % 2), (Const(ints(low, high)), (n + 1) % 2)):
            said = fails("Pad", [x, pads], 19, symbolic=symbolic, options=options, mode=mode)
            assert wrong_pads(low, high, d) in said and "the_node" in said, (low, high, d, said)


@pytest.mark.parametrize("mode", ["constant"])
@pytest.mark.parametrize("low, high, words", [
    (LEAST, 0, "take away more than the 2"), (0, LEAST, "take away more than the 2"),
    (LEAST, LEAST, "take away more than the 2"), (LEAST, MOST, "take away more than the 2"),
    (MOST, LEAST, "take away more than the 2"), (MOST, -MOST, "take away more than the 2"),
    (MOST, 0, "make a dim of 2 too large"), (0, MOST, "make a dim of 2 too large"),
    (MOST, MOST, "make a dim of 2 too large"), (MOST - 2, 1, "make a dim of 2 too large")])
def test_pad_by_numbers_at_the_ends(options, mode, low, high, words):
    for pads, symbolic in ((ints(low, high), True), (Const(ints(low, high)), False)):
        said = fails("Pad", [np.ones(2, F), pads], 19, symbolic=symbolic, options=options, mode=mode)
        assert words in said, said


@pytest.mark.parametrize("low, high", [(MOST - 2, 0), (2**62, -1)])
def test_pad_to_sizes_that_no_tensor_has(options, low, high):
    """Pads that the model holds are refused when it is compiled, others by a check when it runs."""
    size = 2 + low + high
    said = fails("Pad", [np.ones(2, F), ints(low, high)], 19, symbolic=True, options=options)
    assert said == f"node 'the_node': 'tensor.empty' op dim 0 of the result would be {size}"
    said = fails("Pad", [np.ones(2, F), Const(ints(low, high))], 19, options=options)
    assert said == f"error: node 'the_node' (Pad): needs a tensor of shape {size}, which no memory can hold"


def test_pad_of_every_version(options):
    x = np.arange(24, dtype=F).reshape(2, 3, 4)
    low, high = [0, -1, 2], [-1, 2, -3]
    for mode in ("constant", "edge", "reflect"):
        want = pad(x, low, high, mode)
        for opset in (2, 10):
            batch = Batch(opset)
            batch.add("Pad", [x], want, mode=mode, pads=low + high)
            batch.check(options=options)
        for opset in (11, 18, 23):
            batch = Batch(opset)
            batch.add("Pad", [x, Const(ints(*low, *high))], want, mode=mode)
            batch.add("Pad", [x, ints(*low, *high)], want, mode=mode)
            if opset >= 18:
                batch.add("Pad", [x, ints(2, -1, -3, 2), None, ints(2, -2)], want_axes(x, mode), mode=mode)
            batch.check(options=options)
        assert "take away more than the 2" in fails("Pad", [x], 2, options=options, mode=mode, pads=[-1, 0, 0, -2, 0, 0])
    batch = Batch(1)
    batch.add("Pad", [x], pad(x, low, high, "constant"), paddings=low + high)
    batch.check(options=options)


def want_axes(x, mode):
    return pad(x, [0, -1, 2], [0, 2, -3], mode)


def test_crop_to_sizes_that_are_none(options):
    for size in (-1, LEAST):
        for given in (ints(size), Const(ints(size))):
            said = fails("CenterCropPad", [np.ones(5, F), given], 18, options=options, axes=[0])
            assert "is negative" in said, said


# ---- sizes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [-1, LEAST])
def test_sizes_below_zero(options, size):
    several, image, places = np.full((3, 2, 2), size), np.ones((1, 1, 2, 2), F), np.zeros((1, 1, 2, 2), np.int64)
    for given in (several, Const(several)):
        for op, inputs in (("HannWindow", [given]), ("OneHot", [np.array([1.0], F), given, np.array([0, 1], F)])):
            said = fails(op, inputs, 17, options=options)
            assert "12 elements where one is expected" in said or f"size {size} is negative" in said, said
    for given in (ints(1, 1, 2, size), Const(np.array([1, 1, 2, size]))):
        said = fails("MaxUnpool", [image, places, given], 11, options=options, kernel_shape=[1, 1])
        assert f"size {size} is negative" in said, said


# ---- OneHot: indices and depths of any number type are cast to int64 -------------------------------------------------


def one_hot(indices, depth, values, axis):
    with np.errstate(invalid="ignore"):
        at = np.asarray(indices).astype(np.int64) if indices.dtype.kind == "f" else np.asarray(indices).astype(object)
    n = int(depth)
    flat = [values[1 if -n <= i < n and k == i % n else 0] for i in at.ravel() for k in range(n)]
    return np.moveaxis(np.array(flat, values.dtype).reshape(*at.shape, n), -1, axis)


@pytest.mark.parametrize("axis", [-1, 0])
def test_one_hot(options, axis):
    batch, values = Batch(opset=11), np.array([2, 9], F)
    floats = [0, 1, 1.9, -1, -0.5, -1.5, 3, 2.99, -3.99, -4, 1e9, -1e9, 7]
    for kind, numbers in ((F, floats + [1e30, -1e30, np.inf, -np.inf, np.nan]), (np.float64, floats + [1e300, 2**53 + 1]),
                          (np.float16, floats[:-3]), (np.int8, [0, 2, 3, -3, -4, 127, -128]), (np.uint8, [0, 2, 3, 255]),
                          (np.int64, [0, 2, 3, -3, -4, LEAST, MOST]), (np.uint64, [0, 2, 3, MOST, MOST + 1, 2 * MOST + 1]),
                          (np.uint32, [0, 2, 2**32 - 1, 2**32 - 3])):
        indices = np.array(numbers, kind)
        for depth in (np.array(3.9, F), np.array([3.0], np.float64), np.array(3, np.int64), np.array(3, np.uint8)):
            batch.add("OneHot", [indices, depth, values], one_hot(indices, depth.item(), values, axis), axis=axis)
            batch.add("OneHot", [Const(indices), Const(depth), values], one_hot(indices, depth.item(), values, axis),
                      axis=axis)
    batch.add("OneHot", [np.array([1.0], F), np.array(-0.9, F), values], np.zeros((1, 0), F).reshape(1, 0), axis=-1)
    batch.check(options=options)


def test_one_hot_of_a_depth_that_is_none(options):
    for depth in (np.array(-1.5, F), np.array(np.nan, F), np.array(np.inf, F), np.array(1e30, np.float64), np.array(-2)):
        for given in (depth, Const(depth)):
            said = fails("OneHot", [np.array([1.0], F), given, np.array([0, 1], F)], 11, options=options)
            with np.errstate(invalid="ignore"):
                size = depth.astype(np.int64)  # what the CPU makes of a number that is out of range
            assert (f"size {size} is negative" if size < 0 else "no memory") in said, said


# ---- reductions of nothing -------------------------------------------------------------------------------------------

# What the schemas say of an empty set; of the mean that it is not defined.
EMPTY = {"ReduceSum": 0, "ReduceProd": 1, "ReduceL1": 0, "ReduceL2": 0, "ReduceSumSquare": 0, "ReduceMean": np.nan,
         "ReduceLogSum": -np.inf, "ReduceLogSumExp": -np.inf, "ReduceMax": -np.inf, "ReduceMin": np.inf}


def of_nothing(op, dtype):
    value = EMPTY[op]
    if np.issubdtype(dtype, np.floating) or abs(value) < 2:
        return value
    limits = np.iinfo(dtype)
    return limits.min if value < 0 else limits.max


@pytest.mark.parametrize("opset", [13, 21])
def test_reductions_of_nothing(options, opset):
    batch = Batch(opset)
    for op, dtype in itertools.product(EMPTY, (F, np.float64, np.float16, np.int32, np.int64)):
        if not np.issubdtype(dtype, np.floating) and op in ("ReduceMean", "ReduceLogSum", "ReduceLogSumExp"):
            continue
        for shape, axes, keep in itertools.product([(2, 0, 3), (0,)], [(0,), (1,), None], (0, 1)):
            if axes and axes[0] >= len(shape):
                continue
            x, at = np.zeros(shape, dtype), axes if axes else tuple(range(len(shape)))
            want = np.full(np.sum(x, axis=at, keepdims=bool(keep)).shape, of_nothing(op, dtype), dtype)
            if opset < 18 and op != "ReduceSum":
                batch.add(op, [x], want, keepdims=keep, **({"axes": list(axes)} if axes else {}))
            elif axes:
                batch.add(op, [x, ints(*axes) if keep else Const(ints(*axes))], want, keepdims=keep)
            else:
                batch.add(op, [x], want, keepdims=keep)
    batch.check(options=options)


# The attribute is a truth value: any number but 0 is true.
@pytest.mark.parametrize("noop", [0, 1, 17, -1])
def test_reductions_along_no_axes(options, noop):
    x, batch = np.array([[0.5, -2, 3]], F), Batch(18)
    alone = {"ReduceL1": np.abs, "ReduceL2": np.abs, "ReduceSumSquare": np.square,
             "ReduceLogSum": lambda a: np.log(np.abs(a))}
    whole = {"ReduceSum": np.sum, "ReduceMean": np.mean, "ReduceProd": np.prod, "ReduceMax": np.max, "ReduceMin": np.min,
             "ReduceL1": lambda a: np.abs(a).sum(), "ReduceL2": lambda a: np.sqrt(np.square(a).sum()),
             "ReduceSumSquare": lambda a: np.square(a).sum(), "ReduceLogSum": lambda a: np.log(a.sum()),
             "ReduceLogSumExp": lambda a: np.log(np.exp(a).sum())}
    for op in EMPTY:
        y = np.abs(x) if op == "ReduceLogSum" else x
        want = alone.get(op, lambda a: a)(y) if noop else np.full((1, 1), whole[op](y), F)
        for axes in ([], [ints()], [Const(ints())]):
            batch.add(op, [y, *axes], want.astype(F), noop_with_empty_axes=noop)
    batch.check(options=options)


@pytest.mark.parametrize("dtype", [np.float64, np.float16, ml_dtypes.bfloat16])
def test_mean_variance_normalization_of_other_floats(dtype):
    """The function in the schema has constants of float32, so that nobody else runs these types."""
    x = np.random.default_rng(6).standard_normal((2, 3, 4, 2)).astype(dtype)
    wide = x.astype(np.float64)
    want = (wide - wide.mean((0, 2, 3), keepdims=True)) / (wide.std((0, 2, 3), keepdims=True) + 1e-9)
    batch = Batch(13, rtol={np.float64: 1e-12, np.float16: 2e-3}.get(dtype, 2e-2), atol=1e-3 if dtype != np.float64 else 1e-12)
    batch.add("MeanVarianceNormalization", [x], want.astype(dtype))
    batch.check()


def test_statistics_in_bfloat16():
    """Attribute stash_type says the type of LayerNormalization's other results."""
    x = np.random.default_rng(5).standard_normal((3, 4)).astype(np.float32)
    mean, deviation = x.mean(1, keepdims=True), np.sqrt(x.var(1, keepdims=True) + 1e-5)
    batch = Batch(17, rtol=1e-2)
    batch.add("LayerNormalization", [x, np.ones(4, np.float32)],
              [(x - mean) / deviation, *(v.astype(ml_dtypes.bfloat16) for v in (mean, 1 / deviation))], stash_type=16)
    batch.check()


@pytest.mark.parametrize("op, more", [("ScatterND", {}), ("ScatterElements", {"axis": 0})])
def test_strings_are_not_added(op, more):
    at = np.zeros((1, 1) if op == "ScatterND" else 1, np.int64)
    message = fails(op, [np.array(["a"], object), at, np.array(["b"], object)], 18, reduction="add", **more)
    assert "reduction 'add' takes numbers, not strings" in message and "the_node" in message


def test_types_of_scale_and_statistics():
    """BatchNormalization's scale and statistics may have types of their own."""
    x, one = np.float64([[1, 2], [3, 4]]), np.ones(2)
    for s, m in (np.float32, np.float64), (np.float64, np.float16):
        batch = Batch(15)
        batch.add("BatchNormalization", [x, one.astype(s), one.astype(s), one.astype(m), one.astype(m)],
                  (x - 1) / np.sqrt(1 + 1e-5) + 1)
        batch.check()
