"""Loops in lanes for AArch64: vectors of 128 bits from C source, which cross compilers make NEON code of. Under
qemu-user they give, bit for bit, what the interpreter gives for the program as it is written."""
import re
import shutil

import numpy as np
import pytest

import c_source
from lanes_programs import PROGRAMS
from test_lanes import PREPARE, interpreted, run

GCC = c_source.COMPILERS["aarch64"]
COMPILERS = {"gcc": GCC, "clang": GCC._replace(command=("clang-22", "--target=aarch64-linux-gnu", *GCC.command[1:]))}
MISSING = [tool for tool in (GCC.command[0], "clang-22", *GCC.runner) if not shutil.which(tool)]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")

LANES = {"divs_i8": 16, "divu_i16": 8, "half": 8, "bytes": 16,  # others: 4
         **dict.fromkeys(["collatz", "search", "search_empty", "rows", "newton", "sum"], 2)}
# Arithmetic, comparisons and selects on registers of 128 bits, or of two f32 beside two integers of 64 bits.
NEON = re.compile(r"\s(?:f?(?:add|sub|mul|mla|div|cm\w+)|[us]?sh[rl]|and|orr|eor|bic|bsl|bit|bif)"
                  r"\s+v\d+\.(?:16b|8h|4s|2s|2d)")
# GCC 12 takes these, on integers of 64 bits under masks of bytes, apart into scalars.
SCALAR = {"divs_i64", "collatz", "search", "search_empty"}


@pytest.mark.parametrize("name, compiler", [(name, "clang" if name in SCALAR else "gcc") for name in PROGRAMS])
def test_neon(name, compiler, noria_tool, tmp_path):
    text, make = PROGRAMS[name]
    path, forced = tmp_path / f"{name}.mlir", tmp_path / "forced.mlir"
    path.write_text(text)
    made = noria_tool("opt", "--cpu=x86-64-v2", path, "-o", forced,
                      f"--pass-pipeline={PREPARE},vectorize-parallel-loops{{lanes={LANES.get(name, 4)}}},canonicalize")
    assert made.returncode == 0 and "xi1>" in forced.read_text(), made.stderr
    inputs = make(np.random.default_rng(7), 37)  # full vectors, and a rest under a mask
    want = [np.asarray(x) for x in run(interpreted(str(path)), inputs)]
    compiler = COMPILERS[compiler]
    compiler = compiler._replace(command=(*compiler.command, "-save-temps=obj"))  # leaves the assembly text, too
    got = c_source.Alone(forced, tmp_path, compiler).run(*inputs)
    assert c_source.differences(want, got) is None
    [code] = [file.read_text() for file in tmp_path.glob("*prog.s")]
    assert NEON.search(code)
