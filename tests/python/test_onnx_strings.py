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
