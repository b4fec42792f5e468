"""Random nodes of the ops of domain ai.onnx.ml: models and encoders. A part of random_ops.py."""
import numpy as np
from random_draw import Case, Operand
from random_ops import ops

ML = "ai.onnx.ml."
POSTS = ("NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT")
# Numbers of each type, in which ONNX Runtime has the op as well.
REAL = (np.float32, np.float64, np.int32, np.int64)


def floats(d, count, low=-2, high=2):
    return [float(v) for v in d.random.uniform(low, high, count).astype(np.float32)]


def labels(d, count, ints="classlabels_ints"):
    if d.chance():
        return {ints: [int(v) for v in d.random.permutation(20)[:count] - 4]}
    return {"classlabels_strings": [f"class {v}" for v in d.random.permutation(20)[:count]]}


def matrix(d, features, types=REAL):
    """[N, F] or sometimes [F]."""
    shape = (features,) if d.chance(.1) else (d.dim(), features)
    t = d.choose(*types)
    return d.array(t, shape, -3, 3)


def texts(d, shape):
    words = np.array(["", "a", "ab", "b", "ba", "ä", "long word", "A"], object)
    return np.asarray(words[d.random.integers(0, len(words), shape)], object).reshape(shape)


@ops(ML + "Scaler")
def scaler(d, op):
    x = matrix(d, d.dim(1))
    n = x.shape[-1]
    size = d.choose(1, n)
    return Case(op, [x], {"offset": floats(d, size), "scale": floats(d, size)})


@ops(ML + "Normalizer")
def normalizer(d, op):
    x = matrix(d, d.dim(1))
    return Case(op, [x], {"norm": d.choose("MAX", "L1", "L2")} if d.chance(.9) else {})


@ops(ML + "Imputer")
def imputer(d, op):
    x = d.array(d.choose(*REAL), (d.dim(), d.dim(1)), -2, 3)
    if x.dtype.kind == "f":
        missing = d.choose(np.nan, 1., -2.)
        x = np.where(d.random.random(x.shape) < .3, missing, x).astype(x.dtype)
        attrs = {"replaced_value_float": missing, "imputed_value_floats": floats(d, d.choose(1, x.shape[1]))}
    else:
        attrs = {"replaced_value_int64": d.integer(-2, 2),
                 "imputed_value_int64s": [d.integer(-99, 99) for _ in range(d.choose(1, x.shape[1]))]}
    return Case(op, [x], attrs)


@ops(ML + "ArrayFeatureExtractor")
def extractor(d, op):
    shape = d.shape((1, 4), 1)
    t = d.choose(*REAL, object)
    x = texts(d, shape) if t is object else d.array(t, shape)
    places = d.random.integers(0, shape[-1], d.shape((1, 2), 1))
    return Case(op, [x, Operand(places)])


@ops(ML + "FeatureVectorizer")
def vectorizer(d, op):
    n, t = d.dim(1), d.choose(*REAL)
    xs = [d.array(t, (n, d.dim(1))) for _ in range(d.integer(1, 4))]
    sizes = [max(1, x.shape[1] + d.choose(0, 0, -1, 2)) for x in xs]
    return Case(op, xs, {"inputdimensions": sizes})


@ops(ML + "ZipMap")
def zip_map(d, op):
    columns = d.dim(1)
    x = matrix(d, columns, (np.float32,))
    names = labels(d, columns, "classlabels_int64s")
    return Case(op, [x], {name: d.choose(given, [given[0]] + given[:-1]) for name, given in names.items()})


def words(d, count):
    """Keys of a map and of a list, some of them the same."""
    return [f"word {v}" if d.strings else int(v) for v in d.random.permutation(12)[:count] - 3]


@ops(ML + "DictVectorizer")
def dict_vectorizer(d, op):
    d.strings = d.chance()
    x = {w: float(np.float32(d.random.normal())) for w in words(d, d.dim(1))}
    return Case(op, [x], {"string_vocabulary" if d.strings else "int64_vocabulary": words(d, d.dim(1))})


@ops(ML + "CastMap")
def cast_map(d, op):
    """Keys and numbers for which ONNX Runtime does what the document says."""
    x = {int(k): float(d.integer(-9, 9) / 4) for k in d.random.permutation(12)[:d.dim(1)]}
    attrs = {"cast_to": d.choose("TO_FLOAT", "TO_INT64")} if d.chance(.8) else {}
    return Case(op, [x], attrs | d.choose({}, {"map_form": "DENSE"}, {"map_form": "SPARSE", "max_map": d.dim(1)}))


