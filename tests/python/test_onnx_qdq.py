"""Nodes between DequantizeLinear and QuantizeLinear. The exact value comes from NumPy, in 64 bits: rounded once, so that
an integer may be off by one only where that value lies half way between two."""
import ml_dtypes
import noria
import numpy as np
import pytest
from onnx import helper, numpy_helper

F32 = np.float32


class Model:
    """Collects nodes; quantised tensors come in and go out as integers."""

    def __init__(self):
        self.nodes, self.constants, self.count = [], {}, 0

    def constant(self, value):
        self.count += 1
        self.constants[f"c{self.count}"] = np.asarray(value)
        return f"c{self.count}"

    def node(self, op, inputs, **attrs):
        self.count += 1
        self.nodes.append(helper.make_node(op, inputs, [f"v{self.count}"], **attrs))
        return f"v{self.count}"

    def dequantised(self, x, scale, zero, **attrs):
        return self.node("DequantizeLinear", [x, self.constant(scale), self.constant(zero)], **attrs)

    def quantised(self, x, scale, zero):
        return self.node("QuantizeLinear", [x, self.constant(scale), self.constant(zero)])

    def run(self, x, out, symbolic):
        shape = [f"d{i}" for i in range(x.ndim)] if symbolic else x.shape
        given = helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(x.dtype), shape)
        held = [numpy_helper.from_array(v, k) for k, v in self.constants.items()]
        graph = helper.make_graph(self.nodes, "g", [given], [helper.make_value_info(out, helper.TypeProto())], held)
        graph.output[0].ClearField("type")
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        return noria.InferenceSession(model.SerializeToString()).run(None, {"x": x})[0]


def near(got, exact, scale, zero):
    """exact: of the real numbers."""
    info = np.iinfo(got.dtype)
    want = np.clip(exact / np.float64(scale) + float(zero), info.min, info.max)
    assert np.abs(got - want).max() <= .5 + 1e-3


def real(q, scale, zero):
    return (q.astype(np.float64) - np.float64(zero)) * np.float64(scale)


SIGNS = [(np.uint8, np.uint8(110)), (np.int8, np.int8(-5))]


@pytest.mark.parametrize("symbolic", [False, True])
@pytest.mark.parametrize("behind", ["", "Relu", "Clip"])
@pytest.mark.parametrize("dtype, zero", SIGNS)
def test_conv_with_a_scale_for_each_channel(dtype, zero, behind, symbolic):
    rng = np.random.default_rng(0)
    m = Model()
    x = rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max + 1, (2, 6, 7, 9)).astype(dtype)
    w, bias = rng.integers(-128, 128, (10, 6, 3, 3)).astype(np.int8), rng.integers(-3000, 3000, 10).astype(np.int32)
    xs, ws, ys = F32(.02), rng.uniform(.001, .02, 10).astype(F32), F32(.3)
    f = m.dequantised("x", xs, zero)
    g = m.dequantised(m.constant(w), ws, np.zeros(10, np.int8), axis=0)
    b = m.dequantised(m.constant(bias), ws * xs, np.zeros(10, np.int32), axis=0)
    y = m.node("Conv", [f, g, b], pads=[1, 1, 1, 1])
    if behind:
        y = m.node(behind, [y] + ([m.constant(F32(-2)), m.constant(F32(6))] if behind == "Clip" else []))
    got = m.run(x, m.quantised(y, ys, zero), symbolic)
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(real(x, xs, zero), ((0, 0), (0, 0), (1, 1), (1, 1))), (3, 3), (2, 3))
    exact = np.einsum("nchwij,ocij->nohw", windows, real(w, ws[:, None, None, None], 0))
    exact += (bias * ws.astype(np.float64) * np.float64(xs))[:, None, None]
    if behind:
        exact = np.maximum(exact, 0) if behind == "Relu" else np.clip(exact, -2, 6)
    near(got, exact, ys, zero)


@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize("op", ["MatMul", "Gemm"])
@pytest.mark.parametrize("quantised", [False, True])
@pytest.mark.parametrize("dtype, zero", SIGNS)
def test_products(dtype, zero, quantised, op, columns):
    rng = np.random.default_rng(1)
    m = Model()
    x = rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max + 1, (5, 37)).astype(dtype)
    w = rng.integers(-128, 128, (37, 22)).astype(np.int8)
    xs, ys = F32(.02), F32(.9)
    ws, wz = (rng.uniform(.01, .02, 22).astype(F32), rng.integers(-3, 4, 22).astype(np.int8)) if columns else (F32(.01), np.int8(2))
    f, g = m.dequantised("x", xs, zero), m.dequantised(m.constant(w), ws, wz, axis=1)
    exact = real(x, xs, zero) @ real(w, ws, wz)
    inputs = [f, g]
    if op == "Gemm":
        bias = rng.integers(-3000, 3000, 22).astype(np.int32)
        scale = ws * xs
        inputs.append(m.dequantised(m.constant(bias), scale, np.zeros(np.shape(scale), np.int32), axis=0))
        exact += bias * np.float64(1) * ws * np.float64(xs)
    y = m.node(op, inputs)
    if quantised:
        near(m.run(x, m.quantised(y, ys, zero), False), exact, ys, zero)
    else:
        np.testing.assert_allclose(m.run(x, y, False), exact, rtol=1e-4, atol=1e-4)


