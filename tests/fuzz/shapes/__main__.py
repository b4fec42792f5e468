"""Every ONNX op with wrong shapes and values: compiled code must give what the interpreter gives, or refuse as it does.

    python tests/fuzz/shapes --seconds 120            # from a new seed, which is printed
    python tests/fuzz/shapes --seed 7 --runs 100000   # the same ones each time
    python tests/fuzz/shapes --op Gemm --op LSTM
    python tests/fuzz/shapes --seed 7 --op Gemm --number 12 --feed 3    # one again

Each trial is a model of one op, compiled once for the interpreter and once as machine code, and run with many feeds. It
runs in a child process, so a signal or a hang is noticed and belongs to one feed. What fails is reduced to the changes
that it needs and saved with its model under --found."""
import argparse
import collections
import multiprocessing
import multiprocessing.connection
import os
import pathlib
import re
import resource
import secrets
import signal
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE), str(ROOT / "tests" / "python"), str(ROOT / "python")]

import numpy as np  # noqa: E402
from draw import Trial  # noqa: E402
from generators import MISSING, OPS  # noqa: E402
from random_draw import difference  # noqa: E402

import noria  # noqa: E402

HANGS_AFTER = 20        # seconds of CPU time for one feed, or as many minutes of waiting
TIME, MEMORY, ITERATIONS = 2.0, 256 << 20, 100_000
# What ends a run in the one way of running it and need not in the other.
LIMIT = re.compile(r"limit|no memory|interrupted|stack")


def session(model, interpret, sanitize, threads):
    options = noria.SessionOptions()
    options.intra_op_num_threads = threads
    options.time_limit, options.memory_limit, options.iteration_limit = TIME, MEMORY, ITERATIONS
    options.interpret_after = "tensor" if interpret else None
    if sanitize and not interpret:
        options.sanitize = "address"
    try:
        return noria.InferenceSession(model, options)
    except noria.Error as error:
        return str(error)


def outcome(of, feeds):
    if isinstance(of, str):
        return of
    try:
        return of.run(None, feeds)
    except (noria.Error, ValueError, MemoryError) as error:  # an array that NumPy cannot have
        return str(error)


def compare(got, want, tolerance):
    """(state, text): same, refused, limit or wrong."""
    for text in got, want:
        if isinstance(text, str) and re.search("out of bounds access|freed memory|internal error|wrong state", text):
            return "wrong", text
    if isinstance(got, str) and isinstance(want, str):
        return "refused", got
    for text in got, want:
        if isinstance(text, str) and LIMIT.search(text):
            return "limit", text
    if isinstance(got, str):
        return "wrong", f"compiled code refuses what the interpreter runs: {got}"
    if isinstance(want, str):
        return "wrong", f"compiled code runs what the interpreter refuses: {want}"
    for k, (g, w) in enumerate(zip(got, want)):
        text = difference(g, w, tolerance)
        if text:
            return "wrong", f"output {k}: {text} (the interpreter)"
    return "same", ""


# What these normalise is first centred. Of elements that are all but equal this leaves their rounding, and the division
# by a small deviation makes it large: LayerNormalization of equal f32 near .15 gives anything below 1e-4.
CENTRES = {"BatchNormalization", "GroupNormalization", "InstanceNormalization", "LayerNormalization",
           "MeanVarianceNormalization"}


def nudged(random, x):
    """x with each float changed by at most 8 units in its last place. Narrower floats are centred as f32, exactly."""
    if isinstance(x, (list, dict)) or x.dtype not in (np.float32, np.float64):
        return x
    return x * (1 + random.uniform(-8, 8, x.shape) * np.finfo(x.dtype).eps).astype(x.dtype)


def without_rounding(got, want, others):
    """got, where it is not as near to want as others are, which came of nudged feeds; elsewhere want."""
    nearest = []
    for k, (g, w) in enumerate(zip(got, want)):
        if isinstance(w, np.ndarray) and g.shape == w.shape and g.dtype == w.dtype and w.dtype in (np.float32, np.float64):
            apart = 4 * np.max([np.abs(other[k] - w) for other in others], axis=0)
            g = np.where(np.abs(g - w) <= apart, w, g)
        nearest.append(g)
    return nearest


