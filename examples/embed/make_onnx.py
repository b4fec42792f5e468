"""Writes the program of smooth.mlir as an ONNX model, with the operator Scan: make_onnx.py smooth.onnx"""
import sys

import onnx
from onnx import TensorProto, helper

scalar = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [])
numbers = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N"])

body = helper.make_graph(
    [
        helper.make_node("Sub", ["in", "state"], ["error"]),
        helper.make_node("Mul", ["alpha", "error"], ["step"]),
        helper.make_node("Add", ["state", "step"], ["next"]),
        helper.make_node("Identity", ["next"], ["out"]),
    ],
    "body", [scalar("state"), scalar("in")], [scalar("next"), scalar("out")])
graph = helper.make_graph(
    [
        helper.make_node("Constant", [], ["zero"], value_float=0.0),
        helper.make_node("Scan", ["zero", "x"], ["last", "y"], body=body, num_scan_inputs=1, name="smooth"),
    ],
    "smooth", [numbers("x"), scalar("alpha")], [numbers("y")])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
onnx.checker.check_model(model, full_check=True)
onnx.save(model, sys.argv[1])
