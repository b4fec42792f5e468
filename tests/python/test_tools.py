"""`noria run`, `compile`, `show` and `bench` on ONNX models. Their text side is in tests/tools."""
import os
import pty
import re
import subprocess

import ml_dtypes
import numpy as np
import pytest
from onnx import save
from onnx.parser import parse_model

from conftest import BUILD, ROOT

F = np.float32

# A loop with a carried value and a scan output.
LOOP = """loop (int64 n, float x) => (float y, float[T] ys) {
  y, ys = Loop <body = b (int64 i, bool c, float a) => (bool c2, float a2, float s)
    { c2 = Identity(c)  a2 = Add(a, x)  s = Identity(a2) }> (n, "", x)
}"""

# Rows of tanh(x w), and which column is the largest.
LAYER = """layer (float[N, 4] x, float[4, 3] w) => (float[N, 3] y, int64[N] k) {
  z = MatMul(x, w)  y = Tanh(z)  k = ArgMax <axis = 1, keepdims = 0> (y)
}"""

# Never ends by itself.
FOREVER = """g (float x) => (float y) { y = Loop <body = b (int64 i, bool c, float a) => (bool c2, float a2)
  { c2 = Identity(c)  a2 = Add(a, x) }> ("", "", x) }"""


@pytest.fixture
def model(tmp_path):
    """Writes a model of ONNX's text form to a file, and gives its path."""

    def write(text, name="model.onnx"):
        path = tmp_path / name
        save(parse_model(f'<ir_version: 10, opset_import: ["": 21]>\n{text}'), str(path))
        return path

    return write


@pytest.fixture
def layer(model, tmp_path):
    """The path of LAYER, with the files x.npy and w.npy beside it, and what it gives."""
    rng = np.random.default_rng(3)
    x, w = rng.standard_normal((5, 4)).astype(F), rng.standard_normal((4, 3)).astype(F)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "w.npy", w)
    y = np.tanh(x @ w)
    return model(LAYER, "layer.onnx"), y, y.argmax(1)


def good(done):
    assert done.returncode == 0, done.stderr
    return done.stdout


# ---- run -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [[], ["--interpret"], ["--check-stages"], ["--check-passes"], ["--threads=1", "-O=1"]])
def test_run_files_in_and_out(noria_tool, layer, tmp_path, how):
    path, y, k = layer
    done = noria_tool("run", path, "--input", f"x=@{tmp_path}/x.npy", "--input", f"w=@{tmp_path}/w.npy",
                      "--output", f"y=@{tmp_path}/y.npy", f"--output=k=@{tmp_path}/k.npy", *how)
    assert good(done) == ""
    got_y, got_k = np.load(tmp_path / "y.npy"), np.load(tmp_path / "k.npy")
    assert got_y.dtype == y.dtype and got_k.dtype == k.dtype
    np.testing.assert_allclose(got_y, y, atol=1e-6)
    np.testing.assert_array_equal(got_k, k)


def test_run_prints_what_is_not_saved(noria_tool, layer, tmp_path):
    path, y, k = layer
    done = noria_tool("run", path, f"@{tmp_path}/x.npy", f"@{tmp_path}/w.npy", "--output", f"y=@{tmp_path}/y.npy")
    assert good(done) == f"dense<{k.tolist()}> : tensor<5xi64>\n"
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), y, atol=1e-6)


@pytest.mark.parametrize("args", [["3", "1.5"], ["--input", "x=1.5", "--input=n=3"], ["3", "--input", "x=1.5"],
                                  ["dense<3> : tensor<i64>", "dense<1.5> : tensor<f32>"]])
def test_run_values_as_text(noria_tool, model, args):
    out = good(noria_tool("run", model(LOOP), *args))
    assert out.splitlines() == ["dense<6.000000e+00> : tensor<f32>",
                                "dense<[3.000000e+00, 4.500000e+00, 6.000000e+00]> : tensor<3xf32>"]


