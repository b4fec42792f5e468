"""Kernels that `noria sparse` makes from expressions, in all kinds of formats, against NumPy and SciPy."""
import re

import numpy as np
import pytest
import scipy.sparse as sp

from sparse_kernels import DTYPES, pack, parse_format, run, session_of, unpack

# An expression, the formats of its tensors, and what NumPy computes of the dense ones.
MATRIX = ["ds", "ss", "sq", "sd", "ds:1,0", "ss:1,0", "dd", "dd:1,0"]
CASES = [
    ("a = b(i) * c(i)", f, lambda b, c: b @ c)
    for f in [("b:s",), ("b:s", "c:s"), ()]
] + [
    ("a(i) = b(i) + c(i)", f, lambda b, c: b + c)
    for f in [("a:s", "b:s", "c:s"), ("b:s", "c:s"), ("b:s",), ("a:s", "b:s")]
] + [
    ("a(i) = b(i) - c(i) * d(i)", f, lambda b, c, d: b - c * d)
    for f in [("a:s", "b:s", "c:s", "d:s"), ("a:s", "b:s", "c:s"), ("b:s", "d:s")]
] + [
    ("a(i) = (b(i) + c(i)) * (d(i) + e(i))", ("a:s", "b:s", "c:s", "d:s", "e:s"), lambda b, c, d, e: (b + c) * (d + e)),
    ("a(i) = b(i) + c(i) + d(i)", ("a:s", "b:s", "c:s", "d:s"), lambda b, c, d: b + c + d),
    ("a(i) = 2 * b(i) - 1.5", ("b:s",), lambda b: 2 * b - 1.5),
    ("a(i) = -(b(i) - 3e0 * c(i))", ("a:s", "b:s", "c:s"), lambda b, c: -(b - 3 * c)),
] + [
    ("y(i) = A(i,j) * x(j)", f, lambda A, x: A @ x)
    for f in [(f"A:{m}",) for m in MATRIX] + [("A:ds", "x:s"), ("A:ss", "x:s", "y:s"), ("A:ds", "y:s"), ("A:sq", "y:s")]
] + [
    ("y(j) = A(i,j) * x(i)", f, lambda A, x: x @ A)
    for f in [("A:ds",), ("A:ss",), ("A:sq", "y:s"), ("A:ss", "y:s", "x:s")]
] + [
    ("A(i,j) = B(i,j) + C(i,j)", f, lambda B, C: B + C)
    for f in [("A:ds", "B:ds", "C:ds"), ("A:ss", "B:ss", "C:ss"), ("A:ds", "B:ss", "C:ss"), ("A:ss", "B:ds", "C:ss"),
              ("A:sq", "B:sq", "C:sq"), ("A:ds", "B:sq", "C:ds"), ("B:ds", "C:ds"), ("B:ds",), ("A:ds", "B:ds"),
              ("A:ds:1,0", "B:ds:1,0", "C:ds:1,0"), ("A:dd:1,0", "B:sq"), ("A:ds", "B:sd", "C:ds"), ("A:ss", "B:sq", "C:ss")]
] + [
    ("A(i,j) = B(i,j) * C(i,j)", f, lambda B, C: B * C)
    for f in [("A:ds", "B:ds", "C:ds"), ("A:ss", "B:ss", "C:ss"), ("A:ds", "B:ds"), ("A:sq", "B:sq", "C:sq"),
              ("A:ss", "B:ds", "C:sq"), ("A:ds", "B:sd", "C:ds"), ("A:ds", "B:ds", "C:dd:1,0")]
] + [
    ("A(i,j) = B(i,j) * (C(i,j) + D(i,j))", f, lambda B, C, D: B * (C + D))
    for f in [("A:ds", "B:ds", "C:ds", "D:ds"), ("A:ds", "B:ds", "C:ds"), ("A:ss", "B:ss", "C:ss", "D:ss")]
] + [
    ("A(i,j) = B(i,j) + C(i,j) + D(i,j)", ("A:ds", "B:ds", "C:ds", "D:ds"), lambda B, C, D: B + C + D),
    ("A(i,j) = B(i,j) - C(i,j) * 2", ("A:ss", "B:sq", "C:ds"), lambda B, C: B - C * 2),
] + [
    ("A(i,j) = B(j,i)", f, lambda B: B.T)
    for f in [("A:ds", "B:ds:1,0"), ("A:ss", "B:ss:1,0"), ("B:ds",), ("A:ds:1,0", "B:ds"), ("A:sq", "B:ds:1,0")]
] + [
    ("A(i,j) = B(i,k) * C(k,j)", f, lambda B, C: B @ C)
    for f in [("A:ds", "B:ds", "C:ds"), ("B:ds", "C:ds"), ("B:ds",), ("A:ss", "B:ss", "C:ss"), ("A:ds", "B:ds"),
              ("A:ds", "B:ss", "C:ds"), ("B:ds:1,0", "C:ds"), ("A:ds", "B:ds", "C:ds:1,0"), ("B:sq", "C:sq"),
              ("A:ds", "B:sq", "C:sq"), ("A:ds:1,0", "B:ds:1,0", "C:ds:1,0"), ()]
] + [
    ("A(i,j) = B(i,k) * C(k,j) + D(i,j)", f, lambda B, C, D: B @ C + D)
    for f in [("A:ds", "B:ds", "C:ds", "D:ds"), ("B:ds", "C:ds", "D:ds"), ("B:ds",)]
] + [
    ("A(i,j) = B(i,j) * C(i,k) * D(k,j)", f, lambda B, C, D: B * (C @ D))
    for f in [("A:ds", "B:ds"), ("A:ss", "B:ss"), ("B:ds",), ("A:sq", "B:sq")]
] + [
    ("A(i,j) = B(i,k,l) * C(k,j) * D(l,j)", f, lambda B, C, D: np.einsum("ikl,kj,lj->ij", B, C, D))
    for f in [("B:sss",), ("B:dss",), ("B:sqq",), ("A:ds", "B:sss"), ("B:sss", "C:ds", "D:ds")]
] + [
    ("A(i,j,k) = B(i,j,l) * C(k,l)", f, lambda B, C: np.einsum("ijl,kl->ijk", B, C))
    for f in [("B:sss",), ("A:sss", "B:sss"), ("A:sss", "B:sss", "C:ds:1,0"), ("A:dss", "B:sss", "C:ds")]
] + [
    ("A(i,j,k) = B(i,j,k) + C(i,j,k)", f, lambda B, C: B + C)
    for f in [("A:sss", "B:sss", "C:sss"), ("A:dds", "B:dss", "C:sqq"), ("A:sqq", "B:sss", "C:sqq"), ("A:dsq", "B:dsq", "C:ssq")]
] + [
    ("a = B(i,j,k) * c(k)", f, lambda B, c: np.einsum("ijk,k->", B, c)) for f in [("B:sss",), ("B:sqq", "c:s")]
] + [
    ("A(i,j) = B(i,j,k) * c(k)", f, lambda B, c: B @ c) for f in [("A:ss", "B:sss", "c:s"), ("A:ds", "B:sss")]
] + [
    ("y(i) = a * A(i,j) * x(j) + b * z(i)", f, lambda a, A, x, b, z: a * A @ x + b * z)
    for f in [("A:ds",), ("A:ss", "z:s"), ("A:ds:1,0",)]
] + [
    ("y(i) += A(i,j) * x(j)", ("A:ds",), lambda A, x, y: y + A @ x),
    ("A(i,j) += B(i,k) * C(k,j)", ("B:ds",), lambda B, C, A: A + B @ C),
    ("A(i,j) = b(i) * c(j)", ("A:ss", "b:s", "c:s"), lambda b, c: np.outer(b, c)),
    ("A(i,j) = b(i) + c(j)", ("b:s", "c:s"), lambda b, c: b[:, None] + c),
    ("y(i) = A(i,j) * B(i,j)", ("A:ds", "B:ds", "y:s"), lambda A, B: (A * B).sum(1)),
    ("y(i) = A(i,j) + B(i,j)", ("A:ds", "B:ds"), lambda A, B: (A + B).sum(1)),
]
SIZES = [dict(i=5, j=7, k=6, l=4), dict(i=1, j=1, k=1, l=1), dict(i=70, j=9, k=3, l=2), dict(i=3, j=150, k=8, l=5)]


