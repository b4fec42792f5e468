"""Inputs whose dims are not known before the run, fed with wrong shapes and values: an error that names input and dim,
never a read of what is not there. tests/fuzz/shapes looks for more of them."""
import time

import numpy as np
import onnx
import pytest
from onnx import helper

import noria

STEPS, BATCH, SIZE, HIDDEN = 4, 3, 2, 5
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def session(op, names, arrays, attrs, dims="symbols", outputs=1, opset=22, sanitize=None):
    """dims: symbols, or what the arrays have."""
    infos = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype),
                                           [f"{n}_{i}" if dims == "symbols" else d for i, d in enumerate(x.shape)])
             for n, x in zip(names, arrays)]
    node = helper.make_node(op, names, [f"y{i}" for i in range(outputs)], name="the_node", **attrs)
    graph = helper.make_graph([node], "test", infos, [onnx.ValueInfoProto(name=f"y{i}") for i in range(outputs)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    options = noria.SessionOptions()
    options.sanitize = sanitize
    return noria.InferenceSession(model.SerializeToString(), options)


def fails(run, *words):
    with pytest.raises(noria.Error) as caught:
        run()
    for word in ("the_node", *words):
        assert word in str(caught.value), f"no {word!r} in: {caught.value}"


def recurrent(op, batch_first=False):
    gates, state = GATES[op] * HIDDEN, (BATCH, 2, HIDDEN) if batch_first else (2, BATCH, HIDDEN)
    shapes = {"X": (BATCH, STEPS, SIZE) if batch_first else (STEPS, BATCH, SIZE), "W": (2, gates, SIZE),
              "R": (2, gates, HIDDEN), "B": (2, 2 * gates), "sequence_lens": (BATCH,), "initial_h": state}
    if op == "LSTM":
        shapes |= {"initial_c": state, "P": (2, 3 * HIDDEN)}
    feeds = {n: np.ones(s, np.float32) for n, s in shapes.items()}
    feeds["sequence_lens"] = np.full(BATCH, 2, np.int32)
    attrs = {"direction": "bidirectional", "hidden_size": HIDDEN} | ({"layout": 1} if batch_first else {})
    return feeds, attrs


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize("batch_first", [False, True])
def test_recurrent_shapes(op, batch_first):
    feeds, attrs = recurrent(op, batch_first)
    s = session(op, list(feeds), list(feeds.values()), attrs)
    s.run(None, feeds)
    for name, x in feeds.items():
        for i, n in enumerate(x.shape):
            for wrong in {0, 1, n - 1, n + 1, 50} - {n}:
                if name == "X" and i == int(batch_first):
                    continue  # any number of steps will do, if the lengths fit
                shape = x.shape[:i] + (wrong,) + x.shape[i + 1:]
                words = [] if name == "X" else [f"dim {i} of {name} is {wrong}, not {n}"]
                fails(lambda: s.run(None, feeds | {name: np.ones(shape, x.dtype)}), *words)
    s.run(None, feeds)


@pytest.mark.parametrize("op", GATES)
def test_recurrent_lengths(op):
    feeds, attrs = recurrent(op)
    s = session(op, list(feeds), list(feeds.values()), attrs)
    for wrong in 1000000, STEPS + 1, -1, -5, -2 ** 31, 2 ** 31 - 1:
        lengths = np.array([1, wrong, 2], np.int32)
        fails(lambda: s.run(None, feeds | {"sequence_lens": lengths}),
              f"a value of sequence_lens is {wrong}; it must be from 0 to {STEPS}")
    for right in 0, STEPS:
        s.run(None, feeds | {"sequence_lens": np.full(BATCH, right, np.int32)})


@pytest.mark.parametrize("op", GATES)
def test_recurrent_declared_dims(op):
    """The same when the dims are known: an error of the compiler."""
    feeds, attrs = recurrent(op)
    for name, x in feeds.items():
        if name != "X":
            wrong = feeds | {name: np.ones((x.shape[0] + 1, *x.shape[1:]), x.dtype)}
            fails(lambda: session(op, list(wrong), list(wrong.values()), attrs, "known"),
                  f"dim 0 of {name} is {x.shape[0] + 1}, not {x.shape[0]}")
            flat = feeds | {name: x.reshape(*x.shape, 1)}
            fails(lambda: session(op, list(flat), list(flat.values()), attrs), f"{name} has rank {x.ndim + 1}")


def test_hidden_size():
    w, r = np.ones((1, 4, 2), np.float32), np.ones((1, 4, 4), np.float32)
    x = np.ones((3, 1, 2), np.float32)
    fails(lambda: session("RNN", ["X", "W", "R"], [x, w, r], {"hidden_size": 1000000}).run(None, dict(X=x, W=w, R=r)),
          "dim 1 of R is 4, not 1000000")
    for size in 0, -1, 2 ** 62:
        fails(lambda: session("RNN", ["X", "W", "R"], [x, w, r], {"hidden_size": size}), f"hidden_size is {size}")
    fails(lambda: session("RNN", ["X", "W", "R"], [x, w, r], {"direction": "sideways"}), "sideways")


def test_gemm():
    a, b = np.ones((2, 3), np.float32), np.ones((3, 4), np.float32)
    s = session("Gemm", ["A", "B", "C"], [a, b, a], {})
    for shape in (2, 4), (1, 4), (2, 1), (1, 1):
        s.run(None, {"A": a, "B": b, "C": np.ones(shape, np.float32)})
    for shape, dim in ((0, 4), 0), ((2, 0), 1), ((3, 4), 0), ((2, 5), 1), ((50, 1), 0):
        fails(lambda: s.run(None, {"A": a, "B": b, "C": np.ones(shape, np.float32)}),
              f"dim {dim} of C is {shape[dim]}, neither 1 nor {(2, 4)[dim]}")


def test_unique_without_elements():
    """Slices without elements are all equal."""
    s = session("Unique", ["X"], [np.ones((3, 4), np.float32)], {"axis": 1}, outputs=4)
    y, first, inverse, counts = s.run(None, {"X": np.ones((0, 4), np.float32)})
    assert y.shape == (0, 1) and (first, counts) == ([0], [4]) and inverse.tolist() == [0, 0, 0, 0]
    want = np.unique(np.ones((0, 4)), True, True, True, axis=1)
    assert want[0].shape == y.shape and want[3] == counts


@pytest.mark.parametrize("op, attrs", [
    ("MaxPool", {"kernel_shape": [2, 2]}), ("AveragePool", {"kernel_shape": [2, 2]}),
    ("LpPool", {"kernel_shape": [2, 2]}), ("Conv", {"pads": [3, 3, -1, -1]}), ("ConvTranspose", {"output_shape": [4, 4]})])
def test_windows_over_nothing(op, attrs):
    """Padding is the input's first element, dropped: it must be there."""
    x, w = np.ones((1, 1, 5, 5), np.float32), np.ones((1, 1, 2, 2), np.float32)
    feeds = {"X": x, "W": w} if op.startswith("Conv") else {"X": x}
    if "output_shape" not in attrs:
        attrs = {"pads": [1, 1, 1, 1]} | attrs
    s = session(op, list(feeds), list(feeds.values()), attrs)
    s.run(None, feeds)
    for shape in (1, 1, 0, 5), (1, 1, 5, 0), (1, 1, 0, 0):
        fails(lambda: s.run(None, feeds | {"X": np.ones(shape, np.float32)}), f"dim {shape.index(0)} of X is empty")
    assert s.run(None, feeds | {"X": np.ones((0, 1, 0, 5), np.float32)})[0].size == 0


@pytest.mark.parametrize("op", ["Conv", "ConvTranspose"])
def test_kernels(op):
    x, w = np.ones((1, 1, 5, 5), np.float32), np.ones((1, 1, 2, 2), np.float32)
    s = session(op, ["X", "W"], [x, w], {})
    fails(lambda: s.run(None, {"X": x, "W": np.ones((1, 1, 2, 0), np.float32)}), "the kernel has a dim of 0")
    s = session(op, ["X", "W"], [x, w], {"kernel_shape": [2, 2]})
    fails(lambda: s.run(None, {"X": x, "W": np.ones((1, 1, 2, 3), np.float32)}), "dim 3 of W is 3, not 2")
    fails(lambda: session(op, ["X", "W"], [x, w], {"kernel_shape": [2, 3]}, "known"), "dim 3 of W is 2, not 3")


@pytest.mark.parametrize("op", GATES)
def test_under_the_address_sanitizer(op):
    """The same values; it has nothing to say of right inputs, and the checks come before it for wrong ones."""
    feeds, attrs = recurrent(op)
    plain, watched = (session(op, list(feeds), list(feeds.values()), attrs, outputs=2, sanitize=s)
                      for s in (None, "address"))
    for want, got in zip(plain.run(None, feeds), watched.run(None, feeds)):
        np.testing.assert_allclose(got, want, 1e-6)
    fails(lambda: watched.run(None, feeds | {"R": np.ones((2, 1, 1), np.float32)}), "dim 1 of R is 1, not")


def test_the_end_of_a_watched_run_takes_time_in_proportion_to_its_blocks():
    """Each empty column is a few blocks, which are freed when the run ends, after its limits were last asked for."""
    x = np.zeros((0, 100_000))
    watched = session("TopK", ["x", "k"], [x, np.array([0])], {"axis": 0}, outputs=2, sanitize="address")
    begin = time.process_time()
    values, _ = watched.run(None, {"x": x, "k": np.array([0])})
    assert values.shape == x.shape
    assert time.process_time() - begin < 15  # far below a second; half a minute where each block moves all others


def test_other_sanitizers():
    with pytest.raises(noria.Error, match="there is no sanitizer 'memory'; it is address"):
        session("Neg", ["x"], [np.ones(3, np.float32)], {}, sanitize="memory")
