"""Conv over signals and images whose size only the run knows, short ones and empty ones too, over images of few pixels,
and ConvTranspose with infinite factors: onnx's reference evaluator is the judge."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import noria

# group, channels in, out, size of the kernel, stride
SHAPES = [(1, 100, 37, 3, 1), (2, 8, 6, 5, 2), (1, 1, 3, 4, 1), (1, 600, 5, 1, 1), (3, 300, 9, 2, 3)]


def conv(elem, group, channels, out, size, stride):
    rng = np.random.default_rng(0)
    dtype = helper.tensor_dtype_to_np_dtype(elem)
    weights = [rng.normal(size=(out, channels // group, size)).astype(dtype), rng.normal(size=out).astype(dtype)]
    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["c"], group=group, strides=[stride], pads=[1, 1]),
             helper.make_node("Relu", ["c"], ["y"])]
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", elem, ["n", channels, "t"])],
        [helper.make_tensor_value_info("y", elem, None)],
        [numpy_helper.from_array(w, name) for w, name in zip(weights, "wb")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


@pytest.mark.parametrize("elem", [TensorProto.FLOAT, TensorProto.DOUBLE])
@pytest.mark.parametrize("shape", SHAPES)
def test_lengths(elem, shape):
    model = conv(elem, *shape)
    session, judge = noria.InferenceSession(model.SerializeToString()), ReferenceEvaluator(model)
    dtype = helper.tensor_dtype_to_np_dtype(elem)
    for batch in (1, 3):
        for length in (5, 6, 7, 8, 9, 10, 17, 25, 60):
            x = np.random.default_rng(length).normal(size=(batch, shape[1], length)).astype(dtype)
            got, want = session.run(None, {"x": x})[0], judge.run(None, {"x": x})[0]
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4, err_msg=f"{batch} of {length}")


def image_conv(size, height, width, channels=40, out=130):
    """Conv, Add and Relu. 130 output channels are summed from a panel, 40 without one (vectorize_contractions.c)."""
    rng = np.random.default_rng(size)
    weights = [rng.normal(size=(out, channels, size, size)).astype(np.float32), rng.normal(size=out).astype(np.float32)]
    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["c"], pads=[size // 2] * 4),
             helper.make_node("Add", ["c", "r"], ["s"]), helper.make_node("Relu", ["s"], ["y"])]
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, count, height, width])
              for name, count in (("x", channels), ("r", out))]
    graph = helper.make_graph(nodes, "g", inputs, [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                              [numpy_helper.from_array(w, name) for w, name in zip(weights, "wb")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def check_image(session, judge, height, width, out=130):
    rng = np.random.default_rng(height * width)
    feeds = {name: rng.normal(size=(1, count, height, width)).astype(np.float32) for name, count in (("x", 40), ("r", out))}
    got, want = session.run(None, feeds)[0], judge.run(None, feeds)[0]
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4, err_msg=f"{height}x{width}")


@pytest.mark.parametrize("size, out", [(1, 130), (3, 130), (3, 40)])
def test_images_of_unknown_size(size, out):
    model = image_conv(size, "h", "w", out=out)
    session, judge = noria.InferenceSession(model.SerializeToString()), ReferenceEvaluator(model)
    for height, width in ((1, 1), (1, 16), (3, 5), (1, 33), (4, 8), (7, 7), (2, 40), (13, 5), (14, 14), (3, 70), (2, 140)):
        check_image(session, judge, height, width, out)


@pytest.mark.parametrize("size", [1, 3])
def test_images_of_known_size(size):
    for height, width in ((3, 5), (7, 7), (14, 14), (2, 40)):
        model = image_conv(size, height, width)
        check_image(noria.InferenceSession(model.SerializeToString()), ReferenceEvaluator(model), height, width)


# Height, width, kernel, pads, strides, dilations: all or some rows and columns of the kernel only meet the padding.
DILATED = [(5, 6, (3, 3), (4, 4, 4, 4), (1, 1), (4, 4)), (5, 6, (3, 3), (9, 9, 9, 9), (1, 1), (9, 9)),
           (5, 6, (3, 3), (6, 0, 6, 12), (1, 1), (6, 6)), (7, 4, (5, 2), (12, 5, 11, 0), (2, 1), (6, 5)),
           (4, 4, (4, 4), (7, 7, 0, 0), (1, 3), (2, 2)), (1, 1, (3, 3), (1, 1, 1, 1), (1, 1), (1, 1)),
           (2, 3, (2, 2), (8, 8, 8, 8), (5, 7), (3, 3))]


@pytest.mark.parametrize("height, width, kernel, pads, strides, dilations", DILATED)
@pytest.mark.parametrize("given", [False, True])
def test_kernels_beyond_the_image(height, width, kernel, pads, strides, dilations, given):
    """given: the kernel is an input, no constant."""
    rng = np.random.default_rng(1)
    weights = rng.normal(size=(9, 4, *kernel)).astype(np.float32)
    node = helper.make_node("Conv", ["x", "w"], ["y"], pads=pads, strides=strides, dilations=dilations)
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 4, height, width])]
    if given:
        inputs.append(helper.make_tensor_value_info("w", TensorProto.FLOAT, weights.shape))
    graph = helper.make_graph([node], "g", inputs, [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                              [] if given else [numpy_helper.from_array(weights, "w")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    feeds = {"x": rng.normal(size=(2, 4, height, width)).astype(np.float32)} | ({"w": weights} if given else {})
    got = noria.InferenceSession(model.SerializeToString()).run(None, feeds)[0]
    np.testing.assert_allclose(got, ReferenceEvaluator(model).run(None, feeds)[0], rtol=1e-4, atol=1e-4)


# dims of x and w, attributes: the result has elements of padding only, or none
EMPTY = [((1, 2, 0), (3, 2, 3), {"pads": [2, 2]}), ((1, 2, 0, 4), (3, 2, 3, 3), {"pads": [2, 2, 2, 2]}),
         ((1, 4, 0), (4, 1, 3), {"pads": [2, 2], "group": 4}), ((1, 2, 0), (3, 2, 1), {"pads": [1, 1]}),
         ((0, 2, 4), (3, 2, 3), {"pads": [1, 1]}), ((0, 2, 0), (3, 2, 3), {"pads": [2, 2]}),
         ((1, 2, 0), (3, 2, 3), {"pads": [1, 1]}), ((1, 2, 0), (3, 2, 3), {"auto_pad": "SAME_UPPER"})]


def one_node(op, feeds, is_open, attrs):
    graph = helper.make_graph(
        [helper.make_node(op, list(feeds), ["y"], **attrs)], "g",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None] * a.ndim if is_open else a.shape)
         for name, a in feeds.items()], [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("x, w, attrs", EMPTY)
def test_empty(x, w, attrs, is_open):
    feeds = {"x": np.zeros(x, np.float32), "w": np.ones(w, np.float32), "b": np.arange(1, w[0] + 1, dtype=np.float32)}
    model = one_node("Conv", feeds, is_open, attrs)
    got, want = (s.run(None, feeds)[0] for s in (noria.InferenceSession(model.SerializeToString()), ReferenceEvaluator(model)))
    assert got.shape == want.shape
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("attrs", [{"strides": [3, 5]}, {"strides": [2, 2], "dilations": [2, 3]}, {"strides": [4, 3]},
                                   {"strides": [4, 1], "pads": [1, 0, 1, 0]}, {"strides": [3, 2], "dilations": [1, 2]}])
@pytest.mark.parametrize("infinite", ["x", "w", None])
def test_transposed_with_infinite_factors(infinite, attrs, is_open):
    """An output that no infinite factor reaches is finite: what is between the elements takes no part."""
    rng = np.random.default_rng(0)
    feeds = {"x": rng.normal(size=(2, 3, 4, 3)).astype(np.float32), "w": rng.normal(size=(3, 2, 3, 1)).astype(np.float32)}
    if infinite:
        feeds[infinite][1, 1, 2, 0] = np.inf
    model = one_node("ConvTranspose", feeds, is_open, attrs)
    got, want = (s.run(None, feeds)[0] for s in (noria.InferenceSession(model.SerializeToString()), ReferenceEvaluator(model)))
    assert not np.isnan(want).any() and np.isinf(want).any() == bool(infinite)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("channels", [3, 260])
@pytest.mark.parametrize("kernel, strides", [((5, 5), (2, 2)), ((3, 4), (2, 3)), ((7, 2), (3, 2)), ((3,), (2,)),
                                             ((2, 3, 4), (2, 2, 3))])
def test_transposed_with_strides_that_do_not_divide_the_kernel(channels, kernel, strides):
    """With few and with many channels, which are lowered in two ways. An infinity stays where kernel elements take it."""
    rng, n = np.random.default_rng(0), len(kernel)
    feeds = {"x": rng.normal(size=(1, channels, 5, 4, 3)[:n + 2]).astype(np.float32),
             "w": rng.normal(size=(channels, 2, *kernel)).astype(np.float32)}
    feeds["x"][(0, 1) + (2,) * n] = np.inf
    for is_open in False, True:
        model = one_node("ConvTranspose", feeds, is_open, {"strides": strides, "pads": [1] + [0] * (2 * n - 2) + [1]})
        got = noria.InferenceSession(model.SerializeToString()).run(None, feeds)[0]
        want = ReferenceEvaluator(model).run(None, feeds)[0]
        assert np.isinf(want).any() and np.isfinite(want).any()
        np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("spatial", [6, 7, 9])
def test_pointwise_of_many_dims(spatial):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1, 4) + (2,) * spatial).astype(np.float32)
    w = rng.normal(size=(6, 2) + (1,) * spatial).astype(np.float32)
    feeds = {"x": x, "w": w}
    got = noria.InferenceSession(one_node("Conv", feeds, False, {"group": 2}).SerializeToString()).run(None, feeds)[0]
    want = np.einsum("gip,goi->gop", x.reshape(2, 2, -1), w.reshape(2, 3, 2)).reshape(got.shape)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


# dims of x without the batch, output channels, kernel, attributes; blocks of 32 channels, of which the last one may have
# fewer (60: 28, 91: 27). Depths from 256 on.
BY_CHANNELS = [((32, 9, 11), 64, (3, 3), {"pads": [1, 1, 1, 1]}), ((40, 20, 7), 60, (3, 3), {"strides": [2, 1]}),
               ((64, 13, 16), 91, (5, 1), {"pads": [0, 3, 2, 1], "dilations": [2, 1]}),
               ((30, 12, 19), 32, (3, 3), {"strides": [1, 3], "dilations": [3, 2], "pads": [4, 0, 0, 5]}),
               ((100, 23), 64, (3,), {"strides": [2], "pads": [2, 1]}),
               ((16, 5, 6, 9), 32, (3, 2, 3), {"pads": [1, 0, 1, 1, 1, 1]}), ((90, 18, 1), 128, (3, 1), {}),
               # of three elements along the last dim one meets more than padding, from the second column of x on
               ((64, 10, 3), 32, (3, 3), {"dilations": [1, 4], "pads": [0, 3, 0, 3]})]


def by_channels(x, out, kernel, attrs, dtype, is_open):
    """Conv and Relu of the kernel, which is a constant; and the feeds."""
    rng = np.random.default_rng(out)
    weights = {"w": rng.normal(size=(out, x[0], *kernel)), "b": rng.normal(size=out)}
    elem = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    dims = [None, x[0]] + [f"d{i}" for i in range(1, len(x))] if is_open else [2, *x]
    graph = helper.make_graph(
        [helper.make_node("Conv", ["x", "w", "b"], ["c"], **attrs), helper.make_node("Relu", ["c"], ["y"])], "g",
        [helper.make_tensor_value_info("x", elem, dims)], [helper.make_tensor_value_info("y", elem, None)],
        [numpy_helper.from_array(w.astype(dtype), name) for name, w in weights.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    return model, {"x": rng.normal(size=(2, *x)).astype(dtype)}


@pytest.mark.parametrize("dtype, is_open", [(np.float32, False), (np.float32, True), (np.float64, True)])
@pytest.mark.parametrize("x, out, kernel, attrs", BY_CHANNELS)
def test_by_channels(x, out, kernel, attrs, dtype, is_open):
    """Sums that lie side by side along the channels of the result (conv_by_channels.c), on one and two threads."""
    model, feeds = by_channels(x, out, kernel, attrs, dtype, is_open)
    want = ReferenceEvaluator(model).run(None, feeds)[0]
    for threads in (1, 2):
        options = noria.SessionOptions()
        options.intra_op_num_threads = threads
        got = noria.InferenceSession(model.SerializeToString(), options).run(None, feeds)[0]
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("cpu", ["x86-64-v4", "x86-64-v3", "x86-64-v2"])
def test_by_channels_on(cpu, noria_tool, tmp_path):
    for number in (0, 2):
        x, out, kernel, attrs = BY_CHANNELS[number]
        model, feeds = by_channels(x, out, kernel, attrs, np.float32, True)
        onnx.save(model, tmp_path / "m.onnx")
        made = noria_tool("compile", f"--cpu={cpu}", tmp_path / "m.onnx", "-o", tmp_path / f"{number}.so")
        assert made.returncode == 0, made.stderr
        try:
            session = noria.InferenceSession(str(tmp_path / f"{number}.so"))
        except noria.Error as error:
            assert "was compiled for a CPU with" in str(error), error
            pytest.skip(str(error))
        np.testing.assert_allclose(session.run(None, feeds)[0], ReferenceEvaluator(model).run(None, feeds)[0], rtol=1e-4,
                                   atol=1e-4)


def test_by_channels_with_infinite_elements():
    """An element of x takes part in the sums of its windows only."""
    model, feeds = by_channels(*BY_CHANNELS[0], np.float32, True)
    feeds["x"][0, 3, 4, 5], feeds["x"][1, 0, 0, 0] = np.inf, np.nan
    got, want = (s.run(None, feeds)[0] for s in (noria.InferenceSession(model.SerializeToString()), ReferenceEvaluator(model)))
    assert np.isnan(want).any() and np.isfinite(want).any()
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
