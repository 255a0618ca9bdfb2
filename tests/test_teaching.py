# SPDX-License-Identifier: GPL-2.0-or-later
"""The solutions of the lab sheets are what the commands of the sheets give, and each sheet is on the list."""

import re
import subprocess
import sys

import pytest
from e2e import ROOT

FOLDER = ROOT / "docs/teaching"
SHEETS = sorted(path.stem for path in FOLDER.glob("*.md") if path.stem != "solutions")


def test_each_sheet_is_on_the_list_and_has_answers():
    listed = re.findall(r"\.\./teaching/([a-z-]+)\.md", (ROOT / "docs/howto/lab-exercise.md").read_text())
    assert sorted(listed) == sorted([*SHEETS, "solutions"])
    solutions = (FOLDER / "solutions.md").read_text()
    for sheet in SHEETS:
        asked = re.findall(r"^\*\*(\d)\.\*\*", (FOLDER / f"{sheet}.md").read_text(), re.MULTILINE)
        answers = solutions.partition(f"]({sheet}.md)")[2].partition("\n## ")[0]
        assert asked == ["1", "2", "3", "4"] == re.findall(r"^(?:\| |\*\*)(\d)[. ]", answers, re.MULTILINE)
        assert (FOLDER / f"{sheet}.png").stat().st_size > 5000


@pytest.mark.lab
@pytest.mark.timeout(900)  # eight runs, and each command of the sheets
def test_the_solutions_are_what_the_commands_of_the_sheets_give(tmp_path):
    done = subprocess.run([sys.executable, FOLDER / "make.py", tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "solutions.md").read_text() == (FOLDER / "solutions.md").read_text()
    assert sorted(path.stem for path in tmp_path.glob("*.png")) == SHEETS
