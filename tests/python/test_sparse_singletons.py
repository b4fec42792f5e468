"""Singleton levels below dense ones, which have one entry for each position of these, against NumPy and SciPy."""
import subprocess

import numpy as np
import pytest
import scipy.sparse as sp

from conftest import BUILD
from noria import Error, InferenceSession
from sparse_kernels import pack, parse_format, run, unpack

SIZES = dict(i=7, j=5, k=6)


def fill_levels(rng, shape, fmt):
    """A random tensor and the places of its entries: all of a level d, some of a level s, one of a level q."""
    letters, dims = parse_format(fmt)
    shape, nodes = [shape[d] for d in dims], [()]
    for letter, size in zip(letters, shape):
        every = range(size)
        some = lambda: [c for c in every if rng.random() < 0.5] or every[:1]
        take = {"d": lambda: every, "s": some, "q": lambda: [rng.choice(every)]}
        nodes = [node + (int(c),) for node in nodes for c in take[letter]()]
    stored = np.zeros(shape, bool)
    for node in nodes:
        stored[node] = True
    value, back = np.where(stored, rng.integers(-8, 9, shape) / 4, 0), np.argsort(dims)
    return value.transpose(back), stored.transpose(back)


CASES = [
    ("y(i) = B(i,j) * x(j)", {"B": f, "x": x}, "ij,j->i") for f in ["dq", "dq:1,0"] for x in ["d", "s"]
] + [
    ("A(i,j) = B(i,j)", {"A": a, "B": b}, "ij->ij") for a, b in [("dd", "dq"), ("ds", "dq"), ("ss", "dq"), ("ds:1,0", "dq:1,0")]
] + [
    ("A(i,j) = B(i,j) + C(i,j)", {"A": a, "B": "dq", "C": c}, "ij->ij") for a in ["dd", "ds", "sq"] for c in ["dq", "ds", "ss"]
] + [
    ("A(i,j) = B(i,j) * C(i,j)", {"A": a, "B": "dq", "C": c}, "ij,ij->ij") for a in ["dd", "ds", "ss"] for c in ["dq", "ds", "dd"]
] + [
    ("A(i,j) = B(i,k) * C(k,j)", {"A": a, "B": b, "C": c}, "ik,kj->ij")
    for a, b, c in [("dd", "dq", "dd"), ("ds", "dq", "dq"), ("ds", "dq", "ds"), ("ds", "ds", "dq"), ("dd", "dq:1,0", "dq")]
] + [
    ("y(i) = B(i,j,k) * x(k)", {"B": f}, "ijk,k->i") for f in ["ddq", "sdq", "dqq", "dqd", "dqs", "dsd", "ddq:2,0,1"]
] + [
    ("A(i,j,k) = B(i,j,k)", {"A": a, "B": b}, "ijk->ijk") for a, b in [("dds", "ddq"), ("sss", "sdq"), ("dsq", "dqq"), ("ddd", "dqs")]
] + [
    ("y(i) = B(i,i)", {"B": f, "y": y}, "ii->i") for f in ["dq", "dq:1,0"] for y in ["d", "s"]
]


def check(expr, formats, subscripts, sizes, rng):
    left, right = expr.replace(" ", "").split("=")
    free = left[2:-1].split(",")
    values, packed = [], {}
    for text in right.replace("+", "*").split("*"):
        name, indices = text[0], text[2:-1].split(",")
        fmt = formats.get(name, "d" * len(indices))
        value, stored = fill_levels(rng, tuple(sizes[x] for x in indices), fmt)
        values.append(value)
        packed[name] = pack(value, stored, fmt)
    stored_as = tuple(f"{n}:{f}" for n, f in formats.items() if set(parse_format(f)[0]) > {"d"} or "s" in f)
    got = run(expr, stored_as, packed, sizes)
    dense, _ = unpack(got, tuple(sizes[x] for x in free), formats.get(left[0], "d" * len(free)))
    expected = values[0] + values[1] if "+" in expr else np.einsum(subscripts, *values)
    np.testing.assert_allclose(dense, expected)


