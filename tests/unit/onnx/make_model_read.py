#!/usr/bin/env python3
"""Makes the files that test_model_read.c reads: make_model_read.py FOLDER

good/NAME.onnx        models that read and inline; NAME.txt, where there is one: their nodes afterwards
bad/NAME.onnx         models that do not; NAME.txt: the errors
tensors.onnx          initializers of every type in every encoding; tensors/NAME: their bytes in memory
"""
import os
import pathlib
import shutil
import struct
import sys
from collections.abc import MutableSequence

import ml_dtypes
import numpy as np
import onnx
from google.protobuf.descriptor import FieldDescriptor
from onnx import TensorProto, helper, numpy_helper
from onnx.parser import parse_model

out = pathlib.Path(sys.argv[1])
HEAD = '<ir_version: 10, opset_import: ["": 21, "my": 1]>\n'


def text_model(body, head=HEAD):
    return parse_model(head + body)


def save(folder, name, model, text=None):
    data = model if isinstance(model, bytes) else model.SerializeToString()
    (out / folder / f"{name}.onnx").write_bytes(data)
    if text is not None:
        (out / folder / f"{name}.txt").write_text(text)


# ---- tensors ---------------------------------------------------------------------------------------------------------

DTYPES = {
    "FLOAT": np.float32, "UINT8": np.uint8, "INT8": np.int8, "UINT16": np.uint16, "INT16": np.int16, "INT32": np.int32,
    "INT64": np.int64, "BOOL": np.bool_, "FLOAT16": np.float16, "DOUBLE": np.float64, "UINT32": np.uint32,
    "UINT64": np.uint64, "COMPLEX64": np.complex64, "COMPLEX128": np.complex128, "BFLOAT16": ml_dtypes.bfloat16,
    "FLOAT8E4M3FN": ml_dtypes.float8_e4m3fn, "FLOAT8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "FLOAT8E5M2": ml_dtypes.float8_e5m2, "FLOAT8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz, "UINT4": ml_dtypes.uint4,
    "INT4": ml_dtypes.int4, "FLOAT4E2M1": ml_dtypes.float4_e2m1fn, "FLOAT8E8M0": ml_dtypes.float8_e8m0fnu,
    "UINT2": ml_dtypes.uint2, "INT2": ml_dtypes.int2, "FLOAT6E2M3": ml_dtypes.float6_e2m3fn,
    "FLOAT6E3M2": ml_dtypes.float6_e3m2fn,
}  # fmt: skip
UNSIGNED_SMALL = {"UINT4": 15, "FLOAT4E2M1": 15, "UINT2": 3, "FLOAT6E2M3": 63, "FLOAT6E3M2": 63}


def memory_bytes(name, values):
    """One element after the other; sub-byte ones a byte each, signed ones sign-extended."""
    data = np.frombuffer(values.tobytes(), np.uint8)
    if name in UNSIGNED_SMALL:
        data = data & UNSIGNED_SMALL[name]
    if name in ("INT4", "INT2"):
        data = values.astype(np.int8).view(np.uint8)
    return data.tobytes()


def make_tensors():
    (out / "tensors").mkdir()
    rng = np.random.default_rng(1)
    initializers = []
    external = bytearray(b"padding")
    for name, dtype in DTYPES.items():
        dtype = np.dtype(dtype)
        for shape in [(3, 3), (), (0, 2)]:
            values = np.frombuffer(rng.bytes(dtype.itemsize * int(np.prod(shape))), np.uint8)
            if name == "BOOL":
                values = values & 1
            if name in ("UINT4", "INT4", "FLOAT4E2M1"):
                values = values & 15
            if name in ("UINT2", "INT2"):
                values = values & 3
            if name in ("FLOAT6E2M3", "FLOAT6E3M2"):
                values = values & 63
            values = values.view(dtype).reshape(shape)
            if name in ("INT4", "INT2"):  # keep ml_dtypes' own, sign-extended form
                values = values.astype(np.int8).astype(dtype)
            raw = numpy_helper.from_array(values)
            label = f"{name}_{len(shape)}_{values.size}"
            typed = typed_tensor(name, values)
            away = TensorProto(data_type=raw.data_type, dims=shape, data_location=TensorProto.EXTERNAL)
            for key, value in [("location", "external.bin"), ("offset", len(external)), ("length", len(raw.raw_data))]:
                away.external_data.add(key=key, value=str(value))
            external += raw.raw_data
            for kind, tensor in (("raw", raw), ("typed", typed), ("external", away)):
                tensor.name = f"{label}_{kind}"
                initializers.append(tensor)
                (out / "tensors" / tensor.name).write_bytes(memory_bytes(name, values))
    loose = helper.make_tensor("loose_bools", TensorProto.BOOL, [4], b"\0\1\2\xff", raw=True)
    (out / "tensors" / "loose_bools").write_bytes(b"\0\1\1\1")
    (out / "external.bin").write_bytes(external)
    graph = helper.make_graph([], "tensors", [], [helper.make_tensor_value_info("loose_bools", TensorProto.BOOL, [4])])
    graph.initializer.extend([*initializers, loose])
    for label, indices in (("linear", [1, 4]), ("rows", [[0, 1], [1, 1]])):
        sparse = graph.sparse_initializer.add()
        sparse.values.CopyFrom(numpy_helper.from_array(np.array([5, 7], np.int16), f"sparse_{label}"))
        sparse.indices.CopyFrom(numpy_helper.from_array(np.array(indices, np.int64)))
        sparse.dims.extend([2, 3])
        dense = np.array([[0, 5, 0], [0, 7, 0]], np.int16)
        (out / "tensors" / f"sparse_{label}").write_bytes(dense.tobytes())
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    (out / "tensors.onnx").write_bytes(model.SerializeToString())
    (out / "tensors_pieces.onnx").write_bytes(in_pieces(model))