class Runner:
    """One trial's two sessions. Machine code is made in four ways, in turn."""

    def __init__(self, trial, number, sanitize):
        self.trial = trial
        sanitized = sanitize == "always" or (sanitize == "mixed" and number % 2 == 1)
        self.want, self.got = session(trial.model, True, False, 1), session(trial.model, False, sanitized,
                                                                           2 if number % 4 < 2 else 1)

    def refused(self):
        """When neither is compiled no feed matters."""
        return isinstance(self.want, str) and isinstance(self.got, str)

    def run(self, changes):
        feeds = self.trial.feeds | dict(changes)
        tolerance = max(self.trial.case.tolerance, 1e-3)
        with np.errstate(all="ignore"):
            got, want = outcome(self.got, feeds), outcome(self.want, feeds)
            state, text = compare(got, want, tolerance)
            if state == "wrong" and self.trial.op in CENTRES and isinstance(got, list) and isinstance(want, list):
                random = np.random.default_rng(0)
                others = [outcome(self.want, {n: nudged(random, x) for n, x in feeds.items()}) for _ in range(8)]
                if all(isinstance(other, list) for other in others):
                    state, text = compare(without_rounding(got, want, others), want, tolerance)
            return state, text


def reduced(runner, changes):
    """The changes without those that do not matter."""
    for change in list(changes):
        fewer = [c for c in changes if c is not change]
        if runner.run(fewer)[0] == "wrong":
            changes = fewer
    return changes


def save(folder, trial, changes):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(trial.model)
    for name, x in (trial.feeds | dict(changes)).items():
        for k, item in enumerate(x if isinstance(x, list) else [x]):
            np.save(folder / (f"{name}_{k}.npy" if isinstance(x, list) else f"{name}.npy"), item)


def shown(x):
    if isinstance(x, dict):
        return str(x)
    if isinstance(x, list):
        return "[" + ", ".join(map(shown, x)) + "]"
    return f"{x.dtype}{list(x.shape)}" + (f"={x.tolist()}" if x.dtype.kind in "iu" and x.size < 9 else "")


def described(trial, changes):
    feeds = trial.feeds | dict(changes)
    text = ", ".join(f"{n}:{shown(x)}" for n, x in sorted(feeds.items()))
    changed = ", ".join(f"{n} was {shown(trial.feeds[n])}" for n, _ in changes)
    return f"({text}) {trial.case.attrs} opset {trial.case.opset}; changed: {changed or 'nothing'}; {trial.notes}"


# ---- a child -------------------------------------------------------------------------------------------------------------

def run_trial(task, options, at, counts):
    """Findings of a trial: [(feed, text)]. at[0]: the feed in progress, -1 while compiling."""
    op, number, only = task
    at[0], at[1] = -1, at[1] + 1
    try:
        trial = Trial(op, options.seed, number, OPS)
    except Exception as error:  # of the generator, for attributes that the onnx package cannot write
        counts["not drawn"] += 1
        return [(-2, f"not drawn: {error!r:.200}")] if only is not None else []
    runner = Runner(trial, number, options.sanitize)
    if runner.refused():
        counts["models refused"] += 1
        return [(-1, f"refused: {runner.got}")] if only is not None else []
    counts["models"] += 1
    for k in range(options.feeds) if only is None else [only]:
        at[0], at[1] = k, at[1] + 1
        changes = trial.wrong_feeds(k)
        state, text = runner.run(changes)
        counts[state] += 1
        if only is not None or options.verbose:
            print(f"{op} {number} {k}: {state}: {text} {described(trial, changes)}", flush=True)
        if state == "wrong":
            changes = reduced(runner, changes)
            save(options.found / f"{op}-{options.seed}-{number}", trial, changes)
            return [(k, f"{runner.run(changes)[1] or text}\n    {described(trial, changes)}")]
    return []


def child(connection, options, at):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if not options.verbose:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # LLVM's last words
    while True:
        task = connection.recv()
        if task is None:
            return
        counts = collections.Counter()
        connection.send((run_trial(task, options, at, counts), counts))


