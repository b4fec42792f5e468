"""The pages are true: examples run and print what they say, options and make targets exist, the dialects' pages are
those of the op rows."""
import os
import re
import subprocess
import sys

import pytest
from onnx import save
from onnx.parser import parse_model

from conftest import BUILD, ROOT

# Files that the examples of a page take as given, besides those that its own blocks make.
MODEL = '<ir_version: 10, opset_import: ["": 21]> m (float[N] x) => (float[N] y) { y = Tanh(x) }'


def blocks(page):
    """(language, text) of each fenced block, also inside lists."""
    found = re.findall(r"^( *)```(\w*)\n(.*?)^\1```$", (ROOT / page).read_text(), re.M | re.S)
    return [(language, text) for _, language, text in found]


def gcd():
    return next(text for language, text in blocks("README.md") if language == "mlir")


@pytest.fixture
def shell(tmp_path):
    """Runs a command line in an empty folder that looks like the repository to it. Gives what it prints."""
    (tmp_path / "include").symlink_to(ROOT / "include")
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "release").symlink_to(BUILD)
    path = os.pathsep.join([str(BUILD), os.path.dirname(sys.executable), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT / "python"), "NORIA_BUILD": str(BUILD)}

    def run(command):
        done = subprocess.run(command, shell=isinstance(command, str), capture_output=True, text=True, cwd=tmp_path,
                              env=environment, timeout=120)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout

    return run


def check_shell_block(text, shell):
    """Each line runs, and prints what its comment says where that begins like a value."""
    for line in text.splitlines():
        command, _, comment = line.partition("#")
        install, _, target = command.partition("make ")
        if target and install in ("", "scripts/install.sh "):
            assert not install or os.access(ROOT / install.strip(), os.X_OK)
            subprocess.run(["make", *target.split(), "-n"], cwd=ROOT, check=True, capture_output=True)
            continue
        out = shell(command)
        if re.match(r"-?[0-9]|dense<", comment.strip()):
            assert out.strip() == comment.strip(), command


def check_console_block(text, shell):
    """The command behind `$` prints the lines below it."""
    command, _, expected = text.partition("\n")
    assert shell(command.removeprefix("$ ")).strip() == expected.strip()


def check_source_block(text):
    """What is quoted of the source, up to a body, stands there."""
    source = "\n".join(p.read_text() for p in (ROOT / "src").rglob("*.[cd]*"))
    for line in text.splitlines():
        assert line.split(" {")[0].strip() in source, line


def check_diff(text):
    """The source is that before the change, or that after it."""
    def holds(leave_out):
        for path, hunks in zip(files[::2], files[1::2]):
            for hunk in re.split(r"^@@.*\n", hunks, flags=re.M)[1:]:
                lines = [line[1:] + "\n" for line in hunk.splitlines() if not line.startswith(leave_out)]
                exists = (ROOT / path).exists()
                if exists != bool(lines) or (exists and "".join(lines) not in (ROOT / path).read_text()):
                    return False
        return True

    files = re.split(r"^--- \S+\n\+\+\+ b/(\S+)\n", text, flags=re.M)[1:]
    assert files and (holds("-") or holds("+")), text


def check_python_block(text, shell):
    """The block prints what the comments behind its prints say."""
    expected = re.findall(r"^print\(.*\) *# (.*)$", text, re.M)
    assert shell([sys.executable, "-c", text]).splitlines() == expected


def test_readme_blocks(tmp_path, shell):
    files = {"mlir": "gcd.mlir", "c": "newton.c"}
    seen = []
    for language, text in blocks("README.md"):
        seen.append(language)
        if language == "sh":
            check_shell_block(text, shell)
        elif language == "python":
            check_python_block(text, shell)
        else:
            assert files[language] in (ROOT / "README.md").read_text()
            (tmp_path / files[language]).write_text(text)
    assert sorted(set(seen)) == ["c", "mlir", "python", "sh"]


def test_readme_compiles_in_the_c_program(tmp_path, shell):
    """What the README says to change for that."""
    program = next(text for language, text in blocks("README.md") if language == "c")
    program = program.replace("noria/runtime.h", "noria/noria.h")
    call = 'noria_program_load("./newton.so"'
    assert call in program
    (tmp_path / "newton.c").write_text(program.replace(call, 'noria_compile_file("newton.onnx"'))
    shell([sys.executable, "-c", next(text for language, text in blocks("README.md") if language == "python")])
    out = shell("cc newton.c -Iinclude -Lbuild/release -lnoria -Wl,-rpath,build/release -o newton && ./newton")
    assert out == "1.4142135\n"


