"""MLIR refuses what Noria refuses, program by program, in the tests of tests/ir/agrees; it takes what Noria takes."""
import pathlib
import re
import shutil
import subprocess

import pytest

MLIR_OPT = shutil.which("mlir-opt-22") or shutil.which("mlir-opt", path="/usr/lib/llvm-22/bin")
FILES = sorted((pathlib.Path(__file__).parent.parent / "ir" / "agrees").glob("*.mlir"))
PROGRAMS = [pytest.param(text, id=f"{path.stem}-{i}")
            for path in FILES for i, text in enumerate(re.split(r"^// -----$", path.read_text(), flags=re.M))]


@pytest.mark.skipif(MLIR_OPT is None, reason="mlir-opt-22 is not installed")
@pytest.mark.parametrize("program", PROGRAMS)
def test_mlir_says_the_same(program):
    """That Noria gives the errors which a program's comments expect is what lit runs."""
    run = subprocess.run([MLIR_OPT, "--allow-unregistered-dialect", "-o", "/dev/null", "-"], input=program,
                         capture_output=True, text=True)
    refused = run.returncode != 0
    assert refused == ("expected-error" in program), run.stderr