def test_a_bias_of_another_scale_counts():
    m = Model()
    x, w, bias = np.full((1, 4), 10, np.uint8), np.ones((4, 3), np.int8), np.array([5, -7, 100], np.int32)
    f, g = m.dequantised("x", F32(.5), np.uint8(0)), m.dequantised(m.constant(w), F32(.5), np.int8(0))
    b = m.dequantised(m.constant(bias), F32(1), np.int32(0))
    got = m.run(x, m.quantised(m.node("Gemm", [f, g, b]), F32(.5), np.uint8(9)), False)
    np.testing.assert_array_equal(got, np.clip((10 + bias)[None] / .5 + 9, 0, 255).astype(np.uint8))


def test_moved_bytes_are_the_same_bytes():
    rng = np.random.default_rng(2)
    m = Model()
    x = rng.integers(0, 256, (2, 4, 6, 6)).astype(np.uint8)
    p = F32(.1), np.uint8(3)
    y = m.node("MaxPool", [m.dequantised("x", *p)], kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2])
    y = m.node("Transpose", [m.dequantised(m.quantised(y, *p), *p)], perm=[0, 2, 3, 1])
    y = m.node("Reshape", [y, m.constant(np.array([2, -1], np.int64))])
    got = m.run(x, m.quantised(m.node("Concat", [y, y], axis=1), *p), False)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    pooled = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))[:, :, ::2, ::2].max((-1, -2))
    flat = pooled.transpose(0, 2, 3, 1).reshape(2, -1)
    np.testing.assert_array_equal(got, np.concatenate([flat, flat], 1))


WEIGHTS = {"int2": (-2, 2), "uint2": (0, 4), "int4": (-8, 8), "uint4": (0, 16), "int8": (-128, 128), "uint8": (0, 256)}


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("dtype", WEIGHTS)
def test_weights_are_unpacked_in_the_product(dtype, zeros):
    """Weights with a scale for all, for each column, or for each block, some of which the rows do not fill; times floats."""
    rng = np.random.default_rng(3)
    kind, (low, high) = np.dtype(getattr(ml_dtypes, dtype, dtype)), WEIGHTS[dtype]
    nodes, held, feeds, wants = [], [], {}, []

    def hold(name, value):
        held.append(helper.make_tensor(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape, value.flatten()))

    for k, n, block, swapped, op in ((64, 40, 16, False, "MatMul"), (100, 7, 32, True, "MatMul"), (70, 33, -1, False, "Gemm"),
                                     (48, 20, 0, True, "Gemm"), (96, 21, 48, True, "Gemm"), (1, 3, -1, False, "MatMul"),
                                     (36, 5, 12, False, "MatMul"), (130, 17, -1, True, "MatMul")):
        i = len(wants)
        q = rng.integers(low, high, (k, n)).astype(kind)
        shape = () if block == 0 else (n,) if block < 0 else (-(-k // block), n)
        s, z = np.asarray(rng.uniform(.01, .1, shape), F32), np.asarray(rng.integers(low, high, shape)).astype(kind)
        x, bias = rng.uniform(-1, 1, (3, k)).astype(F32), rng.uniform(-1, 1, n).astype(F32)
        spread = (lambda p: np.repeat(p, block, 0)[:k]) if block > 0 else lambda p: p
        w = (q.astype(np.float64) - (spread(z.astype(np.float64)) if zeros else 0)) * spread(s.astype(np.float64))
        wants.append(x.astype(np.float64) @ w + (bias if op == "Gemm" else 0))
        attrs = {"axis": int(swapped) if block > 0 else 1 - int(swapped), "block_size": max(block, 0)}
        turned = (lambda p: p.T) if swapped else lambda p: p
        for name, value in (("q", turned(q)), ("s", turned(s)), ("z", turned(z)), ("b", bias)):
            hold(f"{name}{i}", value)
        feeds[f"x{i}"] = x
        nodes.append(helper.make_node("DequantizeLinear", [f"q{i}", f"s{i}"] + [f"z{i}"] * zeros, [f"w{i}"], **attrs))
        if op == "Gemm":
            nodes.append(helper.make_node("Gemm", [f"x{i}", f"w{i}", f"b{i}"], [f"y{i}"], transB=int(swapped)))
            continue
        if swapped:
            nodes.append(helper.make_node("Transpose", [f"w{i}"], [f"t{i}"], perm=[1, 0]))
        nodes.append(helper.make_node("MatMul", [f"x{i}", f"t{i}" if swapped else f"w{i}"], [f"y{i}"]))
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info(name, 1, x.shape) for name, x in feeds.items()],
                              [helper.make_tensor_value_info(f"y{i}", 1, None) for i in range(len(wants))], held)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)], ir_version=11)
    for got, want in zip(noria.InferenceSession(model.SerializeToString()).run(None, feeds), wants):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4 * np.abs(want).max())
