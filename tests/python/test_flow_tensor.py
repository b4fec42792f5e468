"""flow.tensor.* as the interpreter and machine code run them: NumPy's values, and one message for what is not there."""

import numpy as np
import pytest

X = np.arange(1, 7).reshape(2, 3)
BIG = 2**63 - 1

OPS = """
func.func @store(%x: tensor<?x3xELEM>, %v: ELEM, %n: index, %i: index, %j: index) -> tensor<?x3xELEM> {
  %0 = flow.tensor.store %v, %x[%i, %j] : tensor<?x3xELEM>{%n}
  return %0 : tensor<?x3xELEM>
}
func.func @load(%x: tensor<?x3xELEM>, %n: index, %i: index, %j: index) -> tensor<ELEM> {
  %0 = flow.tensor.load %x[%i, %j] : tensor<?x3xELEM>{%n}
  %1 = flow.tensor.splat %0 : tensor<ELEM>
  return %1 : tensor<ELEM>
}
func.func @slice(%x: tensor<?x3xELEM>, %n: index, %i: index, %j: index, %h: index, %w: index, %r: index)
    -> tensor<?x2xELEM> {
  %0 = flow.tensor.slice %x[%i, %j for %h, %w] : tensor<?x3xELEM>{%n} -> tensor<?x2xELEM>{%r}
  return %0 : tensor<?x2xELEM>
}
func.func @update(%x: tensor<?x3xELEM>, %u: tensor<?x2xELEM>, %n: index, %m: index, %i: index, %j: index)
    -> (tensor<?x3xELEM>, tensor<?x3xELEM>) {
  %0 = flow.tensor.update %u, %x[%i, %j] : tensor<?x2xELEM>{%m} -> %x as tensor<?x3xELEM>{%n}
  return %0, %x : tensor<?x3xELEM>, tensor<?x3xELEM>
}
func.func @reshape(%x: tensor<?x?xELEM>, %a: index, %b: index, %c: index, %d: index) -> tensor<?x?x1xELEM> {
  %0 = flow.tensor.reshape %x : tensor<?x?xELEM>{%a, %b} -> tensor<?x?x1xELEM>{%c, %d}
  return %0 : tensor<?x?x1xELEM>
}
func.func @static(%x: tensor<2x3xELEM>, %v: ELEM) -> (tensor<3x2xELEM>, tensor<2x2xELEM>, tensor<2x3xELEM>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = flow.tensor.reshape %x : tensor<2x3xELEM> -> tensor<3x2xELEM>
  %1 = flow.tensor.slice %x[%c0, %c1 for %c2, %c2] : tensor<2x3xELEM> -> tensor<2x2xELEM>
  %2 = flow.tensor.store %v, %x[%c1, %c2] : tensor<2x3xELEM>
  return %0, %1, %2 : tensor<3x2xELEM>, tensor<2x2xELEM>, tensor<2x3xELEM>
}
func.func @same(%x: tensor<?xELEM>, %n: index) -> (tensor<?xELEM>, tensor<?xELEM>, tensor<?xELEM>) {
  %0 = flow.tensor.clone %x : tensor<?xELEM>{%n}
  %1 = flow.tensor.tie_shape %x : tensor<?xELEM>{%n}
  %2 = flow.tensor.transfer %x : tensor<?xELEM>{%n} to "here"
  return %0, %1, %2 : tensor<?xELEM>, tensor<?xELEM>, tensor<?xELEM>
}
func.func @made(%v: ELEM, %n: index, %i: index) -> (tensor<2x?xELEM>, tensor<1xELEM>, index) {
  %c0 = arith.constant 0 : index
  %0 = flow.tensor.splat %v : tensor<2x?xELEM>{%n}
  %1 = flow.tensor.alloca : tensor<?x4xELEM>{%n}
  %2 = flow.tensor.store %v, %1[%i, %i] : tensor<?x4xELEM>{%n}
  %3 = flow.tensor.load %2[%i, %i] : tensor<?x4xELEM>{%n}
  %4 = flow.tensor.splat %3 : tensor<1xELEM>
  %5 = flow.tensor.empty : tensor<?x4xELEM>{%n}
  %d = tensor.dim %5, %c0 : tensor<?x4xELEM>
  return %0, %4, %d : tensor<2x?xELEM>, tensor<1xELEM>, index
}
"""

