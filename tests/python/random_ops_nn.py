"""Random nodes with windows, normalisations and recurrent layers, for test_ops_random.py."""
import numpy as np
from random_draw import Case, Operand
from random_ops import ops

F32 = np.float32


def windows(d, sizes, kernel):
    """Attributes that leave at least one position along each dim."""
    attrs, n = {}, len(sizes)
    if d.chance():
        attrs["strides"] = [d.integer(1, 3) for _ in range(n)]
    if d.chance(.4):
        attrs["auto_pad"] = d.choose("SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET")
    if attrs.get("auto_pad", "NOTSET") == "NOTSET" and d.chance():
        attrs["pads"] = [d.integer(0, min(2, k - 1)) for k in list(kernel) * 2]
    return attrs


def spatial(d, kernel, dilations):
    return tuple((k - 1) * e + 1 + d.integer(0, 5) for k, e in zip(kernel, dilations))


@ops("Conv", "ConvTranspose")
def conv(d, op):
    opset = d.opset(op)
    t = d.choose(F32, F32, np.float64) if op == "Conv" else F32
    rank, group = d.choose(1, 2, 2, 3), d.choose(1, 1, 2, 3)
    kernel = [d.integer(1, 3) for _ in range(rank)]
    dilations = [d.choose(1, 1, 2) for _ in range(rank)]
    c, o = group * d.integer(1, 3), group * d.integer(1, 3)
    x = d.array(t, (d.integer(0, 2), c) + spatial(d, kernel, dilations))
    attrs = windows(d, x.shape[2:], kernel)
    if dilations != [1] * rank:
        attrs["dilations"] = dilations
    if attrs.get("auto_pad", "").startswith("SAME"):
        attrs.pop("dilations", None)
    if group > 1:
        attrs["group"] = group
    if d.chance():
        attrs["kernel_shape"] = kernel
    if op == "ConvTranspose" and attrs.get("auto_pad", "").startswith("SAME"):  # else pads would be negative: open
        attrs["strides"] = [min(s, k) for s, k in zip(attrs.get("strides", [1] * rank), kernel)]
    if op == "ConvTranspose" and d.chance(.3) and "strides" in attrs:
        attrs["output_padding"] = [d.integer(0, s - 1) for s in attrs["strides"]]
    w = d.array(t, ((o, c // group) if op == "Conv" else (c, o // group)) + tuple(kernel))
    return Case(op, [x, w] + ([d.array(t, (o,))] if d.chance() else []), attrs, opset=opset)


@ops("com.microsoft.FusedConv")
def fused_conv(d, op):
    rank, group = d.choose(1, 2, 2, 3), d.choose(1, 1, 2)
    kernel, dilations = [d.integer(1, 3) for _ in range(rank)], [d.choose(1, 1, 2) for _ in range(rank)]
    c, o = group * d.integer(1, 3), group * d.integer(1, 3)
    x = d.array(F32, (d.integer(1, 2), c) + spatial(d, kernel, dilations))
    strides = [d.integer(1, 2) for _ in range(rank)]
    pads = [d.integer(0, k - 1) for k in kernel * 2]
    attrs = {"kernel_shape": kernel, "group": group, "strides": strides, "pads": pads, "dilations": dilations}
    attrs |= d.choose({}, {"activation": "Relu"}, {"activation": "Sigmoid"}, {"activation": "Tanh"},
                      {"activation": "LeakyRelu", "activation_params": [.25]},
                      {"activation": "Clip", "activation_params": [-1., 1.5]},
                      {"activation": "HardSigmoid", "activation_params": [.25, .5]})
    z = [(n + a + b - e * (k - 1) - 1) // s + 1 for n, a, b, e, k, s in
         zip(x.shape[2:], pads, pads[rank:], dilations, kernel, strides)]
    return Case(op, [x, d.array(F32, (o, c // group, *kernel)), d.array(F32, (o,)) if d.chance() else None,
                     d.array(F32, (len(x), o, *z)) if d.chance(.4) else None], attrs)


@ops("MaxPool", "AveragePool", "LpPool")
def pool(d, op):
    opset = d.opset(op, 2)
    rank = d.choose(1, 2, 2, 3)
    kernel = [d.integer(1, 3) for _ in range(rank)]
    dilated = opset >= {"MaxPool": 10, "AveragePool": 19, "LpPool": 18}[op]
    dilations = [d.choose(1, 1, 2) if dilated else 1 for _ in range(rank)]
    shape = (d.integer(0 if op != "LpPool" else 1, 2), d.integer(1, 3)) + spatial(d, kernel, dilations)
    t = F32 if op == "LpPool" else d.choose(F32, F32, np.float64)
    if op == "MaxPool" and opset >= 12:
        t = d.choose(t, t, np.int8, np.uint8)
    attrs = windows(d, shape[2:], kernel) | {"kernel_shape": kernel}
    if dilations != [1] * rank and not attrs.get("auto_pad", "").startswith("SAME"):
        attrs["dilations"] = dilations
    if opset >= {"MaxPool": 10, "AveragePool": 10, "LpPool": 18}[op] and d.chance(.4) and "auto_pad" not in attrs:
        attrs["ceil_mode"] = d.integer(0, 1)
    if op == "AveragePool" and opset >= 7 and d.chance():
        attrs["count_include_pad"] = d.integer(0, 1)
    if op == "LpPool" and d.chance():
        attrs["p"] = d.integer(1, 3)
    outputs = 1
    if op == "MaxPool" and opset >= 8 and d.chance():
        outputs = 2
        if d.chance():
            attrs["storage_order"] = d.integer(0, 1)
    return Case(op, [d.array(t, shape)], attrs, outputs, opset, unreliable=True)


@ops("com.microsoft.NhwcMaxPool")
def nhwc_max_pool(d, op):
    kernel = [d.integer(1, 3) for _ in range(d.choose(1, 2, 2, 3))]
    dilations = [d.choose(1, 1, 2) for _ in kernel]
    sizes = spatial(d, kernel, dilations)
    attrs = windows(d, sizes, kernel) | {"kernel_shape": kernel}
    if dilations != [1] * len(kernel) and not attrs.get("auto_pad", "").startswith("SAME"):
        attrs["dilations"] = dilations
    x = d.array(d.choose(np.int8, np.uint8), (d.integer(1, 2), *sizes, d.integer(1, 3)))
    return Case(op, [x], attrs, opset=18)


@ops("GlobalMaxPool", "GlobalAveragePool", "GlobalLpPool")
def global_pool(d, op):
    opset = d.opset(op)
    attrs = {}
    if op == "GlobalLpPool" and d.chance():
        attrs["p"] = d.integer(1, 3) if opset > 1 else d.choose(1., 1.5, 2.)
    x = d.array(d.choose(F32, np.float64) if op == "GlobalLpPool" else F32, d.shape((3, 5), 1))
    case = Case(op, [x], attrs, opset=opset)
    if op == "GlobalLpPool":
        p = attrs.get("p", 2)
        powers = np.abs(x.astype(np.float64)) ** p
        case.wants = [(powers.sum(tuple(range(2, x.ndim)), keepdims=True) ** (1 / p)).astype(x.dtype)]
    return case


def vectors(d, t, n, count):
    return [d.array(t, (n,)) for _ in range(count)]


@ops("BatchNormalization")
def batch_norm(d, op):
    opset = d.opset(op, 7)
    x = d.array(F32, d.shape((2, 4), 1))
    scale, bias, mean = vectors(d, F32, x.shape[1], 3)
    attrs = {"epsilon": float(F32(d.random.uniform(1e-5, .1)))} if d.chance() else {}
    return Case(op, [x, scale, bias, mean, d.array(F32, mean.shape, .1, 2)], attrs, opset=opset)


@ops("LayerNormalization", "RMSNormalization")
def layer_norm(d, op):
    x = d.array(d.choose(F32, F32, np.float64, np.float16), d.shape((1, 4), 1))
    axis = d.axis(x.ndim)
    scale = x.shape[axis:]
    attrs = {"axis": axis} if axis != -1 or d.chance() else {}
    attrs |= {"epsilon": float(F32(d.random.uniform(1e-5, .1)))} if d.chance() else {}
    more = [d.array(x.dtype, scale)] if op[0] == "L" and d.chance() else []
    outputs = d.choose(1, 1, 3) if op[0] == "L" else 1
    return Case(op, [x, d.array(x.dtype, scale)] + more, attrs, outputs, 17 if op[0] == "L" else 23, tolerance=1e-3)


@ops("InstanceNormalization", "GroupNormalization")
def channel_norm(d, op):
    opset = d.opset(op, 6)
    groups = d.integer(1, 3)
    c = groups * d.integer(1, 3)
    x = d.array(F32, (d.dim(1), c) + d.shape((1, 3), 2))
    attrs = {"epsilon": float(F32(d.random.uniform(1e-3, .1)))} if d.chance() else {}
    n = c
    if op == "GroupNormalization":
        attrs["num_groups"] = groups
        n = groups if opset < 21 else c
    return Case(op, [x] + vectors(d, F32, n, 2), attrs, opset=opset, tolerance=1e-3)


@ops("LRN")
def lrn(d, op):
    attrs = {"size": d.choose(1, 3, 5)}
    attrs |= {n: float(F32(d.random.uniform(.1, 2))) for n in ("alpha", "beta", "bias") if d.chance()}
    return Case(op, [d.array(F32, d.shape((4, 4), 1))], attrs, opset=d.opset(op))


@ops("LSTM", "GRU", "RNN")
def recurrent(d, op):
    opset = d.opset(op, 7)
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[op]
    length, batch, size, hidden = (d.integer(1, n) for n in (5, 3, 4, 4))
    direction = d.choose("forward", "reverse", "bidirectional")
    dirs = 2 if direction == "bidirectional" else 1
    attrs = {"hidden_size": hidden, "direction": direction}
    state = (dirs, batch, hidden)

    def maybe(shape, p=.5):
        return d.array(F32, shape) if d.chance(p) else None
    inputs = [d.array(F32, (length, batch, size)), d.array(F32, (dirs, gates * hidden, size)),
              d.array(F32, (dirs, gates * hidden, hidden)), maybe((dirs, 2 * gates * hidden)),
              d.array(np.int32, (batch,), 1, length) if d.chance(.4) else None, maybe(state)]
    if op == "LSTM":
        inputs += [maybe(state), maybe((dirs, 3 * hidden), .3)]
        if d.chance(.2):
            attrs["input_forget"] = 1
    if op == "GRU" and d.chance():
        attrs["linear_before_reset"] = d.integer(0, 1)
    if d.chance(.3):
        attrs["clip"] = float(F32(d.random.uniform(.5, 3)))
    if d.chance(.3):
        functions = "Sigmoid", "Tanh", "Relu", "HardSigmoid", "Softsign"
        attrs["activations"] = [d.choose(*functions) for _ in range(dirs * {"LSTM": 3, "GRU": 2, "RNN": 1}[op])]
    most = 3 if op == "LSTM" else 2
    outputs = d.choose(most, most, 1, [1], [0, most - 1])
    case = Case(op, inputs, attrs, outputs, opset, tolerance=1e-4)
    return batch_first(case) if opset >= 14 and d.chance(.3) else case


def batch_first(case):
    """The same in layout 1. ONNX Runtime does not have that, so it is asked in layout 0 between transposes."""
    places = {0: [1, 0, 2], 5: [1, 0, 2], 6: [1, 0, 2]}
    given = [i for i, x in enumerate(case.inputs) if x is not None]
    names = [f"x{i}" if i in given else "" for i in range(len(case.inputs))]
    wanted = list(range(case.outputs)) if isinstance(case.outputs, int) else case.outputs
    turned = {i: p for i, p in places.items() if i in given}
    case.twin = [("Transpose", [f"x{i}"], [f"turned{i}"], {"perm": p}) for i, p in turned.items()]
    case.twin.append((case.op, [f"turned{i}" if i in turned else n for i, n in enumerate(names)],
                      [f"result{k}" if k in wanted else "" for k in range(max(wanted) + 1)], dict(case.attrs)))
    case.twin += [("Transpose", [f"result{k}"], [f"y{k}"], {"perm": [2, 0, 1, 3] if k == 0 else [1, 0, 2]}) for k in wanted]
    for i in turned:
        case.inputs[i] = np.ascontiguousarray(case.inputs[i].transpose(1, 0, 2))
    case.attrs["layout"] = 1
    case.unreliable = True  # the reference knows one direction and the default activations
    return case


@ops("MaxUnpool")
def max_unpool(d, op):
    n, c, h, w = d.dim(1), d.dim(1), d.integer(1, 3), d.integer(1, 3)
    at = d.array(np.int64, (n, c, h, w), 0, 4 * h * w - 1)
    x = d.array(F32, at.shape)
    attrs = {"kernel_shape": [2, 2], "strides": [2, 2]}
    if d.chance(.3):
        attrs["pads"] = [0, 0, 0, 0]
    more = [Operand([n, c, 2 * h + d.integer(0, 1), 2 * w])] if d.chance() else []
    return Case(op, [x, at] + more, attrs, opset=d.opset(op), reference=True)
