"""Noria: ONNX models with loops and branches, compiled to machine code.

    import noria
    session = noria.InferenceSession("model.onnx")
    outputs = session.run(None, {"x": array})

The session answers as ONNX Runtime's does: the same names, order, element types and shapes. Arrays go in and come out
without copies.
"""

import atexit
import copy
import os

import numpy as np

# In a source tree the native half lies in the build folder; installed, beside this file.
_build = os.environ.get("NORIA_BUILD", os.path.join(os.path.dirname(__file__), "..", "..", "build", "release"))
__path__.append(os.path.join(_build, "python"))

from . import _native  # noqa: E402
from ._native import Error  # noqa: E402
from ._values import dtype_name, from_value, to_value  # noqa: E402

__all__ = ["Error", "InferenceSession", "NodeArg", "SessionOptions", "compile_to_file", "get_device",
           "trim"]
__version__ = _native.version()


class SessionOptions:
    """What a session may be told. Fields: intra_op_num_threads (0: one per core), time_limit (seconds a run),
    iteration_limit (trips of all loops of a run), memory_limit (bytes of a run); 0 means no limit.
    compile_time_limit: seconds that compiling may take, 0: no limit; compile_memory_limit: bytes, 0: half of what the
    machine or its control group has, negative: no limit.
    format: what the model's bytes are, "onnx", "mlir" or "kernel", the name of a kernel of the library; None: by the
    path's ending, else by the first bytes.
    interpret_after: a stage of the pipeline ("tensor", "buffer", ..) after which the reference interpreter runs the
    program, instead of machine code.
    sanitize: "address" for machine code that raises Error where it would touch memory that is not the program's.
    libraries: paths of shared libraries with the functions that the program calls (flow.call).
    parameters: safetensors files, "path" or "scope=path", with the program's #flow.parameter.named.
    shard: for runs on several ranks: "batch", each runs a model on its part of the batch, or "tensor", each has its
    part of the large weights; all get the whole results. None: neither.
    communicator: an mpi4py communicator, such as MPI.COMM_WORLD: the session's runs are those of this process' rank in
    it, and every rank makes the same runs. A process has one at a time.
    cache: where compiled programs are kept, for this and other processes: a folder, which only its owner may use, or
    "off"; None: that of the environment variable NORIA_CACHE, else ~/.cache/noria.
    fold_memory: bytes that may be taken by constants that are computed from others when a model is compiled; 0: a
    quarter of what the machine has; negative: none are computed.
    tiered: code is made fast at first, and the session can run; meanwhile a thread in the background makes better code,
    to which the runs that begin later switch (InferenceSession.wait_until_optimized). Floats of the two may differ in
    their last bits.
    collective_time_limit: seconds that a rank waits for the others; 0: 300. check_collectives: compare what the ranks
    call before each collective. Both are those of the first session with the communicator."""

    def __init__(self):
        self.intra_op_num_threads = 0
        self.time_limit = 0.0
        self.iteration_limit = 0
        self.memory_limit = 0
        self.compile_time_limit = 0.0
        self.compile_memory_limit = 0
        self.format = None
        self.interpret_after = None
        self.sanitize = None
        self.libraries = []
        self.parameters = []
        self.shard = None
        self.communicator = None
        self.collective_time_limit = 0.0
        self.check_collectives = False
        self.cache = None
        self.fold_memory = 0
        self.tiered = False
        self.shapes = []

    def add_free_dimension_override_by_name(self, name, size):
        """Fixes the symbol `name` in the inputs' shapes to `size`, which makes better code."""
        self.shapes.append(f"{name}={size}")

    def warn_of_unequal_dims(self, name="*"):
        """Dims of the symbol `name`, or of every one, may differ: a run in which they do warns. Else it is an error
        where the model needs them to be equal; without that knowledge, code is less good."""
        self.shapes.append(f"{name}=warn")

    def fix_input_shape(self, name, dims):
        """Fixes all dims of the input `name`; None leaves a dim as it is."""
        self.shapes.append(f"{name}=" + "x".join("?" if d is None else str(d) for d in dims))


def _cache_of(options):
    cache = getattr(options, "cache", None)
    return "default" if cache is None else os.fspath(cache)


_joined = None  # the Fortran handle of the communicator in which this process is a rank


