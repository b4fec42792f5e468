"""A checkout that was copied builds its own sources, and its Python environment is its own."""
import os
import shutil
import subprocess
import sys

import pytest

from conftest import BUILD, ROOT


@pytest.fixture
def copy(tmp_path):
    """The sources, and the build folder's configuration, with their times, as `cp -a` gives them."""
    if not (BUILD / "CMakeCache.txt").exists() or not (BUILD / "build.ninja").exists():
        pytest.skip("the build folder is no CMake and ninja one")
    root = tmp_path / "a copy"
    ignore = shutil.ignore_patterns("build", ".git", ".venv", "__pycache__", "corpus")
    shutil.copytree(ROOT, root, ignore=ignore, symlinks=True)
    build = root / "build" / "release"
    build.mkdir(parents=True)
    for name in ("CMakeCache.txt", "build.ninja", ".ninja_deps", ".ninja_log"):
        if (BUILD / name).exists():
            shutil.copy2(BUILD / name, build / name)
    return root


def run(*command, **environment):
    environment = {k: v for k, v in dict(os.environ, **environment).items() if v is not None}
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300, env=environment)


def cache(root):
    lines = (root / "build" / "release" / "CMakeCache.txt").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and line[0] not in "#/")


def test_a_copied_build_folder_is_made_anew(copy):
    venv = cache(copy).get("NORIA_VENV:PATH") or str(ROOT / ".venv")
    assert cache(copy)["CMAKE_HOME_DIRECTORY:INTERNAL"] == str(ROOT)
    done = run(copy / "scripts" / "configure.sh", "release", NORIA_VENV=venv)
    assert done.returncode == 0 and f"was made for {ROOT}, not for {copy}" in done.stderr, done
    assert cache(copy)["CMAKE_HOME_DIRECTORY:INTERNAL"] == str(copy)
    commands = run("ninja", "-C", copy / "build" / "release", "-t", "commands", "noria").stdout
    assert f"{ROOT}/src" not in commands and "/a copy/src" in commands.replace("\\ ", " ")
    # The next time there is nothing to do.
    again = run(copy / "scripts" / "configure.sh", "release", NORIA_VENV=venv)
    assert again.returncode == 0 and not again.stderr and not again.stdout, again


def test_make_configures_so(copy):
    """What `make build` does before it builds."""
    done = run("make", "-C", copy, "-n", "build")
    assert "scripts/configure.sh release" in done.stdout, done


def test_ninja_alone_says_that_the_folder_is_a_copy(tmp_path):
    """In a copy of a small folder, which is made as the build's rule is."""
    made, copied = tmp_path / "made", tmp_path / "copied"
    made.mkdir()
    check = ROOT / "scripts" / "check_folder.sh"
    (made / "build.ninja").write_text(
        f"rule check\n  command = cd '{made}' && sh '{check}' '{made}' $$PPID\nbuild check: check\n")  # fmt: skip
    shutil.copytree(made, copied)
    assert run("ninja", "-C", made).returncode == 0
    done = run("ninja", "-C", copied)
    assert done.returncode == 1 and f"was made for {made}" in done.stdout, done
    rules = (BUILD / "build.ninja").read_text()
    assert f"check_folder.sh {BUILD} $$PPID" in rules


def test_a_copied_environment_is_its_own(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    (old / "scripts").mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "venv.sh", old / "scripts")
    (old / "requirements.txt").write_text("")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", old / ".venv"], check=True)
    program = "#!{}/.venv/bin/python\nimport sys; print(sys.prefix)\n"
    for name in ("pip", "tool"):
        (old / ".venv" / "bin" / name).write_text(program.format(old))
        (old / ".venv" / "bin" / name).chmod(0o755)
    site = next((old / ".venv" / "lib").glob("python3*")) / "site-packages"
    (site / "noria.pth").write_text(f"{old}/python\n")
    checksum = subprocess.run(["sha256sum"], input="", capture_output=True, text=True, check=True).stdout
    (old / ".venv" / "noria-requirements.sha256").write_text(checksum)
    assert not run("sh", old / "scripts" / "venv.sh", NORIA_VENV=None).stderr
    shutil.copytree(old, new, symlinks=True)
    done = run("sh", new / "scripts" / "venv.sh", NORIA_VENV=None)
    assert done.returncode == 0 and f"was made as {old}/.venv" in done.stderr, done
    assert run(new / ".venv" / "bin" / "tool").stdout == f"{new}/.venv\n"
    (new / "python").mkdir()
    path = run(new / ".venv" / "bin" / "python", "-c", "import sys; print(sys.path)", PYTHONPATH=None).stdout
    assert f"{new}/python" in path and str(old) not in path
    assert f"{old}" not in (new / ".venv" / "bin" / "activate").read_text()
    assert not run("sh", new / "scripts" / "venv.sh", NORIA_VENV=None).stderr
