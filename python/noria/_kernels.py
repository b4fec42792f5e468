"""The library's kernels as programs, for the modules kernels and sparse."""

import functools
import os

import numpy as np

from . import InferenceSession, SessionOptions


@functools.cache
def session_of(name, num_threads):
    """A kernel by its name in text IR without "noria.", as a session, and the names of its inputs."""
    options = SessionOptions()
    options.format = "kernel"
    options.intra_op_num_threads = num_threads
    session = InferenceSession(name.encode(), options)
    return session, [i.name for i in session.get_inputs()]


def run_of(name, num_threads):
    """What runs a kernel: a function from arrays without gaps, whose dtypes are those of its inputs, to arrays."""
    run = session_of(name, num_threads)[0]._session.run
    return lambda feeds: [np.asarray(value) for value in run(list(feeds))]


def array(a):
    """What a caller gives as an array. One with a mask is refused: the kernels read all elements."""
    if isinstance(a, np.ma.MaskedArray):
        raise TypeError("arrays with a mask are not supported; give the elements that count, as by compressed()")
    return np.asarray(a)


def dense(a, dtype=None):
    """The array without gaps between its elements, which are aligned: itself, or a copy."""
    a = np.ascontiguousarray(a, dtype)
    return a if a.flags.aligned else a.copy()


def check_memory(a, dtype=None):
    """Refuses an array whose copy, of that type, would take more than a quarter of the machine's memory: the array
    itself may be small, as of a broadcast element. One that goes in without a copy is not refused."""
    dtype = np.dtype(dtype or a.dtype)
    size = a.size * dtype.itemsize
    if size > _memory() and not (a.flags.c_contiguous and a.dtype == dtype):
        raise MemoryError(f"a copy of an array of shape {a.shape} and {dtype} takes {size} bytes, "
                          "more than a quarter of the machine's memory")


@functools.cache
def _memory():
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4
