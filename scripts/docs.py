#!/usr/bin/env python3
"""Writes docs/dialects/<dialect>.md from the op rows: scripts/docs.py [path of noria] [--check]

With --check nothing is written; the exit code is 1 when a page is not what the rows say.
"""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "dialects"


def main():
    check = "--check" in sys.argv
    paths = [arg for arg in sys.argv[1:] if not arg.startswith("--")]
    noria = paths[0] if paths else ROOT / "build" / "release" / "noria"

    def ask(*options):
        return subprocess.run([noria, "opt", *options], check=True, capture_output=True, text=True).stdout

    stale = []
    for dialect in ask("--list-dialects").split():
        page = PAGES / f"{dialect}.md"
        text = ask("--list-ops=markdown", f"--dialect={dialect}")
        if not page.exists() or page.read_text() != text:
            stale.append(page.relative_to(ROOT))
            if not check:
                page.parent.mkdir(parents=True, exist_ok=True)
                page.write_text(text)
    for page in stale:
        print(f"{page}: {'not what the op rows say; run make docs' if check else 'written'}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
