"""Quantised values: what random nodes do not reach. Expected numbers come from the formulas of the schemas, in NumPy."""
import ml_dtypes
import numpy as np
import pytest
from ops import Batch, Const, fails

F32 = np.float32


def u8(*values):
    return np.array(values, np.uint8)


def test_halves_are_rounded_to_even_before_the_zero_point():
    x = np.array([.5, 1.5, 2.5, -.5, -1.5, 300, -300, np.inf, -np.inf, np.nan, 1e30, -1e30], F32)
    batch = Batch(21)
    batch.add("QuantizeLinear", [x, F32(1), np.uint8(3)], u8(3, 5, 5, 3, 1, 255, 0, 255, 0, 0, 255, 0))
    batch.add("QuantizeLinear", [x, F32(1), np.int8(-1)],
              np.array([-1, 1, 1, -1, -3, 127, -128, 127, -128, -128, 127, -128], np.int8))
    batch.add("QuantizeLinear", [x, F32(1)], u8(0, 2, 2, 0, 0, 255, 0, 255, 0, 0, 255, 0))
    batch.check()


def test_the_scale_divides_in_its_precision():
    """x / scale, not x * (1 / scale); of int32 in float32; in the type of attribute precision."""
    rng = np.random.default_rng(0)
    x, s = rng.uniform(-100, 100, 4000).astype(F32), F32(.7)
    batch = Batch(23)
    batch.add("QuantizeLinear", [x, s, np.int16(0)], np.rint(x / s).astype(np.int16))
    whole = rng.integers(-2**24, 2**24, 4000).astype(np.int32)
    want = np.clip(np.rint(whole.astype(F32) / F32(1000)), -32768, 32767).astype(np.int16)
    batch.add("QuantizeLinear", [whole, F32(1000), np.int16(0)], want)
    half = (x.astype(np.float16) / np.float16(.7)).astype(np.float16)
    batch.add("QuantizeLinear", [x, s, np.int16(0)], np.rint(half.astype(F32)).astype(np.int16), precision=10)
    batch.add("QuantizeLinear", [x, np.float16(.7), np.int16(0)], np.rint(half.astype(F32)).astype(np.int16))
    batch.check()


def test_exponents_as_scales():
    x = np.arange(-8, 8, dtype=F32).reshape(2, 8)
    s = np.array([[.5, 2], [1, 4]], ml_dtypes.float8_e8m0fnu)
    batch = Batch(25)
    batch.add("QuantizeLinear", [x, s, np.zeros((2, 2), np.int8)],
              np.rint(x / np.repeat(s.astype(F32), 4, 1)).astype(np.int8), block_size=4, axis=1)
    batch.add("DequantizeLinear", [x.astype(np.int8), s], x * np.repeat(s.astype(F32), 4, 1), block_size=4, axis=1)
    batch.check()


def test_float8_saturates_on_demand():
    x = np.array([1000, -1000, 17.3, -0.], F32)
    batch = Batch(21)
    for saturate, want in ((1, x.clip(-448, 448).astype(ml_dtypes.float8_e4m3fn)), (0, x.astype(ml_dtypes.float8_e4m3fn))):
        batch.add("QuantizeLinear", [x, F32(1), np.zeros((), ml_dtypes.float8_e4m3fn)], want, saturate=saturate)
    batch.check()


def test_all_of_int32_is_dequantised():
    x = np.array([-2**31, 2**31 - 1, 0, 12345678], np.int32)
    batch = Batch(13)
    batch.add("DequantizeLinear", [x, F32(.5)], x.astype(F32) * F32(.5))
    batch.add("DequantizeLinear", [x, F32(.5), np.int32(7)], ((x.astype(np.int64) - 7) * .5).astype(F32))
    batch.check()


def test_dynamic_ranges():
    """All elements 0: the scale is 1, not 0 / 255; none at all; all on one side of 0."""
    batch = Batch(11)
    zero = u8(0)[0]
    batch.add("DynamicQuantizeLinear", [np.zeros((2, 3), F32)], [np.zeros((2, 3), np.uint8), F32(1), zero])
    batch.add("DynamicQuantizeLinear", [np.zeros((0, 3), F32)], [np.zeros((0, 3), np.uint8), F32(1), zero])
    batch.add("DynamicQuantizeLinear", [np.array([51, 255, 102], F32)], [u8(51, 255, 102), F32(1), zero])
    batch.add("DynamicQuantizeLinear", [np.array([-51, -255], F32)], [u8(204, 0), F32(1), u8(255)[0]])
    batch.check()


