"""Noria as a backend of the `onnx` package: prepare, run_model, run_node, supports_device.

    import noria.backend as backend
    outputs = backend.prepare(model).run(inputs)
"""

import onnx
from onnx.backend.base import Backend, BackendRep

from . import InferenceSession


class NoriaBackendRep(BackendRep):
    def __init__(self, session):
        self._session = session

    def run(self, inputs, **kwargs):
        """inputs: positional, in the order of the graph's inputs, or a dict by name."""
        if isinstance(inputs, dict):
            return self._session.run(None, inputs)
        names = [i.name for i in self._session.get_inputs()]
        inputs = inputs if isinstance(inputs, (list, tuple)) else [inputs]
        if len(inputs) != len(names):
            raise ValueError(f"the model has {len(names)} inputs, {len(inputs)} are given")
        return self._session.run(None, dict(zip(names, inputs)))


class NoriaBackend(Backend):
    @classmethod
    def is_compatible(cls, model, device="CPU", **kwargs):
        return cls.supports_device(device)

    @classmethod
    def prepare(cls, model, device="CPU", **kwargs):
        if isinstance(model, (str, bytes)):
            return NoriaBackendRep(InferenceSession(model, **kwargs))
        return NoriaBackendRep(InferenceSession(model.SerializeToString(), **kwargs))

    @classmethod
    def run_model(cls, model, inputs, device="CPU", **kwargs):
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(cls, node, inputs, device="CPU", outputs_info=None, **kwargs):
        """Runs one node: a model is made around it, with the types of the given inputs."""
        infos = [onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
                 for name, a in zip(node.input, inputs)]
        outputs = [onnx.helper.make_empty_tensor_value_info(name) for name in node.output]
        opset = kwargs.pop("opset_version", onnx.defs.onnx_opset_version())
        graph = onnx.helper.make_graph([node], node.name or node.op_type, infos, outputs)
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)])
        return cls.run_model(model, inputs, device, **kwargs)

    @classmethod
    def supports_device(cls, device):
        return device.split(":")[0].upper() == "CPU"


is_compatible = NoriaBackend.is_compatible
prepare = NoriaBackend.prepare
run_model = NoriaBackend.run_model
run_node = NoriaBackend.run_node
supports_device = NoriaBackend.supports_device
