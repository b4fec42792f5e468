"""Libraries that `noria compile` made, opened by `noria run`, `bench`, `show` and noria.InferenceSession: the same results
as of the program that they were made of, and errors for files and options that do not fit."""
import os
import subprocess

import numpy as np
import pytest
from onnx import save
from onnx.parser import parse_model

import noria
from conftest import BUILD, ROOT

TOOL = str(BUILD / "noria")
TEXT = str(ROOT / "tests" / "tools" / "run.mlir")
F = np.float32

# Dims that only the run knows, several outputs, and a loop whose trips an input says.
MODEL = """g (float[N, 4] x, float[4, 3] w, int64 n) => (float[N, 3] y, int64[N] k, float[T, N, 3] ys) {
  z = MatMul(x, w)  k = ArgMax <axis = 1, keepdims = 0> (z)
  y, ys = Loop <body = b (int64 i, bool c, float[N, 3] a) => (bool c2, float[N, 3] a2, float[N, 3] s)
    { c2 = Identity(c)  a2 = Tanh(a)  s = Add(a2, z) }> (n, "", z) }"""

# Results that .npy files do not hold.
SEQUENCE = """g (seq(float[N]) s, string t) => (seq(float[N]) r, int64 n, string u) {
  n = SequenceLength(s)  x = SequenceAt(s, n0)  r = SequenceInsert(s, x)  u = Identity(t) }"""

FOREVER = """g (float x) => (float y) { y = Loop <body = b (int64 i, bool c, float a) => (bool c2, float a2)
  { c2 = Identity(c)  a2 = Add(a, x) }> ("", "", x) }"""

RANKS = """
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c = flow.channel.default : !flow.channel
  %s = flow.collective.all_reduce sum, f32, %x, %x, %c : (tensor<3xf32>, tensor<3xf32>, !flow.channel) -> %x as tensor<3xf32>
  return %s : tensor<3xf32>
}
"""


def run(*args, **more):
    return subprocess.run([TOOL, *map(str, args)], capture_output=True, text=True, timeout=120, **more)


def good(done):
    assert done.returncode == 0, done
    return done.stdout


def write_model(path, text):
    save(parse_model(f'<ir_version: 10, opset_import: ["": 21]>\n{text}'), str(path))
    return path


def compiled(program, out, *options):
    good(run("compile", program, "-o", out, *options))
    return out


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("compiled")


@pytest.fixture(scope="module")
def model(folder):
    """The paths of MODEL and of its library."""
    path = write_model(folder / "model.onnx", MODEL)
    return path, compiled(path, folder / "model.so")


@pytest.fixture(scope="module")
def gcd(folder):
    return compiled(TEXT, folder / "gcd.so", "--entry=gcd")


def feeds(rows, trips):
    rng = np.random.default_rng(rows)
    return dict(x=rng.standard_normal((rows, 4)).astype(F), w=rng.standard_normal((4, 3)).astype(F), n=np.int64(trips))


def expected(x, w, n):
    z = x @ w
    states = [z]
    for _ in range(n):
        states.append(np.tanh(states[-1]))
    ys = np.array([s + z for s in states[1:]], F).reshape(int(n), *z.shape)
    return states[-1], z.argmax(1), ys


# ---- results ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"intra_op_num_threads": 1, "time_limit": 60.0}])
def test_a_session_gives_what_the_model_gives(model, options):
    made = noria.SessionOptions()
    for name, value in options.items():
        setattr(made, name, value)
    of_model, of_library = (noria.InferenceSession(path, made) for path in model)
    for args in ("get_inputs", "get_outputs"):
        a, b = ([repr(arg) for arg in getattr(s, args)()] for s in (of_model, of_library))
        assert a == b and len(a) == 3
    assert of_library.get_inputs()[0].shape == ["N", 4]
    for rows, trips in (5, 3), (1, 0), (0, 2), (70, 1):
        given = feeds(rows, trips)
        got, same = of_library.run(None, given), of_model.run(None, given)
        for a, b, want in zip(got, same, expected(**given)):
            assert a.dtype == b.dtype and a.shape == b.shape == want.shape
            np.testing.assert_array_equal(a, b)
            np.testing.assert_allclose(a, want, atol=1e-5)
    k, = of_library.run(["k"], feeds(6, 1))
    np.testing.assert_array_equal(k, expected(**feeds(6, 1))[1])
    with pytest.raises(noria.Error, match="input 'x' has shape"):
        of_library.run(None, {**feeds(5, 1), "x": np.zeros((5, 5), F)})


