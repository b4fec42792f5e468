"""Random programs run by MLIR itself: lowered by mlir-opt, run by mlir-runner, compared with `noria run`.

A program's @main gets inputs and writes all that it gives back, and the memory that it was given, as a row of i64 into
one buffer: floats by their bits, NaN by one pattern of them. That wrapper is text too, so both sides run the same.

    python tests/python/mlir_runner.py loops 1 500      compares the programs of these seeds
"""
import collections
import itertools
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

BUILD = pathlib.Path(os.environ.get("NORIA_BUILD", pathlib.Path(__file__).resolve().parents[2] / "build" / "release"))
LLVM = pathlib.Path("/usr/lib/llvm-22")
MLIR_OPT = shutil.which("mlir-opt-22") or shutil.which("mlir-opt", path=LLVM / "bin")
MLIR_RUNNER = shutil.which("mlir-runner-22") or shutil.which("mlir-runner", path=LLVM / "bin")
RUNTIME = min((LLVM / "lib").glob("libmlir_c_runner_utils.so*"), default=None)  # printI64, memrefCopy

TENSORS = ["--one-shot-bufferize=bufferize-function-boundaries allow-return-allocs-from-loops"]
# arith-expand, for quotients that are rounded up and down, would lose the sign of zero in minima and maxima: those are
# lowered before.
LOWER = [
    "--convert-linalg-to-loops", "--lower-affine", "--memref-expand", "--convert-math-to-funcs",
    "--convert-vector-to-scf", "--convert-scf-to-cf", "--expand-strided-metadata", "--lower-affine",
    "--convert-vector-to-llvm", "--convert-complex-to-standard", "--convert-math-to-llvm", "--convert-math-to-libm",
    "--convert-arith-to-llvm", "--arith-expand", "--finalize-memref-to-llvm", "--convert-arith-to-llvm",
    "--convert-index-to-llvm", "--convert-cf-to-llvm", "--convert-func-to-llvm", "--reconcile-unrealized-casts",
]
NOT_MLIR = ("scf.loop ", "loop.parallel ")
ROOM = 4096  # numbers that a wrapper can write; more go round
NANS = {"f16": "0x7E00", "bf16": "0x7FC0", "f32": "0x7FC00000", "f64": "0x7FF8000000000000"}
FLOAT_BITS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
SHAPED = re.compile(r"(memref|tensor|vector)<((?:[\d?]+x)*)([^,<]+)(, .*)?>")

AROUND = """
func.func private @put(%out: memref<{room}xi64>, %at: memref<index>, %x: i64) {{
  %c1 = arith.constant 1 : index
  %room = arith.constant {room} : index
  %n = memref.load %at[] : memref<index>
  %i = arith.remui %n, %room : index
  memref.store %x, %out[%i] : memref<{room}xi64>
  %next = arith.addi %n, %c1 : index
  memref.store %next, %at[] : memref<index>
  return
}}
func.func @start() -> memref<{room}xi64> {{
  %k0 = arith.constant 0 : index
  %k1 = arith.constant 1 : index
  %room = arith.constant {room} : index
  %zero = arith.constant 0 : i64
  %out = memref.alloc() : memref<{room}xi64>
  %at = memref.alloc() : memref<index>
  memref.store %k0, %at[] : memref<index>
  scf.for %i = %k0 to %room step %k1 {{
    memref.store %zero, %out[%i] : memref<{room}xi64>
  }}
{body}
  return %out : memref<{room}xi64>
}}
"""

PRINT = """
func.func private @printI64(i64)
func.func private @printNewline()
func.func @print_all() {{
  %k0 = arith.constant 0 : index
  %k1 = arith.constant 1 : index
  %room = arith.constant {room} : index
  %m = func.call @start() : () -> memref<{room}xi64>
  scf.for %i = %k0 to %room step %k1 {{
    %x = memref.load %m[%i] : memref<{room}xi64>
    func.call @printI64(%x) : (i64) -> ()
    func.call @printNewline() : () -> ()
  }}
  return
}}
"""


class NotComparable(Exception):
    """What MLIR cannot run."""


class TakesTooLong(NotComparable):
    pass


def split_types(text):
    """The types of "i32, memref<2x3xf32, strided<[3, 1]>>"."""
    parts, depth, part = [], 0, ""
    for i, c in enumerate(text):
        depth += c in "<([{"
        depth -= c in ")]}" or (c == ">" and text[i - 1] != "-")
        if c == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += c
    return parts + [part.strip()] if part.strip() else parts


