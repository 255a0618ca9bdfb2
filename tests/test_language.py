# SPDX-License-Identifier: GPL-2.0-or-later
"""The check of words: what it finds in documents, comments, messages and names, and what it leaves alone."""

import shutil
import subprocess
import sys

import pytest
from e2e import ROOT

sys.path.insert(0, str(ROOT / "tests/language"))

import check

WORDS = [line.split("->")[0] for line in (ROOT / "tests/language/words.txt").read_text().splitlines()]
# One that each expression of phrases.txt finds.
PHRASES = ["waits in vain", "At the begin", "from begin on", "window_begin", "begin_ns", "leaves open",
           "a general room", "packets of others", "as good as ever", "is none of its", "say so where",
           "of its own accord"]
PLACES = {"page.md": "It is {} here.\n", "a.py": "# It is {} here.\n", "b.py": 'raise ValueError("It is {} here")\n',
          "c.c": "/* It is {} here. */\n", "d.py": "class No{}Now: pass\n", "e.c": "int my_{}_now;\n",
          "f.h": "#define NO_{}_NOW 1\n"}


def said(folder, *names):
    done = subprocess.run([sys.executable, ROOT / "tests/language/check.py", *names], cwd=folder, capture_output=True,
                          text=True, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout


@pytest.mark.parametrize("name", PLACES)
def test_each_word_is_found_wherever_it_stands(tmp_path, name):
    (tmp_path / name).write_text("".join(
        PLACES[name].format(word.capitalize() if "class" in PLACES[name] else
                            word.upper() if "define" in PLACES[name] else word) for word in WORDS))
    status, text = said(tmp_path, name)
    assert status == 1
    assert [line.split(": ")[1].lower() for line in text.splitlines()] == WORDS
    assert text.splitlines()[1].startswith(f"{name}:2: ")


def test_each_phrase_is_found(tmp_path):
    (tmp_path / "page.md").write_text("\n".join(PHRASES))
    status, text = said(tmp_path, "page.md")
    assert status == 1
    assert sorted({int(line.split(":")[1]) for line in text.splitlines()}) == list(range(1, len(PHRASES) + 1))
    assert len(check.rules("phrases.txt")) == len(PHRASES)


def test_a_file_is_found_by_its_name(tmp_path):
    for name in ("way_out.py", "rooms.md"):
        (tmp_path / name).write_text("Nothing.\n")
    assert said(tmp_path, "way_out.py") == (1, "way_out.py:0: way_out: write internet\n")
    assert said(tmp_path, "rooms.md") == (1, "rooms.md:0: rooms: write layers, packages\n")


def test_a_misspelt_word_is_found_and_names_of_standards_are_not(tmp_path):
    (tmp_path / "a.md").write_text("A UE and two ues with ECT recieve a packet, as passt does (De Mey, CoNEXT).\n")
    assert said(tmp_path, "a.md") == (1, "a.md:1: recieve: write receive\n")


def test_plain_words_pass(tmp_path):
    (tmp_path / "a.py").write_text("# A run starts again; a display replays a trace; there is room for a block.\n"
                                   "start_ns = 1  # where it begins\n")
    assert said(tmp_path, "a.py") == (0, "")


def test_counts_are_by_word_and_folder(tmp_path):
    for name, text in (("docs/a.md", "anew and anew\n"), ("lab/b.py", "# anew, played\n")):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    status, text = said(tmp_path, "--count", "docs/a.md", "lab/b.py")
    assert status == 1
    assert [line.split() for line in text.splitlines()] == [
        ["word", "all", "docs", "lab"], ["anew", "3", "2", "1"], ["played", "1", "0", "1"], ["all", "4", "2", "2"]]


def test_lint_fails_on_a_planted_word(tmp_path):
    """The line of `make lint`, in a repository of its own."""
    steps = subprocess.run(["make", "--dry-run", "lint"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    (line,) = [step for step in steps.splitlines() if "tests/language/check.py" in step]
    assert line.split()[1:] == ["tests/language/check.py"]
    shutil.copytree(ROOT / "tests/language", tmp_path / "tests/language")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    for text, status in (("# It starts again.\n", 0), ("# It starts anew.\n", 1)):
        (tmp_path / "planted.py").write_text(text)
        subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
        done = subprocess.run([sys.executable, *line.split()[1:]], cwd=tmp_path, capture_output=True, text=True,
                              check=False)
        assert done.returncode == status, done.stdout + done.stderr
    assert done.stdout == "planted.py:1: anew: write again\n"


def test_what_git_knows_is_looked_at():
    files = check.known_to_git()
    assert {"README.md", "lab/cellbed/cli/entry.py", "emulator/core/cell.c"} <= set(files)
    assert not {"tests/language/words.txt", "docs/glossary.md", "requirements.lock", "LICENSE"} & set(files)
