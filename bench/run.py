"""The benchmark table: Noria, at one thread and at all, beside ONNX Runtime and C at one, in one run; medians.

    python bench/run.py [--only NAME | --write]

Prints a row as soon as it is measured, and exits with 1 when a bar is not met. The committed bench/RESULTS.md is what
`--write` makes of a whole run: `make bench BENCH=--write`.
"""

import argparse
import ctypes
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnxruntime

import noria

os.environ["NORIA_CACHE"] = "off"  # compiling is timed

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
BUILD = os.environ.get("NORIA_BUILD", os.path.join(ROOT, "build", "release"))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(ROOT, "examples", "silero"))
import collectives  # noqa: E402
import csource  # noqa: E402
import dispatches  # noqa: E402
import kernels  # noqa: E402
import lanes  # noqa: E402
import models  # noqa: E402
import opt  # noqa: E402
import run as silero  # noqa: E402
import sparse_expr  # noqa: E402
import sparse  # noqa: E402


def interleaved(functions, rounds):
    """Median seconds of each function, called in turns so that the machine's moods hit all alike. Each timed call
    follows one of the same function, so that none pays for what another left in the caches."""
    times = [[] for _ in functions]
    for _ in range(rounds):
        for fn, list_ in zip(functions, times):
            fn()
            begin = time.perf_counter()
            fn()
            list_.append(time.perf_counter() - begin)
    return [(statistics.median(t), min(t), max(t)) for t in times]


def c_peers():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "peers.so")
        subprocess.run(["clang-22", "-O3", "-march=native", "-ffp-contract=fast", "-shared", "-fPIC", "-o", path,
                        os.path.join(HERE, "peers.c"), "-lm", "-pthread"], check=True)
        lib = ctypes.CDLL(path)
    lib.scalar_loop.restype = ctypes.c_float
    lib.collatz.restype = ctypes.c_int64
    return lib


def both(model):
    """Sessions at one thread and at all."""
    return silero.noria_session(model, 1), silero.noria_session(model, 0)


def pointer(array):
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_float))


ALL = "Noria, all threads"
COLUMNS = ("Noria", ALL, "ONNX Runtime", "C", "IREE", "SciPy")


class Table:
    def __init__(self):
        self.rows = []

    def add(self, name, unit, scale, results, bar, ok):
        """results: {engine: (median, min, max) in seconds}. All threads must not take longer than one, in the median or
        the best time: where they run the same code, one of the two may be noise."""
        if ALL in results:
            one, all_threads = results["Noria"], results[ALL]
            bar += ", all threads 1.05x one"
            ok = ok and (all_threads[0] <= 1.05 * one[0] or all_threads[1] <= 1.05 * one[1])
        cells = {k: f"{v[0] * scale:.3g} ({v[1] * scale:.3g}-{v[2] * scale:.3g})" for k, v in results.items()}
        self.rows.append((name, unit, cells, bar, ok))
        print(f"{name:34} {unit:14}", "  ".join(f"{k} {v}" for k, v in cells.items()), "|", bar, "|",
              "met" if ok else "NOT met", flush=True)

    def text(self):
        lines = ["# Benchmarks", "", "Made by `make bench BENCH=--write`: peers in the same run, one thread where "
                 "nothing else is said, median (min-max).",
                 f"Machine: {platform.machine()}, {cpu_name()}, {len(os.sched_getaffinity(0))} CPUs; "
                 f"ONNX Runtime {onnxruntime.__version__}, clang 22 -O3 -march=native.", "",
                 "| what | unit | " + " | ".join(COLUMNS) + " | bar | |", "|" + "---|" * (len(COLUMNS) + 4)]
        for name, unit, cells, bar, ok in self.rows:
            figures = " | ".join(cells.get(who, "-") for who in COLUMNS)
            lines.append(f"| {name} | {unit} | {figures} | {bar} | {'met' if ok else '**not met**'} |")
        return "\n".join(lines) + "\n"


def cpu_name():
    with open("/proc/cpuinfo") as f:
        return next((line.split(":", 1)[1].strip() for line in f if line.startswith("model name")), "unknown CPU")


