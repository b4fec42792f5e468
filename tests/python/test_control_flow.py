"""Loop of all versions: modes, carried values, scan outputs, scopes. Expected results are plain Python's and NumPy's."""
import numpy as np
import pytest

import noria
from control_flow import check, fails, model_of

VERSIONS = [1, 10, 11, 13, 16, 19, 21, 23, 24, 25]


@pytest.fixture
def run(tmp_path):
    def run(opset, text, feeds, want, **kwargs):
        check(opset, text, feeds, want, tmp_path, **kwargs)

    return run


# ---- modes -----------------------------------------------------------------------------------------------------------

COUNTER = """b (int64 i, bool c, float a) => (bool go, float next, float row) {
  one = Constant<value = float {1.0}>()
  next = Add(a, one)
  limit = Constant<value = float {LIMIT}>()
  go = Less(next, limit)
  row = Identity(a)
}"""


def counter(limit):
    return COUNTER.replace("LIMIT", str(float(limit)))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("trips", [0, 1, 5, -3])
def test_trip_count_only(run, version, trips):
    """Without the input, the condition that the body gives is ignored, which ONNX Runtime does not."""
    run(version, 'g (int64 m, float x) => (float y, float[K] s) { y, s = Loop<body = ' + counter(0) + '>(m, "", x) }',
        dict(m=trips, x=2), [2 + max(trips, 0), [2.0 + i for i in range(trips)]], ort=False)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("start", [True, False])
def test_condition_only(run, version, start):
    run(version, 'g (bool c, float x) => (float y, float[K] s) { y, s = Loop<body = ' + counter(40) + '>("", c, x) }',
        dict(c=start, x=2), [40 if start else 2, [2.0 + i for i in range(38)] if start else []])


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("trips, start", [(3, True), (30, True), (3, False), (0, True)])
def test_both(run, version, trips, start):
    n = min(trips, 8) if start else 0
    run(version, "g (int64 m, bool c, float x) => (float y, float[K] s) { y, s = Loop<body = " + counter(10) + ">(m, c, x) }",
        dict(m=trips, c=start, x=2), [2 + n, [2.0 + i for i in range(n)]])


@pytest.mark.parametrize("version", VERSIONS)
def test_condition_constantly_true_at_first(run, version):
    run(version, """g (float x) => (float y, float[K] s) {
          yes = Constant<value = bool {1}>()
          y, s = Loop<body = """ + counter(7.5) + """>("", yes, x)
        }""", dict(x=2), [8, [2.0, 3, 4, 5, 6, 7]])


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("inputs", ['"", "", x', '"", yes, x'])
def test_endless(version, inputs):
    """A loop without an end is stopped by a limit, and the session stays usable."""
    text = """g (float x) => (float y) {
          yes = Constant<value = bool {1}>()
          y = Loop<body = b (int64 i, bool c, float a) => (bool go, float next) {
            one = Constant<value = float {1.0}>()
            go = Identity(c)
            next = Add(a, one)
          }>(INPUTS)
        }""".replace("INPUTS", inputs)
    options = noria.SessionOptions()
    options.iteration_limit = 10000
    session = noria.InferenceSession(model_of(version, text).SerializeToString(), options)
    for _ in range(2):
        with pytest.raises(noria.Error, match="iteration"):
            session.run(None, dict(x=np.float32(0)))


@pytest.mark.parametrize("version", VERSIONS)
def test_session_is_usable_after_a_limit(version):
    options = noria.SessionOptions()
    options.iteration_limit = 5000
    text = """g (int64 m, int64 x) => (int64 y) {
      y = Loop<body = b (int64 i, bool c, int64 a) => (bool go, int64 next) { go = Identity(c) next = Identity(i) }>(m, "", x)
    }"""
    session = noria.InferenceSession(model_of(version, text).SerializeToString(), options)
    with pytest.raises(noria.Error):
        session.run(None, dict(m=np.array(100000), x=np.array(3)))
    assert session.run(None, dict(m=np.array(100), x=np.array(3)))[0] == 99


# ---- inputs and outputs of the node ----------------------------------------------------------------------------------

@pytest.mark.parametrize("iteration", ["int64", "int64[1]"])
@pytest.mark.parametrize("trips, condition", [("int64[1]", "bool"), ("int64", "bool[1]"), ("int64[1]", "bool[1]")])
def test_inputs_of_one_element(run, iteration, trips, condition):
    run(16, f"""g ({trips} m, {condition} c, float[1] x) => (float[1] y) {{
          y = Loop<body = b ({iteration} i, {condition} ci, float[1] a) => ({condition} go, float[1] next) {{
            go = Identity(ci)
            f = Cast<to = 1>(i)
            next = Add(a, f)
          }}>(m, c, x)
        }}""", dict(m=[4] if "[" in trips else 4, c=[True] if "[" in condition else True, x=[0.5]), [[6.5]],
        ort=iteration == "int64")


