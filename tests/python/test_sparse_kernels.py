"""The kernels of lib/csr_*.mlir as Python calls them, against SciPy and NumPy."""
import platform
import subprocess
import sys

import numpy as np
import pytest

from noria import InferenceSession, compile_to_file, kernels, sparse

sp = pytest.importorskip("scipy.sparse")

DTYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]


def values(rng, dtype, n):
    """Random elements: of few values, so that sums cancel out and products wrap around, and zeros; of floats also NaN,
    infinities and -0."""
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        few = rng.integers(-2 if dtype.kind == "i" else 0, 3, n)
        return np.where(rng.random(n) < 0.7, few, rng.integers(info.min, info.max, n, dtype, True)).astype(dtype)
    special = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], n)
    few = rng.integers(-2, 3, n)
    return np.where(rng.random(n) < 0.05, special, np.where(rng.random(n) < 0.3, few, rng.normal(size=n))).astype(dtype)


def matrix(rng, m, n, per_row, dtype="f8", index="i4", canonical=True, plain=False):
    """A CSR array of rows with 0 to 2 * per_row elements; some are empty, some full. Not canonical: columns stand in any
    order and several times."""
    counts = rng.integers(0, 2 * per_row + 1, m)
    counts[rng.random(m) < 0.2] = 0
    counts[rng.random(m) < 0.1] = n
    counts = np.minimum(counts, n) if n else np.zeros(m, int)
    rows = [np.sort(rng.choice(n, c, replace=False)) if canonical else rng.integers(0, n, c) for c in counts]
    indices = np.concatenate([np.zeros(0, int), *rows])
    indptr = np.concatenate([[0], np.cumsum(counts)])
    data = rng.normal(size=indices.size).astype(dtype) if plain else values(rng, dtype, indices.size)
    a = sp.csr_array((m, n), dtype=dtype)
    a.indptr, a.indices, a.data = indptr.astype(index), indices.astype(index), data
    return a


def pairs(rng, dtype="f8", index="i4", canonical=True):
    """Two matrices of one shape, of many shapes and kinds."""
    for m, n, k in [(0, 0, 1), (0, 5, 1), (5, 0, 1), (1, 1, 1), (1, 40, 9), (40, 1, 1), (7, 9, 2), (33, 70, 17),
                    (90, 300, 5), (300, 90, 20), (4, 2000, 300)]:
        a, b = (matrix(rng, m, n, k, dtype, index, canonical) for _ in range(2))
        yield a, b
        yield a, a
        yield a, sp.csr_array((m, n), dtype=dtype)
        yield sp.csr_array((m, n), dtype=dtype), b
        minus = a.copy()
        minus.data = -minus.data  # every sum of numbers is zero
        yield a, minus


def same(got, expected, exact=True):
    """The same elements at the same places, with equal bits apart from those of NaN."""
    assert type(got) is sp.csr_array and got.shape == expected.shape and got.dtype == expected.dtype
    got.check_format(full_check=True)
    got, expected = got.copy(), expected.copy()
    got.sort_indices()
    expected.sort_indices()
    assert np.array_equal(got.indptr, expected.indptr) and np.array_equal(got.indices, expected.indices)
    if exact:
        assert np.array_equal(got.data, expected.data, equal_nan=got.dtype.kind == "f")
    else:
        assert np.allclose(got.data, expected.data, equal_nan=True, rtol=1e-4 if got.dtype == "f4" else 1e-10)


OPS = {"add": lambda a, b: a + b, "multiply": lambda a, b: sp.csr_array(a.multiply(b))}


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_merge(op, dtype):
    rng = np.random.default_rng(3)
    for a, b in pairs(rng, dtype):
        c = getattr(sparse, op)(a, b)
        same(c, OPS[op](a, b))
        assert c.has_canonical_format and c.indices.dtype == np.int32
        assert np.all(np.diff(c.indices)[np.setdiff1d(np.arange(1, c.nnz), c.indptr) - 1] > 0)


