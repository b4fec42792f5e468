"""Finds the speech in a recording: Silero VAD, compiled by Noria, beside ONNX Runtime on the same machine.

    python examples/silero/run.py            the demonstration
    python examples/silero/run.py --json F   also writes the figures to F

1. Takes the model out of the silero-vad wheel and lets espeak-ng speak about 20 s of sentences and silence at 16 kHz.
2. Streams the recording in chunks of 512 samples, with the state carried from chunk to chunk.
3. Makes the same model the body of one ONNX Loop, so that one call does the whole recording.
Both are timed against ONNX Runtime with one thread each, and their outputs compared.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import wave
import zipfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import noria

RATE, CHUNK, CONTEXT = 16000, 512, 64
WHEEL = "silero-vad==6.2.3"
MODEL = "silero_vad/data/silero_vad.onnx"
CACHE = os.path.join(os.path.dirname(__file__), "..", "..", "build", "silero")
SENTENCES = ["The river turns the wheel, and the wheel lifts the water.",
             "A loop that stops by itself is the best kind of loop.",
             "One small step for a model, one call for the whole recording."]


def fetch_model():
    """The path of the model file, taken out of the wheel; the wheel's dependencies are not installed."""
    os.makedirs(CACHE, exist_ok=True)
    path = os.path.join(CACHE, "silero_vad.onnx")
    if not os.path.exists(path):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps",
                            "-d", folder, WHEEL], check=True)
            wheel = os.path.join(folder, os.listdir(folder)[0])
            with zipfile.ZipFile(wheel) as archive, open(path + ".part", "wb") as out:
                out.write(archive.read(MODEL))
        os.rename(path + ".part", path)
    return path


def speak(text):
    """One sentence at 16 kHz, float32 in -1..1."""
    with tempfile.NamedTemporaryFile(suffix=".wav") as f:
        subprocess.run(["espeak-ng", "-w", f.name, "-s", "150", text], check=True, stderr=subprocess.DEVNULL)
        with wave.open(f.name) as w:
            rate = w.getframerate()
            samples = np.frombuffer(w.readframes(w.getnframes()), np.int16).astype(np.float32) / 32768
    times = np.arange(int(len(samples) * RATE / rate)) * (rate / RATE)
    return np.interp(times, np.arange(len(samples)), samples).astype(np.float32)


