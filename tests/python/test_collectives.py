"""Channels and collectives through the whole product, against NumPy: every op, element type and reduction, static and
dynamic shapes, rows that differ from rank to rank, in place and not; 1 to 8 ranks, as threads, by the interpreter and by
machine code, and under mpirun. And what is printed when ranks disagree, stay away or die."""
import os
import re
import shutil
import signal
import subprocess
import time

import ml_dtypes
import numpy as np
import pytest

from conftest import BUILD

# Element type of the op -> that of the tensors, NumPy's, and the one that reductions of floats are computed in.
TYPES = {
    "si8": ("i8", np.int8, None),
    "ui8": ("ui8", np.uint8, None),
    "si16": ("si16", np.int16, None),
    "ui16": ("ui16", np.uint16, None),
    "si32": ("i32", np.int32, None),
    "ui32": ("ui32", np.uint32, None),
    "si64": ("i64", np.int64, None),
    "ui64": ("ui64", np.uint64, None),
    "f16": ("f16", np.float16, np.float32),
    "f32": ("f32", np.float32, np.float32),
    "f64": ("f64", np.float64, np.float64),
    "bf16": ("bf16", ml_dtypes.bfloat16, np.float32),
}
REDUCTIONS = ["sum", "product", "minimum", "maximum", "average"]
COLUMNS = 2


def reductions_of(elem):
    return [r for r in REDUCTIONS if r != "average" or TYPES[elem][2]]


