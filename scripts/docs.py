#!/usr/bin/env python3
"""Writes docs/dialects/<dialect>.md from the op rows, docs/passes.md from the passes and the heads of their files, and
the ops that a backend knows in docs/codegen.md:
scripts/docs.py [path of noria] [--check]

With --check nothing is written; the exit code is 1 when a page is not what the rows and passes say. The heads
of files and the tests may be newer than the page.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"

PASSES_HEAD = """# Passes

Made by `make docs` from src/pass and `noria opt --list-passes`. Each pass has its options, the names that it has in
mlir-opt, today and in 2020, the head of its file with a program before and after, and the tests that hold it to that.
How passes are run is in [ir.md](ir.md#passes), the order in which programs go through them in
[architecture.md](architecture.md).
"""


def head_of(path):
    """The comment at the head of a C file, without the file's name."""
    comment = re.match(r"/\* \S+ - (.*?)\s*\*/", path.read_text(), re.S)[1]
    return "\n".join(re.sub(r"^ \* ?", "", line).rstrip() for line in comment.splitlines())


def listed_passes(text):
    """(name, what it does, options, other names) of each pass."""
    passes = []
    for line in text.splitlines():
        if not line.startswith(" "):
            passes.append((*re.match(r"(\S+)\s+(.*)", line).groups(), [], []))
        elif re.match(r"\s+scf\.while: ", line):
            continue  # while_page
        elif other := re.match(r"\s+also --([\w-]+)", line):
            passes[-1][3].append(other[1])
        else:
            passes[-1][2].append(re.match(r"\s+(\S+): ([^(]*\S) \((.*)\)$", line).groups())
    return passes


def sources():
    """Pass name -> the file of the pass, and the name of its row."""
    found = {}
    for path in [*(ROOT / "src").rglob("*.c")]:
        for row, fields in re.findall(r"^NR_PASS\((\w+), (.*?)\)$", path.read_text(), re.M | re.S):
            found[re.search(r'\.name = "(.*?)"', fields)[1]] = (path, row)
    return found


def tests_of(name, row):
    """Its own tests; where it has none, those of others that name it."""
    files = [path for path in sorted((ROOT / "tests").rglob("*"), key=lambda path: ("pass" not in path.parts, path))
             if path.suffix in (".mlir", ".test", ".py") and "corpus" not in path.parts]
    tests = [path for path in files if re.fullmatch(rf"(test_)?{row}(_.*)?", path.stem)]
    tests = tests or [path for path in files if re.search(rf"(?<!\w)(?<!\w-){name}(?![\w-])", path.read_text())]
    return ", ".join(f"[{path.name}](../{path.relative_to(ROOT)})" for path in tests[:4])


def passes_page(listing):
    known, page = sources(), [PASSES_HEAD]
    for name, what, options, others in sorted(listed_passes(listing)):
        path, row = known[name]
        page.append(f"\n## `{name}`\n\n{what[0].upper()}{what[1:]}.\n")
        if others:
            page.append(f"\nOther names: {', '.join(f'`{other}`' for other in others)}.\n")
        if options:
            page.append("\n| option | | |\n|---|---|---|\n")
            page += [f"| `{option}` | {kind} | {doc} |\n" for option, kind, doc in options]
        page.append(f"\n```\n{head_of(path)}\n```\n")
        if tests := tests_of(name, row):
            page.append(f"\nTests: {tests}.\n")
    return "".join(page)


def without_heads(page):
    return re.sub(r"^```\n.*?^```$|^Tests: [^\n]*$", "", page, flags=re.M | re.S)


def codegen_page():
    """docs/codegen.md with the list of src/pass/expand/emittable.def."""
    ops = {}
    rows = (ROOT / "src/pass/expand/emittable.def").read_text()
    for dialect, op in re.findall(r"^EMIT\((\w+), (\w+)\)$", rows, re.M):
        ops.setdefault(dialect, []).append(f"`{op}`")
    rows = "".join(f"| `{dialect}` | {' '.join(names)} |\n" for dialect, names in ops.items())
    table = f"<!-- emittable -->\n| dialect | ops |\n|---|---|\n{rows}<!-- end -->"
    return re.sub(r"<!-- emittable -->.*?<!-- end -->", table, (DOCS / "codegen.md").read_text(), flags=re.S)


def while_page(listing):
    """docs/while.md with the table of what each pass does where a program has a while."""
    stated = dict(re.findall(r"^(\S+) .*(?:\n .*)*?\n\s+scf\.while: (.*)$", listing, re.M))
    texts = [(path, path.read_text()) for path in sorted((ROOT / "tests").rglob("*.mlir"))]
    texts = [(path, text) for path, text in texts if re.search(r"scf\.(while|loop)", text)]
    rows = []
    for name, what, _, others in sorted(row for row in listed_passes(listing) if stated[row[0]] == "handled"):
        runs = "|".join(map(re.escape, [name, *others]))
        tests = [path for path, text in texts if re.search(rf"RUN:.*[-=,](?:{runs})(?![\w-])", text)]
        if not tests:
            sys.exit(f"docs.py: {name} is said to handle scf.while, but no test runs it on one")
        links = ", ".join(f"[{path.name}](../{path.relative_to(ROOT)})" for path in tests[:2])
        rows.append(f"| `{name}` | {what} | {links} |\n")
    for answer, words in (("a barrier", "Barriers"), ("rejected", "Rejected by")):
        names = ", ".join(f"`{name}`" for name in sorted(stated) if stated[name] == answer)
        rows.append(f"\n{words}: {names}.\n")
    table = "<!-- passes -->\n| pass | what it does | tests |\n|---|---|---|\n" + "".join(rows) + "<!-- end -->"
    return re.sub(r"<!-- passes -->.*?<!-- end -->", lambda _: table, (DOCS / "while.md").read_text(), flags=re.S)


def main():
    check = "--check" in sys.argv
    paths = [arg for arg in sys.argv[1:] if not arg.startswith("--")]
    noria = paths[0] if paths else ROOT / "build" / "release" / "noria"

    def ask(*options):
        return subprocess.run([noria, "opt", *options], check=True, capture_output=True, text=True).stdout

    pages = {DOCS / "dialects" / f"{dialect}.md": ask("--list-ops=markdown", f"--dialect={dialect}")
             for dialect in ask("--list-dialects").split()}
    pages[DOCS / "passes.md"] = passes_page(ask("--list-passes"))
    pages[DOCS / "codegen.md"] = codegen_page()
    pages[DOCS / "while.md"] = while_page(ask("--list-passes"))
    stated = without_heads if check else str
    stale = [page for page, text in pages.items() if not page.exists() or stated(page.read_text()) != stated(text)]
    for page in stale:
        if not check:
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(pages[page])
        print(f"{page.relative_to(ROOT)}: {'not what the source says; run make docs' if check else 'written'}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