def check_close(a, b, tolerance=1e-4):
    same = np.allclose(np.asarray(a, np.float64), np.asarray(b, np.float64), rtol=tolerance, atol=tolerance)
    assert same, "results differ"


def bench_scalar(table, lib):
    model, trips = models.scalar_loop(), 100_000
    (ours, threaded), peer = both(model), silero.one_thread_ort(model)
    feeds = {"trips": np.array(trips), "x0": np.array(1, np.float32)}
    check_close(ours.run(None, feeds)[0], peer.run(None, feeds)[0])
    r = interleaved([lambda: ours.run(None, feeds), lambda: threaded.run(None, feeds), lambda: peer.run(None, feeds),
                     lambda: lib.scalar_loop(ctypes.c_int64(trips), ctypes.c_float(1))], 15)
    table.add("f32 scalar loop, 100,000 trips", "ns a trip", 1e9 / trips, dict(zip(COLUMNS, r)),
              "1.5x C, ORT / 500", r[0][0] <= 1.5 * r[3][0] and r[0][0] * 500 <= r[2][0])


def bench_collatz(table, lib):
    model, start = models.collatz(), 989_345_275_647  # 1,348 steps
    (ours, threaded), peer = both(model), silero.one_thread_ort(model)
    feeds = {"n0": np.array(start)}
    steps = int(ours.run(None, feeds)[0])
    assert steps == int(peer.run(None, feeds)[0]) == lib.collatz(ctypes.c_int64(start))
    batch = 200  # one call is too short for the clock

    def many(fn):
        def run():
            for _ in range(batch):
                fn()
        return run
    r = interleaved([many(lambda: ours.run(None, feeds)), many(lambda: threaded.run(None, feeds)),
                     many(lambda: lib.collatz(ctypes.c_int64(start)))], 15)
    o = interleaved([lambda: peer.run(None, feeds)], 15)[0]
    per = [tuple(v / batch for v in t) for t in r]
    table.add("Collatz while loop on int64", "ns a trip", 1e9 / steps,
              {"Noria": per[0], ALL: per[1], "ONNX Runtime": o, "C": per[2]},
              "3x C, ORT / 500", per[0][0] <= 3 * per[2][0] and per[0][0] * 500 <= o[0])


def bench_rows(table, lib):
    model, trips = models.row_sums(), 10_000
    rows = np.random.default_rng(0).uniform(size=(trips, 64)).astype(np.float32)
    (ours, threaded), peer = both(model), silero.one_thread_ort(model)
    feeds = {"rows": rows, "trips": np.array(trips)}
    out = np.empty_like(rows)
    check_close(ours.run(None, feeds)[0], peer.run(None, feeds)[0])
    r = interleaved([lambda: ours.run(None, feeds), lambda: threaded.run(None, feeds), lambda: peer.run(None, feeds),
                     lambda: lib.row_sums(pointer(rows), ctypes.c_int64(trips), pointer(out))], 15)
    table.add("running sum of rows of 64, scan output", "ns a trip", 1e9 / trips,
              dict(zip(COLUMNS, r)),
              "2x C, ORT / 100", r[0][0] <= 2 * r[3][0] and r[0][0] * 100 <= r[2][0])


def bench_rnn(table, lib):
    (model, w, u), trips = models.rnn_cell(), 1000
    x, h = np.full((1, 128), 0.1, np.float32), np.zeros(128, np.float32)
    (ours, threaded), peer = both(model), silero.one_thread_ort(model)
    feeds = {"x": x, "trips": np.array(trips)}
    check_close(ours.run(None, feeds)[0], peer.run(None, feeds)[0])
    r = interleaved([lambda: ours.run(None, feeds), lambda: threaded.run(None, feeds), lambda: peer.run(None, feeds),
                     lambda: lib.rnn_cell(pointer(w), pointer(u), pointer(x), ctypes.c_int64(trips), pointer(h))], 15)
    table.add("RNN cell 128, two MatMuls and Tanh", "ns a trip", 1e9 / trips,
              dict(zip(COLUMNS, r)),
              "ORT / 2", r[0][0] * 2 <= r[2][0])


