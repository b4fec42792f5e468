"""Many one-node cases in one model: what the tests of ONNX ops share.

    batch = Batch(opset=13)
    batch.add("Relu", [x], np.maximum(x, 0))
    batch.check()

Each case keeps its own inputs and outputs; one compile serves all, once with the inputs' shapes as constants and once
with a symbol for every dim.
"""
import os

import numpy as np
import onnx
from onnx import helper, numpy_helper

import noria

os.environ["NORIA_CACHE"] = "off"  # scripts that draw many models keep none


# The operator sets of other domains; an op of theirs has the domain before its name, "ai.onnx.ml.Scaler".
DOMAINS = {"ai.onnx.ml": 5, "ai.onnx.preview": 1, "ai.onnx.preview.training": 1, "com.microsoft": 1}


def make_node(op, inputs, outputs, **attrs):
    domain, _, op_type = op.rpartition(".")
    return helper.make_node(op_type, inputs, outputs, domain=domain, **attrs)


def opset_imports(nodes, opset, versions=()):
    """Those that the nodes need; versions: {domain: version} where it is not the newest."""
    sets = {**DOMAINS, **dict(versions)}
    return [helper.make_opsetid("", opset)] + [helper.make_opsetid(domain, sets[domain])
                                               for domain in sorted({n.domain for n in nodes} - {""})]


class Const:
    """An input that the model holds itself."""

    def __init__(self, value):
        self.value = np.asarray(value)


class Sized(np.ndarray):
    """An input whose shape the model knows always: a list that says something of dims."""

    def __new__(cls, value):
        return np.asarray(value).view(cls)


def element_type(array):
    return helper.np_dtype_to_tensor_dtype(np.asarray(array).dtype)


def value_info(name, array, symbolic):
    dims = [f"{name}_{i}" if symbolic and not isinstance(array, Sized) else d for i, d in enumerate(array.shape)]
    return helper.make_tensor_value_info(name, element_type(array), dims)


def make_model(nodes, inputs, outputs, initializers, opset, versions=()):
    graph = helper.make_graph(nodes, "test", inputs, outputs, initializers)
    return helper.make_model(graph, opset_imports=opset_imports(nodes, opset, versions),
                             ir_version=13 if opset > 24 else 10)


def assert_same(got, want, rtol, atol, what):
    assert got.dtype == want.dtype, f"{what}: {got.dtype} instead of {want.dtype}"
    assert got.shape == want.shape, f"{what}: shape {got.shape} instead of {want.shape}"
    if want.dtype == object:
        assert got.tolist() == want.tolist(), what
    elif want.dtype.kind in "biu" or want.dtype.name.startswith(("int", "uint")):
        np.testing.assert_array_equal(got.astype(object), want.astype(object), what)
    else:
        np.testing.assert_allclose(got.astype(np.float64), want.astype(np.float64), rtol, atol, err_msg=what)


class Batch:
    def __init__(self, opset, rtol=1e-5, atol=1e-6, versions=()):
        self.opset, self.rtol, self.atol, self.versions = opset, rtol, atol, versions
        self.cases = []

    def add(self, op, inputs, want, rtol=None, atol=None, **attrs):
        """inputs: arrays, Const, or None for one that is left out; want: an array or a list of them, one per output."""
        inputs = [x if x is None or isinstance(x, (Const, Sized)) else np.asarray(x) for x in inputs]
        want = [np.asarray(w) for w in (want if isinstance(want, list) else [want])]
        rtol, atol = self.rtol if rtol is None else rtol, self.atol if atol is None else atol
        self.cases.append((op, inputs, attrs, want, rtol, atol))

    def model(self, symbolic):
        nodes, infos, outputs, initializers, feeds = [], [], [], [], {}
        for c, (op, inputs, attrs, want, _, _) in enumerate(self.cases):
            names = []
            for i, x in enumerate(inputs):
                name = f"in{c}_{i}"
                names.append("" if x is None else name)
                if isinstance(x, Const):
                    initializers.append(numpy_helper.from_array(x.value, name))
                elif x is not None:
                    infos.append(value_info(name, x, symbolic))
                    feeds[name] = x
            results = [f"out{c}_{i}" for i in range(len(want))]
            nodes.append(make_node(op, names, results, name=f"{op}_{c}", **attrs))
            outputs += [helper.make_tensor_value_info(r, element_type(w), None) for r, w in zip(results, want)]
        return make_model(nodes, infos, outputs, initializers, self.opset, self.versions), feeds

    def check(self, symbolic=(False, True), options=None):
        for s in symbolic:
            model, feeds = self.model(s)
            got = iter(noria.InferenceSession(model.SerializeToString(), options).run(None, feeds))
            for c, (op, inputs, attrs, want, rtol, atol) in enumerate(self.cases):
                types = [getattr(x, "value", x) for x in inputs]
                types = ", ".join("none" if x is None else f"{x.dtype}{list(x.shape)}" for x in types)
                for w in want:
                    assert_same(next(got), w, rtol, atol, f"case {c}: {op}-{self.opset}({types}) {attrs}, symbolic={s}")


def interpreted():
    """Options of a session that the interpreter runs, from the first stage on in which nodes have a meaning."""
    options = noria.SessionOptions()
    options.interpret_after = "tensor"
    return options


def fails(op, inputs, opset, /, symbolic=False, options=None, versions=(), **attrs):
    """The message with which a model of this one node fails, while it is compiled or run. An input that is None is left out."""
    uses = ["" if x is None else f"x{i}" for i, x in enumerate(inputs)]
    inputs = [x if isinstance(x, (Const, Sized)) else np.asarray(x) for x in inputs if x is not None]
    names = [name for name in uses if name]
    infos = [value_info(n, x, symbolic) for n, x in zip(names, inputs) if not isinstance(x, Const)]
    initializers = [numpy_helper.from_array(x.value, n) for n, x in zip(names, inputs) if isinstance(x, Const)]
    node = make_node(op, uses, ["y"], name="the_node", **attrs)
    model = make_model([node], infos, [onnx.ValueInfoProto(name="y")], initializers, opset, versions)
    try:
        session = noria.InferenceSession(model.SerializeToString(), options)
        session.run(None, {n: x for n, x in zip(names, inputs) if not isinstance(x, Const)})
    except noria.Error as error:
        return str(error)
    return "no error"
