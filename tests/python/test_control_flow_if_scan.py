"""If and Scan of all versions, and loops, branches and scans in each other. Expected results are plain Python's and NumPy's."""
import numpy as np
import pytest

from control_flow import check, fails

IF_VERSIONS = [1, 10, 11, 13, 16, 19, 21, 23, 24, 25]
SCAN_VERSIONS = [9, 11, 16, 19, 21, 23, 24, 25]


@pytest.fixture
def run(tmp_path):
    def run(opset, text, feeds, want, **kwargs):
        check(opset, text, feeds, want, tmp_path, **kwargs)

    return run


# ---- If --------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("version", IF_VERSIONS)
@pytest.mark.parametrize("cond", [True, False])
def test_branches(run, version, cond):
    """Two outputs; captured values, constants."""
    run(version, """g (bool c, float[2] x, float[2] y) => (float[2] p, float[2] q) {
          p, q = If<then_branch = t () => (float[2] a, float[2] b) { a = Add(x, y) b = Neg(x) },
                    else_branch = e () => (float[2] a, float[2] b) {
                      a = Constant<value = float[2] {7.0, 8.0}>()
                      b = Mul(a, y)
                    }>(c)
        }""", dict(c=cond, x=[1, 2], y=[3, 4]), [[4, 6], [-1, -2]] if cond else [[7, 8], [21, 32]])


@pytest.mark.parametrize("version", IF_VERSIONS)
@pytest.mark.parametrize("cond", [True, False])
@pytest.mark.parametrize("dims", ["float[N, 3]", "float[2, 3]"])
def test_branches_of_other_dims(run, version, cond, dims):
    x = np.float32([[1, 2, 3], [4, 5, 6]])
    run(version, "g (bool c, DIMS x) => (float[A, B] p, float[A, B] n) {".replace("DIMS", dims) + """
          p = If<then_branch = t () => (float[3, N] a) { a = Transpose(x) },
                 else_branch = e () => (float[M, 3] a) { a = Concat<axis = 0>(x, x) }>(c)
          n = Neg(p)
        }""", dict(c=cond, x=x), (lambda p: [p, -p])(x.T if cond else np.concatenate([x, x])), ort=version >= 11)


RANKS = """g (float[N, 1] x) => (float[] p) {
  two = Constant<value = int64 {2}>()
  n = Size(x)
  c = Equal(n, two)
  p = If<then_branch = t () => (float[] a) { a = Flatten<axis = 0>(x) },
         else_branch = e () => (float[] a) { a = ReduceSum<keepdims = 0>(x) }>(c)
}"""


def test_branch_of_another_rank(run):
    run(16, RANKS, dict(x=[[1], [2]]), [[[1, 2]]], valid=False)
    run(16, RANKS, dict(x=[[1], [2], [3]]), [6], valid=False)

@pytest.mark.parametrize("cond", [True, False])
def test_condition_that_is_a_constant(run, cond):
    """Only its branch is compiled: the other may be of any rank, and wrong."""
    run(16, f"""g (float[4] x) => (float[A] p) {{
          c = Constant<value = bool {{{int(cond)}}}>()
          p = If<then_branch = t () => (float[] a) {{ {'a = Neg(x)' if cond else 'k = Constant<value = int64[2] {9, 9}>() a = Reshape(x, k)'} }},
                 else_branch = e () => (float[] a) {{ {'a = Neg(x)' if not cond else 'k = Constant<value = int64[2] {9, 9}>() a = Reshape(x, k)'} }}>(c)
        }}""", dict(x=[1, 2, 3, 4]), [[-1, -2, -3, -4]], ort=False)


WRONG_BRANCH = """g (bool c, float[4] x) => (float[A] p) {
  p = If<then_branch = t () => (float[] a) { a = Neg(x) },
         else_branch = e () => (float[] a) {
           sizes = Constant<value = int64[2] {3, 3}>()
           a, b = Split<axis = 0>(x, sizes)
         }>(c)
}"""


def test_wrong_branch_that_is_not_taken(run):
    run(16, WRONG_BRANCH, dict(c=True, x=[1, 2, 3, 4]), [[-1, -2, -3, -4]], ort=False)
    message = fails(16, WRONG_BRANCH, [dict(c=True, x=[1, 2, 3, 4]), dict(c=False, x=[1, 2, 3, 4])])
    assert "else branch" in message, message


