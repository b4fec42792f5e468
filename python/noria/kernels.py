"""The kernels of the library on NumPy arrays, with NumPy's arguments and answers:

    from noria import kernels
    places = kernels.searchsorted(edges, values, side="right")

Elements are integers, bool, float16, float32 or float64. NaN is larger than all numbers and equal to itself. Each
kernel is compiled at its first call for a type of elements; arrays go in without copies where they are contiguous.
Work is shared among threads, one per core, where that is worth it."""

import contextlib
import contextvars
import functools
import math
import operator
import re

import numpy as np

from . import Error
from ._kernels import array, check_memory, dense, run_of

__all__ = ["argsort", "histogram", "merge", "nms", "searchsorted", "sort", "threads", "topk", "unique"]

_threads = contextvars.ContextVar("threads", default=0)
_FLAGS = np.array(False), np.array(True)


@contextlib.contextmanager
def threads(count):
    """In the body of `with threads(count)`, work is shared among that many threads; 0: one per core, as without it."""
    if operator.index(count) < 0:
        raise ValueError(f"count is {count}; expected 0 or more")
    token = _threads.set(operator.index(count))
    try:
        yield
    finally:
        _threads.reset(token)


@functools.cache
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
def _run_of(kernel, dtype, suffix, num_threads):
    return run_of(f"{kernel}.{_element(dtype)[0]}{suffix}", num_threads)


def _run(kernel, dtype, suffix, *feeds):
    """The kernel's results on arrays without gaps, whose dtypes are those of its inputs."""
    return _run_of(kernel, dtype, suffix, _threads.get())(feeds)


def _call(kernel, dtype, suffix, arrays, *scalars):
    """The kernel's results on arrays of the one dtype and numbers."""
    _, raw = _element(dtype)
    return _run(kernel, dtype, suffix, *[dense(a).view(raw) for a in arrays], *scalars)


def _errors_of_checks(function):
    """Turns the error of a check in a kernel into ValueError."""
    @functools.wraps(function)
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Error as error:
            found = re.search(r"\w+: (\w+ (is not sorted|has an offset).*)", str(error))
            if not found:
                raise
            raise ValueError(found[1]) from None
    return call


def _suffix(descending=False, check=False):
    return (".descending" if descending else "") + (".checked" if check else "")


def _common(*arrays):
    """The arrays as arrays of the type that all of them can become."""
    arrays = [array(a) for a in arrays]
    for a in arrays:
        check_memory(a)
    dtype = arrays[0].dtype
    if any(a.dtype != dtype for a in arrays):
        dtype = np.result_type(*(a.dtype for a in arrays))
    dtype = dtype.newbyteorder("=")
    return [a.astype(dtype, copy=False) for a in arrays], dtype


def _offsets(name, offsets, size):
    offsets = array(offsets)
    if offsets.dtype.kind not in "iu":
        raise TypeError(f"{name} must be integers, not {offsets.dtype}")
    if offsets.ndim != 1 or not offsets.size:
        raise ValueError(f"{name} must have 1 dim and at least 1 element, but its shape is {offsets.shape}")
    if offsets[0] != 0 or offsets[-1] != size:
        raise ValueError(f"{name} must begin with 0 and end with {size}, but is from {offsets[0]} to {offsets[-1]}")
    down = np.flatnonzero(offsets[1:] < offsets[:-1])
    if down.size:
        raise ValueError(f"{name} decreases at element {down[0] + 1}")
    return dense(offsets, np.int64)


