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
    "pass": DIALECTS | {"interp", "target", "sparse", "pass"},
    "onnx": DIALECTS | {"interp", "target", "onnx", "pass"},
    "abi": DIALECTS | {"pass", "abi"},
    "sparse": {"base", "sparse"},
    "codegen": DIALECTS | {"interp", "target", "pass", "codegen"},
    "runtime": {"base", "runtime"},
    "driver": DIALECTS | {"interp", "onnx", "target", "pass", "abi", "codegen", "runtime", "sparse", "driver"},
}

# Installed headers: exec_abi.h includes nothing of ours, so every layer above base may use its types.
PUBLIC = {
    "noria/exec_abi.h": set(LAYERS) - {"base"},
    "noria/runtime.h": {"runtime", "driver"},
    "noria/dlpack.h": {"runtime"},
    "noria/noria.h": {"driver"},
    "noria/kernels.h": {"driver"},
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
     ("src/base/guard.c", "src/runtime/sanitize.c", "src/runtime/image/jpeg.c")),
    (r"#\s*include\s*<assert\.h>", "base.h has the assert that does not end the process", ()),
    (r"(?<![\w.>])(?:printf|puts|putchar|perror)\s*\(|[(,]\s*(?:stderr|stdout)\s*[,)]", "library code does not print",
     ("src/base/",)),
    (rf"(?<![\w.>*])(?:{ALLOCATORS})\s*\(", "compiler code allocates through nr_malloc and arenas",
     ("src/base/heap.c", "src/runtime/")),
    (r"(?<![\w.>])(?:strcpy|strcat|sprintf|vsprintf|gets|atoi|atol|atof|alloca|strtok)\s*\(",
     "a call without a bound or an error", ()),
]

# Operands, results and regions of an op are asked for by name; the accessors are generated from the op definitions.
# Only src/ir, which knows no op, counts them. A number in the index is a literal, or what is added to one. A function
# that passes a parameter on as such an index is held to the same at its calls.
NUMBERED = [
    (re.compile(r"\bnr_(?:op_set_|op_erase_|op_insert_)?operand\("), "an operand is asked for by its name"),
    (re.compile(r"\bnr_result\("), "a result is asked for by its name, the only one by nr_op_result"),
    (re.compile(r"\bnr_op_(?:body|region)\("), "a region is asked for by its name, the only one by nr_op_only_body"),
    (re.compile(r"\bnr_op_(?:operand_group|group_operand|result_group)\("), "a group is asked for by its name"),
]
IN_A_TABLE = [
    (re.compile(r"\bnr_use_index\([^()]*\)\s*[=!<>]=?\s*\d"), "an operand is compared with its index constant"),
    (re.compile(r"\bNrIndexListSlot\b[^;{}()]*=\s*\{+\s*\d"), "a group is named by its index constant"),
]
# A node of dialect onnx has a list of inputs and one of outputs, numbered as in the ONNX specification.
LISTS = {"nr_lower_in", "nr_lower_out", "nr_lower_dtype", "nr_lower_wants", "nr_scalar_element", "nr_lower_item",
         "nr_node_input", "declared_output"}
A_NUMBER = re.compile(r"\d+(?:\s*\+.*)?|.*\+\s*\d+|.*\?\s*\d+\s*:\s*\d+", re.S)
MAY_NUMBER = ("src/ir/",)

# src/ir knows dialect builtin only. Of the others it has the tables that it includes as a whole (dialect/*.def). It has
# the name of func too, whose prefix a text may leave out.
OTHERS = sorted({path.parent.name for path in (ROOT / "src/dialect").glob("*/ops.def")} - {"builtin"})
DIALECT_IN_IR = re.compile(rf"\bNR_(?:OP|TYPE|ATTR)_(?:{'|'.join(OTHERS)})_\w*|\"(?:{'|'.join(OTHERS)})\.\w*"
                           rf"|#\s*include\s*\"dialect/(?:{'|'.join(OTHERS)})/[^\"]*\"")

LONGEST_FILE = 1000
LONGEST_LINE = 120
LONGEST_TEST_LINE = 160  # of tests in C and Python, which hold whole models and tables as text
SOURCES = {".c", ".h", ".def"}
TEXT = SOURCES | {".py", ".sh", ".mlir", ".test", ".md", ".txt", ".cmake", ".json"}
OTHER_KINDS = {".bytes", ".elf", ".mtx", ".npy", ".onnx", ".safetensors", ".map", ".ini",
               ".bmp", ".jp2", ".jpeg", ".png", ".pnm", ".tiff", ".webp"}
WITHOUT_KIND = {".clang-format", ".gitignore", "LICENSE", "Makefile", "run"}
LONG_LINES_ARE_FINE = {".test", ".md", ".txt"}
LONG_IR_IS_FINE_IN = {"tests"}

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