def rows_of(lists, n, dtype, index):
    """A CSR array with elements at the given columns of each row, none of them zero."""
    columns = [np.sort(np.asarray(c, int)) for c in lists]
    a = sp.csr_array((len(columns), n), dtype=dtype)
    a.indptr = np.cumsum([0, *map(len, columns)]).astype(index)
    a.indices = np.concatenate(columns).astype(index)
    a.data = (1 + np.arange(a.indices.size) % 100).astype(dtype)
    return a


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("index", ["i4", "i8"])
def test_merge_by_lengths(op, dtype, index):
    """Rows of lengths around those of vectors and of very different lengths, with all, some, one and no column in
    common; the one before, behind and between the columns of the other."""
    rng, n = np.random.default_rng(11), 5000
    first, second = [], []
    for k, l in [(1, 1), (1, 17), (15, 16), (16, 16), (17, 15), (31, 33), (48, 1), (2, 900), (900, 3), (200, 300)]:
        mixed = rng.permutation(n)[:k + l]
        x, y = mixed[:k], mixed[k:]
        low, high = np.arange(k), n - 1 - np.arange(l)
        for f, s in [(x, y), (low, high), (high, low), (2 * low, 2 * np.arange(l) + 1), (x, x), (low, np.arange(l)),
                     (x, np.append(y[1:], x[0])), (x, np.append(y[1:], x[-1])), (x, []), ([], y)]:
            first.append(f)
            second.append(s)
    for order in (slice(None), slice(None, None, 7)):
        a, b = rows_of(first[order], n, dtype, index), rows_of(second[order], n, dtype, index)
        for f, s in [(a, b), (b, a)]:
            same(getattr(sparse, op)(f, s), OPS[op](f, s))
    for k in range(0, len(first), 9):  # a result that has all elements of both, or none in common
        a, b = rows_of(first[k:k + 1], n, dtype, index), rows_of(second[k:k + 1], n, dtype, index)
        same(getattr(sparse, op)(a, b), OPS[op](a, b))


@pytest.mark.skipif(platform.machine() != "x86_64", reason="code for x86-64")
@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("cpu", ["x86-64", "x86-64-v3"])
def test_merge_on_narrow_vectors(op, cpu, tmp_path):
    rows, data = "tensor<?xi32>", "tensor<?xf64>"
    matrix_type = f"{rows}, {rows}, {data}"
    declared = f"@noria.csr_{op}.f64.i32({matrix_type}, {matrix_type}, index) -> ({matrix_type})"
    text = f"""func.func private {declared}
func.func @main(%ap: {rows}, %ai: {rows}, %ad: {data}, %bp: {rows}, %bi: {rows}, %bd: {data}, %n: index)
    -> ({matrix_type}) {{
  %c:3 = func.call @noria.csr_{op}.f64.i32(%ap, %ai, %ad, %bp, %bi, %bd, %n)
      : ({matrix_type}, {matrix_type}, index) -> ({matrix_type})
  return %c#0, %c#1, %c#2 : {matrix_type}
}}"""
    (tmp_path / "merge.mlir").write_text(text)
    compile_to_file(tmp_path / "merge.mlir", tmp_path / "merge.so", cpu=cpu)
    session = InferenceSession(str(tmp_path / "merge.so"))
    names = [i.name for i in session.get_inputs()]
    for a, b in pairs(np.random.default_rng(13)):
        arrays = [x.astype(t) for m in (a, b) for x, t in [(m.indptr, "i4"), (m.indices, "i4"), (m.data, "f8")]]
        indptr, indices, values_ = session.run(None, dict(zip(names, [*arrays, np.array(a.shape[1])])))
        c = sp.csr_array(a.shape)
        c.indptr, c.indices, c.data = indptr, indices, values_
        same(c, OPS[op](a, b))


