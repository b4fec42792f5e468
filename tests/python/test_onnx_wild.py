"""Models as they are found, not as the specification has them. Judge: ONNX Runtime where it runs them, else NumPy."""
import subprocess
import warnings
import zipfile

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

import noria
from conftest import BUILD

X = np.arange(3, dtype=np.float32)
W = helper.make_tensor("w", TensorProto.FLOAT, [3], [10, 20, 30])
W_INPUT = helper.make_tensor_value_info("w", TensorProto.FLOAT, [3])


def model(ir=10, opsets=(("", 17),), dims=("N",), inputs=(), y_dims=None, initializers=(W,)):
    graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"])], "g",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, dims), *inputs],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, y_dims)], initializers)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid(*o) for o in opsets])
    if not opsets:
        made.ClearField("opset_import")
    made.ir_version = ir
    return made.SerializeToString()


def results(data, feeds, ort=True):
    got = noria.InferenceSession(data).run(None, feeds)
    if ort:
        want = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"]).run(None, feeds)
        for g, w in zip(got, want, strict=True):
            np.testing.assert_array_equal(g, w)
            assert g.dtype == w.dtype
    return got


@pytest.mark.parametrize("dim", [-1, -7, "?", "", None])
def test_anonymous_dims(dim):
    data = model(dims=(dim,), inputs=[helper.make_tensor_value_info("w", TensorProto.FLOAT, (dim,))], initializers=(),
                 y_dims=(dim,))
    assert noria.InferenceSession(data).get_inputs()[0].shape == [None]
    results(data, {"x": X, "w": X})
    results(data, {"x": X, "w": X[1:2]})  # each stands for itself, so one may be 1


@pytest.mark.parametrize("ir", range(3, 15))
def test_ir_versions(ir):
    y, = results(model(ir, inputs=[W_INPUT]), {"x": X}, ort=ir <= 13)
    np.testing.assert_array_equal(y, X + np.float32([10, 20, 30]))


def test_ir_version_15_is_refused():
    with pytest.raises(noria.Error, match="the model has IR version 15; the latest known is 14"):
        noria.InferenceSession(model(15))


def test_initializers_that_are_inputs():
    data = model(inputs=[W_INPUT])
    session = noria.InferenceSession(data)
    assert [i.name for i in session.get_inputs()] == ["x"]
    for feeds in ({"x": X}, {"x": X, "w": X}, {"w": 2 * X, "x": X}, {"x": X}):
        want = onnxruntime.InferenceSession(data).run(None, feeds)
        np.testing.assert_array_equal(session.run(None, feeds), want)
    with pytest.raises(noria.Error, match="no inputs of the model.*no initializer that is an input is named 'v'"):
        session.run(None, {"x": X, "v": X})
    with pytest.raises(noria.Error, match="required inputs .'x'. are missing"):
        session.run(None, {"w": X})


def test_initializers_below_ir_version_4_are_constants():
    with pytest.raises(noria.Error, match="the initializer 'w' is a constant: the model has IR version 3"):
        noria.InferenceSession(model(3, inputs=[W_INPUT])).run(None, {"x": X, "w": X})
    results(model(3), {"x": X})  # nor must they be inputs


def test_an_override_on_the_command_line(tmp_path):
    (tmp_path / "m.onnx").write_bytes(model(inputs=[W_INPUT]))
    np.save(tmp_path / "x.npy", X)
    run = [BUILD / "noria", "run", tmp_path / "m.onnx", "--shape=w=input", f"@{tmp_path / 'x.npy'}"]
    done = subprocess.run([*run, f"@{tmp_path / 'x.npy'}"], capture_output=True, text=True, timeout=60)
    assert "[0.000000e+00, 2.000000e+00, 4.000000e+00]" in done.stdout, done.stderr


@pytest.mark.parametrize("opsets", [(), (("", 0),), (("ai.onnx.ml", 3),), (("", 17), ("other", 0)), (("", -1),)])
def test_operator_sets_that_are_not_imported(opsets, tmp_path):
    y, = results(model(opsets=opsets), {"x": X}, ort=len(opsets) and ("", 0) not in opsets and ("", -1) not in opsets)
    np.testing.assert_array_equal(y, X + np.float32([10, 20, 30]))
    (tmp_path / "m.onnx").write_bytes(model(opsets=opsets))
    shown = subprocess.run([BUILD / "noria", "opt", tmp_path / "m.onnx"], capture_output=True, text=True, timeout=60)
    warned = "the model imports no operator set of ai.onnx; the newest, 28, is taken" in shown.stderr
    assert warned == (("", 17) not in opsets)


def symbols(text, **feeds):
    """Noria's and ONNX Runtime's results; None for an error. Noria's is in the session that is given too."""
    data = onnx.parser.parse_model('<ir_version: 10, opset_import: ["": 17]>\n' + text).SerializeToString()
    session = noria.InferenceSession(data)
    want = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"]).run(None, feeds)
    for g, w in zip(session.run(None, feeds), want, strict=True):
        np.testing.assert_allclose(g, w, 1e-5)
    return session


