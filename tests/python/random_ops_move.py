"""Random nodes that move data, and sequences, for test_ops_random.py."""
import ml_dtypes
import numpy as np
from onnx import helper
from random_draw import Case, Operand, kind
from random_ops import ops

F32 = np.float32


def any_array(d, shape=None):
    return d.array(d.choose(np.float32, np.float32, np.int64, np.int32, bool, np.float16, np.uint8, np.float64), shape)


def integers(d):
    return d.choose(np.int64, np.int64, np.int32)


@ops("Reshape")
def reshape(d, op):
    opset = d.opset(op, 5)
    x = any_array(d)
    sizes, target = list(x.shape), []
    while sizes:
        take = d.integer(1, len(sizes))
        target.append(int(np.prod(sizes[:take])))
        sizes = sizes[take:]
        if d.chance(.3):
            target.insert(d.integer(0, len(target)), 1)
    attrs = {"allowzero": 1} if opset >= 14 and d.chance(.3) else {}
    if not attrs:
        for i in range(min(len(target), x.ndim)):
            if target[i] == x.shape[i] and d.chance(.3):
                target[i] = 0
        if any(v == 0 and (i >= x.ndim or x.shape[i] != 0) for i, v in enumerate(target)) and x.size == 0:
            target = list(x.shape)
    if target and d.chance() and x.size:
        target[d.integer(0, len(target) - 1)] = -1
    return Case(op, [x, Operand(target)], attrs, opset=opset)


@ops("Flatten")
def flatten(d, op):
    opset = d.opset(op, 9)
    x = any_array(d)
    axis = d.integer(-x.ndim if opset >= 11 else 0, x.ndim)
    return Case(op, [x], {"axis": axis} if x.ndim == 0 or d.chance(.7) else {}, opset=opset)


@ops("Squeeze", "Unsqueeze")
def squeeze(d, op):
    opset = d.opset(op)
    x = any_array(d, tuple(1 if d.chance() else n for n in d.shape()))
    if op == "Squeeze":
        ones = [i for i, n in enumerate(x.shape) if n == 1]
        axes = [int(a) for a in d.random.permutation(ones)[:d.integer(0, len(ones))]]
        rank = x.ndim
        if not axes:
            axes = None
    else:
        rank = x.ndim + d.integer(1, 3)
        axes = d.axes(rank, rank - x.ndim)
    if axes is not None:
        axes = [a % rank if opset < 11 else a - rank * (d.chance(.3) and a >= 0) for a in axes]
    known = [(0, i) for i in range(x.ndim)] if axes is None else []  # the result's rank depends on them
    if opset < 13:
        return Case(op, [x], {"axes": axes} if axes is not None else {}, opset=opset, static=known)
    return Case(op, [x] + ([Operand(axes)] if axes is not None else []), opset=opset, static=known)


@ops("Transpose")
def transpose(d, op):
    x = any_array(d)
    perm = {"perm": [int(p) for p in d.random.permutation(x.ndim)]} if d.chance(.7) and x.ndim else {}
    return Case(op, [x], perm, opset=d.opset(op))


@ops("Concat")
def concat(d, op):
    opset, shape = d.opset(op, 4), d.shape((1, 4))
    axis, first = d.axis(len(shape)), any_array(d, shape)
    if opset < 11:
        axis %= len(shape)
    inputs = []
    for _ in range(d.integer(1, 4)):
        s = list(shape)
        s[axis] = d.dim()
        inputs.append(d.array(first.dtype, s))
    return Case(op, inputs, {"axis": axis}, opset=opset)


@ops("Split")
def split(d, op):
    opset = d.opset(op, 2)
    x = any_array(d, d.shape((1, 3)))
    axis = d.axis(x.ndim) if opset >= 11 else d.integer(0, x.ndim - 1)
    n, parts = x.shape[axis], d.integer(1, 4)
    attrs = {"axis": axis}
    if d.chance():
        cuts = sorted(d.integer(0, n) for _ in range(parts - 1))
        sizes = np.diff([0] + cuts + [n]).tolist()
        if opset < 13:
            return Case(op, [x], attrs | {"split": sizes}, parts, opset)
        return Case(op, [x, Operand(sizes)], attrs, parts, opset)
    if opset >= 18:
        return Case(op, [x], attrs | {"num_outputs": parts}, parts, opset)
    shape = list(x.shape)
    shape[axis] = parts * d.integer(0, 3)
    return Case(op, [d.array(x.dtype, shape)], attrs, parts, opset)