@_errors_of_checks
def searchsorted(a, v, side="left", sorter=None, *, a_offsets=None, v_offsets=None, check=False):
    """Where to insert v into the sorted array a so that it stays sorted, as numpy.searchsorted: the number of elements
    less than each value or, for side="right", not greater. sorter: places of a's elements in ascending order, where a
    itself is not sorted. int64, of v's shape.

    Several lists: where a has more than 1 dim, its rows (along the last dim) are lists of their own, and v has the same
    leading dims, as in torch. Lists of different lengths: a and v have 1 dim, a_offsets[r] to a_offsets[r + 1] is the
    r-th list, and v_offsets says likewise which values are searched in it; results count from the list's begin.

    check: a list that is not sorted is a ValueError, which names the place. Else its results are some places in it."""
    if side not in ("left", "right"):
        raise ValueError(f"side must be 'left' or 'right', not {side!r}")
    (a, v), dtype = _common(a, v)
    if a.ndim == 0:
        raise ValueError(f"a must have 1 dim, but its shape is {a.shape}")
    if sorter is not None:
        a = _in_order(a, sorter)
    right = _FLAGS[side == "right"]
    if a.ndim > 1:
        if a_offsets is not None or v_offsets is not None:
            raise ValueError(f"a must have 1 dim where offsets are given, but its shape is {a.shape}")
        if v.ndim != a.ndim or v.shape[:-1] != a.shape[:-1]:
            raise ValueError(f"a must have 1 dim, or v its leading dims, but the shapes are {a.shape} and {v.shape}")
        rows = math.prod(a.shape[:-1])
        a_offsets, v_offsets = (np.arange(rows + 1) * x.shape[-1] for x in (a, v))
    elif a_offsets is None and v_offsets is None:
        places, = _call("searchsorted", dtype, _suffix(check=check), [a, v.reshape(-1)], right)
        return places.view(np.intp).reshape(v.shape)[()]
    elif a_offsets is None or v_offsets is None:
        raise ValueError("a_offsets and v_offsets must both be given")
    elif v.ndim != 1:
        raise ValueError(f"v must have 1 dim where offsets are given, but its shape is {v.shape}")
    a_offsets, v_offsets = _offsets("a_offsets", a_offsets, a.size), _offsets("v_offsets", v_offsets, v.size)
    if a_offsets.size != v_offsets.size:
        raise ValueError(f"a_offsets has {a_offsets.size} elements, but v_offsets {v_offsets.size}")
    _, raw = _element(dtype)
    places, = _run("ragged_searchsorted", dtype, _suffix(check=check),
                   dense(a).view(raw).reshape(-1), a_offsets,
                   dense(v).view(raw).reshape(-1), v_offsets, right)
    return places.view(np.intp).reshape(v.shape)


def _in_order(a, sorter):
    sorter = array(sorter)
    if a.ndim != 1:
        raise ValueError(f"a must have 1 dim where a sorter is given, but its shape is {a.shape}")
    if sorter.dtype.kind not in "iu":
        raise TypeError(f"sorter must be integers, not {sorter.dtype}")
    if sorter.shape != a.shape:
        raise ValueError(f"sorter must have a's shape {a.shape}, not {sorter.shape}")
    if sorter.size and (sorter.min() < 0 or sorter.max() >= a.size):
        raise ValueError(f"sorter has places that are not in 0 to {a.size - 1}")
    return a[sorter]


@_errors_of_checks
def merge(a, b, *, check=False):
    """Two sorted arrays of one dim as one; of equal elements, those of a come first. check: one that is not sorted is a
    ValueError, which names it and the place; else the result is some of their elements."""
    (a, b), dtype = _common(a, b)
    for name, x in (("a", a), ("b", b)):
        if x.ndim != 1:
            raise ValueError(f"{name} must have 1 dim, but its shape is {x.shape}")
    merged, = _call("merge", dtype, _suffix(check=check), [a, b])
    return merged.view(dtype)


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True,
           sorted=True):
    """The different elements of an array in ascending order, as numpy.unique; and, where asked for, the place of the
    first of each, the place of each element among them, and how often each comes. NaN are one element, unless
    equal_nan is False. axis: of an array of more dims, the different slices along it, in the order of their first
    elements that differ; each slice with a NaN differs from all others. sorted: they are, also with False."""
    ar = array(ar)
    if axis is not None:
        axis = _axis_of(ar, axis)
    check_memory(ar)
    dtype = ar.dtype.newbyteorder("=")
    if axis is None or ar.ndim == 1:
        flat = ar.reshape(-1).astype(dtype, copy=False)
        merged = _FLAGS[bool(equal_nan)]
        if return_index or return_inverse:
            values, firsts, numbers, counts = _call("unique_places", dtype, "", [flat], merged)
            numbers = numbers.reshape(ar.shape)
        else:
            values, counts = _call("unique", dtype, "", [flat], merged)
        values = values.view(dtype)
    else:
        moved = np.moveaxis(ar, axis, 0)
        rows = moved.reshape(len(moved), math.prod(moved.shape[1:])).astype(dtype, copy=False)
        values, firsts, numbers, counts = _call("unique_rows", dtype, "", [rows], _FLAGS[False])
        values = np.moveaxis(values.view(dtype).reshape(len(values), *moved.shape[1:]), 0, axis)
    results = [values]
    if return_index:
        results.append(firsts.view(np.intp))
    if return_inverse:
        results.append(numbers.view(np.intp))
    if return_counts:
        results.append(counts.view(np.intp))
    return results[0] if len(results) == 1 else tuple(results)


