"""`make models` (bench/zoo), as far as it needs no download."""

import json
import os
import pickle
import subprocess
import sys

import numpy as np
import onnx.parser
import pytest

ZOO = os.path.join(os.path.dirname(__file__), "..", "..", "bench", "zoo")
sys.path.insert(0, ZOO)
import compare  # noqa: E402
import wheels  # noqa: E402
import zoo  # noqa: E402

MODEL = """<ir_version: 10, opset_import: ["" : 21]>
m (float[N, 4] x, float[4, 3] w) => (float[N, 3] y) { y = MatMul (x, w) }"""


@pytest.fixture
def model(tmp_path):
    path = str(tmp_path / "m.onnx")
    rng = np.random.default_rng(0)
    zoo.save(path, onnx.parser.parse_model(MODEL),
             {"x": rng.random((2, 4), np.float32), "w": rng.random((4, 3), np.float32)})
    return path


def measure(*arguments):
    done = subprocess.run([sys.executable, os.path.join(ZOO, "measure.py"), *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_engines_are_measured_and_compared(model, tmp_path):
    results = []
    for engine in "noria", "ort":
        figures = measure("load", engine, model, str(tmp_path / engine))
        assert figures["peak"] > 1 and figures["load"] > 0
        results.append(pickle.loads((tmp_path / engine).read_bytes()))
    assert results[0]["y"].shape == (2, 3) and compare.difference(*results) is None
    times = measure("time", model, "0.01")
    assert times.keys() == {"noria", "ort"} and all(t.keys() == {"0", "1"} for t in times.values())


@pytest.mark.parametrize("ours, theirs, text", [
    (np.float32([1, 2]), np.float32([1, 2.0001]), None),
    (np.float32([1, 2]), np.float32([1, 2.1]), "1 of 2 elements"),
    (np.float32([np.nan]), np.float32([np.nan]), None),
    (np.float32([1]), np.float64([1]), "float32[1] instead of float64[1]"),
    (np.float32([1]), np.float32([[1]]), "float32[1] instead of float32[1, 1]"),
    (np.array([1, 2]), np.array([1, 3]), "1 of 2 elements"),
    (np.array(["a"], object), np.array(["b"], object), "1 of 1 elements"),
    ([np.float32(1)], [np.float32(1), np.float32(1)], "a list of 2 expected"),
    ([{1: 0.5}], [{1: 0.5}], None),
    ([{1: 0.5}], [{2: 0.5}], "other keys"),
    ([{1: 0.5}], [{1: 0.7}], "1 of 1 elements"),
])
def test_differences_are_found(ours, theirs, text):
    found = compare.difference({"y": ours}, {"y": theirs})
    assert (found is None) == (text is None) and (text is None or text in found)


@pytest.mark.parametrize("scores, labels, same", [
    ([0.9, 0.5, 0.5 - 1e-7], [1, 3, 2], True),
    ([0.9, 0.5, 0.5 - 1e-7], [1, 3, 3], False),
    ([0.9, 0.5, 0.4], [1, 3, 2], False),
])
def test_detections_of_equal_scores_may_change_places(scores, labels, same):
    theirs = {"scores": np.array(scores), "labels": np.array([1, 2, 3])}
    assert (compare.difference({"scores": np.array(scores), "labels": np.array(labels)}, theirs) is None) == same


def test_a_model_that_cannot_be_exported_does_not_stop_the_others(tmp_path, capsys):
    models = zoo.Zoo()
    models.add("bad")(lambda: 1 / 0)
    models.add("good")(lambda: (b"bytes", {"x": 1}))
    models.export(str(tmp_path))
    assert sorted(os.listdir(tmp_path)) == ["good.onnx", "good.onnx.feeds"]
    assert "bad: not exported" in capsys.readouterr().err


def test_inputs_fit_the_declared_shapes():
    value = onnx.helper.make_tensor_value_info("image", onnx.TensorProto.FLOAT, [1, 3, None, None])
    assert wheels.make_input(value).shape == (1, 3, 48, 240)
    value = onnx.helper.make_tensor_value_info("waveforms_lens", onnx.TensorProto.INT64, ["batch"])
    assert wheels.make_input(value).dtype == np.int64
