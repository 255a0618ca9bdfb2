# SPDX-License-Identifier: GPL-2.0-or-later
"""Who may call whom in the radio core, read from its includes and symbols: calls go down, results come up."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from core_layers import DOCUMENT, INCLUDES, MADE, ROOT, SOURCES, circle, drawn, upward, uses

BUILD = Path(os.environ.get("CELLBED_BUILD", ROOT / "build"))


def test_every_include_is_a_file_of_the_core():
    assert {other for others in INCLUDES.values() for other in others} <= set(SOURCES) | MADE


def test_nothing_includes_what_is_above():
    assert upward(INCLUDES) == []


def test_no_two_files_include_each_other():
    assert circle(INCLUDES) is None


@pytest.mark.parametrize(("name", "other"), [
    ("base/pkt.h", "rlc/common/pdu.h"), ("rlc/common/pdu.h", "pdcp/lte/pdcp.h"), ("mac/lte/harq.h", "ran/lte/state.h"),
    ("mac/nr/harq.h", "mac/lte/harq.h"), ("ran/nr/state.h", "rlc/lte/um/um.h"), ("rlc/common/rlc.h", "rlc/lte/um/um.h"),
    ("ran/utran/link.h", "ran/lte/state.h"), ("ran/ran.h", "ran/lte/lte.h"), ("ran/lte/lte.h", "ran/networks.h"),
    ("ran/networks.c", "event.h"),
])  # fmt: skip
def test_an_include_upward_is_noticed(name, other):
    assert upward({name: [other]}) == [(name, other)]


@pytest.mark.parametrize("folder", [
    "core/libcellcore.a.p", "daemon/celld.p", "daemon/libcellshell.a.p", "fuzz/replay_cell.p", "sim/cellsim.p",
])  # fmt: skip
def test_no_two_objects_use_each_other(folder):
    built = BUILD / "emulator" / folder
    if not built.is_dir():
        pytest.skip(f"{folder} is not built")
    assert circle(uses(sorted(built.glob("*.o")))) is None


def test_objects_that_use_each_other_are_noticed(tmp_path):
    for name, other in (("one", "two"), ("two", "one")):
        (tmp_path / f"{name}.c").write_text(f"int {other}(void); int {name}(void) {{ return {other}(); }}\n")
        subprocess.run(["cc", "-c", f"{name}.c"], cwd=tmp_path, check=True)
    assert circle(uses(sorted(tmp_path.glob("*.o")))) is not None


def test_a_circle_is_noticed():
    assert circle({"a.c": ["a.h"], "a.h": ["b.h"], "b.h": ["a.h"]}) is not None
    assert circle({"a.c": ["a.h", "b.h"], "b.c": ["b.h", "a.h"]}) is None


def test_the_drawing_is_of_these_layers():
    """Draw it again with `make core-graph`."""
    assert drawn(DOCUMENT.read_text()) == DOCUMENT.read_text()


@pytest.mark.parametrize("name", sorted(SOURCES.keys() - MADE))
def test_a_file_says_what_it_is(name):
    """The comment at its start names the file."""
    comment = re.match(r"/\* SPDX-License-Identifier: GPL-2.0-or-later \*/\n(/\*.*?\*/)", SOURCES[name], re.S)
    assert comment and re.match(rf"/\*(\n \*)? {re.escape(name.rsplit('/', 1)[-1])} - \w", comment.group(1))
