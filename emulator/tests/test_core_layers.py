# SPDX-License-Identifier: GPL-2.0-or-later
"""Who may call whom in the radio core, read from its includes: calls go down, results come up."""

import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

CORE = Path(__file__).resolve().parents[1] / "core"
SYSTEMS = sorted(f"ran/{path.name}" for path in (CORE / "ran").iterdir()
                 if path.is_dir() and path.name not in ("independent", "channel", "handover"))
# From the bottom up; a package may use those on lines before its own; those of one line do not use each other.
LAYERS = [
    ["contract"],
    ["base"],
    ["rlc", "pdcp", "sdap", "phy", "aqm"],
    ["mac"],
    ["epc"],
    ["ran/ran.h"],
    ["ran/independent", "ran/channel", "ran/handover"],
    SYSTEMS,
    ["ran"],
    ["entry"],
]
LEVEL = {package: level for level, packages in enumerate(LAYERS) for package in packages}
# What programs around the core include. Lower layers may know it, as it says nothing of what is behind it.
CONTRACT = {"cellcore.h", "cell_cfg.h", "cell_out.h", "cfg_values.h"}
MADE = {"cfg_values.h"}  # by `make reference`

SOURCES = {str(path.relative_to(CORE)): path.read_text() for path in sorted(CORE.rglob("*.[ch]"))}
INCLUDES = {name: re.findall(r'^#include "([^"]+)"', text, re.M) for name, text in SOURCES.items()}


def package_of(name: str) -> str:
    if name in CONTRACT:
        return "contract"
    if name in LEVEL:
        return name
    folders = name.split("/")[:-1]
    if not folders:
        return "entry"
    return "/".join(folders) if folders[0] == "ran" else folders[0]


def unit(name: str) -> str:
    """A source with its header."""
    return name.rsplit(".", 1)[0]


def circle(includes: dict[str, list[str]]) -> list[str] | None:
    """Sources that include each other, or None."""
    graph: dict[str, set[str]] = {}
    for name, others in includes.items():
        graph.setdefault(unit(name), set()).update(unit(other) for other in others if unit(other) != unit(name))
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        return error.args[1]
    return None


def upward(includes: dict[str, list[str]]) -> list[tuple[str, str]]:
    """Includes of what is above, or beside in another package."""
    return [
        (name, other)
        for name, others in includes.items()
        for other in others
        if package_of(name) != package_of(other) and LEVEL[package_of(other)] >= LEVEL[package_of(name)]
    ]


def test_every_include_is_a_file_of_the_core():
    assert {other for others in INCLUDES.values() for other in others} <= set(SOURCES)


def test_nothing_includes_what_is_above():
    assert upward(INCLUDES) == []


def test_no_two_sources_include_each_other():
    assert circle(INCLUDES) is None


@pytest.mark.parametrize(("name", "other"), [
    ("base/pkt.h", "rlc/pdu.h"), ("rlc/pdu.h", "pdcp/pdcp.h"), ("mac/harq.h", "ran/lte/state.h"),
    ("ran/dch/utran.h", "ran/lte/state.h"), ("ran/ran.h", "ran/lte/lte.h"), ("ran/lte/lte.h", "ran/networks.h"),
    ("ran/networks.c", "event.h"),
])  # fmt: skip
def test_an_include_upward_is_noticed(name, other):
    assert upward({name: [other]}) == [(name, other)]


def test_a_circle_is_noticed():
    assert circle({"a.c": ["a.h", "b.h"], "b.c": ["b.h", "c.h"], "c.c": ["a.h"]}) is not None
    assert circle({"a.c": ["a.h", "b.h"], "b.c": ["b.h", "c.h"], "c.c": ["c.h"]}) is None


@pytest.mark.parametrize("name", sorted(SOURCES.keys() - MADE))
def test_a_file_says_what_it_is(name):
    """The comment at its start names the file."""
    comment = re.match(r"/\* SPDX-License-Identifier: GPL-2.0-or-later \*/\n(/\*.*?\*/)", SOURCES[name], re.S)
    assert comment and re.match(rf"/\*(\n \*)? {re.escape(name.rsplit('/', 1)[-1])} - \w", comment.group(1))
