"""The kernels of the library on NumPy arrays, with NumPy's arguments and answers:

    from noria import kernels
    places = kernels.searchsorted(edges, values, side="right")

Elements are integers, bool, float16, float32 or float64. NaN is larger than all numbers and equal to itself. Each
kernel is compiled at its first call for a type of elements; arrays go in without copies where they are contiguous.
Values that are searched are shared among threads, one per core, where that is worth it."""

import functools
import operator

import numpy as np

from . import InferenceSession

__all__ = ["argsort", "searchsorted", "sort", "topk"]

# What the kernels take and give, by the type of the elements.
_SIGNATURES = {
    "searchsorted": (["tensor<?x{0}>", "tensor<?x{0}>", "i1"], ["tensor<?xi64>"]),
    "topk": (["tensor<?x?x?x{0}>", "index"], ["tensor<?x?x?x{0}>", "tensor<?x?x?xi64>"]),
}


def _element(dtype):
    """The element type in the kernel's name, and the dtype that its arrays are read as."""
    if dtype.kind == "b":
        return "ui8", np.dtype(np.int8)
    if dtype.kind in "iu" and dtype.itemsize <= 8:
        return f"{'u' if dtype.kind == 'u' else ''}i{8 * dtype.itemsize}", np.dtype(f"i{dtype.itemsize}")
    if dtype.kind == "f" and dtype.itemsize <= 8:
        return f"f{8 * dtype.itemsize}", dtype
    raise TypeError(f"there is no kernel for elements of {dtype}; expected integers, bool, float16, float32 or float64")


@functools.cache
def _session(kernel, element, order):
    takes, gives = ([t.format(element.lstrip("u")) for t in types] for types in _SIGNATURES[kernel])
    name = f"@noria.{kernel}.{element}{order}"
    results = ", ".join(f"%r#{i}" for i in range(len(gives)))
    declared = f"({', '.join(takes)}) -> ({', '.join(gives)})"
    parameters = ", ".join(f"%a{i}: {t}" for i, t in enumerate(takes))
    arguments = ", ".join(f"%a{i}" for i in range(len(takes)))
    return InferenceSession(f"""func.func private {name}{declared}
func.func @main({parameters}) -> ({', '.join(gives)}) {{
  %r:{len(gives)} = func.call {name}({arguments}) : {declared}
  return {results} : {', '.join(gives)}
}}
""".encode())


def _call(kernel, dtype, order, arrays, scalar):
    """The kernel's results on arrays of the one dtype and a number."""
    element, raw = _element(dtype)
    session = _session(kernel, element, order)
    feeds = [np.ascontiguousarray(a).view(raw) for a in arrays] + [scalar]
    names = [i.name for i in session.get_inputs()]
    return session.run(None, dict(zip(names, feeds)))


def searchsorted(a, v, side="left", sorter=None):
    """Where to insert v into the sorted array a so that it stays sorted, as numpy.searchsorted: the number of elements
    less than each value or, for side="right", not greater. sorter: places of a's elements in ascending order, where a
    itself is not sorted. int64, of v's shape."""
    if side not in ("left", "right"):
        raise ValueError(f"side must be 'left' or 'right', not {side!r}")
    a, v = np.asarray(a), np.asarray(v)
    if a.ndim != 1:
        raise ValueError(f"a must have 1 dim, but its shape is {a.shape}")
    if sorter is not None:
        sorter = np.asarray(sorter)
        if sorter.dtype.kind not in "iu":
            raise TypeError(f"sorter must be integers, not {sorter.dtype}")
        if sorter.shape != a.shape:
            raise ValueError(f"sorter must have a's shape {a.shape}, not {sorter.shape}")
        if sorter.size and (sorter.min() < 0 or sorter.max() >= a.size):
            raise ValueError(f"sorter has places that are not in 0 to {a.size - 1}")
        a = a[sorter]
    dtype = np.promote_types(a.dtype, v.dtype).newbyteorder("=")
    lists = [x.astype(dtype, copy=False).reshape(-1) for x in (a, v)]
    places, = _call("searchsorted", dtype, "", lists, np.array(side == "right"))
    return places.view(np.intp).reshape(v.shape)[()]


def _ranked(a, k, axis, order):
    """The first k elements along an axis of an array, and their places."""
    rows = (int(np.prod(a.shape[:axis])), a.shape[axis], int(np.prod(a.shape[axis + 1:])))
    dtype = a.dtype.newbyteorder("=")
    values, places = _call("topk", dtype, order, [a.astype(dtype, copy=False).reshape(rows)], np.array(k, np.int64))
    shape = (*a.shape[:axis], k, *a.shape[axis + 1:])
    return values.view(dtype).reshape(shape), places.view(np.intp).reshape(shape)


def _axis_of(a, axis):
    number = operator.index(axis)
    if not -a.ndim <= number < a.ndim:
        raise np.exceptions.AxisError(number, a.ndim)
    return number % a.ndim


def _sorted(a, axis, kind, order, stable):
    a = np.asarray(a)
    if kind not in (None, "quicksort", "mergesort", "heapsort", "stable"):
        raise ValueError(f"kind must be 'quicksort', 'mergesort', 'heapsort' or 'stable', not {kind!r}")
    if kind is not None and stable is not None:
        raise ValueError("kind and stable are both given")
    if order is not None:
        raise ValueError("order is for arrays with fields, which have no kernel")
    if axis is None:
        a, axis = a.reshape(-1), 0
    axis = _axis_of(a, axis)
    return _ranked(a, a.shape[axis], axis, "")


def sort(a, axis=-1, kind=None, order=None, *, stable=None):
    """A sorted copy of an array, as numpy.sort. axis=None sorts all elements as one list. Of every kind the sort is
    stable: equal elements, as -0 and 0, keep their order."""
    return _sorted(a, axis, kind, order, stable)[0]


def argsort(a, axis=-1, kind=None, order=None, *, stable=None):
    """The places of an array's elements in ascending order, as numpy.argsort with kind="stable", whatever the kind."""
    return _sorted(np.atleast_1d(a), axis, kind, order, stable)[1]  # NumPy takes an array without dims as a list of one


def topk(a, k, axis=-1, largest=True):
    """The k largest elements along an axis, largest first, and their places (int64); with largest=False the smallest,
    smallest first. Equal ones come in the order of their places. As TopK of ONNX, with NaN larger than all numbers."""
    a, k = np.asarray(a), operator.index(k)
    axis = _axis_of(a, axis)
    if not 0 <= k <= a.shape[axis]:
        raise ValueError(f"k is {k}, but there are {a.shape[axis]} elements along axis {axis}")
    return _ranked(a, k, axis, ".descending" if largest else "")


from .sparse import *  # noqa: E402,F401,F403 - spmv, spmm, add, multiply, spgemm, sddmm on CSR matrices
