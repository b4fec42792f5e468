"""The library's kernels on sparse matrices: SciPy's CSR arrays and matrices go in without copies, with SciPy's answers:

    from noria import sparse
    y = sparse.spmv(A, x)       # A @ x
    C = sparse.spgemm(A, B)     # A @ B

Elements are integers, float32 or float64; where arguments differ in type, they are converted to the common one, as
NumPy promotes. Indices are int32 or int64. Results are csr_array with indices of the arguments' type, wider only where
the number of elements needs it. Each kernel is compiled at its first call for a type of elements and of indices. Rows
are shared among threads where that is worth it.

SciPy trusts the arrays of a matrix. These functions check them as they read them: an indptr that falls, a column that
the matrix does not have, and lists of different lengths raise ValueError, which names the argument and the place.
Columns of a row may stand in any order and several times, as in SciPy."""

import re
from collections import namedtuple

import numpy as np

from . import Error
from ._kernels import array, check_memory, dense, session_of

__all__ = ["CSF", "add", "csf", "mttkrp", "multiply", "sddmm", "spgemm", "spmm", "spmv"]
_num_threads = 0


def set_num_threads(n):
    """How many threads the kernels of this module use from now on; 0, as at first: one per core."""
    global _num_threads
    if int(n) < 0:
        raise ValueError(f"n is {n}; expected 0 or more")
    _num_threads = int(n)


def _element(dtype):
    """The element type in a kernel's name, and the dtype that its arrays are read as."""
    if dtype.kind in "iu" and dtype.itemsize <= 8:
        return f"{'u' if dtype.kind == 'u' else ''}i{8 * dtype.itemsize}", np.dtype(f"i{dtype.itemsize}")
    if dtype.kind == "f" and dtype.itemsize in (4, 8):
        return f"f{8 * dtype.itemsize}", dtype
    raise TypeError(f"there is no kernel for elements of {dtype}; expected integers, float32 or float64")


def _common(*arrays):
    return np.result_type(*(a.dtype for a in arrays)).newbyteorder("=")


def _contiguous(a, dtype):
    if not a.flags.c_contiguous:
        check_memory(a, dtype)
    return dense(a, dtype)


def _call(kernel, dtype, index_dtype, names, arrays):
    """The kernel's results. names: of the arguments that are matrices, for errors. Arrays of floats and integers with
    the elements' type are converted to dtype, those in tuples to index_dtype."""
    element, raw = _element(dtype)
    session, inputs = session_of(f"{kernel}.{element}.i{8 * index_dtype.itemsize}", _num_threads)
    feeds = []
    for a in arrays:
        if isinstance(a, int):
            feeds.append(np.array(a, np.int64))
        elif isinstance(a, tuple):
            feeds.append(_contiguous(a[0], index_dtype))
        else:
            feeds.append(_contiguous(a, dtype).view(raw))
    try:
        return session.run(None, dict(zip(inputs, feeds, strict=True)))
    except Error as e:
        found = re.search(r"matrix (\d): (ind.*)", str(e))
        if not found:
            raise
        text = found[2]
        if kernel == "csf_mttkrp":
            level = int(found[1]) + 1
            text = text.replace("indptr", f"pos{level}").replace("indices", f"crd{level}")
            text = text.replace("the matrix has", f"dim {level} has").replace("columns", "indices")
            text = text.replace("data", "values")
        raise ValueError(f"{names[int(found[1])]}.{text}") from None


def _csr(name, a):
    """Checks that an argument is a CSR array or matrix of SciPy."""
    if getattr(a, "format", None) != "csr" or len(getattr(a, "shape", ())) != 2:
        raise TypeError(f"{name} must be a csr_array or csr_matrix with 2 dims, not {type(a).__name__}")
    for field in ("indptr", "indices", "data"):
        array = getattr(a, field)
        if not isinstance(array, np.ndarray) or array.ndim != 1:
            raise ValueError(f"{name}.{field} must be an array with 1 dim")
        if field != "data" and array.dtype.kind != "i":
            raise TypeError(f"{name}.{field} must be int32 or int64, not {array.dtype}")
    if a.indptr.size != a.shape[0] + 1:
        raise ValueError(f"{name}.indptr has {a.indptr.size} elements, but {name} has {a.shape[0]} rows")
    return a


def _parts(a):
    return [(a.indptr,), (a.indices,), a.data]


def _index_dtype(*matrices):
    """int32 where all lists of indices are, else int64."""
    narrow = all(a.indptr.dtype.itemsize <= 4 and a.indices.dtype.itemsize <= 4 for a in matrices)
    return np.dtype(np.int32 if narrow else np.int64)


