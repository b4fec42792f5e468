"""The kernels of lib/ as Python calls them, against NumPy."""
import threading

import numpy as np
import pytest

from noria import Error, InferenceSession, kernels

DTYPES = ["bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]


def numbers(rng, dtype, shape):
    """Random elements with many equal ones and, of floats, NaN, infinities and both zeros."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        info, few = np.iinfo(dtype), rng.integers(0, 9, shape)
        return np.where(rng.random(shape) < 0.5, few, rng.integers(info.min, info.max, shape, dtype, True)).astype(dtype)
    special = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0], shape)
    return np.where(rng.random(shape) < 0.3, special, rng.normal(size=shape) * 10).astype(dtype)


def lists(rng, dtype):
    """Lists of all kinds: empty, of one element, all equal, around the powers of 2 that the search halves, long."""
    for n in [0, 1, 2, 3, 4, 5, 15, 16, 17, 31, 32, 33, 255, 256, 257, *rng.integers(1, 5000, 6)]:
        yield numbers(rng, dtype, n)
    yield np.full(37, numbers(rng, dtype, 1)[0])


def same(got, expected):
    """Equal bits apart from those of NaN, so -0 is not 0."""
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.dtype == expected.dtype and got.shape == expected.shape
    assert np.array_equal(got, expected, equal_nan=got.dtype.kind == "f")
    if got.dtype.kind == "f":
        assert np.array_equal(np.signbit(got) & ~np.isnan(got), np.signbit(expected) & ~np.isnan(expected))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted(dtype, side):
    rng = np.random.default_rng(11)
    for values in lists(rng, dtype):
        a = np.sort(values)
        for v in (numbers(rng, dtype, rng.integers(0, 70)), a, a[::-1], numbers(rng, dtype, (3, 0)), numbers(rng, dtype, (2, 3, 5))):
            same(kernels.searchsorted(a, v, side), np.searchsorted(a, v, side))


def test_searchsorted_with_nan_and_zeros():
    """What the specification traces by hand."""
    nan = np.nan
    for a, v, left, right in [([1, 2, nan], nan, 2, 3), ([1, 2, nan, nan], 1.5, 1, 1), ([0.0], -0.0, 0, 1), ([], 1.0, 0, 0),
                              ([-np.inf, np.inf], np.inf, 1, 2), ([nan] * 4, nan, 0, 4), ([nan] * 4, np.inf, 0, 0)]:
        assert kernels.searchsorted(a, v) == left == np.searchsorted(a, v)
        assert kernels.searchsorted(a, v, side="right") == right == np.searchsorted(a, v, side="right")


@pytest.mark.parametrize("dtype", DTYPES)
def test_searchsorted_by_places(dtype):
    rng = np.random.default_rng(12)
    for a in lists(rng, dtype):
        sorter, v = np.argsort(a, kind="stable"), numbers(rng, dtype, 40)
        same(kernels.searchsorted(a, v, sorter=sorter), np.searchsorted(a, v, sorter=sorter))
        same(kernels.searchsorted(a, v, "right", sorter.astype("u2")), np.searchsorted(a, v, "right", sorter.astype("u2")))


def test_searchsorted_of_mixed_arguments():
    """Different types, numbers, lists, arrays with gaps and of the other byte order."""
    a = np.arange(100, dtype="f4") / 10
    for v in (0.1, 3, [1, 2], np.float64(0.3), np.arange(9, dtype="i8"), np.full((2, 2), 5, ">f4"), a.reshape(10, 10).T, True):
        for side in "left", "right":
            same(kernels.searchsorted(a, v, side), np.searchsorted(a, v, side))
            same(kernels.searchsorted(a[::3], v, side), np.searchsorted(a[::3], v, side))
    assert type(kernels.searchsorted(a, 1.0)) is type(np.searchsorted(a, 1.0))


def test_searchsorted_on_threads():
    """Enough values that they are shared among threads, and calls from several threads of Python at a time."""
    rng = np.random.default_rng(13)
    a, v = np.sort(rng.normal(size=70001)), rng.normal(size=(3, 100003))
    results = [None] * 4

    def work(i):
        results[i] = kernels.searchsorted(a, v, "right")

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(results))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        same(result, np.searchsorted(a, v, "right"))


def test_wrong_arguments_of_searchsorted():
    a = [1.0, 2.0]
    for arguments, kind, message in [
            ((a, 1, "middle"), ValueError, "side must be 'left' or 'right', not 'middle'"),
            (([a, a], 1), ValueError, r"a must have 1 dim, or v its leading dims, but the shapes are \(2, 2\) and \(\)"),
            ((1.0, 1), ValueError, r"a must have 1 dim, but its shape is \(\)"),
            ((a, 1j), TypeError, "no kernel for elements of complex128"),
            ((["x"], "y"), TypeError, "no kernel for elements of <U1"),
            ((a, 1, "left", [0.0, 1.0]), TypeError, "sorter must be integers, not float64"),
            ((a, 1, "left", [0]), ValueError, r"sorter must have a's shape \(2,\), not \(1,\)"),
            ((a, 1, "left", [0, 2]), ValueError, "sorter has places that are not in 0 to 1"),
            ((a, 1, "left", [0, -1]), ValueError, "sorter has places that are not in 0 to 1")]:
        with pytest.raises(kind, match=message):
            kernels.searchsorted(*arguments)


@pytest.mark.parametrize("dtype", DTYPES)
def test_sort_and_argsort(dtype):
    rng = np.random.default_rng(14)
    for a in [*lists(rng, dtype), numbers(rng, dtype, (3, 0, 2)), numbers(rng, dtype, (4, 300))]:
        for axis in (None, -1, *range(a.ndim)):
            for x in (a, np.sort(a, axis), np.sort(a, axis)[::-1]):
                same(kernels.sort(x, axis), np.sort(x, axis, kind="stable"))
                same(kernels.argsort(x, axis), np.argsort(x, axis, kind="stable"))


def test_sort_along_each_axis():
    rng = np.random.default_rng(15)
    a = numbers(rng, "f4", (5, 7, 300))
    for axis in None, 0, 1, 2, -3:
        same(kernels.sort(a.T, axis), np.sort(a.T, axis, kind="stable"))
        same(kernels.argsort(a.T, axis, stable=True), np.argsort(a.T, axis, kind="stable"))
    same(kernels.argsort(3), np.argsort(3))
    same(kernels.sort(a.astype(">f4"), kind="heapsort"), np.sort(a, kind="stable"))


@pytest.mark.parametrize("dtype", ["i4", "u1", "f2", "f8"])
def test_topk(dtype):
    rng = np.random.default_rng(16)
    for shape, axis in [((40,), 0), ((0,), 0), ((3, 600), -1), ((600, 2, 3), 0), ((2, 5, 1), 1)]:
        a = numbers(rng, dtype, shape)
        n = a.shape[axis]
        for k in {0, min(1, n), n // 2, n}:
            places = np.argsort(a, axis, kind="stable")
            values, found = kernels.topk(a, k, axis, largest=False)
            expected = np.take(places, range(k), axis)
            same(found, expected)
            same(values, np.take_along_axis(a, expected, axis))
            # Largest first, equal ones in order: the stable order of the negated ranks.
            ranks = np.unique(a, return_inverse=True)[1].reshape(shape)
            expected = np.take(np.argsort(-ranks, axis, kind="stable"), range(k), axis)
            values, found = kernels.topk(a, k, axis)
            same(found, expected)
            same(values, np.take_along_axis(a, expected, axis))


@pytest.mark.parametrize("dtype", ["u1", "f4"])
def test_topk_of_long_rows(dtype):
    """Parts of long rows are shared among threads: equal elements of several parts keep the order of their places."""
    rng = np.random.default_rng(17)
    for shape, axis, ks in [((131072,), 0, (1, 16)), ((131075,), 0, (7,)), ((2, 200000), 1, (10,)), ((200000, 2), 0, (3,)),
                            ((1 << 20,), 0, (17, 256)), ((1048593,), 0, (20,))]:
        a = numbers(rng, dtype, shape)
        for k in ks:
            for largest in (False, True):
                ranks = np.unique(a, return_inverse=True)[1].reshape(shape)
                expected = np.take(np.argsort(-ranks if largest else ranks, axis, kind="stable"), range(k), axis)
                values, found = kernels.topk(a, k, axis, largest)
                same(found, expected)
                same(values, np.take_along_axis(a, expected, axis))


def test_wrong_arguments_of_sorts():
    with pytest.raises(ValueError, match="kind must be"):
        kernels.sort([1], kind="bogo")
    with pytest.raises(ValueError, match="kind and stable"):
        kernels.argsort([1], kind="stable", stable=True)
    with pytest.raises(ValueError, match="order is for arrays with fields"):
        kernels.sort([1], order="x")
    with pytest.raises(np.exceptions.AxisError, match="axis 1 is out of bounds for array of dimension 1"):
        kernels.sort([1], 1)
    with pytest.raises(np.exceptions.AxisError):
        kernels.sort(np.array(1))
    with pytest.raises(TypeError, match="no kernel for elements of complex64"):
        kernels.argsort(np.zeros(2, np.complex64))
    with pytest.raises(ValueError, match="k is 3, but there are 2 elements along axis 1"):
        kernels.topk([[1, 2]], 3)
    with pytest.raises(ValueError, match="k is -1"):
        kernels.topk([1, 2], -1)


def program(kernel):
    return f"""func.func private @noria.{kernel}(tensor<?xf32>, tensor<?xf32>, i1) -> tensor<?xi64>
func.func @main(%a: tensor<?xf32>, %v: tensor<?xf32>, %right: i1) -> tensor<?xi64> {{
  %r = func.call @noria.{kernel}(%a, %v, %right) : (tensor<?xf32>, tensor<?xf32>, i1) -> tensor<?xi64>
  return %r : tensor<?xi64>
}}
""".encode()


def test_descending_order_from_text():
    """The kernel in the reverse order: NaN first."""
    rng = np.random.default_rng(17)
    session = InferenceSession(program("searchsorted.f32.descending"))
    a = np.sort(numbers(rng, "f4", 100))
    v = numbers(rng, "f4", 50)
    for right in False, True:
        got, = session.run(None, {"a": a[::-1].copy(), "v": v, "right": np.array(right)})
        same(got, 100 - np.searchsorted(a, v, "left" if right else "right"))


def test_unknown_kernels_are_errors():
    with pytest.raises(Error, match="the library has no kernel 'searchsort'; did you mean 'searchsorted'"):
        InferenceSession(program("searchsort.f32"))
