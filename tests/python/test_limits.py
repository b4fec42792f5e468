"""Limits hold in every op: each case here would run for much longer than its limit, and has to end within 0.1 s of it,
with an error that names the node.

What counts is processor time, not the clock: a machine that is busy elsewhere makes no test fail. Where even so a run is
late, as when the thread that watches the time is not scheduled, it is tried again.
"""
import threading
import time

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import noria

LIMIT, GRAIN, TRIES = 0.05, 0.1, 4
F32, F64, I64, I32, U8, BOOL, STRING = (np.float32, np.float64, np.int64, np.int32, np.uint8, np.bool_, np.object_)


class Const:
    """An input that the model holds itself."""

    def __init__(self, *value, dtype=I64):
        self.value = np.array(value, dtype)


class Scalar(Const):
    def __init__(self, value, dtype=I64):
        self.value = np.array(value, dtype)


def zeros(*shape, dtype=F32):
    return np.zeros(shape, dtype)


def noise(*shape, dtype=F32):
    return np.random.default_rng(5).standard_normal(shape).astype(dtype)


def numbers(count, limit, dtype=I64):
    return np.random.default_rng(6).integers(0, limit, count).astype(dtype)


def texts(count, text="12.5"):
    return np.full(count, text, object)


def tensor_type(array):
    return TensorProto.STRING if array.dtype == object else helper.np_dtype_to_tensor_dtype(array.dtype)


def value_info(name, array, symbolic):
    dims = [f"{name}_{i}" if symbolic else d for i, d in enumerate(array.shape)]
    return helper.make_tensor_value_info(name, tensor_type(array), dims)


def model_of(nodes, feeds, constants, symbolic, opset=21):
    """The last node's first output is the model's."""
    out = helper.make_empty_tensor_value_info(nodes[-1].output[0])
    graph = helper.make_graph(nodes, "heavy", [value_info(k, v, symbolic) for k, v in feeds.items()], [out],
                              [numpy_helper.from_array(v, k) for k, v in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)],
                             ir_version=10).SerializeToString()


def session_of(model, limit=LIMIT, threads=1, stage=None):
    options = noria.SessionOptions()
    options.time_limit, options.intra_op_num_threads, options.interpret_after = limit, threads, stage
    return noria.InferenceSession(model, options)


def ends_in_time(session, feeds, limit, what="time limit", node="node 'heavy'"):
    late = []
    for _ in range(TRIES):
        begin = time.process_time()
        with pytest.raises(noria.Error) as error:
            session.run(None, feeds)
        spent = time.process_time() - begin
        assert what in str(error.value) and node in str(error.value), str(error.value)
        if spent <= limit + GRAIN:
            return
        late.append(spent)
    pytest.fail(f"stopped after {late} s of processor time, with a limit of {limit} s")


def one_node(op, *inputs, outputs=1, **attrs):
    """The model for either kind of dims, and what to feed it."""
    names = [f"x{i}" if x is not None else "" for i, x in enumerate(inputs)]
    feeds = {n: x for n, x in zip(names, inputs) if isinstance(x, np.ndarray)}
    constants = {n: x.value for n, x in zip(names, inputs) if isinstance(x, Const)}
    node = helper.make_node(op, names, [f"y{i}" for i in range(outputs)], name="heavy", **attrs)
    return lambda symbolic: model_of([node], feeds, constants, symbolic), feeds


