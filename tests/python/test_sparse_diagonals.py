"""Diagonals in `noria sparse`, and random expressions over tensors in any format, against NumPy's einsum."""
import itertools
import re
import subprocess

import numpy as np
import pytest

from conftest import BUILD
from noria import InferenceSession, SessionOptions
from sparse_kernels import text_of
from test_sparse_expr import check, checked_session
from test_sparse_text import check as check_text
from test_sparse_text import session_of as text_session_of

SIZES = dict(i=9, j=5, k=7)


def formats_of(rank, is_result=False):
    """All formats of a tensor: levels and their order."""
    for letters in map("".join, itertools.product("dsq", repeat=rank)):
        if re.search("^q|dq", letters) or (is_result and re.search("[sq]d", letters)):
            continue
        for dims in itertools.permutations(range(rank)):
            yield f"{letters}:{','.join(map(str, dims))}"


def placed(value, left, sizes):
    """What A(left) = value leaves: zeros outside of a diagonal. value has a dim for each index, in order."""
    if not left:
        return value
    out = np.zeros([sizes[x] for x in left], value.dtype)
    unique = "".join(dict.fromkeys(left))
    np.einsum(f"{left}->{unique}", out)[...] = value
    return out


def reference_of(terms, left, sizes):
    """terms: of each a sign and the indices of its factors, in the order of the expression's tensors."""
    unique = "".join(dict.fromkeys(left))

    def reference(*values):
        values, total = list(values), 0
        for sign, factors in terms:
            operands = [values.pop(0) for _ in factors]
            missing = [x for x in unique if x not in "".join(factors)]
            ones = [np.ones(sizes[x]) for x in missing]
            total = total + sign * np.einsum(f"{','.join([*factors, *missing])}->{unique}", *operands, *ones)
        return placed(np.asarray(total), left, sizes)

    return reference


def text_of_terms(left, terms):
    names, text = iter("BCDEFGH"), ""
    for sign, factors in terms:
        product = " * ".join(f"{next(names)}({','.join(f)})" if f else next(names) for f in factors)
        text += (" - " if sign < 0 else " + " if text else "") + product
    return f"A({','.join(left)}) = {text}" if left else f"A = {text}"


# The indices of the left side and of each factor of each term.
EXPRESSIONS = [
    ("", [(1, ["ii"])]),
    ("i", [(1, ["ii"])]),
    ("i", [(1, ["ii", "i"])]),
    ("i", [(1, ["ii"]), (1, ["i"])]),
    ("i", [(1, ["ii"]), (-1, ["ii"])]),
    ("i", [(1, ["ii"]), (1, ["ij", "j"])]),
    ("ij", [(1, ["ii", "ij"])]),
    ("ij", [(1, ["iij"])]),
    ("ij", [(1, ["iji"])]),
    ("ij", [(1, ["jii"])]),
    ("i", [(1, ["iii"])]),
    ("ii", [(1, ["i"])]),
    ("ii", [(1, ["ii"]), (1, ["ii"])]),
    ("iij", [(1, ["ij"])]),
    ("iji", [(1, ["ij"]), (1, ["i"])]),
    ("ijj", [(1, ["ij"])]),
]


@pytest.mark.parametrize("number", range(len(EXPRESSIONS)), ids=[text_of_terms(*e) for e in EXPRESSIONS])
def test_diagonals(number):
    """In formats chosen at random, of which those for which there are no loops are left out."""
    left, terms = EXPRESSIONS[number]
    rng, expr = np.random.default_rng(number), text_of_terms(left, terms)
    tensors = list(zip("BCDEFGH", [f for _, factors in terms for f in factors]))
    done = 0
    for _ in range(40):
        formats = {n: rng.choice([*formats_of(len(x))]) for n, x in tensors}
        if left:
            formats["A"] = rng.choice([*formats_of(len(left), True)])
        formats = tuple(f"{n}:{f}" for n, f in formats.items() if n in "A" or len(f) > 1)
        if refusal(expr, formats):
            continue
        for density in [0.3, 1.0]:
            check(expr, formats, reference_of(terms, left, SIZES), SIZES, density, rng)
        done += 1
        if done == 3:
            break
    assert done, "no format has loops"


def refusal(expr, formats):
    """Why there are no loops; each reason names an index. Empty: there are."""
    args = [BUILD / "noria", "sparse", expr, *(f"-f={f}" for f in formats)]
    done = subprocess.run(args, capture_output=True, text=True, timeout=60)
    if done.returncode == 0:
        return ""
    assert re.search(r"the loops have no order: \w+ needs '\w' before '\w'|"
                     r"the sum over '\w' is outside of the loop over '\w'", done.stderr), done.stderr
    return done.stderr


