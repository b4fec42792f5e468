"""Every element type that an op's newest schema allows: for each constraint of each op and each of its types, a random
node whose answer ONNX Runtime, the onnx package or NumPy knows. Where they lack the type, they are asked about a wider
one. A type that no node can have stands in REASONS, what other files test in ELSEWHERE or is reached by their models; a
test fails when a type has none of these.

    python tests/python/test_op_types.py [op ...]     # all of an op's types: what is missing, and counts
"""
import collections
import copy
import functools
import itertools
import re
import sys
import zlib

import ml_dtypes
import numpy as np
import onnx
import pytest
import test_onnx_complex
import test_onnx_gradient
import test_onnx_maps
from onnx import TensorProto, helper
from ops import make_node
from random_draw import NEWEST, Operand, difference, expected, kind, model_of, operand
from random_ops import GENERATORS
from test_op_versions import ELSE, LOWERED, TESTED, VERSIONS, WITHDRAWN, DrawVersion, Unfit, reason
from test_ops_random import described

import noria

TRIES = 600  # draws for each op; a type needs a few of them
# {op: (the types, why)}; a pattern of "constraint type".
REASONS = {"Col2Im": ("T tensor.(bool|string).", "bool and string, sums of which have no meaning")}
# {op: (the types, the file that tests them)}: those that nobody but NumPy knows, and those of files of images.
ELSEWHERE = {
    "ImageDecoder": (".*", "test_onnx_image_decoder.py"),
    "LayerNormalization": ("U tensor.bfloat16.", "test_onnx_edges.py"),
    "MeanVarianceNormalization": ("T tensor.(bfloat16|double|float16).", "test_onnx_edges.py"),
    "ai.onnx.ml.TreeEnsemble": ("T tensor.float16.", "test_onnx_trees.py"),
}



def element(name):
    """The NumPy type in "seq(tensor(float))"."""
    number = TensorProto.DataType.Value(re.search(r"tensor\((\w+)", name)[1].upper())
    return np.dtype(helper.tensor_dtype_to_np_dtype(number))


def formals(schema):
    """(constraint, types, whether it is an input) of each; the constraint of a fixed type is the name."""
    variables = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
    for of, is_input in ((schema.inputs, True), (schema.outputs, False)):
        for f in of:
            known = f.type_str in variables
            yield f.type_str if known else f.name, variables[f.type_str] if known else [f.type_str], is_input


def targets(schema):
    """{(constraint, type)}"""
    return {(c, t) for c, types, _ in formals(schema) for t in types}


class DrawTyped(DrawVersion):
    """Draws nodes of one version in which what has a choice of types has this one, more often than not."""

    def __init__(self, seed, version, dtype, eager):
        super().__init__(seed, version)
        self.dtype, self.eager = dtype, eager

    def type_of(self, op, opset, i=0, only=None):
        drawn = super().type_of(op, opset, i, only)
        return self.dtype if kind(self.dtype) in (only or "fiubO") and self.chance(self.eager) else drawn

    def choose(self, *options):
        drawn = super().choose(*options)
        types = all(isinstance(o, (type, np.dtype)) for o in options)
        return self.dtype if types and self.chance(self.eager) else drawn

    def array(self, dtype, shape=None, low=None, high=None, special=0.):
        if kind(dtype) == "c":
            return (super().array(np.float64, shape) + 1j * super().array(np.float64, shape)).astype(dtype)
        if dtype != object:
            return super().array(dtype, shape, low, high, special)
        return as_type(super().array(np.int64, shape, low, high), dtype)


