"""NonMaxSuppression against ONNX Runtime, to the last row: the arithmetic is the same, operation for operation."""
import subprocess

import numpy as np
import onnx
import onnxruntime
import pytest
from conftest import BUILD
from onnx import TensorProto, helper

import noria

onnxruntime.set_default_logger_severity(4)
F = np.float32
NAMES = ["boxes", "scores", "max_output_boxes_per_class", "iou_threshold", "score_threshold"]
TYPES = [TensorProto.FLOAT, TensorProto.FLOAT, TensorProto.INT64, TensorProto.FLOAT, TensorProto.FLOAT]
SYMBOLS = [["B", "N", 4], ["B", "C", "M"], ["a"], ["b"], ["c"]]


def model_of(given, centre=0, opset=11, shapes=SYMBOLS, constants=()):
    """A node with the inputs of these names; the others are left out. Constants are arrays by name."""
    names = [n if n in given else "" for n in NAMES]
    while not names[-1]:
        names.pop()
    node = helper.make_node("NonMaxSuppression", names, ["y"], name="the_node", center_point_box=centre)
    inputs = [helper.make_tensor_value_info(n, t, s) for n, t, s in zip(NAMES, TYPES, shapes)
              if n in given and n not in constants]
    graph = helper.make_graph([node], "nms", inputs, [helper.make_tensor_value_info("y", TensorProto.INT64, None)],
                              [onnx.numpy_helper.from_array(constants[n], n) for n in constants])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8).SerializeToString()


def interpreted():
    options = noria.SessionOptions()
    options.interpret_after = "tensor"
    return options


def reference(model):
    return onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])