def test_trip_number_of_rank_1_keeps_it(run):
    run(16, """g (int64 m) => (int64[K, 1] s) {
          s = Loop<body = b (int64[1] i, bool c) => (bool go, int64[1] row) { go = Identity(c) row = Neg(i) }>(m, "")
        }""", dict(m=3), [[[0], [-1], [-2]]], ort=False)


def test_trip_count_of_more_elements_is_an_error():
    text = """g (int64[N] m) => (int64[K] s) {
      s = Loop<body = b (int64 i, bool c) => (bool go, int64 row) { go = Identity(c) row = Identity(i) }>(m, "")
    }"""
    assert "one element" in fails(16, text.replace("[N]", "[2]"), dict(m=[1, 2]))
    assert "elements of the trip count" in fails(16, text, [dict(m=[2]), dict(m=[1, 2])])


@pytest.mark.parametrize("outputs, want", [('"", s', 1), ('y, ""', 0), ("y", 0), ('"", s, ""', 1)])
def test_outputs_left_out(run, outputs, want):
    """ONNX Runtime crashes on a first output that is left out."""
    name = "y" if want == 0 else "s"
    run(16, f"""g (int64 m, float x) => (float{'[K]' if want else ''} {name}) {{
          {outputs} = Loop<body = b (int64 i, bool c, float a) => (bool go, float next, float row, int64 other) {{
            go = Identity(c)
            next = Add(a, a)
            row = Neg(a)
            other = Identity(i)
          }}>(m, "", x)
        }}""", dict(m=3, x=1), [[8.0, [-1.0, -2, -4]][want]], ort=False)


def test_no_carried_values(run):
    run(11, """g (int64 m, bool c) => (int64[K] s) {
          s = Loop<body = b (int64 i, bool ci) => (bool go, int64 row) {
            three = Constant<value = int64 {3}>()
            row = Mul(i, three)
            nine = Constant<value = int64 {9}>()
            go = Less(row, nine)
          }>(m, c)
        }""", dict(m=100, c=True), [[0, 3, 6, 9]])


# ---- the values of a body --------------------------------------------------------------------------------------------

def test_trip_number_is_an_output(run):
    """ONNX Runtime's rows all alias the last number."""
    run(16, """g (int64 m, int64 x) => (int64 y, int64[K] s, int64[K] d) {
          y, s, d = Loop<body = b (int64 i, bool c, int64 last) => (bool c, int64 i, int64 i, int64 delta) {
            delta = Sub(i, last)
          }>(m, "", x)
        }""", dict(m=4, x=7), [3, [0, 1, 2, 3], [-7, 1, 1, 1]], ort=False)


def test_no_nodes(run):
    run(16, """g (int64 m, float[2] x) => (float[2] y, float[K, 2] s) {
          y, s = Loop<body = b (int64 i, bool c, float[2] a) => (bool c, float[2] a, float[2] a) {}>(m, "", x)
        }""", dict(m=3, x=[1, 2]), [[1, 2], [[1, 2]] * 3])


@pytest.mark.parametrize("dims", ["", "[2]", "[N]"])
@pytest.mark.parametrize("trips", [0, 1, 2, 5])
def test_swap(run, dims, trips):
    """The outputs are the inputs in another order: they turn round and leave no value behind."""
    values = [1, 2, 3] if not dims else [[1, 10], [2, 20], [3, 30]]
    want = values[trips % 3:] + values[:trips % 3]
    t = "float" + dims
    run(16, f"""g (int64 m, {t} x, {t} y, {t} z) => ({t} p, {t} q, {t} r) {{
          p, q, r = Loop<body = b (int64 i, bool c, {t} u, {t} v, {t} w) => (bool c, {t} v, {t} w, {t} u) {{}}>(m, "", x, y, z)
        }}""", dict(m=trips, x=values[0], y=values[1], z=values[2]), want)


@pytest.mark.parametrize("dims", ["", "[2]", "[N]"])
def test_swap_beside_work(run, dims):
    x, y = np.float32([1, 2]) if not dims else np.float32([[1, 5], [2, 7]])
    t, a, b, rows = "float" + dims, x, y, []
    for _ in range(4):
        rows.append(a - b)
        a, b = b, a + b
    row_dims = dims.replace("[", "[K, ") or "[K]"
    run(16, f"""g (int64 m, {t} x, {t} y) => ({t} p, {t} q, float{row_dims} s) {{
          p, q, s = Loop<body = b (int64 i, bool c, {t} u, {t} v) => (bool go, {t} v, {t} sum, {t} row) {{
            go = Identity(c)
            sum = Add(u, v)
            row = Sub(u, v)
          }}>(m, "", x, y)
        }}""", dict(m=4, x=x, y=y), [a, b, rows])