@pytest.mark.parametrize("page", sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").glob("*.md")))
def test_blocks_of_other_pages(page, tmp_path, shell):
    save(parse_model(MODEL), str(tmp_path / "model.onnx"))
    for name in "program.mlir", "old.mlir":
        (tmp_path / name).write_text(gcd())
    for language, text in blocks(page):
        assert language in ("", "sh", "c", "mlir", "diff", "console", "python"), f"{page}: nothing checks a block of {language}"
        if language == "mlir":  # its first line is its file's name
            (tmp_path / re.match(r"// (\w+\.mlir)\n", text)[1]).write_text(text)
        if language == "sh":
            check_shell_block(text, shell)
        if language == "console":
            check_console_block(text, shell)
        if language == "python":
            check_python_block(text, shell)
        if language == "c":  # a file, which a later block compiles, begins with its name; the rest is quoted
            file = re.match(r"/\* (\w+\.c) ", text)
            if file:
                (tmp_path / file[1]).write_text(text)
            else:
                check_source_block(text)
        if language == "diff":
            check_diff(text)
    for row in re.findall(r"`((?:LOWER|OP)\(.*?\))`", (ROOT / page).read_text()):
        check_source_block(row)


@pytest.mark.parametrize("page", ["README.md", "docs/roadmap.md"])
def test_ops_that_are_missing_are(page):
    """Ops of ONNX that a page says to be missing have no lowering, and it has a row for as many as it claims."""
    rows = re.findall(r"^LOWER\(([\w.]+),", (ROOT / "src/onnx/lower/core/lower.def").read_text(), re.M)
    text = (ROOT / page).read_text()
    for said in re.findall(r"without a lowering[^|]*", text):
        named = re.findall(r"`([A-Z]\w+)`", said)
        assert named and not set(named) & set(rows)
    for count in re.findall(r"more than ([0-9]+) ops", text):
        assert int(count) < len(rows)


def test_the_error_that_is_shown(noria_tool, tmp_path, monkeypatch):
    shown = next(text for language, text in blocks("docs/ir.md") if "error:" in text)
    (tmp_path / "e.mlir").write_text(gcd().replace("remsi", "remsy"))
    monkeypatch.chdir(tmp_path)
    assert noria_tool("opt", "e.mlir").stderr.splitlines() == shown.splitlines()


def test_the_warning_that_is_shown(noria_tool, tmp_path, monkeypatch):
    shown = next(text for language, text in blocks("docs/loop.md") if "warning:" in text)
    (tmp_path / "proposal.mlir").write_text("""func @sum(%a: f32, %b: f32) -> f32 {
  // A function type where one type is enough.
  %s1 = addf %a, %b : (f32, f32) -> f32
  return %s1 : f32
}
""")
    monkeypatch.chdir(tmp_path)
    assert noria_tool("opt", "proposal.mlir").stderr.splitlines()[:1] == shown.splitlines()


def test_options_and_targets_exist(noria_tool):
    """Every option of noria that a page names is in a --help, every make target in the Makefile."""
    helps = "".join(noria_tool(c, "--help").stdout for c in ("opt", "run", "compile", "bench", "show", "sparse"))
    helps += noria_tool("opt", "--list-passes").stdout
    targets = set(re.findall(r"^([a-z ]+):", (ROOT / "Makefile").read_text(), re.M))
    targets = {name for group in targets for name in group.split()}
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = page.read_text()
        for option in re.findall(r"noria (?:opt|run|compile|bench|show|sparse)[^`\n]*?--([a-z-]+)", text):
            assert f"--{option}" in helps or f"\n{option}" in helps, f"{page.name}: --{option}"
        for target in re.findall(r"`make ([a-z]+)`", text):
            assert target in targets, f"{page.name}: make {target}"


PATH = r"(?<![\w/.<*-])(?:bench|docs|examples|include|lib|python|scripts|src|tests|tools)/[\w./<>*-]*"


@pytest.mark.parametrize("page", ["README.md", *sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").glob("*.md"))])
def test_files_that_are_named_exist(page):
    for path in re.findall(PATH, (ROOT / page).read_text()):
        pattern = re.sub("<.*?>", "*", path.rstrip(".->"))
        assert list(ROOT.glob(pattern.rstrip("/"))), path


@pytest.mark.slow  # a row may change a few times before its page does
def test_pages_are_fresh(noria_tool):
    made = subprocess.run([sys.executable, ROOT / "scripts" / "docs.py", BUILD / "noria", "--check"],
                          capture_output=True, text=True)
    assert made.returncode == 0, made.stdout


def test_backend_knows_the_listed_ops():
    """src/codegen/llvm has code for each op of emittable.def, and for no other."""
    listed = {".".join(pair) for pair in re.findall(r"^EMIT\((\w+), (\w+)\)$",
                                                    (ROOT / "src/pass/expand/emittable.def").read_text(), re.M)}
    source = "".join(path.read_text() for path in (ROOT / "src/codegen/llvm").glob("*.c"))
    rows = set(re.findall(r'^ *(?:{.*?}, *)*{"(\w+\.\w+)", *[.e]', source, re.M))
    rows |= set(re.findall(r'{"(\w+\.\w+)", *(?:emit_|\.emit|\.lane)', source))
    rows |= {f"math.{name}" for name in re.findall(r'INTRINSIC\("(\w+)"', source)}
    structure = {"builtin.module", "func.func", "memref.atomic_yield"}
    assert listed - structure == rows
