"""--shard=batch and --shard=tensor: results on ranks are those of ONNX Runtime on the whole model."""
import os
import shutil
import subprocess

import numpy as np
import onnxruntime
import pytest

from conftest import BUILD
from control_flow import model_of

NORIA = BUILD / "noria"
MPI = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

MLP = model_of(19, """g (float[N, 48] x, float[48] shift) => (float[N, 48] y) {
  s = Add(x, shift)
  a = MatMul(s, W1)
  b = Add(a, b1)
  r = Relu(b)
  c = MatMul(r, W2)
  y = Add(c, b2)
}""", valid=False)
GEMM = model_of(19, """g (float[N, 48] x, float[48] shift) => (float[N, 40] y) {
  a = Gemm<transB = 1>(x, W1t, b1)
  t = Tanh(a)
  m = Mul(t, b1)
  c = Gemm<alpha = 0.5>(m, W2, b2)
  d = Gemm<transB = 1>(c, W1t)
  e = Sigmoid(d)
  f = Add(e, e)
  z = Gemm<transB = 1>(f, W3t)
  s = ReduceSum(shift)
  y = Add(z, s)
}""", valid=False)
LOOP = model_of(19, """g (float[N, 48] x, float[48] shift) => (float[N, 48] y) {
  three = Constant<value = int64 {3}>()
  y = Loop<body = b (int64 i, bool c, float[N, 48] h) => (bool go, float[N, 48] next) {
    go = Identity(c)
    a = MatMul(h, W1)
    r = Relu(a)
    m = MatMul(r, W2)
    next = Tanh(m)
  }>(three, "", x)
}""", valid=False)
CONV = model_of(19, """g (float[N, 3, 9, 9] x, float[48] shift) => (float[N, 5] y) {
  a = Conv<kernel_shape = [3, 3]>(x, K)
  r = Relu(a)
  p = GlobalAveragePool(r)
  y = Flatten(p)
}""", valid=False)
MODELS = {"mlp": (MLP, (48,)), "gemm": (GEMM, (48,)), "loop": (LOOP, (48,)), "conv": (CONV, (3, 9, 9))}


def weights(used):
    from onnx import numpy_helper
    rng = np.random.default_rng(5)
    all_of = {"W1": rng.standard_normal((48, 600)) / 7, "b1": rng.standard_normal(600), "b2": rng.standard_normal(48),
              "W2": rng.standard_normal((600, 48)) / 25, "W3t": rng.standard_normal((40, 600)) / 25,
              "W1t": rng.standard_normal((600, 48)) / 7, "K": rng.standard_normal((5, 3, 3, 3))}
    return [numpy_helper.from_array(v.astype(np.float32), k) for k, v in all_of.items() if k in used]


@pytest.fixture(scope="module", params=MODELS)
def case(request, tmp_path_factory):
    """The model's path, a function that makes its inputs, and one that gives what is expected."""
    model, shape = MODELS[request.param]
    text = model.SerializeToString()
    model.graph.initializer.extend(w for w in weights({"W1", "b1", "b2", "W2", "W3t", "W1t", "K"})
                                   if w.name.encode() in text)
    folder = tmp_path_factory.mktemp(request.param)
    path = folder / "model.onnx"
    path.write_bytes(model.SerializeToString())
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])

    def run(rows):
        rng = np.random.default_rng(rows)
        feeds = {"x": rng.standard_normal((rows, *shape)).astype(np.float32),
                 "shift": rng.standard_normal(48).astype(np.float32)}
        args = []
        for name, value in feeds.items():
            np.save(folder / f"{name}.npy", value)
            args += ["--input", f"{name}=@{folder / name}.npy"]
        return args, session.run(None, feeds)[0]

    return request.param, path, run


def check_ranks(folder, command, want, ranks, env=None):
    subprocess.run([*map(str, command), "--check-collectives", "--output", f"y=@{folder}/y%r.npy"], check=True, timeout=100,
                   env=env, capture_output=True)
    for rank in range(ranks):
        np.testing.assert_allclose(np.load(folder / f"y{rank}.npy"), want, 1e-4, 1e-4)


@pytest.mark.parametrize("shard", ["batch", "tensor"])
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 8])
def test_threads(case, shard, ranks, tmp_path):
    """7 rows: not a multiple of the ranks, and of 8 one has no row."""
    _, path, run = case
    args, want = run(7)
    check_ranks(tmp_path, [NORIA, "run", path, *args, f"--ranks={ranks}", f"--shard={shard}"], want, ranks)


@pytest.mark.skipif(not shutil.which("mpirun"), reason="mpirun is not installed")
@pytest.mark.parametrize("shard", ["batch", "tensor"])
def test_mpi(case, shard, tmp_path):
    _, path, run = case
    args, want = run(5)
    command = ["mpirun", "--oversubscribe", "-n", 3, NORIA, "run", path, *args, f"--shard={shard}"]
    check_ranks(tmp_path, command, want, 3, MPI)


@pytest.mark.parametrize("shard", ["batch", "tensor"])
def test_interpreter(case, shard, tmp_path):
    _, path, run = case
    args, want = run(3)
    check_ranks(tmp_path, [NORIA, "run", "--interpret", path, *args, "--ranks=2", f"--shard={shard}"], want, 2)


def test_weights_are_cut(case):
    """Each pair of large weights is read in parts; one all_reduce for each."""
    name, path, _ = case
    text = subprocess.run([NORIA, "run", "--stop-after=tensor", "--shard=tensor", path], check=True, timeout=60,
                          capture_output=True, text=True).stdout
    assert text.count("flow.collective.all_reduce") == {"mlp": 1, "gemm": 2, "loop": 1, "conv": 0}[name]


def test_unknown_way(case):
    done = subprocess.run([NORIA, "run", "--shard=rows", case[1]], capture_output=True, text=True, timeout=60)
    assert done.returncode != 0 and "--shard cannot be 'rows'" in done.stderr
