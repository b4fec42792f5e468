"""Products of matrices of 16-bit floats, large enough for all tiles and tails of vectors. They are summed in float32 and
rounded once; the judge is NumPy in float64."""
import ml_dtypes
import numpy as np
import pytest
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
