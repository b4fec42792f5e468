"""Models that are wrong in ways that a reader of protobuf does not see: sizes that no memory holds, bodies that do not
fit their node, numbers at the ends of their types. Each is refused with one error that names the node, or runs with the
right result; none ends the process. The mutator finds them (tests/fuzz/models)."""
import numpy as np
import pytest

import noria
from test_bad_input import fails, folder, model_of, refused, session_of  # noqa: F401  (folder is a fixture)

LEAST, MOST = -2**63, 2**63 - 1
HUGE = 2**62


# ---- sizes -----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("text", [
    f"g (float[1,1,{MOST},{MOST}] x) => (float[a,b,c,d] y) {{ y = AveragePool <kernel_shape = [2, 2]> (x) }}",
    f"g (float[1,{HUGE},4,4] x) => (float[a,b,c,d] y) {{ y = SpaceToDepth <blocksize = 2> (x) }}",
    f"g (float[N,{HUGE},4] x) => (float[a,b,c] y) {{ y = Neg(x) }}",
    f"g (float[0,{MOST}] x) => (float[a,b] y) {{ y = Neg(x) }}",
    f"g (seq(float[{HUGE},4]) x) => (int64 y) {{ y = SequenceLength(x) }}",
    f"g (float[{HUGE}] x) => (float[a,b] y) {{ y = EyeLike <dtype = 11> (x) }}",
])
def test_declared_sizes(folder, text):
    refused(model_of(text), "'x' has a shape that no memory can hold", folder=folder)


@pytest.mark.parametrize("text, op", [
    (f"g (float x) => (float[N] y) <int64[3] s = {{{HUGE}, 2, 2}}> {{ y = Expand(x, s) }}", "Expand"),
    (f"g (float x) => (float[N] y) <int64[2] s = {{{MOST}, {MOST}}}> {{ z = ConstantOfShape(s) y = Add(z, x) }}",
     "ConstantOfShape"),
    (f"g (float[1,4] x) => (float[N] y) <int64[2] r = {{{HUGE}, {HUGE}}}> {{ y = Tile(x, r) }}", "Tile"),
    (f"g (bool[8] x) => (float[N] y) <int64 d = {{{MOST}}}, float[2] v = {{0, 1}}> "
     "{ i = Cast <to = 7> (x)  y = OneHot(i, d, v) }", "OneHot"),
])
def test_sizes_on_the_way(folder, text, op):
    """What nodes make of constants is as large as what is declared."""
    refused(model_of(text), f"({op}): needs a tensor of shape", folder=folder)


def test_sizes_of_a_pad(folder):
    text = f"g (float[2] x) => (float[N] y) <int64[2] p = {{{HUGE}, {HUGE}}}> {{ y = Pad(x, p) }}"
    refused(model_of(text), "make a dim of 2 too large", folder=folder)


def test_sizes_of_an_attention_body(folder):
    model = model_of(f"""g (float[2,{2**60},8] q, float[2,4,8] k, float[2,4,8] v) => (float[a,b,c] y) {{
        y = Attention <q_num_heads = 2, kv_num_heads = 2> (q, k, v) }}""", opset=23)
    refused(model, "no memory can hold", folder=folder)


RESHAPE = "g (float[N] x, int64[2] s) => (float[a,b] y) { y = Reshape(x, s) }"


@pytest.mark.parametrize("shape", [[-2, -6], [4, 3 + HUGE], [2**32, 2**32], [12, LEAST], [MOST, -1]])
def test_reshape_to_sizes_whose_product_wraps(shape):
    session = session_of(RESHAPE)
    fails(session, {"x": np.zeros(12, np.float32), "s": np.array(shape)}, "node 'y': 12 elements do not fit")


