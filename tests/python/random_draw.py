"""Random one-op models for test_ops_random.py: what is drawn, the model that it makes, and the answer it should give.

A generator takes a Draw and returns a Case. A Case's inputs are arrays, whose dims may become symbols, Operands, which
are like shapes: initializers or inputs whose dims are constants, dicts, which are maps from integers or strings to
float32, or None, left out."""
import dataclasses

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from ops import DOMAINS, make_node, opset_imports

NEWEST = 26
onnxruntime.set_default_logger_severity(4)


class Operand:
    """Shape, axes, lengths, limits: the model may hold them itself."""

    def __init__(self, value, dtype=np.int64):
        self.value = np.asarray(value, dtype)


@dataclasses.dataclass
class Case:
    op: str
    inputs: list
    attrs: dict = dataclasses.field(default_factory=dict)
    outputs: int = 1            # or a list: which are wanted
    opset: int = NEWEST
    tolerance: float = 0        # relative; 0: that of the type
    nodes: list = None          # instead of op: (op, inputs, outputs, attrs) over the names x0, x1, ...
    wants: list = None          # what it gives, when neither ONNX Runtime nor the onnx package is to be asked
    reference: bool = False     # the onnx package is asked first
    unreliable: bool = False    # the onnx package is not asked
    twin: list = None           # nodes that mean the same, to ask about
    ask: int = 0                # the opset at which to ask, when the op's next version means the same
    static: list = ()           # (input, dim) pairs that are never symbols
    types: dict = None          # {output: NumPy type} of outputs whose type nobody can infer
    versions: dict = ()         # {domain: version} of other domains, where it is not the newest


class Draw:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def integer(self, low, high):
        return int(self.random.integers(low, high + 1))

    def chance(self, p=.5):
        return bool(self.random.random() < p)

    def choose(self, *options):
        return options[self.integer(0, len(options) - 1)]

    def dim(self, least=0):
        return max(least, self.choose(0, 1, 1, 2, 2, 3, 3, 4, 5, 7, 9))

    def shape(self, ranks=(0, 4), least=0):
        dims = [self.dim(least) for _ in range(self.integer(*ranks))]
        if dims and self.chance(.08):  # enough for whole vectors, sometimes for more than one thread
            dims[self.integer(0, len(dims) - 1)] = self.choose(17, 32, 67, 130)
        return tuple(dims)

    def axis(self, rank):
        return self.integer(-rank, rank - 1)

    def axes(self, rank, count=None):
        """Distinct ones, in any order, some counted from the end."""
        count = self.integer(0, rank) if count is None else count
        picked = self.random.permutation(rank)[:count]
        return [int(a) - rank * self.chance(.4) for a in picked]

    def opset(self, op, least=1):
        """One at which the op changed, or between two changes, up to the newest that ONNX Runtime knows. For ops of
        other domains see Case.versions."""
        versions = [s.since_version for s in onnx.defs.get_all_schemas_with_history()
                    if s.name == op and s.domain == "" and least <= s.since_version <= NEWEST] or [least]
        first = self.choose(*versions)
        later = [v for v in versions if v > first]
        return min(first + self.choose(0, 0, 1), min(later) - 1 if later else NEWEST) if self.chance(.8) else NEWEST

    def type_of(self, op, opset, i=0, only=None):
        """One of the NumPy types that input i may have."""
        domain, _, name = op.rpartition(".")
        schema = onnx.defs.get_schema(name, DOMAINS[domain] if domain else opset, domain)
        i = min(i, len(schema.inputs) - 1)
        names = sorted(t[7:-1] for t in schema.inputs[i].types if t.startswith("tensor("))
        numbers = {onnx.TensorProto.DataType.Value(n.upper()) for n in names}
        types = [np.dtype(helper.tensor_dtype_to_np_dtype(n)) for n in sorted(numbers)]
        types = [t for t in types if kind(t) in (only or "fiubc")]
        common = [t for t in types if t.name in ("float32", "int64", "int32", "float64", "bool", "float16")]
        return self.choose(*(common if common and self.chance(.7) else types))

    def array(self, dtype, shape=None, low=None, high=None, special=0.):
        dtype = np.dtype(dtype)
        shape = self.shape() if shape is None else tuple(shape)
        if dtype == bool:
            return np.asarray(self.random.random(shape) < .5)
        if kind(dtype) == "c":
            part = np.empty(0, dtype).real.dtype
            return np.asarray(self.array(part, shape, low, high, special)
                              + 1j * self.array(part, shape, low, high, special), dtype)
        if kind(dtype) == "f":
            x = np.asarray(self.random.standard_normal(shape) * 2)
            if low is not None:
                x = np.asarray(self.random.uniform(low, high, shape))
            if special and self.chance(special):
                values = np.array([np.nan, np.inf, -np.inf, 0., -0., .5, -2.5, 1.5, 1e-40, 80, -80, 1e30, -1e30])
                x = np.where(self.random.random(shape) < .4, self.random.choice(values, shape), x)
            with np.errstate(all="ignore"):
                return np.asarray(x.astype(dtype))
        limits = ml_dtypes.iinfo(dtype)
        low, high = max(-9 if low is None else low, limits.min), min(9 if high is None else high, limits.max)
        x = self.random.integers(low, high + 1, shape)
        if special and self.chance(special):
            ends = np.array([limits.min, limits.max], object)[self.random.integers(0, 2, shape)]
            x = np.where(self.random.random(shape) < .3, ends, x)
        return np.asarray(x).astype(np.uint64 if limits.max >= 2 ** 63 else np.int64).astype(dtype)

    def broadcast(self, count=2, ranks=(0, 4)):
        """Shapes that broadcast to one."""
        whole, shapes = self.shape(ranks), []
        for _ in range(count):
            s = tuple(1 if self.chance(.25) else d for d in whole)
            shapes.append(s[self.integer(0, len(s)):] if self.chance(.4) else s)
        return shapes


