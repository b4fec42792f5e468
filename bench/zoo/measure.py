"""Measures a model in a process of its own, so that its memory is that of one engine, and a crash ends one line of the
table: `python measure.py load ENGINE MODEL RESULTS` or `python measure.py time MODEL SECONDS`. Prints JSON.

load: seconds to load or compile, whether it came from a cache, seconds of the first run, peak MiB; the results are
pickled. ONNX Runtime's are those of the model with its Fourier transforms in double: in float they are off by 1e-4
and more of the largest element, which a logarithm of a quiet band shows.
time: the least seconds of a run, {engine: {threads: seconds}}, in turns.
"""

import json
import pickle
import resource
import sys
import time

ENGINES = ("noria", "ort")


def session(engine, path, threads):
    if engine == "noria":
        import noria

        options = noria.SessionOptions()
        options.intra_op_num_threads = threads
        return noria.InferenceSession(path, options)
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def read_feeds(path):
    with open(path + ".feeds", "rb") as f:
        return pickle.load(f)


def with_double_transforms(path):
    """The model with casts around each DFT and STFT of its graph; None where it has none."""
    import onnx

    model = onnx.load(path)
    nodes = []
    for node in model.graph.node:
        if node.op_type not in ("DFT", "STFT"):
            nodes.append(node)
            continue
        for i in (0, 2) if node.op_type == "STFT" else (0,):
            if i < len(node.input) and node.input[i]:
                double = f"{node.output[0]}_double_{i}"
                nodes.append(onnx.helper.make_node("Cast", [node.input[i]], [double], to=onnx.TensorProto.DOUBLE))
                node.input[i] = double
        result, node.output[0] = node.output[0], f"{node.output[0]}_double"
        nodes += [node, onnx.helper.make_node("Cast", [node.output[0]], [result], to=onnx.TensorProto.FLOAT)]
    if len(nodes) == len(model.graph.node):
        return None
    nodes = [onnx.NodeProto.FromString(node.SerializeToString()) for node in nodes]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    return model.SerializeToString()


def load(engine, path, results):
    __import__({"noria": "noria", "ort": "onnxruntime"}[engine])
    feeds = read_feeds(path)
    begin = time.perf_counter()
    model = session(engine, path, 0)
    loaded = time.perf_counter()
    outputs = model.run(None, feeds)
    ran = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    exact = with_double_transforms(path) if engine == "ort" else None
    if exact:
        outputs = session(engine, exact, 0).run(None, feeds)
    with open(results, "wb") as f:
        pickle.dump(dict(zip([o.name for o in model.get_outputs()], outputs)), f)
    return {
        "load": loaded - begin,
        "first": ran - loaded,
        "peak": peak,
    }


def least(path, seconds):
    """Each engine's best time; they run in turns, so that the machine's moods hit all alike."""
    feeds = read_feeds(path)
    runs = {(engine, threads): session(engine, path, threads) for engine in ENGINES for threads in (1, 0)}
    best = dict.fromkeys(runs, float("inf"))
    end, rounds = time.perf_counter() + seconds, 0
    while rounds < 3 or time.perf_counter() < end:
        rounds += 1
        for key, model in runs.items():
            model.run(None, feeds)
            begin = time.perf_counter()
            model.run(None, feeds)
            best[key] = min(best[key], time.perf_counter() - begin)
    return {engine: {threads: best[engine, threads] for threads in (1, 0)} for engine in ENGINES}


if __name__ == "__main__":
    what, *arguments = sys.argv[1:]
    print(json.dumps(load(*arguments) if what == "load" else least(arguments[0], float(arguments[1]))))
