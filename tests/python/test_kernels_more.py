"""The kernels of lib/ that test_kernels.py does not have, and inputs that are hard for all of them, against NumPy and ONNX
Runtime."""
import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

from noria import Error, InferenceSession, kernels
from test_kernels import numbers, same

# One type of each width and kind: the kernels are compiled for each.
FEW = ["bool", "u8", "f2", "f4", "f8"]


def hard_lists(rng, dtype):
    """All equal, sorted, reversed, alternating, of one value but the last, long enough for parts and merges by merge path."""
    for n in 0, 1, 300, 70_001, 140_000:
        a = numbers(rng, dtype, n)
        yield a
        yield np.sort(a)
        yield np.sort(a)[::-1]
        yield np.resize(a[:2], n) if n else a
        if n:
            flat = np.full(n, a[0])
            flat[-1] = a[-1]
            yield flat


@pytest.mark.parametrize("dtype", FEW)
def test_sorts_of_hard_lists(dtype):
    """argsort shows that equal elements keep their order, also those of different runs."""
    rng = np.random.default_rng(21)
    for a in hard_lists(rng, dtype):
        same(kernels.argsort(a), np.argsort(a, kind="stable"))
        same(kernels.sort(a), np.sort(a, kind="stable"))


@pytest.mark.parametrize("dtype", FEW)
def test_topk_of_hard_lists(dtype):
    """Few, as many as are selected one by one at most, and one more."""
    rng = np.random.default_rng(22)
    for a in hard_lists(rng, dtype):
        up = np.argsort(a, kind="stable")
        down = np.argsort(-np.unique(a, return_inverse=True)[1], kind="stable")
        for k in {k for k in (1, 16, 17, 256, 257) if k <= a.size}:
            for largest, order in (False, up), (True, down):
                values, places = kernels.topk(a, k, largest=largest)
                same(places, order[:k])
                same(values, a[order[:k]])


@pytest.mark.parametrize("dtype", FEW)
def test_unique_of_hard_lists(dtype):
    rng = np.random.default_rng(23)
    for a in hard_lists(rng, dtype):
        for x, y in zip(kernels.unique(a, True, True, True), np.unique(a, True, True, True), strict=True):
            same(abs(x) if dtype[0] == "f" else x, abs(y) if dtype[0] == "f" else y)


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
def test_sorts_of_uneven_lists(dtype):
    """Most elements are close to each other beside the range of all, so that one bucket gets them."""
    rng = np.random.default_rng(35)
    n = 300_000
    few = rng.integers(0, 5000, n).astype(dtype) * (np.spacing(np.ones(1, dtype)) if dtype[0] == "f" else 1) + 1
    wide = rng.choice([-2.0**30, 2.0**30, 12345.0], n) * rng.random(n)
    a = np.where(rng.random(n) < 0.97, few, wide).astype(dtype)
    with kernels.threads(2):
        for x in (a, np.stack([a[:100_000], a[100_000:200_000]])):
            same(kernels.sort(x), np.sort(x, kind="stable"))
            same(kernels.argsort(x), np.argsort(x, kind="stable"))


