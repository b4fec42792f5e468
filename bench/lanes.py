"""The benchmark of loops in lanes: parallel loops around a while, beside scalar C of clang and gcc in the same run.

    python bench/lanes.py

bench/run.py has these rows in its table. The best of several rounds is compared: the work is the same in each. ispc
would be the peer for masks; it is compared where it is installed."""

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

import noria

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(os.path.dirname(HERE), "tests", "python"))
from lanes_programs import COLLATZ, GCD  # noqa: E402

BUILD = os.environ.get("NORIA_BUILD", os.path.join(os.path.dirname(HERE), "build", "release"))
ROUNDS = 9
SIZE, STARTS, PAIRS = 1024, 1_000_000, 200_000

MANDELBROT = """
func.func @main() -> tensor<1024x1024xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1024 : index
  %max = arith.constant 256 : i32
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %f0 = arith.constant 0.0 : f32
  %f4 = arith.constant 4.0 : f32
  %f3 = arith.constant 0.003 : f32
  %f2 = arith.constant 2.0 : f32
  %m = memref.alloc() : memref<1024x1024xi32>
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    %ii = arith.index_cast %i : index to i32
    %jj = arith.index_cast %j : index to i32
    %x = arith.sitofp %ii : i32 to f32
    %y = arith.sitofp %jj : i32 to f32
    %cx0 = arith.mulf %x, %f3 : f32
    %cy0 = arith.mulf %y, %f3 : f32
    %cx = arith.subf %cx0, %f2 : f32
    %cy = arith.subf %cy0, %f2 : f32
    %r:3 = scf.while (%k = %z, %a = %f0, %b = %f0) : (i32, f32, f32) -> (i32, f32, f32) {
      %aa = arith.mulf %a, %a : f32
      %bb = arith.mulf %b, %b : f32
      %s = arith.addf %aa, %bb : f32
      %in = arith.cmpf olt, %s, %f4 : f32
      %more = arith.cmpi slt, %k, %max : i32
      %both = arith.andi %in, %more : i1
      scf.condition(%both) %k, %a, %b : i32, f32, f32
    } do {
    ^bb0(%k: i32, %a: f32, %b: f32):
      %aa = arith.mulf %a, %a : f32
      %bb = arith.mulf %b, %b : f32
      %d = arith.subf %aa, %bb : f32
      %na = arith.addf %d, %cx : f32
      %ab = arith.mulf %a, %b : f32
      %ab2 = arith.addf %ab, %ab : f32
      %nb = arith.addf %ab2, %cy : f32
      %nk = arith.addi %k, %one : i32
      scf.yield %nk, %na, %nb : i32, f32, f32
    }
    memref.store %r#0, %m[%i, %j] : memref<1024x1024xi32>
    scf.reduce
  }
  %t = bufferization.to_tensor %m restrict : memref<1024x1024xi32> to tensor<1024x1024xi32>
  return %t : tensor<1024x1024xi32>
}
"""


def peers(folder):
    """{compiler: library}"""
    found = {}
    for compiler in ("clang-22", "gcc"):
        if not shutil.which(compiler):
            continue
        path = os.path.join(folder, f"lanes_{compiler}.so")
        subprocess.run([compiler, "-O3", "-march=native", "-ffp-contract=off", "-shared", "-fPIC", "-o", path,
                        os.path.join(HERE, "lanes.c")], check=True)
        found[compiler] = ctypes.CDLL(path)
    return found


def session(folder, name, text, threads, cpu=None):
    path = os.path.join(folder, f"{name}.mlir")
    with open(path, "w") as f:
        f.write(text)
    options = noria.SessionOptions()
    options.intra_op_num_threads = threads
    if cpu:
        library = os.path.join(folder, f"{name}_{cpu}.so")
        subprocess.run([os.path.join(BUILD, "noria"), "compile", f"--cpu={cpu}", path, "-o", library], check=True)
        path = library
    return noria.InferenceSession(path, options)


def target():
    text = subprocess.run([os.path.join(BUILD, "noria"), "show", "--target"], capture_output=True, text=True).stdout
    return "avx512f" in text, "avx2" in text


