"""Random nodes of every op against ONNX Runtime, or the onnx package's reference where it has no kernel.

Draws: opset version, attributes, element types, shapes (rank 0, dims of 0 and 1), dims as symbols or constants, and
whether what is like a shape comes as an initializer or an input. More of them, or one again:

    python tests/python/test_ops_random.py 5000 [first seed] [op ...]
"""
import collections
import sys
import zlib

import numpy as np
import pytest
import random_ops_attention  # noqa: F401  (fills GENERATORS)
import random_ops_image  # noqa: F401
import random_ops_ml  # noqa: F401
import random_ops_move  # noqa: F401
import random_ops_nn    # noqa: F401
import random_ops_old  # noqa: F401
import random_ops_text  # noqa: F401
import random_ops_quant  # noqa: F401
import random_ops_trees  # noqa: F401
from random_draw import Draw, difference, expected, model_of, operand
from random_ops import GENERATORS

import noria


def described(case, model):
    inputs = ", ".join("none" if x is None else str(x) if isinstance(x, dict) else
                       f"{operand(x).dtype}{list(operand(x).shape)}" for x in case.inputs)
    dims = [[d.dim_param or d.dim_value for d in i.type.tensor_type.shape.dim] for i in model.graph.input]
    return f"{case.op}-{case.opset}({inputs}) {case.attrs} inputs {dims}"


def check(name, seed):
    """What is wrong with draw number `seed` of an op: "" nothing, None: nobody knows the answer."""
    draw = Draw([seed, zlib.crc32(name.encode())])
    generators = GENERATORS[name]
    case = draw.choose(*generators)(draw, name)
    model, twin, feeds = model_of(draw, case)
    wants, who = expected(case, twin, feeds)
    if wants is None:
        return None
    try:
        got = noria.InferenceSession(model.SerializeToString()).run(None, feeds)
    except noria.Error as e:
        return f"{described(case, model)}: {e}"
    tolerance = max(case.tolerance, 1e-6 if who == "onnx" else 0)  # it computes with float32 here and there
    for k, (g, w) in enumerate(zip(got, wants)):
        wrong = difference(g, w, tolerance)
        if wrong:
            return f"{described(case, model)}: output {k}: {wrong} ({who})"
    return ""


def check_all(name, seeds):
    for seed in seeds:
        wrong = check(name, seed)
        assert not wrong, f"seed {seed}: {wrong}"


@pytest.mark.parametrize("name", sorted(GENERATORS))
def test_some(name):
    check_all(name, range(2))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(GENERATORS))
def test_more(name):
    check_all(name, range(2, 20))


def main(count, first=0, *names):
    counts = collections.Counter()
    for name in names or sorted(GENERATORS):
        for seed in range(first, first + count):
            try:
                wrong = check(name, seed)
            except Exception as e:  # of the generator
                wrong = f"{name}: {type(e).__name__}: {e}"
            counts["unknown" if wrong is None else "wrong" if wrong else "right", name] += 1
            if wrong:
                print(f"{name} {seed}: {wrong[:600]}", flush=True)
    for state in "right", "wrong", "unknown":
        found = {n: c for (s, n), c in counts.items() if s == state}
        print(state, sum(found.values()), "" if state == "right" else found)


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        main(*(int(a) if a.isdigit() else a for a in sys.argv[1:]))
