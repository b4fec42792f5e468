"""Limits of compiling, and Ctrl-C while a model is compiled."""
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time

import pytest

import noria
from onnx import TensorProto, helper, save


def chain(length):
    """A model of so many nodes on scalars, in one function, for which LLVM takes long."""
    nodes = [helper.make_node("Mul", ["x", "y"], ["v0"])]
    for i in range(1, length):
        nodes.append(helper.make_node("Add" if i % 2 else "Mul", [f"v{i - 1}", f"v{i * 7919 % i // 2}"], [f"v{i}"]))
    graph = helper.make_graph(nodes, "chain", [helper.make_tensor_value_info(n, TensorProto.FLOAT, []) for n in "xy"],
                              [helper.make_tensor_value_info(f"v{length - 1}", TensorProto.FLOAT, [])])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


@pytest.mark.parametrize("field, value, message", [
    ("compile_time_limit", 0.0001, "compiling takes longer than the time limit of 0.0001 s"),
    ("compile_memory_limit", 100000, "compiling takes more memory than the limit of 97.66 KiB"),
    ("compile_time_limit", -1.0, "cannot be negative"),
])
def test_limits(field, value, message):
    options = noria.SessionOptions()
    setattr(options, field, value)
    model = chain(300).SerializeToString()
    with pytest.raises(noria.Error, match=message):
        noria.InferenceSession(model, options)
    session = noria.InferenceSession(model)  # another one is not affected
    assert len(session.get_inputs()) == 2


PROGRAM = """
import sys, noria
print("begin", flush=True)
try:
    noria.InferenceSession(sys.argv[1])
    print("compiled", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def threads_of(pid):
    return list(pathlib.Path(f"/proc/{pid}/task").iterdir())


def blocked_in_any_thread(pid, number):
    texts = [(path / "status").read_text() for path in threads_of(pid)]
    return any(int(re.search(r"SigBlk:\s*(\w+)", text)[1], 16) >> (number - 1) & 1 for text in texts)


def test_ctrl_c(tmp_path):
    """The process then ends while LLVM's thread still runs: quickly, and without a crash."""
    path = tmp_path / "chain.onnx"
    save(chain(80000), path)
    child = subprocess.Popen([sys.executable, "-c", PROGRAM, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True, env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)))
    assert child.stdout.readline() == "begin\n"
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    while child.poll() is None and len(threads_of(child.pid)) < 3:  # the caller's, a watchdog's, and LLVM's
        time.sleep(0.01)
    time.sleep(0.1)
    assert not blocked_in_any_thread(child.pid, signal.SIGSEGV)  # a crash during the exit is handled
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=300)
    assert (out, err, child.returncode) == ("interrupted\n", "", 0)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    assert used < 5  # seconds of the processor
