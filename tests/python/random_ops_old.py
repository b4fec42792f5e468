"""Random nodes of versions that nobody else runs, most of them old, for test_op_versions.py: what they give is computed
here, or asked of a later version that means the same."""
import numpy as np
from onnx import helper, numpy_helper
from random_draw import Case, Draw, Operand
from random_ops import ops
from random_ops_nn import recurrent, spatial, vectors, windows

F32 = np.float32
FLOATS = (F32, F32, np.float64, np.float16)


def f32(d, low, high):
    """An attribute: what a float32 holds."""
    return float(F32(d.random.uniform(low, high)))


def wide(x):
    return np.asarray(x).astype(np.float64)


# ---- element-wise ----------------------------------------------------------------------------------------------------

@ops("Elu", "HardSigmoid", "LeakyRelu", "Selu")
def activation(d, op):
    x, opset = d.array(d.choose(*FLOATS)), d.choose(1, 6)
    # Selu has had its exact constants since version 6
    alpha = {"Elu": 1., "HardSigmoid": float(F32(.2)), "LeakyRelu": float(F32(.01)),
             "Selu": float(F32(1.6732 if opset == 1 else 1.67326319217681884765625))}[op]
    other = {"HardSigmoid": ("beta", .5), "Selu": ("gamma", float(F32(1.0507 if opset == 1 else 1.05070102214813232)))}
    attrs = {}
    if d.chance():
        alpha = attrs["alpha"] = f32(d, .1, 2)
    name, more = other.get(op, ("", 1.))
    if name and d.chance():
        more = attrs[name] = f32(d, .1, 2)
    v = wide(x)
    want = {"Elu": lambda: np.where(v < 0, alpha * np.expm1(v), v),
            "HardSigmoid": lambda: np.clip(alpha * v + more, 0, 1),
            "LeakyRelu": lambda: np.where(v < 0, alpha * v, v),
            "Selu": lambda: more * np.where(v <= 0, alpha * np.expm1(v), v)}[op]()
    return Case(op, [x], attrs, opset=opset, wants=[np.asarray(want).astype(x.dtype)], tolerance=1e-5)


@ops("PRelu")
def slope_of_channels(d, op):
    """Before version 7 a slope is one number, or one for each channel."""
    x = d.array(d.choose(*FLOATS), d.shape((2, 4)))
    slope = d.array(x.dtype, (x.shape[1],))
    want = np.where(x < 0, x * slope.reshape((-1,) + (1,) * (x.ndim - 2)), x)
    return Case(op, [x, slope], opset=d.choose(1, 6), wants=[want.astype(x.dtype)])


@ops("Max", "Min", "Sum", "Mean")
def of_one_shape(d, op):
    t, shape = d.choose(*FLOATS), d.shape()
    inputs = [d.array(t, shape) for _ in range(d.integer(1, 4))]
    function = {"Max": np.max, "Min": np.min, "Sum": np.sum, "Mean": np.mean}[op]
    return Case(op, inputs, opset=d.choose(1, 6), wants=[np.asarray(function(wide(np.stack(inputs)), 0)).astype(t)])


@ops("Clip")
def clip_by_attributes(d, op):
    x, opset = d.array(d.choose(*FLOATS)), d.choose(1, 6)
    low, high = sorted((f32(d, -3, 0), f32(d, 0, 3)))
    attrs = {n: v for n, v in (("min", low), ("max", high)) if d.chance(.7)}
    want = np.clip(wide(x), attrs.get("min", -np.inf), attrs.get("max", np.inf)).astype(x.dtype)
    return Case(op, [x], attrs, opset=opset, wants=[np.asarray(want)])


@ops("Cast")
def cast_by_name(d, op):
    """The type is a word."""
    source, to = (d.choose(F32, np.float64, np.float16, np.int32, np.int64, np.int8, np.uint8, bool) for _ in range(2))
    x = d.array(source, low=0 if np.dtype(to).kind == "u" else -9, high=9)
    name = helper.tensor_dtype_to_string(helper.np_dtype_to_tensor_dtype(np.dtype(to))).rpartition(".")[2]
    return Case(op, [x], {"to": name}, opset=d.choose(1, 5), wants=[x.astype(to)])


@ops("Dropout")
def dropout_of_test(d, op):
    x = d.array(d.choose(*FLOATS))
    attrs = {"is_test": 1} | ({"ratio": .3} if d.chance() else {})
    return Case(op, [x], attrs, opset=d.choose(1, 6), wants=[x])