def test_one_symbol_of_unequal_dims():
    """No op needs them to be equal. Each dim has a name of its own then."""
    a, b = np.ones((3, 4), np.float32), np.ones((5, 4), np.float32)
    session = symbols("""g (float[S, 4] a, float[S, 4] b) => (float[T, 4] y, float[U, V] z, float[S, 4] r) {
      y = Concat<axis = 0>(a, b)
      t = Transpose<perm = [1, 0]>(b)
      z = MatMul(a, t)
      r = Neg(b)
    }""", a=a, b=b)
    assert [i.shape for i in session.get_inputs()] == [["S", 4], ["S.1", 4]]
    assert session.run(None, {"a": b, "b": a})[2].shape == (3, 4)


def test_one_symbol_of_dims_that_must_be_equal():
    text = """g (float[S, 4] a, float[S, 4] m, float[S, 4] b) => (float[T, 4] y, float[S, 4] z) {
      aa = Concat<axis = 0>(a, a)  mm = Concat<axis = 0>(m, m)
      y = Mul(aa, mm)
      z = Neg(b)
    }"""
    one, two = np.ones((3, 4), np.float32), np.ones((5, 4), np.float32)
    session = symbols(text, a=one, m=one, b=two)
    assert [i.shape[0] for i in session.get_inputs()] == ["S", "S", "S.1"]
    with pytest.raises(noria.Error, match="dim 0 of input 'm' is 5, but 'S' is 3 .dim 0 of input 'a'."):
        session.run(None, {"a": one, "m": two, "b": two})


def test_two_groups_of_one_symbol():
    x, y = np.ones((2, 3), np.float32), np.ones((2, 5), np.float32)
    session = symbols("""g (float[B, S] a, float[B, S] b, float[B, S] c, float[B, S] d) => (float[B, S] y, float[B, S] z) {
      y = Add(a, c)  z = Add(b, d) }""", a=x, b=y, c=x, d=y)
    assert [i.shape for i in session.get_inputs()] == [["B", "S"], ["B.1", "S.1"], ["B", "S"], ["B.1", "S.1"]]


WARNED = """<ir_version: 10, opset_import: ["": 17]>
g (float[S, 4] a, float[S, 4] b, float[R] c, float[R] d) => (float[T, 4] y, float[] z) { y = Add(a, b)  z = Mul(c, d) }"""
WARNING = "dim 0 of input 'b' is 1, but 'S' is 3 (dim 0 of input 'a')"


@pytest.mark.parametrize("interpret_after", [None, "tensor", "expand"])
def test_unequal_dims_of_a_symbol_are_a_warning(interpret_after):
    """Where it is asked for, as in ONNX Runtime: the sum broadcasts. What cannot is an error of the node."""
    data = onnx.parser.parse_model(WARNED).SerializeToString()
    options = noria.SessionOptions()
    options.interpret_after = interpret_after
    options.warn_of_unequal_dims("S")
    session = noria.InferenceSession(data, options)
    a, b, c = np.ones((3, 4), np.float32), np.full((1, 4), 2, np.float32), np.ones(5, np.float32)
    feeds = {"a": a, "b": b, "c": c, "d": c}
    with pytest.warns(RuntimeWarning) as warned:
        got = session.run(None, feeds)
    assert [str(w.message) for w in warned] == [WARNING]
    want = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"]).run(None, feeds)
    for g, w in zip(got, want, strict=True):
        np.testing.assert_array_equal(g, w)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        session.run(None, {**feeds, "b": a})
    with pytest.warns(RuntimeWarning), pytest.raises(noria.Error, match="'y' .Add.|node 'y'"):
        session.run(None, {**feeds, "b": np.ones((2, 4), np.float32)})
    with pytest.raises(noria.Error, match="dim 0 of input 'd' is 1, but 'R' is 5"):
        session.run(None, {**feeds, "d": c[:1]})


def test_warnings_of_the_tool(noria_tool, tmp_path):
    """On standard error; of a library too, which is compiled with the option."""
    model, library = tmp_path / "m.onnx", tmp_path / "m.so"
    model.write_bytes(onnx.parser.parse_model(WARNED).SerializeToString())
    feeds = [part for name, shape in dict(a="3x4", b="1x4", c="5", d="1").items()
             for part in ("--input", f"{name}=ones:{shape}xf32")]
    want = f"warning: {WARNING}\nwarning: dim 0 of input 'd' is 1, but 'R' is 5 (dim 0 of input 'c')\n"
    done = noria_tool("run", "--check-stages", "--shape", "*=warn", model, *feeds)
    assert done.returncode == 0 and want in done.stderr, done.stderr
    assert noria_tool("compile", "--shape", "*=warn", model, "-o", library).returncode == 0
    done = noria_tool("run", library, *feeds)
    assert (done.returncode, done.stderr) == (0, want)
    done = noria_tool("run", "--shape", "Q=warn", model, *feeds)
    assert done.returncode == 1 and "no symbol is named 'Q'" in done.stderr


