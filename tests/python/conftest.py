"""What the Python tests share: where the build is, and how to call the tool."""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ["NORIA_CACHE"] = "off"  # what is tested is compiled; test_cache.py sets its own
BUILD = pathlib.Path(os.environ.get("NORIA_BUILD", ROOT / "build" / "release")).resolve()


def pytest_addoption(parser):
    parser.addoption("--part", help="I/N: of the list of files each Nth, from number I on")


def pytest_collection_modifyitems(config, items):
    if part := config.getoption("--part"):
        number, of = map(int, part.split("/"))
        files = {path: i for i, path in enumerate(sorted({item.path for item in items}))}
        config.hook.pytest_deselected(items=[item for item in items if files[item.path] % of != number])
        items[:] = [item for item in items if files[item.path] % of == number]


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def noria_tool():
    """Runs `noria ARGS...` and gives the finished process, its output as text."""
    tool = BUILD / "noria"
    if not tool.exists():
        pytest.skip(f"{tool} is not built")

    def run(*args, stdin=None, timeout=60):
        return subprocess.run([tool, *map(str, args)], input=stdin, capture_output=True, text=True, timeout=timeout)

    return run
