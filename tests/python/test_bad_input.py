"""What Noria says to wrong models, wrong values and programs that fail while they run.

Each model goes both ways, through the Python package and through the tool: one error that names the node and the
tensor, no file left behind, and a session that runs again where there was one.
"""
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from onnx import TensorProto
from onnx.parser import parse_model

import noria
from conftest import BUILD

TOOL = str(BUILD / "noria")


def model_of(text, opset=21, domains=""):
    return parse_model(f'<ir_version: 10, opset_import: ["": {opset}{domains}]>\n{text}')


def bytes_of(model):
    return model if isinstance(model, bytes) else model.SerializeToString()


def refused(model, *words, folder):
    """The error of a model that cannot be compiled: the same from the package and the tool, in one piece."""
    path = folder / "model.onnx"
    path.write_bytes(bytes_of(model))
    with pytest.raises(noria.Error) as caught:
        noria.InferenceSession(str(path))
    message = str(caught.value)
    for word in words:
        assert word in message, f"no {word!r} in: {message}"
    out, header = folder / "out.so", folder / "out.h"
    done = tool("compile", path, "-o", out, "--header", header)
    assert done.returncode == 1, done
    assert not done.stdout
    for word in words:
        assert word in done.stderr, f"no {word!r} in: {done.stderr}"
    assert not out.exists() and not header.exists()
    return message


def fails(session, feeds, *words):
    with pytest.raises(noria.Error) as caught:
        session.run(None, feeds)
    for word in words:
        assert word in str(caught.value), f"no {word!r} in: {caught.value}"


def session_of(text, **limits):
    options = noria.SessionOptions()
    for name, value in limits.items():
        setattr(options, name, value)
    return noria.InferenceSession(bytes_of(model_of(text)), options)


def tool(*args):
    return subprocess.run([TOOL, *map(str, args)], capture_output=True, text=True, timeout=60)


@pytest.fixture
def folder(tmp_path):
    return tmp_path


# ---- protobuf --------------------------------------------------------------------------------------------------------

LOOP = """loop (int64 n, float x) => (float y, float[T] ys) {
  y, ys = Loop <body = b (int64 i, bool c, float a) => (bool c2, float a2, float s)
    { c2 = Identity(c)  a2 = Add(a, x)  s = Identity(a2) }> (n, "", x)
}"""