def tensors_of(expr):
    left, right = re.split(r"\+?=", expr)
    pattern = r"([A-Za-z]\w*)\s*(?:\(([a-z](?:\s*,\s*[a-z])*)\))?"
    found = {}
    for name, indices in re.findall(pattern, re.sub(r"\d+e\d+|\d+", "", right)):
        found.setdefault(name, [x.strip() for x in indices.split(",")] if indices else [])
    name, indices = re.match(r"\s*" + pattern, left).groups()
    return (name, [x.strip() for x in indices.split(",")] if indices else []), found


def fill(rng, shape, density, dtype):
    """A random tensor and the places of its entries, some of which are explicit zeros."""
    stored = rng.random(shape) < density
    values = rng.integers(-3, 4, shape) if dtype.kind == "i" else rng.integers(-8, 9, shape) / 4
    return np.where(stored, values, 0).astype(dtype), stored


def check(expr, formats, reference, sizes, density, rng, dtype="f64", index="i32", session=None):
    (left, free), operands = tensors_of(expr)
    dt = np.dtype(DTYPES[dtype])
    if "+=" in expr:
        operands = {**operands, left: free}
    fmt = {**{n: "d" * len(x) for n, x in operands.items()}, left: "d" * len(free), **dict(f.split(":", 1) for f in formats)}
    values, patterns, packed = [], [], {}
    for name, indices in operands.items():
        shape = tuple(sizes[x] for x in indices)
        is_dense = set(parse_format(fmt[name])[0]) <= {"d"}
        value, stored = fill(rng, shape, 1 if is_dense else density, dt)
        if not indices:
            value = dt.type(2)
        stored = storage(stored, fmt[name])
        values.append(value)
        patterns.append(np.where(stored, rng.random(shape) + 1, 0))
        packed[name] = pack(value, stored, fmt[name], index) if indices else value
    got, stored = run(expr, formats, packed, sizes, dtype, index, session), None
    expected = np.asarray(reference(*values))
    if not free:
        np.testing.assert_allclose(got[""], expected)
        return
    dense, stored = unpack(got, tuple(sizes[x] for x in free), fmt[left])
    assert dense.dtype == dt
    np.testing.assert_allclose(dense, expected, rtol=1e-6)
    if not set(parse_format(fmt[left])[0]) <= {"d"}:
        assert np.array_equal(stored, np.asarray(reference(*patterns)) != 0), "the places that have entries"


def storage(stored, fmt):
    """The places that the format stores: below an entry of a sparse level, a dense level has all coordinates."""
    letters, dims = parse_format(fmt)
    last = len(letters.rstrip("d"))
    if 0 < last < len(letters):
        back = np.argsort(dims)
        kept = stored.transpose(dims).any(axis=tuple(range(last, len(letters))), keepdims=True)
        stored = np.broadcast_to(kept, stored.transpose(dims).shape).transpose(back)
    return stored


@pytest.mark.parametrize("number", range(len(CASES)), ids=[f"{e} {' '.join(f)}" for e, f, _ in CASES])
def test_expressions(number):
    expr, formats, reference = CASES[number]
    rng = np.random.default_rng(number)
    for sizes in SIZES:
        for density in [0.0, 0.05, 0.4, 1.0]:
            check(expr, formats, reference, sizes, density, rng)
