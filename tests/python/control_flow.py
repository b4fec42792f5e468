"""What the tests of Loop, If and Scan share: a model in ONNX's text form, its feeds, and the results that it must give.

    check(16, "g (int64 m, float x) => (float y) { y = Loop<body = ...>(m, "", x) }", dict(m=3, x=1.0), [8.0])

Results are computed by the tests themselves. Compiled code must give them; so must the interpreter, after every stage;
and so must ONNX Runtime, except where a test says that it does not.
"""
import subprocess

import numpy as np
import onnx
import onnxruntime
from onnx import helper, parser

import noria
from conftest import BUILD

# IR version that came with each opset.
IR_VERSIONS = {1: 3, 8: 3, 9: 4, 10: 5, 11: 6, 13: 7, 16: 8, 19: 9, 21: 10, 23: 11, 24: 12, 25: 13, 28: 14}
# Versions between these differ in the types that they allow only, so that the program after each stage is the same.
CHECKED_BY_STAGE = {1, 8, 9, 11, 16, 25}


def model_of(opset, text, valid=True):
    model = parser.parse_model(f'<ir_version: {IR_VERSIONS[opset]}, opset_import: ["" : {opset}]>\n{text}')
    if valid:
        onnx.checker.check_model(model)
    return model


def as_value(value, info):
    """A plain Python value as what the declared type says."""
    kind = info.type.WhichOneof("value")
    if kind == "sequence_type":
        dtype = helper.tensor_dtype_to_np_dtype(info.type.sequence_type.elem_type.tensor_type.elem_type)
        return [np.asarray(v, dtype) for v in value]
    if value is None:
        return None
    if kind == "optional_type":
        inner = onnx.ValueInfoProto(name=info.name, type=info.type.optional_type.elem_type)
        return as_value(value, inner)
    return np.asarray(value, helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type))


def same(got, want, what):
    if isinstance(want, list):
        assert isinstance(got, list) and len(got) == len(want), f"{what}: {got} instead of {want}"
        for i, (g, w) in enumerate(zip(got, want)):
            same(g, w, f"{what}[{i}]")
    elif want is None:
        assert got is None, f"{what}: {got} instead of None"
    else:
        assert got.dtype == want.dtype, f"{what}: {got.dtype} instead of {want.dtype}"
        assert got.shape == want.shape, f"{what}: shape {got.shape} instead of {want.shape}: {got}"
        if want.dtype.kind == "f":
            np.testing.assert_allclose(got, want, 1e-5, 1e-6, err_msg=what)
        else:
            np.testing.assert_array_equal(got, want, what)


def all_same(got, want, engine):
    assert len(got) == len(want), f"{engine}: {len(got)} outputs"
    for i, (g, w) in enumerate(zip(got, want)):
        same(g, w, f"{engine}: output {i}")


def by_stages(model, feeds, want, folder):
    """The interpreter after every stage, and compiled code, by files."""
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    args = [BUILD / "noria", "run", "--check-stages", folder / "model.onnx"]
    for name, value in feeds.items():
        np.save(folder / f"{name}.npy", value)
        args += ["--input", f"{name}=@{folder / name}.npy"]
    saved = [i for i, o in enumerate(model.graph.output) if o.type.HasField("tensor_type") and plain(want[i])]
    for i in saved:
        args += ["--output", f"{model.graph.output[i].name}=@{folder}/out{i}.npy"]
    done = subprocess.run([str(a) for a in args], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    for i in saved:
        same(np.load(folder / f"out{i}.npy"), want[i], f"stages: output {i}")


def plain(value):
    """Whether NumPy's own files hold it."""
    return isinstance(value, np.ndarray) and value.dtype.isbuiltin == 1 and value.dtype != object


def check(opset, text, feeds, want, folder, ort=True, valid=True):
    """ort: whether ONNX Runtime is known to be right; valid: whether the model passes onnx.checker."""
    model = model_of(opset, text, valid)
    data = model.SerializeToString()
    feeds = {i.name: as_value(feeds[i.name], i) for i in model.graph.input}
    want = [as_value(w, o) for w, o in zip(want, model.graph.output, strict=True)]
    if ort and opset >= 7:
        session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
        all_same(session.run(None, feeds), want, "ONNX Runtime")
    session = noria.InferenceSession(data)
    for _ in range(2):
        all_same(session.run(None, feeds), want, "compiled")
    if opset in CHECKED_BY_STAGE and all(plain(feeds[i.name]) and i.type.HasField("tensor_type") for i in model.graph.input):
        by_stages(model, feeds, want, folder)


def fails(opset, text, feeds, valid=True):
    """The message with which the model fails, while it is compiled or in the last of its runs."""
    model = model_of(opset, text, valid)
    runs = feeds if isinstance(feeds, list) else [feeds]
    try:
        session = noria.InferenceSession(model.SerializeToString())
    except noria.Error as error:
        return str(error)
    for i, f in enumerate(runs):
        typed = {info.name: as_value(f[info.name], info) for info in model.graph.input}
        try:
            session.run(None, typed)
        except noria.Error as error:
            assert i == len(runs) - 1, f"run {i} already fails: {error}"
            return str(error)
    return "no error"