@pytest.mark.parametrize("dims", ["", "[1]", "[1, 1]", "[N, 1]"])
@pytest.mark.parametrize("cond", [True, False])
def test_condition_of_one_element(run, dims, cond):
    value = np.full({"": (), "[1]": (1,)}.get(dims, (1, 1)), cond)
    run(16, f"""g (bool{dims} c, float x) => (float y) {{
          y = If<then_branch = t () => (float a) {{ a = Neg(x) }}, else_branch = e () => (float a) {{ a = Add(x, x) }}>(c)
        }}""", dict(c=value, x=3), [-3 if cond else 6])


@pytest.mark.parametrize("dims", ["[2]", "[N]"])
def test_condition_of_two_elements(dims):
    message = fails(16, f"""g (bool{dims} c, float x) => (float y) {{
      y = If<then_branch = t () => (float a) {{ a = Neg(x) }}, else_branch = e () => (float a) {{ a = Add(x, x) }}>(c)
    }}""", dict(c=[True, True], x=3))
    assert "condition" in message and "element" in message and "'y'" in message, message


@pytest.mark.parametrize("cond", [True, False])
def test_outer_value_as_output_of_a_branch(run, cond):
    run(16, """g (bool c, float[2] x, float[2] z) => (float[2] y, float[2] w) {
          y = If<then_branch = t () => (float[2] x) {}, else_branch = e () => (float[2] z) {}>(c)
          w = Add(y, x)
        }""", dict(c=cond, x=[1, 2], z=[3, 4]), [[1, 2] if cond else [3, 4], [2, 4] if cond else [4, 6]], ort=False, valid=False)


@pytest.mark.parametrize("cond", [True, False])
def test_initializers_and_names_of_branches(run, cond):
    """Both branches use the same names; an initializer is an output."""
    run(16, """g (bool c, float[2] x) => (float[2] y) {
          y = If<then_branch = t () => (float[2] w) <float[2] w = {1, 2}> {},
                 else_branch = e () => (float[2] r) <float[2] w = {5, 6}> { r = Add(x, w) }>(c)
        }""", dict(c=cond, x=[1, 2]), [[1, 2] if cond else [6, 8]])


@pytest.mark.parametrize("version", [v for v in IF_VERSIONS if v >= 13])
@pytest.mark.parametrize("cond", [True, False])
def test_sequences_from_branches(run, version, cond):
    """Sequences of different lengths; one goes on longer, the input stays as it is."""
    run(version, """g (bool c, seq(float[N]) x) => (seq(float[]) y, int64 n, int64 m) {
          s = If<then_branch = t () => (seq(float[]) a) { a = SequenceEmpty<dtype = 1>() },
                 else_branch = e () => (seq(float[]) a) {
                   at = Constant<value = int64 {0}>()
                   a = SequenceErase(x, at)
                 }>(c)
          k = Constant<value = float[3] {1.0, 2.0, 3.0}>()
          y = SequenceInsert(s, k)
          n = SequenceLength(s)
          m = SequenceLength(x)
        }""", dict(c=cond, x=[[7], [8, 9]]), [[[1, 2, 3]] if cond else [[8, 9], [1, 2, 3]], 0 if cond else 1, 2])


@pytest.mark.parametrize("version", [v for v in IF_VERSIONS if v >= 16])
@pytest.mark.parametrize("cond", [True, False])
def test_optionals_from_branches(run, version, cond):
    run(version, """g (bool c, float[2] x) => (optional(float[2]) y, bool has) {
          y = If<then_branch = t () => (optional(float[2]) a) { a = Optional(x) },
                 else_branch = e () => (optional(float[2]) a) { a = Optional<type = float[2]>() }>(c)
          has = OptionalHasElement(y)
        }""", dict(c=cond, x=[1, 2]), [[1, 2] if cond else None, cond], ort=False)


@pytest.mark.parametrize("cond", [True, False])
def test_strings_from_branches(run, cond):
    run(16, """g (bool c, string[2] x) => (string[A] y) {
          y = If<then_branch = t () => (string[A] a) { a = Identity(x) },
                 else_branch = e () => (string[A] a) { a = Concat<axis = 0>(x, x) }>(c)
        }""", dict(c=cond, x=["", "words of some length"]), [["", "words of some length"] * (1 if cond else 2)])


