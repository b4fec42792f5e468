"""Random nodes that resample and transform images and signals, for test_ops_random.py."""
import numpy as np
from onnx import helper
from random_draw import Case, Operand, kind
from random_ops import ops

F32 = np.float32
NATIVE = "float32", "int32", "int8", "uint8"  # what ONNX Runtime resizes


def through_f32(case, name, twin_attrs):
    """Asks about the same node with float32 between casts; nearest elements pass that unchanged."""
    x = case.inputs[0]
    names = ["f"] + [f"x{i}" if v is not None else "" for i, v in enumerate(case.inputs)][1:]
    case.twin = [("Cast", ["x0"], ["f"], {"to": 1}), (name, names, ["g"], twin_attrs),
                 ("Cast", ["g"], ["y0"], {"to": helper.np_dtype_to_tensor_dtype(x.dtype)})]
    case.inputs[0] = x.astype(F32).astype(x.dtype)


def resize_attrs(d, opset, mode, by_sizes):
    if opset < 11:
        return {}
    attrs = {}
    spaces = ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"]
    spaces += ["tf_half_pixel_for_nn"] if mode == "nearest" and opset < 13 else []
    spaces += ["half_pixel_symmetric"] if opset >= 19 else []
    spaces += ["tf_crop_and_resize"] if by_sizes else []
    if d.chance(.8):
        attrs["coordinate_transformation_mode"] = d.choose(*spaces)
    if mode == "nearest" and d.chance():
        attrs["nearest_mode"] = d.choose("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
    if mode == "cubic" and d.chance():
        attrs["cubic_coeff_a"] = d.choose(-.5, -.75)
    if mode == "cubic" and d.chance(.3):
        attrs["exclude_outside"] = 1
    if mode != "nearest" and opset >= 18 and d.chance(.3):
        attrs["antialias"] = 1
    return attrs


@ops("Resize")
def resize(d, op):
    opset = d.opset(op, 10)
    mode = d.choose("nearest", "linear") if opset < 11 else d.choose("nearest", "linear", "cubic")
    t = d.type_of(op, opset, only=None if mode == "nearest" else "f" if opset < 11 else "fiu")
    t = F32 if opset < 11 and mode == "linear" else t
    shape = d.shape((1, 4), 1) if d.chance(.3) else (d.integer(1, 2), d.integer(1, 3), d.dim(1), d.dim(1))
    by_sizes = opset >= 11 and d.chance()
    attrs = resize_attrs(d, opset, mode, by_sizes)
    space = attrs.get("coordinate_transformation_mode", "half_pixel" if opset >= 11 else "asymmetric")
    axes = list(range(len(shape)))
    if opset >= 18 and d.chance(.4):
        axes = d.axes(len(shape), d.integer(1, len(shape)))
        attrs["axes"] = axes
    # Of integers, halves are rounded: only weights that floats hold exactly.
    exact = mode != "nearest" and kind(t) != "f"
    choices = (.25, .5, 1., 2., 4.) if exact else (.4, .5, .75, 1., 1., 1.3, 1.5, 2, 2.5, 3)
    scales = [1. if len(axes) == len(shape) > 2 and i < 2 else d.choose(*choices) for i in range(len(axes))]
    if exact and space not in ("half_pixel", "asymmetric"):
        attrs.pop("coordinate_transformation_mode", None)
        space = "half_pixel"
    if exact:
        scales = [s if (s * shape[a]).is_integer() else 1. for s, a in zip(scales, axes)]
    sizes = [max(1, int(s * shape[a])) for s, a in zip(scales, axes)]
    if opset < 11 and sizes == list(shape):  # ONNX Runtime then copies, whatever the fractions
        scales = [1.] * len(shape)
    inputs = [d.array(t, shape), Operand(scales, F32)]
    if opset >= 11:
        roi = None if opset >= 13 else Operand([], F32)
        if space == "tf_crop_and_resize":
            crops = [size != shape[a] for size, a in zip(sizes, axes)]  # where no size changes, others do not crop
            roi = Operand([c and d.choose(0, .25, -.2) for c in crops] + [d.choose(1, .75, 1.2) if c else 1 for c in crops],
                          F32)
            if d.chance():
                attrs["extrapolation_value"] = 3.
        none = None if opset >= 13 else Operand([], F32)
        inputs = [inputs[0], roi] + ([none, Operand(sizes)] if by_sizes else [inputs[1]])
        if by_sizes and opset >= 18 and d.chance(.3) and not exact and space[0] != "t":
            attrs["keep_aspect_ratio_policy"] = d.choose("not_larger", "not_smaller", "stretch")
    case = Case(op, inputs, attrs | ({"mode": mode} if mode != "nearest" or d.chance() else {}), opset=opset)
    case.tolerance = 2e-5
    positive = dict(case.attrs, axes=[a % len(shape) for a in axes]) if "axes" in attrs else case.attrs
    if mode == "nearest" and np.dtype(t).name not in NATIVE:
        through_f32(case, op, positive)
    elif "axes" in attrs:  # negative ones are an error or ignored elsewhere
        names = [f"x{i}" if x is not None else "" for i, x in enumerate(case.inputs)]
        case.twin = [(op, names, ["y0"], positive)]
    # ONNX Runtime takes the whole size for align_corners, and drops the fraction of integers.
    case.reference = "antialias" in attrs or exact or (space == "align_corners" and not by_sizes)
    return case


@ops("Upsample")
def upsample(d, op):
    opset = d.choose(7, 8, 9, 10)
    mode = d.choose("nearest", "linear")
    t = d.type_of(op, opset) if mode == "nearest" else F32
    shape = (d.integer(1, 2), d.integer(1, 3), d.dim(1), d.dim(1))
    scales = [1., 1.] + [d.choose(1., 2., 3., 1.5, 2.5) for _ in range(2)]
    attrs = {"mode": mode} if mode != "nearest" or d.chance() else {}
    if opset < 9:
        case = Case(op, [d.array(t, shape)], attrs | {"scales": scales}, opset=opset)
    else:
        case = Case(op, [d.array(t, shape), Operand(scales, F32)], attrs, opset=opset, ask=9)
    if np.dtype(t).name not in NATIVE:
        case.inputs[0] = d.array(t, shape) if t == object else d.array(np.int32, shape).astype(t)
        case.wants = [nearest_up(case.inputs[0], scales)]
    return case


def nearest_up(x, scales):
    for axis, scale in enumerate(scales):
        x = x.take((np.arange(int(x.shape[axis] * scale)) / scale).astype(int), axis)
    return x


def in_unit(d, shape, reach=1.2):
    return d.array(F32, shape, -reach, reach)


@ops("GridSample")
def grid_sample(d, op):
    opset = d.opset(op)
    spatial = d.choose(2, 2, 3) if opset >= 20 else 2
    names = ("linear", "nearest", "cubic") if opset >= 20 else ("bilinear", "nearest", "bicubic")
    attrs = {"mode": d.choose(*names[:2 if spatial == 3 else 3]), "align_corners": d.integer(0, 1),
             "padding_mode": d.choose("zeros", "border", "reflection")}
    n, c = d.dim(), d.dim()
    sizes = [d.dim(1) for _ in range(spatial)]
    x = d.array(F32, (n, c, *sizes))
    # Halves are rounded: coordinates that are not near them.
    grid = np.asarray(np.round(in_unit(d, (n, *(d.dim() for _ in range(spatial)), spatial)) * 16) / 16 + .013, F32)
    if opset == 16 and attrs["mode"] == "bicubic":  # the onnx package knows the names since 20, ONNX Runtime differs
        attrs["padding_mode"] = d.choose("zeros", "reflection")
    return Case(op, [x, grid], attrs, opset=opset, tolerance=1e-4, reference=attrs["mode"].endswith("cubic"))


@ops("AffineGrid")
def affine_grid(d, op):
    spatial = d.choose(2, 3)
    n = d.dim(1)
    size = [n, d.dim(1), *(d.integer(2, 5) for _ in range(spatial))]
    theta = d.array(d.choose(F32, np.float64), (n, spatial, spatial + 1))
    return Case(op, [theta, Operand(size)], {"align_corners": d.integer(0, 1)}, opset=20, tolerance=1e-4)


def regions(d, count, size):
    corner = d.array(F32, (count, 2), 0, size)
    return np.concatenate([corner, corner + d.array(F32, (count, 2), .5, size)], 1).astype(F32)


@ops("RoiAlign")
def roi_align(d, op):
    opset = d.opset(op)
    n, count = d.integer(1, 3), d.dim()
    x = d.array(F32, (n, d.dim(1), d.integer(2, 9), d.integer(2, 9)))
    attrs = {"mode": "avg", "output_height": d.integer(1, 4), "output_width": d.integer(1, 4),
             "sampling_ratio": d.integer(0, 3), "spatial_scale": d.choose(1., .5)}
    if opset >= 16 and d.chance():
        attrs["coordinate_transformation_mode"] = d.choose("half_pixel", "output_half_pixel")
    return Case(op, [x, regions(d, count, 8), d.array(np.int64, (count,), 0, n - 1)], attrs, opset=opset, tolerance=1e-4)


@ops("MaxRoiPool")
def max_roi_pool(d, op):
    n, count = d.integer(1, 3), d.dim()
    x = d.array(F32, (n, d.dim(1), d.integer(2, 9), d.integer(2, 9)))
    rois = np.concatenate([d.array(np.int64, (count, 1), 0, n - 1), np.round(regions(d, count, 8))], 1).astype(F32)
    return Case(op, [x, rois], {"pooled_shape": [d.integer(1, 3), d.integer(1, 3)]}, opset=d.choose(7, 16, 22), ask=16)


@ops("Col2Im")
def col2im(d, op):
    spatial = d.integer(1, 3)
    block = [d.integer(1, 3) for _ in range(spatial)]
    strides, dilations = ([d.integer(1, 2) for _ in block] for _ in range(2))
    pads = [d.integer(0, 1) for _ in range(2 * spatial)]
    reach = [(k - 1) * g + 1 for k, g in zip(block, dilations)]
    image = [max(d.integer(2, 6), r) for r in reach]
    places = [(i + pads[k] + pads[k + spatial] - r) // s + 1 for k, (i, r, s) in enumerate(zip(image, reach, strides))]
    channels = d.dim(1)
    x = d.array(F32, (d.dim(1), channels * int(np.prod(block)), int(np.prod(places))))
    return Case(op, [x, Operand(image), Operand(block)], {"strides": strides, "dilations": dilations, "pads": pads},
                opset=18, tolerance=1e-5, reference=True)


@ops("DeformConv")
def deform_conv(d, op):
    kernel = [d.integer(1, 3), d.integer(1, 3)]
    group, per = d.integer(1, 2), d.integer(1, 2)
    offset_group = d.choose(1, group)
    n, h, w = d.integer(1, 2), d.integer(3, 6), d.integer(3, 6)
    out = h - kernel[0] + 1, w - kernel[1] + 1
    taps = kernel[0] * kernel[1]
    x = d.array(F32, (n, group * per, h, w))
    offset = np.asarray(d.array(F32, (n, offset_group * taps * 2, *out), -1, 1) + .013, F32)
    inputs = [x, d.array(F32, (2 * group, per, *kernel)), offset]
    if d.chance():
        inputs += [d.array(F32, (2 * group,)) if d.chance() else None]
        inputs += [d.array(F32, (n, offset_group * taps, *out), 0, 1)] if d.chance() else []
    if inputs[-1] is None:
        inputs.pop()
    attrs = {"group": group, "offset_group": offset_group, "kernel_shape": kernel, "pads": [0, 0, 0, 0]}
    return Case(op, inputs, attrs, opset=d.opset(op), tolerance=1e-4, reference=True)


@ops("MelWeightMatrix")
def mel_weight_matrix(d, op):
    low = float(d.integer(0, 500))
    inputs = [Operand(d.integer(1, 12)), Operand(d.choose(16, 64, 256)), Operand(d.choose(8000, 16000)),
              Operand(low, F32), Operand(low + d.integer(500, 3000), F32)]
    return Case(op, inputs, {} if d.chance() else {"output_datatype": d.choose(1, 11)}, opset=17, tolerance=1e-4)


def complex_of(x):
    """The complex numbers in the last dim, in double."""
    x = x.astype(np.float64)
    return x[..., 0] + 1j * (x[..., 1] if x.shape[-1] == 2 else 0)


def parts_of(x, dtype):
    return np.stack([x.real, x.imag], -1).astype(dtype)


@ops("DFT")
def dft(d, op):
    opset = d.opset(op)
    t = d.choose(F32, np.float64) if d.chance(.7) else d.type_of(op, opset)
    shape = list(d.shape((1, 4), 1)) + [d.integer(1, 2)]
    axis = d.integer(-len(shape), len(shape) - 2)
    axis = len(shape) - 2 if axis == -1 else axis
    if d.chance(.5):  # lengths of all kinds: powers, primes small and large, products
        shape[axis] = d.choose(16, 30, 31, 37, 49, 64, 74, 97, 120, 121, 128, 251)
    inverse, onesided = d.integer(0, 1), d.integer(0, 1)
    attrs = {name: value for name, value in (("inverse", inverse), ("onesided", onesided)) if value or d.chance()}
    x, n = d.array(t, shape), d.integer(1, 40) if d.chance(.3) else None
    if n is None and inverse and onesided and shape[axis] == 1:
        n = 2
    inputs = [x, None if n is None else Operand(n, d.choose(np.int32, np.int64))]
    if opset < 20:
        attrs["axis"] = axis
    elif axis != -2 or d.chance():
        inputs.append(Operand(axis))
    along = axis % len(shape)
    if inverse and onesided:
        want = np.fft.irfft(complex_of(x), n, along)[..., None].astype(t)
    else:
        y = (np.fft.ifft if inverse else np.fft.fft)(complex_of(x), n, along)
        want = parts_of(y.take(range(y.shape[along] // 2 + 1), along) if onesided else y, t)
    return Case(op, inputs, attrs, opset=opset, wants=[want])


@ops("STFT")
def stft(d, op):
    opset = d.choose(17, 26)
    t = d.choose(F32, np.float64) if d.chance(.7) else d.type_of(op, opset)
    n, step = d.choose(1, 2, 5, 8, 12, 16, 37), d.integer(1, 9)
    x = d.array(t, (d.dim(1), n + d.integer(0, 40), d.integer(1, 2)))
    x = x[..., 0] if x.shape[-1] == 1 and d.chance(.3) else x
    window = d.array(t, (n,)) if d.chance(.7) else None
    length = Operand(n, np.int64) if window is None or d.chance() else None
    onesided = d.integer(0, 1)
    frames = (x.shape[1] - n) // step + 1
    signal = complex_of(x if x.ndim == 3 else x[..., None])
    cut = np.stack([signal[:, i * step:i * step + n] for i in range(frames)], 1)
    y = np.fft.fft(cut * (1 if window is None else window.astype(np.float64)))
    want = parts_of(y[..., :n // 2 + 1] if onesided else y, t)
    inputs = [x, Operand(step), window, length]
    while inputs[-1] is None:
        inputs.pop()
    return Case(op, inputs, {"onesided": onesided} if not onesided or d.chance() else {}, opset=opset, wants=[want])


@ops("Det", "com.microsoft.Inverse")
def square_matrices(d, op):
    n = d.integer(1, 5)
    shape = (*(d.dim() for _ in range(d.integer(0, 2))), n, n)
    t = d.choose(F32, np.float64) if op == "Det" else F32
    x = np.asarray(d.array(t, shape, -1, 1) + 3 * np.eye(n), t)  # not near a singular one
    return Case(op, [x], opset=d.opset(op), tolerance=1e-4)


@ops("com.microsoft.GridSample")
def microsoft_grid_sample(d, op):
    attrs = {"mode": d.choose("bilinear", "nearest", "bicubic"), "align_corners": d.integer(0, 1),
             "padding_mode": d.choose("zeros", "border", "reflection")}
    n = d.integer(1, 3)
    x = d.array(F32, (n, d.dim(1), d.dim(1), d.dim(1)))
    grid = np.asarray(np.round(in_unit(d, (n, d.dim(1), d.dim(1), 2)) * 16) / 16 + .013, F32)
    return Case(op, [x, grid], attrs, opset=18, tolerance=1e-4)


@ops("com.microsoft.CropAndResize")
def crop_and_resize(d, op):
    n, count = d.integer(1, 3), d.dim(1)
    x = d.array(F32, (n, d.dim(1), d.integer(2, 9), d.integer(2, 9)))
    corner = d.array(F32, (count, 2), 0, .6)
    rois = np.concatenate([corner, corner + d.array(F32, (count, 2), .1, .6)], 1).astype(F32)
    attrs = {"mode": "bilinear", "extrapolation_value": d.choose(0., 2.)}
    return Case(op, [x, rois, d.array(np.int32, (count,), 0, n - 1), Operand([d.integer(1, 4), d.integer(1, 4)], np.int32)],
                attrs, opset=18, tolerance=1e-4)