@ops("Slice")
def slice_op(d, op):
    opset = d.opset(op)
    x = any_array(d, d.shape((1, 4)))
    count = d.integer(1, x.ndim)
    axes, t = d.axes(x.ndim, count), integers(d)
    starts = [d.choose(d.integer(-10, 10), d.integer(-10, 10), 0) for _ in axes]
    steps = [1 if opset < 10 else d.choose(1, 1, 2, 3, -1, -1, -2, -4) for _ in axes]
    limits = [d.choose(2 ** 31 - 1, 2 ** 63 - 1 if t == np.int64 else 2 ** 31 - 1, d.integer(-10, 10)) if s > 0 else
              d.choose(-2 ** 31, -2 ** 63 if t == np.int64 else -2 ** 31, d.integer(-10, 10)) for s in steps]
    ends = [d.choose(d.integer(-10, 10), end) for end in limits]
    if opset < 10:
        axes = [a % x.ndim for a in axes]
        starts = [max(s, -x.shape[a]) for s, a in zip(starts, axes)]
        ends = [max(e, -x.shape[a]) for e, a in zip(ends, axes)]
        return Case(op, [x], {"starts": starts, "ends": ends, "axes": axes}, opset=opset)
    more = [Operand(axes, t), Operand(steps, t)]
    if sorted(a % x.ndim for a in axes) == list(range(count)) and d.chance(.3):
        more = [None, more[1]]
    return Case(op, [x, Operand(starts, t), Operand(ends, t)] + more[:2 if d.chance(.7) or more[0] is None else 1],
                opset=opset)


@ops("Gather", "GatherElements")
def gather(d, op):
    opset = d.opset(op)
    x = any_array(d, d.shape((1, 4), 1))
    axis = d.axis(x.ndim)
    shape = d.shape((0, 3)) if op == "Gather" else tuple(d.integer(0, n) for n in x.shape)
    n = x.shape[axis]
    at = d.array(integers(d), shape, -n if opset >= 11 else 0, n - 1)
    return Case(op, [x, at], {"axis": axis} if axis or d.chance() else {}, opset=opset)


@ops("GatherND")
def gather_nd(d, op):
    opset = d.opset(op)
    x = any_array(d, d.shape((1, 4), 1))
    batch = d.integer(0, x.ndim - 1) if opset >= 12 else 0
    depth = d.integer(1, x.ndim - batch)
    front = x.shape[:batch] + d.shape((0, 2))
    parts = [d.array(np.int64, front, -n, n - 1) for n in x.shape[batch:batch + depth]]
    at = np.stack(parts, -1)
    if at.ndim < batch + 1:
        return gather_nd(d, op)
    return Case(op, [x, at], {"batch_dims": batch} if batch else {}, opset=opset, static=[(1, at.ndim - 1)])


def reduction(d, opset, t):
    modes = ["none"] + (["add", "mul"] if opset >= 16 else []) + (["max", "min"] if opset >= 18 else [])
    return {} if opset < 16 or d.chance(.4) or np.dtype(t) == bool else {"reduction": d.choose(*modes)}


@ops("ScatterElements", "Scatter")
def scatter_elements(d, op):
    opset = d.opset(op) if op == "ScatterElements" else d.choose(9, 10)
    x = any_array(d, d.shape((1, 3), 1))
    axis = d.axis(x.ndim) if opset >= 11 else d.integer(0, x.ndim - 1)
    shape = tuple(d.integer(0, n) for n in x.shape)
    attrs, n = reduction(d, opset, x.dtype), x.shape[axis]
    if attrs.get("reduction", "none") != "none":
        at = d.array(integers(d), shape, -n, n - 1)
    else:  # no place twice: the order of writing is open
        lanes = np.moveaxis(np.zeros(shape, np.int64), axis, -1)
        for at in np.ndindex(lanes.shape[:-1]):
            lanes[at] = d.random.permutation(n)[:lanes.shape[-1]]
        at = np.moveaxis(lanes, -1, axis).astype(integers(d))
        at = at - n * (d.random.random(shape) < .3).astype(at.dtype) if opset >= 11 else at
    return Case(op, [x, at, d.array(x.dtype, shape, -4, 4)], attrs | {"axis": axis}, opset=opset, tolerance=2e-3)


