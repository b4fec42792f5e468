"""Writes safetensors files, from the description of the format, with NumPy only."""
import json
import struct

import ml_dtypes
import numpy as np

NAMES = {np.dtype(np.bool_): "BOOL", np.dtype(np.float32): "F32", np.dtype(np.float64): "F64",
         np.dtype(np.float16): "F16", np.dtype(ml_dtypes.bfloat16): "BF16", np.dtype(np.complex64): "C64",
         np.dtype(ml_dtypes.float8_e4m3fn): "F8_E4M3", np.dtype(ml_dtypes.float8_e5m2): "F8_E5M2",
         **{np.dtype(f"{kind}{bits}"): f"{name}{bits}" for kind, name in (("int", "I"), ("uint", "U"))
            for bits in (8, 16, 32, 64)}}


def encode(header, data, align=8):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    text += b" " * (-len(text) % align)
    return struct.pack("<Q", len(text)) + text + data


def layout(arrays):
    """The header and the bytes of a dict of arrays."""
    header, data = {"__metadata__": {"made": "by a test"}}, b""
    for key, array in arrays.items():
        raw = np.ascontiguousarray(array).tobytes()
        header[key] = {"dtype": NAMES[array.dtype], "shape": list(array.shape),
                       "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    return header, data


def write(path, arrays, align=8):
    path.write_bytes(encode(*layout(arrays), align))
    return path


def read(path):
    """The dict of arrays of a file."""
    raw = path.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    header, types = json.loads(raw[8:8 + length]), {name: dtype for dtype, name in NAMES.items()}
    header.pop("__metadata__", None)
    out = {}
    for key, info in header.items():
        begin, end = info["data_offsets"]
        out[key] = np.frombuffer(raw[8 + length + begin:8 + length + end], types[info["dtype"]]).reshape(info["shape"])
    return out
