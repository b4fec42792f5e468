"""C source against the machine code of LLVM, in the same run, at one thread.

`python bench/csource.py`, or a section of bench/run.py. Both are made with --cpu=native; the C by gcc -O3
-march=native."""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("NORIA_BUILD", os.path.join(HERE, "..", "build", "release"))
sys.path[:0] = [os.path.join(HERE, "..", "examples", "silero"), HERE]  # both have a run.py
import models  # noqa: E402
import run as silero  # noqa: E402

BAR = 1.3


def library(base, kind):
    """The model base.onnx as a library of machine code, "so", or of C, "c"."""
    noria, made = os.path.join(BUILD, "noria"), f"{base}.{kind}.so"
    source = made if kind == "so" else f"{base}.c"
    subprocess.run([noria, "compile", "--cpu=native", f"{base}.onnx", "-o", source], check=True)
    if kind == "c":
        subprocess.run(["gcc", "-std=c17", "-O3", "-march=native", "-shared", "-fPIC", source, "-o", made, "-lm"],
                       check=True)
    return silero.noria_session(made, 1)


def works():
    """(name, model, feeds, calls that are timed as one)."""
    rows = np.random.default_rng(0).uniform(size=(10_000, 64)).astype(np.float32)
    yield "f32 scalar loop, 100,000 trips", models.scalar_loop(), {"trips": np.array(100_000),
                                                                    "x0": np.array(1, np.float32)}, 1
    yield "Collatz while loop on int64", models.collatz(), {"n0": np.array(989_345_275_647)}, 200
    yield "running sum of rows of 64", models.row_sums(), {"rows": rows, "trips": np.array(10_000)}, 1
    yield "RNN cell 128, 1,000 trips", models.rnn_cell()[0], {"x": np.full((1, 128), 0.1, np.float32),
                                                             "trips": np.array(1000)}, 1
    chunk = np.random.default_rng(1).standard_normal((1, 576), np.float32) * 0.1
    yield "Silero VAD, one chunk", pathlib.Path(silero.fetch_model()).read_bytes(), {
        "input": chunk, "state": np.zeros((2, 1, 128), np.float32), "sr": np.array(16000, np.int64)}, 20


def timed(session, feeds, calls):
    begin = time.perf_counter()
    for _ in range(calls):
        session.run(None, feeds)
    return (time.perf_counter() - begin) / calls


class Section:
    def __init__(self):
        self.rows = []

    def text(self):
        lines = ["", "## C source", "",
                 f"gcc -O3 -march=native beside our machine code, microseconds a call; bar: {BAR}x.", "",
                 "| what | machine code | C | ratio | |", "|---|---|---|---|---|"]
        lines += [f"| {name} | {a * 1e6:.3g} | {b * 1e6:.3g} | {b / a:.2f} | {'met' if ok else '**not met**'} |"
                  for name, a, b, ok in self.rows]
        return "\n".join(lines) + "\n"


def bench(rounds=15):
    section = Section()
    for name, model, feeds, calls in works():
        with tempfile.TemporaryDirectory() as folder:
            base = os.path.join(folder, "model")
            pathlib.Path(f"{base}.onnx").write_bytes(model if isinstance(model, bytes) else model.SerializeToString())
            sessions = [library(base, "so"), library(base, "c")]
        for a, b in zip(*(s.run(None, feeds) for s in sessions)):
            np.testing.assert_allclose(b, a, rtol=1e-3, atol=1e-5)
        times = [[timed(s, feeds, calls) for s in sessions] for _ in range(rounds)]
        machine, c = (min(t) for t in zip(*times))
        median = statistics.median(b / a for a, b in times)
        section.rows.append((name, machine, c, c / machine <= BAR))
        print(f"{name:34} machine code {machine * 1e6:.4g} us  C {c * 1e6:.4g} us  "
              f"ratio {c / machine:.2f} (median {median:.2f})", flush=True)
    return section


if __name__ == "__main__":
    sys.exit(0 if all(row[-1] for row in bench().rows) else "some bars are not met")