@pytest.mark.parametrize("shape, want", [([3, -1], (3, 4)), ([0, -1], (12, 1)), ([12, 1], (12, 1))])
def test_reshape_that_fits(shape, want):
    x = np.arange(12, dtype=np.float32)
    got, = session_of(RESHAPE).run(None, {"x": x, "s": np.array(shape)})
    assert got.shape == want and np.array_equal(got.ravel(), x)


@pytest.mark.parametrize("shape, want", [([0, 5], (0, 5)), ([5, 0], (5, 0)), ([-1, 3], (0, 3))])
def test_reshape_of_nothing(shape, want):
    got, = session_of(RESHAPE).run(None, {"x": np.zeros(0, np.float32), "s": np.array(shape)})
    assert got.shape == want


# ---- Range -----------------------------------------------------------------------------------------------------------

RANGE = "g (int64 s, int64 e, int64 d) => (int64[N] y) { y = Range(s, e, d) }"
# By Python's own integers, which do not wrap.
RANGES = [(0, 10, 3), (10, 0, -3), (0, 0, 1), (5, LEAST, 1), (0, 5, LEAST), (5, 0, LEAST), (-1, LEAST, LEAST),
          (LEAST, LEAST + 3, 1), (MOST, MOST - 5, -2), (MOST - 5, MOST, 2), (LEAST, 0, HUGE), (3, -4, MOST),
          (-4, MOST - 8, MOST)]


@pytest.mark.parametrize("ends", RANGES)
def test_range_at_the_ends(ends):
    start, limit, delta = ends
    want = np.array(list(range(start, limit, delta)), np.int64)
    feeds = {"s": np.array(start), "e": np.array(limit), "d": np.array(delta)}
    got, = session_of(RANGE).run(None, feeds)
    assert np.array_equal(got, want)
    for names in ("s", "d", "sd", "sed", "e", "ed"):
        known = ", ".join(f"int64 {name} = {{{int(feeds[name])}}}" for name in names)
        open_ends = ", ".join(f"int64 {name}" for name in "sed" if name not in names)
        text = f"g ({open_ends}) => (int64[N] y) <{known}> {{ y = Range(s, e, d) }}"
        got, = session_of(text).run(None, {name: feeds[name] for name in "sed" if name not in names})
        assert np.array_equal(got, want), names


@pytest.mark.parametrize("start, limit, delta", [(0, LEAST, -1), (LEAST, MOST, 1), (MOST, LEAST, -1), (-1, MOST, 1)])
def test_range_of_too_many(start, limit, delta):
    """One more than an index counts, or more than memory holds."""
    session = session_of(RANGE)
    with pytest.raises(noria.Error, match="more elements than can be counted|memory"):
        session.run(None, {"s": np.array(start), "e": np.array(limit), "d": np.array(delta)})


def test_range_of_floats_that_does_not_end(folder):
    refused(model_of("g (float x) => (float[N] y) <float s = {0}, float e = {1}, float d = {0}> "
                     "{ z = Range(s, e, d) y = Add(z, x) }"), "(Range): the number of steps is not finite",
            folder=folder)


# ---- bodies ----------------------------------------------------------------------------------------------------------

def loop(body):
    return f"""g (int64 n, bool go, float x) => (float y) {{
        z = Neg(x)
        y = Loop <body = b (int64 i, bool c, float a) => {body}> (n, go, x) }}"""


@pytest.mark.parametrize("text, words", [
    (loop("(int64 i, float a2) { a2 = Add(a, z) }"), "the body's first output must be the boolean condition"),
    (loop("(seq(bool) s, float a2) { a2 = Add(a, z)  s = SequenceConstruct(c) }"),
     "the body's first output must be the boolean condition"),
    (loop("(bool[2] t, float a2) { a2 = Add(a, z)  t = Constant <value = bool[2] {1, 0}> () }"),
     "the condition that the body gives must have one element"),
    (loop("(bool c, seq(float) s) { s = SequenceConstruct(a) }"), "carried value 0"),
    (loop("(bool c, float a, float a) { }"), None),
    (loop("(bool c) { }"), "the body has 1 outputs"),
])
def test_loop_bodies(folder, text, words):
    if words:
        refused(model_of(text), "node 'y' (Loop)", words, folder=folder)
    else:
        session_of(text)


