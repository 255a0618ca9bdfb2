# SPDX-License-Identifier: GPL-2.0-or-later
"""The scenarios that come with cellbed, which have names wherever one is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cellbed import paths

FOLDER = paths.ROOT / "scenarios"


def named(path: Path) -> Path:
    """A file; where there is none, the scenario of that name, with or without `scenarios/` and `.yaml`."""
    if path.exists():
        return path
    name = path.relative_to("scenarios") if path.is_relative_to("scenarios") else path
    brought = FOLDER / name
    return next((file for file in (brought, brought.with_name(f"{brought.name}.yaml")) if file.is_file()), path)


def titles() -> Iterator[tuple[str, str]]:
    """Name and title of each."""
    from cellbed.scenario.file import read_yaml

    for path in sorted(FOLDER.glob("*/*.yaml")):
        if not path.stem.endswith("claims"):
            yield str(path.relative_to(FOLDER).with_suffix("")), read_yaml(path).get("title", "")