@ops("Gemm")
def gemm(d, op):
    t, m, k, n = d.choose(F32, F32, np.float64), d.dim(), d.dim(), d.dim()
    attrs = {name: 1 for name in ("transA", "transB") if d.chance()}
    attrs |= {name: f32(d, -2, 2) for name in ("alpha", "beta") if d.chance()}
    a = d.array(t, (k, m) if "transA" in attrs else (m, k))
    b = d.array(t, (n, k) if "transB" in attrs else (k, n))
    c = d.array(t, (m, n))
    if d.chance():
        attrs["broadcast"], c = 1, d.array(t, d.choose((n,), (1, n), (1,), ()))
    product = (a.T if "transA" in attrs else a).astype(np.float64) @ (b.T if "transB" in attrs else b)
    want = attrs.get("alpha", 1) * product + attrs.get("beta", 1) * wide(c)
    return Case(op, [a, b, c], attrs, opset=d.choose(1, 6), wants=[want.astype(t)], tolerance=1e-5)


# ---- data ------------------------------------------------------------------------------------------------------------

@ops("Concat")
def concat(d, op):
    """The axis is 1 where none is given."""
    t, shape = d.choose(*FLOATS), list(d.shape((2, 4)))
    axis = d.integer(0, len(shape) - 1)
    inputs = [d.array(t, shape[:axis] + [d.dim()] + shape[axis + 1:]) for _ in range(d.integer(1, 3))]
    attrs = {} if axis == 1 and d.chance() else {"axis": axis}
    return Case(op, inputs, attrs, opset=d.choose(1, 3), wants=[np.concatenate(inputs, axis)])


@ops("Flatten")
def flatten(d, op):
    x = d.array(d.choose(*FLOATS), d.shape((1, 4)))
    axis = d.integer(0, x.ndim)
    size = int(np.prod(x.shape[:axis]))
    want = x.reshape(size, int(np.prod(x.shape[axis:])))
    return Case(op, [x], {} if axis == 1 and d.chance() else {"axis": axis}, opset=d.choose(1, 8), wants=[want])


@ops("Pad")
def pad(d, op):
    """The amounts had another name."""
    mode = d.choose("constant", "reflect", "edge")
    x = d.array(d.choose(*FLOATS), d.shape((1, 4), 3))
    pads = [d.integer(0, 2) for _ in range(2 * x.ndim)]
    attrs = {} if mode == "constant" and d.chance() else {"mode": mode}
    value = d.choose(0., 1.5) if mode == "constant" else 0.
    widths = list(zip(pads[:x.ndim], pads[x.ndim:]))
    want = np.pad(x, widths, mode, constant_values=value) if mode == "constant" else np.pad(x, widths, mode)
    return Case(op, [x], attrs | {"paddings": pads} | ({"value": value} if value else {}), opset=1, wants=[want])


@ops("Reshape")
def reshape(d, op):
    """The shape is an attribute."""
    x = d.array(d.choose(*FLOATS), d.shape((1, 4), 1))
    sizes = [int(n) for n in d.random.permutation(x.shape)]
    shape = [0 if n == (x.shape[i] if i < x.ndim else 0) and d.chance() else n for i, n in enumerate(sizes)]
    if d.chance():
        shape[d.integer(0, len(shape) - 1)] = -1
    return Case(op, [x], {"shape": shape}, opset=d.choose(1, 4), wants=[x.reshape(sizes)])


@ops("Split")
def split(d, op):
    """Lengths as an attribute, or as an input of the type of what is split."""
    x = d.array(d.choose(*FLOATS), d.shape((1, 3), 1))
    axis, parts = d.integer(0, x.ndim - 1), d.integer(1, 3)
    attrs = {"axis": axis} if axis or d.chance() else {}
    cuts = sorted(d.integer(0, x.shape[axis]) for _ in range(parts - 1))
    sizes = np.diff([0] + cuts + [x.shape[axis]]).tolist()
    wants = np.split(x, cuts, axis)
    if d.chance(.4):
        return Case(op, [x, Operand(sizes, x.dtype)], attrs, parts, opset=1, wants=wants)
    return Case(op, [x], attrs | {"split": sizes}, parts, opset=1, wants=wants)


