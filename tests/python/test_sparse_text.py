"""Sparse tensors in text: the expressions of test_sparse_expr as linalg.generic on tensors with encodings."""
import ast
import functools
import shutil
import subprocess

import numpy as np
import pytest

from conftest import BUILD
from noria import Error, InferenceSession, SessionOptions
from sparse_kernels import pack, parse_format, unpack
from test_sparse_expr import CASES, SIZES, fill, storage, tensors_of

MLIR_OPT = shutil.which("mlir-opt-22") or shutil.which("mlir-opt", path="/usr/lib/llvm-22/bin")
OPS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul"}


def encoding(fmt, width=32):
    """#sparse_tensor.encoding of "ds:1,0"; None if all levels are dense."""
    letters, dims = parse_format(fmt)
    if set(letters) <= {"d"}:
        return None
    levels = []
    for l, (letter, dim) in enumerate(zip(letters, dims)):
        repeats = letters[l + 1 : l + 2] == "q"
        kind = {"d": "dense", "s": "compressed(nonunique)" if repeats else "compressed",
                "q": "singleton(nonunique, soa)" if repeats else "singleton(soa)"}[letter]
        levels.append(f"d{dim} : {kind}")
    names = ", ".join(f"d{d}" for d in range(len(dims)))
    widths = f", posWidth = {width}, crdWidth = {width}" if width else ""
    return f"#sparse_tensor.encoding<{{ map = ({names}) -> ({', '.join(levels)}){widths} }}>"


def tensor_type(rank, fmt, elem, width=32):
    dims, enc = "?x" * rank, encoding(fmt, width) if rank else None
    return f"tensor<{dims}{elem}{', ' + enc if enc else ''}>"


def body_of(expr, args, elem):
    """The ops that compute a right side from one element of each tensor, and the name of their value."""
    lines = []

    def emit(text):
        lines.append(f"    %v{len(lines)} = {text} : {elem}")
        return f"%v{len(lines) - 1}"

    def visit(e):
        if isinstance(e, ast.BinOp):
            left, right = visit(e.left), visit(e.right)
            return emit(f"arith.{OPS[type(e.op)]}f {left}, {right}")
        if isinstance(e, ast.UnaryOp):
            return emit(f"arith.negf {visit(e.operand)}")
        if isinstance(e, ast.Constant):
            return emit(f"arith.constant {float(e.value)}")
        return args[e.func.id if isinstance(e, ast.Call) else e.id]

    return lines, visit(ast.parse(expr.strip(), mode="eval").body)


def program(expr, formats, elem="f64", width=32):
    """A function with a linalg.generic for an expression: its operands are arguments, as are the sizes of the result."""
    (left, free), operands = tensors_of(expr)
    fmt = {**{n: "d" * len(x) for n, x in operands.items()}, left: "d" * len(free)}
    fmt |= dict(f.split(":", 1) for f in formats)
    adds, right = "+=" in expr, expr.split("=", 1)[1]
    names = [*dict.fromkeys([*free, *(i for x in operands.values() for i in x)])]
    loops = ", ".join(f"d{i}" for i in range(len(names)))
    at = lambda x: f"affine_map<({loops}) -> ({', '.join(f'd{names.index(i)}' for i in x)})>"
    types = {n: tensor_type(len(x), fmt[n], elem, width) if x else elem for n, x in operands.items()}
    result = tensor_type(len(free), fmt[left], elem, width)
    args = [f"%{n}: {t}" for n, t in types.items()]
    args += [f"%{left}: {result}"] if adds else [f"%size_{i}: index" for i in dict.fromkeys(free)]
    lines = [f"func.func @main({', '.join(args)}) -> {result} {{"]
    if not adds:
        lines.append(f"  %empty = tensor.empty({', '.join(f'%size_{i}' for i in free)}) : {result}")
        if not encoding(fmt[left]) or not free:
            lines.append(f"  %zero = arith.constant 0.0 : {elem}")
            lines.append(f"  %init = linalg.fill ins(%zero : {elem}) outs(%empty : {result}) -> {result}")
    init = f"%{left}" if adds else "%init" if "%init" in lines[-1] else "%empty"
    maps = ", ".join([*(at(x) for x in operands.values()), at(free)])
    kinds = ", ".join('"parallel"' if i in free else '"reduction"' for i in names)
    ins = f"{', '.join(f'%{n}' for n in operands)} : {', '.join(types.values())}"
    lines.append(f"  %result = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
                 f"ins({ins}) outs({init} : {result}) {{")
    elements = {n: f"%e_{n}" for n in operands}
    lines.append(f"  ^bb0({', '.join(f'{e}: {elem}' for e in elements.values())}, %out: {elem}):")
    ops, value = body_of(right, elements, elem)
    lines += ops + [f"    %sum = arith.addf %out, {value} : {elem}", f"    linalg.yield %sum : {elem}", f"  }} -> {result}"]
    return "\n".join([*lines, f"  return %result : {result}", "}"]) + "\n"


def is_generic(expr):
    """Whether each term has all indices that are summed over, as one linalg.generic needs."""
    (_, free), operands = tensors_of(expr)
    summed = {i for x in operands.values() for i in x} - set(free)

    def terms(e):
        if isinstance(e, ast.UnaryOp):
            return terms(e.operand)
        return terms(e.left) + terms(e.right) if isinstance(e, ast.BinOp) and not isinstance(e.op, ast.Mult) else [e]

    indices = lambda e: {n.id for n in ast.walk(e) if isinstance(n, ast.Name)}
    return all(summed <= indices(t) for t in terms(ast.parse(expr.split("=", 1)[1].strip(), mode="eval").body))


