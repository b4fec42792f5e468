"""The ops of the standard dialect of 2020, each in that spelling and in today's, with what NumPy says that it gives.

An element-wise op is one function over all the types that it takes; the others are written out."""
import math

import ml_dtypes
import numpy as np

DTYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16,
          "f8E5M2": ml_dtypes.float8_e5m2, "i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32,
          "i64": np.int64, "index": np.int64}
FLOATS = ["f32", "f64", "f16", "bf16", "f8E5M2", "vector<4xf32>", "vector<2x3xf64>", "vector<5xbf16>",
          "tensor<?xf32>", "tensor<2x2xf16>", "tensor<f64>"]
INTS = ["i32", "i8", "i64", "i16", "index", "vector<4xi32>", "vector<2x3xi8>", "tensor<?xi16>", "tensor<2x2xi64>",
        "tensor<?x3xindex>"]
DIM = 4  # of every `?`


class Row:
    """One function `@name` in both spellings; args and expected are NumPy values, in order."""

    def __init__(self, name, old, new, args, expected, tolerance=0.0):
        self.name, self.old, self.new, self.args, self.expected = name, old, new, args, expected
        self.tolerance = tolerance


def elem(type_text):
    return type_text.rstrip(">").split("<")[-1].split("x")[-1] if "index" not in type_text else "index"


def shape(type_text):
    if "<" not in type_text:
        return None
    words = type_text.rstrip(">").split("<")[1].split("x")
    return tuple(DIM if w == "?" else int(w) for w in words if w == "?" or w.isdigit())


def with_elem(type_text, new):
    return type_text[:type_text.rindex(elem(type_text))] + new + (">" if "<" in type_text else "")


def sample(type_text, values, turn):
    """`values` in turn, in the type's shape; each operand begins elsewhere, so that pairs differ."""
    dims = shape(type_text)
    count = math.prod(dims) if dims else 1
    data = np.array([values[(turn + i) % len(values)] for i in range(count)]).astype(DTYPES[elem(type_text)])
    return data.reshape(dims) if dims is not None else data[0]


def elementwise(old, new, function, types, operands, result=None, tail=None, tolerance=0.0, name=None):
    """operands: the values that each takes in turn. result: the result's element type. tail: `: t to u` for casts."""
    args, expected, body_old, body_new, params, returned = [], [], [], [], [], []
    for k, t in enumerate(types):
        u = with_elem(t, result(elem(t)) if callable(result) else result) if result else t
        inputs = [sample(t, values, 2 * i + k) for i, values in enumerate(operands)]
        names = [f"%a{k}_{i}" for i in range(len(operands))]
        params += [f"{n}: {t}" for n in names]
        types_text = f"{t} to {u}" if tail else t
        body_old.append(f"  %r{k} = {old} {', '.join(names)} : {types_text}")
        body_new.append(f"  %r{k} = {new} {', '.join(names)} : {types_text}")
        returned.append((f"%r{k}", u))
        args += inputs
        with np.errstate(all="ignore"):
            wide = [x.astype(np.float64) if elem(t)[0] in "bf" else x for x in inputs]
            expected.append(np.asarray(function(*wide)).astype(DTYPES[elem(u)]))
    fn = name or new.split()[0].split(".")[1] + (f"_{new.split()[1].rstrip(',')}" if " " in new else "")
    head = f"@{fn}({', '.join(params)}) -> ({', '.join(t for _, t in returned)}) {{"
    end = f"  return {', '.join(n for n, _ in returned)} : {', '.join(t for _, t in returned)}\n}}\n"
    return Row(fn, "\n".join([f"func {head}", *body_old, end]), "\n".join([f"func.func {head}", *body_new, end]),
               args, expected, tolerance)


F = [1.5, -0.5, 0.25, -2.0, 3.0, 0.75, -1.25]
POSITIVE = [0.5, 1.5, 2.0, 0.25, 3.0, 1.0]
I = [7, -3, 2, 100, -8, 5, 0]
COUNTS = [1, 0, 3, 2, 5]
NONZERO = [3, -2, 5, 1, -7]