def best(functions):
    """(median, min, max) seconds of each, called in turns."""
    times = [[] for _ in functions]
    for _ in range(ROUNDS):
        for function, list_ in zip(functions, times):
            begin = time.perf_counter()
            function()
            list_.append(time.perf_counter() - begin)
    return [(sorted(t)[ROUNDS // 2], min(t), max(t)) for t in times]


def measure(folder, name, text, feeds, c_call, has_512):
    """{who: times}; the feeds are of the inputs in their order."""
    libraries = peers(folder)
    ours, two = session(folder, name, text, 1), session(folder, name, text, 2)
    want = None
    calls, names = [], []
    for compiler, library in libraries.items():
        got = c_call(library)()
        want = got if want is None else want
        assert np.array_equal(got, want)
        calls.append(c_call(library))
        names.append(f"C {compiler}")
    cpus = {"Noria": ours, "Noria, 2 threads": two}
    if has_512:
        cpus["Noria, x86-64-v3"] = session(folder, name, text, 1, "x86-64-v3")
    for who, one in cpus.items():
        named = dict(zip([i.name for i in one.get_inputs()], feeds))
        assert np.array_equal(one.run(None, named)[0], want), f"{who} differs from C"
        calls.append(lambda one=one, named=named: one.run(None, named))
        names.append(who)
    return dict(zip(names, best(calls)))


def cases():
    starts = np.arange(1, STARTS + 1, dtype=np.int64)

    def mandelbrot(library):
        out = np.zeros((SIZE, SIZE), np.int32)

        def run():
            library.mandelbrot(ctypes.c_int64(SIZE), out.ctypes.data_as(ctypes.c_void_p))
            return out
        return run

    def lengths(library):
        out = np.zeros(STARTS, np.int64)

        def run():
            library.collatz_lengths(ctypes.c_int64(STARTS), starts.ctypes.data_as(ctypes.c_void_p),
                                    out.ctypes.data_as(ctypes.c_void_p))
            return out
        return run

    rng = np.random.default_rng(1)
    pairs = [rng.integers(0, 1 << 30, PAIRS).astype(np.int32) for _ in range(2)]

    def divisors(library):
        out = np.zeros(PAIRS, np.int32)

        def run():
            library.gcds(ctypes.c_int64(PAIRS), *(x.ctypes.data_as(ctypes.c_void_p) for x in [*pairs, out]))
            return out
        return run
    return [("Mandelbrot f32 1024x1024x256", "mandelbrot", MANDELBROT, [], mandelbrot, 7, 4, 1e9 / SIZE**2,
             "ns a point"),
            ("Collatz lengths of 1 M starts, i64", "collatz", COLLATZ, [starts], lengths, 3, 3, 1e9 / STARTS,
             "ns a start"),
            ("Greatest common divisors of 200 K pairs, i32", "gcd", GCD, pairs, divisors, 2, 2, 1e9 / PAIRS,
             "ns a pair")]


def bench(table):
    has_512, has_avx2 = target()
    with tempfile.TemporaryDirectory() as folder:
        for what, name, text, feeds, call, bar_512, bar_avx2, scale, unit in cases():
            r = measure(folder, name, text, feeds, call, has_512)
            peer = r.get("C clang-22") or r["C gcc"]
            for who in [w for w in r if w.startswith("Noria") and "threads" not in w]:
                bar = bar_512 if has_512 and who == "Noria" else bar_avx2
                row = {"Noria": r[who], "C": peer}
                if who == "Noria":
                    row["Noria, all threads"] = r["Noria, 2 threads"]
                vectors = "AVX-512" if has_512 and who == "Noria" else "AVX2" if has_avx2 else "SSE"
                table.add(f"{what}, {vectors}", unit, scale, row, f"{bar}x faster than C",
                          peer[1] >= bar * r[who][1])
            for who, times in r.items():
                print(f"  {who:20} {times[1] * 1e3:8.2f} ms, C takes {peer[1] / times[1]:.2f} times as long")


class Printer:
    def add(self, name, unit, scale, results, bar, ok):
        cells = "  ".join(f"{k} {v[1] * scale:.3g}" for k, v in results.items())
        print(f"{name:44} {unit:12} {cells} | {bar} | {'met' if ok else 'NOT met'}")


if __name__ == "__main__":
    bench(Printer())
    sys.exit(0)
