"""Attention as exporters write it, against ONNX Runtime: which dispatches it becomes, and what they compute."""

import subprocess

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import noria
from conftest import BUILD

HEADS, SIZE = 4, 16


def graph(form, batch, rows, keys, mask):
    """plain: q, k and v per head. projected: of all heads side by side. split: all three side by side too, for which rows
    and keys are the same. batched: heads and batch as one dim."""
    nodes, weights, node = [], [], helper.make_node

    def constant(name, value):
        weights.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    if form == "plain":
        dims = {name: [batch, HEADS, n, SIZE] for name, n in (("q", rows), ("k", keys), ("v", keys))}
        nodes.append(node("Transpose", ["k"], ["kt"], perm=[0, 1, 3, 2]))
        q, k, v = "q", "kt", "v"
    else:
        dims = {name: [batch, n, HEADS * SIZE] for name, n in (("q", rows), ("k", keys), ("v", keys))}
        if form == "split":
            dims = {"x": [batch, rows, 3 * HEADS * SIZE]}
            nodes.append(node("Split", ["x", constant("parts", np.array([HEADS * SIZE] * 3))], ["q", "k", "v"], axis=2))
        constant("heads", np.array([0, 0, HEADS, SIZE], np.int64))
        for name, perm in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
            nodes.append(node("Reshape", [name, "heads"], [name + "r"]))
            nodes.append(node("Transpose", [name + "r"], [name + "t"], perm=perm))
        q, k, v = "qt", "kt", "vt"
    if form == "batched":
        for name, shape in (("qt", [-1, rows, SIZE]), ("kt", [-1, SIZE, keys]), ("vt", [-1, keys, SIZE])):
            shape = [0 if isinstance(d, str) else d for d in shape]
            nodes.append(node("Reshape", [name, constant(name + "s", np.array(shape, np.int64))], [name + "b"]))
        q, k, v = "qtb", "ktb", "vtb"
    nodes.append(node("MatMul", [q, k], ["scores"]))
    nodes.append(node("Mul", ["scores", constant("scale", np.float32(SIZE**-0.5))], ["scaled"]))
    last = "scaled"
    if form == "batched":
        nodes.append(node("Reshape", [last, constant("four", np.array([-1, HEADS, rows, keys], np.int64))], ["split"]))
        last = "split"
    if mask:
        dims["mask"] = [batch, 1, 1, keys]
        nodes.append(node("Add", [last, "mask"], ["masked"]))
        last = "masked"
    nodes.append(node("Softmax", [last], ["weights"], axis=-1))
    last = "weights"
    if form == "batched":
        nodes.append(node("Reshape", [last, constant("three", np.array([-1, rows, keys], np.int64))], ["joined"]))
        last = "joined"
    nodes.append(node("MatMul", [last, v], ["product"]))
    last = "product"
    if form == "batched":
        nodes.append(node("Reshape", [last, constant("back", np.array([-1, HEADS, rows, SIZE], np.int64))], ["apart"]))
        last = "apart"
    if form != "plain":
        nodes.append(node("Transpose", [last], ["turned"], perm=[0, 2, 1, 3]))
        nodes.append(node("Reshape", ["turned", constant("flat", np.array([0, 0, HEADS * SIZE], np.int64))], ["y"]))
        last = "y"
    inputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, d) for n, d in dims.items()]
    result = helper.make_tensor_value_info(last, TensorProto.FLOAT, [None] * (4 if form == "plain" else 3))
    return helper.make_model(helper.make_graph(nodes, "main", inputs, [result], weights),
                             opset_imports=[helper.make_opsetid("", 17)], ir_version=8), dims


def feeds_for(dims, sizes, seed):
    rng = np.random.default_rng(seed)
    return {n: rng.standard_normal([sizes.get(d, d) for d in shape]).astype(np.float32) for n, shape in dims.items()}


def compare(model, feeds):
    data = model.SerializeToString()
    expected = onnxruntime.InferenceSession(data).run(None, feeds)[0]
    for threads in (1, 2):
        options = noria.SessionOptions()
        options.intra_op_num_threads = threads
        found = noria.InferenceSession(data, options).run(None, feeds)[0]
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5, err_msg=f"{threads} threads")


def dispatches(model, folder):
    path = folder / "attention.onnx"
    onnx.save(model, path)
    text = subprocess.run([BUILD / "noria", "opt", "--cpu=skylake-avx512", "--pipeline", "--stop-after=flow", str(path)],
                          check=True, capture_output=True, text=True, timeout=120).stdout
    return text.count("flow.dispatch @")


@pytest.mark.parametrize("mask", [False, True])
@pytest.mark.parametrize("form", ["plain", "projected", "split"])
def test_static(form, mask, tmp_path):
    model, dims = graph(form, 2, 144, 144 if form == "split" else 200, mask)
    if mask or form != "split":
        assert dispatches(model, tmp_path) == 1
    compare(model, feeds_for(dims, {}, 1))


def test_batched(tmp_path):
    model, dims = graph("batched", 1, 160, 160, True)
    compare(model, feeds_for(dims, {}, 2))


@pytest.mark.parametrize("form", ["plain", "projected", "split"])
def test_open_sizes(form, tmp_path):
    model, dims = graph(form, "batch", "rows", "rows" if form == "split" else "keys", True)
    assert dispatches(model, tmp_path) == 1
    for seed, (batch, rows, keys) in enumerate([(1, 1, 1), (2, 33, 70), (1, 300, 17), (3, 16, 128)]):
        compare(model, feeds_for(dims, {"batch": batch, "rows": rows, "keys": keys}, seed))