def bench_mamba(table, lib):
    model, length = models.selective_scan(), 256
    rng = np.random.default_rng(1)
    feeds = {"DT": rng.uniform(0, 0.1, (length, 64)).astype(np.float32),
             "X": rng.standard_normal((length, 64)).astype(np.float32),
             "B": rng.standard_normal((length, 16)).astype(np.float32),
             "C": rng.standard_normal((length, 16)).astype(np.float32)}
    (ours, threaded), peer = both(model), silero.one_thread_ort(model)
    check_close(ours.run(None, feeds)[0], peer.run(None, feeds)[0])
    r = interleaved([lambda: ours.run(None, feeds), lambda: threaded.run(None, feeds),
                     lambda: peer.run(None, feeds)], 25)
    table.add("selective scan (Mamba), 64 x 16", "us a step", 1e6 / length, dict(zip(COLUMNS, r)), "ORT / 10",
              r[0][0] * 10 <= r[2][0])


# The kernel's high-water mark of resident memory, brought down to what is resident before the run: else the compiler's
# own peak, and that of the process that started this one, would hide the run's.
MEMORY = """
import re, sys
import numpy as np
sys.path[:0] = {paths!r}
import models
model = models.scan_scalars()
{make}
s.run(None, {{"trips": np.array(10)}})
def resident(what):
    return int(re.search(what + r":\\s*(\\d+) kB", open("/proc/self/status").read())[1])
open("/proc/self/clear_refs", "w").write("5")
before = resident("VmRSS")
out = s.run(None, {{"trips": np.array(1_000_000)}})[0]
assert out.shape == (1_000_000,) and out[-1] == 1_000_001
print(resident("VmHWM") - before)
"""


def bench_memory(table, lib):
    paths = [HERE, os.path.join(ROOT, "python")]
    peak = {}
    ours = "import noria; o = noria.SessionOptions(); o.intra_op_num_threads = {}; s = noria.InferenceSession(model, o)"
    for name, make in (("Noria", ours.format(1)), (ALL, ours.format(0)),
                       ("ONNX Runtime", "import onnxruntime; s = onnxruntime.InferenceSession(model)")):
        code = MEMORY.format(paths=paths, make=make)
        kib = int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
        peak[name] = (kib * 1024, kib * 1024, kib * 1024)
    table.add("1,000,000 scalar scan rows (4 MB): peak", "MB", 1e-6, peak, "3x the result", peak["Noria"][0] <= 12e6)


def bench_suppression(table, lib):
    n, rng = 10_000, np.random.default_rng(0)
    (ours, threaded), peer = both(models.suppression(n)), silero.one_thread_ort(models.suppression(n))
    corner, size = rng.uniform(0, 1000, (1, n, 2)), rng.uniform(10, 100, (1, n, 2))
    feeds = {"boxes": np.concatenate([corner, corner + size], 2).astype(np.float32),
             "scores": rng.random((1, 1, n), np.float32)}
    for limit, text, times, rounds in (n, "no limit", 5, 15), (100, "limit 100", 1.5, 200):
        feeds["limit"] = np.array([limit])
        assert np.array_equal(ours.run(None, feeds)[0], peer.run(None, feeds)[0])
        r = interleaved([lambda s=s: s.run(None, feeds) for s in (ours, threaded, peer)], rounds)
        table.add(f"NonMaxSuppression, 10,000 boxes, {text}", "ms", 1e3, dict(zip(COLUMNS, r)),
                  f"best time ORT / {times} (is / {r[2][1] / r[0][1]:.2f})", r[0][1] * times <= r[2][1])


def bench_silero(table, lib):
    path = silero.fetch_model()
    chunks = silero.make_chunks(silero.make_recording()[0])[:200]
    sessions = *both(path), silero.one_thread_ort(path)
    first = [silero.stream(s, chunks)[0] for s in sessions]
    check_close(first[0], first[2])
    seconds = [silero.stream(s, chunks)[1] for s in sessions]
    r = [(float(np.median(s)), float(s.min()), float(s.max())) for s in seconds]
    table.add("Silero VAD, one chunk of 512 samples", "us", 1e6, dict(zip(COLUMNS, r)), "1.5x ORT",
              r[0][0] <= 1.5 * r[2][0])


