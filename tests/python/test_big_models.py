"""Weights in a file beside the model are used where they lie: memory beyond them does not grow with them."""
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

CHILD = """
import sys
import numpy as np, noria

def peak():  # of this program; getrusage's begins with that of the process which started it
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM"))

options = noria.SessionOptions()
options.cache = sys.argv[2]
noria.InferenceSession(sys.argv[3], options).run(None, {"x": np.ones((1, 64), np.float32)})  # loads LLVM
before = peak()
session = noria.InferenceSession(sys.argv[1], options)
y, = session.run(None, {"x": np.ones((1, 2048), np.float32)})
print(peak() - before, float(y.max()))
"""


def save(path, size, layers):
    """Each layer adds one to its input: x @ (nearly 0) + (x + 1)."""
    weight = np.arange(size * size, dtype=np.float32).reshape(size, size) * 1e-30
    weights = [numpy_helper.from_array(weight, f"w{i}") for i in range(layers)]
    one = numpy_helper.from_array(np.float32(1), "one")
    nodes, x = [], "x"
    for i in range(layers):
        nodes += [helper.make_node("MatMul", [x, f"w{i}"], [f"m{i}"]), helper.make_node("Add", [x, "one"], [f"a{i}"]),
                  helper.make_node("Add", [f"m{i}", f"a{i}"], [f"y{i}"])]
        x = f"y{i}"
    infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, size]) for n in ("x", x)]
    graph = helper.make_graph(nodes, "g", infos[:1], infos[1:], weights + [one])
    model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
    onnx.save(model, path, save_as_external_data=True, location=path.stem + ".bin", size_threshold=1024)


def test_memory_is_that_of_the_weights(tmp_path):
    size, layers = 2048, 16
    save(tmp_path / "big.onnx", size, layers)
    save(tmp_path / "small.onnx", 64, 1)
    weights = layers * size * size * 4
    for _ in range(2):  # compiled, and from the cache
        done = subprocess.run([sys.executable, "-c", CHILD, tmp_path / "big.onnx", tmp_path / "cache",
                               tmp_path / "small.onnx"], capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        grown, result = done.stdout.split()
        assert float(result) == 1 + layers
        assert int(grown) <= 1.2 * weights