def test_run_made_up_values(noria_tool, layer):
    first, again, other = (good(noria_tool("run", layer[0], "random:6x4xf32", "ones", f"--seed={seed}"))
                           for seed in (7, 7, 8))
    assert first == again != other and "tensor<6x3xf32>" in first
    assert "dense<0> : tensor<2xi64>" in good(noria_tool("run", layer[0], "zeros:2x4", "random"))


STRINGS = "g (string[N] s, string t) => (string[N] u, string v) { u = Identity(s)  v = Identity(t) }"


@pytest.mark.parametrize(
    "s, t, out",
    [
        ('["a", "b c"]', "word", ['dense<["a", "b c"]> : tensor<2x!onnx.string>', 'dense<"word"> : tensor<!onnx.string>']),
        ("[]", "[x", None),
        ("[]", '"[x"', ["dense<> : tensor<0x!onnx.string>", 'dense<"[x"> : tensor<!onnx.string>']),
        (r'[ "\"q\", ]\\" ]', "", [r'dense<"\22q\22, ]\\"> : tensor<1x!onnx.string>', 'dense<""> : tensor<!onnx.string>']),
        ('dense<["a", "é"]> : tensor<2x!onnx.string>', '"é"',
         [r'dense<["a", "\C3\A9"]> : tensor<2x!onnx.string>', r'dense<"\C3\A9"> : tensor<!onnx.string>']),
        ('dense<"a"> : tensor<2x!onnx.string>', "a", ['dense<["a", "a"]> : tensor<2x!onnx.string>', None]),
        ("[a]", "a", None),
        ('["a" "b"]', "a", None),
        ('["a', "a", None),
        (r'["\q"]', "a", None),
        ("random", "a", None),
    ],
)  # fmt: skip
def test_run_strings(noria_tool, model, s, t, out):
    done = noria_tool("run", model(STRINGS), "--input", f"s={s}", "--input", f"t={t}")
    if out is None:
        assert done.returncode == 1 and not done.stdout and re.match("noria run: input '[st]': ", done.stderr), done
        return
    lines = good(done).splitlines()
    assert [a for a, b in zip(lines, out) if b] == [b for b in out if b]
    assert good(noria_tool("run", model(STRINGS), *lines)).splitlines() == lines


def test_run_strings_of_files(noria_tool, model, tmp_path):
    np.save(tmp_path / "s.npy", np.array(["a", "bé", ""]))
    args = f"@{tmp_path}/s.npy", "x", "--output", f"u=@{tmp_path}/u.npy"
    assert good(noria_tool("run", model(STRINGS), *args)) == 'dense<"x"> : tensor<!onnx.string>\n'
    assert np.load(tmp_path / "u.npy").tolist() == ["a", "bé", ""]


SEQUENCE = """g (seq(float[N]) s, int64 i) => (float[N] x, int64 n, seq(float[N]) r) {
  x = SequenceAt(s, i)  n = SequenceLength(s)  r = SequenceInsert(s, x) }"""


@pytest.mark.parametrize("how", [[], ["--interpret"], ["--check-stages"]])
def test_run_sequences(noria_tool, model, tmp_path, how):
    np.save(tmp_path / "x.npy", np.array([3, 4], F))
    path, text = model(SEQUENCE), f"[ [1], @{tmp_path}/x.npy , dense<[5., 6.]> : tensor<2xf32>,zeros:2]"
    lines = good(noria_tool("run", path, text, 1, *how)).splitlines()
    two, one = "dense<[3.000000e+00, 4.000000e+00]> : tensor<2xf32>", "dense<1.000000e+00> : tensor<1xf32>"
    rest = "dense<[5.000000e+00, 6.000000e+00]> : tensor<2xf32>, dense<0.000000e+00> : tensor<2xf32>"
    assert lines == [two, "dense<4> : tensor<i64>", f"[{one}, {two}, {rest}, {two}]"]
    assert good(noria_tool("run", path, lines[2], 1, *how)).splitlines()[2] == f"[{one}, {two}, {rest}, {two}, {two}]"