@pytest.mark.parametrize("trips", [0, 1, 4])
def test_one_value_yielded_often(run, trips):
    """Twice as carried value and twice as row; writing one must not change the other."""
    x, y, rows = np.float32([1, 2]), np.float32([3, 4]), []
    for _ in range(trips):
        x = y = x + 2 * y
        rows.append(x)
    run(16, """g (int64 m, float[2] x, float[2] y) => (float[2] p, float[2] q, float[K, 2] s, float[K, 2] t) {
          p, q, s, t = Loop<body = b (int64 i, bool c, float[2] u, float[2] v) =>
                                   (bool go, float[2] n, float[2] n, float[2] n, float[2] n) {
            go = Identity(c)
            two = Constant<value = float {2.0}>()
            w = Mul(v, two)
            n = Add(u, w)
          }>(m, "", x, y)
        }""", dict(m=trips, x=[1, 2], y=[3, 4]), [x, y, np.reshape(rows, (-1, 2)), np.reshape(rows, (-1, 2))])


def test_old_value_as_row_beside_the_new_one(run):
    run(16, """g (int64 m, float[N] x) => (float[N] y, float[K, N] old, float[K, N] new) {
          y, old, new = Loop<body = b (int64 i, bool c, float[N] a) => (bool go, float[N] n, float[N] a, float[N] n) {
            go = Identity(c)
            n = Add(a, a)
          }>(m, "", x)
        }""", dict(m=3, x=[1, 3]), [[8, 24], [[1, 3], [2, 6], [4, 12]], [[2, 6], [4, 12], [8, 24]]])


def test_initial_value_is_used_behind_the_loop(run):
    """The carried value is updated in place, but not in the input nor in what else reads it."""
    run(16, """g (int64 m, float[N] x) => (float[N] y, float[N] z, float[N] before) {
          before = Neg(x)
          y = Loop<body = b (int64 i, bool c, float[N] a) => (bool go, float[N] n) { go = Identity(c) n = Add(a, a) }>(m, "", before)
          z = Sub(before, x)
        }""", dict(m=2, x=[1, 2]), [[-4, -8], [-2, -4], [-1, -2]])


def test_body_initializers(run):
    """As operands, as carried value and as row; a Constant as row."""
    run(16, """g (int64 m, float[2] x) => (float[2] y, float[K, 2] s, float[K, 2] t) {
          y, s, t = Loop<body = b (int64 i, bool c, float[2] a) => (bool c, float[2] v, float[2] w, float[2] k)
                                  <float[2] v = {5, 6}, float[2] w = {1, 2}> {
            k = Constant<value = float[2] {3.0, 4.0}>()
          }>(m, "", x)
        }""", dict(m=2, x=[0, 0]), [[5, 6], [[1, 2]] * 2, [[3, 4]] * 2])


def test_initializer_of_a_body_hides_an_outer_one(run):
    run(16, """g (int64 m, float[2] x) => (float[2] y) <float[2] w = {100, 100}> {
          y = Loop<body = b (int64 i, bool c, float[2] a) => (bool go, float[2] n) <float[2] w = {1, 2}> {
            go = Identity(c)
            n = Add(a, w)
          }>(m, "", x)
        }""", dict(m=2, x=[0, 0]), [[2, 4]], ort=False, valid=False)


# ---- carried values that change their shape --------------------------------------------------------------------------

GROW = """g (int64 m, float[N] x) => (float[K] y) {
  y = Loop<body = b (int64 i, bool c, DECLARED a) => (bool go, DECLARED n) {
    go = Identity(c)
    f = Cast<to = 1>(i)
    axes = Constant<value = int64[1] {0}>()
    row = Unsqueeze(f, axes)
    n = Concat<axis = 0>(a, row)
  }>(m, "", x)
}"""


@pytest.mark.parametrize("declared", ["float[]", "float[A]", "float[2]"])
@pytest.mark.parametrize("trips", [0, 1, 6])
def test_grows(run, declared, trips):
    """What a body declares of a carried value's shape is a hint only."""
    run(16, GROW.replace("DECLARED", declared), dict(m=trips, x=[9, 8]), [[9, 8] + list(range(trips))], ort=declared != "float[2]")


def test_declared_shapes_of_carried_values_are_not_believed(run):
    run(16, """g (int64 m, float[2] x) => (float[K] y, int64[T, 1] s) {
          y, s = Loop<body = b (int64 i, bool c, float[2] a) => (bool go, float[2] n, int64[1] size) {
            go = Identity(c)
            n = Concat<axis = 0>(a, a)
            size = Shape(a)
          }>(m, "", x)
        }""", dict(m=3, x=[1, 2]), [[1, 2] * 8, [[2], [4], [8]]], ort=False)


def test_shrinks_to_nothing(run):
    run(16, """g (bool c, float[N] x) => (float[K] y, int64[T, 1] s) {
          y, s = Loop<body = b (int64 i, bool ci, float[A] a) => (bool go, float[B] n, int64[1] size) {
            one = Constant<value = int64[1] {1}>()
            end = Constant<value = int64[1] {1000}>()
            n = Slice(a, one, end)
            size = Shape(n)
            zero = Constant<value = int64[1] {0}>()
            more = Greater(size, zero)
            go = Squeeze(more)
          }>("", c, x)
        }""", dict(c=True, x=[1, 2, 3]), [[], [[2], [1], [0]]])


