"""Values whose rank is known in the run only: what follows is compiled for each rank. Judges: NumPy, ONNX Runtime."""
import numpy as np
import pytest

import noria
from control_flow import as_value, check, fails, model_of

AXIS = "k = Constant<value = int64[1] {0}>()"


@pytest.fixture
def run(tmp_path):
    def run(text, feeds, want, opset=16, **kwargs):
        check(opset, text, feeds, want, tmp_path, valid=False, **kwargs)  # the checker wants a rank of every output

    return run


def squeeze_if(result, source, condition):
    """result is source without its first dim, or source."""
    return f"""{result} = If<then_branch = t{result} () => (float[] a) {{ {AXIS} a = Squeeze({source}, k) }},
                             else_branch = e{result} () => (float[] a) {{ a = Identity({source}) }}>({condition})"""


X = np.arange(6, dtype=np.float32).reshape(1, 2, 3)


@pytest.mark.parametrize("cond", [True, False])
def test_ops_behind_an_if(run, cond):
    """Results of one rank and of two, of floats and integers; a value is used by several ops."""
    w = np.arange(12, dtype=np.float32).reshape(3, 4)
    x = X[0] if cond else X
    run(f"""g (bool c, float[1, 2, 3] x, float[3, 4] w) => (float[] p, float[2, 4] q, int64[R] s, float[] r) {{
          {squeeze_if('y', 'x', 'c')}
          p = MatMul(y, w)
          shape = Constant<value = int64[2] {{2, 4}}>()
          q = Reshape(p, shape)
          s = Shape(y)
          r = Neg(y)
        }}""", dict(c=cond, x=X, w=w), [x @ w, (x @ w).reshape(2, 4), x.shape, -x])


@pytest.mark.parametrize("rows", [1, 2, 0])
def test_an_if_on_a_dim(run, rows):
    x = np.resize(X, (rows, 2, 3))
    want = x[0] if rows == 1 else x
    run(f"""g (float[N, 2, 3] x) => (float[] y, float z) {{
          n = Shape<start = 0, end = 1>(x)
          one = Constant<value = int64[1] {{1}}>()
          c = Equal(n, one)
          {squeeze_if('t', 'x', 'c')}
          y = Exp(t)
          z = ReduceSum<keepdims = 0>(t)
        }}""", dict(x=x), [np.exp(want), want.sum()])


@pytest.mark.parametrize("c", [True, False])
@pytest.mark.parametrize("d", [True, False])
def test_an_if_in_a_branch(run, c, d):
    x = X.reshape(1, 1, 6)
    want = (x[0][0] if d else -x[0]) if c else x
    run("""g (bool c, bool d, float[1, 1, 6] x) => (float[] y) {
          z = If<then_branch = t () => (float[] a) {
                   """ + AXIS + """ b = Squeeze(x, k)
                   a = If<then_branch = tt () => (float[] e) { l = Constant<value = int64[1] {0}>() e = Squeeze(b, l) },
                          else_branch = te () => (float[] e) { e = Neg(b) }>(d)
                 }, else_branch = e () => (float[] a) { a = Identity(x) }>(c)
          y = Add(z, z)
        }""", dict(c=c, d=d, x=x), [want * 2])


@pytest.mark.parametrize("c", [True, False])
@pytest.mark.parametrize("d", [True, False])
def test_two_values_meet(run, c, d):
    x = np.arange(4, dtype=np.float32).reshape(1, 4)
    left, right = x[0] if c else x, -(x[0] if d else x)
    run(f"""g (bool c, bool d, float[1, 4] x) => (float[] y) {{
          {squeeze_if('u', 'x', 'c')}
          {squeeze_if('v', 'x', 'd')}
          n = Neg(v)
          y = Mul(u, n)
        }}""", dict(c=c, d=d, x=x), [left * right])


