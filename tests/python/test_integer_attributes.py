"""Integer attributes of every width and signedness: at the ends of their types they read and print as in MLIR."""
import shutil
import subprocess

import pytest

MLIR_OPT = shutil.which("mlir-opt-22") or shutil.which("mlir-opt", path="/usr/lib/llvm-22/bin")
WIDTHS = (*range(1, 67), 127, 128, 129)


def values(sign, width):
    least = 0 if sign == "u" else -(1 << (width - 1))
    most = (1 << width if sign == "u" else 1 << (width - 1)) - 1
    return sorted({v for v in (least, least + 1, -1, 0, 1, most - 1, most) if least <= v <= most})


def program(sign):
    lines = []
    for width in WIDTHS:
        numbers, t = values(sign, width), f"{sign}i{width}"
        alone = ", ".join(f"a{i} = {v} : {t}" for i, v in enumerate(numbers))
        listed = f"dense<[{', '.join(map(str, numbers))}]> : tensor<{len(numbers)}x{t}>"
        splat = f"dense<{numbers[0]}> : vector<2x{t}>"
        lines.append(f'  "test.op"() {{{alone}, list = {listed}, splat = {splat}}} : () -> ()')
    return "module {\n" + "\n".join(lines) + "\n}\n"


def run_mlir(text):
    ran = subprocess.run([MLIR_OPT, "--allow-unregistered-dialect", "-"], input=text, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


@pytest.mark.parametrize("sign", ["s", "u", ""])
def test_prints_as_mlir_does_and_reads_back(sign, noria_tool):
    text = program(sign)
    once = noria_tool("opt", "--allow-unregistered-dialect", "-", stdin=text)
    assert once.returncode == 0, once.stderr
    # What is not an i1 stands in the print as it was written.
    for width in WIDTHS[1:]:
        for i, value in enumerate(values(sign, width)):
            default = " " if f"{sign}i{width}" == "i64" else f" : {sign}i{width}"
            assert f"a{i} = {value}{default}".rstrip() in once.stdout
    twice = noria_tool("opt", "--allow-unregistered-dialect", "-", stdin=once.stdout)
    assert twice.stdout == once.stdout, twice.stderr
    if MLIR_OPT:
        assert once.stdout.strip() == run_mlir(text)


@pytest.mark.parametrize("sign", ["s", "u"])
@pytest.mark.parametrize("width", [1, 2, 8, 63, 64, 65])
def test_beyond_the_ends_is_refused(sign, width, noria_tool):
    for value in (values(sign, width)[0] - 1, values(sign, width)[-1] + 1):
        text = f'"test.op"() {{a = {value} : {sign}i{width}}} : () -> ()\n'
        assert noria_tool("opt", "--allow-unregistered-dialect", "-", stdin=text).returncode == 1, text
