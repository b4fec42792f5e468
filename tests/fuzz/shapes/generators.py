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
import random_ops_old  # noqa: F401
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


@ops("ImageDecoder")
def image_decoder(d, op):
    x = d.array(np.uint8, (d.dim(1), d.dim(1), 3), 0, 255)
    head = f"P6 {x.shape[1]} {x.shape[0]} 255\n".encode()
    data = np.frombuffer(head + x.tobytes(), np.uint8)
    return Case(op, [data], {"pixel_format": d.choose("RGB", "BGR", "Grayscale")} if d.chance() else {}, opset=20)


@ops("ReduceLogSumExp")
def integers_log_sum_exp(d, op):
    x, axes = d.array(d.choose(np.int32, np.int64, np.uint32, np.uint64)), None
    if d.chance(.8):
        axes = d.axes(x.ndim)
    attrs = {"keepdims": d.integer(0, 1)} if d.chance(.7) else {}
    if d.chance():
        return Case(op, [x] if axes is None else [x, Operand(axes)], attrs, opset=18)
    return Case(op, [x], attrs | ({"axes": axes} if axes else {}), opset=d.choose(11, 13))


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


@ops("ai.onnx.preview.training.Gradient")
def gradient(d, op):
    """Of a layer: a product of matrices, a sum that broadcasts, and a function of elements."""
    m, k, n = d.dim(1), d.dim(1), d.dim(1)
    inputs = [d.array(F32, (m, k)), d.array(F32, (k, n)), d.array(F32, (d.choose(1, n),))]
    nodes = [("MatMul", ["x0", "x1"], ["p"], {}), ("Add", ["p", "x2"], ["q"], {}),
             (d.choose("Tanh", "Sigmoid", "Relu"), ["q"], ["r"], {}),
             (op, ["x0", "x1", "x2"], ["y0"], {"xs": ["x0", "x1", "x2"], "y": "r"})]
    return Case(op, inputs, nodes=nodes, opset=21)


TABLE = pathlib.Path(__file__).resolve().parents[3] / "src/onnx/lower/core/lower.def"
MISSING = set(re.findall(r"^LOWER\(([\w.]+)", TABLE.read_text(), re.M)) - set(OPS)