class Program:
    """The text of a program for a number of ranks, and the names of its results with their type."""

    def __init__(self, ranks, elems):
        self.ranks, self.elems = ranks, elems
        self.rows = ranks * (ranks + 1)
        self.lines, self.results, self.count = [], [], 0

    def op(self, text):
        self.count += 1
        self.lines.append(f"  %v{self.count} = {text}")
        return f"%v{self.count}"

    def give(self, name, value, type_text):
        self.results.append((name, value, type_text))

    def tensor(self, rows, elem):
        return f"tensor<{rows}x{COLUMNS}x{elem}>"

    def empty(self, rows, elem):
        """A target of that many rows: a number, or the name of an index."""
        size = f"({rows})" if isinstance(rows, str) else "()"
        return self.op(f"tensor.empty{size} : {self.tensor('?' if isinstance(rows, str) else rows, elem)}")

    def part(self, x, rows, elem):
        """The first rows."""
        kind = "?" if isinstance(rows, str) else rows
        return self.op(f"tensor.extract_slice {x}[0, 0] [{rows}, {COLUMNS}] [1, 1] : {self.tensor(self.rows, elem)} to "
                       f"{self.tensor(kind, elem)}")

    def collective(self, name, op, words, target, rows, source, source_rows, channel, elem, partners=()):
        def kind(n):
            return "?" if isinstance(n, str) else n

        t, s = self.tensor(kind(rows), elem), self.tensor(kind(source_rows), elem)
        dims = f"{{{rows}}}" if isinstance(rows, str) else ""
        indices = "".join(f", {p}" for p in partners)
        types = ", index" * len(partners)
        value = self.op(f"flow.collective.{op} {words}, {target}, {source}, {channel}{indices} : ({t}, {s}, "
                        f"!flow.channel{types}) -> {target} as {t}{dims}")
        self.give(name, value, t)

    def of_type(self, kind):
        """All collectives of an element type, on the input %x_<kind>."""
        elem, n, m = TYPES[kind][0], self.ranks, self.rows
        x, name = f"%x_{kind}", f"{kind}."
        if kind == "bf16":
            x = self.op(f"arith.truncf {x} : {self.tensor(m, 'f32')} to {self.tensor(m, elem)}")
        dynamic = self.op(f"tensor.cast {x} : {self.tensor(m, elem)} to {self.tensor('?', elem)}")
        own = self.part(x, "%mine", elem)
        for r in reductions_of(kind):
            self.collective(f"{name}all_reduce.{r}", "all_reduce", f"{r}, {kind}", x, m, x, m, "%c", elem)
            self.collective(f"{name}reduce_scatter.{r}", "reduce_scatter", f"{r}, {kind}", self.empty(n + 1, elem),
                            n + 1, x, m, "%c", elem)
        self.collective(f"{name}all_reduce.dynamic", "all_reduce", f"sum, {kind}", dynamic, "%rows", dynamic, "%rows",
                        "%g", elem)
        self.collective(f"{name}reduce_scatter.own", "reduce_scatter", f"maximum, {kind}", self.empty("%mine", elem),
                        "%mine", self.part(x, "%triangle", elem), "%triangle", "%c", elem)
        self.collective(f"{name}all_gather", "all_gather", kind, self.empty(m, elem), m, self.part(x, n + 1, elem),
                        n + 1, "%c", elem)
        self.collective(f"{name}all_gather.own", "all_gather", kind, self.empty("%triangle", elem), "%triangle", own,
                        "%mine", "%c", elem)
        self.collective(f"{name}all_to_all", "all_to_all", kind, x, m, x, m, "%c", elem)
        self.collective(f"{name}all_to_all.own", "all_to_all", kind, self.empty("%triangle", elem), "%triangle",
                        self.part(x, "%blocks", elem), "%blocks", "%g", elem)
        self.collective(f"{name}send_recv.ring", "send_recv", kind, x, m, x, m, "%c", elem, ["%next", "%previous"])
        self.collective(f"{name}send_recv.chain", "send_recv", kind, dynamic, "%rows", dynamic, "%rows", "%c", elem,
                        ["%up", "%down"])
        self.collective(f"{name}send_recv.own", "send_recv", kind, self.empty("%theirs", elem), "%theirs", own, "%mine",
                        "%c", elem, ["%next", "%previous"])
        self.collective(f"{name}split", "all_reduce", f"sum, {kind}", x, m, x, m, "%half", elem)
        self.collective(f"{name}split.gather", "all_gather", kind, self.empty("%of_half", elem), "%of_half",
                        self.part(x, 1, elem), 1, "%half", elem)
        self.collective(f"{name}split.away", "all_reduce", f"product, {kind}", x, m, x, m, "%others", elem)
        self.give(f"{name}kept", x, self.tensor(m, elem))

    def text(self):
        for kind in self.elems:
            self.of_type(kind)
        for channel in ["c", "half", "others"]:
            for what in ["rank", "count"]:
                self.give(f"{channel}.{what}", f"%{channel}_{what}", "index")
        values, kinds = [], []
        for name, value, kind in self.results:
            if "bf16" in kind:
                wide = kind.replace("bf16", "f32")
                value, kind = self.op(f"arith.extf {value} : {kind} to {wide}"), wide
            values.append(value)
            kinds.append(kind)
        inputs = ", ".join(f"%x_{k}: {self.tensor(self.rows, 'f32' if k == 'bf16' else TYPES[k][0])}" for k in self.elems)
        n = self.ranks
        head = f"""func.func @main({inputs}) -> ({', '.join(kinds)}) {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %none = arith.constant -1 : index
  %rows = arith.constant {self.rows} : index
  %triangle = arith.constant {self.rows // 2} : index
  %c = flow.channel.default : !flow.channel
  %g = flow.channel.default "all" : !flow.channel
  %c_rank = flow.channel.rank %c : index
  %c_count = flow.channel.count %g : index
  %mine = arith.addi %c_rank, %one : index
  %next = arith.remui %mine, %c_count : index
  %ahead = arith.addi %c_rank, %c_count : index
  %behind = arith.subi %ahead, %one : index
  %previous = arith.remui %behind, %c_count : index
  %theirs = arith.addi %previous, %one : index
  %blocks = arith.muli %mine, %c_count : index
  %down = arith.subi %c_rank, %one : index
  %is_last = arith.cmpi eq, %mine, %c_count : index
  %up = arith.select %is_last, %none, %mine : index
  %parity = arith.remui %c_rank, %two : index
  %half = flow.channel.split %c, %parity, %down : !flow.channel -> !flow.channel
  %backwards = arith.subi %zero, %c_rank : index
  %is_first = arith.cmpi eq, %c_rank, %zero : index
  %color = arith.select %is_first, %none, %two : index
  %others = flow.channel.split %c, %color, %backwards : !flow.channel -> !flow.channel
  %half_rank = flow.channel.rank %half : index
  %half_count = flow.channel.count %half : index
  %of_half = flow.channel.count %half : index
  %others_rank = flow.channel.rank %others : index
  %others_count = flow.channel.count %others : index
"""
        assert n >= 1
        return head + "\n".join(self.lines) + f"\n  return {', '.join(values)} : {', '.join(kinds)}\n}}\n"