@pytest.mark.parametrize("n", [0, 5])
def test_a_branch_not_taken_does_nothing(run, n):
    """Its division by zero and its element out of range are not computed."""
    run(16, """g (int64 n, int64[K] x) => (int64 y) {
          zero = Constant<value = int64 {0}>()
          c = Greater(n, zero)
          y = If<then_branch = t () => (int64 a) {
                   hundred = Constant<value = int64 {100}>()
                   q = Div(hundred, n)
                   one = Constant<value = int64 {1}>()
                   at = Sub(n, one)
                   v = Gather(x, at)
                   a = Add(q, v)
                 },
                 else_branch = e () => (int64 a) { a = Identity(zero) }>(c)
        }""", dict(n=n, x=[1, 2, 3, 4, 5] if n else []), [25 if n else 0])


@pytest.mark.parametrize("trips", [0, 3])
def test_a_body_not_run_does_nothing(run, trips):
    """Work that is the same in every trip is not done when there is none."""
    run(16, """g (int64 m, int64 n, int64[K] x) => (int64 y) {
          zero = Constant<value = int64 {0}>()
          y = Loop<body = b (int64 i, bool c, int64 a) => (bool go, int64 next) {
            go = Identity(c)
            hundred = Constant<value = int64 {100}>()
            q = Div(hundred, n)
            v = Gather(x, n)
            s = Add(q, v)
            next = Add(a, s)
          }>(m, "", zero)
        }""", dict(m=trips, n=3 if trips else 0, x=[0, 0, 0, 7] if trips else []), [3 * 40 if trips else 0])


# ---- Scan 9 and later ------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("version", SCAN_VERSIONS)
@pytest.mark.parametrize("dims, n", [("float[N, 2]", 5), ("float[5, 2]", 5), ("float[N, 2]", 0), ("float[N, 2]", 1)])
def test_running_sum(run, version, dims, n):
    """ONNX Runtime refuses no trips."""
    x = np.arange(2 * n, dtype=np.float32).reshape(n, 2)
    run(version, "g (float[2] s, DIMS x) => (float[2] y, float[K, 2] z) {".replace("DIMS", dims) + """
          y, z = Scan<num_scan_inputs = 1, body = b (float[2] a, float[2] v) => (float[2] n, float[2] row) {
            n = Add(a, v)
            row = Identity(n)
          }>(s, x)
        }""", dict(s=[1, 2], x=x), [x.sum(0) + [1, 2], x.cumsum(0) + [1, 2]], ort=n > 0)


@pytest.mark.parametrize("forward_in", [0, 1])
@pytest.mark.parametrize("forward_out", [0, 1])
@pytest.mark.parametrize("axis_in, axis_out", [(0, 0), (1, 1), (2, 1), (-1, -1), (-3, -2), (1, 2)])
def test_axes_and_directions(run, forward_in, forward_out, axis_in, axis_out):
    """Two inputs, two outputs, of which one of each is turned round."""
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    rows = np.moveaxis(x, axis_in, 0)
    weights = np.arange(len(rows), dtype=np.float32)
    turned = rows[::-1] if forward_in else rows
    sums = np.cumsum(turned * weights[:, None, None], 0)
    squares = turned ** 2
    want = [sums[-1], np.moveaxis(sums[::-1] if forward_out else sums, 0, axis_out), squares]
    dims = ", ".join(map(str, rows.shape[1:]))
    run(16, f"""g (float[{dims}] s, float[2, 3, 4] x, float[W] w) => (float[{dims}] y, float[A, B, C] z, float[K, {dims}] q) {{
          y, z, q = Scan<num_scan_inputs = 2, scan_input_axes = [{axis_in}, 0], scan_input_directions = [{forward_in}, 0],
                         scan_output_axes = [{axis_out}, 0], scan_output_directions = [{forward_out}, 0],
                         body = b (float[{dims}] a, float[{dims}] v, float u) => (float[{dims}] n, float[{dims}] row, float[{dims}] square) {{
            p = Mul(v, u)
            n = Add(a, p)
            row = Identity(n)
            square = Mul(v, v)
          }}>(s, x, w)
        }}""", dict(s=np.zeros(rows.shape[1:]), x=x, w=weights), want)


