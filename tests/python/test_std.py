"""All of the standard dialect of 2020: read in both spellings, written in both, accepted by MLIR, and run - in the
interpreter after every stage and as machine code - with the results that NumPy gives."""
import re
import shutil
import subprocess

import numpy as np
import pytest

import std_rows

MLIR_OPT = shutil.which("mlir-opt-22") or shutil.which("mlir-opt", path="/usr/lib/llvm-22/bin")
FAMILIES = std_rows.elementwise_families()


def literal(x):
    x = np.asarray(x)
    if x.dtype == bool:
        return str(x.tolist()).lower()
    return str((x.astype(np.float64) if x.dtype.kind in "fV" else x).tolist())


def parse(line, like):
    """An output line as an array of like's type and shape."""
    text, type_text = line.rsplit(" : ", 1) if " : " in line else (line, "i1")
    if text.startswith("dense<"):
        text = text[len("dense<"):-1]
    words = re.findall(r"true|false|0x[0-9A-F]+|[-+.\w]+", text)
    values = [w == "true" if w in ("true", "false") else float("nan") if w.startswith("0x") else
              float(w) if like.dtype.kind in "fV" else int(w) for w in words]
    data = np.array(values).astype(like.dtype)
    return data.reshape(like.shape) if data.size == like.size else np.broadcast_to(data, like.shape)


def close(got, wanted, tolerance):
    if wanted.dtype.kind not in "fV":
        return np.array_equal(got, wanted)
    a, b = got.astype(np.float64), wanted.astype(np.float64)
    with np.errstate(all="ignore"):
        unit = np.abs(np.spacing(wanted)).astype(np.float64)
    return bool(np.all((np.abs(a - b) <= tolerance * unit) | (a == b) | (np.isnan(a) & np.isnan(b))))


def ok(process):
    assert process.returncode == 0, process.stderr
    return process.stdout


@pytest.mark.parametrize("family", FAMILIES)
def test_text(family, noria_tool):
    rows = FAMILIES[family]
    old, new = "\n".join(r.old for r in rows), "\n".join(r.new for r in rows)
    today = ok(noria_tool("opt", "--syntax=mlir", "-", stdin=new))
    before = ok(noria_tool("opt", "--syntax=2020", "-", stdin=old))
    assert ok(noria_tool("opt", "--syntax=mlir", "-", stdin=old)) == today
    assert ok(noria_tool("opt", "--syntax=2020", "-", stdin=new)) == before
    assert ok(noria_tool("opt", "--syntax=mlir", "-", stdin=before)) == today
    if MLIR_OPT:
        ok(subprocess.run([MLIR_OPT, "-o", "/dev/null", "-"], input=today, capture_output=True, text=True))


@pytest.mark.parametrize("row", [r for rows in FAMILIES.values() for r in rows], ids=lambda r: r.name)
def test_runs(row, noria_tool):
    out = ok(noria_tool("run", "-", "--check-stages", *map(literal, row.args), stdin=row.old)).splitlines()
    assert len(out) == len(row.expected), out
    for i, (line, wanted) in enumerate(zip(out, row.expected)):
        got = parse(line, wanted)
        assert close(got, wanted, row.tolerance), f"result {i}: {got} instead of {wanted}"
