"""Ops on strings: what random nodes do not reach (random_ops_text.py), their errors, and strings in ops that move data."""
import time

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator
from ops import Batch, Const, fails, interpreted

import noria


def words(*items):
    return np.array(items, object)


# ---- regular expressions ---------------------------------------------------------------------------------------------

# What RE2 refuses (its documents, and ONNX Runtime, which calls it).
REFUSED = {
    "(?=a)": "bad syntax of a group: (?=", "(?<!a)b": "bad syntax of a group: (?<", "(?>a)": "bad syntax of a group",
    r"(a)\1": r"bad escape \1", r"(?x)a": "bad syntax of a group: (?x", "(?i-)a": "has no flags behind it",
    "a++": "nothing to repeat before +", "a**": "nothing to repeat before *", "*": "nothing to repeat",
    "(*UTF)a": "nothing to repeat", "a|*": "nothing to repeat", "a{1001}": "bad number of repeats",
    "a{3,2}": "bad number of repeats", "a{2}{3}": "nothing to repeat before {3}", "(a": "missing )", "a)": "unexpected )",
    "[a": "missing ]", "[b-a]": "bad range", r"\h": r"bad escape \h", r"\Z": r"bad escape \Z", r"\R": r"bad escape \R",
    r"\K": r"bad escape \K", r"[\b]": r"bad escape \b", "a\\": "trailing \\", r"\x{110000}": r"bad escape \x",
    r"\x4": r"bad escape \x", r"\p{L&}": r"bad character property \p", r"\p{Xan}": "bad character property",
    r"\p{Nothing}": "unknown property", "[[:nothing:]]": "unknown POSIX class", "(?P<>a)": "bad name of a group",
    "(?P<n>a)(?P<n>b)": "two named subpatterns have the same name", r"\é": "not ASCII",
}


@pytest.mark.parametrize("pattern", REFUSED, ids=ascii)
def test_patterns_that_re2_refuses(pattern):
    message = fails("RegexFullMatch", [words("a")], 20, pattern=pattern)
    assert f'node \'the_node\': the regular expression "{pattern}" is wrong: ' in message and REFUSED[pattern] in message


def test_patterns():
    """Cases that differ between RE2 and other syntaxes, as RE2's documents have them."""
    batch = Batch(20)
    for pattern, matching, other in [
        (r"\s", " \t\n\f\r", "\v\u00a0"), (r"\S", "\va\u00a0", " \n"), (r"[\S]", "\va", " \n"), (r"[[:space:]]", "\v ", "a"),
        (r"\w", "a_1", "é-"), (r"\d", "07", "\u0667"), (".", "aé", "\n"), ("(?s).", "\n", ""), (r"\v", "\v", "\n"),
        ("a$", ["a"], ["a\n"]), ("(?m)a$\n^", ["a\n"], ["a"]), ("a{,2}", ["a{,2}"], ["a", "aa"]), ("{", "{", "a"),
        (r"[a\]]", "a]", "\\"), ("[]a]", "]a", "["), ("[^]a]", "b\n", "]a"), ("[a-]", "a-", "b"), (r"\_", "_", "a"),
        (r"\pN", "1\u0667", "a"), (r"\PN", "a", "1"), (r"\p{^Greek}", "a", "α"), (r"[\p{Greek}a]", "aα", "b"),
        (r"(?i)straSSe|k", ["STRASSE", "K", "\u212a"], ["straße"]), (r"\Q[a\E]", ["[a]"], ["a"]), (r"\Qa.", ["a."], ["ab"]),
        ("x*", ["", "xx"], ["y", "xy"]), ("|a", ["", "a"], ["b"]), ("()", [""], ["a"]), ("(?i)a(?-i)b", ["Ab"], ["AB"]),
    ]:
        x = words(*matching, *other)
        batch.add("RegexFullMatch", [x], np.array([True] * len(matching) + [False] * len(other)), pattern=pattern)
    batch.check()
    batch.check(options=interpreted())