@pytest.mark.parametrize("text, words", [
    ("[]", "position 0 is out of range"), ("[[[1]]]", "rank 2"), ("[1]", "rank 0"), ("1", "is no list"),
    ("[[1]", "a ] is missing"), ("[[1],]", "a value is missing"), ("[,[1]]", "a value is missing"),
    ("[[1]] x", "goes on behind"), ("[[a]]", "not a value of type float32"), ("[@no.npy]", "no.npy"),
    ('["]', "a ] is missing"), ("[dense<1> : tensor<1xi64>]", "float32"), ("random", "is no list")])  # fmt: skip
def test_run_wrong_sequences(noria_tool, model, text, words):
    done = noria_tool("run", model(SEQUENCE), text, 0)
    assert done.returncode == 1 and not done.stdout and words in done.stderr
    assert re.match("noria run: (input 's'|node 'x')", done.stderr)


OPTIONAL = "g (optional({}) s) => (bool has, optional({}) r) {{ has = OptionalHasElement(s)  r = Identity(s) }}"


@pytest.mark.parametrize("item, text, out", [
    ("float[N]", "none", "none"), ("float[N]", "[1]", "dense<1.000000e+00> : tensor<1xf32>"),
    ("seq(float[N])", "none", "none"), ("seq(float[N])", "[]", "[]"),
    ("seq(float[N])", "[[1]]", "[dense<1.000000e+00> : tensor<1xf32>]"),
    ("string", "none", "none"), ("string", '"none"', 'dense<"none"> : tensor<!onnx.string>')])  # fmt: skip
def test_run_optionals(noria_tool, model, item, text, out):
    path = model(OPTIONAL.format(item, item))
    for how in [], ["--interpret"]:
        lines = good(noria_tool("run", path, text, *how)).splitlines()
        assert lines == [f"dense<{'false' if text == 'none' else 'true'}> : tensor<i1>", out]


def test_sequences_are_not_saved(noria_tool, model, tmp_path):
    for path, kind, args in ((model(SEQUENCE), "a sequence", ["[[1]]", 0]),
                             (model(OPTIONAL.format("float", "float"), "o.onnx"), "an optional", ["none"])):
        done = noria_tool("run", path, *args, "--output", f"r=@{tmp_path}/r.npy")
        assert done.returncode == 1 and f"output 'r' is {kind}" in done.stderr and not (tmp_path / "r.npy").exists()


def test_run_fixes_symbols(noria_tool, layer, tmp_path):
    files = [f"@{tmp_path}/x.npy", f"@{tmp_path}/w.npy"]
    assert "tensor<5xi64>" in good(noria_tool("run", layer[0], *files, "--shape", "N=5"))
    done = noria_tool("run", layer[0], *files, "--shape", "N=6")
    assert done.returncode == 1 and "input 'x' has shape [6, 4], but the value has shape [5, 4]" in done.stderr


def test_run_a_model_from_standard_input(layer):
    done = subprocess.run([BUILD / "noria", "run", "-", "--format=onnx", "zeros:2x4", "zeros"],
                          input=layer[0].read_bytes(), capture_output=True)
    assert done.returncode == 0 and b"dense<0> : tensor<2xi64>" in done.stdout, done.stderr


def test_check_stages_names_each_stage(noria_tool, model):
    done = noria_tool("run", model(LOOP), 3, 1.5, "--check-stages")
    assert "tensor<3xf32>" in good(done)
    lines = [re.sub(r" +([\d.]+ ms)? +", " ", line, count=1) for line in done.stderr.splitlines()]
    assert lines[:3] == ["import not run: ONNX nodes are not lowered yet",
                         "shape not run: ONNX nodes are not lowered yet", "tensor the reference"]
    assert lines[3:-1] == [f"{s} same" for s in ("loop", "flow", "buffer", "kernel", "cf", "expand", "compiled")]
    assert lines[-1] == "all 7 outcomes are that of 'tensor'"


