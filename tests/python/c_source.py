"""Programs as C source: what test_c_source.py uses, and sweeps over everything:

    python tests/python/c_source.py programs           all text programs that tests run with `noria run`
    python tests/python/c_source.py onnx               the official ONNX tests that are not left out
    python tests/python/c_source.py silero             Silero VAD

    --compiler=gcc,clang     those of COMPILERS, or all
    --every=K                each K-th run only
    --only=WORD              only those whose name has WORD

Each program becomes a library of C, or with sanitizers and for other machines a program around its plain function. It
answers as machine code does, the ONNX tests as the suite says.
"""

import argparse
import collections
import contextlib
import functools
import hashlib
import itertools
import json
import multiprocessing
import os
import pathlib
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("NORIA_BUILD", ROOT / "build" / "release")).resolve()
NORIA = str(BUILD / "noria")
WARNINGS = ["-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]

Compiler = collections.namedtuple("Compiler", "command runner alone libraries", defaults=[(), True, ()])
COMPILERS = {  # alone: as a program of its own, which runner runs; libraries: besides libm, of atomic steps of bytes
    "gcc": Compiler(("gcc", "-O2"), alone=False),
    "clang": Compiler(("clang-22", "-O2"), alone=False),
    "gcc-ubsan": Compiler(("gcc", "-O2", "-fsanitize=undefined,address", "-fno-sanitize-recover=all")),
    "clang-ubsan": Compiler(("clang-22", "-O2", "-fsanitize=undefined", "-fno-sanitize-recover=all")),
    "clang-ubsan-library": Compiler(("clang-22", "-O2", "-fsanitize=undefined", "-shared-libsan"), alone=False),
    "m32": Compiler(("gcc", "-O2", "-m32")),
    "aarch64": Compiler(("aarch64-linux-gnu-gcc", "-O2", "-static"), ("qemu-aarch64",)),
    "riscv64": Compiler(("riscv64-linux-gnu-gcc", "-O2", "-static"), ("qemu-riscv64",), libraries=("-latomic",)),
}


class NotAlone(Exception):
    """The program has no plain function, or one that calls Noria's runtime."""


def run(*command, timeout=300):
    try:
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=timeout,
                              errors="replace")
    except subprocess.TimeoutExpired:
        return 124, "", f"ends after {timeout} s"
    return done.returncode, done.stdout, done.stderr


@functools.cache
def rpath(compiler):
    """Options by which a library finds the sanitizer's, which is in no folder that the loader searches."""
    if "-shared-libsan" not in compiler.command:
        return ()
    name = f"libclang_rt.ubsan_standalone-{platform.machine()}.so"
    path = pathlib.Path(run(compiler.command[0], f"-print-file-name={name}")[1].strip())
    return (f"-Wl,-rpath,{path.parent}",)


def build(source, library, compiler):
    """Compiles a C file to a shared library; the compiler says nothing."""
    code, out, err = run(*compiler.command, *WARNINGS, "-shared", "-fPIC", source, "-o", library, *rpath(compiler), "-lm")
    assert code == 0 and not err, f"{source}: {err[:2000]}"


# ---- text programs ----------------------------------------------------------------------------------------------------

# Runs of these are not about what a program computes, or are not of one compiled program.
ELSEWHERE = ["--interpret", "--sanitize", "--ranks", "--channel", "--check-collectives", "--stop-after", "--print",
             "-limit", "--parameters", "%t", "--library", "--shard", "--check-passes", "--threads"]
OF_RUNS = ("--input", "--output", "--seed")  # options of running; others are of compiling
# Words of what a program does without a defined result: it reads memory that it has not written.
UNDEFINED = ["run_places.mlir --entry=index"]


def program_runs():
    """(file, options of compiling, arguments) for each `noria run` of the text tests."""
    seen = set()
    for path in sorted(ROOT.glob("tests/**/*.mlir")):
        for line in re.findall(r"RUN: (?:not )?noria run (.*)(?<!\\)$", path.read_text(errors="replace"), re.M):
            args = shlex.split(line.replace("%s", str(path)).replace("%S", str(path.parent)))
            args = list(itertools.takewhile(lambda a: not re.fullmatch(r"\||[12]?>.*", a), args))
            args = [a for a in args if a != "--check-stages"]
            if any(word in a for word in ELSEWHERE for a in args) or str(path) not in args:
                continue
            options = [a for a in args if a.startswith("--") and not a.startswith(OF_RUNS)]
            rest = [a for a in args if a not in options and a != str(path) and not a.startswith("-O")]
            key = (str(path), tuple(options), tuple(rest))
            if key not in seen and not any(word in f"{path.name} {' '.join(options)}" for word in UNDEFINED):
                seen.add(key)
                yield key