@pytest.mark.parametrize("bits", range(8))
def test_eight_versions(run, bits):
    """Ranks 1 to 4, by three branches in a row."""
    x = np.arange(5, dtype=np.float32).reshape(1, 1, 1, 5)
    conds = [bool(bits >> i & 1) for i in range(3)]
    run(f"""g (bool c0, bool c1, bool c2, float[1, 1, 1, 5] x) => (float[] y) {{
          {squeeze_if('a', 'x', 'c0')}  b = Neg(a)
          {squeeze_if('d', 'b', 'c1')}  e = Neg(d)
          {squeeze_if('f', 'e', 'c2')}  y = Neg(f)
        }}""", dict(c0=conds[0], c1=conds[1], c2=conds[2], x=x), [-x.reshape([1] * (3 - sum(conds)) + [5])],
        ort=False)


def test_more_than_eight_versions():
    """Of what is beyond there is one version, of the rank that the value before has; a run that needs another one names the
    node."""
    text = "g (" + ", ".join(f"bool c{i}" for i in range(4)) + ", float[1, 2] x) => (float[] y) {\n"
    for i in range(4):
        text += squeeze_if(f"a{i}", "x", f"c{i}") + f"\nb{i} = Neg(a{i})\n"
    text += "s0 = Add(b0, b1)  s1 = Add(b2, b3)  y = Add(s0, s1) }"
    session = noria.InferenceSession(model_of(16, text, valid=False).SerializeToString())
    x = np.float32([[3, 4]])
    for conds in ([1, 1, 1, 1], [0, 1, 1, 1], [0, 1, 0, 0], [0, 0, 0, 0]):
        feeds = {f"c{i}": np.array(bool(c)) for i, c in enumerate(conds)}
        got, = session.run(None, {**feeds, "x": x})
        np.testing.assert_array_equal(got, -4 * (x[0] if all(conds) else x))
    with pytest.raises(noria.Error, match="node 'b3': a value has rank 1, and it was compiled only for 2"):
        session.run(None, {**feeds, "c3": np.array(True), "x": x})


def test_a_version_that_cannot_be_compiled(run):
    text = f"""g (bool c, float[1, 2, 3] x) => (float[3, 2] y) {{
      {squeeze_if('t', 'x', 'c')}
      y = Transpose<perm = [1, 0]>(t)
    }}"""
    run(text, dict(c=True, x=X), [X[0].T])
    message = fails(16, text, dict(c=False, x=X), valid=False)
    assert message == ("node 'y': 't' has rank 3, for which the rest cannot be compiled: "
                       "node 'y' (Transpose): a permutation of 2 dims for rank 3")


def test_no_version_can_be_compiled():
    message = fails(16, f"""g (bool c, float[1, 2, 3] x) => (float[] y) {{
      {squeeze_if('t', 'x', 'c')}
      y = Transpose<perm = [0, 1, 3, 2]>(t)
    }}""", dict(c=False, x=X), valid=False)
    assert "node 'y' (Transpose): a permutation of 4 dims for rank 2" in message


@pytest.mark.parametrize("kind, seq", [("seq(float[2])", [[1, 2], [3, 4]])])
def test_other_values_beside_it(run, kind, seq):
    """A split block gives sequences too."""
    for cond in (True, False):
        run(f"""g (bool c, float[1, 2] x, {kind} s) => (seq(float[]) y, float[] z) {{
              {squeeze_if('t', 'x', 'c')}
              z = Neg(t)
              y = SequenceInsert(s, z)
            }}""", dict(c=cond, x=[[5, 6]], s=seq), [[*seq, [-5, -6] if cond else [[-5, -6]]],
                                                       [-5, -6] if cond else [[-5, -6]]])