def random_feeds(rng, number, nan_scores=False):
    """Boxes of many sizes, some equal, some without an area, some not of numbers; scores with ties."""
    batches, classes = rng.integers(1, 4), rng.integers(0, 5)
    boxes = rng.uniform(0, rng.choice([1, 3, 10]), (batches, number, 4)).astype(F)
    if rng.random() < .3:
        boxes = np.round(boxes * 2) / 2
    if rng.random() < .3:
        boxes[:, :, 2:] -= F(rng.random())
    if rng.random() < .3 and boxes.size:
        special = [np.nan, np.inf, -np.inf, 0, 1e30, 1e-30, -0.0]
        places = rng.integers(0, boxes.size, max(1, boxes.size // 20))
        boxes.reshape(-1)[places] = rng.choice(special, len(places))
    scores = rng.uniform(-1, 1, (batches, classes, number)).astype(F)
    if rng.random() < .4:
        scores = np.round(scores * 3) / F(3)
    if nan_scores and rng.random() < .3 and scores.size:
        places = rng.integers(0, scores.size, max(1, scores.size // 10))
        scores.reshape(-1)[places] = rng.choice([np.nan, np.inf, -np.inf, -0.0], len(places))
    return dict(boxes=boxes, scores=scores,
                max_output_boxes_per_class=np.array([rng.choice([-3, 0, 1, 2, 5, 16, 17, 1000, 2**62])]),
                iou_threshold=np.array([rng.choice([0, .1, .3, .5, .7, 1, rng.random()])], F),
                score_threshold=np.array([rng.choice([-2, -.5, 0, .2, 1 / 3, .9])], F))


def few_boxes(rng):
    return dict(boxes=rng.uniform(0, 3, (2, 60, 4)).astype(F), scores=rng.uniform(-1, 1, (2, 3, 60)).astype(F))


@pytest.mark.parametrize("engine", ["compiled", "interpreted"])
@pytest.mark.parametrize("centre", [0, 1])
@pytest.mark.parametrize("inputs", [2, 3, 4, 5])
def test_random_boxes(inputs, centre, engine):
    model = model_of(NAMES[:inputs], centre)
    ours = noria.InferenceSession(model, interpreted() if engine == "interpreted" else None)
    theirs = reference(model)
    rng = np.random.default_rng(100 * inputs + centre)
    sizes = [0, 1, 2, 15, 16, 17, 33, 100] + [300] * (engine == "compiled")
    kept = 0
    for _ in range(300 if engine == "compiled" else 40):
        # where no threshold leaves NaN out, the order of such scores is open
        feeds = random_feeds(rng, rng.choice(sizes), nan_scores=inputs == 5)
        feeds = {n: feeds[n] for n in NAMES[:inputs]}
        want, got = theirs.run(None, feeds)[0], ours.run(None, feeds)[0]
        assert got.dtype == np.int64
        np.testing.assert_array_equal(got, want, str({n: feeds[n] for n in NAMES[2:inputs]}))
        kept += len(want)
    assert (kept > 0) == (inputs > 2)


@pytest.mark.parametrize("opset", [10, 11])
@pytest.mark.parametrize("left_out", [(), NAMES[3:4], NAMES[4:5], NAMES[2:3], NAMES[2:4]])
def test_inputs_left_out_and_constants(opset, left_out):
    rng = np.random.default_rng(3)
    feeds = few_boxes(rng) | dict(max_output_boxes_per_class=np.array([7]), iou_threshold=np.array([.3], F),
                                  score_threshold=np.array([.1], F))
    feeds = {n: x for n, x in feeds.items() if n not in left_out}
    limits = {n: feeds[n] for n in NAMES[2:] if n in feeds}
    want = reference(model_of(feeds, opset=opset)).run(None, feeds)[0]
    assert want.size or NAMES[2] in left_out
    shapes = [feeds[n].shape if n in feeds else None for n in NAMES]
    for model in (model_of(feeds, opset=opset), model_of(feeds, opset=opset, shapes=shapes)):
        np.testing.assert_array_equal(noria.InferenceSession(model).run(None, feeds)[0], want)
    model = model_of(feeds, opset=opset, constants=limits)
    some = {n: feeds[n] for n in NAMES[:2]}
    np.testing.assert_array_equal(noria.InferenceSession(model).run(None, some)[0], want)


def test_scores_of_nan_come_last():
    model = model_of(NAMES[:4])
    boxes = np.array([[[2 * i, 0, 2 * i + 1, 1] for i in range(6)]], F)
    scores = np.array([[[1, np.nan, -np.inf, 3, np.nan, -0.0]]], F)
    feeds = dict(boxes=boxes, scores=scores, max_output_boxes_per_class=np.array([10]), iou_threshold=np.array([.5], F))
    got = noria.InferenceSession(model).run(None, feeds)[0]
    numbers = [int(i) for i in np.argsort(-scores[0, 0], kind="stable")]  # NumPy puts NaN last, too
    assert got[:, 2].tolist() == numbers


def test_after_every_stage(tmp_path):
    rng = np.random.default_rng(5)
    for centre in (0, 1):
        feeds = random_feeds(rng, 40) | few_boxes(rng) | dict(max_output_boxes_per_class=np.array([20]),
                                                              score_threshold=np.array([-.5], F))
        model = model_of(NAMES, centre)
        (tmp_path / "nms.onnx").write_bytes(model)
        args = [BUILD / "noria", "run", "--check-stages", tmp_path / "nms.onnx", "--output", f"y=@{tmp_path}/y.npy"]
        for name, x in feeds.items():
            np.save(tmp_path / f"{name}.npy", x)
            args += ["--input", f"{name}=@{tmp_path}/{name}.npy"]
        done = subprocess.run([str(a) for a in args], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        want = reference(model).run(None, feeds)[0]
        assert len(want)
        np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), want)


def test_the_work_ends_at_the_limit():
    """A million boxes that suppress nothing: all are kept in hours, or the first hundred at once."""
    n = 1_000_000
    place = np.arange(n, dtype=F) * 2
    boxes = np.stack([place, np.zeros(n, F), place + 1, np.ones(n, F)], 1)[None]
    scores = np.random.default_rng(1).permutation(n).astype(F)[None, None]
    options = noria.SessionOptions()
    options.time_limit = 60.0
    session = noria.InferenceSession(model_of(NAMES[:4]), options)
    feeds = dict(boxes=boxes, scores=scores, max_output_boxes_per_class=np.array([100]),
                 iou_threshold=np.array([.5], F))
    got = session.run(None, feeds)[0]
    np.testing.assert_array_equal(got[:, 2], np.argsort(-scores[0, 0])[:100])


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("change, words", [
    (dict(boxes=np.ones((1, 3, 5), F)), "dim 2 of boxes is 5, not 4"),
    (dict(boxes=np.ones((2, 3, 4), F)), "dim 0 of scores is 1, not 2"),
    (dict(scores=np.ones((1, 2, 4), F)), "dim 2 of scores is 4, not 3"),
    (dict(iou_threshold=np.array([1.5], F)), "iou_threshold is not from 0 to 1"),
    (dict(iou_threshold=np.array([-.5], F)), "iou_threshold is not from 0 to 1"),
    (dict(iou_threshold=np.array([np.nan], F)), "iou_threshold is not from 0 to 1"),
    (dict(max_output_boxes_per_class=np.array([1, 2])), "2 elements where one is expected"),
    (dict(score_threshold=np.array([], F)), "0 elements where one is expected"),
])
def test_wrong_inputs(change, words, known):
    feeds = dict(boxes=np.ones((1, 3, 4), F), scores=np.ones((1, 2, 3), F), max_output_boxes_per_class=np.array([2]),
                 iou_threshold=np.array([.5], F), score_threshold=np.array([0], F)) | change
    shapes = [feeds[n].shape for n in NAMES] if known else [["B", "N", "K"], ["D", "C", "M"], *SYMBOLS[2:]]
    with pytest.raises(noria.Error) as caught:
        noria.InferenceSession(model_of(NAMES, shapes=shapes)).run(None, feeds)
    assert "the_node" in str(caught.value) and words in str(caught.value)


@pytest.mark.parametrize("shapes, words", [
    ([[3, 4], ["B", "C", "N"], ["a"], ["b"], ["c"]], "boxes has rank 2, not 3"),
    ([["B", "N", 4], ["C", "N"], ["a"], ["b"], ["c"]], "scores has rank 2, not 3"),
])
def test_wrong_ranks(shapes, words):
    with pytest.raises(noria.Error, match=f"the_node.*{words}"):
        noria.InferenceSession(model_of(NAMES, shapes=shapes))


def test_a_wrong_layout():
    with pytest.raises(noria.Error, match="the_node.*center_point_box is 2, not 0 or 1"):
        noria.InferenceSession(model_of(NAMES, centre=2))