def inputs_of(kind, ranks, seed):
    """[rank] -> the input: all bits for integers, so that signs and overflow count."""
    dtype, shape = np.dtype(TYPES[kind][1]), (ranks * (ranks + 1), COLUMNS)
    out = []
    for rank in range(ranks):
        random = np.random.default_rng(seed + rank)
        if TYPES[kind][2]:
            out.append(random.uniform(-2, 2, shape).astype(dtype))
        else:
            bounds = np.iinfo(dtype)
            out.append(random.integers(bounds.min, bounds.max, shape, dtype, endpoint=True))
    return out


def reduce(kind, reduction, arrays):
    """In rank order; small floats in float32, rounded once."""
    _, dtype, wide = TYPES[kind]
    fn = {"product": np.multiply, "minimum": np.minimum, "maximum": np.maximum}.get(reduction, np.add)
    total = arrays[0].astype(wide or dtype)
    for a in arrays[1:]:
        total = fn(total, a.astype(wide or dtype))
    if reduction == "average":
        total = total / total.dtype.type(len(arrays))
    return total.astype(dtype)


def expected_of(kind, ranks, rank, xs):
    n, m, own = ranks, ranks * (ranks + 1), rank + 1
    triangle, previous = m // 2, (rank - 1) % ranks
    x = xs[rank]
    out = {}
    for r in reductions_of(kind):
        whole = reduce(kind, r, xs)
        out[f"all_reduce.{r}"] = whole
        out[f"reduce_scatter.{r}"] = whole[rank * (n + 1):(rank + 1) * (n + 1)]
    out["all_reduce.dynamic"] = reduce(kind, "sum", xs)
    first = rank * (rank + 1) // 2
    out["reduce_scatter.own"] = reduce(kind, "maximum", xs)[:triangle][first:first + own]
    out["all_gather"] = np.concatenate([a[:n + 1] for a in xs])
    out["all_gather.own"] = np.concatenate([a[:r + 1] for r, a in enumerate(xs)])
    out["all_to_all"] = np.concatenate([a[rank * (n + 1):(rank + 1) * (n + 1)] for a in xs])
    out["all_to_all.own"] = np.concatenate([a[rank * (r + 1):(rank + 1) * (r + 1)] for r, a in enumerate(xs)])
    out["send_recv.ring"] = xs[previous]
    out["send_recv.chain"] = xs[rank - 1] if rank else np.zeros_like(x)
    out["send_recv.own"] = xs[previous][:previous + 1]
    half = [r for r in range(n) if r % 2 == rank % 2]
    out["split"] = reduce(kind, "sum", [xs[r] for r in half])
    out["split.gather"] = np.concatenate([xs[r][:1] for r in half])
    others = list(range(n - 1, 0, -1))  # ranked by a key that falls
    out["split.away"] = reduce(kind, "product", [xs[r] for r in others]) if rank else x
    out["kept"] = x
    return out


MPI_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_btl": "self,vader", "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}


def mpirun(ranks):
    if not shutil.which("mpirun"):
        pytest.skip("there is no mpirun")
    if not (BUILD / "libnoria_mpi.so").exists():
        pytest.skip("Noria was built without MPI")
    return ["mpirun", "-n", str(ranks)]


