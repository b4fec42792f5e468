"""The models that Python packages ship: taken out of their wheels, which are downloaded but not installed."""

import io
import os
import subprocess
import sys
import zipfile

import numpy as np
import onnx

from zoo import save

WHEELS = {
    "silero-vad": "silero",
    "onnx-asr": "asr",
    "rapidocr-onnxruntime": "rapidocr",
    "magika": "magika",
    "ddddocr": "ddddocr",
}


def fetch(folder):
    """Writes every model of the wheels, with inputs, to the folder, unless it is there."""
    for wheel, prefix in WHEELS.items():
        stamp = os.path.join(folder, prefix + ".fetched")
        if os.path.exists(stamp):
            continue
        subprocess.run(
            [
                sys.executable,
                "-m",
                "pip",
                "download",
                "-q",
                "--disable-pip-version-check",
                "--no-deps",
                "-d",
                folder,
                wheel,
            ],
            check=True,
        )
        name = wheel.replace("-", "_") + "-"
        path = next(os.path.join(folder, f) for f in os.listdir(folder) if f.startswith(name) and f.endswith(".whl"))
        with zipfile.ZipFile(path) as archive:
            for member in archive.namelist():
                if member.endswith(".onnx"):
                    stem = os.path.splitext(os.path.basename(member))[0]
                    take(
                        os.path.join(folder, f"{prefix}_{stem.removeprefix(prefix + '_')}.onnx"), archive.read(member)
                    )
        os.remove(path)
        open(stamp, "w").close()


def take(path, data):
    model = onnx.load(io.BytesIO(data))
    weights = {w.name for w in model.graph.initializer}
    is_line = "_det" not in os.path.basename(path)
    save(path, data, {v.name: make_input(v, is_line) for v in model.graph.input if v.name not in weights})


def make_input(value, is_line=True):
    """Something like what the package feeds: sound, its length and rate, bytes, a state of zeros, a picture, which may
    be of one line of text."""
    rng = np.random.default_rng(0)
    dtype = onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
    dims = [d.dim_value for d in value.type.tensor_type.shape.dim]
    if value.name == "sr":
        return np.array(16000, dtype)
    if value.name == "waveforms_lens":
        return np.array([16000, 12345], dtype)
    if value.name == "waveforms":
        return (0.3 * np.sin(np.arange(32000).reshape(2, -1) / 7) + rng.normal(0, 0.01, (2, 16000))).astype(dtype)
    if value.name == "bytes":
        return rng.integers(0, 256, [2, *dims[1:]]).astype(dtype)
    if value.name in ("state", "h", "c"):
        return np.zeros([d if d > 0 else 1 for d in dims], dtype)
    if value.name == "input":  # of silero-vad: a frame of 512 samples and the 64 before it, or a sequence of frames
        return (0.3 * np.sin(np.arange(576) / 7) * rng.uniform(0.9, 1.1, 576))[None].astype(dtype)
    size = (48, 240) if is_line else (320, 416)
    return picture([d if d > 0 else chosen for d, chosen in zip(dims, [1, 3, *size])]).astype(dtype)


def picture(shape):
    y, x = np.mgrid[: shape[2], : shape[3]]
    strokes = ((x // 7 + y // 11) % 3 == 0) & (np.abs(y - shape[2] / 2) < shape[2] / 4)
    return np.broadcast_to(np.where(strokes, -0.8, 0.7) + 0.1 * np.sin(x / 5), shape)
