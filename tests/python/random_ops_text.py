"""Random nodes of ops on strings, for test_ops_random.py."""
import numpy as np
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
