"""The benchmark of the kernels on sparse matrices: noria.sparse at one thread and at two beside SciPy, in the same run
and in turns. The least of many rounds counts.

    python bench/sparse.py

bench/run.py makes it a section of bench/RESULTS.md.
"""

import os
import sys
import time

import numpy as np

from noria import sparse

try:
    import scipy
    import scipy.sparse as sp
except ImportError:
    scipy = None

SHAPES = [(100_000, 10), (20_000, 50)]
GAIN = 1.6  # of two threads, where a call takes a millisecond


class Section:
    def __init__(self):
        self.rows = []

    def add(self, name, unit, scale, one, two, peer, bar):
        gain = one / two
        gain_ok = gain >= GAIN or one < 1e-3 or len(os.sched_getaffinity(0)) < 2
        ok = peer / one >= bar and gain_ok
        cells = [f"{v * scale:.3g}" for v in (one, two, peer)] + [f"{peer / one:.2f}x", f"{bar}x", f"{gain:.2f}x"]
        self.rows.append((name, unit, *cells, ok))
        print(f"{name:30} {unit:7} Noria {cells[0]}  2 threads {cells[1]} ({cells[5]})  SciPy {cells[2]}  "
              f"faster {cells[3]} (bar {cells[4]})", "| met" if ok else "| NOT met", flush=True)

    def text(self):
        lines = ["", "## Sparse matrices", "",
                 f"`noria.sparse` beside SciPy {scipy.__version__}, with one thread, in the same run and in turns: "
                 "the least of many rounds. Matrices of f64 with int32 indices and random columns, as many rows as "
                 f"columns. Two threads must be {GAIN}x faster than one where a call takes a millisecond.", "",
                 "| what | unit | Noria | 2 threads | SciPy | faster | bar | 2 threads faster | |",
                 "|---|---|---|---|---|---|---|---|---|"]
        for *cells, ok in self.rows:
            lines.append("| " + " | ".join(cells) + f" | {'met' if ok else '**not met**'} |")
        return "\n".join(lines) + "\n"


def matrix(m, per_row, seed):
    rng = np.random.default_rng(seed)
    columns = np.sort(rng.integers(0, m, (m, per_row)), axis=1).astype(np.int32)
    rows = np.arange(0, m * per_row + 1, per_row, dtype=np.int32)
    a = sp.csr_array((rng.normal(size=m * per_row), columns.ravel(), rows), shape=(m, m))
    a.sum_duplicates()
    return a


def with_threads(n, f):
    def call():
        sparse.set_num_threads(n)
        return f()
    return call


def least(functions, rounds):
    """The least seconds of each function, called in turns, each time once before."""
    best = [float("inf")] * len(functions)
    for _ in range(rounds):
        for i, f in enumerate(functions):
            f()
            begin = time.perf_counter()
            f()
            best[i] = min(best[i], time.perf_counter() - begin)
    sparse.set_num_threads(0)
    return best


def bench():
    """The section, or None where SciPy is not installed."""
    if scipy is None:
        print("sparse matrices: not measured, for there is no SciPy")
        return None
    section = Section()
    for m, per_row in SHAPES:
        a, b, x = matrix(m, per_row, 1), matrix(m, per_row, 2), np.random.default_rng(3).normal(size=m)
        dense = np.random.default_rng(4).normal(size=(m, 16))
        work = [("SpMV", lambda: sparse.spmv(a, x), lambda: a @ x, 1.5, 30),
                ("add", lambda: sparse.add(a, b), lambda: a + b, 4, 15),
                ("multiply", lambda: sparse.multiply(a, b), lambda: a.multiply(b), 4, 15),
                ("SpMM, 16 columns", lambda: sparse.spmm(a, dense), lambda: a @ dense, 1, 10),
                ("SpGEMM", lambda: sparse.spgemm(a, b), lambda: a @ b, 2.5, 3)]
        for name, ours, theirs, bar, rounds in work:
            one, two, peer = least([with_threads(1, ours), with_threads(2, ours), theirs], rounds)
            scale, unit = (1e3, "ms") if name == "SpGEMM" else (1e9 / a.nnz, "ns/nnz")
            section.add(f"{name}, {m:,} x {per_row}", unit, scale, one, two, peer, bar)
    return section


if __name__ == "__main__":
    done = bench()
    if done and not all(row[-1] for row in done.rows):
        sys.exit("some bars are not met")