@ops("ScatterND")
def scatter_nd(d, op):
    opset = d.opset(op)
    x = any_array(d, d.shape((1, 3), 1))
    depth = d.integer(1, x.ndim)
    attrs, front = reduction(d, opset, x.dtype), d.shape((0, 2))
    dims = x.shape[:depth]
    count = int(np.prod(front))
    if attrs.get("reduction", "none") == "none":
        if count > int(np.prod(dims)):
            front, count = (1,), 1
        flat = d.random.permutation(int(np.prod(dims)))[:count]
    else:
        flat = d.random.integers(0, int(np.prod(dims)), count)
    at = np.stack(np.unravel_index(flat.astype(np.int64), dims), -1).astype(np.int64).reshape(front + (depth,))
    at = at - np.array(dims) * (d.random.random(at.shape) < .2)
    return Case(op, [x, at, d.array(x.dtype, front + x.shape[depth:], -4, 4)], attrs, opset=opset, tolerance=2e-3)


@ops("Expand")
def expand(d, op):
    a, b = d.broadcast()
    return Case(op, [any_array(d, a), Operand(b)], opset=d.opset(op))


@ops("Tile")
def tile(d, op):
    x = any_array(d)
    return Case(op, [x, Operand([d.choose(0, 1, 1, 2, 3) for _ in x.shape])], opset=d.opset(op, 6))


