"""The benchmark of `noria opt`: beside mlir-opt in the same run, one thread, processor time, peak memory.

Of several runs the least counts, for both tools: these programs do the same each time, and what else the machine does
only adds to it.

    python bench/opt.py

bench/run.py makes it a section of bench/RESULTS.md.
"""

import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("NORIA_BUILD", os.path.join(os.path.dirname(HERE), "build", "release"))
NORIA = [os.path.join(BUILD, "noria"), "opt"]
MLIR = ["mlir-opt-22", "--mlir-disable-threading"]
PASSES = ["--convert-scf-to-cf", "--canonicalize", "--cse"]
DISPATCHES = ["--form-dispatch-regions", "--clone-producers-into-dispatch-regions",
              "--convert-dispatch-region-to-workgroups", "--lift-dispatch-constants", "--tile-dispatches",
              "--outline-dispatches"]
ROUNDS = 7

FUNCTION = """func.func @reduce_if{i}(%buffer: memref<1024xf32>, %lb: index, %ub: index, %step: index) -> f32 {{
  %sum_0 = arith.constant 0.0 : f32
  %c0 = arith.constant 0.0 : f32
  %sum = scf.for %iv = %lb to %ub step %step iter_args(%sum_iter = %sum_0) -> (f32) {{
    %t = memref.load %buffer[%iv] : memref<1024xf32>
    %cond = arith.cmpf ugt, %t, %c0 : f32
    %sum_next = scf.if %cond -> (f32) {{
      %new_sum = arith.addf %sum_iter, %t : f32
      scf.yield %new_sum : f32
    }} else {{
      scf.yield %sum_iter : f32
    }}
    scf.yield %sum_next : f32
  }}
  return %sum : f32
}}
"""

LOOP = """  scf.for %i{i} = %lb to %ub step %step {{
    %t{i} = memref.load %buffer[%i{i}] : memref<1024xf32>
    %u{i} = arith.addf %t{i}, %t{i} : f32
    memref.store %u{i}, %buffer[%i{i}] : memref<1024xf32>
  }}
"""


def functions(count):
    return "".join(FUNCTION.format(i=i) for i in range(count))


def loops_in_a_row(count):
    head = "func.func @f(%buffer: memref<1024xf32>, %lb: index, %ub: index, %step: index) {\n"
    return head + "".join(LOOP.format(i=i) for i in range(count)) + "  return\n}\n"


def nested_loops(depth):
    head = "func.func @f(%lb: index, %ub: index, %step: index) {\n"
    return head + "".join(f"scf.for %i{i} = %lb to %ub step %step {{\n" for i in range(depth)) + "}\n" * depth + \
        "return\n}\n"


LAYERS = """#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#col = affine_map<(m, n) -> (n)>
#row = affine_map<(m, n) -> (m)>
func.func @model(%x0: tensor<128x256xf32>, %w: tensor<256x256xf32>, %bias: tensor<256xf32>) -> tensor<128x256xf32> {
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %none = arith.constant dense<0.0> : tensor<128xf32>
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x256xf32>
"""

LAYER = """  %p{i} = linalg.generic {{indexing_maps = [#mk, #kn, #mn],
                          iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%x{i}, %w : tensor<128x256xf32>, tensor<256x256xf32>) outs(%zero : tensor<128x256xf32>) {{
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b fastmath<reassoc,contract> : f32
    %s = arith.addf %acc, %m fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  }} -> tensor<128x256xf32>
  %y{i} = linalg.generic {{indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}}
      ins(%p{i}, %bias : tensor<128x256xf32>, tensor<256xf32>) outs(%e : tensor<128x256xf32>) {{
  ^bb0(%a: f32, %b: f32, %old: f32):
    %s = arith.addf %a, %b : f32
    %m = arith.maximumf %s, %c0 : f32
    linalg.yield %m : f32
  }} -> tensor<128x256xf32>
  %s{i} = linalg.generic {{indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}}
      ins(%y{i} : tensor<128x256xf32>) outs(%none : tensor<128xf32>) {{
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %acc, %a fastmath<reassoc> : f32
    linalg.yield %s : f32
  }} -> tensor<128xf32>
  %x{next} = linalg.generic {{indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}}
      ins(%y{i}, %s{i} : tensor<128x256xf32>, tensor<128xf32>) outs(%e : tensor<128x256xf32>) {{
  ^bb0(%a: f32, %b: f32, %old: f32):
    %s = arith.divf %a, %b : f32
    linalg.yield %s : f32
  }} -> tensor<128x256xf32>
"""


def layers(ops):
    """A model of so many ops on tensors: products, each with a bias, an activation and a division by the row's sum."""
    count = ops // 4
    return LAYERS + "".join(LAYER.format(i=i, next=i + 1) for i in range(count)) + \
        f"  return %x{count} : tensor<128x256xf32>\n}}\n"


