"""Inferred types beside those of onnx.shape_inference and the shapes of the expected outputs.

All models of the official suite, as they are and with every dim of their inputs open, the network definitions that
package onnx holds, and the models that `make models` left in build/zoo. Each value that both name, of the graph and of
bodies, must be known to us at least as well as to package onnx, and must not be something else.
"""
import copy
import glob
import os
import pathlib
import re
import warnings

import onnx
import pytest
from onnx.backend.test.case.node import collect_testcases
from onnx.backend.test.loader import load_model_tests
from test_interpreter import as_array

pytestmark = pytest.mark.slow

# Where package onnx says something else: model and value, and why ours is right.
DIFFERENCES = [(re.compile(pattern), why) for pattern, why in {
    r"test_loop11 \w+": "the body declares that Slice gives 1 element: in trip 5 and later it gives none",
    r"test_loop13_seq seq_\w+": "the body declares items of rank 0, and gives ones of rank 1",
    r"test_loop16_seq_none sequence": "the body declares items of rank 0, and inserts what has rank 1 or 0",
    r"test_loop16_seq_none seq_\w+": "the result is the optional initial value when the loop has no trip",
    r"test_attention_\w+ (Y|qk_matmul_output)": "package onnx takes an open dim for 0",
    r"silero_\w+ .*/Unsqueeze_output_0": "the branch runs only where its input has rank 3, and not 2",
}.items()]

ELEMENTS = {"f32": "FLOAT", "ui8": "UINT8", "i8": "INT8", "ui16": "UINT16", "i16": "INT16", "i32": "INT32",
            "i64": "INT64", "!onnx.string": "STRING", "i1": "BOOL", "f16": "FLOAT16", "f64": "DOUBLE",
            "ui32": "UINT32", "ui64": "UINT64", "complex<f32>": "COMPLEX64", "complex<f64>": "COMPLEX128",
            "bf16": "BFLOAT16", "f8E4M3FN": "FLOAT8E4M3FN", "f8E4M3FNUZ": "FLOAT8E4M3FNUZ", "f8E5M2": "FLOAT8E5M2",
            "f8E5M2FNUZ": "FLOAT8E5M2FNUZ", "ui4": "UINT4", "i4": "INT4", "f4E2M1FN": "FLOAT4E2M1",
            "f8E8M0FNU": "FLOAT8E8M0", "ui2": "UINT2", "i2": "INT2"}


# ---- types: ("tensor", element, dims), ("seq", type), ("opt", type), ("map",); dims and what is not known: None ----

def type_of_onnx(t):
    kind = t.WhichOneof("value")
    if kind in ("tensor_type", "sparse_tensor_type"):
        of = getattr(t, kind)
        dims = tuple(d.dim_value if d.HasField("dim_value") and d.dim_value >= 0 else None for d in of.shape.dim)
        return "tensor", onnx.TensorProto.DataType.Name(of.elem_type), dims if of.HasField("shape") else None
    if kind == "sequence_type":
        return "seq", type_of_onnx(t.sequence_type.elem_type)
    if kind == "optional_type":
        return "opt", type_of_onnx(t.optional_type.elem_type)
    return ("map",) if kind else None


def type_of_text(text):
    if item := re.fullmatch(r"!onnx\.(seq|opt)\w*<(.*)>", text):
        return item[1], type_of_text(item[2])
    if tensor := re.fullmatch(r"tensor<(\*x|(?:(?:\d+|\?)x)*)(.*)>", text):
        dims = None if tensor[1] == "*x" else tuple(None if d == "?" else int(d) for d in tensor[1].split("x")[:-1])
        return "tensor", ELEMENTS[tensor[2]], dims
    return ("map",) if text.startswith("!onnx.map") else None


def type_of_value(v):
    """Of an expected output."""
    if isinstance(v, list):
        return ("seq", type_of_value(v[0])) if v else None
    return None if v is None or isinstance(v, dict) else ("tensor", None, as_array(v).shape)


def list_of_types(text):
    """The types behind `->`, which may stand in parentheses."""
    parts, depth = [""], 0
    for c in text[1:-1] if text.startswith("(") else text:
        depth += (c in "<(") - (c in ">)")
        if c == "," and not depth:
            parts.append("")
        else:
            parts[-1] += c
    return [type_of_text(p.strip()) for p in parts]


def disagreement(ours, theirs, must_know=True):
    """What is wrong with ours, or None. must_know: it must say whatever theirs says; else theirs is of a value."""
    if not must_know and ours and ours[0] == "opt":
        ours = ours[1]
    if theirs is None or ours == theirs:
        return None
    if ours is None or ours[0] != theirs[0]:
        return "another kind" if ours or must_know else None
    if ours[0] != "tensor":
        return disagreement(ours[1], theirs[1], must_know) if len(ours) > 1 else None
    if theirs[1] not in (None, "UNDEFINED", ours[1]):
        return "another element type"
    if theirs[2] is None or ours[2] is None:
        return "no rank" if theirs[2] is not None and must_know else None
    if len(ours[2]) != len(theirs[2]):
        return "another rank"
    for a, b in zip(ours[2], theirs[2]):
        if b is not None and a != b and (a is not None or must_know):
            return "an open dim" if a is None else "another dim"
    return None


# ---- the models ----

