# SPDX-License-Identifier: GPL-2.0-or-later
"""The scenarios that come with cellbed, which have names wherever one is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cellbed import paths
from cellbed.error import CellbedError

FOLDER = paths.ROOT / "scenarios"
# How names of files with claims end.
_CLAIMS = "claims"


def named(path: Path) -> Path:
    """A file; where there is none, the scenario of that name, with or without `scenarios/` and `.yaml`."""
    if path.exists():
        return path
    name = path.relative_to("scenarios") if path.is_relative_to("scenarios") else path
    brought = FOLDER / name
    return next((file for file in (brought, brought.with_name(f"{brought.name}.yaml")) if file.is_file()), path)


def studies() -> dict[str, Path]:
    """Folders of scenarios that have claims, by name."""
    return {path.name: path for path in sorted(FOLDER.iterdir()) if claims_of(path)}


def study(name: str) -> tuple[str, Path]:
    """A folder of scenarios with claims, by its name or the last word of it: d2d-nardini or nardini.

    Raises:
        CellbedError: there is none.
    """
    known = studies()
    fitting = [own for own in known if name in (own, own.rpartition("-")[2])]
    if len(fitting) != 1:
        raise CellbedError(f"study '{name}': allowed {', '.join(known)}")
    return fitting[0], known[fitting[0]]


def scenarios_of(folder: Path) -> list[Path]:
    """Scenarios of a folder, in the order of their names."""
    return [path for path in sorted(folder.glob("*.yaml")) if not path.stem.endswith(_CLAIMS)]


def claims_of(folder: Path) -> list[Path]:
    """Files with claims of a folder, in the order of their names."""
    return sorted(folder.glob(f"*{_CLAIMS}.yaml"))


def first_claimed(folder: Path) -> Path:
    """The scenario that the claims of a folder name first."""
    from cellbed_formats import bounded_yaml  # the help of commands reads no file

    for file in claims_of(folder):
        for claim in bounded_yaml.read(file):
            named_there = claim.get("scenario") if isinstance(claim, dict) else None
            first = named_there[0] if isinstance(named_there, list) else named_there
            if isinstance(first, str) and (path := FOLDER / f"{first}.yaml").is_file():
                return path
    return scenarios_of(folder)[0]


def titles() -> Iterator[tuple[str, str]]:
    """Name and title of each."""
    from cellbed.scenario.file import read_yaml

    for folder in sorted(path for path in FOLDER.iterdir() if path.is_dir()):
        for path in scenarios_of(folder):
            yield str(path.relative_to(FOLDER).with_suffix("")), read_yaml(path).get("title", "")
