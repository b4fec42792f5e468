"""noria_program_load: libraries that are cut off, changed, for another CPU, or none at all. All is tried in a child
process, whose death would be the failure: what is loaded after all is run too."""
import os
import platform
import random
import shutil
import struct
import subprocess
import sys

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from conftest import BUILD, ROOT

TOOL = str(BUILD / "noria")
TEXT = str(ROOT / "tests" / "tools" / "run.mlir")

# Loads each file named on standard input, runs gcd(48, 180) or y = x + w where that works, and says what came of it.
CHILD = """
import ctypes, sys
runtime = ctypes.CDLL(sys.argv[1])
P, I = ctypes.c_void_p, ctypes.c_int64
runtime.noria_program_destroy.argtypes = runtime.noria_value_release.argtypes = [P]
runtime.noria_tensor_data.argtypes, runtime.noria_tensor_data.restype = [P], P

class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("message", ctypes.c_char_p)]

def value(number):
    made = P()
    assert runtime.noria_tensor_create(7, I(0), None, ctypes.byref(I(number)), ctypes.byref(made), None) == 0
    return made

inputs, output = (P * 2)(value(48), value(180)), P()
for line in sys.stdin:
    program, error = P(), Error()
    path = line.rstrip("\\n").encode()
    if runtime.noria_program_load(path, None, ctypes.byref(program), ctypes.byref(error)):
        assert error.code and not program and error.message
        print("refused:", error.message.decode(errors="replace"), flush=True)
        runtime.noria_error_clear(ctypes.byref(error))
        continue
    print("loaded:", end=" ")
    if runtime.noria_program_run(program, inputs, I(2), ctypes.byref(output), I(1), None, None) == 0:
        print(I.from_address(runtime.noria_tensor_data(output)).value, end="")
        runtime.noria_value_release(output)
    print(flush=True)
    runtime.noria_program_destroy(program)
"""


class Loader:
    def __init__(self):
        command = [sys.executable, "-c", CHILD, str(BUILD / "libnoria_runtime.so")]
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, path):
        self.child.stdin.write(f"{path}\n")
        self.child.stdin.flush()
        line = self.child.stdout.readline()
        assert line, f"the process died of {path}: {self.child.wait()}"
        return line.strip()


@pytest.fixture(scope="module")
def load():
    loader = Loader()
    yield loader
    loader.child.stdin.close()
    assert loader.child.wait() == 0


def compile_text(path, *options):
    done = subprocess.run([TOOL, "compile", TEXT, "--entry=gcd", "-o", path, *options], capture_output=True, text=True)
    assert done.returncode == 0, done
    return path


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return compile_text(tmp_path_factory.mktemp("load") / "gcd.so").read_bytes()


@pytest.fixture
def write(tmp_path):
    """Each under a name of its own: the loader of the system knows names."""
    count = 0

    def write(data):
        nonlocal count
        count += 1
        path = tmp_path / f"{count}.so"
        path.write_bytes(data)
        return path

    yield write
    shutil.rmtree(tmp_path)


def segments(data):
    """(offset, size) of what is loaded."""
    begin, (size, count) = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<HH", data, 54)
    heads = [struct.unpack_from("<IIQQQQQQ", data, begin + i * size) for i in range(count)]
    return [(h[2], h[5]) for h in heads if h[0] == 1]


def test_a_whole_library_runs(load, write, library):
    assert load(write(library)) == "loaded: 12"
    assert load(write(library + b"more bytes, which nobody reads")) == "loaded: 12"


def test_a_truncated_library_is_refused(load, write, library):
    lengths = {*range(0, 300), *range(0, len(library), 61), *range(len(library) - 200, len(library))}
    for length in sorted(lengths):
        said = load(write(library[:length]))
        assert said.startswith("refused:") and ("is truncated" if length else "is empty") in said, (length, said)


def test_holes_are_noticed(load, write, library):
    """Pages of zeros, as after a crash of the system."""
    for begin in range(0, max(sum(s) for s in segments(library)), 512):
        hole = library[begin : begin + 512]
        if not any(hole) or not any(o <= begin and begin + 512 <= o + s for o, s in segments(library)):
            continue
        said = load(write(library[:begin] + bytes(512) + library[begin + 512 :]))
        assert said.startswith("refused:"), (begin, said)


def test_flipped_bits_are_noticed(load, write, library):
    """Every byte of the headers and of the first page's tables, and others at random."""
    loaded = [i for offset, size in segments(library) for i in range(offset, offset + size)]
    free = {*range(40, 48), *range(58, 64)}  # the table of sections, which the loader does not read
    rng = random.Random(1)
    for i in sorted({*range(0, 64), *rng.sample(loaded, min(len(loaded), 600))}):
        data = bytearray(library)
        data[i] ^= 1 << rng.randrange(8)
        said = load(write(data))
        assert said.startswith("refused:") or (i in free and said == "loaded: 12"), (i, said)
    for i in rng.sample(range(len(library)), 200):
        data = bytearray(library)
        data[i] ^= 255
        said = load(write(data))
        assert said.startswith("refused:") or (i not in loaded or i in free) and said == "loaded: 12", (i, said)