def histogram(a, bins=10, range=None, density=None, weights=None):
    """How many elements, or what sum of weights, each bin has, and the edges of the bins, as numpy.histogram. bins:
    their number, from range or from the least to the greatest element; or the edges, in ascending order. A bin is
    without its right edge, but for the last one."""
    a = array(a).reshape(-1)
    check_memory(a)
    if isinstance(bins, str):
        raise TypeError("bins must be a number or edges; there are no kernels that choose it")
    if a.dtype.kind == "b":
        a = a.astype(np.uint8)
    if weights is not None:
        weights = array(weights).reshape(-1)
        if weights.shape != a.shape:
            raise ValueError(f"weights must have a's shape, but has {weights.size} elements, not {a.size}")
        if weights.dtype.kind not in "biuf":
            raise TypeError(f"weights must be real numbers, not {weights.dtype}")
    if np.ndim(bins) == 0 or range is not None:
        edges = np.histogram_bin_edges(a, bins, range, weights)
    else:
        edges = array(bins)
    if edges.ndim != 1:
        raise ValueError(f"bins must have 1 dim, but its shape is {edges.shape}")
    if np.any(edges[1:] < edges[:-1]):
        raise ValueError("bins must increase monotonically")
    if weights is None:
        (edges_in, values), dtype = _common(edges, a)
        counts, = _call("histogram", dtype, "", [edges_in, values])
        counts = counts.view(np.intp)
        return (counts / np.diff(edges).astype(float) / counts.sum(), edges) if density else (counts, edges)
    # a value behind its last edge is in no bin; one that equals the last edge is in the last bin
    places = searchsorted(edges, a, "right")
    places = np.where(a == edges[-1], np.searchsorted(edges, edges[-1]), places) if edges.size else places
    counts = np.bincount(places, weights, edges.size + 1)[1:max(edges.size, 1)]
    counts = counts.astype(weights.dtype)
    if density:
        return counts / np.diff(edges).astype(float) / counts.sum(), edges
    return counts, edges


def nms(boxes, scores, max_output=None, iou_threshold=0.0, score_threshold=None, center_point_box=0):
    """The boxes that non-maximum suppression selects, as NonMaxSuppression of ONNX: of each batch and class, boxes are
    taken by descending score, and one is left out that overlaps one taken before by more than iou_threshold of their
    union.

    boxes: float32 [batches, boxes, 4], as [y1, x1, y2, x2] of two opposite corners or, with center_point_box=1,
    [x, y, width, height] of the centre. scores: float32 [batches, classes, boxes]. max_output: at most as many of each
    class; None: all. score_threshold: only boxes with a greater score; None: all. int64 [selected, 3]: batch, class,
    box."""
    boxes, scores = array(boxes), array(scores)
    for name, x in (("boxes", boxes), ("scores", scores)):
        if x.dtype.kind not in "biuf":
            raise TypeError(f"{name} must be numbers, not {x.dtype}")
        if x.ndim != 3:
            raise ValueError(f"{name} must have 3 dims, but its shape is {x.shape}")
    if boxes.shape[2] != 4 or boxes.shape[0] != scores.shape[0] or boxes.shape[1] != scores.shape[2]:
        raise ValueError("boxes must be [batches, boxes, 4] and scores [batches, classes, boxes], but their shapes are "
                         f"{boxes.shape} and {scores.shape}")
    if not 0 <= iou_threshold <= 1:
        raise ValueError(f"iou_threshold is {iou_threshold}, not from 0 to 1")
    if center_point_box not in (0, 1):
        raise ValueError(f"center_point_box is {center_point_box}, not 0 or 1")
    limit = boxes.shape[1] if max_output is None else min(max(operator.index(max_output), 0), boxes.shape[1])
    least = np.float32(0 if score_threshold is None else score_threshold)
    for x in boxes, scores:
        check_memory(x, np.float32)
    floats = [dense(x, np.float32) for x in (boxes, scores)]
    return _run("nms", np.dtype(np.float32), ".centre" if center_point_box else "", *floats, np.array(limit, np.int64),
                np.array(iou_threshold, np.float32), least, np.array(score_threshold is None))[0]