def test_patterns_that_explode_elsewhere():
    """Searches with backtracking would take 2^50 steps."""
    batch = Batch(20)
    x = words("a" * 50, "a" * 50 + "b")
    batch.add("RegexFullMatch", [x], np.array([False, True]), pattern="(a+)+b")
    batch.add("RegexFullMatch", [x], np.array([True, False]), pattern="(?:a?){50}a{50}")
    batch.add("RegexFullMatch", [x], np.array([False, False]), pattern="(a|aa)+c")
    batch.check()
    assert "too large" in fails("RegexFullMatch", [x], 20, pattern="((a{1000}){1000}){1000}")


def test_a_long_search_obeys_the_time_limit():
    options = noria.SessionOptions()
    options.time_limit = 0.2
    begin = time.monotonic()
    message = fails("RegexFullMatch", [words("a" * 5_000_000)], 20, options=options, pattern="((a?){20}(a*b?){20}){20}c")
    assert "limit" in message and time.monotonic() - begin < 60


# ---- case, stop words, pieces ----------------------------------------------------------------------------------------

def test_case_of_languages():
    """The rules of Unicode's SpecialCasing.txt: for most languages, and those of Turkish and Lithuanian."""
    batch = Batch(10)
    for locale, action, source, want in [
        ("", "LOWER", "ΑΣ ΟΔΟΣ", "ας οδος"), ("en_US", "UPPER", "straße ŉ ﬁ", "STRASSE ʼN FI"),
        ("tr_TR.UTF-8", "LOWER", "ISPARTA İzmir", "ısparta izmir"), ("tr", "UPPER", "izmir ısparta", "İZMİR ISPARTA"),
        ("az_AZ", "UPPER", "i", "İ"), ("en_US", "UPPER", "izmir", "IZMIR"), ("C", "LOWER", "ÀÉ İ", "àé i̇"),
        ("lt_LT", "LOWER", "Ì", "i̇̀"), ("en", "LOWER", "Ì", "ì"), ("no locale at all", "UPPER", "i", "I"),
    ]:
        batch.add("StringNormalizer", [words(source)], words(want), locale=locale, case_change_action=action)
    batch.check()


def test_stop_words():
    days, row = words("monday", "Tuesday", "MONDAY", "", "tuesday"), words("A", "b").reshape(1, 2)
    batch = Batch(10)
    batch.add("StringNormalizer", [days], words("Tuesday", "", "tuesday"), stopwords=["Monday"])
    batch.add("StringNormalizer", [days], words("Tuesday", "MONDAY", "", "tuesday"), stopwords=["monday"],
              is_case_sensitive=1)
    batch.add("StringNormalizer", [days], words("MONDAY", "TUESDAY", "MONDAY", "TUESDAY"), stopwords=[""],
              case_change_action="UPPER")
    batch.add("StringNormalizer", [days], words(""), stopwords=["MONDAY", "TUESDAY", ""])
    batch.add("StringNormalizer", [row], words("").reshape(1, 1), stopwords=["a", "B"])
    batch.add("StringNormalizer", [words("monday tuesday")], words("monday tuesday"), stopwords=["monday"])
    batch.add("StringNormalizer", [words()], words(""))
    batch.check()


def test_wrong_normalizers():
    assert "case_change_action is 'lower'; it must be NONE, LOWER or UPPER" in fails(
        "StringNormalizer", [words("a")], 10, case_change_action="lower")
    for symbolic in False, True:
        message = fails("StringNormalizer", [words("a", "b").reshape(2, 1)], 10, symbolic)
        assert "the_node" in message and "X" in message and "2" in message
    assert "input X has rank 0; it must be [C] or [1, C]" in fails("StringNormalizer", [np.array("a", object)], 10)
    assert "input 0 is float32, not string" in fails("StringNormalizer", [np.zeros(1, np.float32)], 10)