BITS = """
func.func @narrower(%x: tensor<?x?xf32>, %a: index, %b: index, %c: index) -> tensor<?x2xi16> {
  %0 = flow.tensor.bitcast %x : tensor<?x?xf32>{%a, %b} -> tensor<?x2xi16>{%c}
  return %0 : tensor<?x2xi16>
}
func.func @wider(%x: tensor<?xi8>, %a: index, %c: index) -> tensor<?xi64> {
  %0 = flow.tensor.bitcast %x : tensor<?xi8>{%a} -> tensor<?xi64>{%c}
  return %0 : tensor<?xi64>
}
func.func @to_f4(%x: tensor<?xi4>, %a: index, %c: index) -> tensor<?xf4E2M1FN> {
  %0 = flow.tensor.bitcast %x : tensor<?xi4>{%a} -> tensor<?xf4E2M1FN>{%c}
  return %0 : tensor<?xf4E2M1FN>
}
func.func @to_i4(%x: tensor<?xf4E2M1FN>, %a: index, %c: index) -> tensor<?xi4> {
  %0 = flow.tensor.bitcast %x : tensor<?xf4E2M1FN>{%a} -> tensor<?xi4>{%c}
  return %0 : tensor<?xi4>
}
func.func @packed(%x: tensor<2xi8>) -> tensor<4xi4> {
  %0 = flow.tensor.bitcast %x : tensor<2xi8> -> tensor<4xi4>
  return %0 : tensor<4xi4>
}
func.func @constants() -> (tensor<2xi32>, tensor<?xi32>) {
  %0 = flow.tensor.constant dense<[1, 2]> : tensor<2xi32>
  %1 = flow.tensor.dynamic_constant dense<[3, 4]> : tensor<2xi32> -> tensor<?xi32>
  return %0, %1 : tensor<2xi32>, tensor<?xi32>
}
func.func @parameter() -> tensor<2xi32> {
  %0 = flow.tensor.constant #flow.parameter.named<"scope"::"key"> : tensor<2xi32>
  return %0 : tensor<2xi32>
}
"""


@pytest.fixture
def run(noria_tool, tmp_path):
    """Every stage of a run, then machine code: the values that all agree on, or the message that all end with."""

    def call(text, entry, args, count=1):
        path = tmp_path / "f.mlir"
        path.write_text(text)
        outputs = [f"--output=result{i}=@{tmp_path}/{i}.npy" for i in range(count)]
        done = noria_tool("run", path, f"--entry={entry}", *[str(getattr(a, "tolist", lambda a=a: a)()) for a in args],
                          *outputs, "--check-stages")
        if done.returncode:
            *stages, _, message = done.stderr.splitlines()
            assert done.returncode == 1 and not done.stdout, done.stderr
            assert len(stages) == 10 and all("failed: " in s and message.endswith(s.split("failed: ")[1]) for s in stages)
            return message
        return [np.load(tmp_path / f"{i}.npy") for i in range(count)]
    return call


def changed(x, at, to):
    x = x.copy()
    x[at] = to
    return x


GOOD = [
    ("store", [X, 9, 2, 1, 2], [changed(X, (1, 2), 9)]),
    ("load", [X, 2, 1, 2], [X[1, 2]]),
    ("slice", [X, 2, 0, 1, 2, 2, 2], [X[0:2, 1:3]]),
    ("slice", [X, 2, 1, 1, 1, 2, 1], [X[1:2, 1:3]]),
    ("slice", [X, 2, 2, 1, 0, 2, 0], [X[2:2, 1:3]]),
    ("update", [X, np.array([[7, 8]]), 2, 1, 1, 1], [changed(X, np.s_[1:2, 1:3], [7, 8]), X]),
    ("update", [X, np.array([[7, 8], [9, 6]]), 2, 2, 0, 0], [changed(X, np.s_[0:2, 0:2], [[7, 8], [9, 6]]), X]),
    ("reshape", [X, 2, 3, 3, 2], [X.reshape(3, 2, 1)]),
    ("reshape", [X, 2, 3, 1, 6], [X.reshape(1, 6, 1)]),
    ("static", [X, 9], [X.reshape(3, 2), X[0:2, 1:3], changed(X, (1, 2), 9)]),
    ("same", [X[0], 3], [X[0]] * 3),
    ("made", [5, 3, 2], [np.full((2, 3), 5), np.array([5]), np.array(3)]),
]


@pytest.mark.parametrize("elem", ["f32", "i16", "f64", "index", "bf16", "i4"])
def test_values(run, elem):
    for entry, args, want in GOOD:
        if elem == "i4" and any((a > 7).any() for a in want):
            continue
        got = run(OPS.replace("ELEM", elem), entry, args, len(want))
        assert isinstance(got, list), (entry, args, got)
        for g, w in zip(got, want, strict=True):
            np.testing.assert_array_equal(g, w, err_msg=entry)


