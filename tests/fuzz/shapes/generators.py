"""A generator of right nodes for every op that Noria compiles: those of tests/python/random_ops*.py, and here what they
leave out because nobody else knows the answer, or because it takes more than a node."""
import pathlib
import re

import numpy as np
import random_ops_attention  # noqa: F401  (fills GENERATORS)
import random_ops_image  # noqa: F401
import random_ops_ml  # noqa: F401
import random_ops_move  # noqa: F401
import random_ops_nn    # noqa: F401
import random_ops_text  # noqa: F401
import random_ops_quant  # noqa: F401
import random_ops_trees  # noqa: F401
from onnx import helper, parser
from random_draw import Case, Operand
from random_ops import GENERATORS

OPS = {name: list(generators) for name, generators in GENERATORS.items()}
F32 = np.float32


def ops(*names):
    def register(generator):
        for name in names:
            OPS.setdefault(name, []).append(generator)
        return generator
    return register


@ops("BitCast")
def bitcast(d, op):
    source, to = d.choose((F32, np.int32), (np.int64, np.float64), (np.float16, np.uint16), (np.uint8, np.int8))
    return Case(op, [d.array(source)], {"to": int(helper.np_dtype_to_tensor_dtype(np.dtype(to)))}, opset=26)


@ops("CenterCropPad")
def center_crop_pad(d, op):
    x = d.array(d.choose(F32, np.int32), d.shape((1, 4)))
    axes = d.axes(x.ndim) if d.chance() else None
    count = x.ndim if axes is None else len(axes)
    return Case(op, [x, Operand([d.dim() for _ in range(count)], d.choose(np.int64, np.int32))],
                {} if axes is None else {"axes": axes}, opset=18)


@ops("MaxUnpool")
def max_unpool(d, op):
    n, c, h, w = d.dim(1), d.dim(1), d.integer(1, 3), d.integer(1, 3)
    at = d.array(np.int64, (n, c, h, w), 0, 4 * h * w - 1)
    x = d.array(F32, at.shape)
    attrs = {"kernel_shape": [2, 2], "strides": [2, 2]}
    if d.chance(.3):
        attrs["pads"] = [0, 0, 0, 0]
    more = [Operand([n, c, 2 * h + d.integer(0, 1), 2 * w])] if d.chance() else []
    return Case(op, [x, at] + more, attrs, opset=d.choose(9, 11, 22))


@ops("ReduceLogSumExp")
def integers_log_sum_exp(d, op):
    x, axes = d.array(d.choose(np.int32, np.int64, np.uint32, np.uint64)), None
    if d.chance(.8):
        axes = d.axes(x.ndim)
    attrs = {"keepdims": d.integer(0, 1)} if d.chance(.7) else {}
    if d.chance():
        return Case(op, [x] if axes is None else [x, Operand(axes)], attrs, opset=18)
    return Case(op, [x], attrs | ({"axes": axes} if axes else {}), opset=d.choose(11, 13))


@ops("SwiGLU")
def swiglu(d, op):
    shape = d.shape()
    return Case(op, [d.array(F32, shape), d.array(F32, shape)], {"alpha": .5} if d.chance() else {}, opset=28)


@ops("TensorScatter")
def tensor_scatter(d, op):
    b, h, s, w = d.dim(1), d.dim(1), d.integer(1, 6), d.dim(1)
    length = d.integer(1, s)
    update, at = d.array(F32, (b, h, length, w)), d.array(np.int64, (b,), 0, s - length)
    attrs = {"mode": d.choose("linear", "circular")} if d.chance() else {}
    return Case(op, [d.array(F32, (b, h, s, w)), update] + ([at] if d.chance(.8) else []), attrs, opset=24)


@ops("Constant")
def constant(d, op):
    values = {"value_floats": [1.5, 2.5], "value_int": 7, "value_ints": [1, 2, 3]}
    name = d.choose(*values)
    return Case(op, [], {name: values[name]}, opset=25)


# ---- control flow ----------------------------------------------------------------------------------------------------

@ops("If")
def if_op(d, op):
    a, b = d.broadcast(2, (2, 2))
    branches = ["r = Add(x0, x1)", "r = Concat<axis = 0>(x0, x0)", "r = Transpose(x0)", "r = Mul(x1, x1)",
                "r = MatMul(x0, x1)", "r = Slice(x0, x2, x3)"]
    then, other = (parser.parse_graph(f"g () => (float[A, B] r) {{ {d.choose(*branches)} }}") for _ in range(2))
    return Case(op, [d.array(F32, a), d.array(F32, b), Operand([0]), Operand([d.integer(-3, 5)]),
                     np.asarray(d.chance(), bool)],
                nodes=[(op, ["x4"], ["y0"], {"then_branch": then, "else_branch": other})], opset=d.choose(16, 21))