def _join(options):
    """Whether the session's runs are a rank's. The first session joins; leaving, at exit, waits for the others."""
    global _joined
    communicator = getattr(options, "communicator", None)
    if communicator is None:
        return False
    handle = communicator.py2f()
    if _joined is None:
        _native.join(handle, float(getattr(options, "collective_time_limit", 0.0)),
                     bool(getattr(options, "check_collectives", False)))
        _joined = handle
        atexit.register(_native.leave)
    elif handle != _joined:
        raise Error("this process is a rank of another communicator")
    return True


class NodeArg:
    """An input or output: its name, shape (ints, symbol names, None) and type ("tensor(float)")."""

    def __init__(self, info):
        self.name, self._kind, self._item_kind, self._key_dtype, self._dtype, self.shape = info
        self.type = f"tensor({dtype_name(self._dtype)})"
        if self._key_dtype:
            self.type = f"map({dtype_name(self._key_dtype)},{self.type})"
        if 1 in (self._kind, self._item_kind):
            self.type = f"seq({self.type})"
        if self._kind == 2:
            self.type = f"optional({self.type})"

    def __repr__(self):
        return f"NodeArg(name='{self.name}', type='{self.type}', shape={self.shape})"


# What the native half takes as it is: NumPy's dtype by ONNX's number.
_DIRECT = {1: np.float32, 2: np.uint8, 3: np.int8, 4: np.uint16, 5: np.int16, 6: np.int32, 7: np.int64, 9: np.bool_,
           10: np.float16, 11: np.float64, 12: np.uint32, 13: np.uint64}


