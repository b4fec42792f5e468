"""The diffs of docs/adding-an-op.md are of this source: those marked `applied` are in it, the others would apply."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w+)((?: \S+)*)\n(.*?)^```$", re.M | re.S)


def check_diff(text, applied):
    """Each hunk's lines, without those that it is not to have, stand in the file one after the other."""
    files = re.split(r"^--- \S+\n\+\+\+ b/(\S+)\n", text, flags=re.M)[1:]
    assert files
    for path, hunks in zip(files[::2], files[1::2]):
        for hunk in re.split(r"^@@.*\n", hunks, flags=re.M)[1:]:
            wanted = [line for line in hunk.splitlines() if not line.startswith("-" if applied else "+")]
            if not wanted:  # a new file
                assert not (ROOT / path).exists(), path
                continue
            lines = "".join(line[1:] + "\n" for line in wanted)
            assert lines in (ROOT / path).read_text(), f"{path}:\n{lines}"


def test_diffs_are_of_this_source():
    checked = 0
    for kind, words, text in BLOCK.findall((ROOT / "docs" / "adding-an-op.md").read_text()):
        words = words.split()
        if kind == "diff":
            check_diff(text, "applied" in words)
        elif kind == "c" and words[:1] == ["applied"]:
            assert text in (ROOT / words[1]).read_text()
        else:
            continue
        checked += 1
    assert checked == 5