def as_type(x, dtype):
    """x in another type, where all values that it has there are ones that the type holds."""
    if dtype == object:
        whole = np.round(np.asarray(x).astype(np.float64)).astype(np.int64)
        return np.array([f"s{v}" for v in whole.ravel()], object).reshape(whole.shape)
    x = np.asarray(x).astype(np.float64)
    if dtype.name == "float8_e8m0fnu":
        return np.exp2(np.round(np.abs(x)) % 4).astype(dtype)
    if kind(dtype) in "iu":
        info = ml_dtypes.iinfo(dtype)
        return np.clip(np.round(np.abs(x) if info.min == 0 else x), info.min, min(info.max, 2 ** 53)).astype(dtype)
    return x.astype(dtype)


def converted(case, schema, goal, dtype):
    """Changes inputs of the goal's constraint to the type, if there are any; attributes that name an output's type."""
    names = [c for c, _, is_input in formals(schema) if is_input]
    if goal[0] in names:
        at = [min(i, len(names) - 1) for i in range(len(case.inputs))]
        whole = [i for i, x in enumerate(case.inputs) if x is not None and
                 (names[at[i]] == goal[0] if case.nodes is None else not isinstance(x, Operand))]
        for i in whole:
            x = case.inputs[i]
            if operand(x).dtype != dtype:
                new = as_type(operand(x), dtype)
                case.inputs[i], case.wants = Operand(new, dtype) if isinstance(x, Operand) else new, None
        return
    for name in ("dtype", "output_datatype", "output_dtype"):
        if name in schema.attributes and case.nodes is None:
            case.attrs = case.attrs | {name: int(helper.np_dtype_to_tensor_dtype(dtype))}
            case.wants = None


WIDER = {"f": (np.float32, np.float64), "i": (np.int32, np.int64, np.float32, np.float64),
         "u": (np.uint8, np.int64, np.float32, np.float64), "b": (np.int32, np.float32),
         "O": (np.int64, np.int32, np.float32)}


def by_a_wider_type(draw, case, declared, dtype):
    """The answer to the same node of another type, rounded: (answers, who gave them)."""
    who = ""
    for wide in WIDER.get(kind(dtype), ()):
        other = copy.copy(case)
        try:
            other.inputs = [wider(x, dtype, wide) for x in case.inputs]
            wants, by = expected(other, *model_of(copy.deepcopy(draw), other)[1:])
        except Exception as e:
            wants, by = None, str(e)
        who += by
        if wants is not None:
            with np.errstate(all="ignore"):
                wants = [narrower(np.asarray(w), t) if t is not None and np.asarray(w).dtype == wide else w
                         for w, t in zip(wants, declared)]
            if fitting(wants, declared):
                return wants, f"{by}, wider"
    return None, who


def narrower(x, dtype):
    return as_type(x.astype(np.int64), dtype) if dtype == object else x.astype(dtype)


def wider(x, dtype, wide):
    if x is None or operand(x).dtype != dtype:
        return x
    value = operand(x)
    if dtype == object:
        value = np.array([int(s[1:] or 0) for s in value.ravel()]).reshape(value.shape)
    value = value.astype(np.float64).astype(wide)
    return Operand(value, wide) if isinstance(x, Operand) else value


def fitting(wants, declared):
    """Whether answers have the types that the model says."""
    return wants is not None and all(t is None or np.asarray(w).dtype == t or kind(t) == "f" and
                                     np.asarray(w).dtype == np.uint8 and t.itemsize == 1
                                     for w, t in zip(wants, declared))


def text_of(t):
    which = t.WhichOneof("value")
    if which == "tensor_type":
        return f"tensor({TensorProto.DataType.Name(t.tensor_type.elem_type).lower()})"
    if which == "map_type":
        names = (t.map_type.key_type, t.map_type.value_type.tensor_type.elem_type)
        return f"map({', '.join(TensorProto.DataType.Name(n).lower() for n in names)})"
    inner = getattr(t, which).elem_type if which else None
    return f"{'seq' if which == 'sequence_type' else 'optional'}({text_of(inner)})" if which else ""