# Each makes its inputs when it runs: together they would not fit the memory.
HEAVY = {
    "MatMul": lambda: one_node("MatMul", zeros(3000, 3000, dtype=F64), zeros(3000, 3000, dtype=F64)),
    "MatMul narrow": lambda: one_node("MatMul", zeros(4000000, 8), zeros(8, 16)),
    "MatMul of integers": lambda: one_node("MatMul", zeros(2000, 2000, dtype=I32), zeros(2000, 2000, dtype=I32)),
    "MatMul of vectors": lambda: one_node("MatMul", zeros(100000000), zeros(100000000)),
    "Gemm": lambda: one_node("Gemm", zeros(4000, 4000), zeros(4000, 4000), zeros(4000), transB=1),
    "Einsum": lambda: one_node("Einsum", zeros(3000, 3000), zeros(3000, 3000), equation="ij,jk->ik"),
    "Einsum of three": lambda: one_node("Einsum", zeros(300, 300), zeros(300, 300), zeros(300, 300),
                                        equation="ij,jk,kl->il"),
    "Conv": lambda: one_node("Conv", zeros(1, 64, 384, 384), zeros(64, 64, 3, 3), pads=[1, 1, 1, 1]),
    "Conv of one channel": lambda: one_node("Conv", zeros(1, 1, 4000, 4000), zeros(1, 1, 15, 15)),
    "ConvTranspose": lambda: one_node("ConvTranspose", zeros(1, 64, 256, 256), zeros(64, 64, 3, 3)),
    "MaxPool": lambda: one_node("MaxPool", zeros(1, 8, 1024, 1024), kernel_shape=[15, 15]),
    "AveragePool": lambda: one_node("AveragePool", zeros(1, 8, 1024, 1024), kernel_shape=[15, 15]),
    "GlobalAveragePool": lambda: one_node("GlobalAveragePool", zeros(1, 4, 8000, 8000)),
    "LRN": lambda: one_node("LRN", zeros(4, 64, 256, 256), size=63),
    "BatchNormalization": lambda: one_node("BatchNormalization", zeros(1, 4, 5000, 5000), zeros(4), zeros(4), zeros(4),
                                           zeros(4)),
    "LayerNormalization": lambda: one_node("LayerNormalization", zeros(100000, 1000), zeros(1000)),
    "Softmax": lambda: one_node("Softmax", zeros(60000000)),
    "LogSoftmax of columns": lambda: one_node("LogSoftmax", zeros(6000, 10000), axis=0),
    "TopK": lambda: one_node("TopK", noise(20000000), Const(1000), outputs=2),
    "TopK of few": lambda: one_node("TopK", np.arange(20000000, dtype=F32), Const(10), outputs=2),
    "Unique": lambda: one_node("Unique", noise(10000000)),
    "CumSum": lambda: one_node("CumSum", zeros(100000000), Scalar(0)),
    "CumSum of columns": lambda: one_node("CumSum", zeros(10000, 10000), Scalar(0)),
    "Gather": lambda: one_node("Gather", zeros(1000), numbers(30000000, 1000)),
    "Gather of rows": lambda: one_node("Gather", zeros(1000, 100), numbers(1000000, 1000)),
    "GatherElements": lambda: one_node("GatherElements", zeros(1000, 20000), numbers(20000000, 1000).reshape(1000, -1)),
    "GatherND": lambda: one_node("GatherND", zeros(1000, 1000), numbers(40000000, 1000).reshape(-1, 2)),
    "ScatterElements": lambda: one_node("ScatterElements", zeros(1000000), numbers(30000000, 1000000),
                                        zeros(30000000), reduction="add"),
    "ScatterND": lambda: one_node("ScatterND", zeros(1000000), numbers(20000000, 1000000).reshape(-1, 1),
                                  zeros(20000000)),
    "ReduceSum": lambda: one_node("ReduceSum", zeros(150, 1000000), Const(1)),
    "ReduceMax of columns": lambda: one_node("ReduceMax", zeros(30000, 5000), Const(0)),
    "ReduceLogSumExp": lambda: one_node("ReduceLogSumExp", zeros(100000000), Const(0)),
    "ReduceProd of many": lambda: one_node("ReduceProd", zeros(10000000, 3, 4), Const(1, 2)),
    "ArgMax": lambda: one_node("ArgMax", zeros(100000000), axis=0),
    "Concat": lambda: one_node("Concat", zeros(1000, 60000), zeros(1000, 60000), axis=1),
    "Transpose": lambda: one_node("Transpose", zeros(10000, 10000), perm=[1, 0]),
    "Transpose of many": lambda: one_node("Transpose", zeros(100, 100, 100, 100), perm=[3, 1, 2, 0]),
    "Pad": lambda: one_node("Pad", zeros(10000, 10000), Const(1, 1, 1, 1)),
    "Pad reflecting": lambda: one_node("Pad", zeros(8000, 10000), Const(1, 1, 1, 1), mode="reflect"),
    "Tile": lambda: one_node("Tile", zeros(1000, 10), Const(100, 100)),
    "Expand": lambda: one_node("Expand", zeros(1), Const(20000, 5000)),
    "Slice": lambda: one_node("Slice", zeros(20000, 10000), Const(-1), Const(-100000), Const(1), Const(-2)),
    "Split": lambda: one_node("Split", zeros(10000, 10000), outputs=2, axis=1, num_outputs=2),
    "Where": lambda: one_node("Where", zeros(100000000, dtype=BOOL), Scalar(1, F32), Scalar(2, F32)),
    "Cast": lambda: one_node("Cast", zeros(100000000), to=TensorProto.DOUBLE),
    "Cast to float8": lambda: one_node("Cast", zeros(100000000), to=TensorProto.FLOAT8E4M3FN),
    "Cast to string": lambda: one_node("Cast", zeros(10000000), to=TensorProto.STRING),
    "Cast from string": lambda: one_node("Cast", texts(5000000), to=TensorProto.FLOAT),
    "Equal of strings": lambda: one_node("Equal", texts(3000, "a" * 1000).reshape(-1, 1), texts(30000, "a" * 1000)),
    "NonZero": lambda: one_node("NonZero", np.ones((8000, 5000), F32)),
    "Compress": lambda: one_node("Compress", zeros(100000000), np.ones(100000000, bool)),
    "OneHot": lambda: one_node("OneHot", zeros(100000, dtype=I64), Scalar(1000), Const(0, 1, dtype=F32)),
    "Pow": lambda: one_node("Pow", zeros(60000000), Scalar(1.5, F32)),
    "Erf": lambda: one_node("Erf", zeros(100000000)),
    "Add broadcasting": lambda: one_node("Add", zeros(10000, 1), zeros(10000)),
    "Mod": lambda: one_node("Mod", zeros(50000000, dtype=I64), Scalar(7)),
    "ReverseSequence": lambda: one_node("ReverseSequence", zeros(10000, 10000), numbers(10000, 10000), batch_axis=0,
                                        time_axis=1),
    "DepthToSpace": lambda: one_node("DepthToSpace", zeros(1, 16, 2000, 2500), blocksize=4),
    "Trilu": lambda: one_node("Trilu", zeros(10000, 10000)),
    "EyeLike": lambda: one_node("EyeLike", zeros(10000, 10000)),
    "Range": lambda: one_node("Range", Scalar(0), np.array(100000000), Scalar(1)),
    "ConstantOfShape": lambda: one_node("ConstantOfShape", np.array([20000, 10000])),
    "LSTM": lambda: one_node("LSTM", zeros(3000, 1, 128), zeros(1, 1024, 128), zeros(1, 1024, 256), hidden_size=256),
    "RNN": lambda: one_node("RNN", zeros(3000, 16, 128), zeros(1, 256, 128), zeros(1, 256, 256), hidden_size=256),
    "GRU": lambda: one_node("GRU", zeros(3000, 1, 128), zeros(1, 768, 128), zeros(1, 768, 256), hidden_size=256),
    "SplitToSequence": lambda: one_node("SplitToSequence", zeros(5000000)),
    "SplitToSequence of columns": lambda: one_node("SplitToSequence", zeros(5000, 10000), axis=1),
    "SequenceConstruct": lambda: one_node("SequenceConstruct", *[zeros(30000000) for _ in range(4)]),
}
