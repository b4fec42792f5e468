"""Loop as ONNX's table has it: five modes, trips, what the condition does, and each kind of value carried, gathered and
captured. The expected results are those of a Python loop; ONNX Runtime gives them too where it follows the document.
Local functions and attributes by reference in bodies."""
import itertools

import numpy as np
import onnx
import onnxruntime
import pytest

import noria
from control_flow import all_same, as_value

HEAD = '<ir_version: 10, opset_import: ["": 21, "f": 1]>\n'

# kind: type, initial value, captured value, the body's lines for the next value (from a and the captured w) and for a
# row, the row's type, the next value in Python, the row in Python.
KINDS = {
    "scalar": ("float", 2.0, 3.0, "n = Add(a, w)  row = Identity(n)", "float", lambda a, w: a + w, lambda n, w: n),
    "tensor": ("float[2]", [1.0, 2.0], [3.0, 5.0], "n = Mul(a, w)  row = Identity(n)", "float[2]",
               lambda a, w: [a[0] * w[0], a[1] * w[1]], lambda n, w: n),
    "string": ("string[1]", ["a"], ["-b"], "n = StringConcat(a, w)  row = Identity(n)", "string[1]",
               lambda a, w: [a[0] + w[0]], lambda n, w: n),
    "sequence": ("seq(float[2])", [[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]], """
                  one = Constant<value = int64 {1}>()  last = SequenceAt(w, one)
                  n = SequenceInsert(a, last)  row = SequenceLength(n)""", "int64",
                 lambda a, w: [*a, w[1]], lambda n, w: len(n)),
    "optional": ("optional(float[2])", [1.0, 2.0], [3.0, 4.0], """
                  x = OptionalGetElement(a)  y = OptionalGetElement(w)  s = Sub(y, x)
                  n = Optional(s)  row = ReduceSum<keepdims = 0>(s)""", "float",
                 lambda a, w: [w[0] - a[0], w[1] - a[1]], lambda n, w: sum(n)),
}
MODES = {"while": '"", c', "do": '"", yes', "for": 'm, ""', "for with a condition": "m, c"}
TRIPS = [0, 1, 4]
CONDITIONS = {"false at entry": (False, 9), "becomes false": (True, 1), "stays true": (True, 9)}


def model(mode, kind):
    value, _, _, lines, row, _, _ = KINDS[kind]
    rank = row.replace("[", "[K, ") if "[" in row else row + "[K]"
    return onnx.parser.parse_model(HEAD + f"""
    g (int64 m, bool c, int64 stop, {value} start, {value} w) => ({value} y, {rank} rows) {{
      yes = Constant<value = bool {{1}}>()
      y, rows = Loop<body = b (int64 i, bool go, {value} a) => (bool more, {value} n, {row} row) {{
        more = Less(i, stop)
        {lines}
      }}>({MODES[mode]}, start)
    }}""")


def loop(mode, trips, entry, stop, kind):
    """What the loop is in Python; None: it has no end."""
    _, a, w, _, _, following, row = KINDS[kind]
    limit = trips if mode.startswith("for") else None
    condition = {"while": entry, "do": True, "for": True, "for with a condition": entry}[mode]
    rows, i = [], 0
    while condition and (limit is None or i < limit):
        a = following(a, w)
        rows.append(row(a, w))
        condition = mode == "for" or i < stop
        i += 1
    return a, rows


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", MODES)
def test_matrix(mode, kind):
    made = model(mode, kind)
    data = made.SerializeToString()
    session = noria.InferenceSession(data)
    judge = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    row = made.graph.output[1].type.tensor_type
    for trips, (entry, stop) in itertools.product(TRIPS, CONDITIONS.values()):
        y, rows = loop(mode, trips, entry, stop, kind)
        if not rows:
            rows = np.zeros([0, *(d.dim_value for d in row.shape.dim[1:])])
        feeds = dict(m=trips, c=entry, stop=stop, start=KINDS[kind][1], w=KINDS[kind][2])
        feeds = {i.name: as_value(feeds[i.name], i) for i in made.graph.input}
        want = [as_value(y, made.graph.output[0]), as_value(rows, made.graph.output[1])]
        what = f"{trips} trips, {entry} at entry, false behind trip {stop}"
        all_same(session.run(None, feeds), want, what)
        if mode != "for" or stop > trips:  # ONNX Runtime reads the body's condition where the node has none
            all_same(judge.run(None, feeds), want, f"ONNX Runtime: {what}")


