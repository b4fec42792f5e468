"""Random programs of tensor and linalg ops give NumPy's results: interpreted, interpreted after the rewrites of
values, and compiled."""
import json
import random
import re

import numpy as np
import pytest

REWRITES = "canonicalize,scalarize,canonicalize,cse"


class Value:
    def __init__(self, name, type_dims, data):
        self.name, self.type_dims, self.data = name, tuple(type_dims), np.asarray(data, np.int64)
        assert len(self.type_dims) == self.data.ndim

    @property
    def type(self):
        return tensor_type(self.type_dims)


def tensor_type(dims):
    return "tensor<" + "".join(f"{'?' if d is None else d}x" for d in dims) + "i64>"


class Program:
    """Grows line by line; every value's contents are known from NumPy."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.lines, self.values, self.args, self.count, self.indent = [], [], [], 0, 1
        for shape in ((4, 6), (6,), (2, 3), (3,), (1,), (), (1, 4)):
            data = np.array([self.rng.randint(-9, 9) for _ in range(int(np.prod(shape)))], np.int64).reshape(shape)
            dims = [None if self.rng.random() < 0.3 else d for d in shape]
            self.args.append(Value(f"%a{len(self.args)}", dims, data))
        self.values = list(self.args)
        for _ in range(self.rng.randint(4, 12)):
            self.step()
        made = self.values[len(self.args):] or self.values
        self.results = [self.rng.choice(made), self.rng.choice(made), made[-1]]

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def emit(self, text, result=True):
        name = self.name() if result else None
        self.lines.append("  " * self.indent + (f"{name} = {text}" if result else text))
        return name

    def add(self, text, type_dims, data):
        self.values.append(Value(self.emit(text), type_dims, data))

    def index(self, value):
        return self.emit(f"arith.constant {value} : index")

    def mixed(self, values):
        """A list of indices, constants or operands, and what is known of each in the type."""
        words, known = [], []
        for v in values:
            constant = self.rng.random() < 0.6
            words.append(str(v) if constant else self.index(v))
            known.append(v if constant else None)
        return "[" + ", ".join(words) + "]", known

    def pick(self, wanted=lambda v: True):
        fitting = [v for v in self.values if wanted(v)]
        return self.rng.choice(fitting) if fitting else None

    def step(self):
        self.rng.choice([self.slice, self.insert_slice, self.collapse, self.expand, self.reshape, self.concat,
                         self.cast, self.element, self.insert, self.map, self.map, self.reduce, self.transpose,
                         self.fill, self.loop, self.branch, self.dim, self.pad])()

    def box(self, shape):
        offsets, sizes, strides = [], [], []
        for d in shape:
            stride = self.rng.choice((1, 1, 2))
            size = self.rng.randint(1, max(1, (d + stride - 1) // stride))
            offsets.append(self.rng.randint(0, d - 1 - (size - 1) * stride))
            sizes.append(size)
            strides.append(stride)
        return offsets, sizes, strides

    @staticmethod
    def select(offsets, sizes, strides):
        return tuple(slice(o, o + (n - 1) * s + 1, s) for o, n, s in zip(offsets, sizes, strides))

    def slice(self):
        v = self.pick(lambda v: v.data.ndim and v.data.size)
        box = self.box(v.data.shape)
        texts, known = zip(*(self.mixed(part) for part in box))
        keep = [not (n == 1 and self.rng.random() < 0.5) for n in known[1]]
        dims = [n for n, k in zip(known[1], keep) if k]
        data = v.data[self.select(*box)].reshape([n for n, k in zip(box[1], keep) if k])
        self.add(f"tensor.extract_slice {v.name}{' '.join(texts)} : {v.type} to {tensor_type(dims)}", dims, data)

    def insert_slice(self):
        dest = self.pick(lambda v: v.data.ndim and v.data.size)
        box = self.box(dest.data.shape)
        source = self.pick(lambda v: v.data.shape == tuple(box[1]))
        if source is None:
            return
        offsets, _ = self.mixed(box[0])
        sizes = [self.index(n) if t is None else str(n) for n, t in zip(box[1], source.type_dims)]
        strides, _ = self.mixed(box[2])
        data = dest.data.copy()
        data[self.select(*box)] = source.data
        self.add(f"tensor.insert_slice {source.name} into {dest.name}{offsets} [{', '.join(sizes)}] {strides} : "
                 f"{source.type} into {dest.type}", dest.type_dims, data)

    def collapse(self):
        v = self.pick(lambda v: v.data.ndim >= 2)
        at = self.rng.randint(0, v.data.ndim - 2)
        pair = v.type_dims[at:at + 2]
        dims = list(v.type_dims[:at]) + [None if None in pair else pair[0] * pair[1]] + list(v.type_dims[at + 2:])
        shape = list(v.data.shape[:at]) + [v.data.shape[at] * v.data.shape[at + 1]] + list(v.data.shape[at + 2:])
        groups = [[i] for i in range(at)] + [[at, at + 1]] + [[i] for i in range(at + 2, v.data.ndim)]
        self.add(f"tensor.collapse_shape {v.name} {json.dumps(groups)} : {v.type} into {tensor_type(dims)}", dims,
                 v.data.reshape(shape))

    def expand(self):
        v = self.pick(lambda v: v.data.ndim < 4)
        if v.data.ndim == 0:
            self.add(f"tensor.expand_shape {v.name} [] output_shape [1] : {v.type} into tensor<1xi64>", [1],
                     v.data.reshape(1))
            return
        at = self.rng.randint(0, v.data.ndim - 1)
        size = v.data.shape[at]
        first = self.rng.choice([n for n in range(1, size + 1) if size % n == 0])
        rest = size // first
        pair = [first, rest] if v.type_dims[at] is not None else self.rng.choice(([None, rest], [first, None]))
        shape = list(v.data.shape[:at]) + [first, rest] + list(v.data.shape[at + 1:])
        dims = list(v.type_dims[:at]) + pair + list(v.type_dims[at + 1:])
        groups = [[i] for i in range(at)] + [[at, at + 1]] + [[i + 1] for i in range(at + 1, v.data.ndim)]
        output = "[" + ", ".join(self.index(n) if d is None else str(n) for n, d in zip(shape, dims)) + "]"
        self.add(f"tensor.expand_shape {v.name} {json.dumps(groups)} output_shape {output} : {v.type} into "
                 f"{tensor_type(dims)}", dims, v.data.reshape(shape))

    def reshape(self):
        v = self.pick(lambda v: v.data.size)
        first = self.rng.choice([n for n in range(1, v.data.size + 1) if v.data.size % n == 0])
        shape = [first, v.data.size // first]
        dims = [None if self.rng.random() < 0.5 else n for n in shape]
        names = ", ".join(self.index(n) for n in shape)
        s = self.emit(f"tensor.from_elements {names} : tensor<2xindex>")
        self.add(f"tensor.reshape {v.name}({s}) : ({v.type}, tensor<2xindex>) -> {tensor_type(dims)}", dims,
                 v.data.reshape(shape))

    def concat(self):
        v = self.pick(lambda v: v.data.ndim and v.data.size < 40)
        dim = self.rng.randint(0, v.data.ndim - 1)
        w = self.pick(lambda w: w.data.ndim == v.data.ndim and all(
            i == dim or (v.data.shape[i] == w.data.shape[i] and v.type_dims[i] == w.type_dims[i])
            for i in range(v.data.ndim)))
        both = (v.type_dims[dim], w.type_dims[dim])
        dims = list(v.type_dims)
        dims[dim] = None if None in both else sum(both)
        self.add(f"tensor.concat dim({dim}) {v.name}, {w.name} : ({v.type}, {w.type}) -> {tensor_type(dims)}", dims,
                 np.concatenate((v.data, w.data), dim))

    def cast(self):
        v = self.pick()
        dims = [None if self.rng.random() < 0.5 else n for n in v.data.shape]
        self.add(f"tensor.cast {v.name} : {v.type} to {tensor_type(dims)}", dims, v.data)

    def extract(self, v):
        at = [self.rng.randint(0, n - 1) for n in v.data.shape]
        names = ", ".join(self.index(i) for i in at)
        return self.emit(f"tensor.extract {v.name}[{names}] : {v.type}"), v.data[tuple(at)]

    def element(self):
        elements = [self.extract(self.pick(lambda v: v.data.size)) for _ in range(self.rng.choice((1, 2, 4)))]
        shape = self.rng.choice([s for s in ((), (1,), (2,), (4,), (2, 2), (1, 1)) if np.prod(s) == len(elements)])
        if len(elements) == 1 and self.rng.random() < 0.4:
            self.add(f"tensor.splat {elements[0][0]} : tensor<3xi64>", [3], np.full(3, elements[0][1]))
            return
        self.add(f"tensor.from_elements {', '.join(n for n, _ in elements)} : {tensor_type(shape)}", shape,
                 np.array([d for _, d in elements]).reshape(shape))

    def insert(self):
        v = self.pick(lambda v: v.data.size)
        name, data = self.extract(self.pick(lambda v: v.data.size))
        at = [self.rng.randint(0, n - 1) for n in v.data.shape]
        result = v.data.copy()
        result[tuple(at)] = data
        names = ", ".join(self.index(i) for i in at)
        self.add(f"tensor.insert {name} into {v.name}[{names}] : {v.type}", v.type_dims, result)

    def empty(self, dims, shape):
        names = ", ".join(self.index(n) for n, d in zip(shape, dims) if d is None)
        return self.emit(f"tensor.empty({names}) : {tensor_type(dims)}")

    def generic(self, inputs, maps, iterators, out, dims, body):
        ins = f"ins({', '.join(v.name for v in inputs)} : {', '.join(v.type for v in inputs)}) " if inputs else ""
        args = ", ".join(f"%x{i}: i64" for i in range(len(inputs) + 1))
        kinds = ", ".join(f'"{k}"' for k in iterators)
        lines = "\n".join("  " * (self.indent + 1) + line for line in body)
        return (f"linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}} {ins}"
                f"outs({out} : {tensor_type(dims)}) {{\n{'  ' * self.indent}^bb0({args}):\n{lines}\n"
                f"{'  ' * self.indent}}} -> {tensor_type(dims)}")

    @staticmethod
    def map_text(rank, exprs):
        names = ", ".join(f"d{i}" for i in range(rank))
        return f"affine_map<({names}) -> ({', '.join(exprs)})>"

    def map(self):
        v = self.pick()
        w = self.pick(lambda w: w.data.ndim <= v.data.ndim and all(
            w.data.shape[-1 - i] in (1, v.data.shape[-1 - i]) for i in range(w.data.ndim)))
        rank, missing = v.data.ndim, v.data.ndim - w.data.ndim
        exprs = []
        for i, n in enumerate(w.data.shape):
            one = n == 1 and v.data.shape[missing + i] != 1
            exprs.append("0" if one else f"d{missing + i}")
        identity = self.map_text(rank, [f"d{i}" for i in range(rank)])
        op, fn = self.rng.choice((("addi", np.add), ("subi", np.subtract), ("maxsi", np.maximum)))
        out = self.empty(v.type_dims, v.data.shape)
        text = self.generic([v, w], [identity, self.map_text(rank, exprs), identity], ["parallel"] * rank, out,
                            v.type_dims, [f"%y = arith.{op} %x0, %x1 : i64", "linalg.yield %y : i64"])
        self.add(text, v.type_dims, fn(v.data, w.data))

    def reduce(self):
        v = self.pick(lambda v: v.data.ndim)
        axis = self.rng.randint(0, v.data.ndim - 1)
        rank = v.data.ndim
        dims = [d for i, d in enumerate(v.type_dims) if i != axis]
        shape = [d for i, d in enumerate(v.data.shape) if i != axis]
        zero = self.emit("arith.constant 3 : i64")
        init = self.emit(f"linalg.fill ins({zero} : i64) outs({self.empty(dims, shape)} : {tensor_type(dims)}) -> "
                         f"{tensor_type(dims)}")
        maps = [self.map_text(rank, [f"d{i}" for i in range(rank)]),
                self.map_text(rank, [f"d{i}" for i in range(rank) if i != axis])]
        text = self.generic([v], maps, ["reduction" if i == axis else "parallel" for i in range(rank)], init, dims,
                            ["%y = arith.addi %x0, %x1 : i64", "linalg.yield %y : i64"])
        self.add(text, dims, v.data.sum(axis) + 3)

    def transpose(self):
        v = self.pick(lambda v: v.data.ndim >= 2)
        order = list(range(v.data.ndim))
        self.rng.shuffle(order)
        dims, shape = [v.type_dims[i] for i in order], [v.data.shape[i] for i in order]
        exprs = [f"d{order.index(i)}" for i in range(v.data.ndim)]
        rank = v.data.ndim
        maps = [self.map_text(rank, exprs), self.map_text(rank, [f"d{i}" for i in range(rank)])]
        index = self.rng.randint(0, rank - 1)
        body = [f"%i = linalg.index {index} : index", "%j = arith.index_cast %i : index to i64",
                "%y = arith.addi %x0, %j : i64", "linalg.yield %y : i64"]
        counts = np.arange(shape[index]).reshape([-1 if i == index else 1 for i in range(rank)])
        self.add(self.generic([v], maps, ["parallel"] * rank, self.empty(dims, shape), dims, body), dims,
                 v.data.transpose(order) + counts)

    def fill(self):
        v = self.pick()
        name, data = self.extract(self.pick(lambda w: w.data.size))
        self.add(f"linalg.fill ins({name} : i64) outs({v.name} : {v.type}) -> {v.type}", v.type_dims,
                 np.full(v.data.shape, data))

    def dim(self):
        v = self.pick(lambda v: v.data.ndim)
        at = self.rng.randint(0, v.data.ndim - 1)
        d = self.emit(f"tensor.dim {v.name}, {self.index(at)} : {v.type}")
        i = self.emit(f"arith.index_cast {d} : index to i64")
        self.add(f"tensor.from_elements {i} : tensor<1xi64>", [1], [v.data.shape[at]])

    def pad(self):
        v = self.pick(lambda v: 0 < v.data.ndim <= 2)
        low, high = ([self.rng.randint(0, 2) for _ in v.data.shape] for _ in range(2))
        value, data = self.extract(self.pick(lambda w: w.data.size))
        (low_text, low_known), (high_text, high_known) = self.mixed(low), self.mixed(high)
        dims = [None if None in parts else sum(parts) for parts in zip(v.type_dims, low_known, high_known)]
        args = ", ".join(f"%i{i}: index" for i in range(v.data.ndim))
        inside = "  " * self.indent
        self.add(f"tensor.pad {v.name} low{low_text} high{high_text} {{\n{inside}^bb0({args}):\n"
                 f"{inside}  tensor.yield {value} : i64\n{inside}}} : {v.type} to {tensor_type(dims)}", dims,
                 np.pad(v.data, list(zip(low, high)), constant_values=data))

    def loop(self):
        """Two values that swap, one of them changed, a few times."""
        v = self.pick()
        w = self.pick(lambda w: w.type_dims == v.type_dims and w.data.shape == v.data.shape)
        trips = self.rng.randint(0, 3)
        lower, upper, step = self.index(0), self.index(trips), self.index(1)
        name = self.name()
        inside = "  " * (self.indent + 1)
        self.lines.append("  " * self.indent + f"{name}:2 = scf.for %i = {lower} to {upper} step {step} "
                          f"iter_args(%p = {v.name}, %q = {w.name}) -> ({v.type}, {v.type}) {{")
        self.lines.append(f"{inside}%s = arith.addi %p, %q : {v.type}")
        self.lines.append(f"{inside}scf.yield %q, %s : {v.type}, {v.type}")
        self.lines.append("  " * self.indent + "}")
        p, q = v.data, w.data
        for _ in range(trips):
            p, q = q, p + q
        self.values += [Value(f"{name}#0", v.type_dims, p), Value(f"{name}#1", v.type_dims, q)]

    def branch(self):
        v = self.pick()
        w = self.pick(lambda w: w.type_dims == v.type_dims)
        element, data = self.extract(self.pick(lambda w: w.data.size))
        zero = self.emit("arith.constant 0 : i64")
        c = self.emit(f"arith.cmpi slt, {element}, {zero} : i64")
        inside = "  " * (self.indent + 1)
        self.add(f"scf.if {c} -> ({v.type}) {{\n{inside}scf.yield {v.name} : {v.type}\n{'  ' * self.indent}}} else {{\n"
                 f"{inside}scf.yield {w.name} : {v.type}\n{'  ' * self.indent}}}", v.type_dims,
                 v.data if data < 0 else w.data)

    def text(self):
        args = ", ".join(f"{a.name}: {a.type}" for a in self.args)
        names, types = ", ".join(v.name for v in self.results), ", ".join(v.type for v in self.results)
        lines = [f"func.func @main({args}) -> ({types}) {{", *self.lines, f"  return {names} : {types}", "}", ""]
        return "\n".join(lines)

    def inputs(self):
        return [f"dense<{json.dumps(a.data.tolist())}> : {tensor_type(a.data.shape)}" for a in self.args]


def parse_output(line):
    """`dense<...> : tensor<...>` as an array."""
    found = re.fullmatch(r"dense<(.*)> : tensor<((?:\d+x)*)i64>", line.strip())
    assert found, line
    shape = tuple(int(d) for d in found.group(2).split("x") if d)
    if not found.group(1):
        return np.zeros(shape, np.int64)
    return np.broadcast_to(np.array(json.loads(found.group(1)), np.int64), shape)


def check(finished, program, how):
    assert finished.returncode == 0, f"{how}: {finished.stderr}\n{program.text()}"
    for i, (line, value) in enumerate(zip(finished.stdout.splitlines(), program.results, strict=True)):
        np.testing.assert_array_equal(parse_output(line), value.data, f"{how}, result {i}\n{program.text()}")


@pytest.mark.parametrize("seed", range(40))
def test_random_program(seed, noria_tool):
    program = Program(seed)
    text, run = program.text(), ("run", "--format=mlir", "-", *program.inputs())
    check(noria_tool(*run, "--interpret", stdin=text), program, "interpreted")
    rewritten = noria_tool("opt", f"--pass-pipeline={REWRITES}", "-", stdin=text)
    assert rewritten.returncode == 0, rewritten.stderr
    check(noria_tool(*run, "--interpret", stdin=rewritten.stdout), program, f"interpreted after {REWRITES}")
    check(noria_tool(*run, stdin=text), program, "compiled")