@ops("Tile")
def tile(d, op):
    """One axis is repeated; inputs say which one and how often, in the type of what is repeated."""
    x = d.array(d.choose(*FLOATS), d.shape((1, 4)))
    axis, count, shape = d.integer(0, x.ndim - 1), d.integer(0, 3), d.choose((), (1,))
    operands = [Operand(np.full(shape, v), x.dtype) for v in (count, axis)]
    want = np.tile(x, [count if a == axis else 1 for a in range(x.ndim)])
    return Case(op, [x, *operands], opset=d.choose(1, 5), wants=[want])


@ops("Upsample")
def upsample(d, op):
    x = d.array(F32, (d.integer(1, 2), d.integer(1, 3), d.dim(1), d.dim(1)))
    scales = [d.choose(1., 2., 3., 1.5) for _ in range(2)]
    mode = d.choose("nearest", "bilinear")
    attrs = {"height_scale": scales[0], "width_scale": scales[1]} | ({"mode": mode} if mode != "nearest" else {})
    now = {"scales": [1., 1.] + scales, "mode": "nearest" if mode == "nearest" else "linear"}
    return Case(op, [x], attrs, opset=d.choose(1, 6), twin=[(op, ["x0"], ["y0"], now)], ask=7)


@ops("Scatter")
def scatter_of_version_11(d, op):
    x = d.array(d.choose(F32, np.int64, bool), d.shape((1, 3), 1))
    axis = d.axis(x.ndim)
    shape = tuple(d.integer(0, n) if i == axis % x.ndim else n for i, n in enumerate(x.shape))
    lanes = np.moveaxis(np.zeros(shape, np.int64), axis, -1)
    for at in np.ndindex(lanes.shape[:-1]):
        lanes[at] = d.random.permutation(x.shape[axis])[:lanes.shape[-1]]
    at, updates, want = np.moveaxis(lanes, -1, axis).astype(d.choose(np.int64, np.int32)), d.array(x.dtype, shape), x.copy()
    np.put_along_axis(want, at.astype(np.int64), updates, axis)
    return Case(op, [x, at, updates], {"axis": axis}, opset=d.choose(11, 13), wants=[want])


@ops("Constant")
def constant(d, op):
    """Every attribute that a version has."""
    opset = d.opset(op)
    x = d.array(d.choose(F32, np.int64, bool, np.float16), d.shape(), -9, 9)
    ways = [({"value": numpy_helper.from_array(x, "v")}, x)]
    if opset >= 11:
        size = d.integer(1, 6)
        at = np.sort(d.random.permutation(size)[:d.integer(0, size)])
        values, dense = d.array(F32, at.shape, -3, 3), np.zeros(size, F32)
        dense[at] = values
        ways.append(({"sparse_value": helper.make_sparse_tensor(numpy_helper.from_array(values, "s"),
                                                                numpy_helper.from_array(at, "at"), [size])}, dense))
    if opset >= 12:
        numbers = d.array(F32, (3,))
        ways += [({"value_int": -7}, np.int64(-7)), ({"value_ints": [3, 1, 2]}, np.int64([3, 1, 2])),
                 ({"value_float": 1.5}, F32(1.5)), ({"value_floats": numbers.tolist()}, numbers),
                 ({"value_string": "a b"}, np.array("a b", object)),
                 ({"value_strings": ["", "ä"]}, np.array(["", "ä"], object))]
    attrs, want = d.choose(*ways)
    return Case(op, [], attrs, opset=opset, wants=[np.asarray(want)])


# ---- windows, normalisations, recurrent layers -----------------------------------------------------------------------

@ops("MaxPool", "AveragePool")
def pool(d, op):
    rank = d.choose(1, 2, 3)
    kernel = [d.integer(1, 3) for _ in range(rank)]
    x = d.array(F32, (d.integer(0, 2), d.integer(1, 3)) + spatial(d, kernel, [1] * rank))
    return Case(op, [x], windows(d, x.shape[2:], kernel) | {"kernel_shape": kernel}, opset=d.choose(1, 6),
                ask=8 if op == "MaxPool" else 7, unreliable=True)


