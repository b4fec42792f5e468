"""What tests/fuzz/shapes takes for rounding: no more than the elements' last places explain."""
import importlib.util
import pathlib
import types

import numpy as np
import pytest

PATH = pathlib.Path(__file__).parents[1] / "fuzz" / "shapes" / "__main__.py"


@pytest.fixture(scope="module")
def fuzz():
    spec = importlib.util.spec_from_file_location("fuzz_shapes", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Gives:
    """A session that gives what the function says."""

    def __init__(self, function):
        self.run = lambda _, feeds: [np.asarray(function(feeds["x"]), np.float32)]


def layer_norm(x):
    """As f32, adding one element after the other."""
    total = np.float32(0)
    for v in x:
        total += v
    centre = x - total / np.float32(x.size)
    return centre / np.sqrt(np.mean(np.square(centre)) + np.float32(1e-5))


def state(fuzz, x, wrong, op="LayerNormalization"):
    runner = fuzz.Runner.__new__(fuzz.Runner)
    runner.trial = types.SimpleNamespace(op=op, feeds={"x": x}, case=types.SimpleNamespace(tolerance=1e-3))
    runner.want, runner.got = Gives(layer_norm), Gives(wrong)
    return runner.run([])[0]


EQUAL = np.full(50, -.15010671, np.float32)
SPREAD = np.linspace(-1, 1, 50, dtype=np.float32)


def exact(x):
    centre = x.astype(np.float64) - x.astype(np.float64).mean()
    return centre / np.sqrt(np.mean(np.square(centre)) + 1e-5)


def test_rounding_of_equal_elements_is_no_difference(fuzz):
    assert abs(layer_norm(EQUAL) - exact(EQUAL)).max() > 1e-5
    assert state(fuzz, EQUAL, exact) == "same"
    assert state(fuzz, EQUAL, exact, op="Mul") == "wrong"


@pytest.mark.parametrize("wrong", [lambda x: exact(x) + .01, lambda x: exact(x) * np.nan, lambda x: x])
def test_more_than_rounding_is_a_difference(fuzz, wrong):
    assert state(fuzz, EQUAL, wrong) == "wrong"


@pytest.mark.parametrize("wrong", [lambda x: exact(x) * 1.01, lambda x: exact(x) + .01, lambda x: exact(x)[::-1]])
def test_elements_that_differ_have_no_such_rounding(fuzz, wrong):
    assert state(fuzz, SPREAD, exact) == "same"
    assert state(fuzz, SPREAD, wrong) == "wrong"
