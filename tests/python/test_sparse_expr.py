"""Kernels that `noria sparse` makes from expressions, in all kinds of formats, against NumPy and SciPy."""
import re
import subprocess

import numpy as np
import pytest
import scipy.sparse as sp

from conftest import BUILD
from noria import Error, InferenceSession, SessionOptions
from sparse_kernels import DTYPES, pack, parse_format, run, session_of, text_of, unpack

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
] + [
    # A product is summed over k where C, which alone has k, has no entries at all: d counts once for each k.
    ("y(i) = b(i) * (C(i,k) + d(i))", f, lambda b, C, d: (b[:, None] * (C + d[:, None])).sum(1))
    for f in [("C:dd",), ("C:ds",), ("C:sd",), ("C:ss",), ("C:sq",), ("C:ss", "d:s"), ("C:ss", "b:s", "y:s"),
              ("C:sd", "b:s", "d:s", "y:s"), ("C:ss:1,0", "b:s")]
] + [
    ("y(i) += b(i) * (C(i,k) - d(i))", ("C:ss",), lambda b, C, d, y: y + (b[:, None] * (C - d[:, None])).sum(1)),
    ("a = -b(i) * (2 - C(i,k))", ("C:ss",), lambda b, C: (-b[:, None] * (2 - C)).sum()),
    ("A(i,j) = B(i,k) * (C(k,j,l) + D(k,j))", ("A:ds", "B:ds", "C:sss", "D:ds"),
     lambda B, C, D: np.einsum("ik,kjl->ij", B, C + D[:, :, None])),
    ("A(i,j) = B(i,k) * (C(k,j,l) + D(k,j))", ("A:ss", "B:ss", "C:dsd", "D:ss"),
     lambda B, C, D: np.einsum("ik,kjl->ij", B, C + D[:, :, None])),
    ("A(i,j) = B(i,j) * (C(i,k) + D(k,l))", ("A:ds", "B:ds", "C:ss", "D:ss"),
     lambda B, C, D: np.einsum("ij,ikl->ij", B, C[:, :, None] + D)),
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
    whole = dtype.kind not in "fc"  # so that sums of few are exact in bf16
    values = rng.integers(-3, 4, shape) if whole else rng.integers(-8, 9, shape) / 4
    if dtype.kind == "c":
        values = values + 1j * rng.integers(-8, 9, shape) / 4
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
    expected = np.asarray(reference(*(v.astype(np.float32) if dtype == "bf16" else v for v in values)))
    if not free:
        np.testing.assert_allclose(got[""], expected)
        return
    dense, stored = unpack(got, tuple(sizes[x] for x in free), fmt[left])
    assert dense.dtype == dt
    if dtype == "bf16":
        dense = dense.astype(np.float32)
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
        for density in [0.0, 0.2, 1.0]:
            check(expr, formats, reference, sizes, density, rng)


@pytest.mark.parametrize("dtype, index", [("i8", "i32"), ("i16", "i64"), ("bf16", "i32"), ("f16", "i32"),
                                          ("f32", "i64"), ("f64", "i64"), ("i32", "i64"), ("i64", "i32"),
                                          ("complex<f32>", "i32"), ("complex<f64>", "i64")])
def test_types(dtype, index):
    rng = np.random.default_rng(5)
    for expr, formats, reference in [
        ("A(i,j) = B(i,k) * C(k,j)", ("A:ds", "B:ds", "C:ds"), lambda B, C: B @ C),
        ("A(i,j) = 2 * B(i,j) - C(i,j)", ("A:ss", "B:ss", "C:sq"), lambda B, C: 2 * B - C),
        ("y(i) = A(i,j) * x(j)", ("A:ds",), lambda A, x: A @ x),
        ("A(i,j) = -B(i,j) * C(i,j) - 3 * D(i,j)", ("B:ds", "C:ds"), lambda B, C, D: -B * C - 3 * D),
    ]:
        check(expr, formats, reference, SIZES[0], 0.4, rng, dtype, index)


def test_bits():
    """Sums of i1 are or, products and: those of NumPy's matrices of bool."""
    rng = np.random.default_rng(6)
    for expr, formats, reference in [
        ("A(i,j) = B(i,k) * C(k,j)", ("A:ds", "B:ds", "C:ds"), lambda B, C: B @ C),
        ("A(i,j) = B(i,k) * C(k,j)", ("B:ss",), lambda B, C: B @ C),
        ("A(i,j) = B(i,j) + C(i,j)", ("A:ss", "B:ss", "C:sq"), lambda B, C: B + C),
        ("A(i,j) = B(i,j) * (C(i,j) + 1) + 0 * D(i,j)", ("A:ds", "B:ds", "C:ds", "D:ds"), lambda B, C, D: B if B.dtype == bool else B + D),
        ("y(i) = A(i,j) * x(j) + z(i)", ("A:ds",), lambda A, x, z: A @ x + z),
        ("y(i) = A(i,i)", ("A:ds", "y:s"), lambda A: np.diag(A)),
        ("y(i) += A(i,j)", ("A:ds",), lambda A, y: A.any(1) + y),
    ]:
        for density in [0.2, 0.7]:
            check(expr, formats, reference, SIZES[0], density, rng, "i1")


def test_other_types_are_refused():
    for dtype in ["i4", "ui8", "f8E4M3FN", "complex<f16>"]:
        args = [BUILD / "noria", "sparse", "a(i) = b(i)", f"--type={dtype}"]
        done = subprocess.run(args, capture_output=True, text=True, timeout=60)
        assert done.returncode == 1
        expected = "elements are i1, i8, i16, i32, i64, f16, bf16, f32, f64, complex<f32> or complex<f64>"
        assert f"{expected}, not '{dtype}'" in done.stderr


def random_expression(rng, names, depth):
    """A random expression over matrices with indices i and j, as text and as a function of NumPy."""
    if depth == 0 or rng.random() < 0.2:
        name = f"{chr(ord('B') + len(names))}"
        names.append(name)
        return f"{name}(i,j)", lambda v, n=len(names) - 1: v[n]
    left, f = random_expression(rng, names, depth - 1)
    right, g = random_expression(rng, names, depth - 1)
    op = rng.choice(["+", "*", "-"])
    apply = {"+": np.add, "*": np.multiply, "-": np.subtract}[op]
    return f"({left} {op} {right})", lambda v: apply(f(v), g(v))


@pytest.mark.parametrize("seed", range(12))
def test_random_lattices(seed):
    rng = np.random.default_rng(seed)
    names = []
    text, f = random_expression(rng, names, 2)
    kinds = ["ds", "ss", "sq"]
    formats = tuple(f"{n}:{rng.choice(kinds + ['dd'] * (i % 2))}" for i, n in enumerate(names))
    formats += (("A:" + rng.choice(kinds)),) if seed % 3 else ()
    expr = f"A(i,j) = {text}"
    for density in [0.1, 0.5]:
        check(expr, formats, lambda *v: f(v), SIZES[3], density, rng)


def csr(matrix):
    matrix = matrix.tocsr()
    matrix.sort_indices()
    return {"pos1": matrix.indptr, "crd1": matrix.indices, "vals": matrix.data}


def random_csr(rng, rows, columns, density):
    return sp.random(rows, columns, density, "csr", np.float64, rng)


def test_scipy():
    rng = np.random.default_rng(11)
    three = ("A:ds", "B:ds", "C:ds")
    for rows, inner, columns, density in [(300, 200, 400, 0.02), (50, 5000, 3000, 0.01), (1, 1, 1, 1), (7, 9, 0, 0.5)]:
        B, C = random_csr(rng, rows, inner, density), random_csr(rng, rows, inner, density)
        D, x = random_csr(rng, inner, columns, density), rng.random(inner)
        sizes = dict(i=rows, j=inner)
        got = run("y(i) = A(i,j) * x(j)", ("A:ds",), {"A": csr(B), "x": {"": x}}, sizes)
        np.testing.assert_allclose(got[""], B @ x)
        for op, expected in [("+", B + C), ("*", B.multiply(C).tocsr())]:
            got = run(f"A(i,j) = B(i,j) {op} C(i,j)", three, {"B": csr(B), "C": csr(C)}, sizes)
            for name, array in csr(expected).items():
                np.testing.assert_allclose(got[name], array)
        got = run("A(i,j) = B(i,k) * C(k,j)", three, {"B": csr(B), "C": csr(D)}, dict(i=rows, k=inner, j=columns))
        for name, array in csr(B @ D).items():
            np.testing.assert_allclose(got[name], array)


GOOD = {"pos1": [0, 2, 3], "crd1": [0, 2, 1], "vals": [1, 2, 3]}
BAD = [
    ({"pos1": [0, 2]}, "A: level 1: pos has 2 elements; it needs one more than 2"),
    ({"pos1": [0, 4, 3]}, "A: level 1: pos goes from 0 to 4 at 0; crd has 3 elements"),
    ({"pos1": [0, 2, 1]}, "A: level 1: pos goes from 2 to 1 at 1; crd has 3 elements"),
    ({"pos1": [-1, 2, 3]}, "A: level 1: pos goes from -1 to 2 at 0; crd has 3 elements"),
    ({"pos1": [0, 2, 2**31 - 1]}, "A: level 1: pos goes from 2 to 2147483647 at 1; crd has 3 elements"),
    ({"crd1": [0, 3, 1]}, "A: level 1: coordinate 3 at position 1 is not from 0 to 3 - 1"),
    ({"crd1": [0, -1, 1]}, "A: level 1: coordinate -1 at position 1 is not from 0 to 3 - 1"),
    ({"vals": [1, 2]}, "A: it has 2 values; its levels have 3 positions"),
]
KERNELS = [
    ("y(i) = A(i,j) * x(j)", ("A:ds",), {"x": {"": np.ones(3)}}),
    ("y(i) = A(i,j) * x(j)", ("A:ds", "x:s", "y:s"), {"x": dict(pos0=[0, 3], crd0=[0, 1, 2], vals=np.ones(3))}),
    ("C(i,j) = A(i,j) + B(i,j)", ("A:ds", "B:ds", "C:ds"), {"B": dict(pos1=[0, 0, 2], crd1=[0, 2], vals=np.ones(2))}),
    ("C(i,j) = A(i,k) * B(k,j)", ("A:ds", "B:ds", "C:ds"), {"B": dict(pos1=[0, 1, 2, 2], crd1=[0, 1], vals=np.ones(2))}),
]


@pytest.mark.parametrize("kernel", range(len(KERNELS)))
def test_arrays_are_not_trusted(kernel):
    expr, formats, others = KERNELS[kernel]
    sizes = dict(i=2, j=2 if kernel == 3 else 3, k=3)
    arrays = lambda t: {k: np.asarray(v, np.float64 if k in ("vals", "") else np.int32) for k, v in t.items()}
    tensors = {n: arrays(t) for n, t in others.items()}
    run(expr, formats, {**tensors, "A": arrays(GOOD)}, sizes)
    for wrong, message in BAD:
        with pytest.raises(Error, match=re.escape(message)):
            run(expr, formats, {**tensors, "A": arrays({**GOOD, **wrong})}, sizes)


def test_sizes_are_checked():
    A = {k: np.asarray(v, np.float64 if k == "vals" else np.int32) for k, v in GOOD.items()}
    run_with = lambda expr, formats, sizes, **t: run(expr, formats, {"A": A, **t}, sizes)
    with pytest.raises(Error, match="z: dim 0 has 3 elements, but index 'j' has 4 values"):
        run_with("y(i) = A(i,j) * x(j) + z(j)*z(j)", ("A:ds",), dict(i=2), x={"": np.ones(4)}, z={"": np.ones(3)})
    for i in [-1, 2**31, -(2**63), 2**63 - 1]:
        with pytest.raises(Error, match="index 'i' cannot have"):
            run_with("y(i) = A(i,j) * x(j)", ("A:ds",), dict(i=i), x={"": np.ones(3)})
    big = {"pos2": np.zeros(1, np.int64), "crd2": np.zeros(0, np.int64), "vals": np.zeros(0)}
    with pytest.raises(Error, match="times 70368744177664 elements are too many"):
        run("a = B(i,j,k)", ("B:dds",), {"B": big}, dict(i=2**46, j=2**46, k=1), index="i64")


def checked_session(expr, formats):
    args = [BUILD / "noria", "sparse", expr, "--check", *(f"-f={f}" for f in formats)]
    return InferenceSession(subprocess.run(args, capture_output=True, check=True, timeout=60).stdout)


@pytest.mark.parametrize("number", range(0, len(CASES), 11))
def test_ordered_coordinates_pass_the_check(number):
    expr, formats, reference = CASES[number]
    for density in [0.0, 0.4, 1.0]:
        check(expr, formats, reference, SIZES[0], density, np.random.default_rng(number),
              session=checked_session(expr, formats))


UNORDERED = [  # arrays of a matrix of 3 x 4, and the error
    ("ds", dict(pos1=[0, 2, 2, 3], crd1=[2, 1, 0]), "A: level 1: coordinate 1 at position 1 is not above 2"),
    ("ds", dict(pos1=[0, 0, 0, 3], crd1=[1, 3, 3]), "A: level 1: coordinate 3 at position 2 is not above 3"),
    ("ds", dict(pos1=[0, 1, 2, 3], crd1=[0, 3, 4]), "A: level 1: coordinate 4 at position 2 is not from 0 to 4 - 1"),
    ("ds", dict(pos1=[0, 2, 1, 3], crd1=[0, 1, 2]), "A: level 1: pos goes from 2 to 1 at 1; crd has 3 elements"),
    ("ss", dict(pos0=[0, 2], crd0=[2, 0], pos1=[0, 1, 3], crd1=[0, 1, 2]), "A: level 0: coordinate 0 at position 1 is not above 2"),
    ("ss", dict(pos0=[0, 2], crd0=[0, 2], pos1=[0, 1, 3], crd1=[0, 2, 2]), "A: level 1: coordinate 2 at position 2 is not above 2"),
    ("sq", dict(pos0=[0, 3], crd0=[0, 2, 2], crd1=[3, 1, 1]), "A: level 0: the coordinates from 2 on at position 2 are not above"),
    ("sq", dict(pos0=[0, 3], crd0=[0, 2, 1], crd1=[3, 0, 1]), "A: level 0: the coordinates from 1 on at position 2 are not above"),
]


@pytest.mark.parametrize("fmt, arrays, message", UNORDERED)
def test_unordered_coordinates(fmt, arrays, message):
    expr, formats = "y(i) = A(i,j) * x(j)", (f"A:{fmt}",)
    A = {name: np.array(values, np.int32) for name, values in arrays.items()} | {"vals": np.ones(3)}
    with pytest.raises(Error, match=re.escape(message)):
        run(expr, formats, {"A": A, "x": {"": np.ones(4)}}, dict(i=3), session=checked_session(expr, formats))


def test_results_outgrow_their_first_room():
    """Each entry of C is in every row of the result: more than 64 times as many entries as C has."""
    rng = np.random.default_rng(4)
    for A in ["A:ds", "A:ss"]:
        check("A(i,j) = B(i,k) * C(k,j)", (A, "B:ds", "C:ds"), lambda B, C: B @ C, dict(i=300, k=1, j=90), 0.9, rng)


def test_the_interpreter_agrees():
    rng = np.random.default_rng(3)
    options = SessionOptions()
    options.interpret_after = "import"
    for number in [5, 14, 25, 40, 58, 75, 90]:
        expr, formats, reference = CASES[number]
        session = InferenceSession(text_of(expr, formats).encode(), options)
        check(expr, formats, reference, SIZES[0], 0.3, rng, session=session)


def test_room_is_that_of_the_result():
    """Products of many rows with the same few columns: the result is small beside the number of products."""
    expr, formats = "A(i,j) = B(i,k) * C(k,j)", ("A:ds", "B:ds", "C:ds")
    options = SessionOptions()
    options.memory_limit = 8 << 20
    session = InferenceSession(text_of(expr, formats).encode(), options)
    B, C = sp.csr_array(np.ones((200, 200))), sp.csr_array(np.ones((200, 200)))
    C.resize(200, 100_000)
    got = run(expr, formats, {"B": csr(B), "C": csr(C)}, dict(i=200, k=200, j=100_000), session=session)
    assert np.array_equal(got["crd1"], np.tile(np.arange(200), 200)) and (got["vals"] == 200).all()