@pytest.mark.parametrize("inputs", ["float[2] i", "float[2] i, float j, float k", ""])
def test_sequence_map_bodies(folder, inputs):
    text = f"""g (seq(float[2]) s, float x) => (seq(float[2]) y) {{
        y = SequenceMap <body = b ({inputs}) => (float[2] o) {{ o = Constant <value = float[2] {{1, 2}}> () }}> (s, x) }}"""
    refused(model_of(text), "node 'y' (SequenceMap)", "2 values are given to it", folder=folder)


def test_scan_bodies(folder):
    for body, words in [("(float p, float a) => (seq(float) q, float a) { q = SequenceConstruct(a) }",
                         "state 0 changes its type"),
                        ("(float p, float a) => (float p, seq(float) q) { q = SequenceConstruct(a) }", "not a tensor"),
                        ("(float p) => (float p, float p) { }", "the body has 1 inputs")]:
        text = f"""g (float s, float[N] x) => (float t, float[N] y) {{
            t, y = Scan <num_scan_inputs = 1, body = b {body}> (s, x) }}"""
        refused(model_of(text), "(Scan)", words, folder=folder)


# ---- values that do not go together ----------------------------------------------------------------------------------

@pytest.mark.parametrize("text, words", [
    ("g (seq(seq(float)) s, float x) => (seq(float) y) { y = SequenceInsert(s, x) }", "(SequenceInsert)"),
    ("g (int32[2,2] x) => (int32[N] y) <int64[1,2] i = {0, 7}> { y = GatherND(x, i) }",
     "(GatherND): index 7 is out of range for 2 elements"),
    ("g (float[a,b] x, float[1,9] y, float[1,3] z) => (float[c,d] r) { r = Concat <axis = 0> (x, y, z) }",
     "(Concat): dims of the joined tensors: 9 and 3 differ"),
])
def test_values(folder, text, words):
    refused(model_of(text), words, folder=folder)


def test_node_without_outputs(folder):
    model = model_of("g (float x) => (float y) { y = Neg(x)  z = Constant <value = float {1}> () }")
    del model.graph.node[1].output[:]
    refused(model, "(Constant): the node has no outputs", folder=folder)


def test_constant_with_two_outputs():
    model = model_of("g (float x) => (float y) { z = Constant <value = float {2}> ()  y = Mul(z, x) }")
    model.graph.node[0].output.append("w")
    assert noria.InferenceSession(model.SerializeToString()).run(None, {"x": np.float32(3)})[0] == 6


def test_sequence_without_an_element_type(folder):
    model = model_of("g (seq(float) s, int64 i) => (float[2] y) { y = SequenceAt(s, i) }")
    model.graph.input[0].type.sequence_type.ClearField("elem_type")
    refused(model, "'s' has no element type", folder=folder)


@pytest.mark.parametrize("inputs", [[], ["c", "c"]])
def test_if_without_a_condition(folder, inputs):
    model = model_of("""g (bool c, float x) => (float y) {
        y = If (c) <then_branch = t () => (float a) { a = Neg(x) }, else_branch = e () => (float b) { b = Exp(x) }> }""")
    model.graph.node[0].input[:] = inputs
    refused(model, "node 'y' (If)", "inputs; it must have 1", folder=folder)


# ---- what random graphs of tests/fuzz/fuzz_graph.c found -------------------------------------------------------------