def models_of_suite():
    """(name, model, expected outputs). The models are copies: other tests run those of package onnx too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in collect_testcases(None):
            yield case.name, copy.deepcopy(case.model), [outputs for _, outputs in case.data_sets]
    for kind in "simple", "pytorch-converted", "pytorch-operator":
        for case in load_model_tests(kind=kind):
            yield case.name, onnx.load(os.path.join(case.model_dir, "model.onnx")), []


def open_inputs(model):
    """Every dim of an input gets a name of its own."""
    number = 0
    for value in model.graph.input:
        if value.type.HasField("tensor_type"):
            for dim in value.type.tensor_type.shape.dim:
                dim.Clear()
                dim.dim_param = f"D{number}"
                number += 1


def number_nodes(graph, nodes):
    for node in graph.node:
        node.name = f"n{len(nodes)}"
        nodes.append(node)
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                number_nodes(attribute.g, nodes)


def prepare(model):
    """Nothing is declared but the inputs, every value of the graph is an output, and each node has its number as name,
    by which its line in the text is found. The names of the outputs; the nodes."""
    graph, nodes = model.graph, []
    names = dict.fromkeys([o.name for o in graph.output] + [o for n in graph.node for o in n.output if o])
    del graph.value_info[:]
    del graph.output[:]
    for name in names:
        graph.output.add().name = name
    number_nodes(graph, nodes)
    return list(names), nodes


def inferred_by_onnx(model):
    """name -> type"""
    found = {}

    def walk(graph):
        for value in [*graph.value_info, *graph.output]:
            if value.HasField("type"):
                found[value.name] = type_of_onnx(value.type)
        for node in graph.node:
            for attribute in node.attribute:
                if attribute.type == onnx.AttributeProto.GRAPH:
                    walk(attribute.g)

    walk(onnx.shape_inference.infer_shapes(model, check_type=False, strict_mode=False, data_prop=True).graph)
    return found


@pytest.fixture(scope="module")
def inferred(noria_tool, tmp_path_factory):
    """name -> type, for the values of the graph and for those of bodies that are left; None with the error."""
    path = tmp_path_factory.mktemp("infer") / "model.onnx"

    def run(model, outputs, nodes):
        path.write_bytes(model.SerializeToString())
        done = noria_tool("opt", "--pipeline", "--stop-after=shape", "--mlir-print-debuginfo",
                          "--mlir-elide-elementsattrs-if-larger=16", path)
        if done.returncode:
            return None, done.stderr
        found = {}
        for types, number in re.findall(r' -> ([^{}\n]*?) loc\("n(\d+)"\)$', done.stdout, re.M):
            types, names = list_of_types(types), nodes[int(number)].output
            if len(types) == len(names):
                found.update(zip(names, types))
        signature = re.search(r"func\.func @\S+\(.*\) -> (.*?) attributes \{noria", done.stdout)[1]
        found.update(zip(outputs, list_of_types(signature), strict=True))
        return found, None

    return run


class Comparison:
    def __init__(self, inferred):
        self.inferred, self.failures, self.compared, self.used = inferred, [], 0, set()

    def report(self, model, value, wrong, ours, theirs):
        listed = [d for d in DIFFERENCES if d[0].fullmatch(f"{model} {value}")]
        self.used.update(why for _, why in listed)
        if not listed:
            self.failures.append(f"{model}, {value}: {wrong}: {ours}, where {theirs} is known")

    def model(self, name, model, expected=(), may_fail=False):
        results = [o.name for o in model.graph.output]
        outputs, nodes = prepare(model)
        ours, error = self.inferred(model, outputs, nodes)
        if ours is None:
            if not may_fail:
                self.failures.append(f"{name}: {error}")
            return
        for value, theirs in inferred_by_onnx(model).items():
            if value in outputs or ours.get(value):  # a value of a body that cannot run has no type
                self.compared += 1
                if wrong := disagreement(ours[value], theirs):
                    self.report(name, value, wrong, ours[value], theirs)
        for outputs in expected:
            for value, theirs in zip(results, map(type_of_value, outputs)):
                self.compared += 1
                if wrong := disagreement(ours[value], theirs, must_know=False):
                    self.failures.append(f"{name}, {value}: {wrong}: {ours[value]}, and the run gives {theirs}")


# What is only known in the run, so that these do not compile without it.
NOT_COMPILED = re.compile(r"test_(constant|edge|reflect|wrap)_pad|test_gathernd_.*")


def test_suite(inferred):
    comparison = Comparison(inferred)
    for name, model, expected in models_of_suite():
        opened = copy.deepcopy(model)
        comparison.model(name, model, expected)
        if not name.endswith("_expanded"):
            open_inputs(opened)
            comparison.model(name, opened, expected, may_fail=NOT_COMPILED.fullmatch(name))
    assert not comparison.failures, f"{len(comparison.failures)}:\n" + "\n".join(comparison.failures)
    assert comparison.compared > 20_000
    assert comparison.used == {why for pattern, why in DIFFERENCES if pattern.pattern.startswith("test_")}


def test_networks(inferred, root):
    """The network definitions of package onnx, which have no weights, and what `make models` fetched and exported."""
    light = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
    zoo = os.environ.get("NORIA_ZOO", root / "build" / "zoo")
    paths = sorted([*light.glob("*.onnx"), *map(pathlib.Path, glob.glob(f"{zoo}/models/*.onnx"))])
    comparison = Comparison(inferred)
    for path in paths:
        comparison.model(path.stem, onnx.load(path))
    assert not comparison.failures, f"{len(comparison.failures)}:\n" + "\n".join(comparison.failures)
    assert comparison.compared > 1000
