"""Measures a model in a process of its own, so that its memory is that of one engine, and a crash ends one line of the
table: `python measure.py load ENGINE MODEL RESULTS` or `python measure.py time MODEL SECONDS`. Prints JSON.

load: seconds to load or compile, whether it came from a cache, seconds of the first run, peak MiB; the results are
pickled. time: the least seconds of a run, {engine: {threads: seconds}}, in turns.
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


def load(engine, path, results):
    __import__({"noria": "noria", "ort": "onnxruntime"}[engine])
    feeds = read_feeds(path)
    begin = time.perf_counter()
    model = session(engine, path, 0)
    loaded = time.perf_counter()
    outputs = model.run(None, feeds)
    ran = time.perf_counter()
    with open(results, "wb") as f:
        pickle.dump(dict(zip([o.name for o in model.get_outputs()], outputs)), f)
    return {
        "load": loaded - begin,
        "first": ran - loaded,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
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