def make_recording():
    """About 20 s: silence with a little noise, and sentences. Also where the speech was put, in seconds."""
    rng = np.random.default_rng(0)
    parts, truth, at = [], [], 0.0
    for sentence in SENTENCES:
        gap, voice = np.zeros(int(2.5 * RATE), np.float32), speak(sentence)
        parts += [gap, voice]
        truth.append((at + 2.5, at + 2.5 + len(voice) / RATE))
        at = truth[-1][1]
    parts.append(np.zeros(max(int((20 - at) * RATE), RATE), np.float32))
    samples = np.concatenate(parts)
    samples += rng.normal(0, 0.001, len(samples)).astype(np.float32)
    return samples[:len(samples) // CHUNK * CHUNK], truth


def make_chunks(samples):
    """[chunks, 576]: the model wants the last 64 samples of the chunk before in front of each chunk."""
    rows = samples.reshape(-1, CHUNK)
    before = np.vstack([np.zeros((1, CONTEXT), np.float32), rows[:-1, -CONTEXT:]])
    return np.ascontiguousarray(np.hstack([before, rows]))


def make_loop_model(path):
    """The model as the body of one Loop: input [chunks, 576], output one probability a chunk."""
    inner = onnx.load(path).graph
    ends = {"input": "chunk", "state": "state_in", "sr": "sr"}
    body = onnx.GraphProto(name="chunk")
    body.node.append(helper.make_node("Identity", ["going"], ["going_out"]))
    body.node.append(helper.make_node("Gather", ["chunks", "trip"], ["row"], axis=0))
    body.node.append(helper.make_node("Unsqueeze", ["row", "zero"], ["chunk"]))
    rename = {name: ends[name] for name in ("input", "state")}
    for node in inner.node:
        copy = body.node.add()
        copy.CopyFrom(node)
        _rename(copy, rename)
    body.node.append(helper.make_node("Reshape", ["output", "scalar"], ["probability"]))
    body.initializer.extend(inner.initializer)
    info = helper.make_tensor_value_info
    # The state's shape is not declared: ONNX Runtime 1.31 crashes while it loads the model otherwise.
    body.input.extend([info("trip", TensorProto.INT64, []), info("going", TensorProto.BOOL, []),
                       info("state_in", TensorProto.FLOAT, None)])
    body.output.extend([info("going_out", TensorProto.BOOL, []), info("stateN", TensorProto.FLOAT, None),
                        info("probability", TensorProto.FLOAT, [])])
    constants = {"zero": np.array([0], np.int64), "scalar": np.array([], np.int64), "sr": np.array(RATE, np.int64),
                 "state0": np.zeros((2, 1, 128), np.float32)}
    graph = helper.make_graph(
        [helper.make_node("Shape", ["chunks"], ["count1"], start=0, end=1),
         helper.make_node("Reshape", ["count1", "scalar"], ["count"]),
         helper.make_node("Loop", ["count", "", "state0"], ["state", "probabilities"], body=body)], "recording",
        [info("chunks", TensorProto.FLOAT, ["chunks", CHUNK + CONTEXT])],
        [info("probabilities", TensorProto.FLOAT, ["chunks"])],
        [numpy_helper.from_array(v, k) for k, v in constants.items()])
    original = onnx.load(path)
    return helper.make_model(graph, opset_imports=original.opset_import,
                             ir_version=original.ir_version).SerializeToString()


def _rename(node, names):
    for i, name in enumerate(node.input):
        node.input[i] = names.get(name, name)
    for attribute in node.attribute:
        for graph in [attribute.g] if attribute.type == onnx.AttributeProto.GRAPH else attribute.graphs:
            for inner in graph.node:
                _rename(inner, names)


def stream(session, chunks):
    """Probabilities, and the seconds that each chunk took."""
    state = np.zeros((2, 1, 128), np.float32)
    rate = np.array(RATE, np.int64)
    probabilities, seconds = [], []
    for row in chunks:
        start = time.perf_counter()
        p, state = session.run(None, {"input": row[None], "state": state, "sr": rate})
        seconds.append(time.perf_counter() - start)
        probabilities.append(p[0, 0])
    return np.array(probabilities), np.array(seconds)


def segments(probabilities, threshold=0.5):
    """Runs of chunks above the threshold, as (begin, end) in seconds; gaps under 0.3 s are bridged."""
    found, step = [], CHUNK / RATE
    for i, p in enumerate(probabilities):
        if p < threshold:
            continue
        if found and i * step - found[-1][1] < 0.3:
            found[-1][1] = (i + 1) * step
        else:
            found.append([i * step, (i + 1) * step])
    return [tuple(s) for s in found if s[1] - s[0] > 0.1]


def draw(probabilities):
    """The probability over time: one column a 0.2 s, eight rows."""
    per = max(1, round(0.2 * RATE / CHUNK))
    columns = [probabilities[i:i + per].max() for i in range(0, len(probabilities), per)]
    for row in range(8, 0, -1):
        label = {8: "1.0", 4: "0.5", 1: "0.0"}.get(row, "   ")
        print(f"  {label} |" + "".join("█" if c * 8 >= row - 0.5 else " " for c in columns))
    print("      +" + "-" * len(columns))
    print("       0 s" + f"{len(probabilities) * CHUNK / RATE:.0f} s".rjust(len(columns) - 3))


def one_thread_ort(model):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def noria_session(model, threads):
    """threads: 0 is one for each CPU."""
    options = noria.SessionOptions()
    options.intra_op_num_threads = threads
    return noria.InferenceSession(model, options)


def one_thread_noria(model):
    return noria_session(model, 1)


def median_of(runs, fn):
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        result = fn()
        seconds.append(time.perf_counter() - start)
    return result, float(np.median(seconds))


def main():
    arguments = argparse.ArgumentParser(description="Silero VAD, compiled by Noria.")
    arguments.add_argument("--json", help="write the figures to this file")
    arguments = arguments.parse_args()
    path = fetch_model()
    samples, truth = make_recording()
    chunks = make_chunks(samples)
    print(f"Recording: {len(samples) / RATE:.1f} s at {RATE} Hz, {len(chunks)} chunks of {CHUNK} samples\n")

    start = time.perf_counter()
    compiled = one_thread_noria(path)
    compile_seconds = time.perf_counter() - start
    peer = one_thread_ort(path)
    for session in (compiled, peer):  # warm up both the same way
        stream(session, chunks[:20])
    ours, our_seconds = stream(compiled, chunks)
    theirs, their_seconds = stream(peer, chunks)
    difference = float(np.abs(ours - theirs).max())
    draw(ours)
    print("\n  speech put at      " + "   ".join(f"{b:5.2f}-{e:5.2f} s" for b, e in truth))
    print("  speech found at    " + "   ".join(f"{b:5.2f}-{e:5.2f} s" for b, e in segments(ours)))
    noria_us, ort_us = float(np.median(our_seconds)) * 1e6, float(np.median(their_seconds)) * 1e6
    print(f"\nOne call a chunk          Noria {noria_us:7.1f} us    ONNX Runtime {ort_us:7.1f} us    "
          f"ratio {noria_us / ort_us:.2f}    largest difference {difference:.1e}    "
          f"(compiled in {compile_seconds:.2f} s)")

    loop_model = make_loop_model(path)
    feeds = {"chunks": chunks}
    looped, peer_looped = one_thread_noria(loop_model), one_thread_ort(loop_model)
    (ours_loop,), our_loop = median_of(5, lambda: looped.run(None, feeds))
    (theirs_loop,), their_loop = median_of(5, lambda: peer_looped.run(None, feeds))
    loop_difference = float(np.abs(ours_loop - theirs_loop).max())
    same = float(np.abs(ours_loop - ours).max())
    noria_loop, ort_loop = our_loop / len(chunks) * 1e6, their_loop / len(chunks) * 1e6
    print(f"One Loop, one call in all Noria {noria_loop:7.1f} us    ONNX Runtime {ort_loop:7.1f} us    "
          f"ratio {noria_loop / ort_loop:.2f}    largest difference {loop_difference:.1e}    "
          f"(to the stream: {same:.1e})")
    if arguments.json:
        with open(arguments.json, "w") as f:
            json.dump({"chunk_us": noria_us, "chunk_ort_us": ort_us, "loop_us": noria_loop, "loop_ort_us": ort_loop,
                       "difference": max(difference, loop_difference, same), "compile_s": compile_seconds}, f)
    if max(difference, loop_difference, same) > 1e-4:
        sys.exit("the outputs differ by more than 1e-4")


if __name__ == "__main__":
    main()