def test_check_stages_of_a_run_that_fails(noria_tool, model):
    path = model("g (int64 a, int64 b) => (int64 c) { [the_op] c = Div(a, b) }")
    done = noria_tool("run", path, 7, 0, "--check-stages")
    assert done.returncode == 1 and not done.stdout and "the_op" in done.stderr.splitlines()[-1]
    assert "another result" not in done.stderr and "same" not in done.stderr
    lines = [re.sub(r" +([\d.]+ ms)? +", " ", line, count=1) for line in done.stderr.splitlines()]
    message = lines[-1].removeprefix("noria run: ")
    assert "division by zero" in message
    assert lines[2:-2] == [f"{s} failed: {message}"
                           for s in ("tensor", "loop", "flow", "buffer", "kernel", "cf", "expand", "compiled")]
    assert lines[-2] == "all 8 runs failed"


# The interpreter finds what machine code does not look for: then the two differ, whichever is the first.
def test_check_stages_of_a_run_that_fails_in_some(noria_tool, tmp_path):
    path = tmp_path / "shift.mlir"
    path.write_text("func.func @f(%x: i32, %n: i32) -> i32 {\n  %r = arith.shli %x, %n : i32\n  return %r : i32\n}\n")
    done = noria_tool("run", path, 1, 40, "--check-stages")
    assert done.returncode == 1 and not done.stdout
    assert "failed: " in done.stderr and "does not fail: " in done.stderr.splitlines()[-1]
    assert "stage 'compiled' gives another result than 'import'" in done.stderr
    assert good(noria_tool("run", path, 1, 4, "--check-stages")) == "16 : i32\n"


# The text after a stage is a program too. An entry of it is chosen by name, and what the others are does not matter.
def test_run_entries_of_what_a_stage_gave(noria_tool, model, tmp_path):
    texts = []
    for name, text in ("first", LOOP), ("second", "g (float x) => (float y) { y = Neg(x) }"):
        path = model(text, f"{name}.onnx")
        out = good(noria_tool("run", path, "--stop-after=tensor"))
        texts.append(out.replace("@main", f"@{name}").replace("noria.entry, ", ""))
    body = "".join(t.removeprefix("module {\n").rstrip().removesuffix("}") if t.startswith("module {") else t
                   for t in texts)
    (tmp_path / "both.mlir").write_text(body)
    both = tmp_path / "both.mlir"
    assert good(noria_tool("run", both, "--entry=second", 2)) == "dense<-2.000000e+00> : tensor<f32>\n"
    assert good(noria_tool("run", both, "--entry=first", 1, 2)).startswith("dense<4.000000e+00> : tensor<f32>\n")
    done = noria_tool("run", both, 1)
    assert done.returncode == 1 and "@first" in done.stderr and "@second" in done.stderr
    done = noria_tool("run", model(LOOP), "--entry=first", 1, 2)
    assert done.returncode == 1 and "there is no function 'first'" in done.stderr


def test_run_leaves_no_file_behind_an_error(noria_tool, layer, tmp_path):
    out = tmp_path / "out.npy"
    for args in ["@nothing.npy"], ["@x.npy", "@x.npy"], ["zeros:2x4", "zeros", "--output", f"z=@{out}"]:
        done = noria_tool("run", layer[0], *args, "--output", f"y=@{out}")
        assert done.returncode == 1 and done.stderr.startswith("noria run: ") and not done.stdout and not out.exists()


def test_time_says_where_it_went(noria_tool, layer):
    done = noria_tool("run", layer[0], "zeros:2x4", "zeros", "--time")
    assert good(done)
    assert [line.split()[0] for line in done.stderr.splitlines()] == ["read", "lower", "code", "run"]


# ---- the progress line -----------------------------------------------------------------------------------------------


def on_terminal(*args):
    """Runs the tool with standard error on a terminal. Its exit code, its output, and what the terminal got."""
    try:
        master, slave = pty.openpty()
    except OSError:
        pytest.skip("this system has no pseudo-terminals")
    process = subprocess.Popen([BUILD / "noria", *map(str, args)], stdout=subprocess.PIPE, stderr=slave)
    os.close(slave)
    got = b""
    while True:
        try:
            piece = os.read(master, 4096)
        except OSError:  # the last writer is gone
            break
        if not piece:
            break
        got += piece
    os.close(master)
    out = process.communicate(timeout=60)[0]
    return process.returncode, out.decode(), got.decode()


