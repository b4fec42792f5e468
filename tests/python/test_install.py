"""scripts/install.sh on a system that lacks packages, with programs of the test's own in the place of apt's; and what README.md
says of it."""
import os
import re
import stat
import subprocess

import pytest

APT = """#!/bin/sh
echo "apt-get $*" >>"$LOG"
case " $* " in *" install "*) [ -z "$APT_FAILS" ] || exit 100; cp "$BIN/make.later" "$BIN/make" ;; esac
"""


@pytest.fixture
def system(root, tmp_path):
    """Runs install.sh where nothing is installed: dpkg-query knows no package, and make comes with apt-get install."""
    folder, log = tmp_path / "bin", tmp_path / "log"
    folder.mkdir()
    log.touch()
    programs = {"apt-get": APT, "apt-cache": "#!/bin/sh\n", "id": "#!/bin/sh\necho 0\n",
                "dpkg-query": "#!/bin/sh\necho \"$HAVE\"\n", "make.later": "#!/bin/sh\necho \"make $* in $PWD\"\n"}
    for name, text in programs.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    for name in ("sh", "cp", "sed", "grep", "tee", "env", "dirname", "cat"):
        (folder / name).symlink_to(subprocess.run(["which", name], capture_output=True, text=True).stdout.strip())

    def run(*command, **env):
        done = subprocess.run([str(root / "scripts/install.sh"), *command], capture_output=True, text=True, cwd=tmp_path,
                              timeout=60, env={"PATH": str(folder), "BIN": str(folder), "LOG": str(log), "HAVE": "",
                                               "APT_FAILS": "", **env})
        return done, log.read_text()

    return run


def test_a_bare_system_gets_make_and_the_rest(system, root):
    done, log = system("make", "test", "JOBS=1")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"make test JOBS=1 in {root}\n"
    install = [line for line in log.splitlines() if " install " in line]
    assert len(install) == 1 and {"gcc", "make", "cmake", "llvm-22-dev", "python3-venv"} <= set(install[0].split())


def test_without_a_command_it_only_installs(system):
    done, log = system()
    assert done.returncode == 0 and not done.stdout and " install " in log


def test_the_command_is_not_run_when_apt_fails(system):
    done, _ = system("make", "test", APT_FAILS="1")
    assert done.returncode == 100 and not done.stdout


def test_nothing_is_installed_twice(system, root):
    text = (root / "scripts/install.sh").read_text()
    packages = re.search(r'packages="(.*?)"', text, re.DOTALL).group(1).split()
    done, log = system("sh", "-c", "exit 7", HAVE="\n".join(f"installed {p}" for p in packages))
    assert done.returncode == 7 and not log


def test_readme_begins_with_two_commands_and_ci_calls_the_second(root):
    start = (root / "README.md").read_text().split("## Start", 1)[1]
    commands = [line.split("#")[0].split() for line in re.search(r"```sh\n(.*?)```", start, re.DOTALL).group(1).splitlines()]
    assert commands == [["scripts/install.sh", "make", "run"], ["scripts/install.sh", "make", "test"]]
    last = (root / ".ci/run").read_text().splitlines()[-1]
    assert last.split() == ["exec", *commands[1]]
    assert all(os.stat(root / f).st_mode & stat.S_IXUSR for f in ("scripts/install.sh", ".ci/run"))
