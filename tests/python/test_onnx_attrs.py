"""Attributes of ONNX nodes: the rows of dialect onnx against the schemas of package onnx, and what is said of models
whose attributes the schemas do not allow."""
import re

import numpy as np
import onnx
import pytest
from onnx import AttributeProto, TensorProto, defs, helper
from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema

import noria

GRAPH = defs.OpSchema.AttrType.GRAPH


@pytest.fixture(scope="module")
def rows(noria_tool):
    """Op -> ([(attribute, kind, default or None, required, since, until)], [graphs]), as the tool lists them."""
    page = noria_tool("opt", "--list-ops=markdown", "--dialect=onnx")
    assert page.returncode == 0
    ops = {}
    for part in page.stdout.split("\n## `onnx.")[1:]:
        name = part[:part.index("`")]
        regions = re.search(r"^- regions: `(.*)`$", part, re.M)
        attrs = []
        for attr, kind, default, sets in re.findall(r"^\| `(\w+)` \| (\w+) \| (.*) \| (.*) \|$", part, re.M):
            since, until = re.search(r"since (\d+)", sets), re.search(r"before (\d+)", sets)
            attrs.append((attr, kind, None if default in ("", "required") else default, default == "required",
                          int(since[1]) if since else 0, int(until[1]) if until else 10**6))
        ops[name] = (attrs, [name.rstrip("?") for name in regions[1].split(", ")] if regions else [])
    return ops


def schemas():
    """Each op's schemas, by name: all versions, ascending."""
    found = {}
    for schema in defs.get_all_schemas_with_history():
        found.setdefault(f"{schema.domain}.{schema.name}".lstrip("."), []).append(schema)
    return {name: sorted(versions, key=lambda schema: schema.since_version) for name, versions in found.items()}


def as_row(kind, text):
    """A default of a row as helper.get_attribute_value gives that of a schema."""
    if text is None:
        return None
    return {"int": int, "float": np.float32, "string": str.encode,
            "ints": lambda s: [int(item) for item in s.split(", ")],
            "strings": lambda s: [item.encode() for item in s.split(", ")]}[kind](text)


def as_schema(attribute):
    if not attribute.default_value.type:
        return None
    value = helper.get_attribute_value(attribute.default_value)
    return np.float32(value) if isinstance(value, float) else value


def test_rows_are_the_schemas(rows):
    """Every attribute of every version of every op: its name, its kind, its default, whether it is required."""
    known, wrong, checked = schemas(), [], 0
    for op in sorted(set(rows) - {"NoValue", "Yield"}):
        for schema in known.get(op, ()):
            version = schema.since_version
            attrs, graphs = rows[op]
            ours = [(name, kind, as_row(kind, default), required)
                    for name, kind, default, required, since, until in attrs if since <= version < until]
            theirs = [(a.name, a.type.name.lower(), as_schema(a), a.required)
                      for a in schema.attributes.values() if a.type != GRAPH]
            if sorted(ours, key=str) != sorted(theirs, key=str):
                wrong.append((op, version, sorted(ours, key=str), sorted(theirs, key=str)))
            if op == "ai.onnx.preview.training.Gradient":  # the import makes its region of what xs and y name
                graphs = []
            if sorted(graphs) != sorted(a.name for a in schema.attributes.values() if a.type == GRAPH):
                wrong.append((op, version, graphs))
            checked += 1
    assert not wrong and checked > 500


def test_rows_of_com_microsoft(rows):
    """The schemas of ONNX Runtime's own domain have names, kinds, and what is required."""
    known = {schema.name: schema for schema in get_all_operator_schema() if schema.domain == "com.microsoft"}
    ours = {op.rpartition(".")[2]: row for op, row in rows.items() if op.startswith("com.microsoft.")}
    assert ours
    for op, (attrs, _) in ours.items():
        theirs = {name: (a.type.name.lower(), a.required) for name, a in known[op].attributes.items()}
        assert {name: (kind, required) for name, kind, _, required, _, _ in attrs} == theirs, op


def test_no_entry_is_beyond_the_schemas(rows):
    """An entry that no version of the schema has would not be seen above."""
    known = schemas()
    for op, (attrs, _) in rows.items():
        for name, _, _, _, since, until in attrs if op in known else ():
            assert any(since <= schema.since_version < until and name in schema.attributes for schema in known[op])
            assert since == 0 or since in [schema.since_version for schema in known[op]][1:]