@pytest.mark.parametrize("text", [
    "g (seq(float[2]) s) => (float[N] y, float[N] z) { y, z = ConcatFromSequence <axis = 0> (s) }",
    "g (int64[N] s) => (float y, float z) { y, z = ConstantOfShape(s) }",
    """g (complex64[2,3] x) => (complex64 y, complex64 z) <int64[2] s = {4, 6}> {
        y, z = Resize <mode = "nearest"> (x, , , s) }""",
    """g (uint8[2,3] x) => (float y, float z) <float s = {0.5}> {
        d = DequantizeLinear(x, s)  e = DequantizeLinear(x, s)  y, z = Concat <axis = 0> (d, e) }""",
    """g (uint8[3,3] x) => (float y, float z) <float s = {0.5}> {
        d = DequantizeLinear(x, s)  e = DequantizeLinear(x, s)  y, z = MatMul(d, e) }""",
])
def test_nodes_with_too_many_outputs(folder, text):
    refused(model_of(text), "output", folder=folder)


DOMAINS = ', "com.microsoft": 1, "ai.onnx.ml": 3, "ai.onnx.preview.training": 1'


@pytest.mark.parametrize("text, words", [
    ("g (uint8[1,2,2,2] x, float16 s, uint8 z) => (uint8 y) "
     "{ y = com.microsoft.QLinearGlobalAveragePool(x, s, z, s, z) }", "input 1 is float16, not float32"),
    ("g (uint8[2,2] x, float16 s) => (uint8 y) { y = com.microsoft.QLinearReduceMean <axes = [0], keepdims = 1> (x, s, , s) }",
     "input 1 is float16, not float32"),
    ("g (int16[2,2] x, float s) => (int16 y) { y = com.microsoft.QLinearLeakyRelu(x, s, , s) }",
     "input 0 is int16, not int8 or uint8"),
    ("g (int32[2,4] x, float[2,8] s) => (float y) { y = com.microsoft.NGramRepeatBlock <ngram_size = 2> (x, s) }",
     "input 0 is int32, not int64"),
    ("g (bfloat16[3] x, float r, int64 t) => (bfloat16 y) "
     "{ y = ai.onnx.preview.training.Adagrad(r, t, x, x, x) }", "input 2 is bfloat16, not float32 or float64"),
    ("g (float8e5m2[4] x) => (float8e5m2 y) { y = Unique(x) }", "elements are float8_e5m2, which it does not order"),
    ("g (uint4[4] x) => (uint4 y) { y = Unique(x) }", "elements are uint4, which it does not order"),
    ("g (uint8[2] x) => (uint8 y) { y = ai.onnx.ml.Imputer <imputed_value_int64s = [300]> (x) }",
     "imputed_value_int64s has 300, which is no uint8"),
])
def test_types_that_no_version_has(folder, text, words):
    refused(model_of(text, domains=DOMAINS), words, folder=folder)


def test_imputer_of_halves():
    """No schema has it, but an f16 is a number like others."""
    model = model_of("g (float16[3] x) => (float16[3] y) { y = ai.onnx.ml.Imputer <imputed_value_floats = [0.5]> (x) }",
                     domains=DOMAINS)
    y, = noria.InferenceSession(model.SerializeToString()).run(None, {"x": np.array([1, 0, -2], np.float16)})
    np.testing.assert_array_equal(y, np.array([1, .5, -2], np.float16))


def test_gradients_of_gradients(folder):
    """Each copies the bodies of two before it: their sizes grow as the numbers of Fibonacci."""
    from onnx import TensorProto, helper
    nodes = [helper.make_node("Mul", ["x", "x"], ["y0"])]
    for k in range(60):
        nodes.append(helper.make_node("Gradient", ["x"], [f"g{k}"], domain="ai.onnx.preview.training", name=f"gradient{k}",
                                      xs=["x"], y=f"y{k}"))
        nodes.append(helper.make_node("Mul", [f"g{k}", f"g{k - 1}" if k else "x"], [f"y{k + 1}"]))
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])],
                              [helper.make_tensor_value_info("y60", TensorProto.FLOAT, [2])])
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("ai.onnx.preview.training", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    refused(model, "the model's Gradients copy more than 65536 nodes", folder=folder)
