"""Sequences and optionals against ONNX Runtime: alone, in loops and branches, with strings, and their failures."""

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, TypeProto, helper, parser

import noria

F = np.float32


def model(text, opset=18):
    parsed = parser.parse_model(f'<ir_version: 8, opset_import: ["": {opset}]>\n{text}')
    return parsed.SerializeToString()


def session(text, opset=18):
    return noria.InferenceSession(model(text, opset))


def same(got, expected):
    if isinstance(expected, list):
        assert isinstance(got, list) and len(got) == len(expected)
        for a, b in zip(got, expected):
            same(a, b)
    elif expected is None:
        assert got is None
    else:
        assert got.dtype == expected.dtype and got.shape == expected.shape
        np.testing.assert_array_equal(got, expected)


X = np.arange(12, dtype=F).reshape(3, 4)
ITEMS = [np.array([1, 2], F), np.array([3], F), np.array([], F)]

AGAINST_ORT = {
    "construct": ("f (float[A] x, float[B] y) => (seq(float[C]) s) { s = SequenceConstruct(x, y, x) }",
                  {"x": ITEMS[0], "y": ITEMS[1]}),
    "ranks differ": ("f (float[A] x, float[B, C] y) => (seq(float) s, int64 n) "
                     "{ s = SequenceConstruct(x, y) n = SequenceLength(s) }",
                     {"x": ITEMS[0], "y": X}),
    "at": ("f (seq(float[N]) s, int64 i) => (float[N] y) { y = SequenceAt(s, i) }",
           {"s": ITEMS, "i": np.array(-3, np.int64)}),
    "at int32": ("f (seq(float[N]) s, int32 i) => (float[N] y) { y = SequenceAt(s, i) }",
                 {"s": ITEMS, "i": np.array(1, np.int32)}),
    "insert": ("f (seq(float[N]) s, float[M] x, int64 i) => (seq(float[K]) a, seq(float[K]) b) "
               "{ a = SequenceInsert(s, x, i) b = SequenceInsert(s, x) }",
               {"s": ITEMS, "x": np.array([9, 9], F), "i": np.array(-2, np.int64)}),
    "erase": ("f (seq(float[N]) s, int64 i) => (seq(float[K]) a, seq(float[K]) b) "
              "{ a = SequenceErase(s, i) b = SequenceErase(s) }",
              {"s": ITEMS, "i": np.array(0, np.int64)}),
    "empty": ("f (float[N] x) => (seq(int64) s, int64 n) "
              "{ s = SequenceEmpty <dtype: int = 7> () n = SequenceLength(s) }",
              {"x": ITEMS[0]}),
    "split ones": ("f (float[N, 4] x) => (seq(float[1, 4]) s) { s = SplitToSequence(x) }", {"x": X}),
    "split no axis": ("f (float[N, 4] x) => (seq(float[N]) s) "
                      "{ s = SplitToSequence <axis: int = 1, keepdims: int = 0> (x) }", {"x": X}),
    "split size": ("f (float[N, 4] x, int64 k) => (seq(float[K, 4]) s) { s = SplitToSequence(x, k) }",
                   {"x": X, "k": np.array(2, np.int64)}),
    "split sizes": ("f (float[N, 4] x, int64[M] k) => (seq(float[N, K]) s) "
                    "{ s = SplitToSequence <axis: int = -1> (x, k) }",
                    {"x": X, "k": np.array([3, 0, 1], np.int64)}),
    "concat": ("f (seq(float[N]) s) => (float[K] y) { y = ConcatFromSequence <axis: int = 0> (s) }", {"s": ITEMS}),
    "stack": ("f (seq(float[N]) s) => (float[K, N] y) "
              "{ y = ConcatFromSequence <axis: int = -1, new_axis: int = 1> (s) }",
              {"s": ITEMS[:1] * 3}),
    "loop": ("f (int64 n, float[N] x) => (seq(float[K]) s) {"
             " e = SequenceEmpty() c = Constant <value: tensor = bool {1}> ()"
             " s = Loop(n, c, e) <body = b (int64 i, bool go, seq(float) t) => (bool more, seq(float) u) {"
             "  more = Identity(go) k = Cast <to: int = 1> (i) v = Add(x, k) u = SequenceInsert(t, v) }> }",
             {"n": np.array(4, np.int64), "x": ITEMS[0]}),
    "branches": ("f (bool c, float[N] x) => (seq(float[K]) s) { s = If(c) <"
                 " then_branch = t () => (seq(float) a) { a = SequenceConstruct(x, x) },"
                 " else_branch = e () => (seq(float) b) { b = SequenceEmpty() }> }",
                 {"c": np.array(False), "x": ITEMS[0]}),
    "shared": ("f (seq(float[N]) s, float[M] x) => (seq(float[K]) a, seq(float[K]) b) "
               "{ a = SequenceInsert(s, x) t = SequenceErase(a) u = SequenceErase(t) b = SequenceInsert(u, x) }",
               {"s": ITEMS, "x": np.array([7], F)}),
    "map": ("f (seq(float[N]) s, float[1] x) => (seq(float[K]) a, seq(int64[1]) b) { a, b = SequenceMap(s, x) <"
            "body = g (float[N] p, float[1] q) => (float[N] r, int64[1] z) { r = Add(p, q) z = Shape(p) }> }",
            {"s": ITEMS, "x": np.array([5], F)}),
}


