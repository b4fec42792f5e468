"""#flow.parameter.named: parameters in safetensors files, for the interpreter and compiled code."""
import io
import json
import platform
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import noria
import safetensors_files as files
from conftest import BUILD

TYPES = {"i1": np.bool_, "i8": np.int8, "ui8": np.uint8, "i16": np.int16, "i32": np.int32, "si32": np.int32,
         "ui32": np.uint32, "i64": np.int64, "ui64": np.uint64, "index": np.int64, "f16": np.float16,
         "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64, "f8E4M3FN": ml_dtypes.float8_e4m3fn,
         "f8E5M2": ml_dtypes.float8_e5m2, "complex<f32>": np.complex64}
STAGES = [None, "import", "tensor", "buffer", "expand"]


def session(text, parameters=(), stage=None):
    options = noria.SessionOptions()
    options.parameters = list(parameters)
    options.interpret_after = stage
    options.intra_op_num_threads = 1
    return noria.InferenceSession(text.encode(), options)


def give(name, type_text, shape):
    return f"""func.func @main() -> tensor<{shape}x{type_text}> {{
  %c = flow.tensor.constant #flow.parameter.named<{name}> : tensor<{shape}x{type_text}>
  return %c : tensor<{shape}x{type_text}>
}}"""


@pytest.mark.parametrize("align", [8, 1], ids=["aligned", "not_aligned"])
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("name", TYPES)
def test_types(name, stage, align, tmp_path):
    dtype = np.dtype(TYPES[name])
    x = np.random.default_rng(1).integers(0, 2 if dtype == np.bool_ else 100, (5, 7)).astype(dtype)
    odd = np.array([True] * (3 if align == 1 else 8))
    path = files.write(tmp_path / "p.safetensors", {"odd": odd, "x": x, "unused": np.zeros(4, np.float32)}, align)
    got = session(give('"x"', name, "5x7"), [path], stage).run(None, {})[0]
    np.testing.assert_array_equal(np.asarray(got).astype(dtype), x)


PROGRAM = """
func.func @main(%x: tensor<?x64xf32>) -> (tensor<?x32xf32>, tensor<64x32xf32>, tensor<1xf32>) {
  %w = flow.tensor.constant #flow.parameter.named<"model"::"layer.0/w"> : tensor<64x32xf32>
  %again = flow.tensor.constant #flow.parameter.named<"model"::"layer.0/w"> : tensor<64x32xf32>
  %one = flow.tensor.constant #flow.parameter.named<"one"> : tensor<1xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<?x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x32xf32>) outs(%f : tensor<?x32xf32>) -> tensor<?x32xf32>
  %changed = tensor.insert %c1 into %again[%c0, %c0] : tensor<64x32xf32>
  return %y, %changed, %one : tensor<?x32xf32>, tensor<64x32xf32>, tensor<1xf32>
}"""


@pytest.mark.parametrize("stage", STAGES)
def test_scopes(stage, tmp_path):
    """Scopes choose files, the first file with a key counts, and a parameter that a program changes is copied first."""
    rng = np.random.default_rng(2)
    w, x, one = rng.random((64, 32), np.float32), rng.random((3, 64), np.float32), np.float32([7])
    a = files.write(tmp_path / "a.safetensors", {"layer.0/w": w})
    b = files.write(tmp_path / "b=c.safetensors", {"one": one, "layer.0/w": w + 1})
    c = files.write(tmp_path / "c.safetensors", {"one": one + 1})
    made = session(PROGRAM, [b, c, f"model={a}"], stage)
    before = a.read_bytes()
    for _ in range(2):
        y, changed, got = made.run(None, {made.get_inputs()[0].name: x})
        np.testing.assert_allclose(y, x @ w, rtol=1e-5)
        expected = w.copy()
        expected[0, 0] = 1
        np.testing.assert_array_equal(changed, expected)
        np.testing.assert_array_equal(got, one)
    assert a.read_bytes() == before


@pytest.mark.parametrize("arguments", [[], ["--interpret"], ["--check-stages"], ["--check-bounds"],
                                       ["--sanitize=address"]], ids=str)
def test_the_tool(noria_tool, arguments, tmp_path):
    x = np.arange(3, dtype=np.int32)
    path = files.write(tmp_path / "p.safetensors", {"x": x})
    (tmp_path / "p.mlir").write_text(give('"s"::"x"', "i32", "3"))
    done = noria_tool("run", tmp_path / "p.mlir", f"--parameters=s={path}", *arguments)
    assert done.stdout.strip() == "dense<[0, 1, 2]> : tensor<3xi32>", done.stderr