@ops("Loop")
def loop(d, op):
    """Carried values of one shape and of growing ones, and rows that are put side by side."""
    bodies = ["r = Add(s, x2) o = ReduceSum<keepdims = 0>(s)", "r = Concat<axis = 0>(s, x2) o = Shape(s)",
              "t = Gather(x2, i) r = Mul(s, t) o = Identity(t)", "r = Slice(s, zero, length) o = Neg(x2)",
              "r = Identity(x2) o = Identity(s)"]
    prefix = "zero = Constant<value_ints = [0]>() length = Constant<value_ints = [2]>()"
    body = parser.parse_graph(f"b (int64 i, bool c, float[A, B] s) => (bool k, float[C, D] r, float[E] o) "
                              f"{{ k = Identity(c) {prefix} {d.choose(*bodies)} }}")
    for v in list(body.output)[2:]:
        v.type.tensor_type.ClearField("shape")
    shape = d.shape((2, 2), 1)
    trips, start = Operand(d.integer(0, 4)), d.array(F32, shape)
    return Case(op, [trips, start, d.array(F32, shape)],
                nodes=[(op, ["x0", "", "x1"], ["y0", "y1"], {"body": body})], outputs=2, opset=d.choose(16, 21))


@ops("Scan")
def scan(d, op):
    rows, width, states = d.dim(1), d.dim(1), d.integer(1, 1)
    body = parser.parse_graph(d.choose(
        "b (float[A] s, float[A] v) => (float[A] t, float[A] o) { t = Add(s, v) o = Neg(t) }",
        "b (float[A] s, float[A] v) => (float[A] t, float[A] o) { t = Mul(s, v) o = Concat<axis = 0>(v, s) }",
        "b (float[A] s, float[A] v) => (float[A] t, float[A] o) { t = Identity(v) o = Identity(s) }"))
    attrs = {"body": body, "num_scan_inputs": 1}
    if d.chance(.3):
        attrs["scan_input_directions"] = [d.integer(0, 1)]
    if d.chance(.3):
        attrs["scan_output_directions"] = [d.integer(0, 1)]
    axis = d.integer(0, 1)
    if axis or d.chance(.3):
        attrs["scan_input_axes"] = [axis]
    x = d.array(F32, (width, rows) if axis else (rows, width))
    return Case(op, [d.array(F32, (width,)), x], nodes=[(op, ["x0", "x1"], ["y0", "y1"], attrs)],
                outputs=states + 1, opset=d.choose(9, 16, 21))


@ops("SequenceEmpty")
def sequence_empty(d, op):
    items = [d.array(F32, d.shape((1, 1))) for _ in range(2)]
    nodes = [(op, [], ["s"], {"dtype": 1}), ("SequenceInsert", ["s", "x0"], ["t"], {}),
             ("SequenceInsert", ["t", "x1"], ["r"], {}),
             d.choose(("ConcatFromSequence", ["r"], ["y0"], {"axis": 0}), ("SequenceAt", ["r", "x2"], ["y0"], {}))]
    return Case(op, items + [Operand(d.choose(0, 1, -1))], nodes=nodes, opset=d.choose(11, 21))


@ops("SequenceAt", "SequenceLength", "ConcatFromSequence", "SequenceInsert", "SequenceErase", "SequenceMap")
def given_sequence(d, op):
    """Of a sequence that is an input."""
    shape = d.shape((1, 3), 1)
    items, x = [d.array(F32, shape) for _ in range(d.integer(1, 3))], d.array(F32, shape)
    at = Operand(d.integer(-len(items), len(items) - 1))
    if op == "SequenceMap":
        body = parser.parse_graph("b (float[A] s) => (float[A] t) { t = Neg(s) }")
        for v in (body.input[0], body.output[0]):
            v.type.tensor_type.ClearField("shape")
        nodes = [(op, ["x0"], ["s"], {"body": body}), ("SequenceAt", ["s", "x1"], ["y0"], {})]
    elif op == "ConcatFromSequence":
        new = d.integer(0, 1)
        nodes = [(op, ["x0"], ["y0"], {"axis": d.axis(len(shape) + new), "new_axis": new})]
    else:
        ins = {"SequenceAt": ["x0", "x1"], "SequenceLength": ["x0"], "SequenceInsert": ["x0", "x2", "x1"],
               "SequenceErase": ["x0", "x1"]}[op]
        nodes = [(op, ins, ["y0"], {})]
        if op in ("SequenceInsert", "SequenceErase") and d.chance():
            nodes = [(op, ins, ["s"], {}), ("ConcatFromSequence", ["s"], ["y0"], {"axis": 0})]
    return Case(op, [items, at, x], nodes=nodes, opset=d.choose(17, 21))


for made, by in (("SequenceConstruct", "SequenceInsert"), ("SequenceAt", "SequenceErase"),
                 ("SequenceLength", "SplitToSequence"), ("ConcatFromSequence", "SplitToSequence"),
                 ("OptionalHasElement", "Optional"), ("OptionalGetElement", "Optional")):
    OPS.setdefault(made, []).append(lambda d, op, by=by: GENERATORS[by][0](d, by))  # its nodes have it in them

TABLE = pathlib.Path(__file__).resolve().parents[3] / "src/onnx/lower/core/lower.def"
MISSING = set(re.findall(r"^LOWER\(([\w.]+)", TABLE.read_text(), re.M)) - set(OPS)
