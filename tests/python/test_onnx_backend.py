"""The official backend suite of the onnx package, for all ops that have a lowering.

What is left out is on a list with its reason: tests/onnx/exclusions.txt, and, for ops without a lowering,
docs/onnx-tests.md, which
`python tests/python/test_onnx_backend.py --write` makes and test_list_is_fresh compares.
"""

import os
import re
import sys
import warnings
from collections import defaultdict

import onnx
import pytest
from onnx import AttributeProto

import noria.backend
import test_op_types
from onnx_runner import Runner

pytestmark = pytest.mark.slow
ROOT = os.path.join(os.path.dirname(__file__), "..", "..")
PAGE = os.path.join(ROOT, "docs", "onnx-tests.md")


def lowered_ops():
    with open(os.path.join(ROOT, "src", "onnx", "lower", "core", "lower.def")) as f:
        return set(re.findall(r"^LOWER\(([\w.]+),", f.read(), re.M))


def listed_reasons():
    with open(os.path.join(ROOT, "tests", "onnx", "exclusions.txt")) as f:
        return [line.rstrip("\n").split(None, 1) for line in f if line.strip() and not line.startswith("#")]


def ops_of(graph):
    for node in graph.node:
        yield f"{node.domain}.{node.op_type}" if node.domain not in ("", "ai.onnx") else node.op_type
        for attribute in node.attribute:
            if attribute.type == AttributeProto.GRAPH:
                yield from ops_of(attribute.g)


def cases():
    """(name, ops) of every case of the suite whose model can be looked at before it runs."""
    from onnx.backend.test.case.node import collect_testcases
    from onnx.backend.test.loader import load_model_tests
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in collect_testcases(None):
            yield case.name, set(ops_of(case.model.graph)) - {f.name for f in case.model.functions}
    for kind in ("simple", "pytorch-converted", "pytorch-operator", "real"):
        for case in load_model_tests(kind=kind):
            if case.model_dir is None:  # made when it runs
                continue
            model = onnx.load(os.path.join(case.model_dir, "model.onnx"))
            yield case.name, set(ops_of(model.graph)) - {f.name for f in model.functions}


def split():
    """Tests to leave out: name -> reason; and the number of all."""
    known, reasons, left_out, total = lowered_ops(), listed_reasons(), {}, 0
    for name, ops in cases():
        total += 1
        missing = sorted(ops - known)
        listed = next((why for pattern, why in reasons if re.fullmatch(pattern, name)), None)
        if missing:
            left_out[name] = "no lowering yet: " + ", ".join(missing)
        elif listed:
            left_out[name] = listed
    return left_out, total


def page():
    left_out, total = split()
    by_reason = defaultdict(list)
    for name, why in left_out.items():
        by_reason[why].append(name)
    lines = ["# Tests of ONNX operators", "", "## The official tests that are not run", "",
             f"onnx {onnx.__version__} has {total} node, simple and PyTorch tests; "
             f"{total - len(left_out)} run and pass,",
             f"{len(left_out)} are left out for the reasons below. "
             "Made by `python tests/python/test_onnx_backend.py --write`.", "",
             "| tests | reason | first of them |", "|---|---|---|"]
    for why, names in sorted(by_reason.items(), key=lambda item: (-len(item[1]), item[0])):
        lines.append(f"| {len(names)} | {why} | `{names[0]}` |")
    return "\n".join([*lines, "", "## Operators, versions, types", "", *test_op_types.table()]) + "\n"


def test_list_is_fresh():
    with open(PAGE) as f:
        assert f.read() == page(), "run: python tests/python/test_onnx_backend.py --write"


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        with open(PAGE, "w") as out:
            out.write(page())
else:
    suite = Runner(noria.backend, __name__)
    suite.exclude("_cuda$")
    for excluded in split()[0]:
        suite.exclude(f"^{re.escape(excluded)}_cpu$")
    globals().update(suite.test_cases)
