"""What the tool leaves in the file system: on full disks, through symbolic links, and when it is killed."""
import os
import random
import shutil
import signal
import subprocess
import time

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from conftest import BUILD, ROOT

TOOL = str(BUILD / "noria")
TEXT = str(ROOT / "tests" / "tools" / "run.mlir")
GCD = ["--entry=gcd", "48", "180"]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """x + a constant of 4 MB."""
    path = tmp_path_factory.mktemp("files") / "model.onnx"
    weights = numpy_helper.from_array(np.arange(1 << 20, dtype=np.float32), "w")
    value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1 << 20]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"])], "g", value[:1], value[1:], [weights])
    opset = [helper.make_opsetid("", 21)]
    path.write_bytes(helper.make_model(graph, ir_version=10, opset_imports=opset).SerializeToString())
    return path


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"], ["--version"], ["run", "--help"], ["compile", "--help"], ["bench", "--help"], ["show", "--help"],
        ["reduce", "--help"], ["opt", "--help"], ["opt", "--version"], ["opt", "--list-ops"], ["opt", "--list-passes"],
        ["opt", "--list-pipeline"], ["opt", TEXT], ["show", TEXT], ["run", TEXT, *GCD],
        ["run", TEXT, *GCD, "--stop-after=buffer"], ["run", TEXT, *GCD, "--check-stages"],
        ["run", TEXT, *GCD, "--output", "result0=@-"], ["bench", TEXT, *GCD],
        ["compile", TEXT, "--entry=gcd", "--emit=ll", "-o", "-"], ["compile", TEXT, "--entry=gcd", "--emit=obj", "-o", "-"],
        ["reduce", TEXT, "--quiet", "--seconds=0.001", "--test=! true"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_output_that_does_not_arrive_is_an_error(arguments):
    with open("/dev/full", "w") as full:
        done = subprocess.run([TOOL, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
    assert done.returncode == 1, done
    assert done.stderr.count("No space left on device") == 1, done.stderr
    assert done.stderr.strip().count("\n") == 0 or "--check-stages" in arguments, done.stderr


@pytest.mark.parametrize("arguments", [["opt", TEXT, "-o"], ["compile", TEXT, "--entry=gcd", "--emit=so", "-o"],
                                       ["compile", TEXT, "--entry=gcd", "--emit=asm", "-o"]], ids=" ".join)  # fmt: skip
def test_a_full_device_is_an_error(arguments):
    done = subprocess.run([TOOL, *arguments, "/dev/full"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 1 and "'/dev/full': No space left on device" in done.stderr, done


def test_closed_output_is_an_error(tmp_path):
    """Also where a file is opened in the meantime, which must not get the messages."""
    command = f"exec {TOOL} run {TEXT} {' '.join(GCD)} >&-"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "standard output: Bad file descriptor" in done.stderr, done
    out = tmp_path / "y.npy"
    done = subprocess.run(["sh", "-c", f"exec {TOOL} run {TEXT} {' '.join(GCD)} --output result0=@{out} <&- >&- 2>&-"],
                          timeout=60)  # fmt: skip
    assert done.returncode == 0 and np.load(out) == 12


def test_links_are_written_through(tmp_path, model):
    """An existing file behind a chain of links, and one that there is not yet; the links stay."""
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link.so").symlink_to("real/link.so")
    (real / "link.so").symlink_to("model.so")
    for mode in (None, 0o640):
        if mode:
            (real / "model.so").write_text("old")
            (real / "model.so").chmod(mode)
        done = subprocess.run([TOOL, "compile", model, "-o", tmp_path / "link.so"], capture_output=True, text=True)
        assert done.returncode == 0, done
        assert sorted(os.listdir(tmp_path)) == ["link.so", "real"] and sorted(os.listdir(real)) == ["link.so", "model.so"]
        assert (tmp_path / "link.so").is_symlink() and (real / "link.so").is_symlink()
        assert (real / "model.so").stat().st_mode & 0o777 == (mode or 0o777 & ~umask())
        assert "x " in subprocess.run([TOOL, "show", real / "model.so"], capture_output=True, text=True).stdout


def umask():
    old = os.umask(0o22)
    os.umask(old)
    return old


def test_a_linker_that_makes_its_output_itself(tmp_path, model):
    """LLVM's linker cannot write to an open file."""
    lld = shutil.which("ld.lld") or shutil.which("ld.lld-22")
    clang = shutil.which("clang-22") or shutil.which("clang")
    if not lld or not clang:
        pytest.skip("there is no clang with lld")
    for folder in ("bin", "out", "tmp"):
        (tmp_path / folder).mkdir()
    (tmp_path / "bin" / "cc").write_text(f'#!/bin/sh\nexec {clang} --ld-path={lld} "$@"\n')
    (tmp_path / "bin" / "cc").chmod(0o755)
    environment = dict(os.environ, PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}", TMPDIR=str(tmp_path / "tmp"))
    out = tmp_path / "out" / "m.so"
    done = subprocess.run([TOOL, "compile", model, "-o", out], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done
    assert os.listdir(tmp_path / "out") == ["m.so"] and os.listdir(tmp_path / "tmp") == []
    assert "x " in subprocess.run([TOOL, "show", out], capture_output=True, text=True).stdout
    (tmp_path / "bin" / "cc").write_text('#!/bin/sh\necho "no, not today" >&2; exit 3\n')
    done = subprocess.run([TOOL, "compile", model, "-o", out], capture_output=True, text=True, env=environment)
    assert done.returncode == 1 and "the linker 'cc' could not make" in done.stderr and "not today" in done.stderr
    assert os.listdir(tmp_path / "out") == ["m.so"] and os.listdir(tmp_path / "tmp") == []


def test_a_library_is_linked_from_objects_that_are_made_in_parallel(tmp_path):
    """An object for the host program and at least one for the executables; the result is that of code in memory."""
    text = "".join(
        f"  %e{i} = tensor.empty() : tensor<512x512xf32>\n"
        f"  %y{i} = linalg.matmul ins(%y{i - 1}, %w : tensor<512x512xf32>, tensor<512x512xf32>) "
        f"outs(%x : tensor<512x512xf32>) -> tensor<512x512xf32>\n"
        f"  %y{i + 1} = linalg.elementwise kind=#linalg.elementwise_kind<{kind}> "
        f"ins(%y{i} : tensor<512x512xf32>) outs(%e{i} : tensor<512x512xf32>) -> tensor<512x512xf32>\n"
        for i, kind in ((1, "tanh"), (3, "exp"))
    ).replace("%y0", "%x")
    (tmp_path / "p.mlir").write_text(
        "func.func @main(%x: tensor<512x512xf32>, %w: tensor<512x512xf32>) -> tensor<512x512xf32> {\n"
        f"{text}  return %y4 : tensor<512x512xf32>\n}}\n"
    )
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "cc").write_text(
        f'#!/bin/sh\nfor word; do case "$word" in /proc/*) echo "$word" >> {tmp_path}/files;; esac; done\n'
        f'exec {shutil.which("cc")} "$@"\n'
    )
    (tmp_path / "bin" / "cc").chmod(0o755)
    environment = dict(os.environ, PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    rng = np.random.default_rng(0)
    for name in "xw":
        np.save(tmp_path / f"{name}.npy", rng.normal(0, 0.01, (512, 512)).astype(np.float32))
    subprocess.run([TOOL, "compile", tmp_path / "p.mlir", "-o", tmp_path / "p.so"], check=True, env=environment)
    files = (tmp_path / "files").read_text().split()  # the library and its objects
    assert len(files) == len(set(files)) >= 3, files
    inputs = [f"@{tmp_path / 'x.npy'}", f"@{tmp_path / 'w.npy'}"]
    for program in ("p.mlir", "p.so"):
        output = f"result0=@{tmp_path / program}.npy"
        subprocess.run([TOOL, "run", tmp_path / program, *inputs, "--output", output], check=True)
    assert np.array_equal(np.load(tmp_path / "p.mlir.npy"), np.load(tmp_path / "p.so.npy"))


def kill_at_random(command, folders, seconds, how):
    """Kills runs of the command at random moments of the time that it takes. No file may be left but the output."""
    rng = random.Random(how)
    environment = dict(os.environ, TMPDIR=str(folders[0]))
    killed = 0
    for _ in range(12):
        process = subprocess.Popen(command, env=environment, start_new_session=True, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)  # fmt: skip
        time.sleep(rng.uniform(0, seconds))
        if how == "group":
            os.killpg(process.pid, signal.SIGKILL)
        elif how == signal.SIGINT:  # as a terminal sends it
            os.killpg(process.pid, how)
        else:
            process.send_signal(how)
        killed += process.wait() != 0
    return killed


def leftovers(folders):
    """What is there that does not go away: what a killed process left to others takes a moment."""
    for _ in range(100):
        left = [name for folder in folders for name in os.listdir(folder) if name != "out.so"]
        if not left:
            return []
        time.sleep(0.1)
    return left


def time_of(command):
    start = time.monotonic()
    subprocess.run(command, check=True, capture_output=True)
    return time.monotonic() - start


@pytest.mark.parametrize("how", [signal.SIGKILL, "group", signal.SIGTERM, signal.SIGINT], ids=str)
def test_nothing_is_left_of_a_killed_compile(tmp_path, model, how):
    folders = [tmp_path / "tmp", tmp_path / "out"]
    for folder in folders:
        folder.mkdir()
    out = folders[1] / "out.so"
    command = [TOOL, "compile", str(model), "-o", str(out)]
    seconds = time_of(command)
    killed = kill_at_random(command, folders, seconds, how)
    assert killed and leftovers(folders) == []
    assert "x " in subprocess.run([TOOL, "show", out], capture_output=True, text=True).stdout  # whole, always


@pytest.mark.parametrize("how", [signal.SIGKILL, "group", signal.SIGTERM, signal.SIGINT], ids=str)
def test_nothing_is_left_of_a_killed_reduce(tmp_path, how):
    command = [TOOL, "reduce", str(ROOT / "tests" / "tools" / "Inputs" / "reduce.mlir"), "--test=sleep 1; false"]
    killed = kill_at_random(command, [tmp_path], 0.3, how)
    assert killed and leftovers([tmp_path]) == []
