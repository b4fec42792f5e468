"""Stage `shape`: a model's ops with the types that their lowering finds, as text that is read back and means the same."""
import re
import warnings

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx_runner import Runner
from test_interpreter import as_array, cases, size
from test_onnx_sequence import same

import noria


def model(text, opset=18):
    return onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : {opset}]>\n{text}').SerializeToString()


@pytest.fixture
def shaped(noria_tool, tmp_path):
    """The text of a model after the stage, which the verifier takes and which prints as it was read."""

    def run(binary):
        (tmp_path / "model.onnx").write_bytes(binary)
        first = noria_tool("opt", "--pipeline", "--stop-after=shape", tmp_path / "model.onnx")
        assert first.returncode == 0, first.stderr
        second = noria_tool("opt", "-", stdin=first.stdout)
        assert second.returncode == 0 and second.stdout == first.stdout, second.stderr
        return first.stdout

    return run


def types(text, op):
    """What each op of this name gives, in the order of the text; the types of an op with regions stand behind them."""
    found, begins = [], []
    for line in text.splitlines():
        started = re.match(r'( *)(?:%\S+ = )?"onnx\.(\w+)"', line)
        if started and line.endswith("({"):
            begins.append(started)
        elif "->" in line:
            name = begins.pop()[2] if re.match(r" *\}\) ", line) else started[2] if started else None
            if name == op:
                found.append(re.sub(r".* -> \(?(.*?)\)?$", r"\1", line))
    return found


def block_arguments(text):
    return re.findall(r"\^bb\d+\((.*)\):", text)


def all_typed(text):
    """Nothing but an input that is left out is `none`, and no tensor is without rank but items of a sequence."""
    for line in text.splitlines():
        if "onnx.NoValue" not in line:
            assert not re.search(r"-> .*(\bnone\b|(?<!seq<)tensor<\*x)", line), line
    assert not re.search(r"none|(?<!seq<)tensor<\*x", "".join(block_arguments(text)))


def answers(binary, feeds):
    return noria.InferenceSession(binary).run(None, feeds)


def means_the_same(binary, text, feeds):
    same(answers(text.encode(), feeds), answers(binary, feeds))


F = np.float32

LOOP_GROWS = """g (int64 n, float[K] x, uint8[2] u) => (float[A] y, float[T, B] rows, uint8[2] v) {
  c = Constant <value: tensor = bool {1}> ()
  y, v, rows = Loop(n, c, x, u) <body = b (int64 i, bool go, float[1] p, uint8[2] s)
      => (bool more, float[A] q, uint8[2] t, float[1] row) {
    more = Identity(go) one = Constant <value: tensor = float[1] {1.0}> ()
    q = Concat <axis: int = 0> (p, one) row = ReduceSum(p) t = Add(s, s) }> }"""


def test_loop_whose_carried_dims_change(shaped):
    binary = model(LOOP_GROWS)
    text = shaped(binary)
    all_typed(text)
    assert types(text, "Loop") == ["tensor<?xf32>, tensor<2xui8>, tensor<?x1xf32>"]
    assert types(text, "Concat") == ["tensor<?xf32>"]
    # The type that the body declares for what it carries does not hold.
    assert [re.findall(r": (\S+?)(?:,|$)", a) for a in block_arguments(text)] == [
        ["tensor<i64>", "tensor<i1>", "tensor<?xf32>", "tensor<2xui8>"]]
    assert "-> (tensor<?xf32>, tensor<?x1xf32>, tensor<2xui8>) attributes" in text
    means_the_same(binary, text, {"n": np.int64(3), "x": np.ones(2, F), "u": np.array([1, 2], np.uint8)})


def test_symbols_are_named(shaped):
    binary = model("""g (float[N, 3] x, float[3, M] w) => (float[A, B] y, float[C, D] z) {
      y = MatMul(x, w) z = Concat <axis: int = 0> (y, y) }""")
    text = shaped(binary)
    (line,) = [line for line in text.splitlines() if "onnx.MatMul" in line]
    assert 'noria.dim_names = [["N", "M"]]' in line
    (line,) = [line for line in text.splitlines() if "onnx.Concat" in line]
    assert 'noria.dim_names = [["", "M"]]' in line


