"""Rows of the table about dispatches: what a call of one costs, a chain that is one dispatch, and one that memory
bounds.

IREE is a peer where iree-compile and iree-benchmark-module are found, in PATH or in the folder that IREE_BIN names (pip
install iree-base-compiler iree-base-runtime). It runs on one thread, without a pool of its own (local-sync)."""

import json
import os
import shutil
import subprocess
import tempfile

import numpy as np

import models

ONE = """#map = affine_map<(d0) -> (d0)>
flow.executable private @double {
  flow.executable.export public @f workgroups() -> (index, index, index) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    flow.return %c2, %c1, %c1 : index, index, index
  }
  builtin.module {
    func.func @f(%a: !flow.dispatch.tensor<readonly:tensor<4xf32>>, %b: !flow.dispatch.tensor<readonly:tensor<4xf32>>,
                 %o: !flow.dispatch.tensor<writeonly:tensor<4xf32>>) {
      %c2 = arith.constant 2 : index
      %id = flow.dispatch.workgroup.id[0] : index
      %at = arith.muli %id, %c2 : index
      %x = flow.dispatch.tensor.load %a, offsets = [%at], sizes = [2], strides = [1]
          : !flow.dispatch.tensor<readonly:tensor<4xf32>> -> tensor<2xf32>
      %y = flow.dispatch.tensor.load %b, offsets = [%at], sizes = [2], strides = [1]
          : !flow.dispatch.tensor<readonly:tensor<4xf32>> -> tensor<2xf32>
      %e = tensor.empty() : tensor<2xf32>
      %r = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
          ins(%x, %y : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) {
      ^bb0(%p: f32, %q: f32, %out: f32):
        %s = arith.addf %p, %q : f32
        linalg.yield %s : f32
      } -> tensor<2xf32>
      flow.dispatch.tensor.store %r, %o, offsets = [%at], sizes = [2], strides = [1]
          : tensor<2xf32> -> !flow.dispatch.tensor<writeonly:tensor<4xf32>>
      return
    }
  }
}
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = flow.dispatch @double::@f(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
"""

GENERIC = """  %{name} = linalg.generic {{indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}}
      ins(%{a}, %{b} : tensor<{n}xf32>, tensor<{n}xf32>) outs(%e : tensor<{n}xf32>) {{
  ^bb0(%p: f32, %q: f32, %out: f32):
    %s = arith.addf %p, %q : f32
    {last}
  }} -> tensor<{n}xf32>
"""


def iree_text(count, n):
    """y = x, then y = tanh(y + b) count times; with count = 0, y = x + b."""
    text = f"""#map = affine_map<(d0) -> (d0)>
util.func public @main(%x: tensor<{n}xf32>, %b: tensor<{n}xf32>) -> tensor<{n}xf32> {{
  %e = tensor.empty() : tensor<{n}xf32>
"""
    last = "%t = math.tanh %s : f32\n    linalg.yield %t : f32" if count else "linalg.yield %s : f32"
    name = "x"
    for i in range(max(count, 1)):
        text += GENERIC.format(name=f"y{i}", a=name, b="b", n=n, last=last)
        name = f"y{i}"
    return text + f"  util.return %{name} : tensor<{n}xf32>\n}}\n"


