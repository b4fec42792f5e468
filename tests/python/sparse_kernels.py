"""What the tests of `noria sparse` share: tensors in formats of levels, and kernels compiled from expressions."""
import functools
import itertools
import subprocess

import ml_dtypes
import numpy as np

from conftest import BUILD
from noria import InferenceSession

INDEX = {"i32": np.int32, "i64": np.int64}
DTYPES = {"i1": np.bool_, "i8": np.int8, "i16": np.int16, "bf16": ml_dtypes.bfloat16,
          "f16": np.float16, "f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64,
          "complex<f32>": np.complex64, "complex<f64>": np.complex128}


def parse_format(text):
    """"ds:1,0" as its letters and the dim of each level."""
    letters, _, dims = text.partition(":")
    return letters, [int(d) for d in dims.split(",")] if dims else list(range(len(letters)))


def pack(dense, stored, fmt, index="i32"):
    """The arrays of a tensor, of which the places in `stored` have entries: {"pos1": .., "crd1": .., "vals": ..}."""
    letters, dims = parse_format(fmt)
    dense, stored = dense.transpose(dims), stored.transpose(dims)
    if set(letters) <= {"d"}:
        return {"": np.ascontiguousarray(dense)}
    arrays, nodes = {}, [()]  # nodes: the coordinates above each position
    for level, letter in enumerate(letters):
        if letter == "d":
            nodes = [node + (c,) for node in nodes for c in range(dense.shape[level])]
        if letter == "q" and letters[:level].rstrip("q").endswith("d"):  # one below each
            below = {}
            for place in map(tuple, np.argwhere(stored).tolist()):
                below.setdefault(place[:level], set()).add(place[: level + 1])
            nodes = [child for node in nodes for child, in [below[node]]]
            arrays[f"crd{level}"] = np.array([node[level] for node in nodes], INDEX[index])
        if letter != "s":  # q: done with the level s above
            continue
        end = level + 1 + len(letters[level + 1 :]) - len(letters[level + 1 :].lstrip("q"))
        below = {}
        for place in map(tuple, np.argwhere(stored).tolist()):
            below.setdefault(place[:level], {})[place[:end]] = True  # in order, each once
        segments = [list(below.get(node, ())) for node in nodes]
        nodes = [node for segment in segments for node in segment]
        arrays[f"pos{level}"] = np.cumsum([0, *map(len, segments)]).astype(INDEX[index])
        for k in range(level, end):
            arrays[f"crd{k}"] = np.array([node[k] for node in nodes], INDEX[index])
    arrays["vals"] = np.array([dense[node] for node in nodes], dense.dtype)
    return arrays


def unpack(arrays, shape, fmt):
    """The dense tensor, and the places that have entries; checks that the arrays are a tensor of the format."""
    letters, dims = parse_format(fmt)
    if set(letters) <= {"d"}:
        dense = arrays[""]
        back = np.argsort(dims)
        return dense.transpose(back), np.ones_like(dense, bool).transpose(back)
    sizes = [shape[d] for d in dims]
    nodes = [()]
    for level, letter in enumerate(letters):
        repeats = level + 1 < len(letters) and letters[level + 1] == "q"
        if letter == "d":
            nodes = [node + (c,) for node in nodes for c in range(sizes[level])]
            continue
        crd = arrays[f"crd{level}"]
        assert ((crd >= 0) & (crd < sizes[level])).all()
        if letter == "q":
            nodes = [node + (c,) for node, c in zip(nodes, crd, strict=True)]
            continue
        pos = arrays[f"pos{level}"]
        assert len(pos) == len(nodes) + 1 and pos[0] == 0 and pos[-1] == len(crd)
        children = []
        for i, node in enumerate(nodes):
            segment = crd[pos[i] : pos[i + 1]]
            assert pos[i] <= pos[i + 1] and (np.diff(segment) >= (0 if repeats else 1)).all()
            children += [node + (c,) for c in segment]
        nodes = children
    assert sorted(set(nodes)) == nodes, "coordinates are in order, each once"
    dense, stored = np.zeros(sizes, arrays["vals"].dtype), np.zeros(sizes, bool)
    for node, value in zip(nodes, arrays["vals"], strict=True):
        dense[node], stored[node] = value, True
    back = np.argsort(dims)
    return dense.transpose(back), stored.transpose(back)


@functools.cache
def text_of(expr, formats, dtype="f64", index="i32"):
    args = [BUILD / "noria", "sparse", expr, f"--type={dtype}", f"--index={index}", *(f"-f={f}" for f in formats)]
    done = subprocess.run(args, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


@functools.cache
def session_of(expr, formats, dtype="f64", index="i32"):
    return InferenceSession(text_of(expr, formats, dtype, index).encode())


def result_names(expr, formats):
    """The arrays of the result, in the order in which the kernel returns them."""
    name = expr.partition("(")[0].partition("=")[0].strip(" +")
    letters = dict(f.split(":", 1) for f in formats).get(name, "")
    letters, _ = parse_format(letters)
    if set(letters) <= {"d"}:
        return [""]
    names = [[f"pos{l}", f"crd{l}"] if x in "su" else [f"crd{l}"] if x == "q" else [] for l, x in enumerate(letters)]
    return [*itertools.chain(*names), "vals"]


def run(expr, formats, tensors, sizes, dtype="f64", index="i32", session=None):
    """Runs a kernel on packed tensors, {"B": {"pos1": ..}}, scalars and sizes of indices; the arrays of the result."""
    session = session or session_of(expr, formats, dtype, index)
    feeds = {}
    for arg in session.get_inputs():
        name, _, array = arg.name.rpartition("_")
        if arg.name.startswith("size_"):
            feeds[arg.name] = np.int64(sizes[arg.name[5:]])
        elif arg.name in tensors:
            value = tensors[arg.name]
            feeds[arg.name] = value[""] if isinstance(value, dict) else DTYPES[dtype](value)
        else:
            feeds[arg.name] = tensors[name][array]
    return dict(zip(result_names(expr, formats), session.run(None, feeds), strict=True))
