"""Random graphs of blocks, most of them irreducible, over numbers, buffers and tensors: lifted to structured loops and
branches they do what they did, interpreted and compiled."""
import random
import re

import pytest

MEMREF, TENSOR = "memref<?xi32>", "tensor<?xi32>"


def handed(r, available, takes, to):
    names = [available["fuel"], *(r.choice(available[kind]) for kind in takes[to])]
    return f"^b{to}({', '.join(names)} : {', '.join(['i32', *takes[to]])})"


def entry(r, kinds):
    """The first block, and what it has of each kind."""
    lines = ["func.func @f(%x: i32, %y: i32) -> (i32, i32) {", "  %one = arith.constant 1 : i32",
             "  %zero = arith.constant 0 : i32", "  %three = arith.constant 3 : i32",
             "  %fuel = arith.constant 12 : i32", "  %i0 = arith.constant 0 : index",
             "  %size = arith.constant 3 : index"]
    values = {"fuel": "%fuel", "i32": ["%x", "%y"]}
    if MEMREF in kinds:
        for name in ("%m0", "%m1"):
            lines += [f"  {name} = memref.alloc(%size) : {MEMREF}", f"  memref.store %x, {name}[%i0] : {MEMREF}"]
        values[MEMREF] = ["%m0", "%m1"]
    if TENSOR in kinds:
        lines += [f"  %t{v} = tensor.splat %{v}[%size] : {TENSOR}" for v in "xy"]
        values[TENSOR] = ["%tx", "%ty"]
    return lines, values


def work(r, i, values):
    """Ops of block i, whose results are added to values."""
    lines = [f"  %v{i} = arith.{r.choice(['addi', 'xori', 'muli', 'subi'])} "
             f"{r.choice(values['i32'])}, {r.choice(values['i32'])} : i32"]
    values["i32"].append(f"%v{i}")
    if MEMREF in values:
        memory = r.choice(values[MEMREF])
        lines += [f"  %l{i} = memref.load {memory}[%i0] : {MEMREF}", f"  %s{i} = arith.addi %l{i}, %v{i} : i32",
                  f"  memref.store %s{i}, {memory}[%i0] : {MEMREF}"]
        values["i32"].append(f"%s{i}")
    if TENSOR in values:
        lines += [f"  %l{i} = tensor.extract {r.choice(values[TENSOR])}[%i0] : {TENSOR}",
                  f"  %w{i} = arith.addi {r.choice(values[TENSOR])}, {r.choice(values[TENSOR])} : {TENSOR}"]
        values["i32"].append(f"%l{i}")
        values[TENSOR] += [f"%w{i}"] * 2
    return lines


def branch(r, i, values, takes):
    to = [handed(r, values, takes, r.randrange(len(takes))) for _ in range(4)]
    kind = r.choice(["br", "cond_br", "cond_br", "cond_br", "switch"])
    if kind == "br":
        return [f"  cf.br {to[0]}"]
    if kind == "cond_br":
        return [f"  %c{i} = arith.cmpi {r.choice(['slt', 'ult', 'eq'])}, {r.choice(values['i32'])}, "
                f"{r.choice(values['i32'])} : i32", f"  cf.cond_br %c{i}, {to[0]}, {to[1]}"]
    cases = [0, r.randint(0, 2), r.randint(1, 2)]  # one may stand twice
    return [f"  %k{i} = arith.remui {r.choice(values['i32'])}, %three : i32",
            f"  cf.switch %k{i} : i32, [default: {to[0]}, " +
            ", ".join(f"{case}: {target}" for case, target in zip(cases, to[1:])) + "]"]


def graph(seed):
    """Blocks that go anywhere until they end, or the fuel does."""
    r = random.Random(seed)
    count = r.randint(3, 9)
    kinds = ["i32", "i32", *([r.choice([MEMREF, TENSOR])] if r.random() < 0.7 else [])]
    takes = [[kind for kind in kinds if r.random() < 0.6] for _ in range(count)]
    ends = {i for i in range(count) if r.random() < 0.25} or {count - 1}
    lines, first = entry(r, kinds)
    lines.append(f"  cf.br {handed(r, first, takes, 0)}")
    for i in range(count):
        args = [f"%fuel{i}: i32", *(f"%a{i}_{k}: {kind}" for k, kind in enumerate(takes[i]))]
        values = {kind: list(first[kind]) for kind in kinds}
        for k, kind in enumerate(takes[i]):
            values[kind] += [f"%a{i}_{k}"] * 3
        lines += [f"^b{i}({', '.join(args)}):", *work(r, i, values)]
        result = r.choice(values["i32"])
        if i in ends:
            lines.append(f"  return {result}, %fuel{i} : i32, i32")
            continue
        values["fuel"] = f"%left{i}"
        lines += [f"  %left{i} = arith.subi %fuel{i}, %one : i32",
                  f"  %empty{i} = arith.cmpi sle, %fuel{i}, %zero : i32",
                  f"  cf.cond_br %empty{i}, ^stop({result} : i32), ^go{i}", f"^go{i}:", *branch(r, i, values, takes)]
    return "\n".join([*lines, "^stop(%at: i32):", "  return %at, %zero : i32, i32", "}", ""])


@pytest.mark.parametrize("seed", range(24))
def test_lifted_graphs_do_the_same(seed, noria_tool, tmp_path):
    blocks, lifted = tmp_path / "blocks.mlir", tmp_path / "lifted.mlir"
    blocks.write_text(graph(seed))
    done = noria_tool("opt", "--lift-cf-to-scf", blocks, "-o", lifted)
    assert done.returncode == 0, done.stderr
    assert not re.search(r"\bcf\.", lifted.read_text())
    for args in (("3", "5"), ("-1", "7")):
        said = noria_tool("run", blocks, "--interpret", *args)
        assert said.returncode == 0, said.stderr
        for other in ((blocks,), (lifted, "--interpret"), (lifted,)):
            again = noria_tool("run", *other, *args)
            assert again.stdout == said.stdout, again.stderr