def test_wrong_tokenizers():
    attrs = {"mark": 0, "mincharnum": 1, "pad_value": ""}
    x = words("a")
    assert "one of the attributes tokenexp and separators" in fails("com.microsoft.Tokenizer", [x], 20, **attrs)
    assert "one of the attributes tokenexp and separators" in fails(
        "com.microsoft.Tokenizer", [x], 20, separators=["a"], tokenexp="a", **attrs)
    assert "separator 1 is empty" in fails("com.microsoft.Tokenizer", [x], 20, separators=["a", ""], **attrs)
    assert 'the regular expression "(" is wrong: missing )' in fails(
        "com.microsoft.Tokenizer", [x], 20, separators=["("], **attrs)
    assert "mincharnum is 0; it must be positive" in fails(
        "com.microsoft.Tokenizer", [x], 20, separators=["a"], **attrs | {"mincharnum": 0})
    assert "input X has rank 3" in fails("com.microsoft.Tokenizer", [x.reshape(1, 1, 1)], 20, tokenexp="a", **attrs)


def test_tokens_of_nothing():
    """ONNX Runtime's document: the dims of an empty input stay."""
    batch = Batch(20)
    attrs = {"mark": 1, "mincharnum": 1, "pad_value": "", "tokenexp": "a"}
    batch.add("com.microsoft.Tokenizer", [words()], words(), **attrs)
    batch.add("com.microsoft.Tokenizer", [words("b")], words().reshape(1, 0), **attrs)
    batch.check(symbolic=[False])


def test_split_edges():
    batch = Batch(20)
    batch.add("StringSplit", [words()], [words().reshape(0, 0), np.zeros(0, np.int64)])
    batch.add("StringSplit", [words("", "  ")], [words().reshape(2, 0), np.zeros(2, np.int64)])
    batch.add("StringSplit", [words("a b ")], [words("a", "b ").reshape(1, 2), np.array([2])], maxsplit=1)
    batch.add("StringSplit", [words(" a b ")], [words("a b ").reshape(1, 1), np.array([1])], maxsplit=0)
    batch.add("StringSplit", [words("a\u3000b\u00a0c")], [words("a", "b", "c").reshape(1, 3), np.array([3])])
    batch.add("StringSplit", [words("aaa")], [words("", "a").reshape(1, 2), np.array([2])], delimiter="aa")
    batch.check()
    assert "has rank 16; one less is the limit" in fails("StringSplit", [words("a").reshape((1,) * 16)], 20)


def test_strings_that_do_not_broadcast():
    for symbolic in False, True:
        message = fails("StringConcat", [words("a", "b"), words("a", "b", "c")], 20, symbolic)
        assert "the_node" in message and "2" in message and "3" in message


# ---- strings in ops that move data -----------------------------------------------------------------------------------

NAMES = words("a", "", "longer than a register holds", "b", "a", "日本")
GRID = NAMES.reshape(2, 3)
CUBE = np.concatenate([NAMES, NAMES[::-1]]).reshape(2, 2, 3)


def ints(*items):
    return np.array(items, np.int64)


