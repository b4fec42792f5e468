"""Linalg's named ops give NumPy's results in the interpreter and in every stage, and the interpreter runs each as it is
written."""
import os
import pathlib
import re
import subprocess

import numpy as np
import pytest

BUILD = pathlib.Path(os.environ.get("NORIA_BUILD", pathlib.Path(__file__).resolve().parents[2] / "build" / "release"))
TEXTS = pathlib.Path(__file__).resolve().parents[1] / "dialect" / "linalg"
RANDOM = np.random.default_rng(5)


def run(tmp_path, text, inputs, *options):
    """The output of @main, as an array."""
    words = []
    for i, value in enumerate(inputs):
        np.save(tmp_path / f"in{i}.npy", value)
        words.append(f"@{tmp_path / f'in{i}.npy'}" if isinstance(value, np.ndarray) else str(value))
    done = subprocess.run([BUILD / "noria", "run", *options, "-", *words], input=text, capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == 0, done.stderr
    return np.array(eval(re.search(r"dense<(.*)> : ", done.stdout)[1], {"inf": np.inf, "nan": np.nan}))


def type_of(array, dynamic=False):
    names = {"float32": "f32", "int32": "i32", "int8": "i8"}
    return "tensor<" + "".join("?x" if dynamic else f"{d}x" for d in array.shape) + names[str(array.dtype)] + ">"


def f32(*shape):
    return RANDOM.integers(-9, 9, shape).astype(np.float32)


def windows(x, kernel, stride=1, dilation=1):
    """x of n, h, w, c as n, oh, ow, kh, kw, c."""
    reach = [(k - 1) * dilation + 1 for k in kernel]
    view = np.lib.stride_tricks.sliding_window_view(x, reach, (1, 2))[:, ::stride, ::stride]
    return np.moveaxis(view[..., ::dilation, ::dilation], 3, -1)


def cases():
    a, b, c = f32(4, 8), f32(8, 6), f32(4, 6)
    yield "matmul", "", [a, b], c, c + a @ b
    maps = ", ".join(f"affine_map<(d0, d1, d2) -> ({m})>" for m in ("d2, d0", "d1, d2", "d0, d1"))
    yield "matmul", f"indexing_maps = [{maps}]", [a.T.copy(), b.T.copy()], c, c + a @ b
    i8 = RANDOM.integers(-128, 127, (4, 8)).astype(np.int8)
    signed = i8.astype(np.int32) @ i8.T.astype(np.int32)
    unsigned = i8.view(np.uint8).astype(np.int32) @ i8.T.copy().view(np.uint8).astype(np.int32)
    zeros = np.zeros((4, 4), np.int32)
    yield "matmul", "", [i8, i8.T.copy()], zeros, signed
    yield "matmul", "{cast = #linalg.type_fn<cast_unsigned>}", [i8, i8.T.copy()], zeros, unsigned
    p, q, r = f32(2, 4, 8), f32(2, 8, 6), f32(2, 4, 6)
    yield "batch_matmul", "", [p, q], r, r + p @ q
    yield "matvec", "", [a, b[:, 0].copy()], c[:, 0].copy(), c[:, 0] + a @ b[:, 0]
    yield "vecmat", "", [a[0].copy(), b], c[0].copy(), c[0] + a[0] @ b
    yield "dot", "", [a[0].copy(), a[1].copy()], c[0, 0].reshape(()), c[0, 0] + a[0] @ a[1]
    x, w, d = f32(2, 12, 12, 3), f32(3, 3, 3, 4), f32(3, 3, 3)
    for stride, dilation in ((1, 1), (2, 1), (1, 2), (2, 3)):
        text = (f"{{dilations = dense<{dilation}> : tensor<2xi64>, strides = dense<{stride}> : tensor<2xi64>}}"
                if (stride, dilation) != (1, 1) else "")
        view = windows(x, (3, 3), stride, dilation)
        conv = np.einsum("nxyhwc,hwcf->nxyf", view, w)
        yield "conv_2d_nhwc_hwcf", text, [x, w], np.ones_like(conv), 1 + conv
        nchw = np.moveaxis(conv, 3, 1).copy()
        yield ("conv_2d_nchw_fchw", text, [np.moveaxis(x, 3, 1).copy(), np.moveaxis(w, (3, 2), (0, 1)).copy()],
               np.zeros_like(nchw), nchw)
        each = np.einsum("nxyhwc,hwc->nxyc", view, d)
        yield "depthwise_conv_2d_nhwc_hwc", text, [x, d], np.zeros_like(each), each
        shape = np.zeros((3, 3), np.float32)
        for name, result in (("sum", view.sum((3, 4))), ("max", view.max((3, 4))), ("min", view.min((3, 4)))):
            start = np.full_like(each, {"sum": 0, "max": -100, "min": 100}[name])
            yield f"pooling_nhwc_{name}", text, [x, shape], start, result
    y = np.abs(a) + 1
    for name, result in (("exp", np.exp(y)), ("log", np.log(y)), ("sqrt", np.sqrt(y)), ("rsqrt", 1 / np.sqrt(y)),
                         ("reciprocal", 1 / y), ("square", y * y), ("negf", -y), ("tanh", np.tanh(y)),
                         ("floor", np.floor(y)), ("abs", np.abs(y))):
        yield name, "", [y], np.zeros_like(y), result
    for name, result in (("add", a + y), ("sub", a - y), ("mul", a * y), ("div", a / y), ("max", np.maximum(a, y)),
                         ("min", np.minimum(a, y)), ("powf", np.power(a, np.floor(y)))):
        yield name, "", [a, np.floor(y)], np.zeros_like(y), result
    e = np.exp(a - a.max(1, keepdims=True))
    yield "softmax", "dimension(1)", [a], np.zeros_like(a), e / e.sum(1, keepdims=True)
    e = np.exp(p - p.max(0, keepdims=True))
    yield "softmax", "dimension(0)", [p], np.zeros_like(p), e / e.sum(0, keepdims=True)


CASES = [pytest.param(*case, id=f"{case[0]}-{i}") for i, case in enumerate(cases())]


def program(op, text, inputs, output, dynamic):
    types = [type_of(a, dynamic) for a in [*inputs, output]]
    args = [f"%a{i}" for i in range(len(types))]
    return (f"func.func @main({', '.join(f'{a}: {t}' for a, t in zip(args, types))}) -> {types[-1]} {{\n"
            f"  %r = linalg.{op} {text} ins({', '.join(args[:-1])} : {', '.join(types[:-1])}) "
            f"outs({args[-1]} : {types[-1]}) -> {types[-1]}\n  return %r : {types[-1]}\n}}\n")


@pytest.mark.parametrize("op,text,inputs,output,expected", CASES)
def test_numpy_agrees(op, text, inputs, output, expected, tmp_path):
    for dynamic in (False, True):
        source = program(op, text, inputs, output, dynamic)
        for option in ("--interpret", "--check-stages"):
            got = run(tmp_path, source, [*inputs, output], option)
            np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4, err_msg=f"{option}\n{source}")