KINDS = {"floats": np.float32, "int64s": np.int64, "strings": object}


def values(d, t, count):
    """Values that differ, of a type."""
    if t is object:
        return [str(v) for v in d.random.permutation(["", "a", "ab", "b", "ba", "c", "ä", "long word"])[:count]]
    picked = d.random.permutation(12)[:count] - 5
    return [float(v) for v in picked] if np.dtype(t).kind == "f" else [int(v) for v in picked]


def elements(d, t, keys):
    """Of a shape, keys and others."""
    shape = d.shape((1, 3))
    others = values(d, t, 8)
    return np.array([d.choose(*keys, *others) for _ in range(int(np.prod(shape)))], t).reshape(shape)


@ops(ML + "LabelEncoder")
def label_encoder(d, op):
    count = d.integer(1, 8)
    if d.chance(.2):
        strings = values(d, object, count)
        x = texts(d, d.shape((1, 3))) if d.chance() else d.array(np.int64, low=-1, high=count)
        return Case(op, [x], {"classes_strings": strings, "default_int64": -7}, versions={ML[:-1]: 1})
    a, b = d.choose(*KINDS), d.choose(*KINDS)
    keys = values(d, KINDS[a], count)
    attrs = {"keys_" + a: keys, "values_" + b: values(d, KINDS[b], count)}
    if d.chance():
        attrs |= {"default_int64": 99, "default_float": 1.5, "default_string": "none"}
    return Case(op, [elements(d, KINDS[a], keys)], attrs, versions={ML[:-1]: d.integer(2, 4)})


@ops(ML + "LabelEncoder")
def label_encoder_of_tensors(d, op):
    from onnx import numpy_helper
    count = d.integer(1, 8)
    types = (np.int16, np.int32, np.int64, np.float32, np.float64, object)
    a, b = d.choose(*types), d.choose(*types)
    keys, mapped, other = values(d, a, count), np.array(values(d, b, count), b), np.array(values(d, b, 1), b)
    x = elements(d, a, keys)
    table = dict(zip(keys, mapped.tolist()))
    want = np.array([table.get(v, other.tolist()[0]) for v in x.ravel().tolist()], b).reshape(x.shape)
    attrs = {name: numpy_helper.from_array(v, name) for name, v in
             (("keys_tensor", np.array(keys, a)), ("values_tensor", mapped), ("default_tensor", other))}
    return Case(op, [x], attrs, wants=[want], versions={ML[:-1]: 4})


@ops(ML + "CategoryMapper")
def category_mapper(d, op):
    count = d.integer(1, 8)
    t = d.choose(np.int64, object)
    ints, strings = values(d, np.int64, count), values(d, object, count)
    attrs = {"cats_int64s": ints, "cats_strings": strings}
    if d.chance():
        attrs |= {"default_string": "other"} if t is np.int64 else {"default_int64": 99}
    return Case(op, [elements(d, t, ints if t is np.int64 else strings)], attrs)


@ops(ML + "OneHotEncoder")
def one_hot_encoder(d, op):
    count, t = d.integer(1, 8), d.choose(*REAL, object)
    categories = values(d, object if t is object else np.int64, count)
    name = "cats_strings" if t is object else "cats_int64s"
    return Case(op, [elements(d, t, categories)], {name: categories, **({"zeros": 1} if d.chance() else {})})


@ops(ML + "LinearRegressor")
def linear_regressor(d, op):
    features, targets = d.dim(1), d.integer(1, 4)
    attrs = {"coefficients": floats(d, features * targets), "targets": targets}
    attrs |= {"intercepts": floats(d, targets)} if d.chance(.8) else {}
    if targets > 1:  # ONNX Runtime leaves a single target as it is
        attrs["post_transform"] = d.choose(*POSTS[:4])
    return Case(op, [matrix(d, features, (np.float32,))], attrs, tolerance=1e-4)


@ops(ML + "LinearClassifier")
def linear_classifier(d, op):
    features, rows = d.dim(1), d.integer(1, 4)
    attrs = {"coefficients": floats(d, features * rows), "intercepts": floats(d, rows),
             "post_transform": d.choose(*(POSTS[:2] if rows == 1 else POSTS[:4])), **labels(d, max(rows, 2))}
    return Case(op, [matrix(d, features)], attrs, outputs=2, tolerance=1e-4)