def message(text):
    """An error without the tool's name; refusing names what cannot be written, machine code or C."""
    text = re.sub(r"noria \w+: |'[^']*\.so'", "", text).replace("can be written as C", "can be compiled")
    return re.sub(r"at most \d+", "at most", text.replace("which C does not", "which machine code does not"))


class Programs:
    """The libraries of machine code and of C of each program, made once."""

    def __init__(self, folder, compiler):
        self.folder, self.compiler = pathlib.Path(folder), compiler

    @functools.cache
    def libraries(self, path, options):
        base = self.folder / hashlib.sha256(repr((path, options, os.getpid())).encode()).hexdigest()[:20]
        cpu = [] if any(o.startswith("--cpu") for o in options) else ["--cpu=x86-64"]
        want = run(NORIA, "compile", *cpu, *options, path, "-o", f"{base}.ref.so")
        if self.compiler.alone:
            return want, None, base
        got = run(NORIA, "compile", *options, path, "-o", f"{base}.c")
        if got[0] == 0:
            build(f"{base}.c", f"{base}.so", self.compiler)
        return want, got, base

    def check(self, path, options, rest):
        """None, or what differs."""
        want, got, base = self.libraries(path, options)
        if self.compiler.alone:
            return self.check_alone(path, options, rest, want, base)
        if want[0] == 0 and got[0] == 0:
            want, got = (run(NORIA, "run", f"{base}{kind}", *rest, timeout=60) for kind in (".ref.so", ".so"))
        same = want[:2] == got[:2] and message(want[2]) == message(got[2])
        return None if same else f"{base}.c: {want} is expected, not {got}"

    def check_alone(self, path, options, rest, want, base):
        if want[0]:
            raise NotAlone("it is no program")
        import noria
        want = run(NORIA, "run", f"{base}.ref.so", *rest, timeout=60)
        if want[0] and re.match(r"noria run: input '\w+': ", want[2]):
            raise NotAlone("an argument that is no value of its type")
        base.mkdir(exist_ok=True)
        alone = Alone(path, base, self.compiler, options)
        session = noria.InferenceSession(f"{base}.ref.so")
        feeds = {i.name: parsed(text, i) for text, i in zip(rest, session.get_inputs(), strict=True)}
        try:
            got = alone.run(*feeds.values())
        except RuntimeError as error:
            return None if want[0] and message(str(error)) in message(want[2]) else f"{base}: {error}, not {want}"
        return f"{base}: {want} is expected" if want[0] else differences(session.run(None, feeds), got)


NUMPY = {"float": "f4", "double": "f8"}  # of types in the words of ONNX Runtime, where NumPy's are others
LIST = r"(?:dense<(?P<items>[^<>]*)>|(?P<number>[^:]+?)) *(?:: *[\w<>?]+)?"
FILLED = r"(?P<fill>zeros|ones)(?::(?P<dims>\d+(?:x\d+)*)?(?:x?[iuf]+\d+)?)?"


def parsed(text, info):
    """An argument of `noria run` as an array; info: that of the input."""
    import numpy as np
    name = re.fullmatch(r"tensor\((float|double|float16|bool|u?int\d+|complex\d+)\)", info.type)
    if not name:
        raise NotAlone(f"an argument that NumPy has no type for: {info.type}")
    dtype = np.dtype(NUMPY.get(name[1], name[1]))
    if filled := re.fullmatch(FILLED, text):
        dims = [int(d) for d in filled["dims"].split("x")] if filled["dims"] else info.shape
        if dims is None or not all(isinstance(d, int) for d in dims):
            raise NotAlone("an argument without dims")
        return np.full(dims, filled["fill"] == "ones", dtype)
    item = re.fullmatch(LIST, text.strip())
    items = item["items"] or item["number"] if item else ""
    is_bits, pairs = items.startswith("0x"), re.sub(r"\(([^(),]*,[^(),]*)\)", r"[\1]", items)
    try:
        array = array_of(int(items, 16) if is_bits else json.loads(pairs), dtype, is_bits,
                         info.shape if item["items"] else None)
    except (TypeError, ValueError) as error:
        raise NotAlone(f"an argument of another form: {info.type}") from error
    if array.size and info.shape is not None and len(info.shape) != array.ndim:
        raise NotAlone("an argument whose elements are of several words")
    return array


