"""Gradient of ai.onnx.preview.training: central differences of the reference evaluator's results in float64 are the
judge."""
import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import helper
from onnx.reference import ReferenceEvaluator

import noria

STEP = 1e-5


def model(names, body, opset=21, y="y", zs="", symbolic=False, dims=None):
    inputs = ", ".join(f"double[{', '.join(f'{n}{i}' if symbolic else str(d) for i, d in enumerate(dims[n]))}] {n}"
                       for n in names)
    xs = [n for n in names if n not in zs]
    given, outs = ", ".join(xs + list(zs)), [f"d{n}" for n in xs]
    quoted = [", ".join(f'"{n}"' for n in group) for group in (xs, zs)]
    attrs = f"xs: strings = [{quoted[0]}], y: string = \"{y}\"" + (f", zs: strings = [{quoted[1]}]" if zs else "")
    return onnx.parser.parse_model(
        f'<ir_version: 10, opset_import: ["": {opset}, "ai.onnx.preview.training": 1]> g ({inputs}) => '
        f"({', '.join(f'double {n}' for n in outs)}) {{ {body} "
        f"{', '.join(outs)} = ai.onnx.preview.training.Gradient<{attrs}>({given}) }}")


def forward(m, y):
    """The model up to y, for the reference evaluator."""
    graph = onnx.helper.make_graph([n for n in m.graph.node if n.op_type != "Gradient"], "f", m.graph.input,
                                   [onnx.helper.make_tensor_value_info(y, onnx.TensorProto.DOUBLE, None)])
    return ReferenceEvaluator(onnx.helper.make_model(graph, opset_imports=m.opset_import, ir_version=10))


def differences(m, y, feeds, name):
    f, x = forward(m, y), feeds[name]
    out = np.empty_like(x)
    for i in np.ndindex(x.shape):
        sums = []
        for step in STEP, -STEP:
            moved = x.copy()
            moved[i] += step
            sums.append(np.sum(f.run(None, {**feeds, name: moved})[0]))
        out[i] = (sums[0] - sums[1]) / (2 * STEP)
    return out


def check(body, feeds, opset=21, zs="", y="y"):
    feeds = {n: np.asarray(x, np.float64) for n, x in feeds.items()}
    for symbolic in False, True:
        m = model(list(feeds), body, opset, y, zs, symbolic, {n: x.shape for n, x in feeds.items()})
        for output in m.graph.output:
            output.type.tensor_type.ClearField("shape")
        got = noria.InferenceSession(m.SerializeToString()).run(None, feeds)
        for name, g in zip([n for n in feeds if n not in zs], got):
            want = differences(m, y, feeds, name)
            assert g.shape == want.shape and g.dtype == np.float64
            np.testing.assert_allclose(g, want, rtol=1e-6, atol=1e-7, err_msg=f"{body} d{name} symbolic={symbolic}")


def numbers(*shape, low=.2, high=.9):
    return np.random.default_rng(len(shape) + sum(shape)).uniform(low, high, shape)


@pytest.mark.parametrize("op", ["Neg", "Abs", "Exp", "Log", "Sqrt", "Reciprocal", "Sin", "Cos", "Tan", "Sinh", "Cosh", "Tanh",
                                "Asin", "Acos", "Atan", "Asinh", "Atanh", "Relu", "LeakyRelu", "Elu", "Sigmoid",
                                "Softplus", "Softsign", "Identity"])
def test_one_operand(op):
    x = numbers(2, 3)
    if op not in ("Log", "Sqrt", "Asin", "Acos"):
        x[0] *= -1
    check(f"p = {op} (x)  y = Mul (p, w)", {"x": x, "w": numbers(3)})


def test_acosh():
    check("y = Acosh (x)", {"x": numbers(4, low=1.2, high=3)})


def test_erf():
    x = numbers(5, low=-2, high=2)  # the reference evaluator's Erf is not exact enough for differences
    got, = noria.InferenceSession(model(["x"], "y = Erf (x)", dims={"x": (5,)}).SerializeToString()).run(None, {"x": x})
    np.testing.assert_allclose(got, 2 / np.sqrt(np.pi) * np.exp(-x * x), rtol=1e-12)


def test_mean():
    check("p = Mean (a, b, a)  y = Mul (p, p)", {"a": numbers(2, 3), "b": numbers(2, 3)})