@pytest.mark.parametrize("a_type", (np.int8, np.uint8))
@pytest.mark.parametrize("b_type", (np.int8, np.uint8))
def test_integer_products_at_the_ends(a_type, b_type):
    """The largest factors, over sums long enough for every vector."""
    a_ends, b_ends = (np.array([np.iinfo(t).min, np.iinfo(t).max], t) for t in (a_type, b_type))
    rng = np.random.default_rng(1)
    batch = Batch(13)
    for m, k, n in ((1, 300, 7), (5, 129, 33), (64, 64, 64)):
        a, b = rng.choice(a_ends, (m, k)), rng.choice(b_ends, (k, n))
        za, zb = rng.choice(a_ends, m), rng.choice(b_ends, n)
        wide = a.astype(np.int64), b.astype(np.int64)
        batch.add("MatMulInteger", [a, b], (wide[0] @ wide[1]).astype(np.int32))
        batch.add("MatMulInteger", [a, Const(b), Const(za[0]), Const(zb[0])],
                  ((wide[0] - za[0]) @ (wide[1] - zb[0])).astype(np.int32))
        batch.add("MatMulInteger", [a, b, za, zb],
                  ((wide[0] - za[:, None].astype(np.int64)) @ (wide[1] - zb.astype(np.int64))).astype(np.int32))
    batch.check()


def test_one_zero_point_for_many_scales_is_an_error():
    inputs = [np.ones((2, 4), F32), np.ones(4, F32), np.uint8(0)]
    assert "y_scale and y_zero_point have different shapes" in fails("QuantizeLinear", inputs, 23)


@pytest.mark.parametrize("op, inputs, message, attrs", [
    ("QuantizeLinear", [np.ones((2, 3), F32), np.ones(2, F32)], "dim 0 of y_scale is 2, neither 1 nor 3", {}),
    ("QuantizeLinear", [np.ones((2, 3), F32), np.ones((2, 3), F32)], "y_scale has rank 2; without block_size", {}),
    ("QuantizeLinear", [np.ones((2, 4), F32), np.ones((2, 3), F32)], "dim 1 of y_scale is 3, not 2", {"block_size": 2}),
    ("QuantizeLinear", [np.ones((2, 4), F32), np.ones((2, 2), F32)], "block_size is -2", {"block_size": -2}),
    ("QuantizeLinear", [np.ones((2, 4), F32), np.ones(4, F32)], "axis 5 is out of range", {"axis": 5}),
    ("QuantizeLinear", [np.ones(4, F32), np.ones(4, F32)], "a tensor of 4 elements where one is expected", {}),
    ("QuantizeLinear", [np.ones(4, F32), F32(1), np.uint8(0)], "output_dtype is int8, but the zero point is uint8",
     {"output_dtype": 3}),
    ("QuantizeLinear", [np.ones(4, F32), F32(1)], "int32 is no type of quantised values", {"output_dtype": 6}),
    ("QuantizeLinear", [np.ones(4, F32), F32(1)], "undefined is no type of quantised values", {"output_dtype": 77}),
    ("QuantizeLinear", [np.ones(4, F32), F32(1)], "precision is int32, not a float", {"precision": 6}),
    ("DequantizeLinear", [np.ones(4, np.int8), F32(1), np.uint8(0)], "x is int8, but the zero point is uint8", {}),
    ("DequantizeLinear", [np.ones(4, np.int64), F32(1)], "int64, which is no type of quantised values", {}),
    ("MatMulInteger", [np.ones((2, 3), np.int8), np.ones((4, 2), np.int8)], "inner dims differ: 3 and 4", {}),
    ("MatMulInteger", [np.ones((2, 3), np.int16), np.ones((3, 2), np.int8)], "input 0 is int16, not int8 or uint8", {}),
    ("MatMulInteger", [np.ones((2, 3), np.int8), np.ones((3, 2), np.int8), np.uint8(0)],
     "a_zero_point is uint8, but its matrix is int8", {}),
    ("MatMulInteger", [np.ones((2, 3), np.int8), np.ones((3, 2), np.int8), np.zeros(3, np.int8)],
     "of a_zero_point is 3, neither 1 nor 2", {}),
])
def test_errors(op, inputs, message, attrs):
    for symbolic in (False, True):
        text = fails(op, inputs, 23, symbolic, **attrs)
        assert "the_node" in text
        assert symbolic or message in text, text


def test_float8_matrices():
    """Summed in float32, limited to the range."""
    f8 = ml_dtypes.float8_e4m3fn
    rng = np.random.default_rng(2)
    a, b = rng.standard_normal((3, 5)).astype(f8), rng.standard_normal((5, 4)).astype(f8)
    one, none = F32(1), np.zeros((), f8)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    batch = Batch(21, rtol=.07)
    batch.add("QLinearMatMul", [a, one, none, b, one, none, F32(.5), none], (exact * 2).astype(F32).astype(f8))
    batch.add("QLinearMatMul", [a, one, none, b, one, none, F32(1e-4), none],
              np.clip(exact * 1e4, -448, 448).astype(F32).astype(f8))
    batch.check()


def test_blocks_of_small_floats():
    """Without zero points; a scale for all rows, and one for whole rows."""
    data = np.arange(-8, 8).reshape(2, 8).repeat(2, 1).astype(ml_dtypes.float8_e4m3fn)
    index, op = np.array([1, -2, 7, 0]), "com.microsoft.GatherBlockQuantized"
    taken = np.where([[1], [1], [0], [1]], data.astype(F32)[[1, 0, 0, 0]], 0).astype(F32)
    batch = Batch(13)
    batch.add(op, [data, index, np.array([[.5], [.5]], F32)], taken * F32(.5), block_size=0)
    batch.add(op, [data, index, np.array([[2.]], F32)], taken * 2, block_size=16)
    batch.add(op, [data, np.int64(1), np.array([[2.], [4.]], F32)], data[1].astype(F32) * 4, block_size=16)
    batch.check()


