"""Element-wise ONNX ops against NumPy: special values, every element type, broadcasting, old opsets."""
import math

import ml_dtypes
import numpy as np
import pytest
from ops import Batch, Const, fails

import noria

F32 = np.float32
BF16 = ml_dtypes.bfloat16
SPECIAL = np.array([0., -0., 1, -1, .5, -.5, 2.5, -2.5, 3.5, np.nan, np.inf, -np.inf, 1e-40, 88, -88, -104, 1e10, -1e10,
                    1e-8, -1e-8, 0.99999994, 1.5, 100, -100], F32)
FLOATS = [(F32, 2e-6), (np.float64, 1e-12), (np.float16, 1e-3), (BF16, 8e-3)]
INTS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]

UNARY = {
    "Abs": np.abs, "Acos": np.arccos, "Acosh": np.arccosh, "Asin": np.arcsin, "Asinh": np.arcsinh, "Atan": np.arctan,
    "Atanh": np.arctanh, "Ceil": np.ceil, "Cos": np.cos, "Cosh": np.cosh, "Exp": np.exp, "Floor": np.floor,
    "Log": np.log, "Neg": np.negative, "Reciprocal": np.reciprocal, "Round": np.rint, "Sin": np.sin, "Sinh": np.sinh,
    "Sqrt": np.sqrt,
    "Tan": np.tan, "Tanh": np.tanh, "Sign": np.sign, "Relu": lambda x: np.maximum(x, 0),
    "Erf": np.vectorize(math.erf, otypes=[np.float64]), "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "Softplus": lambda x: np.logaddexp(0, x), "Softsign": lambda x: x / (1 + np.abs(x)),
}
BINARY = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide}
COMPARE = {"Less": np.less, "LessOrEqual": np.less_equal, "Greater": np.greater, "GreaterOrEqual": np.greater_equal,
           "Equal": np.equal}


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


@pytest.fixture
def normal():
    random = np.random.default_rng(5)
    return lambda *shape, dtype=F32: np.asarray(random.standard_normal(shape) * 3).astype(dtype)


@pytest.mark.parametrize("dtype, rtol", FLOATS)
def test_elementary_functions(normal, dtype, rtol):
    batch = Batch(22, rtol, 1e-12 if dtype == np.float64 else 1e-6)
    for op, function in UNARY.items():
        for x in SPECIAL.astype(dtype), normal(3, 1, 5, dtype=dtype):
            batch.add(op, [x], function(x.astype(np.float64)).astype(dtype))
    batch.check(symbolic=[False])


def test_zeros_keep_their_sign():
    batch = Batch(22, 0, 0)
    x = np.array([0., -0., -.3], F32)
    for op in "Ceil", "Floor", "Round", "Neg", "Sqrt", "Abs", "Sin", "Tanh", "Asinh", "Atan":
        batch.add(op, [x], UNARY[op](x))
    model, feeds = batch.model(False)
    results = noria.InferenceSession(model.SerializeToString()).run(None, feeds)
    for (op, _, _, want, _, _), got in zip(batch.cases, results):
        np.testing.assert_array_equal(np.signbit(got[:2]), np.signbit(want[0][:2]), op)


def selu(x, alpha=1.67326319217681884765625, gamma=1.05070102214813232421875):
    return gamma * np.where(x < 0, alpha * np.expm1(x), x)


def softplus(x):
    return np.logaddexp(0, x)


def f32(value):
    return float(F32(value))


def hard_sigmoid(x, alpha=float(F32(.2)), beta=.5):
    return np.clip(alpha * x + beta, 0, 1)


def erf(x):
    return np.vectorize(math.erf, otypes=[np.float64])(x)