def reached(model, op, schema):
    """The targets that nodes of the op are, by the types of their inputs and outputs. An error of the model raises."""
    graph = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True).graph
    types = {v.name: text_of(v.type) for v in [*graph.input, *graph.value_info, *graph.output]}
    types |= {i.name: f"tensor({TensorProto.DataType.Name(i.data_type).lower()})" for i in graph.initializer}
    all_formals, found = list(formals(schema)), set()
    for node in graph.node:
        if (f"{node.domain}.{node.op_type}" if node.domain else node.op_type) != op:
            continue
        for names, is_input in ((node.input, True), (node.output, False)):
            of = [f for f in all_formals if f[2] == is_input]
            found |= {(of[min(i, len(of) - 1)][0], types[n]) for i, n in enumerate(names) if types.get(n)}
    return found


# ---- whole values: any type of value goes through --------------------------------------------------------------------

RANK = 2


def value_type(text, rank=RANK):
    inner = re.fullmatch(r"(seq|optional)\((.*)\)", text)
    if inner:
        make = helper.make_sequence_type_proto if inner[1] == "seq" else helper.make_optional_type_proto
        return make(value_type(inner[2], rank))
    return helper.make_tensor_type_proto(helper.np_dtype_to_tensor_dtype(element(text)), [None] * rank)


def value_of(d, text):
    """A value of a type."""
    if "seq(" in text:
        return [d.array(element(text), d.shape((RANK, RANK), 1)) for _ in range(d.integer(1, 3))]
    return d.array(element(text), d.shape((RANK, RANK), 1))


def through(d, op, text, constraint):
    """(model, feeds, wants): two values of a type, of which control flow or a wrapper gives one, or both."""
    a, b, t = value_of(d, text), value_of(d, text), value_type(text)
    info = helper.make_value_info
    inputs, feeds = [info("a", t), info("b", t)], {"a": a, "b": b}
    out, wants = t, [a]
    number = helper.make_tensor_value_info
    if op == "If":
        taken = d.chance()
        branches = {f"{name}_branch": helper.make_graph([], name, [], [info(of, t)])
                    for name, of in (("then", "a"), ("else", "b"))}
        node = make_node(op, ["c"], ["y"], **branches)
        inputs.append(number("c", TensorProto.BOOL, []))
        feeds["c"], wants = np.array(taken), [a if taken else b]
    elif op == "Loop":
        body = helper.make_graph([], "body", [number("i", TensorProto.INT64, []), number("go", TensorProto.BOOL, []),
                                              info("p", t), info("q", t)],
                                 [number("go", TensorProto.BOOL, []), info("q", t), info("p", t)])
        trips = d.integer(0, 3)
        node = make_node(op, ["m", "", "a", "b"], ["y", "z"], body=body)
        inputs.append(number("m", TensorProto.INT64, []))
        feeds["m"], wants = np.array(trips), [a if trips % 2 == 0 else b]
    elif op == "Scan":
        row = info("q", value_type(text, RANK - 1))
        body = helper.make_graph([], "body", [info("p", t), row], [info("p", t), row])
        node, wants = make_node(op, ["a", "b"], ["y", "z"], body=body, num_scan_inputs=1), [a, b]
    elif op == "Optional" and constraint == "O":
        node, out = make_node(op, [], ["y"], type=t.optional_type.elem_type), t
        wants = [None]
    elif op == "Optional":
        node, out = make_node(op, ["a"], ["y"]), helper.make_optional_type_proto(t)
    elif op == "OptionalHasElement":
        node, wants = make_node(op, ["a"], ["y"]), [np.array(True)]
        out = helper.make_tensor_type_proto(TensorProto.BOOL, [])
    elif op == "OptionalGetElement":
        node, out = make_node(op, ["a"], ["y"]), t.optional_type.elem_type if text.startswith("optional") else t
    else:
        node = make_node(op, ["a"], ["y"])
    outputs = [info("y", out)] + ([info("z", out)] if op == "Scan" else [])
    graph = helper.make_graph([node], "values", inputs, outputs)
    version = VERSIONS[op, newest(op)].since_version
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=13), feeds, wants


