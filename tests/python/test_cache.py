"""The cache of compiled programs: what is found in it, what is not, and that nothing in it can do harm."""
import os
import pathlib
import stat
import subprocess
import sys
import time

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import noria
from conftest import BUILD

TOOL = str(BUILD / "noria")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "cache"


def save_model(path, weight, external=False):
    """y = (x + w) * w"""
    w = numpy_helper.from_array(weight, "w")
    nodes = [helper.make_node("Add", ["x", "w"], ["s"]), helper.make_node("Mul", ["s", "w"], ["y"])]
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, ["N", len(weight)]) for n in "xy")
    model = helper.make_model(helper.make_graph(nodes, "g", [x], [y], [w]), ir_version=8,
                              opset_imports=[helper.make_opsetid("", 17)])
    onnx.save(model, path, save_as_external_data=external, location="weights.bin", size_threshold=0)
    return str(path)


def weight(seed, size=256):
    return np.random.default_rng(seed).standard_normal(size).astype(np.float32)


def tool(folder, *args, **environment):
    env = {**os.environ, "NORIA_CACHE": str(folder), **environment}
    return subprocess.run([TOOL, *map(str, args)], capture_output=True, text=True, env=env, timeout=120)


def run(folder, model, w, **environment):
    """Runs the model by the tool, checks what it gives, and tells whether it was in the cache."""
    done = tool(folder, "run", model, f"--input=x=ones:2x{len(w)}xf32", "--time", "--output", f"y=@{model}.npy",
                **environment)
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(np.load(f"{model}.npy"), np.tile((1 + w) * w, (2, 1)))
    return "lower" not in done.stderr


def programs(folder):
    """The files that hold more than a digest."""
    return sorted((f for f in folder.iterdir() if f.stat().st_size > 100), key=lambda f: f.stat().st_size)


def test_a_program_is_compiled_once(folder, tmp_path):
    w = weight(0)
    model = save_model(tmp_path / "m.onnx", w)
    assert not run(folder, model, w)
    assert run(folder, model, w)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(f.stat().st_mode) == 0o600 for f in folder.iterdir())


def test_other_contents_are_another_program(folder, tmp_path):
    a, b = weight(0), weight(1)
    model = save_model(tmp_path / "m.onnx", a)
    assert not run(folder, model, a)
    save_model(model, b)
    assert not run(folder, model, b)
    save_model(model, a)
    assert run(folder, model, a)


def test_options_are_part_of_the_key(folder, tmp_path):
    model = save_model(tmp_path / "m.onnx", weight(0))
    for count, options in enumerate([(), ("--shape=N=2",), ("--shape=N=3",), ("-O=1",), ("--features=-avx512f",)], 1):
        rows = 3 if "--shape=N=3" in options else 2
        for _ in range(2):
            done = tool(folder, "run", model, f"--input=x=ones:{rows}x256xf32", *options)
            assert done.returncode == 0, done.stderr
        assert len(programs(folder)) == count


def test_off(folder, tmp_path):
    w = weight(0)
    model = save_model(tmp_path / "m.onnx", w)
    assert not run("off", model, w) and not run("off", model, w)
    done = tool(folder, "run", model, "--input=x=ones:2x256xf32", "--cache=off")
    assert done.returncode == 0 and not folder.exists()


def test_text_keeps_its_types(folder, tmp_path):
    text = tmp_path / "f.mlir"
    text.write_text("func.func @f(%a: i64, %b: tensor<2xf32>) -> (i64, tensor<2xf32>) {\n"
                    "  %r = arith.muli %a, %a : i64\n  return %r, %b : i64, tensor<2xf32>\n}\n")
    first, second = (tool(folder, "run", text, "7", "[1, 2]") for _ in range(2))
    assert first.stdout == second.stdout == "49 : i64\ndense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>\n"
    assert len(programs(folder)) == 1


