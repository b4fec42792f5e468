"""The names of CPUs and features that Noria knows against those that LLVM lists."""

import platform
import re
import subprocess

import pytest
from conftest import ROOT

LLC = "/usr/lib/llvm-22/bin/llc"
ARCHES = {"x86_64": ("x86_64", "#if defined(__x86_64__)"), "aarch64": ("aarch64", "#elif defined(__aarch64__)")}


def listed(triple):
    text = subprocess.run([LLC, f"-mtriple={triple}", "-mcpu=help"], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True).stderr  # fmt: skip
    return [set(re.findall(r"^  (\S+)\s+- ", part, re.M)) for part in text.split("Available features for this target:")]


def known(begin):
    text = (ROOT / "src/codegen/llvm/cpus.c").read_text().split(begin)[1]
    arrays = re.findall(r"static const char (\w+)\[\] =((?:\s*\"[^\"]*\")+);", text)[:2]
    names = {name: "".join(re.findall(r'"([^"]*)"', strings)).split() for name, strings in arrays}
    return names["names"], names["features"]


@pytest.mark.parametrize("arch", ARCHES)
def test_names_are_llvms(arch):
    triple, begin = ARCHES[arch]
    cpus, features = listed(triple)
    our_cpus, our_features = known(begin)
    assert set(our_features) == features
    assert set(our_cpus) <= cpus
    # Those that are left out cannot run 64-bit code.
    left_out = sorted(cpus - set(our_cpus))
    assert (arch == "x86_64") == bool(left_out)
    for cpu in left_out[::8]:
        done = subprocess.run([LLC, f"-mtriple={triple}", f"-mcpu={cpu}", "-o", "/dev/null"], capture_output=True,
                              input="define void @f() { ret void }", text=True)  # fmt: skip
        assert done.returncode and "64-bit code requested" in done.stderr, cpu


def test_the_machine_is_one_of_them():
    assert platform.machine() not in ARCHES or "native" not in known(ARCHES[platform.machine()][1])[0]