def start(*command, **more):
    return subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, **MPI_ENVIRONMENT}, **more)


def run(*command, timeout=100):
    process = start(*command)
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)


NORIA = BUILD / "noria"
CASES = [(backend, n) for backend in ["compiled", "interpreted"] for n in [1, 2, 3, 4, 8]] + \
        [("mpi", n) for n in [1, 2, 3, 4, 8]] + [("mpi-compiled", 2)]


@pytest.mark.parametrize("backend, ranks", CASES, ids=[f"{b}-{n}" for b, n in CASES])
def test_conformance(backend, ranks, tmp_path):
    # Under mpirun every process compiles: two types are enough, since the calls of the runtime are the same.
    elems = ["si8", "bf16"] if backend == "mpi-compiled" else list(TYPES)
    program = Program(ranks, elems)
    (tmp_path / "all.mlir").write_text(program.text())
    inputs = {}
    for i, kind in enumerate(elems):
        inputs[kind] = inputs_of(kind, ranks, 100 * i)
        for rank, x in enumerate(inputs[kind]):
            np.save(tmp_path / f"x_{kind}.{rank}.npy", x.astype(np.float32) if kind == "bf16" else x)
    options = [f"--output=result{i}=@{tmp_path}/o{i}.%r.npy" for i in range(len(program.results))]
    options += [f"@{tmp_path}/x_{kind}.%r.npy" for kind in elems]
    command = mpirun(ranks) if backend.startswith("mpi") else []
    options += [] if command else [f"--ranks={ranks}"]
    options += ["--interpret"] if backend in ("interpreted", "mpi") else []
    done = run(*command, NORIA, "run", "--check-collectives", "--time-limit=60", tmp_path / "all.mlir", *options)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "" and done.stderr == ""
    want = [{f"{kind}.{name}": value for kind in elems
             for name, value in expected_of(kind, ranks, rank, inputs[kind]).items()} for rank in range(ranks)]
    for rank in range(ranks):
        same_half = [r for r in range(ranks) if r % 2 == rank % 2]
        want[rank].update({"c.rank": rank, "c.count": ranks, "half.rank": same_half.index(rank),
                           "half.count": len(same_half), "others.rank": ranks - 1 - rank if rank else -1,
                           "others.count": ranks - 1 if rank else 0})
    for rank in range(ranks):
        for i, (name, _, _) in enumerate(program.results):
            have = np.load(tmp_path / f"o{i}.{rank}.npy")
            value = np.asarray(want[rank][name])
            assert np.array_equal(have, value.astype(have.dtype)), f"{name} of rank {rank}:\n{have}\nexpected\n{value}"


# ---- faults ----------------------------------------------------------------------------------------------------------

HEAD = """  %c = flow.channel.default : !flow.channel
  %one = arith.constant 1 : index
  %rank = flow.channel.rank %c : index
  %odd = arith.cmpi eq, %rank, %one : index
"""
SUM = "flow.collective.all_reduce sum, f32, {0}, {0}, %c : ({1}, {1}, !flow.channel) -> {0} as {1}"
F4, I4 = "tensor<4xf32>", "tensor<4xi32>"
ALL_REDUCE, EXCHANGE = SUM.format("%x", F4), SUM.format("%x", F4).replace("all_reduce sum,", "all_to_all")
LOOP = """  scf.if %odd {
    scf.while : () -> () {
      %r = flow.channel.rank %c : index
      %again = arith.cmpi eq, %r, %one : index
      scf.condition(%again)
    } do {
      scf.yield
    }
  }
"""


def branches(of_odd, of_others):
    return f"  scf.if %odd {{\n    {of_odd}\n  }} else {{\n    {of_others}\n  }}\n"


