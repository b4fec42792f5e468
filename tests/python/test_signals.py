"""Ctrl-C during runs under every kind of handler, and sessions in forked children. Each program runs in a process of
its own, which gets a real SIGINT."""
import os
import signal
import subprocess
import sys
import time

import pytest
from onnx.parser import parse_model

# Goes round for ever when `go` is true.
LOOP = """<ir_version: 10, opset_import: ["": 21]>
g (bool go, float x) => (float y) {
  y = Loop <body = b (int64 i, bool c, float a) => (bool c2, float a2) { c2 = Identity(go)  a2 = Add(a, x) }> ("", go, x)
}"""

HEAD = """
import asyncio, os, signal, sys, threading, time
import numpy as np, noria

options = noria.SessionOptions()
session = noria.InferenceSession(sys.argv[1], options)

def run(go=True):
    return session.run(None, dict(go=np.array(go), x=np.array(1, np.float32)))[0]

def say(*words):
    print(" ".join(map(str, words)) + chr(10), end="", flush=True)  # in one write: threads say things too

def stopped(call):
    say("begin")
    try:
        call()
        say("it ended")
    except BaseException as error:
        say("stopped by", type(error).__name__, error)
    say("again", run(False))
"""

OWN = """
class Own(Exception): pass
def handler(number, frame):
    raise Own("of the program")
signal.signal(signal.SIGINT, handler)
stopped(run)
"""
DEFAULT = """
signal.signal(signal.SIGINT, lambda *_: None)
run(False)
signal.signal(signal.SIGINT, signal.default_int_handler)
stopped(run)
"""
# With the handler that Python installs itself, which the import of the package meets.
UNTOUCHED = "stopped(run)"
ASYNCIO = """
async def main():
    run()
stopped(lambda: asyncio.run(main()))
"""
ASYNCIO_THREAD = """
async def main():
    await asyncio.to_thread(run)
stopped(lambda: asyncio.run(main()))
"""
# Not thread.join: after a KeyboardInterrupt in it Python 3.11 takes the thread for ended.
THREAD = """
ended = threading.Event()
def work():
    try:
        run()
    except noria.Error as error:
        say("in the thread:", error)
    ended.set()
threading.Thread(target=work).start()
stopped(ended.wait)
ended.wait(60)
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("signals") / "loop.onnx"
    path.write_bytes(parse_model(LOOP).SerializeToString())
    return path


def start(model, program):
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", HEAD + program, model], stdout=pipe, stderr=pipe, text=True)


def interrupt(process):
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)


def expect_line(process, wanted):
    line = process.stdout.readline().strip()
    if wanted not in line:
        process.kill()
        pytest.fail(f"{wanted!r} expected, got {line!r}; {process.communicate()}")


def finish(process):
    try:
        return process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        pytest.fail(f"it did not stop: {process.communicate()}")


@pytest.mark.parametrize(
    "program, error",
    [
        (OWN, "Own of the program"),
        (DEFAULT, "KeyboardInterrupt"),
        (UNTOUCHED, "KeyboardInterrupt"),
        (ASYNCIO, "KeyboardInterrupt"),
        (ASYNCIO_THREAD, "KeyboardInterrupt"),
        (THREAD, "KeyboardInterrupt"),
    ],
    ids=["own", "default", "untouched", "asyncio", "asyncio-thread", "thread"],
)
def test_ctrl_c_ends_a_run(model, program, error):
    process = start(model, program)
    expect_line(process, "begin")
    interrupt(process)
    out, err = finish(process)
    assert process.returncode == 0 and f"stopped by {error}" in out and "again 1.0" in out, (out, err)
    if program == THREAD:
        assert "in the thread: " in out and "interrupted" in out, (out, err)


def test_a_handler_that_does_not_raise_lets_the_run_go_on(model):
    """The run has no end: what stops it is that the handler raises at the third signal."""
    process = start(model, """
count = 0
def handler(number, frame):
    global count
    count += 1
    say("handled", count)
    if count == 3:
        raise KeyError(count)
signal.signal(signal.SIGINT, handler)
stopped(run)
""")
    expect_line(process, "begin")
    for i in range(1, 4):
        interrupt(process)
        expect_line(process, f"handled {i}")
    out, err = finish(process)
    assert process.returncode == 0 and "stopped by KeyError 3" in out and "again 1.0" in out, (out, err)


def test_a_handler_of_the_program_decides_for_threads(model):
    """Runs in other threads go on under a handler of the program, here until their time is over."""
    process = start(model, """
options.time_limit = 3.0
session = noria.InferenceSession(sys.argv[1], options)
signal.signal(signal.SIGINT, lambda *_: say("handled"))
def work():
    try:
        run()
    except noria.Error as error:
        say("in the thread:", error)
thread = threading.Thread(target=work)
thread.start()
say("begin")
thread.join()
""")
    expect_line(process, "begin")
    interrupt(process)
    expect_line(process, "handled")
    out, err = finish(process)
    assert process.returncode == 0 and "time limit" in out, (out, err)


FORK = """
options.intra_op_num_threads = 2
options.time_limit = 0.1
session = noria.InferenceSession(sys.argv[1], options)

def use():
    global session
    signal.alarm(60)
    assert run(False) == 1
    try:
        run()
        return 2
    except noria.Error as error:
        if "time limit" not in str(error):
            return 3
    session = None  # destroys it
    session = noria.InferenceSession(sys.argv[1], options)
    return 0 if run(False) == 1 else 4
"""


def test_a_child_uses_the_sessions_of_its_parent(model):
    process = start(model, FORK + """
for used in range(2):  # before the parent's limit has a thread, and with it
    child = os.fork()
    if child == 0:
        os._exit(use())
    say("child", os.waitpid(child, 0)[1])
    try:
        run()
    except noria.Error as error:
        say("parent", error)
say("use", use())
""")
    out, err = finish(process)
    assert process.returncode == 0 and out.count("child 0\n") == 2 and out.count("time limit") == 2, (out, err)
    assert "use 0" in out, (out, err)


def test_a_pool_of_forked_processes(model):
    process = start(model, FORK + """
import multiprocessing
def task(i):
    return use()
assert use() == 0
with multiprocessing.get_context("fork").Pool(2) as pool:
    say("tasks", pool.map(task, range(8)))
""")
    out, err = finish(process)
    assert process.returncode == 0 and "tasks [0, 0, 0, 0, 0, 0, 0, 0]" in out, (out, err)


def test_ctrl_c_in_a_child(model):
    process = start(model, """
child = os.fork()
if child:
    _, status = os.waitpid(child, 0)
    sys.exit(os.waitstatus_to_exitcode(status))
say("child", os.getpid())
signal.signal(signal.SIGINT, signal.default_int_handler)
stopped(run)
""")
    pid = int(process.stdout.readline().split()[1])
    expect_line(process, "begin")
    time.sleep(0.5)
    os.kill(pid, signal.SIGINT)
    out, err = finish(process)
    assert process.returncode == 0 and "stopped by KeyboardInterrupt" in out and "again 1.0" in out, (out, err)
