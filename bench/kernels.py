"""Kernels of the library called from Python, beside NumPy, torch and ONNX Runtime in the same run; the best times
are compared.

torch is measured where NORIA_TORCH_PYTHON names an interpreter that has it."""
import os
import subprocess
import sys
import tempfile

import numpy as np
from onnx import TensorProto, helper

from noria import kernels

TORCH = """
import sys, time
import numpy as np, torch
torch.set_num_threads(1)
a, v = (torch.from_numpy(np.load(path)) for path in sys.argv[1:3])
best = 1e9
for _ in range(int(sys.argv[3])):
    begin = time.perf_counter()
    torch.searchsorted(a, v)
    best = min(best, time.perf_counter() - begin)
print(best)
"""


def torch_searchsorted(a, v, rounds):
    """Best seconds of torch, or None."""
    python = os.environ.get("NORIA_TORCH_PYTHON")
    if not python:
        return None
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("a.npy", "v.npy")]
        for path, x in zip(paths, (a, v)):
            np.save(path, x)
        done = subprocess.run([python, "-c", TORCH, *paths, str(rounds)], capture_output=True, text=True, check=True)
    return float(done.stdout)


def on_threads(count, call):
    """The call with kernels on that many threads, which are compiled at its first run."""
    def run():
        with kernels.threads(count):
            return call()
    return run


def as_list(result):
    return result if isinstance(result, (list, tuple)) else [result]


class Kernels:
    def __init__(self, table, interleaved, columns):
        self.table, self.interleaved, self.columns = table, interleaved, columns

    def row(self, name, unit, scale, call, peer, peer_name, times, rounds, other=None, sessions=None):
        """Noria at one and two threads beside a peer; other: best seconds of a second peer that was measured apart, 0:
        it is not there; sessions: what makes the call for a number of threads, where it is no kernel's."""
        many = min(2, len(os.sched_getaffinity(0)))
        one, two = (sessions(n) if sessions else on_threads(n, call) for n in (1, many))
        for x, y in zip(as_list(one()), as_list(peer()), strict=True):
            assert np.array_equal(x, y, equal_nan=True)
        r = self.interleaved([one, two, peer], rounds)
        best = min(r[2][1], other or r[2][1])
        ratio, gain = best / r[0][1], r[0][1] / r[1][1]
        apart = f", torch {other * scale:.3g}" if other else ", torch: not measured" if other == 0 else ""
        text = (f"best of peers / {times} (is / {ratio:.2f}); {many} threads {gain:.2f}x; "
                f"{peer_name} {r[2][1] * scale:.3g}{apart}")
        self.table.add(name, unit, scale, {self.columns[0]: r[0], self.columns[1]: r[1]}, text, ratio >= times)

    def searches(self, rng):
        v = rng.random(1 << 20, np.float32)
        for size, times in (1 << 10, 6), (1 << 16, 3), (1 << 20, 2):
            a = np.sort(rng.random(size, np.float32))
            self.row(f"searchsorted, 1 M queries in {size}", "ns a query", 1e9 / v.size,
                     lambda a=a: kernels.searchsorted(a, v), lambda a=a: np.searchsorted(a, v), "NumPy", times, 7,
                     torch_searchsorted(a, v, 7) or 0)
        a, v = np.sort(rng.random((10_000, 64), np.float32)), rng.random((10_000, 64), np.float32)
        self.row("searchsorted, 10,000 rows of 64", "ns a query", 1e9 / v.size, lambda: kernels.searchsorted(a, v),
                 lambda: np.array([np.searchsorted(x, y) for x, y in zip(a, v)]), "NumPy in a Python loop", 5, 7,
                 torch_searchsorted(a, v, 7) or 0)

    def sorts(self, rng):
        a = rng.standard_normal(4 << 20, np.float32)
        per = 1e9 / a.size
        self.row("sort of 4 M f32", "ns an element", per, lambda: kernels.sort(a), lambda: np.sort(a), "NumPy", 1, 5)
        self.row("sort of 4 M f32, peer stable too", "ns an element", per, lambda: kernels.sort(a),
                 lambda: np.sort(a, kind="stable"), "NumPy", 1, 3)
        self.row("stable argsort of 4 M f32", "ns an element", per, lambda: kernels.argsort(a),
                 lambda: np.argsort(a, kind="stable"), "NumPy", 3, 3)
        half = [np.sort(x) for x in np.split(a, 2)]
        self.row("merge of two lists of 2 M f32", "ns an element", per, lambda: kernels.merge(*half),
                 lambda: np.sort(np.concatenate(half), kind="stable"), "NumPy's stable sort", 1, 5)
        few = rng.integers(0, 1000, 1 << 20)
        self.row("unique of 1 M i64 with counts", "ns an element", 1e9 / few.size,
                 lambda: kernels.unique(few, return_counts=True), lambda: np.unique(few, return_counts=True), "NumPy",
                 1, 5)
        self.row("unique of 1 M i64", "ns an element", 1e9 / few.size, lambda: kernels.unique(few),
                 lambda: np.unique(few), "NumPy", 1, 5)
        self.row("unique of 1 M i64 with places", "ns an element", 1e9 / few.size,
                 lambda: kernels.unique(few, True, True, True), lambda: np.unique(few, True, True, True), "NumPy", 1, 3)
        rows = rng.integers(0, 100, (200_000, 3))
        self.row("unique rows of 200,000 x 3 i64", "ns a row", 1e9 / len(rows), lambda: kernels.unique(rows, axis=0),
                 lambda: np.unique(rows, axis=0), "NumPy", 1, 3)
        edges = np.linspace(-3, 3, 101, dtype=np.float32)
        b = a[:1 << 20]
        self.row("histogram of 1 M f32 in 100 bins by edges", "ns an element", 1e9 / b.size,
                 lambda: kernels.histogram(b, edges), lambda: np.histogram(b, edges), "NumPy", 1, 5)

    def top(self, rng, noria_session, one_thread_ort):
        x = rng.standard_normal((64, 4096), np.float32)
        info = helper.make_tensor_value_info
        graph = helper.make_graph(
            [helper.make_node("TopK", ["x", "k"], ["v", "i"])], "g", [info("x", TensorProto.FLOAT, [64, 4096])],
            [info("v", TensorProto.FLOAT, [64, 10]), info("i", TensorProto.INT64, [64, 10])],
            [helper.make_tensor("k", TensorProto.INT64, [1], [10])])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9).SerializeToString()
        peer = one_thread_ort(model)

        def of(session):
            return lambda: session.run(None, {"x": x})
        self.row("top 10 of 4,096, 64 rows", "us", 1e6, None, of(peer), "ONNX Runtime", 2, 200,
                 sessions=lambda count: of(noria_session(model, count)))


def bench(table, interleaved, noria_session, one_thread_ort, columns):
    k, rng = Kernels(table, interleaved, columns), np.random.default_rng(0)
    k.searches(rng)
    k.sorts(rng)
    k.top(rng, noria_session, one_thread_ort)
    if "NORIA_TORCH_PYTHON" not in os.environ:
        print("torch: not measured", file=sys.stderr)
