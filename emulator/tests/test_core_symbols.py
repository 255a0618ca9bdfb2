# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of the core: `cell_` is what a program around it calls, every other name begins with where it is defined."""

import os
import re
import subprocess
from pathlib import Path

CORE = Path(__file__).resolve().parents[1] / "core"
BUILD = Path(os.environ.get("CELLBED_BUILD", CORE.parents[1] / "build")) / "emulator/core"
DECLARED = re.compile(r"^CELL_EXPORT [\w *]*?\b(\w+)\(", re.M)


def nm(*words) -> list[list[str]]:
    """Functions and data that an object or library defines for others: lines of words, the last one is the name."""
    listed = subprocess.run(["nm", "--defined-only", *words], capture_output=True, text=True, check=True).stdout
    return [words for words in map(str.split, listed.splitlines()) if words[-2:-1] and words[-2] in "BCDRT"]


def exported() -> set[str]:
    return {name for path in CORE.glob("*.h") for name in DECLARED.findall(path.read_text())}


def begins_well(name: str, path: str) -> bool:
    """Whether a name begins with a folder on the path of its file, or with the file's own name or its first word."""
    *folders, stem = path.removesuffix(".c").split("/")
    words = {*folders, stem, stem.split("_")[0]}
    return any(name == word or name.startswith(f"{word}_") for word in words) and not name.startswith("cell_")


def test_a_shared_library_exports_what_the_headers_declare():
    names = exported()
    assert len(names) > 15
    assert all(name.startswith("cell_") for name in names)
    assert {name for *_, name in nm("-D", BUILD / "libcellcore-exported.so")} == names


def test_an_internal_name_says_where_it_is():
    names = exported()
    sources = {str(path.relative_to(CORE)).replace("/", "_"): str(path.relative_to(CORE)) for path in CORE.rglob("*.c")}
    found = [(sources[Path(first.split(":")[-2]).stem], name)
             for first, *_, name in nm("-g", "-A", BUILD / "libcellcore.a")]
    assert {path for path, _ in found} == set(sources.values())
    assert [(path, name) for path, name in found if name not in names and not begins_well(name, path)] == []


def test_what_does_not_say_where_it_is():
    assert begins_well("tb_free", "mac/common/tb.c") and begins_well("drb_send", "ran/nr/drb_tx.c")
    assert begins_well("nr_tb_free", "mac/nr/tb.c") and begins_well("reestablish", "ran/lte/reestablish.c")
    assert not begins_well("sched_by_id", "mac/common/scheduler.c") and not begins_well("cell_pkt", "base/cell.c")
    assert not begins_well("tbs", "mac/common/tb.c")
