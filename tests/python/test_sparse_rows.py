"""Products of `noria sparse` whose rows threads make, with coordinates in order and in none: against NumPy and SciPy."""
import functools
import re

import numpy as np
import pytest
import scipy.sparse as sp

from noria import Error, InferenceSession, SessionOptions
from sparse_kernels import DTYPES, run, text_of
from test_sparse_expr import csr, random_csr

PRODUCT = "A(i,j) = B(i,k) * C(k,j)"


@functools.cache
def session_of(expr, formats, threads, dtype="f64", index="i32"):
    options = SessionOptions()
    options.intra_op_num_threads = threads
    return InferenceSession(text_of(expr, formats, dtype, index).encode(), options)


def shuffled(matrix, rng):
    """The arrays of a matrix in CSR with the columns of each row in no order."""
    order = np.concatenate([np.zeros(0, int), *(rng.permutation(np.arange(a, b)) for a, b in zip(matrix.indptr, matrix.indptr[1:]))])
    return {"pos1": matrix.indptr, "crd1": matrix.indices[order], "vals": matrix.data[order]}


def check(got, expected, is_ordered, columns):
    expected = expected.tocsr()
    expected.sort_indices()
    rows = np.repeat(np.arange(len(got["pos1"]) - 1), np.diff(got["pos1"]))
    assert np.array_equal(got["pos1"], expected.indptr)
    order = np.arange(len(rows)) if is_ordered else np.lexsort([got["crd1"], rows])
    assert np.array_equal(got["crd1"][order], expected.indices)
    np.testing.assert_allclose(got["vals"][order], expected.data, rtol=1e-12)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("formats", [("A:ds", "B:ds", "C:ds"), ("A:du", "B:ds", "C:du"), ("A:ds", "B:du", "C:du")])
def test_products(threads, formats):
    rng = np.random.default_rng(threads)
    session = session_of(PRODUCT, formats, threads)
    for rows, inner, columns, density in [(1, 1, 1, 1), (3, 5, 64, 0.5), (300, 200, 400, 0.03), (1000, 30, 5000, 0.02),
                                          (0, 3, 4, 1), (4, 0, 3, 1), (4, 3, 0, 1), (17, 40, 200, 1)]:
        B, C = random_csr(rng, rows, inner, density), random_csr(rng, inner, columns, density)
        tensors = {n: shuffled(m, rng) if f[-1] == "u" else csr(m) for n, m, f in zip("BC", (B, C), formats[1:])}
        got = run(PRODUCT, formats, tensors, dict(i=rows, k=inner, j=columns), session=session)
        check(got, B @ C, formats[0] == "A:ds", columns)


@pytest.mark.parametrize("dtype", ["i1", "i8", "f16", "f32", "i64", "complex<f64>"])
def test_types(dtype):
    rng = np.random.default_rng(2)
    dt = np.dtype(DTYPES[dtype])
    B, C = rng.integers(0, 3, (20, 30)).astype(dt), rng.integers(0, 2, (30, 150)).astype(dt)
    feeds = {n: {**csr(sp.csr_array(m.real.astype(np.int64))), "vals": m[m != 0]} for n, m in (("B", B), ("C", C))}
    feeds = {n: {k: v if k == "vals" else v.astype(np.int64) for k, v in t.items()} for n, t in feeds.items()}
    for result in ["A:ds", "A:du"]:
        formats = (result, "B:ds", "C:ds")
        got = run(PRODUCT, formats, feeds, dict(i=20, k=30, j=150), dtype, "i64",
                  session_of(PRODUCT, formats, 2, dtype, "i64"))
        dense = np.zeros((20, 150), dt)
        dense[np.repeat(np.arange(20), np.diff(got["pos1"])), got["crd1"]] = got["vals"]
        assert got["vals"].dtype == dt and np.array_equal(dense, B @ C)


