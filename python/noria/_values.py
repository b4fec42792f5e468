"""Between NumPy arrays, Python lists and the runtime's values: what the buffer protocol does not carry."""

import numbers
from collections.abc import Mapping

import numpy as np

from . import _native
from ._native import Error

try:
    import ml_dtypes
except ImportError:  # only needed for the element types that NumPy lacks
    ml_dtypes = None

# ONNX's number: (name in type strings, NumPy type, type of the raw elements in memory)
_TYPES = {
    1: ("float", np.float32, None), 2: ("uint8", np.uint8, None), 3: ("int8", np.int8, None),
    4: ("uint16", np.uint16, None),
    5: ("int16", np.int16, None), 6: ("int32", np.int32, None), 7: ("int64", np.int64, None), 8: ("string", None, None),
    9: ("bool", np.bool_, None), 10: ("float16", np.float16, None), 11: ("double", np.float64, None),
    12: ("uint32", np.uint32, None), 13: ("uint64", np.uint64, None), 14: ("complex64", np.complex64, None),
    15: ("complex128", np.complex128, None), 16: ("bfloat16", "bfloat16", np.uint16),
    17: ("float8e4m3fn", "float8_e4m3fn", np.uint8), 18: ("float8e4m3fnuz", "float8_e4m3fnuz", np.uint8),
    19: ("float8e5m2", "float8_e5m2", np.uint8), 20: ("float8e5m2fnuz", "float8_e5m2fnuz", np.uint8),
    21: ("uint4", "uint4", np.uint8), 22: ("int4", "int4", np.int8), 23: ("float4e2m1", "float4_e2m1fn", np.uint8),
    24: ("float8e8m0", "float8_e8m0fnu", np.uint8), 25: ("uint2", "uint2", np.uint8), 26: ("int2", "int2", np.int8),
    27: ("float6e2m3", "float6_e2m3fn", np.uint8), 28: ("float6e3m2", "float6_e3m2fn", np.uint8),
}


def dtype_name(number):
    return _TYPES[number][0] if number in _TYPES else "undefined"


def numpy_type(number):
    kind = _TYPES[number][1]
    if isinstance(kind, str):
        if ml_dtypes is None:
            raise Error(f"arrays of {dtype_name(number)} need the package ml_dtypes")
        kind = getattr(ml_dtypes, kind)
    return np.dtype(kind)


def _tensor(array, number, name):
    if number == 8:
        flat = np.asarray(array, dtype=object)
        try:
            return _native.strings(flat.reshape(-1).tolist(), flat.shape)
        except UnicodeEncodeError as e:
            raise Error(f"input '{name}' has a string that is no text: {e}") from None
    array = np.asarray(array)
    wanted = numpy_type(number)
    if array.dtype != wanted:
        raise Error(f"input '{name}' must be {wanted}, not {array.dtype}")
    raw = _TYPES[number][2]
    array = np.ascontiguousarray(array).reshape(array.shape)
    return _native.tensor(array.view(raw) if raw is not None else array, number)


def _map(feed, arg):
    if not isinstance(feed, Mapping):
        raise Error(f"input '{arg.name}' must be a dict, not {type(feed).__name__}")
    keys, wanted = list(feed), str if arg._key_dtype == 8 else numbers.Integral
    for key in keys:
        if not isinstance(key, wanted):
            raise Error(f"input '{arg.name}' must have keys of type {dtype_name(arg._key_dtype)}, not {key!r}")
    values, number = list(feed.values()), arg._dtype
    try:
        keys = np.array(keys, None if arg._key_dtype == 8 else np.int64)
        if number != 8:
            values = np.array(values, numpy_type(number))
    except (TypeError, ValueError, OverflowError) as e:
        raise Error(f"input '{arg.name}' has values that are no {dtype_name(number)}: {e}") from None
    return _native.map(_tensor(keys, arg._key_dtype, arg.name), _tensor(values, number, arg.name))


def _of_kind(kind, feed, arg):
    if kind == 1:
        return _native.sequence([_of_kind(3 if arg._key_dtype else 0, f, arg) for f in feed], arg._dtype)
    return _map(feed, arg) if kind == 3 else _tensor(feed, arg._dtype, arg.name)


def to_value(feed, arg):
    """A feed as the runtime's value, for the input `arg`."""
    if arg._kind == 2:
        item = None if feed is None else _of_kind(arg._item_kind, feed, arg)
        return _native.optional(item, arg._item_kind, arg._dtype)
    if feed is None:
        raise Error(f"input '{arg.name}' is None")
    return _of_kind(arg._kind, feed, arg)


def from_value(value):
    """The runtime's value as an array, a list (sequence), a dict (map), or None (empty optional)."""
    dicts = value.dicts if value.kind in (1, 3) else None
    if dicts is not None:
        return dicts
    if value.kind == 1:
        return [from_value(v) for v in value.items]
    if value.kind == 2:
        items = value.items
        return from_value(items[0]) if items else None
    if value.kind == 3:
        keys, values = (from_value(v).tolist() for v in value.items)
        return dict(zip(keys, values))
    if value.dtype == 8:
        array = np.empty(len(value.items), dtype=object)
        array[:] = value.items
        return array.reshape(value.shape)
    array = np.asarray(value)
    raw = _TYPES[value.dtype][2]
    return array if raw is None else array.view(numpy_type(value.dtype))