@pytest.mark.parametrize("rank", [2, 3, 16])
@pytest.mark.parametrize("version", [9, 16, 25])
def test_output_axes_at_the_ends(rank, version):
    """Axes are -rank .. rank - 1, and no others, however far from that."""
    dims = ", ".join(["1"] * (rank - 1))
    named = ", ".join("ABCDEFGHIJKLMNOP"[:rank])
    text = f"""g (float[2, {dims}] x) => (float[{named}] y) {{
          y = Scan<num_scan_inputs = 1, scan_output_axes = [AXIS],
                   body = b (float[{dims}] v) => (float[{dims}] row) {{ row = Neg(v) }}>(x)
        }}"""
    x = np.zeros([2] + [1] * (rank - 1))
    for axis in [-rank, rank - 1]:
        assert fails(version, text.replace("AXIS", str(axis)), dict(x=x), valid=False) == "no error"
    far = [rank, -rank - 1, 1 << 62, -(1 << 63), *range(17, 40), *range(-40, -17)]
    for axis in far:
        message = fails(version, text.replace("AXIS", str(axis)), dict(x=x), valid=False)
        assert f"axis {axis} is out of range for rank {rank}" in message, (axis, message)


def test_no_states(run):
    x, y = np.float32([[1, 2], [3, 4], [5, 6]]), np.float32([1, 10, 100])
    run(11, """g (float[N, 2] x, float[N] y) => (float[N, 2] z) {
          z = Scan<num_scan_inputs = 2, body = b (float[2] v, float u) => (float[2] row) { row = Mul(v, u) }>(x, y)
        }""", dict(x=x, y=y), [x * y[:, None]])


def test_no_nodes(run):
    """ONNX Runtime gives memory that nobody wrote."""
    run(11, """g (float s, float[2] t, float[N, 2] x) => (float p, float[2] q, float[N, 2] r) {
          p, q, r = Scan<num_scan_inputs = 1, body = b (float a, float[2] c, float[2] v) => (float a, float[2] v, float[2] c) {}>(s, t, x)
        }""", dict(s=5, t=[0, 0], x=[[1, 2], [3, 4], [5, 6]]), [5, [5, 6], [[0, 0], [1, 2], [3, 4]]], ort=False)


@pytest.mark.parametrize("outputs", ['"", z', 'y, ""'])
def test_outputs_left_out(run, outputs):
    name, want = ("z", [1, 3, 6]) if "z" in outputs else ("y", 6)
    run(11, f"""g (float s, float[N] x) => (float{'[N]' if name == 'z' else ''} {name}) {{
          {outputs} = Scan<num_scan_inputs = 1, body = b (float a, float v) => (float n, float row) {{ n = Add(a, v) row = Identity(n) }}>(s, x)
        }}""", dict(s=0, x=[1, 2, 3]), [want], ort=False)


def test_inputs_of_different_lengths_are_an_error():
    message = fails(11, """g (float[N] x, float[M] y) => (float[N] z) {
      z = Scan<num_scan_inputs = 2, body = b (float v, float u) => (float row) { row = Mul(v, u) }>(x, y)
    }""", [dict(x=[1, 2], y=[1, 2]), dict(x=[1, 2], y=[1, 2, 3])])
    assert "trips" in message and "2" in message and "3" in message, message


def test_state_that_changes_its_shape_is_an_error():
    message = fails(11, """g (float[N] s, float[K] x) => (float[M] y) {
      y = Scan<num_scan_inputs = 1, body = b (float[A] a, float v) => (float[B] n) { n = Concat<axis = 0>(a, a) }>(s, x)
    }""", dict(s=[1, 2], x=[1, 2]))
    assert "state" in message and "2" in message and "4" in message, message


def test_captures_and_scan_in_scan(run):
    """Rows of rows; the inner body reads values of both outer scopes."""
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    want, total = [], 0.0
    for i, row in enumerate(x):
        inner = []
        for v in row:
            total += v * 2 + row.sum()
            inner.append(total)
        want.append(inner)
    run(11, """g (float two, float s, float[N, M] x) => (float y, float[N, M] z) {
          y, z = Scan<num_scan_inputs = 1, body = b (float a, float[M] v) => (float n, float[M] row) {
            sum = ReduceSum<keepdims = 0>(v)
            n, row = Scan<num_scan_inputs = 1, body = b2 (float p, float u) => (float q, float r) {
              twice = Mul(u, two)
              more = Add(twice, sum)
              q = Add(p, more)
              r = Identity(q)
            }>(a, v)
          }>(s, x)
        }""", dict(two=2, s=0, x=x), [total, want])


# ---- Scan 8 ----------------------------------------------------------------------------------------------------------

SCAN_8 = """g (INPUTS float[B, 2] s, float[B, T, 2] x) => (float[B, 2] y, float[B, T, 2] z) {
  y, z = Scan<num_scan_inputs = 1 ATTRIBUTES, body = b (float[2] a, float[2] v) => (float[2] n, float[2] row) {
    n = Add(a, v)
    row = Sub(a, v)
  }>(LENGTHS, s, x)
}"""