@pytest.mark.parametrize("strip", ["strip", "llvm-strip-22"])
def test_strip_keeps_the_seal(load, write, library, strip):
    if not shutil.which(strip):
        pytest.skip(f"there is no {strip}")
    path = write(library)
    subprocess.run([strip, path], check=True)
    small = path.read_bytes()
    assert len(small) < len(library)
    assert load(path) == "loaded: 12"
    for length in (len(small) - 1, len(small) // 2):
        assert "truncated" in load(write(small[:length]))
    offset, size = max(segments(small), key=lambda s: s[1])
    data = bytearray(small)
    data[offset + size // 2] ^= 4
    assert "is damaged" in load(write(data))


def test_a_library_that_the_user_links(load, write, tmp_path):
    """It has no checksum: what its headers tell is checked."""
    compile_text(tmp_path / "gcd.o")
    subprocess.run(["cc", "-shared", "-o", tmp_path / "own.so", tmp_path / "gcd.o"], check=True)
    assert load(tmp_path / "own.so") == "loaded: 12"
    own = (tmp_path / "own.so").read_bytes()
    for length in {*range(0, len(own), 97), *range(len(own) - 64, len(own))}:
        assert load(write(own[:length])).startswith("refused:"), length


def test_what_is_no_compiled_program(load, write, tmp_path):
    def refused(path, *words):
        said = load(path)
        assert said.startswith("refused:") and all(w in said for w in words), said

    refused(tmp_path / "none.so", "none.so' cannot be opened", "No such file")
    refused(tmp_path, "is a folder")
    refused("/dev/null", "is no file")
    os.mkfifo(tmp_path / "pipe")
    refused(tmp_path / "pipe", "is no file")
    refused(write(b""), "is empty")
    refused(TEXT, "run.mlir' is no shared library")
    refused(compile_text(tmp_path / "gcd.o"), "is an object file")
    other = bytearray(compile_text(tmp_path / "gcd.so").read_bytes())
    struct.pack_into("<H", other, 18, 8)  # MIPS
    refused(write(other), "another kind of machine")
    # Code of a foreign library must not run: it would leave a file.
    (tmp_path / "foreign.c").write_text(
        '#include <stdio.h>\n__attribute__((constructor)) static void run(void) { fopen(FILE_NAME, "w"); }\n')
    define = f'-DFILE_NAME="{tmp_path / "ran"}"'
    subprocess.run(["cc", "-shared", "-fPIC", define, "-o", tmp_path / "foreign.so", tmp_path / "foreign.c"], check=True)
    refused(tmp_path / "foreign.so", "foreign.so' is not a compiled program: it has no symbol noria_module")
    assert not (tmp_path / "ran").exists()
    rng = np.random.default_rng(1)
    for size in (1, 63, 64, 4096):
        refused(write(rng.bytes(size)))
        refused(write(b"\x7fELF\x02\x01\x01" + rng.bytes(size)))


def test_headers_of_nonsense(load, write, library):
    """Every field of the headers at its extremes: refused, or of no meaning."""
    begin = struct.unpack_from("<Q", library, 32)[0]
    count = struct.unpack_from("<H", library, 56)[0]
    for at in [*range(16, 64, 2), *range(begin, begin + count * 56, 4)]:
        for value in (0, 1, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF):
            size = 8 if value > 0xFFFFFFFF else 4 if value > 0xFFFF else 2
            data = bytearray(library)
            data[at : at + size] = value.to_bytes(size, "little")
            said = load(write(data))
            assert said.startswith("refused:") or said == "loaded: 12", (at, value, said)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the CPUs that are named are of x86-64")
def test_code_for_another_cpu_is_refused(load, tmp_path):
    """No CPU has what both have: AMD's XOP and Intel's APX."""
    refused = 0
    for cpu in ("bdver4", "diamondrapids"):
        said = load(compile_text(tmp_path / f"{cpu}.so", f"--cpu={cpu}"))
        done = subprocess.run([TOOL, "run", TEXT, "--entry=gcd", "48", "180", f"--cpu={cpu}"], capture_output=True,
                              text=True)  # fmt: skip
        if said != "loaded: 12":
            assert f"{cpu}.so': the program was compiled for a CPU with " in said, said
            assert done.returncode == 1 and "compiled for a CPU with " in done.stderr, done
            refused += 1
    assert refused
    flags = next(line for line in open("/proc/cpuinfo") if line.startswith("flags")).split()
    for name, flag in dict(avx2="avx2", fma="fma", avx512f="avx512f", f16c="f16c", xop="xop", sse4a="sse4a",
                           avx512bf16="avx512_bf16", gfni="gfni", movbe="movbe").items():  # fmt: skip
        said = load(compile_text(tmp_path / f"{name}.so", "--cpu=x86-64", f"--features=+{name}"))
        assert (said == "loaded: 12") == (flag in flags), (name, said)
    assert load(compile_text(tmp_path / "old.so", "--cpu=x86-64")) == "loaded: 12"


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the features that are named are of x86-64")
def test_needs_are_shown(tmp_path):
    """As LLVM knows them, with what follows from them."""
    def needs(*options):
        path = compile_text(tmp_path / "needs.so", *options)
        return subprocess.run([TOOL, "show", path], capture_output=True, text=True).stdout.split("CPU\n")[1].split()

    assert needs("--cpu=x86-64") == "nothing more than its architecture".split()
    assert needs("--cpu=x86-64-v2") == ["sse3", "ssse3", "sse4.1", "sse4.2", "popcnt"]
    assert {"avx", "sse4.2"} <= set(needs("--cpu=x86-64", "--features=+avx")) and "avx2" not in needs("--cpu=sandybridge")


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the CPUs that are named are of x86-64")
def test_the_last_variant_that_can_run_is_used(load, tmp_path):
    """Whatever the order of the list is; code that no CPU can run is passed over."""
    def needs(cpus):
        path = compile_text(tmp_path / "several.so", f"--cpu={cpus}")
        assert load(path) == "loaded: 12"
        return subprocess.run([TOOL, "show", path], capture_output=True, text=True).stdout.split("CPU\n")[1].split("\n")

    nothing = "  nothing more than its architecture"
    v2 = "  sse3 ssse3 sse4.1 sse4.2 popcnt"
    assert needs("x86-64,x86-64-v2")[0] == v2
    assert needs("x86-64-v2,x86-64")[0] == nothing
    assert needs("x86-64,x86-64-v2,bdver4,diamondrapids")[0] in (v2, nothing) or "xop" in open("/proc/cpuinfo").read()
    path = compile_text(tmp_path / "none.so", "--cpu=bdver4,diamondrapids")
    assert "the program was compiled for a CPU with " in load(path)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the CPUs that are named are of x86-64")
def test_variants_are_for_their_cpus(tmp_path):
    """Vectors are as wide as in files for one CPU, and weights stand in the file once."""
    weights = numpy_helper.from_array(np.arange(1 << 18, dtype=np.float32).reshape(512, 512), "w")
    value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [512, 512]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "g", value[:1], value[1:], [weights])
    opset = [helper.make_opsetid("", 21)]
    (tmp_path / "m.onnx").write_bytes(helper.make_model(graph, ir_version=10, opset_imports=opset).SerializeToString())

    def compile_for(cpus, kind):
        path = tmp_path / f"m.{kind}"
        subprocess.run([TOOL, "compile", tmp_path / "m.onnx", "-o", path, f"--cpu={cpus}"], check=True)
        return path

    cpus = ("x86-64", "x86-64-v3", "x86-64-v4")
    wide = [compile_for(cpu, "s").read_text().count("zmm") for cpu in cpus]
    assert wide[:2] == [0, 0] and wide[2] > 0
    assert compile_for(",".join(cpus), "s").read_text().count("zmm") == wide[2]
    assert (1 << 20) < compile_for(",".join(cpus), "so").stat().st_size < 1.2 * (1 << 20)


def test_variants_share_constants(load, tmp_path):
    """Each variant reads its weights where the file has them once."""
    table = np.random.default_rng(1).integers(0, 1 << 40, 1 << 14)
    numbers = [helper.make_tensor_value_info(name, TensorProto.INT64, []) for name in "aby"]
    nodes = [helper.make_node("Gather", ["w", "a"], ["g"]), helper.make_node("Add", ["g", "b"], ["y"])]
    graph = helper.make_graph(nodes, "g", numbers[:2], numbers[2:], [numpy_helper.from_array(table, "w")])
    opset = [helper.make_opsetid("", 21)]
    (tmp_path / "m.onnx").write_bytes(helper.make_model(graph, ir_version=10, opset_imports=opset).SerializeToString())
    subprocess.run([TOOL, "compile", tmp_path / "m.onnx", "-o", tmp_path / "m.so", "--cpu=native,native"], check=True)
    assert load(tmp_path / "m.so") == f"loaded: {table[48] + 180}"
    assert (tmp_path / "m.so").stat().st_size < 1.5 * table.nbytes


def test_constants_are_covered(load, write, tmp_path):
    """A changed weight is noticed: the checksum reads all of a file of 8 MB."""
    weights = numpy_helper.from_array(np.arange(1 << 21, dtype=np.float32), "w")
    value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1 << 21]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"])], "g", value[:1], value[1:], [weights])
    opset = [helper.make_opsetid("", 21)]
    (tmp_path / "m.onnx").write_bytes(helper.make_model(graph, ir_version=10, opset_imports=opset).SerializeToString())
    subprocess.run([TOOL, "compile", tmp_path / "m.onnx", "-o", tmp_path / "m.so"], check=True)
    data = bytearray((tmp_path / "m.so").read_bytes())
    assert load(write(data)).startswith("loaded:")
    at = data.index(np.arange(1 << 20, (1 << 20) + 8, dtype=np.float32).tobytes())
    data[at] ^= 1
    assert "is damaged" in load(write(data))