def test_if(shaped):
    binary = model("""g (bool c, float[2, 3] x) => (float[A, B] y) {
      y = If(c) <then_branch = t () => (float[A, B] p) { p = Identity(x) },
                 else_branch = e () => (float[A, B] q) { q = Concat <axis: int = 0> (x, x) }> }""")
    text = shaped(binary)
    all_typed(text)
    assert types(text, "If") == ["tensor<?x3xf32>"]
    assert types(text, "Concat") == ["tensor<4x3xf32>"]
    for c in (True, False):
        means_the_same(binary, text, {"c": np.array(c), "x": np.ones((2, 3), F)})


def test_if_that_is_decided(shaped):
    binary = model("""g (float[2, 1] x) => (float[A] y) {
      s = Shape(x) k = Constant <value: tensor = int64[2] {2, 1}> () e = Equal(s, k)
      f = Cast <to: int = 6> (e) m = ReduceMin <keepdims: int = 0> (f) c = Cast <to: int = 9> (m)
      y = If(c) <then_branch = t () => (float[A] p) { a = Constant <value: tensor = int64[1] {1}> () p = Squeeze(x, a) },
                 else_branch = e () => (float[A, B] q) { q = Concat <axis: int = 0> (x, x) }> }""")
    text = shaped(binary)
    all_typed(text)
    assert "onnx.If" not in text and types(text, "Squeeze") == ["tensor<2xf32>"]
    means_the_same(binary, text, {"x": np.ones((2, 1), F)})


def test_what_is_known_is_constant(shaped):
    binary = model("""g (float[2, N, 4] x, uint8[2] u) => (float[A, B] y, uint8[3] w) {
      s = Shape <start: int = 2> (x) m = Constant <value: tensor = int64[1] {-1}> ()
      t = Concat <axis: int = 0> (m, s) y = Reshape(x, t)
      d = Shape(u) k = Constant <value: tensor = int64[2] {200, 55}> () e = Concat <axis: int = 0> (d, k)
      w = Cast <to: int = 2> (e) }""")
    text = shaped(binary)
    all_typed(text)
    assert set(re.findall(r"onnx\.(\w+)", text)) == {"Constant", "Reshape", "Yield"}
    assert "dense<[-1, 4]> : tensor<2xi64>" in text and "dense<[2, 200, 55]> : tensor<3xui8>" in text
    means_the_same(binary, text, {"x": np.ones((2, 3, 4), F), "u": np.zeros(2, np.uint8)})


def test_branches_of_different_rank(shaped):
    binary = model("""g (float[N, M] x) => (float y) {
      s = Shape <start: int = 1> (x) k = Constant <value: tensor = int64[1] {1}> () c = Equal(s, k)
      i = If(c) <then_branch = t () => (float p) { p = Squeeze(x, k) },
                 else_branch = e () => (float q) { q = Identity(x) }>
      y = ReduceSum <keepdims: int = 0> (i) }""")
    text = shaped(binary)
    assert types(text, "If") == ["tensor<*xf32>"]
    assert types(text, "Identity") == ["tensor<?x?xf32>"]
    assert types(text, "ReduceSum") == ["tensor<f32>"]
    means_the_same(binary, text, {"x": np.ones((3, 1), F)})


@pytest.mark.parametrize("opset", [8, 18])
def test_scan(shaped, opset):
    batch, lengths = ("1, ", '"", ') if opset == 8 else ("", "")
    binary = model(f"""g (float[{batch}2] s, float[{batch}T, 2] x) => (float[{batch}2] f, float[{batch}T, 2] rows) {{
      f, rows = Scan <num_scan_inputs: int = 1, body = b (float[2] a, float[2] r) => (float[2] n, float[2] o) {{
        n = Add(a, r) o = Identity(n) }}> ({lengths}s, x) }}""", opset)
    text = shaped(binary)
    all_typed(text)
    lead = "1x" if opset == 8 else ""
    assert types(text, "Scan") == [f"tensor<{lead}2xf32>, tensor<{lead}?x2xf32>"]
    assert types(text, "Add") == ["tensor<2xf32>"]
    shape = (1,) if opset == 8 else ()
    means_the_same(binary, text, {"s": np.zeros(shape + (2,), F), "x": np.ones(shape + (3, 2), F)})


