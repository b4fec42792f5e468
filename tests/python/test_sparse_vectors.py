"""Merges of `noria sparse` that compare vectors of 16 coordinates: against NumPy, on rows of all lengths, and wrong ones."""
import re

import numpy as np
import pytest

from noria import Error
from sparse_kernels import run, text_of
from test_sparse_expr import check

CASES = [
    ("A(i,j) = B(i,j) + C(i,j)", ("A:ds", "B:ds", "C:ds"), lambda B, C: B + C),
    ("A(i,j) = B(i,j) * C(i,j)", ("A:ds", "B:ds", "C:ds"), lambda B, C: B * C),
    ("A(i,j) = B(i,j) - 2 * C(i,j)", ("A:ss", "B:ds", "C:ds"), lambda B, C: B - 2 * C),
    ("A(i,j) = B(i,j) * D(i,j) - C(i,j) * x(j)", ("A:ds", "B:ds", "C:ds"), lambda B, D, C, x: B * D - C * x),
    ("A(i,j) = s * B(i,j) * C(i,j) * x(i)", ("A:sq", "B:sq", "C:ds"), lambda s, B, C, x: s * B * C * x[:, None]),
    ("A(i,j) = B(i,j) + C(i,j)", ("A:ss", "B:ss", "C:sq"), lambda B, C: B + C),
    ("a(i) = b(i) - c(i)", ("a:s", "b:s", "c:s"), lambda b, c: b - c),
    ("A(i,j) = b(j) + C(i,j)", ("A:ds", "b:s", "C:ds"), lambda b, C: b + C),
    ("A(i,j,k) = B(i,j,k) + C(i,j,k)", ("A:dds", "B:dds", "C:dds"), lambda B, C: B + C),
    ("A(i,j,k) = B(i,j,k) + C(i,j,k)", ("A:dds", "B:dds:1,0,2", "C:dds"), lambda B, C: B + C),
    ("A(i,j,k) = B(i,j,k) * c(k)", ("A:sss", "B:sss", "c:s"), lambda B, c: B * c),
]


@pytest.mark.parametrize("number", range(len(CASES)), ids=[f"{e} {' '.join(f)}" for e, f, _ in CASES])
def test_rows_of_all_lengths(number):
    expr, formats, reference = CASES[number]
    assert "vector<16xi32>" in text_of(expr, formats)
    rng = np.random.default_rng(number)
    last = "k" if "k" in expr else "j" if "j" in expr else "i"
    for size in [1, 15, 16, 17, 40, 150]:
        for density in [0.02, 0.2, 0.6, 1.0]:
            check(expr, formats, reference, {"i": 4, "j": 3, last: size}, density, rng)


@pytest.mark.parametrize("dtype, index", [("i1", "i32"), ("i8", "i64"), ("f32", "i64"), ("complex<f32>", "i32"),
                                          ("bf16", "i64"), ("i64", "i32")])
def test_types(dtype, index):
    rng = np.random.default_rng(1)
    for expr, formats, reference in CASES[:2]:
        assert f"vector<16x{index}>" in text_of(expr, formats, dtype, index)
        for density in [0.1, 0.7]:
            check(expr, formats, reference, {"i": 5, "j": 60}, density, rng, dtype, index)


def row(columns):
    return {"pos1": np.array([0, len(columns)], np.int32), "crd1": np.array(columns, np.int32), "vals": np.ones(len(columns))}


WRONG = [  # columns of a row of B, and the error
    ([*range(20), 19], "B: level 1: coordinate 19 at position 20 is not above 19, the one before it"),
    ([*range(16), 3], "B: level 1: coordinate 3 at position 16 is not above 15, the one before it"),
    ([5, 4], "B: level 1: coordinate 4 at position 1 is not above 5, the one before it"),
    ([*range(10), 100], "B: level 1: coordinate 100 at position 10 is not from 0 to 100 - 1"),
    ([-1, *range(30)], "B: level 1: coordinate -1 at position 0 is not from 0 to 100 - 1"),
    ([0, -(2**31)], "B: level 1: coordinate -2147483648 at position 1 is not from 0 to 100 - 1"),
]


@pytest.mark.parametrize("columns, message", WRONG)
@pytest.mark.parametrize("op", ["+", "*"])
def test_wrong_rows(columns, message, op):
    expr, formats = f"A(i,j) = B(i,j) {op} C(i,j)", ("A:ds", "B:ds", "C:ds")
    other = row([*range(0, 100, 3)])
    for names in ["BC", "CB"]:
        tensors = dict(zip(names, [row(columns), other]))
        with pytest.raises(Error, match=re.escape(message.replace("B:", names[0] + ":"))):
            run(expr, formats, tensors, dict(i=1, j=100))


def test_positions_are_checked_before_there_is_no_room():
    """Rows that are visited in another order than they are stored in: their positions may fall between them."""
    expr, formats = "A(i,j,k) = B(i,j,k) + C(i,j,k)", ("A:dds", "B:dds:1,0,2", "C:dds")
    full = np.arange(40, dtype=np.int32)
    B = {"pos2": np.array([0, 40, 0, 40, 40], np.int32), "crd2": full, "vals": np.ones(40)}
    C = {"pos2": np.zeros(5, np.int32), "crd2": full[:0], "vals": np.ones(0)}
    with pytest.raises(Error, match="B: level 2: pos goes from 40 to 0 at 1; crd has 40 elements"):
        run(expr, formats, {"B": B, "C": C}, dict(i=2, j=2, k=40))