@pytest.mark.parametrize("name", AGAINST_ORT)
def test_as_onnx_runtime(name):
    text, feeds = AGAINST_ORT[name]
    binary = model(text)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    expected = onnxruntime.InferenceSession(binary, options, providers=["CPUExecutionProvider"]).run(None, feeds)
    loaded = noria.InferenceSession(binary)
    for _ in range(2):  # the first run leaves the inputs, and itself, as they were
        same(loaded.run(None, feeds), expected)


def test_strings():
    s = session("f (seq(string[N]) s, string[M] x) => (seq(string[K]) t, string[L] y, string[L] z)"
                "{ t = SequenceInsert(s, x) y = ConcatFromSequence <axis: int = 0> (t) "
                "p = Constant <value: tensor = int64 {0}> ()"
                " z = SequenceAt(t, p) }")
    items = [np.array(["a", "dé"], object), np.array([], object)]
    t, y, z = s.run(None, {"s": items, "x": np.array(["", "q"], object)})
    assert [list(i) for i in t] == [["a", "dé"], [], ["", "q"]]
    assert list(y) == ["a", "dé", "", "q"] and list(z) == ["a", "dé"]


def test_optional():
    s = session("f (optional(float[N]) o) => (bool h, float[M] y) { h = OptionalHasElement(o) y = If(h) <"
                "then_branch = t () => (float[K] a) { a = OptionalGetElement(o) },"
                "else_branch = e () => (float[K] b) { b = Constant <value: tensor = float[1] {-1}> () }> }")
    same(s.run(None, {"o": ITEMS[0]}), [np.array(True), ITEMS[0]])
    same(s.run(None, {"o": None}), [np.array(False), np.array([-1], F)])


def test_optional_of_sequence():
    s = session("f (seq(float[N]) s) => (int64 n) { o = Optional(s) t = OptionalGetElement(o) n = SequenceLength(t) }")
    same(s.run(None, {"s": ITEMS}), [np.array(3, np.int64)])


@pytest.mark.parametrize("kind", ["optional(float[N])", "optional(seq(float[N]))", "seq(float[N])", "float[N]"])
def test_types_are_those_of_onnxruntime(kind):
    data = model(f"f ({kind} o) => ({kind} y) {{ y = Identity(o) }}")
    ours, theirs = noria.InferenceSession(data), onnxruntime.InferenceSession(data)
    for a, b in zip(ours.get_inputs() + ours.get_outputs(), theirs.get_inputs() + theirs.get_outputs()):
        assert (a.name, a.type) == (b.name, b.type)


