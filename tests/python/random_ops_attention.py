"""Random nodes of attention, rotary embeddings, linear attention and losses, for test_ops_random.py."""
import math

import ml_dtypes
import numpy as np
from onnx import helper, numpy_helper
from random_draw import Case, Operand
from random_ops import ops

F32 = np.float32


@ops("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def loss(d, op):
    opset = d.opset(op, 12)
    t = d.type_of(op, opset)
    shape = d.shape((2, 4), 1)
    attrs = {"reduction": d.choose("none", "sum", "mean")} if d.chance(.8) else {}
    target = d.array(d.choose(np.int32, np.int64), shape[:1] + shape[2:], 0, shape[1] - 1)
    if d.chance():
        attrs["ignore_index"] = d.choose(-5, 0, shape[1])
        target = np.where(d.array(bool, target.shape), target, target.dtype.type(attrs["ignore_index"]))
    inputs = [d.array(t, shape), target] + ([d.array(t, shape[1:2], .1, 2)] if d.chance() else [])
    outputs = d.integer(1, 2) if op[0] == "S" else 1
    return Case(op, inputs, attrs, outputs, opset, reference=True, tolerance=2e-5 if t in (F32, np.float64) else 3e-2)


FLOATS = (F32, F32, F32, np.float64, np.float16, ml_dtypes.bfloat16)


@ops("Attention")
def attention(d, op):
    opset = d.choose(23, 24, 25)
    t = d.choose(*FLOATS)
    batch, of_keys, queries, keys, size, of_v = (d.integer(0 if i == 0 else 1, 4) for i in range(6))
    heads = of_keys * d.choose(1, 1, 2, 3)
    shapes = [(batch, heads, queries, size), (batch, of_keys, keys, size), (batch, of_keys, keys, of_v)]
    inputs = [d.array(t, s) for s in shapes] + [None] * 4
    attrs, total, outputs = {}, keys, [0]
    if d.chance(.4):
        past = d.integer(0, 3)
        inputs[4:6] = [d.array(t, s[:2] + (past,) + s[3:]) for s in shapes[1:]]
        total += past
        outputs = [0, 1, 2]
    elif opset >= 24 and d.chance(.4):
        inputs[6] = d.array(np.int64, (batch,), 0, keys)
    if d.chance(.6):
        mask = tuple(1 if d.chance(.3) else n for n in (batch, heads, queries)) + (total,)
        inputs[3] = d.array(d.choose(bool, t), mask[d.integer(0, 2):])
    # onnx's reference takes the number of queries from the mask
    if d.chance(.4) and (inputs[3] is None or inputs[3].shape[-2:-1] == (queries,)):
        attrs["is_causal"] = 1
    if d.chance(.3):
        attrs["scale"] = float(d.random.uniform(.1, 1))
    if d.chance(.3):
        attrs["softcap"] = float(d.random.uniform(.5, 3))
    if opset >= 25 and d.chance():
        attrs |= {k: d.integer(-1, 3) for k in ("left_window_size", "right_window_size")}
    if d.chance(.2):
        attrs["softmax_precision"] = d.choose(1, 11) if t != np.float64 else 11
    if d.chance(.4):
        attrs["qk_matmul_output_mode"] = d.integer(1, 3)
        outputs = outputs + [3]
    if d.chance(.4):
        attrs |= {"q_num_heads": heads, "kv_num_heads": of_keys}
        for i in range(3):
            s = inputs[i].shape
            inputs[i] = inputs[i].transpose(0, 2, 1, 3).reshape(s[0], s[2], s[1] * s[3])
    small = {np.float16: 1e-2, ml_dtypes.bfloat16: 6e-2}
    return Case(op, inputs, attrs, outputs, opset, reference=True, tolerance=small.get(t, 2e-5))


@ops("RotaryEmbedding")
def rotary(d, op):
    t = d.choose(F32, F32, np.float16, ml_dtypes.bfloat16)
    batch, heads, sequence, size = d.integer(0, 3), d.integer(1, 3), d.integer(0, 4), 2 * d.integer(1, 5)
    attrs = {"interleaved": d.integer(0, 1)} if d.chance() else {}
    if d.chance(.4):
        attrs["rotary_embedding_dim"] = 2 * d.integer(0, size // 2)
    half = (attrs.get("rotary_embedding_dim") or size) // 2
    x = d.array(t, (batch, heads, sequence, size))
    if d.chance():
        x = x.transpose(0, 2, 1, 3).reshape(batch, sequence, heads * size)
        attrs["num_heads"] = heads
    most = d.integer(1, 9)
    ids = d.array(np.int64, (batch, sequence), 0, most - 1) if d.chance(.6) else None
    caches = [d.array(t, (batch, sequence, half) if ids is None else (most, half)) for _ in range(2)]
    return Case(op, [x, *caches, ids], attrs, opset=23, reference=True, tolerance=3e-2 if t != F32 else 2e-5)


@ops("LinearAttention")
def linear_attention(d, op):
    t = d.choose(F32, F32, np.float16, ml_dtypes.bfloat16)
    batch, length, size, of_v = d.integer(0, 3), d.integer(0, 4), d.integer(1, 4), d.integer(1, 5)
    heads = d.integer(1, 3)
    of_q = heads * d.integer(1, 3)
    rule = d.choose("linear", "gated", "delta", "gated_delta")
    attrs = {"q_num_heads": of_q, "kv_num_heads": heads} | ({"update_rule": rule} if rule != "gated_delta" else {})
    if d.chance(.4):
        attrs["scale"] = float(d.random.uniform(.1, 2))
    inputs = [d.array(t, (batch, length, of_q * size)), d.array(t, (batch, length, heads * size), -.7, .7),
              d.array(t, (batch, length, heads * of_v)), None, None, None]
    if d.chance():
        inputs[3] = d.array(d.choose(t, F32), (batch, heads, size, of_v))
    if rule.startswith("gated"):
        inputs[4] = d.array(t, (batch, length, heads * d.choose(1, size)), -2, 0)
    if rule.endswith("delta"):
        inputs[5] = d.array(t, (batch, length, d.choose(1, heads)), 0, 1)
    return Case(op, inputs, attrs, 2, 27, reference=True, tolerance=3e-2 if t != F32 else 2e-5)


@ops("CausalConvWithState")
def causal_conv(d, op):
    t = d.choose(F32, F32, np.float16, ml_dtypes.bfloat16)
    batch, channels, length, k = d.integer(0, 3), d.integer(1, 4), d.integer(1, 7), d.integer(1, 4)
    inputs = [d.array(t, (batch, channels, length)), d.array(t, (channels, 1, k)),
              d.array(t, (channels,)) if d.chance() else None,
              d.array(t, (batch, channels, k - 1)) if d.chance() else None]
    attrs = {"activation": d.choose("none", "silu", "swish")} if d.chance(.7) else {}
    return Case(op, inputs, attrs, 2, 27, reference=True, tolerance=3e-2 if t != F32 else 2e-5)


def modifier(name, t, op, *more):
    """A graph of one node: x -> op(x, more)."""
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(t))
    constants = [numpy_helper.from_array(np.asarray(v, t), f"{name}_c{i}") for i, v in enumerate(more)]
    node = helper.make_node(op, [f"{name}_x"] + [c.name for c in constants], [f"{name}_y"])
    return helper.make_graph([node], name, [helper.make_tensor_value_info(f"{name}_x", kind, [None] * 4)],
                             [helper.make_tensor_value_info(f"{name}_y", kind, [None] * 4)], constants)


@ops("ai.onnx.preview.FlexAttention")
def flex_attention(d, op):
    t = d.choose(*FLOATS)
    batch, of_keys, queries, keys, size, of_v = (d.integer(0 if i == 0 else 1, 4) for i in range(6))
    heads = of_keys * d.choose(1, 1, 2, 3)
    inputs = [d.array(t, s) for s in ((batch, heads, queries, size), (batch, of_keys, keys, size),
                                      (batch, of_keys, keys, of_v))]
    attrs, work = {}, np.float64 if t == np.float64 else F32
    if d.chance(.3):
        attrs["scale"] = float(d.random.uniform(.1, 1))
    if d.chance(.3):
        attrs["softmax_precision"], work = 11, np.float64
    if d.chance():
        attrs["score_mod"] = modifier("score", work, *d.choose(("Tanh",), ("Mul", .5), ("Add", np.zeros((1, 1, 1, 1)))))
    if d.chance():
        attrs["prob_mod"] = modifier("prob", work, *d.choose(("Mul", 2), ("Neg",)))
    return Case(op, inputs, attrs, opset=26, reference=True, tolerance=3e-2 if t not in (F32, np.float64) else 2e-5)


# ---- com.microsoft: ONNX Runtime's CPU kernels take float32 -----------------------------------------------------------


@ops("com.microsoft.Gelu", "com.microsoft.BiasGelu", "com.microsoft.FastGelu")
def biased_gelu(d, op):
    fast = op.endswith("FastGelu")
    limits = (-1.5, 1.5) if fast else (None, None)  # far below 0, 1 + tanh(x) loses all digits of float32
    x = d.array(F32, d.shape((1, 4), 1), *limits)
    bias = op.endswith("BiasGelu") or (fast and d.chance())
    return Case(op, [x] + ([d.array(F32, x.shape[-1:], *limits)] if bias else []), tolerance=1e-3 if fast else 1e-5)


@ops("com.microsoft.BiasSplitGelu")
def bias_split_gelu(d, op):
    x = d.array(F32, (d.integer(0, 3), d.integer(1, 4), 2 * d.integer(0, 5)))
    bias = d.array(F32, x.shape[-1:])
    left, right = np.split((x + bias).astype(np.float64), 2, -1)
    gelu = right * .5 * (1 + np.vectorize(math.erf, otypes=[float])(right / math.sqrt(2)))
    return Case(op, [x, bias], wants=[(left * gelu).astype(F32)], tolerance=1e-5)


@ops("com.microsoft.FusedMatMul", "com.microsoft.TransposeMatMul")
def fused_matmul(d, op):
    m, k, n, batch = d.integer(1, 5), d.integer(1, 5), d.integer(1, 5), d.shape((0, 2), 1)
    attrs = {"alpha": float(d.random.uniform(-1, 2))} if d.chance() else {}
    inputs = []
    for name, rows, columns in (("A", m, k), ("B", k, n)):
        swapped, first = d.chance(), bool(batch) and op.endswith("FusedMatMul") and d.chance(.3)
        shape = (columns, rows) if swapped else (rows, columns)
        inputs.append(d.array(F32, shape[:1] + batch + shape[1:] if first else batch + shape))
        attrs |= {f"trans{name}": int(swapped)} if swapped else {}
        attrs |= {f"transBatch{name}": 1} if first else {}
    return Case(op, inputs, attrs)


@ops("com.microsoft.FusedGemm")
def fused_gemm(d, op):
    m, k, n = (d.integer(1, 6) for _ in range(3))
    attrs = {name: d.integer(0, 1) for name in ("transA", "transB") if d.chance()}
    a = d.array(F32, (k, m) if attrs.get("transA") else (m, k))
    b = d.array(F32, (n, k) if attrs.get("transB") else (k, n))
    attrs |= {name: float(d.random.uniform(.1, 2)) for name in ("alpha", "beta") if d.chance()}
    attrs |= d.choose({"activation": "Relu"}, {"activation": "Sigmoid"}, {"activation": "Tanh"},
                      {"activation": "LeakyRelu", "activation_alpha": .25},
                      {"activation": "HardSigmoid", "activation_alpha": .25, "activation_beta": .5})
    return Case(op, [a, b] + ([d.array(F32, d.choose((n,), (m, n), (1, n)))] if d.chance() else []), attrs)


def epsilon(d):
    return {"epsilon": float(F32(d.random.uniform(1e-5, .1)))} if d.chance() else {}


@ops("com.microsoft.SkipLayerNormalization", "com.microsoft.SkipSimplifiedLayerNormalization")
def skip_layer_norm(d, op):
    x = d.array(F32, (d.integer(1, 3), d.integer(1, 4), d.integer(1, 9)))
    h = x.shape[-1:]
    skip = d.array(F32, d.choose(x.shape, x.shape, (1,) + x.shape[1:], x.shape[1:]))
    more = [d.array(F32, h) if d.chance() else None] if "Simplified" not in op else []
    more += [d.array(F32, h) if d.chance() else None]
    return Case(op, [x, skip, d.array(F32, h)] + more, epsilon(d), [0, 3] if d.chance() else 1, tolerance=1e-3)


@ops("SimplifiedLayerNormalization")
def simplified_layer_norm(d, op):
    x = d.array(d.choose(F32, F32, np.float64), d.shape((1, 4), 1))
    axis = d.axis(x.ndim)
    attrs = ({"axis": axis} if axis != -1 or d.chance() else {}) | epsilon(d)
    want = x / np.sqrt((x.astype(np.float64) ** 2).mean(tuple(range(axis % x.ndim, x.ndim)), keepdims=True)
                       + attrs.get("epsilon", 1e-5))
    scale = d.array(x.dtype, x.shape[axis:])
    return Case(op, [x, scale], attrs, wants=[(want * scale).astype(x.dtype)], opset=17, tolerance=1e-4)


@ops("com.microsoft.EmbedLayerNormalization")
def embed_layer_norm(d, op):
    batch, length, h = d.integer(1, 3), d.integer(1, 4), d.integer(1, 9)
    counts = [d.integer(1, 9), length + d.integer(0, 3), d.integer(1, 3)]
    ids = [d.array(np.int32, (batch, length), 0, n - 1) for n in counts]
    tables = [d.array(F32, (n, h)) for n in counts]
    if d.chance(.4):
        ids[2] = tables[2] = None
    places = ids[1] if d.chance(.4) else None
    mask = d.array(np.int32, (batch, length), 0, 1) if d.chance() else None
    known = [(i, k) for i in range(2, 7) for k in range(1 + (i < 5))]  # ONNX Runtime infers no shape from symbols
    return Case(op, [ids[0], ids[2], *tables, d.array(F32, (h,)), d.array(F32, (h,)), mask, places], epsilon(d),
                d.choose([0, 1], [0, 1, 2]), tolerance=1e-3, static=known)


@ops("com.microsoft.RotaryEmbedding")
def microsoft_rotary(d, op):
    batch, heads, sequence, size = d.integer(1, 3), d.integer(1, 3), d.integer(1, 4), 2 * d.integer(1, 5)
    attrs = {"interleaved": d.integer(0, 1)} if d.chance() else {}
    if d.chance(.3):
        attrs |= {"rotary_embedding_dim": 2 * d.integer(1, size // 2), "num_heads": heads}
    x = d.array(F32, (batch, heads, sequence, size))
    if d.chance() or "num_heads" in attrs:
        x = x.transpose(0, 2, 1, 3).reshape(batch, sequence, heads * size)
    most = sequence + d.integer(0, 5)
    ids = d.array(np.int64, (batch, sequence), 0, most - 1) if d.chance() else d.array(np.int64, (1,), 0, most - sequence)
    if ids.ndim == 2 and d.chance(.3):
        attrs["is_packed_batching"], most = 1, d.integer(1, most)
        ids = d.array(np.int64, (batch, sequence), 0, most - 1)
    half = attrs.get("rotary_embedding_dim", size) // 2
    return Case(op, [x, ids, *(d.array(F32, (most, half)) for _ in range(2))], attrs)


def padding(d, batch, queries, total):
    """A mask of com.microsoft: the samples' lengths, perhaps before places in packed tensors, or of keys. Some key of each
    query is seen."""
    if d.chance(.4):
        return d.array(np.int32, (batch if d.chance(.7) else 3 * batch + 2,), 1, total)
    mask = d.array(np.int32, (batch, total) if d.chance() else (batch, queries, total), 0, 1)
    mask[..., 0] = 1
    return mask


@ops("com.microsoft.Attention")
def microsoft_attention(d, op):
    batch, length, width, heads, size = (d.integer(1, 4) for _ in range(5))
    hidden = heads * size
    past = d.integer(0, 3) if d.chance(.4) else None
    of_v = hidden if past is not None else heads * d.integer(1, 4)
    total = length + (past or 0)
    columns = 2 * hidden + of_v
    attrs = {"num_heads": heads} | ({"qkv_hidden_sizes": [hidden, hidden, of_v]} if of_v != hidden else {})
    if d.chance():
        attrs["unidirectional"] = 1
    if d.chance(.3):
        attrs["scale"] = float(d.random.uniform(.1, 1))
    inputs = [d.array(F32, (batch, length, width)), d.array(F32, (width, columns)), d.array(F32, (columns,)),
              padding(d, batch, length, total) if d.chance() and not attrs.get("unidirectional") else None,
              None if past is None else d.array(F32, (2, batch, heads, past, size)),
              d.array(F32, (d.choose(1, batch), d.choose(1, heads), length, total)) if past is None and d.chance(.4) else None]
    return Case(op, inputs, attrs, 2 if past is not None else 1, tolerance=1e-4)


@ops("com.microsoft.QAttention")
def qattention(d, op):
    batch, length, width, heads, size = (d.integer(1, 4) for _ in range(5))
    past, columns = d.integer(0, 3) if d.chance(.4) else None, 3 * heads * size
    total, grain, of_weights = length + (past or 0), d.choose((), (1,), (columns,)), d.choose(np.int8, np.uint8)
    attrs = {"num_heads": heads}
    for name, value in (("unidirectional", 1), ("scale", float(d.random.uniform(.1, 1)))):
        if d.chance(.3):
            attrs[name] = value
    inputs = [d.array(np.uint8, (batch, length, width), 0, 255), d.array(of_weights, (width, columns), -128, 255),
              d.array(F32, (columns,)), np.asarray(d.random.uniform(.001, .02), F32),
              np.asarray(d.random.uniform(.001, .02, grain), F32),
              padding(d, batch, length, total) if d.chance() and not attrs.get("unidirectional") else None,
              d.array(np.uint8, (), 0, 255) if d.chance() else None,
              d.array(of_weights, grain, -128, 255) if d.chance() else None,
              None if past is None else d.array(F32, (2, batch, heads, past, size))]
    return Case(op, inputs, attrs, 2 if past is not None else 1, tolerance=1e-4)


@ops("com.microsoft.MultiHeadAttention")
def multi_head_attention(d, op):
    batch, queries, keys, heads, size, of_v = (d.integer(1, 4) for _ in range(6))
    form = d.choose("apart", "apart", "packed", "keys packed", "by heads", "shared")
    if form in ("packed", "shared"):
        keys = queries
    if "packed" in form or form == "by heads":
        of_v = size
    attrs, past, bias = {"num_heads": heads}, None, None
    if form == "apart":
        past = d.integer(0, 3) if d.chance(.4) and keys == queries else None
    if form == "shared":
        past = d.integer(0, 3)
    if past is not None:
        of_v = size
    if "packed" not in form and d.chance():
        bias = d.array(F32, (heads * (2 * size + of_v),))
    total = keys + (past or 0)
    if d.chance(.3):
        attrs["scale"] = float(d.random.uniform(.1, 1))
    if d.chance(.3) and keys == queries:
        attrs["unidirectional"] = 1
    q, k, v = {"apart": [(batch, queries, heads * size), (batch, keys, heads * size), (batch, keys, heads * of_v)],
               "packed": [(batch, queries, heads, 3, size), None, None],
               "keys packed": [(batch, queries, heads * size), (batch, keys, heads, 2, size), None],
               "by heads": [(batch, queries, heads * size)] + 2 * [(batch, heads, keys, size)],
               "shared": 3 * [(batch, keys, heads * size)]}[form]
    room = total + d.integer(0, 3) if form == "shared" else past
    shapes = [q, k, v, None, None, None] + ([(batch, heads, room, n) for n in (size, of_v)] if past is not None else [])
    inputs = [s and d.array(F32, s) for s in shapes] + ([Operand(past, np.int32)] if form == "shared" else [])
    inputs[3] = bias
    if d.chance(.4) and not attrs.get("unidirectional"):
        inputs[4] = padding(d, batch, queries, total)
    if d.chance(.4):
        inputs[5] = d.array(F32, (d.choose(1, batch), d.choose(1, heads), queries, total))
    if form == "shared" and queries == 1 and d.chance():  # ONNX Runtime takes one query of a beam, with plain masks
        inputs[4], beams = None, d.choose(*(n for n in range(1, batch + 1) if batch % n == 0))
        inputs.append(d.array(np.int32, (batch // beams, beams, room), 0, beams - 1))
        return Case(op, inputs, attrs, [0, 1, 2], tolerance=1e-4)
    outputs = [0] + ([1, 2] if past is not None else []) + ([3] if d.chance(.3) else [])
    return unpacked(Case(op, inputs, attrs, outputs, tolerance=1e-4, types={3: F32}))


def unpacked(case):
    """With a twin whose queries, keys and values stand apart, where ONNX Runtime has no kernel for packed ones."""
    at = next((i for i in (0, 1) if case.inputs[i].ndim == 5), None)
    if at is not None:
        parts = ["q", "k", "v"][at:]
        apart = ["x0"] * at + parts + [f"x{i}" if x is not None else "" for i, x in enumerate(case.inputs)][3:]
        outputs = [f"y{k}" if k in case.outputs else "" for k in range(max(case.outputs) + 1)]
        case.twin = [("Split", [f"x{at}"], [f"{p}5" for p in parts], {"axis": 3, "num_outputs": len(parts)}),
                     ("Constant", [], ["rows"], {"value_ints": [0, 0, -1]}),
                     *(("Reshape", [f"{p}5", "rows"], [p], {}) for p in parts), (case.op, apart, outputs, case.attrs)]
    return case


@ops("com.microsoft.GroupQueryAttention")
def group_query_attention(d, op):
    """A first step, where all samples have as many keys as queries, or a later one, of one query or of one sample: ONNX
    Runtime takes no others. Samples of unequal length have keys behind their end in the cache that are left open."""
    rotates = d.chance()
    of_keys, size = d.integer(1, 3), d.choose(16, 16, 32) if rotates else d.choose(8, 8, 32)
    heads, first = of_keys * d.integer(1, 3), d.chance(.4)
    batch = d.integer(1, 3)
    queries = d.integer(1, 5) if first or batch == 1 else 1
    past = np.zeros(batch, int) if first else d.array(np.int32, (batch,), 1, 6)
    capacity = 0 if first else int(past.max())
    total = int(past.max()) + queries
    attrs = {"num_heads": heads, "kv_num_heads": of_keys}
    packed = d.chance(.4)
    inputs = [d.array(F32, (batch, queries, (heads + 2 * of_keys if packed else heads) * size)),
              *(None if packed else d.array(F32, (batch, queries, of_keys * size)) for _ in range(2)),
              *(d.array(F32, (batch, of_keys, capacity, size)) for _ in range(2)),
              (past + queries - 1).astype(np.int32), np.array(d.choose([total], total), np.int32)] + 5 * [None]
    if rotates:
        attrs |= {"do_rotary": 1} | ({"rotary_interleaved": d.integer(0, 1)} if d.chance() else {})
        rows = total + d.integer(0, 3)
        inputs[7:9] = [d.array(F32, (rows, size // 2)) for _ in range(2)]
    for name, value in (("scale", float(d.random.uniform(.1, 1))), ("softcap", float(d.random.uniform(1, 9))),
                        ("local_window_size", d.integer(1, 4))):
        if d.chance(.3):
            attrs[name] = value
    if d.chance(.3):
        inputs[10] = d.array(F32, (d.choose(1, batch), d.choose(1, heads), queries, total))
    if d.chance(.3):
        inputs[11] = d.array(F32, (heads,))
    elif d.chance(.3):
        attrs["smooth_softmax"] = 1
    outputs = [0, 1, 2]
    if len(set(past)) == 1 and d.chance(.3):  # what stands behind the end of a shorter sample is left open
        attrs["qk_output"], outputs = d.choose(1, 2), [0, 1, 2, 3]
    elif d.chance(.4):
        outputs = outputs if sliding_cache(d, inputs, attrs, past + queries) else [0]
    types = {3: F32}
    slides = "sliding_window_cache" in attrs
    if d.chance(.4) and (size > 8 or not slides):
        bits = d.choose(4, 8) if size == 32 or not slides else 8
        quantised_cache(d, inputs, attrs, bits)
        types |= dict.fromkeys((1, 2), np.int8 if bits == 8 else np.uint8)
    while inputs[-1] is None:
        inputs.pop()
    case = Case(op, inputs, attrs, outputs, tolerance=1e-4, types=types)
    if outputs == [0]:  # ONNX Runtime writes what nobody looks at too
        names = ["" if x is None else f"x{i}" for i, x in enumerate(inputs)]
        case.twin = [(op, names, ["y0", "y1", "y2"], attrs)]
    return case


def sliding_cache(d, inputs, attrs, keys):
    """Whether it is full after so many keys of each sample; what stands behind them in another is left open."""
    window = d.integer(1, 6)
    room = window + d.choose(0, 0, 1, 2)
    attrs |= {"sliding_window_cache": 1, "local_window_size": window}
    for i in (3, 4):
        inputs[i] = d.array(F32, (*inputs[i].shape[:2], room, inputs[i].shape[3]))
    return np.all((keys >= room) & ((keys - room) % (room - window + 1) == 0))


def quantised_cache(d, inputs, attrs, bits):
    """Of 8 bits, or of 4 in bytes."""
    batch, heads, rows, size = inputs[3].shape
    kind = d.choose("PER_TENSOR", "PER_CHANNEL")
    shape = (1,) if kind == "PER_TENSOR" else (1, heads, 1, size)
    attrs |= {"k_quant_type": kind, "v_quant_type": kind, "kv_cache_bit_width": bits}
    inputs += [None] * (14 - len(inputs))
    for i in (3, 4):
        inputs[i] = d.array(np.int8, (batch, heads, rows, size), -128, 127) if bits == 8 else \
            d.array(np.uint8, (batch, heads, rows, size // 2), 0, 255)
        inputs[9 + i] = np.asarray(d.random.uniform(.01, .03, shape) * (16 if bits == 4 else 1), F32)