class Worker:
    def __init__(self, options):
        self.options, self.task = options, None
        self.start()

    def start(self):
        self.at = multiprocessing.RawArray("q", 2)
        self.connection, end = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=child, args=(end, self.options, self.at), daemon=True)
        self.process.start()
        end.close()

    def give(self, task):
        self.task, self.seen, self.since, self.used = task, -1, time.time(), 0
        self.connection.send(task)

    def look(self):
        """None while it works, else (findings, counts)."""
        try:
            if self.connection.poll():
                result = self.connection.recv()
                self.task = None
                return result
        except (EOFError, ConnectionResetError):
            self.process.join()
            return self.died(f"ended by {signal_name(self.process.exitcode)}")
        if self.at[1] != self.seen:
            self.seen, self.since, self.used = self.at[1], time.time(), self.cpu_time()
        elif self.cpu_time() - self.used > HANGS_AFTER or time.time() - self.since > 60 * HANGS_AFTER:
            self.process.kill()
            self.process.join()
            return self.died(f"has not ended after {HANGS_AFTER} s")
        return None

    def cpu_time(self):
        """Seconds, of all threads. A busy machine makes nothing of it a hang."""
        try:
            fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            return 0.
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def died(self, how):
        op, number, _ = self.task
        feed = self.at[0]
        text = f"the process {how}" + (" while compiling" if feed < 0 else "")
        try:
            trial = Trial(op, self.options.seed, number, OPS)
            changes = trial.wrong_feeds(feed) if feed >= 0 else []
            save(self.options.found / f"{op}-{self.options.seed}-{number}", trial, changes)
            text += f"\n    {described(trial, changes)}"
        except Exception as error:
            text += f" (not drawn again: {error!r:.200})"
        self.start()
        self.task = None
        return [(feed, text)], collections.Counter(died=1)


def signal_name(code):
    return signal.Signals(-code).name if code and code < 0 else f"status {code}"


# ---- all ------------------------------------------------------------------------------------------------------------------

def tasks(options):
    ops = options.op or sorted(OPS)
    if options.number is not None:
        yield ops[0], options.number, options.feed
        return
    number = 0
    while True:
        for op in ops:
            yield op, number, None
        number += 1


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, help="stop after this time (and after --runs, if given)")
    parser.add_argument("--runs", type=int, help="stop after this many runs (and after --seconds, if given)")
    parser.add_argument("--feeds", type=int, default=60, help="of each model")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--op", action="append", choices=sorted(OPS), metavar="OP")
    parser.add_argument("--number", type=int, help="only this trial of --op")
    parser.add_argument("--feed", type=int, default=0, help="only this feed of --number")
    parser.add_argument("--sanitize", choices=["mixed", "always", "never"], default="mixed",
                        help="compiled code under the address sanitizer: in every second trial, or as it says")
    parser.add_argument("--found", type=pathlib.Path, default=ROOT / "build" / "fuzz" / "found" / "shapes")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if options.seed is None:
        options.seed = secrets.randbelow(10 ** 9)
    if options.seconds is None and options.runs is None:
        options.seconds = 60
    return options


def main():
    options = arguments()
    if MISSING:
        print(f"no generator for {sorted(MISSING)}: see {HERE / 'generators.py'}")
        return 1
    if options.number is not None:
        counts = collections.Counter()
        for feed, text in run_trial((options.op[0], options.number, options.feed), options, [0, 0], counts):
            print(f"feed {feed}: {text}")
        return 1 if counts["wrong"] else 0
    print(f"seed {options.seed}", flush=True)
    begin, todo, total, found = time.time(), tasks(options), collections.Counter(), collections.Counter()
    workers = [Worker(options) for _ in range(options.jobs)]

    def runs():
        return total["same"] + total["refused"] + total["limit"] + total["wrong"]

    def useless():
        """Almost no model runs, so that nothing is tested."""
        return total["models refused"] > 50 + total["models"]

    def ended():
        return useless() or (options.seconds is None or time.time() - begin > options.seconds) and \
               (options.runs is None or runs() >= options.runs)
    while True:
        busy = [w for w in workers if w.task]
        if ended() and not busy:
            break
        for w in workers:
            if not w.task:
                if not ended():
                    w.give(next(todo))
                continue
            task = w.task
            result = w.look()
            if result is None:
                continue
            findings, counts = result
            total += counts
            for feed, text in findings:
                found[task[0]] += 1
                print(f"{task[0]} --number {task[1]} --feed {feed}: {text}", flush=True)
        if all(w.task for w in workers):
            multiprocessing.connection.wait([w.connection for w in workers], 1)
    for w in workers:
        w.connection.send(None)
    print(f"{runs()} runs of {total['models']} models: {total['same']} the same, {total['refused']} refused, "
          f"{total['limit']} at a limit; {total['models refused']} models refused when compiled")
    if found:
        print(f"{sum(found.values())} trials fail, of {dict(found)}; saved in {options.found}; again: "
              f"{sys.executable} {HERE} --seed {options.seed} --op OP --number N --feed K")
    if useless():
        print("most models are refused when compiled: they test nothing")
    return 1 if found or useless() else 0


if __name__ == "__main__":
    sys.exit(main())