def long_rows(rng, dtype):
    """Rows that are distributed to buckets or, where their keys are close to each other, counted; and such at the limits."""
    step = np.spacing(np.ones(1, dtype)) if dtype[0] == "f" else 1
    for n in 65_536, 65_537, 131_073:
        yield numbers(rng, dtype, n)
    for keys in 1, 2, 16_384, 16_385:  # that many neighbours, each of them there
        yield rng.permutation(np.arange(200_000) % keys).astype(dtype) * step + 1
    far = np.ones(200_000, dtype)  # no sample has the one that is not close to the others
    far[123_457] = 2.0**30
    yield far
    # of a bucket, most share their high bits: in random order, in two ascending runs, and few of them
    for size in 300, 5_000, 60_000:
        for pairs in False, True:
            close = np.arange(size) % (size // 2 if pairs else size) * step + 1
            close[:1] = 2.0**30
            yield (close if pairs else rng.permutation(close)).astype(dtype)
            some = rng.normal(size=size) * 1e8
            some[:size // 8] = close[:size // 8]
            yield some.astype(dtype)
    flat = np.where(rng.random(300_000) < 0.6, 7, rng.normal(size=300_000) * 1e6)  # the sevens are more than fit in a bucket
    yield flat.astype(dtype)
    if dtype[0] == "f":
        yield np.where(rng.random(100_000) < 0.5, 0.0, -0.0).astype(dtype)
        few = np.zeros(100_000, dtype)
        few[-3:] = -0.0, 1.0, -0.0
        yield few
        yield np.where(rng.random(300_000) < 0.6, np.nan, rng.choice([np.inf, -np.inf, 1.0, -0.0, 0.0], 300_000)).astype(dtype)
        yield np.where(rng.random(300_000) < 0.6, np.nan, rng.normal(size=300_000)).astype(dtype)


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
def test_sorts_of_long_rows(dtype):
    rng = np.random.default_rng(36)
    for a in long_rows(rng, dtype):
        same(kernels.sort(a), np.sort(a, kind="stable"))
        same(kernels.argsort(a), np.argsort(a, kind="stable"))


@pytest.mark.parametrize("dtype", [*FEW, "i1", "u2", "i4"])
def test_sorts_of_short_rows(dtype):
    """Rows of as many elements as the network of comparisons takes, which are padded, and of more."""
    rng = np.random.default_rng(37)
    for n in 1, 2, 15, 16, 17, 32, 33, 100, 128, 129, 256, 257, 500, 512, 513, 1023, 1024, 1025, 2000:
        a = numbers(rng, dtype, (9, n))
        a[1] = np.sort(a[1])
        a[2] = np.sort(a[2])[::-1]
        a[3] = a[3, 0]
        if dtype[0] in "iu":
            a[4] = np.iinfo(dtype).max
            a[5, :n // 2] = np.iinfo(dtype).max
        if dtype[0] == "f":
            a[4, ::2] = np.nan
        same(kernels.sort(a), np.sort(a, kind="stable"))
        same(kernels.argsort(a), np.argsort(a, kind="stable"))


def poor_samples(rng, n):
    """A list whose samples of 16 elements are the least that are left, so that the median of one parts it unevenly."""
    values, left = np.full(n, -1), np.arange(n)
    for step in range(60):
        stride = left.size // 16
        sample = left[stride // 16 + np.arange(16) * stride]
        new = sample[values[sample] < 0]
        values[new] = step * 16 + rng.permutation(new.size)
        pivot = np.sort(values[sample])[8]
        left = left[(values[left] < 0) | (values[left] >= pivot)]
    values[values < 0] = 1000 + rng.permutation((values < 0).sum())
    return values


@pytest.mark.parametrize("dtype", ["i4", "f8", "u4"])
def test_sorts_of_poor_samples(dtype):
    """By quicksort, whose pivots are means of ranges then; with values far apart and close, and with equal ones."""
    rng = np.random.default_rng(38)
    for n in 3_000, 50_000:
        values = poor_samples(rng, n)
        for a in values, values // 50 * 10_007, np.where(values < n // 2, values, values * 40_000):
            a = a.astype(dtype)
            for x in (a, np.stack([a, a[::-1]])):
                same(kernels.sort(x), np.sort(x, kind="stable"))
                same(kernels.argsort(x), np.argsort(x, kind="stable"))


@pytest.mark.parametrize("dtype", ["u1", "f4"])
def test_descending_sorts(dtype):
    rng = np.random.default_rng(22)
    for n in 0, 1, 50, 200, 700, 5_000, 70_001:
        a = numbers(rng, dtype, n)
        ranks = np.unique(a, return_inverse=True)[1]
        order = np.argsort(-ranks, kind="stable")
        same(kernels.argsort(a, descending=True), order)
        same(kernels.sort(a, descending=True), a[order])


def test_sort_of_arrays_of_all_layouts():
    rng = np.random.default_rng(23)
    a = numbers(rng, "f4", (6, 40, 50))
    for x in (a[::2, ::-3, 1::7], a.T, a.astype(">f4"), a[:, :0], np.broadcast_to(a[0, 0], (4, 50))):
        for axis in None, 0, -1, -2 if x.ndim > 2 else 0:
            same(kernels.sort(x, axis), np.sort(x, axis, kind="stable").astype("f4"))
            same(kernels.argsort(x, axis), np.argsort(x, axis, kind="stable"))


@pytest.mark.parametrize("dtype", FEW)
def test_merge(dtype):
    """As the stable sort of both lists, one behind the other."""
    rng = np.random.default_rng(24)
    for m, n in [(0, 0), (0, 5), (5, 0), (1, 1), (3, 1000), (70_001, 66_000), (140_000, 17), (17, 9000), (6000, 500),
                 (500, 40_000)]:
        for shift in False, True:
            a, b = (np.sort(numbers(rng, dtype, size), kind="stable") for size in (m, n))
            if shift and n:  # all of one list before all of the other
                a = np.full(m, b[0])
            same(kernels.merge(a, b, check=True), np.sort(np.concatenate([a, b]), kind="stable"))
    same(kernels.merge([0.0], [-0.0]), np.array([0.0, -0.0]))
    same(kernels.merge([-0.0], [0.0]), np.array([-0.0, 0.0]))


def test_lists_that_are_not_sorted():
    bad, good = [1, 2, 5, 4], [0, 3]
    for call, message in [(lambda: kernels.merge(bad, good, check=True), "a is not sorted: element 3"),
                          (lambda: kernels.merge(good, bad, check=True), "b is not sorted: element 3"),
                          (lambda: kernels.searchsorted(bad, 1, check=True), "a is not sorted: element 3"),
                          (lambda: kernels.searchsorted([np.nan, 1.0], 1, check=True), "a is not sorted: element 1"),
                          (lambda: kernels.searchsorted([good, bad[2:]], [[1], [1]], check=True),
                           "a is not sorted: element 1 of list 1")]:
        with pytest.raises(ValueError, match=message):
            call()
    rng = np.random.default_rng(25)
    a, v = rng.normal(size=5000), rng.normal(size=20_000)
    places = kernels.searchsorted(a, v)  # some places, and no access outside of the list
    assert places.min() >= 0 and places.max() <= a.size
    merged = kernels.merge(np.tile(v, 7), np.tile(a, 20))
    assert merged.size == 240_000 and np.isin(merged, np.concatenate([a, v])).all()


@pytest.mark.parametrize("dtype", FEW)
def test_searches_by_table(dtype):
    """Many values, so that the table is large: elements that crowd in a few of its entries, and values far outside."""
    rng = np.random.default_rng(26)
    v = numbers(rng, dtype, 30_000)
    for a in (numbers(rng, dtype, 3000), np.repeat(numbers(rng, dtype, 3), 1000), v[:1]):
        a = np.sort(a)
        for side in "left", "right":
            same(kernels.searchsorted(a, v, side), np.searchsorted(a, v, side))
    if np.dtype(dtype).kind == "f":
        a = np.sort(np.concatenate([[-1e4, 1e4], rng.normal(size=2000) * 1e-3]).astype(dtype))
        same(kernels.searchsorted(a, v), np.searchsorted(a, v))


@pytest.mark.parametrize("dtype", FEW)
def test_few_searches(dtype):
    """Far fewer values than elements, which are searched without a table; elements that are equal, and NaN."""
    rng = np.random.default_rng(37)
    for a in (numbers(rng, dtype, 30_000), np.repeat(numbers(rng, dtype, 5), 1000)):
        a = np.sort(a, kind="stable")  # the other kind misplaces negative float16 on some CPUs
        for v in (numbers(rng, dtype, 60), a[::700], a[0], a[-1], a[:0]):
            for side in "left", "right":
                same(kernels.searchsorted(a, v, side), np.searchsorted(a, v, side))


@pytest.mark.parametrize("side", ["left", "right"])
def test_searches_in_rows(side):
    rng = np.random.default_rng(27)
    a, v = np.sort(numbers(rng, "f4", (3, 70, 33))), numbers(rng, "f4", (3, 70, 21))
    expected = np.array([[np.searchsorted(x, y, side) for x, y in zip(*rows)] for rows in zip(a, v)])
    same(kernels.searchsorted(a, v, side), expected)
    for n, m in (0, 4), (4, 0):
        same(kernels.searchsorted(a[..., :n], v[..., :m], side), np.minimum(expected[..., :m], 0))


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("kind", ["i1", "u2", "i4", "f4", "f8"])
def test_ragged_searches(side, kind):
    """Lists of up to 64 elements are searched in another way than longer ones."""
    rng = np.random.default_rng(28)
    lengths = rng.integers(0, 140, (2, 300))
    lengths[:, :6] = [[0, 5, 0, 63, 64, 65], [4, 0, 0, 17, 16, 15]]
    offsets = np.concatenate([[[0], [0]], np.cumsum(lengths, 1)], 1)
    lists, values = [numbers(rng, kind, n) for n in lengths[0]], [numbers(rng, kind, n) for n in lengths[1]]
    lists = [np.sort(x) for x in lists]
    found = kernels.searchsorted(np.concatenate(lists), np.concatenate(values), side, a_offsets=offsets[0],
                                 v_offsets=offsets[1].astype("u4"), check=True)
    same(found, np.concatenate([np.searchsorted(a, v, side) for a, v in zip(lists, values)]))


def test_number_of_threads():
    a = np.random.default_rng(32).normal(size=200_000)
    for count in 0, 1, 3:
        with kernels.threads(count):
            same(kernels.sort(a), np.sort(a))


def test_wrong_arguments():
    x, o = [1, 2, 3], [0, 1, 3]
    for call, kind, message in [
            (lambda: kernels.searchsorted(x, x, a_offsets=o), ValueError, "must both be given"),
            (lambda: kernels.searchsorted(x, x, a_offsets=[0, 2, 1, 3], v_offsets=o), ValueError, "a_offsets decreases at element 2"),
            (lambda: kernels.searchsorted(x, x, a_offsets=[1, 3], v_offsets=o), ValueError, "must begin with 0 and end with 3"),
            (lambda: kernels.searchsorted(x, x, a_offsets=[0, 3], v_offsets=o), ValueError, "a_offsets has 2 elements, but v_offsets 3"),
            (lambda: kernels.searchsorted(x, x, a_offsets=[0.0, 3], v_offsets=o), TypeError, "a_offsets must be integers"),
            (lambda: kernels.searchsorted([x], [x, x]), ValueError, "or v its leading dims"),
            (lambda: kernels.merge([x], x), ValueError, r"a must have 1 dim, but its shape is \(1, 3\)"),
            (lambda: kernels.merge(x, ["a"]), TypeError, "no kernel for elements"),
            (lambda: kernels.unique(x, axis=1), ValueError, "axis 1 is out of bounds"),
            (lambda: kernels.unique([x], axis=0.5), TypeError, "integer"),
            (lambda: kernels.histogram(x, [3, 1]), ValueError, "bins must increase"),
            (lambda: kernels.histogram(x, "auto"), TypeError, "bins must be a number"),
            (lambda: kernels.histogram(x, 2, weights=[1]), ValueError, "weights must have a's shape"),
            (lambda: kernels.nms([[1]], [[[1]]]), ValueError, "boxes must have 3 dims"),
            (lambda: kernels.nms(np.zeros((1, 2, 4)), np.zeros((1, 1, 3))), ValueError, "their shapes are"),
            (lambda: kernels.nms(np.zeros((1, 2, 4)), np.zeros((1, 1, 2)), iou_threshold=2), ValueError, "iou_threshold is 2"),
            (lambda: kernels.nms(np.full((1, 2, 4), "a"), np.zeros((1, 1, 2))), TypeError, "boxes must be numbers")]:
        with pytest.raises(kind, match=message):
            call()


def test_arrays_that_are_not_aligned():
    """Copies, as of arrays with gaps. One with a mask is refused."""
    def shifted(a):
        raw = np.frombuffer(b"\0" + np.asarray(a).tobytes(), np.uint8)[1:]
        return raw.view(np.asarray(a).dtype)
    a = shifted(np.arange(300, 0, -1, dtype=np.float32))
    assert not a.flags.aligned
    b = np.array(a)
    up = shifted(np.sort(b))
    for call in (kernels.sort, kernels.argsort, kernels.unique, lambda x: kernels.topk(x, 3), lambda x: kernels.histogram(x, 5),
                 lambda x: kernels.searchsorted(up, x), lambda x: kernels.merge(up, up)):
        got, want = call(a), call(b)
        for x, y in zip(got if isinstance(got, tuple) else [got], want if isinstance(want, tuple) else [want], strict=True):
            assert np.array_equal(x, y)
    boxes = np.zeros((1, 3, 4), np.float32)
    boxes[0, :, 2:] = [[1], [2], [3]]
    scores = np.ones((1, 1, 3), np.float32)
    assert np.array_equal(kernels.nms(shifted(boxes.ravel()).reshape(boxes.shape), scores), kernels.nms(boxes, scores))
    masked = np.ma.array([3, 1, 2], mask=[0, 1, 0])
    for call in (kernels.sort, kernels.argsort, kernels.unique, kernels.histogram, lambda x: kernels.merge([1], x),
                 lambda x: kernels.topk(x, 1), lambda x: kernels.searchsorted(x, [1])):
        with pytest.raises(TypeError, match="arrays with a mask"):
            call(masked)
    with pytest.raises(ValueError, match="count is -1"), kernels.threads(-1):
        pass


def test_arrays_that_only_seem_to_exist():
    """2^40 elements, all of them the same in memory: an error, before anything of that size is allocated."""
    huge = np.broadcast_to(np.float32(1), (1 << 40,))
    for call in (lambda: kernels.sort(huge), lambda: kernels.argsort(huge), lambda: kernels.topk(huge, 3),
                 lambda: kernels.merge(huge, [1.0]), lambda: kernels.searchsorted([1.0], huge), lambda: kernels.unique(huge),
                 lambda: kernels.histogram(huge), lambda: kernels.histogram(huge, [0, 2])):
        with pytest.raises(MemoryError, match=r"\(1099511627776,\) and float32 takes 4398046511104 bytes"):
            call()


def test_boxes_that_only_seem_to_exist():
    """Boxes and scores that are one number in memory, and would be more floats than fit."""
    n = 1 << 31
    few, many = np.zeros((1, 0, 4)), np.broadcast_to(np.int8(1), (1, 64 * n, 4))
    with pytest.raises(MemoryError, match=r"\(1, 137438953472, 4\) and float32 takes 2199023255552 bytes"):
        kernels.nms(many, np.broadcast_to(np.int8(1), (1, 1, 64 * n)))
    with pytest.raises(MemoryError, match=r"\(1, 2199023255552, 1\) and float32"):
        kernels.nms(np.zeros((1, 1, 4)), np.broadcast_to(np.float32(1), (1, 1024 * n, 1)))
    assert kernels.nms(few, np.broadcast_to(np.float32(1), (1, n, 0))).shape == (0, 3)


def test_many_rows_without_elements():
    """2^40 rows, which are not visited one by one."""
    rows = np.empty((1 << 40, 0), np.float32)
    for call in kernels.sort, kernels.argsort, lambda a: kernels.topk(a, 0)[0]:
        assert call(rows).shape == rows.shape
    assert kernels.topk(np.empty((0, 1 << 40), np.float32), 5)[1].shape == (0, 5)
    assert kernels.nms(np.empty((1, 0, 4)), np.empty((1, 1 << 40, 0))).shape == (0, 3)


@pytest.mark.parametrize("dtype", ["u1", "i8", "f2"])
@pytest.mark.parametrize("threads", [1, 2])
def test_sorts_of_few_values(dtype, threads):
    """Long lists of few values, and of few but one that a sample of the list will hardly have."""
    rng = np.random.default_rng(37)
    for most in 0, 1, 99, 16383, 16384:
        if np.dtype(dtype).kind == "f":
            a = numbers(rng, dtype, 80_000)
        else:
            a = rng.integers(0, min(most, np.iinfo(dtype).max), 80_000, endpoint=True).astype(dtype)
        for odd in None, np.finfo(dtype).max if np.dtype(dtype).kind == "f" else np.iinfo(dtype).max:
            if odd is not None:
                a[54_321] = odd
            with kernels.threads(threads):
                same(kernels.sort(a), np.sort(a, kind="stable"))
                same(kernels.sort(a, descending=True)[::-1], np.sort(a[::-1], kind="stable"))


@pytest.mark.parametrize("dtype", ["i8", "u8", "f8"])
def test_argsort_of_near_keys(dtype):
    """Keys of 64 bits that are within 2^32 of each other, all of them or all but the last."""
    rng = np.random.default_rng(33)
    for low in 0, -500, 2**62:
        for shape in (1,), (0,), (7, 0), (3, 50_000), (200_000,):
            for width in 1000, 2**32 - 1, 2**32, 2**33:
                a = rng.integers(low, low + width, shape, endpoint=True).astype(dtype)
                a.reshape(-1)[:2] = np.array([low, low + width]).astype(dtype)[:a.size]
                same(kernels.argsort(a), np.argsort(a, axis=-1, kind="stable"))
                a.reshape(-1)[-1:] = 2**61
                same(kernels.argsort(a), np.argsort(a, axis=-1, kind="stable"))


@pytest.mark.parametrize("dtype", FEW)
def test_unique(dtype):
    rng = np.random.default_rng(29)
    for a in (numbers(rng, dtype, n) for n in (0, 1, 5000, (3, 40), 70_001)):
        for equal_nan in True, False:
            got = kernels.unique(a, True, True, True, equal_nan=equal_nan)
            for x, y in zip(got, np.unique(a, True, True, True, equal_nan=equal_nan), strict=True):
                same(abs(x) if dtype[0] == "f" else x, abs(y) if dtype[0] == "f" else y)
            x, y = (f(a, equal_nan=equal_nan) for f in (kernels.unique, np.unique))
            assert np.array_equal(x, y, equal_nan=dtype[0] == "f")  # which of -0 and 0 stands for both is open


@pytest.mark.parametrize("dtype", FEW)
def test_unique_slices(dtype):
    rng = np.random.default_rng(31)
    shapes = [((7, 3), 0), ((7, 3), -1), ((3, 4, 5), 1), ((5, 0), 0), ((0, 5), 0), ((0, 5), 1), ((0, 0), 0), ((9,), 0),
              ((2000, 1), 0), ((500, 40), 0), ((4, 300), 1), ((100_000, 2), 0)]
    for shape, axis in shapes:
        for most in 2, 3, 120:
            a = rng.integers(0, most, shape).astype(dtype)
            if dtype[0] == "f" and most == 3:
                a[a == 1] = -0.0
                a[rng.random(shape) < 0.1] = np.nan
            # NumPy does not sort rows of float16 with NaN
            want = np.unique(a.astype(np.float32) if dtype == "f2" else a, True, True, True, axis=axis)
            for x, y in zip(kernels.unique(a, True, True, True, axis=axis), want, strict=True):
                assert x.shape == y.shape and np.array_equal(x, y, equal_nan=x.dtype.kind == "f"), (shape, axis, most)
            assert np.array_equal(kernels.unique(a, axis=axis), want[0], equal_nan=dtype[0] == "f")


def test_unique_slices_by_their_last_columns():
    """Rows that differ only behind columns that are equal in all rows, and equal rows with NaN."""
    a = np.zeros((3000, 33), np.float32)
    a[:, 32] = np.arange(3000)[::-1] % 1000
    for x, y in zip(kernels.unique(a, True, True, True, axis=0), np.unique(a, True, True, True, axis=0), strict=True):
        assert np.array_equal(x, y)
    assert len(kernels.unique([[1.0, np.nan]] * 3, axis=0)) == 3


def test_histogram():
    rng = np.random.default_rng(30)
    a, w = rng.normal(size=5000), rng.random(5000)
    edges = np.array([-2, -1, -1, 0.5, 0.5, 3])
    a[:50] = rng.choice(edges, 50)
    a[50] = np.nan
    for x in (a, a.astype("f4"), (a[51:] * 10).astype("i4"), a[:0]):
        for bins, range_ in [(edges, None), (7, (-1, 2)), (10, (0, 1)), ([1.0], None)]:
            for weights in None, w[:x.size]:
                for density in False, len(np.atleast_1d(bins)) == 1 and x.size > 0 and bins != [1.0]:
                    got, expected = (f(x, bins, range_, weights=weights, density=density) for f in (kernels.histogram, np.histogram))
                    assert got[0].dtype == expected[0].dtype
                    np.testing.assert_allclose(got[0], expected[0], rtol=1e-12)
                    same(got[1], expected[1])
    with pytest.raises(ValueError, match="not finite"):
        kernels.histogram(a)


@pytest.mark.parametrize("dtype", ["u1", "i8", "f2", "f4", "f8"])
def test_histogram_of_all_types(dtype):
    """Edges that are elements too, infinities, -0 and parts of the values on several threads."""
    rng = np.random.default_rng(36)
    for n, bins in (0, 3), (1, 1), (9, 2), (50_000, 7), (50_000, 3000):
        values = numbers(rng, dtype, n)
        edges = np.unique(numbers(rng, dtype, bins + 1))
        edges = edges[~np.isnan(edges)] if dtype[0] == "f" else edges
        values[np.isnan(values)] = 0
        if n:
            values[:n // 3] = rng.choice(edges, n // 3)
        same(kernels.histogram(values, edges)[0], np.histogram(values, edges)[0])


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
def test_histogram_of_edges_that_crowd(dtype):
    """Edges that are evenly spaced, so that values near them take one comparison, and ones that crowd: 2, 4, 5 and 100 of them."""
    rng = np.random.default_rng(38)
    a = (rng.normal(size=30_000) * 1000).astype(dtype)
    for edges in (np.linspace(-3000, 3000, 61), np.linspace(-2000, 2500, 1001), np.arange(2.0) * 500, [0, 1, 2000], [0, 1, 2, 3, 2000],
                  [-2000, 0, 1, 2, 3, 4, 2000], [-1e6, *range(100), 1e6], [7, 7], [-5, 9, 9, 9, 9], [9, 9, 9, 9, 9]):
        edges = np.asarray(edges).astype(dtype)
        v = np.concatenate([a, edges, np.nextafter(edges, 1e9).astype(dtype), np.nextafter(edges, -1e9).astype(dtype)])
        same(kernels.histogram(v, edges)[0], np.histogram(v, edges)[0])


def suppression(centre, inputs):
    floats = TensorProto.FLOAT
    names = ["boxes", "scores", "limit", "share", "least"][:inputs]
    node = helper.make_node("NonMaxSuppression", names, ["y"], center_point_box=centre)
    types = [floats, floats, TensorProto.INT64, floats, floats]
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info(n, t, None) for n, t in zip(names, types)],
                              [helper.make_tensor_value_info("y", TensorProto.INT64, None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)], ir_version=8)
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


@pytest.mark.parametrize("centre", [0, 1])
def test_nms(centre):
    rng = np.random.default_rng(31)
    corner, size = rng.uniform(0, 100, (2, 200, 2)), rng.uniform(5, 50, (2, 200, 2))
    boxes = np.concatenate([corner, size if centre else corner + size], 2).astype("f4")
    scores = rng.integers(0, 20, (2, 3, 200)).astype("f4")
    for limit, share, least in [(None, 0.5, None), (7, 0.3, 4.0), (0, 0.3, None), (1000, 0.0, 3.0)]:
        feeds = {"boxes": boxes, "scores": scores, "limit": np.array([200 if limit is None else limit]),
                 "share": np.array([share], "f4"), "least": np.array([least], "f4")}
        inputs = 4 if least is None else 5
        expected, = suppression(centre, inputs).run(None, dict(list(feeds.items())[:inputs]))
        same(kernels.nms(boxes, scores, limit, share, least, centre), expected)


def test_kernels_from_text():
    """As a program of its own calls them: out of range, unsorted, wrong offsets."""
    def session(kernel, takes, gives):
        arguments = ", ".join(f"%a{i}" for i in range(len(takes)))
        parameters = ", ".join(f"%a{i}: {t}" for i, t in enumerate(takes))
        kind = f"({', '.join(takes)}) -> {gives}"
        return InferenceSession(f"""func.func private @noria.{kernel}{kind}
func.func @main({parameters}) -> {gives} {{
  %r = func.call @noria.{kernel}({arguments}) : {kind}
  return %r : {gives}
}}
""".encode())

    merge = session("merge.i16.descending.checked", ["tensor<?xi16>"] * 2, "tensor<?xi16>")
    a, b = np.array([5, 3], "i2"), np.array([4], "i2")
    assert merge.run(None, {"a0": a, "a1": b})[0].tolist() == [5, 4, 3]
    with pytest.raises(Error, match="merge: a is not sorted: element 1 is before the one ahead of it"):
        merge.run(None, {"a0": a[::-1].copy(), "a1": b})
    lists = ["tensor<?xi16>", "tensor<?xi64>"] * 2
    ragged = session("ragged_searchsorted.i16", [*lists, "i1"], "tensor<?xi64>")
    feeds = {"a0": a[::-1].copy(), "a1": np.array([0, 2]), "a2": b, "a3": np.array([0, 1]), "a4": np.array(False)}
    assert ragged.run(None, feeds)[0].tolist() == [1]
    for name, offsets in ("a1", [0, 3]), ("a1", [1, 0]), ("a3", [-1, 1]), ("a3", [0, 1, 1]), ("a1", []):
        with pytest.raises(Error, match="ragged_searchsorted: "):
            ragged.run(None, feeds | {name: np.array(offsets, "i8")})
