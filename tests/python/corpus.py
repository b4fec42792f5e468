"""The programs of the tree's text tests, for checks that hold for each of them."""
import pathlib
import re

import pytest

TESTS = pathlib.Path(__file__).resolve().parents[1]

# Programs that are wrong on purpose, by what stands in their file.
WRONG = r"expected-(?:error|warning|note|remark)|RUN:.*\bnot noria"


def programs(leave_out=()):
    """One pytest parameter for each program: lit's `// -----` lines cut a file into several. Files in which one of the
    patterns of leave_out, or WRONG, is found are left out."""
    for path in sorted(TESTS.rglob("*.mlir")):
        text = path.read_text(encoding="utf-8", errors="replace")
        if "Inputs" in path.parts or any(re.search(pattern, text) for pattern in (WRONG, *leave_out)):
            continue
        for number, part in enumerate(re.split(r"^// -----.*$", text, flags=re.M)):
            yield pytest.param(part, id=f"{path.relative_to(TESTS)}:{number}")