def _made(parts, dtype, shape, ordered):
    """The csr_array of a kernel's results, whose type of indices SciPy would choose anew."""
    from scipy.sparse import csr_array
    indptr, indices, data = parts
    c = csr_array((data.view(dtype), indices, indptr), shape=shape)
    c.indptr, c.indices = indptr, indices
    if ordered:
        c.has_sorted_indices = c.has_canonical_format = True
    return c


def _dense(name, x, ndim, rows):
    x = array(x)
    if x.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} dim{'s' if ndim > 1 else ''}, but its shape is {x.shape}")
    if x.shape[0] != rows:
        raise ValueError(f"{name} has {x.shape[0]} {'rows' if ndim > 1 else 'elements'}, but A has {rows} columns")
    return x


def spmv(A, x):
    """A @ x for a CSR matrix and a vector: an array. Products of a row are added in the order of its elements, as SciPy
    does, so the results are equal to the last bit."""
    _csr("A", A)
    x = _dense("x", x, 1, A.shape[1])
    dtype = _common(A, x)
    y, = _call("csr_spmv", dtype, _index_dtype(A), "A", [*_parts(A), x])
    return y.view(dtype)


def spmm(A, X):
    """A @ X for a CSR matrix and a dense matrix: an array, equal to SciPy's to the last bit."""
    _csr("A", A)
    X = _dense("X", X, 2, A.shape[1])
    dtype = _common(A, X)
    y, = _call("csr_spmm", dtype, _index_dtype(A), "A", [*_parts(A), X])
    return y.view(dtype)


def _canonical(name, a):
    """A copy of a matrix in which each row's columns ascend, and elements of the same place are one."""
    nnz = int(a.indptr[-1])
    wrong = np.flatnonzero((a.indices[:nnz] < 0) | (a.indices[:nnz] >= a.shape[1]))
    if wrong.size:
        p = wrong[0]
        raise ValueError(f"{name}.indices[{p}] is {a.indices[p]}, but the matrix has {a.shape[1]} columns")
    a = a.copy()
    a.has_sorted_indices = a.has_canonical_format = False
    a.sum_duplicates()
    return a


def _merged(kernel, A, B):
    _csr("A", A)
    _csr("B", B)
    if A.shape != B.shape:
        raise ValueError(f"A has the shape {A.shape}, but B has {B.shape}")
    dtype, indices = _common(A, B), _index_dtype(A, B)
    if A.indices.size + B.indices.size > np.iinfo(indices).max:
        indices = np.dtype(np.int64)
    for _ in range(3):
        try:
            parts = _call(kernel, dtype, indices, "AB", [*_parts(A), *_parts(B), int(A.shape[1])])
            return _made(parts, dtype, A.shape, True)
        except ValueError as e:
            if "not greater than the column before it" not in str(e):
                raise
            if str(e).startswith("A"):
                A = _canonical("A", A)
            else:
                B = _canonical("B", B)
    raise AssertionError("sum_duplicates did not sort")


def add(A, B):
    """A + B for CSR matrices of one shape: a csr_array whose columns ascend in each row. As in SciPy, elements that are
    zero are left out. Of matrices whose columns do not ascend, or stand several times in a row, a copy is sorted and
    summed first; SciPy sums these in another order."""
    return _merged("csr_add", A, B)


def multiply(A, B):
    """A.multiply(B), element by element, for CSR matrices of one shape: a csr_array whose columns ascend in each row.
    As in SciPy, elements that are zero are left out, and an infinity or NaN that meets no element gives NaN. Matrices
    whose columns do not ascend are handled as in add."""
    return _merged("csr_multiply", A, B)


def spgemm(A, B, sort=False):
    """A @ B for CSR matrices: a csr_array without elements that are zero. As SciPy's, its columns do not ascend in a
    row, unless sort is true; they stand in the order in which they are met first, where SciPy has the reverse. Products
    are added in SciPy's order."""
    _csr("A", A)
    _csr("B", B)
    if A.shape[1] != B.shape[0]:
        raise ValueError(f"B has {B.shape[0]} rows, but A has {A.shape[1]} columns")
    dtype, indices = _common(A, B), _index_dtype(A, B)
    n, columns, parts_b = int(B.shape[1]), None, _parts(B)
    if n > 4 * B.indices.size + (1 << 16):  # the kernel has a list with an element for each column
        columns, places = np.unique(B.indices, return_inverse=True)
        if columns.size and not 0 <= columns[0] <= columns[-1] < n:
            p = np.flatnonzero((B.indices < 0) | (B.indices >= n))[0]
            raise ValueError(f"B.indices[{p}] is {B.indices[p]}, but the matrix has {n} columns")
        n, parts_b = columns.size, [(B.indptr,), (places,), B.data]
    try:
        parts = _call("csr_spgemm", dtype, indices, "AB", [*_parts(A), *parts_b, n])
    except Error as e:
        if "more than its type of indices counts" not in str(e) or indices.itemsize == 8:
            raise
        parts = _call("csr_spgemm", dtype, np.dtype(np.int64), "AB", [*_parts(A), *parts_b, n])
    if columns is not None:
        parts[1] = columns.astype(parts[1].dtype, copy=False)[parts[1]]
    c = _made(parts, dtype, (A.shape[0], B.shape[1]), False)
    if sort:
        c.sort_indices()
    return c