OUT = "index {} of dim {} is out of bounds: the dim is {}"
BAD = [
    ("store", [X, 9, 3, 1, 2], "dim 0 of operand #1 is 2, not 3 as the op says"),
    ("store", [X, 9, 2, 2, 2], OUT.format(2, 0, 2)),
    ("store", [X, 9, 2, 0, -1], OUT.format(-1, 1, 3)),
    ("store", [X, 9, 2, 0, BIG], OUT.format(BIG, 1, 3)),
    ("load", [X, 2, 1, 3], OUT.format(3, 1, 3)),
    ("load", [X, 2, -BIG - 1, 0], OUT.format(-BIG - 1, 0, 2)),
    ("load", [X, 1, 0, 0], "dim 0 of operand #0 is 2, not 1 as the op says"),
    ("slice", [X, 2, 1, 1, 2, 2, 2], "the part [1, +2] leaves dim 0 of 2"),
    ("slice", [X, 2, 3, 1, 0, 2, 0], "the part [3, +0] leaves dim 0 of 2"),
    ("slice", [X, 2, -1, 0, 1, 2, 1], "the part [-1, +1] leaves dim 0 of 2"),
    ("slice", [X, 2, BIG, 0, BIG, 2, BIG], f"the part [{BIG}, +{BIG}] leaves dim 0 of 2"),
    ("slice", [X, 2, 0, 2, 2, 2, 2], "the part [2, +2] leaves dim 1 of 3"),
    ("slice", [X, 2, 0, 0, 2, 3, 2], "dim 1 has length 3, but is 2 in the result"),
    ("slice", [X, 2, 0, 0, 1, 2, 2], "dim 0 has length 1, but is 2 in the result"),
    ("slice", [X, 2, 0, 0, -1, 2, 1], "dim 0 has length -1, but is 1 in the result"),
    ("slice", [X, 2, 0, 0, -1, 2, -1], "the size of dim 0 is -1; it must not be negative"),
    ("slice", [X, 3, 0, 0, 1, 2, 1], "dim 0 of operand #0 is 2, not 3 as the op says"),
    ("update", [X, X[:1, :2], 2, 1, 1, 2], "the part [2, +2] leaves dim 1 of 3"),
    ("update", [X, X[:1, :2], 2, 1, -1, 1], "the part [-1, +1] leaves dim 0 of 2"),
    ("update", [X, X[:1, :2], 2, 1, BIG, 1], f"the part [{BIG}, +1] leaves dim 0 of 2"),
    ("update", [X, X[:1, :2], 2, 2, 0, 0], "dim 0 of operand #4 is 1, not 2 as the op says"),
    ("update", [X, X[:1, :2], 1, 1, 0, 0], "dim 0 of operand #0 is 2, not 1 as the op says"),
    ("reshape", [X, 2, 3, 3, 3], "the shapes have 6 and 9 elements"),
    ("reshape", [X, 2, 3, -3, -2], "the size of dim 0 is -3; it must not be negative"),
    ("reshape", [X, 2, 3, 2**32, 2**32], f"the shapes have 6 and {BIG} elements"),
    ("reshape", [X, 3, 2, 3, 2], "dim 0 of operand #0 is 2, not 3 as the op says"),
    ("same", [X[0], 2], "dim 0 of operand #0 is 3, not 2 as the op says"),
    ("made", [5, 3, 3], OUT.format(3, 0, 3)),
    ("made", [5, -1, 0], "the size of dim 1 is -1; it must not be negative"),
]


def test_what_is_not_there(run):
    for entry, args, words in BAD:
        got = run(OPS.replace("ELEM", "f32"), entry, args)
        assert isinstance(got, str) and got.endswith(f"op {words}"), (entry, args, got)


def test_bits(run):
    f, b = X.astype(np.float32), np.arange(-8, 8).astype(np.int8)
    np.testing.assert_array_equal(run(BITS, "narrower", [f, 2, 3, 6])[0], f.view(np.int16).reshape(6, 2))
    np.testing.assert_array_equal(run(BITS, "wider", [b, 16, 2])[0], b.view(np.int64))
    assert run(BITS, "narrower", [f, 2, 3, 3]).endswith("op the types have 24 and 12 bytes")
    assert run(BITS, "wider", [b[:9], 9, 1]).endswith("op the types have 9 and 8 bytes")
    # A sign, two bits of exponent with bias 1 and one bit of fraction.
    fours = [0, 0.5, 1, 1.5, 2, 3, 4, 6]
    np.testing.assert_array_equal(run(BITS, "to_f4", [np.arange(8), 8, 8])[0], fours)
    np.testing.assert_array_equal(run(BITS, "to_f4", [np.arange(-8, 0), 8, 8])[0], np.negative(fours))
    np.testing.assert_array_equal(run(BITS, "to_i4", [np.array(fours), 8, 8])[0], np.arange(8))
    np.testing.assert_array_equal(run(BITS, "to_i4", [-np.array(fours[1:]), 7, 7])[0], np.arange(-7, 0))
    assert run(BITS, "to_f4", [np.arange(4), 4, 3]).endswith("op the shapes have 4 and 3 elements")
    for got, want in zip(run(BITS, "constants", [], 2), ([1, 2], [3, 4]), strict=True):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("how", [["--interpret"], []])
def test_what_has_no_bytes(noria_tool, tmp_path, how):
    path = tmp_path / "f.mlir"
    path.write_text(BITS)
    done = noria_tool("run", path, "--entry=packed", "[33, -1]", *how)
    assert done.returncode == 1 and not done.stdout
    assert "op changes the width of elements that are not whole bytes of a number of up to 64 bits" in done.stderr
    done = noria_tool("run", path, "--entry=parameter", *how)
    assert done.returncode == 1 and not done.stdout and "parameter 'scope::key' is in none of the parameter files" in done.stderr
