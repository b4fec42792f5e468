"""Random nodes of ops on strings, for test_ops_random.py."""
import numpy as np
from onnx import helper
from random_draw import Case
from random_ops import ops

WORDS = ["", "a", "b", "ab", "abc", "Abc", "ABC", "b a", " a  b ", "a,b", "a,,b,", ",", "x\ty\n", "straße", "ÄÖ", "日本 語",
         "aaaa", "a.b", "1", "12", "-", "e\u0301", "\u00a0z", "longer than a register holds, by far"]


def strings(d, shape=None, words=WORDS):
    shape = d.shape() if shape is None else shape
    x = np.empty(shape, object)
    x.flat = [d.choose(*words) for _ in range(x.size)]
    return x


@ops("StringConcat")
def concat(d, op):
    return Case(op, [strings(d, s) for s in d.broadcast()], opset=d.opset(op))


@ops("StringNormalizer")
def normalizer(d, op):
    """ONNX Runtime needs the system's locales; the onnx package drops accents and words inside of a string."""
    action = d.choose("NONE", "LOWER", "UPPER")
    attrs = {"case_change_action": action} if action != "NONE" or d.chance() else {}
    x = strings(d, (d.dim(),) if d.chance(.6) else (1, d.dim()))
    stopwords = [d.choose(*WORDS) for _ in range(d.integer(0, 4))]
    if stopwords:
        attrs["stopwords"] = stopwords
    sensitive = d.chance()
    if sensitive or d.chance():
        attrs["is_case_sensitive"] = int(sensitive)
    if d.chance():
        attrs["locale"] = d.choose("en_US", "de_DE.UTF-8", "C", "fr")
    change = {"NONE": str, "LOWER": str.lower, "UPPER": str.upper}[action]
    compare = str if sensitive else str.upper if action == "UPPER" else str.lower
    stops = {compare(w) for w in stopwords}
    kept = [change(w) for w in x.flat if compare(w) not in stops] or [""]
    return Case(op, [x], attrs, opset=d.opset(op), wants=[np.array(kept, object).reshape((1,) * (x.ndim - 1) + (-1,))])


@ops("StringSplit")
def split(d, op):
    attrs = {}
    if d.chance(.6):
        attrs["delimiter"] = d.choose("", ",", ",,", " ", "b", "日")
    if d.chance():
        attrs["maxsplit"] = d.integer(0, 3)
    x = strings(d)
    wants = None
    if x.ndim == 0:  # the onnx package fails
        pieces = x.item().split(attrs.get("delimiter") or None, attrs.get("maxsplit", -1))
        wants = [np.array(pieces, object), np.array(len(pieces), np.int64)]
    return Case(op, [x], attrs, outputs=2, opset=d.opset(op), reference=True, wants=wants)


PATTERNS = ["", "a", "a+", "[ab]*", "(a|b)+c?", ".*", r"\w+", r"\W", r"\d{1,3}", r"[^,]+(,[^,]*)*", r"(?i)abc", r"(?s).*",
            r"\p{L}+", r"\p{Han}.*", r"^\s*a.*$", r"[[:upper:]]+", r"a{4}", r"(?:a?){9}a{2,}", r"\Qa.b\E", r"[^\S\n]*\S.*",
            r"\x61[\x{62}-d]+", r"(?P<n>a)b*|\-", r"(a*)*b?", r"\bab\b.*|a\Bb.*", r"(?U)a+?b", r"\141\54.*"]


@ops("RegexFullMatch")
def full_match(d, op):
    return Case(op, [strings(d)], {"pattern": d.choose(*PATTERNS)}, opset=d.opset(op))


@ops("com.microsoft.Tokenizer")
def tokenizer(d, op):
    attrs = {"mark": d.integer(0, 1), "pad_value": d.choose("", "#"), "mincharnum": d.choose(1, 1, 2, 3)}
    way = d.choose("characters", "separators", "tokens")
    if way == "tokens":
        attrs["tokenexp"] = d.choose("[a-z]+", r"\w", "a|ab", r"\S+", "[^,]+")
    elif way == "separators":
        attrs["separators"] = [d.choose(" ", ",", r"\s+", "b", "a+", ",,|,") for _ in range(d.integer(1, 3))]
    else:
        attrs |= {"mincharnum": 1} | d.choose({"separators": [""]}, {"tokenexp": "."})
    return Case(op, [strings(d, d.shape((1, 2), 1))], attrs)


@ops("TfIdfVectorizer")
def tfidf(d, op):
    """The columns are those of the n-grams in order: elsewhere weights mean something else to both judges."""
    text, low, high = d.chance(), d.integer(1, 2), d.integer(2, 3)
    items = WORDS[:6] if text else list(range(-1, 4))
    pool, counts, grams = [], [], 0
    for length in range(1, high + 1):
        counts.append(len(pool))
        chosen = {tuple(d.choose(*items) for _ in range(length)) for _ in range(d.integer(1, 4))}
        pool += [item for gram in sorted(chosen) for item in gram]
        grams += len(chosen)
    attrs = {"mode": d.choose("TF", "IDF", "TFIDF"), "min_gram_length": low, "max_gram_length": high,
             "max_skip_count": d.integer(0, 3), "ngram_counts": counts, "ngram_indexes": list(range(grams)),
             "pool_strings" if text else "pool_int64s": pool}
    if d.chance():
        attrs["weights"] = [float(np.float32(w)) for w in d.random.uniform(0, 2, grams)]
    shape = (d.dim(1),) if d.chance() else (d.dim(1), d.dim(1))
    x = strings(d, shape, items) if text else d.array(d.choose(np.int32, np.int64), shape, -1, 4)
    return Case(op, [x], attrs, opset=d.opset(op))