FIRST = """
import sys, time
import numpy as np
sys.path[:0] = {paths!r}
import models, noria
model = models.scalar_loop()
feeds = {{"trips": np.array(100), "x0": np.array(1, np.float32)}}
begin = time.perf_counter()
options = noria.SessionOptions()
options.intra_op_num_threads = {threads}
noria.InferenceSession(model, options).run(None, feeds)
print(time.perf_counter() - begin)
"""


def bench_first(table, lib):
    paths = [HERE, os.path.join(ROOT, "python")]
    times = {"Noria": [], ALL: []}
    for _ in range(7):
        for name, threads in (("Noria", 1), (ALL, 0)):
            code = FIRST.format(paths=paths, threads=threads)
            times[name].append(float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True,
                                                    text=True).stdout))
    r = {name: (statistics.median(t), min(t), max(t)) for name, t in times.items()}
    table.add("first result of the scalar loop", "ms", 1e3, r, "60 ms", r["Noria"][0] <= 0.060)


def call_add(path, threads):
    """Seconds of a call from C of a program that adds two tensors of 4 floats."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "call_add")
        subprocess.run(["cc", "-O2", "-I" + os.path.join(ROOT, "include"), os.path.join(HERE, "call_add.c"), "-o",
                        program, "-L" + BUILD, "-lnoria", "-Wl,-rpath," + BUILD], check=True)
        out = subprocess.run([program, path, threads], check=True, capture_output=True, text=True).stdout
    return (float(out) * 1e-9,) * 3


def bench_dispatch(table, lib):
    def stream(feeds, threads):
        a, b = feeds["x"], feeds["b"]
        assert lib.stream(pointer(a), pointer(b), pointer(target), ctypes.c_int64(a.size), threads) == 0
    target = np.zeros((4096, 4096), np.float32)
    dispatches.bench_call(table, call_add)
    dispatches.bench_woken(table, silero.noria_session, interleaved)
    dispatches.bench_branches(table, silero.noria_session, silero.one_thread_ort, interleaved, check_close)
    dispatches.bench_chain(table, silero.noria_session, silero.one_thread_ort, interleaved, check_close)
    dispatches.bench_stream(table, silero.noria_session, stream, interleaved)


def bench_sparse_expr(table, lib):
    sparse_expr.bench(table, os.path.join(BUILD, "noria"), silero.noria_session, interleaved)


def bench_call(table, lib):
    model = models.add4()
    (ours, threaded), peer = both(model), silero.one_thread_ort(model)
    x = np.arange(4, dtype=np.float32)
    feeds, calls = {"a": x, "b": x}, 2000

    def many(session):
        def run():
            for _ in range(calls):
                session.run(None, feeds)
        return run
    r = [tuple(v / calls for v in t) for t in interleaved([many(ours), many(threaded), many(peer)], 15)]
    table.add("call of Add on 4 floats, from Python", "us", 1e6, dict(zip(COLUMNS, r)), "3 us",
              r[0][0] <= 3e-6)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "add.onnx")
        with open(path, "wb") as f:
            f.write(model)
        r = {name: call_add(path, threads) for name, threads in (("Noria", "1"), (ALL, "0"))}
    table.add("call of Add on 4 floats, from C", "us", 1e6, r, "1 us", r["Noria"][0] <= 1e-6)


HEAVY = 2048, 4096  # 8 M floats


def bench_heavy(table, lib):
    """Work of a millisecond and more gains 1.7x by a second thread. Where the arrays do not fit into caches, memory may
    allow less: then 95% of what a second thread gives C that adds two such arrays."""
    if len(os.sched_getaffinity(0)) < 2:
        print("heavy work on two threads: not measured, for there is one CPU")
        return
    rng = np.random.default_rng(0)
    square = rng.standard_normal((768, 768)).astype(np.float32)
    a, b = (rng.standard_normal(HEAVY).astype(np.float32) for _ in range(2))
    c = np.zeros_like(a)

    def stream(threads):
        assert lib.stream(pointer(a), pointer(b), pointer(c), ctypes.c_int64(a.size), threads) == 0
    rows = [("product of 768 x 768", models.one_node("MatMul", 768, 768, 2), {"a": square, "b": square}),
            ("Tanh over 8 M floats", models.one_node("Tanh", *HEAVY, 1), {"a": a}),
            ("Softmax over rows of 4096, 2048 of them", models.one_node("Softmax", *HEAVY, 1), {"a": a}),
            ("Add of 8 M floats", models.one_node("Add", *HEAVY, 2), {"a": a, "b": b})]
    for name, model, feeds in rows:
        one, two, threaded = (silero.noria_session(model, n) for n in (1, 2, 0))
        peer = silero.one_thread_ort(model)
        check_close(one.run(None, feeds)[0], peer.run(None, feeds)[0], 1e-3)
        check_close(two.run(None, feeds)[0], threaded.run(None, feeds)[0])
        r = interleaved([*((lambda s=s: s.run(None, feeds)) for s in (one, two, threaded, peer)), lambda: stream(1),
                         lambda: stream(2)], 15)
        gain, c_gain = (max(r[i][0] / r[k][0], r[i][1] / r[k][1]) for i, k in ((0, 1), (4, 5)))
        wanted = 1.7 if name.startswith("product") else min(1.7, 0.95 * c_gain)
        table.add(name, "ms", 1e3, {"Noria": r[0], ALL: r[2], "ONNX Runtime": r[3]},
                  f"2 threads {wanted:.2f}x faster than one (are {gain:.2f}x; C's Add {c_gain:.2f}x)", gain >= wanted)


def bench_wavefront(table, lib):
    """Stacked recurrent loops run side by side."""
    if len(os.sched_getaffinity(0)) < 2:
        print("stacked loops on two threads: not measured, for there is one CPU")
        return
    model, steps = models.stacked_rnn(), 500
    one, two, threaded = (silero.noria_session(model, n) for n in (1, 2, 0))
    peer = silero.one_thread_ort(model)
    feeds = {"x": np.random.default_rng(1).standard_normal((steps, 128)).astype(np.float32)}
    for session in (one, two):
        check_close(session.run(None, feeds)[0], peer.run(None, feeds)[0], 1e-3)
    r = interleaved([(lambda s=s: s.run(None, feeds)) for s in (one, two, threaded, peer)], 25)
    gain = max(r[0][0] / r[1][0], r[0][1] / r[1][1])
    table.add("4 stacked recurrent Loops of 128", "us a step", 1e6 / steps,
              {"Noria": r[0], ALL: r[2], "ONNX Runtime": r[3]},
              f"2 threads 1.60x faster than one (are {gain:.2f}x)", gain >= 1.6)


BENCHES = {"scalar": bench_scalar, "collatz": bench_collatz, "rows": bench_rows, "rnn": bench_rnn, "mamba": bench_mamba,
           "memory": bench_memory, "nms": bench_suppression, "silero": bench_silero, "first": bench_first,
           "call": bench_call, "heavy": bench_heavy, "wavefront": bench_wavefront, "dispatch": bench_dispatch,
           "lanes": lambda table, lib: lanes.bench(table),
           "sparse_expr": bench_sparse_expr,
           "kernels": lambda table, lib: kernels.bench(table, interleaved, silero.noria_session,
                                                        silero.one_thread_ort, COLUMNS)}

SECTIONS = {"opt": opt, "collectives": collectives, "csource": csource, "sparse": sparse}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=[*BENCHES, *SECTIONS], help="one row of the table, or a section behind it")
    parser.add_argument("--write", action="store_true", help="write bench/RESULTS.md")
    arguments = parser.parse_args()
    if arguments.only and arguments.write:
        parser.error("--write takes all rows, of one run")
    table, lib = Table(), c_peers()
    for name, bench in BENCHES.items():
        if arguments.only in (None, name):
            bench(table, lib)
    sections = [part.bench() for name, part in SECTIONS.items() if arguments.only in (None, name)]
    sections = [section for section in sections if section]
    if arguments.write:
        with open(os.path.join(HERE, "RESULTS.md"), "w") as f:
            f.write("".join(part.text() for part in [table, *sections]))
    if not all(row[-1] for part in [table, *sections] for row in part.rows):
        sys.exit("some bars are not met")


if __name__ == "__main__":
    main()
