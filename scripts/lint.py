#!/usr/bin/env python3
"""Checks the rules of the source tree that a compiler does not: layers, forbidden calls, file sizes, plain text.

Prints one `file:line: message` per finding and exits with 1 if there is any.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What each folder of src/ may include from the others. Arrows point down: base <- ir <- dialect <- interp <- pass
# <- {onnx, abi, codegen} <- driver <- tools; the runtime stands beside them on base alone.
DIALECTS = {"base", "ir", "dialect"}
LAYERS = {
    "base": {"base"},
    "ir": {"base", "ir"},
    "dialect": DIALECTS,
    "interp": DIALECTS | {"interp"},
    "target": DIALECTS | {"target"},
    "pass": DIALECTS | {"interp", "target", "pass"},
    "onnx": DIALECTS | {"interp", "target", "onnx", "pass"},
    "abi": DIALECTS | {"pass", "abi"},
    "codegen": DIALECTS | {"interp", "target", "pass", "codegen"},
    "runtime": {"base", "runtime"},
    "driver": DIALECTS | {"interp", "onnx", "target", "pass", "abi", "codegen", "runtime", "driver"},
}

# Installed headers: exec_abi.h includes nothing of ours, so every layer above base may use its types.
PUBLIC = {
    "noria/exec_abi.h": set(LAYERS) - {"base"},
    "noria/runtime.h": {"runtime", "driver"},
    "noria/dlpack.h": {"runtime"},
    "noria/noria.h": {"driver"},
}

# Headers of other people, and the only folders that may include them.
FOREIGN = {
    re.compile(r"llvm"): ("src/codegen/llvm/",),
    re.compile(r"\.pb-c\.h$|^protobuf-c/"): ("src/onnx/", "tests/unit/onnx/", "tests/fuzz/"),
}

# Calls that library code must not make: (pattern, message, paths where it may).
ALLOCATORS = r"malloc|calloc|realloc|free|strdup|strndup|asprintf|vasprintf"
CALLS = [
    (r"(?<![\w.>])(?:exit|_exit|abort|_?longjmp|_?setjmp)\s*\(", "library code does not end or leave the program",
     ("src/base/guard.c", "src/runtime/sanitize.c")),
    (r"#\s*include\s*<assert\.h>", "base.h has the assert that does not end the process", ()),
    (r"(?<![\w.>])(?:printf|puts|putchar|perror)\s*\(|[(,]\s*(?:stderr|stdout)\s*[,)]", "library code does not print",
     ("src/base/",)),
    (rf"(?<![\w.>*])(?:{ALLOCATORS})\s*\(", "compiler code allocates through nr_malloc and arenas",
     ("src/base/heap.c", "src/runtime/")),
    (r"(?<![\w.>])(?:strcpy|strcat|sprintf|vsprintf|gets|atoi|atol|atof|alloca|strtok)\s*\(",
     "a call without a bound or an error", ()),
]

# Operands, results and regions of an op are asked for by name; the accessors are generated from the op definitions.
# Only src/ir, which knows no op, counts them. A number in the index is a literal, or what is added to one.
NUMBERED = [
    (re.compile(r"\bnr_(?:op_set_|op_erase_|op_insert_)?operand\("), "an operand is asked for by its name"),
    (re.compile(r"\bnr_result\("), "a result is asked for by its name, the only one by nr_op_result"),
    (re.compile(r"\bnr_op_(?:body|region)\("), "a region is asked for by its name, the only one by nr_op_only_body"),
    (re.compile(r"\bnr_op_(?:operand_group|group_operand|result_group)\("), "a group is asked for by its name"),
]
A_NUMBER = re.compile(r"\d+(?:\s*\+.*)?|.*\+\s*\d+|.*\?\s*\d+\s*:\s*\d+", re.S)
MAY_NUMBER = ("src/ir/",)
NOT_NAMED_YET = ("src/abi/", "src/codegen/", "src/interp/", "src/onnx/", "src/pass/", "src/target/")

LONGEST_FILE = 1000
LONGEST_LINE = 120
LONGEST_TEST_LINE = 160  # tests hold whole models and tables as text
SOURCES = {".c", ".h", ".def"}
TEXT = SOURCES | {".py", ".sh", ".mlir", ".test", ".md", ".txt", ".cmake", ".json"}
OTHER_KINDS = {".elf", ".npy", ".onnx", ".map", ".ini"}
WITHOUT_KIND = {".clang-format", ".gitignore", "LICENSE", "Makefile", "run"}
LONG_LINES_ARE_FINE = {".mlir", ".test", ".md", ".txt"}

findings = []


def report(path, line, message):
    findings.append(f"{path}:{line}: {message}")


def blank(match):
    """Spaces of the same shape, so that line numbers stay."""
    return re.sub(r"[^\n]", " ", match.group(0))


def without_comments_and_strings(text):
    token = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.S)
    return token.sub(blank, text)


def without_comments(text):
    token = re.compile(r"(\"(?:\\.|[^\"\\\n])*\")|//[^\n]*|/\*.*?\*/", re.S)
    return token.sub(lambda m: m.group(1) or blank(m), text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def check_includes(path, text):
    name = str(path)
    layer = path.parts[1] if path.parts[0] == "src" else None
    for match in re.finditer(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', without_comments(text), re.M):
        quoted, target = match.group(1) == '"', match.group(2)
        line = line_of(text, match.start())
        for pattern, folders in FOREIGN.items():
            if pattern.search(target) and not quoted_own(quoted, target) and not name.startswith(folders):
                report(path, line, f"only {', '.join(folders)} may include {target}")
        if layer is None:
            continue
        if target in PUBLIC:
            if layer not in PUBLIC[target]:
                report(path, line, f"src/{layer} may not include {target}")
            continue
        folder = target.split("/")[0] if "/" in target else layer
        if layer == "ir" and folder == "dialect" and target.endswith(".def"):
            continue  # the rows are what the enum of ops is made of
        if quoted and folder in LAYERS and folder not in LAYERS[layer]:
            report(path, line, f"src/{layer} may not include {target}: it is not below it")


def quoted_own(quoted, target):
    """An include of our own tree, such as "codegen/llvm/emit.h"."""
    return quoted and (ROOT / "src" / target).exists()


def check_calls(path, text):
    code = without_comments_and_strings(text)
    for pattern, message, allowed in CALLS:
        if any(str(path).startswith(prefix) for prefix in allowed):
            continue
        for match in re.finditer(pattern, code):
            found = match.group(0).strip().rstrip("(").strip()
            report(path, line_of(code, match.start()), f"{found}: {message}")


def arguments(code, begin):
    """The arguments of the call whose parenthesis opens in front of begin."""
    depth, start, found = 1, begin, []
    for i in range(begin, len(code)):
        depth += (code[i] in "([{") - (code[i] in ")]}")
        if depth == 0 or (depth == 1 and code[i] == ","):
            found.append(code[start:i].strip())
            start = i + 1
        if depth == 0:
            break
    return found


def check_numbers(path, text):
    if str(path).startswith(MAY_NUMBER + NOT_NAMED_YET):
        return
    code = without_comments_and_strings(text)
    for pattern, message in NUMBERED:
        for match in pattern.finditer(code):
            given = arguments(code, match.end())
            if len(given) > 1 and A_NUMBER.fullmatch(given[1]):
                report(path, line_of(code, match.start()), f"{match.group(0)}.., {given[1]}: {message}")


def check_text(path, text):
    lines = text.split("\n")
    longest = LONGEST_LINE if path.suffix not in LONG_LINES_ARE_FINE else None
    if longest and "tests" in path.parts:
        longest = LONGEST_TEST_LINE
    for number, line in enumerate(lines, 1):
        if longest and len(line) > longest:
            report(path, number, f"line of {len(line)} columns; {longest} is the limit")
        if line.rstrip() != line and path.suffix != ".md":
            report(path, number, "space at the end of the line")
        if "\t" in line and path.suffix in SOURCES | {".py"}:
            report(path, number, "tab")
    if text and not text.endswith("\n"):
        report(path, len(lines), "no newline at the end of the file")
    if path.suffix in SOURCES | {".py"} and len(lines) > LONGEST_FILE:
        if not any("Long because" in line for line in lines[:40]):
            report(path, 1, f"{len(lines)} lines: cut it, or say 'Long because ...' in its first comment")
    if path.suffix in SOURCES:
        for match in re.finditer(r"\b(?:TODO|FIXME|XXX|HACK)\b", text):
            report(path, line_of(text, match.start()), f"{match.group(0)}: finish it or put it in docs/roadmap.md")


def check_markdown_links(path, text):
    for match in re.finditer(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", re.sub(r"```.*?```", blank, text, flags=re.S)):
        target = match.group(1)
        if "://" not in target and not (ROOT / path.parent / target).exists():
            report(path, line_of(text, match.start()), f"link to {target}, which does not exist")


def tree_files():
    """What git knows or would take; without git, everything but builds and environments."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0:
        return [pathlib.Path(name) for name in listed.stdout.split("\0") if name]
    return [path.relative_to(ROOT) for path in ROOT.rglob("*")
            if path.is_file() and not {"build", ".venv", ".git"} & set(path.relative_to(ROOT).parts)]


def main():
    files = tree_files()
    for path in sorted(set(files)):
        if path.suffix not in TEXT | OTHER_KINDS and path.name not in WITHOUT_KIND:
            report(path, 1, "a file of a kind that the tree does not have; what tools leave behind stays out")
        if path.suffix not in TEXT or not (ROOT / path).is_file() or "Inputs" in path.parts:
            continue
        text = (ROOT / path).read_text(encoding="utf-8")
        check_text(path, text)
        if path.suffix in SOURCES:
            check_includes(path, text)
            if path.parts[0] == "src":
                check_calls(path, text)
                check_numbers(path, text)
        if path.suffix == ".md":
            check_markdown_links(path, text)
    for finding in findings:
        print(finding)
    print(f"lint: {len(findings)} finding{'s' if len(findings) != 1 else ''} in {len(files)} files", file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