@pytest.mark.parametrize("op", OPS)
def test_merge_of_special_elements_alone(op):
    for x, y in [(np.inf, -np.inf), (np.nan, np.inf), (0.0, np.inf), (-0.0, np.nan)]:
        a, b = rows_of([[0], [2], [0, 1]], 4, "f8", "i4"), rows_of([[3], [], [2, 3]], 4, "f8", "i4")
        a.data[[0, 1, 3]], b.data[[0, 2]] = x, y
        same(getattr(sparse, op)(a, b), OPS[op](a, b))
        same(getattr(sparse, op)(b, a), OPS[op](b, a))


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("index", ["i4", "i8"])
def test_merge_of_unordered(op, index):
    """Integers, whose sums do not depend on the order, must be equal; floats are close."""
    rng = np.random.default_rng(4)
    for a, b in pairs(rng, "i4", index, canonical=False):
        before = a.indices.copy()
        c = getattr(sparse, op)(a, b)
        same(c, OPS[op](a, b))
        assert c.indices.dtype == index and c.indptr.dtype == index
        assert np.array_equal(a.indices, before)
    a, b = (matrix(rng, 50, 80, 9, "f8", index, canonical=False, plain=True) for _ in range(2))
    same(getattr(sparse, op)(a, b), OPS[op](a, b), exact=False)
    ordered = matrix(rng, 50, 80, 9, "f8", index, plain=True)
    same(getattr(sparse, op)(ordered, b), OPS[op](ordered, b), exact=False)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("index", ["i4", "i8"])
def test_products_with_dense(dtype, index):
    """Also of columns in any order: the products are added in the order of the elements."""
    rng = np.random.default_rng(5)
    for canonical in (True, False):
        for a, b in pairs(rng, dtype, index, canonical):
            x = values(rng, dtype, a.shape[1])
            y = sparse.spmv(a, x)
            assert y.dtype == dtype and np.array_equal(y, a @ x, equal_nan=a.dtype.kind == "f")
            for width in (0, 1, 3, 17):
                x = values(rng, dtype, a.shape[1] * width).reshape(a.shape[1], width)
                y = sparse.spmm(a, x)
                assert y.dtype == dtype and np.array_equal(y, a @ x, equal_nan=a.dtype.kind == "f")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("index", ["i4", "i8"])
