"""The table of real models: Noria beside ONNX Runtime.

    python bench/zoo/run.py [--seconds S] [--table FILE] [NAME...]

Takes models out of wheels, and exports others by scikit-learn and torch, which it installs into build/zoo/venv. NAMEs
are patterns (`silero*`). $NORIA_ZOO is another folder for all that; $NORIA_TORCH_PYTHON is a Python that has torch,
torchvision and what requirements.txt here lists.
Exits with 1 where a model does not run or differs.
"""

import argparse
import fnmatch
import json
import os
import pickle
import platform
import statistics
import subprocess
import sys
import tempfile

import compare
import wheels

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FOLDER = os.environ.get("NORIA_ZOO", os.path.join(ROOT, "build", "zoo"))
LIMIT = 600  # seconds for one measurement
HEAD = ("model", "result", "compile", "cached", "1 thread", "ORT", "all threads", "ORT", "memory", "ORT")


def exporters():
    """The interpreters for the two scripts that export: the venv is made when a file of it is missing."""
    venv = os.path.join(FOLDER, "venv")
    stamp, torch = os.path.join(venv, "installed"), os.environ.get("NORIA_TORCH_PYTHON")
    lists = ["requirements.txt"] + ([] if torch else ["requirements-torch.txt"])
    if not os.path.exists(stamp):
        subprocess.run([sys.executable, "-m", "venv", "--clear", venv], check=True)
        subprocess.run(
            [
                os.path.join(venv, "bin", "python"),
                "-m",
                "pip",
                "install",
                "-q",
                "--disable-pip-version-check",
                *[w for name in lists for w in ("-r", os.path.join(HERE, name))],
            ],
            check=True,
        )
        open(stamp, "w").close()
    python = os.path.join(venv, "bin", "python")
    return {"export_sklearn.py": python, "export_torch.py": torch or python}


def make_models():
    """The paths of all models, made where they are missing."""
    folder = os.path.join(FOLDER, "models")
    os.makedirs(folder, exist_ok=True)
    wheels.fetch(folder)
    for script, python in exporters().items():
        subprocess.run([python, "-W", "ignore", os.path.join(HERE, script), folder], check=True)
    return [os.path.join(folder, f) for f in sorted(os.listdir(folder)) if f.endswith(".onnx")]


def measure(*arguments, **environment):
    """What measure.py prints, or the last line of its error as a text."""
    try:
        done = subprocess.run(
            [sys.executable, os.path.join(HERE, "measure.py"), *arguments],
            capture_output=True,
            text=True,
            timeout=LIMIT,
            env={**os.environ, **environment},
        )
    except subprocess.TimeoutExpired:
        return f"takes more than {LIMIT} s"
    if done.returncode < 0:
        return f"ends by signal {-done.returncode}"
    if done.returncode:
        return (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    return json.loads(done.stdout.splitlines()[-1])


def outputs(path):
    with open(path, "rb") as f:
        return pickle.load(f)


def one_row(path, seconds):
    """(cells, what is wrong or None, compile seconds or None)"""
    name = os.path.basename(path)[:-5]
    with tempfile.TemporaryDirectory() as scratch:
        files = {engine: os.path.join(scratch, engine) for engine in ("noria", "ort")}
        cache = os.path.join(scratch, "cache")
        peer = measure("load", "ort", path, files["ort"])
        ours = measure("load", "noria", path, files["noria"], NORIA_CACHE=cache)
        if isinstance(ours, str):
            return [name, "does not run"], ours, None
        cached = measure("load", "noria", path, files["noria"], NORIA_CACHE=cache)
        wrong = None if isinstance(peer, str) else compare.difference(outputs(files["noria"]), outputs(files["ort"]))
        cells = [
            name,
            f"ORT: {peer}" if isinstance(peer, str) else "differs" if wrong else "equal",
            f"{ours['load']:.2f} s",
            f"{cached['load'] * 1e3:.0f} ms",
        ]
        times = measure("time", path, str(seconds), NORIA_CACHE=cache) if not isinstance(peer, str) else None
    if isinstance(times, dict):
        for threads in ("1", "0"):
            cells += [f"{times[engine][threads] * 1e3:.3g} ms" for engine in ("noria", "ort")]
    else:
        wrong, cells = wrong or times, cells + ["-"] * 4
    cells += [f"{ours['peak']:.0f} MiB", "-" if isinstance(peer, str) else f"{peer['peak']:.0f} MiB"]
    return cells, wrong, ours["load"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="patterns of the models to try; all")
    parser.add_argument("--seconds", type=float, default=2, help="how long to time each model")
    parser.add_argument("--table", help="a file for the table as Markdown")
    options = parser.parse_args()
    rows, compiles, bad = [], [], []
    for path in make_models():
        name = os.path.basename(path)[:-5]
        if options.names and not any(fnmatch.fnmatch(name, pattern) for pattern in options.names):
            continue
        cells, wrong, seconds = one_row(path, options.seconds)
        rows.append(cells)
        compiles += [seconds] if seconds is not None else []
        bad += [f"{name}: {wrong}"] if wrong else []
        print("  ".join(f"{cell:{26 if i == 0 else 13}}" for i, cell in enumerate(cells)), wrong or "", flush=True)
    summary = (
        f"{len(rows)} models, {len(rows) - len(bad)} equal; compiling takes at most {max(compiles, default=0):.1f} s, "
        f"the median {statistics.median(compiles or [0]):.2f} s; {platform.machine()}, {os.cpu_count()} CPUs"
    )
    print(summary)
    if options.table:
        with open(options.table, "w") as f:
            f.write(
                "\n".join(
                    [
                        summary,
                        "",
                        "| " + " | ".join(HEAD) + " |",
                        "|" + "---|" * len(HEAD),
                        *("| " + " | ".join(r + [""] * (len(HEAD) - len(r))) + " |" for r in rows),
                        "",
                        *bad,
                    ]
                )
                + "\n"
            )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