def test_the_tool_runs_it_with_files(model, tmp_path):
    given = feeds(5, 3)
    args = []
    for name, value in given.items():
        np.save(tmp_path / f"{name}.npy", value)
        args += ["--input", f"{name}=@{tmp_path}/{name}.npy"]
    args += [f"--output={name}=@{tmp_path}/out-{name}.npy" for name in ("y", "ys")]
    out = good(run("run", model[1], *args, "--threads=1", "--time-limit=60", "--memory-limit=64M"))
    want = expected(**given)
    assert out == f"dense<{want[1].tolist()}> : tensor<5xi64>\n"
    np.testing.assert_allclose(np.load(tmp_path / "out-y.npy"), want[0], atol=1e-5)
    np.testing.assert_allclose(np.load(tmp_path / "out-ys.npy"), want[2], atol=1e-5)


def test_the_tool_prints_what_it_prints_of_the_model(model):
    args = ["random:6x4", "random", 2, "--seed=7"]
    assert good(run("run", model[0], *args)) == good(run("run", model[1], *args))


def test_sequences_and_strings(folder):
    path = write_model(folder / "seq.onnx", SEQUENCE.replace("n0", "i").replace("string t)", "string t, int64 i)", 1))
    library = compiled(path, folder / "seq.so")
    args = ["[[1], [2, 3]]", '"a b"', 1]
    out = good(run("run", library, *args))
    assert out == good(run("run", path, *args)) and '"a b"' in out and "dense<2> : tensor<i64>" in out
    given = dict(s=[np.array([1], F), np.array([2, 3], F)], t=np.array("a b", object), i=np.int64(1))
    r, n, u = noria.InferenceSession(library).run(None, given)
    assert [a.tolist() for a in r] == [[1], [2, 3], [2, 3]] and n == 2 and u == "a b"


def test_scalars_of_text_are_tensors(gcd):
    assert good(run("run", gcd, 48, 180)) == "dense<12> : tensor<i64>\n"
    session = noria.InferenceSession(str(gcd))
    assert session.run(None, dict(zip([i.name for i in session.get_inputs()], np.int64([48, 180]))))[0] == 12


def test_its_name_does_not_matter(gcd, folder):
    """In the current folder too, where the loader of the system would look elsewhere."""
    for name in "plain", "gcd.so.1", "gcd.bin":
        (folder / name).write_bytes(gcd.read_bytes())
        assert good(run("run", name, 48, 180, cwd=folder)) == "dense<12> : tensor<i64>\n"
        assert "compiled program" in good(run("show", folder / name))


def test_ranks(folder, tmp_path):
    (folder / "ranks.mlir").write_text(RANKS)
    library = compiled(folder / "ranks.mlir", folder / "ranks.so")
    parts = [F([1, 2, 3]), F([10, 20, 30])]
    for r, part in enumerate(parts):
        np.save(tmp_path / f"x{r}.npy", part)
    out = good(run("run", library, "--ranks=2", "--check-collectives", f"@{tmp_path}/x%r.npy", f"--output=@{tmp_path}/y%r.npy"))
    assert out == ""
    results = noria.InferenceSession(library).run_ranks(None, [{"x": part} for part in parts], check=True)
    for r in range(2):
        np.testing.assert_array_equal(np.load(tmp_path / f"y{r}.npy"), sum(parts))
        np.testing.assert_array_equal(results[r][0], sum(parts))
    assert good(run("run", library, "--channel=none", "[1, 2, 3]")).count("3.0") == 1


