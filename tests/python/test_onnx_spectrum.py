"""DFT and STFT: what random draws do not reach. NumPy's transforms are the judge."""
import numpy as np
import onnx
import pytest
from ops import Batch, Const, fails
from random_ops_image import complex_of, parts_of

import noria

F64 = np.float64


def signal(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape)


@pytest.mark.parametrize("n", [0, 1, 2, 1024, 1025, 1536, 4096, 961, 1021, 10007, 131072])
def test_long_rows(n):
    """Several and single rows, real and complex; more elements than tables that the program holds."""
    b = Batch(20)
    for rows, parts in (1, 1), (2, 2), (9, 1), (12, 2):
        x = signal(rows, n, parts)
        want = parts_of(np.fft.fft(complex_of(x)), F64) if n else np.zeros((rows, 0, 2))
        b.add("DFT", [x], want, rtol=0, atol=1e-10)
    b.check()


def test_infinities_stay_in_their_row():
    x = signal(9, 12, 1)
    x[3, 5] = np.inf
    x[4, 0] = np.nan
    got = run("DFT", [x])
    assert not np.isfinite(got[3:5]).any(axis=-1).all()
    clean = [0, 1, 2, 5, 6, 7, 8]
    np.testing.assert_allclose(got[clean], parts_of(np.fft.fft(complex_of(x[clean])), F64), rtol=1e-12, atol=1e-12)


def run(op, inputs, **attrs):
    names = [f"x{i}" for i in range(len(inputs))]
    infos = [onnx.helper.make_tensor_value_info(n, onnx.helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
             for n, x in zip(names, inputs)]
    graph = onnx.helper.make_graph([onnx.helper.make_node(op, names, ["y"], name="the_node", **attrs)], "g", infos,
                                   [onnx.ValueInfoProto(name="y")])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 20)], ir_version=10)
    return noria.InferenceSession(model.SerializeToString()).run(None, dict(zip(names, inputs)))[0]


@pytest.mark.parametrize("axis", [0, 1, 2, -4, -3, -2])
def test_axis_of_the_run(axis):
    x = signal(3, 4, 5, 2)
    along = axis % 4
    want = np.fft.fft(complex_of(x), axis=along)
    np.testing.assert_allclose(run("DFT", [x, np.int64(x.shape[along]).reshape(()), np.array(axis)]),
                               parts_of(want, F64), atol=1e-12)
    half = want.take(range(x.shape[along] // 2 + 1), along)
    np.testing.assert_allclose(run("DFT", [x, np.int64(x.shape[along]).reshape(()), np.array(axis)], onesided=1),
                               parts_of(half, F64), atol=1e-12)


def test_float32_is_rounded_once():
    x = signal(2, 400, 1).astype(np.float32)
    want = np.fft.fft(x[..., 0].astype(F64))
    error = np.abs(run("DFT", [x]).astype(F64) - parts_of(want, F64))
    assert (error <= np.spacing(np.abs(parts_of(want, np.float32)).astype(np.float32)) + 1e-14).all()


@pytest.mark.parametrize("op, inputs, text", [
    ("DFT", [signal(4)], "input has rank 1, not 2 or more"),
    ("DFT", [signal(1, 4, 3)], "the last dim of input is 3, not 1 or 2"),
    ("DFT", [signal(1, 4, 1), Const(np.int64(0))], "dft_length is 0; it must be at least 1"),
    ("DFT", [signal(1, 4, 1), np.int64(-3)], "dft_length is -3; it must be at least 1"),
    ("DFT", [signal(1, 4, 1), np.int64(2 ** 62)], "a length of 4611686018427387904 is more than 281474976710656"),
    ("DFT", [signal(1, 4, 1), np.int64(4), Const(np.int64(2))], "axis 2 is that of the complex parts"),
    ("DFT", [signal(1, 4, 1), np.int64(4), np.int64(-1)], "axis -1 is none of the input's dims before the last"),
    ("DFT", [signal(1, 4, 1), np.int64(4), np.int64(-4)], "axis -4 is none of the input's dims before the last"),
    ("DFT", [signal(1, 4, 1), np.int64(4), np.int64(7)], "axis 7 is none of the input's dims before the last"),
    ("DFT", [np.zeros((2, 0, 1)), np.int64(4)], "is empty, so there is nothing to read"),
    ("STFT", [signal(4), np.int64(1)], "signal has rank 1, not 3"),
    ("STFT", [signal(1, 8, 1), np.int64(0)], "frame_step is 0; it must be at least 1"),
    ("STFT", [signal(1, 8, 1), Const(np.int64(-1))], "frame_step is -1; it must be at least 1"),
    ("STFT", [signal(1, 8, 1), np.int64(1), signal(9)], "a frame of 9 elements is longer than the signal of 8"),
    ("STFT", [signal(1, 8, 1), np.int64(1), signal(0)], "dim 0 of window is empty, so there is nothing to read"),
    ("STFT", [signal(1, 8, 1), np.int64(1), signal(3, 1)], "window has rank 2, not 1"),
    ("STFT", [signal(1, 8, 1), np.int64(1), signal(3), Const(np.int64(4))], "dim 0 of window is 3, not 4"),
])
@pytest.mark.parametrize("symbolic", [False, True])
def test_wrong_inputs(op, inputs, text, symbolic):
    if symbolic and "the last dim of input" in text:
        text = "the last dim of the input is 3, not 1 or 2"
    message = fails(op, inputs, 20, symbolic)
    assert text in message and "node 'the_node'" in message


def test_axis_attribute_of_version_17():
    x = signal(3, 4, 5, 1)
    b = Batch(17)
    b.add("DFT", [x], parts_of(np.fft.fft(complex_of(x), axis=1), F64))
    b.add("DFT", [x], parts_of(np.fft.fft(complex_of(x), axis=0), F64), axis=-4)
    b.check()
    assert "axis -1 is that of the complex parts" in fails("DFT", [x], 17, axis=-1)
    assert "out of range" in fails("DFT", [x], 17, axis=4)