@pytest.mark.parametrize("result", ["A:ds", "A:du"])
def test_sums_of_terms(result):
    rng = np.random.default_rng(3)
    expr, formats = "A(i,j) = 2 * B(i,k) * C(k,j) * x(k) - D(i,j)", (result, "B:ds", "C:ds", "D:ds")
    B, C, D = random_csr(rng, 60, 50, 0.1), random_csr(rng, 50, 300, 0.05), random_csr(rng, 60, 300, 0.02)
    x = rng.random(50)
    got = run(expr, formats, {"B": csr(B), "C": csr(C), "D": csr(D), "x": {"": x}}, dict(i=60, k=50, j=300),
              session=session_of(expr, formats, 2))
    expected = 2 * B @ sp.diags_array(x) @ C - D
    check(got, expected, result == "A:ds", 300)


def test_rows_of_two_levels():
    rng = np.random.default_rng(4)
    expr, formats = "A(i,j,l) = B(i,j,k) * C(k,l)", ("A:dds", "B:dds", "C:ds")
    B, C = random_csr(rng, 42, 20, 0.3), random_csr(rng, 20, 90, 0.1)
    for index in ["i32", "i64"]:
        wide = lambda m: {k: v if k == "vals" else v.astype(index.replace("i", "int")) for k, v in csr(m).items()}
        tensors = {"B": {k.replace("1", "2"): v for k, v in wide(B).items()}, "C": wide(C)}
        got = run(expr, formats, tensors, dict(i=6, j=7, k=20, l=90), index=index,
                  session=session_of(expr, formats, 2, index=index))
        got = {"pos1": got["pos2"], "crd1": got["crd2"], "vals": got["vals"]}
        check(got, B @ C, True, 90)


WRONG = [
    ("C", {"crd1": 50}, "C: level 1: coordinate 50 at position 30 is not from 0 to 50 - 1"),
    ("C", {"crd1": -1}, "C: level 1: coordinate -1 at position 30 is not from 0 to 50 - 1"),
    ("B", {"crd1": 40}, "B: level 1: coordinate 40 at position 30 is not from 0 to 40 - 1"),
    ("B", {"pos1": 2000}, "B: level 1: pos goes from"),
    ("C", {"pos1": -5}, "C: level 1: pos goes from"),
]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name, wrong, message", WRONG)
def test_wrong_operands(threads, name, wrong, message):
    """The loops that count look at all that those behind them read without a check."""
    rng = np.random.default_rng(5)
    matrices = {"B": csr(random_csr(rng, 100, 40, 0.2)), "C": csr(random_csr(rng, 40, 50, 0.2))}
    for array, value in wrong.items():
        matrices[name][array] = matrices[name][array].copy()
        matrices[name][array][30] = value
    for result in ["A:ds", "A:du"]:
        formats = (result, "B:ds", "C:ds")
        with pytest.raises(Error, match=re.escape(message)):
            run(PRODUCT, formats, matrices, dict(i=100, k=40, j=50), session=session_of(PRODUCT, formats, threads))


@pytest.mark.parametrize("threads", [1, 2])
def test_too_many_rows(threads):
    """Dense levels of a result have more rows than there is memory, and more than an integer holds."""
    expr, formats = "A(i,j,l) = B(k,i,m) * C(k,j,m) * D(k,l)", ("A:dds", "B:dds", "C:dds", "D:ds")
    none = {"vals": np.zeros(0), "crd2": np.zeros(0, np.int64), "pos2": np.zeros(1, np.int64)}
    last = {"vals": np.zeros(0), "crd1": np.zeros(0, np.int64), "pos1": np.zeros(1, np.int64)}
    with pytest.raises(Error, match="A: 4294967296 times 4294967296 elements are too many"):
        run(expr, formats, {"B": none, "C": none, "D": last}, dict(i=2**32, j=2**32, k=0, l=1, m=1), index="i64",
            session=session_of(expr, formats, threads, index="i64"))


def test_few_entries_in_many_columns():
    """Blocks of rows have lists as long as the columns: threads must not make more of them than the entries are worth."""
    rng = np.random.default_rng(6)
    B, C = random_csr(rng, 64, 64, 0.3), random_csr(rng, 64, 1_000_000, 1e-5)
    formats = ("A:ds", "B:ds", "C:ds")
    got = run(PRODUCT, formats, {"B": csr(B), "C": csr(C)}, dict(i=64, k=64, j=1_000_000),
              session=session_of(PRODUCT, formats, 3))
    check(got, B @ C, True, 1_000_000)
