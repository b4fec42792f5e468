"""Sessions whose runs are those of a rank of an mpi4py communicator."""
import os
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