# Parameters are float32, also for tensors of float64; these are exact in both, or rounded.
ACTIVATIONS = [
    (22, "Elu", {"alpha": .75}, lambda x: np.where(x < 0, .75 * np.expm1(x), x)),
    (6, "Elu", {}, lambda x: np.where(x < 0, np.expm1(x), x)),
    (12, "Celu", {"alpha": 2.}, lambda x: np.maximum(x, 0) + np.minimum(0, 2 * np.expm1(x / 2))),
    (22, "Selu", {}, selu), (6, "Selu", {"alpha": 1.25, "gamma": .875}, lambda x: selu(x, 1.25, .875)),
    (1, "Selu", {}, lambda x: selu(x, f32(1.6732), f32(1.0507))),
    (20, "Gelu", {}, lambda x: x / 2 * (1 + erf(x / math.sqrt(2)))),
    (20, "Gelu", {"approximate": "tanh"},
     lambda x: x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + .044715 * x ** 3)))),
    (22, "HardSigmoid", {}, hard_sigmoid),
    (6, "HardSigmoid", {"alpha": .25, "beta": .125}, lambda x: hard_sigmoid(x, .25, .125)),
    (22, "HardSwish", {}, lambda x: x * hard_sigmoid(x, 1 / 6, .5)),
    (16, "LeakyRelu", {}, lambda x: np.where(x < 0, f32(.01) * x, x)),
    (6, "LeakyRelu", {"alpha": .25}, lambda x: np.where(x < 0, .25 * x, x)),
    (22, "Mish", {}, lambda x: x * np.tanh(softplus(x))),
    (24, "Swish", {"alpha": 1.5}, lambda x: x / (1 + np.exp(-1.5 * x))),
    (9, "Shrink", {"bias": .25, "lambd": 1.}, lambda x: np.where(x < -1, x + .25, np.where(x > 1, x - .25, 0))),
    (22, "ThresholdedRelu", {"alpha": .625}, lambda x: np.where(x > .625, x, 0)),
    (6, "Clip", {"min": -1., "max": .5}, lambda x: np.clip(x, -1, .5)),
    (6, "Clip", {"max": .2}, lambda x: np.minimum(x, .2)),
    (1, "Clip", {"min": .1, "consumed_inputs": [0]}, lambda x: np.maximum(x, .1)), (13, "Clip", {}, lambda x: x),
]


@pytest.mark.parametrize("dtype, rtol", FLOATS[:3])
def test_activations(normal, dtype, rtol):
    for opset in sorted({case[0] for case in ACTIVATIONS}):
        batch = Batch(opset, max(rtol, 5e-7), 1e-3 if dtype == np.float16 else 1e-6)
        for version, op, attrs, function in ACTIVATIONS:
            if version == opset and not (dtype == np.float64 and op == "Clip"):
                x = normal(4, 6, dtype=dtype)
                batch.add(op, [x], function(x.astype(np.float64)).astype(dtype), **attrs)
        if batch.cases:
            batch.check()


def test_swiglu(normal):
    batch = Batch(28)
    for shape in (3, 4), (), (0, 2):
        a, b = normal(*shape), normal(*shape)
        batch.add("SwiGLU", [a, b], a / (1 + np.exp(-a)) * b)
        batch.add("SwiGLU", [a, b], a / (1 + np.exp(-.5 * a)) * b, alpha=.5)
    batch.check()
    for shape in (4,), (1, 4):
        assert "gate and value" in fails("SwiGLU", [normal(3, 4), normal(*shape)], 28)


def test_clip_limits_as_inputs(normal):
    batch = Batch(13, 0, 0)
    x = normal(4, 6)
    batch.add("Clip", [x, F32(-1), F32(1)], np.clip(x, -1, 1))
    batch.add("Clip", [x, None, F32(1)], np.minimum(x, 1))
    batch.add("Clip", [x, Const(F32(-1))], np.maximum(x, -1))
    batch.add("Clip", [np.array([1., np.nan, 5], F32), F32(3), F32(2)], np.array([2, np.nan, 2], F32))
    for dtype in INTS:
        batch.add("Clip", [np.arange(10, dtype=dtype), dtype(3), dtype(7)], np.clip(np.arange(10), 3, 7).astype(dtype))
    batch.check()


def test_prelu_slopes(normal):
    x, slopes = normal(2, 3, 4, 4), np.array([.1, .2, .3], F32).reshape(3, 1, 1)
    for opset, given in (6, slopes.ravel()), (16, slopes):
        batch = Batch(opset)
        batch.add("PRelu", [x, given], np.where(x < 0, x * slopes, x))
        batch.add("PRelu", [x, np.array([.5], F32)], np.where(x < 0, x / 2, x))
        batch.check()


def test_nan_and_infinity():
    batch = Batch(20)
    for dtype in F32, np.float16, np.float64:
        x = SPECIAL.astype(dtype)
        batch.add("IsNaN", [x], np.isnan(x))
        batch.add("IsInf", [x], np.isinf(x))
        batch.add("IsInf", [x], np.isposinf(x), detect_negative=0)
        batch.add("IsInf", [x], np.isneginf(x), detect_positive=0)
    batch.check()