def test_empty_optional():
    kind = helper.make_optional_type_proto(helper.make_tensor_type_proto(TensorProto.FLOAT, [2]))
    node = helper.make_node("Optional", [], ["o"], type=helper.make_tensor_type_proto(TensorProto.FLOAT, [2]))
    graph = helper.make_graph([node], "g", [], [helper.make_value_info("o", kind)])
    binary = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8).SerializeToString()
    assert noria.InferenceSession(binary).run(None, {}) == [None]


FAILURES = {
    "at": ("f (seq(float[N]) s, int64 i) => (float[N] y) { [the_node] y = SequenceAt(s, i) }",
           {"s": ITEMS, "i": np.array(3, np.int64)},
           "'the_node'.*position 3 is out of range for a sequence of length 3"),
    "erase": ("f (seq(float[N]) s) => (seq(float[N]) y) { [the_node] y = SequenceErase(s) }", {"s": []},
              "'the_node'.*out of range for a sequence of length 0"),
    "rank": ("f (seq(float[N]) s, int64 i) => (float[N] y) { [the_node] y = SequenceAt(s, i) }",
             {"s": [X], "i": np.array(0, np.int64)}, "rank 2 where the model says 1"),
    "size": ("f (seq(float[2]) s, int64 i) => (float[2] y) { [the_node] y = SequenceAt(s, i) }",
             {"s": ITEMS, "i": np.array(1, np.int64)}, "'the_node'.*1 and 2 differ"),
    "split": ("f (float[N, 4] x, int64[M] k) => (seq(float) s) { [the_node] s = SplitToSequence(x, k) }",
              {"x": X, "k": np.array([2, 2], np.int64)}, "'the_node'.*do not add up"),
    "concat": ("f (seq(float[N]) s) => (float[A, B] y) "
               "{ [the_node] y = ConcatFromSequence <axis: int = 0, new_axis: int = 1> (s) }",
               {"s": ITEMS}, "'the_node'.*another shape than item 0"),
    "optional": ("f (optional(float[N]) o) => (float[M] y) { [the_node] y = OptionalGetElement(o) }", {"o": None},
                 "'the_node'.*the optional is empty"),
    "map": ("f (seq(float[N]) s, seq(float[N]) t) => (seq(float) y) { [the_node] y = SequenceMap(s, t) <"
            "body = g (float[N] p, float[N] q) => (float[N] r) { r = Add(p, q) }> }", {"s": ITEMS, "t": ITEMS[:2]},
            "'the_node'.*sequences of 3 and 2 items"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_failure(name):
    text, feeds, message = FAILURES[name]
    loaded = session(text)
    for _ in range(2):
        with pytest.raises(noria.Error, match=message):
            loaded.run(None, feeds)


@pytest.mark.parametrize("rank", range(9))
def test_rank_that_the_run_knows(rank):
    loaded = session("f (seq(float[]) s, int64 i) => (float y) "
                     "{ [the_node] z = SequenceAt(s, i) y = ReduceSum <keepdims: int = 0> (z) }")
    feeds = {"s": [np.ones([2] * rank, np.float32)], "i": np.int64(0)}
    if rank < 8:
        assert loaded.run(None, feeds) == [2 ** rank]
    else:
        with pytest.raises(noria.Error, match="a value has rank 8; the most that it is compiled for is 7"):
            loaded.run(None, feeds)


def test_many_items():
    """A sequence that a loop appends to does not cost a copy each time."""
    s = session("f (int64 n) => (int64 m, int64 last) "
                "{ e = SequenceEmpty <dtype: int = 7> () c = Constant <value: tensor = bool {1}> ()"
                " s = Loop(n, c, e) <body = b (int64 i, bool go, seq(int64) t) => (bool more, seq(int64) u) {"
                "  more = Identity(go) u = SequenceInsert(t, i) }>"
                " m = SequenceLength(s) p = Constant <value: tensor = int64 {-1}> () last = SequenceAt(s, p) }")
    same(s.run(None, {"n": np.array(20_000, np.int64)}), [np.array(20_000, np.int64), np.array(19_999, np.int64)])