def typed_tensor(name, values):
    """The same by the typed field of the element type, written by the rules of onnx.proto."""
    tensor = TensorProto(data_type=getattr(TensorProto, name), dims=values.shape)
    flat = values.reshape(-1)
    if name in ("FLOAT", "COMPLEX64"):
        tensor.float_data.extend(flat.view(np.float32))
    elif name in ("DOUBLE", "COMPLEX128"):
        tensor.double_data.extend(flat.view(np.float64))
    elif name == "INT64":
        tensor.int64_data.extend(flat)
    elif name in ("UINT32", "UINT64"):
        tensor.uint64_data.extend(flat)
    elif name in ("INT8", "INT16", "INT32", "UINT8", "UINT16", "BOOL"):
        tensor.int32_data.extend(int(v) for v in flat)
    elif flat.dtype.itemsize == 2:
        tensor.int32_data.extend(int(v) for v in flat.view(np.uint16))
    else:
        bits = 4 if name in ("UINT4", "INT4", "FLOAT4E2M1") else 2 if name in ("UINT2", "INT2") else 8
        codes = [int(v) & ((1 << bits) - 1) for v in flat.view(np.uint8)]
        each = 8 // bits
        for i in range(0, len(codes), each):
            tensor.int32_data.append(sum(c << (bits * k) for k, c in enumerate(codes[i : i + each])))
    return tensor


# ---- good models -----------------------------------------------------------------------------------------------------


def make_good():
    save("good", "functions", text_model("""
        g (float[N] x, bool b) => (float[N] y, float[N] z) {
          t = my.Twice <by = 3.0> (x)
          [call] y = my.Twice (t)
          z = If (b) <then_branch = g1 () => (float[N] u) { u = my.Scale <by = 2.0> (x) },
                      else_branch = g2 () => (float[N] v) { v = my.Pass (x, y) }>
        }
        <domain: "my", opset_import: ["": 13]>
        Scale <by> (a) => (b) {
          c = Constant <value_float: float = @by> ()
          b = Mul (a, c)
        }
        <domain: "my", opset_import: ["": 18, "my": 1]>
        Twice <missing, by: float = 1.0> (a) => (b) {
          c = my.Scale <by: float = @by> (a)
          k = Constant <value_bool: int = @missing> ()
          b = If (k) <then_branch = g () => (float[N] c1) { c1 = Neg (c) },
                      else_branch = g () => (float[N] c2) { aa = Neg (c)
                                                            c2 = Add (aa, c) }>
        }
        <domain: "my", opset_import: ["": 18]>
        Pass (a, b, c) => (a) { d = Clip (b, c) }"""), """\
Twice/Scale/c = Constant@13 [value_float=3]
Twice/c = Mul@13 x Twice/Scale/c
Twice/k = Constant@18
t = If@18 Twice/k
  then_branch
    Twice/c1 = Neg@18 Twice/c
    => Twice/c1
  else_branch
    Twice/aa = Neg@18 Twice/c
    Twice/c2 = Add@18 Twice/aa Twice/c
    => Twice/c2
call/Scale/c = Constant@13 [value_float=1]
call/c = Mul@13 t call/Scale/c
call/k = Constant@18
y = If@18 call/k
  then_branch
    call/c1 = Neg@18 call/c
    => call/c1
  else_branch
    call/aa = Neg@18 call/c
    call/c2 = Add@18 call/aa call/c
    => call/c2
z = If@21 b
  then_branch
    Scale/c = Constant@13 [value_float=2]
    u = Mul@13 x Scale/c
    => u
  else_branch
    Pass/d = Clip@18 y _
    v = Identity@18 x
    => v
=> y z
""")
    functions = onnx.load(out / "good/functions.onnx")
    save("good", "functions_pieces", in_pieces(functions), (out / "good/functions.txt").read_text())
    save("good", "scopes", text_model("""
        g (float[N] x, bool b) => (float[N] y) {
          h = Neg (x)
          y = If (b) <then_branch = g1 () => (float[N] h) {},
                      else_branch = g2 () => (float[N] k) {
                        k = If (b) <then_branch = g3 () => (float[N] i) { i = Abs (h) },
                                    else_branch = g4 () => (float[N] i) { i = Add (x, h) }> }>
        }"""), """\
h = Neg@21 x
y = If@21 b
  then_branch
    => h
  else_branch
    k = If@21 b
      then_branch
        i = Abs@21 h
        => i
      else_branch
        i = Add@21 x h
        => i
    => k
=> y
""")
    # The first versions of the format had neither operator sets nor attribute types.
    old = onnx.ModelProto(ir_version=2)
    node = old.graph.node.add(op_type="Concat", input=["x", "x"], output=["y"])
    node.attribute.add(name="axis", i=1)
    old.graph.input.add(name="x")
    old.graph.output.add(name="y")
    save("good", "old", old, "y = Concat@1 [axis=1] x x\n=> y\n")
    save("good", "nested", nested_ifs(98))
    save("good", "everything", everything())


