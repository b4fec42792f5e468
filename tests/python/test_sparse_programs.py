"""Programs with sparse tensors in branches, loops and calls, and with arrays that are wrong, against SciPy."""
import re
import subprocess

import numpy as np
import pytest
import scipy.sparse as sp

from conftest import BUILD
from noria import Error, InferenceSession, SessionOptions

CSR = "#sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32 }>"
M, V = f"tensor<?x?xf64, {CSR}>", "tensor<?xf64>"

# v or w as %c says, times x.
IF = f"""func.func @main(%v: {M}, %w: {M}, %c: i1, %x: {V}, %y: {V}) -> ({V}, index) {{
  %s = scf.if %c -> ({M}) {{
    scf.yield %v : {M}
  }} else {{
    scf.yield %w : {M}
  }}
  %r = linalg.matvec ins(%s, %x : {M}, {V}) outs(%y : {V}) -> {V}
  %n = sparse_tensor.number_of_entries %s : {M}
  return %r, %n : {V}, index
}}"""
# v, squared %n times by a function.
WHILE = f"""func.func private @square(%b: {M}) -> {M} {{
  %c0 = arith.constant 0 : index
  %m = tensor.dim %b, %c0 : {M}
  %e = tensor.empty(%m, %m) : {M}
  %r = linalg.matmul ins(%b, %b : {M}, {M}) outs(%e : {M}) -> {M}
  return %r : {M}
}}
func.func @main(%v: {M}, %n: index) -> {M} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.while (%i = %c0, %b = %v) : (index, {M}) -> (index, {M}) {{
    %less = arith.cmpi ult, %i, %n : index
    scf.condition(%less) %i, %b : index, {M}
  }} do {{
  ^bb0(%i: index, %b: {M}):
    %s = func.call @square(%b) : ({M}) -> {M}
    %next = arith.addi %i, %c1 : index
    scf.yield %next, %s : index, {M}
  }}
  return %r#1 : {M}
}}"""
# v + v + .. + v, of %n + 1 terms.
FOR = f"""func.func @main(%v: {M}, %n: index) -> {M} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %v, %c0 : {M}
  %columns = tensor.dim %v, %c1 : {M}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %v) -> ({M}) {{
    %e = tensor.empty(%rows, %columns) : {M}
    %s = linalg.add ins(%b, %v : {M}, {M}) outs(%e : {M}) -> {M}
    scf.yield %s : {M}
  }}
  return %r : {M}
}}"""
# v, w or an empty matrix as large as v.
SWITCH = f"""func.func @main(%v: {M}, %w: {M}, %c: index) -> {M} {{
  %s = scf.index_switch %c -> {M}
  case 0 {{
    scf.yield %v : {M}
  }}
  case 7 {{
    %e = scf.execute_region -> {M} {{
      scf.yield %w : {M}
    }}
    scf.yield %e : {M}
  }}
  default {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rows = tensor.dim %v, %c0 : {M}
    %columns = tensor.dim %v, %c1 : {M}
    %e = tensor.empty(%rows, %columns) : {M}
    scf.yield %e : {M}
  }}
  return %s : {M}
}}"""


def session(text, interpret):
    options = SessionOptions()
    if interpret:
        options.interpret_after = "import"
    return InferenceSession(text.encode(), options)


def feed(**matrices):
    feeds = {}
    for name, m in matrices.items():
        if not sp.issparse(m):
            feeds[name] = m
            continue
        m = m.tocsr()
        m.sort_indices()
        feeds |= {f"{name}_size0": np.int64(m.shape[0]), f"{name}_size1": np.int64(m.shape[1])}
        feeds |= {f"{name}_pos1": m.indptr, f"{name}_crd1": m.indices, f"{name}_vals": m.data}
    return feeds


def is_matrix(got, expected):
    rows, columns, pos, crd, vals = got
    assert (rows, columns) == expected.shape
    made = sp.csr_matrix((vals, crd, pos), shape=expected.shape)
    made.check_format(full_check=True)
    np.testing.assert_allclose(made.toarray(), expected.toarray(), rtol=1e-12)


def matrices(shape):
    rng = np.random.default_rng(shape[0])
    yield from (sp.random(*shape, density, "csr", np.float64, rng) for density in [0, 0.3, 1])


@pytest.mark.parametrize("interpret", [False, True])
def test_branches(interpret):
    by_if, switch = session(IF, interpret), session(SWITCH, interpret)
    for shape in [(3, 4), (0, 4), (3, 0), (0, 0), (17, 9)]:
        x, y = np.arange(shape[1]) + 0.5, np.ones(shape[0])
        v, _, w = matrices(shape)
        for c in [True, False]:
            got, n = by_if.run(None, feed(v=v, w=w, c=np.bool_(c), x=x, y=y))
            np.testing.assert_allclose(got, (v if c else w) @ x + y)
            assert n == (v if c else w).nnz
        for c, expected in [(0, v), (7, w), (5, sp.csr_matrix(shape))]:
            is_matrix(switch.run(None, feed(v=v, w=w, c=np.int64(c))), expected)


