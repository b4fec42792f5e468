"""Products of matrices of bytes, large enough for all tiles and tails of vectors. Sums are NumPy's, in 64 bits."""
import itertools

import noria
import numpy as np
import pytest
from ops import Batch, Const, interpreted

F32 = np.float32
SIGNS = list(itertools.product((np.uint8, np.int8), repeat=2))


def extremes(rng, dtype, shape):
    """The least and the greatest numbers, and some between."""
    info = np.iinfo(dtype)
    return rng.choice(np.array([info.min, info.max, info.min + 1, 0, 1, info.max // 2], dtype), shape)


def matrices(dtype, shape, fill, rng):
    if fill == "random":
        return rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max + 1, shape).astype(dtype)
    return extremes(rng, dtype, shape) if fill == "mixed" else np.full(shape, getattr(np.iinfo(dtype), fill), dtype)


def product(a, b):
    return np.matmul(a.astype(np.int64), b.astype(np.int64)).astype(np.int32)


SHAPES = [((1, 64), (64, 64)), ((9, 37), (37, 61)), ((17, 128), (128, 8)), ((2, 5, 12), (2, 12, 33)), ((3, 3), (3, 200)),
          ((2, 1, 7, 20), (3, 20, 18)), ((64,), (64, 50))]


@pytest.mark.parametrize("signs", SIGNS, ids=lambda s: "-".join(t.__name__ for t in s))
@pytest.mark.parametrize("fill", ["min", "max", "mixed", "random"])
def test_matmul_of_all_signs_and_extremes(signs, fill):
    rng = np.random.default_rng(1)
    batch = Batch(21, 0, 0)
    for left, right in SHAPES:
        a, b = matrices(signs[0], left, fill, rng), matrices(signs[1], right, fill, rng)
        batch.add("MatMulInteger", [a, b], product(a, b))
        batch.add("MatMulInteger", [a, Const(b)], product(a, b))
    batch.check()


def test_zero_points_of_rows_and_columns():
    rng = np.random.default_rng(2)
    a, b = extremes(rng, np.uint8, (11, 50)), extremes(rng, np.int8, (50, 40))
    za, zb = extremes(rng, np.uint8, 11), extremes(rng, np.int8, 40)
    batch = Batch(21, 0, 0)
    moved = product(a.astype(np.int32) - za[:, None].astype(np.int32), b.astype(np.int32) - zb.astype(np.int32))
    batch.add("MatMulInteger", [a, b, za, zb], moved)
    batch.add("MatMulInteger", [a, Const(b), za, Const(zb)], moved)
    batch.check()


def test_the_interpreter_computes_the_same():
    rng = np.random.default_rng(3)
    batch = Batch(21, 0, 0)
    for left, right in SHAPES[:4]:
        a, b = extremes(rng, np.uint8, left), extremes(rng, np.uint8, right)
        batch.add("MatMulInteger", [a, b], product(a, b))
    options = interpreted()
    options.interpret_after = "kernel"
    batch.check(options=options)


def convolved(x, w, pad, stride, group, border):
    wide, narrow = (np.float64, F32) if x.dtype.kind == "f" else (np.int64, np.int32)
    x = np.pad(x.astype(wide), ((0, 0), (0, 0), (pad, pad), (pad, pad)), constant_values=border)
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], (2, 3))[:, :, ::stride, ::stride]
    parts = [np.einsum("nchwij,ocij->nohw", windows[:, g * w.shape[1]:(g + 1) * w.shape[1]], v.astype(wide))
             for g, v in enumerate(np.split(w, group))]
    return np.concatenate(parts, 1).astype(narrow)