def test_sequences(shaped):
    binary = model("""g (int64 n, float[N] x) => (seq(float[K]) s, float[L] y, uint8[M] z) {
      e = SequenceEmpty() c = Constant <value: tensor = bool {1}> ()
      s = Loop(n, c, e) <body = b (int64 i, bool go, seq(float) t) => (bool more, seq(float) u) {
        more = Identity(go) k = Cast <to: int = 1> (i) v = Add(x, k) u = SequenceInsert(t, v) }>
      y = ConcatFromSequence <axis: int = 0> (s)
      b = Cast <to: int = 2> (x) q = SequenceConstruct(b, b) i = Constant <value: tensor = int64 {0}> ()
      z = SequenceAt(q, i) }""")
    text = shaped(binary)
    all_typed(text)
    assert types(text, "SequenceEmpty") == ["!onnx.seq<tensor<*xf32>>"]
    assert types(text, "Loop") == ["!onnx.seq<tensor<?xf32>>"]
    assert types(text, "SequenceConstruct") == ["!onnx.seq<tensor<?xui8>>"]
    assert types(text, "SequenceAt") == ["tensor<?xui8>"]
    means_the_same(binary, text, {"n": np.int64(3), "x": np.ones(2, F)})


def test_strings(shaped):
    binary = model("""g (string[N] a, string[N] b) => (bool[N] y, string[N] z) {
      y = Equal(a, b) z = Identity(a) }""", 19)
    text = shaped(binary)
    all_typed(text)
    assert types(text, "Identity") == ["tensor<?x!onnx.string>"]


def test_values_of_several_versions(shaped):
    """What the versions agree on is known: each op behind `s` is lowered for every rank, and some not at all."""
    binary = model("""g (float[N] x, int64[R] s, float[2, 3] w) => (float[A, B] y, float[C] v) {
      r = Reshape(x, s) d = Shape(r) k = Neg(r) y = MatMul(r, w)
      c = Constant <value: tensor = int64[1] {-1}> () v = Reshape(k, c) }""")
    text = shaped(binary)
    assert types(text, "Reshape") == ["tensor<*xf32>", "tensor<?xf32>"]
    assert types(text, "Neg") == ["tensor<*xf32>"]
    means_the_same(binary, text, {"x": np.arange(4, dtype=F), "s": np.array([2, 2]), "w": np.ones((2, 3), F)})


def test_declared_dims_of_a_scan(shaped):
    """A state keeps its shape, and slices have one, so dims that the body declares hold outside."""
    binary = model("""g (float[K] s, float[T, L] x) => (float[A] f, float[B, C] rows) {
      f, rows = Scan <num_scan_inputs: int = 1, body = b (float[2] a, float[2] r) => (float[2] n, float[2] o) {
        n = Add(a, r) o = Identity(n) }> (s, x) }""")
    text = shaped(binary)
    assert types(text, "Scan") == ["tensor<2xf32>, tensor<?x2xf32>"]
    means_the_same(binary, text, {"s": np.zeros(2, F), "x": np.ones((3, 2), F)})
    with pytest.raises(noria.Error, match="dims of a slice, and as the body declares it: 1 and 2 differ"):
        answers(binary, {"s": np.zeros(2, F), "x": np.ones((3, 1), F)})


def test_what_cannot_be_lowered_is_one_error(noria_tool, tmp_path):
    (tmp_path / "model.onnx").write_bytes(model("g (float[2] x, float[3] w) => (float[A] y) { y = Add(x, w) }"))
    done = noria_tool("opt", "--pipeline", "--stop-after=shape", tmp_path / "model.onnx")
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.count("error:") == 1 and "(Add)" in done.stderr


@pytest.mark.parametrize("stage", ["import", "shape"])
def test_the_interpreter_refuses_nodes(stage):
    options = noria.SessionOptions()
    options.interpret_after = stage
    with pytest.raises(Exception, match="the interpreter runs a model from stage 'tensor' on"):
        noria.InferenceSession(model("g (float[N] x) => (float[N] y) { y = Add(x, x) }"), options)


