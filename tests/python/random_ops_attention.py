"""Random nodes of attention, rotary embeddings, linear attention and losses, for test_ops_random.py."""
import ml_dtypes
import numpy as np
from onnx import helper, numpy_helper
from random_draw import Case
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
