"""MLIR's own parser and verifier accept what `noria opt --syntax=mlir` prints, for every text test of the tree."""
import shutil
import subprocess

import pytest

from corpus import programs

MLIR_OPT = shutil.which("mlir-opt-22") or shutil.which("mlir-opt", path="/usr/lib/llvm-22/bin")

# Dialects that MLIR does not have; a file with one of their ops or types is not asked.
# scf.loop is in no release. affine.parallel knows the name xori, but verifies no op with it.
NOT_MLIR = (r"\bscf\.loop\b", r"\bonnx\.|!onnx\.", r"\bflow\.|!flow\.", r"\brt\.",
            r"\butil\.", r"\biree_\w+\.", r"\bhal\.", r"unregistered", r'reduce \(.*"xori"')


@pytest.mark.skipif(MLIR_OPT is None, reason="mlir-opt-22 is not installed")
@pytest.mark.parametrize("program", programs(leave_out=NOT_MLIR))
def test_printed_text_is_accepted(program, noria_tool):
    printed = noria_tool("opt", "--syntax=mlir", "-", stdin=program)
    assert printed.returncode == 0, printed.stderr
    accepted = subprocess.run([MLIR_OPT, "-o", "/dev/null", "-"], input=printed.stdout, capture_output=True, text=True)
    assert accepted.returncode == 0, f"{accepted.stderr}\n--- printed:\n{printed.stdout}"
