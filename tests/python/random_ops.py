"""What a random node of each op looks like, for test_ops_random.py: one generator for each family of ops."""
import numpy as np
from onnx import helper, numpy_helper
from random_draw import Case, Operand, kind

GENERATORS = {}


def ops(*names):
    """Says that the function makes nodes of these ops; an op may have more than one."""
    def register(generator):
        for name in names:
            GENERATORS.setdefault(name, []).append(generator)
        return generator
    return register


# ---- element-wise ----------------------------------------------------------------------------------------------------

@ops("Abs", "Neg", "Sign", "Reciprocal", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Ceil", "Cos", "Cosh",
     "Erf", "Exp", "Floor", "Log", "Round", "Sin", "Sinh", "Sqrt", "Tan", "Tanh", "IsNaN", "Sigmoid", "Softplus",
     "Softsign", "Mish", "Relu", "Not", "BitwiseNot", "Identity", "Size")
def unary(d, op):
    opset = d.opset(op)
    t = d.type_of(op, opset, only="f" if op == "Erf" else None)
    return Case(op, [d.array(t, special=.3)], opset=opset, reference=op == "Sign")  # ONNX Runtime: sign(NaN) = 0


@ops("Elu", "Celu", "Selu", "LeakyRelu", "ThresholdedRelu", "HardSigmoid", "Swish", "Shrink", "Gelu", "IsInf",
     "HardSwish")
def parameters(d, op):
    opset = d.opset(op, 6)
    names = {"Selu": ["alpha", "gamma"], "HardSigmoid": ["alpha", "beta"], "Shrink": ["bias", "lambd"],
             "Gelu": [], "IsInf": [], "HardSwish": []}.get(op, ["alpha"])
    attrs = {name: float(d.random.uniform(.1, 2)) for name in names if d.chance(.7)}
    if op == "Gelu" and d.chance():
        attrs["approximate"] = d.choose("none", "tanh")
    if op == "IsInf":
        attrs = {name: d.integer(0, 1) for name in ("detect_negative", "detect_positive") if d.chance()}
    low = 0 if op == "Shrink" else None
    x = d.array(d.type_of(op, opset), low=low, high=low and 3)
    return Case(op, [x], attrs, opset=opset, tolerance=1e-5)  # attributes are float32


@ops("ai.onnx.ml.Binarizer", "com.microsoft.QuickGelu")
def parameters_of_other_domains(d, op):
    if op.endswith("QuickGelu"):
        return Case(op, [d.array(np.float32)], {"alpha": d.random.uniform(.1, 2)} if d.chance() else {}, tolerance=1e-5)
    x = d.array(d.type_of(op, 1), special=.3)
    return Case(op, [x], {"threshold": float(d.random.uniform(-2, 2))} if d.chance(.7) else {})


@ops("Clip")
def clip(d, op):
    opset = d.opset(op)
    t = d.type_of(op, opset)
    low, high = sorted(d.array(t, (2,), -3, 5).tolist())
    x = d.array(t, high=5, low=-5)  # what an absent limit is, for infinities, is open
    if opset < 11:
        return Case(op, [x], {n: float(v) for n, v in (("min", low), ("max", high)) if d.chance(.7)}, opset=opset)
    limits = [Operand(v, t) if d.chance(.7) else None for v in (low, high)]
    return Case(op, [x] + limits, opset=opset)