@pytest.mark.parametrize("kind", KINDS)
def test_endless(kind):
    """Without trip count and condition only a limit ends it."""
    made = onnx.parser.parse_model(HEAD + f"""
    g (int64 stop, {KINDS[kind][0]} start, {KINDS[kind][0]} w) => ({KINDS[kind][0]} y) {{
      y = Loop<body = b (int64 i, bool go, {KINDS[kind][0]} a) => (bool more, {KINDS[kind][0]} n) {{
        more = Less(i, stop)
        {KINDS[kind][3]}
      }}>("", "", start)
    }}""")
    options = noria.SessionOptions()
    options.iteration_limit = 50
    session = noria.InferenceSession(made.SerializeToString(), options)
    feeds = dict(stop=1, start=KINDS[kind][1], w=KINDS[kind][2])
    with pytest.raises(noria.Error, match="iteration"):
        session.run(None, {i.name: as_value(feeds[i.name], i) for i in made.graph.input})


# ---- local functions and attributes by reference ---------------------------------------------------------------------

def results(text, feeds, want, ort=True):
    made = onnx.parser.parse_model(HEAD + text)
    data = made.SerializeToString()
    feeds = {i.name: as_value(feeds[i.name], i) for i in made.graph.input}
    want = [as_value(w, o) for w, o in zip(want, made.graph.output, strict=True)]
    all_same(noria.InferenceSession(data).run(None, feeds), want, "compiled")
    if ort:
        all_same(onnxruntime.InferenceSession(data).run(None, feeds), want, "ONNX Runtime")


@pytest.mark.parametrize("trips", TRIPS)
def test_a_body_calls_functions(trips):
    """One of them has a Loop with the attribute of the call in its body, and captures the function's input."""
    want, rows = 1.0, []
    for i in range(trips):
        for _ in range(2):
            want = want * 3 + i
        rows.append(want)
    results("""g (int64 m, float x) => (float y, float[K] rows) {
      y, rows = Loop<body = b (int64 i, bool go, float a) => (bool more, float n, float row) {
        more = Identity(go)
        f = Cast<to = 1>(i)
        n = f.Twice<by: float = 3.0>(a, f)
        row = Identity(n)
      }>(m, "", x)
    }
    <domain: "f", opset_import: ["": 21, "f": 1]>
    Twice <by> (x, add) => (y) {
      two = Constant<value = int64 {2}>()
      y = Loop<body = b (int64 i, bool go, float a) => (bool more, float n) {
        more = Identity(go)
        scale = Constant<value_float: float = @by>()
        p = Mul(a, scale)
        n = f.Sum(p, add)
      }>(two, "", x)
    }
    <domain: "f", opset_import: ["": 21]>
    Sum (a, b) => (c) { c = Add(a, b) }""", dict(m=trips, x=1), [want, rows])


@pytest.mark.parametrize("cond", [True, False])
def test_branches_call_functions(cond):
    """The same function twice, with names of its own that are those of the graph around it."""
    results("""g (bool c, float[3] x) => (float[3] y) {
      t = Neg(x)
      y = If(c)<then_branch = a () => (float[3] r) { u = f.Both<low: float = 1.0>(x)  r = Add(u, t) },
                else_branch = b () => (float[3] r) { r = f.Both<low: float = 0.5>(t) }>
    }
    <domain: "f", opset_import: ["": 21]>
    Both <low> (x) => (y) {
      t = Constant<value_float: float = @low>()
      s = ReduceSum<keepdims = 0>(x)
      c = Greater(s, t)
      y = If(c)<then_branch = a () => (float[3] r) { r = Add(x, t) },
                else_branch = b () => (float[3] r) { k = Constant<value_float: float = @low>()  r = Mul(x, k) }>
    }""", dict(c=cond, x=[1, 2, 3]), [[1, 1, 1] if cond else [-0.5, -1, -1.5]])


def test_a_scan_with_attributes_by_reference():
    """The axes and directions of a Scan are attributes of the call."""
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    results("""g (float[2, 3] x, float[2] s) => (float[2] y, float[3, 2] rows) {
      y, rows = f.Sums<axes: ints = [1], back: ints = [1]>(s, x)
    }
    <domain: "f", opset_import: ["": 21]>
    Sums <axes, back> (s, x) => (y, rows) {
      y, rows = Scan<num_scan_inputs = 1, scan_input_axes: ints = @axes, scan_input_directions: ints = @back,
                     body = b (float[2] a, float[2] v) => (float[2] n, float[2] row) {
        n = Add(a, v)
        row = Identity(n)
      }>(s, x)
    }""", dict(x=x, s=[0, 0]), [x.sum(1), np.cumsum(x[:, ::-1], 1).T])
