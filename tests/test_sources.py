# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/sources.md lists what the code cites, and nothing else."""

import re
import subprocess

from e2e import ROOT

LISTED = re.findall(r"^\| `([^`]+)` \|", (ROOT / "docs/sources.md").read_text(), re.MULTILINE)


def tracked(*patterns):
    done = subprocess.run(["git", "-C", ROOT, "ls-files", *patterns], capture_output=True, text=True, check=True)
    return [ROOT / name for name in done.stdout.split()]


def citations():
    """(file, text) of every `Source:` in code and scenarios."""
    for path in tracked("*.c", "*.h", "*.py", "*.yaml", "docs/scenario-format.md"):
        for match in re.finditer(r"Source: *(.+)|(?:source: *\")(.+?)\"", path.read_text()):
            yield path, match[1] or match[2]


def own(text):
    """A citation of the project's own pages, or a clause that goes on from the line before."""
    return text.startswith(("docs/", "emulator/")) or re.match(r"\d", text) or text.startswith((".+", "*(.+)"))


def test_every_citation_is_listed():
    unknown = [f"{path.relative_to(ROOT)}: {text}" for path, text in citations()
               if not own(text) and not any(name in text for name in LISTED)
               and not text.startswith(("section", "{", "`", "*", "s\"", "test"))]
    assert unknown == []


def test_everything_listed_is_cited():
    texts = " ".join(text for _, text in citations())
    texts += " ".join(path.read_text() for path in tracked("emulator/*.c", "emulator/*.h", "docs/scenario-format.md"))
    assert [name for name in LISTED if name not in texts] == []