def test_pools_with_the_channels_last():
    x = np.arange(24, dtype=np.uint8).reshape(1, 2, 4, 3)
    one, zero = F32(1), u8(0)[0]
    batch = Batch(13)
    batch.add("com.microsoft.QLinearGlobalAveragePool", [x, one, zero, F32(.5), zero],
              (x.astype(float).mean((1, 2), keepdims=True) * 2).astype(np.uint8), channels_last=1)
    batch.add("com.microsoft.QLinearAveragePool", [x, one, zero, F32(.5), zero],
              (x.astype(float).mean(1, keepdims=True) * 2).astype(np.uint8), channels_last=1, kernel_shape=[2, 1])
    batch.check()


def bytes_of(*shape):
    return np.ones(shape, np.uint8)


@pytest.mark.parametrize("op, inputs, message, attrs", [
    ("QLinearMatMul", [bytes_of(2, 3), F32(1), u8(0)[0], bytes_of(3, 2), np.ones(3, F32), u8(0)[0], F32(1), u8(0)[0]],
     "of b_scale is 3, neither 1 nor 2", {}),
    ("ConvInteger", [bytes_of(1, 1, 4), bytes_of(2, 1, 2), u8(0)[0], u8(0, 0, 0)], "w_zero_point is 3, not 2", {}),
    ("ConvInteger", [bytes_of(1, 1, 4), bytes_of(2, 1, 2), np.int8(0)], "a zero point has another type", {}),
    ("QLinearConv", [np.ones((1, 1, 4), np.int16), F32(1), np.int16(0), bytes_of(1, 1, 2), F32(1), u8(0)[0], F32(1),
                     u8(0)[0]], "input 0 is int16, not int8 or uint8", {}),
    ("com.microsoft.QGemm", [bytes_of(2, 3), F32(1), u8(0)[0], bytes_of(4, 2), F32(1), u8(0)[0]],
     "dim 0 of B is 4, not 3", {}),
    ("com.microsoft.MatMulNBits", [np.ones((2, 20), F32), bytes_of(3, 2, 8), np.ones((3, 2), F32), None,
                                   np.zeros(21, np.int32)], "g_idx has 21 entries, neither 20 nor 32",
     {"N": 3, "K": 20, "block_size": 16}),
    ("com.microsoft.MatMulNBits", [np.ones((2, 20), F32), bytes_of(3, 2, 8), np.ones((3, 2), F32), None,
                                   np.full(20, 2, np.int32)], "a value of g_idx is 2; it must be from 0 to 1",
     {"N": 3, "K": 20, "block_size": 16}),
    ("com.microsoft.QLinearSoftmax", [bytes_of(2, 3), F32(1), None, F32(1), np.uint8(0)],
     "attribute opset is 0; it must be positive", {"opset": 0}),
    ("com.microsoft.QLinearSoftmax", [bytes_of(2, 3), F32(1), None, F32(1), np.uint8(0)],
     "attribute 'opset' is missing", {}),
    ("com.microsoft.MatMulNBits", [np.ones((2, 20), F32), bytes_of(3, 2, 8), np.ones((3, 2), F32)], "bits is 3",
     {"N": 3, "K": 20, "block_size": 16, "bits": 3}),
    ("com.microsoft.MatMulNBits", [np.ones((2, 20), F32), bytes_of(3, 2, 8), np.ones((3, 2), F32)], "block_size is 17",
     {"N": 3, "K": 20, "block_size": 17}),
    ("com.microsoft.MatMulNBits", [np.ones((2, 20), F32), bytes_of(3, 1, 8), np.ones((3, 2), F32)],
     "dim 1 of B is 1, not 2", {"N": 3, "K": 20, "block_size": 16}),
    ("com.microsoft.MatMulNBits", [np.ones((2, 20), F32), bytes_of(3, 2, 8), np.ones((3, 2), F32)], "N is -3",
     {"N": -3, "K": 20, "block_size": 16}),
    ("com.microsoft.GatherBlockQuantized", [bytes_of(3, 8), np.int64(0), np.ones((3, 2), F32)],
     "dim 1 of scales is 2, not 1", {"block_size": 16}),
    ("com.microsoft.QLinearConcat", [F32(1), u8(0)[0], bytes_of(2), F32(1)], "each tensor comes with a scale",
     {"axis": 0}),
    ("com.microsoft.QLinearAdd", [np.ones(2, np.int16), F32(1), np.int16(0), np.ones(2, np.int16), F32(1), np.int16(0),
                                  F32(1), np.int16(0)], "input 0 is int16, not int8 or uint8", {}),
])
def test_errors_of_more_ops(op, inputs, message, attrs):
    for symbolic in (False, True):
        text = fails(op, inputs, 21, symbolic, **attrs)
        assert "the_node" in text
        assert symbolic or message in text, text
