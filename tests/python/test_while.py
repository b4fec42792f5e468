"""While loops: the programs of tests/while give what Python computes, with the interpreter and compiled; and each pass
does with them what its row says (NrPass.on_while, the table of docs/while.md): the programs mean the same behind it, a
barrier leaves the loops as they are, and what rejects them names one."""
import bisect
import math
import re

import noria
import numpy as np
import pytest

# The values of each program's inputs in a run.
RUNS = {
    "scalars": [([1, 2, 4, 8], 4, 0, 27), ([], 0.25, 0.5, 1), ([0.5], 0.5, -0.5, 97), ([1, 1, 2, 3, 3, 9], 3, 2, 12),
                ([-1, 0, 2], float("nan"), 0, 6)],
    "tensors": [([1, 2, 4, 8], 100), ([5, 4, 3], 1), ([0.25], 8), ([0, 1, 0, 2, 5], 1e9)],
    "blocks": [([1, 2, 5, 7, -4, 8],), ([],), ([3, 0, 5],), ([2, 4, 6],), ([1, 3, -1, 0],)],
}


def mandelbrot(cx, cy, limit):
    cx, cy, x, y, k = np.float32(cx), np.float32(cy), np.float32(0), np.float32(0), 0
    while k < limit and x * x + y * y <= 4:
        x, y, k = x * x - y * y + cx, x * y + x * y + cy, k + 1
    return k


