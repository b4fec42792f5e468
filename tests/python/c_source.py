"""Programs as C source: what test_c_source.py uses, and everything at once:

    python tests/python/c_source.py programs [WORD]   all text programs that tests run with `noria run`
    python tests/python/c_source.py onnx              the official ONNX tests that are not left out
    python tests/python/c_source.py silero            Silero VAD

CC names the compiler, with options: CC="clang-22 -O2". Each program is made a library of C, and answers as the library
of machine code does.
"""

import functools
import hashlib
import itertools
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("NORIA_BUILD", ROOT / "build" / "release")).resolve()
NORIA = str(BUILD / "noria")
WARNINGS = ["-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
COMPILER = shlex.split(os.environ.get("CC", "gcc -O2"))


def run(*command, timeout=300):
    try:
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=timeout,
                              errors="replace")
    except subprocess.TimeoutExpired:
        return 124, "", f"ends after {timeout} s"
    return done.returncode, done.stdout, done.stderr


def build(source, library, compiler=None, options=()):
    """Compiles a C file to a shared library; the compiler says nothing."""
    code, out, err = run(*(compiler or COMPILER), *WARNINGS, *options, "-shared", "-fPIC", source, "-o", library, "-lm")
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
    """Libraries of C and of machine code for each program, made once."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    @functools.cache
    def libraries(self, path, options):
        base = self.folder / hashlib.sha256(repr((path, options)).encode()).hexdigest()[:20]
        cpu = [] if any(o.startswith("--cpu") for o in options) else ["--cpu=x86-64"]
        want = run(NORIA, "compile", *cpu, *options, path, "-o", f"{base}.ref.so")
        got = run(NORIA, "compile", *options, path, "-o", f"{base}.c")
        if got[0] == 0:
            build(f"{base}.c", f"{base}.so")
        return want, got, base

    def check(self, path, options, rest):
        """None, or what differs."""
        try:
            want, got, base = self.libraries(path, options)
        except AssertionError as error:
            return str(error)
        if want[0] == 0 and got[0] == 0:
            want, got = (run(NORIA, "run", f"{base}{kind}", *rest, timeout=60) for kind in (".ref.so", ".so"))
        same = want[:2] == got[:2] and message(want[2]) == message(got[2])
        return None if same else f"{base}.c: {want} is expected, not {got}"


# ---- plain functions --------------------------------------------------------------------------------------------------

TYPES = {"float": "f4", "double": "f8", "int8_t": "i1", "uint8_t": "u1", "int16_t": "i2", "uint16_t": "u2",
         "int32_t": "i4", "uint32_t": "u4", "int64_t": "i8", "uint64_t": "u8"}


class Alone:
    """A program as a plain function in an executable of its own, which runner, a command, runs."""

    def __init__(self, path, folder, compiler, runner=(), options=()):
        self.folder, self.compiler, self.runner = pathlib.Path(folder), compiler, list(runner)
        code, _, err = run(NORIA, "compile", *options, path, "-o", self.folder / "prog.c")
        assert code == 0, err
        self.header = (self.folder / "prog.h").read_text()
        self.run_parameters = re.search(r"int prog_run\((.*)char \*error", self.header).group(1)

    def values(self):
        """(name, type, dims, is input) of each input and output; a dim is a number or the name of its argument."""
        lists = re.search(r"Inputs, row-major:(.*?)\* Outputs, row-major:(.*?)\* prog_run", self.header, re.S)
        for text, is_input in zip(lists.groups(), (True, False)):
            for name, kind, dims in re.findall(r" \*   (\w+) +(\w+)((?:\[\w+\])*)", text):
                yield name, kind, re.findall(r"\[(\w+)\]", dims), is_input

    def main(self, arrays):
        """A program that calls the function with the arrays and prints the bytes of what it gives."""
        lines, args, shows = ['#include <stdio.h>', '#include "prog.h"', "int main(void) {", "  char error[300] = {0};"], [], []
        feeds = iter(arrays)
        for name, kind, dims, is_input in self.values():
            dynamic = [d for d in dims if not d.isdigit()]
            if is_input:
                array = next(feeds)
                data = ", ".join(map(str, array.tobytes() or b"\0"))
                lines.append(f"  static _Alignas(8) const unsigned char {name}_bytes[] = {{{data}}};")
                args.append(f"(const {kind} *)(const void *){name}_bytes")
                args += [str(n) for n, d in zip(array.shape, dims) if d in dynamic]
                continue
            count = " * ".join(["1", *dims])
            if dynamic:
                lines.append(f"  {kind} *{name};\n  int64_t " + ", ".join(dynamic) + ";")
                args += [f"&{name}", *(f"&{d}" for d in dynamic)]
            else:
                lines.append(f"  static {kind} {name}[{count}];")
                args.append(name)
            sizes = " ".join(["%lld"] * len(dims))
            shows.append(f'  printf("{sizes} :"' + "".join(f", (long long){d}" for d in dims) + ");")
            shows.append(f"  for (size_t i = 0; i < (size_t)({count}) * sizeof *{name}; i++)")
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
        code, out, err = run(*self.compiler, *WARNINGS, "-I", self.folder, self.folder / "main.c", self.folder / "prog.c",
                             "-o", self.folder / "main", "-lm")
        assert code == 0 and not err, err[:2000]
        code, out, err = run(*self.runner, self.folder / "main")
        assert not err, err[:2000]
        if code:
            raise RuntimeError(out.strip())
        types = [TYPES[kind] for _, kind, _, is_input in self.values() if not is_input]
        answers = []
        for line, kind in zip(out.splitlines(), types):
            dims, data = line.split(":")
            answers.append(np.frombuffer(bytes.fromhex(data), "<" + kind).reshape([int(d) for d in dims.split()]))
        return answers


# ---- models -----------------------------------------------------------------------------------------------------------


class Session:
    """An InferenceSession of a model that went through C."""

    def __init__(self, model, folder, options=()):
        import noria
        name = hashlib.sha256(model).hexdigest()[:20]
        base = pathlib.Path(folder) / name
        base.with_suffix(".onnx").write_bytes(model)
        code, _, err = run(NORIA, "compile", f"{base}.onnx", "-o", f"{base}.c", *options)
        if code:
            raise RuntimeError(err)
        build(f"{base}.c", f"{base}.so")
        self.session = noria.InferenceSession(f"{base}.so")
        for suffix in (".onnx", ".c", ".h", ".so"):  # the suite has many models
            base.with_suffix(suffix).unlink(missing_ok=True)


def backend():
    """noria.backend, with models that go through C."""
    import types

    import noria.backend as real
    folder = tempfile.TemporaryDirectory()

    class Backend(real.NoriaBackend):
        keeps = folder

        @classmethod
        def prepare(cls, model, device="CPU", **kwargs):
            data = model if isinstance(model, bytes) else model.SerializeToString()
            return real.NoriaBackendRep(Session(data, folder.name).session)

    module = types.ModuleType("noria_c_backend")
    for name in ("is_compatible", "prepare", "run_model", "run_node", "supports_device"):
        setattr(module, name, getattr(Backend, name))
    module.keeps = folder
    return module


def onnx_suite():
    import onnx.backend.test

    from test_onnx_backend import split
    suite = onnx.backend.test.BackendTest(backend(), __name__)
    suite.exclude("_cuda$")
    for excluded in split()[0]:
        suite.exclude(f"^{re.escape(excluded)}_cpu$")
    return suite


def silero_answers():
    """The outputs of Silero VAD by machine code and by C, for each of its parts."""
    import numpy as np

    import noria
    sys.path.insert(0, str(ROOT / "examples" / "silero"))
    import run as silero
    path = silero.fetch_model()
    random = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        compiled = Session(pathlib.Path(path).read_bytes(), folder).session
        machine = noria.InferenceSession(path)
        for rate, samples in ((16000, 576), (8000, 288)):
            feeds = {"input": random.standard_normal((1, samples), np.float32) * 0.1,
                     "state": np.zeros((2, 1, 128), np.float32), "sr": np.array(rate, np.int64)}
            for _ in range(5):
                want, got = machine.run(None, feeds), compiled.run(None, feeds)
                yield want, got
                feeds["state"] = want[1]


# ---- all of it --------------------------------------------------------------------------------------------------------


def all_programs(word):
    runs = [r for r in program_runs() if word in r[0]]
    files = sorted({r[0] for r in runs})
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        made = Programs(folder)
        found = pool.map(lambda f: [(r, made.check(*r)) for r in runs if r[0] == f], files)
        wrong = [(r, why) for part in found for r, why in part if why]
    for (path, options, rest), why in wrong:
        print(os.path.relpath(path, ROOT), *options, *rest, "\n   ", why)
    print(f"{len(runs) - len(wrong)} of {len(runs)} runs are the same")
    return not wrong


def main(what, word=""):
    if what == "programs":
        return all_programs(word)
    if what == "onnx":
        import unittest
        result = unittest.TextTestRunner(verbosity=0).run(onnx_suite().test_suite)
        return result.wasSuccessful()
    import numpy as np
    for want, got in silero_answers():
        for a, b in zip(want, got):
            np.testing.assert_allclose(b, a, rtol=1e-3, atol=1e-5)
    print("Silero VAD: the same")
    return True


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
