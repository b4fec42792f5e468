"""Random affine expressions: Python's own integers, the interpreter, the compiled program and what canonicalize makes of it
give the same."""
import random

import pytest

EXPRESSIONS = 40
ARGUMENTS = [(0, 0, 1), (7, -3, 2), (-8, 5, 3), (-1, -1, 5), (1000, 999, 7), (-123456, 77, 64)]


def leaf(rng):
    return rng.choice(["d0", "d1", "s0", str(rng.randrange(-9, 10))])


def expression(rng, depth):
    """An expression as text; its value is that of value()."""
    if depth == 0 or rng.random() < 0.15:
        return leaf(rng)
    left = expression(rng, depth - 1)
    kind = rng.choice(["+", "-", "*", "mod", "floordiv", "ceildiv"])
    if kind in "+-":
        return f"({left} {kind} {expression(rng, depth - 1)})"
    if kind == "*":
        return f"({left} * {rng.choice(['s0', str(rng.randrange(-5, 6))])})"
    return f"({left} {kind} {rng.choice(['s0', '2', '3', '4', '8', str(rng.randrange(1, 20))])})"


def tokens(text):
    return text.replace("(", " ( ").replace(")", " ) ").split()


def value(text, env):
    """The value by Python's rules: floor division and its remainder are those of affine maps."""
    words = {"mod": "%", "floordiv": "//", "ceildiv": "@"}
    names = {name: f"C({number})" for name, number in env.items()}
    source = " ".join(words.get(t, names.get(t, t if t in "()+-*" else f"C({t})")) for t in tokens(text))
    return eval(source, {"C": Exact}).number  # pylint: disable=eval-used


class Exact:
    """An integer whose `@` rounds up."""

    def __init__(self, number):
        self.number = number

    def __add__(self, other):
        return Exact(self.number + other.number)

    def __sub__(self, other):
        return Exact(self.number - other.number)

    def __mul__(self, other):
        return Exact(self.number * other.number)

    def __mod__(self, other):
        return Exact(self.number % other.number)

    def __floordiv__(self, other):
        return Exact(self.number // other.number)

    def __matmul__(self, other):
        return Exact(-(-self.number // other.number))


def program(rng):
    """A function with a result per expression: values of affine.apply, affine.min, affine.max and affine.if in turn."""
    lines, results, meanings = [], [], []
    for i in range(EXPRESSIONS):
        texts = [expression(rng, 3) for _ in range(rng.randrange(1, 4))]
        space = "(d0, d1)[s0]"
        kind = ["apply", "min", "max", "if"][i % 4]
        if kind == "if":
            lines.append(f"  %r{i} = affine.if affine_set<{space} : ({texts[0]} >= 0)>(%x, %y)[%n] -> index {{\n"
                         f"    affine.yield %x : index\n  }} else {{\n    affine.yield %y : index\n  }}")
            meanings.append(lambda e, t=texts[0]: e["d0"] if value(t, e) >= 0 else e["d1"])
        else:
            used = texts[:1] if kind == "apply" else texts
            lines.append(f"  %r{i} = affine.{kind} affine_map<{space} -> ({', '.join(used)})>(%x, %y)[%n]")
            pick = max if kind == "max" else min
            meanings.append(lambda e, ts=used, pick=pick: pick(value(t, e) for t in ts))
        results.append(f"%r{i}")
    types = ", ".join(["index"] * EXPRESSIONS)
    # one more step from each, for canonicalize to compose
    for i in range(EXPRESSIONS):
        lines.append(f"  %t{i} = affine.apply affine_map<(d0)[s0] -> ((d0 * 4 + s0 + 2) floordiv 2)>({results[i]})[%n]")
    text = (f"func.func @f(%x: index, %y: index, %n: index) -> ({types}) {{\n" + "\n".join(lines) +
            f"\n  return {', '.join(f'%t{i}' for i in range(EXPRESSIONS))} : {types}\n}}\n")
    return text, [lambda e, m=m: (m(e) * 4 + e["s0"] + 2) // 2 for m in meanings]


@pytest.mark.parametrize("seed", range(4))
def test_expressions(seed, noria_tool):
    text, meanings = program(random.Random(seed))
    simple = noria_tool("opt", "--canonicalize", "-", stdin=text)
    assert simple.returncode == 0, simple.stderr
    for x, y, n in ARGUMENTS:
        expected = [meaning({"d0": x, "d1": y, "s0": n}) for meaning in meanings]
        for source, mode in ((text, ["--interpret"]), (simple.stdout, ["--interpret"]), (text, [])):
            done = noria_tool("run", "-", str(x), str(y), str(n), *mode, stdin=source)
            assert done.returncode == 0, done.stderr
            assert [int(line.split(" : ")[0]) for line in done.stdout.splitlines()] == expected