def test_shapes_alternate(run):
    """Two values that trade shapes; one of both dims changes at a time."""
    run(16, """g (int64 m, float[A, B] x) => (float[C, D] y) {
          y = Loop<body = b (int64 i, bool c, float[] a) => (bool go, float[] n) {
            go = Identity(c)
            t = Transpose(a)
            n = Concat<axis = 0>(t, t)
          }>(m, "", x)
        }""", dict(m=3, x=[[1, 2, 3]]),
        [(lambda f: f(f(f(np.float32([[1, 2, 3]])))))(lambda a: np.concatenate([a.T, a.T]))])


UNSQUEEZED = """g (int64 m, float[2] x) => (float[] y) {
  y = Loop<body = b (int64 i, bool c, float[] a) => (bool go, float[] n) {
    go = Identity(c)
    axes = Constant<value = int64[1] {0}>()
    n = Unsqueeze(a, axes)
  }>(m, "", x)
}"""


@pytest.mark.parametrize("trips", [0, 1, 2, 7])
def test_a_carried_value_gets_other_ranks(run, trips):
    run(16, UNSQUEEZED, dict(m=trips, x=[1, 2]), [np.reshape([1.0, 2.0], [1] * trips + [2])], valid=False)


def test_a_carried_value_gets_too_many_ranks():
    message = fails(16, UNSQUEEZED, [dict(m=7, x=[1, 2]), dict(m=8, x=[1, 2])], valid=False)
    assert "node 'y': carried value 0 gets rank 9: the loop is compiled for 8 ranks" in message


def test_a_carried_value_loses_its_ranks(run):
    """The body cannot be compiled for rank 1, which a third trip would need; the ranks go on behind the loop."""
    text = """g (int64 m, float[1, 1, 2] x) => (float[] y, float[] z) {
      y = Loop<body = b (int64 i, bool c, float[] a) => (bool go, float[] n) {
        go = Identity(c)
        axes = Constant<value = int64[1] {0}>()
        n = Squeeze(a, axes)
      }>(m, "", x)
      z = ReduceSum<keepdims = 0>(y)
    }"""
    for trips in range(3):
        run(16, text, dict(m=trips, x=[[[1, 2]]]), [np.reshape([1.0, 2.0], [1] * (2 - trips) + [2]), 3], valid=False)
    assert "'a' has rank 1" in fails(16, text, dict(m=3, x=[[[1, 2]]]), valid=False)


def test_carried_values_of_two_ranks_that_swap(run):
    run(16, """g (int64 m, float[2] x, float[1, 3] w) => (float[] y, float[] z, float[T] r) {
      y, z, r = Loop<body = b (int64 i, bool c, float[] a, float[] d) => (bool go, float[] n, float[] k, float row) {
        go = Identity(c)
        n = Neg(d)
        k = Identity(a)
        row = ReduceSum<keepdims = 0>(a)
      }>(m, "", x, w)
    }""", dict(m=3, x=[1, 2], w=[[3, 4, 5]]), [[[3, 4, 5]], [-1, -2], [3, -12, -3]], valid=False)


def test_element_type_change_is_an_error():
    message = fails(16, """g (int64 m, float[2] x) => (float[2] y) {
      y = Loop<body = b (int64 i, bool c, float[2] a) => (bool go, int64[2] n) { go = Identity(c) n = Cast<to = 7>(a) }>(m, "", x)
    }""", dict(m=2, x=[1, 2]), valid=False)
    assert "carried value 0" in message and "int64" in message


# ---- scan outputs ----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("trips", [0, 1, 17, 100])
@pytest.mark.parametrize("condition", ['""', "c"])
def test_rows_of_many_kinds(run, trips, condition):
    """Scalars, static rows, rows of an input's size, rows of no elements, several element types."""
    x = np.float32([[1, 2, 3], [4, 5, 6]])
    run(16, f"""g (int64 m, bool c, float[N, 3] x) => (int64[K] s, float[K, 3] t, float[K, N, 3] u, bool[K, 1] v, float[K, 0] w) {{
          s, t, u, v, w = Loop<body = b (int64 i, bool ci) => (bool go, int64 a, float[3] b1, float[N, 3] d, bool[1] e, float[0] z) {{
            go = Identity(ci)
            a = Mul(i, i)
            f = Cast<to = 1>(i)
            d = Mul(x, f)
            b1 = ReduceMax<axes = [0], keepdims = 0>(d)
            two = Constant<value = int64[1] {{2}}>()
            rest = Mod(i, two)
            e = Cast<to = 9>(rest)
            z = Constant<value = float[0] {{}}>()
          }}>(m, {condition})
        }}""", dict(m=trips, c=True, x=x),
        [[i * i for i in range(trips)], np.reshape([4 * i for i in range(trips)], (-1, 1)) + np.array([0, 1, 2]) * np.reshape(range(trips), (-1, 1)),
         np.reshape([x * i for i in range(trips)], (-1, 2, 3)), [[i % 2 == 1] for i in range(trips)] or np.empty((0, 1)),
         np.empty((trips, 0))], ort=trips > 0)