def scan_8(s, x, lengths, reverse):
    y, z = s.copy(), np.zeros_like(x)
    for b, length in enumerate(lengths):
        for t in range(length):
            v = x[b, length - 1 - t if reverse else t]
            z[b, t] = y[b] - v
            y[b] += v
    return [y, z]


@pytest.mark.parametrize("reverse", [None, 0, 1])
@pytest.mark.parametrize("lengths", [None, [4, 4, 4], [4, 1, 3], [0, 2, 4]])
def test_scan_8(run, reverse, lengths):
    x = np.arange(24, dtype=np.float32).reshape(3, 4, 2) ** 2
    s = np.float32([[1, 2], [3, 4], [5, 6]])
    text = SCAN_8.replace("INPUTS", "int64[B] l," if lengths else "").replace("LENGTHS", "l" if lengths else '""')
    text = text.replace("ATTRIBUTES", "" if reverse is None else f", directions = [{reverse}]")
    run(8, text, dict(l=lengths, s=s, x=x), scan_8(s, x, lengths or [4] * 3, reverse), ort=0 not in (lengths or []))


def test_scan_8_of_no_batches(run):
    text = SCAN_8.replace("INPUTS", "").replace("LENGTHS", '""').replace("ATTRIBUTES", "")
    run(8, text, dict(s=np.empty((0, 2)), x=np.empty((0, 4, 2))), [np.empty((0, 2)), np.empty((0, 4, 2))], ort=False)


# ---- in each other ---------------------------------------------------------------------------------------------------

def collatz(n):
    seen = []
    while n != 1:
        seen.append(n)
        n = n // 2 if n % 2 == 0 else 3 * n + 1
    return seen


@pytest.mark.parametrize("n", [1, 6, 27])
def test_if_in_loop(run, n):
    run(16, """g (int64 n, bool c, int64 forever) => (int64 y, int64[K] seen) {
          y, seen = Loop<body = b (int64 i, bool ci, int64 a) => (bool go, int64 next, int64 row) {
            one = Constant<value = int64 {1}>()
            two = Constant<value = int64 {2}>()
            rest = Mod(a, two)
            odd = Cast<to = 9>(rest)
            next = If<then_branch = t () => (int64 r) {
                        three = Constant<value = int64 {3}>()
                        m = Mul(a, three)
                        r = Add(m, one)
                      },
                      else_branch = e () => (int64 r) { r = Div(a, two) }>(odd)
            go = Greater(next, one)
            row = Identity(a)
          }>(forever, c, n)
        }""", dict(n=n, c=n != 1, forever=2 ** 63 - 1), [1, collatz(n)])


@pytest.mark.parametrize("trips", [0, 1, 5])
def test_branch_changes_the_carried_shape(run, trips):
    """It grows in every second trip, and else keeps its value."""
    x = [9.0]
    for i in range(trips):
        x = x + [float(i)] if i % 2 == 0 else x
    run(16, """g (int64 m, float[N] x) => (float[K] y) {
          y = Loop<body = b (int64 i, bool c, float[A] a) => (bool go, float[B] next) {
            go = Identity(c)
            two = Constant<value = int64 {2}>()
            rest = Mod(i, two)
            odd = Cast<to = 9>(rest)
            next = If<then_branch = t () => (float[C] r) { r = Identity(a) },
                      else_branch = e () => (float[C] r) {
                        f = Cast<to = 1>(i)
                        axes = Constant<value = int64[1] {0}>()
                        row = Unsqueeze(f, axes)
                        r = Concat<axis = 0>(a, row)
                      }>(odd)
          }>(m, "", x)
        }""", dict(m=trips, x=[9]), [x])


