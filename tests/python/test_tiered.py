"""Tiered compilation (SessionOptions.tiered, noria run --tiered): the second code's results are the first's up to
rounding, and what the cache keeps is the second."""
import time

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import noria
from test_cache import folder, programs, run, save_model, tool, weight  # noqa: F401


def options(cache="off", **fields):
    made = noria.SessionOptions()
    made.tiered, made.cache = True, cache
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def network():
    """Two layers, a softmax and a loop: products, reductions, vectors and scalars."""
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((64, 64)).astype(np.float32) / 8 for _ in range(2))
    body = helper.make_graph(
        [helper.make_node("Tanh", ["s"], ["t"]), helper.make_node("Add", ["t", "s"], ["u"]),
         helper.make_node("Identity", ["c"], ["d"])], "body",
        [helper.make_tensor_value_info("i", TensorProto.INT64, []),
         helper.make_tensor_value_info("c", TensorProto.BOOL, []),
         helper.make_tensor_value_info("s", TensorProto.FLOAT, ["N", 64])],
        [helper.make_tensor_value_info("d", TensorProto.BOOL, []),
         helper.make_tensor_value_info("u", TensorProto.FLOAT, ["N", 64])])
    nodes = [helper.make_node("MatMul", ["x", "a"], ["p"]), helper.make_node("Relu", ["p"], ["q"]),
             helper.make_node("MatMul", ["q", "b"], ["r"]), helper.make_node("Loop", ["n", "", "r"], ["l"], body=body),
             helper.make_node("Softmax", ["l"], ["y"])]
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, ["N", 64]) for n in "xy")
    constants = [numpy_helper.from_array(a, "a"), numpy_helper.from_array(b, "b"),
                 numpy_helper.from_array(np.int64(3), "n")]
    model = helper.make_model(helper.make_graph(nodes, "g", [x], [y], constants), ir_version=8,
                              opset_imports=[helper.make_opsetid("", 17)])

    def expected(x):
        r = np.maximum(x @ a, 0) @ b
        for _ in range(3):
            r = np.tanh(r) + r
        e = np.exp(r - r.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)

    return model.SerializeToString(), expected


def test_both_codes_give_the_same_results():
    model, expected = network()
    session = noria.InferenceSession(model, options())
    x = np.random.default_rng(1).standard_normal((17, 64)).astype(np.float32)
    before = session.run(None, {"x": x})[0]
    assert session.wait_until_optimized()
    after = session.run(None, {"x": x})[0]
    np.testing.assert_allclose(before, expected(x), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(after, before, rtol=1e-5, atol=1e-7)  # levels may differ in the last bits


def test_a_session_with_one_code_is_never_waited_for():
    model, _ = network()
    assert noria.InferenceSession(model).wait_until_optimized(0)
    assert noria.InferenceSession(model, options(interpret_after="tensor")).wait_until_optimized(0)


def test_the_cache_gets_the_second_code(folder, tmp_path):  # noqa: F811
    w = weight(0)
    model = save_model(tmp_path / "m.onnx", w)
    done = tool(folder, "run", model, f"--input=x=ones:2x{len(w)}xf32", "--tiered", "--output", f"y=@{model}.npy")
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(np.load(f"{model}.npy"), np.tile((1 + w) * w, (2, 1)))
    assert len(programs(folder)) == 1
    assert run(folder, model, w)  # without the option: it is the same program


def test_external_data_is_found_again(folder, tmp_path):  # noqa: F811
    w = weight(0, 4096)
    model = save_model(tmp_path / "m.onnx", w, external=True)
    time.sleep(2.5)  # what changed just now is not cached
    session = noria.InferenceSession(model, options(cache=str(folder)))
    assert session.wait_until_optimized()
    x = np.ones((2, len(w)), np.float32)
    np.testing.assert_array_equal(session.run(None, {"x": x})[0], np.tile((1 + w) * w, (2, 1)))
    assert run(folder, model, w)


def test_it_is_an_option_of_compiling(tmp_path):
    model = save_model(tmp_path / "m.onnx", weight(0))
    noria.compile_to_file(model, tmp_path / "m.so")
    with pytest.raises(noria.Error, match="tiered is an option of compiling"):
        noria.InferenceSession(tmp_path / "m.so", options())
    done = tool(tmp_path / "cache", "run", tmp_path / "m.so", "--tiered", "--input=x=ones:2x256xf32")
    assert done.returncode == 2 and "--tiered is an option of compiling" in done.stderr