WHOLE = ["Identity", "If", "Loop", "Scan", "Optional", "OptionalHasElement", "OptionalGetElement"]


def newest(op):
    return max(v for o, v in VERSIONS if o == op and (o, v) not in WITHDRAWN)


def whole_values(op, todo):
    """What is wrong with each target that is reached so."""
    wrong = {}
    for constraint, text in sorted(todo):
        if constraint not in ("V", "O") or (op == "Scan" and "tensor" != text[:6]):
            continue
        d = DrawTyped([zlib.crc32(f"{op}{text}".encode())], NEWEST, element(text), 1)
        model, feeds, wants = through(d, op, text, constraint)
        try:
            got = noria.InferenceSession(model.SerializeToString()).run(None, feeds)
            wrong[constraint, text] = next((x for x in (difference(g, w, 0) for g, w in zip(got, wants)) if x), "")
        except noria.Error as e:
            wrong[constraint, text] = str(e)
    return wrong


# ---- all ops ---------------------------------------------------------------------------------------------------------

OPS = sorted({op for op, _ in VERSIONS if op in LOWERED and (op in GENERATORS or op in WHOLE) and
              not any("map(" in t for _, t in targets(VERSIONS[op, newest(op)]))})


@functools.cache
def reached_elsewhere():
    """{op: the targets that nodes of the models of other files are}"""
    found = collections.defaultdict(set)
    for model in itertools.chain(*(m.models() for m in (test_onnx_complex, test_onnx_gradient, test_onnx_maps))):
        for op in {f"{n.domain}.{n.op_type}" if n.domain else n.op_type for n in model.graph.node}:
            found[op] |= reached(model, op, VERSIONS[op, newest(op)])
    return found


def matches(table, op, goal):
    return op in table and re.fullmatch(table[op][0], " ".join(goal)) is not None


def is_elsewhere(op, goal):
    if op in OPS and "complex" not in goal[1]:
        return matches(ELSEWHERE, op, goal)
    return matches(ELSEWHERE, op, goal) or op not in WHOLE and goal in reached_elsewhere()[op]


def excused(op, goal):
    return matches(REASONS, op, goal) or is_elsewhere(op, goal)


def draw(op, schema, goal, number):
    """(the draw behind the case, case), or None when this number gives none that fits."""
    domain, dtype = op.rpartition(".")[0], element(goal[1])
    d = DrawTyped([number, zlib.crc32(op.encode())], NEWEST if domain else schema.since_version, dtype, number % 3 / 2)
    case = d.choose(*GENERATORS[op])(d, op)
    if not domain and case.opset < schema.since_version:
        raise Unfit
    if number % 2:
        converted(case, schema, goal, dtype)
    if case.opset > NEWEST and not case.ask and any(o == op and v <= NEWEST for o, v in VERSIONS):
        case.ask = NEWEST
    return d, case