@pytest.mark.parametrize("take", [True, False])
@pytest.mark.parametrize("rows", [0, 1, 4])
def test_loop_in_if_in_scan(run, take, rows):
    """The innermost body reads the row, the state and a value of the graph."""
    x, state, want = np.arange(2 * rows, dtype=np.float32).reshape(rows, 2), np.float32([1, 1]), []
    for v in x:
        if take:
            for j in range(3):
                state = state * np.float32(0.5) + v + j * 10
        else:
            state = -v
        want.append(state)
    run(16, """g (bool c, int64 m, float ten, float[2] s, float[N, 2] x) => (float[2] y, float[N, 2] z) {
          y, z = Scan<num_scan_inputs = 1, body = b (float[2] a, float[2] v) => (float[2] n, float[2] row) {
            n = If<then_branch = t () => (float[2] r) {
                     r = Loop<body = l (int64 j, bool d, float[2] p) => (bool on, float[2] q) {
                       on = Identity(d)
                       half = Constant<value = float {0.5}>()
                       p1 = Mul(p, half)
                       p2 = Add(p1, v)
                       f = Cast<to = 1>(j)
                       tens = Mul(f, ten)
                       q = Add(p2, tens)
                     }>(m, "", a)
                   },
                   else_branch = e () => (float[2] r) { r = Neg(v) }>(c)
            row = Identity(n)
          }>(s, x)
        }""", dict(c=take, m=3, ten=10, s=[1, 1], x=x), [state, np.reshape(want, (rows, 2))], ort=rows > 0)


def test_scan_in_if_in_loop(run):
    """Rows of another size in every trip are summed by a scan; odd trips take the other branch."""
    want, a = [], 1.0
    for i in range(5):
        a = a + sum(range(i)) if i % 2 == 0 else a * 2
        want.append(a)
    run(16, """g (int64 m, float x) => (float y, float[K] s) {
          y, s = Loop<body = b (int64 i, bool c, float a) => (bool go, float next, float row) {
            go = Identity(c)
            two = Constant<value = int64 {2}>()
            rest = Mod(i, two)
            odd = Cast<to = 9>(rest)
            next = If<then_branch = t () => (float r) { r = Add(a, a) },
                      else_branch = e () => (float r) {
                        zero = Constant<value = int64 {0}>()
                        one = Constant<value = int64 {1}>()
                        n = Range(zero, i, one)
                        f = Cast<to = 1>(n)
                        r = Scan<num_scan_inputs = 1, body = sb (float p, float v) => (float q) { q = Add(p, v) }>(a, f)
                      }>(odd)
            row = Identity(next)
          }>(m, "", x)
        }""", dict(m=5, x=1), [a, want], ort=False)


@pytest.mark.parametrize("n", [0, 1, 2, 5, 9])
def test_primes(run, n):
    """A loop that ends inside a counted loop, whose result chooses whether a sequence grows."""
    primes = [p for p in range(2, n + 2) if all(p % d for d in range(2, p))]
    run(16, """g (int64 n) => (int64[K] y) {
          none = SequenceEmpty<dtype = 7>()
          first = Constant<value = int64[0] {}>()
          start = SequenceInsert(none, first)
          s = Loop<body = b (int64 i, bool c, seq(int64[]) found) => (bool go, seq(int64[]) next) {
            go = Identity(c)
            two = Constant<value = int64 {2}>()
            one = Constant<value = int64 {1}>()
            zero = Constant<value = int64 {0}>()
            p = Add(i, two)
            d, last = Loop<body = divide (int64 j, bool dc, int64 a, int64 l) => (bool on, int64 a1, int64 r) {
              a1 = Add(a, one)
              r = Mod(p, a1)
              on = Greater(r, zero)
            }>("", c, one, one)
            prime = Equal(d, p)
            next = If<then_branch = t () => (seq(int64[]) r) {
                        axes = Constant<value = int64[1] {0}>()
                        row = Unsqueeze(p, axes)
                        r = SequenceInsert(found, row)
                      },
                      else_branch = e () => (seq(int64[]) r) { r = Identity(found) }>(prime)
          }>(n, "", start)
          y = ConcatFromSequence<axis = 0>(s)
        }""", dict(n=n), [primes], ort=False)


def test_rows_beyond_memory_are_an_error():
    text = """g (int64 m) => (int64[K, 1000] s) {
      s = Loop<body = b (int64 i, bool c) => (bool go, int64[1000] row) {
        go = Identity(c)
        dims = Constant<value = int64[1] {1000}>()
        row = Expand(i, dims)
      }>(m, "")
    }"""
    # 2^47 elements are the most of any tensor: more rows are refused as a dim, too many bytes as memory.
    for trips, said in ((10 ** 13, f"the system has no memory for {2 ** 63 - 1} bytes"),
                        (2 ** 62, f"'tensor.empty' op dim 0 of the result would be {2 ** 62}"),
                        (2 ** 63 - 1, f"'tensor.empty' op dim 0 of the result would be {2 ** 63 - 1}")):
        assert fails(16, text, [dict(m=3), dict(m=trips)]) == f"node 's': {said}"