def sddmm(S, C, D):
    """S.multiply(C @ D) for a CSR matrix and two dense ones, computing C @ D only where S has elements: a csr_array
    with all of S's elements, also those that become zero. Products are added in four sums."""
    _csr("S", S)
    C, D = array(C), array(D)
    if C.ndim != 2 or D.ndim != 2 or C.shape[1] != D.shape[0] or S.shape != (C.shape[0], D.shape[1]):
        raise ValueError(f"S has the shape {S.shape}, but C has {C.shape} and D has {D.shape}")
    dtype = _common(S, C, D)
    data, = _call("csr_sddmm", dtype, _index_dtype(S), "S", [*_parts(S), C, D.T])
    nnz = data.size
    return _made((S.indptr.copy(), S.indices[:nnz].copy(), data), dtype, S.shape, False)


CSF = namedtuple("CSF", ["shape", "crd0", "pos1", "crd1", "pos2", "crd2", "values"])
CSF.__doc__ = """A sparse tensor of three dims in compressed sparse fibres: crd0 has the indices of dim 0 that have
elements, in ascending order. Index n of these has the indices crd1[pos1[n]:pos1[n + 1]] of dim 1, and of these each the
indices of dim 2 and the elements between two numbers of pos2."""


def csf(coords, values, shape):
    """The CSF tensor of elements at coords, an array of three rows of indices (those of NumPy's nonzero). Elements at
    the same place are summed."""
    coords, values = array(coords), array(values)
    if coords.dtype.kind not in "iu" and coords.size:
        raise TypeError(f"coords must be integers, not {coords.dtype}")
    coords = coords.astype(np.int64)
    if len(shape) != 3 or coords.shape != (3, values.size) or values.ndim != 1:
        raise ValueError(f"coords has the shape {coords.shape} for {values.size} values and {len(shape)} dims; "
                         "expected 3 rows")
    for dim, (indices, size) in enumerate(zip(coords, shape)):
        if indices.size and not 0 <= indices.min() <= indices.max() < size:
            raise ValueError(f"coords has an index of dim {dim} that is not in 0 to {size - 1}")
    order = np.lexsort(coords[::-1])
    (i, k, l), values = coords[:, order], values[order]
    new0 = np.diff(i, prepend=-1) != 0
    new1 = new0 | (np.diff(k, prepend=-1) != 0)
    new2 = new1 | (np.diff(l, prepend=-1) != 0)
    places = np.flatnonzero(new2)
    summed = np.add.reduceat(values, places, dtype=values.dtype) if places.size else values
    pos2 = np.append(np.flatnonzero(new1[places]), places.size)
    pos1 = np.append(np.flatnonzero(new0[np.flatnonzero(new1)]), np.count_nonzero(new1))
    return CSF(tuple(shape), i[new0], pos1, k[new1], pos2, l[new2], summed)


def mttkrp(B, C, D):
    """The matricised tensor times Khatri-Rao product, einsum("ikl,kj,lj->ij", B, C, D), of a CSF tensor and two dense
    matrices: an array."""
    if not isinstance(B, CSF):
        raise TypeError(f"B must be a CSF tensor, which noria.sparse.csf makes, not {type(B).__name__}")
    C, D, values = array(C), array(D), array(B.values)
    if C.ndim != 2 or D.ndim != 2 or C.shape[1] != D.shape[1] or tuple(B.shape[1:]) != (C.shape[0], D.shape[0]):
        raise ValueError(f"B has the shape {tuple(B.shape)}, but C has {C.shape} and D has {D.shape}")
    lists = [array(a) for a in (B.crd0, B.pos1, B.crd1, B.pos2, B.crd2)]
    for name, a in zip(CSF._fields[1:6], lists):
        if a.ndim != 1 or a.dtype.kind != "i":
            raise TypeError(f"B.{name} must be integers in 1 dim")
    indices = np.dtype(np.int32 if all(a.dtype.itemsize <= 4 for a in lists) else np.int64)
    dtype = _common(values, C, D)
    try:
        a, = _call("csf_mttkrp", dtype, indices, "BB", [*((a,) for a in lists), values, C, D, int(B.shape[0])])
    except Error as e:
        found = re.search("CSF tensor: (.*)", str(e))
        if not found:
            raise
        raise ValueError(f"B: {found[1]}") from None
    return a.view(dtype)