@pytest.mark.parametrize("trips", [0, 1, 3])
def test_in_a_loop(run, trips):
    """A loop that captures a value of two ranks."""
    for cond in (True, False):
        run(f"""g (int64 m, bool c, float[1, 2] x) => (float y, float[K] rows) {{
              {squeeze_if('t', 'x', 'c')}
              zero = Constant<value = float {{0.0}}>()
              y, rows = Loop<body = b (int64 i, bool go, float s) => (bool more, float next, float row) {{
                more = Identity(go)
                row = ReduceSum<keepdims = 0>(t)
                next = Add(s, row)
              }}>(m, "", zero)
            }}""", dict(m=trips, c=cond, x=[[5, 6]]), [11 * trips, [11] * trips])


def test_rows_of_two_ranks_are_an_error():
    text = f"""g (int64 m, float[1, 2] x) => (float[] rows) {{
      rows = Loop<body = b (int64 i, bool go) => (bool more, float[] row) {{
        more = Identity(go)
        one = Constant<value = int64 {{1}}>()
        c = Less(i, one)
        {squeeze_if('row', 'x', 'c')}
      }}>(m, "")
    }}"""
    session = noria.InferenceSession(model_of(16, text, valid=False).SerializeToString())
    x = np.float32([[1, 2]])
    np.testing.assert_array_equal(session.run(None, {"m": np.array(1), "x": x})[0], x)
    with pytest.raises(noria.Error, match="node 'rows': a row of a scan output has rank 2, where rank 1 is needed"):
        session.run(None, {"m": np.array(2), "x": x})


# ---- shapes of unknown length ----------------------------------------------------------------------------------------

SHAPES = [[12], [3, 4], [4, -1, 1], [0, 3, 2, 2], [1] * 6 + [12]]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_reshape(run, shape):
    x = np.arange(12, dtype=np.float32)
    want = x.reshape([12 if d == 0 else d for d in shape]) if 0 not in shape else None
    if want is None:
        x, shape = x.reshape(1, 12), [0, 3, 2, 2]
        want = x.reshape(1, 3, 2, 2)
    run("g (float[N, M] x, int64[R] s) => (float[] y) { z = Reshape(x, s) y = Neg(z) }".replace(
        "[N, M]", "[N, M]" if x.ndim == 2 else "[N]"), dict(x=x, s=shape), [-want])


def test_reshape_to_a_scalar(run):
    run("g (float[N] x, int64[R] s) => (float[] y) { z = Reshape(x, s) y = Neg(z) }", dict(x=[3], s=[]), [-3])


def test_reshape_to_a_declared_rank(run):
    text = "g (float[N] x, int64[R] s) => (float[A, B] y) { y = Reshape(x, s) }"
    run(text, dict(x=range(6), s=[2, -1]), [[[0, 1, 2], [3, 4, 5]]])
    assert "node 'y': a shape has length 3, and it was compiled only for 2" in fails(16, text, dict(x=range(6), s=[1, 2, 3]), valid=False)


def test_reshape_beyond_the_ranks():
    text = "g (float[N] x, int64[R] s) => (float[] y) { z = Reshape(x, s) y = Neg(z) }"
    message = fails(16, text, dict(x=[1], s=[1] * 8), valid=False)
    assert message == "node 'z': a shape has length 8; the most that it is compiled for is 7"


@pytest.mark.parametrize("shape", [[], [4], [3, 1], [2, 3, 4]], ids=str)
def test_expand(run, shape):
    x = np.arange(4, dtype=np.float32)
    run("g (float[4] x, int64[R] s) => (float[] y) { y = Expand(x, s) }", dict(x=x, s=shape),
        [x * np.ones(shape, np.float32)])


@pytest.mark.parametrize("shape", [[], [4], [3, 0], [2, 3, 4]], ids=str)
def test_constant_of_shape(run, shape):
    run("g (int64[R] s) => (float[] y) { y = ConstantOfShape(s) }", dict(s=shape), [np.zeros(shape)])