# Of each op whose schema allows tensors of strings: (opset, inputs, attributes). The first input is always fed.
MOVED = {
    "CenterCropPad": [(18, [GRID, Const(ints(3, 2))], {})],
    "Compress": [(11, [GRID, np.array([True, False, True])], {"axis": 1}), (11, [GRID, np.array([False, True])], {})],
    "Concat": [(13, [GRID, GRID[:1]], {"axis": 0}), (4, [GRID, GRID], {"axis": 1})],
    "DepthToSpace": [(13, [np.tile(CUBE.reshape(1, 4, 3, 1), 1)], {"blocksize": 2})],
    "Equal": [(19, [GRID, GRID[::-1]], {}), (19, [GRID, words("a")], {})],
    "Expand": [(13, [GRID.reshape(2, 1, 3), Const(ints(2, 3))], {})],
    "Flatten": [(13, [CUBE], {"axis": 2}), (9, [CUBE], {"axis": 0})],
    "Gather": [(13, [GRID, ints(2, 0, -1)], {"axis": 1})],
    "GatherElements": [(13, [GRID, np.array([[1, 0, 1]])], {"axis": 0})],
    "GatherND": [(13, [GRID, Const(np.array([[0, 1], [1, 2]]))], {}),
                 (12, [CUBE, Const(np.array([[1], [0]]))], {"batch_dims": 1})],
    "Identity": [(16, [GRID], {}), (1, [np.array("x", object)], {})],
    "NonZero": [(13, [GRID], {})],
    "OneHot": [(11, [ints(1, 0, 5), np.array(3), words("off", "on")], {})],
    "Pad": [(21, [GRID, Const(ints(0, 1, 1, 0))], {}), (13, [GRID, Const(ints(1, 0, 0, 1)), np.array("pad", object)], {}),
            (19, [GRID, Const(ints(0, 1, 0, 1))], {"mode": "reflect"}),
            (19, [GRID, Const(ints(0, 1, 0, 4))], {"mode": "edge"})],
    "Reshape": [(14, [GRID, Const(ints(3, -1))], {}), (5, [GRID, Const(ints(6))], {})],
    "ReverseSequence": [(10, [GRID, ints(2, 1)], {"batch_axis": 0, "time_axis": 1})],
    "Scatter": [(9, [GRID, np.array([[1, 0]]), words("x", "y").reshape(1, 2)], {"axis": 0})],
    "ScatterElements": [(18, [GRID, np.array([[1, 0]]), words("x", "y").reshape(1, 2)], {"axis": 1})],
    "ScatterND": [(18, [GRID, np.array([[0, 1], [1, 2]]), words("x", "y")], {}), (13, [GRID, np.array([[1]]), GRID[:1]], {})],
    "Shape": [(15, [GRID], {"start": 1}), (1, [CUBE], {})],
    "Size": [(13, [CUBE], {})],
    "Slice": [(13, [GRID, Const(ints(1)), Const(ints(-5)), Const(ints(1)), Const(ints(-1))], {}),
              (1, [GRID], {"starts": [0, 1], "ends": [1, 3]})],
    "SpaceToDepth": [(13, [CUBE.reshape(1, 1, 6, 2)], {"blocksize": 2})],
    "Squeeze": [(13, [GRID.reshape(2, 1, 3), Const(ints(1))], {}), (1, [GRID[:1]], {"axes": [0]})],
    "TensorScatter": [(24, [GRID.reshape(1, 2, 3), words("x", "y", "z").reshape(1, 1, 3), ints(1)], {})],
    "Tile": [(13, [GRID, Const(ints(2, 1))], {}), (6, [GRID, Const(ints(1, 2))], {})],
    "Transpose": [(13, [CUBE], {"perm": [2, 0, 1]}), (1, [GRID], {})],
    "Trilu": [(14, [GRID, np.array(1)], {}), (14, [CUBE], {"upper": 0})],
    "Unsqueeze": [(13, [GRID, Const(ints(0, 3))], {}), (1, [GRID], {"axes": [1]})],
    "Where": [(16, [np.array([True, False, True]), GRID, words("else")], {})],
}
# Tested elsewhere: other tests of this file, control flow, sequences and optionals, random ops; by the shape of an input
# only; images of strings, which mean nothing.
ELSEWHERE = {"Cast", "CastLike", "Constant", "If", "Loop", "Scan", "RegexFullMatch", "StringConcat", "StringNormalizer",
             "StringSplit", "TfIdfVectorizer", "Split", "Unique", "ConcatFromSequence", "Optional", "OptionalGetElement",
             "OptionalHasElement", "SequenceAt", "SequenceConstruct", "SequenceEmpty", "SequenceErase", "SequenceInsert",
             "SequenceLength", "SequenceMap", "SplitToSequence", "RandomNormalLike", "RandomUniformLike", "Col2Im",
             "GridSample", "Resize", "Upsample"}


def test_all_ops_on_strings_are_tested():
    allowed = {s.name for s in onnx.defs.get_all_schemas_with_history() if s.domain == ""
               and any("string" in t for v in [*s.inputs, *s.outputs] for t in v.types)}
    assert allowed == set(MOVED) | ELSEWHERE


def by_reference(op, opset, inputs, outputs, attrs):
    """What the onnx package gives, for the inputs as constants where they are Const."""
    inputs = [getattr(x, "value", x) for x in inputs]
    names = [f"x{i}" for i in range(len(inputs))]
    infos = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
             for n, x in zip(names, inputs)]
    results = [f"y{i}" for i in range(outputs)]
    graph = helper.make_graph([helper.make_node(op, names, results, **attrs)], "g", infos,
                              [onnx.ValueInfoProto(name=r) for r in results])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    return [np.asarray(y) for y in ReferenceEvaluator(model).run(None, dict(zip(names, inputs)))]