# Name -> body and what the message says; it begins with "noria run: rank R: ".
FAULTS = {
    "skips": (branches("", f"%0 = {ALL_REDUCE}"), "rank 1 ended before it reached flow.collective.all_reduce at .*f.mlir:9:10|"
              "the ranks disagree: rank 0 is in flow.collective.all_reduce at .*f.mlir:9:10, rank 1 in "
              "flow.collective.all_gather at the end of the program"),
    "fails": ('  %ok = arith.cmpi ne, %rank, %one : index\n  cf.assert %ok, "no data"\n' + f"  %0 = {ALL_REDUCE}\n",
              ".*f.mlir:7:3: 'cf.assert' op no data"),
    "op": (branches(f"%0 = {ALL_REDUCE}", f"%0 = {EXCHANGE}"),
           "the ranks disagree: rank 0 is in flow.collective.all_to_all at .*f.mlir:9:10, "
           "rank 1 in flow.collective.all_reduce at .*f.mlir:7:10"),
    "place": (branches(f"%0 = {ALL_REDUCE}", f"%0 = {ALL_REDUCE}"),
              "the ranks disagree: rank 0 is in flow.collective.all_reduce at .*f.mlir:9:10, "
              "rank 1 in flow.collective.all_reduce at .*f.mlir:7:10"),
    "order": (branches(f"%0 = {ALL_REDUCE}\n    %1 = {EXCHANGE}", f"%0 = {EXCHANGE}\n    %1 = {ALL_REDUCE}"),
              "the ranks disagree: rank 0 is in flow.collective.all_to_all at .*f.mlir:10:10, "
              "rank 1 in flow.collective.all_reduce at .*f.mlir:7:10"),
    "split": (branches(f"%0 = {ALL_REDUCE}", "%s = flow.channel.split %c, %one, %one : !flow.channel -> !flow.channel\n"
                       "    %n = flow.channel.count %s : index\n    %t = tensor.empty(%n) : tensor<?xf32>\n    %d = "
                       "flow.collective.all_to_all f32, %t, %t, %s : (tensor<?xf32>, tensor<?xf32>, !flow.channel) -> %t "
                       "as tensor<?xf32>{%n}"),
              "the ranks disagree: rank 0 is in flow.channel.split at .*f.mlir:9:10, rank 1 in .*all_reduce at .*"),
    "shape": ("  %n = arith.addi %rank, %one : index\n"
              "  %y = tensor.extract_slice %x[0] [%n] [1] : tensor<4xf32> to tensor<?xf32>\n"
              f"  %0 = {SUM.format('%y', 'tensor<?xf32>')}{{%n}}\n",
              "flow.collective.all_reduce at .*f.mlir:8:8: rank 0 reduces 1 rows and rank 1 2"),
    "sum": ("  %e = tensor.empty(%rank) : tensor<?xf32>\n"
            "  %y = tensor.cast %x : tensor<4xf32> to tensor<?xf32>\n"
            "  %0 = flow.collective.all_gather f32, %e, %y, %c : (tensor<?xf32>, tensor<?xf32>, !flow.channel) -> %e as "
            "tensor<?xf32>{%rank}\n",
            "flow.collective.all_gather at .*f.mlir:8:8: the ranks send 8 rows but rank 0 receives 0"),
    "partner": ("  %two = arith.constant 2 : index\n"
                f"  %0 = {ALL_REDUCE.replace('all_reduce sum,', 'send_recv').replace('%c :', '%c, %two, %two :')}\n"
                .replace("!flow.channel)", "!flow.channel, index, index)"),
                "flow.collective.send_recv at .*f.mlir:7:8: rank . sends to 2 and receives from 2, but the ranks are 0 to 1"),
    "blocks": ("  %y = tensor.extract_slice %x[0] [3] [1] : tensor<4xf32> to tensor<3xf32>\n"
               "  %0 = flow.collective.all_to_all f32, %y, %y, %c : (tensor<3xf32>, tensor<3xf32>, !flow.channel) -> %y "
               "as tensor<3xf32>\n",
               "flow.collective.all_to_all at .*f.mlir:7:8: 3 rows of rank . do not divide into 2 blocks"),
    "color": ("  %m = arith.constant 7 : index\n  %low = arith.subi %rank, %m : index\n"
              "  %s = flow.channel.split %c, %low, %one : !flow.channel -> !flow.channel\n"
              "  %r = flow.channel.rank %s : index\n  %ok = arith.cmpi eq, %r, %one : index\n"
              '  cf.assert %ok, "not reached"\n',
              "flow.channel.split at .*f.mlir:8:8: the color of rank . is -[67]"),
    "columns": ("  %n = arith.addi %rank, %one : index\n"
                "  %e = tensor.empty(%n, %n) : tensor<?x?xf32>\n"
                "  %s = tensor.empty(%n) : tensor<?x3xf32>\n"
                "  %0 = flow.collective.all_gather f32, %e, %s, %c : (tensor<?x?xf32>, tensor<?x3xf32>, !flow.channel) -> "
                "%e as tensor<?x?xf32>{%n, %n}\n",
                ".*f.mlir:9:8: 'flow.collective.all_gather' op dim 1 of the source is 3, and [12] of the target"),
    "claim": ("  %n = arith.addi %rank, %one : index\n"
              "  %e = tensor.empty(%n) : tensor<?xf32>\n"
              "  %0 = flow.collective.all_gather f32, %e, %e, %c : (tensor<?xf32>, tensor<?xf32>, !flow.channel) -> "
              "%e as tensor<?xf32>{%rank}\n",
              ".*f.mlir:8:8: 'flow.collective.all_gather' op dim 0 of operand #0 is ., not . as the op says"),
    "types": (branches(f"%0 = {ALL_REDUCE}", f"%0 = {SUM.format('%i', I4).replace('f32,', 'si32,', 1)}"),
              "flow.collective.all_reduce at .*f.mlir:7:10: elements are int32 on rank 0 and float32 on rank 1"),
}


