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
             23: "float4_e2m1fn", 25: "int2 uint2",
             28: "float6_e2m3fn float6_e3m2fn"}


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


# ---- products with scales --------------------------------------------------------------------------------------------

def requantised(x, s, z, dtype):
    if kind(dtype) == "f":
        limit = float(ml_dtypes.finfo(dtype).max)
        return np.clip(np.asarray(x, np.float64) / s, -limit, limit).astype(F32).astype(dtype)
    info = np.iinfo(dtype)
    return np.clip(np.rint(np.asarray(x, np.float64) / s) + (0 if z is None else z.astype(np.int64)), info.min,
                   info.max).astype(dtype)


def sided(d, a, b, dtype=F32):
    """Scales and zero points of two factors."""
    sides = side(d, a, b, True), side(d, b, a, False)
    return [scale(d, s, dtype) for s in sides], [zero(d, x.dtype, s) for x, s in zip((a, b), sides)]


def wide(parameter, matrix, left):
    return spread(parameter, matrix, left).astype(np.float64)


@ops("QLinearMatMul")
def qlinear_matmul(d, op):
    opset = d.opset(op)
    a, b = matrices(d, d.choose(*BYTES), d.choose(*BYTES))
    t = np.dtype(F32 if opset < 21 else d.choose(F32, np.float16, ml_dtypes.bfloat16))
    (sa, sb), (za, zb) = sided(d, a, b, t)
    sy, to = (scale(d) * 1024).astype(t), np.dtype(d.choose(*BYTES))
    zy = np.zeros((), to) if kind(to) == "f" else zero(d, to)
    product = np.matmul(distance(a, za, True), distance(b, zb, False))
    row = wide(sa, a, True) * wide(sb, b, False)
    want = requantised(product * row, sy.astype(np.float64), zy, zy.dtype)
    return Case(op, [a, sa, za, b, sb, zb, sy, zy], opset=opset, wants=[np.asarray(want)])


@ops("com.microsoft.MatMulInteger16")
def matmul_integer16(d, op):
    t = d.choose(np.int16, np.uint16)
    a, b = matrices(d, t, t)
    to = np.uint32 if t is np.uint16 else np.int32
    return Case(op, [a, b], wants=[np.asarray(np.matmul(a.astype(np.int64), b.astype(np.int64)).astype(to))])


@ops("com.microsoft.MatMulIntegerToFloat")
def matmul_integer_to_float(d, op):
    a, b = matrices(d, d.choose(*BYTES), d.choose(*BYTES))
    (sa, sb), (za, zb) = sided(d, a, b)
    za, zb = za if d.chance(.7) else None, zb if d.chance(.7) else None
    bias = d.array(F32, b.shape[-1:]) if b.ndim > 1 and d.chance() else None
    want = np.matmul(distance(a, za, True), distance(b, zb, False)) * (wide(sa, a, True) * wide(sb, b, False))
    want = want if bias is None else want + bias
    return Case(op, [a, b, sa, sb, za, zb, bias], wants=[np.asarray(want).astype(F32)], tolerance=1e-5)


@ops("com.microsoft.DynamicQuantizeMatMul")
def dynamic_quantize_matmul(d, op):
    k, n = d.dim(1), d.dim(1)
    a, b = d.array(F32, d.shape((0, 2), 1) + (d.dim(1), k)), d.array(d.choose(*BYTES), (k, n), -128, 255)
    grain = d.choose((), (1,), (n,))
    inputs = [a, b, scale(d, grain), zero(d, b.dtype, grain) if d.chance() else None,
              d.array(F32, (n,)) if d.chance() else None]
    return Case(op, inputs, unreliable=True, tolerance=1e-4)


