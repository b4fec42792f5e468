"""Ops that move data, of all opsets, against ONNX Runtime (or NumPy where that is too new or too old for an opset).

Each case runs three times: with the sizes of all tensors known; with sizes that are symbols; and with every input but
the first as a constant of the model.
"""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import noria

F = np.float32
RNG = np.random.default_rng(7)


def ints(*values):
    return np.array(values, np.int64)


def data(*shape):
    return np.arange(np.prod(shape, dtype=int), dtype=F).reshape(shape)


def model_of(op, opset, inputs, attrs, outputs, variant, lists):
    infos, constants = [], []
    for i, x in enumerate(inputs):
        if x is None:
            continue
        if variant == "constant" and i > 0:
            constants.append(numpy_helper.from_array(x, f"x{i}"))
            continue
        # The length of a list of axes or sizes decides a rank, so it is no symbol.
        symbolic = variant == "symbolic" and i not in lists
        shape = [f"d{i}_{k}" if symbolic else n for k, n in enumerate(x.shape)]
        infos.append(helper.make_tensor_value_info(f"x{i}", helper.np_dtype_to_tensor_dtype(x.dtype), shape))
    names = ["" if x is None else f"x{i}" for i, x in enumerate(inputs)]
    node = helper.make_node(op, names, [f"y{i}" for i in range(outputs)], name="the_node", **attrs)
    results = [onnx.ValueInfoProto(name=f"y{i}") for i in range(outputs)]
    graph = helper.make_graph([node], op, infos, results, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def typed(model, expected):
    """ONNX Runtime wants the types of outputs."""
    typed = onnx.ModelProto()
    typed.CopyFrom(model)
    for info, y in zip(typed.graph.output, expected):
        info.type.tensor_type.elem_type = y
    return typed


def feeds_of(model, inputs):
    return {i.name: inputs[int(i.name[1:])] for i in model.graph.input}


def reference(model, inputs, dtypes):
    session = onnxruntime.InferenceSession(typed(model, dtypes).SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, feeds_of(model, inputs))


def case(op, opset, *inputs, out=1, lists=(), dtypes=None, want=None, **attrs):
    return pytest.param(op, opset, list(inputs), attrs, out, lists, dtypes, want, id=f"{op}-{opset}-{len(CASES)}")


CASES = []


def add(*args, **kwargs):
    CASES.append(case(*args, **kwargs))


X = data(2, 3, 4)
WORDS = np.array(["ab", "", "c", "dé"], dtype=object)

for opset in (13, 15, 21):
    add("Shape", opset, X, dtypes=[TensorProto.INT64])
add("Shape", 15, X, start=1, dtypes=[TensorProto.INT64])
add("Shape", 15, X, start=-2, end=-1, dtypes=[TensorProto.INT64])
add("Shape", 15, X, start=2, end=1, dtypes=[TensorProto.INT64])
add("Shape", 15, X, start=-9, end=9, dtypes=[TensorProto.INT64])
add("Size", 13, X, dtypes=[TensorProto.INT64])
add("Size", 13, data(), dtypes=[TensorProto.INT64])

for opset in (7, 11, 13):
    add("Gather", opset, X, ints(1, 0, 1), axis=1)
    add("Gather", opset, X, np.array([[0, 2], [1, 1]], np.int32), axis=2)
add("Gather", 13, X, np.array(1, np.int64))
add("Gather", 13, X, np.array(-1, np.int64), axis=2)
add("Gather", 13, X, ints(-1, -2, 0), axis=-2)
add("Gather", 13, X, np.zeros((0,), np.int64))
add("Gather", 13, data(5), np.array([[1, -1]], np.int64))
add("Gather", 13, data(5), np.array(-5, np.int32))
add("Gather", 13, WORDS, ints(3, 0, 0), dtypes=[TensorProto.STRING])
add("Gather", 13, np.array([True, False]), ints(1, 1, 0), dtypes=[TensorProto.BOOL])

for opset in (7, 11, 13):
    add("Concat", opset, X, X[:, :1], axis=1)
    add("Concat", opset, X, X, X, axis=0)
add("Concat", 13, X, X[..., :0], X, axis=-1)
add("Concat", 13, WORDS, WORDS[1:2], axis=0, dtypes=[TensorProto.STRING])
add("Concat", 3, X, X, want=lambda a, b: np.concatenate([a, b], 1))

add("Slice", 9, X, starts=[1, 0], ends=[2, -1], axes=[1, 2])
add("Slice", 9, X, starts=[0, -9], ends=[99, 2])
add("Slice", 1, X, starts=[0, 1], ends=[9, 9], want=lambda a: a[0:9, 1:9])
for opset in (10, 11, 13):
    add("Slice", opset, X, ints(1, 0), ints(3, -1), ints(1, 2), ints(1, 2), lists=(1, 2, 3, 4))
    add("Slice", opset, X, ints(-1), ints(-99), ints(2), ints(-1), lists=(1, 2, 3, 4))
add("Slice", 13, X, ints(-9), ints(-99), ints(2), ints(-1), lists=(1, 2, 3, 4))
add("Slice", 13, X, ints(9), ints(-99), ints(2), ints(-(2**63)), lists=(1, 2, 3, 4))
add("Slice", 13, X, ints(2, 3), ints(-9, 0), ints(1, 2), ints(-1, -2), lists=(1, 2, 3, 4))
add("Slice", 13, X, ints(0), ints(2**63 - 1), ints(-1), None, lists=(1, 2, 3))
add("Slice", 13, X, ints(3), ints(-(2**63)), ints(-1), ints(-1), lists=(1, 2, 3, 4))
add("Slice", 13, X, np.array([1, 2], np.int32), np.array([2, 1], np.int32), lists=(1, 2))
add("Slice", 13, X, ints(5, 1), ints(9, 1), lists=(1, 2))
add("Slice", 13, data(20), ints(18), ints(1), ints(0), ints(-4), lists=(1, 2, 3, 4))

for shape in ([3, -1], [0, 12], [-1], [4, 0, -1], [2, 1, 3, 1, 4], [6, 4], [0, 0, 0]):
    add("Reshape", 13, X, ints(*shape), lists=(1,))
add("Reshape", 14, data(0, 3), ints(3, 0), lists=(1,), allowzero=1)
add("Reshape", 13, data(1), np.zeros((0,), np.int64), lists=(1,))
add("Reshape", 13, data(), ints(1, 1), lists=(1,))
add("Reshape", 5, X, ints(4, -1), lists=(1,))
add("Reshape", 1, X, shape=[4, -1], want=lambda a: a.reshape(4, -1))

for axis in (0, 1, 2, 3):
    add("Flatten", 7, X, axis=axis)
for axis in (-1, -3):
    add("Flatten", 13, X, axis=axis)

add("Unsqueeze", 11, X, axes=[0, -1])
add("Unsqueeze", 13, X, ints(4, 0), lists=(1,))
add("Unsqueeze", 13, X, ints(-2), lists=(1,))
add("Squeeze", 11, data(1, 3, 1), axes=[0, -1])
add("Squeeze", 11, data(1, 3, 1), axes=[2])
add("Squeeze", 13, data(1, 3, 1), ints(-3), lists=(1,))
add("Squeeze", 13, data(1, 1, 3), ints(1, 0), lists=(1,))

add("Transpose", 13, X)
add("Transpose", 13, X, perm=[1, 2, 0])
add("Transpose", 13, X, perm=[0, 1, 2])
add("Transpose", 1, X, perm=[0, 2, 1], want=lambda a: a.transpose(0, 2, 1))

add("Pad", 10, X, pads=[0, 1, 0, 2, 0, 1], value=9.0)
add("Pad", 10, X, pads=[0, 0, 2, 0, 1, 3], mode="reflect")
add("Pad", 1, X, paddings=[0, 1, 0, 0, 0, 2], want=lambda a: np.pad(a, [(0, 0), (1, 0), (0, 2)]))
for mode in ("constant", "reflect", "edge"):
    for opset in (11, 13, 18, 19):
        add("Pad", opset, X, ints(1, 0, 2, 0, 2, 1), lists=(1,), mode=mode)
add("Pad", 19, X, ints(2, 0, 3, 1, 2, 4), lists=(1,), mode="wrap")
add("Pad", 18, X, ints(1, 2), np.array(5, F), ints(1), lists=(1, 3))
add("Pad", 18, X, ints(0, 1, 2, 3), np.array(5, F), ints(-1, 0), lists=(1, 3))
add("Pad", 13, X, ints(0, -1, 2, 0, 0, -1), np.array(5, F), lists=(1,))
add("Pad", 13, X, ints(-1, 0, 0, 0, -1, -2), lists=(1,), mode="edge")
add("Pad", 13, X.astype(np.int64), ints(0, 0, 1, 0, 0, 1), ints(-7), lists=(1, 2), dtypes=[TensorProto.INT64],
    want=lambda x, pads, v: np.pad(x, [(0, 0), (0, 0), (1, 1)], constant_values=-7))
add("Pad", 13, data(5), ints(9, 11), lists=(1,), mode="reflect", want=lambda x, p: np.pad(x, (9, 11), "reflect"))
add("Pad", 19, data(5), ints(9, 11), lists=(1,), mode="wrap", want=lambda x, p: np.pad(x, (9, 11), "wrap"))
add("Pad", 13, data(1), ints(2, 1), lists=(1,), mode="reflect", want=lambda x, p: np.pad(x, (2, 1), "reflect"))

add("ConstantOfShape", 9, ints(2, 3), lists=(0,))
add("ConstantOfShape", 9, ints(0, 3), lists=(0,))
add("ConstantOfShape", 9, np.zeros((0,), np.int64), lists=(0,))
for value, dtype in ((np.array([-3], np.int8), TensorProto.INT8), (np.array([True]), TensorProto.BOOL),
                     (np.array([0.1]), TensorProto.DOUBLE)):
    add("ConstantOfShape", 9, ints(4), lists=(0,), dtypes=[dtype], value=numpy_helper.from_array(value))

add("Split", 7, X, out=2, axis=2)
add("Split", 7, X, out=2, axis=1, split=[1, 2])
add("Split", 11, X, out=3, axis=-2)
add("Split", 13, X, ints(1, 0, 3), out=3, axis=2, lists=(1,))
add("Split", 18, X, out=3, axis=2, num_outputs=3, want=lambda a: np.split(a, [2, 4], 2))
add("Split", 18, data(7), out=3, num_outputs=3)
add("Split", 18, X, ints(3, 1), out=2, axis=2, lists=(1,))
add("Split", 2, X, out=2, axis=2, want=lambda a: np.split(a, 2, 2))
add("Split", 1, X, ints(1, 2), out=2, axis=1, lists=(1,), want=lambda a, s: np.split(a, [1], 1))

for opset in (8, 13):
    add("Expand", opset, data(3, 1), ints(2, 1, 4), lists=(1,))
add("Expand", 13, data(3, 4), ints(1, 1), lists=(1,))
add("Expand", 13, data(), ints(2, 2), lists=(1,))
add("Expand", 13, np.array([7], np.int64), ints(5), lists=(1,), dtypes=[TensorProto.INT64])
add("Expand", 13, data(1, 3), ints(0, 1), lists=(1,))

for opset in (6, 13):
    add("Tile", opset, X, ints(2, 1, 3), lists=(1,), want=lambda a, r: np.tile(a, r))
add("Tile", 13, X, ints(0, 1, 1), lists=(1,))
add("Tile", 1, X, ints(2), ints(1), lists=(1, 2), want=lambda a, n, d: np.tile(a, (1, 2, 1)))
add("Tile", 13, data(*[1] * 8, 2), ints(*[2] * 9), lists=(1,), want=lambda a, r: np.tile(a, r))

for args in ((2, 17, 3), (5, -4, -2), (3, 3, 1), (3, 9, -1), (0, 1, 7)):
    add("Range", 11, *[np.array(v, np.int64) for v in args], dtypes=[TensorProto.INT64])
    add("Range", 11, *[np.array(v, np.int32) for v in args], dtypes=[TensorProto.INT32])
    add("Range", 11, *[np.array(v, np.int16) for v in args], dtypes=[TensorProto.INT16])
    add("Range", 11, *[np.array(v, F) for v in args])
add("Range", 11, np.array(0.0), np.array(1.0), np.array(0.1), dtypes=[TensorProto.DOUBLE])

for opset in (9, 11):
    add("OneHot", opset, ints(0, 2, 4), np.array(5, np.int64), np.array([2, 9], F), axis=-1)
add("OneHot", 11, np.array([[1, -1], [-5, 9]], np.int64), np.array(4, np.int64), np.array([0, 1], F), axis=1)
add("OneHot", 11, np.array([1, 0], F), np.array([3], F), np.array([0, 1], F), axis=0,
    want=lambda i, d, v: np.array([[0, 1], [1, 0], [0, 0]], F))

for dtype in (np.float32, np.float64, np.int32, np.int64, np.bool_, np.uint8):
    x = np.array([[1, 0, 3], [0, 0, 6]]).astype(dtype)
    add("NonZero", 9, x, want=lambda x: np.stack(np.nonzero(x)))
add("NonZero", 13, np.array([[0.0, -0.0, np.nan]], F), dtypes=[TensorProto.INT64])
add("NonZero", 13, np.zeros((3, 0), F), dtypes=[TensorProto.INT64])
add("NonZero", 13, np.array([True, False, True, True]), dtypes=[TensorProto.INT64])

def window(a, b, c, periodic=True):
    def of(size):
        x = 2 * np.pi * np.arange(size) / (size if periodic else size - 1)
        return a - b * np.cos(x) + c * np.cos(2 * x)
    return of

for name, parts in dict(HannWindow=(0.5, 0.5, 0), HammingWindow=(25 / 46, 21 / 46, 0),
                        BlackmanWindow=(0.42, 0.5, 0.08)).items():  # fmt: skip
    for size in (np.array(10, np.int64), np.array(1, np.int32), np.array(0, np.int64)):
        add(name, 17, size, want=lambda size, p=parts: window(*p)(size).astype(F))
    add(name, 17, np.array(257, np.int64), periodic=0, want=lambda size, p=parts: window(*p, False)(size).astype(F))
    add(name, 17, np.array(31, np.int32), output_datatype=TensorProto.DOUBLE, dtypes=[TensorProto.DOUBLE],
        want=lambda size, p=parts: window(*p)(size))
    add(name, 17, np.array(64, np.int32), output_datatype=TensorProto.INT8, dtypes=[TensorProto.INT8],
        want=lambda size, p=parts: window(*p)(size).astype(np.int8))
add("EyeLike", 9, data(3, 4), k=1)
add("EyeLike", 9, data(3, 4), k=-2, dtype=TensorProto.INT64, dtypes=[TensorProto.INT64])
for k in (-3, 0, 1, 9):
    add("Trilu", 14, data(2, 3, 4), np.array(k, np.int64))
    add("Trilu", 14, data(2, 3, 4), np.array(k, np.int64), upper=0)
add("Dropout", 7, X)
add("Dropout", 10, X, out=2, want=lambda x: [x, np.ones(x.shape, bool)])
add("Dropout", 12, X, np.array(0.5, F), out=2, dtypes=[TensorProto.FLOAT, TensorProto.BOOL])
add("Dropout", 13, X, np.array(0.0, F), np.array(True), out=2, dtypes=[TensorProto.FLOAT, TensorProto.BOOL])
add("Dropout", 6, X, is_test=1, want=lambda x: x)
add("Dropout", 1, X, is_test=1, consumed_inputs=[0], want=lambda x: x)

I = np.array([[1, 0, -1], [0, 0, 1]], np.int64)
for opset in (11, 13):
    add("GatherElements", opset, data(2, 3), I % 2, axis=0)
    add("GatherElements", opset, data(2, 3), I, axis=1)
add("GatherElements", 13, data(4, 5), I, axis=-1)
add("GatherElements", 13, np.array([["a", "b"], ["c", "d"]], object), I[:, :1], axis=1, dtypes=[TensorProto.STRING])
for opset in (11, 12, 13):
    add("GatherND", opset, X, np.array([[0, 1], [-1, 2]], np.int64), lists=(1,))
add("GatherND", 12, X, np.array([[1], [0]], np.int64), batch_dims=1, lists=(1,))
add("GatherND", 13, X, np.array([[[1, 3]], [[2, 0]]], np.int64), batch_dims=1, lists=(1,))
add("GatherND", 13, X, np.array([1, 2, 3], np.int64), lists=(1,))

U = np.array([[10, 20, 30], [40, 50, 60]], F)
add("Scatter", 9, data(3, 3), np.array([[1, 0, 2], [0, 2, 1]], np.int64), U, axis=0)
for opset in (11, 13):
    add("ScatterElements", opset, data(3, 5), I, U, axis=1)
for reduction in ("none", "add", "mul"):
    add("ScatterElements", 16, data(3, 5), I, U, axis=1, reduction=reduction)
for reduction in ("add", "mul", "min", "max"):
    add("ScatterElements", 18, data(3, 5), np.zeros((2, 3), np.int64), U, axis=0, reduction=reduction)
    add("ScatterND", 18, X, np.array([[0, 1], [1, 2], [0, 1]], np.int64), np.ones((3, 4), F) * 5, reduction=reduction)
for opset in (11, 13):
    add("ScatterND", opset, X, np.array([[[0, 1], [-1, 2]]], np.int64), RNG.random((1, 2, 4), F))
    add("ScatterND", opset, X, np.array([[0, 1, 2], [1, 1, 1]], np.int64), np.array([7, 8], F))
add("ScatterND", 16, X, np.array([[1], [1]], np.int64), RNG.random((2, 3, 4), F), reduction="add")
add("ScatterElements", 18, np.array([1, 200], np.uint8), ints(0, 1), np.array([100, 100], np.uint8), reduction="max",
    dtypes=[TensorProto.UINT8])

for opset in (9, 11):
    add("Compress", opset, X, np.array([True, False, True]), axis=1)
add("Compress", 9, X, np.array([False, True, True]))
add("Compress", 11, X, np.array([False, True]), axis=-1)
add("Compress", 11, X, np.array([False, False]), axis=0)

for mode in ("DCR", "CRD"):
    add("DepthToSpace", 11, data(1, 8, 2, 3), blocksize=2, mode=mode)
add("DepthToSpace", 7, data(1, 8, 2, 3), blocksize=2)
add("SpaceToDepth", 7, data(1, 2, 4, 6), blocksize=2)
add("ReverseSequence", 10, data(4, 3), ints(4, 1, 2), time_axis=0, batch_axis=1)
add("ReverseSequence", 10, data(2, 4, 2), ints(3, 4), time_axis=1, batch_axis=0)
add("CenterCropPad", 18, X, ints(4, 2), axes=[1, 2], lists=(1,))
add("CenterCropPad", 18, X, ints(1, 6, 3), lists=(1,))

for opset in (11,):
    for kept in (0, 1):
        y = np.array([[3, 1, 3, 2], [1, 1, 3, 0]], F)
        types = [TensorProto.FLOAT] + [TensorProto.INT64] * 3
        add("Unique", opset, y, out=4, sorted=kept, dtypes=types)
        add("Unique", opset, y[:, [0, 2, 1, 0]], out=4, sorted=kept, axis=1, dtypes=types)
        add("Unique", opset, y[[1, 0, 1]], out=4, sorted=kept, axis=0, dtypes=types)

A, B, C = RNG.random((3, 4), F), RNG.random((4, 5), F), RNG.random((5, 3), F)
for equation, operands in (("ij,jk->ik", (A, B)), ("ij,jk,kl->il", (A, B, C)), ("ij,jk,ki", (A, B, C)), ("ij->", (A,)),
                           ("ii->i", (A[:, :3],)), ("ii", (A[:, :3],)), ("...i,...i->...", (A, A)), ("Ba,aB", (A, A.T)),
                           ("...ij,jk->...ik", (RNG.random((2, 3, 4), F), B)), (" i , j -> i j ", (A[0], B[0])),
                           ("a...a->...", (RNG.random((3, 2, 3), F),)), ("i,i,i", (A[0], A[1], A[2]))):
    add("Einsum", 12, *operands, equation=equation)
add("Einsum", 12, ints([1, 2, 3]), ints(4, 5, 6), equation="ij,j->i", dtypes=[TensorProto.INT64])
add("Einsum", 12, ints([1], [2]), ints(4, 5, 6), equation="ij,j->ij", dtypes=[TensorProto.INT64])


@pytest.mark.parametrize("variant", ["static", "symbolic", "constant"])
@pytest.mark.parametrize("op, opset, inputs, attrs, outputs, lists, dtypes, want", CASES)
def test_op(op, opset, inputs, attrs, outputs, lists, dtypes, want, variant):
    if variant == "constant" and len(inputs) == 1:
        pytest.skip("one input only")
    model = model_of(op, opset, inputs, attrs, outputs, variant, lists)
    got = noria.InferenceSession(model.SerializeToString()).run(None, feeds_of(model, inputs))
    if want:
        expected = want(*inputs)
        expected = expected if isinstance(expected, list) else [expected]
    else:
        expected = reference(model, inputs, dtypes or [TensorProto.FLOAT] * outputs)
    for a, b in zip(got, expected):
        assert a.dtype == b.dtype and a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=1e-5) if a.dtype.kind == "f" else np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("variant", ["static", "symbolic", "constant"])