@ops("LpPool")
def lp_pool(d, op):
    """p was any float."""
    kernel, stride = [d.integer(1, 3) for _ in range(2)], [d.integer(1, 2) for _ in range(2)]
    pads = [d.integer(0, k - 1) for k in kernel * 2]
    x = d.array(F32, (d.integer(1, 2), d.integer(1, 2)) + spatial(d, kernel, [1, 1]))
    p = d.choose(1., 1.5, 2., 3.)
    wide_x = np.pad(wide(x), [(0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])])
    seen = np.lib.stride_tricks.sliding_window_view(np.abs(wide_x) ** p, kernel, (2, 3))[:, :, ::stride[0], ::stride[1]]
    attrs = {"kernel_shape": kernel, "strides": stride, "pads": pads} | ({} if p == 2 else {"p": p})
    return Case(op, [x], attrs, opset=1, wants=[(seen.sum((-1, -2)) ** (1 / p)).astype(F32)], tolerance=1e-4)


@ops("BatchNormalization")
def batch_norm(d, op):
    """is_test and spatial; without the first the statistics are those of the batch."""
    opset = d.choose(1, 6, 7)
    x = d.array(F32, d.shape((2, 4), 1))
    each = d.chance()
    count = x.shape[1:] if each else x.shape[1:2]
    scale, bias, mean = (d.array(F32, count) for _ in range(3))
    variance = d.array(F32, count, .1, 2)
    attrs = {"epsilon": f32(d, 1e-3, .1)} | ({"spatial": 0} if each else {"spatial": 1} if d.chance() else {})
    inputs, outputs = [x, scale, bias, mean, variance], 1
    if opset == 1:
        attrs["consumed_inputs"] = [0] * 5
    s, b, m, v = (wide(a).reshape(count + (1,) * (x.ndim - 1 - len(count))) for a in inputs[1:])
    running = []
    if opset < 7 and d.chance():
        axes = (0,) if each else (0, *range(2, x.ndim))
        m, v, outputs = wide(x).mean(axes, keepdims=True), wide(x).var(axes, keepdims=True), 3
        attrs["momentum"] = momentum = f32(d, .1, .9)
        running = [(momentum * wide(old) + (1 - momentum) * new.reshape(count)).astype(F32)
                   for old, new in ((mean, m), (variance, v))]
    elif opset < 7:
        attrs["is_test"] = 1
    want = ((wide(x) - m) / np.sqrt(v + attrs["epsilon"]) * s + b).astype(F32)
    return Case(op, inputs, attrs, outputs, opset, wants=[want, *running], tolerance=1e-4)


@ops("LSTM", "GRU", "RNN")
def old_recurrent(d, op):
    """Version 7 means the same; output_sequence said whether all steps are wanted, and now the output does."""
    case = recurrent(Draw(d.integer(0, 1 << 30)), op)
    while "layout" in case.attrs:
        case = recurrent(Draw(d.integer(0, 1 << 30)), op)
    case.opset, case.ask = d.choose(*{"GRU": (1, 3)}.get(op, (1, 6))), 7
    if case.opset < 3:
        case.attrs.pop("linear_before_reset", None)
    names = [f"x{i}" if x is not None else "" for i, x in enumerate(case.inputs)]
    while not names[-1]:
        names.pop()
    wanted = list(range(case.outputs)) if isinstance(case.outputs, int) else case.outputs
    results = [f"y{k}" if k in wanted else "" for k in range(max(wanted) + 1)]
    case.nodes = [(op, names, results, case.attrs | {"output_sequence": int(0 in wanted)})]
    case.twin = [(op, names, results, case.attrs)]
    return case


@ops("InstanceNormalization")
def instance_norm(d, op):
    x = d.array(F32, (d.dim(1), d.integer(1, 4)) + d.shape((1, 2), 2))
    scale, bias = vectors(d, F32, x.shape[1], 2)
    axes, v = tuple(range(2, x.ndim)), wide(x)
    s, b = (wide(a).reshape((-1,) + (1,) * len(axes)) for a in (scale, bias))
    e = f32(d, 1e-3, .1)
    want = (v - v.mean(axes, keepdims=True)) / np.sqrt(v.var(axes, keepdims=True) + e) * s + b
    return Case(op, [x, scale, bias], {"epsilon": e}, opset=d.choose(1, 5), wants=[want.astype(F32)], tolerance=1e-3)


@ops("SwiGLU")
def swiglu(d, op):
    shape = d.shape()
    t = d.choose(F32, np.float64)
    a, b, alpha = d.array(t, shape), d.array(t, shape), d.choose(.5, 1.)
    want = wide(a) / (1 + np.exp(-alpha * wide(a))) * b
    return Case(op, [a, b], {} if alpha == 1 else {"alpha": alpha}, opset=28, wants=[np.asarray(want).astype(t)])