FUNCTION = re.compile(
    r"^(?!#|typedef|else)(?P<type>[A-Za-z][\w *]*?)\b(?P<name>\w+)\((?P<params>[^;{}()]*)\) \{(?P<body>.*?)(?:^\}|\}$)",
    re.M | re.S)


class Indexed:
    """The functions that pass a parameter on as the index of an operand, a result, a region or a group."""

    def __init__(self):
        self.functions = []  # (path or None where it is seen everywhere, name, parameters, body)
        self.found = {}      # (path or None, name) -> {position of the parameter: message}

    def read(self, path, code):
        for match in FUNCTION.finditer(code):
            params = [re.sub(r"\[.*", "", p).split()[-1].lstrip("*") for p in match["params"].split(",") if p.strip()]
            own = None if not match["type"].startswith("static") or path.suffix == ".h" else str(path)
            if match["name"] not in LISTS:
                self.functions.append((str(path), own, match["name"], params, match["body"]))

    def solve(self):
        more = True
        while more:
            more = False
            for path, own, name, params, body in self.functions:
                for given, _, message in self.indices(path, body):
                    known = self.found.setdefault((own, name), {})
                    if given in params and params.index(given) not in known:
                        known[params.index(given)] = message
                        more = True

    def indices(self, path, code):
        """Each index in code: as written, the place of the call, and what to say of a number."""
        for pattern, message in NUMBERED:
            for match in pattern.finditer(code):
                given = arguments(code, match.end())
                if len(given) > 1:
                    yield given[1], match, message
        for match in re.finditer(r"\(NrIndexListSlot\)\{([^,{}]*),", code):
            yield match[1].strip(), match, "a group is named by its index constant"
        for match in re.finditer(r"\b(\w+)\(", code):
            known = self.found.get((path, match[1])) or self.found.get((None, match[1]))
            if known:
                given = arguments(code, match.end())
                for position, message in known.items():
                    if position < len(given):
                        yield given[position], match, message


indexed = Indexed()


def check_numbers(path, code):
    if str(path).startswith(MAY_NUMBER):
        return
    for given, match, message in indexed.indices(str(path), code):
        if A_NUMBER.fullmatch(given):
            report(path, line_of(code, match.start()), f"{match.group(0)}.., {given}: {message}")
    for pattern, message in IN_A_TABLE:
        for match in pattern.finditer(code):
            report(path, line_of(code, match.start()), f"{match.group(0)}: {message}")


def check_ir(path, text):
    if path.parts[:2] == ("src", "ir") and path.name != "attr_names.def":  # names that code of all layers asks for
        for match in DIALECT_IN_IR.finditer(without_comments(text)):
            report(path, line_of(text, match.start()), f"{match.group(0)}: src/ir names no dialect but builtin")


def check_circles(includes):
    """The folders of src/dialect form no circle: {folder: {folder that it includes: a file that does}}. ops.h, which is
    generated from the definitions, does not count."""
    left = dict(includes)
    while free := [folder for folder, below in left.items() if not below.keys() & left.keys()]:
        for folder in free:
            del left[folder]
    for folder, below in left.items():
        for target in below.keys() & left.keys():
            report(below[target], 1, f"includes dialect/{target}, in a circle with dialect/{folder}")


def dialect_includes(path, text, includes):
    folder = path.parts[2]
    includes.setdefault(folder, {})
    for match in re.finditer(r'^#include "dialect/(\w+)/(?!ops\.h")', text, re.M):
        if match[1] != folder:
            includes[folder][match[1]] = path


def check_text(path, text):
    lines = text.split("\n")
    long_ir = path.suffix == ".mlir" and path.parts[0] in LONG_IR_IS_FINE_IN
    longest = None if long_ir or path.suffix in LONG_LINES_ARE_FINE else LONGEST_LINE
    if longest and "tests" in path.parts:
        longest = LONGEST_TEST_LINE
    for number, line in enumerate(lines, 1):
        if longest and len(line) > longest:
            report(path, number, f"line of {len(line)} columns; {longest} is the limit")
        if line.rstrip() != line and path.suffix != ".md":
            report(path, number, "space at the end of the line")
        if line.startswith(("<" * 7 + " ", ">" * 7 + " ")):
            report(path, number, "a conflict that a merge left")
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
    files, sources, includes = tree_files(), [], {}
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
                code = without_comments_and_strings(text)
                sources.append((path, code))
                indexed.read(path, code)
                check_ir(path, text)
            if path.parts[:2] == ("src", "dialect") and len(path.parts) == 4:
                dialect_includes(path, text, includes)
        if path.suffix == ".md":
            check_markdown_links(path, text)
    indexed.solve()
    for path, code in sources:
        check_numbers(path, code)
    check_circles(includes)
    for finding in findings:
        print(finding)
    print(f"lint: {len(findings)} finding{'s' if len(findings) != 1 else ''} in {len(files)} files", file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