def test_damaged_files_are_not_used(folder, tmp_path):
    w = weight(0)
    model = save_model(tmp_path / "m.onnx", w)
    run(folder, model, w)
    entry, = programs(folder)
    good = entry.read_bytes()
    rng = np.random.default_rng(0)
    for at in [*range(0, 64, 8), *rng.integers(64, len(good), 8)]:
        entry.write_bytes(good[:at] + bytes([good[at] ^ 1 << int(rng.integers(8))]) + good[at + 1:])
        assert not run(folder, model, w), at
        assert run(folder, model, w), at
    for size in [0, 1, 63, 64, 65, len(good) // 2, len(good) - 64, len(good) - 1]:
        entry.write_bytes(good[:size])
        assert not run(folder, model, w), size
    entry.write_bytes(good + bytes(64))
    assert not run(folder, model, w)


def test_damaged_digests_are_not_used(folder, tmp_path):
    a, b = weight(0), weight(1)
    model = save_model(tmp_path / "m.onnx", a)
    time.sleep(2.5)  # a file that was just written is read each time
    run(folder, model, a)
    known, = (f for f in folder.iterdir() if f.stat().st_size == 40)
    of_a = known.read_bytes()
    known.write_bytes(of_a[:39] + bytes([of_a[39] ^ 1]))
    assert run(folder, model, a)
    assert known.read_bytes() == of_a
    known.write_bytes(bytes(40))
    assert run(folder, model, a)
    save_model(model, b)
    assert not run(folder, model, b)


def test_folders_and_files_of_others_are_refused(folder, tmp_path):
    w = weight(0)
    model = save_model(tmp_path / "m.onnx", w)
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    assert not run(folder, model, w) and not list(folder.iterdir())
    done = tool(folder, "cache")
    assert done.returncode == 1 and "is open to other users" in done.stderr
    folder.chmod(0o700)
    run(folder, model, w)
    entry, = programs(folder)
    entry.chmod(0o622)
    assert not run(folder, model, w)
    elsewhere = tmp_path / "elsewhere"
    entry.rename(elsewhere)
    entry.symlink_to(elsewhere)
    assert not run(folder, model, w) and not entry.is_symlink()
    link = tmp_path / "link"
    link.symlink_to(folder)
    assert not run(link, model, w)
    if os.geteuid() == 0:
        os.chown(entry, 1, 1)
        assert not run(folder, model, w)
        os.chown(folder, 1, 1)
        assert not run(folder, model, w)
        assert "belongs to another user" in tool(folder, "cache").stderr


def test_the_oldest_goes_first(folder, tmp_path):
    weights = [weight(i, 30000) for i in range(4)]
    models = [save_model(tmp_path / f"{i}.onnx", w) for i, w in enumerate(weights)]
    bound = {"NORIA_CACHE_SIZE": "400K"}  # three of 120,000 bytes and some code
    for i in range(3):
        assert not run(folder, models[i], weights[i], **bound)
    assert run(folder, models[0], weights[0], **bound)
    assert not run(folder, models[3], weights[3], **bound)
    assert sum(f.stat().st_size for f in folder.iterdir()) <= 400 << 10
    assert run(folder, models[0], weights[0], **bound)
    assert not run(folder, models[1], weights[1], **bound)
    large = weight(5, 100000)
    for _ in range(2):  # more than half of the bound
        assert not run(folder, save_model(tmp_path / "large.onnx", large), large, **bound)


def test_processes_side_by_side(folder, tmp_path):
    w = weight(0)
    model = save_model(tmp_path / "m.onnx", w)
    command = [sys.executable, "-c", f"import noria, numpy as np; s = noria.InferenceSession({model!r}); "
               "print(s.run(None, {'x': np.ones((1, 256), np.float32)})[0].tobytes().hex())"]
    env = {**os.environ, "NORIA_CACHE": str(folder)}
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env) for _ in range(4)]
    expected = ((1 + w) * w).tobytes().hex()
    assert [p.communicate(timeout=120)[0].strip() for p in started] == [expected] * 4
    assert len(programs(folder)) == 1 and not list(folder.glob("new.*"))


def test_external_data(folder, tmp_path):
    a, b = weight(0), weight(1)
    model = save_model(tmp_path / "m.onnx", a, external=True)
    assert not run(folder, model, a)
    assert not [f for f in folder.iterdir() if f.stat().st_size > 100]  # it may yet change without a trace
    time.sleep(2.5)
    assert not run(folder, model, a)
    assert run(folder, model, a)
    assert programs(folder)[-1].stat().st_size < 1 << 16
    weights = pathlib.Path(tmp_path / "weights.bin")
    weights.write_bytes(b.tobytes())
    assert not run(folder, model, b)
    time.sleep(2.5)
    assert not run(folder, model, b)
    assert run(folder, model, b)
    weights.unlink()
    done = tool(folder, "run", model, "--input=x=ones:2x256xf32")
    assert done.returncode == 1 and "weights.bin" in done.stderr


def test_python(folder, tmp_path, monkeypatch):
    w = weight(0)
    model = save_model(tmp_path / "m.onnx", w)
    x = np.ones((1, 256), np.float32)
    options = noria.SessionOptions()
    options.cache = folder
    for source in (model, model, pathlib.Path(model).read_bytes(), pathlib.Path(model).read_bytes()):
        result, = noria.InferenceSession(source, options).run(None, {"x": x})
        np.testing.assert_array_equal(result[0], (1 + w) * w)
    assert len(programs(folder)) == 2  # a file's name is in the program's messages
    options.cache = None
    monkeypatch.setenv("NORIA_CACHE", str(tmp_path / "other"))
    noria.InferenceSession(model, options)
    assert len(programs(tmp_path / "other")) == 1


def test_show_and_clear(folder, tmp_path):
    w = weight(0)
    model = save_model(tmp_path / "m.onnx", w)
    run(folder, model, w)
    (folder / "notes.txt").write_text("not ours")
    (folder / "new.1.2.3").write_text("left by a process that was killed")
    shown = tool(folder, "cache", "show")
    assert shown.returncode == 0 and str(folder) in shown.stdout and "of at most 4 GiB" in shown.stdout
    assert tool(folder, "cache", "clear").returncode == 0
    assert [f.name for f in folder.iterdir()] == ["notes.txt"]
    assert not run(folder, model, w)
    assert tool("off", "cache").stdout == "off: compiled programs are not kept\n"
    assert tool(folder, "cache", "empty").returncode == 2