@pytest.mark.parametrize("op", ["Add", "Sub", "Mul", "Div", "Pow", "Sum"])
@pytest.mark.parametrize("shapes", [((2, 3), (2, 3)), ((2, 3), (3,)), ((1, 3), (2, 1)), ((), (2, 2)), ((4,), (1,))])
def test_two_operands(op, shapes):
    check(f"p = {op} (a, b)  y = Mul (p, p)", {"a": numbers(*shapes[0]), "b": numbers(*shapes[1])})


@pytest.mark.parametrize("kind", ["int64", "uint8", "float", "float16"])
def test_powers_of_another_type(kind):
    x, n, to = numbers(3), numbers(3, low=1, high=4).round(), {"float": 1, "uint8": 2, "int64": 7, "float16": 10}[kind]
    body = f"e = Cast <to: int = {to}> (n)  p = Pow (x, e)  y = Mul (p, p)"
    check(body, {"x": x, "n": n}, zs="n")
    if kind.startswith("float"):  # whole numbers in every type: the differences are those of float64
        got = noria.InferenceSession(model(["n"], body.replace("(x,", "(two,").replace("e =", "two = Constant <value: tensor = "
                                     "double {2}> ()  e =", 1), dims={"n": (3,)}).SerializeToString()).run(None, {"n": n})
        np.testing.assert_allclose(got[0], 2 * np.log(2) * 4**n, rtol=1e-3)


def test_operands_that_an_axis_aligns():
    """By the same graph in opset 7, where an Unsqueeze aligns them."""
    for op in "Add", "Sub", "Mul", "Div", "Pow":
        feeds = {"a": numbers(2, 3), "b": numbers(2)}
        old = model(["a", "b"], f"y = {op} <axis: int = 0, broadcast: int = 1> (a, b)", 6, dims={"a": (2, 3), "b": (2,)})
        new = model(["a", "b"], f"c = Unsqueeze <axes: ints = [1]> (b)  y = {op} (a, c)", 7, dims={"a": (2, 3), "b": (2,)})
        got, want = (noria.InferenceSession(m.SerializeToString()).run(None, feeds) for m in (old, new))
        for g, w in zip(got, want):
            np.testing.assert_allclose(g, w, rtol=1e-12, err_msg=op)
            assert np.all(g != 0)


@pytest.mark.parametrize("body, shape", [
    ("s = Constant <value_ints: ints = [3, -1]> ()  p = Reshape (x, s)  y = Mul (p, p)", (2, 6)),
    ("p = Flatten (x)  y = Exp (p)", (2, 3, 2)),
    ("s = Constant <value_ints: ints = [1]> ()  p = Squeeze (x, s)  y = Exp (p)", (2, 1, 2)),
    ("s = Constant <value_ints: ints = [0, 2]> ()  p = Unsqueeze (x, s)  y = Exp (p)", (2, 3)),
    ("t = Transpose <perm: ints = [2, 0, 1]> (x)  y = Mul (t, t)", (2, 3, 4)),
    ("t = Transpose (x)  p = MatMul (x, t)  y = Tanh (p)", (2, 3)),
    ("s = Constant <value_ints: ints = [4, 2, 3]> ()  p = Expand (x, s)  y = Exp (p)", (2, 1)),
    ("e = Exp (x)  p = Concat <axis: int = 1> (x, e, x)  y = Mul (p, p)", (2, 3)),
    ("e = Exp (x)  c = Less (x, e)  n = Not (c)  p = Where (n, x, e)  y = Mul (p, x)", (2, 3)),
    ("a = Constant <value_ints: ints = [1]> ()  p = ReduceSum (x, a)  y = Mul (p, p)", (2, 3, 2)),
    ("a = Constant <value_ints: ints = [0, 2]> ()  p = ReduceMean <keepdims: int = 0> (x, a)  y = Mul (p, p)", (2, 3, 2)),
    ("p = ReduceMean (x)  y = Exp (p)", (2, 3)),
    ("p = Softmax <axis: int = 0> (x)  q = Mul (p, x)  y = Exp (q)", (3, 2)),
])
def test_one_tensor(body, shape):
    check(body, {"x": numbers(*shape)})


@pytest.mark.parametrize("a, b", [((2, 3), (3, 4)), ((5, 2, 3), (3, 4)), ((2, 3), (5, 3, 2)), ((1, 2, 3), (4, 3, 2)),
                                  ((3,), (3, 2)), ((2, 3), (3,)), ((3,), (3,)), ((2, 2, 3), (3,)), ((3,), (2, 3, 2))])
def test_matmul(a, b):
    check("p = MatMul (a, b)  y = Mul (p, p)", {"a": numbers(*a), "b": numbers(*b)})


