"""Functions that split-functions makes have few arguments, however many values their loops use: code generation refuses
functions of more than 4,096."""
import re

import pytest

MOST = 256  # arguments and results of a part; more cost more than the part saves


def program(values, loops=70):
    """Loops in a row; the first uses all values, the others one each."""
    lines = ["func.func @main(%x: i64) -> i64 {", "  %c0 = arith.constant 0 : index", "  %c1 = arith.constant 1 : index",
             "  %n = arith.index_cast %x : i64 to index"]
    for i in range(values):
        lines.append(f"  %v{i} = arith.addi %{f'v{i - 1}' if i else 'x'}, %x : i64")
    last = "x"
    for k in range(loops):
        lines.append(f"  %r{k} = scf.for %i = %c0 to %n step %c1 iter_args(%a = %{last}) -> i64 {{")
        at = "a"
        for i in range(values) if k == 0 else [k]:
            lines.append(f"    %s{k}_{i} = arith.xori %{at}, %v{i} : i64")
            at = f"s{k}_{i}"
        lines += [f"    %t{k} = arith.addi %{at}, %x : i64", f"    scf.yield %t{k} : i64", "  }"]
        last = f"r{k}"
    return "\n".join(lines + [f"  return %{last} : i64", "}"])


def expected(values, loops, x):
    v = [(i + 2) * x for i in range(values)]
    a = x
    for k in range(loops):
        for _ in range(x):
            for i in range(values) if k == 0 else [k]:
                a ^= v[i]
            a += x
    return a


@pytest.mark.parametrize("values, is_cut", [(200, True), (5000, False)])
def test_arguments_of_parts(noria_tool, tmp_path, values, is_cut):
    path = tmp_path / "m.mlir"
    path.write_text(program(values))
    cut = noria_tool("opt", "--pipeline", "--stop-after=kernel", path)
    assert cut.returncode == 0, cut.stderr
    parts = re.findall(r"func\.func private @main_part_\d+\((.*?)\) -> (.*) attributes", cut.stdout)
    assert parts and all(arguments.count("%") + results.count("i64") <= MOST for arguments, results in parts)
    main = cut.stdout[:cut.stdout.index("func.func private")]
    assert ("scf.for" in main) != is_cut  # the loop that uses too many values stays
    for options in ([], ["--interpret"]):
        ran = noria_tool("run", *options, path, "3")
        assert ran.returncode == 0, ran.stderr
        assert ran.stdout.strip() == f"{expected(values, 70, 3)} : i64"
