"""Programs that mix sparse tensors of every format with dense ones: of one to three dims, with the levels in any order."""

import numpy as np
import pytest

from noria import InferenceSession
from sparse_kernels import pack, parse_format, unpack
from test_sparse_diagonals import formats_of
from test_sparse_expr import fill, storage
from test_sparse_text import tensor_type

SHAPE = (5, 4, 6)


def stored(rank, is_result=False):
    return [f for f in formats_of(rank, is_result) if set(f.partition(":")[0]) > {"d"} or "s" in f]


def dims(fmt):
    return fmt.partition(":")[2]


def program(rank, a, b, r):
    """A and B of two formats: exp(A), A + B as r, its sum with a vector over the last dim, A stored as r, and a count."""
    A, B, R = (tensor_type(rank, f, "f64") for f in (a, b, r))
    dense, names = f"tensor<{'?x' * rank}f64>", [f"d{d}" for d in range(rank)]
    all_dims = f"affine_map<({', '.join(names)}) -> ({', '.join(names)})>"
    last = f"affine_map<({', '.join(names)}) -> (d{rank - 1})>"
    rest = f"affine_map<({', '.join(names)}) -> ({', '.join(names[:-1])})>"
    parallel = ", ".join(['"parallel"'] * rank)
    reduced = ", ".join(['"parallel"'] * (rank - 1) + ['"reduction"'])
    sum_type = f"tensor<{'?x' * (rank - 1)}f64>"
    lines = [f"func.func @main(%A: {A}, %B: {B}, %x: tensor<?xf64>) -> ({dense}, {sum_type}, {R}, {R}, index) {{"]
    for d in range(rank):
        lines += [f"  %c{d} = arith.constant {d} : index", f"  %n{d} = tensor.dim %A, %c{d} : {A}"]
    sizes = ", ".join(f"%n{d}" for d in range(rank))
    lines.append(f"""  %D = sparse_tensor.convert %A : {A} to {dense}
  %buffer = tensor.empty({sizes}) : {dense}
  %e = linalg.exp ins(%D : {dense}) outs(%buffer : {dense}) -> {dense}
  %empty = tensor.empty({sizes}) : {R}
  %S = linalg.generic {{indexing_maps = [{all_dims}, {all_dims}, {all_dims}], iterator_types = [{parallel}]}}
      ins(%A, %B : {A}, {B}) outs(%empty : {R}) {{
  ^bb0(%a: f64, %b: f64, %out: f64):
    %s = arith.addf %a, %b : f64
    linalg.yield %s : f64
  }} -> {R}
  %zero = arith.constant 0.0 : f64
  %none = tensor.empty({', '.join(f'%n{d}' for d in range(rank - 1))}) : {sum_type}
  %zeros = linalg.fill ins(%zero : f64) outs(%none : {sum_type}) -> {sum_type}
  %y = linalg.generic {{indexing_maps = [{all_dims}, {last}, {rest}], iterator_types = [{reduced}]}}
      ins(%S, %x : {R}, tensor<?xf64>) outs(%zeros : {sum_type}) {{
  ^bb0(%a: f64, %b: f64, %out: f64):
    %p = arith.mulf %a, %b : f64
    %s = arith.addf %out, %p : f64
    linalg.yield %s : f64
  }} -> {sum_type}
  %T = sparse_tensor.convert %A : {A} to {R}
  %count = sparse_tensor.number_of_entries %S : {R}
  return %e, %y, %S, %T, %count : {dense}, {sum_type}, {R}, {R}, index
}}""")
    return "\n".join(lines)


def arrays_of(values, fmt, shape):
    """Takes the parts of a sparse result from the list: its sizes, which are known, and its arrays."""
    assert tuple(int(values.pop(0)) for _ in shape) == shape
    letters, _ = parse_format(fmt)
    names = [[f"pos{l}", f"crd{l}"] if x == "s" else [f"crd{l}"] if x == "q" else [] for l, x in enumerate(letters)]
    return unpack({name: values.pop(0) for name in [*sum(names, []), "vals"]}, shape, fmt)


def try_formats(rank, a, b, r, rng):
    shape, feeds, values, places = SHAPE[:rank], {}, [], []
    session = InferenceSession(program(rank, a, b, r).encode())
    for density in [0.3, 0.0]:
        for name, fmt in (("A", a), ("B", b)):
            value, places_of = fill(rng, shape, density, np.dtype(np.float64))
            values.append(value)
            places.append(storage(places_of, fmt))
            feeds |= {f"{name}_{k}": v for k, v in pack(value, places[-1], fmt).items()}
            feeds |= {f"{name}_size{d}": np.int64(n) for d, n in enumerate(shape)}
        feeds["x"] = np.arange(1.0, shape[-1] + 1)
        (A, B), (of_A, of_B) = values[-2:], places[-2:]
        e, y, *rest = session.run(None, {i.name: feeds[i.name] for i in session.get_inputs()})
        np.testing.assert_allclose(e, np.exp(A))
        np.testing.assert_allclose(y, (A + B) @ feeds["x"], atol=1e-12)
        for expected, entries in [(A + B, of_A | of_B), (A, of_A)]:
            dense, found = arrays_of(rest, r, shape)
            np.testing.assert_allclose(dense, expected)
            assert np.array_equal(found, entries)
        assert rest.pop() == np.sum(of_A | of_B) and not rest


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_formats(rank):
    """Formats of A, each once, B and the result at random among those with the same order of dims."""
    rng = np.random.default_rng(rank)
    every = stored(rank) if rank < 3 else stored(rank)[5::7]  # all letters but one, in different orders
    for a in every:
        same = lambda fs: [f for f in fs if dims(f) == dims(a)]
        b, r = rng.choice(same(stored(rank))), rng.choice(same(stored(rank, True)))
        try_formats(rank, a, b, r, rng)