def is_stored(formats):
    return not any(set(parse_format(f.split(":", 1)[1])[0]) <= {"d"} and f.count(":") == 2 for f in formats)


TEXTS = [(e, f, r) for e, f, r in CASES if is_generic(e) and is_stored(f)]
IDS = [f"{e} {' '.join(f)}" for e, f, _ in TEXTS]


@functools.cache
def session_of(expr, formats, width=32, interpret=False):
    options = SessionOptions()
    if interpret:
        options.interpret_after = "import"
    return InferenceSession(program(expr, formats, width=width).encode(), options)


def run(expr, formats, packed, shapes, session):
    """Feeds the parts of the arguments; the arrays of the result as tests of `noria sparse` have them."""
    feeds = {}
    for arg in session.get_inputs():
        name, _, part = arg.name.rpartition("_")
        if name == "size":
            feeds[arg.name] = np.int64(shapes[""][part])
        elif arg.name in packed:
            value = packed[arg.name]
            feeds[arg.name] = value[""] if isinstance(value, dict) else value
        elif part.startswith("size"):
            feeds[arg.name] = np.int64(shapes[name][int(part[4:])])
        else:
            feeds[arg.name] = packed[name][part]
    return session.run(None, feeds)


def check(expr, formats, reference, sizes, density, rng, session, index="i32"):
    (left, free), operands = tensors_of(expr)
    if "+=" in expr:
        operands = {**operands, left: free}
    fmt = {**{n: "d" * len(x) for n, x in operands.items()}, left: "d" * len(free), **dict(f.split(":", 1) for f in formats)}
    values, packed, shapes = [], {}, {"": sizes}
    for name, indices in operands.items():
        shapes[name] = tuple(sizes[x] for x in indices)
        is_dense = set(parse_format(fmt[name])[0]) <= {"d"}
        value, stored = fill(rng, shapes[name], 1 if is_dense else density, np.dtype(np.float64))
        values.append(value if indices else np.float64(2))
        packed[name] = pack(value, storage(stored, fmt[name]), fmt[name], index) if indices else np.float64(2)
    got = run(expr, formats, packed, shapes, session)
    shape = tuple(sizes[x] for x in free)
    letters, _ = parse_format(fmt[left])
    if set(letters) <= {"d"}:
        np.testing.assert_allclose(got[0], reference(*values), rtol=1e-6)
        return
    assert tuple(int(n) for n in got[: len(shape)]) == shape
    names = [[f"pos{l}", f"crd{l}"] if x == "s" else [f"crd{l}"] if x == "q" else [] for l, x in enumerate(letters)]
    arrays = dict(zip([*sum(names, []), "vals"], got[len(shape) :], strict=True))
    dense, _ = unpack(arrays, shape, fmt[left])
    np.testing.assert_allclose(dense, reference(*values), rtol=1e-6)


@pytest.mark.parametrize("number", range(len(TEXTS)), ids=IDS)
def test_generic(number):
    expr, formats, reference = TEXTS[number]
    rng = np.random.default_rng(number)
    for sizes, density in [(SIZES[0], 0.3), (SIZES[3], 1.0), (SIZES[1], 0.0)]:
        check(expr, formats, reference, sizes, density, rng, session_of(expr, formats))


@pytest.mark.parametrize("number", range(0, len(TEXTS), 9), ids=IDS[::9])
def test_the_interpreter_agrees(number):
    expr, formats, reference = TEXTS[number]
    check(expr, formats, reference, SIZES[0], 0.3, np.random.default_rng(number), session_of(expr, formats, interpret=True))


@pytest.mark.parametrize("width", [0, 64])
def test_widths(width):
    rng = np.random.default_rng(width)
    for expr, formats, reference in [
        ("A(i,j) = B(i,k) * C(k,j)", ("A:ds", "B:ds", "C:ds"), lambda B, C: B @ C),
        ("A(i,j) = B(i,j) + C(i,j)", ("A:ss", "B:sq", "C:ds"), lambda B, C: B + C),
    ]:
        check(expr, formats, reference, SIZES[0], 0.4, rng, session_of(expr, formats, width), "i64")


def test_sums_of_other_terms_are_refused():
    text = program("A(i,j) = B(i,k) * C(k,j) + D(i,j)", ("B:ds",))
    with pytest.raises(Error, match="it sums over d2 a term that does not depend on it"):
        InferenceSession(text.encode())


@pytest.mark.skipif(MLIR_OPT is None, reason="mlir-opt-22 is not installed")
def test_mlir_accepts():
    """The programs are MLIR's, and Noria prints them so."""
    texts = "// -----\n".join(program(e, f) for e, f, _ in TEXTS)
    accept = lambda text: subprocess.run([MLIR_OPT, "--split-input-file", "-"], input=text, capture_output=True, text=True)
    by_mlir = accept(texts)
    assert by_mlir.returncode == 0, by_mlir.stderr
    printed = [subprocess.run([BUILD / "noria", "opt", "--split-input-file", "-"], input=t, capture_output=True, text=True)
               for t in (texts, by_mlir.stdout)]
    assert all(p.returncode == 0 for p in printed), printed[0].stderr + printed[1].stderr
    assert accept(printed[0].stdout).stdout == by_mlir.stdout
    assert printed[0].stdout == printed[1].stdout
