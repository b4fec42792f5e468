"""Loops in lanes for AArch64: vectors of 128 bits from C source, which a cross compiler makes NEON code of. Under
qemu-user they give, bit for bit, what the interpreter gives for the program as it is written."""
import re
import shutil

import numpy as np
import pytest

import c_source
from lanes_programs import PROGRAMS
from test_lanes import PREPARE, interpreted, run

COMPILER = c_source.COMPILERS["aarch64"]
COMPILER = COMPILER._replace(command=(*COMPILER.command, "-save-temps=obj"))  # leaves the assembly text, too
MISSING = [tool for tool in (COMPILER.command[0], *COMPILER.runner) if not shutil.which(tool)]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")

LANES = {"divs_i8": 16, "divu_i16": 8, "half": 8, "bytes": 16,  # others: 4
         **dict.fromkeys(["divs_i64", "collatz", "search", "search_empty", "rows", "newton", "sum"], 2)}
# Arithmetic, comparisons and selects on whole registers of 128 bits.
NEON = re.compile(r"\s(?:f?(?:add|sub|mul|mla|div|cm\w+)|[us]?sh[rl]|and|orr|eor|bic|bsl|bit|bif)"
                  r"\s+v\d+\.(?:16b|8h|4s|2d)")
# GCC 12 takes these, on integers of 64 bits under masks of bytes, apart into scalars: only their results are compared.
SCALAR = {"divs_i64", "collatz", "search", "search_empty"}


@pytest.mark.parametrize("name", PROGRAMS)
def test_neon(name, noria_tool, tmp_path):
    text, make = PROGRAMS[name]
    path, forced = tmp_path / f"{name}.mlir", tmp_path / "forced.mlir"
    path.write_text(text)
    made = noria_tool("opt", "--cpu=x86-64-v2", path, "-o", forced,
                      f"--pass-pipeline={PREPARE},vectorize-parallel-loops{{lanes={LANES.get(name, 4)}}},canonicalize")
    assert made.returncode == 0 and "xi1>" in forced.read_text(), made.stderr
    inputs = make(np.random.default_rng(7), 37)  # full vectors, and a rest under a mask
    want = [np.asarray(x) for x in run(interpreted(str(path)), inputs)]
    got = c_source.Alone(forced, tmp_path, COMPILER).run(*inputs)
    assert c_source.differences(want, got) is None
    [code] = [file.read_text() for file in tmp_path.glob("*prog.s")]
    assert NEON.search(code) or name in SCALAR