@ops("Pad")
def pad(d, op):
    opset = d.opset(op, 2)
    t = d.choose(np.float32, np.float64) if opset < 13 else d.choose(np.float32, np.int64, np.int32, np.float64, bool)
    mode = d.choose("constant", "reflect", "edge", "wrap") if opset >= 19 else d.choose("constant", "reflect", "edge")
    x = d.array(t, d.shape((1, 4), 0 if mode == "constant" else 2))
    axes = d.axes(x.ndim, d.integer(1, x.ndim)) if opset >= 18 and d.chance() else None
    dims = x.shape if axes is None else [x.shape[a] for a in axes]
    least = [-(n // 2) if mode == "constant" else 0 for n in dims]
    most = [3 if mode in ("constant", "edge") else n - 1 for n in dims]
    pads = [d.integer(low, high) for low, high in zip(least * 2, most * 2)]
    attrs = {} if mode == "constant" and d.chance() else {"mode": mode}
    if opset < 11:
        value = {"value": 1.5} if d.chance() else {}
        return Case(op, [x], attrs | {"pads": pads} | value, opset=opset)
    value = Operand(d.array(t, ()), t) if mode == "constant" and d.chance() else None
    return Case(op, [x, Operand(pads), value, None if axes is None else Operand(axes, integers(d))], attrs, opset=opset)


@ops("Compress")
def compress(d, op):
    x = any_array(d, d.shape((1, 3)))
    axis = d.axis(x.ndim) if d.chance(.7) else None
    n = x.size if axis is None else x.shape[axis]
    return Case(op, [x, d.array(bool, (d.integer(0, n),))], {} if axis is None else {"axis": axis}, opset=d.opset(op))


@ops("Unique")
def unique(d, op):
    x = d.array(d.choose(np.float32, np.int64, np.int8, np.float64), d.shape((1, 3), 1), -2, 2)
    x = x if x.dtype == object else np.round(x.astype(np.float64)).astype(x.dtype)
    attrs = {"axis": d.axis(x.ndim)} if d.chance(.6) else {}
    if d.chance():
        attrs["sorted"] = d.integer(0, 1)
    return Case(op, [x], attrs, d.choose(1, 4, [0, 2], [0, 3]), d.opset(op))


@ops("ReverseSequence")
def reverse_sequence(d, op):
    x = any_array(d, d.shape((2, 4), 1))
    batch = d.integer(0, 1)
    lengths = d.array(np.int64, (x.shape[batch],), 1, x.shape[1 - batch])
    return Case(op, [x, lengths], {"batch_axis": batch, "time_axis": 1 - batch}, opset=d.opset(op))


@ops("DepthToSpace", "SpaceToDepth")
def depth(d, op):
    opset, b = d.opset(op, 1), d.integer(1, 3)
    n, c, h, w = d.dim(), d.dim(1), d.dim(1), d.dim(1)
    shape = (n, c * b * b, h, w) if op == "DepthToSpace" else (n, c, h * b, w * b)
    attrs = {"mode": d.choose("DCR", "CRD")} if op == "DepthToSpace" and opset >= 11 and d.chance() else {}
    return Case(op, [d.array(d.choose(np.float32, np.float64), shape)], attrs | {"blocksize": b}, opset=opset)


@ops("BitCast")
def bitcast(d, op):
    types = [np.dtype(t) for t in (F32, np.float64, np.int16, np.uint16, np.int8, np.uint64, ml_dtypes.int4,
                                   ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2)]
    source = np.dtype(d.choose(*types))
    to = np.dtype(d.choose(*(t for t in types if width(t) == width(source))))
    x = d.array(np.uint8, low=0, high=1).view(source) if to == bool else d.array(source)
    want = x.view(to) if width(source) >= 8 else of_bits(x.view(np.uint8) & (1 << width(source)) - 1, to)
    return Case(op, [x], {"to": int(helper.np_dtype_to_tensor_dtype(to))}, opset=26, wants=[want])


def width(dtype):
    """The bits of an element."""
    narrow = {"int2": 2, "uint2": 2, "int4": 4, "uint4": 4, "float4_e2m1fn": 4}
    return narrow.get(dtype.name, 8 * dtype.itemsize)


def of_bits(bits, dtype):
    """Elements of a type of less than 8 bits."""
    if kind(dtype) == "f":
        return bits.view(dtype)
    sign = 1 << width(dtype) - 1 if kind(dtype) == "i" else 0
    return ((bits.astype(np.int8) ^ sign) - sign).astype(dtype)


@ops("CenterCropPad")
def center_crop_pad(d, op):
    x = d.array(d.choose(F32, np.int32), d.shape((1, 4)))
    axes = d.axes(x.ndim, d.integer(1, x.ndim)) if d.chance() else None
    count = x.ndim if axes is None else len(axes)
    return Case(op, [x, Operand([d.dim() for _ in range(count)], d.choose(np.int64, np.int32))],
                {} if axes is None else {"axes": axes}, opset=18)


@ops("TensorScatter")
def tensor_scatter(d, op):
    b, h, s, w = d.dim(1), d.dim(1), d.integer(1, 6), d.dim(1)
    length = d.integer(1, s)
    t = d.choose(F32, np.int32, np.float16)
    update, at = d.array(t, (b, h, length, w)), d.array(np.int64, (b,), 0, s - length)
    attrs = {"mode": d.choose("linear", "circular")} if d.chance() else {}
    return Case(op, [d.array(t, (b, h, s, w)), update] + ([at] if d.chance(.8) else []), attrs, opset=24)


# ---- sequences and optionals -----------------------------------------------------------------------------------------

@ops("SplitToSequence")
def split_to_sequence(d, op):
    x = d.array(d.choose(np.float32, np.int64), d.shape((1, 3), 1))
    axis, attrs = d.axis(x.ndim), {}
    n = x.shape[axis]
    cuts = sorted(d.integer(0, n) for _ in range(d.integer(0, 3)))
    t = integers(d)
    sizes = d.choose(None, Operand(d.integer(1, n + 1), t), Operand(np.diff([0] + cuts + [n]), t))
    if sizes is None and d.chance():
        attrs["keepdims"] = d.integer(0, 1)
    first = (op, ["x0"] + (["x1"] if sizes else []), ["s"], attrs | {"axis": axis})
    if d.chance(.2):
        return Case(op, [x, sizes], nodes=[(op, first[1], ["y0"], first[3])], opset=d.opset(op))
    ending = d.choose([("Identity", ["s"], ["y0"], {})], [("SequenceLength", ["s"], ["y0"], {})],
                      [("SequenceAt", ["s", "x2"], ["y0"], {})],
                      [("ConcatFromSequence", ["s"], ["y0"], {"axis": axis})] if attrs.get("keepdims", 1) or sizes else
                      [("ConcatFromSequence", ["s"], ["y0"], {"axis": d.axis(x.ndim), "new_axis": 1})])
    return Case(op, [x, sizes, Operand(d.choose(0, -1))], nodes=[first] + ending, opset=d.opset(op))


@ops("SequenceInsert", "SequenceErase", "SequenceConstruct", "SequenceAt", "SequenceLength", "ConcatFromSequence")
def edit_sequence(d, op):
    t = d.choose(np.float32, np.int64, np.int32)
    shape = d.shape((0, 2))
    items = [d.array(t, shape) for _ in range(3)]
    position = d.integer(-3, 2)
    start = ("SequenceConstruct", ["x0", "x1", "x2"], ["s"], {})
    at = ["x3"] if d.chance(.7) else []
    change = op if op in ("SequenceInsert", "SequenceErase") else d.choose("SequenceInsert", "SequenceErase")
    edit = (change, ["s"] + (["x0"] if change == "SequenceInsert" else []) + at, ["r"], {})
    endings = {"Identity": (["r"], {}), "SequenceAt": (["r", "x4"], {}), "SequenceLength": (["r"], {}),
               "ConcatFromSequence": (["r"], {"axis": d.axis(len(shape) + 1), "new_axis": 1})}
    last = op if op in endings else d.choose(*endings)
    ending = (last, endings[last][0], ["y0"], endings[last][1])
    return Case(op, items + [Operand(position, integers(d)), Operand(d.choose(0, 1, -1, -2), integers(d))],
                nodes=[start, edit, ending],
                opset=d.opset(op))


@ops("SequenceMap")
def sequence_map(d, op):
    rank = d.integer(0, 2)  # of all items: it is known before the run
    t = np.dtype(d.choose(np.float32, np.int32))
    number = int(helper.np_dtype_to_tensor_dtype(t))
    items = [d.array(t, d.shape((rank, rank))) for _ in range(2)]
    more = d.choose([], ["x2"], ["s"])
    value = helper.make_tensor_value_info
    body_inputs = [value(n, number, None) for n in ["a", "b"][:1 + len(more)]]
    first, last = ("Neg", "Sub") if t in (np.float32, np.int32) else ("Identity", "")
    nodes = [helper.make_node(first, ["a"], ["n"]),
             helper.make_node("Shape", ["n"], ["m"]) if not more else
             helper.make_node(last, ["n", "b"], ["m"]) if last else helper.make_node("Identity", ["b"], ["m"])]
    body = helper.make_graph(nodes, "body", body_inputs, [value("m", 7 if not more else number, None)])
    start = ("SequenceConstruct", ["x0", "x1"], ["s"], {})
    over = (op, ["s"] + more, ["r"], {"body": body})
    return Case(op, items + [Operand(d.array(t, ()), t), Operand(d.choose(0, 1, -1, -2))],
                nodes=[start, over, ("SequenceAt", ["r", "x3"], ["y0"], {}), ("SequenceLength", ["r"], ["y1"], {})],
                outputs=2, opset=d.opset(op))


@ops("Optional", "OptionalHasElement", "OptionalGetElement")
def optional(d, op):
    x = d.array(np.float32)
    nodes = [("Optional", ["x0"], ["o"], {}), ("OptionalHasElement", ["o"], ["y0"], {}),
             ("OptionalGetElement", ["o"], ["y1"], {})]
    return Case(op, [x], nodes=nodes, outputs=2, opset=d.opset(op))


@ops("SequenceEmpty")
def sequence_empty(d, op):
    t = d.choose(F32, np.int64)
    items = [d.array(t, d.shape((1, 1))) for _ in range(2)]
    nodes = [(op, [], ["s"], {"dtype": int(helper.np_dtype_to_tensor_dtype(items[0].dtype))}), ("SequenceInsert", ["s", "x0"], ["t"], {}),
             ("SequenceInsert", ["t", "x1"], ["r"], {}),
             d.choose(("ConcatFromSequence", ["r"], ["y0"], {"axis": 0}), ("SequenceAt", ["r", "x2"], ["y0"], {}))]
    return Case(op, items + [Operand(d.choose(0, 1, -1))], nodes=nodes, opset=d.opset(op))