@pytest.mark.parametrize("axes", [[], [1], [-1, 0], [2, 0, 1]], ids=str)
@pytest.mark.parametrize("op, of_numpy", [("ReduceSum", np.sum), ("ReduceMax", np.max)])
def test_reduced_axes(run, op, of_numpy, axes):
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    want = of_numpy(x, axis=tuple(axes) if axes else None)
    run(f"g (float[A, B, C] x, int64[R] s) => (float[] y) {{ z = {op} <keepdims = 0> (x, s) y = Neg(z) }}",
        dict(x=x, s=axes), [-want], opset=21)


def test_more_reduced_axes_than_dims():
    text = "g (float[A, B] x, int64[R] s) => (float[] y) { y = ReduceSum <keepdims = 0> (x, s) }"
    message = fails(16, text, dict(x=[[1]], s=[0, 1, 0]), valid=False)
    assert "'s' has length 3, for which the rest cannot be compiled: node 'y' (ReduceSum): more axes than dims" in message


# ---- inputs without a shape ------------------------------------------------------------------------------------------

@pytest.mark.parametrize("shape", [(), (4,), (3, 4), (2, 1, 4), (1, 1, 1, 1, 2, 2, 4)], ids=str)
def test_input_without_a_shape(run, shape):
    x = np.ones(shape, np.float32)
    run("g (float[] x, float[4] w) => (float[] y) { y = Add(x, w) }", dict(x=x, w=range(4)),
        [x + np.arange(4, dtype=np.float32)])


def test_input_of_a_rank_beyond():
    text = "g (float[] x) => (float[] y) { y = Neg(x) }"
    model = model_of(16, text, valid=False)
    session = noria.InferenceSession(model.SerializeToString())
    assert session.get_inputs()[0].shape is None and session.get_outputs()[0].shape is None
    with pytest.raises(noria.Error, match="rank"):
        session.run(None, {"x": as_value(np.ones([1] * 9), model.graph.input[0])})


def test_only_one_rank_fits(run):
    """MatMul with a vector behind Transpose: the others cannot be compiled, and one version is left."""
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    text = "g (float[] x, float[2] w) => (float[3] y) { t = Transpose<perm = [1, 0]>(x) y = MatMul(t, w) }"
    run(text, dict(x=x, w=[1, 2]), [x.T @ [1, 2]], ort=False)  # which fuses the two for a matrix only
    assert "'x' has rank 1" in fails(16, text, dict(x=[1, 2], w=[1, 2]), valid=False)


# ---- items of several ranks, and what a Scan takes ---------------------------------------------------------------------

@pytest.mark.parametrize("position", [0, 1, 2, -3])
def test_items_of_several_ranks(run, position):
    items = [np.float32(3), np.float32([1, 2]), np.float32([[5, 6]])]
    run("""g (float a, float[N] b, float[N, M] c, int64 i) => (float[] y, int64[R] s) {
      q = SequenceConstruct(a, b, c)  x = SequenceAt(q, i)  y = Neg(x)  s = Shape(x) }""",
        dict(a=items[0], b=items[1], c=items[2], i=position), [-items[position], list(items[position].shape)])


@pytest.mark.parametrize("there", [True, False])
def test_optional_of_several_ranks(run, there):
    run("""g (bool c, float[N] a, float[N, M] b) => (float[] y) {
      o = If(c)<then_branch = t () => (optional(float[]) p) { p = Optional(a) },
                else_branch = e () => (optional(float[]) p) { p = Optional(b) }>
      x = OptionalGetElement(o)  y = Neg(x) }""",
        dict(c=there, a=[1, 2], b=[[3, 4]]), [[-1, -2] if there else [[-3, -4]]])


@pytest.mark.parametrize("items", [[[1], [2, 3]], [[[1, 2]], [[3, 4]]]], ids=["vectors", "matrices"])
def test_concat_of_items_of_any_rank(run, items):
    arrays = [np.float32(i) for i in items]
    run("g (seq(float[]) s) => (float[] y) { x = ConcatFromSequence<axis = -1>(s)  y = Neg(x) }", dict(s=items),
        [-np.concatenate(arrays, -1)])
    if arrays[0].shape == arrays[1].shape:
        run("g (seq(float[]) s) => (float[] y) { x = ConcatFromSequence<axis = -2, new_axis = 1>(s)  y = Neg(x) }",
            dict(s=items), [-np.stack(arrays, -2)])