@pytest.mark.parametrize("ta", [0, 1])
@pytest.mark.parametrize("tb", [0, 1])
def test_gemm(ta, tb):
    a, b = numbers(*((3, 2) if ta else (2, 3))), numbers(*((4, 3) if tb else (3, 4)))
    check(f"p = Gemm <alpha: float = 1.5, beta: float = 0.5, transA: int = {ta}, transB: int = {tb}> (a, b, c) "
          "y = Mul (p, p)", {"a": a, "b": b, "c": numbers(4)})


def test_other_values_than_those_of_the_graph():
    """The node's inputs stand for xs and zs; h is computed in the graph, but given to Gradient."""
    m = onnx.parser.parse_model("""<ir_version: 10, opset_import: ["": 21, "ai.onnx.preview.training": 1]>
    g (double[3] x, double[3] h1, double[3] z1) => (double[3] dh) {
      h = Exp (x)  q = Mul (h, h)  y = Mul (q, x)
      dh = ai.onnx.preview.training.Gradient <xs: strings = ["h"], zs: strings = ["x"], y: string = "y"> (h1, z1) }""")
    feeds = {n: numbers(3) + i for i, n in enumerate(["x", "h1", "z1"])}
    got, = noria.InferenceSession(m.SerializeToString()).run(None, feeds)
    np.testing.assert_allclose(got, 2 * feeds["h1"] * feeds["z1"], rtol=1e-12)


def test_what_does_not_depend_on_y_has_zeros():
    check("y = Exp (a)", {"a": numbers(2), "b": numbers(2, 2)})
    check("y = Mul (a, b)", {"a": numbers(2), "b": numbers(2)}, zs="b")


FLOATS = [np.float16, np.float32, np.float64]
ANY = [*FLOATS, np.bool_, np.complex64, np.complex128, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16,
       np.uint32, np.uint64, object]


def typed_model(of_x, of_z):
    """y = x * x times the number of elements of z that are not zeros, or empty strings."""
    x, z = (helper.np_dtype_to_tensor_dtype(np.dtype(t)) for t in (of_x, of_z))
    nodes = [helper.make_node("NonZero", ["z"], ["at"]), helper.make_node("Size", ["at"], ["n"]),
             helper.make_node("Cast", ["n"], ["count"], to=x), helper.make_node("Mul", ["x", "x"], ["square"]),
             helper.make_node("Mul", ["square", "count"], ["y"]),
             helper.make_node("Gradient", ["x", "z"], ["dx"], domain="ai.onnx.preview.training", xs=["x"], zs=["z"], y="y")]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info(n, t, [None]) for n, t in (("x", x), ("z", z))],
                              [helper.make_tensor_value_info("dx", x, [None])])
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("ai.onnx.preview.training", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def models():
    """Of all types, for test_op_types.py."""
    return [typed_model(x, z) for x in FLOATS for z in ANY]


@pytest.mark.parametrize("of_x", FLOATS)
@pytest.mark.parametrize("of_z", ANY)
def test_types(of_x, of_z):
    """What is no float has no derivative, but y may depend on it."""
    x, z = np.array([.5, -2, 3], of_x), np.array([0, 1, 1, 0, 3]).astype(of_z)
    if of_z is object:
        z = np.array(["", "a", "b", "", "0"], object)
    got, = noria.InferenceSession(typed_model(of_x, of_z).SerializeToString()).run(None, {"x": x, "z": z})
    assert got.dtype == of_x
    np.testing.assert_array_equal(got, 2 * x * 3)


@pytest.mark.parametrize("body, text", [
    ("y = Floor (x)", "(Floor): Gradient has no derivative of this op"),
    ("p, y = TopK (x, k)", "(TopK): Gradient has no derivative of this op"),
    ("y = Shape (x)", "y is not a tensor of floats"),
    ("z = Exp (x)", "nothing gives the tensor that attribute y names"),
])
def test_errors(body, text):
    body = "k = Constant <value_ints: ints = [1]> () " + body.replace("p, y", "y, p")
    m = model(["x"], body, dims={"x": (3,)})
    with pytest.raises(noria.Error) as error:
        noria.InferenceSession(m.SerializeToString())
    assert text in str(error.value)


def test_inputs_are_counted():
    m = model(["x"], "y = Exp (x)", dims={"x": (3,)})
    m.graph.node[-1].input.append("x")
    with pytest.raises(noria.Error, match="xs and zs name fewer tensors than there are inputs"):
        noria.InferenceSession(m.SerializeToString())
    del m.graph.node[-1].input[:]
    with pytest.raises(noria.Error):
        noria.InferenceSession(m.SerializeToString())
