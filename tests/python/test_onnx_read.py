"""Every model of the official ONNX suite reads, and its functions inline."""

import ctypes
import os
import pathlib
import subprocess

import onnx
import onnx.backend.test.loader
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Buf(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t), ("capacity", ctypes.c_size_t)]


@pytest.fixture(scope="module")
def read():
    lib = ctypes.CDLL(str(pathlib.Path(os.environ.get("NORIA_BUILD", ROOT / "build/release")) / "libnoria.so"))
    lib.nr_onnx_read_memory.argtypes = [
        ctypes.c_char_p,
        ctypes.c_size_t,
        ctypes.c_char_p,
        ctypes.POINTER(ctypes.c_void_p),
        ctypes.POINTER(Buf),
    ]
    lib.nr_onnx_inline_functions.argtypes = [ctypes.c_void_p, ctypes.POINTER(Buf)]
    lib.nr_onnx_model_destroy.argtypes = [ctypes.c_void_p]
    lib.nr_buf_deinit.argtypes = [ctypes.POINTER(Buf)]

    def run(data):
        """Reads a model and inlines its functions; returns the errors."""
        model, errors = ctypes.c_void_p(), Buf()
        status = lib.nr_onnx_read_memory(data, len(data), None, ctypes.byref(model), ctypes.byref(errors))
        if status == 0:
            status = lib.nr_onnx_inline_functions(model, ctypes.byref(errors))
        text = (errors.data or b"").decode()
        lib.nr_onnx_model_destroy(model)
        lib.nr_buf_deinit(ctypes.byref(errors))
        assert (status == 0) == (text == "")
        return text

    return run


@pytest.mark.parametrize("kind", ["node", "simple", "pytorch-converted", "pytorch-operator"])
def test_official_models(read, kind):
    failures = {}
    cases = onnx.backend.test.loader.load_model_tests(kind=kind)
    for case in cases:
        model = case.model or onnx.load(os.path.join(case.model_dir, "model.onnx"))
        errors = read(model.SerializeToString())
        if errors:
            failures[case.name] = errors
    assert len(cases) > 10
    assert not failures


def test_message_in_many_pieces(tmp_path):
    """Pieces of a message are merged in linear time and memory: a graph in 20,000 pieces, one a node (1.3 MB)."""
    node = onnx.helper.make_node
    info = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph([], "g", [info("x", 1, [4])], [info("y0", 1, [4])])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 21)], ir_version=10)
    pieces = [onnx.ModelProto(graph=onnx.GraphProto(node=[node("Add", ["x", "x"], [f"y{i}"], name=f"node {i}")]))
              for i in range(20000)]
    path = tmp_path / "pieces.onnx"
    path.write_bytes(model.SerializeToString() + b"".join(piece.SerializeToString() for piece in pieces))
    build = pathlib.Path(os.environ.get("NORIA_BUILD", ROOT / "build/release"))
    command = [build / "noria", "show", "--compile-memory-limit=100M", path]
    shown = subprocess.run(command, capture_output=True, text=True)
    assert shown.returncode == 0, shown.stderr
    assert "20000" in shown.stdout