def varint(n):
    data = bytearray()
    while n >= 128:
        data.append(n & 127 | 128)
        n >>= 7
    return bytes([*data, n])


def field(number, data):
    """One field that holds bytes or a message; by hand, since Python's protobuf writes at most 100 levels."""
    return varint(number << 3 | 2) + varint(len(data)) + data


WIRES = {FieldDescriptor.TYPE_FLOAT: (5, "<f"), FieldDescriptor.TYPE_DOUBLE: (1, "<d")}


def scalar_bytes(descriptor, value):
    """Wire type and bytes of a single value that is no message."""
    if descriptor.type in WIRES:
        wire, layout = WIRES[descriptor.type]
        return wire, struct.pack(layout, value)
    if descriptor.type in (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES):
        data = value.encode() if isinstance(value, str) else value
        return 2, varint(len(data)) + data
    return 0, varint(int(value) % (1 << 64))


def pieces_of(message):
    """The fields of a message in unusual encodings that the format allows: a list partly packed and partly not, a
    message in two parts, a field that is overwritten by a later one or by another member of its oneof, unknown fields,
    and tags in more bytes than they need."""
    pieces = []

    def put(number, wire, data):
        tag = varint(number << 3 | wire)
        pieces.append(tag[:-1] + bytes([tag[-1] | 128, 0]) + data)

    def put_message(number, parts):
        put(number, 2, varint(sum(map(len, parts))) + b"".join(parts))

    for descriptor, value in message.ListFields():
        number, repeated = descriptor.number, isinstance(value, MutableSequence)
        put(1000, 0, b"\x07")
        if descriptor.type == FieldDescriptor.TYPE_MESSAGE and repeated:
            for item in value:
                put_message(number, pieces_of(item))
        elif descriptor.type == FieldDescriptor.TYPE_MESSAGE:
            parts = pieces_of(value)
            put_message(number, parts[: len(parts) // 2])
            put_message(number, parts[len(parts) // 2 :])
        elif repeated:
            encoded = [scalar_bytes(descriptor, item) for item in value]
            packed = len(encoded) // 2 if encoded[0][0] != 2 else 0
            if packed:
                put_message(number, [data for _, data in encoded[:packed]])
            for wire, data in encoded[packed:]:
                put(number, wire, data)
        else:
            others = descriptor.containing_oneof.fields if descriptor.containing_oneof else [descriptor]
            for other in others:
                if other.number != number and other.type != FieldDescriptor.TYPE_MESSAGE:
                    put(other.number, *scalar_bytes(other, other.default_value))
            put(number, *scalar_bytes(descriptor, value))
    return pieces


def in_pieces(model):
    data = b"".join(pieces_of(model))
    read = onnx.load_from_string(data)
    read.DiscardUnknownFields()
    assert read.SerializeToString() == model.SerializeToString()  # Python's protobuf reads it as the same model
    return data


def nested_ifs(depth):
    """If in If in If, as deep as the reader goes."""
    text = "g (bool c, float[N] x) => (float[N] y) { y = If (c) <else_branch = e () => (float[N] z) { z = Neg (x) }> }"
    model = text_model(text)
    innermost = text_model("g () => (float[N] y) { y = Neg (x) }").graph.SerializeToString()
    node = model.graph.node[0].SerializeToString()
    rest = onnx.GraphProto(output=model.graph.output).SerializeToString()
    graph = innermost
    for _ in range(depth):
        branch = onnx.AttributeProto(name="then_branch", type=5).SerializeToString() + field(6, graph)
        graph = field(1, node + field(5, branch)) + rest
    inputs = onnx.GraphProto(input=model.graph.input).SerializeToString()
    model.ClearField("graph")
    return model.SerializeToString() + field(7, graph + inputs)


def everything():
    """A small model of many kinds of fields, which the test cuts and mutates."""
    model = text_model("""
        g (float[N,3] x, seq(int64[]) s, optional(float[2]) o, int64 m) => (float[N,3] y, float[M] r)
        <float[2,3] w = {1,2,3,4,5,6}, float[N,3] t> {
          t = Add (x, x)
          y = my.F <k = 2> (t)
          c = Constant <value = int64[2] {1, 2}> ()
          q, r = Loop (m, , t) <body = b (int64 i, bool k, float[N,3] a) => (bool k, float[N,3] n, float[] e) {
            n = Mul (a, x)
            e = ReduceSum <keepdims = 0> (n)
          }>
          p = TfIdfVectorizer <ngram_counts = [0, 4], weights = [1.5, 2.0], mode = "TF", pool_strings = ["a", "b"]> (c)
        }
        <domain: "my", opset_import: ["": 13]>
        F <k: int = 1> (a) => (b) { c = Constant <value_int: int = @k> ()
                                    b = Identity (a) }
        """)
    model.metadata_props.add(key="k", value="v")
    model.graph.initializer.add(name="words", data_type=TensorProto.STRING, dims=[2], string_data=[b"one", b""])
    model.graph.initializer.append(numpy_helper.from_array(np.arange(3, dtype=np.float32), "raw"))
    sparse = model.graph.sparse_initializer.add(dims=[2, 3])
    sparse.values.CopyFrom(numpy_helper.from_array(np.array([5, 7], np.int16), "sparse"))
    sparse.indices.CopyFrom(numpy_helper.from_array(np.array([1, 4], np.int64)))
    return model


# ---- bad models ------------------------------------------------------------------------------------------------------


def with_tensor(**fields):
    model = text_model("g (float[N] x) => (float[N] y) { y = Abs (x) }")
    entries = fields.pop("external", None)
    tensor = model.graph.initializer.add(name="w", **fields)
    if entries is not None:
        tensor.data_location = TensorProto.EXTERNAL
        for key, value in entries.items():
            tensor.external_data.add(key=key, value=value)
    return model


def changed(text, change):
    model = text_model(text)
    change(model)
    return model


def nested(fields, depth, inner=b""):
    """Messages that each hold the next in one of the fields, which take turns."""
    pieces, size = [inner], len(inner)
    for i in range(depth):
        pieces.append(varint(fields[(depth - 1 - i) % len(fields)] << 3 | 2) + varint(size))
        size += len(pieces[-1])
    return b"".join(reversed(pieces))


def make_bad():
    abs_model = "g (float[N] x) => (float[N] y) { y = Abs (x) }"
    good = text_model(abs_model).SerializeToString()

    # bytes
    save("bad", "empty", b"", "not a valid ONNX file: it is empty")
    save("bad", "html", b"<!DOCTYPE html>", "not a valid ONNX file: a field of unknown kind at byte 0")
    save("bad", "lfs", b"version https://git-lfs.github.com/spec/v1\n",
         "this is a Git LFS pointer, not a model: fetch it with `git lfs pull`")
    save("bad", "cut", good[:-3], f"not a valid ONNX file: a field that is cut short at byte {len(good) - 8}")
    save("bad", "wrong_kind", b"\x0d\0\0\0\0", "not a valid ONNX file: a field of the wrong kind at byte 0")
    save("bad", "deep_graphs", nested([7], 1, nested([1, 5, 6], 600)),
         "not a valid ONNX file: messages nested too deeply at byte 903")
    save("bad", "deep_types", nested([7], 1, nested([11], 1, nested([2], 1, nested([4, 1], 200_000)))),
         "not a valid ONNX file: messages nested too deeply at byte 1204")

    # the model as a whole
    save("bad", "no_graph", onnx.ModelProto(ir_version=8, opset_import=[helper.make_opsetid("", 13)]),
         "the model has no graph")
    save("bad", "nothing", b"\x12\0",
         "the model has no IR version\nthe model has no graph")
    save("bad", "future", text_model(abs_model, '<ir_version: 99, opset_import: ["": 21]>'),
         "the model has IR version 99; the latest known is 14")
    save("bad", "opset_twice", text_model(abs_model, '<ir_version: 10, opset_import: ["": 0, "a": 1, "a": 2]>'),
         "domain 'a' is imported with versions 1 and 2")
    save("bad", "zip", b"PK\3\4" + bytes(60), "this is a zip archive, not a model: unpack it first")
    save("bad", "gzip", b"\x1f\x8b\x08\0" + bytes(60), "this file is compressed by gzip: unpack it first")
    save("bad", "ort", b"\x18\0\0\0ORTM" + bytes(60),
         "this is a model in ONNX Runtime's own format (.ort): give the .onnx file that it was made from")
    save("bad", "tflite", b"\x18\0\0\0TFL3" + bytes(60), "this is a TensorFlow Lite model: convert it to ONNX first")
    save("bad", "domain", text_model("g (float[N] x) => (float[N] y) { t = other.Foo (x)\n y = other.Bar (t) }"),
         "node 't' (other.Foo): the model imports no operator set of domain 'other'")

    # tensors
    f32, i64 = TensorProto.FLOAT, TensorProto.INT64
    save("bad", "short_raw", with_tensor(data_type=f32, dims=[2, 3], raw_data=bytes(12)),
         "tensor 'w': 12 bytes do not fit shape [2,3] of float32 (24 bytes)")
    save("bad", "long_typed", with_tensor(data_type=i64, dims=[1], int64_data=[1, 2]),
         "tensor 'w': 2 elements do not fit shape [1] of int64 (1 elements)")
    save("bad", "int4_count", with_tensor(data_type=TensorProto.INT4, dims=[3], int32_data=[1, 2, 3]),
         "tensor 'w': 3 elements do not fit shape [3] of int4 (2 elements)")
    save("bad", "wrong_field", with_tensor(data_type=i64, dims=[1], float_data=[1]),
         "tensor 'w': 0 elements do not fit shape [1] of int64 (1 elements)")
    save("bad", "two_fields", with_tensor(data_type=f32, dims=[1], float_data=[1], raw_data=bytes(4)),
         "tensor 'w' has its data in two places")
    save("bad", "negative", with_tensor(data_type=f32, dims=[2, -3]),
         "tensor 'w' has a negative dim in its shape [2,-3]")
    save("bad", "overflow", with_tensor(data_type=f32, dims=[1 << 32, 1 << 32]),
         "tensor 'w': its shape [4294967296,4294967296] overflows")
    save("bad", "overflow_empty", with_tensor(data_type=f32, dims=[0, 1 << 62]),
         "tensor 'w': its shape [0,4611686018427387904] overflows")
    save("bad", "rank", with_tensor(data_type=f32, dims=[1] * 17, float_data=[1]),
         "tensor 'w' has rank 17; the limit is 16")
    save("bad", "no_type", with_tensor(dims=[1]), "tensor 'w' has no element type")
    save("bad", "type", with_tensor(data_type=1000), "tensor 'w' has an unsupported element type (1000)")
    save("bad", "string_raw", with_tensor(data_type=TensorProto.STRING, dims=[1], raw_data=b"a"),
         "tensor 'w': strings must be in string_data")
    save("bad", "strings", with_tensor(data_type=TensorProto.STRING, dims=[2], string_data=[b"a"]),
         "tensor 'w': 1 elements do not fit shape [2] of string (2 elements)")

    def sparse(dims, indices, **fields):
        def add(m):
            s = m.graph.sparse_initializer.add(dims=dims)
            s.values.CopyFrom(numpy_helper.from_array(np.ones(2, np.float32), "w"))
            s.indices.CopyFrom(numpy_helper.from_array(np.array(indices, np.int64)))

        return changed(abs_model, add)

    save("bad", "sparse_index", sparse([2, 2], [1, 4]), "sparse tensor 'w': index 1 is outside shape [2,2]")
    save("bad", "sparse_row", sparse([2, 2], [[0, 0], [0, 2]]), "sparse tensor 'w': index 1 is outside shape [2,2]")
    save("bad", "sparse_shape", sparse([2, 2], [[0, 0, 0], [0, 0, 0]]),
         "sparse tensor 'w': indices must be int64 of shape [2] or [2,2]")
    save("bad", "sparse_large", sparse([1 << 40], [0, 1]),
         "sparse tensor 'w' of shape [1099511627776] takes 4398046511104 bytes when dense; the limit is 1073741824")
    save("bad", "value_type", changed(abs_model, lambda m: setattr(m.graph.input[0].type.tensor_type, "elem_type", 77)),
         "value 'x' has an unsupported element type (77)")
    save("bad", "attribute_tensor", text_model("g () => (float[2] y) { [c] y = Constant <value = float[2] {1}> () }"),
         "node 'c' (Constant), attribute 'value': tensor '': 1 elements do not fit shape [2] of float32 (2 elements)")

    # external data
    def external(**entries):
        return with_tensor(data_type=f32, dims=[2], external=entries)

    (out / "bad/data.bin").write_bytes(bytes(12))
    (out / "bad/empty.bin").write_bytes(b"")
    (out / "outside.bin").write_bytes(bytes(12))
    (out / "bad/link.bin").symlink_to("../outside.bin")
    (out / "bad/inner").symlink_to("..")
    os.mkfifo(out / "bad/pipe")
    save("bad", "external_missing", external(location="no.bin"),
         "tensor 'w': cannot use external data file 'no.bin': No such file or directory")
    save("bad", "external_short", external(location="data.bin", offset="8"),
         "tensor 'w': external data file 'data.bin' is too short: 8 bytes at offset 8 of a file of 12")
    save("bad", "external_empty", external(location="empty.bin"),
         "tensor 'w': external data file 'empty.bin' is too short: 8 bytes at offset 0 of a file of 0")
    save("bad", "external_offset", external(location="data.bin", offset="18446744073709551608"),
         "tensor 'w': external data file 'data.bin' is too short: "
         "8 bytes at offset 18446744073709551608 of a file of 12")
    save("bad", "external_length", external(location="data.bin", length="12"),
         "tensor 'w': external data in 'data.bin' has length 12, but its shape and type take 8 bytes")
    save("bad", "external_number", external(location="data.bin", offset="-4"),
         "tensor 'w': external data has a bad offset '-4'")
    save("bad", "external_huge", external(location="data.bin", offset="99999999999999999999999"),
         "tensor 'w': external data has a bad offset '99999999999999999999999'")
    save("bad", "external_none", external(), "tensor 'w': external data location '' is empty")
    absolute = str(out / "outside.bin")
    save("bad", "external_absolute", external(location=absolute),
         f"tensor 'w': external data location '{absolute}' is an absolute path")
    save("bad", "external_up", external(location="../outside.bin"),
         "tensor 'w': external data location '../outside.bin' leaves the model's folder")
    save("bad", "external_up_inside", external(location="a/../../bad/data.bin"),
         "tensor 'w': external data location 'a/../../bad/data.bin' leaves the model's folder")
    save("bad", "external_backslash", external(location="..\\outside.bin"),
         "tensor 'w': external data location '..\\outside.bin' leaves the model's folder")
    save("bad", "external_drive", external(location="C:\\outside.bin"),
         "tensor 'w': external data location 'C:\\outside.bin' is an absolute path")
    for name, path in (("link", "link.bin"), ("linked_folder", "inner/outside.bin")):
        save("bad", f"external_{name}", external(location=path),
             f"tensor 'w': cannot use external data file '{path}': it is a link that leaves the model's folder")
    save("bad", "external_pipe", external(location="pipe"),
         "tensor 'w': cannot use external data file 'pipe': Invalid argument")
    save("bad", "external_string",
         with_tensor(data_type=TensorProto.STRING, dims=[1], external={"location": "data.bin"}),
         "tensor 'w': strings must be in string_data")

    # names and order
    save("bad", "undefined", text_model("g (float[N] x) => (float[N] y, float[N] q) { [n] y = Add (x, z) }"),
         "node 'n' (Add): input 'z' is not defined: no node, graph input or initializer has that name\n"
         "graph output 'q' is not defined: no node, graph input or initializer has that name")
    save("bad", "order", text_model("g (float[N] x) => (float[N] y) { [a] y = Add (x, t)\n [b] t = Abs (x) }"),
         "node 'a' (Add): uses 't' before node 'b' (Abs) produces it; nodes must be in topological order")
    save("bad", "order_inside", text_model("""
        g (bool c, float[N] x) => (float[N] y) {
          [i] y = If (c) <then_branch = t () => (float[N] u) { [n] u = Neg (v) },
                          else_branch = e () => (float[N] w) { w = Identity (x) }>
          [later] v = Abs (x)
        }"""),
         "node 'i' (If), attribute 'then_branch': node 'n' (Neg): uses 'v' before node 'later' (Abs) produces it; "
         "nodes must be in topological order")
    save("bad", "cycle", text_model("""
        g (float[N] x) => (float[N] y) { [a] y = Add (x, t)\n [b] s = Abs (y)\n [c] t = Neg (s)\n [d] z = Abs (zz)
                                         [e] zz = Neg (x) }"""),
         "node 'a' (Add): the graph is cyclic: uses 't', which node 'c' (Neg) makes from what this node produces\n"
         "node 'd' (Abs): uses 'zz' before node 'e' (Neg) produces it; nodes must be in topological order")
    save("bad", "cycle_inside", text_model("""
        g (bool c, float[N] x) => (float[N] y) {
          [i] y = If (c) <then_branch = t () => (float[N] u) { [n] u = Neg (v) },
                          else_branch = e () => (float[N] w) { w = Identity (x) }>
          [later] v = Abs (y)
        }"""),
         "node 'i' (If), attribute 'then_branch': node 'n' (Neg): the graph is cyclic: uses 'v', "
         "which node 'later' (Abs) makes from what this node produces")
    save("bad", "cycle_self", text_model("g (float[N] x) => (float[N] y) { [a] y = Add (x, y) }"),
         "node 'a' (Add): the graph is cyclic: uses 'y', which node 'a' (Add) itself produces")
    save("bad", "twice", text_model("""
        g (float[N] x) => (float[N] y) { [a] y = Abs (x)
                                         [b] y = Neg (x)
                                         [c] x = Neg (y) }"""),
         "node 'b' (Neg): its output 'y' has the name of an output of node 'a' (Abs); names must be unique\n"
         "node 'c' (Neg): its output 'x' has the name of a graph input; names must be unique")
    save("bad", "twice_inside", text_model("""
        g (bool c, float[N] x) => (float[N] y) {
          [i] y = If (c) <then_branch = t () => (float[N] x) <float[1] k = {1}> { [n] k = Neg (x) },
                          else_branch = e () => (float[N] w) { w = Identity (x) }>
        }"""),
         "node 'i' (If), attribute 'then_branch': node 'n' (Neg): its output 'k' has the name of an initializer; "
         "names must be unique")
    save("bad", "inputs_twice", text_model("g (float[N] x, float[N] x) => (float[N] y) { y = Abs (x) }"),
         "two graph inputs have the name 'x'")
    save("bad", "initializers_twice", changed(
        "g (float[N] x) => (float[N] y) <float[1] w = {1}> { y = Abs (x) }",
        lambda m: m.graph.initializer.append(m.graph.initializer[0])), "two initializers have the name 'w'")
    save("bad", "no_names", changed(
        "g (float[N] x) => (float[N] y) <float[1] w = {1}> { y = Abs (x) }",
        lambda m: (setattr(m.graph.input[0], "name", ""), setattr(m.graph.output[0], "name", ""),
                   setattr(m.graph.initializer[0], "name", ""), setattr(m.graph.node[0], "op_type", ""))),
         "a graph input has no name\nan initializer has no name\nnode 'y' (): the node has no op_type\n"
         "node 'y' (): input 'x' is not defined: no node, graph input or initializer has that name\n"
         "a graph output has no name")
    save("bad", "no_outputs", changed(abs_model, lambda m: m.graph.ClearField("output")), "the graph has no outputs")
    save("bad", "escapes", changed(abs_model, lambda m: setattr(m.graph.node[0], "name", "\x1b[31m\n")
                                   or m.graph.node[0].input.append("q")),
         "node '\\x1b[31m\\x0a' (Abs): input 'q' is not defined: no node, graph input or initializer has that name")
    save("bad", "many", text_model("g () => (float y) {" + "".join(f"[n{i}] y{i} = Abs (x{i})\n" for i in range(60)) +
                                   "y = Abs (y0) }"),
         "\n".join(f"node 'n{i}' (Abs): input 'x{i}' is not defined: no node, graph input or initializer has that name"
                   for i in range(50)) + "\n... and 10 more errors")

    # attributes
    save("bad", "attributes", changed("g (float[N] x) => (float[N] y) { [n] y = Elu <alpha = 1.0> (x) }", lambda m: (
        m.graph.node[0].attribute.append(m.graph.node[0].attribute[0]),
        m.graph.node[0].attribute.add(name="r", ref_attr_name="q", type=1),
        m.graph.node[0].attribute.add(name="u"),
        m.graph.node[0].attribute.add(type=1),
        m.graph.node[0].attribute.add(name="g", type=5),
        m.graph.node[0].attribute.add(name="t", type=4))),
         "node 'n' (Elu), attribute 'u': the attribute has no known type (0)\n"
         "node 'n' (Elu), attribute 'g': the attribute has no graph\n"
         "node 'n' (Elu), attribute 't': tensor '' has no element type\n"
         "node 'n' (Elu): has two attributes of the name 'alpha'\n"
         "node 'n' (Elu), attribute 'r': refers to the attribute 'q', which only the body of a function may do\n"
         "node 'n' (Elu): an attribute has no name")

    # functions
    undefined = "is not defined: no node, graph input or initializer has that name"
    call = "g (float[N] x) => (float[N] y) { [n] y = my.F (x) }"
    save("bad", "function_missing", text_model(call + """
        <domain: "my", opset_import: ["": 13]> G (a) => (b) { b = Abs (a) }"""),
         "node 'n' (my.F): calls a function 'my.F' that the model does not define")
    save("bad", "function_overload", changed(call + """
        <domain: "my", opset_import: ["": 13]> F (a) => (b) { b = Abs (a) }""",
        lambda m: setattr(m.graph.node[0], "overload", "v2")),
         "node 'n' (my.F): calls a function 'my.F' of overload 'v2' that the model does not define")
    save("bad", "function_twice", changed(call + """
        <domain: "my", opset_import: ["": 13]> F (a) => (b) { b = Abs (a) }""",
        lambda m: m.functions.append(m.functions[0])), "function 'my.F': the model defines this function twice")
    save("bad", "function_recursive", text_model(call + """
        <domain: "my", opset_import: ["": 13, "my": 1]> F (a) => (b) { b = my.G (a) }
        <domain: "my", opset_import: ["": 13, "my": 1]> G (a) => (b) {
          c = Constant <value_int = 1> ()
          b = If (c) <then_branch = t () => (float t1) { t1 = my.F (a) },
                      else_branch = t () => (float t2) { t2 = Abs (a) }> }"""),
         "function 'my.F': the function calls itself, directly or through others")
    save("bad", "function_arity", text_model("g (float[N] x) => (float[N] y) { [n] y, z = my.F (x, x) }" + """
        <domain: "my", opset_import: ["": 13]> F (a) => (b) { b = Abs (a) }"""),
         "node 'n' (my.F): gives 2 inputs and takes 2 outputs of a function that has 1 and 1")
    save("bad", "function_body", text_model(call + """
        <domain: "my", opset_import: ["other": 1]>
        F <p, d: int = 1> (a) => (b, e) { [k] b = Abs <r: int = @q> (x) }"""),
         "function 'my.F': node 'k' (Abs): the function imports no operator set of domain 'ai.onnx'\n"
         f"function 'my.F': node 'k' (Abs): input 'x' {undefined}\n"
         "function 'my.F': node 'k' (Abs), attribute 'r': refers to the attribute 'q', "
         "which the function does not have\n"
         f"function 'my.F': graph output 'e' {undefined}")
    save("bad", "function_pass", text_model("g (float[N] x) => (float[N] y) { [n] y = my.F () }" + """
        <domain: "my", opset_import: ["": 13]> F (a) => (a) { b = Abs (a) }"""),
         "node 'n' (my.F): output 'y' is the function's input 'a', which the call leaves out")
    save("bad", "function_attribute", text_model("g (float[N] x) => (float[N] y) { [n] y = my.F <k = 1.5> (x) }" + """
        <domain: "my", opset_import: ["": 13]> F <k> (a) => (b) { b = Flatten <axis: int = @k> (a) }"""),
         "node 'n' (my.F): attribute 'k' is of another type than the function uses")
    function = '<domain: "my", opset_import: ["my": 1]> '
    chain = "".join(f"{function} F{i} (a) => (b) {{ b = my.F{i + 1} (a) }}\n" for i in range(200))
    last = '<domain: "my", opset_import: ["": 13]> F200 (a) => (b) { b = Abs (a) }'
    save("bad", "function_chain", text_model("g (float[N] x) => (float[N] y) { y = my.F0 (x) }" + chain + last),
         "function 'my.F128': functions call functions more than 128 deep")
    # Each function calls the next ten times, a hundred deep: ten to the hundredth nodes.
    bomb = "".join(f"{function} F{i} (a) => (b) {{" +
                   "\n".join(f"{'b' if k == 9 else f'c{k}'} = my.F{i + 1} (a)" for k in range(10)) + "}\n"
                   for i in range(100))
    last = last.replace("F200", "F100")
    save("bad", "function_bomb", text_model("g (float[N] x) => (float[N] y) { [n] y = my.F0 (x) }" + bomb + last),
         "inlining the model's functions makes more than 4194304 parts or nests them more than 300 deep")


def make_cache():
    """The links that a download cache keeps to its store."""
    (out / "cache").mkdir()
    (out / "store").mkdir()
    (out / "store/1").write_bytes((out / "tensors.onnx").read_bytes())
    (out / "store/2").write_bytes((out / "external.bin").read_bytes())
    (out / "cache/model.onnx").symlink_to("../store/1")
    (out / "cache/external.bin").symlink_to("../store/2")


shutil.rmtree(out, ignore_errors=True)
for folder in ("good", "bad"):
    (out / folder).mkdir(parents=True)
make_tensors()
make_good()
make_bad()
make_cache()