SHAPES = [((3, 4), (4,)), ((3, 4), (1, 4)), ((3, 1), (1, 4)), ((1,), (3, 4)), ((), (3, 4)), ((2, 3, 4), (3, 1)),
          ((0, 4), (1, 4)), ((1, 1), (1, 1)), ((5,), ()), ((), ())]


def test_broadcasting(normal):
    batch = Batch(16, 1e-6)
    for shape_a, shape_b in SHAPES:
        a, b = normal(*shape_a), normal(*shape_b)
        c = normal(*np.broadcast_shapes(shape_a, shape_b)[-1:]) > 0
        batch.add("Sub", [a, b], a - b)
        batch.add("Div", [a, Const(b)], a / b)
        batch.add("Max", [a, b], np.maximum(a, b))
        batch.add("Where", [c, a, b], np.where(c, a, b))
        batch.add("Less", [a, b], a < b)
    batch.check()


@pytest.mark.parametrize("dtype, rtol", [(np.float64, 1e-12), (np.float16, 2e-3), (BF16, 1.6e-2)])
def test_two_operands_of_other_floats(normal, dtype, rtol):
    batch = Batch(16, rtol, 1e-3 if rtol > 1e-6 else 0)
    a, b = normal(3, 4, dtype=dtype), normal(4, dtype=dtype)
    wide = a.astype(np.float64), b.astype(np.float64)
    for op, function in (BINARY | {"Max": np.maximum, "Min": np.minimum}).items():
        batch.add(op, [a, b], function(*wide).astype(dtype))
    batch.add("Pow", [np.abs(a), b], (np.abs(wide[0]) ** wide[1]).astype(dtype))
    for op, function in COMPARE.items():
        if op != "Equal":
            batch.add(op, [a, b], function(*wide))
    batch.check(symbolic=[False])


def test_nan_and_infinity_in_two_operands():
    values = np.array([1, np.nan, np.inf, -np.inf, 0., -0., -2.5, 3], F32)
    a, b = (g.copy() for g in np.meshgrid(values, values))
    batch = Batch(28, 1e-6)
    for op, function in ({"Max": np.maximum, "Min": np.minimum, "Pow": np.power} | BINARY | COMPARE).items():
        batch.add(op, [a, b], function(a, b))
    batch.add("Mod", [a, b], np.fmod(a, b), fmod=1)
    batch.add("Mod", [a, b], np.mod(a, b))
    batch.check()


def wrapped(values, dtype):
    """Integers of any size, cut to the type's width."""
    bits = np.iinfo(dtype).bits
    low = np.array([int(v) & ((1 << bits) - 1) for v in np.array(values, object).ravel()], np.uint64)
    return low.astype(f"u{bits // 8}").view(dtype).reshape(np.shape(values))


def pairs(a, b):
    a, b = np.meshgrid(a, b)
    return a.copy(), b.copy(), [(int(x), int(y)) for x, y in zip(a.ravel(), b.ravel())]


def truncated(x, y):
    quotient = abs(x) // abs(y)
    return quotient if (x >= 0) == (y >= 0) else -quotient


@pytest.mark.parametrize("dtype", INTS)
def test_integers(dtype):
    info, batch = np.iinfo(dtype), Batch(28)
    signed = info.min < 0
    values = np.array([info.min, info.max, 0, 1, 2, 3, 7, 100] + ([-1, -2, -7] if signed else []), dtype)
    a, b, both = pairs(values, values[values != 0])

    def add(op, x, y, results, **attrs):
        batch.add(op, [x, y], wrapped(np.array(results, object).reshape(x.shape), dtype), **attrs)

    add("Div", a, b, [truncated(x, y) for x, y in both])
    add("Mod", a, b, [x % y for x, y in both])
    add("Mod", a, b, [x - y * truncated(x, y) for x, y in both], fmod=1)
    for op, function in {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Max": np.maximum, "Min": np.minimum,
                         "BitwiseAnd": np.bitwise_and, "BitwiseOr": np.bitwise_or,
                         "BitwiseXor": np.bitwise_xor}.items():
        batch.add(op, [a, b], function(a, b))
    for op, function in COMPARE.items():
        batch.add(op, [a, b], function(a, b))
    shifts = np.array([0, 1, info.bits - 1, info.bits, 100] + ([-1] if signed else []), dtype)
    a, b, both = pairs(values, shifts)
    inside = lambda y: 0 <= y < info.bits
    add("BitShift", a, b, [x << y if inside(y) else 0 for x, y in both], direction="LEFT")
    add("BitShift", a, b, [x >> y if inside(y) else -(x < 0) for x, y in both], direction="RIGHT")
    a, b, both = pairs(np.array([0, 1, 2, 3, 5] + ([-1, -2] if signed else []), dtype), np.arange(8, dtype=dtype))
    add("Pow", a, b, [x ** y for x, y in both])
    batch.add("Div", [values, Const(dtype(3))], wrapped([truncated(int(x), 3) for x in values], dtype))
    batch.add("Pow", [values, Const(F32(2))], wrapped([int(x) ** 2 for x in values], dtype))
    batch.add("Abs", [values], np.abs(values))
    batch.add("Sign", [values], np.sign(values))
    batch.add("Erf", [values], np.trunc(UNARY["Erf"](values.astype(np.float64))).astype(dtype))
    batch.add("BitwiseNot", [values], ~values)
    if signed:
        batch.add("Neg", [values], np.negative(values))
        batch.add("Relu", [values], np.maximum(values, 0))
    batch.check()