@pytest.mark.parametrize("op, inputs, attrs, lists, message", [
    ("Gather", [data(3), ints(0, 3)], {}, (), "index 3 is out of range for 3 elements"),
    ("Gather", [data(3, 2), ints(0, -4)], {}, (), "index -4 is out of range for 3 elements"),
    ("Gather", [data(3, 2), ints(5)], {}, (), "index 5 is out of range for 3 elements"),
    ("GatherElements", [data(3, 2), ints(0, 7).reshape(1, 2)], {}, (), "index 7 is out of range for 3 elements"),
    ("GatherElements", [data(3, 2), np.zeros((1, 3), np.int64)], {}, (), "in a dim of 2|do not fit a dim of 2"),
    ("GatherND", [data(3, 2), np.array([[2, 2]], np.int64)], {}, (1,), "index 2 is out of range for 2 elements"),
    ("ScatterElements", [data(3), ints(3), data(1)], {}, (), "index 3 is out of range for 3 elements"),
    ("ScatterND", [data(3), np.array([[-4]], np.int64), data(1)], {}, (1,), "index -4 is out of range for 3 elements"),
    ("Reshape", [data(2, 3), ints(4, 2)], {}, (1,), "6 elements do not fit a shape of 8"),
    ("Reshape", [data(2, 3), ints(4, -1)], {}, (1,), "6 elements do not fit a shape of 4"),
    ("Expand", [data(2, 3), ints(4)], {}, (1,), "shapes do not broadcast"),
    ("Split", [data(6), ints(2, 3)], {}, (1,), "5 elements in all do not fit a dim of 6|elements of all parts"),
    ("Squeeze", [data(2, 3), ints(0)], {}, (1,), "not 1|must be 1"),
    ("Unsqueeze", [data(2), ints(4)], {}, (1,), "out of range"),
    ("Unsqueeze", [data(2), ints(0, -3)], {}, (1,), "named twice"),
    ("Slice", [data(4), ints(0), ints(4), ints(0), ints(0)], {}, (1, 2, 3, 4), "a step is 0"),
    ("Range", [np.array(0), np.array(4), np.array(0)], {}, (), "delta is 0"),
    ("ConstantOfShape", [ints(2, -1)], {}, (0,), "size -1 is negative"),
    ("Tile", [data(2), ints(-1)], {}, (1,), "must not be negative"),
    ("Pad", [np.zeros((0,), F), ints(1, 1)], {"mode": "edge"}, (1,), "empty dim"),
    ("ReverseSequence", [data(2, 2), ints(1, 3)], {}, (), "a sequence of length 3 in a dim of 2"),
])
def test_error(op, inputs, attrs, lists, message, variant):
    """The run fails, or the model does not load, with a message that names the node and what is wrong."""
    if variant == "constant" and len(inputs) == 1:
        pytest.skip("one input only")
    outputs = 2 if op == "Split" else 1
    model = model_of(op, 18, inputs, attrs, outputs, variant, lists)
    with pytest.raises(noria.Error, match=message) as failure:
        noria.InferenceSession(model.SerializeToString()).run(None, feeds_of(model, inputs))
    assert "the_node" in str(failure.value)


@pytest.mark.parametrize("squares, dims", [(3, 2), (6, 2), (6, 15), (7, 1)])
def test_reshape_to_products_of_many_factors(squares, dims):
    """Sizes that are products of more factors than the lowering keeps apart."""
    nodes = [helper.make_node("Shape", ["x"], ["p0"], start=0, end=1)]
    nodes += [helper.make_node("Mul", [f"p{i}", f"p{i}"], [f"p{i + 1}"]) for i in range(squares)]
    nodes += [helper.make_node("Concat", [f"p{squares}"] * dims, ["s"], axis=0),
              helper.make_node("Reshape", ["x", "s"], ["y"])]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N"])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    got = noria.InferenceSession(model.SerializeToString()).run(None, {"x": np.ones(1, F)})[0]
    assert got.shape == (1,) * dims and np.all(got == 1)
