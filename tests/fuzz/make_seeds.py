#!/usr/bin/env python3
"""Writes the ONNX models that fuzzing starts from into tests/fuzz/corpus/onnx: small, and together with every kind of
message that a model can hold."""
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FOLDER = pathlib.Path(__file__).resolve().parent / "corpus" / "onnx"
F32, I64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def info(name, dtype, shape):
    return helper.make_tensor_value_info(name, dtype, shape)


def model(nodes, inputs, outputs, initializers=(), functions=(), opset=21, extra_opsets=(), **more):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(initializers), **more)
    opsets = [helper.make_opsetid("", opset), *extra_opsets]
    return helper.make_model(graph, opset_imports=opsets, functions=list(functions), ir_version=10)


def loop():
    body = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["y"]), helper.make_node("Identity", ["go"], ["again"])],
        "body", [info("i", I64, []), info("go", BOOL, []), info("x", F32, ["n"])],
        [info("again", BOOL, []), info("y", F32, ["n"]), info("y_row", F32, ["n"])])
    body.node.append(helper.make_node("Identity", ["y"], ["y_row"]))
    return model([helper.make_node("Loop", ["trips", "", "x0"], ["last", "rows"], name="loop", body=body)],
                 [info("trips", I64, []), info("x0", F32, ["n"])],
                 [info("last", F32, ["n"]), info("rows", F32, [None, "n"])],
                 [numpy_helper.from_array(np.float32(1.5).reshape(1), "w")])


def branches():
    def branch(name, op):
        return helper.make_graph([helper.make_node(op, ["x"], [name])], name, [], [info(name, F32, [2])])

    return model([helper.make_node("If", ["c"], ["y"], then_branch=branch("a", "Exp"), else_branch=branch("b", "Neg"))],
                 [info("c", BOOL, []), info("x", F32, [2])], [info("y", F32, [2])])


def functions():
    inner = helper.make_function("own", "Twice", ["x"], ["y"], [helper.make_node("Add", ["x", "x"], ["y"])],
                                 [helper.make_opsetid("", 21)])
    node = helper.make_node("LeakyRelu", ["t"], ["y"])
    attribute = node.attribute.add()
    attribute.name, attribute.ref_attr_name, attribute.type = "alpha", "slope", onnx.AttributeProto.FLOAT
    outer = helper.make_function("own", "Bent", ["x", "unused"], ["y"],
                                 [helper.make_node("Twice", ["x"], ["t"], domain="own"), node],
                                 [helper.make_opsetid("", 21), helper.make_opsetid("own", 1)], ["slope"])
    return model([helper.make_node("Bent", ["x"], ["y"], domain="own", slope=0.1)],
                 [info("x", F32, [2])], [info("y", F32, [2])], functions=[inner, outer],
                 extra_opsets=[helper.make_opsetid("own", 1)])


def tensors():
    """A constant of every element type, as typed fields and as raw bytes; a sparse one; strings."""
    nodes, outputs = [], []
    for dtype in sorted(set(helper.get_all_tensor_dtypes()) - {TensorProto.STRING}):
        for raw in (False, True):
            name = f"t{dtype}{'r' if raw else ''}"
            if raw:
                tensor = TensorProto(data_type=dtype, dims=[2], raw_data=bytes(32)[: raw_bytes(dtype)])
            else:
                tensor = helper.make_tensor("", dtype, [2], [1, 0])
            nodes.append(helper.make_node("Constant", [], [name], value=tensor))
            outputs.append(info(name, dtype, [2]))
    nodes.append(helper.make_node("Constant", [], ["s"], value_strings=["water", "wheel"]))
    sparse = helper.make_sparse_tensor(helper.make_tensor("v", F32, [2], [1, 2]),
                                       helper.make_tensor("i", I64, [2], [0, 3]), [4])
    nodes.append(helper.make_node("Constant", [], ["d"], sparse_value=sparse))
    nodes.append(helper.make_node("Constant", [], ["f"], value_floats=[1.0, 2.0]))
    nodes.append(helper.make_node("Constant", [], ["n"], value_ints=[1, -2]))
    outputs += [info("s", TensorProto.STRING, [2]), info("d", F32, [4]), info("f", F32, [2]), info("n", I64, [2])]
    return model(nodes, [], outputs, opset=25)


def raw_bytes(dtype):
    if dtype in (TensorProto.COMPLEX128,):
        return 32
    bits = {TensorProto.INT4: 4, TensorProto.UINT4: 4, TensorProto.FLOAT4E2M1: 4,
            getattr(TensorProto, "INT2", -1): 2, getattr(TensorProto, "UINT2", -1): 2}.get(dtype)
    return (2 * bits + 7) // 8 if bits else 2 * helper.tensor_dtype_to_np_dtype(dtype).itemsize


def types():
    """Sequences, optionals, maps and symbols among the inputs, and the model's own texts."""
    tensor = helper.make_tensor_type_proto(F32, ["n", None, 3])
    sequence = helper.make_sequence_type_proto(tensor)
    optional = helper.make_optional_type_proto(sequence)
    made = model([helper.make_node("OptionalGetElement", ["o"], ["s"]),
                  helper.make_node("SequenceLength", ["s"], ["l"])],
                 [helper.make_value_info("o", optional)], [info("l", I64, [])],
                 value_info=[helper.make_value_info("s", sequence)], doc_string="types")
    made.producer_name, made.producer_version, made.domain = "seeds", "1", "test"
    helper.set_model_props(made, {"key": "value"})
    return made


def external():
    tensor = TensorProto(name="w", data_type=F32, dims=[4], data_location=TensorProto.EXTERNAL)
    for key, value in (("location", "weights.bin"), ("offset", "0"), ("length", "16")):
        tensor.external_data.add(key=key, value=value)
    return model([helper.make_node("Neg", ["w"], ["y"])], [], [info("y", F32, [4])], [tensor])


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for make in (loop, branches, functions, tensors, types, external):
        (FOLDER / f"{make.__name__}.onnx").write_bytes(make().SerializeToString())


if __name__ == "__main__":
    main()