def test_map_over_items_of_several_ranks(run):
    items = [np.float32(3), np.float32([1, 2]), np.float32([[5, 6]])]
    run("""g (seq(float[]) s) => (seq(float[]) y, seq(int64[R]) d) {
      y, d = SequenceMap<body = b (float[] x) => (float[] n, int64[R] d) { n = Neg(x)  d = Shape(x) }>(s) }""",
        dict(s=items), [[-i for i in items], [list(i.shape) for i in items]], opset=21)


@pytest.mark.parametrize("trips", [0, 3])
def test_scan_of_unknown_ranks(run, trips):
    """The body declares them."""
    s, x = np.float32([1, 2]), np.arange(2 * trips, dtype=np.float32).reshape(trips, 2)
    rows = s + np.cumsum(x, 0)
    run("""g (float[] s, float[] x) => (float[] y, float[] rows) {
      y, rows = Scan<num_scan_inputs = 1, body = b (float[N] a, float[N] v) => (float[N] n, float[N] r) {
        n = Add(a, v)  r = Identity(n) }>(s, x) }""", dict(s=s, x=x), [rows[-1] if trips else s, rows], ort=trips > 0)


def test_scan_of_a_wrong_rank():
    text = """g (float[] s, float[] x) => (float[] y) {
      y = Scan<num_scan_inputs = 1, body = b (float[N] a, float[N] v) => (float[N] n) { n = Add(a, v) }>(s, x) }"""
    message = fails(16, text, dict(s=[1, 2], x=[1, 2]), valid=False)
    assert message == "node 'y': input 1 has rank 1, where rank 2 is needed"


# ---- lists of unknown length beside what says how long they are ---------------------------------------------------------

@pytest.mark.parametrize("rank", [1, 4, 6])
def test_pads(run, rank):
    """Two of each dim."""
    x = np.arange(2 ** rank, dtype=np.float32).reshape([2] * rank)
    pads = [i % 3 for i in range(2 * rank)]
    dims = ", ".join(f"D{i}" for i in range(rank))
    text = f"g (float[{dims}] x, int64[K] pads) => (float[] y) {{ y = Pad(x, pads) }}"
    run(text, dict(x=x, pads=pads), [np.pad(x, list(zip(pads[:rank], pads[rank:])))])
    assert f"dim 0 of pads is {2 * rank - 1}, not {2 * rank}" in fails(16, text, dict(x=x, pads=pads[1:]), valid=False)


@pytest.mark.parametrize("axes", [[], [3], [-1, 0], [0, 1, 2, 3]], ids=str)
def test_pads_of_some_axes(run, axes):
    x = np.arange(16, dtype=np.float32).reshape(2, 2, 2, 2)
    pads = [i % 3 + 1 for i in range(2 * len(axes))]
    of = [(0, 0)] * 4
    for k, axis in enumerate(axes):
        of[axis] = pads[k], pads[k + len(axes)]
    run("g (float[A, B, C, D] x, int64[K] pads, int64[L] axes) => (float[] y) { y = Pad(x, pads, \"\", axes) }",
        dict(x=x, pads=pads, axes=axes), [np.pad(x, of)], opset=21)


def test_other_lists(run):
    """Repeats, parts and ends are as many as dims, outputs and starts."""
    x = np.arange(4, dtype=np.float32).reshape(1, 2, 1, 2, 1, 1, 1, 1, 1)
    dims = ", ".join("ABCDEFGHI")
    run(f"""g (float[{dims}] x, int64[K] n, int64[L] parts, int64[M] ends) => (float[] y, float[] p, float[] q, float[] z) {{
          y = Tile(x, n)
          p, q = Split<axis = 1>(x, parts)
          one = Constant<value = int64[2] {{0, 1}}>()
          z = Slice(x, one, ends) }}""", dict(x=x, n=[2] * 9, parts=[2, 0], ends=[1, 2]),
        [np.tile(x, [2] * 9), x, x[:, :0], x[:, 1:]])