@pytest.mark.slow
def test_node_models(shaped):
    """Every tenth of the official node tests, and all with regions or sequences, from the text of the stage."""
    failures, run = [], 0
    for number, case in enumerate(cases()):
        if number % 10 and not re.match(r"test_(loop|if|scan|sequence|optional|identity)", case.name):
            continue
        inputs, outputs = ([as_array(v) for v in part] for part in case.data_sets[0])
        if size(inputs) + size(outputs) > 20_000:
            continue
        run += 1
        try:
            session = noria.InferenceSession(shaped(case.model.SerializeToString()).encode())
            names = [i.name for i in session.get_inputs()]
            assert names == [i.name for i in case.model.graph.input]
            got = session.run(None, dict(zip(names, inputs)))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                Runner.assert_similar_outputs(outputs, got, rtol=case.rtol, atol=case.atol, model_dir=None)
        except Exception as e:  # all of them are listed at the end
            failures.append(f"{case.name}: {str(e)[:300]}")
    assert not failures, f"{len(failures)} of {run}:\n" + "\n".join(failures)
    assert run > 100


COMPUTED_SIZES = {
    "Resize by whole scales": """g (float[N, 4, 6, 6] x) => (float[A, B, C, D] y) {
        scales = Constant <value_floats: floats = [1.0, 1.0, 2.0, 2.0]> ()
        wide = Resize <mode: string = "nearest", nearest_mode: string = "floor",
                       coordinate_transformation_mode: string = "asymmetric"> (x, , scales)
        times = Constant <value_ints: ints = [1, 1, 2, 2]> ()
        tiles = Tile(x, times) y = Add(wide, tiles) }""",
    "Reshape to products": """g (float[N, 4, 6] x) => (float[A, B, C] y) {
        n = Shape <start: int = 0, end: int = 1> (x) two = Constant <value_ints: ints = [2]> ()
        rest = Constant <value_ints: ints = [-1]> () twelve = Constant <value_ints: ints = [12]> ()
        n2 = Mul(n, two) heads = Concat <axis: int = 0> (n2, twelve, rest) back = Concat <axis: int = 0> (n, twelve, two)
        a = Reshape(x, heads) m2 = Mul(n, two) more = Concat <axis: int = 0> (m2, twelve, rest) b = Reshape(x, more)
        sum = Add(a, b) y = Reshape(sum, back) }""",
}


@pytest.mark.parametrize("name", COMPUTED_SIZES)
def test_sizes_that_a_model_computes_need_no_checks(noria_tool, tmp_path, name):
    """Each check would cost time of the compiler and of the run; sizes that differ would keep ops from being fused."""
    binary = model(COMPUTED_SIZES[name])
    (tmp_path / "model.onnx").write_bytes(binary)
    done = noria_tool("opt", "--pipeline", "--stop-after=tensor", tmp_path / "model.onnx")
    assert done.returncode == 0 and "func.func" in done.stdout and "rt.check" not in done.stdout
    judge = onnxruntime.InferenceSession(binary, providers=["CPUExecutionProvider"])
    shape = [d.dim_value for d in onnx.load_from_string(binary).graph.input[0].type.tensor_type.shape.dim]
    for n in 0, 1, 3:
        x = np.random.default_rng(n).standard_normal((n, *shape[1:])).astype(F)
        if n or name.startswith("Resize"):  # -1 of no elements is open
            same(answers(binary, {"x": x}), judge.run(None, {"x": x}))


@pytest.mark.parametrize("declared", ["nothing", "no type", "no shape", "a symbol"])
@pytest.mark.parametrize("info", [False, True])
def test_output_declared_loosely(declared, info):
    """An output may say less of its type than value_info and shape inference do."""
    x = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [2, 3])
    y = {"nothing": onnx.ValueInfoProto(name="y"),
         "no type": onnx.helper.make_value_info("y", onnx.TypeProto(tensor_type=onnx.TypeProto.Tensor())),
         "no shape": onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None),
         "a symbol": onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["N", 3])}[declared]
    inferred = [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [2, 3])] if info else []
    graph = onnx.helper.make_graph([onnx.helper.make_node("Neg", ["x"], ["y"])], "g", [x], [y], value_info=inferred)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 21)], ir_version=10)
    session = noria.InferenceSession(model.SerializeToString())
    assert session.get_outputs()[0].shape == [2, 3]
    feed = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(session.run(None, {"x": feed})[0], -feed)
