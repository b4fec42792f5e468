"""The benchmark of collectives: Noria's ranks over MPI beside the same call of MPI in plain C, in the same run and in
turns, and ranks that are threads. The least of many rounds counts, of the slowest rank.

    python bench/collectives.py

bench/run.py makes it a section of bench/RESULTS.md.
"""

import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
BUILD = os.environ.get("NORIA_BUILD", os.path.join(ROOT, "build", "release"))
# More ranks than processors, and root, are refused otherwise.
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **os.environ}
RUNS = 3
BAR = "MPI x 1.1; threads MPI / 2"


def once(command):
    """{(op, bytes): (seconds, seconds of the peer)}"""
    out = subprocess.run(command, check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout
    lines = (line.split() for line in out.splitlines())
    return {(op, int(size)): (float(ours), float(peer)) for op, size, ours, peer in lines}


def least(command):
    runs = [once(command) for _ in range(RUNS)]
    return {key: tuple(min(run[key][k] for run in runs) for k in (0, 1)) for key in runs[0]}


class Section:
    def __init__(self):
        self.rows = []

    def add(self, ranks, op, size, over_mpi, peer, threads, copy):
        ok = over_mpi <= 1.1 * peer and 2 * threads <= peer
        name = f"{op} of {size >> 10} KB, {ranks} ranks"
        cells = [f"{v * 1e6:.4g}" for v in (over_mpi, peer, threads, copy)]
        cells += [f"{over_mpi / peer:.2f}x", f"{peer / threads:.2f}x"]
        self.rows.append((name, *cells, ok))
        print(f"{name:34} Noria {cells[0]} us  MPI {cells[1]} us ({cells[4]})  threads {cells[2]} us (MPI {cells[5]})  "
              f"copy {cells[3]} us", "| met" if ok else "| NOT met", flush=True)

    def text(self):
        lines = ["", "## Collectives", "",
                 "Beside the same call of Open MPI in plain C, in the same run and in turns: µs, the least of many "
                 f"rounds, of the slowest rank; f32, {len(os.sched_getaffinity(0))} CPUs. Sizes: of the result. "
                 f"Bar: {BAR}. Copy: what `memcpy` takes for as many bytes, each rank from its neighbour's memory; "
                 "where MPI takes less than twice that, no all_gather and no all_to_all of threads can be twice as "
                 "fast.", "",
                 "| what | Noria over MPI | MPI | threads | copy | over MPI takes | MPI takes, of threads | |",
                 "|---|---|---|---|---|---|---|---|"]
        for *cells, ok in self.rows:
            lines.append("| " + " | ".join(cells) + f" | {'met' if ok else '**not met**'} |")
        return "\n".join(lines) + "\n"


def bench():
    """None where there is no MPI."""
    if not shutil.which("mpicc") or not shutil.which("mpirun"):
        print("collectives: not measured, for there is no mpicc or mpirun")
        return None
    section = Section()
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "collectives")
        folders = ["-I", os.path.join(ROOT, "src"), "-I", os.path.join(ROOT, "include"), "-L", BUILD]
        subprocess.run(["mpicc", "-O2", "-D_GNU_SOURCE", *folders, os.path.join(HERE, "collectives.c"), "-o", program,
                        "-lnoria", f"-Wl,-rpath,{BUILD}", "-lpthread"], check=True)
        for ranks in (2, 4):
            over_mpi = least(["mpirun", "--oversubscribe", "-n", str(ranks), program, "mpi"])
            threads = least([program, "threads", str(ranks)])
            for (op, size), (ours, peer) in over_mpi.items():
                section.add(ranks, op, size, ours, peer, *threads[op, size])
    return section


if __name__ == "__main__":
    result = bench()
    sys.exit(0 if result is None or all(row[-1] for row in result.rows) else "some bars are not met")
