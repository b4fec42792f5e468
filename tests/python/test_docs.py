"""docs/dialects says what the op rows say."""
import os
import subprocess
import sys

import pytest


@pytest.mark.slow  # a row may change a few times before its page does
def test_pages_are_fresh(root):
    tool = os.path.join(os.environ.get("NORIA_BUILD", root / "build" / "release"), "noria")
    made = subprocess.run([sys.executable, root / "scripts" / "docs.py", tool, "--check"], capture_output=True,
                          text=True)
    assert made.returncode == 0, made.stdout
