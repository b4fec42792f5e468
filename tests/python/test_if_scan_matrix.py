"""If and Scan as matrices, as test_loop_matrix.py is for Loop: every type of every version, each kind of value given,
carried and captured; nested; in local functions with attributes by reference. Python computes what is expected; ONNX
Runtime gives it too where it takes the model."""
import itertools
import re

import ml_dtypes  # noqa: F401, NumPy's names of the small types
import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

import noria
from control_flow import all_same
from test_loop_matrix import HEAD, KINDS, results

VERSIONS = {name: sorted({onnx.defs.get_schema(name, v).since_version for v in range(first, 26)})
            for name, first in (("If", 1), ("Scan", 8))}


def element_types(op, version, pattern):
    """The element types among those of the op's values, of texts like `seq(tensor(float))`."""
    schema = onnx.defs.get_schema(op, version)
    allowed = schema.outputs[-1].types
    found = [match[1] for t in allowed if (match := re.fullmatch(pattern.format(r"tensor\((\w+)\)"), t))]
    return sorted(set(found) & set(element_types("Identity", version, pattern)) if op != "Identity" else found)


def array(rng, element, shape):
    if element == "string":
        return np.array([f"s{n}" for n in range(rng.integers(100), 1000)][:int(np.prod(shape))], object).reshape(shape)
    if element == "float8e8m0":
        return (2. ** rng.integers(-2, 3, shape)).astype("float8_e8m0fnu")
    number = getattr(TensorProto, {"float": "FLOAT", "float16": "FLOAT16"}.get(element, element.upper()))
    return rng.integers(0, 2, shape).astype(helper.tensor_dtype_to_np_dtype(number))


def tensor_type(element, shape):
    name = {"float": "FLOAT"}.get(element, element.upper())
    return helper.make_tensor_type_proto(getattr(TensorProto, name), shape)


def compare(model, runs):
    """runs: (feeds, expected outputs). ONNX Runtime does not take all types, and no Scan without trips."""
    data = model.SerializeToString()
    session = noria.InferenceSession(data)
    for feeds, want in runs:
        for _ in range(2):
            all_same(session.run(None, feeds), want, "compiled")
    try:
        judge = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    except Exception as refused:
        assert re.search(r"INVALID_GRAPH|NOT_IMPLEMENTED|not implemented|is not supported|FAIL", str(refused)), refused
        return
    for feeds, want in runs[-2:]:
        all_same(judge.run(None, feeds), want, "ONNX Runtime")


def model_of(nodes, inputs, outputs, opset):
    graph = helper.make_graph(nodes, "g", inputs, outputs)
    versions = [helper.make_opsetid("", opset)]
    return helper.make_model(graph, opset_imports=versions, ir_version=helper.find_min_ir_version_for(versions))


# ---- every type ------------------------------------------------------------------------------------------------------

IF_TYPES = {"{}": lambda t: t, r"seq\({}\)": helper.make_sequence_type_proto,
            r"optional\({}\)": helper.make_optional_type_proto,
            r"optional\(seq\({}\)\)": lambda t: helper.make_optional_type_proto(helper.make_sequence_type_proto(t))}


@pytest.mark.parametrize("version", VERSIONS["If"])
def test_if_of_every_type(version):
    """A branch gives the captured values of every type; optionals are there in one and absent in the other."""
    rng = np.random.default_rng(version)
    inputs, outputs, nodes, values, count = [], [], ([], []), ([], []), 0
    for pattern, wrap in IF_TYPES.items():
        for element in element_types("If", version, pattern):
            kind = wrap(tensor_type(element, [2]))
            for b in range(2):
                inputs.append(helper.make_value_info(f"x{b}_{count}", kind))
                value = array(rng, element, [2])
                value = [value] * (b + 1) if "seq" in pattern else value
                values[b].append(None if "optional" in pattern and b else value)
                nodes[b].append(helper.make_node("Identity", [f"x{b}_{count}"], [f"r{b}_{count}"]))
            outputs.append(helper.make_value_info(f"y{count}", kind))
            count += 1
    assert count >= (15 if version < 16 else 45)
    branches = [helper.make_graph(nodes[b], "branch", [], [helper.make_value_info(f"r{b}_{k}", o.type)
                                                           for k, o in enumerate(outputs)]) for b in range(2)]
    node = helper.make_node("If", ["c"], [o.name for o in outputs], then_branch=branches[0], else_branch=branches[1])
    condition = helper.make_tensor_value_info("c", TensorProto.BOOL, [])
    model = model_of([node], [condition, *inputs], outputs, version)
    feeds = {f"x{b}_{k}": v for b in range(2) for k, v in enumerate(values[b])}
    compare(model, [(feeds | {"c": np.array(not b)}, values[b]) for b in range(2)])


def shift(states, items):
    """What the body does: the states are the last two items; a row is the first state."""
    a, b, rows = *states, []
    for item in items:
        rows.append(a)
        a, b = b, item
    return a, b, np.stack(rows) if rows else np.zeros((0, *a.shape), a.dtype)