def array_of(value, dtype, is_bits, dims):
    """value: numbers; a complex one is a pair. dims: that one number is for, or None."""
    import numpy as np
    if dtype.kind == "c":
        array = np.array(value, f"f{dtype.itemsize // 2}").reshape(np.shape(value)[:-1] + (2,)).view(dtype)[..., 0]
    elif dtype.kind in "iu" or is_bits:  # the low bits, as numbers of text IR are
        bits = np.array(value, object) % (1 << 8 * dtype.itemsize)
        array = np.array(bits, f"u{dtype.itemsize}").view(dtype)
    else:
        array = np.array(value, dtype)
    return array if dims is None or array.ndim else np.full(dims, array)


def differences(want, got):
    """None where arrays are the same: to the bit, with any bits for NaN."""
    import numpy as np
    for i, a, b in zip(range(len(want)), want, got, strict=True):
        b = b.view(a.dtype)
        whole = a.dtype.kind not in "fc"
        same = a.shape == b.shape and np.array_equal(a, b, equal_nan=not whole)
        if not same or (a.dtype.kind == "f" and not np.array_equal(np.signbit(a[a == a]), np.signbit(b[b == b]))):
            return f"output {i}: {a} is expected, not {b}"
    return None


# ---- plain functions --------------------------------------------------------------------------------------------------

TYPES = {"float": "f4", "double": "f8", "int8_t": "i1", "uint8_t": "u1", "int16_t": "i2", "uint16_t": "u2",
         "int32_t": "i4", "uint32_t": "u4", "int64_t": "i8", "uint64_t": "u8", "float pairs": "c8", "double pairs": "c16"}


class Alone:
    """A program as a plain function in an executable of its own."""

    def __init__(self, path, folder, compiler, options=()):
        self.folder, self.compiler = pathlib.Path(folder), compiler
        code, _, err = run(NORIA, "compile", *options, path, "-o", self.folder / "prog.c")
        if code:
            raise NotAlone(err)
        self.header = (self.folder / "prog.h").read_text()
        missing = re.search(r"It has no plain function: (.*?)\.", self.header)
        if missing:
            raise NotAlone(missing.group(1))

    def values(self):
        """(name, type, dims, is input) of each input and output; a dim is a number or the name of its argument."""
        for title, is_input in (("Inputs", True), ("Outputs", False)):
            text = re.search(rf" \* {title}, row-major:\n((?: \*   .*\n)*)", self.header)
            for name, kind, dims, note in re.findall(r" \*   (\w+) +(\w+)((?:\[[\w.]+\])*)(.*)", text[1] if text else ""):
                if "..." in dims:
                    raise NotAlone("an array of any rank")
                yield name, kind + (" pairs" if "pairs" in note else ""), re.findall(r"\[(\w+)\]", dims), is_input

    def main(self, arrays):
        """A program that calls the function with the arrays and prints the bytes of what it gives."""
        lines, args, shows = ['#include <stdio.h>', '#include "prog.h"', "int main(void) {", "  char error[300] = {0};"], [], []
        feeds = iter(arrays)
        for name, kind, dims, is_input in self.values():
            dynamic = [d for d in dims if not d.isdigit()]
            kind, pairs = kind.removesuffix(" pairs"), kind.endswith(" pairs")
            if is_input:
                array = next(feeds)
                data = ", ".join(map(str, array.tobytes() or b"\0"))
                lines.append(f"  static _Alignas(8) const unsigned char {name}_bytes[] = {{{data}}};")
                args.append(f"(const {kind} *)(const void *){name}_bytes")
                args += [str(n) for n, d in zip(array.shape, dims) if d in dynamic]
                continue
            count = " * ".join(["2" if pairs else "1", *dims])
            if dynamic:
                lines.append(f"  {kind} *{name};\n  int64_t " + ", ".join(dynamic) + ";")
                args += [f"&{name}", *(f"&{d}" for d in dynamic)]
            else:
                lines.append(f"  static {kind} {name}[{count} + 1];")  # C has no array of no elements
                args.append(name)
            sizes = " ".join(["%lld"] * len(dims))
            shows.append(f'  printf("{sizes} :"' + "".join(f", (long long){d}" for d in dims) + ");")
            shows.append(f"  for (size_t i = 0; i != (size_t)({count}) * sizeof *{name}; i++)")
            shows.append(f'    printf("%02x", ((const unsigned char *){name})[i]);\n  puts("");')
            if dynamic:
                shows.append(f"  prog_free({name});")
        call = ", ".join([*args, "error", "sizeof error"])
        return "\n".join([*lines, f"  if (prog_run({call})) {{", "    puts(error);", "    return 1;", "  }", *shows,
                          "  return 0;", "}", ""])

    def run(self, *arrays):
        """The outputs; an error is a RuntimeError with its text."""
        import numpy as np
        (self.folder / "main.c").write_text(self.main(arrays))
        code, out, err = run(*self.compiler.command, *WARNINGS, "-I", self.folder, self.folder / "main.c",
                             self.folder / "prog.c", "-o", self.folder / "main", "-lm", *self.compiler.libraries)
        assert code == 0 and not err, err[:2000]
        code, out, err = run(*self.compiler.runner, self.folder / "main")
        assert not err, err[:2000]
        if "is a function of Noria's runtime" in out:
            raise NotAlone(out.strip())
        if code:
            raise RuntimeError(out.strip())
        types = [TYPES[kind] for _, kind, _, is_input in self.values() if not is_input]
        answers = []
        for line, kind in zip(out.splitlines(), types, strict=True):
            dims, data = line.split(":")
            answers.append(np.frombuffer(bytes.fromhex(data), "<" + kind).reshape([int(d) for d in dims.split()]))
        return answers


