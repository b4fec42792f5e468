"""Sums and products, element by element, of `noria sparse`, whose rows threads make: against SciPy."""
import re

import numpy as np
import pytest
import scipy.sparse as sp

from noria import Error
from sparse_kernels import run
from test_sparse_expr import csr
from test_sparse_rows import session_of

MATRIX = ("A:ds", "B:ds", "C:ds")
SUM, PRODUCT = "A(i,j) = B(i,j) + C(i,j)", "A(i,j) = B(i,j) * C(i,j)"


def of_lengths(rng, lengths, columns, shared=()):
    """Rows of the lengths; the columns of those in `shared` are the first ones."""
    rows = [np.arange(n) if i in shared else np.sort(rng.choice(columns, n, False)) for i, n in enumerate(lengths)]
    pos = np.cumsum([0, *map(len, rows)])
    crd = np.concatenate(rows)
    values = rng.integers(1, 100, crd.size).astype(float)
    return sp.csr_array((values, crd.astype(np.int32), pos.astype(np.int32)), shape=(len(rows), columns))


def lengths_of(rng, kind):
    if kind == "around vectors":
        return rng.choice([0, 1, 15, 16, 17, 33], 3000)
    if kind == "one long row":
        return np.array([3, 0, 40_000, 0, 5] + 30 * [200])
    if kind == "empty at first":
        return np.concatenate([np.zeros(2000, int), np.full(3000, 9), np.zeros(50, int)])
    return rng.choice([0, 1], 50_000)


def same(got, expected):
    expected = sp.csr_array(expected)
    expected.sort_indices()
    assert np.array_equal(got["pos1"], expected.indptr)
    assert np.array_equal(got["crd1"], expected.indices)
    assert np.array_equal(got["vals"], expected.data)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("kind", ["around vectors", "one long row", "empty at first", "short rows"])
def test_rows(kind, threads):
    rng, columns = np.random.default_rng(1), 50_000
    lengths = lengths_of(rng, kind)
    B = of_lengths(rng, lengths, columns, range(0, len(lengths), 3))
    C = of_lengths(rng, rng.permutation(lengths), columns, range(0, len(lengths), 2))
    dims = dict(i=len(lengths), j=columns)
    for expr, expected in [(SUM, B + C), (PRODUCT, B.multiply(C))]:
        same(run(expr, MATRIX, {"B": csr(B), "C": csr(C)}, dims, session=session_of(expr, MATRIX, threads)), expected)


@pytest.mark.parametrize("index", ["i32", "i64"])
def test_other_terms(index):
    rng = np.random.default_rng(2)
    B, C, D = (of_lengths(rng, rng.choice([0, 7, 20], 2500), 300) for _ in range(3))
    tensors = {n: {k: v if k == "vals" else v.astype(index.replace("i", "int")) for k, v in csr(m).items()}
               for n, m in zip("BCD", (B, C, D))}
    formats = (*MATRIX, "D:ds")
    for expr, expected in [("A(i,j) = B(i,j) + 2 * C(i,j) + D(i,j)", B + 2 * C + D),
                           ("A(i,j) = B(i,j) * C(i,j) + D(i,j)", B.multiply(C) + D),
                           ("A(i,j) = 3 * B(i,j)", 3 * B)]:
        used = [f for f in formats if f"{f[0]}(" in expr]
        got = run(expr, tuple(used), {f[0]: tensors[f[0]] for f in used[1:]}, dict(i=2500, j=300), index=index,
                  session=session_of(expr, tuple(used), 2, index=index))
        same(got, expected)


def test_rows_of_two_levels():
    rng = np.random.default_rng(3)
    expr, formats = "A(i,j,k) = B(i,j,k) + C(i,j,k)", ("A:dds", "B:dds", "C:dds")
    B, C = (of_lengths(rng, rng.choice([0, 1, 16, 33], 3000), 200) for _ in range(2))
    tensors = {n: {k.replace("1", "2"): v for k, v in csr(m).items()} for n, m in (("B", B), ("C", C))}
    got = run(expr, formats, tensors, dict(i=60, j=50, k=200), session=session_of(expr, formats, 2))
    same({"pos1": got["pos2"], "crd1": got["crd2"], "vals": got["vals"]}, B + C)


def test_first_row_behind_other_entries():
    """Positions need not begin with 0: entries before the first row's are no part of the tensor."""
    rng = np.random.default_rng(4)
    B, C = (of_lengths(rng, rng.choice([0, 5, 16], 3000), 400) for _ in range(2))
    tensors = {"B": csr(B), "C": csr(C)}
    tensors["B"] = {"pos1": B.indptr + 7, "crd1": np.append(np.full(7, -1, B.indices.dtype), B.indices),
                    "vals": np.append(np.zeros(7), B.data)}
    for expr, expected in [(SUM, B + C), (PRODUCT, B.multiply(C))]:
        same(run(expr, MATRIX, tensors, dict(i=3000, j=400), session=session_of(expr, MATRIX, 2)), expected)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("place", [0, 1500, 2999])
@pytest.mark.parametrize("array, wrong, message", [
    ("crd1", 400, "level 1: coordinate 400 at position"), ("crd1", -1, "level 1: coordinate -1 at position"),
    ("pos1", -5, "level 1: pos goes from"), ("pos1", 2**31 - 1, "level 1: pos goes from")])
def test_wrong_operands(array, wrong, message, place, threads):
    rng = np.random.default_rng(5)
    lengths = rng.choice([5, 16], 3000)
    matrices = [of_lengths(rng, lengths, 400) for _ in range(2)]
    for name in "BC":
        tensors = {"B": csr(matrices[0]), "C": csr(matrices[1])}
        at = place if array == "pos1" else matrices[0].indptr[place]
        tensors[name] = {**tensors[name], array: tensors[name][array].copy()}
        tensors[name][array][at] = wrong
        for expr in (SUM, PRODUCT):
            with pytest.raises(Error, match=re.escape(f"{name}: {message}")):
                run(expr, MATRIX, tensors, dict(i=3000, j=400), session=session_of(expr, MATRIX, threads))
