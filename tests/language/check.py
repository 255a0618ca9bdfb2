#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Find words and phrases that docs/glossary.md replaces, and misspelt ones: in documents, comments, messages, names.

    check.py [--count] [FILE...]

codespell looks for misspelt words in its own dictionary, and for words.txt, also inside identifiers. phrases.txt has
regular expressions, names.txt names of modules. Without FILE all files that Git knows are looked at, but for LEFT_OUT.
Exit status 1 when anything was found.
"""

from __future__ import annotations

import argparse
import collections
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
#: What is not looked at, each with the reason.
REASONS = {
    r"LICENSE": "a licence",
    r".*\.(lock|svg|png|pcap|ipynb)|.*/(corpus|golden)/.*|tests/bundles/.*|tests/durations\.txt":
        "data that programs write",
    r"kernel/.*\.patch": "text for the kernel, in its words",
    r"tests/language/.*|tests/test_language\.py|docs/glossary\.md": "these lists themselves",
    r"formats/(cellbed_formats|tests)/(test_)?renamed\.py": "names of the last release, which work for one more",
}
LEFT_OUT = re.compile("|".join(REASONS))
# Parts of an identifier in either style, and words of a text.
PART = r"[A-Z]?[a-z]+|[A-Z]+"
SAID = re.compile(r"(?P<file>.*?):(?P<line>\d+): (?P<word>\S+) ==> (?P<better>.*)")
PATH_PARTS = re.compile(r"[/._-]")


@dataclass(frozen=True)
class Found:
    file: str
    line: int
    word: str
    better: str

    def counted(self) -> str:
        """What it is one of: identifiers of one rule are counted together."""
        return f"for {self.better}" if self.better.endswith("(an identifier)") else self.word.lower()

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.word}: write {self.better}"


def rules(name: str) -> list[tuple[str, str]]:
    """What is not to be written, and what is, of a list of lines `this -> that`."""
    lines = (HERE / name).read_text().splitlines()
    return [tuple(line.split(" -> ", 1)) for line in lines if line and not line.startswith("#")]


def known_to_git() -> list[str]:
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name and not LEFT_OUT.fullmatch(name) and (ROOT / name).is_file()]


def misspelt(files: Sequence[str], root: Path, *options: str | Path) -> Iterator[Found]:
    """What codespell finds with some options."""
    command = [sys.executable, "-m", "codespell_lib", *options, "--", *files]
    said = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root)
    if said.returncode not in (0, 65):  # EX_DATAERR: something was found
        raise SystemExit(f"language: codespell: {said.stderr.strip()}")
    for line in said.stdout.splitlines():
        found = SAID.fullmatch(line)
        if found:
            yield Found(found["file"].removeprefix("./"), int(found["line"]), found["word"], found["better"])


def phrases(files: Sequence[str], root: Path) -> Iterator[Found]:
    expressions = [(re.compile(this, re.IGNORECASE), that) for this, that in rules("phrases.txt")]
    for file in files:
        try:
            lines = (root / file).read_text().splitlines()
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(lines, 1):
            yield from (Found(file, number, match[0], that)
                        for this, that in expressions for match in this.finditer(line))


def names(files: Sequence[str]) -> Iterator[Found]:
    """Files and folders whose names are in a list."""
    replaced = dict(rules("names.txt"))
    words = dict(line.split("->", 1) for line in (HERE / "words.txt").read_text().splitlines())
    for file in files:
        for part in Path(file).with_suffix("").parts:
            if part in replaced:
                yield Found(file, 0, part, replaced[part])
        yield from (Found(file, 0, word, words[word]) for word in PATH_PARTS.split(file) if word in words)


def everything(files: Sequence[str], root: Path) -> list[Found]:
    found = [*misspelt(files, root, "-I", HERE / "ignore.txt"),
             *misspelt(files, root, "-D", HERE / "words.txt", "-r", PART), *phrases(files, root), *names(files)]
    return sorted(found, key=lambda one: (one.file, one.line, one.word))


def table(found: Sequence[Found]) -> str:
    """How often each word was found, by folder."""
    cells = [(one.counted(), one.file.split("/")[0] if "/" in one.file else ".") for one in found]
    rows, words = collections.Counter(cells), collections.Counter(word for word, _ in cells)
    folders = dict(sorted(collections.Counter(folder for _, folder in cells).items()))
    head = ["word", "all", *folders]
    lines = [[word, n, *(rows[word, folder] for folder in folders)] for word, n in words.most_common()]
    lines.append(["all", len(found), *folders.values()])
    widths = [max(len(str(line[i])) for line in [head, *lines]) for i in range(len(head))]
    return "\n".join("  ".join(str(cell).rjust(width) for cell, width in zip(line, widths, strict=True))
                     for line in [head, *lines])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", action="store_true", help="how often, by word and folder")
    parser.add_argument("file", nargs="*")
    chosen = parser.parse_args()
    found = everything(chosen.file, Path.cwd()) if chosen.file else everything(known_to_git(), ROOT)
    if found:
        print(table(found) if chosen.count else "\n".join(map(str, found)))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
