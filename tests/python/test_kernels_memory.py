"""The kernels of lib/ read and write inside of their arrays whatever their inputs are: lists that are not sorted, offsets
that decrease, sparse matrices with any numbers as positions and indices. A run under the address sanitizer may end with
an error of the kernel's own, not with one of the sanitizer."""
import numpy as np
import pytest

import noria
from noria import kernels, sparse

RNG = np.random.default_rng(11)
TYPES = {"f32": np.float32, "f64": np.float64, "i8": np.int8, "i32": np.int32, "i64": np.int64}


def program(name, takes, gives):
    parameters = ", ".join(f"%a{i}: {t}" for i, t in enumerate(takes))
    arguments = ", ".join(f"%a{i}" for i in range(len(takes)))
    declared = f"({', '.join(takes)}) -> ({', '.join(gives)})"
    results = ", ".join(f"%r#{i}" for i in range(len(gives)))
    return f"""func.func private @noria.{name}{declared}
func.func @main({parameters}) -> ({', '.join(gives)}) {{
  %r:{len(gives)} = func.call @noria.{name}({arguments}) : {declared}
  return {results} : {', '.join(gives)}
}}
"""


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


def check(text, feeds):
    """Each list of feeds is a run of the program."""
    for threads in (1, 2):
        options = noria.SessionOptions()
        options.sanitize = "address"
        options.intra_op_num_threads = threads
        session = noria.InferenceSession(text.encode(), options)
        names = [i.name for i in session.get_inputs()]
        for arrays in feeds[threads % 2::2]:
            try:
                session.run(None, dict(zip(names, arrays)))
            except noria.Error as error:
                assert "out of bounds access" not in str(error), (error, arrays)


@pytest.mark.parametrize("element", ["f32", "f64", "i8"])
@pytest.mark.parametrize("kernel", ["searchsorted", "ragged_searchsorted", "merge", "sort", "argsort", "topk", "unique",
                                    "unique_places", "histogram"])
def test_dense(kernel, element):
    takes, gives = ([t.format(element) for t in types] for types in kernels._SIGNATURES[kernel])
    dtype, feeds = TYPES[element], []
    for n, m in ((0, 0), (1, 3), (40, 17), (300, 1000)):
        a, v = keys(n, dtype), keys(m, dtype)
        if kernel in ("sort", "argsort"):
            feeds.append([np.stack([a, a])])
            feeds.append([np.resize(keys(1000, dtype), (1, 70_000 if n == 300 else n))])
        elif kernel.startswith("unique"):
            feeds.append([a, m % 2 == 0])
        elif kernel == "topk":
            feeds.append([a.reshape(1, n, 1), n // 3])
        elif kernel == "ragged_searchsorted":
            feeds += [[a, numbers(6, np.int64), v, numbers(k, np.int64), True] for k in (0, 5, 6, 6, 6, 6)]
        else:
            feeds.append([a, v] + ([True] if kernel == "searchsorted" else []))
    check(program(f"{kernel}.{element}", takes, gives), feeds)


def sparse_arrays(types, indices, element):
    """Arrays that go by the types, of sizes that often agree."""
    rows, nnz = int(RNG.integers(0, 5)), int(RNG.integers(0, 6))
    found = []
    for i, t in enumerate(types):
        if t == "index":
            found.append(int(RNG.choice([0, 1, 4, 6, 1000])))
        elif t == "tensor<?x?x{0}>":
            found.append(keys(int(RNG.integers(0, 6)) * 3, TYPES[element]).reshape(-1, 3))
        elif t == "tensor<?x{0}>":
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
@pytest.mark.parametrize("kernel", sorted(sparse._SIGNATURES))
def test_sparse(kernel, indices):
    takes, gives = sparse._SIGNATURES[kernel]
    feeds = [sparse_arrays(takes, TYPES[indices], "f64") for _ in range(200)]
    form = [[t.format("f64", indices) for t in types] for types in (takes, gives)]
    check(program(f"{kernel}.f64.{indices}", *form), feeds)