def by_places(op, opset, inputs, attrs):
    """The same op on the places of the strings, where the onnx package does not take strings."""
    flat = [w for x in inputs if getattr(x, "value", x).dtype == object for w in getattr(x, "value", x).flat]
    places = {w: i for i, w in enumerate(dict.fromkeys(["", *flat]))}
    numbers = [np.vectorize(places.get, otypes=[np.int64])(v) if v.dtype == object else v
               for v in (getattr(x, "value", x) for x in inputs)]
    op, opset = ("ScatterElements", 11) if op == "Scatter" else (op, opset)  # the same under its old name
    got, = by_reference(op, opset, numbers, 1, attrs)
    return np.vectorize(list(places).__getitem__, otypes=[object])(got)


@pytest.mark.parametrize("op", sorted(MOVED))
def test_moved(op):
    for opset, inputs, attrs in MOVED[op]:
        batch = Batch(opset)
        if op in ("Equal", "NonZero", "Shape", "Size"):
            want, = by_reference(op, opset, inputs, 1, attrs)
        else:
            want = by_places(op, opset, inputs, attrs)
        batch.add(op, inputs, want, **attrs)
        batch.check()
        batch.check(options=interpreted())


def test_what_a_string_input_may_hold():
    """Bytes that are no UTF-8 come back as Python escapes them in file names; other objects are their str()."""
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Identity", ["x"], ["y"])], "g",
        [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.STRING, ["n"])],
        [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.STRING, ["n"])])
    session = noria.InferenceSession(onnx.helper.make_model(graph, ir_version=9).SerializeToString())
    texts = ["a", "", "\xfc\0x", "\U0001f600", "\udc80", b"\xff", b"\xc3\xbc", 3, None, np.str_("w")]
    want = [t.decode("utf-8", "surrogateescape") if isinstance(t, bytes) else str(t) for t in texts]
    assert session.run(None, {"x": np.array(texts, object)})[0].tolist() == want
    for given in (["b", "cc"], np.array(["b", "cc"])):
        assert session.run(None, {"x": given})[0].tolist() == ["b", "cc"]
    with pytest.raises(noria.Error, match="input 'x' has a string that is no text: .*surrogates not allowed"):
        session.run(None, {"x": ["a", "\ud800"]})


def test_split():
    for opset, more, attrs in [(18, [], {"num_outputs": 2}), (13, [Const(ints(1, 2))], {}), (2, [], {"split": [2, 1]})]:
        batch = Batch(opset)
        if opset == 2:
            want = [GRID[:, :2], GRID[:, 2:]]
        else:
            want = np.array_split(GRID, [2 if opset == 18 else 1], axis=1)
        batch.add("Split", [GRID, *more], want, axis=1, **attrs)
        batch.check()


@pytest.mark.parametrize("attrs", [{}, {"sorted": 0}, {"axis": 0}, {"axis": -1, "sorted": 0}], ids=str)
def test_unique(attrs):
    """Strings in the order of their bytes, which in UTF-8 is that of their characters: Python's."""
    x = np.concatenate([GRID, GRID[:, ::-1], GRID])
    axis = attrs.get("axis")
    rows = [(w,) for w in x.flat] if axis is None else [tuple(r) for r in np.moveaxis(x, axis, 0)]
    first = [rows.index(r) for r in dict.fromkeys(rows)]
    if attrs.get("sorted", 1):
        first.sort(key=rows.__getitem__)
    y = np.take(x.ravel() if axis is None else x, first, axis or 0)
    place = {rows[f]: i for i, f in enumerate(first)}
    batch = Batch(11)
    batch.add("Unique", [x], [y, ints(*first), ints(*(place[r] for r in rows)), ints(*(rows.count(rows[f]) for f in first))],
              **attrs)
    batch.add("Unique", [words()], [words(), ints(), ints(), ints()])
    batch.check()


# ---- TfIdfVectorizer -------------------------------------------------------------------------------------------------