def bits(x):
    return x.view({1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[x.itemsize])


def unsigned(function):
    def apply(a, b):
        out = np.asarray(function(bits(a), bits(b)))
        return out if out.dtype == bool else out.view(a.dtype)
    return apply


def trunc_div(a, b):
    return (np.sign(a) * np.sign(b) * (np.abs(a.astype(np.int64)) // np.abs(b.astype(np.int64)))).astype(np.int64)


def trunc_rem(a, b):
    return a.astype(np.int64) - trunc_div(a, b) * b.astype(np.int64)


def unary_rows():
    table = [("absf", "math.absf", np.abs, F), ("ceilf", "math.ceil", np.ceil, F),
             ("floorf", "math.floor", np.floor, F),
             ("cos", "math.cos", np.cos, F), ("sin", "math.sin", np.sin, F), ("exp", "math.exp", np.exp, F),
             ("exp2", "math.exp2", np.exp2, F), ("log", "math.log", np.log, POSITIVE),
             ("log2", "math.log2", np.log2, POSITIVE), ("log10", "math.log10", np.log10, POSITIVE),
             ("sqrt", "math.sqrt", np.sqrt, POSITIVE), ("rsqrt", "math.rsqrt", lambda x: 1 / np.sqrt(x), POSITIVE),
             ("tanh", "math.tanh", np.tanh, F), ("negf", "arith.negf", np.negative, F)]
    return [elementwise(old, new, f, FLOATS, [values], tolerance=3.0) for old, new, f, values in table]


def binary_float_rows():
    table = [("addf", "arith.addf", np.add), ("subf", "arith.subf", np.subtract), ("mulf", "arith.mulf", np.multiply),
             ("divf", "arith.divf", np.divide), ("remf", "arith.remf", np.fmod),
             ("copysign", "math.copysign", np.copysign)]
    rows = [elementwise(old, new, f, FLOATS, [F, F]) for old, new, f in table]
    with_nan = [1.0, float("nan"), 2.0, -1.0]
    orders = [lambda a, b: a == b, np.greater, np.greater_equal, np.less, np.less_equal, np.not_equal]
    for i, words in enumerate(("oeq ogt oge olt ole one", "ueq ugt uge ult ule une")):
        for word, compare in zip(words.split(), orders):
            def function(a, b, compare=compare, unordered=bool(i)):
                nan = np.isnan(a) | np.isnan(b)
                return np.where(nan, unordered, compare(a, b))
            rows.append(elementwise(f'cmpf "{word}",', f"arith.cmpf {word},", function, FLOATS,
                                    [with_nan, F[:3] + [1.0]], result="i1"))

    def nan(a, b):
        return np.isnan(a) | np.isnan(b)

    for word, function in (("ord", lambda a, b: ~nan(a, b)), ("uno", nan),
                           ("true", lambda a, b: np.ones(np.shape(a), bool)),
                           ("false", lambda a, b: np.zeros(np.shape(a), bool))):
        rows.append(elementwise(f'cmpf "{word}",', f"arith.cmpf {word},", function, FLOATS, [with_nan, F[:3] + [1.0]],
                                result="i1"))
    return rows


def int_rows():
    table = [("addi", "arith.addi", np.add, I), ("subi", "arith.subi", np.subtract, I),
             ("muli", "arith.muli", np.multiply, I), ("and", "arith.andi", np.bitwise_and, I),
             ("or", "arith.ori", np.bitwise_or, I), ("xor", "arith.xori", np.bitwise_xor, I),
             ("divi_signed", "arith.divsi", trunc_div, NONZERO), ("remi_signed", "arith.remsi", trunc_rem, NONZERO),
             ("divi_unsigned", "arith.divui", unsigned(np.floor_divide), NONZERO),
             ("remi_unsigned", "arith.remui", unsigned(np.remainder), NONZERO),
             ("shift_left", "arith.shli", np.left_shift, COUNTS),
             ("shift_right_signed", "arith.shrsi", np.right_shift, COUNTS),
             ("shift_right_unsigned", "arith.shrui", unsigned(np.right_shift), COUNTS)]
    rows = [elementwise(old, new, f, INTS, [I, other]) for old, new, f, other in table]
    for word, f in (("eq", np.equal), ("ne", np.not_equal), ("slt", np.less), ("sle", np.less_equal),
                    ("sgt", np.greater), ("sge", np.greater_equal), ("ult", unsigned(np.less)),
                    ("ule", unsigned(np.less_equal)), ("ugt", unsigned(np.greater)),
                    ("uge", unsigned(np.greater_equal))):
        rows.append(elementwise(f'cmpi "{word}",', f"arith.cmpi {word},", f, INTS, [I, NONZERO], result="i1"))
    return rows


def cast_rows():
    shapes = ["{}", "vector<4x{}>", "vector<2x3x{}>", "tensor<?x{}>", "tensor<2x2x{}>"]

    def row(old, new, source, target, function, values, **more):
        return elementwise(old, new, function, [s.format(source) for s in shapes], [values], result=target, tail=True,
                           name=f"{new.split('.')[1]}_{source}_{target}", **more)

    def same(x):
        return x

    big = [1.5, 3.75, 200.0, 77.0, 0.0]
    rows = []
    for a, b in (("i8", "i32"), ("i16", "i64")):
        rows.append(row("sexti", "arith.extsi", a, b, same, I))
        rows.append(row("zexti", "arith.extui", a, b, bits, I))
        rows.append(row("trunci", "arith.trunci", b, a, same, I + [1000, -70000 % 30000]))
    for f in ("f32", "f64", "f16", "bf16"):
        rows.append(row("sitofp", "arith.sitofp", "i32", f, same, I))
        rows.append(row("uitofp", "arith.uitofp", "i8", f, bits, I))
        rows.append(row("fptosi", "arith.fptosi", f, "i32", np.trunc, F))
        rows.append(row("fptoui", "arith.fptoui", f, "i16", np.trunc, big))
    for a, b in (("f32", "f64"), ("f16", "f32"), ("bf16", "f32"), ("f8E5M2", "f32"), ("f16", "f64")):
        rows.append(row("fpext", "arith.extf", a, b, same, F))
        rows.append(row("fptrunc", "arith.truncf", b, a, same, F + [1.1, 3.3]))
    rows.append(row("index_cast", "arith.index_cast", "index", "i32", same, I))
    rows.append(row("index_cast", "arith.index_cast", "i16", "index", same, I))
    return rows


def elementwise_families():
    return {"unary": unary_rows(), "float": binary_float_rows(), "integer": int_rows(), "casts": cast_rows()}