def check_fault(command, path, message, program):
    """All ranks end long before the time limit of a collective, which is 300 s."""
    path.write_text(f"func.func @main(%x: {F4}, %i: {I4}) {{\n{HEAD}{program}  return\n}}\n")
    done = run(*command, path, "[1, 2, 3, 4]", "[1, 2, 3, 4]", timeout=200)
    assert done.returncode not in (0, None) and done.stdout == ""
    lines = [line for line in done.stderr.splitlines() if line.startswith("noria")]
    assert len(lines) == 1, done.stderr
    assert re.fullmatch(f"noria run: rank [01]: ({message})", lines[0]), lines[0]


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("how", ["compiled", "interpreted"])
def test_faults_of_threads(name, how, tmp_path):
    program, message = FAULTS[name]
    options = ["--interpret"] if how == "interpreted" else []
    # Threads always compare types; the place would differ first.
    options += ["--check-collectives"] if name != "types" else []
    check_fault([NORIA, "run", "--ranks=2", *options], tmp_path / "f.mlir", message, program)


INITIALIZER = """util.global private mutable @sum = dense<0.0> : tensor<4xf32>
util.initializer {
  %c = flow.channel.default : !flow.channel
  %x = arith.constant dense<1.5> : tensor<4xf32>
  %s = flow.collective.all_reduce sum, f32, %x, %x, %c : (tensor<4xf32>, tensor<4xf32>, !flow.channel) -> %x as tensor<4xf32>
  util.global.store %s, @sum : tensor<4xf32>
  util.return
}
func.func @main() -> tensor<4xf32> {
  %s = util.global.load @sum : tensor<4xf32>
  return %s : tensor<4xf32>
}
"""