def _axis_of(a, axis):
    number = operator.index(axis)
    if not -a.ndim <= number < a.ndim:
        raise np.exceptions.AxisError(number, a.ndim)
    return number % a.ndim


def _sorted(kernel, a, axis, kind, order, stable, descending):
    """The result of kernel sort or argsort on the rows along an axis."""
    a = array(a)
    if kind not in (None, "quicksort", "mergesort", "heapsort", "stable"):
        raise ValueError(f"kind must be 'quicksort', 'mergesort', 'heapsort' or 'stable', not {kind!r}")
    if kind is not None and stable is not None:
        raise ValueError("kind and stable are both given")
    if order is not None:
        raise ValueError("order is for arrays with fields, which have no kernel")
    if axis is None:
        a, axis = a.reshape(-1), 0
    axis = _axis_of(a, axis)
    dtype = a.dtype.newbyteorder("=")
    check_memory(a)
    rows = a.astype(dtype, copy=False)
    is_last = axis == a.ndim - 1
    if not is_last:
        rows = np.moveaxis(rows, axis, -1)
    found, = _call(kernel, dtype, _suffix(descending), [rows.reshape(-1, rows.shape[-1])
                   if rows.size else np.empty((0, rows.shape[-1]), dtype)])
    result = found.view(dtype if kernel == "sort" else np.intp).reshape(rows.shape)
    return result if is_last else np.ascontiguousarray(np.moveaxis(result, -1, axis))


def sort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """A sorted copy of an array, as numpy.sort. axis=None sorts all elements as one list. Of every kind the sort is
    stable: equal elements, as -0 and 0, keep their order. All NaN become one. descending: largest first, NaN before
    all."""
    return _sorted("sort", a, axis, kind, order, stable, descending)


def argsort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """The places of an array's elements in ascending order, as numpy.argsort with kind="stable", whatever the kind.
    descending: largest first, NaN before all; equal ones still in the order of their places."""
    a = np.atleast_1d(a)  # NumPy takes an array without dims as a list of one
    return _sorted("argsort", a, axis, kind, order, stable, descending)


def topk(a, k, axis=-1, largest=True):
    """The k largest elements along an axis, largest first, and their places (int64); with largest=False the smallest,
    smallest first. Equal ones come in the order of their places. As TopK of ONNX, with NaN larger than all numbers."""
    a, k = array(a), operator.index(k)
    axis = _axis_of(a, axis)
    if not 0 <= k <= a.shape[axis]:
        raise ValueError(f"k is {k}, but there are {a.shape[axis]} elements along axis {axis}")
    if k > 256:  # the order of a whole row takes less time
        places = np.take(argsort(a, axis, descending=largest), np.arange(k), axis)
        return np.take_along_axis(a.astype(a.dtype.newbyteorder("="), copy=False), places, axis), places
    check_memory(a)
    rows = (math.prod(a.shape[:axis]), a.shape[axis], math.prod(a.shape[axis + 1:]))
    dtype = a.dtype.newbyteorder("=")
    values, places = _call("topk", dtype, _suffix(largest), [a.astype(dtype, copy=False).reshape(rows)],
                           np.array(k, np.int64))
    shape = (*a.shape[:axis], k, *a.shape[axis + 1:])
    return values.view(dtype).reshape(shape), places.view(np.intp).reshape(shape)


from .sparse import *  # noqa: E402,F401,F403 - spmv, spmm, add, multiply, spgemm, sddmm on CSR matrices