@pytest.mark.parametrize("version", VERSIONS["Scan"])
def test_scan_of_every_type(version):
    """Two states, an input and an output for each type. Every second input is scanned along axis 1 and backwards, every
    third output is written so; version 8 scans along axis 1, behind the batch."""
    types = element_types("Scan", version, "{}")
    assert len(types) >= 15
    n, old = len(types), version == 8
    body_in, body_out, nodes, inputs, outputs, rows_of = [], [], [], [], [], []
    for part, shape in (("a", [2]), ("b", [2]), ("x", ["T", 2])):
        for k, element in enumerate(types):
            dims = shape[::-1] if part == "x" and k % 2 and not old else shape
            inputs.append(helper.make_value_info(f"{part}{k}", tensor_type(element, ["B", *dims] if old else dims)))
            body_in.append(helper.make_value_info(f"{part}_{k}", tensor_type(element, [2])))
    for part, source in (("a", "b"), ("b", "x"), ("r", "a")):
        for k, element in enumerate(types):
            nodes.append(helper.make_node("Identity", [f"{source}_{k}"], [f"n{part}_{k}"]))
            body_out.append(helper.make_value_info(f"n{part}_{k}", tensor_type(element, [2])))
            dims = [2] if part != "r" else [2, "T"] if k % 3 == 2 and not old else ["T", 2]
            outputs.append(helper.make_value_info(f"y{part}{k}", tensor_type(element, ["B", *dims] if old else dims)))
    backwards = [k % 2 for k in range(n)]
    attributes = {"directions": backwards} if old else {
        "scan_input_axes": backwards, "scan_input_directions": backwards,
        "scan_output_axes": [int(k % 3 == 2) for k in range(n)],
        "scan_output_directions": [int(k % 3 == 2) for k in range(n)]}
    names = [i.name for i in inputs]
    lengths = [helper.make_tensor_value_info("lengths", TensorProto.INT64, ["B"])] if old else []
    node = helper.make_node("Scan", ["lengths", *names] if old else names, [o.name for o in outputs], num_scan_inputs=n,
                            body=helper.make_graph(nodes, "body", body_in, body_out), **attributes)
    model = model_of([node], lengths + inputs, outputs, version)
    make = scan_8_run if old else scan_run
    compare(model, [make(np.random.default_rng(trips), types, trips) for trips in (0, 1, 3)])


def scan_run(rng, types, trips):
    """Feeds and results."""
    feeds, want = {}, [[], [], []]
    for k, element in enumerate(types):
        states, x = [array(rng, element, [2]) for _ in range(2)], array(rng, element, [trips, 2])
        feeds |= {f"a{k}": states[0], f"b{k}": states[1], f"x{k}": x.T if k % 2 else x}
        a, b, rows = shift(states, x[::-1] if k % 2 else x)
        for part, value in zip(want, (a, b, rows[::-1].T if k % 3 == 2 else rows)):
            part.append(value)
    return {k: np.ascontiguousarray(v) for k, v in feeds.items()}, sum(want, [])


def scan_8_run(rng, types, trips):
    """Entries of a batch have the lengths trips and trips - 1; rows behind the length are 0 or empty strings."""
    lengths = [trips, max(trips - 1, 0)]
    feeds, want = {"lengths": np.array(lengths)}, [[], [], []]
    for k, element in enumerate(types):
        a, b, x = array(rng, element, [2, 2]), array(rng, element, [2, 2]), array(rng, element, [2, trips, 2])
        feeds |= {f"a{k}": a, f"b{k}": b, f"x{k}": x}
        rows = np.full((2, trips, 2), "", object) if element == "string" else np.zeros((2, trips, 2), x.dtype)
        ends = np.copy(a), np.copy(b)
        for e, length in enumerate(lengths):
            items = x[e, :length]
            ends[0][e], ends[1][e], rows[e, :length] = shift((a[e], b[e]), items[::-1] if k % 2 else items)
        for part, value in zip(want, (*ends, rows)):
            part.append(value)
    return feeds, sum(want, [])


# ---- kinds of values -------------------------------------------------------------------------------------------------