def check(op):
    """({target: what is wrong}, how many targets are right)."""
    schema = VERSIONS[op, newest(op)]
    everything = {t for t in targets(schema) if not excused(op, t)}
    wrong = whole_values(op, everything) if op in WHOLE else {}
    todo = everything - {t for t, w in wrong.items() if not w}
    if op in ("If", "Loop") and todo != everything:  # the condition and the number of trips are always there
        todo -= {("B", "tensor(bool)"), ("I", "tensor(int64)")}
    why = {t: w for t, w in wrong.items() if w}
    for number in range(TRIES if op in GENERATORS else 0):
        if not todo:
            break
        goal = sorted(todo)[number % len(todo)]
        try:
            d, case = draw(op, schema, goal, number)
            before = copy.deepcopy(d)
            model, twin, feeds = model_of(d, case)
            found = reached(model, op, schema) & todo
        except Exception as e:  # of the generator, which does not take the type
            why.setdefault(goal, f"no model: {type(e).__name__} {e}")
            continue
        if not found:
            continue
        declared = [np.dtype(helper.tensor_dtype_to_np_dtype(o.type.tensor_type.elem_type))
                    if o.type.HasField("tensor_type") else None for o in model.graph.output]
        wants, who = expected(case, twin, feeds)
        if not fitting(wants, declared):
            wants, who = by_a_wider_type(before, case, declared, element(goal[1]))
        try:
            got = noria.InferenceSession(model.SerializeToString()).run(None, feeds)
        except noria.Error as e:
            why.update(dict.fromkeys(found, f"{described(case, model)}: {e}"))
            continue
        if wants is None:
            for t in found:
                why.setdefault(t, f"nobody knows: {described(case, model)}: {who}")
            continue
        tolerance = max(case.tolerance, 1e-6 if who != "NumPy" else 0)
        bad = next((x for x in (difference(g, w, tolerance) for g, w in zip(got, wants)) if x), "")
        if bad:
            why.update(dict.fromkeys(found, f"wrong: {described(case, model)}: {bad} ({who})"))
        else:
            todo -= found
    return {t: why.get(t, "never drawn") for t in todo}, len(everything) - len(todo)


def table():
    """Lines of a page of docs: each op, its versions, its types, and what of them is not tested, with the reason."""
    rows, sums = [], collections.Counter()
    for op in sorted({op for op, _ in VERSIONS}):
        versions = sorted(v for o, v in VERSIONS if o == op)
        why = sorted({reason(op, v) for v in versions} - {"", ELSE})
        types = targets(VERSIONS[op, newest(op)])
        tested = sum(op in OPS and not matches(REASONS, op, t) or is_elsewhere(op, t) for t in types)
        sums.update({"versions": len(versions), "by nodes": sum((op, v) in TESTED or reason(op, v) == ELSE for v in versions),
                     "types": len(types), "tested types": tested})
        rows.append(f"| `{op}` | {', '.join(map(str, versions))} | {tested} of {len(types)} | {'; '.join(why)} |")
    return [f"{sums['by nodes']} of the {sums['versions']} versions of {len(rows)} operators are run by "
            "`tests/python/test_op_versions.py`, with random inputs and",
            f"judged by ONNX Runtime, the onnx package or NumPy; so are {sums['tested types']} of the {sums['types']} types "
            "that the newest versions allow for their inputs and outputs,",
            "by `tests/python/test_op_types.py` and the files that it names. The others: "
            f"{'; '.join(f'{why} (`{op}`)' for op, (_, why) in REASONS.items())}.", "",
            "| operator | versions | types | versions that are tested in another way, or not |", "|---|---|---|---|", *rows]


@pytest.mark.parametrize("op", sorted({op for op, _ in VERSIONS if op in LOWERED} - set(OPS)))
def test_types_of_other_files(op):
    """What no random node is drawn of, other files have models of."""
    assert {t for t in targets(VERSIONS[op, newest(op)]) if not excused(op, t)} == set()


@pytest.mark.slow
@pytest.mark.parametrize("op", OPS)
def test_types(op):
    with np.errstate(all="ignore"):
        wrong, _ = check(op)
    assert not wrong, wrong


def main(*names):
    sums = collections.Counter()
    for op in names or OPS:
        wrong, right = check(op)
        excuses = sum(excused(op, t) for t in targets(VERSIONS[op, newest(op)]))
        sums.update({"right": right, "wrong": len(wrong), "with a reason": excuses})
        groups = collections.defaultdict(list)
        for target, text in sorted(wrong.items()):
            groups[re.sub(r"[\W\d]|int|float", "", text)[:20]].append((target, text))
        for group in groups.values():
            print(op, [f"{c} {t}" for (c, t), _ in group], "\n     ", group[0][1][:700].replace("\n", " "), flush=True)
    print(dict(sums))


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        main(*sys.argv[1:])
