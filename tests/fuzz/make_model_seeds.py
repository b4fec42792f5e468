#!/usr/bin/env python3
"""Writes the models that the mutator starts from into a folder: make_model_seeds.py FOLDER [--tests] [--nets FOLDER]

Those are the official backend cases, the models in the installed wheels and in tests/, and models of each op that the
random tests draw. With --nets also the models of a folder, which may be large (`make models` writes such): what is
large in them is weights, and those become inputs of the graph. With --tests also all models that the Python tests and
the unit tests make, which takes a minute: the tests run with a session that only gives back nothing.
"""
import argparse
import glob
import hashlib
import pathlib
import subprocess
import sys
import sysconfig
import tempfile
import unittest.mock
import warnings
import zlib

import numpy as np
import onnx
import onnx.parser

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "python"), str(TESTS.parent / "python")]
DRAWN = 3           # models of each op that the random tests draw
MOST = 256 * 1024   # bytes of a seed: larger ones are slow
WEIGHT = 1024       # bytes of a tensor that a net has as an input


class Folder:
    """Equal models are written once; a name that is in use gets a number."""

    def __init__(self, path):
        self.path, self.seen, self.names = path, set(), set()
        path.mkdir(parents=True, exist_ok=True)
        for old in path.glob("*.onnx"):
            old.unlink()

    def save(self, name, model):
        data = model if isinstance(model, bytes) else model.SerializeToString(deterministic=True)
        digest = hashlib.sha256(data).digest()
        if len(data) > MOST or digest in self.seen:
            return
        self.seen.add(digest)
        free, number = name, 1
        while free in self.names:
            free, number = f"{name}_{number}", number + 1
        self.names.add(free)
        (self.path / f"{free}.onnx").write_bytes(data)


def official(folder):
    from onnx.backend.test.case.node import collect_testcases
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in collect_testcases(None):
            folder.save(case.name.removeprefix("test_"), case.model)


def stored(folder):
    roots = [TESTS, pathlib.Path(sysconfig.get_paths()["purelib"])]
    for root in roots:
        for path in sorted(glob.glob(f"{root}/**/*.onnx", recursive=True)):
            path = pathlib.Path(path)
            name = path.parent.name.removeprefix("test_") if path.stem == "model" else path.stem
            folder.save(name, path.read_bytes())


def without_weights(model):
    """The net with its large tensors as inputs."""
    graph, kept = model.graph, []
    named = {value.name for value in graph.input}
    for tensor in graph.initializer:
        if tensor.ByteSize() <= WEIGHT and tensor.data_location != onnx.TensorProto.EXTERNAL:
            kept.append(tensor)
        elif tensor.name not in named:
            graph.input.append(onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims))
    del graph.initializer[:]
    graph.initializer.extend(kept)
    return model


def nets(folder, path):
    for net in sorted(path.rglob("*.onnx")):
        folder.save(f"net_{net.stem}", without_weights(onnx.load(net, load_external_data=False)))


def drawn(folder):
    import random_ops_attention  # noqa: F401  (fills GENERATORS)
    import random_ops_image  # noqa: F401
    import random_ops_ml  # noqa: F401
    import random_ops_move  # noqa: F401
    import random_ops_nn    # noqa: F401
    import random_ops_quant  # noqa: F401
    import random_ops_trees  # noqa: F401
    from random_draw import Draw, model_of
    from random_ops import GENERATORS
    for op in sorted(GENERATORS):
        for number in range(DRAWN):
            draw = Draw([number, zlib.crc32(op.encode())])
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                folder.save(f"drawn_{op}", model_of(draw, draw.choose(*GENERATORS[op])(draw, op))[0])


def made_by_tests(folder):
    """Every model that the Python tests parse, put together or open."""
    import pytest
    import noria
    parse, make = onnx.parser.parse_model, onnx.helper.make_model

    def parsed(text):
        model = parse(text)
        folder.save("parsed", model)
        return model

    def made(graph, **more):
        model = make(graph, **more)
        folder.save("made", model)
        return model

    def opened(model, *_, **__):
        if isinstance(model, (bytes, bytearray)):
            folder.save("opened", bytes(model))
        elif str(model).endswith(".onnx") and pathlib.Path(model).exists():
            folder.save("opened", pathlib.Path(model).read_bytes())
        return unittest.mock.MagicMock()

    onnx.parser.parse_model, onnx.helper.make_model, noria.InferenceSession = parsed, made, opened
    nothing = subprocess.CompletedProcess([], 1, "", "")
    tests = sorted(str(path) for path in (TESTS / "python").glob("test_*.py")
                   if "InferenceSession" in path.read_text() and path.name not in ("test_onnx_backend.py",
                                                                                   "test_ops_random.py"))
    with unittest.mock.patch("subprocess.run", return_value=nothing), unittest.mock.patch("subprocess.Popen"):
        pytest.main(["-q", "-p", "no:cacheprovider", "--no-header", "--tb=no", "--no-summary", *tests])
    onnx.parser.parse_model, onnx.helper.make_model = parse, make


def made_by_unit_tests(folder):
    for maker in sorted(TESTS.glob("unit/*/make_*.py")):
        with tempfile.TemporaryDirectory() as out:
            subprocess.run([sys.executable, maker, out], check=True)
            for path in sorted(pathlib.Path(out).rglob("*.onnx")):
                folder.save(path.stem, path.read_bytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tests", action="store_true", help="also the models that the tests make")
    parser.add_argument("--nets", type=pathlib.Path, help="also the models of this folder, without their weights")
    options = parser.parse_args()
    folder = Folder(options.folder)
    stored(folder)
    official(folder)
    drawn(folder)
    made_by_unit_tests(folder)
    if options.nets:
        nets(folder, options.nets)
    if options.tests:
        made_by_tests(folder)
    print(f"{len(folder.names)} models")


if __name__ == "__main__":
    main()
