"""The kernels of lib/ read and write inside of their arrays whatever their inputs are: lists that are not sorted, offsets
that decrease, sparse matrices with any numbers as positions and indices. A run under the address sanitizer may end with
an error of the kernel's own, not with one of the sanitizer."""
import subprocess
import sys

import numpy as np
import pytest

import noria

RNG = np.random.default_rng(11)
TYPES = {"f32": np.float32, "f64": np.float64, "i8": np.int8, "i32": np.int32, "i64": np.int64}


def keys(n, dtype):
    """n elements in no order, with many that are equal, and what is special among floats."""
    if np.dtype(dtype).kind == "i":
        info = np.iinfo(dtype)
        return RNG.choice(np.array([info.min, info.max, 0, 1, -1, 7, 100], dtype), n)
    return RNG.choice(np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 1.5, -2, 1e-30, 3e30], dtype), n)


def numbers(n, dtype):
    """n positions or indices, most of them near what is right."""
    return RNG.choice(np.array([-1, 0, 1, 2, 3, 4, 5, 8, 1000, np.iinfo(dtype).max, np.iinfo(dtype).min], dtype), n,
                      p=[.04, .2, .2, .15, .15, .1, .1, .02, .02, .01, .01])


def sessions_of(name):
    """The kernel on one and on two threads."""
    for threads in (1, 2):
        options = noria.SessionOptions()
        options.format = "kernel"
        options.sanitize = "address"
        options.intra_op_num_threads = threads
        yield noria.InferenceSession(name.encode(), options)


def check(sessions, feeds):
    """Each list of feeds is a run on one or on two threads."""
    for threads, session in enumerate(sessions, 1):
        names = [i.name for i in session.get_inputs()]
        for arrays in feeds[threads % 2::2]:
            try:
                session.run(None, dict(zip(names, arrays)))
            except noria.Error as error:
                assert "out of bounds access" not in str(error), (error, arrays)


@pytest.mark.parametrize("element", ["f32", "f64", "i8"])
@pytest.mark.parametrize("kernel", ["searchsorted", "ragged_searchsorted", "merge", "sort", "argsort", "topk", "unique",
                                    "unique_places", "unique_rows", "histogram"])
def test_dense(kernel, element):
    dtype, feeds = TYPES[element], []
    for n, m in ((0, 0), (1, 3), (40, 17), (300, 1000)):
        a, v = keys(n, dtype), keys(m, dtype)
        if kernel in ("sort", "argsort"):
            feeds.append([np.stack([a, a])])
            feeds.append([np.resize(keys(1000, dtype), (1, 70_000 if n == 300 else n))])
        elif kernel == "unique_rows":
            feeds += [[np.resize(a, shape), m % 2 == 0] for shape in ((n, 2), (2, n), (n // 4, 4))]
        elif kernel.startswith("unique"):
            feeds.append([a, m % 2 == 0])
        elif kernel == "topk":
            feeds.append([a.reshape(1, n, 1), n // 3])
        elif kernel == "ragged_searchsorted":
            feeds += [[a, numbers(6, np.int64), v, numbers(k, np.int64), True] for k in (0, 5, 6, 6, 6, 6)]
        else:
            feeds.append([a, v] + ([True] if kernel == "searchsorted" else []))
    check(sessions_of(f"{kernel}.{element}"), feeds)


def sparse_arrays(session, indices, element):
    """Arrays for the kernel's inputs, of sizes that often agree."""
    rows, nnz = int(RNG.integers(0, 5)), int(RNG.integers(0, 6))
    found = []
    for i, of in enumerate(session.get_inputs()):
        if not of.shape:
            found.append(int(RNG.choice([0, 1, 4, 6, 1000])))
        elif len(of.shape) == 2:
            found.append(keys(int(RNG.integers(0, 6)) * 3, TYPES[element]).reshape(-1, 3))
        elif of.type == "tensor(double)":
            found.append(keys(nnz + int(RNG.integers(0, 9) == 0), TYPES[element]))
        elif i % 3 == 0:
            found.append(np.minimum.accumulate(numbers(rows + 1, indices)[::-1])[::-1].copy() if RNG.random() < .5
                         else np.sort(np.clip(numbers(rows + 1, indices), 0, nnz)))
            if RNG.random() < .7 and found[-1].size:
                found[-1][0], found[-1][-1] = 0, nnz
        else:
            found.append(numbers(nnz, indices))
    return found


@pytest.mark.parametrize("indices", ["i32", "i64"])
@pytest.mark.parametrize("kernel", ["csr_spmv", "csr_spmm", "csr_add", "csr_multiply", "csr_spgemm", "csr_sddmm",
                                    "csf_mttkrp"])
def test_sparse(kernel, indices):
    sessions = list(sessions_of(f"{kernel}.f64.{indices}"))
    check(sessions, [sparse_arrays(sessions[0], TYPES[indices], "f64") for _ in range(200)])


TRIM = """
import gc, numpy as np, noria
from noria import kernels

def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) >> 10 for line in status if line.startswith("VmRSS"))

data = np.arange(16 << 20, dtype=np.float32)[::-1].copy()
kernels.sort(data)
del data
gc.collect()
kept = resident()
noria.trim()
print(kept - resident())
"""


def test_trim_gives_memory_of_kernels_back():
    """The result of 64 MiB at least."""
    done = subprocess.run([sys.executable, "-c", TRIM], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= 60
