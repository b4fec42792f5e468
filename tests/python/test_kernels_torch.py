"""The kernels against torch, on lists that are hard for them. torch is large, so it is no part of the test environment: these
tests run where NORIA_TORCH_PYTHON names an interpreter that has torch (and torchvision, for nms)."""
import os
import pickle
import subprocess

import numpy as np
import pytest

from noria import kernels
from test_kernels import numbers
from test_kernels_more import hard_lists

PYTHON = os.environ.get("NORIA_TORCH_PYTHON")
pytestmark = pytest.mark.skipif(not PYTHON, reason="NORIA_TORCH_PYTHON names no interpreter with torch")

# Reads a list of (function, arguments, options) and writes the list of its results, with arrays for tensors.
TORCH = """
import pickle, sys
import numpy as np, torch, warnings
warnings.simplefilter("ignore")
def nms(boxes, scores, threshold):
    import torchvision
    return torchvision.ops.nms(boxes, scores, threshold)
def multiply(op, shape, a, *others):
    m = torch.sparse_csr_tensor(*a, size=shape)
    if op == "mm":
        other = others[0]
        if isinstance(other, tuple):
            other = torch.sparse_csr_tensor(*other, size=shape)
    else:
        other = torch.sparse_csr_tensor(*others[0], size=shape)
    r = m @ other if op == "mm" else m + other if op == "add" else m * other
    return r.to_dense() if r.layout != torch.strided else r
def tensor(x):
    if isinstance(x, np.ndarray):
        return torch.from_numpy(np.ascontiguousarray(x))
    return tuple(tensor(y) for y in x) if isinstance(x, tuple) else x
def array(x):
    return x.numpy() if isinstance(x, torch.Tensor) else [array(y) for y in x]
own, answers = {"nms": nms, "sparse": multiply}, []
for name, args, options in pickle.load(sys.stdin.buffer):
    f = own.get(name) or getattr(torch, name)
    args = [a if isinstance(a, str) else tensor(a) for a in args]
    if name == "sparse":
        args[1] = tuple(args[1])
    answers.append(array(f(*args, **{k: tensor(v) for k, v in options.items()})))
pickle.dump(answers, sys.stdout.buffer)
"""


def torch(cases):
    """What torch answers to each (function, arguments, options)."""
    done = subprocess.run([PYTHON, "-c", TORCH], input=pickle.dumps(cases), capture_output=True)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return pickle.loads(done.stdout)


def equal(got, expected):
    """The same numbers; NaN are equal, and so are both zeros."""
    np.testing.assert_array_equal(np.asarray(got), np.asarray(expected))


def without_nan(a):
    """torch's searches do not order NaN, NumPy's and ours do."""
    return np.where(np.isnan(a), a.dtype.type(0), a)


@pytest.mark.parametrize("dtype", ["i4", "i8", "u1", "f4", "f8"])
def test_searchsorted(dtype):
    rng = np.random.default_rng(41)
    cases, ours = [], []
    for a in hard_lists(rng, dtype):
        a, v = np.sort(without_nan(a)), without_nan(numbers(rng, dtype, 500))
        for right in False, True:
            cases.append(("searchsorted", [a, v], {"right": right}))
            ours.append(kernels.searchsorted(a, v, "right" if right else "left"))
        order = rng.permutation(a.size)
        shuffled, sorter = np.empty_like(a), np.empty_like(order)
        shuffled[order], sorter[:] = a, order
        cases.append(("searchsorted", [shuffled, v], {"sorter": sorter}))
        ours.append(kernels.searchsorted(shuffled, v, sorter=sorter))
    for shape in (5, 64), (3, 1), (4, 0), (2, 1000):
        a, v = np.sort(without_nan(numbers(rng, dtype, shape))), without_nan(numbers(rng, dtype, (shape[0], 70)))
        cases.append(("searchsorted", [a, v], {}))
        ours.append(kernels.searchsorted(a, v))
    for got, expected in zip(ours, torch(cases), strict=True):
        equal(got, expected)


@pytest.mark.parametrize("dtype", ["u1", "i8", "f4", "f8"])
def test_orders(dtype):
    rng = np.random.default_rng(42)
    cases, ours = [], []
    for a in hard_lists(rng, dtype):
        for descending in False, True:
            cases.append(("sort", [a], {"descending": descending, "stable": True}))
            ours.append([kernels.sort(a, descending=descending), kernels.argsort(a, descending=descending)])
        for k in {k for k in (1, 10, 300) if k <= a.size}:
            for largest in False, True:
                cases.append(("topk", [a, k], {"largest": largest}))  # which of equal elements it gives is open
                ours.append([kernels.topk(a, k, largest=largest)[0]])
        if dtype[0] != "f":  # torch counts each NaN by itself, and takes -0 for 0
            cases.append(("unique", [a], {"return_inverse": True, "return_counts": True}))
            values, inverse, counts = kernels.unique(a, return_inverse=True, return_counts=True)
            ours.append([values, inverse, counts])
    for got, expected in zip(ours, torch(cases), strict=True):
        for x, y in zip(got, expected):
            equal(x, y)


def test_histogram():
    rng = np.random.default_rng(43)
    edges = np.sort(rng.normal(size=40))
    lists = [rng.normal(size=5000), np.full(300, edges[3]), np.sort(rng.normal(size=500)), edges, np.array([]), np.ones(1)]
    for a, expected in zip(lists, torch([("histogram", [a, edges], {}) for a in lists]), strict=True):
        equal(kernels.histogram(a, edges)[0], expected[0])


def test_nms():
    rng = np.random.default_rng(44)
    cases, ours = [], []
    for n in 0, 1, 2, 300, 2000:
        for threshold in 0.0, 0.3, 0.5, 1.0:
            corner, size = rng.random((n, 2)) * 8, rng.random((n, 2)) + 0.1
            boxes = np.concatenate([corner, corner + size], 1).astype(np.float32)
            scores = rng.permutation(n).astype(np.float32)  # torchvision leaves the order of equal ones open
            cases.append(("nms", [boxes, scores, threshold], {}))
            ours.append(kernels.nms(boxes[None], scores[None, None], iou_threshold=threshold)[:, 2])
    for got, expected in zip(ours, torch(cases), strict=True):
        equal(got, expected)


def test_sparse():
    sp = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(45)
    cases, ours = [], []
    for n, density in (1, 1.0), (40, 0.0), (40, 0.2), (300, 0.05), (64, 1.0):
        a, b = (sp.random_array((n, n), density=density, format="csr", rng=rng) for _ in range(2))
        a.data, b.data = (np.round(m.data * 16 - 8) for m in (a, b))  # exact sums, with zeros and sums that cancel out
        for m in (a, b):
            m.sort_indices()
        parts = [(m.indptr, m.indices, m.data) for m in (a, b)]
        x, dense = rng.integers(-9, 9, n).astype(float), rng.integers(-9, 9, (n, 5)).astype(float)
        for op, other, got in [("mm", x, kernels.spmv(a, x)), ("mm", dense, kernels.spmm(a, dense)),
                               ("mm", parts[1], kernels.spgemm(a, b).toarray()), ("add", parts[1], kernels.add(a, b).toarray()),
                               ("multiply", parts[1], kernels.multiply(a, b).toarray())]:
            cases.append(("sparse", [op, (n, n), parts[0], other], {}))
            ours.append(got)
    for got, expected in zip(ours, torch(cases), strict=True):
        equal(got, expected)
