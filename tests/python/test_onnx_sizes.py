"""Models whose shapes are larger than 64 bits can count are errors that name the tensor or the node."""
import numpy as np
import onnx
import onnx.helper as oh
import pytest

HUGE = 1 << 62


def save(path, nodes, inputs, outputs, initializers=(), value_infos=()):
    graph = oh.make_graph(nodes, "g", inputs, outputs, list(initializers), value_info=list(value_infos))
    onnx.save(oh.make_model(graph, opset_imports=[oh.make_opsetid("", 17)]), path)
    return path


def info(name, *dims):
    return oh.make_tensor_value_info(name, onnx.TensorProto.FLOAT, dims)


@pytest.mark.parametrize("where", ["input", "output", "inside"])
def test_declared(noria_tool, tmp_path, where):
    shape = {name: (HUGE, 8) if name == where else ("N", "M") for name in ("input", "output", "inside")}
    nodes = [oh.make_node("Relu", ["input"], ["inside"]), oh.make_node("Neg", ["inside"], ["output"])]
    path = save(tmp_path / "m.onnx", nodes, [info("input", *shape["input"])], [info("output", *shape["output"])],
                value_infos=[info("inside", *shape["inside"])])
    ran = noria_tool("opt", path)
    assert ran.returncode == 1
    assert f"value '{where}' has a shape that no memory can hold" in ran.stderr


def ints(name, *values):
    return onnx.numpy_helper.from_array(np.array(values, np.int64), name)


NODES = {
    "Expand": ([oh.make_node("Expand", ["x", "s"], ["y"], name="it")], [ints("s", 1 << 40, 1 << 40, 1)]),
    "ConstantOfShape": ([oh.make_node("ConstantOfShape", ["s"], ["y"], name="it")], [ints("s", 1 << 40, 1 << 40)]),
    "Tile": ([oh.make_node("Tile", ["x", "s"], ["y"], name="it")], [ints("s", 1 << 40, 1 << 40)]),
    "Pad": ([oh.make_node("Pad", ["x", "s"], ["y"], name="it")], [ints("s", 1 << 40, 1 << 40, 0, 0)]),
    "Resize": ([oh.make_node("Resize", ["r", "", "", "s"], ["y"], name="it")], [ints("s", 1, 1, 1 << 40, 1 << 40)]),
}


@pytest.mark.parametrize("op", NODES)
def test_made(noria_tool, tmp_path, op):
    nodes, initializers = NODES[op]
    path = save(tmp_path / "m.onnx", nodes, [info("x", 1, 4), info("r", 1, 1, 4, 4)], [info("y", *["A", "B", "C", "D"][
        :{"Expand": 3, "Resize": 4}.get(op, 2)])], initializers)
    for command in (["opt", "--pipeline"], ["compile", "-o", tmp_path / "m.so"]):
        ran = noria_tool(*command, path)
        assert ran.returncode == 1, ran.stdout
        assert "node 'it'" in ran.stderr and len(ran.stderr.splitlines()) < 4, ran.stderr
