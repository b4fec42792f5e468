"""The models of the benchmark table, made with the onnx package."""

import numpy as np
from onnx import TensorProto as T
from onnx import helper, numpy_helper

info = helper.make_tensor_value_info
node = helper.make_node


def _model(nodes, inputs, outputs, constants):
    graph = helper.make_graph(nodes, "bench", inputs, outputs,
                              [numpy_helper.from_array(v, k) for k, v in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10).SerializeToString()


def _body(nodes, carried, outputs):
    inputs = [info("trip", T.INT64, []), info("go", T.BOOL, []), *carried]
    return helper.make_graph(nodes, "body", inputs, [info("go_out", T.BOOL, []), *outputs])


def scalar_loop():
    """x = x * a + b, trips times."""
    body = _body([node("Identity", ["go"], ["go_out"]), node("Mul", ["x", "a"], ["xa"]),
                  node("Add", ["xa", "b"], ["y"])],
                 [info("x", T.FLOAT, [])], [info("y", T.FLOAT, [])])
    return _model([node("Loop", ["trips", "", "x0"], ["out"], body=body)],
                  [info("trips", T.INT64, []), info("x0", T.FLOAT, [])], [info("out", T.FLOAT, [])],
                  {"a": np.float32(0.999), "b": np.float32(0.5)})


def collatz():
    """Steps of the Collatz sequence from n until 1: the condition is data."""
    body = _body([node("Mod", ["n", "two"], ["rest"]), node("Equal", ["rest", "zero"], ["even"]),
                  node("Div", ["n", "two"], ["half"]),
                  node("Mul", ["n", "three"], ["triple"]), node("Add", ["triple", "one"], ["odd"]),
                  node("Where", ["even", "half", "odd"], ["next"]), node("Add", ["steps", "one"], ["steps_out"]),
                  node("Greater", ["next", "one"], ["go_out"])],
                 [info("n", T.INT64, []), info("steps", T.INT64, [])],
                 [info("next", T.INT64, []), info("steps_out", T.INT64, [])])
    constants = {k: np.array(v, np.int64) for k, v in {"zero": 0, "one": 1, "two": 2, "three": 3}.items()}
    return _model([node("Loop", ["", "yes", "n0", "zero"], ["end", "count"], body=body)], [info("n0", T.INT64, [])],
                  [info("count", T.INT64, [])], {**constants, "yes": np.array(True)})


def row_sums():
    """The running sum of rows of 64, each sum a row of the scan output."""
    body = _body([node("Identity", ["go"], ["go_out"]), node("Gather", ["rows", "trip"], ["row"], axis=0),
                  node("Add", ["sum", "row"], ["sum_out"]), node("Identity", ["sum_out"], ["scan"])],
                 [info("sum", T.FLOAT, [64])], [info("sum_out", T.FLOAT, [64]), info("scan", T.FLOAT, [64])])
    return _model([node("Loop", ["trips", "", "sum0"], ["last", "sums"], body=body)],
                  [info("rows", T.FLOAT, ["N", 64]), info("trips", T.INT64, [])], [info("sums", T.FLOAT, ["N", 64])],
                  {"sum0": np.zeros(64, np.float32)})


def rnn_cell():
    """h = tanh(h W + h U'), 128 wide: both products depend on the state, so none leaves the loop."""
    rng = np.random.default_rng(0)
    w, u = (rng.uniform(-0.1, 0.1, (128, 128)).astype(np.float32) for _ in range(2))
    body = _body([node("Identity", ["go"], ["go_out"]), node("MatMul", ["h", "W"], ["a"]),
                  node("MatMul", ["h", "U"], ["b"]),
                  node("Add", ["a", "b"], ["ab"]), node("Add", ["ab", "x"], ["abx"]), node("Tanh", ["abx"], ["h_out"])],
                 [info("h", T.FLOAT, [1, 128])], [info("h_out", T.FLOAT, [1, 128])])
    return _model([node("Loop", ["trips", "", "h0"], ["out"], body=body)],
                  [info("x", T.FLOAT, [1, 128]), info("trips", T.INT64, [])], [info("out", T.FLOAT, [1, 128])],
                  {"W": w, "U": u, "h0": np.zeros((1, 128), np.float32)}), w, u


def stacked_rnn(layers=4, width=128):
    """Layers of h = tanh(x W + h U), each a Loop that gathers the rows of the scan output of the one before."""
    rng = np.random.default_rng(0)
    weights = {f"{name}{i}": rng.uniform(-0.1, 0.1, (width, width)).astype(np.float32)
               for i in range(layers) for name in "WU"}
    loops = []
    for i in range(layers):
        rows = "x" if i == 0 else f"rows{i - 1}"
        body = _body([node("Identity", ["go"], ["go_out"]), node("Unsqueeze", ["trip", "zero"], ["at"]),
                      node("Gather", [rows, "at"], ["row"]), node("MatMul", ["row", f"W{i}"], ["a"]),
                      node("MatMul", ["h", f"U{i}"], ["b"]), node("Add", ["a", "b"], ["ab"]),
                      node("Tanh", ["ab"], ["h_out"]), node("Squeeze", ["h_out", "zero"], ["scan"])],
                     [info("h", T.FLOAT, [1, width])],
                     [info("h_out", T.FLOAT, [1, width]), info("scan", T.FLOAT, [width])])
        loops.append(node("Loop", ["steps", "", "h0"], [f"last{i}", f"rows{i}"], body=body))
    return _model([node("Shape", ["x"], ["shape"], start=0, end=1), node("Squeeze", ["shape"], ["steps"]), *loops],
                  [info("x", T.FLOAT, ["N", width])],
                  [info(f"rows{layers - 1}", T.FLOAT, None), info(f"last{layers - 1}", T.FLOAT, [1, width])],
                  {**weights, "h0": np.zeros((1, width), np.float32), "zero": np.array([0])})


def selective_scan(length=256, d=64, n=16):
    """The scan of a Mamba layer: h = exp(dt A) h + dt x B; y = h C."""
    body = helper.make_graph(
        [node("Unsqueeze", ["dt", "one"], ["dt1"]), node("Mul", ["dt1", "A"], ["dtA"]), node("Exp", ["dtA"], ["decay"]),
         node("Unsqueeze", ["b", "zero"], ["b1"]), node("Mul", ["dt", "x"], ["dtx"]),
         node("Unsqueeze", ["dtx", "one"], ["dtx1"]),
         node("Mul", ["dtx1", "b1"], ["input"]), node("Mul", ["decay", "h"], ["kept"]),
         node("Add", ["kept", "input"], ["h_out"]),
         node("Unsqueeze", ["c", "zero"], ["c1"]), node("Mul", ["h_out", "c1"], ["hc"]),
         node("ReduceSum", ["hc", "one"], ["y"], keepdims=0)], "body",
        [info("h", T.FLOAT, [d, n]), info("dt", T.FLOAT, [d]), info("x", T.FLOAT, [d]), info("b", T.FLOAT, [n]),
         info("c", T.FLOAT, [n])],
        [info("h_out", T.FLOAT, [d, n]), info("y", T.FLOAT, [d])])
    a = -np.random.default_rng(0).uniform(0, 1, (d, n)).astype(np.float32)
    return _model([node("Scan", ["h0", "DT", "X", "B", "C"], ["h", "Y"], body=body, num_scan_inputs=4)],
                  [info("DT", T.FLOAT, [length, d]), info("X", T.FLOAT, [length, d]), info("B", T.FLOAT, [length, n]),
                   info("C", T.FLOAT, [length, n])],
                  [info("Y", T.FLOAT, [length, d])],
                  {"h0": np.zeros((d, n), np.float32), "A": a, "zero": np.array([0], np.int64),
                   "one": np.array([1], np.int64)})


def scan_scalars():
    """One scalar scan output a trip."""
    body = _body([node("Identity", ["go"], ["go_out"]), node("Add", ["x", "one"], ["y"]),
                  node("Identity", ["y"], ["row"])],
                 [info("x", T.FLOAT, [])], [info("y", T.FLOAT, []), info("row", T.FLOAT, [])])
    return _model([node("Loop", ["trips", "", "one"], ["last", "rows"], body=body)], [info("trips", T.INT64, [])],
                  [info("rows", T.FLOAT, ["N"])], {"one": np.float32(1)})


def add4():
    return _model([node("Add", ["a", "b"], ["c"])], [info("a", T.FLOAT, [4]), info("b", T.FLOAT, [4])],
                  [info("c", T.FLOAT, [4])], {})


def branches(count, rows, depth, columns):
    """count times Relu(x W + b), of one x."""
    rng = np.random.default_rng(0)
    constants, nodes = {}, []
    for i in range(count):
        constants[f"W{i}"] = (rng.standard_normal((depth, columns)) / depth**0.5).astype(np.float32)
        constants[f"b{i}"] = rng.standard_normal(columns).astype(np.float32)
        nodes += [node("MatMul", ["x", f"W{i}"], [f"m{i}"]), node("Add", [f"m{i}", f"b{i}"], [f"a{i}"]),
                  node("Relu", [f"a{i}"], [f"y{i}"])]
    return _model(nodes, [info("x", T.FLOAT, [rows, depth])],
                  [info(f"y{i}", T.FLOAT, [rows, columns]) for i in range(count)], constants)


def chain(count, shape):
    """y = x, then y = tanh(y + b) count times."""
    nodes, name = [], "x"
    for i in range(count):
        nodes += [node("Add", [name, "b"], [f"s{i}"]), node("Tanh", [f"s{i}"], [f"t{i}"])]
        name = f"t{i}"
    return _model(nodes, [info("x", T.FLOAT, shape), info("b", T.FLOAT, shape)], [info(name, T.FLOAT, shape)], {})


def suppression(boxes):
    """NonMaxSuppression of one class; the limit is an input."""
    f = np.float32
    return _model([node("NonMaxSuppression", ["boxes", "scores", "limit", "share"], ["y"])],
                  [info("boxes", T.FLOAT, [1, boxes, 4]), info("scores", T.FLOAT, [1, 1, boxes]),
                   info("limit", T.INT64, [1])], [info("y", T.INT64, ["n", 3])], {"share": np.array([0.5], f)})


def one_node(op, rows, columns, num_inputs):
    """One op on float32 tensors, all of one shape."""
    names = ["a", "b"][:num_inputs]
    return _model([node(op, names, ["y"])], [info(name, T.FLOAT, [rows, columns]) for name in names],
                  [info("y", T.FLOAT, [rows, columns])], {})