class Section:
    def __init__(self, folder):
        self.folder = folder
        self.rows = []
        self.measure = os.path.join(folder, "measure")
        subprocess.run(["cc", "-O2", os.path.join(HERE, "measure.c"), "-o", self.measure], check=True)
        version = subprocess.run([MLIR[0], "--version"], check=True, capture_output=True, text=True).stdout
        self.peer = next(line.split("version")[1].strip() for line in version.splitlines() if "version" in line)

    def input(self, name, text):
        path = os.path.join(self.folder, name + ".mlir")
        with open(path, "w") as f:
            f.write(text)
        return path

    def once(self, tool, arguments):
        """(seconds, megabytes, how it ended) of one run."""
        out = subprocess.run([self.measure, *tool, *arguments, "-o", os.path.join(self.folder, "out.mlir")],
                             check=True, capture_output=True, text=True).stdout
        ns, kib, status = map(int, out.split())
        return ns * 1e-9, kib * 1024e-6, os.waitstatus_to_exitcode(status)

    def both(self, arguments):
        """The least of both tools, called in turns so that the machine's moods hit both alike."""
        runs = [[], []]
        for _ in range(ROUNDS):
            for tool, list_ in zip((NORIA, MLIR), runs):
                list_.append(self.once(tool, arguments))
        for seconds, _, code in runs[0] + runs[1]:
            assert code == 0, (arguments, code, seconds)
        return [tuple(min(run[k] for run in list_) for k in (0, 1)) for list_ in runs]

    def add(self, name, ours, peer, bar, ok):
        self.rows.append((name, ours, peer, bar, ok))
        print(f"{name:48} Noria {ours}  mlir-opt {peer} | {bar} | {word(bar, ok)}", flush=True)

    def text(self):
        lines = ["", "## noria opt", "",
                 f"Beside mlir-opt {self.peer}, in the same run: processor time of one process (the least of several "
                 "runs) and its peak memory. `python bench/opt.py` makes the inputs.", "",
                 "| what | Noria | mlir-opt | bar | |", "|---|---|---|---|---|"]
        for name, ours, peer, bar, ok in self.rows:
            lines.append(f"| {name} | {ours} | {peer} | {bar} | {word(bar, ok)} |")
        return "\n".join(lines) + "\n"


def word(bar, ok):
    return ("met" if ok else "**not met**") if bar else ""


def figures(result):
    seconds, megabytes = result
    return f"{seconds * 1e3:.3g} ms, {megabytes:.3g} MB"


def bench_start(s):
    ours, peer = s.both([s.input("empty", "")])
    s.add("start-up, empty module", figures(ours), figures(peer), "4 ms, 12 MB", ours[0] <= 4e-3 and ours[1] <= 12)


def bench_functions(s):
    path = s.input("functions", functions(10_000))
    ours, peer = s.both([path])
    s.add("read, verify, print 10,000 functions (5.9 MB)", figures(ours), figures(peer), "mlir-opt / 5, memory / 2",
          ours[0] * 5 <= peer[0] and ours[1] * 2 <= peer[1])
    ours, peer = s.both([*PASSES, path])
    s.add("the same and convert-scf-to-cf, canonicalize, cse", figures(ours), figures(peer), "mlir-opt / 5",
          ours[0] * 5 <= peer[0])


def bench_row(s):
    """The sizes in turns too, for how the time grows. mlir-opt needs gigabytes here, so it runs once, on one."""
    sizes = (5_000, 10_000, 20_000)
    paths = [s.input(f"row{n}", loops_in_a_row(n)) for n in sizes]
    peer = s.once(MLIR, [*PASSES, paths[1]])
    assert peer[2] == 0
    runs = [[s.once(NORIA, [*PASSES, path]) for path in paths] for _ in range(2 * ROUNDS)]
    assert all(run[2] == 0 for runs_ in runs for run in runs_)
    least = [tuple(min(r[i][k] for r in runs) for k in (0, 1)) for i in range(len(sizes))]
    for i, size in enumerate(sizes):
        name = f"{size:,} loops in a row, these passes"
        if size == 10_000:
            s.add(name, figures(least[i]), figures(peer[:2]), "200 ms", least[i][0] <= 0.2)
        else:
            s.add(name, figures(least[i]), "-", "", True)
    for a, b in ((0, 1), (1, 2)):
        growth = statistics.median(r[b][0] / r[a][0] for r in runs)
        s.add(f"from {sizes[a]:,} to {sizes[b]:,}", f"{growth:.2f}x", "-", "2.2x", growth <= 2.2)


def bench_partition(s):
    """What the passes to dispatches take beyond reading and printing: mlir-opt has none such."""
    sizes = (2_000, 4_000)
    paths = [s.input(f"layers{n}", layers(n)) for n in sizes]
    runs = [[s.once(NORIA, [*passes, path]) for path in paths for passes in (DISPATCHES, [])]
            for _ in range(2 * ROUNDS)]
    assert all(run[2] == 0 for runs_ in runs for run in runs_)
    least = [min(r[i][0] for r in runs) for i in range(4)]
    own = [least[0] - least[1], least[2] - least[3]]
    for size, seconds in zip(sizes, own):
        bar = "100 ms" if size == 2_000 else ""
        s.add(f"partition and outline {size:,} ops", f"{seconds * 1e3:.3g} ms", "-", bar, not bar or seconds <= 0.1)
    s.add(f"from {sizes[0]:,} to {sizes[1]:,}", f"{own[1] / own[0]:.2f}x", "-", "2.5x", own[1] / own[0] <= 2.5)


def bench_nest(s):
    """Noria refuses what is nested too deep for it, in a message; a crash is no answer."""
    path = s.input("nest", nested_loops(3_000))
    codes = [s.once(tool, [*PASSES, path])[2] for tool in (NORIA, MLIR)]
    words = ["works" if code == 0 else "an error" if code > 0 else f"crashes (signal {-code})" for code in codes]
    s.add("3,000 loops in each other", words[0], words[1], "works, or an error that says the limit", codes[0] >= 0)


def bench():
    with tempfile.TemporaryDirectory() as folder:
        section = Section(folder)
        for each in (bench_start, bench_functions, bench_row, bench_partition, bench_nest):
            each(section)
    return section


if __name__ == "__main__":
    if not all(row[4] for row in bench().rows):
        sys.exit("some bars are not met")