@pytest.mark.parametrize("number", range(len(CASES)), ids=[f"{e} {f}" for e, f, _ in CASES])
def test_expressions(number):
    expr, formats, subscripts = CASES[number]
    rng = np.random.default_rng(number)
    for sizes in [SIZES, dict(i=1, j=1, k=1), dict(i=0, j=3, k=2), dict(i=90, j=90, k=4)]:
        if sizes["i"] or not ("i,i" in expr or "dq:1,0" in formats.values()):  # else there is no coordinate of i
            check(expr, formats, subscripts, sizes, rng)


def test_permutations():
    """Rows of a CSR matrix in another order are a product with a permutation, of which only the columns are stored."""
    rng = np.random.default_rng(1)
    order, A = rng.permutation(300), sp.random_array((300, 200), density=0.03, random_state=rng, format="csr")
    A.sort_indices()
    arrays = {"P": {"crd1": order.astype(np.int32), "vals": np.ones(300)},
              "A": {"pos1": A.indptr, "crd1": A.indices, "vals": A.data}}
    got = run("C(i,j) = P(i,k) * A(k,j)", ("C:ds", "P:dq", "A:ds"), arrays, dict(i=300, j=200, k=300))
    expected = A[order]
    assert np.array_equal(got["pos1"], expected.indptr) and np.array_equal(got["crd1"], expected.indices)
    assert np.array_equal(got["vals"], expected.data)


def test_arrays_are_checked():
    expr, formats = "y(i) = B(i,j) * x(j)", ("B:dq",)
    feed = lambda crd, vals: run(expr, formats, {"B": {"crd1": np.int32(crd), "vals": np.float64(vals)}, "x": np.arange(3.0)},
                                 dict(i=3))[""]
    assert feed([2, 2, 0], [1, 2, 3]).tolist() == [2, 4, 0]
    with pytest.raises(Error, match="B: level 1: crd has 2 elements; the level above has 3"):
        feed([2, 2], [1, 2, 3])
    with pytest.raises(Error, match="B: it has 2 values; its levels have 3 positions"):
        feed([2, 2, 0], [1, 2])
    with pytest.raises(Error, match="B: level 1: coordinate 3 at position 1 is not from 0 to 3 - 1"):
        feed([2, 3, 0], [1, 2, 3])


def test_the_order_of_coordinates_is_checked():
    """Coordinates of different rows have no order; there is nothing but the range to check."""
    args = [BUILD / "noria", "sparse", "y(i) = B(i,j,k) * x(k)", "-f=B:dqs", "--check"]
    text = subprocess.run(args, capture_output=True, check=True, timeout=60).stdout
    session = InferenceSession(text)

    def feed(crd1, crd2):
        return session.run(None, {"size_i": np.int64(2), "size_j": np.int64(4), "B_crd1": np.int32(crd1),
                                  "B_pos2": np.int32([0, 2, 3]), "B_crd2": np.int32(crd2), "B_vals": np.ones(3),
                                  "x": np.array([1.0, 10.0])})[0].tolist()

    assert feed([3, 0], [0, 1, 1]) == [11, 10]
    with pytest.raises(Error, match="B: level 1: coordinate 4 at position 0 is not from 0 to 4 - 1"):
        feed([4, 0], [0, 1, 1])
    with pytest.raises(Error, match="B: level 2: coordinate 0 at position 1 is not above 1, the one before it"):
        feed([3, 0], [1, 0, 1])


def test_files(tmp_path):
    def stored(matrix, fmt="dq"):
        np.save(tmp_path / "b.npy", matrix)
        args = [BUILD / "noria", "sparse", "A(i,j) = 2 * B(i,j)", f"-f=B:{fmt}", "--run", f"B={tmp_path}/b.npy"]
        return subprocess.run(args, capture_output=True, text=True, timeout=60)

    done = stored(np.array([[0.0, 3], [4, 0], [0, 5]]))
    assert "dense<[[0.000000e+00, 6.000000e+00], [8.000000e+00, 0.000000e+00], [0.000000e+00, 1.000000e+01]]>" in done.stdout
    expected = "level 1, a singleton, stores one coordinate for each position of the level above; position"
    for matrix, fmt, where in [([[0, 3], [0, 0]], "dq", "1 has 0"), ([[0, 3], [1, 2]], "dq", "1 has 2"),
                               ([[0, 3], [0, 2]], "dq:1,0", "0 has 0")]:
        done = stored(np.array(matrix, float), fmt)
        assert done.returncode == 1 and f"{expected} {where}" in done.stderr