@pytest.mark.parametrize("how", ["compiled", "interpreted"])
def test_initializers(how, tmp_path):
    """Threads share globals: one rank runs the initializers for all, so a collective in one cannot have partners."""
    path = tmp_path / "f.mlir"
    path.write_text(INITIALIZER)
    options = ["--interpret"] if how == "interpreted" else []
    done = run(NORIA, "run", *options, "--ranks=3", path, timeout=60)
    assert done.returncode == 1 and done.stdout == ""
    assert re.fullmatch("noria run: rank [012]: .*'flow.channel.default' op is in an initializer, which one rank runs .*\n",
                        done.stderr), done.stderr
    values = "dense<{0}> : tensor<4xf32>\n"
    assert run(NORIA, "run", *options, path).stdout == values.format("1.500000e+00")
    done = run(*mpirun(2), NORIA, "run", *options, path)
    assert done.stdout == "".join(f"[{r}] " + values.format("3.000000e+00") for r in range(2)), done.stderr


@pytest.mark.parametrize("name", ["skips", "fails", "op", "shape"])
def test_faults_of_processes(name, tmp_path):
    program, message = FAULTS[name]
    check_fault([*mpirun(2), NORIA, "run", "--interpret", "--check-collectives"], tmp_path / "f.mlir", message, program)


@pytest.mark.parametrize("backend", ["threads", "mpi"])
def test_a_rank_that_never_arrives(backend, tmp_path):
    """Whoever notices first says so: the rank in its loop, or the one that waits."""
    command = [NORIA, "run", "--ranks=2"] if backend == "threads" else [*mpirun(2), NORIA, "run", "--interpret"]
    message = "(.*f.mlir:7:5: )?the time limit of 1 s is reached" \
              "(: rank 0 was stopped while it waited .*in flow.collective.all_reduce at .*f.mlir:15:8)?"
    check_fault([*command, "--time-limit=1"], tmp_path / "f.mlir", message, LOOP + f"  %0 = {ALL_REDUCE}\n")


def test_a_rank_that_is_killed(tmp_path):
    """One rank waits in a collective for one that is killed while it computes: no process stays, and none hangs."""
    path = tmp_path / "killed.mlir"
    path.write_text(f"func.func @main(%x: {F4}) {{\n{HEAD}{LOOP}  %0 = {ALL_REDUCE}\n  return\n}}\n")
    command = mpirun(2)
    pids = tmp_path / "pids"
    pids.mkdir()
    script = f"echo $$ > {pids}/$OMPI_COMM_WORLD_RANK; exec {NORIA} run --interpret {path} '[1, 2, 3, 4]'"
    process = start(*command, "sh", "-c", script, start_new_session=True)
    try:
        until = time.monotonic() + 60
        while time.monotonic() < until and not all((pids / r).exists() and (pids / r).read_text() for r in "01"):
            time.sleep(0.05)
        time.sleep(2)
        assert process.poll() is None
        os.kill(int((pids / "1").read_text()), signal.SIGKILL)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode != 0
    assert "rank 1" in err and ("flow.collective.all_reduce" in err or "signal 9" in err), err


# ---- the command line ------------------------------------------------------------------------------------------------

WHO = """func.func @main(%n: i64) -> (i64, index, index) {
  %c = flow.channel.default : !flow.channel
  %r = flow.channel.rank %c : index
  %k = flow.channel.count %c : index
  return %n, %r, %k : i64, index, index
}
"""


def test_who_the_ranks_are(noria_tool, tmp_path):
    path = tmp_path / "who.mlir"
    path.write_text(WHO)
    assert noria_tool("run", path, 7).stdout == "7 : i64\n0 : index\n1 : index\n"
    assert noria_tool("run", "--channel=none", path, 7).stdout == "7 : i64\n0 : index\n1 : index\n"
    assert noria_tool("run", "--ranks=1", path, 7).stdout == "[0] 7 : i64\n[0] 0 : index\n[0] 1 : index\n"
    assert noria_tool("run", "--ranks=2", path, "%r").stdout == \
        "[0] 0 : i64\n[0] 0 : index\n[0] 2 : index\n[1] 1 : i64\n[1] 1 : index\n[1] 2 : index\n"
    done = run(*mpirun(2), NORIA, "run", "--interpret", path, "%r")
    assert done.stdout == "[0] 0 : i64\n[0] 0 : index\n[0] 2 : index\n[1] 1 : i64\n[1] 1 : index\n[1] 2 : index\n", done


