"""Regions of several ops: random graphs of products, reductions and element-wise ops, large enough to be dispatched,
against ONNX Runtime, with one thread and with two."""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import noria

SHAPES = [(96, 128), (3, 70, 64), (33, 257)]


class Graph:
    """Values of one shape, and of the shape with the last dim or the first one of size 1."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.shape = SHAPES[self.rng.integers(len(SHAPES))]
        self.nodes, self.weights = [], []
        self.full, self.rows = ["x", "y"], []

    def constant(self, *shape):
        name = f"w{len(self.weights)}"
        array = (self.rng.standard_normal(shape) / max(shape[0], 1) ** 0.5).astype(np.float32)
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def add(self, op, inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], **attributes))
        return name

    def pick(self, values):
        """Mostly one of the last values, so that chains form."""
        if self.rng.random() < 0.7:
            return values[-1]
        return values[self.rng.integers(len(values))]

    def step(self):
        rng, n = self.rng, self.shape[-1]
        kind, value = rng.integers(9), self.pick(self.full)
        if kind == 0:
            self.full.append(self.add("MatMul", [value, self.constant(n, n)]))
        elif kind == 1:
            self.full.append(self.add("Add", [value, self.constant(n)]))
        elif kind == 2:
            self.full.append(self.add(["Relu", "Tanh", "Sigmoid"][rng.integers(3)], [value]))
        elif kind == 3:
            self.full.append(self.add("Softmax", [value], axis=int(rng.integers(len(self.shape)))))
        elif kind == 4:
            inputs = [value, self.constant(n), self.constant(n)]
            self.full.append(self.add("LayerNormalization", inputs, axis=-1))
        elif kind == 5:
            op = ["ReduceMax", "ReduceMean", "ReduceL2"][rng.integers(3)]
            self.rows.append(self.add(op, [value], axes=[-1], keepdims=1))
        elif kind == 6:
            self.full.append(self.add(["Add", "Mul", "Max"][rng.integers(3)], [value, self.pick(self.full)]))
        elif kind == 7 and self.rows:
            self.full.append(self.add(["Sub", "Mul"][rng.integers(2)], [value, self.pick(self.rows)]))
        elif kind == 8:
            self.full.append(self.add("Mul", [value, self.constant(*self.shape[:-1], 1)]))

    def model(self, open_dims):
        dims = [f"d{i}" if open_dims and i < len(self.shape) - 1 else d for i, d in enumerate(self.shape)]
        value = helper.make_tensor_value_info
        results = list(dict.fromkeys(self.full[-2:] + self.rows[-1:]))
        results = [r for r in results if r not in ("x", "y")]
        graph = helper.make_graph(self.nodes, "main", [value(i, TensorProto.FLOAT, dims) for i in ("x", "y")],
                                  [value(r, TensorProto.FLOAT, None) for r in results], self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        return model, results


@pytest.mark.parametrize("seed", range(24))
def test_random_regions(seed):
    graph = Graph(seed)
    while len(graph.nodes) < 4 + seed % 9:
        graph.step()
    model, results = graph.model(open_dims=seed % 3 == 0)
    data = model.SerializeToString()
    feeds = {i: graph.rng.standard_normal(graph.shape).astype(np.float32) for i in ("x", "y")}
    feeds = {i.name: feeds[i.name] for i in onnxruntime.InferenceSession(data).get_inputs()}
    expected = onnxruntime.InferenceSession(data).run(results, feeds)
    for threads in (1, 2):
        options = noria.SessionOptions()
        options.intra_op_num_threads = threads
        found = noria.InferenceSession(data, options).run(results, feeds)
        for name, a, b in zip(results, expected, found):
            scale = max(1.0, float(np.abs(a).max()))
            np.testing.assert_allclose(b, a, rtol=1e-3, atol=2e-5 * scale, err_msg=f"{name} with {threads} threads")