@pytest.mark.parametrize("signs", SIGNS, ids=lambda s: "-".join(t.__name__ for t in s))
def test_conv_of_all_signs(signs):
    rng = np.random.default_rng(4)
    batch = Batch(21, 0, 0)
    for n, c, size, o, k, pad, stride, group in ((1, 8, 14, 24, 3, 1, 1, 1), (2, 3, 17, 5, 3, 1, 2, 1), (2, 6, 9, 6, 3, 1, 1, 6),
                                                 (1, 12, 7, 16, 1, 0, 1, 1), (2, 4, 8, 1, 2, 0, 1, 1), (1, 10, 6, 4, 1, 0, 2, 2)):
        x, w = extremes(rng, signs[0], (n, c, size, size)), extremes(rng, signs[1], (o, c // group, k, k))
        batch.add("ConvInteger", [x, Const(w)], convolved(x, w, pad, stride, group, 0), pads=[pad] * 4, strides=[stride] * 2,
                  group=group)
        zero = np.array(3, signs[0])
        moved = convolved(x.astype(np.int64) - 3, w, pad, stride, group, 0)
        batch.add("ConvInteger", [x, Const(w), zero], moved, pads=[pad] * 4, strides=[stride] * 2, group=group)
    batch.check()


@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize("zeros", ["none", "packed", "float"])
def test_weights_of_few_bits(bits, zeros):
    """K that does not fill the last block; weights and parameters from the file and from the run."""
    rng = np.random.default_rng(5)
    batch = Batch(21, 2e-4, 2e-4, versions=[("com.microsoft", 1)])
    for m, n, k, block in ((1, 48, 64, 32), (9, 37, 80, 16), (3, 70, 40, 32)):
        blocks = -(-k // block)
        q = rng.integers(0, 2**bits, (n, blocks * block))
        per_byte = 8 // bits
        packed = sum(q.reshape(n, blocks, block // per_byte, per_byte)[..., i] << bits * i for i in range(per_byte))
        scale = rng.uniform(.01, .1, (n, blocks)).astype(F32)
        zero = np.full((n, blocks), 2**(bits - 1), F32)
        inputs = []
        if zeros == "float":
            zero = rng.uniform(0, 2**bits, (n, blocks)).astype(F32)
            inputs = [zero]
        elif zeros == "packed":
            zero = rng.integers(0, 2**bits, (n, blocks))
            columns = -(-blocks * bits // 8)
            wide = np.zeros((n, columns * per_byte), int)
            wide[:, :blocks] = zero
            inputs = [sum(wide.reshape(n, columns, per_byte)[..., i] << bits * i for i in range(per_byte)).astype(np.uint8)]
        a = rng.uniform(-1, 1, (m, k)).astype(F32)
        w = ((q - np.repeat(zero, block, 1)) * np.repeat(scale, block, 1))[:, :k]
        tensors = [packed.astype(np.uint8), scale, *inputs]
        for held in (list, lambda given: [Const(x) for x in given]):
            batch.add("com.microsoft.MatMulNBits", [a, *held(tensors)], (a.astype(np.float64) @ w.T).astype(F32), K=k, N=n,
                      bits=bits, block_size=block)
    batch.check(symbolic=[False])


def test_other_cpus_compute_the_same(tmp_path, noria_tool):
    """Code for CPUs without an instruction for products of bytes, as a library."""
    rng = np.random.default_rng(6)
    batch = Batch(21, 0, 0)
    for signs in SIGNS:
        a, b = extremes(rng, signs[0], (13, 70)), extremes(rng, signs[1], (70, 45))
        batch.add("MatMulInteger", [a, b], product(a, b))
    model, feeds = batch.model(False)
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    for cpu in ("x86-64", "x86-64-v3"):
        target = tmp_path / f"{cpu}.so"
        assert noria_tool("compile", tmp_path / "m.onnx", "-o", target, f"--cpu={cpu}").returncode == 0
        try:
            session = noria.InferenceSession(str(target))
        except noria.Error as e:
            assert "was compiled for a CPU with" in str(e), e
            pytest.skip(f"this CPU: {e}")
        for got, case in zip(session.run(None, feeds), batch.cases):
            np.testing.assert_array_equal(got, case[3][0], f"{cpu}")


@pytest.mark.parametrize("dtype", [np.uint8, F32])
def test_depthwise_convolutions(dtype):
    """A channel for each group, with some outputs for each; kernels in the file and in the run, windows in the padding."""
    rng = np.random.default_rng(7)
    tolerance = 1e-5 if dtype is F32 else 0
    batch = Batch(17, tolerance, tolerance)
    for n, c, o, size, k, pad, stride in ((2, 6, 6, 9, 3, 1, 1), (1, 5, 10, 8, 3, 1, 2), (1, 20, 20, 7, 5, 2, 1), (1, 3, 3, 5, 1, 0, 1),
                                          (1, 2, 12, 6, 3, 1, 1), (1, 2, 2, 12, 9, 4, 1)):
        attrs = {"pads": [pad] * 4, "strides": [stride] * 2, "group": c}
        if dtype is F32:
            x, w = (rng.uniform(-1, 1, s).astype(dtype) for s in ((n, c, size, size), (o, 1, k, k)))
            for held in (w, Const(w)):
                batch.add("Conv", [x, held], convolved(x, w, pad, stride, c, 0), **attrs)
            continue
        x, w = extremes(rng, dtype, (n, c, size, size)), extremes(rng, np.int8, (o, 1, k, k))
        zeros = np.array(3, dtype), rng.integers(-9, 9, o).astype(np.int8)
        moved = convolved(x.astype(np.int64) - 3, w.astype(np.int64) - zeros[1][:, None, None, None], pad, stride, c, 0)
        for held in (w, Const(w)):
            batch.add("ConvInteger", [x, held], convolved(x, w, pad, stride, c, 0), **attrs)
            batch.add("ConvInteger", [x, held, *zeros], moved, **attrs)
    batch.check()
