"""The library's kernels as programs, for the modules kernels and sparse."""

import functools

from . import InferenceSession, SessionOptions


@functools.cache
def session_of(name, num_threads):
    """A kernel by its name in text IR without "noria.", as a session, and the names of its inputs."""
    options = SessionOptions()
    options.format = "kernel"
    options.intra_op_num_threads = num_threads
    session = InferenceSession(name.encode(), options)
    return session, [i.name for i in session.get_inputs()]
