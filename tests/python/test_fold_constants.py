"""Values that depend on constants only are computed when a model is compiled (src/driver/fold_constants.c)."""
import subprocess

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import noria
from conftest import BUILD

RNG = np.random.default_rng(0)


def make(nodes, constants, x_shape, y_shape, opset=17):
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, x_shape)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, y_shape)
    tensors = [numpy_helper.from_array(np.asarray(c), n) for n, c in constants.items()]
    return helper.make_model(helper.make_graph(nodes, "g", [x], [y], tensors), ir_version=8,
                             opset_imports=[helper.make_opsetid("", opset)])


def run(model, x, fold_memory=0):
    options = noria.SessionOptions()
    options.fold_memory = fold_memory
    return noria.InferenceSession(model.SerializeToString(), options).run(None, {"x": x})[0]


def library_size(model, tmp_path):
    """Of the library that it is compiled to, which has its constants."""
    onnx.save(model, tmp_path / "m.onnx")
    noria.compile_to_file(tmp_path / "m.onnx", tmp_path / "m.so")
    return (tmp_path / "m.so").stat().st_size


def quantised_weight(rows=256, columns=192):
    """A chain of all kinds: Cast, Sub, Mul, Transpose, Reshape, Concat, Slice."""
    w = RNG.integers(-128, 128, (rows, columns)).astype(np.int8)
    scale, zero = RNG.random(columns).astype(np.float32), np.float32(3)
    nodes = [helper.make_node("Cast", ["w"], ["f"], to=TensorProto.FLOAT),
             helper.make_node("Sub", ["f", "zero"], ["c"]), helper.make_node("Mul", ["c", "scale"], ["s"]),
             helper.make_node("Transpose", ["s"], ["t"], perm=[1, 0]),
             helper.make_node("Reshape", ["t", "shape"], ["r"]),
             helper.make_node("Concat", ["r", "r"], ["k"], axis=0),
             helper.make_node("MatMul", ["x", "k"], ["y"])]
    shape = np.array([rows // 2, -1], np.int64)
    value = ((w.astype(np.float32) - zero) * scale).T.reshape(rows // 2, -1)
    constants = {"w": w, "scale": scale, "zero": zero, "shape": shape}
    return make(nodes, constants, ["N", rows], ["N", value.shape[1]]), np.concatenate([value, value])


@pytest.mark.parametrize("fold_memory", [0, -1, 1000, 1 << 30])
def test_chains(fold_memory):
    model, weight = quantised_weight()
    x = RNG.integers(-4, 5, (3, len(weight))).astype(np.float32)
    np.testing.assert_allclose(run(model, x, fold_memory), x @ weight, rtol=1e-4, atol=1e-1)


def test_results_replace_what_they_are_made_of(tmp_path):
    model, weight = quantised_weight()
    size, bytes_of_w = library_size(model, tmp_path), weight.size // 2
    assert weight.nbytes < size < weight.nbytes + bytes_of_w


def test_what_only_repeats_constants_is_not_stored(tmp_path):
    row = RNG.random(512).astype(np.float32)
    nodes = [helper.make_node("Exp", ["row"], ["e"]), helper.make_node("Expand", ["e", "shape"], ["b"]),
             helper.make_node("Add", ["x", "b"], ["y"])]
    model = make(nodes, {"row": row, "shape": np.array([1000, 512], np.int64)}, [1000, 512], [1000, 512])
    assert library_size(model, tmp_path) < 1 << 20
    x = RNG.random((1000, 512)).astype(np.float32)
    np.testing.assert_allclose(run(model, x), x + np.exp(row), rtol=1e-6)


def test_what_is_slow_to_make_is_stored(tmp_path):
    """A table of sines, which is much larger than the lists that it is made of."""
    rows, columns = RNG.random((400, 1)).astype(np.float32), RNG.random(256).astype(np.float32)
    nodes = [helper.make_node("Mul", ["rows", "columns"], ["p"]), helper.make_node("Sin", ["p"], ["s"]),
             helper.make_node("Add", ["x", "s"], ["y"])]
    model = make(nodes, {"rows": rows, "columns": columns}, [400, 256], [400, 256])
    assert library_size(model, tmp_path) > 400 * 256 * 4
    x = RNG.random((400, 256)).astype(np.float32)
    np.testing.assert_allclose(run(model, x), x + np.sin(rows * columns), rtol=1e-6)


def test_loops_and_branches():
    """The weight of a loop's body, and one that is used only in a branch that is not taken."""
    w = RNG.integers(-2, 3, (160, 160)).astype(np.int8)
    body = helper.make_graph(
        [helper.make_node("Cast", ["w"], ["f"], to=TensorProto.FLOAT), helper.make_node("Mul", ["f", "scale"], ["s"]),
         helper.make_node("MatMul", ["a", "s"], ["b"]), helper.make_node("Identity", ["c"], ["d"])], "body",
        [helper.make_tensor_value_info("i", TensorProto.INT64, []),
         helper.make_tensor_value_info("c", TensorProto.BOOL, []),
         helper.make_tensor_value_info("a", TensorProto.FLOAT, [1, 160])],
        [helper.make_tensor_value_info("d", TensorProto.BOOL, []),
         helper.make_tensor_value_info("b", TensorProto.FLOAT, [1, 160])])
    nodes = [helper.make_node("Loop", ["trips", "", "x"], ["y"], body=body)]
    model = make(nodes, {"w": w, "scale": np.float32(0.125), "trips": np.int64(3)}, [1, 160], [1, 160])
    x = RNG.integers(-2, 3, (1, 160)).astype(np.float32)
    expected = x
    for _ in range(3):
        expected = expected @ (w * np.float32(0.125))
    np.testing.assert_allclose(run(model, x), expected, rtol=1e-4, atol=1e-3)


def test_what_can_fail_fails_in_the_run():
    """An index out of bounds in constants is an error of the run, and not of compiling."""
    table, at = RNG.random((300, 100)).astype(np.float32), np.array([1, 300] * 200, np.int64)
    nodes = [helper.make_node("Gather", ["table", "at"], ["g"], axis=0), helper.make_node("Exp", ["g"], ["e"]),
             helper.make_node("ReduceSum", ["e"], ["s"], keepdims=0), helper.make_node("Add", ["x", "s"], ["y"])]
    model = make(nodes, {"table": table, "at": at}, [1], [1])
    try:
        session = noria.InferenceSession(model.SerializeToString())
    except noria.Error as error:
        assert "300" in str(error)
        return
    with pytest.raises(noria.Error, match="300"):
        session.run(None, {"x": np.zeros(1, np.float32)})


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int64, np.bool_, np.float16, np.float64])
def test_element_types(dtype):
    a = RNG.integers(0, 2 if dtype is np.bool_ else 100, (300, 200)).astype(dtype)
    onnx_type = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    f32, i64 = TensorProto.FLOAT, TensorProto.INT64
    nodes = [helper.make_node("Transpose", ["a"], ["t"], perm=[1, 0]),
             helper.make_node("Cast", ["t"], ["f"], to=f32), helper.make_node("Cast", ["f"], ["b"], to=onnx_type),
             helper.make_node("Gather", ["b", "i"], ["g"], axis=0), helper.make_node("Cast", ["g"], ["h"], to=f32),
             helper.make_node("Cast", ["x"], ["n"], to=i64), helper.make_node("Gather", ["b", "n"], ["k"], axis=0),
             helper.make_node("Cast", ["k"], ["m"], to=f32), helper.make_node("Add", ["m", "h"], ["y"])]
    model = make(nodes, {"a": a, "i": np.array([5], np.int64)}, [1], [1, 300])
    np.testing.assert_array_equal(run(model, np.array([7], np.float32)),
                                  a.T[[7]].astype(np.float32) + a.T[[5]].astype(np.float32))


@pytest.mark.parametrize("rows", [[5], ["N"], ["B", "N"], [2, 3]])
@pytest.mark.parametrize("columns", [320, 330])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
def test_products_with_large_constants(rows, columns, dtype):
    """Weights lie in blocks of columns (src/pass/linalg/pack_constants.c), and so do the ops around the product."""
    depth = 257
    w, turned = (RNG.integers(-2, 3, shape).astype(dtype) for shape in [(depth, columns), (depth, columns)])
    bias, last = RNG.integers(-9, 9, columns).astype(dtype), RNG.integers(-2, 3, (columns, 2048)).astype(dtype)
    nodes = [helper.make_node("MatMul", ["x", "w"], ["p"]), helper.make_node("Add", ["p", "bias"], ["h"]),
             helper.make_node("Sign", ["h"], ["s"]), helper.make_node("Mul", ["h", "s"], ["g"]),
             helper.make_node("Reshape", ["x", "flat"], ["f"]),
             helper.make_node("Gemm", ["f", "turned", "bias"], ["q"], transB=1, alpha=0.5, beta=2.0),
             helper.make_node("Shape", ["g"], ["shape"]), helper.make_node("Reshape", ["q", "shape"], ["r"]),
             helper.make_node("Sub", ["g", "r"], ["d"]), helper.make_node("Clip", ["d", "low", "high"], ["c"]),
             helper.make_node("MatMul", ["c", "last"], ["m"]), helper.make_node("Add", ["m", "m"], ["y"])]
    constants = {"w": w, "turned": np.ascontiguousarray(turned.T), "bias": bias, "last": last,
                 "flat": np.array([-1, depth], np.int64), "low": dtype(-2), "high": dtype(2)}
    model = make(nodes, constants, rows + [depth], rows + [2048])
    for value in list(model.graph.input) + list(model.graph.output):
        value.type.tensor_type.elem_type = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    shape = [{"N": 3, "B": 2}.get(r, r) for r in rows]
    x = RNG.integers(-2, 3, shape + [depth]).astype(dtype)
    exact = x.astype(np.float64)
    h = exact @ w + bias
    expected = 2 * (np.clip(h * np.sign(h) - (0.5 * (exact @ turned) + 2.0 * bias), -2, 2) @ last.astype(np.float64))
    np.testing.assert_allclose(run(model, x), expected, rtol=1e-3 if dtype is np.float16 else 1e-6)


def test_stages_agree(tmp_path):
    model, weight = quantised_weight(64, 48)
    onnx.save(model, tmp_path / "m.onnx")
    done = subprocess.run([BUILD / "noria", "run", "--check-stages", tmp_path / "m.onnx",
                           f"--input=x=ones:2x{len(weight)}xf32"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