def model_of(nodes, opset, inputs=1):
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info(f"x{i}", TensorProto.FLOAT, [2, 3, 4])
                                           for i in range(inputs)],
                              [helper.make_tensor_value_info("y", TensorProto.UNDEFINED, None)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8).SerializeToString()


def error_of(op, opset, inputs=1, /, **attributes):
    node = helper.make_node(op, [f"x{i}" for i in range(inputs)], ["y"], name="n", **attributes)
    with pytest.raises(noria.Error) as caught:
        noria.InferenceSession(model_of([node], opset, inputs))
    return str(caught.value)


@pytest.mark.parametrize("op, opset, attributes, message", [
    ("Softmax", 13, {"axes": 1}, "node 'n' (Softmax): there is no attribute 'axes' in operator set 13; "
                                 "did you mean 'axis'?"),
    ("LeakyRelu", 16, {"aplha": 0.5}, "there is no attribute 'aplha' in operator set 16; did you mean 'alpha'?"),
    ("Relu", 14, {"q": 1}, "node 'n' (Relu): there is no attribute 'q' in operator set 14"),
    ("ReduceMean", 18, {"axes": [1]}, "there is no attribute 'axes' in operator set 18, only before 18"),
    ("ReduceMean", 13, {"noop_with_empty_axes": 1}, "'noop_with_empty_axes' in operator set 13, only since 18"),
    ("MaxPool", 12, {}, "node 'n' (MaxPool): attribute 'kernel_shape' is missing; it must be a list of integers"),
    ("Cast", 13, {}, "attribute 'to' is missing; it must be an integer"),
    ("Cast", 13, {"to": "FLOAT"}, "attribute 'to' must be an integer, not a string"),
    ("Softmax", 13, {"axis": 1.0}, "node 'n' (Softmax): attribute 'axis' must be an integer, not a float"),
    ("Softmax", 13, {"axis": [1]}, "attribute 'axis' must be an integer, not a list of integers"),
    ("Elu", 6, {"alpha": 1}, "attribute 'alpha' must be a float, not an integer"),
    ("Transpose", 13, {"perm": [0.0, 1.0, 2.0]}, "attribute 'perm' must be a list of integers, not a list of floats"),
    ("Relu", 14, {"opset": 3}, "there is no attribute 'opset'"),
    ("Relu", 14, {"noria.fails": 1}, "there is no attribute 'noria.fails'"),
])
def test_wrong_attributes(op, opset, attributes, message):
    assert message in error_of(op, opset, **attributes)


WORDS = {"int": "an integer", "float": "a float", "string": "a string", "tensor": "a tensor", "type_proto": "a type",
         "sparse_tensor": "a sparse tensor", "ints": "a list of integers", "floats": "a list of floats",
         "strings": "a list of strings"}
NEWEST = {"": 28, "ai.onnx.ml": 5}


def newest_attrs(rows):
    """(domain, op, opset, attributes) of the newest version of each op."""
    for name, (attrs, _) in sorted(rows.items()):
        domain, _, op = name.rpartition(".")
        opset = NEWEST.get(domain, 1)
        yield domain, op, opset, [a for a in attrs if a[4] <= opset < a[5]]


def node_error(domain, op, opset, attributes):
    node = helper.make_node(op, [], ["y"], name="n", domain=domain)
    node.attribute.extend(helper.make_attribute(name, value) for name, value in attributes.items())
    graph = helper.make_graph([node], "g", [], [onnx.ValueInfoProto(name="y")])
    opsets = [helper.make_opsetid("", 28)] + [helper.make_opsetid(domain, opset)] * bool(domain)
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()
    with pytest.raises(noria.Error) as caught:
        noria.InferenceSession(model)
    return str(caught.value)


def test_every_attribute_of_a_wrong_kind(rows):
    checked = 0
    for domain, op, opset, attrs in newest_attrs(rows):
        if op in ("NoValue", "Yield"):
            continue
        for name, kind, *_ in attrs:
            error = node_error(domain, op, opset, {name: 1 if kind == "strings" else ["s"]})
            assert f"attribute '{name}' must be {WORDS[kind]}, not" in error and "node 'n'" in error, (op, name, error)
            checked += 1
    assert checked > 550


