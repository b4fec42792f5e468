"""Each function of tests/dialect/flow/folds.mlir gives the same results before and after `noria opt` canonicalizes it:
in the interpreter, and as machine code."""
import re
import shlex
import subprocess

import pytest

from conftest import BUILD, ROOT

FILE = ROOT / "tests" / "dialect" / "flow" / "folds.mlir"
FOLDS = re.findall(r"^// INPUTS(?: AFTER)?:(.*)\n(?://.*\n)*func\.func @(fold_(\d\d)_\w+)", FILE.read_text(), re.M)


def run(*words):
    done = subprocess.run([str(BUILD / "noria"), *map(str, words)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def canonical(tmp_path_factory):
    path = tmp_path_factory.mktemp("folds") / "after.mlir"
    path.write_text(run("opt", "--pass-pipeline=canonicalize", FILE))
    return path


def test_every_fold_is_there():
    assert sorted({int(number) for _, _, number in FOLDS}) == list(range(1, 35))


@pytest.mark.parametrize("inputs, name", [(inputs, name) for inputs, name, _ in FOLDS], ids=[f[1] for f in FOLDS])
def test_values_stay(canonical, inputs, name):
    words = [f"--entry={name}", *shlex.split(inputs)]
    if f"// INPUTS AFTER:{inputs}\n" in FILE.read_text():
        assert run("run", canonical, *words) == run("run", "--interpret", canonical, *words)
        return
    before = run("run", "--interpret", FILE, *words)
    assert before
    assert run("run", "--interpret", canonical, *words) == before
    assert run("run", FILE, *words) == before
    assert run("run", canonical, *words) == before
