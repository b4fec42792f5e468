"""Cast, CastLike and BitCast between all pairs of element types, against NumPy, ml_dtypes and the onnx package."""
import ml_dtypes
import numpy as np
import pytest
from onnx import helper
from onnx.numpy_helper import saturate_cast, to_float8e8m0
from ops import Batch, Const, element_type, fails

import noria

F32 = np.float32
NAMES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
         "float64", "bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "int4", "uint4",
         "int2", "uint2", "float4_e2m1fn", "float8_e8m0fnu", "float6_e2m3fn", "float6_e3m2fn"]
TYPES = {name: np.dtype(getattr(ml_dtypes, name, None) or name) for name in NAMES}
SMALL = {"int4": (-8, 8), "uint4": (0, 16), "int2": (-2, 2), "uint2": (0, 4)}
SATURATING = [name for name in NAMES if name.startswith("float8") and name != "float8_e8m0fnu"]
WHOLE = [0, -0., 1, -1, .5, 1.5, 2.5, -2.5, 3, 6, 7, 100.7, -100.7]
FRACTIONS = WHOLE + [300, -300, 1e3, 449, 465, 1e5, 6e4, 1e-3, 1e-8, 3e9, 1e20, np.inf, -np.inf, np.nan]


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


def is_float(name):
    return "float" in name


def samples(source, target):
    """Values of the source type whose conversion ONNX defines."""
    if source == "bool":
        return np.array([0, 1, 1, 0], bool)
    if source in SMALL:
        return np.arange(*SMALL[source]).astype(TYPES[source])
    if not is_float(source):
        info = np.iinfo(source)
        return np.array([info.min, info.max, 0, 1, 2, 100, 77] + ([-1, -100] if info.min else []), source)
    to_int = not is_float(target) and target != "bool"
    values = [0, 1, .5, -1, 3, -2.7, 1.9] if target in SMALL else WHOLE if to_int else FRACTIONS
    if source == "float8_e8m0fnu" and to_int:
        values = [1, 2, 4, .5]
    x = np.array(values, F32)
    if source.startswith(("float4", "float6")):
        x = x[~np.isnan(x)]
    return x.astype(TYPES[source])


def converted(x, source, target):
    to = TYPES[target]
    if target == "bool":
        return (x.astype(np.float64) if is_float(source) else x).astype(bool)
    if target == "float8_e8m0fnu":
        return to_float8e8m0(x)
    if target in SATURATING:
        return saturate_cast(x if source == "float64" else x.astype(F32), to)
    if source in SMALL or (target in SMALL and not is_float(source)):
        return x.astype(np.int64).astype(to)
    if source == "bfloat16" or source.startswith(("float8", "float6", "float4")):
        return x.astype(F32).astype(to)
    return x.astype(to)


def add(batch, op, x, want, **attrs):
    batch.add(op, [x], want, to=element_type(want), **attrs)


@pytest.mark.parametrize("source", NAMES)
def test_all_pairs(source):
    batch = Batch(25, 0, 0)
    for target in NAMES:
        if target != source:
            x = samples(source, target)
            add(batch, "Cast", x, converted(x, source, target))
    batch.check(symbolic=[source == "float32"])


def test_float8_modes():
    batch = Batch(25, 0, 0)
    for source in "float32", "float64", "float16":
        x = samples(source, "float32")
        for target in SATURATING:
            add(batch, "Cast", x, x.astype(TYPES[target]), saturate=0)
        for mode in "up", "down", "nearest":
            for saturate in 0, 1:
                want = to_float8e8m0(x, bool(saturate), mode)
                add(batch, "Cast", x, want, saturate=saturate, round_mode=mode)
    batch.check(symbolic=[False])


def test_every_value_of_the_small_floats():
    batch = Batch(25, 0, 0)
    for name, bits in [("float16", 16), ("bfloat16", 16)] + [(n, 8) for n in NAMES if n.startswith("float8")]:
        x = np.arange(1 << bits, dtype=f"u{bits // 8}").view(TYPES[name])
        for target in "float32", "float16", "bfloat16":
            if target != name:
                add(batch, "Cast", x, x.astype(F32).astype(TYPES[target]))
    batch.check(symbolic=[False])


def test_rounding_to_small_floats():
    batch = Batch(25, 0, 0)
    x = np.random.default_rng(3).standard_normal(3000) * 100
    for name in ["float16", "bfloat16", "float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn"] + SATURATING:
        for source in x.astype(F32), x:
            want = saturate_cast(source, TYPES[name]) if name in SATURATING else source.astype(TYPES[name])
            add(batch, "Cast", source, want)
    batch.check(symbolic=[False])


def test_strings_to_small_floats():
    """As floats of 32 bits would be, also NaN in types that have none."""
    batch = Batch(25, 0, 0)
    text = np.array(["nan", "1.5", "-0.3", "inf", "-inf", "-28", "0.0626", "3.25"], object)
    for name in "float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn":
        add(batch, "Cast", text, text.astype(F32).astype(TYPES[name]))
    batch.check(symbolic=[False])


