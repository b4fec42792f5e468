"""Affine expressions print as what they read as: a second print is the first one, and equal maps are one alias."""
import random

SEED, COUNT = 10, 3000


def expression(draw, depth):
    if depth == 0 or draw.random() < 0.2:
        return draw.choice(["d0", "d1", "s0", "s1", "0", "1", "-1", "2", "-3", "7"])
    kind = draw.choice(["+", "-", "neg", "*", "mod", "floordiv", "ceildiv"])
    left = expression(draw, depth - 1)
    if kind == "neg":
        return f"-({left})"
    if kind in "+-":
        return f"({left}) {kind} ({expression(draw, depth - 1)})"
    factors = ["-1", "2", "-4", "0", "3", "s0", "s1"] if kind == "*" else ["1", "2", "3", "8", "s0"]
    return f"({left}) {kind} {draw.choice(factors)}"


def program():
    draw = random.Random(SEED)
    kept = ["d0 + s0 + -(d1 + s1)", "d0 - (d1 - (s0 - 1))", "-d1 - (-(-1 - s0))"]
    maps = kept + [expression(draw, draw.randint(1, 5)) for _ in range(COUNT)]
    return "".join(f'"test.op"() {{a = affine_map<(d0, d1)[s0, s1] -> ({e})>}} : () -> ()\n' for e in maps)


def test_second_print_is_the_first(noria_tool):
    for options in (["--mlir-print-local-scope"], []):
        once = noria_tool("opt", "--allow-unregistered-dialect", *options, "-", stdin=program())
        assert once.returncode == 0, once.stderr
        twice = noria_tool("opt", "--allow-unregistered-dialect", *options, "-", stdin=once.stdout)
        for first, second in zip(once.stdout.splitlines(), twice.stdout.splitlines(), strict=True):
            assert first == second


def test_long_sums_in_brackets(noria_tool):
    """Brackets make a sum no shorter: what would be nested too deeply is refused, however it is written."""
    def bracketed(terms):
        while len(terms) > 1:
            terms = [f"({a} + {b})" for a, b in zip(terms[::2], terms[1::2])] + terms[len(terms) // 2 * 2:]
        return terms[0]
    for count, good in (256, True), (4096, False):
        terms = [f"s{i % 100} floordiv {i + 2}" for i in range(count)]
        symbols = ", ".join(f"s{i}" for i in range(100))
        text = f'"test.op"() {{a = affine_map<()[{symbols}] -> ({bracketed(terms)})>}} : () -> ()\n'
        ran = noria_tool("opt", "--allow-unregistered-dialect", "-", stdin=text)
        assert (ran.returncode == 0) == good, ran.stderr[:300]
        assert good or "affine expression is nested deeper than 1000" in ran.stderr