def test_weights_of_tfidf():
    """Weight i is that of n-gram i, whatever its column is; n-grams may share a column."""
    x = np.array([[1, 2, 1, 2, 3], [3, 3, 3, 3, 3]], np.int64)
    attrs = {"mode": "TFIDF", "min_gram_length": 1, "max_gram_length": 2, "max_skip_count": 0, "ngram_counts": [0, 2],
             "ngram_indexes": [2, 0, 3, 2], "pool_int64s": [1, 3, 1, 2, 3, 3], "weights": [.5, 2., 10., 100.]}
    batch = Batch(9)
    batch.add("TfIdfVectorizer", [x], np.array([[2, 0, 1, 20], [10, 0, 400, 0]], np.float32), **attrs)
    batch.add("TfIdfVectorizer", [x], np.array([[2, 0, .5, 10], [2, 0, 100, 0]], np.float32), **attrs | {"mode": "IDF"})
    batch.add("TfIdfVectorizer", [x], np.array([[1, 0, 2, 2], [5, 0, 4, 0]], np.float32), **attrs | {"mode": "TF"})
    batch.add("TfIdfVectorizer", [x[:0]], np.zeros((0, 4), np.float32), **attrs)
    batch.check()
    batch.check(options=interpreted())


@pytest.mark.parametrize("change, message", [
    ({"mode": "tf"}, "mode is 'tf'; it must be TF, IDF or TFIDF"),
    ({"pool_strings": ["a", "b"]}, "one of the attributes pool_int64s and pool_strings must be there"),
    ({"pool_int64s": None}, "one of the attributes pool_int64s and pool_strings must be there"),
    ({"ngram_counts": [0, 3]}, "must ascend from 0 to the size of the pool, 2"), ({"ngram_counts": [1, 0]}, "ngram_counts[0] is 1"),
    ({"ngram_counts": [0, 1]}, "the pool has 1 items for 2-grams"), ({"ngram_counts": [-1]}, "ngram_counts[0] is -1"),
    ({"ngram_indexes": [0]}, "ngram_indexes has 1 numbers for 2 n-grams"),
    ({"ngram_indexes": [0, -1]}, "ngram_indexes[1] is -1"),
    ({"mode": "IDF", "weights": [1.]}, "weights has 1 numbers for 2 n-grams"),
    ({"min_gram_length": 0}, "n-grams have from 0 to 1 items"), ({"max_skip_count": -1}, "max_skip_count is -1"),
], ids=str)
def test_wrong_tfidf(change, message):
    attrs = {"mode": "TF", "min_gram_length": 1, "max_gram_length": 1, "max_skip_count": 0, "ngram_counts": [0],
             "ngram_indexes": [0, 1], "pool_int64s": [5, 6]} | change
    attrs = {k: v for k, v in attrs.items() if v is not None}
    assert message in fails("TfIdfVectorizer", [np.zeros(3, np.int64)], 9, **attrs)


def test_tfidf_of_wrong_inputs():
    attrs = {"mode": "TF", "min_gram_length": 1, "max_gram_length": 1, "max_skip_count": 0, "ngram_counts": [0],
             "ngram_indexes": [0]}
    assert "input X is string, but attribute pool_int64s is there" in fails(
        "TfIdfVectorizer", [words("a")], 9, pool_int64s=[1], **attrs)
    assert "input X is int64, but attribute pool_strings is there" in fails(
        "TfIdfVectorizer", [ints(1)], 9, pool_strings=["a"], **attrs)
    assert "input X has rank 3" in fails("TfIdfVectorizer", [np.zeros((1, 1, 1), np.int64)], 9, pool_int64s=[1], **attrs)


def test_repeated_ngrams_without_scores():
    scores = np.zeros((1, 3), np.float32)
    assert "token 7 has no score; there are 3" in fails("com.microsoft.NGramRepeatBlock", [np.array([[1, 7, 1]]), scores], 20,
                                                        ngram_size=2)
    assert "ngram_size is 0; it must be positive" in fails("com.microsoft.NGramRepeatBlock", [np.array([[1]]), scores], 20,
                                                           ngram_size=0)
    for symbolic in False, True:
        message = fails("com.microsoft.NGramRepeatBlock", [np.array([[1], [1]]), scores], 20, symbolic, ngram_size=1)
        assert "the_node" in message and "scores" in message
