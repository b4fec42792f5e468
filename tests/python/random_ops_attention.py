"""Random nodes of attention, rotary embeddings, linear attention and losses, for test_ops_random.py."""
import ml_dtypes
import numpy as np
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


def cached(d, shape, t):
    return d.array(t, shape[:2] + (d.integer(0, 3),) + shape[3:])


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
