"""Every version of every op that package onnx knows: random nodes of that version against ONNX Runtime, the package's
reference, or NumPy. A version that has no test and no reason is a failure of test_every_version.

    python tests/python/test_op_versions.py 20 [op ...]     # twenty nodes of each version
"""
import collections
import os
import re
import sys
import zlib

import numpy as np
import onnx
import pytest
import test_control_flow
import test_control_flow_if_scan
from random_draw import NEWEST, Draw, difference, expected, model_of
from random_ops import GENERATORS
from test_ops_random import described

import noria

NODES, TRIES = 2, 60
ROOT = os.path.join(os.path.dirname(__file__), "..", "..")

# Ops of one node are not enough for: {op: versions that a test is parametrised by}.
ELSEWHERE = {"If": test_control_flow_if_scan.IF_VERSIONS, "Scan": [8, *test_control_flow_if_scan.SCAN_VERSIONS],
             "Loop": test_control_flow.VERSIONS}
# The versions that only say that an op is no longer to be used. (Upsample-10 and Scatter-11 are in models.)
WITHDRAWN = {("ai.onnx.ml.TreeEnsembleClassifier", 5), ("ai.onnx.ml.TreeEnsembleRegressor", 5)}
# Ops of one version whose tests are of another kind: {op: where they are}.
OF_OTHER_KIND = {
    "ImageDecoder": "the official tests",
    "ai.onnx.ml.CastMap": "maps: tests of their own", "ai.onnx.ml.DictVectorizer": "maps: tests of their own",
    "ai.onnx.ml.ZipMap": "maps: tests of their own", "ai.onnx.preview.training.Gradient": "test_onnx_gradient.py",
    "ai.onnx.preview.training.Adagrad": "test_onnx_random.py", "ai.onnx.preview.training.Adam": "test_onnx_random.py",
    "ai.onnx.preview.training.Momentum": "test_onnx_random.py"}


class Unfit(Exception):
    """A generator that does not draw this version."""


class DrawVersion(Draw):
    """Draws nodes of one version."""

    def __init__(self, seed, version):
        super().__init__(seed)
        self.version = version

    def opset(self, op, least=1):
        if self.version < least:
            raise Unfit
        return self.version


def all_versions():
    """{(op, version): its schema}"""
    return {(f"{s.domain}.{s.name}" if s.domain else s.name, s.since_version): s
            for s in onnx.defs.get_all_schemas_with_history()}


VERSIONS = all_versions()
ELSE = "a test is parametrised by it"


with open(os.path.join(ROOT, "src", "onnx", "lower", "core", "lower.def")) as table:
    LOWERED = set(re.findall(r"^LOWER\(([\w.]+)", table.read(), re.M))


def reason(op, version):
    """Why a version is not drawn here, or an empty string."""
    if op in ELSEWHERE:
        return ELSE if version in ELSEWHERE[op] else ""
    if (op, version) in WITHDRAWN:
        return "withdrawn"
    if op not in LOWERED:
        return "no lowering"
    return OF_OTHER_KIND.get(op, "")


TESTED = [(op, v) for op, v in sorted(VERSIONS) if not reason(op, v) and op not in ELSEWHERE]


def later_versions(op, version):
    return [v for o, v in VERSIONS if o == op and v > version]


def with_consumed_inputs(case, names, results):
    """Adds the attribute consumed_inputs of opset 1, which does not change what is computed."""
    node = (case.op, names, results, case.attrs)
    case.twin = case.twin or [node]
    case.nodes = [(*node[:3], case.attrs | {"consumed_inputs": [0] * len(names)})]


def draw(op, version, number):
    """(draw, case) of this version, or None."""
    domain = op.rpartition(".")[0]
    d = DrawVersion([number, version, zlib.crc32(op.encode())], version if not domain else NEWEST)
    try:
        case = d.choose(*GENERATORS.get(op, [None]))(d, op)
    except Unfit:
        return None
    at = dict(case.versions).get(domain, {"ai.onnx.ml": 5}.get(domain, 1)) if domain else case.opset
    if at < version or any(at >= v for v in later_versions(op, version)):
        return None
    schema = VERSIONS[op, version]
    if "consumed_inputs" in schema.attributes and not case.nodes and (
            schema.attributes["consumed_inputs"].required or d.chance()):
        wanted = list(range(case.outputs)) if isinstance(case.outputs, int) else case.outputs
        with_consumed_inputs(case, [f"x{i}" if x is not None else "" for i, x in enumerate(case.inputs)],
                             [f"y{k}" if k in wanted else "" for k in range(max(wanted) + 1)])
    if case.opset > NEWEST and not case.ask and any(o == op and v <= NEWEST for o, v in VERSIONS):
        case.ask = NEWEST  # they have more types than it
    return d, case


def check(op, version, count):
    """(how many nodes were right, what is wrong); 0 when none is drawn whose answer anybody knows."""
    right, unknown = 0, ""
    for number in range(TRIES * count):
        drawn = draw(op, version, number)
        if not drawn or right == count:
            continue
        d, case = drawn
        with np.errstate(all="ignore"):
            model, twin, feeds = model_of(d, case)
            wants, who = expected(case, twin, feeds)
        try:
            got = noria.InferenceSession(model.SerializeToString()).run(None, feeds)
        except noria.Error as e:
            return right, f"number {number}: {described(case, model)}: {e}"
        if wants is None:
            unknown = who
            continue
        for k, (g, w) in enumerate(zip(got, wants, strict=True)):
            wrong = difference(g, w, max(case.tolerance, 1e-6 if who == "onnx" else 0))
            if wrong:
                return right, f"number {number}: {described(case, model)}: output {k}: {wrong} ({who})"
        right += 1
    return right, "" if right else f"no node of this version whose answer is known: {unknown}"


@pytest.mark.slow
@pytest.mark.parametrize("op, version", TESTED, ids=[f"{op}-{v}" for op, v in TESTED])
def test_version(op, version):
    wrong = check(op, version, NODES)[1]
    assert not wrong, wrong


def test_every_version():
    missing = [f"{op}-{v}" for op, v in VERSIONS if (op, v) not in TESTED and not reason(op, v)]
    assert not missing, missing
    known = {op for op, _ in VERSIONS}
    assert not {*ELSEWHERE, *OF_OTHER_KIND, *(op for op, _ in WITHDRAWN)} - known


def main(count, *names):
    sums = collections.Counter()
    for op, version in TESTED:
        if names and op not in names:
            continue
        try:
            right, wrong = check(op, version, count)
        except Exception as e:  # of the generator
            right, wrong = 0, f"{type(e).__name__}: {e}"
        sums["versions"] += 1
        sums["right nodes"] += right
        if wrong:
            sums["wrong"] += 1
            print(f"{op}-{version} {wrong[:600]}", flush=True)
    print(dict(sums))


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