class Wrapper:
    """Calls @main on random inputs and writes out what comes back."""

    def __init__(self, program, seed):
        self.random = random.Random(seed)
        self.size = self.random.choice((0, 1, 2, 4, 7))  # of all dims that are known in the run only
        self.lines, self.globals, self.values = [], [], 0
        head = re.search(r"func\.func @main\((.*?)\)(?: -> (.*?))? \{\n", program)
        inputs = [arg.split(": ", 1)[1] for arg in split_types(head[1])]
        results = head[2] or ""
        results = split_types(results[1:-1] if results.startswith("(") else results)
        args = [self.input(t) for t in inputs]
        bound = f"%r:{len(results)} = " if results else ""
        self.line(f"{bound}func.call @main({', '.join(args)}) : ({', '.join(inputs)}) -> ({', '.join(results)})")
        for i, t in enumerate(results):
            self.output(f"%r#{i}", t)
        for value, t in zip(args, inputs):
            if t.startswith("memref"):
                self.output(value, t)
        body = "\n".join("  " + line for line in self.lines)
        self.text = program + "\n".join(self.globals) + AROUND.format(room=ROOM, body=body)

    def line(self, text):
        self.lines.append(text)

    def define(self, text):
        self.values += 1
        self.line(f"%w{self.values} = {text}")
        return f"%w{self.values}"

    def literal(self, t):
        choice = self.random.choice
        if t == "index":
            return str(choice((0, 1, 2, 3, 5, 7, 11)))
        if t == "i1":
            return choice(("true", "false"))
        if t in FLOAT_BITS:
            return choice(("0.0", "1.0", "-1.5", "2.25", "1000.0", "-0.0", "0.1"))
        width = re.fullmatch(r"i(\d+)", t)
        if not width:
            raise NotComparable(f"inputs of type {t}")
        bits = int(width[1])
        number = choice((0, 1, 2, 3, 5, 7, -1, -3, 100, self.random.getrandbits(min(bits, 60)))) % (1 << bits)
        return str(number - (1 << bits) if number >> (bits - 1) else number)

    def constant(self, t):
        text = self.literal(t)
        return self.define(f"arith.constant {text}" + ("" if t == "i1" else f" : {t}"))

    def elements(self, dims, elem):
        if not dims:
            return self.literal(elem)
        return "[" + ", ".join(self.elements(dims[1:], elem) for _ in range(dims[0])) + "]"

    def input(self, t):
        if t.startswith("complex<"):
            real, imaginary = self.constant(t[8:-1]), self.constant(t[8:-1])
            return self.define(f"complex.create {real}, {imaginary} : {t}")
        shaped = SHAPED.fullmatch(t)
        if not shaped:
            return self.constant(t)
        kind, elem = shaped[1], shaped[3]
        if shaped[4]:
            raise NotComparable("inputs with a layout")
        dims = [self.size if d == "?" else int(d) for d in shaped[2].split("x") if d]
        full = "".join(f"{d}x" for d in dims) + elem
        data = f"dense<{self.elements(dims, elem)}>" if 0 not in dims else "dense<>"
        if kind == "memref":
            name = f"@input{len(self.globals)}"
            self.globals.append(f'memref.global "private" constant {name} : memref<{full}> = {data}')
            source = self.define(f"memref.get_global {name} : memref<{full}>")
            value = self.define(f"memref.alloc() : memref<{full}>")
            self.line(f"memref.copy {source}, {value} : memref<{full}> to memref<{full}>")
        else:
            value = self.define(f"arith.constant {data} : {kind}<{full}>")
        return self.define(f"{kind}.cast {value} : {kind}<{full}> to {t}") if "?" in t else value

    def put(self, value, t):
        if t.startswith("complex<"):
            for part in ("re", "im"):
                self.put(self.define(f"complex.{part} {value} : {t}"), t[8:-1])
            return
        width = re.fullmatch(r"i(\d+)", t)
        bits = int(width[1]) if width else 64
        if t in FLOAT_BITS:
            bits = FLOAT_BITS[t]
            is_nan = self.define(f"arith.cmpf uno, {value}, {value} : {t}")
            nan = self.define(f"arith.constant {NANS[t]} : {t}")
            value = self.define(f"arith.select {is_nan}, {nan}, {value} : {t}")
            value = self.define(f"arith.bitcast {value} : {t} to i{bits}")
        elif t == "index":
            value = self.define(f"arith.index_cast {value} : index to i64")
        elif not width:
            raise NotComparable(f"results of type {t}")
        if bits != 64:
            value = self.define(f"arith.{'extsi' if bits < 64 else 'trunci'} {value} : i{bits} to i64")
        self.line(f"func.call @put(%out, %at, {value}) : (memref<{ROOM}xi64>, memref<index>, i64) -> ()")

    def output(self, value, t):
        shaped = SHAPED.fullmatch(t)
        if not shaped:
            self.put(value, t)
            return
        kind, elem = shaped[1], shaped[3]
        dims = [d for d in shaped[2].split("x") if d]
        if kind == "vector":
            for at in itertools.product(*(range(int(d)) for d in dims)):
                place = ", ".join(map(str, at))
                self.put(self.define(f"vector.extract {value}[{place}] : {elem} from {t}"), elem)
            return
        indices = []
        for d in range(len(dims)):
            number = self.define(f"arith.constant {d} : index")
            size = self.define(f"{kind}.dim {value}, {number} : {t}")
            self.put(size, "index")
            indices.append(f"%i{self.values}")
            self.line(f"scf.for {indices[-1]} = %k0 to {size} step %k1 {{")
        read = "memref.load" if kind == "memref" else "tensor.extract"
        self.put(self.define(f"{read} {value}[{', '.join(indices)}] : {t}"), elem)
        self.lines += ["}"] * len(dims)


