"""The interpreter against the official ONNX data sets and compiled code: node models, after the first and a later stage.

Compiled code is held against the same data sets by test_onnx_backend.py, so the two agree wherever both pass.
"""

import re
import warnings

import numpy as np
import pytest
from test_onnx_backend import listed_reasons, lowered_ops, ops_of

import noria
from onnx_runner import Runner

pytestmark = pytest.mark.slow
MOST_ELEMENTS = 20_000  # of all inputs: the interpreter is slow


def cases():
    from onnx.backend.test.case.node import collect_testcases
    known, reasons = lowered_ops(), listed_reasons()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in collect_testcases(None):
            ops = set(ops_of(case.model.graph)) - {f.name for f in case.model.functions}
            listed = any(re.fullmatch(pattern, case.name) for pattern, _ in reasons)
            if ops <= known and not listed and not case.name.endswith("_expanded"):
                yield case


def as_array(value):
    import onnx
    if isinstance(value, onnx.TensorProto):
        return onnx.numpy_helper.to_array(value)
    return value


def size(values):
    return sum(np.size(as_array(v)) for v in values if not isinstance(v, list) and v is not None)


@pytest.mark.parametrize("stage", ["tensor", "flow", "buffer", "kernel", "cf", "expand"])
def test_node_models(stage):
    failures, run = [], 0
    for case in cases():
        for inputs, outputs in case.data_sets:
            inputs, outputs = [as_array(v) for v in inputs], [as_array(v) for v in outputs]
            if size(inputs) + size(outputs) > MOST_ELEMENTS:
                continue
            options = noria.SessionOptions()
            options.interpret_after = stage
            options.time_limit = 20
            run += 1
            try:
                session = noria.InferenceSession(case.model.SerializeToString(), options)
                got = session.run(None, dict(zip([i.name for i in session.get_inputs()], inputs)))
                Runner.assert_similar_outputs(outputs, got, rtol=case.rtol, atol=case.atol, model_dir=None)
            except Exception as e:  # all of them are listed at the end
                failures.append(f"{case.name}: {str(e)[:200]}")
    assert not failures, f"{len(failures)} of {run}:\n" + "\n".join(failures)
    assert run > 800