def kind(dtype):
    """b, i, u, f, c or O, also of the types that NumPy lacks."""
    dtype = np.dtype(dtype)
    if dtype.kind in "biufcO":
        return dtype.kind
    return "u" if dtype.name.startswith("uint") else "i" if dtype.name.startswith("int") else "f"


def operand(x):
    return x.value if isinstance(x, Operand) else x


def map_info(name, x):
    key = onnx.TensorProto.STRING if isinstance(next(iter(x)), str) else onnx.TensorProto.INT64
    value = helper.make_tensor_type_proto(onnx.TensorProto.FLOAT, [])
    return helper.make_value_info(name, helper.make_map_type_proto(key, value))


def model_of(draw, case):
    """The model, one to ask others about that means the same, and what to feed."""
    infos, initializers, feeds, names = [], [], {}, []
    mode = draw.choose("static", "own", "shared", "some")
    for i, x in enumerate(case.inputs):
        names.append("" if x is None else f"x{i}")
        if x is None:
            continue
        value = operand(x)
        if isinstance(x, dict):
            infos.append(map_info(names[i], x))
            feeds[names[i]] = x
            continue
        if (isinstance(x, Operand) and draw.chance()) or (case.nodes is None and draw.chance(.07)):
            initializers.append(numpy_helper.from_array(value, names[i]))
            continue
        dims = list(value.shape)
        if not isinstance(x, Operand) and mode != "static":
            kept = [(i, k) in case.static or (mode == "some" and draw.chance()) for k in range(len(dims))]
            dims = [d if kept[k] else f"d{d}" if mode == "shared" else f"d{i}_{k}" for k, d in enumerate(dims)]
        infos.append(helper.make_tensor_value_info(names[i], helper.np_dtype_to_tensor_dtype(value.dtype), dims))
        feeds[names[i]] = value
    while names and not names[-1]:
        names.pop()
    before, renamed = producers(draw, case, infos, feeds) if case.opset >= 13 and draw.chance(.3) else ([], {})
    names = [renamed.get(n, n) for n in names]
    wanted = list(range(case.outputs)) if isinstance(case.outputs, int) else case.outputs
    results = [f"y{k}" for k in wanted]
    outputs = [f"y{k}" if k in wanted else "" for k in range(max(wanted) + 1)]
    nodes = case.nodes or [(case.op, names, outputs, case.attrs)]
    given = [[(op, [renamed.get(x, x) for x in ins], outs, attrs) for op, ins, outs, attrs in n]
             for n in (nodes, case.twin or nodes)]
    return *(built(before + n, infos, results, initializers, case, opset)
             for n, opset in zip(given, (case.opset, case.ask or case.opset))), feeds


def producers(draw, case, infos, feeds):
    """Nodes that give inputs of the op without changing them: what may fuse with it, and shapes that are data."""
    nodes, renamed = [], {}
    for i, x in enumerate(case.inputs):
        name = f"x{i}"
        if name not in feeds or isinstance(x, (Operand, dict)) or draw.chance():
            continue
        way = draw.choose("Neg", "Transpose", "Reshape")
        fixed = any(input == i for input, _ in case.static) or case.op == "Squeeze"
        if way == "Neg" and x.dtype.name in ("float32", "float64", "int32", "int64"):
            nodes += [("Neg", [name], [f"n{i}"], {}), ("Neg", [f"n{i}"], [f"p{i}"], {})]
        elif way == "Transpose" and x.ndim > 1:
            nodes += [("Transpose", [name], [f"t{i}"], {}), ("Transpose", [f"t{i}"], [f"p{i}"], {})]
        elif way == "Reshape" and not fixed:
            infos.append(helper.make_tensor_value_info(f"s{i}", onnx.TensorProto.INT64, [x.ndim]))
            feeds[f"s{i}"] = np.array(x.shape, np.int64)
            nodes.append(("Reshape", [name, f"s{i}"], [f"p{i}"], {}))
        else:
            continue
        renamed[name] = f"p{i}"
    return nodes, renamed