@pytest.mark.parametrize("condition", ['""', "c"])
@pytest.mark.parametrize("trips, n", [(3, 4), (40, 2), (1, 0), (5, 0)])
def test_rows_of_a_size_known_in_the_body(run, condition, trips, n):
    """The size of a row is computed in the body."""
    run(16, f"""g (int64 m, bool c, int64 n) => (int64[K, R] s) {{
          s = Loop<body = b (int64 i, bool ci) => (bool go, int64[R] row) {{
            go = Identity(ci)
            zero = Constant<value = int64 {{0}}>()
            one = Constant<value = int64 {{1}}>()
            r = Range(zero, n, one)
            row = Add(r, i)
          }}>(m, {condition})
        }}""", dict(m=trips, c=True, n=n), [np.arange(trips)[:, None] + np.arange(n)])


@pytest.mark.parametrize("condition", ['""', "c"])
@pytest.mark.parametrize("trips", [3, 40])
def test_rows_of_a_size_known_by_data(run, condition, trips):
    run(16, f"""g (int64 m, bool c, float[N] x) => (int64[K, 1, R] s) {{
          s = Loop<body = b (int64 i, bool ci) => (bool go, int64[1, R] row) {{
            go = Identity(ci)
            at = NonZero(x)
            row = Add(at, i)
          }}>(m, {condition})
        }}""", dict(m=trips, c=True, x=[0, 1, 0, 2]), [[[[1 + i, 3 + i]] for i in range(trips)]])


@pytest.mark.parametrize("trips", [0, -1])
@pytest.mark.parametrize("condition", ['""', "c"])
def test_zero_trips_of_a_carried_row(run, trips, condition):
    """The rows of no trips have the sizes that a carried value starts with."""
    run(16, f"""g (int64 m, bool c, float[N, 3] x) => (float[N, 3] y, float[K, N, 3] s) {{
          y, s = Loop<body = b (int64 i, bool ci, float[N, 3] a) => (bool go, float[N, 3] n, float[N, 3] row) {{
            go = Identity(ci)
            n = Add(a, a)
            row = Neg(a)
          }}>(m, {condition}, x)
        }}""", dict(m=trips, c=True, x=np.ones((4, 3))), [np.ones((4, 3)), np.empty((0, 4, 3))], ort=False)


GROWING_ROWS = """g (int64 m, bool c, float[N] x) => (float[K] y, float[T, K] s) {
  y, s = Loop<body = b (int64 i, bool ci, float[A] a) => (bool go, float[B] n, float[B] row) {
    go = Identity(ci)
    n = Concat<axis = 0>(a, a)
    row = Neg(n)
  }>(m, CONDITION, x)
}"""


@pytest.mark.parametrize("condition", ['""', "c"])
def test_row_that_changes_its_size_is_an_error(condition):
    feeds = [dict(m=1, c=True, x=[1, 2]), dict(m=2, c=True, x=[1, 2])]
    message = fails(16, GROWING_ROWS.replace("CONDITION", condition), feeds)
    assert "scan output 's'" in message, message
    assert "8" in message and "4" in message, message


def test_row_that_turns_is_an_error():
    """2x3 and then 3x2: as many bytes, another shape."""
    message = fails(16, """g (int64 m, float[A, B] x) => (float[C, D] y, float[K, C, D] s) {
      y, s = Loop<body = b (int64 i, bool c, float[] a) => (bool go, float[] n, float[] n) {
        go = Identity(c)
        n = Transpose(a)
      }>(m, "", x)
    }""", [dict(m=1, x=np.ones((2, 3))), dict(m=2, x=np.ones((2, 3)))])
    assert "scan output" in message and "2" in message and "3" in message, message


def test_row_that_is_no_tensor_is_an_error():
    message = fails(16, """g (int64 m, seq(float[2]) x) => (seq(float[2]) y, float[K] s) {
      y, s = Loop<body = b (int64 i, bool c, seq(float[2]) a) => (bool c, seq(float[2]) a, seq(float[2]) a) {}>(m, "", x)
    }""", dict(m=1, x=[[1, 2]]), valid=False)
    assert "not a tensor" in message, message


# ---- scopes ----------------------------------------------------------------------------------------------------------

def test_outer_values_as_outputs(run):
    """Against the letter of the standard, but models in use do it."""
    run(16, """g (int64 m, float[2] x, float[2] z) => (float[2] y, float[K, 2] s) {
          y, s = Loop<body = b (int64 i, bool c, float[2] a) => (bool c, float[2] z, float[2] x) {}>(m, "", x)
        }""", dict(m=2, x=[1, 2], z=[3, 4]), [[3, 4], [[1, 2]] * 2], ort=False, valid=False)