@ops("com.microsoft.QGemm")
def qgemm(d, op):
    m, k, n = d.dim(1), d.dim(1), d.dim(1)
    attrs = {name: d.integer(0, 1) for name in ("transA", "transB") if d.chance()}
    if d.chance():
        attrs["alpha"] = d.choose(.5, 2., 1.)
    a = d.array(d.choose(*BYTES), (k, m) if attrs.get("transA") else (m, k), -128, 255)
    b = d.array(d.choose(*BYTES), (n, k) if attrs.get("transB") else (k, n), -128, 255)
    grain = d.choose((), (1,), (n,))
    sa, za, sb, zb = scale(d), zero(d, a.dtype), scale(d, grain), zero(d, b.dtype, grain)
    c = d.array(np.int32, d.choose((n,), (m, n)), -999, 999) if d.chance() else None
    left = (a.T if attrs.get("transA") else a).astype(np.int64) - za.astype(np.int64)
    right = (b.T if attrs.get("transB") else b).astype(np.int64) - zb.astype(np.int64)
    want = (left @ right + (0 if c is None else c)) * (sa.astype(np.float64) * sb * attrs.get("alpha", 1.))
    more = []
    if d.chance():
        more = [scale(d) * F32(1024), zero(d, a.dtype)]
        want = requantised(want, more[0], more[1], a.dtype)
    return Case(op, [a, sa, za, b, sb, zb, c] + more, attrs, wants=[want if more else want.astype(F32)], tolerance=1e-5)


# ---- convolutions ----------------------------------------------------------------------------------------------------