def test_floats_that_do_not_fit_come_out_as_in_numpy():
    batch = Batch(13, 0, 0)
    x = [np.nan, np.inf, -np.inf, -1.5, 3e9, -3e9, 1e20, 300, -300, 2. ** 63, -5e18, 2 ** 31, -2 ** 31]
    x = np.array(x, F32)
    for name in "int8", "int32", "int64":
        add(batch, "Cast", x, x.astype(name))
    batch.check(symbolic=[False])


def test_first_versions():
    x, want = np.array([1.5, -2.5], F32), np.array([1, -2])
    for opset, to in (1, "INT64"), (6, 7):
        batch = Batch(opset)
        batch.add("Cast", [x], want, to=to)
        batch.check()


def test_cast_like_and_bitcast():
    batch = Batch(26)
    x = np.array([1.5, -2.5, 3], F32)
    batch.add("CastLike", [x, np.array([1], np.int32)], x.astype(np.int32))
    bools = np.array([0, 1, 1], bool)
    for want in x.view(np.int32), x.view(np.uint32):
        add(batch, "BitCast", x, want)
    small = bools.view(np.int8)
    for source, target in (bools, np.uint8), (small, bool), (small, ml_dtypes.float8_e4m3fn):
        add(batch, "BitCast", source, source.view(target))
    batch.check()


def test_strings():
    batch = Batch(19)
    numbers = np.array([["1.5", "-2", "1e5"], ["+INF", "nan", "-inf"]], object)
    add(batch, "Cast", numbers, np.array([[1.5, -2, 1e5], [np.inf, np.nan, -np.inf]], F32))
    add(batch, "Cast", np.array(["7", "-9"], object), np.array([7, -9]))
    batch.check()
    batch = Batch(19)
    batch.add("Cast", [np.array([1.5, -2, np.nan, np.inf], F32)], np.array(["1.5", "-2", "NaN", "INF"], object), to=8)
    batch.add("Cast", [np.int64(-7)], np.array("-7", object), to=8)
    batch.check()
    words = np.array(["one", "two", ""], object)
    batch = Batch(19)
    batch.add("Equal", [words[:, None], words], np.equal(words[:, None], words).astype(bool))
    batch.add("Where", [words == "two", words, np.array(["else"], object)], np.array(["else", "two", "else"], object))
    batch.check()
    assert "the_node" in fails("Cast", [np.array(["seven"], object)], 19, to=1)


def bytes_of(x):
    """The byte of each element, as C sees it: int8_t for signed types, else uint8_t."""
    return x.astype(np.int8) if x.dtype.name.startswith("int") else x.astype(np.uint8) if "uint" in x.dtype.name \
        else x.view(np.uint8)


@pytest.mark.parametrize("stage", [None, "tensor", "cf"])
def test_bytes_of_small_types(stage):
    """Types below 8 bits cross a session's boundary both ways, also inside a sequence, each in a whole byte."""
    options = noria.SessionOptions()
    if stage:
        options.interpret_after = stage
    every = {name: np.arange(*limits).astype(TYPES[name]) for name, limits in SMALL.items()}
    for name, count in ("float4_e2m1fn", 16), ("float6_e2m3fn", 64), ("float6_e3m2fn", 64):
        every[name] = np.arange(count, dtype=np.uint8).view(TYPES[name])
    for source, x in every.items():
        batch = Batch(25)
        for target in every:
            float_to_int = is_float(source) and not is_float(target)
            middle = x.astype(F32).astype(np.int64) if float_to_int else x.astype(F32) if is_float(target) else x
            want = x if source == target else middle.astype(np.int64).astype(TYPES[target]) if not is_float(target) \
                else middle.astype(TYPES[target])
            add(batch, "Cast", x, want)
            add(batch, "Cast", Const(x), want)
        batch.add("Identity", [x], x)
        model, feeds = batch.model(False)
        sequence = helper.make_tensor_sequence_value_info("sequence", element_type(x), None)
        model.graph.node.append(helper.make_node("SequenceConstruct", ["in0_0", "in0_0"], ["sequence"]))
        model.graph.output.append(sequence)
        results = noria.InferenceSession(model.SerializeToString(), options).run(None, feeds)
        pairs = [(got, want) for got, (*_, (want,), _, _) in zip(results, batch.cases)]
        for got, want in pairs + [(item, x) for item in results[-1]]:
            assert got.dtype == want.dtype
            np.testing.assert_array_equal(got.view(np.uint8), bytes_of(want).view(np.uint8), f"{source} {want.dtype}")


def test_small_types_to_strings():
    batch = Batch(25)
    for name, limits in SMALL.items():
        x = np.arange(*limits).astype(TYPES[name])
        for source in x, Const(x):
            batch.add("Cast", [source], np.array([str(v) for v in range(*limits)], object), to=8)
        batch.add("Cast", [np.array([str(v) for v in range(*limits)], object)], x, to=element_type(x))
    batch.check()
