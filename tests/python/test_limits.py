"""Time limits and interrupts hold in every op: each case here would run for much longer, and has to end within 0.1 s of
its limit, with an error that names the node.

What counts is processor time, not the clock: a machine that is busy elsewhere makes no test fail. Where even so a run is
late, as when the thread that watches the time is not scheduled, it is tried again.
"""
import ctypes
import threading
import time

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import noria
from conftest import BUILD

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


def noise(count):
    return (np.arange(count, dtype=np.uint32) * np.uint32(2654435761)).astype(F32)


def numbers(count, limit):
    return np.arange(count, dtype=I64) * 7919 % limit


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


def session_of(model, limit, threads=1, stage=None):
    options = noria.SessionOptions()
    options.time_limit, options.intra_op_num_threads, options.interpret_after = limit, threads, stage
    return noria.InferenceSession(model, options)


def ends_in_time(model, feeds, threads=1, stage=None):
    """A run that gives values has to have ended within its limit, which is then lowered until a run is stopped."""
    limit, late = LIMIT, []
    session = session_of(model, limit, threads, stage)
    while len(late) < TRIES:
        begin, clock = time.process_time(), time.perf_counter()
        try:
            session.run(None, feeds)
        except noria.Error as error:
            spent = time.process_time() - begin
            assert str(error) == f"node 'heavy': the time limit of {limit:g} s is reached"
            if spent <= threads * limit + GRAIN:
                return
            late.append(f"stopped after {spent} s of processor time, with a limit of {limit} s")
        else:
            took = time.perf_counter() - clock
            if took > limit + GRAIN:
                late.append(f"gave values after {took} s, with a limit of {limit} s")
                continue
            limit /= 8
            assert limit > 1e-12, "no limit stops it"
            session = session_of(model, limit, threads, stage)
    pytest.fail(", ".join(late))


def one_node(op, *inputs, outputs=1, **attrs):
    """The model for either kind of dims, and what to feed it."""
    names = [f"x{i}" if x is not None else "" for i, x in enumerate(inputs)]
    feeds = {n: x for n, x in zip(names, inputs) if isinstance(x, np.ndarray)}
    constants = {n: x.value for n, x in zip(names, inputs) if isinstance(x, Const)}
    node = helper.make_node(op, names, [f"y{i}" for i in range(outputs)], name="heavy", **attrs)
    return lambda symbolic: model_of([node], feeds, constants, symbolic), feeds


def chain(ops, *inputs):
    """Nodes one after the other, each with what the one before gives and the first ones of the inputs that are left."""
    feeds = {f"x{i}": x for i, x in enumerate(inputs)}
    left, nodes = list(feeds), []
    for i, (op, attrs) in enumerate(ops):
        names = [nodes[-1].output[0]] if nodes else []
        names += [left.pop(0) for _ in range({"Expand": 2, "SequenceInsert": 2, "ConcatFromSequence": 1, "Cast": 1}.get(op, 1)
                                             - len(names))]
        nodes.append(helper.make_node(op, names, [f"y{i}"], name="heavy", **attrs))
    return lambda symbolic: model_of(nodes, feeds, {}, symbolic), feeds


def if_node(x):
    square = helper.make_graph([helper.make_node("MatMul", ["x", "x"], ["z"], name="heavy")], "yes", [],
                               [helper.make_empty_tensor_value_info("z")])
    same = helper.make_graph([helper.make_node("Identity", ["x"], ["z"])], "no", [],
                             [helper.make_empty_tensor_value_info("z")])
    node = helper.make_node("If", ["go"], ["y"], name="heavy", then_branch=square, else_branch=same)
    feeds = {"go": np.array(True), "x": x}
    return lambda symbolic: model_of([node], feeds, {}, symbolic), feeds


def loop_node(x):
    body = helper.make_graph([helper.make_node("Identity", ["go"], ["go_out"]),
                              helper.make_node("MatMul", ["a", "x"], ["b"], name="heavy")], "body",
                             [helper.make_tensor_value_info("i", TensorProto.INT64, []),
                              helper.make_tensor_value_info("go", TensorProto.BOOL, []),
                              helper.make_tensor_value_info("a", TensorProto.FLOAT, None)],
                             [helper.make_tensor_value_info("go_out", TensorProto.BOOL, []),
                              helper.make_tensor_value_info("b", TensorProto.FLOAT, None)])
    node = helper.make_node("Loop", ["n", "", "x"], ["y"], name="heavy", body=body)
    feeds = {"n": np.array(3), "x": x}
    return lambda symbolic: model_of([node], feeds, {}, symbolic), feeds


