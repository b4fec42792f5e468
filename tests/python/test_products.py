"""Products of matrices whose rows have two dynamic dims, in another order in the factor than in the result, against ONNX
Runtime: code for tiles of rows along either dim."""
import numpy as np
import onnx
import onnxruntime
import pytest

import noria

MODEL = """<ir_version: 10, opset_import: ["": 21]>
g (float[B, L, 64] x, float[64, 96] w, float[96] bias) => (float[L, B, 96] y) {
  t = Transpose <perm = [1, 0, 2]> (x)
  p = MatMul (t, w)
  s = Add (p, bias)
  y = Relu (s)
}"""


@pytest.fixture(scope="module")
def sessions():
    model = onnx.parser.parse_model(MODEL).SerializeToString()
    return noria.InferenceSession(model), onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (2, 33), (33, 2), (7, 8), (8, 7), (16, 16), (0, 3), (3, 0)])
def test_rows_in_two_orders(sessions, shape):
    rng = np.random.default_rng(sum(shape))
    feeds = {"x": rng.standard_normal((*shape, 64), np.float32), "w": rng.standard_normal((64, 96), np.float32),
             "bias": rng.standard_normal(96, np.float32)}
    got, want = (s.run(None, feeds)[0] for s in sessions)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