@ops("Add", "Sub", "Mul", "Div", "Mod", "Pow", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "And", "Or",
     "Xor", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitShift", "PRelu")
def binary(d, op):
    opset = d.opset(op, 7 if op not in ("PRelu", "Mod", "BitShift") else 1)
    t = d.type_of(op, opset)
    a_shape, b_shape = d.broadcast()
    attrs, low, special = {}, None, .25
    if op == "PRelu":
        a_shape = d.shape((2, 4))
        b_shape = (1,) if opset < 7 else tuple(n if d.chance() else 1 for n in a_shape)[d.integer(0, len(a_shape)):]
    if op == "Mod" and (kind(t) == "f" or d.chance()):
        attrs["fmod"] = 1
    if op == "BitShift":
        attrs, low, special = {"direction": d.choose("LEFT", "RIGHT")}, 0, 0
    if op == "Pow":
        low, special = 0, 0
    a, b = d.array(t, a_shape, special=special), d.array(t, b_shape, low, low if low is None else 4,
                                                         0 if op == "PRelu" else special)
    if op in ("Div", "Mod") and kind(t) != "f":
        b = np.where(b == 0, np.asarray(3, t), b).astype(t)
        if kind(t) == "i":  # the quotient of the least number by -1 has no place in the type
            b = np.where(b == -1, np.asarray(2, t), b).astype(t)
    if op == "Pow" and kind(t) == "f":
        a = np.abs(a)
    if op == "Pow" and opset >= 12 and d.chance(.4):
        other = d.type_of(op, opset, 1, "f" if kind(t) == "f" else "iu")
        b = np.round(b.astype(np.float64)).astype(other)
    return Case(op, [a, b], attrs, opset=opset)


@ops("Add", "Sub", "Mul", "Div", "Greater", "Less", "Equal", "And", "Or", "Xor", "Pow")
def axis_of_old(d, op):
    opset = d.choose(1, 6)
    t = d.type_of(op, opset)
    a = d.array(t, low=0 if op == "Pow" else None, high=3 if op == "Pow" else None)
    start = d.integer(0, a.ndim)
    end = d.integer(start, a.ndim)
    b = d.array(t, a.shape[start:end], 1, 5)
    b_wide = b.reshape(b.shape + (1,) * (a.ndim - end))
    function = {"Sub": np.subtract, "Mul": np.multiply, "Add": np.add, "Greater": np.greater, "Less": np.less,
                "Equal": np.equal, "And": np.logical_and, "Or": np.logical_or, "Xor": np.logical_xor,
                "Pow": np.power}.get(op)
    if op == "Div":
        function = np.divide if kind(t) == "f" else lambda x, y: (np.sign(x) * (np.abs(x) // y)).astype(t)
    with np.errstate(all="ignore"):
        want = np.asarray(function(a, b_wide))
    attrs = {"broadcast": 1} | ({"axis": start} if d.chance(.8) or end != a.ndim else {})
    return Case(op, [a, b], {} if b.shape == a.shape and d.chance() else attrs, opset=opset, wants=[want.astype(t if want.dtype != bool else bool)])


@ops("Max", "Min", "Sum", "Mean")
def variadic(d, op):
    opset = d.opset(op, 8)
    t = d.type_of(op, opset)
    return Case(op, [d.array(t, s, special=.2) for s in d.broadcast(d.integer(1, 5))], opset=opset)


@ops("Where")
def where(d, op):
    opset = d.opset(op)
    t = d.type_of(op, opset, 1)
    c, a, b = d.broadcast(3)
    return Case(op, [d.array(bool, c), d.array(t, a), d.array(t, b)], opset=opset)


@ops("Cast", "CastLike")
def cast(d, op):
    opset = d.opset(op, 6)
    source, to = d.type_of(op, opset), d.type_of(op, opset)
    if source.name == "float8_e8m0fnu" and kind(to) in "iu":  # numbers that no integer holds
        source = np.dtype(np.float32)
    x = d.array(source, low=0 if kind(to) in "ub" else None, high=9 if kind(to) in "ub" else None)
    if op == "CastLike":
        return Case(op, [x, d.array(to)], opset=opset)
    return Case(op, [x], {"to": int(helper.np_dtype_to_tensor_dtype(to))}, opset=opset)


# ---- over axes -------------------------------------------------------------------------------------------------------

@ops("ReduceSum", "ReduceMean", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceSumSquare",
     "ReduceLogSum", "ReduceLogSumExp")
def reduce(d, op):
    opset = d.opset(op)
    # ONNX Runtime rounds the exponentials of integers, too.
    t = d.type_of(op, opset, only="f" if op == "ReduceLogSumExp" else None)
    t = np.dtype(np.int64) if kind(t) == "u" else t  # NumPy widens sums of narrow ones
    least = 1 if op in ("ReduceMean", "ReduceMax", "ReduceMin") or opset < 20 or kind(t) != "f" else 0
    x = d.array(t, d.shape(least=least), 0 if op == "ReduceLogSum" else None, 6 if op == "ReduceLogSum" else None)
    attrs = {"keepdims": d.integer(0, 1)} if d.chance(.7) else {}
    axes = d.axes(x.ndim) if d.chance(.8) else None
    if opset < 11 and axes is not None:
        axes = [a % x.ndim for a in axes]
    if opset >= (13 if op == "ReduceSum" else 18):
        if d.chance(.3):
            attrs["noop_with_empty_axes"] = d.integer(0, 1)
        return Case(op, [x, None if axes is None else Operand(axes)], attrs, opset=opset, tolerance=1e-4,
                    reference=x.size == 0)
    if axes:
        attrs["axes"] = axes
    return Case(op, [x], attrs, opset=opset, tolerance=1e-4)


@ops("ArgMax", "ArgMin")
def arg(d, op):
    opset = d.opset(op)
    x = d.array(d.type_of(op, opset), d.shape((1, 4), 1))
    attrs = {"keepdims": d.integer(0, 1)} if d.chance(.7) else {}
    if d.chance(.8):
        attrs["axis"] = d.axis(x.ndim) if opset >= 11 else d.integer(0, x.ndim - 1)
    if opset >= 12 and d.chance():
        attrs["select_last_index"] = d.integer(0, 1)
    return Case(op, [x], attrs, opset=opset)


@ops("Softmax", "LogSoftmax", "Hardmax", "LpNormalization", "MeanVarianceNormalization")
def over_an_axis(d, op):
    opset = d.opset(op)
    ranks = (4, 4) if op == "MeanVarianceNormalization" else (1, 4)
    t = np.float32 if opset < 13 or op[0] == "M" else d.type_of(op, opset)
    x = d.array(t, d.shape(ranks, 2 if op[0] == "M" else 1 if op[0] in "LH" else 0))
    attrs = {}
    if op == "MeanVarianceNormalization":
        if d.chance() and opset >= 9:
            attrs["axes"] = d.axes(4, d.integer(1, 4))
        return Case(op, [x], attrs, opset=opset, tolerance=1e-3)
    if d.chance(.8):
        attrs["axis"] = d.axis(x.ndim) if opset >= 11 or op == "LpNormalization" else d.integer(0, x.ndim - 1)
    elif x.ndim < 2:
        x = d.array(x.dtype, (2, 3))
    if op == "LpNormalization" and d.chance():
        attrs["p"] = d.integer(1, 2)
    return Case(op, [x], attrs, opset=opset, unreliable=op == "LpNormalization")


@ops("CumSum", "CumProd")
def cumulate(d, op):
    opset = d.opset(op)
    x = d.array(d.type_of(op, opset), d.shape((1, 4)), -2, 2)
    attrs = {n: d.integer(0, 1) for n in ("exclusive", "reverse") if d.chance(.7)}
    shape = d.choose((), (1,))
    return Case(op, [x, Operand(np.full(shape, d.axis(x.ndim)), d.choose(np.int32, np.int64))], attrs, opset=opset)


@ops("TopK")
def topk(d, op):
    opset = d.opset(op)
    x = d.array(d.type_of(op, opset), d.shape((1, 3), 1))
    axis = d.axis(x.ndim) if opset >= 11 else d.integer(0, x.ndim - 1)
    k = d.integer(0 if opset > 1 else 1, x.shape[axis])
    attrs = {"axis": axis}
    if opset >= 11 and d.chance():
        attrs["largest"] = d.integer(0, 1)
    outputs = d.choose(2, 2, [1])
    if opset < 10:
        return Case(op, [x], attrs | {"k": k}, outputs, opset)
    return Case(op, [x, Operand([k])], attrs, outputs, opset)


@ops("NonMaxSuppression")
def non_max_suppression(d, op):
    batches, classes, n = d.dim(), d.dim(), d.dim()
    boxes, scores = d.array(np.float32, (batches, n, 4), 0, 4), d.array(np.float32, (batches, classes, n), -1, 1)
    if d.chance():
        boxes, scores = np.round(boxes), np.round(scores * 4) / np.float32(4)
    limits = [Operand(np.full(d.choose((), (1,)), d.integer(-1, 9))),
              Operand([d.random.uniform(0, 1)], np.float32), Operand([d.random.uniform(-1, 1)], np.float32)]
    limits = [x if d.chance(.8) else None for x in limits][:d.integer(0, 3)]
    attrs = {"center_point_box": d.integer(0, 1)} if d.chance() else {}
    return Case(op, [boxes, scores] + limits, attrs, opset=d.opset(op))


# ---- products --------------------------------------------------------------------------------------------------------

@ops("MatMul")
def matmul(d, op):
    opset = d.opset(op)
    t, (a, b) = d.type_of(op, opset), d.broadcast(ranks=(0, 2))
    m, k, n = d.dim(), d.dim(), d.dim()
    a, b = (a + (m, k), b + (k, n)) if d.chance(.7) else ((k,), b + (k, n)) if d.chance() else (a + (m, k), (k,))
    return Case(op, [d.array(t, a), d.array(t, b)], opset=opset)


@ops("Gemm")
def gemm(d, op):
    opset = d.opset(op, 7)
    t, m, k, n = d.type_of(op, opset), d.dim(), d.dim(), d.dim()
    attrs = {name: d.integer(0, 1) for name in ("transA", "transB") if d.chance()}
    if kind(t) == "f":
        attrs |= {name: float(d.random.uniform(-2, 2)) for name in ("alpha", "beta") if d.chance()}
    a = d.array(t, (k, m) if attrs.get("transA") else (m, k))
    b = d.array(t, (n, k) if attrs.get("transB") else (k, n))
    c = d.array(t, d.choose((m, n), (n,), (1, n), (m, 1), (1,), (), (1, 1)))
    return Case(op, [a, b] + ([c] if opset < 11 or d.chance(.7) else []), attrs, opset=opset,
                reference=k == 0)  # ONNX Runtime forgets beta then


@ops("com.microsoft.CDist")
def cdist(d, op):
    t, m, n, k = d.choose(np.float32, np.float64), d.dim(1), d.dim(1), d.choose(1, 2, 5, 17)
    attrs = {"metric": d.choose("euclidean", "sqeuclidean")} if d.chance(.8) else {}
    a, b = d.array(t, (m, k)), d.array(t, (n, k))
    apart = ((a[:, None].astype(np.float64) - b[None]) ** 2).sum(-1)
    return Case(op, [a, b], attrs, opset=18,
                wants=[np.asarray(apart ** .5 if attrs.get("metric") == "euclidean" else apart, t)])


@ops("Einsum")
def einsum(d, op):
    t = d.type_of(op, 12, only="fi")
    equation = d.choose("ij,jk->ik", "bij,bjk->bik", "ij->ji", "ii->i", "ii", "i,j->ij", "ij->", "ij,ij",
                        "...ij->...ji", "...ij,...jk->...ik", "i,i->", "bhid,bhjd->bhij", "ij,j", "ij,kj,lk->il",
                        "b...,b...->...", "ijk->kj", " i j , j -> i", "iij->j")
    sizes, front = {c: d.dim() for c in equation if c.isalpha()}, d.shape((0, 2))
    inputs = []
    for term in equation.split("->")[0].replace(" ", "").split(","):
        shape = ()
        for c in term.replace("...", "."):
            shape += front if c == "." else (sizes[c],)
        inputs.append(d.array(t, shape))
    with np.errstate(all="ignore"):
        want = np.asarray(np.einsum(equation, *[x.astype(np.float64) for x in inputs])).astype(t)
    return Case(op, inputs, {"equation": equation}, opset=d.opset(op), wants=[want])


# ---- made from shapes ------------------------------------------------------------------------------------------------

@ops("Range")
def range_op(d, op):
    t = d.type_of(op, 11)
    start, step = d.array(t, (), -5, 5), d.array(t, (), -3, 3)
    step = step if step != 0 else np.asarray(2, t)
    return Case(op, [Operand(start, t), Operand(d.array(t, (), -9, 9), t), Operand(step, t)],
                opset=d.opset(op))


@ops("HannWindow", "HammingWindow", "BlackmanWindow")
def signal_window(d, op):
    a, b, c = dict(HannWindow=(.5, .5, 0), HammingWindow=(25 / 46, 21 / 46, 0), BlackmanWindow=(.42, .5, .08))[op]
    size, t = d.integer(2, 40), d.choose(np.float32, np.float64)
    attrs = {"periodic": d.integer(0, 1)} if d.chance() else {}
    if t != np.float32:
        attrs["output_datatype"] = int(helper.np_dtype_to_tensor_dtype(np.dtype(t)))
    x = 2 * np.pi * np.arange(size) / (size if attrs.get("periodic", 1) else size - 1)
    want = (a - b * np.cos(x) + c * np.cos(2 * x)).astype(t)
    return Case(op, [Operand(size, d.choose(np.int32, np.int64))], attrs, opset=17, wants=[want], tolerance=1e-5)


@ops("Shape")
def shape(d, op):
    opset, x = d.opset(op), d.array(d.choose(np.float32, np.int64, bool))
    attrs = {n: d.integer(-5, 5) for n in ("start", "end") if d.chance()} if opset >= 15 else {}
    return Case(op, [x], attrs, opset=opset)


@ops("OneHot")
def one_hot(d, op):
    opset = d.opset(op)
    depth = d.integer(1, 6)
    t, vt = d.choose(np.int64, np.int32, np.float32, np.uint8), d.choose(np.float32, np.int64, np.int32)
    x = d.array(t, d.shape((0, 3)), -depth - 1 if opset >= 11 else 0, depth + 1)
    x = np.round(x.astype(np.float64)).astype(t)
    depth_shape = d.choose((), (1,))
    attrs = {"axis": d.axis(x.ndim + 1)} if d.chance() else {}
    values, at = d.array(vt, (2,)), x.astype(np.int64)
    at = np.where((at >= -depth) & (at < 0) & (opset >= 11), at + depth, at)
    hot = np.moveaxis(at[..., None] == np.arange(depth), -1, attrs.get("axis", -1))
    return Case(op, [x, Operand(np.full(depth_shape, depth), d.choose(np.int64, np.float32)), Operand(values, vt)], attrs, opset=opset,
                wants=[np.where(hot, values[1], values[0]).astype(vt)])


@ops("NonZero")
def nonzero(d, op):
    opset = d.opset(op)
    x = d.array(d.choose(bool, np.float32, np.int64, np.int32, np.uint8), d.shape((1, 4)), -1, 1)
    return Case(op, [x], opset=opset)


@ops("ConstantOfShape")
def constant_of_shape(d, op):
    value = d.array(d.choose(np.float32, np.int64, bool, np.float16, np.uint8), (1,))
    attrs = {"value": numpy_helper.from_array(value, "v")} if d.chance(.8) else {}
    return Case(op, [Operand(d.shape())], attrs, opset=d.opset(op))


@ops("EyeLike")
def eye_like(d, op):
    attrs = {"k": d.integer(-4, 4)} if d.chance() else {}
    if d.chance():
        attrs["dtype"] = d.choose(1, 6, 7, 11)
    return Case(op, [d.array(d.choose(np.float32, np.int32, np.int64), d.shape((2, 2)))], attrs, opset=d.opset(op))


@ops("Trilu")
def trilu(d, op):
    x = d.array(d.choose(np.float32, np.int64, np.float64, bool), d.shape((2, 4)))
    k = [Operand(d.integer(-5, 5))] if d.chance() else []
    return Case(op, [x] + k, {"upper": d.integer(0, 1)} if d.chance() else {}, opset=14)


@ops("Dropout")
def dropout(d, op):
    opset = d.opset(op, 7)
    outputs = d.choose(1, 2) if opset >= 12 else 1
    x = d.array(d.type_of(op, opset))
    if opset < 12:
        return Case(op, [x], {"ratio": .3} if d.chance() else {}, outputs, opset)
    ratio, training = Operand(.4, d.choose(np.float32, np.float64)), Operand(False, bool)
    more = d.choose([], [ratio], [None, training], [ratio, training], [Operand(0, np.float32), Operand(True, bool)])
    return Case(op, [x] + more, {"seed": 1}, outputs, opset)