@pytest.mark.parametrize("interpret", [False, True])
def test_loops(interpret):
    by_while, by_for = session(WHILE, interpret), session(FOR, interpret)
    for size in [0, 1, 6]:
        for v in matrices((size, size)):
            for n in [0, 1, 3]:
                power = v
                for _ in range(n):
                    power = power @ power
                is_matrix(by_while.run(None, feed(v=v, n=np.int64(n))), power)
                is_matrix(by_for.run(None, feed(v=v, n=np.int64(n))), v * (n + 1))


WRONG = [
    (dict(v_pos1=[]), "s: level 1: pos has 0 elements; it needs one more than 3"),
    (dict(v_pos1=[0, 2, 3]), "s: level 1: pos has 3 elements; it needs one more than 3"),
    (dict(v_pos1=[0, 2, 2, 9]), "s: level 1: pos goes from 2 to 9 at 2; crd has 3 elements"),
    (dict(v_pos1=[0, 2, 1, 3]), "s: level 1: pos goes from 2 to 1 at 1; crd has 3 elements"),
    (dict(v_pos1=[0, -2, 1, 3]), "s: level 1: pos goes from 0 to -2 at 0; crd has 3 elements"),
    (dict(v_crd1=[0, 2, -1]), "s: level 1: coordinate -1 at position 2 is not from 0 to 3 - 1"),
    (dict(v_crd1=[0, 3, 1]), "s: level 1: coordinate 3 at position 1 is not from 0 to 3 - 1"),
    (dict(v_vals=[1.0, 2]), "s: it has 2 values; its levels have 3 positions"),
    (dict(v_size0=4), "'y' has 3 elements in dim 0, but loop d0 has 4 values"),
    (dict(v_size1=-1), "'x' has 3 elements in dim 0, but loop d1 has -1 values"),
]


@pytest.mark.parametrize("interpret", [False, True])
def test_arrays_are_not_trusted(interpret):
    run = session(IF, interpret)
    v = sp.csr_matrix([[1.0, 0, 2], [0, 0, 0], [0, 3, 0]])
    good = feed(v=v, w=v, c=np.bool_(True), x=np.ones(3), y=np.zeros(3))
    for wrong, message in WRONG:
        wrong = {name: np.asarray(value, good[name].dtype) for name, value in wrong.items()}
        with pytest.raises(Error, match=re.escape(message)):
            run.run(None, good | wrong)
    np.testing.assert_array_equal(run.run(None, good)[0], [3, 0, 3])


def test_the_order_is_checked_on_request(tmp_path):
    path = tmp_path / "if.mlir"
    path.write_text(IF)

    def run(crd, *options):
        args = ["3", "3", "[0,2,2,3]", crd, "[1,2,3]"] * 2 + ["true", "[1,10,100]", "[0,0,0]"]
        command = [BUILD / "noria", "run", path, *args, *options]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    ordered, without = run("[0,2,1]", "--check"), run("[2,0,1]")
    assert ordered.returncode == without.returncode == 0
    assert ordered.stdout.startswith("dense<[2.010000e+02, 0.000000e+00, 3.000000e+01]>")
    done = run("[2,0,1]", "--check")
    assert done.returncode == 1
    assert "s: level 1: coordinate 0 at position 1 is not above 2, the one before it" in done.stderr


def test_empty_tensors_have_sizes_that_can_be():
    T = f"tensor<?x?x?xf64, {CSR.replace('(i, j) -> (i', '(i, j, k) -> (i : dense, k')}>"
    run = session(f"""func.func @main(%m: index, %n: index) -> {T} {{
  %e = tensor.empty(%m, %n, %n) : {T}
  return %e : {T}
}}""", False)
    assert run.run(None, dict(m=np.int64(2), n=np.int64(3)))[3].tolist() == [0] * 7
    for m, n in [(2**32, 2**32), (2**63 - 1, 1), (1, 2**63 - 1)]:
        with pytest.raises(Error, match=f"dense levels have {min(m * n, 2**63 - 1)} positions, more than {2**47}"):
            run.run(None, dict(m=np.int64(m), n=np.int64(n)))
    with pytest.raises(Error, match="the size of dim 0 is -1; it must not be negative"):
        run.run(None, dict(m=np.int64(-1), n=np.int64(3)))