def test_nested_capture(run):
    """The inner body reads values of the graph and of the outer body, which itself does not need them."""
    want, rows = 1.0, []
    for i in range(3):
        inner = [want := want + 10 * i + 0.5 * j + 100 for j in range(2)]
        rows.append(inner)
    run(16, """g (int64 m, int64 n, float x, float far) => (float y, float[K, L] s) {
          y, s = Loop<body = outer (int64 i, bool c, float a) => (bool go, float next, float[L] rows) {
            go = Identity(c)
            ten = Constant<value = float {10.0}>()
            fi = Cast<to = 1>(i)
            tens = Mul(fi, ten)
            next, rows = Loop<body = inner (int64 j, bool d, float p) => (bool on, float q, float row) {
              on = Identity(d)
              half = Constant<value = float {0.5}>()
              fj = Cast<to = 1>(j)
              halves = Mul(fj, half)
              p1 = Add(p, tens)
              p2 = Add(p1, halves)
              q = Add(p2, far)
              row = Identity(q)
            }>(n, c, a)
          }>(m, "", x)
        }""", dict(m=3, n=2, x=1, far=100), [want, rows])


@pytest.mark.parametrize("outer, inner", [(0, 3), (3, 0), (2, 3)])
def test_nested_zero_trips(run, outer, inner):
    run(16, """g (int64 m, int64 n, float[2] x) => (float[2] y, float[K, L, 2] s) {
          y, s = Loop<body = outer (int64 i, bool c, float[2] a) => (bool go, float[2] next, float[L, 2] rows) {
            go = Identity(c)
            next, rows = Loop<body = inner (int64 j, bool d, float[2] p) => (bool on, float[2] q, float[2] row) {
              on = Identity(d)
              q = Add(p, p)
              row = Identity(p)
            }>(n, "", a)
          }>(m, "", x)
        }""", dict(m=outer, n=inner, x=[1, 2]),
        [np.array([1, 2]) * 2 ** (outer * inner),
         np.reshape([np.array([1, 2]) * 2.0 ** k for k in range(outer * inner)], (outer, inner, 2))], ort=outer > 0 and inner > 0)


def test_body_inputs_hide_outer_names(run):
    run(16, """g (int64 m, float x, float a, float i) => (float y, float z) {
          y = Loop<body = b (int64 i, bool c, float a) => (bool go, float n) {
            go = Identity(c)
            f = Cast<to = 1>(i)
            n = Add(a, f)
          }>(m, "", x)
          z = Add(a, i)
        }""", dict(m=4, x=0.5, a=100, i=1000), [6.5, 1100], valid=False, ort=False)


def test_local_values_that_hide_outer_names(run):
    """The standard's rule of single assignment goes for bodies too, but not all exporters keep it."""
    run(16, """g (int64 m, float x) => (float y, float z) {
      n = Neg(x)
      y = Loop<body = b (int64 i, bool c, float a) => (bool go, float n) { go = Identity(c) n = Add(a, a) }>(m, "", x)
      z = Identity(n)
    }""", dict(m=3, x=1), [8, -1], valid=False, ort=False)


def test_siblings_use_the_same_names(run):
    body = "b (int64 i, bool c, float a) => (bool go, float n) { go = Identity(c) n = OP(a, x) }"
    run(16, f"""g (int64 m, float x) => (float y, float z) {{
          y = Loop<body = {body.replace('OP', 'Add')}>(m, "", x)
          z = Loop<body = {body.replace('OP', 'Mul')}>(m, "", y)
        }}""", dict(m=3, x=2), [8, 64])


def test_a_loop_feeds_a_loop(run):
    """The trips of the second are the carried value of the first; its rows are read by the second, row by row."""
    run(16, """g (int64 m, int64 x) => (int64 y, int64 z) {
          y, s = Loop<body = b (int64 i, bool c, int64 a) => (bool go, int64 n, int64 row) {
            go = Identity(c)
            two = Constant<value = int64 {2}>()
            n = Add(a, two)
            row = Mul(a, a)
          }>(m, "", x)
          zero = Sub(m, m)
          z = Loop<body = b (int64 i, bool c, int64 a) => (bool go, int64 n) {
            go = Identity(c)
            row = Gather(s, i)
            n = Add(a, row)
          }>(m, "", zero)
        }""", dict(m=4, x=1), [9, 1 + 9 + 25 + 49])


# ---- types -----------------------------------------------------------------------------------------------------------

TYPES = [(1, ["float", "double", "float16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"]),
         (16, ["bfloat16"]), (19, ["float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz"]), (21, ["int4", "uint4"]),
         (23, ["float4e2m1"]), (24, ["float8e8m0"]), (25, ["int2", "uint2"]), (28, ["float6e2m3", "float6e3m2"])]