def run_by_mlir(program, passes):
    """The numbers that @print_all prints."""
    try:
        lowered = subprocess.run([MLIR_OPT, *passes], input=program, capture_output=True, text=True, timeout=30)
        if lowered.returncode:
            message = re.search(r"error: (.*)", lowered.stderr)
            raise NotComparable("mlir-opt: " + (message[1] if message else lowered.stderr[-80:]))
        ran = subprocess.run([MLIR_RUNNER, "-e", "print_all", "--entry-point-result=void", f"--shared-libs={RUNTIME}"],
                             input=lowered.stdout, capture_output=True, text=True, timeout=10)
    except subprocess.TimeoutExpired as slow:
        raise TakesTooLong(f"{pathlib.Path(slow.cmd[0]).name} takes too long") from slow
    if ran.returncode:
        raise NotComparable("mlir-runner: " + ran.stderr[:120])
    return [int(number) for number in ran.stdout.split()]


def run_by_noria(text, *options):
    ran = subprocess.run([BUILD / "noria", "run", "-", "--entry=start", *options], input=text, capture_output=True,
                         text=True, timeout=120)
    assert ran.returncode == 0, f"{' '.join(options)}: {ran.stderr}"
    numbers = [int(number) for number in re.findall(r"-?\d+", re.search(r"dense<(.*)> : ", ran.stdout)[1])]
    return numbers * ROOM if len(numbers) == 1 else numbers


def count_trips(text):
    """The program with loops that count: MLIR's scf.for goes round where it steps past the end of its type."""
    return subprocess.run([BUILD / "noria", "opt", "--count-trips", "--syntax=mlir", "-"], input=text,
                          capture_output=True, text=True, check=True).stdout


def compare(seed, family):
    """Fails where Noria and MLIR differ; NotComparable where one cannot say."""
    program = subprocess.run([BUILD / "tests" / "programs", "--print", str(seed), f"--family={family}"],
                             capture_output=True, text=True, check=True).stdout
    if any(op in program for op in NOT_MLIR):
        raise NotComparable("ops that MLIR does not have")
    text = Wrapper(program, seed).text
    passes = (TENSORS if family == "tensors" else []) + LOWER
    interpreted, compiled = run_by_noria(text, "--interpret"), run_by_noria(text)
    printing = text + PRINT.format(room=ROOM)
    try:
        expected = run_by_mlir(printing, passes)
    except TakesTooLong:
        expected = None
    if expected != interpreted:
        expected = run_by_mlir(count_trips(printing), passes)
    for got in (interpreted, compiled):
        different = [(i, a, b) for i, (a, b) in enumerate(zip(expected, got)) if a != b]
        assert len(got) == len(expected) and not different, \
            f"seed {seed}, {family}: (place, MLIR, Noria) = {different[:5]}\n{text}"


def main():
    family, first, end = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    counts = collections.Counter()
    for seed in range(first, end):
        try:
            compare(seed, family)
            counts["equal"] += 1
        except NotComparable as reason:
            counts[re.sub(r"\d+", "N", str(reason))[:100]] += 1
        except AssertionError as difference:
            counts["different"] += 1
            print(str(difference)[:400], flush=True)
    for what, count in counts.most_common():
        print(count, what)
    return counts["different"] != 0


if __name__ == "__main__":
    sys.exit(main())
