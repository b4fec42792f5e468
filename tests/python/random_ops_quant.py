"""Random nodes over quantised values, for test_ops_random.py. Where scales are powers of two, all that is computed with
them is exact, so every order of the steps gives the same integers."""
import ml_dtypes
import numpy as np
from onnx import helper
from random_draw import Case, kind
from random_ops import ops

F32 = np.float32
BYTES = np.int8, np.uint8


def scale(d, shape=(), dtype=F32):
    """Powers of two."""
    return np.asarray(2. ** d.random.integers(-4, 3, shape)).astype(dtype)


def zero(d, dtype, shape=()):
    return d.array(dtype, shape)


def number(dtype):
    return int(helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))


# ---- to quantised values and back ------------------------------------------------------------------------------------

def granularity(d, op, opset, shape):
    """Attributes, and the shape of scale and zero point: one for all, for each index of an axis, for each block."""
    if not shape or d.chance(.3):
        return {}, d.choose((), (1,))
    axis = d.axis(len(shape))
    attrs = {"axis": axis} if axis != 1 or d.chance() else {}
    if opset < 13:
        return ({}, ()) if len(shape) < 2 else ({}, (shape[1],))
    if opset >= 21 and d.chance() and len(shape) > 1 and 0 not in shape:
        block = d.integer(1, shape[axis] + 1)
        blocked = list(shape)
        blocked[axis] = -(-shape[axis] // block)
        return attrs | {"block_size": block}, tuple(blocked)
    return attrs, (shape[axis],)


def by_formula(x, s, axis, block):
    """A parameter stretched to the shape of x."""
    if s.ndim == 0 or s.shape == (1,):
        return s.reshape(())
    if block:
        s = np.repeat(s, block, axis)
        return np.take(s, range(x.shape[axis]), axis)
    return s.reshape((-1,) + (1,) * (x.ndim - 1 - axis % x.ndim))


QUANTISED = {10: "int8 uint8", 19: "float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz", 21: "int16 uint16 int4 uint4",
             23: "float4_e2m1fn", 25: "int2 uint2"}


def quantised_type(d, opset):
    names = [n for since, names in QUANTISED.items() if opset >= since for n in names.split()]
    name = d.choose(*names)
    return np.dtype(getattr(ml_dtypes, name) if hasattr(ml_dtypes, name) else name)


def float_type(d, opset):
    return np.dtype(F32 if opset < 19 else d.choose(F32, F32, np.float16, ml_dtypes.bfloat16))


@ops("QuantizeLinear")
def quantize(d, op):
    opset, shape = d.opset(op), d.shape((0, 4))
    t, to = float_type(d, opset), quantised_type(d, opset)
    attrs, grain = granularity(d, op, opset, shape)
    x, s = d.array(t, shape, special=.2), scale(d, grain, t)
    x = np.where(np.isnan(x.astype(F32)), 0, x).astype(t) if kind(to) == "f" else x
    inputs = [x, s] + ([zero(d, to, grain) if kind(to) != "f" else np.zeros(grain, to)] if d.chance(.7) else [])
    if len(inputs) == 2 and opset >= 21 and d.chance(.8):
        attrs["output_dtype"] = number(to)
    elif len(inputs) == 2:
        to = np.dtype(np.uint8)
    with np.errstate(all="ignore"):
        axis, block = attrs.get("axis", 1), attrs.get("block_size", 0)
        scaled = (x / by_formula(x, s, axis, block)).astype(np.float64)
        if kind(to) == "f":
            limit = float(ml_dtypes.finfo(to).max)
            want = np.clip(scaled, -limit, limit).astype(F32).astype(to)
        else:
            info = ml_dtypes.iinfo(to)
            moved = np.rint(np.where(np.isnan(scaled), -1e9, scaled))
            if len(inputs) == 3:
                moved = moved + by_formula(x, inputs[2], axis, block).astype(np.float64)
            want = np.clip(moved, info.min, info.max).astype(np.int64).astype(to)
    return Case(op, inputs, attrs, opset=opset, wants=[np.asarray(want)])


@ops("DequantizeLinear")
def dequantize(d, op):
    opset, shape = d.opset(op), d.shape((0, 4))
    t = quantised_type(d, opset) if d.chance(.85) else np.dtype(np.int32)
    attrs, grain = granularity(d, op, opset, shape)
    x, s = d.array(t, shape, special=.3 if kind(t) != "f" else 0), scale(d, grain, float_type(d, opset))
    z = np.zeros(grain, t) if kind(t) == "f" or t == np.int32 else zero(d, t, grain)
    to = s.dtype
    if opset >= 23 and d.chance():
        to = float_type(d, opset)
        attrs["output_dtype"] = number(to)
    axis, block = attrs.get("axis", 1), attrs.get("block_size", 0)
    inputs = [x, s] + ([z] if d.chance(.7) else [])
    distance = x.astype(np.float64) - (by_formula(x, z, axis, block).astype(np.float64) if len(inputs) == 3 else 0)
    with np.errstate(all="ignore"):
        want = (distance * by_formula(x, s, axis, block).astype(np.float64)).astype(to)
    return Case(op, inputs, attrs, opset=opset, wants=[np.asarray(want)])


@ops("DynamicQuantizeLinear")
def dynamic_quantize(d, op):
    low = d.choose(-3, 0, 1)
    return Case(op, [d.array(F32, d.shape((0, 4), 1), low, low + 2)], outputs=3, opset=d.opset(op))


# ---- products --------------------------------------------------------------------------------------------------------

def matrices(d, a_type, b_type):
    """Two that can be multiplied, over all of the range."""
    batch_a, batch_b = d.broadcast(ranks=(0, 2))
    m, k, n = d.dim(), d.dim(), d.dim()
    shapes = (batch_a + (m, k), batch_b + (k, n)) if d.chance(.7) else \
        ((k,), batch_b + (k, n)) if d.chance() else (batch_a + (m, k), (k,))
    return [d.array(t, s, -128, 255) for t, s in zip((a_type, b_type), shapes)]


def side(d, matrix, other, left):
    """The shape of the parameters of one factor: one for all, or for each row or column."""
    if matrix.ndim == 1 or other.ndim == 1 or d.chance(.6):
        return d.choose((), (1,))
    if left:
        return (matrix.shape[0],) if matrix.ndim == 2 else matrix.shape[:-1] + (1,)
    return (matrix.shape[-1],) if d.chance() else matrix.shape[:-2] + (1, matrix.shape[-1])


def spread(parameter, matrix, left):
    column = left and parameter.ndim == 1 and parameter.size != 1 and matrix.ndim == 2
    return parameter[:, None] if column else parameter


def distance(matrix, zero_point, left):
    return matrix.astype(np.int64) - (0 if zero_point is None else spread(zero_point, matrix, left).astype(np.int64))


@ops("MatMulInteger")
def matmul_integer(d, op):
    a, b = matrices(d, d.choose(*BYTES), d.choose(*BYTES))
    za, zb = (zero(d, x.dtype, side(d, x, y, left)) if d.chance(.6) else None for x, y, left in ((a, b, True), (b, a, False)))
    want = np.matmul(distance(a, za, True), distance(b, zb, False)).astype(np.int32)
    return Case(op, [a, b, za, zb], opset=d.opset(op), wants=[np.asarray(want)])