@ops("com.microsoft.NGramRepeatBlock")
def ngram_repeat(d, op):
    rows, classes = d.dim(1), d.integer(1, 5)
    ids = d.array(np.int64, (rows, d.dim(1)), 0, classes - 1)
    return Case(op, [ids, d.array(np.float32, (rows, classes))], {"ngram_size": d.integer(1, 4)})


@ops("RandomUniform", "RandomNormal", "RandomUniformLike", "RandomNormalLike")
def random_numbers(d, op):
    """With a seed, which makes them those of the onnx package."""
    opset = d.opset(op)
    dtype = d.choose(1, 11)
    attrs = {"seed": float(d.integer(0, 99)), "dtype": dtype}
    if d.chance():
        attrs |= {"low": -1., "high": 3.} if "Uniform" in op else {"mean": 2., "scale": .5}
    if op.endswith("Like"):
        return Case(op, [d.array(d.choose(np.float32, np.int8, bool), d.shape((1, 4)))], attrs, opset=opset, reference=True, tolerance=1e-5)
    return Case(op, [], attrs | {"shape": list(d.shape((1, 4)))}, opset=opset, reference=True, tolerance=1e-5)


@ops("Bernoulli")
def bernoulli(d, op):
    seed, p = d.integer(0, 99), d.array(d.choose(np.float32, np.float64), low=0, high=1)
    to = np.dtype(d.choose(np.float32, np.int32, bool))
    want = np.asarray(np.random.RandomState(seed).random_sample(p.shape) < p.astype(np.float64)).astype(to)
    attrs = {"dtype": int(helper.np_dtype_to_tensor_dtype(to))} if to != p.dtype or d.chance() else {}
    return Case(op, [p], {"seed": float(seed)} | attrs, opset=d.opset(op, 15), wants=[want])


@ops("Multinomial")
def multinomial(d, op):
    """One class has all of the likelihood, so there is no chance."""
    x = np.full((d.dim(), d.integer(1, 5)), -np.inf, d.choose(np.float32, np.float64))
    at = d.array(np.int64, (len(x),), 0, x.shape[1] - 1)
    x[np.arange(len(x)), at] = d.array(x.dtype, (len(x),))
    to = np.dtype(d.choose(np.int32, np.int64))
    want = np.repeat(at[:, None], 3, 1).astype(to)
    attrs = {"dtype": 7} if to == np.int64 else {}
    return Case(op, [x], {"sample_size": 3, "seed": 1.} | attrs, opset=d.opset(op), wants=[want])


@ops("ai.onnx.preview.training.Adagrad", "ai.onnx.preview.training.Adam", "ai.onnx.preview.training.Momentum")
def optimiser(d, op):
    """The onnx package widens Adam's results to float64 after the first step."""
    lists, shape = 4 if op.endswith("Adam") else 3, d.shape()
    tensors = [d.array(np.float32, shape, 0, 2) for _ in range(lists)]
    attrs = {"alpha": .9, "beta": .5, "norm_coefficient": .1, "mode": d.choose("standard", "nesterov")}
    attrs = attrs if op.endswith("Momentum") else {}
    return Case(op, [np.array(.1, np.float32), np.array(0 if op.endswith("Adam") else d.integer(0, 3)), *tensors], attrs, outputs=lists - 1,
                tolerance=1e-4)


def murmur(data, seed):
    """MurmurHash3, x86_32, by its document."""
    mask, h = 0xffffffff, seed & 0xffffffff
    rotl = lambda x, r: (x << r | x >> (32 - r)) & mask
    whole = len(data) // 4 * 4
    for i in range(0, len(data), 4):
        k = int.from_bytes(data[i:i + 4], "little")
        h ^= rotl(k * 0xcc9e2d51 & mask, 15) * 0x1b873593 & mask
        h = (rotl(h, 13) * 5 + 0xe6546b64) & mask if i < whole else h
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85ebca6b & mask
    h = (h ^ h >> 13) * 0xc2b2ae35 & mask
    return h ^ h >> 16


@ops("com.microsoft.MurmurHash3")
def murmur_hash3(d, op):
    t = d.choose(np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64, object)
    x = strings(d) if t is object else d.array(t, d.shape())
    attrs = {"seed": d.choose(0, 7, 2**31 - 1)} if d.chance() else {}
    positive = d.integer(0, 1)
    attrs.update({"positive": positive} if not positive or d.chance() else {})
    hashes = [murmur(v.encode() if t is object else v.tobytes(), attrs.get("seed", 0)) for v in np.asarray(x).flat]
    want = np.array(hashes, np.uint32).reshape(np.shape(x))
    return Case(op, [x], attrs, opset=18, wants=[want if positive else want.view(np.int32)])
