"""ImageDecoder: files that are written here by the formats' documents, the official images, and damaged ones."""
import importlib
import struct
import zlib

import numpy as np
import pytest
from onnx import TensorProto, helper

import noria

RNG = np.random.default_rng(3)


def session(pixel_format="RGB", options=None, **kwargs):
    node = helper.make_node("ImageDecoder", ["x"], ["y"], name="decode", pixel_format=pixel_format)
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.UINT8, kwargs.get("dims", ["n"]))],
                              [helper.make_tensor_value_info("y", TensorProto.UINT8, None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    return noria.InferenceSession(model.SerializeToString(), options)


def decoded(data, pixel_format="RGB", options=None):
    return session(pixel_format, options).run(None, {"x": np.frombuffer(data, np.uint8)})[0]


def image(height=5, width=7):
    return RNG.integers(0, 256, (height, width, 3), np.uint8)


def grey(rgb):
    """The one channel of ITU-R 601, as the onnx package's reference (Pillow) rounds it."""
    return ((rgb.astype(np.uint32) @ np.array([19595, 38470, 7471], np.uint32) + 0x8000) >> 16).astype(np.uint8)[..., None]


# ---- writers ---------------------------------------------------------------------------------------------------------

def bmp(rows, bits, palette=b"", height=None, masks=b"", header=40):
    """rows: the bytes of each, from the bottom."""
    padded = b"".join(r + b"\0" * (-len(r) % 4) for r in rows)
    width = len(rows[0]) * 8 // bits
    height = len(rows) if height is None else height
    if header == 12:
        info = struct.pack("<IHHHH", 12, width, height, 1, bits)
    else:
        info = struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, 3 if masks else 0, 0, 0, 0,
                           len(palette) // 4 if bits <= 8 else 0, 0)
    before = info + masks + palette
    return struct.pack("<2sIHHI", b"BM", 14 + len(before) + len(padded), 0, 0, 14 + len(before)) + before + padded


def png(x, depth, kind, palette=None, interlace=0, cut=0):
    """x: rows of bytes."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    width = len(x[0]) * 8 // depth // {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[kind]
    head = struct.pack(">IIBBBBB", width, len(x), depth, kind, 0, 0, interlace)
    body = zlib.compress(b"".join(b"\0" + bytes(r) for r in x))
    extra = chunk(b"PLTE", palette) if palette else b""
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + extra + chunk(b"IDAT", body) + chunk(b"IEND", b"")
    return data[:len(data) - cut]


def tiff(x, order="<", alpha=None):
    """alpha: what the last channel is, 1 where the colours are multiplied by it, 2 where they are not."""
    height, width, channels = x.shape
    tags = [(256, 4, width), (257, 4, height), (258, 3, 8), (259, 3, 1), (262, 3, 2 if channels > 2 else 1), (273, 4, 8),
            (277, 3, channels), (278, 4, height), (279, 4, x.size)] + [(338, 3, alpha)] * (alpha is not None)
    body = x.tobytes() + b"\0" * (x.size % 2)
    at, more = 8 + len(body), b""
    if channels > 2:
        more = struct.pack(order + f"{channels}H", *[8] * channels)
        tags[2] = (258, 3, None)
    entries = b""
    for tag, kind, value in tags:
        if value is None:
            entries += struct.pack(order + "HHII", tag, kind, channels, at + 2 + 12 * len(tags) + 4)
        else:
            entries += struct.pack(order + ("HHIHH" if kind == 3 else "HHII"), tag, kind, 1, *([value, 0] if kind == 3
                                                                                           else [value]))
    magic = b"II*\0" if order == "<" else b"MM\0*"
    return magic + struct.pack(order + "I", at) + body + struct.pack(order + "H", len(tags)) + entries + b"\0" * 4 + more


# ---- formats ---------------------------------------------------------------------------------------------------------

X = image()
BGR = X[..., ::-1]
INDEXED = RNG.integers(0, 16, (5, 8), np.uint8)
PALETTE = RNG.integers(0, 256, (16, 3), np.uint8)
NIBBLES = [bytes(row[::2] << 4 | row[1::2]) for row in INDEXED]
BITS = RNG.integers(0, 2, (4, 16), np.uint8)
PACKED = [np.packbits(row).tobytes() for row in BITS]
ALPHA = np.concatenate([X, RNG.integers(0, 256, (5, 7, 1), np.uint8)], 2)
LEVELS = RNG.integers(0, 256, (5, 7, 1), np.uint8)
QUADS = b"".join(bytes(c[::-1]) + b"\0" for c in PALETTE)

FILES = {
    "bmp 24": (bmp([r.tobytes() for r in BGR[::-1]], 24), X),
    "bmp downwards": (bmp([r.tobytes() for r in BGR], 24, height=-5), X),
    "bmp core": (bmp([r.tobytes() for r in BGR[::-1, :4]], 24, header=12), X[:, :4]),
    "bmp 32": (bmp([np.concatenate([r, r[:, :1]], 1).tobytes() for r in BGR[::-1]], 32), X),
    "bmp masks": (bmp([np.concatenate([r[:, :1], r], 1).tobytes() for r in X[::-1]], 32,
                      masks=struct.pack("<III", 0xff00, 0xff0000, 0xff000000)), X),
    "bmp 4": (bmp(NIBBLES[::-1], 4, QUADS), PALETTE[INDEXED]),
    "bmp 1": (bmp([p + b"\0\0" for p in PACKED[::-1]], 1, QUADS[:8]),
              PALETTE[np.pad(BITS, ((0, 0), (0, 16)))]),
    "bmp 16": (bmp([b"\xff\x7f\0\0\0\x7c\x1f\0"], 16), np.array([[[255] * 3, [0] * 3, [255, 0, 0], [0, 0, 255]]])),
    "png": (png([r.tobytes() for r in X], 8, 2), X),
    "png alpha": (png([r.tobytes() for r in ALPHA], 8, 6), X),
    "tiff alpha": (tiff(ALPHA, alpha=2), X),
    "tiff multiplied": (tiff(ALPHA, alpha=1), X),
    "png grey": (png([r.tobytes() for r in LEVELS], 8, 0), np.repeat(LEVELS, 3, 2)),
    "png palette": (png(NIBBLES, 4, 3, PALETTE.tobytes()), PALETTE[INDEXED]),
    "png bits": (png(PACKED, 1, 0), np.repeat(BITS[..., None] * 255, 3, 2)),
    "pbm": (b"P1\n# a comment\n4 2\n0 1\n0 1 1100", np.repeat(255 - 255 * np.array([[0, 1, 0, 1], [1, 1, 0, 0]]), 3
                                                                ).reshape(2, 4, 3)),
    "pgm": (b"P2 3 1 15 0 15\n5", np.repeat(np.array([[0, 255, 85]]), 3).reshape(1, 3, 3)),
    "ppm": (b"P3\n1 2\n255\n1 2 3 4 5 6\n", np.array([[[1, 2, 3]], [[4, 5, 6]]])),
    "pbm bytes": (b"P4 16 4\n" + b"".join(PACKED), np.repeat(255 - BITS[..., None] * 255, 3, 2)),
    "pgm bytes": (b"P5 7 5 255\n" + LEVELS.tobytes(), np.repeat(LEVELS, 3, 2)),
    "pgm wide": (b"P5 3 1 65535 " + b"\0\0\xff\xff\x80\x80", np.repeat(np.array([[0, 255, 128]]), 3).reshape(1, 3, 3)),
    "ppm bytes": (b"P6#c\n7 5\n255\n" + X.tobytes(), X),
    "tiff": (tiff(X), X),
    "tiff big-endian": (tiff(X, ">"), X),
    "tiff grey": (tiff(LEVELS), np.repeat(LEVELS, 3, 2)),
}


@pytest.mark.parametrize("name", FILES)
def test_files(name):
    data, want = FILES[name]
    want = np.asarray(want, np.uint8)
    np.testing.assert_array_equal(decoded(data), want)
    np.testing.assert_array_equal(decoded(data, "BGR"), want[..., ::-1])
    np.testing.assert_array_equal(decoded(data, "Grayscale"), grey(want))


def official():
    """(name, file, pixel format, pixels) of the onnx package's tests."""
    found = importlib.import_module("onnx.backend.test.case.node._image_decoder_data")
    for name, value in sorted(vars(found).items()):
        if isinstance(value, found.ImageData):
            yield name, value.data.tobytes(), value.output


OFFICIAL = list(official())


def test_official_images():
    """JPEG, JPEG 2000 and WebP have no writer here."""
    assert len(OFFICIAL) >= 9
    for name, data, want in OFFICIAL:
        kind = "Grayscale" if want.shape[2] == 1 else "BGR" if "bgr" in name.lower() else "RGB"
        apart = np.abs(decoded(data, kind).astype(int) - want)
        assert apart.max() <= 1, name


def boxes(data):
    at = 0
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        size = size or len(data) - at
        yield kind, data[at + 8:at + size]
        at += size


def box(kind, data):
    return struct.pack(">I4s", 8 + len(data), kind) + data


def with_palette(data, colours, bits):
    """The JPEG 2000 file with a palette, of three colours in so many bits, for its first component."""
    size = min((bits + 7) // 8, 4)
    entries = b"".join(int(c).to_bytes(size, "big") for entry in colours for c in entry)
    palette = struct.pack(">HB", len(colours), 3) + bytes([bits - 1] * 3) + entries
    mapped = b"".join(struct.pack(">HBB", 0, 1, i) for i in range(3))
    extra = box(b"pclr", palette) + box(b"cmap", mapped)
    return b"".join(box(kind, inside + extra if kind == b"jp2h" else inside) for kind, inside in boxes(data))


@pytest.mark.parametrize("bits", [8, 16])
def test_a_palette_of_jpeg_2000(bits):
    data = next(data for _, data, _ in OFFICIAL if data[4:8] == b"jP  ")
    colours = [((k * 7) % 256, 255 - k, k // 2) for k in range(256)]
    shift = bits - 8
    y = decoded(with_palette(data, [[c << shift | (c if shift else 0) for c in entry] for entry in colours], bits))
    np.testing.assert_array_equal(y, np.array(colours, np.uint8)[decoded(data)[..., 0]])


@pytest.mark.parametrize("bits", [17, 32, 33, 128])
def test_a_palette_of_too_many_bits(bits):
    """Its components have more bits than those in the header, which are checked before they are decoded."""
    data = next(data for _, data, _ in OFFICIAL if data[4:8] == b"jP  ")
    assert decoded(with_palette(data, [(1, 2, 3)] * 256, bits)).shape == (0, 0, 3)


# ---- what cannot be decoded -------------------------------------------------------------------------------------------

@pytest.mark.parametrize("data", [
    b"", b"\0", b"no image at all", b"BM", b"\xff\xd8\xff", b"P6 4 4 255\n123", b"P6 4 # no end", b"P2 2 1 9 3 10", b"P5 0 3 255\n",
    b"P6 99999999999999999999 1 255\n", b"P4 4294967295 4294967295\n", b"II*\0\xff\xff\xff\xff", b"MM\0*\0\0\0\x08",
    b"RIFF\0\0\0\0WEBPVP8 ", b"\0\0\0\x0cjP  \r\n\x87\n", b"\xff\x4f\xff\x51\0\x29",
    FILES["png"][0][:-40], bmp([b"\0" * 8], 4, QUADS[:4], height=-2 ** 31), FILES["bmp 24"][0][:-1],
    bmp([b"\xff\xff\xff\xff"], 8, QUADS)])
@pytest.mark.parametrize("pixel_format, channels", [("RGB", 3), ("Grayscale", 1)])
def test_undecodable_is_empty(data, pixel_format, channels):
    """By the document: an empty matrix."""
    assert decoded(data, pixel_format).shape == (0, 0, channels)


def test_too_large():
    data = b"P1 16385 16385\n" + b"1" * (16385 * 16385)
    with pytest.raises(noria.Error, match="'decode'.*more than 268435456 pixels"):
        decoded(data)


def test_memory_limit():
    options = noria.SessionOptions()
    options.memory_limit = 1 << 20
    wide = zlib.compress(b"\0" * (4096 * 1537))
    data = png([b"\0" * 1536] * 4096, 8, 2)
    assert len(wide) < 1 << 20
    with pytest.raises(noria.Error, match="memory"):
        decoded(data, options=options)


def test_refused_models():
    with pytest.raises(noria.Error, match="decode.*pixel_format is 'CMYK', not RGB, BGR or Grayscale"):
        session("CMYK")
    with pytest.raises(noria.Error, match="decode.*rank 2, not 1"):
        session(dims=["n", 3])


def mutated(data, random):
    """The file cut off, or with some bits flipped, bytes replaced or a piece repeated."""
    x = bytearray(data)
    way = random.integers(0, 4)
    if way == 0:
        return bytes(x[:random.integers(0, len(x))])
    for _ in range(random.integers(1, 5)):
        at = min(int(random.exponential(60)) if random.random() < .6 else int(random.integers(0, len(x))), len(x) - 1)
        if way == 1:
            x[at] ^= 1 << int(random.integers(0, 8))
        elif way == 2:
            x[at] = int(random.choice([0, 1, 127, 128, 255, int(random.integers(0, 256))]))
        else:
            x[at:at] = x[at:at + int(random.integers(1, 40))]
    return bytes(x)


def mutate_all(count, seed=0):
    """Runs damaged files of each format. Each gives pixels, nothing, or one of the two errors."""
    options = noria.SessionOptions()
    options.memory_limit, options.time_limit = 64 << 20, 20
    random = np.random.default_rng(seed)
    run = session("RGB", options)
    files = [d for _, d, _ in OFFICIAL] + [d for d, _ in FILES.values()]
    kinds = {"pixels": 0, "empty": 0, "refused": 0}
    for i in range(count):
        data = np.frombuffer(mutated(files[i % len(files)], random), np.uint8)
        try:
            y, = run.run(None, {"x": data})
        except noria.Error as e:
            assert "pixels is not decoded" in str(e) or "memory" in str(e), (i, e)
            kinds["refused"] += 1
            continue
        assert y.ndim == 3 and y.shape[2] == 3, i
        kinds["pixels" if y.size else "empty"] += 1
    return kinds


def test_damaged_files():
    kinds = mutate_all(640)
    assert kinds["pixels"] > 50 and kinds["empty"] > 50