def test_integer_division_by_zero_names_the_node():
    x = np.array([1, 2], np.int32)
    for op in "Div", "Mod":
        for zero in np.zeros(2, np.int32), Const(np.int32(0)):
            message = fails(op, [x, zero], 14 if op == "Div" else 13)
            assert "the_node" in message and "division by zero" in message
    assert "negative power -1" in fails("Pow", [np.array([0]), np.array([-1])], 15)


def test_power_of_mixed_types(normal):
    x, batch = normal(20), Batch(15)
    batch.add("Pow", [x, Const(F32(2))], x * x)
    batch.add("Pow", [x, np.int64(3)], x ** 3)
    batch.add("Pow", [np.abs(x), np.float64(.3)], (np.abs(x).astype(np.float64) ** .3).astype(F32))
    batch.add("Pow", [np.array([2, 3], np.int64), np.array([.5, 2], F32)], np.array([1, 9], np.int64))
    base, exponent = np.array([-1, -2, 2, 1], np.int32), np.array([-1, -1, -1, -3])
    batch.add("Pow", [base, exponent], np.array([-1, 0, 0, 1], np.int32))
    batch.check()


def test_any_number_of_operands(normal):
    batch = Batch(13, 1e-5, 1e-5)
    for count in 1, 2, 3, 20, 70:
        inputs = [normal(3, 4) if i % 2 == 0 else normal(4) for i in range(count)]
        together = np.broadcast_arrays(*inputs)
        batch.add("Max", inputs, np.maximum.reduce(together))
        batch.add("Min", inputs, np.minimum.reduce(together))
        batch.add("Sum", inputs, np.add.reduce(together).astype(F32))
        batch.add("Mean", inputs, np.mean(together, axis=0).astype(F32))
    batch.check()


@pytest.mark.parametrize("opset", [1, 6])
def test_axis_of_the_second_operand_before_opset_7(normal, opset):
    batch = Batch(opset)
    a, b = normal(2, 3, 4, 5), normal(3, 4)
    for op, function in BINARY.items():
        batch.add(op, [a, b], function(a, b[:, :, None]), broadcast=1, axis=1)
        batch.add(op, [a, a[0, 0, 0]], function(a, a[0, 0, 0]), broadcast=1)
        batch.add(op, [a, b[:2, 0]], function(a, b[:2, 0][:, None, None, None]), broadcast=1, axis=0)
    batch.add("Pow", [np.abs(a), b], np.abs(a) ** b[:, :, None], broadcast=1, axis=1)
    batch.add("Sub", [a, b[0, 0]], a - b[0, 0], broadcast=1, axis=4)
    batch.add("Greater", [a, b], a > b[:, :, None], broadcast=1, axis=1)
    batch.add("And", [a > 0, b > 0], (a > 0) & (b > 0)[:, :, None], broadcast=1, axis=1)
    batch.check()
    assert "leaves no room" in fails("Add", [a, b], opset, broadcast=1, axis=3)


def test_booleans(normal):
    p, q, batch = normal(3, 5) > 0, normal(5) > 0, Batch(16)
    for op, function in {"And": np.logical_and, "Or": np.logical_or, "Xor": np.logical_xor, "Equal": np.equal}.items():
        batch.add(op, [p, q], function(p, q))
    batch.add("Not", [p], ~p)
    for dtype in bool, np.int8, np.uint64, np.float16, np.float64, BF16:
        x, y = normal(5).astype(dtype), normal(1, 5).astype(dtype)
        batch.add("Where", [p, x, y], np.where(p, x, y))
    batch.check()