SHADOW = onnx.parser.parse_model("""<ir_version: 10, opset_import: ["": 17]>
g (float[3] x, bool c) => (float[3] y) {
  t = Neg(x)
  z = If(c) <then_branch = a () => (float[3] r) { s = Add(t, t)  t = Abs(x)  r = Add(s, t) },
             else_branch = b () => (float[3] r) { r = Add(t, t) }>
  y = Add(z, t)
}""")


def test_a_node_hides_an_outer_value(tmp_path):
    session = noria.InferenceSession(SHADOW.SerializeToString())
    np.testing.assert_array_equal(session.run(None, {"x": X, "c": np.array(True)})[0], -2 * X + X - X)
    np.testing.assert_array_equal(session.run(None, {"x": X, "c": np.array(False)})[0], -3 * X)
    onnx.save(SHADOW, tmp_path / "m.onnx")
    shown = subprocess.run([BUILD / "noria", "opt", tmp_path / "m.onnx"], capture_output=True, text=True, timeout=60)
    assert shown.stderr.count("the output 't' hides a value of that name outside of this graph") == 1


def test_a_node_of_a_function_hides_an_outer_value():
    made = onnx.parser.parse_model("""<ir_version: 10, opset_import: ["": 17, "f": 1]>
    g (float[3] x, bool c) => (float[3] y) { t = f.F(x, c)  y = Add(t, x) }
    <domain: "f", opset_import: ["": 17]> F (x, c) => (y) {
      t = Neg(x)
      z = If(c) <then_branch = a () => (float[3] r) { s = Add(t, t)  t = Abs(x)  r = Add(s, t) },
                 else_branch = b () => (float[3] r) { r = Add(t, t) }>
      y = Add(z, t)
    }""")
    session = noria.InferenceSession(made.SerializeToString())
    np.testing.assert_array_equal(session.run(None, {"x": X, "c": np.array(True)})[0], -X)
    np.testing.assert_array_equal(session.run(None, {"x": X, "c": np.array(False)})[0], -2 * X)


@pytest.mark.parametrize("name, data, message", [
    ("m.ort", b"\x18\0\0\0ORTM" + bytes(60), "ONNX Runtime's own format"),
    ("m.onnx", b"\x1f\x8b\x08" + bytes(60), "compressed by gzip"),
])
def test_other_files(name, data, message, tmp_path):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(noria.Error, match=message) as error:
        noria.InferenceSession(tmp_path / name)
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize("ending", ["zip", "onnx"])
def test_zips(ending, tmp_path):
    with zipfile.ZipFile(tmp_path / f"m.{ending}", "w") as file:
        file.writestr("m.onnx", model())
    with pytest.raises(noria.Error, match="this is a zip archive, not a model: unpack it first") as error:
        noria.InferenceSession(tmp_path / f"m.{ending}")
    assert len(str(error.value).splitlines()) == 1


def test_weights_beyond_two_gigabytes(tmp_path):
    """A file of weights with holes: only two rows of each tensor lie on the disk."""
    rows, columns = 5 << 17, 1024  # 2.5 GB
    big = helper.make_tensor("big", TensorProto.FLOAT, [0], [])
    last = helper.make_tensor("last", TensorProto.FLOAT, [0], [])
    with open(tmp_path / "weights", "wb") as file:
        file.seek((rows - 1) * columns * 4)
        file.write(np.full(columns, 7, np.float32).tobytes())
        file.write(X.tobytes())
    for tensor, dims, offset, size in ((big, [rows, columns], 0, rows * columns * 4),
                                       (last, [3], rows * columns * 4, 12)):
        tensor.dims[:] = dims
        tensor.data_location = TensorProto.EXTERNAL
        for key, value in (("location", "weights"), ("offset", offset), ("length", size)):
            tensor.external_data.add(key=key, value=str(value))
    graph = helper.make_graph(
        [helper.make_node("Gather", ["big", "i"], ["row"]), helper.make_node("ReduceMax", ["row"], ["m"], keepdims=0),
         helper.make_node("Add", ["m", "last"], ["y"])], "g",
        [helper.make_tensor_value_info("i", TensorProto.INT64, [])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [3])], [big, last])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    onnx.save(made, tmp_path / "m.onnx")
    session = noria.InferenceSession(tmp_path / "m.onnx")
    np.testing.assert_array_equal(session.run(None, {"i": np.array(rows - 1)})[0], 7 + X)
    np.testing.assert_array_equal(session.run(None, {"i": np.array(12)})[0], X)