def unshaped(op, rest, types):
    return (f"func.func @main({', '.join(f'%a{i}: {t}' for i, t in enumerate(types))}) -> {types[-1]} {{\n"
            f"  %r = linalg.{op} {rest}\n  return %r : {types[-1]}\n}}\n")


def test_lists_of_dims(tmp_path):
    a = f32(2, 4, 3)
    for dynamic in (False, True):
        t = type_of(a, dynamic)
        for op, rest, result in (
                ("transpose", "permutation = [2, 0, 1]", a.transpose(2, 0, 1)),
                ("broadcast", "dimensions = [0, 3]", np.broadcast_to(a[None, :, :, None], (5, 2, 4, 6, 3))),
                ("reduce { arith.addf }", "dimensions = [0, 2]", a.sum((0, 2))),
                ("reduce { arith.maximumf }", "dimensions = [1]", np.maximum(a.max(1), 0)),
                ("map { arith.negf }", "", -a)):
            start = np.zeros(result.shape, np.float32)
            o = type_of(start, dynamic)
            source = unshaped(op, f"ins(%a0 : {t}) outs(%a1 : {o}) {rest}", [t, o])
            for option in ("--interpret", "--check-stages"):
                got = run(tmp_path, source, [a, start], option)
                np.testing.assert_allclose(got, result, rtol=1e-5, err_msg=source)


def tiled(a, tiles, permuted, padding):
    rows, columns = (-(-n // t) * t for n, t in zip(a.shape, tiles))
    whole = np.full((rows, columns), padding, np.float32)
    whole[:a.shape[0], :a.shape[1]] = a
    packed = whole.reshape(rows // tiles[0], tiles[0], columns // tiles[1], tiles[1]).transpose(0, 2, 1, 3)
    return packed.transpose(1, 0, 2, 3) if permuted else packed


@pytest.mark.parametrize("shape", [(6, 8), (5, 7), (1, 1)])
@pytest.mark.parametrize("permuted", [False, True])
def test_pack_and_unpack(shape, permuted, tmp_path):
    a, tiles = f32(*shape), (2, 4)
    packed = np.ascontiguousarray(tiled(a, tiles, permuted, -1))
    order = "outer_dims_perm = [1, 0] " if permuted else ""
    for dynamic, words in ((False, "[2, 4]"), (True, "[2, 4]"), (True, "[%t, 4]")):
        t = type_of(a, dynamic)
        p = f"tensor<?x?x{'?' if '%' in words else 2}x4xf32>" if dynamic else type_of(packed)
        head = f"func.func @main(%a: {t}, %p: {p}, %t: index, %x: f32)"
        where = f"{order}inner_dims_pos = [0, 1] inner_tiles = {words}"
        pack = f"{head} -> {p} {{\n  %r = linalg.pack %a padding_value(%x : f32) {where} into %p : {t} -> {p}\n" \
               f"  return %r : {p}\n}}\n"
        unpack = f"{head} -> {t} {{\n  %r = linalg.unpack %p {where} into %a : {p} -> {t}\n  return %r : {t}\n}}\n"
        for option in ("--interpret", "--check-stages"):
            got = run(tmp_path, pack, [a, np.zeros_like(packed), 2, -1.0], option)
            np.testing.assert_array_equal(got, packed, err_msg=pack)
            got = run(tmp_path, unpack, [np.zeros_like(a), packed, 2, -1.0], option)
            np.testing.assert_array_equal(got, a, err_msg=unpack)


def functions(file):
    text = (TEXTS / file).read_text()
    for name, args in re.findall(r"func\.func @(\w+)\((.*?)\)(?: ->| \{)", text):
        yield pytest.param(file, args, name, id=name)


@pytest.mark.slow
@pytest.mark.parametrize("file,args,name", [*functions("named.mlir"), *functions("named_dims.mlir")])
def test_every_form_runs_the_same_in_all_stages(file, args, name):
    types = [arg.split(": ")[1] for arg in re.split(r", (?=%)", args)]
    values = ["ones:" + re.sub(r"\?", "4", re.search("<(.*)>", t)[1]) for t in types]
    done = subprocess.run([BUILD / "noria", "run", "--check-stages", f"--entry={name}", TEXTS / file, *values],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