@pytest.mark.parametrize("version, name", [(v, t) for v, names in TYPES for t in names])
def test_carried_and_gathered_types(run, version, name):
    x, y = ([1, 0, 1], [0, 1, 1]) if name != "float8e8m0" else ([1, 2, 4], [8, 1, 2])
    run(version, f"""g (int64 m, {name}[3] x, {name}[3] y) => ({name}[3] p, {name}[3] q, {name}[K, 3] s) {{
          p, q, s = Loop<body = b (int64 i, bool c, {name}[3] u, {name}[3] v) => (bool go, {name}[3] w, {name}[3] u, {name}[3] row) {{
            go = Identity(c)
            w = Identity(v)
            row = Identity(v)
          }}>(m, "", x, y)
        }}""", dict(m=3, x=x, y=y), [y, x, [y, x, y]], ort=False)


def test_strings(run):
    """ONNX Runtime moves the captured string away in the first trip."""
    run(16, """g (int64 m, string[2] x, string one) => (string[2] y, string[K, 2] s, string[K] t) {
          y, s, t = Loop<body = b (int64 i, bool c, string[2] a) => (bool go, string[2] n, string[2] a, string w) {
            go = Identity(c)
            n = Constant<value = string[2] {"north", ""}>()
            w = Identity(one)
          }>(m, "", x)
        }""", dict(m=3, x=["a", "a long string that needs room"], one="one"),
        [["north", ""], [["a", "a long string that needs room"], ["north", ""], ["north", ""]], ["one"] * 3], ort=False)


@pytest.mark.parametrize("trips", [0, 1, 5])
def test_strings_swap(run, trips):
    x, y = (["b", "c"], ["a", "dd"]) if trips % 2 else (["a", "dd"], ["b", "c"])
    run(16, """g (int64 m, string[2] x, string[2] y) => (string[2] p, string[2] q) {
          p, q = Loop<body = b (int64 i, bool c, string[2] u, string[2] v) => (bool go, string[2] v, string[2] w) {
            go = Identity(c)
            w = Identity(u)
          }>(m, "", x, y)
        }""", dict(m=trips, x=["a", "dd"], y=["b", "c"]), [x, y])


# ---- sequences and optionals -----------------------------------------------------------------------------------------

@pytest.mark.parametrize("version", [v for v in VERSIONS if v >= 13])
@pytest.mark.parametrize("trips", [0, 1, 4])
def test_sequence_is_carried(run, version, trips):
    """Items of different sizes; the input stays as it is, also when there are no trips."""
    run(version, """g (int64 m, seq(float[N]) x) => (seq(float[]) y, seq(float[]) z, int64 n) {
          y = Loop<body = b (int64 i, bool c, seq(float[]) a) => (bool go, seq(float[]) longer) {
            go = Identity(c)
            zero = Constant<value = int64 {0}>()
            one = Constant<value = int64 {1}>()
            r = Range(zero, i, one)
            f = Cast<to = 1>(r)
            longer = SequenceInsert(a, f)
          }>(m, "", x)
          at = Constant<value = int64 {0}>()
          first = SequenceAt(x, at)
          z = SequenceConstruct(first)
          n = SequenceLength(y)
        }""", dict(m=trips, x=[[7], [8, 9]]), [[[7], [8, 9]] + [list(range(i)) for i in range(trips)], [[7]], 2 + trips])


@pytest.mark.parametrize("trips", [0, 3])
def test_sequence_starts_empty_and_ends_as_tensor(run, trips):
    run(16, """g (int64 m, float[2] x) => (float[K, 2] y, int64 n) {
          none = SequenceEmpty<dtype = 1>()
          s, v = Loop<body = b (int64 i, bool c, seq(float[2]) a, float[2] v) => (bool go, seq(float[2]) longer, float[2] w) {
            go = Identity(c)
            longer = SequenceInsert(a, v)
            w = Add(v, v)
          }>(m, "", none, x)
          last = SequenceInsert(s, v)
          y = ConcatFromSequence<axis = 0, new_axis = 1>(last)
          n = SequenceLength(s)
        }""", dict(m=trips, x=[1, 3]), [[np.array([1, 3]) * 2 ** i for i in range(trips + 1)], trips])


@pytest.mark.parametrize("trips", [0, 1, 4])
def test_sequences_swap(run, trips):
    p, q = [[1], [2, 3]], [[4, 5, 6]]
    for _ in range(trips):
        p, q = q, p + [[0.5]]
    run(16, """g (int64 m, seq(float[A]) x, seq(float[B]) y) => (seq(float[]) p, seq(float[]) q) {
          p, q = Loop<body = b (int64 i, bool c, seq(float[]) u, seq(float[]) v) => (bool go, seq(float[]) v, seq(float[]) w) {
            go = Identity(c)
            half = Constant<value = float[1] {0.5}>()
            w = SequenceInsert(u, half)
          }>(m, "", x, y)
        }""", dict(m=trips, x=[[1], [2, 3]], y=[[4, 5, 6]]), [p, q])