def random_expression(rng):
    """Indices of the left side and of the factors of terms, each at random."""
    letters = lambda most: "".join(rng.choice(list("ijk"), rng.integers(0, most + 1)))
    while True:
        left = letters(3)
        terms = [(int(rng.choice([1, -1])), [letters(3) for _ in range(rng.integers(1, 4))])
                 for _ in range(rng.integers(1, 3))]
        if set(left) <= set("".join(f for _, factors in terms for f in factors)):
            return left, terms


def try_random(seed):
    rng = np.random.default_rng(seed)
    left, terms = random_expression(rng)
    expr = text_of_terms(left, terms)
    formats = []
    for name, x in zip("BCDEFGH", [f for _, factors in terms for f in factors]):
        if x:
            formats.append(f"{name}:{rng.choice([*formats_of(len(x))])}")
    if left:
        formats.append(f"A:{rng.choice([*formats_of(len(left), True)])}")
    formats = tuple(formats)
    if refusal(expr, formats):
        return False
    for density in [0.2, 0.6]:
        check(expr, formats, reference_of(terms, left, SIZES), SIZES, density, rng)
    return True


@pytest.mark.parametrize("seed", range(5))
def test_random_expressions(seed):
    assert sum(try_random(12 * seed + k) for k in range(12)) >= 4, "most have no loops"


def test_one_tensor_twice():
    rng, sizes = np.random.default_rng(7), dict(i=6, j=6)
    for expr, formats, reference in [
        ("A(i,j) = B(i,j) - B(i,i)", ("B:ds",), lambda B: B - np.diag(B)[:, None]),
        ("A(i,j) = B(i,j) * B(j,j)", ("A:ds", "B:ds"), lambda B: B * np.diag(B)),
        ("A(i,i) += B(i,i)", ("B:sq",), lambda B, A: A + np.diag(np.diag(B))),
    ]:
        check(expr, formats, reference, sizes, 0.5, rng)


def test_the_check_and_the_interpreter():
    rng = np.random.default_rng(8)
    options = SessionOptions()
    options.interpret_after = "import"
    for expr, formats in [("a(i) = B(i,i) + c(i)", ("B:sq", "c:s", "a:s")), ("A(i,j) = B(i,j,i)", ("B:dss", "A:ss"))]:
        reference = (lambda B, c: np.diag(B) + c) if "c(i)" in expr else lambda B: np.einsum("iji->ij", B)
        for session in [checked_session(expr, formats), InferenceSession(text_of(expr, formats).encode(), options)]:
            check(expr, formats, reference, SIZES, 0.4, rng, session=session)


@pytest.mark.parametrize("expr, formats, reference", [
    ("a(i) = B(i,i)", ("B:ds",), np.diag),
    ("a(i) = B(i,i) * c(i)", ("B:sq", "c:s", "a:s"), lambda B, c: np.diag(B) * c),
    ("A(i,j) = B(j,i,j)", ("B:sss", "A:ds:1,0"), lambda B: np.einsum("jij->ij", B)),
    ("A(i,i) = b(i)", ("A:ds", "b:s"), np.diag),
])
def test_diagonals_of_text(expr, formats, reference):
    for density in [0.0, 0.4, 1.0]:
        check_text(expr, formats, reference, SIZES, density, np.random.default_rng(3), text_session_of(expr, formats))


@pytest.mark.parametrize("dtype, type_", [("float16", "f16"), ("int8", "i8"), ("int16", "i16"), ("bool", "i1"), ("float16", "bf16")])
def test_files(dtype, type_, tmp_path):
    B = np.array([[2, 0, 1], [0, 3, 0], [1, 1, 0]]).astype(dtype)
    np.save(tmp_path / "b.npy", B)
    args = ["B(i,i)", "-f=B:ds", f"--type={type_}", "--run", f"B={tmp_path / 'b.npy'}"]
    done = subprocess.run([BUILD / "noria", "sparse", f"y(i) = {args[0]}", *args[1:]], capture_output=True, text=True, timeout=60)
    words = re.search(r"dense<\[(.*)\]>", done.stdout).group(1).split(", ")
    numbers = {"true": 1, "false": 0}
    assert [numbers.get(w) if w in numbers else float(w) for w in words] == np.diag(B).astype(float).tolist()