def scan_node(x):
    body = helper.make_graph([helper.make_node("Sin", ["row"], ["sin"], name="heavy"),
                              helper.make_node("Add", ["sum", "sin"], ["next"], name="heavy"),
                              helper.make_node("Identity", ["next"], ["out"], name="heavy")], "body",
                             [helper.make_tensor_value_info("sum", TensorProto.FLOAT, None),
                              helper.make_tensor_value_info("row", TensorProto.FLOAT, None)],
                             [helper.make_tensor_value_info("next", TensorProto.FLOAT, None),
                              helper.make_tensor_value_info("out", TensorProto.FLOAT, None)])
    node = helper.make_node("Scan", ["first", "x"], ["last", "y"], name="heavy", body=body, num_scan_inputs=1)
    feeds = {"first": x[0].copy(), "x": x}
    return lambda symbolic: model_of([node], feeds, {}, symbolic), feeds


# Each makes its inputs when it runs: together they would not fit the memory.
HEAVY = {
    "MatMul": lambda: one_node("MatMul", zeros(3000, 3000, dtype=F64), zeros(3000, 3000, dtype=F64)),
    "MatMul narrow": lambda: one_node("MatMul", zeros(4000000, 8), zeros(8, 16)),
    "MatMul of integers": lambda: one_node("MatMul", zeros(2000, 2000, dtype=I32), zeros(2000, 2000, dtype=I32)),
    "MatMul of vectors": lambda: one_node("MatMul", zeros(100000000), zeros(100000000)),
    "Gemm": lambda: one_node("Gemm", zeros(4000, 4000), zeros(4000, 4000), zeros(4000), transB=1),
    "Einsum": lambda: one_node("Einsum", zeros(3000, 3000), zeros(3000, 3000), equation="ij,jk->ik"),
    "Einsum of three": lambda: one_node("Einsum", zeros(2000, 2000), zeros(2000, 2000), zeros(2000, 2000),
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
    "Cast from string": lambda: chain([("Expand", dict()), ("Cast", dict(to=TensorProto.FLOAT))], texts(1),
                                      np.array([10000000])),
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
    "SequenceInsert": lambda: chain([("SequenceConstruct", {}), ("SequenceInsert", {})], zeros(50000000), zeros(60000000)),
    "ConcatFromSequence": lambda: chain([("SequenceConstruct", {}), ("ConcatFromSequence", dict(axis=0))],
                                        zeros(100000000)),
    "ConcatFromSequence of many": lambda: chain([("SplitToSequence", {}), ("ConcatFromSequence", dict(axis=0))],
                                                zeros(5000000)),
    "If": lambda: if_node(zeros(3000, 3000)),
    "Loop": lambda: loop_node(zeros(3000, 3000)),
    "Scan": lambda: scan_node(zeros(20000, 4000)),
}
NOT_SYMBOLIC = ("GatherND", "ConstantOfShape", "Cast from string")  # the rank of the result depends on a size


@pytest.mark.parametrize("symbolic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("case", ["MatMul", "MaxPool", "TopK", "CumSum", "SplitToSequence", "Transpose"])
def test_some_ops(case, symbolic):
    make, feeds = HEAVY[case]()
    ends_in_time(make(symbolic), feeds)


@pytest.mark.slow
@pytest.mark.parametrize("case", HEAVY)
def test_every_op(case):
    make, feeds = HEAVY[case]()
    for symbolic in (False, True):
        if not symbolic or case not in NOT_SYMBOLIC:
            ends_in_time(make(symbolic), feeds)


@pytest.mark.parametrize("symbolic", [False, True], ids=["static", "dynamic"])
def test_workgroups_on_several_threads(symbolic):
    make, feeds = one_node("MatMul", zeros(5000, 5000), zeros(5000, 5000))
    ends_in_time(make(symbolic), feeds, threads=2)


@pytest.mark.parametrize("case", ["MatMul", "CumSum", "SplitToSequence", "Concat", "Pad", "Slice", "Expand", "Cast"])
def test_the_interpreter(case):
    make, feeds = HEAVY[case]()
    ends_in_time(make(False), feeds, stage="tensor")


# Even where nothing is left to be stopped: no answer is given that came too late. The place is that of what ran last.
@pytest.mark.parametrize("stage", [None, "tensor", "kernel"])
@pytest.mark.parametrize("op", ["Abs", "Identity"])
@pytest.mark.parametrize("size", [0, 10, 1000, 100000])
def test_a_run_that_ends_after_its_limit_failed(size, op, stage):
    make, feeds = one_node(op, zeros(size))
    for symbolic in (False, True):
        with pytest.raises(noria.Error) as error:
            session_of(make(symbolic), 1e-9, stage=stage).run(None, feeds)
        assert str(error.value) == "node 'heavy': the time limit of 1e-09 s is reached"


def test_runs_that_wait_for_the_interpreter():
    """It does one run after the other: the limits of those whose turn has not come yet hold too."""
    make, feeds = HEAVY["MatMul"]()
    session, said = session_of(make(False), LIMIT, stage="tensor"), []

    def run():
        with pytest.raises(noria.Error) as error:
            session.run(None, feeds)
        said.append(str(error.value))

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == [f"node 'heavy': the time limit of {LIMIT:g} s is reached"] * 3


@pytest.mark.parametrize("case, what", [
    ("SplitToSequence", "memory limit"), ("Cast to string", "memory limit"), ("MatMul", "memory limit"),
    ("Concat", "memory limit"), ("SequenceConstruct", "memory limit"),
])
def test_the_memory_limit_names_the_node(case, what):
    make, feeds = HEAVY[case]()
    options = noria.SessionOptions()
    options.memory_limit = 1 << 20
    for stage in (None, "tensor"):
        options.interpret_after = stage
        with pytest.raises(noria.Error) as error:
            noria.InferenceSession(make(False), options).run(None, feeds)
        assert what in str(error.value) and "node 'heavy'" in str(error.value), str(error.value)


# ---- interrupts, through the C interface ---------------------------------------------------------------------------


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("message", ctypes.c_char_p)]


class Program:
    """A compiled model and its inputs."""

    def __init__(self, model, arrays):
        self.noria = ctypes.CDLL(str(BUILD / "libnoria.so"))
        self.program, self.values, error = ctypes.c_void_p(), (ctypes.c_void_p * len(arrays))(), Error()
        assert self.noria.noria_compile_memory(model, ctypes.c_size_t(len(model)), None, None, ctypes.byref(self.program),
                                               ctypes.byref(error)) == 0, error.message
        for i, array in enumerate(arrays):
            dims = (ctypes.c_int64 * array.ndim)(*array.shape)
            value = ctypes.c_void_p()
            assert self.noria.noria_tensor_create(1, ctypes.c_int64(array.ndim), dims,
                                                  array.ctypes.data_as(ctypes.c_void_p), ctypes.byref(value),
                                                  ctypes.byref(error)) == 0, error.message
            self.values[i] = value.value

    def run(self):
        out, error = (ctypes.c_void_p * 1)(), Error()
        self.code = self.noria.noria_program_run(self.program, self.values, ctypes.c_size_t(len(self.values)), out,
                                                 ctypes.c_size_t(1), None, ctypes.byref(error))
        self.ended, self.message = time.process_time(), (error.message or b"").decode()
        self.noria.noria_error_clear(ctypes.byref(error))

    def close(self):
        for value in self.values:
            self.noria.noria_value_release(ctypes.c_void_p(value))
        self.noria.noria_program_destroy(self.program)


@pytest.mark.parametrize("interrupt", ["noria_interrupt_all", "noria_program_interrupt"])
@pytest.mark.parametrize("op", ["MatMul", "Softmax"])
def test_interrupts_from_another_thread(interrupt, op):
    arrays = [zeros(5000, 5000), zeros(5000, 5000)] if op == "MatMul" else [zeros(60000000)]
    make, _ = one_node(op, *arrays)
    program = Program(make(True), arrays)
    late = []
    for _ in range(TRIES):
        thread = threading.Thread(target=program.run)
        thread.start()
        time.sleep(0.01)
        begin = time.process_time()
        arguments = [program.program] if interrupt == "noria_program_interrupt" else []
        while thread.is_alive():  # the first may come before the run begins
            getattr(program.noria, interrupt)(*arguments)
            thread.join(0.02)
        assert "node 'heavy': the run was interrupted" in program.message, (program.code, program.message)
        late.append(program.ended - begin)
        if late[-1] <= GRAIN:
            break
    program.close()
    assert late[-1] <= GRAIN, f"ended after {late} s of processor time"