@pytest.mark.parametrize("kind", ["safetensors", "onnx"])
def test_parameters(kind, folder, tmp_path):
    """From a safetensors file that `noria compile` wrote, and from a model's initializers."""
    w = np.arange(12, dtype=F).reshape(4, 3)
    text = f"g (float[N, 4] x) => (float[N, 3] y) <float[4, 3] w = {{{', '.join(map(str, w.ravel()))}}}> {{ y = MatMul(x, w) }}"
    source = write_model(tmp_path / "w.onnx", text)
    if kind == "onnx":
        weights, program = f"model={source}", tmp_path / "w.mlir"
        program.write_text("""func.func @main() -> tensor<4x3xf32> {
  %w = flow.tensor.constant #flow.parameter.named<"model"::"w"> : tensor<4x3xf32>
  return %w : tensor<4x3xf32>
}""")
        library, given, want = compiled(program, tmp_path / "w.so"), {}, w
    else:
        weights, given = tmp_path / "w.safetensors", {"x": np.eye(4, dtype=F)}
        library = compiled(source, tmp_path / "w.so", f"--outline-parameters={weights}", "--outline-min=1")
        want = w
    options = noria.SessionOptions()
    options.parameters = [str(weights)]
    np.testing.assert_array_equal(noria.InferenceSession(library, options).run(None, given)[0], want)
    for name, value in given.items():
        np.save(tmp_path / f"{name}.npy", value)
    args = [f"@{tmp_path}/{name}.npy" for name in given]
    good(run("run", library, *args, f"--parameters={weights}", f"--output=@{tmp_path}/y.npy"))
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), want)
    done = run("run", library, *args)
    assert done.returncode == 1 and "is in none of the parameter files" in done.stderr


def test_libraries_of_functions(tmp_path):
    (tmp_path / "half.c").write_text("""#include <noria/exec_abi.h>
int32_t half(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  float *x = results[0].data; /* x == args[0].data */
  for (int64_t i = 0; i < results[0].dims[0]; i++) x[i] /= 2;
  return 0;
}
""")
    (tmp_path / "half.mlir").write_text("""flow.func private @half(%x: tensor<3xf32>) -> %x
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = flow.call @half(%x) : (tensor<3xf32>) -> %x
  return %y : tensor<3xf32>
}
""")
    functions = tmp_path / "libhalf.so"
    subprocess.run(["cc", "-shared", "-fPIC", f"-I{ROOT}/include", "-o", functions, tmp_path / "half.c"], check=True)
    library = compiled(tmp_path / "half.mlir", tmp_path / "half.so")
    np.save(tmp_path / "x.npy", F([2, 3, 8]))
    good(run("run", library, f"--library={functions}", f"@{tmp_path}/x.npy", f"--output=@{tmp_path}/y.npy"))
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), F([1, 1.5, 4]))
    options = noria.SessionOptions()
    options.libraries = [functions]
    np.testing.assert_array_equal(noria.InferenceSession(library, options).run(None, {"x": F([2, 3, 8])})[0], F([1, 1.5, 4]))
    done = run("run", library, f"@{tmp_path}/x.npy")
    assert done.returncode == 1 and "'half'" in done.stderr


def test_limits_stop_it(folder):
    library = compiled(write_model(folder / "forever.onnx", FOREVER), folder / "forever.so")
    done = run("run", library, 1, "--iteration-limit=1000")
    assert done.returncode == 1 and "iteration limit of 1000" in done.stderr, done
    options = noria.SessionOptions()
    options.iteration_limit = 1000
    with pytest.raises(noria.Error, match="iteration limit of 1000"):
        noria.InferenceSession(library, options).run(None, {"x": F(1)})


def test_bench(gcd):
    out = good(run("bench", gcd, 48, 180, "--seconds=0.01"))
    assert [line.split()[0] for line in out.splitlines()] == ["load", "first", "run", "memory"]
    assert "load" in run("run", gcd, 48, 180, "--time").stderr


# ---- errors ----------------------------------------------------------------------------------------------------------

OPTIONS = ["--check-stages", "--check-passes", "--interpret", "--stop-after=cf", "--print-after=cse", "--explain-fusion",
           "--shape=N=5", "--cpu=native", "--features=+avx2", "-O=1", "--entry=gcd", "--sanitize=address", "--check-bounds", "--check",
           "--shard=batch"]  # fmt: skip