def test_errors_of_names(tmp_path):
    x = np.zeros((2, 3), np.float32)
    path = files.write(tmp_path / "p.safetensors", {"x": x, "u": np.zeros(4, np.uint8)})
    wrong = [(['"y"', "f32", "2x3"], [path], "parameter 'y' is in none of the parameter files: '.*p.safetensors'"),
             (['"s"::"x"', "f32", "2x3"], [path], "parameter 's::x' is in none .*: none was given with the scope 's'"),
             (['"x"', "f32", "2x3"], [f"s={path}"], "parameter 'x' is in none .*: none was given without a scope"),
             (['"x"', "f32", "3x2"], [path], "parameter 'x' of '.*' is 2x3xF32, but the program takes 3x2xfloat32"),
             (['"x"', "f64", "2x3"], [path], "parameter 'x' of '.*' is 2x3xF32, but the program takes 2x3xfloat64"),
             (['"x"', "f32", "6"], [path], "parameter 'x' of '.*' is 2x3xF32, but the program takes 6xfloat32"),
             (['"u"', "si8", "4"], [tmp_path], "is no file"),
             (['"u"', "i8", "4"], ["/nowhere/p"], "parameter file '/nowhere/p' cannot be opened: No such file")]
    for what, given, message in wrong:
        with pytest.raises(noria.Error, match=message):
            session(give(*what), given)


def header(key="x", dtype="F32", shape=(2,), offsets=(0, 8), more=""):
    return json.dumps({key: {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}}).encode() + \
        more.encode()


