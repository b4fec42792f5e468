"""MLIR's own parser and verifier accept what `noria opt --syntax=mlir` prints, for every text test of the tree."""
import pathlib
import re
import shutil
import subprocess

import pytest

TESTS = pathlib.Path(__file__).resolve().parents[1]
LLVM_TOOLS = "/usr/lib/llvm-22/bin"
MLIR_OPT = shutil.which("mlir-opt-22") or shutil.which("mlir-opt", path=LLVM_TOOLS)

# Files that are not asked, by what stands in them, and why.
NOT_ASKED = {
    r"expected-(?:error|warning|note|remark)": "a wrong program, or one whose diagnostics are the test",
    r"\bonnx\.|!onnx\.": "the onnx dialect is not MLIR's",
    r"\bflow\.|!flow\.": "the flow dialect is not MLIR's",
    r"RUN:.*\bnot noria": "a wrong program",
}


def programs():
    for path in sorted(TESTS.rglob("*.mlir")):
        text = path.read_text(encoding="utf-8", errors="replace")
        if any(re.search(pattern, text) for pattern in NOT_ASKED):
            continue
        # lit's `-----` lines cut a file into programs of their own.
        for number, part in enumerate(re.split(r"^// -----.*$", text, flags=re.M)):
            yield pytest.param(part, id=f"{path.relative_to(TESTS)}:{number}")


@pytest.mark.skipif(MLIR_OPT is None, reason="mlir-opt-22 is not installed")
@pytest.mark.parametrize("program", programs())
def test_printed_text_is_accepted(program, noria_tool):
    printed = noria_tool("opt", "--syntax=mlir", "-", stdin=program)
    assert printed.returncode == 0, printed.stderr
    accepted = subprocess.run([MLIR_OPT, "-o", "/dev/null", "-"], input=printed.stdout, capture_output=True, text=True)
    assert accepted.returncode == 0, f"{accepted.stderr}\n--- printed:\n{printed.stdout}"