def test_spmv_of_ragged_rows(dtype, index):
    """Rows of different lengths are summed eight at a time, through a buffer; some are too long for it."""
    rng = np.random.default_rng(13)
    for m in (1, 7, 8, 31, 32, 33, 64, 500, 3000):
        for longest in (1, 9, 40, 100):
            lengths = rng.integers(0, longest + 1, m)
            if longest == 9:
                lengths[rng.integers(0, m, m // 200)] = 2000
            indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(index)
            columns = rng.integers(0, 50, indptr[-1]).astype(index)
            a = sp.csr_array((values(rng, dtype, indptr[-1]), columns, indptr), shape=(m, 50))
            x = values(rng, dtype, 50)
            assert np.array_equal(sparse.spmv(a, x), a @ x, equal_nan=a.dtype.kind == "f")
            if indptr[-1]:
                place = int(rng.integers(0, indptr[-1]))
                a.indices[place] = rng.choice([-1, 50, 2**31 - 1])
                message = rf"^A.indices\[{place}\] is {a.indices[place]}, but the matrix has 50 columns$"
                with pytest.raises(ValueError, match=message):
                    sparse.spmv(a, x)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("index", ["i4", "i8"])
def test_spgemm(dtype, index):
    rng = np.random.default_rng(6)
    for canonical in (True, False):
        for m, k, n, per_row in [(0, 0, 0, 1), (0, 3, 4, 1), (3, 0, 4, 1), (3, 4, 0, 1), (1, 1, 1, 1), (20, 30, 10, 3),
                                 (100, 40, 300, 7), (9, 300, 9, 40)]:
            a, b = matrix(rng, m, k, per_row, dtype, index, canonical), matrix(rng, k, n, per_row, dtype, index, canonical)
            c = sparse.spgemm(a, b)
            same(c, a @ b)
            assert c.indices.dtype == index
            c = sparse.spgemm(a, b, sort=True)
            assert c.has_sorted_indices
            same(c, a @ b)


@pytest.mark.parametrize("index", ["i4", "i8"])
def test_spgemm_reads_no_columns_behind_the_rows(index):
    """What stands in the lists behind the last row is no part of a matrix; rows of B are empty, the last ones too."""
    rng = np.random.default_rng(12)
    for m, n, k in [(1, 1, 1), (30, 20, 3), (200, 40, 15)]:
        a, b = matrix(rng, m, n, k, "f8", index, plain=True), matrix(rng, n, m, 1, "f8", index, plain=True)
        b.indptr[-3:] = b.indptr[-4:][0]
        expected = a @ b
        for x in (a, b):
            size = x.indptr[-1]
            x.indices = np.append(x.indices[:size], np.full(40, 2**31 - 1, index)).astype(index)
            x.data = np.append(x.data[:size], np.full(40, np.nan))
        same(sparse.spgemm(a, b), expected)


def test_spgemm_without_zeros():
    a = sp.csr_array(np.array([[1.0, -1.0], [2.0, 0.0]]))
    b = sp.csr_array(np.array([[1.0, 3.0], [1.0, 1.0]]))
    c = sparse.spgemm(a, b, sort=True)
    assert c.indptr.tolist() == [0, 1, 3] and c.indices.tolist() == [1, 0, 1] and c.data.tolist() == [2.0, 2.0, 6.0]


def test_large():
    """Large enough for threads and for several blocks, with numbers only."""
    rng = np.random.default_rng(7)
    a, b = (sp.random_array((30000, 2000), density=0.005, format="csr", rng=rng) for _ in range(2))
    x = rng.normal(size=2000)
    assert np.array_equal(sparse.spmv(a, x), a @ x)
    x = rng.normal(size=(2000, 5))
    assert np.array_equal(sparse.spmm(a, x), a @ x)
    for op in OPS:
        same(getattr(sparse, op)(a, b), OPS[op](a, b))
    same(sparse.spgemm(a, a[:2000]), a @ a[:2000])


def test_threads():
    """The rows of a thread begin where those of the one before it end, also where the last ones have columns in common."""
    rng = np.random.default_rng(11)
    a, b = (sp.random_array((20000, 300), density=0.04, format="csr", rng=rng) for _ in range(2))
    for threads in (1, 2, 3):
        sparse.set_num_threads(threads)
        for _ in range(5):
            for op in OPS:
                same(getattr(sparse, op)(a, b), OPS[op](a, b))
    sparse.set_num_threads(0)


def test_one_long_row():
    rng = np.random.default_rng(8)
    a, b = (sp.random_array((3, 200000), density=0.3, format="csr", rng=rng) for _ in range(2))
    x = rng.normal(size=200000)
    assert np.array_equal(sparse.spmv(a, x), a @ x)
    for op in OPS:
        same(getattr(sparse, op)(a, b), OPS[op](a, b))


def test_types_are_promoted():
    a = sp.csr_array(np.array([[1, 0], [2, 3]], np.int32))
    b = sp.csr_matrix(np.array([[0.5, 0], [0, 1]], np.float32))
    same(sparse.add(a, b), a + b)
    same(sparse.spgemm(b, a), sp.csr_array(b @ a))
    assert sparse.spmv(a, [1.5, 2]).dtype == np.float64
    wide = b.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    assert sparse.add(b, wide).indices.dtype == np.int64
    swapped = sp.csr_array((a.data.astype(">f8"), a.indices, a.indptr), shape=a.shape)
    assert sparse.spmv(swapped, np.ones(2, ">f8")).tolist() == [1.0, 5.0]


def test_many_columns():
    """No memory for columns that have no elements."""
    n = 2**40
    a = sp.csr_array((np.array([1.0, 2.0, 3.0]), np.array([5, n - 1, 7]), np.array([0, 2, 2, 3])), shape=(3, n))
    b = sp.csr_array((np.array([4.0, -2.0]), np.array([6, n - 1]), np.array([0, 2, 2, 2])), shape=(3, n))
    same(sparse.add(a, b), a + b)
    same(sparse.multiply(a, b), a.multiply(b))
    left = sp.csr_array(np.array([[1.0, 0, 2.0], [1.0, 1.0, 1.0]]))
    c = sparse.spgemm(left, a, sort=True)
    assert c.shape == (2, n) and c.indices.tolist() == [5, 7, n - 1, 5, 7, n - 1]
    assert c.data.tolist() == [1.0, 6.0, 2.0, 1.0, 3.0, 2.0]
    a.indices[2] = n
    with pytest.raises(ValueError, match=rf"^B\.indices\[2\] is {n}, but the matrix has {n} columns$"):
        sparse.spgemm(left, a)


def test_vectors_that_only_seem_to_exist():
    """2^40 columns, and a vector that is one number in memory."""
    n = 1 << 40
    a = sp.csr_array((np.ones(1), np.array([n - 1]), np.array([0, 1])), shape=(1, n))
    for call in (lambda: sparse.spmv(a, np.broadcast_to(1.0, n)), lambda: sparse.spmm(a, np.broadcast_to(1.0, (n, 2)))):
        with pytest.raises(MemoryError, match="1099511627776,.* and float64 takes"):
            call()


def broken(field, place, value):
    a = sp.csr_array(np.array([[1.0, 2.0, 0], [0, 3.0, 0], [4.0, 0, 5.0]]))
    getattr(a, field)[place] = value
    return a


GOOD = sp.csr_array(np.eye(3))
CALLS = {
    "A": [lambda a: sparse.spmv(a, np.ones(3)), lambda a: sparse.spmm(a, np.ones((3, 2))), lambda a: sparse.add(a, GOOD),
          lambda a: sparse.multiply(a, GOOD), lambda a: sparse.spgemm(a, GOOD)],
    "B": [lambda b: sparse.add(GOOD, b), lambda b: sparse.multiply(GOOD, b), lambda b: sparse.spgemm(GOOD, b)],
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("field,place,value,message", [
    ("indices", 3, 3, r"indices\[3\] is 3, but the matrix has 3 columns"),
    ("indices", 1, -1, r"indices\[1\] is -1, but the matrix has 3 columns"),
    ("indices", 4, 2**31 - 1, r"indices\[4\] is 2147483647, but the matrix has 3 columns"),
    ("indices", 0, -2**31, r"indices\[0\] is -2147483648, but the matrix has 3 columns"),
    ("indptr", 0, 1, r"indptr\[0\] is 1, not 0"),
    ("indptr", 0, -1, r"indptr\[0\] is -1, not 0"),
    ("indptr", 1, 4, r"indptr\[2\] is 3, less than the element before it"),
    ("indptr", 3, 2, r"indptr\[3\] is 2, less than the element before it"),
    ("indptr", 3, 6, r"indptr ends with 6, but indices has 5 elements"),
    ("indptr", 3, 2**31 - 1, r"indptr ends with 2147483647, but indices has 5 elements"),
])
def test_broken_arrays(name, field, place, value, message):
    for call in CALLS[name]:
        with pytest.raises(ValueError, match=rf"^{name}\.{message}$"):
            call(broken(field, place, value))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("index", ["i4", "i8"])
def test_broken_columns_of_sums(threads, index):
    """Columns that are out of range, or not greater than the one before them, in rows of lengths around those of vectors:
    inside of a step of the merge and between two."""
    n, lengths = 200, [1, 15, 16, 17, 33, 0, 40]
    rng = np.random.default_rng(14)
    a, b = (rows_of([rng.choice(n, lengths[i % 7], False) for i in range(1000)], n, "f8", index) for _ in range(2))
    sparse.set_num_threads(threads)
    for place in [0, 1, 16, 31, 32, 48, 80, 100, 121, 122, 8000, a.nnz - 1]:
        row = np.searchsorted(a.indptr, place, "right") - 1
        first = place == a.indptr[row]
        wrong = [(n, "but the matrix has 200 columns"), (-1, "but the matrix has 200 columns")]
        if not first:
            wrong.append((a.indices[place - 1], f"not greater than the column before it in row {row}"))
        before = a.indices[place]
        for column, message in wrong:
            a.indices[place] = column
            for name, x, y in [("A", a, b), ("B", b, a)]:
                with pytest.raises(ValueError, match=rf"^{name}\.indices\[{place}\] is {column}, {message}$"):
                    sparse._call("csr_add", a.dtype, a.indices.dtype, "AB", [*sparse._parts(x), *sparse._parts(y), n])
            a.indices[place] = before
    sparse.set_num_threads(0)
    same(sparse.add(a, b), a + b)


def test_columns_in_no_order_with_one_place():
    """The places of two columns that are in no order are equal where one of the other matrix is between them."""
    rest = [np.arange(30, 70)] * 4
    for first, second, wrong in [([7, 3], [5], 1), ([1, 9, 2], [4, 5], 2), ([3, 3], [1], 1), ([8, 6, 7], [], 1)]:
        a, b = rows_of([first, *rest], 80, "f8", "i4"), rows_of([second, *rest], 80, "f8", "i4")
        a.indices[:len(first)] = first
        for name, x, y in [("A", a, b), ("B", b, a)]:
            with pytest.raises(ValueError, match=rf"^{name}\.indices\[{wrong}\] is {first[wrong]}, not greater"):
                sparse._call("csr_add", a.dtype, a.indices.dtype, "AB", [*sparse._parts(x), *sparse._parts(y), 80])


def test_broken_and_unordered():
    """A column that is out of range is found where the matrix has to be sorted first, too."""
    rng = np.random.default_rng(9)
    a = matrix(rng, 3000, 50, 5, canonical=False)
    a.indices[-1] = 50
    with pytest.raises(ValueError, match=rf"^A\.indices\[{a.indices.size - 1}\] is 50, but the matrix has 50 columns$"):
        sparse.add(a, matrix(rng, 3000, 50, 5))


def test_lists_of_different_lengths():
    a = GOOD.copy()
    a.data = a.data[:2]
    with pytest.raises(ValueError, match="^A.indices has 3 elements, but data has 2$"):
        sparse.spmv(a, np.ones(3))
    a = GOOD.copy()
    a.indptr = a.indptr[:2]
    with pytest.raises(ValueError, match="^A.indptr has 2 elements, but A has 3 rows$"):
        sparse.add(a, GOOD)
    longer = GOOD.copy()  # SciPy ignores what is behind the last row
    longer.data, longer.indices = np.append(longer.data, 9.0), np.append(longer.indices, 77).astype(np.int32)
    assert sparse.spmv(longer, np.arange(3.0)).tolist() == [0.0, 1.0, 2.0]
    same(sparse.add(longer, GOOD), GOOD + GOOD)


@pytest.mark.parametrize("error,message,call", [
    (TypeError, "A must be a csr_array or csr_matrix", lambda: sparse.spmv(np.eye(3), np.ones(3))),
    (TypeError, "B must be a csr_array or csr_matrix", lambda: sparse.add(GOOD, GOOD.tocsc())),
    (TypeError, "no kernel for elements of complex128", lambda: sparse.spmv(GOOD.astype(complex), np.ones(3))),
    (TypeError, "no kernel for elements of bool", lambda: sparse.spgemm(GOOD.astype(bool), GOOD.astype(bool))),
    (ValueError, "x must have 1 dim, but its shape is", lambda: sparse.spmv(GOOD, np.ones((3, 1)))),
    (ValueError, "x has 4 elements, but A has 3 columns", lambda: sparse.spmv(GOOD, np.ones(4))),
    (ValueError, "X has 4 rows, but A has 3 columns", lambda: sparse.spmm(GOOD, np.ones((4, 2)))),
    (ValueError, r"A has the shape \(3, 3\), but B has \(3, 4\)", lambda: sparse.add(GOOD, sp.csr_array((3, 4)))),
    (ValueError, "B has 4 rows, but A has 3 columns", lambda: sparse.spgemm(GOOD, sp.csr_array((4, 3)))),
])
def test_wrong_arguments(error, message, call):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("dtype", ["i4", "u8", "f4", "f8"])
def test_sddmm(dtype):
    rng = np.random.default_rng(12)
    for m, k, n in [(0, 0, 0), (3, 0, 4), (0, 3, 4), (1, 1, 1), (20, 7, 30), (50, 33, 9)]:
        for canonical in (True, False):
            s = matrix(rng, m, n, 4, dtype, canonical=canonical, plain=True)
            c, d = (rng.integers(0, 9, shape).astype(dtype) for shape in ((m, k), (k, n)))
            got = sparse.sddmm(s, c, d)
            rows = np.repeat(np.arange(m), np.diff(s.indptr))
            expected = s.data * np.einsum("pk,kp->p", c[rows], d[:, s.indices]).astype(dtype)
            assert got.dtype == dtype and np.array_equal(got.indices, s.indices) and np.array_equal(got.indptr, s.indptr)
            assert np.allclose(got.data, expected, rtol=1e-5)
    with pytest.raises(ValueError, match=r"S has the shape \(3, 3\), but C has \(3, 2\) and D has \(2, 4\)"):
        sparse.sddmm(GOOD, np.ones((3, 2)), np.ones((2, 4)))
    with pytest.raises(ValueError, match=r"^S\.indices\[3\] is 3, but the matrix has 3 columns$"):
        sparse.sddmm(broken("indices", 3, 3), np.ones((3, 2)), np.ones((2, 3)))


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
def test_mttkrp(dtype):
    rng = np.random.default_rng(13)
    for shape in [(0, 0, 0), (3, 4, 5), (1, 1, 1), (20, 30, 10), (7, 0, 3), (200, 5, 60)]:
        for width in (0, 1, 5, 16):
            dense = (rng.integers(-3, 4, shape) * (rng.random(shape) < 0.3)).astype(dtype)
            c, d = (rng.integers(-3, 4, (n, width)).astype(dtype) for n in shape[1:])
            b = sparse.csf(np.nonzero(dense), dense[np.nonzero(dense)], shape)
            got = sparse.mttkrp(b, c, d)
            assert got.dtype == dtype and np.allclose(got, np.einsum("ikl,kj,lj->ij", dense, c, d))
    twice = sparse.csf([[1, 1, 0], [2, 2, 0], [0, 0, 1]], [1.0, 2.0, 5.0], (2, 3, 2))
    assert twice.values.tolist() == [5.0, 3.0] and twice.pos2.tolist() == [0, 1, 2]


@pytest.mark.parametrize("field,place,value,message", [
    ("crd0", 1, 0, "B: index 1 of dim 0 is 0, not greater than the index before it"),
    ("crd0", 1, 4, "B: index 1 of dim 0 is 4, but its size is 4"),
    ("crd1", 0, 5, r"B\.crd1\[0\] is 5, but dim 1 has 5 indices"),
    ("crd2", 2, -1, r"B\.crd2\[2\] is -1, but dim 2 has 6 indices"),
    ("pos1", 1, -1, r"B\.pos1\[1\] is -1, less than the element before it"),
    ("pos2", 3, 9, r"B\.pos2 ends with 9, but crd2 has 3 elements"),
])
def test_broken_csf(field, place, value, message):
    b = sparse.csf([[0, 0, 3], [1, 4, 2], [5, 0, 3]], np.ones(3), (4, 5, 6))
    getattr(b, field)[place] = value
    with pytest.raises(ValueError, match=f"^{message}$"):
        sparse.mttkrp(b, np.ones((5, 2)), np.ones((6, 2)))


def test_arrays_go_in_without_copies():
    """The native half copies what is not contiguous only; what the front makes of an argument is the array itself."""
    feeds = []
    run = InferenceSession.run
    try:
        InferenceSession.run = lambda self, names, feed: feeds.append(feed) or run(self, names, feed)
        a, x = matrix(np.random.default_rng(1), 20, 20, 3, plain=True), np.ones(20)
        sparse.spmv(a, x)
    finally:
        InferenceSession.run = run
    for array, fed in zip([a.indptr, a.indices, a.data, x], feeds[0].values()):
        assert np.shares_memory(array, fed)


def test_names():
    for name in ("spmv", "spmm", "add", "multiply", "spgemm", "sddmm"):
        assert getattr(kernels, name) is getattr(sparse, name)


def test_scipy_is_optional():
    code = "import sys; sys.modules['scipy'] = None; import noria; from noria import kernels; print(kernels.argsort([2, 1]))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[1 0]\n"