# What is between the graph and the value that a branch gives: the lines of the graph, and what they mean.
IF_FORMS = {
    "branch": """
      y = If(c)<then_branch = t () => ({type} n) {{ {lines} }},
                else_branch = e () => ({type} r) {{ r = Identity(a) }}>""",
    "nested": """
      y = If(c)<then_branch = t () => ({type} q) {{
        q = If(d)<then_branch = tt () => ({type} n) {{ {lines} }},
                  else_branch = te () => ({type} r) {{ r = Identity(w) }}>
      }}, else_branch = e () => ({type} q) {{
        z = Identity(a)
        q = If(d)<then_branch = et () => ({type} r) {{ r = Identity(z) }},
                  else_branch = ee () => ({type} n) {{ {lines} }}>
      }}>""",
    "function": "y = f.Choose<swap: int = 0>(c, a, w)",
    "function, the other": "y = f.Choose<swap: int = 1>(c, a, w)",
}
CHOOSE = """
    <domain: "f", opset_import: ["": 21]>
    Choose <swap> (c, a, w) => (y) {{
      y = If(c)<then_branch = t () => (n) {{ {lines} }},
                else_branch = e () => (r) {{
        k = Constant<value_int: int = @swap>()
        s = Cast<to = 9>(k)
        r = If(s)<then_branch = et () => (u) {{ u = Identity(w) }}, else_branch = ee () => (u) {{ u = Identity(a) }}>
      }}>
    }}"""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", IF_FORMS)
def test_if_of_every_kind(form, kind):
    """Every branch gives what it computes from captured values, or one of them; the function's attribute says which."""
    of, a, w, lines, _, following, _ = KINDS[kind]
    lines = re.sub(r"\s+row = .*", "", lines)
    text = f"g (bool c, bool d, {of} a, {of} w) => ({of} y) {{" + IF_FORMS[form].format(type=of, lines=lines) + "}"
    if form.startswith("function"):
        text += CHOOSE.format(lines=lines)
    for c, d in itertools.product([True, False], repeat=2):
        if form == "nested":
            want = (following(a, w) if d else w) if c else (a if d else following(a, w))
        else:
            want = following(a, w) if c else a if form != "function, the other" else w
        results(text, dict(c=c, d=d, a=a, w=w), [want])


# kind: the type of the captured value, the value, and the lines that make a number of it, which is 3.
CAPTURED = {
    "scalar": ("float", 3, "d = Identity(w)"),
    "tensor": ("float[2]", [1, 2], "d = ReduceSum<keepdims = 0>(w)"),
    "string": ("string", "3.0", "d = Cast<to = 1>(w)"),
    "sequence": ("seq(float[2])", [[0, 0], [1, 2]], """
                  one = Constant<value = int64 {1}>()  last = SequenceAt(w, one)  d = ReduceSum<keepdims = 0>(last)"""),
    "optional": ("optional(float[2])", [1, 2], "t = OptionalGetElement(w)  d = ReduceSum<keepdims = 0>(t)"),
}
SCAN = """
      y, rows = Scan<num_scan_inputs = 1{attributes}, body = b (float a, float x) => (float n, float row) {{
        {lines}
        p = Mul(d, x)  n = Add(a, p)  row = Identity(n)
      }}>(s, v)"""
SCAN_FORMS = {
    "body": SCAN,
    "scan in scan": """
      front = Constant<value = int64[1] {{0}}>()  both = Unsqueeze(v, front)  outer = Concat<axis = 0>(both, both)
      y, all = Scan<num_scan_inputs = 1, body = o (float so, float[T] vo) => (float yo, float[T] rowso) {{
        """ + re.sub(r"\b(y|rows|s|v)\b(?=[,) ])", r"\1o", SCAN) + """
      }}>(s, outer)
      rows = Gather(all, one_scalar)""",
    "if in scan": """
      y, rows = Scan<num_scan_inputs = 1{attributes}, body = b (float a, float x) => (float n, float row) {{
        zero = Constant<value = float {{0.0}}>()  c = Greater(x, zero)
        p = If(c)<then_branch = t () => (float q) {{ {lines}  q = Mul(d, x) }},
                  else_branch = e () => (float q) {{ q = Identity(zero) }}>
        n = Add(a, p)  row = Identity(n)
      }}>(s, v)""",
    "function": "y, rows = f.Sums<back: ints = [0]>(s, v, w)",
    "function, backwards": "y, rows = f.Sums<back: ints = [1]>(s, v, w)",
}


@pytest.mark.parametrize("kind", CAPTURED)
@pytest.mark.parametrize("form", SCAN_FORMS)
def test_scan_captures_every_kind(form, kind):
    of, w, lines = CAPTURED[kind]
    graph = SCAN_FORMS[form].format(attributes="", lines=lines)
    text = f"""g (float s, float[T] v, {of} w) => (float y, float[T] rows) {{
      one_scalar = Constant<value = int64 {{1}}>() {graph} }}"""
    if form.startswith("function"):
        body = SCAN.format(lines=lines, attributes=", scan_input_directions: ints = @back")
        text += f"""
        <domain: "f", opset_import: ["": 21]>
        Sums <back> (s, v, w) => (y, rows) {{ {body} }}"""
    for v in [[], [2], [1, 2, 4]]:
        order = v[::-1] if form == "function, backwards" else v
        rows = list(itertools.accumulate((3 * x for x in order), initial=1))
        if form == "scan in scan":
            rows = [r + rows[-1] - 1 for r in rows]
        results(text, dict(s=1, v=v, w=w), [rows[-1], rows[1:]], ort=bool(v))