@pytest.mark.parametrize("option", OPTIONS)
def test_options_of_compiling_are_errors(gcd, option):
    flag = option if option.startswith("--explain") else option.split("=")[0]
    for tool in ("run",) if "check-stages" in option or "check-passes" in option else ("run", "bench"):
        done = run(tool, gcd, 48, 180, option)
        assert done.returncode == 2 and not done.stdout
        assert done.stderr.splitlines()[0] == (f"noria {tool}: '{gcd}' is compiled already: {flag} is an option of "
                                               "compiling")


@pytest.mark.parametrize("name, value", [("shapes", ["N=5"]), ("interpret_after", "tensor"), ("sanitize", "address"),
                                         ("shard", "batch")])  # fmt: skip
def test_options_of_a_session_that_compile_are_errors(gcd, name, value):
    options = noria.SessionOptions()
    setattr(options, name, value)
    with pytest.raises(noria.Error, match=f"gcd.so' is compiled already: {name} is an option of compiling$"):
        noria.InferenceSession(gcd, options)


def refused(path, words):
    """By all that open it, with one line."""
    done = run("run", path, 48, 180)
    assert done.returncode == 1 and not done.stdout and done.stderr.count("\n") == 1 and words in done.stderr, done
    with pytest.raises(noria.Error) as error:
        noria.InferenceSession(path)
    assert words in str(error.value) and "\n" not in str(error.value)


def test_wrong_files(gcd, tmp_path):
    data = bytearray(gcd.read_bytes())

    def file(name, content):
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    for name in "cut.so", "cut":
        refused(file(name, data[: len(data) // 2]), f"{name}' is truncated")
        refused(file(name, data[:3]), f"{name}' is truncated")
    refused(file("empty.so", b""), "is empty")
    refused(file("text.so", b"func.func @f() { return }"), "is no shared library")
    refused(tmp_path / "none.so", "none.so' cannot be opened: No such file")
    data[data.index(b"result0\0")] ^= 1  # the name of its output
    refused(file("damaged", data), "is damaged")
    refused(compiled(TEXT, tmp_path / "gcd.o", "--entry=gcd"), "is an object file")


def test_foreign_libraries(tmp_path):
    """Their code does not run: it would leave a file."""
    source = tmp_path / "foreign.c"
    source.write_text('#include <stdio.h>\n__attribute__((constructor)) static void run(void) { fopen(FILE_NAME, "w"); }\n')
    for name in "foreign.so", "foreign":
        subprocess.run(["cc", "-shared", "-fPIC", f'-DFILE_NAME="{tmp_path}/ran"', "-o", tmp_path / name, source], check=True)
        refused(tmp_path / name, "is not a compiled program: it has no symbol noria_module")
    assert not (tmp_path / "ran").exists()


def test_another_abi_version(tmp_path):
    (tmp_path / "m.c").write_text("#include <noria/exec_abi.h>\n"
                                  "const NoriaModule noria_module = {.abi_version = NORIA_ABI_VERSION + 1, .name = \"m\"};\n")
    subprocess.run(["cc", "-shared", "-fPIC", f"-I{ROOT}/include", "-o", tmp_path / "m.so", tmp_path / "m.c"], check=True)
    refused(tmp_path / "m.so", "ABI version")


def test_what_is_said_to_be_a_model_is_not_loaded(gcd, tmp_path):
    """A program that reads models of others shall not run their code: neither by path nor as bytes."""
    for name in "g.onnx", "g.mlir":
        (tmp_path / name).write_bytes(gcd.read_bytes())
        refused(tmp_path / name, "this is compiled code, which is not compiled again")
    for option in "--format=onnx", "--format=mlir":
        done = run("run", gcd, 48, 180, option)
        assert done.returncode == 1 and "this is compiled code" in done.stderr
    with pytest.raises(noria.Error, match="this is compiled code"):
        noria.InferenceSession(gcd.read_bytes())
    done = subprocess.run([TOOL, "run", "-", "48", "180"], input=gcd.read_bytes(), capture_output=True)
    assert done.returncode == 1 and b"this is compiled code" in done.stderr
    done = run("compile", gcd, "-o", tmp_path / "again.so")
    assert done.returncode == 1 and "this is compiled code" in done.stderr and not os.path.exists(tmp_path / "again.so")
