# Text tests: every .mlir and .test file under tests/ with a RUN line.
#
#   lit -sv tests                              uses build/release
#   lit -sv tests -DNORIA_BUILD=build/asan     uses another build
import os
import platform

import lit.formats

config.name = "noria"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["unit", "python", "fuzz", "Inputs"]
config.available_features.add(platform.machine())  # REQUIRES: x86_64
config.test_source_root = os.path.dirname(__file__)

root = os.path.dirname(config.test_source_root)
build = os.path.abspath(lit_config.params.get("NORIA_BUILD", os.path.join(root, "build", "release")))
config.test_exec_root = os.path.join(build, "tests", "text")
llvm_tools = "/usr/lib/llvm-22/bin"

tool = os.path.join(build, "noria")
if not os.path.exists(tool):
    lit_config.fatal(f"{tool} is missing: run `make build` first")

# Names are replaced only as whole words outside of paths and options; `noria` starts a command.
config.substitutions += [
    (r"(?<![-\w/.])noria(?=\s+[-a-z])", tool),
    (r"(?<![-\w/.])FileCheck\b", os.path.join(llvm_tools, "FileCheck")),
    (r"(?<![-\w/.])mlir-opt\b", os.path.join(llvm_tools, "mlir-opt")),
    (r"(?<![-\w/.])not\b(?=\s)", os.path.join(llvm_tools, "not")),
]
config.environment["PATH"] = os.pathsep.join([build, llvm_tools, os.environ.get("PATH", "")])
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS", "HOME"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
config.environment["NORIA_CACHE"] = "off"