def test_sequence_passes_through(run):
    """ONNX Runtime leaves the second of two equal outputs empty."""
    run(16, """g (int64 m, seq(float[A]) x) => (seq(float[]) p, seq(float[]) q, float s) {
          p, q, s = Loop<body = b (int64 i, bool c, seq(float[]) u, seq(float[]) v, float t) =>
                                  (bool c, seq(float[]) u, seq(float[]) u, float t1) {
            zero = Constant<value = int64 {0}>()
            first = SequenceAt(v, zero)
            sum = ReduceSum<keepdims = 0>(first)
            t1 = Add(t, sum)
          }>(m, "", x, x, start)
        }""".replace("g (int64 m, ", "g (int64 m, float start, "), dict(m=3, start=0, x=[[1, 2], [3]]), [[[1, 2], [3]], [[1, 2], [3]], 9], ort=False)


def test_captured_sequence(run):
    """Read in the inner of two bodies, item by item, from the end."""
    run(16, """g (int64 m, seq(float[A]) x) => (float[K, L] s) {
          n = SequenceLength(x)
          s = Loop<body = b (int64 i, bool c) => (bool go, float[L] rows) {
            go = Identity(c)
            rows = Loop<body = b2 (int64 j, bool d) => (bool on, float row) {
              on = Identity(d)
              one = Constant<value = int64 {1}>()
              k = Add(j, one)
              back = Neg(k)
              item = SequenceAt(x, back)
              sum = ReduceSum<keepdims = 0>(item)
              f = Cast<to = 1>(i)
              row = Add(sum, f)
            }>(n, "")
          }>(m, "")
        }""", dict(m=2, x=[[1], [2, 3], [4, 5, 6]]), [[[15, 5, 1], [16, 6, 2]]])


def test_sequence_erased_until_empty(run):
    run(16, """g (bool c, seq(float[A]) x) => (seq(float[]) y, float[K] s) {
          y, s = Loop<body = b (int64 i, bool ci, seq(float[]) a) => (bool go, seq(float[]) rest, float row) {
            zero = Constant<value = int64 {0}>()
            item = SequenceAt(a, zero)
            row = ReduceSum<keepdims = 0>(item)
            rest = SequenceErase(a, zero)
            n = SequenceLength(rest)
            go = Greater(n, zero)
          }>("", c, x)
        }""", dict(c=True, x=[[1], [2, 3], [4, 5, 6]]), [[], [1, 5, 15]])


@pytest.mark.parametrize("version", [v for v in VERSIONS if v >= 16])
@pytest.mark.parametrize("start", [None, [1, 2]])
@pytest.mark.parametrize("trips", [0, 3])
def test_optional_is_carried(run, version, start, trips):
    """Nothing becomes a row of zeros; a row doubles."""
    want = start
    for _ in range(trips):
        want = [0, 0] if want is None else [2 * v for v in want]
    run(version, """g (int64 m, optional(float[2]) x) => (optional(float[2]) y, bool has) {
          y = Loop<body = b (int64 i, bool c, optional(float[2]) a) => (bool go, optional(float[2]) n) {
            go = Identity(c)
            is = OptionalHasElement(a)
            v = If<then_branch = t () => (float[2] twice) { e = OptionalGetElement(a) twice = Add(e, e) },
                   else_branch = e () => (float[2] k) { k = Constant<value = float[2] {0.0, 0.0}>() }>(is)
            n = Optional(v)
          }>(m, "", x)
          has = OptionalHasElement(y)
        }""", dict(m=trips, x=start), [want, want is not None], ort=False)


@pytest.mark.parametrize("trips", [0, 1, 3])
def test_optional_starts_empty_and_says_nothing_of_its_rank(run, trips):
    run(19, """g (int64 m, float[N] x) => (bool has, float[N] y) {
        none = Optional <type = float[]> ()
        last = Loop <body = b (int64 i, bool c, optional(float[]) a) => (bool c2, optional(float[]) a2)
            { c2 = Identity(c)  f = Cast <to = 1> (i)  v = Add(x, f)  a2 = Optional(v) }> (m, "", none)
        has = OptionalHasElement(last)
        y = If (has) <then_branch = t () => (float[] t1) { t1 = OptionalGetElement(last) },
                      else_branch = e () => (float[] e1) { e1 = Neg(x) }>
    }""", dict(m=trips, x=[1.0, 2.0]), [trips > 0, [float(trips), trips + 1.0] if trips else [-1.0, -2.0]])


@pytest.mark.parametrize("trips", [0, 1, 3])
def test_optional_sequence_is_carried(run, trips):
    run(16, """g (int64 m, optional(seq(float[N])) x) => (optional(seq(float[])) y, bool has) {
          y = Loop<body = b (int64 i, bool c, optional(seq(float[])) a) => (bool go, optional(seq(float[])) n) {
            go = Identity(c)
            e = OptionalGetElement(a)
            one = Constant<value = float[1] {1.0}>()
            l = SequenceInsert(e, one)
            n = Optional(l)
          }>(m, "", x)
          has = OptionalHasElement(y)
        }""", dict(m=trips, x=[[5], [6, 7]]), [[[5], [6, 7]] + [[1]] * trips, True], ort=False)
