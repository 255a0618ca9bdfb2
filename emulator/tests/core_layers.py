# SPDX-License-Identifier: GPL-2.0-or-later
"""The layers of the radio core, from its includes and symbols. As a program it draws them into ARCHITECTURE.md."""

import re
import subprocess
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "ARCHITECTURE.md"
START, END = "<!-- `make core-graph` draws this. -->\n", "<!-- end of drawing -->\n"
CORE = Path(__file__).resolve().parents[1] / "core"
SYSTEMS = sorted(f"ran/{path.name}" for path in (CORE / "ran").iterdir()
                 if path.is_dir() and path.name not in ("independent", "channel", "handover", "en_dc"))
RADIO = ("lte", "nr", "utran")
BELOW_MAC = ("rlc", "pdcp", "sdap", "phy")
# From the bottom up; a package may use those on lines before its own; those of one line do not use each
# other. In a layer a radio system uses what is common, and nothing of another system.
LAYERS = [
    ["contract"],
    ["base"],
    ["aqm", *(f"{layer}/common" for layer in BELOW_MAC)],
    [f"{layer}/{system}" for layer in BELOW_MAC for system in RADIO],
    ["rlc"],
    ["mac/common"],
    [f"mac/{system}" for system in RADIO],
    ["epc"],
    ["ran/ran.h"],
    ["ran/independent", "ran/channel", "ran/handover"],
    SYSTEMS,
    ["ran/en_dc"],  # which consists of two of them
    ["ran"],
    ["entry"],
]
LEVEL = {package: level for level, packages in enumerate(LAYERS) for package in packages}
# What programs around the core include. Lower layers may know it, as it says nothing of what is behind it.
CONTRACT = {"cellcore.h", "cell_cfg.h", "cell_cfg_bearer.h", "cell_cfg_en_dc.h", "cell_cfg_link.h", "cell_cfg_lte.h",
            "cell_cfg_nr.h", "cell_kinds.h", "cell_out.h", "cell_sched.h", "cfg_values.h"}
MADE = {"cell_sched.h", "cfg_values.h"}  # by the build

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
    return "/".join(folders[:2])


def circle(graph: Mapping[str, Iterable[str]]) -> list[str] | None:
    """Files that include, or objects that use, each other; None if none do."""
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        return error.args[1]
    return None


def uses(objects: Iterable[Path]) -> dict[str, set[str]]:
    """Which objects have the functions and data that each object uses, as `nm` knows them."""
    defined: dict[str, str] = {}
    undefined: dict[str, set[str]] = {}
    for path in objects:
        listed = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
        symbols = [line.split()[-2:] for line in listed.splitlines()]
        undefined[path.name] = {name for kind, name in symbols if kind == "U"}
        defined.update((name, path.name) for kind, name in symbols if kind in "BCDRT")
    return {user: {defined[name] for name in names if name in defined} - {user} for user, names in undefined.items()}


def drawing() -> str:
    """The packages of the core and what each includes, without what follows from the rest, as Mermaid draws it."""
    edges = {(package_of(name), package_of(other)) for name, others in INCLUDES.items() for other in others}
    below: dict[str, set[str]] = {package: {b for a, b in edges if a == package and b != a} for package in LEVEL}
    reached: dict[str, set[str]] = {}
    for package in TopologicalSorter(below).static_order():
        reached[package] = below[package].union(*(reached[other] for other in below[package]))
    direct = {(a, b) for a in below for b in below[a] if not any(b in reached[c] for c in below[a] if c != b)}
    node = {package: f"p{i}[{package}]" for i, package in enumerate(sorted(LEVEL))}
    lines = [f"  {node[a]} --> {node[b]}" for a, b in sorted(direct)]
    return "\n".join(["```mermaid", "graph TD", *lines, "```", ""])


def drawn(text: str) -> str:
    """A document with the drawing between its marks."""
    before, rest = text.split(START)
    return f"{before}{START}{drawing()}{END}{rest.split(END)[1]}"


def system(name: str) -> str | None:
    """The radio system whose folder it is in."""
    folders = name.split("/")[:-1]
    return next((folder for folder in folders if folder in RADIO), None)


def upward(includes: dict[str, list[str]]) -> list[tuple[str, str]]:
    """Includes of what is above, or beside in another package, or in the folder of another radio system."""
    return [
        (name, other)
        for name, others in includes.items()
        for other in others
        if (package_of(name) != package_of(other) and LEVEL[package_of(other)] >= LEVEL[package_of(name)])
        or (system(other) not in (None, system(name)) and system(name))
    ]


if __name__ == "__main__":
    DOCUMENT.write_text(drawn(DOCUMENT.read_text()))