ENTRY = b'{"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}'
MALFORMED = {
    "no JSON": (b"nothing", 8, "byte 0 of the header: expected '{'"),
    "type": (header(dtype="F64"), 8, "parameter 'x' has 8 bytes, but its shape and type take 16"),
    "shape": (header(shape=(3,)), 8, "parameter 'x' has 8 bytes, but its shape and type take 12"),
    "dim overflow": (header(shape=(2**63,)), 8, "this dim is too large"),
    "product overflow": (header(shape=(2**40, 2**40)), 8, "parameter 'x': the dims multiply to more than"),
    "number overflow": (header(shape=(2**70,)), 8, "this number is too large"),
    "rank": (header(shape=[1] * 17), 8, "a tensor has too many dims"),
    "backwards": (header(offsets=(8, 0)), 8, "parameter 'x' ends before it begins"),
    "escaping": (header(shape=(4,), offsets=(0, 16)), 8, "parameter 'x' ends behind the end of the file"),
    "far away": (header(dtype="F4", offsets=(0, 2**64 - 1)), 8, "parameter 'x' ends behind the end of the file"),
    "hole": (header(offsets=(4, 12)), 12, "parameter 'x' does not follow the one before it"),
    "rest": (header(), 9, "1 bytes at the end belong to no parameter"),
    "negative": (header(offsets=(-1, 7)), 8, "expected an integer that is not negative"),
    "fraction": (b'{"x": {"dtype": "F32", "shape": [2.0]', 8, "expected an integer that is not negative"),
    "zeros": (b'{"x": {"dtype": "F32", "shape": [02]', 8, "expected an integer that is not negative"),
    "member": (b'{"x": {"name": "F32"}}', 8, "this member is unknown"),
    "member twice": (b'{"x": {"dtype": "F32", "dtype": "F32"}}', 8, "this member is there twice"),
    "member missing": (b'{"x": {"dtype": "F32", "shape": []}}', 4, "a tensor needs dtype, shape and data_offsets"),
    "overlap": (b'{"x": %s, "y": %s}' % (ENTRY, ENTRY), 8, "parameter '[xy]' overlaps another one"),
    "key twice": (b'{"x": %s, "x": %s}' % (ENTRY, ENTRY.replace(b"0, 8", b"8, 16")), 16, "parameter 'x' is there twice"),
    "end": (header(more=" x"), 8, "the object ends, but the header goes on"),
    "comma": (b'{"x": %s,}' % ENTRY, 8, "expected '\"'"),
    "open": (b'{"x": %s' % ENTRY, 8, "expected '}'"),
    "string": (b'{"x', 8, "this is no string of JSON"),
    "control": (b'{"\n": %s}' % ENTRY, 8, "this is no string of JSON"),
    "escape": (b'{"\\x": %s}' % ENTRY, 8, "this is no string of JSON"),
    "half escape": (b'{"\\u12', 8, "this is no string of JSON"),
    "surrogate": (b'{"\\ud800": %s}' % ENTRY, 8, "this is no string of JSON"),
    "bytes": (b'{"\xff": %s}' % ENTRY, 8, "this is no string of JSON"),
    "metadata": (b'{"__metadata__": {"a": 1}}', 0, "expected '\"'"),
    "metadata twice": (b'{"__metadata__": {}, "__metadata__": {}}', 0, "__metadata__ is there twice"),
    "array": (b"[]", 0, "expected '{'"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_files(name, tmp_path):
    text, size, message = MALFORMED[name]
    path = tmp_path / "bad.safetensors"
    path.write_bytes(files.encode(text, bytes(size), 1))
    with pytest.raises(noria.Error, match="bad.safetensors'.*" + message):
        session(give('"x"', "f32", "2"), [path])


def test_truncated_files(tmp_path):
    """A file that is cut off anywhere is refused, by name."""
    x = np.arange(2, dtype=np.float32)
    whole = files.write(tmp_path / "p.safetensors", {"x": x}).read_bytes()
    path = tmp_path / "cut.safetensors"
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(noria.Error, match="cut.safetensors"):
            session(give('"x"', "f32", "2"), [path])
    for length in (2**64 - 1, 2**63, 10**8 + 1, len(whole)):
        path.write_bytes(length.to_bytes(8, "little") + whole[8:])
        with pytest.raises(noria.Error, match="cut.safetensors' is no safetensors file, or is truncated"):
            session(give('"x"', "f32", "2"), [path])


def test_keys_with_escapes(tmp_path):
    key = "ä\"\\/\n\U0001f600"
    path = files.write(tmp_path / "p.safetensors", {key: np.float32([1, 2])})  # json.dumps writes \u escapes
    text = give('"\\C3\\A4\\22\\5C/\\0A\\F0\\9F\\98\\80"', "f32", "2")
    np.testing.assert_array_equal(session(text, [path]).run(None, {})[0], [1, 2])


def test_unknown_types_that_are_not_used(tmp_path):
    path = tmp_path / "p.safetensors"
    path.write_bytes(files.encode(
        b'{"x": %s, "y": {"dtype": "F4", "shape": [4], "data_offsets": [8, 10]}}' % ENTRY, bytes(10)))
    np.testing.assert_array_equal(session(give('"x"', "f32", "2"), [path]).run(None, {})[0], [0, 0])
    with pytest.raises(noria.Error, match="parameter 'y' of '.*' is 4xF4, but the program takes 4xint8"):
        session(give('"y"', "i8", "4"), [path])


def test_only_what_is_used_is_read(tmp_path):
    """A file of 2 GB, of which 4 KB are used, adds little to the memory of the process."""
    path = tmp_path / "large.safetensors"
    size = 2 << 30
    text = files.encode({"x": {"dtype": "F32", "shape": [1024], "data_offsets": [0, 4096]},
                         "large": {"dtype": "U8", "shape": [size], "data_offsets": [4096, 4096 + size]}}, b"")
    with open(path, "wb") as file:
        file.write(text)
        file.truncate(len(text) + 4096 + size)
    child = f"""
import re, sys
import noria
options = noria.SessionOptions()
options.parameters = [{str(path)!r}]
def used():  # not ru_maxrss, which a child inherits from the process that starts it
    return int(re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1])
made = noria.InferenceSession({give('"x"', "f32", "1024")!r}.encode(), options)
assert made.run(None, {{}})[0].shape == (1024,)
print(used())
"""
    done = subprocess.run([sys.executable, "-c", child], capture_output=True, text=True, timeout=120, check=True)
    assert int(done.stdout) < 600 << 10, done.stdout


WEIGHTS = """
func.func @main(%x: tensor<?x64xf32>) -> (tensor<?x32xf32>, tensor<300xi64>, tensor<8xf32>) {{
  %w = arith.constant dense<{w}> : tensor<64x32xf32>
  %same = arith.constant dense<{w}> : tensor<64x32xf32>
  %i = arith.constant dense<{i}> : tensor<300xi64>
  %small = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %splat = arith.constant dense<1.0> : tensor<64x32xf32>
  %sum = arith.addf %w, %same : tensor<64x32xf32>
  %all = arith.addf %sum, %splat : tensor<64x32xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<?x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  %y = linalg.matmul ins(%x, %all : tensor<?x64xf32>, tensor<64x32xf32>) outs(%f : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %y, %i, %small : tensor<?x32xf32>, tensor<300xi64>, tensor<8xf32>
}}"""


def with_weights(tmp_path):
    rng = np.random.default_rng(3)
    w, i = rng.random((64, 32), np.float32), np.arange(300) * 3 - 1
    (tmp_path / "w.mlir").write_text(WEIGHTS.format(w=w.tolist(), i=i.tolist()))
    return w, i


@pytest.mark.parametrize("how", [["--outline-min=64"], [], ["--canonicalize"], ["--pipeline", "--stop-after=buffer"],
                                 ["--pipeline", "--stop-after=expand"]], ids=str)
def test_written_by_opt(how, noria_tool, tmp_path):
    """`noria opt` moves constants to a file, after any pass; the program then gives what it gave."""
    w, i = with_weights(tmp_path)
    path = tmp_path / "w.safetensors"
    done = noria_tool("opt", tmp_path / "w.mlir", *how, f"--outline-parameters={path}", "-o", tmp_path / "out.mlir")
    assert done.returncode == 0, done.stderr
    text, written = (tmp_path / "out.mlir").read_text(), files.read(path)
    assert "dense_resource" not in text and text.count('"constant_0"') >= 1
    folded = any("canonicalize" in word or "pipeline" in word for word in how)
    expected = [w + w + 1] if folded else [w]
    if "--outline-min=64" in how:
        expected.append(i)
    got = [a for a in written.values() if a.dtype == np.float32]
    np.testing.assert_allclose(got[0], expected[0], rtol=1e-6)
    assert len(written) == len(expected)
    if "--stop-after=expand" in how:
        return  # memory is pointers there, which have no inputs from outside
    np.save(tmp_path / "x.npy", np.ones((2, 64), np.float32))
    for way in [], ["--interpret"], ["--check-bounds"]:
        done = noria_tool("run", tmp_path / "out.mlir", f"@{tmp_path}/x.npy", f"--parameters={path}", *way)
        assert done.returncode == 0, done.stderr
        first = done.stdout[done.stdout.index("["):done.stdout.index(">")]
        np.testing.assert_allclose(np.array(json.loads(first)), np.ones((2, 64)) @ (w + w + 1), rtol=1e-5)


CHILD = """
import ctypes, io, sys
import numpy as np
runtime, P, I = ctypes.CDLL(sys.argv[1]), ctypes.c_void_p, ctypes.c_int64
runtime.noria_tensor_data.argtypes, runtime.noria_tensor_data.restype = [P], P
class Options(ctypes.Structure):
    _fields_ = [("threads", ctypes.c_int32), ("limits", I * 3), ("cache", I), ("imports", P), ("num_imports", I),
                ("libraries", P), ("num_libraries", I), ("parameters", P), ("num_parameters", I), ("files", P),
                ("num_files", I), ("trace", P), ("trace_user", P), ("warn", P), ("warn_user", P),
                ("release", P), ("user", P), ("more", P * 16)]
class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("message", ctypes.c_char_p)]
paths = (ctypes.c_char_p * len(sys.argv[3:]))(*[p.encode() for p in sys.argv[3:]])
options = Options(threads=1, files=ctypes.cast(paths, P), num_files=len(paths))
program, error, x, outputs = P(), Error(), P(), (P * 3)()
if runtime.noria_program_load(sys.argv[2].encode(), ctypes.byref(options), ctypes.byref(program), ctypes.byref(error)):
    sys.exit(error.message.decode())
ones = np.ones((2, 64), np.float32)
assert runtime.noria_tensor_create(1, I(2), (I * 2)(2, 64), ones.ctypes.data_as(P), ctypes.byref(x), None) == 0
assert runtime.noria_program_run(program, (P * 1)(x), I(1), outputs, I(3), None, None) == 0
y = np.ctypeslib.as_array(ctypes.cast(runtime.noria_tensor_data(outputs[0]), ctypes.POINTER(ctypes.c_float)), (2, 32))
file = io.BytesIO()  # NumPy asks a file for its position, which a pipe does not have
np.save(file, y)
sys.stdout.buffer.write(file.getvalue())
"""


@pytest.mark.parametrize("more", [[], ["--cpu=x86-64,x86-64-v2"]], ids=["one_cpu", "two_cpus"])
def test_written_by_compile(more, noria_tool, tmp_path):
    """A compiled library without its weights takes them from the file, and says when they are not there."""
    if more and platform.machine() != "x86_64":
        pytest.skip("for CPUs of x86-64")
    w, _ = with_weights(tmp_path)
    whole, small, weights = (tmp_path / name for name in ("whole.so", "small.so", "w.safetensors"))
    for out, how in (whole, []), (small, [f"--outline-parameters={weights}"]):
        done = noria_tool("compile", tmp_path / "w.mlir", "-o", out, *how, *more)
        assert done.returncode == 0, done.stderr
    assert whole.stat().st_size - small.stat().st_size >= w.nbytes // 2
    np.testing.assert_allclose(next(iter(files.read(weights).values())), w + w + 1, rtol=1e-6)

    def child(*paths):
        return subprocess.run([sys.executable, "-c", CHILD, str(BUILD / "libnoria_runtime.so"), str(small),
                               *map(str, paths)], capture_output=True, timeout=60)

    done = child(weights)
    assert done.returncode == 0, done.stderr
    np.testing.assert_allclose(np.load(io.BytesIO(done.stdout)), np.ones((2, 64)) @ (w + w + 1), rtol=1e-5)
    done = child()
    assert done.returncode == 1 and b"parameter 'constant_0' is in none of the parameter files" in done.stderr


def test_a_file_that_cannot_be_written(noria_tool, tmp_path):
    with_weights(tmp_path)
    done = noria_tool("opt", tmp_path / "w.mlir", f"--outline-parameters={tmp_path}/none/w.safetensors")
    assert done.returncode == 1 and "cannot write" in done.stderr


def onnx_model(folder, tensors, external=None):
    """A model with initializers; those in external lie in a file beside it."""
    made = []
    for name, array in tensors.items():
        tensor = numpy_helper.from_array(array, name)
        if external:
            (folder / external).write_bytes(bytes(8) + array.tobytes())
            tensor.ClearField("raw_data")
            tensor.data_location = TensorProto.EXTERNAL
            for key, value in ("location", external), ("offset", "8"), ("length", str(array.nbytes)):
                tensor.external_data.add(key=key, value=value)
        made.append(tensor)
    first = next(iter(tensors))
    graph = helper.make_graph([helper.make_node("Identity", [first], ["out"])], "g", [],
                              [helper.make_tensor_value_info("out", made[0].data_type, tensors[first].shape)], made)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    (folder / "m.onnx").write_bytes(model.SerializeToString())
    return folder / "m.onnx"


@pytest.mark.parametrize("stage", [None, "import", "buffer"])
@pytest.mark.parametrize("external", [None, "m.data"])
def test_onnx_models(external, stage, tmp_path):
    w = np.arange(12, dtype=np.float32).reshape(3, 4)
    path = onnx_model(tmp_path, {"w": w}, external)
    np.testing.assert_array_equal(session(give('"s"::"w"', "f32", "3x4"), [f"s={path}"], stage).run(None, {})[0], w)


def test_wrong_onnx_models(tmp_path):
    w = np.arange(12, dtype=np.float32).reshape(3, 4)
    path = onnx_model(tmp_path, {"w": w}, "m.data")
    with pytest.raises(noria.Error, match="parameter 'w' is 3x4xfloat32, but the program takes 4x3xfloat32"):
        session(give('"w"', "f32", "4x3"), [path])
    with pytest.raises(noria.Error, match="parameter 'v' is in none of the parameter files"):
        session(give('"v"', "f32", "3x4"), [path])
    (tmp_path / "m.data").write_bytes(bytes(40))
    with pytest.raises(noria.Error, match="m.onnx.*tensor 'w'.*too short"):
        session(give('"w"', "f32", "3x4"), [path])
    (tmp_path / "sub").mkdir()
    path = onnx_model(tmp_path / "sub", {"w": w}, "../m.data")
    with pytest.raises(noria.Error, match="tensor 'w': external data location '../m.data' leaves the model's folder"):
        session(give('"w"', "f32", "3x4"), [path])
    (tmp_path / "no.onnx").write_bytes(b"nothing")
    with pytest.raises(noria.Error, match="parameter file '.*no.onnx'"):
        session(give('"w"', "f32", "3x4"), [tmp_path / "no.onnx"])
    with pytest.raises(noria.Error, match="parameter file '.*none.onnx'"):
        session(give('"w"', "f32", "3x4"), [tmp_path / "none.onnx"])
