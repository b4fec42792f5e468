"""Printing loses nothing: for every text test, in each spelling, print, parse and print again give the same text."""
import pytest

from corpus import programs


@pytest.mark.parametrize("spelling", [("--syntax=2020",), ("--mlir-print-op-generic",),
                                      ("--syntax=2020", "--mlir-print-op-generic"), ("--mlir-print-debuginfo",)],
                         ids=lambda options: "".join(options))
@pytest.mark.parametrize("program", programs())
def test_spellings_say_the_same(program, spelling, noria_tool):
    options = ["opt", "--allow-unregistered-dialect"]
    straight = noria_tool(*options, "--syntax=mlir", "-", stdin=program)
    assert straight.returncode == 0, straight.stderr
    said = noria_tool(*options, *spelling, "-", stdin=program)
    if "cannot be expressed in MLIR's current syntax" in said.stderr:
        return
    assert said.returncode == 0, said.stderr
    around = noria_tool(*options, "--syntax=mlir", "-", stdin=said.stdout)
    assert around.stdout == straight.stdout, f"{around.stderr}\n--- said:\n{said.stdout}"


@pytest.mark.parametrize("spelling", ["--syntax=mlir", "--syntax=2020", "--mlir-print-op-generic"])
@pytest.mark.parametrize("program", programs())
def test_printed_text_reads_back(program, spelling, noria_tool):
    options = ["opt", "--allow-unregistered-dialect", spelling, "-"]
    once = noria_tool(*options, stdin=program)
    if "cannot be expressed in MLIR's current syntax" in once.stderr:
        return
    assert once.returncode == 0, once.stderr
    twice = noria_tool(*options, stdin=once.stdout)
    assert twice.returncode == 0, f"{twice.stderr}\n--- printed:\n{once.stdout}"
    assert twice.stdout == once.stdout