def built(nodes, infos, results, initializers, case, opset):
    nodes = [make_node(op, ins, outs, name=f"{op}_{n}", **attrs) for n, (op, ins, outs, attrs) in enumerate(nodes)]
    graph = helper.make_graph(nodes, "random", infos, [onnx.ValueInfoProto(name=r) for r in results], initializers)
    model = helper.make_model(graph, opset_imports=opset_imports(nodes, opset, case.versions),
                              ir_version=10 if opset < 25 else 13)
    known = {v.name: v.type for v in onnx.shape_inference.infer_shapes(model).graph.output}
    types = {f"y{k}": helper.np_dtype_to_tensor_dtype(np.dtype(t)) for k, t in (case.types or {}).items()}
    for v in model.graph.output:
        if v.name in types:
            v.type.tensor_type.elem_type = types[v.name]
        elif known[v.name].WhichOneof("value") == "tensor_type":
            v.type.tensor_type.elem_type = known[v.name].tensor_type.elem_type
        else:
            v.type.CopyFrom(known[v.name])
    return model


def by_onnx_runtime(model, feeds):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options).run(None, feeds)


def by_onnx(model, feeds):
    with np.errstate(all="ignore"):
        return ReferenceEvaluator(model).run(None, feeds)


def expected(case, model, feeds):
    """The right answer and who gave it; (None, why) when nobody can."""
    if case.wants is not None:
        return case.wants, "NumPy"
    askers = [("ONNX Runtime", by_onnx_runtime), ("onnx", by_onnx)]
    why = ""
    for name, ask in askers[::-1] if case.reference else askers[:1] if case.unreliable else askers:
        try:
            return ask(model, feeds), name
        except Exception as e:
            why += f"{name}: {str(e)[:150]} "
    return None, why


TOLERANCE = {"float64": 1e-9, "float32": 2e-5, "float16": 4e-3, "bfloat16": 3e-2}


def difference(got, want, tolerance):
    """What differs, or an empty string."""
    if isinstance(want, list):
        if not isinstance(got, list) or len(got) != len(want):
            return f"a sequence of {len(want)}, not {got!r:.100}"
        return next((d for d in (difference(g, w, tolerance) for g, w in zip(got, want)) if d), "")
    if isinstance(want, dict):
        if not isinstance(got, dict) or list(got) != list(want):
            return f"{got!r:.100} instead of a map with the keys {list(want)}"
        return difference(np.array(list(got.values())), np.array(list(want.values())), max(tolerance, 2e-5))
    if want is None or got is None:
        return "" if want is got else f"{got!r:.100} instead of {want!r:.100}"
    want = np.asarray(want)
    if want.dtype == np.uint8 and got.dtype.itemsize == 1 and kind(got.dtype) == "f":
        want = want.view(got.dtype)  # ONNX Runtime gives the bytes of float8
    if got.dtype != want.dtype:
        return f"type {got.dtype} instead of {want.dtype}"
    if got.shape != want.shape:
        return f"shape {got.shape} instead of {want.shape}"
    if kind(want.dtype) == "c":
        return difference(got.real, want.real, tolerance) or difference(got.imag, want.imag, tolerance)
    if kind(want.dtype) == "f" and want.dtype != object:
        tolerance = max(tolerance, TOLERANCE.get(want.dtype.name, 7e-2))
        a, b = got.astype(np.float64), want.astype(np.float64)
        finite = b[np.isfinite(b)]
        scale = min(np.abs(finite).max(initial=0), 1e4)
        with np.errstate(all="ignore"):
            same = np.isclose(a, b, tolerance, tolerance * scale * .5 + tolerance * 1e-2, equal_nan=True)
    else:
        same = got.astype(object) == want.astype(object)
    if np.all(same):
        return ""
    where = np.argwhere(~np.atleast_1d(same))[0].tolist()
    at = tuple(where) if got.ndim else ()
    return f"{got[at]} instead of {want[at]} at {where}; {np.count_nonzero(~np.atleast_1d(same))} of {same.size} differ"
