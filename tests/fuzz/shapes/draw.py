"""What tests/fuzz/shapes runs: a model of one op whose inputs have a rank and no dims, and feeds for it, right and wrong.

The right node comes from the generators of tests/python/random_ops*.py. A number names everything that is drawn, so that
the same number gives the same model and the same feeds."""
import zlib

import numpy as np
import onnx
from onnx import helper, numpy_helper
from ops import make_node, opset_imports
from random_draw import Draw, Operand, kind, map_info, operand, producers

MOST_ELEMENTS = 700  # of an input: the interpreter is slow
EDGES = (0, 1, -1, 2, -2, 3, 7, 2 ** 15, 2 ** 31 - 1, 2 ** 31, -2 ** 31, 2 ** 32, 2 ** 40, 2 ** 62, 2 ** 63 - 1, -2 ** 63,
         -2 ** 63 + 1, 1000000, -1000000)
FLOATS = (0., -0., 1., -1., .5, np.nan, np.inf, -np.inf, 1e-40, 3.)  # no two of them lose what they are added to


class Trial:
    """model: bytes; feeds: what is right, by name."""

    def __init__(self, op, seed, number, generators):
        self.op, self.numbers = op, (seed, number, zlib.crc32(op.encode()))
        draw = Draw(self.numbers)
        case = draw.choose(*generators[op])(draw, op)
        self.case = case
        self.notes = []
        nodes = [list(node) for node in case.nodes or [(op, None, None, case.attrs)]]
        if draw.chance(.3):
            self.change_attribute(draw, draw.choose(*nodes))
        self.model = self.build(draw, case, nodes)

    def change_attribute(self, draw, node):
        attrs = dict(node[3])
        names = [a for a in sorted(attrs) if not isinstance(attrs[a], (onnx.GraphProto, onnx.TensorProto))]
        names = [a for a in names if a != "seed"]  # without one, no two runs draw the same numbers
        if not names:
            return
        name = draw.choose(*names)
        old = attrs[name]
        if draw.chance(.1):
            del attrs[name]
        elif isinstance(old, (list, tuple)):
            attrs[name] = changed_list(draw, list(old))
        else:
            attrs[name] = changed_scalar(draw, old)
        node[3] = attrs
        self.notes.append(f"{name}={old} is {attrs.get(name, 'left out')}")

    def build(self, draw, case, nodes):
        infos, initializers, self.feeds, names = [], [], {}, []
        mode = draw.choose("own", "own", "own", "own", "some", "shared", "static")
        for i, x in enumerate(case.inputs):
            names.append("" if x is None else f"x{i}")
            if x is None:
                continue
            value, name = operand(x), names[i]
            if isinstance(value, dict):
                infos.append(map_info(name, value))
                self.feeds[name] = value
                continue
            if isinstance(value, list):
                dims = [f"d{i}_{k}" for k in range(value[0].ndim)]
                elem = helper.np_dtype_to_tensor_dtype(value[0].dtype)
                infos.append(helper.make_tensor_sequence_value_info(name, elem, dims))
                self.feeds[name] = value
                continue
            if isinstance(x, Operand) and draw.chance(.35):
                if draw.chance(.5):
                    value = wrong_values(draw, value)
                    self.notes.append(f"{name}={value.tolist()}")
                initializers.append(numpy_helper.from_array(value, name))
                continue
            dims = [self.dim(draw, case, mode, i, k, size, isinstance(x, Operand)) for k, size in enumerate(value.shape)]
            infos.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), dims))
            self.feeds[name] = value
        while names and not names[-1]:
            names.pop()
        before, renamed = producers(draw, case, infos, self.feeds) if case.opset >= 13 and draw.chance(.2) else ([], {})
        wanted = list(range(case.outputs)) if isinstance(case.outputs, int) else case.outputs
        results = [f"y{k}" for k in wanted]
        for node in nodes:
            if node[1] is None:
                node[1] = names
                node[2] = [f"y{k}" if k in wanted else "" for k in range(max(wanted) + 1)]
            node[1] = [renamed.get(n, n) for n in node[1]]
        protos = [make_node(name, ins, outs, name=f"{name}_{n}", **attrs)
                  for n, (name, ins, outs, attrs) in enumerate(before + nodes)]
        graph = helper.make_graph(protos, "shapes", infos, [onnx.ValueInfoProto(name=r) for r in results], initializers)
        return helper.make_model(graph, opset_imports=opset_imports(protos, case.opset, case.versions),
                                 ir_version=10 if case.opset < 25 else 13).SerializeToString()

    @staticmethod
    def dim(draw, case, mode, i, k, size, is_operand):
        """Of a list of axes and the like the length is mostly known: else most ops are refused when compiled."""
        if (i, k) in case.static or mode == "static" or (mode == "some" and draw.chance()):
            return size
        if is_operand and draw.chance(.8):
            return size
        return f"d{size}" if mode == "shared" else f"d{i}_{k}"

    def wrong_feeds(self, k):
        """Feed k: the changes, each a name and what is fed instead of the right value."""
        draw = Draw((*self.numbers, k))
        names = sorted(self.feeds)
        if not names:
            return []
        changes = {}
        for _ in range(draw.choose(0, 1, 1, 1, 1, 1, 2, 2, 2, 3)):
            name = draw.choose(*names)
            x = changes.get(name, self.feeds[name])
            if isinstance(x, dict):
                changes[name] = changed_map(draw, x)
                continue
            if isinstance(x, list):
                changes[name] = changed_items(draw, x)
                continue
            values = kind(x.dtype) in "iu" and x.size and draw.chance(.6) or draw.chance(.1)
            changes[name] = wrong_values(draw, x) if values else reshaped(draw, x, self.arrays())
        return sorted(changes.items())


    def arrays(self):
        """What is fed, the items of sequences one by one."""
        return [item for x in self.feeds.values() for item in (x if isinstance(x, list) else [x])]