@pytest.mark.parametrize("options, message", [
    (["--ranks=0"], "--ranks cannot be '0': there are 1 to 1024"),
    (["--ranks=1025"], "--ranks cannot be '1025': there are 1 to 1024"),
    (["--ranks=x"], "--ranks cannot be 'x': there are 1 to 1024"),
    (["--channel=tcp"], "--channel cannot be 'tcp': it is threads, mpi, nccl or none"),
    (["--channel=nccl"], "--channel=nccl needs mpirun, or --ranks=N for threads"),
    (["--channel=threads"], "--channel=threads needs --ranks=N"),
    (["--channel=none", "--ranks=2"], "--channel=none is for one rank, not for 2"),
    (["--channel=mpi", "--ranks=2"], "--ranks is for threads: with --channel=mpi, mpirun says how many there are"),
])
def test_wrong_options(noria_tool, tmp_path, options, message):
    (tmp_path / "who.mlir").write_text(WHO)
    done = noria_tool("run", *options, tmp_path / "who.mlir", 7)
    assert done.returncode == 2 and done.stderr.startswith(f"noria run: {message}\n")


def test_one_file_for_all_ranks(noria_tool, tmp_path):
    (tmp_path / "who.mlir").write_text(WHO)
    done = noria_tool("run", "--ranks=2", f"--output=result0=@{tmp_path}/o.npy", tmp_path / "who.mlir", 7)
    assert done.returncode == 1 and not list(tmp_path.glob("*.npy"))
    assert "would be the file of all 2 ranks; a %r in its name becomes the rank" in done.stderr


def test_stages_agree(noria_tool, tmp_path):
    program = Program(3, ["si8", "f32"])
    (tmp_path / "all.mlir").write_text(program.text())
    done = noria_tool("run", "--ranks=3", "--check-stages", "--check-collectives", tmp_path / "all.mlir", "random", "random")
    assert done.returncode == 0 and "all 9 outcomes are that of 'import'" in done.stderr


# ---- Python -----------------------------------------------------------------------------------------------------------

def test_ranks_of_a_session(tmp_path):
    """Ranks as threads from Python: each has feeds of its own; one that fails is an error; sessions run again after."""
    import noria
    path = tmp_path / "sum.mlir"
    path.write_text(f"""func.func @main(%x: {F4}, %least: f32) -> ({F4}, index) {{
  %c = flow.channel.default : !flow.channel
  %r = flow.channel.rank %c : index
  %zero = arith.constant 0 : index
  %first = tensor.extract %x[%zero] : {F4}
  %ok = arith.cmpf oge, %first, %least : f32
  cf.assert %ok, "too little"
  %0 = {ALL_REDUCE}
  return %0, %r : {F4}, index
}}
""")
    session = noria.InferenceSession(str(path))
    names = [i.name for i in session.get_inputs()]
    xs = np.arange(12, dtype=np.float32).reshape(3, 4)

    def feeds(least):
        return [dict(zip(names, [x, np.float32(least)])) for x in xs]

    for check in [False, True]:
        results = session.run_ranks(None, feeds(0), check)
        assert len(results) == 3
        for rank, (total, number) in enumerate(results):
            assert np.array_equal(total, xs.sum(axis=0)) and number == rank
    with pytest.raises(noria.Error, match="rank 0: .*'cf.assert' op too little"):
        session.run_ranks(None, feeds(1))
    assert np.array_equal(session.run(None, feeds(0)[2])[0], xs[2])
    assert np.array_equal(session.run_ranks([session.get_outputs()[0].name], feeds(0))[1][0], xs.sum(axis=0))
    for wrong in [], feeds(0)[0], None, [feeds(0)[0], None]:
        with pytest.raises(noria.Error, match="run_ranks takes a list of feeds, a dict for each rank"):
            session.run_ranks(None, wrong)