def iree_seconds(text, n):
    """(median, min, max) of a call at one thread; None where there is no IREE."""
    folder = os.environ.get("IREE_BIN")
    compiler, runner = (shutil.which(name, path=folder) for name in ("iree-compile", "iree-benchmark-module"))
    if not compiler or not runner:
        return None
    with tempfile.TemporaryDirectory() as tmp:
        source, module = os.path.join(tmp, "m.mlir"), os.path.join(tmp, "m.vmfb")
        with open(source, "w") as f:
            f.write(text)
        subprocess.run([compiler, "--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu",
                        "--iree-llvmcpu-target-cpu=host", source, "-o", module], check=True, capture_output=True)
        out = subprocess.run([runner, f"--module={module}", "--device=local-sync", "--function=main",
                              *[f"--input={n}xf32=0.5"] * 2, "--benchmark_repetitions=9",
                              "--benchmark_min_time=0.05s", "--benchmark_format=json"], check=True,
                             capture_output=True, text=True).stdout
    unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3}
    times = sorted(row["real_time"] * unit[row["time_unit"]]
                   for row in json.loads(out[out.index("{"):])["benchmarks"] if row["run_type"] == "iteration")
    return times[len(times) // 2], times[0], times[-1]


def with_iree(results, seconds):
    return {**results, "IREE": seconds} if seconds else results


def bench_call(table, call_add):
    """A program with one dispatch of two workgroups, called from C."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "one.mlir")
        with open(path, "w") as f:
            f.write(ONE)
        ours = call_add(path, "1")
    table.add("call of one dispatch, from C", "us", 1e6, with_iree({"Noria": ours}, iree_seconds(iree_text(0, 4), 4)),
              "0.3 us", ours[0] <= 0.3e-6)


def bench_woken(table, session, interleaved):
    """What a second thread costs: the time beyond half of one thread's. The pool does without it where the CPUs are
    busy."""
    if len(os.sched_getaffinity(0)) < 2:
        print("a dispatch on two threads: not measured, for there is one CPU")
        return
    n = 1 << 16
    model = models.one_node("Tanh", 64, n // 64, 1)
    one, two = (session(model, threads) for threads in (1, 2))
    feeds = {"a": np.random.default_rng(0).standard_normal((64, n // 64)).astype(np.float32)}
    r = interleaved([lambda: one.run(None, feeds), lambda: two.run(None, feeds)], 400)
    cost = r[1][1] - r[0][1] / 2
    table.add("Tanh over 64 K floats, on two threads", "us", 1e6, {"Noria": r[1]},
              f"best time 3 us more than half of one thread's (is {cost * 1e6:.2f} us)", cost <= 3e-6)


def bench_branches(table, session, one_thread_ort, interleaved, check_close):
    """Products of one input, each too small to be shared: two threads have two of them each."""
    if len(os.sched_getaffinity(0)) < 2:
        print("independent products on two threads: not measured, for there is one CPU")
        return
    model, shape = models.branches(4, 16, 1024, 128), (16, 1024)
    one, two, peer = session(model, 1), session(model, 2), one_thread_ort(model)
    feeds = {"x": np.random.default_rng(1).standard_normal(shape).astype(np.float32)}
    for ours, theirs in zip(two.run(None, feeds), peer.run(None, feeds)):
        check_close(ours, theirs, 1e-3)
    r = interleaved([(lambda s=s: s.run(None, feeds)) for s in (one, two, peer)], 200)
    gain = max(r[0][0] / r[1][0], r[0][1] / r[1][1])
    table.add("4 products of 16x1024x128 of one input", "us", 1e6,
              {"Noria": r[0], "Noria, all threads": r[1], "ONNX Runtime": r[2]},
              f"2 threads 1.60x faster than one (are {gain:.2f}x)", gain >= 1.6)


def bench_chain(table, session, one_thread_ort, interleaved, check_close):
    """40 times Add and Tanh on 1,024 floats, which fit into the first cache."""
    count, n = 40, 1024
    model = models.chain(count, [n])
    ours, peer = session(model, 1), one_thread_ort(model)
    feeds = {"x": np.full(n, 0.5, np.float32), "b": np.full(n, 0.5, np.float32)}
    check_close(ours.run(None, feeds)[0], peer.run(None, feeds)[0])
    r = interleaved([lambda: ours.run(None, feeds), lambda: peer.run(None, feeds)], 200)
    iree = iree_seconds(iree_text(count, n), n)
    best = min(r[1][0], iree[0]) if iree else r[1][0]
    table.add("40 times Add and Tanh on 1,024 floats", "us", 1e6,
              with_iree({"Noria": r[0], "ONNX Runtime": r[1]}, iree), f"4x faster (is {best / r[0][0]:.1f}x)",
              best >= 4 * r[0][0])


def bench_stream(table, session, stream, interleaved):
    """An element-wise chain over 16 M floats. Memory may allow less than 1.8x: then 95% of what C's Add of such arrays
    gains."""
    if len(os.sched_getaffinity(0)) < 2:
        print("element-wise chain on two threads: not measured, for there is one CPU")
        return
    shape = [4096, 4096]
    model = models.chain(2, shape)
    rng = np.random.default_rng(0)
    feeds = {name: rng.standard_normal(shape).astype(np.float32) for name in ("x", "b")}
    one, two = (session(model, threads) for threads in (1, 2))
    r = interleaved([lambda: one.run(None, feeds), lambda: two.run(None, feeds), lambda: stream(feeds, 1),
                     lambda: stream(feeds, 2)], 9)
    gain, limit = (max(r[i][0] / r[i + 1][0], r[i][1] / r[i + 1][1]) for i in (0, 2))
    wanted = min(1.8, 0.95 * limit)
    table.add("2 times Add and Tanh on 16 M floats", "ms", 1e3, {"Noria": r[0], "Noria, all threads": r[1]},
              f"2 threads {wanted:.2f}x faster than one (are {gain:.2f}x; C's Add {limit:.2f}x)", gain >= wanted)
