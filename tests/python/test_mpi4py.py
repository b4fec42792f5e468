"""Sessions whose runs are those of a rank of an mpi4py communicator."""
import os
import platform
import shutil
import subprocess
import sys

import pytest

from conftest import BUILD

pytest.importorskip("mpi4py", reason="mpi4py is not installed")
pytestmark = pytest.mark.skipif(not shutil.which("mpirun"), reason="mpirun is not installed")

HEAD = """
import numpy as np, onnx
from onnx import parser, numpy_helper
from mpi4py import MPI
import noria
rng = np.random.default_rng(3)
w1, w2 = rng.standard_normal((48, 600), np.float32) / 7, rng.standard_normal((600, 48), np.float32) / 25
model = parser.parse_model('''<ir_version: 9, opset_import: ["" : 19]>
  g (float[N, 48] x) => (float[N, 48] y) { a = MatMul(x, W1)  r = Relu(a)  y = MatMul(r, W2) }''')
model.graph.initializer.extend([numpy_helper.from_array(w1, "W1"), numpy_helper.from_array(w2, "W2")])
model = model.SerializeToString()
x = rng.standard_normal((5, 48), np.float32)
want = np.maximum(x @ w1, 0) @ w2

def say(text):
    # Rank 0 prints for all ranks, because what several processes print may come mixed.
    texts = MPI.COMM_WORLD.gather(text)
    if texts:
        print(*texts, sep="\\n")
"""


def mpirun(ranks, program):
    env = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
           "OPENBLAS_NUM_THREADS": "1"}
    command = ["mpirun", "--oversubscribe", "-n", ranks, sys.executable, "-c", HEAD + program]
    return subprocess.run([str(a) for a in command], capture_output=True, text=True, timeout=120, env=env)


def test_sharded():
    done = mpirun(3, """
for shard in "batch", "tensor":
    options = noria.SessionOptions()
    options.shard, options.communicator, options.check_collectives = shard, MPI.COMM_WORLD, True
    session = noria.InferenceSession(model, options)
    for _ in range(3):
        np.testing.assert_allclose(session.run(None, {"x": x})[0], want, 1e-4, 1e-4)
alone = noria.InferenceSession(model)
np.testing.assert_allclose(alone.run(None, {"x": x})[0], want, 1e-4, 1e-4)
say(f"rank {MPI.COMM_WORLD.Get_rank()}")
""")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "rank 0\nrank 1\nrank 2\n"


def test_part_of_the_processes():
    """Ranks 0 and 2 make one communicator; rank 1 stands aside."""
    done = mpirun(3, """
rank = MPI.COMM_WORLD.Get_rank()
text = "no part of it"
part = MPI.COMM_WORLD.Split(0 if rank != 1 else MPI.UNDEFINED, rank)
if rank != 1:
    options = noria.SessionOptions()
    options.shard, options.communicator = "batch", part
    session = noria.InferenceSession(model, options)
    np.testing.assert_allclose(session.run(None, {"x": x})[0], want, 1e-4, 1e-4)
    options.communicator = MPI.COMM_WORLD
    try:
        noria.InferenceSession(model, options)
    except noria.Error as error:
        text = error
say(text)
""")
    assert done.returncode == 0, done.stderr
    other = "this process is a rank of another communicator"
    assert done.stdout == f"{other}\nno part of it\n{other}\n"


def test_ranks_that_disagree():
    done = mpirun(2, """
options = noria.SessionOptions()
options.shard, options.communicator, options.collective_time_limit = "tensor", MPI.COMM_WORLD, 5
session = noria.InferenceSession(model, options)
try:
    session.run(None, {"x": x[:3 + MPI.COMM_WORLD.Get_rank()]})
except noria.Error as error:
    print(error, flush=True)
""")
    assert "flow.collective.all_reduce" in done.stdout + done.stderr, done.stdout + done.stderr


OWN_PART = """
import ctypes, os, re, tempfile
rank, ranks, folder = MPI.COMM_WORLD.Get_rank(), MPI.COMM_WORLD.Get_size(), os.environ["FOLDER"]
K, H, PAGE = 96, ranks * 2048, os.sysconf("SC_PAGESIZE")
a, b = rng.standard_normal((K, H), np.float32) / 9, rng.standard_normal((H, K), np.float32) / 40
model = parser.parse_model(f'''<ir_version: 9, opset_import: ["" : 19]>
  g (float[N, {K}] x) => (float[N, {K}] y) {{ h = MatMul(x, A)  r = Relu(h)  y = MatMul(r, B) }}''')
for name, value, offset in ("A", a, 0), ("B", b, a.nbytes):
    t = model.graph.initializer.add()
    t.CopyFrom(onnx.TensorProto(name=name, dims=value.shape, data_type=1, data_location=1))
    for key, text in ("location", "w.bin"), ("offset", offset), ("length", value.nbytes):
        t.external_data.add(key=key, value=str(text))
if rank == 0:
    open(f"{folder}/w.bin", "wb").write(a.tobytes() + b.tobytes())
    onnx.save(model, f"{folder}/model.onnx")
MPI.COMM_WORLD.Barrier()
options = noria.SessionOptions()
options.shard, options.communicator = "tensor", MPI.COMM_WORLD
session = noria.InferenceSession(f"{folder}/model.onnx", options)
base, = [int(line.split("-")[0], 16) for line in open("/proc/self/maps") if line.rstrip().endswith(f"{folder}/w.bin")]

def forbid(begin, end):
    '''Whole pages of the file that a rank must not read.'''
    begin, end = (begin + PAGE - 1) // PAGE * PAGE, end // PAGE * PAGE
    if begin < end and ctypes.CDLL(None).mprotect(ctypes.c_void_p(base + begin), ctypes.c_size_t(end - begin), 0):
        raise OSError("mprotect")

part = H // ranks * 4
for k in range(K):  # a row of A is in parts of columns, B is in parts of rows
    forbid(k * H * 4, k * H * 4 + rank * part)
    forbid(k * H * 4 + (rank + 1) * part, (k + 1) * H * 4)
forbid(a.nbytes, a.nbytes + rank * part * K)
forbid(a.nbytes + (rank + 1) * part * K, a.nbytes + b.nbytes)
x = rng.standard_normal((rows, K), np.float32)
np.testing.assert_allclose(session.run(None, {"x": x})[0], np.maximum(x @ a, 0) @ b, 1e-4, 1e-4)
"""


@pytest.mark.skipif(platform.system() != "Linux", reason="reads /proc/self/maps")
@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("rows", [1, 7])
def test_a_rank_reads_its_part_of_the_weights_only(ranks, rows, tmp_path, monkeypatch):
    """The weights are in a file, which is mapped; a rank that reads a page of another's part dies."""
    monkeypatch.setenv("FOLDER", str(tmp_path))
    done = mpirun(ranks, f"rows = {rows}\n" + OWN_PART)
    assert done.returncode == 0, done.stderr
