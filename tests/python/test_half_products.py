"""Products of matrices of 16-bit floats, large enough for all tiles and tails of vectors. They are summed in float32 and
rounded once; the judge is NumPy in float64."""
import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator
from ops import Batch, Const

SHAPES = [(1, 5, 3), (1, 64, 50), (7, 33, 19), (64, 100, 65), (3, 256, 16), (5, 1, 40), (65, 40, 129)]


@pytest.mark.parametrize("dtype, digits", [(np.float16, 11), (ml_dtypes.bfloat16, 8)], ids=["f16", "bf16"])
def test_products(dtype, digits):
    rng = np.random.default_rng(1)
    batch = Batch(21, 0, 2. ** -digits)  # of products between -1 and 1
    for m, k, n in SHAPES:
        a, b = (rng.uniform(-1, 1, s).astype(dtype) for s in ((m, k), (k, n)))
        product = a.astype(np.float64) @ b.astype(np.float64)
        alpha = 1 / np.abs(product).max()
        for right, attrs in ((b, {}), (np.ascontiguousarray(b.T), {"transB": 1})):
            for factor in (right, Const(right)):
                batch.add("Gemm", [a, factor], (alpha * product).astype(dtype), alpha=float(alpha), **attrs)
    batch.check()


@pytest.mark.parametrize("dtype, digits", [(np.float16, 11), (ml_dtypes.bfloat16, 8)], ids=["f16", "bf16"])
def test_convolutions(dtype, digits):
    """Kernels that are constants, which are widened when the model is compiled, and others; the judge is onnx's
    reference evaluator in float64."""
    rng = np.random.default_rng(1)
    batch = Batch(22, 0, 0)
    for group, channels, out, kernel, size, attrs in [
            (1, 8, 12, (3, 3), (9, 10), {"pads": [1, 1, 1, 1]}), (1, 70, 40, (1, 1), (3, 2), {}),
            (2, 6, 8, (2, 3), (7, 8), {"strides": [2, 1]}), (4, 4, 4, (3,), (30,), {"strides": [2], "pads": [1, 0]})]:
        x = rng.uniform(-1, 1, (2, channels, *size)).astype(dtype)
        w, b = rng.uniform(-1, 1, (out, channels // group, *kernel)).astype(dtype), rng.uniform(-1, 1, out).astype(dtype)
        node = helper.make_node("Conv", ["x", "w", "b"], ["y"], group=group, **attrs)
        graph = helper.make_graph([node], "g", [helper.make_tensor_value_info(n, TensorProto.DOUBLE, None) for n in "xwb"],
                                  [helper.make_tensor_value_info("y", TensorProto.DOUBLE, None)])
        judge = ReferenceEvaluator(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)]))
        want, = judge.run(None, {n: v.astype(np.float64) for n, v in zip("xwb", (x, w, b))})
        for given in (w, Const(w)):
            atol = 2. ** (1 - digits) * np.abs(want).max()
            batch.add("Conv", [x, given, b], want.astype(dtype), group=group, atol=atol, **attrs)
    batch.check()