def collatz(n):
    k = 0
    while n > 1:
        n, k = (3 * n + 1 if n % 2 else n // 2), k + 1
    return k


def prefix_sums(values, limit):
    sums, total = np.zeros(len(values), np.float32), np.float32(0)
    for i, value in enumerate(values):
        if total > limit:
            break
        total += np.float32(value)
        sums[i] = total
    return sums


def scalars(values, x, cy, n):
    place = 0 if math.isnan(x) else bisect.bisect_left(values, x)
    found = values.index(x) if x in values else len(values)
    return [place, mandelbrot(x, cy, 100), collatz(n), sum(math.gcd(n, i) for i in range(1, n + 1)), n + 7, found,
            prefix_sums(values, 10)]


def tensors(values, limit):
    x, k = np.array(values, np.float32), 0
    while x.sum() < limit and k < 20:
        x, k = x + x, k + 1
    swapped, i, j = list(values), 0, len(values)
    while i + 1 < j and swapped[i] < swapped[j - 1]:
        swapped[i], swapped[j - 1] = swapped[j - 1], swapped[i]
        i, j = i + 1, j - 1
    return [x, k, np.array(swapped, np.float32)]


def blocks(values):
    total = 0
    for value in values:
        if value == 0:
            total = -1
        if value <= 0:
            break
        total += value if value % 2 else 0
    return [total, total]


MEANS = {"scalars": scalars, "tensors": tensors, "blocks": blocks}


def argument(value):
    return str(value) if not isinstance(value, list) or value else "zeros:0"


def printed(line):
    """The numbers of a line that `noria run` prints: of a scalar or of a tensor of one dim."""
    return [float(x) for x in re.findall(r"[-+]?(?:nan|inf|\d[\d.e+-]*)", re.match(r"(.*?) : |dense<(.*?)>", line)[0])]


def check(run, name, program, *options):
    for inputs in RUNS[name]:
        done = run("run", program, *map(argument, inputs), *options)
        assert done.returncode == 0, done.stderr
        got = [printed(line) for line in done.stdout.splitlines()]
        wanted = [np.atleast_1d(value).tolist() for value in MEANS[name](*inputs)]
        assert got == wanted, (inputs, done.stdout)


@pytest.mark.parametrize("options", [["--interpret"], [], ["--check-bounds"], ["-O=1"]], ids=str)
@pytest.mark.parametrize("name", RUNS)
def test_programs_give_what_python_computes(noria_tool, root, name, options):
    check(noria_tool, name, root / "tests/while" / f"{name}.mlir", *options)


def rows(run):
    """What the row of each pass says: pass -> "handled", "a barrier" or "rejected"."""
    found, name = {}, None
    for line in run("opt", "--list-passes").stdout.splitlines():
        name = line.split()[0] if line[0] != " " else name
        if match := re.match(r"\s+scf\.while: (.*)", line):
            found[name] = match[1]
    return found


def whiles(text):
    """The while loops of a program in their order, without the names of values."""
    lines, found = re.sub(r"%[\w#]+", "%", text).splitlines(), []
    for i, line in enumerate(lines):
        if "scf.while" in line:
            indent = len(line) - len(line.lstrip())
            end = next(j for j in range(i + 1, len(lines)) if lines[j] == " " * indent + "}")
            found.append("\n".join(text.strip() for text in lines[i:end]))
    return found


def test_every_pass_states_what_it_does(noria_tool):
    stated = rows(noria_tool)
    assert len(stated) > 70 and set(stated.values()) == {"handled", "a barrier", "rejected"}, stated


@pytest.mark.parametrize("name", RUNS)
def test_passes_do_what_they_state(noria_tool, root, tmp_path, name):
    source = root / "tests/while" / f"{name}.mlir"
    buffers = tmp_path / "buffers.mlir"
    before = noria_tool("opt", "--bufferize", "--canonicalize", source, "-o", buffers)
    assert before.returncode == 0, before.stderr
    needs_buffers = {"convert-linalg-to-loops"}
    for of_pass, stated in rows(noria_tool).items():
        program = buffers if of_pass in needs_buffers else source  # on tensors they are an error
        # What must be checked before: a claim of a tensor op that no check covers is an error of its own.
        first = ["--check-claims"] if of_pass == "verify-claims" else []
        out = tmp_path / "out.mlir"
        out.unlink(missing_ok=True)
        done = noria_tool("opt", *first, f"--{of_pass}", program, "-o", out)
        if stated == "rejected":
            assert done.returncode and re.search(rf"{program.name}:\d+:\d+: error: 'scf\.", done.stderr), done.stderr
            continue
        assert done.returncode == 0, (of_pass, done.stderr)
        check(noria_tool, name, out, "--interpret")
        if stated == "a barrier":
            reference = tmp_path / "reference.mlir"
            noria_tool("opt", *(first or ["--pass-pipeline="]), program, "-o", reference)
            seen, wanted = whiles(out.read_text()), whiles(reference.read_text())
            if of_pass in needs_buffers:  # they rewrite ops of the bodies, each by itself
                seen, wanted = [loop.split("\n")[0] for loop in seen], [loop.split("\n")[0] for loop in wanted]
            assert seen == wanted, of_pass


def suppression(boxes, share, limit):
    """The boxes that are kept, taken one by one."""
    kept = []
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    for i, box in enumerate(boxes):
        if len(kept) == limit:
            break
        size = np.minimum(boxes[kept, 2:], box[2:]) - np.maximum(boxes[kept, :2], box[:2])
        both = size[:, 0] * size[:, 1]
        if not np.any((size > 0).all(1) & (both / (area[kept] + area[i] - both) > np.float32(share))):
            kept.append(i)
    return kept


def test_boxes_in_blocks_are_those_taken_one_by_one(root):
    session = noria.InferenceSession(str(root / "tests/while/blocked.mlir"))
    rng = np.random.default_rng(3)
    for n in (0, 1, 2, 15, 16, 17, 31, 32, 33, 100, 517):
        for spread in (0, 30, 200):
            corner = (rng.random((n, 2)) * spread).astype(np.float32)
            boxes = np.concatenate([corner, corner + (rng.random((n, 2)) * 40 + 1).astype(np.float32)], 1)
            for limit in (0, 1, 5, 16, n):
                feeds = [*(boxes[:, i].copy() for i in range(4)), np.float32(0.4), limit]
                places, count = session.run(None, dict(zip((i.name for i in session.get_inputs()), feeds)))
                wanted = suppression(boxes, 0.4, limit)
                assert places[:count].tolist() == wanted and (places[count:] == -1).all(), (n, spread, limit)