def test_every_required_attribute_that_is_missing(rows):
    checked = 0
    for domain, op, opset, attrs in newest_attrs(rows):
        for name, kind, _, required, *_ in attrs:
            if required:
                error = node_error(domain, op, opset, {})
                assert f"attribute '{name}' is missing; it must be {WORDS[kind]}" in error, (op, name, error)
                checked += 1
    assert checked > 50


def small_graph(name="b"):
    return helper.make_graph([helper.make_node("Identity", ["x0"], ["z"])], name, [],
                             [helper.make_tensor_value_info("z", TensorProto.FLOAT, None)])


def test_graphs():
    assert ("node 'n' (Softmax): attribute 'axis' must be an integer, not a graph"
            in error_of("Softmax", 13, axis=small_graph()))
    assert "attribute 'body' must be a graph, not an integer" in error_of("SequenceMap", 17, body=3)
    assert ("node 'n' (If): there is no attribute 'then_brnch' in operator set 13; did you mean 'then_branch'?"
            in error_of("If", 13, then_brnch=small_graph(), else_branch=small_graph()))
    assert ("node 'n' (If): attribute 'else_branch' is missing; it must be a graph"
            in error_of("If", 13, then_branch=small_graph()))


def test_a_list_of_graphs_is_no_attribute():
    node = helper.make_node("Relu", ["x0"], ["y"], name="n")
    node.attribute.append(AttributeProto(name="bodies", type=AttributeProto.GRAPHS, graphs=[small_graph()]))
    with pytest.raises(noria.Error, match=r"there is no attribute 'bodies' in operator set 14"):
        noria.InferenceSession(model_of([node], 14))


def test_a_node_that_nothing_uses_is_checked_too():
    nodes = [helper.make_node("Softmax", ["x0"], ["unused"], name="dead", axes=1),
             helper.make_node("Relu", ["x0"], ["y"])]
    with pytest.raises(noria.Error, match=r"node 'dead' \(Softmax\): there is no attribute 'axes'"):
        noria.InferenceSession(model_of(nodes, 13))


def test_extensions_are_allowed():
    """As in the checker of package onnx: names that begin with two underscores are nobody's."""
    model = model_of([helper.make_node("Relu", ["x0"], ["y"], __origin="exporter")], 14)
    x = np.array([[[-1, 2, 0, 3]] * 3] * 2, np.float32)
    np.testing.assert_array_equal(noria.InferenceSession(model).run(None, {"x0": x})[0], np.maximum(x, 0))


def test_text_is_checked(noria_tool):
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = "onnx.Elu"(%x) {noria.opset = 6, alpa = 2.0 : f32} : (tensor<2xf32>) -> tensor<2xf32>
  "onnx.Yield"(%y) : (tensor<2xf32>) -> ()
}
"""
    done = noria_tool("opt", "-", stdin=text)
    assert done.returncode == 1
    assert "'onnx.Elu' op there is no attribute 'alpa' in operator set 6; did you mean 'alpha'?" in done.stderr


def test_defaults_by_version():
    """An absent attribute stands for the default of the node's version, here against the formulas of the schemas."""
    x = np.linspace(-2, 2, 24, dtype=np.float32).reshape(2, 3, 4)

    def run(op, opset, **attributes):
        model = model_of([helper.make_node(op, ["x0"], ["y"], **attributes)], opset)
        return noria.InferenceSession(model).run(None, {"x0": x})[0]

    whole = np.exp(x.reshape(2, 12))
    last = np.exp(x)
    np.testing.assert_allclose(run("Softmax", 11), (whole / whole.sum(1, keepdims=True)).reshape(x.shape), rtol=1e-5)
    np.testing.assert_allclose(run("Softmax", 13), last / last.sum(2, keepdims=True), rtol=1e-5)
    for opset, alpha, gamma in ((1, 1.6732, 1.0507), (6, 1.67326319217681884765625, 1.05070102214813232421875)):
        want = gamma * np.where(x > 0, x, alpha * np.expm1(x.astype(np.float64)))
        np.testing.assert_allclose(run("Selu", opset), want, rtol=1e-6)
    powers = np.abs(x.astype(np.float64)) ** 1.5
    np.testing.assert_allclose(run("GlobalLpPool", 1, p=1.5), powers.sum(2, keepdims=True) ** (1 / 1.5), rtol=1e-5)
    np.testing.assert_allclose(run("GlobalLpPool", 2), np.sqrt((x.astype(np.float64) ** 2).sum(2, keepdims=True)),
                               rtol=1e-5)