def test_progress_on_a_terminal(model):
    path = model(FOREVER)
    code, out, terminal = on_terminal("run", path, 1, "--time-limit=1.7")
    assert code == 1 and not out
    begin, line, error = terminal.partition("noria run: ")
    assert line and "time limit" in error
    # Each step writes over the one before; the last thing is to erase it.
    steps = begin.split("\r\x1b[K")
    assert steps[0] == "" and steps[-1] == "" and len(steps) >= 4
    times = [re.fullmatch(rf"running {re.escape(str(path))} \.\.\. ([0-9.]+) s", s) for s in steps[1:-1]]
    assert all(times), steps
    seconds = [float(t[1]) for t in times]
    assert 1 <= seconds[0] < seconds[-1] and seconds == sorted(seconds)


def test_no_progress_line_before_a_second(model):
    assert on_terminal("run", model(LOOP), 3, 1.5)[2] == ""
    code, _, terminal = on_terminal("run", model(FOREVER), 1, "--time-limit=0.2")
    assert code == 1 and terminal.startswith("noria run: ") and "\x1b" not in terminal


def test_no_progress_line_elsewhere(noria_tool, model):
    done = noria_tool("run", model(FOREVER), 1, "--time-limit=1.4")
    assert done.returncode == 1 and done.stderr.startswith("noria run: ") and "\x1b" not in done.stderr


# ---- compile ---------------------------------------------------------------------------------------------------------

# Runs a compiled program on .npy files: `program x.npy w.npy y.npy k.npy`. Built with the module, or with LIBRARY.
PROGRAM = r"""
#include "layer.h"
#include <noria/runtime.h>
#include <stdio.h>

int main(int argc, char **argv) {
  NoriaProgram *program = NULL;
  NoriaValue *inputs[LAYER_NUM_INPUTS] = {0}, *outputs[LAYER_NUM_OUTPUTS] = {0};
  NoriaError error = NORIA_ERROR_INIT;
  if (argc != 1 + LAYER_NUM_INPUTS + LAYER_NUM_OUTPUTS) return 2;
#ifdef LIBRARY
  NoriaStatus status = noria_program_load(LIBRARY, NULL, &program, &error);
#else
  NoriaStatus status = noria_program_create(&noria_module, NULL, &program, &error);
#endif
  for (int i = 0; i < LAYER_NUM_INPUTS && !status; i++) status = noria_npy_read(argv[1 + i], &inputs[i], &error);
  if (!status)
    status = noria_program_run(program, (const NoriaValue *const *)inputs, LAYER_NUM_INPUTS, outputs,
                               LAYER_NUM_OUTPUTS, NULL, &error);
  for (int i = 0; i < LAYER_NUM_OUTPUTS && !status; i++)
    status = noria_npy_write(argv[1 + LAYER_NUM_INPUTS + i], outputs[i], &error);
  if (status) fprintf(stderr, "%s\n", error.message);
  for (int i = 0; i < LAYER_NUM_INPUTS; i++) noria_value_release(inputs[i]);
  for (int i = 0; i < LAYER_NUM_OUTPUTS; i++) noria_value_release(outputs[i]);
  noria_program_destroy(program);
  noria_error_clear(&error);
  return status ? 1 : 0;
}
"""