# ---- models -----------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def no_reports():
    """What a sanitizer in a library writes to the standard error meanwhile is an AssertionError."""
    with tempfile.TemporaryFile() as file:
        usual = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(usual, 2)
            os.close(usual)
        file.seek(0)
        text = file.read().decode(errors="replace")
    assert "runtime error:" not in text, text[:2000]


class Session:
    """A model that went through C: run() is that of an InferenceSession."""

    def __init__(self, model, folder, compiler):
        import noria
        base = pathlib.Path(folder) / f"{hashlib.sha256(model).hexdigest()[:20]}-{os.getpid()}"
        base.mkdir(exist_ok=True)
        (base / "prog.onnx").write_bytes(model)
        if compiler.alone:
            self.session, self.alone = noria.InferenceSession(model), Alone(base / "prog.onnx", base, compiler)
            return
        code, _, err = run(NORIA, "compile", base / "prog.onnx", "-o", base / "prog.c")
        if code:
            raise RuntimeError(err)
        build(base / "prog.c", base / "prog.so", compiler)
        self.session, self.alone = noria.InferenceSession(str(base / "prog.so")), None
        shutil.rmtree(base)  # the suite has many models

    def get_inputs(self):
        return self.session.get_inputs()

    def run(self, names, feeds):
        if not self.alone:
            with no_reports():
                return self.session.run(names, feeds)
        want = self.session.run(None, feeds)  # has the types that C has not
        got = self.alone.run(*(feeds[i.name] for i in self.get_inputs()))
        shutil.rmtree(self.alone.folder)
        return [b.view(a.dtype) for a, b in zip(want, got, strict=True)]


def backend():
    """noria.backend, with models that go through C: by the compiler of its attribute `compiler`."""
    import types

    import noria.backend as real
    folder = tempfile.TemporaryDirectory()
    module = types.ModuleType("noria_c_backend")

    class Backend(real.NoriaBackend):
        @classmethod
        def prepare(cls, model, device="CPU", **kwargs):
            data = model if isinstance(model, bytes) else model.SerializeToString()
            return real.NoriaBackendRep(Session(data, folder.name, COMPILERS[module.compiler]))

    for name in ("is_compatible", "prepare", "run_model", "run_node", "supports_device"):
        setattr(module, name, getattr(Backend, name))
    module.keeps = folder
    return module