def test_truncated(folder):
    data = bytes_of(model_of(LOOP))
    refused(data[: len(data) // 2], folder=folder)
    for size in range(len(data)):
        try:
            noria.InferenceSession(data[:size])
        except noria.Error as error:
            assert str(error)


def test_random_bytes(folder):
    rng = np.random.default_rng(7)
    refused(rng.bytes(1000), folder=folder)
    for size in (0, 1, 2, 10, 100, 1000, 10000):
        for _ in range(20):
            with pytest.raises(noria.Error):
                noria.InferenceSession(rng.bytes(size))


def test_changed_bytes():
    data = bytes_of(model_of(LOOP))
    rng = np.random.default_rng(8)
    for _ in range(300):
        changed = bytearray(data)
        for at in rng.integers(0, len(data), rng.integers(1, 4)):
            changed[at] = rng.integers(0, 256)
        try:
            noria.InferenceSession(bytes(changed))
        except noria.Error as error:
            assert str(error)


def test_no_file(folder):
    with pytest.raises(noria.Error, match="nothing.onnx"):
        noria.InferenceSession(str(folder / "nothing.onnx"))


# ---- tensors ---------------------------------------------------------------------------------------------------------


def with_weight(**fields):
    tensor = TensorProto(name="weight", data_type=TensorProto.FLOAT, dims=[2, 3])
    for name, value in fields.items():
        target = getattr(tensor, name)
        if name == "dims":
            del target[:]
        if hasattr(target, "extend"):
            target.extend(value)
        else:
            setattr(tensor, name, value)
    model = model_of("g (float[2, 3] x) => (float[2, 3] y) { y = Add(x, weight) }")
    model.graph.initializer.append(tensor)
    return model


@pytest.mark.parametrize(
    "fields, words",
    [
        (dict(raw_data=bytes(20)), ["weight", "20", "24"]),
        (dict(raw_data=bytes(28)), ["weight", "28", "24"]),
        (dict(float_data=[1.0] * 5), ["weight", "5", "6"]),
        (dict(raw_data=bytes(24), float_data=[1.0]), ["weight"]),
        (dict(dims=[2**40, 2**40], raw_data=bytes(24)), ["weight"]),
        (dict(dims=[2**62, 2], raw_data=bytes(24)), ["weight"]),
        (dict(dims=[-1, 3], raw_data=bytes(24)), ["weight", "-1"]),
        (dict(data_type=99, raw_data=bytes(24)), ["weight", "99"]),
    ],
)  # fmt: skip
def test_tensor_does_not_fit(folder, fields, words):
    refused(with_weight(**fields), *words, folder=folder)


@pytest.mark.parametrize(
    "text, words",
    [
        ("g () => (float[N] y) <int64[1] d = {-3}> { y = ConstantOfShape(d) }", ["y", "-3"]),
        ("g (float[6] x) => (float[A, B] y) <int64[2] d = {-2, 3}> { y = Reshape(x, d) }", ["y", "-2"]),
        ("g (float[6] x) => (float[A, B] y) <int64[2] d = {4, 2}> { y = Reshape(x, d) }", ["y"]),
        ("g (float[6] x) => (float[A, B] y) <int64[2] d = {-1, -1}> { y = Reshape(x, d) }", ["y"]),
        ("g (float[2] x, float[3] z) => (float[N] y) { y = Add(x, z) }", ["y"]),
        ("g (float[2, 3] x, float[4, 5] z) => (float[N, M] y) { y = MatMul(x, z) }", ["y"]),
        ("g (float[2, 3] x) => (float[N, M] y) { y = Transpose <perm = [0, 2]> (x) }", ["y"]),
        ("g (float[2, 3] x) => (float y) { y = ReduceSum <keepdims = 0> (x, axes) }", ["axes"]),
        ("g (float x, int64 z) => (float y) { y = Add(x, z) }", ["y"]),
        ("g (float[2] x) => (float[N] y) { y = Gather <axis = 3> (x, i) }", ["i"]),
    ],
)  # fmt: skip
def test_wrong_shape_or_type_in_model(folder, text, words):
    refused(model_of(text), *words, folder=folder)


def test_sizes_that_only_the_run_knows():
    session = session_of("g (int64[2] d) => (float[A, B] y) { y = ConstantOfShape(d) }")
    fails(session, {"d": np.array([-1, 3])}, "y", "-1")
    fails(session, {"d": np.array([2**40, 2**40])})
    fails(session, {"d": np.array([2**20, 2**40])})
    assert session.run(None, {"d": np.array([2, 3])})[0].shape == (2, 3)
    session = session_of("g (float[N] x, int64[2] d) => (float[A, B] y) { y = Reshape(x, d) }")
    fails(session, {"x": np.zeros(6, np.float32), "d": np.array([4, 2])}, "y")
    assert session.run(None, {"x": np.zeros(6, np.float32), "d": np.array([3, -1])})[0].shape == (3, 2)
    session = session_of("g (float[N] x, float[M] z) => (float[K] y) { y = Add(x, z) }")
    fails(session, {"x": np.zeros(2, np.float32), "z": np.zeros(3, np.float32)}, "y")
    assert session.run(None, {"x": np.zeros(3, np.float32), "z": np.ones(1, np.float32)})[0].tolist() == [1, 1, 1]


def test_index_out_of_bounds():
    session = session_of("g (float[N] x, int64[M] i) => (float[M] y) { y = Gather(x, i) }")
    feeds = {"x": np.arange(4, dtype=np.float32)}
    fails(session, feeds | {"i": np.array([1, 4])}, "y", "4")
    fails(session, feeds | {"i": np.array([-5])}, "y", "-5")
    assert session.run(None, feeds | {"i": np.array([3, -1])})[0].tolist() == [3, 3]


# ---- external data ---------------------------------------------------------------------------------------------------


def external(location, **more):
    model = with_weight()
    tensor = model.graph.initializer[0]
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in {"location": location, **more}.items():
        tensor.external_data.add(key=key, value=str(value))
    return model


def test_external_data(folder):
    weights = np.arange(6, dtype=np.float32).reshape(2, 3)
    inside, outside = folder / "model", folder / "outside"
    inside.mkdir()
    outside.mkdir()
    (inside / "weights").write_bytes(weights.tobytes())
    (inside / "short").write_bytes(weights.tobytes()[:20])
    (outside / "weights").write_bytes(weights.tobytes())
    (inside / "link").symlink_to(outside / "weights")
    (inside / "folder").symlink_to(outside)
    absolute = str(outside / "weights")
    for location in ("missing", "short", "../outside/weights", absolute, "link", "folder/weights", "", "."):
        message = refused(external(location), "weight", folder=inside)
        assert location in message or location in ("", ".")
    refused(external("weights", offset=8), "weight", folder=inside)
    refused(external("weights", offset=-8), "weight", folder=inside)
    refused(external("weights", length=20), "weight", folder=inside)
    refused(external("weights", offset=2**63), "weight", folder=inside)
    with pytest.raises(noria.Error, match="weight"):
        noria.InferenceSession(bytes_of(external("weights")))
    (inside / "model.onnx").write_bytes(bytes_of(external("weights")))
    session = noria.InferenceSession(str(inside / "model.onnx"))
    np.testing.assert_array_equal(session.run(None, {"x": weights})[0], 2 * weights)


# ---- operators -------------------------------------------------------------------------------------------------------


def test_unknown_operators_are_listed_in_one_error(folder):
    model = model_of("g (float x) => (float y) { a = Fuse(x)  b = acme.Twist(a)  y = Adr(b) }", domains=', "acme": 3')
    refused(model, "Fuse", "acme.Twist", "Adr", folder=folder)


def test_unknown_operators_in_subgraphs(folder):
    text = """g (bool c) => (float y) {
      y = If <then_branch = t () => (float a) { k = Constant <value_float = 1.0> ()  a = Bend(k) },
              else_branch = e () => (float b) { k2 = Constant <value_float = 1.0> ()  b = Fold(k2) }> (c) }"""
    refused(model_of(text), "Bend", "Fold", folder=folder)


def test_unknown_opset(folder):
    refused(model_of("g (float x) => (float y) { y = Abs(x) }", opset=9999), "9999", folder=folder)
    refused(model_of("g (float x) => (float y) { y = other.Abs(x) }"), "other", folder=folder)


# ---- graphs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, words",
    [
        ("g (float x) => (float y) { y = Abs(t)  t = Neg(x) }", ["'t'"]),
        ("g (float x) => (float y) { y = Add(x, t)  t = Neg(y) }", ["'t'"]),
        ("g (float x) => (float y) { y = Abs(y) }", ["'y'"]),
        ("g (float x) => (float y) { y = Abs(nothing) }", ["'nothing'"]),
        ("g (float x) => (float y) { t = Abs(x) }", ["'y'"]),
        ("g (float x) => (float t) { t = Abs(x)  t = Neg(x) }", ["'t'"]),
        ("g (float x) => (float y) { y = Abs(x, x) }", ["Abs"]),
        ("g (float x) => (float y) { y = Add(x) }", ["Add"]),
    ],
)  # fmt: skip
def test_wrong_graph(folder, text, words):
    refused(model_of(text), *words, folder=folder)


LOOP_BODIES = {
    "too few inputs": "b (int64 i) => (bool c2, float a2) { c2 = Identity(cc)  a2 = Identity(x) }",
    "too many inputs": """b (int64 i, bool c, float a, float z) => (bool c2, float a2)
        { c2 = Identity(c)  a2 = Add(a, z) }""",
    "no outputs": "b (int64 i, bool c, float a) => () { t = Identity(a) }",
    "too few outputs": "b (int64 i, bool c, float a) => (bool c2) { c2 = Identity(c) }",
    "carried type": "b (int64 i, bool c, float a) => (bool c2, int64 a2) { c2 = Identity(c)  a2 = Identity(i) }",
    "condition type": "b (int64 i, bool c, float a) => (float c2, float a2) { c2 = Identity(a)  a2 = Identity(a) }",
}


@pytest.mark.parametrize("body", LOOP_BODIES.values(), ids=LOOP_BODIES)
def test_loop_body(folder, body):
    text = f'g (int64 n, bool cc, float x) => (float y) {{ [the_loop] y = Loop <body = {body}> (n, cc, x) }}'
    refused(model_of(text), "the_loop", folder=folder)


def test_loop_with_too_many_outputs(folder):
    text = """g (int64 n, float x) => (float y, float z) { [the_loop] y, z, w, v = Loop <body =
      b (int64 i, bool c, float a) => (bool c2, float a2, float s)
        { c2 = Identity(c)  a2 = Identity(a)  s = Identity(a) }> (n, "", x) }"""
    refused(model_of(text), "the_loop", folder=folder)


@pytest.mark.parametrize(
    "branches",
    [
        """t () => (float a) { a = Identity(x) },
           else_branch = e () => (float b, float c) { b = Identity(x)  c = Neg(x) }""",
        "t () => () { }, else_branch = e () => () { }",
        "t (float q) => (float a) { a = Identity(q) }, else_branch = e () => (float b) { b = Identity(x) }",
        "t () => (float a) { a = Identity(x) }, else_branch = e () => (int64 b) { b = Constant <value_int = 1> () }",
    ],
    ids=["more results in else", "no results", "an input", "types"],
)
def test_if_branches(folder, branches):
    text = f"g (bool c, float x) => (float y) {{ [the_if] y = If <then_branch = {branches}> (c) }}"
    refused(model_of(text), "the_if", folder=folder)


@pytest.mark.parametrize(
    "body",
    [
        "b (float s) => (float s2, float o) { s2 = Identity(s)  o = Identity(s) }",
        "b (float s, float e) => (float s2) { s2 = Add(s, e) }",
    ],
    ids=["inputs", "outputs"],
)
def test_scan_body(folder, body):
    text = f"""g (float s0, float[N] x) => (float s, float[N] o)
      {{ [the_scan] s, o = Scan <body = {body}, num_scan_inputs = 1> (s0, x) }}"""
    refused(model_of(text), "the_scan", folder=folder)


# ---- rows of scan outputs --------------------------------------------------------------------------------------------

GROWING = """g (int64 n, float[K] x) => (float[A] y, float[R, B] rows) {
  [the_loop] y, rows = Loop <body = b (int64 i, bool c, float[P] a) => (bool c2, float[Q] a2, float[Q] row)
    { c2 = Identity(c)  a2 = Concat <axis = 0> (a, x)  row = Identity(a2) }> (n, "", x)
}"""


def test_rows_that_change_shape():
    session = session_of(GROWING)
    x = np.ones(2, np.float32)
    fails(session, {"n": np.array(3), "x": x}, "the_loop", "rows", "4", "6")
    y, rows = session.run(None, {"n": np.array(1), "x": x})
    assert y.shape == (4,) and rows.shape == (1, 4)


def test_rows_of_another_type(folder):
    text = """g (int64 n, float x) => (float y, int64[N] rows) { [the_loop] y, rows = Loop <body =
      b (int64 i, bool c, float a) => (bool c2, float a2, int64 row)
        { c2 = Identity(c)  a2 = Identity(a)  row = Identity(a) }> (n, "", x) }"""
    refused(model_of(text), "row", folder=folder)


# ---- feeds -----------------------------------------------------------------------------------------------------------

FEEDS = "g (float[2, N] x, int64[N] i) => (float[2, N] y) { f = Cast <to = 1> (i)  y = Add(x, f) }"


def good_feeds():
    return {"x": np.ones((2, 3), np.float32), "i": np.arange(3)}


@pytest.mark.parametrize(
    "change, words",
    [
        ({"x": None}, ["x"]),
        ({"z": np.zeros(1)}, ["z"]),
        ({"x": np.ones((2, 3), np.float64)}, ["x", "float64", "float32"]),
        ({"i": np.arange(3, dtype=np.int32)}, ["i", "int32", "int64"]),
        ({"x": np.ones(6, np.float32)}, ["x", "rank"]),
        ({"x": np.ones((3, 3), np.float32)}, ["x", "[2, N]", "[3, 3]"]),
        ({"i": np.arange(4)}, ["i", "4", "N", "3"]),
        ({"x": "text"}, ["x"]),
        ({"x": None, "z": np.zeros(1)}, []),
    ],
    ids=["missing", "unknown", "dtype", "int dtype", "rank", "dim", "symbol", "kind", "other name"],
)
def test_wrong_feeds(change, words):
    session = session_of(FEEDS)
    feeds = {k: v for k, v in (good_feeds() | change).items() if v is not None}
    fails(session, feeds, *words)
    assert session.run(["y"], good_feeds())[0][1].tolist() == [1, 2, 3]


def test_wrong_output_name():
    session = session_of(FEEDS)
    with pytest.raises(noria.Error, match="nope"):
        session.run(["nope"], good_feeds())
    assert len(session.run([], good_feeds())) == 1


def test_nothing_at_all():
    with pytest.raises(noria.Error, match="is empty"):
        noria.InferenceSession(b"")


def test_string_that_is_no_text():
    session = session_of("g (string[N] s) => (string[N] t) { t = Identity (s) }")
    fails(session, {"s": np.array(["a", "\ud800"], object)}, "'s'", "no text")
    assert list(session.run(None, {"s": np.array(["a", "\udcff"], object)})[0]) == ["a", "\udcff"]


# ---- programs that fail while they run -------------------------------------------------------------------------------


@pytest.mark.parametrize("op", ["Div", "Mod"])
def test_division_by_zero_in_a_loop(folder, op):
    text = f"""g (int64 n, int64 x, int64 d) => (int64 y) {{ y = Loop <body =
      b (int64 i, bool c, int64 a) => (bool c2, int64 a2) {{ c2 = Identity(c)  one = Constant <value_int = 1> ()
        m = Sub(d, i)  q = Max(m, zero)  zero2 = Identity(zero)  [the_op] a2 = {op}(a, q) }}> (n, "", x) }}"""
    text = text.replace("(int64 y) {", "(int64 y) <int64 zero = {0}> {", 1)
    session = session_of(text)
    good, bad = ({"n": np.array(n), "x": np.array(100), "d": np.array(d)} for n, d in ((3, 4), (5, 3)))
    first = session.run(None, good)[0]
    fails(session, bad, "the_op", "zero")
    assert session.run(None, good)[0] == first
    (folder / "m.onnx").write_bytes(bytes_of(model_of(text)))
    done = tool("run", folder / "m.onnx", 5, 100, 3, "--output", f"y=@{folder / 'y.npy'}")
    assert done.returncode == 1 and "the_op" in done.stderr and not (folder / "y.npy").exists()


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint8", "uint64"])
def test_division_by_zero_of_other_types(dtype):
    session = session_of(f"g ({dtype}[N] x, {dtype}[N] d) => ({dtype}[N] y) {{ [the_op] y = Div(x, d) }}")
    x = np.arange(1, 5, dtype=dtype)
    fails(session, {"x": x, "d": np.array([1, 2, 0, 4], dtype)}, "the_op", "zero")
    assert session.run(None, {"x": x, "d": x})[0].tolist() == [1, 1, 1, 1]


FOREVER = """g (float x) => (float y) { y = Loop <body = b (int64 i, bool c, float a) => (bool c2, float a2)
  { c2 = Identity(c)  a2 = Add(a, x) }> ("", "", x) }"""
FOREVER_ROWS = """g (float x) => (float y, float[N] rows) { y, rows = Loop <body =
  b (int64 i, bool c, float a) => (bool c2, float a2, float row)
    { c2 = Identity(c)  a2 = Add(a, x)  row = Identity(a2) }> ("", "", x) }"""
FOREVER_GROWS = """g (float[K] x) => (float[N] y) { y = Loop <body =
  b (int64 i, bool c, float[P] a) => (bool c2, float[Q] a2)
    { c2 = Identity(c)  a2 = Concat <axis = 0> (a, x) }> ("", "", x) }"""
WHILE = """g (bool go, float x) => (float y) { y = Loop <body = b (int64 i, bool c, float a) => (bool c2, float a2)
  { c2 = Identity(go)  a2 = Add(a, x) }> ("", go, x) }"""


@pytest.mark.parametrize(
    "text, limits, words",
    [
        (FOREVER, dict(time_limit=0.2), ["node 'y'", "time limit", "0.2"]),
        (FOREVER, dict(iteration_limit=100000), ["node 'y'", "iteration limit", "100000"]),
        (FOREVER_ROWS, dict(memory_limit=1 << 20), ["node '", "memory limit"]),
        (FOREVER_ROWS, dict(iteration_limit=100000), ["node 'y'", "iteration limit"]),
        (FOREVER_GROWS, dict(memory_limit=1 << 20), ["node '", "memory limit"]),
        (FOREVER_GROWS, dict(time_limit=0.2, memory_limit=1 << 30), ["node '", "limit"]),
    ],
)  # fmt: skip
def test_limits_stop_a_loop(text, limits, words):
    session = session_of(text, **limits)
    rank = 1 if text is FOREVER_GROWS else 0
    feeds = {"x": np.ones([3] * rank, np.float32)}
    for _ in range(2):
        start = time.process_time()
        fails(session, feeds, *words)
        assert time.process_time() - start < 20


def test_a_session_runs_again_after_a_limit():
    session = session_of(WHILE, time_limit=0.2)
    x = np.array(1, np.float32)
    for _ in range(2):
        fails(session, {"go": np.array(True), "x": x}, "time limit")
        assert session.run(None, {"go": np.array(False), "x": x})[0] == 1


def wait_and_interrupt(process, ready):
    """Sends Ctrl-C once the process has said that it begins, and a moment has passed."""
    assert process.stdout.readline().strip() == ready
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    return process.communicate(timeout=30)


def test_interrupt_of_the_tool(folder):
    (folder / "m.onnx").write_bytes(bytes_of(model_of(FOREVER)))
    pipe = subprocess.PIPE
    command = f"echo begin; exec {TOOL} run {folder}/m.onnx 1 --output y=@{folder}/y.npy"
    process = subprocess.Popen(["sh", "-c", command], stdout=pipe, stderr=pipe, text=True)
    time.sleep(1)
    out, err = wait_and_interrupt(process, "begin")
    assert process.returncode == 1 and "noria run: node 'y': the run was interrupted" in err and not out
    assert not (folder / "y.npy").exists()


def test_interrupt_of_the_package(folder):
    """Ctrl-C ends the run with an error of Noria's or with KeyboardInterrupt, and the session runs again."""
    (folder / "m.onnx").write_bytes(bytes_of(model_of(WHILE)))
    program = f"""
import numpy as np, noria
session = noria.InferenceSession({str(folder / "m.onnx")!r})
x = np.array(1, np.float32)
print("begin", flush=True)
try:
    session.run(None, dict(go=np.array(True), x=x))
except (noria.Error, KeyboardInterrupt) as error:
    print("stopped by", type(error).__name__, flush=True)
try:
    print(session.run(None, dict(go=np.array(False), x=x))[0], flush=True)
except KeyboardInterrupt:
    print(session.run(None, dict(go=np.array(False), x=x))[0], flush=True)
"""
    pipe = subprocess.PIPE
    process = subprocess.Popen([sys.executable, "-c", program], stdout=pipe, stderr=pipe, text=True)
    out, err = wait_and_interrupt(process, "begin")
    assert process.returncode == 0 and "stopped by" in out and out.strip().endswith("1.0"), (out, err)


def test_limits_of_the_tool(folder):
    (folder / "m.onnx").write_bytes(bytes_of(model_of(FOREVER_ROWS)))
    options = {"time": "--time-limit=0.2", "iteration": "--iteration-limit=5000", "memory": "--memory-limit=1M"}
    for word, option in options.items():
        done = tool("run", folder / "m.onnx", 1, option, "--output", f"rows=@{folder / 'r.npy'}")
        assert done.returncode == 1 and f"{word} limit" in done.stderr and not done.stdout
        assert not (folder / "r.npy").exists()