def changed_items(draw, items):
    """A sequence with an item less, one more, or one of another shape."""
    way = draw.choose("less", "more", "none", "shape", "shape", "shape")
    if way == "none" or not items:
        return []
    at = draw.integer(0, len(items) - 1)
    if way == "less":
        return items[:at] + items[at + 1:]
    other = reshaped(draw, items[at], items)
    return items[:at] + [other] + items[at + (way == "shape"):]


def changed_map(draw, old):
    """A map with an entry less, another key, or keys of another type."""
    keys = list(old)
    if not keys:
        return {}
    at = draw.choose(*keys)
    if draw.chance(.2):
        return {len(key) if isinstance(key, str) else str(key): old[key] for key in keys}
    if draw.chance():
        return {key: old[key] for key in keys if key != at}
    return old | {at * 2 if isinstance(at, str) else draw.choose(-1, 2 ** 63 - 1, -2 ** 63): draw.choose(*FLOATS)}


def changed_scalar(draw, old):
    if isinstance(old, float):
        return float(draw.choose(*FLOATS))
    if isinstance(old, (bool, int, np.integer)):
        return int(draw.choose(old + 1, old - 1, -old, old * 2, *EDGES))
    if isinstance(old, str):
        return draw.choose("", "nonsense", "NOTSET", "constant", old.upper(), old.lower())
    return old


def changed_list(draw, old):
    way = draw.choose("item", "item", "shorter", "longer", "all")
    if not old or way == "longer":
        return old + [old[-1] if old else 1]
    if way == "shorter":
        return old[:-1]
    if way == "all":
        return [changed_scalar(draw, v) for v in old]
    at = draw.integer(0, len(old) - 1)
    return old[:at] + [changed_scalar(draw, old[at])] + old[at + 1:]


def wrong_values(draw, x):
    """x with some elements at an edge of what they may be, or next to what they were."""
    x, flat = np.array(x), None
    if x.size == 0 or x.dtype == object:
        return x
    flat = x.reshape(-1)
    for _ in range(draw.choose(1, 1, 2, x.size)):
        at = draw.integer(0, x.size - 1)
        if kind(x.dtype) in "iu" and x.dtype.kind in "iu":
            limits = np.iinfo(x.dtype)
            near = int(flat[at])
            value = draw.choose(near + 1, near - 1, -near, limits.min, limits.max, *EDGES)
            flat[at] = min(max(value, limits.min), limits.max)
        elif kind(x.dtype) == "f":
            with np.errstate(all="ignore"):
                flat[at] = draw.choose(*FLOATS)
        elif x.dtype == bool:
            flat[at] = not flat[at]
    return x


def reshaped(draw, x, others):
    """x with another shape, its elements repeated."""
    dims = list(x.shape)
    way = draw.choose("dim", "dim", "dim", "dim", "dims", "permute", "other", "rank", "huge")
    at = draw.integer(0, len(dims) - 1) if dims else 0
    if way == "dim" and dims:
        n = dims[at]
        dims[at] = max(0, draw.choose(0, 1, n - 1, n + 1, n * 2, n // 2, draw.integer(0, 9)))
    elif way == "dims":
        dims = [draw.integer(0, 5) if draw.chance() else n for n in dims]
    elif way == "permute":
        dims = [dims[i] for i in draw.random.permutation(len(dims))]
    elif way == "other":
        dims = list(draw.choose(*[o.shape for o in others]))
    elif way == "rank":
        dims = dims[1:] if dims and draw.chance() else dims[:at] + [draw.choose(0, 1, 1, 2)] + dims[at:]
    elif way == "huge" and dims:
        dims[at] = draw.choose(50, 129, 1000, 2 ** 20, 2 ** 24)
        if dims[at] >= 2 ** 20:  # without any element
            dims = [n if i == at else 0 for i, n in enumerate(dims)] if len(dims) > 1 else [0]
    if np.prod(dims, dtype=object) > MOST_ELEMENTS:
        return x
    with np.errstate(all="ignore"):
        return np.resize(x, dims) if x.size else np.zeros(dims, x.dtype)