def build(folder, *args):
    command = ["clang-22", "-std=c17", "-Wall", "-Wextra", "-Werror", "-Wno-override-module", f"-I{ROOT / 'include'}",
               f"-I{folder}", folder / "main.c", *args, "-o", folder / "program", f"-L{BUILD}", "-lnoria_runtime",
               f"-Wl,-rpath,{BUILD}", "-lm"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("kind", ["so", "o", "ll", "s"])
def test_compiled_model_in_a_c_program(noria_tool, layer, tmp_path, kind):
    path, y, k = layer
    module = tmp_path / f"layer.{kind}"
    assert good(noria_tool("compile", path, "-o", module, "--header", tmp_path / "layer.h")) == ""
    (tmp_path / "main.c").write_text(PROGRAM)
    build(tmp_path, f'-DLIBRARY="{module}"' if kind == "so" else module)
    files = [tmp_path / f"{name}.npy" for name in ("x", "w", "y", "k")]
    done = subprocess.run([tmp_path / "program", *files], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    np.testing.assert_allclose(np.load(files[2]), y, atol=1e-6)
    np.testing.assert_array_equal(np.load(files[3]), k)
    np.save(files[0], np.zeros((5, 3), F))
    done = subprocess.run([tmp_path / "program", *files], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "input 'x' has shape [N, 4], but the value has shape [5, 3]" in done.stderr


def test_header_tells_inputs_and_outputs(noria_tool, layer, tmp_path):
    good(noria_tool("compile", layer[0], "-o", tmp_path / "layer.o", "--header", tmp_path / "layer.h"))
    header = (tmp_path / "layer.h").read_text()
    for line in " *   0  x: float[N][4]", " *   1  w: float[4][3]", " *   0  y: float[N][3]", " *   1  k: int64_t[N]":
        assert line + "\n" in header
    for language in "c", "c++":
        command = ["clang-22", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}", "-x", language]
        done = subprocess.run([*command, "-"], input='#include "layer.h"\n#include "layer.h"\nint f(void);\n', text=True,
                              capture_output=True, cwd=tmp_path, env=os.environ | {"CPATH": str(tmp_path)})
        assert done.returncode == 0, done.stderr


# Names that C knows nothing of, in comments that they must not end.
def test_header_of_odd_names(noria_tool, model, tmp_path):
    text = 'f (float[N] a, float[N] b) => (float[N] c) { c = Add(a, b) }'
    loaded = parse_model(f'<ir_version: 10, opset_import: ["": 21]>\n{text}')
    loaded.graph.name = "7 of */ them"
    for old, new in ("a", "*/ int x;"), ("b", "ü\n"), ("c", "c.0:1"):
        for value in [*loaded.graph.input, *loaded.graph.output]:
            value.name = new if value.name == old else value.name
        for names in loaded.graph.node[0].input, loaded.graph.node[0].output:
            names[:] = [new if n == old else n for n in names]
    save(loaded, str(tmp_path / "odd.onnx"))
    good(noria_tool("compile", tmp_path / "odd.onnx", "-o", tmp_path / "odd.o", "--header", tmp_path / "odd.h"))
    done = subprocess.run(["clang-22", "-fsyntax-only", "-Werror", f"-I{ROOT / 'include'}", tmp_path / "odd.h"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# ---- show ------------------------------------------------------------------------------------------------------------


def test_show_a_model(noria_tool, model):
    text = """shown (float[N, 4] x, seq(float[M]) s, optional(int64[2]) o) => (float[N, K] y, float t)
      <float[4, 8] weight> {
        a = MatMul(x, weight)  b = Fuse(a)  c = other.Twist(b)
        y = If <then_branch = th () => (float[N, 8] p) { p = Identity(a) },
                else_branch = el () => (float[N, 8] q) { q = Identity(a) }> (c)
        t = acme.Twice(x) }"""
    path = model(text).with_name("shown.onnx")
    loaded = parse_model(f"""<ir_version: 10, opset_import: ["": 21, "acme": 3, "other": 1], producer_name: "a maker",
      producer_version: "1.2">\n{text.replace("<float[4, 8] weight>", "<float[4, 8] weight = {" + "1, " * 31 + "1}>")}
      <domain: "acme", opset_import: ["": 21]> Twice (v) => (w) {{ w = Add(v, v) }}""")
    save(loaded, str(path))
    lines = [line.rstrip() for line in good(noria_tool("show", path)).splitlines()]
    assert lines[0] == f"{path}: ONNX model 'shown', IR version 10, by a maker 1.2"
    words = [" ".join(line.split()) for line in lines]
    for line in ("ai.onnx 21", "acme 3", "x float32[N, 4]", "s sequence of float32[M]", "o optional int64[2]",
                 "y float32[N, K]", "t float32[]", "1 tensors, 128 bytes", "8, subgraphs nested 1 deep",
                 "2 Identity", "1 If", "1 Add", "1 Fuse (not known)", "1 other.Twist (not known)",
                 "1 acme.Twice (a function of the model)"):
        assert line in words, f"no {line!r} in {words}"


def test_show_a_compiled_model(noria_tool, layer, tmp_path):
    good(noria_tool("compile", layer[0], "-o", tmp_path / "layer.so"))
    words = [" ".join(line.split()) for line in good(noria_tool("show", tmp_path / "layer.so")).splitlines()]
    assert words[0] == f"{tmp_path}/layer.so: compiled program 'layer', ABI version 8"
    for line in "x float32[N, 4]", "w float32[4, 3]", "y float32[N, 3]", "k int64[N]":
        assert line in words


def test_show_a_compiled_model_of_sequences(noria_tool, model, tmp_path):
    path = model(OPTIONAL.format("seq(float[N])", "seq(float[N])"))
    good(noria_tool("compile", path, "-o", tmp_path / "o.so", "--header", tmp_path / "o.h"))
    assert "r optional sequence of float32" in " ".join(good(noria_tool("show", tmp_path / "o.so")).split())
    assert " *   1  r: optional sequence of float\n" in (tmp_path / "o.h").read_text()


@pytest.mark.parametrize("data", [b"", b"\x08", b"no model at all", bytes(100)])
def test_show_what_is_no_model(noria_tool, tmp_path, data):
    (tmp_path / "bad.onnx").write_bytes(data)
    (tmp_path / "bad.so").write_bytes(data)
    for name in "bad.onnx", "bad.so":
        done = noria_tool("show", tmp_path / name)
        assert done.returncode == 1 and done.stderr.startswith("noria show: ") and not done.stdout


# ---- bench -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [[], ["--interpret"], ["--threads=1"], ["--shape", "N=7"]])
def test_bench_a_model(noria_tool, layer, how):
    out = good(noria_tool("bench", layer[0], "--seconds=0.02", *how))
    assert [line.split()[0] for line in out.splitlines()] == ["compile", "first", "run", "memory"]
    assert ("LLVM" in out) == ("--interpret" not in how)


def test_bench_ranks(noria_tool, tmp_path):
    """Each rank has its own inputs where their text names it. Processes are refused."""
    path = tmp_path / "who.mlir"
    path.write_text("""func.func @main(%n: i64) {
      %c = flow.channel.default : !flow.channel
      %r = flow.channel.rank %c : index
      %i = arith.index_cast %r : index to i64
      %ok = arith.cmpi eq, %n, %i : i64
      cf.assert %ok, "another rank"
      return
    }
    """)
    out = good(noria_tool("bench", path, "%r", "--seconds=0.02", "--ranks=3"))
    assert re.search(r"^run +[\d.]+ \w+  least .* runs$", out, re.M), out
    done = noria_tool("bench", path, 0, "--seconds=0.02", "--ranks=2")
    assert done.returncode == 1 and "rank 1: " in done.stderr and "another rank" in done.stderr
    done = noria_tool("bench", path, 0, "--channel=mpi")
    assert done.returncode == 2 and "--ranks=N runs threads" in done.stderr


def test_bench_with_given_values(noria_tool, model):
    out = good(noria_tool("bench", model(LOOP), 100000, "--seconds=0.02"))
    assert re.search(r"memory +[0-9]{6,} bytes at once", out)
    done = noria_tool("bench", model(LOOP), "--input", "m=1")
    assert done.returncode == 1 and "the program has no input 'm'; its inputs are: 'n', 'x'" in done.stderr


# ---- elements of which NumPy has no type -----------------------------------------------------------------------------

@pytest.mark.parametrize("mode", [[], ["--interpret"]])
@pytest.mark.parametrize("type_text, array, want", [
    ("i7", np.array([-64, 63, 0], np.int8), np.int8),
    ("i7", np.array([127, 64, 1], np.uint8), np.int8),
    ("ui24", np.array([(1 << 24) - 1, 0], np.uint32), np.uint32),
    ("i8", np.array([255, 1], np.uint8), np.int8),
    ("i4", np.array([-8, 7], np.int8), np.int8),
    ("index", np.array([-1, 5], np.int64), np.int64),
    ("bf16", np.array([1.5, -2.25, 3.14], np.float32), np.float32),
    ("f8E4M3", np.array([0.1, 448, -1.5], np.float32), np.float32),
    ("i100", np.array([[1, 2], [2**64 - 1, 2**64 - 1]], np.uint64), np.uint64),
])
def test_files_of_other_types(noria_tool, tmp_path, mode, type_text, array, want):
    np.save(tmp_path / "x.npy", array)
    shape = "x".join(str(d) for d in array.shape[:1])
    program = tmp_path / "p.mlir"
    program.write_text(f"func.func @f(%x: memref<{shape}x{type_text}>) {{ return }}")
    good(noria_tool("run", program, f"@{tmp_path}/x.npy", "--output", f"x=@{tmp_path}/y.npy", *mode))
    back = np.load(tmp_path / "y.npy")
    expected = array.astype(np.int16) if type_text == "i7" else array
    if type_text == "i7":
        expected = np.where(expected > 63, expected - 128, expected)
    if type_text == "bf16":
        expected = array.astype(ml_dtypes.bfloat16).astype(F)
    if type_text == "f8E4M3":
        expected = np.array([0.1015625, np.inf, -1.5], F)
    assert back.dtype == want and back.shape == array.shape
    np.testing.assert_array_equal(back, expected.astype(want))


@pytest.mark.parametrize("type_text, array, message", [
    ("i7", np.array([1, 64], np.int8), "element 1 does not fit i7"),
    ("ui7", np.array([200], np.uint8), "element 0 does not fit ui7"),
    ("i65", np.array([[0, 2]], np.uint64), "element 0 does not fit i65"),
    ("i4", np.array([1, 9], np.int8), "element 1 does not fit i4"),
    ("i8", np.array([1, 2], np.int16), "is of type int8, but the value is of type int16"),
    ("f32", np.array([1.0]), "is of type float32, but the value is of type float64"),
    ("si8", np.array([1], np.uint8), "is of type int8, but the value is of type uint8"),
    ("i100", np.array([[1, 2, 3]], np.uint64), "has shape [?, 2], but the value has shape [1, 3]"),
])
def test_files_that_do_not_fit(noria_tool, tmp_path, type_text, array, message):
    np.save(tmp_path / "x.npy", array)
    program = tmp_path / "p.mlir"
    program.write_text(f"func.func @f(%x: tensor<?x{type_text}>) -> tensor<?x{type_text}> {{ return %x : tensor<?x{type_text}> }}")
    done = noria_tool("run", program, f"@{tmp_path}/x.npy")
    assert done.returncode == 1 and message in done.stderr, done.stderr


# ---- diagnostics of long lines ---------------------------------------------------------------------------------------

@pytest.mark.parametrize("before, after", [(0, 0), (0, 500), (60, 500), (500, 0), (500, 500), (300, 20)])
@pytest.mark.parametrize("letter", ["x", "\u00e9", "\U0001f600"])
def test_of_a_long_line_the_part_around_the_place_is_shown(noria_tool, before, after, letter):
    line = f'"t.op"() {{a = "{letter * before}", b = flase, c = "{letter * after}"}} : () -> ()'
    done = noria_tool("opt", "--allow-unregistered-dialect", "-", stdin=f"// one\n{line}\n")
    assert done.returncode == 1
    message, shown, marks = done.stderr.splitlines()
    column = len(line[:line.index("flase")].encode()) + 1
    assert message == f"<stdin>:2:{column}: error: expected an attribute value, not 'flase'; did you mean 'false'?"
    assert len(shown.encode()) <= 206 and shown.strip(".") in line
    assert marks == " " * shown.index("flase") + "^~~~~"
    assert shown.startswith("...") == (column > 101 and len(line.encode()) > 200)
    assert shown.endswith("...") == (not line.endswith(shown.removeprefix("...")))