class Suite:
    """The official ONNX tests that are not left out."""

    def __init__(self):
        from test_onnx_backend import Runner, split
        self.backend = backend()
        suite = Runner(self.backend, __name__)
        left_out = {f"{name}_cpu" for name in split()[0]}
        self.tests = [test for group in suite.test_suite for test in (group if hasattr(group, "__iter__") else [group])
                      if test.id().split(".")[-1].endswith("_cpu") and test.id().split(".")[-1] not in left_out]

    def names(self):
        return [test.id().split(".")[-1] for test in self.tests]

    def check(self, number, compiler):
        """None, or what is wrong."""
        self.backend.compiler = compiler
        result = unittest.TestResult()
        self.tests[number](result)
        for _, why in result.errors + result.failures:
            if NotAlone.__name__ in why:
                raise NotAlone(why.strip().splitlines()[-1])
            return why
        for _, why in result.skipped:
            raise NotAlone(why)
        return None


def check_silero(compiler):
    """Silero VAD, at both of its rates, by C as by machine code."""
    import numpy as np

    import noria
    sys.path.insert(0, str(ROOT / "examples" / "silero"))
    import run as silero
    path = silero.fetch_model()
    random = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        machine = noria.InferenceSession(path)
        for rate, samples in ((16000, 576), (8000, 288)):
            feeds = {"input": random.standard_normal((1, samples), np.float32) * 0.1,
                     "state": np.zeros((2, 1, 128), np.float32), "sr": np.array(rate, np.int64)}
            compiled = Session(pathlib.Path(path).read_bytes(), folder, COMPILERS[compiler])
            for _ in range(1 if compiled.alone else 5):
                want, got = machine.run(None, feeds), compiled.run(None, feeds)
                for a, b in zip(want, got, strict=True):
                    np.testing.assert_allclose(b, a, rtol=1e-3, atol=1e-5)
                feeds["state"] = want[1]


# ---- sweeps -----------------------------------------------------------------------------------------------------------


def answer(job):
    """(name, what is wrong or None, why it is not run or None)"""
    name, check = job
    try:
        return name, check(), None
    except NotAlone as why:
        return name, None, str(why)
    except Exception as error:
        return name, f"{type(error).__name__}: {error}", None


def jobs(what, compiler, folder):
    """(name, function that gives None or what is wrong) of each run"""
    if what == "programs":
        made = Programs(folder, COMPILERS[compiler])
        for path, options, rest in program_runs():
            yield f"{os.path.relpath(path, ROOT)} {' '.join(options + rest)}", functools.partial(made.check, path, options, rest)
    elif what == "onnx":
        for i, name in enumerate(suite().names()):
            yield name, functools.partial(suite().check, i, compiler)
    else:
        yield "silero", functools.partial(check_silero, compiler)


@functools.cache
def suite():
    return Suite()


def sweep(what, compiler, every=1, only=""):
    """Prints what is wrong, and counts; whether all is right."""
    with tempfile.TemporaryDirectory() as folder:
        work = [job for job in jobs(what, compiler, folder) if only in job[0]][::every]
        answers = []
        with multiprocessing.get_context("fork").Pool(os.cpu_count(), initializer=take, initargs=(work,)) as pool:
            for name, wrong, why in pool.imap(answer_of, range(len(work)), chunksize=4):
                answers.append((wrong, why))
                if wrong:
                    print(f"{compiler}: {name}\n    {wrong}", flush=True)
    left_out = collections.Counter(re.sub(r"'.*'", "..", why.splitlines()[-1])[:110] for _, why in answers if why)
    failed = sum(wrong is not None for wrong, _ in answers)
    print(f"{what}, {compiler}: {len(answers) - failed - left_out.total()} the same, {failed} not, {left_out.total()} not run",
          *(f"\n    {count} {why}" for why, count in left_out.most_common()), flush=True)
    return not failed


def take(work):
    global taken
    taken = work


def answer_of(number):
    return answer(taken[number])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["programs", "onnx", "silero"])
    parser.add_argument("--compiler", default=",".join(COMPILERS))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    return all([sweep(options.what, compiler, options.every, options.only) for compiler in options.compiler.split(",")])


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