# ---- tuples of indices of unknown length -----------------------------------------------------------------------------

@pytest.mark.parametrize("at", [[[1], [0]], [[1, 2], [0, -1]], [[1, 2, 3]], [[1, 0, 3, 4]] * 3], ids=str)
def test_gather_nd(run, at):
    """The rank of the result is known in the run only."""
    x = np.arange(120, dtype=np.float32).reshape(2, 3, 4, 5)
    run("g (float[A, B, C, D] x, int64[N, K] i) => (float[] y) { z = GatherND(x, i)  y = Neg(z) }", dict(x=x, i=at),
        [-np.stack([x[tuple(i)] for i in at])])


@pytest.mark.parametrize("at", [[[1], [0]], [[1, 2], [0, -1]]], ids=str)
def test_gather_nd_in_batches(run, at):
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    run("g (float[A, B, C] x, int64[N, K] i) => (float[] y) { z = GatherND<batch_dims = 1>(x, i)  y = Neg(z) }",
        dict(x=x, i=at), [-np.stack([x[(b, *i)] for b, i in enumerate(at)])])


def test_gather_nd_of_a_declared_rank(run):
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    text = "g (float[A, B, C] x, int64[N, K] i) => (float[P, Q] y) { y = GatherND(x, i) }"
    run(text, dict(x=x, i=[[1, 2], [0, 0]]), [x[[1, 0], [2, 0]]])
    assert "node 'y': a value has in dim 1 the size 1, and it was compiled only for 2" in fails(
        16, text, dict(x=x, i=[[1]]), valid=False)


def test_gather_nd_of_too_long_tuples():
    text = "g (float[A, B] x, int64[N, K] i) => (float[] y) { y = GatherND(x, i) }"
    assert "in dim 1 the size 3; the most that it is compiled for is 2" in fails(
        16, text, dict(x=[[1]], i=[[0, 0, 0]]), valid=False)


# ---- several inputs without a shape ----------------------------------------------------------------------------------

@pytest.mark.parametrize("rank", [0, 2, 5])
def test_two_inputs_of_one_rank(run, rank):
    """Of the second one only the version of equal rank is made."""
    x = np.arange(2 ** rank, dtype=np.float32).reshape([2] * rank)
    text = "g (float[] x, float[] y) => (float[] z) { z = Add(x, y) }"
    run(text, dict(x=x, y=x), [2 * x])
    assert f"a value has rank {rank + 1}, and it was compiled only for {rank}: fix the shapes" in fails(
        16, text, dict(x=x, y=[x]), valid=False)


@pytest.mark.parametrize("rank", [1, 3])
def test_scan_of_two_inputs_without_a_shape(run, rank):
    """Nor does the body declare one: both have the same rank, and a state has one less."""
    x = np.arange(3 * 2 ** (rank - 1), dtype=np.float32).reshape([3] + [2] * (rank - 1))
    run("""g (float[] x, float[] y) => (float[] z) {
      z = Scan<num_scan_inputs = 2, body = b (float[] a, float[] c) => (float[] r) { r = Mul(a, c) }>(x, y) }""",
        dict(x=x, y=x + 1), [x * (x + 1)], ort=False)
    s = np.ones(x.shape[1:], np.float32)
    run("""g (float[] s, float[] x) => (float[] y, float[] rows) {
      y, rows = Scan<num_scan_inputs = 1, body = b (float[] a, float[] v) => (float[] n, float[] r) {
        n = Add(a, v)  r = Identity(n) }>(s, x) }""", dict(s=s, x=x), [s + x.sum(0), s + np.cumsum(x, 0)], ort=False)