class InferenceSession:
    """A compiled model. `model` is a path or the model's bytes; a path also of a library that `noria compile` made,
    which is opened as it is: of the options only those of a run, libraries and parameters go with it. To open a
    library is to run its code with all rights of the process; a path with the ending .onnx is never taken for one."""

    def __init__(self, model, sess_options=None, providers=None, provider_options=None, **unused):
        options = sess_options or SessionOptions()
        self._model, self._options, self._overrides = model, options, {}
        path = data = None
        if isinstance(model, (bytes, bytearray, memoryview)):
            data = bytes(model)
        else:
            path = os.fspath(model)
        self._session = _native.compile(path, data, None, int(options.intra_op_num_threads),
                                        list(getattr(options, "shapes", [])),
                                        float(getattr(options, "time_limit", 0.0)),
                                        int(getattr(options, "iteration_limit", 0)),
                                        int(getattr(options, "memory_limit", 0)),
                                        getattr(options, "interpret_after", None),
                                        getattr(options, "sanitize", None),
                                        float(getattr(options, "compile_time_limit", 0.0)),
                                        int(getattr(options, "compile_memory_limit", 0)),
                                        [os.fspath(p) for p in getattr(options, "libraries", [])],
                                        [os.fspath(p) for p in getattr(options, "parameters", [])],
                                        getattr(options, "shard", None), getattr(options, "format", None),
                                        _join(options), _cache_of(options),
                                        int(getattr(options, "fold_memory", 0)),
                                        bool(getattr(options, "tiered", False)))
        self._inputs = [NodeArg(i) for i in self._session.inputs]
        self._outputs = [NodeArg(o) for o in self._session.outputs]
        self._output_index = {o.name: i for i, o in enumerate(self._outputs)}
        self._input_names = [i.name for i in self._inputs]
        self._direct_in = [np.dtype(_DIRECT[i._dtype]) if i._kind == 0 and i._dtype in _DIRECT else None
                           for i in self._inputs]
        self._direct_out = all(o._kind == 0 and o._dtype in _DIRECT for o in self._outputs)

    def get_inputs(self):
        return self._inputs

    def get_outputs(self):
        return self._outputs

    def get_providers(self):
        return ["CPUExecutionProvider"]

    def wait_until_optimized(self, timeout=None):
        """Waits, with SessionOptions.tiered, until runs use the better code: True. False when it is not there within
        `timeout` seconds. Error where none could be made: runs then stay with the code that was made first."""
        return self._session.wait_until_optimized(-1.0 if timeout is None else max(float(timeout), 0.0))

    def trim(self):
        """Gives the memory that is kept for the next run back to the system: for a session that idles. Runs in progress
        and outputs that are still held keep theirs."""
        self._session.trim()
        for session in list(self._overrides.values()):
            session.trim()

    def run(self, output_names, input_feed, run_options=None):
        """Outputs in the order of output_names, or all of them for None or []. A feed of an initializer that is also an
        input of the graph overrides its value: the first run with it compiles the model for that."""
        if len(input_feed) > len(self._inputs):
            return self._override(input_feed).run(output_names, input_feed)
        return self._named(output_names, self._session.run(self._feeds(input_feed)))

    def run_ranks(self, output_names, input_feeds, check=False):
        """Runs the program once for each dict of input_feeds, as ranks that exchange tensors by collectives: threads of
        this process. A list of what run() gives, in rank order. check: compare what the ranks call, and where, before
        every collective. When a rank fails all end, and the error is that of the rank that failed first."""
        feeds_are_dicts = isinstance(input_feeds, (list, tuple)) and all(isinstance(f, dict) for f in input_feeds)
        if not feeds_are_dicts or not input_feeds:
            raise Error("run_ranks takes a list of feeds, a dict for each rank")
        feeds = [value for feed in input_feeds for value in self._feeds(feed)]
        values, each = self._session.run_ranks(len(input_feeds), feeds, check), len(self._outputs)
        return [self._named(output_names, values[r * each:(r + 1) * each]) for r in range(len(input_feeds))]

    def _override(self, input_feed):
        """The session in which the feeds that are no inputs here are inputs."""
        names = tuple(n for n in input_feed if n not in self._input_names)
        if names not in self._overrides:
            options = copy.copy(self._options)
            options.shapes = [*getattr(options, "shapes", []), *(f"{n}=input" for n in names)]
            try:
                self._overrides[names] = InferenceSession(self._model, options)
            except Error as e:
                raise Error(f"the feeds {list(names)} are no inputs of the model; its inputs are {self._input_names} "
                            f"({e})") from None
        return self._overrides[names]

    def _feeds(self, input_feed):
        try:
            feeds = [input_feed[name] for name in self._input_names]
        except KeyError:
            missing = [n for n in self._input_names if n not in input_feed]
            raise Error(f"required inputs {missing} are missing from the feeds {list(input_feed)}") from None
        if len(input_feed) != len(feeds):
            extra = [n for n in input_feed if n not in self._input_names]
            raise Error(f"the feeds {extra} are no inputs of the model; its inputs are {self._input_names}")
        for i, dtype in enumerate(self._direct_in):
            if dtype is None or type(feeds[i]) is not np.ndarray or feeds[i].dtype != dtype:
                feeds[i] = to_value(feeds[i], self._inputs[i])
        return feeds

    def _named(self, output_names, values):
        outputs = [np.asarray(v) for v in values] if self._direct_out else [from_value(v) for v in values]
        if not output_names:
            return outputs
        try:
            return [outputs[self._output_index[name]] for name in output_names]
        except KeyError as e:
            raise Error(f"the model has no output {e}; its outputs are {list(self._output_index)}") from None


# NoriaFileKind of noria.h.
_FILE_KINDS = {".o": 0, ".so": 1, ".ll": 2, ".s": 3, ".c": 4}


def compile_to_file(model, path, sess_options=None, header=None, cpu=None):
    """Compiles the file `model` to the file `path`, as `noria compile` does. The ending of `path` says what it becomes:
    .so, .o, .ll, .s, or .c for C source. header: the path of a C header that describes it; that of C source lies beside
    it where none is named. cpu: LLVM's name of a CPU; None: this machine's, for C any. Of the options, the shapes, the
    limits of compiling and shard count. Files are written whole or not at all; Error says what is wrong."""
    options = sess_options or SessionOptions()
    ending = os.path.splitext(os.fspath(path))[1]
    if ending not in _FILE_KINDS:
        raise Error(f"'{os.fspath(path)}' ends in none of {', '.join(_FILE_KINDS)}")
    _native.compile_file(os.fspath(model), os.fspath(path), None if header is None else os.fspath(header),
                         _FILE_KINDS[ending], list(options.shapes), cpu, float(options.compile_time_limit),
                         int(options.compile_memory_limit), options.shard)


def trim():
    """Gives the memory that all sessions, noria.kernels and noria.sparse keep for later calls back to the system. Calls
    in progress and results that are still held keep theirs."""
    _native.trim()


def get_device():
    return "CPU"
