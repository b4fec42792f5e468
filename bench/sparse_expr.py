"""Rows of the table about kernels that `noria sparse` makes: against SciPy, on CSR with positions of i32, one thread
and all. Where one takes a millisecond, two or more must be GAIN times as fast.

Results of both are compared. Columns of SciPy's products of matrices are in no order, so those of ours are too, by a
result of format du; as rows of their own, without a bar, those in order (ds)."""

import os
import subprocess

import numpy as np
import scipy.sparse as sp

import noria

# A name, the expression, the format of the result, SciPy's function, how many times faster the bar says.
ROWS = [
    ("SpMV", "y(i) = B(i,j) * x(j)", "d", lambda B, C, x: B @ x, 1.5),
    ("add", "A(i,j) = B(i,j) + C(i,j)", "ds", lambda B, C, x: B + C, 4),
    ("multiply", "A(i,j) = B(i,j) * C(i,j)", "ds", lambda B, C, x: B.multiply(C), 4),
    ("SpGEMM", "A(i,j) = B(i,k) * C(k,j)", "du", lambda B, C, x: B @ C, 2.5),
    ("SpGEMM in order", "A(i,j) = B(i,k) * C(k,j)", "ds", lambda B, C, x: B @ C, 0),
]


def matrix(rng, size, per_row):
    m = sp.random(size, size, per_row / size, "csr", np.float64, rng)
    m.sort_indices()
    return m


ALL = "Noria, all threads"  # as in bench/run.py
GAIN = 1.6


def sessions(tool, expr, result, make_session):
    """Of one thread and of all."""
    formats = [f"-f={name}:{result if name == 'A' else 'ds'}" for name in "ABC" if f"{name}(" in expr]
    text = subprocess.run([tool, "sparse", expr, *formats], capture_output=True, check=True).stdout
    return make_session(text, 1), make_session(text, 0)


def feeds_of(program, size, B, C, x):
    feeds = {f"size_{i}": np.int64(size) for i in "ijk"} | {"x": x}
    for name, m in ("B", B), ("C", C):
        feeds |= {f"{name}_pos1": m.indptr, f"{name}_crd1": m.indices, f"{name}_vals": m.data}
    return {i.name: feeds[i.name] for i in program.get_inputs()}


def check(results, result, expected):
    if sp.issparse(expected):
        expected = expected.tocsr()
        expected.sort_indices()
        pos, crd, vals = results
        if result == "du":
            ours = sp.csr_array((vals, crd, pos), expected.shape)
            ours.sort_indices()
            crd, vals = ours.indices, ours.data
        assert np.array_equal(pos, expected.indptr) and np.array_equal(crd, expected.indices)
        np.testing.assert_allclose(vals, expected.data, rtol=1e-9)
    else:
        np.testing.assert_allclose(results[0], expected, rtol=1e-9)


def bench(table, tool, make_session, interleaved):
    """Adds the rows to the table; `interleaved` measures functions in turns."""
    rng = np.random.default_rng(0)
    for size, per_row in [(100_000, 10), (20_000, 50)]:
        B, C, x = matrix(rng, size, per_row), matrix(rng, size, per_row), rng.random(size)
        for name, expr, result, reference, bar in ROWS:
            program, threaded = sessions(tool, expr, result, make_session)
            feeds = feeds_of(program, size, B, C, x)
            for p in (program, threaded):
                check(p.run(None, feeds), result, reference(B, C, x))
            one, threads, theirs = interleaved([lambda: program.run(None, feeds), lambda: threaded.run(None, feeds),
                                                lambda: reference(B, C, x)], 5 if "SpGEMM" in name else 30)
            bars, ok = [f"{bar}x SciPy"] if bar else [], theirs[1] >= bar * one[1]
            if one[1] >= 1e-3 and len(os.sched_getaffinity(0)) > 1:
                bars.append(f"all threads one / {GAIN}")
                ok = ok and one[1] >= GAIN * threads[1]
            table.add(f"noria sparse {name}, {size:,} x {per_row} a row", "ms", 1e3,
                      {"Noria": one, ALL: threads, "SciPy": theirs}, ", ".join(bars) or "-", ok)


def main():
    """The rows alone: `python bench/sparse_expr.py`."""
    import statistics
    import time

    class Table:
        def add(self, name, unit, scale, results, bar, ok):
            ours, threads, theirs = (results[e][1] * scale for e in ("Noria", ALL, "SciPy"))
            print(f"{name}: Noria {ours:.2f} {unit}, all threads {threads:.2f} ({ours / threads:.2f} times), "
                  f"SciPy {theirs:.2f} {unit}, {theirs / ours:.2f} times; bar {bar}"
                  f" {'reached' if ok else 'missed'}")

    def make_session(text, threads):
        options = noria.SessionOptions()
        options.intra_op_num_threads = threads
        return noria.InferenceSession(text, options)

    def interleaved(functions, rounds):
        times = [[] for _ in functions]
        for _ in range(rounds):
            for function, list_ in zip(functions, times):
                begin = time.perf_counter()
                function()
                list_.append(time.perf_counter() - begin)
        return [(statistics.median(t), min(t), max(t)) for t in times]

    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    build = os.environ.get("NORIA_BUILD", os.path.join(root, "build", "release"))
    bench(Table(), os.path.join(build, "noria"), make_session, interleaved)


if __name__ == "__main__":
    main()