def correlate(x, w, strides, dilations, pads, group):
    n, kernel = w.ndim - 2, w.shape[2:]
    x = np.pad(x, [(0, 0), (0, 0)] + [(pads[i], pads[i + n]) for i in range(n)])
    sizes = [(x.shape[2 + i] - (kernel[i] - 1) * dilations[i] - 1) // strides[i] + 1 for i in range(n)]
    y = np.zeros((x.shape[0], w.shape[0], *sizes), np.int64)
    c, o = x.shape[1] // group, w.shape[0] // group
    for at in np.ndindex(*kernel):
        begins = [a * e for a, e in zip(at, dilations)]
        window = x[(slice(None), slice(None)) + tuple(slice(b, b + (size - 1) * s + 1, s)
                                                      for b, size, s in zip(begins, sizes, strides))]
        for g in range(group):
            y[:, g * o:(g + 1) * o] += np.einsum("nc...,oc->no...", window[:, g * c:(g + 1) * c],
                                                 w[(slice(g * o, (g + 1) * o), slice(None)) + at])
    return y


def convolution(d):
    """x, w, attributes, and zero points, perhaps one for each output channel."""
    rank, group = d.choose(1, 2, 2, 3), d.choose(1, 1, 2)
    kernel = [d.integer(1, 3) for _ in range(rank)]
    attrs = {"strides": [d.integer(1, 2) for _ in range(rank)], "dilations": [d.choose(1, 1, 2) for _ in range(rank)],
             "pads": [d.integer(0, 1) for _ in range(2 * rank)], "group": group}
    size = tuple((k - 1) * e + 1 + d.integer(0, 4) for k, e in zip(kernel, attrs["dilations"]))
    c, o = group * d.integer(1, 3), group * d.integer(1, 3)
    x = d.array(d.choose(*BYTES), (d.integer(1, 2), c) + size, -128, 255)
    w = d.array(d.choose(*BYTES), (o, c // group, *kernel), -128, 255)
    return x, w, attrs, zero(d, x.dtype), zero(d, w.dtype, d.choose((), (o,)))


def convolved(x, w, attrs, zx, zw):
    column = zw.reshape((-1,) + (1,) * (w.ndim - 1)) if zw.ndim else zw
    return correlate(x.astype(np.int64) - zx.astype(np.int64), w.astype(np.int64) - column.astype(np.int64),
                     attrs["strides"], attrs["dilations"], attrs["pads"], attrs["group"])


@ops("ConvInteger")
def conv_integer(d, op):
    x, w, attrs, zx, zw = convolution(d)
    none_x, none_w = d.chance(.3), d.chance(.3)
    want = convolved(x, w, attrs, zx * (not none_x), zw * (not none_w)).astype(np.int32)
    return Case(op, [x, w, None if none_x else zx, None if none_w else zw], attrs, opset=d.opset(op), wants=[want])


@ops("QLinearConv", "com.microsoft.QLinearConv")
def qlinear_conv(d, op):
    x, w, attrs, zx, zw = convolution(d)
    sx, sw, sy, zy = scale(d), scale(d, zw.shape), scale(d) * F32(64), zero(d, d.choose(*BYTES))
    bias = d.array(np.int32, w.shape[:1], -999, 999) if d.chance() else None
    channels = (slice(None),) + (None,) * (w.ndim - 2)
    total = convolved(x, w, attrs, zx, zw) + (0 if bias is None else bias[channels])
    want = requantised(total * (sx.astype(np.float64) * (sw[channels] if sw.ndim else sw)), sy, zy, zy.dtype)
    if op.startswith("com") and d.chance():
        attrs["channels_last"] = 1
        x, want = np.ascontiguousarray(np.moveaxis(x, 1, -1)), np.moveaxis(want, 1, -1)
    return Case(op, [x, sx, zx, w, sw, zw, sy, zy, bias], attrs, opset=d.opset(op), wants=[want])


# ---- com.microsoft: floats between quantised values ------------------------------------------------------------------

def parameters(d, t, count):
    """Scale and zero point of `count` tensors; the zero point of uint8 may be left out."""
    found = []
    for _ in range(count):
        found += [scale(d), zero(d, t) if t is np.int8 or d.chance(.7) else None]
    return found


def between(case, op, inputs, attrs):
    """The same by ops of ai.onnx: the tensors at `inputs` dequantised, the op, the result quantised."""
    given = [f"x{i}" if x is not None else "" for i, x in enumerate(case.inputs)]
    case.twin = [("DequantizeLinear", given[i:i + 3], [f"d{i}"], {}) for i in inputs]
    front = ["x0"] if op == "Where" else []
    case.twin.append((op, front + [f"d{i}" for i in inputs], ["f"], attrs))
    case.twin.append(("QuantizeLinear", ["f"] + given[-2:], ["y0"], {}))
    case.opset = 13 if case.opset > 13 else case.opset
    case.unreliable = True
    return case


@ops("com.microsoft.QLinearAdd", "com.microsoft.QLinearMul", "com.microsoft.MulInteger")
def qlinear_binary(d, op):
    t, (a, b) = d.choose(*BYTES), d.broadcast()
    a, b = d.array(t, a, -128, 255), d.array(t, b, -128, 255)
    p = parameters(d, t, 3)
    if op.endswith("Integer"):
        za, zb = p[1], p[3]
        want = np.multiply(*(x.astype(np.int64) - (0 if z is None else z.astype(np.int64))
                             for x, z in ((a, za), (b, zb))))
        return Case(op, [a, za, b, zb], wants=[np.asarray(want).astype(np.int32)])
    return between(Case(op, [a, *p[:2], b, *p[2:]]), op[-3:], (0, 3), {})


@ops("com.microsoft.QLinearWhere")
def qlinear_where(d, op):
    t, (c, a, b) = d.choose(*BYTES), d.broadcast(3)
    z = [zero(d, t) for _ in range(3)]
    a, b = d.array(t, a, -128, 255), d.array(t, b, -128, 255)
    inputs = [d.array(bool, c), a, scale(d), z[0], b, scale(d), z[1], scale(d), z[2]]
    return between(Case(op, inputs), "Where", (1, 4), {})


@ops("com.microsoft.QLinearSigmoid", "com.microsoft.QLinearLeakyRelu", "com.microsoft.QLinearReduceMean",
     "com.microsoft.QLinearGlobalAveragePool")
def qlinear_unary(d, op):
    t, name = d.choose(*BYTES), op.rpartition("QLinear")[2]
    x = d.array(t, d.shape((3, 4) if "Pool" in name else (1, 4), 1), -128, 255)
    attrs = {}
    if name == "LeakyRelu":
        attrs = {"alpha": .25}
    elif name == "ReduceMean":
        attrs = {"axes": sorted(a % x.ndim for a in d.axes(x.ndim, d.integer(1, x.ndim))), "keepdims": d.integer(0, 1)}
    p = parameters(d, t, 2)
    if name == "Sigmoid":
        p[0], p[2] = np.asarray(1 / 16, F32), np.asarray(1 / 256, F32)
    if "Pool" in name:
        p = [zero(d, t) if v is None else v for v in p]
    return between(Case(op, [x, *p], attrs), name, (0,), attrs)


@ops("com.microsoft.QLinearSoftmax")
def qlinear_softmax(d, op):
    t, version = d.choose(*BYTES), d.choose(11, 12, 13, 17)
    x = d.array(t, d.shape((1, 4), 1), -128, 255)
    attrs = {"axis": d.axis(x.ndim)} if d.chance(.7) else {}
    inputs = [x, scale(d), zero(d, t) if d.chance(.7) else None, np.asarray(1 / d.choose(64, 256), F32), zero(d, t)]
    case = between(Case(op, inputs, attrs | {"opset": version}), "Softmax", (0,), {"axis": -1} | attrs)
    case.ask = min(version, 13)
    return case


@ops("com.microsoft.QLinearAveragePool")
def qlinear_average_pool(d, op):
    t, kernel = d.choose(*BYTES), [d.integer(1, 3), d.integer(1, 3)]
    x = d.array(t, (d.integer(1, 2), d.integer(1, 3)) + tuple(k + d.integer(0, 4) for k in kernel), -128, 255)
    attrs = {"kernel_shape": kernel, "strides": [d.integer(1, 2), d.integer(1, 2)]}
    if d.chance():
        attrs["pads"] = [d.integer(0, k - 1) for k in kernel * 2]
    if d.chance():
        attrs["count_include_pad"] = d.integer(0, 1)
    return between(Case(op, [x, *parameters(d, t, 2)], attrs), "AveragePool", (0,), attrs)


@ops("com.microsoft.QLinearConcat")
def qlinear_concat(d, op):
    t, shape = d.choose(*BYTES), list(d.shape((1, 4)))
    axis, parts = d.axis(len(shape)), []
    wants, sy, zy = [], scale(d), zero(d, t)
    for _ in range(d.integer(1, 3)):
        shape[axis] = d.dim()
        parts += [d.array(t, shape, -128, 255), scale(d), zero(d, t)]
        x = parts[-3].astype(np.int64) - parts[-1].astype(np.int64)
        wants.append(requantised(x * parts[-2].astype(float), sy, zy, t))
    return Case(op, [sy, zy, *parts], {"axis": axis}, wants=[np.concatenate(wants, axis)])


@ops("com.microsoft.ReduceSumInteger")
def reduce_sum_integer(d, op):
    t = d.choose(*BYTES)
    x = d.array(t, d.shape((1, 4)), -128, 255)
    axes, keep = d.axes(x.ndim, d.integer(1, x.ndim)), d.integer(0, 1)
    want = x.astype(np.int64).sum(tuple(axes), keepdims=bool(keep))
    want = np.asarray(want).astype(np.uint32 if t is np.uint8 else np.int32)
    return Case(op, [x], {"axes": axes, "keepdims": keep}, wants=[want])


@ops("com.microsoft.QuantizeLinear", "com.microsoft.DequantizeLinear")
def early_linear(d, op):
    case = (quantize if "Q" in op[14] else dequantize)(d, op.rpartition(".")[2])
    while case.opset > 18 or (case.inputs[0].dtype == np.int32 and "D" in op[14]):
        case = (quantize if "Q" in op[14] else dequantize)(d, op.rpartition(".")[2])
    case.op, case.opset = op, 13
    case.attrs = {k: v for k, v in case.attrs.items() if k == "axis"}
    return case


# ---- com.microsoft: few bits -----------------------------------------------------------------------------------------

def packed(values, bits):
    """Values along the last dim in bytes, low bits first."""
    per = 8 // bits
    values = np.pad(values, [(0, 0)] * (values.ndim - 1) + [(0, -values.shape[-1] % per)])
    parts = values.reshape(values.shape[:-1] + (-1, per)).astype(np.uint8)
    return np.bitwise_or.reduce(parts << (np.arange(per, dtype=np.uint8) * bits), -1).astype(np.uint8)


@ops("com.microsoft.MatMulNBits")
def matmul_nbits(d, op):
    bits, block, n, k = d.choose(2, 4, 8), d.choose(16, 32), d.dim(1), d.integer(1, 70)
    blocks, t = -(-k // block), d.choose(F32, F32, np.float16, ml_dtypes.bfloat16)
    q = d.random.integers(0, 2 ** bits, (n, blocks, block))
    z = d.random.integers(0, 2 ** bits, (n, blocks))
    s = scale(d, (n, blocks), t)
    a, bias = d.array(t, d.shape((0, 2)) + (k,)), d.array(t, (n,)) if d.chance(.3) else None
    way = d.choose("none", "packed", "floats")
    zeros = {"none": None, "packed": packed(z, bits), "floats": z.astype(t)}[way]
    z = np.full_like(z, 2 ** (bits - 1)) if way == "none" else z
    groups = d.array(np.int32, (d.choose(k, blocks * block),), 0, blocks - 1) if d.chance(.3) else None
    of = np.arange(blocks * block) // block if groups is None else groups
    w = ((q.reshape(n, -1)[:, :k] - z[:, of[:k]]) * s.astype(np.float64)[:, of[:k]])
    want = a.astype(np.float64) @ w.T + (0 if bias is None else bias.astype(np.float64))
    attrs = {"N": n, "K": k, "bits": bits, "block_size": block}
    return Case(op, [a, packed(q, bits), s, zeros, groups, bias], attrs, wants=[want.astype(t)], tolerance=1e-4)


@ops("com.microsoft.GatherBlockQuantized")
def gather_block_quantized(d, op):
    bits, block = d.choose(2, 4, 8), 16
    rows, columns = d.dim(1), 16 * d.integer(1, 3)
    blocks, t = columns // block, d.choose(F32, np.float16)
    whole = d.chance()
    data_type = np.dtype(ml_dtypes.int4) if not whole else np.dtype(np.uint8)
    q = d.random.integers(-8, 8, (rows, columns)) if not whole else d.random.integers(0, 2 ** bits, (rows, columns))
    z = d.random.integers(-8, 8, (rows, blocks)) if not whole else d.random.integers(0, 2 ** bits, (rows, blocks))
    s = scale(d, (rows, blocks), t)
    none = d.chance(.3)
    used = np.full_like(z, 2 ** (bits - 1) if whole else 0) if none else z
    w = (q - np.repeat(used, block, 1)) * np.repeat(s.astype(np.float64), block, 1)
    at = d.array(d.choose(np.int32, np.int64), d.shape((0, 2)), -rows - 1, rows)
    inside = (at >= -rows) & (at < rows)
    want = np.where(inside[..., None], w[np.where(inside, at, 0)], 0).astype(t)
    data, zeros = (packed(q, bits), packed(z, bits)) if whole else (q.astype(data_type), z.astype(data_type))
    return Case(op, [data, at, s, None if none else zeros], {"bits": bits, "block_size": block}, wants=[want])


@ops("com.microsoft.DynamicQuantizeLSTM")
def dynamic_quantize_lstm(d, op):
    length, batch, size, hidden, t = *(d.integer(1, n) for n in (5, 3, 4, 4)), d.choose(*BYTES)
    direction = d.choose("forward", "reverse", "bidirectional")
    dirs = 2 if direction == "bidirectional" else 1
    grain = d.choose((dirs,), (dirs, 4 * hidden))
    state = (dirs, batch, hidden)

    def maybe(shape):
        return d.array(F32, shape) if d.chance() else None
    inputs = [d.array(F32, (length, batch, size)), d.array(t, (dirs, size, 4 * hidden), -128, 255),
              d.array(t, (dirs, hidden, 4 * hidden), -128, 255), maybe((dirs, 8 * hidden)), None, maybe(state),
              maybe(state), maybe((dirs, 3 * hidden))]
    for _ in range(2):
        inputs += [np.asarray(d.random.uniform(.001, .02, grain), F32),
                   np.zeros(grain, t) if t is np.int8 else zero(d, t, (dirs,))]
    if t is np.uint8:
        inputs[8], inputs[10] = (np.asarray(d.random.uniform(.001, .02, (dirs,)), F32) for _ in range(2))
    return Case(op, inputs, {"hidden_size": hidden, "direction": direction}, 3, unreliable=True, tolerance=1e-3)
